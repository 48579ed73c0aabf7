//! Triggers as the API shows them.

use mainspring_api::{self as api, Misfire, Semantics};
use mainspring_core::batch::TriggerStatus;
use mainspring_core::job::{Job, Overlap, ScheduleDefinition, TriggerDefinition};
use mainspring_schedule::{Lang, Timestamp};
use mainspring_store::{JobRow, NamedTrigger};

use super::{count, instant};
use crate::convert;
use crate::words;

/// Shows a trigger. `active_runs` counts the job's unfinished runs. `None` if the definition lacks it, which happens
/// only between two reads of a job that is changed.
pub(crate) fn trigger(
    job: &JobRow,
    trigger: &NamedTrigger,
    active_runs: u32,
    now: Timestamp,
    language: Lang,
) -> Option<api::Trigger> {
    let definition = job.definition.triggers.get(trigger.row.index as usize)?;
    let progress = &trigger.row.progress;
    let key = &job.definition.key;
    let spec = convert::trigger_spec(definition);
    // The instant is kept for the resume; until then nothing fires at it.
    let next = progress.next_fire_at.filter(|_| !trigger.row.paused);
    let due = progress.due_at.filter(|_| !trigger.row.paused);
    Some(api::Trigger {
        id: trigger.row.id.to_string(),
        key: format!("{key}/{}", trigger.name),
        namespace: key.namespace.clone(),
        job: key.name.clone(),
        name: trigger.name.clone(),
        version: count(trigger.row.version),
        kind: spec.kind()?,
        explanation: words::explain(definition, language),
        timezone: definition.timezone.clone(),
        calendar: definition.calendar.clone(),
        misfire: spec.misfire.unwrap_or(Misfire::Smart),
        semantics: spec.semantics.unwrap_or(Semantics::Standard),
        spec,
        state: match progress.status {
            TriggerStatus::Active => api::TriggerState::Active,
            // It has no instants that could end.
            TriggerStatus::Complete if matches!(definition.schedule, ScheduleDefinition::After { .. }) => {
                api::TriggerState::Active
            }
            TriggerStatus::Complete => api::TriggerState::Complete,
            TriggerStatus::Error => api::TriggerState::Error,
        },
        state_reason: trigger.error.clone().or_else(|| error_of(definition, progress.status)),
        paused: trigger.own_pause,
        pause_reason: None,
        paused_at: None,
        paused_by: None,
        job_paused: job.paused,
        blocked: is_blocked(&job.definition, active_runs) && due.is_some_and(|due| due <= now),
        next_fire_at: next.map(instant),
        due_at: due.map(instant),
        previous_fire_at: progress.previous_fire_at.map(instant),
        awaiting_run: progress.awaiting_run.map(|run| run.to_string()),
        times_triggered: u64::from(progress.times_triggered),
    })
}

fn is_blocked(job: &Job, active_runs: u32) -> bool {
    job.overlap == Overlap::Hold && active_runs >= job.max_active
}

/// Why a trigger is in `error`: what compiling it says now.
fn error_of(definition: &TriggerDefinition, status: TriggerStatus) -> Option<String> {
    if status != TriggerStatus::Error {
        return None;
    }
    let mut alone = definition.clone();
    let calendar = alone.calendar.take();
    let error = mainspring_core::compile::trigger(&alone, Timestamp::UNIX_EPOCH, &|_| None).err();
    Some(match (error, calendar) {
        (Some(error), _) => error.to_string(),
        (None, Some(calendar)) => format!("its calendar `{calendar}` is missing or cannot be read"),
        (None, None) => "its schedule could not be evaluated".to_owned(),
    })
}
