//! Plays the worker for one executor: polls for it, starts what it is given, and says what it has.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mainspring_core::{Incarnation, RunId};
use mainspring_engine::{Poll, WorkerError};
use mainspring_store::{Document, DocumentExpect, Error as StoreError, WorkerInfo, causes};
use mainspring_xxl::{Admission, Gate, GateLimits, Stop};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::attempt::{self, Attempt};
use super::executors::Key;
use super::{ledger, lock, rest};
use crate::access::to_hex;
use crate::app::App;

/// The kind of the documents that say which worker stands for which executor.
const KIND: &str = "xxl_worker";
/// Pause before the store is asked again.
const AGAIN: Duration = Duration::from_millis(500);
/// How long another node is left alone that serves an executor.
const ELSEWHERE_MS: i64 = 5_000;
/// How long a poll waits: then the executor is looked at again.
const WAIT_MS: u64 = 8_000;

/// What this node does for one executor.
#[derive(Debug)]
pub(super) struct Hand {
    pub(super) key: Key,
    state: Mutex<State>,
    /// Counts what a poll that is under way does not know.
    changed: watch::Sender<u64>,
}

#[derive(Debug)]
struct State {
    worker: Option<Incarnation>,
    attempts: BTreeMap<(RunId, u32), Arc<Attempt>>,
    gate: Gate,
}

/// Which worker stands for an executor, and which process start plays it.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Stand {
    pub(super) app: String,
    pub(super) address: String,
    #[serde(with = "ledger::hex")]
    worker: Incarnation,
    #[serde(with = "ledger::hex")]
    node: Incarnation,
    /// Whether it speaks the dialect that names its app, which a beat would tell.
    #[serde(default)]
    pub(super) names_app: bool,
}

impl Hand {
    pub(super) fn new(key: Key) -> Self {
        let state = State { worker: None, attempts: BTreeMap::new(), gate: Gate::new(GateLimits::default()) };
        Self { key, state: Mutex::new(state), changed: watch::Sender::new(0) }
    }

    pub(super) fn worker(&self) -> Option<Incarnation> {
        lock(&self.state).worker
    }

    /// How many runs it has.
    pub(super) fn running(&self) -> u32 {
        u32::try_from(lock(&self.state).attempts.len()).unwrap_or(u32::MAX)
    }

