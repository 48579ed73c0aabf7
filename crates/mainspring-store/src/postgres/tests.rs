//! The store against a real server, whose address is in `MAINSPRING_TEST_POSTGRES`.

mod floors;
mod history;
mod plans;
mod race;

use super::*;
use crate::conformance_suite;
use crate::sql::lane::Server;
use crate::store::Store;

/// Makes an empty database and opens it.
async fn empty() -> Arc<dyn Store> {
    tokio::task::spawn_blocking(|| Arc::new(PostgresStore::open(&database()).unwrap()) as Arc<dyn Store>).await.unwrap()
}

/// Makes a schema of its own, which is as good as an empty database. Answers its address.
fn database() -> String {
    tokio::runtime::Runtime::new().unwrap().block_on(crate::conformance::kit::postgres())
}

conformance_suite!(empty);
crate::cluster_suite!(empty);

#[test]
fn answers_like_the_reference() {
    crate::conformance::differential(16, empty);
}

#[test]
fn parameters_get_numbers_in_the_order_of_their_names() {
    let text = "-- a comment with a colon: here\nSELECT a::text FROM t WHERE b = :b AND (c = :c OR :b = 0)\n";
    assert_eq!(connection::numbered(text, Lock::None), "SELECT a::text FROM t WHERE b = $1 AND (c = $2 OR $1 = 0)\n");
    assert!(connection::numbered(text, Lock::Write).ends_with("\nFOR UPDATE"));
}

#[test]
fn address_without_its_password_names_the_store() {
    let error = PostgresStore::open("postgres://me:secret@127.0.0.1:1/jobs").unwrap_err().to_string();
    assert!(error.contains("postgres://127.0.0.1:1/jobs") && error.contains("cannot be opened"), "{error}");
    assert!(!error.contains("secret"), "{error}");
}

#[test]
fn schema_of_a_newer_program_is_left_alone() {
    let url = database();
    drop(PostgresStore::open(&url).unwrap());
    let db = Connection::open(&url.parse().unwrap(), &tls::connector().unwrap(), SETUP).unwrap();
    db.run_alone("INSERT INTO migration (number, name) VALUES (99, 'later')").unwrap();
    let error = PostgresStore::open(&url).unwrap_err().to_string();
    assert!(error.contains("newer mainspring (schema 99"), "{error}");
}

/// Opens a database by several nodes at once.
fn open_together(url: &str) -> Vec<PostgresStore> {
    let (tell, told) = std::sync::mpsc::channel();
    for (url, tell) in std::iter::repeat_n((url.to_owned(), tell), 4) {
        std::thread::spawn(move || {
            // Who asked may have given up.
            let _heard = tell.send(PostgresStore::open(&url));
        });
    }
    let next = |_| told.recv_timeout(Duration::from_secs(120)).expect("no node waits for ever").unwrap();
    (0..4).map(next).collect()
}

fn steps_done(url: &str) -> Vec<String> {
    session(url).run_simple("SELECT number FROM migration ORDER BY number").unwrap()
}

#[test]
fn nodes_that_start_together_set_the_database_up_once() {
    let url = database();
    drop(open_together(&url));
    assert_eq!(steps_done(&url), (1..=migrate::NEWEST).map(|number| number.to_string()).collect::<Vec<_>>());
}

#[test]
fn nodes_that_start_together_upgrade_the_database_once() {
    let url = database();
    drop(PostgresStore::open(&url).unwrap());
    let done = steps_done(&url);
    session(&url).run_alone("DELETE FROM migration WHERE number > 1").unwrap();
    drop(open_together(&url));
    assert_eq!(steps_done(&url), done);
}

