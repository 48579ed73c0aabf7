//! Runs of workflows: what there is to do, and one step at a time.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use mainspring_core::batch::Placed;
use mainspring_core::cluster::{Shard, ShardSet};
use mainspring_core::line::WORKFLOW_LINE;
use mainspring_core::run::{Origin, RunEvent, RunState, next_state};
use mainspring_core::workflow::{Stop, TaskState};
use mainspring_core::{RunId, Timestamp, shard_of};

use super::awaits::Awaits;
use super::live::{More, Run, Stamp, TaskOf};
use super::model::{End, Model};
use super::{route, runs};
use crate::error::{Error, Result};
use crate::follow::StepAfter;
use crate::row::CalledBy;
use crate::workflow::{
    Message, MessageBody, Repeat, Stepped, TaskRequest, TaskRow, TaskStart, TaskWrite, TimeLimit, WorkflowDue,
    WorkflowRow, WorkflowStep, repeated, shared,
};

/// The number of the holder of runs that nobody executes.
pub(super) const NOBODY: u32 = u32::MAX;

/// Runs of workflows that have begun, live or final.
#[derive(Clone, Debug, Default)]
pub(super) struct Workflows {
    runs: BTreeMap<RunId, Workflow>,
    /// Runs that tasks of live ones have started, with those.
    calls: BTreeMap<RunId, RunId>,
    /// Live ones whose time is limited, by when it is over.
    expiring: BTreeSet<(Timestamp, RunId)>,
    /// What tasks of live ones await.
    pub(super) awaits: Awaits,
    /// How many messages were left.
    messages: i64,
}

#[derive(Clone, Debug, Default)]
struct Workflow {
    turn: i64,
    stop: Option<Stop>,
    paused: bool,
    /// How many ids of runs of tasks are given out.
    children: u32,
    rerun_as: Option<RunId>,
    limit: Option<TimeLimit>,
    tasks: BTreeMap<(u32, Option<u32>), TaskRow>,
    /// Nothing: there is more to do.
    inbox: BTreeMap<i64, Option<MessageBody>>,
}

impl Workflows {
    /// Leaves something in the inbox of a run that is live. Nothing: there is more to do.
    pub(super) fn leave(&mut self, run: RunId, body: Option<MessageBody>) {
        if let Some(workflow) = self.runs.get_mut(&run).filter(|workflow| workflow.turn > 0) {
            self.messages += 1;
            workflow.inbox.insert(self.messages, body);
        }
    }

    /// Whether a run can be repeated as somebody has planned it.
    pub(super) fn may_repeat(&self, of: RunId, repeat: &Repeat) -> bool {
        match self.runs.get(&of) {
            Some(old) => old.rerun_as == repeat.after,
            None => repeat.keep.is_empty(),
        }
    }

    /// Gives a run that is to repeat another one what it begins with. `is_known`: the other one is not gone.
    pub(super) fn repeat(&mut self, of: RunId, is_known: bool, again: RunId, repeat: &Repeat) -> Result<()> {
        let mut new = Workflow::default();
        match self.runs.get_mut(&of) {
            Some(old) if old.rerun_as != repeat.after => return Err(repeated(of)),
            Some(old) => {
                old.rerun_as = Some(again);
                for kept in &repeat.keep {
                    let rows = old.tasks.range((kept.there, None)..=(kept.there, Some(u32::MAX)));
                    let row =
                        |(_, row): (_, &TaskRow)| ((kept.here, row.item), TaskRow { task: kept.here, ..row.clone() });
                    new.tasks.extend(rows.map(row));
                }
            }
            // It has never begun.
            None if repeat.keep.is_empty() => {
                if is_known {
                    self.runs.insert(of, Workflow { rerun_as: Some(again), ..Workflow::default() });
                }
            }
            None => return Err(Error::NotFound { what: "run", key: of.to_string() }),
        }
        self.runs.insert(again, new);
        Ok(())
    }

    /// Notes the end of a task's run.
    pub(super) fn tell(&mut self, run: &Run, state: RunState) {
        if let Some(task) = run.task() {
            self.leave(task.parent, Some(MessageBody::Ended { child: run.id, state }));
        } else if let Some(parent) = self.calls.get(&run.id).copied() {
            self.leave(parent, Some(MessageBody::Ended { child: run.id, state }));
        }
    }

