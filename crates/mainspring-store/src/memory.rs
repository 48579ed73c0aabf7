//! A store that keeps everything in memory: the reference model, and the fastest of them.
//!
//! It takes the same way as the SQL stores (unfinished runs apart from history, gates, attempts, gaps, outbox,
//! events), and answers the same. Nothing survives the process. Several nodes may share one ([`MemoryStore::shared`]), as far
//! as they are in the same process: that is the model of a shared database.

mod after;
mod awaits;
mod backfills;
#[cfg(test)]
mod check;
mod complete;
mod correct;
mod deadlines;
mod digest;
mod documents;
mod events;
mod fire;
mod flows;
mod history;
mod job_lane;
mod jobs;
mod keys;
mod live;
mod logs;
mod model;
mod names;
mod nodes;
mod outbox;
mod past;
mod purge;
mod queue;
mod queues;
mod route;
mod runs;
mod table;
mod webhooks;
mod workers;
mod workflow;

use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use mainspring_core::batch::{
    ClaimedRun, CompletionBatch, CompletionOutcome, FireBatch, FireOutcome, Heard, LiveRun, Queues, Rearm, TriggerRow,
    TriggerStatus,
};
use mainspring_core::cluster::{Change, ClusterView, Lease, Renewal, Shard, ShardSet};
use mainspring_core::job::{Job, JobKey};
use mainspring_core::lane::JobLane;
use mainspring_core::planner::Answered;
use mainspring_core::queue::QueueRule;
use mainspring_core::run::RunState;
use mainspring_core::workers::{Count, Held};
use mainspring_core::{BatchId, Incarnation, JobId, JobVersion, RunId, Timestamp, TriggerId};
use tokio::sync::{Notify, watch};

use crate::after::{AfterEdge, AfterFire, AfterFired, AftersDue};
use crate::awaits::Stands;
use crate::backfill::BackfillStore;
use crate::cluster::{Cluster, LOST_THROUGH, NodeInfo, lost_instant, lost_setting};
use crate::correct::{Corrected, Correction};
use crate::data::{self, JobData};
use crate::digest::{JobDigest, RunDigest};
use crate::document::{Document, DocumentChange, DocumentExpect};
use crate::error::{Error, Result};
use crate::flow::{FlowStore, InboxStore};
use crate::follow::{FollowUp, Followed};
use crate::key::{Claimed, KeptAnswer, KeyClaim, Release};
use crate::past::PastRuns;
use crate::rollup::{RollupRow, RollupSpan};
use crate::row::{
    Asked, AskedRun, AttemptInfo, CalendarRow, CalendarWrite, Cancelled, Changes, DeadlinesDue, EventRow, Expect,
    GapRow, JobDelete, JobPrior, JobQuery, JobRow, JobUpdate, JobWrite, LineWaits, LogChunk, MissedDeadline,
    NamespaceRow, PlaceChange, Placing, PurgeRule, QueueMove, QueueRow, Released, RunInfo, RunQuery, Saved,
    StoreFigures, StoreInfo, StoreWarning, Tally, TriggerInfo, TriggerQuery, VersionRow,
};
use crate::sql::warnings;
use crate::store::Store;
use crate::webhook::{Delivery, Disabled, NewDelivery, Sent, Taken, Webhook, WebhookRow};
use crate::worker::{Routed, WorkerInfo, WorkerRow, WorkerToken};
use crate::workflow::{Message, Stepped, TaskRequest, WorkflowDue, WorkflowRow, WorkflowStep};
use model::Model;

