//! Misfire policies and their names.

use std::fmt;
use std::str::FromStr;

/// The policy of a trigger for misfires. Names and rules are Quartz's instructions.
///
/// Which of them a trigger may have depends on its kind: `every` and `at` take all but
/// `fire_once_now` and `do_nothing`; `cron`, `calendar_interval` and `daily_window` take `smart`,
/// `ignore`, `fire_once_now` and `do_nothing`; `delay` takes `smart`, `ignore` and `fire_once_now`.
///
/// ```
/// use mainspring_schedule::MisfirePolicy;
/// assert_eq!("fire_once_now".parse(), Ok(MisfirePolicy::FireOnceNow));
/// assert_eq!(MisfirePolicy::default().to_string(), "smart");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum MisfirePolicy {
    /// Chooses by kind. `every`: `fire_now` when it fires once, `next_with_remaining_count` when it
    /// fires for ever, else `now_with_existing_count`. All others: `fire_once_now`.
    #[default]
    Smart,
    /// Fires all missed instants, one by one, up to the catch-up cap.
    Ignore,
    /// Fires now. With repeats it is `now_with_remaining_count`.
    FireNow,
    /// Fires now and starts again from here, with as many repeats as were left.
    NowWithExistingCount,
    /// Fires now and starts again from here; the missed instants use up repeats.
    NowWithRemainingCount,
    /// Waits for the next instant of the schedule; the missed ones count as fired.
    NextWithRemainingCount,
    /// Waits for the next instant of the schedule; the missed ones do not count as fired.
    NextWithExistingCount,
    /// Fires once now, for all missed instants, then goes on as planned.
    FireOnceNow,
    /// Waits for the next instant of the schedule.
    DoNothing,
}

impl MisfirePolicy {
    /// All policies, in the order of the documentation.
    pub const ALL: [Self; 9] = [
        Self::Smart,
        Self::Ignore,
        Self::FireNow,
        Self::NowWithExistingCount,
        Self::NowWithRemainingCount,
        Self::NextWithRemainingCount,
        Self::NextWithExistingCount,
        Self::FireOnceNow,
        Self::DoNothing,
    ];

    /// Returns the name in files and in the API, in lower snake case.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Smart => "smart",
            Self::Ignore => "ignore",
            Self::FireNow => "fire_now",
            Self::NowWithExistingCount => "now_with_existing_count",
            Self::NowWithRemainingCount => "now_with_remaining_count",
            Self::NextWithRemainingCount => "next_with_remaining_count",
            Self::NextWithExistingCount => "next_with_existing_count",
            Self::FireOnceNow => "fire_once_now",
            Self::DoNothing => "do_nothing",
        }
    }
}

impl fmt::Display for MisfirePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text names no misfire policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown misfire policy `{name}`; expected one of smart, ignore, fire_now, now_with_existing_count, now_with_remaining_count, next_with_remaining_count, next_with_existing_count, fire_once_now, do_nothing"
)]
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

impl FromStr for MisfirePolicy {
    type Err = UnknownMisfirePolicy;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|policy| policy.as_str() == text)
            .ok_or_else(|| UnknownMisfirePolicy { name: text.chars().take(64).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_reads_back_from_its_name() {
        for policy in MisfirePolicy::ALL {
            assert_eq!(policy.as_str().parse(), Ok(policy));
        }
        assert_eq!("FIRE_NOW".parse::<MisfirePolicy>().unwrap_err().code(), "misfire.unknown_policy");
    }
}
