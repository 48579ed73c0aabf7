//! Replays recorded answers of Quartz about schedules and of Airflow about workflows, and recorded exchanges of XXL-JOB's
//! executors, against ours.
//!
//! A folder of the former has one file of JSON lines per subject; its README says what the fields mean. To add a subject,
//! write a [`Check`] for one line and name its file in [`FILES`] or [`WORKFLOWS`]. A folder of XXL-JOB has one file for each executor, under
//! any name.

mod cron;
mod triggers;
mod workflows;
mod xxl;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use serde_json::Value;

/// Compares the answer of one line with ours. An outer error means that the line cannot be read.
type Check = fn(Value) -> anyhow::Result<Result<(), Difference>>;

const FILES: [(&str, Check); 5] = [
    ("cron.jsonl", cron::check),
    ("trigger.jsonl", |case| Ok(triggers::check("trigger", &case))),
    ("calendar.jsonl", |case| Ok(triggers::check("calendar", &case))),
    ("misfire.jsonl", |case| Ok(triggers::check("misfire", &case))),
    ("new_calendar.jsonl", |case| Ok(triggers::check("new_calendar", &case))),
];

const WORKFLOWS: [(&str, Check); 6] = [
    ("trigger_rules.jsonl", |case| Ok(workflows::check("trigger_rules.jsonl", &case))),
    ("dags.jsonl", |case| Ok(workflows::check("dags.jsonl", &case))),
    ("timetables.jsonl", |case| Ok(workflows::check("timetables.jsonl", &case))),
    ("backfill.jsonl", |case| Ok(workflows::check("backfill.jsonl", &case))),
    ("reprocess.jsonl", |case| Ok(workflows::check("reprocess.jsonl", &case))),
    ("rerun.jsonl", |case| Ok(workflows::check("rerun.jsonl", &case))),
];

/// How many differences of a file are shown.
const SHOWN: usize = 5;

/// A question to which we answer otherwise.
pub struct Difference {
    pub question: String,
    pub ours: String,
    pub theirs: String,
}

/// Replays the files of a folder and prints what came of each; succeeds when nothing differs.
///
/// # Errors
/// When the folder has none of the files, or a line that cannot be read.
pub fn run(dir: &Path) -> anyhow::Result<ExitCode> {
    let (report, all_equal) = replay_folder(dir)?;
    print(&report);
    Ok(if all_equal { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The report on a folder, and whether nothing differs. A file that is not there is said to be missing.
fn replay_folder(dir: &Path) -> anyhow::Result<(String, bool)> {
    if let Some(replayed) = replay_executors(dir)? {
        return Ok(replayed);
    }
    let is_there = |(file, _): &(&str, Check)| dir.join(file).exists();
    let files: &[(&str, Check)] = if WORKFLOWS.iter().any(is_there) { &WORKFLOWS } else { &FILES };
    let mut reports = Vec::new();
    let (mut all_equal, mut found) = (true, 0);
    for (file, check) in files {
        let path = dir.join(file);
        if !path.exists() {
            reports.push(format!("{file}: missing"));
            continue;
        }
        let lines = std::fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        let report = replay(file, &lines, check)?;
        all_equal &= report.passed == report.total;
        found += 1;
        reports.push(report.to_string());
    }
    let names = || FILES.iter().chain(&WORKFLOWS).map(|(file, _)| *file).collect::<Vec<_>>().join(", ");
    anyhow::ensure!(found > 0, "{} has no vectors: expected {}", dir.display(), names());
    Ok((reports.join("\n"), all_equal))
}

/// The same for a folder whose files hold exchanges with executors. Nothing if it has none.
fn replay_executors(dir: &Path) -> anyhow::Result<Option<(String, bool)>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).with_context(|| format!("read {}", dir.display()))? {
        let path = entry?.path();
        if path.extension().is_none_or(|ending| ending != "jsonl") {
            continue;
        }
        let lines = std::fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        let first = lines.lines().next().and_then(|line| serde_json::from_str(line).ok());
        if first.is_some_and(|line| xxl::is_replayed(&line)) {
            files.push((path.file_name().unwrap_or_default().to_string_lossy().into_owned(), lines));
        }
    }
    if files.is_empty() {
        return Ok(None);
    }
    files.sort();
    let replay_line = xxl::Replay::start()?;
    let (mut reports, mut all_equal) = (Vec::new(), true);
    for (file, lines) in &files {
        let report = replay(file, lines, &|line| replay_line.check(&line))?;
        all_equal &= report.passed == report.total;
        reports.push(report.to_string());
    }
    Ok(Some((reports.join("\n"), all_equal)))
}

struct Report<'a> {
    file: &'a str,
    passed: usize,
    total: usize,
    differences: Vec<(String, Difference)>,
}

