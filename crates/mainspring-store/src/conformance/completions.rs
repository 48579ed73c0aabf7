//! Ends of attempts.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::batch::{AttemptDetail, CompletionBatch, CompletionOutcome, FireEntry, Rearm, TriggerStatus};
use mainspring_core::job::Overlap;
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::{AttemptOutcome, RunState, Verdict};
use mainspring_core::{BatchId, Incarnation};

use super::kit::{Draft, Kept, Kit, LATER, NONE, RELEASE, at};
use crate::{Released, Store};

/// A job whose first run is running since 1,000.
async fn running(kit: &mut Kit) -> Kept {
    let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    kit.fire(at(1_000), vec![job.claimed_entry(0)]).await;
    job
}

pub async fn success_moves_a_run_to_history(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = running(&mut kit).await;
    let run = job.next_run(0);
    assert_eq!(kit.store.info().await.expect("info").live_runs, 1);
    let outcome = kit.complete(at(1_101), vec![job.verdict(run, Verdict::Succeeded, at(1_100))]).await;
    assert_eq!(outcome, CompletionOutcome::default());
    assert_eq!(kit.store.info().await.expect("info").live_runs, 0);
    let info = kit.run(run).await;
    assert_eq!((info.state, info.attempt, info.reason.as_deref()), (RunState::Succeeded, 1, None));
    assert_eq!((info.claimed_at, info.started_at), (Some(at(1_000)), Some(at(1_099))));
    assert_eq!((info.ended_at, info.created_at), (Some(at(1_100)), at(1_000)));
    assert_eq!((info.trigger_name.as_deref(), info.queue.as_str()), (Some("t"), "default"));
    let attempts = kit.store.attempts(run).await.expect("attempts");
    assert_eq!(attempts.len(), 1);
    assert_eq!((attempts[0].attempt, attempts[0].outcome), (1, Some(AttemptOutcome::Succeeded)));
    assert_eq!(attempts[0].ended_at, Some(at(1_100)));
}

pub async fn every_outcome_has_its_state_and_reason(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    for (outcome, state, reason) in [
        (AttemptOutcome::Succeeded, RunState::Succeeded, None),
        (AttemptOutcome::Failed, RunState::Failed, None),
        (AttemptOutcome::TimedOut, RunState::Failed, Some("timed_out")),
        (AttemptOutcome::Lost, RunState::Failed, Some("lost")),
        (AttemptOutcome::Cancelled, RunState::Cancelled, None),
    ] {
        let job = kit.save(Draft::new(outcome.as_str()).trigger("t", at(1_000))).await;
        kit.fire(at(1_000), vec![job.claimed_entry(0)]).await;
        let run = job.next_run(0);
        let mut end = job.completion(run, 1, outcome, AfterAttempt::Final(outcome.verdict()), at(1_100));
        end.started_at = None;
        assert_eq!(kit.complete(at(1_100), vec![end]).await.refused, NONE);
        let info = kit.run(run).await;
        assert_eq!((info.state, info.reason.as_deref(), info.started_at), (state, reason, None), "{outcome}");
        let attempts = kit.store.attempts(run).await.expect("attempts");
        assert_eq!(attempts.iter().map(|a| a.outcome).collect::<Vec<_>>(), [Some(outcome)]);
    }
}

pub async fn run_whose_start_is_vetoed_is_skipped_and_gives_up_its_slot(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let free = kit.save(Draft::new("free").trigger("t", at(1_000))).await;
    let limited = kit.save(Draft::new("limited").limit(Overlap::QueueAll, 1).trigger("t", at(1_000))).await;
    for (number, job) in (1..).zip([&free, &limited]) {
        kit.fire(at(1_000), vec![job.claimed_entry(0)]).await;
        let (asked, _) = kit.ask(job, number, at(1_001)).await;
        let run = job.next_run(0);
        let mut end = job.verdict(run, Verdict::Skipped, at(1_100));
        end.started_at = None;
        end.detail = Some(Box::new(AttemptDetail { error: Some("not today".into()), ..AttemptDetail::default() }));
        assert_eq!(kit.complete(at(1_100), vec![end]).await.refused, NONE);
        let info = kit.run(run).await;
        let found = (info.state, info.reason.as_deref(), info.error.as_deref(), info.started_at);
        assert_eq!(found, (RunState::Skipped, Some("vetoed"), Some("not today"), None), "{}", info.key);
        assert_eq!(kit.run(asked).await.state, RunState::Queued, "the slot is free");
    }
}

pub async fn second_verdict_is_refused(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = running(&mut kit).await;
    let run = job.next_run(0);
    let verdicts = vec![job.verdict(run, Verdict::Succeeded, at(1_100)), job.verdict(run, Verdict::Failed, at(1_200))];
    assert_eq!(kit.complete(at(1_200), verdicts).await.refused, [1], "within a batch");
    let outcome = kit.complete(at(1_300), vec![job.verdict(run, Verdict::Cancelled, at(1_300))]).await;
    assert_eq!(outcome, CompletionOutcome { refused: vec![0], ..CompletionOutcome::default() });
    let info = kit.run(run).await;
    assert_eq!((info.state, info.ended_at), (RunState::Succeeded, Some(at(1_100))), "the first one is final");
}

