//! Words of workflows.

use crate::words;

words!(
    /// Where a task of a workflow run stands.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema, utoipa::ToSchema))]
    TaskState, open in open_task_state {
        /// Its upstreams do not allow it yet.
        Waiting = "waiting",
        /// It may run, and is owed a run.
        Ready = "ready",
        /// It has a run that is not final.
        Running = "running",
        /// Final: done, and well.
        Succeeded = "succeeded",
        /// Final: done, and not well.
        Failed = "failed",
        /// Final: never started, because of how its upstreams ended.
        UpstreamFailed = "upstream_failed",
        /// Final: never started, since its rule, its condition or somebody said no.
        Skipped = "skipped",
        /// Final: ended on request, or because another task failed.
        Cancelled = "cancelled",
    }
);

impl TaskState {
    /// Tells whether nothing but a rerun changes it.
    #[must_use]
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Waiting | Self::Ready | Self::Running)
    }

    /// Tells whether a workflow run that has such a task did not succeed.
    #[must_use]
    pub const fn is_bad(self) -> bool {
        matches!(self, Self::Failed | Self::UpstreamFailed | Self::Cancelled)
    }
}

impl open_task_state::TaskState {
    /// Tells whether nothing but a rerun changes it.
    #[must_use]
    pub const fn is_final(self) -> bool {
        match self.known() {
            Some(state) => state.is_final(),
            None => false,
        }
    }
}

words!(
    /// When a task may run, given how the tasks that it needs ended. A task that needs none runs under any rule.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema, utoipa::ToSchema))]
    TriggerRule {
        /// All succeeded.
        #[default]
        AllSuccess = "all_success",
        /// All ended and none failed.
        NoneFailed = "none_failed",
        /// All ended, none failed and at least one succeeded.
        NoneFailedMinOneSuccess = "none_failed_min_one_success",
        /// All ended and none was skipped.
        NoneSkipped = "none_skipped",
        /// All ended.
        AllDone = "all_done",
        /// All ended and at least one succeeded.
        AllDoneMinOneSuccess = "all_done_min_one_success",
        /// All failed.
        AllFailed = "all_failed",
        /// All were skipped.
        AllSkipped = "all_skipped",
        /// At least one succeeded.
        OneSuccess = "one_success",
        /// At least one failed.
        OneFailed = "one_failed",
        /// At least one succeeded or failed itself.
        OneDone = "one_done",
        /// Whatever they do.
        Always = "always",
    }
);

words!(
    /// What becomes of a task for whose approval nobody decides in time.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema, utoipa::ToSchema))]
    OnTimeout {
        /// It fails.
        #[default]
        Fail = "fail",
        /// It is skipped.
        Skip = "skip",
        /// It counts as approved.
        Approve = "approve",
    }
);

words!(
    /// Which runs of another workflow a task needs, by the date of its own.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema, utoipa::ToSchema))]
    NeedAt {
        /// That of the same logical date.
        #[default]
        Same = "same",
        /// All whose data intervals lie inside that of this run.
        Covers = "covers",
        /// That of the fire time before, of the schedule of this workflow.
        Previous = "previous",
    }
);

words!(
    /// Which end of its data interval a run is named after.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema, utoipa::ToSchema))]
    LogicalDate {
        /// The fire time, at which the interval ends.
        #[default]
        Fire = "fire",
        /// The beginning of the interval, which is the fire time before, as Airflow's interval timetables have it.
        Start = "start",
    }
);

words!(
    /// What becomes of a need while there is no run of the other workflow for its date.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema, utoipa::ToSchema))]
    OnMissing {
        /// It waits for one.
        #[default]
        Wait = "wait",
        /// It counts as succeeded.
        Succeed = "succeed",
        /// It is skipped.
        Skip = "skip",
        /// It fails.
        Fail = "fail",
    }
);
