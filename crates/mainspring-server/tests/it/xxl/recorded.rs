//! What recorded executors have said, said to a running server: every answer is one that they take for success.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use mainspring_api::{RunState, XxlAppSpec};
use mainspring_rig::executor::{Answer, Executor};
use serde_json::{Value, json};

use super::{ended, make_app, put, start};
use crate::kit::Running;

/// A request of a recorded executor.
struct Said {
    place: String,
    path: String,
    headers: BTreeMap<String, String>,
    body: String,
}

/// All that recorded executors have posted to the path of the protocol, in order.
fn recorded() -> Vec<Said> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mainspring-xxl/tests/vectors");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_none_or(|ending| ending != "jsonl") {
            continue;
        }
        for (number, line) in std::fs::read_to_string(&file).unwrap().lines().enumerate() {
            let line: Value = serde_json::from_str(line).unwrap();
            let path = line["path"].as_str().unwrap_or_default();
            if line["direction"] != "executor->admin" || line["method"] != "POST" || !path.contains("/api/") {
                continue;
            }
            let headers = line["request_headers"].as_object().unwrap().iter();
            // What the client of this test says of itself and of the body.
            let ours = ["host", "content-length", "connection", "accept-encoding", "transfer-encoding"];
            let headers = headers.filter(|(name, _)| !ours.contains(&name.to_lowercase().as_str()));
            all.push(Said {
                place: format!("{}:{}", file.file_name().unwrap().display(), number + 1),
                path: path.to_owned(),
                headers: headers.map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned())).collect(),
                body: line["request_body"].as_str().unwrap().replace("EXECUTOR_HOST:EXECUTOR_PORT", "10.9.8.7:9999"),
            });
        }
    }
    all
}

async fn with_recorded_app() -> Running {
    let running = Running::start().await;
    let (name, token) = ("recorded-app".to_owned(), Some("vector-token".to_owned()));
    let spec = XxlAppSpec { name, token, ..XxlAppSpec::default() };
    running.client.create_xxl_app(&spec).await.unwrap();
    running
}

async fn say(running: &Running, said: &Said) -> reqwest::Response {
    let mut request = running.http.post(format!("{}{}", running.url, said.path)).body(said.body.clone());
    for (name, value) in &said.headers {
        request = request.header(name, value);
    }
    request.send().await.unwrap()
}

#[tokio::test]
async fn whatever_executors_say_is_answered_with_success_at_once_also_of_runs_that_nobody_knows() {
    let running = with_recorded_app().await;
    let all = recorded();
    assert!(all.len() > 1_300, "{} requests were recorded", all.len());
    let good = json!({"code": 200, "msg": null, "content": null, "data": null});
    for said in &all {
        let begun = Instant::now();
        let response = say(&running, said).await;
        let kind = response.headers()["content-type"].to_str().unwrap().to_owned();
        assert_eq!(
            (response.status().as_u16(), kind.as_str()),
            (200, "application/json;charset=UTF-8"),
            "{}",
            said.place
        );
        assert_eq!(response.json::<Value>().await.unwrap(), good, "{}: {}", said.place, said.body);
        assert!(begun.elapsed() < Duration::from_secs(3), "{}: their clients wait for 3 s", said.place);
    }
    let known = running.client.xxl_app("recorded-app").await.unwrap().instances;
    assert!(known.iter().all(|one| one.address.starts_with("http://10.9.8.7:9999")), "{known:?}");
    running.stop().await;
}

#[tokio::test]
async fn a_redirect_loses_results_so_there_is_none_under_the_path_of_the_protocol() {
    let running = with_recorded_app().await;
    for path in [
        "/api/callback/",
        "/xxl-job-admin/api/callback/",
        "/api//callback",
        "/xxl-job-admin",
        "/xxl-job-admin/",
        "/api/",
    ] {
        let request =
            running.http.post(format!("{}{path}", running.url)).header("XXL-JOB-ACCESS-TOKEN", "vector-token");
        let status = request.body("[]").send().await.unwrap().status();
        assert!(!status.is_redirection() && !status.is_success(), "{path}: {status}");
    }
    running.stop().await;
}

