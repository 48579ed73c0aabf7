//! What the runs of one version of a workflow go by: never changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_core::job::Job;
use mainspring_core::workflow::dates::LogicalDate;
use mainspring_core::workflow::{Item, ItemValue, References, Shape, Spread, TaskDefinition, Workflow, combination};

use super::live::List;

/// A version of a workflow with what follows from it.
#[derive(Debug)]
pub(super) struct Plan {
    job: Arc<Job>,
    pub(super) shape: Shape,
    /// What the texts of each task ask for.
    references: Vec<References>,
    /// What its outputs ask for.
    outputs: References,
    /// The names of its tasks.
    names: Vec<Arc<str>>,
    /// Whether nothing has to be read or evaluated to say what comes of its tasks.
    is_plain: bool,
}

impl Plan {
    /// # Errors
    /// The definition is no workflow, or its tasks are no graph; in words.
    pub(super) fn new(job: Arc<Job>) -> Result<Self, String> {
        let workflow = job.workflow().ok_or("the definition has no tasks")?;
        let shape = workflow.shape().map_err(|error| error.to_string())?;
        let references = workflow.tasks.iter().map(References::of).collect();
        let outputs = References::of_outputs(workflow);
        let names = workflow.tasks.iter().map(|task| task.name.as_str().into()).collect();
        let is_plain = workflow.tasks.iter().zip(&references).all(|(task, asks)| is_plain(task, asks));
        Ok(Self { shape, references, outputs, names, is_plain, job })
    }

    pub(super) fn job(&self) -> &Job {
        &self.job
    }

    /// Whether nothing has to be read or evaluated to say what comes of its tasks.
    pub(super) const fn is_plain(&self) -> bool {
        self.is_plain
    }

    pub(super) fn has_outputs(&self) -> bool {
        !self.workflow().outputs.is_empty()
    }

    /// What it leaves, and what that asks for.
    pub(super) fn outputs(&self) -> (&BTreeMap<String, String>, &References) {
        (&self.workflow().outputs, &self.outputs)
    }

    pub(super) fn workflow(&self) -> &Workflow {
        self.job.workflow().expect("checked when the plan was made")
    }

    pub(super) fn tasks(&self) -> u32 {
        u32::try_from(self.references.len()).expect("bounded by the graph")
    }

    /// # Panics
    /// There is no such task.
    pub(super) fn task(&self, task: u32) -> &TaskDefinition {
        &self.workflow().tasks[task as usize]
    }

    pub(super) fn name(&self, task: u32) -> Arc<str> {
        Arc::clone(&self.names[task as usize])
    }

    /// What one run of a task is for.
    pub(super) fn item(&self, task: u32, item: u32, list: &List) -> Item {
        let value = match (list, &self.task(task).spread) {
            (List::Map(items), _) => ItemValue::Map(items[item as usize].clone()),
            (List::Matrix(_), Some(Spread::Matrix(lists))) => combination(lists, item),
            (List::Matrix(_), _) => unreachable!("the list is that of the task's matrix"),
        };
        Item { index: item, value }
    }

    /// Whether its tasks ask for the data interval of their run, or that names the run.
    pub(super) fn asks_interval(&self) -> bool {
        let is_asked = |references: &References| references.interval;
        self.job().logical_date == LogicalDate::Start || self.references.iter().chain([&self.outputs]).any(is_asked)
    }

    pub(super) fn references(&self, task: u32) -> &References {
        &self.references[task as usize]
    }
}

fn is_plain(task: &TaskDefinition, asks: &References) -> bool {
    let TaskDefinition { condition, spread, hold, call, .. } = task;
    condition.is_none() && spread.is_none() && hold.is_none() && call.is_none() && asks.outputs.is_empty()
}
