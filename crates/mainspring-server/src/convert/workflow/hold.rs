//! Tasks that wait, between job file and definition.

use mainspring_api::{ApprovalSpec, ErrorCode, JobSpec, OneOrMany, Problem, TaskSpec, WaitSpec};
use mainspring_core::compile;
use mainspring_core::workflow::{Approval, ClockTime, Hold};
use mainspring_schedule::{BadTimeOfDay, TimeOfDay};

use crate::convert::defaults::unless_default;
use crate::convert::schedule::OrNote;
use crate::convert::texts::{duration_text, instant, positive_ms};
use crate::convert::{Surroundings, problem};

/// Reads what a task waits for. What [`mainspring_api::check_job`] finds is not found here.
pub(super) fn read(
    spec: &JobSpec,
    task: &TaskSpec,
    around: &Surroundings<'_>,
    problems: &mut Vec<Problem>,
) -> Option<Hold> {
    if let Some(need) = &task.elsewhere {
        return super::elsewhere::read(need, "").or_note(problems).map(Hold::Elsewhere);
    }
    match (&task.wait, &task.approval) {
        (Some(wait), _) => self::wait(spec, wait, around).or_note(problems).flatten(),
        (None, Some(approval)) => Some(Hold::Approval(self::approval(approval, problems))),
        (None, None) => None,
    }
}

fn wait(spec: &JobSpec, wait: &WaitSpec, around: &Surroundings<'_>) -> Result<Option<Hold>, Problem> {
    if let Some(time) = &wait.at {
        return at(spec, wait, time, around).map(Some);
    }
    Ok(match (&wait.duration, &wait.until) {
        (Some(text), _) => Some(Hold::For(positive_ms(text, "/wait/for")?)),
        (None, Some(text)) if text.contains("${{") => Some(Hold::Until(text.clone())),
        (None, Some(text)) => {
            let zone = spec.timezone.as_deref().unwrap_or(around.timezone);
            let zone = compile::zone(zone).map_err(|error| problem(error, "/timezone"))?;
            Some(Hold::Until(instant(text, &zone, "/wait/until")?.to_string()))
        }
        (None, None) => None,
    })
}

/// Reads a time of day, in the zone that is named, that of the workflow, or the usual one.
fn at(spec: &JobSpec, wait: &WaitSpec, time: &str, around: &Surroundings<'_>) -> Result<Hold, Problem> {
    let (place, name) = match &wait.timezone {
        Some(zone) => ("/wait/timezone", zone.as_str()),
        None => ("/timezone", spec.timezone.as_deref().unwrap_or(around.timezone)),
    };
    let zone = compile::zone(name).map_err(|error| problem(error, place))?;
    let wrong = |error: BadTimeOfDay| Problem::new(ErrorCode::ScheduleInstant, error.to_string()).at("/wait/at");
    let time: TimeOfDay = time.parse().map_err(wrong)?;
    Ok(Hold::At(ClockTime { time: time.to_string(), timezone: zone.name().to_owned() }))
}

fn approval(spec: &ApprovalSpec, problems: &mut Vec<Problem>) -> Approval {
    let timeout = spec.timeout.as_deref().map(|text| positive_ms(text, "/approval/timeout"));
    Approval {
        prompt: spec.prompt.clone(),
        from: spec.from.as_ref().map(|from| from.as_slice().to_vec()).unwrap_or_default(),
        timeout_ms: timeout.transpose().or_note(problems).flatten(),
        on_timeout: spec.on_timeout.unwrap_or_default(),
    }
}

/// Writes what a task waits for.
pub(super) fn write(hold: &Hold, task: &mut TaskSpec) {
    task.noop = false;
    match hold {
        Hold::For(ms) => task.wait = Some(WaitSpec { duration: Some(duration_text(*ms)), ..WaitSpec::default() }),
        Hold::Until(text) => task.wait = Some(WaitSpec { until: Some(text.clone()), ..WaitSpec::default() }),
        Hold::At(ClockTime { time, timezone }) => {
            let (at, timezone) = (Some(time.clone()), Some(timezone.clone()));
            task.wait = Some(WaitSpec { at, timezone, ..WaitSpec::default() });
        }
        // What needs it says so.
        Hold::Elsewhere(need) => task.elsewhere = Some(super::elsewhere::write(need)),
        Hold::Approval(approval) => {
            let mut from = approval.from.clone();
            task.approval = Some(ApprovalSpec {
                prompt: approval.prompt.clone(),
                from: match from.len() {
                    0 => None,
                    1 => from.pop().map(OneOrMany::One),
                    _ => Some(OneOrMany::Many(from)),
                },
                timeout: approval.timeout_ms.map(duration_text),
                on_timeout: unless_default(approval.on_timeout),
            });
        }
    }
}
