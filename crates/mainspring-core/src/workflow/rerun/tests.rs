use super::*;
use crate::workflow::{End, FailFast, Graph, Progress, Row, TaskRule};

/// `k` diamonds, each of which begins where the one before ends: 3k + 1 tasks and 2^k paths.
fn diamonds(k: u32) -> Shape {
    let edges: Vec<(u32, u32)> =
        (0..k).map(|n| n * 3).flat_map(|n| [(n, n + 1), (n, n + 2), (n + 1, n + 3), (n + 2, n + 3)]).collect();
    let tasks = k as usize * 3 + 1;
    Shape::new(Graph::new(tasks, &edges).unwrap(), vec![TaskRule::default(); tasks], FailFast::Off)
}

fn all(shape: &Shape, state: TaskState) -> Vec<Recorded> {
    vec![Recorded { state: Some(state), by_condition: false }; shape.graph().len()]
}

fn below(task: u32) -> Selection {
    Selection::Tasks { tasks: vec![task], downstream: true, upstream: false }
}

#[test]
fn a_thousand_diamonds_are_planned_without_walking_paths() {
    let shape = diamonds(1_000);
    let plan = plan(&shape, &all(&shape, TaskState::Succeeded), &below(0), false).unwrap();
    assert_eq!(plan.tasks.len(), 3_001);
    assert_eq!(plan.tasks.iter().filter(|planned| planned.counts.unfinished == 2).count(), 1_000);
}

#[test]
fn carrying_out_a_plan_counts_what_the_plan_says() {
    let shape = diamonds(3);
    let run = all(&shape, TaskState::Succeeded);
    let plan = plan(&shape, &run, &below(4), false).unwrap();
    let mut rows = vec![Row { state: TaskState::Succeeded, generation: 0 }; run.len()];
    for planned in &plan.tasks {
        rows[at(planned.task)] = Row { state: TaskState::Waiting, generation: 1 };
    }
    let mut progress = Progress::from_rows(&shape, rows, None);
    for planned in &plan.tasks {
        assert_eq!(progress.counts(planned.task), planned.counts);
    }
    assert_eq!(progress.advance(&shape, &[], 100).ready, [4]);
    // The end of the run that was replaced comes late, and changes nothing.
    let late = End { task: 4, generation: 0, state: TaskState::Failed };
    assert!(progress.advance(&shape, &[late], 100).changed.is_empty());
}

#[test]
fn a_plan_has_another_name_once_the_world_changes() {
    let shape = diamonds(2);
    let run = all(&shape, TaskState::Succeeded);
    let mut changed = run.clone();
    changed[1].state = Some(TaskState::Failed);
    let digest = |of: &[&str], run: &[Recorded], task| plan(&shape, run, &below(task), false).unwrap().digest(of, run);
    let name = digest(&["run", "1"], &run, 3);
    assert_eq!((name.len(), &name), (12, &digest(&["run", "1"], &run, 3)));
    for other in [digest(&["run", "2"], &run, 3), digest(&["run1", ""], &run, 3), digest(&["run", "1"], &changed, 3)] {
        assert_ne!(name, other);
    }
    assert_ne!(name, digest(&["run", "1"], &run, 4));
}
