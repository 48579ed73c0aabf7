//! Flows over rows in memory: what is kept of bodies, also where the store refuses some of it.

mod bodies;
mod branches;
mod drops;
mod edits;
mod figures;
mod realtime;
mod run_job;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mainspring_core::flow::body::{Body, Content, Done};
use mainspring_core::flow::{
    Component, Connection, Definition, Disposal, Header, IdleCheck, InputRequirement, ItemId, Now, Output, Part, Pools,
    Priority, Start, Trigger, Verdict,
};
use mainspring_core::{Timestamp, flow};
use mainspring_store::{
    Error, FlowMinute, FlowRow, FlowStore, FlowWrite, ItemContent, ItemRow, ItemWrite, MemoryStore, Result, Store,
};
use tokio::sync::{mpsc, watch};

use super::body::Claims;
use super::body::session::Session;
use super::branch::Inboxes;
use super::running::{Ended, Loaded, Running};
use super::writes::{Keeper, keep};
use super::{Action, Flows, Tools};
use crate::clock::pause;

/// What a store of these tests refuses to keep.
const POISON: &str = "poison";

fn content(payload: &str) -> Content {
    Content { payload: payload.into(), ..Content::default() }
}

fn source(name: &str, payload: &str, count: u32) -> Part {
    Part { component: Component::new(name), body: Body::Generate { content: content(payload), count } }
}

fn sink(name: &str) -> Part {
    let ended = ["success".to_owned()].into();
    Part { component: Component { ended, ..Component::new(name) }, body: Body::Log { message: None } }
}

/// `work`, which takes items and calls the function of this name.
fn worker() -> Part {
    let component = Component {
        trigger: Trigger::Event,
        relationships: vec!["success".into(), "failure".into()],
        ended: ["failure".to_owned()].into(),
        ..Component::new("work")
    };
    Part { component, body: Body::Handler { name: "work".into() } }
}

/// Registers a function for [`worker`] that says that it has an item, and passes it on once it is let go.
fn hold(tools: &Tools) -> (mpsc::UnboundedReceiver<()>, watch::Sender<bool>) {
    let (begun, begins) = mpsc::unbounded_channel();
    let (goes_on, is_let_go) = watch::channel(false);
    tools.handlers.register("work", move |session: Session| {
        let (begun, mut is_let_go) = (begun.clone(), is_let_go.clone());
        async move {
            let item = session.get().expect("it has an item");
            let _ = begun.send(());
            let _ = is_let_go.wait_for(|is_let_go| *is_let_go).await;
            session.transfer(item, "success")
        }
    });
    (begins, goes_on)
}

fn saved(definition: &Definition) -> FlowWrite {
    FlowWrite {
        namespace: "default".into(),
        name: "f".into(),
        definition: serde_json::to_string(definition).expect("plain data"),
        source: "{}".into(),
        states: "{}".into(),
        expect: None,
        touched: None,
        at: Timestamp::from_millis(1_000),
    }
}

/// A node with the flow, as its users see it.
async fn node(definition: &Definition) -> (Arc<MemoryStore>, i64, Flows) {
    node_with(definition, Tools::for_test()).await
}

async fn node_with(definition: &Definition, tools: Tools) -> (Arc<MemoryStore>, i64, Flows) {
    let store = Arc::new(MemoryStore::new());
    let id = store.flow_store().save_flow(saved(definition)).await.expect("save_flow").id;
    let (_, status) = watch::channel(None);
    let (flows, works) = Flows::new(Arc::clone(&store) as Arc<dyn Store>, tools, status);
    tokio::spawn(works.run());
    flows.reload(None).await.expect("it is read");
    (store, id, flows)
}

#[tokio::test]
async fn every_copy_that_a_funnel_makes_holds_what_the_item_holds() {
    for count in [1, 3] {
        let funnel = Part { component: Component::funnel("all"), body: Body::Funnel };
        let definition = Definition {
            parts: vec![source("make", "hello", count), funnel, sink("a"), sink("b")],
            connections: vec![Connection::new(0, 1), Connection::new(1, 2), Connection::new(1, 3)],
        };
        let (store, id, flows) = node(&definition).await;
        let does = |name: &str, action| flows.change("default", "f", Some(vec![name.to_owned()]), action);
        does("make", Action::RunOnce).await.expect("it runs");
        while store.items(id, i64::MIN, 100).await.expect("items").len() < count as usize {
            pause(5).await;
        }
        does("all", Action::Start).await.expect("it runs");
        while store.items(id, i64::MIN, 100).await.expect("items").len() < 2 * count as usize {
            pause(5).await;
        }
        for item in store.items(id, i64::MIN, 100).await.expect("items") {
            let kept = store.item_content(id, item.id).await.expect("item_content").expect("it is there");
            assert_eq!(String::from_utf8_lossy(&kept.payload), "hello", "{item:?}");
        }
    }
}

