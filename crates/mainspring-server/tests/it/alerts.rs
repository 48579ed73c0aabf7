//! Alerts against a receiver of our own: who is told what, how often, and when.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use mainspring_api::client::Client;
use mainspring_api::{
    AlertChannelSpec, AlertDelivery, AlertDeliveryFilter, AlertFilter, AlertRuleSpec, AlertSilenceSpec, DeliveryState,
    ErrorCode, RunNow, RunState,
};
use mainspring_engine::{Clock, ManualClock};
use mainspring_store::MemoryStore;
use serde_json::{Value, json};

use crate::kit::code;
use crate::webhooks::{PATIENCE, Place, Receiver, another};

async fn channel(client: &Client, spec: Value) {
    let spec: AlertChannelSpec = serde_json::from_value(spec).unwrap();
    client.put_alert_channel(&spec).await.unwrap();
}

fn rule(spec: Value) -> AlertRuleSpec {
    serde_json::from_value(spec).unwrap()
}

/// A server whose clock stands still, with the channel `ops` to a receiver.
async fn with_clock(folder: &Path) -> (ManualClock, Place, Receiver) {
    let clock = ManualClock::new("2026-01-01T00:00:00Z".parse().unwrap());
    let place = Place::over(Arc::new(MemoryStore::new()), folder, Arc::new(clock.clone())).await;
    let receiver = Receiver::start().await;
    channel(&place.client, json!({"name": "ops", "webhook": {"url": receiver.url()}})).await;
    (clock, place, receiver)
}

/// Runs a job, and waits for its end.
async fn run(client: &Client, job: &str, input: Value) -> String {
    let asked = RunNow { input: Some(input), ..RunNow::default() };
    let run = client.run_job("default", job, &asked).await.unwrap();
    client.wait_for_run(&run.id).await.unwrap().id
}

/// Waits until something is as it should be.
pub async fn until<T>(look: impl AsyncFn() -> Option<T>) -> T {
    let mut pause = tokio::time::interval(Duration::from_millis(20));
    let found = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            pause.tick().await;
        }
    };
    tokio::time::timeout(PATIENCE, found).await.expect("it is so")
}

async fn deliveries(client: &Client) -> Vec<AlertDelivery> {
    client.alert_deliveries(&AlertDeliveryFilter::default()).await.unwrap().items
}

/// Waits until so many messages were delivered and none is to be sent.
async fn settled(client: &Client, count: usize) -> Vec<AlertDelivery> {
    until(async || {
        let all = deliveries(client).await;
        let done = all.iter().filter(|it| it.state == DeliveryState::Delivered).count();
        (done == count && done == all.len()).then_some(all)
    })
    .await
}

/// Fails unless its input says otherwise.
fn fickle(alerts: Value) -> Value {
    json!({"name": "pay", "run": "echo no space left; exit \"${MS_PARAM_CODE}\"", "input": {"code": 3}, "labels": {"team": "hr"}, "alerts": alerts})
}

#[tokio::test]
async fn every_channel_is_told_once_that_a_job_fails_and_once_that_it_is_well_again() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::in_memory(folder.path()).await;
    let receiver = Receiver::start().await;
    let secret = format!("whsec_{}", BASE64_STANDARD.encode([7; 32]));
    for (kind, signed) in [
        ("slack", None),
        ("wecom", None),
        ("dingtalk", Some("SEC1")),
        ("feishu", Some("S")),
        ("webhook", Some(&*secret)),
    ] {
        let mut hook = json!({"url": format!("{}?kind={kind}", receiver.url())});
        hook.as_object_mut().unwrap().extend(signed.map(|secret| ("secret".to_owned(), secret.into())));
        channel(&place.client, json!({"name": kind, kind: hook})).await;
    }
    let channels = ["slack", "wecom", "dingtalk", "feishu", "webhook"];
    place.job(fickle(json!([{"failed": true, "channels": channels}]))).await;
    let failed = run(&place.client, "pay", json!({"code": 3})).await;
    let messages = receiver.heard(5).await;
    let of =
        |kind: &str| messages.iter().find(|it| it.uri.query().unwrap().starts_with(&format!("kind={kind}"))).unwrap();
    for kind in channels {
        let body = &of(kind).body;
        assert!(body.contains("default/pay: run failed") && body.contains("no space left"), "{kind}: {body}");
        assert!(body.contains(&format!("mainspring run why {failed}")), "{kind}: {body}");
    }
    assert!(of("webhook").is_signed_with(&secret));
    assert_eq!(of("webhook").json()["type"], "alert.opened");
    assert!(
        of("dingtalk").uri.query().unwrap().contains("&timestamp=")
            && of("dingtalk").uri.query().unwrap().contains("&sign=")
    );
    assert!(of("feishu").json()["sign"].is_string());

    run(&place.client, "pay", json!({"code": 3})).await;
    let open =
        until(async || place.client.alerts(&AlertFilter::default()).await.unwrap().pop().filter(|it| it.count == 2))
            .await;
    assert_eq!((open.namespace.as_str(), open.job.as_str(), open.condition.as_str()), ("default", "pay", "failed"));
    let job = place.client.job("default", "pay").await.unwrap();
    assert_eq!(job.open_alerts, [open]);
    run(&place.client, "pay", json!({"code": 0})).await;
    let messages = receiver.heard(10).await;
    assert!(messages[5..].iter().all(|it| it.body.contains("default/pay is well again")), "{messages:#?}");
    let all = settled(&place.client, 10).await;
    assert_eq!(all.iter().filter(|it| it.kind == "recovered").count(), 5, "newest first: {all:#?}");
    assert!(all[..5].iter().all(|it| it.kind == "recovered"));
    assert_eq!(place.client.alerts(&AlertFilter::default()).await.unwrap(), []);
    let metrics = place.client.metrics().await.unwrap();
    assert!(metrics.contains("mainspring_alert_messages_total{result=\"delivered\"} 10\n"), "{metrics}");
    place.stop().await;
}

