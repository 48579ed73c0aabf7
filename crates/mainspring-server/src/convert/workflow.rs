//! Workflows between job file and definition.

mod elsewhere;
mod groups;
mod hold;
mod texts;
mod written;

use std::borrow::Cow;
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
    let whole = Whole::of(spec, problems);
    let spec = whole.spec();
    let from_groups = groups::from_groups(&whole.named);
    let jobs = read_tasks(spec, around, problems);
    groups::check(spec, |name, task, found| texts::check(spec, name, task, &JobSpec::default(), found), problems);
    texts::check_outputs(spec, problems);
    let places = Places { spec: &whole.named, from_groups: &from_groups };
    let graph = read_graph(spec, &places, around.line, problems)?;
    let runs_last = |name: &str| spec.tasks.get(name).is_some_and(|task| task.finally);
    let disorderly = |task: &TaskSpec| !task.finally && task.needs_in_order().any(|(_, need)| runs_last(need));
    if spec.tasks.values().any(disorderly) {
        return None;
    }
    let tasks = spec.tasks.iter().zip(jobs).zip(graph.tasks());
    let tasks = tasks.map(|(((name, task), job), number)| {
        let from = from_groups.get(name.as_str());
        let joins = spec.groups.get(name).filter(|_| task.joins).map(groups::read);
        let condition = match from {
            Some(from) => from.condition(task.condition.as_ref()),
            None => task.condition.clone(),
        };
        Some(TaskDefinition { condition, joins, ..definition(name, task, job?, graph.parents(number)) })
    });
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

/// A workflow as it is written, with names for all that is needed, and with the tasks that stand for something.
struct Whole<'a> {
    /// With a task for each need of another workflow.
    named: Cow<'a, JobSpec>,
    /// The same with one for each group, if there are groups.
    grouped: Option<JobSpec>,
}

impl<'a> Whole<'a> {
    fn of(spec: &'a JobSpec, problems: &mut Vec<Problem>) -> Self {
        let named = elsewhere::expand(spec, problems);
        let grouped = (!named.groups.is_empty()).then(|| groups::expand(&named));
        Self { named, grouped }
    }

    fn spec(&self) -> &JobSpec {
        self.grouped.as_ref().unwrap_or(&self.named)
    }
}

/// Where things are written of a workflow.
struct Places<'a> {
    spec: &'a JobSpec,
    from_groups: &'a BTreeMap<&'a str, groups::FromGroups<'a>>,
}

fn definition(name: &str, task: &TaskSpec, (job, hold): (Job, Option<Hold>), needs: &[u32]) -> TaskDefinition {
    let matrix = || task.matrix.iter().map(|(axis, values)| (axis.clone(), values.clone())).collect();
    TaskDefinition {
        needs: needs.to_vec(),
        trigger_rule: task.trigger_rule.unwrap_or_default(),
        group: task.group.clone(),
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

fn read_graph(
    spec: &JobSpec,
    places: &Places<'_>,
    line: &dyn Fn(&str) -> Option<u32>,
    problems: &mut Vec<Problem>,
) -> Option<Graph> {
    let names: Vec<&String> = spec.tasks.keys().collect();
    match Graph::new(names.len(), &edges(spec)) {
        Ok(graph) => return Some(graph),
        Err(GraphError::Cycles(cycles)) => {
            problems.extend(cycles.iter().map(|cycle| self::cycle(places, &names, cycle, line)));
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
    let whole = Whole::of(spec, &mut Vec::new());
    let spec = whole.spec();
    let from_groups = groups::from_groups(&whole.named);
    let places = Places { spec: &whole.named, from_groups: &from_groups };
    let graph = shape.graph();
    let name = |task: u32| workflow.tasks[task as usize].name.as_str();
    let roots = spec.tasks.iter().filter(|(_, task)| task.needs.is_none() && !task.finally);
    let idle = roots.filter_map(|(name, task)| {
        let rule = task.trigger_rule.filter(|rule| *rule != workflow::TriggerRule::AllSuccess)?;
        let message = format!("task \"{name}\" needs no other one, so it runs whatever {rule} says");
        Some(Problem::new(ErrorCode::WorkflowRootRule, message).at(places.rule(name)))
    });
    // A group needs each of its tasks, since those that need the group count them.
    let redundant = measure::redundant_edges(graph).into_iter().filter(|(_, task, _)| !shape.rule(*task).group);
    let redundant = redundant.map(|(needed, task, between)| {
        let message = format!("\"{}\" needs \"{}\" already because of \"{}\"", name(task), name(needed), name(between));
        Problem::new(ErrorCode::WorkflowRedundantEdge, message).at(places.need(name(task), name(needed)))
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

fn cycle(places: &Places<'_>, names: &[&String], cycle: &[u32], line: &dyn Fn(&str) -> Option<u32>) -> Problem {
    let tasks: Vec<&str> = cycle.iter().map(|task| names[*task as usize].as_str()).collect();
    let first = tasks[0];
    let last = *tasks.last().expect("a cycle has a task");
    // From the edge that closes it, against the arrows: each task with the one that it needs.
    let edges = std::iter::once((first, last)).chain(tasks.windows(2).rev().map(|pair| (pair[1], pair[0])));
    let told = edges.map(|(task, need)| match line(&places.need(task, need)) {
        Some(line) => format!("{task} needs {need}, line {line}"),
        None => format!("{task} needs {need}"),
    });
    let told = told.collect::<Vec<_>>().join("; ");
    let message = format!("dependency cycle: {} → {first} ({told})", tasks.join(" → "));
    Problem::new(ErrorCode::WorkflowCycle, message).at(places.need(first, last))
}

impl Places<'_> {
    /// Where it is said that a task needs another one: by the task, by a group of it, or, where a group needs its tasks, by that task.
    fn need(&self, task: &str, need: &str) -> String {
        let Some(written) = self.spec.tasks.get(task) else { return format!("{}/group", place(need)) };
        let own = written.needs_in_order().find(|(_, name)| *name == need);
        let own = own.map(|(found, _)| format!("{}{found}", place(task)));
        own.or_else(|| self.from_groups.get(task)?.place(need)).unwrap_or_else(|| place(task))
    }

    /// Where the rule of a task is said.
    fn rule(&self, task: &str) -> String {
        let own = self.spec.tasks.get(task).and_then(|task| task.trigger_rule);
        let first_of = self.from_groups.get(task).into_iter().flat_map(|from| &from.first_of);
        let group = first_of.filter(|_| own.is_none()).find(|(_, group)| group.trigger_rule.is_some());
        format!("{}/trigger_rule", group.map_or_else(|| place(task), |(name, _)| format!("/groups/{name}")))
    }
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
