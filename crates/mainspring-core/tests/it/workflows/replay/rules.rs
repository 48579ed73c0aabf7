//! Trigger rules: what each says about upstreams that ended.

use std::collections::BTreeSet;

use mainspring_core::workflow::{Counts, Decision, TaskState, TriggerRule};
use serde_json::Value;

use super::{Difference, same, text};

pub fn check(case: &Value) -> Result<(), Difference> {
    let (name, ups) = (text(case, "rule"), text(case, "up"));
    let question = || format!("{name} after {ups:?}");
    let theirs = expected(name, Ups::of(ups), text(case, "at_once"));
    // A removed upstream is none: edges belong to the version of a workflow, and so does each task.
    let states: Vec<TaskState> = ups.chars().filter_map(state).collect();
    let ours: BTreeSet<&str> = orders(&states).iter().map(|order| first_answer(rule(name), order)).collect();
    same(question(), &ours, &BTreeSet::from([theirs]))
}

/// The rule of that name. The one for teardowns is `all_done` when no upstream is a setup.
pub fn rule(name: &str) -> TriggerRule {
    match name {
        "all_done_setup_success" => TriggerRule::AllDone,
        name => TriggerRule::from_word(name).unwrap_or_else(|| panic!("{name} is no rule")),
    }
}

/// How many upstreams ended in which way.
struct Ups {
    succeeded: usize,
    failed: usize,
    upstream_failed: usize,
    skipped: usize,
    removed: usize,
}

impl Ups {
    fn of(letters: &str) -> Self {
        let count = |letter| letters.matches(letter).count();
        Self {
            succeeded: count('s'),
            failed: count('f'),
            upstream_failed: count('u'),
            skipped: count('k'),
            removed: count('r'),
        }
    }
}

/// What we are to answer where Airflow answers `at_once`.
fn expected<'a>(rule: &str, ups: Ups, at_once: &'a str) -> &'a str {
    let Ups { succeeded, failed, upstream_failed, skipped, removed } = ups;
    let bad = failed + upstream_failed;
    let left = succeeded + bad + skipped;
    match rule {
        // All removed: there is no upstream, and every rule runs.
        _ if removed > 0 && left == 0 => "run",
        "all_skipped" if removed > 0 && skipped == left => "run",
        "one_success" | "none_failed_min_one_success" if removed > 0 && skipped == left => "skipped",
        // Skips count as done.
        "all_done_min_one_success" if skipped > 0 && succeeded > 0 => "run",
        "all_done_min_one_success" if skipped > 0 && bad > 0 => "upstream_failed",
        "one_done" if succeeded + failed == 0 && upstream_failed > 0 => "upstream_failed",
        _ => at_once,
    }
}

fn state(letter: char) -> Option<TaskState> {
    match letter {
        's' => Some(TaskState::Succeeded),
        'f' => Some(TaskState::Failed),
        'u' => Some(TaskState::UpstreamFailed),
        'k' => Some(TaskState::Skipped),
        _ => None,
    }
}

/// All orders of a few states.
fn orders(states: &[TaskState]) -> Vec<Vec<TaskState>> {
    let Some((first, rest)) = states.split_first() else { return vec![Vec::new()] };
    let mut all = Vec::new();
    for order in orders(rest) {
        for place in 0..=order.len() {
            let mut order = order.clone();
            order.insert(place, *first);
            all.push(order);
        }
    }
    all
}

/// The first answer of a rule that is asked after each arrival.
fn first_answer(rule: TriggerRule, arrivals: &[TaskState]) -> &'static str {
    let mut counts = Counts::waiting_for(u32::try_from(arrivals.len()).expect("a few"));
    let mut answers = vec![counts.decide(rule)];
    for state in arrivals {
        counts.end(*state);
        answers.push(counts.decide(rule));
    }
    match answers.into_iter().find(|answer| *answer != Decision::Wait) {
        Some(Decision::Run) => "run",
        Some(Decision::Skip) => "skipped",
        Some(Decision::FailUpstream) => "upstream_failed",
        Some(Decision::Wait) | None => "never",
    }
}
