//! Short words for histories: drafts of jobs, entries of batches, and what was left afterwards.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use mainspring_core::batch::{
    ClaimedRun, Completion, CompletionBatch, CompletionOutcome, FireBatch, FireEntry, FireOutcome, Heard, NewRun,
    Progress, Queues, TriggerRow, TriggerStatus,
};
use mainspring_core::cluster::ShardSet;
use mainspring_core::job::{Job, JobKey, Overlap, ScheduleDefinition, Task, TriggerDefinition};
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::{AttemptOutcome, Origin, RunState, Verdict};
use mainspring_core::{BatchId, Incarnation, JobId, RunId, RunSource, Timestamp, TriggerId, TzdataVersion};
use mysql_async::prelude::Queryable;

use crate::{
    AskedRun, Changes, Claimed, Expect, JobRow, JobUpdate, JobWrite, KeptAnswer, KeyClaim, NamedTrigger, Result,
    RunInfo, RunQuery, Saved, Store, TriggerWrite,
};

/// The instant `ms` milliseconds into the history.
#[must_use]
pub fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(1_767_225_600_123) + ms
}

/// The release of the tz database that new triggers were computed with.
pub const RELEASE: TzdataVersion = TzdataVersion::from_number(202_502);
/// A later one.
pub const LATER: TzdataVersion = TzdataVersion::from_number(202_601);

/// No entries of a batch.
pub const NONE: [u32; 0] = [];

/// A store under test, and the process that uses it.
pub struct Kit {
    /// The store.
    pub store: Arc<dyn Store>,
    /// The process start.
    pub incarnation: Incarnation,
    sequence: AtomicU64,
}

/// A job as the store keeps it.
pub struct Kept {
    /// The job.
    pub job: JobRow,
    /// Its triggers, in the definition's order.
    pub triggers: Vec<NamedTrigger>,
}

impl Kit {
    /// Registers a process at an empty store.
    pub async fn new(store: Arc<dyn Store>) -> Self {
        // More than 127 bits, so that a store that keeps them in a signed number shows it.
        Self::restarted(store, Incarnation(u128::MAX - 1)).await
    }

    /// Registers another start of the process.
    pub async fn restarted(store: Arc<dyn Store>, incarnation: Incarnation) -> Self {
        store.adopt(incarnation, at(0)).await.expect("adopt");
        Self { store, incarnation, sequence: AtomicU64::new(0) }
    }

    /// Acts for a process start that is registered already.
    pub fn acting(store: Arc<dyn Store>, incarnation: Incarnation) -> Self {
        Self { store, incarnation, sequence: AtomicU64::new(0) }
    }

    /// Saves a job whatever is there, and reads it again.
    pub async fn save(&self, draft: Draft) -> Kept {
        let key = draft.0.definition.key.clone();
        self.save_all(vec![draft.0]).await;
        self.kept(&key).await
    }

    /// Saves jobs.
    pub async fn save_all(&self, writes: Vec<JobWrite>) -> Vec<Saved> {
        self.store.save_jobs(writes).await.expect("save_jobs")
    }

    /// The job and its triggers as they are now.
    pub async fn kept(&self, key: &JobKey) -> Kept {
        let prior = self.store.prior(key).await.expect("prior");
        Kept { job: prior.job.expect("the job is there"), triggers: prior.triggers }
    }

    /// A job that was read before, as it is now.
    pub async fn again(&self, kept: &Kept) -> Kept {
        self.kept(&kept.job.definition.key).await
    }

    /// A name for the next batch.
    pub fn batch_id(&self) -> BatchId {
        let sequence = self.sequence.fetch_add(1, Ordering::Relaxed) + 1;
        BatchId { incarnation: self.incarnation, sequence }
    }

    /// Records fires under a new batch id.
    pub async fn fire(&mut self, now: Timestamp, entries: Vec<FireEntry>) -> FireOutcome {
        let id = self.batch_id();
        self.store.fire(Arc::new(FireBatch { id, at: now, answered: 0, entries })).await.expect("fire")
    }

    /// Records ends of attempts under a new batch id.
    pub async fn complete(&mut self, now: Timestamp, entries: Vec<Completion>) -> CompletionOutcome {
        let id = self.batch_id();
        self.store.complete(Arc::new(CompletionBatch { id, at: now, entries })).await.expect("complete")
    }

    /// Claims an idempotency key for a request of its name.
    pub async fn claim_key(&self, key: &str, by: Incarnation, now: Timestamp) -> Claimed {
        let claim = KeyClaim { key: key.into(), request_hash: [0xfe; 32], by, at: now, lapse_ms: 60_000 };
        self.store.claim_key(claim).await.expect("claim_key")
    }

