//! Backfills: planning, starting and steering them.

mod cascade;
mod part;
mod rerun;

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::job::{JobKey, ScheduleDefinition, TriggerDefinition};
use mainspring_core::workflow::backfill::{
    Action, BackfillState, Existing, ItemState, Order, Part, Reprocess, Spec, reaching,
};
use mainspring_core::workflow::dates::{Dated, LogicalDate};
use mainspring_core::{JobId, JobVersion, RunId, Timestamp, TriggerId};
use mainspring_schedule::{Civil, Date, Trigger, Zone};
use mainspring_store::{
    BACKFILLED, BackfillQuery, BackfillRow, BackfillStep, JobRow, NamedTrigger, NewBackfill, NewItem, Sweep,
};
use sha2::{Digest, Sha256};

use super::{Control, Error, TRIES, no_job};
use crate::definitions::reached;
use cascade::First;
pub use rerun::{CascadePlan, Cascaded};

/// Fire times that a range may have.
pub const FIRES_MAX: usize = 100_000;
/// Runs that a backfill may have under way.
pub const ACTIVE_MAX: u32 = 1_000;
/// By how much runs of a backfill are below those of the schedule, unless that is set.
const BELOW: i32 = 10;

/// Which fire times are to be run, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wish {
    /// The trigger; the only one if absent.
    pub trigger: Option<String>,
    /// The zone in which dates are read; the trigger's if absent.
    pub zone: Option<String>,
    /// The first date or instant.
    pub from: String,
    /// The last date or instant. Both ends count; now if absent.
    pub to: Option<String>,
    /// Which of them.
    pub reprocess: Reprocess,
    /// Which tasks of their runs run again, in place of whole runs. What [`Wish::reprocess`] says does not matter then.
    pub part: Option<Part>,
    /// Whether what depends on them by needs of other workflows runs, too.
    pub cascade: bool,
    /// In which order.
    pub order: Order,
    /// How many runs at a time.
    pub max_active: u32,
    /// Whether a failure pauses it.
    pub stop_on_failure: bool,
    /// Priority of the runs; 10 below the job's if absent.
    pub priority: Option<i32>,
}

/// What a backfill would do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The job.
    pub job: JobId,
    /// Its key.
    pub key: JobKey,
    /// The version that the runs would execute.
    pub job_version: JobVersion,
    /// The trigger.
    pub trigger: TriggerId,
    /// What was chosen, with the hash and the counts.
    pub spec: Spec,
    /// All fire times of the range in the order of the backfill.
    pub rows: Vec<PlanRow>,
    /// What would run because it depends on that. These have none below them.
    pub below: Vec<Plan>,
}

/// What a backfill would do about a fire time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlanRow {
    /// The fire time.
    pub fire_time: Timestamp,
    /// The date that names its run.
    pub logical_date: Timestamp,
    /// What is done about it.
    pub action: Action,
    /// The run that there is.
    pub run: Option<RunId>,
    /// How many of its tasks run again, where only some do.
    pub tasks: Option<u64>,
    /// Why none does, in words.
    pub reason: Option<String>,
    /// How many times removed it depends on what was chosen: 0 for that itself.
    pub level: u32,
    /// What it depends on, in words, if it runs because of that.
    pub why: Option<String>,
    /// What must have ended well before it starts: of which plan, where 0 is the first and the others are those below it.
    above: BTreeSet<(usize, Timestamp)>,
    /// Stands for the plan of the tasks of the run.
    part: Option<String>,
}

