//! What should happen now? Jobs, runs and attempts, overlap and retry rules, the timing wheel and the planner.
//!
//! Pure: no async runtime, no I/O, no clock, no randomness. The shell hands in the time and what it saw; this
//! crate answers with what to do.

pub mod after;
pub mod alert;
pub mod batch;
pub mod cluster;
pub mod compile;
pub mod edit;
pub mod executing;
pub mod flow;
mod id;
pub mod job;
pub mod jump;
pub mod lane;
pub mod line;
pub mod output;
pub mod overlap;
pub mod planner;
pub mod queue;
pub mod retry;
pub mod router;
pub mod routing;
pub mod rule;
pub mod run;
pub mod strong;
pub mod wheel;
pub mod workers;
pub mod workflow;

pub use id::{
    BatchId, Incarnation, JobId, JobVersion, NamespaceId, ParseRunIdError, RunId, RunSource, TriggerId, jitter_of,
    retry_jitter_of, shard_of,
};
pub use mainspring_schedule::{Timestamp, TzdataVersion};
