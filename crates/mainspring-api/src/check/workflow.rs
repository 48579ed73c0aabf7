//! Rules of workflows that need no graph: each task for itself, and the names that it needs.
//!
//! Cycles, durations and expressions are for whoever has the core and the schedule crate.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::name::{name_problem, nearest};
use crate::document::{escape, shorten};
use crate::spec::GROUPS_DEEP_MAX;
use crate::spec::{ElsewhereSpec, NeedSpec, OneOrMany, TaskSpec};
use crate::{ErrorCode, JobSpec, Problem};

/// The most runs of one task of a `matrix`.
const MATRIX_MAX: usize = 10_000;

/// Keys of a task that cannot be defaults: they belong to one task.
pub(super) const OWN_KEYS: [&str; 21] = [
    "description",
    "group",
    "needs",
    "trigger_rule",
    "if",
    "matrix",
    "map",
    "max_parallel",
    "continue_on_error",
    "finally",
    "outputs",
    "run",
    "exec",
    "script",
    "http",
    "handler",
    "noop",
    "wait",
    "approval",
    "workflow",
    "inputs",
];

/// Keys of a job that say nothing of a workflow as a whole.
const POLICIES: [&str; 8] =
    ["timeout", "retries", "retry_delay", "retry_backoff", "retry_max_delay", "retry_jitter", "retry_on", "keep_data"];

/// Checks the tasks of a workflow, and that other jobs have no keys of workflows.
pub(super) fn check_workflow(spec: &JobSpec, problems: &mut Vec<Problem>) {
    if spec.tasks.is_empty() {
        let keys = [
            ("defaults", spec.defaults.is_some()),
            ("groups", !spec.groups.is_empty()),
            ("fail_fast", spec.fail_fast.is_some()),
            ("outputs", !spec.outputs.is_empty()),
        ];
        for (key, is_set) in keys {
            if is_set {
                problems.push(wrong(format!("\"{key}\" has an effect with tasks only"), format!("/{key}")));
            }
        }
        return;
    }
    let written = serde_json::to_value(spec).expect("plain data has a text");
    for key in POLICIES.iter().filter(|key| written.get(**key).is_some()) {
        let problem = wrong(format!("\"{key}\" has no effect beside tasks"), format!("/{key}"));
        problems.push(problem.hint("write it in defaults, or in the tasks"));
    }
    for key in OWN_KEYS.iter().filter(|key| written["defaults"].get(**key).is_some()) {
        problems.push(wrong(format!("\"{key}\" cannot be a default"), format!("/defaults/{key}")));
    }
    let lasting = super::group::lasting(spec);
    for (name, task) in &spec.tasks {
        let place = format!("/tasks/{}", escape(name));
        name_problem(&place, name, problems);
        let found = check_alone(spec, name, task);
        problems.extend(found.into_iter().map(|problem| placed_in_task(&written, name, problem)));
        let who = Needing { kind: "task", name, runs_last: task.finally, lasting: &lasting };
        check_needs(spec, who, task, &place, problems);
        check_elsewhere(who, task.needs.as_ref(), &place, problems);
        check_spread(task, &place, problems);
        check_hold(name, task, &place, problems);
        check_call(task, &written["tasks"][name], &place, problems);
        check_outputs(task, &place, problems);
    }
    super::group::check_groups(spec, &written, &lasting, problems);
    for name in spec.outputs.keys().filter(|name| !is_identifier(name)) {
        problems.push(identifier(name, format!("/outputs/{}", escape(name))));
    }
    check_same_needs(spec, problems);
    let mut said = BTreeSet::new();
    problems.retain(|problem| said.insert((problem.pointer.clone(), problem.message.clone())));
}

