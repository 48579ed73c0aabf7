//! What two sessions of a server do to each other, for both servers.

pub(crate) mod remains;
pub(crate) mod trips;
pub(crate) mod workflow_trips;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mainspring_core::Incarnation;
use mainspring_core::batch::{ANSWERS_KEPT, FireBatch, FireEntry, FireOutcome, Heard, Placed, Queues};
use mainspring_core::cluster::{Change, Renewal, ShardSet, Standing};
use mainspring_core::job::Overlap;
use mainspring_core::planner::Answered;
use mainspring_core::run::Verdict;
use tokio::runtime::Runtime;

use super::db::{Lock, Sql, Step, ToSql, execute, exists, read, sql};
use super::lane::{Lane, PATIENCE, Server, within};
use super::session::Session;
use super::{Batches, purge, queue, worker};
use crate::cluster::NodeInfo;
use crate::conformance::kit::{Draft, Kept, Kit, TakeChanges, at};
use crate::conformance::workers::info;
use crate::error::{Error, Result};
use crate::key::{Claimed, KeyClaim};
use crate::row::{Expect, LogChunk, PurgeRule};
use crate::store::Store;
use crate::worker::WorkerInfo;

/// The statements of a server by name: its own, and the common ones that it has no words of its own for, without their comments.
pub(crate) fn statements(server: &str) -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("queries");
    let mut found = BTreeMap::new();
    for part in ["common", "servers", server] {
        for file in std::fs::read_dir(folder.join(part)).unwrap() {
            let path = file.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let lines = text.lines().filter(|line| !line.starts_with("--"));
            let text = lines.flat_map(|line| [line, "\n"]).collect::<String>();
            found.insert(path.file_stem().unwrap().to_string_lossy().into_owned(), text);
        }
    }
    found
}

/// Looks again and again until something is so.
pub(crate) fn until(is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it is never so");
    }
}

/// A trigger, or the gate of its job, that another transaction has locked does not keep the batch waiting; it is recorded
/// once it is free. `other` is a session that may stay in a transaction for as long as it likes.
pub(crate) fn batch_passes_over_what_others_have_locked(store: Arc<dyn Store>, other: &impl Server) {
    let runtime = Runtime::new().unwrap();
    let mut kit = runtime.block_on(Kit::new(store));
    let jobs = runtime.block_on(async {
        let draft = |number: u32| {
            let draft = Draft::new(&format!("job-{number}")).trigger("t", at(1_000));
            if number.is_multiple_of(2) { draft.0 } else { draft.limit(Overlap::Skip, 9).0 }
        };
        let saved = kit.save_all((0..100).map(draft).collect()).await;
        let mut jobs = Vec::new();
        for saved in saved {
            jobs.push(kit.kept(&saved.job.definition.key).await);
        }
        jobs.sort_by_key(|job| job.row(0).id);
        jobs
    });
    let locked: [(usize, Sql, i64); 3] = [
        (4, sql!("lock_trigger"), jobs[4].row(0).id.0),
        (7, sql!("lock_trigger"), jobs[7].row(0).id.0),
        (9, sql!("gate_read"), jobs[9].id().0),
    ];
    for (_, statement, number) in locked {
        let name = if number == jobs[9].id().0 && statement.text == sql!("gate_read").text { ":job" } else { ":id" };
        other.lock(statement, Lock::Write, &[(name, &number as &dyn ToSql)]).unwrap();
    }
    let entries: Vec<FireEntry> = jobs.iter().map(|job| job.claimed_entry(0)).collect();
    let batch = Arc::new(FireBatch { id: kit.batch_id(), at: at(1_000), answered: 0, entries });
    let outcome = runtime.block_on(kit.store.fire(Arc::clone(&batch))).unwrap();
    assert_eq!((&outcome.busy[..], &outcome.stale[..], &outcome.blocked[..]), (&[4, 7, 9][..], &[][..], &[][..]));
    assert_eq!(outcome.placed, [Placed::Running; 97]);
    other.roll_back().unwrap();

    // What was left out is fired by the next batch, and not by a repeat of the first one.
    let left = |jobs: &[Kept]| vec![jobs[4].claimed_entry(0), jobs[9].claimed_entry(0)];
    let outcome = runtime.block_on(kit.fire(at(1_001), left(&jobs)));
    assert_eq!(outcome, FireOutcome { placed: vec![Placed::Running; 2], ..FireOutcome::default() });
    let outcome = runtime.block_on(kit.store.fire(batch)).unwrap();
    assert_eq!((&outcome.busy[..], &outcome.stale[..]), (&[4, 7, 9][..], &[][..]));
    assert_eq!(outcome.placed, [Placed::Running; 97]);
    let runs = runtime.block_on(kit.store.info()).unwrap().live_runs;
    assert_eq!(runs, 99, "each that was fired has one run");
}

