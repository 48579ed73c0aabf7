//! A good history is accepted, and every way to spoil it is found.

use mainspring_core::batch::{Gap as Range, GapOutcome, GapReason};
use mainspring_core::run::{AttemptOutcome, RunState};
use mainspring_core::{RunId, RunSource, Timestamp, TriggerId};

use super::{Bounds, Kind, check};
use crate::history::{Attempt, Gap, History, Promise, Run, every};
use crate::witness::{Mark, Moment};

const TICK: TriggerId = TriggerId(1);

/// Seconds into the history.
fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(1_767_225_600_000) + seconds * 1_000
}

/// Fires at 1, 2, 3, 6 and 9 s; suppresses 4 and 5 s, misses 7 and 8 s a minute later. The run of 3 s is lost and tried again.
fn good() -> History {
    let promise = Promise {
        trigger: TICK,
        name: "default/tick/every".into(),
        instants: every(1_000, at(0), at(9), None),
        must: vec![(at(1), at(9))],
        may: vec![(at(0), at(0))],
        suppresses: true,
        threshold_ms: 60_000,
        through: at(9),
    };
    let gap = |recorded, first, last, outcome, reason| Gap {
        trigger: TICK,
        at: recorded,
        range: Range { first, last, count: 2, outcome, reason, policy: "smart".into() },
    };
    let mut history = History {
        promises: vec![promise],
        gaps: vec![
            gap(at(5), at(4), at(5), GapOutcome::Suppressed, GapReason::Overlap),
            gap(at(70), at(7), at(8), GapOutcome::Missed, GapReason::Misfire),
        ],
        alone: ["default/tick".to_owned()].into(),
        read_at: at(200),
        ..History::default()
    };
    for instant in [1, 2, 3, 6, 9] {
        fire(&mut history, instant);
    }
    let lost = &mut history.runs[2];
    lost.attempts[0].outcome = Some(AttemptOutcome::Lost);
    lost.attempts.push(attempt(2, at(3) + 600));
    let run = lost.id;
    history.marks.retain(|mark| mark.run != run || mark.moment == Moment::Start);
    history.marks.extend(work(run, 2, at(3), at(3) + 600));
    history
}

/// A run with its work, which takes half a second.
fn fire(history: &mut History, instant: i64) {
    let fire_time = at(instant);
    let id = RunId::new(fire_time, RunSource::Fire(TICK));
    history.runs.push(Run {
        id,
        job: "default/tick".into(),
        trigger: Some(TICK),
        fire_time,
        due_at: fire_time,
        created_at: fire_time + 1,
        state: RunState::Succeeded,
        input: None,
        attempts: vec![attempt(1, fire_time)],
    });
    history.marks.extend(work(id, 1, fire_time, fire_time));
}

fn attempt(number: u32, begun: Timestamp) -> Attempt {
    Attempt {
        number,
        claimed_at: Some(begun),
        started_at: Some(begun + 1),
        ended_at: Some(begun + 500),
        outcome: Some(AttemptOutcome::Succeeded),
    }
}

fn work(run: RunId, attempt: u32, fire_time: Timestamp, begun: Timestamp) -> [Mark; 2] {
    let mark = |moment, at| Mark { moment, job: "default/tick".into(), run, attempt, pid: 7, fire_time, at };
    [mark(Moment::Start, begun + 2), mark(Moment::End, begun + 499)]
}

/// The instants of two schedules are possible while one takes the other's place, and a gap is of one of them.
#[test]
fn gap_of_a_change_under_way_may_leave_out_instants_that_are_not_certain() {
    let mut history = good();
    history.gaps[1].range.count = 1;
    assert_eq!(check(&history, Bounds::default()).problems.len(), 1, "they are certain");
    history.promises[0].must = vec![(at(1), at(7)), (at(9), at(9))];
    assert_eq!(check(&history, Bounds::default()).problems.len(), 1, "nothing was promised then");
    history.promises[0].may.push((at(8), at(8)));
    assert_eq!(check(&history, Bounds::default()).problems, []);
}

#[test]
fn good_history_is_accepted_and_counted() {
    let report = check(&good(), Bounds::default());
    assert_eq!(report.problems, []);
    assert_eq!((report.instants, report.fired, report.missed, report.suppressed), (9, 5, 2, 2));
    assert_eq!((report.starts, report.lost_attempts, report.latest_ms), (6, 1, 1));
}

