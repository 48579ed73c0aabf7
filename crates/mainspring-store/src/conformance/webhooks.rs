//! Webhooks, and what is to be delivered to them.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::batch::{Gap, GapOutcome, GapReason};

use super::kit::{Draft, Kit, at};
use crate::{Delivery, DeliveryAnswer, DeliveryState, Error, NewDelivery, PurgeRule, Sent, Store, Webhook, WebhookRow};

fn webhook(name: &str, noted_through: i64) -> Webhook {
    Webhook {
        name: name.into(),
        url: "https://example.com/ü?a=\"b\"".into(),
        events: vec!["run.failed".into(), "job.*".into()],
        namespace: Some("default".into()),
        job: None,
        secret: "whsec_old".into(),
        previous_secret: None,
        noted_through,
        created_at: at(1_000),
    }
}

/// Keeps a webhook, and answers it.
async fn kept(store: &dyn Store, name: &str, noted_through: i64) -> WebhookRow {
    store.add_webhook(webhook(name, noted_through)).await.expect("add_webhook");
    let rows = store.webhooks().await.expect("webhooks");
    rows.into_iter().find(|row| row.webhook.name == name).expect("it is there")
}

fn new(message: &str) -> NewDelivery {
    NewDelivery { message: message.into(), kind: "run.failed".into(), body: format!("{{\"ü\":\"{message}\"}}") }
}

async fn note(store: &dyn Store, webhook: &WebhookRow, places: (i64, i64), messages: &[&str]) -> bool {
    let deliveries = messages.iter().copied().map(new).collect();
    store.note_deliveries(webhook.id, places, deliveries, at(2_000)).await.expect("note_deliveries")
}

async fn take(store: &dyn Store, webhook: &WebhookRow, now: i64, until: i64, limit: u32) -> Vec<Delivery> {
    store.take_deliveries(webhook.id, at(now), at(until), limit).await.expect("take_deliveries")
}

async fn list(store: &dyn Store, webhook: &WebhookRow) -> Vec<Delivery> {
    store.deliveries(webhook.id, None, 100).await.expect("deliveries")
}

fn messages(deliveries: &[Delivery]) -> Vec<&str> {
    deliveries.iter().map(|delivery| delivery.new.message.as_str()).collect()
}

/// What a delivery that was taken comes to at 2,600.
fn sent(delivery: &Delivery, state: DeliveryState, next_at: i64) -> Sent {
    let answer = DeliveryAnswer { status: Some(503), error: Some("it answered 503".into()) };
    Sent { id: delivery.id, attempt: delivery.attempts, state, next_at: at(next_at), answer, at: at(2_600) }
}

pub async fn webhooks_are_kept_by_name(store: Arc<dyn Store>) {
    let b = kept(&*store, "b", 7).await;
    let a = kept(&*store, "a", 7).await;
    assert_eq!((&a.webhook, &b.webhook), (&webhook("a", 7), &webhook("b", 7)));
    assert_eq!(store.webhooks().await.expect("webhooks"), [a, b]);
    let again = store.add_webhook(webhook("a", 7)).await;
    assert!(matches!(again, Err(Error::Conflict { what: "webhook", .. })), "{again:?}");
    assert!(store.rotate_webhook("a", "whsec_new", at(9_000)).await.expect("rotate_webhook"));
    assert!(!store.rotate_webhook("c", "whsec_new", at(9_000)).await.expect("rotate_webhook"));
    let rotated = &store.webhooks().await.expect("webhooks")[0].webhook;
    assert_eq!((&*rotated.secret, &rotated.previous_secret), ("whsec_new", &Some(("whsec_old".into(), at(9_000)))));
}

pub async fn deliveries_are_noted_once_for_each_event(store: Arc<dyn Store>) {
    let webhook = kept(&*store, "a", 3).await;
    assert!(note(&*store, &webhook, (3, 5), &["4", "5"]).await);
    assert!(!note(&*store, &webhook, (3, 5), &["4", "5"]).await, "another node was faster");
    assert!(note(&*store, &webhook, (5, 5), &["test"]).await, "the place may stay");
    assert!(note(&*store, &webhook, (5, 9), &[]).await);
    assert_eq!(store.webhooks().await.expect("webhooks")[0].webhook.noted_through, 9);
    let found = list(&*store, &webhook).await;
    assert_eq!(messages(&found), ["test", "5", "4"], "newest first");
    assert_eq!(found[2].new, new("4"));
    assert_eq!((found[2].state, found[2].attempts, found[2].next_at), (DeliveryState::Pending, 0, at(2_000)));
    assert_eq!((found[2].created_at, found[2].ended_at), (at(2_000), None));
    let page = store.deliveries(webhook.id, Some(found[0].id), 1).await.expect("deliveries");
    assert_eq!(messages(&page), ["5"], "read on from a position");
}

pub async fn delivery_is_taken_by_one_at_a_time(store: Arc<dyn Store>) {
    let (webhook, other) = (kept(&*store, "a", 0).await, kept(&*store, "b", 0).await);
    note(&*store, &webhook, (0, 3), &["1", "2", "3"]).await;
    note(&*store, &other, (0, 3), &["other"]).await;
    assert_eq!(take(&*store, &webhook, 1_999, 5_000, 9).await, [], "not due yet");
    let first = take(&*store, &webhook, 2_000, 5_000, 2).await;
    assert_eq!((messages(&first), first[0].attempts), (vec!["1", "2"], 1));
    assert_eq!(messages(&take(&*store, &webhook, 2_500, 5_500, 9).await), ["3"], "the others are under way");
    let again = take(&*store, &webhook, 5_000, 9_000, 9).await;
    assert_eq!(messages(&again), ["1", "2"], "whoever took them has not said what came of them in time");
    assert_eq!(again[0].attempts, 2);
    assert_eq!(messages(&take(&*store, &other, 2_000, 5_000, 9).await), ["other"]);
}

