//! Components that run on every node: two nodes over one store, of which one owns the flow.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use mainspring_core::Incarnation;
use mainspring_core::cluster::{NodeRow, NodeStatus, Shard, ShardSet, Standing, Status};
use mainspring_core::flow::Placement;
use mainspring_store::InboxStore;
use tokio::task::AbortHandle;

use super::*;
use crate::flow::AtNode;
use crate::flow::body::session::{Item, Session};

/// Items of a queue before it is full.
const ROOM: usize = 3;

/// What bodies of all nodes have made, and what has come to the end.
#[derive(Debug, Default)]
struct Seen {
    made: Mutex<Vec<String>>,
    ended: Mutex<Vec<String>>,
}

struct Node {
    name: u128,
    flows: Flows,
    status: watch::Sender<Option<Arc<Status>>>,
    works: AbortHandle,
}

struct Pair {
    store: Arc<MemoryStore>,
    flow: i64,
    seen: Arc<Seen>,
    a: Node,
    b: Node,
}

/// A cluster of these nodes as one of them sees it.
fn status(me: u128, owns: bool, nodes: &[u128]) -> Option<Arc<Status>> {
    let node = |node: &u128| NodeStatus {
        row: NodeRow {
            incarnation: Incarnation(*node),
            name: node.to_string(),
            address: String::new(),
            version: String::new(),
            counter: 1,
            standing: Standing::Eligible,
            drain_asked: false,
            clock_offset_ms: None,
            answer_ms: None,
        },
        silent_ms: 0,
        shards: 0,
    };
    Some(Arc::new(Status {
        incarnation: Incarnation(me),
        standing: Standing::Eligible,
        trusted: true,
        owned: if owns { Shard::all().collect() } else { ShardSet::default() },
        releasing: ShardSet::default(),
        clock: None,
        clock_warned: false,
        database_clock: None,
        nodes: nodes.iter().map(node).collect(),
        shards: BTreeMap::new(),
        abandoned: None,
        least_version: None,
    }))
}

/// `make`, which runs on every node and calls a function, and `keep`, which notes what comes to it.
fn definition() -> Definition {
    let both = || ["success".to_owned(), "failure".to_owned()];
    let make = Component {
        placement: Placement::EveryNode,
        relationships: both().into(),
        ended: ["failure".to_owned()].into(),
        ..Component::new("make")
    };
    let keep = Component {
        trigger: Trigger::Event,
        input: InputRequirement::Required,
        relationships: both().into(),
        ended: both().into(),
        ..Component::new("keep")
    };
    let body = |name: &str| Body::Handler { name: name.to_owned() };
    let parts = vec![Part { component: make, body: body("make") }, Part { component: keep, body: body("keep") }];
    let connection = Connection { max_items: ROOM as u64, ..Connection::new(0, 1) };
    Definition { parts, connections: vec![connection] }
}

impl Node {
    fn start(
        name: u128,
        owns: bool,
        tools: Tools,
        store: &Arc<MemoryStore>,
        seen: &Arc<Seen>,
        gate: &watch::Receiver<bool>,
    ) -> Self {
        let (made, gate) = (Arc::clone(seen), gate.clone());
        tools.handlers.register("make", move |session: Session| {
            let (made, mut gate) = (Arc::clone(&made), gate.clone());
            async move {
                let text = {
                    let mut made = made.made.lock().expect("nobody panics");
                    let text = format!("{name}-{}", made.len());
                    made.push(text.clone());
                    text
                };
                let _ = gate.wait_for(|is_open| *is_open).await;
                session.transfer(Item::new(text), "success")
            }
        });
        let ended = Arc::clone(seen);
        tools.handlers.register("keep", move |session: Session| {
            let ended = Arc::clone(&ended);
            async move {
                let item = session.get().expect("it has an item");
                ended.ended.lock().expect("nobody panics").push(String::from_utf8_lossy(&item.payload).into_owned());
                session.transfer(item, "success")
            }
        });
        let (sender, status) = watch::channel(status(name, owns, &[1, 2]));
        let (flows, works) = Flows::new(Arc::clone(store) as Arc<dyn Store>, tools, status);
        let works = tokio::spawn(works.run()).abort_handle();
        Self { name, flows, status: sender, works }
    }

    async fn node(&self, of: u128) -> Option<AtNode> {
        let view = self.flows.view("default", "f").await.ok()?;
        let make = view.components.into_iter().find(|it| it.name == "make")?;
        make.nodes.into_iter().find(|it| it.node == Incarnation(of).to_string())
    }
}

