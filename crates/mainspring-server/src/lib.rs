//! The HTTP server: one file per resource, thin over [`mainspring_engine::Control`].
//!
//! - [`Server`]: start, address, stop
//! - [`convert`]: job files to definitions and back, also without a server
//! - [`openapi`]: the description of the API
//!
//! Decides nothing about schedules and runs, and knows no SQL.

mod access;
mod afters;
mod alerts;
mod app;
mod calls;
mod closing;
mod connections;
mod console;
pub mod convert;
mod dashboard;
mod extract;
mod figures;
mod files;
mod forward;
mod grouped;
mod guesses;
mod idempotency;
mod inspect;
mod layers;
mod live;
mod log;
mod matching;
mod misfires;
mod newest;
mod pages;
mod pauses;
mod plans;
mod query;
mod queue_changes;
mod queue_history;
mod refusal;
mod routes;
mod saver;
mod seats;
mod server;
mod settings;
mod shards;
mod show;
mod streams;
mod tasks;
mod waits;
mod webhooks;
mod why;
mod words;
mod work;
mod xxl;

pub use files::open_to_others;
pub use inspect::{Inspect, Inspected};
pub use routes::openapi;
pub use server::Server;
pub use settings::{Settings, StartError};
pub use words::explain;
