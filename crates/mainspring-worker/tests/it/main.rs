//! A worker against a desk that gives it work: what it says, and what it makes of what it hears.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod desk;
mod python;
mod worker;