#[tokio::test]
async fn a_flow_that_another_has_taken_is_read_again() {
    let definition =
        Definition { parts: vec![source("make", "hello", 1), sink("a")], connections: vec![Connection::new(0, 1)] };
    let (store, id, flows) = node(&definition).await;
    let before = flows.view("default", "f").await.expect("it is there").row.epoch;
    let taken = store.take_flow(id).await.expect("take_flow").expect("it is there");
    assert!(taken > before);
    flows.reload(None).await.expect("it is read");
    let after = flows.view("default", "f").await.expect("it is there").row.epoch;
    assert!(after > taken, "{after} comes after {taken}");
    // Nothing has happened since, so it stays.
    flows.reload(None).await.expect("it is read");
    assert_eq!(flows.view("default", "f").await.expect("it is there").row.epoch, after);
}

#[tokio::test]
async fn a_flow_that_cannot_be_run_is_answered_for() {
    let definition = Definition { parts: vec![source("leads nowhere", "", 1)], connections: Vec::new() };
    assert!(definition.compile().is_err());
    let (_, _, flows) = node(&definition).await;
    let again = tokio::time::timeout(Duration::from_secs(20), flows.reload(None)).await;
    again.expect("it is answered").expect("it is read");
    assert!(flows.view("default", "f").await.is_err());
}

/// A store that refuses batches with an item that it cannot keep, or more removals than it has time for.
struct Picky(MemoryStore, /* Whether it keeps no updates. */ bool);

#[async_trait]
impl FlowStore for Picky {
    async fn save_flow(&self, flow: FlowWrite) -> Result<FlowRow> {
        self.0.save_flow(flow).await
    }

    async fn flow(&self, namespace: &str, name: &str) -> Result<Option<FlowRow>> {
        self.0.flow(namespace, name).await
    }

    async fn flows(&self) -> Result<Vec<FlowRow>> {
        self.0.flows().await
    }

    async fn set_flow_states(&self, id: i64, version: i64, states: &str) -> Result<i64> {
        self.0.set_flow_states(id, version, states).await
    }

    async fn delete_flow(&self, id: i64, version: i64) -> Result<bool> {
        self.0.delete_flow(id, version).await
    }

    async fn take_flow(&self, id: i64) -> Result<Option<i64>> {
        self.0.take_flow(id).await
    }

    async fn items(&self, flow: i64, after: i64, limit: u32) -> Result<Vec<ItemRow>> {
        self.0.items(flow, after, limit).await
    }

    async fn item_content(&self, flow: i64, id: i64) -> Result<Option<ItemContent>> {
        self.0.item_content(flow, id).await
    }

    async fn item_begin(&self, flow: i64, id: i64) -> Result<Option<ItemContent>> {
        self.0.item_begin(flow, id).await
    }

    async fn write_items(&self, flow: i64, epoch: i64, writes: Vec<ItemWrite>) -> Result<bool> {
        let is_bad = |write: &ItemWrite| match write {
            ItemWrite::Insert(_, content) => content.payload == POISON.as_bytes(),
            ItemWrite::Update(..) => self.1,
            ItemWrite::Adopt(..) | ItemWrite::Remove(_) => false,
        };
        if writes.iter().any(is_bad) {
            return Err(Error::Rejected { operation: "write items of a flow", source: "no such text".into() });
        }
        self.0.write_items(flow, epoch, writes).await
    }

    async fn put_flow_minute(&self, flow: i64, minute: FlowMinute, forget_before: Timestamp) -> Result<bool> {
        self.0.put_flow_minute(flow, minute, forget_before).await
    }

    async fn flow_minutes(&self, flow: i64, from: Timestamp, until: Timestamp) -> Result<Vec<FlowMinute>> {
        self.0.flow_minutes(flow, from, until).await
    }
}

/// A flow of this definition over a store that refuses some things, at work without a loop.
async fn picky(definition: Definition, no_updates: bool) -> (Picky, Running, Pools, Now) {
    let store = Picky(MemoryStore::new(), no_updates);
    let row = store.save_flow(saved(&definition)).await.expect("save_flow");
    let epoch = store.take_flow(row.id).await.expect("take_flow").expect("it is there");
    let (mut pools, now) = (Pools::default(), Now { mono_ms: 0, wall: Timestamp::from_millis(1_000) });
    let flow = definition.compile().expect("it is right");
    let loaded = Loaded { row, epoch, inboxes: Inboxes::None, definition, flow, items: Vec::new(), lacks: Vec::new() };
    let running = Running::new(1, loaded, IdleCheck::Wake, 1, &mut pools, now);
    (store, running, pools, now)
}

/// Starts what has a permit.
fn starts(running: &mut Running, pools: &mut Pools, now: Now) -> Vec<Start> {
    let tickets: Vec<_> = std::iter::from_fn(|| pools.next_ticket()).collect();
    tickets.into_iter().filter_map(|ticket| running.machine.run(ticket, pools, now)).collect()
}

