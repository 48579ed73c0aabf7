//! Plays the worker for one executor: polls for it, starts what it is given, and says what it has.

mod hand;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use mainspring_core::Incarnation;
use mainspring_core::cluster::Status;
use mainspring_engine::WorkerError;
use mainspring_store::{Document, DocumentExpect, Error as StoreError, WorkerInfo, causes};
use mainspring_xxl::{Admission, Stop};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinSet;

use super::attempt::{self, Attempt};
use super::executors::{Executors, Key};
use super::ledger;
use super::sync::lock;
use crate::access::to_hex;
use crate::app::App;
use crate::closing::rest;
pub(super) use hand::Hand;

/// The kind of the documents that say which worker stands for which executor.
pub(super) const KIND: &str = "xxl_worker";
/// Pause before the store is asked again.
const AGAIN: Duration = Duration::from_millis(500);
/// How long another node is left alone that serves an executor.
const ELSEWHERE_MS: i64 = 5_000;
/// After how many milliseconds one may ask again where there is no room.
const FULL_MS: i64 = 50;

/// Which worker stands for an executor, and which process start plays it.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Stand {
    pub(super) app: String,
    pub(super) address: String,
    #[serde(with = "ledger::hex")]
    worker: Incarnation,
    #[serde(with = "ledger::hex")]
    pub(super) node: Incarnation,
    /// Whether it speaks the dialect that names its app, which a beat would tell.
    #[serde(default)]
    pub(super) names_app: bool,
}

/// Leave to send one request to an executor. Whatever becomes of its holder, the gate hears of it: a request that was sent and of which
/// nothing more is said had no answer.
pub(super) struct Permit {
    app: App,
    /// What this node does for the executor. Nothing, if it does not serve it: then nothing is counted here.
    hand: Option<Arc<Hand>>,
    is_sent: bool,
    /// Its place among all that this node sends.
    _room: OwnedSemaphorePermit,
}

impl Permit {
    /// Asks for it.
    ///
    /// # Errors
    /// It may not go now; in so many milliseconds it may ask again.
    pub(super) fn ask(app: &App, hand: Option<Arc<Hand>>) -> Result<Self, i64> {
        let now_ms = app.xxl.now_ms();
        let Ok(room) = Arc::clone(&app.xxl.sends).try_acquire_owned() else { return Err(FULL_MS) };
        match hand.as_ref().map_or(Admission::Go, |hand| hand.admit(now_ms)) {
            Admission::Go => Ok(Self { app: App::clone(app), hand, is_sent: false, _room: room }),
            Admission::Full => Err(FULL_MS),
            Admission::Open { until } => Err((until - now_ms).clamp(FULL_MS, 1_000)),
        }
    }

    /// Notes that the request goes now.
    pub(super) fn sends(&mut self) {
        self.is_sent = true;
    }

