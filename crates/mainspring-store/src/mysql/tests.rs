//! The store against a real server, whose address is in `MAINSPRING_TEST_MYSQL`.

mod plans;
mod race;

use std::sync::atomic::{AtomicU64, Ordering};

use mainspring_core::Incarnation;
use mainspring_core::job::Overlap;
use mainspring_core::run::Verdict;

use super::*;
use crate::conformance::kit::{Draft, Kit, asked, at};
use crate::conformance_suite;
use crate::key::{Claimed, KeyClaim};
use crate::sql::db::{Row, sql};
use crate::sql::lane::Server;
use crate::store::Store;

/// Makes an empty database and opens it.
async fn empty() -> Arc<dyn Store> {
    Arc::new(opened().await.0)
}

/// Makes an empty database and opens it. Answers its address too.
async fn opened() -> (MysqlStore, String) {
    let open = || {
        let address = database();
        (MysqlStore::open(&address).unwrap(), address)
    };
    blocking(open).await
}

/// Runs what waits for a server itself.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap()
}

/// Makes a database. Answers its address.
fn database() -> String {
    tokio::runtime::Runtime::new().unwrap().block_on(crate::conformance::kit::mysql())
}

/// A session that works in a database.
fn inside(address: &str) -> Connection {
    session(super::address(address).unwrap())
}

/// A session that may stay in a transaction for as long as it likes.
fn patient(address: &str) -> Connection {
    let session = inside(address);
    session.run_text("SET SESSION wait_timeout = 60 /*M! , SESSION idle_transaction_timeout = 0 */").unwrap();
    session
}

fn session(opts: Opts) -> Connection {
    Connection::open(&opts, Purpose::Write(Duration::from_secs(60))).unwrap()
}

/// Closes all sessions that work in a database.
fn kill_sessions(address: &str) {
    let (address, name) = address.rsplit_once('/').unwrap();
    let server = session(Opts::from_url(address).unwrap());
    let sessions = Sql::new("SELECT CAST(id AS SIGNED) FROM information_schema.processlist WHERE db = :name");
    for id in read(&server, sessions, &[(":name", &name)], |row| row.get::<i64>(0)).unwrap() {
        server.run_text(&format!("KILL {id}")).unwrap();
    }
}

/// Writes a setting, and locks it until the transaction ends.
fn write(db: &Connection, name: &str) -> Step<u64> {
    db.execute(sql!("set_setting", mysql), &[(":name", &name), (":value", &"there")])
}

conformance_suite!(empty);
crate::cluster_suite!(empty);

#[test]
fn answers_like_the_reference() {
    crate::conformance::differential(16, empty);
}

#[test]
fn servers_that_are_too_old_are_refused_by_name() {
    let cases = [
        ("10.11.14-MariaDB-0+deb12u2", None),
        ("10.6.0-MariaDB", None),
        ("10.5.26-MariaDB", Some("MariaDB 10.5.26-MariaDB; 10.6.0")),
        ("8.0.13", None),
        ("8.4.3-commercial", None),
        ("8.0.12", Some("MySQL 8.0.12; 8.0.13")),
        ("5.7.44-log", Some("MySQL 5.7.44-log; 8.0.13")),
    ];
    for (version, expected) in cases {
        let verdict = judge_version(version);
        match expected {
            None => assert_eq!(verdict, Ok(()), "{version}"),
            Some(text) => assert!(verdict.unwrap_err().contains(text), "{version}"),
        }
    }
}

#[tokio::test]
async fn sessions_that_the_server_closed_are_replaced_unnoticed() {
    let (store, address) = opened().await;
    // A lane with one session.
    let again = async |name: &'static str| {
        store.lanes.logs.call("test", move |session| write(&session.connection, name)).await.unwrap();
        store
            .lanes
            .engine_reads
            .call("test", |session| exists(&session.connection, sql!("setting"), &[(":name", &"a")]))
            .await
    };
    assert!(again("a").await.unwrap());
    blocking(move || kill_sessions(&address)).await;
    assert!(again("b").await.unwrap());
    assert!(store.setting("b").await.unwrap().is_some());
}

