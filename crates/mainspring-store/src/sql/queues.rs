//! What is set for queues, and how runs leave those for which something is.

mod labels;
mod look;
mod moving;
mod placing;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use mainspring_core::batch::{ClaimedRun, Queues};
use mainspring_core::line::Line;
use mainspring_core::queue::{QueueRule, Rate, label_of, share_out};
use mainspring_core::{JobId, JobVersion, RunId, Timestamp};

use super::db::{Db, Lock, Row, Step, ToSql, execute, instant, read, read_one, run_id, sql};
use super::session::Session;
use super::task_labels::TaskLabels;
use super::{Batches, Lines};
use crate::error::Error;
use crate::row::{LineWaits, QueueRow};
use labels::Labels;
pub(crate) use look::Glance;
use look::{Look, Share};
pub(crate) use moving::move_queued;
pub(crate) use placing::place_queued;

/// A queue's row.
struct Set {
    row: QueueRow,
    /// Until when the time of its rate is taken up.
    used_us: i64,
    updated_at: Timestamp,
    /// Runs that are executed, once they were counted.
    running: Option<u32>,
}

/// How long after a change others may still have claims under way, or begin runs, that know nothing of it.
const UNHEARD_MS: i64 = 10_000;

fn set(row: &Row<'_>) -> Step<Set> {
    let (count, per_ms): (Option<u32>, Option<i64>) = (row.get(3)?, row.get(4)?);
    let rate = count.zip(per_ms).map(|(count, per_ms)| Rate { count, per_ms });
    let rule = QueueRule { paused: row.get::<i64>(1)? == 1, max_running: row.get(2)?, rate, max_waiting: row.get(8)? };
    let queue = QueueRow { name: row.get(0)?, rule, revision: row.get(6)? };
    Ok(Set { row: queue, used_us: row.get(5)?, updated_at: instant(row, 7)?, running: None })
}

/// See [`crate::Store::queues`].
pub(crate) fn queues(db: &dyn Db) -> Step<Vec<QueueRow>> {
    Ok(read(db, sql!("queue_rules"), &[], set)?.into_iter().map(|set| set.row).collect())
}

/// See [`crate::Store::set_queue`].
pub(crate) fn set_queue(
    session: &mut Session<impl Batches>,
    name: &str,
    rule: QueueRule,
    expect: i64,
    at: Timestamp,
) -> Step<QueueRow> {
    let db = &session.connection;
    let before = locked(db, name)?;
    expected(before.as_ref(), name, expect)?;
    let rate = rule.rate;
    // What has left at another rate says nothing of this one.
    let same = before.as_ref().filter(|set| set.row.rule.rate == rate);
    let values: [(&str, &dyn ToSql); 8] = [
        (":name", &name),
        (":paused", &i64::from(rule.paused)),
        (":max_running", &rule.max_running),
        (":rate_count", &rate.map(|rate| rate.count)),
        (":rate_per_ms", &rate.map(|rate| rate.per_ms)),
        (":used_us", &same.map_or(0, |set| set.used_us)),
        (":max_waiting", &rule.max_waiting),
        (":at", &at.as_millis()),
    ];
    execute(db, sql!("queue_set", mysql), &values)?;
    // Where there was no row, nothing was locked: another one may have come first.
    expected(locked(db, name)?.as_ref(), name, expect + 1)?;
    let had_limit = before.is_some_and(|set| set.row.rule.max_running.is_some());
    match (had_limit, rule.max_running.is_some()) {
        // What runs by now counts.
        (false, true) => count_in(db, &session.task_labels, name)?,
        (true, false) => _ = execute(db, sql!("queue_slot_clear"), &[(":queue", &name)])?,
        _ => {}
    }
    Ok(QueueRow { name: name.to_owned(), rule, revision: expect + 1 })
}

/// The lines of a queue in which runs wait.
fn lines_of(db: &impl Batches, queue: &str) -> Step<Vec<String>> {
    let mut lines: Vec<String> = read(db, sql!("queues_waiting", mysql), &[], |row| row.get(0))?;
    db.add_lines(Lines::Any, &mut lines)?;
    lines.retain(|line| Line::parse(line).queue() == queue);
    Ok(lines)
}

/// See [`crate::Store::waiting`].
pub(crate) fn waiting(db: &impl Batches, queue: &str, max: u32) -> Step<u32> {
    let mut count = 0;
    // One by one: which lines are between two others depends on the language of the database.
    for line in &lines_of(db, queue)? {
        let values: [(&str, &dyn ToSql); 2] = [(":line", line), (":limit", &(max - count))];
        count += read_one(db, sql!("queue_waiting", mysql), &values, |row| row.get::<u32>(0))?.unwrap_or(0);
        if count >= max {
            break;
        }
    }
    Ok(count)
}

