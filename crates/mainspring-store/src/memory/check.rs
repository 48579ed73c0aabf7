//! What has to hold between the parts of the model, whatever was asked of it.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::batch::TriggerStatus;
use mainspring_core::overlap::Gate;
use mainspring_core::run::RunState;
use mainspring_core::{JobId, JobVersion};

use super::model::Model;

impl Model {
    /// Panics if counters or indexes have parted from the rows.
    pub(super) fn check(&self) {
        self.check_gates();
        self.check_versions();
        self.check_window();
        assert!(self.live.iter().all(|run| self.history.get(run.id).is_none()), "no run is unfinished and final");
        for trigger in self.triggers.iter() {
            let newest =
                self.live.iter().filter(|run| run.trigger == Some(trigger.row.id)).map(|run| run.fire_time).max();
            assert!(newest <= Some(trigger.newest_run), "{trigger:?}");
        }
    }

    fn check_gates(&self) {
        let mut gates: BTreeMap<JobId, Gate> = BTreeMap::new();
        for run in self.live.iter().filter(|run| run.counts_in_gate()) {
            let gate = gates.entry(run.job).or_default();
            let slots = if run.state == RunState::Held { &mut gate.held } else { &mut gate.active };
            *slots += 1;
        }
        for job in self.jobs.iter() {
            let gate = gates.remove(&job.row.id).unwrap_or_default();
            assert_eq!(job.gate, gate, "{}", job.row.definition.key);
            let final_runs = self.history.iter().filter(|over| over.run.job == job.row.id).count() as u64;
            assert_eq!(job.history_count, final_runs, "{}", job.row.definition.key);
            assert_eq!(job.gap_count, self.gaps.iter().filter(|gap| gap.job == job.row.id).count() as u64);
            assert_eq!(job.deleted, !self.job_keys.values().any(|id| *id == job.row.id));
        }
        assert!(gates.is_empty(), "runs without a job: {gates:?}");
    }

    fn check_versions(&self) {
        let mut runs: BTreeMap<(JobId, JobVersion), u64> = BTreeMap::new();
        for run in self.live.iter().chain(self.history.iter().map(|over| &over.run)) {
            *runs.entry((run.job, run.job_version.base())).or_default() += 1;
        }
        self.backfills.versions().for_each(|version| *runs.entry(version).or_default() += 1);
        for job in self.jobs.iter() {
            for version in &job.versions {
                let count = runs.remove(&(job.row.id, version.number)).unwrap_or_default();
                assert_eq!(version.runs, count, "{} version {}", job.row.definition.key, version.number);
            }
        }
        assert!(runs.is_empty(), "runs without a definition: {runs:?}");
    }

    fn check_window(&self) {
        let mut places = BTreeSet::new();
        for trigger in self.triggers.iter() {
            let progress = &trigger.row.progress;
            let waits = progress.status == TriggerStatus::Active && !trigger.row.paused && progress.due_at.is_some();
            assert_eq!(waits, trigger.place.is_some(), "{trigger:?}");
            assert!(trigger.place <= progress.due_at, "a place past the due time hides the trigger: {trigger:?}");
            places.extend(trigger.place.map(|place| (place, trigger.row.id)));
        }
        assert_eq!(self.window, places);
    }
}
