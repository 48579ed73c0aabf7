//! JSON that comes from an option, a file or standard input.

use std::io::Read;

use mainspring_tasks::{Altered, altered};
use serde_json::Value;

use crate::error::{Error, Report, Result};
use crate::exit::Exit;

/// Reads what an option or argument says: `@FILE`, `-` for standard input, or the text itself.
///
/// # Errors
/// `cli.file` for a file that cannot be read; `input.syntax` with line and column; `input.number` for a number that would not be
/// kept as it is; `input.duplicate_key` for a key that one object has twice.
pub fn json(option: &str, text: &str) -> Result<Value> {
    let (text, name) = match text.strip_prefix('@') {
        Some(path) => (file(path)?, path),
        None if text == "-" => (stdin()?, "<stdin>"),
        None => (text.to_owned(), option),
    };
    if let Some(found) = altered(text.as_bytes()) {
        let code = match found {
            Altered::Number(_) => "input.number",
            Altered::Key(_) => "input.duplicate_key",
        };
        let report = Report::new(code, found.to_string()).at(name.to_owned());
        return Err(Error::new(Exit::Invalid, report.hint(found.hint())));
    }
    serde_json::from_str(&text).map_err(|error| {
        let place = format!("{name}:{}:{}", error.line(), error.column());
        let report = Report::new("input.syntax", "the input is not valid JSON").at(place);
        Error::new(Exit::Invalid, report.hint(format!("quote it for the shell, or say {option} @FILE")))
    })
}

fn file(path: &str) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| Error::file("read", path.as_ref(), &error))
}

fn stdin() -> Result<String> {
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| Error::file("read", "standard input".as_ref(), &error))?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_comes_from_text_and_files_and_errors_name_the_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("input.json");
        std::fs::write(&path, "{\n \"a\": }").unwrap();

        assert_eq!(json("--input", "{\"a\": 1}").unwrap()["a"], 1);
        assert_eq!(json("--input", "{a}").unwrap_err().reports[0].place.as_deref(), Some("--input:1:2"));
        let error = json("--input", &format!("@{}", path.display())).unwrap_err();
        assert!(error.reports[0].place.as_deref().unwrap().ends_with("input.json:2:7"));
        let error = json("--input", "{\"a\": 123456789012345678901234567890}").unwrap_err();
        assert_eq!((error.reports[0].code.as_str(), error.exit), ("input.number", Exit::Invalid));
        assert_eq!(json("--input", "@no-such-file").unwrap_err().exit, Exit::NotFound);
    }
}
