//! A text in YAML, TOML or JSON as a JSON value that knows where each part was written.
//!
//! The three parsers make the same tree of nodes; [`node`] turns it into a value, a map from JSON
//! pointer to place, and a list of what JSON or we do not allow. Limits hold before memory is spent:
//! on bytes before parsing, on depth and alias expansion inside the parsers, on the rest here.

use std::path::Path;

use serde_json::Value;

use crate::{ErrorCode, Position, Problem};

mod json;
mod lines;
mod node;
mod number;
mod places;
mod toml;
mod yaml;

pub use number::is_exact_number;
use places::Places;

pub(crate) use self::toml::with_exact_floats;
pub(crate) use node::{escape, shorten};

/// Spelling of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// YAML 1.2, which includes JSON; several documents in one text.
    Yaml,
    /// TOML 1.1.
    Toml,
    /// JSON.
    Json,
}

impl Format {
    /// Returns the format that a file's ending says: `.yaml`, `.yml`, `.toml` or `.json`.
    ///
    /// ```
    /// use mainspring_api::Format;
    /// assert_eq!(Format::of_path("jobs/etl.yml".as_ref()), Some(Format::Yaml));
    /// assert_eq!(Format::of_path("README.md".as_ref()), None);
    /// ```
    pub fn of_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "yaml" | "yml" => Some(Self::Yaml),
            "toml" => Some(Self::Toml),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// Bounds of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of text.
    pub bytes: usize,
    /// Levels of nesting.
    pub depth: usize,
    /// Values, after aliases are expanded.
    pub nodes: usize,
}

impl Limits {
    /// For job files and ordinary request bodies: 1 MiB, 32 levels, 100,000 values.
    pub const FILE: Self = Self { bytes: 1 << 20, depth: 32, nodes: 100_000 };
    /// For the body of an apply: 32 MiB, 34 levels, 2,000,000 values.
    pub const APPLY: Self = Self { bytes: 32 << 20, depth: 34, nodes: 2_000_000 };
}

/// A value that knows where each part was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// File, as it was named by the user.
    pub file: Option<String>,
    /// The value.
    pub value: Value,
    places: Places,
}

/// Line and column, from 1; columns count characters.
pub(crate) type Place = (u32, u32);

/// Reads a text as documents: one, or for YAML as many as `---` separates. Empty ones are left out.
///
/// # Errors
/// Everything wrong with the text as a document. After a syntax error nothing further is looked for.
///
/// ```
/// use mainspring_api::{Format, Limits, parse_documents};
/// let documents = parse_documents(Some("a.yaml"), b"name: a\nrun: date", Format::Yaml, Limits::FILE).unwrap();
/// assert_eq!(documents[0].value["run"], "date");
/// assert_eq!(documents[0].position("/run").unwrap().to_string(), "a.yaml:2:6");
///
/// let problems = parse_documents(Some("a.json"), b"{\"a\": 1,\n \"a\": 2}", Format::Json, Limits::FILE).unwrap_err();
/// assert_eq!(problems[0].code, "document.duplicate_key");
/// assert_eq!(problems[0].position.as_ref().unwrap().to_string(), "a.json:2:2");
/// ```
pub fn parse_documents(
    file: Option<&str>,
    text: &[u8],
    format: Format,
    limits: Limits,
) -> Result<Vec<Document>, Vec<Problem>> {
    let in_file = |(line, column)| Position { file: file.map(str::to_owned), line, column };
    let parsed = parse_nodes(text, format, limits).map_err(|fault| vec![fault.into_problem(in_file)])?;
    let mut documents = Vec::new();
    let mut problems = Vec::new();
    for root in parsed {
        let mut composer = node::Composer::new(limits);
        let (value, places) = composer.compose(root);
        problems.extend(composer.finish().into_iter().map(|fault| fault.into_problem(in_file)));
        if !value.is_null() {
            documents.push(Document { file: file.map(str::to_owned), value, places });
        }
    }
    if problems.is_empty() { Ok(documents) } else { Err(problems) }
}

impl Document {
    /// Returns where the value at a JSON pointer was written; for one that is absent, where its parent was.
    pub fn position(&self, pointer: &str) -> Option<Position> {
        Some(self.place(self.places.value(pointer)))
    }

    /// Returns where the key of the member at a JSON pointer was written; else as [`Self::position`].
    pub fn key_position(&self, pointer: &str) -> Option<Position> {
        Some(self.place(self.places.key(pointer)))
    }

    fn place(&self, (line, column): Place) -> Position {
        Position { file: self.file.clone(), line, column }
    }
}

/// What is wrong with a text, before it belongs to a file.
#[derive(Debug)]
struct Fault {
    code: ErrorCode,
    message: String,
    pointer: String,
    place: Option<Place>,
    hint: Option<String>,
}

impl Fault {
    fn new(code: ErrorCode, message: impl Into<String>, place: Option<Place>) -> Self {
        Self { code, message: message.into(), pointer: String::new(), place, hint: None }
    }

    fn into_problem(self, in_file: impl Fn(Place) -> Position) -> Problem {
        let position = self.place.map(in_file);
        Problem { position, hint: self.hint, ..Problem::new(self.code, self.message).at(self.pointer) }
    }
}

fn parse_nodes(text: &[u8], format: Format, limits: Limits) -> Result<Vec<node::Node>, Fault> {
    if text.len() > limits.bytes {
        let (bytes, limit) = (text.len(), limits.bytes);
        let message = format!("the document has {bytes} bytes, more than the {limit} allowed");
        return Err(Fault::new(ErrorCode::DocumentTooLarge, message, Some((1, 1))));
    }
    let text = std::str::from_utf8(text).map_err(|error| not_utf8(text, error.valid_up_to()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match format {
        Format::Yaml => yaml::parse(text, limits),
        Format::Toml => toml::parse(text).map(|root| vec![root]),
        Format::Json => json::parse(text, limits).map(|root| vec![root]),
    }
}

fn not_utf8(text: &[u8], valid_up_to: usize) -> Fault {
    let valid = std::str::from_utf8(&text[..valid_up_to]).expect("the text is valid up to there");
    let place = lines::Lines::new(valid).place(valid_up_to);
    Fault::new(ErrorCode::DocumentEncoding, "the text is not UTF-8", Some(place))
}
