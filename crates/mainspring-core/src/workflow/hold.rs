//! Tasks that wait instead of doing something: for a while, for an instant, for somebody's approval, or for tasks of other workflows.
//!
//! Such a task has a run like any other, in a line that nobody takes runs from. It ends when that run's time is over, or by request.

use mainspring_schedule::{BadTimeOfDay, Civil, TimeOfDay, Timestamp, Zone};
use serde::{Deserialize, Serialize};

use super::{Elsewhere, OnTimeout, TaskState};
use crate::run::RunState;

const DAY_MS: i64 = 86_400_000;

/// What a task waits for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hold {
    /// So many milliseconds from when it may run.
    For(i64),
    /// An instant, as RFC 3339 says it, or a text whose expressions make one. One that is past holds nothing up.
    Until(String),
    /// A time of day.
    At(ClockTime),
    /// Somebody's approval.
    Approval(Approval),
    /// The ends of tasks of another workflow.
    Elsewhere(Elsewhere),
}

/// A time that clocks show once a day.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ClockTime {
    /// The time, such as `18:00`.
    pub time: String,
    /// Name of the time zone whose clocks are meant.
    pub timezone: String,
}

impl ClockTime {
    /// Returns the first instant from `now` on at which the clocks show it. A time that they skip comes at the end of the gap, and of a time
    /// that they show twice the first counts.
    ///
    /// # Errors
    /// In words: it is no time of day, or there is no such zone.
    ///
    /// ```
    /// use mainspring_core::Timestamp;
    /// use mainspring_core::workflow::ClockTime;
    /// let six = ClockTime { time: "18:00".into(), timezone: "Europe/Berlin".into() };
    /// let at = |text: &str| text.parse::<Timestamp>();
    /// assert_eq!(six.next(at("2026-07-01T15:59:59Z")?)?, at("2026-07-01T16:00:00Z")?);
    /// assert_eq!(six.next(at("2026-07-01T16:00:00Z")?)?, at("2026-07-01T16:00:00Z")?);
    /// assert_eq!(six.next(at("2026-07-01T16:00:01Z")?)?, at("2026-07-02T16:00:00Z")?);
    /// // On the morning of 29 March the clocks go from two to three.
    /// let skipped = ClockTime { time: "02:30".into(), ..six };
    /// assert_eq!(skipped.next(at("2026-03-28T22:00:00Z")?)?, at("2026-03-29T01:00:00Z")?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn next(&self, now: Timestamp) -> Result<Timestamp, String> {
        let time: TimeOfDay = self.time.parse().map_err(|error: BadTimeOfDay| error.to_string())?;
        let zone = Zone::parse(&self.timezone).map_err(|error| error.to_string())?;
        let today = zone.to_local(now).day_number();
        let on = |day: i64| zone.resolve(Civil::from_millis((today + day) * DAY_MS + time.as_millis())).earliest();
        // Clocks that go forward can leave the instant of today before now.
        let days = (0..).map(on).find(|at| *at >= now);
        Ok(days.expect("days go on"))
    }
}

/// What somebody is to decide.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Approval {
    /// What is asked, with expressions.
    pub prompt: String,
    /// Who may decide, by name; anybody who may steer runs if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// How long to wait for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<i64>,
    /// What follows when that is over.
    #[serde(default)]
    pub on_timeout: OnTimeout,
}

impl Hold {
    /// How the task ends whose run has ended by itself, and why where that is not plain.
    ///
    /// ```
    /// use mainspring_core::run::RunState;
    /// use mainspring_core::workflow::{Approval, Hold, TaskState};
    /// // The run of a task that waits is never started: it expires.
    /// assert_eq!(Hold::For(1_000).end(RunState::Skipped), (TaskState::Succeeded, None));
    /// let nobody = Hold::Approval(Approval::default()).end(RunState::Skipped);
    /// assert_eq!(nobody, (TaskState::Failed, Some("nobody decided in time")));
    /// ```
    #[must_use]
    pub const fn end(&self, state: RunState) -> (TaskState, Option<&'static str>) {
        const LATE: Option<&str> = Some("nobody decided in time");
        const OPEN: Option<&str> = Some("what it waits for had not ended in time");
        match (self, state) {
            (_, RunState::Cancelled) => (TaskState::Cancelled, None),
            (Self::For(_) | Self::Until(_) | Self::At(_), _) => (TaskState::Succeeded, None),
            (Self::Elsewhere(_), _) => (TaskState::Failed, OPEN),
            (Self::Approval(approval), _) => match approval.on_timeout {
                OnTimeout::Fail => (TaskState::Failed, LATE),
                OnTimeout::Skip => (TaskState::Skipped, LATE),
                OnTimeout::Approve => (TaskState::Succeeded, LATE),
            },
        }
    }

    /// What somebody is to decide, if it is that.
    #[must_use]
    pub const fn approval(&self) -> Option<&Approval> {
        match self {
            Self::Approval(approval) => Some(approval),
            Self::For(_) | Self::Until(_) | Self::At(_) | Self::Elsewhere(_) => None,
        }
    }

    /// What it waits for in another workflow, if it is that.
    #[must_use]
    pub const fn elsewhere(&self) -> Option<&Elsewhere> {
        match self {
            Self::Elsewhere(need) => Some(need),
            Self::For(_) | Self::Until(_) | Self::At(_) | Self::Approval(_) => None,
        }
    }
}

impl Approval {
    /// Whether somebody may decide.
    #[must_use]
    pub fn admits(&self, by: Option<&str>) -> bool {
        self.from.is_empty() || by.is_some_and(|by| self.from.iter().any(|name| name == by))
    }
}
