//! What the builder of workflows makes of groups, policies, and needs of other workflows.

use std::time::Duration;

use mainspring::prelude::*;
use mainspring::{Approval, At, Elsewhere, LogicalDate, NeedAt, OnMissing, OnTimeout, TaskState};

#[tokio::test]
async fn groups_need_their_tasks_and_their_first_tasks_what_they_need() {
    let scheduler = Scheduler::builder().start("memory:").await.expect("starts");
    let mut sales = workflow("sales");
    let rates = sales.task("rates", (), async |_run, ()| anyhow::Ok(1));
    let outer = sales.group("outer", &rates);
    let inner = sales.group("inner", ());
    sales.group_in_group(&inner, &outer);
    let load = sales.task("load", (), async |_run, ()| anyhow::Ok(2));
    let check = sales.task("check", &load, async |_run, _: i32| anyhow::Ok(3));
    sales.in_group(&load, &inner);
    sales.in_group(&check, &outer);
    let publish = sales.task("publish", (), async |_run, ()| anyhow::Ok(4));
    sales.after_group(&publish, &outer);
    let saved = scheduler.add_workflow(sales).await.expect("a good workflow");
    let tasks = &saved.definition.workflow().expect("it is one").tasks;
    let needs = |name: &str| {
        let task = tasks.iter().find(|task| task.name == name).expect("it is there");
        task.needs.iter().map(|need| tasks[*need as usize].name.as_str()).collect::<Vec<_>>()
    };
    assert_eq!((needs("outer"), needs("inner")), (vec!["load", "check"], vec!["load"]));
    assert_eq!((needs("load"), needs("check"), needs("publish")), (vec!["rates"], vec!["load"], vec!["outer"]));
    let run = scheduler.run_now("sales").await.expect("asked for");
    assert_eq!(scheduler.wait(run.id).await.expect("it ends").state, RunState::Succeeded);
    scheduler.shutdown(Duration::from_secs(10)).await.expect("stops");
}

#[tokio::test]
async fn policies_leave_what_a_task_does_as_it_is() {
    let scheduler = Scheduler::builder().start("memory:").await.expect("starts");
    let mut sales = workflow("sales").settings(|it| {
        it.owner("data").handler("other").namespace("else").logical_date(LogicalDate::Start).input(json!({"n": 1}))
    });
    let list = sales.task("list", (), async |_run, ()| anyhow::Ok(vec![1]));
    let count = sales.task("count", &list, async |_run, list: Vec<i32>| anyhow::Ok(list.len()));
    sales.with(&count, |it| it.handler("other").input(json!(0)).priority(9).env("A", "b").on_workers("gpu", "yes"));
    sales.with(&count, |it| it.priority(7));
    let saved = scheduler.add_workflow(sales).await.expect("a good workflow");
    let job = &saved.definition;
    assert_eq!((job.key.to_string().as_str(), job.owner.as_str()), ("default/sales", "data"));
    assert_eq!((job.logical_date, &job.input), (LogicalDate::Start, &json!({"n": 1})));
    let task = &job.workflow().expect("it is one").tasks[1].job;
    assert_eq!((task.priority, task.env["A"].as_str(), task.routing.workers["gpu"].as_str()), (7, "b", "yes"));
    assert_eq!(task.input, json!(["${{ needs['list'].outputs.output }}"]));
    scheduler.shutdown(Duration::from_secs(10)).await.expect("stops");
}

#[tokio::test]
async fn tasks_wait_for_others_elsewhere_for_instants_and_for_people() {
    let scheduler = Scheduler::builder().start("memory:").await.expect("starts");
    let mut sums = workflow("sums");
    let need = Elsewhere {
        workflow: "ingest".into(),
        task: None,
        at: At::Word(NeedAt::Same),
        on_missing: OnMissing::Succeed,
        timeout_ms: None,
    };
    let loaded = sums.elsewhere(need);
    let past = sums.wait_until("past", (), "${{ run.logical_date }}");
    let approval = Approval {
        prompt: "go on?".into(),
        timeout_ms: Some(0),
        on_timeout: OnTimeout::Approve,
        ..Approval::default()
    };
    let asked = sums.ask("asked", &past, approval);
    let sum = sums.task("sum", (), async |_run, ()| anyhow::Ok(()));
    sums.after(&sum, (&loaded, &asked));
    scheduler.add_workflow(sums).await.expect("a good workflow");
    let run = scheduler.run_now("sums").await.expect("asked for");
    assert_eq!(scheduler.wait(run.id).await.expect("it ends").state, RunState::Succeeded);
    let states = scheduler.task_states(run.id).await.expect("read");
    assert!(states.iter().all(|(_, state)| *state == TaskState::Succeeded), "{states:?}");
    scheduler.shutdown(Duration::from_secs(10)).await.expect("stops");
}
