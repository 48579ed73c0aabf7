//! One request as it goes out, and what becomes of it on a redirect.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};

use crate::attempt::Attempt;
use crate::ended::TaskError;
use crate::task::HttpCall;

/// Headers that say how the message is framed or the connection used: the client's own business,
/// and in other hands the way to smuggle a second request.
const FRAMING: [&str; 8] =
    ["connection", "content-length", "expect", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"];
/// Headers that may follow a redirect to another origin. Any other may be a credential.
const HARMLESS: [&str; 4] = ["accept", "accept-language", "content-type", "user-agent"];

/// A checked request.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Vec<u8>>,
}

impl Request {
    /// Checks a call.
    ///
    /// # Errors
    /// `http.bad_method`, `http.bad_url`, `http.bad_header`.
    pub(super) fn first(call: &HttpCall, attempt: &Attempt) -> Result<Self, TaskError> {
        let url = read_url(&call.url).map_err(bad_url)?;
        let mut headers = HeaderMap::new();
        if let Ok(context) = HeaderValue::from_str(&attempt.traceparent)
            && !context.is_empty()
        {
            headers.insert("traceparent", context);
        }
        for (name, value) in &call.headers {
            let (name, value) = header(name, value)?;
            headers.insert(name, value);
        }
        Ok(Self { method: method(&call.method)?, url, headers, body: call.body.clone() })
    }

    /// Returns the request that a redirect asks for.
    ///
    /// Only 307 and 308 repeat a request that changes something (RFC 9110, 15.4): after 301, 302 and 303 clients ask with a GET for
    /// something else, whose success says nothing about the request. 303 drops the body. Elsewhere (another scheme, host or
    /// port) go neither credentials nor a body.
    ///
    /// # Errors
    /// `http.redirect_refused` for a request that changes something and would become a GET, and for what would give something away:
    /// from https to http, to an address with user name, or a body to another origin.
    pub(super) fn redirected(mut self, status: u16, location: &str) -> Result<Self, TaskError> {
        let url =
            self.url.join(location).map_err(|error| refused(format!("its address is not understood: {error}")))?;
        check_url(&url).map_err(refused)?;
        if self.url.scheme() == "https" && url.scheme() == "http" {
            return Err(refused(format!("it leads from https to http, at {}", shown(&url))));
        }
        if !self.method.is_safe() && !matches!(status, 307 | 308) {
            let (method, to) = (&self.method, shown(&url));
            return Err(refused(format!(
                "{status} leads a {method} to {to}, where only a GET may follow; call the final address, or list {status} in `expect` if it means success"
            )));
        }
        if status == 303 && self.method != Method::HEAD {
            self.method = Method::GET;
            self.body = None;
            self.headers.remove("content-type");
        }
        if self.url.origin() != url.origin() {
            if self.body.is_some() {
                return Err(refused(format!("it would send the body on to another origin, {}", shown(&url))));
            }
            self.headers = harmless(&self.headers);
        }
        self.url = url;
        Ok(self)
    }
}

/// The part of a call that can never be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallPart {
    /// The address.
    Url,
    /// The method.
    Method,
    /// The header of this name.
    Header(String),
}

/// Returns what keeps a call from ever being sent, each with the reason, so that it can be refused when it is written.
///
/// Whether an address may be reached is for the [policy](crate::OutboundPolicy) of the process that makes the call.
///
/// ```
/// use mainspring_tasks::{CallPart, HttpCall, unsendable};
/// let call = HttpCall::get("https://user:secret@example.com/");
/// let problems = unsendable(&call);
/// assert_eq!(problems[0].0, CallPart::Url);
/// assert!(problems[0].1.contains("user name or password") && !problems[0].1.contains("secret"));
/// ```
#[must_use]
pub fn unsendable(call: &HttpCall) -> Vec<(CallPart, String)> {
    let mut problems = Vec::new();
    if let Err(message) = read_url(&call.url) {
        problems.push((CallPart::Url, message));
    }
    if let Err(error) = method(&call.method) {
        problems.push((CallPart::Method, error.message));
    }
    for (name, value) in &call.headers {
        if let Err(error) = header(name, value) {
            problems.push((CallPart::Header(name.clone()), error.message));
        }
    }
    problems
}

fn read_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("the address is not understood: {error}"))?;
    check_url(&url)?;
    Ok(url)
}

/// Shows an address without its query and fragment, where secrets tend to be.
pub(super) fn shown(url: &Url) -> String {
    let mut shown = url.clone();
    shown.set_query(None);
    shown.set_fragment(None);
    shown.into()
}

fn check_url(url: &Url) -> Result<(), String> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("the scheme `{}` is neither http nor https", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("the address holds a user name or password; send them in a header".to_owned());
    }
    if url.port() == Some(0) {
        return Err("port 0 cannot be reached".to_owned());
    }
    Ok(())
}

fn method(text: &str) -> Result<Method, TaskError> {
    let bad = || {
        let message = format!("`{}` is no method for a call; give one such as GET or POST", text.escape_debug());
        TaskError::new("http.bad_method", message)
    };
    Method::from_bytes(text.as_bytes()).ok().filter(|method| *method != Method::CONNECT).ok_or_else(bad)
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), TaskError> {
    let bad =
        |problem: &str| TaskError::new("http.bad_header", format!("the header `{}` {problem}", name.escape_debug()));
    let known = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad("has a name that HTTP does not allow"))?;
    if FRAMING.contains(&known.as_str()) {
        return Err(bad("is set by the client itself; leave it out"));
    }
    let mut value =
        HeaderValue::from_str(value).map_err(|_| bad("has a value that HTTP does not allow, such as a line break"))?;
    value.set_sensitive(true);
    Ok((known, value))
}

