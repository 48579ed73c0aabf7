//! From a dump of XXL-JOB's database to job files, with a report on every item.
//!
//! The dump is what `mysqldump` and its kin write: [`Tables::read`] takes the tables that matter, and [`import`] says what
//! becomes of each row. Nothing is left out in silence.
//!
//! Jobs stay jobs of executors: with the handler that they name, or with their script.

mod children;
mod dump;
mod here;
mod history;
mod plan;
mod report;
mod runs;
mod statements;
mod users;

pub use dump::{DumpError, Given, Row, Tables};
pub use history::{History, OldScript};
pub(crate) use plan::one;
pub use plan::{Options, import};
pub use report::{Counts, Imported, Item, Kind, Outcome};
pub use runs::{Day, OldRun, OldRuns, runs};