    /// Notes that the request was answered.
    pub(super) fn answered(mut self) {
        self.hand.take().iter().for_each(|hand| hand.answered());
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let Some(hand) = self.hand.take() else { return };
        let now_ms = self.app.xxl.now_ms();
        if self.is_sent {
            hand.failed(now_ms);
        } else {
            hand.unsent(now_ms);
        }
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
                Ok(Some((worker, place))) => {
                    let mut state = lock(&hand.state);
                    (state.worker, state.place) = (Some(worker), place);
                    worker
                }
                Ok(None) => {
                    app.xxl.executors().note_elsewhere(&hand.key, now_ms + ELSEWHERE_MS);
                    break;
                }
                Err(WorkerError::Draining) => {
                    if !rest(&app.closing, AGAIN).await {
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
        if let Err(error) = place(&app, &hand, worker).await {
            trouble(&app, "set the place of a worker", &error).await;
        }
        number += 1;
        let poll = app.engine.workers().poll(worker, hand.question(number, takes));
        let told = tokio::select! {
            told = poll => told,
            () = async { if changed.changed().await.is_err() { std::future::pending().await } } => continue,
            () = crate::closing::closed(&mut closing) => break,
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
                if told.draining && !rest(&app.closing, AGAIN).await {
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
                if !rest(&app.closing, AGAIN).await {
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
    rest(&app.closing, AGAIN).await;
}

/// How many runs an executor is to have; nothing: it is to have none any more, and its worker leaves.
async fn fate(app: &App, hand: &Hand, now_ms: i64) -> Result<Option<u32>, WorkerError> {
    let apps = app.xxl.apps.read(&**app.control().store(), app.now()).await?;
    let Some(row) = apps.get(&hand.key.0) else { return Ok(None) };
    let executors = app.xxl.executors();
    Ok(if executors.is_alive(&hand.key, now_ms) {
        Some(row.kept.slots)
    } else {
        awaits(&executors, hand, now_ms).then_some(0)
    })
}

/// Whether ends of an executor's runs may still be reported, though it takes no more: one that goes still reports what it has; so does
/// one whose handler keeps it from saying that it is there, and another one of the app that has a run in its place.
fn awaits(executors: &Executors, hand: &Hand, now_ms: i64) -> bool {
    hand.holders().iter().any(|holder| executors.is_heard(holder, now_ms))
}

/// Has the worker stand where people have entered the address of its executor.
async fn place(app: &App, hand: &Hand, worker: Incarnation) -> Result<(), WorkerError> {
    let wanted = {
        let executors = app.xxl.executors();
        if hand.is_placed(&executors) {
            return Ok(());
        }
        executors.place(&hand.key)
    };
    match app.engine.workers().place(worker, wanted).await {
        // The poll finds out that it is gone.
        Ok(()) | Err(WorkerError::NotFound(_)) => lock(&hand.state).place = wanted,
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Becomes the worker that stands for an executor, or goes on as it, and says which it is and its place. Nothing: another node is it.
async fn claim(app: &App, hand: &Hand, slots: u32) -> Result<Option<(Incarnation, Option<u32>)>, WorkerError> {
    let (store, now, me) = (app.control().store(), app.now(), app.engine.incarnation());
    let name = name_of(&hand.key);
    let there = store.document(KIND, &name, now).await?;
    let stand = there.as_ref().and_then(|document| serde_json::from_str::<Stand>(&document.body).ok());
    if stand.as_ref().is_some_and(|stand| stand.node != me && is_alive(app, stand.node)) {
        return Ok(None);
    }
    let expect = there.map_or(DocumentExpect::Absent, |document| DocumentExpect::Version(document.version));
    let (written, names_app, place) = {
        let executors = app.xxl.executors();
        let dialect = executors.find(&hand.key).and_then(mainspring_xxl::Instance::dialect);
        let names_app = dialect == Some(mainspring_xxl::Dialect::V3_5);
        (executors.written(&hand.key), names_app, executors.place(&hand.key))
    };
    let resumed = match &stand {
        Some(stand) => store.worker(stand.worker).await?,
        None => None,
    };
    let (worker, place) = match &resumed {
        Some(there) => (there.id, there.place),
        None => {
            let about = WorkerInfo {
                id: Incarnation(0),
                name: written.clone(),
                queues: vec![mainspring_api::XxlTask::queue(&hand.key.0)],
                labels: BTreeMap::new(),
                place,
                slots,
                version: Some("XXL-JOB".to_owned()),
                token: None,
                node: me,
                joined_at: now,
            };
            (app.engine.workers().join(about).await?, place)
        }
    };
    let stand = Stand { app: hand.key.0.clone(), address: written, worker, node: me, names_app };
    let body = serde_json::to_string(&stand).expect("plain data has a text");
    let document = Document { kind: KIND.to_owned(), name, body, version: 0, at: now, expires_at: None };
    if store.put_document(document, expect).await?.is_some() {
        return Ok(Some((worker, place)));
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
    app.engine.cluster_status().is_some_and(|status| nodes(&status).contains(&node))
}

/// The process starts that are at work.
pub(super) fn nodes(status: &Status) -> BTreeSet<Incarnation> {
    status.nodes.iter().map(|one| one.row.incarnation).collect()
}

/// The name of an executor's document: addresses may be longer than names.
fn name_of((app, address): &Key) -> String {
    to_hex(&Sha256::digest(format!("{app}\n{address}")))
}

#[cfg(test)]
mod tests {
    use mainspring_core::{JobId, RunId, RunSource};
    use mainspring_schedule::Timestamp;
    use mainspring_xxl::{Address, Credentials, DEAD_MS, GateLimits};
    use tokio::sync::watch;

    use super::super::SENDS_MAX;
    use super::super::executors::Moment;
    use super::*;
    use crate::app::Inner;

    #[tokio::test]
    async fn a_request_that_is_given_up_has_had_no_answer_and_one_that_was_not_made_says_nothing() {
        let app = Inner::in_memory(watch::channel(false).1).await;
        let hand = Arc::new(Hand::new(("mail".to_owned(), Address::parse("http://127.0.0.1:1").unwrap())));
        let ask = || Permit::ask(&app, Some(Arc::clone(&hand)));
        for _ in 0..GateLimits::default().failures_max {
            ask().unwrap().sends();
        }
        assert!(ask().is_err() && lock(&hand.state).gate.is_open());
        hand.heard(app.xxl.now_ms());
        let trying = ask().unwrap();
        assert!(ask().is_err(), "one tries");
        drop(trying);
        let mut trying = ask().expect("another one may try at once");
        trying.sends();
        trying.answered();
        assert!(!lock(&hand.state).gate.is_open());
        assert_eq!(lock(&hand.state).gate.under_way(), 0);
    }

    #[tokio::test]
    async fn a_node_sends_no_more_at_a_time_than_it_has_room_for() {
        let app = Inner::in_memory(watch::channel(false).1).await;
        let hand = |port| {
            let address = Address::parse(&format!("http://127.0.0.1:{port}")).unwrap();
            Arc::new(Hand::new(("mail".to_owned(), address)))
        };
        // One executor has not enough room for all of this, and an executor that another node serves has no gate here.
        let sent: Vec<Permit> = (0..SENDS_MAX).map(|_| Permit::ask(&app, None).unwrap()).collect();
        let other = hand(1);
        assert!(Permit::ask(&app, None).is_err() && Permit::ask(&app, Some(Arc::clone(&other))).is_err());
        assert_eq!(lock(&other.state).gate.under_way(), 0, "nothing is counted where there is no room");
        drop(sent);
        assert!(Permit::ask(&app, Some(other)).is_ok());
    }

    #[test]
    fn a_worker_stays_while_another_executor_has_one_of_its_runs() {
        let key = |port| ("mail".to_owned(), Address::parse(&format!("http://127.0.0.1:{port}")).unwrap());
        let (gone, other) = (key(1), key(2));
        let at = Timestamp::from_millis(1_795_611_057_285);
        let mut executors = Executors::default();
        for (key, ms) in [(&gone, 0), (&other, 10)] {
            executors.beat(key, key.1.as_str(), &Credentials::default(), Moment { ms, at });
        }
        let hand = Hand::new(gone);
        assert!(!awaits(&executors, &hand, 0), "it has nothing");
        let run = RunId::new(at, RunSource::Asked(JobId(7), 1));
        let attempt = Arc::new(Attempt::new(run, 1));
        lock(&hand.state).attempts.insert((run, 1), Arc::clone(&attempt));
        assert!(awaits(&executors, &hand, DEAD_MS), "what is not sent yet is its own");
        assert!(!awaits(&executors, &hand, DEAD_MS + 1));
        attempt.goes_to(other);
        assert!(awaits(&executors, &hand, DEAD_MS + 10), "the other one is still heard");
        assert!(!awaits(&executors, &hand, DEAD_MS + 11));
    }
}
