//! Webhooks, and what is to be delivered to them.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::batch::{Gap, GapOutcome, GapReason};

use super::kit::{Draft, Kit, at};
use crate::{
    Delivery, DeliveryAnswer, DeliveryState, Disabled, Error, NewDelivery, PurgeRule, Sent, Store, Taken, Webhook,
    WebhookRow,
};

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

async fn take(store: &dyn Store, webhook: &WebhookRow, now: i64, until: i64, limit: u32) -> Vec<Taken> {
    store.take_deliveries(webhook.id, at(now), at(until), limit).await.expect("take_deliveries")
}

async fn list(store: &dyn Store, webhook: &WebhookRow) -> Vec<Delivery> {
    store.deliveries(webhook.id, None, 100).await.expect("deliveries")
}

fn messages(deliveries: &[Delivery]) -> Vec<&str> {
    deliveries.iter().map(|delivery| delivery.message.as_str()).collect()
}

fn taken(all: &[Taken]) -> Vec<&str> {
    all.iter().map(|it| it.delivery.message.as_str()).collect()
}

async fn settle(store: &dyn Store, sent: Sent) -> bool {
    let settled = store.settle_deliveries(vec![sent]).await.expect("settle_deliveries");
    assert_eq!(settled.len(), 1);
    settled[0]
}

async fn row(store: &dyn Store, name: &str) -> WebhookRow {
    let rows = store.webhooks().await.expect("webhooks");
    rows.into_iter().find(|row| row.webhook.name == name).expect("it is there")
}

const NEVER: mainspring_core::Timestamp = mainspring_core::Timestamp::MIN;

/// Nothing is too old.
pub(super) const KEEP: PurgeRule = PurgeRule {
    at: mainspring_core::Timestamp::UNIX_EPOCH,
    history_before: NEVER,
    history_keep_per_job: None,
    events_before: NEVER,
    tombstones_before: NEVER,
    limit: 1_000,
};

/// What a delivery that was taken comes to at 2,600.
fn sent(webhook: &WebhookRow, it: &Taken, state: DeliveryState, next_at: i64) -> Sent {
    let answer = DeliveryAnswer { status: Some(503), error: Some("it answered 503".into()) };
    let (id, attempt) = (it.delivery.id, it.delivery.attempts);
    Sent { webhook: webhook.id, id, attempt, state, next_at: at(next_at), answer, at: at(2_600) }
}

pub async fn webhooks_are_kept_by_name(store: Arc<dyn Store>) {
    let b = kept(&*store, "b", 7).await;
    let a = kept(&*store, "a", 7).await;
    assert_eq!((&a.webhook, &b.webhook), (&webhook("a", 7), &webhook("b", 7)));
    assert_eq!(store.webhooks().await.expect("webhooks"), [a, b]);
    let again = store.add_webhook(webhook("a", 7)).await;
    assert!(matches!(again, Err(Error::Conflict { what: "webhook", .. })), "{again:?}");
    let rotate = async |name, replaced| {
        store.rotate_webhook(name, replaced, "whsec_new", at(9_000)).await.expect("rotate_webhook")
    };
    assert!(rotate("a", "whsec_old").await);
    assert!(!rotate("a", "whsec_old").await, "somebody else has replaced it");
    assert!(!rotate("c", "whsec_old").await);
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
    assert_eq!((&*found[2].message, &*found[2].kind), ("4", "run.failed"));
    assert_eq!((found[2].state, found[2].attempts, found[2].next_at), (DeliveryState::Pending, 0, at(2_000)));
    assert_eq!((found[2].created_at, found[2].ended_at), (at(2_000), None));
    let page = store.deliveries(webhook.id, Some(found[0].id), 1).await.expect("deliveries");
    assert_eq!(messages(&page), ["5"], "read on from a position");
}

pub async fn delivery_is_taken_by_one_at_a_time(store: Arc<dyn Store>) {
    let (webhook, other) = (kept(&*store, "a", 0).await, kept(&*store, "b", 0).await);
    note(&*store, &webhook, (0, 3), &["1", "2", "3"]).await;
    note(&*store, &other, (0, 3), &["other"]).await;
    assert_eq!(row(&*store, "a").await.next_at, Some(at(2_000)));
    assert_eq!(take(&*store, &webhook, 1_999, 5_000, 9).await, [], "not due yet");
    let first = take(&*store, &webhook, 2_000, 5_000, 2).await;
    assert_eq!((taken(&first), first[0].delivery.attempts), (vec!["1", "2"], 1));
    assert_eq!(first[0].body, new("1").body);
    assert_eq!(taken(&take(&*store, &webhook, 2_500, 5_500, 9).await), ["3"], "the others are under way");
    assert_eq!(row(&*store, "a").await.next_at, Some(at(5_000)), "they are due again then");
    let again = take(&*store, &webhook, 5_000, 9_000, 9).await;
    assert_eq!(taken(&again), ["1", "2"], "whoever took them has not said what came of them in time");
    assert_eq!(again[0].delivery.attempts, 2);
    assert_eq!(taken(&take(&*store, &other, 2_000, 5_000, 9).await), ["other"]);
}

