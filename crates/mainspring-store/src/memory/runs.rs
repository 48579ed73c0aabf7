//! Requests about runs: asking for them, ending them, looking at them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::RangeInclusive;

use mainspring_core::batch::{AttemptDetail, Placed, Rearm};
use mainspring_core::line::Line;
use mainspring_core::overlap::{Admission, admit_asked};
use mainspring_core::run::RunState;
use mainspring_core::{JobId, RunId, Timestamp};

use super::complete::arm;
use super::history::FinalRun;
use super::live::{More, Run, Stamp};
use super::model::Model;
use super::route;
use crate::correct::settled;
use crate::document::DocumentExpect;
use crate::error::{Error, Result};
use crate::row::{Asked, AskedRun, AttemptInfo, Cancelled, RunInfo, RunQuery};

/// See [`crate::Store::ask_run`].
pub(super) fn ask(model: &mut Model, asked: AskedRun) -> Result<Asked> {
    let missing = || Error::NotFound { what: "job", key: format!("{} version {}", asked.job, asked.job_version) };
    let job = model.jobs.get_mut(asked.job.0).filter(|job| !job.deleted).ok_or_else(missing)?;
    if job.definition(asked.job_version).is_none() {
        return Err(missing());
    }
    if model.live.get(asked.id).is_some() || model.history.get(asked.id).is_some() {
        return Ok(Asked { placed: Placed::Known });
    }
    if let Some(by) = &asked.caller
        && !(model.workflows.names(by, asked.id) && model.workflows.call(asked.id, by.caller.run))
    {
        return Ok(Asked { placed: Placed::Known });
    }
    if let (Some(of), Some(it)) = (asked.rerun_of, &asked.repeat) {
        let is_known = model.live.get(of).is_some() || model.history.get(of).is_some();
        model.workflows.repeat(of, is_known, asked.id, it)?;
    }
    if let Some(of) = asked.rerun_of {
        model.documents.put(settled(of, asked.at), DocumentExpect::Absent);
    }
    let job = model.job_mut(asked.job);
    let mut admission = job.limit().map_or(Admission::Start, |rule| admit_asked(job.gate, rule));
    if let Some(rule) = job.limit().filter(|_| admission == Admission::Replace) {
        admission = model.replace(asked.job, rule, asked.at);
    }
    let holds = admission != Admission::Start;
    let job = model.job_mut(asked.job);
    let start_timeout_ms = job.row.definition.start_timeout_ms;
    job.version_mut(asked.job_version).runs += 1;
    let (state, placed, slots) = if holds {
        (RunState::Held, Placed::Held, &mut job.gate.held)
    } else {
        (RunState::Queued, Placed::Queued, &mut job.gate.active)
    };
    *slots += 1;
    model.events.run(asked.id, asked.job, state);
    model.events.flush(asked.at);
    let expires_at = start_timeout_ms.map(|ms| asked.at + ms);
    model.live.insert(new_run(asked, state, placed, expires_at));
    model.outbox.queued();
    Ok(Asked { placed })
}

fn new_run(asked: AskedRun, state: RunState, born: Placed, expires_at: Option<Timestamp>) -> Run {
    let backfilled = asked.caller.as_ref().is_some_and(|by| by.backfilled);
    let caller = asked.caller.map(|by| by.caller);
    let more = More { input: asked.input, rerun_of: asked.rerun_of, caller, backfilled, expires_at, ..More::default() };
    Run {
        id: asked.id,
        job: asked.job,
        job_version: asked.job_version,
        trigger: None,
        fire_time: asked.fire_time,
        due_at: asked.at,
        created_at: asked.at,
        claimed_at: None,
        priority: asked.priority,
        queue: asked.queue.into(),
        attempt: 0,
        owner: 0,
        state,
        origin: asked.origin,
        // Numbers of process starts begin with 0, so that no fire has this stamp.
        batch: Stamp { incarnation: u32::MAX, sequence: 0 },
        born,
        more: Some(Box::new(more)),
    }
}

