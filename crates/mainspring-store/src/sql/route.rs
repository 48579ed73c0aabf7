//! Picking workers for the runs of routed jobs.
//!
//! What is known of the jobs and workers is read for all runs of a slice at a time, and what was decided is written at the end: where
//! the database is far away, one run is not later for all the others.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mainspring_core::job::Job;
use mainspring_core::line::Line;
use mainspring_core::router::{Candidate, Choice, HEARD_MS, Memory, Router, Unrouted};
use mainspring_core::routing::ended;
use mainspring_core::run::{RunEvent, RunState, Verdict};
use mainspring_core::{JobId, JobVersion, RunId, Timestamp};
use serde_json::json;

use super::db::{
    Db, Fault, Lock, Row, Step, ToSql, execute, exists, instant, known, on_servers, read, read_known, read_one, run_id,
    sql, word,
};
use super::fire::is_known;
use super::gate::Gates;
use super::replace::{Ending, Notes, end_one, end_unstarted};
use super::run::free_slot;
use super::session::{RunChanges, Session};
use super::worker::decoded;
use super::{Batches, Lines, list, trigger};
use crate::worker::{ROUTED_MAX, Routed};

/// What there is to do.
pub(crate) struct Work {
    /// Whether there are lines of routed runs.
    pub(crate) has_lines: bool,
    /// Runs none of whose shards is known to be unfinished.
    pub(crate) parents: Vec<Parent>,
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

/// Runs that are looked at in one pass of those whose shards may be final.
const PARENTS_MAX: u32 = 200;

/// Looks what there is to do.
pub(crate) fn work(db: &impl Batches) -> Step<Work> {
    let parents = read(db, sql!("route_parents"), &[(":limit", &PARENTS_MAX)], |row| {
        Ok(Parent { run: run_id(row, 0)?, job: JobId(row.get(1)?), shards: row.get(2)? })
    })?;
    Ok(Work { has_lines: !routed_lines(db)?.is_empty(), parents })
}

/// The lines in which routed runs wait.
fn routed_lines(db: &impl Batches) -> Step<Vec<String>> {
    let mut lines: Vec<String> = read(db, sql!("route_lines", mysql), &[], |row| row.get(0))?;
    db.add_lines(Lines::Routed, &mut lines)?;
    lines.retain(|line| !Line::parse(line).is_of_workflows());
    Ok(lines)
}

/// Ends a run whose shards are final, as [`ended`] says. Otherwise notes one that is not.
pub(crate) fn settle(session: &mut Session<impl Batches>, parent: Parent, at: Timestamp) -> Step<()> {
    let db = &session.connection;
    for shard in parent.shards() {
        if exists(db, sql!("live_has"), &[(":id", shard.as_bytes())])? {
            let values: [(&str, &dyn ToSql); 2] = [(":shard", shard.as_bytes()), (":run", parent.run.as_bytes())];
            execute(db, sql!("route_parent_live"), &values)?;
            return Ok(());
        }
    }
    end(session, parent, at)
}

fn end(session: &mut Session<impl Batches>, parent: Parent, at: Timestamp) -> Step<()> {
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

/// A run of which each of some workers executes a shard.
#[derive(Clone, Debug)]
pub(crate) struct Split {
    waiting: Waiting,
    lines: Vec<String>,
}

/// See [`crate::Store::route`]. The runs that are to be split are the caller's to split, one by one: none of them is in the way of
/// anything else.
pub(crate) fn route(session: &mut Session<impl Batches>, at: Timestamp, limit: u32) -> Step<(Routed, Vec<Split>)> {
    let db = &session.connection;
    db.lock(sql!("route_lock"), Lock::Write, &[])?;
    let lines = routed_lines(db)?;
    let router = Router::new(candidates(db, at)?);
    let mut routed = Routed::default();
    let mut queues = BTreeSet::new();
    for line in lines {
        let is_of_worker = Line::parse(&line).worker().is_some();
        if is_of_worker && router.serves(&line) {
            routed.lines.insert(line);
            continue;
        }
        let queue = Line::parse(&line).queue().to_owned();
        if is_of_worker {
            let values: [(&str, &dyn ToSql); 2] =
                [(":route", &Line::Route { queue: &queue }.to_string()), (":line", &line)];
            execute(db, sql!("route_back", mysql), &values)?;
        }
        queues.insert(queue);
    }
    let jobs = Jobs::new(db);
    let (picked, stuck) = (BTreeMap::new(), BTreeSet::new());
    let mut pass = Pass { db, jobs, router, limit, routed, picked, splits: Vec::new(), stuck };
    let mut places = Places::read(db)?;
    for queue in &queues {
        pass.route_queue(queue, &mut places)?;
    }
    places.keep(db)?;
    let done = pass.end()?;
    if done.0.moved > 0 {
        session.note_queued();
    }
    Ok(done)
}

/// One look at all that waits.
struct Pass<'a, C> {
    db: &'a C,
    jobs: Jobs<'a, C>,
    router: Router,
    limit: u32,
    routed: Routed,
    /// From which queue runs go into the line of which worker, in order of ids, as others lock them.
    picked: BTreeMap<RunId, (String, String)>,
    splits: Vec<Split>,
    /// Versions of jobs for whose runs nobody is there: workers only get more to do by a pass.
    stuck: BTreeSet<Version>,
}

impl<C: Batches> Pass<'_, C> {
    /// Picks workers for the runs of a queue: in the order of claims as far as [`ROUTED_MAX`] goes, and then job by job, so that those
    /// for which nobody is there hide no others.
    fn route_queue(&mut self, queue: &str, places: &mut Places) -> Step<()> {
        let line = Line::Route { queue }.to_string();
        let values: [(&str, &dyn ToSql); 2] = [(":line", &line), (":limit", &ROUTED_MAX)];
        let first = read(self.db, sql!("route_read", mysql), &values, waiting)?;
        let has_more = first.len() == ROUTED_MAX as usize;
        self.jobs.learn(&first)?;
        for waiting in first {
            self.decide(queue, waiting)?;
        }
        if has_more { self.route_jobs(queue, &line, places) } else { Ok(()) }
    }

