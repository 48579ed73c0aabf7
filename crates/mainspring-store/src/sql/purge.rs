//! Retention, and counts over everything that is kept.
//!
//! What is too old is found by a reader, so that a long search stands in nobody's way, and deleted by the writer.

mod workflow;

use std::collections::BTreeMap;

use mainspring_core::batch::ANSWERS_KEPT;
use mainspring_core::line::Line;
use mainspring_core::run::RunState;
use mainspring_core::{RunId, Timestamp, TriggerId};

use super::Batches;
use super::db::{Db, Row, Step, ToSql, execute, instant, maybe_instant, read, read_known, read_one, run_id, sql, word};
use super::session::Session;
use super::{backfill, document, webhook};
use crate::cluster::lost_instant;
use crate::row::{COUNTED_MAX, PurgeRule, RunCount, StoreInfo, Tally};
use crate::webhook::DeliveryState;

/// Rows found to be too old, by what they are looked up with.
#[derive(Debug, Default)]
pub(crate) struct Found {
    runs: Vec<RunId>,
    /// Runs that are gone but whose attempts or logs are not.
    remains: Vec<RunId>,
    /// Runs of workflows, of which more is kept.
    workflows: Vec<RunId>,
    /// Runs that tasks had started, which are gone like those of the tasks.
    calls: Vec<RunId>,
    /// Runs that had missed their deadlines, which are gone.
    misses: Vec<RunId>,
    /// Runs whose tasks awaited something, which are over or gone.
    awaits: Vec<RunId>,
    /// Jobs that are gone but keep something. No other job gets their ids.
    data: Vec<i64>,
    /// Jobs that are gone but have a lane.
    lanes: Vec<i64>,
    /// Answers that nobody asks for again, by the numbers of process starts and their places.
    answers: Vec<(i64, i64)>,
    /// Process starts to which nothing refers, and since when that is known.
    unused: Vec<(i64, Option<Timestamp>)>,
    at: Timestamp,
}

/// Jobs that are looked at in one read.
const JOBS: u32 = 1_000;

/// Finds runs and logs that are too old.
pub(crate) fn find(db: &impl Batches, rule: &PurgeRule) -> Step<Found> {
    let below = RunId::floor(db.history_cut(rule.history_before));
    let values: [(&str, &dyn ToSql); 3] =
        [(":below", below.as_bytes()), (":before", &rule.history_before.as_millis()), (":limit", &rule.limit)];
    let mut runs = read(db, sql!("purge_history_read"), &values, |row| run_id(row, 0))?;
    if let Some(keep) = rule.history_keep_per_job {
        beyond(db, keep, rule.limit as usize, &mut runs)?;
    }
    let mut workflows = workflow::with_tasks(db, &mut runs, rule.limit as usize)?;
    let rest = i64::from(rule.limit) - i64::try_from(runs.len()).unwrap_or(i64::MAX);
    let values: [(&str, &dyn ToSql); 2] = [(":below", below.as_bytes()), (":limit", &rest.max(0))];
    let mut remains = read(db, sql!("purge_orphan_logs_read"), &values, |row| run_id(row, 0))?;
    remains.extend(read(db, sql!("purge_orphan_attempts_read"), &values, |row| run_id(row, 0))?);
    remains.extend(read(db, sql!("purge_orphan_outputs_read"), &values, |row| run_id(row, 0))?);
    workflows.extend(read(db, sql!("purge_orphan_workflows_read"), &values, |row| run_id(row, 0))?);
    let values: [(&str, &dyn ToSql); 2] = [(":below", below.as_bytes()), (":limit", &rule.limit)];
    let calls = read(db, sql!("purge_calls_read"), &values, |row| run_id(row, 0))?;
    let misses = read(db, sql!("purge_deadlines_read"), &values, |row| run_id(row, 0))?;
    let awaits = read(db, sql!("await_purge_read"), &[(":limit", &rule.limit)], |row| run_id(row, 0))?;
    let data = read(db, sql!("purge_data_read"), &[(":limit", &rule.limit)], |row| row.get(0))?;
    let lanes = read(db, sql!("purge_lanes_read"), &[(":limit", &rule.limit)], |row| row.get(0))?;
    remains.sort_unstable();
    remains.dedup();
    let found = u32::try_from(runs.len() + remains.len()).unwrap_or(u32::MAX);
    let mut answers = db.dead_answers(rule.limit.saturating_sub(found))?;
    let values: [(&str, &dyn ToSql); 2] = [(":kept", &ANSWERS_KEPT.cast_signed()), (":limit", &rule.limit)];
    answers.extend(read(db, sql!("purge_adoptions_read"), &values, |row| Ok((row.get(0)?, row.get(1)?)))?);
    let values: [(&str, &dyn ToSql); 2] = [(":before", &rule.tombstones_before.as_millis()), (":limit", &rule.limit)];
    let unused = |row: &Row<'_>| Ok((row.get(0)?, maybe_instant(row, 1)?));
    let unused = read(db, sql!("purge_incarnations_read", servers), &values, unused)?;
    Ok(Found { runs, remains, workflows, calls, misses, awaits, data, lanes, answers, unused, at: rule.at })
}

