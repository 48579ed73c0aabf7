//! How long tasks took in past runs.

use mainspring_core::Timestamp;
use mainspring_core::run::RunState;
use mainspring_core::workflow::Shape;
use mainspring_core::workflow::rerun::{Action, TableRow};
use mainspring_store::{Result, RunInfo, RunQuery, Store};
use rustc_hash::FxHashMap;

/// Past runs of a job that are looked at, and runs of tasks of each.
const RUNS: u32 = 10;
const TASKS: u32 = 1_000;

/// How long tasks took, by name.
#[derive(Debug, Default)]
pub(super) struct Past(FxHashMap<String, u64>);

impl Past {
    pub(super) fn of(&self, name: &str) -> Option<u64> {
        self.0.get(name).copied()
    }
}

/// Reads how long the tasks of a job took in the newest runs that succeeded or failed. Of jobs with very many tasks nothing is known.
pub(super) async fn past(store: &dyn Store, of: &RunInfo, tasks: usize) -> Result<Past> {
    if tasks > TASKS as usize {
        return Ok(Past::default());
    }
    let states = vec![RunState::Succeeded, RunState::Failed];
    let query = RunQuery { job: Some(of.job), states: states.clone(), limit: RUNS, ..RunQuery::default() };
    let mut took: FxHashMap<String, Vec<u64>> = FxHashMap::default();
    for run in store.runs(query).await? {
        let query = RunQuery {
            parent: Some(run.id),
            states: states.clone(),
            with_tasks: true,
            limit: TASKS,
            ..RunQuery::default()
        };
        spans(&store.runs(query).await?).into_iter().for_each(|(task, ms)| took.entry(task).or_default().push(ms));
    }
    Ok(Past(took.into_iter().map(|(task, took)| (task, median(took))).collect()))
}

/// How long each task of a run took, from the first start of its runs to the last end.
fn spans(runs: &[RunInfo]) -> FxHashMap<String, u64> {
    let mut spans: FxHashMap<&str, (Timestamp, Timestamp)> = FxHashMap::default();
    for run in runs {
        let started = run.started_at.or(run.claimed_at);
        let (Some(name), Some(started), Some(ended)) = (&run.task, started, run.ended_at) else { continue };
        let task = name.split('[').next().unwrap_or(name);
        let span = spans.entry(task).or_insert((started, ended));
        *span = (span.0.min(started), span.1.max(ended));
    }
    spans.into_iter().map(|(task, (from, to))| (task.to_owned(), to.since(from).max(0).unsigned_abs())).collect()
}

/// The one in the middle; of an even number, the lower of the two.
fn median(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or(0)
}

/// How long the longest chain of tasks takes that run, if that is known of one of them. `rows` begins with the tasks of the graph.
pub(super) fn whole(shape: &Shape, rows: &[TableRow], estimates: &[Option<u64>]) -> Option<u64> {
    let graph = shape.graph();
    let takes = |task: u32| estimates[task as usize].filter(|_| rows[task as usize].action == Action::Rerun);
    let mut ends = vec![0; graph.len()];
    for &task in graph.order() {
        let starts = graph.parents(task).iter().map(|parent| ends[*parent as usize]).max().unwrap_or(0);
        ends[task as usize] = starts + takes(task).unwrap_or(0);
    }
    let known = graph.tasks().any(|task| takes(task).is_some());
    known.then(|| ends.into_iter().max().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_one_that_was_seen() {
        for (values, expected) in
            [(vec![], 0), (vec![7], 7), (vec![9, 1], 1), (vec![5, 9, 1], 5), (vec![4, 3, 2, 1], 2)]
        {
            assert_eq!(median(values), expected);
        }
    }
}
