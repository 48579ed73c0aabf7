//! The embedded store: one file, one process, no other program.
//!
//! One thread writes ([`writer`]): the engine's requests first, those that wait together in one transaction, synced to
//! the disk before they are answered. A few threads read, and one moves pages from the log to the database. The
//! statements are in `queries/`, the schema in `migrations/sqlite/`.

mod checkpoint;
mod complete;
mod fire;
mod gap;
mod gate;
mod job;
mod keep;
mod lock;
mod migrate;
mod names;
mod open;
mod purge;
mod queue;
mod reader;
mod repeat;
mod run;
mod save;
mod session;
mod sql;
mod trigger;
mod update;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use mainspring_core::batch::{
    ClaimedRun, CompletionBatch, CompletionOutcome, FireBatch, FireOutcome, LiveRun, Rearm, TriggerRow,
};
use mainspring_core::job::{Job, JobKey};
use mainspring_core::{Incarnation, JobId, JobVersion, RunId, Timestamp, TriggerId};
use tokio::sync::Notify;

use crate::error::{Error, Result};
use crate::row::{
    Asked, AskedRun, AttemptInfo, CalendarRow, CalendarWrite, Cancelled, Changes, EventRow, Expect, GapRow, JobPrior,
    JobQuery, JobRow, JobUpdate, JobWrite, KeptAnswer, LogChunk, NamespaceRow, PurgeRule, Released, RunInfo, RunQuery,
    Saved, StoreInfo, Tally, TriggerInfo, TriggerQuery,
};
use crate::store::Store;
use checkpoint::Checkpointer;
use lock::Lock;
use reader::{Patience, Readers};
use session::Session;
use sql::Step;
use writer::{Lane, Writer};

/// How a [`SqliteStore`] is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Threads that read for requests; at least 1. The engine has one of its own.
    pub readers: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { readers: 2 }
    }
}

/// A store in one SQLite file. Every answered change is on the disk: it survives a crash and a power failure.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use mainspring_store::{Options, SqliteStore, Store};
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("mainspring.db");
/// let store = SqliteStore::open(&path, Options::default())?;
/// store.set_setting("colour", "blue").await?;
/// assert!(SqliteStore::open(&path, Options::default()).is_err(), "one at a time");
/// store.close().await?;
/// let store = SqliteStore::open(&path, Options::default())?;
/// assert_eq!(store.setting("colour").await?.as_deref(), Some("blue"));
/// # Ok::<(), mainspring_store::Error>(())
/// # }).unwrap();
/// ```
pub struct SqliteStore {
    path: PathBuf,
    changed: Arc<Notify>,
    /// For the engine: no request can be in its way.
    engine: Readers,
    requests: Readers,
    /// For counts over everything.
    counts: Readers,
    writer: Writer,
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").field("path", &self.path).finish_non_exhaustive()
    }
}

impl SqliteStore {
    /// Opens the store at `path`, and makes it if it is not there. Blocks while it is checked and brought up to date.
    ///
    /// Beside it lie `<path>.lock`, which keeps other processes out, and SQLite's `-wal` and `-shm` files.
    ///
    /// # Errors
    /// [`Error::Unusable`] if another process has it, the place cannot be written or is on a network file system,
    /// or the file is damaged, foreign, or from a newer version. Nothing is changed then.
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Self> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let unusable = |why: String| Error::Unusable { store: name.clone(), why };
        let lock = Lock::take(&lock_path(path)).map_err(unusable)?;
        let session = Session::new(open::writer(path).map_err(unusable)?, path);
        let start = || {
            let engine = Readers::start(path, &name, 1)?;
            let requests = Readers::start(path, &name, options.readers.max(1))?;
            let counts = Readers::start(path, &name, 1)?;
            let changed = Arc::new(Notify::new());
            let checkpointer = Checkpointer::start(path)?;
            let writer = Writer::start(session, checkpointer, lock, changed.clone(), name.clone())?;
            Ok(Self { path: path.to_owned(), changed, engine, requests, counts, writer })
        };
        start().map_err(|error: std::io::Error| unusable(format!("its threads cannot be started: {error}")))
    }

    async fn write<T: Send + 'static>(
        &self,
        lane: Lane,
        operation: &'static str,
        work: impl FnOnce(&mut Session) -> Step<T> + Send + 'static,
    ) -> Result<T> {
        self.writer.call(lane, operation, work).await
    }

    async fn read<T: Send + 'static>(
        &self,
        operation: &'static str,
        work: impl FnOnce(&rusqlite::Connection) -> Step<T> + Send + 'static,
    ) -> Result<T> {
        self.requests.call(operation, Patience::Short, work).await
    }

    /// Bytes of the database and its log.
    fn bytes(&self) -> u64 {
        let log = with_suffix(&self.path, "-wal");
        let sizes = [&self.path, &log].map(|path| std::fs::metadata(path).map_or(0, |meta| meta.len()));
        sizes.iter().sum()
    }
}