    /// Keeps an answer under a key.
    pub async fn answer_key(&self, key: &str, body: &str, now: Timestamp) -> KeptAnswer {
        let answer = KeptAnswer { status: 201, body: body.into() };
        self.store.keep_answer(key, answer.clone(), now).await.expect("keep_answer");
        answer
    }

    /// Claims runs under a new id.
    pub async fn claim(&self, limit: u32, now: Timestamp) -> Vec<ClaimedRun> {
        self.store.claim(self.batch_id(), &Queues::All, limit, now).await.expect("claim")
    }

    /// A run that must be there.
    pub async fn run(&self, run: RunId) -> RunInfo {
        self.store.run(run).await.expect("run").unwrap_or_else(|| panic!("run {run} is not there"))
    }

    /// The states of runs, and nothing for those that are not there.
    pub async fn states(&self, runs: &[RunId]) -> Vec<Option<RunState>> {
        let mut states = Vec::new();
        for run in runs {
            states.push(self.store.run(*run).await.expect("run").map(|info| info.state));
        }
        states
    }

    /// All runs, newest first.
    pub async fn all_runs(&self) -> Vec<RunInfo> {
        self.store.runs(RunQuery { limit: 1_000, ..RunQuery::default() }).await.expect("runs")
    }

    /// The triggers that requests have changed since the last look, in ascending order.
    pub async fn changed_triggers(&self) -> Vec<TriggerId> {
        let mut ids = Vec::new();
        loop {
            let changes = self.store.take_changes(self.incarnation, ShardSet::ALL, 100).await.expect("take_changes");
            ids.extend(changes.triggers);
            if !changes.more {
                ids.sort_unstable();
                return ids;
            }
        }
    }

    /// The whole window up to `until`, read `limit` rows at a time.
    pub async fn window(&self, until: Timestamp, limit: u32) -> Vec<TriggerRow> {
        let mut rows = Vec::new();
        let mut after = None;
        loop {
            let (page, next) = self.store.window(ShardSet::ALL, until, after, limit).await.expect("window");
            assert!(page.len() <= limit as usize, "a page holds {} rows of {limit}", page.len());
            rows.extend(page);
            match next {
                Some(place) => {
                    assert!(Some(place) > after, "the window goes forward");
                    after = Some(place);
                }
                None => return rows,
            }
        }
    }

    /// Asks for a run of the job's latest version.
    pub async fn ask(&self, kept: &Kept, number: u64, now: Timestamp) -> (RunId, crate::Asked) {
        let run = asked(kept, number, now);
        let id = run.id;
        (id, self.store.ask_run(run).await.expect("ask_run"))
    }

    /// Pauses or resumes a job.
    pub async fn pause_job(&self, kept: &Kept, paused: bool, now: Timestamp) -> JobRow {
        let update = JobUpdate { paused: Some(paused), ..update(kept, now) };
        self.store.update_job(update).await.expect("update_job")
    }
}

impl Kept {
    /// The job's id.
    #[must_use]
    pub fn id(&self) -> JobId {
        self.job.id
    }

    /// A trigger's row.
    #[must_use]
    pub fn row(&self, index: usize) -> &TriggerRow {
        &self.triggers[index].row
    }

    /// The run that the trigger's next fire makes.
    #[must_use]
    pub fn next_run(&self, index: usize) -> RunId {
        let row = self.row(index);
        run_at(row.id, row.progress.next_fire_at.expect("the trigger fires"))
    }

    /// An entry that fires the trigger once, into the queue, and goes on a second later.
    #[must_use]
    pub fn entry(&self, index: usize) -> FireEntry {
        let row = self.row(index);
        let expected = row.progress.next_fire_at.expect("the trigger fires");
        FireEntry {
            trigger: row.id,
            job: row.job,
            job_version: row.job_version,
            version: row.version,
            expected,
            progress: advanced(&row.progress, expected, Some(expected + 1_000)),
            leaves_window: false,
            gate: self.job.definition.gate(),
            priority: self.job.definition.priority,
            queue: self.job.definition.line().into(),
            start_timeout_ms: self.job.definition.start_timeout_ms,
            input: None,
            runs: vec![new_run(row.id, expected, false)],
            gaps: Vec::new(),
        }
    }

    /// The same with a slot kept for the run.
    #[must_use]
    pub fn claimed_entry(&self, index: usize) -> FireEntry {
        let mut entry = self.entry(index);
        entry.runs[0].claim = true;
        entry
    }

