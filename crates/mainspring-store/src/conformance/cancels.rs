//! Ending runs on request.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::RunId;
use mainspring_core::batch::Rearm;
use mainspring_core::cluster::ShardSet;
use mainspring_core::job::Overlap;
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::{AttemptOutcome, RunState, Verdict};

use super::kit::{Draft, Kit, NONE, RELEASE, TakeChanges, at};
use crate::{Cancelled, Error, Store};

async fn cancel(kit: &Kit, run: RunId, ms: i64) -> Cancelled {
    kit.store.cancel_run(run, "cancelled by Zoë", None, at(ms)).await.expect("cancel_run")
}

pub async fn unstarted_run_is_over_at_once(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").limit(Overlap::Skip, 2)).await;
    let mut runs = Vec::new();
    for number in 0..3 {
        runs.push(kit.ask(&job, number, at(number.cast_signed())).await.0);
    }
    kit.claim(1, at(10)).await;
    let retry = AfterAttempt::RetryAt(at(5_000));
    kit.complete(at(20), vec![job.completion(runs[0], 1, AttemptOutcome::Failed, retry, at(20))]).await;
    let states = kit.states(&runs).await;
    assert_eq!(states, [Some(RunState::Scheduled), Some(RunState::Queued), Some(RunState::Held)]);
    for run in runs.iter().rev() {
        assert_eq!(cancel(&kit, *run, 30).await, Cancelled::AtOnce);
        let info = kit.run(*run).await;
        assert_eq!((info.state, info.ended_at), (RunState::Cancelled, Some(at(30))));
        assert_eq!(info.reason.as_deref(), Some("cancelled by Zoë"));
        assert_eq!(cancel(&kit, *run, 40).await, Cancelled::AlreadyFinal(RunState::Cancelled));
    }
    assert_eq!(kit.claim(9, at(9_000)).await, []);
    assert_eq!(kit.store.release_due(at(9_000), 9).await.expect("release_due").count, 0);
    assert_eq!(kit.store.info().await.expect("info").live_runs, 0);
    let attempts = kit.store.attempts(runs[0]).await.expect("attempts");
    let outcomes: Vec<_> = attempts.iter().map(|a| a.outcome).collect();
    assert_eq!(outcomes, [Some(AttemptOutcome::Failed)], "the attempt before it was cancelled");
    assert_eq!(kit.store.attempts(runs[1]).await.expect("attempts"), []);
}

pub async fn running_run_is_asked_to_end(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    kit.fire(at(1_000), vec![job.claimed_entry(0)]).await;
    let run = job.next_run(0);
    assert_eq!(cancel(&kit, run, 1_100).await, Cancelled::Requested);
    let again = kit.store.cancel_run(run, "cancelled by another", None, at(1_200)).await.expect("cancel_run");
    assert_eq!(again, Cancelled::Requested);
    let info = kit.run(run).await;
    assert_eq!((info.state, info.cancel_requested_at), (RunState::Running, Some(at(1_100))));
    assert_eq!(info.reason.as_deref(), Some("cancelled by Zoë"), "the first one stays");
    let changes = kit.store.take_changes(kit.incarnation, ShardSet::ALL, 10).await.expect("take_changes");
    assert_eq!(changes.cancels, [run], "the engine hears of it once");
    assert_eq!(kit.store.take_changes(kit.incarnation, ShardSet::ALL, 10).await.expect("take_changes").cancels, []);

    let over = AfterAttempt::Final(Verdict::Cancelled);
    let end = job.completion(run, 1, AttemptOutcome::Cancelled, over, at(1_300));
    assert_eq!(kit.complete(at(1_300), vec![end]).await.refused, NONE);
    let info = kit.run(run).await;
    assert_eq!((info.state, info.cancel_requested_at), (RunState::Cancelled, Some(at(1_100))));
    assert_eq!(info.reason.as_deref(), Some("cancelled by Zoë"));
}

pub async fn run_that_ends_well_despite_the_request_has_succeeded(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    kit.fire(at(1_000), vec![job.claimed_entry(0)]).await;
    let run = job.next_run(0);
    cancel(&kit, run, 1_100).await;
    kit.complete(at(1_101), vec![job.verdict(run, Verdict::Succeeded, at(1_101))]).await;
    assert_eq!(kit.run(run).await.state, RunState::Succeeded);
    assert_eq!(kit.run(run).await.reason, None);
    assert_eq!(cancel(&kit, run, 1_200).await, Cancelled::AlreadyFinal(RunState::Succeeded));
}