    /// Whether a task of a live run is under way and names this run as its own.
    pub(super) fn names(&self, by: &CalledBy, child: RunId) -> bool {
        let workflow = self.runs.get(&by.caller.run).filter(|workflow| workflow.turn > 0);
        let row = workflow.and_then(|workflow| workflow.tasks.get(&(by.task, by.item)));
        row.is_some_and(|row| row.state == TaskState::Running && row.child == Some(child))
    }

    /// Notes that a task starts a run. False: it has before.
    pub(super) fn call(&mut self, child: RunId, parent: RunId) -> bool {
        self.calls.insert(child, parent).is_none()
    }

    /// The runs that tasks of a run have started. Their ids have the time of that run.
    fn calls_of(&self, parent: RunId) -> impl Iterator<Item = RunId> {
        let (from, to) = (RunId::floor(parent.time()), RunId::floor(parent.time() + 1));
        self.calls.range(from..to).filter(move |(_, of)| **of == parent).map(|(child, _)| *child)
    }

    fn forget_calls(&mut self, parent: RunId) {
        let of: Vec<RunId> = self.calls_of(parent).collect();
        of.iter().for_each(|child| _ = self.calls.remove(child));
    }

    /// The state of a task as a whole to which something has happened.
    pub(super) fn task_state(&self, run: RunId, task: u32) -> Option<TaskState> {
        self.runs.get(&run)?.tasks.get(&(task, None)).map(|row| row.state)
    }

    /// The newest run that repeats one.
    pub(super) fn rerun_as(&self, run: RunId) -> Option<RunId> {
        self.runs.get(&run)?.rerun_as
    }

    /// Whether a run is that of a task, and goes with its parent.
    pub(super) fn keep(&self, run: &Run) -> bool {
        run.task().is_some_and(|task| self.runs.contains_key(&task.parent))
    }

    /// Notes what is known of the time of a run from now on.
    fn limit(&mut self, run: RunId, limit: TimeLimit) {
        let Some(workflow) = self.runs.get_mut(&run) else { return };
        if let Some(TimeLimit::Ends(at)) = workflow.limit.replace(limit) {
            self.expiring.remove(&(at, run));
        }
        if let TimeLimit::Ends(at) = limit {
            self.expiring.insert((at, run));
        }
    }

    /// When the time of the next run is over.
    pub(super) fn next_expiring(&self) -> Option<Timestamp> {
        self.expiring.first().map(|(at, _)| *at)
    }

    /// Tells runs whose time is over of that, each once.
    pub(super) fn expire(&mut self, at: Timestamp, limit: u32) {
        let due: Vec<RunId> =
            self.expiring.iter().take_while(|(end, _)| *end <= at).take(limit as usize).map(|(_, run)| *run).collect();
        for run in due {
            self.limit(run, TimeLimit::Lifted);
            self.leave(run, Some(MessageBody::Asked(TaskRequest::time_out(at))));
        }
    }

    /// Forgets a run.
    pub(super) fn forget(&mut self, run: RunId) -> bool {
        self.limit(run, TimeLimit::Lifted);
        self.runs.remove(&run).is_some()
    }
}

/// See [`crate::Store::workflows_due`].
pub(super) fn due(model: &Model, shards: ShardSet, limit: u32) -> Vec<WorkflowDue> {
    let concerns = |run: &&Run| {
        let key = &model.job(run.job).row.definition.key;
        shards.contains(Shard(shard_of(&key.namespace, &key.name)))
    };
    let due = |run: &Run, begins| WorkflowDue { run: run.id, job: run.job, job_version: run.job_version, begins };
    let begins = model.live.queued().filter(|run| *run.queue == *WORKFLOW_LINE).filter(concerns);
    let mut hear: Vec<(i64, &Run)> = (model.workflows.runs.iter())
        .filter_map(|(id, workflow)| Some((*workflow.inbox.keys().next()?, model.live.get(*id)?)))
        .filter(|(_, run)| concerns(run))
        .collect();
    hear.sort_unstable_by_key(|(first, _)| *first);
    let begins = begins.map(|run| due(run, true)).collect();
    shared(begins, hear.iter().map(|(_, run)| due(run, false)).collect(), limit)
}

