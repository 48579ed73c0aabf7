//! Runs that wait for too long end by themselves.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::RunId;
use mainspring_core::batch::{Completion, Placed, Released};
use mainspring_core::job::Overlap;
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::{AttemptOutcome, RunState, Verdict};
use mainspring_core::{JobId, Timestamp};

use super::kit::{Draft, Kept, Kit, at};
use crate::Store;

/// A job whose runs have to start within half a second.
fn hasty(name: &str) -> Draft {
    Draft::new(name).edit(|job| job.start_timeout_ms = Some(500))
}

async fn release(kit: &Kit, now: Timestamp, limit: u32) -> Released {
    kit.store.release_due(now, limit).await.expect("release_due")
}

async fn ended(kit: &Kit, run: RunId) -> (RunState, Option<String>) {
    let info = kit.run(run).await;
    (info.state, info.reason)
}

fn expired() -> (RunState, Option<String>) {
    (RunState::Skipped, Some("expired".into()))
}

/// A first attempt that failed, with the time by which the run has to be over.
fn failed(job: &Kept, run: RunId, again: Timestamp, deadline: Option<Timestamp>) -> Completion {
    let ended_at = again - 100;
    let end = job.completion(run, 1, AttemptOutcome::Failed, AfterAttempt::RetryAt(again), ended_at);
    Completion { deadline, ..end }
}

pub async fn run_that_is_not_started_in_time_is_skipped(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(hasty("a").trigger("t", at(1_000))).await;
    assert_eq!(kit.fire(at(1_100), vec![job.entry(0)]).await.placed, [Placed::Queued]);
    let (fired, (asked, _)) = (job.next_run(0), kit.ask(&job, 1, at(1_200)).await);
    assert_eq!(kit.run(fired).await.expires_at, Some(at(1_600)), "counted from the fire, however late that was");
    assert_eq!(kit.run(asked).await.expires_at, Some(at(1_700)));
    let early = release(&kit, at(1_599), 9).await;
    assert_eq!(early, Released { count: 0, expired: 0, next_at: Some(at(1_600)) });
    let first = release(&kit, at(1_600), 9).await;
    assert_eq!(first, Released { count: 0, expired: 1, next_at: Some(at(1_700)) });
    assert_eq!(ended(&kit, fired).await, expired());
    let info = kit.run(fired).await;
    assert_eq!((info.ended_at, info.started_at, info.expires_at), (Some(at(1_600)), None, None));
    assert_eq!(release(&kit, at(9_000), 9).await, Released { count: 0, expired: 1, next_at: None });
    assert_eq!(ended(&kit, asked).await, expired());
    assert_eq!(kit.claim(9, at(9_000)).await, []);
    let tally = kit.store.tally().await.expect("tally");
    assert_eq!(
        (tally[0].fired, tally[0].suppressed, tally[0].missed),
        (1, 0, 0),
        "the run is the record of its instant"
    );
}

pub async fn runs_that_expire_together_end_in_bounded_steps(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(hasty("a")).await;
    for number in 0..5 {
        kit.ask(&job, number, at(1_000)).await;
    }
    for left in [Some(at(1_500)), Some(at(1_500)), None] {
        assert_eq!(release(&kit, at(2_000), 2).await.next_at, left);
    }
}

pub async fn run_that_was_started_in_time_does_not_expire(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(hasty("a").trigger("t", at(1_000))).await;
    kit.fire(at(1_000), vec![job.claimed_entry(0)]).await;
    let (born, (asked, _)) = (job.next_run(0), kit.ask(&job, 1, at(1_000)).await);
    kit.claim(9, at(1_100)).await;
    assert_eq!(release(&kit, at(9_000), 9).await, Released::default());
    let again = at(9_100);
    kit.complete(at(9_000), vec![failed(&job, born, again, None), failed(&job, asked, again, None)]).await;
    assert_eq!(release(&kit, at(9_099), 9).await, Released { next_at: Some(again), ..Released::default() });
    assert_eq!(release(&kit, again, 9).await.count, 2, "a further attempt may wait");
}

