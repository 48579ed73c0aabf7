//! What a flow did minute by minute, for charts that reach further back than a page that is open.

use std::collections::BTreeMap;

use mainspring_schedule::Timestamp;
use serde::{Deserialize, Serialize};

use super::machine::{Counters, Machine, Now};

/// The length of a span that is kept, in ms.
pub const MINUTE_MS: i64 = 60_000;
/// For how long minutes are kept at most, in ms: a day.
pub const MINUTES_KEPT_MS: i64 = 24 * 60 * MINUTE_MS;
/// Figures that are kept of a flow at most: those of one component or queue in one minute.
const FIGURES_MAX: i64 = 500_000;
/// Minutes that are kept of a flow of any size.
const MINUTES_MIN: i64 = 30;

/// For how long minutes of a flow with so many components and queues are kept, in ms. A large flow has more to keep in each of them.
#[must_use]
pub fn kept_ms(parts: usize) -> i64 {
    let parts = i64::try_from(parts.max(1)).unwrap_or(i64::MAX);
    ((FIGURES_MAX / parts).max(MINUTES_MIN) * MINUTE_MS).min(MINUTES_KEPT_MS)
}

/// What a flow did in a minute.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Minute {
    /// What components did, by name. Those that did nothing are left out.
    pub components: BTreeMap<String, Counters>,
    /// What queues held at its end, by name. Those that were empty are left out.
    pub queues: BTreeMap<String, Held>,
}

/// What a queue holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Held {
    /// Items, those of bodies included.
    pub items: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Minute {
    /// Adds what a later owner of the flow did in the same minute.
    pub fn add(&mut self, later: Self) {
        for (name, counters) in later.components {
            self.components.entry(name).or_default().add(counters);
        }
        self.queues = later.queues;
    }

    /// Leaves one component or queue in it. A queue that is not there was empty.
    pub fn keep_only(&mut self, name: &str) {
        self.components.retain(|it, _| it == name);
        self.queues.retain(|it, _| it == name);
    }
}

/// Notes what a machine does, minute by minute.
#[derive(Debug)]
pub struct Recorder {
    components: Vec<String>,
    queues: Vec<String>,
    begins: Timestamp,
    before: Vec<Counters>,
    /// What components did in this minute before the flow was edited.
    edited: BTreeMap<String, Counters>,
    /// What queues held at the end of the last minute that was handed out.
    held: BTreeMap<String, Held>,
}

impl Recorder {
    /// Begins in the present minute. Components and queues have these names, in their order.
    #[must_use]
    pub fn new(components: Vec<String>, queues: Vec<String>, machine: &Machine, now: Now) -> Self {
        let before = (0..components.len()).map(|component| machine.totals(component)).collect();
        let begins = start_of(now.wall);
        Self { components, queues, begins, before, edited: BTreeMap::new(), held: BTreeMap::new() }
    }

    /// Notes what has happened so far, before an edit of the flow.
    pub fn pause(&mut self, machine: &Machine) {
        for (name, gained) in self.gained(machine) {
            self.edited.entry(name).or_default().add(gained);
        }
    }

    /// Goes on after an edit of the flow.
    pub fn resume(&mut self, components: Vec<String>, queues: Vec<String>, machine: &Machine) {
        self.before = (0..components.len()).map(|component| machine.totals(component)).collect();
        (self.components, self.queues) = (components, queues);
    }

    /// For how long its minutes are kept, in ms.
    #[must_use]
    pub fn kept_ms(&self) -> i64 {
        kept_ms(self.components.len() + self.queues.len())
    }

    /// Returns the minute that is over, with its beginning. Nothing where none is over, or nothing happened in it: queues are
    /// then as they were at the end of the minute before.
    ///
    /// Where several are over, what happened counts for the first one.
    pub fn roll(&mut self, machine: &Machine, now: Now) -> Option<(Timestamp, Minute)> {
        let next = start_of(now.wall);
        if next == self.begins {
            return None;
        }
        let over = self.cut(machine);
        self.begins = next;
        over
    }

    /// Returns what has happened in the minute that goes on, for an owner that will not see its end.
    pub fn cut(&mut self, machine: &Machine) -> Option<(Timestamp, Minute)> {
        let mut components = std::mem::take(&mut self.edited);
        for (name, gained) in self.gained(machine) {
            components.entry(name).or_default().add(gained);
        }
        let held = |(connection, name): (usize, &String)| {
            let queue = machine.queue(connection);
            let held = Held { items: queue.len() as u64, bytes: queue.bytes() };
            (held.items > 0).then(|| (name.clone(), held))
        };
        let queues: BTreeMap<String, Held> = self.queues.iter().enumerate().filter_map(held).collect();
        if components.is_empty() && queues == self.held {
            return None;
        }
        self.held.clone_from(&queues);
        Some((self.begins, Minute { components, queues }))
    }
}

impl Recorder {
    /// What components did since the last look, without those that did nothing.
    fn gained(&mut self, machine: &Machine) -> Vec<(String, Counters)> {
        let mut all = Vec::new();
        for (component, name) in self.components.iter().enumerate() {
            let total = machine.totals(component);
            let gained = total.since(std::mem::replace(&mut self.before[component], total));
            if gained != Counters::default() {
                all.push((name.clone(), gained));
            }
        }
        all
    }
}

fn start_of(at: Timestamp) -> Timestamp {
    Timestamp::from_millis(at.as_millis().div_euclid(MINUTE_MS) * MINUTE_MS)
}
