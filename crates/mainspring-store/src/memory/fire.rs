//! Recording fires.

use mainspring_core::batch::{
    ANSWERS_KEPT, FireBatch, FireEntry, FireOutcome, Gap, GapOutcome, GapReason, NewRun, Placed, Progress,
    TriggerStatus,
};
use mainspring_core::job::GateRule;
use mainspring_core::overlap::{Admission, admit};
use mainspring_core::run::RunState;
use mainspring_core::{RunId, Timestamp, TriggerId};

use super::live::{More, Run, Stamp};
use super::model::{Model, Trigger};
use crate::error::Result;
use crate::webhook::missed;

/// What a batch left out, by index: kept for when it is repeated.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    sequence: u64,
    stale: Vec<u32>,
    /// Blocked or busy.
    waiting: Vec<u32>,
}

/// See [`crate::Store::fire`]. Passes over entries that others have locked, unless the batch is repeated.
pub(super) fn fire(model: &mut Model, batch: &FireBatch, locked: &[u32]) -> Result<FireOutcome> {
    let stamp = model.stamp(batch.id);
    let place = (stamp.incarnation, stamp.sequence % ANSWERS_KEPT);
    if let Some(before) = model.answers.get(&place).filter(|before| before.sequence >= stamp.sequence) {
        model.check_fence(batch.id.incarnation, batch.answered)?;
        return Ok(repeated(model, stamp, batch, before));
    }
    model.step_fence(batch.id.incarnation, batch.answered)?;
    let outcome = record(model, stamp, batch, locked);
    let waiting = [&outcome.blocked[..], &outcome.busy].concat();
    model.answers.insert(place, Answer { sequence: stamp.sequence, stale: outcome.stale.clone(), waiting });
    Ok(outcome)
}

fn record(model: &mut Model, stamp: Stamp, batch: &FireBatch, locked: &[u32]) -> FireOutcome {
    let fire = Fire { stamp, at: batch.at };
    let mut outcome = FireOutcome { placed: Vec::with_capacity(batch.entries.len()), ..FireOutcome::default() };
    for (index, entry) in (0_u32..).zip(&batch.entries) {
        if locked.contains(&index) {
            outcome.busy.push(index);
        } else if !model.triggers.get(entry.trigger.0).is_some_and(|trigger| is_due(trigger, entry)) {
            outcome.stale.push(index);
        } else if fire.is_blocked(model, entry) {
            outcome.blocked.push(index);
        } else {
            fire.record(model, entry, &mut outcome.placed);
        }
    }
    model.events.flush(batch.at);
    outcome
}

/// Answers a batch that was recorded before. Of one so old that newer ones have taken its place nothing is known, and nobody
/// waits for the answer.
fn repeated(model: &Model, stamp: Stamp, batch: &FireBatch, before: &Answer) -> FireOutcome {
    let fire = Fire { stamp, at: batch.at };
    let mut outcome = FireOutcome::default();
    for (index, entry) in (0_u32..).zip(&batch.entries) {
        if before.sequence != stamp.sequence || before.waiting.contains(&index) {
            outcome.busy.push(index);
        } else if before.stale.contains(&index) || !fire.is_open(model, entry) {
            outcome.stale.push(index);
        } else {
            outcome.placed.extend(entry.runs.iter().map(|run| fire.placed_before(model, run.id)));
        }
    }
    outcome
}

struct Fire {
    stamp: Stamp,
    at: Timestamp,
}

impl Fire {
    /// Whether an entry that was recorded is still the last of its trigger, or has a run that is unfinished: the trigger may
    /// have been deleted since.
    fn is_open(&self, model: &Model, entry: &FireEntry) -> bool {
        model.triggers.get(entry.trigger.0).is_some_and(|trigger| trigger.stamp == Some(self.stamp))
            || entry.runs.iter().any(|run| self.is_mine(model, run.id))
    }

    fn is_mine(&self, model: &Model, run: RunId) -> bool {
        model.live.get(run).is_some_and(|run| run.batch == self.stamp)
    }

    /// Where a run of a repeated batch was placed. One that has gone on since is known, so that nobody starts it again.
    fn placed_before(&self, model: &Model, id: RunId) -> Placed {
        match model.live.get(id) {
            None if model.history.get(id).is_some() => Placed::Known,
            None => Placed::Suppressed,
            Some(run) if run.batch != self.stamp => Placed::Known,
            Some(run) if run.born != Placed::Running => run.born,
            Some(run) if (run.state, run.attempt, run.owner) == (RunState::Running, 1, self.stamp.incarnation) => {
                run.born
            }
            Some(_) => Placed::Known,
        }
    }

    fn is_blocked(&self, model: &Model, entry: &FireEntry) -> bool {
        let (Some(rule), Some(run)) = (entry.gate, entry.runs.first()) else { return false };
        admit(model.job(entry.job).gate, rule) == Admission::Block && !is_known(model, entry.trigger, run)
    }

