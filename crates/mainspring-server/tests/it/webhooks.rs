//! Webhooks against a receiver of our own: what arrives, signed how, and how often.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::routing::post;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use mainspring_api::client::{Client, Precondition};
use mainspring_api::{
    DeliveryState, ErrorCode, PageFilter, RunNow, Webhook, WebhookDelivery, WebhookRotation, WebhookSpec, WriteOptions,
};
use mainspring_engine::{Clock, Engine, ManualClock, SystemClock};
use mainspring_server::{Server, Settings};
use mainspring_store::{MemoryStore, NewDelivery, Store};
use mainspring_tasks::{Allow, OutboundPolicy};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::kit::{code, plain_client, spec};

/// Longer than anything here takes on the slowest machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A message as it came over the wire.
#[derive(Clone, Debug)]
pub struct Message {
    pub uri: Uri,
    headers: HeaderMap,
    pub body: String,
}

impl Message {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("no {name}: {:?}", self.headers)).to_str().unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    fn kind(&self) -> String {
        self.json()["type"].as_str().unwrap().to_owned()
    }

    /// Whether a secret has signed it: HMAC-SHA256 as RFC 2104 writes it down.
    pub fn is_signed_with(&self, secret: &str) -> bool {
        let mut key = BASE64_STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
        key.resize(64, 0);
        let pad = |with: u8| key.iter().map(|byte| byte ^ with).collect::<Vec<u8>>();
        let (id, at) = (self.header("webhook-id"), self.header("webhook-timestamp"));
        let inner = Sha256::digest([pad(0x36), format!("{id}.{at}.{}", self.body).into_bytes()].concat());
        let outer = Sha256::digest([pad(0x5c), inner.to_vec()].concat());
        let expected = format!("v1,{}", BASE64_STANDARD.encode(outer));
        self.header("webhook-signature").split(' ').any(|signature| signature == expected)
    }
}

/// Somebody who listens, and answers as told; with 200 when nothing is told, and never to what is told 0.
pub struct Receiver {
    address: SocketAddr,
    heard: watch::Receiver<Vec<Message>>,
    answers: Arc<Mutex<VecDeque<u16>>>,
}

type Shared = (watch::Sender<Vec<Message>>, Arc<Mutex<VecDeque<u16>>>);

/// Answers as chat robots do, which webhooks pass over.
const BODY: &str = r#"{"errcode":0,"code":0}"#;

async fn receive(
    State((heard, answers)): State<Shared>,
    uri: Uri,
    headers: HeaderMap,
    body: String,
) -> (StatusCode, &'static str) {
    heard.send_modify(|heard| heard.push(Message { uri, headers, body }));
    let answer = answers.lock().unwrap().pop_front().unwrap_or(200);
    match StatusCode::from_u16(answer) {
        Ok(status) => (status, BODY),
        Err(_) => std::future::pending().await,
    }
}

impl Receiver {
    pub async fn start() -> Self {
        Self::answering(&[]).await
    }

    pub async fn answering(answers: &[u16]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, heard) = watch::channel(Vec::new());
        let answers = Arc::new(Mutex::new(answers.iter().copied().collect()));
        let router = Router::new().route("/hook", post(receive)).with_state((sender, Arc::clone(&answers)));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, heard, answers }
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// Waits until so many messages have come.
    pub async fn heard(&self, count: usize) -> Vec<Message> {
        let mut heard = self.heard.clone();
        let enough = tokio::time::timeout(PATIENCE, heard.wait_for(|heard| heard.len() >= count)).await;
        assert!(enough.is_ok(), "only {:#?}", self.heard.borrow());
        self.heard.borrow().clone()
    }
}

/// A server that may call this machine.
pub struct Place {
    pub server: Server,
    pub engine: Arc<Engine>,
    pub client: Client,
}

