//! Jobs that get stuck, over a store in memory: slots are left for those that are known to be short.

use std::sync::Arc;

use mainspring_core::RunId;
use mainspring_core::job::{JobKey, Task};
use mainspring_core::lane::Lane;
use mainspring_core::run::{AttemptOutcome, RunState};
use mainspring_engine::{Engine, Handlers, Settings, SystemClock};
use mainspring_store::{MemoryStore, RunQuery, Store};

use crate::kit::until;
use crate::workers::{ask, asks, end, ends, ids, is, join_as, save, told};

const SLOTS: u32 = 8;
/// Of eight.
const SHARE: usize = 6;
/// Runs in a row that make a job short.
const RUNS: usize = 3;

async fn job(engine: &Engine, name: &str) -> JobKey {
    save(engine, |job| {
        job.key = JobKey::new("default", format!("{name}-job"));
        job.task = Task::Handler { name: name.into() };
    })
    .await
}

async fn count(engine: &Engine, state: RunState) -> usize {
    let query = RunQuery { states: vec![state], limit: 1_000, ..RunQuery::default() };
    engine.store().runs(query).await.expect("runs").len()
}

async fn is_known(engine: &Engine, key: &JobKey, lane: Lane) {
    let id = engine.store().job(key).await.expect("job").expect("there").id;
    until(lane.as_str(), async || (engine.lane(id) == Some(lane)).then_some(())).await;
}

/// An engine with a short job, and one whose runs never end.
async fn begun() -> (Engine, JobKey, JobKey) {
    let handlers = Arc::<Handlers>::default();
    handlers.register("short", async |_| {});
    handlers.register("stuck", async |_| std::future::pending::<()>().await);
    let mut settings = Settings::default();
    settings.planner.slots = SLOTS;
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let engine = Engine::start_with(store, settings, Arc::new(SystemClock), handlers).await.expect("it starts");
    let (short, stuck) = (job(&engine, "short").await, job(&engine, "stuck").await);
    (engine, short, stuck)
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_that_get_stuck_leave_slots_to_a_short_one() {
    let (engine, short, stuck) = begun().await;
    for _ in 0..RUNS {
        let run = ask(&engine, &short).await;
        is(&engine, run, RunState::Succeeded).await;
    }
    is_known(&engine, &short, Lane::Short).await;
    for _ in 0..20 {
        ask(&engine, &stuck).await;
    }
    until("their share is full", async || (count(&engine, RunState::Running).await == SHARE).then_some(())).await;
    for _ in 0..20 {
        let run = ask(&engine, &short).await;
        is(&engine, run, RunState::Succeeded).await;
    }
    assert_eq!(count(&engine, RunState::Running).await, SHARE, "the others wait");
    assert_eq!(count(&engine, RunState::Queued).await, 20 - SHARE);
    // Once it has lasted, that is known of the stuck one.
    is_known(&engine, &stuck, Lane::Slow).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_that_waited_before_their_job_was_known_to_be_short_pass_stuck_ones_too() {
    let (engine, short, stuck) = begun().await;
    let late = save(&engine, |job| {
        job.key = JobKey::new("default", "late");
        job.task = Task::Handler { name: "short".into() };
    })
    .await;
    for _ in 0..RUNS {
        let run = ask(&engine, &short).await;
        is(&engine, run, RunState::Succeeded).await;
    }
    is_known(&engine, &short, Lane::Short).await;
    for _ in 0..RUNS {
        let run = ask(&engine, &late).await;
        is(&engine, run, RunState::Succeeded).await;
    }
    // Before it is known of the second one, if nobody is faster.
    for _ in 0..20 {
        ask(&engine, &stuck).await;
    }
    let run = ask(&engine, &late).await;
    is_known(&engine, &late, Lane::Short).await;
    is(&engine, run, RunState::Succeeded).await;
}

/// What a worker holds, as it says so.
fn held(runs: &[RunId]) -> Vec<(RunId, u32)> {
    runs.iter().map(|run| (*run, 1)).collect()
}

#[tokio::test]
async fn worker_whose_share_is_full_takes_runs_of_short_jobs_only() {
    let engine = crate::workers::engine(Arc::new(MemoryStore::new())).await;
    let (short, stuck) = (job(&engine, "short").await, job(&engine, "stuck").await);
    let worker = join_as(&engine, "far", SLOTS, &[]).await;
    let mut number = 1;
    for _ in 0..RUNS {
        let run = ask(&engine, &short).await;
        let (given, last) = told(&engine, worker, number, SLOTS, &[]).await;
        assert_eq!(ids(&given), [run]);
        number = last + 1;
        let done = ends(vec![end(run, 1, AttemptOutcome::Succeeded)]);
        assert_eq!(engine.workers().report(worker, done).await.expect("reported"), []);
    }
    is_known(&engine, &short, Lane::Short).await;
    for _ in 0..20 {
        ask(&engine, &stuck).await;
    }
    let mut holds: Vec<RunId> = Vec::new();
    while holds.len() < SHARE {
        let free = SLOTS - u32::try_from(holds.len()).expect("few");
        let (given, last) = told(&engine, worker, number, free, &held(&holds)).await;
        number = last + 1;
        holds.extend(ids(&given));
    }
    assert_eq!(holds.len(), SHARE, "no more than its share");
    let free = SLOTS - u32::try_from(SHARE).expect("few");
    let quiet = mainspring_engine::Poll { wait_ms: Some(0), ..asks(number, free, &held(&holds)) };
    assert!(engine.workers().poll(worker, quiet).await.expect("answered").runs.is_empty());
    let run = ask(&engine, &short).await;
    let (given, last) = told(&engine, worker, number + 1, free, &held(&holds)).await;
    assert_eq!(ids(&given), [run], "a short one passes those that wait");
    // A stuck one that ends leaves room for the next.
    let over = holds.remove(0);
    let done = ends(vec![end(over, 1, AttemptOutcome::Failed), end(run, 1, AttemptOutcome::Succeeded)]);
    assert_eq!(engine.workers().report(worker, done).await.expect("reported"), []);
    let (given, _) = told(&engine, worker, last + 1, free + 1, &held(&holds)).await;
    assert_eq!(ids(&given).len(), 1, "in its place");
}
