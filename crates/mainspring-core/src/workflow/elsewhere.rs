//! Tasks of other workflows that tasks need, by logical date.
//!
//! Such a need is a task of its own in the graph, which [waits](super::Hold::Elsewhere) and ends as what it waits for has ended. Dates and
//! data intervals decide which runs are meant, and never when something ended by the clock.

use std::collections::BTreeMap;
use std::fmt;

use mainspring_schedule::{Period, Timestamp};
use serde::{Deserialize, Serialize};

pub use mainspring_model::{NeedAt, OnMissing};

use super::TaskState;
use super::dates::Dated;
use crate::id::RunId;
use crate::job::Job;
use crate::run::RunState;

/// What is needed of another workflow.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Elsewhere {
    /// Its name, or that of another job, in the namespace of the task's own.
    pub workflow: String,
    /// Which of its tasks; the whole run if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Of which runs.
    pub at: At,
    /// What becomes of it while there is no such run.
    #[serde(default)]
    pub on_missing: OnMissing,
    /// How long to wait; without limit if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<i64>,
}

/// Of which runs something is needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum At {
    /// As a word says.
    Word(NeedAt),
    /// Of the date that lies so many milliseconds after the own one.
    Offset(i64),
}

/// The dates of the runs that are needed. Settled when the task begins to wait, and kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Needed {
    /// The run of this date.
    Date(Timestamp),
    /// The run of a date that fires at another instant, since its workflow names runs after the [start](super::dates::LogicalDate::Start) of
    /// their data.
    Named {
        /// The date.
        date: Timestamp,
        /// When it fires.
        fire: Timestamp,
    },
    /// The runs whose data intervals lie between these instants.
    Within(Timestamp, Timestamp),
}

impl Needed {
    /// The first and the last fire time that a run may have which is needed.
    #[must_use]
    pub fn span(self) -> (Timestamp, Timestamp) {
        match self {
            Self::Date(date) => (date, date),
            Self::Named { fire, .. } => (fire, fire),
            Self::Within(from, to) => (from, to),
        }
    }

    /// The date by which people know the run of a fire time.
    #[must_use]
    pub fn shown(self, fire: Timestamp) -> Timestamp {
        match self {
            Self::Named { date, .. } => date,
            Self::Date(_) | Self::Within(..) => fire,
        }
    }
}

/// How the run of one date stands, or its task that is needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// There is none.
    Missing,
    /// The run is there, and what is needed has not ended.
    Open(RunId),
    /// What is needed has ended.
    Ended(RunId, TaskState),
    /// The run has no such task.
    NoTask(RunId),
}

/// What follows for a task that waits for others elsewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Settled {
    /// It goes on waiting, for what is said.
    Waits(String),
    /// It ends, for the reason that is said.
    Ends(TaskState, String),
}

impl Elsewhere {
    /// The name of the task that waits for it: no task that somebody has named is called so.
    ///
    /// ```
    /// use mainspring_core::workflow::{At, Elsewhere, NeedAt, OnMissing};
    /// let (workflow, task) = ("ingest".to_owned(), Some("load".to_owned()));
    /// let need = Elsewhere { workflow, task, at: At::Word(NeedAt::Same), on_missing: OnMissing::Wait, timeout_ms: None };
    /// assert_eq!(need.name(), "ingest:load@same");
    /// assert_eq!(Elsewhere { task: None, at: At::Offset(-60_000), ..need }.name(), "ingest@-1m");
    /// ```
    #[must_use]
    pub fn name(&self) -> String {
        let task = self.task.as_ref().map(|task| format!(":{task}")).unwrap_or_default();
        format!("{}{task}@{}", self.workflow, self.at)
    }

