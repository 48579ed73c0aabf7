//! Counts apart for each namespace: by job where things happen, which is all that is known there, and by namespace where they are kept.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};

use mainspring_core::JobId;
use mainspring_core::batch::{CompletionBatch, CompletionOutcome, FireBatch, FireOutcome, GapOutcome, Placed};
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::Verdict;
use mainspring_store::Store;
use rustc_hash::FxHashMap;

use super::counts::Counts;

/// Namespaces that one span counts apart; those that come later are counted together.
pub const NAMESPACES_MAX: usize = 64;
/// Stands for all namespaces that are not counted apart. No namespace is named so.
pub const OTHERS: &str = "";
/// Jobs that are counted apart from one look to the next; what more of them do is in the sums alone.
const JOBS_MAX: usize = 50_000;
/// Jobs whose namespace is remembered.
const KNOWN_MAX: usize = 100_000;
/// Jobs whose namespace one read asks for, and one look.
const ASKED: usize = 250;
const ASKED_MAX: usize = 5_000;

/// What jobs have done since the last look.
#[derive(Debug, Default)]
pub(crate) struct ByJob(Mutex<FxHashMap<JobId, Counts>>);

impl ByJob {
    /// Notes what became of the fires of a batch.
    pub(crate) fn fired(&self, batch: &FireBatch, outcome: &FireOutcome) {
        let mut placed = outcome.placed.iter();
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, entry) in (0..).zip(&batch.entries).filter(|(index, _)| outcome.has_recorded(*index)) {
            let runs = placed.by_ref().take(entry.runs.len());
            let Some(counts) = of(&mut jobs, entry.job) else {
                // What became of its runs is not of the next entry.
                runs.for_each(drop);
                continue;
            };
            for placed in runs {
                match placed {
                    Placed::Running | Placed::Queued | Placed::Held => counts.fires += 1,
                    Placed::Suppressed => counts.skipped += 1,
                    Placed::Known => {}
                }
            }
            for gap in &entry.gaps {
                match gap.outcome {
                    GapOutcome::Suppressed => counts.skipped += gap.count,
                    GapOutcome::Missed => counts.missed += gap.count,
                }
            }
        }
    }

    /// Notes the runs that a batch has ended.
    pub(crate) fn ended(&self, batch: &CompletionBatch, outcome: &CompletionOutcome) {
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, entry) in (0..).zip(&batch.entries).filter(|(index, _)| outcome.refused.binary_search(index).is_err()) {
            let AfterAttempt::Final(verdict) = entry.then else { continue };
            let Some(counts) = of(&mut jobs, entry.job) else { continue };
            match verdict {
                Verdict::Succeeded => counts.succeeded += 1,
                Verdict::Failed => counts.failed += 1,
                Verdict::Cancelled => counts.cancelled += 1,
                Verdict::Skipped => counts.skipped += 1,
            }
        }
    }

    fn take(&self) -> FxHashMap<JobId, Counts> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The counts of a job; nothing where too many others are counted.
fn of(jobs: &mut FxHashMap<JobId, Counts>, job: JobId) -> Option<&mut Counts> {
    let is_full = jobs.len() >= JOBS_MAX;
    match jobs.entry(job) {
        Entry::Occupied(there) => Some(there.into_mut()),
        Entry::Vacant(place) => (!is_full).then(|| place.insert(Counts::default())),
    }
}

/// Finds the namespaces of jobs. A job keeps its namespace for life.
#[derive(Debug, Default)]
pub(super) struct Namespaces {
    known: FxHashMap<JobId, Arc<str>>,
    /// What is counted of jobs whose namespace is not read yet.
    waiting: FxHashMap<JobId, Counts>,
}

impl Namespaces {
    /// Returns what has happened since the last look, by namespace. What the store does not tell now is counted at a later look.
    pub(super) async fn gained(&mut self, by_job: &ByJob, store: &dyn Store) -> BTreeMap<String, Counts> {
        for (job, counts) in by_job.take() {
            if let Some(there) = of(&mut self.waiting, job) {
                there.add(counts);
            }
        }
        self.read(store).await;
        let mut found = BTreeMap::<String, Counts>::new();
        let known = &self.known;
        self.waiting.retain(|job, counts| match known.get(job) {
            Some(namespace) => {
                found.entry(namespace.to_string()).or_default().add(*counts);
                false
            }
            None => true,
        });
        found
    }

