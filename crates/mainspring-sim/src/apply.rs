//! What a transaction does when it is kept, and what the history notes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mainspring_core::batch::{
    ClaimedRun, Completion, CompletionBatch, CompletionOutcome, FireBatch, FireOutcome, Heard, Placed, Queues,
    TriggerStatus,
};
use mainspring_core::cluster::{Shard, ShardSet};
use mainspring_core::job::{DEFAULT_QUEUE, JobKey};
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::RunState;
use mainspring_core::{BatchId, Incarnation, JobId, RunId, TriggerId};
use mainspring_store::{Claimed, Cluster, Error, KeptAnswer, KeyClaim, MemoryStore, NodeInfo, RunQuery, Store};
use rustc_hash::FxHashMap;

use crate::client::Client;
use crate::faults::{Kind, Planted};
use crate::history::{Burial, Claim, Fire, GapRow, Seen, Stopped, Time, Verdict};
use crate::node::desk::remote;
use crate::store::{Sender, ready};
use crate::verbs::{Answer, Failure, Reply, Verb};
use crate::world::World;

const ADOPT_MAX: u32 = 500;
const STEP_MAX: u32 = 1_000;
const WINDOW_ROWS: u32 = 10_000;
/// Short, so that what is still at work is done again, too.
const KEY_LAPSE_MS: i64 = 2_000;

/// What planted bugs remember.
#[derive(Debug, Default)]
pub(crate) struct Bugs {
    /// The epochs that the sender of a batch went by.
    pub(crate) epochs: FxHashMap<BatchId, BTreeMap<Shard, i64>>,
    /// When each incarnation last renewed, by its own wall clock.
    pub(crate) renewals: FxHashMap<Incarnation, i64>,
    /// The last number given to a change, the last that was committed, and the last that was read.
    numbered: u64,
    committed: u64,
    read: u64,
}

/// The store as it was.
#[derive(Debug)]
pub(crate) struct Snapshot {
    memory: MemoryStore,
    pub(crate) order: u64,
    at: Time,
    gaps_seen: i64,
}

impl World {
    pub(crate) fn snapshot(&self) -> Snapshot {
        let memory = self.store.memory.copy().expect("the memory store is open");
        Snapshot { memory, order: self.order, at: self.time(), gaps_seen: self.gaps_seen }
    }

    /// Another server takes over, without what came after the snapshot.
    pub(crate) fn fail_over(&mut self, snapshot: Snapshot) {
        self.failing_over = false;
        if self.healed {
            return;
        }
        let gone_ms = self.random.between(100, 5_000);
        self.outage(Kind::Failover, gone_ms);
        let (kept, at) = (snapshot.order, snapshot.at);
        self.store.memory = snapshot.memory;
        self.gaps_seen = snapshot.gaps_seen;
        self.database += 1;
        self.rules.clear();
        let now = self.time();
        let history = &mut self.history;
        history.failovers.push(now);
        history.fires.retain(|fire| fire.order <= kept);
        history.gaps.retain(|gap| gap.order <= kept);
        let lost = history.claims.extract_if(.., |claim| claim.order > kept);
        history.lost_claims.extend(lost.map(|claim| (claim.run, claim.attempt)));
        let claims: BTreeSet<_> = history.claims.iter().map(|claim| (claim.run, claim.attempt, claim.by)).collect();
        for ((by, _), runs) in &mut self.answered {
            runs.retain(|(run, attempt)| claims.contains(&(*run, *attempt, *by)));
        }
        history.verdicts.retain(|verdict| verdict.order <= kept);
        history.burials.retain(|burial| burial.order <= kept);
        history.stopped.retain(|stopped| stopped.order <= kept);
        history.seen.iter_mut().filter(|seen| seen.at >= at).for_each(|seen| seen.taken_back = true);
        let mut unclear = BTreeSet::new();
        for (operation, order) in history.operations.iter_mut().zip(&self.operation_orders) {
            if *order > kept {
                operation.taken_back = true;
                unclear.insert(operation.job);
            }
        }
        // So is what a request makes of a job that is still under way and was to come after what is gone.
        for under_way in self.clients.iter().filter_map(Client::operation) {
            let operation = &mut history.operations[under_way];
            operation.taken_back |= unclear.contains(&operation.job);
        }
        self.made.retain(|_, (_, order)| *order <= kept);
        for asked in &mut history.asked {
            let before = asked.made.len();
            asked.made.retain(|run| self.made.contains_key(run));
            // The key that was kept for it may be gone as well.
            asked.taken_back |= asked.made.len() < before || asked.acknowledged.is_none_or(|done| done >= at);
        }
    }

