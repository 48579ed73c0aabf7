//! Recording fires.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::batch::{ANSWERS_KEPT, FireBatch, FireOutcome, Gap, GapOutcome, GapReason, Placed, TriggerStatus};
use mainspring_core::job::Overlap;
use mainspring_core::run::{Origin, RunState, Verdict};
use mainspring_core::{BatchId, Timestamp, TriggerId};

use super::kit::{Draft, Kit, NONE, advanced, asked, at, new_run, update};
use crate::{AskedRun, Error, Expect, JobUpdate, Store, TriggerUpdate};

pub async fn fire_queues_a_run_and_advances_its_trigger(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000)).edit(|job| job.queue = "heavy".into())).await;
    let outcome = kit.fire(at(1_002), vec![job.entry(0)]).await;
    assert_eq!(outcome, FireOutcome { placed: vec![Placed::Queued], ..FireOutcome::default() });

    let run = kit.run(job.next_run(0)).await;
    assert_eq!((run.state, run.origin, run.attempt), (RunState::Queued, Origin::Schedule, 0));
    assert_eq!((run.job, run.job_version, &run.key), (job.id(), job.job.version, &job.job.definition.key));
    assert_eq!((run.trigger, run.trigger_name.as_deref()), (Some(job.row(0).id), Some("t")));
    assert_eq!((run.fire_time, run.due_at, run.created_at), (at(1_000), at(1_000), at(1_002)));
    assert_eq!((run.claimed_at, run.started_at, run.ended_at), (None, None, None));
    assert_eq!((run.queue.as_str(), run.priority), ("heavy", 5));

    let after = kit.again(&job).await;
    assert_eq!(after.row(0).progress, advanced(&job.row(0).progress, at(1_000), Some(at(2_000))));
    assert_eq!(after.row(0).version, job.row(0).version, "a fire is no change from outside");
    assert_eq!(after.job, job.job);
}

pub async fn fire_with_a_slot_kept_starts_a_running_run(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    let outcome = kit.fire(at(1_001), vec![job.claimed_entry(0)]).await;
    assert_eq!(outcome.placed, [Placed::Running]);
    let run = kit.run(job.next_run(0)).await;
    assert_eq!((run.state, run.attempt, run.claimed_at), (RunState::Running, 1, Some(at(1_001))));
    assert_eq!(kit.claim(10, at(1_002)).await, [], "it has its worker");
    let attempts = kit.store.attempts(run.id).await.expect("attempts");
    assert_eq!(attempts.iter().map(|a| (a.attempt, a.outcome)).collect::<Vec<_>>(), [(1, None)]);
}

pub async fn fire_of_something_changed_is_stale_and_leaves_no_trace(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    let mut other_version = job.entry(0);
    other_version.version += 1;
    let mut other_instant = job.entry(0);
    other_instant.expected = at(999);
    let mut unknown = job.entry(0);
    unknown.trigger = TriggerId(i64::MAX);
    for (entry, what) in [(other_version, "version"), (other_instant, "instant"), (unknown, "trigger")] {
        assert_eq!(kit.fire(at(1_000), vec![entry]).await.stale, [0], "another {what}");
    }

    let paused = kit.save(Draft::new("p").trigger("t", at(1_000)).with(|w| w.triggers[0].paused = true)).await;
    assert_eq!(kit.fire(at(1_000), vec![paused.entry(0)]).await.stale, [0], "the trigger is paused");
    let rests = kit.save(Draft::new("r").trigger("t", at(1_000)).with(|w| w.paused = true)).await;
    assert_eq!(kit.fire(at(1_000), vec![rests.entry(0)]).await.stale, [0], "the job is paused");
    let gone = kit.save(Draft::new("g").trigger("t", at(1_000))).await;
    kit.store.delete_job(&gone.job.definition.key, Expect::Anything, Vec::new(), at(500)).await.expect("delete_job");
    assert_eq!(kit.fire(at(1_000), vec![gone.entry(0)]).await.stale, [0], "the job is gone");

    assert_eq!(kit.all_runs().await, []);
    assert_eq!(kit.store.gaps(None, 0, 10).await.expect("gaps"), []);
    for kept in [&job, &paused, &rests] {
        assert_eq!(kit.again(kept).await.row(0), kept.row(0), "the trigger stays as it was");
    }
}