    /// What is needed, in words.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.task {
            Some(task) => format!("task {task} of {}", self.workflow),
            None => self.workflow.clone(),
        }
    }

    /// The dates of the runs that are needed by a run of these dates. Nothing: there is no date before.
    #[must_use]
    pub fn needed(&self, of: &Dated) -> Option<Needed> {
        match self.at {
            At::Word(NeedAt::Same) => Some(Needed::Date(of.logical)),
            At::Word(NeedAt::Covers) => Some(Needed::Within(of.start, of.date)),
            At::Word(NeedAt::Previous) => of.before.map(Needed::Date),
            At::Offset(ms) => Some(Needed::Date(of.logical + ms)),
        }
    }

    /// Whether the dates that are needed follow from the data interval of the run.
    #[must_use]
    pub const fn asks_interval(&self) -> bool {
        matches!(self.at, At::Word(NeedAt::Covers | NeedAt::Previous))
    }

    /// How far after its own date the latest date lies that it waits for: before it where that is negative. How long ago the date
    /// before was, nobody knows before a run is there.
    #[must_use]
    pub const fn later_ms(&self) -> i64 {
        match self.at {
            At::Word(NeedAt::Same | NeedAt::Covers) => 0,
            At::Word(NeedAt::Previous) => -1,
            At::Offset(ms) => ms,
        }
    }

    /// Decides what follows from how the runs of all dates stand. One that has failed decides at once, since no other one can change that.
    #[must_use]
    pub fn settle(&self, found: &[(Timestamp, Found)]) -> Settled {
        let counted = |found: Found| match (found, self.on_missing) {
            (Found::Missing, OnMissing::Wait) | (Found::Open(_), _) => None,
            (Found::Missing, OnMissing::Succeed) => Some(TaskState::Succeeded),
            (Found::Missing, OnMissing::Skip) => Some(TaskState::Skipped),
            (Found::Missing, OnMissing::Fail) | (Found::NoTask(_), _) => Some(TaskState::Failed),
            (Found::Ended(_, state), _) => Some(state),
        };
        let those = |is: &dyn Fn(Option<TaskState>) -> bool| found.iter().find(|(_, found)| is(counted(*found)));
        let bad = those(&|state| state.is_some_and(TaskState::is_bad));
        if let Some((date, found)) = bad {
            return Settled::Ends(TaskState::Failed, self.says(*date, *found));
        }
        let open = found.iter().filter(|(_, found)| counted(*found).is_none()).count();
        if let Some((date, found)) = those(&|state| state.is_none()) {
            let more = if open > 1 { format!(", and {} more", open - 1) } else { String::new() };
            return Settled::Waits(format!("{}{more}", self.says(*date, *found)));
        }
        let skipped = those(&|state| state != Some(TaskState::Succeeded));
        match (skipped, found) {
            (Some((date, found)), _) => Settled::Ends(TaskState::Skipped, self.says(*date, *found)),
            (None, [(date, found)]) => Settled::Ends(TaskState::Succeeded, self.says(*date, *found)),
            (None, []) => Settled::Ends(TaskState::Succeeded, format!("{} has no date that is needed", self.workflow)),
            (None, all) => {
                Settled::Ends(TaskState::Succeeded, format!("{} of {} dates succeeded", self.text(), all.len()))
            }
        }
    }

    fn says(&self, date: Timestamp, found: Found) -> String {
        let (workflow, what) = (&self.workflow, self.text());
        match found {
            Found::Missing => format!("there was no run of {workflow} for {date} when it looked"),
            Found::Open(run) => format!("{what} for {date} has not ended: run {run}"),
            Found::Ended(run, state) => format!("{what} for {date} is {state}: run {run}"),
            Found::NoTask(run) => {
                format!("run {run} of {workflow} for {date} has no task {}", self.task.as_deref().unwrap_or(""))
            }
        }
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => write!(f, "{word}"),
            Self::Offset(ms) => {
                let sign = if *ms < 0 { '-' } else { '+' };
                let length = i64::try_from(ms.unsigned_abs()).ok().and_then(Period::from_millis);
                write!(f, "{sign}{}", length.unwrap_or(Period::ZERO))
            }
        }
    }
}

/// How a whole run counts that is final.
#[must_use]
pub const fn counted(state: RunState) -> TaskState {
    match state {
        RunState::Succeeded => TaskState::Succeeded,
        RunState::Cancelled => TaskState::Cancelled,
        RunState::Skipped => TaskState::Skipped,
        _ => TaskState::Failed,
    }
}

impl Job {
    /// Returns what its tasks need of other workflows, each with the number of the task that waits for it.
    pub fn needs_elsewhere(&self) -> impl Iterator<Item = (u32, &Elsewhere)> {
        let tasks = self.workflow().into_iter().flat_map(|workflow| workflow.tasks.iter().zip(0..));
        tasks.filter_map(|(task, number)| Some((number, task.hold.as_ref()?.elsewhere()?)))
    }

