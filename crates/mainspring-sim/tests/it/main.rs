//! Seeds give the same trace again, hold every invariant, and catch every bug that is planted.

mod executors;
mod histories;

use mainspring_sim::{FAULTS_LEAST, Planted, Report, Setting, World};

fn run(seed: u64, setting: Setting) -> Report {
    World::report_of(seed, setting)
}

#[test]
fn seed_gives_the_same_trace_again_and_another_seed_another() {
    let setting = Setting { faulty_ms: 30_000, ..Setting::default() };
    let (first, again, other) = (run(7, setting), run(7, setting), run(8, setting));
    assert_eq!((first.hash, first.events, first.fires), (again.hash, again.events, again.fires));
    assert_ne!(first.hash, other.hash);
}

#[test]
fn calm_seed_is_in_time_and_breaks_nothing() {
    let report = run(3, Setting { faulty_ms: 30_000, faults: false, ..Setting::default() });
    assert_eq!(report.violations, []);
    assert!(
        report.fires > 500 && report.worst_in_calm_ms < 250,
        "{} fires, {} ms late",
        report.fires,
        report.worst_in_calm_ms
    );
}

/// Bugs with the seed and the invariant that catch each, all of them within the first five hundred.
const CAUGHT: [(Planted, u64, &str); 26] = [
    (Planted::DispatchBeforeCommit, 1, "I8"),
    (Planted::AdvanceWithoutInsert, 0, "I1"),
    (Planted::FenceByExists, 225, "I6"),
    (Planted::NoVersion, 5, "I14"),
    (Planted::EpochOnly, 0, "I6"),
    (Planted::TimestampLease, 13, "I8"),
    (Planted::RetryBySelect, 2, "I6"),
    (Planted::NoAttemptCheck, 4, "I7"),
    (Planted::HastyMisfire, 0, "I3"),
    (Planted::CountersKept, 1, "I12"),
    (Planted::JoinWithoutTurn, 1, "I12"),
    (Planted::CursorPolling, 49, "I11"),
    (Planted::LostJournal, 8, "I10"),
    (Planted::StaleTimers, 3, "I11"),
    (Planted::OverlapOutside, 0, "I9"),
    (Planted::SleepingClock, 10, "I9"),
    (Planted::HostName, 1, "I8"),
    (Planted::HalfCommit, 0, "I1"),
    (Planted::PoisonBlocks, 0, "I11"),
    (Planted::Rewritten, 11, "I10"),
    (Planted::UnfencedItems, 3, "I19"),
    (Planted::SettledEarly, 3, "I18"),
    (Planted::TerminatedKept, 0, "I19"),
    (Planted::EndsSwallowed, 19, "I12"),
    (Planted::CallsForgotten, 163, "I12"),
    (Planted::NeedsNotLooked, 40, "I12"),
];

#[test]
fn planted_bugs_are_caught_by_an_invariant() {
    for (bug, seed, invariant) in CAUGHT {
        let found = run(seed, Setting { planted: Some(bug), ..Setting::default() }).violations;
        assert_eq!(found.first().map(|found| found.invariant), Some(invariant), "{bug:?}");
        assert_eq!(run(seed, Setting::default()).violations, [], "{bug:?} is not what breaks seed {seed}");
    }
}

#[test]
fn faults_go_on_until_a_seed_is_worth_something() {
    // 19 faults had an effect in the usual time.
    let report = run(55045, Setting::default());
    assert!(report.faults.total() >= FAULTS_LEAST, "{} faults", report.faults.total());
    assert_eq!(report.violations, []);
}

#[test]
fn flow_of_a_seed_gives_the_same_trace_again() {
    let setting = Setting { only_flows: true, ..Setting::default() };
    let (first, again, other) = (run(1, setting), run(1, setting), run(2, setting));
    assert_eq!((first.hash, first.turns), (again.hash, again.turns));
    assert_ne!(first.hash, other.hash);
    assert!(first.turns > 100 && first.faults.total() > 0, "{} bodies, {} faults", first.turns, first.faults.total());
}

#[test]
fn workflows_of_a_seed_give_the_same_trace_again() {
    let setting = Setting { only_workflows: true, ..Setting::default() };
    let (first, again, other) = (run(1, setting), run(1, setting), run(2, setting));
    assert_eq!((first.hash, first.tasks), (again.hash, again.tasks));
    assert_ne!(first.hash, other.hash);
    assert!(first.tasks > 50 && first.faults.total() > 0, "{} tasks, {} faults", first.tasks, first.faults.total());
}

/// The same of flows.
#[test]
fn flows_of_seeds_that_found_something_pass() {
    for (seed, what) in [
        (0, "the net below the wakes took a second slot, which waited beside one item, for one that missed its wake"),
        (7, "nobody made room in a circle of which one component had no items, or waited for a time of its calendar"),
        (37, "the same"),
        (104, "the same"),
        (165, "the same"),
        (191, "the same"),
        (193, "the same"),
    ] {
        let report = run(seed, Setting { only_flows: true, ..Setting::default() });
        assert_eq!(report.violations, [], "seed {seed}: {what}");
    }
}

/// Seeds that once found a bug of the product: each has to pass for good.
#[test]
fn seeds_that_found_something_pass() {
    for (seed, what) in [
        (6, "a claim whose answer was lost left runs that nobody executed"),
        (102, "an adoption whose answer was lost left runs that nobody ended"),
        (28, "a verdict whose answer was lost left triggers waiting for its slot for ever"),
        (27, "changes whose answer was lost left triggers waiting for a slot for ever"),
        (116, "a clock that was set back put the checks of a node off for as long"),
        (667, "a clock that was behind let go of triggers whose place in the due index had been passed"),
        (788, "the same, of more triggers"),
        (1636, "a clock that had been ahead left places behind that nobody came by"),
        (259, "the simulator's own: a failover took back the pause that had kept a fire from happening"),
        (235, "a claim that was carried out late left runs with a worker that nobody had told of them"),
        (69, "the same, of runs whose ends a failover had taken back"),
        (156, "runs that a worker was never told of"),
        (190, "the same"),
        (11550, "a node that heard old words of a worker claimed runs for it, and the node that it talked to went on"),
        (
            317,
            "a node let go of a trigger whose place in the due index a clock that was ahead had left behind it, as it let instants pass",
        ),
        (
            2981,
            "the simulator's own: a change that was under way made something else of a job, once a failover had taken back what it came after",
        ),
        (3770, "the same"),
        (5691, "the simulator's own: all nodes had been asked to drain, and so nothing fired"),
        (7073, "the same"),
        (25, "the check of the window counted as missed what a batch held that was under way"),
        (
            98,
            "a node whose clock was ahead left a trigger's place in the due index behind, and the next owner did not know",
        ),
        (323, "the same as in seed 25"),
        (29897, "a look for changes that was carried out late took what its node never heard of"),
        (5871, "the check of the window counted as missed what had changed while it was read"),
        (843, "a worker that had heard from a report that it was taken for dead went on under its old id"),
    ] {
        assert_eq!(run(seed, Setting::default()).violations, [], "seed {seed}: {what}");
    }
}
