//! A flow at work: which component starts a body when, and what becomes of its items.
//!
//! A component has as many *slots* as bodies may run at once. A slot that may start asks the [gate](super::gate); if it is open, the
//! slot queues for a permit of its pool, else it is *parked*. Parked slots cost nothing: what opens a gate wakes them, which is a
//! closed list ([`Cause`]). With [`IdleCheck::Poll`] slots look again every few milliseconds instead, as NiFi does.
//!
//! Time comes in as [`Now`]. Delays, yields and penalties go by the clock that nobody sets, cron and expiry by the wall clock.

mod accept;
mod adopt;
mod edit;
mod gather;
mod lifecycle;
mod pools;
mod relief;
mod slots;
mod turns;
mod validity;
mod view;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use mainspring_schedule::Timestamp;
use rustc_hash::{FxHashMap, FxHashSet};

use super::definition::{Flow, Trigger};
use super::queue::{Header, ItemId, Queue};
use slots::{Slot, SlotState};
use turns::Turn;

pub use lifecycle::{ComponentState, Refused};
pub use pools::{PoolId, Pools, Ticket};
pub use turns::{Content, Disposal, Output, Start, TurnId, Verdict, Write};
pub use view::{Bulletin, Counters, Level, Why};

/// The present instant on both clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Now {
    /// By the clock that nobody sets, in ms from any beginning.
    pub mono_ms: i64,
    /// By the wall clock.
    pub wall: Timestamp,
}

/// How a component that may not run finds out that it may.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum IdleCheck {
    /// What opens the gate wakes it.
    #[default]
    Wake,
    /// It looks again after so many milliseconds, and takes a permit for that: for comparison with NiFi.
    Poll(i64),
}

/// What woke a parked slot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cause {
    /// W1: an item arrived.
    Item,
    /// W2: the penalty of an item ended.
    PenaltyEnded,
    /// W3: a full queue has room.
    Room,
    /// W4: the component has rested.
    Rested,
    /// W5: this node leads.
    Leads,
    /// W6: the component was started, or another one stopped.
    Lifecycle,
    /// W7: a body ended.
    BodyEnded,
    /// A slot was found that nothing had woken. Tests want none.
    Rescued,
}

impl Cause {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Item,
        Self::PenaltyEnded,
        Self::Room,
        Self::Rested,
        Self::Leads,
        Self::Lifecycle,
        Self::BodyEnded,
        Self::Rescued,
    ];

    /// The word for it in figures.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Item => "item",
            Self::PenaltyEnded => "penalty_ended",
            Self::Room => "room",
            Self::Rested => "rested",
            Self::Leads => "leads",
            Self::Lifecycle => "lifecycle",
            Self::BodyEnded => "body_ended",
            Self::Rescued => "rescued",
        }
    }
}

/// What the shell tells a machine.
#[derive(Clone, Debug)]
pub enum Event {
    /// An item that is kept is in a queue.
    Put {
        /// The connection.
        connection: usize,
        /// The item.
        item: Header,
    },
    /// What [`Machine::ended`] answered for a turn is kept.
    Committed(TurnId),
    /// Whether this node leads.
    Leads(bool),
    /// Time has passed.
    Woke,
}

/// When something is to be looked at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Timer {
    /// A slot may start.
    Slot(usize, usize),
    /// The first penalty of a queue ends.
    Penalty(usize),
    /// A component has rested.
    Rested(usize),
    /// Items of a queue have waited long enough for more of them.
    Gathered(usize),
}

/// When something is to be looked at by the wall clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum WallTimer {
    /// The time of a slot comes.
    Fire(usize, usize),
    /// The first item of a queue expires.
    Expiry(usize),
}

/// Items that one look removes at most because they have expired.
const EXPIRED_MAX: usize = 1_000;

/// A jump of the wall clock after which cron times are computed anew, in ms.
const JUMP_MS: i64 = 1_000;

