//! Backfills.

use super::{Client, ClientError};
use crate::{
    Backfill, BackfillFilter, BackfillItem, BackfillItemFilter, BackfillPlan, BackfillSpec, Page, PageFilter, Reason,
    routes,
};

impl Client {
    /// Returns what a backfill would do, with a page of its fire times. Nothing changes.
    pub async fn plan_backfill(
        &self,
        namespace: &str,
        job: &str,
        spec: &BackfillSpec,
        page: &PageFilter,
    ) -> Result<BackfillPlan, ClientError> {
        self.post(&routes::path(routes::BACKFILL_PLAN, &[namespace, job]), spec, page).await
    }

    /// Starts a backfill.
    pub async fn start_backfill(
        &self,
        namespace: &str,
        job: &str,
        spec: &BackfillSpec,
    ) -> Result<Backfill, ClientError> {
        self.post(&routes::path(routes::JOB_BACKFILLS, &[namespace, job]), spec, &()).await
    }

    /// Lists backfills of a namespace, or with `-` of all, newest first.
    pub async fn backfills(&self, namespace: &str, filter: &BackfillFilter) -> Result<Page<Backfill>, ClientError> {
        self.get(&routes::path(routes::BACKFILLS, &[namespace]), filter).await
    }

    /// Returns a backfill.
    pub async fn backfill(&self, id: &str) -> Result<Backfill, ClientError> {
        self.get(&routes::path(routes::BACKFILL, &[id]), &()).await
    }

    /// Lists the items of a backfill in their order.
    pub async fn backfill_items(
        &self,
        id: &str,
        filter: &BackfillItemFilter,
    ) -> Result<Page<BackfillItem>, ClientError> {
        self.get(&routes::path(routes::BACKFILL_ITEMS, &[id]), filter).await
    }

    /// Starts no more runs of a backfill until it is resumed.
    pub async fn pause_backfill(&self, id: &str, reason: &Reason) -> Result<Backfill, ClientError> {
        self.act(routes::BACKFILL_PAUSE, &[id], reason).await
    }

    /// Ends the pause of a backfill.
    pub async fn resume_backfill(&self, id: &str, reason: &Reason) -> Result<Backfill, ClientError> {
        self.act(routes::BACKFILL_RESUME, &[id], reason).await
    }

    /// Ends a backfill with its runs.
    pub async fn cancel_backfill(&self, id: &str, reason: &Reason) -> Result<Backfill, ClientError> {
        self.act(routes::BACKFILL_CANCEL, &[id], reason).await
    }

    /// Runs what failed or was cancelled again.
    pub async fn retry_backfill(&self, id: &str, reason: &Reason) -> Result<Backfill, ClientError> {
        self.act(routes::BACKFILL_RETRY, &[id], reason).await
    }
}