impl Place {
    pub async fn over(store: Arc<dyn Store>, folder: &Path, clock: Arc<dyn Clock>) -> Self {
        plain_client();
        let mut settings = mainspring_engine::Settings::default().with_tasks(folder.join("work"));
        settings.tasks.as_mut().unwrap().outbound = OutboundPolicy::default().allow(Allow::Loopback);
        let engine = Arc::new(Engine::start_with(store, settings, clock, Arc::default()).await.unwrap());
        let settings = Settings {
            listen: "127.0.0.1:0".parse().unwrap(),
            data_dir: Some(folder.to_owned()),
            ..Settings::default()
        };
        let server = Server::start(Arc::clone(&engine), settings).await.unwrap();
        let token = std::fs::read_to_string(folder.join("token")).unwrap();
        let client = Client::builder(format!("http://{}", server.address())).token(token).build().unwrap();
        Self { server, engine, client }
    }

    pub async fn in_memory(folder: &Path) -> Self {
        Self::over(Arc::new(MemoryStore::new()), folder, Arc::new(SystemClock)).await
    }

    pub async fn on_disk(folder: &Path) -> Self {
        let address = format!("sqlite:{}", folder.join("mainspring.db").display());
        Self::over(mainspring_store::open(&address).await.unwrap(), folder, Arc::new(SystemClock)).await
    }

    async fn hook(&self, name: &str, receiver: &Receiver, events: &[&str]) -> Webhook {
        let events = events.iter().map(|kind| (*kind).to_owned()).collect();
        let spec = WebhookSpec { name: name.into(), url: receiver.url(), events, namespace: None, job: None };
        self.client.create_webhook(&spec).await.unwrap()
    }

    pub async fn job(&self, json: Value) {
        self.client.put_job("default", &spec(json), Precondition::None, WriteOptions::default()).await.unwrap();
    }

    /// Waits until the newest delivery to a webhook stands so.
    async fn newest(&self, webhook: &str, is_so: impl Fn(&WebhookDelivery) -> bool) -> WebhookDelivery {
        let mut pause = tokio::time::interval(Duration::from_millis(20));
        let look = async {
            loop {
                let page = self.client.webhook_deliveries(webhook, &PageFilter::default()).await.unwrap();
                if let Some(found) = page.items.into_iter().next().filter(|delivery| is_so(delivery)) {
                    return found;
                }
                pause.tick().await;
            }
        };
        tokio::time::timeout(PATIENCE, look).await.expect("it stands so")
    }

    pub async fn stop(self) {
        self.server.stop(Duration::from_secs(5)).await;
        let engine = Arc::into_inner(self.engine).expect("the server lets go of the engine");
        engine.stop(Duration::from_secs(5)).await.unwrap();
    }
}

#[tokio::test]
async fn message_is_signed_and_sent_again_until_it_is_received() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::in_memory(folder.path()).await;
    let receiver = Receiver::answering(&[500, 302]).await;
    let webhook = place.hook("ops", &receiver, &["run.failed"]).await;
    let secret = webhook.secret.expect("it is shown once");
    assert_eq!(place.client.webhook("ops").await.unwrap().secret, None, "and never again");
    place.job(json!({"name": "good", "noop": true})).await;
    place.job(json!({"name": "bad", "run": "exit 7", "input": {"a": 1}})).await;
    for job in ["good", "bad"] {
        let run = place.client.run_job("default", job, &RunNow::default()).await.unwrap();
        place.client.wait_for_run(&run.id).await.unwrap();
    }
    let messages = receiver.heard(3).await;
    let first = &messages[0];
    assert!(messages.iter().all(|message| message.body == first.body && message.is_signed_with(&secret)));
    assert!(messages.iter().all(|message| message.header("webhook-id") == first.header("webhook-id")));
    assert!(!first.is_signed_with(&format!("whsec_{}", BASE64_STANDARD.encode([7; 32]))));
    assert_eq!(first.header("content-type"), "application/json");
    let body = first.json();
    assert_eq!((&body["type"], &body["id"]), (&json!("run.failed"), &json!(first.header("webhook-id"))));
    let data = &body["data"];
    assert_eq!((&data["namespace"], &data["job"]), (&json!("default"), &json!("bad")));
    assert_eq!((&data["run"]["state"], &data["run"]["exit_code"]), (&json!("failed"), &json!(7)));
    let done = place.newest("ops", |delivery| delivery.state == DeliveryState::Delivered).await;
    assert_eq!((done.attempts, done.status, done.error), (3, Some(200), None));
    assert_eq!(receiver.heard(3).await.len(), 3, "neither the run that went well nor the redirect led to more");
    place.stop().await;
}