    /// An entry that fires the trigger once, into the queue, and lets it await that run.
    #[must_use]
    pub fn awaiting_entry(&self, index: usize) -> FireEntry {
        let mut entry = self.entry(index);
        (entry.progress.next_fire_at, entry.progress.due_at) = (None, None);
        entry.progress.awaiting_run = Some(self.next_run(index));
        entry.leaves_window = true;
        entry
    }

    /// The verdict on the first attempt of a run.
    #[must_use]
    pub fn verdict(&self, run: RunId, verdict: Verdict, ended_at: Timestamp) -> Completion {
        let outcome = match verdict {
            Verdict::Succeeded => AttemptOutcome::Succeeded,
            Verdict::Failed => AttemptOutcome::Failed,
            Verdict::Cancelled | Verdict::Skipped => AttemptOutcome::Cancelled,
        };
        self.completion(run, 1, outcome, AfterAttempt::Final(verdict), ended_at)
    }

    /// The end of an attempt.
    #[must_use]
    pub fn completion(
        &self,
        run: RunId,
        attempt: u32,
        outcome: AttemptOutcome,
        then: AfterAttempt,
        ended_at: Timestamp,
    ) -> Completion {
        Completion {
            held_by: None,
            run,
            job: self.job.id,
            job_version: self.job.version,
            trigger: None,
            attempt,
            outcome,
            then,
            started_at: Some(ended_at - 1),
            ended_at,
            detail: None,
            rearm: None,
            deadline: None,
        }
    }
}

/// Where a trigger stands after it has fired `fired`.
#[must_use]
pub fn advanced(before: &Progress, fired: Timestamp, next: Option<Timestamp>) -> Progress {
    Progress {
        next_fire_at: next,
        due_at: next,
        previous_fire_at: Some(fired),
        times_triggered: before.times_triggered + 1,
        fired_through: Some(fired),
        status: if next.is_some() { TriggerStatus::Active } else { TriggerStatus::Complete },
        ..*before
    }
}

/// A run for a fire time, due at once.
#[must_use]
pub fn new_run(trigger: TriggerId, fire_time: Timestamp, claim: bool) -> NewRun {
    NewRun { id: run_at(trigger, fire_time), fire_time, due_at: fire_time, origin: Origin::Schedule, claim }
}

/// The id of a trigger's run at a fire time.
#[must_use]
pub fn run_at(trigger: TriggerId, fire_time: Timestamp) -> RunId {
    RunId::new(fire_time, RunSource::Fire(trigger))
}

/// What a process start does with changes.
pub trait TakeChanges {
    /// Reads changes, and says that they were heard.
    #[expect(async_fn_in_trait, reason = "tests wait for it where they are")]
    async fn take_changes(&self, by: Incarnation, shards: ShardSet, limit: u32) -> Result<Changes>;
}

impl<S: Store + ?Sized> TakeChanges for S {
    async fn take_changes(&self, by: Incarnation, shards: ShardSet, limit: u32) -> Result<Changes> {
        let changes = self.read_changes(by, shards, Heard::default(), limit).await?;
        if changes.heard != Heard::default() {
            self.read_changes(by, ShardSet::EMPTY, changes.heard.clone(), 0).await?;
        }
        Ok(Changes { heard: Heard::default(), ..changes })
    }
}

/// A run of the job's latest version, asked for by a person.
#[must_use]
pub fn asked(kept: &Kept, number: u64, now: Timestamp) -> AskedRun {
    AskedRun {
        id: RunId::new(now, RunSource::Asked(kept.job.id, number)),
        job: kept.job.id,
        job_version: kept.job.version,
        origin: Origin::Manual,
        input: None,
        queue: kept.job.definition.line(),
        priority: kept.job.definition.priority,
        rerun_of: None,
        repeat: None,
        caller: None,
        fire_time: now,
        at: now,
    }
}

/// An update of the job that changes nothing yet.
#[must_use]
pub fn update(kept: &Kept, now: Timestamp) -> JobUpdate {
    JobUpdate { job: kept.job.id, expected_change: kept.job.change, paused: None, triggers: Vec::new(), at: now }
}

/// A job to be saved.
#[derive(Clone)]
pub struct Draft(pub JobWrite);