impl Pair {
    /// The first node owns the flow. Bodies of `make` end while the gate is open.
    async fn start(gate: &watch::Receiver<bool>) -> Self {
        Self::start_with(gate, Tools::for_test).await
    }

    async fn start_with(gate: &watch::Receiver<bool>, tools: impl Fn() -> Tools) -> Self {
        let store = Arc::new(MemoryStore::shared());
        let flow = store.save_flow(saved(&definition())).await.expect("save_flow").id;
        let seen = Arc::default();
        let [a, b] = [(1, true), (2, false)].map(|(name, owns)| Node::start(name, owns, tools(), &store, &seen, gate));
        a.flows.reload(None).await.expect("it is read");
        Self { store, flow, seen, a, b }
    }

    /// Has the owner change a component, keeps that as a server does, and lets the other one know.
    async fn does(&self, owner: &Node, component: &str, action: Action) {
        owner.flows.change("default", "f", Some(vec![component.to_owned()]), action).await.expect("it can");
        self.keep(owner).await;
    }

    async fn keep(&self, owner: &Node) {
        let states = owner.flows.states("default", "f").await.expect("it is the owner");
        let states: BTreeMap<_, _> = states.iter().map(|(name, state)| (name, state.as_str())).collect();
        let row = self.store.flow("default", "f").await.expect("flow").expect("it is there");
        let states = serde_json::to_string(&states).expect("plain data");
        self.store.set_flow_states(row.id, row.version, &states).await.expect("set_flow_states");
        for node in [&self.a, &self.b] {
            // One that is gone knows nothing any more.
            let _ = node.flows.reload(None).await;
        }
    }

    /// Saves another definition, as a server does, and lets both nodes know.
    async fn edit(&self, before: &Definition, next: &Definition) {
        let row = self.store.flow("default", "f").await.expect("flow").expect("it is there");
        let touched = Some(before.touched_by(next).into_iter().map(str::to_owned).collect());
        let write = FlowWrite { states: row.states, expect: Some(row.version), touched, ..saved(next) };
        self.store.save_flow(write).await.expect("save_flow");
        for node in [&self.a, &self.b] {
            node.flows.reload(None).await.expect("it is read");
        }
    }

    /// Numbers of the inboxes that the other node fills.
    async fn inboxes(&self) -> Vec<i64> {
        let all = self.store.inboxes(self.flow, 0).await.expect("inboxes");
        all.into_iter().filter(|(row, _)| row.is_open).map(|(row, _)| row.number).collect()
    }

    /// Starts `make`, and waits until both nodes have made as much as there is room for: first the owner, then the other one.
    async fn fill(&self) {
        let make = Some(vec!["make".to_owned()]);
        self.a.flows.change("default", "f", make, Action::Start).await.expect("it can");
        while self.store.items(self.flow, 0, 100).await.expect("items").len() < ROOM {
            pause(5).await;
        }
        self.keep(&self.a).await;
        self.is_full().await;
    }

    fn ended(&self) -> Vec<String> {
        self.seen.ended.lock().expect("nobody panics").clone()
    }

    fn made(&self) -> Vec<String> {
        self.seen.made.lock().expect("nobody panics").clone()
    }

    async fn is_full(&self) {
        let is_full = async || {
            let (a, b) = (self.a.node(1).await?, self.a.node(2).await?);
            (a.blocked.is_some() && b.blocked.as_deref() == Some("downstream_full") && b.waiting == ROOM as u64)
                .then_some(())
        };
        while is_full().await.is_none() {
            pause(5).await;
        }
    }

    /// Waits until nothing that was made is on its way any more, and holds that each item has come to the end once.
    async fn all_end(&self, owner: &Node) {
        loop {
            let items = self.store.items(self.flow, i64::MIN, 1_000).await.expect("items");
            let view = owner.flows.view("default", "f").await.expect("it is the owner");
            if items.is_empty() && view.components.iter().all(|it| it.why.active == 0) {
                break;
            }
            pause(5).await;
        }
        let ended = self.ended();
        let distinct: BTreeSet<&String> = ended.iter().collect();
        let made = self.made();
        assert_eq!((distinct.len(), &distinct), (ended.len(), &made.iter().collect()), "nothing is lost or doubled");
    }
}