/// See [`crate::Store::queue_lines`].
pub(crate) fn queue_lines(db: &impl Batches, queue: &str, first: u32, max: u32) -> Step<Vec<LineWaits>> {
    let mut lines = lines_of(db, queue)?;
    lines.retain(|line| !Line::parse(line).is_of_workflows());
    lines.sort_unstable();
    let (mut waits, mut left) = (Vec::with_capacity(lines.len()), max);
    for line in lines {
        if left == 0 {
            break;
        }
        let count: [(&str, &dyn ToSql); 2] = [(":line", &line), (":limit", &left)];
        let count = read_one(db, sql!("queue_waiting", mysql), &count, |row| row.get::<u32>(0))?.unwrap_or(0);
        left = left.saturating_sub(count);
        let values: [(&str, &dyn ToSql); 2] = [(":line", &line), (":limit", &first)];
        let run = |row: &Row<'_>| Ok((row.get::<i64>(1)?, instant(row, 2)?, run_id(row, 0)?));
        let first = read(db, sql!("queue_move_line", mysql), &values, run)?;
        if count > 0 {
            waits.push(LineWaits { line, count, first });
        }
    }
    Ok(waits)
}

/// Refuses a queue that is at another revision.
fn expected(found: Option<&Set>, name: &str, expect: i64) -> Step<()> {
    let revision = found.map_or(0, |set| set.row.revision);
    if revision == expect {
        return Ok(());
    }
    let why = format!("is at revision {revision}, not {expect}");
    Err(Error::Conflict { what: "queue", key: name.to_owned(), why }.into())
}

/// Counts runs of a queue or of a label that are executed and were not counted yet.
fn count_in(db: &impl Batches, tasks: &TaskLabels, name: &str) -> Step<()> {
    if label_of(name).is_some() {
        return count_labelled(db, tasks, name);
    }
    let values: [(&str, &dyn ToSql); 3] =
        [(":queue", &name), (":routed", &format!("{name}/")), (":shared", &format!("{name}#"))];
    execute(db, sql!("queue_slot_begin"), &values)?;
    Ok(())
}

/// The same of a label: runs of jobs by what the job has now, those of tasks also by what the task has of its own.
fn count_labelled(db: &impl Batches, tasks: &TaskLabels, limited: &str) -> Step<()> {
    let Some((name, value)) = label_of(limited) else { return Ok(()) };
    let first = JobVersion::FIRST_OF_TASKS.0;
    let values: [(&str, &dyn ToSql); 4] =
        [(":label", &limited), (":tasks", &first), (":name", &name), (":value", &value)];
    execute(db, sql!("label_slot_begin"), &values)?;
    let values: [(&str, &dyn ToSql); 2] = [(":tasks", &first), (":label", &limited)];
    let run = |row: &Row<'_>| Ok((run_id(row, 0)?, (JobId(row.get(1)?), JobVersion(row.get(2)?))));
    let mut known: BTreeMap<(JobId, JobVersion), bool> = BTreeMap::new();
    for (run, (job, version)) in read(db, sql!("label_slot_tasks"), &values, run)? {
        let has = match known.entry((job, version)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let mut labels = labels_of(db, job)?;
                labels.extend(tasks.own(db, job, version)?);
                *new.insert(labels.get(name).is_some_and(|it| it == value))
            }
        };
        if has {
            execute(db, sql!("queue_slot_take"), &[(":queue", &limited), (":run", run.as_bytes())])?;
        }
    }
    Ok(())
}

/// The labels that a job has now.
fn labels_of(db: &impl Batches, job: JobId) -> Step<BTreeMap<String, String>> {
    let label = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    Ok(read(db, sql!("job_labels"), &[(":job", &job.0)], label)?.into_iter().collect())
}

/// Locks a queue's row, and reads it.
fn locked(db: &impl Batches, name: &str) -> Step<Option<Set>> {
    let values: [(&str, &dyn ToSql); 1] = [(":name", &name)];
    db.lock(sql!("queue_rule"), Lock::Write, &values)?;
    read_one(db, sql!("queue_rule"), &values, set)
}

/// Claims from one queue after the other, or from all of them at once: of each namespace that has runs there evenly, as
/// [`share_out`] says.
pub(crate) fn claim(
    (db, tasks): (&impl Batches, &TaskLabels),
    owner: i64,
    queues: &Queues,
    limit: u32,
    at: Timestamp,
    turn: u64,
) -> Step<Vec<ClaimedRun>> {
    let mut look = Look::take(db, queues.of().0)?;
    let steps = look.steps(db, queues)?;
    let rules = look.rules(db, &steps)?;
    let labels = Labels::new(std::mem::take(&mut look.labels), tasks);
    let mut claim = Claim { db, tasks, owner, at, look, rules, labels, claimed: Vec::new() };
    for shares in steps {
        let left = limit.saturating_sub(count(&claim.claimed));
        let left = if left == 0 { 0 } else { left.min(claim.room(&shares)?) };
        share_out(left, shares.len(), turn, |who, share| claim.take(&shares[who], share))?;
    }
    Ok(claim.claimed)
}

