//! Threads that work for requests on a database server, each on a session of its own.
//!
//! A request that has begun runs to its end, whether or not anybody still waits for it. A session that saw an error is closed.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::{Notify, oneshot};

use super::Batches;
use super::backend;
use super::db::{Fault, Query, Row, Sql, Step};
use super::session::Session;
use crate::error::{Error, Result};
use crate::row::Connections;

/// How many requests of a lane wait at most.
const WAITING_MAX: usize = 16_384;

/// For how long a request of people may wait for its turn.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// How often a transaction is tried that others were in the way of.
const TRIES: u32 = 10;

/// A session of a database server. It belongs to one thread.
pub(crate) trait Server: Batches + 'static {
    /// Ends the transaction and keeps what it did.
    fn commit(&self) -> Step<()>;

    /// Ends the transaction and undoes what it did.
    fn roll_back(&self) -> Step<()>;

    /// Whether the server is known to have hung up.
    fn is_closed(&self) -> bool {
        false
    }

    /// Whether another try may succeed at once: others were in the way, and nothing is kept once it is rolled back.
    fn is_passing(fault: &Fault) -> bool;

    /// Whether the session was gone before the end of the transaction, so that the server has undone it.
    fn is_lost(_: &Fault) -> bool {
        false
    }

    /// Tells the other nodes, by this transaction, of a change that they have to hear of. Where the server has no way
    /// to, they look by themselves.
    fn announce(&self) -> Step<()> {
        Ok(())
    }

    /// Tells the other nodes, by this transaction, to look into inboxes of flows. Where the server has no way to, they look by
    /// themselves.
    fn stir(&self) -> Step<()> {
        Ok(())
    }

    /// What tells the other nodes to look at the cluster. Where there is none, they look by themselves.
    const HINT: Option<Sql> = None;

    /// Runs the last statements of a transaction, in order, and commits it: all in one message. Rows are handed over with the
    /// place of the statement that found them, and count if it succeeds. `each` has no use of the session meanwhile.
    ///
    /// If it fails, nobody knows what was kept, and it may be repeated: for what takes effect once however often it is done.
    fn conclude(&self, last: &[Query<'_>], each: &mut dyn FnMut(usize, &Row<'_>) -> Step<()>) -> Step<()>;
}

/// Makes a session.
pub(crate) type Open<C> = Arc<dyn Fn() -> Step<C> + Send + Sync>;

/// A request that waits for a thread.
type Waiting<C> = Box<dyn FnOnce(&mut Place<C>) + Send>;

/// A few sessions that serve one kind of request.
pub(crate) struct Lane<C> {
    shared: Arc<Shared<C>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// What each thread's session does.
    uses: Vec<Arc<Use>>,
}

struct Shared<C> {
    queue: Mutex<Queue<C>>,
    arrived: Condvar,
}

struct Queue<C> {
    requests: VecDeque<Waiting<C>>,
    closing: bool,
}

/// What a session does: [`CLOSED`], [`IDLE`] or [`BUSY`].
type Use = AtomicU8;
const CLOSED: u8 = 0;
const IDLE: u8 = 1;
const BUSY: u8 = 2;

/// Where a thread keeps its session.
struct Place<C> {
    open: Open<C>,
    /// The server's name for messages, without a password.
    name: Arc<str>,
    session: Option<Session<C>>,
}

/// The same work, refused where its turn comes so late: whoever asked has given up, or decided anew, and what was wanted then may be
/// wrong by now.
pub(crate) fn within<C, T>(
    patience: Duration,
    operation: &'static str,
    mut work: impl FnMut(&mut Session<C>) -> Step<T> + Send + 'static,
) -> impl FnMut(&mut Session<C>) -> Step<T> + Send + 'static {
    let asked = Instant::now();
    move |session| {
        let waited = asked.elapsed();
        if waited > patience {
            let source = format!("it waited for {} s, and was not begun", waited.as_secs()).into();
            return Err(Error::Unavailable { operation, source }.into());
        }
        work(session)
    }
}

