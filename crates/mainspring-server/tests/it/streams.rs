//! Events, health and figures.

use std::time::Duration;

use mainspring_api::client::Precondition;
use mainspring_api::{ErrorCode, Event, EventFilter, HealthStatus, NodeState, Reason, RunNow, WriteOptions};
use mainspring_server::Settings;
use serde_json::json;

use crate::kit::{Running, code, spec};

const COMMIT: WriteOptions = WriteOptions { dry_run: false };

async fn next(stream: &mut mainspring_api::client::EventStream) -> Event {
    let event = tokio::time::timeout(Duration::from_secs(20), stream.next()).await;
    event.expect("an event comes").unwrap().expect("the stream goes on")
}

#[tokio::test]
async fn events_arrive_once_and_resume_after_any_of_them() {
    let running = Running::start().await;
    let client = &running.client;
    let mut stream = client.events(&EventFilter::default(), None).await.unwrap();
    client.put_job("default", &spec(json!({"name": "a", "noop": true})), Precondition::None, COMMIT).await.unwrap();
    let run = client.run_job("default", "a", &RunNow::default()).await.unwrap();
    client.wait_for_run(&run.id).await.unwrap();

    let mut seen = Vec::new();
    while seen.last().is_none_or(|event: &Event| event.kind != "run.succeeded") {
        seen.push(next(&mut stream).await);
    }
    let kinds: Vec<_> = seen.iter().map(|event| event.kind.as_str()).collect();
    assert!(kinds.contains(&"job.created") && kinds.contains(&"run.started"), "{kinds:?}");
    let runs = seen.iter().filter(|event| event.kind.starts_with("run."));
    assert!(runs.clone().all(|event| event.run.as_ref() == Some(&run.id) && event.job.as_deref() == Some("a")));

    for (index, event) in seen.iter().enumerate() {
        let mut resumed = client.events(&EventFilter::default(), Some(&event.id)).await.unwrap();
        for expected in &seen[index + 1..] {
            assert_eq!(&next(&mut resumed).await, expected, "after {}", event.id);
        }
    }
    let filter = EventFilter { kind: Some("run.*".into()), run: Some(run.id.clone()), ..EventFilter::default() };
    let mut filtered = client.events(&filter, Some("0")).await.unwrap();
    for expected in runs {
        assert_eq!(&next(&mut filtered).await, expected);
    }
    running.stop().await;
}

#[tokio::test]
async fn streams_end_when_the_server_stops() {
    let running = Running::start().await;
    let mut stream = running.client.events(&EventFilter::default(), None).await.unwrap();
    let begun = std::time::Instant::now();
    running.stop().await;
    assert!(matches!(stream.next().await, Ok(None)));
    assert!(begun.elapsed() < Duration::from_secs(5), "the grace period was not waited for");
}

#[tokio::test]
async fn health_follows_the_engine() {
    let running = Running::start().await;
    let ready = tokio::time::timeout(Duration::from_secs(20), async {
        loop {
            let health = running.client.readyz().await.unwrap();
            if health.status == HealthStatus::Ok {
                return health;
            }
        }
    });
    let ready = ready.await.expect("the engine ticks");
    let names: Vec<_> = ready.checks.iter().map(|check| check.name.as_str()).collect();
    assert_eq!(names, ["store", "migrations", "engine", "clock"]);
    let brief: serde_json::Value =
        running.http.get(format!("{}/readyz", running.url)).send().await.unwrap().json().await.unwrap();
    assert_eq!(brief, json!({"status": "ok"}));
    running.engine.drain();
    assert_eq!(running.client.readyz().await.unwrap().status, HealthStatus::Draining);
    assert_eq!(running.client.livez().await.unwrap().status, HealthStatus::Ok);
    assert_eq!(running.client.nodes().await.unwrap()[0].state, NodeState::Draining);
    running.stop().await;
}

#[tokio::test]
async fn a_store_of_its_own_is_a_cluster_of_one() {
    let settings = Settings { node_name: Some("alone".to_owned()), ..Settings::default() };
    let running = Running::start_with(settings).await;
    let cluster = running.client.cluster().await.unwrap();
    assert_eq!((cluster.store.as_str(), cluster.trusted, cluster.nodes.len()), ("memory", true, 1));
    let node = &cluster.nodes[0];
    assert_eq!((node.name.as_str(), node.state, node.shards), ("alone", NodeState::Active, 256));
    assert!(node.answering && node.slots.is_some() && node.id == cluster.node);
    assert_eq!(cluster.shards.len(), 256);
    assert!(cluster.shards.iter().all(|shard| shard.node.as_deref() == Some("alone") && shard.epoch.is_none()));
    assert_eq!(running.client.shard_moves().await.unwrap(), []);
    let why = Reason { reason: Some("new kernel".to_owned()), ..Reason::default() };
    assert_eq!(code(running.client.drain_node("alone", &why).await), ErrorCode::ClusterSingle);
    assert_eq!(code(running.client.undrain_node(&node.id, &why).await), ErrorCode::ClusterSingle);
    running.stop().await;
}

#[tokio::test]
async fn figures_have_the_documented_names() {
    let running = Running::start().await;
    running
        .client
        .put_job("default", &spec(json!({"name": "a", "noop": true})), Precondition::None, COMMIT)
        .await
        .unwrap();
    let run = running.client.run_job("default", "a", &RunNow::default()).await.unwrap();
    running.client.wait_for_run(&run.id).await.unwrap();
    let text = running.client.metrics().await.unwrap();
    for name in [
        "mainspring_fire_lateness_seconds_bucket",
        "mainspring_runs_total{result=\"succeeded\",trigger=\"request\"} 1",
        "mainspring_queue_wait_seconds_count 1",
        "mainspring_dispatch_duration_seconds_count 1",
        "mainspring_runs_active{state=\"queued\"} 0",
        "mainspring_queue_oldest_age_seconds 0",
        "mainspring_retention_deleted_total 0",
        "mainspring_http_server_request_duration_seconds_count{route=\"/api/v1/namespaces/{namespace}/jobs/{job}\",status=\"201\"} 1",
        "mainspring_stream_clients 0",
        "mainspring_build_info{version=",
        "mainspring_node_info{name=",
        "mainspring_shards_owned ",
        "mainspring_clock_offset_seconds 0.0",
        "# EOF",
    ] {
        assert!(text.contains(name), "{name} in\n{text}");
    }
    let info = running.client.info().await.unwrap();
    assert_eq!((info.store.as_str(), info.default_timezone.as_str()), ("memory", "UTC"));
    running.stop().await;
}
