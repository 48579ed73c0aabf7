//! What may be kept of workflow runs: fed with each step in the order in which the store kept them.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::RunId;
use mainspring_core::workflow::TaskState;
use mainspring_store::{TaskWrite, WorkflowRow, WorkflowStep};

use super::graph::{Graph, Place};
use super::owner::{Live, items_of, progress_of};

/// Runs that were made for tasks.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// Each run of a workflow, task or item, and generation that one was made for.
    started: BTreeSet<(RunId, Place, u32)>,
    latest: BTreeMap<(RunId, Place), RunId>,
}

impl Ledger {
    pub(super) fn started(&self) -> u64 {
        self.started.len() as u64
    }

    /// Hears of a step that was kept, with the runs that it made. `goes_on` says of runs that have not
    /// ended whether they are to go on, or somebody has asked for their end.
    pub(super) fn kept(
        &mut self,
        graph: &Graph,
        WorkflowStep { run, tasks, end, .. }: &WorkflowStep,
        made: &[RunId],
        goes_on: impl Fn(RunId) -> Option<bool>,
    ) -> Vec<String> {
        let (mut broken, run) = (Vec::new(), *run);
        let called = tasks.iter().filter_map(|write| Some((write, write.call.as_ref()?)));
        for (write, child) in tasks.iter().filter(|write| write.start.is_some()).zip(made).chain(called) {
            let TaskWrite { task, item, generation, .. } = write;
            let name = graph.name((*task, *item));
            if !self.started.insert((run, (*task, *item), *generation)) {
                broken.push(format!("{name} of run {run} runs twice in generation {generation}"));
            }
            if self.latest.insert((run, (*task, *item)), *child).is_some_and(|before| goes_on(before).is_some()) {
                broken.push(format!("{name} of run {run} runs while an earlier run of it does"));
            }
            let items = self.latest.range((run, (*task, None))..=(run, (*task, Some(u32::MAX))));
            let under_way = items.filter(|(_, child)| goes_on(**child) == Some(true)).count();
            if graph.max_parallel(*task).is_some_and(|most| under_way > most as usize) {
                broken.push(format!("{under_way} runs of task {task} of run {run} are under way at once"));
            }
        }
        let of_run = self.latest.range((run, (0, None))..=(run, (u32::MAX, Some(u32::MAX))));
        for ((_, place), child) in of_run.filter(|(_, child)| end.is_some() && goes_on(**child) == Some(true)) {
            broken.push(format!("run {run} has ended, and {child} of {} goes on", graph.name(*place)));
        }
        broken
    }
}

/// What differs between what a node keeps of a run and a recount from the rows. What is left to do for it is not counted yet.
pub(super) fn recounted(graph: &Graph, live: &Live, row: &WorkflowRow) -> Vec<String> {
    let (shape, known, is_done) = (&graph.shape, &live.progress, !live.more);
    let again = progress_of(shape, row);
    let mut broken = Vec::new();
    for task in shape.graph().tasks() {
        let (mine, kept) = (known.rows()[task as usize], again.rows()[task as usize]);
        if mine != kept {
            broken.push(format!("task {task} of run {} is {mine:?} in memory, and {kept:?} is kept", row.run));
        } else if is_done && mine.state == TaskState::Waiting && known.counts(shape, task) != again.counts(shape, task)
        {
            let (mine, kept) = (known.counts(shape, task), again.counts(shape, task));
            broken.push(format!("task {task} of run {} has counted {mine:?}, and a recount says {kept:?}", row.run));
        }
    }
    let (mine, kept) = (&live.spreads, items_of(graph, row));
    if *mine != kept {
        broken.push(format!("items of run {} are {mine:?} in memory, and {kept:?} are kept", row.run));
    }
    if known.open() != again.open() || known.stop() != again.stop() {
        broken.push(format!(
            "run {} has {} open tasks and stops by {:?}, and a recount says {} and {:?}",
            row.run,
            known.open(),
            known.stop(),
            again.open(),
            again.stop()
        ));
    }
    broken
}
