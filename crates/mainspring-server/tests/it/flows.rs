//! Flows as a console sees them: queues with what items hold, items that go back, text, checks, and what the stream tells.

use std::time::Duration;

use mainspring_api::{
    ErrorCode, Flow, FlowAction, FlowChange, FlowHistoryFilter, FlowItemFilter, FlowReplay, FlowSaveOptions, FlowSpec,
};
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

async fn applied(running: &Running, spec: Value) -> String {
    let spec: FlowSpec = serde_json::from_value(spec).unwrap();
    let name = spec.flow.clone();
    running.client.put_flow("default", &spec).await.unwrap();
    let change = FlowChange { action: FlowAction::Start, components: None };
    running.client.change_flow("default", &name, &change).await.unwrap();
    name
}

/// Puts an item with an attribute, and answers the status.
async fn put(running: &Running, flow: &str, component: &str, payload: &str) -> u16 {
    let path = format!("/api/v1/namespaces/default/flows/{flow}/components/{component}/items?kind=fruit");
    let request = running.request("POST", &path).header("content-type", "text/plain").body(payload.to_owned());
    request.send().await.unwrap().status().as_u16()
}

/// Waits for lines in the log of a component.
async fn logged(running: &Running, flow: &str, component: &str, count: usize) -> Vec<String> {
    let there = async {
        loop {
            let lines = running.client.flow_log("default", flow, component).await.unwrap();
            if lines.len() >= count {
                return lines.into_iter().map(|line| line.text).collect();
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(30), there).await.expect("lines come")
}

#[tokio::test]
async fn items_come_by_requests_and_are_divided_held_and_joined() {
    let running = Running::start().await;
    let flow = applied(
        &running,
        json!({
            "flow": "words",
            "components": {
                "in": {"http_in": {"max_bytes": 100}},
                "split": {"split": {"separator": " "}, "event": true, "end": "failure"},
                "wait": {"wait": {"for": "20 ms"}, "event": true},
                "merge": {"merge": {"max": 100, "min": 3, "within": "1 hour", "separator": "+"}, "event": true},
                "log": {"log": {"message": "${{ payload }} of ${{ attributes.kind }} as ${{ attributes['content.type'] }}"}, "end": "success"},
            },
            "connections": [
                {"from": "in", "to": "split", "max_items": 1}, {"from": "split", "to": "wait"},
                {"from": "wait", "to": "merge", "prioritizers": ["oldest"]}, {"from": "merge", "to": "log"},
            ],
        }),
    )
    .await;
    assert_eq!(put(&running, &flow, "in", "a b c").await, 200);
    assert_eq!(logged(&running, &flow, "log", 1).await, ["a+b+c of fruit as text/plain"]);
    let view = running.client.flow("default", &flow).await.unwrap();
    let input = view.components.iter().find(|it| it.name == "in").unwrap();
    assert_eq!((input.items_out, input.why.as_str()), (1, "it waits for requests that put items"));
    assert_eq!(put(&running, &flow, "in", &"x".repeat(101)).await, 413);
    assert_eq!(put(&running, &flow, "log", "x").await, 409, "it has a body of its own");
    assert_eq!(put(&running, &flow, "out", "x").await, 404);
    // A full queue takes nothing more.
    let stop = FlowChange { action: FlowAction::Stop, components: Some(vec!["split".into()]) };
    running.client.change_flow("default", &flow, &stop).await.unwrap();
    assert_eq!((put(&running, &flow, "in", "d").await, put(&running, &flow, "in", "e").await), (200, 503));
    let stop = FlowChange { action: FlowAction::Stop, components: None };
    running.client.change_flow("default", &flow, &stop).await.unwrap();
    assert_eq!(put(&running, &flow, "in", "f").await, 409, "it does not run");
    running.stop().await;
}

#[tokio::test]
async fn a_handler_of_the_program_works_in_a_session() {
    let running = Running::start().await;
    running.engine.flow_handlers().register("sort", async |session: mainspring_engine::flow::Session| {
        while let Some(item) = session.get() {
            match item.payload.as_slice() {
                b"late" => session.penalize(&item)?,
                b"gone" => session.remove(&item)?,
                b"bad" => return Err(mainspring_engine::HandlerError("it is bad".into())),
                _ => {
                    session.transfer(mainspring_engine::flow::Item::new("more"), "success")?;
                    session.transfer(item.with("seen", "yes"), "success")?;
                }
            }
        }
        session.commit()?;
        Ok(())
    });
    let flow = applied(
        &running,
        json!({
            "flow": "sorted",
            "components": {
                "in": {"http_in": {}},
                "sort": {"handler": "sort", "batch": 10, "event": true, "penalty": "1 hour", "end": "failure"},
                "log": {"log": {"message": "${{ payload }} ${{ attributes.seen | default('no') }}"}, "end": "success"},
            },
            "connections": [{"from": "in", "to": "sort"}, {"from": "sort", "to": "log"}],
        }),
    )
    .await;
    for payload in ["one", "late", "gone"] {
        assert_eq!(put(&running, &flow, "in", payload).await, 200);
    }
    let mut lines = logged(&running, &flow, "log", 2).await;
    lines.sort();
    assert_eq!(lines, ["more no", "one yes"]);
    put(&running, &flow, "in", "bad").await;
    let failed = async {
        loop {
            let view = running.client.flow("default", &flow).await.unwrap();
            let sort = view.components.into_iter().find(|it| it.name == "sort").unwrap();
            if let Some(bulletin) = sort.bulletins.into_iter().next() {
                return (bulletin.message, view.connections[0].items);
            }
        }
    };
    let failed = tokio::time::timeout(Duration::from_secs(30), failed).await.unwrap();
    assert_eq!(failed, ("it is bad".to_owned(), 2), "the bad item returns, and the late one waits");
    running.stop().await;
}

#[tokio::test]
async fn a_job_is_started_for_each_item_and_its_output_goes_on() {
    let running = Running::start().await;
    running.engine.handlers().register("double", async |run: mainspring_engine::RunContext| {
        let number = run.input()["number"].as_i64().ok_or("there is no number")?;
        Ok::<_, &str>(json!({"double": number * 2}))
    });
    let job = crate::kit::spec(json!({"name": "double", "handler": "double"}));
    let write = mainspring_api::WriteOptions { dry_run: false };
    running.client.put_job("default", &job, mainspring_api::client::Precondition::None, write).await.unwrap();
    let flow = applied(
        &running,
        json!({
            "flow": "jobs",
            "components": {
                "in": {"http_in": {}},
                "double": {"run_job": "double", "event": true},
                "log": {"log": {"message": "${{ payload }} ${{ attributes['run.state'] }}"}, "end": "success"},
                "lost": {"log": {"message": "${{ attributes['run.error'] }}"}, "end": "success"},
            },
            "connections": [
                {"from": "in", "to": "double"}, {"from": "double", "to": "log"},
                {"from": "double", "to": "lost", "relationships": "failure"},
            ],
        }),
    )
    .await;
    put(&running, &flow, "in", "{\"number\": 21}").await;
    assert_eq!(logged(&running, &flow, "log", 1).await, ["{\"double\":42} succeeded"]);
    put(&running, &flow, "in", "no number").await;
    assert_eq!(logged(&running, &flow, "lost", 1).await, ["there is no number"]);
    running.stop().await;
}

#[tokio::test]
async fn a_pool_is_made_and_named_before_components_use_it() {
    let running = Running::start().await;
    let with_pool = |pool: &str| -> FlowSpec {
        let components = json!({"make": {"generate": {}, "pool": pool, "schedule": "1 hour", "end": "success"}});
        serde_json::from_value(json!({"flow": "pooled", "components": components})).unwrap()
    };
    assert_eq!(code(running.client.set_flow_pool("a b", 3).await), ErrorCode::FieldValue);
    let refused = running.client.put_flow("default", &with_pool("slow")).await;
    assert_eq!(code(refused), ErrorCode::FlowPool);
    let checked = running.client.check_flow("default", &with_pool("slow")).await.unwrap();
    assert_eq!(checked.errors[0].code, "flow.pool");
    assert_eq!(running.client.set_flow_pool("slow", 3).await.unwrap().size, 3);
    running.client.put_flow("default", &with_pool("slow")).await.unwrap();
    running.client.set_flow_pool("timer", 4).await.unwrap();
    let pools: Vec<(String, u32)> =
        running.client.flow_pools().await.unwrap().into_iter().map(|pool| (pool.name, pool.size)).collect();
    assert_eq!(pools, [("timer".into(), 4), ("event".into(), 10), ("slow".into(), 3)]);
    running.stop().await;
}

#[tokio::test]
async fn bodies_that_make_no_sense_are_refused_with_their_place() {
    let running = Running::start().await;
    let cases = [
        (json!({"split": {"lines": 1, "json": true}}), "/split"),
        (json!({"split": {"separator": ""}}), "/split/separator"),
        (json!({"wait": {}}), "/wait"),
        (json!({"wait": {"for": "1 fortnight"}}), "/wait/for"),
        (json!({"merge": {"max": 2, "min": 3}}), "/merge/min"),
        (json!({"merge": {"within": "soon"}}), "/merge/within"),
        (json!({"merge": {"max_bytes": 67_108_864, "separator": "+"}}), "/merge/max_bytes"),
        (json!({"merge": {"separator": "x".repeat(60_000)}}), "/merge/separator"),
        (json!({"run": "true", "placement": "every_node"}), "/placement"),
        (json!({"script": {"language": "shell", "source": " "}}), "/script/source"),
        (json!({"script": {"language": "shell", "source": "x", "xxl_args": true}}), "/script/xxl_args"),
        (json!({"file_out": {"folder": "out", "name": "x"}}), "/file_out/folder"),
        (json!({"file_out": {"folder": "/out", "name": "${{ a"}}), "/file_out/name"),
        (json!({"http": {"url": "ftp://x"}}), "/http/url"),
        (json!({"http": {"url": "http://h/${{ attributes."}}), "/http/url"),
        (json!({"handler": ""}), "/handler"),
        (json!({"run_job": "a", "batch": 3}), "/batch"),
    ];
    for (body, place) in cases {
        let mut work = body.clone();
        work["end"] = json!(["success", "failure"]);
        let spec = json!({
            "flow": "f", "components": {"make": {"generate": {}}, "work": work},
            "connections": [{"from": "make", "to": "work"}],
        });
        let checked = running.client.check_flow("default", &serde_json::from_value(spec).unwrap()).await.unwrap();
        let places: Vec<&str> = checked.errors.iter().map(|it| it.pointer.as_str()).collect();
        assert!(places.contains(&format!("/components/work{place}").as_str()), "{body}: {:?}", checked.errors);
    }
    running.stop().await;
}

#[tokio::test]
async fn what_a_flow_did_is_shown_minute_by_minute() {
    let running = Running::start().await;
    running.client.put_flow("default", &spec()).await.unwrap();
    let filter = |minutes| FlowHistoryFilter { minutes, of: None };
    let history = running.client.flow_history("default", "orders", filter(None)).await.unwrap();
    assert_eq!(history, []);
    let store = running.engine.store();
    let store = store.flow_store();
    let row = store.flow("default", "orders").await.unwrap().unwrap();
    let now = row.saved_at.as_millis();
    for (ago, tasks) in [(90, 1), (5, 2)] {
        let at = mainspring_core::Timestamp::from_millis((now / 60_000 - ago) * 60_000);
        let figures = json!({
            "components": {"sort": {"items_in": 4, "bytes_in": 8, "items_out": 4, "bytes_out": 8, "tasks": tasks, "task_ms": 9}},
            "queues": {"order:sort": {"items": 3, "bytes": 6}},
        });
        let minute = mainspring_store::FlowMinute { at, epoch: row.epoch, figures: figures.to_string() };
        let kept = store.put_flow_minute(row.id, minute, mainspring_core::Timestamp::from_millis(0)).await.unwrap();
        assert!(kept, "the epoch is the owner's");
    }
    let all = running.client.flow_history("default", "orders", filter(None)).await.unwrap();
    assert_eq!(all.iter().map(|it| it.components["sort"].tasks).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(all[1].queues["order:sort"].items, 3);
    let last = running.client.flow_history("default", "orders", filter(Some(60))).await.unwrap();
    assert_eq!(last, all[1..]);
    let one = FlowHistoryFilter { minutes: None, of: Some("order:sort".into()) };
    let one = running.client.flow_history("default", "orders", one).await.unwrap();
    assert_eq!(
        one.iter().map(|it| (it.components.len(), it.queues["order:sort"].items)).collect::<Vec<_>>(),
        [(0, 3); 2]
    );
    for (flow, minutes, expected) in [
        ("orders", Some(0), ErrorCode::RequestQuery),
        ("orders", Some(1_441), ErrorCode::RequestQuery),
        ("none", None, ErrorCode::FlowNotFound),
    ] {
        assert_eq!(code(running.client.flow_history("default", flow, filter(minutes)).await), expected);
    }
    running.stop().await;
}

#[tokio::test]
async fn one_component_is_edited_while_others_run() {
    let running = Running::start().await;
    running.client.put_flow("default", &spec()).await.unwrap();
    does(&running, FlowAction::RunOnce, &["order"]).await;
    until(&running, "order:sort", 2).await;
    does(&running, FlowAction::Start, &["sort"]).await;
    until(&running, "sort:lost:unmatched", 2).await;
    does(&running, FlowAction::Disable, &["ship"]).await;
    let with = |component: &str, value: Value| {
        let mut changed = serde_json::to_value(spec()).unwrap();
        changed["components"][component] = value;
        serde_json::from_value::<FlowSpec>(changed).unwrap()
    };
    // What runs is not changed, and neither is what a queue of it is connected to.
    let route = with("sort", json!({"route": [{"to": "paid", "if": "${{ true }}"}], "event": true}));
    assert_eq!(code(running.client.put_flow("default", &route).await), ErrorCode::FlowState);
    let mut narrow = serde_json::to_value(spec()).unwrap();
    narrow["connections"][2]["max_items"] = json!(9);
    let narrow: FlowSpec = serde_json::from_value(narrow).unwrap();
    assert_eq!(code(running.client.put_flow("default", &narrow).await), ErrorCode::FlowState);
    // What is stopped is, and the others are as before.
    let log = with("lost", json!({"log": {"message": "lost: ${{ payload }}"}, "end": "success"}));
    let flow = running.client.put_flow("default", &log).await.unwrap();
    let states: Vec<(&str, &str)> = flow.components.iter().map(|it| (it.name.as_str(), it.state.as_str())).collect();
    assert_eq!(states, [("lost", "stopped"), ("order", "stopped"), ("ship", "disabled"), ("sort", "running")]);
    until(&running, "sort:lost:unmatched", 2).await;
    does(&running, FlowAction::Start, &["lost"]).await;
    until(&running, "sort:lost:unmatched", 0).await;
    let lines = running.client.flow_log("default", "orders", "lost").await.unwrap();
    assert!(lines.iter().all(|line| line.text.contains("lost: 3 apples")), "{lines:?}");
    assert_eq!(lines.len(), 2);
    running.stop().await;
}

#[tokio::test]
async fn what_an_edit_touches_is_restarted_for_it_and_nothing_else() {
    let running = Running::start().await;
    let spec = |sort: &str| -> FlowSpec {
        serde_json::from_value(json!({
            "flow": "orders",
            "components": {
                "order": {"generate": {"payload": "3 apples"}},
                "sort": {"log": {"message": sort}, "event": true},
                "keep": {"log": {}, "end": "success"},
                "beat": {"generate": {"payload": "tick"}, "schedule": "1 hour"},
                "store": {"log": {}, "end": "success"},
            },
            "connections": [
                {"from": "order", "to": "sort"}, {"from": "sort", "to": "keep"}, {"from": "beat", "to": "store"},
            ],
        }))
        .unwrap()
    };
    running.client.put_flow("default", &spec("one")).await.unwrap();
    does(&running, FlowAction::Start, &["sort", "beat"]).await;
    does(&running, FlowAction::RunOnce, &["order"]).await;
    until(&running, "sort:keep", 1).await;
    until(&running, "beat:store", 1).await;
    let changed = spec("two");
    let refused = running.client.put_flow("default", &changed).await.unwrap_err();
    assert_eq!(refused.code(), Some(ErrorCode::FlowState));
    let (said, hint) = (refused.to_string(), format!("{refused:?}"));
    assert!(said.contains("component \"sort\" is not stopped") && hint.contains("--restart"), "{hint}");
    let restart = FlowSaveOptions { restart: Some(true) };
    let flow = running.client.put_flow_with("default", &changed, &restart).await.unwrap();
    let of = |name: &str| flow.components.iter().find(|it| it.name == name).unwrap();
    assert_eq!(["beat", "sort", "order"].map(|name| of(name).state.as_str()), ["running", "running", "stopped"]);
    assert_eq!((of("beat").tasks, of("sort").tasks), (1, 1), "what was counted stays");
    does(&running, FlowAction::RunOnce, &["order"]).await;
    until(&running, "sort:keep", 2).await;
    let lines = logged(&running, "orders", "sort", 2).await;
    assert!(lines[0].contains("one") && lines[1].contains("two"), "{lines:?}");
    // A connection with items cannot go, and what was stopped for that runs again.
    let mut gone = serde_json::to_value(&changed).unwrap();
    gone["connections"] = json!([{"from": "order", "to": "sort"}, {"from": "beat", "to": "store"}]);
    gone["components"]["sort"]["end"] = json!("success");
    gone["components"].as_object_mut().unwrap().remove("keep");
    let gone: FlowSpec = serde_json::from_value(gone).unwrap();
    assert_eq!(code(running.client.put_flow_with("default", &gone, &restart).await), ErrorCode::FlowState);
    let flow = running.client.flow("default", "orders").await.unwrap();
    assert_eq!(flow.components.iter().filter(|it| it.state == "running").count(), 2);
    let beaten = flow.connections.iter().find(|it| it.name == "beat:store").unwrap();
    assert_eq!(beaten.items, 1, "the schedule of an hour has not begun anew");
    running.stop().await;
}
