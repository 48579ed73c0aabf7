//! Replays the cases of `trigger.jsonl`, `calendar.jsonl`, `misfire.jsonl` and `new_calendar.jsonl`.
//!
//! Their layout is described in the README of the vectors. `xtask` includes this file too, so it
//! knows nothing of where the vectors lie.

use std::sync::Arc;

use mainspring_schedule::{
    Calendar, CalendarUnit, Cron, DaysOfWeek, Dialect, MisfirePolicy, Schedule, Semantics, TimeOfDay, Timestamp,
    Trigger, TriggerState, Zone,
};
use serde_json::{Value, json};

/// Our answers to a case, under the field names of its file; as many firings as the case has.
pub fn answers(file: &str, case: &Value, semantics: Semantics) -> Value {
    let refused = || json!({ "error": true });
    match file {
        "trigger" => trigger_answers(case, semantics).unwrap_or_else(refused),
        "calendar" => calendar_answers(case, semantics).unwrap_or_else(refused),
        "misfire" | "new_calendar" => late_answers(file, case, semantics).unwrap_or_else(refused),
        _ => panic!("no replay for {file}"),
    }
}

/// The first field in which our answers differ: its name, the answer of the case, and ours.
pub fn difference(case: &Value, ours: &Value) -> Option<(String, String, String)> {
    let ours = ours.as_object().expect("answers are an object");
    for (field, got) in ours {
        let expected = case.get(field).unwrap_or(&Value::Null);
        let equal = if field == "probes" { equal_probes(expected, got) } else { expected == got };
        if !equal {
            return Some((field.clone(), expected.to_string(), got.to_string()));
        }
    }
    let error_missed = case["error"] == true && !ours.contains_key("error");
    error_missed.then(|| ("error".into(), "true".into(), Value::Object(ours.clone()).to_string()))
}

/// A `next` of `null` means that Quartz does not return: any answer will do.
fn equal_probes(expected: &Value, got: &Value) -> bool {
    let (expected, got) = (list(expected), list(got));
    expected.len() == got.len()
        && expected.iter().zip(got).all(|(e, g)| e[0] == g[0] && e[1] == g[1] && (e[2].is_null() || e[2] == g[2]))
}

fn trigger_answers(case: &Value, semantics: Semantics) -> Option<Value> {
    let trigger = trigger(case, &case["calendar"], semantics)?;
    let mut state = trigger.first_fire();
    let first = state.next_fire_at;
    let next = firings(&trigger, &mut state, list(&case["next"]).len());
    let fresh = trigger.first_fire();
    let after = list(&case["after"]).iter().map(|pair| {
        let t = instant(&pair[0]);
        json!([pair[0], millis(trigger.schedule_after(&fresh, t))])
    });
    let mut answers = json!({
        "first": millis(first),
        "next": next,
        "after": after.collect::<Vec<_>>(),
    });
    if case.get("final").is_some() {
        answers["final"] = millis(trigger.final_fire());
    }
    Some(answers)
}

fn calendar_answers(case: &Value, semantics: Semantics) -> Option<Value> {
    let zone = zone(&case["zone"]);
    let calendar = calendar(&case["calendar"], &zone, semantics)?;
    let probes = list(&case["probes"]).iter().map(|probe| {
        let t = instant(&probe[0]);
        let next = calendar.next_included(t, semantics, &zone).map_or(0, Timestamp::as_millis);
        json!([probe[0], calendar.is_included(t, semantics, &zone), next])
    });
    Some(json!({ "probes": probes.collect::<Vec<_>>() }))
}

fn late_answers(file: &str, case: &Value, semantics: Semantics) -> Option<Value> {
    let mut trigger = trigger(case, &case["calendar"], semantics)?;
    let (now, before) = (instant(&case["now"]), state(&case["before"]));
    let mut state = if file == "misfire" {
        trigger.misfire = case["misfire"].as_str()?.parse::<MisfirePolicy>().ok()?;
        trigger.validate().ok()?;
        trigger.misfire(&before, now)
    } else {
        trigger.replace_calendar(&before, now, case["threshold_ms"].as_i64()?)
    };
    let mut after = json!({
        "start": state.start_at.as_millis(),
        "next": millis(state.next_fire_at),
        "prev": millis(state.previous_fire_at),
    });
    if case["after"].get("times_triggered").is_some() {
        after["times_triggered"] = json!(state.times_triggered);
    }
    if case["after"].get("repeat_count").is_some() {
        after["repeat_count"] = json!(state.repeat_count.map_or(-1, i64::from));
    }
    let following = firings(&trigger, &mut state, list(&case["following"]).len());
    Some(json!({ "after": after, "following": following }))
}

/// The next firings of a state, with a `null` where there are no more.
fn firings(trigger: &Trigger, state: &mut TriggerState, count: usize) -> Vec<Value> {
    let fire = |_| {
        trigger.triggered(state);
        millis(state.next_fire_at)
    };
    (0..count).map(fire).collect()
}