/// Why a backfill is not planned, started or changed.
#[derive(Debug, thiserror::Error)]
pub enum BackfillError {
    /// As for other requests.
    #[error(transparent)]
    Control(#[from] Error),
    /// The job has no trigger of that name, or several and none was named.
    #[error("{0}")]
    Trigger(String),
    /// The job has no schedule that names instants of the past.
    #[error("{0}")]
    NoSchedule(String),
    /// The range cannot be read, or is none.
    #[error("{0}")]
    Range(String),
    /// The range reaches beyond the present.
    #[error("{0}")]
    Future(String),
    /// No zone has that name.
    #[error("{0}")]
    Zone(String),
    /// The trigger does not fire in the range.
    #[error("{0}")]
    Empty(String),
    /// There are too many fire times in the range.
    #[error("{0}")]
    TooMany(String),
    /// Workflows need each other at the same date.
    #[error("{0}")]
    Circle(String),
    /// A number is out of its bounds.
    #[error("{0}")]
    Bound(String),
    /// The plan is another one by now.
    #[error("the plan is {now} by now, not {asked}: {difference}")]
    Stale {
        /// The hash that was sent.
        asked: String,
        /// The present one.
        now: String,
        /// What has changed since, and what the present one does.
        difference: String,
    },
    /// There is no such backfill.
    #[error("no backfill {0}")]
    NotFound(i64),
    /// The backfill is in a state that does not allow it.
    #[error("{0}")]
    State(String),
}

impl From<mainspring_store::Error> for BackfillError {
    fn from(error: mainspring_store::Error) -> Self {
        Self::Control(error.into())
    }
}

type Answer<T> = std::result::Result<T, BackfillError>;

/// What may be asked of a backfill.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BackfillVerb {
    /// Start nothing new until it is resumed.
    Pause,
    /// Go on.
    Resume,
    /// End it: what is open is cancelled, and so are the runs that are under way.
    Cancel,
    /// Run what failed or was cancelled again.
    RetryFailed,
}

impl Control {
    /// Says what a backfill would do, and changes nothing. A paused job is backfilled as well: a pause is for triggers.
    ///
    /// # Errors
    /// There is no such job or trigger, or nothing to run in the range: see [`BackfillError`].
    pub async fn plan_backfill(&self, key: &JobKey, wish: &Wish) -> Answer<Plan> {
        let plan = self.planned(key, wish).await?;
        self.remember_plan(&plan).await?;
        Ok(plan)
    }

    async fn planned(&self, key: &JobKey, wish: &Wish) -> Answer<Plan> {
        if !(1..=ACTIVE_MAX).contains(&wish.max_active) {
            let text = format!("max_active is 1 to {ACTIVE_MAX}, not {}", wish.max_active);
            return Err(BackfillError::Bound(text));
        }
        let prior = self.store.prior(key).await?;
        let job = prior.job.ok_or_else(|| no_job(key))?;
        let trigger = choose(key, &prior.triggers, wish.trigger.as_deref())?;
        let index = trigger.row.index as usize;
        let definition = &job.definition.triggers[index];
        if matches!(definition.schedule, ScheduleDefinition::Delay { .. }) {
            let text = format!(
                "trigger {} of {key} fires some time after the run before has ended: it has no fire times of the past",
                trigger.name
            );
            return Err(BackfillError::NoSchedule(text));
        }
        let calendars = self.calendars_of(&job.definition).await?;
        let rule = self.rule(&job.definition, index, &calendars, trigger.row.progress.start_at)?;
        let zone_name = wish.zone.as_deref().unwrap_or(&definition.timezone);
        let zone = Zone::parse(zone_name).map_err(|error| BackfillError::Zone(error.to_string()))?;
        let (from, to) = range(wish, &zone, self.now())?;
        let named = job.definition.logical_date;
        let dates = dates_of(&rule.trigger, definition, named, (from, to), self.now())?;
        let act = |existing| match &wish.part {
            Some(part) => part.action(existing),
            None => wish.reprocess.action(existing),
        };
        let mut rows = self.rows(&job, trigger, &dates, act).await?;
        if let Some(part) = &wish.part {
            self.plan_parts(&mut rows, &job, part).await?;
        }
        let below = if wish.cascade {
            let first = First { job: &job, trigger, dates: &dates, rows: &rows };
            self.plan_below(first, wish).await?
        } else {
            Vec::new()
        };
        if wish.order == Order::Descending {
            rows.reverse();
        }
        let mut spec = Spec {
            trigger: trigger.name.clone(),
            zone: zone.name().to_owned(),
            from,
            to,
            reprocess: wish.reprocess,
            part: wish.part.clone(),
            cascade: wish.cascade,
            order: wish.order,
            max_active: wish.max_active,
            stop_on_failure: wish.stop_on_failure,
            priority: wish.priority.unwrap_or(job.definition.priority.saturating_sub(BELOW)),
            plan: String::new(),
            actions: tally(&rows),
        };
        spec.plan = hash(job.id, job.version, trigger.row.id, &spec, &rows);
        if wish.cascade {
            spec.plan = hash_all(&spec.plan, &below);
        }
        let (job, job_version) = (job.id, job.version);
        Ok(Plan { job, key: key.clone(), job_version, trigger: trigger.row.id, spec, rows, below })
    }

