//! Daily windows under calendars: what a calendar excludes is jumped over, and comes to the same as Quartz's way from fire to fire.

use std::sync::Arc;

use mainspring_schedule::{
    Calendar, CalendarUnit, DaysOfWeek, Schedule, Semantics, TimeOfDay, Timestamp, Trigger, TriggerState, Zone,
};

/// Numbers that look random, and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::try_from(self.below(all.len() as u64)).unwrap()]
    }
}

const HOUR_MS: i64 = 3_600_000;
/// Days on which clocks change in the zones below, at midnight UTC.
const CHANGES: [(&str, &[&str]); 5] = [
    ("America/New_York", &["2032-11-07", "2027-03-14"]),
    ("Europe/Berlin", &["2026-10-25", "2026-03-29"]),
    // Midnight does not exist, or exists twice.
    ("America/Havana", &["2026-03-08", "2026-11-01"]),
    ("America/Sao_Paulo", &["2018-11-04", "2018-02-18"]),
    ("UTC", &["2026-06-01"]),
];

/// A time of day, often midnight.
fn time(numbers: &mut Numbers) -> TimeOfDay {
    let hour = u8::try_from(numbers.of(&[0_u32, 0, 1, 2, 3, 9, 23])).unwrap();
    TimeOfDay::new(hour, u8::try_from(numbers.of(&[0_u32, 0, 30, 59])).unwrap(), 0).unwrap()
}

/// A daily window, often of no length, that starts around a day on which clocks change, under a calendar.
fn trigger(numbers: &mut Numbers) -> Trigger {
    let (zone, days) = numbers.of(&CHANGES);
    let change: Timestamp = format!("{}T00:00:00Z", numbers.of(days)).parse().unwrap();
    let start =
        change + (i64::try_from(numbers.below(144)).unwrap() - 96) * HOUR_MS + numbers.of(&[0, 1_000, -1_000, 1]);
    let from = time(numbers);
    let to = match numbers.below(3) {
        0 => None,
        1 => Some(from),
        _ => Some(from.max(time(numbers))),
    };
    let unit = numbers.of(&[CalendarUnit::Hour, CalendarUnit::Minute]);
    let interval = u32::try_from(1 + numbers.below(if unit == CalendarUnit::Hour { 24 } else { 300 })).unwrap();
    let days = DaysOfWeek::from_numbers((1..=7).filter(|_| numbers.below(4) > 0)).unwrap();
    let schedule = Schedule::DailyWindow { from, to, days, unit, interval, repeat_count: None };
    let mut trigger = Trigger::new(schedule, Zone::parse(zone).unwrap(), start);
    trigger.semantics = Semantics::Quartz;
    let excluded = DaysOfWeek::from_numbers((1..=7).filter(|_| numbers.below(3) == 0)).unwrap();
    let calendar = match numbers.below(3) {
        0 => Calendar::daily(from, TimeOfDay::LAST_SECOND, numbers.below(2) == 0).ok(),
        _ => None,
    };
    trigger.calendar = Some(Arc::new(calendar.unwrap_or_else(|| Calendar::weekly(excluded))));
    trigger
}

/// Quartz's way: from fire to fire, until the calendar includes one.
fn walked(trigger: &Trigger, state: &TriggerState, after: Timestamp) -> Option<Timestamp> {
    let calendar = trigger.calendar.as_ref().unwrap();
    let mut fire = trigger.schedule_after(state, after)?;
    for _ in 0..20_000 {
        if calendar.is_included(fire, trigger.semantics, &trigger.zone) {
            return Some(fire);
        }
        fire = trigger.schedule_after(state, fire)?;
    }
    None
}

#[test]
fn jumps_over_what_a_calendar_excludes_lead_where_quartz_walks() {
    let mut numbers = Numbers(26);
    for case in 0..4_000 {
        let trigger = trigger(&mut numbers);
        let mut state = trigger.first_fire();
        for _ in 0..8 {
            let Some(fired) = state.next_fire_at else { break };
            trigger.triggered(&mut state);
            let walked = walked(&trigger, &state, fired);
            assert_eq!(state.next_fire_at, walked, "case {case}, after {fired}: {trigger:?}");
        }
    }
}
