//! Alerts: who is told when a job goes wrong, and when it is well again.
//!
//! [`State`] is what is known of a job, [`Wants`] what is wanted of it. Each event of the job, and each look at the time, yields
//! the [`Notice`]s to send. Nothing here asks for the time or for anything else: the same events give the same notices, wherever
//! they are cut into pieces.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use mainspring_schedule::{Period, Timestamp};
use serde::{Deserialize, Serialize};

mod rule;
mod state;
#[cfg(test)]
mod tests;

pub use rule::{Rule, Scope, wants};
pub use state::{Open, State};

/// What may be wrong with a job.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Condition {
    /// A run has failed, with no attempts left.
    Failed,
    /// So many runs have failed, one after another.
    FailedInRow(u32),
    /// A run was not started so many milliseconds after it was due.
    Late(i64),
    /// A run takes longer than so many milliseconds.
    RunsLonger(i64),
    /// Fire times were missed.
    Misfired,
    /// A run has not ended by its deadline.
    DeadlineMissed,
}

impl Condition {
    /// Whether it is known by the time that passes, and not by an event.
    #[must_use]
    pub const fn is_timed(self) -> bool {
        matches!(self, Self::Late(_) | Self::RunsLonger(_))
    }
}

/// `failed`, `failed_in_row 3`, `late 10m`.
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |ms: i64| Period::from_millis(ms).unwrap_or(Period::ZERO);
        match self {
            Self::Failed => f.write_str("failed"),
            Self::FailedInRow(count) => write!(f, "failed_in_row {count}"),
            Self::Late(ms) => write!(f, "late {}", text(*ms)),
            Self::RunsLonger(ms) => write!(f, "runs_longer {}", text(*ms)),
            Self::Misfired => f.write_str("misfired"),
            Self::DeadlineMissed => f.write_str("deadline_missed"),
        }
    }
}

/// Reads what is displayed.
impl std::str::FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, rest) = text.split_once(' ').map_or((text, None), |(word, rest)| (word, Some(rest)));
        let unknown = || format!("`{text}` is no condition of an alert");
        let ms = || {
            let period = rest.and_then(|rest| rest.parse::<Period>().ok()).ok_or_else(unknown)?;
            Ok::<_, String>(period.as_millis())
        };
        Ok(match (word, rest) {
            ("failed", None) => Self::Failed,
            ("failed_in_row", Some(count)) => Self::FailedInRow(count.parse().map_err(|_| unknown())?),
            ("late", Some(_)) => Self::Late(ms()?),
            ("runs_longer", Some(_)) => Self::RunsLonger(ms()?),
            ("misfired", None) => Self::Misfired,
            ("deadline_missed", None) => Self::DeadlineMissed,
            _ => return Err(unknown()),
        })
    }
}

impl Serialize for Condition {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Somebody to tell: a channel, and whom it reaches where that is not the channel's to say.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Target {
    /// The name of a channel.
    pub channel: String,
    /// Addresses of e-mail, in place of those of the channel.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<String>,
}

/// What is wanted of one condition of a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Want {
    /// Who is told.
    pub targets: BTreeSet<Target>,
    /// After how many milliseconds they are told again, while it lasts.
    pub repeat_ms: Option<i64>,
    /// Whether they are told when it is over.
    pub recovered: bool,
}

/// What is wanted of a job, by condition: so several rules that say the same send one message.
pub type Wants = BTreeMap<Condition, Want>;

/// What happens to a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A run waits to be started.
    Waits {
        /// Which.
        run: String,
        /// When it is due.
        due_at: Timestamp,
    },
    /// A run waits for its own sake: for a retry, or for an instant that was asked for.
    Rests {
        /// Which.
        run: String,
    },
    /// An attempt was started.
    Started {
        /// Of which run.
        run: String,
        /// When that was due.
        due_at: Timestamp,
    },
    /// A run is over.
    Ended {
        /// Which.
        run: String,
        /// How.
        how: Ended,
    },
    /// Fire times were missed.
    Misfired {
        /// How many.
        count: u64,
    },
    /// A run has not ended by its deadline.
    DeadlineMissed {
        /// Which.
        run: String,
    },
}

/// How a run has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Well.
    Succeeded,
    /// Not well.
    Failed,
    /// Cancelled or skipped: neither.
    Otherwise,
}

/// Why somebody is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// It began.
    Opened,
    /// It lasts.
    Reminder,
    /// It is over.
    Recovered,
}

/// What to tell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    /// Of what.
    pub condition: Condition,
    /// Why.
    pub why: Why,
    /// What is known of it.
    pub open: Open,
    /// The run with which it is over, or that was noticed after the fact.
    pub run: Option<String>,
    /// Whom.
    pub targets: BTreeSet<Target>,
    /// When it happened.
    pub at: Timestamp,
}
