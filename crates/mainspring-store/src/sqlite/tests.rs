//! The conformance suite on SQLite.

mod backfills;
mod calls;
mod faults;
mod high_water;
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
    let connection = open::writer(&folder.path().join("test.db"), false).unwrap().0;
    crate::sql::tests::unused_process_starts_are_forgotten(&mut crate::sql::session::Session::new(connection));
}

#[test]
fn what_is_left_of_deleted_jobs_goes_in_slices() {
    let folder = tempfile::tempdir().unwrap();
    let session = crate::sql::session::Session::new(open::writer(&folder.path().join("test.db"), false).unwrap().0);
    crate::sql::tests::remains::what_is_left_of_deleted_jobs_goes_in_slices(&session);
}

#[test]
fn what_is_left_to_runs_that_are_gone_goes_in_slices() {
    use crate::sql::db::{Sql, execute, read_one};
    let folder = tempfile::tempdir().unwrap();
    let session = crate::sql::session::Session::new(open::writer(&folder.path().join("test.db"), false).unwrap().0);
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