    /// Goes on with the jobs of a line where the last pass has ended.
    fn route_jobs(&mut self, queue: &str, line: &str, places: &mut Places) -> Step<()> {
        let start = places.of(queue);
        let (mut after, mut looked_at, mut is_second_round) = (start, 0, false);
        while self.routed.moved < self.limit && looked_at < VERSIONS_MAX {
            let values: [(&str, &dyn ToSql); 3] = [(":line", &line), (":job", &after.0.0), (":version", &after.1.0)];
            let version = |row: &Row<'_>| Ok((JobId(row.get(0)?), JobVersion(row.get(1)?)));
            let next = read_one(self.db, sql!("route_next", mysql), &values, version)?;
            match next.filter(|next| !is_second_round || *next <= start) {
                Some(next) => {
                    after = next;
                    looked_at += 1;
                    self.route_job(queue, line, next)?;
                }
                None if is_second_round => break,
                None => (after, is_second_round) = (BEFORE_ALL, true),
            }
        }
        places.set(queue, after);
        Ok(())
    }

    fn route_job(&mut self, queue: &str, line: &str, version: Version) -> Step<()> {
        if self.stuck.contains(&version) {
            return Ok(());
        }
        // Those that are decided come first.
        let most = usize::try_from(self.limit - self.routed.moved).unwrap_or(usize::MAX);
        let most = most.saturating_add(self.picked.len() + self.splits.len());
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let values: [(&str, &dyn ToSql); 4] =
            [(":line", &line), (":job", &version.0.0), (":version", &version.1.0), (":limit", &most)];
        let runs = read(self.db, sql!("route_job", mysql), &values, waiting)?;
        self.jobs.learn(&runs)?;
        for waiting in runs {
            let is_split = self.splits.iter().any(|split| split.waiting.run == waiting.run);
            if !is_split && !self.picked.contains_key(&waiting.run) {
                self.decide(queue, waiting)?;
            }
        }
        Ok(())
    }

