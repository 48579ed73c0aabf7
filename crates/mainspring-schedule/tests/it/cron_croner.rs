//! The same expressions read by `croner`: equal fires, except where a rule explains the difference.
//!
//! * croner refuses a step after a single value, `5/15`.
//! * To croner a schedule steps through time when *any* time field has `*`, a range or a step; to us when
//!   the *hour* has. So it fires `*/20 2 * * *` in both passes of an overlap, and not for a gap.
//! * A schedule that steps by several hours fires for a time in a gap, since it would leave a hole of more
//!   than its step; croner leaves the hole.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::successors;
use std::sync::LazyLock;

use croner::parser::CronParser;
use jiff::tz::TimeZoneDatabase;
use mainspring_schedule::{Cron, Resolved, Semantics, Timestamp, Zone};

const EXPRESSIONS: [&str; 27] = [
    "* * * * *",
    "*/5 * * * *",
    "*/7 * * * *",
    "0 * * * *",
    "30 * * * *",
    "0 */2 * * *",
    "30 2 * * *",
    "30 1 * * *",
    "0 0 * * *",
    "0 9-17 * * 1-5",
    "15,45 8,20 * * *",
    "0 0 1 * *",
    "0 0 31 * *",
    "0 0 29 2 *",
    "0 12 * * 0",
    "0 12 * * 7",
    "0 12 * * SUN",
    "0 12 * JAN,JUL MON-FRI",
    "0 0 13 * 5",
    "0 0 1-7 * 1",
    "0 22-23 * * *",
    "5/15 * * * *",
    "0 0 * */3 *",
    "@weekly",
    "*/20 2 * * *",
    "0-10 1 * * *",
    "* 3 * * *",
];

#[test]
fn croner_differs_only_where_a_rule_says_so() {
    let mut counts: BTreeMap<Rule, usize> = BTreeMap::new();
    for text in EXPRESSIONS {
        let ours = Cron::parse_auto(text, Semantics::Standard).unwrap();
        let Ok(theirs) = CronParser::new().parse(text) else {
            assert_eq!(text, "5/15 * * * *");
            *counts.entry(Rule::StepAfterValue).or_default() += 1;
            continue;
        };
        for name in ["UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "America/Havana"] {
            for start in ["2025-03-01T00:00:00Z", "2025-10-01T00:00:00Z", "2024-02-01T00:00:00Z"] {
                let zone = Zone::parse(name).unwrap();
                let (ours, theirs) = fires(&ours, &theirs, &zone, start.parse().unwrap());
                for t in ours.symmetric_difference(&theirs) {
                    let rule = rule(text, &zone, *t, ours.contains(t));
                    let rule = rule.unwrap_or_else(|| panic!("`{text}` in {name} at {t}: no rule"));
                    *counts.entry(rule).or_default() += 1;
                }
            }
        }
    }
    println!("{counts:?}");
    assert_eq!(counts.len(), 4, "a rule without a case: {counts:?}");
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rule {
    StepAfterValue,
    HourStepMadeUp,
    FixedHourMadeUp,
    FixedHourOnce,
}

/// The fires of the 40 days after `start`.
fn fires(
    ours: &Cron,
    theirs: &croner::Cron,
    zone: &Zone,
    start: Timestamp,
) -> (BTreeSet<Timestamp>, BTreeSet<Timestamp>) {
    let end = start + 40 * 86_400_000;
    static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);
    let rules = ZONES.get(zone.name()).unwrap();
    let from = jiff::Timestamp::from_millisecond(start.as_millis()).unwrap().to_zoned(rules);
    let theirs = theirs.iter_after(from).map(|t| Timestamp::from_millis(t.timestamp().as_millisecond()));
    let ours = successors(ours.next_after(zone, start), |t| ours.next_after(zone, *t));
    (ours.take_while(|t| *t < end).collect(), theirs.take_while(|t| *t < end).collect())
}

fn rule(text: &str, zone: &Zone, fire: Timestamp, ours: bool) -> Option<Rule> {
    let hour_steps = text.split(' ').nth(1)?.contains(['*', '-', '/']);
    let after_gap = zone.offset_ms(fire) > zone.offset_ms(fire - 1);
    match zone.resolve(zone.to_local(fire)) {
        Resolved::Twice { second, .. } if !ours && !hour_steps && fire == second => Some(Rule::FixedHourOnce),
        _ if ours && after_gap && hour_steps => Some(Rule::HourStepMadeUp),
        _ if ours && after_gap => Some(Rule::FixedHourMadeUp),
        _ => None,
    }
}
