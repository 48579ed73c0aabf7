//! Whether a component may run now, and if not, why and what would change that.
//!
//! One pure function for all triggers, for "run once", and for the question why a component does not run. The order of the tests
//! is that of NiFi's `ConnectableTask.invoke`.

use std::fmt;

/// What the gate looks at.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The present instant of the clock that nobody sets, in ms.
    pub now_ms: i64,
    /// Whether the body was told to end and has not.
    pub terminated: bool,
    /// Until when the component rests.
    pub yield_until_ms: i64,
    /// Whether it runs on the leader alone, and this node does not lead.
    pub elsewhere: bool,
    /// What kind of work it does.
    pub work: Work,
    /// The queues that lead to it.
    pub incoming: Vec<Incoming>,
    /// Whether there is room behind each of its relationships; connections to itself do not count.
    pub has_room: Vec<bool>,
    /// Whether room behind one of them is enough.
    pub any_destination: bool,
    /// Bodies that run, and how many may; no limit when absent.
    pub active: u32,
    /// See there.
    pub concurrency: Option<u32>,
}

/// What a component needs to have work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// Nothing: it makes items.
    Source,
    /// An item in one of its queues.
    Items,
    /// The same, an input from another component, and somewhere to put it.
    Funnel {
        /// Whether anything leads away from it.
        has_output: bool,
    },
}

/// A queue that leads to the component.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Incoming {
    /// Whether it comes from the component itself.
    pub is_loop: bool,
    /// Items that can be taken now.
    pub ready: usize,
    /// When the first of its penalised items can be taken.
    pub penalised_until_ms: Option<i64>,
}

/// The answer of the gate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Gate {
    /// The component may run.
    Ready,
    /// It may not.
    Blocked(Blocked),
}

/// Why a component may not run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocked {
    /// The first test that failed.
    pub reason: Reason,
    /// When that ends by itself, by the clock that nobody sets, in ms; nothing where something has to happen.
    pub until_ms: Option<i64>,
}

/// Why a component does not run. The order is that of the tests.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Reason {
    /// A body that was terminated has not ended.
    Terminated,
    /// It rests, as its body asked or because that failed. Ends by itself (W4).
    Yielded,
    /// Another node leads. Ends when this one does (W5).
    NotLeader,
    /// Its queues are empty. Ends when an item arrives (W1).
    NoWork,
    /// All items in its queues are penalised. Ends by itself (W2).
    Penalised,
    /// A queue behind it is full. Ends when that is not so any more (W3).
    DownstreamFull,
    /// As many of its bodies run as may. Ends when one does (W7).
    AtConcurrency,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Self; 7] = [
        Self::Terminated,
        Self::Yielded,
        Self::NotLeader,
        Self::NoWork,
        Self::Penalised,
        Self::DownstreamFull,
        Self::AtConcurrency,
    ];

    /// The word for it on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Terminated => "terminated",
            Self::Yielded => "yielded",
            Self::NotLeader => "not_leader",
            Self::NoWork => "no_work",
            Self::Penalised => "penalised",
            Self::DownstreamFull => "downstream_full",
            Self::AtConcurrency => "at_concurrency",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Tells whether a component may run now.
#[must_use]
pub fn gate(it: &Snapshot) -> Gate {
    let blocked = |reason, until_ms| Gate::Blocked(Blocked { reason, until_ms });
    if it.terminated {
        return blocked(Reason::Terminated, None);
    }
    if it.yield_until_ms > it.now_ms {
        return blocked(Reason::Yielded, Some(it.yield_until_ms));
    }
    if it.elsewhere {
        return blocked(Reason::NotLeader, None);
    }
    if !has_work(it) {
        let penalised_until_ms = it.incoming.iter().filter_map(|queue| queue.penalised_until_ms).min();
        let reason = if penalised_until_ms.is_some() { Reason::Penalised } else { Reason::NoWork };
        return blocked(reason, penalised_until_ms);
    }
    if !has_room(it) {
        return blocked(Reason::DownstreamFull, None);
    }
    if it.concurrency.is_some_and(|concurrency| it.active >= concurrency) {
        return blocked(Reason::AtConcurrency, None);
    }
    Gate::Ready
}

fn has_work(it: &Snapshot) -> bool {
    let has_items = it.incoming.iter().any(|queue| queue.ready > 0);
    match it.work {
        Work::Source => true,
        Work::Items => has_items,
        Work::Funnel { has_output } => has_output && has_items && it.incoming.iter().any(|queue| !queue.is_loop),
    }
}

fn has_room(it: &Snapshot) -> bool {
    match it.any_destination {
        true => it.has_room.is_empty() || it.has_room.contains(&true),
        false => !it.has_room.contains(&false),
    }
}
