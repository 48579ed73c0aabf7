//! What happens when something else goes wrong: other processes, damaged files, full disks, crashes.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::sync::mpsc;

use mainspring_core::batch::Placed;
use mainspring_core::{Incarnation, RunId, RunSource, Timestamp};
use rusqlite::ffi;

use super::*;
use crate::conformance::kit::{Draft, Kept, Kit, at};
use crate::sql::db::Fault;
use crate::sql::{keep, save};

const ROLE: &str = "MAINSPRING_STORE_TEST_ROLE";
const PATH: &str = "MAINSPRING_STORE_TEST_PATH";

/// This test binary again, to play a role with the store at `path`.
pub(super) fn child(role: &str, path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "sqlite::tests::faults::child_process", "--nocapture", "--test-threads=1"]);
    command.env(ROLE, role).env(PATH, path).stdout(Stdio::piped());
    command
}

/// Not a test of its own: what [`child`] does in the other process.
#[test]
fn child_process() {
    let (Ok(role), Ok(path)) = (std::env::var(ROLE), std::env::var(PATH)) else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    match role.as_str() {
        "open" => match SqliteStore::open(&path, Options::default()) {
            Ok(_) => println!("\nopened"),
            Err(error) => println!("\nrefused: {error}"),
        },
        "fire" => runtime.block_on(fire(Path::new(&path), 20, usize::MAX)),
        "script" => runtime.block_on(fire(Path::new(&path), 2, 2)),
        power::SYNCED | power::UNSYNCED => runtime.block_on(power::script(Path::new(&path), &role)),
        reruns::ROLE => runtime.block_on(reruns::run(Path::new(&path))),
        backfills::ROLE => runtime.block_on(backfills::run(Path::new(&path))),
        "fill" => runtime.block_on(fill_and_make_room(Path::new(&path))),
        other => panic!("unknown role {other}"),
    }
}

pub(super) fn open(path: &Path) -> Result<SqliteStore> {
    SqliteStore::open(path, Options::default())
}

/// The reason why a store cannot be used.
fn refusal(path: &Path) -> String {
    match open(path) {
        Err(Error::Unusable { store, why }) => {
            assert_eq!(store, path.display().to_string());
            why
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn second_process_is_refused_and_told_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let store = open(&path).unwrap();
    let output = child("open", &path).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let expected = format!("another process (process {}) is using it. Stop that one", std::process::id());
    assert!(text.contains(&expected) && text.contains(&path.display().to_string()), "{text}");
    drop(store);
    let output = child("open", &path).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("\nopened"), "a closed store is free");
}

#[test]
fn files_are_for_their_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let _store = open(&folder.path().join("s.db")).unwrap();
    let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap()).collect();
    assert!(files.len() >= 5, "database, log, index of the log, lock, mark: {files:?}");
    for file in files {
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{file:?}");
    }
}

/// A store with one job, closed.
async fn made(path: &Path) {
    let store = Arc::new(open(path).unwrap());
    let kit = Kit::new(store.clone()).await;
    kit.save(Draft::new("a").trigger("t", at(1_000))).await;
    store.close().await.unwrap();
}

#[tokio::test]
async fn files_that_cannot_be_used_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    type Damage = fn(&Path);
    let cases: [(&str, Damage, &str); 6] = [
        ("newer", |path| sqlite(path, "PRAGMA user_version = 99"), "newer mainspring (schema 99, this program knows"),
        ("foreign", |path| sqlite(path, "PRAGMA application_id = 7"), "another program"),
        ("header", |path| overwrite(path, 0, b"not a database at all"), "not an SQLite database"),
        ("short", |path| std::fs::write(path, b"SQLi").unwrap(), "not an SQLite database"),
        ("page", |path| overwrite(path, 3 * 4_096, &[0xff; 4_096]), "damaged"),
        (
            "truncated",
            |path| std::fs::OpenOptions::new().write(true).open(path).unwrap().set_len(9_000).unwrap(),
            "damaged",
        ),
    ];
    for (name, damage, expected) in cases {
        remove(&path);
        made(&path).await;
        damage(&path);
        let before = std::fs::read(&path).unwrap();
        let why = refusal(&path);
        assert!(why.contains(expected), "{name}: {why}");
        assert_eq!(std::fs::read(&path).unwrap(), before, "{name}: not a byte is changed");
    }
}