pub async fn verdict_of_another_attempt_or_incarnation_is_refused(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = running(&mut kit).await;
    let run = job.next_run(0);
    for attempt in [0, 2, u32::MAX] {
        let fails = AfterAttempt::Final(Verdict::Failed);
        let end = job.completion(run, attempt, AttemptOutcome::Failed, fails, at(1_100));
        assert_eq!(kit.complete(at(1_100), vec![end]).await.refused, [0], "attempt {attempt}");
    }
    for incarnation in [Incarnation(0), Incarnation(u128::MAX)] {
        let id = BatchId { incarnation, sequence: 1 };
        let entries = vec![job.verdict(run, Verdict::Failed, at(1_100))];
        let outcome = kit.store.complete(Arc::new(CompletionBatch { id, at: at(1_100), entries })).await;
        assert_eq!(outcome.expect("complete").refused, [0], "incarnation {incarnation}");
    }
    let unknown = super::kit::run_at(job.row(0).id, at(7));
    assert_eq!(kit.complete(at(1_100), vec![job.verdict(unknown, Verdict::Failed, at(1_100))]).await.refused, [0]);
    assert_eq!(kit.run(run).await.state, RunState::Running);
}

/// A claim can be asked for before the attempt before has ended, and reach the store long afterwards.
pub async fn attempt_is_claimed_after_the_one_before_has_ended(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = running(&mut kit).await;
    let run = job.next_run(0);
    let retry = AfterAttempt::RetryAt(at(1_100));
    kit.complete(at(1_100), vec![job.completion(run, 1, AttemptOutcome::Failed, retry, at(1_100))]).await;
    kit.store.release_due(at(1_100), 10).await.expect("release_due");
    assert_eq!(kit.claim(1, at(1_050)).await.len(), 1);
    assert_eq!(kit.run(run).await.claimed_at, Some(at(1_100)));
}

pub async fn retry_waits_until_its_instant_and_counts_attempts(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = running(&mut kit).await;
    let run = job.next_run(0);
    let retry = AfterAttempt::RetryAt(at(2_000));
    let end = job.completion(run, 1, AttemptOutcome::Failed, retry, at(1_100));
    assert_eq!(kit.complete(at(1_100), vec![end]).await, CompletionOutcome::default());
    let info = kit.run(run).await;
    assert_eq!((info.state, info.attempt, info.not_before), (RunState::Scheduled, 1, Some(at(2_000))));
    assert_eq!((info.reason.as_deref(), info.ended_at), (Some("retry_delay"), Some(at(1_100))));
    assert_eq!(kit.claim(1, at(1_999)).await, []);
    let early = kit.store.release_due(at(1_999), 10).await.expect("release_due");
    assert_eq!(early, Released { count: 0, expired: 0, next_at: Some(at(2_000)) });
    let due = kit.store.release_due(at(2_000), 10).await.expect("release_due");
    assert_eq!(due, Released { count: 1, expired: 0, next_at: None });
    assert_eq!((kit.run(run).await.state, kit.run(run).await.reason), (RunState::Queued, None));

    let claimed = kit.claim(1, at(2_001)).await;
    assert_eq!(claimed.iter().map(|c| (c.run, c.attempt)).collect::<Vec<_>>(), [(run, 2)]);
    let info = kit.run(run).await;
    assert_eq!((info.state, info.attempt, info.claimed_at), (RunState::Running, 2, Some(at(2_001))));
    assert_eq!((info.started_at, info.ended_at), (None, None), "of the latest attempt");
    let late = job.verdict(run, Verdict::Failed, at(2_002));
    assert_eq!(kit.complete(at(2_002), vec![late]).await.refused, [0], "the first attempt is over");
    let well = AfterAttempt::Final(Verdict::Succeeded);
    let end = job.completion(run, 2, AttemptOutcome::Succeeded, well, at(2_100));
    assert_eq!(kit.complete(at(2_100), vec![end]).await.refused, NONE);
    let attempts = kit.store.attempts(run).await.expect("attempts");
    let seen: Vec<_> = attempts.iter().map(|a| (a.attempt, a.outcome, a.claimed_at, a.ended_at)).collect();
    assert_eq!(
        seen,
        [
            (1, Some(AttemptOutcome::Failed), Some(at(1_000)), Some(at(1_100))),
            (2, Some(AttemptOutcome::Succeeded), Some(at(2_001)), Some(at(2_100))),
        ]
    );
    assert_eq!((kit.run(run).await.state, kit.run(run).await.attempt), (RunState::Succeeded, 2));
}

