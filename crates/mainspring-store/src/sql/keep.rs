//! Logs, events and settings.

use mainspring_core::run::RunState;
use mainspring_core::{JobId, RunId, Timestamp};
use serde_json::json;

use super::Batches;
use super::db::{Db, Fault, Row, Step, ToSql, execute, instant, read, read_one, read_page, sql};
use super::session::{CHANGE_LEN, Session};
use crate::cluster::lost_instant;
use crate::row::{EventRow, LogChunk};

/// See [`crate::Store::append_log`].
pub(crate) fn append_log(session: &Session<impl Batches>, chunks: &[LogChunk]) -> Step<()> {
    for chunk in chunks {
        let values: [(&str, &dyn ToSql); 5] = [
            (":run", chunk.run.as_bytes()),
            (":attempt", &chunk.attempt),
            (":first_line", &chunk.first_line.cast_signed()),
            (":line_count", &chunk.line_count),
            (":data", &chunk.data),
        ];
        execute(&session.connection, sql!("log_append", mysql), &values)?;
    }
    Ok(())
}

/// See [`crate::Store::log`]. As many chunks as fit, but at least one if there is one.
pub(crate) fn log(db: &dyn Db, run: RunId, attempt: u32, from_line: u64, bytes_max: u32) -> Step<Vec<LogChunk>> {
    let from_line = i64::try_from(from_line).unwrap_or(i64::MAX);
    let values: [(&str, &dyn ToSql); 3] =
        [(":run", run.as_bytes()), (":attempt", &attempt), (":from_line", &from_line)];
    let mut chunks = Vec::new();
    let mut bytes = 0;
    db.each(sql!("log"), &values, &mut |row| {
        let data: &[u8] = row.get(2)?;
        bytes += data.len();
        if !chunks.is_empty() && bytes > bytes_max as usize {
            return Ok(false);
        }
        let first_line = row.get::<i64>(0)?.cast_unsigned();
        chunks.push(LogChunk { run, attempt, first_line, line_count: row.get(1)?, data: data.to_vec() });
        Ok(true)
    })?;
    Ok(chunks)
}

/// See [`crate::Store::log_end`].
pub(crate) fn log_end(db: &dyn Db, run: RunId, attempt: u32) -> Step<u64> {
    let values: [(&str, &dyn ToSql); 2] = [(":run", run.as_bytes()), (":attempt", &attempt)];
    let end = read_one(db, sql!("log_end"), &values, |row| Ok(row.get::<i64>(0)? + row.get::<i64>(1)?))?;
    Ok(end.map_or(0, i64::cast_unsigned))
}

/// See [`crate::Store::keep_output`].
pub(crate) fn keep_output(
    session: &Session<impl Batches>,
    run: RunId,
    attempt: u32,
    part: u32,
    bytes: &Vec<u8>,
) -> Step<()> {
    let values: [(&str, &dyn ToSql); 4] =
        [(":run", run.as_bytes()), (":attempt", &attempt), (":part", &part), (":bytes", bytes)];
    execute(&session.connection, sql!("output_set", mysql), &values)?;
    Ok(())
}

/// See [`crate::Store::output`].
pub(crate) fn output(db: &dyn Db, run: RunId, attempt: u32, part: u32) -> Step<Option<Vec<u8>>> {
    let values: [(&str, &dyn ToSql); 3] = [(":run", run.as_bytes()), (":attempt", &attempt), (":part", &part)];
    read_one(db, sql!("output"), &values, |row| row.get(0))
}

/// See [`crate::Store::events`].
pub(crate) fn events(db: &dyn Db, after: i64, limit: u32) -> Step<Vec<EventRow>> {
    read_page(db, sql!("events"), &[(":after", &after)], limit, event)
}

fn event(row: &Row<'_>) -> Step<EventRow> {
    let kind: String = row.get(2)?;
    let payload: &[u8] = row.get(3)?;
    let payload = if kind == "runs" { runs(payload)? } else { String::from_utf8_lossy(payload).into_owned() };
    Ok(EventRow { seq: row.get(0)?, at: instant(row, 1)?, kind, payload })
}

/// Writes run changes as JSON.
fn runs(payload: &[u8]) -> Step<String> {
    let (changes, rest) = payload.as_chunks::<CHANGE_LEN>();
    let list: Option<Vec<_>> = changes.iter().map(change).collect();
    match list {
        Some(list) if rest.is_empty() => Ok(json!(list).to_string()),
        _ => Err(Fault::Unreadable("the runs of an event are damaged".to_owned())),
    }
}

fn change(bytes: &[u8; CHANGE_LEN]) -> Option<serde_json::Value> {
    let (id, rest) = bytes.split_first_chunk::<16>()?;
    let (job, state) = rest.split_first_chunk::<8>()?;
    let state = RunState::ALL.get(usize::from(*state.first()?))?;
    Some(json!([RunId::from_bytes(*id).to_string(), JobId(i64::from_be_bytes(*job)), state]))
}

/// See [`crate::Store::last_event`].
pub(crate) fn last_event(db: &dyn Db) -> Step<i64> {
    Ok(read_one(db, sql!("last_event", servers), &[], |row| row.get(0))?.unwrap_or(0))
}

/// See [`crate::Store::setting`].
pub(crate) fn setting(db: &dyn Db, name: &str) -> Step<Option<String>> {
    read_one(db, sql!("setting"), &[(":name", &name)], |row| row.get(0))
}

/// See [`crate::Store::setting_or_set`].
pub(crate) fn setting_or_set(session: &Session<impl Batches>, name: &str, value: &str) -> Step<String> {
    let db = &session.connection;
    if let Some(kept) = setting(db, name)? {
        return Ok(kept);
    }
    // The key refuses it to the second of two that found none, and the lane has that one look again.
    execute(db, sql!("setting_add"), &[(":name", &name), (":value", &value)])?;
    Ok(value.to_owned())
}

/// See [`crate::Store::set_setting`].
pub(crate) fn set_setting(session: &Session<impl Batches>, name: &str, value: &str) -> Step<()> {
    execute(&session.connection, sql!("set_setting", mysql), &[(":name", &name), (":value", &value)])?;
    Ok(())
}

/// See [`crate::Store::lost_through`].
pub(crate) fn lost_through(db: &dyn Db) -> Step<Vec<Timestamp>> {
    let through = read(db, sql!("lost_through"), &[], |row| row.get::<String>(1))?;
    Ok(through.iter().filter_map(|value| lost_instant(value)).collect())
}
