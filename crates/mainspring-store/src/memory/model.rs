//! The rows, and the small steps that several requests share.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use mainspring_core::batch::{Gap, Progress, TriggerRow, TriggerStatus};
use mainspring_core::job::{GateRule, Job, JobKey};
use mainspring_core::overlap::{Admission, Gate, REPLACED, admit_replacing, promotable, to_replace};
use mainspring_core::router::Memory;
use mainspring_core::run::{AttemptOutcome, RunState};
use mainspring_core::{BatchId, Incarnation, JobId, JobVersion, RunId, Timestamp, TriggerId};
use rustc_hash::FxHashMap;

use super::after::Afters;
use super::backfills::Backfills;
use super::documents::Documents;
use super::events::Events;
use super::fire::Answer;
use super::flows::Flows;
use super::history::{FinalRun, History};
use super::job_lane::Lanes;
use super::keys::Key;
use super::live::{Live, Run, Stamp};
use super::logs::Logs;
use super::nodes::Nodes;
use super::outbox::Outbox;
use super::queues::QueueState;
use super::table::Table;
use super::webhooks::Webhooks;
use super::workflow::{NOBODY, Workflows};
use crate::data::JobData;
use crate::rollup::{RollupRow, RollupSpan};
use crate::row::{AttemptInfo, CalendarRow, JobRow, SavedBy, Tombstone};
use crate::worker::{WorkerRow, WorkerToken};
use crate::workflow::TaskRequest;

/// The number of a claim or adoption, and the attempts that it took.
type Taken = (u64, Vec<(RunId, u32)>);

/// Everything that the store holds.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) closed: bool,
    /// Process starts by number.
    pub(super) incarnations: Vec<Incarnation>,
    /// What batches of fires were answered: by the number of the process start, and a place for each of its last ones.
    pub(super) answers: FxHashMap<(u32, u64), Answer>,
    /// What each process start, by its number, has claimed last: the number of the claim, and the attempts that it opened.
    pub(super) claims: FxHashMap<u32, Taken>,
    /// What was last taken over from a dead process start by another, by that one and the dead one.
    pub(super) adoptions: FxHashMap<(u32, u32), Taken>,
    pub(super) jobs: Table<JobModel>,
    pub(super) job_keys: BTreeMap<JobKey, JobId>,
    pub(super) triggers: Table<Trigger>,
    /// The due index: lower bounds of `due_at`.
    pub(super) window: BTreeSet<(Timestamp, TriggerId)>,
    pub(super) tombstones: BTreeMap<(JobKey, String), Buried>,
    pub(super) buried_names: FxHashMap<TriggerId, String>,
    pub(super) live: Live,
    pub(super) history: History,
    /// Ended attempts of runs that were tried again.
    pub(super) attempts: FxHashMap<RunId, Vec<AttemptInfo>>,
    pub(super) gaps: VecDeque<GapModel>,
    pub(super) gaps_recorded: i64,
    pub(super) events: Events,
    pub(super) outbox: Outbox,
    pub(super) logs: Logs,
    /// Parts of outputs that are too large for the row of their run.
    pub(super) outputs: BTreeMap<(RunId, u32, u32), Vec<u8>>,
    pub(super) namespaces: BTreeMap<String, Timestamp>,
    pub(super) calendars: BTreeMap<(String, String), CalendarRow>,
    pub(super) settings: BTreeMap<String, String>,
    /// Those for which something was set.
    pub(super) queues: BTreeMap<String, QueueState>,
    /// What is known of how long the runs of jobs take.
    pub(super) lanes: Lanes,
    pub(super) keys: FxHashMap<String, Key>,
    pub(super) workers: BTreeMap<Incarnation, Worker>,
    pub(super) worker_tokens: BTreeMap<String, WorkerToken>,
    /// Who executes runs, as [`crate::worker::executor`] says.
    pub(super) executors: BTreeMap<Incarnation, String>,
    pub(super) documents: Documents,
    pub(super) flows: Flows,
    pub(super) backfills: Backfills,
    pub(super) webhooks: Webhooks,
    /// Figures of spans of time.
    pub(super) rollups: BTreeMap<(Option<String>, RollupSpan, Timestamp, String), RollupRow>,
    /// What the strategies of routed jobs remember.
    pub(super) routes: BTreeMap<JobId, Memory>,
    /// Runs that wait for their shards, and how many these are.
    pub(super) parents: BTreeMap<RunId, (JobId, u32)>,
    pub(super) workflows: Workflows,
    pub(super) afters: Afters,
    /// Runs that have missed their deadline, and whether that is told.
    pub(super) misses: BTreeMap<RunId, bool>,
    /// The nodes, if several share the store.
    pub(super) nodes: Option<Nodes>,
}

