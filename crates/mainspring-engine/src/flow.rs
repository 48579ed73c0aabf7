//! Flows at work: one loop for all flows of a node, beside that of jobs.
//!
//! The loop asks [`mainspring_core::flow::Machine`] what to do, does it, and tells what came of it. It never waits for a body or
//! for the store: both answer through its inbox. What bodies come to that end together is kept in one transaction.
//!
//! Of items the loop has the headers in memory; what they hold is in the store, and is read when a body needs it. An item stays in
//! the store until the transaction that keeps what its body did, so that a process that is killed loses nothing.

mod body;
mod branch;
mod changes;
mod content;
mod history;
mod meter;
mod running;
#[cfg(test)]
mod tests;
mod validity;
mod works;
mod writes;

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_core::Timestamp;
use mainspring_core::cluster::Status;
use mainspring_core::flow::body::Content;
use mainspring_core::flow::{Blocked, ComponentState, Counters, Definition, Header, ItemId, Refused, Why};
use mainspring_store::{FlowRow, Store};
use tokio::sync::{mpsc, oneshot, watch};

pub(crate) use body::Tools;
pub use body::session::{FlowHandlers, Item, Session};
pub use branch::AtNode;
pub(crate) use branch::LOOK_EVERY_MS as INBOX_LOOK_MS;
use changes::Changes;
pub use history::minutes;
pub use validity::Lacks;
use works::Works;

/// What is asked of flows. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Flows {
    requests: mpsc::UnboundedSender<Request>,
    changes: Changes,
}

/// Why a request about a flow was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum FlowError {
    /// There is no such flow.
    #[error("there is no flow \"{0}\"")]
    NoFlow(String),
    /// The flow has no such component.
    #[error("the flow has no component \"{0}\"")]
    NoComponent(String),
    /// The flow has no such connection.
    #[error("the flow has no connection \"{0}\"")]
    NoConnection(String),
    /// The place to which items are to return has to be said.
    #[error("items of \"{connection}\" may return to {choices}: say to which")]
    Ambiguous {
        /// The connection that holds them.
        connection: String,
        /// Where they may go.
        choices: String,
    },
    /// A component is in a state that does not allow it.
    #[error("component \"{component}\": {refused}")]
    Refused {
        /// The component.
        component: String,
        /// Why.
        refused: Refused,
    },
    /// A component lacks what it needs beside items.
    #[error("component \"{component}\" cannot run now: {lacks}")]
    Invalid {
        /// The component.
        component: String,
        /// What it lacks.
        lacks: String,
    },
    /// Another node runs the flow, or nobody yet.
    #[error("this node does not run the flow; ask the one that does, or wait while the flow changes nodes")]
    Elsewhere,
    /// The store could not.
    #[error(transparent)]
    Store(#[from] mainspring_store::Error),
    /// The engine stops.
    #[error("the engine is stopping")]
    Stopping,
}

/// What components are to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Run by their triggers.
    Start,
    /// Begin nothing more.
    Stop,
    /// Run once, and then be stopped.
    RunOnce,
    /// Give up their bodies; they must be stopped.
    Terminate,
    /// Not be started.
    Disable,
    /// Be started again when somebody asks.
    Enable,
}

/// A flow as it is now.
#[derive(Clone, Debug)]
pub struct FlowView {
    /// How it is kept.
    pub row: FlowRow,
    /// Its components, in order.
    pub components: Vec<ComponentView>,
    /// Its connections, in order.
    pub connections: Vec<ConnectionView>,
    /// How often gates were asked since this node took the flow.
    pub checks: u64,
    /// Transactions that kept what bodies and requests did, since then.
    pub commits: u64,
    /// Names, sizes and taken permits of the node's pools.
    pub pools: Vec<PoolView>,
}

/// The name of a pool of permits, its size, and how many of them are taken.
pub type PoolView = (String, u32, u32);

/// The setting of the store under which the sizes of pools are kept, as JSON by name.
pub const POOLS_SETTING: &str = "flow.pools";

