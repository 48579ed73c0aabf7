//! Queues that are paused or limited, over a store in memory: what the node's own slots take from them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use mainspring_core::Timestamp;
use mainspring_core::batch::{GapOutcome, GapReason};
use mainspring_core::job::{Job, JobKey, ScheduleDefinition, Task, TriggerDefinition};
use mainspring_core::queue::{QueueRule, Rate};
use mainspring_core::run::RunState;
use mainspring_engine::control::{self, Ask, Asking, SaveMode};
use mainspring_engine::{Clock, Engine, Handlers, Settings, SystemClock};
use mainspring_store::{Expect, MemoryStore, RunInfo, RunQuery, Store};

use crate::kit::until;

/// When a trigger that is about to be saved fires once: what is past then would not fire at all.
fn soon() -> Timestamp {
    SystemClock.now() + 2_000
}

/// Saves jobs that fire once each, soon.
async fn save(engine: &Engine, count: usize, task: Task) {
    let at = soon();
    let jobs = (0..count).map(|index| {
        let mut job = Job::new(JobKey::new("default", format!("job-{index}")), task.clone());
        job.triggers.push(TriggerDefinition::new("once", ScheduleDefinition::At { at }));
        (Arc::new(job), Expect::Anything)
    });
    engine.control().save(jobs.collect(), SaveMode::Commit).await.expect("saved");
}

async fn runs(store: &Arc<dyn Store>, state: RunState) -> Vec<RunInfo> {
    let query = RunQuery { states: vec![state], limit: 100, ..RunQuery::default() };
    store.runs(query).await.expect("runs")
}

async fn are(store: &Arc<dyn Store>, state: RunState, count: usize) {
    let what = format!("{count} runs that are {state}");
    until(&what, async || (runs(store, state).await.len() == count).then_some(())).await;
}

async fn set(store: &Arc<dyn Store>, rule: QueueRule, expect: i64) {
    store.set_queue("default", rule, expect, SystemClock.now()).await.expect("set");
}

#[tokio::test(flavor = "multi_thread")]
async fn fires_of_a_paused_queue_wait_until_it_is_resumed() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    set(&store, QueueRule { paused: true, ..QueueRule::default() }, 0).await;
    let engine = Engine::start(Arc::clone(&store), Settings::default()).await.expect("the engine starts");
    save(&engine, 3, Task::Noop).await;
    are(&store, RunState::Queued, 3).await;
    set(&store, QueueRule::default(), 1).await;
    engine.queues_changed();
    are(&store, RunState::Succeeded, 3).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn queue_that_is_paused_while_the_engine_runs_is_heeded() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let engine = Engine::start(Arc::clone(&store), Settings::default()).await.expect("the engine starts");
    set(&store, QueueRule { paused: true, ..QueueRule::default() }, 0).await;
    engine.queues_changed();
    // One after the other, until one is there that waits.
    let mut saved = 0;
    while runs(&store, RunState::Queued).await.is_empty() {
        saved += 1;
        assert!(saved < 20, "nothing waits although the queue is paused");
        let key = JobKey::new("default", format!("job-{saved}"));
        let mut job = Job::new(key, Task::Noop);
        job.triggers.push(TriggerDefinition::new("once", ScheduleDefinition::At { at: soon() }));
        engine.control().save(vec![(Arc::new(job), Expect::Anything)], SaveMode::Commit).await.expect("saved");
        until("a run", async || {
            let all = store.runs(RunQuery { limit: 100, ..RunQuery::default() }).await.expect("runs");
            (all.len() == saved).then_some(())
        })
        .await;
    }
}

