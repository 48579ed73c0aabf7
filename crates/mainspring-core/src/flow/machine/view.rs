//! What people see of a flow at work.

use std::collections::{BTreeMap, VecDeque};

use mainspring_schedule::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::gate::{Blocked, Gate, Reason, gate};
use super::super::queue::Header;
use super::lifecycle::ComponentState;
use super::pools::Pools;
use super::slots::SlotState;
use super::{Cause, Machine, Now};

/// How far back counters reach, in seconds.
const SPAN_S: i64 = 300;
/// Bulletins kept of a component, and for how long in ms.
const BULLETINS: (usize, i64) = (5, 300_000);

/// How bad something is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// It may come to nothing.
    Warn,
    /// Something did not work.
    Error,
}

/// A message about a component, shown for five minutes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bulletin {
    /// When it was written.
    pub at: Timestamp,
    /// How bad it is.
    pub level: Level,
    /// What happened.
    pub message: String,
}

/// What a component did in a span of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Counters {
    /// Items that it took.
    pub items_in: u64,
    /// Their bytes.
    pub bytes_in: u64,
    /// Items that it put into queues.
    pub items_out: u64,
    /// Their bytes.
    pub bytes_out: u64,
    /// Bodies that ended.
    pub tasks: u64,
    /// How long these ran together, in ms.
    pub task_ms: u64,
}

impl Counters {
    /// Adds what happened in another span.
    pub const fn add(&mut self, other: Self) {
        self.items_in += other.items_in;
        self.bytes_in += other.bytes_in;
        self.items_out += other.items_out;
        self.bytes_out += other.bytes_out;
        self.tasks += other.tasks;
        self.task_ms += other.task_ms;
    }

