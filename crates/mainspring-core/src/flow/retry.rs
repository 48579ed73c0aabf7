//! What becomes of an item that is to be tried again.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Which items a component tries again, and how long it waits.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Retry {
    /// Relationships whose items are tried again before they are passed on.
    pub relationships: BTreeSet<String>,
    /// How often an item is tried again at most.
    pub max: u32,
    /// Who waits.
    pub mode: RetryMode,
    /// The longest wait, in ms.
    pub max_backoff_ms: i64,
}

/// Who waits before an item is tried again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetryMode {
    /// The item: others overtake it.
    #[default]
    Penalize,
    /// The component: the order of items is kept.
    Yield,
}

impl Default for Retry {
    /// Nothing is tried again; where something is, ten times, with waits of at most ten minutes.
    fn default() -> Self {
        Self { relationships: BTreeSet::new(), max: 10, mode: RetryMode::Penalize, max_backoff_ms: 600_000 }
    }
}

impl Retry {
    /// Returns how long to wait in ms before an item is tried again that was tried again `retries` times before, or nothing if it
    /// is passed on: the base doubled each time, at most [`Retry::max_backoff_ms`].
    ///
    /// ```
    /// use mainspring_core::flow::Retry;
    ///
    /// let retry = Retry { relationships: ["failure".to_owned()].into(), ..Retry::default() };
    /// let waits: Vec<_> = (0..7).map_while(|retries| retry.wait_ms("failure", retries, 30_000)).collect();
    /// assert_eq!(waits, [30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000]);
    /// assert_eq!(retry.wait_ms("failure", 10, 30_000), None);
    /// assert_eq!(retry.wait_ms("success", 0, 30_000), None);
    /// ```
    #[must_use]
    pub fn wait_ms(&self, relationship: &str, retries: u32, base_ms: i64) -> Option<i64> {
        if retries >= self.max || !self.relationships.contains(relationship) {
            return None;
        }
        let doubled = base_ms.saturating_mul(1_i64.checked_shl(retries.min(40)).unwrap_or(i64::MAX));
        Some(doubled.min(self.max_backoff_ms))
    }
}
