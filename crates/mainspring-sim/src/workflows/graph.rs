//! The workflow of a seed: a random graph of tasks with rules, of which some run last.

use std::sync::Arc;

use mainspring_core::job::{Job, JobKey, Task};
use mainspring_core::workflow::{FailFast, Shape, TaskDefinition, TriggerRule, Workflow};

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

/// A workflow, and what its runs go by.
pub(super) struct Graph {
    pub(super) job: Arc<Job>,
    pub(super) shape: Shape,
}

impl Graph {
    /// Three to fourteen tasks, each of which needs up to three of those before it.
    pub(super) fn drawn(random: &mut Random) -> Self {
        let key = JobKey::new("default", "w");
        let count = random.between(3, 15);
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

    pub(super) fn len(&self) -> usize {
        self.shape.graph().len()
    }

    pub(super) fn name(&self, task: u32) -> String {
        let workflow = self.job.workflow().expect("it is a workflow");
        workflow.tasks[task as usize].name.clone()
    }
}
