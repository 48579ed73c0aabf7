//! Converts reports of executors to attempts and logs.

use mainspring_core::batch::AttemptDetail;
use mainspring_core::run::AttemptOutcome;
use mainspring_store::LogChunk;
use mainspring_tasks::LogLine;
use mainspring_xxl::{Callback, Code, Dispatch, Event, Stop, Verdict};

use super::ledger::Sent;

/// Longest message that is kept as an error, in bytes.
const ERROR_MAX: usize = 4 * 1024;
/// Longest message that is kept as an output, in bytes.
const OUTPUT_MAX: usize = 1 << 20;

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
