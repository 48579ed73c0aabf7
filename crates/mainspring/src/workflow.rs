//! Building workflows: tasks that are functions of the program, each given what those that it needs have returned.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use mainspring_core::job::{Job, JobKey, RetryPolicy, Task};
use mainspring_core::workflow::{Approval, FailFast, Hold, Spread, TaskDefinition, TriggerRule, Workflow};
use mainspring_engine::{Handler, HandlerError, HandlerResult, RunContext};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::job::{JobBuilder, NAMESPACE};
use crate::trigger::{TriggerBuilder, millis};

mod groups;
mod parts;

pub use groups::GroupOf;

/// The name under which tasks leave what they return.
const OUTPUT: &str = "output";

/// Begins a workflow: a job whose work is a graph of tasks.
///
/// ```
/// use mainspring::prelude::*;
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), mainspring::Error> {
/// let scheduler = Scheduler::builder().start("memory:").await?;
///
/// let mut sales = workflow("sales");
/// let files = sales.task("list", (), async |_run, ()| anyhow::Ok(vec!["eu.csv".to_owned(), "us.csv".to_owned()]));
/// let sizes = sales.map("load", &files, async |_run, file: String| anyhow::Ok(file.len()));
/// let sum = sales.task("sum", (&files, &sizes), async |_run, (files, sizes): (Vec<String>, Vec<usize>)| {
///     anyhow::Ok(format!("{} files, {} letters", files.len(), sizes.iter().sum::<usize>()))
/// });
/// scheduler.add_workflow(sales.trigger(cron("0 0 3 * * ?"))).await?;
///
/// let run = scheduler.run_now("sales").await?;
/// assert_eq!(scheduler.wait(run.id).await?.state, RunState::Succeeded);
/// assert_eq!(scheduler.output_of(run.id, &sum).await?, Some("2 files, 12 letters".to_owned()));
/// # scheduler.shutdown(std::time::Duration::from_secs(10)).await?;
/// # Ok(())
/// # }
/// ```
pub fn workflow(name: impl Into<String>) -> WorkflowBuilder {
    let job = Job::new(JobKey::new(NAMESPACE, name), Task::Noop);
    WorkflowBuilder { job, triggers: Vec::new(), workflow: Workflow::default(), handlers: Vec::new() }
}

/// A workflow in the making. What is wrong with it is said when it is added.
#[must_use]
pub struct WorkflowBuilder {
    job: Job,
    triggers: Vec<TriggerBuilder>,
    workflow: Workflow,
    handlers: Vec<Named>,
}

/// A function by the name that its task calls it by.
type Named = (String, Arc<dyn Handler<RunContext>>);

/// A task of a workflow, and what it returns.
pub struct TaskOf<T> {
    number: u32,
    returns: PhantomData<fn() -> T>,
}

impl<T> Clone for TaskOf<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for TaskOf<T> {}

impl<T> fmt::Debug for TaskOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TaskOf").field(&self.number).finish()
    }
}

impl fmt::Debug for WorkflowBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkflowBuilder")
            .field("job", &self.job.key)
            .field("workflow", &self.workflow)
            .finish_non_exhaustive()
    }
}

/// What a task needs: nothing `()`, one task, a tuple of up to four, or several of one kind.
pub trait Needs {
    /// What its function is given.
    type Given: DeserializeOwned + Send + 'static;

    /// The numbers of the tasks.
    #[doc(hidden)]
    fn numbers(&self) -> Vec<u32>;

    /// Takes what they have returned out of a list.
    #[doc(hidden)]
    fn given(returned: Value) -> Result<Self::Given, serde_json::Error> {
        serde_json::from_value(returned)
    }
}

impl Needs for () {
    type Given = ();

    fn numbers(&self) -> Vec<u32> {
        Vec::new()
    }

    fn given(_: Value) -> Result<(), serde_json::Error> {
        Ok(())
    }
}

impl<T: DeserializeOwned + Send + 'static> Needs for &TaskOf<T> {
    type Given = T;

    fn numbers(&self) -> Vec<u32> {
        vec![self.number]
    }

    fn given(returned: Value) -> Result<T, serde_json::Error> {
        serde_json::from_value::<(T,)>(returned).map(|(given,)| given)
    }
}