pub async fn delivery_that_is_settled_late_stays_as_it_is(store: Arc<dyn Store>) {
    let webhook = kept(&*store, "a", 0).await;
    note(&*store, &webhook, (0, 1), &["1"]).await;
    let early = take(&*store, &webhook, 2_000, 2_500, 9).await.remove(0);
    let late = take(&*store, &webhook, 2_500, 9_000, 9).await.remove(0);
    assert!(!settle(&*store, sent(&webhook, &early, DeliveryState::Dead, 0)).await, "it was taken again since");
    assert!(settle(&*store, sent(&webhook, &late, DeliveryState::Pending, 3_000)).await);
    let found = list(&*store, &webhook).await.remove(0);
    assert_eq!((found.state, found.next_at, found.ended_at), (DeliveryState::Pending, at(3_000), None));
    assert_eq!((found.answer.status, found.answer.error.as_deref()), (Some(503), Some("it answered 503")));
    let third = take(&*store, &webhook, 3_000, 9_000, 9).await.remove(0);
    let mut done = sent(&webhook, &third, DeliveryState::Delivered, 0);
    done.answer = DeliveryAnswer { status: Some(200), error: None };
    assert!(settle(&*store, done).await);
    assert!(!settle(&*store, sent(&webhook, &third, DeliveryState::Dead, 0)).await, "it is over");
    let found = list(&*store, &webhook).await.remove(0);
    assert_eq!((found.state, found.attempts, found.ended_at), (DeliveryState::Delivered, 3, Some(at(2_600))));
    assert_eq!(found.answer, DeliveryAnswer { status: Some(200), error: None });
    assert_eq!(take(&*store, &webhook, 99_000, 99_999, 9).await, [], "nothing is left to send");
    assert_eq!(row(&*store, "a").await.next_at, None);
}

pub async fn webhook_that_fails_rests_until_it_is_resumed(store: Arc<dyn Store>) {
    let webhook = kept(&*store, "a", 0).await;
    note(&*store, &webhook, (0, 3), &["1", "2", "3"]).await;
    let all = take(&*store, &webhook, 2_000, 9_000, 9).await;
    let fails = |it: &Taken, when| Sent { at: at(when), ..sent(&webhook, it, DeliveryState::Pending, 3_000) };
    settle(&*store, fails(&all[0], 2_600)).await;
    settle(&*store, fails(&all[1], 2_700)).await;
    assert_eq!(row(&*store, "a").await.failing_since, Some(at(2_600)), "since the first of them");
    settle(&*store, sent(&webhook, &all[2], DeliveryState::Delivered, 0)).await;
    assert_eq!(row(&*store, "a").await.failing_since, None, "something has got through");
    let rest = Disabled { at: at(5_000), reason: "it is gone".into() };
    let disable = async |since| store.disable_webhook(webhook.id, at(since), rest.clone()).await.expect("disable");
    assert!(!disable(2_600).await);
    let again = take(&*store, &webhook, 3_000, 9_000, 9).await;
    let both = vec![fails(&again[0], 3_100), fails(&again[1], 3_200)];
    assert_eq!(store.settle_deliveries(both).await.expect("settle_deliveries"), [true, true]);
    assert!(disable(3_100).await);
    assert!(!disable(3_100).await, "it rests already");
    assert_eq!(row(&*store, "a").await.disabled, Some(rest.clone()));
    assert!(store.resume_webhook("a", 7).await.expect("resume_webhook"));
    assert!(!store.resume_webhook("a", 9).await.expect("resume_webhook"), "it does not rest");
    let resumed = row(&*store, "a").await;
    assert_eq!((resumed.failing_since, resumed.disabled, resumed.webhook.noted_through), (None, None, 7));
    assert_eq!(taken(&take(&*store, &webhook, 9_000, 9_999, 9).await), ["1", "2"], "what is pending is sent");
}

