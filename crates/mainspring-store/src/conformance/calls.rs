//! Runs that tasks of workflow runs start: made once, and told of at their end.

use std::sync::Arc;

use mainspring_core::batch::{Placed, Released};
use mainspring_core::job::{Job, JobKey, Overlap, Task};
use mainspring_core::run::{Origin, RunState, Verdict};
use mainspring_core::workflow::TaskState;

use super::kit::{Draft, Kit, asked, at};
use super::workflows::{begin, begun, ended, inbox, read, step, stepped, write};
use crate::{
    AskedRun, CalledBy, Caller, MessageBody, PurgeRule, RunQuery, Store, TaskVerb, TaskWrite, TimeLimit, WorkflowStep,
};

/// A task's row names a run before there is one; once that is asked for, its end is told, and it is asked for once.
pub async fn run_that_a_task_starts_is_made_once_and_its_end_is_told(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (job, outer) = begun(&kit, &["a"]).await;
    let other = kit.save(Draft::new("other")).await;
    let id = outer.called(job.id(), "a", 0);
    let calls = TaskWrite { call: Some(id), generation: 1, ..write(0, TaskState::Running) };
    assert_eq!(
        stepped(&kit, WorkflowStep { tasks: vec![calls], ..step(&read(&kit, outer).await, at(1_000)) }).await,
        []
    );
    assert_eq!(read(&kit, outer).await.tasks[0].child, Some(id));
    assert_eq!(kit.store.run(id).await.expect("run"), None);
    let caller = Caller { run: outer, task: "a".into() };
    let by = Some(CalledBy { caller: caller.clone(), task: 0, item: None, backfilled: false });
    let run = AskedRun { id, origin: Origin::Api, caller: by, ..asked(&other, 1, at(1_100)) };
    assert_eq!(kit.store.ask_run(run.clone()).await.expect("ask_run").placed, Placed::Queued);
    assert_eq!(kit.store.ask_run(run.clone()).await.expect("ask_run").placed, Placed::Known);
    let info = kit.run(id).await;
    assert_eq!((info.caller, info.parent, info.task), (Some(caller), None, None));
    assert_eq!(kit.store.called_runs(outer).await.expect("called_runs"), [(id, "a".to_owned())]);
    let list = async |query: RunQuery| {
        let query = RunQuery { parent: Some(outer), limit: 9, ..query };
        kit.store.runs(query).await.expect("runs").iter().map(|run| run.id).collect::<Vec<_>>()
    };
    let with_calls = RunQuery { with_calls: true, ..RunQuery::default() };
    let failed = RunQuery { states: vec![RunState::Failed], ..with_calls.clone() };
    let of_job = |job| RunQuery { job: Some(job), ..with_calls.clone() };
    assert_eq!(list(with_calls.clone()).await, [id]);
    for none in [RunQuery::default(), failed, of_job(job.id()), RunQuery { before: Some(id), ..with_calls.clone() }] {
        assert_eq!(list(none).await, []);
    }
    assert_eq!(list(of_job(other.id())).await, [id]);
    let date = run.fire_time;
    let for_dates = async |job, first, last| kit.store.called_for(job, first, last).await.expect("called_for");
    assert_eq!(for_dates(other.id(), date, date).await, [id]);
    assert_eq!(for_dates(other.id(), date - 9, date - 1).await, []);
    assert_eq!(for_dates(job.id(), date, date).await, []);
    kit.store.cancel_run(id, "no more", None, at(1_200)).await.expect("cancel_run");
    assert_eq!(list(with_calls.clone()).await, [id], "a final one");
    assert_eq!(for_dates(other.id(), date - 1, date + 1).await, [id]);
    assert_eq!(inbox(&kit, outer).await, [ended(id, RunState::Cancelled)]);
    assert_eq!(kit.store.called_runs(outer).await.expect("called_runs"), []);
    assert_eq!(kit.run(id).await.caller.map(|caller| caller.run), Some(outer));
    // Retention may take it before the workflow run has heard of it: still it is not made again.
    kit.store.purge(all(100)).await.expect("purge");
    assert_eq!(kit.store.run(id).await.expect("run"), None);
    assert_eq!(kit.store.ask_run(run).await.expect("ask_run").placed, Placed::Known);
}

