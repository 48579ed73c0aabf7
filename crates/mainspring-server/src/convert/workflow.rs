//! Workflows between job file and definition.

mod elsewhere;
mod hold;
mod texts;
mod written;

use std::collections::{BTreeMap, BTreeSet};

use mainspring_api::{ErrorCode, FailFast, FailFastWord, JobSpec, Problem, TaskSpec, placed_in_task};
use mainspring_core::job::Job;
use mainspring_core::workflow::{self, Call, Graph, GraphError, Hold, Spread, TaskDefinition, Workflow, measure};

use super::{Surroundings, job};

pub(super) use written::write;

/// Reads the tasks of a workflow. Nothing if they make none.
///
/// What [`mainspring_api::check_job`] finds is not found here.
pub(super) fn read(spec: &JobSpec, around: &Surroundings<'_>, problems: &mut Vec<Problem>) -> Option<Workflow> {
    let spec = &*elsewhere::expand(spec, problems);
    let jobs = read_tasks(spec, around, problems);
    texts::check_outputs(spec, problems);
    let graph = read_graph(spec, around.line, problems)?;
    let runs_last = |name: &str| spec.tasks.get(name).is_some_and(|task| task.finally);
    let disorderly = |task: &TaskSpec| !task.finally && task.needs_in_order().any(|(_, need)| runs_last(need));
    if spec.tasks.values().any(disorderly) {
        return None;
    }
    let tasks = spec.tasks.iter().zip(jobs).zip(graph.tasks());
    let tasks = tasks.map(|(((name, task), job), number)| Some(definition(name, task, job?, graph.parents(number))));
    Some(Workflow {
        tasks: tasks.collect::<Option<_>>()?,
        fail_fast: fail_fast(spec),
        outputs: spec.outputs.clone(),
        defaults: spec
            .defaults
            .as_ref()
            .map(|it| serde_json::to_value(it).expect("plain data has a text"))
            .unwrap_or_default(),
    })
}

fn definition(name: &str, task: &TaskSpec, (job, hold): (Job, Option<Hold>), needs: &[u32]) -> TaskDefinition {
    let matrix = || task.matrix.iter().map(|(axis, values)| (axis.clone(), values.clone())).collect();
    TaskDefinition {
        needs: needs.to_vec(),
        trigger_rule: task.trigger_rule.unwrap_or_default(),
        condition: task.condition.clone(),
        spread: match &task.map {
            Some(list) => Some(Spread::Map(list.clone())),
            None => (!task.matrix.is_empty()).then(|| Spread::Matrix(matrix())),
        },
        hold,
        call: task
            .workflow
            .as_ref()
            .map(|workflow| Call { workflow: workflow.clone(), inputs: task.inputs.clone().into_iter().collect() }),
        max_parallel: task.max_parallel,
        continue_on_error: task.continue_on_error,
        finally: task.finally,
        outputs: task.outputs.clone(),
        ..TaskDefinition::new(name, job)
    }
}

fn read_graph(spec: &JobSpec, line: &dyn Fn(&str) -> Option<u32>, problems: &mut Vec<Problem>) -> Option<Graph> {
    let names: Vec<&String> = spec.tasks.keys().collect();
    match Graph::new(names.len(), &edges(spec)) {
        Ok(graph) => return Some(graph),
        Err(GraphError::Cycles(cycles)) => {
            problems.extend(cycles.iter().map(|cycle| self::cycle(spec, &names, cycle, line)));
        }
        Err(error) => {
            problems.push(Problem::new(ErrorCode::WorkflowTooLarge, error.to_string()).at("/tasks"));
        }
    }
    None
}

