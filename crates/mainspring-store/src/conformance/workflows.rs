//! Runs of workflows: begun once, written step by step, told of the ends of their tasks.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_core::batch::{ClaimedRun, Completion, CompletionBatch, Queues, Rearm};
use mainspring_core::cluster::ShardSet;
use mainspring_core::job::{Job, JobKey, Overlap, Task};
use mainspring_core::queue::QueueRule;
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::{AttemptOutcome, Origin, RunState, Verdict};
use mainspring_core::workflow::{Stop, TaskDefinition, TaskState, Workflow};
use mainspring_core::{BatchId, Incarnation, RunId, Timestamp};

use super::kit::{Draft, Kept, Kit, TakeChanges, asked, at};
use crate::{
    AskedRun, Cancelled, Expect, LogChunk, MessageBody, PurgeRule, Routed, RunInfo, RunQuery, Stepped, Store,
    TaskRequest, TaskStart, TaskVerb, TaskWrite, WorkflowDue, WorkflowRow, WorkflowStep,
};

/// A job whose work is some tasks, each of which has the workflow's key and a priority of its own: 10, 11, 12, …
pub(super) fn graph(names: &[&str]) -> Draft {
    graph_named("graph", names)
}

pub(super) fn graph_named(name: &str, names: &[&str]) -> Draft {
    let key = JobKey::new("default", name);
    let task = |(name, priority): (&&str, i32)| {
        let mut job = Job::new(key.clone(), Task::Noop);
        job.priority = priority;
        TaskDefinition::new(*name, job)
    };
    let tasks = names.iter().zip(10..).map(task).collect();
    Draft::of(Job::new(key, Task::Workflow(Box::new(Workflow { tasks, ..Workflow::default() }))))
}

pub(super) async fn due(kit: &Kit) -> Vec<WorkflowDue> {
    kit.store.workflows_due(ShardSet::ALL, 100).await.expect("workflows_due")
}

pub(super) async fn begin(kit: &Kit, run: RunId, now: Timestamp) -> bool {
    kit.store.begin_workflow(run, now).await.expect("begin_workflow")
}

pub(super) async fn read(kit: &Kit, run: RunId) -> WorkflowRow {
    let row = kit.store.workflow(run, 100).await.expect("workflow").expect("it is there");
    assert_eq!(kit.store.workflow_inbox(run, 100).await.expect("workflow_inbox"), row.inbox);
    row
}

/// A run of a graph of these tasks that has begun at 1,000.
pub(super) async fn begun(kit: &Kit, names: &[&str]) -> (Kept, RunId) {
    let job = kit.save(graph(names)).await;
    let (run, _) = kit.ask(&job, 1, at(1_000)).await;
    assert!(begin(kit, run, at(1_000)).await);
    (job, run)
}

/// A step of what was read, that hears all there is.
pub(super) fn step(row: &WorkflowRow, now: Timestamp) -> WorkflowStep {
    WorkflowStep {
        run: row.run,
        turn: row.turn,
        heard: row.inbox.iter().map(|message| message.id).collect(),
        tasks: Vec::new(),
        cancel: Vec::new(),
        stop: row.stop,
        paused: row.paused,
        more: false,
        end: None,
        output: None,
        limit: None,
        awaits: Vec::new(),
        settled: Vec::new(),
        over: Vec::new(),
        at: now,
    }
}

pub(super) fn write(task: u32, state: TaskState) -> TaskWrite {
    TaskWrite { task, item: None, state, generation: 0, reason: None, start: None, call: None }
}

