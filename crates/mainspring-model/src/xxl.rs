//! Words of XXL-JOB's executors, spelled as job files spell them.

use crate::{Overlap, words};

words!(
    /// What a run does while the job runs already, in XXL-JOB's words.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema, utoipa::ToSchema))]
    #[cfg_attr(feature = "schema", schemars(rename = "XxlBlock"), schema(as = XxlBlock))]
    Block {
        /// Waits: the runs follow one another. Overlap `queue_all`.
        #[default]
        SerialExecution = "serial_execution",
        /// Is not done. Overlap `skip`.
        DiscardLater = "discard_later",
        /// Takes the place of the one before. Overlap `cancel_running`.
        CoverEarly = "cover_early",
    }
);

impl Block {
    /// Returns the overlap policy of the same effect.
    #[must_use]
    pub const fn overlap(self) -> Overlap {
        match self {
            Self::SerialExecution => Overlap::QueueAll,
            Self::DiscardLater => Overlap::Skip,
            Self::CoverEarly => Overlap::CancelRunning,
        }
    }
}