    /// Says of dates of a trigger, in their order, what there is and what is done about that.
    async fn rows(
        &self,
        job: &JobRow,
        trigger: &NamedTrigger,
        dates: &[Dated],
        act: impl Fn(Existing) -> Action,
    ) -> Answer<Vec<PlanRow>> {
        let (Some(first), Some(last)) = (dates.first(), dates.last()) else { return Ok(Vec::new()) };
        let (first, last) = (first.date, last.date);
        let existing = self.store.backfill_store().existing_runs(job.id, trigger.row.id, first, last).await?;
        let existing: BTreeMap<Timestamp, (Existing, Option<RunId>)> =
            existing.into_iter().map(|run| (run.fire_time, (run.existing, run.run))).collect();
        // What the trigger itself is about to fire is under way.
        let pending = trigger.row.progress.next_fire_at.filter(|_| !trigger.row.paused);
        let row = |dated: &Dated| {
            let fire_time = dated.date;
            let (existing, run) = existing.get(&fire_time).copied().unwrap_or((Existing::Nothing, None));
            let is_pending = existing == Existing::Nothing && pending.is_some_and(|next| fire_time >= next);
            let existing = if is_pending { Existing::Active } else { existing };
            PlanRow {
                fire_time,
                logical_date: dated.logical,
                action: act(existing),
                run,
                tasks: None,
                reason: None,
                level: 0,
                why: None,
                above: BTreeSet::new(),
                part: None,
            }
        };
        Ok(dates.iter().map(row).collect())
    }

    /// Starts a backfill: plans it, and keeps the list of what it will run. `plan` is the hash of the plan that was shown, if one was.
    ///
    /// # Errors
    /// As for a plan; the plan is another one by now, or there is nothing to run.
    pub async fn start_backfill(
        &self,
        key: &JobKey,
        wish: &Wish,
        plan: Option<&str>,
        by: Option<String>,
    ) -> Answer<BackfillRow> {
        for _ in 0..TRIES {
            match self.start_planned(key, wish, plan, by.clone()).await {
                // Another backfill has taken one of the dates since they were planned.
                Err(BackfillError::Control(Error::Store(mainspring_store::Error::Conflict {
                    what: BACKFILLED,
                    ..
                }))) => {}
                started => return started,
            }
        }
        let text = "other backfills of the job were started each time; ask again".to_owned();
        Err(BackfillError::State(text))
    }

    async fn start_planned(
        &self,
        key: &JobKey,
        wish: &Wish,
        plan: Option<&str>,
        by: Option<String>,
    ) -> Answer<BackfillRow> {
        let now = self.planned(key, wish).await?;
        if let Some(asked) = plan.filter(|asked| **asked != *now.spec.plan) {
            let difference = self.difference(asked, &now).await?;
            return Err(BackfillError::Stale { asked: asked.to_owned(), now: now.spec.plan, difference });
        }
        if !now.rows.iter().any(|row| row.action.runs()) {
            let text = format!("there is nothing to run: {}", counts(&now.spec.actions));
            return Err(BackfillError::Empty(text));
        }
        let new = now.into_new(&by, self.now());
        let id = self.store.backfill_store().add_backfill(new).await?;
        self.backfills.wake();
        self.backfill(id).await
    }

    /// A backfill.
    ///
    /// # Errors
    /// There is none of that number.
    pub async fn backfill(&self, id: i64) -> Answer<BackfillRow> {
        self.store.backfill_store().backfill(id).await?.ok_or(BackfillError::NotFound(id))
    }

    /// Asks something of a backfill, and then of all that depend on it and were started with it. What one is already, is no error.
    ///
    /// # Errors
    /// There is none of that number, or it is in a state that does not allow it, and so are those that depend on it.
    pub async fn steer_backfill(&self, id: i64, verb: BackfillVerb, reason: Option<&str>) -> Answer<BackfillRow> {
        let mut answer = self.steer_one(id, verb, reason).await;
        if matches!(&answer, Err(error) if !matches!(error, BackfillError::State(_))) {
            return answer;
        }
        for row in self.backfills_below(id).await? {
            match self.steer_one(row.id, verb, reason).await {
                Ok(_) if answer.is_err() => answer = self.backfill(id).await,
                // It has ended, say, or nothing of it has failed.
                Ok(_) | Err(BackfillError::State(_)) => {}
                Err(error) => return Err(error),
            }
        }
        answer
    }

