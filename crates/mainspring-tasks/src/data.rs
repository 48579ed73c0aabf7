//! The data of a job, as an attempt reads and changes it.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};

/// The data that an attempt was given, and what it leaves. Clones are one and the same.
///
/// ```
/// use mainspring_tasks::{DataError, JobData};
/// use serde_json::json;
///
/// let data = JobData::new(json!({ "seen": 1 }));
/// data.set(json!({ "seen": 2 }))?;
/// assert_eq!((data.get(), data.left()), (json!({ "seen": 2 }), Some(json!({ "seen": 2 }))));
/// assert_eq!(data.set(json!([2])), Err(DataError::NotAnObject));
/// # Ok::<(), DataError>(())
/// ```
#[derive(Clone, Debug)]
pub struct JobData {
    given: Arc<Value>,
    left: Arc<Mutex<Option<Value>>>,
}

/// The reason why a value cannot be the data of a job. Nothing of it is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DataError {
    /// The job keeps no data.
    #[error("the job keeps no data; set keep_data in its definition")]
    NotKept,
    /// It is no JSON object.
    #[error("the data of a job is a JSON object")]
    NotAnObject,
    /// It has more than [`JobData::BYTES_MAX`]; so many bytes.
    #[error("the data has {0} bytes, and {max} are kept; keep what is large elsewhere, and its place here", max = JobData::BYTES_MAX)]
    TooLarge(usize),
}

impl DataError {
    /// Returns the stable code of this error.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::NotKept => "data.not_kept",
            Self::NotAnObject => "data.invalid",
            Self::TooLarge(_) => "data.too_large",
        }
    }
}

impl JobData {
    /// The most that a job keeps, in bytes of JSON: 64 KiB.
    pub const BYTES_MAX: usize = 64 * 1024;

    /// Creates the data that an attempt is given: `{}` in place of anything but an object.
    #[must_use]
    pub fn new(given: Value) -> Self {
        let given = if given.is_object() { given } else { Value::Object(Map::new()) };
        Self { given: Arc::new(given), left: Arc::default() }
    }

    /// Returns the value that was set last, or else the given one.
    #[must_use]
    pub fn get(&self) -> Value {
        self.left().unwrap_or_else(|| (*self.given).clone())
    }

    /// Sets what is kept if the attempt succeeds.
    ///
    /// # Errors
    /// It is no object, or too large.
    pub fn set(&self, data: Value) -> Result<(), DataError> {
        Self::check(&data)?;
        *self.left.lock().unwrap_or_else(PoisonError::into_inner) = Some(data);
        Ok(())
    }

    /// Returns the value that was set; `None` if the data stays as it is.
    #[must_use]
    pub fn left(&self) -> Option<Value> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes down what a job is to keep.
    ///
    /// # Errors
    /// It is no object, or too large.
    pub fn check(data: &Value) -> Result<String, DataError> {
        if !data.is_object() {
            return Err(DataError::NotAnObject);
        }
        let text = data.to_string();
        if text.len() > Self::BYTES_MAX { Err(DataError::TooLarge(text.len())) } else { Ok(text) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_objects_up_to_the_limit_are_kept() {
        let of_length = |length: usize| json!({ "x": "y".repeat(length - 8) });
        assert_eq!(JobData::check(&of_length(JobData::BYTES_MAX)).map(|text| text.len()), Ok(JobData::BYTES_MAX));
        let one_more = of_length(JobData::BYTES_MAX + 1);
        assert_eq!(JobData::check(&one_more), Err(DataError::TooLarge(JobData::BYTES_MAX + 1)));
        let data = JobData::new(json!("odd"));
        for bad in [json!(null), json!([]), json!(1), one_more] {
            assert!(data.set(bad).is_err());
        }
        assert_eq!((data.get(), data.left()), (json!({}), None));
    }
}
