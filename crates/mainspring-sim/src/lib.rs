//! Many nodes, workers, clients and a database in one thread, in virtual time, from one seed; and what must hold of all they did.
//!
//! [`history`] says what happened, [`check`] whether that may be; neither knows the simulator. [`world`] drives the planner, the
//! keeper of the lease and the executing runs of `mainspring-core`, unchanged, against a store whose transactions interleave,
//! wait, fail and vanish. The same seed gives the same trace. The simulator must never decide what the product decides.

mod apply;
pub mod check;
mod client;
pub mod executors;
mod faults;
pub mod flows;
pub mod history;
mod load;
mod look;
mod node;
mod random;
mod store;
mod trace;
mod verbs;
mod work;
mod worker;
mod workflows;
pub mod world;

pub use faults::{Counts, Kind, Planted};
pub use random::Random;
pub use world::{FAULTS_LEAST, FIRES_LEAST, Report, Setting, World};
