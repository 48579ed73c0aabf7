//! Which page a browser's request comes from: a session counts for those of the console alone.
//!
//! `SameSite` is not enough: other ports of a host are of the same site.

use axum::http::{HeaderMap, Method, header};

use super::site::Site;

/// Tells whether a request with a session may be answered: browsers say of which page it is, and pages cannot say otherwise.
///
/// `Sec-Fetch-Site` decides where it is sent, over TLS and to this machine. Else writes want the `Origin` of the server.
pub(super) fn is_own(method: &Method, headers: &HeaderMap, site: &Site) -> bool {
    let reads = method.is_safe();
    match headers.get("sec-fetch-site").map(|value| value.as_bytes()) {
        Some(b"same-origin") => true,
        // An address that was typed.
        Some(b"none") => reads,
        Some(_) => false,
        None if reads => true,
        None => {
            let origin = headers.get(header::ORIGIN).and_then(|value| value.to_str().ok());
            origin.is_some_and(|origin| is_same(origin, site, headers))
        }
    }
}

/// Compares without the scheme: a proxy may speak TLS and say nothing of it.
fn is_same(origin: &str, site: &Site, headers: &HeaderMap) -> bool {
    let host = |url: &str| url.split_once("://").map(|(_, host)| host.to_ascii_lowercase());
    let here = site.origin_of(headers).and_then(|here| host(&here));
    here.is_some() && here == host(origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_the_server_write_with_its_cookie() {
        let (plain, public) = (Site::default(), Site::new("", Some("https://jobs.example")).unwrap());
        let (fetch, origin) = ("sec-fetch-site", "origin");
        type Case<'a> = (&'a str, &'a Site, &'a [(&'a str, &'a str)], bool);
        let cases: &[Case<'_>] = &[
            ("POST", &plain, &[(fetch, "same-origin")], true),
            ("POST", &plain, &[(fetch, "same-site"), (origin, "http://a:7070")], false),
            ("POST", &plain, &[(fetch, "cross-site")], false),
            ("POST", &plain, &[(fetch, "none")], false),
            ("GET", &plain, &[(fetch, "none")], true),
            ("GET", &plain, &[(fetch, "cross-site")], false),
            ("GET", &plain, &[], true),
            ("HEAD", &plain, &[], true),
            ("POST", &plain, &[], false),
            ("DELETE", &plain, &[], false),
            ("POST", &plain, &[(origin, "http://a:7070")], true),
            ("POST", &plain, &[(origin, "https://a:7070")], true),
            ("POST", &plain, &[(origin, "http://A:7070")], true),
            ("POST", &plain, &[(origin, "http://a:7071")], false),
            ("POST", &plain, &[(origin, "http://b:7070")], false),
            ("POST", &plain, &[(origin, "http://a:7070.evil.example")], false),
            ("POST", &plain, &[(origin, "null")], false),
            ("POST", &public, &[(origin, "https://jobs.example")], true),
            ("POST", &public, &[(origin, "http://a:7070")], false),
        ];
        for (method, site, pairs, expected) in cases {
            let mut headers: HeaderMap =
                pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
            headers.insert(header::HOST, "a:7070".parse().unwrap());
            assert_eq!(is_own(&method.parse().unwrap(), &headers, site), *expected, "{method} {pairs:?}");
        }
    }
}
