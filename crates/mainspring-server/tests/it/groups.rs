//! Groups of tasks: in files, and through the API.

use mainspring_api::client::Precondition;
use mainspring_api::{GraphFilter, Marked, Rerun, RunNow, TaskFilter, TaskMark, TaskState, WriteOptions};
use mainspring_core::workflow::TriggerRule;
use serde_json::json;

use crate::kit::{Running, spec};
use crate::workflows::{check, round, shown};

const COMMIT: WriteOptions = WriteOptions { dry_run: false };

#[test]
fn groups_are_tasks_of_the_graph_and_read_back_as_they_were_written() {
    let wanted = spec(json!({"name": "w", "defaults": {"timeout": "10m", "env": {"A": "1", "B": "1"}},
        "groups": {
            "all": {"description": "both", "needs": "x", "defaults": {"retries": 2, "env": {"A": "2"}}},
            "part": {"group": "all", "needs": {"workflow": "ingest", "task": "load"}, "trigger_rule": "none_failed",
                "if": "${{ 1 == 1 }}", "defaults": {"env": {"A": "3"}}},
        },
        "tasks": {
            "x": {"noop": true},
            "a": {"group": "part", "run": "a", "if": "${{ 2 == 2 }}"},
            "b": {"group": "part", "run": "b", "needs": "a"},
            "c": {"group": "all", "run": "c", "needs": "part", "retries": 0},
            "d": {"group": "all", "run": "d", "trigger_rule": "all_done"},
            "e": {"noop": true, "needs": ["all", "x"], "trigger_rule": "one_failed"},
        },
    }));
    let (written, job) = round(&wanted);
    let workflow = job.workflow().unwrap();
    let names: Vec<&str> = workflow.tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, ["a", "all", "b", "c", "d", "e", "ingest:load@same", "part", "x"]);
    let task = |name: &str| &workflow.tasks[workflow.find(name).unwrap() as usize];
    let needs = |name: &str| task(name).needs.iter().map(|need| names[*need as usize]).collect::<Vec<_>>().join(" ");
    assert_eq!(
        ["a", "b", "c", "d", "e", "part", "all"].map(needs),
        ["ingest:load@same x", "a", "part", "x", "all x", "a b", "a b c d",]
    );
    assert_eq!(task("a").condition.as_deref(), Some("${{ (1 == 1) and (2 == 2) }}"));
    assert_eq!(
        [task("a"), task("b"), task("d")].map(|it| it.trigger_rule),
        [TriggerRule::NoneFailed, TriggerRule::AllSuccess, TriggerRule::AllDone,]
    );
    assert_eq!([task("a"), task("c"), task("e")].map(|it| it.job.retry.count), [2, 0, 0]);
    let again = round(&written);
    assert_eq!(again, (written.clone(), job.clone()));
    assert_eq!(written.groups, wanted.groups);
    assert_eq!(written.tasks, wanted.tasks);
}

