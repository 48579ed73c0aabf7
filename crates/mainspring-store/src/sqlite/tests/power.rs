//! The power goes: what was not synced may be gone, and whatever is left, what was answered is there.
//!
//! A process is recorded while it makes a store, fires and completes ([`trace`]). From that every disk is made that a power cut
//! could have left at some moment ([`disk`]), and the store is opened over it.

mod disk;
mod trace;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::Command;

use super::faults::{begin, child, fire_once, folder_in_memory, lost, may_trace, note, open, whole};
use super::*;
use disk::{Disk, Kept};
use trace::Event;

/// What a child does: as the store does it, and with commits that are not synced.
pub(super) const SYNCED: &str = "synced";
pub(super) const UNSYNCED: &str = "unsynced";

const JOBS: usize = 2;
/// Rounds between one checkpoint and the next.
const ROUNDS: usize = 2;
const CHECKPOINTS: usize = 3;
/// Of what happens between syncs and answers, how much lies between one cut and the next.
const STEP: usize = 8;
/// Cuts before a sync that leave some of what was not synced.
const TRIES: u64 = 8;

/// Fires and completes, and moves what is in the log to the database now and then, as the store does when the log is longer.
pub(super) async fn script(path: &Path, role: &str) {
    let store = Arc::new(open(path).unwrap());
    if role == UNSYNCED {
        // It cannot be changed within a transaction.
        let careless = "COMMIT; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE";
        let set = move |s: &mut Session<Connection>| Ok(s.connection.execute_batch(careless)?);
        store.write(Lane::Api, "be careless", set).await.unwrap();
    }
    let mut kit = begin(&store, JOBS).await;
    for _ in 0..CHECKPOINTS {
        for _ in 0..ROUNDS {
            fire_once(&mut kit).await;
        }
        let other = super::super::open::writer_again(path).unwrap();
        other.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())).unwrap();
    }
    fire_once(&mut kit).await;
    store.close().await.unwrap();
    println!("\ndone");
}

/// What a child did from the making of its store to its end.
fn recorded(role: &str) -> Vec<Event> {
    let folder = folder_in_memory();
    let place = folder.path().canonicalize().unwrap().join("store");
    std::fs::create_dir(&place).unwrap();
    let (path, trace) = (place.join("s.db"), folder.path().join("trace"));
    let inner = child(role, &path);
    let mut traced = Command::new("strace");
    traced.args(["-f", "-y", "-xx", "-s", "1000000", "-e", &format!("trace={}", trace::CALLS), "-o"]).arg(&trace);
    traced.arg(inner.get_program()).args(inner.get_args());
    traced.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = traced.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("\ndone"), "{said}");
    trace::parse(&std::fs::read_to_string(trace).unwrap(), place.to_str().unwrap())
}

/// When the power goes, and what of the disk is left.
struct Cut {
    /// Events before it.
    after: usize,
    kept: Kept,
}

/// Before each sync, where most is at stake, and with less care after each answer and in between.
fn cuts(events: &[Event]) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for after in 0..=events.len() {
        let sync = matches!(events.get(after), None | Some(Event::Synced { .. } | Event::SyncedFolder { .. }));
        let answer = after > 0 && matches!(events[after - 1], Event::Said { .. });
        let seed = after as u64;
        let tries = match (sync, answer || after % STEP == 0) {
            (true, _) => TRIES,
            (_, true) => 1,
            _ => 0,
        };
        let extremes = [Kept::Nothing, Kept::Everything].into_iter().filter(|_| sync);
        let some = (0..tries).map(|number| Kept::Some { seed: seed + (number << 32) });
        cuts.extend(extremes.chain(some).map(|kept| Cut { after, kept }));
    }
    cuts
}

/// What was answered in a recording and is gone after a power cut, for many cuts. Whatever else is wrong then is a panic.
async fn lost_in_cuts(events: &[Event], accept_data_loss: bool) -> Vec<String> {
    let (mut disk, mut applied) = (Disk::default(), 0);
    let (mut said, mut gone, mut tried) = (Vec::new(), Vec::new(), BTreeSet::new());
    for Cut { after, kept } in cuts(events) {
        for (number, event) in events.iter().enumerate().take(after).skip(applied) {
            disk.apply(number, event);
            if let Event::Said { bytes } = event {
                said.extend(bytes);
            }
        }
        applied = after;
        let files = disk.after_cut(kept);
        let mut hasher = DefaultHasher::new();
        (&files, said.len()).hash(&mut hasher);
        if !tried.insert(hasher.finish()) {
            continue;
        }
        println!("after {after} of {} events, {kept:?} of what was not synced is there", events.len());
        gone.extend(lost_in(&files, &String::from_utf8_lossy(&said), accept_data_loss).await);
    }
    assert!(tried.len() > 200, "only {} disks", tried.len());
    println!("{} disks after a power cut; {} answers were lost", tried.len(), gone.len());
    gone
}

/// Opens the store over what a power cut has left.
async fn lost_in(files: &BTreeMap<&str, Vec<u8>>, said: &str, accept_data_loss: bool) -> Vec<String> {
    let folder = folder_in_memory();
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let (mut fired, mut ended) = (Vec::new(), Vec::new());
    said.lines().for_each(|line| note(line, &mut fired, &mut ended));
    let options = Options { accept_data_loss, ..Options::default() };
    let store = Arc::new(SqliteStore::open(folder.path().join("s.db"), options).unwrap());
    let lost = lost(&store, &fired, &ended).await;
    whole(&store).await;
    fire_once(&mut begin(&store, JOBS).await).await;
    whole(&store).await;
    store.close().await.unwrap();
    lost
}

#[tokio::test]
async fn what_was_answered_is_there_after_a_power_cut() {
    if may_trace() {
        assert_eq!(lost_in_cuts(&recorded(SYNCED), false).await, Vec::<String>::new());
    }
}

/// The test of the test: it finds what a store loses that does not wait for the disk. Its log looks damaged then, rightly.
#[tokio::test]
async fn what_was_answered_before_it_was_synced_is_lost_in_a_power_cut() {
    if may_trace() {
        assert_ne!(lost_in_cuts(&recorded(UNSYNCED), true).await, Vec::<String>::new());
    }
}
