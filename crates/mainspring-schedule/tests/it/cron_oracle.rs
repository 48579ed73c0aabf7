//! Fires against an oracle that scans time: each second or minute is asked whether it fires, straight from
//! the definition, with the library's own zone arithmetic. The oracle never sees the text: expressions are
//! made as a [`model`], which is both written as text and evaluated.

mod model;

use std::sync::LazyLock;

use jiff::tz::{AmbiguousOffset, TimeZone, TimeZoneDatabase};
use mainspring_schedule::{Cron, Semantics, Timestamp, Zone};
use proptest::prelude::*;

use model::{Expression, any_days, any_times};

const SECOND_MS: i64 = 1_000;
const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 86_400_000;

/// Zones with large, small, half-hour, midnight and day-long changes.
const ZONES: [&str; 12] = [
    "UTC",
    "America/New_York",
    "Europe/Berlin",
    "Europe/Dublin",
    "Australia/Lord_Howe",
    "Antarctica/Troll",
    "America/Sao_Paulo",
    "America/Havana",
    "Africa/Casablanca",
    "Pacific/Apia",
    "Asia/Kathmandu",
    "Asia/Beirut",
];

struct Oracle<'e> {
    expression: &'e Expression,
    rules: TimeZone,
}

impl<'e> Oracle<'e> {
    fn new(expression: &'e Expression, zone: &str) -> Self {
        // One database for all, since it keeps the zones that it has read.
        static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);
        Self { expression, rules: ZONES.get(zone).unwrap() }
    }

    /// Whether the schedule fires at this instant.
    fn fires(&self, t: i64) -> bool {
        let instant = jiff::Timestamp::from_millisecond(t).unwrap();
        let local = self.rules.to_datetime(instant);
        let second_pass = match self.rules.to_ambiguous_timestamp(local).offset() {
            AmbiguousOffset::Fold { after, .. } => after == self.rules.to_offset(instant),
            _ => false,
        };
        let shown = self.expression.fits(local) && (!second_pass || self.expression.steps_through(local.hour()));
        shown || self.makes_up_for_gap(instant, local)
    }

    /// Whether the clock has just jumped over a fitting time that is not merely stepped through.
    fn makes_up_for_gap(&self, instant: jiff::Timestamp, local: jiff::civil::DateTime) -> bool {
        let before = self.rules.to_datetime(instant - jiff::SignedDuration::from_secs(1));
        let mut skipped = before + jiff::SignedDuration::from_secs(1);
        let whole_minutes = skipped.second() == 0 && self.expression.only_whole_minutes();
        let step = jiff::SignedDuration::from_secs(if whole_minutes { 60 } else { 1 });
        while skipped < local {
            let hour = skipped.hour();
            let goes_on = self.expression.steps_through(hour) && self.expression.has_hour((hour + 1) % 24);
            if self.expression.fits(skipped) && !goes_on {
                return true;
            }
            skipped += step;
        }
        false
    }

    fn scan(&self, from: i64, to: i64, step: i64) -> Vec<i64> {
        let first = from.div_euclid(step) * step + step;
        (first..=to).step_by(step as usize).filter(|t| self.fires(*t)).collect()
    }
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn forwards(cron: &Cron, zone: &Zone, from: i64, to: i64) -> Vec<i64> {
    let fires = std::iter::successors(cron.next_after(zone, at(from)), |t| cron.next_after(zone, *t));
    fires.map(Timestamp::as_millis).take_while(|t| *t <= to).collect()
}

fn backwards(cron: &Cron, zone: &Zone, from: i64, to: i64) -> Vec<i64> {
    let fires = std::iter::successors(cron.previous_before(zone, at(to + 1)), |t| cron.previous_before(zone, *t));
    let mut fires: Vec<i64> = fires.map(Timestamp::as_millis).take_while(|t| *t > from).collect();
    fires.reverse();
    fires
}

