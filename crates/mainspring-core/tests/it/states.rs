//! The tables of `docs/reference/states.md`, from the code.

use mainspring_core::job::{OnLost, RetryPolicy};
use mainspring_core::retry::{AfterAttempt, AttemptRule, Ended, after_attempt};
use mainspring_core::run::{AttemptOutcome, RunEvent, RunState, Verdict, next_state};
use mainspring_core::{JobId, RunId, RunSource, Timestamp};

const PAGE: &str = include_str!("../../../../docs/reference/states.md");

/// What happens to runs, and how the page says it.
const EVENTS: &[(RunEvent, &str)] = &[
    (RunEvent::Ready, "what it waits for is done"),
    (RunEvent::SlotFreed, "a slot of its job comes free"),
    (RunEvent::Due, "its instant comes"),
    (RunEvent::Split, "each of some workers gets a shard of it"),
    (RunEvent::Claimed, "a worker takes it"),
    (RunEvent::Retried, "its attempt ends, and another one follows"),
    (RunEvent::Ended(Verdict::Succeeded), "its last attempt, or all of its shards, end well"),
    (RunEvent::Ended(Verdict::Failed), "its last attempt ends otherwise, or a shard does"),
    (RunEvent::Ended(Verdict::Cancelled), "its attempt, or its shards, end on request"),
    (RunEvent::Ended(Verdict::Skipped), "a listener vetoes its start"),
    (RunEvent::CancelledUnstarted, "its end is asked for, or a newer run takes its place"),
    (RunEvent::Skipped, "its time to start is over (`start_timeout`)"),
    (RunEvent::TimedOut, "its time is over between two attempts (`run_timeout`)"),
];

#[test]
fn every_step_of_a_run_is_on_the_page_and_no_other() {
    let mut table = String::from("| state | what happens | next |\n|---|---|---|\n");
    for from in RunState::ALL {
        for (event, text) in EVENTS {
            if let Ok(to) = next_state(*from, *event) {
                table.push_str(&format!("| `{from}` | {text} | `{to}` |\n"));
            }
        }
    }
    assert!(PAGE.contains(&format!("\n\n{table}\n")), "docs/reference/states.md is to say:\n\n{table}");
}

/// What follows an attempt, as the page says it.
fn follows(outcome: AttemptOutcome, on_lost: OnLost, retries: u32) -> String {
    let run = RunId::new(Timestamp::from_millis(0), RunSource::Asked(JobId(1), 0));
    let retry = RetryPolicy { count: retries, ..RetryPolicy::default() };
    let ended = Ended { run, attempt: 1, outcome, code: None, deadline: None };
    match after_attempt(AttemptRule { retry: &retry, on_lost }, ended, Timestamp::from_millis(1_000)) {
        AfterAttempt::RetryAt(_) => "another attempt".to_owned(),
        AfterAttempt::Final(verdict) => format!("`{}`", RunState::from(verdict)),
    }
}

#[test]
fn whatever_follows_the_end_of_an_attempt_is_on_the_page() {
    let mut table = String::from(
        "| outcome | no `retries` | `retries` left | `on_lost: retry`, no `retries` | `on_lost: retry`, `retries` left |\n\
         |---|---|---|---|---|\n",
    );
    for &outcome in AttemptOutcome::ALL {
        let cells = [(OnLost::Fail, 0), (OnLost::Fail, 1), (OnLost::Retry, 0), (OnLost::Retry, 1)]
            .map(|(on_lost, retries)| follows(outcome, on_lost, retries));
        table.push_str(&format!("| `{outcome}` | {} |\n", cells.join(" | ")));
    }
    assert!(PAGE.contains(&format!("\n\n{table}\n")), "docs/reference/states.md is to say:\n\n{table}");
}
