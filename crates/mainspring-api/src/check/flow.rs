//! Rules of flows that need no graph: each component for itself, and the names that connections use.

use super::name::{name_problem, nearest};
use crate::document::{escape, shorten};
use crate::spec::{ComponentSpec, FlowMisfire};
use crate::{ErrorCode, FlowSpec, Problem};

/// The keys of bodies.
const BODIES: [&str; 16] = [
    "run", "exec", "script", "http", "run_job", "handler", "generate", "log", "route", "split", "merge", "wait",
    "funnel", "http_in", "file_in", "file_out",
];

/// The most bytes of an item's payload.
const ITEM_BYTES_MAX: u64 = 64 << 20;

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
                let hint = nearest(name, spec.components.keys(), &problems);
                problems.push(Problem { hint, ..problem });
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
            let message = format!("component \"{name}\" needs one of {}", BODIES.join(", "));
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
    if let Some(script) = &it.script {
        super::script::check(script, &format!("{place}/script"), problems);
    }
    body_parts(it, place, problems);
    let is_process = it.run.is_some() || it.exec.is_some() || it.script.is_some();
    let of_processes =
        [("env", !it.env.is_empty()), ("working_dir", it.working_dir.is_some()), ("timeout", it.timeout.is_some())];
    let of_cron = [
        ("timezone", it.timezone.is_some()),
        ("misfire", it.misfire.is_some()),
        ("on_blocked", it.on_blocked.is_some()),
    ];
    for (keys, applies, with) in
        [(of_processes, is_process, "run, exec and script"), (of_cron, it.cron.is_some(), "cron")]
    {
        for (key, _) in keys.into_iter().filter(|(_, is_set)| *is_set && !applies) {
            problems.push(at(
                ErrorCode::FieldValue,
                format!("\"{key}\" has an effect with {with} only"),
                &format!("/{key}"),
            ));
        }
    }
    if it.batch.is_some() && it.handler.is_none() {
        let message = "\"batch\" has an effect with handler only".to_owned();
        problems.push(at(ErrorCode::FieldValue, message, "/batch"));
    }
    let of_passive = [
        ("schedule", it.schedule.is_some()),
        ("cron", it.cron.is_some()),
        ("concurrency", it.concurrency.is_some()),
        ("pool", it.pool.is_some()),
        ("run_duration", it.run_duration.is_some()),
    ];
    for (key, _) in of_passive.into_iter().filter(|(_, is_set)| *is_set && it.http_in.is_some()) {
        let message = format!("\"{key}\" has no effect with http_in, which has no bodies");
        problems.push(at(ErrorCode::FieldValue, message, &format!("/{key}")));
    }
    if it.misfire_max.is_some() && it.misfire != Some(FlowMisfire::All) {
        let message = "\"misfire_max\" has an effect with misfire: all only".to_owned();
        problems.push(at(ErrorCode::FieldValue, message, "/misfire_max"));
    }
}

/// What a body says of itself, beyond its shape.
fn body_parts(it: &ComponentSpec, place: &str, problems: &mut Vec<Problem>) {
    if let Some(http) = &it.http {
        let mut found = Vec::new();
        super::job::check_http(http, &mut found);
        // What is made for each item is looked at then.
        let is_made = http.url.contains("${{");
        found.retain(|problem| problem.pointer != "/http/url" || !is_made);
        for problem in found {
            let pointer = format!("{place}{}", problem.pointer);
            problems.push(Problem { pointer, ..problem });
        }
    }
    let mut wrong = |key: &str, message: &str| {
        problems.push(Problem::new(ErrorCode::FieldValue, message).at(format!("{place}/{key}")));
    };
    if let Some(split) = &it.split {
        let ways = [split.lines.is_some(), split.separator.is_some(), split.json];
        if ways.into_iter().filter(|is_set| *is_set).count() != 1 {
            wrong("split", "\"split\" takes one of lines, separator and json");
        }
        if split.separator.as_deref() == Some("") {
            wrong("split/separator", "the separator is empty");
        }
        if split.lines == Some(0) {
            wrong("split/lines", "a part has at least one line");
        }
    }
    if let Some(wait) = &it.wait
        && wait.duration.is_some() == wait.until.is_some()
    {
        wrong("wait", "\"wait\" takes one of for and until");
    }
    if let Some(merge) = &it.merge {
        let (min, max) = (merge.min, merge.max.unwrap_or(1_000));
        if min.is_some_and(|min| min > max) {
            wrong("merge/min", "\"min\" is more than \"max\"");
        }
        // What it makes has to be an item.
        let between = merge.separator.as_ref().map_or(1, |text| text.len() as u64) * u64::from(max.saturating_sub(1));
        if merge.max_bytes() + between > ITEM_BYTES_MAX {
            let key = if merge.max_bytes.is_some() { "merge/max_bytes" } else { "merge/separator" };
            wrong(key, "payloads and separators may have more than 67,108,864 bytes together, which no item has");
        }
    }
    if it.script.as_ref().is_some_and(|script| script.xxl_args) {
        wrong("script/xxl_args", "\"xxl_args\" is for jobs: a component has no parameter");
    }
    let folders = [
        ("file_in/folder", it.file_in.as_ref().map(|it| it.folder.as_str())),
        ("file_in/move_to", it.file_in.as_ref().and_then(|it| it.move_to.as_deref())),
        ("file_out/folder", it.file_out.as_ref().map(|it| it.folder.as_str())),
    ];
    for (key, _) in folders.into_iter().filter(|(_, folder)| folder.is_some_and(|folder| !folder.starts_with('/'))) {
        wrong(key, "a folder is an absolute path, as where a server stands is no part of a flow");
    }
    if it.file_out.as_ref().is_some_and(|it| it.name.trim().is_empty()) {
        wrong("file_out/name", "the name is empty");
    }
    for (key, name) in [("run_job", &it.run_job), ("handler", &it.handler)] {
        if name.as_ref().is_some_and(|name| name.trim().is_empty()) {
            wrong(key, "the name is empty");
        }
    }
}
