//! Tasks that start the workflow of another job and wait for its end, as `workflow: NAME` does.
//!
//! The row of such a task names the run before there is one. Whoever has written that asks for the run, and so does whoever reads the row
//! later: the node that wrote it may be gone.

use std::sync::Arc;

use mainspring_core::RunId;
use mainspring_core::line::WORKFLOW_LINE;
use mainspring_core::run::Origin;
use mainspring_store::{AskedRun, CalledBy, Caller, Store};

use super::owner::Live;
use super::{Graph, World};
use crate::store::ready;

impl World {
    /// The graph of a run.
    pub(super) fn graph_of(&self, run: RunId) -> Arc<Graph> {
        let callee = self.callee.as_ref().filter(|_| self.called.contains(&run));
        Arc::clone(callee.map_or(&self.graph, |callee| &callee.graph))
    }

    /// Asks for the runs that rows of tasks name. Answers whether there were any.
    pub(super) fn ask_calls(&mut self, run: RunId, live: &mut Live) -> bool {
        let wanted = live.take_to_ask();
        let Some(callee) = self.callee.as_ref().filter(|_| !wanted.is_empty()) else { return false };
        let (job, job_version) = callee.job;
        let at = self.time();
        for (task, child) in wanted {
            let name = self.graph.name((task, None));
            let caller = CalledBy { caller: Caller { run, task: name }, task, item: None, backfilled: false };
            let asked = AskedRun {
                id: child,
                job,
                job_version,
                origin: Origin::Api,
                input: None,
                queue: WORKFLOW_LINE.to_owned(),
                priority: 0,
                rerun_of: None,
                repeat: None,
                caller: Some(caller),
                fire_time: at,
                at,
            };
            ready(self.memory.ask_run(asked)).expect("a job has no limit unless it says so");
            let is_there = ready(self.memory.run(child)).expect("the memory store is open").is_some();
            if is_there && self.called.insert(child) {
                self.runs.push(child);
                self.tell(|| format!("run {child} is asked for by task {task} of run {run}"));
            }
        }
        true
    }
}