    fn decide(&mut self, queue: &str, waiting: Waiting) -> Step<()> {
        let version = (waiting.job, waiting.version);
        let may_go = self.routed.moved < self.limit && !self.stuck.contains(&version);
        let choice =
            if may_go { self.jobs.pick(&mut self.router, &self.routed.lines, &waiting)? } else { Choice::Nobody };
        match choice {
            Choice::One(worker) => {
                self.routed.moved += 1;
                self.picked
                    .insert(waiting.run, (queue.to_owned(), Line::Worker { queue, worker: &worker }.to_string()));
            }
            Choice::Each(workers) => {
                let lines: Vec<String> =
                    workers.iter().map(|worker| Line::Worker { queue, worker }.to_string()).collect();
                self.routed.moved += u32::try_from(lines.len()).unwrap_or(u32::MAX);
                self.splits.push(Split { waiting, lines });
            }
            Choice::Nobody => {
                self.routed.waiting += 1;
                if may_go {
                    self.stuck.insert(version);
                }
            }
        }
        Ok(())
    }

    /// Does what was decided.
    fn end(self) -> Step<(Routed, Vec<Split>)> {
        let Self { db, jobs, picked, mut routed, splits, .. } = self;
        let from = |queue: &str| Line::Route { queue }.to_string();
        if C::LISTS {
            let row = |(run, (queue, line)): (&RunId, &(String, String))| json!([list::hex(*run), line, from(queue)]);
            for rows in list::lists(picked.iter().map(row)) {
                execute(db, on_servers!("route_runs", postgres, mysql), &[(":rows", &rows)])?;
            }
        } else {
            for (run, (queue, line)) in &picked {
                let values: [(&str, &dyn ToSql); 3] =
                    [(":line", line), (":id", run.as_bytes()), (":from", &from(queue))];
                execute(db, sql!("route_run"), &values)?;
            }
        }
        routed.lines.extend(picked.into_values().map(|(_, line)| line));
        jobs.remember()?;
        Ok((routed, splits))
    }
}

/// How many versions of jobs one pass looks at in each line, beyond those in front.
const VERSIONS_MAX: u32 = 256;

/// Comes before every job.
const BEFORE_ALL: Version = (JobId(i64::MIN), JobVersion(i64::MIN));

/// Where the next pass goes on with the jobs of each queue: what job 0, which no job has, remembers.
struct Places {
    before: String,
    now: BTreeMap<String, (i64, i64)>,
}

impl Places {
    fn read(db: &dyn Db) -> Step<Self> {
        let before: Option<String> = read_one(db, sql!("route_memory"), &[(":job", &0)], |row| row.get(0))?;
        let before = before.unwrap_or_default();
        // Where a newer program, or damage, has left something else, it begins anew.
        Ok(Self { now: serde_json::from_str(&before).unwrap_or_default(), before })
    }

    fn of(&self, queue: &str) -> Version {
        self.now.get(queue).map_or(BEFORE_ALL, |(job, version)| (JobId(*job), JobVersion(*version)))
    }

    fn set(&mut self, queue: &str, (job, version): Version) {
        self.now.insert(queue.to_owned(), (job.0, version.0));
    }

    fn keep(&self, db: &dyn Db) -> Step<()> {
        let now = serde_json::to_string(&self.now).expect("names and numbers have a text");
        if now != self.before {
            execute(db, sql!("route_remember", mysql), &[(":job", &0), (":memory", &now)])?;
        }
        Ok(())
    }
}

