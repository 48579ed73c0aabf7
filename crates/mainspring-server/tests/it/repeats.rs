//! POSTs under an idempotency key, and other headers.

use mainspring_api::client::Precondition;
use mainspring_api::{RunFilter, WriteOptions};
use serde_json::{Value, json};

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
