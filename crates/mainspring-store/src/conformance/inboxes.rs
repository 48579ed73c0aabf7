//! Inboxes of flows: what nodes make that do not own the flow, and how its owner takes it.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mainspring_core::flow::inbox_ids;
use mainspring_core::output::{INLINE_MAX, PART_BYTES};

use super::flows::{content, flow, item, large};
use crate::{BEGIN_BYTES, FlowWrite, ItemRow, ItemWrite, Store};

/// Items with these ids, whose contents name them.
fn inserts(ids: impl IntoIterator<Item = i64>) -> Vec<ItemWrite> {
    ids.into_iter().map(|id| ItemWrite::Insert(item(id, 100), content(&id.to_string()))).collect()
}

pub async fn inboxes_are_filled_by_their_node_until_they_are_closed(store: Arc<dyn Store>) {
    let (flows, inboxes) = (store.flow_store(), store.inbox_store());
    let id = flows.save_flow(flow("f", None)).await.expect("save_flow").id;
    let open = async |version, node: &str, component: &str| {
        inboxes.open_inbox(id, version, node, component).await.expect("open_inbox")
    };
    assert_eq!(open(2, "a", "tick").await, None, "it has another version");
    let first = open(1, "a", "tick").await.expect("it is there");
    let second = open(1, "b", "tock").await.expect("it is there");
    assert!(second > first);
    let from = inbox_ids(first).start;
    let write = async |ids: Vec<i64>| inboxes.write_inbox(id, first, inserts(ids)).await.expect("write_inbox");
    // A repeat changes nothing.
    for _ in 0..2 {
        assert!(write(vec![from, from + 2]).await);
    }
    assert!(write(vec![from + 3]).await);
    let waiting = async |number| inboxes.waiting_items(id, number).await.expect("waiting_items");
    assert_eq!(waiting(first).await, Some(vec![from, from + 2, from + 3]));
    assert_eq!(waiting(second).await, Some(Vec::new()));
    assert_eq!(flows.items(id, 0, 10).await.expect("items"), [], "they are in no queue");
    inboxes.report_inbox(id, second, "{\"active\":2}").await.expect("report_inbox");
    let seen = inboxes.inboxes(id, 2).await.expect("inboxes");
    let rows: Vec<_> =
        seen.iter().map(|(row, items)| (row.node.as_str(), row.component.as_str(), items.len())).collect();
    assert_eq!(rows, [("a", "tick", 2), ("b", "tock", 0)]);
    assert_eq!(seen[0].1, [item(from, 100), item(from + 2, 100)]);
    assert_eq!((seen[0].0.report.as_str(), seen[1].0.report.as_str()), ("", "{\"active\":2}"));

    inboxes.close_inboxes(id, vec!["tick".into()]).await.expect("close_inboxes");
    assert!(write(vec![from + 3]).await, "it was kept before");
    assert!(!write(vec![from + 4]).await, "it comes too late");
    assert_eq!((waiting(first).await, waiting(second).await), (None, Some(Vec::new())));
    assert_eq!(inboxes.inboxes(id, 10).await.expect("inboxes")[0].1.len(), 3, "what was kept stays");
    // States close nothing, nor does the same definition; another one closes those of components that it touches.
    let version = flows.set_flow_states(id, 1, "{}").await.expect("set_flow_states");
    let same = FlowWrite { source: "{}".into(), ..flow("f", Some(version)) };
    let version = flows.save_flow(same).await.expect("save_flow").version;
    assert_eq!(waiting(second).await, Some(Vec::new()));
    let third = open(version, "b", "tick").await.expect("it is there");
    let touched = Some(vec!["tick".to_owned(), "none".to_owned()]);
    let other = FlowWrite { definition: "{}".into(), touched, ..flow("f", Some(version)) };
    let version = flows.save_flow(other).await.expect("save_flow").version;
    assert_eq!((waiting(second).await, waiting(third).await), (Some(Vec::new()), None));
    let whole = FlowWrite { definition: "[]".into(), ..flow("f", Some(version)) };
    let version = flows.save_flow(whole).await.expect("save_flow").version;
    assert_eq!(waiting(second).await, None);

    assert!(!inboxes.end_inbox(id, first).await.expect("end_inbox"), "items wait in it");
    assert!(inboxes.end_inbox(id, second).await.expect("end_inbox"));
    assert!(inboxes.end_inbox(id, third).await.expect("end_inbox"));
    assert_eq!(inboxes.inboxes(id, 10).await.expect("inboxes").len(), 1);
    assert!(open(version, "b", "tock").await.expect("it is there") > third, "numbers do not come again");
    assert!(flows.delete_flow(id, version).await.expect("delete_flow"));
    assert_eq!(inboxes.inboxes(id, 10).await.expect("inboxes"), []);
    assert!(!write(vec![from + 5]).await);
    assert_eq!(open(version, "a", "tick").await, None);
}

