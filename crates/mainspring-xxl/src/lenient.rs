//! JSON as executors write it: numbers as text, texts as any JSON, fields that are missing.

use serde_json::Value;

/// Returns a whole number: a JSON integer, a float without a fraction, or a text of one of these.
pub fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => {
            let text = text.trim();
            text.parse().ok().or_else(|| whole(text.parse().ok()?))
        }
        _ => None,
    }
}

/// The integer that a float stands for, up to where floats are exact.
fn whole(number: f64) -> Option<i64> {
    const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and within the bounds of an i64")]
    (number.fract() == 0.0 && number.abs() <= EXACT_MAX).then_some(number as i64)
}

/// Returns a value as a text for people: a string as it is, null as nothing, anything else as JSON.
pub fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_however_they_are_written() {
        for (json, expected) in [
            ("200", Some(200)),
            ("200.0", Some(200)),
            ("\"200\"", Some(200)),
            ("\" 9007199254740993 \"", Some(9_007_199_254_740_993)),
            ("9223372036854775807", Some(i64::MAX)),
            ("-1", Some(-1)),
            ("1.5", None),
            ("1e300", None),
            ("\"x\"", None),
            ("\"\"", None),
            ("\"NaN\"", None),
            ("null", None),
            ("true", None),
            ("[200]", None),
        ] {
            assert_eq!(integer(&serde_json::from_str(json).unwrap()), expected, "{json}");
        }
    }

    #[test]
    fn any_json_is_a_text() {
        for (json, expected) in
            [("null", None), ("\"\"", Some("")), ("{\"a\":1}", Some("{\"a\":1}")), ("7.5", Some("7.5"))]
        {
            assert_eq!(text(&serde_json::from_str(json).unwrap()).as_deref(), expected, "{json}");
        }
    }
}
