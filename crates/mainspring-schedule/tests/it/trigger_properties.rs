//! What holds of every trigger, checked on all triggers of Quartz's vectors under both semantics:
//! they start near offset changes, in twenty zones, with all kinds of calendars.
//!
//! The oracle is the walk from one fire to the next, which the vectors have proven.

use mainspring_schedule::{CalendarUnit, MisfirePolicy, Schedule, Semantics, Timestamp, Trigger, TriggerState};
use serde_json::Value;

use crate::replay;

/// Every so many-th trigger is looked at, to keep the tests short; the groups are long enough.
const STEP: usize = 5;

const SEMANTICS: [Semantics; 2] = [Semantics::Standard, Semantics::Quartz];

fn triggers(semantics: Semantics) -> Vec<(String, Trigger)> {
    let path = format!("{}/tests/vectors/quartz/trigger.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the vectors lie beside this test");
    let cases = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let trigger = |case: Value| {
        let trigger = replay::trigger(&case, &case["calendar"], semantics)?;
        Some((case["id"].as_str()?.to_owned(), trigger))
    };
    cases.filter_map(trigger).collect()
}

/// Whether the instants of a trigger are the same wherever the question starts. Quartz's `W` and
/// its intervals of days and more are not: only the way from fire to fire is right.
fn is_a_set(trigger: &Trigger) -> bool {
    trigger.semantics == Semantics::Standard
        || match &trigger.schedule {
            Schedule::Cron(cron) => !cron.as_str().contains(['w', 'W']),
            Schedule::CalendarInterval { unit, .. } => *unit < CalendarUnit::Day,
            _ => true,
        }
}

fn check_sets(what: impl Fn(&Trigger) -> Result<(), String>) {
    check(|trigger| if is_a_set(trigger) { what(trigger) } else { Ok(()) });
}

/// Fire by fire, with the state before each.
fn walk(trigger: &Trigger, count: usize) -> Vec<(Timestamp, TriggerState)> {
    let mut state = trigger.first_fire();
    let mut fires = Vec::new();
    while let Some(fire) = state.next_fire_at.filter(|_| fires.len() < count) {
        fires.push((fire, state));
        trigger.triggered(&mut state);
    }
    fires
}

fn check(what: impl Fn(&Trigger) -> Result<(), String>) {
    check_each(STEP, what);
}

fn check_each(step: usize, what: impl Fn(&Trigger) -> Result<(), String>) {
    let mut failures = Vec::new();
    for semantics in SEMANTICS {
        for (id, trigger) in triggers(semantics).into_iter().step_by(step) {
            if let Err(failure) = what(&trigger) {
                failures.push(format!("{id} {semantics} {}: {failure}", trigger.schedule.kind()));
            }
        }
    }
    let shown = failures.iter().take(12).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} failed, such as\n{shown}", failures.len());
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, got: T, expected: T) -> Result<(), String> {
    if got == expected { Ok(()) } else { Err(format!("{what}: got {got:?}, expected {expected:?}")) }
}

#[test]
fn fires_follow_each_other() {
    check(|trigger| {
        let fires = walk(trigger, 60);
        match fires.windows(2).find(|pair| pair[1].0 <= pair[0].0) {
            Some(pair) => Err(format!("{} after {}", pair[1].0, pair[0].0)),
            None => Ok(()),
        }
    });
}

#[test]
fn counting_agrees_with_walking() {
    check_sets(|trigger| {
        let fires = walk(trigger, 120);
        let Some((first, state)) = fires.first() else {
            return Ok(());
        };
        for until in [1, 2, 7, 40, 119] {
            let Some((fire, _)) = fires.get(until) else {
                continue;
            };
            let count = |to: Timestamp| trigger.count_between(state, *first, to);
            equal(&format!("from {first} to {fire}"), count(*fire), until as u64)?;
            equal(&format!("from {first} through {fire}"), count(*fire + 1), until as u64 + 1)?;
            let (from, _) = fires[until / 2];
            let between = trigger.count_between(state, from + 1, *fire);
            equal(&format!("after {from} to {fire}"), between, (until - until / 2 - 1) as u64)?;
        }
        Ok(())
    });
}

#[test]
fn the_way_back_is_the_way_forth() {
    check_sets(|trigger| {
        let fires = walk(trigger, 40);
        let Some((first, state)) = fires.first() else {
            return Ok(());
        };
        equal("before the first", trigger.previous_before(state, *first), None)?;
        for pair in fires.windows(2).step_by(7) {
            let (earlier, later) = (pair[0].0, pair[1].0);
            equal("previous", trigger.previous_before(state, later), Some(earlier))?;
            equal("in between", trigger.previous_before(state, earlier + 1), Some(earlier))?;
        }
        Ok(())
    });
}

