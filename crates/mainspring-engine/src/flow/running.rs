//! One flow of this node: its machine, what its items hold, and what is to be kept.

use std::collections::{BTreeMap, VecDeque};

use mainspring_core::Timestamp;
use mainspring_core::flow::body::{Content, Done};
use mainspring_core::flow::{
    self, ComponentState, Definition, Event, Header, IdleCheck, ItemId, Level, Machine, Minute, Moves, Now, Output,
    Pools, Recorder, TurnId, Verdict, Write,
};
use mainspring_store::{FlowRow, ItemRow, ItemWrite, causes};
use rustc_hash::FxHashMap;
use tokio::sync::watch;

use super::body::{Claims, Told};
use super::branch::{AtNode, Inboxes, Owner};
use super::changes::Changes;
use super::content::kept_content;
use super::history::Due;
use super::meter::AtWork;
use super::validity::Lacks;
use super::writes::Outcome;
use super::{ComponentView, ConnectionView, FlowError, FlowView, FoundItem, Line, Reply, WaitingItem};

/// Bytes of contents that are kept in memory for the next component, for each flow.
const CACHE_BYTES: u64 = 16 << 20;
/// Lines that are kept of a component's log.
const LINES: usize = 100;

/// A flow that was read.
pub(super) struct Loaded {
    pub(super) row: FlowRow,
    pub(super) epoch: i64,
    pub(super) inboxes: Inboxes,
    pub(super) definition: Definition,
    pub(super) flow: flow::Flow,
    pub(super) items: Vec<ItemRow>,
    /// What components lack.
    pub(super) lacks: Lacks,
}

/// A flow at work.
pub(super) struct Running {
    pub(super) row: FlowRow,
    pub(super) epoch: i64,
    /// Tells this load of the flow from others.
    pub(super) generation: u64,
    pub(super) definition: Definition,
    pub(super) machine: Machine,
    /// What it has to do with components that run on every node.
    pub(super) inboxes: Inboxes,
    numbers: Vec<i64>,
    contents: FxHashMap<ItemId, Content>,
    cached: u64,
    /// Bodies that run: how each is told to end.
    pub(super) bodies: FxHashMap<TurnId, watch::Sender<Told>>,
    /// What is to be kept next, in order.
    pub(super) pending: Vec<Pending>,
    pub(super) is_writing: bool,
    /// Batches that were kept.
    commits: u64,
    logs: Vec<VecDeque<Line>>,
    recorder: Recorder,
    /// Edits since that was handed out which is being written.
    moves: Vec<Moves>,
}

/// Writes that belong together, and who hears when they are kept.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) turn: Option<TurnId>,
    pub(super) writes: Vec<ItemWrite>,
    pub(super) reply: Option<Reply<u64>>,
    /// Whether they stand in for writes that the store refused.
    pub(super) replaces: bool,
    /// Files that go once the writes are kept.
    pub(super) claims: Claims,
    /// Items that somebody has put into a component, which are in their queues once they are kept.
    pub(super) accepted: Option<(usize, Vec<Write>)>,
    /// Whether these come out of inboxes.
    pub(super) is_adopted: bool,
}

impl Pending {
    /// Writes that belong to no turn.
    pub(super) fn of(writes: Vec<ItemWrite>, reply: Option<Reply<u64>>) -> Self {
        Self {
            turn: None,
            writes,
            reply,
            replaces: false,
            claims: Claims::default(),
            accepted: None,
            is_adopted: false,
        }
    }

    /// Follows an edit of the flow. Connections for which room is reserved stay.
    fn follow(&mut self, moves: &Moves) {
        self.accepted = self.accepted.take().and_then(|(component, writes)| {
            let writes = writes.into_iter().filter_map(|write| write.moved(moves)).collect();
            Some((moves.components[component]?, writes))
        });
    }