pub async fn stale_entry_does_not_stop_the_others(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("x", at(1_000)).trigger("y", at(1_000)).trigger("z", at(1_000))).await;
    let mut stale = job.entry(1);
    stale.expected = at(1_001);
    let outcome = kit.fire(at(1_000), vec![job.claimed_entry(0), stale, job.entry(2)]).await;
    assert_eq!(outcome.stale, [1]);
    assert_eq!(outcome.placed, [Placed::Running, Placed::Queued], "in the batch's order, without the stale one");
    let states = kit.states(&[job.next_run(0), job.next_run(1), job.next_run(2)]).await;
    assert_eq!(states, [Some(RunState::Running), None, Some(RunState::Queued)]);
}

pub async fn late_instants_fire_one_by_one_in_one_entry(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(0))).await;
    let trigger = job.row(0).id;
    let mut entry = job.entry(0);
    entry.runs = (0..100).map(|i| new_run(trigger, at(i * 10), i == 0)).collect();
    entry.progress = advanced(&job.row(0).progress, at(990), Some(at(1_000)));
    entry.progress.times_triggered = 100;
    let outcome = kit.fire(at(995), vec![entry]).await;
    assert_eq!(outcome.placed[..2], [Placed::Running, Placed::Queued]);
    assert_eq!(outcome.placed.len(), 100);
    let runs = kit.all_runs().await;
    let times: Vec<Timestamp> = runs.iter().rev().map(|run| run.fire_time).collect();
    assert_eq!(times, (0..100).map(|i| at(i * 10)).collect::<Vec<_>>());
    let tally = kit.store.tally().await.expect("tally");
    assert_eq!((tally[0].fired, tally[0].first, tally[0].last), (100, Some(at(0)), Some(at(990))));
}

pub async fn repeated_batch_gets_the_same_answer_and_leaves_one_record(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let free = kit.save(Draft::new("free").trigger("x", at(1_000)).trigger("y", at(1_000))).await;
    let skip = kit.save(Draft::new("skip").limit(Overlap::Skip, 1).trigger("t", at(1_000))).await;
    let hold = kit.save(Draft::new("hold").limit(Overlap::Hold, 1).trigger("t", at(1_000))).await;
    let one = kit.save(Draft::new("one").limit(Overlap::QueueOne, 1).trigger("t", at(1_000))).await;
    for job in [&skip, &hold, &one] {
        kit.ask(job, 1, at(900)).await;
    }
    let mut changed = free.entry(1);
    changed.version += 9;
    let entries =
        vec![free.claimed_entry(0), changed, skip.claimed_entry(0), hold.claimed_entry(0), one.claimed_entry(0)];
    let batch = Arc::new(FireBatch { id: kit.batch_id(), at: at(1_000), answered: 0, entries });
    let first = kit.store.fire(batch.clone()).await.expect("fire");
    assert_eq!(first.stale, [1]);
    assert_eq!(first.blocked, [3]);
    assert_eq!(first.placed, [Placed::Running, Placed::Suppressed, Placed::Held]);
    let event = kit.store.last_event().await.expect("last_event");

    let again = FireOutcome { blocked: Vec::new(), busy: first.blocked.clone(), ..first };
    for _ in 0..2 {
        assert_eq!(kit.store.fire(batch.clone()).await.expect("fire"), again);
    }
    assert_eq!(kit.all_runs().await.len(), 3 + 2, "three asked for, two fired");
    assert_eq!(kit.store.gaps(None, 0, 10).await.expect("gaps").len(), 1);
    assert_eq!(kit.store.last_event().await.expect("last_event"), event, "nothing happened");
    assert_eq!(kit.again(&free).await.row(0).progress.times_triggered, 1);
}

/// A message that was held up arrives when its repeat has been answered. Whoever sent it has decided anew what was left out
/// then, or given it to another node.
pub async fn batch_that_comes_again_records_nothing_that_it_left_out(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let hold = kit.save(Draft::new("hold").limit(Overlap::Hold, 1).trigger("t", at(1_000))).await;
    let free = kit.save(Draft::new("free").trigger("t", at(1_000)).trigger("u", at(1_000))).await;
    let (asked, _) = kit.ask(&hold, 1, at(900)).await;
    let trigger = free.row(0);
    let mut next = free.entry(0);
    next.expected = at(2_000);
    next.progress = advanced(&advanced(&trigger.progress, at(1_000), Some(at(2_000))), at(2_000), Some(at(3_000)));
    next.runs = vec![new_run(trigger.id, at(2_000), false)];
    let entries = vec![hold.claimed_entry(0), next.clone()];
    let batch = Arc::new(FireBatch { id: kit.batch_id(), at: at(1_000), answered: 0, entries });
    let first = kit.store.fire(Arc::clone(&batch)).await.expect("fire");
    assert_eq!((first.blocked, first.stale), (vec![0], vec![1]));

    kit.fire(at(1_000), vec![free.entry(0)]).await;
    kit.store.cancel_run(asked, "enough", None, at(1_100)).await.expect("cancel_run");
    let late = kit.store.fire(Arc::clone(&batch)).await.expect("fire");
    assert_eq!(late, FireOutcome { busy: vec![0], stale: vec![1], ..FireOutcome::default() }, "both would fire now");
    // A newer batch takes the place of the answer: the message comes later than any repeat.
    let id = BatchId { sequence: batch.id.sequence + ANSWERS_KEPT, ..batch.id };
    let newer = FireBatch { id, at: at(1_200), answered: 0, entries: vec![free.entry(1)] };
    assert_eq!(kit.store.fire(Arc::new(newer)).await.expect("fire").placed, [Placed::Queued]);
    let late = kit.store.fire(batch).await.expect("fire");
    assert_eq!(late, FireOutcome { busy: vec![0, 1], ..FireOutcome::default() });
    assert_eq!(kit.states(&[hold.next_run(0), next.runs[0].id]).await, [None, None]);

    let outcome = kit.fire(at(1_300), vec![hold.claimed_entry(0), next]).await;
    assert_eq!(outcome.placed, [Placed::Running, Placed::Queued], "a new batch records them");
}