pub async fn delivery_that_is_settled_late_stays_as_it_is(store: Arc<dyn Store>) {
    let webhook = kept(&*store, "a", 0).await;
    note(&*store, &webhook, (0, 1), &["1"]).await;
    let early = take(&*store, &webhook, 2_000, 2_500, 9).await.remove(0);
    let late = take(&*store, &webhook, 2_500, 9_000, 9).await.remove(0);
    let settle = async |sent| store.settle_delivery(sent).await.expect("settle_delivery");
    assert!(!settle(sent(&early, DeliveryState::Dead, 0)).await, "it was taken again since");
    assert!(settle(sent(&late, DeliveryState::Pending, 3_000)).await);
    let found = list(&*store, &webhook).await.remove(0);
    assert_eq!((found.state, found.next_at, found.ended_at), (DeliveryState::Pending, at(3_000), None));
    assert_eq!((found.answer.status, found.answer.error.as_deref()), (Some(503), Some("it answered 503")));
    let third = take(&*store, &webhook, 3_000, 9_000, 9).await.remove(0);
    let mut done = sent(&third, DeliveryState::Delivered, 0);
    done.answer = DeliveryAnswer { status: Some(200), error: None };
    assert!(settle(done).await);
    assert!(!settle(sent(&third, DeliveryState::Dead, 0)).await, "it is over");
    let found = list(&*store, &webhook).await.remove(0);
    assert_eq!((found.state, found.attempts, found.ended_at), (DeliveryState::Delivered, 3, Some(at(2_600))));
    assert_eq!(found.answer, DeliveryAnswer { status: Some(200), error: None });
    assert_eq!(take(&*store, &webhook, 99_000, 99_999, 9).await, [], "nothing is left to send");
}

pub async fn webhook_that_goes_takes_its_deliveries_along(store: Arc<dyn Store>) {
    let webhook = kept(&*store, "a", 0).await;
    note(&*store, &webhook, (0, 1), &["1"]).await;
    assert!(store.remove_webhook("a").await.expect("remove_webhook"));
    assert!(!store.remove_webhook("a").await.expect("remove_webhook"));
    assert!(!note(&*store, &webhook, (1, 2), &["2"]).await, "it is gone");
    let again = kept(&*store, "a", 0).await;
    assert_ne!(again.id, webhook.id);
    assert_eq!((list(&*store, &webhook).await, list(&*store, &again).await), (vec![], vec![]));
}

pub async fn purge_waits_for_webhooks_and_forgets_old_deliveries(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let store = &*kit.store;
    kit.save(Draft::new("job")).await;
    let last = store.last_event().await.expect("last_event");
    let webhook = kept(store, "a", last - 1).await;
    let never = mainspring_core::Timestamp::MIN;
    let keep = PurgeRule {
        at: at(0),
        history_before: never,
        history_keep_per_job: None,
        events_before: never,
        tombstones_before: never,
        limit: 1_000,
    };
    let purge = async |rule| store.purge(rule).await.expect("purge");
    purge(PurgeRule { events_before: at(99_000), ..keep }).await;
    let left = store.events(0, 99).await.expect("events");
    assert_eq!(left.iter().map(|event| event.seq).collect::<Vec<_>>(), [last], "the webhook has not seen it");
    note(store, &webhook, (last - 1, last), &["good", "bad"]).await;
    purge(PurgeRule { events_before: at(99_000), ..keep }).await;
    assert_eq!(store.events(0, 99).await.expect("events"), []);
    let taken = take(store, &webhook, 2_000, 9_000, 9).await;
    for (delivery, state) in taken.iter().zip([DeliveryState::Delivered, DeliveryState::Dead]) {
        assert!(store.settle_delivery(sent(delivery, state, 0)).await.expect("settle_delivery"));
    }
    assert_eq!(purge(PurgeRule { tombstones_before: at(2_600), ..keep }).await, 0);
    purge(PurgeRule { tombstones_before: at(2_601), ..keep }).await;
    assert_eq!(messages(&list(store, &webhook).await), ["bad"], "dead ones stay for longer");
    kit.save(Draft::new("job 2")).await;
    purge(PurgeRule { history_before: at(99_000), events_before: at(99_000), ..keep }).await;
    assert_eq!(list(store, &webhook).await, []);
    assert_eq!(store.events(0, 99).await.expect("events"), [], "what no webhook fetches goes with the history");
}

pub async fn missed_instants_of_a_fire_are_an_event(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    let last = kit.store.last_event().await.expect("last_event");
    let mut entry = job.entry(0);
    let (outcome, reason) = (GapOutcome::Missed, GapReason::Misfire);
    entry.gaps = vec![Gap { first: at(-9), last: at(-1), count: 3, outcome, reason, policy: "smart".into() }];
    kit.fire(at(1_000), vec![entry]).await;
    let events = kit.store.events(last, 9).await.expect("events");
    assert_eq!(events.iter().map(|event| event.kind.as_str()).collect::<Vec<_>>(), ["missed", "runs"]);
    let payload: serde_json::Value = serde_json::from_str(&events[0].payload).expect("JSON");
    assert_eq!(
        payload,
        serde_json::json!({"job": job.id().0, "trigger": job.row(0).id.0, "first": at(-9).as_millis(),
            "last": at(-1).as_millis(), "count": 3, "reason": "misfire", "policy": "smart"})
    );
}
