//! Reads tables of databases that other programs keep.

use std::time::Duration;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, OptsBuilder, Row, Value};

use super::{address, shown};
use crate::error::{Error, Result, causes};

/// How long the server may take to answer at all.
const CONNECT: Duration = Duration::from_secs(10);
/// What is read is of one moment. Instants are in UTC, as in dumps.
const BEGIN: &str = "SET time_zone = '+00:00'; SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ; \
                     START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY";
const COLUMNS: &str = "SELECT table_name, column_name, column_type FROM information_schema.columns \
                       WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position";

/// A table of another program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignTable {
    /// Its name.
    pub name: String,
    /// The names of its columns, with their types.
    pub columns: Vec<(String, String)>,
    /// Its rows: a text for each column, or nothing where it is null.
    pub rows: Vec<Vec<Option<String>>>,
}

/// Which rows of a table are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// None: the table does not matter.
    Nothing,
    /// All rows.
    All,
    /// Rows whose column has this text or one behind it: a time, as the server writes it.
    Since(&'static str, String),
}

/// Reads tables of the database at `url` (`mysql://user:password@host/database`) as they are at one moment, and changes nothing.
/// `wanted` says which, by name, and which of their rows. `password` stands in place of the one in the address.
///
/// # Errors
/// [`Error::Unusable`] if the address is wrong, the server cannot be reached or refuses, or a value is no text.
pub async fn read_tables(
    url: &str,
    password: Option<&str>,
    wanted: impl Fn(&str) -> Wanted,
) -> Result<Vec<ForeignTable>> {
    let named = |store: String, why: String| Error::Unusable { store, why };
    let opts = address(url).map_err(|why| named("mysql".to_owned(), format!("its address is wrong: {why}")))?;
    let name = shown(&opts);
    let opts = match password {
        Some(password) => OptsBuilder::from_opts(opts).pass(Some(password)).into(),
        None => opts,
    };
    let connected = tokio::time::timeout(CONNECT, Conn::new(opts)).await;
    let unusable = |error: mysql_async::Error| named(name.clone(), causes(&error));
    let mut connection =
        connected.map_err(|_| named(name.clone(), "it does not answer".to_owned()))?.map_err(unusable)?;
    let tables = read(&mut connection, wanted).await.map_err(unusable)?;
    connection.disconnect().await.map_err(unusable)?;
    tables.into_iter().map(|(table, rows)| texts(table, rows).map_err(|why| named(name.clone(), why))).collect()
}

/// The tables without rows, and the rows.
async fn read(
    connection: &mut Conn,
    wanted: impl Fn(&str) -> Wanted,
) -> std::result::Result<Vec<(ForeignTable, Vec<Row>)>, mysql_async::Error> {
    connection.query_drop(BEGIN).await?;
    let mut tables: Vec<ForeignTable> = Vec::new();
    for (table, column, kind) in connection.query::<(String, String, String), _>(COLUMNS).await? {
        if wanted(&table) == Wanted::Nothing {
            continue;
        }
        if tables.last().is_none_or(|last| last.name != table) {
            tables.push(ForeignTable { name: table, columns: Vec::new(), rows: Vec::new() });
        }
        tables.last_mut().into_iter().for_each(|last| last.columns.push((column.clone(), kind.clone())));
    }
    let mut read = Vec::with_capacity(tables.len());
    for table in tables {
        let quoted = |name: &str| format!("`{}`", name.replace('`', "``"));
        let columns: Vec<String> = table.columns.iter().map(|(column, _)| quoted(column)).collect();
        let rest = match wanted(&table.name) {
            Wanted::Since(column, from) => format!(" WHERE {} >= '{}'", quoted(column), from.replace(['\'', '\\'], "")),
            Wanted::All | Wanted::Nothing => String::new(),
        };
        let text = format!("SELECT {} FROM {}{rest}", columns.join(", "), quoted(&table.name));
        let rows = connection.query(text).await?;
        read.push((table, rows));
    }
    Ok(read)
}

/// The rows as texts: the server sends no others where nothing is prepared.
fn texts(table: ForeignTable, rows: Vec<Row>) -> std::result::Result<ForeignTable, String> {
    let text = |value: Value| match value {
        Value::NULL => Ok(None),
        Value::Bytes(bytes) => {
            String::from_utf8(bytes).map(Some).map_err(|_| format!("{} has a value that is no text", table.name))
        }
        other => Ok(Some(other.as_sql(true).trim_matches('\'').to_owned())),
    };
    let rows = rows.into_iter().map(|row| row.unwrap().into_iter().map(text).collect());
    let rows = rows.collect::<std::result::Result<_, String>>()?;
    Ok(ForeignTable { rows, ..table })
}