    /// The backfills that were started with one because they depend on it, in their order.
    ///
    /// # Errors
    /// The store could not say.
    pub async fn backfills_below(&self, id: i64) -> Answer<Vec<BackfillRow>> {
        let limit = u32::try_from(cascade::BELOW_MAX).unwrap_or(u32::MAX);
        let query = BackfillQuery { cascade_of: Some(id), limit, ..BackfillQuery::default() };
        let mut rows = self.store.backfill_store().backfills(query).await?;
        rows.reverse();
        Ok(rows)
    }

    async fn steer_one(&self, id: i64, verb: BackfillVerb, reason: Option<&str>) -> Answer<BackfillRow> {
        for _ in 0..TRIES {
            let row = self.backfill(id).await?;
            let Some(step) = asked(&row, verb, reason, self.now())? else { return Ok(row) };
            if self.store.backfill_store().step_backfill(step).await? {
                self.backfills.wake();
                return self.backfill(id).await;
            }
        }
        let text = format!("backfill {id} was changed by others each time; ask again");
        Err(BackfillError::State(text))
    }
}

impl Plan {
    /// What is kept of it, with what depends on it.
    fn into_new(self, by: &Option<String>, at: Timestamp) -> NewBackfill {
        let seqs = |plan: &Plan| -> BTreeMap<Timestamp, i64> {
            plan.rows.iter().filter(|row| row.action.runs()).map(|row| row.fire_time).zip(1..).collect()
        };
        let seqs: Vec<BTreeMap<Timestamp, i64>> = std::iter::once(&self).chain(&self.below).map(seqs).collect();
        let place = |(of, date): &(usize, Timestamp)| Some((*of, *seqs.get(*of)?.get(date)?));
        let item = |row: &PlanRow| NewItem {
            fire_time: row.fire_time,
            action: row.action,
            rerun_of: row.run,
            above: row.above.iter().filter_map(place).collect(),
        };
        let new = |plan: &Plan, below| NewBackfill {
            job: plan.job,
            job_version: plan.job_version,
            trigger: plan.trigger,
            spec: plan.spec.clone(),
            items: plan.rows.iter().filter(|row| row.action.runs()).map(item).collect(),
            by: by.clone(),
            at,
            below,
        };
        let below = self.below.iter().map(|plan| new(plan, Vec::new())).collect();
        new(&self, below)
    }
}

/// The step that a request asks for. Nothing, if it is so already.
fn asked(row: &BackfillRow, verb: BackfillVerb, reason: Option<&str>, at: Timestamp) -> Answer<Option<BackfillStep>> {
    let mut step = BackfillStep {
        id: row.id,
        turn: row.turn,
        state: row.state,
        reason: reason.map(str::to_owned),
        counts: row.counts,
        ended: Vec::new(),
        start: Vec::new(),
        sweep: None,
        ended_at: row.ended_at,
        at,
    };
    match (verb, row.state) {
        (BackfillVerb::Pause, BackfillState::Active) => step.state = BackfillState::Paused,
        (BackfillVerb::Resume, BackfillState::Paused) => step.state = BackfillState::Active,
        (BackfillVerb::Cancel, BackfillState::Active | BackfillState::Paused) => {
            step.state = BackfillState::Cancelled;
            step.sweep = Some(Sweep::Close);
            step.counts.shift(row.counts.open, ItemState::Open, ItemState::Cancelled);
            step.ended_at = (row.counts.running == 0).then_some(at);
        }
        (BackfillVerb::RetryFailed, BackfillState::Active | BackfillState::Paused | BackfillState::Completed) => {
            if row.counts.failed + row.counts.cancelled == 0 {
                return Err(BackfillError::State(format!(
                    "no item of backfill {} has failed or was cancelled",
                    row.id
                )));
            }
            step.state = BackfillState::Active;
            step.sweep = Some(Sweep::Reopen);
            step.counts.shift(row.counts.failed, ItemState::Failed, ItemState::Open);
            step.counts.shift(row.counts.cancelled, ItemState::Cancelled, ItemState::Open);
            step.ended_at = None;
        }
        (BackfillVerb::Pause, BackfillState::Paused)
        | (BackfillVerb::Resume, BackfillState::Active)
        | (BackfillVerb::Cancel, BackfillState::Cancelled) => return Ok(None),
        (_, state) => return Err(BackfillError::State(format!("backfill {} is {state}", row.id))),
    }
    Ok(Some(step))
}

