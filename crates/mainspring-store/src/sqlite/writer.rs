//! The one thread that writes. Requests wait in two lanes, the engine's going first; those that wait together
//! share a transaction, and so the wait for the disk.

use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ffi};
use tokio::sync::{Notify, oneshot};

use super::checkpoint::Checkpointer;
use super::lock::Lock;
use super::mark::Mark;
use super::open;
use crate::error::{Error, Result};
use crate::sql::db::{Fault, Step};
use crate::sql::session::Session;

/// Who asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lane {
    /// The engine: served first.
    Engine,
    /// Everybody else: served in slices, so that the engine waits for at most one of them.
    Api,
}

/// How long requests of the API lane may go on being added to a transaction.
const SLICE: Duration = Duration::from_millis(2);

/// How long nothing has to come until memory is given back.
const IDLE: Duration = Duration::from_secs(10);

/// How many requests share a transaction at most.
const GROUP_MAX: usize = 64;

/// How many requests of the API wait at most; further ones are refused.
const WAITING_MAX: usize = 4_096;

/// Pages in the write-ahead log beyond which the writer itself moves them to the database. Usually the
/// checkpointer has done so before; only its last pages are left while the writer never pauses.
const LOG_PAGES_MAX: i32 = 16_384;

/// Hands requests to the thread that writes.
pub(super) struct Writer {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    store: String,
    lanes: Mutex<Lanes>,
    arrived: Condvar,
    changed: Arc<Notify>,
}

#[derive(Default)]
struct Lanes {
    engine: VecDeque<Box<dyn Request>>,
    api: VecDeque<Box<dyn Request>>,
    closing: bool,
    ended: Vec<oneshot::Sender<()>>,
}

/// A request and whoever waits for its answer.
trait Request: Send {
    /// Does it. The answer waits until the transaction is durable. False: it has to be undone.
    fn perform(&mut self, session: &mut Session<Connection>, store: &str) -> bool;
    /// The error of SQLite that made it fail, if one did.
    fn sqlite_code(&self) -> Option<i32>;
    /// Answers: what came of it, or why nothing was kept.
    fn answer(self: Box<Self>, kept: std::result::Result<(), &Failure>, store: &str);
}

/// Why a transaction was not kept.
pub(super) struct Failure {
    code: i32,
    text: String,
}

impl Writer {
    pub(super) fn start(
        session: Session<Connection>,
        path: &Path,
        mark: Mark,
        checkpointer: Checkpointer,
        lock: Lock,
        changed: Arc<Notify>,
        store: String,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(Shared { store, lanes: Mutex::default(), arrived: Condvar::new(), changed });
        let worker = Worker {
            shared: shared.clone(),
            session,
            path: path.to_owned(),
            mark,
            changes: 0,
            checkpointer,
            open: false,
            broken: None,
            damaged: false,
        };
        let thread = std::thread::Builder::new().name("mainspring-sqlite-writer".into()).spawn(move || {
            worker.run();
            drop(lock);
        })?;
        Ok(Self { shared, thread: Mutex::new(Some(thread)) })
    }

    /// Does `work` in a transaction, and answers when that is durable.
    pub(super) async fn call<T: Send + 'static>(
        &self,
        lane: Lane,
        operation: &'static str,
        work: impl FnOnce(&mut Session<Connection>) -> Step<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let call = Call { operation, work: Some(work), result: None, code: None, reply };
        self.push(lane, operation, Box::new(call))?;
        // The thread answers everything that it took; it can only vanish in a panic.
        answer.await.unwrap_or(Err(Error::Closed))
    }

    fn push(&self, lane: Lane, operation: &'static str, request: Box<dyn Request>) -> Result<()> {
        let mut lanes = self.shared.lanes();
        if lanes.closing {
            return Err(Error::Closed);
        }
        match lane {
            Lane::Engine => lanes.engine.push_back(request),
            Lane::Api if lanes.api.len() >= WAITING_MAX => {
                let source = format!("{WAITING_MAX} requests are waiting already").into();
                return Err(Error::Unavailable { operation, source });
            }
            Lane::Api => lanes.api.push_back(request),
        }
        drop(lanes);
        self.shared.arrived.notify_one();
        Ok(())
    }

    /// Serves what waits, empties the log into the database, and lets go of the files.
    pub(super) async fn close(&self) -> Result<()> {
        let (ended, end) = oneshot::channel();
        self.begin_close(Some(ended))?;
        // An error means that the thread is gone already.
        let _gone = end.await;
        self.join();
        Ok(())
    }

    fn begin_close(&self, ended: Option<oneshot::Sender<()>>) -> Result<()> {
        let mut lanes = self.shared.lanes();
        if lanes.closing {
            return Err(Error::Closed);
        }
        lanes.closing = true;
        lanes.ended.extend(ended);
        drop(lanes);
        self.shared.arrived.notify_one();
        Ok(())
    }

    fn join(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            // A panic of the thread has been reported by then, and its callers have been told.
            let _ended = thread.join();
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Refused only if it is closed already.
        let _closed = self.begin_close(None);
        self.join();
    }
}

