//! Who could execute the next run of a job, and why the others could not.

use mainspring_api::client::Precondition;
use mainspring_api::{ErrorCode, Fit, JobMatch, MatchCode, Reason, TakerKind, WhyCode, WorkerSpec, WriteOptions};
use serde_json::json;

use crate::kit::{Running, code, spec};

fn told(found: &JobMatch) -> Vec<(TakerKind, &str, Fit, Vec<MatchCode>)> {
    let one = |taker: &mainspring_api::Taker| taker.reasons.iter().map(|reason| reason.code).collect();
    found.takers.iter().map(|taker| (taker.kind, taker.name.as_str(), taker.fit, one(taker))).collect()
}

#[tokio::test]
async fn match_says_who_could_run_a_job_and_why_not() {
    let running = Running::start().await;
    let client = &running.client;
    for job in [json!({"name": "plain", "noop": true}), json!({"name": "far", "noop": true, "workers": {"zone": "eu"}})]
    {
        client.put_job("default", &spec(job), Precondition::None, WriteOptions::default()).await.unwrap();
    }
    let worker = |name: &str, queue: &str, zone: &str| WorkerSpec {
        name: name.to_owned(),
        queues: vec![queue.to_owned()],
        slots: 2,
        labels: [("zone".to_owned(), zone.to_owned())].into(),
        version: Some("9.9".to_owned()),
    };
    for (name, queue, zone) in [("a", "default", "eu"), ("b", "default", "us"), ("c", "mail", "eu")] {
        client.join_worker(&worker(name, queue, zone)).await.unwrap();
    }
    let plain = client.match_job("default", "plain").await.unwrap();
    let node = plain.takers[0].name.clone();
    assert_eq!(
        told(&plain),
        [
            (TakerKind::Node, node.as_str(), Fit::Now, vec![]),
            (TakerKind::Worker, "a", Fit::Now, vec![]),
            (TakerKind::Worker, "b", Fit::Now, vec![]),
            (TakerKind::Worker, "c", Fit::No, vec![MatchCode::OtherQueue]),
        ]
    );
    assert_eq!((plain.takers[1].slots, plain.takers[1].running), (Some(2), Some(0)));
    assert_eq!((plain.takers[1].version.as_deref(), plain.held_by.len()), (Some("9.9"), 0));

    client.pause_queue("default", &Reason::default()).await.unwrap();
    let far = client.match_job("default", "far").await.unwrap();
    assert_eq!(
        told(&far),
        [
            (TakerKind::Worker, "a", Fit::Now, vec![]),
            (TakerKind::Node, node.as_str(), Fit::No, vec![MatchCode::WorkersOnly]),
            (TakerKind::Worker, "b", Fit::No, vec![MatchCode::LabelsMissing]),
            (TakerKind::Worker, "c", Fit::No, vec![MatchCode::OtherQueue]),
        ]
    );
    assert_eq!((far.held_by[0].code, far.labels["zone"].as_str()), (WhyCode::QueuePaused, "eu"));
    assert_eq!(code(client.match_job("default", "none").await), ErrorCode::JobNotFound);
    running.stop().await;
}
