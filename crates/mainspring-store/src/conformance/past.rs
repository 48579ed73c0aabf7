//! Past runs, which are brought from another scheduler.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::after::AfterOn;
use mainspring_core::batch::TriggerStatus;
use mainspring_core::cluster::ShardSet;
use mainspring_core::job::{ScheduleDefinition, TriggerDefinition};
use mainspring_core::line::Line;
use mainspring_core::run::{AttemptOutcome, Origin, RunState};
use mainspring_core::{JobVersion, RunId, RunSource, Timestamp};

use super::kit::{Draft, Kept, Kit, at};
use crate::{Error, Expect, PastAttempt, PastRun, PastRuns, PurgeRule, RunQuery, Store};

fn attempt(outcome: AttemptOutcome, started_at: Timestamp, error: Option<&str>) -> PastAttempt {
    let error_code = error.map(|_| "xxl.failed".to_owned());
    PastAttempt {
        outcome,
        started_at,
        ended_at: started_at + 250,
        exit_code: Some(if error.is_some() { 500 } else { 200 }),
        error_code,
        error: error.map(str::to_owned),
    }
}

fn past(job: &Kept, number: u64, due_at: Timestamp, last: PastAttempt) -> PastRun {
    PastRun {
        id: RunId::new(due_at, RunSource::Asked(job.id(), number)),
        due_at,
        earlier: Vec::new(),
        last,
        queue: Line::Worker { queue: "mail", worker: "http://10.0.0.7:9999" }.to_string(),
        reason: Some("imported from XXL-JOB".to_owned()),
        input: Some("\"a=1\"".to_owned()),
        output: None,
    }
}

fn of(job: &Kept, runs: Vec<PastRun>) -> PastRuns {
    PastRuns { job: job.id(), job_version: job.job.version, runs, at: at(900_000) }
}

pub async fn past_run_is_kept_once_and_read_as_any_other(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let failed = attempt(AttemptOutcome::Failed, at(1_000), Some("disk full"));
    let tried = PastRun {
        earlier: vec![failed.clone(), attempt(AttemptOutcome::TimedOut, at(2_000), Some("too slow"))],
        output: Some("\"done\"".to_owned()),
        ..past(&job, 1, at(1_000), attempt(AttemptOutcome::Succeeded, at(3_000), None))
    };
    let lost = past(&job, 2, at(5_000), failed);
    let (first, second) = (tried.id, lost.id);
    let added = kit.store.add_past_runs(of(&job, vec![tried.clone()])).await.expect("add_past_runs");
    assert_eq!(added, [true]);
    let added = kit.store.add_past_runs(of(&job, vec![tried.clone(), lost.clone()])).await.expect("add_past_runs");
    assert_eq!(added, [false, true], "what is there stays");
    let again = || kit.store.add_past_runs(of(&job, vec![lost.clone(), tried.clone()]));
    let (one, two) = tokio::join!(again(), again());
    assert_eq!((one.expect("add_past_runs"), two.expect("add_past_runs")), (vec![false; 2], vec![false; 2]));

    let run = kit.run(first).await;
    assert_eq!((run.state, run.origin, run.attempt), (RunState::Succeeded, Origin::Imported, 3));
    assert_eq!((run.fire_time, run.due_at, run.created_at), (at(1_000), at(1_000), at(900_000)));
    assert_eq!((run.started_at, run.ended_at), (Some(at(3_000)), Some(at(3_250))));
    assert_eq!((run.queue.as_str(), run.worker.as_deref()), ("mail", Some("http://10.0.0.7:9999")));
    assert_eq!((run.input.as_deref(), run.output.as_deref()), (Some("\"a=1\""), Some("\"done\"")));
    assert_eq!((run.reason.as_deref(), run.trigger), (Some("imported from XXL-JOB"), None));
    let attempts = kit.store.attempts(first).await.expect("attempts");
    let told: Vec<_> = attempts.iter().map(|one| (one.attempt, one.outcome, one.error.as_deref())).collect();
    let [failed, slow, done] = [AttemptOutcome::Failed, AttemptOutcome::TimedOut, AttemptOutcome::Succeeded];
    assert_eq!(told, [(1, Some(failed), Some("disk full")), (2, Some(slow), Some("too slow")), (3, Some(done), None)]);
    assert_eq!(attempts[0].ended_at, Some(at(1_250)));

    let listed =
        kit.store.runs(RunQuery { job: Some(job.id()), limit: 10, ..RunQuery::default() }).await.expect("runs");
    assert_eq!(listed.iter().map(|run| run.id).collect::<Vec<_>>(), [second, first], "newest first");
    let digests = kit.store.job_digests(vec![job.id()], 5).await.expect("job_digests");
    assert_eq!(
        digests[0].recent.iter().map(|run| run.state).collect::<Vec<_>>(),
        [RunState::Failed, RunState::Succeeded]
    );

    let rule = PurgeRule {
        at: at(900_000),
        history_before: at(900_000),
        history_keep_per_job: Some(1),
        events_before: at(0),
        tombstones_before: at(0),
        limit: 100,
    };
    kit.store.purge(PurgeRule { history_before: at(0), ..rule }).await.expect("purge");
    assert!(kit.store.run(first).await.expect("run").is_none(), "retention takes the older one");
    assert!(kit.store.attempts(first).await.expect("attempts").is_empty());
    assert_eq!(kit.run(second).await.state, RunState::Failed);
}

pub async fn past_run_tells_nobody(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").edit(|job| job.deadline_ms = Some(1))).await;
    let follows = ScheduleDefinition::After { jobs: vec!["a".to_owned()], on: AfterOn::Any };
    let draft = Draft::new("b").trigger_with(TriggerDefinition::new("after", follows), None);
    kit.save(draft.with(|write| write.triggers[0].progress.status = TriggerStatus::Complete)).await;
    let before = kit.store.last_event().await.expect("last_event");
    let last = attempt(AttemptOutcome::Failed, at(2_000), Some("disk full"));
    kit.store.add_past_runs(of(&job, vec![past(&job, 1, at(1_000), last)])).await.expect("add_past_runs");
    assert_eq!(kit.store.last_event().await.expect("last_event"), before, "no event is written");
    let owed = kit.store.afters_due(ShardSet::ALL, 0, 10).await.expect("afters_due");
    assert!(owed.used && owed.due.is_empty(), "nothing follows it: {owed:?}");
    assert!(kit.store.deadlines_due(at(900_000), 10).await.expect("deadlines_due").runs.is_empty());
    assert!(kit.store.tally().await.expect("tally").iter().all(|tally| tally.fired == 0));
}

pub async fn past_runs_need_their_job(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let run = past(&job, 1, at(1_000), attempt(AttemptOutcome::Succeeded, at(1_000), None));
    let newer = PastRuns { job_version: JobVersion(7), ..of(&job, vec![run.clone()]) };
    assert!(matches!(kit.store.add_past_runs(newer).await, Err(Error::NotFound { .. })), "there is no such version");
    kit.store.delete_job(&job.job.definition.key, Expect::Anything, Vec::new(), at(2_000)).await.expect("delete_job");
    let refused = kit.store.add_past_runs(of(&job, vec![run.clone()])).await;
    assert!(matches!(refused, Err(Error::NotFound { .. })), "the job is gone");
    assert!(kit.store.run(run.id).await.expect("run").is_none());
}
