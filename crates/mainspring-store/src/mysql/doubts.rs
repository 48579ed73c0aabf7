//! What the server's settings and transactions give reason to doubt.

use super::connection::Connection;
use crate::sql::db::{Fault, Sql, Step, read, read_one};
use crate::sql::warnings::Server;

/// What a server says of itself.
pub(super) fn look(db: &Connection) -> Step<Server> {
    let sql = Sql::new(
        "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('innodb_flush_log_at_trx_commit', 'innodb_doublewrite', \
        'sync_binlog', 'log_bin', 'max_connections', 'wsrep_on')",
    );
    let settings: Vec<(String, String)> = read(db, sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let nodes = read_one(db, Sql::new("SELECT COUNT(*) FROM node"), &[], |row| row.get(0))?.unwrap_or(0);
    Ok(Server { nodes, oldest_transaction_s: oldest(db)?, ..judge(&settings) })
}

fn judge(settings: &[(String, String)]) -> Server {
    let value = |name: &str| settings.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    let writes_log = value("log_bin") == Some("ON");
    let doubt = |name: &str, safe: &[&str]| {
        let value = value(name).filter(|value| !safe.contains(value))?;
        Some(format!("{name}={value}"))
    };
    let found = [
        doubt("innodb_flush_log_at_trx_commit", &["1"]),
        doubt("innodb_doublewrite", &["ON", "1", "DETECT_AND_RECOVER"]),
        doubt("sync_binlog", &["1"]).filter(|_| writes_log),
    ];
    Server {
        unsafe_settings: found.into_iter().flatten().collect(),
        sessions_max: value("max_connections").and_then(|value| value.parse().ok()),
        many_writers: value("wsrep_on") == Some("ON"),
        ..Server::default()
    }
}

/// Who may not look at the processes of others is told nothing.
pub(super) fn oldest(db: &Connection) -> Step<Option<i64>> {
    const DENIED: u16 = 1227;
    let sql = Sql::new(
        "SELECT CAST(MAX(TIMESTAMPDIFF(SECOND, trx_started, NOW())) AS SIGNED) FROM information_schema.innodb_trx",
    );
    match read_one(db, sql, &[], |row| row.get(0)) {
        Err(Fault::Mysql(mysql_async::Error::Server(error))) if error.code == DENIED => Ok(None),
        answer => Ok(answer?.flatten()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_lose_commits_and_clusters_of_writers_are_seen() {
        let judged = |changed: &[(&str, &str)]| {
            let usual = [
                ("innodb_flush_log_at_trx_commit", "1"),
                ("innodb_doublewrite", "ON"),
                ("sync_binlog", "0"),
                ("log_bin", "OFF"),
                ("max_connections", "151"),
                ("wsrep_on", "OFF"),
            ];
            let value = |name: &str, value: &str| {
                changed.iter().find(|(known, _)| *known == name).map_or(value, |(_, value)| *value).to_owned()
            };
            judge(&usual.map(|(name, usual)| (name.to_owned(), value(name, usual))))
        };
        let well = judged(&[]);
        assert!(well.unsafe_settings.is_empty() && !well.many_writers);
        assert_eq!(well.sessions_max, Some(151));
        assert_eq!(judged(&[("log_bin", "ON")]).unsafe_settings, ["sync_binlog=0"]);
        assert_eq!(
            judged(&[("innodb_flush_log_at_trx_commit", "2")]).unsafe_settings,
            ["innodb_flush_log_at_trx_commit=2"]
        );
        assert_eq!(judged(&[("innodb_doublewrite", "OFF")]).unsafe_settings, ["innodb_doublewrite=OFF"]);
        assert!(judged(&[("wsrep_on", "ON")]).many_writers);
    }
}
