//! Flows from flow files to what is kept.

mod body;

use mainspring_api::{
    ComponentSpec, ConnectionSpec, ErrorCode, FlowMisfire, FlowPlacement, FlowRetryMode, FlowSpec, MergeSpec,
    OnBlocked, OneOrMany, Problem, RetrySpec,
};
use mainspring_core::compile;
use mainspring_core::flow::{
    self, Body, Component, Connection, Cron, Definition, Flow, FlowProblem, InputRequirement, Part, Place, Retry,
    RetryMode, Trigger,
};
use mainspring_schedule::{Dialect, Semantics, Timestamp};

use super::texts::duration_ms;
use super::{code_of, problem, under, with_checked};

/// A flow that was read.
#[derive(Clone, Debug)]
pub struct CompiledFlow {
    /// As it is kept.
    pub definition: Definition,
    /// As it runs.
    pub flow: Flow,
    /// What is allowed and probably not meant, with pointers that begin at the flow.
    pub warnings: Vec<Problem>,
}

/// How many items a merge takes if nothing is said.
const MERGED: u32 = 1_000;
/// Components of a circle that are named.
const MEMBERS_MAX: usize = 20;
/// The longest text that is told of an expression.
const NEVER: &str = "the expression matches no time any more";

/// Reads a flow: names, durations, times, expressions, relationships, and what each kind of component needs. Times of components
/// that name no zone are read in `timezone`.
///
/// # Errors
/// Everything that is wrong, with pointers that begin at the flow.
pub fn flow(spec: &FlowSpec, timezone: &str, now: Timestamp) -> Result<CompiledFlow, Vec<Problem>> {
    let checked = mainspring_api::check_flow(spec);
    let mut problems = Vec::new();
    let parts: Vec<Part> = spec.components.iter().map(|(name, it)| part(name, it, timezone, &mut problems)).collect();
    let names: Vec<&str> = spec.components.keys().map(String::as_str).collect();
    let place = |name: &str| names.binary_search(&name).ok();
    let mut connections = Vec::new();
    for (index, it) in spec.connections.iter().enumerate() {
        let read = connection(it, &format!("/connections/{index}"), &mut problems);
        if let Some((from, to)) = place(&it.from).zip(place(&it.to)) {
            connections.push(Connection { from, to, ..read });
        }
    }
    let definition = Definition { parts, connections };
    // What the graph lacks shows only where every connection could be read.
    let is_whole = definition.connections.len() == spec.connections.len() && checked.is_empty();
    let compiled = definition.compile();
    if let (true, Err(found)) = (is_whole, &compiled) {
        problems.extend(found.iter().map(|found| located(&names, found)));
    }
    with_checked(checked, problems)?;
    let flow = compiled.expect("a flow in which nothing is wrong has a graph");
    let warnings = warnings(&names, &flow, now);
    Ok(CompiledFlow { definition, flow, warnings })
}

fn warnings(names: &[&str], flow: &Flow, now: Timestamp) -> Vec<Problem> {
    let circle = |cycle: &Vec<usize>| {
        let members: Vec<&str> = cycle.iter().take(MEMBERS_MAX).map(|component| names[*component]).collect();
        let more = cycle.len() - members.len();
        let others = if more > 0 { format!(" and {more} more") } else { String::new() };
        let message = format!("{}{others} pass items in a circle", members.join(", "));
        Problem::new(ErrorCode::FlowCycle, message).at(format!("/components/{}", names[cycle[0]]))
    };
    let over = flow.components().iter().filter_map(|it| match &it.trigger {
        Trigger::Cron(cron) if cron.next_after(now).is_none() => {
            let warning =
                Problem::new(ErrorCode::ScheduleNever, format!("component \"{}\" never runs: {NEVER}", it.name));
            Some(warning.at(format!("/components/{}/cron", it.name)))
        }
        _ => None,
    });
    flow.cycles().iter().map(circle).chain(over).collect()
}

