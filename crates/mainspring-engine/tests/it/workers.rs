//! Workers of other machines, over a store in memory: what they are given, and what becomes of what they say.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use mainspring_core::batch::Queues;
use mainspring_core::job::{Job, JobKey, OnLost, Task};
use mainspring_core::run::{AttemptOutcome, RunState};
use mainspring_core::{Incarnation, RunId, Timestamp};
use mainspring_engine::control::{Ask, SaveMode};
use mainspring_engine::{
    Clock, EndedRun, Engine, Listener, LogPiece, Poll, RemoteEnd, Report, Scope, Settings, StartingRun, SystemClock,
    Told, WorkerError,
};
use mainspring_store::{Expect, MemoryStore, Options, SqliteStore, Store, WorkerInfo};
use mainspring_tasks::{LogLine, Stream};
use tokio::sync::watch;

use crate::kit::{PATIENCE, until};

/// An engine whose own slots take nothing from the queue `remote`.
pub async fn engine(store: Arc<dyn Store>) -> Engine {
    let settings = Settings { queues: Queues::named(["default"]), ..Settings::default() };
    Engine::start(store, settings).await.expect("the engine starts")
}

pub async fn save(engine: &Engine, change: impl FnOnce(&mut Job)) -> JobKey {
    let mut job = Job::new(JobKey::new("default", "job"), Task::Handler { name: "far".into() });
    job.queue = "remote".into();
    change(&mut job);
    let key = job.key.clone();
    engine.control().save(vec![(Arc::new(job), Expect::Anything)], SaveMode::Commit).await.expect("saved");
    key
}

pub async fn ask(engine: &Engine, key: &JobKey) -> RunId {
    engine.control().run_now(key, Ask::default()).await.expect("asked for").id
}

async fn join(engine: &Engine, slots: u32) -> Incarnation {
    join_as(engine, "far", slots, &[]).await
}

pub async fn join_as(engine: &Engine, name: &str, slots: u32, labels: &[(&str, &str)]) -> Incarnation {
    engine.workers().join(about(name, slots, labels)).await.expect("joined")
}

fn about(name: &str, slots: u32, labels: &[(&str, &str)]) -> WorkerInfo {
    WorkerInfo {
        id: Incarnation(0),
        name: name.into(),
        queues: vec!["remote".into()],
        labels: labels.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
        place: None,
        slots,
        version: None,
        token: None,
        node: Incarnation(0),
        joined_at: Timestamp::from_millis(0),
    }
}

pub fn asks(number: u64, free: u32, holds: &[(RunId, u32)]) -> Poll {
    Poll { number, free, holds: holds.to_vec(), wait_ms: Some(2_000) }
}

/// Polls until something is said, from a number on.
pub async fn told(engine: &Engine, worker: Incarnation, from: u64, free: u32, holds: &[(RunId, u32)]) -> (Told, u64) {
    for number in from..from + 60 {
        let told = engine.workers().poll(worker, asks(number, free, holds)).await.expect("answered");
        if !(told.runs.is_empty() && told.end.is_empty()) {
            return (told, number);
        }
    }
    panic!("nothing was said");
}

pub fn ids(told: &Told) -> Vec<RunId> {
    told.runs.iter().map(|given| given.start.run).collect()
}

pub fn end(run: RunId, attempt: u32, outcome: AttemptOutcome) -> RemoteEnd {
    let now = SystemClock.now();
    RemoteEnd { run, attempt, outcome, started_at: Some(now), ended_at: now, detail: None }
}

pub fn ends(ends: Vec<RemoteEnd>) -> Report {
    Report { ends, ..Report::default() }
}

pub async fn is(engine: &Engine, run: RunId, state: RunState) {
    until(state.as_str(), async || (engine.control().run(run).await.expect("there").state == state).then_some(()))
        .await;
}