    /// What was counted since an earlier look at the same counters.
    #[must_use]
    pub const fn since(self, before: Self) -> Self {
        Self {
            items_in: self.items_in - before.items_in,
            bytes_in: self.bytes_in - before.bytes_in,
            items_out: self.items_out - before.items_out,
            bytes_out: self.bytes_out - before.bytes_out,
            tasks: self.tasks - before.tasks,
            task_ms: self.task_ms - before.task_ms,
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct View {
    /// What was counted, second by second.
    counted: VecDeque<(i64, Counters)>,
    /// The same since the beginning.
    total: Counters,
    bulletins: VecDeque<Bulletin>,
    last_skip: Option<(Timestamp, Reason)>,
    skips: BTreeMap<Reason, u64>,
    pub(super) missed: u64,
    bodies: u64,
    /// Rests that began or were made longer.
    pub(super) yields: u64,
}

impl View {
    pub(super) fn began(&mut self, items: &[(usize, Header)], now: Now) {
        self.bodies += 1;
        let bytes: u64 = items.iter().map(|(_, item)| item.bytes).sum();
        self.count(now, |it| (it.items_in, it.bytes_in) = (it.items_in + items.len() as u64, it.bytes_in + bytes));
    }

    pub(super) fn ended(&mut self, items: u64, bytes: u64, took_ms: i64, now: Now) {
        self.count(now, |it| {
            (it.items_out, it.bytes_out) = (it.items_out + items, it.bytes_out + bytes);
            (it.tasks, it.task_ms) = (it.tasks + 1, it.task_ms + took_ms.max(0).unsigned_abs());
        });
    }

    /// Items of bodies that ended elsewhere.
    pub(super) fn received(&mut self, items: u64, bytes: u64, now: Now) {
        self.count(now, |it| (it.items_out, it.bytes_out) = (it.items_out + items, it.bytes_out + bytes));
    }

    pub(super) fn skipped(&mut self, at: Timestamp, reason: Reason) {
        self.last_skip = Some((at, reason));
        *self.skips.entry(reason).or_default() += 1;
    }

    pub(super) fn note(&mut self, level: Level, message: String, now: Now) {
        self.bulletins.truncate(BULLETINS.0 - 1);
        self.bulletins.push_front(Bulletin { at: now.wall, level, message });
    }

    fn count(&mut self, now: Now, change: impl Fn(&mut Counters)) {
        change(&mut self.total);
        let second = now.mono_ms.div_euclid(1_000);
        while self.counted.front().is_some_and(|(at, _)| *at <= second - SPAN_S) {
            self.counted.pop_front();
        }
        if self.counted.back().is_none_or(|(at, _)| *at != second) {
            self.counted.push_back((second, Counters::default()));
        }
        change(&mut self.counted.back_mut().expect("one was pushed").1);
    }
}

/// Why a component runs, or does not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Why {
    /// What it is meant to do.
    pub state: ComponentState,
    /// Bodies that run.
    pub active: u32,
    /// What it needs beside items, and did not have when somebody looked.
    pub lacks: Vec<String>,
    /// Bodies that were terminated and have not ended.
    pub terminated: u32,
    /// Why its gate is closed; nothing where it is open.
    pub blocked: Option<Blocked>,
    /// Slots that wait for a permit of the pool.
    pub queued: u32,
    /// In how many ms a slot may start by its schedule, if none may now.
    pub starts_in_ms: Option<i64>,
    /// The next time of its calendar.
    pub next_fire: Option<Timestamp>,
    /// The last time of its calendar that was lost, and why.
    pub last_skip: Option<(Timestamp, Reason)>,
    /// Whether it has no bodies: others put its items.
    pub is_passive: bool,
}

impl Machine {
    /// Says why a component runs or does not: the answer of the one gate, and what its slots do.
    #[must_use]
    pub fn why(&self, component: usize, pools: &Pools, now: Now) -> Why {
        let it = &self.components[component];
        let mut snapshot = self.snapshot(component, now);
        let passive = self.flow.components()[component].is_passive;
        snapshot.concurrency = if passive { None } else { u32::try_from(self.slot_count(component, pools)).ok() };
        let blocked = match gate(&snapshot) {
            Gate::Ready => None,
            Gate::Blocked(blocked) => Some(blocked),
        };
        let states = || it.slots.iter().map(|slot| slot.state);
        let starts_in_ms = states().filter_map(|state| match state {
            SlotState::Waiting(until) => Some(until - now.mono_ms),
            _ => None,
        });
        Why {
            state: it.state,
            lacks: it.lacks.clone(),
            active: it.active,
            terminated: it.terminated,
            blocked,
            queued: states().filter(|state| *state == SlotState::Queued).count() as u32,
            starts_in_ms: starts_in_ms.min(),
            next_fire: self.next_fire_of(component),
            last_skip: it.view.last_skip,
            is_passive: passive,
        }
    }

    /// The next time of a component's calendar.
    #[must_use]
    pub fn next_fire_of(&self, component: usize) -> Option<Timestamp> {
        let times = self.components[component].slots.iter().filter_map(|slot| match slot.state {
            SlotState::Awaiting(at) => Some(at),
            _ => None,
        });
        times.min()
    }

    /// What a component did in the last five minutes.
    #[must_use]
    pub fn counters(&self, component: usize, now: Now) -> Counters {
        let oldest = now.mono_ms.div_euclid(1_000) - SPAN_S;
        let mut sum = Counters::default();
        for (_, it) in self.components[component].view.counted.iter().filter(|(at, _)| *at > oldest) {
            sum.add(*it);
        }
        sum
    }

    /// What a component did since this node has the flow.
    #[must_use]
    pub fn totals(&self, component: usize) -> Counters {
        self.components[component].view.total
    }

    /// Messages about a component, the newest first.
    pub fn bulletins(&self, component: usize, now: Now) -> impl Iterator<Item = &Bulletin> {
        self.components[component].view.bulletins.iter().filter(move |it| now.wall - BULLETINS.1 < it.at)
    }

    /// Adds a message about a component.
    pub fn note(&mut self, component: usize, level: Level, message: String, now: Now) {
        self.components[component].view.note(level, message, now);
    }

    /// Bodies of a component that have begun.
    #[must_use]
    pub fn bodies_total(&self, component: usize) -> u64 {
        self.components[component].view.bodies
    }

    /// How often a component began to rest, or for longer: because its body asked for that, or failed.
    #[must_use]
    pub fn yields_total(&self, component: usize) -> u64 {
        self.components[component].view.yields
    }

    /// Times of a component's calendar that were lost for a reason.
    #[must_use]
    pub fn fires_skipped_total(&self, component: usize, reason: Reason) -> u64 {
        self.components[component].view.skips.get(&reason).copied().unwrap_or(0)
    }

    /// Times of a component's calendar that passed while its body ran, and that nothing made up for.
    #[must_use]
    pub fn fires_missed_total(&self, component: usize) -> u64 {
        self.components[component].view.missed
    }

    /// How often a gate was asked.
    #[must_use]
    pub const fn checks_total(&self) -> u64 {
        self.checks
    }

    /// How often a slot had a permit and found that others had taken the items.
    #[must_use]
    pub const fn empty_claims_total(&self) -> u64 {
        self.empty_claims
    }

    /// How often a circle of full queues was helped on.
    #[must_use]
    pub const fn cycle_relief_total(&self) -> u64 {
        self.cycle_reliefs
    }

    /// How many slots were woken, by cause.
    #[must_use]
    pub fn wakes_total(&self, cause: Cause) -> u64 {
        self.wakes_of(cause)
    }

    /// How many timers there are, for tests of what a stopped component leaves.
    #[must_use]
    pub fn timer_count(&self) -> usize {
        self.timers.len() + self.wall_timers.len()
    }
}
