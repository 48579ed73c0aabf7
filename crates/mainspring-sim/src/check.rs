//! The invariants: each is a function over a [`History`] and names what breaks it.
//!
//! They are the formulas of the design, I1–I11 and I13–I15. I12 is that of workflows, which have a world of their own, and I16 asks about
//! processes and sessions of a real system. How late something may be is measured in `lateness`: it follows from the faults.
//! What must never be, even for a moment, a [`Watch`] asks as it happens.

mod lateness;
mod records;
mod runs;
mod timeline;
mod watch;

use std::fmt;

use crate::history::{History, Time};

pub use lateness::Lateness;
pub(crate) use records::ON_ITS_WAY_MS;
pub use records::worst_in_calm;
pub use watch::Watch;

/// Something that must not be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// Of which invariant.
    pub invariant: &'static str,
    /// When, by the checker's clock.
    pub at: Time,
    /// What.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {} ms: {}", self.invariant, self.at, self.what)
    }
}

/// What an invariant has to say.
#[derive(Debug)]
pub(crate) struct Findings {
    invariant: &'static str,
    found: Vec<Violation>,
}

/// Findings of an invariant that are kept: one is enough to fail, a few help to understand.
const KEPT: usize = 20;

impl Findings {
    const fn of(invariant: &'static str) -> Self {
        Self { invariant, found: Vec::new() }
    }

    /// The same, for another invariant from now on.
    const fn about(&mut self, invariant: &'static str) -> &mut Self {
        self.invariant = invariant;
        self
    }

    fn add(&mut self, at: Time, what: impl FnOnce() -> String) {
        if self.found.len() < KEPT {
            self.found.push(Violation { invariant: self.invariant, at, what: what() });
        }
    }

    fn add_if(&mut self, broken: bool, at: Time, what: impl FnOnce() -> String) {
        if broken {
            self.add(at, what);
        }
    }
}

/// An invariant: its name, what it says, and the check.
pub type Invariant = (&'static str, &'static str, fn(&History) -> Vec<Violation>);

/// All of them.
pub const INVARIANTS: [Invariant; 14] = [
    ("I1", "no loss", records::no_loss),
    ("I2", "no duplicate, no phantom", records::no_duplicate),
    ("I3", "misses are lawful", records::lawful_misses),
    ("I4", "never early", records::never_early),
    ("I5", "lateness", records::in_time),
    ("I6", "fencing", records::fencing),
    ("I7", "attempts", runs::attempts),
    ("I8", "witness", runs::witness),
    ("I9", "no overlap", runs::no_overlap),
    ("I10", "finality", runs::finality),
    ("I11", "progress", records::progress),
    ("I13", "acknowledgements", records::acknowledged),
    ("I14", "pause", records::pause),
    ("I15", "conservation", records::conservation),
];

/// What breaks any of them.
#[must_use]
pub fn all(history: &History) -> Vec<Violation> {
    INVARIANTS.iter().flat_map(|(_, _, check)| check(history)).collect()
}

/// What breaks those that can only be asked when all is over, where a [`Watch`] has asked the others.
#[must_use]
pub fn at_the_end(history: &History) -> Vec<Violation> {
    let checks = [
        records::no_loss,
        records::in_time,
        runs::untold,
        runs::silent,
        runs::kept_word,
        records::progress,
        records::acknowledged,
        records::conservation,
    ];
    checks.iter().flat_map(|check| check(history)).collect()
}
