//! Corrections of runs that were taken for lost.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::{AttemptOutcome, Origin, RunState, Verdict};
use mainspring_core::{RunId, Timestamp};

use super::kit::{Draft, Kept, Kit, asked, at};
use crate::{AskedRun, Corrected, Correction, EventRow, Store};

const LOST: AfterAttempt = AfterAttempt::Final(Verdict::Failed);

/// A run whose first attempt was lost.
async fn lost(kit: &mut Kit, job: &Kept, number: u64, then: AfterAttempt) -> RunId {
    let (run, _) = kit.ask(job, number, at(1_000)).await;
    kit.claim(9, at(1_100)).await;
    kit.complete(at(2_000), vec![job.completion(run, 1, AttemptOutcome::Lost, then, at(2_000))]).await;
    run
}

async fn correct(kit: &Kit, run: RunId, attempt: u32, now: Timestamp) -> Corrected {
    let (reason, output) = ("it had succeeded".to_owned(), Some("\"done\"".to_owned()));
    let correction = Correction { run, attempt, reason, output, exit_code: Some(200), at: now };
    kit.store.correct_run(correction).await.expect("correct_run")
}

async fn told(kit: &Kit, run: RunId) -> usize {
    let events = kit.store.events(0, 1_000).await.expect("events");
    let is_of = |event: &&EventRow| event.kind == "run" && event.payload.contains(&run.to_string());
    let of: Vec<&EventRow> = events.iter().filter(is_of).collect();
    assert!(of.iter().all(|event| event.payload.contains("\"corrected\"")), "{of:?}");
    of.len()
}

fn again(job: &Kept, of: RunId, number: u64) -> AskedRun {
    AskedRun { origin: Origin::Rerun, rerun_of: Some(of), ..asked(job, number, at(3_000)) }
}

pub async fn success_after_lost_corrects_a_run_once(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let run = lost(&mut kit, &job, 1, LOST).await;
    let before = kit.run(run).await;
    let (one, two) = tokio::join!(correct(&kit, run, 1, at(5_000)), correct(&kit, run, 1, at(5_000)));
    assert!(
        [one, two].contains(&Corrected::Done) && one != two,
        "{one:?} {two:?}: two nodes are told at the same time"
    );
    assert_eq!(correct(&kit, run, 1, at(6_000)).await, Corrected::NotLost, "it is corrected already");
    let after = kit.run(run).await;
    assert_eq!((after.state, after.reason.as_deref()), (RunState::Succeeded, Some("it had succeeded")));
    assert_eq!((after.output.as_deref(), after.exit_code), (Some("\"done\""), Some(200)));
    assert_eq!((after.error_code, after.error, after.ended_at), (None, None, before.ended_at));
    let attempts = kit.store.attempts(run).await.expect("attempts");
    assert_eq!(attempts.last().and_then(|one| one.outcome), Some(AttemptOutcome::Succeeded));
    assert_eq!(told(&kit, run).await, 1);
    let rerun = kit.store.ask_run(again(&job, run, 2)).await;
    rerun.expect("a run that has succeeded may be repeated as ever");
}

pub async fn run_that_was_repeated_stays_lost(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let run = lost(&mut kit, &job, 1, LOST).await;
    let repeat = again(&job, run, 2);
    let second = repeat.id;
    kit.store.ask_run(repeat).await.expect("ask_run");
    assert_eq!(correct(&kit, run, 1, at(5_000)).await, Corrected::Repeated, "its repeat waits");
    kit.claim(9, at(5_100)).await;
    kit.complete(at(6_000), vec![job.verdict(second, Verdict::Succeeded, at(6_000))]).await;
    assert_eq!(correct(&kit, run, 1, at(7_000)).await, Corrected::Repeated, "its repeat is over");
    assert_eq!((kit.run(run).await.state, told(&kit, run).await), (RunState::Failed, 0));
}

pub async fn run_that_is_tried_again_stays_lost(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let run = lost(&mut kit, &job, 1, AfterAttempt::RetryAt(at(2_000))).await;
    assert_eq!(correct(&kit, run, 1, at(2_000)).await, Corrected::Repeated, "the next attempt waits");
    kit.store.release_due(at(3_000), 10).await.expect("release_due");
    kit.claim(9, at(3_100)).await;
    assert_eq!(correct(&kit, run, 1, at(3_200)).await, Corrected::Repeated, "the next attempt runs");
    kit.complete(at(4_000), vec![job.completion(run, 2, AttemptOutcome::Lost, LOST, at(4_000))]).await;
    assert_eq!(correct(&kit, run, 1, at(5_000)).await, Corrected::Repeated);
    assert_eq!(correct(&kit, run, 2, at(5_000)).await, Corrected::Done, "the last one counts");
}

pub async fn what_was_not_lost_is_not_corrected(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let (run, _) = kit.ask(&job, 1, at(1_000)).await;
    assert_eq!(correct(&kit, run, 1, at(1_050)).await, Corrected::NotLost, "it waits");
    kit.claim(9, at(1_100)).await;
    assert_eq!(correct(&kit, run, 1, at(1_200)).await, Corrected::NotLost, "it runs");
    kit.complete(at(2_000), vec![job.verdict(run, Verdict::Failed, at(2_000))]).await;
    assert_eq!(correct(&kit, run, 1, at(3_000)).await, Corrected::NotLost, "it has said that it failed");
    let nobody = asked(&job, 7, at(1)).id;
    assert_eq!(correct(&kit, nobody, 1, at(3_000)).await, Corrected::NotLost, "there is no such run");
    assert_eq!((kit.run(run).await.state, told(&kit, run).await), (RunState::Failed, 0));
}