#[tokio::test]
async fn rules_hold_for_the_jobs_that_fit_them() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::in_memory(folder.path()).await;
    let receiver = Receiver::start().await;
    let client = &place.client;
    let unknown = rule(json!({"name": "hr", "alerts": [{"failed": true, "channels": ["op"]}]}));
    assert_eq!(code(client.put_alert_rule(&unknown).await), ErrorCode::AlertChannelUnknown);
    channel(client, json!({"name": "ops", "webhook": {"url": receiver.url()}})).await;
    let labelled =
        rule(json!({"name": "hr", "labels": {"team": "hr"}, "alerts": [{"failed_in_row": 2, "channels": ["ops"]}]}));
    let saved = client.put_alert_rule(&labelled).await.unwrap();
    assert_eq!(saved.warnings[0].code, "alert.nothing_matches");
    assert_eq!((saved.version, &saved.spec), (1, &labelled));
    place.job(fickle(json!([]))).await;
    place.job(json!({"name": "other", "run": "exit 1"})).await;
    assert_eq!(client.put_alert_rule(&labelled).await.unwrap().warnings, []);
    for job in ["other", "pay", "other", "pay", "other"] {
        run(client, job, json!({"code": 3})).await;
    }
    let message = receiver.heard(1).await.remove(0).json();
    assert_eq!(
        (&message["data"]["job"], &message["data"]["subject"]),
        (&json!("pay"), &json!("default/pay: 2 runs failed in a row"))
    );
    settled(client, 1).await;
    assert_eq!(code(client.delete_alert_channel("ops").await), ErrorCode::AlertChannelUsed);
    client.delete_alert_rule("hr").await.unwrap();
    until(async || client.alerts(&AlertFilter::default()).await.unwrap().is_empty().then_some(())).await;
    client.delete_alert_channel("ops").await.unwrap();
    assert_eq!(code(client.alert_channel("ops").await), ErrorCode::AlertChannelNotFound);
    assert_eq!(deliveries(client).await.len(), 1, "nobody is told that it is over");
    place.stop().await;
}

#[tokio::test]
async fn what_fails_while_no_server_runs_is_told_by_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let receiver = Receiver::start().await;
    let first = Place::on_disk(folder.path()).await;
    channel(&first.client, json!({"name": "ops", "webhook": {"url": receiver.url()}})).await;
    first.job(fickle(json!([{"failed": true, "channels": ["ops"]}]))).await;
    let Place { server, engine, .. } = first;
    // The server goes before the engine does: what the engine does now, nobody evaluates.
    server.stop(PATIENCE).await;
    let key = mainspring_core::job::JobKey::new("default", "pay");
    let unheard = engine.control().run_now(&key, mainspring_engine::control::Ask::default()).await.unwrap().id;
    engine.control().wait(unheard).await.unwrap();
    Arc::into_inner(engine).expect("the server lets go of the engine").stop(PATIENCE).await.unwrap();
    let second = Place::on_disk(folder.path()).await;
    let message = receiver.heard(1).await.remove(0).json();
    assert_eq!(message["data"]["run"], unheard.to_string());
    settled(&second.client, 1).await;
    second.stop().await;
}

