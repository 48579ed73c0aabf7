//! Steering runs of workflows.

use mainspring_core::RunId;
use mainspring_store::{TaskRequest, WorkflowRow};

use super::{Control, Error, Result};

/// Messages that are read with a run for people: what is on its way.
const INBOX_SHOWN: u32 = 100;
/// Ends that one transaction tells.
const REPAIRED_AT_ONCE: u32 = 1_000;

impl Control {
    /// Where a workflow run stands, live or final. Nothing: it has not begun, or is no run of a workflow.
    ///
    /// # Errors
    /// The store could not say.
    pub async fn workflow(&self, run: RunId) -> Result<Option<WorkflowRow>> {
        Ok(self.store.workflow(run, INBOX_SHOWN).await?)
    }

    /// Tells workflow runs of ends of their tasks that they never heard of, and answers how many these were: none, unless something was
    /// broken.
    ///
    /// # Errors
    /// The store could not.
    pub async fn repair_workflows(&self) -> Result<u64> {
        let mut all = 0;
        loop {
            let told = self.store.repair_workflows(REPAIRED_AT_ONCE).await?;
            all += told;
            // Fewer than were looked for says nothing: some ends may have been heard meanwhile.
            if told == 0 {
                break;
            }
        }
        if all > 0 {
            tracing::warn!(ends = all, "workflow runs were told of ends that they had not heard of");
            self.workflows.wake();
        }
        Ok(all)
    }

    /// Asks something of a workflow run, or of one of its tasks. It happens soon after; what does not fit where a task stands by then
    /// changes nothing.
    ///
    /// # Errors
    /// [`Error::Refused`]: the run is over, has not begun, or is no run of a workflow.
    pub async fn steer(&self, run: RunId, request: TaskRequest) -> Result<()> {
        if !self.store.ask_workflow(run, request).await? {
            let state = self.run(run).await?.state;
            return Err(Error::Refused(format!("run {run} is {state}: it is no workflow run that is under way")));
        }
        self.workflows.wake();
        Ok(())
    }
}