impl Shared {
    fn lanes(&self) -> MutexGuard<'_, Lanes> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is something to do. `rest` is called once if nothing comes for a while.
    fn wait(&self, rest: impl FnOnce()) -> Turn {
        let mut rest = Some(rest);
        let mut lanes = self.lanes();
        while lanes.engine.is_empty() && lanes.api.is_empty() {
            if lanes.closing {
                return Turn::End;
            }
            if rest.is_none() {
                lanes = self.arrived.wait(lanes).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let (again, waited) = self.arrived.wait_timeout(lanes, IDLE).unwrap_or_else(PoisonError::into_inner);
            lanes = again;
            if waited.timed_out() && lanes.engine.is_empty() && lanes.api.is_empty() {
                drop(lanes);
                rest.take().expect("asked above")();
                lanes = self.lanes();
            }
        }
        Turn::Serve
    }

    fn next(&self, api_too: bool) -> Option<Box<dyn Request>> {
        let mut lanes = self.lanes();
        let engine = lanes.engine.pop_front();
        engine.or_else(|| if api_too { lanes.api.pop_front() } else { None })
    }
}

/// What the thread does next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Serve,
    End,
}

struct Worker {
    shared: Arc<Shared>,
    session: Session<Connection>,
    path: PathBuf,
    mark: Mark,
    /// Rows that the connection had changed when the transaction began.
    changes: u64,
    checkpointer: Checkpointer,
    /// Whether a transaction is open.
    open: bool,
    /// Why nothing is written any more, if so.
    broken: Option<Failure>,
    /// Whether the connection has to be opened again.
    damaged: bool,
}

thread_local! {
    /// Pages in the write-ahead log after the latest commit of this thread.
    static LOG_PAGES: Cell<i32> = const { Cell::new(0) };
}

impl Worker {
    fn run(mut self) {
        watch_log(&self.session.connection);
        while self.shared.wait(|| self.rest()) == Turn::Serve {
            self.serve();
            self.tend_log();
        }
        self.checkpointer.stop();
        // What stays in the log is read from there at the next start.
        let _left = self.session.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        let Self { shared, session, .. } = self;
        drop(session);
        for ended in std::mem::take(&mut shared.lanes().ended) {
            // Whoever closed the store may have stopped waiting.
            let _heard = ended.send(());
        }
    }

    /// Gives back the memory of pages that nobody has asked for lately.
    fn rest(&self) {
        // Only memory is at stake.
        let _kept = self.session.connection.execute_batch("PRAGMA shrink_memory");
    }

    /// Serves requests in one transaction.
    fn serve(&mut self) {
        let started = Instant::now();
        let mut served = Vec::new();
        let mut wakes = false;
        while served.len() < GROUP_MAX {
            let Some(mut request) = self.shared.next(started.elapsed() < SLICE) else { break };
            let first = match self.begin() {
                Ok(first) => first,
                Err(failure) => {
                    request.answer(Err(&failure), &self.shared.store);
                    continue;
                }
            };
            let kept = self.perform(&mut *request, first);
            wakes |= std::mem::take(&mut self.session.wakes);
            let code = request.sqlite_code();
            served.push(request);
            if !kept && !first && !self.open && served.len() > 1 {
                // SQLite undid the whole transaction, the requests before included.
                let failure =
                    Failure { code: code.unwrap_or(ffi::SQLITE_ABORT), text: "the transaction was undone".into() };
                return self.answer(served, Err(failure));
            }
        }
        let outcome = self.commit();
        if outcome.is_ok() && wakes {
            self.shared.changed.notify_one();
        }
        self.answer(served, outcome);
    }

    fn answer(&self, served: Vec<Box<dyn Request>>, outcome: std::result::Result<(), Failure>) {
        for request in served {
            request.answer(outcome.as_ref().copied(), &self.shared.store);
        }
    }

    /// Refuses to go on after a failed sync, and opens the connection again after other errors of the disk.
    fn ready(&mut self) -> std::result::Result<(), Failure> {
        if let Some(broken) = &self.broken {
            return Err(Failure { code: broken.code, text: broken.text.clone() });
        }
        if self.damaged {
            self.session.forget();
            self.session.connection = open::writer_again(&self.path).map_err(Failure::from)?;
            watch_log(&self.session.connection);
            self.damaged = false;
        }
        Ok(())
    }

    /// Opens the transaction, or a savepoint in it. The first request needs none: to undo it is to undo all.
    fn begin(&mut self) -> std::result::Result<bool, Failure> {
        self.ready()?;
        let first = !self.open;
        if first {
            self.changes = self.session.connection.total_changes();
        }
        let begun = self.run_text(if first { "BEGIN IMMEDIATE" } else { "SAVEPOINT request" });
        self.open |= begun.is_ok();
        match begun {
            Ok(()) => Ok(first),
            Err(failure) => {
                self.note(failure.code);
                Err(failure)
            }
        }
    }

    /// Does one request. False: it is undone.
    fn perform(&mut self, request: &mut dyn Request, first: bool) -> bool {
        let done = request.perform(&mut self.session, &self.shared.store);
        if done && (first || self.run_text("RELEASE request").is_ok()) {
            return true;
        }
        if let Some(code) = request.sqlite_code() {
            self.note(code);
        }
        self.undo(first);
        false
    }

