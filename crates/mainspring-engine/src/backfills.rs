//! Backfills: on the node that owns a job's shard, keeps as many runs of each going as it may.
//!
//! What follows is [`Standing`]'s to say. Each step names the turn that it was decided on, and makes the runs of its items in the same
//! transaction, so that neither a crash nor a second node loses or doubles one.
//!
//! The loop is woken by ends of runs that this node records, while it has a backfill under way, and by requests. A look from time to
//! time is for what other nodes record.

mod wake;

use std::sync::Arc;

use mainspring_core::cluster::ShardSet;
use mainspring_core::job::Job;
use mainspring_core::line::{Line, WORKFLOW_LINE};
use mainspring_core::planner::Limits;
use mainspring_core::workflow::backfill::{Action, BackfillState, ItemState, Standing};
use mainspring_core::{RunId, RunSource, Timestamp};
use mainspring_store::{
    BackfillItem, BackfillStep, BackfillStore, BackfillTurn, Error, ItemStart, Repeat, Result, RunningItem, Store,
    Sweep, causes,
};
use tokio::sync::watch;

use crate::clock::{RightTime, pause};
use crate::control::{PartError, plan_part};
use crate::definitions::Definitions;
use crate::lanes::LaneWatch;
use crate::metrics::{Metrics, StateLabel};
use crate::workflows::Workflows;
pub(crate) use wake::BackfillWake;

/// How often to look while a backfill is under way, and while none is.
const LOOK_BUSY_MS: u64 = 250;
const LOOK_IDLE_MS: u64 = 1_000;
/// How long to wait after the store could not answer.
const RETRY_AFTER_MS: u64 = 250;
/// Backfills that are looked for at a time.
const DUE_MAX: u32 = 1_000;
/// Runs that one step makes. The rest starts with the next step.
const STARTS_MAX: u32 = 100;
/// Why runs of a cancelled backfill end.
const CANCELLED: &str = "the backfill was cancelled";

/// The backfills of this node's shards.
pub(crate) struct Backfills {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) definitions: Arc<Definitions>,
    pub(crate) lanes: LaneWatch,
    /// What is set for queues, as this node heard last.
    pub(crate) limits: watch::Receiver<Arc<Limits>>,
    pub(crate) time: RightTime,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) workflows: Workflows,
    pub(crate) wake: BackfillWake,
}

impl Backfills {
    /// Advances what is due, whenever there is something. Never ends.
    pub(crate) async fn run(self) {
        let mut owned = self.workflows.owned();
        loop {
            let shards = *owned.borrow_and_update();
            let due = if shards.is_empty() { Ok(0) } else { self.run_once(shards).await };
            match &due {
                Ok(due) => self.wake.set_busy(*due > 0),
                Err(Error::Closed) => return,
                Err(error) => {
                    tracing::error!(error = %causes(error), "backfills could not be advanced; trying again");
                    pause(RETRY_AFTER_MS).await;
                    continue;
                }
            }
            let every_ms = if due.is_ok_and(|due| due > 0) { LOOK_BUSY_MS } else { LOOK_IDLE_MS };
            tokio::select! {
                () = self.wake.woken() => {}
                Ok(()) = owned.changed() => {}
                () = pause(every_ms) => {}
            }
        }
    }

    fn kept(&self) -> &dyn BackfillStore {
        self.store.backfill_store()
    }

    /// Advances what is due now, and answers how many backfills are under way.
    pub(crate) async fn run_once(&self, shards: ShardSet) -> Result<usize> {
        let due = self.kept().backfills_due(shards, DUE_MAX).await?;
        let mut active = 0;
        for id in &due {
            // Whoever was faster has written it; what is read then is new.
            while let Advanced::Again = self.advance(*id).await? {}
            active += 1;
        }
        self.metrics.backfills.set(active);
        Ok(due.len())
    }

