//! What handlers take out of requests: bodies, queries, paths and conditions, each refused with a reason.

use std::time::Duration;

use axum::body::Body as RawBody;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use mainspring_api::{ErrorCode, Limits, Problem, read_body, read_query};
use mainspring_tasks::altered;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::refusal::{Answer, Refusal};
pub(crate) use crate::work::off_thread;

/// How long the next part of a body may take.
const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// Bodies beyond this are parsed on a thread of their own: it takes more than half a millisecond.
pub(crate) const INLINE_BYTES_MAX: usize = 16 * 1024;

/// Bounds of a route's body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyLimits(pub(crate) Limits);

/// A JSON body of a known shape.
pub(crate) struct Body<T>(pub(crate) T);

/// The same of what programs write many times a second: read at once, and looked into only when something is wrong with it.
pub(crate) struct Plain<T>(pub(crate) T);

/// The same where nothing may be said: an empty body is the default.
pub(crate) struct OptionalBody<T>(pub(crate) T);

/// A merge patch: any JSON.
pub(crate) struct Patch(pub(crate) serde_json::Value);

impl<T: JsonSchema + DeserializeOwned + Send + 'static, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &S) -> Answer<Self> {
        check_media_type(request.headers(), &["application/json"])?;
        let limits = limits_of(&request);
        parse(collect(request.into_body(), limits.bytes).await?, limits).await.map(Self)
    }
}

impl<T: JsonSchema + DeserializeOwned + Send + 'static, S: Send + Sync> FromRequest<S> for Plain<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &S) -> Answer<Self> {
        check_media_type(request.headers(), &["application/json"])?;
        let limits = limits_of(&request);
        let bytes = collect(request.into_body(), limits.bytes).await?;
        match serde_json::from_slice(&bytes) {
            Ok(read) if altered(&bytes).is_none() => Ok(Self(read)),
            // Either it is wrong, or it writes 3.0 for 3: the thorough reader knows.
            _ => parse(bytes, limits).await.map(Self),
        }
    }
}

impl<T: JsonSchema + DeserializeOwned + Default + Send + 'static, S: Send + Sync> FromRequest<S> for OptionalBody<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &S) -> Answer<Self> {
        let limits = limits_of(&request);
        let (parts, body) = request.into_parts();
        let bytes = collect(body, limits.bytes).await?;
        if bytes.is_empty() {
            return Ok(Self(T::default()));
        }
        check_media_type(&parts.headers, &["application/json"])?;
        parse(bytes, limits).await.map(Self)
    }
}

impl<S: Send + Sync> FromRequest<S> for Patch {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &S) -> Answer<Self> {
        check_media_type(request.headers(), &["application/merge-patch+json", "application/json"])?;
        let limits = limits_of(&request);
        let bytes = collect(request.into_body(), limits.bytes).await?;
        let is_short = bytes.len() <= INLINE_BYTES_MAX;
        let read = move || {
            mainspring_api::parse_documents(None, &bytes, mainspring_api::Format::Json, limits)
                .map_err(Refusal::invalid)
        };
        let documents = if is_short { read() } else { off_thread(read).await }?;
        let value = documents.into_iter().next().map(|document| document.value);
        match value {
            Some(value @ serde_json::Value::Object(_)) => Ok(Self(value)),
            _ => {
                let message = "a merge patch of a job is a mapping";
                Err(Refusal::invalid(vec![Problem::new(ErrorCode::FieldType, message)]))
            }
        }
    }
}

/// Reads a body of at most `bytes_max`.
pub(crate) async fn collect(body: RawBody, bytes_max: usize) -> Answer<Bytes> {
    let too_large = || {
        let detail = format!("the body has more than {} KiB", bytes_max / 1024);
        Refusal::new(ErrorCode::RequestTooLarge, detail)
    };
    let mut stream = body.into_data_stream();
    let mut collected = BytesMut::new();
    loop {
        let next = tokio::time::timeout(READ_TIMEOUT, stream.next()).await;
        let next = next.map_err(|_| Refusal::new(ErrorCode::RequestTimeout, "the body took too long to arrive"))?;
        match next {
            None => return Ok(collected.freeze()),
            Some(Ok(part)) if collected.len() + part.len() > bytes_max => {
                drop(part);
                return Err(too_large());
            }
            Some(Ok(part)) => collected.extend_from_slice(&part),
            Some(Err(_)) => return Err(Refusal::new(ErrorCode::RequestInvalid, "the body broke off")),
        }
    }
}

async fn parse<T: JsonSchema + DeserializeOwned + Send + 'static>(bytes: Bytes, limits: Limits) -> Answer<T> {
    if bytes.len() <= INLINE_BYTES_MAX {
        return read_body(&bytes, limits).map_err(Refusal::invalid);
    }
    off_thread(move || read_body(&bytes, limits).map_err(Refusal::invalid)).await
}

