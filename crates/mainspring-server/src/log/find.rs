//! Looks through a log, for as long as it may take.

use std::time::{Duration, Instant};

use mainspring_api::{ErrorCode, LogError, LogFind, LogFound, LogLevel, LogMatch, LogStream};
use mainspring_schedule::Timestamp;
use mainspring_tasks::LogLine as Raw;
use regex::{Regex, RegexBuilder};

use super::ansi::visible;
use super::place::{Log, Part};
use crate::app::App;
use crate::extract::off_thread;
use crate::refusal::{Answer, Refusal};
use crate::show::instant;

/// Characters of what is looked for.
const PATTERN_MAX: usize = 512;
/// Memory that a compiled pattern may take, in bytes.
const COMPILED_MAX: usize = 1 << 20;
/// A search answers after this time with what it has. At least one part of the log is searched, so that going on gets ahead.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);
/// Once the first error is found, others are counted for this long at most: somebody waits to read.
const COUNTING: Duration = Duration::from_millis(200);
/// Text of the lines of an answer, in bytes.
const ANSWER_BYTES: usize = 2 << 20;
/// Of a long line so much is shown, in characters, from a little before its first match.
const SHOWN: usize = 2_000;
const SHOWN_BEFORE: usize = 80;
const RANGES_MAX: usize = 100;

/// What is looked for.
#[derive(Clone, Debug)]
pub(crate) struct Find(Regex);

impl Find {
    /// Reads it.
    ///
    /// # Errors
    /// If it is empty, too long, or no regular expression.
    pub(crate) fn new(asked: &LogFind) -> Answer<Self> {
        let length = asked.q.chars().count();
        if !(1..=PATTERN_MAX).contains(&length) {
            let detail = format!("query parameter \"q\" takes 1 to {PATTERN_MAX} characters, not {length}");
            return Err(Refusal::new(ErrorCode::RequestQuery, detail));
        }
        let pattern = if asked.regex { asked.q.clone() } else { regex::escape(&asked.q) };
        let mut builder = RegexBuilder::new(&pattern);
        builder.case_insensitive(!asked.case).size_limit(COMPILED_MAX).dfa_size_limit(COMPILED_MAX);
        builder.build().map(Self).map_err(|error| {
            let why = error.to_string();
            // The parser shows the pattern with marks below it on several lines, and says what is wrong on the last.
            let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
            let detail = format!("\"{}\" is no regular expression: {why}", asked.q.escape_debug());
            Refusal::new(ErrorCode::SearchSyntax, detail).hint("leave out regex=true to look for the text itself")
        })
    }

    /// The line as it is listed, if it matches.
    fn matched(&self, attempt: u32, number: u64, line: &Raw) -> Option<LogMatch> {
        let text = visible(&line.text);
        let first = self.0.find(&text)?.start();
        let (from, shown) = cut(&text, first);
        let found = self.0.find_iter(&text).take_while(|found| found.end() <= from + shown.len());
        let ranges = found.filter(|found| found.start() >= from).take(RANGES_MAX);
        let ranges = ranges.map(|found| [units(shown, found.start() - from), units(shown, found.end() - from)]);
        Some(LogMatch {
            line: number,
            attempt,
            at: instant(Timestamp::from_millis(line.at_ms)),
            stream: line.stream.into(),
            ranges: ranges.collect(),
            text: shown.to_owned(),
        })
    }

    fn is_in(&self, line: &Raw) -> bool {
        self.0.is_match(&visible(&line.text))
    }
}

/// Where the shown part of a line begins, and the part.
fn cut(text: &str, first: usize) -> (usize, &str) {
    if text.len() <= SHOWN {
        return (0, text);
    }
    let from = text[..first].char_indices().rev().nth(SHOWN_BEFORE - 1).map_or(0, |(at, _)| at);
    let end = text[from..].char_indices().nth(SHOWN + SHOWN_BEFORE).map_or(text.len(), |(at, _)| from + at);
    (from, &text[from..end])
}

/// How many UTF-16 units the first bytes of a text are.
fn units(text: &str, bytes: usize) -> u32 {
    u32::try_from(text[..bytes].encode_utf16().count()).unwrap_or(u32::MAX)
}

/// Searches a log from its place on, lists the first lines that match and counts all.
pub(crate) async fn find(
    app: &App,
    mut log: Log,
    part: Part,
    find: Find,
    limit: usize,
    patience: Duration,
) -> Answer<LogFound> {
    let began = Instant::now();
    let mut bytes = 0;
    let mut found = LogFound {
        matches: Vec::new(),
        count: 0,
        next_line: None,
        total_lines: part.last_line,
        searched_through: log.from_line - 1,
        done: false,
    };
    loop {
        let (attempt, offset, lines) = log.read_raw(app.control(), usize::MAX).await?;
        let Some((last, _)) = lines.last() else {
            found.done = true;
            return Ok(found);
        };
        found.searched_through = offset + last + 1;
        found.total_lines = found.total_lines.max(found.searched_through);
        let lines: Vec<(u64, Raw)> = lines.into_iter().map(|(index, line)| (offset + index + 1, line)).collect();
        let search_on = find.clone();
        (found, bytes) = off_thread(move || Ok(search(&search_on, attempt, &lines, found, bytes, limit))).await?;
        if began.elapsed() >= patience {
            return Ok(found);
        }
    }
}

