//! Under `standard`, triggers and calendars differ from Quartz's recorded answers at named points only.
//!
//! Every case that differs is explained by a rule about its first difference, never by its number.

use std::collections::BTreeMap;

use mainspring_schedule::{
    CalendarUnit, Cron, Dialect, Schedule, SemanticPoint as Point, Semantics, Timestamp, Trigger, Zone,
};
use serde_json::Value;

use crate::replay;

const DAY_MS: i64 = 86_400_000;

#[test]
fn standard_triggers_differ_only_at_named_points() {
    let mut counts: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    let mut unexplained = Vec::new();
    for file in ["trigger", "calendar", "misfire", "new_calendar"] {
        for case in cases(file) {
            for (what, point) in differences(file, &case) {
                match point {
                    Some(point) => {
                        let group = format!("{file} {}", group(&case));
                        *counts.entry(point.as_str()).or_default().entry(group).or_default() += 1;
                    }
                    None => unexplained.push(format!("{}: {what}", case["id"])),
                }
            }
        }
    }
    for (point, groups) in &counts {
        println!("{point}: {} differences in {groups:?}", groups.values().sum::<usize>());
    }
    let shown = unexplained.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(unexplained.is_empty(), "{} unexplained, such as\n{shown}", unexplained.len());
}

fn cases(file: &str) -> Vec<Value> {
    let path = format!("{}/tests/vectors/quartz/{file}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the vectors lie beside this test");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn group(case: &Value) -> String {
    let name = case["cat"].as_str().or(case["trigger"]["type"].as_str());
    name.unwrap_or_default().to_owned()
}

/// Each field in which the standard answer differs, with the point that explains it.
fn differences(file: &str, case: &Value) -> Vec<(String, Option<Point>)> {
    let ours = replay::answers(file, case, Semantics::Standard);
    if case["error"] == true {
        return match ours.get("error") {
            Some(_) => Vec::new(),
            None => vec![("accepted, though Quartz refuses it".to_owned(), None)],
        };
    }
    if ours.get("error").is_some() {
        let point = expressions(case).iter().find_map(|text| refusal(text));
        return vec![("refused".to_owned(), point)];
    }
    if file == "calendar" {
        return probe_differences(case, &ours);
    }
    let trigger = replay::trigger(case, &case["calendar"], Semantics::Standard);
    let rules = Rules { case, trigger: trigger.expect("it has just answered") };
    rules.differences(&ours)
}

/// All cron expressions of a case.
fn expressions(case: &Value) -> Vec<&str> {
    let mut found: Vec<&str> = case["trigger"]["expr"].as_str().into_iter().collect();
    let mut calendar = &case["calendar"];
    while !calendar.is_null() {
        found.extend(calendar["expr"].as_str());
        calendar = &calendar["base"];
    }
    found
}

fn refusal(expression: &str) -> Option<Point> {
    let error = Cron::parse(expression, Dialect::Quartz, Semantics::Standard).err()?;
    let years = error.code() == "cron.out_of_range" && error.field() == Some(mainspring_schedule::Field::Year);
    Some(if years { Point::YearsChecked } else { Point::JunkRefused })
}

/// A trigger case and what explains a difference in it.
struct Rules<'a> {
    case: &'a Value,
    trigger: Trigger,
}

