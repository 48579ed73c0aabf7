//! Measures how long triggers stand still after the loss of their node, and after the return of the database.

use std::collections::BTreeSet;

use mainspring_core::shard_of;
use mainspring_rig::Run;

use super::Finding;
use super::excuse::{RECOVERY_MS, TAKEOVER_MS, makes_late};
use crate::nemesis::Done;
use crate::plan::Kind;

/// A node that is away for less may come back before anybody takes its shards.
const AWAY_MS: i64 = 9_000;

/// Returns the times from each loss of a node to the first fire of what was due after it, in ascending order.
pub(crate) fn takeovers(faults: &[Done], runs: &[Run]) -> Vec<i64> {
    sorted(faults.iter().filter_map(|fault| takeover(fault, runs)))
}

/// Returns the times from each return of the database to the first fire after it, in ascending order.
pub(crate) fn recoveries(faults: &[Done], runs: &[Run]) -> Vec<i64> {
    sorted(faults.iter().filter_map(|fault| recovery(fault, runs)).map(|(took, _)| took))
}

fn sorted(times: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut times: Vec<i64> = times.collect();
    times.sort_unstable();
    times
}

/// Returns the bars, for faults that were the only ones then. What is late without any fault is allowed beside it.
pub(crate) fn too_late(faults: &[Done], runs: &[Run], calm_ms: i64) -> Vec<Finding> {
    let mut findings = Vec::new();
    for fault in faults {
        let (from, to) = (fault.from, fault.from + 2 * TAKEOVER_MS);
        let beside = |other: &&Done| {
            *other != fault && other.from <= to && other.to + 2 * TAKEOVER_MS >= from && makes_late(other)
        };
        let waited = takeover(fault, runs).map(|took| (took, TAKEOVER_MS)).or_else(|| recovery(fault, runs));
        let Some((took, most)) = waited else { continue };
        if took > most + calm_ms && !faults.iter().any(|other| beside(&other)) {
            let what = format!("{} at {}: it took {took} ms until something fired again", fault.kind, fault.from);
            findings.push(Finding { invariant: "I5", what });
        }
    }
    findings
}

fn takeover(fault: &Done, runs: &[Run]) -> Option<i64> {
    let lost = match fault.kind {
        Kind::Kill => true,
        Kind::Stop | Kind::Unplugged | Kind::Cut | Kind::HalfOpen => fault.to.since(fault.from) >= AWAY_MS,
        _ => false,
    };
    let shards: BTreeSet<u8> = fault.shards.iter().copied().collect();
    let is_its = |run: &&Run| {
        let (namespace, job) = run.job.split_once('/').unwrap_or_default();
        run.trigger.is_some() && run.due_at >= fault.from && shards.contains(&shard_of(namespace, job))
    };
    let first = lost.then(|| runs.iter().filter(is_its).map(|run| run.created_at).min())??;
    Some(first.since(fault.from))
}

/// Returns how long it took, and how long it may take.
fn recovery(fault: &Done, runs: &[Run]) -> Option<(i64, i64)> {
    let most = match fault.kind {
        Kind::DatabaseRestart | Kind::DatabaseCrash => RECOVERY_MS,
        Kind::Promotion => TAKEOVER_MS,
        _ => return None,
    };
    let fired = runs.iter().filter(|run| run.trigger.is_some() && run.created_at >= fault.to);
    Some((fired.map(|run| run.created_at).min()?.since(fault.to), most))
}

#[cfg(test)]
mod tests {
    use mainspring_core::run::RunState;
    use mainspring_core::{RunId, RunSource, Timestamp, TriggerId};

    use super::*;
    use crate::check::excuse::done;

    fn run(job: &str, due: i64, late: i64) -> Run {
        let due_at = Timestamp::from_millis(due);
        Run {
            id: RunId::new(due_at, RunSource::Fire(TriggerId(1))),
            job: format!("default/{job}"),
            trigger: Some(TriggerId(1)),
            fire_time: due_at,
            due_at,
            created_at: due_at + late,
            state: RunState::Succeeded,
            input: None,
            attempts: Vec::new(),
        }
    }

    #[test]
    fn recovery_ends_with_the_first_fire_after_the_database_is_back() {
        let crash = done(Kind::DatabaseCrash, 50_000, 52_000);
        let promoted = Done { kind: Kind::Promotion, ..crash.clone() };
        let runs = |late| [run("before", 49_000, 5), run("its", 51_000, late), run("later", 70_000, 5)];
        assert_eq!(recoveries(&[crash.clone(), done(Kind::Kill, 90_000, 91_000)], &runs(5_000)), [4_000]);
        let late = |fault: &Done, late| too_late(std::slice::from_ref(fault), &runs(late), 1_000).len();
        assert_eq!([late(&crash, 5_000), late(&crash, 5_001)], [0, 1]);
        assert_eq!([late(&promoted, 10_000), late(&promoted, 10_001)], [0, 1]);
    }

    #[test]
    fn takeover_ends_with_the_first_fire_of_what_was_the_nodes() {
        let shards = vec![shard_of("default", "its")];
        let killed = Done { shards, ..done(Kind::Kill, 50_000, 70_000) };
        let runs =
            [run("its", 49_000, 5), run("other", 50_500, 5), run("its", 51_000, 5_000), run("its", 52_000, 4_500)];
        assert_eq!(takeovers(std::slice::from_ref(&killed), &runs), [6_000]);
        assert_eq!(too_late(std::slice::from_ref(&killed), &runs, 1_000), []);
        let late = [run("its", 51_000, 8_001)];
        assert_eq!(too_late(std::slice::from_ref(&killed), &late, 1_000).len(), 1);
        let both = |kind| [killed.clone(), done(kind, 55_000, 56_000)];
        assert_eq!(too_late(&both(Kind::DatabaseCrash), &late, 1_000), []);
        assert_eq!(too_late(&both(Kind::WorkerStopped), &late, 1_000).len(), 1, "nodes do without workers");
        let stopped = |to| Done { kind: Kind::Stop, to: Timestamp::from_millis(to), ..killed.clone() };
        assert_eq!(takeovers(&[stopped(58_000), stopped(60_000)], &runs), [6_000]);
    }
}
