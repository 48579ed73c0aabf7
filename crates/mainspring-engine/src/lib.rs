//! Who drives it: the clock, the loop, the node's own workers, and the requests of people and programs.
//!
//! The engine asks [`mainspring_core::planner`] what to do and does it, over any [`mainspring_store::Store`].
//! It serves no HTTP.

mod adopt;
mod after;
mod ahead;
mod backfills;
#[cfg(feature = "bench")]
pub mod bench;
mod clock;
mod cluster;
pub mod control;
mod dates;
mod deadlines;
mod definitions;
mod done;
mod driver;
mod engine;
pub mod flow;
mod handler;
mod health;
mod kept_lateness;
mod lanes;
mod lateness;
mod listener;
mod log_lane;
mod metrics;
mod naming;
mod node;
mod notice;
mod output;
mod pool;
mod process;
mod queues;
mod random;
mod retention;
mod rollup;
mod run_log;
mod sampler;
mod settings;
mod state;
mod tasks;
mod workers;
mod workflows;

pub use clock::{Alarm, Clock, GuardedClock, ManualClock, ShiftedClock, SystemClock};
pub use control::Control;
pub use engine::{Engine, StartError, Stopped};
pub use handler::{
    DataError, Handler, HandlerError, HandlerResult, Handlers, InputError, IntoHandlerResult, RunContext,
};
pub use lateness::Lateness;
pub use listener::{
    ChangedJob, CompletedTrigger, EndedRun, FiredTrigger, JobChange, Listener, Listeners, MissedDeadline, MissedFires,
    Scope, StartingRun,
};
pub use mainspring_core::batch::Queues;
pub use metrics::{
    Catalogue, CauseLabel, ClaimTimes, ComponentLabel, ConnectionLabel, Ending, FlowMetrics, Known, Metrics, Miss,
    Outcome, PoolLabel, QueueLabel, QueueSlots, ResultLabel, StateLabel, StoreMetrics,
};
pub use notice::Notice;
pub use output::part_output;
pub use retention::RetentionRule;
pub use rollup::{Counts, Depth, Figures, NAMESPACES_MAX, OTHERS, QUEUES_MAX, QueueFigures};
pub use settings::{NodeName, Settings};
pub use state::{NoState, SharedState};
pub use workers::{Given, LogPiece, Poll, RemoteEnd, Report, Told, WorkerError, Workers};
