//! Workers of other machines, and the tokens with which they join.

use std::collections::BTreeSet;

use mainspring_core::batch::{ClaimedRun, Queues};
use mainspring_core::workers::{Count, Held};
use mainspring_core::{BatchId, Incarnation, Timestamp};

use super::Batches;
use super::db::{
    Db, Fault, Lock, Row, Sql, Step, ToSql, Values, execute, exists, incarnation, instant, maybe_instant, millis, read,
    read_one, run_id, sql,
};
use super::queue;
use super::session::Session;
use crate::error::Error;
use crate::worker::{WorkerInfo, WorkerRow, WorkerToken, executor, is_draining};

/// When the count of a node that hears nobody is deleted, in milliseconds.
const FORGET_AFTER_MS: i64 = 86_400_000;

/// See [`crate::Store::held_by_workers`].
pub(crate) fn held(db: &dyn Db, by: &[u8; 16]) -> Step<Vec<Held>> {
    read(db, sql!("held_by_workers"), &[(":id", by)], |row| {
        Ok(Held { worker: incarnation(row, 0)?, run: run_id(row, 1)?, attempt: row.get(2)?, ends: row.get(3)? })
    })
}

/// See [`crate::Store::join_worker`].
pub(crate) fn join(session: &mut Session<impl Batches>, worker: &WorkerInfo) -> Step<()> {
    let id = worker.id.0.to_be_bytes();
    if exists(&session.connection, sql!("worker"), &[(":id", &id)])? {
        let why = "is there already".into();
        return Err(Error::Conflict { what: "worker", key: worker.id.to_string(), why }.into());
    }
    let (incarnation, node) = (session.number_of(worker.id)?, session.number_of(worker.node)?);
    session.connection.raise_fence(incarnation)?;
    let values: [(&str, &dyn ToSql); 11] = [
        (":incarnation", &incarnation),
        (":id", &id),
        (":name", &worker.name),
        (":queues", &to_text(&worker.queues)),
        (":labels", &to_text(&worker.labels)),
        (":place", &worker.place),
        (":slots", &worker.slots),
        (":version", &worker.version),
        (":token", &worker.token),
        (":node", &node),
        (":at", &worker.joined_at.as_millis()),
    ];
    execute(&session.connection, sql!("worker_join"), &values)?;
    name(session, worker.id, &executor(&worker.name))
}

/// See [`crate::Store::name_node`].
pub(crate) fn name(session: &mut Session<impl Batches>, id: Incarnation, name: &str) -> Step<()> {
    let number = session.number_of(id)?;
    let values: [(&str, &dyn ToSql); 2] = [(":number", &number), (":name", &name)];
    execute(&session.connection, sql!("executor_add", mysql), &values)?;
    Ok(())
}

