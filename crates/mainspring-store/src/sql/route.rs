//! Picking workers for the runs of routed jobs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mainspring_core::job::Job;
use mainspring_core::routing::{
    Candidate, Choice, HEARD_MS, Memory, Router, Unrouted, ended, queue_of, route_line, worker_line, worker_of,
};
use mainspring_core::run::{RunEvent, RunState, Verdict};
use mainspring_core::{JobId, JobVersion, RunId, Timestamp};

use super::Batches;
use super::db::{
    Db, Lock, Row, Step, ToSql, execute, exists, instant, known, read, read_known, read_one, run_id, sql, word,
};
use super::gate::Gates;
use super::replace::{Ending, Notes, end_one, end_unstarted};
use super::run::free_slot;
use super::session::{RunChanges, Session};
use super::trigger;
use super::worker::decoded;
use crate::worker::{ROUTED_MAX, Routed};

/// What there is to do.
pub(crate) struct Work {
    /// Whether there are lines of routed runs.
    pub(crate) has_lines: bool,
    /// Runs none of whose shards is unfinished.
    pub(crate) over: Vec<Parent>,
}

/// A run that its shards execute.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parent {
    run: RunId,
    job: JobId,
    shards: u32,
}

impl Parent {
    fn shards(self) -> impl Iterator<Item = RunId> {
        (0..self.shards).map(move |index| self.run.shard(self.job, index))
    }
}

/// Runs that wait for their shards and are looked at.
const PARENTS_MAX: u32 = 1_000;

/// Looks what there is to do.
pub(crate) fn work(db: &dyn Db) -> Step<Work> {
    let mut over = read(db, sql!("route_parents"), &[(":limit", &PARENTS_MAX)], |row| {
        Ok(Parent { run: run_id(row, 0)?, job: JobId(row.get(1)?), shards: row.get(2)? })
    })?;
    let mut fault = None;
    over.retain(|parent| {
        let mut live = parent.shards().map(|shard| exists(db, sql!("live_has"), &[(":id", shard.as_bytes())]));
        live.all(|live| live.map_or_else(|error| fault.replace(error).is_none(), |live| !live))
    });
    fault.map_or_else(|| Ok(Work { has_lines: exists(db, sql!("route_lines", mysql), &[])?, over }), Err)
}

/// Ends a run whose shards are final, as [`ended`] says.
pub(crate) fn end(session: &mut Session<impl Batches>, parent: Parent, at: Timestamp) -> Step<()> {
    let db = &session.connection;
    let id: [(&str, &dyn ToSql); 1] = [(":id", parent.run.as_bytes())];
    let mut gates = Gates::default();
    gates.find(db, parent.job)?;
    db.lock(sql!("lock_run"), Lock::Write, &id)?;
    if execute(db, sql!("route_parent_remove"), &[(":run", parent.run.as_bytes())])? == 0 {
        return Ok(());
    }
    let state = |row: &Row<'_>| Ok((word(row, 0, RunState::from_word)?, row.get::<bool>(1)?, row.get(2)?));
    let found: Option<(RunState, bool, Option<String>)> = read_one(db, sql!("route_parent_state"), &id, state)?;
    let Some((RunState::Waiting, cancels, asked)) = found else { return Ok(()) };
    let mut states = Vec::new();
    for shard in parent.shards() {
        let state =
            read_one(db, sql!("history_state"), &[(":id", shard.as_bytes())], |row| word(row, 0, RunState::from_word))?;
        // Retention may have been faster.
        states.push(state.unwrap_or(RunState::Failed));
    }
    let (verdict, reason) = ended(&states, cancels);
    let reason = if verdict == Verdict::Cancelled { asked.or(reason) } else { reason };
    let ending = Ending { event: RunEvent::Ended(verdict), reason: reason.as_deref() };
    end_unstarted(db, &mut session.runs, &mut gates, parent.run, ending, at)?.pass_on(session)?;
    session.wakes = true;
    free_slot(session, gates, parent.job)?;
    session.flush_runs(at)
}

/// A run for which a worker is to be picked.
struct Waiting {
    run: RunId,
    job: JobId,
    version: JobVersion,
    input: Option<String>,
    /// Which shard it is, if it is one.
    shard: Option<u32>,
}

