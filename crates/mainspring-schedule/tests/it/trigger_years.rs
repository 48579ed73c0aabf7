//! What is counted over years is what the walk passes, fire by fire.

use std::sync::Arc;

use mainspring_schedule::{
    Calendar, CalendarUnit, Cron, Date, DaysOfWeek, MisfirePolicy, Schedule, Semantics, TimeOfDay, Timestamp, Trigger,
    Zone,
};

const DAY_MS: i64 = 86_400_000;
/// Changes at midnight, of half an hour, of a day, at odd times, none.
const ZONES: [&str; 8] = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/Havana",
    "America/Sao_Paulo",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Antarctica/Troll",
];
const FIRES: usize = 2_500;

fn time(text: &str) -> TimeOfDay {
    text.parse().unwrap()
}

fn schedules(semantics: Semantics) -> Vec<Schedule> {
    let expressions = [
        "0 30 2,12 * * ?",
        "0 0/20 0-3 ? * SUN,MON",
        "0 15 1 29 2 ?",
        "7 0 0 L * ? 2009-2019/3",
        "0 0 12 27,L-3 * ?",
        "0 0/30 0-3,23 15W,LW * ?",
        "*/10 59 23 1W * ?",
        "0 0 2 ? 3,4,10,11 1#2",
    ];
    let cron = |text: &str| Schedule::Cron(Arc::new(Cron::parse_auto(text, semantics).unwrap()));
    let interval = |unit, interval, preserve_hour, skip_day| Schedule::CalendarInterval {
        unit,
        interval,
        preserve_hour,
        skip_day,
    };
    let window = |from, to, days, unit, interval| Schedule::DailyWindow {
        from: time(from),
        to: Some(time(to)),
        days,
        unit,
        interval,
        repeat_count: None,
    };
    let every = |interval_ms| Schedule::Every { interval_ms, repeat_count: None };
    let mut all: Vec<Schedule> = expressions.map(cron).into();
    all.extend([
        every(3_600_000),
        every(7_000_000),
        every(43_200_000),
        Schedule::Every { interval_ms: 3_600_000, repeat_count: Some(1_700) },
        interval(CalendarUnit::Hour, 4, false, false),
        interval(CalendarUnit::Day, 1, false, false),
        interval(CalendarUnit::Day, 2, true, true),
        interval(CalendarUnit::Week, 1, true, false),
        interval(CalendarUnit::Month, 1, false, false),
        interval(CalendarUnit::Year, 1, true, true),
        window("08:00", "17:00", DaysOfWeek::MONDAY_TO_FRIDAY, CalendarUnit::Hour, 2),
        window("00:00", "23:59:59", DaysOfWeek::WEEKEND, CalendarUnit::Minute, 90),
        window("02:15", "02:45", DaysOfWeek::ALL, CalendarUnit::Minute, 10),
        window("01:00", "23:00", DaysOfWeek::from_numbers([1, 2]).unwrap(), CalendarUnit::Hour, 24),
    ]);
    all
}

fn calendars(semantics: Semantics) -> Vec<Option<Calendar>> {
    let weekends = Arc::new(Calendar::weekly(DaysOfWeek::WEEKEND));
    let holidays = || Calendar::holiday((0..90).map(|n| Date::from_day_number(14_200 + n * 41))).unwrap();
    let daily = |from, to, invert| Calendar::daily(time(from), time(to), invert).unwrap();
    let cron = Cron::parse_auto("* * 0-11 ? * MON-WED", semantics).unwrap();
    vec![
        None,
        Some(Calendar::weekly(DaysOfWeek::WEEKEND)),
        Some(holidays().on_base(weekends.clone()).unwrap()),
        Some(daily("01:00", "12:00", false)),
        Some(daily("00:00", "13:30", true).on_base(weekends.clone()).unwrap()),
        Some(daily("02:30", "23:59:59.999", false).on_base(Arc::new(Calendar::monthly(1..=20).unwrap())).unwrap()),
        Some(Calendar::annual((1..=28).map(|day| (3, day))).unwrap()),
        Some(holidays().in_zone(Zone::parse("Asia/Tokyo").unwrap()).on_base(weekends).unwrap()),
        Some(Calendar::cron(Arc::new(cron))),
    ]
}

/// The fires that follow, and among them places to ask at.
fn check(trigger: &Trigger) -> Result<(), String> {
    let what =
        || format!("{:?} in {} under {:?}, {}", trigger.schedule, trigger.zone, trigger.calendar, trigger.semantics);
    let mut state = trigger.first_fire();
    let first = state;
    let mut fires = Vec::new();
    while let Some(fire) = state.next_fire_at.filter(|_| fires.len() < FIRES) {
        fires.push(fire);
        trigger.triggered(&mut state);
    }
    let last = fires.len().saturating_sub(1);
    for (begin, end) in [(0, last), (0, last / 2), (last / 7, last / 3), (last / 2, last)] {
        let (Some(&from), Some(&to)) = (fires.get(begin), fires.get(end)) else {
            continue;
        };
        if begin == 0 {
            let due = trigger.due(&first, to + 500, -1, 100);
            let missed: u64 = due.missed.iter().map(|missed| missed.count).sum();
            let got = (missed, due.missed[0].first, due.missed[0].last);
            if got != (end as u64 + 1, from, to) {
                return Err(format!("{} from {from} to {to} are {got:?}: {}", end + 1, what()));
            }
        }
        let is_path = trigger.semantics == Semantics::Quartz
            && match &trigger.schedule {
                Schedule::Cron(cron) => cron.as_str().contains('W'),
                Schedule::CalendarInterval { unit, .. } => *unit >= CalendarUnit::Day,
                _ => false,
            };
        if !is_path {
            let counted = trigger.count_between(&first, from, to);
            if counted != (end - begin) as u64 {
                return Err(format!("{counted} instead of {} from {from} to {to}: {}", end - begin, what()));
            }
        }
    }
    Ok(())
}

#[test]
fn what_is_counted_over_years_is_what_the_walk_passes() {
    let mut failures = Vec::new();
    for semantics in [Semantics::Standard, Semantics::Quartz] {
        let calendars = calendars(semantics);
        for (index, schedule) in schedules(semantics).into_iter().enumerate() {
            let misfire = match schedule {
                Schedule::Every { .. } => MisfirePolicy::NextWithExistingCount,
                _ => MisfirePolicy::DoNothing,
            };
            for (turn, calendar) in calendars.iter().enumerate() {
                // Each schedule meets each calendar, in zones that take turns.
                let zone = Zone::parse(ZONES[(index + 3 * turn) % ZONES.len()]).unwrap();
                let start = Timestamp::from_millis(14_200 * DAY_MS + 2 * 3_600_000 + index as i64 * 1_800_500);
                let plain = Trigger::new(schedule.clone(), zone, start);
                let calendar = calendar.clone().map(Arc::new);
                failures.extend(check(&Trigger { misfire, semantics, calendar, ..plain }).err());
            }
        }
    }
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn a_second_by_second_day_that_is_excluded_is_passed_over_at_once() {
    let cron = Cron::parse_auto("* * * 15W * ?", Semantics::Quartz).unwrap();
    let start: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    let plain = Trigger::new(Schedule::Cron(Arc::new(cron)), Zone::utc(), start);
    let calendar = Calendar::holiday([Date::new(2026, 1, 15)]).unwrap();
    let trigger = Trigger { semantics: Semantics::Quartz, calendar: Some(Arc::new(calendar)), ..plain };
    // 15 February is a Sunday.
    assert_eq!(trigger.first_fire().next_fire_at, Some("2026-02-16T00:00:00Z".parse().unwrap()));
}
