//! Jobs in brief, many at a time: what lists of jobs show beside the definition.

use mainspring_core::run::{Origin, RunState};
use mainspring_core::{JobId, RunId, Timestamp};

/// How many unfinished runs are looked at to count those of jobs: the newest.
pub const DIGEST_LIVE_MAX: u32 = 20_000;

/// What has become of a job lately, and when it goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobDigest {
    /// The job.
    pub job: JobId,
    /// The earliest next instant of its triggers that are active and not paused.
    pub next_fire_at: Option<Timestamp>,
    /// Its unfinished runs, of the newest [`DIGEST_LIVE_MAX`] of all jobs.
    pub active: u32,
    /// Those of them that are executed.
    pub running: u32,
    /// Its newest runs, unfinished and final, newest first by id.
    pub recent: Vec<RunDigest>,
}

/// A run in brief.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunDigest {
    /// Its id.
    pub id: RunId,
    /// Where it stands.
    pub state: RunState,
    /// Why it exists.
    pub origin: Origin,
    /// The instant it stands for.
    pub fire_time: Timestamp,
    /// When its latest attempt began; of one that is executed, when it was claimed.
    pub started_at: Option<Timestamp>,
    /// When it became final.
    pub ended_at: Option<Timestamp>,
}

impl JobDigest {
    /// Of a job without anything.
    pub(crate) const fn new(job: JobId) -> Self {
        Self { job, next_fire_at: None, active: 0, running: 0, recent: Vec::new() }
    }

    /// Counts an unfinished run in.
    pub(crate) fn add_live(&mut self, run: RunDigest) {
        self.active += 1;
        self.running += u32::from(run.state == RunState::Running);
        self.recent.push(run);
    }

    /// Keeps the newest runs. One that ended between two looks is there twice, and counts as final.
    pub(crate) fn settle(&mut self, recent: u32) {
        self.recent.sort_unstable_by_key(|run| (std::cmp::Reverse(run.id), !run.state.is_final()));
        self.recent.dedup_by_key(|run| run.id);
        self.recent.truncate(recent as usize);
    }
}