#[tokio::test]
async fn commit_without_an_answer_is_told_and_not_repeated() {
    let (store, address) = opened().await;
    let (tries, tried) = std::sync::mpsc::channel();
    let work = move |session: &mut Session<Connection>| {
        tries.send(()).unwrap();
        write(&session.connection, "a")?;
        kill_sessions(&address);
        Ok(())
    };
    let error = store.lanes.requests.call("test", work).await.unwrap_err();
    let Error::Unavailable { source, .. } = error else { panic!("{error}") };
    assert!(source.to_string().contains("may have been kept"), "{source}");
    assert_eq!(tried.try_iter().count(), 1);
}

#[tokio::test]
async fn transaction_that_waited_for_a_lock_in_vain_is_undone_and_repeated_whole() {
    let (store, address) = opened().await;
    let (tries, tried) = std::sync::mpsc::channel();
    let (lock, locked) = tokio::sync::oneshot::channel();
    // Holds the lock until the second try.
    let holder = tokio::task::spawn_blocking(move || {
        let other = patient(&address);
        write(&other, "held").unwrap();
        lock.send(()).unwrap();
        while tried.recv().unwrap() == 1 {}
        other.roll_back().unwrap();
    });
    locked.await.unwrap();
    let mut count = 0;
    let work = move |session: &mut Session<Connection>| {
        count += 1;
        tries.send(count).unwrap();
        let db = &session.connection;
        db.run_text("SET SESSION innodb_lock_wait_timeout = 1")?;
        write(db, &format!("try {count}"))?;
        write(db, "held")?;
        Ok(count)
    };
    let last = store.lanes.requests.call("test", work).await.unwrap();
    holder.await.unwrap();
    assert!(last > 1);
    assert_eq!(store.setting("try 1").await.unwrap(), None);
    assert!(store.setting(&format!("try {last}")).await.unwrap().is_some());
}

#[tokio::test]
async fn client_that_stops_holds_its_locks_for_no_longer_than_seconds() {
    let (_store, address) = opened().await;
    let work = move || {
        let (stopped, heir) = (inside(&address), inside(&address));
        write(&stopped, "held").unwrap();
        heir.run_text("SET SESSION innodb_lock_wait_timeout = 30").unwrap();
        write(&heir, "held").unwrap();
        heir.commit().unwrap();
        assert!(stopped.commit().is_err(), "what it did is undone");
    };
    blocking(work).await;
}

#[tokio::test]
async fn rows_that_stay_as_they_are_count_as_found() {
    let (_store, address) = opened().await;
    let work = move || {
        let db = inside(&address);
        write(&db, "a").unwrap();
        let same = Sql::new("UPDATE setting SET value = value WHERE name = :name");
        assert_eq!(db.execute(same, &[(":name", &"a")]).unwrap(), 1);
        assert_eq!(db.execute(same, &[(":name", &"A")]).unwrap(), 0);
    };
    blocking(work).await;
}

#[tokio::test]
async fn interrupted_migration_is_finished_by_the_next_start() {
    let (store, address) = opened().await;
    store.close().await.unwrap();
    let again = move || {
        let db = inside(&address);
        db.run_text("DELETE FROM migration; DROP TABLE idempotency_key; COMMIT").unwrap();
        MysqlStore::open(&address).unwrap()
    };
    let store = blocking(again).await;
    let key = "key".to_owned();
    let claim = KeyClaim { key, request_hash: [0; 32], by: Incarnation(1), at: at(0), lapse_ms: 0 };
    assert_eq!(store.claim_key(claim).await.unwrap(), Claimed::Yours { since: at(0), again: false });
}

#[tokio::test]
async fn step_of_the_schema_waits_for_a_lock() {
    let (store, address) = opened().await;
    store.close().await.unwrap();
    let work = move || {
        let reader = inside(&address);
        reader.run_text("DELETE FROM migration WHERE number > 1; COMMIT").unwrap();
        reader.run_text("ALTER TABLE job_trigger DROP COLUMN error").unwrap();
        let free = "SET /*M! SESSION idle_transaction_timeout = 0, */ SESSION wait_timeout = 600";
        reader.run_text(free).unwrap();
        reader.run_text("SELECT COUNT(*) FROM job_trigger").unwrap();
        let upgrade = std::thread::spawn({
            let address = address.clone();
            move || MysqlStore::open(&address).map(|_| ())
        });
        let watch = inside(&address);
        let waits = "SELECT 1 FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE 'ALTER TABLE%' \
                     AND state LIKE 'Waiting for%'";
        let waits = || exists(&watch, Sql::new(waits), &[]).unwrap();
        // It waits, gives up, and waits again.
        for waiting in [true, false, true] {
            while waits() != waiting {
                assert!(!upgrade.is_finished(), "it cannot have changed the table");
            }
        }
        drop(reader);
        upgrade.join().unwrap().unwrap();
    };
    blocking(work).await;
}

