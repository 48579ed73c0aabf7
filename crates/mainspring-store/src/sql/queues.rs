//! What is set for queues, and how runs leave those for which something is.

use std::collections::BTreeMap;

use mainspring_core::RunId;
use mainspring_core::Timestamp;
use mainspring_core::batch::{ClaimedRun, Queues};
use mainspring_core::queue::{QueueRule, Rate};
use mainspring_core::routing::{is_routed, queue_of};

use super::Batches;
use super::db::{Db, Lock, Row, Step, ToSql, execute, instant, read, read_one, run_id, sql};
use super::session::Session;
use crate::error::Error;
use crate::row::QueueRow;

/// A queue's row.
struct Set {
    row: QueueRow,
    /// Until when the time of its rate is taken up.
    used_us: i64,
    updated_at: Timestamp,
}

/// How long after a change others may still have claims under way, or begin runs, that know nothing of it.
const UNHEARD_MS: i64 = 10_000;

fn set(row: &Row<'_>) -> Step<Set> {
    let (count, per_ms): (Option<u32>, Option<i64>) = (row.get(3)?, row.get(4)?);
    let rate = count.zip(per_ms).map(|(count, per_ms)| Rate { count, per_ms });
    let rule = QueueRule { paused: row.get::<i64>(1)? == 1, max_running: row.get(2)?, rate };
    let queue = QueueRow { name: row.get(0)?, rule, revision: row.get(6)? };
    Ok(Set { row: queue, used_us: row.get(5)?, updated_at: instant(row, 7)? })
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
    let values: [(&str, &dyn ToSql); 7] = [
        (":name", &name),
        (":paused", &i64::from(rule.paused)),
        (":max_running", &rule.max_running),
        (":rate_count", &rate.map(|rate| rate.count)),
        (":rate_per_ms", &rate.map(|rate| rate.per_ms)),
        (":used_us", &same.map_or(0, |set| set.used_us)),
        (":at", &at.as_millis()),
    ];
    execute(db, sql!("queue_set", mysql), &values)?;
    // Where there was no row, nothing was locked: another one may have come first.
    expected(locked(db, name)?.as_ref(), name, expect + 1)?;
    let had_limit = before.is_some_and(|set| set.row.rule.max_running.is_some());
    match (had_limit, rule.max_running.is_some()) {
        // What runs by now counts.
        (false, true) => count_in(db, name)?,
        (true, false) => _ = execute(db, sql!("queue_slot_clear"), &[(":queue", &name)])?,
        _ => {}
    }
    Ok(QueueRow { name: name.to_owned(), rule, revision: expect + 1 })
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

/// Counts runs of a queue that are executed and were not counted yet.
fn count_in(db: &impl Batches, name: &str) -> Step<()> {
    let values: [(&str, &dyn ToSql); 2] = [(":queue", &name), (":lines", &format!("{name}/"))];
    execute(db, sql!("queue_slot_begin"), &values)?;
    Ok(())
}

/// Locks a queue's row, and reads it.
fn locked(db: &impl Batches, name: &str) -> Step<Option<Set>> {
    let values: [(&str, &dyn ToSql); 1] = [(":name", &name)];
    db.lock(sql!("queue_rule"), Lock::Write, &values)?;
    read_one(db, sql!("queue_rule"), &values, set)
}

/// Claims where something is set for some queues; nothing where nothing is.
pub(crate) fn claim(
    db: &impl Batches,
    owner: i64,
    queues: &Queues,
    limit: u32,
    at: Timestamp,
) -> Step<Option<Vec<ClaimedRun>>> {
    let rows = read(db, sql!("queue_rules"), &[], set)?;
    let names: Vec<String> = rows.into_iter().filter(|set| set.row.rule.is_set()).map(|set| set.row.name).collect();
    if names.is_empty() {
        return Ok(None);
    }
    let wanted: Vec<String> = match queues {
        Queues::Named(queues) => queues.iter().map(|queue| queue.to_string()).collect(),
        Queues::All => {
            let mut lines: Vec<String> = read(db, sql!("queues_waiting", mysql), &[], |row| row.get(0))?;
            lines.retain(|line| !is_routed(line));
            by_head(db, lines)?
        }
    };
    // In order of names, as everybody locks them.
    let mut rules = BTreeMap::new();
    for name in names.into_iter().filter(|name| wanted.iter().any(|line| queue_of(line) == name)) {
        rules.extend(locked(db, &name)?.map(|set| (name, set)));
    }
    let mut claimed: Vec<ClaimedRun> = Vec::new();
    for line in wanted {
        let left = limit.saturating_sub(u32::try_from(claimed.len()).unwrap_or(u32::MAX));
        match rules.get_mut(queue_of(&line)) {
            _ if left == 0 => break,
            None => claimed.extend(db.claim(owner, Some(&line), left, at)?),
            Some(set) => claimed.extend(claim_limited(db, owner, set, &line, left, at)?),
        }
    }
    Ok(Some(claimed))
}

/// Lines in the order of their first runs: none starves behind others.
fn by_head(db: &impl Batches, lines: Vec<String>) -> Step<Vec<String>> {
    let mut placed = Vec::with_capacity(lines.len());
    for line in lines {
        let place = read_one(db, sql!("queue_head", mysql), &[(":queue", &line)], |row| row.get::<i64>(0))?;
        placed.extend(place.map(|place| (place, line)));
    }
    placed.sort_unstable();
    Ok(placed.into_iter().map(|(_, line)| line).collect())
}

/// Claims from a line of a queue whose row is locked.
fn claim_limited(
    db: &impl Batches,
    owner: i64,
    Set { row: queue, used_us, updated_at }: &mut Set,
    line: &str,
    limit: u32,
    at: Timestamp,
) -> Step<Vec<ClaimedRun>> {
    let (name, rule) = (queue.name.as_str(), queue.rule);
    if rule.max_running.is_some() && at < *updated_at + UNHEARD_MS {
        count_in(db, name)?;
    }
    let running = if rule.max_running.is_some() { running(db, name)? } else { 0 };
    let room = rule.room(running, *used_us, at).min(limit);
    if room == 0 {
        return Ok(Vec::new());
    }
    let claimed = db.claim(owner, Some(line), room, at)?;
    if rule.max_running.is_some() {
        for run in &claimed {
            execute(db, sql!("queue_slot_take"), &[(":queue", &name), (":run", run.run.as_bytes())])?;
        }
    }
    let used = rule.used_us(u32::try_from(claimed.len()).unwrap_or(u32::MAX), *used_us, at);
    if used != *used_us {
        *used_us = used;
        execute(db, sql!("queue_used"), &[(":used_us", &used), (":name", &name)])?;
    }
    Ok(claimed)
}

/// How many runs of a queue with a limit are executed. Those that are not any more give their place back.
fn running(db: &impl Batches, queue: &str) -> Step<u32> {
    let slots: Vec<(RunId, i64)> =
        read(db, sql!("queue_slots"), &[(":queue", &queue)], |row| Ok((run_id(row, 0)?, row.get::<i64>(1)?)))?;
    let mut running = 0;
    for (run, is_running) in slots {
        if is_running == 0 {
            execute(db, sql!("queue_slot_free"), &[(":queue", &queue), (":run", run.as_bytes())])?;
        } else {
            running += 1;
        }
    }
    Ok(running)
}