    /// Writes what follows from how the runs of a backfill stand now.
    async fn advance(&self, id: i64) -> Result<Advanced> {
        let Some(turn) = self.kept().backfill_turn(id, STARTS_MAX).await? else { return Ok(Advanced::Done) };
        let cancelled = turn.row.state == BackfillState::Cancelled;
        if cancelled {
            self.cancel_runs(&turn.running).await?;
        }
        let plan = match self.decide(&turn).await {
            Ok(plan) => plan,
            // The job was deleted, perhaps with its runs.
            Err(Error::NotFound { .. }) => Some(self.give_up(&turn)),
            // A newer program may have written it, and another node can.
            Err(Error::Unusable { why, .. }) => {
                tracing::error!(backfill.id = id, why, "the definition of a job cannot be read; its backfill waits");
                return Ok(Advanced::Done);
            }
            Err(error) => return Err(error),
        };
        let Some(step) = plan else { return Ok(Advanced::Done) };
        let (starts, ended) = (step.start.len(), step.ended.clone());
        let is_workflow = step.start.iter().any(|start| start.line == WORKFLOW_LINE);
        match self.kept().step_backfill(step).await {
            Ok(true) => {
                self.count(starts, &ended);
                if is_workflow {
                    self.workflows.wake();
                }
                // There may be more room than one step has filled.
                Ok(if starts > 0 || !turn.barred.is_empty() { Advanced::Again } else { Advanced::Done })
            }
            Ok(false) => Ok(Advanced::Again),
            Err(Error::NotFound { .. }) => {
                self.kept().step_backfill(self.give_up(&turn)).await?;
                Ok(Advanced::Again)
            }
            Err(error) => Err(error),
        }
    }

    fn count(&self, starts: usize, ended: &[(i64, ItemState)]) {
        let count = |state| self.metrics.backfill_items.get_or_create(&StateLabel { state });
        count("running").inc_by(starts as u64);
        ended.iter().for_each(|(_, state)| _ = count(state.as_str()).inc());
    }

    /// The next step. Nothing, if nothing follows.
    async fn decide(&self, turn: &BackfillTurn) -> Result<Option<BackfillStep>> {
        let row = &turn.row;
        let ended: Vec<(i64, Timestamp, ItemState)> = turn.running.iter().filter_map(end_of).collect();
        let mut standing = Standing { state: row.state, reason: row.reason.clone(), counts: row.counts };
        let heard: Vec<(Timestamp, ItemState)> = ended.iter().map(|(_, fire, state)| (*fire, *state)).collect();
        standing.hear(&heard, row.spec.stop_on_failure);
        let mut ended: Vec<(i64, ItemState)> = ended.into_iter().map(|(seq, _, state)| (seq, state)).collect();
        for seq in &turn.barred {
            standing.counts.shift(1, ItemState::Open, ItemState::Cancelled);
            ended.push((*seq, ItemState::Cancelled));
        }
        let mut start = Vec::new();
        let room = standing.room(row.spec.max_active);
        if room > 0 {
            let definition = self.definitions.definition(row.job, row.job_version).await?;
            let line = self.lanes.line(row.job, &definition);
            let room = room.min(self.room_in_queue(Line::parse(&line).queue()).await?);
            let at = self.time.now();
            let trigger = definition.triggers.iter().find(|trigger| trigger.name == row.spec.trigger);
            let input = trigger.map(|trigger| &trigger.input).filter(|input| !input.is_null());
            for item in &turn.open {
                if start.len() as u64 >= room {
                    break;
                }
                // A run of it is under way, though none was when the plan was made.
                if turn.busy.contains(&item.fire_time) {
                    standing.counts.shift(1, ItemState::Open, ItemState::Skipped);
                    ended.push((item.seq, ItemState::Skipped));
                    continue;
                }
                let Some((rerun_of, repeat)) = self.repeat(turn, item, &definition).await? else {
                    standing.counts.shift(1, ItemState::Open, ItemState::Skipped);
                    ended.push((item.seq, ItemState::Skipped));
                    continue;
                };
                standing.counts.shift(1, ItemState::Open, ItemState::Running);
                start.push(ItemStart {
                    seq: item.seq,
                    fire_time: item.fire_time,
                    run: run_of(turn, item, at),
                    rerun_of,
                    repeat,
                    line: line.clone(),
                    priority: row.spec.priority,
                    input: input.map(ToString::to_string),
                    expires_at: definition.start_timeout_ms.map(|ms| at + ms),
                });
            }
        }
        standing.settle();
        let is_over = standing.is_over();
        if ended.is_empty() && start.is_empty() && standing.state == row.state && is_over == row.ended_at.is_some() {
            return Ok(None);
        }
        let at = self.time.now();
        Ok(Some(BackfillStep {
            id: row.id,
            turn: row.turn,
            state: standing.state,
            reason: standing.reason,
            counts: standing.counts,
            ended,
            start,
            sweep: None,
            ended_at: is_over.then_some(at),
            at,
        }))
    }

