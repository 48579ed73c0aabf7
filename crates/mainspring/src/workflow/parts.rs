//! Tasks that are no functions of the program, and what else a job file can say of a workflow.

use std::fmt;

use mainspring_core::job::{Job, Task};
use mainspring_core::workflow::{Approval, Call, ClockTime, Elsewhere, Hold, Spread, TaskDefinition};
use mainspring_engine::RunContext;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::groups::GroupOf;
use super::{Needs, TaskOf, WorkflowBuilder, sorted};
use crate::job::JobBuilder;

impl WorkflowBuilder {
    /// Sets what workflows and other jobs can say alike: owner, labels, parameters, limits, deadline, overlap and so on. What the job does,
    /// and its name, stay those of the workflow.
    ///
    /// ```
    /// use std::time::Duration;
    /// use mainspring::{LogicalDate, prelude::*};
    ///
    /// let sales = workflow("sales").settings(|job| {
    ///     job.owner("data").param("region", json!({"default": "eu"})).overlap(Overlap::Skip, 1)
    ///         .run_timeout(Duration::from_secs(7_200)).logical_date(LogicalDate::Start)
    /// });
    /// # drop(sales);
    /// ```
    pub fn settings(mut self, change: impl FnOnce(JobBuilder) -> JobBuilder) -> Self {
        let (key, task) = (self.job.key.clone(), self.job.task.clone());
        let changed = change(JobBuilder { job: self.job, triggers: self.triggers });
        (self.job, self.triggers) = (Job { key, task, ..changed.job }, changed.triggers);
        self
    }

    /// Sets how the runs of a task are executed: queue, priority, workers, environment, retries and so on. What it does, and what its
    /// function is given, stay as they are.
    pub fn with<T>(&mut self, task: &TaskOf<T>, change: impl FnOnce(JobBuilder) -> JobBuilder) {
        let there = &mut self.at(task).job;
        let changed = change(JobBuilder { job: there.clone(), triggers: Vec::new() }).job;
        let (key, task, input) = (there.key.clone(), there.task.clone(), there.input.clone());
        *there = Job { key, task, input, ..changed };
    }

