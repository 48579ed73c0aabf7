//! What a schema cannot say about jobs and calendars: exactly one task, names that fit, policies that agree.
//!
//! Durations, zones, instants, times of day, dates and cron expressions are not read here: whoever has the
//! schedule crate does that afterwards, and points its problems at the same places.

use std::collections::HashMap;

use crate::{Bundle, CalendarSpec, ErrorCode, JobSpec, Problem};

mod after;
pub(crate) mod alert;
mod flow;
mod group;
mod job;
mod name;
mod script;
mod trigger;
mod workflow;
mod xxl;

pub use alert::{check_alert_channel, check_alert_rule};
pub use flow::check_flow;
pub use name::is_valid_name;
use name::name_problem;
pub use trigger::check_trigger;
pub use workflow::placed_in_task;

/// Returns everything that is wrong with a job beyond its shape; pointers begin at the job.
///
/// ```
/// let spec: mainspring_api::JobSpec = serde_json::from_str(r#"{"name": "a/b"}"#)?;
/// let codes: Vec<_> = mainspring_api::check_job(&spec).into_iter().map(|problem| problem.code).collect();
/// assert_eq!(codes, ["name.invalid", "job.no_task"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn check_job(spec: &JobSpec) -> Vec<Problem> {
    let mut problems = Vec::new();
    name_problem("/name", &spec.name, &mut problems);
    if let Some(namespace) = &spec.namespace {
        name_problem("/namespace", namespace, &mut problems);
    }
    job::check_task(spec, &mut problems);
    job::check_policies(spec, &mut problems);
    job::check_values(spec, &mut problems);
    trigger::check_triggers(spec, &mut problems);
    workflow::check_workflow(spec, &mut problems);
    alert::check_alerts(&spec.alerts, &mut problems);
    problems
}

/// Returns everything that is wrong with a calendar beyond its shape; pointers begin at the calendar.
pub fn check_calendar(spec: &CalendarSpec) -> Vec<Problem> {
    let mut problems = Vec::new();
    name_problem("/name", &spec.name, &mut problems);
    for (pointer, name) in [("/namespace", &spec.namespace), ("/base", &spec.base)] {
        if let Some(name) = name {
            name_problem(pointer, name, &mut problems);
        }
    }
    let kinds: Vec<_> = spec.kinds().collect();
    match kinds.as_slice() {
        [] => problems.push(Problem::new(
            ErrorCode::CalendarNoKind,
            format!("calendar \"{}\" needs one of annual, cron, daily, holiday, monthly, weekly", spec.name),
        )),
        [_] => {}
        [_, second, ..] => problems.push(
            Problem::new(
                ErrorCode::CalendarTwoKinds,
                format!("calendar \"{}\" has {}", spec.name, kinds.join(" and ")),
            )
            .at(format!("/{second}"))
            .hint("make a second calendar and name it as base"),
        ),
    }
    let days = spec.monthly.iter().flat_map(|days| days.places("/monthly"));
    for (pointer, day) in days.filter(|(_, day)| !(1..=31).contains(*day)) {
        let message = format!("\"monthly\" has {day}, not within 1 to 31");
        problems.push(Problem::new(ErrorCode::FieldValue, message).at(pointer));
    }
    if spec.base.as_deref() == Some(&spec.name) {
        problems.push(
            Problem::new(ErrorCode::CalendarCycle, format!("calendar \"{}\" is its own base", spec.name)).at("/base"),
        );
    }
    problems
}

/// Returns everything that is wrong with a bundle beyond its shape; pointers begin at the bundle.
pub fn check_bundle(bundle: &Bundle) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some(namespace) = &bundle.namespace {
        name_problem("/namespace", namespace, &mut problems);
    }
    for (index, namespace) in bundle.namespaces.iter().enumerate() {
        name_problem(format!("/namespaces/{index}"), namespace, &mut problems);
    }
    for (index, calendar) in bundle.calendars.iter().enumerate() {
        problems.extend(check_calendar(calendar).into_iter().map(|found| under(format!("/calendars/{index}"), found)));
    }
    for (index, job) in bundle.jobs.iter().enumerate() {
        problems.extend(check_job(job).into_iter().map(|found| under(format!("/jobs/{index}"), found)));
    }
    problems.extend(duplicates(bundle));
    problems
}

/// Moves the pointer of a problem under that of the item it was found in.
pub(crate) fn under(mut pointer: String, problem: Problem) -> Problem {
    pointer.push_str(&problem.pointer);
    problem.at(pointer)
}

/// Returns a problem for each item whose name an earlier item has.
pub(crate) fn duplicates(bundle: &Bundle) -> Vec<Problem> {
    let mut seen = HashMap::new();
    let calendars = bundle.calendars.iter().map(|item| ("calendar", &item.namespace, &item.name)).enumerate();
    let jobs = bundle.jobs.iter().map(|item| ("job", &item.namespace, &item.name)).enumerate();
    let mut problems = Vec::new();
    for (index, (kind, namespace, name)) in calendars.chain(jobs) {
        let namespace = namespace.as_ref().or(bundle.namespace.as_ref());
        if seen.insert((kind, namespace, name), index).is_some() {
            let message = format!("{kind} \"{name}\" is defined twice");
            problems.push(Problem::new(ErrorCode::NameDuplicate, message).at(format!("/{kind}s/{index}/name")));
        }
    }
    problems
}