/// Over a slow wire each of them takes seconds, and there is always one under way. `other` is a session that may stay in a
/// transaction for as long as it likes.
pub(crate) fn fires_claims_and_looks_pass_each_other_by(
    store: Arc<dyn Store>,
    other: impl Server,
    is_waited_for: impl Fn() -> bool,
) {
    let runtime = Runtime::new().unwrap();
    let kit = runtime.block_on(Kit::new(store));
    let job = runtime.block_on(kit.save(Draft::new("a").trigger("t", at(1_000)).trigger("u", at(1_000))));
    let mut other = Session::new(other);
    let node = other.number_of(kit.incarnation).unwrap();
    let under_way = |take: Step<()>| take.and_then(|()| exists(&other.connection, Sql::new("SELECT 1"), &[])).unwrap();
    let batch = |index: usize| {
        let entries = vec![job.claimed_entry(index)];
        Arc::new(FireBatch { id: kit.batch_id(), at: at(1_000), answered: 0, entries })
    };
    let first = batch(0);

    under_way(other.connection.share_fence(node));
    for _repeated in [false, true] {
        let outcome = runtime.block_on(kit.store.fire(Arc::clone(&first))).expect("a claim is under way");
        assert_eq!(outcome.placed, [Placed::Running]);
    }
    other.connection.commit().unwrap();

    under_way(other.connection.step_fence(node, 0));
    let (fires, second) = (Arc::clone(&kit.store), batch(1));
    let fire = runtime.spawn(async move { fires.fire(second).await });
    until(|| fire.is_finished() || is_waited_for());
    assert!(!fire.is_finished(), "batches follow one another");
    runtime.block_on(kit.store.take_changes(kit.incarnation, ShardSet::ALL, 9)).expect("a batch is under way");
    runtime.block_on(kit.claim(9, at(1_000)));
    assert!(!fire.is_finished());
    other.connection.commit().unwrap();
    assert_eq!(runtime.block_on(fire).unwrap().unwrap().placed, [Placed::Running]);
}

/// What stands between a store and its server, loses answers, and counts questions.
pub(crate) struct Wire {
    /// The server's address by way of the wire.
    pub(crate) address: String,
    loses: Arc<AtomicBool>,
    asked: Arc<AtomicU64>,
    /// The near ends of its connections.
    near: Arc<Mutex<Vec<TcpStream>>>,
}

impl Wire {
    /// Lays a wire to a server on this machine.
    pub(crate) fn to(address: &str) -> Self {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let port = address.split(':').find(|text| digits(text) > 0).unwrap();
        let port = &port[..digits(port)];
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let ours = listener.local_addr().unwrap().port();
        let (loses, far) = (Arc::new(AtomicBool::new(false)), format!("127.0.0.1:{port}"));
        let (lose, asked) = (Arc::clone(&loses), Arc::<AtomicU64>::default());
        let (ask, ends) = (Arc::clone(&asked), Arc::<Mutex<Vec<TcpStream>>>::default());
        let near = Arc::clone(&ends);
        std::thread::spawn(move || {
            for near in listener.incoming() {
                let (near, far) = (near.unwrap(), TcpStream::connect(&far).unwrap());
                ends.lock().unwrap().push(near.try_clone().unwrap());
                connect(near, far, Arc::clone(&lose), Arc::clone(&ask));
            }
        });
        Self { address: address.replacen(&format!(":{port}"), &format!(":{ours}"), 1), loses, asked, near }
    }

