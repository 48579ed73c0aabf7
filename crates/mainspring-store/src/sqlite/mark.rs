//! The high-water mark beside the database: how many transactions were acknowledged.
//!
//! The database counts its transactions itself, in each of them. After a transaction is synced, and before it is answered, its number is
//! written to the mark. A database that counts less than its mark has lost what it had acknowledged: its write-ahead log was cut off,
//! damaged at its end, or removed after a crash, or the file is an older one. One that counts more was killed before it wrote the mark.
//! Other programs that move the log into the database, or write to it, change neither number.
//!
//! The mark is not synced by itself: after a power cut it may be behind, and finds less then, but never more than there is.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rusqlite::Connection;

/// The first line of a mark. Its number follows twice, so that half a write is known as such.
const HEADING: &str = "mainspring high-water mark";

/// A mark that is written.
#[derive(Debug)]
pub(super) struct Mark {
    file: File,
    /// Transactions of the database that changed something.
    commits: u64,
}

/// Where the mark of a database is.
pub(super) fn path_of(database: &Path) -> PathBuf {
    super::beside::with_suffix(database, "-mark")
}

/// How many transactions were acknowledged, as the mark of a database says. None: there is none, or it is half written.
///
/// # Errors
/// It cannot be read.
pub(super) fn acknowledged(database: &Path) -> io::Result<Option<u64>> {
    match std::fs::read(path_of(database)) {
        Ok(bytes) => Ok(parse(&bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// How many transactions a database has counted; none if it is older than the count.
///
/// # Errors
/// It cannot be read.
pub(super) fn counted(connection: &Connection) -> rusqlite::Result<u64> {
    if !connection.table_exists(None, "high_water")? {
        return Ok(0);
    }
    connection.query_row("SELECT commits FROM high_water", [], |row| row.get(0)).map(i64::cast_unsigned)
}

impl Mark {
    /// Makes the mark of a database, or has it say what the database says.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn start(database: &Path, commits: u64) -> io::Result<Self> {
        let open = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path_of(database));
        let mark = Self { file: open?, commits };
        mark.write()?;
        mark.file.set_len(text(commits).len() as u64)?;
        Ok(mark)
    }

    /// Counts the open transaction in the database.
    ///
    /// # Errors
    /// The database's.
    pub(super) fn count(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection
            .prepare_cached("UPDATE high_water SET commits = ?1")?
            .execute([(self.commits + 1).cast_signed()])
            .map(|_| ())
    }

    /// Notes that the transaction which was counted is synced. A mark that cannot be written stays behind, which finds less and is
    /// never wrong.
    pub(super) fn committed(&mut self) {
        self.commits += 1;
        let _behind = self.write();
    }

    fn write(&self) -> io::Result<()> {
        self.file.write_all_at(text(self.commits).as_bytes(), 0)
    }
}

fn text(commits: u64) -> String {
    format!("{HEADING}\n{commits:020}\n{commits:020}\n")
}

fn parse(bytes: &[u8]) -> Option<u64> {
    let mut lines = std::str::from_utf8(bytes).ok()?.lines();
    let (heading, first, second) = (lines.next()?, lines.next()?, lines.next()?);
    (heading == HEADING && first == second).then(|| first.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mark_says_what_was_written_last_and_nothing_when_it_is_half_written() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("s.db");
        assert_eq!(acknowledged(&database).unwrap(), None);
        let mut mark = Mark::start(&database, 9).unwrap();
        assert_eq!(acknowledged(&database).unwrap(), Some(9));
        mark.committed();
        assert_eq!(acknowledged(&database).unwrap(), Some(10));
        let (old, new) = (text(10), text(11_222_333_444));
        for bytes in 0..=new.len() {
            let torn = new[..bytes].to_owned() + &old[bytes..];
            let read = parse(torn.as_bytes());
            assert!([None, Some(10), Some(11_222_333_444)].contains(&read), "{bytes}: {read:?}");
        }
        for bytes in 0..new.len() - 1 {
            assert_eq!(parse(&new.as_bytes()[..bytes]), None, "{bytes}");
        }
        std::fs::write(
            path_of(&database),
            "longer than a mark is, and nothing of ours at all, which must go when it is written",
        )
        .unwrap();
        drop(Mark::start(&database, 3).unwrap());
        assert_eq!(std::fs::read_to_string(path_of(&database)).unwrap(), text(3));
    }
}