/// Checks a task as the job that it would be alone.
fn check_alone(spec: &JobSpec, name: &str, task: &TaskSpec) -> Vec<Problem> {
    let mut found = Vec::new();
    let alone = task.as_job(name, spec);
    if task.wait.is_none() && task.approval.is_none() && task.workflow.is_none() {
        super::job::check_task(&alone, &mut found);
    }
    super::job::check_policies(&alone, &mut found);
    super::job::check_values(&alone, &mut found);
    // An address that is made when the task runs is read then.
    let is_made = task.http.as_ref().is_some_and(|http| http.url.contains("${{"));
    found.retain(|problem| problem.pointer != "/http/url" || !is_made);
    for problem in &mut found {
        // Executors of XXL-JOB execute jobs, and no tasks of workflows.
        problem.message =
            problem.message.replacen("job \"", "task \"", 1).replacen("handler, xxl, noop", "handler, noop", 1);
        if problem.code == ErrorCode::JobNoTask.as_str() {
            problem.message.push_str(", wait, approval, workflow");
        }
    }
    found
}

/// Moves a problem of [a task as a job](TaskSpec::as_job) to where its value was written: in the task, in the defaults of its groups or of
/// the workflow, or at the workflow.
pub fn placed_in_task(workflow: &Value, task: &str, problem: Problem) -> Problem {
    let own = format!("/tasks/{}{}", escape(task), problem.pointer);
    let group = |of: &'_ Value| Some(of.get("group")?.as_str()?.to_owned());
    let around = |name: &String| group(&workflow["groups"][name]);
    let groups = std::iter::successors(group(&workflow["tasks"][task]), around).take(GROUPS_DEEP_MAX);
    let groups = groups.map(|name| format!("/groups/{}/defaults{}", escape(&name), problem.pointer));
    let there = |pointer: &str| !problem.pointer.is_empty() && workflow.pointer(pointer).is_some();
    let mut inherited = groups.chain([format!("/defaults{}", problem.pointer)]);
    let place = if there(&own) {
        own
    } else if let Some(inherited) = inherited.find(|place| there(place)) {
        inherited
    } else if there(&problem.pointer) {
        return problem;
    } else {
        own
    };
    problem.at(place)
}

/// A task or group that needs others.
#[derive(Clone, Copy)]
pub(super) struct Needing<'a> {
    pub(super) kind: &'a str,
    pub(super) name: &'a str,
    /// Whether it runs when all others have ended.
    pub(super) runs_last: bool,
    /// The groups some task of which runs last.
    pub(super) lasting: &'a BTreeSet<&'a str>,
}

/// Checks the names of tasks and groups that a task or group needs.
pub(super) fn check_names<'a>(
    spec: &JobSpec,
    who: Needing<'_>,
    needs: impl Iterator<Item = (String, &'a str)>,
    place: &str,
    problems: &mut Vec<Problem>,
) {
    let Needing { kind, name, runs_last, lasting } = who;
    let mut seen = BTreeSet::new();
    for (pointer, need) in needs {
        let pointer = format!("{place}{pointer}");
        let group = spec.groups.contains_key(need).then(|| lasting.contains(need));
        match spec.tasks.get(need).map(|task| task.finally).or(group) {
            _ if !seen.insert(need) => {
                problems
                    .push(wrong(format!("{kind} \"{}\" needs \"{}\" twice", shorten(name), shorten(need)), pointer));
            }
            None => {
                let message = format!("{kind} \"{}\" needs unknown task \"{}\"", shorten(name), shorten(need));
                let problem = Problem::new(ErrorCode::WorkflowUnknownTask, message).at(pointer);
                let hint = nearest(need, spec.tasks.keys().chain(spec.groups.keys()), problems);
                problems.push(Problem { hint, ..problem });
            }
            Some(true) if !runs_last => {
                let message = format!("\"{}\" runs last, so only tasks that run last can need it", shorten(need));
                problems.push(wrong(message, pointer).hint(format!("add finally: true to \"{}\"", shorten(name))));
            }
            Some(_) => {}
        }
    }
}

