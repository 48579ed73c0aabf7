//! Tasks that start other workflows: from the end of one attempt to the next, and the runs that are asked for.
//!
//! The row of a task names the run that it starts before there is one. That run is asked for once the row is written, and again by
//! whoever reads a row whose run may be missing. So no end is overlooked, and nothing runs twice: its id follows from the workflow run,
//! the task and the attempt.

use std::sync::Arc;

use mainspring_core::job::JobKey;
use mainspring_core::line::{HOLD_LINE, Line, WORKFLOW_LINE};
use mainspring_core::run::{Origin, RunState};
use mainspring_core::workflow::{AfterCall, CALLS_DEEP_MAX, Item, TaskContext, TaskState, run_name};
use mainspring_core::{RunId, Timestamp};
use mainspring_store::{AskedRun, CalledBy, Caller, Error, JobRow, Result, RunInfo, TaskStart};
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::live::{Answer, Live, Place};
use super::{Inner, values};

/// More than a task may have attempts.
const ATTEMPTS: u32 = 1_024;

impl Live {
    /// Notes that a task, or one of its runs, starts the run of its next attempt.
    pub(super) fn call(&mut self, place: Place) {
        let run = self.called(place, self.attempts(place));
        self.starts += 1;
        let write = self.writes.entry(place).or_default();
        (write.start, write.call, write.reason) = (None, Some(run), None);
    }

    /// The run of an attempt: another one for each generation of the task.
    fn called(&self, place: Place, attempt: u32) -> RunId {
        let generation = self.progress.rows()[place.0 as usize].generation;
        self.run.called(self.job, &self.name(place), generation * ATTEMPTS + attempt)
    }

    /// Which attempt a run is of, counted from 0.
    fn attempt_of(&self, place: Place, run: RunId) -> u32 {
        (0..ATTEMPTS).find(|attempt| self.called(place, *attempt) == run).unwrap_or(0)
    }

    /// How many attempts of a task have ended.
    pub(super) fn attempts(&self, place: Place) -> u32 {
        self.attempts.get(&place).copied().unwrap_or(0)
    }

    /// Takes in what is known of a run that a row names. One that is not there is yet to be asked for.
    pub(super) fn know_call(&mut self, place: Place, child: RunId, run: Option<RunInfo>) {
        if run.as_ref().is_some_and(|run| run.cancel_requested_at.is_some()) {
            self.note_asked_to_end(child);
        }
        let is_pause = |run: &RunInfo| run.task.is_some() && run.queue == Line::Hold.queue();
        match run {
            Some(pause) if is_pause(&pause) => {
                let ended = pause.input.and_then(|ended| ended.parse().ok()).unwrap_or(0);
                self.attempts.insert(place, ended);
                self.pauses.insert(child);
            }
            run => {
                self.attempts.insert(place, self.attempt_of(place, child));
                if run.is_none() {
                    self.to_ask.push(place);
                }
            }
        }
    }

    fn name(&self, (task, item): Place) -> String {
        run_name(&self.plan.task(task).name, item)
    }

    /// Hears of the end of what a task waited for: of the run that it has started, or of the pause before the next attempt.
    pub(super) fn call_ended(&mut self, place: Place, child: RunId, state: RunState, now: Timestamp) {
        let was_pause = self.pauses.remove(&child);
        if self.stands(place) != Some(TaskState::Running) {
            return;
        }
        let may_go_on = !self.is_stopped(place.0) && !self.was_asked_to_end(child);
        if was_pause {
            // It may have been over before it could be cancelled.
            return match state {
                RunState::Cancelled => self.end(place, TaskState::Cancelled, None),
                _ if may_go_on => self.call_again(place),
                _ => self.end(place, TaskState::Cancelled, None),
            };
        }
        let definition = self.plan.task(place.0);
        let name = definition.call.as_ref().map_or("", |call| call.workflow.as_str()).to_owned();
        let attempt = self.attempts(place) + 1;
        match definition.after_call(self.run, attempt, state, now) {
            AfterCall::Again(at) if may_go_on && at <= now => self.call_again(place),
            AfterCall::Again(at) if may_go_on => {
                self.pause_until(place, at, format!("attempt {attempt} failed: {name} {child}"))
            }
            AfterCall::Again(_) | AfterCall::Over(TaskState::Failed) => {
                self.end(place, TaskState::Failed, Some(format!("the run {child} of {name} failed")));
            }
            AfterCall::Over(state) => self.end(place, state, None),
        }
    }

    fn call_again(&mut self, place: Place) {
        *self.attempts.entry(place).or_default() += 1;
        self.call(place);
    }

    /// Lets a run that nobody executes pass the time until the next attempt.
    fn pause_until(&mut self, place: Place, at: Timestamp, reason: String) {
        let (name, priority) = (self.name(place), self.priority_of(place.0));
        // Whoever goes on after a crash reads it there.
        let ended = self.attempts(place).to_string();
        let start = TaskStart { name, line: HOLD_LINE.to_owned(), priority, input: Some(ended), expires_at: Some(at) };
        self.starts += 1;
        let write = self.writes.entry(place).or_default();
        (write.start, write.call, write.reason) = (Some(start), None, Some(reason));
    }

    /// What a task that starts another workflow gives to it.
    fn given(&self, (task, item): Place) -> std::result::Result<Value, String> {
        let Some(call) = &self.plan.task(task).call else { return Ok(Value::Null) };
        let context = match item {
            Some(item) => self.context_of_item(task, item),
            None => self.calling.get(&task).map(|context| (**context).clone()),
        };
        let context = context.ok_or_else(|| format!("{}: its inputs cannot be read any more", values::CODE))?;
        call.input(&context).map_err(|error| format!("{}: {error}", values::CODE))
    }

