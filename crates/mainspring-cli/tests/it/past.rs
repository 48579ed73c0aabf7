//! What has been: runs, and the instants that did not become one.

use serde_json::Value;

use crate::live::{Live, until};
use crate::program::Program;

#[test]
fn histories_show_what_was_suppressed_between_the_runs() {
    let program = Program::new();
    let live = Live::start(&program);
    let job = "name: busy\nrun: sleep 600\nschedule: {every: 1s}\noverlap: skip\n";
    program.file("busy.yaml", job);
    assert_eq!(program.run(&["apply", "-f", "busy.yaml"]).code, 0);
    let twice = |ended: &crate::program::Ended| ended.stdout.matches("suppressed").count() >= 2;
    let gaps = until(&program, &["trigger", "gaps", "busy/every", "-o", "json"], twice).stdout;
    let gaps: Value = serde_json::from_str(&gaps).unwrap();
    let instants: Vec<_> = gaps["items"].as_array().unwrap().iter().map(|gap| gap["last"].as_str().unwrap()).collect();
    assert!(instants.is_sorted_by(|newer, older| newer > older), "newest first: {instants:?}");
    let shown = |arguments: &[&str]| {
        let ended = program.run(arguments);
        assert_eq!(ended.code, 0, "{arguments:?}: {ended:?}");
        ended.stdout
    };
    let one = shown(&["trigger", "gaps", "busy/every", "--since", instants[1], "--until", instants[0], "-o", "jsonl"]);
    assert!(one.lines().count() == 1 && one.contains(instants[1]), "{one}");
    assert_eq!(shown(&["trigger", "gaps", "busy/every", "--until", "2020-01-01"]), "");

    let history = shown(&["job", "history", "busy"]);
    assert!(history.contains("suppressed") && history.contains("overlap (skip)"), "{history}");
    assert_eq!(shown(&["job", "history", "busy", "--until", "2020-01-01"]), "");
    assert_eq!(shown(&["job", "history", "busy", "-o", "name"]), "", "an instant without a run has no id");
    let all = shown(&["run", "list", "--job", "busy", "--all-outcomes"]);
    assert!(
        all.lines().nth(1).unwrap().contains("suppressed") && all.lines().last().unwrap().contains("running"),
        "{all}"
    );
    let all: Value = serde_json::from_str(&shown(&["run", "list", "busy", "--all-outcomes", "-o", "json"])).unwrap();
    let items = all["items"].as_array().unwrap();
    assert!(items[0]["outcome"] == "suppressed" && items.last().unwrap()["state"] == "running", "{all}");
    assert!(!shown(&["run", "list", "busy"]).contains("suppressed"));
    live.stop();
}
