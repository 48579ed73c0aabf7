//! The mark beside the database finds each loss of acknowledged changes, and nothing else.

use super::faults::{open, remove};
use super::*;
use crate::store::Store;

/// What a killed process leaves: database, log and mark, after some changes of which a part is in the database.
struct Left {
    folder: tempfile::TempDir,
    /// The database after each change: its file, its log and its mark.
    moments: Vec<[Vec<u8>; 3]>,
}

const ENDINGS: [&str; 3] = ["", "-wal", "-mark"];

fn name(path: &Path, ending: &str) -> PathBuf {
    with_suffix(path, ending)
}

/// The names that the database has kept.
const CHANGES: usize = 12;

impl Left {
    async fn after_kill() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db");
        let store = open(&path).unwrap();
        let mut moments = Vec::new();
        for number in 0..CHANGES {
            store.set_setting(&format!("name {number}"), &"x".repeat(3_000)).await.unwrap();
            if number == CHANGES / 2 {
                // The next change begins the log anew.
                let other = open::writer_again(&path).unwrap();
                other.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(())).unwrap();
            }
            moments.push(ENDINGS.map(|ending| std::fs::read(name(&path, ending)).unwrap()));
        }
        drop(store);
        Self { folder, moments }
    }

    /// A database as it is after the last change, with some of its files different or gone.
    fn with(&self, change: impl FnOnce(&mut [Option<Vec<u8>>; 3])) -> PathBuf {
        let path = self.folder.path().join("left.db");
        remove(&path);
        let mut files = self.moments.last().unwrap().clone().map(Some);
        change(&mut files);
        for (ending, bytes) in ENDINGS.into_iter().zip(files) {
            if let Some(bytes) = bytes {
                std::fs::write(name(&path, ending), bytes).unwrap();
            }
        }
        path
    }
}

/// How many changes are there.
async fn kept(path: &Path) -> usize {
    let store = open(path).unwrap();
    let mut kept = 0;
    for number in 0..CHANGES {
        kept += usize::from(store.setting(&format!("name {number}")).await.unwrap().is_some());
    }
    store.close().await.unwrap();
    kept
}

fn bytes(path: &Path) -> [Option<Vec<u8>>; 2] {
    ["", "-wal"].map(|ending| std::fs::read(name(path, ending)).ok().filter(|bytes| !bytes.is_empty()))
}

/// That the loss is told, that nothing is changed by that, and that it can be accepted.
async fn is_refused(path: &Path, what: &str) {
    let before = bytes(path);
    let error = open(path).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("--accept-data-loss"), "{what}: {error}");
    assert_eq!(bytes(path), before, "{what}: not a byte is changed");
    let options = Options { accept_data_loss: true, ..Options::default() };
    SqliteStore::open(path, options).unwrap().close().await.unwrap();
    assert!(kept(path).await < CHANGES, "{what}: it was asked for once, and the mark says what there is");
}

#[tokio::test]
async fn log_that_was_cut_off_or_removed_is_refused_until_its_loss_is_accepted() {
    let left = Left::after_kill().await;
    assert_eq!(kept(&left.with(|_| ())).await, CHANGES, "what a kill leaves is whole");
    let log = left.moments.last().unwrap()[1].len();
    // The last change is the end of the log that was begun anew; behind it are frames of the one before.
    for end in (0..log / 2).step_by(1_117) {
        let path = left.with(|[_, log, _]| log.as_mut().unwrap().truncate(end));
        is_refused(&path, &format!("log of {end} bytes")).await;
    }
    is_refused(&left.with(|[_, log, _]| *log = None), "no log").await;
    let earlier = |number: usize| left.with(|[_, log, _]| *log = Some(left.moments[number][1].clone()));
    is_refused(&earlier(CHANGES - 2), "log without the last change").await;
    is_refused(&left.with(|[database, log, _]| (*database, *log) = (None, None)), "no database").await;
    let empty = left.with(|[database, log, _]| (*database, *log) = (Some(Vec::new()), None));
    let error = open(&empty).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("missing or empty") && error.contains(&format!("{CHANGES} of {CHANGES}")), "{error}");
}

/// An older database is one that has lost what came after it. With its own mark, or none, it is whole.
#[tokio::test]
async fn older_database_is_refused_beside_a_newer_mark_alone() {
    let left = Left::after_kill().await;
    for number in [2, CHANGES / 2, CHANGES - 2] {
        let [database, log, mark] = left.moments[number].clone().map(Some);
        let path = left.with(|files| (files[0], files[1]) = (database.clone(), log.clone()));
        is_refused(&path, &format!("database of change {number}")).await;
        let path = left.with(|files| *files = [database.clone(), log.clone(), mark.clone()]);
        assert_eq!(kept(&path).await, number + 1);
        let path = left.with(|files| *files = [database.clone(), log.clone(), None]);
        assert_eq!(kept(&path).await, number + 1);
    }
}

/// Killed between the sync and the mark, or in the midst of writing it; or the power took back what was not synced of it.
#[tokio::test]
async fn mark_that_is_behind_missing_or_half_written_is_no_loss() {
    let left = Left::after_kill().await;
    let newest = left.moments.last().unwrap()[2].clone();
    let marks = left.moments.iter().map(|moment| moment[2].clone());
    let torn = (0..newest.len()).step_by(7).map(|end| newest[..end].to_vec());
    for mark in marks.chain(torn) {
        let path = left.with(|[.., file]| *file = Some(mark.clone()));
        assert_eq!(kept(&path).await, CHANGES, "{}", String::from_utf8_lossy(&mark));
    }
    assert_eq!(kept(&left.with(|[.., file]| *file = None)).await, CHANGES);
}

/// Programs such as `sqlite3` move the log into the database and remove it, and may write.
#[tokio::test]
async fn what_other_programs_do_to_the_database_is_no_loss() {
    let left = Left::after_kill().await;
    for text in [
        "SELECT COUNT(*) FROM setting",
        "DELETE FROM setting WHERE name = 'none'",
        "VACUUM",
        "PRAGMA wal_checkpoint(TRUNCATE)",
    ] {
        let path = left.with(|_| ());
        let other = Connection::open(&path).unwrap();
        let mut statement = other.prepare(text).unwrap();
        let mut rows = statement.query([]).unwrap();
        while rows.next().unwrap().is_some() {}
        drop(rows);
        drop(statement);
        other.close().unwrap();
        assert!(!name(&path, "-wal").exists(), "{text}: the last one removes the log");
        assert_eq!(kept(&path).await, CHANGES, "{text}");
        assert_eq!(kept(&path).await, CHANGES, "{text}: closed and opened again");
    }
}

/// Nothing is written for a transaction that changes nothing.
#[tokio::test]
async fn transaction_that_changes_nothing_is_not_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let store = open(&path).unwrap();
    store.set_setting("a", "b").await.unwrap();
    let before = mark::acknowledged(&path).unwrap();
    store.write(crate::sql::backend::Lane::Api, "look", |_| Ok(())).await.unwrap();
    assert_eq!(mark::acknowledged(&path).unwrap(), before);
    store.set_setting("a", "c").await.unwrap();
    assert_eq!(mark::acknowledged(&path).unwrap(), before.map(|number| number + 1));
    store.close().await.unwrap();
}