/// See [`crate::Store::route`].
pub(crate) fn route(session: &mut Session<impl Batches>, at: Timestamp, limit: u32) -> Step<Routed> {
    let db = &session.connection;
    db.lock(sql!("route_lock"), Lock::Write, &[])?;
    let lines: Vec<String> = read(db, sql!("route_lines", mysql), &[], |row| row.get(0))?;
    let mut router = Router::new(candidates(db, at)?);
    let mut routed = Routed::default();
    let mut queues = BTreeSet::new();
    for line in lines {
        let is_of_worker = worker_of(&line).is_some();
        if is_of_worker && router.serves(&line) {
            routed.lines.insert(line);
            continue;
        }
        let queue = queue_of(&line).to_owned();
        if is_of_worker {
            let values: [(&str, &dyn ToSql); 2] = [(":route", &route_line(&queue)), (":line", &line)];
            execute(db, sql!("route_back", mysql), &values)?;
        }
        queues.insert(queue);
    }
    note_waiting(db, &mut router)?;
    let mut jobs = Jobs { db, known: BTreeMap::new(), memories: BTreeMap::new(), has_load: false };
    let mut split = Vec::new();
    for queue in queues {
        split.extend(route_queue(&mut jobs, &mut router, &queue, limit, &mut routed)?);
    }
    jobs.remember()?;
    for (waiting, lines) in split {
        split_run(session, &waiting, lines, at, &mut routed)?;
    }
    session.flush_runs(at)?;
    if routed.moved > 0 {
        session.note_queued()?;
    }
    Ok(routed)
}

/// Picks workers for the runs of a queue, up to `limit` in all. Runs are changed in order of ids, as others lock them. Answers those of
/// which each of some workers executes a shard, with the lines of these.
fn route_queue(
    jobs: &mut Jobs<'_>,
    router: &mut Router,
    queue: &str,
    limit: u32,
    routed: &mut Routed,
) -> Step<Vec<(Waiting, Vec<String>)>> {
    let from = route_line(queue);
    let (mut picked, mut split, mut placed) = (BTreeMap::new(), Vec::new(), routed.moved);
    for waiting in waiting(jobs.db, &from)? {
        let choice = if placed < limit { jobs.pick(router, &waiting)? } else { Choice::Nobody };
        match choice {
            Choice::One(worker) => {
                placed += 1;
                picked.insert(waiting.run, worker_line(queue, &worker));
            }
            Choice::Each(workers) => {
                let lines: Vec<String> = workers.iter().map(|worker| worker_line(queue, worker)).collect();
                placed = placed.saturating_add(u32::try_from(lines.len()).unwrap_or(u32::MAX));
                split.push((waiting, lines));
            }
            Choice::Nobody => routed.waiting += 1,
        }
    }
    for (run, line) in picked {
        let values: [(&str, &dyn ToSql); 3] = [(":line", &line), (":id", run.as_bytes()), (":from", &from)];
        jobs.db.post(sql!("route_run"), &values, None)?;
        routed.lines.insert(line);
    }
    routed.moved = placed;
    Ok(split)
}

/// Puts a shard of a run into each of some lines, and lets the run wait for them.
fn split_run(
    session: &mut Session<impl Batches>,
    waiting: &Waiting,
    lines: Vec<String>,
    at: Timestamp,
    routed: &mut Routed,
) -> Step<()> {
    let db = &session.connection;
    let total = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let parent = Parent { run: waiting.run, job: waiting.job, shards: total };
    db.lock(sql!("lock_run"), Lock::Write, &[(":id", parent.run.as_bytes())])?;
    let queued =
        read_one(db, sql!("cancel_read"), &[(":id", parent.run.as_bytes())], |row| word(row, 1, RunState::from_word))?;
    if queued != Some(RunState::Queued) {
        return Ok(());
    }
    for ((index, shard), line) in (0_u32..).zip(parent.shards()).zip(lines) {
        let values: [(&str, &dyn ToSql); 6] = [
            (":shard", shard.as_bytes()),
            (":at", &at.as_millis()),
            (":line", &line),
            (":index", &index),
            (":total", &total),
            (":id", parent.run.as_bytes()),
        ];
        execute(db, sql!("route_shard"), &values)?;
        session.runs.push(shard, parent.job, RunState::Queued);
        routed.lines.insert(line);
    }
    let values: [(&str, &dyn ToSql); 2] = [(":total", &total), (":id", parent.run.as_bytes())];
    execute(db, sql!("route_split"), &values)?;
    let values: [(&str, &dyn ToSql); 3] =
        [(":run", parent.run.as_bytes()), (":job", &parent.job.0), (":shards", &parent.shards)];
    execute(db, sql!("route_parent_add"), &values)?;
    session.runs.push(parent.run, parent.job, RunState::Waiting);
    Ok(())
}

