//! The contract of a store.

use std::sync::Arc;

use async_trait::async_trait;
use mainspring_core::batch::{
    ClaimedRun, CompletionBatch, CompletionOutcome, FireBatch, FireOutcome, Heard, LiveRun, Queues, Rearm, TriggerRow,
};
use mainspring_core::cluster::ShardSet;
use mainspring_core::job::{Job, JobKey};
use mainspring_core::lane::JobLane;
use mainspring_core::queue::QueueRule;
use mainspring_core::workers::{Count, Held};
use mainspring_core::{BatchId, Incarnation, JobId, JobVersion, RunId, Timestamp, TriggerId};

use crate::after::{AfterEdge, AfterFire, AfterFired, AftersDue};
use crate::awaits::Stands;
use crate::backfill::BackfillStore;
use crate::cluster::Cluster;
use crate::correct::{Corrected, Correction};
use crate::data::JobData;
use crate::digest::{JobDigest, RunDigest};
use crate::document::{Document, DocumentChange, DocumentExpect};
use crate::error::{Error, Result};
use crate::flow::{FlowStore, InboxStore};
use crate::follow::{FollowUp, Followed};
use crate::key::{Claimed, KeptAnswer, KeyClaim, Release};
use crate::past::PastRuns;
use crate::rollup::{RollupRow, RollupSpan};
use crate::row::{
    Asked, AskedRun, AttemptInfo, CalendarRow, CalendarWrite, Cancelled, Changes, Connections, DeadlinesDue, EventRow,
    Expect, GapRow, JobDelete, JobPrior, JobQuery, JobRow, JobUpdate, JobWrite, LineWaits, LogChunk, MissedDeadline,
    NamespaceRow, PlaceChange, Placing, PurgeRule, QueueMove, QueueRow, Released, RunInfo, RunQuery, Saved,
    StoreFigures, StoreInfo, StoreWarning, Tally, TriggerEnd, TriggerInfo, TriggerQuery, VersionRow, VersionedJob,
};
use crate::webhook::{Delivery, Disabled, NewDelivery, Sent, Taken, Webhook, WebhookRow};
use crate::worker::{Routed, WorkerInfo, WorkerRow, WorkerToken};
use crate::workflow::{Message, Stepped, TaskRequest, WorkflowDue, WorkflowRow, WorkflowStep};

