//! The console's files: one page for every path that is not the API's, and what it needs, as they were built.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::prelude::{BASE64_STANDARD_NO_PAD, Engine as _};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::access::{Site, to_hex};
use crate::app::App;
use crate::layers;

const PAGE: &str = "index.html";
/// Files whose names change with what they hold.
const ASSETS: &str = "assets/";
/// First parts of paths that are the API's, whatever follows.
const API: &[&str] = &["api", "livez", "readyz", "metrics"];
/// What browsers keep for a year, and what they ask for again each time.
const FOREVER: &str = "public, max-age=31536000, immutable";
const AGAIN: &str = "no-cache";

/// Answers what no route does: with the console, where somebody looks for it, else that there is nothing.
pub(crate) async fn fallback(State(app): State<App>, request: Request) -> Response {
    let looks = matches!(*request.method(), Method::GET | Method::HEAD);
    let answer = match target(request.uri().path(), is_navigation(&request)) {
        Some(Target::Page) if looks => page(&app.access.site, request.headers()),
        Some(Target::File(name)) if looks => file(name, request.headers()),
        _ => None,
    };
    match answer {
        Some(answer) => answer,
        None => layers::unknown(request).await.into_response(),
    }
}

#[derive(PartialEq, Eq, Debug)]
enum Target<'a> {
    Page,
    File(&'a str),
}

/// What a path means. A program that asks for something that is not there hears so; a browser gets the page, which says it.
fn target(path: &str, is_navigation: bool) -> Option<Target<'_>> {
    let name = path.strip_prefix('/')?;
    let first = name.split('/').next().unwrap_or_default();
    let is_plain = name != PAGE && !name.ends_with(".br") && !name.ends_with(".gz");
    if API.contains(&first) {
        None
    } else if is_plain && mainspring_console::file(name).is_some() {
        Some(Target::File(name))
    } else if name.is_empty() || is_navigation && !name.starts_with(ASSETS) {
        Some(Target::Page)
    } else {
        None
    }
}

/// Whether a browser goes to a page: that is when it wants HTML.
fn is_navigation(request: &Request) -> bool {
    let accept = request.headers().get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accept.into_iter().any(|value| value.contains("text/html"))
}

/// The page, with the base path and a nonce for the styles that it makes.
fn page(site: &Site, headers: &HeaderMap) -> Option<Response> {
    let text = mainspring_console::file(PAGE)?;
    let text = std::str::from_utf8(&text).ok()?;
    let etag = format!("W/\"{}\"", tag(&[text.as_bytes(), site.base_path().as_bytes()]));
    // A browser that has the page has its policy, and the nonce of both is the same.
    if is_known(headers, &etag) {
        return Some(unchanged(&etag, AGAIN));
    }
    let mut nonce = [0; 16];
    getrandom::fill(&mut nonce).expect("the system has randomness");
    let nonce = BASE64_STANDARD_NO_PAD.encode(nonce);
    let policy = format!(
        "default-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; frame-ancestors 'none'; \
         base-uri 'self'; form-action 'self'; object-src 'none'"
    );
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, AGAIN),
        (header::ETAG, &etag),
        (header::CONTENT_SECURITY_POLICY, &policy),
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    Some((headers, filled(text, site.base_path(), &nonce)).into_response())
}

/// Writes into the page where it is, and what its styles need.
fn filled(page: &str, base_path: &str, nonce: &str) -> String {
    let config = json!({"base": format!("{base_path}/"), "version": env!("CARGO_PKG_VERSION"), "nonce": nonce});
    // Within a script, `<` could end it.
    let config = config.to_string().replace('<', "\\u003c");
    page.replacen("<base href=\"/\"", &format!("<base href=\"{base_path}/\""), 1).replacen(
        "id=\"config\">{}<",
        &format!("id=\"config\">{config}<"),
        1,
    )
}

