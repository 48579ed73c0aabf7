//! The stream of the console.

use std::collections::VecDeque;
use std::time::Duration;

use mainspring_api::client::Precondition;
use mainspring_api::{Reason, RunNow, WriteOptions};
use reqwest::Response;
use serde_json::{Value, json};

use crate::kit::{Running, spec};

const COMMIT: WriteOptions = WriteOptions { dry_run: false };

/// A stream as a browser reads it.
struct Events {
    answer: Response,
    rest: String,
    last_id: String,
    ready: VecDeque<(String, Value)>,
}

impl Events {
    async fn open(running: &Running, topics: &str, last_id: Option<&str>) -> Self {
        let request = running.request("GET", &format!("/api/v1/stream?topics={topics}"));
        let request = last_id.into_iter().fold(request, |request, id| request.header("last-event-id", id));
        Self::of(request.send().await.unwrap())
    }

    fn of(answer: Response) -> Self {
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        Self { answer, rest: String::new(), last_id: String::new(), ready: VecDeque::new() }
    }

    /// The next event with data, or nothing at the end of the stream.
    async fn next(&mut self) -> Option<(String, Value)> {
        let next = async {
            loop {
                if let Some(event) = self.ready.pop_front() {
                    return Some(event);
                }
                let chunk = self.answer.chunk().await.ok()??;
                self.take(std::str::from_utf8(&chunk).unwrap());
            }
        };
        tokio::time::timeout(Duration::from_secs(20), next).await.expect("something comes")
    }

    fn take(&mut self, text: &str) {
        self.rest.push_str(text);
        while let Some((block, rest)) = self.rest.split_once("\n\n") {
            let field = |name: &str| {
                let values = block.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
                values.map(str::trim).next_back().map(str::to_owned)
            };
            let (id, kind, data) = (field("id"), field("event"), field("data"));
            self.last_id = id.unwrap_or_else(|| std::mem::take(&mut self.last_id));
            if let Some(data) = data.filter(|data| !data.is_empty()) {
                self.ready.push_back((kind.unwrap_or_default(), serde_json::from_str(&data).unwrap()));
            }
            self.rest = rest.to_owned();
        }
    }

    /// Reads until something is said of a topic that fits.
    async fn until(&mut self, topic: &str, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let (kind, data) = self.next().await.expect("the stream goes on");
            if kind == "change" && data["topic"] == topic && fits(&data) {
                return data;
            }
            assert_ne!(kind, "resync", "nothing was missed");
        }
    }

    /// Reads on until the position of the stream is known.
    async fn position(&mut self) -> String {
        while self.last_id.is_empty() {
            let chunk = self.answer.chunk().await.unwrap().unwrap();
            self.take(std::str::from_utf8(&chunk).unwrap());
        }
        self.last_id.clone()
    }
}

async fn put_job(running: &Running, name: &str) {
    let job = spec(json!({"name": name, "noop": true}));
    running.client.put_job("default", &job, Precondition::None, COMMIT).await.unwrap();
}

/// Whether a message says of a thing that it has changed, alone or among others.
fn names(data: &Value, id: &str) -> bool {
    data["id"] == id || data["items"].as_array().is_some_and(|items| items.iter().any(|item| item["id"] == id))
}

