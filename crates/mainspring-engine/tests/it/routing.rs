//! Routed jobs: which worker is given a run, whichever node picked it.

use std::sync::Arc;

use mainspring_core::RunId;
use mainspring_core::job::{Job, JobKey, Task};
use mainspring_core::routing::{Shard, Strategy};
use mainspring_core::run::{AttemptOutcome, RunState};
use mainspring_engine::control::{Error, SaveMode};
use mainspring_engine::{Engine, Settings};
use mainspring_store::{Expect, MemoryStore, Store};

use crate::kit::until;
use crate::workers::{ask, end, ends, engine, ids, is, join_as, save, told};

async fn save_routed(engine: &Engine, strategy: Strategy) -> JobKey {
    save(engine, |job| job.routing.strategy = strategy).await
}

/// Waits until a worker is picked for a run.
async fn picked(engine: &Engine, run: RunId, worker: &str) {
    until(worker, async || {
        let info = engine.control().run(run).await.expect("there");
        (info.worker.as_deref() == Some(worker)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn runs_go_round_and_none_to_the_server() {
    // Its own slots take from all queues.
    let engine = Engine::start(Arc::new(MemoryStore::new()), Settings::default()).await.expect("the engine starts");
    let key = save_routed(&engine, Strategy::Round).await;
    let (a, b) = (join_as(&engine, "a", 9, &[]).await, join_as(&engine, "b", 9, &[]).await);
    let mut runs = Vec::new();
    for _ in 0..4 {
        runs.push(ask(&engine, &key).await);
    }
    let mut given = Vec::new();
    for worker in [a, b] {
        let (mut held, mut number) = (Vec::new(), 1);
        while held.len() < 2 {
            let holds: Vec<_> = held.iter().map(|run| (*run, 1)).collect();
            let (said, last) = told(&engine, worker, number, 9, &holds).await;
            number = last + 1;
            held.extend(ids(&said));
        }
        given.extend(held);
    }
    given.sort_unstable();
    runs.sort_unstable();
    assert_eq!(given, runs, "two for each worker");
}

#[tokio::test]
async fn run_whose_worker_leaves_is_given_to_the_next() {
    let engine = engine(Arc::new(MemoryStore::new())).await;
    let key = save_routed(&engine, Strategy::Failover).await;
    let (a, b) = (join_as(&engine, "a", 1, &[]).await, join_as(&engine, "b", 1, &[]).await);
    let run = ask(&engine, &key).await;
    picked(&engine, run, "a").await;
    engine.workers().leave(a).await.expect("left");
    let (given, _) = told(&engine, b, 1, 1, &[]).await;
    assert_eq!(ids(&given), [run]);
    picked(&engine, run, "b").await;
}

#[tokio::test]
async fn run_waits_until_a_worker_with_its_labels_joins() {
    let engine = engine(Arc::new(MemoryStore::new())).await;
    let key = save(&engine, |job| job.routing.workers = [("zone".into(), "eu".into())].into()).await;
    join_as(&engine, "a", 1, &[("zone", "us")]).await;
    let run = ask(&engine, &key).await;
    let b = join_as(&engine, "b", 1, &[("zone", "eu"), ("disk", "ssd")]).await;
    let (given, _) = told(&engine, b, 1, 1, &[]).await;
    assert_eq!(ids(&given), [run]);
}

#[tokio::test]
async fn busy_worker_gets_the_next_run_when_it_is_done() {
    let engine = engine(Arc::new(MemoryStore::new())).await;
    let key = save_routed(&engine, Strategy::BusyOver).await;
    let worker = join_as(&engine, "a", 9, &[]).await;
    let runs = [ask(&engine, &key).await, ask(&engine, &key).await];
    let (given, number) = told(&engine, worker, 1, 9, &[]).await;
    let [first] = ids(&given)[..] else { panic!("one of the job at a time, not {given:?}") };
    let done = ends(vec![end(first, 1, AttemptOutcome::Succeeded)]);
    engine.workers().report(worker, done).await.expect("reported");
    let (given, _) = told(&engine, worker, number + 1, 9, &[]).await;
    assert_eq!(ids(&given), runs.into_iter().filter(|run| *run != first).collect::<Vec<_>>());
}

#[tokio::test]
async fn worker_is_given_what_another_node_has_picked_it_for() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::shared());
    let (one, two) = (engine(Arc::clone(&store)).await, engine(store).await);
    let key = save_routed(&one, Strategy::Last).await;
    // Both nodes hear a worker, so that either may pick.
    join_as(&one, "a", 1, &[]).await;
    let far = join_as(&two, "b", 1, &[]).await;
    for number in 0..4 {
        let run = ask(&one, &key).await;
        let (given, _) = told(&two, far, 1 + number * 100, 1, &[]).await;
        assert_eq!(ids(&given), [run]);
        let done = ends(vec![end(run, 1, AttemptOutcome::Succeeded)]);
        two.workers().report(far, done).await.expect("reported");
        is(&two, run, RunState::Succeeded).await;
    }
}

#[tokio::test]
async fn rerun_is_routed_as_the_run_was() {
    let engine = engine(Arc::new(MemoryStore::new())).await;
    let key = save_routed(&engine, Strategy::First).await;
    let worker = join_as(&engine, "a", 1, &[]).await;
    let run = ask(&engine, &key).await;
    let (_, number) = told(&engine, worker, 1, 1, &[]).await;
    let done = ends(vec![end(run, 1, AttemptOutcome::Succeeded)]);
    engine.workers().report(worker, done).await.expect("reported");
    let again = engine.control().rerun(run, false, None).await.expect("asked for").id;
    let (given, _) = told(&engine, worker, number + 1, 1, &[]).await;
    assert_eq!(ids(&given), [again]);
    picked(&engine, again, "a").await;
}

#[tokio::test]
async fn routing_that_makes_no_sense_is_refused() {
    type Change = fn(&mut Job);
    let engine = engine(Arc::new(MemoryStore::new())).await;
    let cases: [(&str, Change); 3] = [
        ("queue", |job| {
            job.queue = "q".repeat(121);
            job.routing.strategy = Strategy::First;
        }),
        ("routing_key", |job| job.routing.key = Some(String::new())),
        ("routing_key", |job| {
            job.routing.strategy = Strategy::Round;
            job.routing.key = Some("customer".into());
        }),
    ];
    for (field, change) in cases {
        let mut job = Job::new(JobKey::new("default", "odd"), Task::Noop);
        change(&mut job);
        let saved = engine.control().save(vec![(Arc::new(job), Expect::Anything)], SaveMode::Commit).await;
        let Err(Error::Invalid { error, .. }) = saved else { panic!("{field} was taken") };
        assert_eq!((error.field, error.code), (field, "job.routing"));
        assert!(error.hint.is_some());
    }
}

#[tokio::test]
async fn each_worker_is_told_its_shard_and_the_run_ends_with_them() {
    let engine = engine(Arc::new(MemoryStore::new())).await;
    let key = save_routed(&engine, Strategy::ShardingBroadcast).await;
    let workers = [join_as(&engine, "a", 1, &[]).await, join_as(&engine, "b", 1, &[]).await];
    let run = ask(&engine, &key).await;
    for (index, worker) in (0_u32..).zip(workers) {
        let (given, _) = told(&engine, worker, 1, 1, &[]).await;
        assert_eq!(given.runs[0].shard, Some(Shard { index, total: 2 }));
        is(&engine, run, RunState::Waiting).await;
        let done = ends(vec![end(ids(&given)[0], 1, AttemptOutcome::Succeeded)]);
        engine.workers().report(worker, done).await.expect("reported");
    }
    is(&engine, run, RunState::Succeeded).await;
}

#[tokio::test]
async fn broadcast_that_is_cancelled_ends_when_its_workers_have() {
    let engine = engine(Arc::new(MemoryStore::new())).await;
    let key = save_routed(&engine, Strategy::ShardingBroadcast).await;
    let (a, _b) = (join_as(&engine, "a", 1, &[]).await, join_as(&engine, "b", 1, &[]).await);
    let run = ask(&engine, &key).await;
    let (given, number) = told(&engine, a, 1, 1, &[]).await;
    engine.control().cancel(run, "enough").await.expect("asked for");
    let shard = ids(&given)[0];
    let (said, _) = told(&engine, a, number + 1, 1, &[(shard, 1)]).await;
    assert_eq!(said.end, [shard]);
    let ended = ends(vec![end(shard, 1, AttemptOutcome::Cancelled)]);
    engine.workers().report(a, ended).await.expect("reported");
    is(&engine, run, RunState::Cancelled).await;
    assert_eq!(engine.control().run(run).await.expect("there").reason.as_deref(), Some("enough"));
}