#[test]
fn every_bad_history_is_rejected_for_what_is_wrong_with_it() {
    type Spoil = fn(&mut History);
    let cases: [(&str, Kind, Spoil); 30] = [
        ("an instant was lost", Kind::Lost, |h| {
            h.gaps.remove(0);
        }),
        ("the last instant was lost", Kind::Lost, |h| {
            let run = h.runs.pop().unwrap().id;
            h.marks.retain(|mark| mark.run != run);
        }),
        ("fired twice", Kind::Duplicate, |h| h.runs.push(h.runs[0].clone())),
        ("twice by the database's count", Kind::Duplicate, |h| h.doubled.push(TICK)),
        ("fired and missed", Kind::Duplicate, |h| fire(h, 7)),
        ("missed and suppressed", Kind::Duplicate, |h| h.gaps.push(Gap { at: at(70), ..h.gaps[0].clone() })),
        ("fired between two instants", Kind::Phantom, |h| h.runs[0].fire_time = at(1) + 1),
        ("fired while it was paused", Kind::Phantom, |h| h.promises[0].must = vec![(at(2), at(9))]),
        ("fired for a trigger that nobody made", Kind::Phantom, |h| h.promises.clear()),
        ("a gap that counts wrongly", Kind::Phantom, |h| h.gaps[0].range.count = 3),
        ("missed too soon", Kind::Unlawful, |h| h.gaps[1].at = at(60)),
        ("suppressed without a limit", Kind::Unlawful, |h| h.promises[0].suppresses = false),
        ("missed for a pause without one", Kind::Unlawful, |h| h.gaps[1].range.reason = GapReason::Paused),
        ("missed for a change without one", Kind::Unlawful, |h| h.gaps[1].range.reason = GapReason::Changed),
        ("early by its record", Kind::Early, |h| h.runs[0].attempts[0].started_at = Some(at(1) + -3)),
        ("early by the witness", Kind::Early, |h| h.marks[0].at = at(1) + -3),
        ("an attempt is missing", Kind::Attempts, |h| {
            h.runs[2].attempts.remove(0);
        }),
        ("an attempt twice", Kind::Attempts, |h| h.runs[2].attempts[1].number = 1),
        ("attempts overlap", Kind::Attempts, |h| h.runs[2].attempts[1].claimed_at = Some(at(3) + 400)),
        ("a further attempt, but no end of the first", Kind::Attempts, |h| h.runs[2].attempts[0].outcome = None),
        ("work without a record", Kind::StartWithoutRecord, |h| {
            let run = RunId::new(at(4), RunSource::Fire(TICK));
            h.marks.extend(work(run, 1, at(4), at(4)));
        }),
        ("work of an attempt that nobody claimed", Kind::StartWithoutRecord, |h| {
            h.runs[0].attempts.clear();
            h.runs[0].state = RunState::Queued;
        }),
        ("work was told another fire time", Kind::StartWithoutRecord, |h| h.marks[0].fire_time = at(2)),
        ("two starts of an attempt", Kind::StartedTwice, |h| {
            let again = Mark { pid: 8, ..h.marks[0].clone() };
            h.marks.push(again);
        }),
        ("succeeded without work", Kind::VerdictWithoutWork, |h| {
            let run = h.runs[0].id;
            h.marks.retain(|mark| mark.run != run);
        }),
        ("succeeded before the work was done", Kind::VerdictWithoutWork, |h| {
            let run = h.runs[0].id;
            h.marks.retain(|mark| mark.run != run || mark.moment == Moment::Start);
        }),
        ("done without a verdict", Kind::WorkWithoutVerdict, |h| {
            h.runs[0].attempts[0].outcome = None;
            h.runs[0].state = RunState::Running;
        }),
        ("two runs overlap", Kind::Overlap, |h| {
            let run = h.runs[0].id;
            let end = h.marks.iter_mut().find(|mark| mark.run == run && mark.moment == Moment::End);
            end.unwrap().at = at(2) + 3;
        }),
        ("two runs overlap, the first without an end of its own", Kind::Overlap, |h| {
            let run = h.runs[2].id;
            h.runs[2].attempts[0].ended_at = Some(at(3) + 700);
            h.marks.retain(|mark| mark.run != run || mark.moment == Moment::Start);
        }),
        ("a run without an end", Kind::Unfinished, |h| {
            h.runs[0].state = RunState::Queued;
            h.read_at = at(62);
        }),
    ];
    for (what, expected, spoil) in cases {
        let mut history = good();
        spoil(&mut history);
        let found: Vec<Kind> = check(&history, Bounds::default()).problems.iter().map(|problem| problem.kind).collect();
        assert!(found.contains(&expected), "{what}: {found:?}");
    }
}

/// What a fault allows is allowed, and no more.
#[test]
fn bounds_are_kept_to_the_millisecond() {
    let mut early = good();
    early.marks[0].at = at(1) + -10;
    let mut overlapping = good();
    overlapping.marks[1].at = at(2) + 12;
    let mut unfinished = good();
    unfinished.runs[4].state = RunState::Queued;
    let strict = Bounds::default();
    let cases = [
        (early, Bounds { early_ms: 10, ..strict }, Bounds { early_ms: 9, ..strict }),
        (overlapping, Bounds { overlap_ms: 10, ..strict }, Bounds { overlap_ms: 9, ..strict }),
        (unfinished, Bounds { patience_ms: 191_000, ..strict }, Bounds { patience_ms: 190_999, ..strict }),
    ];
    for (history, enough, too_little) in cases {
        assert_eq!(check(&history, enough).problems, []);
        assert_eq!(check(&history, too_little).problems.len(), 1, "{history:?}");
    }
}

/// What was witnessed after the reading had begun may have a record that was not read.
#[test]
fn work_that_began_after_the_reading_is_not_judged() {
    let mut history = good();
    let run = RunId::new(at(201), RunSource::Fire(TICK));
    history.marks.extend(work(run, 1, at(201), at(201)));
    assert_eq!(check(&history, Bounds::default()).problems, []);
}

/// Instants after the last that was asked for are not judged: they may be recorded or not.
#[test]
fn history_is_judged_up_to_an_instant() {
    let mut history = good();
    fire(&mut history, 10);
    assert_eq!(check(&history, Bounds::default()).problems, []);
}
