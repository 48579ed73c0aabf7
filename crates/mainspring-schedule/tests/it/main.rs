//! Integration tests of the crate, as one binary.

mod replay;
mod trigger_vectors;