/// Adds final runs of each job beyond its newest `keep`, up to `limit` in all.
fn beyond(db: &dyn Db, keep: u32, limit: usize, runs: &mut Vec<RunId>) -> Step<()> {
    let mut after = 0_i64;
    loop {
        let values: [(&str, &dyn ToSql); 2] = [(":after", &after), (":limit", &JOBS)];
        let jobs: Vec<i64> = read(db, sql!("purge_jobs_read"), &values, |row| row.get(0))?;
        let Some(last) = jobs.last() else { return Ok(()) };
        after = *last;
        for job in jobs {
            let rest = i64::try_from(limit.saturating_sub(runs.len())).unwrap_or(i64::MAX);
            if rest == 0 {
                return Ok(());
            }
            let values: [(&str, &dyn ToSql); 3] = [(":job", &job), (":limit", &rest), (":keep", &keep)];
            let more: Vec<RunId> = read(db, sql!("purge_beyond_read"), &values, |row| run_id(row, 0))?;
            runs.extend(more.into_iter().filter(|run| !runs.contains(run)).collect::<Vec<_>>());
        }
    }
}

/// How many runs the writer deletes in one request.
const RUNS: usize = 250;

/// How many runs of workflows it deletes in one request: each may have many tasks.
const WORKFLOWS: usize = 10;

impl Found {
    /// Splits the work into requests that are short.
    pub(crate) fn slices(self) -> Vec<Self> {
        let runs = self.runs.chunks(RUNS).map(|runs| Self { runs: runs.to_vec(), ..Self::default() });
        let remains = self.remains.chunks(RUNS).map(|remains| Self { remains: remains.to_vec(), ..Self::default() });
        let workflows = self.workflows.chunks(WORKFLOWS);
        let workflows = workflows.map(|workflows| Self { workflows: workflows.to_vec(), ..Self::default() });
        let calls = self.calls.chunks(RUNS).map(|calls| Self { calls: calls.to_vec(), ..Self::default() });
        let misses = self.misses.chunks(RUNS).map(|misses| Self { misses: misses.to_vec(), ..Self::default() });
        let awaits = self.awaits.chunks(RUNS).map(|awaits| Self { awaits: awaits.to_vec(), ..Self::default() });
        let data = self.data.chunks(RUNS).map(|data| Self { data: data.to_vec(), ..Self::default() });
        let lanes = self.lanes.chunks(RUNS).map(|lanes| Self { lanes: lanes.to_vec(), ..Self::default() });
        let answers = self.answers.chunks(RUNS).map(|answers| Self { answers: answers.to_vec(), ..Self::default() });
        let unused =
            self.unused.chunks(RUNS).map(|unused| Self { unused: unused.to_vec(), at: self.at, ..Self::default() });
        runs.chain(remains)
            .chain(workflows)
            .chain(calls)
            .chain(misses)
            .chain(awaits)
            .chain(data)
            .chain(lanes)
            .chain(answers)
            .chain(unused)
            .collect()
    }