    fn record(&self, model: &mut Model, entry: &FireEntry, placed: &mut Vec<Placed>) {
        for gap in &entry.gaps {
            model.record_gap(entry.job, entry.trigger, self.at, gap.clone());
            model.events.missed(self.at, missed(entry.job, entry.trigger, gap));
        }
        for run in &entry.runs {
            placed.push(self.place(model, entry, run));
        }
        self.advance(model, entry);
    }

    fn place(&self, model: &mut Model, entry: &FireEntry, run: &NewRun) -> Placed {
        if is_known(model, entry.trigger, run) {
            return Placed::Known;
        }
        let mut admission = entry.gate.map_or(Admission::Start, |rule| admit(model.job(entry.job).gate, rule));
        if let Some(rule) = entry.gate.filter(|_| admission == Admission::Replace) {
            admission = model.replace(entry.job, rule, self.at);
        }
        debug_assert!(admission != Admission::Block, "a job with `hold` fires one run at a time");
        let placed = match admission {
            Admission::Start if run.claim => Placed::Running,
            Admission::Start => Placed::Queued,
            Admission::Hold => Placed::Held,
            Admission::Suppress | Admission::Block | Admission::Replace => Placed::Suppressed,
        };
        let state = match placed {
            Placed::Running => RunState::Running,
            Placed::Queued => RunState::Queued,
            Placed::Held => RunState::Held,
            Placed::Suppressed | Placed::Known => {
                model.record_gap(entry.job, entry.trigger, self.at, suppressed(run.fire_time, entry.gate));
                return Placed::Suppressed;
            }
        };
        let job = model.job_mut(entry.job);
        job.version_mut(entry.job_version).runs += 1;
        let slots = if state == RunState::Held { &mut job.gate.held } else { &mut job.gate.active };
        *slots += 1;
        model.live.insert(self.new_run(entry, run, placed, state));
        model.events.run(run.id, entry.job, state);
        placed
    }

    fn new_run(&self, entry: &FireEntry, run: &NewRun, born: Placed, state: RunState) -> Run {
        let runs = state == RunState::Running;
        let more = (entry.start_timeout_ms.is_some() || entry.input.is_some()).then(|| More {
            expires_at: entry.start_timeout_ms.map(|ms| self.at + ms),
            input: entry.input.as_deref().map(str::to_owned),
            ..More::default()
        });
        Run {
            id: run.id,
            job: entry.job,
            job_version: entry.job_version,
            trigger: Some(entry.trigger),
            fire_time: run.fire_time,
            due_at: run.due_at,
            created_at: self.at,
            claimed_at: runs.then_some(self.at),
            priority: entry.priority,
            queue: entry.queue.clone(),
            attempt: u32::from(runs),
            owner: self.stamp.incarnation,
            state,
            origin: run.origin,
            batch: self.stamp,
            born,
            more: more.map(Box::new),
        }
    }

    fn advance(&self, model: &mut Model, entry: &FireEntry) {
        let awaiting_run = entry.progress.awaiting_run.filter(|run| model.live.get(*run).is_some());
        let trigger = model.triggers.get_mut(entry.trigger.0).expect("it was judged");
        let fired_through = trigger.row.progress.fired_through.max(entry.progress.fired_through);
        let progress = Progress { awaiting_run, fired_through, ..entry.progress };
        trigger.row.progress = progress;
        trigger.stamp = Some(self.stamp);
        if let Some(newest) = entry.runs.iter().map(|run| run.fire_time).max() {
            trigger.newest_run = trigger.newest_run.max(newest);
        }
        // The place in the index is a lower bound: it may stay behind, but never lie past `due_at`.
        let bounds =
            progress.status == TriggerStatus::Active && progress.due_at.is_some() && trigger.place <= progress.due_at;
        if entry.leaves_window || !bounds {
            model.reindex(entry.trigger);
        }
    }
}

fn is_due(trigger: &Trigger, entry: &FireEntry) -> bool {
    let row = &trigger.row;
    row.version == entry.version
        && row.progress.next_fire_at == Some(entry.expected)
        && row.progress.status == TriggerStatus::Active
        && !row.paused
        && (row.job, row.job_version) == (entry.job, entry.job_version)
}

/// Whether the run was made before. Only runs up to the trigger's newest one can be in history.
fn is_known(model: &Model, trigger: TriggerId, run: &NewRun) -> bool {
    let trigger = model.triggers.get(trigger.0).expect("it was judged");
    model.live.get(run.id).is_some() || (run.fire_time <= trigger.newest_run && model.history.get(run.id).is_some())
}

fn suppressed(fire_time: Timestamp, rule: Option<GateRule>) -> Gap {
    Gap {
        first: fire_time,
        last: fire_time,
        count: 1,
        outcome: GapOutcome::Suppressed,
        reason: GapReason::Overlap,
        policy: rule.map_or("", |rule| rule.overlap.as_str()).to_owned(),
    }
}
