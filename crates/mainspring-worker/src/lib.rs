//! A worker in a program of one's own: it takes runs from mainspring servers, and executes them.
//!
//! It dials out only. What a job of kind `handler` does is a function of the program; shell lines, programs and HTTP calls
//! are executed too if [`Builder::tasks`] says how.
//!
//! ```no_run
//! use mainspring_worker::{RunContext, Worker};
//! use serde_json::json;
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let worker = Worker::builder("https://jobs.example.org")
//!     .token_file("/etc/mailer/token")
//!     .name("mailer-1")
//!     .queues(["mail"])
//!     .slots(4)
//!     .journal("/var/lib/mailer/journal")
//!     .handler("send_mail", async |run: RunContext| {
//!         run.log("sending").await;
//!         json!({ "to": run.input()["to"] })
//!     })
//!     .start()
//!     .await?;
//! # let ctrl_c = async || {};
//! ctrl_c().await;
//! worker.stop(std::time::Duration::from_secs(30)).await;
//! # Ok(())
//! # }
//! ```
//!
//! While no server is in reach the runs go on; their ends are kept, in the journal too, and reported afterwards. Only runs that
//! others may be given meanwhile are ended in time: those of jobs with `on_lost: retry` or a limit of runs at a time.
//!
//! This crate must know neither store nor engine: the protocol is all there is between a worker and a server.

mod book;
mod builder;
mod clock;
mod core;
mod execute;
mod handler;
mod journal;
mod link;
mod outbox;
mod record;
mod worker;

pub use builder::{Builder, StartError};
pub use handler::RunContext;
pub use mainspring_api::RunShard;
pub use mainspring_tasks::{DataError, Handler, HandlerError, HandlerResult, IntoHandlerResult};
pub use worker::Worker;

/// The decisions of a worker without network, disk and clock: for simulators, and without any stability promise.
#[doc(hidden)]
pub mod machine {
    pub use crate::book::{Book, Heard, Life, Question, Stop, Unanswered};
    pub use crate::core::LEGACY_ENDS;
    pub use crate::execute::GIVE_UP_GRACE;
    pub use crate::link::{REQUEST_TIMEOUT, pause_ms};
    pub use crate::record::{Legacy, Record, Write, read};
}
