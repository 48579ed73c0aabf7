//! The contract of a store, kept with a database behind it.

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
use tokio::sync::Notify;

use super::backend::{Backend, Lane, ReadLane};
use super::db::{exists, sql};
use super::session::Session;
use super::{
    Batches, after, awaits, complete, correct, data, deadline, digest, document, fire, follow, gap, job, job_lane,
    keep, key, lane, names, past, purge, queue, queues, remove, rollup, route, run, save, trigger, update, warnings,
    webhook, worker, workflow,
};
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
    StoreFigures, StoreInfo, StoreWarning, Tally, TriggerInfo, TriggerQuery, VersionRow, VersionedJob,
};
use crate::store::Store;
use crate::webhook::{Delivery, Disabled, NewDelivery, Sent, Taken, Webhook, WebhookRow};
use crate::worker::{Routed, WorkerInfo, WorkerRow, WorkerToken};
use crate::workflow::{Message, Stepped, TaskRequest, WorkflowDue, WorkflowRow, WorkflowStep};

#[async_trait]
impl<B: Backend> Store for B {
    async fn adopt(&self, incarnation: Incarnation, at: Timestamp) -> Result<Vec<LiveRun>> {
        self.write(Lane::Claim, "adopt running runs", move |s| queue::adopt(s, incarnation, at)).await
    }

    async fn window(
        &self,
        shards: ShardSet,
        until: Timestamp,
        after: Option<(Timestamp, TriggerId)>,
        limit: u32,
    ) -> Result<(Vec<TriggerRow>, Option<(Timestamp, TriggerId)>)> {
        let work = move |db: &B::Connection| db.window(shards, until, after, limit);
        self.read(ReadLane::Engine, "read due triggers", work).await
    }

    async fn trigger_rows(&self, ids: &[TriggerId]) -> Result<Vec<TriggerRow>> {
        let ids = ids.to_vec();
        self.read(ReadLane::Engine, "read triggers", move |db| trigger::rows(db, &ids)).await
    }

    async fn stranded(&self) -> Result<Vec<TriggerRow>> {
        self.read(ReadLane::Engine, "read triggers", |db| trigger::stranded(db)).await
    }

    async fn definition(&self, job: JobId, version: JobVersion) -> Result<Arc<Job>> {
        let work = move |db: &B::Connection| trigger::definition(db, job, version);
        self.read(ReadLane::Engine, "read a job's definition", work).await
    }

    async fn definitions(&self, keys: &[(JobId, JobVersion)]) -> Result<Vec<VersionedJob>> {
        let keys = keys.to_vec();
        self.read(ReadLane::Engine, "read definitions of jobs", move |db| trigger::definitions(db, &keys)).await
    }

    async fn fire(&self, batch: Arc<FireBatch>) -> Result<FireOutcome> {
        let mut hurries = true;
        let work = move |s: &mut Session<B::Connection>| {
            // Whatever it waited for in vain is passed over the next time.
            fire::fire(s, &batch, std::mem::take(&mut hurries))
        };
        self.write(Lane::Fire, "record fires", work).await
    }

    async fn complete(&self, batch: Arc<CompletionBatch>) -> Result<CompletionOutcome> {
        self.write(Lane::Complete, "record ends of attempts", move |s| complete::complete(s, &batch)).await
    }

    async fn complete_and_go_on(&self, batch: Arc<CompletionBatch>, follow_up: FollowUp) -> Result<Followed> {
        let work = move |s: &mut Session<B::Connection>| follow::complete_and_go_on(s, &batch, &follow_up);
        self.write(Lane::Complete, "record ends of attempts", work).await
    }

    async fn claim(&self, id: BatchId, queues: &Queues, limit: u32, at: Timestamp) -> Result<Vec<ClaimedRun>> {
        let queues = queues.clone();
        self.write(Lane::Claim, "claim runs", move |s| queue::claim(s, id, &queues, limit, at)).await
    }

    async fn adopt_from(&self, dead: Incarnation, id: BatchId, limit: u32) -> Result<Vec<LiveRun>> {
        self.write(Lane::Claim, "adopt orphaned runs", move |s| queue::adopt_from(s, dead, id, limit)).await
    }

    async fn held(&self, by: Incarnation) -> Result<Vec<LiveRun>> {
        let id = by.0.to_be_bytes();
        // Not between claims: it reads all runs, which takes long where the server keeps those that are gone.
        self.read(ReadLane::Engine, "read the runs of a holder", move |db| queue::held(db, &id)).await
    }

