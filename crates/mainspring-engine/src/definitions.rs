//! From rows to rules: definitions are read once per version, and calendars as often as they change.

use std::collections::BTreeSet;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use mainspring_core::batch::{TriggerRow, TriggerStatus};
use mainspring_core::compile::{self, Defaults};
use mainspring_core::job::{CalendarDefinition, Job, JobKey, ScheduleDefinition, TriggerDefinition};
use mainspring_core::rule::{Loaded, Rule, Start, guarded};
use mainspring_core::workflow::backfill::reaching;
use mainspring_core::{JobId, JobVersion, RunId, Timestamp, TriggerId};
use mainspring_schedule::{Calendar, Trigger};
use mainspring_store::{Error, Result, Store, TriggerQuery, causes};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use crate::clock::Clock;
use crate::metrics::Metrics;

/// Definitions kept in memory; beyond that the oldest half is let go.
const CACHED_MAX: usize = 200_000;
const RETRY_AFTER_MS: i64 = 250;
/// How far before a date its trigger is taken to have been there: far enough for one that fires once in four years.
pub(crate) const REACH_MS: i64 = 9 * 366 * 86_400_000;

/// More than a job may have triggers.
const TRIGGERS_MAX: u32 = 10_000;

/// A definition, or why this program cannot read it.
type Readable = std::result::Result<Arc<Job>, String>;

pub(crate) struct Definitions {
    pub(crate) store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    pub(crate) defaults: Defaults,
    metrics: Arc<Metrics>,
    cache: Mutex<FxHashMap<(JobId, JobVersion), Arc<Job>>>,
    /// Names of triggers, for listeners. An id keeps its name.
    names: Mutex<FxHashMap<TriggerId, Arc<str>>>,
    /// Whether a trigger that comes after jobs was read since that was asked last.
    after_read: AtomicBool,
}

