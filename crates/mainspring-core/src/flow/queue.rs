//! The items of a connection, in the order in which they leave.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_schedule::Timestamp;
use rustc_hash::FxHashMap;

use super::definition::{Connection, Prioritizer};

/// Names an item among all of its flow. Later items have higher ids.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ItemId(pub i64);

/// What a flow has to know of an item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// Its id.
    pub id: ItemId,
    /// Its place in the order of arrival.
    pub order: i64,
    /// When it, or what it was made of, entered the flow.
    pub entered_at: Timestamp,
    /// When the oldest item that it was made of entered the flow.
    pub lineage_at: Timestamp,
    /// Its attribute `priority`.
    pub priority: Priority,
    /// Bytes of its content and attributes.
    pub bytes: u64,
    /// Until when it is passed over, by the clock that nobody sets, in ms.
    pub penalty_until_ms: Option<i64>,
    /// How often the component that takes it has tried it again.
    pub retries: u32,
}

/// What the attribute `priority` of an item says, in the order in which items leave.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Priority {
    /// A whole number: the lowest leaves first.
    Number(i64),
    /// Another text.
    Text(Box<str>),
    /// Nothing: last.
    #[default]
    Absent,
}

impl Priority {
    /// Reads the attribute. NUL, which not every database keeps, becomes the sign for what cannot be shown.
    #[must_use]
    pub fn of(attribute: Option<&str>) -> Self {
        match attribute.map(|text| (text, text.trim().parse())) {
            Some((_, Ok(number))) => Self::Number(number),
            Some((text, Err(_))) => Self::Text(text.replace('\0', "\u{fffd}").into()),
            None => Self::Absent,
        }
    }
}

/// A part of a place in the order of a queue.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Key {
    Number(i64),
    Priority(Priority),
}

/// Where an item stands: by prioritizers, then by arrival, then by id.
type Spot = (Box<[Key]>, i64, ItemId);

/// The queue of a connection: items that can be taken, that are penalised, and that a body has.
#[derive(Clone, Debug)]
pub struct Queue {
    prioritizers: Vec<Prioritizer>,
    max_items: u64,
    max_bytes: u64,
    expire_after_ms: i64,
    ready: BTreeMap<Spot, Header>,
    penalised: BTreeMap<(i64, ItemId), Header>,
    in_flight: FxHashMap<ItemId, Header>,
    /// When items expire, those in flight left out.
    expiring: BTreeSet<(Timestamp, ItemId)>,
    waiting: FxHashMap<ItemId, Where>,
    bytes: u64,
    ready_bytes: u64,
}

#[derive(Clone, Debug)]
enum Where {
    Ready(Spot),
    Penalised(i64),
}

