//! What is written with `serde` reads back as the same, and what could not have been made is refused.

use std::fmt::Debug;
use std::sync::Arc;

use mainspring_schedule::{
    Calendar, CalendarUnit, Cron, Date, DaysOfWeek, Dialect, MisfirePolicy, MissedReason, Period, Schedule, Semantics,
    TimeOfDay, Timestamp, Trigger, TriggerState, Zone,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::replay;

fn survives<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) -> Value {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(serde_json::from_str::<T>(&text).unwrap(), *value, "{text}");
    let form = serde_json::to_value(value).unwrap();
    assert_eq!(serde_json::from_value::<T>(form.clone()).unwrap(), *value, "{form}");
    form
}

fn refused<T: DeserializeOwned + Debug>(form: Value) -> String {
    serde_json::from_value::<T>(form).unwrap_err().to_string()
}

#[test]
fn plain_values_survive() {
    assert_eq!(survives(&Timestamp::from_millis(-5)), json!(-5));
    assert_eq!(survives(&Zone::parse("europe/berlin").unwrap()), json!("Europe/Berlin"));
    assert_eq!(survives(&"15 min".parse::<Period>().unwrap()), json!("15m"));
    assert_eq!(survives(&"9:5".parse::<TimeOfDay>().unwrap()), json!("09:05"));
    assert_eq!(survives(&DaysOfWeek::WEEKEND), json!("sat,sun"));
    assert_eq!(survives(&DaysOfWeek::NONE), json!(""));
    assert_eq!(survives(&Date::new(2026, 5, 1)), json!("2026-05-01"));
    survives(&Date::new(-12, 2, 28));
    survives(&Date::new(12_345, 12, 31));
    for &policy in MisfirePolicy::ALL {
        assert_eq!(survives(&policy), json!(policy.as_str()));
    }
    for semantics in [Semantics::Standard, Semantics::Quartz] {
        assert_eq!(survives(&semantics), json!(semantics.as_str()));
    }
    for dialect in [Dialect::Quartz, Dialect::Unix] {
        assert_eq!(survives(&dialect), json!(dialect.as_str()));
    }
    for reason in [MissedReason::Misfire, MissedReason::CatchUpCap] {
        assert_eq!(survives(&reason), json!(reason.as_str()));
    }
    use CalendarUnit as U;
    for unit in [U::Second, U::Minute, U::Hour, U::Day, U::Week, U::Month, U::Year] {
        assert_eq!(survives(&unit), json!(unit.as_str()));
    }
    survives(&TriggerState {
        next_fire_at: None,
        previous_fire_at: Some(Timestamp::MAX),
        start_at: Timestamp::MIN,
        repeat_count: Some(u32::MAX),
        times_triggered: 3,
    });
}

#[test]
fn an_expression_is_a_text_with_its_dialect_and_semantics() {
    let cron = Cron::parse("30 2 * * *", Dialect::Unix, Semantics::Standard).unwrap();
    assert_eq!(survives(&cron), json!({ "expression": "30 2 * * *", "dialect": "unix", "semantics": "standard" }));
    let error = refused::<Cron>(json!({ "expression": "61 2 * * *", "dialect": "unix", "semantics": "standard" }));
    assert!(error.contains("61"), "{error}");
}

/// All triggers of the vectors, with their calendars, under both semantics.
#[test]
fn every_recorded_trigger_survives_with_its_calendar() {
    let mut seen = 0;
    for (file, semantics) in [("trigger", Semantics::Quartz), ("misfire", Semantics::Standard)] {
        let path = format!("{}/tests/vectors/quartz/{file}.jsonl", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("the vectors lie beside this test");
        for case in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
            let Some(trigger) = replay::trigger(&case, &case["calendar"], semantics) else {
                continue;
            };
            survives(&trigger.schedule.clone());
            if let Some(calendar) = trigger.calendar.as_deref() {
                survives(calendar);
            }
            let form = serde_json::to_value(&trigger).unwrap();
            match (trigger.validate(), serde_json::from_value::<Trigger>(form)) {
                (Ok(()), Ok(read)) => assert_eq!(read, trigger),
                (Err(wrong), Err(refused)) => assert_eq!(refused.to_string(), wrong.to_string()),
                (valid, read) => panic!("{valid:?}, but {read:?}"),
            }
            seen += 1;
        }
    }
    assert!(seen > 2_000, "{seen}");
}