#[tokio::test]
async fn run_of_its_queue_reaches_the_worker_and_its_end_the_history() {
    let engine = engine(Arc::new(MemoryStore::new())).await;
    let key = save(&engine, |_| {}).await;
    let worker = join(&engine, 4).await;
    // Whoever waits is woken: the run is asked for while the poll is held.
    let workers = engine.workers().clone();
    let held = tokio::spawn(async move { workers.poll(worker, asks(1, 4, &[])).await });
    let run = ask(&engine, &key).await;
    let first = held.await.expect("no panic").expect("answered");
    let (given, number) = if first.runs.is_empty() { told(&engine, worker, 2, 4, &[]).await } else { (first, 1) };
    assert_eq!(ids(&given), [run]);
    assert_eq!(given.runs[0].definition.task, Task::Handler { name: "far".into() });
    assert_eq!(engine.control().run(run).await.expect("there").state, RunState::Running);

    let (again, number) = told(&engine, worker, number + 1, 4, &[]).await;
    assert_eq!(ids(&again), [run], "what it does not name is given to it again");
    let line = |text: &str| LogLine { at_ms: 0, stream: Stream::Stdout, text: text.into(), partial: false };
    let piece = |first_line, lines| LogPiece { run, attempt: 1, first_line, lines };
    let logs = |logs| Report { logs, ..Report::default() };
    let workers = engine.workers();
    workers.report(worker, logs(vec![piece(0, vec![line("a"), line("b")])])).await.expect("reported");
    workers
        .report(worker, logs(vec![piece(1, vec![line("b"), line("c")])]))
        .await
        .expect("what is known is passed over");
    let gap = workers.report(worker, logs(vec![piece(9, vec![line("z")])])).await;
    assert!(matches!(gap, Err(WorkerError::LogGap { expected: 3, given: 9, .. })), "{gap:?}");

    let done = ends(vec![end(run, 1, AttemptOutcome::Succeeded)]);
    assert_eq!(workers.report(worker, done.clone()).await.expect("reported"), []);
    assert_eq!(engine.control().run(run).await.expect("there").state, RunState::Succeeded, "recorded when answered");
    assert_eq!(workers.report(worker, done).await.expect("reported"), [(run, 1)], "once");
    let chunks = engine.store().log(run, 1, 0, 10_000).await.expect("log");
    assert_eq!(chunks.iter().map(|chunk| (chunk.first_line, chunk.line_count)).collect::<Vec<_>>(), [(0, 2), (2, 1)]);
    let quiet = Poll { wait_ms: Some(0), ..asks(number + 1, 4, &[]) };
    assert!(workers.poll(worker, quiet).await.expect("answered").runs.is_empty(), "it is out of its hands");
}

#[tokio::test]
async fn worker_gets_as_many_as_it_has_slots_and_others_the_rest() {
    let engine = engine(Arc::new(MemoryStore::new())).await;
    let key = save(&engine, |_| {}).await;
    let (small, large) = (join(&engine, 2).await, join(&engine, 9).await);
    let mut runs = Vec::new();
    for _ in 0..5 {
        runs.push(ask(&engine, &key).await);
    }
    let (first, number) = told(&engine, small, 1, 9, &[]).await;
    assert_eq!(first.runs.len(), 2, "however many it asks for");
    let holds: Vec<_> = ids(&first).into_iter().map(|run| (run, 1)).collect();
    let full = Poll { wait_ms: Some(0), ..asks(number + 1, 9, &holds) };
    assert!(engine.workers().poll(small, full).await.expect("answered").runs.is_empty());
    let (rest, _) = told(&engine, large, 1, 9, &[]).await;
    assert_eq!(rest.runs.len(), 3);
    let mut all = [ids(&first), ids(&rest)].concat();
    all.sort_unstable();
    runs.sort_unstable();
    assert_eq!(all, runs, "each once");
}

