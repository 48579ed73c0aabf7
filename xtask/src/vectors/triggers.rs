//! Triggers, calendars, misfires and replaced calendars: the same replay as in the crate's tests.

#[path = "../../../crates/mainspring-schedule/tests/it/replay.rs"]
mod replay;

use mainspring_schedule::Semantics;
use serde_json::Value;

use super::Difference;

/// Compares all answers of a case of one of the files `trigger`, `calendar`, `misfire` and
/// `new_calendar`, and reports the first field that differs.
pub fn check(file: &str, case: &Value) -> Result<(), Difference> {
    let ours = replay::answers(file, case, Semantics::Quartz);
    let Some((field, theirs, ours)) = replay::difference(case, &ours) else {
        return Ok(());
    };
    let subject = case.get("trigger").unwrap_or(&case["calendar"]);
    let question = format!("{field} of {subject} in {}", case["zone"].as_str().unwrap_or("no zone"));
    Err(Difference { question, ours, theirs })
}
