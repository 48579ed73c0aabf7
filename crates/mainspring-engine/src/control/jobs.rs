//! Saving, deleting, pausing and resuming jobs and their triggers.

use std::sync::Arc;

use mainspring_core::batch::{Progress, TriggerRow, TriggerStatus};
use mainspring_core::compile::{self, FieldError};
use mainspring_core::edit::{self, Before};
use mainspring_core::job::{Job, JobKey, check_name};
use mainspring_core::routing::{QUEUE_MAX, Strategy};
use mainspring_core::rule::Rule;
use mainspring_core::{Timestamp, TriggerId};
use mainspring_schedule::Calendar;
use mainspring_store::{
    DocumentChange, Expect, JobDelete, JobPrior, JobRow, JobUpdate, JobWrite, NamedTrigger, Saved, SavedBy, TriggerEnd,
    TriggerUpdate, TriggerWrite,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Control, Error, Result, TRIES, no_job, overtaken};
use crate::definitions::read_calendar;
use crate::listener::JobChange;

/// Triggers that one transaction of a request changes at most.
const SLICE_TRIGGERS: usize = 250;

/// Whether to do it, or only to say what would be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SaveMode {
    /// Do it.
    Commit,
    /// Check everything, change nothing.
    DryRun,
}

/// Compiled calendars of a namespace, by name.
type Calendars = FxHashMap<String, Arc<Calendar>>;

/// A job that is to be saved.
#[derive(Clone, PartialEq, Debug)]
pub struct JobSave {
    /// The job.
    pub job: Arc<Job>,
    /// What must be there.
    pub expect: Expect,
    /// Documents that are changed with it, or it is not saved.
    pub documents: Vec<DocumentChange>,
    /// Ends its pause, also one that people have set. Triggers that the definition pauses rest, also those that people have resumed.
    pub resume: bool,
    /// Who saves it, where that is known: noted with the version, if it makes one.
    pub saved_by: Option<SavedBy>,
}

impl From<(Arc<Job>, Expect)> for JobSave {
    fn from((job, expect): (Arc<Job>, Expect)) -> Self {
        Self { job, expect, documents: Vec::new(), resume: false, saved_by: None }
    }
}

/// A job that can be saved, and the calendars that it names.
type Checked = (JobSave, Calendars);

/// What a save does to a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// It is new.
    Created,
    /// It has a new version.
    Updated,
    /// It is as it was.
    Unchanged,
}

/// What a save did, or would do.
#[derive(Clone, PartialEq, Debug)]
pub struct JobPlan {
    /// The job.
    pub key: JobKey,
    /// What happens to it.
    pub change: Change,
    /// The definition before.
    pub before: Option<Arc<Job>>,
    /// The job as it is now; absent in a dry run.
    pub saved: Option<JobRow>,
}

impl Control {
    /// Saves jobs. All are checked before the first is written; up to 250 triggers are saved in one transaction.
    ///
    /// # Errors
    /// The first job that cannot be used. With more than 250 triggers, earlier slices stay if a later one fails.
    pub async fn save(&self, jobs: Vec<impl Into<JobSave>>, mode: SaveMode) -> Result<Vec<JobPlan>> {
        let jobs: Vec<JobSave> = jobs.into_iter().map(Into::into).collect();
        self.refuse_circles(jobs.iter().map(|save| &*save.job)).await?;
        let saved: Vec<&Job> = jobs.iter().map(|save| &*save.job).collect();
        self.refuse_call_circles(&saved).await?;
        self.refuse_wait_circles(&saved).await?;
        self.save_planned(jobs, mode).await
    }

