//! Standard triggers and calendars against their definitions, scanned second by second.
//!
//! The oracle knows nothing of the crate's ways: it asks `jiff` what the clock shows at each second
//! and applies the sentence of the documentation to it.

use std::sync::Arc;

use jiff::civil;
use jiff::tz::TimeZone;
use mainspring_schedule::{
    Calendar, CalendarUnit, Date, DaysOfWeek, Schedule, Semantics, TimeOfDay, Timestamp, Trigger, Zone,
};
use proptest::prelude::*;

const ZONES: [&str; 9] = [
    "UTC",
    "America/New_York",
    "Europe/Berlin",
    "Australia/Lord_Howe",
    "America/Sao_Paulo",
    "America/Havana",
    "Pacific/Apia",
    "America/St_Johns",
    "Asia/Kathmandu",
];
const DAY_MS: i64 = 86_400_000;

/// What the clock shows: date and second of the day.
fn shown(zone: &TimeZone, second: i64) -> (civil::Date, i64) {
    let t = jiff::Timestamp::from_second(second).expect("in range");
    let local = zone.to_datetime(t);
    let of_day = i64::from(local.hour()) * 3_600 + i64::from(local.minute()) * 60 + i64::from(local.second());
    (local.date(), of_day)
}

fn weekday(date: civil::Date) -> u8 {
    (date.weekday().to_sunday_zero_offset() + 1).cast_unsigned()
}

/// A zone and an instant, mostly within two days of one of its changes since 1990.
fn place() -> impl Strategy<Value = (Zone, TimeZone, i64)> {
    (0..ZONES.len(), 0..70_usize, -48..48_i64, 0..3_600_i64).prop_map(|(zone, change, hours, second)| {
        let name = ZONES[zone];
        let rules = TimeZone::get(name).expect("a zone of tzdata");
        let since = jiff::Timestamp::from_second(631_152_000).expect("in range");
        let at = rules.following(since).nth(change).map_or(1_000_000_000, |c| c.timestamp().as_second());
        (Zone::parse(name).expect("the same zone"), rules, at + hours * 3_600 + second)
    })
}

#[derive(Debug, Clone)]
enum Rule {
    Annual(u8, u8),
    Monthly(u8),
    Weekly(u8),
    Daily(i64, i64, bool),
    Holiday(i64),
}

impl Rule {
    fn calendar(&self, zone: &Zone, second: i64) -> Calendar {
        let time = |seconds: i64| TimeOfDay::from_millis(seconds as u32 * 1_000).expect("in a day");
        match *self {
            Self::Annual(month, day) => Calendar::annual([(month, day)]).expect("a day"),
            Self::Monthly(day) => Calendar::monthly([day, day % 31 + 1]).expect("days"),
            Self::Weekly(day) => Calendar::weekly(DaysOfWeek::from_numbers([day, day % 7 + 1]).expect("days")),
            Self::Daily(from, to, invert) => Calendar::daily(time(from), time(to), invert).expect("a range"),
            Self::Holiday(days) => {
                let today = zone.to_local(Timestamp::from_millis(second * 1_000)).day_number();
                let dates = [days, days + 1].map(|n| Date::from_day_number(today + n));
                Calendar::holiday(dates).expect("dates")
            }
        }
    }

    /// The sentence of the documentation.
    fn excludes(&self, zone: &TimeZone, second: i64, origin: i64) -> bool {
        let (date, of_day) = shown(zone, second);
        let day = date.day().cast_unsigned();
        match *self {
            Self::Annual(month, excluded) => date.month().cast_unsigned() == month && day == excluded,
            Self::Monthly(excluded) => day == excluded || day == excluded % 31 + 1,
            Self::Weekly(excluded) => {
                let today = weekday(date);
                today == excluded || today == excluded % 7 + 1
            }
            Self::Daily(from, to, invert) => (from <= of_day && of_day <= to) != invert,
            Self::Holiday(days) => {
                let origin = shown(zone, origin).0;
                let ahead = i64::from((date - origin).get_days());
                ahead == days || ahead == days + 1
            }
        }
    }
}

