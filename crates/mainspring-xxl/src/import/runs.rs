//! Runs that the old server has recorded.

use std::collections::BTreeMap;

use mainspring_api::{AttemptState, JobSpec};
use serde::Serialize;

use super::dump::{Row, Tables};
use super::report::xxl_id;

/// The code of success.
const SUCCESS: i64 = 200;
/// The code of a run that took longer than it may.
const TIMED_OUT: i64 = 502;
/// Longest message that is kept, in bytes.
const MESSAGE_MAX: usize = 4 * 1024;
/// What executors report of runs that somebody, or a newer run, has ended.
const KILLED: [&str; 2] = ["[job running, killed]", "[job not executed, in the job queue, killed"];

/// The runs of jobs that are imported.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OldRuns {
    /// The runs, in order of their ids.
    pub runs: Vec<OldRun>,
    /// Which runs are not taken, and why, with their number.
    pub notes: Vec<String>,
    /// What the old server counted for each day, in order, beside what is taken.
    pub days: Vec<Day>,
}

/// A run that is over. Each retry there is a run of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldRun {
    /// Its id there: the number of its log.
    pub id: i64,
    /// The name of its job here.
    pub job: String,
    /// When it was triggered, in the zone of the old server: `2026-01-31 23:59:59`.
    pub triggered: String,
    /// When its result came; absent where nobody wrote that down.
    pub handled: Option<String>,
    /// How it has ended.
    pub outcome: AttemptState,
    /// The code of its result.
    pub code: i32,
    /// The address of the executor.
    pub address: Option<String>,
    /// The parameter.
    pub params: Option<String>,
    /// Which shard of how many it was: `0/3`.
    pub shard: Option<String>,
    /// What the executor, or the old server, said of it: a text without HTML.
    pub message: Option<String>,
}

/// A day as the old server counted it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Day {
    /// The day: `2026-01-31`.
    pub day: String,
    /// Runs that had succeeded.
    pub succeeded: i64,
    /// Runs that had failed.
    pub failed: i64,
    /// Runs that had no result.
    pub running: i64,
    /// Runs of that day that are imported.
    pub imported: i64,
}

/// Reads the runs of jobs, and says which are not taken.
#[must_use]
pub fn runs(tables: &Tables, jobs: &[JobSpec]) -> OldRuns {
    let names: BTreeMap<i64, &str> = jobs.iter().filter_map(|job| Some((xxl_id(job)?, job.name.as_str()))).collect();
    let (mut found, mut strange, mut open) = (BTreeMap::new(), 0_usize, 0_usize);
    for row in tables.rows("xxl_job_log") {
        let name = row.number("job_id").and_then(|job| names.get(&job));
        match (name, row.number("id"), row.text("trigger_time")) {
            (Some(name), Some(id), Some(triggered)) => match over(id, name, triggered, row) {
                Some(run) => _ = found.insert(id, run),
                None => open += 1,
            },
            _ => strange += 1,
        }
    }
    let notes =
        [(strange, "are of jobs that are not imported"), (open, "have no result, so that they may not be over")];
    let notes = notes.into_iter().filter(|(count, _)| *count > 0);
    let notes = notes.map(|(count, why)| format!("runs that are not imported because they {why}: {count}")).collect();
    let runs: Vec<OldRun> = found.into_values().collect();
    OldRuns { days: days(tables, &runs), runs, notes }
}

/// A run that is over; nothing if it has no result.
fn over(id: i64, job: &str, triggered: &str, row: &Row) -> Option<OldRun> {
    let (sent, handled) = (row.number("trigger_code").unwrap_or(0), row.number("handle_code").unwrap_or(0));
    let is_sent = sent == SUCCESS;
    let (result, message) = match (is_sent, handled) {
        // It was never sent, or refused.
        (false, 0) if sent > 0 => (sent, row.get("trigger_msg").map(trigger_text)),
        (_, 0) => return None,
        (_, result) => (result, row.get("handle_msg").map(plain)),
    };
    let message = message.filter(|text| !text.is_empty());
    let is_killed = message.as_ref().is_some_and(|text| KILLED.iter().any(|killed| text.contains(killed)));
    let outcome = match result {
        SUCCESS => AttemptState::Succeeded,
        TIMED_OUT => AttemptState::TimedOut,
        _ if is_killed => AttemptState::Cancelled,
        _ => AttemptState::Failed,
    };
    let text = |column| row.text(column).map(str::to_owned);
    Some(OldRun {
        id,
        job: job.to_owned(),
        triggered: triggered.to_owned(),
        handled: text("handle_time"),
        outcome,
        code: i32::try_from(result).unwrap_or(i32::MAX),
        address: text("executor_address"),
        params: row.get("executor_param").filter(|text| !text.is_empty()).map(str::to_owned),
        shard: text("executor_sharding_param"),
        message,
    })
}

/// What the old server counted, beside what is taken.
fn days(tables: &Tables, runs: &[OldRun]) -> Vec<Day> {
    let mut days: BTreeMap<String, Day> = BTreeMap::new();
    for row in tables.rows("xxl_job_log_report") {
        let Some(day) = row.text("trigger_day").and_then(|text| text.get(..10)) else { continue };
        let count = |column| row.number(column).unwrap_or(0);
        let (succeeded, failed, running) = (count("suc_count"), count("fail_count"), count("running_count"));
        days.insert(day.to_owned(), Day { day: day.to_owned(), succeeded, failed, running, imported: 0 });
    }
    for day in runs.iter().filter_map(|run| run.triggered.get(..10)) {
        days.entry(day.to_owned()).or_insert_with(|| Day { day: day.to_owned(), ..Day::default() }).imported += 1;
    }
    days.into_values().collect()
}