/// The item under another id, as its owner writes it.
fn adopt(before: i64, id: i64) -> ItemWrite {
    ItemWrite::Adopt(before, ItemRow { position: id, ..item(id, 100) })
}

pub async fn items_of_an_inbox_are_adopted_by_the_owner_once(store: Arc<dyn Store>) {
    let (flows, inboxes) = (store.flow_store(), store.inbox_store());
    let id = flows.save_flow(flow("f", None)).await.expect("save_flow").id;
    let before = flows.take_flow(id).await.expect("take_flow").expect("it is there");
    let number = inboxes.open_inbox(id, 1, "b", "tick").await.expect("open_inbox").expect("it is there");
    let from = inbox_ids(number).start;
    let size = 2 * PART_BYTES + 7;
    let row = ItemRow { bytes: size as i64, ..item(from + 1, 100) };
    let made = vec![inserts([from]).remove(0), ItemWrite::Insert(row.clone(), large(size))];
    assert!(inboxes.write_inbox(id, number, made.clone()).await.expect("write_inbox"));
    let epoch = flows.take_flow(id).await.expect("take_flow").expect("it is there");
    let adopted = vec![adopt(from, 7), ItemWrite::Adopt(from + 1, ItemRow { id: 8, position: 8, ..row.clone() })];
    let late = flows.write_items(id, before, adopted.clone()).await.expect("write_items");
    assert!(!late, "the owner before is refused");
    // A repeat changes nothing, of the owner or of the node.
    for _ in 0..2 {
        assert!(flows.write_items(id, epoch, adopted.clone()).await.expect("write_items"));
        assert!(inboxes.write_inbox(id, number, made.clone()).await.expect("write_inbox"), "it was kept before");
    }
    let expected = [ItemRow { position: 7, ..item(7, 100) }, ItemRow { id: 8, position: 8, ..row }];
    assert_eq!(flows.items(id, i64::MIN, 10).await.expect("items"), expected);
    let holds = async |item: i64| flows.item_content(id, item).await.expect("item_content");
    assert_eq!((holds(7).await, holds(8).await), (Some(content(&from.to_string())), Some(large(size))));
    assert_eq!((holds(from).await, holds(from + 1).await), (None, None));
    assert_eq!(inboxes.waiting_items(id, number).await.expect("waiting_items"), Some(Vec::new()));
    assert!(inboxes.end_inbox(id, number).await.expect("end_inbox"));
}

pub async fn lists_read_the_begin_of_a_payload_alone(store: Arc<dyn Store>) {
    let flows = store.flow_store();
    let id = flows.save_flow(flow("f", None)).await.expect("save_flow").id;
    let epoch = flows.take_flow(id).await.expect("take_flow").expect("it is there");
    for (number, bytes) in (1..).zip([0, BEGIN_BYTES - 1, BEGIN_BYTES + 1, INLINE_MAX + 1, 2 * PART_BYTES]) {
        let whole = large(bytes);
        let write = ItemWrite::Insert(item(number, 100), whole.clone());
        assert!(flows.write_items(id, epoch, vec![write]).await.expect("write_items"));
        let begin = flows.item_begin(id, number).await.expect("item_begin").expect("it is there");
        assert_eq!(begin.payload, whole.payload[..bytes.min(BEGIN_BYTES)], "of {bytes} bytes");
        assert_eq!(begin.attributes, whole.attributes);
    }
    assert_eq!(flows.item_begin(id, 99).await.expect("item_begin"), None);
}

