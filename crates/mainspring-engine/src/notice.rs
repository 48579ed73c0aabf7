//! What listeners hear: fires, starts of waiting, and ends, after they are recorded.

use std::sync::Arc;

use mainspring_core::batch::{
    Completion, CompletionBatch, CompletionOutcome, FireBatch, FireOutcome, GapOutcome, GapReason, Placed,
};
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::{AttemptOutcome, RunState};
use mainspring_core::{JobId, JobVersion, RunId, RunSource, Timestamp, TriggerId};
use tokio::sync::broadcast;

use crate::listener::ChangedJob;

/// Something that happened and is recorded. Sent after the commit; a listener that is slow misses the oldest.
#[derive(Clone, PartialEq, Debug)]
pub enum Notice {
    /// A trigger fired.
    Fired {
        /// The trigger.
        trigger: TriggerId,
        /// Its job.
        job: JobId,
        /// The version of the job.
        job_version: JobVersion,
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
        /// The version of the job.
        job_version: JobVersion,
        /// The first of them.
        first: Timestamp,
        /// The last of them.
        last: Timestamp,
        /// How many.
        count: u64,
        /// Why.
        reason: GapReason,
    },
    /// A trigger will not fire again.
    Completed {
        /// The trigger.
        trigger: TriggerId,
        /// Its job.
        job: JobId,
        /// The version of the job.
        job_version: JobVersion,
    },
    /// An attempt ended.
    Ended {
        /// The run.
        run: RunId,
        /// Its job.
        job: JobId,
        /// The version of the job.
        job_version: JobVersion,
        /// The trigger that fired it, if one did.
        trigger: Option<TriggerId>,
        /// Which attempt.
        attempt: u32,
        /// How it ended.
        outcome: AttemptOutcome,
        /// The run's final state, unless another attempt follows.
        state: Option<RunState>,
        /// When its work began; absent if it never did.
        started_at: Option<Timestamp>,
        /// When it ended.
        ended_at: Timestamp,
        /// What went wrong.
        error: Option<Arc<str>>,
    },
    /// A run was unfinished at its deadline.
    DeadlineMissed {
        /// The run.
        run: RunId,
        /// Its job.
        job: JobId,
        /// The version of the job.
        job_version: JobVersion,
    },
    /// A job or one of its triggers was changed through this node.
    Changed(ChangedJob),
    /// The engine has started.
    Started,
    /// The engine starts nothing new.
    Draining,
    /// The engine has stopped.
    Stopped,
    /// The store has begun to refuse or fail.
    Trouble(Arc<str>),
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
        let (trigger, job, job_version) = (entry.trigger, entry.job, entry.job_version);
        for gap in &entry.gaps {
            let (first, last, count, reason) = (gap.first, gap.last, gap.count, gap.reason);
            if gap.outcome == GapOutcome::Suppressed {
                let (run, placed) = (RunId::new(first, RunSource::Fire(trigger)), Placed::Suppressed);
                let _ = notices.send(Notice::Fired { trigger, job, job_version, run, fire_time: first, placed });
                continue;
            }
            let _ = notices.send(Notice::Missed { trigger, job, job_version, first, last, count, reason });
        }
        for (run, placed) in entry.runs.iter().zip(placed.by_ref()) {
            let (run, fire_time) = (run.id, run.fire_time);
            let _ = notices.send(Notice::Fired { trigger, job, job_version, run, fire_time, placed });
        }
        if entry.progress.next_fire_at.is_none() && entry.progress.awaiting_run.is_none() {
            let _ = notices.send(Notice::Completed { trigger, job, job_version });
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
        let Completion { run, job, job_version, trigger, attempt, outcome, started_at, ended_at, .. } = *entry;
        let error = entry.detail.as_ref().and_then(|detail| detail.error.as_deref()).map(Arc::from);
        let _ = notices.send(Notice::Ended {
            run,
            job,
            job_version,
            trigger,
            attempt,
            outcome,
            state,
            started_at,
            ended_at,
            error,
        });
        let over =
            entry.rearm.filter(|rearm| rearm.next_fire_at.is_none() && recorded.rearmed.contains(&rearm.trigger));
        if let Some(rearm) = over {
            let _ = notices.send(Notice::Completed { trigger: rearm.trigger, job, job_version });
        }
    }
}
