//! A job scheduler inside your program: cron, intervals, calendars and delays, exact to the millisecond, each instant
//! fired once and recorded.
//!
//! ```
//! use std::time::Duration;
//! use mainspring::prelude::*;
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), mainspring::Error> {
//! let scheduler = Scheduler::builder()
//!     .handler("greet", async |run: RunContext| {
//!         println!("hello, {} (due {})", run.input()["name"], run.fire_time());
//!     })
//!     .start("memory:")
//!     .await?;
//!
//! scheduler
//!     .add(job("greeting").handler("greet").input(json!({"name": "Ana"})).trigger(every(Duration::from_secs(30))))
//!     .await?;
//! scheduler.add(job("report").handler("greet").trigger(cron("0 0 9 ? * MON-FRI").timezone("Europe/Berlin"))).await?;
//!
//! let run = scheduler.run_now("greeting").await?;
//! assert_eq!(scheduler.wait(run.id).await?.state, RunState::Succeeded);
//! scheduler.shutdown(Duration::from_secs(10)).await?;
//! # Ok(())
//! # }
//! ```
//!
//! With `sqlite:PATH` instead of `memory:`, jobs, runs and history survive the process, also one that is killed: every
//! instant is then accounted for as fired, missed or suppressed. Schedules are tested without waiting by a
//! [`ManualEngine`].
//!
//! | feature | what it adds |
//! |---|---|
//! | `sqlite` (default) | stores in files, `sqlite:PATH` |
//! | `postgres`, `mysql` | stores that programs and servers share, `postgres://…`, `mysql://…` |
//! | `http-tasks` | jobs that are HTTP calls |
//! | `jiff`, `chrono` | conversions of [`Timestamp`] by [`TimestampExt`] |

#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/listeners.md")]
mod guide {}

mod calendar;
mod error;
#[cfg(feature = "http-tasks")]
mod http;
mod job;
mod leash;
mod manual;
mod scheduler;
mod time;
mod trigger;
mod workflow;

pub use calendar::{CalendarBuilder, holidays};
pub use error::Error;
#[cfg(feature = "http-tasks")]
pub use http::{HttpBuilder, http};
pub use job::{JobBuilder, job};
pub use leash::leash;
pub use mainspring_core::after::AfterOn;
pub use mainspring_core::batch::{Gap, GapOutcome, GapReason, Placed};
pub use mainspring_core::job::{
    Backoff, CalendarRule, Job, JobKey, Leftovers, OnLost, Overlap, RetryOn, RetryPolicy, Task, TriggerDefinition,
};
pub use mainspring_core::routing::{Routing, Shard, Strategy};
pub use mainspring_core::run::{AttemptOutcome, Origin, RunState};
pub use mainspring_core::workflow::dates::LogicalDate;
pub use mainspring_core::workflow::{
    Approval, At, ClockTime, Elsewhere, FailFast, NeedAt, OnMissing, OnTimeout, TaskContext, TaskState, TriggerRule,
};
pub use mainspring_core::{JobId, JobVersion, RunId, Timestamp, TriggerId};
pub use mainspring_engine::flow::{Item, Session};
pub use mainspring_engine::{
    ChangedJob, CompletedTrigger, Control, DataError, EndedRun, Engine, FiredTrigger, Handler, HandlerError,
    HandlerResult, InputError, IntoHandlerResult, JobChange, Listener, MissedDeadline, MissedFires, NoState, Notice,
    RetentionRule, RunContext, Scope, StartError, StartingRun, Stopped, control::Upcoming,
};
pub use mainspring_schedule as schedule;
pub use mainspring_schedule::{CalendarUnit, MisfirePolicy, Semantics, TimeOfDay};
pub use mainspring_store::{Caller, Error as StoreError, GapRow, JobRow, NamedTrigger, RunInfo};
pub use mainspring_tasks::{Allow, HandlerFuture};
pub use manual::ManualEngine;
pub use scheduler::{Approve, Builder, Scheduler};
pub use serde_json::Value;
pub use time::TimestampExt;
pub use trigger::{TriggerBuilder, after, at, calendar_interval, cron, daily_window, delay, every};
pub use workflow::{GroupOf, Needs, TaskOf, WorkflowBuilder, workflow};

/// The crates that this one is made of. What is not named above is here: the types that signatures of [`Engine`] and [`Control`] name,
/// so that a program needs this crate alone.
///
/// ```
/// use mainspring::crates::engine::{Metrics, control::JobPlan};
/// use mainspring::crates::store::Store;
///
/// fn runs_ended(metrics: &Metrics, store: &dyn Store) -> Option<JobPlan> {
///     None
/// }
/// ```
pub mod crates {
    pub use {
        mainspring_core as core, mainspring_engine as engine, mainspring_schedule as schedule,
        mainspring_store as store, mainspring_tasks as tasks,
    };
}

/// What most programs need.
pub mod prelude {
    pub use crate::{
        EndedRun, JobKey, Listener, ManualEngine, Notice, OnLost, Overlap, RunContext, RunState, Scheduler, Scope,
        StartingRun, Timestamp, TimestampExt, at, calendar_interval, cron, daily_window, delay, every, holidays, job,
        workflow,
    };
    pub use serde_json::{Value, json};
}
