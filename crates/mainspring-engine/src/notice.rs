//! What listeners hear: fires, starts of waiting, and ends, after they are recorded.

use mainspring_core::batch::{CompletionBatch, CompletionOutcome, FireBatch, FireOutcome, Placed};
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::{AttemptOutcome, RunState};
use mainspring_core::{JobId, RunId, Timestamp, TriggerId};
use tokio::sync::broadcast;

/// Something that happened and is recorded. Sent after the commit; a listener that is slow misses the oldest.
#[derive(Clone, PartialEq, Debug)]
pub enum Notice {
    /// A trigger fired.
    Fired {
        /// The trigger.
        trigger: TriggerId,
        /// Its job.
        job: JobId,
        /// The run; there is none if the fire was suppressed.
        run: RunId,
        /// The instant that fired.
        fire_time: Timestamp,
        /// What became of it.
        placed: Placed,
    },
    /// Instants of a trigger were missed.
    Missed {
        /// The trigger.
        trigger: TriggerId,
        /// Its job.
        job: JobId,
        /// The first of them.
        first: Timestamp,
        /// The last of them.
        last: Timestamp,
        /// How many.
        count: u64,
    },
    /// A trigger will not fire again.
    Completed {
        /// The trigger.
        trigger: TriggerId,
        /// Its job.
        job: JobId,
    },
    /// An attempt ended.
    Ended {
        /// The run.
        run: RunId,
        /// Its job.
        job: JobId,
        /// Which attempt.
        attempt: u32,
        /// How it ended.
        outcome: AttemptOutcome,
        /// The run's final state, unless another attempt follows.
        state: Option<RunState>,
    },
    /// The engine has started.
    Started,
    /// The engine starts nothing new.
    Draining,
}

pub(crate) fn of_fires(notices: &broadcast::Sender<Notice>, batch: &FireBatch, outcome: &FireOutcome) {
    if notices.receiver_count() == 0 {
        return;
    }
    let mut placed = outcome.placed.iter().copied();
    for (index, entry) in batch.entries.iter().enumerate() {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        if !outcome.has_recorded(index) {
            continue;
        }
        let (trigger, job) = (entry.trigger, entry.job);
        for gap in &entry.gaps {
            let _ = notices.send(Notice::Missed { trigger, job, first: gap.first, last: gap.last, count: gap.count });
        }
        for (run, placed) in entry.runs.iter().zip(placed.by_ref()) {
            let _ = notices.send(Notice::Fired { trigger, job, run: run.id, fire_time: run.fire_time, placed });
        }
        if entry.progress.next_fire_at.is_none() && entry.progress.awaiting_run.is_none() {
            let _ = notices.send(Notice::Completed { trigger, job });
        }
    }
}

pub(crate) fn of_ends(notices: &broadcast::Sender<Notice>, batch: &CompletionBatch, recorded: &CompletionOutcome) {
    if notices.receiver_count() == 0 {
        return;
    }
    for (index, entry) in batch.entries.iter().enumerate() {
        if recorded.refused.contains(&u32::try_from(index).unwrap_or(u32::MAX)) {
            continue;
        }
        let state = match entry.then {
            AfterAttempt::Final(verdict) => Some(verdict.into()),
            AfterAttempt::RetryAt(_) => None,
        };
        let (run, job, attempt, outcome) = (entry.run, entry.job, entry.attempt, entry.outcome);
        let _ = notices.send(Notice::Ended { run, job, attempt, outcome, state });
        let over =
            entry.rearm.filter(|rearm| rearm.next_fire_at.is_none() && recorded.rearmed.contains(&rearm.trigger));
        if let Some(rearm) = over {
            let _ = notices.send(Notice::Completed { trigger: rearm.trigger, job });
        }
    }
}