#[tokio::test]
async fn what_happens_while_no_server_runs_is_delivered_by_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let receiver = Receiver::answering(&[503]).await;
    let first = Place::on_disk(folder.path()).await;
    let secret = first.hook("ops", &receiver, &["run.succeeded"]).await.secret.unwrap();
    first.job(json!({"name": "a", "noop": true})).await;
    let run = |client: Client| async move {
        let run = client.run_job("default", "a", &RunNow::default()).await.unwrap();
        client.wait_for_run(&run.id).await.unwrap();
    };
    run(first.client.clone()).await;
    let refused = receiver.heard(1).await.remove(0);
    first.newest("ops", |delivery| delivery.status == Some(503)).await;
    // The server goes before the engine does: what the engine does now, nobody delivers.
    let Place { server, engine, .. } = first;
    server.stop(Duration::from_secs(5)).await;
    let key = mainspring_core::job::JobKey::new("default", "a");
    let unheard = engine.control().run_now(&key, mainspring_engine::control::Ask::default()).await.unwrap().id;
    engine.control().wait(unheard).await.unwrap();
    Arc::into_inner(engine).expect("the server lets go of the engine").stop(PATIENCE).await.unwrap();
    assert_eq!(receiver.heard(1).await.len(), 1);

    let second = Place::on_disk(folder.path()).await;
    let messages = receiver.heard(3).await;
    assert!(messages.iter().all(|message| message.is_signed_with(&secret)));
    let ids: Vec<_> = messages[1..].iter().map(|message| message.header("webhook-id")).collect();
    assert!(ids.contains(&refused.header("webhook-id")), "the one that was refused is sent again: {ids:?}");
    let runs: Vec<_> = messages[1..].iter().map(|message| message.json()["data"]["run"]["id"].clone()).collect();
    assert!(runs.contains(&json!(unheard.to_string())), "{runs:?}");
    second.stop().await;
}

/// A server more over an engine, on a port of its own.
pub async fn another(engine: &Arc<Engine>) -> Server {
    let settings = Settings { listen: "127.0.0.1:0".parse().unwrap(), ..Settings::default() };
    Server::start(Arc::clone(engine), settings).await.unwrap()
}

#[tokio::test]
async fn message_of_a_server_that_died_is_sent_by_another() {
    let folder = tempfile::tempdir().unwrap();
    let clock = ManualClock::new("2026-01-01T00:00:00Z".parse().unwrap());
    let place = Place::over(Arc::new(MemoryStore::new()), folder.path(), Arc::new(clock.clone())).await;
    let receiver = Receiver::answering(&[0]).await;
    place.hook("ops", &receiver, &["job.created"]).await;
    place.job(json!({"name": "a", "noop": true})).await;
    let first = receiver.heard(1).await.remove(0);
    let Place { server, engine, .. } = place;
    // As good as killed: it hears no answer, and says nothing.
    drop(server);
    let other = another(&engine).await;
    clock.set("2026-01-01T00:00:59Z".parse().unwrap());
    let row = engine.store().webhooks().await.unwrap().remove(0);
    assert_eq!(engine.store().take_deliveries(row.id, clock.now(), clock.now(), 9).await.unwrap(), []);
    clock.set("2026-01-01T00:01:01Z".parse().unwrap());
    let second = receiver.heard(2).await.remove(1);
    assert_eq!((second.header("webhook-id"), &second.body), (first.header("webhook-id"), &first.body));
    other.stop(PATIENCE).await;
    let delivery = engine.store().deliveries(row.id, None, 9).await.unwrap().remove(0);
    assert_eq!((delivery.state, delivery.attempts), (mainspring_store::DeliveryState::Delivered, 2));
}

