//! What jobs keep between their runs, as requests and workers see it.

use std::sync::Arc;
use std::time::Duration;

use mainspring_api::client::{Client, Precondition};
use mainspring_api::{
    AttemptState, ErrorCode, RunNow, Timestamp, WorkerEnd, WorkerPoll, WorkerReport, WorkerRun, WorkerSpec,
    WriteOptions,
};
use mainspring_core::batch::Queues;
use mainspring_engine::{Engine, Settings};
use mainspring_store::MemoryStore;
use serde_json::{Value, json};

use crate::kit::{Running, code, spec};

const COMMIT: WriteOptions = WriteOptions { dry_run: false };

/// A server that leaves the queue `far` to workers, and two jobs in it. One of them keeps data.
async fn start() -> Running {
    let settings = Settings { queues: Queues::named(["default"]), ..Settings::default() };
    let engine = Arc::new(Engine::start(Arc::new(MemoryStore::new()), settings).await.unwrap());
    let running = Running::over(engine, mainspring_server::Settings::default()).await;
    for job in [
        json!({"name": "keeps", "run": "true", "queue": "far", "keep_data": true, "overlap": "queue_all"}),
        json!({"name": "plain", "run": "true", "queue": "far"}),
    ] {
        let saved = running.client.put_job("default", &spec(job), Precondition::None, COMMIT).await.unwrap();
        assert_eq!(saved.warnings, []);
    }
    running
}

#[tokio::test]
async fn data_is_set_at_the_revision_that_was_seen() {
    let running = start().await;
    let client = &running.client;
    let kept = client.job_data("default", "keeps").await.unwrap();
    assert_eq!((kept.data, kept.revision, kept.changed_at), (json!({}), 0, None));
    let put = async |data: Value, on| client.put_job_data("default", "keeps", &data, on).await;
    let kept = put(json!({"a": 1}), Precondition::Absent).await.unwrap();
    assert_eq!((&kept.data, kept.revision, &kept.run), (&json!({"a": 1}), 1, &None));
    assert_eq!(client.job_data("default", "keeps").await.unwrap(), kept);
    for stale in [Precondition::Absent, Precondition::Version(0), Precondition::Version(2)] {
        assert_eq!(code(put(json!({"a": 2}), stale).await), ErrorCode::ResourceStale);
    }
    assert_eq!(put(json!({"a": 2}), Precondition::Version(1)).await.unwrap().revision, 2);
    client.clear_job_data("default", "keeps", Precondition::Version(2)).await.unwrap();
    let kept = client.job_data("default", "keeps").await.unwrap();
    assert_eq!((kept.data, kept.revision), (json!({}), 3), "revisions never come back");
    running.stop().await;
}

#[tokio::test]
async fn what_cannot_be_kept_is_refused_in_words() {
    let running = start().await;
    let client = &running.client;
    let put = async |job, data: Value| code(client.put_job_data("default", job, &data, Precondition::None).await);
    assert_eq!(put("missing", json!({})).await, ErrorCode::JobNotFound);
    assert_eq!(put("plain", json!({})).await, ErrorCode::JobDataNotKept);
    assert_eq!(put("keeps", json!([1])).await, ErrorCode::JobDataInvalid);
    assert_eq!(put("keeps", json!({"x": "y".repeat(65_536)})).await, ErrorCode::JobDataInvalid);
    assert_eq!(client.job_data("default", "keeps").await.unwrap().revision, 0);
    for (job, at) in [
        (json!({"name": "wide", "noop": true, "keep_data": true}), Some("/keep_data")),
        (
            json!({"name": "wide", "noop": true, "keep_data": true, "overlap": "skip", "max_active": 2}),
            Some("/keep_data"),
        ),
        (json!({"name": "wide", "noop": true, "keep_data": true, "overlap": "hold"}), None),
    ] {
        let saved = client.put_job("default", &spec(job.clone()), Precondition::None, COMMIT).await.unwrap();
        let warnings: Vec<_> = saved.warnings.iter().map(|it| (it.code.as_str(), it.pointer.as_str())).collect();
        assert_eq!(warnings, at.map(|at| ("job.overlap_data", at)).into_iter().collect::<Vec<_>>(), "{job}");
    }
    running.stop().await;
}

/// What a worker is given next.
async fn given(client: &Client, id: &str, number: &mut u64) -> WorkerRun {
    loop {
        *number += 1;
        let poll = WorkerPoll { number: *number, free: 1, runs: Vec::new(), wait_ms: None, now: None };
        let orders = client.poll_worker(id, &poll, Duration::from_secs(3)).await.unwrap();
        if let Some(run) = orders.runs.into_iter().next() {
            return run;
        }
    }
}

fn ended(run: &WorkerRun, outcome: AttemptState, data: Value) -> WorkerReport {
    let now = Timestamp::from_millis(5_000);
    let end =
        WorkerEnd { started_at: Some(now), data: Some(data), ..WorkerEnd::new(&run.run, run.attempt, outcome, now) };
    WorkerReport { now, logs: Vec::new(), ends: vec![end] }
}

#[tokio::test]
async fn data_goes_to_workers_and_comes_back_with_a_success() {
    let running = start().await;
    let client = &running.client;
    let worker =
        WorkerSpec { name: "w".into(), queues: vec!["far".into()], slots: 1, labels: [].into(), version: None };
    let id = client.join_worker(&worker).await.unwrap().id;
    let mut number = 0;
    for (job, outcome, before, left, after) in [
        ("keeps", AttemptState::Succeeded, Some(json!({})), json!({"n": 1}), json!({"n": 1})),
        ("keeps", AttemptState::Failed, Some(json!({"n": 1})), json!({"n": 2}), json!({"n": 1})),
        ("keeps", AttemptState::Succeeded, Some(json!({"n": 1})), json!({"n": 3}), json!({"n": 3})),
        ("plain", AttemptState::Succeeded, None, json!({"n": 4}), json!({})),
    ] {
        let run = client.run_job("default", job, &RunNow::default()).await.unwrap().id;
        let order = given(client, &id, &mut number).await;
        assert_eq!((&order.run, &order.data), (&run, &before));
        for bad in [json!("odd"), json!({"x": "y".repeat(65_536)})] {
            let refused = client.report_worker(&id, &ended(&order, outcome, bad)).await;
            assert_eq!(code(refused), ErrorCode::WorkerData);
        }
        assert_eq!(client.report_worker(&id, &ended(&order, outcome, left)).await.unwrap().refused, []);
        let kept = client.job_data("default", job).await.unwrap();
        assert_eq!(kept.data, after, "{job} {outcome:?}");
        if outcome == AttemptState::Succeeded && before.is_some() {
            assert_eq!(kept.run, Some(run));
        }
    }
    client.leave_worker(&id).await.unwrap();
    running.stop().await;
}