fn part(name: &str, it: &ComponentSpec, timezone: &str, problems: &mut Vec<Problem>) -> Part {
    let mut found = Vec::new();
    let body = body::body(it, &mut found);
    let mut ms = |text: &Option<String>, key: &str, default: i64| match text {
        Some(text) => duration_ms(text, key).unwrap_or_else(|problem| {
            found.push(problem);
            default
        }),
        None => default,
    };
    let none = Component::new(name);
    let component = Component {
        concurrency: it.concurrency.unwrap_or(1),
        pool: it.pool.clone(),
        trigger_when_empty: it.trigger_when_empty,
        serial: it.serial,
        any_destination: it.any_destination,
        input: match body {
            Body::Generate { .. } | Body::FileIn(_) | Body::HttpIn { .. } => InputRequirement::Forbidden,
            Body::Log { .. }
            | Body::Route { .. }
            | Body::Funnel
            | Body::Split(_)
            | Body::Merge(_)
            | Body::Wait(_)
            | Body::FileOut(_)
            | Body::RunJob { .. } => InputRequirement::Required,
            Body::Process(_) | Body::Http(_) | Body::Handler { .. } => InputRequirement::Allowed,
        },
        is_funnel: body == Body::Funnel,
        is_passive: matches!(body, Body::HttpIn { .. }),
        batch: match (&it.merge, it.batch) {
            (Some(merge), _) => merge.max.unwrap_or(MERGED) as usize,
            (None, Some(batch)) => batch as usize,
            (None, None) if body == Body::Funnel => flow::FUNNEL_BATCH,
            (None, None) => 1,
        },
        batch_bytes: it.merge.as_ref().map_or(0, MergeSpec::max_bytes),
        gather: it.merge.as_ref().map_or(1, |it| it.min.or(it.max).unwrap_or(MERGED) as usize),
        gather_ms: it.merge.as_ref().map_or(0, |it| ms(&it.within, "/merge/within", 1_000)),
        yield_ms: ms(&it.yield_for, "/yield", none.yield_ms),
        penalty_ms: ms(&it.penalty, "/penalty", none.penalty_ms),
        admin_yield_ms: ms(&it.admin_yield, "/admin_yield", none.admin_yield_ms),
        run_duration_ms: ms(&it.run_duration, "/run_duration", 0),
        placement: match it.placement.unwrap_or_default() {
            FlowPlacement::One => flow::Placement::One,
            FlowPlacement::Leader => flow::Placement::Leader,
            FlowPlacement::EveryNode => flow::Placement::EveryNode,
        },
        relationships: body.relationships(),
        ended: it.end.iter().flat_map(OneOrMany::as_slice).cloned().collect(),
        ..none
    };
    let component = Component {
        trigger: trigger(it, timezone, &mut found),
        retry: it.retry.as_ref().map(|it| retry(it, &mut found)).unwrap_or_default(),
        ..component
    };
    problems.extend(found.into_iter().map(|found| under(&format!("/components/{}", escaped(name)), found)));
    Part { component, body }
}

fn trigger(it: &ComponentSpec, timezone: &str, problems: &mut Vec<Problem>) -> Trigger {
    if let Some(Err(wrong)) = it.timeout.as_deref().map(|text| duration_ms(text, "/timeout")) {
        problems.push(wrong);
    }
    if it.event {
        return Trigger::Event;
    }
    let Some(text) = &it.cron else {
        let read = it.schedule.as_deref().map(|text| duration_ms(text, "/schedule")).transpose();
        let run_schedule_ms = read.unwrap_or_else(|problem| {
            problems.push(problem);
            None
        });
        return Trigger::Timer { run_schedule_ms: run_schedule_ms.unwrap_or(0) };
    };
    let zone = compile::zone(it.timezone.as_deref().unwrap_or(timezone)).map_err(|error| problem(error, "/timezone"));
    let expression = mainspring_schedule::Cron::parse(text, Dialect::Quartz, Semantics::Standard)
        .map_err(|error| Problem::new(code_of("cron."), error.to_string()).at("/cron"));
    let misfire = match it.misfire.unwrap_or_default() {
        FlowMisfire::Skip => flow::Misfire::Skip,
        FlowMisfire::Once => flow::Misfire::Once,
        FlowMisfire::All => flow::Misfire::All(it.misfire_max.unwrap_or(100)),
    };
    let on_blocked = match it.on_blocked.unwrap_or_default() {
        OnBlocked::Skip => flow::OnBlocked::Skip,
        OnBlocked::Defer => flow::OnBlocked::Defer,
    };
    match (expression, zone) {
        (Ok(expression), Ok(zone)) => Trigger::Cron(Box::new(Cron { expression, zone, misfire, on_blocked })),
        (expression, zone) => {
            problems.extend(expression.err().into_iter().chain(zone.err()));
            Trigger::Timer { run_schedule_ms: 0 }
        }
    }
}