#[tokio::test]
async fn end_that_is_asked_for_is_told_with_the_poll() {
    let engine = engine(Arc::new(MemoryStore::new())).await;
    let key = save(&engine, |_| {}).await;
    let worker = join(&engine, 1).await;
    let run = ask(&engine, &key).await;
    let (given, number) = told(&engine, worker, 1, 1, &[]).await;
    assert_eq!(ids(&given), [run]);
    engine.control().cancel(run, "enough").await.expect("cancelled");
    let (ended, _) = told(&engine, worker, number + 1, 0, &[(run, 1)]).await;
    assert_eq!((ended.end.as_slice(), ended.runs.len()), (&[run][..], 0));
    let cancelled = ends(vec![end(run, 1, AttemptOutcome::Cancelled)]);
    assert_eq!(engine.workers().report(worker, cancelled).await.expect("reported"), []);
    is(&engine, run, RunState::Cancelled).await;
}

#[tokio::test]
async fn runs_of_a_worker_that_leaves_are_lost_and_tried_again_where_that_is_wanted() {
    let engine = engine(Arc::new(MemoryStore::new())).await;
    let key = save(&engine, |job| {
        job.on_lost = OnLost::Retry;
        job.retry.count = 1;
    })
    .await;
    let (first, second) = (join(&engine, 1).await, join(&engine, 1).await);
    let run = ask(&engine, &key).await;
    let (given, _) = told(&engine, first, 1, 1, &[]).await;
    assert!(given.runs[0].is_shared(), "others may be given it");
    engine.workers().leave(first).await.expect("left");
    let gone = engine.workers().poll(first, asks(99, 1, &[])).await;
    assert!(matches!(gone, Err(WorkerError::NotFound(id)) if id == first), "{gone:?}");
    assert!(matches!(engine.workers().leave(first).await, Err(WorkerError::NotFound(_))));
    let (again, _) = told(&engine, second, 1, 1, &[]).await;
    assert_eq!((ids(&again), again.runs[0].start.attempt), (vec![run], 2));
    let late = engine.workers().report(second, ends(vec![end(run, 1, AttemptOutcome::Succeeded)])).await;
    assert_eq!(late.expect("reported"), [(run, 1)], "of an attempt that is over");
    let done = engine.workers().report(second, ends(vec![end(run, 2, AttemptOutcome::Succeeded)])).await;
    assert_eq!(done.expect("reported"), []);
    is(&engine, run, RunState::Succeeded).await;
}

#[tokio::test]
async fn process_that_starts_anew_goes_on_with_its_workers() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let before = engine(Arc::clone(&store)).await;
    let key = save(&before, |_| {}).await;
    let worker = join(&before, 2).await;
    let (kept, ended) = (ask(&before, &key).await, ask(&before, &key).await);
    let (given, number) = told(&before, worker, 1, 2, &[]).await;
    let mut holds: Vec<_> = ids(&given).into_iter().map(|run| (run, 1)).collect();
    if holds.len() == 1 {
        let (more, _) = told(&before, worker, number + 1, 1, &holds).await;
        holds.extend(ids(&more).into_iter().map(|run| (run, 1)));
    }
    // As if it had been killed: nothing is said to anybody.
    drop(before);
    let after = engine(store).await;
    for run in [kept, ended] {
        assert_eq!(after.control().run(run).await.expect("there").state, RunState::Running, "not lost");
    }
    after.control().cancel(kept, "enough").await.expect("cancelled");
    let (again, _) = told(&after, worker, 1_000, 0, &[(ended, 1)]).await;
    assert_eq!(ids(&again), [kept], "it is the same worker, and what it does not name is given to it again");
    let (told_to_end, _) = told(&after, worker, 1_001, 0, &holds).await;
    assert_eq!(told_to_end.end, [kept]);
    let done = ends(vec![end(ended, 1, AttemptOutcome::Succeeded), end(kept, 1, AttemptOutcome::Cancelled)]);
    assert_eq!(after.workers().report(worker, done).await.expect("reported"), []);
    is(&after, ended, RunState::Succeeded).await;
    is(&after, kept, RunState::Cancelled).await;
}

