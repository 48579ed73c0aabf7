//! Triggers: the next fire under a calendar, what is due, and the memory of a million triggers.
//!
//! `cargo bench -p mainspring-schedule --bench triggers`. The aims are in `docs/reference/triggers.md`.
#![allow(missing_docs, reason = "criterion's macros make public functions")]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use mainspring_schedule::{
    Calendar, CalendarUnit, Cron, Date, DaysOfWeek, MisfirePolicy, Schedule, Semantics, TimeOfDay, Timestamp, Trigger,
    Zone,
};

const DAY_MS: i64 = 86_400_000;
const START: Timestamp = Timestamp::from_millis(1_767_225_600_000);

fn zone() -> Zone {
    Zone::parse("Europe/Berlin").expect("a zone of tzdata")
}

fn cron(expression: &str) -> Schedule {
    let cron = Cron::parse_auto(expression, Semantics::Standard).expect("a valid expression");
    Schedule::Cron(Arc::new(cron))
}

fn quartz_cron(expression: &str) -> Schedule {
    let cron = Cron::parse_auto(expression, Semantics::Quartz).expect("a valid expression");
    Schedule::Cron(Arc::new(cron))
}

fn interval(unit: CalendarUnit) -> Schedule {
    Schedule::CalendarInterval { unit, interval: 1, preserve_hour: false, skip_day: false }
}

fn schedules() -> [(&'static str, Schedule); 7] {
    let from = TimeOfDay::new(8, 0, 0).expect("a time of day");
    [
        ("every second", Schedule::Every { interval_ms: 1_000, repeat_count: None }),
        ("cron every second", cron("* * * * * ?")),
        ("cron daily", cron("0 30 2 * * ?")),
        ("interval day", interval(CalendarUnit::Day)),
        ("interval month", interval(CalendarUnit::Month)),
        (
            "window each second",
            Schedule::DailyWindow {
                from,
                to: TimeOfDay::new(17, 0, 0),
                days: DaysOfWeek::MONDAY_TO_FRIDAY,
                unit: CalendarUnit::Second,
                interval: 1,
                repeat_count: None,
            },
        ),
        ("at", Schedule::At),
    ]
}

/// The schedules whose way is the rule, under Quartz: `W`, and intervals that pick up shifts.
fn paths() -> [Trigger; 4] {
    let start: Timestamp = "2026-01-31T02:30:00+01:00".parse().expect("an instant");
    let schedules = [
        quartz_cron("* * * 15W * ?"),
        quartz_cron("0 0 9 LW * ?"),
        interval(CalendarUnit::Day),
        interval(CalendarUnit::Month),
    ];
    schedules.map(|schedule| Trigger { semantics: Semantics::Quartz, ..Trigger::new(schedule, zone(), start) })
}

fn calendars() -> [(&'static str, Calendar); 3] {
    let time = |hour| TimeOfDay::new(hour, 0, 0).expect("a time of day");
    let holidays = (0..20).map(|n| Date::from_day_number(20_454 + n * 17));
    let weekends = Arc::new(Calendar::weekly(DaysOfWeek::WEEKEND));
    [
        ("weekly", Calendar::weekly(DaysOfWeek::WEEKEND)),
        ("daily", Calendar::daily(time(1), time(5), false).expect("a range")),
        ("holidays on weekly", Calendar::holiday(holidays).and_then(|h| h.on_base(weekends)).expect("valid dates")),
    ]
}

fn next_under_calendar(c: &mut Criterion) {
    let mut group = c.benchmark_group("next under calendar");
    for (name, calendar) in calendars() {
        let mut trigger = Trigger::new(cron("0 30 2,12 * * ?"), zone(), START);
        trigger.calendar = Some(Arc::new(calendar));
        let state = trigger.first_fire();
        let mut t = START;
        group.bench_function(name, |b| {
            b.iter(|| {
                t = trigger.next_after(&state, black_box(t)).filter(|t| *t < START + 3_650 * DAY_MS).unwrap_or(START);
                t
            });
        });
    }
    group.finish();
}

fn due(c: &mut Criterion) {
    for (span, late_ms) in [("1 hour", 3_600_000), ("1 year", 365 * DAY_MS), ("10 years", 3_652 * DAY_MS)] {
        let mut group = c.benchmark_group(format!("misfire decided after {span}"));
        let mut bench = |name: &str, trigger: &Trigger| {
            let state = trigger.first_fire();
            let Some(first) = state.next_fire_at else {
                return;
            };
            group.bench_function(name, |b| {
                b.iter(|| trigger.due(&state, black_box(first + late_ms), 60_000, 100));
            });
        };
        for (name, schedule) in schedules() {
            let mut trigger = Trigger::new(schedule, zone(), START);
            bench(name, &trigger);
            for (calendar_name, calendar) in calendars() {
                trigger.calendar = Some(Arc::new(calendar));
                bench(&format!("{name} under {calendar_name}"), &trigger);
            }
        }
        for (name, trigger) in ["quartz 15W each second", "quartz LW", "quartz day", "quartz month"].iter().zip(paths())
        {
            bench(name, &trigger);
        }
        group.finish();
    }
    let mut trigger = Trigger::new(schedules()[0].1.clone(), zone(), START);
    trigger.misfire = MisfirePolicy::NextWithRemainingCount;
    let state = trigger.first_fire();
    c.bench_function("due on time, every second", |b| {
        b.iter(|| trigger.due(&state, black_box(START), 60_000, 100));
    });
    c.bench_function("bare misfire, every second", |b| {
        b.iter(|| trigger.misfire(&state, black_box(START + DAY_MS)));
    });
}

fn a_million(c: &mut Criterion) {
    let shared: Vec<Schedule> = (0..60).map(|minute| cron(&format!("0 {minute} 2 * * ?"))).collect();
    c.bench_function("compile 1,000,000 triggers with 60 shared schedules", |b| {
        b.iter(|| {
            let trigger = |n: usize| Trigger::new(shared[n % 60].clone(), zone(), START);
            (0..1_000_000).map(trigger).collect::<Vec<_>>().len()
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).without_plots();
    targets = next_under_calendar, due, a_million
}
criterion_main!(benches);
