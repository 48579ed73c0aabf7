//! Who paused something, when and why: wherever it is looked at, and until the pause ends.

use mainspring_api::client::Precondition;
use mainspring_api::{JobFilter, Reason, TriggerFilter, WriteOptions};
use serde_json::json;

use crate::kit::{Running, spec};

const NAMESPACE: &str = "default";

fn because(reason: &str) -> Reason {
    Reason { reason: Some(reason.to_owned()), by: Some("ann@north".to_owned()) }
}

#[tokio::test]
async fn pauses_say_who_when_and_why_until_they_end() {
    let running = Running::start().await;
    let client = &running.client;
    let job = spec(json!({"name": "a", "noop": true, "schedule": "@daily"}));
    let saved = client.put_job(NAMESPACE, &job, Precondition::None, WriteOptions::default()).await.unwrap();
    assert_eq!((&saved.pause_reason, &saved.paused_by, saved.paused_at), (&None, &None, None));

    let paused = client.pause_job(NAMESPACE, "a", &because("full disk")).await.unwrap();
    let by = Some("ann@north, with the access token".to_owned());
    assert_eq!((paused.pause_reason.as_deref(), &paused.paused_by), (Some("full disk"), &by));
    let again = client.pause_job(NAMESPACE, "a", &Reason::default()).await.unwrap();
    assert_eq!(again.pause_reason, paused.pause_reason, "a pause that changes nothing hides no reason");
    let listed = client.jobs(NAMESPACE, &JobFilter::default()).await.unwrap().items.remove(0);
    assert_eq!((&listed.pause_reason, listed.paused_at), (&paused.pause_reason, paused.paused_at));
    assert!(listed.paused_at.is_some());
    let why = client.why_job(NAMESPACE, "a").await.unwrap();
    assert!(why.reasons[0].message.contains("by ann@north, with the access token: full disk"), "{why:?}");

    let name = client.triggers(NAMESPACE, &TriggerFilter::default()).await.unwrap().items.remove(0).name;
    let why = client.why_trigger(NAMESPACE, "a", &name).await.unwrap();
    assert!(why.reasons[0].message.ends_with(": full disk"), "{why:?}");
    let trigger = client.pause_trigger(NAMESPACE, "a", &name, &because("moved")).await.unwrap();
    assert_eq!((trigger.pause_reason.as_deref(), &trigger.paused_by), (Some("moved"), &by));
    let listed = client.triggers(NAMESPACE, &TriggerFilter::default()).await.unwrap().items.remove(0);
    assert_eq!(listed.pause_reason, trigger.pause_reason);

    let queue = client.pause_queue("mail", &because("the mail server is down")).await.unwrap();
    assert_eq!((queue.pause_reason.as_deref(), &queue.paused_by), (Some("the mail server is down"), &by));
    let queue = client.resume_queue("mail", &Reason::default()).await.unwrap();
    assert_eq!((queue.pause_reason, queue.paused_by, queue.paused_at), (None, None, None));

    let resumed = client.resume_job(NAMESPACE, "a", &Reason::default()).await.unwrap();
    assert_eq!((resumed.pause_reason, resumed.paused_by, resumed.paused_at), (None, None, None));
    running.stop().await;
}

#[tokio::test]
async fn a_reason_that_is_too_long_pauses_nothing() {
    let running = Running::start().await;
    let answer = running.request("POST", "/api/v1/queues/mail/pause").json(&json!({"reason": "x".repeat(1_001)}));
    let answer = answer.send().await.unwrap();
    assert_eq!(answer.status(), 422);
    assert!(answer.text().await.unwrap().contains("/reason"));
    assert!(running.client.queues().await.unwrap().iter().all(|queue| !queue.settings.paused));
    running.stop().await;
}