#[tokio::test]
async fn servers_share_the_work_and_send_each_message_once() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::in_memory(folder.path()).await;
    let other = another(&place.engine).await;
    let receiver = Receiver::start().await;
    place.hook("ops", &receiver, &[]).await;
    place.job(json!({"name": "a", "noop": true})).await;
    for _ in 0..50 {
        place.client.run_job("default", "a", &RunNow::default()).await.unwrap();
    }
    receiver.heard(50).await;
    // What is under way is finished; nothing is left to send again.
    other.stop(PATIENCE).await;
    place.newest("ops", |delivery| delivery.state == DeliveryState::Delivered).await;
    let page = place.client.webhook_deliveries("ops", &PageFilter { limit: Some(1_000), cursor: None }).await.unwrap();
    assert_eq!(page.items.len(), 50);
    let engine = Arc::clone(&place.engine);
    place.server.stop(PATIENCE).await;
    let row = engine.store().webhooks().await.unwrap().remove(0);
    let over = engine.store().deliveries(row.id, None, 1_000).await.unwrap();
    assert!(over.iter().all(|it| it.attempts == 1 && it.ended_at.is_some()), "{over:?}");
    let mut ids: Vec<_> = receiver.heard(50).await.iter().map(|it| it.header("webhook-id").to_owned()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!((ids.len(), receiver.heard(50).await.len()), (50, 50));
}

#[tokio::test]
async fn receiver_that_never_answers_holds_up_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::in_memory(folder.path()).await;
    let deaf = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", deaf.local_addr().unwrap());
    let spec = WebhookSpec { name: "deaf".into(), url, events: Vec::new(), namespace: None, job: None };
    place.client.create_webhook(&spec).await.unwrap();
    let receiver = Receiver::start().await;
    place.hook("ops", &receiver, &[]).await;
    place.job(json!({"name": "a", "noop": true})).await;
    for _ in 0..20 {
        place.client.run_job("default", "a", &RunNow::default()).await.unwrap();
    }
    let messages = receiver.heard(20).await;
    assert!(messages.iter().all(|message| message.kind() == "run.succeeded"));
    let page = place.client.webhook_deliveries("deaf", &PageFilter { limit: Some(1_000), cursor: None }).await.unwrap();
    assert!(page.items.iter().all(|delivery| delivery.state == DeliveryState::Pending), "{:?}", page.items);
    assert!(page.items.iter().filter(|delivery| delivery.attempts > 0).count() <= 8, "few at a time");
    place.stop().await;
}

#[tokio::test]
async fn webhook_hears_what_it_asked_for_and_tests_and_rotates() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::in_memory(folder.path()).await;
    let receiver = Receiver::start().await;
    let spec = WebhookSpec {
        name: "one".into(),
        url: receiver.url(),
        events: vec!["job.*".into()],
        namespace: Some("default".into()),
        job: Some("b".into()),
    };
    let old = place.client.create_webhook(&spec).await.unwrap().secret.unwrap();
    place.job(json!({"name": "a", "noop": true})).await;
    place.job(json!({"name": "b", "noop": true})).await;
    place.client.pause_job("default", "b", &mainspring_api::Reason::default()).await.unwrap();
    let heard = receiver.heard(2).await;
    let mut kinds: Vec<String> = heard.iter().map(Message::kind).collect();
    kinds.sort();
    assert_eq!(kinds, ["job.created", "job.paused"]);
    assert_eq!(heard[0].json()["data"], json!({"namespace": "default", "job": "b"}));
    let rotate = async |force| place.client.rotate_webhook("one", WebhookRotation { force }).await;
    let new = rotate(false).await.unwrap();
    assert!(new.previous_secret_until.is_some());
    let new = new.secret.unwrap();
    let test = place.client.test_webhook("one").await.unwrap();
    assert_eq!((test.kind.as_str(), test.state), ("webhook.test", DeliveryState::Pending));
    let message = receiver.heard(3).await.remove(2);
    assert_eq!((message.header("webhook-id"), message.kind().as_str()), (test.message.as_str(), "webhook.test"));
    assert!(message.is_signed_with(&old) && message.is_signed_with(&new), "both are valid for a day");
    assert_eq!(code(rotate(false).await), ErrorCode::WebhookSecret, "the receiver may know the old one alone");
    let newest = rotate(true).await.unwrap().secret.unwrap();
    place.client.test_webhook("one").await.unwrap();
    let message = receiver.heard(4).await.remove(3);
    assert!(message.is_signed_with(&new) && message.is_signed_with(&newest) && !message.is_signed_with(&old));
    assert_eq!(place.client.webhook("one").await.unwrap().url, receiver.url());
    let listed = place.client.webhooks().await.unwrap().remove(0).url;
    assert_eq!(listed, format!("http://{}/…", receiver.address), "what follows may be a secret");
    place.client.delete_webhook("one").await.unwrap();
    assert_eq!(place.client.webhooks().await.unwrap(), []);
    assert_eq!(code(place.client.webhook_deliveries("one", &PageFilter::default()).await), ErrorCode::WebhookNotFound);
    place.stop().await;
}

