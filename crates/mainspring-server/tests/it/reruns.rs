//! Workflow runs that run again in part, through the API: plan, carrying out, and what is refused.

use mainspring_api::client::{ClientError, Precondition};
use mainspring_api::{
    ErrorCode, Marked, Origin, ProblemDetails, Reason, Rerun, RerunAction, RerunChange, RerunPlan, Run, RunNow,
    RunState, TaskMark, TaskState, WriteOptions,
};
use serde_json::json;

use crate::kit::{Running, code, spec};

const COMMIT: WriteOptions = WriteOptions { dry_run: false };

/// Starts a server with a workflow `w` whose task `b` has failed in its first run: a → b → c, and d by itself.
async fn failed_once() -> (Running, Run) {
    let running = Running::start().await;
    put(&running, json!({})).await;
    let asked = running.client.run_job("default", "w", &RunNow::default()).await.unwrap();
    until_running(&running, &asked.id, "b").await;
    let mark = TaskMark { state: Marked::Failed, reason: None, by: None };
    running.client.mark_task(&asked.id, "b", &mark).await.unwrap();
    let run = running.client.wait_for_run(&asked.id).await.unwrap();
    assert_eq!(run.state, RunState::Failed);
    (running, run)
}

/// Waits until a task runs, which it must come to.
async fn until_running(running: &Running, run: &str, task: &str) {
    loop {
        let state = running.client.task(run, task).await.unwrap().task.state;
        assert!(!state.is_final(), "task {task} is {state}");
        if state == TaskState::Running {
            return;
        }
        tokio::task::yield_now().await;
    }
}

async fn put(running: &Running, more: serde_json::Value) {
    let mut tasks = json!({
        "a": {"noop": true},
        "b": {"approval": {"prompt": "a has ${{ needs.a.state }}, go on?"}, "needs": "a"},
        "c": {"noop": true, "needs": "b"},
        "d": {"noop": true},
    });
    tasks.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let wanted = spec(json!({"name": "w", "tasks": tasks}));
    running.client.put_job("default", &wanted, Precondition::None, COMMIT).await.unwrap();
}

fn tasks(names: &[&str]) -> Rerun {
    Rerun { tasks: names.iter().map(|name| (*name).to_owned()).collect(), ..Rerun::default() }
}

fn failed() -> Rerun {
    Rerun { failed: true, ..Rerun::default() }
}

fn rows(plan: &RerunPlan) -> Vec<(&str, RerunAction, &str)> {
    plan.tasks.iter().map(|task| (task.name.as_str(), task.action, task.reason.as_str())).collect()
}