impl Draft {
    /// `default/<name>`, which does nothing and has no triggers; saved at 0, whatever is there.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self::of(Job::new(JobKey::new("default", name), Task::Noop))
    }

    /// Another definition.
    #[must_use]
    pub fn of(job: Job) -> Self {
        let definition = Arc::new(job);
        Self(JobWrite {
            definition,
            expect: Expect::Anything,
            paused: false,
            triggers: Vec::new(),
            ends: Vec::new(),
            documents: Vec::new(),
            saved_by: None,
            at: at(0),
        })
    }

    /// Adds a trigger whose next fire is at `next`.
    #[must_use]
    pub fn trigger(self, name: &str, next: Timestamp) -> Self {
        self.trigger_with(TriggerDefinition::new(name, every_second()), Some(next))
    }

    /// Adds a trigger as defined.
    #[must_use]
    pub fn trigger_with(mut self, definition: TriggerDefinition, next: Option<Timestamp>) -> Self {
        self.0.triggers.push(TriggerWrite {
            name: definition.name.clone(),
            paused: definition.paused,
            progress: fresh(next),
            jitter_ms: definition.jitter_ms,
            expected_fired_through: None,
            gap: None,
        });
        self.edit(|job| job.triggers.push(definition))
    }

    /// Limits the job's unfinished runs.
    #[must_use]
    pub fn limit(self, overlap: Overlap, max_active: u32) -> Self {
        self.edit(|job| {
            job.overlap = overlap;
            job.max_active = max_active;
        })
    }

    /// Changes the definition.
    #[must_use]
    pub fn edit(mut self, change: impl FnOnce(&mut Job)) -> Self {
        change(Arc::make_mut(&mut self.0.definition));
        self
    }

    /// Changes the write.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut JobWrite)) -> Self {
        change(&mut self.0);
        self
    }

    /// A save of what is there now, with its triggers where they stand.
    #[must_use]
    pub fn from_kept(kept: &Kept) -> Self {
        let triggers = kept.triggers.iter().zip(&kept.job.definition.triggers);
        let triggers = triggers.map(|(trigger, definition)| TriggerWrite {
            name: trigger.name.clone(),
            paused: trigger.own_pause,
            progress: trigger.row.progress,
            jitter_ms: definition.jitter_ms,
            expected_fired_through: trigger.row.progress.fired_through,
            gap: None,
        });
        Self(JobWrite {
            definition: kept.job.definition.clone(),
            expect: Expect::Change(kept.job.change),
            paused: kept.job.paused,
            triggers: triggers.collect(),
            ends: Vec::new(),
            documents: Vec::new(),
            saved_by: None,
            at: at(1),
        })
    }
}

/// A schedule; stores do not look into it.
#[must_use]
pub fn every_second() -> ScheduleDefinition {
    ScheduleDefinition::Every { interval_ms: 1_000, repeat_count: None }
}

/// Where a new trigger stands whose next fire is at `next`.
#[must_use]
pub fn fresh(next: Option<Timestamp>) -> Progress {
    Progress {
        next_fire_at: next,
        due_at: next,
        previous_fire_at: None,
        start_at: next.unwrap_or(at(0)),
        repeat_count: None,
        times_triggered: 0,
        fired_through: None,
        status: TriggerStatus::Active,
        awaiting_run: None,
        tzdata: Some(RELEASE),
    }
}

/// Makes a schema of its own, which is as good as an empty database, on the server whose address is in
/// `MAINSPRING_TEST_POSTGRES`. Answers its address.
///
/// # Panics
/// If no server is named, or it does not answer.
pub async fn postgres() -> String {
    let server = server("MAINSPRING_TEST_POSTGRES", "postgres");
    let name = fresh_name();
    let (client, connection) = tokio_postgres::connect(&server, tokio_postgres::NoTls).await.expect("a server answers");
    let session = tokio::spawn(connection);
    let made = format!("DROP SCHEMA IF EXISTS {name} CASCADE; CREATE SCHEMA {name}");
    client.batch_execute(&made).await.expect("a schema can be made");
    drop(client);
    session.await.expect("the session ends").expect("without an error");
    format!("{server}?options=-csearch_path%3D{name}")
}

/// Makes a database of its own on the server whose address is in `MAINSPRING_TEST_MYSQL`. Answers its address.
///
/// # Panics
/// If no server is named, or it does not answer.
pub async fn mysql() -> String {
    let (server, name) = (server("MAINSPRING_TEST_MYSQL", "mysql"), fresh_name());
    let server = server.trim_end_matches('/');
    let opts = mysql_async::Opts::from_url(server).expect("an address");
    let mut session = mysql_async::Conn::new(opts).await.expect("a server answers");
    for text in [format!("DROP DATABASE IF EXISTS {name}"), format!("CREATE DATABASE {name}")] {
        session.query_drop(text).await.expect("a database can be made");
    }
    session.disconnect().await.expect("without an error");
    format!("{server}/{name}")
}

fn server(variable: &str, kind: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| {
        panic!("{variable} names no server: run `make test`, or `cargo run -p xtask -- db {kind}`");
    })
}

/// A name that no test has at the same time.
fn fresh_name() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("k{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}
