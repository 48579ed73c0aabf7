//! Threads that work for requests, each on a session of its own.
//!
//! A request runs to its end, whether or not anybody still waits for it. A session that saw an error is closed.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use mysql_async::{DriverError, Opts};
use tokio::sync::oneshot;

use super::connection::{Connection, Purpose, is_duplicate, server_code};
use crate::error::{Error, Result};
use crate::sql::db::{Fault, Step};
use crate::sql::session::Session;

/// How many requests of a lane wait at most.
const WAITING_MAX: usize = 16_384;

/// How often a transaction is tried that others were in the way of.
const TRIES: u32 = 10;

/// How sessions are opened.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) opts: Opts,
    /// The server's name for messages, without a password.
    pub(super) name: Arc<str>,
}

/// A request that waits for a thread.
type Waiting = Box<dyn FnOnce(&mut Place) + Send>;

/// A few sessions that serve one kind of request.
pub(super) struct Lane {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared {
    queue: Mutex<Queue>,
    arrived: Condvar,
}

#[derive(Default)]
struct Queue {
    requests: VecDeque<Waiting>,
    closing: bool,
}

/// Where a thread keeps its session.
pub(super) struct Place {
    target: Target,
    purpose: Purpose,
    session: Option<Session<Connection>>,
}

impl Lane {
    pub(super) fn start(target: &Target, name: &str, purpose: Purpose, sessions: usize) -> std::io::Result<Self> {
        let shared = Arc::new(Shared { queue: Mutex::default(), arrived: Condvar::new() });
        let lane = Self { shared, threads: Mutex::default() };
        for _ in 0..sessions {
            let target = target.clone();
            let shared = lane.shared.clone();
            let builder = std::thread::Builder::new().name(format!("mainspring-mysql-{name}"));
            let thread = builder.spawn(move || {
                let mut place = Place { target, purpose, session: None };
                while let Some(request) = shared.wait() {
                    request(&mut place);
                }
            })?;
            lane.threads().push(thread);
        }
        Ok(lane)
    }

    /// Does `work` in a transaction. It may be done several times, until one of them is kept; the last answer counts.
    pub(super) async fn call<T: Send + 'static>(
        &self,
        operation: &'static str,
        work: impl FnMut(&mut Session<Connection>) -> Step<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let request = move |place: &mut Place| {
            // Whoever asked may have stopped waiting.
            let _heard = reply.send(place.serve(operation, work));
        };
        {
            let mut queue = self.shared.queue();
            if queue.closing {
                return Err(Error::Closed);
            }
            if queue.requests.len() >= WAITING_MAX {
                let source = format!("{WAITING_MAX} requests are waiting already").into();
                return Err(Error::Unavailable { operation, source });
            }
            queue.requests.push_back(Box::new(request));
        }
        self.shared.arrived.notify_one();
        answer.await.unwrap_or(Err(Error::Closed))
    }

    pub(super) fn is_closing(&self) -> bool {
        self.shared.queue().closing
    }

    /// Serves what waits and closes the sessions. Blocks for as long as that takes.
    pub(super) fn close(&self) {
        self.shared.queue().closing = true;
        self.shared.arrived.notify_all();
        for thread in std::mem::take(&mut *self.threads()) {
            // Requests that panic are caught; there is nothing to hear from the thread.
            let _ended = thread.join();
        }
    }

    fn threads(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Lane {
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
            if let Some(request) = queue.requests.pop_front() {
                return Some(request);
            }
            if queue.closing {
                return None;
            }
            queue = self.arrived.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Place {
    /// Does a request, and says in the caller's words what came of it.
    pub(super) fn serve<T>(
        &mut self,
        operation: &'static str,
        mut work: impl FnMut(&mut Session<Connection>) -> Step<T>,
    ) -> Result<T> {
        let mut tries = 1;
        loop {
            let source = || "the request failed in an unforeseen way; this is a bug of mainspring".into();
            let done = catch_unwind(AssertUnwindSafe(|| self.transact(&mut work)));
            let done = done.unwrap_or_else(|_| {
                self.session = None;
                Err(Error::Unavailable { operation, source: source() }.into())
            });
            match done {
                Err(fault) if tries < TRIES && is_passing(&fault) => tries += 1,
                Err(fault) if tries == 1 && is_lost(&fault) => tries += 1,
                done => return done.map_err(|fault| fault.into_error(operation, &self.target.name)),
            }
        }
    }

    /// Does a request once, in a transaction. After an error the session is closed, unless the request was refused.
    fn transact<T>(&mut self, work: &mut impl FnMut(&mut Session<Connection>) -> Step<T>) -> Step<T> {
        let session = self.session()?;
        let done = work(session).and_then(|value| session.connection.commit().map(|()| value));
        let undone = match &done {
            Ok(_) => return done,
            Err(Fault::Refused(_) | Fault::Unreadable(_)) => session.connection.roll_back(),
            Err(fault) if is_passing(fault) => session.connection.roll_back(),
            Err(_) => Err(Fault::Broken(String::new())),
        };
        session.forget();
        if undone.is_err() {
            self.session = None;
        }
        done
    }

    fn session(&mut self) -> Step<&mut Session<Connection>> {
        match &mut self.session {
            Some(session) => Ok(session),
            vacant => {
                let connection = Connection::open(&self.target.opts, self.purpose)?;
                Ok(vacant.insert(Session::new(connection)))
            }
        }
    }
}

/// Whether another try may succeed at once: others were in the way, and nothing was kept. The server undoes no more than
/// a statement when a lock is waited for in vain; the rest is on whoever asked.
fn is_passing(fault: &Fault) -> bool {
    const LOCK_WAIT_TIMEOUT: u16 = 1205;
    const DEADLOCK: u16 = 1213;
    is_duplicate(fault) || matches!(server_code(fault), Some(LOCK_WAIT_TIMEOUT | DEADLOCK))
}

/// Whether the session was gone before the end of the transaction, so that the server has undone it: it closes sessions
/// that were idle for long, and those of a server that stops.
fn is_lost(fault: &Fault) -> bool {
    const SHUTDOWN: u16 = 1053;
    const KILLED: u16 = 1927;
    const IDLE: u16 = 4031;
    match fault {
        Fault::Mysql(mysql_async::Error::Io(_)) => true,
        Fault::Mysql(mysql_async::Error::Driver(DriverError::ConnectionClosed | DriverError::PacketOutOfOrder)) => true,
        _ => matches!(server_code(fault), Some(SHUTDOWN | KILLED | IDLE)),
    }
}