    /// How many round trips something takes.
    async fn round_trips<T>(&self, work: impl Future<Output = Result<T>>) -> u64 {
        let before = self.asked.load(Ordering::SeqCst);
        work.await.unwrap();
        self.asked.load(Ordering::SeqCst) - before
    }

    /// Hangs up on all that are connected.
    fn hang_up(&self) {
        for near in self.near.lock().unwrap().drain(..) {
            // One that has ended by itself is gone.
            let _gone = near.shutdown(Shutdown::Both);
        }
    }

    /// Lets the server hear the next commit, and nobody its answer.
    pub(crate) fn lose_the_answer_to_a_commit(&self) {
        self.loses.store(true, Ordering::SeqCst);
    }
}

fn connect(near: TcpStream, far: TcpStream, loses: Arc<AtomicBool>, asked: Arc<AtomicU64>) {
    let (lost, waits) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let answered = Arc::clone(&waits);
    let (there, back) = ((near.try_clone().unwrap(), far.try_clone().unwrap()), (far, near));
    let is_lost = Arc::clone(&lost);
    std::thread::spawn(move || {
        carry(there.0, there.1, |bytes| {
            if !waits.swap(true, Ordering::SeqCst) {
                asked.fetch_add(1, Ordering::SeqCst);
            }
            let commits = bytes.ends_with(b"COMMIT") || bytes.ends_with(b"COMMIT\0");
            if commits && loses.swap(false, Ordering::SeqCst) {
                lost.store(true, Ordering::SeqCst);
            }
            true
        });
    });
    std::thread::spawn(move || {
        carry(back.0, back.1, |_| {
            answered.store(false, Ordering::SeqCst);
            !is_lost.load(Ordering::SeqCst)
        });
    });
}

fn carry(mut from: TcpStream, mut to: TcpStream, passes: impl Fn(&[u8]) -> bool) {
    let mut bytes = vec![0; 65_536];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if !passes(&bytes[..count]) || to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    for end in [from, to] {
        // The other thread may have been faster.
        let _closed = end.shutdown(Shutdown::Both);
    }
}

/// Waits for what the server was told last: it may come to that after the connection is gone.
async fn eventually(what: &str, mut look: impl AsyncFnMut() -> bool) {
    let looking = async {
        while !look().await {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), looking).await.unwrap_or_else(|_| panic!("never so: {what}"));
}

/// What was committed although nobody heard of it is answered by a repeat, and not done twice.
pub(crate) fn repeat_after_a_lost_answer_tells_what_was_kept(store: Arc<dyn Store>, wire: &Wire) {
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let mut kit = Kit::new(store).await;
        let job = kit.save(Draft::new("a").trigger("t", at(1_000)).trigger("u", at(1_000))).await;
        let batch = FireBatch { id: kit.batch_id(), at: at(1_000), answered: 0, entries: vec![job.claimed_entry(0)] };
        let batch = Arc::new(batch);
        wire.lose_the_answer_to_a_commit();
        let lost = kit.store.fire(Arc::clone(&batch)).await;
        assert!(matches!(lost, Err(Error::Unavailable { .. })), "{lost:?}");
        eventually("it is recorded", async || kit.again(&job).await.row(0).progress.times_triggered == 1).await;
        assert_eq!(kit.store.fire(batch).await.unwrap().placed, [Placed::Running]);

        kit.fire(at(1_001), vec![job.entry(1)]).await;
        let (run, _) = kit.ask(&job, 1, at(1_002)).await;
        let id = kit.batch_id();
        wire.lose_the_answer_to_a_commit();
        let lost = kit.store.claim(id, &Queues::All, 1, at(1_003)).await;
        assert!(matches!(lost, Err(Error::Unavailable { .. })), "{lost:?}");
        eventually("it is claimed", async || kit.run(job.next_run(1)).await.attempt == 1).await;
        let claimed = kit.store.claim(id, &Queues::All, 1, at(1_004)).await.unwrap();
        assert_eq!(claimed.iter().map(|run| (run.run, run.attempt)).collect::<Vec<_>>(), [(job.next_run(1), 1)]);
        assert_eq!(kit.claim(9, at(1_005)).await.iter().map(|claimed| claimed.run).collect::<Vec<_>>(), [run]);
    });
}