#[tokio::test]
async fn missed_instants_are_told_with_their_trigger() {
    let folder = tempfile::tempdir().unwrap();
    let clock = ManualClock::new("2026-01-01T00:00:00Z".parse().unwrap());
    let place = Place::over(Arc::new(MemoryStore::new()), folder.path(), Arc::new(clock.clone())).await;
    let receiver = Receiver::start().await;
    place.hook("ops", &receiver, &["fire.missed"]).await;
    place.job(json!({"name": "a", "noop": true, "triggers": [{"name": "t", "every": "10s"}]})).await;
    place.engine.settled(clock.now()).await;
    clock.set("2026-01-01T01:00:05Z".parse().unwrap());
    let message = receiver.heard(1).await.remove(0).json();
    assert_eq!(message["type"], json!("fire.missed"));
    let data = &message["data"];
    assert_eq!((&data["job"], &data["trigger"], &data["reason"]), (&json!("a"), &json!("t"), &json!("misfire")));
    assert!(data["count"].as_u64().unwrap() > 100 && data["first"].is_string(), "{data}");
    place.stop().await;
}

#[tokio::test]
async fn what_never_gets_through_is_given_up_and_its_webhook_rests_until_it_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let clock = ManualClock::new("2026-01-01T00:00:00Z".parse().unwrap());
    let place = Place::over(Arc::new(MemoryStore::new()), folder.path(), Arc::new(clock.clone())).await;
    let receiver = Receiver::answering(&[500, 500]).await;
    place.hook("ops", &receiver, &["job.created"]).await;
    let deliveries = async || place.client.webhook_deliveries("ops", &PageFilter::default()).await.unwrap().items;
    place.job(json!({"name": "a", "noop": true})).await;
    place.newest("ops", |delivery| delivery.status == Some(500)).await;
    clock.set("2026-01-04T00:00:01Z".parse().unwrap());
    let expired = place.newest("ops", |delivery| delivery.state == DeliveryState::Dead).await;
    assert!(expired.error.unwrap().starts_with("webhook.expired: "));
    assert_eq!(place.client.webhook("ops").await.unwrap().disabled_at, None, "nothing was tried since");

    place.job(json!({"name": "b", "noop": true})).await;
    let mut pause = tokio::time::interval(Duration::from_millis(20));
    let rests = async {
        loop {
            let webhook = place.client.webhook("ops").await.unwrap();
            if webhook.disabled_at.is_some() {
                return webhook;
            }
            pause.tick().await;
        }
    };
    let webhook = tokio::time::timeout(PATIENCE, rests).await.expect("it rests");
    assert_eq!(webhook.failing_since, Some("2026-01-01T00:00:00Z".parse().unwrap()));
    assert!(webhook.disabled_reason.as_ref().unwrap().contains("500"), "{webhook:?}");
    let resting = async |count: u32| {
        place.client.metrics().await.unwrap().contains(&format!("mainspring_webhooks_resting {count}\n"))
    };
    let shown = async {
        while !resting(1).await {
            pause.tick().await;
        }
    };
    tokio::time::timeout(PATIENCE, shown).await.expect("it is counted");
    let metrics = place.client.metrics().await.unwrap();
    assert!(metrics.contains("mainspring_webhook_deliveries_total{result=\"failed\"} "), "{metrics}");
    assert_eq!(code(place.client.test_webhook("ops").await), ErrorCode::WebhookResting);
    place.job(json!({"name": "c", "noop": true})).await;
    // Not heard of: it was made while the webhook rested.
    let resumed = place.client.resume_webhook("ops").await.unwrap();
    assert_eq!((resumed.disabled_at, resumed.failing_since), (None, None));
    place.job(json!({"name": "d", "noop": true})).await;
    clock.set("2026-01-04T00:01:00Z".parse().unwrap());
    let messages = receiver.heard(4).await;
    let mut jobs: Vec<_> = messages[2..].iter().map(|message| message.json()["data"]["job"].clone()).collect();
    jobs.sort_by_key(ToString::to_string);
    assert_eq!(jobs, ["b", "d"], "what was pending, and what happens from now on");
    assert!(resting(0).await);
    assert_eq!(deliveries().await.len(), 3);
    place.stop().await;
}