/// Where jobs, triggers, runs and history are kept.
///
/// Every method that changes something is one transaction: it happens whole and durably before it returns, or
/// not at all. The engine's methods come first; they are served before the others. Requests that affect a fire
/// also note the triggers in the outbox that [`Store::read_changes`] reads, and wake [`Store::changed`].
#[async_trait]
pub trait Store: Send + Sync + 'static {
    // The engine's lane.

    /// Registers this process start, takes over every `running` run of earlier ones, and returns those.
    ///
    /// An embedded store has one process, so whoever held them is gone. In order of id. Changes of triggers that were noted before are
    /// forgotten there: this process has read no trigger yet, so that it reads them as they are now.
    async fn adopt(&self, incarnation: Incarnation, at: Timestamp) -> Result<Vec<LiveRun>>;

    /// Reads active, unpaused triggers of some shards due up to `until`, in order of (place in the due index, id), after the given place.
    ///
    /// The place is a lower bound of `due_at`: rows may turn out to be due later than `until`. The second
    /// value continues the read, and is absent at the end.
    async fn window(
        &self,
        shards: ShardSet,
        until: Timestamp,
        after: Option<(Timestamp, TriggerId)>,
        limit: u32,
    ) -> Result<(Vec<TriggerRow>, Option<(Timestamp, TriggerId)>)>;

    /// Reads triggers by id, whatever their state, in any order. Those that are gone are left out; one that is asked for twice may be
    /// answered twice.
    async fn trigger_rows(&self, ids: &[TriggerId]) -> Result<Vec<TriggerRow>>;

    /// Active triggers that have no next instant and await no unfinished run, in order of id: those that an
    /// interruption has left behind.
    async fn stranded(&self) -> Result<Vec<TriggerRow>>;

    /// The definition of a version of a job, for as long as a trigger or run refers to it.
    async fn definition(&self, job: JobId, version: JobVersion) -> Result<Arc<Job>>;

    /// The same for several versions at a time. Those that are not there are left out; of one that cannot be read, the
    /// reason is told.
    async fn definitions(&self, keys: &[(JobId, JobVersion)]) -> Result<Vec<VersionedJob>> {
        let mut found = Vec::with_capacity(keys.len());
        for key in keys {
            match self.definition(key.0, key.1).await {
                Ok(definition) => found.push((*key, Ok(definition))),
                Err(Error::NotFound { .. }) => {}
                Err(Error::Unusable { why, .. }) => found.push((*key, Err(why))),
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    /// Records fires. See [`FireBatch`] for what is compared and [`FireOutcome`] for the answer.
    ///
    /// A trigger that is gone, has another version or `next_fire_at`, is not active or is paused makes its entry stale.
    /// `fired_through` never goes back. A run whose id is there already, unfinished or in history, is
    /// [`mainspring_core::batch::Placed::Known`] and takes no slot. A batch that comes again (same [`FireBatch::id`])
    /// records nothing: it gets the answer that it got first, as long as its runs have not gone on, and what was left out
    /// then, blocked or busy, is busy. That holds for a message, too, that arrives after its repeat was answered.
    ///
    /// What a request has locked, a trigger or the gate of its job, may be answered as [`FireOutcome::busy`] instead of
    /// being waited for.
    ///
    /// Jobs with a gate are asked through [`mainspring_core::overlap::admit`] under the gate's lock, run by run;
    /// a suppressed run leaves a gap record in the same transaction. Where an older run is to make room
    /// ([`mainspring_core::overlap::to_replace`]), its end is asked for if a worker has it; otherwise it is cancelled at
    /// once, and stays the record of its instant. An entry whose first run is blocked is not
    /// recorded at all. Triggers with `awaiting_run` set keep it only if that run is unfinished afterwards.
    async fn fire(&self, batch: Arc<FireBatch>) -> Result<FireOutcome>;

    /// Records ends of attempts: moves final runs to history, schedules retries, frees and fills slots, re-arms triggers.
    ///
    /// Applies to a run that is `running`, at that attempt, and held by the batch's incarnation; all else is refused,
    /// a repeat included. A retried run keeps its slot and is `scheduled` with the reason `retry_delay`; if its end
    /// was asked for, it is not tried again but `cancelled`. A freed slot goes to the held run that a claim would
    /// take first (highest priority, then oldest due, then id). Whether one is free is asked of the limit that the job
    /// has now, not of the version that ran; a deleted job has none. Jobs in `freed` are in ascending order.
    async fn complete(&self, batch: Arc<CompletionBatch>) -> Result<CompletionOutcome>;

    /// Records ends as [`Store::complete`] does and, in the same transaction, what follows them: steps of workflow runs, as
    /// [`Store::step_workflows`] writes them, and then a claim, as [`Store::claim`] makes it. So what a step queues is claimed in its
    /// place among all that waits.
    ///
    /// An end that a written step [hears](crate::StepAfter::ends) leaves no message. A step that is stale leaves its ends to the inbox,
    /// like ends that no step hears. A step is stale, too, if its run was told or asked something that it has not heard. Where the batch has an entry that is refused, no step is written: what they were decided on
    /// is not what is there.
    async fn complete_and_go_on(&self, batch: Arc<CompletionBatch>, follow_up: FollowUp) -> Result<Followed>;

    /// Takes up to `limit` queued runs for a process start or a worker: of each queue in turn, or of all queues together if it names
    /// none. Of each namespace that has runs there it takes as many, as [`mainspring_core::queue::share_out`] says; within one they go by
    /// their [place](mainspring_core::queue::place), then oldest due, then id.
    ///
    /// A claim that is repeated (same id, and none of that process start in between) takes nothing once it has taken
    /// something: it answers those of its runs that are still running at that attempt for that process start.
    async fn claim(&self, id: BatchId, queues: &Queues, limit: u32, at: Timestamp) -> Result<Vec<ClaimedRun>>;

    /// Takes over up to `limit` running runs of a process start without a node, or of a worker that is gone, and returns them, in order of id.
    ///
    /// A repeat (same id, and no other adoption from the same process start by this one in between) takes nothing once
    /// something is taken: it answers what of that is still running at that attempt for whoever adopted it.
    async fn adopt_from(&self, dead: Incarnation, id: BatchId, limit: u32) -> Result<Vec<LiveRun>>;

    /// The running runs that a process start or a worker holds, in order of id.
    async fn held(&self, by: Incarnation) -> Result<Vec<LiveRun>>;

    /// What the workers hold that a process start [hears](Store::hear_worker), in order of run.
    async fn held_by_workers(&self, by: Incarnation) -> Result<Vec<Held>>;

    /// Registers a worker: from now on it may claim runs under its incarnation. A conflict: it is there already.
    async fn join_worker(&self, worker: WorkerInfo) -> Result<()>;

    /// Notes what a process start is called: as such, it is named as the [node](crate::RunInfo::node) of runs that it executes.
    async fn name_node(&self, id: Incarnation, name: &str) -> Result<()>;

    /// Notes which process start hears a worker from now on, and counts it up. False: it is gone.
    async fn hear_worker(&self, id: Incarnation, by: Incarnation, at: Timestamp) -> Result<bool>;

    /// Sets the place of a worker in the order of workers, or takes it. False: the worker is gone.
    async fn place_worker(&self, id: Incarnation, place: Option<u32>) -> Result<bool>;

    /// Has a worker be given nothing new from now on, or lets it be given runs again. False: the worker is gone.
    async fn drain_worker(&self, id: Incarnation, draining: bool) -> Result<bool>;

    /// Notes how far the clocks of workers are ahead of the servers', in milliseconds. Those that are gone are passed over.
    async fn note_worker_clocks(&self, offsets: &[(Incarnation, i64)]) -> Result<()>;

    /// Claims for a worker, like [`Store::claim`], if it is [heard](Store::hear_worker) by this process start. [`Error::Fenced`]: it
    /// is gone, or heard by another, which may have looked at what it holds. [`Error::Conflict`]: it [drains](Store::drain_worker).
    async fn claim_for(
        &self,
        id: BatchId,
        by: Incarnation,
        queues: &Queues,
        limit: u32,
        at: Timestamp,
    ) -> Result<Vec<ClaimedRun>>;

    /// Counts up the workers that a process start has heard, and reads the counts of all. Whoever is missing is gone; whoever is not
    /// `here` is [heard](Store::hear_worker) by another.
    async fn beat_workers(&self, by: Incarnation, heard: &[Incarnation], at: Timestamp) -> Result<Vec<Count>>;

    /// Removes a worker, if its count is still this (or whatever it is): it can claim nothing any more. True: it was there. What it
    /// holds is to be [taken over](Store::adopt_from).
    async fn bury_worker(&self, dead: Incarnation, counter: Option<u64>) -> Result<bool>;

    /// What a worker said when it joined, and which process start heard it last.
    async fn worker(&self, id: Incarnation) -> Result<Option<WorkerInfo>>;

    /// All workers, by name.
    async fn workers(&self) -> Result<Vec<WorkerRow>>;

    /// Keeps a token of workers. A conflict: the name is taken.
    async fn add_worker_token(&self, token: WorkerToken) -> Result<()>;

    /// The tokens of workers, by name.
    async fn worker_tokens(&self) -> Result<Vec<WorkerToken>>;

    /// Removes a token of workers. True: it was there.
    async fn remove_worker_token(&self, name: &str) -> Result<bool>;

    /// Makes scheduled runs ready that are due at `at`, up to `limit`, and ends up to as many that wait and whose time is
    /// over, as [`mainspring_core::run::expiry`] says. These give up their slots as by [`Store::cancel_run`], and a trigger
    /// that awaits one is noted in the outbox.
    async fn release_due(&self, at: Timestamp, limit: u32) -> Result<Released>;

    /// Picks workers for runs of routed jobs, until `limit` or a few more are placed, as [`mainspring_core::router::Router`] says, and puts each into the line of
    /// its worker. Before that, runs in lines whose worker is gone, or takes none of their queue any more, wait for another pick. What
    /// strategies remember is read and written under one lock, so that it holds whoever asks.
    ///
    /// A run of which each worker is to execute a shard waits from then on, and its shards, which are runs with ids of [`RunId::shard`],
    /// are queued in its place; they count in no gate. Once they are final, this ends their run, as
    /// [`mainspring_core::routing::ended`] says.
    ///
    /// No run is in the way of another: not one for which nobody is there, nor one that cannot be split.
    async fn route(&self, at: Timestamp, limit: u32) -> Result<Routed>;

    /// Workflow runs with something to do, of jobs of some shards, up to `limit`: those that wait to be begun first, then those whose
    /// inbox is not empty or that [have more to do](WorkflowStep::more), each once, those that have waited longest first. Neither kind
    /// takes more than half of the limit while the other could use it.
    async fn workflows_due(&self, shards: ShardSet, limit: u32) -> Result<Vec<WorkflowDue>>;

    /// Begins workflow runs: from `queued` in the line of workflows to `running`, held by nobody, at their first attempt. Answers for
    /// each, in the order of the runs. False: it is begun already, or waits no more.
    async fn begin_workflows(&self, runs: Vec<RunId>, at: Timestamp) -> Result<Vec<bool>>;

    /// Begins one workflow run, as [`Store::begin_workflows`] does.
    async fn begin_workflow(&self, run: RunId, at: Timestamp) -> Result<bool> {
        Ok(self.begin_workflows(vec![run], at).await? == [true])
    }

    /// Reads where workflow runs stand, live or final, each with up to `inbox` messages: in the order of the runs. Nothing: it is gone,
    /// or has not begun and repeats none.
    async fn workflows(&self, runs: Vec<RunId>, inbox: u32) -> Result<Vec<Option<WorkflowRow>>>;

    /// Reads where one workflow run stands, as [`Store::workflows`] does.
    async fn workflow(&self, run: RunId, inbox: u32) -> Result<Option<WorkflowRow>> {
        Ok(self.workflows(vec![run], inbox).await?.pop().flatten())
    }

    /// Up to `limit` messages of each of some live workflow runs that are not heard yet, oldest first: in the order of the runs.
    async fn workflow_inboxes(&self, runs: Vec<RunId>, limit: u32) -> Result<Vec<Vec<Message>>>;

    /// The messages of one workflow run, as [`Store::workflow_inboxes`] reads them.
    async fn workflow_inbox(&self, run: RunId, limit: u32) -> Result<Vec<Message>> {
        Ok(self.workflow_inboxes(vec![run], limit).await?.pop().unwrap_or_default())
    }

    /// Runs that tasks of a workflow run have started and that are not final, each with the [name](crate::Caller::task) of the task.
    async fn called_runs(&self, run: RunId) -> Result<Vec<(RunId, String)>>;

    /// Runs of a job that tasks of workflow runs have started for dates from `first` through `last`, live and final ones.
    async fn called_for(&self, job: JobId, first: Timestamp, last: Timestamp) -> Result<Vec<RunId>>;

    /// Writes steps of workflow runs in one transaction: each if its run is at the turn that the step names, and is not that of a step
    /// before it. Answers for each, in the order of the steps. What is queued wakes those who claim; where nodes share the store, this
    /// holds for other nodes, and for runs that end by themselves at an instant: whoever has asked claims the others. The end of
    /// a run does what every end does: it frees and fills its slot in the gate, notes a trigger that awaits it, and leaves its own
    /// end to a workflow run of which it is a task.
    async fn step_workflows(&self, steps: Vec<WorkflowStep>) -> Result<Vec<Stepped>>;

    /// Writes one step, as [`Store::step_workflows`] does.
    async fn step_workflow(&self, step: WorkflowStep) -> Result<Stepped> {
        Ok(self.step_workflows(vec![step]).await?.pop().unwrap_or(Stepped::Stale))
    }

    /// Reads how a run stands, and one of its tasks. Waits for the transaction that ends it, if one is under way: whoever has noted that it
    /// [awaits](crate::Await) the run sees that end here, or is told of it. Nothing: the run is gone.
    async fn run_stands(&self, run: RunId, task: u32) -> Result<Option<Stands>>;

    /// Whether any task awaits anything. Where none does, nobody need look.
    async fn is_anything_awaited(&self) -> Result<bool>;

    /// Leaves a request in the inbox of a live workflow run. False: it is not live, or no workflow.
    async fn ask_workflow(&self, run: RunId, request: TaskRequest) -> Result<bool>;

    /// Compares tasks of live workflow runs that wait for the end of a run with what there is, up to `limit`: where that run has ended and
    /// nothing is left to hear of it, leaves its end in the inbox once more. These workflow runs get another turn, so that whoever has
    /// them in memory reads them again. Answers how many ends were left: none, unless something was broken.
    async fn repair_workflows(&self, limit: u32) -> Result<u64>;

    /// Fires that ends of runs owe to triggers of some shards that come [after](mainspring_core::after) them, up to `limit` of those behind
    /// the place `after`, in the order in which they were left. The transaction that ends a run leaves them, whichever way it ends; parts of runs and runs over past fire
    /// times leave none.
    async fn afters_due(&self, shards: ShardSet, after: i64, limit: u32) -> Result<AftersDue>;

    /// Makes runs of fires that are owed, each together with the removal of what was owed: so it is made once, whoever asks how often.
    /// Answers in the order of the fires. A job at its limit is asked as by a fire, but `hold` lets a run wait; a suppressed one, and one
    /// of a trigger that is paused, leaves a gap record.
    async fn fire_afters(&self, fires: Vec<AfterFire>, at: Timestamp) -> Result<Vec<AfterFired>>;

    /// Runs that have missed the deadline of their job by `at`, up to `limit` of those that are unfinished and as many that have ended since,
    /// and of which nobody was told. Parts of runs, and runs over past fire times, have none.
    async fn deadlines_due(&self, at: Timestamp, limit: u32) -> Result<DeadlinesDue>;

    /// Notes that runs have missed their deadline, each with an event. Answers those of which that was not known: each run is told of
    /// once, whoever asks how often.
    async fn miss_deadlines(&self, runs: Vec<RunId>, at: Timestamp) -> Result<Vec<MissedDeadline>>;

    /// Whether a run has missed its deadline.
    async fn has_missed_deadline(&self, run: RunId) -> Result<bool>;

    /// Reads what requests have changed that concerns a process start: up to `limit` triggers of its shards, deleted ones as well,
    /// and the ends asked for of runs that it executes; and forgets what `heard` names, of an earlier answer. What was not heard is
    /// told again, so that an answer that is lost takes nothing with it, however late its request was carried out.
    async fn read_changes(&self, by: Incarnation, shards: ShardSet, heard: Heard, limit: u32) -> Result<Changes>;

    /// Is woken after every request that the engine has to hear of. May be woken for nothing.
    fn changed(&self) -> &tokio::sync::Notify;

    /// Puts an active trigger of this version aside that cannot be evaluated: it fires no more until it is saved again.
    ///
    /// It loses its next instant, gets a new version, and is noted in the outbox and as an event. Answers false and
    /// changes nothing if the trigger has another version by now, is not active, or is gone.
    async fn set_trigger_error(&self, trigger: TriggerId, version: i64, reason: &str, at: Timestamp) -> Result<bool>;

    /// Appends log chunks. They need no run: a chunk may come after its run has been deleted.
    async fn append_log(&self, chunks: Vec<LogChunk>) -> Result<()>;

    /// Keeps a part of an output that is too large for the row of its run, 256 KiB at most. Parts count from 0; one that is sent
    /// again takes the place of the one before. It needs no run, as [`Store::append_log`].
    async fn keep_output(&self, run: RunId, attempt: u32, part: u32, bytes: Vec<u8>) -> Result<()>;

    /// Where flows and their items are kept.
    fn flow_store(&self) -> &dyn FlowStore;

    /// Where nodes leave what components of flows have made that others own.
    fn inbox_store(&self) -> &dyn InboxStore;

    /// Where backfills are kept.
    fn backfill_store(&self) -> &dyn BackfillStore;

    /// What nodes that share this store say to each other through it; nothing if it admits one process only.
    fn cluster(&self) -> Option<&dyn Cluster> {
        None
    }

    // Requests.

    /// A job with its triggers and tombstones.
    async fn prior(&self, key: &JobKey) -> Result<JobPrior>;

    /// The same for several keys, in their order: in one look, where the database takes lists.
    async fn priors(&self, keys: &[JobKey]) -> Result<Vec<JobPrior>> {
        let mut priors = Vec::with_capacity(keys.len());
        for key in keys {
            priors.push(self.prior(key).await?);
        }
        Ok(priors)
    }

    /// Saves jobs, all or none. Makes their namespaces.
    ///
    /// A write that differs from what is there in nothing changes nothing. Otherwise the job's `change` is one
    /// higher, its version only if the definition differs, and every trigger of it gets a new version and is noted in
    /// the outbox, deleted ones too. Trigger versions never come back, not even after deletion under a tombstone.
    /// Unfinished runs count against a limit that the save sets, and held runs take the slots that it opens.
    ///
    /// # Errors
    /// Conflict: an expectation does not hold (`Change` of a job that is gone included), a `fired_through` has moved
    /// (also of a trigger that is to end),
    /// or a job is written twice. Not found: a trigger names a calendar that is not there.
    async fn save_jobs(&self, writes: Vec<JobWrite>) -> Result<Vec<Saved>>;

    /// Pauses, resumes, re-arms, and takes back records of the future ([`reanchor`](crate::TriggerUpdate::reanchor)). The job's `change`
    /// and the versions of the triggers concerned go up by one.
    async fn update_job(&self, update: JobUpdate) -> Result<JobRow>;

    /// Deletes a job: its triggers leave tombstones and what `ends` says, its unstarted runs are cancelled with the reason
    /// `job deleted`, its running ones go on. Records of it stay until retention takes them.
    async fn delete_job(&self, key: &JobKey, expect: Expect, ends: Vec<TriggerEnd>, at: Timestamp) -> Result<()> {
        self.delete_jobs(vec![JobDelete { key: key.clone(), expect, ends }], at).await
    }

    /// Deletes jobs as [`Store::delete_job`] does, in one transaction: all of them, or none.
    ///
    /// # Errors
    /// Not found: one of the jobs is not there, or is named twice. Conflict: an expectation does not hold.
    async fn delete_jobs(&self, deletes: Vec<JobDelete>, at: Timestamp) -> Result<()>;

    /// A job by key.
    async fn job(&self, key: &JobKey) -> Result<Option<JobRow>>;

    /// Lists jobs. A limit of 0 lists none, here and in the other lists.
    async fn jobs(&self, query: JobQuery) -> Result<Vec<JobRow>>;

    /// Says of jobs what has become of them lately and when they go on, in the order asked for: with their newest `recent` runs each.
    /// Finds all by keys, but for one look at the newest unfinished runs.
    async fn job_digests(&self, jobs: Vec<JobId>, recent: u32) -> Result<Vec<JobDigest>>;

    /// The runs that are executed for longest, longest first: of the oldest [`DIGEST_LIVE_MAX`](crate::DIGEST_LIVE_MAX) unfinished ones.
    async fn longest_running(&self, limit: u32) -> Result<Vec<(JobId, RunDigest)>>;

    /// The triggers that are due up to `until`, of all shards, in the order of [`Store::window`] and up to `limit`: for those who look,
    /// in nobody's way.
    async fn due_soon(&self, until: Timestamp, limit: u32) -> Result<Vec<TriggerRow>>;

    /// Jobs by id, in any order. Those that are deleted are left out.
    async fn jobs_by_id(&self, jobs: Vec<JobId>) -> Result<Vec<JobRow>>;

    /// The versions of a job that are kept, newest first: those before one, or all. A version is kept for as long as a run or trigger
    /// refers to it.
    async fn versions(&self, job: JobId, before: Option<JobVersion>, limit: u32) -> Result<Vec<VersionRow>>;

    /// Lists triggers.
    async fn triggers(&self, query: TriggerQuery) -> Result<Vec<TriggerInfo>>;

    /// Which jobs of a namespace start after which, in order of the job that is first, and the one that follows.
    async fn after_edges(&self, namespace: &str) -> Result<Vec<AfterEdge>>;

    /// Namespaces after a name, in order.
    async fn namespaces(&self, after: Option<&str>, limit: u32) -> Result<Vec<NamespaceRow>>;

    /// Makes a namespace; one that exists stays as it is.
    async fn create_namespace(&self, name: &str, at: Timestamp) -> Result<NamespaceRow>;

    /// Deletes a namespace without jobs and calendars.
    async fn delete_namespace(&self, name: &str) -> Result<()>;

    /// A calendar.
    async fn calendar(&self, namespace: &str, name: &str) -> Result<Option<CalendarRow>>;

    /// Calendars of a namespace after a name, in order.
    async fn calendars(&self, namespace: &str, after: Option<&str>, limit: u32) -> Result<Vec<CalendarRow>>;

    /// Saves a calendar and makes its namespace. Every trigger that uses it or one of its dependents goes where
    /// [`CalendarWrite::rederive`] says, gets a new version and is noted in the outbox. The same text again changes
    /// nothing.
    async fn save_calendar(&self, write: CalendarWrite) -> Result<CalendarRow>;

    /// Deletes a calendar that no trigger uses (a conflict otherwise).
    async fn delete_calendar(&self, namespace: &str, name: &str, expect: Expect) -> Result<()>;

    /// Queues a run that was asked for, or holds it where the job is at the limit that it has now. It is due when it is asked for.
    /// One that [repeats](AskedRun::repeat) a workflow run has the rows of the tasks that it keeps at once, and that run names it.
    /// The workflow run of a [caller](AskedRun::caller) hears of its end as of that of a task. An id that such a run had is known as long as
    /// that workflow run is live, though the run may be gone.
    ///
    /// # Errors
    /// Not found: there is no such job, or not that version of it; or the run whose tasks are to be kept is gone. Conflict: another run
    /// than the one that the request knows of repeats the same run.
    async fn ask_run(&self, run: AskedRun) -> Result<Asked>;

    /// Sets the next instant of a `delay` trigger that awaits a run which is over. False: the run is unfinished, or the
    /// trigger does not await it. A run that no attempt has ended leaves this to whoever fires the trigger, which the
    /// outbox names.
    async fn rearm(&self, run: RunId, rearm: Rearm) -> Result<bool>;

    /// Cancels an unstarted run, or asks for the end of a running one (the first reason stays).
    ///
    /// A slot that this frees goes to held runs; if one is left, the job's triggers are noted in the outbox. So is a
    /// trigger that awaits the cancelled run; `rearm` sets its next instant. A running run's end does that itself.
    async fn cancel_run(&self, run: RunId, reason: &str, rearm: Option<Rearm>, at: Timestamp) -> Result<Cancelled>;

    /// Corrects a run that has failed because its last attempt was taken for lost, while the attempt had succeeded: once, and unless the
    /// run was repeated or is a part of another one. It tells nobody else: no job starts after it, no workflow goes on, and counts of
    /// ends stay as they were when it ended. An event `run` with the change `corrected` is what there is of it.
    async fn correct_run(&self, correction: Correction) -> Result<Corrected>;

    /// Keeps past runs of a job in its history: runs that are over, and that another scheduler has executed. Answers for each, in their
    /// order, whether it is new; one whose id is there stays as it is. Nobody is told: they leave no event, start nothing, end no wait
    /// and count in no limit. Retention takes them as it takes others, by the time at which they ended.
    ///
    /// # Errors
    /// Not found: there is no such job, or not that version of it.
    async fn add_past_runs(&self, runs: PastRuns) -> Result<Vec<bool>>;

    /// A run, unfinished or final.
    async fn run(&self, run: RunId) -> Result<Option<RunInfo>>;

    /// Lists runs, newest first.
    async fn runs(&self, query: RunQuery) -> Result<Vec<RunInfo>>;

    /// All attempts of a run, first to last. A run that was never claimed, or that is unknown, has none.
    async fn attempts(&self, run: RunId) -> Result<Vec<AttemptInfo>>;

    /// Log chunks of an attempt, from the one that holds `from_line`, up to about `bytes_max`.
    async fn log(&self, run: RunId, attempt: u32, from_line: u64, bytes_max: u32) -> Result<Vec<LogChunk>>;

    /// How many lines the log of an attempt has; 0 if there is none. Cheap, however long it is.
    async fn log_end(&self, run: RunId, attempt: u32) -> Result<u64>;

    /// A part of an output that was kept apart.
    async fn output(&self, run: RunId, attempt: u32, part: u32) -> Result<Option<Vec<u8>>>;

    /// Missed and suppressed instants after a position, oldest first; of one trigger, or of all.
    async fn gaps(&self, trigger: Option<TriggerId>, after: i64, limit: u32) -> Result<Vec<GapRow>>;

    /// Missed and suppressed instants before a position, newest first, of one trigger, or of all; with the name of each trigger while
    /// it exists or has a tombstone.
    async fn gaps_before(
        &self,
        trigger: Option<TriggerId>,
        before: i64,
        limit: u32,
    ) -> Result<Vec<(GapRow, Option<String>)>>;

    /// Keeps figures of spans of time, in place of those that are there for the same span, queue and node, and deletes those that are too
    /// old at `at`, as [`RollupSpan::kept_ms`] and [`RollupSpan::queue_kept_ms`] say.
    async fn put_rollups(&self, rows: Vec<RollupRow>, at: Timestamp) -> Result<()>;

    /// The figures of the whole in all spans that begin within a time, the end not included, in order of beginning and node.
    async fn rollups(&self, span: RollupSpan, from: Timestamp, to: Timestamp) -> Result<Vec<RollupRow>>;

    /// The same of a queue, or of all queues: then in order of queue, beginning and node.
    async fn queue_rollups(
        &self,
        queue: Option<&str>,
        span: RollupSpan,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<RollupRow>>;

    /// Events after a position, oldest first.
    async fn events(&self, after: i64, limit: u32) -> Result<Vec<EventRow>>;

    /// The position of the newest event.
    async fn last_event(&self) -> Result<i64>;

    /// Writes a document, and forgets those of its kind that have expired at its instant. Answers it with its new version, or nothing
    /// where something else was there than expected.
    async fn put_document(&self, document: Document, expect: DocumentExpect) -> Result<Option<Document>>;

    /// Makes changes of documents, all of them or none, and forgets those that have expired of the kinds that are written.
    ///
    /// # Errors
    /// [`Error::Conflict`](crate::Error::Conflict): somewhere, something else was there than expected.
    async fn change_documents(&self, changes: Vec<DocumentChange>) -> Result<()>;

    /// Keeps documents of whose names there are none, in one transaction. Answers for each whether it is kept.
    ///
    /// # Errors
    /// A conflict where somebody else has kept one of them meanwhile: nothing is kept, and the call may be repeated.
    async fn add_documents(&self, documents: Vec<Document>) -> Result<Vec<bool>>;

    /// A document that has not expired.
    async fn document(&self, kind: &str, name: &str, at: Timestamp) -> Result<Option<Document>>;

    /// Documents of a kind that have not expired, by name, after one.
    async fn documents(&self, kind: &str, after: Option<&str>, at: Timestamp, limit: u32) -> Result<Vec<Document>>;

    /// Removes a document. True: it was there.
    async fn remove_document(&self, kind: &str, name: &str) -> Result<bool>;

    /// Keeps a webhook. A conflict: the name is taken.
    async fn add_webhook(&self, webhook: Webhook) -> Result<()>;

    /// All webhooks, by name: with what has to be known to serve them, so one look does for all.
    async fn webhooks(&self) -> Result<Vec<WebhookRow>>;

    /// Removes a webhook. Nothing more is sent to it; retention takes its deliveries, a few at a time. True: it was there.
    async fn remove_webhook(&self, name: &str) -> Result<bool>;

    /// Gives a webhook another secret in place of `replaced`, which stays its second one until an instant. False: it is gone, or has
    /// another secret than that.
    async fn rotate_webhook(&self, name: &str, replaced: &str, secret: &str, until: Timestamp) -> Result<bool>;

    /// Lets a webhook rest that has [failed since](WebhookRow::failing_since) an instant. False: something has got through to it
    /// meanwhile, it rests already, or is gone.
    async fn disable_webhook(&self, webhook: i64, since: Timestamp, disabled: Disabled) -> Result<bool>;

    /// Ends the rest of a webhook: it goes on with the events after `through`, and with what is pending. True: it rested.
    async fn resume_webhook(&self, name: &str, through: i64) -> Result<bool>;

    /// Keeps deliveries to a webhook, due at once, and moves its place among the events from `places.0` to `places.1`. False, and
    /// nothing is kept: it is somewhere else, because another node was faster, or gone.
    async fn note_deliveries(
        &self,
        webhook: i64,
        places: (i64, i64),
        deliveries: Vec<NewDelivery>,
        at: Timestamp,
    ) -> Result<bool>;

    /// Takes up to `limit` pending deliveries of a webhook that are due at `at`, longest due first, to send them now: each counts
    /// an attempt more, and is due again at `until`, unless it is [settled](Store::settle_deliveries) before.
    async fn take_deliveries(&self, webhook: i64, at: Timestamp, until: Timestamp, limit: u32) -> Result<Vec<Taken>>;

    /// Records what came of sending deliveries, and since when their webhooks fail. False, and nothing is kept of one: it was taken
    /// again since, is over, or is gone.
    async fn settle_deliveries(&self, sent: Vec<Sent>) -> Result<Vec<bool>>;

    /// Gives up pending deliveries that were made before an instant, the oldest first and up to `limit`, and says why. Answers how many.
    async fn expire_deliveries(&self, before: Timestamp, why: &str, at: Timestamp, limit: u32) -> Result<u64>;

    /// How many deliveries to a webhook are pending; `most` if there are more.
    async fn pending_deliveries(&self, webhook: i64, most: u32) -> Result<u32>;

    /// Deliveries to a webhook before a position, newest first.
    async fn deliveries(&self, webhook: i64, before: Option<i64>, limit: u32) -> Result<Vec<Delivery>>;

    /// A value that belongs to the cluster: the access token's hash and its like.
    async fn setting(&self, name: &str) -> Result<Option<String>>;

    /// Sets such a value unless there is one, and answers which there is now: of several nodes that ask at the same time, one is the first.
    async fn setting_or_set(&self, name: &str, value: &str) -> Result<String>;

    /// Sets such a value.
    async fn set_setting(&self, name: &str, value: &str) -> Result<()>;

    /// What is set for queues, by name. A queue for which nothing was set has no row.
    async fn queues(&self) -> Result<Vec<QueueRow>>;

    /// How many runs wait in a queue, whosever they are; counted up to `max`.
    async fn waiting(&self, queue: &str, max: u32) -> Result<u32>;

    /// How many executed runs count in the limit of a queue or a label.
    async fn counted(&self, limited: &str) -> Result<u32> {
        Ok(u32::try_from(self.holders(limited, u32::MAX).await?.len()).unwrap_or(u32::MAX))
    }

    /// The executed runs that count in the limit of a queue or a label, by id and up to `most`.
    async fn holders(&self, limited: &str, most: u32) -> Result<Vec<RunId>>;

    /// Sets how runs leave a queue, or those of jobs with a label `NAME=VALUE`, which holds from the next claim on. `expect` is the revision that the caller has seen; 0:
    /// no row. [`Error::Conflict`](crate::Error::Conflict) if it is at another one.
    async fn set_queue(&self, name: &str, rule: QueueRule, expect: i64, at: Timestamp) -> Result<QueueRow>;

    /// What waits in a queue, line by line in order of their texts: how many runs, counted up to `max` together, and the `first` ones of each.
    /// What workflows wait for is left out.
    async fn queue_lines(&self, queue: &str, first: u32, max: u32) -> Result<Vec<LineWaits>>;

    /// Puts up to `limit` queued runs into another queue, first those that would leave their line first, and answers which. They keep their place by
    /// priority and due time; for those that waited for one worker, another is picked. A run that has been claimed stays.
    async fn move_queued(&self, change: &QueueMove, limit: u32) -> Result<Vec<RunId>>;

    /// Gives a queued run the priority that puts it where it is to stand in its queue, and answers which it had and has. One that
    /// stands there already keeps its own. Whatever its line, it is compared with the runs of all lines of the queue. Nothing: it
    /// does not wait in that queue, or not any more.
    async fn place_queued(&self, queue: &str, run: RunId, to: Placing) -> Result<Option<PlaceChange>>;

    /// Keeps what has become known of jobs. Whatever was known of them before goes.
    async fn set_lanes(&self, changes: Vec<JobLane>) -> Result<()>;

    /// What has become known of jobs after a change, in order, up to `limit`, and the number of the last change. From 0: all there is.
    async fn lanes(&self, after: i64, limit: u32) -> Result<(Vec<JobLane>, i64)>;

    /// Puts runs of a job that are in a line of the other [lane](mainspring_core::lane) into one of this, up to `limit`: queued ones if it is
    /// short now, and all that are unfinished if it is slow, also those that are executed, because they may be tried again. Answers how
    /// many there were.
    async fn move_runs(&self, change: &JobLane, limit: u32) -> Result<u32>;

    /// What failovers of the database have lost: for each process start that was told of records which are gone, the instant
    /// through which they were made. In no order. What was due by then and recorded after it is made again, or was late.
    async fn lost_through(&self) -> Result<Vec<Timestamp>>;

    /// What a job keeps between its runs. Nothing: it never was given anything, or is gone.
    ///
    /// [`Store::complete`] sets it to what an attempt that has succeeded leaves behind, unless the job has been deleted.
    async fn job_data(&self, job: JobId) -> Result<Option<JobData>>;

    /// Sets it, if the revision is the expected one (0: there is none yet). A conflict: it is another one. Not found: the job
    /// is gone.
    async fn set_job_data(&self, job: JobId, data: &str, expect: Option<i64>, at: Timestamp) -> Result<JobData>;

    /// Claims an idempotency key, before the deed. See [`Claimed`] for the answer. One that is free, or whose holder is
    /// gone or late, is the caller's.
    async fn claim_key(&self, claim: KeyClaim) -> Result<Claimed>;

    /// Keeps the answer under a claimed key, whoever holds the claim; the first one stays.
    async fn keep_answer(&self, key: &str, answer: KeptAnswer, at: Timestamp) -> Result<()>;

    /// Gives up a claim that has no answer. One that others hold by now stays theirs.
    async fn release_key(&self, key: &str, by: Incarnation, how: Release) -> Result<()>;

    /// Deletes what is too old, in one bounded step. Returns how much went; a part that goes as a whole counts as one.
    async fn purge(&self, rule: PurgeRule) -> Result<u64>;

    /// Counts what became of every trigger's instants, from the tables alone, in order of trigger ids. Triggers
    /// without any may be left out.
    async fn tally(&self) -> Result<Vec<Tally>>;

    /// How large it is.
    async fn info(&self) -> Result<StoreInfo>;

    /// Counts the oldest unfinished runs, [`crate::row::COUNTED_MAX`] at most, and asks the server how it does. Cheap: to be read
    /// every few seconds.
    async fn figures(&self) -> Result<StoreFigures>;

    /// Its connections now, where it has a server.
    fn connections(&self) -> Option<Connections> {
        None
    }

    /// What people should hear of: unsafe settings of the database, limits that are near, triggers that are put aside.
    async fn warnings(&self) -> Result<Vec<StoreWarning>> {
        Ok(Vec::new())
    }

    /// Returns active triggers, up to `limit`, that have fired for instants later than `after`, or passed over such, as
    /// `NAMESPACE/JOB/TRIGGER` in order of their ids. Looks at every trigger: for when a clock was ahead.
    async fn triggers_ahead(&self, after: Timestamp, limit: u32) -> Result<Vec<String>>;

    /// Finishes what is under way and lets go of files. Every later call answers [`crate::Error::Closed`].
    async fn close(&self) -> Result<()>;
}