#[test]
fn a_trigger_needs_a_schedule_a_zone_and_a_start() {
    let start = Timestamp::from_millis(1_767_225_600_000);
    let every = Schedule::Every { interval_ms: 60_000, repeat_count: None };
    let trigger = Trigger::new(every, Zone::utc(), start);
    let form = json!({ "schedule": { "kind": "every", "interval_ms": 60_000 }, "zone": "UTC", "start_at": 1_767_225_600_000_i64 });
    assert_eq!(serde_json::from_value::<Trigger>(form.clone()).unwrap(), trigger);

    let weekends = Calendar::weekly(DaysOfWeek::WEEKEND);
    let calendar = Calendar::holiday([Date::new(2026, 5, 1)]).unwrap().in_zone(Zone::utc());
    let calendar = Arc::new(calendar.on_base(Arc::new(weekends)).unwrap());
    let written = survives(&Trigger { calendar: Some(calendar), ..trigger });
    let expected = json!({
        "kind": "holiday", "dates": ["2026-05-01"], "zone": "UTC", "base": { "kind": "weekly", "days": "sat,sun" },
    });
    assert_eq!(written["calendar"], expected);

    let with = |key: &str, value: Value| {
        let mut form = form.clone();
        form[key] = value;
        refused::<Trigger>(form)
    };
    assert!(with("end_at", json!(0)).contains("lies before the start"));
    assert!(with("misfire", json!("do_nothing")).contains("has no misfire policy"));
    assert!(with("zone", json!("Europe/Berln")).contains("did you mean"));
    assert!(with("schedule", json!({ "kind": "every", "interval_ms": 0 })).contains("above zero"));
    assert!(with("schedule", json!({ "kind": "hourly" })).contains("hourly"));
}

#[test]
fn calendars_that_cannot_be_made_are_refused() {
    for (form, reason) in [
        (json!({ "kind": "annual", "days": [[2, 30]] }), "day 30 of month 2 does not exist"),
        (json!({ "kind": "monthly", "days": [32] }), "day 32 of the month does not exist"),
        (json!({ "kind": "holiday", "dates": ["2026-02-29"] }), "`2026-02-29` is not a date"),
        (json!({ "kind": "holiday", "dates": ["2026-2-9"] }), "`2026-2-9` is not a date"),
        (json!({ "kind": "daily", "from": "05:00", "to": "01:00" }), "does not end after it begins"),
        (json!({ "kind": "weekly", "days": "sat,noday" }), "noday"),
    ] {
        let error = refused::<Calendar>(form.clone());
        assert!(error.contains(reason), "{form}: {error}");
    }
    let weekly = json!({ "kind": "weekly", "days": "sun" });
    let chain = (1..Calendar::CHAIN_MAX)
        .fold(weekly.clone(), |base, _| json!({ "kind": "monthly", "days": [1], "base": base }));
    survives(&serde_json::from_value::<Calendar>(chain.clone()).unwrap());
    let longer = json!({ "kind": "monthly", "days": [1], "base": chain });
    assert!(refused::<Calendar>(longer).contains("longer than"));
}

#[test]
fn the_trigger_of_the_documentation_is_read() {
    let text = include_str!("../../../../docs/reference/triggers.md");
    let (_, rest) = text.split_once("```json\n").unwrap();
    let (form, _) = rest.split_once("```").unwrap();
    let trigger: Trigger = serde_json::from_str(form).unwrap();
    assert_eq!(survives(&trigger), serde_json::from_str::<Value>(form).unwrap());
}
