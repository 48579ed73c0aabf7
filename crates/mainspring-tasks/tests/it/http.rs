//! What HTTP calls reach, what they send, and how their answers are judged.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use mainspring_tasks::{Ended, HttpCall, LogLine, OutboundPolicy, Outcome, Settings, StatusRange, Stream, Task};

use crate::support::*;
use crate::web::*;

/// A bench whose policy lets calls reach these servers and nothing else on this machine.
fn bench_for(servers: &[&Server]) -> Bench {
    bench_with(servers, |_| {})
}

fn bench_with(servers: &[&Server], change: impl FnOnce(&mut Settings)) -> Bench {
    Bench::with(Hold::Bare, |settings| {
        let allow =
            |policy: OutboundPolicy, server: &&Server| policy.allow(server.address.to_string().parse().unwrap());
        settings.outbound = servers.iter().fold(OutboundPolicy::default(), allow);
        change(settings);
    })
}

async fn call(bench: &Bench, call: HttpCall) -> (Ended, Vec<LogLine>) {
    bench.perform(&Task::Http(call), &attempt()).await
}

fn code(ended: &Ended) -> Option<&'static str> {
    ended.error.as_ref().map(|error| error.code)
}

#[tokio::test]
async fn the_status_decides() {
    let server = Server::start(|request| {
        let status = request.split(['/', ' ']).nth(2).unwrap().parse().unwrap();
        answer(status, "body\n")
    })
    .await;
    let bench = bench_for(&[&server]);
    let only = |status| vec![StatusRange { first: status, last: status }];
    let cases = [
        (200, vec![StatusRange::SUCCESS], None),
        (299, vec![StatusRange::SUCCESS], None),
        (300, vec![StatusRange::SUCCESS], Some("http.unexpected_status")),
        (404, vec![StatusRange::SUCCESS], Some("http.unexpected_status")),
        (404, only(404), None),
        (200, only(404), Some("http.unexpected_status")),
        (503, [only(200), only(503)].concat(), None),
    ];
    for (status, expect, expected) in cases {
        let request = HttpCall { expect, ..HttpCall::get(server.url(&format!("/{status}"))) };
        let (ended, lines) = call(&bench, request).await;
        assert_eq!((code(&ended), ended.http_status), (expected, Some(status)), "{status}");
        assert_eq!(texts(&lines, Stream::Stdout), ["body"]);
        let outcome = if expected.is_some() { Outcome::Failed } else { Outcome::Succeeded };
        assert_eq!(ended.outcome, outcome);
    }
}

#[tokio::test]
async fn an_unexpected_status_says_what_was_expected() {
    let server = Server::start(|_| answer(503, "")).await;
    let bench = bench_for(&[&server]);
    let expect = vec![StatusRange::SUCCESS, StatusRange { first: 404, last: 404 }];
    let request = HttpCall { expect, ..HttpCall::get(server.url("/a?token=secret")) };
    let (ended, lines) = call(&bench, request).await;
    let message = ended.error.unwrap().message;
    assert_eq!(message, format!("{} answered 503, expected 200-299, 404", server.url("/a")));
    assert_eq!(texts(&lines, Stream::System), [format!("GET {} answered 503", server.url("/a"))]);
}

/// A capture of all that is sent, so that nothing internal slips in.
#[tokio::test]
async fn a_request_holds_what_the_job_says_and_little_more() {
    let server = Server::start(|_| answer(200, "")).await;
    let bench = bench_for(&[&server]);
    let headers = BTreeMap::from([("X-Token".to_owned(), "t".to_owned())]);
    let request = HttpCall {
        method: "POST".to_owned(),
        headers,
        body: Some("{\"a\":1}".as_bytes().to_vec()),
        ..HttpCall::get(server.url("/hook?x=1"))
    };
    let mut attempt = attempt();
    attempt.traceparent = "00-11111111111111111111111111111111-2222222222222222-01".to_owned();
    let (ended, _) = bench.perform(&Task::Http(request), &attempt).await;
    assert_eq!(ended.outcome, Outcome::Succeeded);
    let text = server.requests().remove(0);
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let mut lines: Vec<_> = head.lines().collect();
    assert_eq!((lines.remove(0), body), ("POST /hook?x=1 HTTP/1.1", "{\"a\":1}"));
    lines.sort_unstable();
    let expected = [
        "accept: */*".to_owned(),
        "content-length: 7".to_owned(),
        format!("host: {}", server.address),
        format!("traceparent: {}", attempt.traceparent),
        format!("user-agent: mainspring/{}", env!("CARGO_PKG_VERSION")),
        "x-token: t".to_owned(),
    ];
    assert_eq!(lines, expected);
}

