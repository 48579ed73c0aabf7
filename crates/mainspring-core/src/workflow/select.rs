//! What lies below and above tasks.

use super::{Graph, Workflow, at};

/// Returns `tasks` and all that need them, directly or not, by number.
///
/// ```
/// use mainspring_core::workflow::{Graph, downstream};
/// let graph = Graph::new(5, &[(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)])?;
/// assert_eq!(downstream(&graph, &[1]), [1, 3, 4]);
/// # Ok::<(), mainspring_core::workflow::GraphError>(())
/// ```
#[must_use]
pub fn downstream(graph: &Graph, tasks: &[u32]) -> Vec<u32> {
    reached(graph, tasks, |task| graph.children(task), |_| true)
}

/// Returns the branch of a task, or of all tasks of a group: these and all that need them, directly or not, by number. Tasks that run
/// last are not part of it unless they are meant themselves, and nor are tasks that stand for groups.
///
/// ```
/// use mainspring_core::job::{Job, JobKey, Task};
/// use mainspring_core::workflow::{TaskDefinition, Workflow, branch};
/// let job = || Job::new(JobKey::new("default", "etl"), Task::Noop);
/// let needs = |name: &str, needs: &[u32]| TaskDefinition { needs: needs.to_vec(), ..TaskDefinition::new(name, job()) };
/// let mut tasks = vec![needs("a", &[]), needs("b", &[0]), needs("c", &[1]), needs("d", &[]), needs("tidy", &[0])];
/// tasks[4].finally = true;
/// let etl = Workflow { tasks, ..Workflow::default() };
/// let shape = etl.shape()?;
/// assert_eq!(branch(&etl, shape.graph(), 1), [1, 2]);
/// assert_eq!(branch(&etl, shape.graph(), 0), [0, 1, 2]);
/// assert_eq!(branch(&etl, shape.graph(), 4), [4]);
/// # Ok::<(), mainspring_core::workflow::GraphError>(())
/// ```
#[must_use]
pub fn branch(workflow: &Workflow, graph: &Graph, task: u32) -> Vec<u32> {
    let meant = workflow.seen_through(&[task]);
    let mut all = downstream(graph, &meant);
    all.retain(|task| {
        let runs_last = workflow.tasks.get(at(*task)).is_some_and(|task| task.finally);
        !workflow.is_group(*task) && (!runs_last || meant.contains(task))
    });
    all
}

/// Returns `tasks` and all that they need, directly or not, by number.
#[must_use]
pub fn upstream(graph: &Graph, tasks: &[u32]) -> Vec<u32> {
    reached(graph, tasks, |task| graph.parents(task), |_| true)
}

/// Returns `tasks` and what is reached from them by way of tasks for which `follow` holds, each once, by number.
pub(super) fn reached<'a>(
    graph: &Graph,
    tasks: &[u32],
    next: impl Fn(u32) -> &'a [u32],
    follow: impl Fn(u32) -> bool,
) -> Vec<u32> {
    let mut seen = vec![false; graph.len()];
    tasks.iter().for_each(|task| seen[at(*task)] = true);
    let mut open = tasks.to_vec();
    while let Some(task) = open.pop() {
        for &other in next(task) {
            if !seen[at(other)] && follow(other) {
                seen[at(other)] = true;
                open.push(other);
            }
        }
    }
    graph.tasks().filter(|task| seen[at(*task)]).collect()
}