#[tokio::test]
async fn hundred_workers_outlive_a_server_that_is_started_again() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let before = engine(Arc::clone(&store)).await;
    let key = save(&before, |_| {}).await;
    let mut held = Vec::new();
    for _ in 0..100 {
        let worker = join(&before, 1).await;
        let run = ask(&before, &key).await;
        let (given, number) = told(&before, worker, 1, 1, &[]).await;
        assert_eq!(ids(&given), [run]);
        held.push((worker, run, number));
    }
    // As if it had been killed: nothing is said to anybody.
    drop(before);
    let after = engine(store).await;
    let all = held.into_iter().map(async |(worker, run, number)| {
        let quick = Poll { wait_ms: Some(0), ..asks(number + 1, 0, &[(run, 1)]) };
        let told = after.workers().poll(worker, quick).await.expect("it is the same worker");
        assert!(told.runs.is_empty() && told.end.is_empty(), "it has its run, and goes on with it");
        let done = ends(vec![end(run, 1, AttemptOutcome::Succeeded)]);
        assert_eq!(after.workers().report(worker, done).await.expect("reported"), []);
        is(&after, run, RunState::Succeeded).await;
    });
    futures_util::future::join_all(all).await;
    assert_eq!(after.store().workers().await.expect("readable").len(), 100);
}

#[tokio::test]
async fn verdict_whose_reporter_was_cut_off_is_recorded_once() {
    let engine = engine(Arc::new(MemoryStore::new())).await;
    let key = save(&engine, |_| {}).await;
    let worker = join(&engine, 1).await;
    let run = ask(&engine, &key).await;
    told(&engine, worker, 1, 1, &[]).await;
    let report = || ends(vec![end(run, 1, AttemptOutcome::Succeeded)]);
    // It has come as far as it comes without waiting, and nobody waits for its answer.
    assert!(engine.workers().report(worker, report()).now_or_never().is_none());
    let refused = engine.workers().report(worker, report()).await.expect("reported");
    assert!(refused.is_empty() || refused == [(run, 1)], "{refused:?}");
    is(&engine, run, RunState::Succeeded).await;
    let attempts = engine.store().attempts(run).await.expect("readable");
    assert_eq!(attempts.len(), 1);
}