#[test]
fn what_is_wrong_with_a_group_is_shown_where_it_is_written() {
    let cases: &[(&str, &[&str])] = &[
        (
            "groups: {load: {}}\ntasks:\n  a: {noop: true, group: lod}\n  b: {noop: true, group: load}\n",
            &[
                "error[workflow.unknown_task]: task \"a\" lies in unknown group \"lod\"   --> w.yaml:4:26\n  hint: did you mean \"load\"?",
            ],
        ),
        (
            "groups: {b: {}}\ntasks:\n  a: {noop: true, group: b}\n  b: {noop: true}\n",
            &[
                "error[field.value]: \"b\" is the name of a task, too   --> w.yaml:2:13\n  hint: give the group another name: both can be needed",
            ],
        ),
        (
            "groups: {load: {}}\ntasks:\n  b: {noop: true}\n",
            &[
                "error[field.value]: group \"load\" has no task   --> w.yaml:2:16\n  hint: write group: load in the tasks that lie in it",
            ],
        ),
        (
            "groups: {load: {needs: x}}\ntasks:\n  b: {noop: true, group: load}\n  x: {noop: true, needs: load}\n",
            &[
                "error[workflow.cycle]: dependency cycle: b → load → x → b (b needs x, line 2; x needs load, line 5; load needs b, line 4)   --> w.yaml:2:24",
            ],
        ),
        (
            "groups: {load: {needs: load}}\ntasks:\n  b: {noop: true, group: load}\n",
            &[
                "error[workflow.cycle]: dependency cycle: b → load → b (b needs load, line 2; load needs b, line 4)   --> w.yaml:2:24",
            ],
        ),
        (
            "groups: {a: {group: b}, b: {group: a}}\ntasks:\n  t: {noop: true, group: a}\n",
            &[
                "error[field.value]: group \"a\" lies in itself   --> w.yaml:2:21",
                "error[field.value]: group \"b\" lies in itself   --> w.yaml:2:36",
            ],
        ),
        (
            "groups: {load: {}}\ntasks:\n  a: {noop: true, group: load}\n  b: {noop: true, group: load, finally: true}\n",
            &[
                "error[field.value]: some tasks of group \"load\" run last, and some do not   --> w.yaml:2:16\n  hint: write finally: true in all of them, or make two groups",
            ],
        ),
        (
            "groups: {load: {if: '${{ needs.x.state }}', defaults: {needs: a}}}\ntasks:\n  a: {noop: true, group: load}\n",
            &[
                "error[workflow.expression]: group \"load\" does not need \"x\"   --> w.yaml:2:21\n  hint: add it to needs",
                "error[field.value]: \"needs\" cannot be a default   --> w.yaml:2:63",
            ],
        ),
        (
            "groups: {load: {defaults: {timeout: 1y}}}\ntasks:\n  a: {run: x, group: load}\n",
            &["error[schedule.duration]: `y` at column 2 is not a unit of time"],
        ),
    ];
    for (text, expected) in cases {
        let found = shown(&check(&format!("name: w\n{text}")).unwrap_err());
        assert_eq!(found.len(), expected.len(), "{text}: {found:#?}");
        for (found, expected) in found.iter().zip(*expected) {
            assert!(found.starts_with(expected), "{text}: {found}\n{expected}");
        }
    }
}

#[tokio::test]
async fn a_group_is_seen_and_steered_as_one() {
    let running = Running::start().await;
    let client = &running.client;
    let spec = spec(json!({"name": "etl", "groups": {"load": {}}, "tasks": {
        "eu": {"group": "load", "approval": {"prompt": "?"}},
        "us": {"group": "load", "noop": true},
        "sum": {"noop": true, "needs": "load", "trigger_rule": "all_done"},
        "bad": {"noop": true, "needs": "load", "trigger_rule": "one_failed"},
    }}));
    client.put_job("default", &spec, Precondition::None, COMMIT).await.unwrap();
    let graph = client.job_graph("default", "etl", &GraphFilter::default()).await.unwrap();
    let load = graph.tasks.iter().find(|task| task.name == "load").unwrap();
    assert_eq!((load.kind.as_str(), load.needs.join(" ").as_str(), graph.edges), ("group", "eu us", 4));
    assert_eq!(graph.tasks.iter().filter(|task| task.group.as_deref() == Some("load")).count(), 2);

    let run = client.run_job("default", "etl", &RunNow::default()).await.unwrap().id;
    loop {
        let load = client.task(&run, "load").await.unwrap().task;
        let counts = load.tasks.unwrap();
        if (load.state, counts.total, counts.succeeded, counts.running) == (TaskState::Running, 2, 1, 1) {
            break;
        }
        tokio::task::yield_now().await;
    }
    let why = client.task(&run, "sum").await.unwrap().why;
    assert_eq!(why.reasons[0].message, "waits for eu (rule all_done)");
    let mark = TaskMark { state: Marked::Failed, reason: None, by: None };
    client.mark_task(&run, "load", &mark).await.unwrap();
    while !client.run(&run).await.unwrap().state.is_final() {
        tokio::task::yield_now().await;
    }
    let tasks = client.tasks(&run, &TaskFilter::default()).await.unwrap().items;
    let states: Vec<String> = tasks.iter().map(|task| format!("{} {}", task.name, task.state)).collect();
    assert_eq!(states, ["bad succeeded", "eu failed", "load failed", "sum succeeded", "us succeeded"]);
    assert!(tasks[2].run.is_none(), "a group has no run");

    let asked = Rerun { tasks: vec!["load".to_owned()], ..Rerun::default() };
    let plan = client.plan_rerun(&run, &asked).await.unwrap();
    let rows: Vec<String> = plan.tasks.iter().map(|row| format!("{} {}", row.action, row.name)).collect();
    assert_eq!(rows, ["keep bad", "rerun eu", "keep sum", "rerun us"]);
}