impl<T: DeserializeOwned + Send + 'static> Needs for &[TaskOf<T>] {
    type Given = Vec<T>;

    fn numbers(&self) -> Vec<u32> {
        self.iter().map(|task| task.number).collect()
    }
}

macro_rules! needs {
    ($($name:ident $place:tt),+) => {
        impl<$($name: DeserializeOwned + Send + 'static),+> Needs for ($(&TaskOf<$name>,)+) {
            type Given = ($($name,)+);

            fn numbers(&self) -> Vec<u32> {
                vec![$(self.$place.number),+]
            }
        }
    };
}
needs!(A 0, B 1);
needs!(A 0, B 1, C 2);
needs!(A 0, B 1, C 2, D 3);

impl WorkflowBuilder {
    /// Where the workflow's name is unique; `default` if not set.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.job.key.namespace = namespace.into();
        self
    }

    /// Adds a trigger. A workflow may have any number of them, or none.
    pub fn trigger(mut self, trigger: TriggerBuilder) -> Self {
        self.triggers.push(trigger);
        self
    }

    /// JSON for its runs. Tasks see it, with what was given with a run laid over it, as `params` in expressions.
    pub fn input(mut self, input: Value) -> Self {
        self.job.input = input;
        self
    }

    /// What becomes of the other tasks when one fails.
    pub fn fail_fast(mut self, fail_fast: FailFast) -> Self {
        self.workflow.fail_fast = fail_fast;
        self
    }

    /// Adds a task: a function that is given what those that it needs have returned. What it returns itself, as JSON of at most
    /// 64 KiB, is given to those that need it.
    pub fn task<N, T, E, F, Fut>(&mut self, name: impl Into<String>, needs: N, function: F) -> TaskOf<T>
    where
        N: Needs,
        T: Serialize + 'static,
        F: Fn(RunContext, N::Given) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
        E: fmt::Display + 'static,
    {
        let numbers = needs.numbers();
        let given: Vec<Value> = numbers.iter().map(|need| Value::String(self.returned(*need))).collect();
        let handler = self.handler(function, |input| N::given(input));
        self.push(name.into(), handler, &numbers, Value::Array(given))
    }

    /// Adds a task that runs once for each item of a list that another one returns, and returns what each has returned, in the same
    /// order.
    pub fn map<I, T, E, F, Fut>(
        &mut self,
        name: impl Into<String>,
        items: &TaskOf<Vec<I>>,
        function: F,
    ) -> TaskOf<Vec<T>>
    where
        I: DeserializeOwned + Send + 'static,
        T: Serialize + 'static,
        F: Fn(RunContext, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
        E: fmt::Display + 'static,
    {
        let list = self.returned(items.number);
        let handler = self.handler(function, serde_json::from_value);
        let task = self.push(name.into(), handler, &[items.number], json!("${{ map.item }}"));
        self.workflow.tasks[task.number as usize].spread = Some(Spread::Map(list));
        task
    }

    /// Adds a task that does what a job does: a shell line, a program, or a handler by its name. It returns the object that it
    /// leaves as its output.
    pub fn job(&mut self, name: impl Into<String>, needs: impl Needs, job: JobBuilder) -> TaskOf<Value> {
        let mut definition = job.build();
        definition.key = self.job.key.clone();
        let mut task = TaskDefinition::new(name, definition);
        task.needs = sorted(&needs.numbers());
        self.workflow.tasks.push(task);
        self.newest()
    }

    /// Adds a task that passes so long after those that it needs have ended.
    pub fn wait(&mut self, name: impl Into<String>, needs: impl Needs, duration: Duration) -> TaskOf<Value> {
        self.hold(name.into(), &needs.numbers(), Hold::For(millis(duration)))
    }

    /// Adds a task that passes once somebody approves ([`Scheduler::approve`](crate::Scheduler::approve)), and fails when they reject
    /// it. The prompt may hold expressions.
    ///
    /// ```
    /// use mainspring::{Approve, prelude::*};
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), mainspring::Error> {
    /// let scheduler = Scheduler::builder().start("memory:").await?;
    /// let mut release = workflow("release");
    /// let asked = release.approval("ask", (), "publish ${{ run.logical_date }}?");
    /// release.task("publish", &asked, async |_run, _| anyhow::Ok("published"));
    /// scheduler.add_workflow(release).await?;
    ///
    /// let run = scheduler.run_now("release").await?;
    /// # while scheduler.task_states(run.id).await?.first().is_none_or(|task| task.1 != mainspring::TaskState::Running) {
    /// #     tokio::task::yield_now().await;
    /// # }
    /// scheduler.approve(run.id, &asked, Approve::Yes, "ann", "checked").await?;
    /// assert_eq!(scheduler.wait(run.id).await?.state, RunState::Succeeded);
    /// # scheduler.shutdown(std::time::Duration::from_secs(10)).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn approval(&mut self, name: impl Into<String>, needs: impl Needs, prompt: impl Into<String>) -> TaskOf<Value> {
        let approval = Approval { prompt: prompt.into(), ..Approval::default() };
        self.hold(name.into(), &needs.numbers(), Hold::Approval(approval))
    }

    fn hold(&mut self, name: String, needs: &[u32], hold: Hold) -> TaskOf<Value> {
        let task = TaskDefinition { hold: Some(hold), ..self.idle(name, needs) };
        self.workflow.tasks.push(task);
        self.newest()
    }

    /// Lets a task run once for each item of the list that an expression is, such as `${{ needs.list.outputs.files }}`. Its texts see
    /// the item as `map.item`.
    pub fn for_each<T>(&mut self, task: &TaskOf<T>, list: impl Into<String>) {
        self.at(task).spread = Some(Spread::Map(list.into()));
    }

    /// Sets how often a task is tried again, and the pause before each further attempt.
    pub fn retries<T>(&mut self, task: &TaskOf<T>, count: u32, delay: Duration) {
        self.at(task).job.retry = RetryPolicy { count, delay_ms: millis(delay), ..RetryPolicy::default() };
    }

    /// Sets how long an attempt of a task may take.
    pub fn timeout<T>(&mut self, task: &TaskOf<T>, limit: Duration) {
        self.at(task).job.timeout_ms = Some(millis(limit));
    }

    /// Sets when a task may run, given how those ended that it needs. What one of them has not returned fails the task.
    pub fn trigger_rule<T>(&mut self, task: &TaskOf<T>, rule: TriggerRule) {
        self.at(task).trigger_rule = rule;
    }

    /// Sets an expression that is asked before a task runs, such as `${{ params.region == 'eu' }}`: false skips it.
    pub fn condition<T>(&mut self, task: &TaskOf<T>, expression: impl Into<String>) {
        self.at(task).condition = Some(expression.into());
    }

    /// Lets a task run when all others have ended, however they did.
    pub fn finally<T>(&mut self, task: &TaskOf<T>) {
        self.at(task).finally = true;
    }

    /// Lets those that need a task count its failure as success; the run does not fail by it.
    pub fn continue_on_error<T>(&mut self, task: &TaskOf<T>) {
        self.at(task).continue_on_error = true;
    }

    /// Sets how many runs of a task of [`WorkflowBuilder::map`] are under way at once.
    pub fn max_parallel<T>(&mut self, task: &TaskOf<Vec<T>>, most: u32) {
        self.at(task).max_parallel = Some(most);
    }

    fn at<T>(&mut self, task: &TaskOf<T>) -> &mut TaskDefinition {
        &mut self.workflow.tasks[task.number as usize]
    }

    /// The expression that stands for what a task has returned.
    fn returned(&self, task: u32) -> String {
        let task = &self.workflow.tasks[task as usize];
        let outputs = format!("needs['{}'].outputs", task.name);
        // The tasks of jobs leave an object, under no name of ours.
        if task.outputs.is_empty() { format!("${{{{ {outputs} }}}}") } else { format!("${{{{ {outputs}.{OUTPUT} }}}}") }
    }

    /// Keeps a function under the number that its task will have, and answers its name.
    fn handler<G, T, E, F, Fut>(
        &mut self,
        function: F,
        given: impl Fn(Value) -> Result<G, serde_json::Error> + Send + Sync + 'static,
    ) -> String
    where
        G: Send + 'static,
        T: Serialize + 'static,
        F: Fn(RunContext, G) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
        E: fmt::Display + 'static,
    {
        let number = self.workflow.tasks.len();
        let function = Arc::new(function);
        let handler = move |run: RunContext| {
            let begun = given(run.input()).map(|given| function(run, given));
            // The alternate form of an error prints its causes, where it has any to print.
            let failed = |error: E| HandlerError(format!("{error:#}"));
            async move { returned(begun.map_err(|error| unreadable(&error))?.await.map_err(failed)?) }
        };
        let name = format!("task-{number}");
        self.handlers.push((name.clone(), Arc::new(handler)));
        name
    }

    fn push<T>(&mut self, name: String, handler: String, needs: &[u32], input: Value) -> TaskOf<T> {
        let mut job = Job::new(self.job.key.clone(), Task::Handler { name: handler });
        job.input = input;
        let mut task = TaskDefinition::new(name, job);
        (task.needs, task.outputs) = (sorted(needs), vec![OUTPUT.to_owned()]);
        self.workflow.tasks.push(task);
        self.newest()
    }

    fn newest<T>(&self) -> TaskOf<T> {
        let number = u32::try_from(self.workflow.tasks.len() - 1).expect("a program writes fewer tasks");
        TaskOf { number, returns: PhantomData }
    }

    /// The definition, and the functions of its tasks under names that no other workflow has.
    pub(crate) fn build(mut self) -> (Job, Vec<Named>) {
        groups::join(&mut self.workflow);
        let key = self.job.key.clone();
        let named = |name: &str| format!("{key}/{name}");
        for task in &mut self.workflow.tasks {
            task.job.key = key.clone();
            if let Task::Handler { name } = &mut task.job.task
                && self.handlers.iter().any(|(handler, _)| handler == name)
                && !task.outputs.is_empty()
            {
                *name = named(name);
            }
        }
        for (index, trigger) in self.triggers.into_iter().enumerate() {
            self.job.triggers.push(trigger.build(index));
        }
        self.job.task = Task::Workflow(Box::new(self.workflow));
        (self.job, self.handlers.into_iter().map(|(name, handler)| (named(&name), handler)).collect())
    }
}

