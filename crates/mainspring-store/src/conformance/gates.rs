//! Limits of unfinished runs.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::RunId;
use mainspring_core::batch::{CompletionOutcome, FireOutcome, GapOutcome, GapReason, Placed};
use mainspring_core::job::Overlap;
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::{AttemptOutcome, RunState, Verdict};

use super::kit::{Draft, Kept, Kit, asked, at};
use crate::Store;

pub async fn skip_suppresses_fires_at_the_limit(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").limit(Overlap::Skip, 1).trigger("t", at(1_000))).await;
    assert_eq!(kit.fire(at(1_000), vec![job.claimed_entry(0)]).await.placed, [Placed::Running]);
    let job = kit.again(&job).await;
    let run = job.next_run(0);
    assert_eq!(kit.fire(at(2_000), vec![job.claimed_entry(0)]).await.placed, [Placed::Suppressed]);
    assert_eq!(kit.states(&[run]).await, [None], "there is no run");
    let gaps = kit.store.gaps(None, 0, 10).await.expect("gaps");
    assert_eq!(gaps.len(), 1);
    let gap = &gaps[0].gap;
    assert_eq!((gap.first, gap.last, gap.count), (at(2_000), at(2_000), 1));
    assert_eq!((gap.outcome, gap.reason, gap.policy.as_str()), (GapOutcome::Suppressed, GapReason::Overlap, "skip"));
    assert_eq!(kit.again(&job).await.row(0).progress.next_fire_at, Some(at(3_000)), "the trigger goes on");
}

pub async fn hold_blocks_fires_at_the_limit(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").limit(Overlap::Hold, 1).trigger("t", at(1_000))).await;
    kit.fire(at(1_000), vec![job.claimed_entry(0)]).await;
    let run = job.next_run(0);
    let job = kit.again(&job).await;
    let outcome = kit.fire(at(2_000), vec![job.entry(0)]).await;
    assert_eq!(outcome, FireOutcome { blocked: vec![0], ..FireOutcome::default() });
    assert_eq!(kit.again(&job).await.row(0), job.row(0), "nothing is recorded");
    assert_eq!(kit.store.gaps(None, 0, 10).await.expect("gaps"), []);
    let outcome = kit.complete(at(2_500), vec![job.verdict(run, Verdict::Succeeded, at(2_500))]).await;
    assert_eq!(outcome.freed, [job.id()]);
    assert_eq!(kit.fire(at(2_501), vec![job.entry(0)]).await.placed, [Placed::Queued]);
}

pub async fn queue_one_holds_one_and_suppresses_the_next(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").limit(Overlap::QueueOne, 1).trigger("t", at(1_000))).await;
    for expected in [Placed::Running, Placed::Held, Placed::Suppressed, Placed::Suppressed] {
        let job = kit.again(&job).await;
        let now = job.row(0).progress.next_fire_at.expect("it goes on");
        assert_eq!(kit.fire(now, vec![job.claimed_entry(0)]).await.placed, [expected]);
    }
    let states: Vec<RunState> = kit.all_runs().await.iter().map(|run| run.state).collect();
    assert_eq!(states, [RunState::Held, RunState::Running]);
    assert_eq!(kit.claim(10, at(9_000)).await, [], "a held run cannot be claimed");
    let tally = kit.store.tally().await.expect("tally");
    assert_eq!((tally[0].fired, tally[0].suppressed), (2, 2));
}

pub async fn limit_above_one_counts_each_run(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").limit(Overlap::Skip, 3).trigger("t", at(1_000))).await;
    for expected in [Placed::Queued, Placed::Queued, Placed::Queued, Placed::Suppressed] {
        let job = kit.again(&job).await;
        let now = job.row(0).progress.next_fire_at.expect("it goes on");
        assert_eq!(kit.fire(now, vec![job.entry(0)]).await.placed, [expected], "queued runs take slots as well");
    }
}

pub async fn limit_reached_within_a_batch_is_seen_by_later_entries(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    for (overlap, expected, blocked) in [
        (Overlap::Skip, vec![Placed::Running, Placed::Suppressed, Placed::Suppressed], vec![]),
        (Overlap::QueueOne, vec![Placed::Running, Placed::Held, Placed::Suppressed], vec![]),
        (Overlap::QueueAll, vec![Placed::Running, Placed::Held, Placed::Held], vec![]),
        (Overlap::Hold, vec![Placed::Running], vec![1, 2]),
    ] {
        let draft = Draft::new(overlap.as_str()).limit(overlap, 1);
        let job = kit.save(draft.trigger("x", at(1_000)).trigger("y", at(1_000)).trigger("z", at(1_000))).await;
        let entries = (0..3).map(|i| job.claimed_entry(i)).collect();
        assert_eq!(
            kit.fire(at(1_000), entries).await,
            FireOutcome { blocked, placed: expected, ..FireOutcome::default() }
        );
    }
}