/// A component as it is now.
#[derive(Clone, Debug)]
pub struct ComponentView {
    /// Its name.
    pub name: String,
    /// Why it runs or does not on this node; its bodies are those of all nodes.
    pub why: Why,
    /// What it did in the last five minutes, on all nodes.
    pub counters: Counters,
    /// Messages about it: when, whether it is an error, and what.
    pub bulletins: Vec<(Timestamp, bool, String)>,
    /// Times of its calendar that passed while its body ran.
    pub missed: u64,
    /// The same node by node, where it runs on every node of a cluster; this one first.
    pub nodes: Vec<AtNode>,
}

/// A connection as it is now.
#[derive(Clone, Debug)]
pub struct ConnectionView {
    /// `FROM:TO`, with `:RELATIONSHIP` where that is not `success`.
    pub name: String,
    /// Where items come from and go to.
    pub ends: (String, String),
    /// Under which relationships.
    pub relationships: Vec<String>,
    /// Items that it holds, those of bodies included.
    pub items: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Items that can be taken now.
    pub ready: u64,
    /// Items that are passed over until their penalty ends.
    pub penalised: u64,
    /// Items that bodies have.
    pub in_flight: u64,
    /// How full it is, in thousandths of the nearer limit; more than 1,000 where a body has put in more than fits.
    pub fullness: u64,
    /// Whether it is full.
    pub is_full: bool,
    /// At how many items it is full.
    pub max_items: u64,
    /// At how many bytes.
    pub max_bytes: u64,
}

/// A line of a component's log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// When it was written.
    pub at: Timestamp,
    /// What it says.
    pub text: String,
}

/// An item that waits, and until when it is passed over.
#[derive(Clone, Debug)]
pub struct WaitingItem {
    /// The item.
    pub item: Header,
    /// Until when it is passed over.
    pub penalty_until: Option<Timestamp>,
}

/// An item, and where it is.
#[derive(Clone, Debug)]
pub struct FoundItem {
    /// The item.
    pub item: WaitingItem,
    /// The connection that holds it.
    pub connection: String,
    /// Whether a body has it.
    pub is_in_flight: bool,
}

pub(crate) type Reply<T> = oneshot::Sender<Result<T, FlowError>>;

/// The namespace and name of a flow.
pub(crate) type Name = (String, String);

/// What people ask.
pub(crate) enum Request {
    View(Name, Reply<FlowView>),
    Change(Name, Option<Vec<String>>, Action, Reply<BTreeMap<String, ComponentState>>),
    States(Name, Reply<BTreeMap<String, ComponentState>>),
    Queue(Name, String, usize, Reply<Vec<WaitingItem>>),
    Find(Name, ItemId, Reply<Option<FoundItem>>),
    Drop(Name, String, Option<Vec<ItemId>>, Reply<u64>),
    Replay(Name, Replay, Reply<u64>),
    Accept(Name, String, Vec<Content>, Reply<u64>),
    Pools(Reply<Vec<PoolView>>),
    Resize(BTreeMap<String, u32>, Reply<()>),
    Log(Name, String, Reply<Vec<Line>>),
    Reload(Option<Name>, Reply<()>),
    Lacks(String, Box<Definition>, Reply<Lacks>),
    Drain,
    Drained(Reply<()>),
    EndBodies,
}

/// Items that are to go to another queue.
pub(crate) struct Replay {
    pub(crate) from: String,
    pub(crate) only: Option<Vec<ItemId>>,
    pub(crate) to: Option<String>,
}

impl Flows {
    /// Makes the loop, and the handle through which it is asked.
    pub(crate) fn new(
        store: Arc<dyn Store>,
        tools: Tools,
        status: watch::Receiver<Option<Arc<Status>>>,
    ) -> (Self, Works) {
        let (requests, asked) = mpsc::unbounded_channel();
        let changes = Changes::default();
        let works = Works::new(store, tools, status, asked, changes.clone());
        (Self { requests, changes }, works)
    }

    /// Flows of this node in which something has happened since the last call, by namespace and name.
    #[must_use]
    pub fn take_changed(&self) -> Vec<(String, String)> {
        self.changes.take()
    }