fn harmless(headers: &HeaderMap) -> HeaderMap {
    let kept = headers.iter().filter(|(name, _)| HARMLESS.contains(&name.as_str()));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn bad_url(message: String) -> TaskError {
    TaskError::new("http.bad_url", message)
}

fn refused(problem: String) -> TaskError {
    TaskError::new("http.redirect_refused", format!("the redirect is not followed: {problem}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn call(method: &str, url: &str, body: Option<&str>) -> HttpCall {
        let headers = [("authorization", "Bearer x"), ("x-api-key", "k"), ("accept", "text/plain")];
        HttpCall {
            method: method.to_owned(),
            headers: headers.map(|(n, v)| (n.to_owned(), v.to_owned())).into(),
            body: body.map(|text| text.as_bytes().to_vec()),
            ..HttpCall::get(url)
        }
    }

    fn first(method: &str, url: &str, body: Option<&str>) -> Request {
        Request::first(&call(method, url, body), &Attempt::default()).unwrap()
    }

    #[test]
    fn what_cannot_be_sent_is_refused_with_the_reason() {
        let cases = [
            ("GET", "nonsense", "http.bad_url", "not understood"),
            ("GET", "ftp://h/", "http.bad_url", "`ftp` is neither"),
            ("GET", "file:///etc/passwd", "http.bad_url", "`file` is neither"),
            ("GET", "http://user@h/", "http.bad_url", "user name"),
            ("GET", "http://:secret@h/", "http.bad_url", "user name"),
            ("GET", "http://good.example@127.0.0.1/", "http.bad_url", "user name"),
            ("GET", "http://h:0/", "http.bad_url", "port 0"),
            ("CONNECT", "http://h/", "http.bad_method", "`CONNECT`"),
            ("G T", "http://h/", "http.bad_method", "`G T`"),
        ];
        for (method, url, code, text) in cases {
            let error = Request::first(&call(method, url, None), &Attempt::default()).unwrap_err();
            assert!(error.code == code && error.message.contains(text), "{url}: {error:?}");
            let known: Vec<_> = unsendable(&call(method, url, None)).into_iter().map(|(_, message)| message).collect();
            assert_eq!(known, std::slice::from_ref(&error.message), "what fails when it is sent is known before");
            assert!(!error.message.contains("secret"));
        }
        for (name, value) in
            [("a b", "x"), ("x", "a\r\nb: c"), ("Content-Length", "5"), ("Transfer-Encoding", "chunked"), ("", "")]
        {
            let headers = BTreeMap::from([(name.to_owned(), value.to_owned())]);
            let call = HttpCall { headers, ..HttpCall::get("http://h/") };
            let error = Request::first(&call, &Attempt::default()).unwrap_err();
            assert_eq!(error.code, "http.bad_header", "{name}");
            assert_eq!(unsendable(&call), [(CallPart::Header(name.to_owned()), error.message)]);
        }
    }

    #[test]
    fn a_redirect_changes_method_body_and_headers_by_the_rules() {
        let cases = [
            // method, status, location | method, body kept, credentials kept
            ("POST", 301, "/b", None, false, false),
            ("POST", 302, "/b", None, false, false),
            ("POST", 303, "/b", None, false, false),
            ("PUT", 302, "/b", None, false, false),
            ("DELETE", 303, "/b", None, false, false),
            ("GET", 302, "/b", Some("GET"), true, true),
            ("GET", 303, "/b", Some("GET"), false, true),
            ("HEAD", 303, "/b", Some("HEAD"), true, true),
            ("PUT", 307, "/b", Some("PUT"), true, true),
            ("POST", 307, "/b", Some("POST"), true, true),
            ("POST", 308, "https://a.example:8443/b", None, false, false),
            ("GET", 303, "https://b.example/", Some("GET"), false, false),
            ("GET", 303, "https://a.example:444/", Some("GET"), false, false),
            ("GET", 302, "http://a.example/", None, false, false),
            ("GET", 302, "https://u:p@a.example/", None, false, false),
            ("GET", 302, "file:///etc/passwd", None, false, false),
            ("GET", 302, "https://[", None, false, false),
        ];
        for (method, status, location, becomes, keeps_body, keeps_credentials) in cases {
            let request = first(method, "https://a.example/a?token=1", Some("body"));
            match (request.redirected(status, location), becomes) {
                (Ok(next), Some(becomes)) => {
                    assert_eq!(next.method, becomes, "{method} {status} {location}");
                    assert_eq!(next.body.is_some(), keeps_body, "{method} {status} {location}");
                    let kept = ["authorization", "x-api-key"].map(|name| next.headers.contains_key(name));
                    assert_eq!(kept, [keeps_credentials; 2], "{method} {status} {location}");
                    assert!(next.headers.contains_key("accept"));
                }
                (Err(error), None) => assert_eq!(error.code, "http.redirect_refused"),
                (found, _) => panic!("{method} {status} {location}: {found:?}"),
            }
        }
    }

    #[test]
    fn secrets_in_a_query_are_not_shown() {
        assert_eq!(shown(&Url::parse("https://h:8443/a?token=s#f").unwrap()), "https://h:8443/a");
    }
}