impl std::fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}/{}", self.file, self.passed, self.total)?;
        for (id, difference) in &self.differences {
            let Difference { question, ours, theirs } = difference;
            write!(f, "\n  {id}: {question}\n    ours:   {ours}\n    theirs: {theirs}")?;
        }
        Ok(())
    }
}

fn replay<'a>(
    file: &'a str,
    lines: &str,
    check: &dyn Fn(Value) -> anyhow::Result<Result<(), Difference>>,
) -> anyhow::Result<Report<'a>> {
    let mut report = Report { file, passed: 0, total: 0, differences: Vec::new() };
    for (number, line) in lines.lines().enumerate() {
        let at = || format!("{file}:{}", number + 1);
        let case: Value = serde_json::from_str(line).with_context(at)?;
        // Exchanges have a number, and answers of routes and of trigger rules nothing but their place.
        let id = match (&case["id"], case["seq"].as_i64()) {
            (Value::String(id), _) => id.clone(),
            (Value::Number(id), _) => id.to_string(),
            (_, Some(seq)) => format!("seq {seq}"),
            (_, None) if case.get("route").or(case.get("rule")).is_some() => format!("line {}", number + 1),
            (_, None) => anyhow::bail!("{} has no id", at()),
        };
        report.total += 1;
        match check(case).with_context(at)? {
            Ok(()) => report.passed += 1,
            Err(difference) if report.differences.len() < SHOWN => report.differences.push((id, difference)),
            Err(_) => {}
        }
    }
    Ok(report)
}

