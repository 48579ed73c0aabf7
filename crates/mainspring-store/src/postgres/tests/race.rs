//! Why ends of tasks are messages: with rows that say what a task still waits for, it is lost when two upstreams end together.
//!
//! What keeps it from that is in the conformance suite, as `child_of_two_that_end_together_is_queued_once`.

use super::*;

#[test]
fn rows_of_edges_lose_the_child_of_two_that_end_together() {
    let url = database();
    session(&url)
        .run_alone(
            "CREATE TABLE edge (parent text, child text, PRIMARY KEY (parent, child)); CREATE TABLE queue (task text)",
        )
        .unwrap();
    // The default, and the next stronger one. SERIALIZABLE refuses one of the two, and a retry then finds none left.
    for isolation in ["READ COMMITTED", "REPEATABLE READ"] {
        session(&url)
            .run_alone("DELETE FROM edge; DELETE FROM queue; INSERT INTO edge VALUES ('a', 'c'), ('b', 'c')")
            .unwrap();
        let [one, other] = [session(&url), session(&url)];
        for (session, parent) in [(&one, "a"), (&other, "b")] {
            session.run_alone(&format!("BEGIN ISOLATION LEVEL {isolation}")).unwrap();
            session.run_alone(&format!("DELETE FROM edge WHERE parent = '{parent}' AND child = 'c'")).unwrap();
        }
        for session in [&one, &other] {
            let left = session.run_simple("SELECT count(*) FROM edge WHERE child = 'c'").unwrap();
            assert_eq!(left, ["1"], "{isolation}: it does not see what the other one has removed");
            let queue = "INSERT INTO queue SELECT 'c' WHERE NOT EXISTS (SELECT 1 FROM edge WHERE child = 'c')";
            session.run_alone(queue).unwrap();
        }
        [&one, &other].into_iter().for_each(|session| session.run_alone("COMMIT").unwrap());
        let after = session(&url).run_simple("SELECT count(*) FROM edge UNION ALL SELECT count(*) FROM queue").unwrap();
        assert_eq!(after, ["0", "0"], "{isolation}: nothing is waited for, and nobody has queued it");
    }
}
