//! Operations over many jobs, and saved views.

use std::time::Duration;

use mainspring_api::client::Precondition;
use mainspring_api::{PageFilter, RunNow, RunState, SavedFrom, WriteOptions};
use serde_json::{Value, json};

use crate::kit::{Running, spec};

const COMMIT: WriteOptions = WriteOptions { dry_run: false };
const OPERATIONS: &str = "/api/v1/operations";

async fn put_job(running: &Running, job: Value) {
    running.client.put_job("default", &spec(job), Precondition::None, COMMIT).await.unwrap();
}

async fn ask(running: &Running, method: &str, path: &str, body: Value) -> (u16, Value) {
    let answer = running.request(method, path).json(&body).send().await.unwrap();
    let status = answer.status().as_u16();
    (status, answer.json().await.unwrap_or_default())
}

/// Begins an operation, and waits for its end.
async fn carried_out(running: &Running, body: Value) -> Value {
    let (status, begun) = ask(running, "POST", OPERATIONS, body).await;
    assert_eq!(status, 202, "{begun}");
    ended(running, begun["id"].as_str().unwrap()).await
}

async fn ended(running: &Running, id: &str) -> Value {
    let waits = async {
        loop {
            let answer = running.request("GET", &format!("{OPERATIONS}/{id}")).send().await.unwrap();
            let operation: Value = answer.json().await.unwrap();
            if operation["ended_at"].is_string() {
                return operation;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waits).await.expect("it ends")
}

fn counts(operation: &Value) -> (u64, u64, u64) {
    let count = |name: &str| operation[name].as_u64().unwrap();
    (count("total"), count("done"), count("failed"))
}

#[tokio::test]
async fn many_jobs_are_changed_and_what_fails_is_told() {
    let running = Running::start().await;
    for name in ["a", "b", "c"] {
        put_job(&running, json!({"name": name, "noop": true, "labels": {"team": "x", "old": "1"}})).await;
    }
    let of =
        |names: &[&str], action: &str| json!({"action": action, "selector": {"namespace": "default", "names": names}});

    let paused = carried_out(&running, of(&["a", "none", "b", "a"], "pause")).await;
    assert_eq!((counts(&paused), &paused["state"]), ((3, 2, 1), &json!("done")));
    assert_eq!(paused["errors"][0]["name"], "none");
    assert_eq!(paused["errors"][0]["code"], "job.not_found");
    let job = async |name: &str| running.client.job("default", name).await.unwrap();
    assert!(job("a").await.paused && job("b").await.paused && !job("c").await.paused);

    let all = json!({"action": "resume", "selector": {"namespace": "default", "q": ""}, "reason": "mended"});
    let resumed = carried_out(&running, all).await;
    assert_eq!((counts(&resumed), &resumed["reason"]), ((3, 3, 0), &json!("mended")));
    assert!(!job("a").await.paused);

    let mut label = of(&["a", "b"], "label");
    label["add_labels"] = json!({"team": "y", "new": "2"});
    label["remove_labels"] = json!(["old"]);
    assert_eq!(counts(&carried_out(&running, label).await), (2, 2, 0));
    let labels = job("a").await.spec.labels;
    let labels: Vec<_> = labels.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(labels, [("new", "2"), ("team", "y")]);
    let versions = running.client.job_versions("default", "a", &PageFilter::default()).await.unwrap();
    assert_eq!(versions.items[0].saved_from, Some(SavedFrom::Operation));

    let q = |q: &str| json!({"action": "run", "selector": {"namespace": "default", "q": q}});
    assert_eq!(counts(&carried_out(&running, q("label:team=y -name:b")).await), (1, 1, 0));
    let (_, problem) = ask(&running, "POST", OPERATIONS, q("nosuchfield:x")).await;
    assert_eq!(problem["code"], "search.syntax");
    assert_eq!(counts(&carried_out(&running, of(&["a", "b"], "delete")).await), (2, 2, 0));
    assert!(running.client.job("default", "a").await.is_err());

    // Newest first, in pages.
    let list = |cursor: &str| running.request("GET", &format!("{OPERATIONS}?limit=2{cursor}")).send();
    let page: Value = list("").await.unwrap().json().await.unwrap();
    let actions: Vec<_> = page["items"].as_array().unwrap().iter().map(|it| it["action"].clone()).collect();
    assert_eq!(actions, ["delete", "run"]);
    let next = format!("&cursor={}", page["next_cursor"].as_str().unwrap());
    let page: Value = list(&next).await.unwrap().json().await.unwrap();
    assert_eq!(page["items"][0]["action"], "label");
    running.stop().await;
}

#[tokio::test]
async fn runs_of_many_jobs_are_cancelled() {
    let running = Running::start().await;
    let mut runs = Vec::new();
    for name in ["a", "b"] {
        put_job(&running, json!({"name": name, "handler": "never", "queue": "none"})).await;
        for _ in 0..2 {
            runs.push(running.client.run_job("default", name, &RunNow::default()).await.unwrap().id);
        }
    }
    // Runs wait for as long as the queue is paused, whatever else there is.
    let (status, _) = ask(&running, "POST", "/api/v1/queues/none/pause", json!({})).await;
    assert_eq!(status, 200);
    let body = json!({"action": "cancel", "selector": {"namespace": "default", "names": ["a", "b"]}});
    assert_eq!(counts(&carried_out(&running, body).await), (2, 2, 0));
    for run in runs {
        let run = running.client.wait_for_run(&run).await.unwrap();
        assert!(matches!(run.state, RunState::Cancelled | RunState::Failed), "{run:?}");
    }
    running.stop().await;
}

#[tokio::test]
async fn failed_runs_of_a_queue_are_run_again_once() {
    let running = Running::start().await;
    for (name, queue) in [("a", "mail"), ("b", "mail"), ("c", "bulk")] {
        put_job(&running, json!({"name": name, "handler": "none", "queue": queue})).await;
    }
    let mut runs = Vec::new();
    for name in ["a", "b", "c", "a"] {
        let run = running.client.run_job("default", name, &RunNow::default()).await.unwrap();
        runs.push(running.client.wait_for_run(&run.id).await.unwrap());
    }
    assert!(runs.iter().all(|run| run.state == RunState::Failed), "{runs:?}");
    let body = json!({"action": "rerun", "selector": {"namespace": "-", "q": "queue:mail"}, "reason": "mended"});
    let (status, planned) = ask(&running, "POST", &format!("{OPERATIONS}?dry_run=true"), body.clone()).await;
    assert_eq!((status, &planned["state"], counts(&planned)), (200, &json!("planned"), (3, 0, 0)));
    assert_eq!(planned["sample"], json!([runs[0].id, runs[1].id, runs[3].id]), "in the order in which they came");
    assert_eq!(ask(&running, "GET", OPERATIONS, json!({})).await.1["items"], json!([]), "nothing was begun");

    let done = carried_out(&running, body.clone()).await;
    assert_eq!((counts(&done), &done["by"]), ((3, 3, 0), &json!("the access token")));
    let filter = mainspring_api::RunFilter::default();
    let again = running.client.runs("default", &filter).await.unwrap().items;
    let again: Vec<_> = again.into_iter().filter(|run| run.rerun_of.is_some()).collect();
    assert_eq!(again.len(), 3);
    for run in &again {
        running.client.wait_for_run(&run.id).await.unwrap();
    }
    // Those that failed again are there, and those from before are not: each is run again once.
    let (_, planned) = ask(&running, "POST", &format!("{OPERATIONS}?dry_run=true"), body).await;
    let sample: Vec<_> = planned["sample"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    assert_eq!(sample.len(), 3);
    assert!(again.iter().all(|run| sample.contains(&run.id.as_str())), "{planned}");
    // By their ids, runs start again however often.
    let named = json!({"action": "rerun", "selector": {"namespace": "default", "names": [runs[0].id, uuid(7)]}});
    let named = carried_out(&running, named).await;
    assert_eq!((counts(&named), &named["errors"][0]["code"]), ((2, 1, 1), &json!("run.not_found")));
    running.stop().await;
}

/// The id of a run that is not there.
fn uuid(number: u32) -> String {
    format!("019a8c1e-5400-8a3b-9c55-{number:012x}")
}

#[tokio::test]
async fn what_cannot_be_meant_is_refused() {
    let running = Running::start().await;
    let cases = [
        (json!({"action": "pause", "selector": {"namespace": "default"}}), 422, "field.missing"),
        (json!({"action": "stop", "selector": {"namespace": "default", "q": ""}}), 422, "field.value"),
        (json!({"action": "pause", "selector": {"namespace": "nowhere", "q": ""}}), 404, "namespace.not_found"),
        (json!({"action": "pause", "selector": {"namespace": "default", "names": ["a/b"]}}), 422, "name.invalid"),
    ];
    for (body, status, code) in cases {
        let (found, problem) = ask(&running, "POST", OPERATIONS, body.clone()).await;
        assert_eq!((found, problem["code"].as_str()), (status, Some(code)), "{body}");
    }
    for (method, path) in [("GET", "/none"), ("POST", "/none/cancel")] {
        let (status, problem) = ask(&running, method, &format!("{OPERATIONS}{path}"), json!({})).await;
        assert_eq!((status, problem["code"].as_str()), (404, Some("operation.not_found")));
    }
    running.stop().await;
}

/// What is asked for under a key is begun once.
#[tokio::test]
async fn an_operation_is_begun_once_and_ends_on_request() {
    let running = Running::start().await;
    let names: Vec<_> = (0..20_000).map(|number| format!("none-{number}")).collect();
    let body = json!({"action": "pause", "selector": {"namespace": "default", "names": names}});
    let begin = || running.request("POST", OPERATIONS).header("idempotency-key", "k").json(&body).send();
    let first: Value = begin().await.unwrap().json().await.unwrap();
    let second: Value = begin().await.unwrap().json().await.unwrap();
    assert_eq!(first["id"], second["id"]);
    let id = first["id"].as_str().unwrap();
    let (status, asked) = ask(&running, "POST", &format!("{OPERATIONS}/{id}/cancel"), json!({})).await;
    assert_eq!(status, 202);
    let over = ended(&running, id).await;
    let (total, done, failed) = counts(&over);
    // It may have been over before it was asked.
    let expected = if asked["state"] == "running" { ["cancelled", "done"].as_slice() } else { &["done"] };
    assert!(expected.contains(&over["state"].as_str().unwrap()), "{over}");
    assert!(total == 20_000 && done == 0 && failed <= total, "{over}");
    assert!(over["errors"].as_array().unwrap().len() <= 100);
    running.stop().await;
}

#[tokio::test]
async fn views_are_saved_under_any_name() {
    let running = Running::start().await;
    let path = "/api/v1/views/%E5%A4%B1%E8%B4%A5%20jobs";
    let view = json!({"page": "jobs", "query": "state:failing", "columns": ["name", "next"], "sort": "-last", "group": "owner"});
    let (status, made) = ask(&running, "PUT", path, view.clone()).await;
    assert_eq!((status, &made["name"], &made["version"]), (201, &json!("失败 jobs"), &json!(1)));
    assert_eq!((&made["query"], &made["group"]), (&json!("state:failing"), &json!("owner")));
    let stale = running.request("PUT", path).header("if-match", "\"7\"").json(&view).send().await.unwrap();
    assert_eq!(stale.status(), 412);
    let other = json!({"page": "runs"});
    assert_eq!(ask(&running, "PUT", path, other.clone()).await.0, 200);
    assert_eq!(ask(&running, "PUT", "/api/v1/views/b", view).await.0, 201);
    let list = async |query: &str| {
        let answer = running.request("GET", &format!("/api/v1/views{query}")).send().await.unwrap();
        let views: Value = answer.json().await.unwrap();
        views.as_array().unwrap().iter().map(|view| view["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        (list("").await, list("?page=runs").await),
        (vec!["b".into(), "失败 jobs".into()], vec!["失败 jobs".to_owned()])
    );
    let (status, shown) = ask(&running, "GET", path, json!({})).await;
    assert_eq!((status, &shown["version"], shown.get("query")), (200, &json!(2), None));
    let delete = running.request("DELETE", path).send().await.unwrap();
    assert_eq!(delete.status(), 204);
    let (status, problem) = ask(&running, "GET", path, json!({})).await;
    assert_eq!((status, &problem["code"]), (404, &json!("view.not_found")));
    let long = format!("/api/v1/views/{}", "x".repeat(65));
    for path in ["/api/v1/views/%20a", "/api/v1/views/a%0Ab", &long] {
        assert_eq!(ask(&running, "PUT", path, other.clone()).await.0, 422, "{path}");
    }
    running.stop().await;
}
