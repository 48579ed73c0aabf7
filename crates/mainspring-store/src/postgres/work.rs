//! What a database has done so far, for benchmarks: told by the server, not by those who asked for it.

use tokio_postgres::Config;

use super::connection::Connection;
use super::{COUNT, shown, tls};
use crate::error::{Error, Result};
use crate::sql::db::{Fault, Sql, Step, read_one};
use crate::sql::lane::Server;

/// The counters of one database.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Work {
    /// Committed transactions.
    pub commits: u64,
    /// Executed statements, those that begin and commit transactions included.
    pub statements: u64,
    /// Other sessions. Their last transactions are counted for certain when they have ended.
    pub sessions: u64,
}

/// Reads the counters of the database at `url`. Blocks.
///
/// # Errors
/// [`Error::Unusable`] if the server cannot be reached, or does not count statements.
pub fn work(url: &str) -> Result<Work> {
    let config: Config = url
        .parse()
        .map_err(|error| unusable("postgres", format!("its address is wrong: {}", crate::causes(&error))))?;
    let name = shown(&config);
    let tls = tls::connector().map_err(|why| unusable(&name, why))?;
    let counted =
        Connection::open(&config, &tls, super::Purpose { read_only: false, ..COUNT }).and_then(|db| count(&db));
    counted.map_err(|fault: Fault| unusable(&name, fault.unopened()))
}

fn count(db: &Connection) -> Step<Work> {
    db.run_text("CREATE EXTENSION IF NOT EXISTS pg_stat_statements SCHEMA public")?;
    db.commit()?;
    let sql = Sql::new(include_str!("../../queries/postgres/work.sql"));
    let read = |row: &crate::sql::db::Row<'_>| Ok([row.get::<i64>(0)?, row.get::<i64>(1)?, row.get::<i64>(2)?]);
    let [commits, statements, sessions] = read_one(db, sql, &[], read)?.unwrap_or_default().map(i64::unsigned_abs);
    db.commit()?;
    Ok(Work { commits, statements, sessions })
}

fn unusable(store: &str, why: String) -> Error {
    Error::Unusable { store: store.to_owned(), why }
}