impl<T> TaskOf<T> {
    pub(crate) const fn number(&self) -> u32 {
        self.number
    }
}

impl<T: DeserializeOwned> TaskOf<T> {
    /// What the runs of the task have left, as its function returned it: a list, if it runs for each of one.
    pub(crate) fn read(outputs: &[(Option<u32>, String)]) -> Result<Option<T>, serde_json::Error> {
        let read = |(_, output): &(Option<u32>, String)| {
            let left: Value = serde_json::from_str(output)?;
            Ok(left.get(OUTPUT).cloned().unwrap_or(left))
        };
        let mut left = outputs.iter().map(read).collect::<Result<Vec<Value>, serde_json::Error>>()?;
        match outputs.first() {
            None => Ok(None),
            Some((Some(_), _)) => serde_json::from_value(Value::Array(left)).map(Some),
            Some((None, _)) => serde_json::from_value(left.swap_remove(0)).map(Some),
        }
    }
}

fn sorted(needs: &[u32]) -> Vec<u32> {
    let mut needs = needs.to_vec();
    needs.sort_unstable();
    needs.dedup();
    needs
}

fn returned(value: impl Serialize) -> HandlerResult {
    let value =
        serde_json::to_value(value).map_err(|error| HandlerError(format!("what it returns is no JSON: {error}")))?;
    Ok(json!({ OUTPUT: value }))
}

fn unreadable(error: &serde_json::Error) -> HandlerError {
    HandlerError(format!("what the tasks that it needs have returned is not what it takes: {error}"))
}
