//! Workflows against recorded answers: those of Airflow 3.3.2, and those of a reference that tries everything.

mod replay;

use mainspring_core::workflow::{TaskState, TriggerRule};
use serde_json::Value;

/// Replays a file; fails with the first differences.
fn replay(file: &str, lines: &str) {
    let mut differences = Vec::new();
    let mut total = 0;
    for (number, line) in lines.lines().enumerate() {
        let case: Value = serde_json::from_str(line).expect("a line is JSON");
        total += 1;
        if let Err(replay::Difference { question, ours, theirs }) = replay::check(file, &case) {
            differences.push(format!("line {}: {question}\n    ours:   {ours}\n    theirs: {theirs}", number + 1));
        }
    }
    let wrong = differences.len();
    differences.truncate(5);
    assert!(wrong == 0 && total > 0, "{file}: {wrong} of {total} differ\n{}", differences.join("\n"));
}

macro_rules! replays {
    ($($test:ident: $file:literal;)*) => {$(
        #[test]
        fn $test() {
            replay($file, include_str!(concat!("../vectors/dag/", $file)));
        }
    )*};
}

replays! {
    trigger_rules_decide_as_recorded: "trigger_rules.jsonl";
    whole_graphs_end_as_recorded: "dags.jsonl";
    dates_are_as_recorded: "timetables.jsonl";
    backfills_create_what_is_recorded: "backfill.jsonl";
    dates_are_reprocessed_as_recorded: "reprocess.jsonl";
    reruns_are_planned_as_recorded: "rerun.jsonl";
}

#[test]
fn the_page_names_every_rule_and_state() {
    let page = include_str!("../../../../docs/reference/workflows.md");
    let rows = |words: Vec<&str>| words.iter().all(|word| page.contains(&format!("| `{word}` |")));
    assert!(rows(TriggerRule::ALL.iter().map(|rule| rule.as_str()).collect()));
    assert!(rows(TaskState::ALL.iter().filter(|state| state.is_final()).map(|state| state.as_str()).collect()));
}

#[test]
fn a_wrong_answer_is_told_with_both_answers() {
    let cases = [
        ("trigger_rules.jsonl", r#"{"rule":"all_done","up":"sf","at_once":"skipped"}"#, "run", "skipped"),
        (
            "reprocess.jsonl",
            r#"{"dates":["a"],"runs":{},"policy":"all","order":"asc","action":{"a":"keep"},"sequence":["a"]}"#,
            "create",
            "keep",
        ),
        (
            "rerun.jsonl",
            r#"{"nodes":["a"],"edges":[],"states":{"a":"success"},"flags":{"tasks":["a"]},"expect":{"set":[],"counters":{},"ready":[]}}"#,
            "a",
            "[]",
        ),
        (
            "dags.jsonl",
            r#"{"tasks":[{"id":"t","needs":[],"rule":"always","do":"fail"}],"airflow":{"run":"success","states":{"t":"success"}}}"#,
            "failed",
            "success",
        ),
    ];
    for (file, case, ours, theirs) in cases {
        let difference = replay::check(file, &serde_json::from_str(case).unwrap()).unwrap_err();
        assert!(difference.ours.contains(ours), "{file}: {}", difference.ours);
        assert!(difference.theirs.contains(theirs), "{file}: {}", difference.theirs);
    }
}
