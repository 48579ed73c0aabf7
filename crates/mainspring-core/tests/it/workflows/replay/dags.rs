//! Whole graphs: how each task and the run ends.
//!
//! Airflow's branches and short-circuits become conditions of the tasks below, as an import writes them.

use std::collections::BTreeMap;

use mainspring_core::run::Verdict;
use mainspring_core::workflow::{End, FailFast, Graph, Progress, Shape, TaskRule, TaskState, TriggerRule, downstream};
use serde_json::Value;

use super::{Difference, rules, same, state, text, texts, word};

struct Task<'a> {
    id: &'a str,
    needs: Vec<u32>,
    rule: TriggerRule,
    does: &'a str,
    /// What it chooses, if it is a branch that lets only some of its children run. A short-circuit chooses none.
    chooses: Option<Vec<u32>>,
}

pub fn check(case: &Value) -> Result<(), Difference> {
    let tasks = tasks(case);
    let shape = shape(&tasks);
    let (ours, verdict) = run(&tasks, &shape, |_| 0, usize::MAX);
    let backwards = run(&tasks, &shape, |running| running - 1, 1);
    let question = || format!("{}", case["tasks"]);
    same(format!("another order: {}", question()), &backwards, &(ours.clone(), verdict))?;
    let failed = ours.iter().any(|state| matches!(state, TaskState::Failed | TaskState::UpstreamFailed));
    let run = if failed { Verdict::Failed } else { Verdict::Succeeded };
    same(format!("the run: {}", question()), &verdict, &run)?;
    match case.get("mainspring") {
        Some(reference) => {
            let theirs = tasks.iter().map(|task| state(reference_of(case, reference, task.id))).collect();
            same(question(), &ours, &theirs)?;
            let run = if failed { "failed" } else { "success" };
            same(format!("the run: {}", question()), &run, &text(reference, "run"))
        }
        None => as_one_of(&tasks, &shape, &ours, answers(case)).map_err(|theirs| Difference {
            question: question(),
            ours: format!("{:?}", named(&tasks, &ours)),
            theirs: format!("{theirs:?}"),
        }),
    }
}

fn reference_of<'a>(case: &'a Value, reference: &'a Value, id: &str) -> &'a str {
    reference["differs"].get(id).unwrap_or(&case["airflow"]["states"][id]).as_str().expect("a state")
}

fn tasks(case: &Value) -> Vec<Task<'_>> {
    let listed = case["tasks"].as_array().expect("tasks");
    let numbers: BTreeMap<&str, u32> = listed.iter().map(|task| text(task, "id")).zip(0..).collect();
    let task = |task| {
        let does = text(task, "do");
        let chooses = match does.split_once(':') {
            Some((_, chosen)) => Some(chosen.split(',').map(|id| numbers[id]).collect()),
            None => does.starts_with("short").then(Vec::new),
        };
        let needs = texts(task, "needs").iter().map(|need| numbers[need]).collect();
        Task { id: text(task, "id"), needs, rule: rules::rule(text(task, "rule")), does, chooses }
    };
    listed.iter().map(task).collect()
}