/// Writes an answer that may be large.
pub(crate) async fn large_json<T: Serialize + Send + 'static>(value: T) -> Answer<Response> {
    let write = move || Ok(serde_json::to_vec(&value).expect("plain data has a text"));
    let text = off_thread(write).await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

fn limits_of(request: &Request) -> Limits {
    request.extensions().get::<BodyLimits>().map_or(Limits::FILE, |limits| limits.0)
}

fn check_media_type(headers: &HeaderMap, allowed: &[&str]) -> Answer<()> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim();
    if allowed.iter().any(|allowed| essence.eq_ignore_ascii_case(allowed)) {
        return Ok(());
    }
    let detail = match essence {
        "" => "the request does not say of what type its body is".to_owned(),
        other => format!("a body of type \"{}\" is not taken here", other.escape_debug()),
    };
    Err(Refusal::new(ErrorCode::RequestMediaType, detail).hint(format!("send {}", allowed.join(" or "))))
}

/// A query string of a known shape.
pub(crate) struct QueryOf<T>(pub(crate) T);

impl<T: JsonSchema + DeserializeOwned + 'static, S: Send + Sync> FromRequestParts<S> for QueryOf<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Answer<Self> {
        let unreadable = |_| Refusal::new(ErrorCode::RequestQuery, "the query is not a list of name=value");
        let pairs = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(&parts.uri).map_err(unreadable)?;
        read_query(pairs.0).map(Self).map_err(|problems| {
            let messages: Vec<_> = problems.iter().map(|problem| problem.message.as_str()).collect();
            let refusal = Refusal::new(ErrorCode::RequestQuery, messages.join("; "));
            let hints = problems.iter().find_map(|problem| problem.hint.clone());
            hints.into_iter().fold(refusal, Refusal::hint)
        })
    }
}

/// The beginning of a path, for a message.
pub(crate) fn shown_path(path: &str) -> String {
    path.chars().take(200).flat_map(char::escape_debug).collect()
}

/// The places of a path.
pub(crate) struct PathOf<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for PathOf<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Answer<Self> {
        match axum::extract::Path::<T>::from_request_parts(parts, state).await {
            Ok(axum::extract::Path(path)) => Ok(Self(path)),
            Err(_) => {
                let detail = format!("there is nothing at {}", shown_path(parts.uri.path()));
                Err(Refusal::new(ErrorCode::RouteUnknown, detail))
            }
        }
    }
}

/// What must hold for a write to happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Condition {
    Always,
    /// `If-None-Match: *`
    Absent,
    /// `If-Match: *`
    Present,
    /// `If-Match: "7"`
    Version(u64),
}

impl<S: Send + Sync> FromRequestParts<S> for Condition {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Answer<Self> {
        let refused = |name: &HeaderName, takes: &str| {
            Err(Refusal::new(ErrorCode::RequestHeader, format!("{name} takes {takes} here")))
        };
        let text = |name: HeaderName| parts.headers.get(name).map(|value| value.to_str().unwrap_or_default().trim());
        match (text(header::IF_MATCH), text(header::IF_NONE_MATCH)) {
            (None, None) => Ok(Self::Always),
            (None, Some("*")) => Ok(Self::Absent),
            (None, Some(_)) => refused(&header::IF_NONE_MATCH, "*"),
            (Some(_), Some(_)) => refused(&header::IF_MATCH, "no If-None-Match beside it"),
            (Some("*"), None) => Ok(Self::Present),
            (Some(tag), None) => {
                let number = tag.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
                match number.and_then(|number| number.parse().ok()) {
                    Some(version) => Ok(Self::Version(version)),
                    None => refused(&header::IF_MATCH, "one version in quotes, such as \"7\", or *"),
                }
            }
        }
    }
}

impl Condition {
    /// Checks the condition against the version that is there.
    pub(crate) fn check(self, what: &str, version: Option<u64>, missing: impl FnOnce() -> Refusal) -> Answer<()> {
        match (self, version) {
            (Self::Always, _) | (Self::Absent, None) | (Self::Present, Some(_)) => Ok(()),
            (Self::Absent, Some(version)) => {
                Err(Refusal::new(ErrorCode::ResourceExists, format!("{what} exists already, at version {version}")))
            }
            (Self::Version(wanted), Some(version)) if wanted == version => Ok(()),
            (Self::Version(wanted), Some(version)) => {
                Err(Refusal::new(ErrorCode::ResourceStale, format!("{what} is at version {version}, not {wanted}")))
            }
            (Self::Present | Self::Version(_), None) => Err(missing()),
        }
    }
}

/// An `ETag` of a version.
pub(crate) fn etag(version: u64) -> [(HeaderName, String); 1] {
    [(header::ETAG, format!("\"{version}\""))]
}

/// 201 where something was made.
pub(crate) const fn made(created: bool) -> StatusCode {
    if created { StatusCode::CREATED } else { StatusCode::OK }
}
