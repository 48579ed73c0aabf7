//! What Prometheus is told of executors.

use mainspring_api::RunState;
use mainspring_rig::executor::Executor;
use serde_json::json;

use super::{PATIENCE, ended, make_app, put, start};
use crate::kit::Running;

/// Waits until all of these lines are told.
async fn told(running: &Running, lines: &[&str]) {
    let all = async {
        loop {
            let text = running.request("GET", "/metrics").send().await.unwrap().text().await.unwrap();
            if lines.iter().all(|line| text.contains(&format!("mainspring_xxl_{line}\n"))) {
                return;
            }
        }
    };
    tokio::time::timeout(PATIENCE, all).await.unwrap_or_else(|_| panic!("{lines:?}"));
}

#[tokio::test]
async fn prometheus_is_told_of_executors_of_what_they_are_sent_and_of_the_ends_that_they_report() {
    let running = Running::start().await;
    let token = make_app(&running.client, Vec::new()).await;
    let executor = Executor::start(&running.url, &token).await;
    executor.register().await;
    executor.register_as("http://127.0.0.1:1/").await;
    executor.leave_as("http://127.0.0.1:1/").await;
    put(&running.client, json!({"name": "a", "xxl": {"app": "mail", "handler": "h"}})).await;
    let run = start(&running.client, "a").await;
    let log_id = executor.next("/run").await.body["logId"].as_i64().unwrap();
    let sent = [
        r#"executors{app="mail",state="alive"} 1"#,
        r#"executors{app="mail",state="stopped"} 0"#,
        r#"executors{app="mail",state="gone"} 1"#,
        r#"running{app="mail"} 1"#,
        r#"requests_total{app="mail",result="accepted"} 1"#,
    ];
    told(&running, &sent).await;
    for number in [log_id, log_id, 1] {
        executor.call_back(number, 200, "").await;
    }
    assert_eq!(ended(&running.client, &run).await.state, RunState::Succeeded);
    let ends = [
        r#"ends_total{result="recorded"} 1"#,
        r#"ends_total{result="repeated"} 1"#,
        r#"ends_total{result="unknown"} 1"#,
        r#"running{app="mail"} 0"#,
    ];
    told(&running, &ends).await;
    running.stop().await;
}
