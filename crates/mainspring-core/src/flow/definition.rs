//! What a flow consists of.

use std::collections::BTreeSet;

use mainspring_schedule::{Dialect, Semantics, Timestamp, Zone};
use serde::{Deserialize, Serialize};

use super::cycles::cycles;
use super::problem::{FlowProblem, problems};
use super::retry::Retry;

/// The most items that a funnel moves in one turn.
pub const FUNNEL_BATCH: usize = 10_000;

/// A graph of components and connections in which nothing is wrong.
#[derive(Clone, Debug)]
pub struct Flow {
    components: Vec<Component>,
    connections: Vec<Connection>,
    incoming: Vec<Vec<usize>>,
    outgoing: Vec<Vec<usize>>,
    cycles: Vec<Vec<usize>>,
    is_in_cycle: Vec<bool>,
}

/// A part of a flow that does something with items. The defaults are those of [`Component::new`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Component {
    /// Its name, unique within the flow.
    pub name: String,
    /// What makes it run.
    pub trigger: Trigger,
    /// How many of its bodies may run at once. 0 is for event-driven components: as many as their pool has room for.
    pub concurrency: u32,
    /// The pool whose permits its bodies take; by trigger when absent.
    pub pool: Option<String>,
    /// Whether it runs without items although it has inputs.
    pub trigger_when_empty: bool,
    /// Whether its bodies must never overlap.
    pub serial: bool,
    /// Whether room behind one relationship is enough; else all need room.
    pub any_destination: bool,
    /// Whether it needs connections that lead to it.
    pub input: InputRequirement,
    /// Whether it only passes items on.
    pub is_funnel: bool,
    /// How many items one turn takes at most.
    pub batch: usize,
    /// How many bytes they have together at most, if it takes more than one; 0 for any.
    #[serde(default)]
    pub batch_bytes: u64,
    /// How many items have to wait in a queue until a turn takes them; 1 for at once.
    #[serde(default = "one")]
    pub gather: usize,
    /// After how many ms fewer will do.
    #[serde(default)]
    pub gather_ms: i64,
    /// Whether it has no bodies: others put its items.
    #[serde(default)]
    pub is_passive: bool,
    /// How long it rests when its body asks for that, in ms.
    pub yield_ms: i64,
    /// How long a penalised item is passed over, in ms.
    pub penalty_ms: i64,
    /// How long it rests after its body failed, in ms.
    pub admin_yield_ms: i64,
    /// How long a turn goes on to start bodies, in ms; 0 for one body.
    pub run_duration_ms: i64,
    /// On which nodes it runs.
    pub placement: Placement,
    /// What is tried again.
    pub retry: Retry,
    /// The names under which it passes items on.
    pub relationships: Vec<String>,
    /// Relationships whose items end there.
    pub ended: BTreeSet<String>,
}

const fn one() -> usize {
    1
}

/// What makes a component run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// A delay after each body, in ms. 0: as fast as there is work.
    Timer {
        /// From the end of a body to the next start.
        run_schedule_ms: i64,
    },
    /// Times of a calendar.
    Cron(Box<Cron>),
    /// An item that arrives.
    Event,
}

/// Times of a calendar at which a component runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "CronText", into = "CronText")]
pub struct Cron {
    /// The expression.
    pub expression: mainspring_schedule::Cron,
    /// The zone in which it is read.
    pub zone: Zone,
    /// What becomes of times that pass while the body runs.
    pub misfire: Misfire,
    /// What becomes of times at which the gate is closed.
    pub on_blocked: OnBlocked,
}

/// A calendar as it is kept.
#[derive(Serialize, Deserialize)]
struct CronText {
    expression: String,
    zone: String,
    misfire: Misfire,
    on_blocked: OnBlocked,
}

impl From<Cron> for CronText {
    fn from(it: Cron) -> Self {
        let (expression, zone) = (it.expression.as_str().to_owned(), it.zone.name().to_owned());
        Self { expression, zone, misfire: it.misfire, on_blocked: it.on_blocked }
    }
}

impl TryFrom<CronText> for Cron {
    type Error = String;

    fn try_from(it: CronText) -> Result<Self, String> {
        let expression = mainspring_schedule::Cron::parse(&it.expression, Dialect::Quartz, Semantics::Standard);
        let zone = Zone::parse(&it.zone).map_err(|error| error.to_string())?;
        let expression = expression.map_err(|error| error.to_string())?;
        Ok(Self { expression, zone, misfire: it.misfire, on_blocked: it.on_blocked })
    }
}

impl Cron {
    /// Returns the first time strictly after `after`.
    #[must_use]
    pub fn next_after(&self, after: Timestamp) -> Option<Timestamp> {
        self.expression.next_after(&self.zone, after)
    }
}

/// What becomes of times that pass while the body runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Misfire {
    /// They are lost.
    #[default]
    Skip,
    /// One body makes up for all of them, at once.
    Once,
    /// So many bodies at most make up for them, one after another.
    All(u32),
}

/// What becomes of a time at which the gate is closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnBlocked {
    /// It is lost.
    #[default]
    Skip,
    /// The component runs as soon as the gate opens.
    Defer,
}

/// Whether a component needs connections that lead to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InputRequirement {
    /// With or without.
    #[default]
    Allowed,
    /// At least one.
    Required,
    /// None.
    Forbidden,
}

/// On which nodes a component runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// On the node that owns the flow.
    #[default]
    One,
    /// On the node that leads, which must be a component without inputs.
    Leader,
    /// On every node, which must be a component without inputs.
    EveryNode,
}

