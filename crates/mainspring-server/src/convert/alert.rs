//! Rules of alerts between job file and definition.

use mainspring_api::{AlertRuleSpec, AlertSpec, ErrorCode, Problem};
use mainspring_core::alert::{Condition, Rule};

use super::texts::{duration_text, positive_ms};

/// Reminders do not come more often than this, in milliseconds.
const REPEAT_MIN_MS: i64 = 60_000;

/// Reads the rules of a rule file.
///
/// # Errors
/// Everything that is wrong, with pointers that begin at the rule.
pub fn alert_rule(spec: &AlertRuleSpec) -> Result<Vec<Rule>, Vec<Problem>> {
    let mut found = Vec::new();
    let rules = read(&spec.alerts, &mut found);
    super::with_checked(mainspring_api::check_alert_rule(spec), found)?;
    Ok(rules)
}

/// Reads the member `alerts`.
pub(super) fn read(specs: &[AlertSpec], problems: &mut Vec<Problem>) -> Vec<Rule> {
    specs.iter().enumerate().map(|(index, spec)| read_one(spec, &format!("/alerts/{index}"), problems)).collect()
}

fn read_one(spec: &AlertSpec, place: &str, problems: &mut Vec<Problem>) -> Rule {
    let mut ms = |text: &Option<String>, member: &str| {
        let text = text.as_ref()?;
        positive_ms(text, &format!("{place}/{member}")).map_err(|problem| problems.push(problem)).ok()
    };
    let (late, longer, repeat_ms) =
        (ms(&spec.late, "late"), ms(&spec.runs_longer, "runs_longer"), ms(&spec.repeat, "repeat"));
    if repeat_ms.is_some_and(|ms| ms < REPEAT_MIN_MS) {
        let message = "reminders come every minute at most";
        problems.push(Problem::new(ErrorCode::FieldValue, message).at(format!("{place}/repeat")));
    }
    let conditions = [
        spec.failed.then_some(Condition::Failed),
        spec.failed_in_row.map(Condition::FailedInRow),
        late.map(Condition::Late),
        longer.map(Condition::RunsLonger),
        spec.misfired.then_some(Condition::Misfired),
        spec.deadline_missed.then_some(Condition::DeadlineMissed),
    ];
    Rule {
        on: conditions.into_iter().flatten().collect(),
        channels: spec.channels.clone(),
        to: spec.to.clone(),
        repeat_ms,
        silent_recovery: spec.recovered == Some(false),
    }
}

/// Writes rules as a job file would.
pub(crate) fn write(rules: &[Rule]) -> Vec<AlertSpec> {
    rules.iter().map(write_one).collect()
}

fn write_one(rule: &Rule) -> AlertSpec {
    let mut spec = AlertSpec {
        channels: rule.channels.clone(),
        to: rule.to.clone(),
        repeat: rule.repeat_ms.map(duration_text),
        recovered: rule.silent_recovery.then_some(false),
        ..AlertSpec::default()
    };
    for condition in &rule.on {
        match condition {
            Condition::Failed => spec.failed = true,
            Condition::FailedInRow(count) => spec.failed_in_row = Some(*count),
            Condition::Late(ms) => spec.late = Some(duration_text(*ms)),
            Condition::RunsLonger(ms) => spec.runs_longer = Some(duration_text(*ms)),
            Condition::Misfired => spec.misfired = true,
            Condition::DeadlineMissed => spec.deadline_missed = true,
        }
    }
    spec
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_written_as_they_were_read() {
        let spec = AlertSpec {
            failed: true,
            failed_in_row: Some(3),
            late: Some("10m".into()),
            runs_longer: Some("1h".into()),
            misfired: true,
            deadline_missed: true,
            channels: vec!["ops".into()],
            to: vec!["a@example.org".into()],
            repeat: Some("4h".into()),
            recovered: Some(false),
        };
        let mut problems = Vec::new();
        assert_eq!(write(&read(std::slice::from_ref(&spec), &mut problems)), [spec]);
        assert_eq!(problems, []);
    }

    #[test]
    fn texts_that_are_no_durations_are_refused_at_their_place() {
        let alert = AlertSpec {
            late: Some("soon".into()),
            repeat: Some("5s".into()),
            channels: vec!["a".into()],
            ..AlertSpec::default()
        };
        let spec = AlertRuleSpec { name: "a".into(), alerts: vec![alert], ..AlertRuleSpec::default() };
        let problems = alert_rule(&spec).unwrap_err();
        let places: Vec<_> = problems.iter().map(|problem| problem.pointer.as_str()).collect();
        assert_eq!(places, ["/alerts/0/late", "/alerts/0/repeat"]);
    }
}
