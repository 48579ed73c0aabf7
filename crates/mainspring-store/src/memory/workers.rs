//! Workers of other machines.

use mainspring_core::batch::LiveRun;
use mainspring_core::run::{AttemptOutcome, RunState};
use mainspring_core::workers::{Count, Held};
use mainspring_core::{Incarnation, Timestamp};

use super::live::Run;
use super::model::{Model, Worker};
use crate::error::{Error, Result};
use crate::worker::{WorkerInfo, WorkerRow, WorkerToken, executor, executor_of, is_draining};

impl Model {
    pub(super) fn join_worker(&mut self, info: WorkerInfo) -> Result<()> {
        let (id, heard_at) = (info.id, info.joined_at);
        if self.workers.contains_key(&id) {
            let why = "is there already".into();
            return Err(Error::Conflict { what: "worker", key: id.to_string(), why });
        }
        self.nodes.iter_mut().for_each(|nodes| nodes.raise_fence(id));
        self.executors.insert(id, executor(&info.name));
        let row = WorkerRow { info, heard_at, running: 0, draining: false, clock_offset_ms: None };
        self.workers.insert(id, Worker { row, counter: 0 });
        Ok(())
    }

    pub(super) fn hear_worker(&mut self, id: Incarnation, by: Incarnation, at: Timestamp) -> bool {
        let Some(worker) = self.workers.get_mut(&id) else { return false };
        worker.row.info.node = by;
        self.beat_workers(by, &[id], at);
        true
    }

    pub(super) fn name_node(&mut self, id: Incarnation, name: &str) {
        self.executors.entry(id).or_insert_with(|| name.to_owned());
    }

    /// The node or the worker that executes a run, or has executed its last attempt.
    pub(super) fn executor_of(&self, run: &Run, outcome: Option<AttemptOutcome>) -> (Option<String>, Option<String>) {
        let is_known = run.state == RunState::Running || outcome.is_some_and(|outcome| outcome != AttemptOutcome::Lost);
        let by = self.incarnations.get(run.owner as usize).filter(|_| is_known);
        executor_of(by.and_then(|by| self.executors.get(by)).cloned())
    }

    pub(super) fn place_worker(&mut self, id: Incarnation, place: Option<u32>) -> bool {
        let Some(worker) = self.workers.get_mut(&id) else { return false };
        worker.row.info.place = place;
        true
    }

    pub(super) fn drain_worker(&mut self, id: Incarnation, draining: bool) -> bool {
        let Some(worker) = self.workers.get_mut(&id) else { return false };
        worker.row.draining = draining;
        true
    }

    pub(super) fn note_worker_clocks(&mut self, offsets: &[(Incarnation, i64)]) {
        for (id, offset_ms) in offsets {
            if let Some(worker) = self.workers.get_mut(id) {
                worker.row.clock_offset_ms = Some(*offset_ms);
            }
        }
    }

    /// Whether a worker may claim what a process start gives it.
    pub(super) fn worker_may_claim(&self, id: Incarnation, by: Incarnation) -> Result<()> {
        match self.workers.get(&id) {
            Some(worker) if worker.row.info.node != by => Err(Error::Fenced),
            Some(worker) if worker.row.draining => Err(is_draining(id)),
            Some(_) => Ok(()),
            None => Err(Error::Fenced),
        }
    }

    pub(super) fn beat_workers(&mut self, by: Incarnation, heard: &[Incarnation], at: Timestamp) -> Vec<Count> {
        for id in heard {
            let Some(worker) = self.workers.get_mut(id) else { continue };
            worker.counter += 1;
            worker.row.heard_at = at;
        }
        let counts = self.workers.iter().map(|(id, worker)| Count {
            worker: *id,
            counter: worker.counter,
            here: worker.row.info.node == by,
            draining: worker.row.draining,
        });
        counts.collect()
    }

    pub(super) fn bury_worker(&mut self, dead: Incarnation, counter: Option<u64>) -> bool {
        let there = self.workers.get(&dead).is_some_and(|worker| counter.is_none_or(|seen| seen == worker.counter));
        if there {
            self.workers.remove(&dead);
            self.nodes.iter_mut().for_each(|nodes| nodes.lower_fence(dead));
        }
        there
    }

    /// In order of run.
    pub(super) fn held_by_workers(&mut self, by: Incarnation) -> Vec<Held> {
        let heard = self.workers.iter().filter(|(_, worker)| worker.row.info.node == by);
        let heard: Vec<Incarnation> = heard.map(|(id, _)| *id).collect();
        let mut held = Vec::new();
        for worker in heard {
            let runs = self.held(worker).into_iter();
            held.extend(runs.map(|LiveRun { claimed, ends, .. }| Held {
                worker,
                run: claimed.run,
                attempt: claimed.attempt,
                ends,
            }));
        }
        held.sort_unstable_by_key(|held| held.run);
        held
    }

    /// By name, then id.
    pub(super) fn worker_rows(&mut self) -> Vec<WorkerRow> {
        let mut rows: Vec<WorkerRow> = self.workers.values().map(|worker| worker.row.clone()).collect();
        for row in &mut rows {
            row.running = u32::try_from(self.held(row.info.id).len()).unwrap_or(u32::MAX);
        }
        rows.sort_by(|a, b| (&a.info.name, a.info.id).cmp(&(&b.info.name, b.info.id)));
        rows
    }

    pub(super) fn add_worker_token(&mut self, token: WorkerToken) -> Result<()> {
        if self.worker_tokens.contains_key(&token.name) {
            let why = "is taken".into();
            return Err(Error::Conflict { what: "name of a worker token", key: token.name, why });
        }
        self.worker_tokens.insert(token.name.clone(), token);
        Ok(())
    }
}
