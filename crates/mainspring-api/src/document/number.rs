//! Which numbers are the same once they are read. The rule is that of `mainspring_tasks::is_exact_number`, which this crate
//! must not know; a test of the server compares the two.

/// Tells whether a number, as JSON writes it, is kept exactly: within 64 bits, or as far as a double tells it from its neighbours.
///
/// ```
/// use mainspring_api::is_exact_number;
/// assert!(is_exact_number("1.10") && is_exact_number("18446744073709551615") && is_exact_number("1e30"));
/// assert!(!is_exact_number("1.5e-9223372036854775808"));
/// assert!(!is_exact_number("18446744073709551616") && !is_exact_number("0.12345678901234567890123"));
/// ```
pub fn is_exact_number(token: &str) -> bool {
    if !token.contains(['.', 'e', 'E']) {
        return token.parse::<i64>().is_ok() || token.parse::<u64>().is_ok();
    }
    // As `serde_json` writes it: where two texts of 17 digits are as near to the double, the standard library writes the other.
    let read = token.parse::<f64>().ok().and_then(serde_json::Number::from_f64);
    read.is_some_and(|number| decimal(token) == decimal(&number.to_string()))
}

/// Sign, digits without zeros at either end, and the power of ten of the last one: equal for equal numbers.
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
