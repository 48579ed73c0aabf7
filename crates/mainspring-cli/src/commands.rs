//! One file per noun; each takes its arguments and an [`Output`](crate::output::Output).

pub mod check;
pub mod completion;
pub mod cron;
pub mod version;
