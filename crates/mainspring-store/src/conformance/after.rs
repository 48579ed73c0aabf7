//! Triggers that fire when a run of another job ends: what ends leave, and what is made of it.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::after::AfterOn;
use mainspring_core::batch::{GapOutcome, GapReason, TriggerStatus};
use mainspring_core::cluster::ShardSet;
use mainspring_core::job::{JobKey, Overlap, ScheduleDefinition, TriggerDefinition};
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::{AttemptOutcome, Origin, RunState, Verdict};
use mainspring_core::workflow::TaskState;
use mainspring_core::{RunId, Timestamp};

use super::kit::{Draft, Kept, Kit, asked, at};
use super::routing::{NORTH, SOUTH, broadcast, end_of};
use super::workflows::{begun, read, step, stepped, write};
use crate::{
    AfterDue, AfterEdge, AfterFire, AfterFired, AskedRun, CalledBy, Caller, Expect, Store, TaskWrite, WorkflowStep,
};

/// A job that comes after others of its namespace, by one trigger.
fn after(name: &str, upstreams: &[&str], on: AfterOn) -> Draft {
    let jobs = upstreams.iter().map(|name| (*name).to_owned()).collect();
    let trigger = TriggerDefinition::new("after", ScheduleDefinition::After { jobs, on });
    let draft = Draft::new(name).trigger_with(trigger, None);
    draft.with(|write| write.triggers[0].progress.status = TriggerStatus::Complete)
}

async fn due(kit: &Kit) -> Vec<AfterDue> {
    let found = kit.store.afters_due(ShardSet::ALL, 0, 100).await.expect("afters_due");
    assert!(found.used || found.due.is_empty());
    found.due
}

/// The runs whose ends owe something, with the trigger's job.
async fn owed(kit: &Kit) -> Vec<RunId> {
    due(kit).await.iter().map(|due| due.cause).collect()
}

async fn fire(kit: &Kit, due: &[AfterDue], now: Timestamp) -> Vec<AfterFired> {
    let fires = due.iter().map(|due| AfterFire { due: *due, line: "default".into() }).collect();
    kit.store.fire_afters(fires, now).await.expect("fire_afters")
}

async fn fire_all(kit: &Kit, now: Timestamp) -> Vec<AfterFired> {
    fire(kit, &due(kit).await, now).await
}

/// Ends a run of a job that was asked for, in this way.
async fn end_one(kit: &mut Kit, job: &Kept, number: u64, verdict: Verdict) -> RunId {
    let (run, _) = kit.ask(job, number, at(1_000)).await;
    let claimed = kit.claim(9, at(1_100)).await;
    assert!(claimed.iter().any(|claimed| claimed.run == run));
    kit.complete(at(1_500), vec![job.verdict(run, verdict, at(1_500))]).await;
    run
}