impl Queue {
    /// Makes an empty queue.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self {
            prioritizers: connection.prioritizers.clone(),
            max_items: connection.max_items,
            max_bytes: connection.max_bytes,
            expire_after_ms: connection.expire_after_ms,
            ready: BTreeMap::new(),
            penalised: BTreeMap::new(),
            in_flight: FxHashMap::default(),
            expiring: BTreeSet::new(),
            waiting: FxHashMap::default(),
            bytes: 0,
            ready_bytes: 0,
        }
    }

    /// How many items it holds, those in flight included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.waiting.len() + self.in_flight.len()
    }

    /// Whether it holds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of what it holds, those in flight included.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Items that can be taken now.
    #[must_use]
    pub fn ready(&self) -> usize {
        self.ready.len()
    }

    /// The bytes of these.
    #[must_use]
    pub const fn ready_bytes(&self) -> u64 {
        self.ready_bytes
    }

    /// Items that bodies have.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Items that are passed over until their penalty ends.
    #[must_use]
    pub fn penalised(&self) -> usize {
        self.penalised.len()
    }

    /// When the first penalised item can be taken.
    #[must_use]
    pub fn penalised_until_ms(&self) -> Option<i64> {
        self.penalised.keys().next().map(|(until, _)| *until)
    }

    /// When the first item expires.
    #[must_use]
    pub fn expires_at(&self) -> Option<Timestamp> {
        self.expiring.first().map(|(at, _)| *at)
    }

    /// Returns an item that it holds, waiting or in flight.
    #[must_use]
    pub fn find(&self, id: ItemId) -> Option<&Header> {
        match self.waiting.get(&id) {
            Some(Where::Ready(spot)) => self.ready.get(spot),
            Some(Where::Penalised(until)) => self.penalised.get(&(*until, id)),
            None => self.in_flight.get(&id),
        }
    }

    /// Whether back-pressure holds: as many items or bytes as the connection takes, in flight included.
    #[must_use]
    pub fn is_full(&self) -> bool {
        let reached = |max: u64, there: u64| max > 0 && there >= max;
        reached(self.max_items, self.len() as u64) || reached(self.max_bytes, self.bytes)
    }

    /// How far it is from full, for comparison: the larger share of items and bytes, in thousandths.
    #[must_use]
    pub fn fullness(&self) -> u64 {
        let share = |max: u64, there: u64| there.saturating_mul(1_000).checked_div(max).unwrap_or(0);
        share(self.max_items, self.len() as u64).max(share(self.max_bytes, self.bytes))
    }

    /// Adds an item, penalised if its time has not come.
    pub fn put(&mut self, item: Header, now_ms: i64) {
        self.bytes += item.bytes;
        self.wait(item, now_ms);
    }

    /// Takes up to `limit` items in order, the first of them and those that have `max_bytes` together with it; they stay in the queue, in flight, until they are [removed](Self::end) or
    /// [returned](Self::give_back).
    pub fn take(&mut self, limit: usize, max_bytes: u64) -> Vec<Header> {
        let (mut taken, mut bytes) = (Vec::new(), 0_u64);
        while taken.len() < limit {
            let Some(first) = self.ready.first_entry() else { break };
            bytes = bytes.saturating_add(first.get().bytes);
            if bytes > max_bytes && !taken.is_empty() {
                break;
            }
            let item = first.remove();
            self.ready_bytes -= item.bytes;
            self.leave(&item);
            self.in_flight.insert(item.id, item.clone());
            taken.push(item);
        }
        taken
    }

    /// Ends the stay of an item in flight, and returns it.
    pub fn end(&mut self, id: ItemId) -> Option<Header> {
        let item = self.in_flight.remove(&id)?;
        self.bytes -= item.bytes;
        Some(item)
    }

    /// Puts an item in flight back to its place, as `change` leaves it.
    pub fn give_back(&mut self, id: ItemId, now_ms: i64, change: impl FnOnce(&mut Header)) {
        if let Some(mut item) = self.in_flight.remove(&id) {
            self.bytes -= item.bytes;
            change(&mut item);
            self.put(item, now_ms);
        }
    }

    /// Returns an item in flight.
    #[must_use]
    pub fn flying(&self, id: ItemId) -> Option<&Header> {
        self.in_flight.get(&id)
    }

    /// Lets penalised items be taken whose time has come. Returns how many.
    pub fn release(&mut self, now_ms: i64) -> usize {
        let mut count = 0;
        while let Some(entry) = self.penalised.first_entry().filter(|entry| entry.key().0 <= now_ms) {
            let item = entry.remove();
            self.leave(&item);
            self.wait(Header { penalty_until_ms: None, ..item }, now_ms);
            count += 1;
        }
        count
    }

    /// Removes up to `limit` items that have expired, oldest first.
    pub fn expire(&mut self, at: Timestamp, limit: usize) -> Vec<Header> {
        let mut gone = Vec::new();
        while gone.len() < limit && self.expires_at().is_some_and(|first| first <= at) {
            let id = self.expiring.first().expect("there is a first").1;
            gone.extend(self.remove(id));
        }
        gone
    }

    /// Removes an item that is not in flight.
    pub fn remove(&mut self, id: ItemId) -> Option<Header> {
        let item = match self.waiting.get(&id)? {
            Where::Ready(spot) => self.ready.remove(spot).inspect(|item| self.ready_bytes -= item.bytes),
            Where::Penalised(until) => self.penalised.remove(&(*until, id)),
        }?;
        self.leave(&item);
        self.bytes -= item.bytes;
        Some(item)
    }

    /// The items that wait, in the order in which they leave: the penalised last, by when they can be taken.
    pub fn iter(&self) -> impl Iterator<Item = &Header> {
        self.ready.values().chain(self.penalised.values())
    }

    fn wait(&mut self, item: Header, now_ms: i64) {
        if self.expire_after_ms > 0 {
            self.expiring.insert((item.entered_at + self.expire_after_ms, item.id));
        }
        match item.penalty_until_ms.filter(|until| *until > now_ms) {
            Some(until) => {
                self.waiting.insert(item.id, Where::Penalised(until));
                self.penalised.insert((until, item.id), item);
            }
            None => {
                let spot = self.spot(&item);
                self.waiting.insert(item.id, Where::Ready(spot.clone()));
                self.ready_bytes += item.bytes;
                self.ready.insert(spot, item);
            }
        }
    }

    fn leave(&mut self, item: &Header) {
        self.waiting.remove(&item.id);
        if self.expire_after_ms > 0 {
            self.expiring.remove(&(item.entered_at + self.expire_after_ms, item.id));
        }
    }

    fn spot(&self, item: &Header) -> Spot {
        let key = |by: &Prioritizer| match by {
            Prioritizer::Fifo => Key::Number(item.order),
            Prioritizer::Newest => Key::Number(-item.lineage_at.as_millis()),
            Prioritizer::Oldest => Key::Number(item.lineage_at.as_millis()),
            Prioritizer::Priority => Key::Priority(item.priority.clone()),
        };
        (self.prioritizers.iter().map(key).collect(), item.order, item.id)
    }
}
