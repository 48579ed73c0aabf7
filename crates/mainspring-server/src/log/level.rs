//! How grave a line is, guessed from its text.
//!
//! Three signs, the surest first: a field that names the level (JSON, logfmt), a level in capitals near the beginning, a
//! phrase that programs write about errors.

use std::sync::LazyLock;

use mainspring_api::LogLevel;
use regex::Regex;

use super::ansi::visible;

/// Characters at the beginning that are looked at.
const LOOKED_AT: usize = 512;
/// Characters within which a level in capitals is taken for one.
const HEAD: usize = 96;

static FIELD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)\b(?:log[._]?level|level|levelname|severity|lvl)"?\s*[:=]\s*"?(trace|debug|info|information|notice|warn|warning|error|err|fatal|panic|critical|crit|alert|emergency|emerg)\b"#,
    )
});
static CAPITALS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(TRACE|DEBUG|DBG|INFO|INF|NOTICE|WARN|WARNING|WRN|ERROR|ERR|FATAL|FTL|PANIC|CRITICAL|CRIT|SEVERE|ALERT|EMERG)\b",
    )
});
static NOTHING_WRONG: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?i)\b(?:error|errors|err|failures?)"?\s*[:=]\s*"?(?:0|none|null|nil|false|ok)\b"#));
static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)(?:^|[\s:\])])(?:fatal |internal |syntax |runtime |uncaught )?(?:error|fatal|panic|failure|critical)(?:\[[^\]]{1,16}\])?\s*[:!]",
        // The classes of exceptions: KeyError, java.io.IOException.
        r"|(?-i:\b[A-Z][A-Za-z]*(?:Error|Exception)\b(?::|$|\())",
        r"|^traceback \(most recent call last\)|^exception in thread|^unhandled (?:exception|rejection)",
        r"|\bpanicked at\b|^panic:|\bsegmentation fault\b|\bcore dumped\b|\bout of memory\b",
        r"|: (?:command not found|no such file or directory|permission denied)$",
        // glog and klog, pytest, npm.
        r"|(?-i:^[EF]\d{4} )|(?-i:^E   )|^npm err!|^✖|^✗",
    ))
});
static WARNING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)(?:^|[\s:\])])(?:warning|warn|deprecated|deprecationwarning)(?:\[[^\]]{1,40}\])?\s*:|(?-i:^W\d{4} )")
});

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern of ours is a regular expression, as the tests try")
}

/// Returns the level of a line, or `None` where its text does not say.
pub(crate) fn level(text: &str) -> Option<LogLevel> {
    let text = beginning(text, LOOKED_AT);
    let text = &*visible(text);
    if let Some(field) = FIELD.captures(text) {
        return named(&field[1]);
    }
    if let Some(word) = CAPITALS.captures(beginning(text, HEAD))
        && !NOTHING_WRONG.is_match(text)
    {
        return named(&word[1]);
    }
    if ERROR.is_match(text) {
        return (!NOTHING_WRONG.is_match(text)).then_some(LogLevel::Error);
    }
    WARNING.is_match(text).then_some(LogLevel::Warn)
}

/// The level that a word names, whatever its case.
fn named(word: &str) -> Option<LogLevel> {
    Some(match word.to_ascii_lowercase().as_str() {
        "trace" | "debug" | "dbg" => LogLevel::Debug,
        "info" | "inf" | "information" | "notice" => LogLevel::Info,
        "warn" | "warning" | "wrn" => LogLevel::Warn,
        _ => LogLevel::Error,
    })
}

/// The first characters of a text.
fn beginning(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_guessed_from_what_programs_write() {
        use LogLevel::{Debug, Error, Info, Warn};
        for (text, expected) in [
            ("", None),
            ("connecting to db-3 ...", None),
            ("Error: relation \"orders\" does not exist", Some(Error)),
            ("\x1b[31merror\x1b[0m: it broke", Some(Error)),
            ("error[E0308]: mismatched types", Some(Error)),
            ("2026-01-30 12:00:00,123 ERROR [main] c.e.Orders - no", Some(Error)),
            ("2026-01-30T12:00:00Z  WARN orders: slow", Some(Warn)),
            ("[INFO] BUILD FAILED? no, ERROR is a word here", Some(Info)),
            ("{\"level\":\"error\",\"msg\":\"x\"}", Some(Error)),
            ("{\"severity\": \"WARNING\"}", Some(Warn)),
            ("ts=1 level=debug msg=\"error: x\"", Some(Debug)),
            ("Traceback (most recent call last):", Some(Error)),
            ("KeyError: 'orders'", Some(Error)),
            ("java.io.IOException: Broken pipe", Some(Error)),
            ("Exception in thread \"main\" java.lang.RuntimeException", Some(Error)),
            ("thread 'main' panicked at src/main.rs:2:5:", Some(Error)),
            ("bash: line 1: psqll: command not found", Some(Error)),
            ("cat: /x: No such file or directory", Some(Error)),
            ("psql: fatal: no route to host", Some(Error)),
            ("E0130 12:00:00.000000       1 main.go:1] x", Some(Error)),
            ("W0130 12:00:00.000000       1 main.go:1] x", Some(Warn)),
            ("npm ERR! missing script: build", Some(Error)),
            ("warning: unused variable: `x`", Some(Warn)),
            ("DeprecationWarning: use y", Some(Warn)),
            ("0 errors, 0 warnings", None),
            ("done, errors: 0", None),
            ("ERRORS=0", None),
            ("finished, error: none", None),
            ("handling of errors is in error.rs", None),
            ("an error occurred in the past", None),
        ] {
            assert_eq!(level(text), expected, "{text:?}");
        }
    }

    #[test]
    fn long_lines_are_judged_by_their_beginning() {
        let far = format!("{} ERROR: late", "é".repeat(LOOKED_AT));
        assert_eq!(level(&far), None);
        assert_eq!(level(&format!("ERROR: {far}")), Some(LogLevel::Error));
    }
}