#[tokio::test]
async fn a_source_of_every_node_makes_items_on_each_while_there_is_room() {
    let (_open, gate) = watch::channel(true);
    let pair = Pair::start(&gate).await;
    pair.fill().await;
    let by = |node: &str| pair.made().iter().filter(|it| it.starts_with(node)).count();
    assert_eq!((by("1-"), by("2-")), (ROOM, ROOM), "each has room of its own");
    assert_eq!(pair.store.items(pair.flow, 0, 100).await.expect("items").len(), ROOM, "no queue is overfilled");

    pair.does(&pair.a, "keep", Action::Start).await;
    while pair.ended().iter().filter(|it| it.starts_with("2-")).count() < 3 * ROOM {
        pause(5).await;
    }
    while pair.a.node(2).await.is_none_or(|it| it.tasks == 0) {
        pause(5).await;
    }
    let view = pair.a.flows.view("default", "f").await.expect("it is the owner");
    let make = view.components.iter().find(|it| it.name == "make").expect("it is there");
    assert_eq!(make.counters.tasks, make.nodes.iter().map(|it| it.tasks).sum::<u64>());
    pair.does(&pair.a, "make", Action::Stop).await;
    while pair.a.node(2).await.is_some_and(|it| it.active > 0 || it.waiting > 0) {
        pause(5).await;
    }
    pair.all_end(&pair.a).await;
}

#[tokio::test]
async fn what_a_node_has_made_is_taken_by_the_next_owner() {
    let (_open, gate) = watch::channel(true);
    let pair = Pair::start(&gate).await;
    pair.fill().await;
    // The owner dies, and the other one owns the flow.
    pair.a.works.abort();
    pair.b.status.send_replace(status(pair.b.name, true, &[2]));
    pair.b.flows.reload(None).await.expect("it is read");
    pair.does(&pair.b, "keep", Action::Start).await;
    while pair.ended().len() < 4 * ROOM {
        pause(5).await;
    }
    pair.does(&pair.b, "make", Action::Stop).await;
    pair.all_end(&pair.b).await;
    while !pair.store.inboxes(pair.flow, 1).await.expect("inboxes").is_empty() {
        pause(5).await;
    }
}

#[tokio::test]
async fn what_is_put_into_an_inbox_wakes_the_owner_and_room_wakes_the_node() {
    let (_open, gate) = watch::channel(true);
    // Nobody looks by himself within this test.
    let pair = Pair::start_with(&gate, || Tools { inbox_look_ms: 3_600_000, ..Tools::for_test() }).await;
    pair.does(&pair.a, "make", Action::Start).await;
    pair.does(&pair.a, "keep", Action::Start).await;
    while pair.ended().iter().filter(|it| it.starts_with("2-")).count() < 10 * ROOM {
        pause(5).await;
    }
}

#[tokio::test]
async fn what_an_edit_does_not_touch_goes_on_on_every_node() {
    let (open, gate) = watch::channel(false);
    let pair = Pair::start(&gate).await;
    pair.does(&pair.a, "make", Action::Start).await;
    while pair.a.node(2).await.is_none_or(|it| it.active == 0) {
        pause(5).await;
    }
    let inboxes = pair.inboxes().await;
    let mut next = definition();
    next.parts[1].component.concurrency = 2;
    pair.edit(&definition(), &next).await;
    assert_eq!(pair.inboxes().await, inboxes, "the other node goes on with its body");
    open.send_replace(true);
    pair.is_full().await;
    pair.does(&pair.a, "keep", Action::Start).await;
    // One that touches it begins anew, with what it is to be by now.
    pair.does(&pair.a, "make", Action::Stop).await;
    while pair.a.node(2).await.is_some_and(|it| it.active > 0 || it.waiting > 0) {
        pause(5).await;
    }
    pair.all_end(&pair.a).await;
    let mut touching = next.clone();
    touching.parts[0].component.concurrency = 2;
    pair.edit(&next, &touching).await;
    pair.does(&pair.a, "make", Action::Start).await;
    while pair.inboxes().await.iter().all(|number| inboxes.contains(number)) {
        pause(5).await;
    }
}

#[tokio::test]
async fn a_body_that_is_terminated_on_another_node_keeps_nothing() {
    let (open, gate) = watch::channel(false);
    let pair = Pair::start(&gate).await;
    pair.does(&pair.a, "make", Action::Start).await;
    while pair.a.node(2).await.is_none_or(|it| it.active == 0) {
        pause(5).await;
    }
    pair.does(&pair.a, "make", Action::Stop).await;
    let make = Some(vec!["make".to_owned()]);
    pair.a.flows.change("default", "f", make, Action::Terminate).await.expect("it is stopped");
    // Only now do the bodies end.
    open.send_replace(true);
    while pair.a.node(2).await.is_some() {
        pause(5).await;
    }
    assert_eq!(pair.made().len(), 2);
    assert_eq!(pair.store.items(pair.flow, i64::MIN, 10).await.expect("items"), []);
    // Started again, it runs there again.
    pair.does(&pair.a, "make", Action::Start).await;
    pair.is_full().await;
}
