//! The history of a test as plain data: the promises of triggers, the records of the store, and the marks of the work.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use mainspring_core::batch::{Gap as Range, TriggerStatus};
use mainspring_core::compile::Defaults;
use mainspring_core::job::{Overlap, ScheduleDefinition};
use mainspring_core::run::{AttemptOutcome, Origin, RunState};
use mainspring_core::{RunId, Timestamp, TriggerId};
use mainspring_store::{AttemptInfo, RunInfo, RunQuery, Store, TriggerInfo, TriggerQuery};

use crate::witness::{Mark, Witness};

/// Rows that are read at a time.
const PAGE: u32 = 1_000;

/// Everything that is judged.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The promises of triggers. Runs of triggers that are not here are a problem of their own.
    pub promises: Vec<Promise>,
    /// All runs, unfinished and final.
    pub runs: Vec<Run>,
    /// Instants that did not fire.
    pub gaps: Vec<Gap>,
    /// Triggers with more than one run of an instant, as the database counts.
    pub doubled: Vec<TriggerId>,
    /// The marks of the work.
    pub marks: Vec<Mark>,
    /// Jobs of which at most one run may be under way.
    pub alone: BTreeSet<String>,
    /// The time at which reading began: later events may be in it or not.
    pub read_at: Timestamp,
}

/// The promise of a trigger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Promise {
    /// The trigger.
    pub trigger: TriggerId,
    /// `namespace/job/trigger`.
    pub name: String,
    /// The instants of its schedule, in order: found out without asking the engine.
    pub instants: Vec<Timestamp>,
    /// The ranges in which each instant must have a record.
    pub must: Vec<(Timestamp, Timestamp)>,
    /// The ranges in which an instant may have a record: while a change was in progress.
    pub may: Vec<(Timestamp, Timestamp)>,
    /// Whether its job suppresses fires at a limit.
    pub suppresses: bool,
    /// The lateness from which an instant may be missed, in milliseconds.
    pub threshold_ms: i64,
    /// Until when it is judged.
    pub through: Timestamp,
}

/// A run as the store shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// Its id.
    pub id: RunId,
    /// `namespace/job`.
    pub job: String,
    /// The trigger that fired, if one did.
    pub trigger: Option<TriggerId>,
    /// The instant it stands for.
    pub fire_time: Timestamp,
    /// The due time.
    pub due_at: Timestamp,
    /// The time at which its row was created.
    pub created_at: Timestamp,
    /// The state.
    pub state: RunState,
    /// JSON that it was given, if it was asked for.
    pub input: Option<String>,
    /// Its attempts, first to last.
    pub attempts: Vec<Attempt>,
}

/// An attempt as the store shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// Counted from 1.
    pub number: u32,
    /// The time of the claim.
    pub claimed_at: Option<Timestamp>,
    /// The time at which the work began.
    pub started_at: Option<Timestamp>,
    /// The time at which it ended.
    pub ended_at: Option<Timestamp>,
    /// The outcome; absent while it runs.
    pub outcome: Option<AttemptOutcome>,
}

/// Instants of a trigger that did not fire.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gap {
    /// The trigger.
    pub trigger: TriggerId,
    /// The time of the record.
    pub at: Timestamp,
    /// The missed or suppressed instants, and the reason.
    pub range: Range,
}

impl History {
    /// Reads what the store and the witness say. Active interval triggers promise every instant from their start through
    /// the given one; promises of others, and of those that were changed meanwhile, are the caller's to add or mend.
    ///
    /// # Errors
    /// The store or the witness cannot be read.
    pub async fn read(store: &dyn Store, witness: &Witness, through: Timestamp) -> Result<Self> {
        let read_at = now()?;
        let triggers = triggers(store).await?;
        let mut history = Self { read_at, ..Self::default() };
        history.promises = triggers.iter().filter_map(|trigger| Promise::of(trigger, through)).collect();
        let alone =
            |info: &&TriggerInfo| info.job.definition.overlap != Overlap::Allow && info.job.definition.max_active == 1;
        history.alone = triggers.iter().filter(alone).map(|info| info.job.definition.key.to_string()).collect();
        history.runs = runs(store).await?;
        history.gaps = gaps(store).await?;
        // After the runs: the work of what is over has said all it has to say. What it says later than `read_at` is not judged.
        history.marks = witness.read()?;
        let tallies = store.tally().await?;
        history.doubled = tallies.iter().filter(|tally| tally.duplicated > 0).map(|tally| tally.trigger).collect();
        Ok(history)
    }

    /// Returns the promise of a trigger, to be changed.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn promise(&mut self, name: &str) -> Result<&mut Promise> {
        self.promises.iter_mut().find(|promise| promise.name == name).with_context(|| format!("no promise of {name}"))
    }
}

