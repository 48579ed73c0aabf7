//! Jobs and calendars as text that reads back as the same.

use serde::Serialize;
use serde_json::Value;

use crate::document::{Format, escape, with_exact_floats};

/// A value that a format cannot express.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// TOML has no null. Remove the value, or choose another format.
    #[error("the value at {pointer} is null, which TOML cannot express")]
    Null {
        /// JSON pointer to the value.
        pointer: String,
    },
    /// TOML's whole numbers end at 2^63. Write the value as text, or choose another format.
    #[error("the number at {pointer} is beyond the 64 bits of TOML")]
    Number {
        /// JSON pointer to the value.
        pointer: String,
    },
    /// The writer refused. This is a bug.
    #[error("could not write the {format}")]
    Writer {
        /// Name of the format.
        format: &'static str,
        /// What the writer said.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Writes a job, calendar or bundle; unset keys are left out.
///
/// # Errors
/// [`ExportError::Null`] and [`ExportError::Number`] for values that TOML lacks.
///
/// ```
/// use mainspring_api::{Format, JobSpec, write_text};
/// let job = JobSpec { name: "a".into(), run: Some("echo 'no'\ndate".into()), ..JobSpec::default() };
/// assert_eq!(write_text(&job, Format::Toml)?, "name = \"a\"\nrun = \"\"\"\necho 'no'\ndate\"\"\"\n");
/// # Ok::<(), mainspring_api::ExportError>(())
/// ```
pub fn write_text<T: Serialize>(value: &T, format: Format) -> Result<String, ExportError> {
    match format {
        Format::Json => {
            let mut text = serde_json::to_string_pretty(value).map_err(|source| writer("JSON", source))?;
            text.push('\n');
            Ok(text)
        }
        Format::Yaml => serde_saphyr::to_string(value).map_err(|source| writer("YAML", source)),
        Format::Toml => {
            let tree = serde_json::to_value(value).map_err(|source| writer("TOML", source))?;
            check_toml(&tree, &mut String::new())?;
            let text = toml::to_string_pretty(value).map_err(|source| writer("TOML", source))?;
            Ok(with_exact_floats(text))
        }
    }
}

fn writer(format: &'static str, source: impl std::error::Error + Send + Sync + 'static) -> ExportError {
    ExportError::Writer { format, source: Box::new(source) }
}

fn check_toml(value: &Value, pointer: &mut String) -> Result<(), ExportError> {
    let length = pointer.len();
    let mut inside = |token: &str, value: &Value| {
        pointer.push('/');
        pointer.push_str(token);
        let checked = check_toml(value, pointer);
        pointer.truncate(length);
        checked
    };
    match value {
        Value::Null => Err(ExportError::Null { pointer: pointer.clone() }),
        Value::Number(number) if number.as_u64().is_some_and(|number| i64::try_from(number).is_err()) => {
            Err(ExportError::Number { pointer: pointer.clone() })
        }
        Value::Array(items) => items.iter().enumerate().try_for_each(|(index, item)| inside(&index.to_string(), item)),
        Value::Object(members) => members.iter().try_for_each(|(key, value)| inside(&escape(key), value)),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}
