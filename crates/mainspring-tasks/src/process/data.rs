//! Passes the job's data to a process and back, through the file `$MS_DATA`.

use std::path::Path;

use serde_json::Value;

use super::output::{exact, no_json, read_bytes};
use crate::data::JobData;
use crate::ended::TaskError;

/// Reads the file; `None` where it says what it said before. Blocks, though never on what the process may have put in the
/// file's place.
///
/// # Errors
/// `data.too_large`, `data.invalid` and `data.unreadable`.
pub(crate) fn read(path: &Path, given: &Value) -> Result<Option<Value>, TaskError> {
    // Blanks and line ends between the members are not kept, so there may be more of them.
    let bytes_max = 2 * JobData::BYTES_MAX as u64;
    let bytes = read_bytes(path, bytes_max).map_err(|error| {
        TaskError::new("data.unreadable", format!("could not read the file that $MS_DATA names: {error}"))
    })?;
    if bytes.len() as u64 > bytes_max {
        return Err(TaskError::new("data.too_large", format!("$MS_DATA holds more than {bytes_max} bytes")));
    }
    let data: Value = serde_json::from_slice(&bytes)
        .map_err(|error| TaskError::new("data.invalid", format!("$MS_DATA is no JSON: {}", no_json(&error))))?;
    exact(&String::from_utf8_lossy(&bytes))
        .map_err(|problem| TaskError::new("data.invalid", format!("$MS_DATA is not kept: {problem}")))?;
    if data == *given {
        return Ok(None);
    }
    match JobData::check(&data) {
        Ok(_) => Ok(Some(data)),
        Err(error) => Err(TaskError::new(error.code(), format!("$MS_DATA is not kept: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_changed_is_read_and_what_is_wrong_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        let given = json!({ "seen": 1 });
        let large = json!({ "x": "y".repeat(JobData::BYTES_MAX) }).to_string();
        let blank = " ".repeat(2 * JobData::BYTES_MAX + 1);
        for (text, expected) in [
            (r#"{"seen":1}"#, Ok(None)),
            ("{ \"seen\": 1 }\n", Ok(None)),
            (r#"{"seen":2}"#, Ok(Some(json!({ "seen": 2 })))),
            ("{}", Ok(Some(json!({})))),
            (r#"{"seen":123456789012345678901234567890}"#, Err("data.invalid")),
            ("", Err("data.invalid")),
            ("seen=2", Err("data.invalid")),
            ("[1]", Err("data.invalid")),
            (&large, Err("data.too_large")),
            (&blank, Err("data.too_large")),
        ] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(read(&path, &given).map_err(|error| error.code), expected, "{}", &text[..text.len().min(20)]);
        }
        for (text, place) in [("", "it ends too early"), ("{\n \"a\": x}", "it is not understood at line 2, column 7")]
        {
            std::fs::write(&path, text).unwrap();
            assert_eq!(read(&path, &given).unwrap_err().message, format!("$MS_DATA is no JSON: {place}"));
        }
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read(&path, &given).map_err(|error| error.code), Err("data.unreadable"));
    }
}