/// The trigger that was named, or the only one.
fn choose<'a>(key: &JobKey, triggers: &'a [NamedTrigger], name: Option<&str>) -> Answer<&'a NamedTrigger> {
    let names = || triggers.iter().map(|trigger| trigger.name.as_str()).collect::<Vec<_>>().join(", ");
    match (name, triggers) {
        (_, []) => Err(BackfillError::NoSchedule(format!("{key} has no trigger, so it has no fire times"))),
        (None, [only]) => Ok(only),
        (None, _) => Err(BackfillError::Trigger(format!("{key} has several triggers: name one of {}", names()))),
        (Some(name), _) => triggers
            .iter()
            .find(|trigger| trigger.name == name)
            .ok_or_else(|| BackfillError::Trigger(format!("{key} has no trigger \"{name}\", but {}", names()))),
    }
}

/// The instants of a range: both ends count, and of a date the whole day.
fn range(wish: &Wish, zone: &Zone, now: Timestamp) -> Answer<(Timestamp, Timestamp)> {
    let (from, _) = bounds("from", &wish.from, zone)?;
    let to = match &wish.to {
        Some(text) => bounds("to", text, zone)?.1,
        None => now,
    };
    if from > to {
        let text = format!("from ({from}) is after to ({to})");
        return Err(BackfillError::Range(text));
    }
    if to > now {
        let text = format!("to ({to}) lies in the future: only what has passed can be run again, and it is {now}");
        return Err(BackfillError::Future(text));
    }
    Ok((from, to))
}

/// The first and the last instant that a text stands for: an instant, a local time, or a whole local day.
fn bounds(name: &str, text: &str, zone: &Zone) -> Answer<(Timestamp, Timestamp)> {
    if let Ok(instant) = text.parse::<Timestamp>() {
        return Ok((instant, instant));
    }
    let unreadable = || {
        let shown: String = text.chars().take(40).collect();
        BackfillError::Range(format!(
            "{name} is \"{}\": write a date such as 2026-07-01, a local time such as 2026-07-01T06:00, or an instant with its offset",
            shown.escape_debug()
        ))
    };
    match text.split_once(['T', ' ']) {
        None => {
            let day = date(text).ok_or_else(unreadable)?;
            let next = Date::from_day_number(day.day_number() + 1);
            let start = |day: Date| zone.resolve(day.at(0, 0, 0)).earliest();
            Ok((start(day), start(next) - 1))
        }
        Some((day, time)) => {
            let local = local(day, time).ok_or_else(unreadable)?;
            let instant = zone.resolve(local).earliest();
            Ok((instant, instant))
        }
    }
}

fn date(text: &str) -> Option<Date> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let is_shaped = year.len() == 4 && month.len() == 2 && day.len() == 2 && parts.next().is_none();
    let date = Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    (is_shaped && date.is_valid()).then_some(date)
}

fn local(day: &str, time: &str) -> Option<Civil> {
    let mut parts = time.split(':');
    let (hour, minute) = (parts.next()?.parse::<u8>().ok()?, parts.next()?.parse::<u8>().ok()?);
    let second = parts.next().map_or(Some(0), |second| second.parse::<u8>().ok())?;
    let is_time = hour < 24 && minute < 60 && second < 60 && parts.next().is_none();
    is_time.then_some(date(day)?.at(hour, minute, second))
}

/// The runs of a range of dates, of those that have passed by `now`. No more are computed than there may be.
pub(super) fn dates_of(
    trigger: &Trigger,
    definition: &TriggerDefinition,
    named: LogicalDate,
    (from, to): (Timestamp, Timestamp),
    now: Timestamp,
) -> Answer<Vec<Dated>> {
    let reach = reaching(trigger, definition, from);
    let end = match named {
        LogicalDate::Fire => to,
        // The last one fires after its date.
        LogicalDate::Start => now,
    };
    let (mut dates, mut previous) = (Vec::new(), None);
    for fire in reach.fires_between(from, end + 1) {
        let before = previous.unwrap_or_else(|| previous_two(trigger, definition, fire, named));
        let dated = Dated::new(fire, before, named);
        previous = Some([Some(fire), before[0]]);
        if dated.logical > to || dates.len() > FIRES_MAX {
            break;
        }
        if dated.logical >= from {
            dates.push(dated);
        }
    }
    let name = &definition.name;
    match dates.len() {
        0 => Err(BackfillError::Empty(format!("trigger {name} {} from {from} to {to}", none_of(named)))),
        many if many > FIRES_MAX => {
            let text = format!("trigger {name} fires more than {FIRES_MAX} times from {from} to {to}");
            Err(BackfillError::TooMany(text))
        }
        _ => Ok(dates),
    }
}

