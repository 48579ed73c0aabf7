//! What crosses the wire: types, error codes, job files, typed client.
//!
//! - [`spec`](JobSpec): the job file, one schema for YAML, TOML, JSON and the API
//! - [`routes`]: paths of the HTTP API and what they take and answer
//! - resources ([`Job`], [`Trigger`], [`Run`], …): what the API shows
//! - [`ErrorCode`] and [`ProblemDetails`]: the catalogue of errors
//!
//! This crate must never know any other crate of ours, so that a client needs no engine.

mod error;
mod problem;
pub mod routes;
mod spec;
mod timestamp;
mod wire;

pub use error::{ErrorCode, ProblemDetails, error_reference};
pub use problem::{Position, Problem, did_you_mean};
pub use spec::*;
pub use timestamp::{Timestamp, TimestampError};
pub use wire::*;
