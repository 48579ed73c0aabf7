//! `cancel_running`: a newer run takes the place of an older one.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::RunId;
use mainspring_core::batch::{FireBatch, FireEntry, Placed};
use mainspring_core::cluster::ShardSet;
use mainspring_core::job::Overlap;
use mainspring_core::overlap::REPLACED;
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::{AttemptOutcome, RunState, Verdict};

use super::kit::{Draft, Kept, Kit, TakeChanges, at, new_run};
use crate::Store;

async fn saved(kit: &Kit, max_active: u32) -> Kept {
    kit.save(Draft::new("a").limit(Overlap::CancelRunning, max_active).trigger("t", at(1_000))).await
}

/// Fires the trigger at its next instant. Answers the run, and where it was placed.
async fn fire(kit: &mut Kit, job: &Kept, entry: impl FnOnce(&Kept) -> FireEntry) -> (RunId, Placed) {
    let job = kit.again(job).await;
    let now = job.row(0).progress.next_fire_at.expect("it goes on");
    let outcome = kit.fire(now, vec![entry(&job)]).await;
    (job.next_run(0), outcome.placed[0])
}

async fn claimed(kit: &mut Kit, job: &Kept) -> (RunId, Placed) {
    fire(kit, job, |job| job.claimed_entry(0)).await
}

async fn cancels(kit: &Kit) -> Vec<RunId> {
    kit.store.take_changes(kit.incarnation, ShardSet::ALL, 10).await.expect("take_changes").cancels
}

async fn was_replaced(kit: &Kit, run: RunId) {
    let info = kit.run(run).await;
    assert_eq!((info.state, info.reason.as_deref()), (RunState::Cancelled, Some(REPLACED)));
}

pub async fn newer_run_asks_for_the_end_of_the_one_that_runs(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = saved(&kit, 1).await;
    let (first, placed) = claimed(&mut kit, &job).await;
    assert_eq!(placed, Placed::Running);
    assert_eq!(cancels(&kit).await, []);
    let (second, placed) = claimed(&mut kit, &job).await;
    assert_eq!(placed, Placed::Held, "it waits for the end of the first");
    assert_eq!(cancels(&kit).await, [first], "whoever executes it hears of it");
    let asked = kit.run(first).await;
    assert_eq!((asked.state, asked.reason.as_deref()), (RunState::Running, Some(REPLACED)));
    assert_eq!(asked.cancel_requested_at, Some(at(2_000)));
    let ended = kit.complete(at(2_100), vec![job.verdict(first, Verdict::Cancelled, at(2_100))]).await;
    assert_eq!((ended.promoted, ended.freed), (1, vec![]));
    was_replaced(&kit, first).await;
    assert_eq!(kit.run(second).await.state, RunState::Queued);
}

pub async fn held_run_starts_when_the_replaced_one_is_lost(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = saved(&kit, 1).await;
    let (first, _) = claimed(&mut kit, &job).await;
    let (second, _) = claimed(&mut kit, &job).await;
    let again = AfterAttempt::RetryAt(at(2_500));
    let ended = kit.complete(at(2_500), vec![job.completion(first, 1, AttemptOutcome::Lost, again, at(2_500))]).await;
    assert_eq!(ended.promoted, 1);
    assert_eq!(
        kit.states(&[first, second]).await,
        [Some(RunState::Cancelled), Some(RunState::Queued)],
        "whose end was asked for is not tried again"
    );
}

pub async fn newest_run_replaces_the_one_that_waits(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = saved(&kit, 1).await;
    let (first, _) = claimed(&mut kit, &job).await;
    let (second, _) = claimed(&mut kit, &job).await;
    assert_eq!(cancels(&kit).await, [first]);
    let (third, placed) = claimed(&mut kit, &job).await;
    assert_eq!(placed, Placed::Held);
    was_replaced(&kit, second).await;
    assert_eq!(cancels(&kit).await, [], "the one that runs is asked once");
    assert_eq!(kit.run(first).await.cancel_requested_at, Some(at(2_000)));
    let ended = kit.complete(at(4_000), vec![job.verdict(first, Verdict::Succeeded, at(4_000))]).await;
    assert_eq!(ended.promoted, 1);
    let claimed: Vec<RunId> = kit.claim(10, at(4_001)).await.iter().map(|claimed| claimed.run).collect();
    assert_eq!(claimed, [third]);
    let tally = kit.store.tally().await.expect("tally");
    assert_eq!((tally[0].fired, tally[0].suppressed), (3, 0), "the run that was replaced is the record of its instant");
    assert_eq!(kit.store.gaps(None, 0, 10).await.expect("gaps"), []);
}

