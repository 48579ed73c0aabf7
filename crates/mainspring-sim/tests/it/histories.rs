//! Hand-made histories: one that is as it should be, and for each invariant some that are not.

use std::collections::BTreeMap;

use mainspring_core::batch::{Gap, GapOutcome, GapReason};
use mainspring_core::run::{AttemptOutcome, RunState};
use mainspring_core::{BatchId, Incarnation, JobId, RunId, RunSource, Timestamp, TriggerId};
use mainspring_sim::check::INVARIANTS;
use mainspring_sim::history::{
    AskedRun, Burial, Claim, Correction, Fault, Fire, GapRow, GaveUp, History, JobFacts, Joined, Operation, Outcome,
    Remains, Schedule, Seen, State, Stopped, Tally, Told, Verdict, WORKERS_FROM, Waiting, Witness,
};

const T0: i64 = 1_767_225_600_000;
const ME: Incarnation = Incarnation(7);
const HEIR: Incarnation = Incarnation(8);
const TRIGGER: TriggerId = TriggerId(5);
/// A machine that does nothing but work.
const FAR: usize = WORKERS_FROM + 1;

const fn passed_over(at: i64) -> Correction {
    Correction { trigger: TRIGGER, at, unheard: false }
}

fn run_at(instant: i64) -> RunId {
    RunId::new(Timestamp::from_millis(instant), RunSource::Fire(TRIGGER))
}

fn fire(order: u64, instant: i64) -> Fire {
    Fire {
        order,
        trigger: TRIGGER,
        instant,
        run: run_at(instant),
        at: instant + 2,
        decided: instant,
        due: instant,
        batch: BatchId { incarnation: ME, sequence: order },
        fence: order,
        shard: 3,
        lease: Some((ME, 1, 77)),
        lawful: true,
    }
}

/// A run that waits for a worker.
fn waiting(since: i64) -> Waiting {
    Waiting { run: run_at(T0), since, goes_out: true }
}

fn gap(first: i64, last: i64, reason: GapReason) -> GapRow {
    let count = Schedule { first: T0, step: 10_000 }.count(first, last);
    let (first, last) = (Timestamp::from_millis(first), Timestamp::from_millis(last));
    let outcome = if reason == GapReason::Overlap { GapOutcome::Suppressed } else { GapOutcome::Missed };
    let gap = Gap { first, last, count, outcome, reason, policy: "smart".into() };
    let at = last.as_millis() + 61_000;
    GapRow { order: 90, trigger: TRIGGER, at, decided: at, gap, fires_beside: 0, first_beside: None }
}

/// A job that fires every ten seconds, eleven times, each run claimed at once, done within a second, and seen.
fn good() -> History {
    let mut history = History { misfire_threshold_ms: 60_000, catch_up_max: 100, ..History::default() };
    let facts =
        JobFacts { exclusive: true, suppresses: false, misses: true, waits: false, attempts_max: 2, unlimited: true };
    let schedule = Schedule { first: T0, step: 10_000 };
    let active = State::Active(vec![Some(schedule)]);
    history.jobs.insert(0, facts);
    history.job_ids.insert(JobId(1), 0);
    history.triggers.insert(TRIGGER, (0, 0));
    history.operations.push(Operation {
        job: 0,
        brings: active.clone(),
        invoked: T0 - 10,
        outcome: Outcome::Ok(T0 - 5),
        counts_from: T0 - 7,
        taken_back: false,
    });
    for (order, instant) in (1..).zip(schedule.instants(T0, T0 + 100_000)) {
        let (run, attempt) = (run_at(instant), 1);
        let made = fire(2 * order, instant);
        history.fires.push(made);
        history.claims.push(Claim { order: made.order, run, attempt, by: ME, at: made.at });
        let (start, end) = (instant + 3, Some(instant + 900));
        history.witnesses.push(Witness { run, job: JobId(1), attempt, node: 0, start, end, whole: true });
        let (outcome, at) = (AttemptOutcome::Succeeded, instant + 905);
        history.verdicts.push(Verdict { order: made.order + 1, run, attempt, outcome, at });
        history.seen.push(Seen { at, run, state: RunState::Succeeded, taken_back: false });
    }
    history.asked.push(AskedRun { key: 1, acknowledged: Some(T0), made: vec![run_at(T0 + 1)], taken_back: false });
    let tally = Tally { fired: 11, first: T0, last: T0 + 100_000, ..Tally::default() };
    history.remains = Remains {
        at: T0 + 105_000,
        jobs: BTreeMap::from([(0, active)]),
        tallies: BTreeMap::from([(TRIGGER, tally)]),
        ..Remains::default()
    };
    history
}