    async fn held_by_workers(&self, by: Incarnation) -> Result<Vec<Held>> {
        let id = by.0.to_be_bytes();
        self.read(ReadLane::Engine, "read the runs of workers", move |db| worker::held(db, &id)).await
    }

    async fn join_worker(&self, worker: WorkerInfo) -> Result<()> {
        self.write(Lane::Claim, "register a worker", move |s| worker::join(s, &worker)).await
    }

    async fn name_node(&self, id: Incarnation, name: &str) -> Result<()> {
        let name = name.to_owned();
        self.write(Lane::Api, "name a node", move |s| worker::name(s, id, &name)).await
    }

    async fn hear_worker(&self, id: Incarnation, by: Incarnation, at: Timestamp) -> Result<bool> {
        self.write(Lane::Claim, "hear a worker", move |s| worker::hear(s, id, by, at)).await
    }

    async fn place_worker(&self, id: Incarnation, place: Option<u32>) -> Result<bool> {
        self.write(Lane::Api, "place a worker", move |s| worker::place(s, id, place)).await
    }

    async fn drain_worker(&self, id: Incarnation, draining: bool) -> Result<bool> {
        self.write(Lane::Api, "drain a worker", move |s| worker::drain(s, id, draining)).await
    }

    async fn note_worker_clocks(&self, offsets: &[(Incarnation, i64)]) -> Result<()> {
        let offsets = offsets.to_vec();
        self.write(Lane::Claim, "note the clocks of workers", move |s| worker::note_clocks(s, &offsets)).await
    }

    async fn claim_for(
        &self,
        id: BatchId,
        by: Incarnation,
        queues: &Queues,
        limit: u32,
        at: Timestamp,
    ) -> Result<Vec<ClaimedRun>> {
        let queues = queues.clone();
        let work = move |s: &mut Session<B::Connection>| worker::claim(s, id, by, &queues, limit, at);
        self.write(Lane::Claim, "claim runs for a worker", work).await
    }

    async fn beat_workers(&self, by: Incarnation, heard: &[Incarnation], at: Timestamp) -> Result<Vec<Count>> {
        let heard = heard.to_vec();
        self.write(Lane::Claim, "count workers up", move |s| worker::beat(s, by, &heard, at)).await
    }

    async fn bury_worker(&self, dead: Incarnation, counter: Option<u64>) -> Result<bool> {
        self.write(Lane::Claim, "bury a worker", move |s| worker::bury(s, dead, counter)).await
    }

    async fn worker(&self, id: Incarnation) -> Result<Option<WorkerInfo>> {
        let id = id.0.to_be_bytes();
        let work = move |db: &B::Connection| worker::rows(db, sql!("worker"), &[(":id", &id)]);
        Ok(self.read(ReadLane::Engine, "read a worker", work).await?.pop().map(|row| row.info))
    }

    async fn workers(&self) -> Result<Vec<WorkerRow>> {
        self.read(ReadLane::Requests, "read the workers", |db| worker::rows(db, sql!("workers"), &[])).await
    }

    async fn add_worker_token(&self, token: WorkerToken) -> Result<()> {
        self.write(Lane::Api, "keep a token of workers", move |s| worker::add_token(s, &token)).await
    }

    async fn worker_tokens(&self) -> Result<Vec<WorkerToken>> {
        self.read(ReadLane::Requests, "read the tokens of workers", |db| worker::tokens(db)).await
    }

    async fn remove_worker_token(&self, name: &str) -> Result<bool> {
        let name = name.to_owned();
        self.write(Lane::Api, "remove a token of workers", move |s| worker::remove_token(s, &name)).await
    }

    async fn release_due(&self, at: Timestamp, limit: u32) -> Result<Released> {
        self.write(Lane::Claim, "release scheduled runs", move |s| queue::release_due(s, at, limit)).await
    }

    async fn route(&self, at: Timestamp, limit: u32) -> Result<Routed> {
        let work = self.read(ReadLane::Engine, "look for runs to route", route::work).await?;
        for parent in work.parents {
            let settle = self.write(Lane::Claim, "end a run with its shards", move |s| route::settle(s, parent, at));
            apart(settle.await)?;
        }
        if !work.has_lines {
            return Ok(Routed::default());
        }
        let (mut routed, splits) = self.write(Lane::Claim, "route runs", move |s| route::route(s, at, limit)).await?;
        for split in splits {
            let work = move |s: &mut Session<B::Connection>| route::split(s, split.clone(), at);
            let lines = self.write(Lane::Claim, "split a run into shards", work).await;
            routed.lines.extend(apart(lines)?.unwrap_or_default());
        }
        Ok(routed)
    }