/// Spellings of this machine's own address, after the tricks of CVE-2022-43183 and its kin.
#[tokio::test]
async fn no_spelling_of_a_denied_address_is_reached() {
    let server = Server::start(|_| answer(200, "inside")).await;
    let bench = bench_for(&[]);
    let hosts = [
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "017700000001",
        "0177.0.0.1",
        "127.0.0.1.",
        "0",
        "0.0.0.0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[0:0:0:0:0:0:0:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "１２７.0.0.1",
        "127。0。0。1",
        "①27.0.0.1",
        "169.254.169.254",
        "[fd00:ec2::254]",
        "10.0.0.1",
    ];
    for host in hosts {
        let (ended, _) = call(&bench, HttpCall::get(format!("http://{host}:{}/", server.address.port()))).await;
        let found = code(&ended);
        // A machine may have no entry for `localhost.`; what counts is that nobody answers.
        let is_denied = found == Some("http.denied_address") || (host.ends_with('.') && found == Some("http.dns"));
        assert!(is_denied, "{host}: {ended:?}");
    }
    for userinfo in ["good.example@", "good.example:80@", "a:b@", "good.example%00@"] {
        let url = format!("http://{userinfo}127.0.0.1:{}/", server.address.port());
        let (ended, _) = call(&bench, HttpCall::get(url)).await;
        assert_eq!(code(&ended), Some("http.bad_url"), "{userinfo}");
    }
    assert_eq!(server.requests(), [""; 0]);
}

#[tokio::test]
async fn a_host_that_is_allowed_by_name_is_reached_by_that_name() {
    let server = Server::start(|_| answer(200, "")).await;
    let by_name = bench_with(&[], |s| s.outbound = OutboundPolicy::default().allow("localhost".parse().unwrap()));
    let port = server.address.port();
    let (ended, _) = call(&by_name, HttpCall::get(format!("http://localhost:{port}/"))).await;
    assert_eq!(ended.outcome, Outcome::Succeeded, "{ended:?}");
    let (ended, _) = call(&by_name, HttpCall::get(server.url("/"))).await;
    assert_eq!(code(&ended), Some("http.denied_address"));
}

#[tokio::test]
async fn a_redirect_to_a_denied_address_is_not_followed() {
    let inner = Server::start(|_| answer(200, "inside")).await;
    for host in ["127.0.0.1", "2130706433", "[::ffff:127.0.0.1]", "localhost"] {
        let target = format!("http://{host}:{}/secret", inner.address.port());
        let outer = Server::start(move |_| redirect(302, &target)).await;
        let bench = bench_for(&[&outer]);
        let (ended, _) = call(&bench, HttpCall::get(outer.url("/"))).await;
        assert_eq!((code(&ended), ended.http_status), (Some("http.denied_address"), Some(302)), "{host}");
    }
    assert_eq!(inner.requests(), [""; 0]);
}

#[tokio::test]
async fn redirects_are_followed_three_times_at_most() {
    let server = Server::start(|request| {
        let hops: u8 = request.split(['/', ' ']).nth(2).unwrap().parse().unwrap();
        if hops == 0 { answer(200, "there") } else { redirect(307, &format!("/{}", hops - 1)) }
    })
    .await;
    let bench = bench_for(&[&server]);
    let cases = [
        (3, 3, None, 4),
        (4, 3, Some("http.too_many_redirects"), 4),
        (4, 200, Some("http.too_many_redirects"), 4),
        (2, 1, Some("http.too_many_redirects"), 2),
        (1, 0, Some("http.unexpected_status"), 1),
    ];
    for (hops, redirects_max, expected, requests) in cases {
        let before = server.requests().len();
        let request = HttpCall { redirects_max, ..HttpCall::get(server.url(&format!("/{hops}"))) };
        let (ended, _) = call(&bench, request).await;
        assert_eq!(code(&ended), expected, "{hops} of {redirects_max}");
        assert_eq!(server.requests().len() - before, requests);
    }
    let expect = vec![StatusRange { first: 307, last: 307 }];
    let (ended, _) = call(&bench, HttpCall { expect, ..HttpCall::get(server.url("/2")) }).await;
    assert_eq!((ended.outcome, ended.http_status), (Outcome::Succeeded, Some(307)));
}