/// Ends a body with one item in the place of those that it had.
fn ends(running: &mut Running, start: &Start, payload: &str, pools: &mut Pools, now: Now) {
    let made = content(payload);
    let output = Output {
        relationship: "success".into(),
        bytes: made.bytes(),
        priority: Priority::Absent,
        parent: (!start.items.is_empty()).then_some(0),
    };
    let items = vec![Disposal::Remove; start.items.len()];
    let verdict = Verdict::Done { items, outputs: vec![output], yields: None };
    let done = Done { verdict, made: vec![made], lines: Vec::new() };
    let contents = start.items.iter().map(|_| content("before")).collect();
    let ended = Ended { turn: start.turn, done, contents, claims: Claims::default() };
    running.ended(ended, pools, now);
}

fn keeper<'a>(store: &'a Picky, running: &Running) -> Keeper<'a> {
    Keeper::Owner { store, flow: running.row.id, epoch: running.epoch }
}

async fn written(store: &Picky, running: &mut Running, pools: &mut Pools, now: Now) {
    let batch = std::mem::take(&mut running.pending);
    let outcome = keep(&keeper(store, running), batch).await.expect("it is open");
    running.written(outcome.expect("it is the owner"), pools, now);
}

#[tokio::test]
async fn what_the_store_refuses_keeps_nothing_else_from_being_kept() {
    let definition = Definition {
        parts: vec![source("good", "", 1), source("bad", "", 1), sink("end")],
        connections: vec![Connection::new(0, 2), Connection::new(1, 2)],
    };
    let (store, mut running, mut pools, now) = picky(definition, false).await;
    for component in [0, 1] {
        running.machine.start(component, &mut pools, now).expect("it starts");
    }
    for start in starts(&mut running, &mut pools, now) {
        ends(&mut running, &start, if start.component == 0 { "fine" } else { POISON }, &mut pools, now);
    }
    assert_eq!(running.pending.len(), 2);
    written(&store, &mut running, &mut pools, now).await;
    assert_eq!(running.pending.len(), 0);
    assert_eq!((running.machine.queue(0).len(), running.machine.queue(1).len()), (1, 0));
    assert_eq!(store.items(running.row.id, i64::MIN, 10).await.expect("items").len(), 1);
    // The one goes on at once, the other rests first, and says why.
    let again: Vec<usize> = starts(&mut running, &mut pools, now).iter().map(|start| start.component).collect();
    assert_eq!(again, [0]);
    let why: Vec<String> = running.machine.bulletins(1, now).map(|it| it.message.clone()).collect();
    assert_eq!(why.len(), 1);
    assert!(why[0].contains("no such text"), "{why:?}");
    assert_eq!(running.machine.active(1), 0);
}

#[tokio::test]
async fn an_item_whose_answer_the_store_refuses_returns() {
    for no_updates in [false, true] {
        let event = Component { trigger: Trigger::Event, ..Component::new("work") };
        let work = Part { component: event, body: Body::Log { message: None } };
        let definition = Definition {
            parts: vec![source("make", "", 1), work, sink("end")],
            connections: vec![Connection::new(0, 1), Connection::new(1, 2)],
        };
        let (store, mut running, mut pools, now) = picky(definition, no_updates).await;
        running.machine.run_once(0, &mut pools, now).expect("it starts");
        let made = starts(&mut running, &mut pools, now).remove(0);
        ends(&mut running, &made, "before", &mut pools, now);
        written(&store, &mut running, &mut pools, now).await;
        running.machine.start(1, &mut pools, now).expect("it starts");
        let start = starts(&mut running, &mut pools, now).remove(0);
        ends(&mut running, &start, POISON, &mut pools, now);
        for _ in 0..2 {
            written(&store, &mut running, &mut pools, now).await;
        }
        assert_eq!(running.pending.len(), 0);
        let queue = running.machine.queue(0);
        assert_eq!((queue.len(), queue.in_flight(), running.machine.active(1)), (1, 0, 0));
        let kept = store.items(running.row.id, i64::MIN, 10).await.expect("items");
        assert_eq!(kept.len(), 1);
        // It is penalised where that can be kept; where not, the component rests.
        assert_eq!((queue.ready() == 0, kept[0].penalty_until.is_some()), (!no_updates, !no_updates));
        assert_eq!(starts(&mut running, &mut pools, now), []);
        let later = Now { mono_ms: 31_000, wall: Timestamp::from_millis(32_000) };
        running.machine.handle(flow::Event::Woke, &mut pools, later);
        assert_eq!(starts(&mut running, &mut pools, later).len(), 1);
    }
}

#[test]
fn a_priority_holds_nothing_that_a_database_refuses() {
    assert_eq!(Priority::of(Some("a\0b")), Priority::Text("a\u{fffd}b".into()));
}
