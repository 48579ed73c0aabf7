//! Turns: one body with the items that it has, from its start until what it did is kept.

use mainspring_schedule::Timestamp;

use super::super::definition::Trigger;
use super::super::moves::Moves;
use super::super::queue::{Header, ItemId, Priority};
use super::super::retry::RetryMode;
use super::lifecycle::{ComponentState, Refused};
use super::pools::{PoolId, Pools};
use super::slots::SlotState;
use super::view::Level;
use super::{Cause, Machine, Now, Timer};

/// Names a turn among all of a machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TurnId(pub u64);

/// A body that is to start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Start {
    /// The turn.
    pub turn: TurnId,
    /// The component.
    pub component: usize,
    /// The items that it has, in order; none for a source.
    pub items: Vec<Header>,
    /// The time of its calendar for which it runs.
    pub fire_time: Option<Timestamp>,
}

/// What a body came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It did its work.
    Done {
        /// What becomes of each of its items, in their order. Items beyond the list are kept.
        items: Vec<Disposal>,
        /// Items that it made.
        outputs: Vec<Output>,
        /// How long the component is to rest, in ms.
        yields: Option<i64>,
    },
    /// It could not work on its items: they return penalised, and nothing else is kept.
    Rejected(String),
    /// It failed: its items return, the component rests for its administrative yield, and nothing else is kept.
    Failed(String),
}

/// What becomes of an item that a body had.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Disposal {
    /// It goes on.
    Transfer {
        /// Under this relationship.
        relationship: String,
        /// Its new size and priority, where the body has changed it.
        changed: Option<(u64, Priority)>,
    },
    /// It is gone.
    Remove,
    /// It stays where it was.
    Keep,
    /// It stays, and is passed over for the component's penalty.
    Penalize,
    /// It stays, and is passed over for so many ms; the next body finds it tried once more.
    Delay(i64),
}

/// An item that a body made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// Under which relationship it goes on.
    pub relationship: String,
    /// Its bytes.
    pub bytes: u64,
    /// Its attribute `priority`.
    pub priority: Priority,
    /// Which of the body's items it was made of.
    pub parent: Option<usize>,
}

/// Which content an item gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// That of an item that the body made, by its place.
    Output(usize),
    /// That which an item of the body has now, by its place.
    Item(usize),
}

/// A change that is to be kept, with all others of its turn or not at all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Write {
    /// A new item in a queue.
    Insert {
        /// The connection.
        connection: usize,
        /// The item.
        item: Header,
        /// What it holds.
        content: Content,
    },
    /// An item goes to another queue.
    Move {
        /// The connection.
        connection: usize,
        /// The item as it is there.
        item: Header,
        /// What it holds, where that has changed.
        content: Option<Content>,
    },
    /// An item stays, with another penalty or count of retries.
    Update {
        /// The item.
        item: Header,
    },
    /// An item is gone.
    Remove {
        /// Its id.
        id: ItemId,
    },
}

#[derive(Debug)]
pub(super) struct Turn {
    pub(super) component: usize,
    slot: usize,
    pub(super) pool: PoolId,
    /// Items and the connections that they were taken from.
    items: Vec<(usize, ItemId)>,
    began_ms: i64,
    /// When the permit was taken: bodies of one run duration share it.
    permit_ms: i64,
    end: Option<End>,
}

/// What is to be done when the end of a turn is kept.
#[derive(Debug)]
struct End {
    writes: Vec<Write>,
    ended_ms: i64,
}

impl Write {
    /// The same after an edit of the flow. `None`: its connection is gone.
    #[must_use]
    pub fn moved(self, moves: &Moves) -> Option<Self> {
        Some(match self {
            Self::Insert { connection, item, content } => {
                Self::Insert { connection: moves.connections[connection]?, item, content }
            }
            Self::Move { connection, item, content } => {
                Self::Move { connection: moves.connections[connection]?, item, content }
            }
            Self::Update { .. } | Self::Remove { .. } => self,
        })
    }
}

