//! What crosses the wire: types, error codes, job files, typed client.
//!
//! - [`spec`](JobSpec): the job file, one schema for YAML, TOML, JSON and the API
//! - [`routes`]: paths of the HTTP API and what they take and answer
//! - resources ([`Job`], [`Trigger`], [`Run`], …): what the API shows
//! - [`read_job_files`], [`read_body`], [`write_text`]: texts in and out, with every problem found
//! - [`client`]: the typed client
//! - [`ErrorCode`] and [`ProblemDetails`]: the catalogue of errors
//!
//! This crate must never know any other crate of ours but the words of `mainspring-model`, so that a client needs no engine.

mod body;
mod check;
#[cfg(feature = "client")]
pub mod client;
mod document;
mod error;
mod export;
mod job_file;
mod patch;
mod problem;
pub mod routes;
mod shape;
mod spec;
mod timestamp;
mod wire;

pub use body::{read_body, read_documents, read_query};
pub use check::{
    check_alert_channel, check_alert_rule, check_bundle, check_calendar, check_flow, check_job, check_trigger,
    is_valid_name, placed_in_task,
};
pub use document::{Document, Format, Limits, is_exact_number, parse_documents};
pub use error::{ErrorCode, ProblemDetails, error_reference};
pub use export::{ExportError, write_text};
pub use job_file::{JobFile, JobFiles, flow_json_schema, json_schema, read_job_files, survey_job_files};
pub use patch::{field_changes, merge_patch};
pub use problem::{Position, Problem, did_you_mean};
pub use spec::*;
pub use timestamp::{Timestamp, TimestampError};
pub use wire::*;