/// Says why runs of a job are not to start.
#[derive(Clone)]
struct Guard(Arc<Mutex<Option<&'static str>>>, watch::Sender<Vec<String>>);

impl Listener for Guard {
    async fn veto(&self, run: &StartingRun) -> Option<String> {
        self.1.send_modify(|heard| heard.push(format!("asked {}", run.attempt)));
        self.0.lock().expect("no test panics here").map(str::to_owned)
    }

    async fn run_starting(&self, run: &StartingRun) {
        self.1.send_modify(|heard| heard.push(format!("starting {}", run.attempt)));
    }

    async fn run_vetoed(&self, run: &EndedRun) {
        self.1.send_modify(|heard| heard.push(format!("vetoed {}", run.attempt)));
    }

    async fn run_ended(&self, run: &EndedRun) {
        self.1.send_modify(|heard| heard.push(format!("ended {} {}", run.attempt, run.outcome)));
    }
}

/// Lets a new worker ask for runs until one of them is so, which is never given to it. Answers the number of its next poll.
async fn asks_until(engine: &Engine, worker: Incarnation, run: RunId, state: RunState) -> u64 {
    // Numbers rise over all calls: a worker may be asked for again within the same millisecond.
    static NUMBER: AtomicU64 = AtomicU64::new(1_000_000);
    until(state.as_str(), async || {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let quick = Poll { wait_ms: Some(0), ..asks(number, 1, &[]) };
        let told = engine.workers().poll(worker, quick).await.expect("answered");
        assert!(told.runs.is_empty(), "{told:?}");
        (engine.control().run(run).await.expect("there").state == state).then_some(())
    })
    .await;
    NUMBER.load(Ordering::Relaxed)
}

#[tokio::test]
async fn listeners_are_asked_before_a_run_is_given_to_a_worker_also_after_it_was_lost() {
    let guard = Guard(Arc::default(), watch::Sender::new(Vec::new()));
    let mut settings = Settings { queues: Queues::named(["default"]), ..Settings::default() };
    settings.listeners.add(Scope::all(), guard.clone());
    let engine = Engine::start(Arc::new(MemoryStore::new()), settings).await.expect("the engine starts");
    let key = save(&engine, |job| {
        job.on_lost = OnLost::Retry;
        job.retry.count = 1;
    })
    .await;
    let vetoes = |why| *guard.0.lock().expect("no test panics here") = why;
    let heard = async |count| {
        let mut heard = guard.1.subscribe();
        let enough = tokio::time::timeout(PATIENCE, heard.wait_for(|heard| heard.len() >= count)).await.is_ok();
        assert!(enough, "only {:?}", guard.1.borrow());
        guard.1.send_replace(Vec::new())
    };
    let first = join(&engine, 1).await;
    let run = ask(&engine, &key).await;
    let (given, _) = told(&engine, first, 1, 1, &[]).await;
    assert_eq!(ids(&given), [run]);
    assert_eq!(heard(2).await, ["asked 1", "starting 1"]);
    vetoes(Some("a freeze is on"));
    engine.workers().leave(first).await.expect("left");
    let second = join(&engine, 1).await;
    let next = asks_until(&engine, second, run, RunState::Skipped).await;
    let mut all = heard(3).await;
    all.sort();
    assert_eq!(all, ["asked 2", "ended 1 lost", "vetoed 2"]);
    let over = engine.control().run(run).await.expect("there");
    assert_eq!((over.reason.as_deref(), over.error.as_deref()), (Some("vetoed"), Some("a freeze is on")));
    vetoes(None);
    let run = ask(&engine, &key).await;
    let (given, _) = told(&engine, second, next, 1, &[]).await;
    assert_eq!(ids(&given), [run], "what was vetoed has left its slot, and was never given");
    engine.workers().report(second, ends(vec![end(run, 1, AttemptOutcome::Succeeded)])).await.expect("reported");
    assert_eq!(heard(3).await, ["asked 1", "starting 1", "ended 1 succeeded"]);
}

#[tokio::test]
async fn data_that_cannot_be_read_fails_the_attempt_and_stays() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let engine = engine(Arc::clone(&store)).await;
    let far = save(&engine, |job| job.keep_data = true).await;
    let near = save(&engine, |job| {
        job.key = JobKey::new("default", "near");
        (job.queue, job.keep_data) = ("default".into(), true);
    })
    .await;
    let worker = join(&engine, 1).await;
    for key in [far, near] {
        let id = store.job(&key).await.expect("readable").expect("there").id;
        store.set_job_data(id, "[1]", None, Timestamp::from_millis(1)).await.expect("set");
        let run = ask(&engine, &key).await;
        asks_until(&engine, worker, run, RunState::Failed).await;
        let attempts = store.attempts(run).await.expect("readable");
        assert_eq!(attempts[0].error_code.as_deref(), Some("data.unreadable"), "{key}");
        assert_eq!(store.job_data(id).await.expect("readable").expect("kept").data, "[1]");
    }
}

