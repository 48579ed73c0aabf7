//! Upstreams that end together: what needs them is queued, and once.
//!
//! Tables that keep which tasks a task still waits for lose it. Each of two transactions removes its own row and counts those that are
//! left; neither sees what the other has not committed, so both find one, and nobody queues the child. The tests of the databases show
//! that with the statements themselves. Here an end is a message to the workflow run, and who advances the run names its turn.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use futures_util::future::join;
use mainspring_core::batch::{Completion, CompletionBatch};
use mainspring_core::run::{RunState, Verdict};
use mainspring_core::workflow::{End, FailFast, Graph, Progress, Row, Shape, TaskRule, TaskState};

use super::kit::{Kit, at};
use super::workflows::{begin, begun, read, start, start_all, step, verdict, write};
use crate::{MessageBody, RunQuery, Stepped, Store, WorkflowRow, WorkflowStep};

/// How often it is tried. Transactions are let go together each time, and meet in some order.
const TRIES: i64 = 20;

/// `c` needs `a` and `b`.
fn join_of_two() -> Shape {
    let graph = Graph::new(3, &[(0, 2), (1, 2)]).expect("a graph");
    Shape::new(graph, vec![TaskRule::default(); 3], FailFast::Off)
}

/// What an owner writes that has read this: what was heard, and a run for `c` if both have ended well.
fn advanced(shape: &Shape, row: &WorkflowRow, now: i64) -> WorkflowStep {
    let task = |number| row.tasks.iter().find(|task| task.task == number);
    let rows =
        (0..3).map(|number| task(number).map_or(Row::NEW, |it| Row { state: it.state, generation: 0 })).collect();
    let mut progress = Progress::from_rows(shape, rows, None);
    let ends = row.inbox.iter().filter_map(|message| match &message.body {
        MessageBody::Ended { child, state } => {
            assert_eq!(*state, RunState::Succeeded);
            let task = row.tasks.iter().find(|task| task.child == Some(*child))?.task;
            Some(End { task, generation: 0, state: TaskState::Succeeded })
        }
        MessageBody::Asked(_) => None,
    });
    let ends: Vec<End> = ends.collect();
    let followed = progress.advance(shape, &ends, 100);
    let written = followed.changed.iter().map(|task| match progress.rows()[*task as usize].state {
        TaskState::Ready => start(*task, "c"),
        state => write(*task, state),
    });
    WorkflowStep { tasks: written.collect(), ..step(row, at(now)) }
}

pub async fn child_of_two_that_end_together_is_queued_once(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let shape = join_of_two();
    let mut job = None;
    for number in 0..TRIES {
        let now = 1_000 * (number + 1);
        let run = match &job {
            None => {
                let (kept, run) = begun(&kit, &["a", "b", "c"]).await;
                job = Some(kept);
                run
            }
            Some(kept) => {
                let (run, _) = kit.ask(kept, number.unsigned_abs() + 1, at(now)).await;
                assert!(begin(&kit, run, at(now)).await);
                run
            }
        };
        let kept = job.as_ref().expect("it was saved");
        start_all(&kit, run, &[(0, "a"), (1, "b")], at(now)).await;
        let claimed = kit.claim(2, at(now)).await;
        let end = |claimed| {
            let entry: Completion = verdict(kept, claimed, Verdict::Succeeded, at(now + 1));
            Arc::new(CompletionBatch { id: kit.batch_id(), at: at(now + 1), entries: vec![entry] })
        };
        let (a, b) = (end(&claimed[0]), end(&claimed[1]));
        let (a, b) = join(kit.store.complete(a), kit.store.complete(b)).await;
        a.and(b).expect("complete");

        // Two that take the run for theirs read the same, and write together.
        let steps = [read(&kit, run).await, read(&kit, run).await].map(|row| advanced(&shape, &row, now + 2));
        let [one, other] = steps.map(|step| kit.store.step_workflow(step));
        let (one, other) = join(one, other).await;
        let written = [one, other].map(|it| it.expect("step_workflow"));
        let made = |it: &Stepped| match it {
            Stepped::Written(runs) => runs.len(),
            Stepped::Stale => 0,
        };
        assert_eq!(written.iter().map(made).sum::<usize>(), 1, "try {number}: {written:?}");
        // Whoever was late, or heard one end only, reads again: nothing is left to start.
        let step = advanced(&shape, &read(&kit, run).await, now + 3);
        assert!(step.tasks.iter().all(|task| task.start.is_none()), "try {number}: {step:?}");
        let query = RunQuery { parent: Some(run), limit: 10, ..RunQuery::default() };
        let children = kit.store.runs(query).await.expect("runs");
        let names: Vec<Option<&str>> = children.iter().map(|child| child.task.as_deref()).collect();
        assert_eq!(names.iter().filter(|name| **name == Some("c")).count(), 1, "try {number}: {names:?}");
        let child = kit.claim(1, at(now + 4)).await;
        kit.complete(at(now + 5), vec![verdict(kept, &child[0], Verdict::Succeeded, at(now + 5))]).await;
    }
}