/// Puts a shard of a run into each of some lines, and lets the run wait for them. Answers the lines.
pub(crate) fn split(
    session: &mut Session<impl Batches>,
    Split { waiting, lines }: Split,
    at: Timestamp,
) -> Step<Vec<String>> {
    let db = &session.connection;
    let total = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let parent = Parent { run: waiting.run, job: waiting.job, shards: total };
    db.lock(sql!("lock_run"), Lock::Write, &[(":id", parent.run.as_bytes())])?;
    let queued =
        read_one(db, sql!("cancel_read"), &[(":id", parent.run.as_bytes())], |row| word(row, 1, RunState::from_word))?;
    if queued != Some(RunState::Queued) {
        return Ok(Vec::new());
    }
    for ((index, shard), line) in (0_u32..).zip(parent.shards()).zip(&lines) {
        // Whoever asks for a run chooses its id: that of a shard may be taken.
        if is_known(db, shard)? {
            continue;
        }
        let values: [(&str, &dyn ToSql); 6] = [
            (":shard", shard.as_bytes()),
            (":at", &at.as_millis()),
            (":line", line),
            (":index", &index),
            (":total", &total),
            (":id", parent.run.as_bytes()),
        ];
        execute(db, sql!("route_shard"), &values)?;
        session.runs.push(shard, parent.job, RunState::Queued);
    }
    let values: [(&str, &dyn ToSql); 3] =
        [(":at", &at.as_millis()), (":total", &total), (":id", parent.run.as_bytes())];
    execute(db, sql!("route_split"), &values)?;
    let first = parent.shards().next();
    let values: [(&str, &dyn ToSql); 4] = [
        (":run", parent.run.as_bytes()),
        (":job", &parent.job.0),
        (":shards", &parent.shards),
        (":live", &first.as_ref().map(RunId::as_bytes)),
    ];
    execute(db, sql!("route_parent_add"), &values)?;
    session.runs.push(parent.run, parent.job, RunState::Waiting);
    session.flush_runs(at)?;
    session.note_queued();
    Ok(lines)
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
            place: row.get(5)?,
        })
    })
}

fn waiting(row: &Row<'_>) -> Step<Waiting> {
    let (job, version) = (JobId(row.get(1)?), JobVersion(row.get(2)?));
    Ok(Waiting { run: run_id(row, 0)?, job, version, input: row.get(3)?, shard: row.get(4)? })
}

/// A version of a job, whose runs find the same workers.
type Version = (JobId, JobVersion);

/// A run for which a worker is to be picked.
#[derive(Clone, Debug)]
struct Waiting {
    run: RunId,
    job: JobId,
    version: JobVersion,
    input: Option<String>,
    /// Which shard it is, if it is one.
    shard: Option<u32>,
}

/// What is known of the jobs of one pass.
struct Jobs<'a, C> {
    db: &'a C,
    /// Nothing for a definition that cannot be read.
    known: BTreeMap<Version, Option<Arc<Job>>>,
    /// As it was, and as it is now.
    memories: BTreeMap<JobId, (Memory, Memory)>,
    /// Whether the router knows what workers execute.
    has_load: bool,
}

impl<'a, C: Batches> Jobs<'a, C> {
    fn new(db: &'a C) -> Self {
        Self { db, known: BTreeMap::new(), memories: BTreeMap::new(), has_load: false }
    }

    /// Reads what is to be known of runs before workers are picked for them.
    fn learn(&mut self, runs: &[Waiting]) -> Step<()> {
        let versions: BTreeSet<Version> = runs.iter().map(|run| (run.job, run.version)).collect();
        let versions: Vec<Version> = versions.into_iter().filter(|one| !self.known.contains_key(one)).collect();
        if versions.is_empty() {
            return Ok(());
        }
        self.known.extend(versions.iter().map(|version| (*version, None)));
        for (version, definition) in trigger::definitions(self.db, &versions)? {
            self.known.insert(version, known(definition.map_err(Fault::Unreadable))?);
        }
        let remembers = |version: &&Version| {
            let definition = self.known.get(version).and_then(Option::as_ref);
            definition.is_some_and(|definition| definition.routing.strategy().remembers())
        };
        let jobs: BTreeSet<JobId> = versions.iter().filter(remembers).map(|(job, _)| *job).collect();
        self.recall(jobs.into_iter().filter(|job| !self.memories.contains_key(job)).collect())
    }