fn check_needs(spec: &JobSpec, who: Needing<'_>, task: &TaskSpec, place: &str, problems: &mut Vec<Problem>) {
    check_names(spec, who, task.needs_in_order(), place, problems);
    if task.finally && task.trigger_rule.is_some() {
        let message = "\"trigger_rule\" has no effect with finally: such a task runs however the others ended";
        problems.push(wrong(message, format!("{place}/trigger_rule")));
    }
}

/// The most characters of the name of a task that waits for another workflow.
const NODE_MAX: usize = 255;

/// Checks what a task or group needs of other workflows.
pub(super) fn check_elsewhere(
    who: Needing<'_>,
    needs: Option<&OneOrMany<NeedSpec>>,
    place: &str,
    problems: &mut Vec<Problem>,
) {
    let Needing { kind, name, .. } = who;
    let mut seen = BTreeSet::new();
    for (pointer, need) in NeedSpec::elsewhere(needs) {
        let pointer = format!("{place}{pointer}");
        name_problem(format!("{pointer}/workflow"), &need.workflow, problems);
        if let Some(task) = &need.task {
            name_problem(format!("{pointer}/task"), task, problems);
        }
        if need.at.is_some() && need.offset.is_some() {
            problems.push(wrong("a need takes one of at and offset", format!("{pointer}/offset")));
        }
        let node = need.node();
        if node.len() > NODE_MAX {
            let message = format!("the names of workflow and task have more than {NODE_MAX} characters together");
            problems.push(wrong(message, pointer));
        } else if !seen.insert(node.clone()) {
            problems.push(wrong(format!("{kind} \"{}\" needs \"{node}\" twice", shorten(name)), pointer));
        }
    }
}

/// Checks that all tasks which need the same of another workflow wait for it in the same way: one task waits for all of them.
fn check_same_needs(spec: &JobSpec, problems: &mut Vec<Problem>) {
    let mut seen: BTreeMap<String, &ElsewhereSpec> = BTreeMap::new();
    let tasks = spec.tasks.iter().map(|(name, task)| ("tasks", name, task.needs.as_ref()));
    let groups = spec.groups.iter().map(|(name, group)| ("groups", name, group.needs.as_ref()));
    for (of, name, needs) in tasks.chain(groups) {
        for (pointer, need) in NeedSpec::elsewhere(needs) {
            let node = need.node();
            let first = *seen.entry(node.clone()).or_insert(need);
            if (&first.timeout, first.on_missing) != (&need.timeout, need.on_missing) {
                let message = format!("\"{node}\" is needed by another task with another timeout or on_missing");
                let problem = wrong(message, format!("/{of}/{}{pointer}", escape(name)));
                problems.push(problem.hint("write the same for both"));
            }
        }
    }
}

/// Checks what makes several runs of a task.
fn check_spread(task: &TaskSpec, place: &str, problems: &mut Vec<Problem>) {
    if !task.matrix.is_empty() && task.map.is_some() {
        problems.push(wrong("a task has matrix or map, not both", format!("{place}/map")));
    }
    if task.max_parallel.is_some() && task.matrix.is_empty() && task.map.is_none() {
        problems
            .push(wrong("\"max_parallel\" has an effect with matrix and map only", format!("{place}/max_parallel")));
    }
    for (axis, values) in &task.matrix {
        let pointer = format!("{place}/matrix/{}", escape(axis));
        if !is_identifier(axis) {
            problems.push(identifier(axis, pointer.clone()));
        }
        if values.is_empty() {
            problems.push(wrong("a list of a matrix has at least one value", pointer));
        }
    }
    let runs = task.matrix.values().try_fold(1_usize, |runs, values| runs.checked_mul(values.len().max(1)));
    if runs.is_none_or(|runs| runs > MATRIX_MAX) {
        let count = runs.map_or_else(|| "more than can be counted".to_owned(), |runs| runs.to_string());
        problems.push(wrong(
            format!("the matrix makes {count} runs, and {MATRIX_MAX} are allowed"),
            format!("{place}/matrix"),
        ));
    }
}

