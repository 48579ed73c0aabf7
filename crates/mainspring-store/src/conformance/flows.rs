//! Flows and the items in their queues.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use super::kit::at;
use crate::{Error, FlowWrite, ItemContent, ItemRow, ItemWrite, Store};

fn flow(name: &str, expect: Option<i64>) -> FlowWrite {
    let text = |key: &str| format!("{{\"{key}\": \"{name}\"}}");
    FlowWrite {
        namespace: "default".into(),
        name: name.into(),
        definition: text("definition"),
        source: text("source"),
        states: "{}".into(),
        expect,
        at: at(1_000),
    }
}

fn item(id: i64, connection: i64) -> ItemRow {
    ItemRow {
        id,
        connection,
        position: id * 2,
        entered_at: at(10),
        lineage_at: at(5),
        penalty_until: None,
        retries: 0,
        bytes: 7,
        priority: Some("3".into()),
    }
}

fn content(text: &str) -> ItemContent {
    ItemContent { attributes: format!("{{\"k\":\"{text}\"}}"), payload: [text.as_bytes(), &[0, 255]].concat() }
}

pub async fn flows_are_kept_by_name_and_saved_over_what_was_seen(store: Arc<dyn Store>) {
    let flows = store.flow_store();
    let first = flows.save_flow(flow("b", None)).await.expect("save_flow");
    assert_eq!((first.version, first.epoch), (1, 0));
    flows.save_flow(flow("a", None)).await.expect("save_flow");
    assert!(matches!(flows.save_flow(flow("b", None)).await, Err(Error::Conflict { .. })));
    assert!(matches!(flows.save_flow(flow("b", Some(2))).await, Err(Error::Conflict { .. })));
    assert!(matches!(flows.save_flow(flow("c", Some(1))).await, Err(Error::Conflict { .. })));
    let second = flows.save_flow(FlowWrite { states: "{\"x\":\"running\"}".into(), ..flow("b", Some(1)) }).await;
    let second = second.expect("save_flow");
    assert_eq!((second.id, second.version), (first.id, 2));
    assert_eq!(flows.set_flow_states(first.id, 2, "{}").await.expect("set_flow_states"), 3);
    assert!(matches!(flows.set_flow_states(first.id, 2, "{}").await, Err(Error::Conflict { .. })));
    let names: Vec<String> = flows.flows().await.expect("flows").into_iter().map(|row| row.name).collect();
    assert_eq!(names, ["a", "b"]);
    let there = flows.flow("default", "b").await.expect("flow").expect("it is there");
    assert_eq!((there.version, there.source.as_str(), there.states.as_str()), (3, "{\"source\": \"b\"}", "{}"));
    assert_eq!(flows.flow("other", "b").await.expect("flow"), None);
    assert!(!flows.delete_flow(first.id, 2).await.expect("delete_flow"), "it was changed meanwhile");
    assert!(flows.delete_flow(first.id, 3).await.expect("delete_flow"));
    assert!(!flows.delete_flow(first.id, 3).await.expect("delete_flow"));
}

pub async fn items_are_written_by_the_owner_of_their_flow_alone(store: Arc<dyn Store>) {
    let flows = store.flow_store();
    let flow = flows.save_flow(flow("f", None)).await.expect("save_flow").id;
    let epoch = flows.take_flow(flow).await.expect("take_flow").expect("it is there");
    let writes = vec![
        ItemWrite::Insert(item(1, 100), content("one")),
        ItemWrite::Insert(item(2, 100), content("two")),
        ItemWrite::Insert(item(3, -9), content("three")),
    ];
    // A repeat changes nothing.
    for _ in 0..2 {
        assert!(flows.write_items(flow, epoch, writes.clone()).await.expect("write_items"));
    }
    assert_eq!(flows.items(flow, 0, 10).await.expect("items"), [item(1, 100), item(2, 100), item(3, -9)]);
    assert_eq!(flows.items(flow, 1, 1).await.expect("items"), [item(2, 100)]);
    assert_eq!(flows.item_content(flow, 2).await.expect("item_content"), Some(content("two")));
    let moved = ItemRow { penalty_until: Some(at(99)), retries: 2, priority: None, ..item(2, 200) };
    let writes = vec![
        ItemWrite::Remove(1),
        ItemWrite::Update(moved.clone(), Some(content("new"))),
        ItemWrite::Update(item(3, 300), None),
    ];
    let taken = flows.take_flow(flow).await.expect("take_flow").expect("it is there");
    assert!(taken > epoch);
    assert!(!flows.write_items(flow, epoch, writes.clone()).await.expect("write_items"), "the owner before is refused");
    assert_eq!(flows.items(flow, 0, 10).await.expect("items").len(), 3);
    assert!(flows.write_items(flow, taken, writes).await.expect("write_items"));
    assert_eq!(flows.items(flow, 0, 10).await.expect("items"), [moved, item(3, 300)]);
    assert_eq!(flows.item_content(flow, 2).await.expect("item_content"), Some(content("new")));
    assert_eq!(flows.item_content(flow, 3).await.expect("item_content"), Some(content("three")));
    assert!(!flows.delete_flow(flow, 2).await.expect("delete_flow"));
    assert_eq!(flows.items(flow, 0, 10).await.expect("items").len(), 2, "its items stay with it");
    assert!(flows.delete_flow(flow, 1).await.expect("delete_flow"));
    assert_eq!(flows.items(flow, 0, 10).await.expect("items"), []);
    assert!(!flows.write_items(flow, taken, vec![ItemWrite::Remove(2)]).await.expect("write_items"));
    assert_eq!(flows.take_flow(flow).await.expect("take_flow"), None);
}
