//! How late may it be? As late as the faults explain, and no later.

use crate::history::{History, Time, WORKERS_FROM};

/// How late a fire may be that nothing disturbs.
pub const CALM_MS: i64 = 250;

/// The times in which something was disturbed, or recovered from it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lateness {
    /// From and to, in order, none of them touching the next.
    disturbed: Vec<(Time, Time)>,
    clock_error_ms: i64,
}

impl Lateness {
    /// Of a history.
    #[must_use]
    pub fn of(history: &History) -> Self {
        Self::where_machines(history, |machine| machine < WORKERS_FROM)
    }

    /// The same for work of all machines.
    #[must_use]
    pub fn of_all(history: &History) -> Self {
        Self::where_machines(history, |_| true)
    }

    fn where_machines(history: &History, counts: impl Fn(usize) -> bool) -> Self {
        let counted = history.faults.iter().filter(|fault| fault.node.is_none_or(&counts));
        let mut faults: Vec<(Time, Time)> = counted.map(|fault| (fault.from, fault.to + fault.recovery_ms)).collect();
        faults.sort_unstable();
        let mut disturbed: Vec<(Time, Time)> = Vec::new();
        for (from, to) in faults {
            match disturbed.last_mut() {
                // What waited through the first may run into the second.
                Some(last) if from <= last.1 + 2 * CALM_MS => last.1 = last.1.max(to),
                _ => disturbed.push((from, to)),
            }
        }
        Self { disturbed, clock_error_ms: history.clock_error_ms }
    }

    /// By when something has to be done that is due at an instant, and takes so long in calm.
    #[must_use]
    pub fn deadline(&self, instant: Time, calm_ms: i64) -> Time {
        let calm = instant + calm_ms + self.clock_error_ms;
        // What falls into a disturbance waits for its end. A clock that is ahead makes it fall in earlier.
        let index = self.disturbed.partition_point(|(_, to)| *to < instant - self.clock_error_ms);
        let mut deadline = calm;
        for (from, to) in &self.disturbed[index..] {
            if *from > deadline {
                break;
            }
            deadline = deadline.max(*to + calm_ms + self.clock_error_ms);
        }
        deadline
    }
}
