//! Messages as they are kept: those to be sent in one kind of document, those that are over in another.
//!
//! Names count down with the time, so that lists begin with the newest. A message keeps its name when it moves.

use std::cmp::Reverse;

use mainspring_api::{self as api, AlertDelivery, AlertDeliveryFilter, ErrorCode, Page};
use mainspring_schedule::Timestamp;
use mainspring_store::{DeliveryState, Document, DocumentChange, DocumentExpect, Error, Result};
use serde::{Deserialize, Serialize};

use super::message::Message;
use super::{PAGE, all};
use crate::app::App;
use crate::pages;
use crate::refusal::{Answer, Refusal};
use crate::show::instant;

/// Messages to be sent.
pub(super) const OUTBOX: &str = "alert_outbox";
/// Messages that were delivered or given up.
pub(super) const SENT: &str = "alert_sent";
/// For how long these are kept: 30 days.
const KEPT_MS: i64 = 30 * 86_400_000;

/// A message, and what became of it so far.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Letter {
    pub(super) channel: String,
    /// Addresses in place of those of the channel.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) to: Vec<String>,
    pub(super) message: Message,
    pub(super) state: String,
    pub(super) attempts: u32,
    pub(super) next_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
    pub(super) created_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) ended_at: Option<Timestamp>,
}

impl Letter {
    /// A message that is to be sent at once.
    pub(super) fn new(channel: String, to: Vec<String>, message: Message, at: Timestamp) -> Self {
        let state = DeliveryState::Pending.as_str().to_owned();
        Self { channel, to, message, state, attempts: 0, next_at: at, error: None, created_at: at, ended_at: None }
    }

    /// Reads one.
    pub(super) fn read(document: &Document) -> Option<Self> {
        serde_json::from_str(&document.body).ok()
    }

    /// The document that it is kept in.
    pub(super) fn document(&self, kind: &str, name: String, at: Timestamp) -> Document {
        let body = serde_json::to_string(self).expect("plain data has a text");
        let expires_at = (kind == SENT).then_some(at + KEPT_MS);
        Document { kind: kind.to_owned(), name, body, version: 0, at, expires_at }
    }
}

/// A name for a message of an instant.
pub(super) fn new_name(at: Timestamp) -> String {
    let mut bytes = [0; 6];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    let back = (i64::MAX - at.as_millis().max(0)).cast_unsigned();
    format!("{back:016x}{}", crate::access::to_hex(&bytes))
}

/// Moves a message that is over.
pub(super) fn over(document: &Document, letter: &Letter, at: Timestamp) -> Vec<DocumentChange> {
    let (kind, name) = (document.kind.clone(), document.name.clone());
    let put = letter.document(SENT, name.clone(), at);
    vec![
        DocumentChange::Remove { kind, name, version: document.version },
        DocumentChange::Put(put, DocumentExpect::Anything),
    ]
}

/// All messages that are to be sent, oldest first.
pub(super) async fn pending(app: &App) -> Result<Vec<(Document, Letter)>> {
    let found = all(app, OUTBOX).await?;
    let read = |document: Document| Letter::read(&document).map(|letter| (document, letter));
    Ok(found.into_iter().rev().filter_map(read).collect())
}

/// The newest messages that are over, those that ended last first.
pub(crate) async fn newest(app: &App) -> Result<Vec<AlertDelivery>> {
    let found = app.control().store().documents(SENT, None, app.now(), PAGE).await?;
    let mut found: Vec<_> = found.iter().filter_map(shown).collect();
    found.sort_by_key(|it| Reverse(it.ended_at));
    Ok(found)
}

/// A page of messages, newest first.
pub(crate) async fn list(app: &App, filter: &AlertDeliveryFilter) -> Answer<Page<AlertDelivery>> {
    let limit = pages::limit(filter.limit)?;
    let is = |wanted: &Option<String>, found: &Option<String>| wanted.is_none() || wanted == found;
    let wanted = |it: &AlertDelivery| {
        filter.channel.as_ref().is_none_or(|channel| *channel == it.channel)
            && is(&filter.namespace, &it.namespace)
            && is(&filter.job, &it.job)
    };
    let store = app.control().store();
    let (mut after, mut found) = (filter.cursor.clone(), Vec::new());
    loop {
        let pending = store.documents(OUTBOX, after.as_deref(), app.now(), PAGE).await?;
        let over = store.documents(SENT, after.as_deref(), app.now(), PAGE).await?;
        // Up to where both are known: what is beyond belongs to a later page.
        let end =
            [&pending, &over].into_iter().filter(|page| page.len() == PAGE as usize).filter_map(|page| page.last());
        let end = end.map(|document| document.name.clone()).min();
        let mut both: Vec<_> = pending.into_iter().chain(over).collect();
        both.retain(|document| end.as_ref().is_none_or(|end| document.name <= *end));
        both.sort_by(|a, b| a.name.cmp(&b.name));
        // It moves between the two reads.
        both.dedup_by(|a, b| a.name == b.name);
        found.extend(both.iter().filter_map(shown).filter(wanted));
        if found.len() > limit || end.is_none() {
            return Ok(pages::page(found, limit, |it: &AlertDelivery| it.id.clone()));
        }
        after = end;
    }
}

/// Finds a message that is over.
async fn find(app: &App, id: &str) -> Answer<(Document, AlertDelivery)> {
    let found = app.control().store().document(SENT, id, app.now()).await?;
    let found = found.and_then(|document| shown(&document).map(|it| (document, it)));
    found.ok_or_else(|| {
        Refusal::new(ErrorCode::AlertDeliveryNotFound, format!("there is no message {id:?} that is over"))
    })
}

/// Sends a message again that is over.
pub(crate) async fn redeliver(app: &App, id: &str) -> Answer<AlertDelivery> {
    let (document, _) = find(app, id).await?;
    let now = app.now();
    let letter = Letter::read(&document).expect("it was read");
    let again = Letter { created_at: letter.created_at, ..Letter::new(letter.channel, letter.to, letter.message, now) };
    let again = again.document(OUTBOX, document.name.clone(), now);
    let changes = vec![
        DocumentChange::Remove { kind: document.kind, name: document.name, version: document.version },
        DocumentChange::Put(again.clone(), DocumentExpect::Absent),
    ];
    match app.control().store().change_documents(changes).await {
        Err(Error::Conflict { .. }) => Err(Refusal::new(ErrorCode::ResourceConflict, "somebody else sends it again")),
        done => {
            done?;
            app.alerts.outbox.notify_one();
            Ok(shown(&again).expect("it was just written"))
        }
    }
}

/// A message as the API shows it.
pub(super) fn shown(document: &Document) -> Option<AlertDelivery> {
    let letter = Letter::read(document)?;
    let state = DeliveryState::from_word(&letter.state)?;
    let Message { kind, namespace, job, condition, run, subject, .. } = letter.message;
    Some(AlertDelivery {
        id: document.name.clone(),
        channel: letter.channel,
        kind,
        namespace,
        job,
        condition,
        run,
        subject,
        state: match state {
            DeliveryState::Pending => api::DeliveryState::Pending,
            DeliveryState::Delivered => api::DeliveryState::Delivered,
            DeliveryState::Dead => api::DeliveryState::Dead,
        },
        attempts: letter.attempts,
        error: letter.error,
        created_at: instant(letter.created_at),
        next_at: Some(instant(letter.next_at)).filter(|_| state == DeliveryState::Pending),
        ended_at: letter.ended_at.map(instant),
    })
}