impl Rules<'_> {
    fn differences(&self, ours: &Value) -> Vec<(String, Option<Point>)> {
        let (first, after) = (ours["first"].clone(), ours["after"].clone());
        let mut found = Vec::new();
        let mut add = |what: String, point: Option<Point>| found.push((what, point));
        for (field, theirs, ours) in
            ["first", "final", "after", "next", "following"].map(|f| (f, &self.case[f], &ours[f]))
        {
            if theirs == ours || (field == "final" && self.case.get(field).is_none()) {
                continue;
            }
            let what = format!("{field}: theirs {theirs}, ours {ours}");
            match field {
                "final" => add(what, Some(Point::FinalFireHappens)),
                "after" if theirs.is_array() => {
                    for (theirs, ours) in array(theirs).iter().zip(array(ours)) {
                        if theirs != ours {
                            let point = self.explain(instant(&theirs[0]), &theirs[1], &ours[1]);
                            add(format!("after: theirs {theirs}, ours {ours}"), point);
                        }
                    }
                }
                "after" => {
                    let now = instant(&self.case["now"]);
                    add(what, self.explain(now, &theirs["next"], &ours["next"]));
                }
                "first" => add(what, self.explain(self.trigger.start_at - 1, theirs, ours)),
                // The lists follow from where they begin.
                "next" if self.case["first"] != first => {}
                "following" if self.case["after"] != after => {}
                _ => {
                    let (theirs, ours) = (array(theirs), array(ours));
                    let at = theirs.iter().zip(ours).position(|(t, o)| t != o).unwrap_or(0);
                    let before = if at == 0 { self.before_list() } else { instant(&theirs[at - 1]) };
                    add(what, self.explain(before, &theirs[at], &ours[at]));
                }
            }
        }
        found
    }

    /// The fire before the first one of the list.
    fn before_list(&self) -> Timestamp {
        let first = self.case.get("first").unwrap_or(&self.case["after"]["next"]);
        first.as_i64().map_or(self.trigger.start_at, Timestamp::from_millis)
    }

    /// The point at which the next fire after `t` differs.
    fn explain(&self, t: Timestamp, theirs: &Value, ours: &Value) -> Option<Point> {
        let (theirs, ours) = (optional(theirs), optional(ours));
        let differing = theirs.into_iter().chain(ours).min()?;
        if let Some(point) = self.explain_calendar(differing) {
            return Some(point);
        }
        match &self.trigger.schedule {
            Schedule::Cron(cron) => self.explain_cron(cron, differing),
            Schedule::CalendarInterval { unit, .. } => self.explain_interval(*unit, t, differing),
            Schedule::DailyWindow { .. } => self.explain_window(t, theirs, ours),
            _ => None,
        }
    }

    /// The calendar itself differs at the instant.
    fn explain_calendar(&self, t: Timestamp) -> Option<Point> {
        let quartz = replay::trigger(self.case, &self.case["calendar"], Semantics::Quartz)?;
        let (ours, theirs) = (self.trigger.calendar.as_ref()?, quartz.calendar?);
        let zone = &self.trigger.zone;
        let differs = ours.is_included(t, Semantics::Standard, zone) != theirs.is_included(t, Semantics::Quartz, zone);
        differs.then(|| calendar_point(&self.case["calendar"], zone, t))?
    }

    fn explain_cron(&self, cron: &Cron, fire: Timestamp) -> Option<Point> {
        if fire < self.trigger.start_at {
            return Some(Point::CronStartExact);
        }
        cron_point(cron.as_str(), &self.trigger.zone, fire)
    }

    fn explain_interval(&self, unit: CalendarUnit, t: Timestamp, fire: Timestamp) -> Option<Point> {
        let start = self.trigger.zone.to_local(self.trigger.start_at);
        let by_months = matches!(unit, CalendarUnit::Month | CalendarUnit::Year);
        let from = self.trigger.start_at.min(t) - 2 * DAY_MS;
        if changes_offset(&self.trigger.zone, from, fire + 2 * DAY_MS, start.millis_of_day()) {
            return Some(Point::IntervalKeepsTime);
        }
        (by_months && start.date().day > 28).then_some(Point::MonthsKeepDay)
    }

    fn explain_window(&self, t: Timestamp, theirs: Option<Timestamp>, ours: Option<Timestamp>) -> Option<Point> {
        let out_of_bounds =
            |fire: Timestamp| fire < self.trigger.start_at || self.trigger.end_at.is_some_and(|end| fire > end);
        let near = |fire: Option<Timestamp>| fire.is_some_and(|fire| near_change(&self.trigger.zone, fire, 2 * DAY_MS));
        // Quartz ends early as well: it compares the end with where a step past the window leads.
        let ends_early = theirs.is_none() && self.trigger.end_at.is_some();
        if theirs.is_some_and(out_of_bounds) || ends_early {
            Some(Point::WindowKeepsBounds)
        } else if ours.is_some_and(|ours| ours.since(t) <= 1_000 && theirs.is_none_or(|th| th > ours)) {
            Some(Point::WindowAsksExactly)
        } else if near(theirs) || near(ours) {
            Some(Point::WindowFollowsClock)
        } else {
            None
        }
    }
}