    /// Bytes of payloads that are to be kept.
    pub(super) fn bytes(&self) -> usize {
        let of = |write: &ItemWrite| match write {
            ItemWrite::Insert(_, content) | ItemWrite::Update(_, Some(content)) => content.payload.len(),
            ItemWrite::Update(_, None) | ItemWrite::Adopt(..) | ItemWrite::Remove(_) => 0,
        };
        self.writes.iter().map(of).sum()
    }
}

/// What a body came to.
pub(super) struct Ended {
    pub(super) turn: TurnId,
    pub(super) done: Done,
    /// What its items held.
    pub(super) contents: Vec<Content>,
    /// Files that it has claimed.
    pub(super) claims: Claims,
}

impl Running {
    /// Makes a flow, or a branch of one, that pools know by a key.
    pub(super) fn new(key: i64, loaded: Loaded, idle: IdleCheck, generation: u64, pools: &mut Pools, now: Now) -> Self {
        let Loaded { row, epoch, inboxes, definition, flow, items, lacks } = loaded;
        let numbers = definition.connection_numbers();
        let first_id = match &inboxes {
            Inboxes::Branch(branch) => flow::inbox_ids(branch.number).start,
            Inboxes::None | Inboxes::Owner(_) => {
                Machine::first_id(items.iter().map(|item| item.id.max(item.position)).max(), epoch)
            }
        };
        let mut machine = Machine::new(key.cast_unsigned(), flow, idle, first_id, now);
        for item in &items {
            match numbers.iter().position(|number| *number == item.connection) {
                Some(connection) => {
                    machine.handle(Event::Put { connection, item: item.header(now) }, pools, now);
                }
                None => tracing::warn!(flow = row.name, item = item.id, "an item is in no connection of its flow"),
            }
        }
        let logs = definition.parts.iter().map(|_| VecDeque::new()).collect();
        let (components, queues) = names(&definition);
        let recorder = Recorder::new(components, queues, &machine, now);
        let mut running = Self {
            row: FlowRow { epoch, ..row },
            epoch,
            generation,
            definition,
            machine,
            inboxes,
            numbers,
            contents: FxHashMap::default(),
            cached: 0,
            bodies: FxHashMap::default(),
            pending: Vec::new(),
            is_writing: false,
            commits: 0,
            logs,
            recorder,
            moves: Vec::new(),
        };
        running.judge_all(&lacks, pools, now);
        running.resume(pools, now);
        running
    }

    /// Becomes another definition, and starts what that leaves stopped and is meant to run. What the edit does not touch goes on.
    /// Answers false, and changes nothing, where something that it touches is at work.
    pub(super) fn edit(
        &mut self,
        row: &FlowRow,
        to: (Definition, flow::Flow, Lacks),
        pools: &mut Pools,
        now: Now,
    ) -> bool {
        let (definition, flow, lacks) = to;
        let moves = self.definition.moves_to(&definition);
        self.recorder.pause(&self.machine);
        if !self.machine.edit(flow, &moves, pools, now) {
            return false;
        }
        let mut logs: Vec<VecDeque<Line>> = definition.parts.iter().map(|_| VecDeque::new()).collect();
        for (log, place) in std::mem::take(&mut self.logs).into_iter().zip(&moves.components) {
            place.iter().for_each(|place| logs[*place] = log.clone());
        }
        self.logs = logs;
        self.pending.iter_mut().for_each(|pending| pending.follow(&moves));
        if self.is_writing {
            self.moves.push(moves);
        }
        if matches!(self.inboxes, Inboxes::None) && definition.on_every_node().next().is_some() {
            self.inboxes = Inboxes::Owner(Owner::default());
        }
        self.numbers = definition.connection_numbers();
        let (components, queues) = names(&definition);
        self.recorder.resume(components, queues, &self.machine);
        self.definition = definition;
        self.row = FlowRow { epoch: self.epoch, ..row.clone() };
        self.judge_all(&lacks, pools, now);
        self.resume(pools, now);
        true
    }

