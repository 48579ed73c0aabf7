//! Rules of triggers that come after jobs.

use std::collections::HashSet;

use super::name::name_problem;
use crate::{ErrorCode, Problem, TriggerSpec};

/// Jobs that one trigger may come after.
const JOBS_MAX: usize = 100;

/// Checks a trigger of this kind: which jobs it names, and that it says nothing about times.
pub(super) fn check(place: &str, trigger: &TriggerSpec, problems: &mut Vec<Problem>) {
    let times = [
        ("timezone", trigger.timezone.is_some()),
        ("start_at", trigger.start_at.is_some()),
        ("end_at", trigger.end_at.is_some()),
        ("calendar", trigger.calendar.is_some()),
        ("misfire", trigger.misfire.is_some()),
        ("misfire_threshold", trigger.misfire_threshold.is_some()),
        ("jitter", trigger.jitter.is_some()),
        ("semantics", trigger.semantics.is_some()),
        ("repeat_count", trigger.repeat_count.is_some()),
    ];
    for (key, _) in times.into_iter().filter(|(_, set)| *set) {
        let message = format!("\"{key}\" has no effect with after");
        let hint = "remove it: the trigger has no times of its own";
        problems.push(Problem::new(ErrorCode::FieldValue, message).at(format!("{place}/{key}")).hint(hint));
    }
    let Some(jobs) = &trigger.after else { return };
    let count = jobs.as_slice().len();
    if count == 0 {
        problems.push(Problem::new(ErrorCode::FieldValue, "\"after\" names no job").at(format!("{place}/after")));
    }
    if count > JOBS_MAX {
        let message = format!("\"after\" names {count} jobs, and {JOBS_MAX} are allowed");
        problems.push(Problem::new(ErrorCode::FieldTooMany, message).at(format!("{place}/after")));
    }
    let mut seen = HashSet::new();
    for (place, name) in jobs.places(&format!("{place}/after")) {
        if name.contains('/') {
            let message = format!("\"after\" names {name:?}, and takes jobs of the same namespace only");
            let hint = "write the name without a namespace";
            problems.push(Problem::new(ErrorCode::NameInvalid, message).at(place).hint(hint));
        } else if seen.insert(name) {
            name_problem(place, name, problems);
        } else {
            let message = format!("\"after\" names job \"{name}\" twice");
            problems.push(Problem::new(ErrorCode::NameDuplicate, message).at(place));
        }
    }
}
