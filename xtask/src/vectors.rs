//! Replays recorded answers of Quartz against ours.
//!
//! A folder has one file of JSON lines per subject; its README says what the fields mean. To add a subject,
//! write a [`Check`] for one line and name its file in [`FILES`].

mod cron;
mod triggers;

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

/// How many differences of a file are shown.
const SHOWN: usize = 5;

/// A question to which we answer otherwise.
pub struct Difference {
    pub question: String,
    pub ours: String,
    pub theirs: String,
}

/// Replays all files of a folder and prints what came of it; succeeds when nothing differs.
pub fn run(dir: &Path) -> anyhow::Result<ExitCode> {
    let mut all_equal = true;
    for (file, check) in FILES {
        let lines =
            std::fs::read_to_string(dir.join(file)).with_context(|| format!("read {file} in {}", dir.display()))?;
        let report = replay(file, &lines, check)?;
        all_equal &= report.passed == report.total;
        print(&report.to_string());
    }
    Ok(if all_equal { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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

fn replay<'a>(file: &'a str, lines: &str, check: Check) -> anyhow::Result<Report<'a>> {
    let mut report = Report { file, passed: 0, total: 0, differences: Vec::new() };
    for (number, line) in lines.lines().enumerate() {
        let at = || format!("{file}:{}", number + 1);
        let case: Value = serde_json::from_str(line).with_context(at)?;
        let id = case["id"].as_str().with_context(|| format!("{} has no id", at()))?.to_owned();
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
        let report = replay("cron.jsonl", line, cron::check).unwrap();
        assert_eq!((report.passed, report.total), (0, 1));
        let shown = report.to_string();
        assert!(shown.contains("1970-01-01T12:00:00.000Z") && shown.contains("1970-01-01T00:00:00.001Z"), "{shown}");
    }
}
