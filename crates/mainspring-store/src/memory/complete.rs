//! Recording ends of attempts.

use std::collections::BTreeSet;

use mainspring_core::batch::TriggerStatus;
use mainspring_core::batch::{AttemptDetail, Completion, CompletionBatch, CompletionOutcome, Rearm};
use mainspring_core::line::Line;
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::{AttemptOutcome, RunState};
use mainspring_core::{JobId, RunId, Timestamp};

use super::live::Run;
use super::model::{End, Model};
use super::{queue, workflow};
use crate::follow::{FollowUp, Followed};
use crate::row::AttemptInfo;
use crate::workflow::Stepped;

/// See [`crate::Store::complete`].
pub(super) fn complete(model: &mut Model, batch: &CompletionBatch) -> CompletionOutcome {
    let owner = model.number_of(batch.id.incarnation);
    let mut outcome = CompletionOutcome::default();
    let mut left = BTreeSet::new();
    for (index, entry) in (0_u32..).zip(&batch.entries) {
        let owner = entry.held_by.map_or(owner, |worker| model.number_of(worker));
        let open = |run: &Run| (run.state, run.attempt, run.owner) == (RunState::Running, entry.attempt, owner);
        let Some(run) = model.live.remove_if(entry.run, open) else {
            outcome.refused.push(index);
            continue;
        };
        let (job, counts) = (run.job, run.counts_in_gate());
        let data = entry.detail.as_ref().and_then(|detail| detail.data.clone());
        if let Some(data) = data.filter(|_| entry.outcome == AttemptOutcome::Succeeded) {
            model.job_mut(job).keep_data(data, Some(entry.run), entry.ended_at);
        }
        if end_attempt(model, run, entry) {
            left.extend(model.job(job).limit().filter(|_| counts).map(|_| job));
            outcome.rearmed.extend(entry.rearm.filter(|rearm| arm(model, rearm, entry.run)).map(|rearm| rearm.trigger));
        }
    }
    fill_slots(model, left, &mut outcome);
    model.events.flush(batch.at);
    outcome
}

/// See [`crate::Store::complete_and_go_on`].
pub(super) fn and_go_on(model: &mut Model, batch: &CompletionBatch, follow_up: &FollowUp) -> Followed {
    let told = workflow::are_told(model, &follow_up.steps);
    let outcome = complete(model, batch);
    model.note_elsewhere(batch.id.incarnation, &outcome);
    let steps = match outcome.refused.is_empty() {
        true => workflow::steps_after(model, &follow_up.steps, &told),
        false => vec![Stepped::Stale; follow_up.steps.len()],
    };
    let claim = follow_up.claim.as_ref();
    let claimed = claim.map(|claim| queue::claim(model, claim.id, &claim.queues, claim.limit, claim.at));
    Followed { outcome, steps, claimed: claimed.unwrap_or_default() }
}

/// Ends the open attempt of a run that was taken out. Answers whether the run is final.
fn end_attempt(model: &mut Model, mut run: Run, entry: &Completion) -> bool {
    match entry.then {
        AfterAttempt::Final(verdict) => end_run(model, run, entry, verdict.into()),
        AfterAttempt::RetryAt(_) if run.cancel_requested() => {
            if let Some(trigger) = model.awaiting(run.trigger, run.id) {
                model.note_trigger(trigger);
            }
            end_run(model, run, entry, RunState::Cancelled);
        }
        AfterAttempt::RetryAt(not_before) => {
            model.attempts.entry(run.id).or_default().push(attempt_info(&run, entry));
            retry(&mut run, entry, not_before);
            model.events.run(run.id, run.job, run.state);
            model.live.insert(run);
            return false;
        }
    }
    true
}

fn end_run(model: &mut Model, mut run: Run, entry: &Completion, state: RunState) {
    let reason = match (state, entry.outcome) {
        (RunState::Skipped, _) => Some("vetoed"),
        (_, AttemptOutcome::Lost) => Some("lost"),
        (_, AttemptOutcome::TimedOut) => Some("timed_out"),
        (_, AttemptOutcome::Succeeded | AttemptOutcome::Failed | AttemptOutcome::Cancelled) => None,
    };
    if state != RunState::Cancelled && (reason.is_some() || run.more.is_some()) {
        run.more().reason = reason.map(Into::into);
    }
    if let Some(detail) = &entry.detail {
        run.more().detail = Some(Box::new(AttemptDetail { data: None, ..(**detail).clone() }));
    }
    let end = End { outcome: Some(entry.outcome), started_at: entry.started_at, ended_at: entry.ended_at };
    model.finish(run, state, end);
}

fn retry(run: &mut Run, entry: &Completion, not_before: Timestamp) {
    run.state = RunState::Scheduled;
    let line = Line::parse(&run.queue);
    if line.is_routed() {
        run.queue = Line::Route { queue: line.queue() }.to_string().into();
    }
    let is_first = run.attempt == 1;
    let more = run.more();
    more.not_before = Some(not_before);
    if is_first {
        more.expires_at = entry.deadline;
    }
    more.reason = Some("retry_delay".into());
    more.started_at = entry.started_at;
    more.ended_at = Some(entry.ended_at);
    more.detail = entry.detail.clone();
    if let Some(detail) = &mut more.detail {
        (detail.output, detail.data) = (None, None);
    }
}

fn attempt_info(run: &Run, entry: &Completion) -> AttemptInfo {
    let detail = entry.detail.as_deref();
    AttemptInfo {
        attempt: run.attempt,
        outcome: Some(entry.outcome),
        claimed_at: run.claimed_at,
        started_at: entry.started_at,
        ended_at: Some(entry.ended_at),
        exit_code: detail.and_then(|detail| detail.exit_code),
        signal: detail.and_then(|detail| detail.signal),
        error_code: detail.and_then(|detail| detail.error_code.clone()),
        error: detail.and_then(|detail| detail.error.clone()),
    }
}

/// Sets the next instant of a `delay` trigger, if it still awaits the run.
pub(super) fn arm(model: &mut Model, rearm: &Rearm, run: RunId) -> bool {
    let Some(trigger) = model.triggers.get_mut(rearm.trigger.0) else { return false };
    let progress = &mut trigger.row.progress;
    if progress.awaiting_run != Some(run) || progress.status != TriggerStatus::Active {
        return false;
    }
    progress.next_fire_at = rearm.next_fire_at;
    progress.due_at = rearm.due_at;
    progress.tzdata = rearm.tzdata;
    progress.awaiting_run = None;
    if rearm.next_fire_at.is_none() {
        progress.status = TriggerStatus::Complete;
    }
    model.reindex(rearm.trigger);
    true
}

/// Gives freed slots to held runs, and names the jobs that have one left. What counts is the limit that a job has
/// now, whatever it was when the runs were made.
fn fill_slots(model: &mut Model, left: BTreeSet<JobId>, outcome: &mut CompletionOutcome) {
    for job in left {
        let Some(rule) = model.job(job).limit() else { continue };
        outcome.promoted += model.promote(job, Some(rule));
        let gate = model.job(job).gate;
        if gate.active < rule.max_active && gate.held == 0 {
            outcome.freed.push(job);
        }
    }
}
