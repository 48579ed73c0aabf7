//! POSTs under an idempotency key, and other headers.

use std::sync::Arc;

use mainspring_api::client::Precondition;
use mainspring_api::{Reason, RunFilter, RunNow, RunState, WriteOptions};
use mainspring_core::cluster::{Renewal, Standing};
use mainspring_core::job::JobKey;
use mainspring_core::run::Origin;
use mainspring_core::{Incarnation, RunId, RunSource, Timestamp};
use mainspring_engine::{Engine, RunContext};
use mainspring_server::Settings;
use mainspring_store::{AskedRun, Claimed, KeyClaim, MemoryStore, NodeInfo, Store};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::kit::{Running, spec};

const RUN: &str = "/api/v1/namespaces/default/jobs/a/run";

async fn with_job() -> Running {
    let running = Running::start().await;
    let wanted = spec(json!({"name": "a", "noop": true}));
    running.client.put_job("default", &wanted, Precondition::None, WriteOptions::default()).await.unwrap();
    running
}

#[tokio::test]
async fn a_repetition_gets_the_first_answer_and_does_nothing() {
    let running = with_job().await;
    let send =
        |key: &'static str, body: Value| running.request("POST", RUN).header("Idempotency-Key", key).json(&body).send();
    let first = send("k1", json!({"params": {"x": 1}})).await.unwrap();
    assert_eq!(first.status(), 201);
    let first: Value = first.json().await.unwrap();
    let again = send("k1", json!({"params": {"x": 1}})).await.unwrap();
    assert_eq!((again.status().as_u16(), &again.headers()["idempotency-replayed"]), (201, &"true".parse().unwrap()));
    assert_eq!(again.json::<Value>().await.unwrap(), first);
    let other: Value = send("k1", json!({"params": {"x": 2}})).await.unwrap().json().await.unwrap();
    assert_eq!((&other["code"], &other["status"]), (&json!("idempotency.reused"), &json!(422)));
    let second: Value = send("k2", json!({"params": {"x": 1}})).await.unwrap().json().await.unwrap();
    assert_ne!(second["id"], first["id"]);
    let runs = running.client.runs("default", &RunFilter::default()).await.unwrap();
    assert_eq!(runs.items.len(), 2);
    running.stop().await;
}

#[tokio::test]
async fn a_move_that_is_repeated_takes_no_further_runs() {
    let running = Running::start().await;
    let wanted = spec(json!({"name": "a", "noop": true, "queue": "mail"}));
    running.client.put_job("default", &wanted, Precondition::None, WriteOptions::default()).await.unwrap();
    let post = |path: &'static str, key: &'static str, body: Value| {
        running.request("POST", path).header("Idempotency-Key", key).json(&body).send()
    };
    assert_eq!(post("/api/v1/queues/mail/pause", "pause", json!({})).await.unwrap().status(), 200);
    for key in ["r1", "r2", "r3"] {
        assert_eq!(post(RUN, key, json!({})).await.unwrap().status(), 201);
    }
    let mut moved = Vec::new();
    for (key, limit) in [("first", 1), ("first", 1), ("rest", 10)] {
        let body = json!({"to": "bulk", "limit": limit});
        let answer: Value = post("/api/v1/queues/mail/move", key, body).await.unwrap().json().await.unwrap();
        moved.push(answer["moved"].as_u64().unwrap());
    }
    assert_eq!(moved, [1, 1, 2], "the second answer is the first one again");
    running.stop().await;
}

#[tokio::test]
async fn a_refused_request_is_tried_anew_under_its_key() {
    let running = with_job().await;
    let path = "/api/v1/namespaces/default/jobs/later/run";
    let send = || running.request("POST", path).header("Idempotency-Key", "k").send();
    assert_eq!(send().await.unwrap().status(), 404);
    let wanted = spec(json!({"name": "later", "noop": true}));
    running.client.put_job("default", &wanted, Precondition::None, WriteOptions::default()).await.unwrap();
    assert_eq!(send().await.unwrap().status(), 201);
    running.stop().await;
}

/// Another process start, which has claimed keys.
const OTHER: Incarnation = Incarnation(7);

/// Claims the key `k` for another process start and a request without a body.
async fn claim(store: &dyn Store, path: &str, since: Timestamp) {
    let request_hash = Sha256::digest(format!("POST\0{path}\0")).into();
    let claim = KeyClaim { key: "k".into(), request_hash, by: OTHER, at: since, lapse_ms: 60_000 };
    assert_eq!(store.claim_key(claim).await.unwrap(), Claimed::Yours { since, again: false });
}

/// A server over a store of several nodes, with one that has claimed the key `k` for a run of `default/a`.
async fn beside_another() -> (Running, Arc<MemoryStore>, Timestamp) {
    let store = Arc::new(MemoryStore::shared());
    let engine = Engine::start(Arc::clone(&store) as Arc<dyn Store>, mainspring_engine::Settings::default());
    let running = Running::over(Arc::new(engine.await.unwrap()), Settings::default()).await;
    let wanted = spec(json!({"name": "a", "noop": true}));
    running.client.put_job("default", &wanted, Precondition::None, WriteOptions::default()).await.unwrap();
    let about = NodeInfo { name: "other".into(), address: String::new(), version: "1.0.0".into() };
    let renewal = Renewal { join: true, standing: Standing::Eligible, clock_offset_ms: None, answer_ms: None };
    store.cluster().unwrap().renew(OTHER, &about, renewal).await.unwrap();
    let since = running.engine.control().now();
    claim(&*store, RUN, since).await;
    (running, store, since)
}

async fn die(store: &MemoryStore) {
    store.cluster().unwrap().bury(OTHER, None).await.unwrap();
}

