//! What the server's settings and transactions give reason to doubt.

use super::connection::Connection;
use crate::sql::db::{Db, Sql, Step, read, read_one};
use crate::sql::warnings::Server;

/// What a server says of itself.
pub(super) fn look(db: &Connection) -> Step<Server> {
    let off = Sql::new(
        "SELECT name || '=' || setting FROM pg_settings \
        WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name",
    );
    let limits = Sql::new(
        "SELECT current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint, \
        (SELECT count(*) FROM node)",
    );
    let (sessions_max, nodes) = read_one(db, limits, &[], |row| Ok((row.get(0)?, row.get(1)?)))?.unwrap_or_default();
    Ok(Server {
        unsafe_settings: read(db, off, &[], |row| row.get(0))?,
        sessions_max: Some(sessions_max),
        nodes,
        oldest_transaction_s: oldest(db)?,
        many_writers: false,
    })
}

/// Transactions of others are seen by those who may read all statistics.
pub(super) fn oldest(db: &dyn Db) -> Step<Option<i64>> {
    let sql = Sql::new(
        "SELECT CAST(extract(epoch FROM now() - LEAST( \
            (SELECT min(xact_start) FROM pg_stat_activity WHERE backend_xmin IS NOT NULL OR backend_xid IS NOT NULL), \
            (SELECT min(prepared) FROM pg_prepared_xacts))) AS BIGINT)",
    );
    Ok(read_one(db, sql, &[], |row| row.get(0))?.flatten())
}
