//! Components that lack a job: they wait for it, visibly, and can be stopped.

use std::time::Duration;

use mainspring_api::client::Precondition;
use mainspring_api::{ErrorCode, FlowAction, FlowChange, FlowComponent, FlowSpec, WriteOptions};
use serde_json::json;

use crate::kit::{Running, code};

fn spec() -> FlowSpec {
    serde_json::from_value(json!({
        "flow": "jobs",
        "components": {
            "make": {"generate": {"payload": "{}"}, "schedule": "1 hour"},
            "greet": {"run_job": "greet", "event": true, "end": ["success", "failure"]},
        },
        "connections": [{"from": "make", "to": "greet"}],
    }))
    .unwrap()
}

async fn greet(running: &Running) -> FlowComponent {
    running.client.flow_why("default", "jobs", "greet").await.unwrap()
}

/// Waits until `greet` has this state.
async fn until(running: &Running, is_it: impl Fn(&FlowComponent) -> bool) -> FlowComponent {
    let there = async {
        loop {
            let component = greet(running).await;
            if is_it(&component) {
                return component;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), there).await.expect("it comes to that")
}

#[tokio::test]
async fn a_component_waits_for_its_job() {
    let running = Running::start().await;
    let client = &running.client;
    let change = |action, name: &str| FlowChange { action, components: Some(vec![name.to_owned()]) };
    let does = async |action, name: &str| client.change_flow("default", "jobs", &change(action, name)).await;
    let lacks = "there is no job \"default/greet\"";
    let checked = client.check_flow("default", &spec()).await.unwrap();
    let warned: Vec<_> = checked.warnings.iter().map(|it| (it.code.as_str(), it.pointer.as_str())).collect();
    assert_eq!((checked.valid, warned), (true, vec![("flow.invalid", "/components/greet")]));
    let saved = client.put_flow("default", &spec()).await.unwrap();
    assert_eq!(saved.warnings[0].message, format!("component \"greet\" cannot run now: {lacks}"));
    assert_eq!(code(does(FlowAction::RunOnce, "greet").await), ErrorCode::FlowInvalid);

    does(FlowAction::Start, "greet").await.unwrap();
    let waiting = greet(&running).await;
    assert_eq!((waiting.state.as_str(), waiting.active), ("waiting_valid", 0));
    assert_eq!(waiting.why, format!("it starts when it can run: {lacks}"));
    assert_eq!(code(does(FlowAction::Start, "greet").await), ErrorCode::FlowState);
    // It is in nobody's way: it can be stopped, and its flow can be edited while it waits.
    does(FlowAction::Stop, "greet").await.unwrap();
    assert_eq!(greet(&running).await.state, "stopped");
    does(FlowAction::Start, "greet").await.unwrap();
    let mut edited = spec();
    edited.components.get_mut("greet").unwrap().concurrency = Some(2);
    client.put_flow("default", &edited).await.unwrap();
    assert_eq!(greet(&running).await.state, "waiting_valid");
    does(FlowAction::RunOnce, "make").await.unwrap();

    running.engine.handlers().register("greet", async |_: mainspring_engine::RunContext| Ok::<_, &str>(json!("hello")));
    let job = crate::kit::spec(json!({"name": "greet", "handler": "greet"}));
    client.put_job("default", &job, Precondition::None, WriteOptions { dry_run: false }).await.unwrap();
    let done = until(&running, |it| it.tasks == 1).await;
    assert_eq!((done.state.as_str(), done.items_in), ("running", 1));
    running.stop().await;
}
