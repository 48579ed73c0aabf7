//! `mainspring bench dag`: workflows whose tasks do nothing.
//!
//! The runs are asked for before the nodes start. How long they took, and whether each task was done once, is counted from the
//! tables afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use mainspring_core::job::{Job, JobKey, Task};
use mainspring_core::line::WORKFLOW_LINE;
use mainspring_core::run::Origin;
use mainspring_core::workflow::{TaskDefinition, Workflow};
use mainspring_core::{JobId, RunId, RunSource, Timestamp};
use mainspring_store::{AskedRun, Expect, JobWrite, RunInfo, RunQuery, Saved, Store};
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::fires::rounded;
use super::nodes::Nodes;
use super::place::Place;
use super::report::Lateness;
use super::{Error, Pace, Result, Site, seconds};
use crate::clock::{Clock, SystemClock};

/// What the graph is like.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DagShape {
    /// Each task needs the one before.
    Chain,
    /// One task, then all others but one at once, then the last.
    Fan,
    /// A hundred layers; each task needs three of the layer before.
    Layers,
    /// One task, two, one, two, one, and so on.
    Diamonds,
    /// Nine tasks in three waves.
    Article,
    /// The first task fails, and all others need it.
    Doomed,
}

/// What to measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DagPlan {
    /// What the graph is like.
    pub shape: DagShape,
    /// Tasks of one run, about; the nine tasks are nine.
    pub tasks: u32,
    /// Runs, all asked for at once.
    pub runs: u32,
    /// How long it may take at most.
    pub seconds: u32,
}

/// What was measured.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Dag {
    /// The store's kind and version.
    pub store: String,
    /// Nodes, each a process of its own.
    pub nodes: u32,
    /// What the graph is like.
    pub shape: DagShape,
    /// Tasks of one run.
    pub tasks: u32,
    /// Edges of one run.
    pub edges: u32,
    /// Runs.
    pub runs: u32,
    /// From the beginning of the first run to the end of the last, as the tables have it.
    pub seconds: f64,
    /// The quotient.
    pub tasks_per_second: f64,
    /// The quotient.
    pub runs_per_second: f64,
    /// Start of each task minus end of the one before, in a chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hop_ms: Option<Lateness>,
    /// The time of the whole chain divided by its tasks: instants are whole milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hop_mean_ms: Option<f64>,
    /// Tasks that should have been done and were not.
    pub lost: u64,
    /// Runs of tasks beyond one for each.
    pub duplicates: u64,
    /// Workflow runs that are not over.
    pub stuck: u64,
    /// Processor time of the nodes, from their start until nothing ran any more.
    pub cpu_seconds: f64,
    /// The same of the database server, if it is on this machine and can be seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database_cpu_seconds: Option<f64>,
    /// Resident memory of the nodes at the end.
    pub rss_mb: f64,
}

const LAYERS: u32 = 100;
/// How many of the layer before a task needs.
const NEEDS: u32 = 3;
const JOB: &str = "dag";
/// How long the nodes may take to share the work.
const SHARE_MS: i64 = 60_000;
const PAGE: u32 = 1_000;
/// Requests for runs that wait together, and may share a transaction.
const ASKED_AT_ONCE: usize = 64;

