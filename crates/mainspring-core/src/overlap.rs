//! What a fire does at its job's limit. Decided by the store, under the lock of the job's gate.

use crate::job::{GateRule, Overlap};

/// A job's gate: how many of its runs are unfinished, as the locked row says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Gate {
    /// Runs that hold a slot: everything unfinished that is not held.
    pub active: u32,
    /// Runs that wait for a slot.
    pub held: u32,
}

/// What becomes of a fire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Admission {
    /// It takes a slot.
    Start,
    /// It waits for a slot.
    Hold,
    /// It is recorded as suppressed.
    Suppress,
    /// Nothing is recorded: the trigger is blocked until a run ends.
    Block,
}

/// Decides what becomes of one more fire of a job with this gate.
#[must_use]
pub const fn admit(gate: Gate, rule: GateRule) -> Admission {
    if gate.active < rule.max_active && gate.held == 0 {
        return Admission::Start;
    }
    match rule.overlap {
        Overlap::Allow => Admission::Start,
        Overlap::Skip => Admission::Suppress,
        Overlap::Hold => Admission::Block,
        Overlap::QueueOne => {
            if gate.held == 0 {
                Admission::Hold
            } else {
                Admission::Suppress
            }
        }
        Overlap::QueueAll => Admission::Hold,
    }
}

/// What becomes of a run that a person or a program asked for: it waits rather than being suppressed.
#[must_use]
pub const fn admit_asked(gate: Gate, rule: GateRule) -> Admission {
    match admit(gate, rule) {
        Admission::Suppress | Admission::Block => Admission::Hold,
        other => other,
    }
}

/// How many held runs may take a slot now.
#[must_use]
pub const fn promotable(gate: Gate, rule: GateRule) -> u32 {
    let free = rule.max_active.saturating_sub(gate.active);
    if free < gate.held { free } else { gate.held }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Admission::{Block, Hold, Start, Suppress};

    #[test]
    fn fires_at_the_limit_follow_the_policy() {
        for (overlap, max_active, active, held, expected) in [
            (Overlap::Allow, 1, 9, 0, Start),
            (Overlap::Skip, 1, 0, 0, Start),
            (Overlap::Skip, 1, 1, 0, Suppress),
            (Overlap::Skip, 2, 1, 0, Start),
            (Overlap::Hold, 1, 1, 0, Block),
            (Overlap::Hold, 1, 0, 0, Start),
            (Overlap::QueueOne, 1, 1, 0, Hold),
            (Overlap::QueueOne, 1, 1, 1, Suppress),
            (Overlap::QueueOne, 2, 1, 1, Suppress),
            (Overlap::QueueAll, 2, 1, 0, Start),
            (Overlap::QueueAll, 1, 1, 7, Hold),
            (Overlap::QueueAll, 1, 0, 7, Hold),
        ] {
            let gate = Gate { active, held };
            assert_eq!(admit(gate, GateRule { overlap, max_active }), expected, "{overlap} {max_active} {gate:?}");
        }
    }

    #[test]
    fn asked_for_runs_wait_instead_of_vanishing() {
        let full = Gate { active: 1, held: 3 };
        for &overlap in Overlap::ALL.iter().filter(|o| **o != Overlap::Allow) {
            assert_eq!(admit_asked(full, GateRule { overlap, max_active: 1 }), Hold, "{overlap}");
        }
    }

    #[test]
    fn freed_slots_go_to_held_runs() {
        let rule = GateRule { overlap: Overlap::QueueOne, max_active: 3 };
        assert_eq!(promotable(Gate { active: 1, held: 1 }, rule), 1);
        assert_eq!(promotable(Gate { active: 1, held: 5 }, rule), 2);
        assert_eq!(promotable(Gate { active: 3, held: 5 }, rule), 0);
    }
}