/// See [`crate::Store::begin_workflows`].
pub(super) fn begin_all(model: &mut Model, runs: &[RunId], at: Timestamp) -> Vec<bool> {
    let begun = runs.iter().map(|run| begin(model, *run, at)).collect();
    model.events.flush(at);
    begun
}

fn begin(model: &mut Model, id: RunId, at: Timestamp) -> bool {
    let waits = |run: &&Run| run.state == RunState::Queued && *run.queue == *WORKFLOW_LINE;
    let Some(job) = model.live.get(id).filter(waits).map(|run| run.job) else { return false };
    model.live.update(id, |run| {
        (run.state, run.attempt, run.claimed_at, run.owner) = (RunState::Running, 1, Some(at), NOBODY);
        run.more().expires_at = None;
    });
    model.workflows.runs.entry(id).or_default().turn = 1;
    model.workflows.leave(id, None);
    model.events.run(id, job, RunState::Running);
    true
}

/// See [`crate::Store::workflow`].
pub(super) fn workflow(model: &Model, id: RunId, inbox: u32) -> Option<WorkflowRow> {
    let workflow = model.workflows.runs.get(&id)?;
    let over = model.history.get(id);
    let run = model.live.get(id).or(over.map(|over| &over.run))?;
    Some(WorkflowRow {
        run: id,
        job: run.job,
        key: model.job(run.job).row.definition.key.clone(),
        job_version: run.job_version,
        fire_time: run.fire_time,
        priority: run.priority,
        input: run.more.as_ref().and_then(|more| more.input.clone()),
        turn: workflow.turn,
        stop: workflow.stop,
        paused: workflow.paused,
        ended: over.map(|over| over.run.state),
        timed_out: workflow.limit == Some(TimeLimit::Reached),
        rerun_as: workflow.rerun_as,
        tasks: workflow.tasks.values().cloned().collect(),
        inbox: self::inbox(model, id, inbox),
    })
}

/// See [`crate::Store::workflow_inbox`].
pub(super) fn inbox(model: &Model, id: RunId, limit: u32) -> Vec<Message> {
    let Some(workflow) = model.workflows.runs.get(&id) else { return Vec::new() };
    let message = |(id, body): (&i64, &Option<MessageBody>)| Some(Message { id: *id, body: body.clone()? });
    workflow.inbox.iter().filter_map(message).take(limit as usize).collect()
}

/// See [`crate::Store::called_runs`].
pub(super) fn called(model: &Model, id: RunId) -> Vec<(RunId, String)> {
    let live = model.workflows.calls_of(id).filter_map(|child| model.live.get(child));
    live.filter_map(|run| Some((run.id, run.more.as_ref()?.caller.as_ref()?.task.clone()))).collect()
}

/// Counts tasks that wait for the end of a run that has ended and of which nothing is left to hear.
pub(super) fn stuck(model: &Model) -> u64 {
    let live = model.workflows.runs.values().filter(|workflow| workflow.turn > 0);
    let waits = live.flat_map(|workflow| workflow.tasks.values().map(move |task| (workflow, task)));
    let stuck = waits.filter(|(workflow, task)| {
        let is_told = |child| workflow.inbox.values().flatten().any(|body| body.is_end_of(child));
        task.state == TaskState::Running
            && task.child.is_some_and(|child| model.live.get(child).is_none() && !is_told(child))
    });
    stuck.count() as u64
}

/// See [`crate::Store::repair_workflows`].
pub(super) fn repair(model: &mut Model, limit: u32) -> u64 {
    let mut unheard: Vec<(RunId, RunId, RunState)> = Vec::new();
    for (run, workflow) in model.workflows.runs.iter().filter(|(_, workflow)| workflow.turn > 0) {
        let is_told = |child| workflow.inbox.values().flatten().any(|body| body.is_end_of(child));
        let waits = workflow.tasks.values().filter(|task| task.state == TaskState::Running);
        let children = waits.filter_map(|task| task.child).filter(|child| !is_told(*child));
        unheard.extend(children.filter_map(|child| Some((*run, child, model.history.get(child)?.run.state))));
    }
    unheard.truncate(limit as usize);
    for (run, child, state) in &unheard {
        model.workflows.leave(*run, Some(MessageBody::Ended { child: *child, state: *state }));
    }
    let runs: BTreeSet<RunId> = unheard.iter().map(|(run, ..)| *run).collect();
    for run in runs {
        model.workflows.runs.get_mut(&run).expect("it was found above").turn += 1;
    }
    unheard.len() as u64
}

