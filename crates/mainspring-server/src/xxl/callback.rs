//! Ends of runs that executors report.
//!
//! Each is answered with success once it is recorded, and so are repeats, ends of runs that are over ([`late`]), and ends of runs that
//! nobody knows: executors repeat what is refused, and some report a failure in place of the success that was refused.

use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use mainspring_core::batch::AttemptDetail;
use mainspring_core::run::AttemptOutcome;
use mainspring_engine::{RemoteEnd, Report, WorkerError};
use mainspring_schedule::Timestamp;
use mainspring_store::causes;
use mainspring_xxl::{Address, Callback, Credentials, Evidence, Sign, Stop};

use super::apps::Apps;
use super::ends::end_of;
use super::late;
use super::ledger::{self, Sent};
use super::sync::lock;
use super::told::WRONG_TOKEN;
use crate::app::App;
use crate::closing::rest;

/// Ends that are recorded at a time.
const AT_ONCE: usize = 100;
/// For how long the store is asked again on behalf of one request, however many ends it reports. Clients wait for 3 to 30 s.
pub(super) const PATIENCE: Duration = Duration::from_secs(25);
/// Pause before the store is asked again.
pub(super) const AGAIN: Duration = Duration::from_millis(250);
/// Records ends, of a request that began then.
///
/// # Errors
/// What to say where nothing of it was recorded: the token is that of no run's app, or the store is away.
pub(super) async fn settle_all(
    app: &App,
    apps: &Apps,
    credentials: &Credentials,
    (items, evidence): (Vec<Callback>, Option<Evidence>),
    begun: Instant,
) -> Result<(), String> {
    let count = items.len();
    let settled = stream::iter(items).map(|item| settle_patiently(app, apps, credentials, (item, evidence), begun));
    let settled: Vec<Settled> = settled.buffer_unordered(AT_ONCE).collect().await;
    if let Some(why) = settled.iter().find_map(|one| if let Settled::Away(why) = one { Some(why) } else { None }) {
        return Err(why.clone());
    }
    let foreign = settled.iter().filter(|one| matches!(one, Settled::Foreign)).count();
    if foreign > 0 {
        app.xxl.note_refused("it reports the end of a run of an app that its token does not open");
    }
    if foreign == count && count > 0 { Err(WRONG_TOKEN.to_owned()) } else { Ok(()) }
}

/// What came of one end.
enum Settled {
    /// It is recorded, or there is nothing to record.
    Done,
    /// It is of an app that the token does not open.
    Foreign,
    /// It could not be recorded now.
    Away(String),
}

async fn settle_patiently(
    app: &App,
    apps: &Apps,
    credentials: &Credentials,
    (item, evidence): (Callback, Option<Evidence>),
    begun: Instant,
) -> Settled {
    loop {
        match settle(app, apps, credentials, &item, evidence).await {
            Ok(settled) => return settled,
            Err(why) if begun.elapsed() > PATIENCE || !rest(&app.closing, AGAIN).await => {
                tracing::warn!(log_id = item.log_id, "the end of a run could not be recorded: {why}");
                return Settled::Away("the database is away; try again".to_owned());
            }
            Err(_) => {}
        }
    }
}

async fn settle(
    app: &App,
    apps: &Apps,
    credentials: &Credentials,
    item: &Callback,
    evidence: Option<Evidence>,
) -> Result<Settled, String> {
    let now = app.now();
    let attempt = lock(&app.xxl.attempts).get(&item.log_id).cloned();
    let sent = match attempt.as_ref().and_then(|attempt| attempt.sent()) {
        Some(sent) => Some(sent.clone()),
        None => {
            let found = ledger::find(&**app.control().store(), item.log_id, now).await;
            found.map_err(|error| causes(&error).to_string())?
        }
    };
    let figures = &app.figures.xxl;
    let Some(sent) = sent else {
        figures.ended("unknown");
        tracing::debug!(log_id = item.log_id, "an executor reports the end of a run that nobody knows");
        return Ok(Settled::Done);
    };
    if apps.get(&sent.app).is_none_or(|one| !one.tokens(now).accept(credentials)) {
        figures.ended("foreign");
        return Ok(Settled::Foreign);
    }
    let goes_to = attempt.as_ref().and_then(|attempt| attempt.sends_to());
    let written = || Some((sent.app.clone(), Address::parse(&sent.address).ok()?));
    if let Some(key) = goes_to.or_else(written) {
        app.xxl.executors().heard(&key, Sign::Callback(evidence), app.xxl.moment(now));
    }
    let after = match &attempt {
        Some(attempt) => attempt.stop(),
        None => asked_elsewhere(app, &sent).await?,
    };
    match report(app, &sent, end_of(item, after), now).await {
        Ok(true) => {
            figures.ended("recorded");
            attempt.iter().for_each(|attempt| attempt.end());
        }
        Ok(false) | Err(WorkerError::NotFound(_)) => {
            attempt.iter().for_each(|attempt| attempt.end());
            let corrects = late::settle(app, &sent, (item, after), now).await;
            let corrects = corrects.map_err(|error| causes(&error).to_string())?;
            figures.ended(if corrects { "corrected" } else { "repeated" });
        }
        Err(error) => return Err(causes(&error).to_string()),
    }
    Ok(Settled::Done)
}

/// Why the end of an attempt was asked for, if it was, that another node follows or nobody any more.
async fn asked_elsewhere(app: &App, sent: &Sent) -> Result<Option<Stop>, String> {
    if sent.timed_out {
        return Ok(Some(Stop::Timeout));
    }
    let run = app.control().store().run(sent.run).await.map_err(|error| causes(&error).to_string())?;
    let is_cancelled = run.is_some_and(|run| run.attempt == sent.attempt && run.cancel_requested_at.is_some());
    Ok(is_cancelled.then_some(Stop::Kill))
}

/// Records the end of an attempt. False: it is over already.
pub(super) async fn report(
    app: &App,
    sent: &Sent,
    (outcome, detail): (AttemptOutcome, AttemptDetail),
    now: Timestamp,
) -> Result<bool, WorkerError> {
    let end = RemoteEnd {
        run: sent.run,
        attempt: sent.attempt,
        outcome,
        started_at: Some(Timestamp::from_millis(sent.date)),
        ended_at: now,
        detail: (detail != AttemptDetail::default()).then(|| Box::new(detail)),
    };
    let report = Report { offset_ms: 0, logs: Vec::new(), ends: vec![end] };
    Ok(app.engine.workers().report(sent.worker, report).await?.is_empty())
}
