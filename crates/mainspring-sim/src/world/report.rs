//! What comes of a seed: of its cluster, and of its flow.

use crate::check::Violation;
use crate::faults::Counts;
use crate::{flows, workflows};

/// What came of a seed.
#[derive(Clone, Debug)]
pub struct Report {
    /// The seed.
    pub seed: u64,
    /// What tells its trace from any other.
    pub hash: u64,
    /// Events.
    pub events: u64,
    /// Fires that were recorded.
    pub fires: u64,
    /// Faults that had an effect.
    pub faults: Counts,
    /// What broke an invariant.
    pub violations: Vec<Violation>,
    /// The trace, if it was to be kept.
    pub trace: Vec<String>,
    /// How late a run began at most that no fault came near, in milliseconds.
    pub worst_in_calm_ms: i64,
    /// Bodies of the seed's flow that began.
    pub turns: u64,
    /// Runs of tasks of the seed's workflows.
    pub tasks: u64,
}

impl Report {
    pub(super) fn empty(seed: u64) -> Self {
        Self {
            seed,
            hash: 0,
            events: 0,
            fires: 0,
            faults: Counts::default(),
            violations: Vec::new(),
            trace: Vec::new(),
            worst_in_calm_ms: 0,
            turns: 0,
            tasks: 0,
        }
    }

    pub(super) fn panicked(seed: u64, what: String) -> Self {
        Self { violations: vec![Violation { invariant: "panic", at: 0, what }], ..Self::empty(seed) }
    }

    /// Adds what came of the seed's flow.
    pub(super) fn add(&mut self, flow: flows::Report) {
        self.hash ^= flow.hash.rotate_left(1);
        self.events += flow.events;
        self.turns += flow.turns;
        self.faults.merge(&flow.faults);
        self.violations.extend(flow.violations);
        self.trace.extend(flow.trace);
    }
}

impl Report {
    /// Adds what came of the seed's workflows.
    pub(super) fn add_workflows(&mut self, found: workflows::Report) {
        self.hash ^= found.hash.rotate_left(2);
        self.events += found.events;
        self.tasks += found.tasks;
        self.faults.merge(&found.faults);
        self.violations.extend(found.violations);
        self.trace.extend(found.trace);
    }
}

/// What work comes to, or the message of its panic.
pub(super) fn survived<T>(work: impl FnOnce() -> T + std::panic::UnwindSafe) -> Result<T, String> {
    std::panic::catch_unwind(work).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        text.unwrap_or("without a message").to_owned()
    })
}