/// A claim under way.
struct Claim<'a, D> {
    db: &'a D,
    tasks: &'a TaskLabels,
    owner: i64,
    at: Timestamp,
    look: Look,
    rules: BTreeMap<String, Set>,
    labels: Labels<'a>,
    claimed: Vec<ClaimedRun>,
}

impl<D: Batches> Claim<'_, D> {
    /// How many runs may leave where all of these lines are of one queue.
    fn room(&mut self, shares: &[Share]) -> Step<u32> {
        let mut queues = shares.iter().flatten().map(|line| line.as_deref().map(|line| Line::parse(line).queue()));
        let first = queues.next().flatten().filter(|first| queues.all(|queue| queue == Some(*first)));
        let set = first.and_then(|queue| self.rules.get_mut(queue));
        set.map_or(Ok(u32::MAX), |set| room((self.db, self.tasks), set, &[], self.at))
    }

    /// Claims up to so many runs of a namespace. Answers how many there were.
    fn take(&mut self, share: &Share, limit: u32) -> Step<u32> {
        let Self { db, tasks, owner, at, .. } = *self;
        let mut taken = 0;
        for line in share.iter().map(Option::as_deref) {
            let (left, from) = (limit - taken, self.look.from(line));
            let claimed = match line.and_then(|line| Some((line, self.rules.get_mut(Line::parse(line).queue())?))) {
                _ if left == 0 => break,
                Some((line, set)) => {
                    let room = room((db, tasks), set, &[], at)?.min(left);
                    let claimed = self.labels.claim(db, owner, Some(line), from, room, at)?;
                    take_slots(db, set, &claimed, at)?;
                    claimed
                }
                None => self.labels.claim(db, owner, line, from, left, at)?,
            };
            taken += count(&claimed);
            self.claimed.extend(claimed);
        }
        Ok(taken)
    }
}

fn count(runs: &[ClaimedRun]) -> u32 {
    u32::try_from(runs.len()).unwrap_or(u32::MAX)
}

/// How many runs may leave where a row is locked that is set. Some that were claimed are not executed yet.
fn room((db, tasks): (&impl Batches, &TaskLabels), set: &mut Set, claimed: &[ClaimedRun], at: Timestamp) -> Step<u32> {
    let (name, rule) = (set.row.name.as_str(), set.row.rule);
    if rule.max_running.is_some() && set.running.is_none() {
        if at < set.updated_at + UNHEARD_MS {
            count_in(db, tasks, name)?;
        }
        set.running = Some(running(db, name, claimed)?);
    }
    Ok(rule.room(set.running.unwrap_or(0), set.used_us, at))
}

/// Counts runs that leave a queue whose row is locked.
fn take_slots(db: &impl Batches, set: &mut Set, claimed: &[ClaimedRun], at: Timestamp) -> Step<()> {
    for run in claimed {
        take_slot(db, set, run)?;
    }
    let used = set.row.rule.used_us(count(claimed), set.used_us, at);
    if used != set.used_us {
        set.used_us = used;
        execute(db, sql!("queue_used"), &[(":used_us", &used), (":name", &set.row.name.as_str())])?;
    }
    Ok(())
}

/// Counts a run where a row is locked that has a limit.
fn take_slot(db: &impl Batches, set: &mut Set, run: &ClaimedRun) -> Step<()> {
    if let Some(running) = &mut set.running {
        execute(db, sql!("queue_slot_take"), &[(":queue", &set.row.name.as_str()), (":run", run.run.as_bytes())])?;
        *running += 1;
    }
    Ok(())
}

/// See [`crate::Store::holders`].
pub(crate) fn holders(db: &dyn Db, name: &str, most: u32) -> Step<Vec<RunId>> {
    let mut running: Vec<_> = slots(db, name)?.into_iter().filter(|(_, is_running)| *is_running).collect();
    running.sort_unstable();
    running.truncate(most as usize);
    Ok(running.into_iter().map(|(run, _)| run).collect())
}

/// The runs that have a place of a limit, and whether they are executed.
fn slots(db: &dyn Db, name: &str) -> Step<Vec<(RunId, bool)>> {
    read(db, sql!("queue_slots"), &[(":queue", &name)], |row| Ok((run_id(row, 0)?, row.get::<i64>(1)? > 0)))
}

/// How many runs are executed that have a place of a limit. Those that are not any more give it back, and so do those that have just been
/// claimed again.
fn running(db: &impl Batches, queue: &str, claimed: &[ClaimedRun]) -> Step<u32> {
    let mut running = 0;
    for (run, is_running) in slots(db, queue)? {
        if !is_running || claimed.iter().any(|claimed| claimed.run == run) {
            execute(db, sql!("queue_slot_free"), &[(":queue", &queue), (":run", run.as_bytes())])?;
        } else {
            running += 1;
        }
    }
    Ok(running)
}
