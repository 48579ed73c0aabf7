//! The rig against real servers and sockets.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod database;
mod history;
mod host;
mod proxy;
mod standby;
