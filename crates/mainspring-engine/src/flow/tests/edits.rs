//! Flows that are edited while their bodies run.

use super::*;

/// `make` and `work`, which calls a function, before `end`; beside them `other`.
fn definition(other: &str) -> Definition {
    let parts = vec![source("make", "hello", 1), worker(), sink("end"), source("other", other, 1), sink("rest")];
    Definition { parts, connections: vec![Connection::new(0, 1), Connection::new(1, 2), Connection::new(3, 4)] }
}

#[tokio::test]
async fn a_body_outlives_an_edit_of_other_components() {
    let tools = Tools::for_test();
    let (mut begins, goes_on) = hold(&tools);
    let (store, id, flows) = node_with(&definition("one"), tools).await;
    let does = |name: &str, action| flows.change("default", "f", Some(vec![name.to_owned()]), action);
    does("work", Action::Start).await.expect("it starts");
    does("make", Action::RunOnce).await.expect("it runs");
    begins.recv().await.expect("it begins");
    let before = flows.view("default", "f").await.expect("it is there").row;

    // Other places, another component, one that is new, and one that goes.
    let mut next = definition("two");
    next.parts.swap(1, 4);
    next.parts[0] = source("first", "1", 1);
    next.parts.push(source("make", "hello", 1));
    next.connections = vec![Connection::new(5, 4), Connection::new(4, 2), Connection::new(0, 1), Connection::new(3, 1)];
    let states = r#"{"work": "running", "first": "running"}"#.to_owned();
    let write = FlowWrite { states, expect: Some(before.version), ..saved(&next) };
    store.flow_store().save_flow(write).await.expect("save_flow");
    flows.reload(Some(("default", "f"))).await.expect("it is read");
    let view = flows.view("default", "f").await.expect("it is there");
    assert_eq!(view.row.epoch, before.epoch, "it was not taken anew");
    let named = |name: &str| view.components.iter().find(|it| it.name == name).expect("it is there").why.clone();
    assert_eq!((named("work").active, named("first").state.as_str()), (1, "running"));
    goes_on.send_replace(true);
    while flows.queue("default", "f", "work:end", 10).await.expect("it is there").is_empty() {
        pause(5).await;
    }
    assert!(begins.try_recv().is_err(), "the item was not delivered again");
    let numbers = next.connection_numbers();
    let kept = store.items(id, i64::MIN, 1_000).await.expect("items");
    assert_eq!(kept.iter().filter(|it| it.connection == numbers[1]).count(), 1);
    assert!(kept.iter().all(|it| it.connection == numbers[1] || it.connection == numbers[2]), "{kept:?}");
}

/// Items that are put while the flow is edited again and again are each kept once, in the queue that they were put into.
#[tokio::test]
async fn what_is_being_kept_during_an_edit_arrives() {
    let input = Component { is_passive: true, ..Component::new("in") };
    let part = || Part { component: input.clone(), body: Body::HttpIn { max_bytes: 1 << 20 } };
    let parts = vec![part(), sink("end"), source("other", "0", 1), sink("rest")];
    let first = Definition { parts, connections: vec![Connection::new(0, 1), Connection::new(2, 3)] };
    let (store, id, flows) = node(&first).await;
    flows.change("default", "f", Some(vec!["in".into()]), Action::Start).await.expect("it starts");
    let mut puts = Vec::new();
    for round in 0..20_u32 {
        let mut next = first.clone();
        next.parts[2] = source("other", &round.to_string(), 1);
        if round % 2 == 0 {
            next.parts.reverse();
            next.connections = vec![Connection::new(1, 0), Connection::new(3, 2)];
        }
        let version = store.flow("default", "f").await.expect("flow").expect("it is there").version;
        for _ in 0..5 {
            let flows = flows.clone();
            let put = async move { flows.put_items("default", "f", "in", vec![content("x")]).await };
            puts.push(tokio::spawn(put));
        }
        let states = r#"{"in": "running"}"#.to_owned();
        let write = FlowWrite { states, expect: Some(version), ..saved(&next) };
        store.flow_store().save_flow(write).await.expect("save_flow");
        flows.reload(Some(("default", "f"))).await.expect("it is read");
    }
    for put in puts {
        assert_eq!(put.await.expect("it ends").expect("there is room"), 1);
    }
    let view = flows.view("default", "f").await.expect("it is there");
    let queue = view.connections.iter().find(|it| it.name == "in:end").expect("it is there");
    assert_eq!((queue.items, queue.ready), (100, 100));
    assert_eq!(store.items(id, i64::MIN, 1_000).await.expect("items").len(), 100);
}