/// Somebody reads a table for long that a step wants to change. The step waits, and nobody else does for more than its patience.
#[tokio::test(flavor = "multi_thread")]
async fn step_of_the_schema_waits_for_a_lock_and_lets_others_through() {
    let url = tokio::task::spawn_blocking(database).await.unwrap();
    let open = |url: String| tokio::task::spawn_blocking(move || PostgresStore::open(&url).unwrap());
    let store = open(url.clone()).await.unwrap();
    let reader = tokio::task::block_in_place(|| {
        let reader = session(&url);
        reader.run_alone("DELETE FROM migration WHERE number > 1").unwrap();
        reader
            .run_alone("SET idle_in_transaction_session_timeout = 0; BEGIN; SELECT count(*) FROM job_trigger")
            .unwrap();
        reader
    });
    let upgrade = open(url.clone());
    let waiting = "SELECT xact_start FROM pg_stat_activity WHERE query LIKE 'ALTER TABLE job_trigger%' \
                   AND wait_event_type = 'Lock'";
    let (mut tries, mut longest) = (std::collections::BTreeSet::new(), Duration::ZERO);
    while tries.len() < 3 {
        let begun = std::time::Instant::now();
        let draft =
            crate::conformance::kit::Draft::new("a").trigger("t", crate::conformance::kit::at(tries.len() as i64));
        store.save_jobs(vec![draft.0]).await.unwrap();
        longest = longest.max(begun.elapsed());
        tries.extend(tokio::task::block_in_place(|| session(&url).run_simple(waiting).unwrap()));
        assert!(!upgrade.is_finished(), "it cannot have changed the table");
    }
    // The step's patience is two seconds; as much again is for a machine that has other things to do.
    assert!(longest < Duration::from_secs(4), "a save took {longest:?}");
    tokio::task::block_in_place(move || drop(reader));
    assert_eq!(upgrade.await.unwrap().info().await.unwrap().schema, migrate::NEWEST);
}

/// An index is built beside those who write, however long they take; and once more where a building was cut short.
#[test]
fn step_of_the_schema_builds_indexes_beside_writes() {
    let url = database();
    drop(PostgresStore::open(&url).unwrap());
    let (writer, other) = (session(&url), session(&url));
    writer.run_alone("DELETE FROM migration WHERE number > 4; DROP INDEX run_shared").unwrap();
    writer.run_alone("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'run_expires'::regclass").unwrap();
    let unfit = "SELECT indexrelid FROM pg_index WHERE NOT indisvalid AND indrelid = 'run'::regclass";
    assert_eq!(writer.run_simple(unfit).unwrap().len(), 1);
    drop(PostgresStore::open(&url).unwrap());
    assert_eq!(writer.run_simple(unfit).unwrap(), Vec::<String>::new());
    let built = |name| {
        let fit = format!("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('{name}')");
        assert_eq!(other.run_simple(&fit).unwrap(), ["t"], "{name}");
    };
    ["run_expires", "run_shared", "run_queued"].into_iter().for_each(built);

    writer.run_alone("DELETE FROM migration WHERE number > 13; DROP INDEX run_shared").unwrap();
    writer.run_alone("SET idle_in_transaction_session_timeout = 0").unwrap();
    writer.run_text("UPDATE run SET state = state").unwrap();
    let opened = url.clone();
    let upgrade = std::thread::spawn(move || drop(PostgresStore::open(&opened).unwrap()));
    let builds = "SELECT phase FROM pg_stat_progress_create_index WHERE relid = 'run'::regclass \
                  AND phase LIKE 'waiting for writers%'";
    while other.run_simple(builds).unwrap().is_empty() {
        assert!(!upgrade.is_finished(), "it waits for who writes");
    }
    // Whoever has the turn waits for longer than other sessions may idle.
    let idles = "SELECT 1 FROM pg_stat_activity WHERE state = 'idle in transaction' AND query LIKE 'SET LOCAL idle%' \
                 AND state_change < clock_timestamp() - interval '3 s'";
    while other.run_simple(idles).unwrap().is_empty() {
        assert!(!upgrade.is_finished(), "it waits for who writes");
    }
    // Whoever waited behind it would be refused now.
    other.run_alone("SET lock_timeout = '1ms'").unwrap();
    other.run_alone("UPDATE run SET state = state").unwrap();
    writer.commit().unwrap();
    upgrade.join().unwrap();
    built("run_shared");
}