    /// Does what a transaction was begun for. From here on it is kept.
    pub(crate) fn apply(&mut self, number: u64, sender: Sender, verb: Verb, looked: Option<u64>) -> Reply {
        self.order += 1;
        let me = sender.incarnation;
        let answer = match verb {
            Verb::Renew(renewal) => self.renew(sender, renewal)?,
            Verb::Bury(dead, counter) => {
                told(ready(self.store.memory.bury(dead, counter)))?;
                Answer::Done
            }
            Verb::Acquire(change, id) => Answer::Shards(told(ready(self.store.memory.acquire(me, change, id)))?),
            Verb::Release(change) => Answer::Shards(told(ready(Cluster::release(&self.store.memory, me, change)))?),
            Verb::Orphaned => Answer::Incarnations(told(ready(self.store.memory.orphaned()))?),
            Verb::AdoptFrom(dead, id) => {
                Answer::Adopted(told(ready(self.store.memory.adopt_from(dead, id, ADOPT_MAX)))?)
            }
            Verb::HeldByWorkers => Answer::Hold(told(ready(self.store.memory.held_by_workers(me)))?),
            Verb::Held => Answer::Adopted(told(ready(self.store.memory.held(me)))?),
            verb @ (Verb::JoinWorker(_)
            | Verb::WorkerInfo(_)
            | Verb::HearWorker(..)
            | Verb::HeldBy(_)
            | Verb::ClaimFor(..)
            | Verb::BeatWorkers(..)
            | Verb::BuryWorker(..)) => self.apply_for_workers(verb)?,
            Verb::Fire(batch) => {
                let busy = self.store.busy(number, &batch);
                Answer::Fired(self.fire(&batch, busy, looked)?)
            }
            Verb::Complete(batch) => {
                let outcome = self.complete(&batch)?;
                self.said(sender, &outcome.rearmed);
                Answer::Completed(outcome)
            }
            Verb::Window(shards, until, after) => {
                let (rows, more) = told(ready(self.store.memory.window(shards, until, after, WINDOW_ROWS)))?;
                Answer::Window(rows, more)
            }
            Verb::Triggers(ids) => Answer::Triggers(told(ready(self.store.memory.trigger_rows(&ids)))?),
            Verb::Changes(shards, heard) => {
                self.bugs.read = self.bugs.committed;
                let changes = told(ready(self.store.memory.read_changes(me, shards, heard, STEP_MAX)))?;
                self.said(sender, &changes.triggers);
                Answer::Changes(changes)
            }
            Verb::Claim(id, limit, at) => self.claim(id, limit, at)?,
            Verb::ReleaseDue(at) => {
                let mut released = told(ready(self.store.memory.release_due(at, STEP_MAX)))?;
                if released.count == STEP_MAX {
                    released.next_at = Some(at);
                }
                Answer::Released(released)
            }
            Verb::Prior(key) => Answer::Prior(Box::new(told(ready(self.store.memory.prior(&key)))?)),
            Verb::Save(write) => {
                let key = write.definition.key.clone();
                told(ready(self.store.memory.save_jobs(vec![*write])))?;
                self.note_gaps(None);
                self.register(&key);
                self.changed(&key, me, looked);
                Answer::Done
            }
            Verb::Update(update, _) => {
                let job = update.job;
                let row = told(ready(self.store.memory.update_job(*update)))?;
                self.note_gaps(None);
                debug_assert_eq!(row.id, job);
                self.changed(&row.definition.key, me, looked);
                Answer::Done
            }
            Verb::Delete(key, expect, ends, at) => {
                let shards = self.shards_of(&key);
                told(ready(self.store.memory.delete_job(&key, expect, ends, at)))?;
                self.note_gaps(None);
                self.note_operation(&key);
                self.hide(shards, me, looked);
                Answer::Done
            }
            Verb::Key(key, at) => self.claim_key(me, key, at)?,
            Verb::Keep(key, at) => {
                let answer = KeptAnswer { status: 201, body: String::new() };
                told(ready(self.store.memory.keep_answer(&format!("run-{key}"), answer, at)))?;
                Answer::Done
            }
            Verb::Ask(asked) => self.ask_run(*asked)?,
            Verb::CancelRun(run, at) => {
                told(ready(self.store.memory.cancel_run(run, "enough", None, at)))?;
                let (order, at) = (self.order, self.time());
                self.history.stopped.push(Stopped { order, run, at });
                Answer::Done
            }
            Verb::ReadRun(run) => {
                let (at, state) = (self.time(), self.state_of(run));
                if let Some(state) = state {
                    self.history.seen.push(Seen { at, run, state, taken_back: false });
                }
                Answer::Done
            }
        };
        Ok(answer)
    }

