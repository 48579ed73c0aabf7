//! Tasks of workflow runs, and what is asked of them.

use super::{Client, ClientError};
use crate::{
    GraphFilter, JobGraph, Page, Reason, Run, RunTask, RunTaskDetail, TaskCancel, TaskFilter, TaskMark, routes,
};

impl Client {
    /// Returns the graph of a workflow.
    pub async fn job_graph(&self, namespace: &str, job: &str, filter: &GraphFilter) -> Result<JobGraph, ClientError> {
        self.get(&routes::path(routes::JOB_GRAPH, &[namespace, job]), filter).await
    }

    /// Lists the tasks of a workflow run, in the order of their names.
    pub async fn tasks(&self, run: &str, filter: &TaskFilter) -> Result<Page<RunTask>, ClientError> {
        self.get(&routes::path(routes::RUN_TASKS, &[run]), filter).await
    }

    /// Returns a task of a workflow run, and what it waits for.
    pub async fn task(&self, run: &str, task: &str) -> Result<RunTaskDetail, ClientError> {
        self.get(&routes::path(routes::RUN_TASK, &[run, task]), &()).await
    }

    /// Lets nothing new start in a workflow run until it is resumed.
    pub async fn pause_run(&self, run: &str, reason: &Reason) -> Result<Run, ClientError> {
        self.act(routes::RUN_PAUSE, &[run], reason).await
    }

    /// Ends the pause of a workflow run.
    pub async fn resume_run(&self, run: &str, reason: &Reason) -> Result<Run, ClientError> {
        self.act(routes::RUN_RESUME, &[run], reason).await
    }

    /// Ends a task of a workflow run, and with `downstream` all that need it.
    pub async fn cancel_task(&self, run: &str, task: &str, cancel: &TaskCancel) -> Result<RunTask, ClientError> {
        self.act(routes::RUN_TASK_CANCEL, &[run, task], cancel).await
    }

    /// Leaves a task out that has not started.
    pub async fn skip_task(&self, run: &str, task: &str, reason: &Reason) -> Result<RunTask, ClientError> {
        self.act(routes::RUN_TASK_SKIP, &[run, task], reason).await
    }

    /// Approves what a task asks for.
    pub async fn approve_task(&self, run: &str, task: &str, reason: &Reason) -> Result<RunTask, ClientError> {
        self.act(routes::RUN_TASK_APPROVE, &[run, task], reason).await
    }

    /// Rejects what a task asks for.
    pub async fn reject_task(&self, run: &str, task: &str, reason: &Reason) -> Result<RunTask, ClientError> {
        self.act(routes::RUN_TASK_REJECT, &[run, task], reason).await
    }

    /// Takes a task for succeeded or failed.
    pub async fn mark_task(&self, run: &str, task: &str, mark: &TaskMark) -> Result<RunTask, ClientError> {
        self.act(routes::RUN_TASK_MARK, &[run, task], mark).await
    }
}