fn operation(brings: State, invoked: i64) -> Operation {
    Operation { job: 0, brings, invoked, outcome: Outcome::Ok(invoked + 5), counts_from: invoked, taken_back: false }
}

/// Asserts that an invariant, and perhaps others, rejects a history; and that it accepts the good one.
fn rejects(name: &str, bad: &[fn(&mut History)]) {
    let (_, _, check) =
        INVARIANTS.iter().find(|(invariant, ..)| *invariant == name).expect("there is one of that name");
    assert_eq!(check(&good()), []);
    for (index, spoil) in bad.iter().enumerate() {
        let mut history = good();
        spoil(&mut history);
        assert!(!check(&history).is_empty(), "{name} accepts history {index}");
    }
}

#[test]
fn good_history_is_accepted_whole() {
    assert_eq!(mainspring_sim::check::all(&good()), []);
}

#[test]
fn loss_is_rejected() {
    rejects(
        "I1",
        &[
            |history| _ = history.fires.remove(4),
            |history| history.fires.truncate(9),
            |history| history.gaps.push(gap(T0 + 20_000, T0 + 40_000, GapReason::Misfire)),
        ],
    );
}

#[test]
fn duplicates_and_phantoms_are_rejected() {
    rejects(
        "I2",
        &[
            |history| history.fires.push(Fire { order: 99, ..history.fires[3] }),
            |history| history.fires[3].instant += 1,
            |history| history.fires[3].trigger = TriggerId(6),
            |history| {
                history.operations.push(operation(State::Absent, T0 + 45_000));
                history.remains.jobs.insert(0, State::Absent);
            },
        ],
    );
}

#[test]
fn unlawful_misses_are_rejected() {
    rejects(
        "I3",
        &[
            |history| {
                let hasty = gap(T0 + 20_000, T0 + 20_000, GapReason::Misfire);
                history.gaps.push(GapRow { decided: T0 + 50_000, ..hasty });
            },
            |history| {
                history.gaps.push(gap(T0 + 20_000, T0 + 40_000, GapReason::Misfire));
                history.jobs.get_mut(&0).expect("there").misses = false;
            },
            |history| history.gaps.push(gap(T0 + 20_000, T0 + 40_000, GapReason::CatchUpCap)),
            |history| history.gaps.push(gap(T0 + 20_000, T0 + 20_000, GapReason::Overlap)),
        ],
    );
}

#[test]
fn early_fires_are_rejected() {
    rejects("I4", &[|history| history.fires[2].decided -= 1, |history| history.witnesses[2].start -= 10]);
}

#[test]
fn late_starts_are_rejected_unless_a_fault_explains_them() {
    rejects(
        "I5",
        &[
            |history| history.witnesses[5].start += 300,
            |history| {
                history.witnesses[5].start += 20_000;
                let (from, to) = (T0 + 49_000, T0 + 52_000);
                history.faults.push(Fault { kind: "crash", node: Some(0), from, to, recovery_ms: 8_000 });
            },
        ],
    );
    let mut explained = good();
    explained.witnesses[5].start += 9_000;
    let (from, to) = (T0 + 49_000, T0 + 52_000);
    explained.faults.push(Fault { kind: "crash", node: Some(0), from, to, recovery_ms: 8_000 });
    assert_eq!(INVARIANTS[4].2(&explained), []);
}

#[test]
fn fires_beside_the_fence_are_rejected() {
    rejects(
        "I6",
        &[
            |history| history.fires[4].fence = 1,
            |history| history.fires[4].lease = None,
            |history| history.fires[4].lease = Some((HEIR, 2, 78)),
            |history| {
                // The heir has fired, and then the one before it once more.
                history.fires[4].lease = Some((HEIR, 2, 78));
                history.fires[4].batch.incarnation = HEIR;
            },
            |history| history.fires[4].lease = Some((ME, 0, 77)),
        ],
    );
}

