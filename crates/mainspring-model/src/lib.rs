//! The words that all crates share: closed lists of states, policies and kinds, as plain data.
//!
//! Each list exists once, in [`words!`]. The scheduler decides over its values, stores keep its words, job files and the API write
//! them. Nothing here decides, and nothing here knows another crate of ours.
//!
//! A list that the API sends has a second form in [`open`], with `Unknown` for the words of newer servers: only readers of answers
//! meet it.

mod job;
mod log;
mod run;
mod script;
mod trigger;
mod words;
mod workflow;
mod xxl;

pub use job::{Backoff, Leftovers, OnLost, Overlap, Strategy};
pub use log::Stream;
pub use run::{AttemptOutcome, Origin, RunState, Verdict};
pub use script::ScriptLanguage;
pub use trigger::{AfterOn, MisfirePolicy, Semantics, TriggerKind, UnknownMisfirePolicy, UnknownSemantics};
pub use workflow::{LogicalDate, NeedAt, OnMissing, OnTimeout, TaskState, TriggerRule};
pub use xxl::Block;

/// Lists as readers of the API meet them: with `Unknown` for words that are newer than the reader.
pub mod open {
    pub use crate::log::open_stream::Stream;
    pub use crate::run::open_run_state::RunState;
    pub use crate::workflow::open_task_state::TaskState;
}

/// Tells whether a value is its type's default, for members that are left out then.
///
/// ```
/// use mainspring_model::{Overlap, is_default};
/// assert!(is_default(&Overlap::Allow));
/// ```
#[must_use]
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
