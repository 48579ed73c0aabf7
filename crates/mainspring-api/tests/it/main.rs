//! Integration tests of what crosses the wire.

mod bodies;
mod documents;
mod export;
mod job_files;
mod reference;