pub async fn held_run_is_promoted_when_the_slot_is_freed(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job =
        kit.save(Draft::new("a").limit(Overlap::QueueOne, 1).trigger("x", at(1_000)).trigger("y", at(1_000))).await;
    kit.fire(at(1_000), vec![job.claimed_entry(0), job.claimed_entry(1)]).await;
    let (first, second) = (job.next_run(0), job.next_run(1));
    let outcome = kit.complete(at(1_500), vec![job.verdict(first, Verdict::Failed, at(1_500))]).await;
    assert_eq!((outcome.promoted, outcome.freed.as_slice()), (1, [].as_slice()), "the slot was taken at once");
    assert_eq!(kit.run(second).await.state, RunState::Queued);
    let claimed = kit.claim(10, at(1_501)).await;
    assert_eq!(claimed.iter().map(|c| c.run).collect::<Vec<_>>(), [second]);
    let outcome = kit.complete(at(1_600), vec![job.verdict(second, Verdict::Succeeded, at(1_600))]).await;
    assert_eq!((outcome.promoted, outcome.freed), (0, vec![job.id()]));
}

pub async fn held_runs_are_promoted_in_the_order_of_claims(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").limit(Overlap::Skip, 1).trigger("t", at(1_000))).await;
    kit.fire(at(1_000), vec![job.claimed_entry(0)]).await;
    let mut held = Vec::new();
    for (number, priority, ms) in [(1, 5, 1_100), (2, 9, 1_300), (3, 5, 1_050), (4, -1, 1_001)] {
        let run = crate::AskedRun { priority, ..asked(&job, number, at(ms)) };
        assert_eq!(kit.store.ask_run(run.clone()).await.expect("ask_run").placed, Placed::Held);
        held.push(run.id);
    }
    let mut running = job.next_run(0);
    for next in [held[1], held[2], held[0], held[3]] {
        let outcome = kit.complete(at(2_000), vec![job.verdict(running, Verdict::Succeeded, at(2_000))]).await;
        assert_eq!(outcome.promoted, 1);
        let claimed = kit.claim(10, at(2_000)).await;
        assert_eq!(claimed.iter().map(|c| c.run).collect::<Vec<_>>(), [next]);
        running = next;
    }
}

pub async fn retry_keeps_the_slot(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").limit(Overlap::Skip, 1).trigger("t", at(1_000))).await;
    kit.fire(at(1_000), vec![job.claimed_entry(0)]).await;
    let retry = AfterAttempt::RetryAt(at(5_000));
    let end = job.completion(job.next_run(0), 1, AttemptOutcome::Failed, retry, at(1_100));
    assert_eq!(kit.complete(at(1_100), vec![end]).await.freed, []);
    let job = kit.again(&job).await;
    assert_eq!(kit.fire(at(2_000), vec![job.entry(0)]).await.placed, [Placed::Suppressed]);
}

pub async fn limit_that_is_set_later_counts_unfinished_runs(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    kit.fire(at(1_000), vec![job.claimed_entry(0)]).await;
    let run = job.next_run(0);
    let before = kit.again(&job).await;
    let job = kit.save(Draft::from_kept(&before).limit(Overlap::Skip, 1)).await;
    assert_eq!(kit.fire(at(2_000), vec![job.entry(0)]).await.placed, [Placed::Suppressed]);
    kit.complete(at(2_100), vec![job.verdict(run, Verdict::Succeeded, at(2_100))]).await;
    let job = kit.again(&job).await;
    assert_eq!(kit.fire(at(3_000), vec![job.entry(0)]).await.placed, [Placed::Queued]);
}

pub async fn limit_that_is_lifted_promotes_held_runs(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").limit(Overlap::Skip, 1).trigger("t", at(1_000))).await;
    for number in 0..4 {
        kit.ask(&job, number, at(number.cast_signed())).await;
    }
    let count = |states: &[RunState], wanted| states.iter().filter(|s| **s == wanted).count();
    for (overlap, max_active, queued) in [(Overlap::Skip, 1, 1), (Overlap::Skip, 2, 2), (Overlap::Allow, 1, 4)] {
        let now = kit.again(&job).await;
        kit.save(Draft::from_kept(&now).limit(overlap, max_active)).await;
        let states: Vec<RunState> = kit.all_runs().await.iter().map(|run| run.state).collect();
        assert_eq!(count(&states, RunState::Queued), queued, "{overlap} {max_active}");
        assert_eq!(count(&states, RunState::Held), 4 - queued, "{overlap} {max_active}");
    }
}

/// Fires once under `first`, sets `second`, and returns the job before and after with the run that is unfinished.
async fn changed_limit(kit: &mut Kit, first: (Overlap, u32), second: (Overlap, u32)) -> (Kept, Kept, RunId) {
    let before = kit.save(Draft::new("a").limit(first.0, first.1).trigger("t", at(1_000))).await;
    let run = before.next_run(0);
    assert_eq!(kit.fire(at(1_000), vec![before.claimed_entry(0)]).await.placed, [Placed::Running]);
    let now = kit.again(&before).await;
    let after = kit.save(Draft::from_kept(&now).limit(second.0, second.1)).await;
    (before, after, run)
}

async fn succeed(kit: &mut Kit, job: &Kept, run: RunId) -> CompletionOutcome {
    kit.complete(at(8_000), vec![job.verdict(run, Verdict::Succeeded, at(8_000))]).await
}

