//! Runs of tasks that were set back before these runs had ended. A task starts again only when none of its runs is left.
//!
//! Nothing is kept of them: a live run that its task's row does not name as running is one. So whoever advances the workflow run finds
//! the same ones, also after a crash.

use mainspring_core::RunId;
use mainspring_core::run::RunState;
use mainspring_core::workflow::Workflow;
use mainspring_store::{Result, RunQuery, Store};
use rustc_hash::FxHashMap;

/// Runs that are read at a time.
const PAGE: u32 = 1_000;

/// See the [module](self).
#[derive(Debug, Default)]
pub(super) struct Drains {
    runs: FxHashMap<RunId, u32>,
    tasks: FxHashMap<u32, usize>,
}

impl Drains {
    pub(super) fn add(&mut self, run: RunId, task: u32) {
        if self.runs.insert(run, task).is_none() {
            *self.tasks.entry(task).or_default() += 1;
        }
    }

    /// Notes that a run has ended, of whichever task.
    pub(super) fn ended(&mut self, run: RunId) {
        let Some(task) = self.runs.remove(&run) else { return };
        let left = self.tasks.entry(task).or_default();
        *left = left.saturating_sub(1);
    }

    /// Whether a task has to wait.
    pub(super) fn holds(&self, task: u32) -> bool {
        self.tasks.get(&task).is_some_and(|left| *left > 0)
    }
}

/// Reads the runs of tasks of a workflow run that are not final, each with its task; those that its tasks have started, too.
pub(super) async fn unfinished(store: &dyn Store, workflow: &Workflow, run: RunId) -> Result<Vec<(RunId, u32)>> {
    let states: Vec<RunState> = RunState::ALL.iter().copied().filter(|state| !state.is_final()).collect();
    let numbers: FxHashMap<&str, u32> = workflow.tasks.iter().map(|task| task.name.as_str()).zip(0..).collect();
    // Runs of items have the item in brackets.
    let number = |run: &str| numbers.get(run.split('[').next()?).copied();
    let called = store.called_runs(run).await?;
    let mut found: Vec<(RunId, u32)> = called.iter().filter_map(|(run, task)| Some((*run, number(task)?))).collect();
    let mut before = None;
    loop {
        let query = RunQuery { parent: Some(run), states: states.clone(), before, limit: PAGE, ..RunQuery::default() };
        let page = store.runs(query).await?;
        found.extend(page.iter().filter_map(|run| Some((run.id, number(run.task.as_deref()?)?))));
        before = page.last().map(|run| run.id);
        if page.len() < PAGE as usize {
            return Ok(found);
        }
    }
}
