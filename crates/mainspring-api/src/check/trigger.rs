//! Rules of triggers.

use std::collections::HashSet;

use super::{after, name::name_problem};
use crate::{ErrorCode, JobSpec, Misfire, Problem, TriggerKind, TriggerSpec};

/// Checks the triggers of a job: one way to write them, one kind each, names that differ.
pub(super) fn check_triggers(spec: &JobSpec, problems: &mut Vec<Problem>) {
    if spec.schedule.is_some() && !spec.triggers.is_empty() {
        problems.push(
            Problem::new(ErrorCode::JobTwoSchedules, format!("job \"{}\" has both schedule and triggers", spec.name))
                .at("/triggers")
                .hint("move what schedule says into triggers"),
        );
    }
    if let Some(calendar) = &spec.calendar {
        name_problem("/calendar", calendar, problems);
    }
    let mut names = HashSet::new();
    for (place, trigger) in spec.triggers_as_written() {
        check_trigger_at(&place, &trigger, spec.misfire, problems);
        let given = spec.check_given(trigger.input.as_ref()).into_iter();
        problems.extend(given.map(|problem| Problem { pointer: format!("{place}{}", problem.pointer), ..problem }));
        match &trigger.name {
            None if place.starts_with("/triggers") => {
                let message = "key \"name\" is missing: entries of triggers have names";
                problems.push(Problem::new(ErrorCode::FieldMissing, message).at(place));
            }
            Some(name) if !names.insert(name.clone()) => {
                let message = format!("trigger \"{name}\" is defined twice in job \"{}\"", spec.name);
                problems.push(Problem::new(ErrorCode::NameDuplicate, message).at(format!("{place}/name")));
            }
            _ => {}
        }
    }
}

/// Returns everything that is wrong with a trigger beyond its shape; pointers begin at the trigger.
pub fn check_trigger(trigger: &TriggerSpec) -> Vec<Problem> {
    let mut problems = Vec::new();
    check_trigger_at("", trigger, None, &mut problems);
    problems
}

fn check_trigger_at(place: &str, trigger: &TriggerSpec, default_misfire: Option<Misfire>, problems: &mut Vec<Problem>) {
    for (key, name) in [("name", &trigger.name), ("calendar", &trigger.calendar)] {
        if let Some(name) = name {
            name_problem(format!("{place}/{key}"), name, problems);
        }
    }
    if trigger.calendar_interval.as_ref().is_some_and(|interval| interval.skip_missing_hour && !interval.preserve_hour)
    {
        problems.push(
            Problem::new(ErrorCode::FieldValue, "\"skip_missing_hour\" has an effect with preserve_hour only")
                .at(format!("{place}/calendar_interval/skip_missing_hour")),
        );
    }
    let Some(kind) = the_kind(place, trigger, problems) else {
        return;
    };
    if trigger.on.is_some() && kind != TriggerKind::After {
        let message = format!("\"on\" has no effect with {}", kind.as_str());
        problems
            .push(Problem::new(ErrorCode::FieldValue, message).at(format!("{place}/on")).hint("it goes with after"));
    }
    if kind == TriggerKind::After {
        return after::check(place, trigger, problems);
    }
    if trigger.repeat_count.is_some() && !matches!(kind, TriggerKind::Every | TriggerKind::DailyWindow) {
        let message = format!("\"repeat_count\" has no effect with {}", kind.as_str());
        let hint = "it counts for every and daily_window";
        problems.push(Problem::new(ErrorCode::FieldValue, message).at(format!("{place}/repeat_count")).hint(hint));
    }
    let (misfire, misfire_place) = match trigger.misfire {
        Some(own) => (own, format!("{place}/misfire")),
        None => (default_misfire.unwrap_or_default(), "/misfire".to_owned()),
    };
    if !misfire.fits(kind) {
        let message = format!("misfire policy {} does not fit a trigger of kind {}", misfire.as_str(), kind.as_str());
        let fitting: Vec<_> =
            Misfire::ALL.iter().filter(|policy| policy.fits(kind)).map(|policy| policy.as_str()).collect();
        let problem = Problem::new(ErrorCode::ScheduleMisfire, message).at(misfire_place);
        problems.push(problem.hint(format!("one of {} fits", fitting.join(", "))));
    }
}

fn the_kind(place: &str, trigger: &TriggerSpec, problems: &mut Vec<Problem>) -> Option<TriggerKind> {
    let kinds: Vec<_> = trigger.kinds().map(TriggerKind::as_str).collect();
    match kinds.as_slice() {
        [] => {
            let names: Vec<_> = TriggerKind::ALL.iter().map(|kind| kind.as_str()).collect();
            let message = format!("a trigger needs one of {}", names.join(", "));
            problems.push(Problem::new(ErrorCode::TriggerNoKind, message).at(place));
        }
        [_] => {}
        [_, second, ..] => problems.push(
            Problem::new(ErrorCode::TriggerTwoKinds, format!("a trigger has {}", kinds.join(" and ")))
                .at(format!("{place}/{second}"))
                .hint("make a list with a trigger of each"),
        ),
    }
    trigger.kind()
}
