//! The recorded answers of Quartz: equal under `quartz`, and under `standard` different only at named points.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_schedule::{Cron, Dialect, Field, Resolved, SemanticPoint, Semantics, Timestamp, Zone};
use serde::Deserialize;

const CASES: &str = include_str!("../vectors/quartz/cron.jsonl");

#[derive(Deserialize)]
struct Case {
    id: String,
    cat: String,
    expr: String,
    #[serde(default)]
    error: bool,
    #[serde(default)]
    eval_error: bool,
    #[serde(default)]
    zone: String,
    #[serde(default)]
    start: i64,
    #[serde(default)]
    satisfied: bool,
    #[serde(default)]
    fires: Vec<Option<i64>>,
}

impl Case {
    fn all() -> impl Iterator<Item = Self> {
        CASES.lines().map(|line| serde_json::from_str(line).unwrap())
    }

    fn refused(&self) -> bool {
        self.error || self.eval_error
    }

    fn zone(&self) -> Zone {
        Zone::parse(&self.zone).unwrap()
    }

    fn start(&self) -> Timestamp {
        Timestamp::from_millis(self.start)
    }

    fn theirs(&self) -> Vec<Option<Timestamp>> {
        self.fires.iter().map(|t| t.map(Timestamp::from_millis)).collect()
    }
}

/// As many fires after `start` as were recorded; a final `None` if there are no more.
fn walk(cron: &Cron, zone: &Zone, start: Timestamp, count: usize) -> Vec<Option<Timestamp>> {
    let mut fires = Vec::new();
    let mut t = start;
    while fires.len() < count {
        fires.push(cron.next_after(zone, t));
        match fires.last() {
            Some(Some(fire)) => t = *fire,
            _ => break,
        }
    }
    fires
}

#[test]
fn quartz_semantics_give_every_recorded_answer() {
    for case in Case::all() {
        let parsed = Cron::parse(&case.expr, Dialect::Quartz, Semantics::Quartz);
        assert_eq!(parsed.is_err(), case.refused(), "{}: {:?}", case.id, case.expr);
        let Ok(cron) = parsed else { continue };
        let zone = case.zone();
        assert_eq!(walk(&cron, &zone, case.start(), case.fires.len()), case.theirs(), "{}: {cron:?}", case.id);
        assert_eq!(cron.matches(&zone, case.start()), case.satisfied, "{}: {cron:?} satisfied", case.id);
    }
}

#[test]
fn standard_semantics_differ_only_at_named_points() {
    let mut counts: BTreeMap<SemanticPoint, BTreeMap<String, usize>> = BTreeMap::new();
    let (mut equal, mut unexplained) = (0, Vec::new());
    for case in Case::all() {
        let points = differences(&case);
        if points.is_empty() {
            equal += 1;
        }
        for point in points {
            match point {
                Ok(point) => *counts.entry(point).or_default().entry(case.cat.clone()).or_default() += 1,
                Err(what) => unexplained.push(format!("{} {:?} in {}: {what}", case.id, case.expr, case.zone)),
            }
        }
    }
    println!("equal: {equal}");
    for (point, groups) in &counts {
        println!("{point}: {} in {groups:?}", groups.values().sum::<usize>());
    }
    assert!(unexplained.is_empty(), "{} unexplained:\n{}", unexplained.len(), unexplained.join("\n"));
    let missing: Vec<_> = CRON_POINTS.iter().filter(|point| !counts.contains_key(point)).collect();
    assert!(missing.is_empty(), "points without a case: {missing:?}");
}

const CRON_POINTS: [SemanticPoint; 7] = [
    SemanticPoint::GapFiresAfter,
    SemanticPoint::OverlapFiresFirst,
    SemanticPoint::OverlapStepsElapsed,
    SemanticPoint::WeekdayKeepsTimes,
    SemanticPoint::LastDayKeepsPlace,
    SemanticPoint::JunkRefused,
    SemanticPoint::YearsChecked,
];

