//! The file with the runs that XXL-JOB has recorded.

use std::time::Duration;

use jiff::Zoned;
use mainspring_api::{AttemptState, PastAttempt, PastRun, Timestamp};
use mainspring_schedule::Zone;
use mainspring_xxl::import::OldRun;
use serde_json::Value;

use super::scripts::instant;
use crate::commands::run::load::JobRun;
use crate::error::{Error, Result};
use crate::time_value;

/// Its name. Files of this ending are no job files, so that an apply passes it over.
pub const FILE: &str = "runs.jsonl";
/// Longest address of an executor that is kept, in characters.
const WORKER_MAX: usize = 120;

/// The time that lies so far back, as the old server writes it.
///
/// # Errors
/// The zone is unknown, or the time is out of range.
pub fn since(now: &Zoned, history: Duration, zone: Option<&str>) -> Result<String> {
    let zone = time_value::zone(zone.unwrap_or("UTC"))?;
    let then = now.timestamp().checked_sub(history);
    let then = then.map_err(|_| Error::usage("--history reaches back further than times go"))?;
    Ok(then.to_zoned(zone).strftime("%Y-%m-%d %H:%M:%S").to_string())
}

/// The text of the file, and how many runs are in it.
///
/// # Errors
/// The zone cannot be read.
pub fn text(runs: &[OldRun], zone: &str) -> Result<(String, usize)> {
    let zone = Zone::parse(zone).map_err(|error| Error::usage(format!("--timezone {zone}: {error}")))?;
    let (mut text, mut count) = (String::new(), 0);
    for run in runs.iter().filter_map(|run| line(run, &zone)) {
        text.push_str(&serde_json::to_string(&run).expect("plain data has a text"));
        text.push('\n');
        count += 1;
    }
    Ok((text, count))
}

/// One run. Nothing where its time is none.
fn line(old: &OldRun, zone: &Zone) -> Option<JobRun> {
    let due_at = instant(&old.triggered, zone)?;
    let ended_at = old.handled.as_deref().and_then(|handled| instant(handled, zone)).unwrap_or(due_at);
    let code = match old.outcome {
        AttemptState::Succeeded => None,
        AttemptState::TimedOut => Some("xxl.timed_out"),
        AttemptState::Cancelled => Some("xxl.killed"),
        _ => Some("xxl.failed"),
    };
    let said = || old.message.clone().unwrap_or_else(|| format!("the executor reports code {}", old.code));
    let attempt = PastAttempt {
        outcome: old.outcome,
        // The old server does not write down when the handler began.
        started_at: due_at,
        // Clocks that were set back.
        ended_at: Timestamp::from_millis(ended_at.as_millis().max(due_at.as_millis())),
        exit_code: Some(old.code),
        error_code: code.map(str::to_owned),
        error: code.map(|_| said()),
    };
    let shard = old.shard.as_ref().map_or_else(String::new, |shard| format!(", shard {shard}"));
    let run = PastRun {
        key: old.id.to_string(),
        due_at,
        attempts: vec![attempt],
        worker: old.address.as_ref().map(|address| address.chars().take(WORKER_MAX).collect()),
        note: Some(format!("log {}{shard}", old.id)),
        input: old.params.clone().map(Value::from),
        output: old.message.clone().filter(|_| code.is_none()).map(Value::from),
    };
    Some(JobRun { job: old.job.clone(), source: "XXL-JOB".to_owned(), run })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn old(outcome: AttemptState, handled: Option<&str>) -> OldRun {
        OldRun {
            id: 5,
            job: "job-7".to_owned(),
            triggered: "2026-01-31 23:59:59".to_owned(),
            handled: handled.map(str::to_owned),
            outcome,
            code: 500,
            address: Some("http://10.0.0.7:9999/".to_owned()),
            params: Some("p".to_owned()),
            shard: Some("0/3".to_owned()),
            message: None,
        }
    }

    #[test]
    fn runs_are_written_with_instants_in_the_zone_of_the_old_server() {
        let runs = [
            old(AttemptState::Failed, Some("2026-02-01 00:00:09")),
            old(AttemptState::Succeeded, None),
            OldRun { triggered: "0000-00-00 00:00:00".to_owned(), ..old(AttemptState::Succeeded, None) },
        ];
        let (text, count) = text(&runs, "Asia/Shanghai").unwrap();
        let read: Vec<JobRun> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((read.len(), count), (2, 2));
        let (run, attempt) = (&read[0].run, &read[0].run.attempts[0]);
        assert_eq!(
            (read[0].job.as_str(), run.key.as_str(), run.note.as_deref()),
            ("job-7", "5", Some("log 5, shard 0/3"))
        );
        assert_eq!(
            (run.due_at.to_string(), attempt.ended_at.to_string()),
            ("2026-01-31T15:59:59.000Z".to_owned(), "2026-01-31T16:00:09.000Z".to_owned())
        );
        assert_eq!(attempt.error.as_deref(), Some("the executor reports code 500"));
        assert_eq!(read[1].run.attempts[0].ended_at, read[1].run.due_at);
        assert_eq!(read[1].run.attempts[0].error, None);
    }

    #[test]
    fn history_is_counted_back_from_now_in_the_zone_of_the_old_server() {
        let now: Zoned = "2026-03-02T00:00:00[UTC]".parse().unwrap();
        let back = |days: u64| since(&now, Duration::from_secs(days * 86_400), Some("Asia/Shanghai")).unwrap();
        assert_eq!((back(0).as_str(), back(30).as_str()), ("2026-03-02 08:00:00", "2026-01-31 08:00:00"));
        assert!(since(&now, Duration::MAX, None).is_err());
    }
}
