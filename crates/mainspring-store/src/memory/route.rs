//! Picking workers for the runs of routed jobs.

use std::collections::BTreeSet;
use std::sync::Arc;

use mainspring_core::line::Line;
use mainspring_core::router::{Candidate, Choice, HEARD_MS, Router, Unrouted};
use mainspring_core::routing::{Shard, ended};
use mainspring_core::run::{Origin, RunState, Verdict};
use mainspring_core::{JobId, RunId, Timestamp};

use super::live::{More, Run, Stamp};
use super::model::Model;
use super::runs;
use crate::worker::Routed;

/// See [`crate::Store::route`].
pub(super) fn route(model: &mut Model, at: Timestamp, limit: u32) -> Routed {
    end_parents(model, at);
    let mut router = router(model, at);
    let mut routed = Routed::default();
    for run in queued(model, |run| matches!(Line::parse(&run.queue), Line::Route { .. } | Line::Worker { .. })) {
        let queue = &model.live.get(run).expect("listed above").queue;
        if router.serves(queue) {
            routed.lines.insert(queue.to_string());
        } else {
            let line = Line::Route { queue: Line::parse(queue).queue() }.to_string().into();
            model.live.update(run, |run| run.queue = line);
        }
    }
    let mut lines: Vec<Arc<str>> = model.live.queued().map(|run| Arc::clone(&run.queue)).collect();
    lines.retain(|line| matches!(Line::parse(line), Line::Route { .. }));
    lines.sort_unstable();
    lines.dedup();
    for line in lines {
        route_line_of(model, &mut router, &line, limit, at, &mut routed);
    }
    model.events.flush(at);
    if routed.moved > 0 {
        model.outbox.queued();
    }
    routed
}

fn route_line_of(model: &mut Model, router: &mut Router, line: &str, limit: u32, at: Timestamp, routed: &mut Routed) {
    let mut stuck = BTreeSet::new();
    let queue = Line::parse(line).queue();
    for id in queued(model, |run| *run.queue == *line) {
        let run = model.live.get(id).expect("listed above");
        let version = (run.job, run.job_version);
        let may_go = routed.moved < limit && !stuck.contains(&version);
        let choice = if may_go { pick(model, router, id) } else { Choice::Nobody };
        let lines: Vec<String> = match choice {
            Choice::Nobody => {
                routed.waiting += 1;
                // Workers only get more to do by a pass.
                if may_go {
                    stuck.insert(version);
                }
                continue;
            }
            Choice::One(worker) => {
                let line = Line::Worker { queue, worker: &worker }.to_string();
                model.live.update(id, |run| run.queue = line.as_str().into());
                vec![line]
            }
            Choice::Each(workers) => {
                let lines = workers.iter().map(|worker| Line::Worker { queue, worker }.to_string()).collect();
                split(model, id, &lines, at);
                lines
            }
        };
        routed.moved += u32::try_from(lines.len()).unwrap_or(u32::MAX);
        routed.lines.extend(lines);
    }
}

/// Puts a shard of a run into each of some lines, and lets the run wait for them.
fn split(model: &mut Model, id: RunId, lines: &Vec<String>, at: Timestamp) {
    let parent = model.live.get(id).expect("listed above").clone();
    let total = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    for (index, line) in (0_u32..).zip(lines) {
        // Whoever asks for a run chooses its id: that of a shard may be taken.
        let shard = id.shard(parent.job, index);
        if model.live.get(shard).is_some() || model.history.get(shard).is_some() {
            continue;
        }
        let more = parent.more.as_deref().cloned().unwrap_or_default();
        let shard_of = Some((id, Shard { index, total }));
        let more = More { input: more.input, expires_at: more.expires_at, shard_of, ..More::default() };
        let run = Run {
            id: shard,
            trigger: None,
            created_at: at,
            claimed_at: None,
            queue: line.as_str().into(),
            attempt: 0,
            origin: Origin::Parent,
            batch: Stamp { incarnation: u32::MAX, sequence: 0 },
            more: Some(Box::new(more)),
            ..parent
        };
        model.job_mut(parent.job).version_mut(parent.job_version).runs += 1;
        model.events.run(run.id, run.job, RunState::Queued);
        model.live.insert(run);
    }
    model.live.update(id, |run| {
        run.state = RunState::Waiting;
        run.claimed_at = Some(at);
        run.more().expires_at = None;
    });
    model.events.run(id, parent.job, RunState::Waiting);
    model.parents.insert(id, (parent.job, total));
}