/// What a workflow may say and probably does not mean, with pointers that begin at the job.
pub(super) fn warnings(spec: &JobSpec, workflow: &Workflow) -> Vec<Problem> {
    let Ok(shape) = workflow.shape() else { return Vec::new() };
    let spec = &*elsewhere::expand(spec, &mut Vec::new());
    let graph = shape.graph();
    let name = |task: u32| workflow.tasks[task as usize].name.as_str();
    let roots = spec.tasks.iter().filter(|(_, task)| task.needs.is_none() && !task.finally);
    let idle = roots.filter_map(|(name, task)| {
        let rule = task.trigger_rule.filter(|rule| *rule != workflow::TriggerRule::AllSuccess)?;
        let message = format!("task \"{name}\" needs no other one, so it runs whatever {rule} says");
        Some(Problem::new(ErrorCode::WorkflowRootRule, message).at(format!("{}/trigger_rule", place(name))))
    });
    let redundant = measure::redundant_edges(graph).into_iter().map(|(needed, task, between)| {
        let message = format!("\"{}\" needs \"{}\" already because of \"{}\"", name(task), name(needed), name(between));
        Problem::new(ErrorCode::WorkflowRedundantEdge, message).at(need_place(spec, name(task), name(needed)))
    });
    idle.chain(redundant).chain(texts::shell_lines(spec)).collect()
}

/// Reads each task as the job that it would be alone, and its expressions. They have the key of the workflow.
fn read_tasks(
    spec: &JobSpec,
    around: &Surroundings<'_>,
    problems: &mut Vec<Problem>,
) -> Vec<Option<(Job, Option<Hold>)>> {
    let written = serde_json::to_value(spec).expect("plain data has a text");
    let mut said = BTreeSet::new();
    let mut jobs = Vec::with_capacity(spec.tasks.len());
    for (name, task) in &spec.tasks {
        let alone = JobSpec { name: spec.name.clone(), ..task.as_job(name, spec) };
        let (job, mut found) = match job::read_job(&alone, around) {
            Ok(job) => (Some(job), Vec::new()),
            Err(found) => (None, found),
        };
        let hold = hold::read(spec, task, around, &mut found);
        jobs.push(job.map(|job| (job, hold)));
        texts::check(spec, name, task, &alone, &mut found);
        let found = found.into_iter().map(|problem| placed_in_task(&written, name, problem));
        problems.extend(found.filter(|problem| said.insert((problem.pointer.clone(), problem.message.clone()))));
    }
    jobs
}

/// The edges between tasks that exist.
fn edges(spec: &JobSpec) -> Vec<(u32, u32)> {
    let numbers: BTreeMap<&str, u32> = spec.tasks.keys().map(String::as_str).zip(0..).collect();
    let tasks = spec.tasks.values().zip(0..);
    let needs = tasks.flat_map(|(task, number)| task.needs_in_order().map(move |(_, need)| (need, number)));
    needs.filter_map(|(need, number)| Some((*numbers.get(need)?, number))).collect()
}

fn cycle(spec: &JobSpec, names: &[&String], cycle: &[u32], line: &dyn Fn(&str) -> Option<u32>) -> Problem {
    let tasks: Vec<&str> = cycle.iter().map(|task| names[*task as usize].as_str()).collect();
    let first = tasks[0];
    let last = *tasks.last().expect("a cycle has a task");
    // From the edge that closes it, against the arrows: each task with the one that it needs.
    let edges = std::iter::once((first, last)).chain(tasks.windows(2).rev().map(|pair| (pair[1], pair[0])));
    let told = edges.map(|(task, need)| match line(&need_place(spec, task, need)) {
        Some(line) => format!("{task} needs {need}, line {line}"),
        None => format!("{task} needs {need}"),
    });
    let told = told.collect::<Vec<_>>().join("; ");
    let message = format!("dependency cycle: {} → {first} ({told})", tasks.join(" → "));
    Problem::new(ErrorCode::WorkflowCycle, message).at(need_place(spec, first, last))
}

/// Where a task says that it needs another one.
fn need_place(spec: &JobSpec, task: &str, need: &str) -> String {
    let found = spec.tasks[task].needs_in_order().find(|(_, name)| *name == need);
    format!("{}{}", place(task), found.map(|(place, _)| place).unwrap_or_default())
}

fn place(task: &str) -> String {
    format!("/tasks/{task}")
}

fn fail_fast(spec: &JobSpec) -> workflow::FailFast {
    match spec.fail_fast {
        None | Some(FailFast::Start(false) | FailFast::Word(FailFastWord::Off)) => workflow::FailFast::Off,
        Some(FailFast::Start(true)) => workflow::FailFast::True,
        Some(FailFast::Word(FailFastWord::Cancel)) => workflow::FailFast::Cancel,
    }
}