/// The session of a migrator that died is gone, and with it its turn.
#[test]
fn migrator_that_dies_keeps_nobody_waiting() {
    let url = database();
    drop(PostgresStore::open(&url).unwrap());
    let dying = session(&url);
    dying.run_alone("DELETE FROM migration WHERE number > 1").unwrap();
    dying.run_text("LOCK TABLE migration_lease IN EXCLUSIVE MODE").unwrap();
    let (begun, url_of) = (std::sync::mpsc::channel(), url.clone());
    let next = std::thread::spawn(move || {
        begun.0.send(()).unwrap();
        PostgresStore::open(&url_of).map(|_| ())
    });
    begun.1.recv().unwrap();
    drop(dying);
    next.join().unwrap().unwrap();
    let done = session(&url).run_simple("SELECT max(number) FROM migration").unwrap();
    assert_eq!(done, [migrate::NEWEST.to_string()]);
}

/// The servers of tests do not wait for the disk.
#[tokio::test]
async fn server_that_may_lose_commits_is_warned_of() {
    let warnings = empty().await.warnings().await.unwrap();
    let found = warnings.iter().find(|warning| warning.code == "store.not_durable").unwrap();
    assert!(found.message.contains("fsync=off, full_page_writes=off"), "{found:?}");
    assert!(warnings.iter().all(|warning| warning.code != "store.few_sessions"), "{warnings:?}");
}

/// A session of its own, for what other nodes do.
fn session(url: &str) -> Connection {
    Connection::open(&url.parse().unwrap(), &tls::connector().unwrap(), SETUP).unwrap()
}

/// Whether the session with this number comes to wait for a lock before its thread ends.
fn waits(watch: &Connection, session: &str, thread: &std::thread::JoinHandle<u64>) -> bool {
    let text = format!("SELECT 1 FROM pg_stat_activity WHERE pid = {session} AND wait_event_type = 'Lock'");
    while !thread.is_finished() {
        if !watch.run_simple(&text).unwrap().is_empty() {
            return true;
        }
    }
    false
}

#[test]
fn client_that_stops_holds_its_locks_for_no_longer_than_seconds() {
    let url = database();
    let _store = PostgresStore::open(&url).unwrap();
    let (stopped, heir) = (session(&url), session(&url));
    let write = "INSERT INTO setting (name, value) VALUES ('held', 'there')";
    stopped.run_text(write).unwrap();
    heir.run_alone("SET lock_timeout = '30s'").unwrap();
    heir.run_text(write).unwrap();
    heir.commit().unwrap();
    assert!(stopped.commit().is_err(), "what it did is undone");
}