#[tokio::test]
async fn webhook_for_which_too_much_waits_gets_more_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let clock = ManualClock::new("2026-01-01T00:00:00Z".parse().unwrap());
    let place = Place::over(Arc::new(MemoryStore::new()), folder.path(), Arc::new(clock.clone())).await;
    let (full, other) = (Receiver::start().await, Receiver::start().await);
    place.hook("a", &full, &["job.created"]).await;
    place.hook("b", &other, &["job.created"]).await;
    let store = Arc::clone(place.engine.store());
    let row = store.webhooks().await.unwrap().remove(0);
    let new = |number: u32| NewDelivery { message: number.to_string(), kind: "job.created".into(), body: "{}".into() };
    let (place_now, now) = (row.webhook.noted_through, clock.now());
    // Somebody is sending them for a long time.
    let (made, until) = ((0..10_100).map(new).collect(), now + 30 * 86_400_000);
    assert!(store.note_deliveries(row.id, (place_now, place_now), made, now - 1_000).await.unwrap());
    store.take_deliveries(row.id, now, until, 20_000).await.unwrap();
    clock.set("2026-01-03T00:00:00Z".parse().unwrap());
    place.job(json!({"name": "a", "noop": true})).await;
    // The look that has made the message for the other one has looked at this one before.
    other.heard(1).await;
    assert_eq!(store.pending_deliveries(row.id, 10_000).await.unwrap(), 10_000);
    assert!(full.heard.borrow().iter().all(|message| message.body == "{}"));
    clock.set("2026-01-04T00:00:01Z".parse().unwrap());
    place.newest("a", |delivery| delivery.state == DeliveryState::Delivered).await;
    assert_eq!(full.heard.borrow().iter().filter(|message| message.body != "{}").count(), 1);
    place.stop().await;
}

/// Killed when dropped.
struct Python(Child);

