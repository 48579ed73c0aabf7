//! What XXL-JOB's executors say and hear.
//!
//! - [`Call`]: what an executor sends, read as leniently as its many implementations need
//! - [`answer`]: what it is answered
//! - [`Client`]: calls executors, each in its [`Dialect`]
//! - [`Admin`]: talks to an old admin as executors do; [`Asked`]: what that asks; [`Passing`]: the runs that it has sent
//! - [`Dispatch`]: what became of a run that was sent; [`Vigil`]: how long it is waited for
//! - [`filled`]: parameters that say for which instant a run was planned
//! - [`Instances`]: which executors are there, what they cannot do, and whether they live
//! - [`Gate`]: the circuit breaker and the limit of runs of one executor
//! - [`import`]: from a dump of XXL-JOB's database to job files
//! - [`family`]: jobs that XXL-JOB calls children
//! - [`words`]: XXL-JOB's words for routes, block strategies, misfires and schedules, and ours
//!
//! Everything but the client is pure: time is an argument. This crate must never know what is done with a run, how it is kept,
//! or how HTTP is served.
//!
//! XXL-JOB has five dialects. That of 2.1 is answered, but such executors are not called: they want a binary protocol
//! that runs foreign code.

mod address;
mod admin;
mod alarm;
mod answer;
mod asked;
mod call;
mod client;
mod dialect;
mod dispatch;
pub mod family;
mod fields;
mod gate;
pub mod import;
mod instances;
mod lenient;
mod log;
mod order;
mod params;
mod passing;
mod reply;
mod token;
mod vigil;
pub mod words;

pub use address::{Address, AddressError};
pub use admin::Admin;
pub use alarm::tell;
pub use answer::{CONTENT_TYPE, answer, refusal};
pub use asked::{Asked, Sent};
pub use call::{Call, CallError, Callback, Code, Method, Registration};
pub use client::{CallFailed, Check, Client, ClientLimits, Probe, Reach, RunAnswer, SettingsError, Target};
pub use dialect::{Dialect, Evidence};
pub use dispatch::{Dispatch, Event, Outcome, Stop, Verdict};
pub use fields::Fields;
pub use gate::{Admission, Breaker, Gate, GateLimits};
pub use instances::{Abilities, Ability, BEAT_MS, DEAD_MS, Instance, Instances, Sign};
pub use log::{LogPiece, LogReader};
pub use order::{Kill, LogQuestion, Order, script_stamp};
pub use params::{Facts, filled, has_places};
pub use passing::{Admitted, Newest, Passed, PassedId, Passing};
pub use reply::{Payload, Reply};
pub use token::{Credentials, Tokens};
pub use vigil::{Killing, Vigil};