    async fn afters_due(&self, shards: ShardSet, after: i64, limit: u32) -> Result<AftersDue> {
        self.read(ReadLane::Engine, "look for runs after others", move |db| after::due(db, shards, after, limit)).await
    }

    async fn fire_afters(&self, fires: Vec<AfterFire>, at: Timestamp) -> Result<Vec<AfterFired>> {
        self.write(Lane::Claim, "make runs that come after others", move |s| after::fire(s, &fires, at)).await
    }

    async fn after_edges(&self, namespace: &str) -> Result<Vec<AfterEdge>> {
        let namespace = namespace.to_owned();
        self.read(ReadLane::Requests, "read which jobs start after which", move |db| after::edges(db, &namespace)).await
    }

    async fn deadlines_due(&self, at: Timestamp, limit: u32) -> Result<DeadlinesDue> {
        self.read(ReadLane::Engine, "look for missed deadlines", move |db| deadline::due(db, at, limit)).await
    }

    async fn miss_deadlines(&self, runs: Vec<RunId>, at: Timestamp) -> Result<Vec<MissedDeadline>> {
        self.write(Lane::Claim, "note missed deadlines", move |s| deadline::miss(s, &runs, at)).await
    }

    async fn has_missed_deadline(&self, run: RunId) -> Result<bool> {
        self.read(ReadLane::Requests, "read a missed deadline", move |db| deadline::is_missed(db, run)).await
    }

    async fn workflows_due(&self, shards: ShardSet, limit: u32) -> Result<Vec<WorkflowDue>> {
        self.read(ReadLane::Engine, "look for due workflows", move |db| workflow::due(db, shards, limit)).await
    }

    async fn begin_workflows(&self, runs: Vec<RunId>, at: Timestamp) -> Result<Vec<bool>> {
        self.write(Lane::Claim, "begin workflows", move |s| workflow::begin(s, &runs, at)).await
    }

    async fn called_runs(&self, run: RunId) -> Result<Vec<(RunId, String)>> {
        self.read(ReadLane::Engine, "read what a workflow run has started", move |db| workflow::called(db, run)).await
    }

    async fn called_for(&self, job: JobId, first: Timestamp, last: Timestamp) -> Result<Vec<RunId>> {
        let find = "find runs that tasks have started";
        self.read(ReadLane::Engine, find, move |db| run::called_for(db, job, (first, last))).await
    }

    async fn workflow_inboxes(&self, runs: Vec<RunId>, limit: u32) -> Result<Vec<Vec<Message>>> {
        self.read(ReadLane::Engine, "read inboxes", move |db| workflow::inboxes(db, &runs, limit)).await
    }

    async fn workflows(&self, runs: Vec<RunId>, inbox: u32) -> Result<Vec<Option<WorkflowRow>>> {
        self.read(ReadLane::Engine, "read workflow runs", move |db| workflow::workflows(db, &runs, inbox)).await
    }

    async fn step_workflows(&self, steps: Vec<WorkflowStep>) -> Result<Vec<Stepped>> {
        self.write(Lane::Claim, "write steps of workflows", move |s| workflow::steps(s, &steps)).await
    }

    async fn run_stands(&self, run: RunId, task: u32) -> Result<Option<Stands>> {
        self.write(Lane::Claim, "read how a run stands", move |s| awaits::stands(s, run, task)).await
    }

    async fn is_anything_awaited(&self) -> Result<bool> {
        self.read(ReadLane::Engine, "see whether tasks wait", move |db| exists(db, sql!("await_used"), &[])).await
    }

    async fn ask_workflow(&self, run: RunId, request: TaskRequest) -> Result<bool> {
        self.deed("ask something of a workflow run", move |s| workflow::ask(s, run, &request)).await
    }

    async fn repair_workflows(&self, limit: u32) -> Result<u64> {
        self.deed("tell workflow runs of ends", move |s| workflow::repair(s, limit)).await
    }