    /// Starts what was running.
    fn resume(&mut self, pools: &mut Pools, now: Now) {
        let states: BTreeMap<String, String> = serde_json::from_str(&self.row.states).unwrap_or_default();
        for component in 0..self.definition.parts.len() {
            match states.get(&self.definition.parts[component].component.name).map(String::as_str) {
                Some("running") => drop(self.machine.start(component, pools, now)),
                Some("disabled") => drop(self.machine.disable(component)),
                _ => {}
            }
        }
    }

    /// What each component is meant to do. Who runs once is stopped afterwards.
    pub(super) fn states(&self) -> BTreeMap<String, ComponentState> {
        let state = |component: usize| match self.machine.state(component) {
            ComponentState::RunOnce => ComponentState::Stopped,
            // Whoever runs the flow next looks whether it can.
            ComponentState::WaitingValid => ComponentState::Running,
            state => state,
        };
        let names = self.definition.parts.iter().map(|part| part.component.name.clone());
        names.enumerate().map(|(component, name)| (name, state(component))).collect()
    }

    /// Takes what items hold out of memory. `None` in the place of what is not there.
    pub(super) fn take_contents(&mut self, items: &[Header]) -> Vec<Option<Content>> {
        let mut taken = Vec::with_capacity(items.len());
        for item in items {
            let content = self.contents.remove(&item.id);
            self.cached -= content.as_ref().map_or(0, Content::bytes);
            taken.push(content);
        }
        taken
    }

    fn cache(&mut self, id: ItemId, content: &Content) {
        // What a branch has made is taken elsewhere.
        if self.branch().is_none() && self.cached + content.bytes() <= CACHE_BYTES {
            self.cached += content.bytes();
            if let Some(before) = self.contents.insert(id, content.clone()) {
                self.cached -= before.bytes();
            }
        }
    }

    /// A body has ended: notes what is to be kept of it.
    pub(super) fn ended(&mut self, ended: Ended, pools: &mut Pools, now: Now) {
        let Ended { turn, done: Done { verdict, made, lines }, contents, claims } = ended;
        self.bodies.remove(&turn);
        // Of one that was terminated, the component may be gone.
        let component = self.machine.component_of(turn);
        if let Some(component) = component {
            self.log(component, lines, now);
        }
        let failed = match &verdict {
            Verdict::Failed(message) | Verdict::Rejected(message) => Some(message.clone()),
            Verdict::Done { .. } => None,
        };
        let Ok(writes) = self.machine.ended(turn, verdict, pools, now) else { return };
        if let Some((message, component)) = failed.zip(component) {
            let name = &self.definition.parts[component].component.name;
            tracing::warn!(flow = self.row.name, component = name, "{message}");
        }
        if writes.is_empty() {
            return;
        }
        let writes = writes.into_iter().map(|write| self.kept(write, &made, &contents, now)).collect();
        self.pending.push(Pending { turn: Some(turn), claims, ..Pending::of(writes, None) });
    }

    /// Takes items that somebody puts into a component.
    pub(super) fn accept(&mut self, component: usize, made: &[Content], reply: Reply<u64>, now: Now) {
        let output = |content: &Content| Output {
            relationship: "success".to_owned(),
            bytes: content.bytes(),
            priority: content.priority(),
            parent: None,
        };
        let outputs: Vec<Output> = made.iter().map(output).collect();
        match self.machine.accept(component, &outputs, now) {
            Ok(accepted) => {
                let writes = accepted.iter().map(|write| self.kept(write.clone(), made, &[], now)).collect();
                let accepted = Some((component, accepted));
                self.pending.push(Pending { accepted, ..Pending::of(writes, Some(reply)) });
            }
            Err(refused) => {
                let component = self.definition.parts[component].component.name.clone();
                let _ = reply.send(Err(FlowError::Refused { component, refused }));
            }
        }
    }

