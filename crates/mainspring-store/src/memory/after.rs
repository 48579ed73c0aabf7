//! Triggers that fire when a run of another job ends: which there are, what is owed to them, and the runs that are made of it.

use std::collections::BTreeMap;

use mainspring_core::after::AfterOn;
use mainspring_core::batch::{Gap, Placed};
use mainspring_core::cluster::ShardSet;
use mainspring_core::job::{Job, JobKey, ScheduleDefinition, TriggerDefinition};
use mainspring_core::overlap::{Admission, admit as admit_fire};
use mainspring_core::run::{Origin, RunState};
use mainspring_core::{JobId, RunId, Timestamp, TriggerId};

use super::live::{More, Run, Stamp};
use super::model::Model;
use crate::after::{AfterDue, AfterEdge, AfterFire, AfterFired, AftersDue};
use crate::sql::after::paused;
use crate::sql::fire::suppressed;

/// What is kept for triggers that come after runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Afters {
    /// By the job that is first.
    edges: BTreeMap<JobKey, BTreeMap<TriggerId, AfterOn>>,
    owed: BTreeMap<i64, Owed>,
    /// How many fires were left.
    count: i64,
}

#[derive(Clone, Copy, Debug)]
struct Owed {
    trigger: TriggerId,
    cause: RunId,
    fire_time: Timestamp,
    ended_at: Timestamp,
}

impl Afters {
    /// Keeps which jobs a trigger comes after, in place of what it said before.
    pub(super) fn place(&mut self, id: TriggerId, job: &Job, index: u32) {
        self.forget(id);
        let Some(ScheduleDefinition::After { jobs, on }) = job.triggers.get(index as usize).map(|it| &it.schedule)
        else {
            return;
        };
        for upstream in jobs {
            let key = JobKey::new(job.key.namespace.clone(), upstream.clone());
            self.edges.entry(key).or_default().insert(id, *on);
        }
    }

    /// Forgets which jobs a trigger comes after.
    pub(super) fn forget(&mut self, id: TriggerId) {
        self.edges.retain(|_, triggers| {
            triggers.remove(&id);
            !triggers.is_empty()
        });
    }

    /// Leaves a fire for each trigger that waits for the end of a run of this job. Parts of runs, runs over past fire times, and
    /// what these have started, start nothing.
    pub(super) fn tell(&mut self, key: &JobKey, run: &Run, state: RunState, ended_at: Timestamp) {
        let is_below = run.more.as_ref().is_some_and(|more| more.backfilled);
        if run.parent().is_some() || run.origin == Origin::Backfill || is_below {
            return;
        }
        let Some(triggers) = self.edges.get(key) else { return };
        for (trigger, _) in triggers.iter().filter(|(_, on)| on.counts(state)) {
            self.count += 1;
            let owed = Owed { trigger: *trigger, cause: run.id, fire_time: run.fire_time, ended_at };
            self.owed.insert(self.count, owed);
        }
    }
}

/// See [`crate::Store::after_edges`].
pub(super) fn edges(model: &Model, namespace: &str) -> Vec<AfterEdge> {
    let mut edges = Vec::new();
    for (upstream, triggers) in model.afters.edges.iter().filter(|(key, _)| key.namespace == namespace) {
        for (id, on) in triggers {
            let trigger = model.triggers.get(id.0).expect("it was placed");
            edges.push(AfterEdge {
                upstream: upstream.name.clone(),
                job: model.job(trigger.row.job).row.definition.key.name.clone(),
                trigger: trigger.name.clone(),
                on: *on,
            });
        }
    }
    edges.sort_by(|a, b| (&a.upstream, &a.job, &a.trigger).cmp(&(&b.upstream, &b.job, &b.trigger)));
    edges
}

/// See [`crate::Store::afters_due`].
pub(super) fn due(model: &Model, shards: ShardSet, after: i64, limit: u32) -> AftersDue {
    let found = model.afters.owed.range(after.saturating_add(1)..).filter_map(|(id, owed)| {
        let row = model.triggers.get(owed.trigger.0).map(|trigger| &trigger.row);
        let is_wanted = row.is_none_or(|row| shards.contains(row.shard));
        let Owed { trigger, cause, fire_time, ended_at } = *owed;
        let job = row.map(|row| (row.job, row.job_version));
        is_wanted.then_some(AfterDue { id: *id, trigger, cause, fire_time, ended_at, job })
    });
    let due: Vec<AfterDue> = found.take(limit as usize).collect();
    let used = !due.is_empty() || !model.afters.edges.is_empty();
    AftersDue { due, used }
}

