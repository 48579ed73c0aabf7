//! Claims beside a snapshot that is held: the server keeps all that they leave behind.

use mainspring_core::batch::Queues;
use mainspring_core::cluster::ShardSet;
use mainspring_core::queue::floors::DEAD_MIN;
use tokio::runtime::Runtime;

use super::*;
use crate::conformance::kit::{Kit, TakeChanges, at};
use crate::sql::db::{ToSql, execute, read};
use crate::sql::tests::until;
use crate::sql::{Batches, queues};

/// Puts a run into a line. Its instant tells it from others.
fn queue(db: &Connection, line: &str, priority: i64, due_at: i64) {
    let sql = "INSERT INTO run (id, job_id, job_version, state, origin, gated, fire_time, due_at, created_at, attempt, \
               priority, queue) VALUES (gen_random_uuid(), 1, 1, 'queued', 'schedule', 0, 0, :due, 0, 0, :priority, \
               nullif(:line, 'default'))";
    let values: [(&str, &dyn ToSql); 3] = [(":due", &due_at), (":priority", &priority), (":line", &line)];
    execute(db, Sql::new(sql), &values).unwrap();
    db.commit().unwrap();
}

/// Leaves many dead rows of runs in three lines. They stay for as long as the session that is answered.
fn rot(url: &str) -> Connection {
    let (holder, filler) = (patient(url).0, session(url));
    holder.run_alone("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1").unwrap();
    filler.run_alone("ALTER TABLE run SET (autovacuum_enabled = false)").unwrap();
    for text in [
        format!(
            "INSERT INTO run (id, job_id, job_version, state, origin, gated, fire_time, due_at, created_at, attempt, \
             priority, queue) SELECT gen_random_uuid(), 1, 1, 'queued', 'schedule', 0, 0, n, 0, 0, 5, \
             CASE n % 3 WHEN 0 THEN NULL WHEN 1 THEN 'mail' ELSE 'mail#b' END FROM generate_series(1, {DEAD_MIN}) n"
        ),
        "DELETE FROM run".to_owned(),
    ] {
        filler.run_alone(&text).unwrap();
    }
    // A session that ends has told what it counted.
    drop(filler);
    let count = "SELECT pg_stat_get_dead_tuples('run'::regclass)";
    until(|| session(url).run_simple(count).unwrap()[0].parse::<u64>().unwrap() >= DEAD_MIN);
    holder
}

/// The entries of the queues' indexes that the transaction under way has passed.
fn passed(db: &Connection) -> i64 {
    let sql = "SELECT sum(pg_stat_get_xact_tuples_returned(name::regclass))::bigint \
               FROM unnest(ARRAY['run_queued', 'run_waiting', 'run_shared']) name";
    read_one(db, Sql::new(sql), &[], |row| row.get(0)).unwrap().unwrap()
}

/// The instants of the runs that a claim takes, and how many entries it passes.
fn claim(db: &Connection, queues: &Queues) -> (Vec<i64>, i64) {
    let before = passed(db);
    let runs = queues::claim((db, &crate::sql::task_labels::TaskLabels::default()), 1, queues, 9, at(0), 1).unwrap();
    let passed = passed(db) - before;
    db.commit().unwrap();
    let mut due: Vec<i64> = runs.into_iter().map(|run| run.due_at.as_millis()).collect();
    due.sort_unstable();
    (due, passed)
}

/// Looks at everything, once it is time to.
fn look(db: &Connection) {
    let looking = std::iter::repeat_with(|| db.known.begin()).flatten().next().unwrap();
    looking.look(db).unwrap();
    db.commit().unwrap();
    drop(looking);
    assert!(db.known.has_floors());
}