    fn renew(&mut self, sender: Sender, mut renewal: mainspring_core::cluster::Renewal) -> Reply {
        let (me, node) = (sender.incarnation, sender.node);
        if self.has(Planted::HostName) && self.store.memory.fence(me).is_ok_and(|fence| fence.is_some()) {
            renewal.join = false;
        }
        if self.has(Planted::TimestampLease) {
            let wall = self.nodes[node].wall(self.now).as_millis();
            self.bugs.renewals.insert(me, wall);
        }
        let about = NodeInfo { name: format!("node-{node}"), address: String::new(), version: "1".into() };
        Ok(Answer::View(told(ready(self.store.memory.renew(me, &about, renewal)))?))
    }

    /// Notes that an answer names triggers. Whoever hears it says so, which takes the note away.
    fn said(&mut self, sender: Sender, triggers: &[TriggerId]) {
        let listens = self.nodes[sender.node].incarnation == sender.incarnation;
        if !triggers.is_empty() && listens {
            self.unheard.entry((sender.node, sender.call)).or_default().extend(triggers);
        }
    }

    // Fires.

    fn fire(&mut self, batch: &Arc<FireBatch>, busy: Vec<u32>, looked: Option<u64>) -> Result<FireOutcome, Failure> {
        let me = batch.id.incarnation;
        let fence = self.store.memory.fence(me).expect("the memory store is open");
        let bypass = self.bypasses(batch, looked)?;
        if bypass && fence.is_none() {
            self.store.memory.set_fence(me, true).expect("the memory store is open");
        }
        let done = self.record(batch, busy, looked);
        if bypass && fence.is_none() {
            self.store.memory.set_fence(me, false).expect("the memory store is open");
        }
        done
    }

    /// Whether a planted bug lets a batch through without its fence; refuses it if the bug would.
    fn bypasses(&self, batch: &FireBatch, looked: Option<u64>) -> Result<bool, Failure> {
        if self.has(Planted::FenceByExists) {
            return if looked == Some(0) { Err(Failure::Fenced) } else { Ok(true) };
        }
        if !self.has(Planted::EpochOnly) {
            return Ok(false);
        }
        let none = BTreeMap::new();
        let believed = self.bugs.epochs.get(&batch.id).unwrap_or(&none);
        let fits = |entry: &mainspring_core::batch::FireEntry| {
            let rows = ready(self.store.memory.trigger_rows(&[entry.trigger])).expect("the memory store is open");
            let Some(row) = rows.first() else { return true };
            let there = self.store.memory.lease(row.shard).expect("the memory store is open");
            there.map(|lease| lease.epoch) == believed.get(&row.shard).copied()
        };
        if batch.entries.iter().all(fits) { Ok(true) } else { Err(Failure::Fenced) }
    }