/// A worker, and how often it was counted up.
#[derive(Clone, Debug)]
pub(super) struct Worker {
    pub(super) row: WorkerRow,
    pub(super) counter: u64,
}

/// A job. After deletion it stays for as long as a run or gap refers to it.
#[derive(Clone, Debug)]
pub(super) struct JobModel {
    pub(super) row: JobRow,
    pub(super) deleted: bool,
    /// In the order of the definition.
    pub(super) triggers: Vec<TriggerId>,
    /// In ascending order; the last one is the latest.
    pub(super) versions: Vec<Version>,
    /// Counted for every job, so that a limit set later finds it right.
    pub(super) gate: Gate,
    pub(super) history_count: u64,
    pub(super) gap_count: u64,
    pub(super) data: Option<JobData>,
}

/// A version of a definition, and how many runs refer to it.
#[derive(Clone, Debug)]
pub(super) struct Version {
    pub(super) number: JobVersion,
    pub(super) saved_at: Timestamp,
    pub(super) saved_by: Option<SavedBy>,
    pub(super) definition: Arc<Job>,
    pub(super) runs: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Trigger {
    pub(super) row: TriggerRow,
    pub(super) name: String,
    pub(super) own_pause: bool,
    pub(super) jitter_ms: i64,
    /// Why it was put aside last.
    pub(super) error: Option<String>,
    /// Where it is in the due index.
    pub(super) place: Option<Timestamp>,
    /// The batch that advanced it last.
    pub(super) stamp: Option<Stamp>,
    /// No run with a later fire time was ever made: ids of later ones need no search in history.
    pub(super) newest_run: Timestamp,
}

/// A tombstone, and what a trigger made again goes on with.
#[derive(Clone, Debug)]
pub(super) struct Buried {
    pub(super) stone: Tombstone,
    pub(super) version: i64,
    pub(super) newest_run: Timestamp,
    pub(super) at: Timestamp,
}

#[derive(Clone, Debug)]
pub(super) struct GapModel {
    pub(super) seq: i64,
    pub(super) job: JobId,
    pub(super) trigger: TriggerId,
    pub(super) at: Timestamp,
    pub(super) gap: Gap,
}

impl Model {
    pub(super) fn new() -> Self {
        Self {
            closed: false,
            incarnations: Vec::new(),
            answers: FxHashMap::default(),
            claims: FxHashMap::default(),
            adoptions: FxHashMap::default(),
            jobs: Table::new(),
            job_keys: BTreeMap::new(),
            triggers: Table::new(),
            window: BTreeSet::new(),
            tombstones: BTreeMap::new(),
            buried_names: FxHashMap::default(),
            live: Live::default(),
            history: History::default(),
            attempts: FxHashMap::default(),
            gaps: VecDeque::new(),
            gaps_recorded: 0,
            events: Events::default(),
            outbox: Outbox::default(),
            logs: Logs::default(),
            outputs: BTreeMap::new(),
            namespaces: BTreeMap::new(),
            calendars: BTreeMap::new(),
            settings: BTreeMap::new(),
            queues: BTreeMap::new(),
            lanes: Lanes::default(),
            keys: FxHashMap::default(),
            workers: BTreeMap::new(),
            worker_tokens: BTreeMap::new(),
            executors: BTreeMap::new(),
            documents: Documents::default(),
            flows: Flows::default(),
            backfills: Backfills::default(),
            webhooks: Webhooks::default(),
            rollups: BTreeMap::new(),
            routes: BTreeMap::new(),
            parents: BTreeMap::new(),
            workflows: Workflows::default(),
            afters: Afters::default(),
            misses: BTreeMap::new(),
            nodes: None,
        }
    }

    /// The number of a process start.
    pub(super) fn number_of(&mut self, incarnation: Incarnation) -> u32 {
        let known = self.incarnations.iter().rposition(|known| *known == incarnation);
        let number = known.unwrap_or_else(|| {
            self.incarnations.push(incarnation);
            self.incarnations.len() - 1
        });
        u32::try_from(number).expect("fewer process starts than 2^32")
    }

    pub(super) fn stamp(&mut self, batch: BatchId) -> Stamp {
        Stamp { incarnation: self.number_of(batch.incarnation), sequence: batch.sequence }
    }

    /// A job that a row refers to.
    pub(super) fn job(&self, id: JobId) -> &JobModel {
        self.jobs.get(id.0).expect("a job stays as long as a row refers to it")
    }

