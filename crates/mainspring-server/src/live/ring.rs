//! The last minute of changes, in batches of a quarter of a second, with positions that streams resume at.

use std::collections::VecDeque;
use std::sync::Arc;

use mainspring_core::JobId;

/// Batches that are kept: more than a minute of them.
const BATCHES_MAX: usize = 256;
/// Changes that are kept.
const CHANGES_MAX: usize = 50_000;

/// What kind of thing has changed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    Run,
    Job,
    Queue,
    Worker,
    Cluster,
    Flow,
}

/// One thing that has changed, and how it is now as far as that was said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Change {
    pub(crate) kind: Kind,
    /// Its id; nothing where all of that kind should be looked at.
    pub(crate) id: Option<String>,
    /// `NAMESPACE/NAME` of the job that it is or belongs to.
    pub(crate) job: Option<String>,
    /// The same as a number, of a run.
    pub(crate) job_id: Option<JobId>,
    /// The state of a run.
    pub(crate) state: Option<String>,
}

/// What has changed within a quarter of a second.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Batch {
    pub(crate) seq: u64,
    /// The last change of each thing.
    pub(crate) changes: Vec<Change>,
    /// Whether there was too much to say what it was.
    pub(crate) is_partial: bool,
}

impl Batch {
    /// Whether there is nothing to tell.
    pub(crate) const fn is_empty(&self) -> bool {
        self.changes.is_empty() && !self.is_partial
    }

    /// Keeps the last change of each thing, in order of the first.
    pub(crate) fn coalesced(mut self) -> Self {
        let mut places = rustc_hash::FxHashMap::default();
        let mut kept: Vec<Change> = Vec::new();
        for change in self.changes {
            let place = *places.entry((change.kind, change.id.clone())).or_insert(kept.len());
            if place == kept.len() {
                kept.push(change);
            } else {
                kept[place] = change;
            }
        }
        self.changes = kept;
        self
    }
}

/// The batches of the last minute.
#[derive(Debug, Default)]
pub(crate) struct Ring {
    batches: VecDeque<Arc<Batch>>,
    changes: usize,
    newest: u64,
}

impl Ring {
    /// The newest position.
    pub(crate) const fn newest(&self) -> u64 {
        self.newest
    }

    /// Adds a batch, and answers its position.
    pub(crate) fn push(&mut self, batch: Batch) -> u64 {
        self.newest += 1;
        self.changes += batch.changes.len();
        self.batches.push_back(Arc::new(Batch { seq: self.newest, ..batch }));
        while self.batches.len() > BATCHES_MAX || self.changes > CHANGES_MAX {
            let Some(oldest) = self.batches.pop_front() else { break };
            self.changes -= oldest.changes.len();
        }
        self.newest
    }

    /// Forgets all: what happened since then was not looked at. No position of before can be resumed.
    pub(crate) fn forget(&mut self) -> u64 {
        self.batches.clear();
        self.changes = 0;
        self.newest += 1;
        self.newest
    }

    /// What follows a position, or nothing where some of that is gone, or it is none of ours.
    pub(crate) fn after(&self, seq: u64) -> Option<Vec<Arc<Batch>>> {
        if seq == self.newest {
            return Some(Vec::new());
        }
        let oldest = self.batches.front()?.seq;
        (seq < self.newest && seq + 1 >= oldest)
            .then(|| self.batches.iter().filter(|batch| batch.seq > seq).map(Arc::clone).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(id: &str, state: &str) -> Change {
        Change { kind: Kind::Run, id: Some(id.into()), job: None, job_id: None, state: Some(state.into()) }
    }

    fn batch(changes: Vec<Change>) -> Batch {
        Batch { changes, ..Batch::default() }
    }

    fn seqs(ring: &Ring, after: u64) -> Option<Vec<u64>> {
        ring.after(after).map(|batches| batches.iter().map(|batch| batch.seq).collect())
    }

    #[test]
    fn streams_resume_where_they_were_unless_that_is_gone() {
        let mut ring = Ring::default();
        assert_eq!(seqs(&ring, 0), Some(vec![]));
        assert_eq!(seqs(&ring, 5), None, "a position of another start");
        for _ in 0..3 {
            ring.push(batch(vec![run("a", "queued")]));
        }
        assert_eq!(
            (seqs(&ring, 0), seqs(&ring, 2), seqs(&ring, 3)),
            (Some(vec![1, 2, 3]), Some(vec![3]), Some(vec![]))
        );
        assert_eq!(seqs(&ring, 4), None);
        for _ in 0..BATCHES_MAX {
            ring.push(batch(vec![run("a", "queued")]));
        }
        assert_eq!((seqs(&ring, 2), seqs(&ring, 3).map(|seqs| seqs.len())), (None, Some(BATCHES_MAX)));
        let newest = ring.forget();
        assert_eq!((seqs(&ring, newest - 1), seqs(&ring, newest)), (None, Some(vec![])));
    }

    #[test]
    fn much_is_kept_for_a_shorter_time() {
        let mut ring = Ring::default();
        for _ in 0..10 {
            ring.push(batch(vec![run("a", "queued"); CHANGES_MAX / 4]));
        }
        assert_eq!((ring.batches.len(), ring.changes), (4, CHANGES_MAX));
    }

    #[test]
    fn the_last_change_of_a_thing_counts() {
        let all = batch(vec![run("a", "queued"), run("b", "queued"), run("a", "running")]);
        assert_eq!(all.coalesced().changes, [run("a", "running"), run("b", "queued")]);
    }
}