/// The servers of tests do not wait for the disk.
#[tokio::test]
async fn server_that_may_lose_commits_is_warned_of() {
    let (store, _) = opened().await;
    let warnings = store.warnings().await.unwrap();
    let found = warnings.iter().find(|warning| warning.code == "store.not_durable").unwrap();
    assert!(found.message.contains("innodb_flush_log_at_trx_commit="), "{found:?}");
}

#[tokio::test]
async fn database_of_a_newer_version_is_refused_and_left_alone() {
    let (store, address) = opened().await;
    store.close().await.unwrap();
    let again = move || {
        inside(&address).run_text("INSERT INTO migration (number, name) VALUES (99, 'later'); COMMIT").unwrap();
        MysqlStore::open(&address).map(|_| ()).unwrap_err().to_string()
    };
    let error = blocking(again).await;
    assert!(error.contains("newer mainspring (schema 99"), "{error}");
}

#[tokio::test]
async fn nodes_that_start_together_take_turns_in_setting_up() {
    let address = blocking(database).await;
    let nodes = (0..4).map(|_| {
        let address = address.clone();
        tokio::task::spawn_blocking(move || MysqlStore::open(&address).map(|_| ()))
    });
    for node in nodes.collect::<Vec<_>>() {
        node.await.unwrap().unwrap();
    }
}

#[test]
fn server_that_is_not_there_is_told_in_a_few_words() {
    let error = MysqlStore::open("mysql://me:secret@127.0.0.1:1/jobs").unwrap_err().to_string();
    assert!(error.contains("mysql://127.0.0.1:1/jobs") && error.contains("cannot be opened"), "{error}");
    assert_eq!(error.matches("refused").count(), 1, "{error}");
    assert!(!error.contains("secret"), "{error}");
}

#[test]
fn addresses_are_shown_without_passwords() {
    let opts = address("mariadb://me:secret@db:3307/jobs?require_ssl=true").unwrap();
    assert_eq!(shown(&opts), "mysql://db:3307/jobs");
    let wrong = address("mysql://me:secret@db/jobs?require_ssl=perhaps").unwrap_err();
    assert!(wrong.contains("require_ssl") && !wrong.contains("secret"), "{wrong}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_claim_at_once_keep_the_limit_of_a_label() {
    let (first, address) = opened().await;
    let second = blocking(move || MysqlStore::open(&address).unwrap()).await;
    let stores = [Arc::new(first), Arc::new(second)];
    crate::conformance::labels::two_nodes_never_exceed_the_limit_of_a_label(stores).await;
}

/// Runs of a job with a limit, asked for, claimed and ended by two nodes at once: they wait for each other's locks.
#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_work_at_once_lose_no_run_and_no_slot() {
    const ASKED: u64 = 120;
    let (first, address) = opened().await;
    let second = blocking({
        let address = address.clone();
        move || MysqlStore::open(&address).unwrap()
    });
    let stores: [Arc<dyn Store>; 2] = [Arc::new(first), Arc::new(second.await)];
    let kits = [Kit::new(stores[0].clone()).await, Kit::restarted(stores[1].clone(), Incarnation(77)).await];
    let job = Arc::new(kits[0].save(Draft::new("a").limit(Overlap::Hold, 3)).await);
    let askers = (0..ASKED).map(|number| {
        let (store, run) = (stores[number as usize % 2].clone(), asked(&job, number, at(1_000)));
        tokio::spawn(async move { store.ask_run(run).await.unwrap() })
    });
    let askers: Vec<_> = askers.collect();
    let ended = Arc::new(AtomicU64::new(0));
    let workers = kits.map(|mut kit| {
        let (job, ended) = (job.clone(), ended.clone());
        tokio::spawn(async move {
            while ended.load(Ordering::Relaxed) < ASKED {
                let claimed = kit.claim(4, at(1_001)).await;
                let ends = claimed.iter().map(|run| job.verdict(run.run, Verdict::Succeeded, at(1_002))).collect();
                assert_eq!(kit.complete(at(1_002), ends).await.refused, [0; 0]);
                ended.fetch_add(claimed.len() as u64, Ordering::Relaxed);
            }
        })
    });
    for task in askers {
        task.await.unwrap();
    }
    for task in workers {
        task.await.unwrap();
    }
    let left = move || {
        let counts = Sql::new(
            "SELECT CAST(active AS SIGNED), CAST(held AS SIGNED), (SELECT COUNT(*) FROM run), \
             (SELECT COUNT(*) FROM history WHERE state = 'succeeded') FROM job_gate",
        );
        let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
        read_one::<(i64, i64, i64, i64)>(&inside(&address), counts, &[], row).unwrap()
    };
    assert_eq!(blocking(left).await, Some((0, 0, 0, ASKED.cast_signed())));
}