#[tokio::test]
async fn message_of_a_server_that_died_is_sent_by_another_under_the_same_id() {
    let folder = tempfile::tempdir().unwrap();
    let clock = ManualClock::new("2026-01-01T00:00:00Z".parse().unwrap());
    let place = Place::over(Arc::new(MemoryStore::new()), folder.path(), Arc::new(clock.clone())).await;
    let receiver = Receiver::answering(&[0]).await;
    channel(&place.client, json!({"name": "ops", "webhook": {"url": receiver.url()}})).await;
    place.job(fickle(json!([{"failed": true, "channels": ["ops"]}]))).await;
    run(&place.client, "pay", json!({"code": 3})).await;
    let first = receiver.heard(1).await.remove(0);
    let Place { server, engine, .. } = place;
    // As good as killed: it hears no answer, and says nothing.
    drop(server);
    let other = another(&engine).await;
    clock.set("2026-01-01T00:01:31Z".parse().unwrap());
    let second = receiver.heard(2).await.remove(1);
    assert_eq!(second.header("webhook-id"), first.header("webhook-id"));
    assert_eq!(second.json()["data"], first.json()["data"]);
    other.stop(PATIENCE).await;
}

#[tokio::test]
async fn servers_share_the_work_and_tell_each_thing_once() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::in_memory(folder.path()).await;
    let other = another(&place.engine).await;
    let receiver = Receiver::start().await;
    channel(&place.client, json!({"name": "ops", "webhook": {"url": receiver.url()}})).await;
    place.job(fickle(json!([{"failed": true, "channels": ["ops"]}]))).await;
    for _ in 0..3 {
        run(&place.client, "pay", json!({"code": 3})).await;
        run(&place.client, "pay", json!({"code": 0})).await;
    }
    let all = settled(&place.client, 6).await;
    let kinds: Vec<_> = all.iter().map(|it| it.kind.as_str()).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "opened").count(), 3, "{kinds:?}");
    assert_eq!(receiver.heard(6).await.len(), 6);
    other.stop(PATIENCE).await;
    place.stop().await;
}

#[tokio::test]
async fn late_runs_are_told_at_their_time_and_over_when_they_start() {
    let folder = tempfile::tempdir().unwrap();
    let (clock, place, receiver) = with_clock(folder.path()).await;
    let client = &place.client;
    client.pause_queue("night", &mainspring_api::Reason::default()).await.unwrap();
    place
        .job(json!({"name": "pay", "noop": true, "queue": "night", "alerts": [{"late": "10m", "channels": ["ops"]}]}))
        .await;
    let waits = client.run_job("default", "pay", &RunNow::default()).await.unwrap();
    assert_eq!(client.run(&waits.id).await.unwrap().state, RunState::Queued);
    clock.set("2026-01-01T00:10:01Z".parse().unwrap());
    let message = receiver.heard(1).await.remove(0).json();
    assert_eq!(message["data"]["subject"], "default/pay: not started 10m after it was due");
    assert_eq!(message["data"]["run"], waits.id);
    client.resume_queue("night", &mainspring_api::Reason::default()).await.unwrap();
    let message = receiver.heard(2).await.remove(1).json();
    assert_eq!(message["type"], "alert.recovered");
    place.stop().await;
}

#[tokio::test]
async fn missed_deadline_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let (clock, place, receiver) = with_clock(folder.path()).await;
    let client = &place.client;
    client.pause_queue("night", &mainspring_api::Reason::default()).await.unwrap();
    let alerts = json!([{"deadline_missed": true, "channels": ["ops"]}]);
    place
        .job(json!({"name": "pay", "noop": true, "queue": "night", "deadline": {"within": "10m"}, "alerts": alerts}))
        .await;
    let waits = client.run_job("default", "pay", &RunNow::default()).await.unwrap();
    clock.set("2026-01-01T00:10:01Z".parse().unwrap());
    let message = receiver.heard(1).await.remove(0).json();
    assert_eq!(message["data"]["subject"], "default/pay: not done by its deadline");
    assert_eq!(message["data"]["run"], waits.id);
    client.resume_queue("night", &mainspring_api::Reason::default()).await.unwrap();
    let message = receiver.heard(2).await.remove(1).json();
    assert_eq!(message["type"], "alert.recovered");
    place.stop().await;
}

#[tokio::test]
async fn silence_holds_what_begins_and_tells_it_when_it_ends() {
    let folder = tempfile::tempdir().unwrap();
    let (clock, place, receiver) = with_clock(folder.path()).await;
    let client = &place.client;
    place.job(fickle(json!([{"failed": true, "channels": ["ops"], "repeat": "4h"}]))).await;
    let spec = AlertSilenceSpec {
        namespace: None,
        job: None,
        label: Some("team=hr".into()),
        until: "2026-01-01T02:00:00Z".parse().unwrap(),
        reason: "the disk is replaced".into(),
        by: Some("ann".into()),
    };
    assert_eq!(
        code(client.silence_alerts(&AlertSilenceSpec { reason: " ".into(), ..spec.clone() }).await),
        ErrorCode::FieldValue
    );
    let silence = client.silence_alerts(&spec).await.unwrap();
    assert_eq!((silence.by.as_str(), silence.label.as_deref()), ("ann, with the access token", Some("team=hr")));
    run(client, "pay", json!({"code": 3})).await;
    let open = until(async || client.alerts(&AlertFilter::default()).await.unwrap().pop()).await;
    assert_eq!((open.told_at, open.silence.map(|it| it.id)), (None, Some(silence.id)));
    assert_eq!(deliveries(client).await, []);
    clock.set("2026-01-01T02:00:01Z".parse().unwrap());
    receiver.heard(1).await;
    assert_eq!(client.alert_silences().await.unwrap(), []);
    settled(client, 1).await;
    clock.set("2026-01-01T06:00:02Z".parse().unwrap());
    let message = receiver.heard(2).await.remove(1).json();
    assert_eq!(
        (&message["type"], &message["data"]["subject"]),
        (&json!("alert.reminder"), &json!("default/pay still: run failed"))
    );
    place.stop().await;
}