pub async fn deliveries_are_given_up_by_their_age_and_counted_up_to_a_bound(store: Arc<dyn Store>) {
    let (old, other) = (kept(&*store, "a", 0).await, kept(&*store, "b", 0).await);
    note(&*store, &old, (0, 3), &["1", "2", "3"]).await;
    let new = vec![new("4")];
    assert!(store.note_deliveries(old.id, (3, 4), new, at(8_000)).await.expect("note_deliveries"));
    note(&*store, &other, (0, 1), &["other"]).await;
    let count = async |most| store.pending_deliveries(old.id, most).await.expect("pending_deliveries");
    assert_eq!((count(9).await, count(2).await), (4, 2));
    let expire = async |before| {
        store.expire_deliveries(at(before), "nobody wants it", at(9_000), 2).await.expect("expire_deliveries")
    };
    assert_eq!(expire(2_000).await, 0);
    assert_eq!((expire(2_001).await, expire(2_001).await, expire(2_001).await), (2, 2, 0));
    let found = list(&*store, &old).await;
    assert_eq!(found.iter().map(|it| it.state).collect::<Vec<_>>(), {
        use DeliveryState::{Dead, Pending};
        [Pending, Dead, Dead, Dead]
    });
    assert_eq!((found[1].answer.error.as_deref(), found[1].ended_at), (Some("nobody wants it"), Some(at(9_000))));
    assert_eq!((count(9).await, list(&*store, &other).await[0].state), (1, DeliveryState::Dead));
}

pub async fn deliveries_of_a_webhook_that_is_gone_go_in_slices(store: Arc<dyn Store>) {
    let (webhook, stays) = (kept(&*store, "a", 0).await, kept(&*store, "b", 0).await);
    note(&*store, &webhook, (0, 1), &["1", "2", "3"]).await;
    note(&*store, &stays, (0, 1), &["other"]).await;
    assert!(store.remove_webhook("a").await.expect("remove_webhook"));
    assert!(!store.remove_webhook("a").await.expect("remove_webhook"));
    assert!(!note(&*store, &webhook, (1, 2), &["2"]).await, "it is gone");
    let again = kept(&*store, "a", 0).await;
    assert_ne!(again.id, webhook.id);
    assert_eq!(list(&*store, &again).await, []);
    let mut left = Vec::new();
    for _ in 0..3 {
        store.purge(PurgeRule { limit: 2, ..KEEP }).await.expect("purge");
        left.push(list(&*store, &webhook).await.len());
    }
    assert_eq!(left, [1, 0, 0]);
    assert_eq!(list(&*store, &stays).await.len(), 1);
}

pub async fn webhook_that_rests_keeps_no_events(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let store = &*kit.store;
    kit.save(Draft::new("job")).await;
    let webhook = kept(store, "a", 0).await;
    note(store, &webhook, (0, 0), &["1"]).await;
    let taken = take(store, &webhook, 2_000, 9_000, 9).await.remove(0);
    settle(store, sent(&webhook, &taken, DeliveryState::Dead, 0)).await;
    let disabled = Disabled { at: at(2_600), reason: "it is gone".into() };
    assert!(store.disable_webhook(webhook.id, at(2_600), disabled).await.expect("disable_webhook"));
    store.purge(PurgeRule { events_before: at(99_000), ..KEEP }).await.expect("purge");
    assert_eq!(store.events(0, 99).await.expect("events"), []);
}

pub async fn purge_waits_for_webhooks_and_forgets_old_deliveries(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let store = &*kit.store;
    kit.save(Draft::new("job")).await;
    let last = store.last_event().await.expect("last_event");
    let webhook = kept(store, "a", last - 1).await;
    let keep = KEEP;
    let purge = async |rule| store.purge(rule).await.expect("purge");
    purge(PurgeRule { events_before: at(99_000), ..keep }).await;
    let left = store.events(0, 99).await.expect("events");
    assert_eq!(left.iter().map(|event| event.seq).collect::<Vec<_>>(), [last], "the webhook has not seen it");
    note(store, &webhook, (last - 1, last), &["good", "bad"]).await;
    purge(PurgeRule { events_before: at(99_000), ..keep }).await;
    assert_eq!(store.events(0, 99).await.expect("events"), []);
    let both = take(store, &webhook, 2_000, 9_000, 9).await;
    for (it, state) in both.iter().zip([DeliveryState::Delivered, DeliveryState::Dead]) {
        assert!(settle(store, sent(&webhook, it, state, 0)).await);
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