impl<C: Server> Lane<C> {
    /// Starts threads of a name. Each opens its session when it is first needed.
    pub(crate) fn start(thread: &str, store: &Arc<str>, sessions: usize, open: Open<C>) -> std::io::Result<Self> {
        let queue = Queue { requests: VecDeque::new(), closing: false };
        let shared = Arc::new(Shared { queue: Mutex::new(queue), arrived: Condvar::new() });
        let uses = (0..sessions).map(|_| Arc::default()).collect();
        let lane = Self { shared, threads: Mutex::default(), uses };
        for used in &lane.uses {
            let used = Arc::clone(used);
            let (open, name, shared) = (Arc::clone(&open), Arc::clone(store), Arc::clone(&lane.shared));
            let builder = std::thread::Builder::new().name(thread.to_owned());
            let thread = builder.spawn(move || {
                let mut place = Place { open, name, session: None };
                while let Some(request) = shared.wait() {
                    used.store(BUSY, Ordering::Relaxed);
                    request(&mut place);
                    used.store(if place.session.is_some() { IDLE } else { CLOSED }, Ordering::Relaxed);
                }
            })?;
            lane.threads().push(thread);
        }
        Ok(lane)
    }

    /// Does `work` in a transaction. It may be done several times, until one of them is kept; the last answer counts.
    pub(crate) async fn call<T: Send + 'static>(
        &self,
        operation: &'static str,
        work: impl FnMut(&mut Session<C>) -> Step<T> + Send + 'static,
    ) -> Result<T> {
        self.call_then(operation, work, |_| {}).await
    }

    /// The same, and hands what came of it to `then`, also where whoever asked has stopped waiting.
    async fn call_then<T: Send + 'static>(
        &self,
        operation: &'static str,
        work: impl FnMut(&mut Session<C>) -> Step<T> + Send + 'static,
        then: impl FnOnce(&Result<T>) + Send + 'static,
    ) -> Result<T> {
        self.send_then(operation, work, then)?.await.unwrap_or(Err(Error::Closed))
    }

    /// The same, for whoever need not wait for the answer.
    pub(crate) fn send<T: Send + 'static>(
        &self,
        operation: &'static str,
        work: impl FnMut(&mut Session<C>) -> Step<T> + Send + 'static,
    ) -> Result<oneshot::Receiver<Result<T>>> {
        self.send_then(operation, work, |_| {})
    }

    fn send_then<T: Send + 'static>(
        &self,
        operation: &'static str,
        work: impl FnMut(&mut Session<C>) -> Step<T> + Send + 'static,
        then: impl FnOnce(&Result<T>) + Send + 'static,
    ) -> Result<oneshot::Receiver<Result<T>>> {
        let (reply, answer) = oneshot::channel();
        let request = move |place: &mut Place<C>| {
            let done = place.serve(operation, work);
            then(&done);
            // Whoever asked may have stopped waiting.
            let _heard = reply.send(done);
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
        Ok(answer)
    }
}

impl<C> Lane<C> {
    fn is_closing(&self) -> bool {
        self.shared.queue().closing
    }