pub async fn details_of_an_attempt_are_kept(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = running(&mut kit).await;
    let run = job.next_run(0);
    let detail = |code: i32, text: &str| {
        Some(Box::new(AttemptDetail {
            exit_code: Some(code),
            signal: Some(i32::MAX),
            error_code: Some("task.exit_code".into()),
            error: Some(format!("höchste Zeit \u{1f552} '\"; {text}")),
            output: Some(format!("{{\"rows\": [1, \"{text}\"]}}")),
            ..AttemptDetail::default()
        }))
    };
    let mut end = job.completion(run, 1, AttemptOutcome::Failed, AfterAttempt::RetryAt(at(1_100)), at(1_100));
    end.detail = detail(i32::MIN, "first");
    kit.complete(at(1_100), vec![end]).await;
    kit.store.release_due(at(1_100), 1).await.expect("release_due");
    kit.claim(1, at(1_200)).await;
    assert_eq!(kit.run(run).await.exit_code, None, "the second attempt has not ended");
    let mut end = job.completion(run, 2, AttemptOutcome::Failed, AfterAttempt::Final(Verdict::Failed), at(1_300));
    end.detail = detail(-7, "second");
    kit.complete(at(1_300), vec![end]).await;

    let info = kit.run(run).await;
    assert_eq!((info.exit_code, info.signal), (Some(-7), Some(i32::MAX)));
    assert_eq!(info.error_code.as_deref(), Some("task.exit_code"));
    assert_eq!(info.error.as_deref(), Some("höchste Zeit \u{1f552} '\"; second"));
    assert_eq!(info.output.as_deref(), Some("{\"rows\": [1, \"second\"]}"));
    let attempts = kit.store.attempts(run).await.expect("attempts");
    let seen: Vec<_> = attempts.iter().map(|a| (a.exit_code, a.error.as_deref())).collect();
    assert_eq!(seen[0], (Some(i32::MIN), Some("höchste Zeit \u{1f552} '\"; first")));
    assert_eq!(seen[1], (Some(-7), Some("höchste Zeit \u{1f552} '\"; second")));
}

/// Fires the `delay` trigger of a job, which then waits for its run.
async fn awaiting(kit: &mut Kit) -> Kept {
    let job = kit.save(Draft::new("d").trigger("t", at(1_000))).await;
    let entry = job.awaiting_entry(0);
    kit.fire(at(1_000), vec![claimed(entry)]).await;
    job
}

fn claimed(mut entry: FireEntry) -> FireEntry {
    entry.runs[0].claim = true;
    entry
}

pub async fn delay_trigger_without_a_next_instant_is_complete(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = awaiting(&mut kit).await;
    let trigger = job.row(0).id;
    let mut end = job.verdict(job.next_run(0), Verdict::Succeeded, at(1_500));
    end.rearm = Some(Rearm { trigger, next_fire_at: None, due_at: None, tzdata: Some(RELEASE) });
    assert_eq!(kit.complete(at(1_500), vec![end]).await.rearmed, [trigger]);
    let progress = kit.again(&job).await.row(0).progress;
    assert_eq!((progress.status, progress.awaiting_run), (TriggerStatus::Complete, None));
    assert_eq!(kit.window(at(90_000), 10).await, []);
    assert_eq!(kit.store.stranded().await.expect("stranded"), []);
}

pub async fn delay_trigger_is_armed_when_its_run_ends(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = awaiting(&mut kit).await;
    let trigger = job.row(0).id;
    assert_eq!(kit.window(at(90_000), 10).await, []);
    let mut end = job.verdict(job.next_run(0), Verdict::Failed, at(1_500));
    let tzdata = Some(LATER);
    end.rearm = Some(Rearm { trigger, next_fire_at: Some(at(11_500)), due_at: Some(at(11_700)), tzdata });
    assert_eq!(kit.complete(at(1_500), vec![end]).await.rearmed, [trigger]);
    let window = kit.window(at(90_000), 10).await;
    assert_eq!(window.len(), 1);
    let progress = window[0].progress;
    assert_eq!((progress.next_fire_at, progress.due_at), (Some(at(11_500)), Some(at(11_700))));
    assert_eq!((progress.awaiting_run, progress.tzdata), (None, tzdata));
    assert_eq!(window[0].version, job.row(0).version);
    let after = kit.again(&job).await;
    assert_eq!(kit.fire(at(11_700), vec![after.entry(0)]).await.placed.len(), 1);
}

pub async fn delay_trigger_that_awaits_another_run_stays(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = awaiting(&mut kit).await;
    let trigger = job.row(0).id;
    let (other, _) = kit.ask(&job, 1, at(1_100)).await;
    kit.claim(1, at(1_100)).await;
    let mut end = job.verdict(other, Verdict::Succeeded, at(1_200));
    end.rearm = Some(Rearm { trigger, next_fire_at: Some(at(2_000)), due_at: Some(at(2_000)), tzdata: Some(RELEASE) });
    let outcome = kit.complete(at(1_200), vec![end.clone()]).await;
    assert_eq!((outcome.refused, outcome.rearmed), (vec![], vec![]));
    end.run = job.next_run(0);
    end.attempt = 9;
    let outcome = kit.complete(at(1_200), vec![end]).await;
    assert_eq!((outcome.refused, outcome.rearmed), (vec![0], vec![]), "a refused verdict arms nothing");
    assert_eq!(kit.again(&job).await.row(0).progress.awaiting_run, Some(job.next_run(0)));
}