#[tokio::test]
async fn a_post_that_is_sent_elsewhere_is_no_success() {
    let server = Server::start(|request| match request.split(' ').nth(1) {
        Some("/there") => answer(200, "a page"),
        Some("/again") => redirect(307, "/there"),
        _ => redirect(302, "/there"),
    })
    .await;
    let bench = bench_for(&[&server]);
    let post = |path: &str| HttpCall { method: "POST".to_owned(), ..HttpCall::get(server.url(path)) };
    let (ended, _) = call(&bench, post("/moved")).await;
    assert_eq!((code(&ended), server.requests().len()), (Some("http.redirect_refused"), 1), "{ended:?}");
    let expect = vec![StatusRange { first: 302, last: 302 }];
    let (ended, _) = call(&bench, HttpCall { expect, ..post("/moved") }).await;
    assert_eq!((ended.outcome, ended.http_status), (Outcome::Succeeded, Some(302)), "it is asked for");
    let (ended, _) = call(&bench, post("/again")).await;
    assert_eq!(ended.outcome, Outcome::Succeeded);
    assert!(server.requests().last().unwrap().starts_with("POST /there "));
}

#[tokio::test]
async fn credentials_do_not_follow_to_another_origin() {
    let elsewhere = Server::start(|_| answer(200, "")).await;
    let target = elsewhere.url("/next");
    let first = Server::start(move |request| {
        if request.contains(" /same ") {
            answer(200, "")
        } else if request.contains(" /local ") {
            redirect(302, "/same")
        } else {
            redirect(302, &target)
        }
    })
    .await;
    let bench = bench_for(&[&first, &elsewhere]);
    let headers =
        [("Authorization", "Bearer s3cret"), ("Cookie", "s3cret"), ("X-Api-Key", "s3cret"), ("Accept", "text/plain")];
    let headers: BTreeMap<_, _> = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let get = |path: &str| HttpCall { headers: headers.clone(), ..HttpCall::get(first.url(path)) };
    assert_eq!(call(&bench, get("/away")).await.0.outcome, Outcome::Succeeded);
    let seen = elsewhere.requests().remove(0);
    assert!(!seen.contains("s3cret") && !seen.contains("referer") && seen.contains("accept: text/plain"), "{seen}");
    assert_eq!(call(&bench, get("/local")).await.0.outcome, Outcome::Succeeded);
    assert_eq!(first.requests().last().unwrap().matches("s3cret").count(), 3);
}