    /// Deletes what was found. Returns how many records went.
    pub(crate) fn delete(&self, session: &Session<impl Batches>) -> Step<u64> {
        let db = &session.connection;
        let mut count = 0;
        for run in &self.runs {
            count += execute(db, sql!("purge_run"), &[(":id", run.as_bytes())])? as u64;
        }
        for run in self.runs.iter().chain(&self.remains) {
            execute(db, sql!("purge_attempts"), &[(":run", run.as_bytes())])?;
            execute(db, sql!("purge_log"), &[(":run", run.as_bytes())])?;
            execute(db, sql!("purge_output"), &[(":run", run.as_bytes())])?;
        }
        // Not counted: they are no records of their own.
        self.workflows.iter().try_for_each(|run| workflow::delete(db, *run))?;
        for run in &self.calls {
            execute(db, sql!("purge_call"), &[(":run", run.as_bytes())])?;
        }
        for run in &self.misses {
            execute(db, sql!("purge_deadline"), &[(":run", run.as_bytes())])?;
        }
        for run in &self.awaits {
            execute(db, sql!("await_forget"), &[(":run", run.as_bytes())])?;
        }
        for job in &self.data {
            count += execute(db, sql!("purge_data"), &[(":job", job)])?;
        }
        // Not counted: they are no records of their own.
        for job in &self.lanes {
            execute(db, sql!("lane_remove"), &[(":job", job)])?;
        }
        for (incarnation, slot) in &self.answers {
            let values: [(&str, &dyn ToSql); 2] = [(":incarnation", incarnation), (":slot", slot)];
            count += execute(db, sql!("purge_batch"), &values)?;
        }
        // Not counted: they are no records of their own.
        for (number, known_since) in &self.unused {
            if known_since.is_some() {
                execute(db, sql!("purge_incarnation"), &[(":number", number)])?;
                let values: [(&str, &dyn ToSql); 2] = [(":at", &self.at.as_millis()), (":number", number)];
                execute(db, sql!("executor_gone"), &values)?;
            } else {
                let values: [(&str, &dyn ToSql); 2] = [(":at", &self.at.as_millis()), (":number", number)];
                execute(db, sql!("purge_incarnation_mark"), &values)?;
            }
        }
        Ok(count + self.remains.len() as u64)
    }
}

/// Deletes what is found by a short search, up to `limit` rows in all. Returns how many went.
pub(crate) fn purge_rest(session: &Session<impl Batches>, rule: &PurgeRule, limit: u64) -> Step<u64> {
    let db = &session.connection;
    let mut count = 0;
    for (sql, before) in [
        (sql!("purge_gaps", mysql), rule.history_before),
        (sql!("purge_tombstones", mysql), rule.tombstones_before),
        (sql!("purge_keys", mysql), rule.tombstones_before),
        (sql!("purge_executors", mysql), rule.history_before),
    ] {
        let rest = (limit - count).min(u64::from(u32::MAX)).cast_signed();
        count += execute(db, sql, &[(":before", &before.as_millis()), (":limit", &rest)])? as u64;
    }
    // Events that webhooks and alerts have not seen go with the history.
    let at_last = rule.events_before.min(rule.history_before);
    let places = [webhook::noted_through(db)?, document::events_place(db)?];
    let read_through = places.into_iter().flatten().min().unwrap_or(i64::MAX);
    for (before, through) in [(rule.events_before, read_through), (at_last, i64::MAX)] {
        let rest = (limit - count).min(u64::from(u32::MAX)).cast_signed();
        let values: [(&str, &dyn ToSql); 3] =
            [(":before", &before.as_millis()), (":through", &through), (":limit", &rest)];
        count += execute(db, sql!("purge_events", postgres, mysql), &values)? as u64;
    }
    for (state, before) in
        [(DeliveryState::Delivered, rule.tombstones_before), (DeliveryState::Dead, rule.history_before)]
    {
        let rest = (limit - count).min(u64::from(u32::MAX)).cast_signed();
        let values: [(&str, &dyn ToSql); 3] =
            [(":state", &state.as_str()), (":before", &before.as_millis()), (":limit", &rest)];
        count += execute(db, sql!("purge_deliveries", mysql), &values)? as u64;
    }
    count += webhook::purge_orphans(db, limit - count)?;
    count += backfill::purge(db, rule.history_before, limit - count)?;
    if count < limit {
        count += purge_lost(db, rule.history_before)?;
        // Not counted: these are no records.
        let rest = (limit - count.min(limit)).min(u64::from(u32::MAX)).cast_signed();
        execute(db, sql!("purge_inbox", mysql), &[(":limit", &rest)])?;
    }
    let rest = limit.saturating_sub(count).min(u64::from(u32::MAX)).cast_signed();
    // Not counted: versions are no records of their own.
    execute(db, sql!("purge_versions", mysql), &[(":before", &rule.history_before.as_millis()), (":limit", &rest)])?;
    Ok(count)
}