#[tokio::test]
async fn a_request_that_another_node_is_at_is_waited_for_while_that_lives() {
    let (running, store, _) = beside_another().await;
    let send = || running.request("POST", RUN).header("Idempotency-Key", "k").send();
    let waits = send().await.unwrap();
    assert_eq!((waits.status().as_u16(), &waits.headers()["retry-after"]), (409, &"1".parse().unwrap()));
    assert_eq!(waits.json::<Value>().await.unwrap()["code"], "idempotency.pending");
    let other = running.request("POST", RUN).header("Idempotency-Key", "k").json(&json!({})).send().await.unwrap();
    assert_eq!(other.json::<Value>().await.unwrap()["code"], "idempotency.reused");
    die(&store).await;
    let done = send().await.unwrap();
    assert_eq!((done.status().as_u16(), done.headers().get("idempotency-replayed")), (201, None));
    let again = send().await.unwrap();
    assert_eq!(again.headers()["idempotency-replayed"], "true");
    assert_eq!(again.json::<Value>().await.unwrap(), done.json::<Value>().await.unwrap());
    running.stop().await;
}

/// How a key names its run must stay as it is: nodes of different versions take over from each other.
#[tokio::test]
async fn a_run_that_was_made_by_a_node_that_died_is_not_made_again() {
    let (running, store, since) = beside_another().await;
    let job = store.job(&JobKey::new("default", "a")).await.unwrap().unwrap();
    let number = u64::from_be_bytes(Sha256::digest("k")[..8].try_into().unwrap());
    let id = RunId::new(since, RunSource::Asked(job.id, number));
    let asked = AskedRun {
        id,
        job: job.id,
        job_version: job.version,
        origin: Origin::Api,
        input: None,
        queue: job.definition.queue.clone(),
        priority: 0,
        rerun_of: None,
        repeat: None,
        caller: None,
        fire_time: since,
        at: since,
    };
    store.ask_run(asked).await.unwrap();
    die(&store).await;
    let answer = running.request("POST", RUN).header("Idempotency-Key", "k").send().await.unwrap();
    assert_eq!(answer.status(), 201);
    assert_eq!(answer.json::<Value>().await.unwrap()["id"], id.to_string());
    let runs = running.client.runs("default", &RunFilter::default()).await.unwrap();
    assert_eq!(runs.items.len(), 1);
    running.stop().await;
}

#[tokio::test]
async fn a_run_that_was_cancelled_before_its_node_died_is_cancelled() {
    let running = Running::start().await;
    let client = &running.client;
    running.engine.handlers().register("hang", |context: RunContext| async move { context.cancelled().await });
    let wanted = spec(json!({"name": "a", "handler": "hang"}));
    client.put_job("default", &wanted, Precondition::None, WriteOptions::default()).await.unwrap();
    let run = client.run_job("default", "a", &RunNow::default()).await.unwrap();
    let path = format!("/api/v1/runs/{}/cancel", run.id);
    claim(&**running.engine.control().store(), &path, running.engine.control().now()).await;
    client.cancel_run(&run.id, &Reason::default()).await.unwrap();
    assert_eq!(client.wait_for_run(&run.id).await.unwrap().state, RunState::Cancelled);
    let send = |key: &'static str| running.request("POST", &path).header("Idempotency-Key", key).send();
    let again = send("k").await.unwrap();
    assert_eq!(again.status(), 202);
    assert_eq!(again.json::<Value>().await.unwrap()["state"], "cancelled");
    assert_eq!(send("new").await.unwrap().json::<Value>().await.unwrap()["code"], "run.final");
    running.stop().await;
}

#[tokio::test]
async fn headers_that_say_nothing_sensible_are_refused() {
    let running = with_job().await;
    let long = "x".repeat(129);
    let job = "/api/v1/namespaces/default/jobs/a";
    for (method, path, header, value, code) in [
        ("POST", RUN, "Idempotency-Key", "a b", "request.header"),
        ("POST", RUN, "Idempotency-Key", long.as_str(), "request.header"),
        ("DELETE", job, "If-Match", "7", "request.header"),
        ("DELETE", job, "If-Match", "W/\"7\"", "request.header"),
        ("DELETE", job, "If-None-Match", "\"7\"", "request.header"),
        ("GET", "/api/v1/events", "Last-Event-ID", "now", "request.header"),
        ("PUT", job, "Content-Type", "text/plain", "request.media_type"),
        ("GET", "/api/v1/namespaces/default/jobs?limt=3", "Accept", "*/*", "request.query"),
        ("GET", "/api/v1/nowhere", "Accept", "*/*", "route.unknown"),
        ("PATCH", "/api/v1/nodes", "Accept", "*/*", "route.method"),
    ] {
        let answer = running.request(method, path).header(header, value).send().await.unwrap();
        let allow = answer.headers().get("allow").cloned();
        let problem: Value = answer.json().await.unwrap();
        assert_eq!(problem["code"], code, "{method} {path} {header}: {value}");
        assert_eq!(allow.is_some(), code == "route.method", "{path}");
    }
    running.stop().await;
}

#[tokio::test]
async fn bodies_have_limits() {
    let running = with_job().await;
    let large = vec![b' '; (1 << 20) + 1];
    let put = running.request("PUT", "/api/v1/namespaces/default/jobs/a").header("Content-Type", "application/json");
    let answer = put.body(large).send().await.unwrap();
    assert_eq!(answer.status(), 413);
    assert_eq!(answer.json::<Value>().await.unwrap()["code"], "request.too_large");
    let deep = "[".repeat(100_000);
    let put = running.request("PUT", "/api/v1/namespaces/default/jobs/a").header("Content-Type", "application/json");
    let answer = put.body(deep).send().await.unwrap();
    assert!(answer.status().is_client_error());
    running.stop().await;
}