#[tokio::test]
async fn what_the_server_refuses_is_told_from_what_fails() {
    let (store, address) = opened().await;
    let spoil = |trigger| {
        blocking(move || {
            let text = format!("ALTER TABLE run ADD CONSTRAINT spoilt CHECK (trigger_id <> {trigger})");
            inside(&address).run_text(&text).unwrap();
        })
    };
    crate::conformance::fires::refused_batch_is_told_and_nothing_of_it_is_kept(Arc::new(store), spoil).await;
}

#[test]
fn batch_passes_over_what_others_have_locked() {
    let address = database();
    let store = Arc::new(MysqlStore::open(&address).unwrap());
    crate::sql::tests::batch_passes_over_what_others_have_locked(store, &patient(&address));
}

#[test]
fn requests_that_wait_keep_no_session_from_the_engine() {
    let address = database();
    let store = Arc::new(MysqlStore::open(&address).unwrap());
    let (other, watch) = (patient(&address), patient(&address));
    let hold = || other.run_text("LOCK TABLES calendar WRITE").unwrap();
    let waits = Sql::new(
        "SELECT 1 FROM information_schema.processlist WHERE state LIKE 'Waiting for table%' AND db = DATABASE()",
    );
    let is_waited_for = || exists(&watch, waits, &[]).unwrap();
    let free = || other.run_text("UNLOCK TABLES").unwrap();
    crate::sql::tests::requests_that_wait_keep_no_session_from_the_engine(store, hold, is_waited_for, free);
}

/// A session that may stay in a transaction for as long as it likes, and a way to see whether somebody waits for it.
fn watched(address: &str) -> (Connection, impl Fn() -> bool + use<>) {
    let (patient, watch) = (patient(address), patient(address));
    let number = Sql::new("SELECT CAST(CONNECTION_ID() AS SIGNED)");
    let number = read_one(&patient, number, &[], |row| row.get::<i64>(0)).unwrap().unwrap();
    patient.roll_back().unwrap();
    let is_waited_for = move || {
        // What the server tells is as old as the last look, unless that was more than a tenth of a second ago.
        watch.run_text("DO SLEEP(0.12)").unwrap();
        let waits = Sql::new("SELECT 1 FROM sys.innodb_lock_waits WHERE blocking_pid = :number");
        exists(&watch, waits, &[(":number", &number)]).unwrap()
    };
    (patient, is_waited_for)
}

#[test]
fn repeat_after_a_lost_answer_tells_what_was_kept() {
    let wire = crate::sql::tests::Wire::to(&database());
    let store = Arc::new(MysqlStore::open(&wire.address).unwrap());
    crate::sql::tests::repeat_after_a_lost_answer_tells_what_was_kept(store, &wire);
}

#[test]
fn verbs_of_leases_take_one_round_trip_each() {
    let wire = crate::sql::tests::Wire::to(&database());
    let store = MysqlStore::open(&wire.address).unwrap();
    crate::sql::tests::verbs_of_leases_take_one_round_trip_each(&store, &wire, 0);
}

#[test]
fn late_fires_of_a_job_with_a_limit_travel_together() {
    let wire = crate::sql::tests::Wire::to(&database());
    let store = Arc::new(MysqlStore::open(&wire.address).unwrap());
    crate::sql::tests::trips::late_fires_of_a_job_with_a_limit_travel_together(store, &wire);
}

#[test]
fn what_is_not_like_most_travels_together() {
    let wire = crate::sql::tests::Wire::to(&database());
    let store = Arc::new(MysqlStore::open(&wire.address).unwrap());
    crate::sql::tests::trips::what_is_not_like_most_travels_together(store, &wire);
}

#[test]
fn step_of_a_workflow_takes_few_round_trips() {
    let wire = crate::sql::tests::Wire::to(&database());
    let store = Arc::new(MysqlStore::open(&wire.address).unwrap());
    crate::sql::tests::workflow_trips::step_of_a_workflow_takes_few_round_trips(store, &wire);
}