/// See [`crate::Store::cancel_run`].
pub(super) fn cancel(
    model: &mut Model,
    id: RunId,
    reason: &str,
    rearm: Option<Rearm>,
    at: Timestamp,
) -> Result<Cancelled> {
    let Some(run) = model.live.get(id) else {
        let over = model.history.get(id).ok_or_else(|| Error::NotFound { what: "run", key: id.to_string() })?;
        return Ok(Cancelled::AlreadyFinal(over.run.state));
    };
    let job = run.job;
    if run.state == RunState::Running {
        model.request_end(id, reason, at);
        return Ok(Cancelled::Requested);
    }
    if route::end_shards(model, id, reason, at) {
        model.events.flush(at);
        return Ok(Cancelled::Requested);
    }
    model.cancel_unstarted(id, reason, at);
    if let Some(rearm) = rearm {
        arm(model, &rearm, id);
    }
    free_slot(model, job);
    model.events.flush(at);
    Ok(Cancelled::AtOnce)
}

/// Gives a freed slot to held runs, or tells the engine that one is left.
pub(super) fn free_slot(model: &mut Model, job: JobId) {
    let rule = model.job(job).limit();
    if model.promote(job, rule) > 0 {
        model.outbox.queued();
    }
    let gate = model.job(job).gate;
    if rule.is_some_and(|rule| gate.active < rule.max_active && gate.held == 0) {
        model.note_triggers(job);
    }
}

/// See [`crate::Store::rearm`].
pub(super) fn rearm(model: &mut Model, run: RunId, rearm: &Rearm) -> bool {
    model.live.get(run).is_none() && arm(model, rearm, run)
}

/// See [`crate::Store::run`].
pub(super) fn run(model: &Model, id: RunId) -> Option<RunInfo> {
    let live = model.live.get(id).map(|run| info(model, run, None));
    live.or_else(|| model.history.get(id).map(|over| info(model, &over.run, Some(over))))
}

/// See [`crate::Store::runs`].
pub(super) fn runs(model: &Model, query: &RunQuery) -> Vec<RunInfo> {
    let from = query.from.map_or(RunId::from_bytes([0; 16]), RunId::floor);
    let to = query.to.map_or(RunId::from_bytes([u8::MAX; 16]), RunId::floor);
    let to = query.before.map_or(to, |before| before.min(to));
    let mut newest = Newest { limit: query.limit as usize, ids: BinaryHeap::new() };
    if newest.limit == 0 {
        return Vec::new();
    }
    let live = model.live.iter().filter(|_| query.wants(false));
    for run in live.filter(|run| (from..to).contains(&run.id) && matches(model, query, run)) {
        newest.offer(run.id);
    }
    if query.wants(true) {
        model.history.visit_newest(from, to, |over| {
            if matches(model, query, &over.run) {
                newest.offer(over.run.id);
            }
            newest.floor()
        });
    }
    let ids = newest.ids.into_sorted_vec();
    ids.into_iter().map(|id| run(model, id.0).expect("seen above")).collect()
}

/// The greatest ids of those offered.
struct Newest {
    limit: usize,
    ids: BinaryHeap<Reverse<RunId>>,
}

impl Newest {
    fn offer(&mut self, id: RunId) {
        self.ids.push(Reverse(id));
        if self.ids.len() > self.limit {
            self.ids.pop();
        }
    }

    /// Below this nothing is wanted any more.
    fn floor(&self) -> Option<RunId> {
        let least = self.ids.peek().filter(|_| self.ids.len() == self.limit);
        least.map(|least| least.0)
    }
}

fn matches(model: &Model, query: &RunQuery, run: &Run) -> bool {
    let whole = query.with_tasks || query.parent.is_some() || run.job_version.task().is_none();
    whole
        && query.parent.is_none_or(|parent| run.parent() == Some(parent) || query.with_calls && is_call_of(run, parent))
        && query.job.is_none_or(|job| run.job == job)
        && query.line.as_ref().is_none_or(|line| run.state == RunState::Queued && *run.queue == **line)
        && (query.states.is_empty() || query.states.contains(&run.state))
        && query.namespace.as_ref().is_none_or(|name| model.job(run.job).row.definition.key.namespace == *name)
}