impl Turn {
    /// The same after an edit of the flow that leaves its component alone, and so all connections of that.
    pub(super) fn moved(self, moves: &Moves) -> Self {
        let stays = "an edit moves only bodies of components whose connections stay";
        let end = self.end.map(|end| End {
            writes: end.writes.into_iter().map(|write| write.moved(moves).expect(stays)).collect(),
            ended_ms: end.ended_ms,
        });
        let place = |connection: usize| moves.connections[connection].expect(stays);
        Self {
            component: moves.components[self.component].expect(stays),
            items: self.items.into_iter().map(|(connection, id)| (place(connection), id)).collect(),
            end,
            ..self
        }
    }

    pub(super) const fn is_ending(&self) -> bool {
        self.end.is_some()
    }
}

impl Machine {
    /// The component of a turn whose body has not ended.
    #[must_use]
    pub fn component_of(&self, turn: TurnId) -> Option<usize> {
        self.turns.get(&turn).map(|turn| turn.component).or_else(|| self.abandoned.get(&turn).copied())
    }

    /// Takes the items of a turn: from one queue, each in turn.
    pub(super) fn claim(&mut self, component: usize, now: Now) -> Vec<(usize, Header)> {
        let takeable: Vec<bool> =
            self.flow.incoming(component).iter().map(|index| self.takeable(*index, now) > 0).collect();
        let incoming = self.flow.incoming(component);
        let definition = &self.flow.components()[component];
        let it = &mut self.components[component];
        for step in 0..incoming.len() {
            let place = (it.turn_of + step) % incoming.len();
            if !takeable[place] {
                continue;
            }
            let taken = self.queues[incoming[place]].take(definition.batch.max(1), definition.most_bytes());
            if !taken.is_empty() {
                it.turn_of = (place + 1) % incoming.len();
                return taken.into_iter().map(|item| (incoming[place], item)).collect();
            }
        }
        Vec::new()
    }

    pub(super) fn begin(
        &mut self,
        component: usize,
        slot: usize,
        pool: PoolId,
        items: Vec<(usize, Header)>,
        now: Now,
    ) -> Start {
        let permit_ms = self.components[component].slots[slot].since_ms.take().unwrap_or(now.mono_ms);
        for connection in items.iter().map(|(connection, _)| *connection) {
            self.restart_gathering(connection);
            self.arm(connection, now);
        }
        let id = TurnId(self.next_turn);
        self.next_turn += 1;
        let it = &mut self.components[component];
        it.active += 1;
        it.slots[slot].state = SlotState::Running(id);
        it.slots[slot].relieved = false;
        it.view.began(&items, now);
        let taken = items.iter().map(|(connection, item)| (*connection, item.id)).collect();
        let turn = Turn { component, slot, pool, items: taken, began_ms: now.mono_ms, permit_ms, end: None };
        self.turns.insert(id, turn);
        let is_cron = matches!(self.flow.components()[component].trigger, Trigger::Cron(_));
        let fire_time = self.components[component].slots[slot].scheduled.filter(|_| is_cron);
        Start { turn: id, component, items: items.into_iter().map(|(_, item)| item).collect(), fire_time }
    }

