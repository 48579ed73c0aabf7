//! Namespaces, jobs, triggers, calendars, bundles.

use serde::Serialize;
use serde_json::Value;

use super::{Client, ClientError, Precondition};
use crate::{
    ApplyOptions, ApplyResult, Bundle, Calendar, CalendarSpec, Gap, GapFilter, Job, JobData, JobFilter, JobSpec,
    JobVersion, MisfireFilter, Misfires, Namespace, NamespaceSpec, Page, PageFilter, Reanchored, Reason, Run,
    RunFilter, RunNow, Trigger, TriggerFilter, Why, WriteOptions, routes,
};

impl Client {
    /// Lists namespaces.
    pub async fn namespaces(&self, filter: &PageFilter) -> Result<Page<Namespace>, ClientError> {
        self.get(routes::NAMESPACES, filter).await
    }

    /// Returns a namespace.
    pub async fn namespace(&self, namespace: &str) -> Result<Namespace, ClientError> {
        self.get(&routes::path(routes::NAMESPACE, &[namespace]), &()).await
    }

    /// Makes or changes a namespace.
    pub async fn put_namespace(
        &self,
        namespace: &str,
        spec: &NamespaceSpec,
        precondition: Precondition,
        options: WriteOptions,
    ) -> Result<Namespace, ClientError> {
        self.put(&routes::path(routes::NAMESPACE, &[namespace]), spec, precondition, &options).await
    }

    /// Deletes an empty namespace.
    pub async fn delete_namespace(
        &self,
        namespace: &str,
        precondition: Precondition,
        options: WriteOptions,
    ) -> Result<(), ClientError> {
        self.delete(&routes::path(routes::NAMESPACE, &[namespace]), precondition, &options).await
    }

    /// Lists jobs, by name.
    pub async fn jobs(&self, namespace: &str, filter: &JobFilter) -> Result<Page<Job>, ClientError> {
        self.get(&routes::path(routes::JOBS, &[namespace]), filter).await
    }

    /// Returns a job.
    pub async fn job(&self, namespace: &str, job: &str) -> Result<Job, ClientError> {
        self.get(&routes::path(routes::JOB, &[namespace, job]), &()).await
    }

    /// Makes or replaces a job, under the name its spec has. A new one has version 1.
    pub async fn put_job(
        &self,
        namespace: &str,
        spec: &JobSpec,
        precondition: Precondition,
        options: WriteOptions,
    ) -> Result<Job, ClientError> {
        self.put(&routes::path(routes::JOB, &[namespace, &spec.name]), spec, precondition, &options).await
    }

    /// Changes the parts of a job that a merge patch (RFC 7396) names; `null` removes a key.
    pub async fn patch_job(
        &self,
        namespace: &str,
        job: &str,
        patch: &Value,
        precondition: Precondition,
        options: WriteOptions,
    ) -> Result<Job, ClientError> {
        let path = routes::path(routes::JOB, &[namespace, job]);
        let request = self.request(reqwest::Method::PATCH, &path).query(&options).json(patch);
        let request = request.header(reqwest::header::CONTENT_TYPE, "application/merge-patch+json");
        self.send(precondition.apply(request)).await
    }

    /// Deletes a job with its triggers; its runs go on, and its history is kept.
    pub async fn delete_job(
        &self,
        namespace: &str,
        job: &str,
        precondition: Precondition,
        options: WriteOptions,
    ) -> Result<(), ClientError> {
        self.delete(&routes::path(routes::JOB, &[namespace, job]), precondition, &options).await
    }

    /// Lists the versions of a job that are kept, newest first, with who saved them.
    pub async fn job_versions(
        &self,
        namespace: &str,
        job: &str,
        filter: &PageFilter,
    ) -> Result<Page<JobVersion>, ClientError> {
        self.get(&routes::path(routes::JOB_VERSIONS, &[namespace, job]), filter).await
    }

    /// Returns what a job keeps between its runs.
    pub async fn job_data(&self, namespace: &str, job: &str) -> Result<JobData, ClientError> {
        self.get(&routes::path(routes::JOB_DATA, &[namespace, job]), &()).await
    }

    /// Sets what the next runs of a job are given. The precondition's version is the revision.
    pub async fn put_job_data(
        &self,
        namespace: &str,
        job: &str,
        data: &Value,
        precondition: Precondition,
    ) -> Result<JobData, ClientError> {
        self.put(&routes::path(routes::JOB_DATA, &[namespace, job]), data, precondition, &()).await
    }

    /// Sets what the next runs of a job are given to `{}`.
    pub async fn clear_job_data(
        &self,
        namespace: &str,
        job: &str,
        precondition: Precondition,
    ) -> Result<(), ClientError> {
        self.delete(&routes::path(routes::JOB_DATA, &[namespace, job]), precondition, &()).await
    }

    /// Says why a job does not run now, or that it does.
    pub async fn why_job(&self, namespace: &str, job: &str) -> Result<Why, ClientError> {
        self.get(&routes::path(routes::JOB_WHY, &[namespace, job]), &()).await
    }

    /// Says why a trigger does not fire now.
    pub async fn why_trigger(&self, namespace: &str, job: &str, trigger: &str) -> Result<Why, ClientError> {
        self.get(&routes::path(routes::TRIGGER_WHY, &[namespace, job, trigger]), &()).await
    }

    /// Pauses a job: once this returns, none of its triggers fires. Runs already queued still start.
    pub async fn pause_job(&self, namespace: &str, job: &str, reason: &Reason) -> Result<Job, ClientError> {
        self.act(routes::JOB_PAUSE, &[namespace, job], reason).await
    }