/// Items that each node makes, and how many it writes together.
const MADE: i64 = 40;
const TOGETHER: usize = 4;

/// A node that fills an inbox, and hears no answer in time, so that it writes all of it twice.
async fn fill(store: Arc<dyn Store>, flow: i64, number: i64) {
    let from = inbox_ids(number).start;
    for first in (from..from + MADE).step_by(TOGETHER) {
        for _ in 0..2 {
            let writes = inserts((first..).take(TOGETHER));
            assert!(store.inbox_store().write_inbox(flow, number, writes).await.expect("write_inbox"));
        }
    }
}

/// Takes the first items of each inbox into the flow, and answers how many. `None`: it has another owner by now.
async fn adopt_some(store: &dyn Store, flow: i64, epoch: i64, ids: &mut impl Iterator<Item = i64>) -> Option<usize> {
    let seen = store.inbox_store().inboxes(flow, 7).await.expect("inboxes");
    let items = seen.into_iter().flat_map(|(_, items)| items);
    let writes: Vec<ItemWrite> = items.zip(ids).map(|(item, id)| adopt(item.id, id)).collect();
    let count = writes.len();
    store.flow_store().write_items(flow, epoch, writes).await.expect("write_items").then_some(count)
}

async fn take(store: &dyn Store, flow: i64) -> (i64, impl Iterator<Item = i64>) {
    let epoch = store.flow_store().take_flow(flow).await.expect("take_flow").expect("it is there");
    (epoch, epoch << 36..)
}

/// Owns the flow now and then.
async fn own(store: Arc<dyn Store>, flow: i64, is_done: Arc<AtomicBool>) {
    while !is_done.load(Ordering::SeqCst) {
        let (epoch, mut ids) = take(&*store, flow).await;
        for _ in 0..3 {
            if adopt_some(&*store, flow, epoch, &mut ids).await.is_none() {
                break;
            }
        }
        tokio::task::yield_now().await;
    }
}

pub async fn nodes_and_owners_that_race_lose_and_double_no_item(store: Arc<dyn Store>) {
    let id = store.flow_store().save_flow(flow("f", None)).await.expect("save_flow").id;
    let mut numbers = Vec::new();
    for node in ["a", "b", "c"] {
        let opened = store.inbox_store().open_inbox(id, 1, node, "tick").await.expect("open_inbox");
        numbers.push(opened.expect("it is there"));
    }
    let is_done = Arc::new(AtomicBool::new(false));
    let owners: Vec<_> = (0..2).map(|_| tokio::spawn(own(Arc::clone(&store), id, Arc::clone(&is_done)))).collect();
    let nodes: Vec<_> = numbers.iter().map(|number| tokio::spawn(fill(Arc::clone(&store), id, *number))).collect();
    for node in nodes {
        node.await.expect("it does not panic");
    }
    is_done.store(true, Ordering::SeqCst);
    for owner in owners {
        owner.await.expect("it does not panic");
    }
    let (epoch, mut ids) = take(&*store, id).await;
    while adopt_some(&*store, id, epoch, &mut ids).await.expect("it is the owner") > 0 {}
    let (mut names, mut count) = (BTreeSet::new(), 0);
    for row in store.flow_store().items(id, i64::MIN, 1_000).await.expect("items") {
        count += 1;
        names.insert(
            store.flow_store().item_content(id, row.id).await.expect("item_content").expect("it is there").payload,
        );
    }
    let made = inserts(numbers.iter().flat_map(|number| (inbox_ids(*number).start..).take(MADE as usize)));
    let made: BTreeSet<Vec<u8>> = made
        .into_iter()
        .filter_map(|write| match write {
            ItemWrite::Insert(_, content) => Some(content.payload),
            _ => None,
        })
        .collect();
    assert_eq!((count, names), (made.len(), made), "each of them is there once");
}