pub async fn run_whose_end_was_asked_for_is_not_tried_again(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").limit(Overlap::Skip, 1).trigger("t", at(1_000))).await;
    kit.fire(at(1_000), vec![job.claimed_entry(0)]).await;
    let run = job.next_run(0);
    cancel(&kit, run, 1_100).await;
    let retry = AfterAttempt::RetryAt(at(2_000));
    let outcome = kit.complete(at(1_200), vec![job.completion(run, 1, AttemptOutcome::Failed, retry, at(1_200))]).await;
    assert_eq!((outcome.refused, outcome.freed), (vec![], vec![job.id()]));
    let info = kit.run(run).await;
    assert_eq!((info.state, info.reason.as_deref()), (RunState::Cancelled, Some("cancelled by Zoë")));
    let attempts = kit.store.attempts(run).await.expect("attempts");
    assert_eq!(attempts.iter().map(|a| a.outcome).collect::<Vec<_>>(), [Some(AttemptOutcome::Failed)]);
}

pub async fn cancel_frees_a_slot_for_the_held_run(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").limit(Overlap::QueueOne, 1).trigger("t", at(1_000))).await;
    let (first, _) = kit.ask(&job, 1, at(1)).await;
    let (second, _) = kit.ask(&job, 2, at(2)).await;
    kit.store.take_changes(kit.incarnation, ShardSet::ALL, 10).await.expect("take_changes");
    cancel(&kit, first, 3).await;
    assert_eq!(kit.run(second).await.state, RunState::Queued);
    let changes = kit.store.take_changes(kit.incarnation, ShardSet::ALL, 10).await.expect("take_changes");
    assert_eq!((changes.queued, changes.triggers), (true, vec![]), "no slot is left");
    cancel(&kit, second, 4).await;
    assert_eq!(kit.changed_triggers().await, [job.row(0).id], "blocked triggers can go on");
}

pub async fn cancel_of_a_held_run_frees_no_slot(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").limit(Overlap::QueueOne, 1).trigger("t", at(1_000))).await;
    let (first, _) = kit.ask(&job, 1, at(1)).await;
    let (second, _) = kit.ask(&job, 2, at(2)).await;
    cancel(&kit, second, 3).await;
    let entry = job.entry(0);
    let outcome = kit.fire(at(1_000), vec![entry]).await;
    assert_eq!(outcome.placed, [mainspring_core::batch::Placed::Held], "the slot is taken, the line is empty");
    assert_eq!(kit.run(first).await.state, RunState::Queued);
}

pub async fn cancel_of_an_awaited_run_arms_its_trigger(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("d").trigger("t", at(1_000))).await;
    let (run, trigger) = (job.next_run(0), job.row(0).id);
    kit.fire(at(1_000), vec![job.awaiting_entry(0)]).await;
    kit.changed_triggers().await;
    let rearm = Rearm { trigger, next_fire_at: Some(at(6_000)), due_at: Some(at(6_005)), tzdata: Some(RELEASE) };
    let cancelled = kit.store.cancel_run(run, "why", Some(rearm), at(1_100)).await.expect("cancel_run");
    assert_eq!(cancelled, Cancelled::AtOnce);
    assert_eq!(kit.changed_triggers().await, [trigger], "the engine hears of it");
    let progress = kit.again(&job).await.row(0).progress;
    assert_eq!((progress.next_fire_at, progress.due_at), (Some(at(6_000)), Some(at(6_005))));
    assert_eq!(progress.awaiting_run, None);
    assert_eq!(kit.window(at(9_000), 9).await.len(), 1);
}

pub async fn cancel_of_a_running_run_leaves_its_trigger_waiting(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("d").trigger("t", at(1_000))).await;
    let (run, trigger) = (job.next_run(0), job.row(0).id);
    kit.fire(at(1_000), vec![job.awaiting_entry(0)]).await;
    kit.claim(1, at(1_050)).await;
    let rearm = Rearm { trigger, next_fire_at: Some(at(6_000)), due_at: Some(at(6_005)), tzdata: Some(RELEASE) };
    kit.store.cancel_run(run, "why", Some(rearm), at(1_100)).await.expect("cancel_run");
    assert_eq!(kit.again(&job).await.row(0).progress.awaiting_run, Some(run));
    assert_eq!(kit.store.stranded().await.expect("stranded"), []);
}

pub async fn trigger_whose_run_ended_without_arming_it_is_stranded(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("d").trigger("t", at(1_000)).trigger("u", at(1_000))).await;
    kit.fire(at(1_000), vec![job.awaiting_entry(0), job.awaiting_entry(1)]).await;
    kit.changed_triggers().await;
    cancel(&kit, job.next_run(0), 1_100).await;
    assert_eq!(kit.changed_triggers().await, [job.row(0).id]);
    let stranded = kit.store.stranded().await.expect("stranded");
    assert_eq!(stranded, [kit.again(&job).await.row(0).clone()], "the other one's run is unfinished");
    assert_eq!(stranded[0].progress.awaiting_run, Some(job.next_run(0)));
}

pub async fn unknown_run_cannot_be_cancelled(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let error = kit.store.cancel_run(RunId::from_bytes([7; 16]), "x", None, at(0)).await.expect_err("there is none");
    assert!(matches!(error, Error::NotFound { what: "run", .. }), "{error}");
}
