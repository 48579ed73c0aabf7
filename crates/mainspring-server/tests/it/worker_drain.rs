//! Draining workers, and what they say of their clocks.

use mainspring_api::{
    AttemptState, ErrorCode, Reason, RunNow, RunState, Timestamp, WhyCode, WorkerHolding, WorkerPoll,
};

use crate::alerts::until;
use crate::kit::code;
use crate::workers::{HOLD, asks, ended, orders, start, worker};

#[tokio::test]
async fn worker_is_drained_and_let_back_and_runs_that_wait_for_it_say_so() {
    let running = start().await;
    let client = &running.client;
    let terms = client.join_worker(&worker(&["gpu"])).await.unwrap();
    let first = client.run_job("default", "far", &RunNow::default()).await.unwrap().id;
    orders(client, &terms.id).await;
    let reason = Reason { reason: Some("new disk".into()), ..Reason::default() };
    let drained = client.drain_worker(&terms.id, &reason).await.unwrap();
    assert_eq!((drained.draining, drained.running), (true, 1));
    assert!(client.workers().await.unwrap()[0].draining);
    for id in ["x", &"0".repeat(32)] {
        assert_eq!(code(client.drain_worker(id, &reason).await), ErrorCode::WorkerNotFound);
        assert_eq!(code(client.undrain_worker(id, &reason).await), ErrorCode::WorkerNotFound);
    }

    let second = client.run_job("default", "far", &RunNow::default()).await.unwrap().id;
    let holds = vec![WorkerHolding { run: first.clone(), attempt: 1 }];
    let nothing = client.poll_worker(&terms.id, &asks(100, holds), HOLD).await.unwrap();
    assert!(nothing.runs.is_empty(), "{nothing:?}");
    let why = &client.why_run(&second).await.unwrap().reasons[0];
    assert_eq!(why.code, WhyCode::NoWorker);
    assert_eq!(why.message, "all workers of the queue gpu drain: they are given nothing new");
    client.report_worker(&terms.id, &ended(&first, AttemptState::Succeeded)).await.unwrap();
    assert_eq!(client.run(&first).await.unwrap().state, RunState::Succeeded, "it goes on with what it has");

    assert!(!client.undrain_worker(&terms.id, &Reason::default()).await.unwrap().draining);
    let number = std::cell::Cell::new(100);
    let given = until(async || {
        number.set(number.get() + 1);
        let orders = client.poll_worker(&terms.id, &asks(number.get(), Vec::new()), HOLD).await.unwrap();
        orders.runs.into_iter().next()
    })
    .await;
    assert_eq!(given.run, second);
    running.stop().await;
}

#[tokio::test]
async fn clock_of_a_worker_is_shown_whether_polls_or_only_reports_tell_it() {
    let running = start().await;
    let client = &running.client;
    let offset = async |id: &str, ahead_ms: i64| {
        let found = until(async || client.worker(id).await.unwrap().clock_offset_ms).await;
        assert!((ahead_ms - 60_000..=ahead_ms + 60_000).contains(&found), "{found}");
    };
    let now = client.info().await.unwrap().now.as_millis();
    let new = client.join_worker(&worker(&["gpu"])).await.unwrap();
    assert!(new.clock, "the server takes the time with polls");
    assert_eq!(client.worker(&new.id).await.unwrap().clock_offset_ms, None);
    let ahead = Some(Timestamp::from_millis(now + 3_600_000));
    let poll = WorkerPoll { now: ahead, wait_ms: Some(0), ..asks(1, Vec::new()) };
    client.poll_worker(&new.id, &poll, HOLD).await.unwrap();
    offset(&new.id, 3_600_000).await;

    let old = client.join_worker(&worker(&["gpu"])).await.unwrap();
    let run = client.run_job("default", "far", &RunNow::default()).await.unwrap().id;
    client.leave_worker(&new.id).await.unwrap();
    orders(client, &old.id).await;
    client.report_worker(&old.id, &ended(&run, AttemptState::Succeeded)).await.unwrap();
    offset(&old.id, 5_000 - now).await;
    running.stop().await;
}
