//! Recorded executors, and a port that answers as it is told.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod client;
mod dumps;
mod python;
mod pyxxl;
mod recorder;
mod replay;
mod surprises;
mod vectors;