    /// Returns the name of the first task that needs it, for each task that [waits for another workflow](Self::needs_elsewhere).
    #[must_use]
    pub fn first_needs_elsewhere(&self) -> BTreeMap<u32, &str> {
        let mut first: BTreeMap<u32, &str> = self.needs_elsewhere().map(|(task, _)| (task, "")).collect();
        if first.is_empty() {
            return first;
        }
        for task in self.workflow().into_iter().flat_map(|workflow| workflow.tasks.iter().rev()) {
            for need in &task.needs {
                first.entry(*need).and_modify(|name| *name = &task.name);
            }
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::super::dates::LogicalDate;
    use super::*;
    use crate::{JobId, RunSource};

    fn need(on_missing: OnMissing) -> Elsewhere {
        let (workflow, task) = ("ingest".to_owned(), Some("load".to_owned()));
        Elsewhere { workflow, task, at: At::Word(NeedAt::Covers), on_missing, timeout_ms: None }
    }

    #[test]
    fn what_follows_does_not_depend_on_the_order_of_dates() {
        use TaskState::{Cancelled, Failed, Skipped, Succeeded, UpstreamFailed};
        let run = RunId::new(Timestamp::from_millis(1), RunSource::Asked(JobId(1), 1));
        let ended = |state| Found::Ended(run, state);
        let (missing, open) = (Found::Missing, Found::Open(run));
        for (on_missing, found, expected) in [
            (OnMissing::Wait, vec![], Some(Succeeded)),
            (OnMissing::Wait, vec![ended(Succeeded), ended(Succeeded)], Some(Succeeded)),
            (OnMissing::Wait, vec![ended(Succeeded), ended(Skipped)], Some(Skipped)),
            (OnMissing::Wait, vec![ended(Succeeded), open], None),
            (OnMissing::Wait, vec![missing, ended(Succeeded)], None),
            (OnMissing::Wait, vec![open, ended(UpstreamFailed), missing], Some(Failed)),
            (OnMissing::Wait, vec![ended(Cancelled)], Some(Failed)),
            (OnMissing::Wait, vec![Found::NoTask(run), open], Some(Failed)),
            (OnMissing::Succeed, vec![missing, ended(Succeeded)], Some(Succeeded)),
            (OnMissing::Skip, vec![missing, ended(Succeeded)], Some(Skipped)),
            (OnMissing::Skip, vec![missing, open], None),
            (OnMissing::Fail, vec![missing, open], Some(Failed)),
        ] {
            let mut found: Vec<(Timestamp, Found)> =
                found.into_iter().zip(1..).map(|(found, at)| (Timestamp::from_millis(at), found)).collect();
            for _ in 0..2 {
                let state = match need(on_missing).settle(&found) {
                    Settled::Waits(_) => None,
                    Settled::Ends(state, _) => Some(state),
                };
                assert_eq!(state, expected, "{on_missing} {found:?}");
                found.reverse();
            }
        }
    }

    #[test]
    fn it_says_what_it_waits_for() {
        let run = RunId::new(Timestamp::from_millis(1), RunSource::Asked(JobId(1), 1));
        let date = Timestamp::from_millis(1_000);
        let of = |found: &[(Timestamp, Found)]| match need(OnMissing::Wait).settle(found) {
            Settled::Waits(says) | Settled::Ends(_, says) => says,
        };
        assert_eq!(
            of(&[(date, Found::Missing)]),
            "there was no run of ingest for 1970-01-01T00:00:01.000Z when it looked"
        );
        let two = [(date, Found::Open(run)), (date + 1, Found::Missing)];
        assert_eq!(
            of(&two),
            format!("task load of ingest for 1970-01-01T00:00:01.000Z has not ended: run {run}, and 1 more")
        );
        let failed = [(date, Found::Ended(run, TaskState::Failed))];
        assert_eq!(of(&failed), format!("task load of ingest for 1970-01-01T00:00:01.000Z is failed: run {run}"));
    }

    #[test]
    fn dates_follow_from_the_date_and_the_interval() {
        let [early, start, date] = [500, 2_000, 5_000].map(Timestamp::from_millis);
        let at = |at| Elsewhere { at, ..need(OnMissing::Wait) };
        let of = |named| Dated::new(date, [Some(start), Some(early)], named);
        for (word, expected) in [
            (At::Word(NeedAt::Same), Some(Needed::Date(date))),
            (At::Word(NeedAt::Previous), Some(Needed::Date(start))),
            (At::Word(NeedAt::Covers), Some(Needed::Within(start, date))),
            (At::Offset(-1_500), Some(Needed::Date(Timestamp::from_millis(3_500)))),
        ] {
            assert_eq!(at(word).needed(&of(LogicalDate::Fire)), expected, "{word}");
        }
        for (word, expected) in [
            (At::Word(NeedAt::Same), Some(Needed::Date(start))),
            (At::Word(NeedAt::Previous), Some(Needed::Date(early))),
            (At::Word(NeedAt::Covers), Some(Needed::Within(start, date))),
            (At::Offset(-1_500), Some(Needed::Date(early))),
        ] {
            assert_eq!(at(word).needed(&of(LogicalDate::Start)), expected, "{word}");
        }
        let first = Dated::new(date, [None, None], LogicalDate::Fire);
        assert_eq!(at(At::Word(NeedAt::Previous)).needed(&first), None, "nothing was before");
        assert_eq!(at(At::Offset(-7)).later_ms(), -7);
    }
}