    /// A flow as it is now.
    ///
    /// # Errors
    /// This node does not run it.
    pub async fn view(&self, namespace: &str, name: &str) -> Result<FlowView, FlowError> {
        self.ask(|reply| Request::View((namespace.to_owned(), name.to_owned()), reply)).await
    }

    /// Starts, stops, terminates or runs components once; all of them where none is named. Of all, those that are in that state
    /// already, or disabled, are passed over. Answers what each is meant to do then, which is to be kept.
    ///
    /// # Errors
    /// A component is not there, or in a state that does not allow it; nothing has changed then.
    pub async fn change(
        &self,
        namespace: &str,
        name: &str,
        components: Option<Vec<String>>,
        action: Action,
    ) -> Result<BTreeMap<String, ComponentState>, FlowError> {
        self.ask(|reply| Request::Change((namespace.to_owned(), name.to_owned()), components, action, reply)).await
    }

    /// What each component is meant to do now; who runs once is stopped afterwards.
    ///
    /// # Errors
    /// This node does not run it.
    pub async fn states(&self, namespace: &str, name: &str) -> Result<BTreeMap<String, ComponentState>, FlowError> {
        self.ask(|reply| Request::States((namespace.to_owned(), name.to_owned()), reply)).await
    }

    /// Items that wait in a connection, in the order in which they leave.
    ///
    /// # Errors
    /// There is no such connection.
    pub async fn queue(
        &self,
        namespace: &str,
        name: &str,
        connection: &str,
        limit: usize,
    ) -> Result<Vec<WaitingItem>, FlowError> {
        let flow = (namespace.to_owned(), name.to_owned());
        self.ask(|reply| Request::Queue(flow, connection.to_owned(), limit, reply)).await
    }

    /// Removes items that wait in a connection, and answers how many, once that is durable. What bodies have stays.
    ///
    /// # Errors
    /// There is no such connection.
    pub async fn drop_items(
        &self,
        namespace: &str,
        name: &str,
        connection: &str,
        only: Option<Vec<ItemId>>,
    ) -> Result<u64, FlowError> {
        let flow = (namespace.to_owned(), name.to_owned());
        self.ask(|reply| Request::Drop(flow, connection.to_owned(), only, reply)).await
    }

    /// An item wherever it is in a flow. `None`: it is in none of its queues any more.
    ///
    /// # Errors
    /// This node does not run the flow.
    pub async fn find_item(&self, namespace: &str, name: &str, id: ItemId) -> Result<Option<FoundItem>, FlowError> {
        self.ask(|reply| Request::Find((namespace.to_owned(), name.to_owned()), id, reply)).await
    }

    /// Moves items that wait in a connection to another one, where they are tried anew, and answers how many, once that is
    /// durable. Without a target it is the one connection that leads to the component from which they came.
    ///
    /// # Errors
    /// There is no such connection, or no target is said and there is not exactly one.
    pub async fn replay(
        &self,
        namespace: &str,
        name: &str,
        from: &str,
        only: Option<Vec<ItemId>>,
        to: Option<String>,
    ) -> Result<u64, FlowError> {
        let flow = (namespace.to_owned(), name.to_owned());
        let replay = Replay { from: from.to_owned(), only, to };
        self.ask(|reply| Request::Replay(flow, replay, reply)).await
    }

    /// The pools of this node.
    ///
    /// # Errors
    /// The engine stops.
    pub async fn pools(&self) -> Result<Vec<PoolView>, FlowError> {
        self.ask(Request::Pools).await
    }

    /// Sets the sizes of pools of this node, and adds those that are new. Bodies that run go on, also where a pool has shrunk
    /// below them.
    ///
    /// # Errors
    /// The engine stops.
    pub async fn resize(&self, sizes: BTreeMap<String, u32>) -> Result<(), FlowError> {
        self.ask(|reply| Request::Resize(sizes, reply)).await
    }

    /// Puts items into a component that has no body of its own, and answers how many are in queues then, once that is durable.
    ///
    /// # Errors
    /// There is no such component, it does not run, or a queue behind it is full.
    pub async fn put_items(
        &self,
        namespace: &str,
        name: &str,
        component: &str,
        items: Vec<Content>,
    ) -> Result<u64, FlowError> {
        let flow = (namespace.to_owned(), name.to_owned());
        self.ask(|reply| Request::Accept(flow, component.to_owned(), items, reply)).await
    }

