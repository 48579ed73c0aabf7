//! Items that somebody puts into a component without a body.

use std::collections::BTreeMap;
use std::ops::{Add, Sub};

use super::lifecycle::{ComponentState, Refused};
use super::pools::Pools;
use super::turns::{Output, Write};
use super::{Machine, Now};
use crate::flow::gate::Reason;
use crate::flow::queue::Header;

/// Room of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Room {
    items: u64,
    bytes: u64,
}

impl Room {
    pub(super) const fn of(item: &Header) -> Self {
        Self { items: 1, bytes: item.bytes }
    }
}

impl Add for Room {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { items: self.items + other.items, bytes: self.bytes + other.bytes }
    }
}

impl Sub for Room {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { items: self.items - other.items, bytes: self.bytes - other.bytes }
    }
}

/// The room that new items need, by connection.
fn needed(writes: &[Write]) -> BTreeMap<usize, Room> {
    let mut needed = BTreeMap::<usize, Room>::new();
    for write in writes {
        if let Write::Insert { connection, item, .. } = write {
            let room = needed.entry(*connection).or_default();
            *room = *room + Room::of(item);
        }
    }
    needed
}

impl Machine {
    /// Takes items that somebody puts into a component, and answers what is to be kept in one transaction. Their room is reserved
    /// until the machine is told what came of that, by [`Machine::accepted`] or [`Machine::declined`]: requests at the same time
    /// put no more into a queue than it takes.
    ///
    /// # Errors
    /// The component has bodies of its own, does not run, or a queue behind it has no room for all of the items.
    pub fn accept(&mut self, component: usize, outputs: &[Output], now: Now) -> Result<Vec<Write>, Refused> {
        if !self.flow.components()[component].is_passive {
            return Err(Refused::HasBody);
        }
        if self.components[component].state != ComponentState::Running {
            return Err(Refused::NotRunning);
        }
        let snapshot = self.snapshot(component, now);
        if let super::super::Gate::Blocked(blocked) = super::super::gate::gate(&snapshot) {
            return Err(if blocked.reason == Reason::DownstreamFull { Refused::Full } else { Refused::NotRunning });
        }
        let mut writes = Vec::new();
        for (place, output) in outputs.iter().enumerate() {
            self.emit(component, &[], place, output, &mut writes, now);
        }
        let needed = needed(&writes);
        if needed.iter().any(|(connection, room)| !self.has_room(*connection, *room)) {
            return Err(Refused::Full);
        }
        for (connection, room) in needed {
            self.reserve(connection, room);
        }
        Ok(writes)
    }

    /// Whether a queue has room for items beside those that it holds and those for which room is reserved. What is larger than
    /// the limit of bytes fits into an empty queue alone.
    pub(super) fn has_room(&self, connection: usize, new: Room) -> bool {
        let (limits, queue) = (&self.flow.connections()[connection], &self.queues[connection]);
        let there = Room { items: queue.len() as u64, bytes: queue.bytes() } + self.reserved[connection];
        let fits = |max: u64, sum: u64| max == 0 || sum <= max;
        let sum = there + new;
        let is_first = there.items == 0 && new.items == 1;
        fits(limits.max_items, sum.items) && (is_first || fits(limits.max_bytes, sum.bytes))
    }

    pub(super) fn reserve(&mut self, connection: usize, room: Room) {
        self.reserved[connection] = self.reserved[connection] + room;
    }

    /// Hears that items are not kept for which room was reserved.
    pub fn declined(&mut self, writes: &[Write]) {
        for (connection, room) in needed(writes) {
            self.reserved[connection] = self.reserved[connection] - room;
        }
    }

    /// Puts items into their queues that are kept now.
    pub fn accepted(&mut self, component: usize, writes: Vec<Write>, pools: &mut Pools, now: Now) {
        let (items, bytes) = self.enter(writes, pools, now);
        self.components[component].view.ended(items, bytes, 0, now);
        self.advance(pools, now);
    }

    /// Puts items into the queues in which room was reserved for them, and answers how many these are and how large.
    pub(super) fn enter(&mut self, writes: Vec<Write>, pools: &mut Pools, now: Now) -> (u64, u64) {
        self.look_at_clock(now);
        self.declined(&writes);
        let (mut items, mut bytes) = (0, 0);
        for write in writes {
            if let Write::Insert { connection, item, .. } = write {
                (items, bytes) = (items + 1, bytes + item.bytes);
                self.put(connection, item, pools, now);
            }
        }
        (items, bytes)
    }
}