#[tokio::test]
async fn every_topic_says_what_changes() {
    let running = Running::start().await;
    let mut all = Events::open(&running, "runs,jobs,queues,stats,job:default/a,job:default/b", None).await;
    put_job(&running, "a").await;
    all.until("jobs", |data| names(data, "default/a")).await;
    let run = running.client.run_job("default", "a", &RunNow::default()).await.unwrap();
    let ended = |data: &Value| {
        let items = data["items"].as_array().map(Vec::as_slice).unwrap_or_default();
        let of_it = items.iter().chain([data]).find(|item| item["id"] == run.id.as_str());
        of_it.is_some_and(|item| item["patch"] == json!({"state": "succeeded", "namespace": "default", "job": "a"}))
    };
    all.until("runs", ended).await;
    let mut one = Events::open(&running, &format!("run:{},job:default/a", run.id), None).await;
    running.client.pause_job("default", "a", &Reason::default()).await.unwrap();
    one.until("job:default/a", |data| data["id"] == "default/a").await;
    running.client.pause_queue("other", &Reason::default()).await.unwrap();
    all.until("queues", |_| true).await;
    loop {
        let (kind, stats) = all.next().await.unwrap();
        if kind == "stats" && stats["nodes"] == 1 && stats["workers"] == 0 {
            assert!(stats["running"].is_u64() && stats["queued"].is_u64() && stats["now"].is_string(), "{stats}");
            break;
        }
        assert_ne!(stats["topic"], "job:default/b", "nothing happened to it");
    }
    for bad in ["", "topics=", "topics=all", "topics=run:", "topics=runs&x=1"] {
        let answer = running.request("GET", &format!("/api/v1/stream?{bad}")).send().await.unwrap();
        assert_eq!(answer.status(), 400, "{bad}");
    }
    drop((all, one));
    running.stop().await;
}

#[tokio::test]
async fn a_stream_resumes_where_it_broke_off_or_says_that_it_cannot() {
    let running = Running::start().await;
    let mut first = Events::open(&running, "jobs", None).await;
    let position = first.position().await;
    drop(first);
    put_job(&running, "meanwhile").await;
    let mut second = Events::open(&running, "jobs", Some(&position)).await;
    second.until("jobs", |data| names(data, "default/meanwhile")).await;
    let after = second.position().await;
    assert_ne!(after, position);
    drop(second);
    // Told once: from there on, the next is the first that comes.
    let mut third = Events::open(&running, "jobs", Some(&after)).await;
    put_job(&running, "later").await;
    let (kind, data) = third.next().await.unwrap();
    assert!(kind == "change" && names(&data, "default/later"), "{kind} {data}");
    for unknown in ["0123-1", "7", &format!("{}9", third.last_id)] {
        let mut other = Events::open(&running, "jobs", Some(unknown)).await;
        assert_eq!(other.next().await.unwrap().0, "resync", "{unknown}");
        put_job(&running, &format!("after-{}", unknown.len())).await;
        assert_eq!(other.next().await.unwrap().0, "change", "it goes on");
    }
    drop(third);
    running.stop().await;
}

/// A browser opens six connections to a server; two of them hang on many tabs otherwise.
#[tokio::test]
async fn eight_streams_over_http_1_are_in_nobodys_way() {
    let running = Running::start().await;
    let mut tabs = Vec::new();
    for _ in 0..8 {
        tabs.push(Events::open(&running, "jobs,stats", None).await);
    }
    put_job(&running, "a").await;
    for tab in &mut tabs {
        tab.until("jobs", |data| names(data, "default/a")).await;
    }
    let text = running.client.metrics().await.unwrap();
    assert!(text.contains("mainspring_stream_clients 8"), "{text}");
    drop(tabs);
    running.stop().await;
}

#[tokio::test]
async fn a_stream_ends_with_the_session_and_with_the_server() {
    let running = Running::start().await;
    let sign_in = running.http.post(format!("{}/api/v1/session", running.url)).json(&json!({"token": running.token}));
    let cookie = sign_in.send().await.unwrap().headers()["set-cookie"].to_str().unwrap().to_owned();
    let cookie = cookie.split(';').next().unwrap();
    let of_browser = |method: &str, path: &str| {
        let method = method.parse().unwrap();
        let request = running.http.request(method, format!("{}/api/v1/{path}", running.url));
        request.header("cookie", cookie).header("origin", &running.url)
    };
    let mut browser = Events::of(of_browser("GET", "stream?topics=runs").send().await.unwrap());
    let mut program = Events::open(&running, "runs", None).await;
    assert_eq!(of_browser("DELETE", "session").send().await.unwrap().status(), 204);
    assert_eq!(browser.next().await, None);
    let again = of_browser("GET", "stream?topics=runs").send().await.unwrap();
    assert_eq!(again.status(), 401);
    running.stop().await;
    assert_eq!(program.next().await, None);
}