    fn record(&mut self, batch: &Arc<FireBatch>, busy: Vec<u32>, looked: Option<u64>) -> Result<FireOutcome, Failure> {
        let ids: Vec<_> = batch.entries.iter().map(|entry| entry.trigger).collect();
        let rows = ready(self.store.memory.trigger_rows(&ids)).expect("the memory store is open");
        let row_of = |id| rows.iter().find(|row| row.id == id);
        let mut sent = Arc::clone(batch);
        if self.has(Planted::NoVersion) {
            for entry in &mut Arc::make_mut(&mut sent).entries {
                if let Some(row) = row_of(entry.trigger) {
                    (entry.version, entry.job_version) = (row.version, row.job_version);
                }
            }
        }
        if self.has(Planted::OverlapOutside) {
            let free = looked.unwrap_or_default();
            for (index, entry) in Arc::make_mut(&mut sent).entries.iter_mut().enumerate().take(64) {
                if free >> index & 1 == 1 {
                    entry.gate = None;
                }
            }
        }
        let outcome = told(self.store.memory.fire_beside(&sent, &busy))?;
        let fence =
            self.store.memory.fence(batch.id.incarnation).expect("the memory store is open").unwrap_or_default();
        let (order, at) = (self.order, self.time());
        let mut placed = outcome.placed.iter();
        for (index, entry) in (0_u32..).zip(&batch.entries) {
            let passed = [(&outcome.stale, "stale"), (&outcome.blocked, "blocked"), (&outcome.busy, "busy")];
            if let Some((_, why)) = passed.into_iter().find(|(list, _)| list.contains(&index)) {
                let now = self.now;
                self.trace.line(now, || format!("store finds trigger {} of {} {why}", entry.trigger, entry.job));
                continue;
            }
            let row = row_of(entry.trigger);
            let shard = row.map_or(Shard(0), |row| row.shard);
            let lease = self.store.memory.lease(shard).expect("the memory store is open");
            for run in &entry.runs {
                let Some(place) = placed.next() else { break };
                if matches!(place, Placed::Suppressed | Placed::Known) {
                    continue;
                }
                // A batch that is repeated gets its first answer, and makes nothing.
                if self.made.get(&run.id).is_some_and(|(by, _)| *by == batch.id) {
                    continue;
                }
                self.made.insert(run.id, (batch.id, order));
                let now = self.now;
                self.trace.line(now, || format!("store makes run {} {place:?} for {:?}", run.id, batch.id));
                let active = |row: &&mainspring_core::batch::TriggerRow| {
                    row.version == entry.version && !row.paused && row.progress.status == TriggerStatus::Active
                };
                self.history.fires.push(Fire {
                    order,
                    trigger: entry.trigger,
                    instant: run.fire_time.as_millis(),
                    run: run.id,
                    at,
                    decided: batch.at.as_millis(),
                    due: run.due_at.as_millis(),
                    batch: batch.id,
                    fence,
                    shard: shard.0,
                    lease: lease.map(|lease| (lease.owner, lease.epoch, lease.lease_id)),
                    lawful: row.is_some_and(|row| active(&row)),
                });
                if *place == Placed::Running {
                    self.history.claims.push(Claim { order, run: run.id, attempt: 1, by: batch.id.incarnation, at });
                }
            }
        }
        self.note_gaps(Some(batch));
        Ok(outcome)
    }

    /// Notes the gaps that the store has taken in since.
    fn note_gaps(&mut self, batch: Option<&FireBatch>) {
        let rows = ready(self.store.memory.gaps(None, self.gaps_seen, u32::MAX)).expect("the memory store is open");
        let (order, at) = (self.order, self.time());
        for row in rows {
            self.gaps_seen = row.seq;
            let entry = batch.and_then(|batch| batch.entries.iter().find(|entry| entry.trigger == row.trigger));
            let fires_beside = entry.map_or(0, |entry| u32::try_from(entry.runs.len()).expect("bounded"));
            let first_beside = entry.and_then(|entry| entry.runs.first()).map(|run| run.fire_time.as_millis());
            let decided = row.at.as_millis();
            self.history.gaps.push(GapRow {
                order,
                trigger: row.trigger,
                at,
                decided,
                gap: row.gap,
                fires_beside,
                first_beside,
            });
        }
    }