#[tokio::test]
async fn damaged_header_is_told_as_such_whichever_byte_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    for at in [0, 5, 18, 19, 21, 22, 23, 44, 56] {
        remove(&path);
        made(&path).await;
        overwrite(&path, at, &[0x77]);
        let why = refusal(&path);
        assert!(why.contains("its beginning is damaged"), "byte {at}: {why}");
    }
}

#[tokio::test]
async fn damaged_log_is_refused_until_its_loss_is_accepted_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("s.db"), folder.path().join("copy.db"));
    let store = Arc::new(open(&path).unwrap());
    let kit = Kit::new(store.clone()).await;
    for name in ["a", "b", "c", "d"] {
        kit.save(Draft::new(name).trigger("t", at(1_000))).await;
    }
    let wal = |path: &Path| super::with_suffix(path, "-wal");
    // As a crash leaves it: everything is in the log.
    let files = [(path.clone(), copy.clone()), (wal(&path), wal(&copy))];
    files.iter().for_each(|(from, to)| _ = std::fs::copy(from, to).unwrap());
    assert!(std::fs::metadata(wal(&copy)).unwrap().len() > 10_000);
    overwrite(&wal(&copy), 32 + 24 + 100, &[0xff; 8]);
    let (before, log) = (std::fs::read(&copy).unwrap(), std::fs::read(wal(&copy)).unwrap());
    let why = refusal(&copy);
    assert!(why.contains("is damaged") && why.contains("--accept-data-loss"), "{why}");
    assert_eq!((std::fs::read(&copy).unwrap(), std::fs::read(wal(&copy)).unwrap()), (before, log.clone()));
    let accepted = SqliteStore::open(&copy, Options { accept_data_loss: true, ..Options::default() }).unwrap();
    assert_eq!(accepted.info().await.unwrap().jobs, 0, "what SQLite would have done without a word");
    assert_eq!(std::fs::read(folder.path().join("copy.db-wal.damaged")).unwrap(), log);
    store.close().await.unwrap();
}

/// SQLite removes a log without a database, and one that does not begin as a log, and says nothing.
#[tokio::test]
async fn log_without_its_database_and_one_that_is_none_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("s.db"), folder.path().join("copy.db"));
    let store = Arc::new(open(&path).unwrap());
    let kit = Kit::new(store.clone()).await;
    for name in ["a", "b", "c", "d"] {
        kit.save(Draft::new(name).trigger("t", at(1_000))).await;
    }
    let (database, log) = (std::fs::read(&path).unwrap(), std::fs::read(super::with_suffix(&path, "-wal")).unwrap());
    let noise: Vec<u8> = (0..60_000_u32).map(|byte| (byte % 251) as u8 ^ 0x55).collect();
    let cases = [
        (None, &log, Some("its database is missing or empty")),
        (Some(&database[..0]), &log, Some("its database is missing or empty")),
        (Some(&database[..]), &noise, Some("its header is damaged")),
        (None, &vec![0; 8_000], None),
    ];
    for (number, (database, log, refused)) in cases.into_iter().enumerate() {
        let copy = copy.with_file_name(format!("copy-{number}.db"));
        if let Some(bytes) = database {
            std::fs::write(&copy, bytes).unwrap();
        }
        std::fs::write(super::with_suffix(&copy, "-wal"), log).unwrap();
        match refused {
            Some(why) => assert!(refusal(&copy).contains(why), "{number}: {}", refusal(&copy)),
            None => open(&copy).unwrap().close().await.unwrap(),
        }
    }
    store.close().await.unwrap();
}

#[tokio::test]
async fn second_name_of_a_database_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("s.db"), folder.path().join("t.db"));
    made(&path).await;
    std::fs::hard_link(&path, &other).unwrap();
    for name in [&path, &other] {
        assert!(refusal(name).contains("second name"), "{}", name.display());
    }
    std::fs::remove_file(&other).unwrap();
    made(&path).await;
}

#[tokio::test]
async fn symbolic_link_to_a_database_lets_no_second_process_in() {
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("s.db"), folder.path().join("t.db"));
    std::os::unix::fs::symlink("s.db", &link).unwrap();
    let store = SqliteStore::open(&link, Options::default()).unwrap();
    assert!(path.is_file(), "made where the link leads");
    for name in [&path, &link] {
        assert!(refusal(name).contains("another process"), "{}", name.display());
    }
    store.close().await.unwrap();
    let store = SqliteStore::open(&path, Options::default()).unwrap();
    assert!(refusal(&link).contains("another process"));
    store.close().await.unwrap();
}