/// Over a slow wire each round trip counts: what a lease depends on takes one, once the statements are known.
pub(crate) fn verbs_of_leases_take_one_round_trip_each(store: &dyn Store, wire: &Wire, hints: u64) {
    let cluster = store.cluster().unwrap();
    let about = NodeInfo { name: "it's".to_owned(), address: String::new(), version: "1".to_owned() };
    let renewal = |join| Renewal { join, standing: Standing::Eligible, clock_offset_ms: Some(-1), answer_ms: Some(7) };
    let shards = ShardSet::ALL;
    Runtime::new().unwrap().block_on(async {
        for (me, is_known) in [(Incarnation(1), false), (Incarnation(2), true)] {
            let took = [
                (1, wire.round_trips(cluster.renew(me, &about, renewal(true))).await),
                (1, wire.round_trips(cluster.renew(me, &about, renewal(false))).await),
                (1, wire.round_trips(cluster.acquire(me, Change { number: 1, shards }, 7)).await),
                (1, wire.round_trips(cluster.release(me, Change { number: 2, shards })).await),
                (1, wire.round_trips(cluster.orphaned()).await),
                (hints, wire.round_trips(cluster.hint()).await),
                (1, wire.round_trips(cluster.bury(me, Some(2))).await),
                (1, wire.round_trips(cluster.renew(me, &about, renewal(true))).await),
                (1, wire.round_trips(cluster.leave(me, Answered { batches: 1, through: Some(at(5_000)) })).await),
            ];
            assert!(!is_known || took.iter().all(|(expected, took)| expected == took), "{took:?}");
            let view = cluster.renew(me, &about, renewal(false)).await.unwrap();
            assert_eq!((view.nodes.len(), view.shards.len()), (0, 0), "it is buried");
        }
    });
}

/// A repeat that overtakes what was sent before it waits for that. `is_waited_for` tells whether somebody waits for
/// `other`, which may stay in a transaction for as long as it likes.
pub(crate) fn repeated_claim_waits_for_the_first(
    store: Arc<dyn Store>,
    other: impl Server,
    is_waited_for: impl Fn() -> bool,
) {
    let runtime = Runtime::new().unwrap();
    let (kit, id) = runtime.block_on(async {
        let kit = Kit::new(store).await;
        let job = kit.save(Draft::new("a")).await;
        for number in 0..2 {
            kit.ask(&job, number, at(1_000)).await;
        }
        let id = kit.batch_id();
        (kit, id)
    });
    let mut other = Session::new(other);
    let first = queue::claim(&mut other, id, &Queues::All, 1, at(1_001)).unwrap();
    let store = Arc::clone(&kit.store);
    let again = runtime.spawn(async move { store.claim(id, &Queues::All, 1, at(1_002)).await.unwrap() });
    until(|| again.is_finished() || is_waited_for());
    assert!(!again.is_finished(), "it does not wait");
    other.connection.commit().unwrap();
    assert_eq!(runtime.block_on(again).unwrap(), first);
    assert_eq!(runtime.block_on(kit.claim(9, at(1_003))).len(), 1, "the other one is still there");
}