    /// Saves jobs as [`Control::save`] does, where the caller has found that none of them starts itself by way of others: parts of a
    /// larger save, which need not hold alone.
    ///
    /// # Errors
    /// The first job that cannot be used.
    pub async fn save_planned(&self, jobs: Vec<impl Into<JobSave>>, mode: SaveMode) -> Result<Vec<JobPlan>> {
        let jobs: Vec<JobSave> = jobs.into_iter().map(Into::into).collect();
        for save in &jobs {
            check(&save.job)?;
        }
        let mut checked = Vec::with_capacity(jobs.len());
        for save in jobs {
            // Compiled here for its errors; the rules themselves are made again from what is there at the write.
            let calendars = self.calendars_of(&save.job).await?;
            self.rules(&save.job, &calendars, self.now())?;
            checked.push((save, calendars));
        }
        let mut plans = Vec::with_capacity(checked.len());
        let mut rest = checked.as_slice();
        while !rest.is_empty() {
            let (slice, later) = rest.split_at(slice_len(rest));
            plans.extend(self.save_slice(slice, mode).await?);
            rest = later;
        }
        Ok(plans)
    }

    async fn save_slice(&self, slice: &[Checked], mode: SaveMode) -> Result<Vec<JobPlan>> {
        for _ in 0..TRIES {
            let now = self.now();
            let mut plans = Vec::with_capacity(slice.len());
            let mut writes = Vec::with_capacity(slice.len());
            let keys: Vec<JobKey> = slice.iter().map(|(save, _)| save.job.key.clone()).collect();
            for ((save, calendars), prior) in slice.iter().zip(self.store.priors(&keys).await?) {
                let JobSave { job, expect, .. } = save;
                expected(&job.key, &prior, *expect)?;
                let write = self.write(save, calendars, &self.known(&prior).await?, &prior, now)?;
                let before = prior.job.as_ref().map(|row| Arc::clone(&row.definition));
                let change = match &prior.job {
                    None => Change::Created,
                    Some(row) if *row.definition == **job => Change::Unchanged,
                    Some(_) => Change::Updated,
                };
                plans.push(JobPlan { key: job.key.clone(), change, before, saved: prior.job });
                writes.push(write);
            }
            if mode == SaveMode::DryRun {
                plans.iter_mut().for_each(|plan| plan.saved = None);
                return Ok(plans);
            }
            match self.store.save_jobs(writes).await {
                Ok(saved) => {
                    for (plan, Saved { job, .. }) in plans.iter_mut().zip(saved) {
                        plan.saved = Some(job);
                    }
                    self.tell_saved(&plans);
                    // What was held may have a slot now.
                    self.workflows.wake();
                    return Ok(plans);
                }
                // Whoever asks has read the documents, so only they can read them again.
                Err(error) if overtaken(&error) && !is_about_document(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::Refused("the jobs were changed by others all the time; try again".into()))
    }

    fn tell_saved(&self, plans: &[JobPlan]) {
        for plan in plans {
            let change = match plan.change {
                Change::Created => JobChange::Added,
                Change::Updated => JobChange::Changed,
                Change::Unchanged => continue,
            };
            plan.saved.iter().for_each(|job| self.tell(&job.definition, None, change));
        }
    }

    /// The calendars that a job names as it is kept.
    async fn known(&self, prior: &JobPrior) -> Result<Calendars> {
        match &prior.job {
            Some(job) => self.calendars_of(&job.definition).await,
            None => Ok(Calendars::default()),
        }
    }

    /// The write that brings a job from what is there, with the calendars `known`, to what it is to be.
    fn write(
        &self,
        JobSave { job, resume, documents, saved_by, .. }: &JobSave,
        calendars: &Calendars,
        known: &Calendars,
        prior: &JobPrior,
        now: Timestamp,
    ) -> Result<JobWrite> {
        let old = prior.job.as_ref();
        let paused = pause(old.map(|row| row.paused), old.map(|row| row.definition.paused), job.paused) && !resume;
        let mut triggers = Vec::with_capacity(job.triggers.len());
        let known_as: FxHashMap<_, _> = prior.triggers.iter().map(|trigger| (trigger.name.as_str(), trigger)).collect();
        let left: FxHashMap<_, _> = prior.tombstones.iter().map(|left| (left.name.as_str(), left)).collect();
        for (index, definition) in job.triggers.iter().enumerate() {
            let there = known_as.get(definition.name.as_str()).copied();
            let before =
                there.and_then(|there| old.and_then(|row| row.definition.triggers.get(there.row.index as usize)));
            let anchor = there.map_or(now, |there| there.row.progress.start_at);
            let anchor = if before == Some(definition) { anchor } else { now };
            let rule = self.rule(job, index, calendars, anchor)?;
            let tombstone = left.get(definition.name.as_str());
            let own_pause =
                pause(there.map(|there| there.own_pause), before.map(|before| before.paused), definition.paused)
                    || *resume && definition.paused;
            let (progress, gap, fired_through) = match (there, before, old) {
                (Some(there), Some(before), Some(old)) => {
                    let old_rule = self.rule_behind(old, there, known, now);
                    let before = Before { definition: before, row: &there.row, rule: old_rule.as_ref() };
                    let (progress, gap) = edit::change(before, definition, &rule, own_pause || paused, now);
                    (progress, gap, there.row.progress.fired_through)
                }
                _ => {
                    let fired_through = tombstone.and_then(|tombstone| tombstone.fired_through);
                    (edit::begin(&rule, TriggerId(0), fired_through, now), None, fired_through)
                }
            };
            triggers.push(TriggerWrite {
                name: definition.name.clone(),
                paused: own_pause,
                progress,
                jitter_ms: definition.jitter_ms,
                expected_fired_through: fired_through,
                gap,
            });
        }
        let kept: FxHashSet<_> = job.triggers.iter().map(|trigger| trigger.name.as_str()).collect();
        let gone = prior.triggers.iter().filter(|there| !kept.contains(there.name.as_str()));
        Ok(JobWrite {
            definition: Arc::clone(job),
            expect: old.map_or(Expect::Absent, |row| Expect::Change(row.change)),
            paused,
            triggers,
            ends: old.map(|old| self.ends(old, gone, known, now)).unwrap_or_default(),
            documents: documents.clone(),
            saved_by: saved_by.clone(),
            at: now,
        })
    }

    /// What triggers that are about to go leave without a record.
    fn ends<'a>(
        &self,
        job: &JobRow,
        gone: impl Iterator<Item = &'a NamedTrigger>,
        calendars: &Calendars,
        now: Timestamp,
    ) -> Vec<TriggerEnd> {
        let end = |trigger: &NamedTrigger| {
            let row = &trigger.row;
            let definition = job.definition.triggers.get(row.index as usize)?;
            let rule = self.rule_behind(job, trigger, calendars, now);
            let gap = edit::end(Before { definition, row, rule: rule.as_ref() }, now)?;
            Some(TriggerEnd { id: row.id, expected_fired_through: row.progress.fired_through, gap })
        };
        gone.filter_map(end).collect()
    }

    /// The rule of a trigger as it is kept, if it can be compiled, and something may have passed by it without a record.
    fn rule_behind(&self, job: &JobRow, trigger: &NamedTrigger, calendars: &Calendars, now: Timestamp) -> Option<Rule> {
        let TriggerRow { index, progress, .. } = &trigger.row;
        let index = *index as usize;
        let behind = is_aside(trigger) || progress.next_fire_at.is_some_and(|next| next <= now);
        let behind = behind && index < job.definition.triggers.len();
        behind.then(|| self.rule(&job.definition, index, calendars, progress.start_at).ok()).flatten()
    }

    /// Deletes a job. Its unstarted runs are cancelled; running ones go on.
    ///
    /// # Errors
    /// If there is no such job, or `expect` does not hold.
    pub async fn delete_job(&self, key: &JobKey, expect: Expect) -> Result<()> {
        self.delete_jobs(&[(key.clone(), expect)]).await
    }

    /// Deletes jobs in one transaction: all of them, or none. Whoever deletes many does it in slices, so that others get their turn.
    ///
    /// # Errors
    /// If one of the jobs is not there, or is not as expected.
    pub async fn delete_jobs(&self, jobs: &[(JobKey, Expect)]) -> Result<()> {
        for _ in 0..TRIES {
            let now = self.now();
            let mut deletes = Vec::with_capacity(jobs.len());
            let mut gone = Vec::with_capacity(jobs.len());
            let keys: Vec<JobKey> = jobs.iter().map(|(key, _)| key.clone()).collect();
            for ((key, expect), prior) in jobs.iter().zip(self.store.priors(&keys).await?) {
                expected(key, &prior, *expect)?;
                let calendars = self.known(&prior).await?;
                let JobPrior { job: Some(job), triggers, .. } = prior else { return Err(no_job(key)) };
                let ends = self.ends(&job, triggers.iter(), &calendars, now);
                deletes.push(JobDelete { key: key.clone(), expect: Expect::Change(job.change), ends });
                gone.push(job.definition);
            }
            match self.store.delete_jobs(deletes, now).await {
                Err(error) if overtaken(&error) => {}
                done => {
                    done?;
                    gone.iter().for_each(|job| self.tell(job, None, JobChange::Deleted));
                    // What comes after its runs is owed.
                    self.workflows.wake();
                    return Ok(());
                }
            }
        }
        Err(Error::Refused("the jobs were changed by others all the time; try again".into()))
    }

    /// Lets a job's triggers rest. Once this returns, no fire of the job is recorded until it is resumed.
    ///
    /// # Errors
    /// If there is no such job.
    pub async fn pause_job(&self, key: &JobKey) -> Result<JobRow> {
        self.update(key, Some((None, JobChange::Paused)), |_, job, _| Ok(((!job.paused).then_some(true), Vec::new())))
            .await
    }

    /// Lets a job's triggers fire again, also those that were put aside: next after now; what passed meanwhile is recorded as one
    /// range a trigger.
    ///
    /// # Errors
    /// If there is no such job.
    pub async fn resume_job(&self, key: &JobKey) -> Result<JobRow> {
        self.update(key, Some((None, JobChange::Resumed)), |control, job, rules| {
            let now = control.now();
            let awake = rules.iter().filter(|(trigger, _)| !trigger.own_pause && (job.paused || is_aside(trigger)));
            let updates = awake.map(|(trigger, rule)| resumed(trigger, rule, None, now)).collect();
            Ok((job.paused.then_some(false), updates))
        })
        .await
    }

    /// Lets one trigger rest.
    ///
    /// # Errors
    /// If there is no such job or trigger.
    pub async fn pause_trigger(&self, key: &JobKey, name: &str) -> Result<JobRow> {
        self.update(key, Some((Some(name), JobChange::Paused)), |_, _, rules| {
            let (trigger, _) = named(key, name, rules)?;
            let update = TriggerUpdate {
                id: trigger.row.id,
                expected_next: trigger.row.progress.next_fire_at,
                paused: Some(true),
                progress: None,
                gap: None,
                reanchor: None,
            };
            Ok((None, if trigger.own_pause { Vec::new() } else { vec![update] }))
        })
        .await
    }

    /// Lets one trigger fire again; see [`Control::resume_job`].
    ///
    /// # Errors
    /// If there is no such job or trigger.
    pub async fn resume_trigger(&self, key: &JobKey, name: &str) -> Result<JobRow> {
        self.update(key, Some((Some(name), JobChange::Resumed)), |control, job, rules| {
            let (trigger, rule) = named(key, name, rules)?;
            if !trigger.own_pause && !is_aside(trigger) {
                return Ok((None, Vec::new()));
            }
            let now = control.now();
            let mut update = resumed(trigger, rule, trigger.own_pause.then_some(false), now);
            if job.paused && !is_aside(trigger) {
                // What passed is recorded when the job is resumed.
                (update.progress, update.gap) = (None, None);
            }
            Ok((None, vec![update]))
        })
        .await
    }

    /// Does to a job what `decide` says, and lets listeners hear it as what was done to the job or to a trigger of it.
    pub(super) async fn update(
        &self,
        key: &JobKey,
        told: Option<(Option<&str>, JobChange)>,
        decide: impl Fn(&Self, &JobRow, &[(NamedTrigger, Rule)]) -> Result<(Option<bool>, Vec<TriggerUpdate>)>,
    ) -> Result<JobRow> {
        for _ in 0..TRIES {
            let prior = self.store.prior(key).await?;
            let Some(job) = prior.job else { return Err(no_job(key)) };
            let calendars = self.calendars_of(&job.definition).await?;
            let mut rules = Vec::with_capacity(prior.triggers.len());
            for trigger in prior.triggers {
                let anchor = trigger.row.progress.start_at;
                let rule = self.rule(&job.definition, trigger.row.index as usize, &calendars, anchor)?;
                rules.push((trigger, rule));
            }
            let (paused, triggers) = decide(self, &job, &rules)?;
            if paused.is_none() && triggers.is_empty() {
                return Ok(job);
            }
            let update = JobUpdate { job: job.id, expected_change: job.change, paused, triggers, at: self.now() };
            match self.store.update_job(update).await {
                Err(error) if overtaken(&error) => {}
                done => {
                    let job = done?;
                    told.iter().for_each(|(trigger, change)| self.tell(&job.definition, *trigger, *change));
                    return Ok(job);
                }
            }
        }
        Err(overtaken_always(key))
    }

    pub(super) async fn calendars_of(&self, job: &Job) -> Result<Calendars> {
        let mut calendars = FxHashMap::default();
        for name in job.triggers.iter().filter_map(|trigger| trigger.calendar.as_ref()) {
            if let Some(calendar) = read_calendar(&*self.store, &job.key.namespace, name).await? {
                calendars.insert(name.clone(), calendar);
            }
        }
        Ok(calendars)
    }

    fn rules(&self, job: &Arc<Job>, calendars: &Calendars, now: Timestamp) -> Result<()> {
        (0..job.triggers.len()).try_for_each(|index| {
            let rule = self.rule(job, index, calendars, now)?;
            if matches!(job.triggers[index].schedule, mainspring_core::job::ScheduleDefinition::After { .. }) {
                return Ok(());
            }
            rule.trigger.validate_fires().map_err(|error| {
                let field = match job.triggers[index].schedule {
                    mainspring_core::job::ScheduleDefinition::Cron { .. } => "cron",
                    _ => "schedule",
                };
                invalid(job, index, FieldError { field, code: error.code(), message: error.to_string(), hint: None })
            })
        })
    }

    pub(super) fn rule(&self, job: &Arc<Job>, index: usize, calendars: &Calendars, anchor: Timestamp) -> Result<Rule> {
        let find = |name: &str| calendars.get(name).cloned();
        compile::rule(job, &job.triggers[index], anchor, self.defaults(), &find)
            .map_err(|error| invalid(job, index, error))
    }
}

fn invalid(job: &Job, index: usize, error: FieldError) -> Error {
    let path = format!("{}/{}", job.key, job.triggers[index].name);
    Error::Invalid { path, trigger: Some(index), error }
}

/// Names, and what only the job as a whole can get wrong.
fn check(job: &Job) -> Result<()> {
    check_name(&job.key.namespace)?;
    check_name(&job.key.name)?;
    check_name(&job.queue)?;
    let refused = |field, code, message: String| {
        let error = FieldError { field, code, message, hint: None };
        Err(Error::Invalid { path: job.key.to_string(), trigger: None, error })
    };
    // Bounds come first: what is refused for its size must cost nothing.
    if job.triggers.len() > SLICE_TRIGGERS {
        let message = format!("a job has at most {SLICE_TRIGGERS} triggers, this one {}", job.triggers.len());
        return refused("triggers", "job.too_many_triggers", message);
    }
    let mut names = FxHashSet::default();
    for trigger in &job.triggers {
        check_name(&trigger.name)?;
        if !names.insert(trigger.name.as_str()) {
            let message = format!("two triggers are named `{}`", trigger.name);
            return refused("triggers", "trigger.duplicate_name", message);
        }
    }
    check_routing(job)?;
    if job.max_active == 0 {
        return refused("max_active", "job.max_active", "at least one run must be allowed".into());
    }
    let limits =
        [("timeout", job.timeout_ms), ("run_timeout", job.run_timeout_ms), ("start_timeout", job.start_timeout_ms)];
    if let Some((field, _)) = limits.into_iter().find(|(_, ms)| ms.is_some_and(|ms| ms <= 0)) {
        return refused(field, "job.timeout", "a time limit must be longer than nothing".into());
    }
    if job.deadline_ms.is_some_and(|ms| ms <= 0) {
        return refused("deadline", "job.timeout", "a deadline must be later than the fire time".into());
    }
    let retry = &job.retry;
    if [retry.delay_ms, retry.jitter_ms, retry.max_delay_ms.unwrap_or(0)].into_iter().any(|ms| ms < 0) {
        return refused("retry_delay", "job.retry_delay", "a delay cannot be negative".into());
    }
    Ok(())
}

fn check_routing(job: &Job) -> Result<()> {
    let routing = &job.routing;
    let refused = |field, message: String, hint: &str| {
        let error = FieldError { field, code: "job.routing", message, hint: Some(hint.to_owned()) };
        Err(Error::Invalid { path: job.key.to_string(), trigger: None, error })
    };
    if !routing.is_none() && job.queue.len() > QUEUE_MAX {
        let message = format!("the queue of a routed job has at most {QUEUE_MAX} bytes, this one {}", job.queue.len());
        return refused("queue", message, "give the queue a shorter name");
    }
    if routing.key.as_deref().is_some_and(|key| key.is_empty() || key.len() > KEY_MAX) {
        let message = format!("the place of a key has 1 to {KEY_MAX} bytes");
        return refused("routing_key", message, "name a member of the input, or give a JSON pointer");
    }
    if routing.key.is_some() && routing.strategy() != Strategy::ConsistentHash {
        let message = format!("a routing_key has no effect with routing {}", routing.strategy);
        return refused("routing_key", message, "remove it, or use routing: consistent_hash");
    }
    Ok(())
}

/// The longest place of a key in an input, in bytes.
const KEY_MAX: usize = 256;

/// How many of the jobs fit into one transaction: at least one.
fn slice_len(jobs: &[Checked]) -> usize {
    let mut triggers = 0;
    let fits = jobs.iter().take_while(|(save, _)| {
        triggers += save.job.triggers.len().max(1);
        triggers <= SLICE_TRIGGERS
    });
    fits.count().max(1)
}

fn expected(key: &JobKey, prior: &JobPrior, expect: Expect) -> Result<()> {
    let change = prior.job.as_ref().map(|row| row.change);
    let why = match (expect, change) {
        (Expect::Anything, _) | (Expect::Absent, None) => return Ok(()),
        (Expect::Change(expected), Some(change)) if expected == change => return Ok(()),
        (Expect::Absent, Some(_)) => "exists already".into(),
        (Expect::Change(expected), Some(change)) => format!("is at change {change}, not {expected}"),
        (Expect::Change(_), None) => return Err(no_job(key)),
    };
    Err(mainspring_store::Error::Conflict { what: "job", key: key.to_string(), why }.into())
}

fn is_about_document(error: &mainspring_store::Error) -> bool {
    matches!(error, mainspring_store::Error::Conflict { what: "document", .. })
}

/// A definition sets the pause when it is new or says something else than before; else it stays as people set it.
fn pause(now: Option<bool>, defined_before: Option<bool>, defined: bool) -> bool {
    match (now, defined_before) {
        (Some(now), Some(before)) if before == defined => now,
        _ => defined,
    }
}

fn named<'a>(key: &JobKey, name: &str, rules: &'a [(NamedTrigger, Rule)]) -> Result<&'a (NamedTrigger, Rule)> {
    rules.iter().find(|(trigger, _)| trigger.name == name).ok_or_else(|| {
        Error::Store(mainspring_store::Error::NotFound { what: "trigger", key: format!("{key}/{name}") })
    })
}

pub(super) fn overtaken_always(key: &JobKey) -> Error {
    Error::Refused(format!("job `{key}` was changed by others all the time; try again"))
}

/// Whether it was put aside, in the state `error`.
fn is_aside(trigger: &NamedTrigger) -> bool {
    trigger.row.progress.status == TriggerStatus::Error
}

fn resumed(trigger: &NamedTrigger, rule: &Rule, paused: Option<bool>, now: Timestamp) -> TriggerUpdate {
    let (progress, gap) = edit::resume(rule, trigger.row.id, &trigger.row.progress, now);
    let progress: Option<Progress> = (progress != trigger.row.progress).then_some(progress);
    TriggerUpdate {
        id: trigger.row.id,
        expected_next: trigger.row.progress.next_fire_at,
        paused,
        progress,
        gap,
        reanchor: None,
    }
}