pub async fn limit_that_is_set_lets_go_when_a_run_from_before_ends(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (before, after, run) = changed_limit(&mut kit, (Overlap::Allow, 1), (Overlap::Hold, 1)).await;
    let blocked = kit.fire(at(2_000), vec![after.entry(0)]).await;
    assert_eq!(blocked.blocked, [0], "a run from before takes a slot");
    let ended = succeed(&mut kit, &before, run).await;
    assert_eq!((ended.promoted, ended.freed), (0, vec![after.id()]));
    assert_eq!(kit.fire(at(2_001), vec![after.entry(0)]).await.placed, [Placed::Queued]);
}

pub async fn limit_that_is_set_promotes_when_a_run_from_before_ends(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (before, after, run) = changed_limit(&mut kit, (Overlap::Allow, 1), (Overlap::QueueOne, 1)).await;
    let second = after.next_run(0);
    assert_eq!(kit.fire(at(2_000), vec![after.claimed_entry(0)]).await.placed, [Placed::Held]);
    let ended = succeed(&mut kit, &before, run).await;
    assert_eq!((ended.promoted, ended.freed), (1, vec![]));
    assert_eq!(kit.run(second).await.state, RunState::Queued);
}

pub async fn limit_that_is_raised_holds_for_runs_from_before(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let before = kit.save(Draft::new("a").limit(Overlap::Skip, 1).trigger("t", at(1_000))).await;
    let run = before.next_run(0);
    kit.fire(at(1_000), vec![before.claimed_entry(0)]).await;
    for number in 0..3 {
        assert_eq!(kit.ask(&before, number, at(1_100 + number.cast_signed())).await.1.placed, Placed::Held);
    }
    let now = kit.again(&before).await;
    kit.save(Draft::from_kept(&now).limit(Overlap::Skip, 2)).await;
    assert_eq!(kit.claim(9, at(1_200)).await.len(), 1, "the second slot is taken at once");
    assert_eq!(succeed(&mut kit, &before, run).await.promoted, 1, "both slots are used");
    assert_eq!(kit.claim(9, at(1_300)).await.len(), 1);
}

pub async fn limit_that_is_lowered_holds_for_runs_from_before(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let before = kit.save(Draft::new("a").limit(Overlap::Skip, 3).trigger("t", at(1_000))).await;
    for number in 0..4 {
        kit.ask(&before, number, at(1_000 + number.cast_signed())).await;
    }
    let runs: Vec<RunId> = kit.claim(9, at(1_200)).await.iter().map(|claimed| claimed.run).collect();
    assert_eq!(runs.len(), 3);
    let now = kit.again(&before).await;
    let after = kit.save(Draft::from_kept(&now).limit(Overlap::Skip, 1)).await;
    for (run, promoted) in [(runs[0], 0), (runs[1], 0), (runs[2], 1)] {
        let ended = succeed(&mut kit, &before, run).await;
        assert_eq!((ended.promoted, ended.freed), (promoted, vec![]), "one at a time from now on");
    }
    let last = kit.claim(9, at(1_300)).await[0].run;
    assert_eq!(succeed(&mut kit, &before, last).await.freed, [after.id()]);
}

pub async fn limit_that_is_lifted_is_forgotten_by_runs_from_before(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (before, after, run) = changed_limit(&mut kit, (Overlap::Hold, 1), (Overlap::Allow, 1)).await;
    let second = after.next_run(0);
    assert_eq!(kit.fire(at(2_000), vec![after.claimed_entry(0)]).await.placed, [Placed::Running]);
    assert_eq!(succeed(&mut kit, &before, run).await, CompletionOutcome::default(), "there is no limit to be asked");
    let now = kit.again(&after).await;
    let again = kit.save(Draft::from_kept(&now).limit(Overlap::Hold, 1)).await;
    assert_eq!(kit.fire(at(3_000), vec![again.entry(0)]).await.blocked, [0], "a limit set again counts what is left");
    assert_eq!(succeed(&mut kit, &after, second).await.freed, [again.id()]);
}

pub async fn run_of_an_earlier_version_meets_the_present_limit(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (before, _, run) = changed_limit(&mut kit, (Overlap::Allow, 1), (Overlap::Skip, 1)).await;
    let (rerun, asked) = kit.ask(&before, 1, at(1_500)).await;
    assert_eq!(asked.placed, Placed::Held, "the version that runs says nothing about the limit");
    assert_eq!(succeed(&mut kit, &before, run).await.promoted, 1);
    assert_eq!(kit.run(rerun).await.state, RunState::Queued);
}

pub async fn limit_of_a_deleted_job_is_forgotten(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").limit(Overlap::Skip, 1).trigger("t", at(1_000))).await;
    kit.fire(at(1_000), vec![job.claimed_entry(0)]).await;
    kit.store
        .delete_job(&job.job.definition.key, crate::Expect::Anything, Vec::new(), at(1_500))
        .await
        .expect("delete_job");
    assert_eq!(succeed(&mut kit, &job, job.next_run(0)).await, CompletionOutcome::default());
}