/// A node counts a worker up while another one buries it for the count that it has seen: the burial waits, and finds it alive.
pub(crate) fn burial_waits_for_the_count_that_is_under_way(
    store: Arc<dyn Store>,
    other: impl Server,
    is_waited_for: impl Fn() -> bool,
) {
    const WORKER: Incarnation = Incarnation(21);
    let runtime = Runtime::new().unwrap();
    let (node, seen) = runtime.block_on(async {
        let node = Kit::new(Arc::clone(&store)).await.incarnation;
        store.join_worker(info(WORKER, node, at(1_000))).await.unwrap();
        let mut seen = 0;
        for now in [1_001, 1_002] {
            seen = store.beat_workers(node, &[WORKER], at(now)).await.unwrap()[0].counter;
        }
        (node, seen)
    });
    let mut other = Session::new(other);
    worker::beat(&mut other, node, &[WORKER], at(1_003)).unwrap();
    let buries = Arc::clone(&store);
    let burial = runtime.spawn(async move { buries.bury_worker(WORKER, Some(seen)).await.unwrap() });
    until(|| burial.is_finished() || is_waited_for());
    assert!(!burial.is_finished(), "it does not wait");
    other.connection.commit().unwrap();
    assert!(!runtime.block_on(burial).unwrap(), "it was heard since");
    assert!(runtime.block_on(store.bury_worker(WORKER, Some(seen + 1))).unwrap());
}

/// Writes something of a name.
fn write(db: &impl Server, name: &str) -> Step<u64> {
    execute(db, sql!("set_setting", mysql), &[(":name", &name), (":value", &"there")])
}

/// Whether that is there.
fn there(db: &impl Server, name: &str) -> Step<bool> {
    super::db::exists(db, sql!("setting"), &[(":name", &name)])
}

/// Whoever asked stops waiting while the statement waits for a lock: it is finished, and its session serves the next one.
pub(crate) fn request_of_a_caller_that_is_gone_is_finished<C: Server>(
    lane: &Lane<C>,
    other: &impl Server,
    is_waited_for: impl Fn() -> bool,
) {
    let runtime = Runtime::new().unwrap();
    write(other, "held").unwrap();
    let request = lane.call("test", |session| {
        write(&session.connection, "before")?;
        write(&session.connection, "held")
    });
    let mut request = Box::pin(request);
    let is_ready = runtime.block_on(async { futures_util::poll!(&mut request).is_ready() });
    assert!(!is_ready, "it waits for the lock");
    until(is_waited_for);
    drop(request);
    other.roll_back().unwrap();
    // The lane has one session: what it does next comes after.
    let found = lane.call("test", |s| Ok((there(&s.connection, "before")?, there(&s.connection, "held")?)));
    assert_eq!(runtime.block_on(found).unwrap(), (true, true));
    write(other, "held").unwrap();
    other.roll_back().unwrap();
}

/// Changes are heard of row by row: one that is committed after later ones is not passed by.
pub(crate) fn change_that_is_committed_late_is_told(store: Arc<dyn Store>, other: &impl Server) {
    let runtime = Runtime::new().unwrap();
    let kit = runtime.block_on(Kit::new(store));
    let save = |name: &str| runtime.block_on(kit.save(Draft::new(name).trigger("t", at(1_000))));
    let (early, late) = (save("a"), save("b"));
    runtime.block_on(kit.changed_triggers());
    let id = early.row(0).id;
    execute(other, sql!("note_trigger", postgres, mysql), &[(":trigger", &id.0)]).unwrap();
    runtime.block_on(kit.pause_job(&late, true, at(2_000)));
    let take = || runtime.block_on(kit.store.take_changes(kit.incarnation, ShardSet::ALL, 9)).unwrap().triggers;
    assert_eq!(take(), [late.row(0).id]);
    other.commit().unwrap();
    assert_eq!(take(), [id]);
}