#[tokio::test]
async fn channels_are_tested_and_say_what_is_wrong_and_messages_are_sent_again() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::in_memory(folder.path()).await;
    let receiver = Receiver::answering(&[403, 200]).await;
    let client = &place.client;
    let hook = |url: &str| json!({"name": "ops", "slack": {"url": url}});
    channel(client, hook(&receiver.url())).await;
    let refused = client.test_alert_channel("ops").await.unwrap();
    let error = refused.error.clone().unwrap();
    assert!(error.starts_with("alert.refused: ") && error.contains("403") && !error.contains("/hook"), "{error}");
    assert_eq!((refused.state, refused.kind.as_str()), (DeliveryState::Dead, "test"));
    assert_eq!(client.alert_channel("ops").await.unwrap().last_delivery, Some(refused.clone()));
    let again = client.redeliver_alert(&refused.id).await.unwrap();
    assert_eq!((again.id.as_str(), again.state), (refused.id.as_str(), DeliveryState::Pending));
    settled(client, 1).await;
    assert_eq!(receiver.heard(2).await.len(), 2);
    for (url, expected) in [
        (json!("http://10.1.2.3/x"), "alert.address: "),
        (json!("http://nobody.invalid/x"), "alert.address: "),
        (json!({"file": "none"}), "alert.secret: "),
        (json!({"env": "NONE"}), "alert.secret: "),
    ] {
        channel(client, json!({"name": "ops", "slack": {"url": url}})).await;
        let error = client.test_alert_channel("ops").await.unwrap().error.unwrap();
        assert!(error.starts_with(expected), "{url}: {error}");
    }
    let mail = json!({"name": "mail", "email": {"server": "127.0.0.1", "port": 9, "security": "none", "from": "a@b.c", "to": ["d@e.f"]}});
    channel(client, mail).await;
    let error = client.test_alert_channel("mail").await.unwrap().error.unwrap();
    assert!(error.starts_with("alert.smtp: 127.0.0.1:9 "), "{error}");
    let far = json!({"name": "mail", "email": {"server": "192.168.0.1", "from": "a@b.c", "to": ["d@e.f"]}});
    channel(client, far).await;
    let error = client.test_alert_channel("mail").await.unwrap().error.unwrap();
    assert!(error.starts_with("alert.address: "), "{error}");
    assert_eq!(code(client.test_alert_channel("none").await), ErrorCode::AlertChannelNotFound);
    assert_eq!(code(client.redeliver_alert("none").await), ErrorCode::AlertDeliveryNotFound);
    assert_eq!(code(client.end_alert_silence("none").await), ErrorCode::AlertSilenceNotFound);
    assert_eq!(code(client.alert_rule("none").await), ErrorCode::AlertRuleNotFound);
    place.stop().await;
}

#[tokio::test]
async fn many_alerts_at_once_are_one_message_to_a_channel() {
    let folder = tempfile::tempdir().unwrap();
    let (clock, place, receiver) = with_clock(folder.path()).await;
    let client = &place.client;
    let all = rule(json!({"name": "all", "alerts": [{"late": "10m", "channels": ["ops"]}]}));
    client.put_alert_rule(&all).await.unwrap();
    client.pause_queue("night", &mainspring_api::Reason::default()).await.unwrap();
    for number in 0..30 {
        place.job(json!({"name": format!("job-{number}"), "noop": true, "queue": "night"})).await;
        client.run_job("default", &format!("job-{number}"), &RunNow::default()).await.unwrap();
    }
    // All of them are known to wait before it is too late for one.
    until(async || {
        let documents = place.engine.store().documents("alert_state", None, clock.now(), 100).await.unwrap();
        (documents.len() == 30).then_some(())
    })
    .await;
    clock.set("2026-01-01T00:10:01Z".parse().unwrap());
    let message = receiver.heard(1).await.remove(0).json();
    assert_eq!(message["data"]["subject"], "30 alerts at once");
    settled(client, 1).await;
    place.stop().await;
}