    /// Ends the pause of a job; instants that have passed meanwhile do not fire.
    pub async fn resume_job(&self, namespace: &str, job: &str, reason: &Reason) -> Result<Job, ClientError> {
        self.act(routes::JOB_RESUME, &[namespace, job], reason).await
    }

    /// Starts a run of a job now.
    pub async fn run_job(&self, namespace: &str, job: &str, request: &RunNow) -> Result<Run, ClientError> {
        self.act(routes::JOB_RUN, &[namespace, job], request).await
    }

    /// Lists final runs of a job, newest first. The filter's `job` is not used.
    pub async fn job_history(&self, namespace: &str, job: &str, filter: &RunFilter) -> Result<Page<Run>, ClientError> {
        let filter = RunFilter { job: None, ..filter.clone() };
        self.get(&routes::path(routes::JOB_HISTORY, &[namespace, job]), &filter).await
    }

    /// Lists triggers, by job and name.
    pub async fn triggers(&self, namespace: &str, filter: &TriggerFilter) -> Result<Page<Trigger>, ClientError> {
        self.get(&routes::path(routes::TRIGGERS, &[namespace]), filter).await
    }

    /// Returns a trigger.
    pub async fn trigger(&self, namespace: &str, job: &str, trigger: &str) -> Result<Trigger, ClientError> {
        self.get(&routes::path(routes::TRIGGER, &[namespace, job, trigger]), &()).await
    }

    /// Lists the instants of a trigger that did not fire, newest first. A page may have fewer than it could, and a cursor.
    pub async fn trigger_gaps(
        &self,
        namespace: &str,
        job: &str,
        trigger: &str,
        filter: &GapFilter,
    ) -> Result<Page<Gap>, ClientError> {
        self.get(&routes::path(routes::TRIGGER_GAPS, &[namespace, job, trigger]), filter).await
    }

    /// Lists instants that did not fire, over all triggers and newest first.
    pub async fn misfires(&self, filter: &MisfireFilter) -> Result<Misfires, ClientError> {
        self.get(routes::MISFIRES, filter).await
    }

    /// Pauses a trigger: once this returns, it does not fire.
    pub async fn pause_trigger(
        &self,
        namespace: &str,
        job: &str,
        trigger: &str,
        reason: &Reason,
    ) -> Result<Trigger, ClientError> {
        self.act(routes::TRIGGER_PAUSE, &[namespace, job, trigger], reason).await
    }

    /// Ends the pause of a trigger; instants that have passed meanwhile do not fire.
    pub async fn resume_trigger(
        &self,
        namespace: &str,
        job: &str,
        trigger: &str,
        reason: &Reason,
    ) -> Result<Trigger, ClientError> {
        self.act(routes::TRIGGER_RESUME, &[namespace, job, trigger], reason).await
    }

    /// Takes back what a trigger has recorded for instants that are still to come, so that it fires again.
    pub async fn reanchor_trigger(&self, namespace: &str, job: &str, trigger: &str) -> Result<Trigger, ClientError> {
        self.act(routes::TRIGGER_REANCHOR, &[namespace, job, trigger], &Reason::default()).await
    }

    /// The same of all triggers of a namespace, or with `-` of all.
    pub async fn reanchor_triggers(&self, namespace: &str) -> Result<Reanchored, ClientError> {
        self.act(routes::TRIGGERS_REANCHOR, &[namespace], &Reason::default()).await
    }

    /// Lists calendars, by name.
    pub async fn calendars(&self, namespace: &str, filter: &PageFilter) -> Result<Page<Calendar>, ClientError> {
        self.get(&routes::path(routes::CALENDARS, &[namespace]), filter).await
    }

    /// Returns a calendar.
    pub async fn calendar(&self, namespace: &str, calendar: &str) -> Result<Calendar, ClientError> {
        self.get(&routes::path(routes::CALENDAR, &[namespace, calendar]), &()).await
    }

    /// Makes or replaces a calendar, under the name its spec has.
    pub async fn put_calendar(
        &self,
        namespace: &str,
        spec: &CalendarSpec,
        precondition: Precondition,
        options: WriteOptions,
    ) -> Result<Calendar, ClientError> {
        self.put(&routes::path(routes::CALENDAR, &[namespace, &spec.name]), spec, precondition, &options).await
    }

    /// Deletes a calendar that nothing names.
    pub async fn delete_calendar(
        &self,
        namespace: &str,
        calendar: &str,
        precondition: Precondition,
        options: WriteOptions,
    ) -> Result<(), ClientError> {
        self.delete(&routes::path(routes::CALENDAR, &[namespace, calendar]), precondition, &options).await
    }

    /// Returns jobs and calendars of a namespace as one bundle that [`Client::apply`] takes back.
    pub async fn export(&self, namespace: &str) -> Result<Bundle, ClientError> {
        self.get(&routes::path(routes::EXPORT, &[namespace]), &()).await
    }

    /// Makes the server hold what a bundle says: all of it, or nothing on an error.
    pub async fn apply(&self, bundle: &Bundle, options: ApplyOptions) -> Result<ApplyResult, ClientError> {
        self.post(routes::APPLY, bundle, &options).await
    }

    /// Tells what [`Client::apply`] would change, and changes nothing.
    pub async fn diff(&self, bundle: &Bundle, options: ApplyOptions) -> Result<ApplyResult, ClientError> {
        self.apply(bundle, ApplyOptions { dry_run: true, ..options }).await
    }

    /// Posts to a path with places.
    pub(super) async fn act<T: serde::de::DeserializeOwned>(
        &self,
        template: &str,
        values: &[&str],
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        self.post(&routes::path(template, values), body, &()).await
    }
}
