//! Runs, attempts, logs.

use super::{Client, ClientError, LogItem, LogStreamReader};
use crate::{
    Attempt, Backfill, LogError, LogErrorFilter, LogFilter, LogFind, LogFound, LogPage, Page, PastRuns, PastRunsAdded,
    Reason, Rerun, RerunPlan, Run, RunFilter, Why, routes,
};

impl Client {
    /// Lists runs of a namespace, newest first, live and final.
    pub async fn runs(&self, namespace: &str, filter: &RunFilter) -> Result<Page<Run>, ClientError> {
        self.get(&routes::path(routes::RUNS, &[namespace]), filter).await
    }

    /// Returns a run, live or final.
    pub async fn run(&self, run: &str) -> Result<Run, ClientError> {
        self.get(&routes::path(routes::RUN, &[run]), &()).await
    }

    /// Adds runs of a job that another scheduler has executed to its history. Those that are there already are not added again.
    pub async fn add_past_runs(
        &self,
        namespace: &str,
        job: &str,
        runs: &PastRuns,
    ) -> Result<PastRunsAdded, ClientError> {
        self.post(&routes::path(routes::PAST_RUNS, &[namespace, job]), runs, &()).await
    }

    /// Asks for a run to be cancelled. It is final when its processes have ended: see [`Client::wait_for_run`].
    pub async fn cancel_run(&self, run: &str, reason: &Reason) -> Result<Run, ClientError> {
        self.act(routes::RUN_CANCEL, &[run], reason).await
    }

    /// Starts a new run with the same input, job version and fire time.
    pub async fn rerun(&self, run: &str, reason: &Reason) -> Result<Run, ClientError> {
        self.act(routes::RUN_RERUN, &[run], reason).await
    }

    /// Starts a new run that repeats some tasks of a workflow run and keeps the results of the others.
    pub async fn rerun_tasks(&self, run: &str, rerun: &Rerun) -> Result<Run, ClientError> {
        self.act(routes::RUN_RERUN, &[run], rerun).await
    }

    /// Says what a rerun of a workflow run would do. Nothing is changed.
    pub async fn plan_rerun(&self, run: &str, rerun: &Rerun) -> Result<RerunPlan, ClientError> {
        self.act(routes::RUN_RERUN_PLAN, &[run], rerun).await
    }

    /// Starts a rerun of tasks of a workflow run, and of what depends on its date in other workflows: a backfill of that date.
    pub async fn rerun_cascade(&self, run: &str, rerun: &Rerun) -> Result<Backfill, ClientError> {
        self.act(routes::RUN_CASCADE, &[run], rerun).await
    }

    /// Says what such a rerun would do. Nothing is changed.
    pub async fn plan_cascade(&self, run: &str, rerun: &Rerun) -> Result<RerunPlan, ClientError> {
        self.act(routes::RUN_CASCADE_PLAN, &[run], rerun).await
    }

    /// Lists the attempts of a run, first to last.
    pub async fn attempts(&self, run: &str) -> Result<Vec<Attempt>, ClientError> {
        self.get(&routes::path(routes::RUN_ATTEMPTS, &[run]), &()).await
    }

    /// Says why a run does not run now, or that it does.
    pub async fn why_run(&self, run: &str) -> Result<Why, ClientError> {
        self.get(&routes::path(routes::RUN_WHY, &[run]), &()).await
    }

    /// Returns what a run has left, however large it is: JSON.
    pub async fn run_output(&self, run: &str) -> Result<Vec<u8>, ClientError> {
        self.bytes(&routes::path(routes::RUN_OUTPUT, &[run])).await
    }

    /// Returns a part of the log of a run. The filter's `follow` is not used.
    pub async fn log(&self, run: &str, filter: &LogFilter) -> Result<LogPage, ClientError> {
        let filter = LogFilter { follow: false, ..filter.clone() };
        self.get(&routes::path(routes::RUN_LOG, &[run]), &filter).await
    }

    /// Looks for a text in the log of a run.
    pub async fn find_in_log(&self, run: &str, find: &LogFind) -> Result<LogFound, ClientError> {
        self.get(&routes::path(routes::RUN_LOG_FIND, &[run]), find).await
    }

    /// Returns the line at which to begin to read an attempt that failed.
    pub async fn log_errors(&self, run: &str, filter: &LogErrorFilter) -> Result<LogError, ClientError> {
        self.get(&routes::path(routes::RUN_LOG_ERRORS, &[run]), filter).await
    }

    /// Reads the log of a run as it grows, until the run is final.
    pub async fn follow_log(&self, run: &str, filter: &LogFilter) -> Result<LogStreamReader, ClientError> {
        let filter = LogFilter { follow: true, limit: None, ..filter.clone() };
        let stream = self.stream(&routes::path(routes::RUN_LOG, &[run]), &filter, None).await?;
        Ok(LogStreamReader::new(stream))
    }

    /// Waits until a run is final, and returns it. Wrap it in a time limit to wait no longer than you like.
    pub async fn wait_for_run(&self, run: &str) -> Result<Run, ClientError> {
        let mut log = self.follow_log(run, &LogFilter { tail: Some(0), ..LogFilter::default() }).await?;
        while let Some(item) = log.next().await? {
            if let LogItem::End(run) = item {
                return Ok(*run);
            }
        }
        self.run(run).await
    }
}