/// Compares a stretch of time with the oracle, walked forwards and backwards.
fn check(expression: &Expression, zone: &str, from: i64, to: i64, step: i64) {
    let text = expression.to_string();
    let cron = Cron::parse_auto(&text, Semantics::Standard).unwrap_or_else(|e| panic!("{text}: {e}"));
    let expected = Oracle::new(expression, zone).scan(from, to, step);
    let zone = Zone::parse(zone).unwrap();
    let shown = |fires: &[i64]| fires.iter().map(|t| at(*t).to_string()).collect::<Vec<_>>();
    let walked = forwards(&cron, &zone, from, to);
    assert_eq!(shown(&walked), shown(&expected), "`{text}` in {zone} from {}", at(from));
    let walked = backwards(&cron, &zone, from, to);
    assert_eq!(shown(&walked), shown(&expected), "`{text}` in {zone} backwards to {}", at(from));
    // From any instant in between, the next and the previous one are the neighbours.
    for (index, fire) in expected.iter().enumerate() {
        assert!(cron.matches(&zone, at(*fire + 7)), "`{text}` in {zone} at {}", at(*fire));
        if let Some(next) = expected.get(index + 1) {
            let between = at((fire + next) / 2);
            assert_eq!(cron.next_after(&zone, between), Some(at(*next)));
            assert_eq!(cron.previous_before(&zone, between + 1), Some(at(*fire)));
        }
    }
}

/// An offset change of the zone between 1970 and 2037, or any instant if it has none.
fn near_change(zone: &Zone, seed: i64) -> i64 {
    let seed = seed.rem_euclid(68 * 365 * DAY_MS);
    zone.next_change(at(seed)).map_or(seed, Timestamp::as_millis).min(68 * 365 * DAY_MS)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_second_around_an_offset_change_is_as_defined(
        expression in any_times(true), zone in prop::sample::select(&ZONES), seed in any::<i64>(), shift in -90..90_i64,
    ) {
        let middle = near_change(&Zone::parse(zone).unwrap(), seed) + shift * MINUTE_MS;
        check(&expression, zone, middle - 20 * MINUTE_MS, middle + 20 * MINUTE_MS, SECOND_MS);
    }

    #[test]
    fn each_minute_around_an_offset_change_is_as_defined(
        expression in any_times(false), zone in prop::sample::select(&ZONES), seed in any::<i64>(),
    ) {
        let middle = near_change(&Zone::parse(zone).unwrap(), seed);
        check(&expression, zone, middle - 36 * HOUR_MS, middle + 36 * HOUR_MS, MINUTE_MS);
    }

    #[test]
    fn each_day_of_five_years_is_as_defined(expression in any_days(), start in 0..24_000_i64) {
        check(&expression, "UTC", start * DAY_MS, (start + 1_900) * DAY_MS, DAY_MS);
    }

    #[test]
    fn away_from_offset_changes_both_semantics_agree(expression in any_days(), start in 0..24_000_i64) {
        let text = expression.to_string();
        // `W` and days from the end are repaired under the standard semantics.
        if text.contains('W') || text.contains("L-") || text.split(' ').count() == 5 {
            return Ok(());
        }
        let standard = Cron::parse_auto(&text, Semantics::Standard).unwrap();
        let quartz = Cron::parse_auto(&text, Semantics::Quartz).unwrap();
        let (from, to) = (start * DAY_MS, (start + 1_900) * DAY_MS);
        prop_assert_eq!(forwards(&standard, &Zone::utc(), from, to), forwards(&quartz, &Zone::utc(), from, to));
        prop_assert_eq!(backwards(&quartz, &Zone::utc(), from, to), forwards(&quartz, &Zone::utc(), from, to));
    }

    #[test]
    fn quartz_semantics_move_forward_wherever_they_are_asked(
        expression in any_times(true), zone in prop::sample::select(&ZONES), seed in any::<i64>(), shift in -7_200_000..7_200_000_i64,
    ) {
        let Ok(cron) = Cron::parse_auto(&expression.to_string(), Semantics::Quartz) else { return Ok(()) };
        let zone = Zone::parse(zone).unwrap();
        let t = at(near_change(&zone, seed) + shift);
        if let Some(next) = cron.next_after(&zone, t) {
            prop_assert!(next > t);
            prop_assert!(cron.previous_before(&zone, next).is_none_or(|previous| previous < next));
            prop_assert!(cron.previous_before(&zone, next + 1) == Some(next));
        }
    }

    #[test]
    fn the_previous_fire_under_quartz_is_the_last_that_comes_next_after_something(
        expression in any_times(true), zone in prop::sample::select(&ZONES), seed in any::<i64>(),
        shift in -HOUR_MS..HOUR_MS,
    ) {
        let Ok(cron) = Cron::parse_auto(&expression.to_string(), Semantics::Quartz) else { return Ok(()) };
        let zone = Zone::parse(zone).unwrap();
        let t = near_change(&zone, seed) + shift;
        let fires = (1..2 * 3_600).map(|seconds| cron.next_after(&zone, at(t - seconds * SECOND_MS)));
        if let Some(last) = fires.flatten().filter(|fire| *fire < at(t)).max() {
            prop_assert_eq!(cron.previous_before(&zone, at(t)), Some(last), "{:?} in {} before {}", cron, zone, at(t));
        }
    }

    #[test]
    fn an_expression_shows_the_text_it_was_read_from(expression in any_days()) {
        let text = expression.to_string();
        let cron = Cron::parse_auto(&text, Semantics::Standard).unwrap();
        prop_assert_eq!(cron.to_string(), text.clone());
        prop_assert_eq!(Cron::parse_auto(&cron.to_string(), Semantics::Standard).unwrap(), cron);
    }
}

