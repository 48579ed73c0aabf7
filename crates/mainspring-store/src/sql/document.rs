//! Documents that the server keeps for itself.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::Timestamp;
use serde_json::{Value, json};

use super::Batches;
use super::db::{Db, Row, Step, ToSql, execute, instant, maybe_instant, on_servers, read, read_one, sql};
use super::list::lists;
use super::session::Session;
use crate::document::{Document, DocumentChange, DocumentExpect, EVENTS_PLACE, conflict};

/// See [`crate::Store::put_document`].
pub(crate) fn put(
    session: &Session<impl Batches>,
    document: &Document,
    expect: DocumentExpect,
) -> Step<Option<Document>> {
    let db = &session.connection;
    expire(db, &document.kind, document.at)?;
    let there = get(db, &document.kind, &document.name, document.at)?.map(|there| there.version);
    if !expect.admits(there) {
        return Ok(None);
    }
    let version = there.unwrap_or(0) + 1;
    // Zero rows: somebody else was faster.
    let count = match there {
        None => insert(db, document)?,
        Some(before) => replace(db, document, before)?,
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

/// See [`crate::Store::add_documents`].
pub(crate) fn add<C: Batches>(session: &Session<C>, documents: &[Document]) -> Step<Vec<bool>> {
    let db = &session.connection;
    let latest: BTreeMap<&str, Timestamp> = documents.iter().map(|one| (one.kind.as_str(), one.at)).collect();
    for (kind, at) in latest {
        expire(db, kind, at)?;
    }
    if !C::LISTS {
        return documents.iter().map(|one| Ok(insert(db, one)? == 1)).collect();
    }
    let mut there = BTreeSet::new();
    for names in lists(documents.iter().map(|one| json!([one.kind, one.name]))) {
        let found = read(db, on_servers!("documents_there", postgres, mysql), &[(":names", &names)], |row| {
            Ok((row.get::<String>(0)?, row.get::<String>(1)?))
        })?;
        there.extend(found);
    }
    let is_new: Vec<bool> = documents.iter().map(|one| there.insert((one.kind.clone(), one.name.clone()))).collect();
    let new: Vec<&Document> =
        documents.iter().zip(&is_new).filter(|(_, is_new)| **is_new).map(|(one, _)| one).collect();
    let mut count: u64 = 0;
    for rows in lists(new.iter().map(|one| listed(one))) {
        count += execute(db, on_servers!("document_add_many", postgres, mysql), &[(":rows", &rows)])?;
    }
    match new.last() {
        Some(last) if count != new.len() as u64 => Err(conflict(&last.kind, &last.name).into()),
        _ => Ok(is_new),
    }
}

fn listed(one: &Document) -> Value {
    json!([one.kind, one.name, one.body, one.at.as_millis(), one.expires_at.map(Timestamp::as_millis)])
}

/// Keeps a document unless it is there.
pub(crate) fn note(db: &dyn Db, document: &Document) -> Step<()> {
    expire(db, &document.kind, document.at)?;
    insert(db, document).map(drop)
}

/// Removes documents of a kind whose time is over.
fn expire(db: &dyn Db, kind: &str, at: Timestamp) -> Step<()> {
    execute(db, sql!("document_expire"), &[(":kind", &kind), (":at", &at.as_millis())]).map(drop)
}

/// Keeps a document that is not there. Zero: it is.
fn insert(db: &dyn Db, document: &Document) -> Step<u64> {
    let expires_at = document.expires_at.map(Timestamp::as_millis);
    let values: [(&str, &dyn ToSql); 6] = [
        (":kind", &document.kind),
        (":name", &document.name),
        (":body", &document.body),
        (":version", &1_i64),
        (":at", &document.at.as_millis()),
        (":expires_at", &expires_at),
    ];
    execute(db, sql!("document_add", mysql), &values)
}

/// Writes a document over one of this version. Zero: it is not there any more.
fn replace(db: &dyn Db, document: &Document, before: i64) -> Step<u64> {
    let (at, expires_at) = (document.at.as_millis(), document.expires_at.map(Timestamp::as_millis));
    let values: [(&str, &dyn ToSql); 7] = [
        (":body", &document.body),
        (":version", &(before + 1)),
        (":at", &at),
        (":expires_at", &expires_at),
        (":kind", &document.kind),
        (":name", &document.name),
        (":before", &before),
    ];
    execute(db, sql!("document_set"), &values)
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