/// Also where fires depend on where the question starts: the previous one is the last that comes next after
/// something.
#[test]
fn the_way_back_finds_whatever_the_way_forth_finds() {
    check_each(1, |trigger| {
        if matches!(trigger.schedule, Schedule::DailyWindow { repeat_count: Some(_), .. }) {
            return Ok(()); // Its repeats count fires, which only the walk knows.
        }
        let state = trigger.first_fire();
        let near =
            |fire: Timestamp| [-90_000_000, -5_400_000, -3_600_000, -1_000, -1, 0, 1_800_000].map(|ms| fire + ms);
        let walked: Vec<Timestamp> = walk(trigger, 25).into_iter().map(|(fire, _)| fire).collect();
        let asked: Vec<Timestamp> = walked.iter().step_by(3).copied().flat_map(near).collect();
        let found = asked.iter().filter_map(|t| trigger.next_after(&state, *t));
        let fires: Vec<Timestamp> = found.filter(|fire| *fire >= state.start_at).collect();
        for t in fires.iter().flat_map(|fire| [*fire, *fire + 1]).step_by(5) {
            let last = fires.iter().copied().filter(|fire| *fire < t).max();
            let previous = trigger.previous_before(&state, t);
            if previous < last || previous.is_some_and(|previous| previous >= t) {
                return Err(format!("before {t}: {previous:?}, but {last:?} fires"));
            }
        }
        Ok(())
    });
}

#[test]
fn a_range_of_fires_is_what_the_walk_passes() {
    check_sets(|trigger| {
        let fires: Vec<Timestamp> = walk(trigger, 30).iter().map(|(fire, _)| *fire).collect();
        let Some((first, last)) = fires.first().zip(fires.last()) else {
            return Ok(());
        };
        let all: Vec<Timestamp> = trigger.fires_between(*first, *last).collect();
        equal("all", &all[..], &fires[..fires.len() - 1])?;
        let middle = fires[fires.len() / 2];
        let late: Vec<Timestamp> = trigger.fires_between(middle, *last + 1).collect();
        equal("from the middle", &late[..], &fires[fires.len() / 2..])
    });
}

#[test]
fn every_late_instant_is_fired_or_missed_exactly_once() {
    for &policy in MisfirePolicy::ALL {
        check(|trigger| {
            if !trigger.schedule.misfire_policies().contains(&policy) {
                return Ok(());
            }
            let trigger = Trigger { misfire: policy, ..trigger.clone() };
            let fires = walk(&trigger, 80);
            for (begin, end) in [(0, 0), (0, 1), (3, 9), (2, 70)] {
                let (Some((_, state)), Some((last, _))) = (fires.get(begin), fires.get(end)) else {
                    continue;
                };
                let expected: Vec<Timestamp> = fires[begin..=end].iter().map(|f| f.0).collect();
                for threshold_ms in [0, i64::MAX] {
                    conserves(&trigger, state, *last, threshold_ms, &expected)?;
                }
            }
            Ok(())
        });
    }
}

fn conserves(
    trigger: &Trigger,
    state: &TriggerState,
    now: Timestamp,
    threshold_ms: i64,
    expected: &[Timestamp],
) -> Result<(), String> {
    let due = trigger.due(state, now, threshold_ms, 5);
    let context = format!("{} at {now}, threshold {threshold_ms}", trigger.misfire);
    let missed: u64 = due.missed.iter().map(|missed| missed.count).sum();
    equal(&context, due.fires.len() as u64 + missed, expected.len() as u64)?;
    if due.fires.iter().enumerate().any(|(i, fire)| fire.fire_time != expected[i]) {
        return Err(format!("{context}: fires {:?} of {expected:?}", due.fires));
    }
    if let [range] = &due.missed[..] {
        let rest = &expected[due.fires.len()..];
        equal(&context, Some((range.first, range.last)), rest.first().copied().zip(rest.last().copied()))?;
    }
    let is_later = due.state.next_fire_at.is_none_or(|next| next > now);
    if is_later { Ok(()) } else { Err(format!("{context}: next is {:?}", due.state.next_fire_at)) }
}

#[test]
fn the_final_fire_is_the_last_one_that_happens() {
    check(|trigger| {
        let fires = walk(trigger, 150);
        if trigger.semantics == Semantics::Quartz || fires.is_empty() || fires.len() == 150 {
            return Ok(());
        }
        let horizon_is_the_reason = trigger.end_at.is_none()
            && !matches!(trigger.schedule, Schedule::Every { .. } | Schedule::DailyWindow { .. });
        if horizon_is_the_reason {
            return Ok(());
        }
        equal("final", trigger.final_fire(), fires.last().map(|f| f.0))
    });
}