    // Runs.

    fn claim(&mut self, id: BatchId, limit: u32, now: mainspring_core::Timestamp) -> Reply {
        let runs = told(ready(self.store.memory.claim(id, &Queues::named([DEFAULT_QUEUE]), limit, now)))?;
        self.claimed(id, &runs);
        Ok(Answer::Claimed(runs))
    }

    /// Notes what a claim answers.
    fn claimed(&mut self, id: BatchId, runs: &[ClaimedRun]) {
        let (me, order, at) = (id.incarnation, self.order, self.time());
        // What a repeat answers was claimed before.
        let known = self.answered.entry((me, id.sequence)).or_default();
        for run in runs {
            if known.insert((run.run, run.attempt)) {
                self.history.claims.push(Claim { order, run: run.run, attempt: run.attempt, by: me, at });
            }
        }
        let now = self.now;
        self.trace
            .line(now, || format!("store gives {:?} to {me}", runs.iter().map(|run| run.run).collect::<Vec<_>>()));
    }

    // Workers.

    fn apply_for_workers(&mut self, verb: Verb) -> Reply {
        let memory = &self.store.memory;
        Ok(match verb {
            Verb::JoinWorker(info) => {
                told(ready(memory.join_worker(*info)))?;
                Answer::Done
            }
            Verb::WorkerInfo(worker) => Answer::Worker(told(ready(memory.worker(worker)))?.map(Box::new)),
            Verb::HearWorker(worker, by, at) => Answer::WasThere(told(ready(memory.hear_worker(worker, by, at)))?),
            Verb::HeldBy(worker) => Answer::Adopted(told(ready(memory.held(worker)))?),
            Verb::ClaimFor(id, by, limit, at) => {
                let runs = told(ready(memory.claim_for(id, by, &remote(), limit, at)))?;
                self.claimed(id, &runs);
                Answer::Claimed(runs)
            }
            Verb::BeatWorkers(by, heard, at) => Answer::Counts(told(ready(memory.beat_workers(by, &heard, at)))?),
            Verb::BuryWorker(worker, counter) => {
                let there = told(ready(memory.bury_worker(worker, counter)))?;
                if there {
                    let (order, at) = (self.order, self.time());
                    self.history.burials.push(Burial { order, worker, at });
                    self.trace.line(self.now, || format!("store buries worker {worker}"));
                }
                Answer::WasThere(there)
            }
            _ => unreachable!("the caller has looked"),
        })
    }

    fn complete(&mut self, batch: &Arc<CompletionBatch>) -> Result<CompletionOutcome, Failure> {
        let mut outcome = told(ready(self.store.memory.complete(Arc::clone(batch))))?;
        for (index, entry) in (0_u32..).zip(&batch.entries) {
            if !outcome.refused.contains(&index) {
                self.note_verdict(entry);
            }
        }
        if self.has(Planted::NoAttemptCheck) {
            self.complete_anyway(batch, &mut outcome);
        }
        if self.has(Planted::Rewritten) {
            for index in &outcome.refused {
                let entry = &batch.entries[*index as usize];
                if let (AfterAttempt::Final(verdict), Some(state)) = (entry.then, self.state_of(entry.run))
                    && state.is_final()
                {
                    self.rewritten.insert(entry.run, verdict.into());
                }
            }
        }
        Ok(outcome)
    }

    fn note_verdict(&mut self, entry: &Completion) {
        let (order, at) = (self.order, self.time());
        let (run, attempt, outcome) = (entry.run, entry.attempt, entry.outcome);
        let now = self.now;
        self.trace.line(now, || format!("store ends run {run} attempt {attempt}: {outcome}, {:?}", entry.then));
        self.history.verdicts.push(Verdict { order, run, attempt, outcome, at });
        if let AfterAttempt::Final(_) = entry.then
            && let Some(state) = self.state_of(run)
        {
            self.history.seen.push(Seen { at, run, state, taken_back: false });
        }
    }