/// The power went while the first page was written: nothing of it got there, and the journal says that the file was empty.
#[tokio::test]
async fn making_of_a_store_that_was_cut_short_is_taken_back_and_done_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let mut journal = vec![0; 512];
    // The mark of a journal, no pages in it, any number, no pages before, and the sizes of a sector and a page.
    journal[..8].copy_from_slice(&[0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]);
    journal[20..24].copy_from_slice(&512_u32.to_be_bytes());
    journal[24..28].copy_from_slice(&4_096_u32.to_be_bytes());
    for page in [&[0; 4_096][..], b"SQLi"] {
        std::fs::write(&path, page).unwrap();
        assert!(refusal(&path).contains("its beginning is damaged"));
        std::fs::write(folder.path().join("s.db-journal"), &journal).unwrap();
        made(&path).await;
        remove(&path);
    }
}

fn sqlite(path: &Path, text: &str) {
    rusqlite::Connection::open(path).unwrap().execute_batch(text).unwrap();
}

fn overwrite(path: &Path, offset: u64, bytes: &[u8]) {
    use std::os::unix::fs::FileExt;
    std::fs::OpenOptions::new().write(true).open(path).unwrap().write_all_at(bytes, offset).unwrap();
}

#[tokio::test]
async fn places_that_cannot_be_written_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    made(&path).await;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    let why = refusal(&path);
    assert!(why.contains("read-only") || why.contains("cannot be written"), "{why}");
    let why = refusal(&folder.path().join("none").join("s.db"));
    assert!(why.contains("s.db.lock cannot be written"), "{why}");
    assert!(refusal(folder.path()).contains("it cannot be opened"));
}

#[tokio::test]
async fn damage_that_is_met_later_is_reported_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("s.db")).unwrap();
    let corrupt = || Fault::Sqlite(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_CORRUPT), None));
    let written: Result<()> = store.write(Lane::Api, "try", move |_| Err(corrupt())).await;
    let read: Result<()> = store.read(ReadLane::Requests, "try", move |_| Err(corrupt())).await;
    for answer in [written, read] {
        assert!(matches!(&answer, Err(Error::Unusable { why, .. }) if why.contains("backup")), "{answer:?}");
    }
}

#[tokio::test]
async fn request_that_fails_leaves_the_others_of_its_group_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("s.db")).unwrap();
    let (go, wait) = mpsc::channel::<()>();
    let set = |session: &Session<Connection>, name: &str| keep::set_setting(session, name, "x");
    // The first request holds the writer until the others wait behind it.
    let first = store.write(Lane::Fire, "wait", move |s| {
        wait.recv().expect("the test says go");
        set(s, "first")
    });
    let conflict = store.write(Lane::Fire, "fail", move |s| {
        set(s, "refused")?;
        Err::<(), _>(save::conflict("thing", "key".into(), "is in the way".into()).into())
    });
    let second = store.write(Lane::Api, "go on", move |s| set(s, "second"));
    let panics = store.write(Lane::Api, "panic", move |s| -> Step<()> {
        set(s, "panicked")?;
        panic!("as a bug would")
    });
    let third = store.write(Lane::Api, "go on", move |s| set(s, "third"));
    let release = async { go.send(()).unwrap() };
    let (first, conflict, second, panics, third, ()) = tokio::join!(first, conflict, second, panics, third, release);
    assert!(first.is_ok() && second.is_ok() && third.is_ok());
    assert!(matches!(conflict, Err(Error::Conflict { .. })));
    assert!(matches!(panics, Err(Error::Rejected { operation: "panic", .. })));
    for (name, there) in [("first", true), ("refused", false), ("second", true), ("panicked", false), ("third", true)] {
        assert_eq!(store.setting(name).await.unwrap().is_some(), there, "{name}");
    }
}