pub async fn run_follows_the_end_of_another_one(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let first = kit.save(Draft::new("a")).await;
    let draft = after("b", &["a"], AfterOn::Succeeded).edit(|job| {
        (job.start_timeout_ms, job.priority) = (Some(700), 7);
        job.triggers[0].input = serde_json::json!({"x": 1});
    });
    let second = kit.save(draft).await;
    let cause = end_one(&mut kit, &first, 1, Verdict::Succeeded).await;
    let owes = due(&kit).await;
    let job = Some((second.id(), second.job.version));
    let trigger = second.row(0).id;
    let expected = AfterDue { id: owes[0].id, trigger, cause, fire_time: at(1_000), ended_at: at(1_500), job };
    assert_eq!(owes, [expected]);
    let fired = fire(&kit, &owes, at(1_600)).await;
    let id = RunId::after(at(1_000), second.id(), trigger, cause, 0);
    assert_eq!(fired, [AfterFired::Made(id, RunState::Queued)]);
    assert_eq!(due(&kit).await, []);
    assert_eq!(fire(&kit, &owes, at(1_700)).await, [AfterFired::Gone], "whoever asks again is late");
    let run = kit.run(id).await;
    assert_eq!((run.origin, run.cause, run.rerun_of, run.parent), (Origin::After, Some(cause), None, None));
    assert_eq!((run.trigger, run.trigger_name.as_deref()), (Some(trigger), Some("after")));
    assert_eq!((run.fire_time, run.due_at, run.created_at), (at(1_000), at(1_500), at(1_600)));
    assert_eq!((run.priority, run.expires_at), (7, Some(at(2_300))));
    assert_eq!(run.input.as_deref(), Some(r#"{"x":1}"#));
    kit.claim(9, at(1_800)).await;
    kit.complete(at(1_900), vec![second.verdict(id, Verdict::Succeeded, at(1_900))]).await;
    let over = kit.run(id).await;
    assert_eq!((over.state, over.origin, over.cause), (RunState::Succeeded, Origin::After, Some(cause)));
    let digests = kit.store.job_digests(vec![second.id()], 5).await.expect("job_digests");
    assert_eq!(digests[0].recent[0].origin, Origin::After);
    let tally = kit.store.tally().await.expect("tally");
    assert!(tally.iter().all(|tally| tally.trigger != trigger), "it has no instants of its own: {tally:?}");
}

pub async fn end_of_a_run_leaves_a_fire_whichever_way_it_comes(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let first = kit.save(Draft::new("a").edit(|job| job.start_timeout_ms = Some(60_000))).await;
    kit.save(after("b", &["a"], AfterOn::Any)).await;
    let mut causes = Vec::new();
    for (number, verdict) in (1..).zip([Verdict::Succeeded, Verdict::Failed, Verdict::Cancelled, Verdict::Skipped]) {
        causes.push(end_one(&mut kit, &first, number, verdict).await);
    }
    assert_eq!(owed(&kit).await, causes, "verdicts, a veto among them");
    let (cancelled, _) = kit.ask(&first, 11, at(2_000)).await;
    kit.store.cancel_run(cancelled, "enough", None, at(2_000)).await.expect("cancel_run");
    causes.push(cancelled);
    assert_eq!(owed(&kit).await, causes, "one that waited is cancelled at once");
    let (again, _) = kit.ask(&first, 12, at(2_100)).await;
    kit.claim(9, at(2_100)).await;
    let retry = AfterAttempt::RetryAt(at(2_200));
    let failed = first.completion(again, 1, AttemptOutcome::Failed, retry, at(2_150));
    kit.complete(at(2_150), vec![failed]).await;
    assert_eq!(owed(&kit).await, causes, "it is tried again");
    kit.store.release_due(at(2_200), 9).await.expect("release_due");
    kit.claim(9, at(2_200)).await;
    let lost = first.completion(again, 2, AttemptOutcome::Lost, AfterAttempt::Final(Verdict::Failed), at(2_300));
    kit.complete(at(2_300), vec![lost]).await;
    causes.push(again);
    assert_eq!(owed(&kit).await, causes, "its worker is gone");
    let (late, _) = kit.ask(&first, 13, at(3_000)).await;
    kit.store.release_due(at(63_000), 9).await.expect("release_due");
    causes.push(late);
    assert_eq!(owed(&kit).await, causes, "it waited for too long");
    let (left, _) = kit.ask(&first, 14, at(64_000)).await;
    let (goes_on, _) = kit.ask(&first, 15, at(64_001)).await;
    let claimed = kit.claim(1, at(64_002)).await[0].run;
    let (left, goes_on) = if claimed == left { (goes_on, left) } else { (left, goes_on) };
    kit.store.delete_job(&first.job.definition.key, Expect::Anything, Vec::new(), at(65_000)).await.expect("delete");
    causes.push(left);
    assert_eq!(owed(&kit).await, causes, "its job is deleted");
    kit.complete(at(66_000), vec![first.verdict(goes_on, Verdict::Succeeded, at(66_000))]).await;
    causes.push(goes_on);
    assert_eq!(owed(&kit).await, causes, "it goes on after its job is deleted");
    assert_eq!(fire_all(&kit, at(67_000)).await.len(), causes.len());
}

pub async fn ends_count_as_the_trigger_says(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let first = kit.save(Draft::new("a")).await;
    for on in [AfterOn::Failed, AfterOn::Succeeded, AfterOn::Any] {
        kit.save(after(on.as_str(), &["a", "other"], on)).await;
    }
    let trigger_of = |edges: &[AfterEdge], on: AfterOn| edges.iter().filter(|edge| edge.on == on).count();
    let edges = kit.store.after_edges("default").await.expect("after_edges");
    let edge = |upstream: &str, on: AfterOn| AfterEdge {
        upstream: upstream.into(),
        job: on.as_str().into(),
        trigger: "after".into(),
        on,
    };
    let of = |upstream| [AfterOn::Any, AfterOn::Failed, AfterOn::Succeeded].map(|on| edge(upstream, on));
    assert_eq!(edges, [of("a"), of("other")].concat());
    assert_eq!(trigger_of(&edges, AfterOn::Any), 2);
    assert_eq!(kit.store.after_edges("elsewhere").await.expect("after_edges"), []);
    let one = end_one(&mut kit, &first, 1, Verdict::Failed).await;
    assert_eq!(owed(&kit).await, [one, one]);
    fire_all(&kit, at(1_600)).await;
    let two = end_one(&mut kit, &first, 2, Verdict::Succeeded).await;
    assert_eq!(owed(&kit).await, [two, two]);
}

pub async fn parts_of_runs_and_backfills_start_nothing(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    kit.save(after("b", &["a", "graph"], AfterOn::Any)).await;
    let (first, run, shards) = broadcast(&mut kit).await;
    let entries = [(shards[0], NORTH, "north"), (shards[1], SOUTH, "south")];
    for (shard, by, name) in entries {
        super::routing::claim(&kit, by, name).await;
        kit.complete(at(3_000), vec![end_of(&first, shard, by, Verdict::Succeeded)]).await;
        assert_eq!(owed(&kit).await, []);
    }
    super::routing::route(&kit, 9, at(3_100)).await;
    assert_eq!(owed(&kit).await, [run], "the whole ends once");
    fire_all(&kit, at(3_200)).await;
    let (graph, workflow) = begun(&kit, &["t"]).await;
    let child = super::workflows::start_all(&kit, workflow, &[(0, "t")], at(4_000)).await[0];
    let claimed = kit.claim(9, at(4_100)).await.into_iter().find(|claimed| claimed.run == child).expect("it waits");
    kit.complete(at(4_200), vec![super::workflows::verdict(&graph, &claimed, Verdict::Succeeded, at(4_200))]).await;
    assert_eq!(owed(&kit).await, [], "a task");
    let row = super::workflows::read(&kit, workflow).await;
    let end = Some((Verdict::Succeeded, None));
    super::workflows::stepped(&kit, WorkflowStep { end, ..super::workflows::step(&row, at(4_300)) }).await;
    assert_eq!(owed(&kit).await, [workflow]);
    fire_all(&kit, at(4_400)).await;
    let plain = kit.save(Draft::new("a2")).await;
    kit.save(after("b2", &["a2"], AfterOn::Any)).await;
    let backfill = AskedRun { origin: Origin::Backfill, ..asked(&plain, 3, at(5_000)) };
    let id = backfill.id;
    kit.store.ask_run(backfill).await.expect("ask_run");
    kit.store.cancel_run(id, "enough", None, at(5_100)).await.expect("cancel_run");
    assert_eq!(owed(&kit).await, []);
}

pub async fn what_tasks_start_below_a_backfill_starts_nothing_more(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let (graph, outer) = begun(&kit, &["t", "u"]).await;
    let other = kit.save(Draft::new("other")).await;
    kit.save(after("b", &["other"], AfterOn::Any)).await;
    let mut ended = Vec::new();
    for (task, name, backfilled) in [(0, "t", true), (1, "u", false)] {
        let id = outer.called(graph.id(), name, 0);
        let calls = TaskWrite { call: Some(id), ..write(task, TaskState::Running) };
        stepped(&kit, WorkflowStep { tasks: vec![calls], ..step(&read(&kit, outer).await, at(1_000)) }).await;
        let caller = Caller { run: outer, task: name.into() };
        let caller = Some(CalledBy { caller, task, item: None, backfilled });
        let run = AskedRun { id, origin: Origin::Rerun, caller, ..asked(&other, u64::from(task), at(1_000)) };
        kit.store.ask_run(run).await.expect("ask_run");
        kit.store.cancel_run(id, "enough", None, at(1_100)).await.expect("cancel_run");
        ended.push(id);
    }
    assert_eq!(owed(&kit).await, ended[1..]);
}

pub async fn following_run_meets_the_limit_of_its_job(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let first = kit.save(Draft::new("a")).await;
    for (number, overlap, expected) in [
        (1, Overlap::Skip, None),
        (2, Overlap::Hold, Some(RunState::Held)),
        (3, Overlap::QueueAll, Some(RunState::Held)),
        (4, Overlap::QueueOne, Some(RunState::Held)),
        (5, Overlap::Allow, Some(RunState::Queued)),
        (6, Overlap::CancelRunning, Some(RunState::Held)),
    ] {
        let second = kit.save(after("b", &["a"], AfterOn::Any).limit(overlap, 1).with(|write| write.at = at(10))).await;
        kit.ask(&second, number, at(100)).await;
        end_one(&mut kit, &first, number, Verdict::Succeeded).await;
        let fired = fire_all(&kit, at(1_600)).await;
        match (fired[0], expected) {
            (AfterFired::Made(_, state), Some(expected)) => assert_eq!(state, expected, "{overlap}"),
            (AfterFired::Recorded, None) => {
                let gaps = kit.store.gaps(Some(second.row(0).id), 0, 9).await.expect("gaps");
                let gap = &gaps[0].gap;
                assert_eq!((gap.first, gap.count, gap.policy.as_str()), (at(1_000), 1, "skip"));
                assert_eq!((gap.outcome, gap.reason), (GapOutcome::Suppressed, GapReason::Overlap));
            }
            other => panic!("{overlap}: {other:?}"),
        }
        kit.store
            .delete_job(&second.job.definition.key, Expect::Anything, Vec::new(), at(1_700))
            .await
            .expect("delete_job");
        for run in kit.all_runs().await.iter().filter(|run| run.state == RunState::Running) {
            let version = run.job_version;
            let mut end = first.verdict(run.id, Verdict::Succeeded, at(1_800));
            (end.job, end.job_version) = (run.job, version);
            kit.complete(at(1_800), vec![end]).await;
        }
        fire_all(&kit, at(1_900)).await;
    }
}

pub async fn fire_of_a_paused_trigger_is_recorded(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let first = kit.save(Draft::new("a")).await;
    let second = kit.save(after("b", &["a"], AfterOn::Succeeded)).await;
    end_one(&mut kit, &first, 1, Verdict::Succeeded).await;
    kit.pause_job(&second, true, at(1_550)).await;
    assert_eq!(fire_all(&kit, at(1_600)).await, [AfterFired::Recorded]);
    let gaps = kit.store.gaps(Some(second.row(0).id), 0, 9).await.expect("gaps");
    assert_eq!((gaps[0].gap.outcome, gaps[0].gap.reason), (GapOutcome::Missed, GapReason::Paused));
    assert_eq!((gaps[0].gap.first, gaps[0].gap.last), (at(1_000), at(1_000)));
    let resumed = kit.again(&second).await;
    kit.pause_job(&resumed, false, at(1_700)).await;
    end_one(&mut kit, &first, 2, Verdict::Succeeded).await;
    assert!(matches!(fire_all(&kit, at(1_800)).await[..], [AfterFired::Made(..)]));
}

pub async fn fire_is_owed_by_what_the_job_says_when_it_is_made(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let first = kit.save(Draft::new("a")).await;
    let second = kit.save(after("b", &["a"], AfterOn::Succeeded)).await;
    end_one(&mut kit, &first, 1, Verdict::Succeeded).await;
    let before = due(&kit).await;
    kit.save(Draft::from_kept(&second).edit(|job| job.priority = 9)).await;
    assert_eq!(fire(&kit, &before, at(1_600)).await, [AfterFired::Stale]);
    let fired = fire_all(&kit, at(1_700)).await;
    let [AfterFired::Made(run, _)] = fired[..] else { panic!("{fired:?}") };
    assert_eq!(kit.run(run).await.priority, 9);

    end_one(&mut kit, &first, 2, Verdict::Succeeded).await;
    let now = kit.again(&second).await;
    let schedule = ScheduleDefinition::After { jobs: vec!["c".into()], on: AfterOn::Any };
    kit.save(Draft::from_kept(&now).edit(|job| job.triggers[0].schedule = schedule)).await;
    let edges = kit.store.after_edges("default").await.expect("after_edges");
    assert_eq!(edges.iter().map(|edge| edge.upstream.as_str()).collect::<Vec<_>>(), ["c"]);
    assert!(matches!(fire_all(&kit, at(1_800)).await[..], [AfterFired::Made(..)]), "it was owed before");
    end_one(&mut kit, &first, 3, Verdict::Succeeded).await;
    assert_eq!(due(&kit).await, [], "nothing comes after it any more");

    let third = kit.save(after("d", &["a"], AfterOn::Any)).await;
    end_one(&mut kit, &first, 4, Verdict::Succeeded).await;
    kit.store.delete_job(&third.job.definition.key, Expect::Anything, Vec::new(), at(2_000)).await.expect("delete");
    assert_eq!(due(&kit).await[0].job, None);
    assert_eq!(fire_all(&kit, at(2_100)).await, [AfterFired::Dropped]);
    assert_eq!(due(&kit).await, []);
}

pub async fn following_run_takes_the_next_id_if_its_own_is_taken(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let first = kit.save(Draft::new("a")).await;
    let second = kit.save(after("b", &["a"], AfterOn::Succeeded)).await;
    let cause = end_one(&mut kit, &first, 1, Verdict::Succeeded).await;
    let id = |number| RunId::after(at(1_000), second.id(), second.row(0).id, cause, number);
    kit.store.ask_run(AskedRun { id: id(0), ..asked(&second, 7, at(1_000)) }).await.expect("ask_run");
    assert_eq!(fire_all(&kit, at(1_600)).await, [AfterFired::Made(id(1), RunState::Queued)]);
}

pub async fn jobs_saved_together_come_after_each_other(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let names = ["b", "c", "d"];
    let mut writes = vec![Draft::new("a").0];
    writes.extend(names.map(|name| after(name, &["a"], AfterOn::Succeeded).0));
    kit.save_all(writes).await;
    let first = kit.kept(&JobKey::new("default", "a")).await;
    let cause = end_one(&mut kit, &first, 1, Verdict::Succeeded).await;
    assert_eq!(owed(&kit).await, [cause; 3]);
    let some = due(&kit).await;
    let page = kit.store.afters_due(ShardSet::ALL, some[0].id, 1).await.expect("afters_due");
    assert_eq!((page.due, page.used), (vec![some[1]], true), "behind a place, in their order");
    let none = kit.store.afters_due(ShardSet::ALL, some[2].id, 9).await.expect("afters_due");
    assert_eq!((none.due, none.used), (vec![], true));
    let (one, two) = tokio::join!(fire(&kit, &some, at(1_600)), fire(&kit, &some, at(1_600)));
    let made = one.iter().chain(&two).filter(|fired| matches!(fired, AfterFired::Made(..))).count();
    assert_eq!(made, 3, "two nodes share them: {one:?} {two:?}");
    assert_eq!(kit.all_runs().await.iter().filter(|run| run.cause == Some(cause)).count(), 3);
}
