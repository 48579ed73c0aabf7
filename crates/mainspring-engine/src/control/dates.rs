//! The dates that name runs.

use mainspring_core::Timestamp;
use mainspring_core::workflow::dates::LogicalDate;
use mainspring_store::{BackfillRow, RunInfo};

use super::{Control, Result};

impl Control {
    /// Returns the date that names a run, where that is not its fire time: its job names runs after the start of their data.
    ///
    /// # Errors
    /// The store could not say.
    pub async fn logical_date(&self, run: &RunInfo) -> Result<Option<Timestamp>> {
        let date = self.definitions.logical_date(run).await?;
        Ok((date != run.fire_time).then_some(date))
    }

    /// Returns the same for each run that a backfill makes for a fire time.
    ///
    /// # Errors
    /// The store could not say.
    pub async fn logical_dates(&self, row: &BackfillRow, fires: &[Timestamp]) -> Result<Vec<Option<Timestamp>>> {
        let named = match self.definitions.definition(row.job, row.job_version).await {
            Ok(job) => job.logical_date,
            // Retention has taken it.
            Err(mainspring_store::Error::NotFound { .. }) => LogicalDate::Fire,
            Err(error) => return Err(error.into()),
        };
        if named == LogicalDate::Fire {
            return Ok(vec![None; fires.len()]);
        }
        let mut dates = Vec::with_capacity(fires.len());
        for fire in fires {
            let before = self.definitions.previous_fire(row.trigger, *fire).await?.flatten();
            dates.push(before.filter(|date| date != fire));
        }
        Ok(dates)
    }
}
