//! What goes in and out of a store for triggers that fire when a run of another job ends.

use mainspring_core::after::AfterOn;
use mainspring_core::run::RunState;
use mainspring_core::{JobId, JobVersion, RunId, Timestamp, TriggerId};

/// What ends of runs owe.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AftersDue {
    /// Fires, in the order in which they were left.
    pub due: Vec<AfterDue>,
    /// Whether there are triggers at all that come after other jobs. Where there are none, nobody need look often.
    pub used: bool,
}

/// A fire that is owed to a trigger because a run has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AfterDue {
    /// Its place among those that are owed.
    pub id: i64,
    /// The trigger.
    pub trigger: TriggerId,
    /// The run that has ended.
    pub cause: RunId,
    /// The fire time of that run, which the new run has, too.
    pub fire_time: Timestamp,
    /// When that run ended: from then on the new one is due.
    pub ended_at: Timestamp,
    /// The job of the trigger and its version; absent if the trigger is gone.
    pub job: Option<(JobId, JobVersion)>,
}

/// A run that is to be made of a fire that is owed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AfterFire {
    /// The fire.
    pub due: AfterDue,
    /// Where the run waits.
    pub line: String,
}

/// What became of a fire that was owed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AfterFired {
    /// A run was made, and stands there.
    Made(RunId, RunState),
    /// The trigger is paused, or its job at its limit: the fire is recorded as a gap.
    Recorded,
    /// The trigger is gone, or comes after nothing any more: nothing is owed.
    Dropped,
    /// Somebody else has done it.
    Gone,
    /// The job has another version than the fire says. It is still owed.
    Stale,
}

/// A job that starts after another one of its namespace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AfterEdge {
    /// The job that is first. It need not exist.
    pub upstream: String,
    /// The job that follows.
    pub job: String,
    /// The trigger of that job.
    pub trigger: String,
    /// Which ends count.
    pub on: AfterOn,
}
