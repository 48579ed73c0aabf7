//! What is set for queues, as far as fires heed it.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::batch::{FireEntry, Gap, GapOutcome, GapReason};
use crate::job::Job;
use crate::line::Line;

/// The policy under which fires of a full queue are suppressed, as their gaps name it.
const POLICY: &str = "max_waiting";

/// What fires heed of one queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueueLimit {
    /// Whether its runs leave by claims alone, which ask the store: no slot is kept for its fires.
    pub by_claims: bool,
    /// How many more runs may wait in it, as the store counted last.
    pub room: u32,
}

/// What fires heed of all queues, and of labels. One for which nothing is set is not in it, and costs nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    queues: FxHashMap<Arc<str>, QueueLimit>,
    /// `NAME=VALUE`: runs of jobs with one of them leave by claims alone.
    labels: FxHashSet<Arc<str>>,
}

impl FromIterator<(Arc<str>, QueueLimit)> for Limits {
    fn from_iter<I: IntoIterator<Item = (Arc<str>, QueueLimit)>>(queues: I) -> Self {
        Self { queues: queues.into_iter().collect(), labels: FxHashSet::default() }
    }
}

impl Limits {
    /// Adds a label for which something is set, as `NAME=VALUE`.
    pub fn limit_label(&mut self, label: Arc<str>) {
        self.labels.insert(label);
    }

    /// Whether anything leaves by claims alone: what may leave changes by itself.
    pub(super) fn hold_back(&self) -> bool {
        !self.labels.is_empty() || self.queues.values().any(|limit| limit.by_claims)
    }

    /// Whether the runs of a job leave by claims alone, because something is set for a label of it.
    pub(super) fn are_labelled(&self, job: &Job) -> bool {
        let is_limited = |(name, value): (&String, &String)| self.labels.contains(format!("{name}={value}").as_str());
        !self.labels.is_empty() && job.labels.iter().any(is_limited)
    }

    /// Whether it is limited how many runs may wait in a queue.
    #[must_use]
    pub fn is_bounded(&self, queue: &str) -> bool {
        self.of(queue).is_some_and(|limit| limit.room < u32::MAX)
    }

    /// Whether the runs of a line leave by claims alone.
    pub(super) fn leave_by_claims(&self, line: &str) -> bool {
        self.of(line).is_some_and(|limit| limit.by_claims)
    }

    /// Whether no more runs may wait in the queue of a line.
    pub(super) fn is_full(&self, line: &str) -> bool {
        self.of(line).is_some_and(|limit| limit.room == 0)
    }

    fn of(&self, line: &str) -> Option<&QueueLimit> {
        if self.queues.is_empty() { None } else { self.queues.get(Line::parse(line).queue()) }
    }

    /// Suppresses those runs of an entry for which its queue has no room, and takes the room of the others. Runs that start at once do not
    /// wait, and one that its trigger awaits is not suppressed: without its end the trigger would never fire again.
    pub(super) fn admit(&mut self, entry: &mut FireEntry) {
        if self.queues.is_empty() || entry.progress.awaiting_run.is_some() {
            return;
        }
        let Some(limit) = self.queues.get_mut(Line::parse(&entry.queue).queue()) else { return };
        let gaps = &mut entry.gaps;
        entry.runs.retain(|run| {
            let waits = !run.claim;
            let fits = !waits || limit.room > 0;
            if !fits {
                gaps.push(Gap {
                    first: run.fire_time,
                    last: run.fire_time,
                    count: 1,
                    outcome: GapOutcome::Suppressed,
                    reason: GapReason::QueueFull,
                    policy: POLICY.to_owned(),
                });
            } else if waits && limit.room < u32::MAX {
                limit.room -= 1;
            }
            fits
        });
    }
}
