//! What a job says about the workers that execute its runs.
//!
//! The runs of most jobs go to whoever of their queue has a free slot. A *routed* job says more: which workers fit, and a
//! [`Strategy`] that picks one of these. Its runs wait in a [line](crate::line) of their own until the [router](crate::router) has picked.

use std::collections::BTreeMap;

pub use mainspring_model::Strategy;
use mainspring_model::is_default;
use serde::{Deserialize, Serialize};

use crate::run::{RunState, Verdict};

/// What a job says of the workers that execute its runs.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Routing {
    /// Which of those that fit.
    #[serde(default, skip_serializing_if = "is_default")]
    pub strategy: Strategy,
    /// Labels that a worker must have to fit.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub workers: BTreeMap<String, String>,
    /// Where in a run's input the text or number is by which the consistent hash goes, in place of the job: the name of a member, or a
    /// JSON pointer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

impl Routing {
    /// Whether whoever takes runs from the queue may have them.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// The strategy, where a key stands for the consistent hash by it.
    #[must_use]
    pub fn strategy(&self) -> Strategy {
        match self.strategy {
            Strategy::Any if self.key.is_some() => Strategy::ConsistentHash,
            strategy => strategy,
        }
    }

    /// Whether a worker with these labels may have runs of the job.
    #[must_use]
    pub fn fits(&self, labels: &BTreeMap<String, String>) -> bool {
        self.workers.iter().all(|(name, value)| labels.get(name) == Some(value))
    }
}

/// The longest name of a queue of routed jobs, in bytes: with the name of a worker it has to fit into a column.
pub const QUEUE_MAX: usize = 120;

/// Which part of a run another one executes for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// From 0.
    pub index: u32,
    /// How many there are.
    pub total: u32,
}

/// How a run ends whose shards are final, in order, and the reason if that is not well.
///
/// ```
/// use mainspring_core::routing::ended;
/// use mainspring_core::run::{RunState, Verdict};
/// let states = [RunState::Succeeded, RunState::Failed, RunState::Cancelled];
/// let (verdict, reason) = ended(&states, false);
/// assert_eq!((verdict, reason.as_deref()), (Verdict::Failed, Some("shards 1 (failed), 2 (cancelled) of 3")));
/// assert_eq!(ended(&states[..1], true), (Verdict::Succeeded, None));
/// ```
#[must_use]
pub fn ended(states: &[RunState], cancel_requested: bool) -> (Verdict, Option<String>) {
    let others = states.iter().enumerate().filter(|(_, state)| **state != RunState::Succeeded);
    let named: Vec<String> = others.map(|(index, state)| format!("{index} ({state})")).collect();
    if named.is_empty() {
        return (Verdict::Succeeded, None);
    }
    let verdict = if cancel_requested { Verdict::Cancelled } else { Verdict::Failed };
    let rest = named.len().saturating_sub(NAMED_MAX);
    let more = if rest > 0 { format!(" and {rest} others") } else { String::new() };
    let named = named[..named.len() - rest].join(", ");
    (verdict, Some(format!("shards {named}{more} of {}", states.len())))
}

/// How many shards a reason names at most.
const NAMED_MAX: usize = 10;
