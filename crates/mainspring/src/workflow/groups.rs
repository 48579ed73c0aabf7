//! Groups of tasks that others need as one.

use mainspring_core::workflow::{Group, TaskDefinition, Workflow};

use super::{Needs, TaskOf, WorkflowBuilder, sorted};

/// A group of tasks of a workflow.
#[derive(Clone, Copy, Debug)]
pub struct GroupOf {
    /// The number of the task that stands for it.
    pub(super) number: u32,
}

impl WorkflowBuilder {
    /// Adds a group of tasks. Its first tasks, which need no other task of it, need what is said here.
    ///
    /// ```
    /// use mainspring::prelude::*;
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), mainspring::Error> {
    /// let scheduler = Scheduler::builder().start("memory:").await?;
    /// let mut sales = workflow("sales");
    /// let rates = sales.task("rates", (), async |_run, ()| anyhow::Ok(1.07));
    /// let regions = sales.group("regions", &rates);
    /// for region in ["eu", "us"] {
    ///     let load = sales.task(format!("load-{region}"), (), move |_run, ()| async move { anyhow::Ok(region.to_owned()) });
    ///     let check = sales.task(format!("check-{region}"), &load, async |_run, _: String| anyhow::Ok(()));
    ///     sales.in_group(&load, &regions);
    ///     sales.in_group(&check, &regions);
    /// }
    /// let publish = sales.task("publish", (), async |_run, ()| anyhow::Ok(()));
    /// sales.after_group(&publish, &regions);
    /// scheduler.add_workflow(sales).await?;
    /// let run = scheduler.run_now("sales").await?;
    /// assert_eq!(scheduler.wait(run.id).await?.state, RunState::Succeeded);
    /// # scheduler.shutdown(std::time::Duration::from_secs(10)).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn group(&mut self, name: impl Into<String>, needs: impl Needs) -> GroupOf {
        let names = needs.numbers().into_iter().map(|need| self.workflow.tasks[need as usize].name.clone());
        let joins = Group { needs: names.collect(), ..Group::default() };
        let task = TaskDefinition { joins: Some(joins), ..self.idle(name.into(), &[]) };
        self.workflow.tasks.push(task);
        GroupOf { number: self.newest::<()>().number }
    }

    /// Puts a task into a group.
    pub fn in_group<T>(&mut self, task: &TaskOf<T>, group: &GroupOf) {
        self.put(task.number, group);
    }

    /// Puts a group into another one.
    pub fn group_in_group(&mut self, inner: &GroupOf, outer: &GroupOf) {
        self.put(inner.number, outer);
    }

    fn put(&mut self, task: u32, group: &GroupOf) {
        let name = self.workflow.tasks[group.number as usize].name.clone();
        self.workflow.tasks[task as usize].group = Some(name);
    }
}

/// Lets each group need its tasks, and its first tasks what the group needs.
pub(super) fn join(workflow: &mut Workflow) {
    for task in 0..workflow.tasks.len() {
        if workflow.tasks[task].joins.is_some() {
            continue;
        }
        let number = u32::try_from(task).expect("a program writes fewer tasks");
        for group in around(workflow, task) {
            let needs = &workflow.tasks[task].needs;
            let is_first = !needs.iter().any(|need| around(workflow, *need as usize).contains(&group));
            let joins = workflow.tasks[group].joins.as_ref().filter(|_| is_first);
            let more: Vec<u32> = joins
                .map(|joins| joins.needs.iter().filter_map(|need| workflow.find(need)).collect())
                .unwrap_or_default();
            workflow.tasks[task].needs = sorted(&[&workflow.tasks[task].needs[..], &more].concat());
            workflow.tasks[group].needs.push(number);
        }
    }
}

/// The places of the groups in which a task or group lies, the inner one first. A circle of groups ends where it begins.
fn around(workflow: &Workflow, task: usize) -> Vec<usize> {
    let mut groups = Vec::new();
    let mut at = task;
    while let Some(group) = workflow.tasks[at].group.as_deref().and_then(|name| workflow.find(name)) {
        let group = group as usize;
        if groups.contains(&group) || group == task {
            break;
        }
        groups.push(group);
        at = group;
    }
    groups
}
