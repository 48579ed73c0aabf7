//! Sends messages until they are received or given up.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use mainspring_api::{AlertChannelSpec, AlertDelivery, ErrorCode};
use mainspring_schedule::Timestamp;
use mainspring_store::{DeliveryState, Document, DocumentChange, DocumentExpect, Error, Result, causes};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::book::CHANNEL;
use super::chat::Hook;
use super::outbox::{self, Letter, SENT};
use super::{Failure, chat, mail, message, secret};
use crate::app::App;
use crate::closing::closed;
use crate::refusal::Answer;

/// A look follows another after this time, at the latest and at the earliest.
const LOOK_AGAIN: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(100);
/// Messages under way, to all channels and to one.
const AT_ONCE: usize = 32;
const AT_ONCE_TO_ONE: usize = 4;
/// From taking a message to the next time that it is due: longer than sending it can take.
const LEASE_MS: i64 = 90_000;
/// Milliseconds from each attempt to the next one: 10 attempts within a day.
const RETRY_AFTER_MS: [i64; 9] =
    [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 28_800_000];
/// How long messages under way have when the server closes.
const CLOSE_MAX: Duration = Duration::from_secs(5);
/// The longest error that is kept, in bytes.
const ERROR_MAX: usize = 1_024;

/// Delivers until the server closes.
pub(super) async fn serve(app: App) {
    let mut closing = app.closing.clone();
    let mut sending: JoinSet<String> = JoinSet::new();
    let mut under_way: BTreeMap<String, usize> = BTreeMap::new();
    while !*closing.borrow() {
        let wait = match look(&app, &mut sending, &mut under_way).await {
            Ok(next_at) => {
                let next = next_at.map(|at| Duration::from_millis(at.since(app.now()).max(0).unsigned_abs()));
                next.map_or(LOOK_AGAIN, |next| next.clamp(PAUSE, LOOK_AGAIN))
            }
            Err(Error::Closed) => break,
            Err(error) => {
                tracing::warn!(error = %causes(&error), "messages of alerts could not be sent; trying again");
                LOOK_AGAIN
            }
        };
        let heard = async {
            tokio::select! {
                Some(over) = sending.join_next() => over.ok(),
                () = app.alerts.outbox.notified() => None,
                () = closed(&mut closing) => None,
            }
        };
        let over = timeout(wait, heard).await.ok().flatten();
        let more = std::iter::from_fn(|| sending.try_join_next()).filter_map(std::result::Result::ok);
        for channel in over.into_iter().chain(more) {
            under_way.entry(channel).and_modify(|count| *count = count.saturating_sub(1));
        }
        under_way.retain(|_, count| *count > 0);
    }
    let ended = async { while sending.join_next().await.is_some() {} };
    // What does not end is due again when its time is over.
    let _ = timeout(CLOSE_MAX, ended).await;
    sending.shutdown().await;
}

/// Takes what is due, and sends it beside. When the next message is due.
async fn look(
    app: &App,
    sending: &mut JoinSet<String>,
    under_way: &mut BTreeMap<String, usize>,
) -> Result<Option<Timestamp>> {
    let (now, mut next_at) = (app.now(), None::<Timestamp>);
    for (document, letter) in outbox::pending(app).await? {
        if letter.next_at > now {
            next_at = Some(next_at.map_or(letter.next_at, |next| next.min(letter.next_at)));
            continue;
        }
        let count = under_way.entry(letter.channel.clone()).or_default();
        if sending.len() >= AT_ONCE || *count >= AT_ONCE_TO_ONE {
            continue;
        }
        let taken = Letter { attempts: letter.attempts + 1, next_at: now + LEASE_MS, ..letter };
        let kept = taken.document(&document.kind, document.name.clone(), now);
        let expect = DocumentExpect::Version(document.version);
        // Nothing: another node has it.
        let Some(kept) = app.control().store().put_document(kept, expect).await? else { continue };
        *count += 1;
        let app = App::clone(app);
        sending.spawn(async move {
            let channel = taken.channel.clone();
            let done = AssertUnwindSafe(deliver(&app, kept, taken)).catch_unwind().await;
            if let Ok(Err(error)) = done {
                tracing::warn!(error = %causes(&error), "what came of a message of alerts could not be kept; it is sent again");
            }
            channel
        });
    }
    Ok(next_at)
}

async fn deliver(app: &App, document: Document, letter: Letter) -> Result<()> {
    let result = send(app, &document.name, &letter).await;
    let now = app.now();
    let settled = settled(letter, result, now);
    let state = DeliveryState::from_word(&settled.state).unwrap_or(DeliveryState::Dead);
    app.figures.alert_sent(state);
    if let Some(error) = &settled.error {
        let (channel, subject) = (&settled.channel, &settled.message.subject);
        tracing::warn!(
            channel,
            subject,
            error,
            attempt = settled.attempts,
            "a message of an alert did not get through"
        );
    }
    let changes = match state {
        DeliveryState::Pending => {
            let again = settled.document(&document.kind, document.name.clone(), now);
            vec![DocumentChange::Put(again, DocumentExpect::Version(document.version))]
        }
        _ => outbox::over(&document, &settled, now),
    };
    match app.control().store().change_documents(changes).await {
        // It took so long that another node has sent it again.
        Err(Error::Conflict { .. }) => Ok(()),
        done => done,
    }
}