#[tokio::test]
async fn what_the_database_refuses_is_told_from_what_fails() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(open(&folder.path().join("s.db")).unwrap());
    let spoilt = Arc::clone(&store);
    let spoil = |trigger| async move {
        let text = format!(
            "CREATE TRIGGER spoilt BEFORE INSERT ON run WHEN new.trigger_id = {trigger} \
             BEGIN SELECT RAISE(ABORT, 'spoilt'); END"
        );
        let run = move |s: &mut Session<Connection>| Ok(s.connection.execute_batch(&text)?);
        spoilt.write(Lane::Api, "spoil", run).await.unwrap();
    };
    crate::conformance::fires::refused_batch_is_told_and_nothing_of_it_is_kept(store, spoil).await;
}

#[tokio::test]
async fn full_database_is_reported_and_works_again_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("s.db")).unwrap();
    let big = "x".repeat(1 << 20);
    store.set_setting("before", "kept").await.unwrap();
    limit_pages(&store, 100).await;
    for _ in 0..3 {
        let error = store.set_setting("big", &big).await.expect_err("there is no room");
        let Error::Unavailable { operation, source } = &error else { panic!("{error:?}") };
        assert_eq!(*operation, "set a setting");
        assert!(source.to_string().contains("full"), "{source}");
    }
    assert_eq!(store.setting("before").await.unwrap().as_deref(), Some("kept"));
    limit_pages(&store, 1_000_000).await;
    store.set_setting("big", &big).await.expect("there is room again");
    assert_eq!(store.setting("big").await.unwrap(), Some(big));
}

async fn limit_pages(store: &SqliteStore, max: u32) {
    let text = format!("PRAGMA max_page_count = {max}");
    let set = move |s: &mut Session<Connection>| Ok(s.connection.query_row(&text, [], |row| row.get::<_, i64>(0))?);
    store.write(Lane::Api, "limit", set).await.unwrap();
}

/// Writes until the file cannot grow, then raises the limit.
async fn fill_and_make_room(path: &Path) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let store = open(path).unwrap();
    let big = "x".repeat(100_000);
    let mut kept = 0;
    let error = loop {
        match store.set_setting(&kept.to_string(), &big).await {
            Ok(()) => kept += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    assert!(store.set_setting("still", &big).await.is_err());
    let hard = getrlimit(Resource::Fsize).maximum;
    setrlimit(Resource::Fsize, Rlimit { current: hard, maximum: hard }).unwrap();
    store.set_setting("after", &big).await.expect("it can be written again");
    for name in 0..kept {
        assert!(store.setting(&name.to_string()).await.unwrap().is_some(), "{name} was answered");
    }
    println!("\nrecovered after {kept}");
}

#[test]
fn disk_that_refuses_to_write_is_reported_and_used_again_later() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let inner = child("fill", &path);
    // The shell sets the limit of file sizes (in blocks) and lets writes beyond it fail instead of killing.
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -S -f 4096; exec \"$0\" \"$@\""]).arg(inner.get_program());
    shell.args(inner.get_args()).env(ROLE, "fill").env(PATH, &path);
    let output = shell.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("\nrecovered after"), "{text}");
}

#[tokio::test]
async fn nothing_is_written_after_a_failed_sync() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("s.db")).unwrap();
    store.set_setting("before", "x").await.unwrap();
    let failed = || Fault::Sqlite(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_IOERR_FSYNC), None));
    let answer: Result<()> = store.write(Lane::Fire, "sync", move |_| Err(failed())).await;
    assert!(matches!(answer, Err(Error::Unavailable { .. })));
    let Err(Error::Unavailable { source, .. }) = store.set_setting("after", "x").await else {
        panic!("it was written")
    };
    assert!(source.to_string().contains("start again"), "{source}");
    assert_eq!(store.setting("before").await.unwrap().as_deref(), Some("x"), "reading goes on");
    assert_eq!(store.setting("after").await.unwrap(), None);
}

#[tokio::test]
async fn read_that_takes_too_long_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("s.db")).unwrap();
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) FROM n";
    let answer =
        store
            .read(ReadLane::Requests, "count for ever", move |db| {
                Ok(db.query_row(endless, [], |row| row.get::<_, i64>(0))?)
            })
            .await;
    assert!(
        matches!(&answer, Err(Error::Unavailable { source, .. }) if source.to_string().contains("2 s")),
        "{answer:?}"
    );
    assert_eq!(store.setting("x").await.unwrap(), None, "the thread reads on");
}

