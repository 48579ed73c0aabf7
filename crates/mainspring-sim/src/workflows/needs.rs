//! Tasks that wait for a task of another workflow by date, as `needs: [{workflow, task, at: same}]` does.
//!
//! What such a task awaits is written first. Whoever has written it looks then, and again whenever an end of it is told.

use std::collections::BTreeSet;

use mainspring_core::workflow::{Elsewhere, Found, Settled, counted};
use mainspring_core::{RunId, Timestamp};
use mainspring_store::{Await, Stands, Store};

use super::graph::NEEDED;
use super::owner::Live;
use super::{What, World};
use crate::store::ready;
use crate::world::BASE_MS;

/// How long after the run that needs it a run begins that is needed, at most; or before.
const LATE_MS: u64 = 15_000;

impl World {
    /// The date of a run.
    fn date_of(&self, run: RunId) -> Option<Timestamp> {
        ready(self.memory.run(run)).expect("the memory store is open").map(|run| run.fire_time)
    }

    /// Somebody starts the run of the other workflow for a date, sooner or later.
    pub(super) fn plan_needed(&mut self, date: Timestamp) {
        if self.needs && self.callee.is_some() {
            let later = self.random.below(LATE_MS);
            let date_ms = (date.as_millis() - BASE_MS).cast_unsigned();
            self.after(later, What::Needed(date_ms));
        }
    }

    /// Starts the run that others need for a date.
    pub(super) fn start_needed(&mut self, date_ms: u64) {
        let Some(callee) = &self.callee else { return };
        let date = Timestamp::from_millis(BASE_MS + date_ms.cast_signed());
        let id = self.ask_for(callee.job, date);
        self.called.insert(id);
        self.needed.insert(date, id);
        self.tell(|| format!("run {id} is asked for, for {date}"));
    }

    /// What tasks await that begin to wait.
    pub(super) fn awaits(&self, run: RunId, tasks: &BTreeSet<u32>) -> Vec<Await> {
        let Some(date) = self.date_of(run).filter(|_| !tasks.is_empty()) else { return Vec::new() };
        let need = |task: &u32| Some((*task, self.graph.need(*task)?));
        let await_of = |(task, need): (u32, &Elsewhere)| Await {
            task,
            upstream: need.workflow.clone(),
            of_task: need.task.clone(),
            first: date,
            last: date,
        };
        tasks.iter().filter_map(need).map(await_of).collect()
    }

    /// Sees what has become of what tasks await.
    pub(super) fn look_elsewhere(&self, run: RunId, live: &mut Live) {
        let tasks = live.take_to_look();
        let Some(date) = self.date_of(run).filter(|_| !tasks.is_empty()) else { return };
        for task in tasks {
            let Some(need) = self.graph.need(task) else { continue };
            let found = self.needed.get(&date).map_or(Found::Missing, |run| self.found(*run));
            if let Settled::Ends(state, _) = need.settle(&[(date, found)]) {
                live.settle(&self.graph.shape, task, state);
            }
        }
    }

    fn found(&self, run: RunId) -> Found {
        let stands = ready(self.memory.run_stands(run, NEEDED)).expect("the memory store is open");
        let Some(Stands { ended, task, .. }) = stands else { return Found::Missing };
        let state = task.filter(|state| state.is_final()).or(ended.map(counted));
        state.map_or(Found::Open(run), |state| Found::Ended(run, state))
    }
}
