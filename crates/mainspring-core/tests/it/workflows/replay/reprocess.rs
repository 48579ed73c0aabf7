//! What a backfill does about dates that have runs.

use std::collections::BTreeMap;

use mainspring_core::workflow::backfill::{Action, Existing, Order, Reprocess, sequence};
use serde_json::Value;

use super::{Difference, same, text, texts};

pub fn check(case: &Value) -> Result<(), Difference> {
    let policy = Reprocess::from_word(text(case, "policy")).expect("a policy");
    let order = Order::from_word(text(case, "order")).expect("an order");
    let dates = texts(case, "dates");
    let there = |date: &str| existing(case["runs"].get(date));
    let action = |date: &str| match policy.action(there(date)) {
        Action::Create => "create",
        Action::Rerun => "rerun",
        Action::Keep => "keep",
        Action::Active => "active",
        Action::Absent => "absent",
    };
    let ours: BTreeMap<&str, &str> = dates.iter().map(|date| (*date, action(date))).collect();
    let theirs = dates.iter().map(|date| (*date, text(&case["action"], date))).collect();
    same(format!("{policy} over {}", case["runs"]), &ours, &theirs)?;
    let ours = sequence(&dates, order, policy, there);
    same(format!("{policy} {order} over {}", case["runs"]), &ours, &texts(case, "sequence"))
}

/// What there is, by Airflow's word for the state of a run.
pub fn existing(run: Option<&Value>) -> Existing {
    match run.map(|run| run.as_str().expect("a state")) {
        None => Existing::Nothing,
        Some("success" | "skipped") => Existing::Good,
        Some("failed" | "canceled") => Existing::Bad,
        Some(_) => Existing::Active,
    }
}
