//! One file per noun; each takes its arguments and an [`Output`](crate::output::Output).

pub mod alert;
pub mod apply;
pub mod backfill;
pub mod bench;
pub mod check;
pub mod cluster;
pub mod completion;
pub mod console;
pub mod cron;
pub mod dev;
pub mod doctor;
pub mod flow;
pub mod import;
pub mod job;
pub mod label;
pub mod logs;
pub mod next;
pub mod queue;
pub mod run;
pub mod server;
pub mod trigger;
pub mod version;
pub mod webhook;
pub mod worker;
pub mod workflow;
pub mod xxl;
