//! The store's side: steps that arrive late, twice or not at all, and are kept if they name the turn.

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_core::RunId;
use mainspring_core::batch::CompletionBatch;
use mainspring_store::{FollowUp, MessageBody, StepAfter, Stepped, Store, WorkflowStep};

use super::owner::Live;
use super::{Load, What, World};
use crate::faults::{Kind, Planted};
use crate::store::ready;

/// How long a sender waits for an answer.
pub(super) const DEADLINE_MS: u64 = 5_000;

/// What the sender of a step hears.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Told {
    /// It is kept.
    Kept,
    /// The run is at another turn.
    Stale,
    /// It failed, or not even that is known.
    Failed,
}

/// A step on its way.
struct Sent {
    /// Absent: a person has sent it.
    from: Option<Load>,
    step: WorkflowStep,
    /// The end that it hears, where that is recorded with it.
    end: Option<Arc<CompletionBatch>>,
    /// Where the run stands for the sender once it is kept.
    live: Option<Live>,
    /// The runs that it has made.
    made: Vec<RunId>,
    /// Whether its sender waits for it no more.
    is_left: bool,
}

/// Steps, by their numbers.
#[derive(Default)]
pub(super) struct Desk {
    sent: BTreeMap<u64, Sent>,
    numbers: u64,
}

impl Desk {
    pub(super) fn sender(&self, number: u64) -> Option<Load> {
        self.sent.get(&number)?.from
    }

    /// The sender's process is gone, or has let go of its runs.
    pub(super) fn lost(&mut self, node: usize) {
        let of = |it: &&mut Sent| it.from.is_some_and(|from| from.node == node);
        self.sent.values_mut().filter(of).for_each(|it| it.is_left = true);
    }
}

impl World {
    /// Sends a step.
    pub(super) fn send(
        &mut self,
        from: Option<Load>,
        step: WorkflowStep,
        live: Option<Live>,
        end: Option<Arc<CompletionBatch>>,
    ) {
        self.desk.numbers += 1;
        let number = self.desk.numbers;
        self.desk.sent.insert(number, Sent { from, step, end, live, made: Vec::new(), is_left: false });
        self.after(DEADLINE_MS, What::Deadline(number));
        if !self.chance(self.odds.lost, Kind::Loss) {
            let is_late = self.chance(self.odds.late, Kind::LateCommit);
            let delay = if is_late { self.random.between(500, 20_000) } else { self.random.between(2, 15) };
            self.after(delay, What::Commit(number));
        }
    }

    pub(super) fn commit(&mut self, number: u64) {
        let told = match self.chance(self.odds.before, Kind::ErrorBefore) {
            true => Told::Failed,
            false => self.keep(number),
        };
        if self.chance(self.odds.silent, Kind::Silent) {
            return;
        }
        let told = if self.chance(self.odds.after, Kind::ErrorAfter) { Told::Failed } else { told };
        let delay = self.random.between(1, 5);
        self.after(delay, What::Answer(number, told));
    }

    fn keep(&mut self, number: u64) -> Told {
        let mut step = self.desk.sent[&number].step.clone();
        if self.has(Planted::JoinWithoutTurn) {
            let row = ready(self.memory.workflow(step.run, 0)).expect("the memory store is open");
            step.turn = row.map_or(step.turn, |row| row.turn);
        }
        let kept = match self.desk.sent[&number].end.clone() {
            None => ready(self.memory.step_workflow(step.clone())).expect("the memory store is open"),
            Some(end) => self.keep_with(&step, end),
        };
        let Stepped::Written(made) = kept else {
            self.tell(|| format!("step {number} of run {} is stale", step.run));
            return Told::Stale;
        };
        self.tell(|| {
            format!("step {number} of run {} makes {} runs, and ends it: {:?}", step.run, made.len(), step.end)
        });
        let memory = &self.memory;
        let goes_on = |run| {
            let found = ready(memory.run(run)).expect("the memory store is open");
            found.filter(|found| !found.state.is_final()).map(|found| found.cancel_requested_at.is_none())
        };
        let broken = self.ledger.kept(&self.graph_of(step.run), &step, &made, goes_on);
        self.hold(broken);
        self.desk.sent.get_mut(&number).expect("it was found above").made = made;
        Told::Kept
    }

    /// Keeps a step with the end that it hears.
    fn keep_with(&mut self, step: &WorkflowStep, end: Arc<CompletionBatch>) -> Stepped {
        let ends: Vec<RunId> = end.entries.iter().map(|entry| entry.run).collect();
        self.bodies.retain(|_, body| !ends.contains(&body.run));
        let follow_up = FollowUp { steps: vec![StepAfter { step: step.clone(), ends: ends.clone() }], claim: None };
        let followed = ready(self.memory.complete_and_go_on(end, follow_up)).expect("the memory store is open");
        let kept = followed.steps.into_iter().next().expect("there is one step");
        if kept == Stepped::Stale && self.has(Planted::EndsSwallowed) {
            self.swallow(step.run, &ends);
        }
        kept
    }

    /// Takes ends out of the inbox of a run that has not heard them.
    fn swallow(&mut self, run: RunId, ends: &[RunId]) {
        let row = ready(self.memory.workflow(run, 1_000)).expect("the memory store is open");
        let Some(row) = row.filter(|row| row.ended.is_none()) else { return };
        let is_one = |body: &MessageBody| matches!(body, MessageBody::Ended { child, .. } if ends.contains(child));
        let heard = row.inbox.iter().filter(|it| is_one(&it.body)).map(|it| it.id).collect();
        let step = WorkflowStep { heard, stop: row.stop, paused: row.paused, ..self.step_of(run, row.turn) };
        ready(self.memory.step_workflow(step)).expect("the memory store is open");
    }

    pub(super) fn answered(&mut self, number: u64, told: Told) {
        let forgets_to_look = self.has(Planted::NeedsNotLooked);
        let Some(sent) = self.desk.sent.get_mut(&number).filter(|it| !it.is_left) else { return };
        sent.is_left = true;
        let (Some(load), Some(mut live)) = (sent.from, sent.live.take()) else { return };
        let (run, made) = (sent.step.run, std::mem::take(&mut sent.made));
        match told {
            Told::Kept => {
                let is_over = sent.step.end.is_some();
                live.written(&sent.step.tasks, &made);
                if !forgets_to_look {
                    live.look_at(sent.step.awaits.iter().map(|it| it.task));
                }
                self.written(load, run, live, is_over);
            }
            // What was counted with a step that is not kept counts on.
            Told::Failed if self.has(Planted::CountersKept) => self.keeps(load, run, live),
            Told::Stale | Told::Failed => self.forgets(load, run),
        }
    }
}
