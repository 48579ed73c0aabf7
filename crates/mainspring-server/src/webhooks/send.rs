//! Sending one message, and what becomes of it then.

use std::sync::Arc;

use mainspring_schedule::Timestamp;
use mainspring_store::{DeliveryAnswer, DeliveryState, Sent, Taken, Webhook};
use mainspring_tasks::HttpCall;

use super::sign::{seconds, signatures};
use crate::app::App;

/// How long a receiver may take to answer.
const ANSWER_MS: u64 = 15_000;
/// Milliseconds from each attempt to the next one: 12 attempts within a day.
const RETRY_AFTER_MS: [i64; 11] =
    [1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 28_800_000, 28_800_000];
/// The longest error that is kept, in bytes.
const ERROR_MAX: usize = 1_024;

/// Sends a message. What came of it; nothing, if the node makes no calls any more.
pub(super) async fn send(app: App, webhook: Arc<Webhook>, id: i64, due: Taken) -> Option<Sent> {
    let ended = app.engine.call(call(&webhook, &due, app.now())).await?;
    let (now, delivery) = (app.now(), due.delivery);
    // Where it was sent is known, and the path often is a secret.
    let error = ended.error.map(|error| format!("{}: {}", error.code, without_path(&error.message, &webhook.url)));
    let answer = answer(ended.http_status, error);
    let (state, next_at) = after(delivery.attempts, &answer, now);
    if state == DeliveryState::Dead {
        let message = &delivery.message;
        tracing::warn!(webhook = webhook.name, message, error = answer.error, "a message was given up");
    }
    Some(Sent { webhook: id, id: delivery.id, attempt: delivery.attempts, state, next_at, answer, at: now })
}

/// A text in which an address stands with no more than scheme and host.
pub(crate) fn without_path(text: &str, address: &str) -> String {
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let host = address.find("://").and_then(|at| address[at + 3..].find('/').map(|end| at + 3 + end));
    host.filter(|end| end + 1 < address.len())
        .map_or_else(|| text.to_owned(), |end| text.replace(address, &format!("{}/…", &address[..end])))
}

fn call(webhook: &Webhook, due: &Taken, now: Timestamp) -> HttpCall {
    let (message, body) = (&due.delivery.message, &due.body);
    let headers = [
        ("content-type", "application/json".to_owned()),
        ("webhook-id", message.clone()),
        ("webhook-timestamp", seconds(now).to_string()),
        ("webhook-signature", signatures(webhook, message, body, now)),
    ];
    HttpCall {
        method: "POST".to_owned(),
        headers: headers.map(|(name, value)| (name.to_owned(), value)).into(),
        body: Some(body.clone().into_bytes()),
        timeout_ms: ANSWER_MS,
        redirects_max: 0,
        ..HttpCall::get(webhook.url.clone())
    }
}

/// A status of 2xx is what counts, even if the body that follows is slow or breaks off.
fn answer(status: Option<u16>, error: Option<String>) -> DeliveryAnswer {
    let received = status.is_some_and(is_success);
    let cut = |mut text: String| {
        text.truncate(text.floor_char_boundary(ERROR_MAX));
        text.replace('\0', "\u{fffd}")
    };
    DeliveryAnswer { status, error: error.filter(|_| !received).map(cut) }
}

fn is_success(status: u16) -> bool {
    (200..300).contains(&status)
}

/// Where a message stands after its attempt 1, 2, …, and when it is sent again.
fn after(attempt: u32, answer: &DeliveryAnswer, now: Timestamp) -> (DeliveryState, Timestamp) {
    if answer.status.is_some_and(is_success) {
        return (DeliveryState::Delivered, now);
    }
    match RETRY_AFTER_MS.get(attempt.saturating_sub(1) as usize) {
        Some(after_ms) => (DeliveryState::Pending, now + *after_ms),
        None => (DeliveryState::Dead, now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_status_of_2xx_is_a_success() {
        let now = Timestamp::from_millis(1_000);
        for (status, error, state) in [
            (Some(200), None, DeliveryState::Delivered),
            (Some(299), Some("the body never ends"), DeliveryState::Delivered),
            (Some(301), Some("moved"), DeliveryState::Pending),
            (Some(410), Some("gone"), DeliveryState::Pending),
            (Some(500), Some("broken"), DeliveryState::Pending),
            (None, Some("nobody is there"), DeliveryState::Pending),
        ] {
            let answer = answer(status, error.map(str::to_owned));
            assert_eq!(after(1, &answer, now).0, state, "{status:?}");
            assert_eq!(answer.error.is_none(), state == DeliveryState::Delivered, "{answer:?}");
        }
    }

    #[test]
    fn messages_are_sent_again_later_and_later_and_then_given_up() {
        let now = Timestamp::from_millis(0);
        let broken = DeliveryAnswer { status: Some(500), error: None };
        let mut total_ms = 0;
        for attempt in 1..=11 {
            let (state, next_at) = after(attempt, &broken, now);
            assert_eq!(state, DeliveryState::Pending, "{attempt}");
            total_ms += next_at.since(now);
        }
        assert_eq!(after(12, &broken, now), (DeliveryState::Dead, now));
        assert_eq!(total_ms, 85_356_000, "the last one a day later");
    }

    #[test]
    fn errors_show_no_more_of_an_address_than_its_host() {
        for (address, text, shown) in [
            (
                "https://h.example/a/SECRET?t=1",
                "x: https://h.example/a/SECRET answered 404",
                "x: https://h.example/… answered 404",
            ),
            ("https://h.example/", "https://h.example/ answered 404", "https://h.example/ answered 404"),
            ("https://h.example", "nobody is there", "nobody is there"),
        ] {
            assert_eq!(without_path(text, address), shown);
        }
    }

    #[test]
    fn long_errors_are_cut() {
        let answer = answer(None, Some("ü\0".repeat(2_000)));
        let error = answer.error.expect("there is one");
        assert!(error.len() <= 3 * ERROR_MAX && !error.contains('\0'), "{}", error.len());
    }
}
