//! Tasks that start other workflows: what rows say before the runs are there, and what becomes of runs that are to end.

use mainspring_core::job::RetryPolicy;
use mainspring_core::run::Origin;
use mainspring_core::workflow::Call;
use mainspring_store::{RunInfo, TaskStart};
use serde_json::Map;

use super::*;

const PART: Place = (0, None);

/// A task that starts another workflow, and is tried again after a pause.
fn calling() -> World {
    let mut part = task("part", &[]);
    part.job.retry = RetryPolicy { count: 3, delay_ms: 500, ..RetryPolicy::default() };
    part.call = Some(Call { workflow: "inner".to_owned(), inputs: Map::new() });
    World::new(Workflow { tasks: vec![part], ..Workflow::default() })
}

fn named(world: &World) -> RunId {
    world.tasks[&PART].child.expect("its row names a run")
}

fn run_of(id: RunId, cancel_requested_at: Option<Timestamp>) -> RunInfo {
    RunInfo {
        id,
        job: JobId(2),
        key: JobKey::new("default", "inner"),
        job_version: JobVersion(1),
        trigger: None,
        trigger_name: None,
        state: RunState::Running,
        origin: Origin::Api,
        fire_time: AT,
        due_at: AT,
        created_at: AT,
        claimed_at: None,
        started_at: None,
        ended_at: None,
        attempt: 1,
        queue: "default".to_owned(),
        worker: None,
        node: None,
        parent: None,
        task: None,
        shard: None,
        priority: 5,
        not_before: None,
        cancel_requested_at,
        reason: None,
        input: None,
        output: None,
        exit_code: None,
        signal: None,
        error_code: None,
        error: None,
        rerun_of: None,
        cause: None,
        caller: None,
        expires_at: None,
    }
}

/// As whoever reads the rows after a crash has it, with what is known of the run that they name.
fn loaded(world: &World, run: Option<RunInfo>) -> Live {
    let mut row = world.row.clone();
    row.tasks = world.tasks.values().cloned().collect();
    let mut live = Live::new(Arc::clone(&world.plan), &row);
    live.know_call(PART, named(world), run);
    live
}

fn step(live: &mut Live) -> WorkflowStep {
    live.advance();
    live.step(|job| job.line(), AT, true).expect("it is due")
}

#[tokio::test]
async fn run_stays_due_until_what_its_rows_name_was_asked_for() {
    let mut world = calling();
    world.step(true).await;
    assert!(world.owes, "a crash here leaves it to the next");
    let mut live = loaded(&world, None);
    assert_eq!(live.to_ask, [PART]);
    assert!(!step(&mut live).more);
}

#[tokio::test]
async fn pause_that_is_over_as_the_run_is_cancelled_starts_nothing() {
    let mut world = calling();
    world.step(false).await;
    let child = named(&world);
    world.tell(MessageBody::Ended { child, state: RunState::Failed });
    world.step(false).await;
    let pause = named(&world);
    assert_ne!(pause, child);
    world.ask(TaskVerb::Cancel, None);
    world.tell(MessageBody::Ended { child: pause, state: RunState::Succeeded });
    world.step(false).await;
    assert_eq!((world.state("part"), named(&world)), (TaskState::Cancelled, pause));
}

#[tokio::test]
async fn run_that_was_asked_to_end_is_not_tried_again_by_the_next_node() {
    let mut world = calling();
    world.step(true).await;
    let ended = |live: &mut Live| {
        let body = MessageBody::Ended { child: named(&world), state: RunState::Failed };
        live.hear(Message { id: 1, body }, AT);
        let mut step = step(live);
        (step.tasks.pop().expect("its row").start).map(|TaskStart { line, .. }| line)
    };
    let mut live = loaded(&world, Some(run_of(named(&world), None)));
    assert_eq!(ended(&mut live).as_deref(), Some(HOLD_LINE));
    let mut live = loaded(&world, Some(run_of(named(&world), Some(AT))));
    assert_eq!(ended(&mut live), None);
}

#[tokio::test]
async fn run_that_is_there_is_not_asked_for_again_and_ends_with_a_task_that_is_refused() {
    let mut world = calling();
    world.step(true).await;
    let mut live = loaded(&world, Some(run_of(named(&world), None)));
    assert_eq!(live.to_ask, []);
    live.refuse(PART, "its inputs are gone".to_owned());
    let step = step(&mut live);
    assert_eq!(step.cancel, [(named(&world), "its inputs are gone".to_owned())]);
    assert_eq!(step.end.map(|(verdict, _)| verdict), Some(Verdict::Failed));
}
