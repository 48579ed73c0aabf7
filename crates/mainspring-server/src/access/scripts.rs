//! The right to add and to change scripts.

use std::collections::BTreeMap;

use mainspring_api::ErrorCode;
use mainspring_core::flow::Definition;
use mainspring_core::flow::body::{Body, Part, Program};
use mainspring_core::job::{Job, ScriptTask, Task};
use mainspring_core::workflow::TaskDefinition;

use super::Permission;
use crate::refusal::{Answer, Refusal};

/// Whether a caller has the right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ScriptRight(pub(crate) bool);

impl ScriptRight {
    /// Lets a job be saved whose scripts are those that it had, or that the caller may change.
    ///
    /// # Errors
    /// `auth.forbidden`.
    pub(crate) fn check_job(self, before: Option<&Job>, job: &Job) -> Answer<()> {
        self.check(&before.map(of_job).unwrap_or_default(), &of_job(job), &format!("job {}", job.key))
    }

    /// The same of a flow.
    ///
    /// # Errors
    /// `auth.forbidden`.
    pub(crate) fn check_flow(self, before: Option<&Definition>, flow: &Definition, name: &str) -> Answer<()> {
        self.check(&before.map(of_flow).unwrap_or_default(), &of_flow(flow), &format!("flow {name}"))
    }

    fn check(self, before: &Scripts<'_>, after: &Scripts<'_>, of: &str) -> Answer<()> {
        let added = after.iter().find(|(place, script)| before.get(*place) != Some(*script));
        let Some((place, _)) = added.filter(|_| !self.0) else { return Ok(()) };
        let place = if place.is_empty() { String::new() } else { format!(" in \"{place}\"") };
        let why = format!("{of} has another script{place}, and this needs the right to {}", Permission::Script);
        Err(Refusal::new(ErrorCode::AuthForbidden, why).hint("use the token of the server's --script-token-file"))
    }
}

/// Scripts by the names of what they belong to; without a name, that of a job itself.
type Scripts<'a> = BTreeMap<&'a str, &'a ScriptTask>;

fn of_job(job: &Job) -> Scripts<'_> {
    match &job.task {
        Task::Script(script) => Scripts::from([("", script)]),
        Task::Workflow(workflow) => {
            let tasks = workflow.tasks.iter();
            tasks.filter_map(|task| Some((task.job.key.name.as_str(), script_of_task(task)?))).collect()
        }
        _ => Scripts::new(),
    }
}

fn script_of_task(task: &TaskDefinition) -> Option<&ScriptTask> {
    match &task.job.task {
        Task::Script(script) => Some(script),
        _ => None,
    }
}

fn of_flow(flow: &Definition) -> Scripts<'_> {
    flow.parts.iter().filter_map(|part| Some((part.component.name.as_str(), script_of(part)?))).collect()
}

fn script_of(part: &Part) -> Option<&ScriptTask> {
    match &part.body {
        Body::Process(process) => match &process.program {
            Program::Script(script) => Some(script),
            _ => None,
        },
        _ => None,
    }
}
