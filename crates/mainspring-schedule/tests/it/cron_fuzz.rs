//! Any text at all: no panic, no endless loop, errors that point into the text.
//!
//! Time is bounded by construction: a text has at most 512 bytes, a search looks at each month up to 2199 at
//! most once, and Quartz's walk has a largest number of moves.

use std::iter::successors;

use mainspring_schedule::{Cron, Dialect, Lang, Semantics, Timestamp, Zone, explain, lint};
use proptest::prelude::*;

/// Reads the text in every way and asks everything of what comes out.
fn ask_everything(text: &str, t: Timestamp) {
    let dialects = [Dialect::Quartz, Dialect::Unix];
    for (dialect, semantics) in dialects.into_iter().flat_map(|d| [(d, Semantics::Standard), (d, Semantics::Quartz)]) {
        let cron = match Cron::parse(text, dialect, semantics) {
            Ok(cron) => cron,
            Err(error) => {
                assert!(text.get(error.span()).is_some(), "{text:?}: {error} points at {:?}", error.span());
                assert!(error.code().starts_with("cron.") && !error.expected().is_empty());
                continue;
            }
        };
        for zone in ["UTC", "Pacific/Apia", "Africa/Casablanca"] {
            let zone = Zone::parse(zone).unwrap();
            let fires: Vec<_> = successors(cron.next_after(&zone, t), |t| cron.next_after(&zone, *t)).take(5).collect();
            assert!(fires.iter().all(|fire| *fire > t && fire.as_millis() % 1_000 == 0), "{cron:?}");
            assert!(fires.is_sorted_by(|a, b| a < b), "{cron:?}");
            assert!(cron.previous_before(&zone, t).is_none_or(|fire| fire < t), "{cron:?}");
            assert!(cron.never_fires().is_none() || fires.is_empty(), "{cron:?}");
            let local = zone.to_local(t);
            let _ = (zone.lenient(local), zone.lenient_add_days(t, 400), zone.next_change(t));
            let _ = cron.matches(&zone, t);
            for remark in lint(&cron, &zone) {
                assert!(text.get(remark.span.clone()).is_some(), "{text:?}: {remark:?}");
            }
        }
        assert!(!explain(&cron, Lang::English).is_empty() && !explain(&cron, Lang::Chinese).is_empty());
    }
    let _ = Cron::parse_auto(text, Semantics::Standard);
}

#[test]
fn the_corpus_is_survived() {
    for line in include_str!("../corpus/cron.jsonl").lines() {
        let text: String = serde_json::from_str(line).unwrap();
        for t in [0, -62_135_596_800_000, 1_772_956_800_000, 7_258_118_399_999, i64::MAX, i64::MIN] {
            ask_everything(&text, Timestamp::from_millis(t));
        }
    }
}

#[test]
fn the_past_of_a_schedule_that_has_ended_is_found_at_once() {
    for semantics in [Semantics::Standard, Semantics::Quartz] {
        let cron = Cron::parse_auto("* * * * * ? 2020", semantics).unwrap();
        let last = cron.previous_before(&Zone::utc(), "2199-01-01T00:00:00Z".parse().unwrap());
        assert_eq!(last, Some("2020-12-31T23:59:59Z".parse().unwrap()));
    }
}

#[test]
fn what_standard_reads_quartz_reads_too() {
    for line in include_str!("../corpus/cron.jsonl").lines() {
        let text: String = serde_json::from_str(line).unwrap();
        if Cron::parse(&text, Dialect::Quartz, Semantics::Standard).is_ok() {
            assert!(Cron::parse(&text, Dialect::Quartz, Semantics::Quartz).is_ok(), "{text:?}");
        }
    }
}

#[test]
fn long_texts_are_refused_before_they_are_read() {
    for dialect in [Dialect::Quartz, Dialect::Unix] {
        let text = format!("0{} 0 * * * ?", ",0".repeat(300));
        let error = Cron::parse(&text, dialect, Semantics::Quartz).unwrap_err();
        assert_eq!(error.code(), "cron.too_long");
        assert_eq!(Cron::parse_auto(&text, Semantics::Standard).unwrap_err().code(), "cron.too_long");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_survived(text in "\\PC{0,40}", t in any::<i64>()) {
        ask_everything(&text, Timestamp::from_millis(t));
    }

    #[test]
    fn any_text_of_cron_characters_is_survived(
        fields in prop::collection::vec("[0-9*/,?LW#MONFRIJADECx-]{1,6}", 4..=8), t in 0..7_000_000_000_000_i64,
    ) {
        ask_everything(&fields.join(" "), Timestamp::from_millis(t));
    }

    #[test]
    fn any_near_valid_text_is_survived(
        fields in prop::collection::vec(
            prop_oneof!["\\*", "\\?", "[0-9]{1,2}", "[0-9]{1,2}[-/][0-9]{1,2}", "\\*/[0-9]{1,2}", "[0-9]{1,2}[LW]?", "L(-[0-9]{1,2})?W?", "[0-9]#[0-9]", "(MON|SUN|JAN|DEC)([-#L][0-9A-Z]{0,3})?"],
            5..=7,
        ),
        t in 0..7_000_000_000_000_i64,
    ) {
        ask_everything(&fields.join(" "), Timestamp::from_millis(t));
    }
}
