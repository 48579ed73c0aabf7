//! Ends of attempts that were taken for lost: executors report them when nobody waits for them any more.
//!
//! A success corrects the verdict, unless the work was done again since. Whatever it is, the log of the attempt says it once.

use mainspring_core::batch::AttemptDetail;
use mainspring_core::run::AttemptOutcome;
use mainspring_engine::part_output;
use mainspring_schedule::Timestamp;
use mainspring_store::{Corrected, Correction, Error, Store};
use mainspring_tasks::{LogLine, Stream};
use mainspring_xxl::{Callback, Dispatch, Event, Outcome, Stop, Verdict};

use super::ends::{chunk, end_of};
use super::ledger::{self, Sent};
use crate::app::App;

/// What a corrected run says of itself.
const REASON: &str = "its executor has reported success after it was taken for lost";

/// Corrects a run, or notes why not. True: it is corrected. An end of an attempt that was not taken for lost is a repeat, and changes
/// nothing; so does a second word of the same executor.
///
/// # Errors
/// The store could not say. The call may be repeated.
pub(super) async fn settle(
    app: &App,
    sent: &Sent,
    (item, after): (&Callback, Option<Stop>),
    now: Timestamp,
) -> Result<bool, Error> {
    let store = &**app.control().store();
    let attempts = store.attempts(sent.run).await?;
    let here = attempts.iter().find(|one| one.attempt == sent.attempt);
    let is_open = here.is_some_and(|one| matches!(one.outcome, None | Some(AttemptOutcome::Lost)));
    if !is_open || ledger::is_late_noted(store, sent.log_id, now).await? {
        return Ok(false);
    }
    let (outcome, mut detail) = end_of(item, after);
    let said = detail.error.as_ref().or(detail.output.as_ref()).map_or_else(String::new, |text| format!(": {text}"));
    let corrected = if corrects(item, after) {
        part_output(store, sent.run, sent.attempt, &mut detail).await?;
        let (run, attempt, reason) = (sent.run, sent.attempt, REASON.to_owned());
        let AttemptDetail { output, exit_code, .. } = detail;
        Some(store.correct_run(Correction { run, attempt, reason, output, exit_code, at: now }).await?)
    } else {
        None
    };
    let follows = follows(corrected);
    if ledger::note_late(store, sent.log_id, now).await? {
        tracing::warn!(run.id = %sent.run, log_id = item.log_id, outcome = outcome.as_str(), "an executor reports the end of a run that was taken for lost{follows}");
        let outcome = outcome.as_str();
        let text = format!("the executor has reported {outcome} after the attempt was taken for lost{follows}{said}");
        note(store, sent, text, now).await?;
    }
    Ok(corrected == Some(Corrected::Done))
}

/// Whether a word of an executor changes the verdict `lost`.
fn corrects(item: &Callback, after: Option<Stop>) -> bool {
    let lost = Dispatch::Sent.on(Event::GivenUp);
    let told = lost.on(Event::CalledBack { code: item.code, after });
    matches!(told, Dispatch::Ended(Outcome { verdict: Verdict::Succeeded, .. }))
}

/// What became of a correction, for people.
const fn follows(corrected: Option<Corrected>) -> &'static str {
    match corrected {
        Some(Corrected::Done) => ", and the run is corrected",
        Some(Corrected::Repeated) => ", and the run is not corrected, because the work was started again",
        Some(Corrected::Part) => ", and the run is not corrected, because the run that it is a part of has gone on",
        Some(Corrected::NotLost) | None => "",
    }
}

/// Writes a line into the log of the attempt.
async fn note(store: &dyn Store, sent: &Sent, text: String, now: Timestamp) -> Result<(), Error> {
    let line = LogLine { at_ms: now.as_millis(), stream: Stream::System, text, partial: false };
    let written = async {
        let first_line = store.log_end(sent.run, sent.attempt).await?;
        store.append_log(vec![chunk(sent, first_line, vec![line])]).await
    };
    let written = written.await;
    if written.is_err() {
        // The next word is noted in its place.
        ledger::forget_late(store, sent.log_id).await?;
    }
    written
}