    /// A write of the machine as the store takes it.
    fn kept(&mut self, write: Write, made: &[Content], had: &[Content], now: Now) -> ItemWrite {
        let of = |content: flow::Content| match content {
            flow::Content::Output(place) => made.get(place).cloned().unwrap_or_default(),
            flow::Content::Item(place) => had.get(place).cloned().unwrap_or_default(),
        };
        match write {
            Write::Insert { connection, item, content } => {
                let content = of(content);
                self.cache(item.id, &content);
                ItemWrite::Insert(self.row_of(connection, &item, now), kept_content(&content))
            }
            Write::Move { connection, item, content } => {
                let content = content.map(of);
                if let Some(content) = &content {
                    self.cache(item.id, content);
                }
                ItemWrite::Update(self.row_of(connection, &item, now), content.as_ref().map(kept_content))
            }
            Write::Update { item } => {
                let connection = self.connection_of(&item);
                ItemWrite::Update(self.row_of(connection, &item, now), None)
            }
            Write::Remove { id } => ItemWrite::Remove(id.0),
        }
    }

    fn connection_of(&self, item: &Header) -> usize {
        let holds = |connection: &usize| self.machine.queue(*connection).flying(item.id).is_some();
        (0..self.numbers.len()).find(holds).expect("an item that is updated is in flight")
    }

    fn row_of(&self, connection: usize, item: &Header, now: Now) -> ItemRow {
        ItemRow::of(self.numbers[connection], item, now)
    }

    /// Hears what became of what was to be kept.
    pub(super) fn written(&mut self, outcome: Outcome, pools: &mut Pools, now: Now) {
        self.is_writing = false;
        self.commits += 1;
        let mut outcome = outcome;
        for moves in std::mem::take(&mut self.moves) {
            outcome.kept.iter_mut().for_each(|it| it.follow(&moves));
            outcome.refused.iter_mut().for_each(|(it, _)| it.follow(&moves));
        }
        for Pending { turn, writes, reply, accepted, is_adopted, .. } in outcome.kept {
            if let Some((component, accepted)) = accepted {
                match is_adopted {
                    true => self.machine.adopted(component, accepted, pools, now),
                    false => self.machine.accepted(component, accepted, pools, now),
                }
            }
            if is_adopted {
                self.adopted_some(now);
            }
            if let Some(turn) = turn {
                self.machine.handle(Event::Committed(turn), pools, now);
            }
            if let Some(reply) = reply {
                let _ = reply.send(Ok(writes.len() as u64));
            }
        }
        for (pending, error) in outcome.refused {
            self.refused(pending, error, pools, now);
        }
    }

    /// The store refuses what is to be kept, and would again: items of a turn return, so that the others go on.
    fn refused(&mut self, pending: Pending, error: mainspring_store::Error, pools: &mut Pools, now: Now) {
        let Pending { turn, writes, reply, replaces, accepted, is_adopted, .. } = pending;
        if let Some((_, accepted)) = accepted {
            self.machine.declined(&accepted);
        }
        if is_adopted {
            self.adopted_some(now);
        }
        let message = format!("what the body did cannot be kept: {}", causes(&error));
        tracing::error!(flow = self.row.name, "{message}");
        let ids: Vec<ItemId> = writes.iter().map(id_of).collect();
        self.forget(&ids);
        if let Some(turn) = turn {
            let writes = self.machine.refused(turn, message, !replaces, pools, now);
            if !writes.is_empty() {
                let writes = writes.into_iter().map(|write| self.kept(write, &[], &[], now)).collect();
                self.pending.push(Pending { turn: Some(turn), replaces: true, ..Pending::of(writes, None) });
            }
        }
        if let Some(reply) = reply {
            let _ = reply.send(Err(FlowError::Store(error)));
        }
    }