#[test]
fn claims_beside_an_old_snapshot_do_not_pass_what_they_have_left_behind() {
    let url = database();
    drop(PostgresStore::open(&url).unwrap());
    let _holder = rot(&url);
    let many = i64::try_from(DEAD_MIN).unwrap() / 3;
    for named in [Queues::All, Queues::Named(["default".into(), "mail".into()].into())] {
        let db = Connection::open(&url.parse().unwrap(), &tls::connector().unwrap(), ENGINE).unwrap();
        queue(&db, "default", 5, 100_000);
        let (due, first) = claim(&db, &named);
        assert_eq!(due, [100_000]);
        assert!(first >= many, "all are passed while nothing is known: {first}");

        for (number, line) in [(1, "default"), (2, "mail"), (3, "mail#b")] {
            queue(&db, line, 5, 100_000 + number);
        }
        look(&db);
        let (due, between) = claim(&db, &named);
        assert_eq!(due, [100_001, 100_002, 100_003]);
        assert!(between < 50, "{between}");
        // Of these lines it is known though nothing waited there.
        for (number, line) in [(4, "mail#b"), (5, "mail"), (6, "default")] {
            queue(&db, line, 5, 100_000 + number);
        }
        assert!(db.take_queued().unwrap());
        let (due, between) = claim(&db, &named);
        assert_eq!(due, [100_004, 100_005, 100_006]);
        assert!(between < 50, "{between}");
        let before = passed(&db);
        assert!(!db.take_queued().unwrap());
        assert!(passed(&db) - before < 50, "the look for queued runs");

        // Below the floor, and in a line that nobody has seen.
        queue(&db, "default", 9, 90_000);
        queue(&db, "default#new", 5, 100_007);
        let (due, between) = claim(&db, &named);
        assert!(due.is_empty() && between < 50, "{due:?} {between}");
        look(&db);
        assert!(db.take_queued().unwrap());
        assert_eq!(claim(&db, &named).0, [90_000, 100_007]);
    }
}

#[test]
fn what_is_set_for_queues_holds_for_claims_from_floors() {
    let url = database();
    drop(PostgresStore::open(&url).unwrap());
    let _holder = rot(&url);
    let db = Connection::open(&url.parse().unwrap(), &tls::connector().unwrap(), ENGINE).unwrap();
    for (number, line) in [(1, "default"), (2, "mail"), (3, "mail#b"), (4, "mail/@w")] {
        queue(&db, line, 5, 100_000 + number);
    }
    look(&db);
    db.run_alone("INSERT INTO queue (name, paused, used_us, revision, updated_at) VALUES ('mail', 1, 0, 1, 0)")
        .unwrap();
    let (due, between) = claim(&db, &Queues::All);
    assert_eq!(due, [100_001], "the queue was paused after the look");
    assert!(between < 50, "{between}");
    db.run_alone("UPDATE queue SET paused = 0").unwrap();
    let (due, between) = claim(&db, &Queues::All);
    assert_eq!(due, [100_002, 100_003]);
    assert!(between < 50, "{between}");
    // A worker's line is asked for by its name, whether or not it is known.
    for (number, line) in [(5, "mail/@w"), (6, "mail/@v")] {
        queue(&db, line, 5, 100_000 + number);
    }
    let named = Queues::Named(["mail/@v".into(), "mail/@w".into()].into());
    assert_eq!(claim(&db, &named).0, [100_004, 100_005, 100_006]);
    assert!(read(&db, Sql::new("SELECT 1 FROM run WHERE state = 'queued'"), &[], |_| Ok(())).unwrap().is_empty());
}

#[test]
fn store_looks_at_its_queues_by_itself_and_finds_what_waits_below_floors() {
    let url = database();
    drop(PostgresStore::open(&url).unwrap());
    let _holder = rot(&url);
    let store = Arc::new(PostgresStore::open(&url).unwrap());
    let runtime = Runtime::new().unwrap();
    let kit = runtime.block_on(Kit::new(store.clone()));
    let db = session(&url);
    let queued = || runtime.block_on(store.take_changes(kit.incarnation, ShardSet::ALL, 9)).unwrap().queued;
    for (priority, line) in [(5, "default"), (9, "default"), (5, "mail#new")] {
        // Each look is told to whoever claims or asks for changes, and both see to it that there is a next one.
        until(|| {
            let idle = !queued();
            idle && store.known.has_floors()
        });
        queue(&db, line, priority, 100_000);
        until(queued);
        assert_eq!(runtime.block_on(kit.claim(9, at(0))).len(), 1, "{line}, priority {priority}");
    }
}