    /// Which run that of an item repeats, and what it begins with, if it runs some tasks of an earlier one again. Nothing at all: none of
    /// them would run by now, or the earlier run is gone or under way.
    async fn repeat(&self, turn: &BackfillTurn, item: &BackfillItem, job: &Arc<Job>) -> Result<Option<Repeats>> {
        let earlier = item.run.or(item.rerun_of);
        let of = earlier.filter(|_| item.action == Action::Rerun);
        let (Some(part), Some(of)) = (&turn.row.spec.part, of) else { return Ok(Some((earlier, None))) };
        match plan_part(&*self.store, of, (job, turn.row.job_version), part).await {
            Ok(plan) if plan.runs() > 0 => {
                let (of, repeat) = plan.into_repeat();
                Ok(Some((Some(of), Some(repeat))))
            }
            Ok(_) | Err(PartError::Gone) => Ok(None),
            Err(PartError::Refused(why)) => {
                tracing::warn!(backfill.id = turn.row.id, run.id = %of, %why, "tasks of a run do not run again");
                Ok(None)
            }
            Err(PartError::Store(error)) => Err(error),
        }
    }

    /// How many more runs may wait in a queue. Queues without a limit cost nothing.
    async fn room_in_queue(&self, queue: &str) -> Result<u64> {
        if !self.limits.borrow().is_bounded(queue) {
            return Ok(u64::MAX);
        }
        let rule = self.store.queues().await?.into_iter().find(|row| row.name == queue);
        let Some(most) = rule.and_then(|row| row.rule.max_waiting) else { return Ok(u64::MAX) };
        Ok(u64::from(most.saturating_sub(self.store.waiting(queue, most).await?)))
    }

    /// Ends the runs of a backfill that was cancelled, or asks for their ends.
    async fn cancel_runs(&self, running: &[RunningItem]) -> Result<()> {
        for item in running {
            if item.cancel_requested || item.state.is_none_or(|state| state.is_final()) {
                continue;
            }
            match self.store.cancel_run(item.run, CANCELLED, None, self.time.now()).await {
                Ok(_) | Err(Error::NotFound { .. }) => self.workflows.wake(),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The end of a backfill whose job is gone. What is under way ends with the job.
    fn give_up(&self, turn: &BackfillTurn) -> BackfillStep {
        let mut counts = turn.row.counts;
        counts.shift(counts.open, ItemState::Open, ItemState::Cancelled);
        let at = self.time.now();
        BackfillStep {
            id: turn.row.id,
            turn: turn.row.turn,
            state: BackfillState::Cancelled,
            reason: Some("the job was deleted".to_owned()),
            counts,
            ended: Vec::new(),
            start: Vec::new(),
            sweep: Some(Sweep::Close),
            ended_at: (counts.running == 0).then_some(at),
            at,
        }
    }
}

/// Which run one repeats, if any, and what it keeps of it. Without that, all of it runs.
type Repeats = (Option<RunId>, Option<Repeat>);

enum Advanced {
    Done,
    Again,
}

/// How the run of an item has ended, if it has. One that is gone has failed: nobody can say how it ended.
fn end_of(item: &RunningItem) -> Option<(i64, Timestamp, ItemState)> {
    let state = item.state.map_or(ItemState::Failed, ItemState::of);
    (state != ItemState::Running).then_some((item.seq, item.fire_time, state))
}

/// The id of an item's run. It carries the instant at which it is made, like that of every run that somebody asks for, so that retention
/// finds it among those of its age.
fn run_of(turn: &BackfillTurn, item: &BackfillItem, at: Timestamp) -> RunId {
    let number = (turn.row.id.cast_unsigned() << 20) ^ item.seq.cast_unsigned() ^ (turn.row.turn.cast_unsigned() << 44);
    RunId::new(at, RunSource::Asked(turn.row.job, number))
}
