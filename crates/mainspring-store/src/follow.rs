//! What is written in the transaction that records ends of attempts: the next steps of workflow runs, and a claim.

use mainspring_core::batch::{ClaimedRun, CompletionOutcome, Queues};
use mainspring_core::{BatchId, RunId, Timestamp};

use crate::workflow::{Stepped, WorkflowStep};

/// What [follows ends at once](crate::Store::complete_and_go_on).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FollowUp {
    /// Steps of workflow runs, at most one of each.
    pub steps: Vec<StepAfter>,
    /// What is claimed once they are written.
    pub claim: Option<ClaimRequest>,
}

/// A step that was decided before the ends were recorded that its run hears by it.
#[derive(Clone, PartialEq, Debug)]
pub struct StepAfter {
    /// The step. It neither ends its run nor asks for the end of others: what locks gates goes before ends, not after them.
    pub step: WorkflowStep,
    /// Runs of its tasks that end in the batch: they leave no message.
    pub ends: Vec<RunId>,
}

/// What [`Store::claim`](crate::Store::claim) is asked.
#[derive(Clone, PartialEq, Debug)]
pub struct ClaimRequest {
    /// Who claims. A repeat by [`Store::claim`](crate::Store::claim) gets the same runs.
    pub id: BatchId,
    /// From which queues.
    pub queues: Queues,
    /// How many at most.
    pub limit: u32,
    /// When.
    pub at: Timestamp,
}

/// What came of ends and of what follows them.
#[derive(Clone, PartialEq, Debug)]
pub struct Followed {
    /// What [`Store::complete`](crate::Store::complete) answers.
    pub outcome: CompletionOutcome,
    /// What [`Store::step_workflows`](crate::Store::step_workflows) answers.
    pub steps: Vec<Stepped>,
    /// What [`Store::claim`](crate::Store::claim) answers.
    pub claimed: Vec<ClaimedRun>,
}

impl Followed {
    /// Whether something was queued that was not claimed at once.
    #[must_use]
    pub fn leaves_queued(&self) -> bool {
        let made = self.steps.iter().flat_map(|step| match step {
            Stepped::Written(runs) => &runs[..],
            Stepped::Stale => &[],
        });
        let mut open = made.filter(|run| self.claimed.iter().all(|claimed| claimed.run != **run));
        open.next().is_some()
    }
}