/// A look waits for nobody who notes again what it has heard of, and leaves it.
pub(crate) fn change_that_is_being_noted_again_is_passed_over(store: Arc<dyn Store>, other: &impl Server) {
    let runtime = Runtime::new().unwrap();
    let kit = runtime.block_on(Kit::new(store));
    let job = runtime.block_on(kit.save(Draft::new("a").trigger("t", at(1_000)).trigger("u", at(1_000))));
    let look = |heard: &Heard| {
        let look = kit.store.read_changes(kit.incarnation, ShardSet::ALL, heard.clone(), 9);
        runtime.block_on(look).map(|changes| (changes.triggers, changes.heard)).unwrap()
    };
    let (both, heard) = look(&Heard::default());
    assert_eq!(both, [job.row(0).id, job.row(1).id]);
    execute(other, sql!("note_trigger", postgres, mysql), &[(":trigger", &both[0].0)]).unwrap();
    assert_eq!(look(&heard).0, both[..1], "as it was noted before");
    other.commit().unwrap();
    assert_eq!(look(&heard).0, both[..1], "as it is noted now");
    let (_, since) = look(&heard);
    assert_eq!(look(&since).0, []);
}

/// Requests and reads that wait, many more than there are sessions for them, keep none of the engine's kinds of work waiting.
/// `hold` takes a table that they all need, and `free` gives it back.
pub(crate) fn requests_that_wait_keep_no_session_from_the_engine(
    store: Arc<dyn Store>,
    hold: impl FnOnce(),
    is_waited_for: impl Fn() -> bool,
    free: impl FnOnce(),
) {
    const EACH: usize = 40;
    let runtime = Runtime::new().unwrap();
    let mut kit = runtime.block_on(Kit::new(store));
    let job = runtime.block_on(kit.save(Draft::new("a").trigger("t", at(1_000)).trigger("u", at(9_000))));
    let (asked, _) = runtime.block_on(kit.ask(&job, 1, at(1)));
    hold();
    let waiting = Arc::new(AtomicUsize::new(2 * EACH));
    for _ in 0..EACH {
        let (reader, writer) = (Arc::clone(&kit.store), Arc::clone(&kit.store));
        let (read, written) = (Arc::clone(&waiting), Arc::clone(&waiting));
        runtime.spawn(async move {
            drop(reader.calendar("default", "c").await);
            read.fetch_sub(1, Ordering::SeqCst);
        });
        runtime.spawn(async move {
            drop(writer.delete_calendar("default", "c", Expect::Anything).await);
            written.fetch_sub(1, Ordering::SeqCst);
        });
    }
    until(is_waited_for);
    runtime.block_on(async {
        assert_eq!(kit.window(at(9_000), 9).await.len(), 2);
        assert_eq!(kit.fire(at(1_000), vec![job.claimed_entry(0)]).await.placed, [Placed::Running]);
        assert_eq!(kit.claim(9, at(1_001)).await.iter().map(|claimed| claimed.run).collect::<Vec<_>>(), [asked]);
        let log = LogChunk { run: asked, attempt: 1, first_line: 0, line_count: 1, data: b"x".to_vec() };
        kit.store.append_log(vec![log]).await.unwrap();
        let ended = job.verdict(job.next_run(0), Verdict::Succeeded, at(1_002));
        assert!(kit.complete(at(1_002), vec![ended]).await.refused.is_empty());
        kit.store.cluster().unwrap().orphaned().await.unwrap();
    });
    assert!(waiting.load(Ordering::SeqCst) > 0, "they were in nobody's way");
    free();
    until(|| waiting.load(Ordering::SeqCst) == 0);
}

