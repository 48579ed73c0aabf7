//! Flows as a console sees them: queues with what items hold, items that go back, text, checks, and what the stream tells.

use std::time::Duration;

use mainspring_api::{ErrorCode, Flow, FlowAction, FlowChange, FlowItemFilter, FlowReplay, FlowSpec};
use serde_json::{Value, json};

use crate::kit::{Running, code};

fn spec() -> FlowSpec {
    serde_json::from_value(json!({
        "flow": "orders",
        "components": {
            "order": {"generate": {"payload": "3 apples", "attributes": {"kind": "fruit"}, "count": 2}},
            "sort": {"route": [{"to": "paid", "if": "${{ attributes.kind == 'paid' }}"}], "event": true},
            "ship": {"log": {}, "end": "success"},
            "lost": {"log": {}, "end": "success"},
        },
        "connections": [
            {"from": "order", "to": "sort", "max_items": 4},
            {"from": "sort", "to": "ship", "relationships": "paid"},
            {"from": "sort", "to": "lost", "relationships": "unmatched"},
        ],
    }))
    .unwrap()
}

async fn does(running: &Running, action: FlowAction, components: &[&str]) -> Flow {
    let components = Some(components.iter().map(|&name| name.to_owned()).collect());
    running.client.change_flow("default", "orders", &FlowChange { action, components }).await.unwrap()
}

async fn until(running: &Running, connection: &str, items: u64) -> Flow {
    let there = async {
        loop {
            let flow = running.client.flow("default", "orders").await.unwrap();
            if flow.connections.iter().any(|it| it.name == connection && it.items == items) {
                return flow;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), there).await.expect("items come")
}

#[tokio::test]
async fn a_queue_shows_what_items_hold_and_lets_them_go_back() {
    let running = Running::start().await;
    let client = &running.client;
    client.put_flow("default", &spec()).await.unwrap();
    does(&running, FlowAction::RunOnce, &["order"]).await;
    let flow = until(&running, "order:sort", 2).await;
    let queue = flow.connections.iter().find(|it| it.name == "order:sort").unwrap();
    assert_eq!((queue.percent, queue.ready, queue.penalised, queue.full), (50, 2, 0, false));
    let order = flow.components.iter().find(|it| it.name == "order").unwrap();
    assert_eq!((order.kind.as_str(), order.items_out, order.bytes_out), ("generate", 2, 34));

    let filter = FlowItemFilter { contents: Some(true), ..FlowItemFilter::default() };
    let listed = client.flow_queue("default", "orders", "order:sort", filter).await.unwrap();
    let first = &listed[0];
    assert_eq!(first.preview.as_deref(), Some("3 apples"));
    assert_eq!(first.attributes.as_ref().unwrap()["kind"], "fruit");
    let bare = client.flow_queue("default", "orders", "order:sort", FlowItemFilter::default()).await.unwrap();
    assert_eq!((bare[0].id, &bare[0].preview), (first.id, &None));
    let item = client.flow_item("default", "orders", first.id).await.unwrap();
    assert_eq!((item.connection.as_deref(), item.in_flight, item.truncated), (Some("order:sort"), false, false));
    let path = format!("/api/v1/namespaces/default/flows/orders/items/{}/payload", first.id);
    let answer = running.request("GET", &path).send().await.unwrap();
    assert_eq!(answer.headers()["content-type"], "application/octet-stream");
    assert_eq!(answer.text().await.unwrap(), "3 apples");

    does(&running, FlowAction::Start, &["sort"]).await;
    until(&running, "sort:lost:unmatched", 2).await;
    does(&running, FlowAction::Stop, &["sort"]).await;
    let one = FlowReplay { items: Some(vec![first.id, 1]), to: None };
    let back = client.replay_flow_items("default", "orders", "sort:lost:unmatched", &one).await.unwrap();
    assert_eq!(back.items, 1, "an item that is not there is passed over");
    until(&running, "order:sort", 1).await;
    let item = client.flow_item("default", "orders", first.id).await.unwrap();
    assert_eq!((item.connection.as_deref(), item.payload.as_str()), (Some("order:sort"), "3 apples"));
    let all = FlowReplay { items: None, to: Some("sort:ship:paid".into()) };
    client.replay_flow_items("default", "orders", "sort:lost:unmatched", &all).await.unwrap();
    until(&running, "sort:ship:paid", 1).await;
    // What a source has made has nowhere to return to.
    let refused = client.replay_flow_items("default", "orders", "order:sort", &FlowReplay::default()).await;
    assert_eq!(code(refused), ErrorCode::FlowReplay);
    // What has gone back is kept: the flow is read again with it.
    client.put_flow("default", &FlowSpec { description: Some("new".into()), ..spec() }).await.unwrap();
    until(&running, "order:sort", 1).await;
    running.stop().await;
}

#[tokio::test]
async fn a_flow_is_text_and_is_checked_before_it_is_saved() {
    let running = Running::start().await;
    running.client.put_flow("default", &spec()).await.unwrap();
    let path = "/api/v1/namespaces/default/flows/orders/file";
    let text = running.request("GET", path).send().await.unwrap().text().await.unwrap();
    let (files, problems) = mainspring_api::survey_job_files(
        &[mainspring_api::JobFile { name: None, format: mainspring_api::Format::Yaml, text: text.as_bytes() }],
        None,
    );
    assert_eq!(problems, []);
    assert_eq!(files.flows()[0].components, spec().components);
    assert_eq!(running.request("GET", &format!("{path}?format=xml")).send().await.unwrap().status(), 400);
    let checked = running.client.check_flow("default", &spec()).await.unwrap();
    assert!(checked.valid && checked.errors.is_empty());
    let mut wrong = spec();
    wrong.connections.pop();
    let checked = running.client.check_flow("default", &wrong).await.unwrap();
    let codes: Vec<&str> = checked.errors.iter().map(|it| it.code.as_str()).collect();
    assert_eq!(codes, ["flow.input", "flow.relationship"]);
    running.stop().await;
}

#[tokio::test]
async fn the_stream_tells_that_a_flow_has_changed() {
    let running = Running::start().await;
    let path = "/api/v1/stream?topics=flow:default/orders,flow:default/other";
    let mut stream = running.request("GET", path).send().await.unwrap();
    running.client.put_flow("default", &spec()).await.unwrap();
    does(&running, FlowAction::RunOnce, &["order"]).await;
    let told = async {
        let mut text = String::new();
        while let Some(chunk) = stream.chunk().await.unwrap() {
            text.push_str(std::str::from_utf8(&chunk).unwrap());
            let mut data =
                text.lines().filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data:")?).ok());
            if let Some(change) = data.find(|it| it["topic"].is_string()) {
                return change;
            }
        }
        panic!("the stream ended: {text}");
    };
    let change = tokio::time::timeout(Duration::from_secs(20), told).await.expect("it is told");
    assert_eq!((&change["topic"], &change["id"]), (&json!("flow:default/orders"), &json!("default/orders")));
    drop(stream);
    running.stop().await;
}