/// A workflow run that is over, and runs that its tasks have started, which are over as well.
pub(crate) async fn over(kit: &Kit) -> Vec<AskedRun> {
    let (job, outer) = begun(kit, &["a", "b", "c"]).await;
    let other = kit.save(Draft::new("other")).await;
    let mut started = Vec::new();
    for (number, name) in (0..).zip(["a", "b", "c"]) {
        let id = outer.called(job.id(), name, 0);
        let calls = TaskWrite { call: Some(id), ..write(number, TaskState::Running) };
        stepped(kit, WorkflowStep { tasks: vec![calls], ..step(&read(kit, outer).await, at(1_000)) }).await;
        let caller = Caller { run: outer, task: name.into() };
        let caller = Some(CalledBy { caller, task: number, item: None, backfilled: false });
        let run = AskedRun { id, caller, ..asked(&other, u64::from(number), at(1_000)) };
        kit.store.ask_run(run.clone()).await.expect("ask_run");
        kit.store.cancel_run(id, "no more", None, at(1_100)).await.expect("cancel_run");
        started.push(run);
    }
    let end = Some((Verdict::Succeeded, None));
    stepped(kit, WorkflowStep { end, ..step(&read(kit, outer).await, at(1_200)) }).await;
    started
}

/// Retention of all that is over.
pub(crate) fn all(limit: u32) -> PurgeRule {
    let before = at(864_000_000);
    PurgeRule {
        at: before,
        history_before: before,
        history_keep_per_job: None,
        events_before: at(0),
        tombstones_before: at(0),
        limit,
    }
}

/// Nobody asks again for runs that tasks have started once the workflow run is over: what is known of them goes after all the runs.
pub async fn what_tasks_have_started_is_forgotten_after_the_runs(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let started = over(&kit).await;
    for run in &started {
        assert_eq!(kit.store.ask_run(run.clone()).await.expect("ask_run").placed, Placed::Known);
    }
    for _ in 0..3 {
        kit.store.purge(all(100)).await.expect("purge");
    }
    for run in started {
        assert_eq!(kit.store.ask_run(run).await.expect("ask_run").placed, Placed::Known, "no row names it any more");
    }
}

/// A run is made only while the row of a task, or of one of its items, names it and says that the task is under way.
pub async fn run_that_no_row_of_a_task_names_is_not_made(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (job, outer) = begun(&kit, &["a"]).await;
    let other = kit.save(Draft::new("other")).await;
    let [first, second] = [0, 1].map(|attempt| outer.called(job.id(), "a[1]", attempt));
    let place = async |id, item| {
        let caller = Caller { run: outer, task: "a[1]".into() };
        let caller = Some(CalledBy { caller, task: 0, item, backfilled: false });
        let asked = AskedRun { id, caller, ..asked(&other, 1, at(1_000)) };
        kit.store.ask_run(asked).await.expect("ask_run").placed
    };
    let goes = async |state, call, generation| {
        let whole = TaskWrite { generation, ..write(0, TaskState::Running) };
        let item = TaskWrite { item: Some(1), call, generation, ..write(0, state) };
        stepped(&kit, WorkflowStep { tasks: vec![whole, item], ..step(&read(&kit, outer).await, at(1_000)) }).await;
    };
    assert_eq!(place(first, Some(1)).await, Placed::Known);
    goes(TaskState::Running, Some(first), 0).await;
    assert_eq!(place(first, None).await, Placed::Known);
    assert_eq!(place(first, Some(2)).await, Placed::Known);
    assert_eq!(place(second, Some(1)).await, Placed::Known);
    goes(TaskState::Cancelled, None, 0).await;
    assert_eq!(place(first, Some(1)).await, Placed::Known);
    goes(TaskState::Running, Some(second), 1).await;
    assert_eq!(place(first, Some(1)).await, Placed::Known);
    assert_eq!(kit.store.run(first).await.expect("run"), None);
    assert_eq!(place(second, Some(1)).await, Placed::Queued);
    assert_eq!(kit.store.called_runs(outer).await.expect("called_runs"), [(second, "a[1]".to_owned())]);
}