#[expect(clippy::print_stdout, reason = "the report is this program's output")]
fn print(text: &str) {
    println!("{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_answer_is_reported_with_both_answers() {
        let line =
            r#"{"id":"x","cat":"odd","expr":"0 0 12 * * ?","zone":"UTC","start":0,"satisfied":false,"fires":[1]}"#;
        let report = replay("cron.jsonl", line, &cron::check).unwrap();
        assert_eq!((report.passed, report.total), (0, 1));
        let shown = report.to_string();
        assert!(shown.contains("1970-01-01T12:00:00.000Z") && shown.contains("1970-01-01T00:00:00.001Z"), "{shown}");
    }

    const DAY_MS: i64 = 86_400_000;

    /// A folder of vectors about daily noons, each file with as many cases as it is given errors: a case is
    /// wrong by its error.
    fn folder(errors_ms: &[i64]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (file, _) in FILES {
            let case = |(number, error_ms): (usize, &i64)| {
                let mut case = noon(file, 9_000 + number as i64 * 31, *error_ms);
                case["id"] = format!("seed-77-{number}").into();
                case.to_string() + "\n"
            };
            let lines: String = errors_ms.iter().enumerate().map(case).collect();
            std::fs::write(dir.path().join(file), lines).unwrap();
        }
        dir
    }

    fn noon(file: &str, day: i64, error_ms: i64) -> Value {
        let noon = day * DAY_MS + DAY_MS / 2;
        let wrong = noon + error_ms;
        let trigger = serde_json::json!({"type": "cron", "start": noon - 5_000, "end": null, "expr": "0 0 12 * * ?"});
        let before = serde_json::json!({"start": noon - 5_000, "next": noon, "prev": null});
        let after = serde_json::json!({"start": noon - 5_000, "next": wrong + DAY_MS, "prev": null});
        let weekly = serde_json::json!({"type": "weekly", "zone": null, "base": null, "excluded": []});
        match file {
            "cron.jsonl" => serde_json::json!({"cat": "mixed", "expr": "0 0 12 * * ?", "zone": "UTC",
                "start": noon - 1, "satisfied": false, "fires": [wrong, noon + DAY_MS]}),
            "trigger.jsonl" => serde_json::json!({"cat": "cron", "zone": "UTC", "trigger": trigger, "calendar": null,
                "first": wrong, "next": [noon + DAY_MS], "after": [[noon, noon + DAY_MS]], "final": null}),
            "calendar.jsonl" => serde_json::json!({"cat": "weekly", "zone": "UTC", "calendar": weekly,
                "probes": [[noon, true, wrong]]}),
            "misfire.jsonl" => serde_json::json!({"zone": "UTC", "trigger": trigger, "calendar": null,
                "misfire": "do_nothing", "now": noon + 3_600_000, "before": before, "after": after,
                "following": [noon + 2 * DAY_MS]}),
            _ => serde_json::json!({"zone": "UTC", "trigger": trigger, "old_calendar": null, "calendar": weekly,
                "threshold_ms": 60_000, "now": noon + 1_000, "before": before, "after": after,
                "following": [noon + 2 * DAY_MS]}),
        }
    }

    #[test]
    fn a_folder_of_other_seeds_is_replayed() {
        let dir = folder(&[0, 0, 0]);
        let (report, all_equal) = replay_folder(dir.path()).unwrap();
        let expected = FILES.map(|(file, _)| format!("{file}: 3/3")).join("\n");
        assert_eq!((report, all_equal), (expected, true));
    }

    #[test]
    fn five_differences_of_a_file_are_shown_and_all_are_counted() {
        let dir = folder(&[0, 1_000, 0, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000]);
        let (report, all_equal) = replay_folder(dir.path()).unwrap();
        assert!(!all_equal);
        for (file, _) in FILES {
            assert!(report.contains(&format!("{file}: 2/9\n  seed-77-1: ")), "{report}");
        }
        assert_eq!(report.matches("    ours:   ").count(), 5 * FILES.len(), "{report}");
        assert_eq!(report.matches("    theirs: ").count(), 5 * FILES.len(), "{report}");
        assert_eq!(run(dir.path()).unwrap(), ExitCode::FAILURE);
    }

    #[test]
    fn a_folder_of_executors_is_replayed_under_any_names() {
        let dir = tempfile::tempdir().unwrap();
        let exchange = |seq: u32, code: &str| {
            let body = format!(r#"[{{"logId":{seq},"handleCode":{code}}}]"#);
            serde_json::json!({"seq": seq, "scenario": "s", "direction": "executor->admin", "method": "POST", "status": 200,
                "path": "/xxl-job-admin/api/callback", "request_body": body, "response_body": "{}"})
        };
        let question = serde_json::json!({"seq": 3, "scenario": "s", "direction": "admin->executor", "method": "POST",
            "path": "/x/kill", "request_headers": {"Content-Type": "text/plain", "XXL-JOB-ACCESS-TOKEN": "t", "XXL-JOB-APPNAME": "a"},
            "request_body": "{\"jobId\":5}", "status": 200, "response_body": "{\"code\":200}"});
        let lines = [exchange(1, "200"), exchange(2, "[]"), question].map(|line| line.to_string() + "\n");
        std::fs::write(dir.path().join("any-9.9.jsonl"), lines.concat()).unwrap();
        let route = serde_json::json!({"route": "LEAST_RECENTLY_USED", "steps": [
            {"addresses": ["a", "b"], "answer": "a"}, {"addresses": ["a", "b"], "answer": "a"}]});
        std::fs::write(dir.path().join("route.jsonl"), route.to_string()).unwrap();
        std::fs::write(dir.path().join("schema.jsonl"), "{\"table\":\"t\"}\n").unwrap();
        let (report, all_equal) = replay_folder(dir.path()).unwrap();
        let parts = [
            "any-9.9.jsonl: 2/3",
            "seq 3: Content-Type of /x/kill",
            "route.jsonl: 0/1",
            "line 1: LEAST_RECENTLY_USED: answer 2",
        ];
        assert!(parts.iter().all(|part| report.contains(part)) && !all_equal && !report.contains("schema"), "{report}");
    }

    #[test]
    fn a_folder_may_hold_some_of_the_files_but_not_none() {
        let dir = folder(&[0]);
        std::fs::remove_file(dir.path().join("misfire.jsonl")).unwrap();
        let (report, all_equal) = replay_folder(dir.path()).unwrap();
        assert!(all_equal && report.contains("misfire.jsonl: missing"), "{report}");
        let empty = tempfile::tempdir().unwrap();
        let error = replay_folder(empty.path()).unwrap_err().to_string();
        assert!(error.contains("has no vectors: expected cron.jsonl"), "{error}");
    }

    #[test]
    fn a_folder_about_workflows_is_replayed() {
        let dir = tempfile::tempdir().unwrap();
        let line = r#"{"rule":"all_done","up":"sf","at_once":"run"}"#;
        std::fs::write(dir.path().join("trigger_rules.jsonl"), format!("{line}\n{line}\n")).unwrap();
        let (report, all_equal) = replay_folder(dir.path()).unwrap();
        assert!(all_equal && report.starts_with("trigger_rules.jsonl: 2/2\ndags.jsonl: missing"), "{report}");
        assert!(!report.contains("cron.jsonl"), "of another set: {report}");
        let wrong = line.replace("\"run\"", "\"skipped\"");
        std::fs::write(dir.path().join("trigger_rules.jsonl"), format!("{line}\n{wrong}\n")).unwrap();
        let (report, all_equal) = replay_folder(dir.path()).unwrap();
        assert!(!all_equal && report.starts_with("trigger_rules.jsonl: 1/2\n  line 2: all_done"), "{report}");
    }
}
