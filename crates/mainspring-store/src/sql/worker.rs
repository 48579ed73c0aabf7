//! Workers of other machines, and the tokens with which they join.

use mainspring_core::batch::{ClaimedRun, Queues};
use mainspring_core::{BatchId, Incarnation, Timestamp};

use super::Batches;
use super::db::{
    Db, Fault, Lock, Row, Sql, Step, ToSql, Values, execute, exists, incarnation, instant, maybe_instant, millis, read,
    read_one, sql,
};
use super::queue;
use super::session::Session;
use crate::error::Error;
use crate::worker::{WorkerInfo, WorkerRow, WorkerToken};

/// See [`crate::Store::join_worker`].
pub(crate) fn join(session: &mut Session<impl Batches>, worker: &WorkerInfo) -> Step<()> {
    let id = worker.id.0.to_be_bytes();
    if exists(&session.connection, sql!("worker"), &[(":id", &id)])? {
        let why = "is there already".into();
        return Err(Error::Conflict { what: "worker", key: worker.id.to_string(), why }.into());
    }
    let (incarnation, node) = (session.number_of(worker.id)?, session.number_of(worker.node)?);
    session.connection.raise_fence(incarnation)?;
    let values: [(&str, &dyn ToSql); 10] = [
        (":incarnation", &incarnation),
        (":id", &id),
        (":name", &worker.name),
        (":queues", &to_text(&worker.queues)),
        (":labels", &to_text(&worker.labels)),
        (":slots", &worker.slots),
        (":version", &worker.version),
        (":token", &worker.token),
        (":node", &node),
        (":at", &worker.joined_at.as_millis()),
    ];
    execute(&session.connection, sql!("worker_join"), &values)?;
    Ok(())
}

/// See [`crate::Store::hear_worker`].
pub(crate) fn hear(session: &mut Session<impl Batches>, id: Incarnation, by: Incarnation, at: Timestamp) -> Step<bool> {
    let node = session.number_of(by)?;
    let id = id.0.to_be_bytes();
    let values: [(&str, &dyn ToSql); 3] = [(":node", &node), (":at", &at.as_millis()), (":id", &id)];
    Ok(execute(&session.connection, sql!("worker_hear"), &values)? == 1)
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
    let heard_by = read_one(&session.connection, sql!("worker_node"), &this, |row| row.get::<Option<i64>>(0))?;
    if heard_by.flatten() != Some(node) {
        return Err(Error::Fenced.into());
    }
    queue::claim(session, id, queues, limit, at)
}

/// See [`crate::Store::beat_workers`].
pub(crate) fn beat(
    session: &mut Session<impl Batches>,
    heard: &[Incarnation],
    at: Timestamp,
) -> Step<Vec<(Incarnation, u64)>> {
    if !heard.is_empty() {
        let workers = serde_json::Value::from_iter(heard.iter().map(Incarnation::to_string)).to_string();
        let values: [(&str, &dyn ToSql); 2] = [(":workers", &workers), (":at", &at.as_millis())];
        execute(&session.connection, sql!("worker_beat", postgres, mysql), &values)?;
    }
    read(&session.connection, sql!("worker_counts"), &[], |row| {
        Ok((incarnation(row, 0)?, row.get::<i64>(1)?.unsigned_abs()))
    })
}

/// See [`crate::Store::bury_worker`].
pub(crate) fn bury(session: &mut Session<impl Batches>, dead: Incarnation, counter: Option<u64>) -> Step<bool> {
    let id = dead.0.to_be_bytes();
    let counter = counter.map_or(-1, |seen| i64::try_from(seen).unwrap_or(i64::MAX));
    let values: [(&str, &dyn ToSql); 2] = [(":id", &id), (":counter", &counter)];
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
        };
        Ok(WorkerRow { info, heard_at: instant(row, 9)?, running: row.get(10)? })
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
