//! Counts of what happened, without how late.

use serde::{Deserialize, Serialize};

/// What happened, without how late: of a namespace within a span, or of all up to now.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Fire times that became runs.
    #[serde(skip_serializing_if = "is_zero")]
    pub fires: u64,
    /// Runs that succeeded.
    #[serde(skip_serializing_if = "is_zero")]
    pub succeeded: u64,
    /// Runs that failed.
    #[serde(skip_serializing_if = "is_zero")]
    pub failed: u64,
    /// Runs that were cancelled.
    #[serde(skip_serializing_if = "is_zero")]
    pub cancelled: u64,
    /// Runs that were skipped, and fires that an overlap policy suppressed.
    #[serde(skip_serializing_if = "is_zero")]
    pub skipped: u64,
    /// Fire times that were missed.
    #[serde(skip_serializing_if = "is_zero")]
    pub missed: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Counts {
    pub(super) fn add(&mut self, other: Self) {
        self.fires += other.fires;
        self.succeeded += other.succeeded;
        self.failed += other.failed;
        self.cancelled += other.cancelled;
        self.skipped += other.skipped;
        self.missed += other.missed;
    }
}
