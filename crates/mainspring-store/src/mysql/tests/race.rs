//! Why ends of tasks are messages: with rows that say what a task still waits for, it is lost when two upstreams end together.
//!
//! What keeps it from that is in the conformance suite, as `child_of_two_that_end_together_is_queued_once`.

use super::*;

/// The numbers that a text answers.
fn numbers(session: &Connection, text: &str) -> Vec<i64> {
    let rows = session.run_simple(text).unwrap();
    rows.into_iter().map(|row| mysql_async::from_row::<(i64,)>(row).0).collect()
}

#[test]
fn rows_of_edges_lose_the_child_of_two_that_end_together() {
    let address = database();
    let setup = inside(&address);
    let tables = [
        "CREATE TABLE edge (parent VARCHAR(9), child VARCHAR(9), PRIMARY KEY (parent, child)) ENGINE = InnoDB",
        "CREATE TABLE queue (task VARCHAR(9)) ENGINE = InnoDB",
    ];
    tables.into_iter().for_each(|text| setup.run_text(text).unwrap());
    // The default, and the one that this store works with.
    for isolation in ["REPEATABLE READ", "READ COMMITTED"] {
        let rows =
            ["DELETE FROM edge", "DELETE FROM queue", "INSERT INTO edge VALUES ('a', 'c'), ('b', 'c')", "COMMIT"];
        rows.into_iter().for_each(|text| setup.run_text(text).unwrap());
        let [one, other] = [patient(&address), patient(&address)];
        for (session, parent) in [(&one, "a"), (&other, "b")] {
            session.run_text(&format!("SET SESSION TRANSACTION ISOLATION LEVEL {isolation}")).unwrap();
            session.run_text("BEGIN").unwrap();
            session.run_text(&format!("DELETE FROM edge WHERE parent = '{parent}' AND child = 'c'")).unwrap();
        }
        for session in [&one, &other] {
            let left = numbers(session, "SELECT COUNT(*) FROM edge WHERE child = 'c'");
            assert_eq!(left, [1], "{isolation}: it does not see what the other one has removed");
            // The program decides: none is left, or it queues nothing.
            if left == [0] {
                session.run_text("INSERT INTO queue VALUES ('c')").unwrap();
            }
        }
        [&one, &other].into_iter().for_each(|session| session.run_text("COMMIT").unwrap());
        let after = numbers(&setup, "SELECT COUNT(*) FROM edge UNION ALL SELECT COUNT(*) FROM queue");
        assert_eq!(after, [0, 0], "{isolation}: nothing is waited for, and nobody has queued it");
    }
}