/// See [`crate::Store::hear_worker`].
pub(crate) fn hear(session: &mut Session<impl Batches>, id: Incarnation, by: Incarnation, at: Timestamp) -> Step<bool> {
    let node = session.number_of(by)?;
    let db = &session.connection;
    let id = id.0.to_be_bytes();
    while let Some(before) = heard_by(db, &id)? {
        // Its count goes into that of the worker, so it may not change meanwhile.
        db.lock(sql!("node_count"), Lock::Share, &[(":node", &before)])?;
        let values: [(&str, &dyn ToSql); 4] =
            [(":before", &before), (":node", &node), (":at", &at.as_millis()), (":id", &id)];
        if execute(db, sql!("worker_hear"), &values)? == 1 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// See [`crate::Store::place_worker`].
pub(crate) fn place(session: &mut Session<impl Batches>, id: Incarnation, place: Option<u32>) -> Step<bool> {
    let id = id.0.to_be_bytes();
    Ok(execute(&session.connection, sql!("worker_place"), &[(":place", &place), (":id", &id)])? == 1)
}

/// See [`crate::Store::drain_worker`].
pub(crate) fn drain(session: &mut Session<impl Batches>, id: Incarnation, draining: bool) -> Step<bool> {
    let id = id.0.to_be_bytes();
    let values: [(&str, &dyn ToSql); 2] = [(":draining", &i64::from(draining)), (":id", &id)];
    Ok(execute(&session.connection, sql!("worker_drain"), &values)? == 1)
}

/// See [`crate::Store::note_worker_clocks`].
pub(crate) fn note_clocks(session: &mut Session<impl Batches>, offsets: &[(Incarnation, i64)]) -> Step<()> {
    for (id, offset) in offsets {
        let values: [(&str, &dyn ToSql); 2] = [(":offset", offset), (":id", &id.0.to_be_bytes())];
        execute(&session.connection, sql!("worker_clock"), &values)?;
    }
    Ok(())
}

/// The node that hears a worker; none if it is gone.
fn heard_by(db: &dyn Db, id: &[u8; 16]) -> Step<Option<i64>> {
    Ok(node_of(db, id)?.map(|(node, _)| node))
}

/// The node that hears a worker, and whether the worker drains; none if it is gone.
fn node_of(db: &dyn Db, id: &[u8; 16]) -> Step<Option<(i64, bool)>> {
    read_one(db, sql!("worker_node"), &[(":id", id)], |row| Ok((row.get(0)?, row.get::<i64>(1)? != 0)))
}

/// See [`crate::Store::claim_for`].
pub(crate) fn claim(
    session: &mut Session<impl Batches>,
    id: BatchId,
    by: Incarnation,
    queues: &Queues,
    limit: u32,
    at: Timestamp,
) -> Step<Vec<ClaimedRun>> {
    let node = session.number_of(by)?;
    let worker = id.incarnation.0.to_be_bytes();
    let this: [(&str, &dyn ToSql); 1] = [(":id", &worker)];
    // The worker before its fence, as a burial does.
    session.connection.lock(sql!("worker_node"), Lock::Share, &this)?;
    match node_of(&session.connection, &worker)? {
        Some((by, false)) if by == node => {}
        Some((by, true)) if by == node => return Err(is_draining(id.incarnation).into()),
        _ => return Err(Error::Fenced.into()),
    }
    queue::claim(session, id, queues, limit, at)
}

/// A worker as [`beat`] finds it.
struct Counted {
    id: Incarnation,
    node: i64,
    /// Whether the count of its node is added to its own.
    heard: bool,
    counter: i64,
    draining: bool,
}

/// See [`crate::Store::beat_workers`].
///
/// A node that hears the same workers as before writes one row for all of them. Whoever removes a worker locks that row.
pub(crate) fn beat(
    session: &mut Session<impl Batches>,
    by: Incarnation,
    heard: &[Incarnation],
    at: Timestamp,
) -> Step<Vec<Count>> {
    let node = session.number_of(by)?;
    let db = &session.connection;
    let count = |worker: Counted| Count {
        worker: worker.id,
        counter: worker.counter.unsigned_abs(),
        here: worker.node == node,
        draining: worker.draining,
    };
    if heard.is_empty() {
        let workers = counted(db)?;
        if !workers.iter().any(|worker| worker.node == node && worker.heard) {
            return Ok(workers.into_iter().map(count).collect());
        }
    }
    let this: [(&str, &dyn ToSql); 1] = [(":node", &node)];
    db.lock(sql!("node_count"), Lock::Write, &this)?;
    let before = read_one(db, sql!("node_count"), &this, |row| Ok((row.get::<i64>(0)?, instant(row, 1)?)))?;
    execute(db, sql!("node_count_up", mysql), &[(":node", &node), (":at", &at.as_millis())])?;
    if before.is_none() {
        let long_ago = at.as_millis() - FORGET_AFTER_MS;
        execute(db, sql!("node_count_forget"), &[(":before", &long_ago)])?;
    }
    let (count_before, counted_at) = before.unwrap_or((0, at));

    // Read after that row is locked: who is gone by then is not heard any more.
    let mut workers = counted(db)?;
    let heard: BTreeSet<Incarnation> = heard.iter().copied().collect();
    let (mut begun, mut ended) = (Vec::new(), Vec::new());
    for worker in &mut workers {
        match (worker.node == node, worker.heard, heard.contains(&worker.id)) {
            (true, false, true) => {
                begun.push(worker.id.to_string());
                worker.counter += count_before + 2;
            }
            (true, true, false) => {
                ended.push(worker.id.to_string());
                worker.counter -= 1;
            }
            // Another node has heard it since.
            (false, _, true) => {
                let values: [(&str, &dyn ToSql); 2] = [(":at", &at.as_millis()), (":id", &worker.id.0.to_be_bytes())];
                execute(db, sql!("worker_beat"), &values)?;
                worker.counter += 1;
            }
            _ => {}
        }
    }
    // The row itself changes: a burial that waits for it finds another count, whatever it saw of the node's.
    mark(db, node, begun, (1, 1, at))?;
    mark(db, node, ended, (0, count_before, counted_at))?;
    Ok(workers.into_iter().map(count).collect())
}

fn counted(db: &dyn Db) -> Step<Vec<Counted>> {
    read(db, sql!("worker_counts"), &[], |row| {
        let (id, heard) = (incarnation(row, 0)?, row.get::<i64>(2)? == 1);
        let draining = row.get::<i64>(4)? != 0;
        Ok(Counted { id, node: row.get(1)?, heard, counter: row.get(3)?, draining })
    })
}

/// Notes of workers of a node whether it hears them, what that adds to their counts, and when they were heard.
fn mark(db: &dyn Db, node: i64, workers: Vec<String>, (heard, more, at): (i64, i64, Timestamp)) -> Step<()> {
    if workers.is_empty() {
        return Ok(());
    }
    let values: [(&str, &dyn ToSql); 5] = [
        (":workers", &serde_json::Value::from(workers).to_string()),
        (":heard", &heard),
        (":more", &more),
        (":at", &at.as_millis()),
        (":node", &node),
    ];
    execute(db, sql!("worker_mark", postgres, mysql), &values)?;
    Ok(())
}

/// See [`crate::Store::bury_worker`].
pub(crate) fn bury(session: &mut Session<impl Batches>, dead: Incarnation, counter: Option<u64>) -> Step<bool> {
    let id = dead.0.to_be_bytes();
    let Some(node) = heard_by(&session.connection, &id)? else { return Ok(false) };
    // So that nobody counts it up meanwhile.
    session.connection.lock(sql!("node_count"), Lock::Write, &[(":node", &node)])?;
    let counter = counter.map_or(-1, |seen| i64::try_from(seen).unwrap_or(i64::MAX));
    let values: [(&str, &dyn ToSql); 3] = [(":id", &id), (":counter", &counter), (":node", &node)];
    if execute(&session.connection, sql!("worker_bury"), &values)? == 0 {
        return Ok(false);
    }
    let number = session.number_of(dead)?;
    session.connection.lower_fence(number)?;
    execute(&session.connection, sql!("worker_forget_answers"), &[(":incarnation", &number)])?;
    Ok(true)
}

/// See [`crate::Store::worker`] and [`crate::Store::workers`].
pub(crate) fn rows(db: &dyn Db, statement: Sql, values: &Values<'_>) -> Step<Vec<WorkerRow>> {
    read(db, statement, values, |row| {
        let info = WorkerInfo {
            id: incarnation(row, 0)?,
            name: row.get(1)?,
            queues: decoded(row, 2)?,
            labels: decoded(row, 3)?,
            slots: row.get(4)?,
            version: row.get(5)?,
            token: row.get(6)?,
            node: row.get::<Option<[u8; 16]>>(7)?.map_or(Incarnation(0), |id| Incarnation(u128::from_be_bytes(id))),
            joined_at: instant(row, 8)?,
            place: row.get(9)?,
        };
        Ok(WorkerRow {
            info,
            heard_at: instant(row, 10)?,
            running: row.get(11)?,
            draining: row.get::<i64>(12)? != 0,
            clock_offset_ms: row.get(13)?,
        })
    })
}

/// See [`crate::Store::add_worker_token`].
pub(crate) fn add_token(session: &mut Session<impl Batches>, token: &WorkerToken) -> Step<()> {
    let values: [(&str, &dyn ToSql); 5] = [
        (":name", &token.name),
        (":hash", &token.hash.to_vec()),
        (":queues", &to_text(&token.queues)),
        (":created_at", &token.created_at.as_millis()),
        (":expires_at", &millis(token.expires_at)),
    ];
    if execute(&session.connection, sql!("worker_token_add", mysql), &values)? == 0 {
        let why = "is taken".into();
        return Err(Error::Conflict { what: "name of a worker token", key: token.name.clone(), why }.into());
    }
    Ok(())
}

/// See [`crate::Store::worker_tokens`].
pub(crate) fn tokens(db: &dyn Db) -> Step<Vec<WorkerToken>> {
    read(db, sql!("worker_tokens"), &[], |row| {
        let hash: Vec<u8> = row.get(1)?;
        let hash = hash.try_into().map_err(|_| Fault::Unreadable("a hash has another length".to_owned()))?;
        let (created_at, expires_at) = (instant(row, 3)?, maybe_instant(row, 4)?);
        Ok(WorkerToken { name: row.get(0)?, hash, queues: decoded(row, 2)?, created_at, expires_at })
    })
}

/// See [`crate::Store::remove_worker_token`].
pub(crate) fn remove_token(session: &mut Session<impl Batches>, name: &str) -> Step<bool> {
    Ok(execute(&session.connection, sql!("worker_token_remove"), &[(":name", &name)])? == 1)
}

/// Lists and pairs, as columns keep them.
fn to_text(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("texts are JSON")
}

/// A list or pairs, as columns keep them.
pub(crate) fn decoded<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: usize) -> Step<T> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|_| Fault::Unreadable(format!("what is said of a worker is no JSON: {text}")))
}
