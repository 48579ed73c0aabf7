//! What jobs keep between their runs, for people to look at and to set.

use mainspring_core::job::JobKey;
use mainspring_store::{JobData, JobRow};
use serde_json::Value;

use super::{Control, Error, Result, no_job};

impl Control {
    /// What a job keeps between its runs: nothing if nothing was ever set.
    ///
    /// # Errors
    /// If there is no such job.
    pub async fn data(&self, key: &JobKey) -> Result<Option<JobData>> {
        let job = self.job_of(key).await?;
        Ok(self.store.job_data(job.id).await?)
    }

    /// Sets what the next runs of a job are given; `expect` is the revision that it must have (0: nothing was ever set).
    ///
    /// # Errors
    /// If there is no such job, it keeps no data, the data is no object or too large, or has another revision.
    pub async fn set_data(&self, key: &JobKey, data: &Value, expect: Option<i64>) -> Result<JobData> {
        let job = self.job_of(key).await?;
        if !job.definition.keep_data {
            return Err(Error::Refused(format!("job `{key}` keeps no data; set keep_data in its definition")));
        }
        let text = mainspring_tasks::JobData::check(data).map_err(Error::Data)?;
        Ok(self.store.set_job_data(job.id, &text, expect, self.now()).await?)
    }

    async fn job_of(&self, key: &JobKey) -> Result<JobRow> {
        self.store.job(key).await?.ok_or_else(|| no_job(key))
    }
}
