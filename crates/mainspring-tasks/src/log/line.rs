//! Lines and chunks as plain data.

pub use mainspring_model::Stream;

/// One line of an attempt's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// The time at which it was read, in milliseconds since 1970 UTC.
    pub at_ms: i64,
    /// The stream that it came from.
    pub stream: Stream,
    /// The text without its line end. Bytes that are not UTF-8 are replaced by U+FFFD; control
    /// characters are kept as they came, so whoever shows it must escape them.
    pub text: String,
    /// Whether the line continues in the next one of the same stream, because it was too long.
    pub partial: bool,
}

/// Consecutive lines of one attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogChunk {
    /// The index of the first line within the attempt, from 0.
    pub first_line: u64,
    /// The lines, at least one.
    pub lines: Vec<LogLine>,
}

impl LogChunk {
    /// Returns the index after the last line.
    pub fn end_line(&self) -> u64 {
        self.first_line + self.lines.len() as u64
    }
}