pub async fn run_that_is_unfinished_is_known(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").limit(Overlap::Skip, 2).trigger("t", at(1_000))).await;
    kit.fire(at(1_000), vec![job.entry(0)]).await;
    let again = rewound(&kit, &job).await;
    let mut entry = again.claimed_entry(0);
    entry.runs.push(new_run(again.row(0).id, at(2_000), false));
    let outcome = kit.fire(at(2_000), vec![entry]).await;
    assert_eq!(outcome.placed, [Placed::Known, Placed::Queued], "the known run takes no second slot");
    assert_eq!(kit.run(job.next_run(0)).await.state, RunState::Queued, "it stays as it was");
}

pub async fn run_that_was_asked_for_is_known_to_its_fire(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000)).trigger("u", at(1_000))).await;
    let run = AskedRun { id: job.next_run(0), ..asked(&job, 1, at(900)) };
    kit.store.ask_run(run).await.expect("ask");
    let outcome = kit.fire(at(1_000), vec![job.claimed_entry(0), job.claimed_entry(1)]).await;
    assert_eq!(outcome.placed, [Placed::Known, Placed::Running]);
    assert_eq!(kit.run(job.next_run(0)).await.state, RunState::Queued, "it stays as it was");
    assert_eq!(kit.again(&job).await.row(0).progress.next_fire_at, Some(at(2_000)), "its trigger goes on");
}

pub async fn run_that_is_in_history_is_known(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    kit.fire(at(1_000), vec![job.claimed_entry(0)]).await;
    let run = job.next_run(0);
    kit.complete(at(1_100), vec![job.verdict(run, Verdict::Failed, at(1_100))]).await;
    let again = rewound(&kit, &job).await;
    let outcome = kit.fire(at(1_200), vec![again.claimed_entry(0)]).await;
    assert_eq!(outcome.placed, [Placed::Known]);
    assert_eq!(kit.run(run).await.state, RunState::Failed);
    let tally = kit.store.tally().await.expect("tally");
    assert_eq!((tally[0].fired, tally[0].duplicated), (1, 0));
}

/// Sets the trigger back to where it stood, as a broken caller would.
async fn rewound(kit: &Kit, job: &super::kit::Kept) -> super::kit::Kept {
    let now = kit.again(job).await;
    let trigger = TriggerUpdate {
        id: now.row(0).id,
        expected_next: now.row(0).progress.next_fire_at,
        paused: None,
        progress: Some(job.row(0).progress),
        gap: None,
        reanchor: None,
    };
    kit.store.update_job(JobUpdate { triggers: vec![trigger], ..update(&now, at(1_150)) }).await.expect("update_job");
    kit.again(job).await
}

pub async fn fired_through_never_goes_back(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    kit.fire(at(1_000), vec![job.entry(0)]).await;
    let rewound = rewound(&kit, &job).await;
    assert_eq!(rewound.row(0).progress.fired_through, Some(at(1_000)), "after an update");
    let mut entry = rewound.entry(0);
    entry.runs.clear();
    entry.progress.fired_through = None;
    assert_eq!(kit.fire(at(1_200), vec![entry]).await.stale, NONE);
    let after = kit.again(&job).await;
    assert_eq!(after.row(0).progress.fired_through, Some(at(1_000)), "after a fire");
    let saved = kit.save(Draft::from_kept(&after).with(|w| w.triggers[0].progress.fired_through = None)).await;
    assert_eq!(saved.row(0).progress.fired_through, Some(at(1_000)), "after a save");
}