fn retry(it: &RetrySpec, problems: &mut Vec<Problem>) -> Retry {
    let none = Retry::default();
    let max_backoff = it.max_backoff.as_deref().map(|text| duration_ms(text, "/retry/max_backoff")).transpose();
    Retry {
        relationships: it.relationships.as_slice().iter().cloned().collect(),
        max: it.max.unwrap_or(none.max),
        mode: match it.mode.unwrap_or_default() {
            FlowRetryMode::Penalize => RetryMode::Penalize,
            FlowRetryMode::Yield => RetryMode::Yield,
        },
        max_backoff_ms: max_backoff
            .unwrap_or_else(|problem| {
                problems.push(problem);
                None
            })
            .unwrap_or(none.max_backoff_ms),
    }
}

/// Reads a connection; its ends are found by name.
fn connection(it: &ConnectionSpec, place: &str, problems: &mut Vec<Problem>) -> Connection {
    let none = Connection::new(0, 0);
    let expire_after = it.expire_after.as_deref().map(|text| duration_ms(text, "/expire_after")).transpose();
    Connection {
        relationships: it.relationships.as_ref().map_or(none.relationships, |it| it.as_slice().to_vec()),
        max_items: it.max_items.unwrap_or(none.max_items),
        max_bytes: it.max_bytes.unwrap_or(none.max_bytes),
        expire_after_ms: expire_after
            .unwrap_or_else(|found| {
                problems.push(under(place, found));
                None
            })
            .unwrap_or(0),
        prioritizers: it.prioritizers.iter().map(|it| prioritizer(*it)).collect(),
        ..none
    }
}

const fn prioritizer(it: mainspring_api::Prioritizer) -> flow::Prioritizer {
    match it {
        mainspring_api::Prioritizer::Fifo => flow::Prioritizer::Fifo,
        mainspring_api::Prioritizer::Newest => flow::Prioritizer::Newest,
        mainspring_api::Prioritizer::Oldest => flow::Prioritizer::Oldest,
        mainspring_api::Prioritizer::Priority => flow::Prioritizer::Priority,
    }
}

/// Points a problem of the graph at the file.
fn located(names: &[&str], found: &FlowProblem) -> Problem {
    let code = match found {
        FlowProblem::EventWithoutInput { .. } | FlowProblem::EventUnsupported { .. } => ErrorCode::FlowTrigger,
        FlowProblem::NoConcurrency { .. } | FlowProblem::SerialConcurrency { .. } => ErrorCode::FlowConcurrency,
        FlowProblem::InputMissing { .. } | FlowProblem::InputForbidden { .. } | FlowProblem::LeaderWithInput { .. } => {
            ErrorCode::FlowInput
        }
        FlowProblem::OneNodeOnly { .. } => ErrorCode::FlowPlacement,
        FlowProblem::Loose { .. } | FlowProblem::EndedAndConnected { .. } | FlowProblem::NoRelationship { .. } => {
            ErrorCode::FlowRelationship
        }
    };
    let key = |key: &str| if key.is_empty() { String::new() } else { format!("/{key}") };
    let pointer = match found.place() {
        Place::Component(index, field) => {
            format!("/components/{}{}", escaped(names[index]), key(field))
        }
        Place::Connection(index, field) => format!("/connections/{index}{}", key(field)),
    };
    Problem::new(code, found.to_string()).at(pointer)
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