/// Forgets what failovers have lost once the runs of that time are gone. There is little of it.
fn purge_lost(db: &dyn Db, before: Timestamp) -> Step<u64> {
    let lost = read(db, sql!("lost_through"), &[], |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?)))?;
    let mut count = 0;
    for (name, _) in lost.iter().filter(|(_, value)| lost_instant(value).is_some_and(|through| through < before)) {
        count += execute(db, sql!("purge_setting"), &[(":name", name)])? as u64;
    }
    Ok(count)
}

/// See [`crate::Store::tally`].
pub(crate) fn tally(db: &dyn Db) -> Step<Vec<Tally>> {
    let mut tallies: BTreeMap<TriggerId, Tally> = BTreeMap::new();
    for (trigger, fired, instants, first, last) in read(db, sql!("tally_fires"), &[], counts)? {
        let tally = tallies.entry(trigger).or_insert_with(|| empty(trigger));
        tally.fired = fired;
        if instants < fired {
            let values: [(&str, &dyn ToSql); 1] = [(":trigger", &trigger.0)];
            let count = read_one(db, sql!("tally_duplicates"), &values, |row| row.get::<i64>(0))?;
            tally.duplicated = count.unwrap_or(0).unsigned_abs();
        }
        span(tally, first, last);
    }
    for (trigger, missed, suppressed, first, last) in read(db, sql!("tally_gaps", mysql), &[], counts)? {
        let tally = tallies.entry(trigger).or_insert_with(|| empty(trigger));
        (tally.missed, tally.suppressed) = (missed, suppressed);
        span(tally, first, last);
    }
    Ok(tallies.into_values().collect())
}

fn counts(row: &Row<'_>) -> Step<(TriggerId, u64, u64, Timestamp, Timestamp)> {
    let count = |column| row.get::<i64>(column).map(i64::unsigned_abs);
    Ok((TriggerId(row.get(0)?), count(1)?, count(2)?, instant(row, 3)?, instant(row, 4)?))
}

const fn empty(trigger: TriggerId) -> Tally {
    Tally { trigger, fired: 0, duplicated: 0, missed: 0, suppressed: 0, first: None, last: None }
}

fn span(tally: &mut Tally, first: Timestamp, last: Timestamp) {
    tally.first = Some(tally.first.map_or(first, |known| known.min(first)));
    tally.last = tally.last.max(Some(last));
}

/// See [`crate::Store::info`]. The caller adds what it knows of the database.
pub(crate) fn info(db: &dyn Db) -> Step<StoreInfo> {
    let count = |row: &Row<'_>, column| row.get::<i64>(column).map(i64::unsigned_abs);
    let found = read_one(db, sql!("info"), &[], |row| {
        Ok(StoreInfo {
            jobs: count(row, 0)?,
            triggers: count(row, 1)?,
            live_runs: count(row, 2)?,
            ..StoreInfo::default()
        })
    })?;
    Ok(found.unwrap_or_default())
}

/// Counts the oldest unfinished runs.
pub(crate) fn unfinished(db: &dyn Db) -> Step<Vec<RunCount>> {
    let mut counts = read_known(db, sql!("unfinished"), &[(":limit", &COUNTED_MAX)], |row| {
        Ok(RunCount {
            state: word(row, 0, RunState::from_word)?,
            queue: Line::parse(row.get(1)?).queue().to_owned(),
            count: row.get::<i64>(2)?.unsigned_abs(),
            oldest_due_at: instant(row, 3)?,
        })
    })?;
    counts.sort_by(|a, b| (a.state.as_str(), &a.queue).cmp(&(b.state.as_str(), &b.queue)));
    counts.dedup_by(|later, first| {
        let same = (later.state, &later.queue) == (first.state, &first.queue);
        if same {
            first.count += later.count;
            first.oldest_due_at = first.oldest_due_at.min(later.oldest_due_at);
        }
        same
    });
    Ok(counts)
}