    /// The bug of ending whatever attempt is open.
    fn complete_anyway(&mut self, batch: &Arc<CompletionBatch>, outcome: &mut CompletionOutcome) {
        let running = self.store.memory.running().expect("the memory store is open");
        for index in std::mem::take(&mut outcome.refused) {
            let mut entry = batch.entries[index as usize].clone();
            let Some((_, owner)) = running.iter().find(|(run, _)| *run == entry.run) else { continue };
            let info = ready(self.store.memory.run(entry.run)).expect("the memory store is open");
            let claimed = entry.clone();
            entry.attempt = info.map_or(0, |info| info.attempt);
            let id = BatchId { incarnation: *owner, sequence: batch.id.sequence };
            let patched = Arc::new(CompletionBatch { id, at: batch.at, entries: vec![entry] });
            let done = ready(self.store.memory.complete(patched)).expect("the memory store is open");
            if done.refused.is_empty() {
                self.note_verdict(&claimed);
            }
        }
    }

    fn claim_key(&mut self, by: Incarnation, key: u64, at: mainspring_core::Timestamp) -> Reply {
        let claim = KeyClaim { key: format!("run-{key}"), request_hash: [0; 32], by, at, lapse_ms: KEY_LAPSE_MS };
        match told(ready(self.store.memory.claim_key(claim)))? {
            Claimed::Yours { since, .. } => Ok(Answer::Deed(since)),
            Claimed::Answered(_) => Ok(Answer::Done),
            Claimed::Pending | Claimed::Reused => Err(Failure::Refused),
        }
    }

    fn ask_run(&mut self, asked: mainspring_store::AskedRun) -> Reply {
        let run = asked.id;
        let answer = told(ready(self.store.memory.ask_run(asked)))?;
        if answer.placed != Placed::Known {
            let nobody = BatchId { incarnation: Incarnation(0), sequence: 0 };
            self.made.insert(run, (nobody, self.order));
            if let Some(index) = self.asked.get(&run) {
                self.history.asked[*index].made.push(run);
            }
        }
        Ok(Answer::Asked)
    }

    pub(crate) fn state_of(&self, run: RunId) -> Option<RunState> {
        let state = self.store.memory.state(run).expect("the memory store is open");
        self.rewritten.get(&run).copied().or(state)
    }

    // Jobs.

    /// Learns the ids of a job that was saved.
    pub(crate) fn register(&mut self, key: &JobKey) {
        let prior = ready(self.store.memory.prior(key)).expect("the memory store is open");
        let (Some(job), Some(number)) = (prior.job, number_of(key)) else { return };
        self.jobs.insert(job.id, number);
        self.history.job_ids.insert(job.id, number);
        let poisoned = self.drafts[number as usize].poisoned;
        for trigger in prior.triggers {
            self.history.triggers.insert(trigger.row.id, (number, trigger.row.index as usize));
            if poisoned && !self.poisoned.contains(&trigger.row.id) {
                self.poisoned.push(trigger.row.id);
            }
        }
    }

    /// Notes by which transaction the request about a job was carried out that is under way.
    fn note_operation(&mut self, key: &JobKey) {
        if let Some(index) = number_of(key).and_then(|number| self.open.get(&number)) {
            self.operation_orders[*index] = self.order;
        }
    }

    fn changed(&mut self, key: &JobKey, me: Incarnation, looked: Option<u64>) {
        self.note_operation(key);
        let shards = self.shards_of(key);
        self.hide(shards, me, looked);
    }

    fn shards_of(&self, key: &JobKey) -> ShardSet {
        [Shard(mainspring_core::shard_of(&key.namespace, &key.name))].into_iter().collect()
    }

