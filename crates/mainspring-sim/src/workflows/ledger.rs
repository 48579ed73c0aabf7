//! What may be kept of workflow runs: fed with each step in the order in which the store kept them.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::RunId;
use mainspring_core::workflow::{Progress, Shape, TaskState};
use mainspring_store::{TaskWrite, WorkflowRow};

use super::owner::progress_of;

/// Runs that were made for tasks.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// Each run of a workflow, task and generation that one was made for.
    started: BTreeSet<(RunId, u32, u32)>,
    latest: BTreeMap<(RunId, u32), RunId>,
}

impl Ledger {
    pub(super) fn started(&self) -> u64 {
        self.started.len() as u64
    }

    /// Hears of a step that was kept, with the runs that it made. `is_open` says which runs have not ended.
    pub(super) fn kept(
        &mut self,
        run: RunId,
        tasks: &[TaskWrite],
        made: &[RunId],
        is_open: impl Fn(RunId) -> bool,
    ) -> Vec<String> {
        let mut broken = Vec::new();
        for (write, child) in tasks.iter().filter(|write| write.start.is_some()).zip(made) {
            let TaskWrite { task, generation, .. } = write;
            if !self.started.insert((run, *task, *generation)) {
                broken.push(format!("task {task} of run {run} runs twice in generation {generation}"));
            }
            if self.latest.insert((run, *task), *child).is_some_and(&is_open) {
                broken.push(format!("task {task} of run {run} runs while an earlier run of it does"));
            }
        }
        broken
    }
}

/// What differs between what a node keeps of a run and a recount from the rows. What is left to do for it is not counted yet.
pub(super) fn recounted(shape: &Shape, known: &Progress, row: &WorkflowRow, is_done: bool) -> Vec<String> {
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