    fn undo(&mut self, whole: bool) {
        self.session.forget();
        if self.session.connection.is_autocommit() {
            self.open = false;
            return;
        }
        let undone =
            if whole { self.run_text("ROLLBACK") } else { self.run_text("ROLLBACK TO request; RELEASE request") };
        if undone.is_err() {
            self.damaged = true;
        }
        self.open = !self.session.connection.is_autocommit();
    }

    fn commit(&mut self) -> std::result::Result<(), Failure> {
        if !self.open {
            return Ok(());
        }
        // A transaction that changed nothing is neither counted nor synced.
        let changed = self.session.connection.total_changes() != self.changes;
        let counted = if changed { self.mark.count(&self.session.connection).map_err(Failure::from) } else { Ok(()) };
        let outcome = counted.and_then(|()| self.run_text("COMMIT"));
        if changed && outcome.is_ok() {
            self.mark.committed();
        }
        if let Err(failure) = &outcome {
            self.note(failure.code);
            self.undo(true);
        }
        self.open = !self.session.connection.is_autocommit();
        outcome
    }

    fn run_text(&self, text: &str) -> std::result::Result<(), Failure> {
        let db = &self.session.connection;
        if text.contains(';') {
            return db.execute_batch(text).map_err(Failure::from);
        }
        let mut statement = db.prepare_cached(text).map_err(Failure::from)?;
        statement.execute([]).map(|_| ()).map_err(Failure::from)
    }

    /// Draws the consequences of an error. After a failed sync nobody knows what is on the disk, and trying again
    /// may seem to succeed without writing it: only a new start, which reads everything again, may go on.
    fn note(&mut self, code: i32) {
        if matches!(code, ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC) {
            let text = "the disk failed to sync, so what it holds is uncertain; check the disk and start again".into();
            tracing::error!(store = self.shared.store, "the disk failed to sync; nothing is written any more");
            self.broken = Some(Failure { code, text });
        } else if code & 0xff == ffi::SQLITE_IOERR {
            self.damaged = true;
        }
    }

    /// Lets the log be moved to the database when it has grown.
    fn tend_log(&self) {
        let pages = LOG_PAGES.get();
        self.checkpointer.grown(pages);
        if pages > LOG_PAGES_MAX {
            // If that fails, the log goes on growing, and the next commit tries again or reports it.
            let _later = self.session.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        }
    }
}

fn watch_log(connection: &Connection) {
    connection.wal_hook(Some(|_, pages| {
        LOG_PAGES.set(pages);
        Ok(())
    }));
}

struct Call<T, F> {
    operation: &'static str,
    work: Option<F>,
    result: Option<Result<T>>,
    code: Option<i32>,
    reply: oneshot::Sender<Result<T>>,
}

impl<T: Send, F: FnOnce(&mut Session<Connection>) -> Step<T> + Send> Request for Call<T, F> {
    fn perform(&mut self, session: &mut Session<Connection>, store: &str) -> bool {
        let work = self.work.take().expect("a request is performed once");
        let outcome = catch_unwind(AssertUnwindSafe(|| work(session)));
        let step = outcome.unwrap_or(Err(Fault::Panicked));
        let result = step.map_err(|fault| match fault {
            Fault::Sqlite(error) => {
                let failure = Failure::from(error);
                self.code = Some(failure.code);
                failure.own_error(self.operation, store)
            }
            fault => fault.into_error(self.operation, store),
        });
        let kept = result.is_ok();
        self.result = Some(result);
        kept
    }

    fn sqlite_code(&self) -> Option<i32> {
        self.code
    }

    fn answer(self: Box<Self>, kept: std::result::Result<(), &Failure>, store: &str) {
        let result = match (kept, self.result) {
            (Ok(()), Some(result)) => result,
            (Err(failure), _) => Err(failure.error(self.operation, store)),
            (Ok(()), None) => Err(Error::Closed),
        };
        // Whoever asked may have stopped waiting.
        let _heard = self.reply.send(result);
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        let code = error.sqlite_error().map_or(ffi::SQLITE_ERROR, |error| error.extended_code);
        Self { code, text: error.to_string() }
    }
}

impl Failure {
    /// What the caller is told whose own request failed.
    fn own_error(&self, operation: &'static str, store: &str) -> Error {
        match self.code & 0xff {
            ffi::SQLITE_CONSTRAINT | ffi::SQLITE_MISMATCH | ffi::SQLITE_TOOBIG | ffi::SQLITE_RANGE => {
                Error::Rejected { operation, source: self.text.clone().into() }
            }
            _ => self.error(operation, store),
        }
    }

    /// What the caller is told.
    pub(super) fn error(&self, operation: &'static str, store: &str) -> Error {
        match self.code & 0xff {
            ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB => {
                let why = format!(
                    "it is damaged ({}), found while trying to {operation}. Restore it from a backup",
                    self.text
                );
                Error::Unusable { store: store.to_owned(), why }
            }
            _ => Error::Unavailable { operation, source: self.text.clone().into() },
        }
    }
}
