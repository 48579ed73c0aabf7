//! Derives the promises of a trigger from the requests about its job and their results, without asking the engine.

use mainspring_core::compile::Defaults;
use mainspring_core::{Timestamp, TriggerId};
use mainspring_rig::Promise;
use mainspring_sim::history::{Operation, Outcome, Schedule, State};

use super::excuse::Excuses;

/// A schedule, and from when to when it may have been the trigger's.
type Possible = (Schedule, i64, i64);

/// Returns the promises of a job's only trigger through `through`. Requests are in order; a node whose clock is further
/// off than `clock_error_ms` heard none of them.
pub(crate) fn promise(
    (trigger, name): (TriggerId, &str),
    suppresses: bool,
    operations: &[&Operation],
    excuses: &Excuses,
    clock_error_ms: i64,
    through: i64,
) -> Promise {
    let (mut must, mut may) = (Vec::new(), Vec::new());
    let mut possible: Vec<Possible> = Vec::new();
    // The state that is certain, and since when.
    let mut now: Option<(i64, &State)> = Some((i64::MIN, &State::Absent));
    for operation in operations {
        let asked = operation.invoked - clock_error_ms;
        if let Some((from, State::Active(schedules))) = now {
            must.extend(certain(schedules, from, asked, asked, excuses));
            may.push((from, asked));
        }
        now = match operation.outcome {
            // What was refused changed nothing; what it might have done meanwhile is not asked.
            Outcome::Refused => now.map(|(from, state)| (from.max(operation.invoked), state)),
            Outcome::Ok(at) => {
                may.push((asked, at + clock_error_ms));
                end(&mut possible, &operation.brings, at + clock_error_ms);
                begin(&mut possible, &operation.brings, asked);
                Some((at + clock_error_ms, &operation.brings))
            }
            Outcome::Unknown => {
                may.push((asked, through));
                begin(&mut possible, &operation.brings, asked);
                None
            }
        };
    }
    if let Some((from, State::Active(schedules))) = now {
        must.extend(certain(schedules, from, through, through, excuses));
        may.push((from, through));
    }
    let within = |(schedule, from, to): &Possible| schedule.instants(*from, through.min(*to));
    let mut instants: Vec<Timestamp> = possible.iter().flat_map(within).map(Timestamp::from_millis).collect();
    instants.sort_unstable();
    instants.dedup();
    let times = |ranges: Vec<(i64, i64)>| {
        ranges.into_iter().map(|(from, to)| (Timestamp::from_millis(from), Timestamp::from_millis(to))).collect()
    };
    Promise {
        trigger,
        name: name.to_owned(),
        instants,
        must: times(must),
        may: times(may),
        suppresses,
        threshold_ms: Defaults::default().misfire_threshold_ms,
        through: Timestamp::from_millis(through),
    }
}

/// Ends the possible schedules: another one replaces them, or none does. A pause leaves them as they are.
fn end(possible: &mut [Possible], brings: &State, at: i64) {
    let goes_on = |schedule: &Schedule| match brings {
        State::Active(schedules) => schedules.contains(&Some(*schedule)),
        State::Paused => true,
        State::Absent => false,
    };
    for (schedule, _, to) in possible.iter_mut() {
        if *to > at && !goes_on(schedule) {
            *to = at;
        }
    }
}

fn begin(possible: &mut Vec<Possible>, brings: &State, at: i64) {
    let State::Active(schedules) = brings else { return };
    for schedule in schedules.iter().flatten() {
        let goes_on = |(known, _, to): &Possible| known == schedule && *to == i64::MAX;
        if !possible.iter().any(goes_on) {
            possible.push((*schedule, at, i64::MAX));
        }
    }
}

/// Returns the ranges in which each instant must have a record: those whose time was up before the next change.
fn certain(
    schedules: &[Option<Schedule>],
    from: i64,
    to: i64,
    judged_at: i64,
    excuses: &Excuses,
) -> Option<(i64, i64)> {
    let schedule = schedules.iter().flatten().next()?;
    let in_time = |at: &i64| excuses.deadline(*at) <= judged_at;
    let last = schedule.instants(from + 1, to).take_while(in_time).last()?;
    Some((from + 1, last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::excuse::{CALM, done};
    use crate::plan::Kind;

    const T0: i64 = 1_767_225_600_000;
    const EACH_SECOND: Schedule = Schedule { first: T0, step: 1_000 };
    const EACH_OTHER: Schedule = Schedule { first: T0 + 500, step: 2_000 };

    fn operation(at: i64, brings: State, outcome: Outcome) -> Operation {
        let invoked = T0 + at;
        Operation { job: 0, brings, invoked, outcome, counts_from: invoked, taken_back: false }
    }

    fn active(schedule: Schedule) -> State {
        State::Active(vec![Some(schedule)])
    }

    type Ranges = Vec<(i64, i64)>;

    fn of(operations: &[Operation], excuses: &Excuses) -> (Vec<i64>, Ranges, Ranges) {
        let operations: Vec<&Operation> = operations.iter().collect();
        let made = promise((TriggerId(1), "j"), false, &operations, excuses, 0, T0 + 20_000);
        let since = |at: &Timestamp| at.as_millis() - T0;
        let ranges = |ranges: &[(Timestamp, Timestamp)]| ranges.iter().map(|(a, b)| (since(a), since(b))).collect();
        (made.instants.iter().map(since).collect(), ranges(&made.must), ranges(&made.may))
    }

    #[test]
    fn requests_say_what_must_be_and_what_may_be() {
        let ok = |at: i64| Outcome::Ok(T0 + at);
        let operations = [
            operation(100, active(EACH_SECOND), ok(200)),
            operation(5_200, State::Paused, ok(5_300)),
            operation(8_200, active(EACH_SECOND), ok(8_300)),
            operation(12_200, active(EACH_OTHER), ok(12_300)),
            operation(15_000, State::Paused, Outcome::Refused),
            operation(17_600, State::Absent, Outcome::Unknown),
        ];
        let (instants, must, may) = of(&operations, &Excuses::of(&[], false, CALM));
        let seconds: Vec<i64> = (1..=12).map(|second| second * 1_000).collect();
        let halves = [12_500, 14_500, 16_500, 18_500];
        assert_eq!(instants, [seconds, halves.to_vec()].concat());
        assert_eq!(must, [(201, 4_000), (8_301, 11_000), (12_301, 12_500), (15_001, 16_500)]);
        let changes = [(100, 200), (5_200, 5_300), (8_200, 8_300), (12_200, 12_300)];
        let fires = [(200, 5_200), (8_300, 12_200), (12_300, 15_000), (15_000, 17_600)];
        assert!(changes.iter().chain(&fires).all(|range| may.contains(range)), "{may:?}");
        assert!(may.contains(&(17_600, 20_000)), "{may:?}");
    }

    #[test]
    fn what_may_have_been_late_when_it_was_changed_need_not_be_recorded() {
        let operations = [
            operation(100, active(EACH_SECOND), Outcome::Ok(T0 + 200)),
            operation(9_200, State::Paused, Outcome::Ok(T0 + 9_300)),
        ];
        let excuses = Excuses::of(&[done(Kind::Kill, T0 + 6_500, T0 + 19_000)], false, CALM);
        assert_eq!(of(&operations, &excuses).1, [(201, 5_000)]);
    }
}