fn shape(tasks: &[Task<'_>]) -> Shape {
    let edges: Vec<(u32, u32)> =
        tasks.iter().zip(0..).flat_map(|(task, to)| task.needs.iter().map(move |from| (*from, to))).collect();
    let chosen_among = |task: &Task<'_>| task.needs.iter().any(|need| tasks[*need as usize].chooses.is_some());
    let rule =
        |task: &Task<'_>| TaskRule { trigger_rule: task.rule, conditional: chosen_among(task), ..TaskRule::default() };
    let graph = Graph::new(tasks.len(), &edges).expect("no cycles");
    Shape::new(graph, tasks.iter().map(rule).collect(), FailFast::Off)
}

/// Runs a graph; of the tasks that run, `pick` ends next, so many at a time.
fn run(tasks: &[Task<'_>], shape: &Shape, pick: fn(usize) -> usize, batch: usize) -> (Vec<TaskState>, Verdict) {
    let mut progress = Progress::new(shape);
    let (mut running, mut ends) = (Vec::new(), Vec::new());
    loop {
        let step = progress.advance(shape, &ends, usize::MAX);
        ends.clear();
        running.extend(&step.ready);
        step.ready.iter().for_each(|task| progress.started(*task));
        if let Some(verdict) = step.verdict {
            return (progress.rows().iter().map(|row| row.state).collect(), verdict);
        }
        assert!(!running.is_empty(), "nothing runs and the run has not ended: {progress:?}");
        while ends.len() < batch && !running.is_empty() {
            let task: u32 = running.remove(pick(running.len()));
            ends.push(End { task, generation: 0, state: outcome(tasks, shape, &progress, task) });
        }
    }
}

/// How a task ends that its rule let run.
fn outcome(tasks: &[Task<'_>], shape: &Shape, progress: &Progress, task: u32) -> TaskState {
    let succeeded = |need: u32| progress.rows()[need as usize].state == TaskState::Succeeded;
    let passed_over = passed_over(tasks, shape, task, succeeded);
    match tasks[task as usize].does {
        _ if passed_over => TaskState::Skipped,
        "fail" => TaskState::Failed,
        "skip" => TaskState::Skipped,
        _ => TaskState::Succeeded,
    }
}

/// Whether an upstream that succeeded chose others, and none that this task lies below.
fn passed_over(tasks: &[Task<'_>], shape: &Shape, task: u32, succeeded: impl Fn(u32) -> bool) -> bool {
    let chosen = |choice: &[u32]| downstream(shape.graph(), choice).contains(&task);
    let chooses = |need: &u32| tasks[*need as usize].chooses.as_ref().filter(|_| succeeded(*need));
    tasks[task as usize].needs.iter().filter_map(chooses).any(|choice| !chosen(choice))
}

type States<'a> = BTreeMap<&'a str, Option<&'a str>>;

fn named<'a>(tasks: &[Task<'a>], states: &[TaskState]) -> States<'a> {
    tasks.iter().zip(states).map(|(task, state)| (task.id, Some(word(*state)))).collect()
}

/// Airflow's answers: that to tasks that end in waves, and those to other orders.
fn answers(case: &Value) -> Vec<States<'_>> {
    let base = read(&case["airflow"]["states"]);
    let others = case["airflow_other_orders"].as_array().into_iter().flatten();
    let others = others.map(|other| base.clone().into_iter().chain(read(&other["states"])).collect());
    std::iter::once(base.clone()).chain(others).collect()
}

fn read(states: &Value) -> States<'_> {
    states.as_object().expect("states").iter().map(|(id, state)| (id.as_str(), state.as_str())).collect()
}

/// Whether we differ from one of the answers only where we mean to; else the first of them.
fn as_one_of<'a>(
    tasks: &[Task<'a>],
    shape: &Shape,
    ours: &[TaskState],
    answers: Vec<States<'a>>,
) -> Result<(), States<'a>> {
    let all_meant = |theirs: &States<'_>| {
        shape.graph().tasks().all(|task| {
            let same = |task: u32| theirs[tasks[task as usize].id] == Some(word(ours[task as usize]));
            let inherited = || tasks[task as usize].needs.iter().any(|need| !same(*need));
            same(task) || inherited() || meant(tasks, shape, ours, task)
        })
    };
    if answers.iter().any(all_meant) { Ok(()) } else { Err(answers.into_iter().next().expect("the answer to waves")) }
}

/// Whether we mean to differ at a task whose upstreams end as Airflow's do.
fn meant(tasks: &[Task<'_>], shape: &Shape, ours: &[TaskState], task: u32) -> bool {
    let Task { needs, rule, .. } = &tasks[task as usize];
    let ended = |states: &[TaskState]| needs.iter().filter(|need| states.contains(&ours[**need as usize])).count();
    let skipped = ended(&[TaskState::Skipped]) > 0;
    let failed = ended(&[TaskState::Failed, TaskState::UpstreamFailed]) > 0;
    let by_rule = match rule {
        TriggerRule::AllSuccess => skipped && failed,
        TriggerRule::AllDoneMinOneSuccess => skipped,
        TriggerRule::OneDone => failed && ended(&[TaskState::Succeeded, TaskState::Failed]) == 0,
        _ => false,
    };
    let succeeded = |task: u32| ours[task as usize] == TaskState::Succeeded;
    // The rule is asked before the condition, and a task with a condition waits for all of its upstreams.
    let by_condition = passed_over(tasks, shape, task, succeeded);
    // A condition holds for its own task: what lies below decides by its rule.
    let below_short = shape.graph().tasks().any(|short| {
        tasks[short as usize].does == "short" && succeeded(short) && downstream(shape.graph(), &[short]).contains(&task)
    });
    by_rule || by_condition || below_short
}
