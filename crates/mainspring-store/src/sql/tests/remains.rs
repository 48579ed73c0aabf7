//! What deleted jobs leave behind goes a few rows at a time.

use crate::conformance::kit::at;
use crate::row::PurgeRule;
use crate::sql::db::{Sql, execute, read};
use crate::sql::session::Session;
use crate::sql::{Batches, purge};

/// As many jobs that are gone as two rounds take, each with data and a lane.
const GONE: i64 = 600;

/// Data and lanes of jobs that are gone are deleted in requests of 250, up to the limit of the round. Those of jobs that are
/// there, and the row that counts changes of lanes, stay.
pub(crate) fn what_is_left_of_deleted_jobs_goes_in_slices(session: &Session<impl Batches>) {
    let db = &session.connection;
    let add = |text: String| execute(db, Sql::new(text.leak()), &[]).unwrap();
    for (id, deleted_at) in [(1, "NULL"), (2, "9")] {
        add(format!(
            "INSERT INTO job (id, namespace, name, shard, version, \"change\", paused, created_at, updated_at, deleted_at)
            VALUES ({id}, 'default', 'job-{id}', 0, 1, 1, 0, 0, 0, {deleted_at})"
        ));
    }
    // Job 2 is deleted, and those after it never were.
    let rows = |row: fn(i64) -> String| (1..=GONE + 1).map(row).collect::<Vec<_>>().join(", ");
    let data = rows(|job| format!("({job}, '{{}}', 1, 0)"));
    add(format!("INSERT INTO job_data (job_id, data, revision, changed_at) VALUES {data}"));
    let lanes = rows(|job| format!("({job}, 'slow', '', {job})"));
    add(format!("INSERT INTO job_lane (job_id, lane, line, changed) VALUES {lanes}"));
    let jobs = |text| read(db, Sql::new(text), &[], |row| row.get::<i64>(0)).unwrap();
    let data = || jobs("SELECT job_id FROM job_data ORDER BY job_id");
    let lanes = || jobs("SELECT job_id FROM job_lane ORDER BY job_id");
    let rule = PurgeRule {
        at: at(0),
        history_before: at(0),
        history_keep_per_job: None,
        events_before: at(0),
        tombstones_before: at(0),
        limit: 400,
    };
    for (went, left) in [(400, 200), (200, 0)] {
        let mut count = 0;
        for slice in purge::find(db, &rule).unwrap().slices() {
            let there = [data().len(), lanes().len()];
            count += slice.delete(session).unwrap();
            let are_short = [data().len(), lanes().len()].iter().zip(there).all(|(left, there)| there - left <= 250);
            assert!(are_short, "a request is short");
        }
        count += purge::purge_rest(session, &rule, 400).unwrap();
        assert_eq!(count, went, "data counts");
        assert_eq!((data().len(), lanes().len()), (left + 1, left + 2));
    }
    assert_eq!((data(), lanes()), (vec![1], vec![0, 1]));
}
