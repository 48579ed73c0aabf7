//! One thing that is wrong with an input: what, where, and what to do.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ErrorCode;

/// One thing that is wrong with an input.
///
/// ```
/// use mainspring_api::{ErrorCode, Position, Problem};
/// let problem = Problem::new(ErrorCode::FieldUnknown, "unknown key \"timout\"")
///     .at("/timout")
///     .hint("did you mean \"timeout\"?")
///     .position(Position { file: Some("jobs.yaml".into()), line: 14, column: 3 });
/// assert_eq!(
///     problem.to_string(),
///     "error[field.unknown]: unknown key \"timout\"   --> jobs.yaml:14:3\n  hint: did you mean \"timeout\"?",
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Problem {
    /// Stable dotted code, one of [`ErrorCode`].
    pub code: String,
    /// What is wrong, in lower case without a full stop.
    pub message: String,
    /// JSON pointer (RFC 6901) to the value in the document or body; empty for the whole.
    #[serde(default)]
    pub pointer: String,
    /// Where that is in a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// What to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A place in a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Position {
    /// File, as it was named by the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl Problem {
    /// Makes a problem with the whole input.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let (code, message) = (code.as_str().to_owned(), message.into());
        Self { code, message, pointer: String::new(), position: None, hint: None }
    }

    /// Points at a value.
    #[must_use]
    pub fn at(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = pointer.into();
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says where in a file it is.
    #[must_use]
    pub fn position(mut self, position: Position) -> Self {
        self.position = Some(position);
        self
    }
}

/// Writes the problem as the command line shows it. Control characters are escaped.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[{}]: {}", self.code, Escaped(&self.message))?;
        match &self.position {
            Some(position) => write!(f, "   --> {position}")?,
            None if !self.pointer.is_empty() => write!(f, "   --> {}", Escaped(&self.pointer))?,
            None => {}
        }
        match &self.hint {
            Some(hint) => write!(f, "\n  hint: {}", Escaped(hint)),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.as_deref().unwrap_or("<input>");
        write!(f, "{}:{}:{}", Escaped(file), self.line, self.column)
    }
}

/// Text from users on its way to a terminal or a log: nothing in it can move the cursor or fake a line.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character.is_control() {
                true => write!(f, "{}", character.escape_default())?,
                false => write!(f, "{character}")?,
            }
        }
        Ok(())
    }
}

/// Returns a hint naming the candidate that is closest to `word`, if one is close.
///
/// ```
/// use mainspring_api::did_you_mean;
/// assert_eq!(did_you_mean("nightly-exprot", ["nightly-export", "x"]).unwrap(), "did you mean \"nightly-export\"?");
/// assert_eq!(did_you_mean("apple", ["orange"]), None);
/// ```
pub fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    if word.len() > 256 {
        return None;
    }
    let reach = (word.chars().count() / 3).clamp(1, 4);
    // A distance is at least the difference of the lengths, and costs their product: most candidates need none.
    let (least, most) = (word.len().saturating_sub(4 * reach), word.len() + 4 * reach);
    candidates
        .into_iter()
        .filter(|candidate| (least..=most).contains(&candidate.len()))
        .map(|candidate| (strsim::damerau_levenshtein(&word.to_lowercase(), &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= reach)
        .min()
        .map(|(_, candidate)| format!("did you mean \"{candidate}\"?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let problem = Problem::new(ErrorCode::FieldUnknown, "unknown key \"\u{1b}[2J\nfake\"");
        assert_eq!(problem.to_string(), "error[field.unknown]: unknown key \"\\u{1b}[2J\\nfake\"");
    }

    #[test]
    fn a_problem_without_a_file_shows_its_pointer() {
        let problem = Problem::new(ErrorCode::FieldType, "expected text").at("/jobs/0/run");
        assert_eq!(problem.to_string(), "error[field.type]: expected text   --> /jobs/0/run");
    }

    #[test]
    fn suggestions_come_from_nearby_words_only() {
        let keys = ["timeout", "timezone", "retries", "run"];
        let cases =
            [("timout", Some("timeout")), ("TimeZone", Some("timezone")), ("rnu", Some("run")), ("command", None)];
        for (word, expected) in cases {
            let expected = expected.map(|key| format!("did you mean \"{key}\"?"));
            assert_eq!(did_you_mean(word, keys), expected, "{word}");
        }
    }
}