/// The batch has taken a step of its fence; what buries its node has to wait, and then finds the batch recorded.
#[test]
fn burial_waits_for_the_batch_under_way() {
    // The number that the first process start is given.
    const NODE: i64 = 1;
    let url = database();
    let _store = PostgresStore::open(&url).unwrap();
    let (batch, watch) = (session(&url), session(&url));
    batch.run_alone("INSERT INTO incarnation (id) VALUES ('00000000-0000-0000-0000-000000000007')").unwrap();
    batch.run_alone(&format!("INSERT INTO fence (incarnation, seq) VALUES ({NODE}, 0)")).unwrap();
    let (tell, told) = std::sync::mpsc::channel();
    for share in [false, true] {
        let take = if share { share_fence } else { step_fence };
        take(&batch, NODE).and_then(|()| read_one(&batch, Sql::new("SELECT 1"), &[], |_| Ok(()))).unwrap();
        let (url, tell) = (url.clone(), tell.clone());
        let undertaker = std::thread::spawn(move || {
            let db = session(&url);
            tell.send(db.run_simple("SELECT pg_backend_pid()").unwrap().remove(0)).unwrap();
            let removed = db.execute(
                Sql::new(include_str!("../../queries/servers/cluster_fence_remove.sql")),
                &[(":id", &7_u128.to_be_bytes()), (":counter", &-1)],
            );
            let removed = removed.unwrap();
            if share {
                db.commit().unwrap()
            } else {
                db.roll_back().unwrap()
            }
            removed
        });
        assert!(waits(&watch, &told.recv().unwrap(), &undertaker), "it does not wait");
        batch.commit().unwrap();
        assert_eq!(undertaker.join().unwrap(), 1);
    }
    for take in [share_fence, step_fence] {
        let taken = take(&batch, NODE).and_then(|()| batch.commit());
        assert!(matches!(taken, Err(Fault::Refused(Error::Fenced))), "it is buried");
        batch.roll_back().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_claim_at_once_keep_the_limit_of_a_label() {
    let url = tokio::task::spawn_blocking(database).await.unwrap();
    let open = |url: String| tokio::task::spawn_blocking(move || Arc::new(PostgresStore::open(&url).unwrap()));
    let stores = [open(url.clone()).await.unwrap(), open(url).await.unwrap()];
    crate::conformance::labels::two_nodes_never_exceed_the_limit_of_a_label(stores).await;
}

#[tokio::test]
async fn what_one_node_notifies_wakes_the_others() {
    let url = tokio::task::spawn_blocking(database).await.unwrap();
    let open = |url: String| tokio::task::spawn_blocking(move || PostgresStore::open(&url).unwrap());
    let (one, other) = (open(url.clone()).await.unwrap(), open(url).await.unwrap());
    let soon = |woken| tokio::time::timeout(Duration::from_secs(60), woken);
    // Both are woken once when they begin to listen.
    soon(other.changed().notified()).await.unwrap();
    soon(other.hinted().notified()).await.unwrap();
    one.hint().await.unwrap();
    soon(other.hinted().notified()).await.unwrap();
    let draft = crate::conformance::kit::Draft::new("a").trigger("t", crate::conformance::kit::at(1_000));
    one.save_jobs(vec![draft.0]).await.unwrap();
    soon(other.changed().notified()).await.unwrap();
}

#[tokio::test]
async fn what_is_put_into_an_inbox_or_taken_out_wakes_the_other_nodes() {
    use crate::conformance::flows::{content, flow, item};
    use crate::flow::{FlowStore, InboxStore, ItemWrite};

    let url = tokio::task::spawn_blocking(database).await.unwrap();
    let open = |url: String| tokio::task::spawn_blocking(move || PostgresStore::open(&url).unwrap());
    let (node, owner) = (open(url.clone()).await.unwrap(), open(url).await.unwrap());
    let (mut at_node, mut at_owner) = (node.stirs(), owner.stirs());
    let soon = async |stirs: &mut tokio::sync::watch::Receiver<u64>| {
        tokio::time::timeout(Duration::from_secs(60), stirs.changed()).await.unwrap().unwrap();
    };
    // Both are woken once when they begin to listen.
    for stirs in [&mut at_node, &mut at_owner] {
        tokio::time::timeout(Duration::from_secs(60), stirs.wait_for(|count| *count > 0)).await.unwrap().unwrap();
    }
    let hinted = async || tokio::time::timeout(Duration::from_secs(60), node.hinted().notified()).await.unwrap();
    hinted().await;
    let id = owner.save_flow(flow("f", None)).await.unwrap().id;
    let epoch = owner.take_flow(id).await.unwrap().unwrap();
    let number = node.open_inbox(id, 1, "b", "tick").await.unwrap().unwrap();
    let first = mainspring_core::flow::inbox_ids(number).start;
    let made = ItemWrite::Insert(item(first, 100), content("x"));
    assert!(node.write_inbox(id, number, vec![made]).await.unwrap());
    soon(&mut at_owner).await;
    assert!(owner.write_items(id, epoch, vec![ItemWrite::Adopt(first, item(7, 100))]).await.unwrap());
    soon(&mut at_node).await;
    assert!(owner.write_items(id, epoch, vec![ItemWrite::Remove(7)]).await.unwrap());
    owner.hint().await.unwrap();
    hinted().await;
    // Notifications come in the order of their commits.
    assert!(!at_node.has_changed().unwrap(), "what is only removed concerns no inbox");
}

#[tokio::test]
async fn what_a_node_notifies_wakes_it_once() {
    let url = tokio::task::spawn_blocking(database).await.unwrap();
    let store = tokio::task::spawn_blocking(move || PostgresStore::open(&url).unwrap()).await.unwrap();
    let soon = |woken| tokio::time::timeout(Duration::from_secs(60), woken);
    // It is woken once when it begins to listen.
    soon(store.changed().notified()).await.unwrap();
    soon(store.hinted().notified()).await.unwrap();
    let draft = crate::conformance::kit::Draft::new("a").trigger("t", crate::conformance::kit::at(1_000));
    store.save_jobs(vec![draft.0]).await.unwrap();
    soon(store.changed().notified()).await.unwrap();
    // Notifications come in the order of their commits: when this one is heard, so would be that of the save.
    store.hint().await.unwrap();
    soon(store.hinted().notified()).await.unwrap();
    let again = tokio::time::timeout(Duration::ZERO, store.changed().notified()).await;
    assert!(again.is_err(), "its own change wakes it once");
}

#[tokio::test]
async fn what_the_server_refuses_is_told_from_what_fails() {
    let url = tokio::task::spawn_blocking(database).await.unwrap();
    let run = |text: String| {
        let url = url.clone();
        async move { tokio::task::spawn_blocking(move || session(&url).run_alone(&text).unwrap()).await.unwrap() }
    };
    let address = url.clone();
    let store = tokio::task::spawn_blocking(move || Arc::new(PostgresStore::open(&address).unwrap())).await.unwrap();
    let spoil = |trigger| run(format!("ALTER TABLE run ADD CONSTRAINT spoilt CHECK (trigger_id <> {trigger})"));
    let shared = Arc::clone(&store) as Arc<dyn Store>;
    crate::conformance::fires::refused_batch_is_told_and_nothing_of_it_is_kept(shared, spoil).await;
    // What takes longer than its limit is ended by the server.
    run("CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(20); RETURN new; END'; \
         CREATE TRIGGER slow BEFORE INSERT ON run FOR EACH ROW EXECUTE FUNCTION slow()"
        .to_owned())
    .await;
    let kit = crate::conformance::kit::Kit::acting(store, mainspring_core::Incarnation(u128::MAX - 1));
    let at = crate::conformance::kit::at(2_000);
    let slow = kit.save(crate::conformance::kit::Draft::new("slow").trigger("t", at)).await;
    let batch = mainspring_core::batch::FireBatch {
        id: mainspring_core::BatchId { incarnation: kit.incarnation, sequence: 99 },
        at,
        answered: 0,
        entries: vec![slow.entry(0)],
    };
    let ended = kit.store.fire(Arc::new(batch)).await;
    assert!(matches!(ended, Err(Error::TooMuch { .. })), "{ended:?}");
}

#[test]
fn batch_passes_over_what_others_have_locked() {
    let url = database();
    let store = Arc::new(PostgresStore::open(&url).unwrap());
    crate::sql::tests::batch_passes_over_what_others_have_locked(store, &patient(&url).0);
}

/// A session that may stay in a transaction for as long as it likes, and a way to see whether somebody waits for it.
fn patient(url: &str) -> (Connection, impl Fn() -> bool + use<>) {
    let (patient, watch) = (session(url), session(url));
    patient.run_alone("SET idle_in_transaction_session_timeout = 0").unwrap();
    let number = patient.run_simple("SELECT pg_backend_pid()").unwrap().remove(0);
    let text = format!("SELECT 1 FROM pg_stat_activity WHERE {number} = ANY (pg_blocking_pids(pid))");
    (patient, move || !watch.run_simple(&text).unwrap().is_empty())
}

#[test]
fn repeat_after_a_lost_answer_tells_what_was_kept() {
    let wire = crate::sql::tests::Wire::to(&database());
    let store = Arc::new(PostgresStore::open(&wire.address).unwrap());
    crate::sql::tests::repeat_after_a_lost_answer_tells_what_was_kept(store, &wire);
}

#[test]
fn verbs_of_leases_take_one_round_trip_each() {
    let wire = crate::sql::tests::Wire::to(&database());
    let store = PostgresStore::open(&wire.address).unwrap();
    crate::sql::tests::verbs_of_leases_take_one_round_trip_each(&store, &wire, 1);
}

#[test]
fn late_fires_of_a_job_with_a_limit_travel_together() {
    let wire = crate::sql::tests::Wire::to(&database());
    let store = Arc::new(PostgresStore::open(&wire.address).unwrap());
    crate::sql::tests::trips::late_fires_of_a_job_with_a_limit_travel_together(store, &wire);
}

#[test]
fn what_is_not_like_most_travels_together() {
    let wire = crate::sql::tests::Wire::to(&database());
    let store = Arc::new(PostgresStore::open(&wire.address).unwrap());
    crate::sql::tests::trips::what_is_not_like_most_travels_together(store, &wire);
}

#[test]
fn step_of_a_workflow_takes_few_round_trips() {
    let wire = crate::sql::tests::Wire::to(&database());
    let store = Arc::new(PostgresStore::open(&wire.address).unwrap());
    crate::sql::tests::workflow_trips::step_of_a_workflow_takes_few_round_trips(store, &wire);
}

#[test]
fn fire_under_a_limit_takes_few_round_trips() {
    let wire = crate::sql::tests::Wire::to(&database());
    let store = Arc::new(PostgresStore::open(&wire.address).unwrap());
    crate::sql::tests::trips::fire_under_a_limit_takes_few_round_trips(store, &wire, 6);
}

#[test]
fn many_jobs_are_deleted_in_few_round_trips() {
    let wire = crate::sql::tests::Wire::to(&database());
    let store = Arc::new(PostgresStore::open(&wire.address).unwrap());
    crate::sql::tests::trips::many_jobs_are_deleted_in_few_round_trips(store, &wire);
}

#[test]
fn workers_are_picked_for_many_runs_at_once() {
    let wire = crate::sql::tests::Wire::to(&database());
    let store = Arc::new(PostgresStore::open(&wire.address).unwrap());
    crate::sql::tests::trips::workers_are_picked_for_many_runs_at_once(store, &wire);
}

#[test]
fn first_batch_over_a_new_session_asks_little_more_than_the_next() {
    let url = database();
    let wire = crate::sql::tests::Wire::to(&url);
    let store = Arc::new(PostgresStore::open(&wire.address).unwrap());
    crate::sql::tests::trips::first_batch_over_a_new_session_asks_little_more_than_the_next(store, &wire);
}

#[test]
fn repeated_claim_waits_for_the_first() {
    let url = database();
    let store = Arc::new(PostgresStore::open(&url).unwrap());
    let (other, is_waited_for) = patient(&url);
    crate::sql::tests::repeated_claim_waits_for_the_first(store, other, is_waited_for);
}

#[test]
fn key_under_which_somebody_works_is_pending() {
    let url = database();
    let store = PostgresStore::open(&url).unwrap();
    let (other, _) = patient(&url);
    crate::sql::tests::key_under_which_somebody_works_is_pending(&store, &other);
}

#[test]
fn burial_waits_for_the_count_that_is_under_way() {
    let url = database();
    let store = Arc::new(PostgresStore::open(&url).unwrap());
    let (other, is_waited_for) = patient(&url);
    crate::sql::tests::burial_waits_for_the_count_that_is_under_way(store, other, is_waited_for);
}

#[test]
fn request_of_a_caller_that_is_gone_is_finished() {
    let url = database();
    let store = PostgresStore::open(&url).unwrap();
    let (other, is_waited_for) = patient(&url);
    crate::sql::tests::request_of_a_caller_that_is_gone_is_finished(&store.lanes.claims, &other, is_waited_for);
}

#[test]
fn request_that_has_waited_too_long_is_not_begun() {
    let url = database();
    let _store = PostgresStore::open(&url).unwrap();
    let open = Arc::new(move || Ok(session(&url)));
    let lane = crate::sql::lane::Lane::start("test", &Arc::from("test"), 1, open).unwrap();
    crate::sql::tests::request_that_has_waited_too_long_is_not_begun(lane);
}

#[test]
fn requests_that_wait_keep_no_session_from_the_engine() {
    let url = database();
    let store = Arc::new(PostgresStore::open(&url).unwrap());
    let (other, is_waited_for) = patient(&url);
    let hold = || other.run_text("LOCK TABLE calendar IN ACCESS EXCLUSIVE MODE").unwrap();
    let free = || other.roll_back().unwrap();
    crate::sql::tests::requests_that_wait_keep_no_session_from_the_engine(store, hold, is_waited_for, free);
}

#[test]
fn fires_claims_and_looks_pass_each_other_by() {
    let url = database();
    let store = Arc::new(PostgresStore::open(&url).unwrap());
    let (other, is_waited_for) = patient(&url);
    crate::sql::tests::fires_claims_and_looks_pass_each_other_by(store, other, is_waited_for);
}

#[test]
fn change_that_is_committed_late_is_told() {
    let url = database();
    let store = Arc::new(PostgresStore::open(&url).unwrap());
    crate::sql::tests::change_that_is_committed_late_is_told(store, &patient(&url).0);
}

#[test]
fn change_that_is_being_noted_again_is_passed_over() {
    let url = database();
    let store = Arc::new(PostgresStore::open(&url).unwrap());
    crate::sql::tests::change_that_is_being_noted_again_is_passed_over(store, &patient(&url).0);
}

#[test]
fn triggers_are_read_together() {
    let wire = crate::sql::tests::Wire::to(&database());
    let store = Arc::new(PostgresStore::open(&wire.address).unwrap());
    crate::sql::tests::trips::triggers_are_read_together(store, &wire);
}

#[test]
fn look_for_webhooks_costs_the_same_however_many_there_are() {
    let wire = crate::sql::tests::Wire::to(&database());
    let store = PostgresStore::open(&wire.address).unwrap();
    crate::sql::tests::trips::look_for_webhooks_costs_the_same_however_many_there_are(&store, &wire);
}

#[test]
fn what_is_left_of_deleted_jobs_goes_in_slices() {
    let url = database();
    let _store = PostgresStore::open(&url).unwrap();
    let session = crate::sql::session::Session::new(patient(&url).0);
    crate::sql::tests::remains::what_is_left_of_deleted_jobs_goes_in_slices(&session);
}

#[test]
fn unused_process_starts_are_forgotten() {
    let url = database();
    let _store = PostgresStore::open(&url).unwrap();
    crate::sql::tests::unused_process_starts_are_forgotten(&mut crate::sql::session::Session::new(patient(&url).0));
}

fn step_fence(batch: &Connection, owner: i64) -> Step<()> {
    crate::sql::Batches::step_fence(batch, owner, 0)
}

fn share_fence(batch: &Connection, owner: i64) -> Step<()> {
    crate::sql::Batches::share_fence(batch, owner)
}

/// A batch whose sender has given it up is still under way when the next one takes its step, which waits, and counts from there.
#[test]
fn step_of_the_fence_follows_one_that_was_under_way() {
    let url = database();
    let _store = PostgresStore::open(&url).unwrap();
    let (batch, watch) = (session(&url), session(&url));
    batch.run_alone("INSERT INTO fence (incarnation, seq) VALUES (1, 0)").unwrap();
    let take = |db: &Connection| {
        step_fence(db, 1).and_then(|()| read_one(db, Sql::new("SELECT seq FROM fence"), &[], |row| row.get::<i64>(0)))
    };
    assert_eq!(take(&batch).unwrap(), Some(1));
    let (tell, told) = std::sync::mpsc::channel();
    let next = std::thread::spawn(move || {
        let db = session(&url);
        tell.send(db.run_simple("SELECT pg_backend_pid()").unwrap().remove(0)).unwrap();
        let seq = take(&db).unwrap().unwrap();
        db.commit().unwrap();
        seq.cast_unsigned()
    });
    assert!(waits(&watch, &told.recv().unwrap(), &next), "it does not wait");
    batch.commit().unwrap();
    assert_eq!(next.join().unwrap(), 2);
}

/// The step of the fence travels with what comes next, but never with the commit.
#[test]
fn nothing_is_committed_without_the_fence() {
    let url = database();
    let _store = PostgresStore::open(&url).unwrap();
    let batch = session(&url);
    batch.run_text("INSERT INTO setting (name, value) VALUES ('a', 'there')").unwrap();
    let refused = step_fence(&batch, 7).and_then(|()| batch.commit());
    assert!(matches!(refused, Err(Fault::Refused(Error::Fenced))), "{refused:?}");
    batch.roll_back().unwrap();
    assert!(batch.run_simple("SELECT 1 FROM setting").unwrap().is_empty());
}