pub async fn trigger_that_is_complete_does_not_fire_again(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    let mut entry = job.entry(0);
    entry.progress = advanced(&job.row(0).progress, at(1_000), None);
    entry.leaves_window = true;
    kit.fire(at(1_000), vec![entry.clone()]).await;
    let after = kit.again(&job).await;
    assert_eq!(after.row(0).progress.status, TriggerStatus::Complete);
    assert_eq!(kit.fire(at(1_001), vec![entry]).await.stale, [0]);
    assert_eq!(kit.window(at(1_000_000), 10).await, []);
}

pub async fn missed_instants_are_recorded_with_the_fire(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(0))).await;
    let gap = Gap {
        first: at(0),
        last: at(59_000),
        count: 60,
        outcome: GapOutcome::Missed,
        reason: GapReason::Misfire,
        policy: "fire_once_now".into(),
    };
    let mut entry = job.entry(0);
    entry.gaps = vec![gap.clone()];
    entry.runs = vec![new_run(job.row(0).id, at(60_000), false)];
    entry.runs[0].origin = Origin::Misfire;
    kit.fire(at(60_500), vec![entry]).await;
    let gaps = kit.store.gaps(Some(job.row(0).id), 0, 10).await.expect("gaps");
    assert_eq!(gaps.len(), 1);
    assert_eq!((&gaps[0].gap, gaps[0].trigger, gaps[0].at), (&gap, job.row(0).id, at(60_500)));
    assert_eq!(gaps[0].job, job.job.definition.key);
    let tally = kit.store.tally().await.expect("tally");
    assert_eq!((tally[0].fired, tally[0].missed, tally[0].suppressed), (1, 60, 0));
    assert_eq!((tally[0].first, tally[0].last), (Some(at(0)), Some(at(60_000))));
}

pub async fn awaited_run_is_kept_only_if_it_was_placed(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    for (overlap, awaits) in [(Overlap::QueueOne, true), (Overlap::Skip, false)] {
        let job = kit.save(Draft::new(overlap.as_str()).limit(overlap, 1).trigger("t", at(1_000))).await;
        kit.ask(&job, 1, at(900)).await;
        let run = job.next_run(0);
        let mut entry = job.entry(0);
        entry.progress.next_fire_at = None;
        entry.progress.due_at = None;
        entry.progress.awaiting_run = Some(run);
        entry.leaves_window = true;
        kit.fire(at(1_000), vec![entry]).await;
        let progress = kit.again(&job).await.row(0).progress;
        assert_eq!(progress.awaiting_run, awaits.then_some(run), "{overlap}");
        assert_eq!((progress.next_fire_at, progress.status), (None, TriggerStatus::Active));
    }
    assert_eq!(kit.window(at(1_000_000), 10).await, [], "what waits for its run is not due");
}

pub async fn empty_batch_changes_nothing(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let event = kit.store.last_event().await.expect("last_event");
    assert_eq!(kit.fire(at(0), Vec::new()).await, FireOutcome::default());
    assert_eq!(kit.complete(at(0), Vec::new()).await, mainspring_core::batch::CompletionOutcome::default());
    assert_eq!(kit.store.last_event().await.expect("last_event"), event);
}

/// What a database refuses is told from what fails, and nothing of the batch is kept. `spoil` makes the database refuse the runs
/// of a trigger. Not in the suite: each database is spoiled in its own way.
pub async fn refused_batch_is_told_and_nothing_of_it_is_kept<F>(store: Arc<dyn Store>, spoil: impl FnOnce(i64) -> F)
where
    F: Future<Output = ()>,
{
    let mut kit = Kit::new(store).await;
    let good = kit.save(Draft::new("good").trigger("t", at(1_000))).await;
    let bad = kit.save(Draft::new("bad").trigger("t", at(1_000))).await;
    spoil(bad.row(0).id.0).await;
    let entries = vec![good.entry(0), bad.entry(0)];
    let batch = Arc::new(FireBatch { id: kit.batch_id(), at: at(1_000), answered: 0, entries });
    for _ in 0..2 {
        let refused = kit.store.fire(Arc::clone(&batch)).await;
        assert!(matches!(refused, Err(Error::Rejected { .. })), "{refused:?}");
    }
    assert!(kit.all_runs().await.is_empty());
    assert_eq!(kit.fire(at(1_000), vec![good.entry(0)]).await.placed.len(), 1);
    let (id, version) = (bad.row(0).id, bad.row(0).version);
    assert!(kit.store.set_trigger_error(id, version, "refused", at(1_000)).await.expect("put aside"));
}