/// Fires and completes, and prints in the end that it is done.
async fn fire(path: &Path, jobs: usize, rounds: usize) {
    let store = Arc::new(open(path).unwrap());
    let mut kit = begin(&store, jobs).await;
    for _ in 0..rounds {
        fire_once(&mut kit).await;
    }
    store.close().await.unwrap();
    println!("\ndone");
}

/// A process start, and jobs for it.
pub(super) async fn begin(store: &Arc<SqliteStore>, jobs: usize) -> Kit {
    let number = u128::from(std::process::id()) << 64 | u128::from(store.last_event().await.unwrap().cast_unsigned());
    let kit = Kit::restarted(store.clone(), Incarnation(number)).await;
    let drafts = (0..jobs).map(|i| Draft::new(&format!("j{i}")).trigger("t", at(0)));
    for draft in drafts {
        if kit.store.job(&draft.0.definition.key).await.unwrap().is_none() {
            kit.save(draft).await;
        }
    }
    kit
}

/// Fires every trigger and completes its run, and prints what was answered.
pub(super) async fn fire_once(kit: &mut Kit) {
    let mut entries = Vec::new();
    let mut ends = Vec::new();
    for row in kit.window(Timestamp::MAX, 100).await {
        let now = kit.store.triggers(crate::TriggerQuery { limit: 100, ..Default::default() }).await.unwrap();
        let info = now.into_iter().find(|info| info.trigger.row.id == row.id).unwrap();
        let job = Kept { job: info.job, triggers: vec![info.trigger] };
        entries.push(job.claimed_entry(0));
        ends.push(job.verdict(job.next_run(0), mainspring_core::run::Verdict::Succeeded, at(1)));
    }
    entries.sort_by_key(|entry| entry.trigger);
    let runs: Vec<RunId> = entries.iter().map(|entry| entry.runs[0].id).collect();
    let fired = kit.fire(at(0), entries).await;
    assert!(fired.placed.iter().all(|placed| *placed == Placed::Running));
    for run in &runs {
        println!("\nfired {run}");
    }
    assert!(kit.complete(at(1), ends).await.refused.is_empty());
    for run in &runs {
        println!("\nended {run}");
    }
}

/// A folder where a sync costs nothing, if there is one: what it is good for is not asked there.
pub(super) fn folder_in_memory() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// Removes a database, with what SQLite keeps beside it.
pub(super) fn remove(path: &Path) {
    for ending in ["", "-wal", "-shm", "-journal", "-mark"] {
        let _fresh = std::fs::remove_file(format!("{}{ending}", path.display()));
    }
}

/// Whether processes may be traced here.
pub(super) fn may_trace() -> bool {
    let tried = Command::new("strace").args(["-o", "/dev/null", "true"]).status();
    let may = tried.is_ok_and(|ended| ended.success());
    if !may {
        eprintln!("not tried: strace is missing, or may not trace here");
    }
    may
}

/// A process is killed when it is about to write for the first time, for the second, and so on, and the same with what it syncs:
/// while it makes the file, and while it fires and completes over one that is there. Whatever it was told by then is there, each
/// instant once, and the next process start goes on.
#[tokio::test]
async fn whatever_write_or_sync_is_the_last_what_was_answered_is_there() {
    if !may_trace() {
        return;
    }
    let folder = folder_in_memory();
    let there = folder.path().join("there.db");
    drop(open(&there).unwrap());
    for (role, done, calls) in [
        ("open", "\nopened", "pwrite64,ftruncate,unlink"),
        ("open", "\nopened", "fsync,fdatasync"),
        ("script", "\ndone", "pwrite64,ftruncate"),
        ("script", "\ndone", "fsync,fdatasync"),
    ] {
        let path = folder.path().join("s.db");
        let mut number = 0;
        loop {
            number += 1;
            remove(&path);
            if role == "script" {
                std::fs::copy(&there, &path).unwrap();
            }
            let alone = (role == "script").then_some(&*path);
            let text = killed_at(child(role, &path), calls, number, alone);
            let (mut fired, mut ended) = (Vec::new(), Vec::new());
            text.lines().for_each(|line| note(line, &mut fired, &mut ended));
            check_after_kill(&path, &fired, &ended).await;
            if text.contains(done) {
                break;
            }
        }
        assert!(number > 3, "nothing was killed at {calls} of {role}: {number}");
    }
}

