//! Tasks of workflow runs: `mainspring run tree`, `skip`, `mark`, `pause` and `resume`.

use std::collections::{BTreeMap, BTreeSet};

use clap::{Args, ValueEnum};
use mainspring_api::{Marked, Reason, RunTask, TaskCancel, TaskCounts, TaskFilter, TaskMark};

use crate::connect::Session;
use crate::error::Result;
use crate::output::{Form, Output};
use crate::views::{Placed, RUN, TASK};
use crate::{bulk, who};

/// Tasks that are asked for at once.
const PAGE: u32 = 1_000;

#[derive(Debug, Args)]
pub(super) struct TreeArgs {
    /// Id of a workflow run
    #[arg(value_name = "RUN")]
    id: String,
    /// Also each run of tasks that run more than once
    #[arg(long)]
    items: bool,
}

#[derive(Debug, Args)]
pub(super) struct SteerArgs {
    /// Id of a workflow run
    #[arg(required = true, value_name = "RUN")]
    ids: Vec<String>,
    /// Why; kept with the run
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct TaskArgs {
    /// Id of a workflow run
    #[arg(value_name = "RUN")]
    id: String,
    /// Names of tasks, or TASK[N] for one run of several
    #[arg(required = true, value_name = "TASK")]
    tasks: Vec<String>,
    /// Why; kept with the task
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct MarkArgs {
    /// Id of a workflow run
    #[arg(value_name = "RUN")]
    id: String,
    /// Name of a task, or TASK[N] for one run of several
    #[arg(value_name = "TASK")]
    task: String,
    /// What it is taken for
    #[arg(value_enum, value_name = "STATE")]
    state: MarkedAs,
    /// Why; kept with the task
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct DecideArgs {
    /// Id of a workflow run
    #[arg(value_name = "RUN")]
    id: String,
    /// Name of the task that asks
    #[arg(value_name = "TASK")]
    task: String,
    /// Decide under this name, in place of USER@HOST
    #[arg(long = "as", value_name = "NAME")]
    by: Option<String>,
    /// Why; kept with the task
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MarkedAs {
    /// What needs it goes on
    Succeeded,
    /// What needs it follows its rule
    Failed,
}

/// Prints the tasks of a run wave by wave.
pub(super) async fn tree(session: &Session, args: &TreeArgs, output: &Output) -> Result {
    let run = session.ask(session.client.run(&args.id)).await?;
    let tasks = all(session, &args.id, None).await?;
    let waves = waves(&tasks);
    let mut placed: Vec<Placed> = tasks
        .into_iter()
        .map(|task| Placed { wave: waves.get(&task.name).copied().filter(|_| !task.finally), task })
        .collect();
    placed.sort_by_key(|it| (it.wave.is_none(), it.wave.or_else(|| waves.get(&it.task.name).copied())));
    if args.items {
        let mut with_items = Vec::new();
        for it in placed {
            let spread = it.task.items.is_some().then(|| it.task.name.clone());
            with_items.push(it);
            if let Some(name) = spread {
                let items = all(session, &args.id, Some(name)).await?;
                with_items.extend(items.into_iter().map(|task| Placed { wave: None, task }));
            }
        }
        placed = with_items;
    }
    if output.form() == Form::Table {
        let counts = run.tasks.map_or_else(String::new, |counts: TaskCounts| format!(", {counts}"));
        let paused = if run.paused { ", paused" } else { "" };
        output.text(format_args!("{} {}: {}{paused}{counts}", run.job, run.id, run.state))?;
        if let Some(caller) = &run.caller {
            output.text(format_args!("started by task {} of run {}", caller.task, caller.run))?;
        }
        let again = [("rerun of", &run.rerun_of), ("rerun as", &run.rerun_as)];
        for (how, other) in again.iter().filter_map(|(how, other)| Some((how, other.as_ref()?))) {
            output.text(format_args!("{how} {other}"))?;
        }
        output.text("")?;
    }
    output.list(&placed, &TASK)
}

/// All tasks of a run, or all items of one.
async fn all(session: &Session, run: &str, items_of: Option<String>) -> Result<Vec<RunTask>> {
    let mut filter = TaskFilter { items_of, limit: Some(PAGE), ..TaskFilter::default() };
    let mut tasks = Vec::new();
    loop {
        let page = session.ask(session.client.tasks(run, &filter)).await?;
        tasks.extend(page.items);
        filter.cursor = page.next_cursor;
        if filter.cursor.is_none() {
            return Ok(tasks);
        }
    }
}

/// The wave of each task: one more than the latest of those that it needs.
fn waves(tasks: &[RunTask]) -> BTreeMap<String, u32> {
    let mut waves: BTreeMap<String, u32> = BTreeMap::new();
    let mut missing: BTreeMap<&str, usize> = tasks.iter().map(|task| (task.name.as_str(), task.needs.len())).collect();
    let mut children: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for task in tasks {
        for need in &task.needs {
            children.entry(need).or_default().insert(&task.name);
        }
    }
    let mut ready: Vec<&str> = missing.iter().filter(|(_, count)| **count == 0).map(|(name, _)| *name).collect();
    for name in &ready {
        waves.insert((*name).to_owned(), 1);
    }
    while let Some(name) = ready.pop() {
        let wave = waves[name] + 1;
        for child in children.remove(name).into_iter().flatten() {
            let latest = waves.entry(child.to_owned()).or_insert(wave);
            *latest = wave.max(*latest);
            let count = missing.get_mut(child).expect("each task is counted");
            *count -= 1;
            if *count == 0 {
                ready.push(child);
            }
        }
    }
    waves
}

pub(super) async fn pause(session: &Session, args: SteerArgs, output: &Output) -> Result {
    let reason = who::because(args.reason);
    let ask = async |id: &String| session.ask(session.client.pause_run(id, &reason)).await;
    bulk::each(&args.ids, ask, |run| output.done(run, &RUN, format_args!("paused run {} of {}", run.id, run.job))).await
}

pub(super) async fn resume(session: &Session, args: SteerArgs, output: &Output) -> Result {
    let reason = who::because(args.reason);
    let ask = async |id: &String| session.ask(session.client.resume_run(id, &reason)).await;
    bulk::each(&args.ids, ask, |run| output.done(run, &RUN, format_args!("resumed run {} of {}", run.id, run.job)))
        .await
}

pub(super) async fn skip(session: &Session, args: TaskArgs, output: &Output) -> Result {
    let reason = who::because(args.reason);
    let ask = async |task: &String| session.ask(session.client.skip_task(&args.id, task, &reason)).await;
    bulk::each(&args.tasks, ask, |task| asked(task, "asked to skip", output)).await
}

pub(super) async fn cancel(
    session: &Session,
    id: &str,
    tasks: &[String],
    (reason, downstream): (Option<String>, bool),
    output: &Output,
) -> Result {
    let Reason { reason, by } = who::because(reason);
    let cancel = TaskCancel { downstream, reason, by };
    let ask = async |task: &String| session.ask(session.client.cancel_task(id, task, &cancel)).await;
    let told = if downstream { "asked to cancel all from" } else { "asked to cancel" };
    bulk::each(tasks, ask, |task| asked(task, told, output)).await
}

pub(super) async fn mark(session: &Session, args: MarkArgs, output: &Output) -> Result {
    let state = match args.state {
        MarkedAs::Succeeded => Marked::Succeeded,
        MarkedAs::Failed => Marked::Failed,
    };
    let Reason { reason, by } = who::because(args.reason);
    let mark = TaskMark { state, reason, by };
    let task = session.ask(session.client.mark_task(&args.id, &args.task, &mark)).await?;
    asked(&task, &format!("asked to take for {state}:"), output)
}

pub(super) async fn approve(session: &Session, args: DecideArgs, output: &Output) -> Result {
    let reason = args.because();
    let task = session.ask(session.client.approve_task(&args.id, &args.task, &reason)).await?;
    asked(&task, "approved", output)
}

pub(super) async fn reject(session: &Session, args: DecideArgs, output: &Output) -> Result {
    let reason = args.because();
    let task = session.ask(session.client.reject_task(&args.id, &args.task, &reason)).await?;
    asked(&task, "rejected", output)
}

impl DecideArgs {
    fn because(&self) -> Reason {
        let reason = who::because(self.reason.clone());
        Reason { by: self.by.clone().or(reason.by), ..reason }
    }
}

fn asked(task: &RunTask, what: &str, output: &Output) -> Result {
    let placed = Placed { wave: None, task: task.clone() };
    output.done(&placed, &TASK, format_args!("{what} task {}", task.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_in_the_wave_behind_the_latest_that_they_need() {
        let task = |name: &str, needs: &[&str]| -> RunTask {
            serde_json::from_value(serde_json::json!({
                "name": name, "state": "waiting", "generation": 0, "needs": needs, "trigger_rule": "all_success"
            }))
            .unwrap()
        };
        let tasks =
            [task("a", &[]), task("b", &["a"]), task("c", &["b", "a"]), task("d", &["a", "c"]), task("e", &["a"])];
        let waves = waves(&tasks);
        assert_eq!(["a", "b", "c", "d", "e"].map(|name| waves[name]), [1, 2, 3, 4, 2]);
    }
}
