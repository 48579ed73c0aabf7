//! The parts of tests of whole clusters: database servers that can be broken, nodes and workers as processes, a proxy
//! that cuts them off, an executor of XXL-JOB that does as it is told, witness files of jobs, and a checker that accounts
//! for every instant afterwards.
//!
//! Nothing here decides or schedules; it must never become a dependency of the product.

pub mod check;
pub mod database;
pub mod executor;
pub mod history;
pub mod host;
pub mod process;
pub mod proxy;
mod watchdog;
pub mod witness;

pub use check::{Bounds, Kind, Problem, Report, check};
pub use database::{Database, Replication, Server, Shutdown, free_port};
pub use history::{Attempt, Gap, History, Promise, Run, now};
pub use host::Host;
pub use process::{Ended, Node, Program, Worker};
pub use proxy::{Flow, Proxy};
pub use watchdog::within;
pub use witness::{Mark, Moment, Witness};
