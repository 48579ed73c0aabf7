//! Words of triggers.

use std::fmt;
use std::str::FromStr;

use crate::{RunState, words};

words!(
    /// Misfire policies, under Quartz's names.
    ///
    /// `every` and `at` know `fire_now` and the four with a count, the other kinds `fire_once_now` and
    /// `do_nothing`; `smart` and `ignore` fit all.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema, utoipa::ToSchema))]
    #[cfg_attr(feature = "schema", schemars(rename = "Misfire"), schema(as = Misfire))]
    MisfirePolicy {
        /// Quartz's choice for the kind.
        #[default]
        Smart = "smart",
        /// Fires each missed instant, at once.
        Ignore = "ignore",
        /// Fires once now, then on schedule.
        FireOnceNow = "fire_once_now",
        /// Drops what was missed.
        DoNothing = "do_nothing",
        /// Fires now; repeats are counted on from there.
        FireNow = "fire_now",
        /// Fires now and keeps the repeat count as it was.
        NowWithExistingCount = "now_with_existing_count",
        /// Fires now and takes the missed ones off the repeat count.
        NowWithRemainingCount = "now_with_remaining_count",
        /// Fires at the next instant and takes the missed ones off the repeat count.
        NextWithRemainingCount = "next_with_remaining_count",
        /// Fires at the next instant and keeps the repeat count as it was.
        NextWithExistingCount = "next_with_existing_count",
    }
);

impl MisfirePolicy {
    /// Tells whether triggers of a kind know the policy.
    #[must_use]
    pub const fn fits(self, kind: TriggerKind) -> bool {
        match self {
            Self::Smart | Self::Ignore => true,
            Self::FireOnceNow | Self::DoNothing => !matches!(kind, TriggerKind::Every | TriggerKind::At),
            _ => matches!(kind, TriggerKind::Every | TriggerKind::At),
        }
    }
}

/// The text names no misfire policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownMisfirePolicy {
    name: String,
}

impl UnknownMisfirePolicy {
    /// Returns the stable code of this error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        "misfire.unknown_policy"
    }
}

impl fmt::Display for UnknownMisfirePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<_> = MisfirePolicy::ALL.iter().map(|policy| policy.as_str()).collect();
        write!(f, "unknown misfire policy `{}`; expected one of {}", self.name, known.join(", "))
    }
}

impl std::error::Error for UnknownMisfirePolicy {}

impl FromStr for MisfirePolicy {
    type Err = UnknownMisfirePolicy;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::from_word(text).ok_or_else(|| UnknownMisfirePolicy { name: text.chars().take(64).collect() })
    }
}

words!(
    /// Which rules hold at clock changes and in other corners where Quartz is odd.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema, utoipa::ToSchema))]
    Semantics {
        /// mainspring's.
        #[default]
        Standard = "standard",
        /// Bit-exact with Quartz 2.5.2, oddities included.
        Quartz = "quartz",
    }
);

/// The text names no semantics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownSemantics;

impl fmt::Display for UnknownSemantics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown semantics; expected `standard` or `quartz`")
    }
}

impl std::error::Error for UnknownSemantics {}

impl FromStr for Semantics {
    type Err = UnknownSemantics;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::from_word(text).ok_or(UnknownSemantics)
    }
}

words!(
    /// Kinds of trigger.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema, utoipa::ToSchema))]
    TriggerKind {
        /// A cron expression.
        Cron = "cron",
        /// A fixed interval.
        Every = "every",
        /// One instant.
        At = "at",
        /// A number of calendar units.
        CalendarInterval = "calendar_interval",
        /// An interval between two times of day.
        DailyWindow = "daily_window",
        /// A pause after the end of the run before.
        Delay = "delay",
        /// The end of a run of another job.
        After = "after",
    }
);

words!(
    /// Ends of runs after which a job starts.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema, utoipa::ToSchema))]
    AfterOn {
        /// Success.
        #[default]
        Succeeded = "succeeded",
        /// Failure, after the last attempt.
        Failed = "failed",
        /// An end on request.
        Cancelled = "cancelled",
        /// An end without a start.
        Skipped = "skipped",
        /// Any of these.
        Any = "any",
    }
);

impl AfterOn {
    /// Tells whether a run that has ended in `state` counts.
    #[must_use]
    pub fn counts(self, state: RunState) -> bool {
        state.is_final() && (self == Self::Any || self.as_str() == state.as_str())
    }
}