/// Searches lines of an attempt, each with its number. `bytes` are those of the texts listed before.
fn search(
    find: &Find,
    attempt: u32,
    lines: &[(u64, Raw)],
    mut found: LogFound,
    mut bytes: usize,
    limit: usize,
) -> (LogFound, usize) {
    for (number, line) in lines {
        if found.next_line.is_some() {
            found.count += u64::from(find.is_in(line));
            continue;
        }
        let Some(matched) = find.matched(attempt, *number, line) else { continue };
        found.count += 1;
        if found.matches.len() == limit || bytes >= ANSWER_BYTES {
            found.next_line = Some(*number);
            continue;
        }
        bytes += matched.text.len();
        found.matches.push(matched);
    }
    (found, bytes)
}

/// Finds where to begin to read an attempt: its first error, or if it `failed` its first line of standard error.
pub(crate) async fn first_error(
    app: &App,
    mut log: Log,
    attempt: u32,
    failed: bool,
    patience: Duration,
) -> Answer<LogError> {
    let began = Instant::now();
    let mut found = LogError { attempt, first: None, count: 0, done: false };
    let mut written = None;
    loop {
        let lines = log.read(app.control(), usize::MAX).await?;
        found.done = lines.is_empty();
        for line in lines {
            if line.level == Some(LogLevel::Error) {
                found.count += 1;
                found.first.get_or_insert(line);
            } else if line.stream == LogStream::Stderr && written.is_none() {
                written = Some(line);
            }
        }
        let patience = if found.first.is_some() { patience.min(COUNTING) } else { patience };
        if found.done || began.elapsed() >= patience {
            found.first = found.first.or(written.filter(|_| failed));
            return Ok(found);
        }
    }
}

#[cfg(test)]
mod tests {
    use mainspring_tasks::Stream;

    use super::*;

    fn line(text: &str) -> Raw {
        Raw { at_ms: 0, stream: Stream::Stdout, text: text.to_owned(), partial: false }
    }

    fn asked(q: &str, regex: bool, case: bool) -> LogFind {
        LogFind { q: q.to_owned(), regex, case, ..LogFind::default() }
    }

    fn empty() -> LogFound {
        LogFound { matches: Vec::new(), count: 0, next_line: None, total_lines: 0, searched_through: 0, done: false }
    }

    #[test]
    fn lines_match_in_what_a_terminal_shows() {
        for (q, regex, case, text, expected) in [
            ("err", false, false, "an Error, an err", Some(&[[3, 6], [13, 16]][..])),
            ("err", false, true, "an Error", None),
            ("a.c", false, false, "abc", None),
            ("a.c", true, false, "xABC", Some(&[[1, 4]])),
            ("red text", false, false, "\x1b[31mred\x1b[0m text", Some(&[[0, 8]])),
            ("é", false, true, "\u{1f600}é", Some(&[[2, 3]])),
            ("^b", true, false, "ab", None),
            ("x*", true, false, "", Some(&[[0, 0]])),
        ] {
            let found = Find::new(&asked(q, regex, case)).unwrap().matched(1, 1, &line(text));
            assert_eq!(found.map(|found| found.ranges).as_deref(), expected, "{q} in {text}");
        }
    }

    #[test]
    fn long_line_is_shown_around_its_first_match() {
        let text = format!("{}needle{}needle", "é".repeat(10_000), "y".repeat(10_000));
        let found = Find::new(&asked("needle", false, false)).unwrap().matched(1, 1, &line(&text)).unwrap();
        assert_eq!(found.text.chars().count(), SHOWN + SHOWN_BEFORE);
        assert_eq!(found.ranges, [[80, 86]]);
    }

    #[test]
    fn matches_beyond_the_limit_are_counted_and_say_where_to_go_on() {
        let lines: Vec<_> =
            (1..=10).map(|number| (number, line(if number % 2 == 0 { "hit" } else { "miss" }))).collect();
        let (found, _) = search(&Find::new(&asked("hit", false, false)).unwrap(), 1, &lines, empty(), 0, 2);
        let listed: Vec<_> = found.matches.iter().map(|found| found.line).collect();
        assert_eq!((listed, found.count, found.next_line), (vec![2, 4], 5, Some(6)));
    }

    #[test]
    fn answers_have_a_bound_in_bytes() {
        let lines: Vec<_> = (1..=3).map(|number| (number, line("hit"))).collect();
        let (found, _) = search(&Find::new(&asked("hit", false, false)).unwrap(), 1, &lines, empty(), ANSWER_BYTES, 9);
        assert_eq!((found.matches.len(), found.count, found.next_line), (0, 3, Some(1)));
    }

    #[test]
    fn what_cannot_be_looked_for_is_refused_with_the_reason() {
        let long = "x".repeat(PATTERN_MAX + 1);
        for (q, regex, code, detail) in [
            ("", false, ErrorCode::RequestQuery, "1 to 512 characters, not 0"),
            (long.as_str(), false, ErrorCode::RequestQuery, "not 513"),
            ("(", true, ErrorCode::SearchSyntax, "unclosed group"),
            ("\\w{9999}{9999}", true, ErrorCode::SearchSyntax, "size limit"),
        ] {
            let refusal = Find::new(&asked(q, regex, false)).unwrap_err();
            assert_eq!(refusal.code(), Some(code), "{q}");
            assert!(refusal.0.detail.contains(detail), "{}", refusal.0.detail);
        }
    }
}