/// What a process has printed until it was killed where it entered a system call for the n-th time, or was done. Calls are counted
/// by thread: one makes the file, another writes to it later, so that of the latter the file and its log count alone.
/// `alone` is that file.
pub(super) fn killed_at(inner: Command, calls: &str, number: u32, alone: Option<&Path>) -> String {
    let mut traced = Command::new("strace");
    traced.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={calls}")]);
    traced.args(["-e", &format!("inject={calls}:signal=KILL:when={number}")]);
    if let Some(path) = alone {
        traced.arg("-P").arg(path).arg("-P").arg(format!("{}-wal", path.display()));
    }
    traced.arg(inner.get_program()).args(inner.get_args());
    traced.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = traced.output().unwrap();
    // Strace ends as what it traces does.
    let is_over = output.status.success() || output.status.signal() == Some(9);
    assert!(is_over, "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[tokio::test]
async fn what_was_answered_survives_kill_9() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let mut fired: Vec<RunId> = Vec::new();
    let mut ended: Vec<RunId> = Vec::new();
    for round in 0..6_usize {
        let mut process = child("fire", &path).spawn().unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        // Killed after a different number of answers each time, in the midst of whatever comes next.
        let mut line = String::new();
        for _ in 0..(150 + 371 * round) {
            line.clear();
            assert!(output.read_line(&mut line).unwrap() > 0, "the child went on");
            note(&line, &mut fired, &mut ended);
        }
        process.kill().unwrap();
        process.wait().unwrap();
        let mut rest = String::new();
        output.read_to_string(&mut rest).unwrap();
        rest.lines().for_each(|line| note(line, &mut fired, &mut ended));
        check_after_kill(&path, &fired, &ended).await;
    }
    assert!(ended.len() > 100, "{} runs ended", ended.len());
}

/// Takes in a line that the child has printed. The last one may have been cut off.
pub(super) fn note(line: &str, fired: &mut Vec<RunId>, ended: &mut Vec<RunId>) {
    let (list, id) = match line.trim().split_once(' ') {
        Some(("fired", id)) => (fired, id),
        Some(("ended", id)) => (ended, id),
        _ => return,
    };
    list.extend(id.parse::<RunId>().ok().filter(|_| id.len() == 36));
}

async fn check_after_kill(path: &Path, fired: &[RunId], ended: &[RunId]) {
    let store = Arc::new(open(path).unwrap());
    assert_eq!(lost(&store, fired, ended).await, Vec::<String>::new());
    whole(&store).await;
    store.close().await.unwrap();
}

/// What was answered, and is not there.
pub(super) async fn lost(store: &SqliteStore, fired: &[RunId], ended: &[RunId]) -> Vec<String> {
    let mut lost = Vec::new();
    for run in fired {
        if store.run(*run).await.unwrap().is_none() {
            lost.push(format!("{run} was answered as fired"));
        }
    }
    for run in ended {
        let state = store.run(*run).await.unwrap().map(|run| run.state);
        if !state.is_some_and(|state| state.is_final()) {
            lost.push(format!("{run} was answered as ended, and is {state:?}"));
        }
    }
    lost
}

/// What is there fits together, and belongs to the next process start.
pub(super) async fn whole(store: &SqliteStore) {
    let verdict = store.read(ReadLane::Requests, "check", |db| {
        Ok(db.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0))?)
    });
    assert_eq!(verdict.await.unwrap(), "ok");
    for tally in store.tally().await.unwrap() {
        let step = 1_000;
        let (Some(first), Some(last)) = (tally.first, tally.last) else { continue };
        assert_eq!(tally.duplicated, 0);
        assert_eq!(tally.fired.cast_signed(), last.since(first) / step + 1, "no instant is missing: {tally:?}");
        let next = store.trigger_rows(&[tally.trigger]).await.unwrap()[0].progress.next_fire_at;
        assert_eq!(next, Some(last + step), "the trigger goes on where its runs end");
        assert!(store.run(RunId::new(last, RunSource::Fire(tally.trigger))).await.unwrap().is_some());
    }
    // Whoever was running belongs to the next process start.
    let running = store.adopt(Incarnation(1), at(2)).await.unwrap().len();
    assert_eq!(running as u64, store.info().await.unwrap().live_runs);
}
