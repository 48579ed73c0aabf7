//! The console's files, as browsers get them.

use mainspring_server::Settings;
use reqwest::Response;

use crate::kit::Running;

async fn navigate(running: &Running, path: &str) -> Response {
    let request = running.http.get(format!("{}{path}", running.url)).header("accept", "text/html,*/*;q=0.8");
    request.send().await.unwrap()
}

fn text<'a>(answer: &'a Response, name: &str) -> &'a str {
    answer.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

/// The first script that the page loads.
fn script(page: &str) -> String {
    let (_, rest) = page.split_once("src=\"./").expect("the page loads a script");
    rest.split('"').next().unwrap().to_owned()
}

#[tokio::test]
async fn every_path_of_the_console_is_its_page_and_nothing_of_the_api_is() {
    let running = Running::start().await;
    let first = navigate(&running, "/").await;
    assert_eq!(first.status(), 200);
    let policy = text(&first, "content-security-policy").to_owned();
    assert!(policy.starts_with("default-src 'self'; style-src 'self' 'nonce-"), "{policy}");
    let nonce = policy.split("'nonce-").nth(1).unwrap().split('\'').next().unwrap().to_owned();
    assert_eq!((text(&first, "x-content-type-options"), text(&first, "cache-control")), ("nosniff", "no-cache"));
    let etag = text(&first, "etag").to_owned();
    let page = first.text().await.unwrap();
    assert!(page.contains("<base href=\"/\"") && page.contains(&format!("\"nonce\":\"{nonce}\"")), "{page}");

    let deep = navigate(&running, "/ns/default/jobs/a?tab=x").await;
    assert_ne!(text(&deep, "content-security-policy"), policy, "each page has a nonce of its own");
    assert!(deep.text().await.unwrap().starts_with("<!doctype html>"));

    // A page that is known keeps the policy, and the nonce, that it came with.
    let again = running.http.get(&running.url).header("if-none-match", &etag).send().await.unwrap();
    assert_eq!((again.status().as_u16(), text(&again, "content-security-policy")), (304, ""));

    for path in ["/api/v1/nothing", "/api", "/livez/x", "/assets/none.js", "/index.html.br"] {
        let answer = running.http.get(format!("{}{path}", running.url)).send().await.unwrap();
        assert_eq!(
            (answer.status().as_u16(), text(&answer, "content-type")),
            (404, "application/problem+json"),
            "{path}"
        );
    }
    let post = running.http.post(format!("{}/ns/x", running.url)).send().await.unwrap();
    assert_eq!((post.status().as_u16(), text(&post, "content-type")), (404, "application/problem+json"));
    running.stop().await;
}

#[tokio::test]
async fn what_the_page_loads_is_kept_forever_and_sent_compressed() {
    let settings = Settings { base_path: "/jobs".to_owned(), ..Settings::default() };
    let running = Running::start_with(settings).await;
    let page = navigate(&running, "/jobs/ns/default").await.text().await.unwrap();
    assert!(page.contains("<base href=\"/jobs/\"") && page.contains("\"base\":\"/jobs/\""), "{page}");
    let name = script(&page);
    let url = format!("{}/jobs/{name}", running.url);
    let plain = running.http.get(&url).send().await.unwrap();
    assert_eq!(text(&plain, "cache-control"), "public, max-age=31536000, immutable");
    assert_eq!(text(&plain, "content-type"), "text/javascript; charset=utf-8");
    let etag = text(&plain, "etag").to_owned();
    let bytes = plain.bytes().await.unwrap();
    for (encoding, ending) in [("br", "br"), ("gzip", "gz")] {
        let Some(compressed) = mainspring_console::file(&format!("{name}.{ending}")) else { continue };
        let answer = running.http.get(&url).header("accept-encoding", encoding).send().await.unwrap();
        assert_eq!((text(&answer, "content-encoding"), text(&answer, "vary")), (encoding, "accept-encoding"));
        let sent = answer.bytes().await.unwrap();
        assert!(sent == compressed.as_ref() && sent.len() < bytes.len(), "{encoding}");
    }
    assert_eq!(running.http.get(&url).header("if-none-match", etag).send().await.unwrap().status(), 304);
    // A proxy may have taken the base path off.
    assert_eq!(running.http.get(format!("{}/{name}", running.url)).send().await.unwrap().status(), 200);
    running.stop().await;
}