#[test]
fn fire_under_a_limit_takes_few_round_trips() {
    let wire = crate::sql::tests::Wire::to(&database());
    let store = Arc::new(MysqlStore::open(&wire.address).unwrap());
    crate::sql::tests::trips::fire_under_a_limit_takes_few_round_trips(store, &wire, 7);
}

#[test]
fn many_jobs_are_deleted_in_few_round_trips() {
    let wire = crate::sql::tests::Wire::to(&database());
    let store = Arc::new(MysqlStore::open(&wire.address).unwrap());
    crate::sql::tests::trips::many_jobs_are_deleted_in_few_round_trips(store, &wire);
}

#[test]
fn workers_are_picked_for_many_runs_at_once() {
    let wire = crate::sql::tests::Wire::to(&database());
    let store = Arc::new(MysqlStore::open(&wire.address).unwrap());
    crate::sql::tests::trips::workers_are_picked_for_many_runs_at_once(store, &wire);
}

#[test]
fn first_batch_over_a_new_session_asks_little_more_than_the_next() {
    let wire = crate::sql::tests::Wire::to(&database());
    let store = Arc::new(MysqlStore::open(&wire.address).unwrap());
    crate::sql::tests::trips::first_batch_over_a_new_session_asks_little_more_than_the_next(store, &wire);
}

#[test]
fn repeated_claim_waits_for_the_first() {
    let address = database();
    let store = Arc::new(MysqlStore::open(&address).unwrap());
    let (other, is_waited_for) = watched(&address);
    crate::sql::tests::repeated_claim_waits_for_the_first(store, other, is_waited_for);
}

#[test]
fn key_under_which_somebody_works_is_pending() {
    let address = database();
    let store = MysqlStore::open(&address).unwrap();
    let (other, _) = watched(&address);
    crate::sql::tests::key_under_which_somebody_works_is_pending(&store, &other);
}

#[test]
fn burial_waits_for_the_count_that_is_under_way() {
    let address = database();
    let store = Arc::new(MysqlStore::open(&address).unwrap());
    let (other, is_waited_for) = watched(&address);
    crate::sql::tests::burial_waits_for_the_count_that_is_under_way(store, other, is_waited_for);
}

#[test]
fn request_of_a_caller_that_is_gone_is_finished() {
    let address = database();
    let store = MysqlStore::open(&address).unwrap();
    let (other, is_waited_for) = watched(&address);
    crate::sql::tests::request_of_a_caller_that_is_gone_is_finished(&store.lanes.claims, &other, is_waited_for);
}

#[test]
fn fires_claims_and_looks_pass_each_other_by() {
    let address = database();
    let store = Arc::new(MysqlStore::open(&address).unwrap());
    let (other, is_waited_for) = watched(&address);
    crate::sql::tests::fires_claims_and_looks_pass_each_other_by(store, other, is_waited_for);
}

#[test]
fn change_that_is_committed_late_is_told() {
    let address = database();
    let store = Arc::new(MysqlStore::open(&address).unwrap());
    crate::sql::tests::change_that_is_committed_late_is_told(store, &patient(&address));
}

#[test]
fn change_that_is_being_noted_again_is_passed_over() {
    let address = database();
    let store = Arc::new(MysqlStore::open(&address).unwrap());
    crate::sql::tests::change_that_is_being_noted_again_is_passed_over(store, &patient(&address));
}

#[test]
fn triggers_are_read_together() {
    let wire = crate::sql::tests::Wire::to(&database());
    let store = Arc::new(MysqlStore::open(&wire.address).unwrap());
    crate::sql::tests::trips::triggers_are_read_together(store, &wire);
}

#[test]
fn look_for_webhooks_costs_the_same_however_many_there_are() {
    let wire = crate::sql::tests::Wire::to(&database());
    let store = MysqlStore::open(&wire.address).unwrap();
    crate::sql::tests::trips::look_for_webhooks_costs_the_same_however_many_there_are(&store, &wire);
}

#[test]
fn what_is_left_of_deleted_jobs_goes_in_slices() {
    let address = database();
    let _store = MysqlStore::open(&address).unwrap();
    let session = crate::sql::session::Session::new(patient(&address));
    crate::sql::tests::remains::what_is_left_of_deleted_jobs_goes_in_slices(&session);
}