/// See [`crate::Store::ask_workflow`].
pub(super) fn ask(model: &mut Model, run: RunId, request: TaskRequest) -> bool {
    let asks = model.live.get(run).is_some_and(|run| run.state == RunState::Running && run.owner == NOBODY);
    if asks {
        model.workflows.leave(run, Some(MessageBody::Asked(request)));
    }
    asks
}

/// See [`crate::Store::step_workflows`].
pub(super) fn steps(model: &mut Model, steps: &[WorkflowStep]) -> Vec<Stepped> {
    let mut runs = HashSet::new();
    // Of two steps of a run the second one is late, whichever turn it names.
    let written = steps.iter().map(|it| if runs.insert(it.run) { step(model, it) } else { Stepped::Stale }).collect();
    if let Some(at) = steps.iter().map(|step| step.at).max() {
        model.events.flush(at);
    }
    written
}

/// Whether something is left to hear, or to do, for each of the runs of steps.
pub(super) fn are_told(model: &Model, after: &[StepAfter]) -> Vec<bool> {
    let inbox = |after: &StepAfter| model.workflows.runs.get(&after.step.run).map(|workflow| &workflow.inbox);
    after.iter().map(|after| inbox(after).is_some_and(|inbox| !inbox.is_empty())).collect()
}

/// Writes steps whose runs hear of ends by them that were just recorded. One whose run was told something before is stale.
pub(super) fn steps_after(model: &mut Model, after: &[StepAfter], told: &[bool]) -> Vec<Stepped> {
    let hearing = |StepAfter { step, ends }: &StepAfter| {
        let inbox = model.workflows.runs.get(&step.run).map(|workflow| &workflow.inbox);
        let is_heard = |body: &MessageBody| ends.iter().any(|run| body.is_end_of(*run));
        let told = inbox.into_iter().flatten().filter(|(_, body)| body.as_ref().is_some_and(is_heard));
        WorkflowStep { heard: told.map(|(id, _)| *id).chain(step.heard.iter().copied()).collect(), ..step.clone() }
    };
    let ready = after.iter().zip(told).filter(|(_, told)| !**told).map(|(after, _)| hearing(after));
    let ready: Vec<WorkflowStep> = ready.collect();
    let mut written = steps(model, &ready).into_iter();
    let answers = told.iter().map(|told| if *told { None } else { written.next() });
    answers.map(|answer| answer.unwrap_or(Stepped::Stale)).collect()
}

fn step(model: &mut Model, step: &WorkflowStep) -> Stepped {
    let (Some(parent), Some(workflow)) = (model.live.get(step.run).cloned(), model.workflows.runs.get_mut(&step.run))
    else {
        return Stepped::Stale;
    };
    if workflow.turn != step.turn {
        return Stepped::Stale;
    }
    workflow.turn = if step.end.is_some() { 0 } else { step.turn + 1 };
    (workflow.stop, workflow.paused) = (step.stop, step.paused);
    workflow.inbox.retain(|id, body| body.is_some() && !step.heard.contains(id));
    if let Some(limit) = step.limit {
        model.workflows.limit(step.run, limit);
        model.outbox.queued();
    }
    let mut children = Vec::new();
    for task in &step.tasks {
        let child = task.start.as_ref().map(|start| start_run(model, &parent, task, start, step.at));
        write_task(model, step, task, child.or(task.call));
        children.extend(child);
    }
    let key = model.job(parent.job).row.definition.key.clone();
    model.workflows.awaits.add(&key.namespace, step);
    // The end of the run tells whoever awaits a task of it, too.
    if step.end.is_none() {
        model.workflows.tell_awaiting(&key, parent.fire_time, |task| step.over.iter().any(|over| **over == *task));
    }
    let mut cancels: Vec<&(RunId, String)> = step.cancel.iter().collect();
    cancels.sort_unstable_by_key(|(run, _)| *run);
    cancels.dedup_by_key(|(run, _)| *run);
    for (run, reason) in cancels {
        // A run of another job that a task has started may give its slot to others.
        let job = model.live.get(*run).filter(|run| run.counts_in_gate()).map(|run| run.job);
        model.end_one(*run, reason, step.at);
        if let Some(job) = job.filter(|_| model.live.get(*run).is_none()) {
            runs::free_slot(model, job);
        }
    }
    match &step.end {
        Some((verdict, reason)) => end(model, step, RunEvent::Ended(*verdict), reason.as_deref()),
        None if step.more => model.workflows.leave(step.run, None),
        None => {}
    }
    if !children.is_empty() {
        model.outbox.queued();
    }
    Stepped::Written(children)
}