    async fn read_changes(&self, by: Incarnation, shards: ShardSet, heard: Heard, limit: u32) -> Result<Changes> {
        self.write(Lane::Claim, "read changes", move |s| queue::read_changes(s, by, shards, &heard, limit)).await
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
        self.shared()
    }

    fn changed(&self) -> &Notify {
        self.wake()
    }

    async fn keep_output(&self, run: RunId, attempt: u32, part: u32, bytes: Vec<u8>) -> Result<()> {
        self.write(Lane::Log, "keep an output", move |s| keep::keep_output(s, run, attempt, part, &bytes)).await
    }

    async fn append_log(&self, chunks: Vec<LogChunk>) -> Result<()> {
        self.write(Lane::Log, "append to a log", move |s| keep::append_log(s, &chunks)).await
    }

    async fn set_trigger_error(&self, trigger: TriggerId, version: i64, reason: &str, at: Timestamp) -> Result<bool> {
        let reason = reason.to_owned();
        let work = move |s: &mut Session<B::Connection>| update::set_trigger_error(s, trigger, version, &reason, at);
        self.write(Lane::Claim, "put a trigger aside", work).await
    }

    async fn prior(&self, key: &JobKey) -> Result<JobPrior> {
        let key = key.clone();
        self.read(ReadLane::Requests, "read a job", move |db| job::prior(db, &key)).await
    }

    async fn priors(&self, keys: &[JobKey]) -> Result<Vec<JobPrior>> {
        let keys = keys.to_vec();
        self.read(ReadLane::Requests, "read jobs", move |db| job::priors(db, &keys)).await
    }

    async fn save_jobs(&self, writes: Vec<JobWrite>) -> Result<Vec<Saved>> {
        self.deed("save jobs", move |s| save::save(s, &writes)).await
    }

    async fn update_job(&self, update: JobUpdate) -> Result<JobRow> {
        self.deed("update a job", move |s| update::update(s, &update)).await
    }

    async fn delete_jobs(&self, deletes: Vec<JobDelete>, at: Timestamp) -> Result<()> {
        self.deed("delete jobs", move |s| remove::delete_all(s, &deletes, at)).await
    }

    async fn job(&self, key: &JobKey) -> Result<Option<JobRow>> {
        let key = key.clone();
        self.read(ReadLane::Requests, "read a job", move |db| job::by_key(db, &key)).await
    }

    async fn jobs(&self, query: JobQuery) -> Result<Vec<JobRow>> {
        self.read(ReadLane::Requests, "list jobs", move |db| job::list(db, &query)).await
    }

    async fn job_digests(&self, jobs: Vec<JobId>, recent: u32) -> Result<Vec<JobDigest>> {
        self.read(ReadLane::Requests, "look at jobs", move |db| digest::of_jobs(db, &jobs, recent)).await
    }

    async fn longest_running(&self, limit: u32) -> Result<Vec<(JobId, RunDigest)>> {
        self.read(ReadLane::Requests, "look at running runs", move |db| digest::longest(db, limit)).await
    }

    async fn due_soon(&self, until: Timestamp, limit: u32) -> Result<Vec<TriggerRow>> {
        let work = move |db: &B::Connection| Ok(db.window(ShardSet::ALL, until, None, limit)?.0);
        self.read(ReadLane::Requests, "read triggers to come", work).await
    }

    async fn jobs_by_id(&self, jobs: Vec<JobId>) -> Result<Vec<JobRow>> {
        self.read(ReadLane::Requests, "read jobs", move |db| job::by_ids(db, &jobs)).await
    }

    async fn versions(&self, job: JobId, before: Option<JobVersion>, limit: u32) -> Result<Vec<VersionRow>> {
        self.read(ReadLane::Requests, "list versions", move |db| job::versions(db, job, before, limit)).await
    }

    async fn triggers(&self, query: TriggerQuery) -> Result<Vec<TriggerInfo>> {
        self.read(ReadLane::Requests, "list triggers", move |db| job::triggers(db, &query)).await
    }

    async fn namespaces(&self, after: Option<&str>, limit: u32) -> Result<Vec<NamespaceRow>> {
        let after = after.unwrap_or_default().to_owned();
        self.read(ReadLane::Requests, "list namespaces", move |db| names::namespaces(db, &after, limit)).await
    }

    async fn create_namespace(&self, name: &str, at: Timestamp) -> Result<NamespaceRow> {
        let name = name.to_owned();
        self.write(Lane::Api, "create a namespace", move |s| names::create_namespace(s, &name, at)).await
    }

