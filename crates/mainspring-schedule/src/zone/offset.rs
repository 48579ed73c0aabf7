//! Stretches of one offset, and the instants that show a local time.

use crate::Timestamp;

/// Larger than any offset, so that a local time this far from both ends of a window belongs to it alone.
pub(super) const MAX_OFFSET_MS: i64 = 26 * 3_600_000;

/// The instants that show a given local time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolved {
    /// Exactly one.
    Once(Timestamp),
    /// None: the clock jumps over it.
    Skipped {
        /// The first instant after the gap, at which the clock has just jumped.
        gap_end: Timestamp,
        /// The instant at which the clock *would* show it, had it not jumped. The clock then
        /// shows the wanted time plus the length of the gap.
        shifted: Timestamp,
    },
    /// Two: the clock is put back and shows it again.
    Twice {
        /// The earlier instant, at the offset before the change.
        first: Timestamp,
        /// The later instant, at the offset after the change.
        second: Timestamp,
    },
}

impl Resolved {
    /// Resolves like Java's lenient calendar, and so like Quartz: forward by the length of the gap, and the later of
    /// two.
    #[must_use]
    pub const fn lenient(self) -> Timestamp {
        match self {
            Self::Once(t) | Self::Skipped { shifted: t, .. } | Self::Twice { second: t, .. } => t,
        }
    }

    /// Resolves by `semantics: standard`: the first instant after the gap, and the first of two.
    #[must_use]
    pub const fn earliest(self) -> Timestamp {
        match self {
            Self::Once(t) | Self::Skipped { gap_end: t, .. } | Self::Twice { first: t, .. } => t,
        }
    }
}

/// A stretch of time in which a zone's offset from UTC does not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OffsetWindow {
    /// The first instant of the stretch; milliseconds since 1970 UTC, `i64::MIN` for "always".
    pub from_ms: i64,
    /// The first instant after the stretch; `i64::MAX` for "for ever".
    pub to_ms: i64,
    /// Local time minus UTC, in milliseconds.
    pub offset_ms: i64,
}

impl OffsetWindow {
    /// Returns whether the instant lies in the stretch.
    #[must_use]
    pub const fn contains(&self, millis: i64) -> bool {
        self.from_ms <= millis && millis < self.to_ms
    }
}