/// The handler `count`, and how many were in it at once at most.
fn counting() -> (Arc<Handlers>, Arc<AtomicU32>) {
    let (entered, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let handlers = Arc::<Handlers>::default();
    let peak = Arc::clone(&most);
    handlers.register("count", move |_| {
        let (entered, peak) = (Arc::clone(&entered), Arc::clone(&peak));
        async move {
            peak.fetch_max(entered.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            entered.fetch_sub(1, Ordering::SeqCst);
        }
    });
    (handlers, most)
}

#[tokio::test(flavor = "multi_thread")]
async fn limit_and_rate_of_a_queue_hold_and_all_its_runs_leave() {
    let (handlers, most) = counting();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let rate = Some(Rate { count: 8, per_ms: 1_000 });
    set(&store, QueueRule { max_running: Some(2), rate, ..QueueRule::default() }, 0).await;
    let clock = Arc::new(SystemClock);
    let engine = Engine::start_with(Arc::clone(&store), Settings::default(), clock, handlers).await.expect("it starts");
    save(&engine, 12, Task::Handler { name: "count".into() }).await;
    are(&store, RunState::Succeeded, 12).await;
    assert!((1..=2).contains(&most.load(Ordering::SeqCst)), "{most:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn full_queue_refuses_runs_and_suppresses_fires() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    set(&store, QueueRule { paused: true, max_waiting: Some(2), ..QueueRule::default() }, 0).await;
    let engine = Engine::start(Arc::clone(&store), Settings::default()).await.expect("the engine starts");
    let key = JobKey::new("default", "asked");
    let job = Job::new(key.clone(), Task::Noop);
    engine.control().save(vec![(Arc::new(job), Expect::Anything)], SaveMode::Commit).await.expect("saved");
    let asking = Some(Asking { at: SystemClock.now(), number: 7 });
    let over = engine.control().run_now(&key, Ask::default()).await.expect("there is room").id;
    engine.control().cancel(over, "so that it can run again").await.expect("it waits");
    let named = engine.control().run_now(&key, Ask { asking, ..Ask::default() }).await.expect("there is room");
    engine.control().run_now(&key, Ask::default()).await.expect("and for another");
    for refused in
        [engine.control().run_now(&key, Ask::default()).await, engine.control().rerun(over, false, None).await]
    {
        let Err(control::Error::QueueFull { queue, max_waiting: 2 }) = refused else { panic!("{refused:?}") };
        assert_eq!(queue, "default");
    }
    let again = engine.control().run_now(&key, Ask { asking, ..Ask::default() }).await.expect("it is there");
    assert_eq!(again.id, named.id, "what was taken in is not refused when it is asked for again");

    save(&engine, 3, Task::Noop).await;
    let suppressed = until("fires that are suppressed", async || {
        let gaps = store.gaps(None, 0, 100).await.expect("gaps");
        (gaps.len() == 3).then_some(gaps)
    })
    .await;
    for row in suppressed {
        let gap = (row.gap.outcome, row.gap.reason, row.gap.count);
        assert_eq!(gap, (GapOutcome::Suppressed, GapReason::QueueFull, 1), "{row:?}");
    }
    let tally = store.tally().await.expect("tally");
    assert!(tally.iter().all(|it| (it.fired, it.missed, it.suppressed) == (0, 0, 1)), "{tally:?}");
    are(&store, RunState::Queued, 2).await;

    set(&store, QueueRule { max_waiting: Some(2), ..QueueRule::default() }, 1).await;
    engine.queues_changed();
    are(&store, RunState::Succeeded, 2).await;
    engine.control().run_now(&key, Ask::default()).await.expect("there is room again");
    are(&store, RunState::Succeeded, 3).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn limit_of_a_label_holds_for_fires_of_all_jobs_with_it() {
    const GOLD: &str = "tier=gold";
    let (handlers, most) = counting();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let limit = QueueRule { max_running: Some(1), ..QueueRule::default() };
    store.set_queue(GOLD, limit, 0, SystemClock.now()).await.expect("set");
    let clock = Arc::new(SystemClock);
    let engine = Engine::start_with(Arc::clone(&store), Settings::default(), clock, handlers).await.expect("it starts");
    let at = soon();
    let jobs = (0..8).map(|index| {
        let mut job = Job::new(JobKey::new("default", format!("job-{index}")), Task::Handler { name: "count".into() });
        job.queue = format!("queue-{}", index % 3);
        job.labels.insert("tier".into(), "gold".into());
        job.triggers.push(TriggerDefinition::new("once", ScheduleDefinition::At { at }));
        (Arc::new(job), Expect::Anything)
    });
    engine.control().save(jobs.collect(), SaveMode::Commit).await.expect("saved");
    are(&store, RunState::Succeeded, 8).await;
    assert_eq!(most.load(Ordering::SeqCst), 1, "one at a time, and all of them");
    assert_eq!(store.counted(GOLD).await.expect("counted"), 0);
}