    async fn delete_namespace(&self, name: &str) -> Result<()> {
        let name = name.to_owned();
        self.write(Lane::Api, "delete a namespace", move |s| names::delete_namespace(s, &name)).await
    }

    async fn calendar(&self, namespace: &str, name: &str) -> Result<Option<CalendarRow>> {
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        self.read(ReadLane::Requests, "read a calendar", move |db| names::calendar(db, &namespace, &name)).await
    }

    async fn calendars(&self, namespace: &str, after: Option<&str>, limit: u32) -> Result<Vec<CalendarRow>> {
        let (namespace, after) = (namespace.to_owned(), after.unwrap_or_default().to_owned());
        self.read(ReadLane::Requests, "list calendars", move |db| names::calendars(db, &namespace, &after, limit)).await
    }

    async fn save_calendar(&self, write: CalendarWrite) -> Result<CalendarRow> {
        self.deed("save a calendar", move |s| names::save_calendar(s, &write)).await
    }

    async fn delete_calendar(&self, namespace: &str, name: &str, expect: Expect) -> Result<()> {
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        let work = move |s: &mut Session<B::Connection>| names::delete_calendar(s, &namespace, &name, expect);
        self.deed("delete a calendar", work).await
    }

    async fn ask_run(&self, run: AskedRun) -> Result<Asked> {
        self.deed("queue a run", move |s| run::ask(s, &run)).await
    }

    async fn rearm(&self, run: RunId, rearm: Rearm) -> Result<bool> {
        self.write(Lane::Claim, "set a delay going", move |s| run::rearm(s, run, rearm)).await
    }

    async fn cancel_run(&self, run: RunId, reason: &str, rearm: Option<Rearm>, at: Timestamp) -> Result<Cancelled> {
        let reason = reason.to_owned();
        self.deed("cancel a run", move |s| run::cancel(s, run, &reason, rearm, at)).await
    }

    async fn correct_run(&self, it: Correction) -> Result<Corrected> {
        self.deed("correct a run", move |s| correct::correct(s, &it)).await
    }

    async fn add_past_runs(&self, runs: PastRuns) -> Result<Vec<bool>> {
        self.deed("keep past runs", move |s| past::add(s, &runs)).await
    }

    async fn run(&self, run: RunId) -> Result<Option<RunInfo>> {
        self.read(ReadLane::Requests, "read a run", move |db| run::run(db, run)).await
    }

    async fn runs(&self, query: RunQuery) -> Result<Vec<RunInfo>> {
        self.read(ReadLane::Requests, "list runs", move |db| run::list(db, &query)).await
    }

    async fn attempts(&self, run: RunId) -> Result<Vec<AttemptInfo>> {
        self.read(ReadLane::Requests, "list attempts", move |db| run::attempts(db, run)).await
    }

    async fn log(&self, run: RunId, attempt: u32, from_line: u64, bytes_max: u32) -> Result<Vec<LogChunk>> {
        self.read(ReadLane::Requests, "read a log", move |db| keep::log(db, run, attempt, from_line, bytes_max)).await
    }

    async fn log_end(&self, run: RunId, attempt: u32) -> Result<u64> {
        self.read(ReadLane::Requests, "find the end of a log", move |db| keep::log_end(db, run, attempt)).await
    }

    async fn output(&self, run: RunId, attempt: u32, part: u32) -> Result<Option<Vec<u8>>> {
        self.read(ReadLane::Requests, "read an output", move |db| keep::output(db, run, attempt, part)).await
    }

    async fn gaps(&self, trigger: Option<TriggerId>, after: i64, limit: u32) -> Result<Vec<GapRow>> {
        self.read(ReadLane::Requests, "list gaps", move |db| gap::list(db, trigger, after, limit)).await
    }

    async fn gaps_before(
        &self,
        trigger: Option<TriggerId>,
        before: i64,
        limit: u32,
    ) -> Result<Vec<(GapRow, Option<String>)>> {
        self.read(ReadLane::Requests, "list gaps", move |db| gap::before(db, trigger, before, limit)).await
    }

    async fn put_rollups(&self, rows: Vec<RollupRow>, at: Timestamp) -> Result<()> {
        self.write(Lane::Api, "keep figures", move |s| rollup::put(s, &rows, at)).await
    }