#[tokio::test]
async fn a_result_comes_again_for_as_long_as_it_is_refused_and_counts_once() {
    let running = Running::start().await;
    let token = make_app(&running.client, Vec::new()).await;
    let executor = Executor::start(&running.url, &token).await;
    executor.register().await;
    put(&running.client, json!({"name": "a", "xxl": {"app": "mail", "handler": "h"}})).await;
    let run = start(&running.client, "a").await;
    let log_id = executor.next("/run").await.body["logId"].as_i64().unwrap();
    let result = |code: i64| json!([{"logId": log_id, "handleCode": code}]).to_string();
    let send = async |token: &str, body: String| {
        super::say(&running, "/api/callback", Some(token), &body).await.2["code"].clone()
    };
    assert_eq!(send("wrong", result(200)).await, 500, "the executor keeps it, and sends it again");
    // Java's client repeats a request by itself; pyxxl and Node send a failure after a refusal.
    for code in [200, 200, 500] {
        assert_eq!(send(&token, result(code)).await, 200);
    }
    let over = ended(&running.client, &run).await;
    assert_eq!((over.state, running.client.attempts(&run.id).await.unwrap().len()), (RunState::Succeeded, 1));
    running.stop().await;
}

#[tokio::test]
async fn a_batch_ends_each_run_by_its_number_after_the_executor_has_left() {
    let running = Running::start().await;
    let token = make_app(&running.client, Vec::new()).await;
    let executor = Executor::start(&running.url, &token).await;
    executor.register().await;
    put(&running.client, json!({"name": "a", "max_active": 5, "xxl": {"app": "mail", "handler": "h"}})).await;
    let (one, two) = (start(&running.client, "a").await, start(&running.client, "a").await);
    let mut numbers = Vec::new();
    for _ in 0..2 {
        let order = executor.next("/run").await;
        numbers.push((order.body["logId"].as_i64().unwrap(), order.body["executorParams"].clone()));
    }
    executor.leave_as(&executor.address()).await;
    // The queued one comes first after a kill, in an object as 3.5 wraps it, and one that nobody knows between them.
    let items: Vec<Value> = [(numbers[1].0, 500), (1, 200), (numbers[0].0, 500)]
        .iter()
        .map(|(log_id, code)| json!({"logId": log_id.to_string(), "handleCode": code, "handleMsg": {"odd": [1]}}))
        .collect();
    let body = json!({"callbackList": items}).to_string();
    let request = running.http.post(format!("{}/api/callback", running.url)).body(body);
    let request = request.header("XXL-JOB-ACCESS-TOKEN", &token).header("XXL-JOB-APPNAME", "mail");
    assert_eq!(request.send().await.unwrap().json::<Value>().await.unwrap()["code"], 200);
    for run in [one, two] {
        assert_eq!(ended(&running.client, &run).await.state, RunState::Failed);
    }
    running.stop().await;
}

#[tokio::test]
async fn idle_is_said_while_a_stubborn_handler_runs_so_its_late_end_still_counts() {
    let running = Running::start().await;
    let token = make_app(&running.client, Vec::new()).await;
    let executor = Executor::start(&running.url, &token).await;
    executor.register().await;
    put(&running.client, json!({"name": "a", "xxl": {"app": "mail", "handler": "h"}})).await;
    executor.then("/run", Answer::Never);
    let run = start(&running.client, "a").await;
    let log_id = executor.next("/run").await.body["logId"].as_i64().unwrap();
    // Its sending had no answer, and the executor says that no run of the job is there: that alone ends nothing.
    executor.next("/idleBeat").await;
    executor.next("/log").await;
    assert!(!running.client.run(&run.id).await.unwrap().state.is_final());
    executor.call_back(log_id, 200, "").await;
    assert_eq!(ended(&running.client, &run).await.state, RunState::Succeeded);
    running.stop().await;
}
