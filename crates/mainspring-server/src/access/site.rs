//! Where browsers find the server: the path that everything is under, and the address before it.

use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri};

use crate::settings::StartError;

/// The address of the console and the API, as browsers know it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Site {
    /// Empty, or a path such as `/jobs`.
    base_path: String,
    /// `https://host:port`, where a proxy makes it another one than that of the requests.
    origin: Option<String>,
}

impl Site {
    /// Reads the two settings.
    ///
    /// # Errors
    /// What is wrong with one of them, and what it should look like.
    pub(crate) fn new(base_path: &str, public_url: Option<&str>) -> Result<Self, StartError> {
        let base_path = clean_path(base_path)?;
        let Some(url) = public_url else { return Ok(Self { base_path, origin: None }) };
        let unfit =
            || StartError::Site(format!("{url:?} is no address of a console; say https://HOST or https://HOST/PATH"));
        let uri: Uri = url.parse().map_err(|_| unfit())?;
        let (Some("http" | "https"), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(unfit());
        };
        if authority.as_str().contains('@') || authority.host().is_empty() || uri.query().is_some() {
            return Err(unfit());
        }
        let path = clean_path(uri.path())?;
        if !base_path.is_empty() && !path.is_empty() && path != base_path {
            return Err(StartError::Site(format!("the base path is {base_path}, and the path of {url} another")));
        }
        let origin = Some(format!("{}://{}", uri.scheme_str().unwrap_or("http"), plain_authority(&uri, authority)));
        Ok(Self { base_path: if path.is_empty() { base_path } else { path }, origin })
    }

    /// Empty, or a path such as `/jobs`.
    pub(crate) fn base_path(&self) -> &str {
        &self.base_path
    }

    /// The path that cookies are for.
    pub(crate) fn cookie_path(&self) -> &str {
        if self.base_path.is_empty() { "/" } else { &self.base_path }
    }

    /// The address before the path: that of the settings, or the one that the request was sent to.
    pub(crate) fn origin_of(&self, headers: &HeaderMap) -> Option<String> {
        let asked = || {
            let host = headers.get(HOST)?.to_str().ok()?.parse::<Authority>().ok()?;
            Some(format!("{}://{host}", if is_forwarded_tls(headers) { "https" } else { "http" }))
        };
        self.origin.clone().or_else(asked)
    }

    /// The address of a page, where the settings say how browsers reach the server.
    pub(crate) fn link(&self, path: &str) -> Option<String> {
        Some(format!("{}{}{path}", self.origin.as_ref()?, self.base_path))
    }

    /// The address before the path where no request says it.
    pub(crate) fn origin_or(&self, address: std::net::SocketAddr) -> String {
        let here = || match (address.ip().is_unspecified(), address.is_ipv4()) {
            (false, _) => format!("http://{address}"),
            (true, true) => format!("http://127.0.0.1:{}", address.port()),
            (true, false) => format!("http://[::1]:{}", address.port()),
        };
        self.origin.clone().unwrap_or_else(here)
    }

    /// Whether browsers may send the cookie over TLS only. A proxy says so for its own client alone, so its word is enough.
    pub(crate) fn is_secure(&self, headers: &HeaderMap) -> bool {
        self.origin.as_deref().is_some_and(|origin| origin.starts_with("https:")) || is_forwarded_tls(headers)
    }

    /// The path of a request without the base path. Proxies may have taken it off before.
    pub(crate) fn strip<'a>(&self, path: &'a str) -> &'a str {
        match path.strip_prefix(&self.base_path) {
            Some("") => "/",
            Some(rest) if rest.starts_with('/') => rest,
            _ => path,
        }
    }
}

/// Leaves out a port that the scheme implies, as browsers do.
fn plain_authority(uri: &Uri, authority: &Authority) -> String {
    match (uri.scheme_str(), authority.port_u16()) {
        (Some("https"), Some(443)) | (Some("http"), Some(80)) => authority.host().to_ascii_lowercase(),
        _ => authority.as_str().to_ascii_lowercase(),
    }
}

fn is_forwarded_tls(headers: &HeaderMap) -> bool {
    headers.get("x-forwarded-proto").is_some_and(|proto| proto.as_bytes().eq_ignore_ascii_case(b"https"))
}

/// `/a/b` of `a/b/`, and nothing of `/`.
fn clean_path(path: &str) -> Result<String, StartError> {
    let path = path.trim_matches('/');
    let is_plain = |part: &str| {
        !part.is_empty()
            && part.bytes().any(|byte| byte != b'.')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
    };
    match path {
        "" => Ok(String::new()),
        path if path.split('/').all(is_plain) => Ok(format!("/{path}")),
        path => Err(StartError::Site(format!("/{path} cannot be a base path; it has letters, digits, - . _ ~ and /"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn base_path_comes_from_either_setting() {
        let cases = [
            ("", None, "", "/"),
            ("/", None, "", "/"),
            ("x/", None, "/x", "/x"),
            ("/a/b", None, "/a/b", "/a/b"),
            ("", Some("https://h.example/jobs/"), "/jobs", "/jobs"),
            ("/jobs", Some("https://h.example"), "/jobs", "/jobs"),
        ];
        for (base, url, path, cookie) in cases {
            let site = Site::new(base, url).unwrap();
            assert_eq!((site.base_path(), site.cookie_path()), (path, cookie), "{base} {url:?}");
        }
        for (base, url) in [
            ("/a b", None),
            ("/a/../b", None),
            ("/a//b", None),
            ("/a\"", None),
            ("", Some("h.example")),
            ("", Some("ftp://h.example")),
            ("", Some("https://u:p@h.example")),
            ("", Some("https://h.example/?x")),
            ("/a", Some("https://h.example/b")),
        ] {
            assert!(Site::new(base, url).is_err(), "{base} {url:?}");
        }
    }

    #[test]
    fn requests_are_taken_with_the_base_path_and_without() {
        let site = Site::new("/x", None).unwrap();
        let cases =
            [("/x", "/"), ("/x/", "/"), ("/x/api", "/api"), ("/api", "/api"), ("/xy", "/xy"), ("/x/x/a", "/x/a")];
        for (path, stripped) in cases {
            assert_eq!(site.strip(path), stripped, "{path}");
        }
        assert_eq!(Site::default().strip("/a"), "/a");
    }

    #[test]
    fn address_is_that_of_the_settings_or_of_the_request() {
        let plain = Site::default();
        assert_eq!(plain.origin_of(&headers(&[("host", "a:7070")])).unwrap(), "http://a:7070");
        let tls = headers(&[("host", "a"), ("x-forwarded-proto", "https")]);
        assert_eq!((plain.origin_of(&tls).unwrap().as_str(), plain.is_secure(&tls)), ("https://a", true));
        assert_eq!(plain.origin_of(&headers(&[("host", "a\"<b")])), None);
        assert!(!plain.is_secure(&headers(&[("host", "a")])));
        let public = Site::new("", Some("https://H.example:443/x")).unwrap();
        assert_eq!(public.origin_of(&headers(&[("host", "a")])).unwrap(), "https://h.example");
        assert!(public.is_secure(&headers(&[])));
        assert_eq!(plain.origin_or("0.0.0.0:80".parse().unwrap()), "http://127.0.0.1:80");
        assert_eq!(plain.origin_or("[::]:80".parse().unwrap()), "http://[::1]:80");
    }
}
