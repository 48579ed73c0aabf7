//! Ends of attempts and what follows them, in one transaction.

use std::collections::HashSet;

use mainspring_core::RunId;
use mainspring_core::batch::CompletionBatch;

use super::db::Step;
use super::session::Session;
use super::{Batches, complete, queue, workflow};
use crate::follow::{ClaimRequest, FollowUp, Followed};
use crate::workflow::{Stepped, WorkflowStep};

/// See [`crate::Store::complete_and_go_on`].
pub(crate) fn complete_and_go_on<C: Batches>(
    session: &mut Session<C>,
    batch: &CompletionBatch,
    follow_up: &FollowUp,
) -> Step<Followed> {
    let outcome = complete::record(session, batch)?;
    let steps = match outcome.refused.is_empty() {
        true => step(session, follow_up)?,
        false => vec![Stepped::Stale; follow_up.steps.len()],
    };
    let claimed = match &follow_up.claim {
        Some(ClaimRequest { id, queues, limit, at }) => queue::take(session, *id, queues, *limit, *at)?,
        None => Vec::new(),
    };
    session.flush_own_runs(batch.at)?;
    let followed = Followed { outcome, steps, claimed };
    if followed.leaves_queued() {
        workflow::note_queued(session, follow_up.steps.iter().map(|after| &after.step), &followed.steps);
    }
    Ok(followed)
}

/// Writes the steps. Their runs have heard of their ends by that, and are not told of them.
fn step<C: Batches>(session: &mut Session<C>, follow_up: &FollowUp) -> Step<Vec<Stepped>> {
    if follow_up.steps.is_empty() {
        return Ok(Vec::new());
    }
    let steps: Vec<WorkflowStep> = follow_up.steps.iter().map(|after| after.step.clone()).collect();
    let written = workflow::write(session, &steps)?;
    let written_ones = follow_up.steps.iter().zip(&written).filter(|(_, it)| matches!(it, Stepped::Written(_)));
    let heard: HashSet<RunId> = written_ones.flat_map(|(after, _)| after.ends.iter().copied()).collect();
    session.runs.hear(&heard);
    Ok(written)
}