/// Where a message stands after an attempt.
fn settled(letter: Letter, result: std::result::Result<(), Failure>, now: Timestamp) -> Letter {
    let error = result.err().map(|failure| {
        let mut text = failure.to_string().replace('\0', "\u{fffd}");
        text.truncate(text.floor_char_boundary(ERROR_MAX));
        text
    });
    let again = RETRY_AFTER_MS.get(letter.attempts.saturating_sub(1) as usize).filter(|_| error.is_some());
    let state = match (&error, again) {
        (None, _) => DeliveryState::Delivered,
        (Some(_), Some(_)) => DeliveryState::Pending,
        (Some(_), None) => DeliveryState::Dead,
    };
    let ended_at = (state != DeliveryState::Pending).then_some(now);
    Letter { state: state.as_str().to_owned(), next_at: now + again.copied().unwrap_or(0), error, ended_at, ..letter }
}

/// Sends a message by its channel as it is now.
async fn send(app: &App, id: &str, letter: &Letter) -> std::result::Result<(), Failure> {
    let store = app.control().store();
    let unknown = |why: String| Failure::new(ErrorCode::AlertChannelUnknown, why);
    let found = store.document(CHANNEL, &letter.channel, app.now()).await;
    let found = found.map_err(|error| unknown(format!("the channel could not be read: {}", causes(&error))))?;
    let spec = found.and_then(|document| serde_json::from_str::<AlertChannelSpec>(&document.body).ok());
    let spec = spec.ok_or_else(|| unknown(format!("there is no channel called {:?} any more", letter.channel)))?;
    let find = |it| secret::find(it, app.alerts.secrets.as_deref());
    if let Some(email) = &spec.email {
        let password = email.password.as_ref().map(find).transpose()?;
        return mail::send(app, email, password, &letter.to, id, &letter.message).await;
    }
    let Some((kind, hook)) = spec.hooks().next() else { return Err(unknown("the channel is of no kind".into())) };
    let hook = Hook { kind, url: find(&hook.url)?, secret: hook.secret.as_ref().map(find).transpose()? };
    let exchanged = app.engine.exchange(chat::call(&hook, id, &letter.message, app.now())).await;
    let (ended, body) = exchanged.ok_or_else(|| Failure::new(ErrorCode::AlertDisabled, "this node makes no calls"))?;
    match ended.error {
        None => chat::answered(kind, &body),
        Some(error) => {
            let code = match error.code {
                "http.denied_address" | "http.dns" | "http.bad_url" => ErrorCode::AlertAddress,
                _ => ErrorCode::AlertRefused,
            };
            // The address often is a secret.
            let shown: String = body.chars().take(200).collect();
            let words = webhook_words(&error.message, &hook.url);
            Err(Failure::new(code, if shown.is_empty() { words } else { format!("{words}: {shown}") }))
        }
    }
}

fn webhook_words(text: &str, url: &str) -> String {
    crate::webhooks::without_path(text, url)
}

/// Sends a channel a message now, without trying again, and keeps what came of it.
pub(crate) async fn send_test(app: &App, channel: &str) -> Answer<AlertDelivery> {
    let now = app.now();
    let new = Letter::new(channel.to_owned(), Vec::new(), message::test(app, channel), now);
    let name = outbox::new_name(now);
    let result = send(app, &name, &new).await;
    let last = u32::try_from(RETRY_AFTER_MS.len() + 1).unwrap_or(u32::MAX);
    let settled = settled(Letter { attempts: last, ..new }, result, app.now());
    let settled = Letter { attempts: 1, ..settled };
    let state = DeliveryState::from_word(&settled.state).unwrap_or(DeliveryState::Dead);
    app.figures.alert_sent(state);
    let document = settled.document(SENT, name, now);
    app.control().store().put_document(document.clone(), DocumentExpect::Anything).await?;
    Ok(outbox::shown(&document).expect("it was just written"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alerts::message::Message;

    #[test]
    fn messages_are_sent_again_later_and_later_and_then_given_up() {
        let now = Timestamp::from_millis(0);
        let broken = || Err(Failure::new(ErrorCode::AlertSmtp, "it is down"));
        let letter = |attempts| Letter { attempts, ..Letter::new("ops".into(), Vec::new(), Message::default(), now) };
        let mut last_ms = 0;
        for attempt in 1..=9 {
            let again = settled(letter(attempt), broken(), now);
            assert_eq!((again.state.as_str(), again.ended_at), ("pending", None));
            assert!(again.next_at.since(now) > last_ms);
            last_ms = again.next_at.since(now);
        }
        let dead = settled(letter(10), broken(), now);
        assert_eq!((dead.state.as_str(), dead.error.as_deref()), ("dead", Some("alert.smtp: it is down")));
        let received = settled(letter(10), Ok(()), now);
        assert_eq!((received.state.as_str(), received.error), ("delivered", None));
    }
}