/// Ends the shards of a run that waits for them, or asks for their ends. Nothing: it waits for something else.
pub(crate) fn end_shards(
    db: &dyn Db,
    runs: &mut RunChanges,
    run: RunId,
    job: JobId,
    reason: &str,
    at: Timestamp,
) -> Step<Option<Notes>> {
    let shards = read_one(db, sql!("route_shards"), &[(":run", run.as_bytes())], |row| row.get(0))?;
    let Some(shards) = shards else { return Ok(None) };
    let values: [(&str, &dyn ToSql); 3] = [(":at", &at.as_millis()), (":reason", &reason), (":id", run.as_bytes())];
    execute(db, sql!("cancel_request"), &values)?;
    let mut notes = Notes::waking();
    for shard in (Parent { run, job, shards }).shards() {
        notes.add(end_one(db, runs, &mut Gates::default(), shard, reason, at)?);
    }
    Ok(Some(notes))
}

fn candidates(db: &dyn Db, at: Timestamp) -> Step<Vec<Candidate>> {
    read_known(db, sql!("route_workers"), &[], |row| {
        let heard = at.since(instant(row, 4)?) <= HEARD_MS;
        Ok(Candidate {
            name: row.get(0)?,
            queues: decoded(row, 1)?,
            labels: decoded(row, 2)?,
            slots: row.get(3)?,
            heard,
        })
    })
}

/// Counts what waits in the lines of workers to their load.
fn note_waiting(db: &dyn Db, router: &mut Router) -> Step<()> {
    let rows = read(db, sql!("route_waiting", mysql), &[], |row| {
        Ok((row.get::<String>(0)?, JobId(row.get(1)?), row.get::<u32>(2)?))
    })?;
    for (line, job, runs) in rows {
        if let Some(worker) = worker_of(&line) {
            router.note_load(worker, job, runs);
        }
    }
    Ok(())
}

fn waiting(db: &dyn Db, line: &str) -> Step<Vec<Waiting>> {
    let values: [(&str, &dyn ToSql); 2] = [(":line", &line), (":limit", &ROUTED_MAX)];
    read(db, sql!("route_read", mysql), &values, |row| {
        let (job, version) = (JobId(row.get(1)?), JobVersion(row.get(2)?));
        Ok(Waiting { run: run_id(row, 0)?, job, version, input: row.get(3)?, shard: row.get(4)? })
    })
}

/// What is known of the jobs of one pass.
struct Jobs<'a> {
    db: &'a dyn Db,
    /// Nothing for a definition that cannot be read.
    known: BTreeMap<(JobId, JobVersion), Option<Arc<Job>>>,
    /// As it was, and as it is now.
    memories: BTreeMap<JobId, (Memory, Memory)>,
    /// Whether the router knows what workers execute.
    has_load: bool,
}

impl Jobs<'_> {
    fn pick(&mut self, router: &mut Router, waiting: &Waiting) -> Step<Choice> {
        let Some(definition) = self.definition(waiting.job, waiting.version)? else { return Ok(Choice::Nobody) };
        if definition.routing.strategy().reads_load() && !self.has_load {
            self.has_load = true;
            let load = |row: &Row<'_>| Ok((row.get::<String>(0)?, JobId(row.get(1)?), row.get::<u32>(2)?));
            for (worker, job, runs) in read(self.db, sql!("route_load"), &[], load)? {
                router.note_load(&worker, job, runs);
            }
        }
        let Waiting { run, job, input, shard, .. } = waiting;
        let unrouted =
            Unrouted { run: *run, job: *job, definition: &definition, input: input.as_deref(), shard: *shard };
        let memory = self.memory(*job)?;
        Ok(router.route(&unrouted, memory))
    }

    fn definition(&mut self, job: JobId, version: JobVersion) -> Step<Option<Arc<Job>>> {
        if let Some(found) = self.known.get(&(job, version)) {
            return Ok(found.clone());
        }
        let found = known(trigger::definition(self.db, job, version))?;
        self.known.insert((job, version), found.clone());
        Ok(found)
    }

    /// Begins anew where a newer program, or damage, has left something else.
    fn memory(&mut self, job: JobId) -> Step<&mut Memory> {
        if !self.memories.contains_key(&job) {
            let text: Option<String> = read_one(self.db, sql!("route_memory"), &[(":job", &job.0)], |row| row.get(0))?;
            let memory: Memory = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
            self.memories.insert(job, (memory.clone(), memory));
        }
        Ok(&mut self.memories.get_mut(&job).expect("inserted above").1)
    }

    fn remember(self) -> Step<()> {
        for (job, (before, now)) in self.memories {
            if before != now {
                let memory = serde_json::to_string(&now).expect("names and numbers have a text");
                let values: [(&str, &dyn ToSql); 2] = [(":job", &job.0), (":memory", &memory)];
                execute(self.db, sql!("route_remember", mysql), &values)?;
            }
        }
        Ok(())
    }
}
