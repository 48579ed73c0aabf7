//! Tasks that need tasks of other workflows: in files, and through the API.

use mainspring_api::client::Precondition;
use mainspring_api::{GraphFilter, RunNow, TaskState, WhyCode, WriteOptions};
use serde_json::json;

use crate::kit::{Running, spec};
use crate::workflows::{check, round, shown};

const COMMIT: WriteOptions = WriteOptions { dry_run: false };

#[test]
fn needs_of_other_workflows_are_tasks_of_the_graph_and_read_back_as_they_were_written() {
    let wanted = spec(json!({"name": "w", "defaults": {"timeout": "10m"}, "tasks": {
        "a": {"noop": true, "needs": {"workflow": "ingest", "task": "load", "timeout": "5m", "on_missing": "skip"}},
        "b": {"noop": true, "needs": [
            "a",
            {"workflow": "ingest", "offset": "-1d"},
            {"workflow": "ingest", "at": "covers"},
            {"workflow": "ingest", "task": "load", "timeout": "5m", "on_missing": "skip"},
            {"workflow": "w", "at": "previous"},
        ]},
    }}));
    let (written, job) = round(&wanted);
    let names: Vec<&str> = job.workflow().unwrap().tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "ingest:load@same", "ingest@-1d", "ingest@covers", "w@previous"]);
    assert_eq!(job.workflow().unwrap().shape().unwrap().graph().parents(1), [0, 2, 3, 4, 5]);
    let again = round(&written);
    assert_eq!(again, (written.clone(), job));
    assert_eq!(written.tasks.keys().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(written.tasks["a"], wanted.tasks["a"]);
}

#[test]
fn what_is_wrong_with_a_need_is_shown_where_it_is_written() {
    let cases: &[(&str, &[&str])] = &[
        (
            "  a: {noop: true, needs: [{workflow: i, at: same, offset: 1d}]}\n",
            &["error[field.value]: a need takes one of at and offset   --> w.yaml:3:59"],
        ),
        (
            "  a: {noop: true, needs: [{workflow: i, task: t}, {workflow: i, task: t}]}\n",
            &["error[field.value]: task \"a\" needs \"i:t@same\" twice   --> w.yaml:3:51"],
        ),
        (
            "  a: {noop: true, needs: {workflow: i, timeout: 1h}}\n  b: {noop: true, needs: {workflow: i}}\n",
            &[
                "error[field.value]: \"i@same\" is needed by another task with another timeout or on_missing   --> w.yaml:4:26\n  hint: write the same for both",
            ],
        ),
        (
            "  a: {noop: true, needs: [{workflow: i, offset: -1d}, {workflow: i, offset: -24h}]}\n",
            &["error[field.value]: task \"a\" needs \"i@-24h\" twice: it is the same as \"i@-1d\"   --> w.yaml:3:55"],
        ),
        (
            "  a: {noop: true, needs: {workflow: i, offset: -1d, timeout: 1h}}\n  b: {noop: true, needs: {workflow: i, offset: -24h}}\n",
            &[
                "error[field.value]: \"i@-24h\" is needed by another task as \"i@-1d\", with another timeout or on_missing   --> w.yaml:4:26\n  hint: write the same for both",
            ],
        ),
        (
            "  a: {noop: true, needs: {workflow: w}}\n",
            &[
                "error[workflow.need_circle]: workflows wait for each other at the same date: w → w (task a of w needs w)   --> w.yaml:3:26\n  hint: one of them may need the other one with at: previous",
            ],
        ),
    ];
    for (text, expected) in cases {
        let problems = check(&format!("name: w\ntasks:\n{text}")).unwrap_err();
        assert_eq!(shown(&problems), *expected, "{text}");
    }
    let reads = "${{ needs['i:t@same'].outputs.rows }}";
    let read = format!("  a: {{run: 'true', needs: {{workflow: i, task: t}}, env: {{A: \"{reads}\"}}}}\n");
    assert!(check(&format!("name: w\ntasks:\n{read}")).is_ok(), "nobody knows here what it leaves");
    let both = "jobs:\n  - name: a\n    tasks: {x: {noop: true, needs: {workflow: b, task: y}}}\n  - name: b\n    tasks: {y: {workflow: a}}\n";
    let message = "error[workflow.need_circle]: workflows wait for each other at the same date: a → b → a (task x of a needs task y of b; task y of b starts a)   --> w.yaml:3:36\n  hint: one of them may need the other one with at: previous";
    assert_eq!(shown(&check(both).unwrap_err()), [message]);
}

#[tokio::test]
async fn what_a_task_waits_for_elsewhere_is_shown_and_circles_are_refused() {
    let running = Running::start().await;
    let client = &running.client;
    let wanted = spec(json!({"name": "report", "tasks": {
        "sums": {"noop": true, "needs": {"workflow": "ingest", "task": "load"}},
    }}));
    let saved = client.put_job("default", &wanted, Precondition::None, COMMIT).await.unwrap();
    let warned: Vec<&str> = saved.warnings.iter().map(|warning| warning.code.as_str()).collect();
    assert_eq!(warned, ["workflow.need_unknown"]);
    let graph = client.job_graph("default", "report", &GraphFilter::default()).await.unwrap();
    let node = graph.tasks.iter().find(|task| task.kind == "external").unwrap();
    assert_eq!((node.name.as_str(), node.workflow.as_deref()), ("ingest:load@same", Some("ingest")));

    let run = client.run_job("default", "report", &RunNow::default()).await.unwrap().id;
    let said = loop {
        let why = client.why_run(&run).await.unwrap();
        let said = why.reasons.into_iter().find(|reason| reason.code == WhyCode::AwaitsRun);
        match said.filter(|reason| reason.message.contains("there was no run of ingest for")) {
            Some(said) => break said,
            None => tokio::task::yield_now().await,
        }
    };
    assert_eq!(said.task.as_deref(), Some("ingest:load@same"));
    let task = client.task(&run, "ingest:load@same").await.unwrap();
    assert_eq!(task.task.state, TaskState::Running);

    let circle = spec(json!({"name": "ingest", "tasks": {"load": {"noop": true, "needs": {"workflow": "report"}}}}));
    let refused = client.put_job("default", &circle, Precondition::None, COMMIT).await.unwrap_err();
    let codes: Vec<&str> = refused.problem().unwrap().errors.iter().map(|it| it.code.as_str()).collect();
    assert_eq!(codes, ["workflow.need_circle"]);
}