fn refusal<T: std::fmt::Debug>(result: Result<T, ClientError>) -> Box<ProblemDetails> {
    match result {
        Err(ClientError::Refused(details)) => details,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_failed_runs_again_and_the_rest_keeps_its_results() {
    use RerunAction::{Keep, Rerun as Again};
    let (running, run) = failed_once().await;
    let client = &running.client;
    let plan = client.plan_rerun(&run.id, &failed()).await.unwrap();
    assert_eq!(
        rows(&plan),
        [("a", Keep, "succeeded"), ("b", Again, "failed"), ("c", Again, "after b"), ("d", Keep, "succeeded")]
    );
    assert_eq!((plan.reruns, plan.keeps, plan.cannot_run, plan.gone, plan.version), (2, 2, 0, 0, 1));
    assert!(plan.tasks[0].estimate_ms.is_some(), "a has run before");
    assert_eq!(client.plan_rerun(&run.id, &failed()).await.unwrap(), plan, "nothing has changed");
    assert_eq!(client.run(&run.id).await.unwrap().rerun_as, None, "a plan does nothing");

    let apply = Rerun { plan: Some(plan.plan.clone()), ..failed() };
    let new = client.rerun_tasks(&run.id, &apply).await.unwrap();
    assert_eq!((new.rerun_of.as_ref(), new.origin, new.job_version), (Some(&run.id), Origin::Retry, 1));
    until_running(&running, &new.id, "b").await;
    let why = client.why_run(&new.id).await.unwrap().reasons;
    assert!(why.iter().any(|it| it.message.contains("a has succeeded")), "b sees how a ended: {why:?}");
    client.approve_task(&new.id, "b", &Reason::default()).await.unwrap();
    assert_eq!(client.wait_for_run(&new.id).await.unwrap().state, RunState::Succeeded);

    let [before, kept] = [&run.id, &new.id].map(|run| client.task(run, "a"));
    let (before, kept) = (before.await.unwrap().task, kept.await.unwrap().task);
    assert_eq!((kept.run.as_ref(), kept.kept_from.as_ref()), (before.run.as_ref(), Some(&run.id)));
    assert_eq!((before.kept_from, kept.since), (None, before.since));
    let again = client.task(&new.id, "b").await.unwrap().task;
    assert_eq!((again.state, again.kept_from), (TaskState::Succeeded, None));
    let old = client.run(&run.id).await.unwrap();
    assert_eq!((old.state, old.rerun_as.as_ref()), (RunState::Failed, Some(&new.id)), "it stays as it was");

    let refused = refusal(client.rerun_tasks(&run.id, &apply).await);
    assert_eq!(refused.error_code(), Some(ErrorCode::RunPlanStale));
    assert_eq!(refused.errors[1].message, format!("run {} has repeated it meanwhile", new.id));
    running.stop().await;
}

#[tokio::test]
async fn newer_version_runs_what_it_has_and_says_what_is_different() {
    use RerunAction::{CannotRun, Gone, Keep, Rerun as Again};
    let (running, run) = failed_once().await;
    let client = &running.client;
    let latest = |tasks: Rerun| Rerun { version: Some("latest".into()), ..tasks };
    let before = client.plan_rerun(&run.id, &latest(tasks(&["c"]))).await.unwrap();
    assert_eq!(rows(&before)[2], ("c", CannotRun, "needs b, which is kept as failed: select that too"));
    let nothing = refusal(client.rerun_tasks(&run.id, &tasks(&["c"])).await);
    assert_eq!(nothing.error_code(), Some(ErrorCode::RunNothingToRerun));
    assert!(nothing.detail.contains("needs b"), "{nothing:?}");

    put(&running, json!({"c": {"noop": true, "needs": "e"}, "e": {"noop": true, "needs": "a"}})).await;
    let stale = Rerun { plan: Some(before.plan.clone()), ..latest(tasks(&["c"])) };
    let refused = refusal(client.rerun_tasks(&run.id, &stale).await);
    let texts: Vec<&str> = refused.errors.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(refused.status, 409);
    assert_eq!(texts[1], "version 2 would run, and version 1 was planned");
    assert!(texts[2].starts_with("task c: rerun") && texts[2].contains("planned was cannot_run"), "{texts:?}");
    assert!(texts[3].starts_with("task e: rerun") && texts[3].ends_with("planned was no such task"), "{texts:?}");

    let plan = client.plan_rerun(&run.id, &latest(tasks(&["c"]))).await.unwrap();
    assert_eq!((plan.job_version, plan.version, plan.latest_version), (1, 2, 2));
    assert_eq!(
        rows(&plan),
        [
            ("a", Keep, "succeeded"),
            ("b", Keep, "failed"),
            ("c", Again, "chosen"),
            ("d", Keep, "succeeded"),
            ("e", Again, "new in the version that is to run"),
        ]
    );
    let changes: Vec<Option<RerunChange>> = plan.tasks.iter().map(|task| task.change).collect();
    assert_eq!(changes, [None, None, Some(RerunChange::Changed), None, Some(RerunChange::New)]);
    let new = client.rerun_tasks(&run.id, &latest(tasks(&["c"]))).await.unwrap();
    let new = client.wait_for_run(&new.id).await.unwrap();
    assert_eq!((new.state, new.job_version), (RunState::Failed, 2), "b is kept as it ended");
    assert_eq!(client.task(&new.id, "c").await.unwrap().task.state, TaskState::Succeeded);
    assert_eq!(client.task(&new.id, "b").await.unwrap().task.state, TaskState::Failed);

    let pinned = Rerun { version: Some("1".into()), ..tasks(&["a"]) };
    let plan = client.plan_rerun(&new.id, &pinned).await.unwrap();
    assert_eq!(plan.tasks.last().map(|task| (task.name.as_str(), task.action)), Some(("e", Gone)));
    running.stop().await;
}

#[tokio::test]
async fn whole_workflow_runs_again_under_one_key_once() {
    let (running, run) = failed_once().await;
    let path = format!("/api/v1/runs/{}/rerun", run.id);
    let mut ids = Vec::new();
    for _ in 0..2 {
        let answer = running.request("POST", &path).header("Idempotency-Key", "k").send().await.unwrap();
        assert_eq!(answer.status(), 201);
        ids.push(answer.json::<Run>().await.unwrap().id);
    }
    assert_eq!(ids[0], ids[1]);
    let all = running.client.task(&ids[0], "a").await.unwrap().task;
    assert_eq!(all.kept_from, None, "nothing is kept");
    running.stop().await;
}

#[tokio::test]
async fn what_cannot_run_again_is_refused_with_its_reason() {
    let (running, run) = failed_once().await;
    let client = &running.client;
    let plain = spec(json!({"name": "plain", "noop": true}));
    client.put_job("default", &plain, Precondition::None, COMMIT).await.unwrap();
    let plain = client.run_job("default", "plain", &RunNow::default()).await.unwrap().id;
    client.wait_for_run(&plain).await.unwrap();
    assert_eq!(code(client.plan_rerun(&plain, &tasks(&["a"])).await), ErrorCode::RunNotWorkflow);
    assert_eq!(code(client.rerun_tasks(&plain, &failed()).await), ErrorCode::RunNotWorkflow);
    let again = client.rerun(&plain, &Reason::default()).await.unwrap();
    assert_eq!(again.rerun_of, Some(plain));

    let unknown = refusal(client.rerun_tasks(&run.id, &tasks(&["a", "bb"])).await);
    assert_eq!(unknown.error_code(), Some(ErrorCode::TaskNotFound));
    assert!(unknown.hint.is_some_and(|hint| hint.contains('b')));
    let version = |version: &str| Rerun { version: Some(version.into()), ..failed() };
    assert_eq!(code(client.plan_rerun(&run.id, &version("9")).await), ErrorCode::VersionNotFound);
    for wrong in [
        version("newest"),
        version("-1"),
        Rerun { downstream: true, ..Rerun::default() },
        Rerun { failed: true, ..tasks(&["a"]) },
        Rerun { failed: true, missing: true, ..Rerun::default() },
    ] {
        assert_eq!(code(client.plan_rerun(&run.id, &wrong).await), ErrorCode::FieldValue, "{wrong:?}");
    }
    let missing = Rerun { missing: true, ..Rerun::default() };
    assert_eq!(client.plan_rerun(&run.id, &missing).await.unwrap().reruns, 0);
    assert_eq!(code(client.rerun_tasks(&run.id, &missing).await), ErrorCode::RunNothingToRerun);
    let stale = Rerun { plan: Some("0123456789ab".into()), ..failed() };
    let refused = refusal(client.rerun_tasks(&run.id, &stale).await);
    assert_eq!(refused.errors[1].message, "what was planned is not known any more");

    let live = client.rerun_tasks(&run.id, &failed()).await.unwrap();
    until_running(&running, &live.id, "b").await;
    assert_eq!(code(client.rerun_tasks(&live.id, &failed()).await), ErrorCode::RunNothingToRerun);
    let refused = refusal(client.rerun(&live.id, &Reason::default()).await);
    assert_eq!(refused.error_code(), Some(ErrorCode::RunLive));
    assert!(refused.detail.starts_with("task b runs of run"), "{refused:?}");
    assert!(refused.hint.is_some_and(|hint| hint.contains("--cancel-running")));
    put(&running, json!({"f": {"noop": true}})).await;
    let newest = Rerun { version: Some("latest".into()), cancel_running: true, ..tasks(&["b"]) };
    assert_eq!(code(client.rerun_tasks(&live.id, &newest).await), ErrorCode::RunLive, "it keeps its version");
    let child = client.task(&run.id, "a").await.unwrap().task.run.unwrap();
    let refused = refusal(client.plan_rerun(&child, &failed()).await);
    assert_eq!(refused.error_code(), Some(ErrorCode::RunIsTask));
    assert!(refused.hint.is_some_and(|hint| hint.contains(&format!("{} --task a", run.id))));
    running.stop().await;
}

#[tokio::test]
async fn tasks_of_a_run_that_goes_on_run_again_in_it() {
    use RerunAction::{GoesOn, Keep, Rerun as Again};
    let running = Running::start().await;
    put(&running, json!({"e": {"approval": {"prompt": "?"}}})).await;
    let client = &running.client;
    let run = client.run_job("default", "w", &RunNow::default()).await.unwrap();
    until_running(&running, &run.id, "b").await;
    until_running(&running, &run.id, "e").await;
    let before = client.task(&run.id, "b").await.unwrap().task;

    let asked = Rerun { downstream: true, cancel_running: true, ..tasks(&["a"]) };
    let plan = client.plan_rerun(&run.id, &asked).await.unwrap();
    assert_eq!(
        rows(&plan),
        [
            ("a", Again, "chosen"),
            ("b", Again, "after a; its run is cancelled first"),
            ("c", Again, "after b"),
            ("d", Keep, "succeeded"),
            ("e", GoesOn, "running"),
        ]
    );
    assert_eq!((plan.in_place, plan.cancels, plan.goes_on, plan.keeps), (true, 1, 1, 1));
    // What happens beside the plan does not matter to it.
    client.approve_task(&run.id, "e", &Reason::default()).await.unwrap();
    loop {
        if client.task(&run.id, "e").await.unwrap().task.state.is_final() {
            break;
        }
        tokio::task::yield_now().await;
    }
    let apply = Rerun { plan: Some(plan.plan.clone()), ..asked };
    let same = client.rerun_tasks(&run.id, &apply).await.unwrap();
    assert_eq!((&same.id, same.rerun_of), (&run.id, None), "it is the same run");
    let again = loop {
        let task = client.task(&run.id, "b").await.unwrap().task;
        if task.state == TaskState::Running && task.run != before.run {
            break task;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!((before.generation, again.generation), (0, 1));
    let old = client.run(before.run.as_ref().unwrap()).await.unwrap();
    assert_eq!((old.state, old.reason.as_deref()), (RunState::Cancelled, Some("its task runs again")));
    let refused = refusal(client.rerun_tasks(&run.id, &apply).await);
    assert_eq!(refused.error_code(), Some(ErrorCode::RunPlanStale), "it was carried out");
    client.approve_task(&run.id, "b", &Reason::default()).await.unwrap();
    assert_eq!(client.wait_for_run(&run.id).await.unwrap().state, RunState::Succeeded);
    running.stop().await;
}
