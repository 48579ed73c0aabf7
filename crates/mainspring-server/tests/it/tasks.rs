//! Tasks of workflow runs through the API: pages, items, reasons, and what is refused.

use mainspring_api::client::Precondition;
use mainspring_api::{
    ApprovalFilter, ErrorCode, GraphFilter, Marked, OnTimeout, Reason, RunFilter, RunNow, RunState, TaskFilter,
    TaskMark, TaskState, TriggerRule, WhyCode, WriteOptions,
};
use serde_json::json;

use crate::kit::{Running, code, spec};

const COMMIT: WriteOptions = WriteOptions { dry_run: false };

#[tokio::test]
async fn runs_of_tasks_are_found_by_their_labels() {
    let running = Running::start().await;
    let client = &running.client;
    let wanted = spec(json!({"name": "w", "labels": {"team": "finance", "tier": "1"},
    "defaults": {"labels": {"tier": "2"}},
    "tasks": {
        "extract": {"noop": true, "labels": {"source": "crm"}},
        "report": {"noop": true, "labels": {"tier": "3"}},
    }}));
    client.put_job("default", &wanted, Precondition::None, COMMIT).await.unwrap();
    let back = client.job("default", "w").await.unwrap();
    assert_eq!(back.spec.tasks, wanted.tasks, "they are written as they were read");
    assert_eq!(back.spec.defaults, wanted.defaults);
    let asked = client.run_job("default", "w", &RunNow::default()).await.unwrap();
    client.wait_for_run(&asked.id).await.unwrap();
    let found = async |label: &str, tasks: bool| {
        let filter = RunFilter { label: Some(label.into()), tasks: tasks.then_some(true), ..RunFilter::default() };
        let runs = client.runs("default", &filter).await.unwrap().items;
        let mut names: Vec<String> = runs.into_iter().map(|run| run.task.unwrap_or_default()).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(found("source=crm", true).await, ["extract"]);
    assert_eq!(found("team", true).await, ["", "extract", "report"]);
    assert_eq!(found("team=finance", false).await, [""], "runs of tasks are left out");
    for (label, expected) in [("tier=1", ""), ("tier=2", "extract"), ("tier=3", "report")] {
        assert_eq!(found(label, true).await, [expected], "{label}");
    }
    let by_query = RunFilter { q: Some("-label:source".into()), tasks: Some(true), ..RunFilter::default() };
    assert_eq!(client.runs("default", &by_query).await.unwrap().items.len(), 2);
    let extract = client.task(&asked.id, "extract").await.unwrap().task.run.unwrap();
    let labels = client.run(&extract).await.unwrap().labels;
    let pairs: Vec<(&str, &str)> = labels.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    assert_eq!(pairs, [("source", "crm"), ("team", "finance"), ("tier", "2")]);
    let wrong = spec(json!({"name": "w", "tasks": {"a": {"noop": true, "labels": {"a b": ""}}}}));
    let refused = client.put_job("default", &wrong, Precondition::None, COMMIT).await;
    let Err(mainspring_api::client::ClientError::Refused(refused)) = refused else { panic!("{refused:?}") };
    assert_eq!(refused.errors[0].pointer, "/tasks/a/labels/a b");
    running.stop().await;
}

#[tokio::test]
async fn tasks_are_listed_in_pages_with_their_runs() {
    let running = Running::start().await;
    let client = &running.client;
    let wanted = spec(json!({"name": "w", "tasks": {
        "a": {"noop": true},
        "b": {"noop": true, "needs": "a", "matrix": {"x": [1, 2, 3]}},
        "c": {"handler": "nobody", "needs": "a"},
        "d": {"noop": true, "needs": ["b", "c"]},
        "e": {"noop": true, "needs": ["b", "c"], "trigger_rule": "one_failed"},
    }}));
    client.put_job("default", &wanted, Precondition::None, COMMIT).await.unwrap();
    let graph = client.job_graph("default", "w", &GraphFilter::default()).await.unwrap();
    assert_eq!((graph.tasks.len(), graph.edges, graph.waves, graph.version), (5, 6, 3, 1));
    assert_eq!(graph.longest_path, ["a", "b", "e"]);
    let b = &graph.tasks[1];
    assert_eq!((b.wave, b.spread.as_deref(), b.needs.as_slice()), (2, Some("matrix"), &["a".to_owned()][..]));
    let other = GraphFilter { version: Some(9) };
    assert_eq!(code(client.job_graph("default", "w", &other).await), ErrorCode::VersionNotFound);

    let asked = client.run_job("default", "w", &RunNow::default()).await.unwrap();
    let run = client.wait_for_run(&asked.id).await.unwrap();
    assert_eq!(run.state, RunState::Failed);
    let run = client.run(&run.id).await.unwrap();
    assert_eq!(run.tasks.unwrap().to_string(), "5 tasks: 3 succeeded, 1 failed, 1 upstream_failed");
    let mut filter = TaskFilter { limit: Some(2), ..TaskFilter::default() };
    let mut found = Vec::new();
    loop {
        let page = client.tasks(&run.id, &filter).await.unwrap();
        found.extend(page.items);
        filter.cursor = page.next_cursor;
        if filter.cursor.is_none() {
            break;
        }
    }
    let names: Vec<(&str, TaskState)> = found.iter().map(|task| (task.name.as_str(), task.state)).collect();
    let (good, bad) = (TaskState::Succeeded, TaskState::Failed);
    assert_eq!(names, [("a", good), ("b", good), ("c", bad), ("d", TaskState::UpstreamFailed), ("e", good)]);
    assert_eq!(found[1].items.unwrap().succeeded, 3);
    assert_eq!(found[4].trigger_rule, TriggerRule::OneFailed);
    let failed = TaskFilter { state: Some(bad), ..TaskFilter::default() };
    assert_eq!(client.tasks(&run.id, &failed).await.unwrap().items, found[2..3]);
    let items = TaskFilter { items_of: Some("b".into()), ..TaskFilter::default() };
    let items = client.tasks(&run.id, &items).await.unwrap().items;
    assert_eq!(items.iter().map(|item| item.name.as_str()).collect::<Vec<_>>(), ["b[0]", "b[1]", "b[2]"]);

    let d = client.task(&run.id, "d").await.unwrap();
    assert_eq!((d.why.reasons[0].code, d.why.reasons[0].task.as_deref()), (WhyCode::TaskRule, Some("d")));
    assert!(d.why.reasons[0].message.contains("because of c"), "{:?}", d.why);
    let item = client.task(&run.id, "b[1]").await.unwrap().task;
    let child = client.run(item.run.as_deref().unwrap()).await.unwrap();
    assert_eq!((child.task.as_deref(), child.parent.as_ref()), (Some("b[1]"), Some(&run.id)));

    let all = client.runs("default", &RunFilter::default()).await.unwrap().items;
    assert_eq!(all.len(), 1, "runs of tasks are left out");
    let of_tasks = RunFilter { parent: Some(run.id.clone()), ..RunFilter::default() };
    assert_eq!(client.runs("default", &of_tasks).await.unwrap().items.len(), 6);
    running.stop().await;
}

#[tokio::test]
async fn what_cannot_be_asked_of_a_task_is_refused_with_its_reason() {
    let running = Running::start().await;
    let client = &running.client;
    for job in [
        json!({"name": "plain", "noop": true}),
        json!({"name": "w", "tasks": {
            "ask": {"approval": {"prompt": "go on?", "from": ["ann"]}},
            "done": {"noop": true},
            "next": {"noop": true, "needs": "ask"},
        }}),
    ] {
        client.put_job("default", &spec(job), Precondition::None, COMMIT).await.unwrap();
    }
    let plain = client.run_job("default", "plain", &RunNow::default()).await.unwrap().id;
    client.wait_for_run(&plain).await.unwrap();
    let none = Reason::default();
    let filter = TaskFilter::default();
    assert_eq!(code(client.tasks(&plain, &filter).await), ErrorCode::RunNotWorkflow);
    assert_eq!(code(client.pause_run(&plain, &none).await), ErrorCode::RunNotWorkflow);
    assert_eq!(code(client.job_graph("default", "plain", &GraphFilter::default()).await), ErrorCode::JobNotWorkflow);

    let run = client.run_job("default", "w", &RunNow::default()).await.unwrap().id;
    let stands = async |task: &str| client.task(&run, task).await.unwrap().task.state;
    while stands("done").await != TaskState::Succeeded || stands("ask").await != TaskState::Running {
        tokio::task::yield_now().await;
    }
    assert_eq!(code(client.task(&run, "nxet").await), ErrorCode::TaskNotFound);
    assert_eq!(code(client.skip_task(&run, "done", &none).await), ErrorCode::TaskFinal);
    assert_eq!(code(client.skip_task(&run, "ask", &none).await), ErrorCode::TaskStarted);
    assert_eq!(code(client.approve_task(&run, "next", &none).await), ErrorCode::TaskNoApproval);
    assert_eq!(code(client.approve_task(&run, "ask", &none).await), ErrorCode::TaskApprover);
    let all = ApprovalFilter::default();
    let inbox = client.approvals(&all).await.unwrap().items;
    assert_eq!((inbox.len(), inbox[0].run.as_str(), inbox[0].task.as_str()), (1, run.as_str(), "ask"));
    assert_eq!(
        (inbox[0].prompt.as_str(), inbox[0].from.as_slice(), inbox[0].until),
        ("go on?", &["ann".to_owned()][..], None)
    );
    let elsewhere = ApprovalFilter { namespace: Some("other".into()), ..ApprovalFilter::default() };
    assert_eq!(client.approvals(&elsewhere).await.unwrap().items, []);
    let child = client.task(&run, "ask").await.unwrap().task.run.unwrap();
    assert_eq!(code(client.rerun(&child, &none).await), ErrorCode::RunIsTask);
    let why = client.why_run(&run).await.unwrap().reasons;
    let asks = why.iter().find(|reason| reason.code == WhyCode::AwaitsApproval).unwrap();
    assert_eq!((asks.task.as_deref(), asks.message.as_str()), (Some("ask"), "waits for an approval: go on?"));
    let by_ann = Reason { by: Some("ann".into()), reason: Some("fine".into()) };
    client.approve_task(&run, "ask", &by_ann).await.unwrap();
    assert_eq!(client.wait_for_run(&run).await.unwrap().state, RunState::Succeeded);
    assert_eq!(client.task(&run, "ask").await.unwrap().task.reason.as_deref(), Some("approved by ann: fine"));
    assert_eq!(client.approvals(&all).await.unwrap().items, []);
    let mark = TaskMark { state: Marked::Failed, reason: None, by: None };
    assert_eq!(code(client.mark_task(&run, "next", &mark).await), ErrorCode::RunFinal);
    running.stop().await;
}

#[tokio::test]
async fn approvals_are_listed_in_pages_and_waits_are_none() {
    let running = Running::start().await;
    let client = &running.client;
    let wanted = spec(json!({"name": "w", "tasks": {
        "first": {"approval": {"prompt": "deploy ${{ params.what }}?", "timeout": "1h", "on_timeout": "skip"}},
        "second": {"approval": {"prompt": "really?"}},
        "nap": {"wait": {"for": "1h"}},
    }, "params": {"what": {"default": "web"}}}));
    client.put_job("default", &wanted, Precondition::None, COMMIT).await.unwrap();
    let run = client.run_job("default", "w", &RunNow::default()).await.unwrap().id;
    let all = ApprovalFilter::default();
    while client.approvals(&all).await.unwrap().items.len() < 2 {
        tokio::task::yield_now().await;
    }
    let mut filter = ApprovalFilter { namespace: Some("default".into()), limit: Some(1), ..ApprovalFilter::default() };
    let mut found = Vec::new();
    loop {
        let page = client.approvals(&filter).await.unwrap();
        assert!(page.items.len() <= 1);
        found.extend(page.items);
        filter.cursor = page.next_cursor;
        if filter.cursor.is_none() {
            break;
        }
    }
    found.sort_by(|a, b| a.task.cmp(&b.task));
    let tasks: Vec<&str> = found.iter().map(|it| it.task.as_str()).collect();
    assert_eq!(tasks, ["first", "second"]);
    assert_eq!((found[0].prompt.as_str(), found[0].job.as_str()), ("deploy web?", "w"));
    assert_eq!(found[0].on_timeout, Some(OnTimeout::Skip));
    assert!(found[0].until.is_some() && found[1].until.is_none());
    client.cancel_run(&run, &Reason::default()).await.unwrap();
    client.wait_for_run(&run).await.unwrap();
    assert_eq!(client.approvals(&all).await.unwrap().items, []);
    let bad = ApprovalFilter { cursor: Some("x".into()), ..ApprovalFilter::default() };
    assert_eq!(code(client.approvals(&bad).await), ErrorCode::RequestCursor);
    running.stop().await;
}