#[tokio::test]
async fn faults_have_names() {
    let cut_off = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this\n";
    let faulty = [
        (b"nonsense\r\n\r\n".to_vec(), "http.protocol"),
        (b"".to_vec(), "http.protocol"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab".to_vec(), "http.protocol"),
        (cut_off.as_bytes().to_vec(), "http.body"),
        (b"HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\nx".to_vec(), "http.unexpected_status"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n".to_vec(), "http.body"),
    ];
    for (bytes, expected) in faulty {
        let shown = String::from_utf8_lossy(&bytes).into_owned();
        let server = Server::start(move |_| Answer::Bytes(bytes.clone())).await;
        let (ended, _) = call(&bench_for(&[&server]), HttpCall::get(server.url("/"))).await;
        assert_eq!((code(&ended), ended.outcome), (Some(expected), Outcome::Failed), "{shown}");
    }
    let nobody = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let bench = bench_with(&[], |s| s.outbound = OutboundPolicy::default().allow("loopback".parse().unwrap()));
    let (ended, _) = call(&bench, HttpCall::get(format!("http://{nobody}/"))).await;
    assert_eq!(code(&ended), Some("http.connect"));
    let (ended, _) = call(&bench, HttpCall::get("http://nobody.invalid/")).await;
    assert_eq!(code(&ended), Some("http.dns"));
}

#[tokio::test]
async fn a_call_ends_in_time_wherever_the_server_stalls() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n".to_vec();
    let part = [&head[..], b"four"].concat();
    for (bytes, status, timeout_ms) in
        [(vec![], None, 200), (b"HTTP/1.1 20".to_vec(), None, 200), (part, Some(200), 2_000)]
    {
        let server = Server::start(move |_| Answer::Silence(bytes.clone())).await;
        let bench = bench_for(&[&server]);
        let request = HttpCall { timeout_ms, ..HttpCall::get(server.url("/")) };
        let (ended, _) = call(&bench, request.clone()).await;
        let found = (ended.outcome, code(&ended), ended.http_status);
        assert_eq!(found, (Outcome::TimedOut, Some("http.timeout"), status));

        let mut limited = attempt();
        limited.timeout = Some(Duration::from_millis(100));
        let patient = Task::Http(HttpCall { timeout_ms: 60_000, ..request });
        let (ended, _) = bench.perform(&patient, &limited).await;
        assert_eq!((ended.outcome, code(&ended)), (Outcome::TimedOut, Some("http.timeout")));

        let asked = server.requests().len() + 1;
        let cancel = async {
            wait_for("the request to arrive", || (server.requests().len() >= asked).then_some(())).await;
        };
        let (ended, _) = bench.perform_until(&patient, &attempt(), cancel).await;
        assert_eq!((ended.outcome, code(&ended)), (Outcome::Cancelled, Some("task.cancelled")));
    }
}

#[tokio::test]
async fn an_endless_body_is_read_up_to_the_log_cap() {
    let server = Server::start(|_| Answer::Endless(b"HTTP/1.1 200 OK\r\n\r\nfirst\nx".to_vec())).await;
    let bench = bench_with(&[&server], |settings| settings.log.run_bytes_max = 200_000);
    let (ended, lines) = call(&bench, HttpCall::get(server.url("/"))).await;
    assert_eq!((ended.outcome, ended.log_truncated), (Outcome::Succeeded, true));
    let kept: usize = texts(&lines, Stream::Stdout).iter().map(|text| text.len()).sum();
    assert!(kept <= 200_000 && kept > 190_000, "{kept}");
    assert!(texts(&lines, Stream::System)[1].starts_with("log truncated"));
}

#[tokio::test]
async fn only_a_trusted_certificate_for_this_host_in_its_time_will_do() {
    let (authority, stranger) = (Authority::new(), Authority::new());
    let cases = [
        ("good", authority.issue("127.0.0.1", 2100), None),
        ("of another authority", stranger.issue("127.0.0.1", 2100), Some("http.tls")),
        ("for another host", authority.issue("127.0.0.2", 2100), Some("http.tls")),
        ("expired", authority.issue("127.0.0.1", 2021), Some("http.tls")),
    ];
    for (name, identity, expected) in cases {
        let server = Server::start_tls(&identity, |_| answer(200, "")).await;
        let folder = tempfile::tempdir().unwrap();
        let roots = folder.path().join("roots.pem");
        fs::write(&roots, &authority.pem).unwrap();
        let bench = bench_with(&[&server], |settings| settings.tls_roots = Some(roots));
        let request = HttpCall::get(format!("https://{}/", server.address));
        let (ended, _) = call(&bench, request.clone()).await;
        assert_eq!(code(&ended), expected, "{name}: {ended:?}");
        let (ended, _) = call(&bench, HttpCall { verify_tls: false, ..request }).await;
        assert_eq!(ended.outcome, Outcome::Succeeded, "{name}, unverified: {ended:?}");
    }
}

#[tokio::test]
async fn a_redirect_from_https_to_http_is_refused() {
    let plain = Server::start(|_| answer(200, "")).await;
    let target = plain.url("/");
    let identity = Authority::new().issue("127.0.0.1", 2100);
    let secure = Server::start_tls(&identity, move |_| redirect(302, &target)).await;
    let bench = bench_for(&[&plain, &secure]);
    let request = HttpCall { verify_tls: false, ..HttpCall::get(format!("https://{}/", secure.address)) };
    let (ended, _) = call(&bench, request).await;
    assert_eq!(code(&ended), Some("http.redirect_refused"));
    assert_eq!(plain.requests(), [""; 0]);
}

#[test]
fn a_file_of_roots_that_holds_none_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let roots = folder.path().join("roots.pem");
    for text in ["", "nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        fs::write(&roots, text).unwrap();
        let mut settings = settings(Hold::Bare, folder.path());
        settings.tls_roots = Some(roots.clone());
        let error = mainspring_tasks::TaskRunner::new(settings).unwrap_err().to_string();
        assert!(error.starts_with("could not read root certificates"), "{error}");
    }
}
