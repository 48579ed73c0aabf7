//! Executes the built-in task kinds: processes, their leash, log capture and HTTP calls.
//!
//! The crate takes one [`Task`] and the facts of one [`Attempt`], performs it through a
//! [`TaskRunner`], sends what it prints through a [`LogWriter`] and answers how it [`Ended`]. It
//! knows nothing about schedules, stores or leases, and depends on no other crate of ours.
//!
//! ```
//! use mainspring_tasks::{Attempt, LogWriter, Outcome, Settings, Task, TaskRunner};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! let runner = TaskRunner::new(Settings::new(folder))?;
//! let (log, mut reader) = LogWriter::channel(16, || 1_767_225_600_000);
//! let task = Task::Run { script: "echo hello; echo rows=3 >> \"$MS_OUTPUT\"".into(), shell: None };
//! let attempt = Attempt { job: "default/hello".into(), ..Attempt::default() };
//!
//! let ended = runner.perform(&task, &attempt, log, std::future::pending()).await;
//!
//! assert_eq!(ended.outcome, Outcome::Succeeded);
//! assert_eq!(ended.output, Some(serde_json::json!({ "rows": "3" })));
//! let chunk = reader.next().await.expect("one line was printed");
//! assert_eq!(chunk.lines[0].text, "hello");
//! # Ok(())
//! # }
//! ```

#![cfg_attr(not(feature = "http"), allow(dead_code, reason = "what only HTTP tasks need is small"))]
#![expect(clippy::disallowed_methods, reason = "waits here are for processes, by elapsed time, and follow no schedule")]

mod attempt;
mod clock;
mod codes;
mod data;
mod ended;
mod exact;
mod handler;
#[cfg(feature = "http")]
mod http;
pub mod leash;
mod leftovers;
mod log;
mod numbers;
mod policy;
mod process;
mod room;
mod runner;
mod settings;
mod task;

pub use attempt::{Attempt, Silence};
pub use clock::boot_ms;
pub use codes::{ERROR_CODES, ErrorCode};
pub use data::{DataError, JobData};
pub use ended::{Ended, Outcome, TaskError};
pub use exact::{Altered, altered};
pub use handler::{Handler, HandlerError, HandlerFuture, HandlerResult, Handlers, IntoHandlerResult};
#[cfg(feature = "http")]
pub use http::error::Denied;
#[cfg(feature = "http")]
pub use http::request::{CallPart, unsendable};
pub use leftovers::Leftovers;
pub use log::channel::{LogReader, LogWriter};
pub use log::codec::CodecError;
pub use log::line::{LogChunk, LogLine, Stream};
pub use log::text::TextLog;
pub use numbers::{inexact_number, is_exact_number};
pub use policy::{Allow, AllowError, OutboundPolicy};
pub use runner::TaskRunner;
pub use settings::{LogLimits, Settings, SettingsError};
pub use task::{HttpCall, Script, StatusRange, Task};
