//! The journal of a worker: ends of attempts, on disk before they are sent, so that they survive its death.
//!
//! What is in the file is the [record](crate::record)'s to say; this puts it there.

use std::fs::{File, OpenOptions};
use std::io;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use mainspring_api::WorkerEnd;

use crate::record::{self, Legacy, Record, Write};

/// An open journal; no other worker has it.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    record: Record,
    _lock: File,
}

impl Journal {
    /// Opens or makes the file, and says what is in it.
    ///
    /// # Errors
    /// It cannot be read or written; `WouldBlock` if another worker has it.
    pub(crate) fn open(path: &Path) -> io::Result<(Self, Option<Legacy>)> {
        let lock = File::create(path.with_added_extension("lock"))?;
        lock.try_lock()?;
        let file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let legacy = record::read(&std::fs::read(path)?);
        Ok((Self { path: path.to_owned(), file, record: Record::default(), _lock: lock }, legacy))
    }

    /// Begins anew, under an id.
    pub(crate) fn begin(&mut self, worker: &str) -> io::Result<()> {
        let write = self.record.begin(worker);
        self.perform(write)
    }

    /// Keeps ends of workers, on disk when this returns. One of an id that is over is not kept: nobody is to report it.
    pub(crate) fn keep<'a>(&mut self, ends: impl IntoIterator<Item = (&'a str, &'a WorkerEnd)>) -> io::Result<()> {
        let write = self.record.keep(ends);
        self.perform(write)
    }

    /// Removes ends that were answered.
    pub(crate) fn drop_ends<'a>(&mut self, ends: impl IntoIterator<Item = &'a WorkerEnd>) -> io::Result<()> {
        let write = self.record.drop_ends(ends);
        self.perform(write)
    }

    /// Forgets everything: the worker has left, and nobody is to speak for it.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        let write = self.record.clear();
        self.perform(write)
    }

    fn perform(&mut self, write: Write) -> io::Result<()> {
        let done = self.attempt(write);
        if done.is_err() {
            self.record.tear();
        }
        done
    }

    fn attempt(&mut self, write: Write) -> io::Result<()> {
        match write {
            Write::Nothing => Ok(()),
            Write::Append { bytes, synced } => {
                self.file.write_all(&bytes)?;
                if synced { self.file.sync_data() } else { Ok(()) }
            }
            Write::Replace(content) => self.replace(&content),
        }
    }

    /// Writes a new file, which takes the place of the old one at once.
    fn replace(&mut self, content: &[u8]) -> io::Result<()> {
        let fresh = self.path.with_added_extension("new");
        std::fs::write(&fresh, content)?;
        let file = OpenOptions::new().append(true).open(&fresh)?;
        file.sync_data()?;
        std::fs::rename(&fresh, &self.path)?;
        // The name is kept by the folder.
        if let Some(folder) = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            File::open(folder)?.sync_all()?;
        }
        self.file = file;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::OLD_MAX;
    use crate::record::tests::{end, legacy};

    #[test]
    fn what_was_not_answered_is_there_after_a_crash() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let (mut journal, found) = Journal::open(&path).unwrap();
        assert_eq!(found, None);
        journal.begin("w1").unwrap();
        journal.keep([("w1", &end("a")), ("w1", &end("b"))]).unwrap();
        drop(journal);
        let (mut journal, found) = Journal::open(&path).unwrap();
        assert_eq!(found, legacy(&["a", "b"]));

        journal.begin("w1").unwrap();
        journal.keep([("w1", &end("c"))]).unwrap();
        journal.keep([("w1", &end("d"))]).unwrap();
        journal.drop_ends([&end("c")]).unwrap();
        assert!(!journal.record.holds("c") && journal.record.holds("d"));
        journal.drop_ends([&end("d")]).unwrap();
        drop(journal);
        let (mut journal, found) = Journal::open(&path).unwrap();
        assert_eq!(found, legacy(&[]), "nothing is left to say but whose it was");
        journal.clear().unwrap();
        drop(journal);
        assert_eq!(Journal::open(&path).unwrap().1, None);
    }

    #[test]
    fn an_end_of_a_former_life_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut journal = Journal::open(&path).unwrap().0;
        journal.begin("w0").unwrap();
        // Taken for dead while an attempt ends, and joined again.
        journal.clear().unwrap();
        journal.keep([("w0", &end("late"))]).unwrap();
        journal.begin("w1").unwrap();
        journal.keep([("w0", &end("later"))]).unwrap();
        journal.keep([("w1", &end("mine"))]).unwrap();
        assert!(!journal.record.holds("late") && !journal.record.holds("later"));
        drop(journal);
        assert_eq!(Journal::open(&path).unwrap().1, legacy(&["mine"]));
    }

    #[test]
    fn two_workers_do_not_share_a_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let held = Journal::open(&path).unwrap();
        assert_eq!(Journal::open(&path).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        drop(held);
        Journal::open(&path).unwrap();
    }

    #[test]
    fn a_journal_that_is_never_empty_does_not_grow_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut journal = Journal::open(&path).unwrap().0;
        journal.begin("w1").unwrap();
        journal.keep([("w1", &end("first"))]).unwrap();
        let size = |path: &Path| std::fs::metadata(path).unwrap().len();
        let small = size(&path);
        let large = |run: u32| WorkerEnd { output: Some("x".repeat(OLD_MAX / 10).into()), ..end(&run.to_string()) };
        let ends: Vec<WorkerEnd> = (0..11).map(large).collect();
        journal.keep(ends.iter().map(|end| ("w1", end))).unwrap();
        journal.drop_ends(&ends).unwrap();
        assert_eq!(size(&path), small);
        drop(journal);
        assert_eq!(Journal::open(&path).unwrap().1, legacy(&["first"]));
    }
}