pub async fn unstarted_run_makes_room_at_once(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = saved(&kit, 1).await;
    let (first, placed) = fire(&mut kit, &job, |job| job.entry(0)).await;
    assert_eq!(placed, Placed::Queued);
    let (second, placed) = claimed(&mut kit, &job).await;
    assert_eq!(placed, Placed::Running, "the slot is free at once");
    was_replaced(&kit, first).await;
    assert_eq!(kit.claim(10, at(2_001)).await, []);
    let retry = AfterAttempt::RetryAt(at(9_000));
    kit.complete(at(2_100), vec![job.completion(second, 1, AttemptOutcome::Failed, retry, at(2_100))]).await;
    let (_, placed) = claimed(&mut kit, &job).await;
    assert_eq!(placed, Placed::Running, "one that waits for its next attempt goes as well");
    was_replaced(&kit, second).await;
    assert_eq!(cancels(&kit).await, []);
}

pub async fn oldest_of_several_makes_room(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = saved(&kit, 2).await;
    let (first, _) = claimed(&mut kit, &job).await;
    let (second, placed) = claimed(&mut kit, &job).await;
    assert_eq!(placed, Placed::Running);
    let (third, placed) = claimed(&mut kit, &job).await;
    assert_eq!((placed, cancels(&kit).await), (Placed::Held, vec![first]));
    claimed(&mut kit, &job).await;
    was_replaced(&kit, third).await;
    assert_eq!(kit.run(second).await.cancel_requested_at, None, "one comes in, one goes");
}

pub async fn run_that_was_asked_for_replaces_and_is_replaced(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = saved(&kit, 1).await;
    let (first, _) = claimed(&mut kit, &job).await;
    let (manual, asked) = kit.ask(&job, 1, at(1_500)).await;
    assert_eq!((asked.placed, cancels(&kit).await), (Placed::Held, vec![first]));
    assert_eq!(kit.ask(&job, 1, at(1_500)).await.1.placed, Placed::Known, "a repeat ends nobody");
    assert_eq!(kit.run(manual).await.state, RunState::Held);
    claimed(&mut kit, &job).await;
    was_replaced(&kit, manual).await;
}

pub async fn run_that_somebody_ends_makes_room_already(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = saved(&kit, 1).await;
    let (first, _) = claimed(&mut kit, &job).await;
    kit.store.cancel_run(first, "enough", None, at(1_100)).await.expect("cancel_run");
    cancels(&kit).await;
    claimed(&mut kit, &job).await;
    assert_eq!(kit.run(first).await.reason.as_deref(), Some("enough"), "the first reason stays");
    assert_eq!(cancels(&kit).await, []);
}

pub async fn batch_that_is_repeated_replaces_nobody_twice(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = saved(&kit, 1).await;
    claimed(&mut kit, &job).await;
    let job = kit.again(&job).await;
    let mut entry = job.claimed_entry(0);
    entry.runs.push(new_run(entry.trigger, at(2_500), true));
    let (second, third) = (entry.runs[0].id, entry.runs[1].id);
    let batch = Arc::new(FireBatch { id: kit.batch_id(), at: at(2_500), answered: 0, entries: vec![entry] });
    let placed = kit.store.fire(Arc::clone(&batch)).await.expect("fire").placed;
    assert_eq!(placed, [Placed::Held, Placed::Held]);
    let before = kit.all_runs().await;
    was_replaced(&kit, second).await;
    let repeated = kit.store.fire(batch).await.expect("fire").placed;
    assert_eq!(repeated, [Placed::Known, Placed::Held]);
    assert_eq!(kit.all_runs().await, before);
    assert_eq!(kit.run(third).await.state, RunState::Held);
}

pub async fn trigger_that_awaited_the_replaced_run_is_noted(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit
        .save(Draft::new("a").limit(Overlap::CancelRunning, 1).trigger("t", at(1_000)).trigger("delay", at(1_000)))
        .await;
    kit.changed_triggers().await;
    kit.fire(at(1_000), vec![job.awaiting_entry(1)]).await;
    assert_eq!(kit.changed_triggers().await, []);
    let awaited = job.next_run(1);
    kit.fire(at(1_000), vec![job.claimed_entry(0)]).await;
    was_replaced(&kit, awaited).await;
    assert_eq!(kit.changed_triggers().await, [job.row(1).id]);
}