    /// Removals of items that have expired, as far as they are not noted yet.
    pub(super) fn note_expired(&mut self) {
        let expired = self.machine.take_expired();
        if !expired.is_empty() {
            self.forget(&expired);
            let writes = expired.into_iter().map(|id| ItemWrite::Remove(id.0)).collect();
            self.pending.push(Pending::of(writes, None));
        }
    }

    pub(super) fn forget(&mut self, ids: &[ItemId]) {
        for id in ids {
            self.cached -= self.contents.remove(id).map_or(0, |content| content.bytes());
        }
    }

    pub(super) fn log(&mut self, component: usize, lines: Vec<String>, now: Now) {
        let kept = &mut self.logs[component];
        for text in lines {
            if kept.len() == LINES {
                kept.pop_front();
            }
            kept.push_back(Line { at: now.wall, text });
        }
    }

    pub(super) fn lines(&self, component: usize) -> Vec<Line> {
        self.logs[component].iter().cloned().collect()
    }

    /// Notes that something has happened in it.
    pub(super) fn touch(&self, changes: &Changes) {
        // Of a branch, its owner knows.
        if self.branch().is_some() {
            return;
        }
        changes.add(self.row.id, || (self.row.namespace.clone(), self.row.name.clone()));
    }

    /// An item wherever it is.
    pub(super) fn find(&self, id: ItemId, now: Now) -> Option<FoundItem> {
        (0..self.numbers.len()).find_map(|connection| {
            let queue = self.machine.queue(connection);
            let item = queue.find(id)?;
            Some(FoundItem {
                item: WaitingItem { item: item.clone(), penalty_until: item.penalty_until(now) },
                connection: self.connection_name(connection),
                is_in_flight: queue.flying(id).is_some(),
            })
        })
    }

    /// The connection through which items of another one came to the component that put them there, if it is one.
    pub(super) fn origin(&self, connection: usize) -> Result<usize, FlowError> {
        let from = self.definition.connections[connection].from;
        match self.machine.flow().incoming(from) {
            [only] => Ok(*only),
            several => {
                let names: Vec<String> = several.iter().map(|it| self.connection_name(*it)).collect();
                let choices = if names.is_empty() { "nowhere by themselves".to_owned() } else { names.join(" or ") };
                Err(FlowError::Ambiguous { connection: self.connection_name(connection), choices })
            }
        }
    }

    /// What is to be kept of items that have moved to a connection.
    pub(super) fn moved(&self, connection: usize, items: &[Header], now: Now) -> Vec<ItemWrite> {
        items.iter().map(|item| ItemWrite::Update(self.row_of(connection, item, now), None)).collect()
    }

    pub(super) fn component(&self, name: &str) -> Result<usize, FlowError> {
        let found = self.definition.parts.iter().position(|part| part.component.name == name);
        found.ok_or_else(|| FlowError::NoComponent(name.to_owned()))
    }

    pub(super) fn connection(&self, name: &str) -> Result<usize, FlowError> {
        let found = (0..self.numbers.len()).find(|connection| self.connection_name(*connection) == name);
        found.ok_or_else(|| FlowError::NoConnection(name.to_owned()))
    }

    /// The connection of a number.
    pub(super) fn numbered(&self, number: i64) -> Option<usize> {
        self.numbers.iter().position(|it| *it == number)
    }