fn lock_path(path: &Path) -> PathBuf {
    with_suffix(path, ".lock")
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

#[async_trait]
impl Store for SqliteStore {
    async fn adopt(&self, incarnation: Incarnation, at: Timestamp) -> Result<Vec<LiveRun>> {
        self.write(Lane::Engine, "adopt running runs", move |s| queue::adopt(s, incarnation, at)).await
    }

    async fn window(
        &self,
        until: Timestamp,
        after: Option<(Timestamp, TriggerId)>,
        limit: u32,
    ) -> Result<(Vec<TriggerRow>, Option<(Timestamp, TriggerId)>)> {
        let work = move |db: &rusqlite::Connection| trigger::window(db, until, after, limit);
        self.engine.call("read due triggers", Patience::Long, work).await
    }

    async fn trigger_rows(&self, ids: &[TriggerId]) -> Result<Vec<TriggerRow>> {
        let ids = ids.to_vec();
        self.engine.call("read triggers", Patience::Long, move |db| trigger::rows(db, &ids)).await
    }

    async fn stranded(&self) -> Result<Vec<TriggerRow>> {
        self.engine.call("read triggers", Patience::Long, trigger::stranded).await
    }

    async fn definition(&self, job: JobId, version: JobVersion) -> Result<Arc<Job>> {
        let work = move |db: &rusqlite::Connection| trigger::definition(db, job, version);
        self.engine.call("read a job's definition", Patience::Long, work).await
    }

    async fn fire(&self, batch: Arc<FireBatch>) -> Result<FireOutcome> {
        self.write(Lane::Engine, "record fires", move |s| fire::fire(s, &batch)).await
    }

    async fn complete(&self, batch: Arc<CompletionBatch>) -> Result<CompletionOutcome> {
        self.write(Lane::Engine, "record ends of attempts", move |s| complete::complete(s, &batch)).await
    }

    async fn claim(&self, limit: u32, at: Timestamp) -> Result<Vec<ClaimedRun>> {
        self.write(Lane::Engine, "claim runs", move |s| queue::claim(s, limit, at)).await
    }

    async fn release_due(&self, at: Timestamp, limit: u32) -> Result<Released> {
        self.write(Lane::Engine, "release scheduled runs", move |s| queue::release_due(s, at, limit)).await
    }

    async fn take_changes(&self, limit: u32) -> Result<Changes> {
        self.write(Lane::Engine, "take changes", move |s| queue::take_changes(s, limit)).await
    }

    fn changed(&self) -> &Notify {
        &self.changed
    }

    async fn append_log(&self, chunks: Vec<LogChunk>) -> Result<()> {
        self.write(Lane::Api, "append to a log", move |s| keep::append_log(s, &chunks)).await
    }

    async fn prior(&self, key: &JobKey) -> Result<JobPrior> {
        let key = key.clone();
        self.read("read a job", move |db| job::prior(db, &key)).await
    }

    async fn save_jobs(&self, writes: Vec<JobWrite>) -> Result<Vec<Saved>> {
        self.write(Lane::Api, "save jobs", move |s| save::save(s, &writes)).await
    }

    async fn update_job(&self, update: JobUpdate) -> Result<JobRow> {
        self.write(Lane::Api, "update a job", move |s| update::update(s, &update)).await
    }

    async fn delete_job(&self, key: &JobKey, expect: Expect, at: Timestamp) -> Result<()> {
        let key = key.clone();
        self.write(Lane::Api, "delete a job", move |s| update::delete(s, &key, expect, at)).await
    }

    async fn job(&self, key: &JobKey) -> Result<Option<JobRow>> {
        let key = key.clone();
        self.read("read a job", move |db| job::by_key(db, &key)).await
    }

    async fn jobs(&self, query: JobQuery) -> Result<Vec<JobRow>> {
        self.read("list jobs", move |db| job::list(db, &query)).await
    }

    async fn triggers(&self, query: TriggerQuery) -> Result<Vec<TriggerInfo>> {
        self.read("list triggers", move |db| job::triggers(db, &query)).await
    }

    async fn namespaces(&self, after: Option<&str>, limit: u32) -> Result<Vec<NamespaceRow>> {
        let after = after.unwrap_or_default().to_owned();
        self.read("list namespaces", move |db| names::namespaces(db, &after, limit)).await
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
        self.read("read a calendar", move |db| names::calendar(db, &namespace, &name)).await
    }

    async fn calendars(&self, namespace: &str, after: Option<&str>, limit: u32) -> Result<Vec<CalendarRow>> {
        let (namespace, after) = (namespace.to_owned(), after.unwrap_or_default().to_owned());
        self.read("list calendars", move |db| names::calendars(db, &namespace, &after, limit)).await
    }

    async fn save_calendar(&self, write: CalendarWrite) -> Result<CalendarRow> {
        self.write(Lane::Api, "save a calendar", move |s| names::save_calendar(s, &write)).await
    }

    async fn delete_calendar(&self, namespace: &str, name: &str, expect: Expect) -> Result<()> {
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        let work = move |s: &mut Session| names::delete_calendar(s, &namespace, &name, expect);
        self.write(Lane::Api, "delete a calendar", work).await
    }

    async fn ask_run(&self, run: AskedRun) -> Result<Asked> {
        self.write(Lane::Api, "queue a run", move |s| run::ask(s, &run)).await
    }

    async fn cancel_run(&self, run: RunId, reason: &str, rearm: Option<Rearm>, at: Timestamp) -> Result<Cancelled> {
        let reason = reason.to_owned();
        self.write(Lane::Api, "cancel a run", move |s| run::cancel(s, run, &reason, rearm, at)).await
    }

    async fn run(&self, run: RunId) -> Result<Option<RunInfo>> {
        self.read("read a run", move |db| run::run(db, run)).await
    }

    async fn runs(&self, query: RunQuery) -> Result<Vec<RunInfo>> {
        self.read("list runs", move |db| run::list(db, &query)).await
    }

    async fn attempts(&self, run: RunId) -> Result<Vec<AttemptInfo>> {
        self.read("list attempts", move |db| run::attempts(db, run)).await
    }

    async fn log(&self, run: RunId, attempt: u32, from_line: u64, bytes_max: u32) -> Result<Vec<LogChunk>> {
        self.read("read a log", move |db| keep::log(db, run, attempt, from_line, bytes_max)).await
    }

    async fn gaps(&self, trigger: Option<TriggerId>, after: i64, limit: u32) -> Result<Vec<GapRow>> {
        self.read("list gaps", move |db| gap::list(db, trigger, after, limit)).await
    }

    async fn events(&self, after: i64, limit: u32) -> Result<Vec<EventRow>> {
        self.read("read events", move |db| keep::events(db, after, limit)).await
    }

    async fn last_event(&self) -> Result<i64> {
        self.read("read events", keep::last_event).await
    }

    async fn setting(&self, name: &str) -> Result<Option<String>> {
        let name = name.to_owned();
        self.read("read a setting", move |db| keep::setting(db, &name)).await
    }

    async fn set_setting(&self, name: &str, value: &str) -> Result<()> {
        let (name, value) = (name.to_owned(), value.to_owned());
        self.write(Lane::Api, "set a setting", move |s| keep::set_setting(s, &name, &value)).await
    }

    async fn kept_answer(&self, key: &str) -> Result<Option<KeptAnswer>> {
        let key = key.to_owned();
        self.read("read an idempotency key", move |db| keep::kept_answer(db, &key)).await
    }

    async fn keep_answer(&self, key: &str, answer: KeptAnswer, at: Timestamp) -> Result<()> {
        let key = key.to_owned();
        self.write(Lane::Api, "keep an answer", move |s| keep::keep_answer(s, &key, &answer, at)).await
    }

    async fn purge(&self, rule: PurgeRule) -> Result<u64> {
        let found = self.counts.call("find old records", Patience::Long, move |db| purge::find(db, &rule)).await?;
        let mut count = 0;
        for slice in found.slices() {
            count += self.write(Lane::Api, "delete old runs", move |s| slice.delete(s)).await?;
        }
        let limit = u64::from(rule.limit).saturating_sub(count);
        let rest = move |s: &mut Session| purge::purge_rest(s, &rule, limit);
        Ok(count + self.write(Lane::Api, "delete old records", rest).await?)
    }

    async fn tally(&self) -> Result<Vec<Tally>> {
        self.counts.call("count fires", Patience::Long, purge::tally).await
    }

    async fn info(&self) -> Result<StoreInfo> {
        let info = self.counts.call("count what there is", Patience::Long, purge::info).await?;
        Ok(StoreInfo { bytes: self.bytes(), ..info })
    }

    async fn close(&self) -> Result<()> {
        for readers in [&self.engine, &self.requests, &self.counts] {
            readers.close();
        }
        self.writer.close().await
    }
}

#[cfg(test)]
mod tests;
