//! Flows and the items in their queues.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::collections::BTreeSet;
use std::sync::Arc;

use mainspring_core::flow::{Component, Connection, Flow, IdleCheck, Machine, Now, Output, Pools, Priority, Write};
use mainspring_core::output::{INLINE_MAX, PART_BYTES};
use tokio::sync::Mutex;

use super::kit::at;
use crate::{Error, FlowMinute, FlowWrite, ItemContent, ItemRow, ItemWrite, PAYLOAD_MAX, Store};

pub(crate) fn flow(name: &str, expect: Option<i64>) -> FlowWrite {
    let text = |key: &str| format!("{{\"{key}\": \"{name}\"}}");
    FlowWrite {
        namespace: "default".into(),
        name: name.into(),
        definition: text("definition"),
        source: text("source"),
        states: "{}".into(),
        expect,
        touched: None,
        at: at(1_000),
    }
}

pub(crate) fn item(id: i64, connection: i64) -> ItemRow {
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

pub(crate) fn content(text: &str) -> ItemContent {
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

/// So many bytes, which differ from those of other sizes.
pub(super) fn large(bytes: usize) -> ItemContent {
    let byte = |place: usize| u8::try_from(place * bytes % 251).expect("it is below 256");
    ItemContent { attributes: "{}".into(), payload: (0..bytes).map(byte).collect() }
}

pub async fn large_payloads_are_kept_in_parts_that_go_with_their_items(store: Arc<dyn Store>) {
    let flows = store.flow_store();
    let flow = flows.save_flow(flow("f", None)).await.expect("save_flow").id;
    let before = flows.take_flow(flow).await.expect("take_flow").expect("it is there");
    let epoch = flows.take_flow(flow).await.expect("take_flow").expect("it is there");
    let write = async |writes: Vec<ItemWrite>| flows.write_items(flow, epoch, writes).await.expect("write_items");
    let holds = async |id: i64| flows.item_content(flow, id).await.expect("item_content");
    // As much as a row takes, and two parts with a third that is shorter; a repeat changes nothing.
    let writes =
        [(1, INLINE_MAX), (2, 2 * PART_BYTES + 7)].map(|(id, bytes)| ItemWrite::Insert(item(id, 100), large(bytes)));
    for _ in 0..2 {
        assert!(write(writes.to_vec()).await);
    }
    assert_eq!(holds(1).await, Some(large(INLINE_MAX)));
    assert_eq!(holds(2).await, Some(large(2 * PART_BYTES + 7)));
    assert!(write(vec![ItemWrite::Update(item(2, 200), None)]).await);
    assert_eq!(holds(2).await, Some(large(2 * PART_BYTES + 7)), "it goes with its item to another queue");
    // Fewer parts, none, and some again.
    for bytes in [INLINE_MAX + 1, 3, PART_BYTES] {
        assert!(write(vec![ItemWrite::Update(item(2, 200), Some(large(bytes)))]).await);
        assert_eq!(holds(2).await, Some(large(bytes)));
    }
    // What is too large is refused whole, and what is kept with it.
    let too_large = ItemContent { attributes: "{}".into(), payload: vec![0; PAYLOAD_MAX + 1] };
    let writes = vec![ItemWrite::Remove(1), ItemWrite::Update(item(2, 200), Some(too_large))];
    let refused = flows.write_items(flow, epoch, writes).await;
    assert!(matches!(refused, Err(Error::Rejected { .. })), "{refused:?}");
    assert_eq!((holds(1).await, holds(2).await), (Some(large(INLINE_MAX)), Some(large(PART_BYTES))));
    // A part that stayed behind would be seen in the next item of that id.
    let late = flows.write_items(flow, before, vec![ItemWrite::Insert(item(3, 100), large(PART_BYTES))]).await;
    assert!(!late.expect("write_items"), "the owner before is refused");
    let writes = vec![ItemWrite::Remove(2), ItemWrite::Insert(item(3, 100), large(1))];
    assert!(write(writes).await);
    assert_eq!((holds(2).await, holds(3).await), (None, Some(large(1))));
    assert!(write(vec![ItemWrite::Insert(item(2, 100), large(0))]).await);
    assert_eq!(holds(2).await, Some(large(0)));
    assert_eq!(flows.items(flow, 0, 10).await.expect("items"), [item(1, 100), item(2, 100), item(3, 100)]);
    assert!(write(vec![ItemWrite::Update(item(2, 100), Some(large(PART_BYTES)))]).await);
    assert!(flows.delete_flow(flow, 1).await.expect("delete_flow"));
    assert_eq!(holds(2).await, None);
}

pub async fn minutes_of_flows_are_kept_for_a_while_by_their_owners(store: Arc<dyn Store>) {
    let flows = store.flow_store();
    let id = flows.save_flow(flow("f", None)).await.expect("save_flow").id;
    let minute = |at_ms: i64, epoch: i64, text: &str| FlowMinute { at: at(at_ms), epoch, figures: text.to_owned() };
    let epoch = flows.take_flow(id).await.expect("take_flow").expect("it is there");
    // A repeat changes nothing.
    for _ in 0..2 {
        assert!(flows.put_flow_minute(id, minute(0, epoch, "a"), at(0)).await.expect("put_flow_minute"));
    }
    assert!(flows.put_flow_minute(id, minute(60_000, epoch, "b"), at(0)).await.expect("put_flow_minute"));
    let taken = flows.take_flow(id).await.expect("take_flow").expect("it is there");
    assert!(flows.put_flow_minute(id, minute(60_000, taken, "c"), at(0)).await.expect("put_flow_minute"));
    let late = flows.put_flow_minute(id, minute(120_000, epoch, "x"), at(0)).await.expect("put_flow_minute");
    assert!(!late, "the owner before is refused");
    let read = async |from: i64, until: i64| flows.flow_minutes(id, at(from), at(until)).await.expect("flow_minutes");
    let (first, second) = (minute(60_000, epoch, "b"), minute(60_000, taken, "c"));
    assert_eq!(read(0, 180_000).await, [minute(0, epoch, "a"), first.clone(), second.clone()]);
    assert_eq!(read(1, 60_001).await, [first.clone(), second.clone()]);
    assert_eq!(read(0, 60_000).await, [minute(0, epoch, "a")]);
    assert!(flows.put_flow_minute(id, minute(120_000, taken, "d"), at(60_000)).await.expect("put_flow_minute"));
    assert_eq!(read(0, 180_000).await, [first, second, minute(120_000, taken, "d")]);
    assert!(flows.delete_flow(id, 1).await.expect("delete_flow"));
    assert_eq!(read(0, 180_000).await, []);
}

/// Items that the queue of [`Inlet`] takes.
const ROOM: usize = 5;
/// The number of its connection.
const QUEUE: i64 = 100;

/// An owner of a flow into which requests put items.
struct Inlet {
    machine: Machine,
    pools: Pools,
    now: Now,
    epoch: i64,
    flow: i64,
    store: Arc<dyn Store>,
}

impl Inlet {
    async fn take(store: &Arc<dyn Store>, flow: i64) -> Self {
        let epoch = store.flow_store().take_flow(flow).await.expect("take_flow").expect("it is there");
        // Each owner begins in a second of its own, so that ids differ.
        let now = Now { mono_ms: 0, wall: at(epoch * 1_000) };
        let input = Component { is_passive: true, ..Component::new("in") };
        let end = Component { ended: BTreeSet::from(["success".to_owned()]), ..Component::new("out") };
        let connection = Connection { max_items: ROOM as u64, ..Connection::new(0, 1) };
        let graph = Flow::new(vec![input, end], vec![connection]).expect("it is right");
        let mut pools = Pools::default();
        let mut machine = Machine::new(1, graph, IdleCheck::Wake, Machine::first_id(None, epoch), now);
        for row in store.flow_store().items(flow, i64::MIN, 1_000).await.expect("items") {
            let item = row.header(now);
            machine.handle(mainspring_core::flow::Event::Put { connection: 0, item }, &mut pools, now);
        }
        machine.start(0, &mut pools, now).expect("it is new");
        Self { machine, pools, now, epoch, flow, store: Arc::clone(store) }
    }

    async fn write(&self, writes: Vec<ItemWrite>) -> bool {
        self.store.flow_store().write_items(self.flow, self.epoch, writes).await.expect("write_items")
    }
}

/// Puts an item as a request does, and answers its id. `None`: there is no room, or the flow has another owner.
async fn put(inlet: Arc<Mutex<Inlet>>) -> Option<i64> {
    let output = Output { relationship: "success".into(), bytes: 1, priority: Priority::Absent, parent: None };
    let (writes, rows, store, flow, epoch) = {
        let mut it = inlet.lock().await;
        let now = it.now;
        let writes = it.machine.accept(0, &[output], now).ok()?;
        let rows: Vec<ItemWrite> = writes
            .iter()
            .filter_map(|write| match write {
                Write::Insert { item, .. } => Some(ItemWrite::Insert(ItemRow::of(QUEUE, item, now), content("x"))),
                _ => None,
            })
            .collect();
        (writes, rows, Arc::clone(&it.store), it.flow, it.epoch)
    };
    let ItemWrite::Insert(row, _) = &rows[0] else { return None };
    let id = row.id;
    let kept = store.flow_store().write_items(flow, epoch, rows).await.expect("write_items");
    let Inlet { machine, pools, now, .. } = &mut *inlet.lock().await;
    match kept {
        true => machine.accepted(0, writes, pools, *now),
        false => machine.declined(&writes),
    }
    kept.then_some(id)
}

/// Owns the flow for some rounds of requests at the same time, and makes room between them. Answers what is kept and what has gone.
async fn own(store: Arc<dyn Store>, flow: i64) -> (BTreeSet<i64>, BTreeSet<i64>) {
    let (mut kept, mut gone) = (BTreeSet::new(), BTreeSet::new());
    for _ in 0..4 {
        let inlet = Arc::new(Mutex::new(Inlet::take(&store, flow).await));
        for _ in 0..3 {
            let puts: Vec<_> = (0..2 * ROOM).map(|_| tokio::spawn(put(Arc::clone(&inlet)))).collect();
            for put in puts {
                kept.extend(put.await.expect("it does not panic"));
            }
            let there = store.flow_store().items(flow, i64::MIN, 1_000).await.expect("items").len();
            assert!(there <= ROOM, "{there} items are in a queue for {ROOM}");
            let mut it = inlet.lock().await;
            let Inlet { machine, pools, now, .. } = &mut *it;
            let first: Vec<_> = machine.queue(0).iter().take(2).map(|item| item.id).collect();
            let dropped = machine.drop_items(0, Some(&first), pools, *now);
            if it.write(dropped.iter().map(|id| ItemWrite::Remove(id.0)).collect()).await {
                gone.extend(dropped.into_iter().map(|id| id.0));
            }
        }
    }
    (kept, gone)
}

pub async fn requests_that_race_with_each_other_and_a_takeover_overfill_no_queue(store: Arc<dyn Store>) {
    let id = store.flow_store().save_flow(flow("inlet", None)).await.expect("save_flow").id;
    let owners: Vec<_> = (0..2).map(|_| tokio::spawn(own(Arc::clone(&store), id))).collect();
    let (mut kept, mut gone) = (BTreeSet::new(), BTreeSet::new());
    for owner in owners {
        let (more, fewer) = owner.await.expect("it does not panic");
        kept.extend(more);
        gone.extend(fewer);
    }
    let rows = store.flow_store().items(id, i64::MIN, 1_000).await.expect("items");
    let there: BTreeSet<i64> = rows.into_iter().map(|row| row.id).collect();
    assert!(kept.len() > ROOM, "{} items were put", kept.len());
    assert_eq!(there, kept.difference(&gone).copied().collect(), "what was acknowledged is there until it is taken");
}
