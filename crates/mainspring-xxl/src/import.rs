//! From a dump of XXL-JOB's database to job files, with a report on every item.
//!
//! The dump is what `mysqldump` and its kin write: [`Tables::read`] takes the tables that matter, and [`import`] says what
//! becomes of each row. Nothing is left out in silence.
//!
//! Jobs become jobs whose handler runs on workers that take runs from a queue named after the app. Shell and Python scripts become
//! programs that these workers start.

mod dump;
mod plan;
mod report;
mod statements;

pub use dump::{DumpError, Row, Tables};
pub use plan::{Options, import};
pub use report::{Counts, Imported, Item, Kind, Outcome};
