use proptest::prelude::*;

use super::*;

fn shape(tasks: usize, edges: &[(u32, u32)], fail_fast: FailFast) -> Shape {
    Shape::new(Graph::new(tasks, edges).unwrap(), vec![TaskRule::default(); tasks], fail_fast)
}

fn end(task: u32, state: TaskState) -> End {
    End { task, generation: 0, state }
}

fn states(progress: &Progress) -> Vec<TaskState> {
    progress.rows().iter().map(|row| row.state).collect()
}

/// Runs a workflow whose tasks end as `outcomes` says, in the order that `picks` gives: of the tasks that run, the one at the
/// next pick, so many at a time as `batch`, with steps of `limit`. What is kept are rows alone, as if each step were a crash.
fn run(
    shape: &Shape,
    outcomes: &[TaskState],
    picks: &[usize],
    batch: usize,
    limit: usize,
) -> (Vec<TaskState>, Verdict) {
    let mut progress = Progress::new(shape);
    let (mut running, mut ends, mut picks) = (Vec::new(), Vec::new(), picks.iter().cycle());
    for _ in 0..10_000 {
        let step = progress.advance(shape, &std::mem::take(&mut ends), limit);
        for task in step.ready {
            progress.started(task);
            running.push(task);
        }
        if let Some(verdict) = step.verdict {
            assert!(running.is_empty(), "{running:?} still run");
            return (states(&progress), verdict);
        }
        progress = Progress::from_rows(shape, progress.rows().to_vec(), progress.stop());
        while !step.more && ends.len() < batch && !running.is_empty() {
            let task = running.remove(picks.next().unwrap() % running.len());
            ends.push(end(task, outcomes[at(task)]));
        }
    }
    panic!("the run does not end: {progress:?}");
}

/// A workflow, and how each of its tasks ends if it runs.
fn workflows() -> impl Strategy<Value = (Shape, Vec<TaskState>)> {
    let outcome = prop::sample::select(vec![TaskState::Succeeded, TaskState::Failed, TaskState::Skipped]);
    let rule = (prop::sample::select(TriggerRule::ALL), any::<bool>(), prop::bool::weighted(0.2));
    let task = (rule, outcome, prop::bool::weighted(0.2), prop::collection::vec(any::<prop::sample::Index>(), 0..4));
    (prop::collection::vec(task, 1..14), any::<bool>()).prop_map(|(tasks, with_last)| {
        let last = if with_last { tasks.len() - 1 } else { tasks.len() };
        let mut edges = Vec::new();
        for (task, (.., needs)) in tasks.iter().enumerate().skip(1) {
            edges.extend(needs.iter().map(|need| (need.index(task) as u32, task as u32)));
        }
        let rules = tasks.iter().enumerate().map(
            |(task, ((trigger_rule, conditional, continue_on_error), _, group, needs))| TaskRule {
                trigger_rule: *trigger_rule,
                conditional: *conditional,
                continue_on_error: *continue_on_error,
                finally: task == last,
                group: *group && !needs.is_empty() && task > 0 && task != last,
            },
        );
        let graph = Graph::new(tasks.len(), &edges).unwrap();
        let shape = Shape::new(graph, rules.collect(), FailFast::Off);
        (shape, tasks.iter().map(|(_, outcome, ..)| *outcome).collect())
    })
}

proptest! {
    #[test]
    fn neither_order_nor_batches_nor_crashes_change_how_a_run_ends(
        (shape, outcomes) in workflows(), picks in prop::collection::vec(any::<usize>(), 1..20), batch in 1_usize..4, limit in 1_usize..9,
    ) {
        let in_order = run(&shape, &outcomes, &[0], usize::MAX, usize::MAX);
        prop_assert!(in_order.0.iter().all(|state| state.is_final()));
        prop_assert_eq!(run(&shape, &outcomes, &picks, batch, limit), in_order);
    }

    #[test]
    fn counters_equal_a_recount((shape, outcomes) in workflows(), picks in prop::collection::vec(any::<usize>(), 1..20)) {
        let mut progress = Progress::new(&shape);
        let mut running = progress.advance(&shape, &[], usize::MAX).ready;
        for pick in picks {
            if running.is_empty() { break; }
            let task = running.remove(pick % running.len());
            running.extend(progress.advance(&shape, &[end(task, outcomes[at(task)])], usize::MAX).ready);
            let again = Progress::from_rows(&shape, progress.rows().to_vec(), None);
            for task in shape.graph().tasks().filter(|task| progress.rows()[at(*task)].state == TaskState::Waiting) {
                prop_assert_eq!(progress.counts(&shape, task), again.counts(&shape, task));
            }
            prop_assert_eq!(progress.open(), again.open());
        }
    }
}

#[test]
fn an_end_that_is_handed_in_again_counts_once() {
    let shape = shape(3, &[(0, 2), (1, 2)], FailFast::Off);
    let mut run = Progress::new(&shape);
    assert_eq!(run.advance(&shape, &[], 9).ready, [0, 1]);
    let first = [end(0, TaskState::Succeeded), end(0, TaskState::Succeeded)];
    assert_eq!(run.advance(&shape, &first, 9), Step { changed: vec![0], ..Step::default() });
    assert_eq!(run.advance(&shape, &[end(0, TaskState::Failed)], 9), Step::default());
    assert_eq!(run.advance(&shape, &[end(1, TaskState::Succeeded)], 9).ready, [2]);
}