    async fn rollups(&self, span: RollupSpan, from: Timestamp, to: Timestamp) -> Result<Vec<RollupRow>> {
        self.read(ReadLane::Requests, "read figures", move |db| rollup::list(db, span, from, to)).await
    }

    async fn queue_rollups(
        &self,
        queue: Option<&str>,
        span: RollupSpan,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<RollupRow>> {
        let (queue, operation) = (queue.map(str::to_owned), "read figures of queues");
        let work = move |db: &B::Connection| rollup::of_queues(db, queue.as_deref(), span, from, to);
        self.read(ReadLane::Requests, operation, work).await
    }

    async fn events(&self, after: i64, limit: u32) -> Result<Vec<EventRow>> {
        self.before_events().await?;
        self.read(ReadLane::Requests, "read events", move |db| keep::events(db, after, limit)).await
    }

    async fn last_event(&self) -> Result<i64> {
        self.before_events().await?;
        self.read(ReadLane::Requests, "read events", |db| keep::last_event(db)).await
    }

    async fn put_document(&self, it: Document, expect: DocumentExpect) -> Result<Option<Document>> {
        self.write(Lane::Api, "write a document", move |s| document::put(s, &it, expect)).await
    }

    async fn change_documents(&self, changes: Vec<DocumentChange>) -> Result<()> {
        self.write(Lane::Api, "change documents", move |s| document::change(s, &changes)).await
    }

    async fn add_documents(&self, documents: Vec<Document>) -> Result<Vec<bool>> {
        self.write(Lane::Api, "add documents", move |s| document::add(s, &documents)).await
    }

    async fn document(&self, kind: &str, name: &str, at: Timestamp) -> Result<Option<Document>> {
        let (kind, name) = (kind.to_owned(), name.to_owned());
        self.read(ReadLane::Requests, "read a document", move |db| document::get(db, &kind, &name, at)).await
    }

    async fn documents(&self, kind: &str, after: Option<&str>, at: Timestamp, limit: u32) -> Result<Vec<Document>> {
        let (kind, after) = (kind.to_owned(), after.map(str::to_owned));
        self.read(ReadLane::Requests, "list", move |db| document::list(db, &kind, after.as_deref(), at, limit)).await
    }

    async fn remove_document(&self, kind: &str, name: &str) -> Result<bool> {
        let (kind, name) = (kind.to_owned(), name.to_owned());
        self.write(Lane::Api, "remove a document", move |s| document::remove(s, &kind, &name)).await
    }

    async fn add_webhook(&self, it: Webhook) -> Result<()> {
        self.write(Lane::Api, "keep a webhook", move |s| webhook::add(s, &it)).await
    }

    async fn webhooks(&self) -> Result<Vec<WebhookRow>> {
        self.read(ReadLane::Requests, "read the webhooks", |db| webhook::list(db)).await
    }

    async fn remove_webhook(&self, name: &str) -> Result<bool> {
        let name = name.to_owned();
        self.write(Lane::Api, "remove a webhook", move |s| webhook::remove(s, &name)).await
    }

    async fn rotate_webhook(&self, name: &str, replaced: &str, secret: &str, until: Timestamp) -> Result<bool> {
        let (name, replaced, secret) = (name.to_owned(), replaced.to_owned(), secret.to_owned());
        let work = move |s: &mut Session<B::Connection>| webhook::rotate(s, &name, &replaced, &secret, until);
        self.write(Lane::Api, "rotate a webhook's secret", work).await
    }

    async fn disable_webhook(&self, id: i64, since: Timestamp, disabled: Disabled) -> Result<bool> {
        self.write(Lane::Api, "let a webhook rest", move |s| webhook::disable(s, id, since, &disabled)).await
    }

    async fn resume_webhook(&self, name: &str, through: i64) -> Result<bool> {
        let name = name.to_owned();
        self.write(Lane::Api, "resume a webhook", move |s| webhook::resume(s, &name, through)).await
    }

    async fn note_deliveries(
        &self,
        webhook: i64,
        places: (i64, i64),
        deliveries: Vec<NewDelivery>,
        at: Timestamp,
    ) -> Result<bool> {
        self.write(Lane::Api, "note deliveries", move |s| webhook::note(s, webhook, places, &deliveries, at)).await
    }

    async fn take_deliveries(&self, webhook: i64, at: Timestamp, until: Timestamp, limit: u32) -> Result<Vec<Taken>> {
        self.write(Lane::Api, "take deliveries", move |s| webhook::take(s, webhook, at, until, limit)).await
    }

    async fn settle_deliveries(&self, sent: Vec<Sent>) -> Result<Vec<bool>> {
        self.write(Lane::Api, "settle deliveries to webhooks", move |s| webhook::settle(s, &sent)).await
    }

    async fn expire_deliveries(&self, before: Timestamp, why: &str, at: Timestamp, limit: u32) -> Result<u64> {
        let why = why.to_owned();
        let work = move |s: &mut Session<B::Connection>| webhook::expire(s, before, &why, at, limit);
        self.write(Lane::Api, "give deliveries to webhooks up", work).await
    }

    async fn pending_deliveries(&self, webhook: i64, most: u32) -> Result<u32> {
        self.read(ReadLane::Requests, "count deliveries", move |db| webhook::pending(db, webhook, most)).await
    }

    async fn deliveries(&self, webhook: i64, before: Option<i64>, limit: u32) -> Result<Vec<Delivery>> {
        self.read(ReadLane::Requests, "deliveries", move |db| webhook::deliveries(db, webhook, before, limit)).await
    }

    async fn setting(&self, name: &str) -> Result<Option<String>> {
        let name = name.to_owned();
        self.read(ReadLane::Requests, "read a setting", move |db| keep::setting(db, &name)).await
    }

    async fn setting_or_set(&self, name: &str, value: &str) -> Result<String> {
        let (name, value) = (name.to_owned(), value.to_owned());
        self.write(Lane::Api, "set a first setting", move |s| keep::setting_or_set(s, &name, &value)).await
    }

    async fn set_setting(&self, name: &str, value: &str) -> Result<()> {
        let (name, value) = (name.to_owned(), value.to_owned());
        self.write(Lane::Api, "set a setting", move |s| keep::set_setting(s, &name, &value)).await
    }

    async fn queues(&self) -> Result<Vec<QueueRow>> {
        self.read(ReadLane::Engine, "read what is set for queues", |db| queues::queues(db)).await
    }

    async fn waiting(&self, queue: &str, max: u32) -> Result<u32> {
        let queue = queue.to_owned();
        self.read(ReadLane::Engine, "count the runs of a queue", move |db| queues::waiting(db, &queue, max)).await
    }

    async fn holders(&self, limited: &str, most: u32) -> Result<Vec<RunId>> {
        let (limited, operation) = (limited.to_owned(), "read which runs count in a limit");
        self.read(ReadLane::Requests, operation, move |db| queues::holders(db, &limited, most)).await
    }

    async fn set_queue(&self, name: &str, rule: QueueRule, expect: i64, at: Timestamp) -> Result<QueueRow> {
        let name = name.to_owned();
        self.write(Lane::Api, "set a queue", move |s| queues::set_queue(s, &name, rule, expect, at)).await
    }

    async fn queue_lines(&self, queue: &str, first: u32, max: u32) -> Result<Vec<LineWaits>> {
        let (queue, operation) = (queue.to_owned(), "read what waits in a queue");
        self.read(ReadLane::Requests, operation, move |db| queues::queue_lines(db, &queue, first, max)).await
    }

    async fn move_queued(&self, change: &QueueMove, limit: u32) -> Result<Vec<RunId>> {
        let change = change.clone();
        self.write(Lane::Api, "move runs to another queue", move |s| queues::move_queued(s, &change, limit)).await
    }

    async fn place_queued(&self, queue: &str, run: RunId, to: Placing) -> Result<Option<PlaceChange>> {
        let (queue, operation) = (queue.to_owned(), "give a run another place in its queue");
        self.write(Lane::Api, operation, move |s| queues::place_queued(&s.connection, &queue, run, to)).await
    }

    async fn set_lanes(&self, changes: Vec<JobLane>) -> Result<()> {
        self.write(Lane::Api, "note how long runs of jobs take", move |s| job_lane::set(s, &changes)).await
    }

    async fn lanes(&self, after: i64, limit: u32) -> Result<(Vec<JobLane>, i64)> {
        self.read(ReadLane::Engine, "read how long runs of jobs take", move |db| job_lane::after(db, after, limit))
            .await
    }

    async fn move_runs(&self, change: &JobLane, limit: u32) -> Result<u32> {
        let change = change.clone();
        let work = move |s: &mut Session<B::Connection>| job_lane::move_runs(s, &change, limit);
        self.write(Lane::Api, "move runs to another line", work).await
    }

    async fn lost_through(&self) -> Result<Vec<Timestamp>> {
        self.read(ReadLane::Requests, "look what failovers have lost", |db| keep::lost_through(db)).await
    }

    async fn job_data(&self, job: JobId) -> Result<Option<JobData>> {
        self.read(ReadLane::Engine, "read the data of a job", move |db| data::of_job(db, job)).await
    }

    async fn set_job_data(&self, job: JobId, data: &str, expect: Option<i64>, at: Timestamp) -> Result<JobData> {
        let data = data.to_owned();
        self.write(Lane::Api, "set the data of a job", move |s| data::change(s, job, &data, expect, at)).await
    }

    async fn claim_key(&self, claim: KeyClaim) -> Result<Claimed> {
        let operation = "claim an idempotency key";
        let work = move |s: &mut Session<B::Connection>| key::claim(s, &claim);
        self.write(Lane::Api, operation, lane::within(lane::PATIENCE, operation, work)).await
    }

    async fn keep_answer(&self, key: &str, answer: KeptAnswer, at: Timestamp) -> Result<()> {
        let key = key.to_owned();
        self.write(Lane::Api, "keep an answer", move |s| key::answer(s, &key, &answer, at)).await
    }

    async fn release_key(&self, key: &str, by: Incarnation, how: Release) -> Result<()> {
        let key = key.to_owned();
        self.write(Lane::Api, "give an idempotency key up", move |s| key::release(s, &key, by, how)).await
    }

    async fn purge(&self, rule: PurgeRule) -> Result<u64> {
        // Those that nobody has read yet are to go as well.
        self.before_events().await?;
        let mut count = self.keep_parts(rule).await?;
        let found = self.read(ReadLane::Counts, "find old records", move |db| purge::find(db, &rule)).await?;
        for slice in found.slices() {
            count += self.write(Lane::Api, "delete old runs", move |s| slice.delete(s)).await?;
        }
        let limit = u64::from(rule.limit).saturating_sub(count);
        let rest = move |s: &mut Session<B::Connection>| purge::purge_rest(s, &rule, limit);
        Ok(count + self.write(Lane::Api, "delete old records", rest).await?)
    }

    async fn tally(&self) -> Result<Vec<Tally>> {
        self.read(ReadLane::Counts, "count fires", |db| purge::tally(db)).await
    }

    async fn info(&self) -> Result<StoreInfo> {
        let counts = self.read(ReadLane::Counts, "count what there is", |db| purge::info(db)).await?;
        self.about(counts).await
    }

    async fn figures(&self) -> Result<StoreFigures> {
        let runs = self.read(ReadLane::Requests, "count unfinished runs", |db| purge::unfinished(db)).await?;
        let oldest_transaction_s = self.oldest_transaction().await?.map(|age| age.max(0).unsigned_abs());
        Ok(StoreFigures { runs, oldest_transaction_s, disk: self.disk() })
    }

    fn connections(&self) -> Option<Connections> {
        self.sessions()
    }

    async fn warnings(&self) -> Result<Vec<StoreWarning>> {
        let mut found = self.warnings_of_server().await?;
        found.extend(
            self.read(ReadLane::Counts, "look for triggers that are put aside", |db| warnings::aside(db)).await?,
        );
        let operation = "look for tasks of workflows that are stuck";
        found.extend(warnings::stuck(self.read(ReadLane::Counts, operation, |db| workflow::stuck(db)).await?));
        Ok(found)
    }

    async fn triggers_ahead(&self, after: Timestamp, limit: u32) -> Result<Vec<String>> {
        let operation = "look for triggers with records of the future";
        self.read(ReadLane::Counts, operation, move |db| warnings::ahead(db, after, limit)).await
    }

    async fn close(&self) -> Result<()> {
        self.end().await
    }
}

/// What one run cannot have done is in the way of no other.
fn apart<T>(done: Result<T>) -> Result<Option<T>> {
    match done {
        Err(
            error @ (Error::Rejected { .. } | Error::Unusable { .. } | Error::NotFound { .. } | Error::Conflict { .. }),
        ) => {
            tracing::error!(error = %crate::causes(&error), "a run that is executed in shards is passed over");
            Ok(None)
        }
        done => done.map(Some),
    }
}