fn write_task(model: &mut Model, step: &WorkflowStep, write: &TaskWrite, child: Option<RunId>) {
    let workflow = model.workflows.runs.get_mut(&step.run).expect("the caller has seen it");
    let row = workflow.tasks.entry((write.task, write.item)).or_insert(TaskRow {
        task: write.task,
        item: write.item,
        state: write.state,
        generation: write.generation,
        child: None,
        reason: None,
        since: step.at,
    });
    if (row.state, row.generation) != (write.state, write.generation) {
        row.since = step.at;
    }
    (row.state, row.generation, row.reason) = (write.state, write.generation, write.reason.clone());
    row.child = child.or(row.child);
}

/// Makes the run of a task, under the next id that is free.
fn start_run(model: &mut Model, parent: &Run, task: &TaskWrite, start: &TaskStart, at: Timestamp) -> RunId {
    let id = loop {
        let next = &mut model.workflows.runs.get_mut(&parent.id).expect("the caller has seen it").children;
        let id = parent.id.shard(parent.job, *next);
        *next += 1;
        // Whoever asks for a run chooses its id: that of a task may be taken.
        if model.live.get(id).is_none() && model.history.get(id).is_none() {
            break id;
        }
    };
    let of = TaskOf { parent: parent.id, name: start.name.clone() };
    let more = More { input: start.input.clone(), expires_at: start.expires_at, task: Some(of), ..More::default() };
    let version = parent.job_version.of_task(task.task);
    model.job_mut(parent.job).version_mut(version).runs += 1;
    model.events.run(id, parent.job, RunState::Queued);
    model.live.insert(Run {
        id,
        job: parent.job,
        job_version: version,
        trigger: None,
        fire_time: parent.fire_time,
        due_at: at,
        created_at: at,
        claimed_at: None,
        priority: start.priority,
        queue: start.line.as_str().into(),
        attempt: 0,
        owner: 0,
        state: RunState::Queued,
        origin: Origin::Parent,
        batch: Stamp { incarnation: u32::MAX, sequence: 0 },
        born: Placed::Queued,
        more: Some(Box::new(more)),
    });
    id
}

/// Ends the run itself.
fn end(model: &mut Model, step: &WorkflowStep, event: RunEvent, reason: Option<&str>) {
    let state = next_state(RunState::Running, event).expect("a run that goes on can end");
    let mut run = model.live.remove_if(step.run, |_| true).expect("the caller has seen it");
    let (job, trigger, started_at) = (run.job, run.trigger, run.claimed_at);
    let asked = run.more.as_ref().and_then(|more| more.reason.clone()).filter(|_| state == RunState::Cancelled);
    run.more().reason = reason.map(|reason| reason.to_owned().into()).or(asked);
    if let Some(output) = &step.output {
        run.more().detail.get_or_insert_default().output = Some(output.clone());
    }
    let workflow = model.workflows.runs.get_mut(&step.run).expect("the caller has seen it");
    workflow.inbox.clear();
    model.workflows.forget_calls(step.run);
    model.workflows.awaits.forget(step.run);
    if let Some(trigger) = model.awaiting(trigger, step.run) {
        model.note_trigger(trigger);
    }
    model.finish(run, state, End { outcome: None, started_at, ended_at: step.at });
    runs::free_slot(model, job);
}

impl Model {
    /// Ends a run, or asks for its end. Nothing happens to one that is over.
    pub(super) fn end_one(&mut self, run: RunId, reason: &str, at: Timestamp) {
        match self.live.get(run).map(|run| run.state) {
            Some(RunState::Running) => self.request_end(run, reason, at),
            Some(_) if !route::end_shards(self, run, reason, at) => self.cancel_unstarted(run, reason, at),
            _ => {}
        }
    }
}