/// Runs the benchmark on an empty store.
///
/// # Errors
/// If the store fails, is not empty, or cannot have so many nodes.
pub async fn dag(site: Site<'_>, plan: DagPlan) -> Result<Dag> {
    let place = Place::empty(&site).await?;
    let workflow = workflow(plan.shape, plan.tasks);
    let tasks = u32::try_from(workflow.tasks.len()).unwrap_or(u32::MAX);
    let edges = workflow.tasks.iter().map(|task| task.needs.len()).sum::<usize>();
    let store = place.open().await?;
    let planted = plant(&*store, workflow, plan.runs, site.progress).await;
    place.close(&*store).await?;
    let job = planted?;
    let mut nodes = Nodes::start(&place, &site).await?;
    nodes.share(SystemClock.now() + SHARE_MS).await?;
    let all = u64::from(tasks) * u64::from(plan.runs);
    watch(&mut nodes, plan, all, site.progress).await?;
    nodes.rest().await?;
    let cpu = nodes.used();
    let rss_mb = nodes.rss_mb();
    nodes.leave().await?;
    let store = place.open().await?;
    let counted = count(&*store, job, plan, tasks).await;
    let info = store.info().await;
    place.close(&*store).await?;
    let (info, counted) = (info?, counted?);
    let elapsed = Duration::from_millis(counted.elapsed_ms.max(1).unsigned_abs());
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let rate = |count: u64| (count as f64 / elapsed.as_secs_f64()).round();
    Ok(Dag {
        store: format!("{} {}", info.kind, info.version),
        nodes: site.nodes,
        shape: plan.shape,
        tasks,
        edges: u32::try_from(edges).unwrap_or(u32::MAX),
        runs: plan.runs,
        seconds: seconds(elapsed),
        tasks_per_second: rate(all),
        runs_per_second: rate(u64::from(plan.runs)),
        hop_ms: (plan.shape == DagShape::Chain).then(|| Lateness::of(counted.hops)),
        hop_mean_ms: (plan.shape == DagShape::Chain && all > 0).then(|| mean_ms(counted.elapsed_ms, all)),
        lost: counted.lost,
        duplicates: counted.duplicates,
        stuck: counted.stuck,
        cpu_seconds: rounded(cpu.nodes),
        database_cpu_seconds: cpu.database.map(rounded),
        rss_mb,
    })
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn mean_ms(elapsed_ms: i64, tasks: u64) -> f64 {
    (elapsed_ms as f64 / tasks as f64 * 1_000.0).round() / 1_000.0
}

/// Saves the workflow, and asks for its runs.
async fn plant(store: &dyn Store, workflow: Workflow, runs: u32, progress: super::OnProgress<'_>) -> Result<JobId> {
    let definition = Arc::new(Job::new(key(), Task::Workflow(Box::new(workflow))));
    let at = SystemClock.now();
    let write = JobWrite {
        definition: Arc::clone(&definition),
        expect: Expect::Anything,
        paused: false,
        triggers: Vec::new(),
        ends: Vec::new(),
        documents: Vec::new(),
        saved_by: None,
        at,
    };
    let saved = store.save_jobs(vec![write]).await?;
    let Some(Saved { job, .. }) = saved.into_iter().next() else {
        return Err(Error::Node("the workflow was not saved".to_owned()));
    };
    let ask = |number: u32| {
        store.ask_run(AskedRun {
            id: RunId::new(at, RunSource::Asked(job.id, u64::from(number))),
            job: job.id,
            job_version: job.version,
            origin: Origin::Api,
            input: None,
            queue: WORKFLOW_LINE.to_owned(),
            priority: definition.priority,
            rerun_of: None,
            repeat: None,
            caller: None,
            fire_time: at,
            at,
        })
    };
    let mut asked = stream::iter(0..runs).map(ask).buffer_unordered(ASKED_AT_ONCE);
    let mut count = 0;
    while let Some(run) = asked.next().await {
        run?;
        count += 1;
        progress("runs", count, u64::from(runs));
    }
    Ok(job.id)
}

/// Waits until all runs are over, or the time is.
async fn watch(nodes: &mut Nodes, plan: DagPlan, all: u64, progress: super::OnProgress<'_>) -> Result {
    let limit = SystemClock.now() + i64::from(plan.seconds) * 1_000;
    let mut pace = Pace::new();
    loop {
        let looks = nodes.look().await?;
        progress("tasks", looks.iter().map(|look| look.entered).sum(), all);
        let over: u64 = looks.iter().map(|look| look.workflows).sum();
        if over >= u64::from(plan.runs) || SystemClock.now() >= limit {
            return Ok(());
        }
        pace.next_look().await;
    }
}

/// What the tables say.
#[derive(Default)]
struct Counted {
    elapsed_ms: i64,
    hops: Vec<u32>,
    lost: u64,
    duplicates: u64,
    stuck: u64,
}

async fn count(store: &dyn Store, job: JobId, plan: DagPlan, tasks: u32) -> Result<Counted> {
    let query = RunQuery { job: Some(job), with_tasks: true, limit: PAGE, ..RunQuery::default() };
    let (mut runs, mut children) = (Vec::new(), FxHashMap::<RunId, Vec<RunInfo>>::default());
    for run in pages(store, query).await? {
        match run.parent {
            Some(parent) => children.entry(parent).or_default().push(run),
            None => runs.push(run),
        }
    }
    let mut counted = Counted {
        lost: u64::from(plan.runs.saturating_sub(runs.len() as u32)) * u64::from(tasks),
        ..Counted::default()
    };
    let began = runs.iter().filter_map(|run| run.claimed_at.or(run.started_at)).min();
    let ended = runs.iter().filter_map(|run| run.ended_at).max();
    counted.elapsed_ms = began.zip(ended).map_or(0, |(began, ended)| ended.since(began));
    let expected = if plan.shape == DagShape::Doomed { 1 } else { u64::from(tasks) };
    for run in runs {
        counted.stuck += u64::from(!run.state.is_final());
        let children = children.remove(&run.id).unwrap_or_default();
        let done: BTreeSet<&str> =
            children.iter().filter(|run| run.state.is_final()).filter_map(|run| run.task.as_deref()).collect();
        counted.lost += expected.saturating_sub(done.len() as u64);
        counted.duplicates +=
            children.iter().map(|run| u64::from(run.attempt.max(1))).sum::<u64>().saturating_sub(expected);
        if plan.shape == DagShape::Chain {
            counted.hops.extend(hops(&children));
        }
    }
    Ok(counted)
}

/// Start minus end of the one before, of the tasks of a chain.
fn hops(children: &[RunInfo]) -> Vec<u32> {
    let by_name: BTreeMap<&str, (Option<Timestamp>, Option<Timestamp>)> = children
        .iter()
        .filter_map(|run| Some((run.task.as_deref()?, (run.started_at.or(run.claimed_at), run.ended_at))))
        .collect();
    let times: Vec<_> = by_name.into_values().collect();
    let hop = |pair: &[(Option<Timestamp>, Option<Timestamp>)]| Some(pair[1].0?.since(pair[0].1?));
    times.windows(2).filter_map(hop).map(|ms| u32::try_from(ms.max(0)).unwrap_or(u32::MAX)).collect()
}

/// All runs that a query finds.
async fn pages(store: &dyn Store, mut query: RunQuery) -> Result<Vec<RunInfo>> {
    let mut all = Vec::new();
    loop {
        let page = store.runs(query.clone()).await?;
        let full = page.len() == query.limit as usize;
        query.before = page.last().map(|run| run.id);
        all.extend(page);
        if !full {
            return Ok(all);
        }
    }
}

fn key() -> JobKey {
    JobKey::new("default", JOB)
}

/// Makes a graph of about so many tasks.
fn workflow(shape: DagShape, tasks: u32) -> Workflow {
    let tasks = tasks.max(2);
    let needs: Vec<Vec<u32>> = match shape {
        DagShape::Chain => (0..tasks).map(|task| task.checked_sub(1).into_iter().collect()).collect(),
        DagShape::Fan => (0..tasks)
            .map(|task| match task {
                0 => Vec::new(),
                _ if task == tasks - 1 && tasks > 2 => (1..task).collect(),
                _ => vec![0],
            })
            .collect(),
        DagShape::Layers => layers((tasks / LAYERS).max(1)),
        DagShape::Diamonds => diamonds((tasks - 1) / 3),
        DagShape::Article => [&[][..], &[], &[], &[0, 1], &[1, 2], &[0, 3], &[3, 4], &[3, 4], &[2, 4]]
            .iter()
            .map(|needs| needs.to_vec())
            .collect(),
        DagShape::Doomed => (0..tasks).map(|task| if task == 0 { Vec::new() } else { vec![0] }).collect(),
    };
    let named = needs.into_iter().enumerate();
    let task = |(number, needs): (usize, Vec<u32>)| {
        let kind = match shape {
            DagShape::Doomed if number == 0 => Task::Handler { name: "nobody".into() },
            _ => Task::Noop,
        };
        TaskDefinition { needs, ..TaskDefinition::new(format!("t{number:06}"), Job::new(key(), kind)) }
    };
    Workflow { tasks: named.map(task).collect(), ..Workflow::default() }
}

fn layers(width: u32) -> Vec<Vec<u32>> {
    let task = |(layer, place): (u32, u32)| {
        let Some(before) = layer.checked_sub(1) else { return Vec::new() };
        let needed: BTreeSet<u32> = (0..NEEDS).map(|shift| before * width + (place + shift) % width).collect();
        needed.into_iter().collect()
    };
    (0..LAYERS).flat_map(|layer| (0..width).map(move |place| (layer, place))).map(task).collect()
}

/// So many diamonds, each beginning where the one before ends.
fn diamonds(count: u32) -> Vec<Vec<u32>> {
    let one = |number: u32| {
        let top = number * 3;
        [vec![top], vec![top], vec![top + 1, top + 2]]
    };
    std::iter::once(Vec::new()).chain((0..count.max(1)).flat_map(one)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_graphs_of_the_size_that_was_asked_for() {
        let cases = [
            (DagShape::Chain, 1_000, 1_000, 999),
            (DagShape::Fan, 1_002, 1_002, 2_000),
            (DagShape::Layers, 10_000, 10_000, 99 * 100 * 3),
            (DagShape::Diamonds, 3_001, 3_001, 4_000),
            (DagShape::Article, 5, 9, 12),
            (DagShape::Doomed, 100, 100, 99),
        ];
        for (shape, asked, tasks, edges) in cases {
            let workflow = workflow(shape, asked);
            let graph = workflow.shape().unwrap();
            assert_eq!((graph.graph().len(), graph.graph().edge_count()), (tasks, edges), "{shape:?}");
        }
    }
}