    /// What figures are made of.
    pub(super) fn at_work(&self) -> AtWork<'_> {
        AtWork {
            generation: self.generation,
            namespace: &self.row.namespace,
            flow: &self.row.name,
            definition: &self.definition,
            connections: (0..self.numbers.len()).map(|connection| self.connection_name(connection)).collect(),
            machine: &self.machine,
            is_branch: self.branch().is_some(),
        }
    }

    fn connection_name(&self, connection: usize) -> String {
        connection_name(&self.definition, connection)
    }

    /// The minute that is over, if something happened in it.
    pub(super) fn roll(&mut self, now: Now) -> Option<Due> {
        if self.branch().is_some() {
            return None;
        }
        let over = self.recorder.roll(&self.machine, now);
        over.map(|minute| self.due(minute))
    }

    /// What has happened in the minute that goes on, as this node will not see its end.
    pub(super) fn cut(&mut self) -> Option<Due> {
        if self.branch().is_some() {
            return None;
        }
        let begun = self.recorder.cut(&self.machine);
        begun.map(|minute| self.due(minute))
    }

    fn due(&self, (at, minute): (Timestamp, Minute)) -> Due {
        Due { flow: self.row.id, epoch: self.epoch, at, minute, kept_ms: self.recorder.kept_ms() }
    }

    /// What a component does on this node, and on all where it runs on every one.
    fn component_view(&self, place: usize, pools: &Pools, now: Now, me: Option<&str>) -> ComponentView {
        let name = self.definition.parts[place].component.name.clone();
        let (mut why, mut counters) = (self.machine.why(place, pools, now), self.machine.counters(place, now));
        let others = self.elsewhere(&name);
        for it in &others {
            why.active += it.active;
            (counters.tasks, counters.task_ms) = (counters.tasks + it.tasks, counters.task_ms + it.task_ms);
        }
        let runs_elsewhere = self.is_elsewhere(&name);
        let here = me.filter(|_| runs_elsewhere).map(|me| AtNode::of(me, &self.machine, place, pools, now));
        let bulletins = self.machine.bulletins(place, now);
        ComponentView {
            why,
            counters,
            bulletins: bulletins.map(|it| (it.at, it.level == Level::Error, it.message.clone())).collect(),
            missed: self.machine.fires_missed_total(place),
            nodes: here.into_iter().chain(others).collect(),
            name,
        }
    }

    pub(super) fn view(&self, pools: &Pools, now: Now, me: Option<&str>) -> FlowView {
        let component = |place: usize| self.component_view(place, pools, now, me);
        let connection = |(place, it): (usize, &flow::Connection)| {
            let name = |component: usize| self.definition.parts[component].component.name.clone();
            let queue = self.machine.queue(place);
            ConnectionView {
                name: self.connection_name(place),
                ends: (name(it.from), name(it.to)),
                relationships: it.relationships.clone(),
                items: queue.len() as u64,
                bytes: queue.bytes(),
                ready: queue.ready() as u64,
                penalised: queue.penalised() as u64,
                in_flight: queue.in_flight() as u64,
                fullness: queue.fullness(),
                is_full: queue.is_full(),
                max_items: it.max_items,
                max_bytes: it.max_bytes,
            }
        };
        FlowView {
            row: self.row.clone(),
            components: (0..self.definition.parts.len()).map(component).collect(),
            connections: self.definition.connections.iter().enumerate().map(connection).collect(),
            checks: self.machine.checks_total(),
            commits: self.commits,
            pools: pools.iter().map(|(name, size, active)| (name.to_owned(), size, active)).collect(),
        }
    }
}

/// Names of components and of connections, in their order.
fn names(definition: &Definition) -> (Vec<String>, Vec<String>) {
    let components = definition.parts.iter().map(|part| part.component.name.clone()).collect();
    let queues = (0..definition.connections.len()).map(|connection| connection_name(definition, connection)).collect();
    (components, queues)
}

fn connection_name(definition: &Definition, connection: usize) -> String {
    let it = &definition.connections[connection];
    let name = |component: usize| definition.parts[component].component.name.as_str();
    let ends = format!("{}:{}", name(it.from), name(it.to));
    let usual = it.relationships.len() == 1 && it.relationships[0] == "success";
    if usual { ends } else { format!("{ends}:{}", it.relationships.join("+")) }
}

const fn id_of(write: &ItemWrite) -> ItemId {
    match write {
        ItemWrite::Insert(row, _) | ItemWrite::Update(row, _) | ItemWrite::Adopt(_, row) => ItemId(row.id),
        ItemWrite::Remove(id) => ItemId(*id),
    }
}
