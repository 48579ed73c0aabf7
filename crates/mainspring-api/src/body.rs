//! Request bodies and queries: JSON and parameters within limits, of a known shape.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::document::{Format, Limits, parse_documents, shorten};
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

/// Reads a file as documents that are each a `T`. Problems have the place in the file.
///
/// # Errors
/// As [`read_body`].
pub fn read_documents<T: JsonSchema + DeserializeOwned + 'static>(
    file: Option<&str>,
    text: &[u8],
    format: Format,
) -> Result<Vec<T>, Vec<Problem>> {
    let documents = parse_documents(file, text, format, Limits::FILE)?;
    let read = documents.iter().map(|document| {
        shape::read(&document.value).map_err(|problems| {
            let locate = |problem: Problem| Problem { position: document.position(&problem.pointer), ..problem };
            problems.into_iter().map(locate).collect()
        })
    });
    read.collect()
}

/// Reads the parameters of a query as a `T`.
///
/// # Errors
/// Every parameter that is unknown, given twice, or has a value that it does not take.
///
/// ```
/// use mainspring_api::{JobFilter, read_query};
/// let pairs = |text: [(&str, &str); 2]| text.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
/// let filter: JobFilter = read_query(pairs([("limit", "5"), ("name", "5")])).unwrap();
/// assert_eq!((filter.limit, filter.name.as_deref()), (Some(5), Some("5")));
/// let problems = read_query::<JobFilter>(pairs([("limit", "many"), ("nmae", "x")])).unwrap_err();
/// let messages: Vec<_> = problems.iter().map(|problem| problem.message.as_str()).collect();
/// assert_eq!(messages, [
///     "query parameter \"limit\" must be a whole number, not the text \"many\"",
///     "unknown query parameter \"nmae\"",
/// ]);
/// ```
pub fn read_query<T: JsonSchema + DeserializeOwned + 'static>(pairs: Vec<(String, String)>) -> Result<T, Vec<Problem>> {
    let mut names = BTreeSet::new();
    let twice = pairs.iter().filter(|(name, _)| !names.insert(name.clone())).map(|(name, _)| {
        let message = format!("query parameter \"{}\" is given twice", shorten(name));
        Problem::new(ErrorCode::RequestQuery, message)
    });
    let twice: Vec<_> = twice.collect();
    let value = shape::of_texts::<T>(pairs);
    let wrong = shape::check::<T>(&value).into_iter().map(about_parameter::<T>);
    let problems: Vec<_> = twice.into_iter().chain(wrong).collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    shape::read(&value).map_err(|problems| {
        let named = |problem: Problem| {
            let message =
                format!("query parameter \"{}\": {}", problem.pointer.trim_start_matches('/'), problem.message);
            Problem { message, ..problem }
        };
        problems.into_iter().map(named).collect()
    })
}

/// Puts a problem of a mapping in the words of a query.
fn about_parameter<T: JsonSchema + 'static>(problem: Problem) -> Problem {
    let Some(name) = problem.message.strip_prefix("unknown key ") else {
        return Problem { message: format!("query parameter {}", problem.message), ..problem };
    };
    let known = || format!("there are {}", shape::keys::<T>().join(", "));
    let hint = problem.hint.clone().unwrap_or_else(known);
    Problem { message: format!("unknown query parameter {name}"), ..problem }.hint(hint)
}