/// The rows that each claim and each batch of fires updates are found without passing all of their versions, which stay for a snapshot.
#[test]
fn counters_are_found_beside_an_old_snapshot() {
    let url = database();
    drop(PostgresStore::open(&url).unwrap());
    let (holder, watch) = (patient(&url).0, session(&url));
    let answers = "INSERT INTO fire_batch (incarnation, slot, sequence, stale, blocked, placed) \
                   SELECT 1, n, 0, '', '', '' FROM generate_series(60, 70) n";
    watch.run_alone(answers).unwrap();
    watch.run_alone("INSERT INTO fence (incarnation, seq) VALUES (64, 0), (65, 0)").unwrap();
    holder.run_alone("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1").unwrap();
    watch
        .run_alone(
            "DO $$ BEGIN FOR n IN 1..6000 LOOP \
             UPDATE fire_batch SET sequence = n WHERE incarnation = 1 AND slot = 64; \
             UPDATE fence SET seq = n WHERE incarnation = 64; END LOOP; END $$",
        )
        .unwrap();
    // As in life, somebody cleans up in between, and cannot.
    watch.run_alone("VACUUM ANALYZE fence, fire_batch").unwrap();
    let db = Connection::open(&url.parse().unwrap(), &tls::connector().unwrap(), ENGINE).unwrap();
    let statements = [
        ("taken_read", "64, 1"),
        ("taken_keep", "7, '\\x00', 64, 1"),
        ("fence_lock", "64"),
        ("fence_step", "64, 6000"),
        ("fence_share", "64"),
    ];
    for (name, values) in statements {
        let (pages, plan) = pages(&db, name, values);
        assert!(pages < 20, "{plan:#?}");
    }
    let kept = "SELECT sequence FROM fire_batch WHERE slot IN (63, 64, 65) ORDER BY slot";
    assert_eq!(db.run_simple(kept).unwrap(), ["0", "7", "0"]);
    let kept = "SELECT seq FROM fence ORDER BY incarnation";
    assert_eq!(db.run_simple(kept).unwrap(), ["6001", "0"]);
    drop(holder);
}

/// Executes a statement, and answers how many pages it has found in memory, and its plan.
fn pages(db: &Connection, name: &str, values: &str) -> (u32, Vec<String>) {
    let text = connection::numbered(&crate::sql::tests::statements("postgres")[name], Lock::None);
    db.run_alone(&format!("PREPARE {name} AS {text}")).unwrap();
    let plan = db.run_simple(&format!("EXPLAIN (ANALYZE, BUFFERS) EXECUTE {name}({values})")).unwrap();
    let hit = |line: &String| line.split_once("shared hit=")?.1.split(' ').next()?.parse().ok();
    (plan.iter().find_map(hit).unwrap(), plan)
}

/// A vacuum that finds one run among many dead ones leaves behind that there is one in all those pages, and that reading all of an index costs
/// as much as a page.
#[test]
fn runs_are_claimed_and_ended_by_keys_where_a_vacuum_found_one() {
    let url = database();
    drop(PostgresStore::open(&url).unwrap());
    let _holder = rot(&url);
    let db = Connection::open(&url.parse().unwrap(), &tls::connector().unwrap(), ENGINE).unwrap();
    queue(&db, "default", 5, 100_000);
    session(&url).run_alone("VACUUM ANALYZE run").unwrap();
    let known =
        db.run_simple("SELECT relpages > 9 AND reltuples = 1 FROM pg_class WHERE oid = 'run'::regclass").unwrap();
    assert_eq!(known, ["t"]);
    let id = db.run_simple("SELECT id FROM run").unwrap().remove(0);
    // It does not run, so nothing ends.
    let end = format!("'{{{id}}}', '{{1}}', '{{succeeded}}', '{{1}}', '{{2}}', '{{succeeded}}'")
        + ", '{null}', '{null}', '{0}', '{null}', '{null}', '{null}', '{1}'";
    let statements = [
        ("claim_queue", "1, 1, 'default', 100000, 9".to_owned()),
        ("claim", "1, 1, 100000, 9".to_owned()),
        ("end_usual", end),
    ];
    for (name, values) in statements {
        db.run_alone("BEGIN").unwrap();
        let (pages, plan) = pages(&db, name, &values);
        assert!(pages < 100, "{name}: {plan:#?}");
        db.run_alone("ROLLBACK").unwrap();
    }
}