fn shards(run: RunId, (job, count): (JobId, u32)) -> impl Iterator<Item = RunId> {
    (0..count).map(move |index| run.shard(job, index))
}

/// Ends the shards of a run that waits for them, or asks for their ends. False: it waits for something else.
pub(super) fn end_shards(model: &mut Model, run: RunId, reason: &str, at: Timestamp) -> bool {
    let Some(parent) = model.parents.get(&run).copied() else { return false };
    model.live.update(run, |run| {
        let more = run.more();
        if more.cancel_requested_at.is_none() {
            (more.cancel_requested_at, more.reason) = (Some(at), Some(reason.to_owned().into()));
        }
    });
    for shard in shards(run, parent) {
        match model.live.get(shard).map(|shard| shard.state) {
            Some(RunState::Running) => model.request_end(shard, reason, at),
            Some(_) => model.cancel_unstarted(shard, reason, at),
            None => {}
        }
    }
    true
}

/// Ends runs whose shards are final.
fn end_parents(model: &mut Model, at: Timestamp) {
    let parents = model.parents.iter().map(|(run, parent)| (*run, *parent));
    let over = parents.filter(|(run, parent)| shards(*run, *parent).all(|shard| model.live.get(shard).is_none()));
    for (id, parent) in over.collect::<Vec<_>>() {
        model.parents.remove(&id);
        // It may have been cancelled with its job.
        let Some(run) = model.live.get(id) else { continue };
        let asked = run.more.as_ref().filter(|_| run.cancel_requested()).and_then(|more| more.reason.clone());
        let state = |shard| model.history.get(shard).map_or(RunState::Failed, |over| over.run.state);
        let states: Vec<RunState> = shards(id, parent).map(state).collect();
        let (verdict, reason) = ended(&states, run.cancel_requested());
        let reason =
            if verdict == Verdict::Cancelled { asked.or(reason.map(Into::into)) } else { reason.map(Into::into) };
        model.end_waiting(id, verdict.into(), reason, at);
        runs::free_slot(model, parent.0);
        model.events.flush(at);
    }
}

/// Queued runs in the order of claims.
fn queued(model: &Model, wanted: impl Fn(&Run) -> bool) -> Vec<RunId> {
    model.live.queued().filter(|run| wanted(run)).map(|run| run.id).collect()
}

fn pick(model: &mut Model, router: &mut Router, id: RunId) -> Choice {
    let run = model.live.get(id).expect("listed above");
    let Some(definition) = model.job(run.job).definition(run.job_version) else {
        return Choice::Nobody;
    };
    let input = run.more.as_ref().and_then(|more| more.input.clone());
    let shard = run.shard_of().map(|(_, shard)| shard.index);
    let unrouted = Unrouted { run: id, job: run.job, definition: &definition, input: input.as_deref(), shard };
    let job = run.job;
    router.route(&unrouted, model.routes.entry(job).or_default())
}

/// Knows the workers that live, and what they have.
fn router(model: &Model, at: Timestamp) -> Router {
    let rows = model.workers.values().map(|worker| &worker.row).filter(|row| !row.draining);
    let mut router = Router::new(
        rows.map(|row| Candidate {
            name: row.info.name.clone(),
            queues: row.info.queues.clone(),
            labels: row.info.labels.clone(),
            slots: row.info.slots,
            heard: at.since(row.heard_at) <= HEARD_MS,
            place: row.info.place,
        })
        .collect(),
    );
    for run in model.live.iter() {
        let holder = model.incarnations.get(run.owner as usize).and_then(|id| model.workers.get(id));
        let worker = match run.state {
            RunState::Running => holder.map(|worker| worker.row.info.name.as_str()),
            RunState::Queued => Line::parse(&run.queue).worker(),
            _ => None,
        };
        worker.into_iter().for_each(|worker| router.note_load(worker, run.job, 1));
    }
    router
}
