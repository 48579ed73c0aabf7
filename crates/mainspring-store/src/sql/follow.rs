//! Ends of attempts and what follows them, in one transaction.

use std::collections::HashSet;

use mainspring_core::RunId;
use mainspring_core::batch::CompletionBatch;

use super::db::Step;
use super::session::Session;
use super::{Batches, complete, queue, workflow};
use crate::follow::{ClaimRequest, FollowUp, Followed, StepAfter};
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
///
/// A run that is left something goes the long way, as if its step were stale: whoever was told that it is paused, or that a task of it is
/// skipped, is to find that it holds for what follows.
fn step<C: Batches>(session: &mut Session<C>, follow_up: &FollowUp) -> Step<Vec<Stepped>> {
    if follow_up.steps.is_empty() {
        return Ok(Vec::new());
    }
    let runs: Vec<RunId> = follow_up.steps.iter().map(|after| after.step.run).collect();
    let told = workflow::are_told(&session.connection, &runs)?;
    let ready: Vec<&StepAfter> = follow_up.steps.iter().zip(&told).filter(|(_, told)| !**told).map(|it| it.0).collect();
    let steps: Vec<WorkflowStep> = ready.iter().map(|after| after.step.clone()).collect();
    let written = workflow::write(session, &steps)?;
    let written_ones = ready.iter().zip(&written).filter(|(_, it)| matches!(it, Stepped::Written(_)));
    let heard: HashSet<RunId> = written_ones.flat_map(|(after, _)| after.ends.iter().copied()).collect();
    session.runs.hear(&heard);
    let mut written = written.into_iter();
    let answers = told.into_iter().map(|told| if told { None } else { written.next() });
    Ok(answers.map(|answer| answer.unwrap_or(Stepped::Stale)).collect())
}