#[test]
fn a_cascade_goes_on_in_chunks() {
    let tasks = 100_000;
    let chain: Vec<(u32, u32)> = (1..tasks).map(|task| (task - 1, task)).collect();
    let shape = shape(tasks as usize, &chain, FailFast::Off);
    let mut run = Progress::new(&shape);
    run.advance(&shape, &[], 5_000);
    let mut step = run.advance(&shape, &[end(0, TaskState::Failed)], 5_000);
    let mut chunks = 1;
    while step.more {
        assert!(step.changed.len() <= 5_001 && step.verdict.is_none());
        step = run.advance(&shape, &[], 5_000);
        chunks += 1;
    }
    // The twenty-first finds nobody left to tell.
    assert_eq!((chunks, step.verdict, step.changed.len()), (21, Some(Verdict::Failed), 0));
    assert!(states(&run)[1..].iter().all(|state| *state == TaskState::UpstreamFailed));
}

#[test]
fn a_wide_task_tells_its_children_in_chunks() {
    let fan: Vec<(u32, u32)> = (1..10_001).map(|task| (0, task)).collect();
    let shape = shape(10_001, &fan, FailFast::Off);
    let mut run = Progress::new(&shape);
    run.advance(&shape, &[], 5_000);
    let first = run.advance(&shape, &[end(0, TaskState::Succeeded)], 5_000);
    let second = run.advance(&shape, &[], 5_000);
    let third = run.advance(&shape, &[], 5_000);
    assert_eq!([first.ready.len(), second.ready.len(), third.ready.len()], [4_999, 5_000, 1]);
    assert!(first.more && second.more && !third.more);
}

#[test]
fn fail_fast_starts_nothing_more_and_cancel_ends_what_runs() {
    // 0 and 1 run; 2 needs 1; 3 needs 0.
    for (fail_fast, expected) in [(FailFast::True, vec![]), (FailFast::Cancel, vec![1])] {
        let shape = shape(4, &[(1, 2), (0, 3)], fail_fast);
        let mut run = Progress::new(&shape);
        for task in run.advance(&shape, &[], 9).ready {
            run.started(task);
        }
        let step = run.advance(&shape, &[end(0, TaskState::Failed)], 9);
        assert_eq!((step.cancel, step.verdict), (expected, None));
        let step = run.advance(&shape, &[end(1, TaskState::Succeeded)], 9);
        assert_eq!(step.verdict, Some(Verdict::Failed));
        assert_eq!(states(&run)[2..], [TaskState::Cancelled, TaskState::Cancelled]);
    }
}

#[test]
fn what_became_ready_in_the_step_that_stops_is_owed_no_run() {
    let shape = shape(4, &[(0, 2), (1, 3)], FailFast::True);
    let mut run = Progress::new(&shape);
    run.advance(&shape, &[], 9);
    let step = run.advance(&shape, &[end(0, TaskState::Succeeded), end(1, TaskState::Failed)], 9);
    assert_eq!((step.ready, step.verdict), (vec![], Some(Verdict::Failed)));
}

#[test]
fn a_failure_that_is_continued_on_is_none() {
    let graph = Graph::new(2, &[(0, 1)]).unwrap();
    let tolerant = TaskRule { continue_on_error: true, ..TaskRule::default() };
    let shape = Shape::new(graph, vec![tolerant, TaskRule::default()], FailFast::Cancel);
    let mut run = Progress::new(&shape);
    run.advance(&shape, &[], 9);
    assert_eq!(run.advance(&shape, &[end(0, TaskState::Failed)], 9).ready, [1]);
    assert_eq!(run.advance(&shape, &[end(1, TaskState::Succeeded)], 9).verdict, Some(Verdict::Succeeded));
    assert_eq!(states(&run)[0], TaskState::Failed);
}

#[test]
fn tasks_that_run_last_run_after_a_cancel_and_hide_no_failure() {
    let graph = Graph::new(4, &[(0, 1), (2, 3)]).unwrap();
    let last = TaskRule { finally: true, ..TaskRule::default() };
    let shape = Shape::new(graph, vec![TaskRule::default(), TaskRule::default(), last, last], FailFast::Off);
    for cancelled in [false, true] {
        let mut run = Progress::new(&shape);
        for task in run.advance(&shape, &[], 9).ready {
            assert_eq!(task, 0);
            run.started(task);
        }
        if cancelled {
            let step = run.cancel(&shape, 9);
            assert_eq!((step.cancel, states(&run)[1]), (vec![0], TaskState::Cancelled));
        }
        let state = if cancelled { TaskState::Cancelled } else { TaskState::Failed };
        assert_eq!(run.advance(&shape, &[end(0, state)], 9).ready, [2]);
        assert_eq!(run.advance(&shape, &[end(2, TaskState::Failed)], 9).ready, [3]);
        let verdict = if cancelled { Verdict::Cancelled } else { Verdict::Failed };
        assert_eq!(run.advance(&shape, &[end(3, TaskState::Succeeded)], 9).verdict, Some(verdict));
    }
}

#[test]
fn a_workflow_without_tasks_has_succeeded() {
    let shape = shape(0, &[], FailFast::Off);
    assert_eq!(Progress::new(&shape).advance(&shape, &[], 9).verdict, Some(Verdict::Succeeded));
}