#[tokio::test]
async fn older_poll_is_refused_and_one_that_is_held_ends_with_the_next() {
    let engine = engine(Arc::new(MemoryStore::new())).await;
    let worker = join(&engine, 1).await;
    let workers = engine.workers().clone();
    let held = tokio::spawn(async move { workers.poll(worker, asks(5, 1, &[])).await });
    until("the poll is held", async || {
        let older = Poll { wait_ms: Some(0), ..asks(5, 1, &[]) };
        matches!(engine.workers().poll(worker, older).await, Err(WorkerError::Stale)).then_some(())
    })
    .await;
    let quick = Poll { wait_ms: Some(0), ..asks(6, 1, &[]) };
    engine.workers().poll(worker, quick).await.expect("answered");
    let ended = held.await.expect("no panic");
    assert!(matches!(ended, Err(WorkerError::Stale)), "{ended:?}");
    let unknown = engine.workers().poll(Incarnation(1), asks(1, 1, &[])).await;
    assert!(matches!(unknown, Err(WorkerError::NotFound(_))), "{unknown:?}");
}

#[tokio::test]
async fn node_that_stops_hears_its_workers_until_the_end_and_gives_them_nothing_new() {
    let engine = engine(Arc::new(MemoryStore::new())).await;
    let key = save(&engine, |_| {}).await;
    let worker = join(&engine, 2).await;
    let run = ask(&engine, &key).await;
    let (_, number) = told(&engine, worker, 1, 2, &[]).await;
    let holds = [(run, 1)];
    let workers = engine.workers().clone();
    let held = tokio::spawn(async move { workers.poll(worker, asks(number + 1, 0, &holds)).await });
    until("the poll is held", async || engine.workers().worker(worker).await.ok()).await;
    engine.drain();
    let sent_away = held.await.expect("no panic").expect("answered");
    assert!(sent_away.draining && sent_away.runs.is_empty(), "{sent_away:?}");
    let waiting = ask(&engine, &key).await;
    let quick = |number| Poll { wait_ms: Some(0), ..asks(number, 2, &holds) };
    let heard = engine.workers().poll(worker, quick(number + 2)).await.expect("it knows no other node");
    assert!(heard.draining && ids(&heard).is_empty(), "{heard:?}");
    let report = Report { offset_ms: 0, logs: Vec::new(), ends: vec![end(run, 1, AttemptOutcome::Succeeded)] };
    assert_eq!(engine.workers().report(worker, report).await.expect("recorded"), []);
    let states = [run, waiting].map(async |id| engine.control().run(id).await.expect("there").state);
    assert_eq!(futures_util::future::join_all(states).await, [RunState::Succeeded, RunState::Queued]);
    let late = engine.workers().join(about("late", 1, &[])).await;
    assert!(matches!(late, Err(WorkerError::Draining)), "{late:?}");
    engine.workers().close();
    let refused = engine.workers().poll(worker, quick(number + 3)).await;
    assert!(matches!(refused, Err(WorkerError::Draining)), "{refused:?}");
}

#[tokio::test]
async fn worker_whose_old_words_another_node_has_heard_is_given_what_that_one_claimed() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::shared());
    let (a, b) = (engine(Arc::clone(&store)).await, engine(store).await);
    let key = save(&a, |_| {}).await;
    let worker = join(&a, 1).await;
    // It asks for nothing: who claims hears at once that the worker is another's.
    let quick = |number| Poll { wait_ms: Some(0), ..asks(number, 0, &[]) };
    a.workers().poll(worker, quick(4)).await.expect("answered");
    let run = ask(&a, &key).await;
    // The worker has long gone away from this request: it hears nothing of its answer.
    assert_eq!(ids(&told(&b, worker, 1, 1, &[]).await.0), [run]);
    let number = AtomicU64::new(5);
    let given = until("the worker is given the run", async || {
        let told = a.workers().poll(worker, quick(number.fetch_add(1, Ordering::Relaxed))).await.expect("answered");
        (!told.runs.is_empty()).then(|| ids(&told))
    });
    assert_eq!(given.await, [run]);
    assert_eq!(a.workers().worker(worker).await.expect("there").node, a.incarnation());
}