/// A file as it was built, compressed as the browser likes it best.
fn file(name: &str, headers: &HeaderMap) -> Option<Response> {
    let is_asset = name.starts_with(ASSETS);
    let plain = mainspring_console::file(name)?;
    // The name of an asset says what it holds.
    let etag = if is_asset { format!("\"{name}\"") } else { format!("\"{}\"", tag(&[&plain])) };
    let kept = if is_asset { FOREVER } else { AGAIN };
    if is_known(headers, &etag) {
        return Some(unchanged(&etag, kept));
    }
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let compressed = ["br", "gzip"].into_iter().filter(|encoding| accepts(accepted, encoding)).find_map(|encoding| {
        let ending = if encoding == "br" { "br" } else { "gz" };
        Some((encoding, mainspring_console::file(&format!("{name}.{ending}"))?))
    });
    let (encoding, bytes) = compressed.map_or((None, plain), |(encoding, bytes)| (Some(encoding), bytes));
    let headers = [
        (header::CONTENT_TYPE, media_type(name)),
        (header::CACHE_CONTROL, kept),
        (header::ETAG, &etag),
        (header::VARY, "accept-encoding"),
    ];
    let mut response = (headers, bytes.into_owned()).into_response();
    if let Some(encoding) = encoding {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    Some(response)
}

fn unchanged(etag: &str, kept: &'static str) -> Response {
    (StatusCode::NOT_MODIFIED, [(header::ETAG, etag), (header::CACHE_CONTROL, kept)]).into_response()
}

/// Whether a browser has what the tag stands for.
fn is_known(headers: &HeaderMap, etag: &str) -> bool {
    let given = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let strong = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    given.split(',').any(|tag| strong(tag) == strong(etag))
}

fn tag(parts: &[&[u8]]) -> String {
    let hash = parts.iter().fold(Sha256::new(), |hash, part| hash.chain_update(part).chain_update([0]));
    to_hex(&hash.finalize()[..16])
}

/// Whether `Accept-Encoding` lists an encoding, and not with the weight 0.
fn accepts(header: &str, encoding: &str) -> bool {
    header.split(',').any(|item| {
        let (name, weight) = item.split_once(';').unwrap_or((item, ""));
        let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.parse::<f32>().ok());
        name.trim().eq_ignore_ascii_case(encoding) && weight != Some(0.0)
    })
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "json" | "map" | "webmanifest" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_that_was_built_has_places_for_what_is_written_into_it() {
        let page = mainspring_console::file(PAGE).unwrap();
        let text = filled(std::str::from_utf8(&page).unwrap(), "/x", "n<n");
        assert!(text.contains("<base href=\"/x/\""), "{text}");
        assert!(text.contains("\"base\":\"/x/\"") && text.contains("\"nonce\":\"n\\u003cn\""), "{text}");
        assert!(!text.contains("<script>") && !text.contains(" style=") && !text.contains("<style"), "{text}");
    }

    #[test]
    fn paths_of_the_api_are_never_pages() {
        for (path, browser, program) in [
            ("/", true, true),
            ("/ns/default/jobs", true, false),
            ("/login", true, false),
            ("/api", false, false),
            ("/api/v1/nothing", false, false),
            ("/metrics/x", false, false),
            ("/livez/x", false, false),
            ("/assets/none.js", false, false),
            ("/index.html", true, false),
            ("//evil", true, false),
        ] {
            let found = |navigation| target(path, navigation) == Some(Target::Page);
            assert_eq!((found(true), found(false)), (browser, program), "{path}");
        }
    }

    #[test]
    fn encodings_are_taken_as_they_are_offered() {
        for (header, encoding, expected) in [
            ("gzip, deflate, br", "br", true),
            ("gzip;q=1.0, BR;q=0.5", "br", true),
            ("br;q=0", "br", false),
            ("gzip", "br", false),
            ("", "gzip", false),
            ("xgzip", "gzip", false),
        ] {
            assert_eq!(accepts(header, encoding), expected, "{header}");
        }
    }
}