/// One flow at work.
#[derive(Debug)]
pub struct Machine {
    key: u64,
    flow: Flow,
    idle: IdleCheck,
    queues: Vec<Queue>,
    components: Vec<Component>,
    /// Those that wait for what they lack.
    awaited: BTreeSet<usize>,
    timers: BTreeSet<(i64, Timer)>,
    wall_timers: BTreeSet<(Timestamp, WallTimer)>,
    penalty_armed: Vec<Option<i64>>,
    /// Until when items of a queue wait for more of them.
    gathering: Vec<Option<i64>>,
    expiry_armed: Vec<Option<Timestamp>>,
    /// Room for items that are being kept.
    reserved: Vec<accept::Room>,
    turns: BTreeMap<TurnId, Turn>,
    abandoned: FxHashMap<TurnId, usize>,
    next_turn: u64,
    next_id: i64,
    leads: bool,
    /// The wall clock minus the other, at the last look.
    offset_ms: i64,
    /// Removals of expired items that are to be kept.
    expired: Vec<ItemId>,
    /// Whether a slot was parked behind a full queue since cycles were looked at.
    looks_stuck: bool,
    wakes: BTreeMap<Cause, u64>,
    checks: u64,
    empty_claims: u64,
    cycle_reliefs: u64,
}

#[derive(Debug)]
struct Component {
    state: ComponentState,
    /// What it needs beside items, and does not have.
    lacks: Vec<String>,
    slots: Vec<Slot>,
    /// Slots that are parked, in the order of their parking.
    parked: VecDeque<usize>,
    yield_until_ms: i64,
    active: u32,
    terminated: u32,
    /// Which of its incoming connections is asked first.
    turn_of: usize,
    view: view::View,
}

impl Machine {
    /// Makes a machine whose components are all stopped. `key` tells it from other flows of the pools; new items get ids from
    /// `first_id`.
    #[must_use]
    pub fn new(key: u64, flow: Flow, idle: IdleCheck, first_id: i64, now: Now) -> Self {
        let component = |_: &super::Component| Component {
            state: ComponentState::Stopped,
            lacks: Vec::new(),
            slots: Vec::new(),
            parked: VecDeque::new(),
            yield_until_ms: i64::MIN,
            active: 0,
            terminated: 0,
            turn_of: 0,
            view: view::View::default(),
        };
        Self {
            key,
            idle,
            queues: flow.connections().iter().map(Queue::new).collect(),
            components: flow.components().iter().map(component).collect(),
            awaited: BTreeSet::new(),
            timers: BTreeSet::new(),
            wall_timers: BTreeSet::new(),
            penalty_armed: vec![None; flow.connections().len()],
            gathering: vec![None; flow.connections().len()],
            expiry_armed: vec![None; flow.connections().len()],
            reserved: vec![accept::Room::default(); flow.connections().len()],
            turns: BTreeMap::new(),
            abandoned: FxHashMap::default(),
            next_turn: 1,
            next_id: first_id,
            leads: true,
            offset_ms: now.wall.as_millis() - now.mono_ms,
            expired: Vec::new(),
            looks_stuck: false,
            wakes: BTreeMap::new(),
            checks: 0,
            empty_claims: 0,
            cycle_reliefs: 0,
            flow,
        }
    }

    /// The first id for new items of a flow whose largest number so far is `last`, for its owner at an epoch.
    ///
    /// Each taking of a flow raises its epoch, in the database. So ids of items that are gone do not come again, whatever the wall clock
    /// says. An epoch has room for 2^36 ids: a hundred thousand a second for a week.
    #[must_use]
    pub fn first_id(last: Option<i64>, epoch: i64) -> i64 {
        last.map_or(1, |last| last + 1).max(epoch.saturating_mul(1 << 36))
    }

    /// The flow.
    #[must_use]
    pub const fn flow(&self) -> &Flow {
        &self.flow
    }

    /// The queue of a connection.
    #[must_use]
    pub fn queue(&self, connection: usize) -> &Queue {
        &self.queues[connection]
    }

