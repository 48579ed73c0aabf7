//! Parameters with places that each run fills in: XXL-JOB tells no run for which instant it was planned.

/// What is known of an attempt when its parameter is sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Facts {
    /// The instant for which the run stands, as RFC 3339 in UTC.
    pub planned: String,
    /// The same in milliseconds since 1970 UTC.
    pub planned_ms: i64,
    /// The id of the run, which stays for all its attempts.
    pub run: String,
    /// Which attempt it is, from 1.
    pub attempt: u32,
}

/// The names that are filled in.
const NAMES: [&str; 4] = ["planned", "planned_ms", "run", "attempt"];

/// Returns the parameter with its places filled in. Braces around any other name stay as they are.
///
/// ```
/// use mainspring_xxl::{Facts, filled};
/// let planned = "2026-11-25T17:40:00.000Z".to_owned();
/// let facts = Facts { planned, planned_ms: 1_795_628_400_000, run: "r1".to_owned(), attempt: 2 };
/// assert_eq!(filled("day={{planned}}&ms={{ planned_ms }}", &facts), "day=2026-11-25T17:40:00.000Z&ms=1795628400000");
/// assert_eq!(filled("{{run}}/{{attempt}} {{name}} {{planned", &facts), "r1/2 {{name}} {{planned");
/// ```
#[must_use]
pub fn filled(text: &str, facts: &Facts) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, name, after)) = place(rest) {
        filled.push_str(before);
        match name {
            "planned" => filled.push_str(&facts.planned),
            "planned_ms" => filled.push_str(&facts.planned_ms.to_string()),
            "run" => filled.push_str(&facts.run),
            _ => filled.push_str(&facts.attempt.to_string()),
        }
        rest = after;
    }
    filled.push_str(rest);
    filled
}

/// Returns whether a parameter has places that are filled in.
///
/// ```
/// assert!(mainspring_xxl::has_places("at {{planned}}") && !mainspring_xxl::has_places("{{name}} {planned}"));
/// ```
#[must_use]
pub fn has_places(text: &str) -> bool {
    place(text).is_some()
}

/// The first place of a text: what is before it, its name, and what follows.
fn place(text: &str) -> Option<(&str, &str, &str)> {
    text.match_indices('{').find_map(|(start, _)| {
        let inside = text[start..].strip_prefix("{{")?.trim_start();
        let after = |name: &str| inside.strip_prefix(name)?.trim_start().strip_prefix("}}");
        NAMES.iter().find_map(|name| Some((&text[..start], *name, after(name)?)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_in_and_other_braces_stay() {
        let facts = Facts { planned: "T".to_owned(), planned_ms: -5, run: "{{attempt}}".to_owned(), attempt: 3 };
        let cases = [
            ("", ""),
            ("{{planned}}{{planned_ms}}", "T-5"),
            ("{{{planned}}}", "{T}"),
            ("{{other {{attempt}} }}", "{{other 3 }}"),
            ("{{run}}", "{{attempt}}"),
            ("{\"a\":{\"b\":1}}", "{\"a\":{\"b\":1}}"),
            ("计划 {{ planned }}", "计划 T"),
            ("{{", "{{"),
        ];
        for (text, expected) in cases {
            assert_eq!(filled(text, &facts), expected, "{text}");
        }
    }
}
