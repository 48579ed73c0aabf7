//! What is known of how long the runs of jobs take, and the lines in which they wait.

use std::collections::BTreeMap;

use mainspring_core::lane::{JobLane, Lane, is_slow, slow_line};
use mainspring_core::routing::is_routed;
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

    /// Forgets a job.
    pub(super) fn forget(&mut self, job: JobId) {
        self.jobs.remove(&job);
    }
}

/// See [`crate::Store::move_runs`].
pub(super) fn move_runs(model: &mut Model, change: &JobLane, limit: u32) -> u32 {
    let beside = slow_line(&change.line);
    let is_wrong = |run: &&Run| match change.lane {
        Lane::Short => run.state == RunState::Queued && *run.queue == *beside && !is_routed(&run.queue),
        Lane::Slow => !is_slow(&run.queue) && !is_routed(&run.queue),
    };
    let mut runs: Vec<RunId> =
        model.live.iter().filter(|run| run.job == change.job).filter(is_wrong).map(|run| run.id).collect();
    runs.sort_unstable();
    runs.truncate(limit as usize);
    for run in &runs {
        model.live.update(*run, |run| {
            run.queue =
                if change.lane == Lane::Short { change.line.as_str().into() } else { slow_line(&run.queue).into() };
        });
    }
    if !runs.is_empty() {
        model.outbox.queued();
    }
    u32::try_from(runs.len()).expect("not more than asked for")
}
