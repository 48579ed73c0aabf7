//! Runs: asked for, listed, cancelled, repeated; their attempts and logs.

use std::sync::Arc;

use mainspring_api::client::{ClientError, Precondition};
use mainspring_api::{AttemptState, ErrorCode, LogFilter, Origin, Reason, RunFilter, RunNow, RunState, WriteOptions};
use mainspring_engine::{Engine, RunContext};
use mainspring_server::Settings;
use mainspring_store::MemoryStore;
use serde_json::{Value, json};

use crate::kit::{Running, code, spec};

const COMMIT: WriteOptions = WriteOptions { dry_run: false };

#[tokio::test]
async fn a_run_asked_for_runs_and_is_remembered() {
    let running = Running::start().await;
    let client = &running.client;
    running.engine.handlers().register("echo", |context: RunContext| async move { context.input() });
    let wanted = spec(
        json!({"name": "echo", "handler": "echo", "input": {"a": 1}, "params": {"region": {"default": "eu"}, "b": {}}}),
    );
    client.put_job("default", &wanted, Precondition::None, COMMIT).await.unwrap();

    let ask = RunNow { params: [("b".to_owned(), json!(2))].into(), ..RunNow::default() };
    let asked = client.run_job("default", "echo", &ask).await.unwrap();
    let run = client.wait_for_run(&asked.id).await.unwrap();
    assert_eq!((run.state, run.origin, run.attempt, run.attempts_max), (RunState::Succeeded, Origin::Api, 1, 1));
    let input = json!({"a": 1, "b": 2, "region": "eu"});
    assert_eq!((run.input.as_ref(), run.output.as_ref()), (Some(&input), Some(&input)));
    assert!(run.started_at.is_some() && run.ended_at >= run.started_at && run.fire_at.is_none());

    let attempts = client.attempts(&run.id).await.unwrap();
    assert_eq!((attempts.len(), attempts[0].number, attempts[0].state), (1, 1, AttemptState::Succeeded));
    let again = client.rerun(&run.id, &Reason::default()).await.unwrap();
    assert_eq!((again.rerun_of.as_ref(), again.origin), (Some(&run.id), Origin::Retry));
    client.wait_for_run(&again.id).await.unwrap();

    let history = client.job_history("default", "echo", &RunFilter::default()).await.unwrap();
    assert_eq!(history.items.iter().map(|it| &it.id).collect::<Vec<_>>(), [&again.id, &run.id], "newest first");
    let first = RunFilter { limit: Some(1), job: Some("echo".into()), ..RunFilter::default() };
    let page = client.runs("default", &first).await.unwrap();
    let rest = RunFilter { cursor: page.next_cursor, ..first };
    let rest = client.runs("default", &rest).await.unwrap();
    assert_eq!((&page.items[0].id, &rest.items[0].id, rest.next_cursor), (&again.id, &run.id, None));
    let failed = RunFilter { state: Some(RunState::Failed), ..RunFilter::default() };
    assert!(client.runs("default", &failed).await.unwrap().items.is_empty());
    assert_eq!(client.job("default", "echo").await.unwrap().last_run.unwrap().id, again.id);

    assert_eq!(code(client.cancel_run(&run.id, &Reason::default()).await), ErrorCode::RunFinal);
    for unknown in ["x", "00000000-0000-8000-8000-000000000000"] {
        assert_eq!(code(client.run(unknown).await), ErrorCode::RunNotFound);
    }
    running.stop().await;
}

#[tokio::test]
async fn the_history_of_a_deleted_job_is_found_by_its_name() {
    let running = Running::start().await;
    let client = &running.client;
    let mut ids = Vec::new();
    for name in ["a", "b"] {
        let wanted = spec(json!({"name": name, "noop": true}));
        client.put_job("default", &wanted, Precondition::None, COMMIT).await.unwrap();
        let run = client.run_job("default", name, &RunNow::default()).await.unwrap();
        ids.push(client.wait_for_run(&run.id).await.unwrap().id);
    }
    client.delete_job("default", "a", Precondition::None, COMMIT).await.unwrap();
    let by_name = RunFilter { job: Some("a".into()), ..RunFilter::default() };
    let history = client.job_history("default", "a", &RunFilter::default()).await.unwrap();
    for page in [history, client.runs("default", &by_name).await.unwrap()] {
        assert_eq!(page.items.iter().map(|run| &run.id).collect::<Vec<_>>(), [&ids[0]]);
    }
    assert_eq!(code(client.job_history("default", "c", &RunFilter::default()).await), ErrorCode::JobNotFound);
    running.stop().await;
}

#[tokio::test]
async fn input_that_does_not_fit_the_job_is_refused() {
    let running = Running::start().await;
    let client = &running.client;
    let params = json!({"count": {"type": "integer"}, "region": {"enum": ["eu", "us"], "required": true}});
    let wanted = spec(json!({"name": "a", "noop": true, "params": params}));
    client.put_job("default", &wanted, Precondition::None, COMMIT).await.unwrap();
    let cases = [
        (json!({"params": {"region": "eu"}}), None),
        (json!({"input": {"region": "us", "count": 1}}), None),
        (json!({}), Some(("param.missing", "/params/region"))),
        (json!({"params": {"region": "eu", "cuont": 1}}), Some(("param.unknown", "/params/cuont"))),
        (json!({"params": {"region": "eu", "count": "1"}}), Some(("param.type", "/params/count"))),
        (json!({"params": {"region": "asia"}}), Some(("param.value", "/params/region"))),
        (json!({"params": {"region": "eu"}, "input": [1]}), Some(("field.type", "/input"))),
    ];
    for (ask, wrong) in cases {
        let asked = client.run_job("default", "a", &serde_json::from_value(ask.clone()).unwrap()).await;
        let problems = match asked {
            Err(ClientError::Refused(problem)) => problem.errors,
            asked => asked.map(|_| Vec::new()).unwrap(),
        };
        let found = problems.first().map(|it| (it.code.as_str(), it.pointer.as_str()));
        assert_eq!((found, problems.len()), (wrong, usize::from(wrong.is_some())), "{ask}");
    }
    let runs = client.runs("default", &RunFilter::default()).await.unwrap();
    assert_eq!(runs.items.len(), 2, "what is refused leaves no run");
    running.stop().await;
}