    pub(super) fn job_mut(&mut self, id: JobId) -> &mut JobModel {
        self.jobs.get_mut(id.0).expect("a job stays as long as a row refers to it")
    }

    /// A job that exists and is not deleted.
    pub(super) fn job_by_key(&self, key: &JobKey) -> Option<&JobModel> {
        Some(self.job(*self.job_keys.get(key)?))
    }

    pub(super) fn record_gap(&mut self, job: JobId, trigger: TriggerId, at: Timestamp, gap: Gap) {
        self.gaps_recorded += 1;
        self.gaps.push_back(GapModel { seq: self.gaps_recorded, job, trigger, at, gap });
        self.job_mut(job).gap_count += 1;
    }

    /// Puts a trigger at its place in the due index, or takes it out.
    pub(super) fn reindex(&mut self, id: TriggerId) {
        let trigger = self.triggers.get_mut(id.0).expect("the caller has seen the trigger");
        let due = trigger.row.progress.due_at;
        let waits = trigger.row.progress.status == TriggerStatus::Active && !trigger.row.paused;
        let place = due.filter(|_| waits);
        if place == trigger.place {
            return;
        }
        if let Some(old) = trigger.place {
            self.window.remove(&(old, id));
        }
        if let Some(new) = place {
            self.window.insert((new, id));
        }
        trigger.place = place;
    }

    /// Moves held runs into free slots; all of them if there is no limit.
    pub(super) fn promote(&mut self, job: JobId, rule: Option<GateRule>) -> u32 {
        let gate = self.job(job).gate;
        let count = rule.map_or(gate.held, |rule| promotable(gate, rule));
        for _ in 0..count {
            let run = self.live.first_held(job).expect("the gate counts the held runs");
            self.live.update(run, |run| run.state = RunState::Queued);
            self.events.run(run, job, RunState::Queued);
        }
        let gate = &mut self.job_mut(job).gate;
        gate.held -= count;
        gate.active += count;
        count
    }

    /// Moves a run that was taken out of the unfinished ones to history.
    pub(super) fn finish(&mut self, mut run: Run, state: RunState, end: End) {
        let job = self.job_mut(run.job);
        if run.counts_in_gate() {
            let slots = if run.state == RunState::Held { &mut job.gate.held } else { &mut job.gate.active };
            *slots -= 1;
        }
        job.history_count += 1;
        run.state = state;
        self.events.run(run.id, run.job, state);
        self.workflows.tell(&run, state);
        let End { outcome, started_at, ended_at } = end;
        let key = &self.jobs.get(run.job.0).expect("it was counted above").row.definition.key;
        self.afters.tell(key, &run, state, ended_at);
        if run.parent().is_none() {
            self.workflows.tell_awaiting(key, run.fire_time, |_| true);
        }
        super::deadlines::ended(self, &run, ended_at);
        self.history.push(FinalRun { run, outcome, started_at, ended_at });
    }

    /// Lets an older run make room for one more under `cancel_running`, and says whether that one can start.
    pub(super) fn replace(&mut self, job: JobId, rule: GateRule, at: Timestamp) -> Admission {
        let stands = |run: &&Run| {
            run.job == job && run.state != RunState::Held && !run.cancel_requested() && run.counts_in_gate()
        };
        let standing: Vec<RunId> = self.live.iter().filter(stands).map(|run| run.id).collect();
        let gate = self.job(job).gate;
        if let Some(run) = to_replace(rule, gate, self.live.first_held(job), &standing) {
            self.end_one(run, REPLACED, at);
        }
        admit_replacing(self.job(job).gate, rule)
    }

    /// Asks for the end of a running run. The first reason stays.
    pub(super) fn request_end(&mut self, run: RunId, reason: &str, at: Timestamp) {
        let (mut is_first, mut is_held) = (false, false);
        self.live.update(run, |run| {
            is_held = run.owner != NOBODY;
            let more = run.more();
            is_first = more.cancel_requested_at.is_none();
            if is_first {
                more.cancel_requested_at = Some(at);
                more.reason = Some(reason.to_owned().into());
            }
        });
        if is_held {
            self.outbox.cancel(run);
        } else if is_first {
            // Its tasks end first.
            super::workflow::ask(self, run, TaskRequest::cancel(reason, at));
        }
    }

    /// Ends a run that no worker has.
    pub(super) fn cancel_unstarted(&mut self, run: RunId, reason: &str, at: Timestamp) {
        self.end_unstarted(run, RunState::Cancelled, reason, at);
    }