/// A queue between two components.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Connection {
    /// The component that puts items in.
    pub from: usize,
    /// Under which of its relationships.
    pub relationships: Vec<String>,
    /// The component that takes them.
    pub to: usize,
    /// At how many items it is full; 0 for never.
    pub max_items: u64,
    /// At how many bytes it is full; 0 for never.
    pub max_bytes: u64,
    /// After how many ms in the flow an item is thrown away; 0 for never.
    pub expire_after_ms: i64,
    /// In which order items leave. After these, in order of arrival.
    pub prioritizers: Vec<Prioritizer>,
}

/// An order of items.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prioritizer {
    /// First in, first out.
    Fifo,
    /// The youngest lineage first.
    Newest,
    /// The oldest lineage first.
    Oldest,
    /// By the attribute `priority`: whole numbers first, the lowest before others, then texts, then items without it.
    Priority,
}

impl Component {
    /// Makes a timer-driven component with all defaults and one relationship, `success`.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            trigger: Trigger::Timer { run_schedule_ms: 0 },
            concurrency: 1,
            pool: None,
            trigger_when_empty: false,
            serial: false,
            any_destination: false,
            input: InputRequirement::Allowed,
            is_funnel: false,
            batch: 1,
            batch_bytes: 0,
            gather: 1,
            gather_ms: 0,
            is_passive: false,
            yield_ms: 1_000,
            penalty_ms: 30_000,
            admin_yield_ms: 30_000,
            run_duration_ms: 0,
            placement: Placement::One,
            retry: Retry::default(),
            relationships: vec!["success".to_owned()],
            ended: BTreeSet::new(),
        }
    }

    /// Makes the component that passes items on and does nothing else.
    pub fn funnel(name: impl Into<String>) -> Self {
        Self { is_funnel: true, batch: FUNNEL_BATCH, ..Self::new(name) }
    }

    /// Returns how many bytes the items of a turn have together at most, if there is more than one.
    #[must_use]
    pub const fn most_bytes(&self) -> u64 {
        if self.batch_bytes == 0 { u64::MAX } else { self.batch_bytes }
    }

    /// Returns the name of the pool whose permits it takes.
    #[must_use]
    pub fn pool(&self) -> &str {
        match (&self.pool, &self.trigger) {
            (Some(pool), _) => pool,
            (None, Trigger::Event) => "event",
            (None, Trigger::Timer { .. } | Trigger::Cron(_)) => "timer",
        }
    }
}

impl Connection {
    /// Makes a connection for the relationship `success`, full at 10,000 items or 1 GiB.
    #[must_use]
    pub fn new(from: usize, to: usize) -> Self {
        Self {
            from,
            relationships: vec!["success".to_owned()],
            to,
            max_items: 10_000,
            max_bytes: 1 << 30,
            expire_after_ms: 0,
            prioritizers: Vec::new(),
        }
    }

    /// Whether it leads from a component to itself.
    #[must_use]
    pub const fn is_loop(&self) -> bool {
        self.from == self.to
    }
}

impl Flow {
    /// Joins components and connections.
    ///
    /// # Errors
    /// Everything that is wrong with them; see [`FlowProblem`].
    pub fn new(components: Vec<Component>, connections: Vec<Connection>) -> Result<Self, Vec<FlowProblem>> {
        let ends = |end: fn(&Connection) -> usize| {
            let mut lists = vec![Vec::new(); components.len()];
            for (index, connection) in connections.iter().enumerate() {
                lists[end(connection)].push(index);
            }
            lists
        };
        let (incoming, outgoing) = (ends(|it| it.to), ends(|it| it.from));
        let edges = connections.iter().map(|it| (it.from, it.to));
        let cycles = cycles(components.len(), edges);
        let mut is_in_cycle = vec![false; components.len()];
        cycles.iter().flatten().for_each(|component| is_in_cycle[*component] = true);
        let flow = Self { components, connections, incoming, outgoing, cycles, is_in_cycle };
        let found = problems(&flow);
        if found.is_empty() { Ok(flow) } else { Err(found) }
    }

    /// The components, in the order given.
    #[must_use]
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// The connections, in the order given.
    #[must_use]
    pub fn connections(&self) -> &[Connection] {
        &self.connections
    }

    /// Connections that lead to a component.
    #[must_use]
    pub fn incoming(&self, component: usize) -> &[usize] {
        &self.incoming[component]
    }

    /// Connections that lead away from a component.
    #[must_use]
    pub fn outgoing(&self, component: usize) -> &[usize] {
        &self.outgoing[component]
    }

    /// Groups of two or more components that can reach each other: full queues among them could stop them all.
    #[must_use]
    pub fn cycles(&self) -> &[Vec<usize>] {
        &self.cycles
    }

    /// Whether a component is in one of the [cycles](Self::cycles).
    #[must_use]
    pub fn is_in_cycle(&self, component: usize) -> bool {
        self.is_in_cycle[component]
    }

    /// Whether a component runs without items: it has no inputs but from itself, or is to run when they are empty.
    #[must_use]
    pub fn is_source(&self, component: usize) -> bool {
        let it = &self.components[component];
        !it.is_funnel && (it.trigger_when_empty || self.has_no_inputs(component))
    }

    /// Whether nothing but a component itself leads to it.
    pub(super) fn has_no_inputs(&self, component: usize) -> bool {
        self.incoming[component].iter().all(|it| self.connections[*it].is_loop())
    }
}