/// A store in memory.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use mainspring_store::{MemoryStore, Store};
/// let store = MemoryStore::new();
/// store.set_setting("colour", "blue").await?;
/// assert_eq!(store.setting("colour").await?.as_deref(), Some("blue"));
/// # Ok::<(), mainspring_store::Error>(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct MemoryStore {
    model: Mutex<Model>,
    changed: Notify,
    hinted: Notify,
    stirred: watch::Sender<u64>,
    shared: bool,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryStore {
    /// Makes an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::of(Model::new())
    }

    /// Makes an empty store that several nodes share.
    #[must_use]
    pub fn shared() -> Self {
        let mut model = Model::new();
        model.nodes = Some(nodes::Nodes::default());
        Self::of(model)
    }

    fn of(model: Model) -> Self {
        let shared = model.nodes.is_some();
        Self {
            model: Mutex::new(model),
            changed: Notify::new(),
            hinted: Notify::new(),
            stirred: watch::Sender::new(0),
            shared,
        }
    }

    /// A store that holds what this one holds now.
    ///
    /// # Errors
    /// If it is closed.
    pub fn copy(&self) -> Result<Self> {
        Ok(Self::of(self.model()?.clone()))
    }

    fn model(&self) -> Result<MutexGuard<'_, Model>> {
        let model = self.model.lock().expect("a change that panics is a bug, and leaves nothing to trust");
        if model.closed { Err(Error::Closed) } else { Ok(model) }
    }

    /// Panics if counters or indexes have parted from the rows.
    #[cfg(test)]
    pub(crate) fn check(&self) {
        self.model().expect("open").check();
    }

    /// Makes a change that the engine has to hear of.
    /// Wakes the engine, if it has something to hear of.
    fn tell(&self, model: &Model) {
        if model.outbox.is_waiting() {
            self.changed.notify_one();
        }
    }

    /// Does what somebody asked for, under the claim of a key if the task has one.
    fn request<T>(&self, change: impl FnOnce(&mut Model) -> Result<T>) -> Result<T> {
        let mut model = self.model()?;
        keys::hold(&model)?;
        let answer = change(&mut model)?;
        drop(model);
        self.changed.notify_one();
        Ok(answer)
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn adopt(&self, incarnation: Incarnation, _at: Timestamp) -> Result<Vec<LiveRun>> {
        let mut model = self.model()?;
        model.nodes.iter_mut().for_each(|nodes| nodes.raise_fence(incarnation));
        if !self.shared {
            model.outbox.forget_triggers();
        }
        Ok(queue::adopt(&mut model, incarnation))
    }

    async fn window(
        &self,
        shards: ShardSet,
        until: Timestamp,
        after: Option<(Timestamp, TriggerId)>,
        limit: u32,
    ) -> Result<(Vec<TriggerRow>, Option<(Timestamp, TriggerId)>)> {
        let model = self.model()?;
        let from = after.unwrap_or((Timestamp::from_millis(i64::MIN), TriggerId(i64::MIN)));
        let row = |place: &(Timestamp, TriggerId)| &model.triggers.get(place.1.0).expect("the index names it").row;
        let concerns = |place: &&(Timestamp, TriggerId)| {
            Some(**place) != after && (!self.shared || shards.contains(row(place).shard))
        };
        let due = model.window.range(from..=(until, TriggerId(i64::MAX))).filter(concerns);
        let places: Vec<_> = due.take(limit as usize).copied().collect();
        let rows = places.iter().map(|place| row(place).clone());
        let next = places.last().copied().filter(|_| places.len() == limit as usize);
        Ok((rows.collect(), next))
    }

    async fn trigger_rows(&self, ids: &[TriggerId]) -> Result<Vec<TriggerRow>> {
        let model = self.model()?;
        Ok(ids.iter().filter_map(|id| model.triggers.get(id.0)).map(|trigger| trigger.row.clone()).collect())
    }

    async fn stranded(&self) -> Result<Vec<TriggerRow>> {
        Ok(self.model()?.stranded())
    }

    async fn definition(&self, job: JobId, version: JobVersion) -> Result<Arc<Job>> {
        let model = self.model()?;
        let definition = model.jobs.get(job.0).and_then(|job| job.definition(version));
        definition.ok_or_else(|| Error::NotFound { what: "definition", key: format!("{job} version {version}") })
    }

    async fn fire(&self, batch: Arc<FireBatch>) -> Result<FireOutcome> {
        let mut model = self.model()?;
        let outcome = fire::fire(&mut model, &batch, &[]);
        self.tell(&model);
        outcome
    }

    async fn complete(&self, batch: Arc<CompletionBatch>) -> Result<CompletionOutcome> {
        let mut model = self.model()?;
        let outcome = complete::complete(&mut model, &batch);
        model.note_elsewhere(batch.id.incarnation, &outcome);
        self.tell(&model);
        Ok(outcome)
    }

    async fn complete_and_go_on(&self, batch: Arc<CompletionBatch>, follow_up: FollowUp) -> Result<Followed> {
        let mut model = self.model()?;
        if let Some(claim) = &follow_up.claim {
            model.share_fence(claim.id.incarnation)?;
        }
        let followed = complete::and_go_on(&mut model, &batch, &follow_up);
        self.tell(&model);
        Ok(followed)
    }

    async fn claim(&self, id: BatchId, queues: &Queues, limit: u32, at: Timestamp) -> Result<Vec<ClaimedRun>> {
        let mut model = self.model()?;
        model.share_fence(id.incarnation)?;
        Ok(queue::claim(&mut model, id, queues, limit, at))
    }

    async fn adopt_from(&self, dead: Incarnation, id: BatchId, limit: u32) -> Result<Vec<LiveRun>> {
        Ok(self.model()?.adopt_from(dead, id, limit))
    }

    async fn held(&self, by: Incarnation) -> Result<Vec<LiveRun>> {
        Ok(self.model()?.held(by))
    }

    async fn held_by_workers(&self, by: Incarnation) -> Result<Vec<Held>> {
        Ok(self.model()?.held_by_workers(by))
    }

    async fn join_worker(&self, worker: WorkerInfo) -> Result<()> {
        self.model()?.join_worker(worker)
    }

    async fn name_node(&self, id: Incarnation, name: &str) -> Result<()> {
        self.model()?.name_node(id, name);
        Ok(())
    }

    async fn hear_worker(&self, id: Incarnation, by: Incarnation, at: Timestamp) -> Result<bool> {
        Ok(self.model()?.hear_worker(id, by, at))
    }

    async fn place_worker(&self, id: Incarnation, place: Option<u32>) -> Result<bool> {
        Ok(self.model()?.place_worker(id, place))
    }

    async fn drain_worker(&self, id: Incarnation, draining: bool) -> Result<bool> {
        Ok(self.model()?.drain_worker(id, draining))
    }

    async fn note_worker_clocks(&self, offsets: &[(Incarnation, i64)]) -> Result<()> {
        self.model()?.note_worker_clocks(offsets);
        Ok(())
    }

    async fn claim_for(
        &self,
        id: BatchId,
        by: Incarnation,
        queues: &Queues,
        limit: u32,
        at: Timestamp,
    ) -> Result<Vec<ClaimedRun>> {
        let mut model = self.model()?;
        model.worker_may_claim(id.incarnation, by)?;
        Ok(queue::claim(&mut model, id, queues, limit, at))
    }

    async fn beat_workers(&self, by: Incarnation, heard: &[Incarnation], at: Timestamp) -> Result<Vec<Count>> {
        Ok(self.model()?.beat_workers(by, heard, at))
    }

    async fn bury_worker(&self, dead: Incarnation, counter: Option<u64>) -> Result<bool> {
        Ok(self.model()?.bury_worker(dead, counter))
    }

    async fn worker(&self, id: Incarnation) -> Result<Option<WorkerInfo>> {
        Ok(self.model()?.workers.get(&id).map(|worker| worker.row.info.clone()))
    }

    async fn workers(&self) -> Result<Vec<WorkerRow>> {
        Ok(self.model()?.worker_rows())
    }

    async fn add_worker_token(&self, token: WorkerToken) -> Result<()> {
        self.model()?.add_worker_token(token)
    }

    async fn worker_tokens(&self) -> Result<Vec<WorkerToken>> {
        Ok(self.model()?.worker_tokens.values().cloned().collect())
    }

    async fn remove_worker_token(&self, name: &str) -> Result<bool> {
        Ok(self.model()?.worker_tokens.remove(name).is_some())
    }

    async fn release_due(&self, at: Timestamp, limit: u32) -> Result<Released> {
        let mut model = self.model()?;
        let released = queue::release_due(&mut model, at, limit);
        self.tell(&model);
        Ok(released)
    }

    async fn route(&self, at: Timestamp, limit: u32) -> Result<Routed> {
        let mut model = self.model()?;
        let routed = route::route(&mut model, at, limit);
        self.tell(&model);
        Ok(routed)
    }

    async fn afters_due(&self, shards: ShardSet, after: i64, limit: u32) -> Result<AftersDue> {
        Ok(after::due(&*self.model()?, shards, after, limit))
    }

    async fn fire_afters(&self, fires: Vec<AfterFire>, at: Timestamp) -> Result<Vec<AfterFired>> {
        let mut model = self.model()?;
        let fired = after::fire(&mut model, &fires, at);
        self.tell(&model);
        Ok(fired)
    }

    async fn after_edges(&self, namespace: &str) -> Result<Vec<AfterEdge>> {
        Ok(after::edges(&*self.model()?, namespace))
    }

    async fn deadlines_due(&self, at: Timestamp, limit: u32) -> Result<DeadlinesDue> {
        Ok(deadlines::due(&*self.model()?, at, limit))
    }

    async fn miss_deadlines(&self, runs: Vec<RunId>, at: Timestamp) -> Result<Vec<MissedDeadline>> {
        Ok(deadlines::miss(&mut *self.model()?, &runs, at))
    }

    async fn has_missed_deadline(&self, run: RunId) -> Result<bool> {
        Ok(self.model()?.misses.contains_key(&run))
    }

    async fn correct_run(&self, correction: Correction) -> Result<Corrected> {
        Ok(correct::correct(&mut *self.model()?, correction))
    }

    async fn add_past_runs(&self, runs: PastRuns) -> Result<Vec<bool>> {
        past::add(&mut *self.model()?, runs)
    }

    async fn workflows_due(&self, shards: ShardSet, limit: u32) -> Result<Vec<WorkflowDue>> {
        Ok(workflow::due(&*self.model()?, shards, limit))
    }

    async fn begin_workflows(&self, runs: Vec<RunId>, at: Timestamp) -> Result<Vec<bool>> {
        Ok(workflow::begin_all(&mut *self.model()?, &runs, at))
    }

    async fn workflows(&self, runs: Vec<RunId>, inbox: u32) -> Result<Vec<Option<WorkflowRow>>> {
        let model = self.model()?;
        Ok(runs.into_iter().map(|run| workflow::workflow(&model, run, inbox)).collect())
    }

    async fn called_runs(&self, run: RunId) -> Result<Vec<(RunId, String)>> {
        Ok(workflow::called(&*self.model()?, run))
    }

    async fn called_for(&self, job: JobId, first: Timestamp, last: Timestamp) -> Result<Vec<RunId>> {
        Ok(runs::called_for(&*self.model()?, job, first..=last))
    }

    async fn workflow_inboxes(&self, runs: Vec<RunId>, limit: u32) -> Result<Vec<Vec<Message>>> {
        let model = self.model()?;
        Ok(runs.into_iter().map(|run| workflow::inbox(&model, run, limit)).collect())
    }

    async fn step_workflows(&self, steps: Vec<WorkflowStep>) -> Result<Vec<Stepped>> {
        let mut model = self.model()?;
        let written = workflow::steps(&mut model, &steps);
        self.tell(&model);
        Ok(written)
    }

    async fn run_stands(&self, run: RunId, task: u32) -> Result<Option<Stands>> {
        Ok(awaits::stands(&*self.model()?, run, task))
    }

    async fn is_anything_awaited(&self) -> Result<bool> {
        Ok(self.model()?.workflows.awaits.is_used())
    }

    async fn ask_workflow(&self, run: RunId, request: TaskRequest) -> Result<bool> {
        self.request(|model| Ok(workflow::ask(model, run, request)))
    }

    async fn repair_workflows(&self, limit: u32) -> Result<u64> {
        self.request(|model| Ok(workflow::repair(model, limit)))
    }

    async fn read_changes(&self, by: Incarnation, shards: ShardSet, heard: Heard, limit: u32) -> Result<Changes> {
        let mut model = self.model()?;
        if self.shared { model.changes_of(by, shards, &heard, limit) } else { Ok(model.outbox.take(limit)) }
    }

    fn flow_store(&self) -> &dyn FlowStore {
        self
    }

    fn inbox_store(&self) -> &dyn InboxStore {
        self
    }

    fn backfill_store(&self) -> &dyn BackfillStore {
        self
    }

    fn cluster(&self) -> Option<&dyn Cluster> {
        self.shared.then_some(self)
    }

    fn changed(&self) -> &Notify {
        &self.changed
    }

    async fn append_log(&self, chunks: Vec<LogChunk>) -> Result<()> {
        let mut model = self.model()?;
        for chunk in chunks {
            model.logs.append(chunk);
        }
        Ok(())
    }

    async fn keep_output(&self, run: RunId, attempt: u32, part: u32, bytes: Vec<u8>) -> Result<()> {
        self.model()?.outputs.insert((run, attempt, part), bytes);
        Ok(())
    }

    async fn prior(&self, key: &JobKey) -> Result<JobPrior> {
        Ok(jobs::prior(&*self.model()?, key))
    }

    async fn set_trigger_error(&self, trigger: TriggerId, version: i64, reason: &str, at: Timestamp) -> Result<bool> {
        self.request(|model| Ok(jobs::set_trigger_error(model, trigger, version, reason, at)))
    }

    async fn save_jobs(&self, writes: Vec<JobWrite>) -> Result<Vec<Saved>> {
        self.request(|model| jobs::save(model, &writes))
    }

    async fn update_job(&self, update: JobUpdate) -> Result<JobRow> {
        self.request(|model| jobs::update(model, &update))
    }

    async fn delete_jobs(&self, deletes: Vec<JobDelete>, at: Timestamp) -> Result<()> {
        self.request(|model| jobs::delete_all(model, &deletes, at))
    }

    async fn job(&self, key: &JobKey) -> Result<Option<JobRow>> {
        Ok(self.model()?.job_by_key(key).map(|job| job.row.clone()))
    }

    async fn jobs(&self, query: JobQuery) -> Result<Vec<JobRow>> {
        Ok(jobs::jobs(&*self.model()?, &query))
    }

    async fn job_digests(&self, jobs: Vec<JobId>, recent: u32) -> Result<Vec<JobDigest>> {
        Ok(digest::of_jobs(&*self.model()?, &jobs, recent))
    }

    async fn longest_running(&self, limit: u32) -> Result<Vec<(JobId, RunDigest)>> {
        Ok(digest::longest(&*self.model()?, limit))
    }

    async fn due_soon(&self, until: Timestamp, limit: u32) -> Result<Vec<TriggerRow>> {
        Ok(self.window(ShardSet::ALL, until, None, limit).await?.0)
    }

    async fn jobs_by_id(&self, jobs: Vec<JobId>) -> Result<Vec<JobRow>> {
        Ok(digest::jobs(&*self.model()?, &jobs))
    }

    async fn versions(&self, job: JobId, before: Option<JobVersion>, limit: u32) -> Result<Vec<VersionRow>> {
        Ok(digest::versions(&*self.model()?, job, before, limit))
    }

    async fn triggers(&self, query: TriggerQuery) -> Result<Vec<TriggerInfo>> {
        Ok(jobs::triggers(&*self.model()?, &query))
    }

    async fn namespaces(&self, after: Option<&str>, limit: u32) -> Result<Vec<NamespaceRow>> {
        Ok(names::namespaces(&*self.model()?, after, limit))
    }

    async fn create_namespace(&self, name: &str, at: Timestamp) -> Result<NamespaceRow> {
        Ok(names::create_namespace(&mut *self.model()?, name, at))
    }

    async fn delete_namespace(&self, name: &str) -> Result<()> {
        names::delete_namespace(&mut *self.model()?, name)
    }

    async fn calendar(&self, namespace: &str, name: &str) -> Result<Option<CalendarRow>> {
        Ok(names::calendar(&*self.model()?, namespace, name))
    }

    async fn calendars(&self, namespace: &str, after: Option<&str>, limit: u32) -> Result<Vec<CalendarRow>> {
        Ok(names::calendars(&*self.model()?, namespace, after, limit))
    }

    async fn save_calendar(&self, write: CalendarWrite) -> Result<CalendarRow> {
        self.request(|model| names::save_calendar(model, &write))
    }

    async fn delete_calendar(&self, namespace: &str, name: &str, expect: Expect) -> Result<()> {
        self.request(|model| names::delete_calendar(model, namespace, name, expect))
    }

    async fn ask_run(&self, run: AskedRun) -> Result<Asked> {
        self.request(|model| runs::ask(model, run))
    }

    async fn rearm(&self, run: RunId, rearm: Rearm) -> Result<bool> {
        self.request(|model| Ok(runs::rearm(model, run, &rearm)))
    }

    async fn cancel_run(&self, run: RunId, reason: &str, rearm: Option<Rearm>, at: Timestamp) -> Result<Cancelled> {
        self.request(|model| runs::cancel(model, run, reason, rearm, at))
    }

    async fn run(&self, run: RunId) -> Result<Option<RunInfo>> {
        Ok(runs::run(&*self.model()?, run))
    }

    async fn runs(&self, query: RunQuery) -> Result<Vec<RunInfo>> {
        Ok(runs::runs(&*self.model()?, &query))
    }

    async fn attempts(&self, run: RunId) -> Result<Vec<AttemptInfo>> {
        Ok(runs::attempts(&*self.model()?, run))
    }

    async fn log(&self, run: RunId, attempt: u32, from_line: u64, bytes_max: u32) -> Result<Vec<LogChunk>> {
        Ok(self.model()?.logs.read(run, attempt, from_line, bytes_max))
    }

    async fn log_end(&self, run: RunId, attempt: u32) -> Result<u64> {
        Ok(self.model()?.logs.end(run, attempt))
    }

    async fn output(&self, run: RunId, attempt: u32, part: u32) -> Result<Option<Vec<u8>>> {
        Ok(self.model()?.outputs.get(&(run, attempt, part)).cloned())
    }

    async fn gaps(&self, trigger: Option<TriggerId>, after: i64, limit: u32) -> Result<Vec<GapRow>> {
        let model = self.model()?;
        let start = model.gaps.partition_point(|gap| gap.seq <= after);
        let rows = model.gaps.range(start..).filter(|gap| trigger.is_none_or(|id| gap.trigger == id));
        Ok(rows.take(limit as usize).map(|gap| digest::gap(&model, gap)).collect())
    }

    async fn gaps_before(
        &self,
        trigger: Option<TriggerId>,
        before: i64,
        limit: u32,
    ) -> Result<Vec<(GapRow, Option<String>)>> {
        Ok(digest::gaps_before(&*self.model()?, trigger, before, limit))
    }

    async fn put_rollups(&self, rows: Vec<RollupRow>, at: Timestamp) -> Result<()> {
        let rollups = &mut self.model()?.rollups;
        rollups.extend(rows.into_iter().map(|row| ((row.queue.clone(), row.span, row.at, row.node.clone()), row)));
        rollups.retain(|(queue, span, begin, _), _| {
            let kept_ms = if queue.is_some() { span.queue_kept_ms() } else { span.kept_ms() };
            begin.as_millis() >= at.as_millis().saturating_sub(kept_ms)
        });
        Ok(())
    }

    async fn rollups(&self, span: RollupSpan, from: Timestamp, to: Timestamp) -> Result<Vec<RollupRow>> {
        let model = self.model()?;
        let rows = model.rollups.values().filter(|row| row.span == span && (from..to).contains(&row.at));
        Ok(rows.filter(|row| row.queue.is_none()).cloned().collect())
    }

    async fn queue_rollups(
        &self,
        queue: Option<&str>,
        span: RollupSpan,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<RollupRow>> {
        let model = self.model()?;
        let rows = model.rollups.values().filter(|row| row.span == span && (from..to).contains(&row.at));
        let of_queue = |row: &&RollupRow| row.queue.as_deref().is_some_and(|of| queue.is_none_or(|queue| queue == of));
        Ok(rows.filter(of_queue).cloned().collect())
    }

    async fn events(&self, after: i64, limit: u32) -> Result<Vec<EventRow>> {
        Ok(self.model()?.events.after(after, limit))
    }

    async fn last_event(&self) -> Result<i64> {
        Ok(self.model()?.events.last())
    }

    async fn put_document(&self, document: Document, expect: DocumentExpect) -> Result<Option<Document>> {
        Ok(self.model()?.documents.put(document, expect))
    }

    async fn change_documents(&self, changes: Vec<DocumentChange>) -> Result<()> {
        self.model()?.documents.change(changes)
    }

    async fn add_documents(&self, documents: Vec<Document>) -> Result<Vec<bool>> {
        Ok(self.model()?.documents.add(documents))
    }

    async fn document(&self, kind: &str, name: &str, at: Timestamp) -> Result<Option<Document>> {
        Ok(self.model()?.documents.get(kind, name, at).cloned())
    }

    async fn documents(&self, kind: &str, after: Option<&str>, at: Timestamp, limit: u32) -> Result<Vec<Document>> {
        Ok(self.model()?.documents.list(kind, after, at, limit))
    }

    async fn remove_document(&self, kind: &str, name: &str) -> Result<bool> {
        Ok(self.model()?.documents.remove(kind, name))
    }

    async fn add_webhook(&self, webhook: Webhook) -> Result<()> {
        self.model()?.webhooks.add(webhook)
    }

    async fn webhooks(&self) -> Result<Vec<WebhookRow>> {
        Ok(self.model()?.webhooks.list())
    }

    async fn remove_webhook(&self, name: &str) -> Result<bool> {
        Ok(self.model()?.webhooks.remove(name))
    }

    async fn rotate_webhook(&self, name: &str, replaced: &str, secret: &str, until: Timestamp) -> Result<bool> {
        Ok(self.model()?.webhooks.rotate(name, replaced, secret, until))
    }

    async fn disable_webhook(&self, webhook: i64, since: Timestamp, disabled: Disabled) -> Result<bool> {
        Ok(self.model()?.webhooks.disable(webhook, since, disabled))
    }

    async fn resume_webhook(&self, name: &str, through: i64) -> Result<bool> {
        Ok(self.model()?.webhooks.resume(name, through))
    }

    async fn note_deliveries(
        &self,
        webhook: i64,
        places: (i64, i64),
        deliveries: Vec<NewDelivery>,
        at: Timestamp,
    ) -> Result<bool> {
        Ok(self.model()?.webhooks.note(webhook, places, deliveries, at))
    }

    async fn take_deliveries(&self, webhook: i64, at: Timestamp, until: Timestamp, limit: u32) -> Result<Vec<Taken>> {
        Ok(self.model()?.webhooks.take(webhook, at, until, limit))
    }

    async fn settle_deliveries(&self, sent: Vec<Sent>) -> Result<Vec<bool>> {
        Ok(self.model()?.webhooks.settle(sent))
    }

    async fn expire_deliveries(&self, before: Timestamp, why: &str, at: Timestamp, limit: u32) -> Result<u64> {
        Ok(self.model()?.webhooks.expire(before, why, at, limit))
    }

    async fn pending_deliveries(&self, webhook: i64, most: u32) -> Result<u32> {
        Ok(self.model()?.webhooks.count_pending(webhook, most))
    }

    async fn deliveries(&self, webhook: i64, before: Option<i64>, limit: u32) -> Result<Vec<Delivery>> {
        Ok(self.model()?.webhooks.deliveries(webhook, before, limit))
    }

    async fn setting(&self, name: &str) -> Result<Option<String>> {
        Ok(self.model()?.settings.get(name).cloned())
    }

    async fn setting_or_set(&self, name: &str, value: &str) -> Result<String> {
        Ok(self.model()?.settings.entry(name.to_owned()).or_insert_with(|| value.to_owned()).clone())
    }

    async fn set_setting(&self, name: &str, value: &str) -> Result<()> {
        self.model()?.settings.insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    async fn queues(&self) -> Result<Vec<QueueRow>> {
        Ok(self.model()?.queues.values().map(|line| line.row.clone()).collect())
    }

    async fn waiting(&self, queue: &str, max: u32) -> Result<u32> {
        Ok(queues::waiting(&*self.model()?, queue, max))
    }

    async fn holders(&self, limited: &str, most: u32) -> Result<Vec<RunId>> {
        let mut holders = queues::holders(&*self.model()?, limited);
        holders.truncate(most as usize);
        Ok(holders)
    }

    async fn set_queue(&self, name: &str, rule: QueueRule, expect: i64, _at: Timestamp) -> Result<QueueRow> {
        queues::set_queue(&mut *self.model()?, name, rule, expect)
    }

    async fn queue_lines(&self, queue: &str, first: u32, max: u32) -> Result<Vec<LineWaits>> {
        Ok(queues::queue_lines(&*self.model()?, queue, first, max))
    }

    async fn move_queued(&self, change: &QueueMove, limit: u32) -> Result<Vec<RunId>> {
        let mut model = self.model()?;
        let moved = queues::move_queued(&mut model, change, limit);
        self.tell(&model);
        Ok(moved)
    }

    async fn place_queued(&self, queue: &str, run: RunId, to: Placing) -> Result<Option<PlaceChange>> {
        Ok(queues::place_queued(&mut *self.model()?, queue, run, to))
    }

    async fn set_lanes(&self, changes: Vec<JobLane>) -> Result<()> {
        self.model()?.lanes.set(changes);
        Ok(())
    }

    async fn lanes(&self, after: i64, limit: u32) -> Result<(Vec<JobLane>, i64)> {
        Ok(self.model()?.lanes.after(after, limit))
    }

    async fn move_runs(&self, change: &JobLane, limit: u32) -> Result<u32> {
        let mut model = self.model()?;
        let moved = job_lane::move_runs(&mut model, change, limit);
        self.tell(&model);
        Ok(moved)
    }

    async fn lost_through(&self) -> Result<Vec<Timestamp>> {
        let model = self.model()?;
        let lost = model.settings.iter().filter(|(name, _)| name.starts_with(LOST_THROUGH));
        Ok(lost.filter_map(|(_, value)| lost_instant(value)).collect())
    }

    async fn job_data(&self, job: JobId) -> Result<Option<JobData>> {
        Ok(self.model()?.jobs.get(job.0).and_then(|job| job.data.clone()))
    }

    async fn set_job_data(&self, job: JobId, text: &str, expect: Option<i64>, at: Timestamp) -> Result<JobData> {
        let mut model = self.model()?;
        let missing = || Error::NotFound { what: "job", key: job.to_string() };
        let model = model.jobs.get_mut(job.0).filter(|job| !job.deleted).ok_or_else(missing)?;
        let found = model.data.as_ref().map_or(0, |kept| kept.revision);
        if let Some(expected) = expect.filter(|expected| *expected != found) {
            return Err(data::conflict(job, expected, found));
        }
        model.keep_data(text.to_owned(), None, at);
        Ok(model.data.clone().expect("it has just been kept"))
    }

    async fn claim_key(&self, claim: KeyClaim) -> Result<Claimed> {
        Ok(keys::claim(&mut *self.model()?, &claim))
    }

    async fn keep_answer(&self, key: &str, answer: KeptAnswer, at: Timestamp) -> Result<()> {
        keys::answer(&mut *self.model()?, key, answer, at);
        Ok(())
    }

    async fn release_key(&self, key: &str, by: Incarnation, how: Release) -> Result<()> {
        keys::release(&mut *self.model()?, key, by, how);
        Ok(())
    }

    async fn purge(&self, rule: PurgeRule) -> Result<u64> {
        Ok(purge::purge(&mut *self.model()?, &rule))
    }

    async fn tally(&self) -> Result<Vec<Tally>> {
        Ok(purge::tally(&*self.model()?))
    }

    async fn figures(&self) -> Result<StoreFigures> {
        Ok(StoreFigures { runs: self.model()?.live.counts(), ..StoreFigures::default() })
    }

    async fn info(&self) -> Result<StoreInfo> {
        let model = self.model()?;
        Ok(StoreInfo {
            kind: "memory",
            version: env!("CARGO_PKG_VERSION").to_owned(),
            schema: 0,
            jobs: model.job_keys.len() as u64,
            triggers: model.triggers.len() as u64,
            live_runs: model.live.len() as u64,
            bytes: 0,
        })
    }

    async fn warnings(&self) -> Result<Vec<StoreWarning>> {
        Ok(warnings::stuck(workflow::stuck(&*self.model()?)).into_iter().collect())
    }

    async fn triggers_ahead(&self, after: Timestamp, limit: u32) -> Result<Vec<String>> {
        let model = self.model()?;
        let is_ahead = |trigger: &&model::Trigger| {
            let progress = &trigger.row.progress;
            progress.status == TriggerStatus::Active
                && progress.fired_through.max(progress.previous_fire_at).is_some_and(|at| at > after)
        };
        let name =
            |trigger: &model::Trigger| format!("{}/{}", model.job(trigger.row.job).row.definition.key, trigger.name);
        Ok(model.triggers.iter().filter(is_ahead).take(limit as usize).map(name).collect())
    }

    async fn close(&self) -> Result<()> {
        self.model()?.closed = true;
        Ok(())
    }
}

#[async_trait]
impl Cluster for MemoryStore {
    async fn renew(&self, me: Incarnation, about: &NodeInfo, renewal: Renewal) -> Result<ClusterView> {
        self.nodes(|nodes| nodes.renew(me, about, renewal))?
    }

    async fn bury(&self, dead: Incarnation, counter: Option<u64>) -> Result<()> {
        self.nodes(|nodes| nodes.bury(dead, counter))
    }

    async fn leave(&self, me: Incarnation, told: Answered) -> Result<bool> {
        let lost = self.nodes(|nodes| nodes.leave(me, told))?;
        let Some((name, value)) = told.through.map(|through| lost_setting(me, through)) else { return Ok(false) };
        let mut model = self.model()?;
        if lost {
            model.settings.insert(name.clone(), value);
        }
        Ok(model.settings.contains_key(&name))
    }

    async fn acquire(&self, by: Incarnation, change: Change, lease_id: u128) -> Result<ShardSet> {
        let (taken, held) = self.nodes(|nodes| (nodes.acquire(by, change, lease_id), nodes.held_under(lease_id)))?;
        // Whoever takes a shard reads all of it next, so it knows of these changes by then.
        self.model()?.outbox.forget(taken);
        Ok(held)
    }

    async fn release(&self, by: Incarnation, change: Change) -> Result<ShardSet> {
        self.nodes(|nodes| nodes.release(by, change))
    }

    async fn ask_drain(&self, node: Incarnation, drain: bool) -> Result<bool> {
        let mut model = self.model()?;
        keys::hold(&model)?;
        Ok(model.shared_nodes().ask_drain(node, drain))
    }

    async fn orphaned(&self) -> Result<Vec<Incarnation>> {
        Ok(self.model()?.orphaned())
    }

    async fn hint(&self) -> Result<()> {
        self.hinted.notify_waiters();
        Ok(())
    }

    fn hinted(&self) -> &Notify {
        &self.hinted
    }

    fn stirs(&self) -> watch::Receiver<u64> {
        self.stirred.subscribe()
    }
}

/// What a simulator of a shared database asks and sets beside the contract.
impl MemoryStore {
    fn nodes<T>(&self, change: impl FnOnce(&mut nodes::Nodes) -> T) -> Result<T> {
        Ok(change(self.model()?.shared_nodes()))
    }

    /// Sets which database it says it is, and its clock.
    ///
    /// # Errors
    /// If it is closed.
    pub fn set_identity(&self, database: &str, clock_ms: i64) -> Result<()> {
        self.nodes(|nodes| {
            if nodes.database != database {
                database.clone_into(&mut nodes.database);
            }
            nodes.clock_ms = clock_ms;
        })
    }

    /// [`Store::fire`] while others have the triggers of some entries, by index, or their gates: these are busy.
    ///
    /// # Errors
    /// As there.
    pub fn fire_beside(&self, batch: &FireBatch, locked: &[u32]) -> Result<FireOutcome> {
        fire::fire(&mut *self.model()?, batch, locked)
    }

    /// How often the fence of a process start was counted up; nothing if it has none.
    ///
    /// # Errors
    /// If it is closed.
    pub fn fence(&self, incarnation: Incarnation) -> Result<Option<u64>> {
        self.nodes(|nodes| nodes.fence(incarnation))
    }

    /// Makes or removes the fence of a process start.
    ///
    /// # Errors
    /// If it is closed.
    pub fn set_fence(&self, incarnation: Incarnation, there: bool) -> Result<()> {
        self.nodes(|nodes| if there { nodes.raise_fence(incarnation) } else { nodes.lower_fence(incarnation) })
    }

    /// Who owns a shard.
    ///
    /// # Errors
    /// If it is closed.
    pub fn lease(&self, shard: Shard) -> Result<Option<Lease>> {
        self.nodes(|nodes| nodes.lease(shard))
    }

    /// The state of a run.
    ///
    /// # Errors
    /// If it is closed.
    pub fn state(&self, run: RunId) -> Result<Option<RunState>> {
        let model = self.model()?;
        let live = model.live.get(run).map(|run| run.state);
        Ok(live.or_else(|| model.history.get(run).map(|over| over.run.state)))
    }

    /// The states of all runs.
    ///
    /// # Errors
    /// If it is closed.
    pub fn states(&self) -> Result<Vec<(RunId, RunState)>> {
        let model = self.model()?;
        let runs = model.live.iter().chain(model.history.iter().map(|over| &over.run));
        Ok(runs.map(|run| (run.id, run.state)).collect())
    }

    /// The running runs and who holds each, in order of ids.
    ///
    /// # Errors
    /// If it is closed.
    pub fn running(&self) -> Result<Vec<(RunId, Incarnation)>> {
        let model = self.model()?;
        let mut running: Vec<_> =
            model.running().map(|(run, owner)| (run, model.incarnations[owner as usize])).collect();
        running.sort_unstable();
        Ok(running)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::conformance_suite!(async || Arc::new(MemoryStore::new()) as Arc<dyn Store>);

    mod shared {
        use super::*;

        crate::conformance_suite!(async || Arc::new(MemoryStore::shared()) as Arc<dyn Store>);
        crate::cluster_suite!(async || Arc::new(MemoryStore::shared()) as Arc<dyn Store>);
    }
}