/// The points at which our standard answer to a case differs, each once; an error for what no rule explains.
fn differences(case: &Case) -> BTreeSet<Result<SemanticPoint, String>> {
    let cron = match Cron::parse(&case.expr, Dialect::Quartz, Semantics::Standard) {
        Err(_) if case.refused() => return BTreeSet::new(),
        Err(error) if error.field() == Some(Field::Year) && error.code() == "cron.out_of_range" => {
            return BTreeSet::from([Ok(SemanticPoint::YearsChecked)]);
        }
        Err(_) => return BTreeSet::from([Ok(SemanticPoint::JunkRefused)]),
        Ok(_) if case.refused() => {
            return BTreeSet::from([Err("accepted, though Quartz refuses it".into())]);
        }
        Ok(cron) => cron,
    };
    let (zone, start, theirs) = (case.zone(), case.start(), case.theirs());
    // Ours may have more fires in the same time, so it is walked up to the last of theirs.
    let end = match theirs.last() {
        Some(None) | None => Timestamp::from_millis(i64::MAX / 2),
        Some(Some(last)) => *last,
    };
    let ours = std::iter::successors(cron.next_after(&zone, start), |fire| cron.next_after(&zone, *fire));
    let ours: BTreeSet<Timestamp> = ours.take_while(|fire| *fire <= end).collect();
    let theirs: BTreeSet<Timestamp> = theirs.into_iter().flatten().collect();
    let mut points: BTreeSet<_> =
        ours.symmetric_difference(&theirs).map(|t| point_of(&cron, &zone, *t, ours.contains(t))).collect();
    if cron.matches(&zone, start) != case.satisfied {
        let second = Timestamp::from_millis(start.as_millis().div_euclid(1_000) * 1_000);
        points.insert(point_of(&cron, &zone, second, !case.satisfied));
    }
    points
}

/// The point at which a fire comes to be ours alone (`ours`) or Quartz's alone.
fn point_of(cron: &Cron, zone: &Zone, fire: Timestamp, ours: bool) -> Result<SemanticPoint, String> {
    let text = cron.as_str().to_ascii_uppercase();
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    let hours_step = fields[2].contains(['*', '/', '-']);
    match zone.resolve(zone.to_local(fire)) {
        // A fixed time: ours is the first of two, theirs the second.
        Resolved::Twice { first, .. } if !hours_step && (fire == first) == ours => Ok(SemanticPoint::OverlapFiresFirst),
        // Hours that step: ours has both passes, theirs the second, or its end when asked in the first.
        Resolved::Twice { .. } if hours_step && ours => Ok(SemanticPoint::OverlapStepsElapsed),
        // After the gap, or so soon after it that Quartz slid over it.
        _ if ours && follows_gap(zone, fire) => Ok(SemanticPoint::GapFiresAfter),
        _ if ours && fields[3].contains('W') => Ok(SemanticPoint::WeekdayKeepsTimes),
        // `W` fires inside a gap, later by its length; or takes a skipped day for the one after, a Saturday.
        _ if !ours && fields[3].contains('W') && (follows_gap(zone, fire) || precedes_skipped_day(zone, fire)) => {
            Ok(SemanticPoint::GapFiresAfter)
        }
        _ if ours && fields[3].contains("L-") && fields[3].contains(',') => Ok(SemanticPoint::LastDayKeepsPlace),
        _ => Err(format!("{fire} is {} alone", if ours { "ours" } else { "Quartz's" })),
    }
}

/// Whether the clock jumped forward so shortly before that a time of the gap, shifted, may reach `fire`.
fn follows_gap(zone: &Zone, fire: Timestamp) -> bool {
    if zone.window(fire).from_ms == i64::MIN {
        return false;
    }
    let from = zone.window(fire).from_ms;
    let jump = zone.offset_ms(fire) - zone.offset_ms(Timestamp::from_millis(from - 1));
    fire.as_millis() - from < jump
}

fn precedes_skipped_day(zone: &Zone, fire: Timestamp) -> bool {
    let day_ms = 86_400_000;
    zone.next_change(fire)
        .is_some_and(|change| change.since(fire) <= day_ms && zone.offset_ms(change) - zone.offset_ms(fire) >= day_ms)
}
