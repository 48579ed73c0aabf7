//! Workers that drain: they go on with what they have, and get nothing new.

use std::sync::Arc;

use mainspring_core::RunId;
use mainspring_core::run::{AttemptOutcome, RunState};
use mainspring_engine::{Poll, WorkerError};
use mainspring_store::{MemoryStore, Store};

use crate::kit::until;
use crate::workers::{ask, asks, end, ends, engine, ids, is, join_as, save, told};

#[tokio::test]
async fn worker_that_drains_goes_on_with_what_it_has_and_another_gets_the_rest() {
    let engine = engine(Arc::new(MemoryStore::new())).await;
    let key = save(&engine, |_| {}).await;
    let north = join_as(&engine, "north", 4, &[]).await;
    let first = ask(&engine, &key).await;
    let (given, number) = told(&engine, north, 1, 4, &[]).await;
    assert_eq!(ids(&given), [first]);
    let workers = engine.workers().clone();
    workers.set_draining(north, true).await.expect("drained");
    assert!(matches!(workers.set_draining(mainspring_core::Incarnation(5), true).await, Err(WorkerError::NotFound(_))));

    let held = {
        let workers = workers.clone();
        tokio::spawn(async move { workers.poll(north, asks(number + 1, 4, &[(first, 1)])).await })
    };
    let second = ask(&engine, &key).await;
    let south = join_as(&engine, "south", 4, &[]).await;
    let (given, _) = told(&engine, south, 1, 4, &[]).await;
    assert_eq!(ids(&given), [second]);
    let nothing = held.await.expect("no panic").expect("answered");
    assert!(nothing.runs.is_empty(), "{nothing:?}");
    let done = ends(vec![end(first, 1, AttemptOutcome::Succeeded)]);
    assert_eq!(workers.report(north, done).await.expect("reported"), []);
    is(&engine, first, RunState::Succeeded).await;
}

#[tokio::test]
async fn what_another_node_was_asked_for_holds_with_the_next_claim_and_is_taken_back_with_the_next_count() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let engine = engine(Arc::clone(&store)).await;
    let key = save(&engine, |_| {}).await;
    let (north, south) = (join_as(&engine, "north", 4, &[]).await, join_as(&engine, "south", 4, &[]).await);
    let poll = async |worker, number, holds: &[(RunId, u32)]| {
        let quiet = Poll { wait_ms: Some(0), ..asks(number, 4, holds) };
        engine.workers().poll(worker, quiet).await.expect("answered")
    };
    poll(north, 1, &[]).await;
    // As another node does: nothing is said to this one.
    assert!(store.drain_worker(north, true).await.expect("drained"));
    let run = ask(&engine, &key).await;
    let held = {
        let workers = engine.workers().clone();
        tokio::spawn(async move { workers.poll(north, asks(2, 4, &[])).await })
    };
    let (given, _) = told(&engine, south, 1, 4, &[]).await;
    assert_eq!(ids(&given), [run], "the offer that the one that drains did not take");
    assert!(held.await.expect("no panic").expect("answered").runs.is_empty());
    engine.workers().leave(south).await.expect("left");

    let run = ask(&engine, &key).await;
    assert!(store.drain_worker(north, false).await.expect("taken back"));
    let (given, _) = told(&engine, north, 3, 4, &[]).await;
    assert_eq!(ids(&given), [run]);
}

#[tokio::test]
async fn clock_of_a_worker_is_kept_for_all_nodes_to_see() {
    let engine = engine(Arc::new(MemoryStore::new())).await;
    let worker = join_as(&engine, "north", 1, &[]).await;
    engine.workers().note_clock(worker, 4_000);
    engine.workers().note_clock(worker, 3_000);
    until("the clock", async || {
        let rows = engine.store().workers().await.expect("workers");
        rows.iter().any(|row| row.clock_offset_ms == Some(4_000)).then_some(())
    })
    .await;
}
