//! Reads the output of a process from the file `$MS_OUTPUT`.
//!
//! Either one JSON object, or lines: each is `key=value`, whose value is text, or a JSON object,
//! whose members are taken over. A later key replaces an earlier one; empty lines are passed over.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;
use serde_json::{Map, Value};

use crate::ended::TaskError;
use crate::exact::altered;

const KEY_BYTES_MAX: usize = 128;

/// Reads the file; `None` when nothing was written. Blocks, though never on what the process may
/// have put in the file's place.
///
/// # Errors
/// `output.too_large`, `output.invalid` and `output.unreadable`.
pub(crate) fn read(path: &Path, bytes_max: u64) -> Result<Option<Value>, TaskError> {
    let bytes = read_bytes(path, bytes_max).map_err(|error| {
        TaskError::new("output.unreadable", format!("could not read the file that $MS_OUTPUT names: {error}"))
    })?;
    if bytes.len() as u64 > bytes_max {
        let message = format!(
            "$MS_OUTPUT holds more than {bytes_max} bytes; write large results elsewhere and output their place"
        );
        return Err(TaskError::new("output.too_large", message));
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| invalid(format!("byte {} is not UTF-8", error.utf8_error().valid_up_to())))?;
    let fields = parse(&text)?;
    Ok((!fields.is_empty()).then_some(Value::Object(fields)))
}

/// Reads the file. It follows no link and does not wait for a named pipe.
pub(super) fn read_bytes(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no longer a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(bytes_max + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn parse(text: &str) -> Result<Map<String, Value>, TaskError> {
    if let Ok(Value::Object(fields)) = serde_json::from_str(text) {
        return exact(text).map(|()| fields).map_err(invalid);
    }
    let mut fields = Map::new();
    for (index, line) in text.lines().enumerate() {
        parse_line(line, &mut fields).map_err(|problem| invalid(format!("line {}: {problem}", index + 1)))?;
    }
    Ok(fields)
}

fn parse_line(line: &str, fields: &mut Map<String, Value>) -> Result<(), String> {
    let trimmed = line.trim();
    if trimmed.is_empty() {
        return Ok(());
    }
    if trimmed.starts_with('{') {
        let no_object = |error| format!("it is no JSON object: {}", no_json(&error));
        let more: Map<String, Value> = serde_json::from_str(trimmed).map_err(no_object)?;
        exact(trimmed)?;
        fields.extend(more);
        return Ok(());
    }
    let (key, value) = line.split_once('=').ok_or("expected key=value or a JSON object")?;
    let key = key.trim();
    if !is_key(key) {
        return Err(format!("`{}` is no key; use letters, digits, `_`, `.` and `-`", key.escape_debug()));
    }
    fields.insert(key.to_owned(), Value::String(value.to_owned()));
    Ok(())
}

/// Says where a text is no JSON.
pub(super) fn no_json(error: &serde_json::Error) -> String {
    match error.is_eof() {
        true => "it ends too early".to_owned(),
        false => format!("it is not understood at line {}, column {}", error.line(), error.column()),
    }
}

/// Refuses what would be changed.
pub(super) fn exact(text: &str) -> Result<(), String> {
    altered(text.as_bytes()).map_or(Ok(()), |found| Err(format!("{found}; {}", found.hint())))
}

fn is_key(key: &str) -> bool {
    (1..=KEY_BYTES_MAX).contains(&key.len())
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}

fn invalid(problem: String) -> TaskError {
    TaskError::new("output.invalid", format!("$MS_OUTPUT is not understood: {problem}"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read_text(text: &[u8]) -> Result<Option<Value>, TaskError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("output");
        fs::write(&path, text).unwrap();
        read(&path, 64)
    }

    #[test]
    fn lines_and_objects_become_one_object() {
        let cases = [
            ("", None),
            ("\n \n", None),
            ("rows=3\n", Some(json!({"rows": "3"}))),
            ("a=b=c\r\nd= e ", Some(json!({"a": "b=c", "d": " e "}))),
            ("{\"rows\":3}\nrows=4\n{\"x\":[1]}", Some(json!({"rows": "4", "x": [1]}))),
            ("{\n  \"rows\": {\n    \"a\": 1 }\n}\n", Some(json!({"rows": {"a": 1}}))),
            ("{}", None),
        ];
        for (text, expected) in cases {
            assert_eq!(read_text(text.as_bytes()), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let cases: [(&[u8], &str, &str); 9] = [
            (
                b"a=1\n{\"b\": 123456789012345678901234567890}",
                "output.invalid",
                "line 2: 123456789012345678901234567890",
            ),
            (b"{\"b\":\n123456789012345678901234567890}", "output.invalid", "fit 64 bits exactly"),
            (b"{\"b\":\n{\"c\": 1, \"c\": 2}}", "output.invalid", "the key \"c\" is written twice"),
            (b"rows", "output.invalid", "line 1: expected key=value"),
            (b"a=1\nb c=2", "output.invalid", "line 2: `b c` is no key"),
            (b"{\"a\":", "output.invalid", "line 1: it is no JSON object: it ends too early"),
            (b"[1]", "output.invalid", "line 1: expected key=value"),
            (b"a=\xff", "output.invalid", "byte 2 is not UTF-8"),
            (&[b'a'; 65], "output.too_large", "more than 64 bytes"),
        ];
        for (text, code, message) in cases {
            let error = read_text(text).unwrap_err();
            assert_eq!(error.code, code);
            assert!(error.message.contains(message), "{}", error.message);
        }
    }

    #[test]
    fn a_file_put_in_its_place_is_neither_followed_nor_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("output");
        assert_eq!(read(&path, 64).unwrap_err().code, "output.unreadable");
        std::os::unix::fs::symlink("/etc/passwd", &path).unwrap();
        assert_eq!(read(&path, 64).unwrap_err().code, "output.unreadable");
        fs::remove_file(&path).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        assert_eq!(read(&path, 64).unwrap_err().code, "output.unreadable");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,60}|[a-z=\n{}\":,0-9]{0,60}") {
            let _ = read_text(text.as_bytes());
        }
    }
}