/// Checks what waits instead of doing something.
fn check_hold(name: &str, task: &TaskSpec, place: &str, problems: &mut Vec<Problem>) {
    let kinds = [
        ("run", task.run.is_some()),
        ("exec", task.exec.is_some()),
        ("script", task.script.is_some()),
        ("http", task.http.is_some()),
        ("handler", task.handler.is_some()),
        ("noop", task.noop),
        ("wait", task.wait.is_some()),
        ("approval", task.approval.is_some()),
        ("workflow", task.workflow.is_some()),
    ];
    let set: Vec<&str> = kinds.into_iter().filter_map(|(key, is_set)| is_set.then_some(key)).collect();
    let Some(hold) = set.iter().find(|key| ["wait", "approval", "workflow"].contains(key)) else { return };
    if set.len() > 1 {
        let message = format!("task \"{}\" has {}", shorten(name), set.join(" and "));
        let problem = Problem::new(ErrorCode::JobTwoTasks, message).at(format!("{place}/{hold}"));
        problems.push(problem.hint("keep one of them, or make a task of each"));
    }
    for (key, is_set) in [("matrix", !task.matrix.is_empty()), ("map", task.map.is_some())] {
        if is_set && *hold != "workflow" {
            problems.push(wrong(format!("\"{key}\" has no effect with {hold}"), format!("{place}/{key}")));
        }
    }
    if let Some(wait) = &task.wait {
        let set = [&wait.duration, &wait.until, &wait.at].into_iter().flatten().count();
        if set != 1 {
            problems.push(wrong("wait takes one of for, until and at", format!("{place}/wait")));
        }
        if wait.timezone.is_some() && wait.at.is_none() {
            problems.push(wrong("\"timezone\" has an effect with at only", format!("{place}/wait/timezone")));
        }
    }
    if let Some(approval) = &task.approval
        && approval.prompt.trim().is_empty()
    {
        problems.push(wrong("\"prompt\" is empty: say what is to be approved", format!("{place}/approval/prompt")));
    }
}

/// Keys of a task that belong into the workflow that it starts.
const KEYS_OF_CALLED: [&str; 8] =
    ["input", "queue", "routing", "workers", "timeout", "run_timeout", "start_timeout", "on_lost"];

/// Checks what starts another workflow.
fn check_call(task: &TaskSpec, written: &Value, place: &str, problems: &mut Vec<Problem>) {
    let Some(workflow) = &task.workflow else {
        if !task.inputs.is_empty() {
            problems.push(wrong("\"inputs\" has an effect with workflow only", format!("{place}/inputs")));
        }
        return;
    };
    name_problem(format!("{place}/workflow"), workflow, problems);
    for key in KEYS_OF_CALLED.iter().filter(|key| written.get(**key).is_some()) {
        let problem = wrong(format!("\"{key}\" has no effect with workflow"), format!("{place}/{key}"));
        let hint = if *key == "input" { "write inputs" } else { "write it in the workflow that is started" };
        problems.push(problem.hint(hint));
    }
}

fn check_outputs(task: &TaskSpec, place: &str, problems: &mut Vec<Problem>) {
    let mut seen = BTreeSet::new();
    for (index, name) in task.outputs.iter().enumerate() {
        let pointer = format!("{place}/outputs/{index}");
        if !is_identifier(name) {
            problems.push(identifier(name, pointer));
        } else if !seen.insert(name) {
            problems.push(wrong(format!("output \"{name}\" is named twice"), pointer));
        }
    }
}

/// Tells whether a text can follow a dot in an expression.
fn is_identifier(text: &str) -> bool {
    let starts_well = text.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    starts_well && text.len() <= 128 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn identifier(text: &str, pointer: String) -> Problem {
    let problem = wrong(format!("\"{}\" cannot be named in an expression", shorten(text)), pointer);
    problem.hint("write letters, digits and '_', not beginning with a digit")
}

pub(super) fn wrong(message: impl Into<String>, pointer: impl Into<String>) -> Problem {
    Problem::new(ErrorCode::FieldValue, message).at(pointer)
}
