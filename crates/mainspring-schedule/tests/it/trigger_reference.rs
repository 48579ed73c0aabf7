//! The examples of `docs/reference/triggers.md` and `docs/reference/calendars.md`.

use std::sync::Arc;

use mainspring_schedule::{
    Calendar, CalendarUnit, Cron, Date, DaysOfWeek, Schedule, Semantics, TimeOfDay, Timestamp, Trigger, Zone,
};

/// The cells of each row of a file's tables that has so many.
fn rows(text: &str, cells: usize) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter_map(move |line| {
        let row: Vec<&str> = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").collect();
        (row.len() == cells).then_some(row)
    })
}

#[test]
fn the_examples_of_the_trigger_reference_hold() {
    let mut examples = 0;
    for row in rows(include_str!("../../../../docs/reference/triggers.md"), 4) {
        let [schedule, zone, start, expected] = row[..] else {
            continue;
        };
        let Ok(start) = start.parse::<Timestamp>() else {
            continue;
        };
        let trigger = Trigger::new(read_schedule(schedule), Zone::parse(zone).unwrap(), start);
        let expected: Vec<Timestamp> = expected.split(", ").map(|t| t.parse().unwrap()).collect();
        let fires: Vec<Timestamp> = trigger.fires_between(expected[0], Timestamp::MAX).take(expected.len()).collect();
        assert_eq!(fires, expected, "{row:?}");
        let first = trigger.first_fire();
        let follows = first.next_fire_at == Some(start) || first.next_fire_at == Some(expected[0]);
        assert!(follows, "{row:?}: {first:?}");
        examples += 1;
    }
    assert_eq!(examples, 11);
}

/// `each 1 day, skip_day` or `each 1 hour from 02:30 to 04:30`.
fn read_schedule(text: &str) -> Schedule {
    let words: Vec<&str> = text.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let interval = words[1].parse().unwrap();
    let unit = match words[2] {
        "hour" => CalendarUnit::Hour,
        "day" => CalendarUnit::Day,
        "month" => CalendarUnit::Month,
        "year" => CalendarUnit::Year,
        other => panic!("unit {other}"),
    };
    match words[3..] {
        ["from", from, "to", to] => Schedule::DailyWindow {
            from: from.parse().unwrap(),
            to: Some(to.parse().unwrap()),
            days: DaysOfWeek::ALL,
            unit,
            interval,
            repeat_count: None,
        },
        ref rest => Schedule::CalendarInterval { unit, interval, preserve_hour: true, skip_day: *rest == ["skip_day"] },
    }
}

#[test]
fn the_examples_of_the_calendar_reference_hold() {
    let mut examples = 0;
    for row in rows(include_str!("../../../../docs/reference/calendars.md"), 5) {
        let [calendar, zone, at, included, next] = row[..] else {
            continue;
        };
        let Ok(at) = at.parse::<Timestamp>() else {
            continue;
        };
        let calendar = read_calendar(calendar).in_zone(Zone::parse(zone).unwrap());
        let (standard, utc) = (Semantics::Standard, Zone::utc());
        assert_eq!(calendar.is_included(at, standard, &utc), included == "yes", "{row:?}");
        let found = calendar.next_included(at, standard, &utc);
        assert_eq!(found, Some(next.parse().unwrap()), "{row:?}");
        examples += 1;
    }
    assert_eq!(examples, 14);
}

fn read_calendar(text: &str) -> Calendar {
    let (kind, rest) = text.split_once(' ').unwrap();
    let number = |text: &str| text.parse::<u8>().unwrap();
    let time = |text: &str| text.parse::<TimeOfDay>().unwrap();
    match kind {
        "weekly" => Calendar::weekly(rest.parse().unwrap()),
        "monthly" => Calendar::monthly([number(rest)]).unwrap(),
        "annual" => {
            let (month, day) = rest.split_once('-').unwrap();
            Calendar::annual([(number(month), number(day))]).unwrap()
        }
        "holiday" => {
            let parts: Vec<i32> = rest.split('-').map(|part| part.parse().unwrap()).collect();
            Calendar::holiday([Date::new(parts[0], parts[1] as u8, parts[2] as u8)]).unwrap()
        }
        "cron" => Calendar::cron(Arc::new(Cron::parse_auto(rest, Semantics::Standard).unwrap())),
        _ => {
            let (range, invert) = rest.split_once(' ').unwrap_or((rest, ""));
            let (from, to) = range.split_once('-').unwrap();
            Calendar::daily(time(from), time(to), invert == "invert").unwrap()
        }
    }
}
