//! Runs that another scheduler has executed, as they are brought and as the store keeps them.

use mainspring_api::{ErrorCode, PastAttempt, PastRun, PastRuns, Problem};
use mainspring_core::line::Line;
use mainspring_core::output::INLINE_MAX;
use mainspring_core::run::AttemptOutcome;
use mainspring_core::{RunId, RunSource, Timestamp};
use mainspring_store as store;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Attempts that a run has at most.
const ATTEMPTS_MAX: usize = 100;
/// Longest message of an error, in bytes.
const ERROR_MAX: usize = 4 * 1024;
/// What clocks may differ by: a run that ended a little later than now is over.
const AHEAD_MS: i64 = 60_000;

/// Says what is wrong with runs that are brought.
pub(crate) fn problems(asked: &PastRuns, now: Timestamp) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut wrong = |at: String, message: String| {
        problems.push(Problem::new(ErrorCode::FieldValue, message).at(at));
    };
    text(&mut wrong, "/source", &asked.source, 1, 64);
    if asked.runs.len() > PastRuns::MAX {
        let message = format!("{} runs, and {} are allowed at a time", asked.runs.len(), PastRuns::MAX);
        return vec![Problem::new(ErrorCode::FieldTooMany, message).at("/runs")];
    }
    for (index, run) in asked.runs.iter().enumerate() {
        check(&mut |member, message| wrong(format!("/runs/{index}/{member}"), message), run, now);
    }
    problems
}

fn text(wrong: &mut impl FnMut(String, String), at: &str, text: &str, least: usize, most: usize) {
    let length = text.chars().count();
    if length < least || length > most || text.contains('\0') {
        wrong(at.to_owned(), format!("{least} to {most} characters are allowed, none of them NUL"));
    }
}

fn check(wrong: &mut impl FnMut(String, String), run: &PastRun, now: Timestamp) {
    text(wrong, "key", &run.key, 1, 128);
    for (member, value, most) in [("worker", &run.worker, 120), ("note", &run.note, 256)] {
        value.iter().for_each(|value| text(wrong, member, value, 1, most));
    }
    for (member, value) in [("input", &run.input), ("output", &run.output)] {
        if value.as_ref().is_some_and(|value| value.to_string().len() > INLINE_MAX) {
            wrong(member.to_owned(), format!("at most {} KiB are allowed", INLINE_MAX / 1024));
        }
    }
    if run.due_at.as_millis() < 0 {
        wrong("due_at".to_owned(), "an instant from 1970 on is expected".to_owned());
    }
    if !(1..=ATTEMPTS_MAX).contains(&run.attempts.len()) {
        wrong("attempts".to_owned(), format!("1 to {ATTEMPTS_MAX} attempts are expected"));
    }
    let mut before = i64::MIN;
    for (number, attempt) in run.attempts.iter().enumerate() {
        let at = |member: &str| format!("attempts/{number}/{member}");
        let (started, ended) = (attempt.started_at.as_millis(), attempt.ended_at.as_millis());
        if attempt.outcome.outcome().is_none() {
            wrong(at("outcome"), "succeeded, failed, timed_out, lost or cancelled is expected".to_owned());
        }
        if started < before {
            wrong(at("started_at"), "it began before the attempt before it had ended".to_owned());
        }
        if ended < started {
            wrong(at("ended_at"), "it ended before it began".to_owned());
        }
        if ended > now.as_millis() + AHEAD_MS {
            wrong(at("ended_at"), "it is in the future: only runs that are over can be brought".to_owned());
        }
        attempt.error_code.iter().for_each(|code| text(wrong, &at("error_code"), code, 1, 64));
        let is_long = |error: &String| error.len() > ERROR_MAX || error.contains('\0');
        if attempt.error.as_ref().is_some_and(is_long) {
            wrong(at("error"), format!("at most {} KiB without NUL are allowed", ERROR_MAX / 1024));
        }
        before = ended;
    }
}

/// The runs as the store keeps them. They must be without [problems]. Of two with the same identity, the first one counts.
pub(crate) fn runs(asked: &PastRuns, job: &store::JobRow, now: Timestamp) -> store::PastRuns {
    let mut runs: Vec<store::PastRun> = asked.runs.iter().filter_map(|run| one(&asked.source, run, job)).collect();
    runs.sort_by_key(|run| run.id);
    runs.dedup_by_key(|run| run.id);
    store::PastRuns { job: job.id, job_version: job.version, runs, at: now }
}

fn one(source: &str, run: &PastRun, job: &store::JobRow) -> Option<store::PastRun> {
    let digest = Sha256::digest(run.key.as_bytes());
    let number = digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    let due_at = Timestamp::from_millis(run.due_at.as_millis());
    let queue = job.definition.queue.as_str();
    let line = run.worker.as_deref().map(|worker| Line::Worker { queue, worker }.to_string());
    let mut attempts: Vec<store::PastAttempt> = run.attempts.iter().filter_map(attempt).collect();
    Some(store::PastRun {
        id: RunId::new(due_at, RunSource::Asked(job.id, number)),
        due_at,
        last: attempts.pop()?,
        earlier: attempts,
        queue: line.unwrap_or_else(|| queue.to_owned()),
        reason: Some(run.note.as_ref().map_or_else(|| source.to_owned(), |note| format!("{source}: {note}"))),
        input: run.input.as_ref().map(Value::to_string),
        output: run.output.as_ref().map(Value::to_string),
    })
}

fn attempt(attempt: &PastAttempt) -> Option<store::PastAttempt> {
    let outcome: AttemptOutcome = attempt.outcome.outcome()?;
    Some(store::PastAttempt {
        outcome,
        started_at: Timestamp::from_millis(attempt.started_at.as_millis()),
        ended_at: Timestamp::from_millis(attempt.ended_at.as_millis()),
        exit_code: attempt.exit_code,
        error_code: attempt.error_code.clone(),
        error: attempt.error.clone(),
    })
}
