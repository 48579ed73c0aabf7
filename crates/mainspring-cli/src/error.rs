//! Errors as people see them: what, where, what to do; and the exit code.
//!
//! ```text
//! error[job.not_found]: no job "nightly-exprot" in namespace "prod"
//!   hint: did you mean "nightly-export"?
//! error[cron.never_fires]: February has no day 31   --> jobs.yaml:14:12
//! ```

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use mainspring_api::Problem;

use crate::exit::Exit;

/// One thing that went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Stable dotted code, such as `job.not_found`.
    pub code: String,
    /// What was wrong, without a full stop.
    pub message: String,
    /// `file:line:column`, a JSON pointer or a field.
    pub place: Option<String>,
    /// What to do, one line each.
    pub hints: Vec<String>,
    /// A text and a mark below the part that is wrong.
    excerpt: Option<String>,
}

impl Report {
    /// Makes a report without place and hints.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), place: None, hints: Vec::new(), excerpt: None }
    }

    /// Shows a line of text with a mark below the bytes of `span`.
    pub fn excerpt(mut self, text: &str, span: Range<usize>) -> Self {
        let width = |part: &str| part.chars().count();
        let before = text.get(..span.start).map_or(0, width);
        let marked = text.get(span).map_or(1, width).max(1);
        let (text, gap, mark) = (visible(text), " ".repeat(before), "^".repeat(marked));
        self.excerpt = Some(format!("    {text}\n    {gap}{mark}"));
        self
    }

    /// Says where.
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.place = Some(place.into());
        self
    }

    /// Says what to do; several hints stand one below the other.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

impl From<Problem> for Report {
    fn from(problem: Problem) -> Self {
        let pointer = (!problem.pointer.is_empty()).then_some(problem.pointer);
        let place = problem.position.map(|position| position.to_string());
        Self {
            code: problem.code,
            message: problem.message,
            place: place.or(pointer),
            hints: problem.hint.into_iter().collect(),
            excerpt: None,
        }
    }
}

/// Shows the report without its code. Control characters are escaped: much of it comes from files
/// and servers, and none of that may move the cursor.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&visible(&self.message))?;
        if let Some(place) = &self.place {
            write!(f, "   --> {}", visible(place))?;
        }
        if let Some(excerpt) = &self.excerpt {
            write!(f, "\n{excerpt}")?;
        }
        for hint in &self.hints {
            write!(f, "\n  hint: {}", visible(hint))?;
        }
        Ok(())
    }
}

/// Why a command did not succeed: what to print on stderr, and the exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// How the process ends.
    pub exit: Exit,
    /// What to print; empty where the output has said it already (`diff`, an awaited run).
    pub reports: Vec<Report>,
    /// How many more reports there would be.
    pub omitted: u64,
}

/// What every command returns.
pub type Result<T = (), E = Error> = std::result::Result<T, E>;

impl Error {
    /// One report and its exit code.
    pub fn new(exit: Exit, report: Report) -> Self {
        Self { exit, reports: vec![report], omitted: 0 }
    }

    /// Ends with a code and no message, because the output has said it all.
    pub fn silent(exit: Exit) -> Self {
        Self { exit, reports: Vec::new(), omitted: 0 }
    }

    /// A wrong command line that clap could not see.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, Report::new("cli.usage", message))
    }

    /// A file that could not be read or written.
    pub fn file(action: &str, path: &std::path::Path, source: &std::io::Error) -> Self {
        let message = format!("cannot {action} {}: {source}", path.display());
        let exit = match source.kind() {
            std::io::ErrorKind::NotFound => Exit::NotFound,
            _ => Exit::Failure,
        };
        Self::new(exit, Report::new("cli.file", message))
    }

    /// Adds a hint to the last report.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        if let Some(last) = self.reports.last_mut() {
            last.hints.push(hint.into());
        }
        self
    }

    /// Prints all reports on stderr.
    pub fn print(&self) {
        for report in &self.reports {
            crate::notes::note(format_args!("\x1b[1;31merror[{}]\x1b[0m: {report}", report.code));
        }
        if self.omitted > 0 {
            crate::notes::note(format_args!("and {} more", self.omitted));
        }
    }
}

fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let escaped = text.chars().map(|character| match character.is_control() {
        true => character.escape_default().to_string(),
        false => character.to_string(),
    });
    Cow::Owned(escaped.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_marks_what_is_wrong() {
        let report = Report::new("a.b", "wrong").excerpt("0 ü 25", 5..7);
        assert_eq!(report.to_string(), "wrong\n    0 ü 25\n        ^^");
        let at_the_end = Report::new("a.b", "short").excerpt("0 0", 3..3);
        assert_eq!(at_the_end.to_string(), "short\n    0 0\n       ^");
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let report = Report::new("a.b", "name \"\u{1b}[2J\nfake\"");
        assert_eq!(report.to_string(), "name \"\\u{1b}[2J\\nfake\"");
    }

    #[test]
    fn a_report_says_what_where_and_what_to_do() {
        let report = Report::new("cron.never_fires", "February has no day 31")
            .at("jobs.yaml:14:12")
            .hint("use L for the last day")
            .hint("see mainspring cron explain");
        assert_eq!(
            report.to_string(),
            "February has no day 31   --> jobs.yaml:14:12\n  hint: use L for the last day\n  hint: see mainspring cron explain"
        );
    }
}