    /// Adds a task that starts another workflow or job of the namespace for the same date, and waits for its end. It returns the object
    /// that the other one leaves. `inputs` is an object whose texts may hold expressions, and anything else gives nothing;
    /// [`WorkflowBuilder::value`] stands for what a task has returned.
    ///
    /// ```
    /// use mainspring::prelude::*;
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), mainspring::Error> {
    /// let scheduler = Scheduler::builder().start("memory:").await?;
    /// let mut shop = workflow("count-shop");
    /// let sold = shop.task("count", (), async |run, ()| anyhow::Ok(run.run_id().to_string().len()));
    /// shop.output("sold", &sold);
    /// scheduler.add_workflow(shop).await?;
    ///
    /// let mut all = workflow("all-shops");
    /// let name = all.task("choose", (), async |_run, ()| anyhow::Ok("berlin".to_owned()));
    /// let inputs = json!({"shop": all.value(&name)});
    /// let part = all.call("shop", &name, "count-shop", inputs);
    /// let sum = all.task("sum", &part, async |_run, left: Value| anyhow::Ok(left["sold"].as_u64()));
    /// scheduler.add_workflow(all).await?;
    ///
    /// let run = scheduler.run_now("all-shops").await?;
    /// assert_eq!(scheduler.wait(run.id).await?.state, RunState::Succeeded);
    /// assert_eq!(scheduler.output_of(run.id, &sum).await?, Some(Some(36)));
    /// # scheduler.shutdown(std::time::Duration::from_secs(10)).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn call(
        &mut self,
        name: impl Into<String>,
        needs: impl Needs,
        workflow: impl Into<String>,
        inputs: Value,
    ) -> TaskOf<Value> {
        let inputs = match inputs {
            Value::Object(inputs) => inputs,
            _ => Map::new(),
        };
        let call = Some(Call { workflow: workflow.into(), inputs });
        let task = self.idle(name.into(), &needs.numbers());
        self.workflow.tasks.push(TaskDefinition { call, ..task });
        self.newest()
    }

    /// Adds a task that waits for a task of another workflow, or for a whole run of it, by logical date. Others need it with
    /// [`WorkflowBuilder::after`].
    ///
    /// ```
    /// use mainspring::{At, Elsewhere, NeedAt, OnMissing, prelude::*};
    ///
    /// let mut sums = workflow("sums");
    /// let (ingest, load) = ("ingest".to_owned(), Some("load".to_owned()));
    /// let at = At::Word(NeedAt::Same);
    /// let loaded = sums.elsewhere(Elsewhere { workflow: ingest, task: load, at, on_missing: OnMissing::Wait, timeout_ms: None });
    /// let sum = sums.task("sum", (), async |_run, ()| anyhow::Ok(0));
    /// sums.after(&sum, &loaded);
    /// ```
    pub fn elsewhere(&mut self, need: Elsewhere) -> TaskOf<Value> {
        self.hold(need.name(), &[], Hold::Elsewhere(need))
    }

    /// Adds a task that passes at an instant, such as `2026-05-04T03:00:00Z` or a text whose expressions make one.
    pub fn wait_until(
        &mut self,
        name: impl Into<String>,
        needs: impl Needs,
        until: impl Into<String>,
    ) -> TaskOf<Value> {
        self.hold(name.into(), &needs.numbers(), Hold::Until(until.into()))
    }

    /// Adds a task that passes the next time that clocks show a time, such as `18:00` in `Europe/Berlin`.
    pub fn wait_for_time(&mut self, name: impl Into<String>, needs: impl Needs, time: ClockTime) -> TaskOf<Value> {
        self.hold(name.into(), &needs.numbers(), Hold::At(time))
    }

    /// Adds a task that passes once one of certain people approves, or as it says once they have not in time. See
    /// [`WorkflowBuilder::approval`].
    pub fn ask(&mut self, name: impl Into<String>, needs: impl Needs, approval: Approval) -> TaskOf<Value> {
        self.hold(name.into(), &needs.numbers(), Hold::Approval(approval))
    }

    /// Adds a task that runs once for each combination of one value of each list, the last list changing fastest, and returns what each
    /// run has returned, in that order. Its function is given a combination: an object, or a type that reads one.
    ///
    /// ```
    /// use mainspring::prelude::*;
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), mainspring::Error> {
    /// let scheduler = Scheduler::builder().start("memory:").await?;
    /// let mut sales = workflow("sales");
    /// let lists = [("region", vec![json!("eu"), json!("us")]), ("shard", vec![json!(0), json!(1)])];
    /// let loaded = sales.matrix("load", lists, async |_run, of: Value| anyhow::Ok(format!("{}", of["shard"])));
    /// scheduler.add_workflow(sales).await?;
    /// let run = scheduler.run_now("sales").await?;
    /// scheduler.wait(run.id).await?;
    /// let expected = ["0", "1", "0", "1"].map(str::to_owned).to_vec();
    /// assert_eq!(scheduler.output_of(run.id, &loaded).await?, Some(expected));
    /// # scheduler.shutdown(std::time::Duration::from_secs(10)).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn matrix<I, T, E, F, Fut>(
        &mut self,
        name: impl Into<String>,
        lists: impl IntoIterator<Item = (impl Into<String>, Vec<Value>)>,
        function: F,
    ) -> TaskOf<Vec<T>>
    where
        I: DeserializeOwned + Send + 'static,
        T: Serialize + 'static,
        F: Fn(RunContext, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
        E: fmt::Display + 'static,
    {
        let handler = self.handler(function, serde_json::from_value);
        let task = self.push(name.into(), handler, &[], json!("${{ matrix }}"));
        self.for_matrix(&task, lists);
        task
    }

    /// Lets a task run once for each combination of one value of each list. Its texts see the values as `matrix.NAME`.
    pub fn for_matrix<T>(
        &mut self,
        task: &TaskOf<T>,
        lists: impl IntoIterator<Item = (impl Into<String>, Vec<Value>)>,
    ) {
        let lists = lists.into_iter().map(|(name, values)| (name.into(), values)).collect();
        self.at(task).spread = Some(Spread::Matrix(lists));
    }

    /// Lets a task wait for others whose values it is not given.
    pub fn after<T>(&mut self, task: &TaskOf<T>, others: impl Needs) {
        let needs = &mut self.at(task).needs;
        *needs = sorted(&[&needs[..], &others.numbers()].concat());
    }

    /// Lets a task wait for all tasks of a group, under its rule as if it needed each of them.
    pub fn after_group<T>(&mut self, task: &TaskOf<T>, group: &GroupOf) {
        let needs = &mut self.at(task).needs;
        *needs = sorted(&[&needs[..], &[group.number]].concat());
    }

    /// Says what a run of the workflow leaves under a name, for who has started it: what a task has returned.
    pub fn output<T>(&mut self, name: impl Into<String>, task: &TaskOf<T>) {
        let value = self.returned(task.number);
        self.workflow.outputs.insert(name.into(), value);
    }

    /// Returns the expression that stands for what a task has returned, for inputs and texts of tasks that need it.
    #[must_use]
    pub fn value<T>(&self, task: &TaskOf<T>) -> String {
        self.returned(task.number)
    }

    /// A task that does nothing by itself.
    pub(super) fn idle(&self, name: String, needs: &[u32]) -> TaskDefinition {
        let job = Job::new(self.job.key.clone(), Task::Noop);
        TaskDefinition { needs: sorted(needs), ..TaskDefinition::new(name, job) }
    }
}