    /// The bug of reading changes on from a number: one that was committed after a later one had been read is passed over.
    fn hide(&mut self, shards: ShardSet, me: Incarnation, looked: Option<u64>) {
        let Some(number) = looked.filter(|_| self.has(Planted::CursorPolling)) else { return };
        self.bugs.committed = self.bugs.committed.max(number);
        if number < self.bugs.read {
            // Whoever asks next is told that it has heard of it.
            let heard = |heard| ready(self.store.memory.read_changes(me, shards, heard, u32::MAX)).map(|it| it.heard);
            let _ = heard(Heard::default()).and_then(heard);
        }
    }

    // Bugs that look too early, or keep half of a transaction.

    /// What a planted bug looks at before the transaction has its locks.
    pub(crate) fn look_early(&mut self, number: u64) {
        let Some(bug) = self.setting.planted else { return };
        let session = self.store.sessions.get(&number).expect("the caller has seen it");
        if session.looked.is_some() {
            return;
        }
        let looked = match (&session.verb, bug) {
            (Verb::Fire(batch), Planted::FenceByExists) => {
                let there = self.store.memory.fence(batch.id.incarnation).expect("the memory store is open");
                u64::from(there.is_some())
            }
            (Verb::Fire(batch), Planted::OverlapOutside) => {
                let batch = Arc::clone(batch);
                self.free_gates(&batch)
            }
            (Verb::Save(_) | Verb::Update(..) | Verb::Delete(..), Planted::CursorPolling) => {
                self.bugs.numbered += 1;
                self.bugs.numbered
            }
            _ => return,
        };
        self.store.sessions.get_mut(&number).expect("seen above").looked = Some(looked);
    }

    /// Which entries of a batch find their job's limit free.
    fn free_gates(&self, batch: &FireBatch) -> u64 {
        let states = vec![RunState::Held, RunState::Queued, RunState::Scheduled, RunState::Running];
        let is_free = |job: JobId| {
            let query = RunQuery { job: Some(job), states: states.clone(), limit: 1, ..RunQuery::default() };
            ready(self.store.memory.runs(query)).expect("the memory store is open").is_empty()
        };
        let entries = batch.entries.iter().enumerate().take(64);
        entries.filter(|(_, entry)| is_free(entry.job)).map(|(index, _)| 1 << index).sum()
    }

    /// The bug of advancing triggers in a transaction of its own: it is kept although the insertion fails.
    pub(crate) fn torn(&mut self, number: u64) {
        if self.has(Planted::AdvanceWithoutInsert) {
            self.keep_advances(number);
        }
    }

    /// The bug of keeping what was done when a statement waited for a lock in vain. True: it is done.
    pub(crate) fn half_commit(&mut self, number: u64) -> bool {
        let is_fire = |session: &crate::store::Session| matches!(session.verb, Verb::Fire(_));
        if !self.has(Planted::HalfCommit) || !self.store.sessions.get(&number).is_some_and(is_fire) {
            return false;
        }
        self.keep_advances(number);
        let (session, woken) = self.store.end(number);
        self.wake(woken);
        if let Some(session) = session {
            self.after(500, crate::world::What::Reply(session.sender, Box::new(Err(Failure::Unavailable))));
        }
        true
    }

    fn keep_advances(&mut self, number: u64) {
        let session = self.store.sessions.get(&number).expect("the caller has seen it");
        let Verb::Fire(batch) = &session.verb else { return };
        let mut torn = (**batch).clone();
        torn.entries.iter_mut().for_each(|entry| entry.runs.clear());
        // A batch whose fence is gone keeps nothing.
        let _ = ready(self.store.memory.fire(Arc::new(torn)));
    }
}

fn told<T>(answer: mainspring_store::Result<T>) -> Result<T, Failure> {
    answer.map_err(|error| match error {
        Error::Fenced => Failure::Fenced,
        Error::Conflict { .. } | Error::NotFound { .. } => Failure::Refused,
        _ => Failure::Unavailable,
    })
}

fn number_of(key: &JobKey) -> Option<u32> {
    key.name.strip_prefix("job-")?.parse().ok()
}