/// A request whose turn comes too late is refused, and nothing of it is done.
pub(crate) fn request_that_has_waited_too_long_is_not_begun<C: Server>(lane: Lane<C>) {
    let runtime = Runtime::new().unwrap();
    let set = |patience, name: &'static str| {
        let work = move |session: &mut Session<C>| write(&session.connection, name);
        runtime.block_on(lane.call("test", within(patience, "test", work)))
    };
    set(PATIENCE, "in time").unwrap();
    assert!(matches!(set(Duration::ZERO, "late"), Err(Error::Unavailable { .. })));
    let found = lane.call("test", |s| Ok((there(&s.connection, "in time")?, there(&s.connection, "late")?)));
    assert_eq!(runtime.block_on(found).unwrap(), (true, false));
}

/// Process starts and workers to which nothing refers are forgotten a day after that was seen, and with them what was answered
/// to those who took their runs over; those at work and those with something of theirs stay.
pub(crate) fn unused_process_starts_are_forgotten(session: &mut Session<impl Batches>) {
    const DAY: i64 = 86_400_000;
    let (node, dead, worker) = (Incarnation(1), Incarnation(2), Incarnation(3));
    queue::adopt(session, node, at(0)).unwrap();
    let info = WorkerInfo {
        id: worker,
        name: "w".into(),
        queues: vec!["default".into()],
        labels: BTreeMap::new(),
        place: None,
        slots: 1,
        version: None,
        token: None,
        node,
        joined_at: at(0),
    };
    worker::join(session, &info).unwrap();
    let (by, of) = (session.number_of(node).unwrap(), session.number_of(dead).unwrap());
    let slot = ANSWERS_KEPT.cast_signed() + of;
    let values: [(&str, &dyn ToSql); 4] =
        [(":sequence", &1_i64), (":taken", &vec![7_u8; 20]), (":slot", &slot), (":incarnation", &by)];
    execute(&session.connection, sql!("taken_add", servers), &values).unwrap();
    let count = |purged_at: i64| {
        let rule = PurgeRule {
            at: at(purged_at),
            history_before: at(0),
            history_keep_per_job: None,
            events_before: at(0),
            tombstones_before: at(purged_at - DAY),
            limit: 100,
        };
        for slice in purge::find(&session.connection, &rule).unwrap().slices() {
            slice.delete(session).unwrap();
        }
        let count = |text| {
            let rows = read(&session.connection, Sql::new(text), &[], |row| row.get::<i64>(0)).unwrap();
            usize::try_from(rows[0]).unwrap()
        };
        (count("SELECT COUNT(*) FROM incarnation"), count("SELECT COUNT(*) FROM fire_batch"))
    };
    assert_eq!(count(10), (3, 1), "it is seen for the first time");
    assert_eq!(count(DAY + 10), (3, 1));
    assert_eq!(count(DAY + 11), (2, 1));
    assert_eq!(count(DAY + 12), (2, 0), "nobody asks again what was taken over from it");
    assert_eq!(count(9 * DAY), (2, 0), "the others are at work");
}

/// Whoever wants a key under which somebody is at work is told so at once, and does not wait for that.
pub(crate) fn key_under_which_somebody_works_is_pending(store: &dyn Store, other: &impl Server) {
    let runtime = Runtime::new().unwrap();
    let claim = |by| KeyClaim { key: "k".into(), request_hash: [7; 32], by, at: at(1_000), lapse_ms: 60_000 };
    let first = runtime.block_on(store.claim_key(claim(Incarnation(1)))).unwrap();
    assert!(matches!(first, Claimed::Yours { again: false, .. }), "{first:?}");
    let number = read(other, sql!("incarnation_number"), &[(":id", &1_u128.to_be_bytes())], |row| row.get::<i64>(0));
    let values: [(&str, &dyn ToSql); 2] = [(":key", &"k"), (":by", &number.unwrap()[0])];
    assert!(exists(other, sql!("key_hold", servers), &values).unwrap());
    let second = runtime.block_on(store.claim_key(claim(Incarnation(2)))).unwrap();
    assert_eq!(second, Claimed::Pending);
    other.roll_back().unwrap();
}
