//! What is known of how long the runs of jobs take, and the lines in which they wait.

use std::collections::BTreeMap;

use mainspring_core::lane::{JobLane, Lane};
use mainspring_core::line::Line;
use mainspring_core::run::RunState;
use mainspring_core::{JobId, RunId};

use super::live::Run;
use super::model::Model;

/// What is known of jobs, by the numbers of the changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Lanes {
    changed: i64,
    jobs: BTreeMap<JobId, (i64, JobLane)>,
}

impl Lanes {
    /// See [`crate::Store::set_lanes`].
    pub(super) fn set(&mut self, changes: Vec<JobLane>) {
        for change in changes {
            self.changed += 1;
            self.jobs.insert(change.job, (self.changed, change));
        }
    }

    /// See [`crate::Store::lanes`].
    pub(super) fn after(&self, after: i64, limit: u32) -> (Vec<JobLane>, i64) {
        let mut found: Vec<&(i64, JobLane)> = self.jobs.values().filter(|(number, _)| *number > after).collect();
        found.sort_unstable_by_key(|(number, _)| *number);
        found.truncate(limit as usize);
        let through = found.last().map_or(after, |(number, _)| *number);
        (found.into_iter().map(|(_, lane)| lane.clone()).collect(), through)
    }

    /// Forgets up to `limit` jobs of which `is_gone` says so.
    pub(super) fn forget_where(&mut self, limit: usize, is_gone: impl Fn(JobId) -> bool) {
        let gone: Vec<JobId> = self.jobs.keys().copied().filter(|job| is_gone(*job)).take(limit).collect();
        gone.into_iter().for_each(|job| self.forget(job));
    }

    /// Forgets a job.
    pub(super) fn forget(&mut self, job: JobId) {
        self.jobs.remove(&job);
    }
}

/// See [`crate::Store::move_runs`].
pub(super) fn move_runs(model: &mut Model, change: &JobLane, limit: u32) -> u32 {
    let beside = Line::parse(&change.line).slow().to_string();
    let is_wrong = |run: &&Run| {
        let line = Line::parse(&run.queue);
        match change.lane {
            _ if line.is_routed() => false,
            Lane::Short => run.state == RunState::Queued && *run.queue == *beside,
            Lane::Slow => !line.is_slow(),
        }
    };
    let mut runs: Vec<RunId> =
        model.live.iter().filter(|run| run.job == change.job).filter(is_wrong).map(|run| run.id).collect();
    runs.sort_unstable();
    runs.truncate(limit as usize);
    for run in &runs {
        model.live.update(*run, |run| {
            run.queue = match change.lane {
                Lane::Short => change.line.as_str().into(),
                Lane::Slow => Line::parse(&run.queue).slow().to_string().into(),
            };
        });
    }
    if !runs.is_empty() {
        model.outbox.queued();
    }
    u32::try_from(runs.len()).expect("not more than asked for")
}