impl Promise {
    /// Returns the promise of an interval trigger from its start through an instant; `None` for other kinds, and for
    /// triggers that are paused or exclude days.
    #[must_use]
    pub fn of(info: &TriggerInfo, through: Timestamp) -> Option<Self> {
        let (job, row) = (&info.job.definition, &info.trigger.row);
        let definition = job.triggers.iter().find(|definition| definition.name == info.trigger.name)?;
        let ScheduleDefinition::Every { interval_ms, repeat_count } = definition.schedule else { return None };
        if row.paused || row.progress.status == TriggerStatus::Error || definition.calendar.is_some() {
            return None;
        }
        let start = row.progress.start_at;
        Some(Self {
            trigger: row.id,
            name: format!("{}/{}", job.key, info.trigger.name),
            instants: every(
                interval_ms,
                start,
                definition.end_at.map_or(through, |end| end.min(through)),
                repeat_count,
            ),
            must: vec![(start + 1, through)],
            // Whether the moment of saving is an instant is not promised.
            may: vec![(start, start)],
            suppresses: job.overlap != Overlap::Allow,
            threshold_ms: definition.misfire_threshold_ms.unwrap_or(Defaults::default().misfire_threshold_ms),
            through,
        })
    }
}

/// Returns the instants of an interval.
#[must_use]
pub fn every(interval_ms: i64, from: Timestamp, through: Timestamp, repeat_count: Option<u32>) -> Vec<Timestamp> {
    let count = (through.since(from).div_euclid(interval_ms) + 1).max(0);
    let count = repeat_count.map_or(count, |repeats| count.min(i64::from(repeats) + 1));
    (0..count).map(|step| from + step * interval_ms).collect()
}

/// Returns the machine's clock, not that of any node.
///
/// # Errors
/// The machine believes that it is before 1970.
#[expect(clippy::disallowed_methods, reason = "the judge is outside of the cluster, and knows no clock of its nodes")]
pub fn now() -> Result<Timestamp> {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
    Ok(Timestamp::from_millis(i64::try_from(since.as_millis())?))
}

/// Returns all triggers of a store.
///
/// # Errors
/// The store cannot be read.
pub async fn triggers(store: &dyn Store) -> Result<Vec<TriggerInfo>> {
    let mut all: Vec<TriggerInfo> = Vec::new();
    loop {
        let after = all.last().map(|info| (info.job.definition.key.clone(), info.trigger.name.clone()));
        let page = store.triggers(TriggerQuery { after, limit: PAGE, ..TriggerQuery::default() }).await?;
        if page.is_empty() {
            return Ok(all);
        }
        all.extend(page);
    }
}

async fn runs(store: &dyn Store) -> Result<Vec<Run>> {
    let mut all: Vec<Run> = Vec::new();
    loop {
        let before = all.last().map(|run| run.id);
        let page = store.runs(RunQuery { before, limit: PAGE, ..RunQuery::default() }).await?;
        if page.is_empty() {
            return Ok(all);
        }
        for info in page {
            let attempts = match info.attempt {
                0 => Vec::new(),
                1 => vec![only_attempt(&info)],
                _ => store.attempts(info.id).await?.iter().map(attempt).collect(),
            };
            all.push(run(&info, attempts));
        }
    }
}

fn run(info: &RunInfo, attempts: Vec<Attempt>) -> Run {
    let fired = matches!(info.origin, Origin::Schedule | Origin::Misfire);
    Run {
        id: info.id,
        job: info.key.to_string(),
        trigger: info.trigger.filter(|_| fired),
        fire_time: info.fire_time,
        due_at: info.due_at,
        created_at: info.created_at,
        state: info.state,
        input: info.input.clone(),
        attempts,
    }
}

/// Returns the only attempt of a run, which its row tells: most runs have no other.
fn only_attempt(info: &RunInfo) -> Attempt {
    let outcome = match (info.state, info.reason.as_deref()) {
        (RunState::Succeeded, _) => Some(AttemptOutcome::Succeeded),
        (RunState::Cancelled, _) => Some(AttemptOutcome::Cancelled),
        (RunState::Failed, Some("lost")) => Some(AttemptOutcome::Lost),
        (RunState::Failed, Some("timed_out")) => Some(AttemptOutcome::TimedOut),
        (RunState::Failed, _) => Some(AttemptOutcome::Failed),
        // Between two attempts: how the first ended is in a row of its own, and does not matter here.
        (RunState::Scheduled | RunState::Queued, _) => Some(AttemptOutcome::Failed),
        _ => None,
    };
    let RunInfo { claimed_at, started_at, ended_at, .. } = *info;
    Attempt { number: 1, claimed_at, started_at, ended_at, outcome }
}

fn attempt(info: &AttemptInfo) -> Attempt {
    let AttemptInfo { attempt: number, claimed_at, started_at, ended_at, outcome, .. } = *info;
    Attempt { number, claimed_at, started_at, ended_at, outcome }
}

async fn gaps(store: &dyn Store) -> Result<Vec<Gap>> {
    let (mut all, mut after) = (Vec::new(), 0);
    loop {
        let page = store.gaps(None, after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(all) };
        after = last.seq;
        all.extend(page.into_iter().map(|row| Gap { trigger: row.trigger, at: row.at, range: row.gap }));
    }
}
