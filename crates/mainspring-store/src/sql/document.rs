//! Documents that the server keeps for itself.

use mainspring_core::Timestamp;

use super::Batches;
use super::db::{Db, Row, Step, ToSql, execute, instant, maybe_instant, read, read_one, sql};
use super::session::Session;
use crate::document::{Document, DocumentChange, DocumentExpect, EVENTS_PLACE, conflict};

/// See [`crate::Store::put_document`].
pub(crate) fn put(
    session: &Session<impl Batches>,
    document: &Document,
    expect: DocumentExpect,
) -> Step<Option<Document>> {
    let db = &session.connection;
    let expired: [(&str, &dyn ToSql); 2] = [(":kind", &document.kind), (":at", &document.at.as_millis())];
    execute(db, sql!("document_expire"), &expired)?;
    let there = get(db, &document.kind, &document.name, document.at)?.map(|there| there.version);
    if !expect.admits(there) {
        return Ok(None);
    }
    let (before, version) = (there.unwrap_or(0), there.unwrap_or(0) + 1);
    let (at, expires_at) = (document.at.as_millis(), document.expires_at.map(Timestamp::as_millis));
    let name: [(&str, &dyn ToSql); 2] = [(":kind", &document.kind), (":name", &document.name)];
    let rest: [(&str, &dyn ToSql); 4] =
        [(":body", &document.body), (":version", &version), (":at", &at), (":expires_at", &expires_at)];
    // Zero rows: somebody else was faster.
    let count = match there {
        None => execute(db, sql!("document_add", mysql), &[&name[..], &rest].concat())?,
        Some(_) => execute(db, sql!("document_set"), &[&rest[..], &name, &[(":before", &before)]].concat())?,
    };
    Ok((count == 1).then(|| Document { version, ..document.clone() }))
}

/// See [`crate::Store::change_documents`]. An error undoes what was done before it.
pub(crate) fn change(session: &Session<impl Batches>, changes: &[DocumentChange]) -> Step<()> {
    for change in changes {
        match change {
            DocumentChange::Put(document, expect) => {
                put(session, document, *expect)?.ok_or_else(|| conflict(&document.kind, &document.name))?;
            }
            DocumentChange::Remove { kind, name, version } => {
                let values: [(&str, &dyn ToSql); 3] = [(":kind", kind), (":name", name), (":version", version)];
                if execute(&session.connection, sql!("document_remove_version"), &values)? == 0 {
                    return Err(conflict(kind, name).into());
                }
            }
        }
    }
    Ok(())
}

/// Up to which event everybody has read who keeps a place among them, if anybody does.
pub(crate) fn events_place(db: &dyn Db) -> Step<Option<i64>> {
    let places = read(db, sql!("document_bodies"), &[(":kind", &EVENTS_PLACE)], |row| row.get::<String>(0))?;
    Ok(places.iter().filter_map(|place| place.parse().ok()).min())
}

/// See [`crate::Store::document`].
pub(crate) fn get(db: &dyn Db, kind: &str, name: &str, at: Timestamp) -> Step<Option<Document>> {
    let values: [(&str, &dyn ToSql); 3] = [(":kind", &kind), (":name", &name), (":at", &at.as_millis())];
    read_one(db, sql!("document"), &values, row)
}

/// See [`crate::Store::documents`].
pub(crate) fn list(db: &dyn Db, kind: &str, after: Option<&str>, at: Timestamp, limit: u32) -> Step<Vec<Document>> {
    let after = after.unwrap_or("");
    let values: [(&str, &dyn ToSql); 4] =
        [(":kind", &kind), (":after", &after), (":at", &at.as_millis()), (":limit", &limit)];
    read(db, sql!("documents"), &values, row)
}

/// See [`crate::Store::remove_document`].
pub(crate) fn remove(session: &Session<impl Batches>, kind: &str, name: &str) -> Step<bool> {
    Ok(execute(&session.connection, sql!("document_remove"), &[(":kind", &kind), (":name", &name)])? == 1)
}

fn row(row: &Row<'_>) -> Step<Document> {
    Ok(Document {
        kind: row.get(0)?,
        name: row.get(1)?,
        body: row.get(2)?,
        version: row.get(3)?,
        at: instant(row, 4)?,
        expires_at: maybe_instant(row, 5)?,
    })
}
