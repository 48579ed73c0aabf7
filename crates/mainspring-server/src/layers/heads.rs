//! What the head of a request must be like, before anybody looks at what it asks for.

use axum::extract::Request;
use axum::http::{HeaderMap, Version, header};
use mainspring_api::ErrorCode;

use crate::refusal::{Answer, Refusal};

/// Bytes of the head of a request: its target and its headers.
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// Checks a head: not too long, and with exactly one `Host`, as RFC 9112 wants of requests of HTTP/1.1.
///
/// # Errors
/// `request.head_too_large`, `request.header`.
pub(super) fn check(request: &Request) -> Answer<()> {
    let bytes = bytes_of(request);
    if bytes > HEAD_BYTES_MAX {
        let why = format!("the head of the request has {bytes} bytes; {HEAD_BYTES_MAX} are taken");
        return Err(Refusal::new(ErrorCode::RequestHeadTooLarge, why));
    }
    let wants_host = request.version() == Version::HTTP_11 && request.uri().authority().is_none();
    match hosts(request.headers()) {
        0 if wants_host => Err(Refusal::new(ErrorCode::RequestHeader, "the request has no Host header")),
        0 | 1 => Ok(()),
        _ => Err(Refusal::new(ErrorCode::RequestHeader, "the request has more than one Host header")),
    }
}

fn hosts(headers: &HeaderMap) -> usize {
    headers.get_all(header::HOST).iter().count()
}

/// About as many bytes as the head had on the wire.
fn bytes_of(request: &Request) -> usize {
    let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    // A line has a colon, a space and an end.
    target + request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn code(version: Version, headers: &[(&str, &str)]) -> Option<ErrorCode> {
        let request = Request::builder().version(version).uri("/livez");
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        check(&request.body(Body::empty()).unwrap()).err().and_then(|refusal| refusal.code())
    }

    #[test]
    fn a_head_has_one_host_and_is_not_too_long() {
        let long = "x".repeat(HEAD_BYTES_MAX);
        let new = |headers: &[(&str, &str)]| code(Version::HTTP_11, headers);
        assert_eq!(new(&[("host", "a")]), None);
        assert_eq!(new(&[]), Some(ErrorCode::RequestHeader));
        assert_eq!(new(&[("host", "a"), ("host", "a")]), Some(ErrorCode::RequestHeader));
        assert_eq!(new(&[("host", "a"), ("x", &long)]), Some(ErrorCode::RequestHeadTooLarge));
        assert_eq!(code(Version::HTTP_10, &[]), None, "which had no such header");
    }
}