/// Every offset change of every zone from 1970 to 2037, with its jump; names that share their rules count once.
fn all_changes() -> Vec<(Zone, Timestamp, i64)> {
    let mut all = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for name in Zone::names() {
        let zone = Zone::parse(name).unwrap();
        let changes = std::iter::successors(zone.next_change(at(0)), |t| zone.next_change(*t));
        let changes: Vec<Timestamp> = changes.take_while(|t| *t < at(68 * 365 * DAY_MS)).collect();
        if seen.insert(changes.iter().map(|t| (*t, zone.offset_ms(*t))).collect::<Vec<_>>()) {
            let jump = |change: Timestamp| zone.offset_ms(change) - zone.offset_ms(change - 1);
            all.extend(changes.into_iter().map(|change| (zone.clone(), change, jump(change))));
        }
    }
    assert!(all.len() > 10_000, "{} changes", all.len());
    all
}

#[test]
fn every_change_of_every_zone_is_as_defined() {
    let expressions = model::rotation();
    for ((zone, change, jump), expression) in all_changes().into_iter().zip(expressions.iter().cycle()) {
        let around = jump.abs().min(3 * HOUR_MS) + 16 * MINUTE_MS;
        let from = change.as_millis().div_euclid(MINUTE_MS) * MINUTE_MS - around;
        // Offsets of the past had seconds, so those days are scanned by the second.
        let odd = change.as_millis() % MINUTE_MS != 0 || jump % MINUTE_MS != 0;
        check(expression, zone.name(), from, from + 2 * around, if odd { SECOND_MS } else { MINUTE_MS });
    }
}

#[test]
fn at_every_change_of_every_zone_the_way_back_finds_what_the_way_forth_finds() {
    let hours = |change: Timestamp, zone: &Zone| zone.to_local(change - 1).hour();
    for (index, (zone, change, jump)) in all_changes().into_iter().enumerate() {
        let hour = hours(change, &zone);
        let texts = [
            format!("*/20 30 {hour} * * ?"),
            "0/7 29-31 * * * ?".to_owned(),
            format!("*/30 0,15,45 {hour}-{} 5,L-3,20 * ?", (hour + 1) % 24),
            "* * * * * ?".to_owned(),
            format!("5,55 0,59 {hour},0 LW,L,1 * ?"),
        ];
        // Questions about `W` take their time, so few changes get them.
        let text = &texts[if index % 50 == 0 { 4 } else { index % 4 }];
        // The way back under standard semantics is proven at every change above.
        let semantics =
            if index % 10 == 0 { vec![Semantics::Standard, Semantics::Quartz] } else { vec![Semantics::Quartz] };
        for semantics in semantics {
            let cron = Cron::parse_auto(text, semantics).unwrap();
            let around = jump.abs().min(DAY_MS) + 5 * MINUTE_MS;
            let asked = (-10..=10).map(|n| change + n * around / 5 + n.rem_euclid(3) * 10_333);
            let asked: Vec<_> = asked.chain([change - 1, change, change + jump.abs(), change - jump.abs()]).collect();
            let fires: Vec<_> = asked.iter().filter_map(|t| cron.next_after(&zone, *t)).collect();
            for t in asked.iter().copied().chain(fires.iter().flat_map(|fire| [*fire, *fire + 1])) {
                let last = fires.iter().copied().filter(|fire| *fire < t).max();
                let previous = cron.previous_before(&zone, t);
                let what = || format!("{cron:?} in {zone} before {t}: {previous:?}, but {last:?} fires");
                assert!(previous >= last && previous.is_none_or(|previous| previous < t), "{}", what());
                let back = previous.filter(|_| !text.contains('W')).and_then(|fire| cron.next_after(&zone, fire - 1));
                assert!(text.contains('W') || back == previous, "{} and comes after it", what());
            }
        }
    }
}
