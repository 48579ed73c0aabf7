//! Flows of a cluster are asked for at any node; the one that runs them answers.

use std::io::{Read, Write};
use std::net::TcpStream;

use mainspring_api::client::{Client, ClientError};
use mainspring_api::{
    ErrorCode, FlowAction, FlowChange, FlowHistoryFilter, FlowItem, FlowItemFilter, FlowReplay, FlowSpec,
};
use serde_json::json;

use crate::arena::{Arena, shared_by};
use crate::live::Live;

fn spec(name: &str) -> FlowSpec {
    serde_json::from_value(json!({
        "flow": name,
        "components": {
            "make": {"generate": {"payload": "hi"}, "schedule": "1 hour"},
            "door": {"http_in": {}},
            "hold": {"log": {"message": "${{ payload }}"}, "end": "success"},
        },
        "connections": [{"from": "make", "to": "hold"}, {"from": "door", "to": "hold"}],
    }))
    .unwrap()
}

/// The name of a flow that a node runs.
fn name_of(arena: &Arena, node: &Live) -> String {
    let cluster = arena.sees(node, "two nodes share the shards", shared_by(2));
    let me = cluster.nodes.iter().find(|it| it.answering).unwrap();
    let is_mine = |name: &String| {
        let shard = usize::from(mainspring_core::shard_of("default", name));
        cluster.shards[shard].node.as_ref() == Some(&me.name)
    };
    (0..).map(|number| format!("flow-{number}")).find(is_mine).unwrap()
}

fn change(action: FlowAction, component: &str) -> FlowChange {
    FlowChange { action, components: Some(vec![component.to_owned()]) }
}

/// One request as a browser sends it: with a cookie, and from a page of the server that it is sent to.
fn browser(node: &Live, cookie: Option<&str>, method: &str, path: &str, body: &str) -> String {
    let host = node.url.trim_start_matches("http://");
    let cookie = cookie.map(|it| format!("Cookie: {it}\r\n")).unwrap_or_default();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: {}\r\n{cookie}X-Request-Id: r-7\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        node.url,
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

async fn held(client: &Client, name: &str, connection: &str) -> Vec<FlowItem> {
    client.flow_queue("default", name, connection, FlowItemFilter::default()).await.unwrap()
}

#[test]
fn what_is_asked_of_a_flow_is_answered_by_every_node_on_postgres() {
    let arena = Arena::shared();
    let nodes = [arena.start("a"), arena.start("b")];
    for (asked, owner) in [(0, 1), (1, 0)] {
        let (client, name) = (nodes[asked].client(), name_of(&arena, &nodes[owner]));
        let path = format!("/api/v1/namespaces/default/flows/{name}");
        arena.runtime.block_on(async {
            let saved = client.put_flow("default", &spec(&name)).await.unwrap();
            assert_eq!((saved.name.as_str(), saved.components.len()), (name.as_str(), 3));
            assert!(client.check_flow("default", &spec(&name)).await.unwrap().valid);
            client.change_flow("default", &name, &change(FlowAction::RunOnce, "make")).await.unwrap();
        });
        let first = arena.wait("an item waits", async || held(&client, &name, "make:hold").await.pop());
        arena.runtime.block_on(async {
            assert_eq!(client.flow_item("default", &name, first.id).await.unwrap().payload, "hi");
            let replay = FlowReplay { items: None, to: Some("door:hold".into()) };
            let moved = client.replay_flow_items("default", &name, "make:hold", &replay).await.unwrap();
            assert_eq!(moved.items, 1);
            let dropped = client.drop_flow_items("default", &name, "door:hold", FlowItemFilter::default()).await;
            assert_eq!(dropped.unwrap().items, 1);
            client.change_flow("default", &name, &change(FlowAction::Start, "door")).await.unwrap();
        });
        // A browser that is signed in here need not be so there.
        let link = arena.runtime.block_on(client.login_link()).unwrap().url;
        let code = json!({"code": link.split_once('#').unwrap().1}).to_string();
        let answer = browser(&nodes[asked], None, "POST", "/api/v1/session", &code);
        let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        let cookie = cookie.split(';').next();
        let answer = browser(&nodes[asked], cookie, "POST", &format!("{path}/components/door/items?kind=x"), "\"in\"");
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("{\"items\":1}"), "{answer}");
        assert_eq!(answer.matches("x-request-id: r-7").count(), 1, "{answer}");
        let answer = browser(&nodes[asked], Some("ms_session=no"), "GET", &path, "");
        assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
        arena.runtime.block_on(async {
            client.change_flow("default", &name, &change(FlowAction::Start, "hold")).await.unwrap();
        });
        arena.wait("the item is logged", async || {
            let lines = client.flow_log("default", &name, "hold").await.unwrap();
            lines.iter().any(|line| line.text.contains("\"in\"")).then_some(())
        });
        arena.runtime.block_on(async {
            assert_eq!(client.flow_why("default", &name, "hold").await.unwrap().state, "running");
            client.flow_history("default", &name, FlowHistoryFilter::default()).await.unwrap();
            let refused = client.delete_flow("default", &name).await.unwrap_err();
            assert_eq!(refused.code(), Some(ErrorCode::FlowState), "{refused}");
            client
                .change_flow("default", &name, &FlowChange { action: FlowAction::Stop, components: None })
                .await
                .unwrap();
        });
        arena.wait("all is stopped", async || {
            let flow = client.flow("default", &name).await.unwrap();
            flow.components.iter().all(|it| it.active == 0).then_some(())
        });
        arena.runtime.block_on(async {
            client.delete_flow("default", &name).await.unwrap();
            let gone = client.flow("default", &name).await.unwrap_err();
            assert_eq!(gone.code(), Some(ErrorCode::FlowNotFound), "{gone}");
        });
    }
}

#[test]
fn an_owner_that_cannot_be_reached_is_named_on_postgres() {
    let arena = Arena::shared();
    let a = arena.start("a");
    // What it advertises leads to the other one, as a loopback address on another machine would.
    let b = arena.start_at("b", &arena.address, &["--advertise", &a.url]);
    let (client, name) = (a.client(), name_of(&arena, &b));
    let nodes = arena.runtime.block_on(client.nodes()).unwrap();
    assert_eq!(nodes.iter().find(|it| it.name == "b").unwrap().address.as_deref(), Some(a.url.as_str()));
    let ask = |client: &Client| -> ClientError {
        arena.runtime.block_on(client.put_flow("default", &spec(&name))).unwrap_err()
    };
    let error = ask(&client);
    assert_eq!(error.code(), Some(ErrorCode::FlowUnreachable), "{error}");
    assert!(error.to_string().contains("its address leads here"), "{error}");
    arena.runtime.block_on(b.client().put_flow("default", &spec(&name))).unwrap();
    drop(b);
    // A node that is known to be there, and at whose address nothing listens.
    let b = arena.start_at("b", &arena.address, &["--advertise", "http://127.0.0.1:1"]);
    let name = name_of(&arena, &b);
    arena.wait("the other node knows the new one", async || {
        let error = client.flow("default", &name).await.err()?;
        let is_named =
            error.to_string().contains("node \"b\" runs the flow, and cannot be reached at http://127.0.0.1:1");
        (is_named && error.code() == Some(ErrorCode::FlowUnreachable)).then_some(())
    });
}
