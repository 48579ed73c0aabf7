//! Deadlines: written, missed, told and shown.

use std::time::Duration;

use mainspring_api::client::Precondition;
use mainspring_api::{ErrorCode, Reason, RunNow, WriteOptions};
use serde_json::{Value, json};

use crate::kit::{Running, code, spec};

const COMMIT: WriteOptions = WriteOptions { dry_run: false };

// The engine looks by a timer, beside the requests.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_misses_its_deadline_goes_on_and_says_so() {
    let running = Running::start().await;
    let client = &running.client;
    // Its queue is paused: it waits for as long as the test likes.
    client.pause_queue("night", &Reason::default()).await.unwrap();
    let job =
        |within: &str| spec(json!({"name": "slow", "noop": true, "queue": "night", "deadline": {"within": within}}));
    for bad in ["soon", "0s"] {
        let refused = client.put_job("default", &job(bad), Precondition::None, COMMIT).await;
        assert_eq!(code(refused), ErrorCode::ScheduleDuration, "{bad}");
    }
    let saved = client.put_job("default", &job("200ms"), Precondition::None, COMMIT).await.unwrap();
    assert_eq!(saved.spec.deadline, job("200ms").deadline, "it is shown as it was written");
    let run = client.run_job("default", "slow", &RunNow::default()).await.unwrap();
    let due = run.deadline_at.unwrap();
    assert_eq!((due.as_millis() - run.created_at.as_millis(), run.deadline_missed), (200, false));
    let late = async {
        loop {
            let seen = client.run(&run.id).await.unwrap();
            if seen.deadline_missed {
                break seen;
            }
            tokio::task::yield_now().await;
        }
    };
    let late = tokio::time::timeout(Duration::from_secs(60), late).await.expect("it is told");
    assert!(!late.state.is_final(), "it goes on: {}", late.state);
    client.cancel_run(&run.id, &Reason::default()).await.unwrap();
    let events = running.engine.control().store().events(0, 1_000).await.unwrap();
    let told: Vec<Value> = events
        .iter()
        .filter(|event| event.kind == "run")
        .map(|event| serde_json::from_str(&event.payload).unwrap())
        .collect();
    assert_eq!(told, [json!({"key": format!("default/slow/{}", run.id), "change": "deadline_missed"})]);
    assert_eq!(running.engine.metrics().deadlines_missed.get(), 1);
    running.stop().await;
}
