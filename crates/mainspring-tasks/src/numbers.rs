//! Numbers of JSON texts that would not be the same once they are read: readers keep 64 bits, as an integer or as a double.
//!
//! What cannot be kept exactly is refused where it enters, so that nothing is ever changed in silence.

/// Returns the first number of a JSON text that reading would change, shortened.
///
/// A whole number is kept exactly within 64 bits, a decimal one as far as a double tells it from its neighbours, which are 15 to
/// 17 digits. The text need not be valid JSON: only what stands outside of texts is looked at.
///
/// ```
/// use mainspring_tasks::inexact_number;
/// assert_eq!(inexact_number(br#"{"a": 18446744073709551615, "b": 1.10, "c": "123456789012345678901234567890"}"#), None);
/// assert_eq!(inexact_number(b"[1, 123456789012345678901234567890]").as_deref(), Some("123456789012345678901234567890"));
/// assert_eq!(inexact_number(b"0.12345678901234567890123").as_deref(), Some("0.12345678901234567890123"));
/// ```
#[must_use]
pub fn inexact_number(text: &[u8]) -> Option<String> {
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'"' => at = after_text(text, at + 1),
            b'-' | b'0'..=b'9' => {
                let length = text[at..].iter().take_while(|byte| is_of_number(**byte)).count();
                let token = String::from_utf8_lossy(&text[at..at + length]);
                if !is_exact_number(&token) {
                    return Some(token.chars().take(40).collect());
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    None
}

/// Tells whether a number, as JSON writes it, is the same once it was read.
#[must_use]
pub fn is_exact_number(token: &str) -> bool {
    if !token.contains(['.', 'e', 'E']) {
        return token.parse::<i64>().is_ok() || token.parse::<u64>().is_ok();
    }
    // As `serde_json` writes it: where two texts of 17 digits are as near to the double, the standard library writes the other.
    let read = token.parse::<f64>().ok().and_then(serde_json::Number::from_f64);
    read.is_some_and(|number| decimal(token) == decimal(&number.to_string()))
}

const fn is_of_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')
}

fn after_text(text: &[u8], mut at: usize) -> usize {
    while at < text.len() {
        match text[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    at
}

/// Returns the sign, the digits without zeros at either end, and the power of ten of the last one: equal for equal
/// numbers.
fn decimal(token: &str) -> Option<(bool, String, i64)> {
    let (mantissa, exponent) = token.split_once(['e', 'E']).unwrap_or((token, "0"));
    let exponent: i64 = exponent.strip_prefix('+').unwrap_or(exponent).parse().ok()?;
    let (negative, mantissa) = mantissa.strip_prefix('-').map_or((false, mantissa), |rest| (true, rest));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let kept = digits.trim_end_matches('0');
    let power = exponent.checked_sub(fraction.len() as i64)?.checked_add((digits.len() - kept.len()) as i64)?;
    let kept = kept.trim_start_matches('0');
    Some(if kept.is_empty() { (false, String::new(), 0) } else { (negative, kept.to_owned(), power) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_double_or_64_bits_hold_is_exact() {
        let cases = [
            ("0", true),
            ("-0", true),
            ("18446744073709551615", true),
            ("18446744073709551616", false),
            ("-9223372036854775808", true),
            ("-9223372036854775809", false),
            ("1.10", true),
            ("1e3", true),
            ("1E+3", true),
            ("0.1", true),
            ("-0.0", true),
            ("0.000", true),
            ("9007199254740993.0", false),
            ("9007199254740992.0", true),
            ("0.1000000000000000055", false),
            ("1e400", false),
            ("1e-400", false),
            ("5e-324", true),
            ("1.5e-9223372036854775808", false),
            ("1.7976931348623157e308", true),
            ("123456789012345678901234567890", false),
            ("123456789012345678901234567890.0", false),
            ("1e30", true),
            // Halfway between two texts of 17 digits: the even one is written.
            ("196892548847082.12", true),
            ("196892548847082.13", false),
            ("196892548847082.125", false),
        ];
        for (token, exact) in cases {
            assert_eq!(is_exact_number(token), exact, "{token}");
        }
    }

    #[test]
    fn numbers_within_texts_are_texts() {
        for text in
            [r#"{"12345678901234567890123": "99999999999999999999999\" 99999999999999999999999"}"#, "", "\"", "\"\\"]
        {
            assert_eq!(inexact_number(text.as_bytes()), None, "{text}");
        }
        assert_eq!(inexact_number(br#"{"a\\":99999999999999999999999}"#).unwrap().len(), 23);
    }
}
