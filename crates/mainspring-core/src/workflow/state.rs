//! Where a task of a workflow run stands.

use crate::run::words;

words!(
    /// Where a task of a workflow run stands. A task that is `running` is a run with a parent: whether that run is queued,
    /// scheduled or held is that run's own state.
    TaskState {
        /// Its upstreams do not allow it yet.
        Waiting = "waiting",
        /// It may run, and is owed a run.
        Ready = "ready",
        /// It has a run that is not final.
        Running = "running",
        /// Done, and well.
        Succeeded = "succeeded",
        /// Done, and not well.
        Failed = "failed",
        /// Never started, because of how its upstreams ended.
        UpstreamFailed = "upstream_failed",
        /// Never started: its rule or its condition said no, or somebody did.
        Skipped = "skipped",
        /// Ended on request, or because another task failed and the workflow ends then.
        Cancelled = "cancelled",
    }
);

impl TaskState {
    /// Whether nothing but a rerun changes it.
    #[must_use]
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Waiting | Self::Ready | Self::Running)
    }

    /// Whether a workflow run that has such a task did not succeed.
    #[must_use]
    pub const fn is_bad(self) -> bool {
        matches!(self, Self::Failed | Self::UpstreamFailed | Self::Cancelled)
    }
}