    /// Whether no queue has an item.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queues.iter().all(Queue::is_empty)
    }

    /// Hears what has happened.
    pub fn handle(&mut self, event: Event, pools: &mut Pools, now: Now) {
        self.look_at_clock(now);
        match event {
            Event::Put { connection, item } => {
                self.next_id = self.next_id.max(item.id.0 + 1).max(item.order + 1);
                self.put(connection, item, pools, now);
            }
            Event::Committed(turn) => self.settle(turn, pools, now),
            Event::Leads(leads) => {
                self.leads = leads;
                if leads {
                    (0..self.components.len()).for_each(|it| self.wake(it, Cause::Leads, usize::MAX, pools, now));
                }
            }
            Event::Woke => {}
        }
        self.advance(pools, now);
    }

    /// Returns when to be woken next by the clock that nobody sets, if the wall clock is not set meanwhile.
    #[must_use]
    pub fn next_wakeup_ms(&self) -> Option<i64> {
        let wall = self.wall_timers.first().map(|(at, _)| at.as_millis() - self.offset_ms);
        self.timers.first().map(|(at, _)| *at).into_iter().chain(wall).min()
    }

    /// Hands out items that have expired, whose removal is to be kept.
    pub fn take_expired(&mut self) -> Vec<ItemId> {
        std::mem::take(&mut self.expired)
    }

    /// Removes items that wait in a queue; what bodies have stays. Returns those that were there, whose removal is to be kept.
    pub fn drop_items(
        &mut self,
        connection: usize,
        only: Option<&[ItemId]>,
        pools: &mut Pools,
        now: Now,
    ) -> Vec<ItemId> {
        let was_full = self.queues[connection].is_full();
        let all = || self.queues[connection].iter().map(|item| item.id).collect();
        let asked: Vec<ItemId> = only.map_or_else(all, <[ItemId]>::to_vec);
        let gone: Vec<ItemId> = asked.into_iter().filter(|id| self.queues[connection].remove(*id).is_some()).collect();
        self.room(connection, was_full, pools, now);
        self.arm(connection, now);
        gone
    }

    /// Moves items that wait in a queue to another one, as if they arrived there now: without penalty, and as if nobody had tried
    /// them. What bodies have stays. Returns those that were there, whose move is to be kept.
    pub fn replay(
        &mut self,
        from: usize,
        only: Option<&[ItemId]>,
        to: usize,
        pools: &mut Pools,
        now: Now,
    ) -> Vec<Header> {
        let was_full = self.queues[from].is_full();
        let all = || self.queues[from].iter().map(|item| item.id).collect();
        let asked: Vec<ItemId> = only.map_or_else(all, <[ItemId]>::to_vec);
        let taken: Vec<Header> = asked.into_iter().filter_map(|id| self.queues[from].remove(id)).collect();
        let moved: Vec<Header> = taken
            .into_iter()
            .map(|item| Header { order: self.new_number(), penalty_until_ms: None, retries: 0, ..item })
            .collect();
        for item in &moved {
            self.put(to, item.clone(), pools, now);
        }
        self.room(from, was_full, pools, now);
        self.arm(from, now);
        moved
    }

    /// Looks once over all queues that hold items for a component that is parked although its gate is open, and wakes that: a
    /// net below the causes, which tests want to catch nothing. Returns how many slots it woke.
    pub fn rescue(&mut self, pools: &mut Pools, now: Now) -> u64 {
        let before = self.wakes_of(Cause::Rescued);
        let waiting: FxHashSet<usize> = (0..self.queues.len())
            .filter(|connection| self.takeable(*connection, now) > 0)
            .map(|connection| self.flow.connections()[connection].to)
            .collect();
        for component in waiting {
            self.wake(component, Cause::Rescued, usize::MAX, pools, now);
        }
        self.wakes_of(Cause::Rescued) - before
    }

    /// Gives the flow up: returns the permits of its bodies, which are to be ended, and forgets who waits for one.
    pub fn give_up(&mut self, pools: &mut Pools) -> Vec<TurnId> {
        let turns = std::mem::take(&mut self.turns);
        for turn in turns.values() {
            pools.give_back(turn.pool);
        }
        pools.forget(self.key, None);
        turns.into_keys().collect()
    }

    fn put(&mut self, connection: usize, item: Header, pools: &mut Pools, now: Now) {
        self.queues[connection].put(item, now.mono_ms);
        self.arm(connection, now);
        let ready = self.takeable(connection, now);
        self.wake(self.flow.connections()[connection].to, Cause::Item, ready, pools, now);
    }

    /// Wakes who puts into a queue that was full and is not any more.
    fn room(&mut self, connection: usize, was_full: bool, pools: &mut Pools, now: Now) {
        if was_full && !self.queues[connection].is_full() {
            self.wake(self.flow.connections()[connection].from, Cause::Room, usize::MAX, pools, now);
        }
    }

    fn advance(&mut self, pools: &mut Pools, now: Now) {
        while let Some((_, timer)) = self.timers.first().copied().filter(|(at, _)| *at <= now.mono_ms) {
            self.timers.pop_first();
            match timer {
                Timer::Slot(component, slot) => self.consider(component, slot, pools, now),
                Timer::Gathered(connection) => {
                    let to = self.flow.connections()[connection].to;
                    self.wake(to, Cause::Item, usize::MAX, pools, now);
                }
                Timer::Rested(component) => self.wake(component, Cause::Rested, usize::MAX, pools, now),
                Timer::Penalty(connection) => {
                    self.penalty_armed[connection] = None;
                    let count = self.queues[connection].release(now.mono_ms);
                    self.arm(connection, now);
                    let to = self.flow.connections()[connection].to;
                    self.wake(to, Cause::PenaltyEnded, count, pools, now);
                }
            }
        }
        while let Some((at, timer)) = self.wall_timers.first().copied().filter(|(at, _)| *at <= now.wall) {
            self.wall_timers.pop_first();
            match timer {
                WallTimer::Fire(component, slot) => self.fire(component, slot, at, pools, now),
                WallTimer::Expiry(connection) => self.expire(connection, pools, now),
            }
        }
        self.relieve(pools, now);
    }

    fn expire(&mut self, connection: usize, pools: &mut Pools, now: Now) {
        self.expiry_armed[connection] = None;
        let was_full = self.queues[connection].is_full();
        let gone = self.queues[connection].expire(now.wall, EXPIRED_MAX);
        self.expired.extend(gone.iter().map(|item| item.id));
        self.room(connection, was_full, pools, now);
        self.arm(connection, now);
    }

    /// Keeps one timer for the first penalty of a queue, and one for its first expiry.
    fn arm(&mut self, connection: usize, now: Now) {
        self.arm_gathering(connection, now);
        let queue = &self.queues[connection];
        let (penalty, expiry) = (queue.penalised_until_ms(), queue.expires_at());
        let armed = &mut self.penalty_armed[connection];
        if *armed != penalty {
            armed.map(|at| self.timers.remove(&(at, Timer::Penalty(connection))));
            penalty.map(|at| self.timers.insert((at, Timer::Penalty(connection))));
            *armed = penalty;
        }
        let armed = &mut self.expiry_armed[connection];
        if *armed != expiry {
            armed.map(|at| self.wall_timers.remove(&(at, WallTimer::Expiry(connection))));
            expiry.map(|at| self.wall_timers.insert((at, WallTimer::Expiry(connection))));
            *armed = expiry;
        }
    }

    /// Computes cron times anew after the wall clock was set.
    fn look_at_clock(&mut self, now: Now) {
        let offset_ms = now.wall.as_millis() - now.mono_ms;
        let jumped = (offset_ms - self.offset_ms).abs() > JUMP_MS;
        self.offset_ms = offset_ms;
        if !jumped {
            return;
        }
        let firing = |(_, timer): &(Timestamp, WallTimer)| match timer {
            WallTimer::Fire(component, slot) => Some((*component, *slot)),
            WallTimer::Expiry(_) => None,
        };
        let slots: Vec<(usize, usize)> = self.wall_timers.iter().filter_map(firing).collect();
        for (component, slot) in slots {
            self.leave(component, slot);
            self.await_fire(component, slot, now);
        }
    }

    fn wakes_of(&self, cause: Cause) -> u64 {
        self.wakes.get(&cause).copied().unwrap_or(0)
    }

    /// How many slots a component has: for events without a limit as many as its pool has permits.
    fn slot_count(&self, component: usize, pools: &Pools) -> usize {
        let it = &self.flow.components()[component];
        if it.is_passive {
            return 0;
        }
        match (it.concurrency, &it.trigger) {
            (0, Trigger::Event) => pools.size(it.pool()) as usize,
            (concurrency, _) => concurrency as usize,
        }
    }

    fn slot(&mut self, component: usize, slot: usize) -> Option<&mut Slot> {
        self.components[component].slots.get_mut(slot)
    }

    fn state_of(&self, component: usize, slot: usize) -> SlotState {
        self.components[component].slots.get(slot).map_or(SlotState::Idle, |it| it.state)
    }
}
