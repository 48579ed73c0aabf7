//! Request bodies: JSON within limits, of a known shape.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::document::{Format, Limits, parse_documents};
use crate::{ErrorCode, Problem, shape};

/// Reads a request body as a `T`.
///
/// Repeated and unknown keys, NUL and lone surrogates in texts, and numbers beyond 64 bits are refused.
///
/// # Errors
/// Every problem of the text, or else every problem of its shape, with JSON pointers. Rules beyond shape
/// are for [`check_job`](crate::check_job) and its kin.
///
/// ```
/// use mainspring_api::{Limits, RunNow, read_body};
/// let body: RunNow = read_body(br#"{"params": {"region": "eu"}}"#, Limits::FILE).unwrap();
/// assert_eq!(body.params["region"], "eu");
///
/// let problems = read_body::<RunNow>(br#"{"parms": {}, "priority": "high"}"#, Limits::FILE).unwrap_err();
/// let found: Vec<_> = problems.iter().map(|problem| (problem.code.as_str(), problem.pointer.as_str())).collect();
/// assert_eq!(found, [("field.unknown", "/parms"), ("field.type", "/priority")]);
/// ```
pub fn read_body<T: JsonSchema + DeserializeOwned + 'static>(body: &[u8], limits: Limits) -> Result<T, Vec<Problem>> {
    let documents = parse_documents(None, body, Format::Json, limits)?;
    let Some(document) = documents.into_iter().next() else {
        return Err(vec![Problem::new(ErrorCode::FieldType, "the body must be a mapping, not null")]);
    };
    shape::read(&document.value).map_err(|problems| {
        let locate = |problem: Problem| Problem { position: document.position(&problem.pointer), ..problem };
        problems.into_iter().map(locate).collect()
    })
}