#[test]
fn attempts_out_of_order_are_rejected() {
    rejects(
        "I7",
        &[
            |history| history.claims.push(Claim { order: 98, ..history.claims[0] }),
            |history| history.claims[3].attempt = 2,
            |history| history.verdicts.push(Verdict { order: 98, ..history.verdicts[0] }),
            |history| _ = history.claims.remove(3),
            |history| {
                history.verdicts.remove(3);
                history.claims.push(Claim { order: 98, attempt: 2, ..history.claims[3] });
            },
            |history| {
                for attempt in 2..4 {
                    let order = 90 + u64::from(attempt);
                    history.claims.push(Claim { order, attempt, ..history.claims[3] });
                    history.verdicts.push(Verdict { order: order + 10, attempt, ..history.verdicts[3] });
                }
            },
        ],
    );
}

#[test]
fn work_that_the_records_do_not_know_is_rejected() {
    rejects(
        "I8",
        &[
            |history| history.witnesses.push(history.witnesses[2]),
            |history| _ = history.claims.remove(2),
            |history| history.claims[2].at += 1_000,
            |history| _ = history.verdicts.remove(2),
            |history| history.witnesses[2].whole = false,
            // Answered half a second ago.
            |history| history.gave_up.push(GaveUp { machine: FAR, at: T0 + 30_500, heard: T0 + 30_000 }),
        ],
    );
    let mut silent = good();
    silent.gave_up.push(GaveUp { machine: FAR, at: T0 + 36_500, heard: T0 + 30_000 });
    assert_eq!(mainspring_sim::check::all(&silent), []);
    // A failover long before may have taken the claim back, and its node have slept meanwhile.
    let mut slept = good();
    slept.failovers.push(T0 - 100_000);
    slept.claims.remove(2);
    slept.verdicts.remove(2);
    assert_ne!(INVARIANTS[7].2(&slept), []);
    slept.lost_claims.insert((slept.witnesses[2].run, 1));
    assert_eq!(INVARIANTS[7].2(&slept), []);
    // Once it is claimed anew, somebody has to hear how it ended.
    slept.claims.insert(2, good().claims.remove(2));
    assert_ne!(INVARIANTS[7].2(&slept), []);
}

#[test]
fn overlapping_runs_are_rejected() {
    rejects(
        "I9",
        &[
            |history| history.witnesses[2].end = Some(T0 + 31_000),
            |history| {
                // Longer than a worker that was stopped takes to notice.
                (history.witnesses[2].end, history.witnesses[3].end) = (Some(T0 + 36_000), Some(T0 + 37_000));
                let (from, to) = (T0 + 25_000, T0 + 31_000);
                history.faults.push(Fault { kind: "pause", node: Some(0), from, to, recovery_ms: 0 });
            },
            second_attempt_too_early,
            |history| {
                second_attempt_too_early(history);
                // It may run together with what a stopped worker has not noticed yet, for two seconds and no more.
                let (from, to) = (T0 + 20_000, T0 + 20_100);
                history.witnesses[2].end = Some(T0 + 22_500);
                history.witnesses.last_mut().expect("pushed").end = Some(T0 + 22_600);
                history.faults.push(Fault { kind: "worker pause", node: Some(0), from, to, recovery_ms: 0 });
            },
        ],
    );
    let mut stopped = good();
    second_attempt_too_early(&mut stopped);
    let (from, to) = (T0 + 20_000, T0 + 20_100);
    stopped.faults.push(Fault { kind: "worker pause", node: Some(0), from, to, recovery_ms: 0 });
    assert_eq!(INVARIANTS[8].2(&stopped), []);
}

/// A job without a limit, whose run is tried again while its first attempt goes on.
fn second_attempt_too_early(history: &mut History) {
    history.jobs.get_mut(&0).expect("there").exclusive = false;
    let first = history.witnesses[2];
    history.witnesses.push(Witness { attempt: 2, start: first.start + 500, end: Some(first.start + 1_500), ..first });
}

/// The end of the third run, as a worker of another machine has said it, and its machine joins again later.
fn said(history: &mut History, outcome: AttemptOutcome) {
    let Verdict { run, attempt, at, .. } = history.verdicts[2];
    history.told.push(Told { run, attempt, outcome, worker: HEIR, machine: FAR, at: at - 3 });
    history.joined.extend([T0, at + 1_000].map(|at| Joined { machine: FAR, at }));
}

fn buried(history: &mut History, at: i64) {
    history.burials.push(Burial { order: 98, worker: HEIR, at });
}

