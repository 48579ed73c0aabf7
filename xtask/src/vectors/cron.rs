//! Cron expressions: which are refused, and when the others fire.

use mainspring_schedule::{Cron, Dialect, Semantics, Timestamp, Zone};
use serde::Deserialize;
use serde_json::Value;

use super::Difference;

#[derive(Deserialize)]
struct Case {
    expr: String,
    #[serde(default)]
    error: bool,
    /// Quartz reads the text but fails when asked; refusing it at once is the better answer.
    #[serde(default)]
    eval_error: bool,
    #[serde(default)]
    zone: String,
    #[serde(default)]
    start: i64,
    #[serde(default)]
    satisfied: bool,
    #[serde(default)]
    fires: Vec<Option<i64>>,
}

pub fn check(case: Value) -> anyhow::Result<Result<(), Difference>> {
    let case: Case = serde_json::from_value(case)?;
    let cron = match Cron::parse(&case.expr, Dialect::Quartz, Semantics::Quartz) {
        Err(_) if case.error || case.eval_error => return Ok(Ok(())),
        Err(error) => return Ok(differ(&case, "parse", &error, &"accepted")),
        Ok(_) if case.error || case.eval_error => {
            return Ok(differ(&case, "parse", &"accepted", &"refused"));
        }
        Ok(cron) => cron,
    };
    let zone = Zone::parse(&case.zone)?;
    let start = Timestamp::from_millis(case.start);
    let satisfied = cron.matches(&zone, start);
    if satisfied != case.satisfied {
        return Ok(differ(&case, &format!("is {start} satisfied"), &satisfied, &case.satisfied));
    }
    let mut t = start;
    for theirs in &case.fires {
        let (ours, theirs) = (cron.next_after(&zone, t), theirs.map(Timestamp::from_millis));
        if ours != theirs {
            return Ok(differ(&case, &format!("next after {t}"), &shown(ours), &shown(theirs)));
        }
        t = ours.unwrap_or(t);
    }
    Ok(Ok(()))
}

fn shown(fire: Option<Timestamp>) -> String {
    fire.map_or_else(|| "never".to_owned(), |t| t.to_string())
}

fn differ(
    case: &Case,
    asked: &str,
    ours: &dyn std::fmt::Display,
    theirs: &dyn std::fmt::Display,
) -> Result<(), Difference> {
    let question = format!("{:?} in {}: {asked}", case.expr, case.zone);
    Err(Difference { question, ours: ours.to_string(), theirs: theirs.to_string() })
}
