//! Alerts: what goes wrong with jobs is told to people, once, and again when it is over.
//!
//! One task reads the events after a place, and decides with [`mainspring_core::alert`] what to tell (`evaluate.rs`). The place, what
//! is known of each job and the messages are written in one transaction, on condition that nobody has moved the place: so each
//! event counts once, whichever node reads it, and a node that dies loses nothing. Another task sends the messages and tries again
//! (`deliver.rs`); a message is taken by compare-and-set for a minute at a time, and is sent at least once.
//!
//! Everything is kept in documents. Nothing is read or written before the first rule is there ([`begin`]).

mod book;
mod chat;
mod deliver;
mod evaluate;
mod mail;
mod message;
mod outbox;
mod secret;
mod shared;
mod states;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use mainspring_api::{AlertChannelSpec, AlertSecret, AlertSpec, ErrorCode, Problem};
use mainspring_core::job::Job;
use mainspring_store::{Document, DocumentExpect, EVENTS_PLACE};

use crate::app::App;
use crate::refusal::{Answer, Refusal};

pub(crate) use book::{Book, CHANNEL, KeptRule, RULE, SILENCE, Silence};
pub(crate) use deliver::send_test;
pub(crate) use outbox::{list, newest, redeliver};
pub(crate) use shared::Alerts;
pub(crate) use states::{open_alerts, open_of};

/// The name of the place of alerts among the events.
const PLACE: &str = "alerts";
/// Documents that are read at once.
const PAGE: u32 = 500;

/// Evaluates and delivers until the server closes.
pub(crate) async fn serve(app: App) {
    tokio::join!(evaluate::serve(App::clone(&app)), deliver::serve(app));
}

/// Why a message did not get through.
#[derive(Debug)]
pub(crate) struct Failure {
    code: ErrorCode,
    why: String,
}

impl Failure {
    fn new(code: ErrorCode, why: impl Into<String>) -> Self {
        Self { code, why: why.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.why)
    }
}

/// Finds a secret of a channel on this server.
///
/// # Errors
/// Why it is not found.
pub(crate) fn find_secret(app: &App, it: &AlertSecret) -> Result<String, String> {
    secret::find(it, app.alerts.secrets.as_deref()).map_err(|failure| failure.why)
}

/// Begins to read events, if nobody does. Called before anything is saved that wants to be told.
pub(crate) async fn begin(app: &App) -> Answer<()> {
    let (store, now) = (app.control().store(), app.now());
    if store.document(EVENTS_PLACE, PLACE, now).await?.is_none() {
        let body = store.last_event().await?.to_string();
        let (kind, name) = (EVENTS_PLACE.to_owned(), PLACE.to_owned());
        let document = Document { kind, name, body, version: 0, at: now, expires_at: None };
        store.put_document(document, DocumentExpect::Absent).await?;
    }
    app.alerts.changed.notify_one();
    Ok(())
}

/// Checks the channels that jobs name, and begins to read events if one of the jobs wants to be told of.
///
/// # Errors
/// `alert.channel_unknown`, under what `pointer` makes of the index of a job.
pub(crate) async fn check_jobs(app: &App, jobs: &[Arc<Job>], pointer: fn(usize) -> String) -> Answer<()> {
    if jobs.iter().all(|job| job.alerts.is_empty()) {
        return Ok(());
    }
    let known = channels(app).await?;
    let mut problems = Vec::new();
    for (index, job) in jobs.iter().enumerate() {
        let named = job.alerts.iter().map(|rule| rule.channels.as_slice());
        problems.extend(unknown(&known, named).into_iter().map(|problem| {
            let place = format!("{}{}", pointer(index), problem.pointer);
            problem.at(place)
        }));
    }
    if problems.is_empty() { begin(app).await } else { Err(Refusal::invalid(problems)) }
}

/// Checks the channels of a rule.
///
/// # Errors
/// `alert.channel_unknown`.
pub(crate) async fn check_channels(app: &App, alerts: &[AlertSpec]) -> Answer<()> {
    let known = channels(app).await?;
    let problems = unknown(&known, alerts.iter().map(|alert| alert.channels.as_slice()));
    if problems.is_empty() { Ok(()) } else { Err(Refusal::invalid(problems)) }
}

fn unknown<'a>(known: &BTreeSet<String>, named: impl Iterator<Item = &'a [String]>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (at, channels) in named.enumerate() {
        for (index, channel) in channels.iter().enumerate().filter(|(_, channel)| !known.contains(*channel)) {
            let message = format!("there is no channel of alerts called \"{channel}\"");
            let problem = Problem::new(ErrorCode::AlertChannelUnknown, message);
            let hint = mainspring_api::did_you_mean(channel, known.iter().map(String::as_str));
            let hint = hint.unwrap_or_else(|| "save it first: mainspring alert channel apply -f FILE".to_owned());
            problems.push(problem.at(format!("/alerts/{at}/channels/{index}")).hint(hint));
        }
    }
    problems
}

/// The channel that tells addresses of e-mail where nobody names one: the only one for e-mail, or of several the one called `mail`.
pub(crate) async fn mail_channel(app: &App) -> mainspring_store::Result<Option<String>> {
    let is_mail = |document: &Document| {
        let spec = serde_json::from_str::<AlertChannelSpec>(&document.body);
        spec.is_ok_and(|spec| spec.email.is_some())
    };
    let all = all(app, CHANNEL).await?.into_iter().filter(is_mail).map(|document| document.name);
    let all: Vec<String> = all.collect();
    Ok(match all.as_slice() {
        [only] => Some(only.clone()),
        several => several.iter().find(|name| *name == "mail").cloned(),
    })
}

async fn channels(app: &App) -> Answer<BTreeSet<String>> {
    Ok(all(app, CHANNEL).await?.into_iter().map(|document| document.name).collect())
}

/// All documents of a kind.
async fn all(app: &App, kind: &str) -> mainspring_store::Result<Vec<Document>> {
    let store = app.control().store();
    let mut found: Vec<Document> = Vec::new();
    loop {
        let after = found.last().map(|document| document.name.clone());
        let page = store.documents(kind, after.as_deref(), app.now(), PAGE).await?;
        let is_last = page.len() < PAGE as usize;
        found.extend(page);
        if is_last {
            return Ok(found);
        }
    }
}
