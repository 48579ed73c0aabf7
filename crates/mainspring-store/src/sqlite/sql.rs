//! Statements and values: from files to prepared statements, and between rows and the model's types.

use mainspring_core::{RunId, Timestamp};
use rusqlite::types::Type;
use rusqlite::{Row, Statement, ToSql};

use crate::error::Error;

/// The text of a statement, by its file below `queries/`.
macro_rules! sql {
    ($file:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/queries/", $file, ".sql"))
    };
}
pub(super) use sql;

/// Why a step of a request failed.
#[derive(Debug)]
pub(super) enum Fault {
    /// The request is answered with this, and undone.
    Refused(Error),
    /// SQLite could not do it.
    Sqlite(rusqlite::Error),
}

/// What a step of a request answers.
pub(super) type Step<T> = std::result::Result<T, Fault>;

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

/// Binds values in the order in which their names first stand in the statement.
///
/// The names are compared in debug builds only: looking them up costs as much as a step of the statement.
pub(super) fn bind(statement: &mut Statement<'_>, values: &[(&str, &dyn ToSql)]) -> rusqlite::Result<()> {
    debug_assert_eq!(statement.parameter_count(), values.len(), "each parameter has a value");
    for (index, (name, value)) in (1..).zip(values) {
        debug_assert_eq!(statement.parameter_name(index), Some(*name), "parameter {index}");
        statement.raw_bind_parameter(index, value)?;
    }
    Ok(())
}

/// Runs a statement of which only the number of rows counts.
pub(super) fn execute(
    connection: &rusqlite::Connection,
    sql: &str,
    values: &[(&str, &dyn ToSql)],
) -> rusqlite::Result<usize> {
    let mut statement = connection.prepare_cached(sql)?;
    bind(&mut statement, values)?;
    statement.raw_execute()
}

/// Reads all rows of a statement.
pub(super) fn read<T>(
    connection: &rusqlite::Connection,
    sql: &str,
    values: &[(&str, &dyn ToSql)],
    map: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    bind(&mut statement, values)?;
    statement.raw_query().mapped(map).collect()
}

/// Reads the first row of a statement, if there is one.
pub(super) fn read_one<T>(
    connection: &rusqlite::Connection,
    sql: &str,
    values: &[(&str, &dyn ToSql)],
    map: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Option<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    bind(&mut statement, values)?;
    statement.raw_query().next()?.map(map).transpose()
}

/// Whether a statement has a row.
pub(super) fn exists(
    connection: &rusqlite::Connection,
    sql: &str,
    values: &[(&str, &dyn ToSql)],
) -> rusqlite::Result<bool> {
    Ok(read_one(connection, sql, values, |_| Ok(()))?.is_some())
}

/// An instant as it is stored.
pub(super) fn millis(at: Option<Timestamp>) -> Option<i64> {
    at.map(Timestamp::as_millis)
}

pub(super) fn instant(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    row.get(column).map(Timestamp::from_millis)
}

pub(super) fn maybe_instant(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Timestamp::from_millis))
}

pub(super) fn run_id(row: &Row<'_>, column: usize) -> rusqlite::Result<RunId> {
    row.get(column).map(RunId::from_bytes)
}

pub(super) fn maybe_run_id(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<RunId>> {
    Ok(row.get::<_, Option<[u8; 16]>>(column)?.map(RunId::from_bytes))
}

/// A word of the model, such as a state.
pub(super) fn word<T>(row: &Row<'_>, column: usize, from_word: fn(&str) -> Option<T>) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    from_word(text).ok_or_else(|| unreadable(column, Type::Text, format!("`{text}` is no word of this program")))
}

pub(super) fn maybe_word<T>(
    row: &Row<'_>,
    column: usize,
    from_word: fn(&str) -> Option<T>,
) -> rusqlite::Result<Option<T>> {
    if row.get_ref(column)?.data_type() == Type::Null { Ok(None) } else { word(row, column, from_word).map(Some) }
}

/// A value that cannot be what it should be: written by a newer program, or damaged.
pub(super) fn unreadable(column: usize, kind: Type, why: String) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, kind, why.into())
}