    /// The last lines of a component's log, the oldest first.
    ///
    /// # Errors
    /// There is no such component.
    pub async fn log(&self, namespace: &str, name: &str, component: &str) -> Result<Vec<Line>, FlowError> {
        let flow = (namespace.to_owned(), name.to_owned());
        self.ask(|reply| Request::Log(flow, component.to_owned(), reply)).await
    }

    /// Reads again which flows there are, and answers when this one is as it is kept.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn reload(&self, flow: Option<(&str, &str)>) -> Result<(), FlowError> {
        let name = flow.map(|(namespace, name)| (namespace.to_owned(), name.to_owned()));
        self.ask(|reply| Request::Reload(name, reply)).await
    }

    /// What components of a flow of a namespace lack on this node, beside items.
    ///
    /// # Errors
    /// The engine stops.
    pub async fn lacks(&self, namespace: &str, definition: &Definition) -> Result<Lacks, FlowError> {
        self.ask(|reply| Request::Lacks(namespace.to_owned(), Box::new(definition.clone()), reply)).await
    }

    /// Begins nothing more on this node.
    pub(crate) fn drain(&self) {
        let _ = self.requests.send(Request::Drain);
    }

    /// Returns when what the bodies of this node came to is kept, after it was told to begin no more.
    pub(crate) async fn drained(&self) {
        // Where the loop is over, there is nothing to wait for.
        let _ = self.ask(Request::Drained).await;
    }

    /// Ends the bodies of this node. Their items are delivered again by whoever runs the flow next.
    pub(crate) fn end_bodies(&self) {
        let _ = self.requests.send(Request::EndBodies);
    }

    async fn ask<T>(&self, request: impl FnOnce(Reply<T>) -> Request) -> Result<T, FlowError> {
        let (reply, answer) = oneshot::channel();
        self.requests.send(request(reply)).map_err(|_| FlowError::Stopping)?;
        answer.await.unwrap_or(Err(FlowError::Stopping))
    }
}

/// Why a component does not run, in words for people.
#[must_use]
pub fn sentence(why: &Why) -> String {
    let waits = |blocked: &Blocked| format!("{:?}", blocked.reason);
    match (&why.state, &why.blocked) {
        (ComponentState::Stopped, _) if why.active > 0 => format!("it is stopping: {} bodies still run", why.active),
        (ComponentState::Stopped, _) => "it is stopped: start it".to_owned(),
        (ComponentState::Disabled, _) => "it is disabled: enable it, then start it".to_owned(),
        (ComponentState::WaitingValid, _) => format!("it starts when it can run: {}", why.lacks.join("; ")),
        (_, _) if why.active > 0 => format!("it runs: {} bodies", why.active),
        (_, Some(blocked)) => match blocked.reason {
            mainspring_core::flow::Reason::Terminated => "a body that was terminated has not ended".to_owned(),
            mainspring_core::flow::Reason::Yielded => "it rests, as its body asked or because that failed".to_owned(),
            mainspring_core::flow::Reason::NotLeader => "it runs on the leader, which is another node".to_owned(),
            mainspring_core::flow::Reason::NoWork => "it has no work: its queues are empty".to_owned(),
            mainspring_core::flow::Reason::Penalised => "all items in its queues are penalised".to_owned(),
            mainspring_core::flow::Reason::DownstreamFull => "a queue behind it is full".to_owned(),
            mainspring_core::flow::Reason::AtConcurrency => waits(blocked),
        },
        (_, None) if why.is_passive => "it waits for requests that put items".to_owned(),
        (_, None) if why.queued > 0 => "it waits for a permit of its pool".to_owned(),
        (_, None) => match (why.starts_in_ms, why.next_fire) {
            (Some(ms), _) => format!("its schedule lets it start in {ms} ms"),
            (None, Some(at)) => format!("it waits for its next time, {at}"),
            (None, None) => "no time of its calendar is left".to_owned(),
        },
    }
}
