//! The conformance suite on SQLite.

mod backfills;
mod calls;
mod faults;
mod parts;
mod power;
mod reruns;
mod unknown;

use std::sync::Arc;

use super::*;
use crate::store::Store;

/// A store in a folder of its own, kept until the test ends.
fn empty() -> Arc<dyn Store> {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("test.db"), Options::default()).unwrap();
    // Unlinked while open: nothing is left behind, whatever the test does.
    drop(folder);
    Arc::new(store)
}

crate::conformance_suite!(async || empty());

#[test]
fn answers_are_those_of_the_reference_model() {
    crate::conformance::differential(64, async || empty());
}

#[test]
fn unused_process_starts_are_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let connection = open::writer(&folder.path().join("test.db")).unwrap();
    crate::sql::tests::unused_process_starts_are_forgotten(&mut crate::sql::session::Session::new(connection));
}

#[test]
fn data_that_a_run_leaves_to_a_deleted_job_is_forgotten() {
    use crate::sql::db::{Sql, ToSql, execute, read_one};
    let folder = tempfile::tempdir().unwrap();
    let session = crate::sql::session::Session::new(open::writer(&folder.path().join("test.db")).unwrap());
    let job =
        "INSERT INTO job (id, namespace, name, shard, version, change, paused, created_at, updated_at, deleted_at)
        VALUES (:id, 'default', :name, 0, 1, 1, 0, 0, 0, :deleted_at)";
    for (id, name, deleted_at) in [(1, "there", None), (2, "deleted", Some(9_i64))] {
        let values: [(&str, &dyn ToSql); 3] = [(":id", &id), (":name", &name), (":deleted_at", &deleted_at)];
        execute(&session.connection, Sql::new(job), &values).unwrap();
    }
    let data = "INSERT INTO job_data (job_id, data, revision, changed_at) VALUES (1, '{}', 1, 0), (2, '{}', 1, 0), (3, '{}', 1, 0)";
    execute(&session.connection, Sql::new(data), &[]).unwrap();
    let at = mainspring_core::Timestamp::UNIX_EPOCH;
    let rule = crate::row::PurgeRule {
        at,
        history_before: at,
        history_keep_per_job: None,
        events_before: at,
        tombstones_before: at,
        limit: 9,
    };
    assert_eq!(crate::sql::purge::purge_rest(&session, &rule, 9).unwrap(), 2);
    let left = read_one(&session.connection, Sql::new("SELECT job_id FROM job_data"), &[], |row| row.get::<i64>(0));
    assert_eq!(left.unwrap(), Some(1));
}

#[test]
fn what_is_left_to_runs_that_are_gone_goes_in_slices() {
    use crate::sql::db::{Sql, execute, read_one};
    let folder = tempfile::tempdir().unwrap();
    let session = crate::sql::session::Session::new(open::writer(&folder.path().join("test.db")).unwrap());
    let numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)";
    for table in ["workflow_inbox", "deadline_miss"] {
        let text = format!("{numbers} INSERT INTO {table} (run_id) SELECT CAST(printf('%016d', i) AS BLOB) FROM n");
        execute(&session.connection, Sql::new(text.leak()), &[]).unwrap();
    }
    let text = format!(
        "{numbers} INSERT INTO workflow_await (run_id, task, namespace, upstream, of_task, first_date, last_date, request)
            SELECT CAST(printf('%016d', i) AS BLOB), 0, 'default', 'ingest', '', 0, 0, '{{}}' FROM n"
    );
    execute(&session.connection, Sql::new(text.leak()), &[]).unwrap();
    let count = |table| {
        let row = |row: &crate::sql::db::Row<'_>| row.get::<i64>(0);
        read_one(&session.connection, Sql::new(table), &[], row).unwrap().unwrap()
    };
    let at = mainspring_core::Timestamp::from_millis(1 << 47);
    let rule = crate::row::PurgeRule {
        at,
        history_before: at,
        history_keep_per_job: None,
        events_before: mainspring_core::Timestamp::UNIX_EPOCH,
        tombstones_before: mainspring_core::Timestamp::UNIX_EPOCH,
        limit: 400,
    };
    for left in [200, 0] {
        crate::sql::purge::purge_rest(&session, &rule, 400).unwrap();
        assert_eq!(count("SELECT COUNT(*) FROM workflow_inbox"), left);
        let slices = crate::sql::purge::find(&session.connection, &rule).unwrap().slices();
        let before = count("SELECT COUNT(*) FROM deadline_miss");
        for slice in slices {
            let rows = || ["SELECT COUNT(*) FROM deadline_miss", "SELECT COUNT(*) FROM workflow_await"].map(&count);
            let there = rows();
            slice.delete(&session).unwrap();
            assert!(there.iter().zip(rows()).all(|(there, left)| there - left <= 250), "a slice is short");
        }
        assert_eq!(count("SELECT COUNT(*) FROM workflow_await"), left, "as many as the rule says");
        assert_eq!((before, count("SELECT COUNT(*) FROM deadline_miss")), (if left == 0 { 200 } else { 600 }, left));
    }
}
