//! The client against a server that answers as it is told.

use mainspring_api::client::{Client, ClientError, LogItem, Precondition};
use mainspring_api::*;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A server for as many requests as it has answers, each a whole HTTP answer in portions.
struct Server {
    address: String,
    requests: JoinHandle<Vec<String>>,
}

impl Server {
    async fn with(answers: Vec<Vec<String>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = format!("http://{}", listener.local_addr().expect("it is bound"));
        let requests = tokio::spawn(async move {
            let mut requests = Vec::new();
            for portions in answers {
                let (mut stream, _) = listener.accept().await.expect("a client connects");
                requests.push(read_request(&mut stream).await);
                for portion in portions {
                    stream.write_all(portion.as_bytes()).await.expect("the client reads");
                    stream.flush().await.expect("the client reads");
                }
            }
            requests
        });
        Self { address, requests }
    }

    fn client(&self) -> Client {
        Client::builder(&self.address).token("t0ken").build().expect("the address is loopback")
    }

    async fn requests(self) -> Vec<String> {
        self.requests.await.expect("the server ends")
    }
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut request = Vec::new();
    loop {
        let mut bytes = [0; 4096];
        let count = stream.read(&mut bytes).await.expect("the client writes");
        request.extend_from_slice(&bytes[..count]);
        let text = String::from_utf8_lossy(&request);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
            if count == 0 || body.len() >= length.parse().expect("a length is a number") {
                return text.into_owned();
            }
        }
    }
}

