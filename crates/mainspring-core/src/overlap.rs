//! What a fire does at its job's limit. Decided by the store, under the lock of the job's gate.

use crate::id::RunId;
use crate::job::{GateRule, Overlap};

/// Why a run was ended that a newer one took the place of.
pub const REPLACED: &str = "replaced by a newer run";

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
    /// An older run makes room, as [`to_replace`] says; then it starts if a slot is free, and waits for one otherwise.
    Replace,
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
        Overlap::CancelRunning => Admission::Replace,
    }
}

/// Decides whether one more run can start once an older one has made room for it, or has to wait for that one's end.
#[must_use]
pub const fn admit_replacing(gate: Gate, rule: GateRule) -> Admission {
    match admit(gate, rule) {
        Admission::Start => Admission::Start,
        _ => Admission::Hold,
    }
}

/// The run that makes room for one more under `cancel_running`, if one has to: one comes in, one goes.
///
/// `held` is the run that waits for a slot and would take it first; `standing` are those that hold a slot and whose
/// end nobody has asked for. A run that waits goes before one that holds a slot, and of these the oldest goes.
#[must_use]
pub fn to_replace(rule: GateRule, gate: Gate, held: Option<RunId>, standing: &[RunId]) -> Option<RunId> {
    let remain = u32::try_from(standing.len()).unwrap_or(u32::MAX).saturating_add(gate.held);
    if remain < rule.max_active {
        return None;
    }
    held.or_else(|| standing.iter().min().copied())
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
    use crate::id::{JobId, RunSource};
    use Admission::{Block, Hold, Replace, Start, Suppress};
    use mainspring_schedule::Timestamp;

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
            (Overlap::CancelRunning, 1, 0, 0, Start),
            (Overlap::CancelRunning, 1, 1, 0, Replace),
            (Overlap::CancelRunning, 1, 1, 1, Replace),
            (Overlap::CancelRunning, 2, 1, 0, Start),
        ] {
            let gate = Gate { active, held };
            assert_eq!(admit(gate, GateRule { overlap, max_active }), expected, "{overlap} {max_active} {gate:?}");
        }
    }

    #[test]
    fn asked_for_runs_wait_instead_of_vanishing() {
        let full = Gate { active: 1, held: 3 };
        for &overlap in Overlap::ALL.iter().filter(|o| **o != Overlap::Allow) {
            let expected = if overlap == Overlap::CancelRunning { Replace } else { Hold };
            assert_eq!(admit_asked(full, GateRule { overlap, max_active: 1 }), expected, "{overlap}");
        }
    }

    #[test]
    fn one_comes_in_and_one_goes() {
        let run = |ms| RunId::new(Timestamp::from_millis(ms), RunSource::Asked(JobId(1), 0));
        for (max_active, active, held, standing, expected, why) in [
            (1, 1, None, vec![run(1)], Some(run(1)), "the one that runs"),
            (1, 1, None, vec![], None, "it is asked to end already"),
            (1, 1, Some(run(2)), vec![], Some(run(2)), "the one that waits, and nobody else"),
            (2, 2, None, vec![run(5), run(4)], Some(run(4)), "the oldest"),
            (2, 2, Some(run(6)), vec![run(5)], Some(run(6)), "the one that waits goes first"),
            (3, 2, None, vec![run(4), run(5)], None, "there is room"),
            (1, 1, Some(run(2)), vec![run(1)], Some(run(2)), "held under another policy before"),
        ] {
            let rule = GateRule { overlap: Overlap::CancelRunning, max_active };
            let gate = Gate { active, held: u32::from(held.is_some()) };
            assert_eq!(to_replace(rule, gate, held, &standing), expected, "{why}");
        }
    }

    #[test]
    fn a_run_starts_once_room_was_made_and_waits_otherwise() {
        let rule = GateRule { overlap: Overlap::CancelRunning, max_active: 1 };
        assert_eq!(admit_replacing(Gate { active: 0, held: 0 }, rule), Start);
        assert_eq!(admit_replacing(Gate { active: 1, held: 0 }, rule), Hold);
        assert_eq!(admit_replacing(Gate { active: 0, held: 1 }, rule), Hold);
    }

    #[test]
    fn freed_slots_go_to_held_runs() {
        let rule = GateRule { overlap: Overlap::QueueOne, max_active: 3 };
        assert_eq!(promotable(Gate { active: 1, held: 1 }, rule), 1);
        assert_eq!(promotable(Gate { active: 1, held: 5 }, rule), 2);
        assert_eq!(promotable(Gate { active: 3, held: 5 }, rule), 0);
    }
}