#[tokio::test]
async fn a_server_that_drains_takes_no_runs() {
    let running = Running::start().await;
    let client = &running.client;
    client.put_job("default", &spec(json!({"name": "a", "noop": true})), Precondition::None, COMMIT).await.unwrap();
    let before = client.run_job("default", "a", &RunNow::default()).await.unwrap();
    client.wait_for_run(&before.id).await.unwrap();
    running.engine.drain();
    assert_eq!(code(client.run_job("default", "a", &RunNow::default()).await), ErrorCode::ServerDraining);
    assert_eq!(code(client.rerun(&before.id, &Reason::default()).await), ErrorCode::ServerDraining);
    assert_eq!(client.runs("default", &RunFilter::default()).await.unwrap().items.len(), 1);
    running.stop().await;
}

#[tokio::test]
async fn a_run_that_hangs_is_cancelled_with_the_reason() {
    let running = Running::start().await;
    let client = &running.client;
    running.engine.handlers().register("hang", |context: RunContext| async move { context.cancelled().await });
    client
        .put_job("default", &spec(json!({"name": "hang", "handler": "hang"})), Precondition::None, COMMIT)
        .await
        .unwrap();
    let asked = client.run_job("default", "hang", &RunNow::default()).await.unwrap();
    let reason = Reason { reason: Some("enough".into()), ..Reason::default() };
    let cancelled = client.cancel_run(&asked.id, &reason).await.unwrap();
    assert!(cancelled.cancel_requested_at.is_some() || cancelled.state == RunState::Cancelled);
    let run = client.wait_for_run(&asked.id).await.unwrap();
    assert_eq!(run.state, RunState::Cancelled);
    assert!(run.reason.is_some_and(|reason| reason.contains("enough")));
    running.stop().await;
}

#[cfg(unix)]
#[tokio::test]
async fn logs_are_numbered_through_all_attempts() {
    let folder = tempfile::tempdir().unwrap();
    let engine_settings = mainspring_engine::Settings::default().with_tasks(folder.path());
    let engine = Engine::start(Arc::new(MemoryStore::new()), engine_settings).await.unwrap();
    let running = Running::over(Arc::new(engine), Settings::default()).await;
    let client = &running.client;
    let wanted = spec(json!({"name": "talk", "run": "echo one; echo two; exit 3", "retries": 1}));
    client.put_job("default", &wanted, Precondition::None, COMMIT).await.unwrap();
    let asked = client.run_job("default", "talk", &RunNow::default()).await.unwrap();

    let mut follower = client.follow_log(&asked.id, &LogFilter::default()).await.unwrap();
    let mut followed = Vec::new();
    let end = loop {
        match follower.next().await.unwrap().expect("the end of the run ends the stream") {
            mainspring_api::client::LogItem::Line(line) => followed.push(line),
            mainspring_api::client::LogItem::End(run) => break run,
        }
    };
    assert_eq!((end.state, end.attempt, end.exit_code), (RunState::Failed, 2, Some(3)));
    assert!(followed.iter().map(|line| line.line).eq(1..=followed.len() as u64), "{followed:?}");
    let said = |attempt| {
        followed.iter().filter(|line| line.attempt == attempt && ["one", "two"].contains(&&*line.text)).count()
    };
    assert_eq!((said(1), said(2)), (2, 2), "{followed:?}");

    let whole = client.log(&asked.id, &LogFilter::default()).await.unwrap();
    assert_eq!((&whole.lines, whole.complete), (&followed, true));
    let tail = client.log(&asked.id, &LogFilter { tail: Some(1), ..LogFilter::default() }).await.unwrap();
    assert_eq!(tail.lines, followed[followed.len() - 1..]);
    let second = client.log(&asked.id, &LogFilter { attempt: Some(2), ..LogFilter::default() }).await.unwrap();
    assert!(second.lines.iter().eq(followed.iter().filter(|line| line.attempt == 2)), "{second:?}");
    let mut parts = Vec::new();
    let mut filter = LogFilter { limit: Some(1), ..LogFilter::default() };
    loop {
        let part = client.log(&asked.id, &filter).await.unwrap();
        parts.extend(part.lines);
        filter.from_line = Some(part.next_line);
        if part.complete {
            break;
        }
    }
    assert_eq!(parts, followed);
    let missing = LogFilter { attempt: Some(3), ..LogFilter::default() };
    assert_eq!(code(client.log(&asked.id, &missing).await), ErrorCode::AttemptNotFound);
    running.stop().await;
}

#[tokio::test]
async fn programs_are_told_from_people() {
    let running = Running::start().await;
    running
        .client
        .put_job("default", &spec(json!({"name": "a", "noop": true})), Precondition::None, COMMIT)
        .await
        .unwrap();
    let answer = running.request("POST", "/api/v1/namespaces/default/jobs/a/run").send().await.unwrap();
    assert_eq!(answer.status(), 201);
    let run: Value = answer.json().await.unwrap();
    assert_eq!(run["origin"], "api", "a body is not needed");
    running.stop().await;
}
