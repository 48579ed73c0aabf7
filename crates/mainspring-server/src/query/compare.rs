//! Whether a value is what a test asks for.

use std::collections::BTreeMap;

use mainspring_schedule::Timestamp;

use super::{Bound, Test};

/// Whether a pattern is a text, or with `*` looks like it. Both are in small letters, here and below.
pub(super) fn is(pattern: &str, text: &str) -> bool {
    if pattern.contains('*') { looks_like(pattern, text) } else { pattern == text }
}

/// The same, and a pattern without `*` may be anywhere in the text.
pub(super) fn is_in(pattern: &str, text: &str) -> bool {
    if pattern.contains('*') { looks_like(pattern, text) } else { text.contains(pattern) }
}

/// Whether a text consists of the parts between the stars, in order. Takes time in proportion to the text.
fn looks_like(pattern: &str, text: &str) -> bool {
    let parts: Vec<&str> = pattern.split('*').collect();
    let (first, last) = (parts[0], parts[parts.len() - 1]);
    let Some(mut rest) = text.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else { return false };
    for part in &parts[1..parts.len() - 1] {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

/// Tests texts of which one has to fit. They are in small letters already, for a text may be long and tested many times.
pub(super) fn texts(test: &Test, values: &[String], fits: impl Fn(&str, &str) -> bool) -> bool {
    match test {
        Test::Present => values.iter().any(|value| !value.is_empty()),
        Test::Any(patterns) => values.iter().any(|value| patterns.iter().any(|pattern| fits(pattern, value))),
        Test::Less(_) | Test::More(_) => false,
    }
}

/// Tests labels: `key`, or `key=value`.
pub(super) fn labels(test: &Test, labels: &BTreeMap<String, String>) -> bool {
    let fits = |pattern: &str, name: &str, value: &str| match pattern.split_once('=') {
        Some((wanted, wanted_value)) => is(wanted, name) && is(wanted_value, value),
        None => is(pattern, name),
    };
    match test {
        Test::Present => !labels.is_empty(),
        Test::Any(patterns) => labels.iter().any(|(name, value)| {
            let (name, value) = (name.to_lowercase(), value.to_lowercase());
            patterns.iter().any(|pattern| fits(pattern, &name, &value))
        }),
        Test::Less(_) | Test::More(_) => false,
    }
}

/// Tests an instant; a span counts from now, in whichever direction the instant is.
pub(super) fn instant(test: &Test, value: Option<Timestamp>, now: Timestamp) -> bool {
    let Some(value) = value else { return false };
    let distance = value.since(now).abs();
    match *test {
        Test::Present => true,
        Test::Less(Bound::At(at)) => value < at,
        Test::More(Bound::At(at)) => value > at,
        Test::Less(Bound::Span(ms)) => distance < ms,
        Test::More(Bound::Span(ms)) => distance > ms,
        Test::Any(_) | Test::Less(_) | Test::More(_) => false,
    }
}

/// Tests a number, or a duration in milliseconds.
pub(super) fn number(test: &Test, value: Option<i64>) -> bool {
    let Some(value) = value else { return false };
    match test {
        Test::Present => true,
        Test::Any(values) => values.iter().any(|wanted| wanted.parse() == Ok(value)),
        Test::Less(Bound::Span(bound) | Bound::Number(bound)) => value < *bound,
        Test::More(Bound::Span(bound) | Bound::Number(bound)) => value > *bound,
        Test::Less(_) | Test::More(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_characters() {
        for (pattern, text, whole, within) in [
            ("backup", "Backup", true, true),
            ("back", "Backup", false, true),
            ("back*", "Backup-db", true, true),
            ("*db", "Backup-db", true, true),
            ("b*k*b", "Backup-db", true, true),
            ("b*x*b", "Backup-db", false, false),
            ("*", "", true, true),
            ("a*a", "a", false, false),
            ("**", "anything", true, true),
        ] {
            let text = text.to_lowercase();
            assert_eq!((is(pattern, &text), is_in(pattern, &text)), (whole, within), "{pattern} {text}");
        }
    }

    #[test]
    fn spans_count_from_now_both_ways() {
        let at = Timestamp::from_millis;
        let less = Test::Less(Bound::Span(1_000));
        for (value, expected) in [(9_500, true), (10_999, true), (9_000, false), (11_000, false)] {
            assert_eq!(instant(&less, Some(at(value)), at(10_000)), expected, "{value}");
        }
        assert!(!instant(&less, None, at(0)) && !instant(&Test::Present, None, at(0)));
        assert!(instant(&Test::Less(Bound::At(at(5))), Some(at(4)), at(0)));
    }
}