    pub(super) fn end_unstarted(&mut self, run: RunId, state: RunState, reason: &str, at: Timestamp) {
        self.end_waiting(run, state, Some(reason.to_owned().into()), at);
    }

    /// The same, where there may be no reason.
    pub(super) fn end_waiting(
        &mut self,
        run: RunId,
        state: RunState,
        reason: Option<Cow<'static, str>>,
        at: Timestamp,
    ) {
        let mut run = self.live.remove_if(run, |_| true).expect("the caller has seen the run");
        let more = run.more();
        more.reason = reason;
        let started_at = more.started_at.take();
        more.ended_at = None;
        if let Some(trigger) = self.awaiting(run.trigger, run.id) {
            self.note_trigger(trigger);
        }
        self.finish(run, state, End { outcome: None, started_at, ended_at: at });
    }

    /// The trigger, if it awaits the run.
    pub(super) fn awaiting(&self, trigger: Option<TriggerId>, run: RunId) -> Option<TriggerId> {
        let row = &self.triggers.get(trigger?.0)?.row;
        (row.progress.awaiting_run == Some(run)).then_some(row.id)
    }

    /// See [`crate::Store::stranded`].
    pub(super) fn stranded(&self) -> Vec<TriggerRow> {
        let rests = |row: &&TriggerRow| {
            let Progress { status, next_fire_at, awaiting_run, .. } = row.progress;
            let awaits = awaiting_run.is_some_and(|run| self.live.get(run).is_some());
            status == TriggerStatus::Active && next_fire_at.is_none() && !awaits
        };
        self.triggers.iter().map(|trigger| &trigger.row).filter(rests).cloned().collect()
    }

    /// Notes all triggers of a job in the outbox.
    pub(super) fn note_triggers(&mut self, job: JobId) {
        let job = self.jobs.get(job.0).expect("the caller has seen the job");
        for trigger in job.triggers.clone() {
            self.note_trigger(trigger);
        }
    }

    /// Notes a trigger in the outbox.
    pub(super) fn note_trigger(&mut self, trigger: TriggerId) {
        let shard = self.triggers.get(trigger.0).expect("the caller has seen the trigger").row.shard;
        self.outbox.trigger(trigger, shard);
    }
}

/// How a run ended.
#[derive(Clone, Copy)]
pub(super) struct End {
    pub(super) outcome: Option<AttemptOutcome>,
    pub(super) started_at: Option<Timestamp>,
    pub(super) ended_at: Timestamp,
}

impl JobModel {
    /// Keeps data between the job's runs. Once it is deleted, it keeps nothing.
    pub(super) fn keep_data(&mut self, data: String, run: Option<RunId>, changed_at: Timestamp) {
        let revision = self.data.as_ref().map_or(0, |kept| kept.revision) + 1;
        self.data = (!self.deleted).then_some(JobData { data, revision, run, changed_at });
    }

    /// The limit that it has now. None once it is deleted.
    pub(super) fn limit(&self) -> Option<GateRule> {
        if self.deleted { None } else { self.row.definition.gate() }
    }

    pub(super) fn version_mut(&mut self, number: JobVersion) -> &mut Version {
        let version = self.versions.iter_mut().rfind(|version| version.number == number.base());
        version.expect("a version stays as long as a run refers to it")
    }

    /// What a version means: the job itself, or one of its tasks.
    pub(super) fn definition(&self, number: JobVersion) -> Option<Arc<Job>> {
        let whole = self.whole(number)?;
        if number.task().is_none() { Some(Arc::clone(whole)) } else { whole.part(number).cloned().map(Arc::new) }
    }

    /// A label of a run of a version, as limits count: of the task's own, or else of those that the job has now.
    pub(super) fn label(&self, number: JobVersion, name: &str) -> Option<&str> {
        let mut own = self.whole(number).into_iter().flat_map(|whole| whole.own_labels(number));
        let of_job = || self.row.definition.labels.get(name).filter(|_| !self.deleted).map(String::as_str);
        own.find(|(own, _)| *own == name).map(|(_, value)| value).or_else(of_job)
    }

    /// The whole of what a version belongs to.
    fn whole(&self, number: JobVersion) -> Option<&Arc<Job>> {
        let version = self.versions.iter().rfind(|version| version.number == number.base());
        version.map(|version| &version.definition)
    }

    /// Forgets versions that nothing refers to.
    pub(super) fn drop_versions(&mut self) {
        let latest = if self.deleted { None } else { Some(self.row.version) };
        self.versions.retain(|version| version.runs > 0 || Some(version.number) == latest);
    }
}
