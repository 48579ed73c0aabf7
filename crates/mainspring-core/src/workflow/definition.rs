//! A workflow as it is defined: what each task does, after which others, and under which rules.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Call, FailFast, Graph, GraphError, Group, Hold, Shape, TaskRule, TriggerRule};
use crate::id::JobVersion;
use crate::job::{Job, Task};

/// The tasks of a job whose work is a graph. A task's number is its place in the list.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Workflow {
    /// The tasks, in the order of their names.
    pub tasks: Vec<TaskDefinition>,
    /// What becomes of the others when one fails.
    #[serde(default)]
    pub fail_fast: FailFast,
    /// What a run that succeeds leaves: values by name, as texts with expressions that see all tasks as `needs`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub outputs: BTreeMap<String, String>,
    /// What tasks were written to say that say nothing of it themselves: JSON that nothing here looks into. Their jobs have it already.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub defaults: Value,
}

/// A task of a workflow.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TaskDefinition {
    /// Its name, unique within the workflow.
    pub name: String,
    /// What is done, and under which policies, as if it were a job of its own. Its key is that of the workflow; it has no triggers.
    pub job: Job,
    /// Numbers of the tasks that must end first, in ascending order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<u32>,
    /// When it may run, given how these ended.
    #[serde(default)]
    pub trigger_rule: TriggerRule,
    /// Expression that is asked before it runs.
    #[serde(default, rename = "if", skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// What it runs for more than once, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
    /// What it waits for instead of doing something; its job says nothing of it then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<Hold>,
    /// What it starts and waits for; its job says nothing of it then, apart from how often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<Call>,
    /// How many of these runs are under way at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_parallel: Option<u32>,
    /// Whether those that need it count its failure as success, and the run does not fail by it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub continue_on_error: bool,
    /// Whether it runs when all others have ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub finally: bool,
    /// Name of the group that it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The group that it stands for, if it does: it needs the members of that, and never runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joins: Option<Group>,
    /// Names of the values that it leaves for those that need it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
}

/// What a task runs for more than once.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spread {
    /// Each combination of one value of each list, the last list changing fastest.
    Matrix(Vec<(String, Vec<Value>)>),
    /// Each item of the list that an expression is.
    Map(String),
}

impl Workflow {
    /// Returns the graph and the rules.
    ///
    /// # Errors
    /// For tasks that wait for each other, and beyond the bounds of [`Graph::new`].
    pub fn shape(&self) -> Result<Shape, GraphError> {
        let numbered = self.tasks.iter().zip(0_u32..);
        let edges: Vec<(u32, u32)> =
            numbered.flat_map(|(task, number)| task.needs.iter().map(move |need| (*need, number))).collect();
        let rules = self.tasks.iter().map(TaskDefinition::rule).collect();
        Ok(Shape::new(Graph::new(self.tasks.len(), &edges)?, rules, self.fail_fast))
    }

    /// Returns the number of a task.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<u32> {
        // Names are in order, but a definition that was written by hand need not be.
        let place = self.tasks.iter().position(|task| task.name == name)?;
        u32::try_from(place).ok()
    }
}

impl TaskDefinition {
    /// A task that needs no other one and runs once, with every policy at its default.
    #[must_use]
    pub fn new(name: impl Into<String>, job: Job) -> Self {
        Self {
            name: name.into(),
            job,
            needs: Vec::new(),
            trigger_rule: TriggerRule::default(),
            condition: None,
            spread: None,
            hold: None,
            call: None,
            max_parallel: None,
            continue_on_error: false,
            finally: false,
            group: None,
            joins: None,
            outputs: Vec::new(),
        }
    }

    const fn rule(&self) -> TaskRule {
        TaskRule {
            trigger_rule: self.trigger_rule,
            conditional: self.condition.is_some(),
            continue_on_error: self.continue_on_error,
            finally: self.finally,
            group: self.joins.is_some(),
        }
    }
}

impl Job {
    /// Returns the workflow, if the job's work is a graph of tasks.
    #[must_use]
    pub const fn workflow(&self) -> Option<&Workflow> {
        match &self.task {
            Task::Workflow(workflow) => Some(workflow),
            _ => None,
        }
    }

    /// Returns what a version of this job means: the job itself, or one of its tasks where the version [names one](JobVersion::task).
    /// Nothing: there is no such task.
    #[must_use]
    pub fn part(&self, version: JobVersion) -> Option<&Self> {
        match version.task() {
            None => Some(self),
            Some(task) => self.workflow()?.tasks.get(task as usize).map(|task| &task.job),
        }
    }

    /// Returns the labels of its own that a version of this job has: those of the task that the version names, without what the
    /// workflow says as well. A whole job has none. Limits of labels count a run of a task by these, and by what its job has now.
    ///
    /// ```
    /// use mainspring_core::JobVersion;
    /// use mainspring_core::job::{Job, JobKey, Task};
    /// use mainspring_core::workflow::{TaskDefinition, Workflow};
    /// let key = JobKey::new("default", "etl");
    /// let mut load = Job::new(key.clone(), Task::Noop);
    /// load.labels = [("team", "data"), ("db", "main")].map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    /// let tasks = vec![TaskDefinition::new("load", load)];
    /// let mut etl = Job::new(key, Task::Workflow(Box::new(Workflow { tasks, ..Workflow::default() })));
    /// etl.labels = [("team".to_owned(), "data".to_owned())].into();
    /// let own: Vec<_> = etl.own_labels(JobVersion(1).of_task(0)).collect();
    /// assert_eq!(own, [("db", "main")]);
    /// assert_eq!(etl.own_labels(JobVersion(1)).count(), 0);
    /// ```
    pub fn own_labels(&self, version: JobVersion) -> impl Iterator<Item = (&str, &str)> {
        let labels = self.part(version).into_iter().flat_map(|part| &part.labels);
        let own = labels.filter(|(name, value)| self.labels.get(*name) != Some(value));
        own.map(|(name, value)| (name.as_str(), value.as_str()))
    }
}
