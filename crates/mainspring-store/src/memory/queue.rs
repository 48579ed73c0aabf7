//! From `scheduled` over `queued` to `running`, and what a new process start takes over.

use mainspring_core::batch::{ClaimedRun, LiveRun, Queues};
use mainspring_core::run::{RunState, expiry, next_state};
use mainspring_core::{BatchId, Incarnation, JobId, RunId, Timestamp};

use super::live::{Live, Run};
use super::model::Model;
use super::queues as set;
use super::runs;
use super::workflow::NOBODY;
use crate::row::Released;

/// See [`crate::Store::adopt`].
pub(super) fn adopt(model: &mut Model, incarnation: Incarnation) -> Vec<LiveRun> {
    let owner = model.number_of(incarnation);
    let gone = |run: &Run| ![owner, NOBODY].contains(&run.owner) && !model.is_worker(run.owner);
    let running = model.live.iter().filter(|run| run.state == RunState::Running && gone(run));
    let mut ids: Vec<RunId> = running.map(|run| run.id).collect();
    ids.sort_unstable();
    let mut adopted = Vec::with_capacity(ids.len());
    for id in ids {
        model.live.update(id, |run| {
            run.owner = owner;
            adopted.push(run.live());
        });
    }
    adopted
}

/// See [`crate::Store::claim`].
pub(super) fn claim(model: &mut Model, id: BatchId, queues: &Queues, limit: u32, at: Timestamp) -> Vec<ClaimedRun> {
    let owner = model.number_of(id.incarnation);
    if let Some((_, taken)) = model.claims.get(&owner).filter(|(sequence, _)| *sequence == id.sequence) {
        let taken = taken.iter().filter_map(|taken| still_running(model, owner, *taken));
        return taken.map(Run::claimed).collect();
    }
    let claimed = set::claim(model, owner, queues, limit, at, id.sequence);
    model.events.flush(at);
    if !claimed.is_empty() {
        let taken = claimed.iter().map(|claimed| (claimed.run, claimed.attempt)).collect();
        model.claims.insert(owner, (id.sequence, taken));
    }
    claimed
}

/// Claims up to `limit` runs, each the first by then.
pub(super) fn take(
    model: &mut Model,
    owner: u32,
    limit: u32,
    at: Timestamp,
    first: impl Fn(&Live) -> Option<RunId>,
) -> Vec<ClaimedRun> {
    let mut claimed = Vec::new();
    while claimed.len() < limit as usize {
        let Some(id) = first(&model.live) else { break };
        model.live.update(id, |run| {
            run.state = RunState::Running;
            run.attempt += 1;
            run.claimed_at = Some(at.max(run.not_before()));
            run.owner = owner;
            if let Some(more) = &mut run.more {
                (more.started_at, more.ended_at, more.detail) = (None, None, None);
                (more.not_before, more.reason) = (None, None);
            }
            claimed.push(run.claimed());
        });
        let run = claimed.last().expect("pushed above");
        model.events.run(run.run, run.job, RunState::Running);
    }
    claimed
}

/// A run of a repeated claim or adoption, if it has not gone on.
pub(super) fn still_running(model: &Model, owner: u32, (id, attempt): (RunId, u32)) -> Option<&Run> {
    let run = model.live.get(id)?;
    let same = (run.state, run.attempt, run.owner) == (RunState::Running, attempt, owner);
    same.then_some(run)
}

/// See [`crate::Store::release_due`].
pub(super) fn release_due(model: &mut Model, at: Timestamp, limit: u32) -> Released {
    let mut released = Released::default();
    while let Some((not_before, id)) = model.live.first_scheduled() {
        if not_before > at || released.count == limit {
            released.next_at = Some(not_before);
            break;
        }
        let mut job = None;
        model.live.update(id, |run| {
            run.state = RunState::Queued;
            run.more().reason = None;
            job = Some(run.job);
        });
        model.events.run(id, job.expect("set above"), RunState::Queued);
        released.count += 1;
    }
    expire_due(model, at, limit, &mut released);
    model.workflows.expire(at, limit);
    released.next_at = released.next_at.into_iter().chain(model.workflows.next_expiring()).min();
    model.events.flush(at);
    released
}

/// Ends runs that have waited for too long, job by job.
fn expire_due(model: &mut Model, at: Timestamp, limit: u32, released: &mut Released) {
    let mut due: Vec<(JobId, RunId)> =
        model.live.expiring(at).take(limit as usize).map(|run| (run.job, run.id)).collect();
    due.sort_unstable();
    for (job, id) in due {
        let run = model.live.get(id).expect("nobody else ends it");
        let (event, reason) = expiry(run.attempt);
        let state = next_state(run.state, event).expect("a run that waits can end by itself");
        model.end_unstarted(id, state, reason, at);
        runs::free_slot(model, job);
        released.expired += 1;
    }
    released.next_at = released.next_at.into_iter().chain(model.live.first_expiring()).min();
}