/// What a message of the trigger says at its end: before it stand the addresses and settings, which are those of the job.
fn trigger_text(html: &str) -> String {
    plain(html.rsplit_once("</span>").map_or(html, |(_, end)| end))
}

/// The text of HTML in one line, its lines apart by `; `.
fn plain(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once('<') {
        text.push_str(before);
        // What is no tag is text: a message may compare numbers.
        let is_tag = tag.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/');
        match tag.split_once('>').filter(|_| is_tag) {
            Some((name, after)) => {
                if name.to_ascii_lowercase().starts_with("br") {
                    text.push('\n');
                }
                rest = after;
            }
            None => {
                text.push('<');
                rest = tag;
            }
        }
    }
    text.push_str(rest);
    for (entity, character) in
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&"), ("\0", "")]
    {
        text = text.replace(entity, character);
    }
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut line = lines.join("; ");
    line.truncate(line.floor_char_boundary(MESSAGE_MAX));
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLES: &str = "CREATE TABLE xxl_job_info (id int);
CREATE TABLE xxl_job_log (id bigint, job_id int, executor_address varchar(255), executor_param varchar(512), executor_sharding_param varchar(20),
 trigger_time datetime, trigger_code int, trigger_msg text, handle_time datetime, handle_code int, handle_msg text);
CREATE TABLE xxl_job_log_report (id int, trigger_day datetime, running_count int, suc_count int, fail_count int);
INSERT INTO xxl_job_log_report VALUES (1,'2025-12-31 00:00:00',0,7,7),(2,'2026-01-02 00:00:00',1,5,2);
INSERT INTO xxl_job_log VALUES
(9,7,'http://10.0.0.1:9999/','p','0/2','2026-01-02 03:04:05',200,'x','2026-01-02 03:04:07',200,'all <b>done</b>'),
(1,7,NULL,'',NULL,'2025-12-31 23:59:59',200,'x','2026-01-01 00:00:00',200,NULL),
(2,7,NULL,'',NULL,'2026-01-02 00:00:00',500,'<br>a: b<br><span>>>>trigger<<<</span><br>no executor<br>',NULL,0,NULL),
(3,7,NULL,'',NULL,'2026-01-02 00:00:00',200,NULL,NULL,0,NULL),
(4,7,NULL,'',NULL,'2026-01-02 00:00:00',0,NULL,NULL,0,NULL),
(5,7,NULL,'',NULL,'2026-01-02 00:00:00',200,NULL,'2026-01-02 00:00:01',502,'too slow'),
(6,7,NULL,'',NULL,'2026-01-02 00:00:00',200,NULL,'2026-01-02 00:00:01',500,'web stop [job running, killed]'),
(7,8,NULL,'',NULL,'2026-01-02 00:00:00',200,NULL,'2026-01-02 00:00:01',200,NULL),
(8,7,NULL,'',NULL,NULL,200,NULL,NULL,200,NULL);";

    #[test]
    fn runs_of_imported_jobs_are_read_with_their_results() {
        let tables = Tables::read_since(TABLES.as_bytes(), Some("2026-01-01 00:00:00")).unwrap();
        let job: JobSpec = serde_json::from_str(r#"{"name":"job-7","labels":{"xxl-id":"7"}}"#).unwrap();
        let old = runs(&tables, &[job]);
        let told: Vec<_> = old.runs.iter().map(|run| (run.id, run.outcome, run.code, run.message.as_deref())).collect();
        let expected = [
            (2, AttemptState::Failed, 500, Some("no executor")),
            (5, AttemptState::TimedOut, 502, Some("too slow")),
            (6, AttemptState::Cancelled, 500, Some("web stop [job running, killed]")),
            (9, AttemptState::Succeeded, 200, Some("all done")),
        ];
        assert_eq!(told, expected);
        let last = old.runs.last().unwrap();
        assert_eq!(
            (last.job.as_str(), last.params.as_deref(), last.shard.as_deref()),
            ("job-7", Some("p"), Some("0/2"))
        );
        assert_eq!(
            (last.triggered.as_str(), last.handled.as_deref()),
            ("2026-01-02 03:04:05", Some("2026-01-02 03:04:07"))
        );
        let notes = ["of jobs that are not imported: 1", "may not be over: 2"];
        assert!(old.notes.iter().zip(notes).all(|(note, end)| note.ends_with(end)), "{:?}", old.notes);
        let day = Day { day: "2026-01-02".to_owned(), succeeded: 5, failed: 2, running: 1, imported: 4 };
        assert_eq!(old.days, [day]);
    }

    #[test]
    fn runs_are_read_where_that_is_asked_for() {
        let tables = Tables::read(TABLES.as_bytes()).unwrap();
        assert!(!tables.has("xxl_job_log") && runs(&tables, &[]) == OldRuns::default());
    }

    #[test]
    fn messages_lose_their_markup_and_nothing_else() {
        let cases = [
            ("a<br>b<BR/> <br><br> c", "a; b; c"),
            ("1 < 2 and 3 > 2, &lt;b&gt; &amp;amp;", "1 < 2 and 3 > 2, <b> &amp;"),
            ("<span style=\"color:red\">x</span>y<", "xy<"),
        ];
        for (html, expected) in cases {
            assert_eq!(plain(html), expected);
        }
    }
}