/// What a trigger does not do in a range without dates.
const fn none_of(named: LogicalDate) -> &'static str {
    match named {
        LogicalDate::Fire => "does not fire",
        LogicalDate::Start => "has no data interval that begins and has ended",
    }
}

/// The fire times before one, the later one first, as far as dates ask for them.
pub(super) fn previous_two(
    trigger: &Trigger,
    definition: &TriggerDefinition,
    fire: Timestamp,
    named: LogicalDate,
) -> [Option<Timestamp>; 2] {
    let start = reached(trigger, definition, fire);
    let before = start.filter(|_| named == LogicalDate::Start).and_then(|start| reached(trigger, definition, start));
    [start, before]
}

/// The counts of a plan in words.
pub(super) fn counts(actions: &BTreeMap<Action, u64>) -> String {
    let count = |action: &Action| actions.get(action).copied().unwrap_or(0);
    // Whole runs leave nothing out.
    let said = Action::ALL.iter().filter(|action| **action != Action::Absent || count(action) > 0);
    said.map(|action| format!("{} {}", count(action), action.as_str())).collect::<Vec<_>>().join(", ")
}

/// Rows of a plan by what is done about them.
fn tally(rows: &[PlanRow]) -> BTreeMap<Action, u64> {
    let mut actions = BTreeMap::new();
    rows.iter().for_each(|row| *actions.entry(row.action).or_default() += 1);
    actions
}

/// Names a plan with those below it.
fn hash_all(first: &str, below: &[Plan]) -> String {
    let mut hash = Sha256::new();
    hash.update(format!("cascade/{first}"));
    for plan in below {
        hash.update(&plan.spec.plan);
        for row in &plan.rows {
            hash.update(format!("{}/{:?}/{:?}", row.level, row.why, row.above));
        }
    }
    short(hash)
}

fn short(hash: Sha256) -> String {
    hash.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

/// Names a plan: the same rows under the same choices have the same hash.
fn hash(job: JobId, version: JobVersion, trigger: TriggerId, spec: &Spec, rows: &[PlanRow]) -> String {
    let mut hash = Sha256::new();
    // Where the range ends does not matter, but what lies in it.
    let Spec { reprocess, order, max_active, stop_on_failure, priority, part, .. } = spec;
    hash.update(format!("{job}/{}/{trigger}/{reprocess}/{order}/{max_active}/{stop_on_failure}/{priority}", version.0));
    hash.update(part.as_ref().map_or(String::new(), |part| format!("{part:?}")));
    for row in rows {
        hash.update(row.fire_time.as_millis().to_be_bytes());
        hash.update(row.action.as_str());
        hash.update(row.run.as_ref().map_or(&[][..], |run| run.as_bytes()));
        hash.update(row.part.as_deref().unwrap_or_default());
    }
    short(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn berlin() -> Zone {
        Zone::parse("Europe/Berlin").expect("it exists")
    }

    #[test]
    fn dates_are_days_of_the_zone_and_both_ends_count() {
        for (text, first, last) in [
            ("2026-07-01", "2026-06-30T22:00:00Z", "2026-07-01T21:59:59.999Z"),
            // The day on which the clock goes back has 25 hours, the other one 23.
            ("2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T22:59:59.999Z"),
            ("2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T21:59:59.999Z"),
            ("2026-07-01T06:00", "2026-07-01T04:00:00Z", "2026-07-01T04:00:00Z"),
            ("2026-07-01 06:00:30", "2026-07-01T04:00:30Z", "2026-07-01T04:00:30Z"),
            ("2026-07-01T06:00:00Z", "2026-07-01T06:00:00Z", "2026-07-01T06:00:00Z"),
            ("2026-07-01T06:00:00+05:30", "2026-07-01T00:30:00Z", "2026-07-01T00:30:00Z"),
        ] {
            let found = bounds("from", text, &berlin()).expect(text);
            assert_eq!(found, (first.parse().expect(first), last.parse().expect(last)), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "yesterday",
            "2026-7-1",
            "2026-02-30",
            "2026-07-01T25:00",
            "2026-07-01T06",
            "01.07.2026",
            "2026-07-01T06:00:00:00",
        ] {
            assert!(matches!(bounds("to", text, &berlin()), Err(BackfillError::Range(_))), "{text}");
        }
    }
}