    async fn read(&mut self, store: &dyn Store) {
        let unknown: Vec<JobId> =
            self.waiting.keys().filter(|job| !self.known.contains_key(job)).copied().take(ASKED_MAX).collect();
        if self.known.len() + unknown.len() > KNOWN_MAX {
            self.known.clear();
        }
        for asked in unknown.chunks(ASKED) {
            let rows = match store.jobs_by_id(asked.to_vec()).await {
                Ok(rows) => rows,
                Err(error) => {
                    tracing::debug!(error = %mainspring_store::causes(&error), "namespaces of jobs could not be read");
                    return;
                }
            };
            self.known.extend(rows.iter().map(|row| (row.id, row.definition.key.namespace.as_str().into())));
            // Those that are deleted have none that could be looked at.
            self.waiting.retain(|job, _| !asked.contains(job) || self.known.contains_key(job));
        }
    }
}

/// Adds counts by namespace, and keeps to the bound: what it has no room for is counted together.
pub(super) fn add(kept: &mut BTreeMap<String, Counts>, gained: &BTreeMap<String, Counts>) {
    for (namespace, counts) in gained {
        let has_room = kept.contains_key(namespace) || kept.len() < NAMESPACES_MAX;
        let place = if has_room { namespace.as_str() } else { OTHERS };
        kept.entry(place.to_owned()).or_default().add(*counts);
    }
}

#[cfg(test)]
mod tests {
    use mainspring_core::BatchId;
    use mainspring_core::job::{Job, JobKey, Task};
    use mainspring_store::MemoryStore;
    use mainspring_store::conformance::kit::{Draft, Kit, at};

    use super::*;

    fn failed(failed: u64) -> Counts {
        Counts { failed, ..Counts::default() }
    }

    #[tokio::test]
    async fn runs_of_a_job_that_is_not_counted_are_not_those_of_the_next() {
        let kit = Kit::new(Arc::new(MemoryStore::new())).await;
        let uncounted = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
        let counted = kit.save(Draft::new("b").trigger("t", at(1_000))).await;
        let others = (1..JOBS_MAX).map(|id| (JobId(-i64::try_from(id).unwrap()), Counts::default()));
        let by_job = ByJob::default();
        by_job.0.lock().unwrap().extend(others.chain([(counted.id(), Counts::default())]));
        let entries = vec![uncounted.entry(0), counted.entry(0)];
        let id = BatchId { incarnation: kit.incarnation, sequence: 1 };
        let placed = vec![Placed::Suppressed, Placed::Running];
        by_job.fired(
            &FireBatch { id, at: at(1_000), answered: 0, entries },
            &FireOutcome { placed, ..FireOutcome::default() },
        );
        let jobs = by_job.take();
        let counts = jobs[&counted.id()];
        assert_eq!((jobs.len(), counts.fires, counts.skipped), (JOBS_MAX, 1, 0));
    }

    #[test]
    fn namespaces_beyond_the_bound_are_counted_together() {
        let mut kept = BTreeMap::new();
        for number in 0..100 {
            add(&mut kept, &BTreeMap::from([(format!("ns-{number:03}"), failed(1))]));
        }
        add(&mut kept, &BTreeMap::from([("ns-000".to_owned(), failed(1)), ("ns-099".to_owned(), failed(1))]));
        assert_eq!((kept.len(), kept["ns-000"].failed, kept[OTHERS].failed), (NAMESPACES_MAX + 1, 2, 37));
        assert_eq!(kept.values().map(|counts| counts.failed).sum::<u64>(), 102, "none is lost");
    }

    #[tokio::test]
    async fn counts_of_jobs_become_counts_of_their_namespaces() {
        let store = Arc::new(MemoryStore::new());
        let kit = Kit::new(Arc::clone(&store) as Arc<dyn Store>).await;
        let mut ids = Vec::new();
        for key in [JobKey::new("north", "a"), JobKey::new("north", "b"), JobKey::new("south", "a")] {
            ids.push(kit.save(Draft::of(Job::new(key, Task::Noop))).await.id());
        }
        let by_job = ByJob::default();
        for (job, count) in ids.iter().zip([1, 2, 4]).chain([(&JobId(77), 8)]) {
            by_job.0.lock().unwrap().insert(*job, failed(count));
        }
        let mut namespaces = Namespaces::default();
        let found = namespaces.gained(&by_job, &*store).await;
        let shown: Vec<_> = found.iter().map(|(name, counts)| (name.as_str(), counts.failed)).collect();
        assert_eq!(shown, [("north", 3), ("south", 4)], "a job that is gone counts nowhere");
        assert!(namespaces.waiting.is_empty() && namespaces.gained(&by_job, &*store).await.is_empty());
    }
}