pub(super) fn start(task: u32, name: &str) -> TaskWrite {
    let start = TaskStart {
        name: name.to_owned(),
        line: "default".into(),
        priority: 5,
        input: Some(format!(r#"{{"task":"{name}"}}"#)),
        expires_at: None,
    };
    TaskWrite { start: Some(start), ..write(task, TaskState::Running) }
}

pub(super) async fn stepped(kit: &Kit, step: WorkflowStep) -> Vec<RunId> {
    match kit.store.step_workflow(step).await.expect("step_workflow") {
        Stepped::Written(runs) => runs,
        Stepped::Stale => panic!("somebody else has taken the turn"),
    }
}

/// Starts these tasks in the next step.
pub(super) async fn start_all(kit: &Kit, run: RunId, names: &[(u32, &str)], now: Timestamp) -> Vec<RunId> {
    let tasks = names.iter().map(|(task, name)| start(*task, name)).collect();
    let step = WorkflowStep { tasks, ..step(&read(kit, run).await, now) };
    stepped(kit, step).await
}

/// What is in the inbox of a run.
pub(super) async fn inbox(kit: &Kit, run: RunId) -> Vec<MessageBody> {
    read(kit, run).await.inbox.into_iter().map(|message| message.body).collect()
}

pub(super) fn ended(child: RunId, state: RunState) -> MessageBody {
    MessageBody::Ended { child, state }
}

/// The end of the first attempt at a task.
pub(super) fn verdict(job: &Kept, claimed: &ClaimedRun, verdict: Verdict, ended_at: Timestamp) -> Completion {
    Completion { job_version: claimed.job_version, ..job.verdict(claimed.run, verdict, ended_at) }
}

pub(super) fn request(verb: TaskVerb, now: Timestamp) -> TaskRequest {
    TaskRequest { verb, task: Some(1), item: None, by: Some("Zoë".into()), reason: Some("why not".into()), at: now }
}

pub async fn workflow_run_is_begun_once(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(graph(&["a", "b"])).await;
    let (run, _) = kit.ask(&job, 1, at(1_000)).await;
    assert_eq!(kit.claim(9, at(1_000)).await, [], "nobody claims a workflow");
    assert_eq!(kit.store.route(at(1_000), 9).await.expect("route"), Routed::default(), "no worker is picked for it");
    assert_eq!(kit.store.workflow(run, 9).await.expect("workflow"), None, "it has not begun");
    let it = WorkflowDue { run, job: job.id(), job_version: job.job.version, begins: true };
    assert_eq!(due(&kit).await, [it]);
    assert_eq!(kit.store.workflows_due(ShardSet::EMPTY, 9).await.expect("due"), [], "it is of another shard");

    let events = kit.store.last_event().await.expect("last_event");
    assert!(begin(&kit, run, at(1_001)).await);
    assert!(!begin(&kit, run, at(1_002)).await, "once");
    let told = kit.store.events(events, 9).await.expect("events");
    assert_eq!(told.len(), 1);
    assert!(told[0].payload.contains("running"), "{told:?}");
    let info = kit.run(run).await;
    assert_eq!((info.state, info.attempt, info.claimed_at), (RunState::Running, 1, Some(at(1_001))));
    let row = read(&kit, run).await;
    assert_eq!((row.turn, row.stop, row.paused, row.ended), (1, None, false, None));
    assert_eq!((row.job, row.job_version, row.fire_time), (job.id(), job.job.version, at(1_000)));
    assert_eq!((row.key, row.tasks, row.inbox), (job.job.definition.key.clone(), vec![], vec![]));

    let begun = WorkflowDue { begins: false, ..it };
    assert_eq!(due(&kit).await, [begun], "its first step is owed, whoever began it");
    let more = WorkflowStep { more: true, ..step(&read(&kit, run).await, at(1_003)) };
    stepped(&kit, more).await;
    assert_eq!(due(&kit).await, [begun], "there is more to do");
    stepped(&kit, step(&read(&kit, run).await, at(1_004))).await;
    assert_eq!(due(&kit).await, [], "it waits for its tasks");
    let (later, _) = kit.ask(&job, 2, at(2_000)).await;
    kit.store.cancel_run(later, "no", None, at(2_000)).await.expect("cancel_run");
    assert!(!begin(&kit, later, at(2_000)).await, "it waits no more");
}

pub async fn step_is_written_at_its_turn_alone(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (_, run) = begun(&kit, &["a", "b"]).await;
    let row = read(&kit, run).await;
    let first = WorkflowStep { tasks: vec![start(0, "a")], ..step(&row, at(1_100)) };
    assert_eq!(stepped(&kit, first.clone()).await.len(), 1);
    let second =
        WorkflowStep { tasks: vec![start(1, "b")], end: Some((Verdict::Failed, None)), ..step(&row, at(1_101)) };
    for stale in [first, second] {
        assert_eq!(kit.store.step_workflow(stale).await.expect("step"), Stepped::Stale);
    }
    let row = read(&kit, run).await;
    assert_eq!((row.turn, row.tasks.len()), (2, 1), "nothing of it is written");
    assert_eq!(kit.claim(9, at(1_200)).await.len(), 1);
    let other = WorkflowStep { run: RunId::from_bytes([7; 16]), ..step(&row, at(1_300)) };
    assert_eq!(kit.store.step_workflow(other).await.expect("step"), Stepped::Stale, "there is no such run");
}

pub async fn task_that_starts_is_a_run_with_a_parent(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (job, run) = begun(&kit, &["a", "b"]).await;
    let input = Some(r#"{"task":"b"}"#);
    let children = start_all(&kit, run, &[(1, "b"), (0, "a[3]")], at(1_100)).await;
    let info = kit.run(children[0]).await;
    assert_eq!((info.parent, info.task.as_deref(), info.shard), (Some(run), Some("b"), None));
    assert_eq!((info.state, info.origin, info.attempt), (RunState::Queued, Origin::Parent, 0));
    assert_eq!((info.job, info.job_version), (job.id(), job.job.version), "people see the version of the workflow");
    assert_eq!((info.fire_time, info.due_at, info.created_at), (at(1_000), at(1_100), at(1_100)));
    assert_eq!((info.queue.as_str(), info.priority, info.input.as_deref()), ("default", 5, input));
    assert_eq!(kit.run(children[1]).await.task.as_deref(), Some("a[3]"));
    let rows: Vec<_> = read(&kit, run).await.tasks.iter().map(|row| (row.task, row.state, row.child)).collect();
    assert_eq!(rows, [(0, TaskState::Running, Some(children[1])), (1, TaskState::Running, Some(children[0]))]);
    let figures = kit.store.figures().await.expect("figures").runs;
    assert!(figures.iter().any(|count| (count.queue.as_str(), count.count) == ("default", 2)), "{figures:?}");

    let versions = [job.job.version, job.job.version.of_task(0), job.job.version.of_task(1)];
    let claimed = kit.claim(9, at(1_200)).await;
    let found: BTreeMap<RunId, _> = claimed.iter().map(|run| (run.run, run.job_version)).collect();
    assert_eq!(found, BTreeMap::from([(children[0], versions[2]), (children[1], versions[1])]));
    let keys = versions.map(|version| (job.id(), version));
    let mut many: BTreeMap<_, _> = kit.store.definitions(&keys).await.expect("definitions").into_iter().collect();
    for (version, priority) in versions.into_iter().zip([job.job.definition.priority, 10, 11]) {
        let one = kit.store.definition(job.id(), version).await.expect("definition");
        assert_eq!(one.priority, priority, "{version}");
        assert_eq!(many.remove(&(job.id(), version)), Some(Ok(one)));
    }
    let missing = kit.store.definition(job.id(), job.job.version.of_task(2)).await;
    assert!(matches!(missing, Err(crate::Error::NotFound { .. })), "{missing:?}");
}

pub async fn rows_of_tasks_say_what_was_written_last(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (_, run) = begun(&kit, &["a", "b"]).await;
    let child = start_all(&kit, run, &[(0, "a")], at(1_100)).await[0];
    let reason = Some("`if` is false — naïve \u{1f980}".to_owned());
    let again = TaskWrite { reason: reason.clone(), ..write(0, TaskState::Running) };
    let item = TaskWrite { item: Some(0), ..write(1, TaskState::Skipped) };
    let tasks = vec![again, item, write(1, TaskState::Running)];
    let stop = Some(Stop::Failed);
    stepped(&kit, WorkflowStep { tasks, stop, paused: true, ..step(&read(&kit, run).await, at(1_200)) }).await;
    let row = read(&kit, run).await;
    assert_eq!((row.turn, row.stop, row.paused), (3, stop, true));
    let rows: Vec<_> = row.tasks.iter().map(|row| (row.task, row.item, row.state, row.child, row.since)).collect();
    let expected = [
        (0, None, TaskState::Running, Some(child), at(1_100)),
        (1, None, TaskState::Running, None, at(1_200)),
        (1, Some(0), TaskState::Skipped, None, at(1_200)),
    ];
    assert_eq!(rows, expected, "the run stays, and the instant at which it came into its state");
    assert_eq!(row.tasks[0].reason, reason);
    let tasks = vec![TaskWrite { generation: 1, ..start(0, "a") }];
    let next = stepped(&kit, WorkflowStep { tasks, stop: None, ..step(&row, at(1_300)) }).await[0];
    let row = read(&kit, run).await;
    let task = &row.tasks[0];
    assert_eq!((task.generation, task.child, task.since, task.reason.clone()), (1, Some(next), at(1_300), None));
    assert_eq!((row.stop, row.paused), (None, true));
}

pub async fn end_of_a_task_is_left_in_the_inbox_whichever_way_it_comes(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (job, run) = begun(&kit, &["a", "b", "c", "d", "e", "f", "g"]).await;
    let names: Vec<(u32, &str)> = (0..).zip(["a", "b", "c", "d", "e"]).collect();
    let children = start_all(&kit, run, &names, at(1_100)).await;
    let claimed = kit.claim(9, at(1_200)).await;
    let of = |child: usize| claimed.iter().find(|run| run.run == children[child]).expect("all are claimed");
    assert_eq!(due(&kit).await, [], "nothing has happened yet");

    let verdicts = [Verdict::Succeeded, Verdict::Failed, Verdict::Skipped];
    let ends = verdicts.into_iter().enumerate().map(|(child, it)| verdict(&job, of(child), it, at(1_300)));
    kit.complete(at(1_300), ends.collect()).await;
    let states = [RunState::Succeeded, RunState::Failed, RunState::Skipped];
    let mut told: Vec<MessageBody> = states.into_iter().zip(&children).map(|(it, child)| ended(*child, it)).collect();
    assert_eq!(inbox(&kit, run).await, told, "ends of attempts, a veto among them");
    assert_eq!(due(&kit).await.len(), 1);

    kit.store.cancel_run(children[3], "enough", None, at(1_400)).await.expect("cancel_run");
    let again = Completion {
        then: AfterAttempt::RetryAt(at(1_500)),
        outcome: AttemptOutcome::Failed,
        ..verdict(&job, of(4), Verdict::Failed, at(1_400))
    };
    let asked = Completion { run: children[3], ..again.clone() };
    kit.complete(at(1_400), vec![again, asked]).await;
    told.push(ended(children[3], RunState::Cancelled));
    assert_eq!(inbox(&kit, run).await, told, "one whose end was asked for; none that is tried again");

    kit.store.cancel_run(children[4], "enough", None, at(1_450)).await.expect("cancel_run");
    told.push(ended(children[4], RunState::Cancelled));
    assert_eq!(inbox(&kit, run).await, told, "one that waits is cancelled at once");

    let mut late = start(5, "f");
    late.start.as_mut().expect("it starts").expires_at = Some(at(2_000));
    let row = read(&kit, run).await;
    let heard = row.inbox.iter().take(4).map(|message| message.id).collect();
    let late = WorkflowStep { tasks: vec![late], heard, ..step(&row, at(1_600)) };
    let late = stepped(&kit, late).await[0];
    assert_eq!(inbox(&kit, run).await, told[4..], "what was heard is gone");
    kit.store.release_due(at(2_000), 9).await.expect("release_due");
    told.push(ended(late, RunState::Skipped));
    assert_eq!(inbox(&kit, run).await, told[4..], "it waited for too long");

    let last = start_all(&kit, run, &[(6, "g")], at(2_100)).await[0];
    assert_eq!(inbox(&kit, run).await, []);
    kit.store.delete_job(&job.job.definition.key, Expect::Anything, Vec::new(), at(2_200)).await.expect("delete_job");
    let cancel = TaskRequest::cancel("job deleted", at(2_200));
    assert_eq!(inbox(&kit, run).await, [MessageBody::Asked(cancel), ended(last, RunState::Cancelled)]);
    assert_eq!(kit.run(run).await.state, RunState::Running, "it ends as every workflow does");
}

/// The race of two upstreams that end at the same time: each sees the other unfinished, and their child never starts.
pub async fn ends_at_the_same_time_are_both_heard_and_the_child_starts_once(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (job, run) = begun(&kit, &["a", "b", "c"]).await;
    let worker = Kit::restarted(kit.store.clone(), kit.incarnation).await;
    for round in 0..8_u32 {
        let now = at(2_000 + i64::from(round) * 100);
        let both = vec![
            TaskWrite { generation: round, ..start(0, "a") },
            TaskWrite { generation: round, ..start(1, "b") },
            TaskWrite { generation: round, ..write(2, TaskState::Waiting) },
        ];
        let children = stepped(&kit, WorkflowStep { tasks: both, ..step(&read(&kit, run).await, now) }).await;
        let claimed = kit.claim(9, now).await;
        let end = |claimed: &ClaimedRun| {
            let entries = vec![verdict(&job, claimed, Verdict::Succeeded, now)];
            kit.store.complete(Arc::new(CompletionBatch { id: kit.batch_id(), at: now, entries }))
        };
        let (one, other) = tokio::join!(end(&claimed[0]), end(&claimed[1]));
        assert!(one.expect("complete").refused.is_empty() && other.expect("complete").refused.is_empty());
        let row = read(&kit, run).await;
        let mut heard: Vec<_> = row.inbox.iter().map(|message| message.body.clone()).collect();
        heard.sort_by_key(|body| matches!(body, MessageBody::Ended { child, .. } if *child == children[1]));
        assert_eq!(heard, [0, 1].map(|child| ended(children[child], RunState::Succeeded)), "round {round}");

        // Two nodes hear of it, and both want to start the child.
        let child = || WorkflowStep {
            tasks: vec![
                TaskWrite { generation: round, ..write(0, TaskState::Succeeded) },
                TaskWrite { generation: round, ..write(1, TaskState::Succeeded) },
                TaskWrite { generation: round, ..start(2, "c") },
            ],
            ..step(&row, now)
        };
        let (one, other) = tokio::join!(kit.store.step_workflow(child()), worker.store.step_workflow(child()));
        let written = [one.expect("step"), other.expect("step")];
        let written: Vec<_> = written.iter().filter(|stepped| **stepped != Stepped::Stale).collect();
        assert_eq!(written.len(), 1, "round {round}");
        let claimed = kit.claim(9, now).await;
        assert_eq!(claimed.len(), 1, "round {round}");
        let end = vec![verdict(&job, &claimed[0], Verdict::Succeeded, now)];
        kit.store.complete(Arc::new(CompletionBatch { id: kit.batch_id(), at: now, entries: end })).await.expect("end");
    }
}

pub async fn cancel_of_a_begun_workflow_is_left_in_its_inbox(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (_, run) = begun(&kit, &["a"]).await;
    stepped(&kit, step(&read(&kit, run).await, at(1_000))).await;
    kit.changed_triggers().await;
    let cancel = || kit.store.cancel_run(run, "cancelled by Zoë", None, at(1_100));
    assert_eq!(cancel().await.expect("cancel_run"), Cancelled::Requested);
    assert_eq!(cancel().await.expect("cancel_run"), Cancelled::Requested);
    let asked = TaskRequest::cancel("cancelled by Zoë", at(1_100));
    assert_eq!(inbox(&kit, run).await, [MessageBody::Asked(asked)], "the first request stays");
    let changes = kit.store.take_changes(kit.incarnation, ShardSet::ALL, 9).await.expect("take_changes");
    assert_eq!(changes.cancels, [], "nobody executes it");
    assert_eq!(due(&kit).await.len(), 1);
    let info = kit.run(run).await;
    assert_eq!((info.state, info.cancel_requested_at), (RunState::Running, Some(at(1_100))));
    let end = Some((Verdict::Cancelled, None));
    stepped(&kit, WorkflowStep { end, stop: Some(Stop::Cancelled), ..step(&read(&kit, run).await, at(1_200)) }).await;
    let info = kit.run(run).await;
    assert_eq!((info.state, info.reason.as_deref()), (RunState::Cancelled, Some("cancelled by Zoë")));
    assert_eq!(cancel().await.expect("cancel_run"), Cancelled::AlreadyFinal(RunState::Cancelled));
}

pub async fn newer_run_replaces_a_begun_workflow_by_request(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(graph(&["a"]).limit(Overlap::CancelRunning, 1)).await;
    let (first, _) = kit.ask(&job, 1, at(1_000)).await;
    assert!(begin(&kit, first, at(1_000)).await);
    start_all(&kit, first, &[(0, "a")], at(1_000)).await;
    let (second, _) = kit.ask(&job, 2, at(1_100)).await;
    assert_eq!(kit.run(second).await.state, RunState::Held);
    let inbox = inbox(&kit, first).await;
    assert!(matches!(&inbox[..], [MessageBody::Asked(asked)] if asked.verb == TaskVerb::Cancel), "{inbox:?}");
    let end = Some((Verdict::Cancelled, None));
    stepped(&kit, WorkflowStep { end, ..step(&read(&kit, first).await, at(1_200)) }).await;
    assert_eq!(kit.run(second).await.state, RunState::Queued);
}

pub async fn begun_workflow_is_held_by_nobody(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (job, run) = begun(&kit, &["a", "b"]).await;
    let child = start_all(&kit, run, &[(0, "a"), (1, "b")], at(1_000)).await;
    assert_eq!(kit.claim(1, at(1_000)).await.len(), 1);
    assert_eq!(kit.store.held(kit.incarnation).await.expect("held").len(), 1);
    let again = Incarnation(77);
    let adopted = kit.store.adopt(again, at(1_100)).await.expect("adopt");
    assert_eq!(adopted.len(), 1, "{adopted:?}");
    assert!(child.contains(&adopted[0].claimed.run), "a task is adopted, its workflow is not");
    let row = read(&kit, run).await;
    assert_eq!((row.turn, row.ended, row.tasks.len()), (2, None, 2), "it goes on where it was");
    let id = BatchId { incarnation: again, sequence: 1 };
    let entries = vec![job.verdict(run, Verdict::Succeeded, at(1_200))];
    let ended = kit.store.complete(Arc::new(CompletionBatch { id, at: at(1_200), entries })).await.expect("complete");
    assert_eq!(ended.refused, [0], "no verdict ends it");
    kit.store
        .set_queue("default", QueueRule { max_running: Some(2), ..QueueRule::default() }, 0, at(1_200))
        .await
        .expect("set");
    assert_eq!(kit.store.counted("default").await.expect("counted"), 1, "it takes no place of a queue");
}

pub async fn end_of_a_workflow_frees_its_slot(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(graph(&["a", "b"]).limit(Overlap::QueueAll, 1).trigger("t", at(9_000))).await;
    let (run, _) = kit.ask(&job, 1, at(1_000)).await;
    let (next, _) = kit.ask(&job, 2, at(1_000)).await;
    assert!(begin(&kit, run, at(1_000)).await);
    let children = start_all(&kit, run, &[(0, "a"), (1, "b")], at(1_000)).await;
    for child in &children {
        kit.store.cancel_run(*child, "no", None, at(1_100)).await.expect("cancel_run");
    }
    assert_eq!(kit.run(next).await.state, RunState::Held, "tasks hold no slot");
    let reason = Some("tasks 0 (cancelled), 1 (cancelled)".to_owned());
    let events = kit.store.last_event().await.expect("last_event");
    kit.changed_triggers().await;
    let end = Some((Verdict::Failed, reason.clone()));
    stepped(&kit, WorkflowStep { end, ..step(&read(&kit, run).await, at(1_200)) }).await;
    let told = kit.store.events(events, 9).await.expect("events");
    assert!(told.len() == 1 && told[0].payload.contains("failed") && told[0].payload.contains("queued"), "{told:?}");
    let info = kit.run(run).await;
    assert_eq!((info.state, info.reason, info.ended_at), (RunState::Failed, reason, Some(at(1_200))));
    assert_eq!((info.started_at, info.attempt), (Some(at(1_000)), 1));
    assert_eq!(kit.run(next).await.state, RunState::Queued, "its slot goes to the next");
    let row = read(&kit, run).await;
    assert_eq!((row.turn, row.ended, row.inbox.len(), row.tasks.len()), (0, Some(RunState::Failed), 0, 2));
    assert_eq!(due(&kit).await.iter().map(|due| (due.run, due.begins)).collect::<Vec<_>>(), [(next, true)]);
    assert_eq!(kit.store.step_workflow(step(&row, at(1_300))).await.expect("step"), Stepped::Stale, "final is final");
    assert!(!kit.store.ask_workflow(run, request(TaskVerb::Skip, at(1_300))).await.expect("ask"));

    assert!(begin(&kit, next, at(1_300)).await);
    let end = Some((Verdict::Succeeded, None));
    stepped(&kit, WorkflowStep { end, ..step(&read(&kit, next).await, at(1_400)) }).await;
    assert_eq!(kit.changed_triggers().await, [job.row(0).id], "blocked triggers can go on");
}

pub async fn trigger_that_awaited_a_workflow_is_noted(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(graph(&["a"]).trigger("t", at(1_000))).await;
    let (run, trigger) = (job.next_run(0), job.row(0).id);
    kit.fire(at(1_000), vec![job.awaiting_entry(0)]).await;
    assert!(begin(&kit, run, at(1_000)).await);
    kit.changed_triggers().await;
    let end = Some((Verdict::Succeeded, None));
    stepped(&kit, WorkflowStep { end, ..step(&read(&kit, run).await, at(1_100)) }).await;
    assert_eq!(kit.changed_triggers().await, [trigger]);
    let rearm = Rearm { trigger, next_fire_at: Some(at(6_000)), due_at: Some(at(6_000)), tzdata: None };
    assert!(kit.store.rearm(run, rearm).await.expect("rearm"));
    assert_eq!(kit.again(&job).await.row(0).progress.next_fire_at, Some(at(6_000)));
}

pub async fn requests_to_a_workflow_are_heard_in_order(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (_, run) = begun(&kit, &["a", "b"]).await;
    let child = start_all(&kit, run, &[(0, "a")], at(1_000)).await[0];
    let ask = |run, verb| kit.store.ask_workflow(run, request(verb, at(1_100)));
    assert!(ask(run, TaskVerb::Pause).await.expect("ask"));
    kit.store.cancel_run(child, "no", None, at(1_100)).await.expect("cancel_run");
    assert!(ask(run, TaskVerb::Approve).await.expect("ask"));
    assert!(!ask(child, TaskVerb::Skip).await.expect("ask"), "it is no workflow");
    let asked = |verb| MessageBody::Asked(request(verb, at(1_100)));
    let all = [asked(TaskVerb::Pause), ended(child, RunState::Cancelled), asked(TaskVerb::Approve)];
    assert_eq!(inbox(&kit, run).await, all);
    let some = kit.store.workflow(run, 2).await.expect("workflow").expect("it is there");
    assert_eq!(some.inbox.len(), 2, "as many as were asked for");
    stepped(&kit, step(&some, at(1_200))).await;
    assert_eq!(inbox(&kit, run).await, all[2..]);
    assert_eq!(due(&kit).await.len(), 1, "there is more to hear");
}

pub async fn step_ends_runs_of_tasks(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (job, run) = begun(&kit, &["a", "b", "c"]).await;
    let children = start_all(&kit, run, &[(0, "a"), (1, "b"), (2, "c")], at(1_000)).await;
    let claimed = kit.claim(2, at(1_000)).await;
    let (runs, over) = (claimed[0].run, claimed[1].run);
    kit.complete(at(1_050), vec![verdict(&job, &claimed[1], Verdict::Succeeded, at(1_050))]).await;
    let waits = *children.iter().find(|child| ![runs, over].contains(child)).expect("one is left");
    let cancel = [waits, over, runs, waits].map(|run| (run, "another failed".to_owned())).to_vec();
    let stop = Some(Stop::Failed);
    stepped(&kit, WorkflowStep { cancel, stop, ..step(&read(&kit, run).await, at(1_100)) }).await;
    assert_eq!(inbox(&kit, run).await, [ended(waits, RunState::Cancelled)], "its end comes as every other");
    let states = kit.states(&[runs, over, waits]).await;
    assert_eq!(states, [RunState::Running, RunState::Succeeded, RunState::Cancelled].map(Some));
    assert_eq!(kit.run(waits).await.reason.as_deref(), Some("another failed"));
    let changes = kit.store.take_changes(kit.incarnation, ShardSet::ALL, 9).await.expect("take_changes");
    assert_eq!(changes.cancels, [runs]);
    kit.complete(at(1_200), vec![verdict(&job, &claimed[0], Verdict::Cancelled, at(1_200))]).await;
    assert_eq!(inbox(&kit, run).await[1..], [ended(runs, RunState::Cancelled)]);
}

fn ids(runs: &[RunInfo]) -> Vec<RunId> {
    runs.iter().map(|run| run.id).collect()
}

pub async fn lists_leave_tasks_out_unless_they_are_asked_for(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (job, run) = begun(&kit, &["a", "b"]).await;
    let plain = kit.save(Draft::new("plain")).await;
    let (other, _) = kit.ask(&plain, 1, at(500)).await;
    let mut children = start_all(&kit, run, &[(0, "a"), (1, "b")], at(1_000)).await;
    let claimed = kit.claim(3, at(1_000)).await;
    let first = claimed.iter().find(|claimed| claimed.run == children[0]).expect("claimed");
    kit.complete(at(1_100), vec![verdict(&job, first, Verdict::Succeeded, at(1_100))]).await;
    let list = async |query: RunQuery| ids(&kit.store.runs(RunQuery { limit: 9, ..query }).await.expect("runs"));
    assert_eq!(list(RunQuery::default()).await, [run, other]);
    let of_job = RunQuery { job: Some(job.id()), ..RunQuery::default() };
    assert_eq!(list(of_job.clone()).await, [run]);
    children.sort_unstable_by(|a, b| b.cmp(a));
    let of_run = RunQuery { parent: Some(run), ..RunQuery::default() };
    assert_eq!(list(of_run.clone()).await, children, "live and final ones");
    let states = vec![RunState::Succeeded];
    assert_eq!(list(RunQuery { states, ..of_run.clone() }).await, [first.run]);
    assert_eq!(list(RunQuery { before: Some(children[0]), ..of_run }).await, children[1..]);
    assert_eq!(list(RunQuery { parent: Some(other), ..RunQuery::default() }).await, []);
    let mut all = [&children[..], &[run]].concat();
    all.sort_unstable_by(|a, b| b.cmp(a));
    assert_eq!(list(RunQuery { with_tasks: true, ..of_job }).await, all);
    let digests = kit.store.job_digests(vec![job.id()], 9).await.expect("job_digests");
    assert_eq!((digests[0].active, digests[0].recent.len()), (1, 1), "tasks count with their run");
    let longest = kit.store.longest_running(9).await.expect("longest_running");
    assert_eq!(longest.iter().map(|(_, run)| run.id).collect::<Vec<_>>(), [other, run]);
}

pub async fn tasks_go_with_their_run(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (job, run) = begun(&kit, &["a", "b"]).await;
    let children = start_all(&kit, run, &[(0, "a"), (1, "b")], at(1_000)).await;
    let claimed = kit.claim(9, at(1_000)).await;
    let ends = claimed.iter().map(|claimed| verdict(&job, claimed, Verdict::Succeeded, at(1_100))).collect();
    kit.complete(at(1_100), ends).await;
    let line = LogChunk { run: children[0], attempt: 1, first_line: 0, line_count: 1, data: vec![7] };
    kit.store.append_log(vec![line]).await.expect("append_log");
    let day = 86_400_000;
    let rule = |before: i64, keep: Option<u32>, limit: u32| PurgeRule {
        at: at(before),
        history_before: at(before),
        history_keep_per_job: keep,
        events_before: at(0),
        tombstones_before: at(0),
        limit,
    };
    kit.store.purge(rule(10 * day, Some(0), 100)).await.expect("purge");
    assert!(kit.states(&children).await.iter().all(Option::is_some), "their run goes on");
    let end = Some((Verdict::Succeeded, None));
    stepped(&kit, WorkflowStep { end, ..step(&read(&kit, run).await, at(2_000)) }).await;
    kit.store.purge(rule(1_500, None, 100)).await.expect("purge");
    assert!(kit.states(&children).await.iter().all(Option::is_some), "their run is not as old");
    let (newer, _) = kit.ask(&job, 2, at(3_000)).await;
    assert!(begin(&kit, newer, at(3_000)).await);
    let end = Some((Verdict::Succeeded, None));
    stepped(&kit, WorkflowStep { end, ..step(&read(&kit, newer).await, at(3_000)) }).await;
    let mut went = 0;
    for _ in 0..3 {
        went += kit.store.purge(rule(0, Some(1), 2)).await.expect("purge");
    }
    assert_eq!(went, 3, "tasks are not counted among the newest, and go with theirs");
    assert_eq!(kit.states(&[children[0], children[1], run]).await, [None; 3]);
    assert_eq!(kit.states(&[newer]).await, [Some(RunState::Succeeded)]);
    assert_eq!(kit.store.workflow(run, 9).await.expect("workflow"), None);
    assert_eq!(kit.store.log(children[0], 1, 0, 9).await.expect("log"), []);
}

pub async fn thousands_of_tasks_start_in_one_step(store: Arc<dyn Store>) {
    const COUNT: u32 = 5_000;
    let mut kit = Kit::new(store).await;
    let (job, run) = begun(&kit, &["a"]).await;
    let item = |item: u32| TaskWrite { item: Some(item), ..start(0, &format!("a[{item}]")) };
    let whole = write(0, TaskState::Running);
    let tasks = std::iter::once(whole).chain((0..COUNT).map(item)).collect();
    let children = stepped(&kit, WorkflowStep { tasks, ..step(&read(&kit, run).await, at(1_000)) }).await;
    assert_eq!(children.len(), COUNT as usize);
    let rows = read(&kit, run).await.tasks;
    assert!(rows[0].item.is_none() && rows[1..].iter().map(|row| row.item).eq((0..COUNT).map(Some)), "in order");
    assert!(rows[1..].iter().map(|row| row.child).eq(children.iter().copied().map(Some)), "each has its own");
    let claimed = kit.claim(COUNT, at(1_100)).await;
    assert_eq!(claimed.len(), children.len());
    let ends = claimed.iter().map(|claimed| verdict(&job, claimed, Verdict::Succeeded, at(1_200))).collect();
    assert!(kit.complete(at(1_200), ends).await.refused.is_empty());
    let row = kit.store.workflow(run, u32::MAX).await.expect("workflow").expect("it is there");
    assert_eq!(row.inbox.len(), children.len());
    let tasks = (0..COUNT).map(|item| TaskWrite { item: Some(item), ..write(0, TaskState::Succeeded) }).collect();
    let end = Some((Verdict::Succeeded, None));
    stepped(&kit, WorkflowStep { tasks, end, ..step(&row, at(1_300)) }).await;
    let row = read(&kit, run).await;
    assert!(row.tasks[1..].iter().all(|row| row.state == TaskState::Succeeded && row.child.is_some()));
}

pub async fn task_that_waits_for_nothing_is_counted(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (job, run) = begun(&kit, &["a", "b"]).await;
    start_all(&kit, run, &[(0, "a"), (1, "b")], at(1_000)).await;
    let claimed = kit.claim(1, at(1_000)).await;
    kit.complete(at(1_100), vec![verdict(&job, &claimed[0], Verdict::Succeeded, at(1_100))]).await;
    let stuck = async || {
        let warnings = kit.store.warnings().await.expect("warnings");
        warnings.into_iter().filter(|warning| warning.code == "workflow.stuck").collect::<Vec<_>>()
    };
    assert_eq!(stuck().await, [], "one has its end in the inbox, one is queued");
    stepped(&kit, step(&read(&kit, run).await, at(1_200))).await;
    let warned = stuck().await;
    assert!(
        warned.len() == 1 && warned[0].message.starts_with("1 "),
        "an end was heard and nothing came of it: {warned:?}"
    );
    let late = step(&read(&kit, run).await, at(1_250));
    assert_eq!(kit.store.repair_workflows(0).await.expect("repair_workflows"), 0, "as many as are asked for");
    assert_eq!(kit.store.repair_workflows(9).await.expect("repair_workflows"), 1);
    assert_eq!(inbox(&kit, run).await, [ended(claimed[0].run, RunState::Succeeded)]);
    assert_eq!(due(&kit).await.iter().map(|due| (due.run, due.begins)).collect::<Vec<_>>(), [(run, false)]);
    assert_eq!(stuck().await, [], "it will be heard");
    assert_eq!(kit.store.repair_workflows(9).await.expect("repair_workflows"), 0, "nothing is broken any more");
    assert_eq!(kit.store.step_workflow(late).await.expect("step_workflow"), Stepped::Stale, "it is to be read again");
    let tasks = vec![write(0, TaskState::Succeeded)];
    stepped(&kit, WorkflowStep { tasks, ..step(&read(&kit, run).await, at(1_270)) }).await;
    assert_eq!(kit.store.repair_workflows(9).await.expect("repair_workflows"), 0, "the other one is queued");
    let end = Some((Verdict::Failed, None));
    stepped(&kit, WorkflowStep { end, ..step(&read(&kit, run).await, at(1_300)) }).await;
    assert_eq!(stuck().await, [], "it is over");
}

pub async fn run_with_the_id_of_a_task_is_in_the_way_of_nobody(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (job, run) = begun(&kit, &["a", "b", "c"]).await;
    let intruder = AskedRun { id: run.shard(job.id(), 1), ..asked(&job, 9, at(1_000)) };
    kit.store.ask_run(intruder).await.expect("ask_run");
    let children = start_all(&kit, run, &[(0, "a"), (1, "b")], at(1_000)).await;
    assert_eq!(children, [0, 2].map(|index| run.shard(job.id(), index)));
    let more = start_all(&kit, run, &[(2, "c")], at(1_000)).await;
    assert_eq!(more, [run.shard(job.id(), 3)]);
}

pub async fn end_of_a_workflow_that_is_a_task_is_told_to_its_own(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (_, outer) = begun(&kit, &["a"]).await;
    let mut inner = start(0, "a");
    inner.start.as_mut().expect("it starts").line = mainspring_core::line::WORKFLOW_LINE.into();
    let tasks = vec![inner];
    let inner = stepped(&kit, WorkflowStep { tasks, ..step(&read(&kit, outer).await, at(1_000)) }).await[0];
    assert_eq!(due(&kit).await.iter().map(|due| (due.run, due.begins)).collect::<Vec<_>>(), [(inner, true)]);
    assert!(begin(&kit, inner, at(1_100)).await);
    let end = Some((Verdict::Succeeded, None));
    stepped(&kit, WorkflowStep { end, ..step(&read(&kit, inner).await, at(1_200)) }).await;
    assert_eq!(inbox(&kit, outer).await, [ended(inner, RunState::Succeeded)]);
    assert_eq!(due(&kit).await.iter().map(|due| (due.run, due.begins)).collect::<Vec<_>>(), [(outer, false)]);
}

/// Claims for a queue that is named leave workflows alone, too.
pub async fn queue_that_is_named_like_the_line_of_workflows_has_none(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(graph(&["a"])).await;
    kit.ask(&job, 1, at(1_000)).await;
    let queues = Queues::named(["workflow"]);
    assert_eq!(kit.store.claim(kit.batch_id(), &queues, 9, at(1_000)).await.expect("claim"), []);
}