/// A workflow run that ends what its tasks have started gives the slots back.
pub async fn run_that_a_task_has_started_is_ended_with_its_slot(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (job, outer) = begun(&kit, &["a", "b"]).await;
    let mut limited = Job::new(JobKey::new("default", "other"), Task::Noop);
    limited.overlap = Overlap::Hold;
    let other = kit.save(Draft::of(limited)).await;
    let ids = ["a", "b"].map(|task| outer.called(job.id(), task, 0));
    let calls = |task: u32| TaskWrite { call: Some(ids[task as usize]), ..write(task, TaskState::Running) };
    let tasks = vec![calls(0), calls(1)];
    stepped(&kit, WorkflowStep { tasks, ..step(&read(&kit, outer).await, at(1_000)) }).await;
    for (task, name) in [(0, "a"), (1, "b")] {
        let caller =
            Some(CalledBy { caller: Caller { run: outer, task: name.into() }, task, item: None, backfilled: false });
        let id = ids[task as usize];
        kit.store.ask_run(AskedRun { id, caller, ..asked(&other, u64::from(task), at(1_000)) }).await.expect("ask_run");
    }
    assert_eq!([kit.run(ids[0]).await.state, kit.run(ids[1]).await.state], [RunState::Queued, RunState::Held]);
    let cancel = vec![(ids[0], "no more".to_owned())];
    stepped(&kit, WorkflowStep { cancel, ..step(&read(&kit, outer).await, at(1_100)) }).await;
    assert_eq!([kit.run(ids[0]).await.state, kit.run(ids[1]).await.state], [RunState::Cancelled, RunState::Queued]);
    assert_eq!(inbox(&kit, outer).await, [ended(ids[0], RunState::Cancelled)]);
}

/// A workflow run hears once that its time is over, whoever looks, and never after it has ended.
pub async fn workflow_run_hears_once_that_its_time_is_over(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (job, run) = begun(&kit, &["a"]).await;
    let limited = async |limit| WorkflowStep { limit: Some(limit), ..step(&read(&kit, run).await, at(1_000)) };
    stepped(&kit, limited(TimeLimit::Ends(at(5_000))).await).await;
    let next_at = |released: Released| released.next_at;
    let release = async |now| kit.store.release_due(now, 9).await.expect("release_due");
    assert_eq!((next_at(release(at(4_999)).await), inbox(&kit, run).await), (Some(at(5_000)), vec![]));
    assert_eq!((next_at(release(at(5_000)).await), next_at(release(at(5_001)).await)), (None, None));
    let heard = inbox(&kit, run).await;
    assert!(matches!(&heard[..], [MessageBody::Asked(request)] if request.verb == TaskVerb::TimeOut), "{heard:?}");
    assert!(!read(&kit, run).await.timed_out);
    stepped(&kit, limited(TimeLimit::Reached).await).await;
    assert!(read(&kit, run).await.timed_out);
    assert_eq!((next_at(release(at(9_000)).await), inbox(&kit, run).await), (None, vec![]));
    let (other, _) = kit.ask(&job, 2, at(10_000)).await;
    assert!(begin(&kit, other, at(10_000)).await);
    let ends = Some(TimeLimit::Ends(at(20_000)));
    stepped(&kit, WorkflowStep { limit: ends, ..step(&read(&kit, other).await, at(10_000)) }).await;
    let end = Some((Verdict::Succeeded, None));
    let lifted = Some(TimeLimit::Lifted);
    stepped(&kit, WorkflowStep { end, limit: lifted, ..step(&read(&kit, other).await, at(11_000)) }).await;
    assert_eq!(next_at(release(at(12_000)).await), None);
}

/// What a workflow run leaves is kept with its end.
pub async fn output_of_a_workflow_run_is_kept(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (_, run) = begun(&kit, &["a"]).await;
    let end = Some((Verdict::Succeeded, None));
    let output = Some(r#"{"rows":7}"#.to_owned());
    stepped(&kit, WorkflowStep { end, output: output.clone(), ..step(&read(&kit, run).await, at(1_200)) }).await;
    assert_eq!(kit.run(run).await.output, output);
}
