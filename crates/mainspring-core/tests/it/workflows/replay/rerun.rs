//! What is run again, and what it waits for.

use std::collections::BTreeMap;

use mainspring_core::workflow::rerun::{self, Plan, Planned, Recorded, RerunError, Selection};
use mainspring_core::workflow::{Decision, FailFast, Graph, Shape, TaskRule};
use serde_json::{Value, json};

use super::{Difference, rules, same, state, texts};

pub fn check(case: &Value) -> Result<(), Difference> {
    let nodes = texts(case, "nodes");
    let numbers: BTreeMap<&str, u32> = nodes.iter().copied().zip(0..).collect();
    let question = format!("{} of {}", case["flags"], case["states"]);
    let flags = &case["flags"];
    let plan = rerun::plan(
        &shape(case, &nodes, &numbers),
        &recorded(case, &nodes),
        &selection(flags, &numbers),
        flags["cancel_running"].as_bool().unwrap_or(false),
    );
    let plan = match plan {
        Ok(plan) => plan,
        Err(RerunError::Running(_)) => return same(question, &"running", &error(&case["expect"])),
    };
    let ours = shown(&plan, &nodes);
    for field in ["set", "ready", "pulled", "cannot_run", "counters"] {
        let theirs = match (case["expect"].get(field), field) {
            (Some(theirs), _) => sorted(theirs.clone()),
            (None, "cannot_run" | "counters") => json!({}),
            (None, _) => json!([]),
        };
        same(format!("{field}: {question}"), &sorted(ours[field].clone()), &theirs)?;
    }
    same(question, &"", &error(&case["expect"]))
}

fn error(expect: &Value) -> &str {
    expect["error"].as_str().unwrap_or("")
}

fn shape(case: &Value, nodes: &[&str], numbers: &BTreeMap<&str, u32>) -> Shape {
    let number = |end: &Value| numbers[end.as_str().expect("the name of a node")];
    let edges: Vec<(u32, u32)> =
        case["edges"].as_array().expect("edges").iter().map(|edge| (number(&edge[0]), number(&edge[1]))).collect();
    let rule = |node: &&str| TaskRule {
        trigger_rule: case["rules"][*node].as_str().map(rules::rule).unwrap_or_default(),
        ..TaskRule::default()
    };
    let graph = Graph::new(nodes.len(), &edges).expect("no cycles");
    Shape::new(graph, nodes.iter().map(rule).collect(), FailFast::Off)
}

fn recorded(case: &Value, nodes: &[&str]) -> Vec<Recorded> {
    let own_skip = texts(case, "own_skip");
    let record = |node: &&str| Recorded {
        state: case["states"][*node].as_str().map(state),
        by_condition: own_skip.contains(node),
    };
    nodes.iter().map(record).collect()
}

fn selection(flags: &Value, numbers: &BTreeMap<&str, u32>) -> Selection {
    let flag = |name: &str| flags[name].as_bool().unwrap_or(false);
    match flags["select"].as_str() {
        Some("failed") => Selection::Failed,
        Some("missing") => Selection::Missing,
        Some(other) => panic!("{other} is no selection"),
        None => Selection::Tasks {
            tasks: texts(flags, "tasks").iter().map(|task| numbers[task]).collect(),
            downstream: flag("downstream"),
            upstream: flag("upstream"),
        },
    }
}

fn shown(plan: &Plan, nodes: &[&str]) -> Value {
    let name = |planned: &Planned| nodes[planned.task as usize];
    let names = |holds: fn(&Planned) -> bool| -> Vec<&str> {
        plan.tasks.iter().filter(|planned| holds(planned)).map(name).collect()
    };
    let counters: BTreeMap<&str, [u32; 5]> =
        plan.tasks.iter().map(|planned| (name(planned), counters(planned))).collect();
    let cannot: BTreeMap<&str, &str> =
        plan.tasks.iter().filter_map(|planned| Some((name(planned), never(planned)?))).collect();
    json!({
        "set": names(|_| true),
        "ready": names(|planned| planned.decision == Decision::Run),
        "pulled": names(|planned| planned.pulled),
        "cannot_run": cannot,
        "counters": counters,
    })
}

fn counters(planned: &Planned) -> [u32; 5] {
    let counts = planned.counts;
    [counts.unfinished, counts.succeeded, counts.failed, counts.upstream_failed, counts.skipped]
}

fn never(planned: &Planned) -> Option<&'static str> {
    match planned.decision {
        Decision::Skip => Some("skipped"),
        Decision::FailUpstream => Some("upstream_failed"),
        Decision::Wait | Decision::Run => None,
    }
}

/// The order of names means nothing.
fn sorted(mut names: Value) -> Value {
    if let Some(names) = names.as_array_mut() {
        names.sort_by_key(ToString::to_string);
    }
    names
}
