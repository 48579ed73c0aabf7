//! Past runs, which are brought from another scheduler.

use mainspring_core::batch::{AttemptDetail, Placed};
use mainspring_core::run::Origin;

use super::history::FinalRun;
use super::live::{More, Run, Stamp};
use super::model::Model;
use crate::error::{Error, Result};
use crate::past::{PastAttempt, PastRun, PastRuns};
use crate::row::AttemptInfo;

/// See [`crate::Store::add_past_runs`].
pub(super) fn add(model: &mut Model, past: PastRuns) -> Result<Vec<bool>> {
    let missing = || Error::NotFound { what: "job", key: format!("{} version {}", past.job, past.job_version) };
    let job = model.jobs.get_mut(past.job.0).filter(|job| !job.deleted).ok_or_else(missing)?;
    if job.definition(past.job_version).is_none() {
        return Err(missing());
    }
    let mut added = Vec::with_capacity(past.runs.len());
    for run in &past.runs {
        let is_known = model.live.get(run.id).is_some() || model.history.get(run.id).is_some();
        if !is_known {
            keep(model, &past, run);
        }
        added.push(!is_known);
    }
    Ok(added)
}

fn keep(model: &mut Model, past: &PastRuns, run: &PastRun) {
    if !run.earlier.is_empty() {
        let earlier = (1_u32..).zip(&run.earlier).map(|(number, attempt)| attempt_info(number, attempt)).collect();
        model.attempts.insert(run.id, earlier);
    }
    let job = model.job_mut(past.job);
    job.history_count += 1;
    job.version_mut(past.job_version).runs += 1;
    model.history.push(FinalRun {
        run: over(past, run),
        outcome: Some(run.last.outcome),
        started_at: Some(run.last.started_at),
        ended_at: run.last.ended_at,
    });
}

fn over(past: &PastRuns, run: &PastRun) -> Run {
    let detail = AttemptDetail {
        exit_code: run.last.exit_code,
        error_code: run.last.error_code.clone(),
        error: run.last.error.clone(),
        output: run.output.clone(),
        ..AttemptDetail::default()
    };
    let more = More {
        input: run.input.clone(),
        reason: run.reason.clone().map(Into::into),
        detail: Some(Box::new(detail)),
        ..More::default()
    };
    Run {
        id: run.id,
        job: past.job,
        job_version: past.job_version,
        trigger: None,
        fire_time: run.due_at,
        due_at: run.due_at,
        created_at: past.at,
        claimed_at: Some(run.last.started_at),
        priority: 0,
        queue: run.queue.as_str().into(),
        attempt: run.attempt(),
        owner: 0,
        state: run.state(),
        origin: Origin::Imported,
        batch: Stamp { incarnation: u32::MAX, sequence: 0 },
        born: Placed::Queued,
        more: Some(Box::new(more)),
    }
}

fn attempt_info(number: u32, attempt: &PastAttempt) -> AttemptInfo {
    AttemptInfo {
        attempt: number,
        outcome: Some(attempt.outcome),
        claimed_at: Some(attempt.started_at),
        started_at: Some(attempt.started_at),
        ended_at: Some(attempt.ended_at),
        exit_code: attempt.exit_code,
        signal: None,
        error_code: attempt.error_code.clone(),
        error: attempt.error.clone(),
    }
}
