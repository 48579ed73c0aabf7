//! Logs as the API shows them: parts of one, what is found in it, and its first error.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{LogStream, words};
use crate::Timestamp;

/// A line of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct LogLine {
    /// Number within the run, from 1.
    pub line: u64,
    /// Attempt.
    pub attempt: u32,
    /// When it was written.
    pub at: Timestamp,
    /// Where it was written.
    pub stream: LogStream,
    /// How grave it is, where the text says so; guessed from words such as `ERROR`, `level=warn` or `panicked at`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<LogLevel>,
    /// The text, without line end; what was not UTF-8 is replaced. Escape sequences of terminals are kept.
    pub text: String,
    /// The rest of the line was dropped.
    #[serde(default, skip_serializing_if = "crate::spec::is_false")]
    pub truncated: bool,
}

/// How grave a log line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogLevel {
    /// For those who look for a bug.
    Debug,
    /// What happens.
    Info,
    /// What may become a problem.
    Warn,
    /// What went wrong.
    Error,
    /// A level newer than this client.
    #[serde(other)]
    Unknown,
}

words!(LogLevel: Debug = "debug", Info = "info", Warn = "warn", Error = "error", Unknown = "unknown");

/// Which part of a log is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct LogFilter {
    /// First line; 1 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_line: Option<u64>,
    /// The last lines, this many, instead of `from_line`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<u32>,
    /// Attempt; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// Lines at most, 1 to 10,000; 1,000 when absent. Not with `follow`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Answers with an event stream that ends when the run is final.
    #[serde(default, skip_serializing_if = "crate::spec::is_false")]
    pub follow: bool,
}

/// A part of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct LogPage {
    /// The lines, in order.
    pub lines: Vec<LogLine>,
    /// `from_line` of the next part.
    pub next_line: u64,
    /// Number of the first line that the query can show: that of the attempt, or 1.
    #[serde(default)]
    pub first_line: u64,
    /// Number of the last line there is so far, of the attempt or of the run; less than `first_line` while there is none.
    #[serde(default)]
    pub total_lines: u64,
    /// The run is final and this is the end of its log.
    pub complete: bool,
    /// Lines were dropped because the log reached its limit.
    pub truncated: bool,
}

/// What is looked for in a log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct LogFind {
    /// The text, 1 to 512 characters. It is looked for line by line, in what a terminal would show: without escape sequences.
    pub q: String,
    /// `q` is a regular expression: that of the Rust crate `regex`, without look-around and back references, in time that grows
    /// with the log alone.
    #[serde(default, skip_serializing_if = "crate::spec::is_false")]
    pub regex: bool,
    /// Upper and lower case differ.
    #[serde(default, skip_serializing_if = "crate::spec::is_false")]
    pub case: bool,
    /// First line; 1 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_line: Option<u64>,
    /// Attempt; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// Lines that are listed at most, 1 to 1,000; 100 when absent. More are counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// What was found in a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct LogFound {
    /// The first lines that match, in order.
    pub matches: Vec<LogMatch>,
    /// How many lines match from `from_line` on, as far as the search came.
    pub count: u64,
    /// `from_line` that lists the next matches; absent where none is left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_line: Option<u64>,
    /// Number of the last line there is so far, of the attempt or of the run.
    pub total_lines: u64,
    /// Number of the last line that was searched.
    pub searched_through: u64,
    /// All lines from `from_line` on were searched. False: two seconds were over before. Go on from the line after
    /// `searched_through`.
    pub done: bool,
}

/// A line that matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct LogMatch {
    /// Number within the run, from 1.
    pub line: u64,
    /// Attempt.
    pub attempt: u32,
    /// When it was written.
    pub at: Timestamp,
    /// Where it was written.
    pub stream: LogStream,
    /// The text without escape sequences. Of a long line the first 2,000 characters after its first match, and a little before it.
    pub text: String,
    /// Where in `text` it matches, at most 100 times: begin and end, in UTF-16 units as JavaScript counts them.
    pub ranges: Vec<[u32; 2]>,
}

/// Which attempt's first error is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct LogErrorFilter {
    /// Attempt; when absent, the last one that failed, or else the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
}

/// Which part of a log is sent as text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct LogTextFilter {
    /// Attempt; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
}

/// Where to begin to read the log of an attempt that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct LogError {
    /// The attempt; 0 if the run has none yet.
    pub attempt: u32,
    /// The first line of the level `error`. Without one, the first of standard error, if the attempt failed. Absent where
    /// there is neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<LogLine>,
    /// How many lines of the level `error` there are, as far as the search came.
    pub count: u64,
    /// The whole log of the attempt was searched. False: two seconds were over before.
    pub done: bool,
}
