//! The lateness that the faults around a run explain, each by its own bar.

use crate::nemesis::Done;
use crate::plan::Kind;

/// The time from the loss of a node to the first fire of its triggers.
pub(crate) const TAKEOVER_MS: i64 = 8_000;
/// The time from the end of an outage to the first fire, and for a handover between nodes that hear each other.
pub(crate) const RECOVERY_MS: i64 = 3_000;

/// The time from asking a node to end until others fire its triggers.
const HAND_OVER_MS: i64 = 1_000;

/// The time that a node hears only late answers before it leaves: two leases.
const LEAVE_MS: i64 = 10_000;

/// A fault, as far as it makes things late.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Excuse {
    kind: Kind,
    from: i64,
    /// The time from which it makes nothing late that is due.
    to: i64,
    /// The lateness that it explains.
    by_ms: i64,
    /// Whether work may die with it.
    loses_work: bool,
}

/// The faults of a test, in the order of their beginnings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Excuses {
    excuses: Vec<Excuse>,
    allowed: Allowed,
    lost_ms: i64,
}

/// The bounds without any fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Allowed {
    /// The time that a run may be recorded late, and its work begin late: others may use the same machine.
    pub(crate) calm_ms: i64,
    /// The clock error of nodes that take part.
    pub(crate) clock_error_ms: i64,
}

impl Excuses {
    /// Creates the excuses of the faults. A single node has no peer to take over from it. Clocks that are off within
    /// the bounds cost a node nothing.
    pub(crate) fn of(faults: &[Done], alone: bool, allowed: Allowed) -> Self {
        let mut excuses: Vec<Excuse> = faults.iter().flat_map(|fault| excuse(fault, alone)).collect();
        excuses.sort_by_key(|excuse| excuse.from);
        Self { excuses, allowed, lost_ms: 0 }
    }

    /// Adds the time for work that dies and has to be begun again.
    pub(crate) const fn with_work_lost(mut self, by_ms: i64) -> Self {
        self.lost_ms = by_ms;
        self
    }

    /// Returns the time by which a due run must be done: as late as the worst fault around makes it, plus what comes
    /// until that time; at the latest when the last fault is over and recovered from.
    pub(crate) fn deadline(&self, due: i64) -> i64 {
        let Allowed { calm_ms, clock_error_ms } = self.allowed;
        let calm = due + calm_ms + clock_error_ms;
        let since = due - clock_error_ms;
        let until = |to: i64| self.excuses.iter().filter(move |excuse| excuse.from <= to && excuse.to >= since);
        let worst = until(calm).map(|excuse| excuse.by_ms).max().unwrap_or_default();
        let late: i64 = until(calm + worst).map(|excuse| excuse.by_ms).sum();
        let dies = until(calm + late).any(|excuse| excuse.loses_work);
        let over = self.excuses.iter().map(|excuse| excuse.to).max().unwrap_or(calm);
        let settled = calm.max(over + RECOVERY_MS + calm_ms + clock_error_ms);
        settled.min(calm + late) + if dies { self.lost_ms } else { 0 }
    }