pub async fn run_whose_time_is_over_between_attempts_has_failed(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    kit.fire(at(1_000), vec![job.claimed_entry(0)]).await;
    let run = job.next_run(0);
    kit.complete(at(1_100), vec![failed(&job, run, at(1_200), Some(at(1_500)))]).await;
    assert_eq!(kit.run(run).await.expires_at, Some(at(1_500)));
    let due = release(&kit, at(1_200), 9).await;
    assert_eq!((due.count, due.next_at), (1, Some(at(1_500))));
    kit.claim(9, at(1_300)).await;
    assert_eq!(release(&kit, at(1_600), 9).await, Released::default(), "it runs: its worker ends it");
    let end = job.completion(run, 2, AttemptOutcome::TimedOut, AfterAttempt::RetryAt(at(1_700)), at(1_650));
    kit.complete(at(1_650), vec![Completion { deadline: Some(at(9_000)), ..end }]).await;
    assert_eq!(kit.run(run).await.expires_at, Some(at(1_500)), "the first attempt has set it");
    assert_eq!(release(&kit, at(1_660), 9).await.expired, 1);
    assert_eq!(ended(&kit, run).await, (RunState::Failed, Some("run_timeout".into())));
    let outcomes: Vec<_> =
        kit.store.attempts(run).await.expect("attempts").iter().map(|attempt| attempt.outcome).collect();
    assert_eq!(outcomes, [Some(AttemptOutcome::Failed), Some(AttemptOutcome::TimedOut)]);
}

pub async fn expired_run_gives_its_slot_to_one_that_is_held(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(hasty("a").limit(Overlap::QueueAll, 1).trigger("t", at(1_000))).await;
    kit.fire(at(1_000), vec![job.entry(0)]).await;
    let (first, (second, _)) = (job.next_run(0), kit.ask(&job, 1, at(1_200)).await);
    assert_eq!(kit.states(&[first, second]).await, [Some(RunState::Queued), Some(RunState::Held)]);
    kit.changed_triggers().await;
    assert_eq!(release(&kit, at(1_500), 9).await.expired, 1);
    assert_eq!(kit.states(&[first, second]).await, [Some(RunState::Skipped), Some(RunState::Queued)]);
    assert_eq!(kit.changed_triggers().await, []);
    assert_eq!(release(&kit, at(1_700), 9).await.expired, 1, "it has waited since it was asked for");
    assert_eq!(kit.changed_triggers().await, [job.row(0).id], "blocked triggers may go on");
    let job = kit.again(&job).await;
    assert_eq!(kit.fire(at(2_000), vec![job.claimed_entry(0)]).await.placed, [Placed::Running]);
    let ended = kit.complete(at(2_100), vec![job.verdict(job.next_run(0), Verdict::Succeeded, at(2_100))]).await;
    assert_eq!(ended.freed, [JobId(job.id().0)]);
}

pub async fn held_run_expires_where_it_waits(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(hasty("a").limit(Overlap::QueueOne, 1).trigger("t", at(1_000))).await;
    kit.fire(at(1_000), vec![job.claimed_entry(0)]).await;
    let (held, _) = kit.ask(&job, 1, at(1_100)).await;
    assert_eq!(release(&kit, at(1_600), 9).await.expired, 1);
    assert_eq!(ended(&kit, held).await, expired());
    let ended = kit.complete(at(1_700), vec![job.verdict(job.next_run(0), Verdict::Succeeded, at(1_700))]).await;
    assert_eq!((ended.promoted, ended.freed), (0, vec![job.id()]));
}

pub async fn trigger_that_awaited_an_expired_run_is_noted_and_set_going(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(hasty("a").trigger("delay", at(1_000))).await;
    kit.changed_triggers().await;
    kit.fire(at(1_000), vec![job.awaiting_entry(0)]).await;
    let (run, trigger) = (job.next_run(0), job.row(0).id);
    let next = Some(at(5_000));
    let rearm = mainspring_core::batch::Rearm { trigger, next_fire_at: next, due_at: next, tzdata: None };
    assert!(!kit.store.rearm(run, rearm).await.expect("rearm"), "the run is not over");
    assert_eq!(release(&kit, at(1_500), 9).await.expired, 1);
    assert_eq!(kit.changed_triggers().await, [trigger]);
    assert!(kit.store.rearm(run, rearm).await.expect("rearm"));
    let progress = kit.again(&job).await.row(0).progress;
    assert_eq!((progress.next_fire_at, progress.awaiting_run), (next, None));
    assert!(!kit.store.rearm(run, rearm).await.expect("rearm"), "it awaits nobody");
}

pub async fn input_of_a_trigger_is_that_of_its_runs(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000)).trigger("plain", at(1_000))).await;
    let mut entry = job.entry(0);
    entry.input = Some(r#"{"region":"eu"}"#.into());
    kit.fire(at(1_000), vec![entry, job.entry(1)]).await;
    assert_eq!(kit.run(job.next_run(0)).await.input.as_deref(), Some(r#"{"region":"eu"}"#));
    let claimed: Vec<_> = kit.claim(9, at(1_100)).await.into_iter().map(|run| (run.run, run.input)).collect();
    assert!(claimed.contains(&(job.next_run(0), Some(r#"{"region":"eu"}"#.into()))));
    assert!(claimed.contains(&(job.next_run(1), None)));
}
