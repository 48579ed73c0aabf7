//! What people and programs ask for: jobs, triggers, runs and calendars.
//!
//! Each request reads what is there, decides with the core, and writes on condition that nothing has changed; if
//! something has, it starts again. What is acknowledged is durable, and ordered before later fires.
//!
//! Where this node's clock is wrong and others fire, requests go by the database's.

mod afters;
mod asking;
mod backfills;
mod calendars;
mod calls;
mod data;
mod dates;
mod herd;
mod jobs;
mod logs;
mod plans;
mod preview;
mod reanchor;
mod rerun;
mod runs;
mod waits;
mod workflows;

use std::sync::Arc;

use mainspring_core::Timestamp;
use mainspring_core::compile::{Defaults, FieldError};
use mainspring_core::job::{Job, JobKey, NameError};
use mainspring_core::planner::Limits;
use mainspring_store::Store;
use mainspring_tasks::DataError;
use tokio::sync::{Mutex, broadcast, watch};

use crate::backfills::BackfillWake;
use crate::clock::{Clock, RightTime};
use crate::definitions::Definitions;
use crate::lanes::LaneWatch;
use crate::listener::{ChangedJob, JobChange};
use crate::notice::Notice;
use crate::workflows::Workflows;

pub use asking::Asking;
pub use backfills::{
    ACTIVE_MAX, BackfillError, BackfillVerb, CascadePlan, Cascaded, FIRES_MAX, Plan as BackfillPlan, PlanRow, Wish,
};
pub use herd::Herd;
pub use jobs::{Change, JobPlan, JobSave, SaveMode};
pub use preview::Upcoming;
pub(crate) use rerun::{PartError, plan_part};
pub use rerun::{Reran, RerunAsk, RerunError, RerunPlan, RerunTasks, RerunVersion};
pub use runs::Ask;

/// How often a request starts again that others keep overtaking.
const TRIES: usize = 20;

/// See the [module](self). Cheap to clone.
#[derive(Clone)]
pub struct Control {
    pub(crate) workflows: Workflows,
    pub(crate) backfills: BackfillWake,
    pub(crate) store: Arc<dyn Store>,
    /// What is waited for goes by the engine's clock, what is written down by the right time.
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) time: RightTime,
    pub(crate) definitions: Arc<Definitions>,
    pub(crate) log_appended: watch::Receiver<u64>,
    /// Held while a calendar is saved: what stands on it must not change meanwhile.
    pub(crate) calendars: Arc<Mutex<()>>,
    pub(crate) notices: broadcast::Sender<Notice>,
    pub(crate) lanes: LaneWatch,
    /// What is set for queues, as this node heard last.
    pub(crate) limits: watch::Receiver<Arc<Limits>>,
}

/// A request that was not carried out. Nothing of it was kept.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store refused, or could not.
    #[error(transparent)]
    Store(#[from] mainspring_store::Error),
    /// A field of the request cannot be used.
    #[error("{path}: {error}")]
    Invalid {
        /// Where: `default/nightly`, `default/nightly/trigger-1`.
        path: String,
        /// Index of the trigger within its job, if it is one's.
        trigger: Option<usize>,
        /// What is wrong with it.
        error: FieldError,
    },
    /// A name cannot be used.
    #[error(transparent)]
    Name(#[from] NameError),
    /// It cannot be the data of a job.
    #[error(transparent)]
    Data(DataError),
    /// The request does not fit the state of what it names.
    #[error("{0}")]
    Refused(String),
    /// A workflow run is not run again.
    #[error(transparent)]
    Rerun(#[from] RerunError),
    /// As many runs wait in the queue as may. Once some have left it, asking again helps.
    #[error("the queue {queue} is full: no more than {max_waiting} may wait in it")]
    QueueFull {
        /// The queue.
        queue: String,
        /// How many runs may wait in it.
        max_waiting: u32,
    },
}

/// What a request comes to.
pub type Result<T> = std::result::Result<T, Error>;

impl Control {
    /// The present instant for what is asked for: by the engine's clock, unless that is known to be wrong.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.time.now()
    }

    /// Says what was done to a job, or to one of its triggers.
    fn tell(&self, job: &Arc<Job>, trigger: Option<&str>, change: JobChange) {
        let changed = ChangedJob { job: Arc::clone(job), trigger: trigger.map(Arc::from), change };
        let _ = self.notices.send(Notice::Changed(changed));
    }

    /// The store, for reading.
    #[must_use]
    pub const fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// What holds where a trigger says nothing.
    #[must_use]
    pub fn defaults(&self) -> Defaults {
        self.definitions.defaults
    }
}

impl std::fmt::Debug for Control {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control").finish_non_exhaustive()
    }
}

/// Whether to start again: somebody else was faster.
fn overtaken(error: &mainspring_store::Error) -> bool {
    matches!(error, mainspring_store::Error::Conflict { .. })
}

fn no_job(key: &JobKey) -> Error {
    Error::Store(mainspring_store::Error::NotFound { what: "job", key: key.to_string() })
}