fn answer(status: u16, content_type: &str, body: &str) -> Vec<String> {
    let length = body.len();
    vec![format!(
        "HTTP/1.1 {status} X\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )]
}

fn json_answer(status: u16, body: &Value) -> Vec<String> {
    answer(status, "application/json", &body.to_string())
}

fn stream_answer(portions: &[&str]) -> Vec<String> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nconnection: close\r\n\r\n";
    std::iter::once(head).chain(portions.iter().copied()).map(str::to_owned).collect()
}

fn run_json(state: &str) -> Value {
    json!({
        "id": "0198", "namespace": "n", "job": "a", "job_version": 3, "origin": "api", "state": state,
        "created_at": "2026-01-30T12:00:00.000Z", "attempt": 1, "attempts_max": 1, "queue": "default", "priority": 5,
        "later_field": true,
    })
}

fn job_json() -> Value {
    json!({
        "id": "1", "namespace": "n", "name": "a", "version": 3, "spec": {"name": "a", "noop": true}, "paused": false,
        "active_runs": 0, "created_at": "2026-01-30T12:00:00.000Z", "updated_at": "2026-01-30T12:00:00.000Z",
    })
}

#[tokio::test]
async fn requests_carry_token_key_and_precondition() {
    let answers =
        vec![json_answer(201, &run_json("queued")), json_answer(200, &job_json()), json_answer(204, &json!(null))];
    let server = Server::with(answers).await;
    let client = server.client();
    let run = client.run_job("n", "a b", &RunNow { priority: Some(9), ..RunNow::default() }).await.unwrap();
    assert_eq!((run.state, run.origin), (RunState::Queued, Origin::Api));
    let spec = JobSpec { name: "a".into(), noop: true, ..JobSpec::default() };
    let job = client.put_job("n", &spec, Precondition::Version(2), WriteOptions { dry_run: true }).await.unwrap();
    assert_eq!((job.version, job.spec), (3, spec));
    client.delete_job("n", "a", Precondition::None, WriteOptions::default()).await.unwrap();

    let requests = server.requests().await;
    let heads = [
        "POST /api/v1/namespaces/n/jobs/a%20b/run HTTP/1.1",
        "PUT /api/v1/namespaces/n/jobs/a?dry_run=true HTTP/1.1",
        "DELETE /api/v1/namespaces/n/jobs/a HTTP/1.1",
    ];
    for (request, head) in requests.iter().zip(heads) {
        assert_eq!(request.lines().next(), Some(head));
        assert!(request.contains("authorization: Bearer t0ken\r\n"), "{request}");
    }
    let key = requests[0].lines().find_map(|line| line.strip_prefix("idempotency-key: ")).unwrap();
    assert_eq!(key.len(), 32);
    assert!(requests[0].ends_with(r#"{"priority":9}"#), "{}", requests[0]);
    assert!(requests[1].contains("if-match: \"2\"\r\n"), "{}", requests[1]);
}

#[tokio::test]
async fn a_given_key_is_sent_each_time() {
    let server = Server::with(vec![json_answer(201, &run_json("queued")), json_answer(201, &run_json("queued"))]).await;
    let client = server.client().with_idempotency_key("deploy-7");
    for _ in 0..2 {
        client.rerun("0198", &Reason::default()).await.unwrap();
    }
    for request in server.requests().await {
        assert!(request.contains("idempotency-key: deploy-7\r\n"), "{request}");
    }
}

#[tokio::test]
async fn filters_become_queries() {
    let page = json!({"items": [run_json("novel_state")], "next_cursor": "c2"});
    let server = Server::with(vec![json_answer(200, &page)]).await;
    let filter = RunFilter {
        job: Some("a&b".into()),
        state: Some(RunState::Failed),
        from: Some(Timestamp::from_millis(0)),
        limit: Some(5),
        ..RunFilter::default()
    };
    let page = server.client().runs("n", &filter).await.unwrap();
    assert_eq!((page.items[0].state, page.next_cursor.as_deref()), (RunState::Unknown, Some("c2")));
    let request = &server.requests().await[0];
    let expected =
        "GET /api/v1/namespaces/n/runs?job=a%26b&state=failed&from=1970-01-01T00%3A00%3A00.000Z&limit=5 HTTP/1.1";
    assert_eq!(request.lines().next(), Some(expected));
}

#[tokio::test]
async fn a_refusal_is_a_typed_error() {
    let problem =
        ProblemDetails::new(ErrorCode::JobNotFound, "no job \"a\" in namespace \"n\"").hint("did you mean \"b\"?");
    let body = serde_json::to_string(&problem).unwrap();
    let server = Server::with(vec![answer(404, "application/problem+json; charset=utf-8", &body)]).await;
    let error = server.client().job("n", "a").await.unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::JobNotFound));
    assert_eq!(error.to_string(), "no job \"a\" in namespace \"n\"");
    assert_eq!(
        error.problem().unwrap().to_string(),
        "error[job.not_found]: no job \"a\" in namespace \"n\"\n  hint: did you mean \"b\"?"
    );
}

#[tokio::test]
async fn answers_of_others_are_not_understood() {
    let cases = [
        (answer(502, "text/html", "<h1>Bad gateway</h1>"), 502),
        (answer(404, "application/json", "{}"), 404),
        (answer(200, "application/json", r#"{"id": 5}"#), 200),
        (answer(302, "text/plain", "elsewhere"), 302),
    ];
    for (answer, expected) in cases {
        let server = Server::with(vec![answer]).await;
        match server.client().run("0198").await.unwrap_err() {
            ClientError::NotUnderstood { status, .. } => assert_eq!(status, expected),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = Client::builder(&address).build().unwrap().nodes().await.unwrap_err();
    assert!(matches!(error, ClientError::Unreachable { .. }), "{error:?}");
    assert!(error.to_string().starts_with(&format!("no answer from {address}: Connection refused")), "{error}");
}

#[tokio::test]
async fn a_server_that_does_not_answer_times_out() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let client = Client::builder(&address).timeout(std::time::Duration::from_millis(50)).build().unwrap();
    let error = client.nodes().await.unwrap_err();
    assert_eq!(error.to_string(), format!("no answer from {address}: timed out"));
}

#[tokio::test]
async fn a_log_is_followed_to_its_end() {
    let line = r#"{"line":1,"attempt":1,"at":"2026-01-30T12:00:00.000Z","stream":"stdout","text":"hé"}"#;
    let run = run_json("succeeded").to_string();
    let portions = [
        ": hello\n\nevent: line\nid: 1\nda",
        &format!("ta: {line}\n\nevent: novel\ndata: 5\n\n"),
        "event: end\ndata: ",
        &run,
        "\n\n",
    ];
    let server = Server::with(vec![stream_answer(&portions)]).await;
    let mut log =
        server.client().follow_log("0198", &LogFilter { from_line: Some(1), ..LogFilter::default() }).await.unwrap();
    assert!(matches!(log.next().await.unwrap(), Some(LogItem::Line(line)) if line.text == "hé"));
    assert!(matches!(log.next().await.unwrap(), Some(LogItem::End(run)) if run.state == RunState::Succeeded));
    assert!(log.next().await.unwrap().is_none());
    let request = &server.requests().await[0];
    assert!(request.starts_with("GET /api/v1/runs/0198/log?from_line=1&follow=true HTTP/1.1"), "{request}");
    assert!(request.contains("accept: text/event-stream\r\n"), "{request}");
}

#[tokio::test]
async fn waiting_for_a_run_ends_with_its_log() {
    let portion = format!("event: end\ndata: {}\n\n", run_json("failed"));
    let server = Server::with(vec![stream_answer(&[&portion])]).await;
    assert_eq!(server.client().wait_for_run("0198").await.unwrap().state, RunState::Failed);
}

#[tokio::test]
async fn events_resume_after_the_last_id() {
    let event = r#"{"id":"8","type":"run.failed","at":"2026-01-30T12:00:00.000Z","run":"0198"}"#;
    let server = Server::with(vec![stream_answer(&[&format!("id: 8\ndata: {event}\n\n")])]).await;
    let filter = EventFilter { kind: Some("run.*".into()), ..EventFilter::default() };
    let mut events = server.client().events(&filter, Some("7")).await.unwrap();
    let event = events.next().await.unwrap().unwrap();
    assert_eq!((event.id.as_str(), event.kind.as_str()), ("8", "run.failed"));
    assert_eq!(events.next().await.unwrap(), None);
    let request = &server.requests().await[0];
    assert!(request.starts_with("GET /api/v1/events?type=run.* HTTP/1.1"), "{request}");
    assert!(request.contains("last-event-id: 7\r\n"), "{request}");
}

#[tokio::test]
async fn health_is_read_also_from_a_server_that_cannot_serve_and_without_token() {
    let failing = json!({"status": "failing", "checks": [{"name": "store", "ok": false, "message": "disk full"}]});
    let server = Server::with(vec![json_answer(503, &failing)]).await;
    let health = server.client().readyz().await.unwrap();
    assert_eq!((health.status, health.checks.len()), (HealthStatus::Failing, 1));
    let request = &server.requests().await[0];
    assert!(
        request.starts_with("GET /readyz?verbose=true HTTP/1.1") && !request.contains("authorization"),
        "{request}"
    );
}
