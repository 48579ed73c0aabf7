//! Workers, and what they say to a server.

use std::time::Duration;

use super::{Client, ClientError, Precondition};
use crate::{
    JobMatch, Reason, Worker, WorkerOrders, WorkerPoll, WorkerReceipt, WorkerReport, WorkerSpec, WorkerTerms,
    WorkerToken, WorkerTokenSpec, routes,
};

/// How long the answer to a poll may take beyond the time for which it is held.
const POLL_SLACK: Duration = Duration::from_secs(5);
/// How long each 64 KiB of an output may take.
const OUTPUT_SLACK: Duration = Duration::from_secs(1);

impl Client {
    /// Says who could execute the next run of a job, and why the others could not.
    pub async fn match_job(&self, namespace: &str, job: &str) -> Result<JobMatch, ClientError> {
        self.get(&routes::path(routes::JOB_MATCH, &[namespace, job]), &()).await
    }

    /// Lists the workers that have joined.
    pub async fn workers(&self) -> Result<Vec<Worker>, ClientError> {
        self.get(routes::WORKERS, &()).await
    }

    /// Returns a worker.
    pub async fn worker(&self, id: &str) -> Result<Worker, ClientError> {
        self.get(&routes::path(routes::WORKER, &[id]), &()).await
    }

    /// Joins as a worker.
    pub async fn join_worker(&self, spec: &WorkerSpec) -> Result<WorkerTerms, ClientError> {
        self.post(routes::WORKERS, spec, &()).await
    }

    /// Leaves as a worker: what it still executes is lost.
    pub async fn leave_worker(&self, id: &str) -> Result<(), ClientError> {
        self.delete(&routes::path(routes::WORKER, &[id]), Precondition::None, &()).await
    }

    /// Has a worker be given nothing new: it finishes what it has.
    pub async fn drain_worker(&self, id: &str, reason: &Reason) -> Result<Worker, ClientError> {
        self.post(&routes::path(routes::WORKER_DRAIN, &[id]), reason, &()).await
    }

    /// Lets a worker be given runs again.
    pub async fn undrain_worker(&self, id: &str, reason: &Reason) -> Result<Worker, ClientError> {
        self.post(&routes::path(routes::WORKER_UNDRAIN, &[id]), reason, &()).await
    }

    /// Asks what there is to do. `hold` is how long the server may wait before it says: nothing.
    pub async fn poll_worker(&self, id: &str, poll: &WorkerPoll, hold: Duration) -> Result<WorkerOrders, ClientError> {
        let patient = Self { timeout: hold + POLL_SLACK, ..self.clone() };
        patient.post(&routes::path(routes::WORKER_POLL, &[id]), poll, &()).await
    }

    /// Says what became of runs. Large outputs have more time.
    pub async fn report_worker(&self, id: &str, report: &WorkerReport) -> Result<WorkerReceipt, ClientError> {
        let outputs = report.ends.iter().filter_map(|end| end.output.as_ref());
        let bytes: usize = outputs.map(|output| output.to_string().len()).sum();
        let patient = Self {
            timeout: self.timeout + OUTPUT_SLACK * u32::try_from(bytes >> 16).unwrap_or(u32::MAX),
            ..self.clone()
        };
        patient.post(&routes::path(routes::WORKER_REPORT, &[id]), report, &()).await
    }

    /// Lists the tokens of workers.
    pub async fn worker_tokens(&self) -> Result<Vec<WorkerToken>, ClientError> {
        self.get(routes::WORKER_TOKENS, &()).await
    }

    /// Makes a token for workers. The answer is the only place where it can be read.
    pub async fn create_worker_token(&self, spec: &WorkerTokenSpec) -> Result<WorkerToken, ClientError> {
        self.post(routes::WORKER_TOKENS, spec, &()).await
    }

    /// Ends a token of workers.
    pub async fn revoke_worker_token(&self, name: &str) -> Result<(), ClientError> {
        self.delete(&routes::path(routes::WORKER_TOKEN, &[name]), Precondition::None, &()).await
    }
}