impl Definitions {
    pub(crate) fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, defaults: Defaults, metrics: Arc<Metrics>) -> Self {
        Self {
            store,
            clock,
            defaults,
            metrics,
            cache: Mutex::default(),
            names: Mutex::default(),
            after_read: AtomicBool::new(false),
        }
    }

    /// A version of a job's definition; of a task of it, where the version stands for one.
    pub(crate) async fn definition(&self, job: JobId, version: JobVersion) -> Result<Arc<Job>> {
        let known = self.cache.lock().unwrap_or_else(PoisonError::into_inner).get(&(job, version)).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let definition = match version.task() {
            None => self.store.definition(job, version).await?,
            Some(_) => {
                let whole = Box::pin(self.definition(job, version.base())).await?;
                let part = whole.part(version).cloned();
                let key = || format!("{} of {}", version.task().unwrap_or_default(), whole.key);
                Arc::new(part.ok_or_else(|| Error::NotFound { what: "task", key: key() })?)
            }
        };
        self.remember((job, version), &definition);
        Ok(definition)
    }

    /// The name of a trigger; nothing if it is gone.
    pub(crate) async fn trigger_name(&self, id: TriggerId) -> Result<Option<Arc<str>>> {
        let known = self.names.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned();
        if known.is_some() {
            return Ok(known);
        }
        let Some(row) = self.store.trigger_rows(&[id]).await?.pop() else { return Ok(None) };
        let job = self.definition(row.job, row.job_version).await?;
        let name: Option<Arc<str>> = job.triggers.get(row.index as usize).map(|trigger| trigger.name.as_str().into());
        if let Some(name) = &name {
            let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
            if names.len() >= CACHED_MAX {
                names.clear();
            }
            names.insert(id, Arc::clone(name));
        }
        Ok(name)
    }

    fn remember(&self, key: (JobId, JobVersion), definition: &Arc<Job>) {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.len() >= CACHED_MAX {
            cache.clear();
        }
        cache.insert(key, Arc::clone(definition));
    }

    /// Whether a trigger that comes after jobs was read since this was asked last: it was saved or resumed, here or elsewhere.
    pub(crate) fn heard_of_after(&self) -> bool {
        self.after_read.load(Ordering::Relaxed) && self.after_read.swap(false, Ordering::Relaxed)
    }

    /// The definitions of rows, those that are not in memory in one read; or why one cannot be read. Jobs that are gone are
    /// left out.
    async fn of_rows(&self, rows: &[TriggerRow]) -> Result<FxHashMap<(JobId, JobVersion), Readable>> {
        let mut known = FxHashMap::default();
        let mut missing = FxHashSet::default();
        {
            let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
            for key in rows.iter().map(|row| (row.job, row.job_version)) {
                match cache.get(&key) {
                    Some(definition) => _ = known.insert(key, Ok(Arc::clone(definition))),
                    None => _ = missing.insert(key),
                }
            }
        }
        if !missing.is_empty() {
            let missing: Vec<_> = missing.into_iter().collect();
            for (key, definition) in self.store.definitions(&missing).await? {
                if let Ok(definition) = &definition {
                    self.remember(key, definition);
                }
                known.insert(key, definition);
            }
        }
        Ok(known)
    }

    /// Puts a trigger into the state `error`, unless it has changed meanwhile.
    pub(crate) async fn put_aside(&self, trigger: TriggerId, version: Option<i64>, reason: &str) -> Result<()> {
        let version = match version {
            Some(version) => version,
            None => match self.store.trigger_rows(&[trigger]).await?.pop() {
                Some(row) => row.version,
                None => return Ok(()),
            },
        };
        match self.store.set_trigger_error(trigger, version, reason, self.clock.now()).await {
            Ok(true) => {
                self.metrics.put_aside.inc();
                tracing::error!(
                    trigger.id = trigger.0,
                    reason,
                    "a trigger was put aside; resume it once the cause is gone"
                );
            }
            Ok(false) => {}
            Err(error @ (Error::Rejected { .. } | Error::Unusable { .. })) => {
                tracing::error!(error = %causes(&error), trigger.id = trigger.0, reason, "a trigger cannot even be put aside");
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// A version of a job's definition, trying again until the store answers.
    pub(crate) async fn wait_for(&self, job: JobId, version: JobVersion) -> Arc<Job> {
        loop {
            match self.definition(job, version).await {
                Ok(definition) => return definition,
                Err(error) => {
                    tracing::error!(error = %causes(&error), job.id = job.0, "a claimed run's definition could not be read; trying again");
                    self.wait_to_retry().await;
                }
            }
        }
    }

    /// Waits before the store is asked again.
    pub(crate) async fn wait_to_retry(&self) {
        self.clock.alarm().wait_until(self.clock.now() + crate::random::wait_of(RETRY_AFTER_MS)).await;
    }

    /// The rule of the `delay` trigger that awaits a run's end, if one does.
    pub(crate) async fn awaiting(&self, trigger: TriggerId, run: RunId) -> Result<Option<Arc<Rule>>> {
        let mut rows = self.store.trigger_rows(&[trigger]).await?;
        rows.retain(|row| row.progress.awaiting_run == Some(run));
        let loaded = self.load_reporting(rows).await?.pop();
        Ok(loaded.map(|loaded| loaded.rule).filter(|rule| rule.delay_ms.is_some()))
    }

    /// The fire time of a trigger's schedule before another one, as the trigger is now, if there is one; nothing if no schedule says so.
    pub(crate) async fn previous_fire(
        &self,
        trigger: TriggerId,
        before: Timestamp,
    ) -> Result<Option<Option<Timestamp>>> {
        let rows = self.store.trigger_rows(&[trigger]).await?;
        let is_after = |it: &Loaded| {
            let trigger = it.rule.definition.triggers.get(it.row.index as usize);
            trigger.is_some_and(|trigger| matches!(trigger.schedule, ScheduleDefinition::After { .. }))
        };
        let loaded = self.load_reporting(rows).await?.pop().filter(|it| !is_after(it));
        Ok(loaded.and_then(|Loaded { row, rule }| {
            if let Some(known) = rule.previous_fire(&row.progress, before) {
                return Some(Some(known));
            }
            // A run of a date from before the trigger was saved.
            let definition = rule.definition.triggers.get(row.index as usize)?;
            guarded(|| reached(&rule.trigger, definition, before)).ok()
        }))
    }

    /// The triggers of a job.
    pub(crate) async fn triggers_of(&self, key: &JobKey) -> Result<Vec<TriggerId>> {
        Ok(self.rows_of(key).await?.into_iter().map(|row| row.id).collect())
    }

    pub(crate) async fn rows_of(&self, JobKey { namespace, name }: &JobKey) -> Result<Vec<TriggerRow>> {
        let (namespace, job) = (Some(namespace.clone()), Some(name.clone()));
        let query = TriggerQuery { namespace, job, after: None, limit: TRIGGERS_MAX };
        Ok(self.store.triggers(query).await?.into_iter().map(|it| it.trigger.row).collect())
    }

    /// The fire times of a job whose data intervals lie between two instants, by its triggers as they are now, in order. In words why they
    /// cannot be told: it has no schedule, or there are more than `most`.
    pub(crate) async fn dates_within(
        &self,
        key: &JobKey,
        from: Timestamp,
        to: Timestamp,
        most: usize,
    ) -> Result<std::result::Result<Vec<Timestamp>, String>> {
        let (mut dates, mut is_scheduled) = (BTreeSet::new(), false);
        let (loaded, broken) = self.load(self.rows_of(key).await?).await?;
        if let Some((_, why)) = broken.first() {
            return Ok(Err(format!("the dates of {key} are not known, because of one of its triggers: {why}")));
        }
        for Loaded { row, rule } in loaded {
            let Some(definition) = rule.definition.triggers.get(row.index as usize) else { continue };
            if matches!(definition.schedule, ScheduleDefinition::After { .. } | ScheduleDefinition::Delay { .. }) {
                continue;
            }
            is_scheduled = true;
            let reaching = reaching(&rule.trigger, definition, from);
            let fires = guarded(|| {
                let mut fires = reaching.fires_between(from, to + 1).take(most + 2).collect::<Vec<_>>();
                // The first one ends an interval that began before, unless it is the first of all.
                if fires.first().is_some_and(|first| reached(&rule.trigger, definition, *first).is_some()) {
                    fires.remove(0);
                }
                fires
            });
            match fires {
                Ok(fires) => dates.extend(fires),
                Err(panic) => {
                    let trigger = &definition.name;
                    return Ok(Err(format!(
                        "the dates of {key} are not known: the schedule of {trigger} panicked: {panic}"
                    )));
                }
            }
        }
        if !is_scheduled {
            return Ok(Err(format!("{key} has no schedule that says for which dates it runs: need it at: same")));
        }
        if dates.len() > most {
            return Ok(Err(format!("{key} has more than {most} dates from {from} to {to}")));
        }
        Ok(Ok(dates.into_iter().collect()))
    }

    /// The same for a claimed run, trying again until the store answers.
    pub(crate) async fn awaiting_start(&self, start: &Start, definition: &Job) -> Option<Arc<Rule>> {
        let is_delay = |schedule: &ScheduleDefinition| matches!(schedule, ScheduleDefinition::Delay { .. });
        let trigger = start.trigger?;
        if !definition.triggers.iter().any(|trigger| is_delay(&trigger.schedule)) {
            return None;
        }
        loop {
            match self.awaiting(trigger, start.run).await {
                Ok(rule) => return rule,
                Err(Error::Closed) => return None,
                Err(error) => {
                    tracing::error!(error = %causes(&error), trigger.id = trigger.0, "a claimed run's trigger could not be read; trying again");
                    self.wait_to_retry().await;
                }
            }
        }
    }

    /// When the time of a run is over, if that is limited and attempts have gone before; trying again until the store answers.
    pub(crate) async fn deadline(&self, start: &Start, definition: &Job) -> Option<Timestamp> {
        if start.attempt <= 1 || definition.run_timeout_ms.is_none() {
            return None;
        }
        loop {
            match self.store.run(start.run).await {
                Ok(run) => return run.and_then(|run| run.expires_at),
                Err(Error::Closed) => return None,
                Err(error) => {
                    tracing::error!(error = %causes(&error), run.id = %start.run, "a claimed run's time limit could not be read; trying again");
                    self.wait_to_retry().await;
                }
            }
        }
    }

    /// What a job keeps between its runs, if it does; trying again until the store answers.
    ///
    /// # Errors
    /// What is kept cannot be read: a run that began with nothing in its place would overwrite it.
    pub(crate) async fn data(&self, job: JobId, definition: &Job) -> std::result::Result<Option<Value>, String> {
        if !definition.keep_data {
            return Ok(None);
        }
        loop {
            match self.store.job_data(job).await {
                Ok(kept) => {
                    let data = kept.map_or(Ok(serde_json::Map::new()), |kept| serde_json::from_str(&kept.data));
                    let unreadable = |error| format!("the data of the job is no JSON object: {error}");
                    return data.map(|data| Some(Value::Object(data))).map_err(unreadable);
                }
                Err(Error::Closed) => return Ok(None),
                Err(error) => {
                    tracing::error!(error = %causes(&error), job.id = job.0, "the data of a job could not be read; trying again");
                    self.wait_to_retry().await;
                }
            }
        }
    }

    /// Compiles rows. One whose definition cannot be read or compiled is left out and put aside, so that people see why it
    /// does not fire. If the store cannot do that now, the next read of it will.
    pub(crate) async fn load_reporting(&self, rows: Vec<TriggerRow>) -> Result<Vec<Loaded>> {
        let (loaded, broken) = self.load(rows).await?;
        for (row, why) in broken.iter().filter(|(row, _)| row.progress.status == TriggerStatus::Active) {
            if let Err(error) = self.put_aside(row.id, Some(row.version), why).await {
                tracing::error!(error = %causes(&error), trigger.id = row.id.0, why, "a trigger that does not fire could not be put aside");
            }
        }
        Ok(loaded)
    }

    /// Compiles rows. Those that cannot be are in the second list, with the reason.
    pub(crate) async fn load(&self, rows: Vec<TriggerRow>) -> Result<(Vec<Loaded>, Vec<(TriggerRow, String)>)> {
        let mut calendars = FxHashMap::default();
        let mut loaded = Vec::with_capacity(rows.len());
        let mut broken = Vec::new();
        let definitions = self.of_rows(&rows).await?;
        for row in rows {
            // Without one, it was deleted between the two reads: the outbox names it.
            let Some(definition) = definitions.get(&(row.job, row.job_version)) else { continue };
            let rule = match definition {
                Ok(definition) => {
                    let rule = self.rule(&row, definition, &mut calendars).await?;
                    rule.map_err(|why| format!("it cannot be compiled: {why}"))
                }
                Err(why) => Err(why.clone()),
            };
            match rule {
                Ok(rule) => {
                    let trigger = rule.definition.triggers.get(row.index as usize);
                    if trigger.is_some_and(|it| matches!(it.schedule, ScheduleDefinition::After { .. })) {
                        self.after_read.store(true, Ordering::Relaxed);
                    }
                    loaded.push(Loaded { row, rule: Arc::new(rule) });
                }
                Err(why) => broken.push((row, why)),
            }
        }
        Ok((loaded, broken))
    }

    async fn rule(
        &self,
        row: &TriggerRow,
        definition: &Arc<Job>,
        calendars: &mut FxHashMap<(String, String), Option<Arc<Calendar>>>,
    ) -> Result<std::result::Result<Rule, String>> {
        let Some(trigger) = definition.triggers.get(row.index as usize) else {
            return Ok(Err(format!("the definition has no trigger number {}", row.index)));
        };
        let namespace = &definition.key.namespace;
        if let Some(name) = &trigger.calendar
            && let Entry::Vacant(vacant) = calendars.entry((namespace.clone(), name.clone()))
        {
            vacant.insert(read_calendar(&*self.store, namespace, name).await?);
        }
        let find = |name: &str| calendars.get(&(namespace.clone(), name.to_owned())).cloned().flatten();
        let rule = guarded(|| compile::rule(definition, trigger, row.progress.start_at, self.defaults, &find));
        Ok(match rule {
            Ok(rule) => rule.map_err(|error| error.to_string()),
            Err(panic) => Err(format!("panicked: {panic}")),
        })
    }
}

/// The fire time of a trigger before another one, also from before it was saved.
pub(crate) fn reached(trigger: &Trigger, definition: &TriggerDefinition, before: Timestamp) -> Option<Timestamp> {
    let reaching = reaching(trigger, definition, before - REACH_MS);
    reaching.previous_before(&reaching.first_fire(), before)
}

/// Reads and compiles a calendar with its bases. `None` if it or a base is missing or cannot be compiled.
pub(crate) async fn read_calendar(store: &dyn Store, namespace: &str, name: &str) -> Result<Option<Arc<Calendar>>> {
    read_calendar_with(store, namespace, name, None).await
}

/// The same as if one of them had been saved already.
pub(crate) async fn read_calendar_with(
    store: &dyn Store,
    namespace: &str,
    name: &str,
    saved: Option<(&str, &CalendarDefinition)>,
) -> Result<Option<Arc<Calendar>>> {
    let mut chain: Vec<CalendarDefinition> = Vec::new();
    let mut next = Some(name.to_owned());
    while let Some(name) = next
        && chain.len() <= Calendar::CHAIN_MAX
    {
        let definition = match saved.filter(|saved| saved.0 == name) {
            Some((_, definition)) => definition.clone(),
            None => {
                let Some(row) = store.calendar(namespace, &name).await? else { return Ok(None) };
                let Ok(definition) = serde_json::from_str(&row.definition) else { return Ok(None) };
                definition
            }
        };
        next = definition.base.clone();
        chain.push(definition);
    }
    let mut compiled: Option<Arc<Calendar>> = None;
    for definition in chain.iter().rev() {
        let base = compiled.take();
        match compile::calendar(definition, &|_| base.clone()) {
            Ok(calendar) => compiled = Some(Arc::new(calendar)),
            Err(error) => {
                tracing::error!(%error, calendar = name, namespace, "a stored calendar cannot be compiled");
                return Ok(None);
            }
        }
    }
    Ok(compiled)
}
