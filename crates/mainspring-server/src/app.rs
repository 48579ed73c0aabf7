//! What every handler can reach.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mainspring_core::JobId;
use mainspring_core::job::JobKey;
use mainspring_engine::{Control, Engine};
use mainspring_schedule::Timestamp;
use mainspring_store::WorkerToken;
use mainspring_tasks::OutboundPolicy;
use rustc_hash::FxHashMap;
use tokio::sync::{Notify, Semaphore, watch};

use crate::access::Access;
use crate::alerts::Alerts;
use crate::figures::Figures;
use crate::forward::client::Forwarder;
use crate::grouped::Grouped;
use crate::guesses::Guesses;
use crate::live::Live;
use crate::refusal::Answer;
use crate::seats::Source;
use crate::shards::Moves;
use crate::xxl::Xxl;

/// Event streams and followed logs at a time.
pub(crate) const STREAMS_MAX: usize = 256;
/// Streams of browsers at a time: they read nothing from the store.
pub(crate) const LIVE_MAX: usize = 2_000;
/// Operations over many jobs at a time.
pub(crate) const OPERATIONS_MAX: usize = 4;
/// Requests at a time that run to their end even if their caller goes away.
pub(crate) const DEEDS_MAX: u32 = 1_024;
/// For how long the tokens of workers are not read again: one that is revoked through another node opens for that long.
const TOKENS_KEPT: Duration = Duration::from_secs(1);
/// Keys of jobs remembered for events.
const KEYS_MAX: usize = 100_000;

/// The state of the router. Cheap to clone.
pub(crate) type App = Arc<Inner>;

pub(crate) struct Inner {
    pub(crate) engine: Arc<Engine>,
    pub(crate) access: Access,
    pub(crate) figures: Figures,
    /// Zone of triggers that name none.
    pub(crate) default_timezone: String,
    pub(crate) node_name: String,
    pub(crate) slots: u32,
    pub(crate) started_at: Timestamp,
    /// True from the moment at which streams have to end.
    pub(crate) closing: watch::Receiver<bool>,
    pub(crate) streams: Arc<Semaphore>,
    /// What streams of browsers say, and how many there may be.
    pub(crate) live: Arc<Live>,
    pub(crate) live_seats: Arc<Semaphore>,
    pub(crate) operations: Arc<Semaphore>,
    pub(crate) shard_moves: Moves,
    /// One permit for each such request, so that a stop can wait for them.
    pub(crate) deeds: Arc<Semaphore>,
    /// Idempotency keys whose request is at work on this node.
    pub(crate) at_work: Mutex<HashSet<String>>,
    pub(crate) job_keys: Mutex<FxHashMap<JobId, JobKey>>,
    /// Is woken when there may be something to send to a webhook that this node would not notice by itself.
    pub(crate) webhooks: Notify,
    pub(crate) alerts: Alerts,
    /// What dashboards were shown last.
    pub(crate) dashboards: crate::dashboard::Cache,
    /// Requests with tokens that open nothing, by where they come from.
    pub(crate) refused: Grouped<Source>,
    pub(crate) guesses: Guesses,
    /// Requests that failed, by route and status.
    pub(crate) failed: Grouped<(String, u16)>,
    /// The tokens of workers, and when they were read.
    pub(crate) tokens: Mutex<Option<(Instant, Tokens)>>,
    pub(crate) xxl: Xxl,
    pub(crate) forwarder: Forwarder,
}

/// The tokens of workers.
pub(crate) type Tokens = Arc<[Arc<WorkerToken>]>;

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner").field("node_name", &self.node_name).finish_non_exhaustive()
    }
}

impl Inner {
    /// The state of a server over a new store in memory, for tests.
    #[cfg(test)]
    pub(crate) async fn in_memory(closing: watch::Receiver<bool>) -> App {
        let store = Arc::new(mainspring_store::MemoryStore::new());
        let engine = Engine::start(store, mainspring_engine::Settings::default()).await.unwrap();
        let opened = Access::open(&**engine.store(), &crate::settings::Settings::default()).await.unwrap();
        Arc::new(Self::new(Arc::new(engine), opened.access, closing, ("UTC".into(), "a".into(), 1)))
    }

    /// The state of a server over an engine that begins now, and ends streams when `closing` says so.
    pub(crate) fn new(
        engine: Arc<Engine>,
        access: Access,
        closing: watch::Receiver<bool>,
        (default_timezone, node_name, slots): (String, String, u32),
    ) -> Self {
        Self {
            figures: Figures::new(engine.metrics(), &node_name),
            access,
            default_timezone,
            node_name,
            slots,
            started_at: engine.control().now(),
            closing,
            streams: Arc::new(Semaphore::new(STREAMS_MAX)),
            live: Arc::new(Live::new()),
            live_seats: Arc::new(Semaphore::new(LIVE_MAX)),
            operations: Arc::new(Semaphore::new(OPERATIONS_MAX)),
            shard_moves: Moves::default(),
            deeds: Arc::new(Semaphore::new(DEEDS_MAX as usize)),
            at_work: Mutex::default(),
            job_keys: Mutex::default(),
            webhooks: Notify::new(),
            alerts: Alerts::default(),
            dashboards: crate::dashboard::Cache::default(),
            refused: Grouped::default(),
            guesses: Guesses::default(),
            failed: Grouped::default(),
            tokens: Mutex::default(),
            xxl: Xxl::new(OutboundPolicy::default()),
            forwarder: Forwarder::default(),
            engine,
        }
    }

    pub(crate) fn control(&self) -> &Control {
        self.engine.control()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.control().now()
    }

    /// The tokens of workers, as they were a moment ago.
    pub(crate) async fn worker_tokens(&self) -> Answer<Tokens> {
        let known = self.tokens.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, tokens)) = known.filter(|(read, _)| read.elapsed() < TOKENS_KEPT) {
            return Ok(tokens);
        }
        let read = Instant::now();
        let tokens: Tokens = self.control().store().worker_tokens().await?.into_iter().map(Arc::new).collect();
        *self.tokens.lock().unwrap_or_else(PoisonError::into_inner) = Some((read, Arc::clone(&tokens)));
        Ok(tokens)
    }

    /// Reads the tokens of workers anew the next time.
    pub(crate) fn forget_tokens(&self) {
        *self.tokens.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The key of a job, if an event has told it before.
    pub(crate) fn known_key(&self, job: JobId) -> Option<JobKey> {
        self.job_keys.lock().unwrap_or_else(PoisonError::into_inner).get(&job).cloned()
    }

    pub(crate) fn remember_key(&self, job: JobId, key: JobKey) {
        let mut keys = self.job_keys.lock().unwrap_or_else(PoisonError::into_inner);
        if keys.len() >= KEYS_MAX {
            keys.clear();
        }
        keys.insert(job, key);
    }
}