    /// Hears what a body came to, and answers what is to be kept of it in one transaction. Once that is done, the machine is told
    /// [`Event::Committed`](super::Event::Committed); where there is nothing to keep, it needs not be told.
    ///
    /// # Errors
    /// The turn was terminated: nothing of it is to be kept.
    pub fn ended(&mut self, id: TurnId, verdict: Verdict, pools: &mut Pools, now: Now) -> Result<Vec<Write>, Refused> {
        self.look_at_clock(now);
        let Some(turn) = self.turns.get(&id).filter(|turn| !turn.is_ending()) else {
            if let Some(component) = self.abandoned.remove(&id) {
                self.components[component].terminated -= 1;
                self.wake(component, Cause::BodyEnded, usize::MAX, pools, now);
            }
            return Err(Refused::Terminated);
        };
        let component = turn.component;
        let items = turn.items.clone();
        let mut writes = Vec::new();
        match verdict {
            Verdict::Done { items: disposals, outputs, yields } => {
                let kept = std::iter::repeat(Disposal::Keep);
                for (place, disposal) in disposals.into_iter().chain(kept).take(items.len()).enumerate() {
                    self.dispose(component, items[place], place, disposal, &mut writes, now);
                }
                for (place, output) in outputs.iter().enumerate() {
                    self.emit(component, &items, place, output, &mut writes, now);
                }
                if let Some(yields_ms) = yields {
                    self.rest(component, yields_ms, now);
                }
            }
            Verdict::Rejected(message) => {
                items.iter().for_each(|item| self.penalize(component, *item, &mut writes, now));
                self.components[component].view.note(Level::Error, message, now);
            }
            Verdict::Failed(message) => {
                self.rest(component, self.flow.components()[component].admin_yield_ms, now);
                self.components[component].view.note(Level::Error, message, now);
            }
        }
        let turn = self.turns.get_mut(&id).expect("it was found above");
        turn.end = Some(End { writes: writes.clone(), ended_ms: now.mono_ms });
        if writes.is_empty() {
            self.settle(id, pools, now);
            self.advance(pools, now);
        }
        Ok(writes)
    }

    /// Hears that the store refuses what [`Machine::ended`] answered for a turn, and would again. Nothing of it is kept: its items
    /// return penalised, as those of [`Verdict::Rejected`] do. Where it has none, or not even that `can_be_kept`, the component
    /// rests. Answers what is to be kept instead, as `ended` does.
    pub fn refused(
        &mut self,
        id: TurnId,
        message: String,
        can_be_kept: bool,
        pools: &mut Pools,
        now: Now,
    ) -> Vec<Write> {
        let Some(turn) = self.turns.get_mut(&id).filter(|turn| turn.is_ending()) else { return Vec::new() };
        turn.end = None;
        let returns = can_be_kept && !turn.items.is_empty();
        let verdict = if returns { Verdict::Rejected(message) } else { Verdict::Failed(message) };
        self.ended(id, verdict, pools, now).unwrap_or_default()
    }

    /// Applies what was kept of a turn, and lets its slot go on.
    pub(super) fn settle(&mut self, id: TurnId, pools: &mut Pools, now: Now) {
        let Some(Turn { component, slot, pool, items, began_ms, permit_ms, end: Some(end) }) = self.turns.remove(&id)
        else {
            return;
        };
        let were_full = self.full(component);
        let (mut filled, mut out, mut bytes_out) = (Vec::new(), 0, 0);
        let mut place = |machine: &mut Self, connection: usize, item: Header| {
            (out, bytes_out) = (out + 1, bytes_out + item.bytes);
            machine.queues[connection].put(item, now.mono_ms);
            filled.push(connection);
        };
        for write in end.writes {
            match write {
                Write::Insert { connection, item, .. } => place(self, connection, item),
                Write::Move { connection, item, .. } => {
                    self.queues[queue_of(&items, item.id)].end(item.id);
                    place(self, connection, item);
                }
                Write::Update { item } => {
                    self.queues[queue_of(&items, item.id)].give_back(item.id, now.mono_ms, |there| *there = item);
                }
                Write::Remove { id } => {
                    self.queues[queue_of(&items, id)].end(id);
                }
            }
        }
        for (connection, item) in &items {
            self.queues[*connection].give_back(*item, now.mono_ms, |_| {});
        }
        self.components[component].view.ended(out, bytes_out, end.ended_ms - began_ms, now);
        self.release_slot(component, slot, pool, permit_ms, pools, now);
        self.after_change(component, &items, &filled, &were_full, pools, now);
    }

    /// Ends a turn without its body: the items return, and so does the permit.
    pub(super) fn abandon(&mut self, id: TurnId, pools: &mut Pools, now: Now) {
        let Some(turn) = self.turns.remove(&id) else { return };
        let were_full = self.full(turn.component);
        for (connection, item) in &turn.items {
            self.queues[*connection].give_back(*item, now.mono_ms, |_| {});
        }
        let it = &mut self.components[turn.component];
        it.terminated += 1;
        self.abandoned.insert(id, turn.component);
        self.release_slot(turn.component, turn.slot, turn.pool, i64::MIN / 2, pools, now);
        self.after_change(turn.component, &turn.items, &[], &were_full, pools, now);
    }