/// What explains that an expression fires, or is satisfied, at an instant under one semantics only.
fn cron_point(expression: &str, zone: &Zone, t: Timestamp) -> Option<Point> {
    let days = expression.split_ascii_whitespace().nth(3).unwrap_or_default().to_ascii_uppercase();
    if days.contains('W') {
        return Some(Point::WeekdayKeepsTimes);
    }
    if near_change(zone, t, 2 * DAY_MS) {
        let window = zone.window(t + 2 * DAY_MS);
        let before = zone.window(Timestamp::from_millis(window.from_ms - 1));
        let gap = before.offset_ms < window.offset_ms;
        return Some(if gap { Point::GapFiresAfter } else { Point::OverlapFiresFirst });
    }
    (days.contains("L-") && days.contains(',')).then_some(Point::LastDayKeepsPlace)
}

/// What explains that a chain of calendars includes an instant under one semantics only.
fn calendar_point(calendar: &Value, case_zone: &Zone, t: Timestamp) -> Option<Point> {
    let mut link = calendar;
    while !link.is_null() {
        let zone = match link["zone"].as_str() {
            Some(name) => Zone::parse(name).expect("a zone of the vectors"),
            None => case_zone.clone(),
        };
        let of_day = zone.to_local(t).millis_of_day();
        let edge = of_day == 0 || of_day == DAY_MS - 1;
        match link["type"].as_str() {
            Some("daily") if edge || near_change(&zone, t, DAY_MS) => {
                return Some(Point::CalendarEdges);
            }
            Some("cron") => {
                if let Some(point) = cron_point(link["expr"].as_str()?, &zone, t) {
                    return Some(point);
                }
            }
            _ => {}
        }
        link = &link["base"];
    }
    None
}

fn probe_differences(case: &Value, ours: &Value) -> Vec<(String, Option<Point>)> {
    let zone = Zone::parse(case["zone"].as_str().expect("a zone")).expect("a zone of tzdata");
    let calendar = replay::calendar(&case["calendar"], &zone, Semantics::Standard).expect("valid");
    let included = |t: Timestamp| calendar.is_included(t, Semantics::Standard, &zone);
    let mut found = Vec::new();
    for (theirs, ours) in array(&case["probes"]).iter().zip(array(&ours["probes"])) {
        let t = instant(&theirs[0]);
        if theirs[1] != ours[1] {
            let what = format!("included: theirs {theirs}, ours {ours}");
            found.push((what, calendar_point(&case["calendar"], &zone, t)));
        }
        if theirs[2] != ours[2] && !theirs[2].is_null() {
            // The definition explains it, provided that our answer keeps to the definition.
            let next = optional(&ours[2]).filter(|next| next.as_millis() != 0);
            let exact = match next {
                Some(next) if next == t => included(t),
                Some(next) => next > t && !included(t) && included(next) && !included(next - 1),
                None => !included(t),
            };
            let what = format!("next: theirs {theirs}, ours {ours}");
            found.push((what, exact.then_some(Point::NextIncludedExact)));
        }
    }
    found
}

/// Whether the zone's offset changes within `distance_ms` of an instant.
fn near_change(zone: &Zone, t: Timestamp, distance_ms: i64) -> bool {
    let window = zone.window(t - distance_ms);
    window.to_ms <= t.as_millis().saturating_add(distance_ms)
}

/// Whether an offset change in the range comes near a time of day.
fn changes_offset(zone: &Zone, from: Timestamp, to: Timestamp, millis_of_day: i64) -> bool {
    let mut window = zone.window(from);
    while window.to_ms < to.as_millis() {
        let after = zone.window(Timestamp::from_millis(window.to_ms));
        let change = (after.offset_ms - window.offset_ms).abs();
        let earliest = window.to_ms + window.offset_ms.min(after.offset_ms) - change;
        if (millis_of_day - earliest).rem_euclid(DAY_MS) <= 3 * change {
            return true;
        }
        window = after;
    }
    false
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn instant(value: &Value) -> Timestamp {
    Timestamp::from_millis(value.as_i64().expect("an instant"))
}

fn optional(value: &Value) -> Option<Timestamp> {
    value.as_i64().map(Timestamp::from_millis)
}