    /// Returns the names of the faults between two times.
    pub(crate) fn class(&self, from: i64, to: i64) -> String {
        let around = self.excuses.iter().filter(|excuse| excuse.from <= to && excuse.to >= from);
        let mut kinds: Vec<Kind> = around.map(|excuse| excuse.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        match kinds[..] {
            [] => "none".to_owned(),
            [one] => one.to_string(),
            _ => "several".to_owned(),
        }
    }
}

/// Returns whether a fault excuses anything that is late.
pub(crate) fn makes_late(fault: &Done) -> bool {
    !excuse(fault, false).is_empty()
}

/// Returns the lateness that a fault explains.
fn excuse(fault: &Done, alone: bool) -> Vec<Excuse> {
    let (from, to) = (fault.from.as_millis(), fault.to.as_millis());
    let lasts = to - from;
    let excuse = |to: i64, by_ms: i64, loses_work| Excuse { kind: fault.kind, from, to: to + by_ms, by_ms, loses_work };
    // When its node is back, shards pass to it.
    let back = Excuse { from: to, to: to + RECOVERY_MS, by_ms: RECOVERY_MS, kind: fault.kind, loses_work: false };
    match fault.kind {
        Kind::Kill | Kind::Stop | Kind::RollingRestart if alone => vec![excuse(to, lasts + RECOVERY_MS, true)],
        Kind::Kill => vec![excuse(from, TAKEOVER_MS, true), back],
        Kind::Stop | Kind::Unplugged | Kind::Cut | Kind::CutOneWay | Kind::HalfOpen => {
            vec![excuse(to, TAKEOVER_MS, true)]
        }
        // A node whose renewals arrive, and whose answers come too late, takes leave after a while (H7).
        Kind::Slow => vec![excuse(to, lasts.min(LEAVE_MS) + TAKEOVER_MS, true)],
        // Neither can the node renew its lease, nor the others bury it.
        Kind::LeaseLocked => vec![excuse(to, lasts + TAKEOVER_MS, true)],
        // What workers execute is not asked for its lateness, and nodes do without them.
        Kind::SnapshotHeld | Kind::WorkerKilled | Kind::WorkerStopped | Kind::WorkerCut => vec![],
        Kind::ClockNear => vec![excuse(to, RECOVERY_MS + fault.amount.abs(), false)],
        Kind::ClockFar => vec![excuse(to, TAKEOVER_MS, false)],
        // Runs of a database that is away for long are not heard of, and no node looks dead for it.
        Kind::DatabaseRestart | Kind::DatabaseCrash | Kind::SessionKilled => {
            vec![excuse(to, lasts + RECOVERY_MS, true)]
        }
        // The nodes have to find out that another server answers; where few sessions are left, some do as if it did not.
        Kind::Promotion | Kind::SessionsExhausted => vec![excuse(to, lasts + TAKEOVER_MS, true)],
        Kind::RollingRestart => vec![excuse(to, HAND_OVER_MS, true)],
        Kind::Reset | Kind::SessionsEnded => vec![excuse(to, RECOVERY_MS, true)],
    }
}

/// The bounds of tests of checks, without any fault.
#[cfg(test)]
pub(crate) const CALM: Allowed = Allowed { calm_ms: 1_000, clock_error_ms: 0 };

/// Returns a fault for tests.
#[cfg(test)]
pub(crate) fn done(kind: Kind, from: i64, to: i64) -> Done {
    let (from, to) = (mainspring_core::Timestamp::from_millis(from), mainspring_core::Timestamp::from_millis(to));
    let target = crate::plan::Target::Node(0);
    Done { kind, target, amount: 100, from, to, shards: vec![0], had_effect: true, before: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_due_around_a_fault_may_be_late_by_its_bar_and_no_later() {
        let cases = [
            (Kind::Kill, 50_000, 60_000, 49_000, 50_000 + 1_000 + 7_000),
            (Kind::Kill, 50_000, 60_000, 48_000, 49_000),
            (Kind::Kill, 50_000, 52_000, 50_000, 50_000 + 1_000 + 8_000 + 3_000),
            (Kind::Kill, 50_000, 90_000, 58_000, 58_000 + 1_000 + 8_000),
            (Kind::Kill, 50_000, 90_000, 58_001, 59_001),
            (Kind::Stop, 50_000, 90_000, 70_000, 70_000 + 9_000),
            (Kind::DatabaseCrash, 50_000, 55_000, 51_000, 51_000 + 1_000 + 5_000 + 3_000),
            (Kind::Promotion, 50_000, 52_000, 51_000, 51_000 + 1_000 + 2_000 + 8_000),
            (Kind::SessionsExhausted, 50_000, 60_000, 51_000, 51_000 + 1_000 + 10_000 + 8_000),
            (Kind::SessionKilled, 50_000, 75_000, 51_000, 51_000 + 1_000 + 25_000 + 3_000),
            (Kind::LeaseLocked, 50_000, 70_000, 51_000, 51_000 + 1_000 + 20_000 + 8_000),
            (Kind::SnapshotHeld, 50_000, 70_000, 51_000, 52_000),
            (Kind::Reset, 50_000, 50_000, 51_000, 55_000),
            (Kind::RollingRestart, 50_000, 52_000, 51_000, 51_000 + 1_000 + 1_000),
            (Kind::ClockNear, 50_000, 60_000, 61_000, 61_000 + 1_000 + 3_100),
        ];
        for (kind, from, to, due, expected) in cases {
            let excuses = Excuses::of(&[done(kind, from, to)], false, CALM);
            assert_eq!(excuses.deadline(due), expected, "{kind}, due at {due}");
        }
    }

    #[test]
    fn faults_add_up_and_are_told_apart() {
        let two = [done(Kind::Kill, 50_000, 90_000), done(Kind::Reset, 52_000, 52_000)];
        let excuses = Excuses::of(&two, false, Allowed { clock_error_ms: 10, ..CALM });
        assert_eq!(excuses.deadline(50_500), 50_500 + 1_000 + 10 + 8_000 + 3_000);
        assert_eq!(excuses.clone().with_work_lost(100).deadline(50_500), 62_610);
        assert_eq!(excuses.deadline(62_000), 63_010, "both are over");
        assert_eq!(excuses.class(50_000, 51_000), "node killed");
        assert_eq!(excuses.class(50_000, 53_000), "several");
        assert_eq!(excuses.class(40_000, 41_000), "none");
    }

    #[test]
    fn node_that_is_alone_is_away_for_as_long_as_it_is() {
        let excuses = Excuses::of(&[done(Kind::Kill, 50_000, 56_000)], true, CALM);
        assert_eq!(excuses.deadline(50_100), 50_100 + 1_000 + 6_000 + 3_000);
        assert_eq!(excuses.deadline(66_000), 67_000);
    }

    #[test]
    fn nothing_is_late_for_ever_after_the_last_fault() {
        let slow = done(Kind::Slow, 10_000, 50_000);
        let reset = done(Kind::Reset, 50_000, 50_000);
        let excuses = Excuses::of(std::slice::from_ref(&reset), false, CALM);
        assert_eq!(excuses.deadline(52_900), 56_900);
        let excuses = Excuses::of(&[slow, reset], false, CALM);
        assert_eq!(excuses.deadline(67_000), 68_000 + 4_000);
    }
}