    /// Serves what waits and closes the sessions. Blocks for as long as that takes.
    fn close(&self) {
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

impl<C> Drop for Lane<C> {
    fn drop(&mut self) {
        self.close();
    }
}

impl<C> Shared<C> {
    fn queue(&self) -> MutexGuard<'_, Queue<C>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self) -> Option<Waiting<C>> {
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

impl<C: Server> Place<C> {
    /// Does a request, and says in the caller's words what came of it.
    fn serve<T>(&mut self, operation: &'static str, mut work: impl FnMut(&mut Session<C>) -> Step<T>) -> Result<T> {
        let mut tries = 1;
        loop {
            let done = catch_unwind(AssertUnwindSafe(|| self.transact(&mut work)));
            let done = done.unwrap_or_else(|_| {
                self.session = None;
                Err(Fault::Panicked)
            });
            match done {
                Err(fault) if tries < TRIES && C::is_passing(&fault) => tries += 1,
                Err(fault) if tries == 1 && C::is_lost(&fault) => tries += 1,
                done => return done.map_err(|fault| fault.into_error(operation, &self.name)),
            }
        }
    }

    /// Does a request once, in a transaction. After an error the session is closed, unless the request was refused.
    fn transact<T>(&mut self, work: &mut impl FnMut(&mut Session<C>) -> Step<T>) -> Step<T> {
        let session = self.session()?;
        let done = work(session).and_then(|value| {
            session.connection.commit().map_err(Fault::of_commit)?;
            Ok(value)
        });
        let undone = match &done {
            Ok(_) => return done,
            Err(Fault::Refused(_) | Fault::Unreadable(_)) => session.connection.roll_back(),
            Err(fault) if C::is_passing(fault) => session.connection.roll_back(),
            Err(_) => Err(Fault::Broken(String::new())),
        };
        session.forget();
        if undone.is_err() {
            self.session = None;
        }
        done
    }

    fn session(&mut self) -> Step<&mut Session<C>> {
        if self.session.as_ref().is_some_and(|session| session.connection.is_closed()) {
            self.session = None;
        }
        match &mut self.session {
            Some(session) => Ok(session),
            vacant => Ok(vacant.insert(Session::new((self.open)()?))),
        }
    }
}

/// The lanes of a store on a server: each kind of work has sessions and limits of its own.
pub(crate) struct Lanes<C> {
    pub(crate) renewals: Lane<C>,
    pub(crate) leases: Lane<C>,
    pub(crate) fires: Lane<C>,
    pub(crate) ends: Lane<C>,
    pub(crate) claims: Lane<C>,
    pub(crate) logs: Lane<C>,
    pub(crate) requests: Lane<C>,
    pub(crate) engine_reads: Lane<C>,
    pub(crate) reads: Lane<C>,
    pub(crate) counts: Lane<C>,
}

impl<C: Server> Lanes<C> {
    /// See [`backend::Backend::write`]. Wakes `changed` after changes that the engine has to hear of.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        lane: backend::Lane,
        changed: &Arc<Notify>,
        operation: &'static str,
        mut work: impl FnMut(&mut Session<C>) -> Step<T> + Send + 'static,
    ) -> Result<T> {
        let lane = match lane {
            backend::Lane::Fire => &self.fires,
            backend::Lane::Complete => &self.ends,
            backend::Lane::Claim => &self.claims,
            backend::Lane::Log => &self.logs,
            backend::Lane::Api => &self.requests,
        };
        let with_wake = move |session: &mut Session<C>| {
            let value = work(session)?;
            let (wakes, tells) = (std::mem::take(&mut session.wakes), std::mem::take(&mut session.tells));
            if wakes || tells {
                session.connection.announce()?;
            }
            if std::mem::take(&mut session.stirs) {
                session.connection.stir()?;
            }
            Ok((value, wakes))
        };
        let changed = Arc::clone(changed);
        let wake = move |done: &Result<(T, bool)>| {
            // Of what failed nobody knows whether it was kept; what was refused was not.
            if matches!(done, Ok((_, true)) | Err(Error::Unavailable { .. })) {
                changed.notify_one();
            }
        };
        lane.call_then(operation, with_wake, wake).await.map(|(value, _)| value)
    }

    /// See [`backend::Backend::read`].
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        lane: backend::ReadLane,
        operation: &'static str,
        mut work: impl FnMut(&C) -> Step<T> + Send + 'static,
    ) -> Result<T> {
        let lane = match lane {
            backend::ReadLane::Engine => &self.engine_reads,
            backend::ReadLane::Requests => &self.reads,
            backend::ReadLane::Counts => &self.counts,
        };
        lane.call(operation, move |session| work(&session.connection)).await
    }

    /// How many sessions they have at most.
    pub(crate) fn sessions(&self) -> usize {
        self.all().map(|lane| lane.uses.len()).sum()
    }

    /// What they do now.
    pub(crate) fn connections(&self) -> Connections {
        let mut connections = Connections::default();
        for used in self.all().flat_map(|lane| &lane.uses) {
            match used.load(Ordering::Relaxed) {
                BUSY => connections.busy += 1,
                IDLE => connections.idle += 1,
                _ => {}
            }
        }
        connections
    }

    fn all(&self) -> impl Iterator<Item = &Lane<C>> {
        self.writing().into_iter().chain([&self.engine_reads, &self.reads, &self.counts])
    }

    const fn writing(&self) -> [&Lane<C>; 7] {
        [&self.renewals, &self.leases, &self.fires, &self.ends, &self.claims, &self.logs, &self.requests]
    }

    /// See [`backend::Backend::end`]. Blocks until what waits is served.
    pub(crate) fn close(&self) -> Result<()> {
        let lanes = self.writing();
        if lanes.iter().any(|lane| lane.is_closing()) {
            return Err(Error::Closed);
        }
        self.all().for_each(Lane::close);
        Ok(())
    }
}