impl Drop for Python {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_example_in_python_verifies_what_it_gets() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::in_memory(folder.path()).await;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/webhook.py");
    let secret = folder.path().join("secret");
    let mut command = Command::new("python3");
    command.arg(script).arg(&secret).arg("0").stdin(Stdio::null()).stdout(Stdio::piped());
    let mut python = Python(command.spawn().unwrap());
    let mut lines = BufReader::new(python.0.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    let port = first.strip_prefix("listening on port ").unwrap_or_else(|| panic!("{first}"));
    let spec = WebhookSpec {
        name: "python".into(),
        url: format!("http://127.0.0.1:{port}/"),
        events: vec!["job.created".into()],
        namespace: None,
        job: None,
    };
    let webhook = place.client.create_webhook(&spec).await.unwrap();
    std::fs::write(&secret, webhook.secret.unwrap()).unwrap();
    place.job(json!({"name": "a", "noop": true})).await;
    let line = tokio::task::spawn_blocking(move || lines.next().unwrap().unwrap()).await.unwrap();
    assert!(line.ends_with(" job.created default a"), "{line}");
    place.newest("python", |delivery| delivery.state == DeliveryState::Delivered).await;
    std::fs::write(&secret, format!("whsec_{}", BASE64_STANDARD.encode([7; 32]))).unwrap();
    place.client.test_webhook("python").await.unwrap();
    let refused = place.newest("python", |delivery| delivery.status.is_some()).await;
    assert_eq!((refused.state, refused.status), (DeliveryState::Pending, Some(400)), "another secret");
    place.stop().await;
}

#[tokio::test]
async fn what_cannot_be_a_webhook_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::in_memory(folder.path()).await;
    let receiver = Receiver::start().await;
    place.hook("ops", &receiver, &[]).await;
    let events = place.client.webhook("ops").await.unwrap().events;
    assert_eq!(events, WebhookSpec::DEFAULT_EVENTS);
    let spec = |name: &str, url: &str| WebhookSpec {
        name: name.into(),
        url: url.into(),
        events: Vec::new(),
        namespace: None,
        job: None,
    };
    let again = place.client.create_webhook(&spec("ops", &receiver.url())).await;
    assert_eq!(code(again), ErrorCode::ResourceExists);
    for (bad, expected) in
        [(spec("a b", "https://example.com"), ErrorCode::NameInvalid), (spec("x", "nonsense"), ErrorCode::FieldValue)]
    {
        let error = place.client.create_webhook(&bad).await.unwrap_err();
        let problems = &error.problem().expect("a refusal").errors;
        assert_eq!(problems.iter().map(|problem| problem.code.as_str()).collect::<Vec<_>>(), [expected.as_str()]);
    }
    assert_eq!(code(place.client.delete_webhook("none").await), ErrorCode::WebhookNotFound);
    assert_eq!(code(place.client.test_webhook("none").await), ErrorCode::WebhookNotFound);
    assert_eq!(code(place.client.rotate_webhook("none", WebhookRotation::default()).await), ErrorCode::WebhookNotFound);
    place.stop().await;
}

#[tokio::test]
async fn addresses_that_tasks_may_not_call_webhooks_may_not_either() {
    let folder = tempfile::tempdir().unwrap();
    plain_client();
    let settings = mainspring_engine::Settings::default().with_tasks(folder.path().join("work"));
    let store = Arc::new(MemoryStore::new());
    let engine = Arc::new(Engine::start(Arc::clone(&store) as Arc<dyn Store>, settings).await.unwrap());
    let running = crate::kit::Running::over(engine, Settings::default()).await;
    let receiver = Receiver::start().await;
    let near = receiver.url().replace("127.0.0.1", "localhost");
    for url in [receiver.url(), near, "http://169.254.169.254/latest".into(), "https://[fd00::7]/".into()] {
        let spec = WebhookSpec { name: "in".into(), url: url.clone(), events: Vec::new(), namespace: None, job: None };
        let error = running.client.create_webhook(&spec).await.unwrap_err();
        let problem = &error.problem().unwrap().errors[0];
        assert!(problem.pointer == "/url" && problem.message.contains("no public address"), "{url}: {problem:?}");
    }
    // A name that leads here, or a server that was started with more exceptions before, is found out when it sends.
    let webhook = mainspring_store::Webhook {
        name: "in".into(),
        url: receiver.url(),
        events: WebhookSpec::DEFAULT_EVENTS.map(str::to_owned).to_vec(),
        namespace: None,
        job: None,
        secret: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=".into(),
        previous_secret: None,
        noted_through: 0,
        created_at: mainspring_schedule::Timestamp::UNIX_EPOCH,
    };
    store.add_webhook(webhook).await.unwrap();
    running.client.test_webhook("in").await.unwrap();
    let mut pause = tokio::time::interval(Duration::from_millis(20));
    let refused = async {
        loop {
            let page = running.client.webhook_deliveries("in", &PageFilter::default()).await.unwrap();
            if let Some(error) = page.items.into_iter().find_map(|delivery| delivery.error) {
                return error;
            }
            pause.tick().await;
        }
    };
    let error = tokio::time::timeout(PATIENCE, refused).await.expect("it is refused");
    assert!(error.starts_with("http.denied_address"), "{error}");
    assert!(receiver.answers.lock().unwrap().is_empty() && receiver.heard.borrow().is_empty());
    running.stop().await;
}