#[test]
fn unused_process_starts_are_forgotten() {
    let address = database();
    let _store = MysqlStore::open(&address).unwrap();
    crate::sql::tests::unused_process_starts_are_forgotten(&mut crate::sql::session::Session::new(patient(&address)));
}

/// The batch has taken a step of its fence; what buries its node has to wait, and then finds the batch recorded.
#[test]
fn burial_waits_for_the_batch_under_way() {
    use crate::sql::cluster::{raise_fence, share_fence};
    // The number that the first process start is given.
    const NODE: i64 = 1;
    let step_fence = |batch: &dyn Db, owner| crate::sql::cluster::step_fence(batch, owner, 0);
    let address = database();
    let _store = MysqlStore::open(&address).unwrap();
    let (batch, is_waited_for) = watched(&address);
    batch.run_text("INSERT INTO incarnation (id) VALUES (UNHEX('00000000000000000000000000000007'))").unwrap();
    raise_fence(&batch, NODE).unwrap();
    batch.commit().unwrap();
    for share in [false, true] {
        let take = if share { share_fence } else { step_fence };
        take(&batch, NODE).and_then(|()| read_one(&batch, Sql::new("SELECT 1"), &[], |_| Ok(()))).unwrap();
        let address = address.clone();
        let undertaker = std::thread::spawn(move || {
            let db = patient(&address);
            let remove = Sql::new(include_str!("../../queries/servers/cluster_fence_remove.sql"));
            let removed = db.execute(remove, &[(":id", &7_u128.to_be_bytes()), (":counter", &-1)]).unwrap();
            if share {
                db.commit().unwrap()
            } else {
                db.roll_back().unwrap()
            }
            removed
        });
        crate::sql::tests::until(|| undertaker.is_finished() || is_waited_for());
        assert!(!undertaker.is_finished(), "it does not wait");
        batch.commit().unwrap();
        assert_eq!(undertaker.join().unwrap(), 1);
    }
    for take in [share_fence, step_fence] {
        let taken = take(&batch, NODE).and_then(|()| batch.commit());
        assert!(matches!(taken, Err(Fault::Refused(Error::Fenced))), "it is buried");
        batch.roll_back().unwrap();
    }
}

/// The step of the fence travels with others, but never with the commit.
#[test]
fn nothing_is_committed_without_the_fence() {
    let address = database();
    let _store = MysqlStore::open(&address).unwrap();
    let (batch, watch) = (inside(&address), inside(&address));
    write(&batch, "a").unwrap();
    let refused = crate::sql::cluster::step_fence(&batch, 7, 0).and_then(|()| batch.commit());
    assert!(matches!(refused, Err(Fault::Refused(Error::Fenced))), "{refused:?}");
    batch.roll_back().unwrap();
    // Whoever undoes the rest of the transaction undoes this too.
    write(&batch, "b").unwrap();
    batch.post(sql!("event_add"), &[(":at", &1), (":kind", &None::<i64>), (":payload", &"")], None).unwrap();
    assert!(matches!(batch.commit(), Err(Fault::Mysql(_))), "an event has a kind");
    batch.roll_back().unwrap();
    assert!(!exists(&watch, Sql::new("SELECT 1 FROM setting"), &[]).unwrap());
    write(&watch, "a").unwrap();
}

/// What travels together may be more than a message holds, and one of it too.
#[test]
fn what_is_long_travels_in_several_messages() {
    let wire = crate::sql::tests::Wire::to(&database());
    let _store = MysqlStore::open(&wire.address).unwrap();
    let db = inside(&wire.address);
    write(&db, "a").unwrap();
    let lengths = [3, 50_000, 60_000, 70_000, 400_000, 5];
    for (at, length) in (0_i64..).zip(lengths) {
        let payload = "'?;".repeat(length / 3);
        db.post(sql!("event_add"), &[(":at", &at), (":kind", &"job"), (":payload", &payload)], None).unwrap();
    }
    db.commit().unwrap();
    let row = |row: &Row<'_>| Ok((row.get::<i64>(0)?, row.get::<Vec<u8>>(1)?));
    let found = read(&db, Sql::new("SELECT at, payload FROM event ORDER BY id"), &[], row).unwrap();
    let expected = (0_i64..).zip(lengths).map(|(at, length)| (at, "'?;".repeat(length / 3).into_bytes()));
    assert!(found == expected.collect::<Vec<_>>());
}