/// See [`crate::Store::fire_afters`].
pub(super) fn fire(model: &mut Model, fires: &[AfterFire], at: Timestamp) -> Vec<AfterFired> {
    let mut order: Vec<usize> = (0..fires.len()).collect();
    order.sort_by_key(|index| (fires[*index].due.job, fires[*index].due.id));
    let mut fired = vec![AfterFired::Gone; fires.len()];
    for index in order {
        fired[index] = one(model, &fires[index], at);
    }
    model.events.flush(at);
    if fired.iter().any(|fired| matches!(fired, AfterFired::Made(..))) {
        model.outbox.queued();
    }
    fired
}

fn one(model: &mut Model, fire: &AfterFire, at: Timestamp) -> AfterFired {
    let due = &fire.due;
    let trigger = model.triggers.get(due.trigger.0).filter(|it| due.job.is_some_and(|job| job.0 == it.row.job));
    if trigger.is_some_and(|it| due.job.is_some_and(|job| job.1 != it.row.job_version)) {
        return AfterFired::Stale;
    }
    if model.afters.owed.remove(&due.id).is_none() {
        return AfterFired::Gone;
    }
    let Some(trigger) = trigger else { return AfterFired::Dropped };
    let (job, rests) = (trigger.row.job, trigger.row.paused);
    let definition = model.job(job).row.definition.triggers.get(trigger.row.index as usize).cloned();
    let Some(definition) = definition.filter(|it| matches!(it.schedule, ScheduleDefinition::After { .. })) else {
        return AfterFired::Dropped;
    };
    let state = if rests { Err(paused(due.fire_time)) } else { admit(model, job, due.fire_time, at) };
    match state {
        Ok(state) => AfterFired::Made(make(model, fire, job, &definition, state, at), state),
        Err(gap) => {
            model.record_gap(job, due.trigger, at, gap);
            AfterFired::Recorded
        }
    }
}

/// Asks the job's gate. An error is the record of a fire that is suppressed.
fn admit(model: &mut Model, job: JobId, fire_time: Timestamp, at: Timestamp) -> Result<RunState, Gap> {
    let Some(rule) = model.job(job).limit() else { return Ok(RunState::Queued) };
    let mut admission = admit_fire(model.job(job).gate, rule);
    if admission == Admission::Replace {
        admission = model.replace(job, rule, at);
    }
    match admission {
        Admission::Start => Ok(RunState::Queued),
        Admission::Hold | Admission::Block => Ok(RunState::Held),
        Admission::Suppress | Admission::Replace => Err(suppressed(fire_time, rule.overlap.as_str())),
    }
}

fn make(
    model: &mut Model,
    fire: &AfterFire,
    id: JobId,
    definition: &TriggerDefinition,
    state: RunState,
    at: Timestamp,
) -> RunId {
    let due = &fire.due;
    let is_free = |run: &RunId| model.live.get(*run).is_none() && model.history.get(*run).is_none();
    let ids = (0..).map(|number| RunId::after(due.fire_time, id, due.trigger, due.cause, number));
    let run = ids.into_iter().find(is_free).expect("there are more numbers than runs");
    let trigger = model.triggers.get_mut(due.trigger.0).expect("the caller has seen it");
    trigger.newest_run = trigger.newest_run.max(due.fire_time);
    let job = model.job_mut(id);
    let version = job.row.version;
    job.version_mut(version).runs += 1;
    let slots = if state == RunState::Held { &mut job.gate.held } else { &mut job.gate.active };
    *slots += 1;
    let priority = definition.priority.unwrap_or(job.row.definition.priority);
    let more = More {
        input: (!definition.input.is_null()).then(|| definition.input.to_string()),
        cause: Some(due.cause),
        expires_at: job.row.definition.start_timeout_ms.map(|ms| at + ms),
        ..More::default()
    };
    model.events.run(run, id, state);
    model.live.insert(Run {
        id: run,
        job: id,
        job_version: version,
        trigger: Some(due.trigger),
        fire_time: due.fire_time,
        due_at: due.ended_at,
        created_at: at,
        claimed_at: None,
        priority,
        queue: fire.line.as_str().into(),
        attempt: 0,
        owner: 0,
        state,
        origin: Origin::After,
        batch: Stamp { incarnation: u32::MAX, sequence: 0 },
        born: if state == RunState::Held { Placed::Held } else { Placed::Queued },
        more: Some(Box::new(more)),
    });
    run
}
