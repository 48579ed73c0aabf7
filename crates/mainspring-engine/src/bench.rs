//! `mainspring bench`: the real engine under no-op jobs, counted from the store.
//!
//! The parent fills an empty store, starts the nodes, watches them, and counts from the tables when they have ended. It knows
//! of no fire but what the tables say; only how late handlers were entered is told by the nodes. Each node is a process of its own
//! ([`serve`]), so its processor time and memory are its own; a store in memory has a single node, in this process.

mod count;
mod dag;
mod failover;
mod fires;
mod flow;
mod herd;
mod idle;
mod load;
mod node;
mod nodes;
mod place;
mod report;
mod runs;
#[cfg(test)]
mod tests;
mod usage;
mod work;

use std::time::Duration;

use crate::clock::{Alarm, Clock, SystemClock};
use crate::engine::StartError;

pub use dag::{Dag, DagPlan, DagShape, dag};
pub use failover::{Failover, FailoverPlan, failover};
pub use fires::{Fires, Load, Plan, fires};
pub use flow::{FlowBench, FlowPlan, FlowShape, flow};
pub use herd::{Herd, HerdPlan, herd};
pub use idle::{Idle, IdlePlan, idle};
pub use node::serve;
pub use report::Lateness;
pub use runs::{CountedRuns, PlantedRuns, RunsPlan, plant_runs};
pub use usage::{Cpu, Usage};
pub use work::PerFire;

/// Where to measure.
#[derive(Clone, Copy)]
pub struct Site<'a> {
    /// The store's address.
    pub store: &'a str,
    /// How many nodes.
    pub nodes: u32,
    /// Makes the command of a process that calls [`serve`].
    pub process: &'a (dyn Fn() -> tokio::process::Command + Sync),
    /// Hears how far the benchmark has come.
    pub progress: OnProgress<'a>,
}

/// How far the benchmark has come: what, how much, of how much.
pub type OnProgress<'a> = &'a (dyn Fn(&'static str, u64, u64) + Sync);

/// Why there is no measurement.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Several nodes need a database that they can share. Name one, or ask for one node.
    #[error("{store} can have one node only, and {nodes} are asked for")]
    OneNode {
        /// The kind of store.
        store: &'static str,
        /// How many were asked for.
        nodes: u32,
    },
    /// The store is somebody's. Name an empty one.
    #[error("the store is not empty: it holds {jobs} jobs and the records of {triggers} triggers")]
    NotEmpty {
        /// Jobs.
        jobs: u64,
        /// Triggers that something was recorded of.
        triggers: u64,
    },
    /// The load began before all was in place. Ask for fewer triggers, or a faster store.
    #[error("{what} took longer than foreseen, and the load began meanwhile")]
    Late {
        /// What took so long.
        what: &'static str,
    },
    /// Statements cannot be counted there. Use PostgreSQL, and load what counts.
    #[error("statements cannot be counted: {0}")]
    Uncounted(String),
    /// A node could not go on.
    #[error("a node broke off: {0}")]
    Node(String),
    /// The store could not be used.
    #[error(transparent)]
    Store(#[from] mainspring_store::Error),
    /// A node could not start.
    #[error(transparent)]
    Start(#[from] StartError),
}

/// What a benchmark comes to.
pub type Result<T = (), E = Error> = std::result::Result<T, E>;

/// How often the parent looks at the nodes.
const LOOK_EVERY_MS: i64 = 20;

/// Waits for instants, and looks at the nodes from time to time.
struct Pace(Box<dyn Alarm>);

impl Pace {
    fn new() -> Self {
        Self(SystemClock.alarm())
    }

    async fn until(&mut self, at: mainspring_core::Timestamp) {
        while SystemClock.now() < at {
            self.0.wait_until(at).await;
        }
    }

    async fn next_look(&mut self) {
        self.until(SystemClock.now() + LOOK_EVERY_MS).await;
    }
}

fn seconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1_000.0).round() / 1_000.0
}
