//! The workflow of a seed: a random graph of tasks with rules, of which some run last, and some more than once.

use std::sync::Arc;

use mainspring_core::job::{Job, JobKey, Task};
use mainspring_core::workflow::{
    At, Call, Elsewhere, FailFast, Hold, NeedAt, OnMissing, Shape, Spread, TaskDefinition, TriggerRule, Workflow,
    run_name,
};
use mainspring_core::{JobId, JobVersion};

use crate::random::Random;

/// Rules that a task may have. A root runs under any of them.
const RULES: [TriggerRule; 6] = [
    TriggerRule::AllSuccess,
    TriggerRule::AllDone,
    TriggerRule::NoneFailed,
    TriggerRule::OneSuccess,
    TriggerRule::OneFailed,
    TriggerRule::AllFailed,
];

/// The name of the workflow that tasks start.
const CALLEE: &str = "callee";
/// The task of it that others need.
pub(super) const NEEDED: u32 = 0;

/// A run of a task; without an item, the task as a whole.
pub(super) type Place = (u32, Option<u32>);

/// A workflow, and what its runs go by.
pub(super) struct Graph {
    pub(super) job: Arc<Job>,
    pub(super) shape: Shape,
}

/// The workflow that tasks start, and need.
pub(super) struct Callee {
    pub(super) graph: Arc<Graph>,
    pub(super) job: (JobId, JobVersion),
}

impl Graph {
    /// Three to fourteen tasks, each of which needs up to three of those before it.
    pub(super) fn drawn(random: &mut Random) -> Self {
        let count = random.between(3, 15);
        Self::of(random, "w", count)
    }

    /// A workflow that tasks of another one start: one to four tasks.
    pub(super) fn callee(random: &mut Random) -> Self {
        let count = random.between(1, 5);
        Self::of(random, CALLEE, count)
    }

    fn of(random: &mut Random, name: &str, count: u64) -> Self {
        let key = JobKey::new("default", name);
        let lasts = u64::from(random.chance(300_000));
        let mut tasks = Vec::new();
        for number in 0..count {
            let mut needs = Vec::new();
            for _ in 0..random.below(4) {
                if number > 0 {
                    needs.push(u32::try_from(random.below(number)).expect("few"));
                }
            }
            needs.sort_unstable();
            needs.dedup();
            let finally = number >= count - lasts;
            let rule = if random.chance(700_000) { TriggerRule::AllSuccess } else { *random.pick(&RULES) };
            let mut task = TaskDefinition::new(format!("t{number:02}"), Job::new(key.clone(), Task::Noop));
            task.needs = if finally { Vec::new() } else { needs };
            task.trigger_rule = if finally { TriggerRule::AllSuccess } else { rule };
            task.continue_on_error = random.chance(100_000);
            task.finally = finally;
            tasks.push(task);
        }
        let fail_fast = *random.pick(&[FailFast::Off, FailFast::Off, FailFast::True, FailFast::Cancel]);
        let workflow = Workflow { tasks, fail_fast, ..Workflow::default() };
        let shape = workflow.shape().expect("what is needed comes before");
        Self { job: Arc::new(Job::new(key, Task::Workflow(Box::new(workflow)))), shape }
    }

    /// The same where every third task or so runs more than once: for two to seven items, all or a few of them at a time.
    pub(super) fn spread(mut self, random: &mut Random) -> Self {
        let Task::Workflow(workflow) = &mut Arc::make_mut(&mut self.job).task else { unreachable!("it is a workflow") };
        for task in &mut workflow.tasks {
            if random.chance(300_000) {
                let items = (0..random.between(2, 8)).map(Into::into).collect();
                task.spread = Some(Spread::Matrix(vec![("n".to_owned(), items)]));
                task.max_parallel = [None, Some(1), Some(2)][random.index(3)];
            }
        }
        self
    }

    /// The same where every fourth task or so that runs once starts another workflow.
    pub(super) fn calling(mut self, random: &mut Random) -> Self {
        let Task::Workflow(workflow) = &mut Arc::make_mut(&mut self.job).task else { unreachable!("it is a workflow") };
        for task in workflow.tasks.iter_mut().filter(|task| task.spread.is_none()) {
            if random.chance(250_000) {
                task.call = Some(Call { workflow: CALLEE.to_owned(), inputs: serde_json::Map::new() });
            }
        }
        self
    }

    /// The same where every fifth task or so that does neither waits for a task of the other workflow.
    pub(super) fn needing(mut self, random: &mut Random) -> Self {
        let Task::Workflow(workflow) = &mut Arc::make_mut(&mut self.job).task else { unreachable!("it is a workflow") };
        for task in workflow.tasks.iter_mut().filter(|task| task.spread.is_none() && task.call.is_none()) {
            if random.chance(200_000) {
                task.hold = Some(Hold::Elsewhere(Elsewhere {
                    workflow: CALLEE.to_owned(),
                    task: Some(format!("t{NEEDED:02}")),
                    at: At::Word(NeedAt::Same),
                    on_missing: OnMissing::Wait,
                    timeout_ms: None,
                }));
            }
        }
        self
    }

    /// What a task needs of the other workflow.
    pub(super) fn need(&self, task: u32) -> Option<&Elsewhere> {
        self.task(task).hold.as_ref()?.elsewhere()
    }

    /// Whether a task starts another workflow.
    pub(super) fn is_call(&self, task: u32) -> bool {
        self.task(task).call.is_some()
    }

    fn task(&self, task: u32) -> &TaskDefinition {
        &self.job.workflow().expect("it is a workflow").tasks[task as usize]
    }

    /// How many items a task runs for, if it runs more than once.
    pub(super) fn items(&self, task: u32) -> Option<u32> {
        let count = self.task(task).spread.as_ref()?.count()?;
        u32::try_from(count).ok()
    }

    /// How many runs of a task may go on at once.
    pub(super) fn max_parallel(&self, task: u32) -> Option<u32> {
        self.task(task).max_parallel
    }

    pub(super) fn is_last(&self, task: u32) -> bool {
        self.task(task).finally
    }

    pub(super) fn len(&self) -> usize {
        self.shape.graph().len()
    }

    /// The name of the run of a place.
    pub(super) fn name(&self, (task, item): Place) -> String {
        run_name(&self.task(task).name, item)
    }
}