fn state(value: &Value) -> TriggerState {
    TriggerState {
        next_fire_at: value["next"].as_i64().map(Timestamp::from_millis),
        previous_fire_at: value["prev"].as_i64().map(Timestamp::from_millis),
        start_at: instant(&value["start"]),
        repeat_count: value["repeat_count"].as_u64().map(|n| n as u32),
        times_triggered: value["times_triggered"].as_u64().unwrap_or(0) as u32,
    }
}

/// The trigger of a case; `None` when it is refused.
pub fn trigger(case: &Value, calendar_value: &Value, semantics: Semantics) -> Option<Trigger> {
    let value = &case["trigger"];
    let schedule = schedule(value, semantics)?;
    let mut trigger = Trigger::new(schedule, zone(&case["zone"]), instant(&value["start"]));
    trigger.end_at = value["end"].as_i64().map(Timestamp::from_millis);
    trigger.semantics = semantics;
    if !calendar_value.is_null() {
        trigger.calendar = Some(Arc::new(calendar(calendar_value, &trigger.zone, semantics)?));
    }
    trigger.validate().ok()?;
    Some(trigger)
}

fn schedule(value: &Value, semantics: Semantics) -> Option<Schedule> {
    let repeat_count = match value["repeat_count"].as_i64() {
        Some(-1) | None => None,
        Some(n) => Some(u32::try_from(n).ok()?),
    };
    let interval = || u32::try_from(value["interval"].as_i64()?).ok();
    Some(match value["type"].as_str()? {
        "simple" => Schedule::Every { interval_ms: value["interval_ms"].as_i64()?, repeat_count },
        "cron" => Schedule::Cron(cron(value["expr"].as_str()?, semantics)?),
        "calendar_interval" => Schedule::CalendarInterval {
            unit: unit(&value["unit"])?,
            interval: interval()?,
            preserve_hour: value["preserve_hour"].as_bool()?,
            skip_day: value["skip_day"].as_bool()?,
        },
        "daily_time_interval" => Schedule::DailyWindow {
            from: time(&value["from"])?,
            to: if value["to"].is_null() { None } else { Some(time(&value["to"])?) },
            days: days(&value["days"])?,
            unit: unit(&value["unit"])?,
            interval: interval()?,
            repeat_count,
        },
        other => panic!("unknown trigger type {other}"),
    })
}

/// A chain of calendars; `None` when a link is refused.
pub fn calendar(value: &Value, case_zone: &Zone, semantics: Semantics) -> Option<Calendar> {
    let numbers = || list(&value["excluded"]).iter().map(|n| n.as_u64().unwrap_or(0) as u8);
    let mut calendar = match value["type"].as_str()? {
        "annual" => {
            let day = |n: &Value| n.as_u64().unwrap_or(0) as u8;
            Calendar::annual(list(&value["excluded"]).iter().map(|d| (day(&d[0]), day(&d[1])))).ok()?
        }
        "cron" => Calendar::cron(cron(value["expr"].as_str()?, semantics)?),
        "daily" => {
            let invert = value["invert"].as_bool()?;
            Calendar::daily(time(&value["from"])?, time(&value["to"])?, invert).ok()?
        }
        "holiday" => {
            let zone = if value["zone"].is_null() { case_zone.clone() } else { zone(&value["zone"]) };
            let date = |t: &Value| zone.to_local(instant(t)).date();
            Calendar::holiday(list(&value["excluded_instants"]).iter().map(date)).ok()?
        }
        "monthly" => Calendar::monthly(numbers()).ok()?,
        "weekly" => Calendar::weekly(DaysOfWeek::from_numbers(numbers())?),
        other => panic!("unknown calendar type {other}"),
    };
    if !value["zone"].is_null() {
        calendar = calendar.in_zone(zone(&value["zone"]));
    }
    if value["base"].is_null() {
        return Some(calendar);
    }
    let base = self::calendar(&value["base"], case_zone, semantics)?;
    calendar.on_base(Arc::new(base)).ok()
}

fn cron(expression: &str, semantics: Semantics) -> Option<Arc<Cron>> {
    Cron::parse(expression, Dialect::Quartz, semantics).ok().map(Arc::new)
}

fn unit(value: &Value) -> Option<CalendarUnit> {
    use CalendarUnit::{Day, Hour, Minute, Month, Second, Week, Year};
    [Second, Minute, Hour, Day, Week, Month, Year]
        .into_iter()
        .find(|unit| value.as_str().is_some_and(|name| name.eq_ignore_ascii_case(unit.as_str())))
}

fn days(value: &Value) -> Option<DaysOfWeek> {
    DaysOfWeek::from_numbers(list(value).iter().map(|n| n.as_u64().unwrap_or(0) as u8))
}

fn time(value: &Value) -> Option<TimeOfDay> {
    value.as_str()?.parse().ok()
}

fn zone(value: &Value) -> Zone {
    let name = value.as_str().expect("a case has a zone");
    Zone::parse(name).expect("the vectors name zones of the tz database")
}

fn instant(value: &Value) -> Timestamp {
    Timestamp::from_millis(value.as_i64().expect("an instant"))
}

fn millis(t: Option<Timestamp>) -> Value {
    t.map_or(Value::Null, |t| json!(t.as_millis()))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