    fn release_slot(
        &mut self,
        component: usize,
        slot: usize,
        pool: PoolId,
        permit_ms: i64,
        pools: &mut Pools,
        now: Now,
    ) {
        let it = &mut self.components[component];
        it.active -= 1;
        pools.give_back(pool);
        it.slots[slot].state = SlotState::Idle;
        match it.state {
            ComponentState::RunOnce => self.halt(component),
            ComponentState::Stopped | ComponentState::Disabled if it.active == 0 => it.slots = Vec::new(),
            ComponentState::Stopped | ComponentState::Disabled | ComponentState::WaitingValid => {}
            ComponentState::Running => {
                let run_ms = self.flow.components()[component].run_duration_ms;
                // A turn goes on for the run duration: the slot asks again at once, whatever its schedule.
                let goes_on = run_ms > 0 && now.mono_ms < permit_ms.saturating_add(run_ms);
                it.slots[slot].since_ms = goes_on.then_some(permit_ms);
                if goes_on
                    && super::super::gate::gate(&self.snapshot(component, now)) == super::super::gate::Gate::Ready
                {
                    self.consider(component, slot, pools, now);
                } else {
                    self.components[component].slots[slot].since_ms = None;
                    self.next_start(component, slot, pools, now);
                }
            }
        }
    }

    /// Wakes those for whom the end of a turn changes something.
    fn after_change(
        &mut self,
        component: usize,
        items: &[(usize, ItemId)],
        filled: &[usize],
        were_full: &[usize],
        pools: &mut Pools,
        now: Now,
    ) {
        for connection in were_full {
            self.room(*connection, true, pools, now);
        }
        let mut touched: Vec<usize> =
            items.iter().map(|(connection, _)| *connection).chain(filled.iter().copied()).collect();
        touched.sort_unstable();
        touched.dedup();
        for connection in touched {
            self.arm(connection, now);
            let ready = self.takeable(connection, now);
            if ready > 0 {
                self.wake(self.flow.connections()[connection].to, Cause::Item, ready, pools, now);
            }
        }
        self.wake(component, Cause::BodyEnded, usize::MAX, pools, now);
        self.looks_stuck |= self.flow.is_in_cycle(component);
    }

    /// Queues that lead to a component and are full.
    fn full(&self, component: usize) -> Vec<usize> {
        self.flow.incoming(component).iter().copied().filter(|index| self.queues[*index].is_full()).collect()
    }

    fn dispose(
        &mut self,
        component: usize,
        (connection, id): (usize, ItemId),
        place: usize,
        disposal: Disposal,
        writes: &mut Vec<Write>,
        now: Now,
    ) {
        let Some(item) = self.queues[connection].flying(id).cloned() else { return };
        match disposal {
            Disposal::Keep => {}
            Disposal::Remove => writes.push(Write::Remove { id }),
            Disposal::Penalize => self.penalize(component, (connection, id), writes, now),
            Disposal::Delay(delay_ms) => {
                let penalty_until_ms = (delay_ms > 0).then(|| now.mono_ms.saturating_add(delay_ms));
                writes.push(Write::Update { item: Header { retries: item.retries + 1, penalty_until_ms, ..item } });
            }
            Disposal::Transfer { relationship, changed } => {
                if self.retried(component, &item, &relationship, writes, now) {
                    return;
                }
                let content = changed.is_some().then_some(Content::Item(place));
                let (bytes, priority) = changed.unwrap_or((item.bytes, item.priority.clone()));
                let item = Header { bytes, priority, penalty_until_ms: None, retries: 0, ..item };
                let targets = self.targets(component, &relationship);
                if targets.is_empty() {
                    writes.push(Write::Remove { id });
                }
                for (number, connection) in targets.into_iter().enumerate() {
                    let order = self.new_number();
                    let item = Header { order, ..item.clone() };
                    if number == 0 {
                        writes.push(Write::Move { connection, item, content });
                    } else {
                        // Others get copies.
                        let item = Header { id: ItemId(order), ..item };
                        writes.push(Write::Insert { connection, item, content: Content::Item(place) });
                    }
                }
            }
        }
    }

