//! The jobs that a dashboard names.

use std::sync::Arc;

use mainspring_core::JobId;
use mainspring_core::job::Job;
use mainspring_store::Store;
use rustc_hash::FxHashMap;

use crate::refusal::Answer;

/// Whether a job is there, and in a namespace or any.
pub(super) fn is_of(namespace: Option<&str>, job: Option<&Arc<Job>>) -> bool {
    job.is_some_and(|job| namespace.is_none_or(|namespace| job.key.namespace == namespace))
}

/// Definitions by id. Those of deleted jobs are missing.
pub(super) async fn jobs(store: &dyn Store, ids: Vec<JobId>) -> Answer<FxHashMap<JobId, Arc<Job>>> {
    let rows = store.jobs_by_id(ids).await?;
    Ok(rows.into_iter().map(|row| (row.id, row.definition)).collect())
}