    /// Has its poll begun again.
    pub(super) fn note_change(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    /// Asks to send a request.
    pub(super) fn admit(&self, now_ms: i64) -> Admission {
        lock(&self.state).gate.admit(now_ms)
    }

    /// Notes that a request was answered.
    pub(super) fn answered(&self) {
        lock(&self.state).gate.answered();
    }

    /// Notes that a request was admitted and not made.
    pub(super) fn unsent(&self) {
        self.answered();
    }

    /// Notes that a request was not answered.
    pub(super) fn failed(&self, now_ms: i64) {
        lock(&self.state).gate.failed(now_ms);
        self.note_change();
    }

    /// Notes that the executor was heard by itself.
    pub(super) fn heard(&self, now_ms: i64) {
        let mut state = lock(&self.state);
        if state.gate.is_open() {
            state.gate.heard(now_ms);
            drop(state);
            self.note_change();
        }
    }

    /// Takes an attempt out that is over.
    pub(super) fn take(&self, attempt: &Arc<Attempt>) {
        let mut state = lock(&self.state);
        let key = (attempt.run, attempt.attempt);
        if state.attempts.get(&key).is_some_and(|there| Arc::ptr_eq(there, attempt)) {
            state.attempts.remove(&key);
        }
        drop(state);
        self.note_change();
    }

    /// The next question of its worker.
    fn question(&self, number: u64, takes: u32) -> Poll {
        let state = lock(&self.state);
        let holds: Vec<(RunId, u32)> = state.attempts.keys().copied().collect();
        let has = u32::try_from(holds.len()).unwrap_or(u32::MAX);
        let free = if state.gate.is_open() { 0 } else { takes.saturating_sub(has) };
        Poll { number, free, holds, wait_ms: Some(WAIT_MS) }
    }
}

/// Plays the worker until the executor is gone, another node plays it, or the server closes.
pub(super) async fn play(app: App, hand: Arc<Hand>) {
    let mut attempts = JoinSet::new();
    let mut number = app.now().as_millis().unsigned_abs();
    let (mut changed, mut closing) = (hand.changed.subscribe(), app.closing.clone());
    while !*closing.borrow() {
        while attempts.try_join_next().is_some() {}
        changed.mark_unchanged();
        let now_ms = app.xxl.now_ms();
        let takes = match fate(&app, &hand, now_ms).await {
            Ok(Some(takes)) => takes,
            Ok(None) => match leave(&app, &hand).await {
                Ok(()) => break,
                Err(error) => {
                    trouble(&app, "leave", &error).await;
                    continue;
                }
            },
            Err(error) => {
                trouble(&app, "read the apps", &error).await;
                continue;
            }
        };
        let worker = match hand.worker() {
            Some(worker) => worker,
            None => match claim(&app, &hand, takes).await {
                Ok(Some(worker)) => {
                    lock(&hand.state).worker = Some(worker);
                    worker
                }
                Ok(None) => {
                    app.xxl.executors().note_elsewhere(&hand.key, now_ms + ELSEWHERE_MS);
                    break;
                }
                Err(WorkerError::Draining) => {
                    if !rest(&app, AGAIN).await {
                        break;
                    }
                    continue;
                }
                Err(error) => {
                    trouble(&app, "join", &error).await;
                    continue;
                }
            },
        };
        number += 1;
        let poll = app.engine.workers().poll(worker, hand.question(number, takes));
        let told = tokio::select! {
            told = poll => told,
            () = async { if changed.changed().await.is_err() { std::future::pending().await } } => continue,
            () = crate::server::closed(&mut closing) => break,
        };
        match told {
            Ok(told) => {
                for given in told.runs {
                    let key = (given.start.run, given.start.attempt);
                    let attempt = Arc::new(Attempt::new(key.0, key.1));
                    // One that is here already was given again because the answer before was not heard.
                    if let std::collections::btree_map::Entry::Vacant(free) = lock(&hand.state).attempts.entry(key) {
                        free.insert(Arc::clone(&attempt));
                        attempts.spawn(attempt::run(App::clone(&app), Arc::clone(&hand), attempt, given));
                    }
                }
                for run in told.end {
                    let state = lock(&hand.state);
                    state.attempts.values().filter(|one| one.run == run).for_each(|one| one.ask_stop(Stop::Kill));
                }
                if told.draining && !rest(&app, AGAIN).await {
                    break;
                }
            }
            Err(WorkerError::NotFound(_)) => {
                tracing::warn!(app = hand.key.0, address = %hand.key.1, "what an executor has is lost: its worker was taken for dead");
                attempts.shutdown().await;
                let gone = {
                    let mut state = lock(&hand.state);
                    state.worker = None;
                    std::mem::take(&mut state.attempts)
                };
                forget(&app, gone.into_values());
            }
            Err(WorkerError::Stale) => number = number.max(app.now().as_millis().unsigned_abs()) + 1_000,
            Err(WorkerError::Draining) => {
                if !rest(&app, AGAIN).await {
                    break;
                }
            }
            Err(error) => trouble(&app, "ask for work", &error).await,
        }
    }
    // What is under way waits for the executor, and not for this process.
    attempts.shutdown().await;
    forget(&app, std::mem::take(&mut lock(&hand.state).attempts).into_values());
    lock(&app.xxl.hands).remove(&hand.key);
}

/// Forgets attempts that nothing more is done for here. Their callbacks find them in the ledger.
fn forget(app: &App, attempts: impl Iterator<Item = Arc<Attempt>>) {
    let mut known = lock(&app.xxl.attempts);
    attempts.filter_map(|attempt| attempt.log_id()).for_each(|log_id| _ = known.remove(&log_id));
}

async fn trouble(app: &App, what: &str, error: &WorkerError) {
    tracing::warn!(error = %causes(error), "could not {what} for an executor; trying again");
    rest(app, AGAIN).await;
}

/// How many runs an executor is to have; nothing: it is to have none any more, and its worker leaves.
async fn fate(app: &App, hand: &Hand, now_ms: i64) -> Result<Option<u32>, WorkerError> {
    let apps = app.xxl.apps.read(&**app.control().store(), app.now()).await?;
    let Some(row) = apps.get(&hand.key.0) else { return Ok(None) };
    let executors = app.xxl.executors();
    Ok(if executors.is_alive(&hand.key, now_ms) {
        Some(row.kept.slots)
    } else {
        // One that goes still reports what it has; so does one whose handler keeps it from saying that it is there.
        (hand.running() > 0 && executors.is_heard(&hand.key, now_ms)).then_some(0)
    })
}

/// Becomes the worker that stands for an executor, or goes on as it. Nothing: another node is it.
async fn claim(app: &App, hand: &Hand, slots: u32) -> Result<Option<Incarnation>, WorkerError> {
    let (store, now, me) = (app.control().store(), app.now(), app.engine.incarnation());
    let name = name_of(&hand.key);
    let there = store.document(KIND, &name, now).await?;
    let stand = there.as_ref().and_then(|document| serde_json::from_str::<Stand>(&document.body).ok());
    if stand.as_ref().is_some_and(|stand| stand.node != me && is_alive(app, stand.node)) {
        return Ok(None);
    }
    let expect = there.map_or(DocumentExpect::Absent, |document| DocumentExpect::Version(document.version));
    let (known, written, names_app) = {
        let executors = app.xxl.executors();
        let dialect = executors.find(&hand.key).and_then(mainspring_xxl::Instance::dialect);
        (stand.map(|stand| stand.worker), executors.written(&hand.key), dialect == Some(mainspring_xxl::Dialect::V3_5))
    };
    let resumed = match known {
        Some(worker) if store.worker(worker).await?.is_some() => Some(worker),
        _ => None,
    };
    let worker = match resumed {
        Some(worker) => worker,
        None => {
            let about = WorkerInfo {
                id: Incarnation(0),
                name: written.clone(),
                queues: vec![mainspring_api::XxlTask::queue(&hand.key.0)],
                labels: BTreeMap::new(),
                slots,
                version: Some("XXL-JOB".to_owned()),
                token: None,
                node: me,
                joined_at: now,
            };
            app.engine.workers().join(about).await?
        }
    };
    let stand = Stand { app: hand.key.0.clone(), address: written, worker, node: me, names_app };
    let body = serde_json::to_string(&stand).expect("plain data has a text");
    let document = Document { kind: KIND.to_owned(), name, body, version: 0, at: now, expires_at: None };
    if store.put_document(document, expect).await?.is_some() {
        return Ok(Some(worker));
    }
    if resumed.is_none() {
        app.engine.workers().leave(worker).await?;
    }
    Ok(None)
}

/// Ends the worker of an executor: what it has is lost.
async fn leave(app: &App, hand: &Hand) -> Result<(), WorkerError> {
    tracing::info!(app = hand.key.0, address = %hand.key.1, runs = hand.running(), "an executor is gone");
    app.control().store().remove_document(KIND, &name_of(&hand.key)).await?;
    if let Some(worker) = hand.worker() {
        match app.engine.workers().leave(worker).await {
            Ok(()) | Err(WorkerError::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The executors that workers stand for.
pub(super) async fn stands(app: &App) -> Result<Vec<Stand>, StoreError> {
    let (mut stands, mut after): (Vec<Stand>, Option<String>) = (Vec::new(), None);
    loop {
        let page = app.control().store().documents(KIND, after.as_deref(), app.now(), PAGE).await?;
        stands.extend(page.iter().filter_map(|document| serde_json::from_str(&document.body).ok()));
        let Some(last) = page.last().filter(|_| page.len() == PAGE as usize) else { return Ok(stands) };
        after = Some(last.name.clone());
    }
}

/// Documents that are read at a time.
const PAGE: u32 = 1_000;

/// Whether another process start is at work.
fn is_alive(app: &App, node: Incarnation) -> bool {
    app.engine.cluster_status().is_some_and(|status| status.nodes.iter().any(|one| one.row.incarnation == node))
}

/// The name of an executor's document: addresses may be longer than names.
fn name_of((app, address): &Key) -> String {
    to_hex(&Sha256::digest(format!("{app}\n{address}")))
}