#[tokio::test]
async fn worker_that_goes_back_and_forth_between_nodes_is_given_each_run_once() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::shared());
    let (a, b) = (engine(Arc::clone(&store)).await, engine(store).await);
    let key = save(&a, |_| {}).await;
    let worker = join(&a, 1).await;
    let first = ask(&a, &key).await;
    let (given, number) = told(&a, worker, 1, 1, &[]).await;
    assert_eq!(ids(&given), [first]);

    let quiet = |number, holds: &[(RunId, u32)]| Poll { wait_ms: Some(0), ..asks(number, 1, holds) };
    b.workers().poll(worker, quiet(number + 1, &[(first, 1)])).await.expect("the other node goes on with it");
    let done = ends(vec![end(first, 1, AttemptOutcome::Succeeded)]);
    assert_eq!(b.workers().report(worker, done).await.expect("reported"), []);
    let back = a.workers().poll(worker, quiet(number + 2, &[])).await.expect("answered");
    assert!(back.runs.is_empty(), "what has ended elsewhere is not given again");

    let second = ask(&a, &key).await;
    let (given, number) = told(&b, worker, number + 3, 1, &[]).await;
    assert_eq!(ids(&given), [second]);
    let line = LogLine { at_ms: 0, stream: Stream::Stdout, text: "a".into(), partial: false };
    let piece = |first_line| LogPiece { run: second, attempt: 1, first_line, lines: vec![line.clone()] };
    let logs = |first_line| Report { logs: vec![piece(first_line)], ..Report::default() };
    b.workers().report(worker, logs(0)).await.expect("reported");
    a.workers().report(worker, logs(1)).await.expect("a log goes on through another node");
    b.workers().report(worker, logs(2)).await.expect("and through the first");
    let done = ends(vec![end(second, 1, AttemptOutcome::Succeeded)]);
    assert_eq!(
        a.workers().report(worker, done).await.expect("reported"),
        [],
        "a node that has not given it takes its end"
    );
    is(&b, second, RunState::Succeeded).await;
    let over = b.workers().poll(worker, quiet(number + 1, &[])).await.expect("answered");
    assert!(over.runs.is_empty());
}

#[tokio::test]
async fn run_whose_definition_cannot_be_read_holds_up_no_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("jobs.db");
    let open = async || engine(Arc::new(SqliteStore::open(&file, Options::default()).expect("it opens"))).await;
    let before = open().await;
    let bad = save(&before, |job| job.key.name = "bad".into()).await;
    let good = save(&before, |job| job.key.name = "good".into()).await;
    // The bad one is claimed first.
    let (first, second) = (ask(&before, &bad).await, ask(&before, &good).await);
    before.stop(Duration::from_secs(5)).await.expect("it stops");
    let newer = "UPDATE job_version SET definition = '{\"tomorrow\": 1}' WHERE job_id = (SELECT id FROM job WHERE name = 'bad')";
    assert_eq!(rusqlite::Connection::open(&file).expect("it is free").execute(newer, []).expect("it is there"), 1);

    let engine = open().await;
    let worker = join(&engine, 4).await;
    let (given, number) = told(&engine, worker, 1, 4, &[]).await;
    assert_eq!(ids(&given), [second], "the other waits");
    assert_eq!(engine.control().run(first).await.expect("there").state, RunState::Running, "it is the worker's");
    let third = ask(&engine, &good).await;
    let (given, number) = told(&engine, worker, number + 1, 3, &[(second, 1)]).await;
    assert_eq!(ids(&given), [third], "and goes on waiting");
    // A gap in the numbers: the node looks anew what the worker has.
    let (given, _) = told(&engine, worker, number + 5, 2, &[(second, 1)]).await;
    assert_eq!(ids(&given), [third]);
    let reported = ends(vec![end(second, 1, AttemptOutcome::Succeeded), end(third, 1, AttemptOutcome::Succeeded)]);
    assert_eq!(engine.workers().report(worker, reported).await.expect("reported"), []);
}