    fn context_of_item(&self, task: u32, item: u32) -> Option<TaskContext> {
        let (list, context) = self.spread_of(task)?;
        let item: Item = self.plan.item(task, item, list);
        Some(TaskContext { item: Some(item), ..context.clone() })
    }

    /// Ends a task whose run could not be started. Somebody may have asked for it all the same.
    pub(super) fn refuse(&mut self, place: Place, why: String) {
        if let Some(child) = self.child(place) {
            self.ask_end(child, &why);
            self.forget_child(child);
        }
        self.end(place, TaskState::Failed, Some(why));
    }
}

/// What a task starts.
#[derive(Clone)]
struct Callee {
    job: Arc<JobRow>,
    /// The origin that its runs have.
    origin: Origin,
    /// Whether a backfill has made the run at the top.
    backfilled: bool,
}

fn missing(JobKey { namespace, name }: &JobKey) -> String {
    format!("there is no job \"{name}\" in namespace \"{namespace}\"")
}

impl Inner {
    /// Reads what is not in the rows of tasks that start other workflows: what they were given, and whether they pause.
    pub(super) async fn load_calls(&self, live: &mut Live) -> Result<()> {
        for (place, child) in live.calls_under_way() {
            if place.1.is_none()
                && let Answer::Call(context) = values::ask(&*self.store, live, place.0, true, self.time.now()).await?
            {
                live.calling.insert(place.0, context);
            }
            live.know_call(place, child, self.store.run(child).await?);
        }
        Ok(())
    }

    /// Asks for the runs that rows name which are written. Answers whether something follows from it at once.
    pub(super) async fn ask_calls(&self, live: &mut Live) -> Result<bool> {
        let mut follows = false;
        // The items of a task start the same job.
        let mut callees = FxHashMap::default();
        for place in std::mem::take(&mut live.to_ask) {
            let Some(child) = live.child(place) else { continue };
            let input = live.given(place);
            if input.is_ok() && !callees.contains_key(&place.0) {
                callees.insert(place.0, self.callee(live, place.0).await?);
            }
            let asked = match input.map(|input| (input, callees[&place.0].clone())) {
                Ok((input, Ok(Some(callee)))) => self.ask_call(live, place, child, &input, &callee).await?,
                Ok((_, Ok(None))) => Ok(()),
                Ok((_, Err(why))) | Err(why) => Err(why),
            };
            if let Err(why) = asked {
                live.refuse(place, why);
                follows = true;
            }
        }
        Ok(follows)
    }

    /// Reads what a task starts. Nothing if its run is gone; words if there is nothing that it may start.
    async fn callee(&self, live: &Live, task: u32) -> Result<std::result::Result<Option<Callee>, String>> {
        let Some(call) = &live.plan.task(task).call else { return Ok(Ok(None)) };
        let key = JobKey::new(&live.plan.job().key.namespace, &call.workflow);
        let Some(job) = self.store.job(&key).await? else { return Ok(Err(missing(&key))) };
        let Some(Descent { origin, depth, backfilled }) = self.descent(live.run).await? else { return Ok(Ok(None)) };
        if depth > CALLS_DEEP_MAX {
            return Ok(Err(format!("workflows start each other more than {CALLS_DEEP_MAX} deep")));
        }
        Ok(Ok(Some(Callee { job: Arc::new(job), origin, backfilled })))
    }

    /// Asks for one. Says in words why there will be none.
    async fn ask_call(
        &self,
        live: &Live,
        place: Place,
        child: RunId,
        input: &Value,
        Callee { job, origin, backfilled }: &Callee,
    ) -> Result<std::result::Result<(), String>> {
        let caller = Caller { run: live.run, task: live.name(place) };
        let caller = CalledBy { caller, task: place.0, item: place.1, backfilled: *backfilled };
        let asked = AskedRun {
            id: child,
            job: job.id,
            job_version: job.version,
            origin: *origin,
            input: (!input.is_null()).then(|| input.to_string()),
            queue: self.lanes.line(job.id, &job.definition),
            priority: live.priority_of(place.0),
            rerun_of: None,
            repeat: None,
            caller: Some(caller),
            fire_time: live.fire_time,
            at: self.time.now(),
        };
        let is_workflow = asked.queue == WORKFLOW_LINE;
        match self.store.ask_run(asked).await {
            Ok(_) => {}
            Err(Error::NotFound { .. }) => return Ok(Err(missing(&job.definition.key))),
            Err(error) => return Err(error),
        }
        if is_workflow {
            self.wake.notify_one();
        }
        Ok(Ok(()))
    }

    /// Looks at what has started a run. Nothing if it is gone.
    async fn descent(&self, run: RunId) -> Result<Option<Descent>> {
        let Some(mut at) = self.store.run(run).await? else { return Ok(None) };
        let origin = if at.origin.is_of_the_past() { Origin::Rerun } else { Origin::Api };
        let mut depth = 1;
        while depth <= CALLS_DEEP_MAX
            && let Some(caller) = at.caller.take()
            && let Some(above) = self.store.run(caller.run).await?
        {
            (at, depth) = (above, depth + 1);
        }
        Ok(Some(Descent { origin, depth, backfilled: at.origin == Origin::Backfill }))
    }
}

/// What has started a run.
struct Descent {
    /// The origin that runs have which it starts. Over a past fire time these are reruns, which miss no deadline.
    origin: Origin,
    /// How deep it is below one that no task has started, itself included.
    depth: usize,
    /// Whether a backfill has made that one.
    backfilled: bool,
}
