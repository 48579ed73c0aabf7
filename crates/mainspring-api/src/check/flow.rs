//! Rules of flows that need no graph: each component for itself, and the names that connections use.

use super::name::name_problem;
use crate::document::{escape, shorten};
use crate::spec::{ComponentSpec, FlowMisfire};
use crate::{ErrorCode, FlowSpec, Problem, did_you_mean};

/// Returns everything that is wrong with a flow beyond its shape; pointers begin at the flow. Durations, times and expressions are
/// read by whoever has the schedule crate, and relationships by whoever has the core.
pub fn check_flow(spec: &FlowSpec) -> Vec<Problem> {
    let mut problems = Vec::new();
    name_problem("/flow", &spec.flow, &mut problems);
    if let Some(namespace) = &spec.namespace {
        name_problem("/namespace", namespace, &mut problems);
    }
    if spec.components.is_empty() {
        problems.push(Problem::new(ErrorCode::FlowBody, "a flow needs at least one component").at("/components"));
    }
    for (name, component) in &spec.components {
        let place = format!("/components/{}", escape(name));
        name_problem(&place, name, &mut problems);
        check_component(name, component, &place, &mut problems);
    }
    for (index, connection) in spec.connections.iter().enumerate() {
        for (key, name) in [("from", &connection.from), ("to", &connection.to)] {
            if !spec.components.contains_key(name) {
                let message = format!("there is no component \"{}\"", shorten(name));
                let problem =
                    Problem::new(ErrorCode::FlowUnknownComponent, message).at(format!("/connections/{index}/{key}"));
                let near = did_you_mean(name, spec.components.keys().map(String::as_str));
                problems.push(near.map_or(problem.clone(), |near| problem.hint(near)));
            }
        }
    }
    problems
}

fn check_component(name: &str, it: &ComponentSpec, place: &str, problems: &mut Vec<Problem>) {
    let name = shorten(name);
    let at = |code, message: String, key: &str| Problem::new(code, message).at(format!("{place}{key}"));
    match it.bodies().as_slice() {
        [] => {
            let message = format!("component \"{name}\" needs one of run, exec, generate, log, route, funnel");
            problems.push(at(ErrorCode::FlowBody, message, ""));
        }
        [_] => {}
        [first, second, ..] => {
            let message = format!("component \"{name}\" has {first} and {second}");
            let problem = at(ErrorCode::FlowBody, message, &format!("/{second}"));
            problems.push(problem.hint("keep one of them, or make a component of each"));
        }
    }
    if let [first, second, ..] = it.triggers().as_slice() {
        let message = format!("component \"{name}\" has {first} and {second}, and runs by one of them");
        let hint = "an event-driven component has no schedule: it runs when an item arrives";
        problems.push(at(ErrorCode::FlowTrigger, message, &format!("/{second}")).hint(hint));
    }
    if it.run.as_ref().is_some_and(|line| line.trim().is_empty()) {
        problems.push(at(ErrorCode::FieldValue, "\"run\" is empty".to_owned(), "/run"));
    }
    if it.exec.as_ref().is_some_and(|argv| argv.first().is_none_or(String::is_empty)) {
        problems.push(at(ErrorCode::FieldValue, "\"exec\" is empty".to_owned(), "/exec"));
    }
    let is_process = it.run.is_some() || it.exec.is_some();
    let of_processes =
        [("env", !it.env.is_empty()), ("working_dir", it.working_dir.is_some()), ("timeout", it.timeout.is_some())];
    let of_cron = [
        ("timezone", it.timezone.is_some()),
        ("misfire", it.misfire.is_some()),
        ("on_blocked", it.on_blocked.is_some()),
    ];
    for (keys, applies, with) in [(of_processes, is_process, "run and exec"), (of_cron, it.cron.is_some(), "cron")] {
        for (key, _) in keys.into_iter().filter(|(_, is_set)| *is_set && !applies) {
            problems.push(at(
                ErrorCode::FieldValue,
                format!("\"{key}\" has an effect with {with} only"),
                &format!("/{key}"),
            ));
        }
    }
    if it.misfire_max.is_some() && it.misfire != Some(FlowMisfire::All) {
        let message = "\"misfire_max\" has an effect with misfire: all only".to_owned();
        problems.push(at(ErrorCode::FieldValue, message, "/misfire_max"));
    }
}
