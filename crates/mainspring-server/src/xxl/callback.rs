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
use mainspring_store::{LogChunk, causes};
use mainspring_tasks::LogLine;
use mainspring_xxl::{Address, Callback, Code, Credentials, Dispatch, Event, Evidence, Sign, Stop, Verdict};

use super::apps::Apps;
use super::late;
use super::ledger::{self, Sent};
use super::protocol::WRONG_TOKEN;
use super::{lock, rest};
use crate::app::App;

/// Ends that are recorded at a time.
const AT_ONCE: usize = 100;
/// For how long the store is asked again on behalf of one request, however many ends it reports. Clients wait for 3 to 30 s.
pub(super) const PATIENCE: Duration = Duration::from_secs(25);
/// Pause before the store is asked again.
pub(super) const AGAIN: Duration = Duration::from_millis(250);
/// Longest message that is kept as an error, in bytes.
const ERROR_MAX: usize = 4 * 1024;
/// Longest message that is kept as an output, in bytes.
const OUTPUT_MAX: usize = 1 << 20;

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
            Err(why) if begun.elapsed() > PATIENCE || !rest(app, AGAIN).await => {
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
    let after = attempt.as_ref().and_then(|attempt| attempt.stop());
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

/// How an attempt has ended, in our words.
pub(super) fn end_of(item: &Callback, after: Option<Stop>) -> (AttemptOutcome, AttemptDetail) {
    let told = Dispatch::Sent.on(Event::CalledBack { code: item.code, after });
    let Dispatch::Ended(outcome) = told else { unreachable!("a callback ends an attempt") };
    let message = item.message.as_deref().map(|text| text.replace('\0', "\u{fffd}")).filter(|text| !text.is_empty());
    let code = match item.code {
        Code::Success => 200,
        Code::TimedOut => 502,
        Code::Failure(code) => i32::try_from(code).unwrap_or(i32::MAX),
        Code::Missing => 500,
    };
    let detail = AttemptDetail { exit_code: Some(code), ..AttemptDetail::default() };
    if outcome.verdict == Verdict::Succeeded {
        let output = message.map(|text| serde_json::Value::from(cut(text, OUTPUT_MAX)).to_string());
        return (AttemptOutcome::Succeeded, AttemptDetail { output, ..detail });
    }
    let (outcome, error_code) = match outcome.verdict {
        Verdict::TimedOut => (AttemptOutcome::TimedOut, "xxl.timed_out"),
        Verdict::Cancelled => (AttemptOutcome::Cancelled, "xxl.killed"),
        _ => (AttemptOutcome::Failed, "xxl.failed"),
    };
    let error = message.map_or_else(|| format!("the executor reports code {code}"), |text| cut(text, ERROR_MAX));
    (outcome, AttemptDetail { error_code: Some(error_code.to_owned()), error: Some(error), ..detail })
}

/// Cuts a text between characters.
pub(super) fn cut(mut text: String, max: usize) -> String {
    if text.len() > max {
        text.truncate(text.floor_char_boundary(max));
    }
    text
}

/// Lines of the log of an attempt as the store keeps them.
pub(super) fn chunk(sent: &Sent, first_line: u64, lines: Vec<LogLine>) -> LogChunk {
    let line_count = u32::try_from(lines.len()).expect("an answer has fewer lines");
    let data = mainspring_tasks::LogChunk { first_line, lines }.encode();
    LogChunk { run: sent.run, attempt: sent.attempt, first_line, line_count, data }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_what_was_asked_before_say_how_an_attempt_has_ended() {
        use AttemptOutcome::{Cancelled, Failed, Succeeded, TimedOut};
        let cases = [
            (Code::Success, None, Succeeded, 200, None),
            (Code::Success, Some(Stop::Kill), Cancelled, 200, Some("xxl.killed")),
            (Code::Success, Some(Stop::Timeout), TimedOut, 200, Some("xxl.timed_out")),
            (Code::TimedOut, None, TimedOut, 502, Some("xxl.timed_out")),
            (Code::Failure(70_000), None, Failed, 70_000, Some("xxl.failed")),
            (Code::Failure(i64::MAX), None, Failed, i32::MAX, Some("xxl.failed")),
            (Code::Missing, None, Failed, 500, Some("xxl.failed")),
        ];
        for (code, after, outcome, exit_code, error_code) in cases {
            let item = Callback { log_id: 1, code, message: Some("it \"is\"\0".to_owned()) };
            let (told, detail) = end_of(&item, after);
            assert_eq!((told, detail.exit_code, detail.error_code.as_deref()), (outcome, Some(exit_code), error_code));
            let said = if outcome == Succeeded { detail.output } else { detail.error };
            let expected = if outcome == Succeeded { "\"it \\\"is\\\"\u{fffd}\"" } else { "it \"is\"\u{fffd}" };
            assert_eq!(said.as_deref(), Some(expected), "{code:?}");
        }
        let silent = Callback { log_id: 1, code: Code::Failure(500), message: None };
        assert_eq!(end_of(&silent, None).1.error.as_deref(), Some("the executor reports code 500"));
    }
}