#[test]
fn verdicts_that_change_are_rejected() {
    rejects(
        "I10",
        &[
            |history| history.seen.push(Seen { state: RunState::Failed, ..history.seen[2] }),
            |history| said(history, AttemptOutcome::Failed),
            |history| {
                // Taken for dead only after the verdict.
                said(history, AttemptOutcome::Failed);
                buried(history, history.verdicts[2].at + 100);
            },
            |history| {
                // It has begun again, and does not remember; nobody has taken it for dead before.
                said(history, AttemptOutcome::Failed);
                history.verdicts[2].at += 5_000;
                buried(history, history.verdicts[2].at - 1_000);
            },
        ],
    );
    for lawful in [
        |history: &mut History| said(history, AttemptOutcome::Succeeded),
        |history: &mut History| {
            said(history, AttemptOutcome::Failed);
            buried(history, history.verdicts[2].at - 1);
        },
        |history: &mut History| {
            // A failover took its claim back, and another worker was given the same attempt.
            said(history, AttemptOutcome::Failed);
            history.lost_claims.insert((history.verdicts[2].run, history.verdicts[2].attempt));
        },
    ] {
        let mut history = good();
        lawful(&mut history);
        assert_eq!(INVARIANTS[9].2(&history), []);
    }
}

#[test]
fn what_does_not_go_on_is_rejected() {
    rejects(
        "I11",
        &[
            |history| history.remains.overdue.push((TRIGGER, T0 + 90_000)),
            |history| history.remains.queued.push(waiting(history.remains.at - 3_001)),
            |history| {
                // Workers have no room, and this one is for nodes.
                history.no_room = vec![(T0, history.remains.at)];
                history.remains.queued.push(Waiting { goes_out: false, ..waiting(history.remains.at - 3_001) });
            },
            |history| {
                let at = history.remains.at;
                history.no_room = vec![(T0, at - 8_000), (at - 4_000, at)];
                history.remains.queued.push(waiting(at - 20_000));
            },
            |history| history.remains.abandoned.push(run_at(T0)),
            |history| history.remains.unjoined = 1,
            |history| history.remains.ownerless = 1,
            |history| history.remains.broken.push(TRIGGER),
            |history| history.remains.leftovers = 1,
            |history| history.corrections.push(passed_over(T0 + 9_000)),
            |history| {
                history.witnesses[2].end = Some(T0 + 29_000);
                history.stopped.push(Stopped { order: 97, run: history.witnesses[2].run, at: T0 + 20_500 });
            },
        ],
    );
    let mut explained = good();
    explained.corrections.push(Correction { unheard: true, ..passed_over(T0 + 9_000) });
    assert_eq!(INVARIANTS[10].2(&explained), [], "an answer was lost");
    let mut full = good();
    let at = full.remains.at;
    full.no_room = vec![(T0, at - 8_000), (at - 5_500, at - 2_000)];
    full.remains.queued.push(waiting(at - 20_000));
    assert_eq!(INVARIANTS[10].2(&full), [], "nobody has had room for long");
    full.no_room.remove(0);
    assert_ne!(INVARIANTS[10].2(&full), []);
    full.calm_from = at - 8_000;
    assert_eq!(INVARIANTS[10].2(&full), [], "nobody has had room since the faults were over");
    let mut stopped = good();
    stopped.stopped.push(Stopped { order: 97, run: stopped.witnesses[2].run, at: T0 + 20_500 });
    assert_eq!(INVARIANTS[10].2(&stopped), []);
}

#[test]
fn acknowledgements_that_did_not_hold_are_rejected() {
    rejects(
        "I13",
        &[
            |history| _ = history.remains.jobs.insert(0, State::Paused),
            |history| history.operations.push(operation(State::Paused, T0 + 102_000)),
            |history| history.asked[0].made.push(run_at(T0 + 2)),
            |history| history.asked[0].made.clear(),
        ],
    );
    let mut unknown = good();
    unknown.operations.push(Operation { outcome: Outcome::Unknown, ..operation(State::Paused, T0 + 102_000) });
    assert_eq!(mainspring_sim::check::all(&unknown), [], "it may have been carried out, or not");
}

#[test]
fn fires_of_what_rests_are_rejected() {
    rejects(
        "I14",
        &[
            |history| history.fires[4].lawful = false,
            |history| history.operations.push(operation(State::Paused, T0 + 45_000)),
            |history| history.operations.push(operation(State::Absent, T0 + 45_000)),
        ],
    );
}

#[test]
fn counts_that_do_not_fit_are_rejected() {
    rejects(
        "I15",
        &[
            |history| history.remains.tallies.get_mut(&TRIGGER).expect("there").fired -= 1,
            |history| history.remains.tallies.get_mut(&TRIGGER).expect("there").missed += 1,
        ],
    );
}
