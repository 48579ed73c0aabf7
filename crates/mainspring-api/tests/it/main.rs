//! Integration tests of what crosses the wire.

mod bodies;
#[cfg(feature = "client")]
mod client;
mod documents;
mod export;
mod job_files;
mod openapi;
mod reference;