/// Whether a task of a workflow run has started it.
fn is_call_of(run: &Run, parent: RunId) -> bool {
    run.more.as_ref().and_then(|more| more.caller.as_ref()).is_some_and(|caller| caller.run == parent)
}

/// See [`crate::Store::called_for`].
pub(super) fn called_for(model: &Model, job: JobId, dates: RangeInclusive<Timestamp>) -> Vec<RunId> {
    let is_it = |run: &Run| {
        let is_called = run.more.as_ref().is_some_and(|more| more.caller.is_some());
        is_called && run.job == job && dates.contains(&run.fire_time)
    };
    let mut found: Vec<RunId> = model.live.iter().filter(|run| is_it(run)).map(|run| run.id).collect();
    model.history.visit_newest(RunId::from_bytes([0; 16]), RunId::from_bytes([u8::MAX; 16]), |over| {
        found.extend(is_it(&over.run).then_some(over.run.id));
        None
    });
    found.sort_unstable();
    found
}

/// See [`crate::Store::attempts`].
pub(super) fn attempts(model: &Model, id: RunId) -> Vec<AttemptInfo> {
    let mut attempts = model.attempts.get(&id).cloned().unwrap_or_default();
    let Some(info) = run(model, id) else { return attempts };
    let outcome = model.history.get(id).and_then(|over| over.outcome);
    if outcome.is_some() || info.state == RunState::Running {
        attempts.push(AttemptInfo {
            attempt: info.attempt,
            outcome,
            claimed_at: info.claimed_at,
            started_at: info.started_at,
            ended_at: info.ended_at,
            exit_code: info.exit_code,
            signal: info.signal,
            error_code: info.error_code,
            error: info.error,
        });
    }
    attempts
}

fn info(model: &Model, run: &Run, over: Option<&FinalRun>) -> RunInfo {
    let job = model.job(run.job);
    let none = More::default();
    let more = run.more.as_deref().unwrap_or(&none);
    let blank = AttemptDetail::default();
    let AttemptDetail { exit_code, signal, error_code, error, output, data: _ } =
        more.detail.as_deref().unwrap_or(&blank).clone();
    let (node, worker) = model.executor_of(run, over.and_then(|over| over.outcome));
    RunInfo {
        id: run.id,
        job: run.job,
        key: job.row.definition.key.clone(),
        job_version: run.job_version.base(),
        trigger: run.trigger,
        trigger_name: run.trigger.and_then(|id| trigger_name(model, id)),
        state: run.state,
        origin: run.origin,
        fire_time: run.fire_time,
        due_at: run.due_at,
        created_at: run.created_at,
        claimed_at: run.claimed_at,
        started_at: over.map_or(more.started_at, |over| over.started_at),
        ended_at: over.map_or(more.ended_at, |over| Some(over.ended_at)),
        attempt: run.attempt,
        queue: Line::parse(&run.queue).queue().to_owned(),
        worker: worker.or_else(|| Line::parse(&run.queue).worker().map(str::to_owned)),
        node,
        priority: run.priority,
        not_before: more.not_before,
        cancel_requested_at: more.cancel_requested_at,
        reason: more.reason.as_deref().map(str::to_owned),
        input: more.input.clone(),
        output,
        exit_code,
        signal,
        error_code,
        error,
        rerun_of: more.rerun_of,
        cause: more.cause,
        caller: more.caller.clone(),
        parent: run.parent(),
        task: more.task.as_ref().map(|task| task.name.clone()),
        shard: more.shard_of.map(|(_, shard)| shard),
        expires_at: more.expires_at.filter(|_| over.is_none()),
    }
}

pub(super) fn trigger_name(model: &Model, id: mainspring_core::TriggerId) -> Option<String> {
    let live = model.triggers.get(id.0).map(|trigger| trigger.name.clone());
    live.or_else(|| model.buried_names.get(&id).cloned())
}
