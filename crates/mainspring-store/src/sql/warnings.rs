//! What of a database puts at risk what it keeps, or will stop it one day.

use mainspring_core::Timestamp;

use super::db::{Db, Row, Step, ToSql, read, sql};
use crate::row::StoreWarning;

/// A transaction that is older keeps the server from clearing up behind the engine.
const TRANSACTION_MAX_S: i64 = 300;

/// What a server says of itself.
#[derive(Debug, Default)]
pub(crate) struct Server {
    /// Settings by which it may lose what it has acknowledged, with their values.
    pub(crate) unsafe_settings: Vec<String>,
    /// Sessions that it admits; none if that is not known.
    pub(crate) sessions_max: Option<i64>,
    /// Nodes that share it.
    pub(crate) nodes: i64,
    /// How long its oldest transaction has been open; none if there is none, or this user may not see it.
    pub(crate) oldest_transaction_s: Option<i64>,
    /// Whether it writes on several servers at once.
    pub(crate) many_writers: bool,
}

impl Server {
    /// What people should hear of. `sessions` are those of one node.
    pub(crate) fn warnings(&self, sessions: usize) -> Vec<StoreWarning> {
        let mut found = Vec::new();
        let mut warn = |code, message: String, hint| found.push(StoreWarning { code, message, hint });
        if !self.unsafe_settings.is_empty() {
            let message = format!(
                "the server may lose what it has acknowledged when it or its machine fails: {}",
                self.unsafe_settings.join(", ")
            );
            warn(
                "store.not_durable",
                message,
                "set it as the server's default is, where work is not to be lost or repeated",
            );
        }
        let needed = self.nodes.max(1) * i64::try_from(sessions).unwrap_or(i64::MAX);
        if let Some(most) = self.sessions_max.filter(|most| needed * 10 > most * 8) {
            let message = format!("{} nodes need {needed} sessions, and the server admits {most}", self.nodes.max(1));
            warn("store.few_sessions", message, "raise max_connections: nodes should need at most 80 % of it");
        }
        if let Some(age) = self.oldest_transaction_s.filter(|age| *age > TRANSACTION_MAX_S) {
            let message = format!("a transaction has been open for {} minutes", age / 60);
            let hint = "end it: until then the server keeps every row that the engine has deleted, and becomes slower";
            warn("store.old_transaction", message, hint);
        }
        if self.many_writers {
            let message = "the server is part of a cluster that writes on several servers".to_owned();
            let hint = "give every node the address of the same server: a lock there is unknown to the others";
            warn("store.many_writers", message, hint);
        }
        found
    }
}

/// Triggers that are put aside.
pub(crate) fn aside(db: &dyn Db) -> Step<Option<StoreWarning>> {
    let rows = read(db, sql!("triggers_aside"), &[], |row: &Row<'_>| {
        let key = format!("{}/{}/{}", row.get::<&str>(0)?, row.get::<&str>(1)?, row.get::<&str>(2)?);
        Ok(format!("{key}: {}", row.get::<Option<&str>>(3)?.unwrap_or("no reason is known")))
    })?;
    Ok((!rows.is_empty()).then(|| StoreWarning {
        code: "trigger.error",
        message: format!("triggers cannot be evaluated and do not fire; {}", rows.join("; ")),
        hint: "mend what the reason says, and apply the job again",
    }))
}

/// See [`crate::Store::triggers_ahead`].
pub(crate) fn ahead(db: &dyn Db, after: Timestamp, limit: u32) -> Step<Vec<String>> {
    let values: [(&str, &dyn ToSql); 2] = [(":after", &after.as_millis()), (":limit", &limit)];
    read(db, sql!("triggers_ahead"), &values, |row: &Row<'_>| {
        Ok(format!("{}/{}/{}", row.get::<&str>(0)?, row.get::<&str>(1)?, row.get::<&str>(2)?))
    })
}

/// Tasks of workflows that nothing will go on with. None, unless something is broken.
pub(crate) fn stuck(tasks: u64) -> Option<StoreWarning> {
    (tasks > 0).then(|| StoreWarning {
        code: "workflow.stuck",
        message: format!("{tasks} tasks of workflows wait for runs that have ended, and would wait for ever"),
        hint: "mainspring doctor --repair tells them; then tell the makers: this is a bug",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_warned_of() {
        let well =
            || Server { sessions_max: Some(100), nodes: 3, oldest_transaction_s: Some(300), ..Server::default() };
        let cases: [(Server, usize, &[&str]); 8] = [
            (well(), 12, &[]),
            (Server { sessions_max: None, oldest_transaction_s: None, nodes: 99, ..well() }, 12, &[]),
            (Server { sessions_max: Some(45), ..well() }, 12, &[]),
            (Server { sessions_max: Some(44), ..well() }, 12, &["store.few_sessions"]),
            (Server { sessions_max: Some(14), nodes: 0, ..well() }, 12, &["store.few_sessions"]),
            (Server { oldest_transaction_s: Some(301), ..well() }, 12, &["store.old_transaction"]),
            (Server { many_writers: true, ..well() }, 12, &["store.many_writers"]),
            (Server { unsafe_settings: vec!["fsync=off".into()], ..well() }, 12, &["store.not_durable"]),
        ];
        for (server, sessions, expected) in cases {
            let codes: Vec<_> = server.warnings(sessions).iter().map(|warning| warning.code).collect();
            assert_eq!(codes, expected, "{server:?}");
        }
        let text = Server { unsafe_settings: vec!["fsync=off".into()], ..well() }.warnings(1)[0].message.clone();
        assert!(text.contains("fsync=off"), "{text}");
    }
}
