//! Threads that read. Each has a connection that cannot write; a read is one snapshot, and bounded in time.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};
use tokio::sync::oneshot;

use super::open;
use super::writer::Failure;
use crate::error::{Error, Result};
use crate::sql::db::{Fault, Step};

/// How long a read may take. Longer ones would keep the write-ahead log from beginning anew.
const LIMIT: Duration = Duration::from_secs(2);

/// How many reads wait at most.
const WAITING_MAX: usize = 4_096;

/// How many steps of SQLite's machine pass between two looks at the clock.
const STEPS: i32 = 10_000;

/// Whether a read is ended when it takes too long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Patience {
    /// After two seconds.
    Short,
    /// Never: counts over everything.
    Long,
}

/// Hands reads to threads.
pub(super) struct Readers {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared {
    store: String,
    queue: Mutex<Queue>,
    arrived: Condvar,
}

/// A read that waits for a thread.
type Waiting = Box<dyn FnOnce(&Reader) + Send>;

#[derive(Default)]
struct Queue {
    reads: VecDeque<Waiting>,
    closing: bool,
}

struct Reader {
    connection: Connection,
    /// Microseconds since `started` after which a read is ended.
    deadline: Arc<AtomicU64>,
    started: Instant,
}

impl Readers {
    pub(super) fn start(path: &Path, store: &str, count: usize) -> std::io::Result<Self> {
        let shared = Arc::new(Shared { store: store.to_owned(), queue: Mutex::default(), arrived: Condvar::new() });
        let readers = Self { shared, threads: Mutex::default() };
        for _ in 0..count {
            let reader = Reader::open(path).map_err(std::io::Error::other)?;
            let shared = readers.shared.clone();
            let builder = std::thread::Builder::new().name("mainspring-sqlite-reader".into());
            let thread = builder.spawn(move || {
                while let Some(read) = shared.wait() {
                    read(&reader);
                }
            })?;
            readers.threads().push(thread);
        }
        Ok(readers)
    }

    /// Reads in one snapshot.
    pub(super) async fn call<T: Send + 'static>(
        &self,
        operation: &'static str,
        patience: Patience,
        work: impl FnOnce(&Connection) -> Step<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let store = self.shared.store.clone();
        let read = move |reader: &Reader| {
            // Whoever asked may have stopped waiting.
            let _heard = reply.send(reader.read(operation, &store, patience, work));
        };
        {
            let mut queue = self.shared.queue();
            if queue.closing {
                return Err(Error::Closed);
            }
            if queue.reads.len() >= WAITING_MAX {
                let source = format!("{WAITING_MAX} reads are waiting already").into();
                return Err(Error::Unavailable { operation, source });
            }
            queue.reads.push_back(Box::new(read));
        }
        self.shared.arrived.notify_one();
        answer.await.unwrap_or(Err(Error::Closed))
    }

    /// Serves what waits and closes the connections. Blocks for as long as that takes.
    pub(super) fn close(&self) {
        self.shared.queue().closing = true;
        self.shared.arrived.notify_all();
        for thread in std::mem::take(&mut *self.threads()) {
            // Reads that panic are caught; there is nothing to hear from the thread.
            let _ended = thread.join();
        }
    }

    fn threads(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self) -> Option<Waiting> {
        let mut queue = self.queue();
        loop {
            if let Some(read) = queue.reads.pop_front() {
                return Some(read);
            }
            if queue.closing {
                return None;
            }
            queue = self.arrived.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Reader {
    fn open(path: &Path) -> rusqlite::Result<Self> {
        let connection = open::reader(path)?;
        let started = Instant::now();
        let deadline = Arc::new(AtomicU64::new(u64::MAX));
        let limit = deadline.clone();
        connection.progress_handler(STEPS, Some(move || micros(started) > limit.load(Ordering::Relaxed)))?;
        Ok(Self { connection, deadline, started })
    }

    fn read<T>(
        &self,
        operation: &'static str,
        store: &str,
        patience: Patience,
        work: impl FnOnce(&Connection) -> Step<T>,
    ) -> Result<T> {
        let deadline = match patience {
            Patience::Short => micros(self.started) + u64::try_from(LIMIT.as_micros()).unwrap_or(u64::MAX),
            Patience::Long => u64::MAX,
        };
        self.deadline.store(deadline, Ordering::Relaxed);
        let outcome = catch_unwind(AssertUnwindSafe(|| self.snapshot(work)));
        self.deadline.store(u64::MAX, Ordering::Relaxed);
        if !self.connection.is_autocommit() {
            // Ends the snapshot after a failure. If even that fails, the next read says so.
            let _ended = self.connection.execute_batch("ROLLBACK");
        }
        let source = || "the read failed in an unforeseen way; this is a bug of mainspring".into();
        let step = outcome.unwrap_or_else(|_| Err(Error::Unavailable { operation, source: source() }.into()));
        step.map_err(|fault| match fault {
            Fault::Sqlite(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
                let seconds = LIMIT.as_secs();
                let source = format!("it would take longer than {seconds} s; narrow the question").into();
                Error::Unavailable { operation, source }
            }
            Fault::Sqlite(error) => Failure::from(error).error(operation, store),
            fault => fault.into_error(operation, store),
        })
    }

    fn snapshot<T>(&self, work: impl FnOnce(&Connection) -> Step<T>) -> Step<T> {
        self.connection.prepare_cached("BEGIN")?.execute([])?;
        let value = work(&self.connection)?;
        self.connection.prepare_cached("COMMIT")?.execute([])?;
        Ok(value)
    }
}

fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}