fn rule() -> impl Strategy<Value = Rule> {
    prop_oneof![
        (1..=12_u8, 1..=28_u8).prop_map(|(month, day)| Rule::Annual(month, day)),
        (1..=31_u8).prop_map(Rule::Monthly),
        (1..=7_u8).prop_map(Rule::Weekly),
        (0..80_000_i64, 1..6_000_i64, any::<bool>()).prop_map(|(from, length, invert)| Rule::Daily(
            from,
            from + length,
            invert
        )),
        (-2..3_i64).prop_map(Rule::Holiday),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn calendars_include_by_what_the_clock_shows(
        (zone, rules, second) in place(),
        own in rule(),
        base in proptest::option::of(rule()),
    ) {
        let mut calendar = own.calendar(&zone, second);
        if let Some(base) = &base {
            calendar = calendar.on_base(Arc::new(base.calendar(&zone, second))).expect("two links");
        }
        let included = |at: i64| {
            !own.excludes(&rules, at, second)
                && !base.as_ref().is_some_and(|base| base.excludes(&rules, at, second))
        };
        // A daily range ends within a second: its last millisecond is the first of a second.
        let milli = |at: i64| Timestamp::from_millis(at * 1_000);
        for at in (second..second + 3 * 86_400).step_by(1_801) {
            prop_assert_eq!(
                calendar.is_included(milli(at), Semantics::Standard, &zone),
                included(at),
                "at {}", milli(at)
            );
        }
        let next = calendar.next_included(milli(second), Semantics::Standard, &zone);
        let scanned = (second..second + 4 * 86_400).find(|&at| included(at));
        match (next, scanned) {
            (Some(next), Some(scanned)) => {
                let early_ms = milli(scanned).since(next);
                prop_assert!((0..1_000).contains(&early_ms), "{} for {}", next, milli(scanned));
                prop_assert!(calendar.is_included(next, Semantics::Standard, &zone));
            }
            (Some(next), None) => prop_assert!(next >= milli(second + 4 * 86_400)),
            (None, scanned) => prop_assert_eq!(scanned, None),
        }
    }

    #[test]
    fn a_daily_window_steps_from_its_first_instant_to_its_last(
        (zone, rules, second) in place(),
        from in 0..86_000_i64,
        length in 0..30_000_i64,
        step in prop_oneof![Just(1_200_u32), Just(2_700), Just(3_600), 600..9_000_u32],
        days in 1..128_u8,
    ) {
        let to = (from + length).min(86_399);
        let days: Vec<u8> = (1..=7).filter(|day| days >> (day - 1) & 1 == 1).collect();
        let time = |seconds: i64| TimeOfDay::from_millis(seconds as u32 * 1_000).expect("in a day");
        let schedule = Schedule::DailyWindow {
            from: time(from),
            to: Some(time(to)),
            days: DaysOfWeek::from_numbers(days.iter().copied()).expect("days"),
            unit: CalendarUnit::Second,
            interval: step,
            repeat_count: None,
        };
        let start = Timestamp::from_millis(second * 1_000);
        let trigger = Trigger::new(schedule, zone, start);
        let fires: Vec<i64> = trigger
            .fires_between(start, start + 3 * DAY_MS)
            .map(|t| t.as_millis() / 1_000)
            .collect();
        prop_assert_eq!(fires, window_by_scan(&rules, second, from, to, step, &days));
    }

    #[test]
    fn a_calendar_interval_keeps_its_time_of_day(
        (zone, rules, second) in place(),
        unit in 0..4_usize,
        interval in 1..5_u32,
        skip_day in any::<bool>(),
    ) {
        let unit = [CalendarUnit::Day, CalendarUnit::Week, CalendarUnit::Month, CalendarUnit::Year][unit];
        let schedule = Schedule::CalendarInterval { unit, interval, preserve_hour: true, skip_day };
        let start = Timestamp::from_millis(second * 1_000);
        let trigger = Trigger::new(schedule, zone, start);
        let fires: Vec<i64> = trigger
            .fires_between(start, Timestamp::MAX)
            .take(12)
            .map(|t| t.as_millis() / 1_000)
            .collect();
        prop_assert_eq!(fires, interval_by_definition(&rules, second, unit, interval, skip_day));
    }
}

/// Scans each local day for the first second that shows `from` or later and the last that shows
/// `to` or earlier, as the documentation says.
fn window_by_scan(zone: &TimeZone, start: i64, from: i64, to: i64, step: u32, days: &[u8]) -> Vec<i64> {
    let end = start + 3 * 86_400;
    let mut fires = std::collections::BTreeSet::new();
    let scan: Vec<(i64, civil::Date, i64)> = (start - 2 * 86_400..end + 2 * 86_400)
        .map(|second| {
            let (date, of_day) = shown(zone, second);
            (second, date, of_day)
        })
        .collect();
    let mut dates: Vec<civil::Date> = scan.iter().map(|(_, date, _)| *date).collect();
    dates.sort_unstable();
    dates.dedup();
    // The outermost dates are cut off by the scan.
    for date in &dates[1..dates.len() - 1] {
        let on_date = || scan.iter().filter(|(_, day, _)| day == date);
        // The first instant that shows `from`, or, where the clock jumps over it, the jump's end.
        let exact = on_date().find(|(_, _, of_day)| *of_day == from);
        let Some((first, ..)) = exact.or_else(|| on_date().find(|(_, _, of_day)| *of_day > from)) else {
            continue;
        };
        let within = |of_day: i64| from <= of_day && of_day <= to;
        let last = on_date().filter(|(_, _, of_day)| within(*of_day)).map(|(second, ..)| *second).max();
        let last = last.unwrap_or(*first).max(*first);
        if days.contains(&weekday(*date)) {
            fires.extend((*first..=last).step_by(step as usize));
        }
    }
    fires.into_iter().filter(|fire| start <= *fire && *fire < end).collect()
}

fn interval_by_definition(zone: &TimeZone, start: i64, unit: CalendarUnit, interval: u32, skip_day: bool) -> Vec<i64> {
    let first = zone.to_datetime(jiff::Timestamp::from_second(start).expect("in range"));
    let mut fires = std::collections::BTreeSet::from([start]);
    for n in 1..40_i64 {
        let units = n * i64::from(interval);
        let span = match unit {
            CalendarUnit::Week => jiff::Span::new().weeks(units),
            CalendarUnit::Month => jiff::Span::new().months(units),
            CalendarUnit::Year => jiff::Span::new().years(units),
            _ => jiff::Span::new().days(units),
        };
        let local = first.checked_add(span).expect("in range");
        let ambiguous = zone.to_ambiguous_timestamp(local);
        let fire = match ambiguous.offset() {
            jiff::tz::AmbiguousOffset::Gap { .. } if skip_day => continue,
            jiff::tz::AmbiguousOffset::Gap { .. } => {
                // The second at which the clock has jumped.
                let after = ambiguous.later().expect("in range").as_second();
                let near = after - 2 * 86_400..=after + 2 * 86_400;
                near.clone()
                    .find(|second| {
                        let t = jiff::Timestamp::from_second(*second).expect("in range");
                        zone.to_datetime(t) > local
                    })
                    .expect("the gap ends")
            }
            _ => ambiguous.earlier().expect("in range").as_second(),
        };
        fires.insert(fire);
    }
    fires.into_iter().take(12).collect()
}
