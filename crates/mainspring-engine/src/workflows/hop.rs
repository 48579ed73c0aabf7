//! Hops: what follows ends of tasks is decided before these are recorded, so that one transaction records both, and claims what
//! comes next.
//!
//! That is done where nothing has to be read to decide it, and little follows. All else takes the way over the inbox. The turn of
//! the run decides here, too: where another node has advanced it, the step is stale and the ends are in the inbox. While the answer is
//! under way nobody else on this node advances the run.

use std::sync::Arc;

use futures_util::FutureExt;
use mainspring_core::RunId;
use mainspring_core::batch::{Completion, CompletionBatch};
use mainspring_core::job::Job;
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::{RunState, Verdict};
use mainspring_store::{ClaimRequest, FollowUp, Followed, StepAfter, Stepped};
use rustc_hash::FxHashSet;

use super::live::Live;
use super::{Inner, Workflows, lock};

/// Ends of a larger batch share a few transactions anyway.
const ENDS_MAX: usize = 64;
/// How many runs are made at most for one run of a workflow: more take so long that others would wait for it.
const STARTS_MAX: usize = 64;
/// How often to ask at most whether an end is of a run.
const ASKS_MAX: usize = 4_096;

/// What follows the ends of a batch, and is under way with them.
pub(crate) struct Hop {
    inner: Arc<Inner>,
    runs: Vec<Ahead>,
    /// Their ids: nobody else advances them.
    held: Vec<RunId>,
    /// Whether each end of a task in the batch is heard by one of the steps, if they are written.
    hears_all: bool,
}

/// A run that knows of ends which are not recorded yet.
struct Ahead {
    live: Live,
    step: Option<StepAfter>,
}

impl Workflows {
    /// Decides what follows ends that are about to be recorded.
    pub(crate) fn foresee(&self, batch: &CompletionBatch) -> Hop {
        let of_tasks = batch.entries.iter().filter(|entry| entry.job_version.task().is_some());
        let ends: Vec<&Completion> = of_tasks.clone().filter(|entry| has_succeeded(entry)).collect();
        let mut hop = Hop { inner: Arc::clone(&self.0), runs: Vec::new(), held: Vec::new(), hears_all: false };
        if ends.is_empty() || batch.entries.len() > ENDS_MAX {
            return hop;
        }
        let mut heard = 0;
        for mut live in self.0.take_parents(&ends) {
            let of_run: Vec<RunId> = ends.iter().map(|end| end.run).filter(|run| live.is_child(*run)).collect();
            heard += of_run.len();
            hop.held.push(live.run);
            of_run.iter().for_each(|run| live.foresee(*run, RunState::Succeeded));
            let step = self.0.step_ahead(&mut live, of_run);
            hop.runs.push(Ahead { live, step });
        }
        hop.hears_all = heard == of_tasks.count() && hop.runs.iter().all(|run| run.step.is_some());
        hop
    }
}

fn has_succeeded(entry: &Completion) -> bool {
    entry.then == AfterAttempt::Final(Verdict::Succeeded)
}

impl Inner {
    /// Takes the runs in memory to which ends belong, as far as it is quick to say what follows.
    fn take_parents(&self, ends: &[&Completion]) -> Vec<Live> {
        let jobs: FxHashSet<_> = ends.iter().map(|end| end.job).collect();
        let mut known = lock(&self.live);
        let mut asks = 0;
        let mut found = Vec::new();
        for live in known.values().filter(|live| live.plan.is_plain() && jobs.contains(&live.job)) {
            asks += ends.len();
            if asks > ASKS_MAX {
                break;
            }
            if ends.iter().any(|end| live.is_child(end.run)) {
                found.push(live.run);
            }
        }
        lock(&self.ahead).extend(&found);
        found.iter().filter_map(|run| known.remove(run)).collect()
    }

    /// The step that follows, if it is a small one.
    fn step_ahead(&self, live: &mut Live, ends: Vec<RunId>) -> Option<StepAfter> {
        live.advance();
        if live.asks().len() > STARTS_MAX {
            return None;
        }
        // Nothing is read for tasks like these.
        self.decide(live).now_or_never()?.ok()?;
        if !live.only_starts() {
            return None;
        }
        let job = live.job;
        let step = live.step(|task: &Job| self.lanes.line(job, task), self.time.now(), false)?;
        Some(StepAfter { step, ends })
    }

    /// Waits until nothing is under way that was decided ahead for a run.
    pub(super) async fn wait_for_hop(&self, run: RunId) {
        loop {
            let mut over = std::pin::pin!(self.landed.notified());
            over.as_mut().enable();
            if !lock(&self.ahead).contains(&run) {
                return;
            }
            over.await;
        }
    }
}

impl Hop {
    /// Whether it makes runs.
    pub(crate) fn starts(&self) -> bool {
        let steps = self.runs.iter().filter_map(|run| run.step.as_ref());
        steps.flat_map(|after| &after.step.tasks).any(|task| task.start.is_some())
    }

    /// What is to be written with the ends, and claimed then. Nothing: the ends go alone.
    pub(crate) fn follow_up(&self, claim: Option<ClaimRequest>) -> Option<FollowUp> {
        let steps: Vec<StepAfter> = self.runs.iter().filter_map(|run| run.step.clone()).collect();
        (!steps.is_empty()).then_some(FollowUp { steps, claim })
    }

    /// Goes on from what was recorded. False: workflow runs have something to hear.
    pub(crate) fn landed(mut self, followed: &Followed) -> bool {
        let mut heard_all = self.hears_all;
        let mut written = followed.steps.iter();
        for Ahead { mut live, step } in std::mem::take(&mut self.runs) {
            match step.as_ref().map(|step| (step, written.next())) {
                Some((StepAfter { step, .. }, Some(Stepped::Written(runs)))) => {
                    self.inner.metrics.workflow_steps.inc();
                    self.inner.metrics.workflow_hops.inc();
                    self.inner.tell_waiting(step);
                    live.written(step, runs);
                }
                // What it has taken in will be in its inbox, and is written with that.
                None if followed.outcome.refused.is_empty() => {}
                _ => {
                    heard_all = false;
                    continue;
                }
            }
            // Before it is told: nobody reads it anew.
            let run = live.run;
            lock(&self.inner.live).insert(run, live);
        }
        heard_all
    }
}

impl Drop for Hop {
    fn drop(&mut self) {
        if !self.held.is_empty() {
            let mut ahead = lock(&self.inner.ahead);
            self.held.iter().for_each(|run| _ = ahead.remove(run));
            drop(ahead);
            self.inner.landed.notify_waiters();
        }
    }
}