    /// Reads what the strategies of jobs remember. Begins anew where a newer program, or damage, has left something else.
    fn recall(&mut self, jobs: Vec<JobId>) -> Step<()> {
        let memory = |row: &Row<'_>| Ok((JobId(row.get(0)?), row.get::<String>(1)?));
        let mut found = Vec::new();
        if C::LISTS {
            for jobs in list::lists(jobs.iter().map(|job| job.0.into())) {
                let memories = on_servers!("route_memories", postgres, mysql);
                found.extend(read(self.db, memories, &[(":jobs", &jobs)], memory)?);
            }
        } else {
            for job in &jobs {
                let text = |row: &Row<'_>| Ok((*job, row.get(0)?));
                found.extend(read(self.db, sql!("route_memory"), &[(":job", &job.0)], text)?);
            }
        }
        for (job, text) in found {
            let memory: Memory = serde_json::from_str(&text).unwrap_or_default();
            self.memories.insert(job, (memory.clone(), memory));
        }
        Ok(())
    }

    /// Picks for a run of which was [learned](Self::learn). `lines` are those of workers in which runs wait.
    fn pick(&mut self, router: &mut Router, lines: &BTreeSet<String>, waiting: &Waiting) -> Step<Choice> {
        let Waiting { run, job, version, input, shard } = waiting;
        let Some(definition) = self.known.get(&(*job, *version)).cloned().flatten() else { return Ok(Choice::Nobody) };
        if definition.routing.strategy().reads_load() && !self.has_load {
            self.has_load = true;
            note_load(self.db, router, lines)?;
        }
        let unrouted =
            Unrouted { run: *run, job: *job, definition: &definition, input: input.as_deref(), shard: *shard };
        let (_, memory) = self.memories.entry(*job).or_default();
        Ok(router.route(&unrouted, memory))
    }

    /// Writes what strategies remember now and did not before.
    fn remember(self) -> Step<()> {
        let changed = self.memories.iter().filter(|(_, (before, now))| before != now);
        let text = |memory: &Memory| serde_json::to_string(memory).expect("names and numbers have a text");
        let changed = changed.map(|(job, (_, now))| (job.0, text(now)));
        if C::LISTS {
            for rows in list::lists(changed.map(|(job, memory)| json!([job, memory]))) {
                execute(self.db, on_servers!("route_remember_many", postgres, mysql), &[(":rows", &rows)])?;
            }
            return Ok(());
        }
        for (job, memory) in changed {
            let values: [(&str, &dyn ToSql); 2] = [(":job", &job), (":memory", &memory)];
            execute(self.db, sql!("route_remember", mysql), &values)?;
        }
        Ok(())
    }
}

/// Notes what workers execute, and what waits in their lines.
fn note_load<C: Batches>(db: &C, router: &mut Router, lines: &BTreeSet<String>) -> Step<()> {
    let load = |row: &Row<'_>| Ok((row.get::<String>(0)?, JobId(row.get(1)?), row.get::<u32>(2)?));
    for (worker, job, runs) in read(db, sql!("route_load"), &[], load)? {
        router.note_load(&worker, job, runs);
    }
    let mut note = |line: &str, job: JobId, runs: u32| {
        Line::parse(line).worker().into_iter().for_each(|worker| router.note_load(worker, job, runs));
    };
    if C::LISTS {
        for lines in list::lists(lines.iter().map(|line| line.as_str().into())) {
            let waiting = on_servers!("route_waiting_many", postgres, mysql);
            for (line, job, runs) in read(db, waiting, &[(":lines", &lines)], load)? {
                note(&line, job, runs);
            }
        }
        return Ok(());
    }
    for line in lines {
        let waits = |row: &Row<'_>| Ok((JobId(row.get(0)?), row.get::<u32>(1)?));
        for (job, runs) in read(db, sql!("route_waiting", mysql), &[(":line", line)], waits)? {
            note(line, job, runs);
        }
    }
    Ok(())
}