    pub(super) fn emit(
        &mut self,
        component: usize,
        items: &[(usize, ItemId)],
        place: usize,
        output: &Output,
        writes: &mut Vec<Write>,
        now: Now,
    ) {
        let parent = output.parent.and_then(|parent| items.get(parent));
        let parent = parent.and_then(|(connection, id)| self.queues[*connection].flying(*id)).cloned();
        let (entered_at, lineage_at) = parent.map_or((now.wall, now.wall), |it| (it.entered_at, it.lineage_at));
        for connection in self.targets(component, &output.relationship) {
            let order = self.new_number();
            let item = Header {
                id: ItemId(order),
                order,
                entered_at,
                lineage_at,
                priority: output.priority.clone(),
                bytes: output.bytes,
                penalty_until_ms: None,
                retries: 0,
            };
            writes.push(Write::Insert { connection, item, content: Content::Output(place) });
        }
    }

    /// Keeps an item that is to be tried again. Answers whether it is.
    fn retried(
        &mut self,
        component: usize,
        item: &Header,
        relationship: &str,
        writes: &mut Vec<Write>,
        now: Now,
    ) -> bool {
        let it = &self.flow.components()[component];
        let base_ms = match it.retry.mode {
            RetryMode::Penalize => it.penalty_ms,
            RetryMode::Yield => it.yield_ms,
        };
        let Some(wait_ms) = it.retry.wait_ms(relationship, item.retries, base_ms) else { return false };
        let penalty_until_ms = match it.retry.mode {
            RetryMode::Penalize => Some(now.mono_ms + wait_ms),
            RetryMode::Yield => {
                self.rest(component, wait_ms, now);
                None
            }
        };
        writes.push(Write::Update { item: Header { retries: item.retries + 1, penalty_until_ms, ..item.clone() } });
        true
    }

    fn penalize(&self, component: usize, (connection, id): (usize, ItemId), writes: &mut Vec<Write>, now: Now) {
        let penalty_ms = self.flow.components()[component].penalty_ms;
        if let Some(item) = self.queues[connection].flying(id).filter(|_| penalty_ms > 0) {
            let penalty_until_ms = Some(now.mono_ms + penalty_ms);
            writes.push(Write::Update { item: Header { penalty_until_ms, ..item.clone() } });
        }
    }

    /// Lets a component rest. What it rests for longer already stays.
    fn rest(&mut self, component: usize, for_ms: i64, now: Now) {
        let it = &mut self.components[component];
        let until = now.mono_ms.saturating_add(for_ms);
        if it.state == ComponentState::Running && until > it.yield_until_ms {
            self.timers.remove(&(it.yield_until_ms, Timer::Rested(component)));
            it.yield_until_ms = until;
            it.view.yields += 1;
            self.timers.insert((until, Timer::Rested(component)));
        }
    }

    /// Connections that an item goes to; none where the relationship ends.
    fn targets(&self, component: usize, relationship: &str) -> Vec<usize> {
        let connections = self.flow.connections();
        let leads_there = |index: &usize| connections[*index].relationships.iter().any(|it| it == relationship);
        self.flow.outgoing(component).iter().copied().filter(leads_there).collect()
    }

    /// A number that no item of the flow has had as an id or as its place in the order of arrival.
    pub(super) fn new_number(&mut self) -> i64 {
        self.next_id += 1;
        self.next_id - 1
    }
}

fn queue_of(items: &[(usize, ItemId)], id: ItemId) -> usize {
    items.iter().find(|(_, item)| *item == id).expect("a turn changes items that it has").0
}

impl Header {
    /// Returns until when it is passed over, by the wall clock.
    #[must_use]
    pub fn penalty_until(&self, now: Now) -> Option<Timestamp> {
        self.penalty_until_ms.map(|until| now.wall + (until - now.mono_ms))
    }
}
