//! What a worker has to say also after its own death: ends of attempts, on disk before they are sent.
//!
//! A file of JSON lines: the worker's id first, then ends, and which of them were answered. The latter need not be on disk: an end
//! that is reported again is refused, and no harm is done.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use mainspring_api::{WorkerEnd, WorkerHolding};
use serde::{Deserialize, Serialize};

/// Answered lines after which the file is written anew, if they are also the greater part of it.
const OLD_MAX: usize = 1_000;

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Worker(String),
    End(WorkerEnd),
    Answered(Vec<WorkerHolding>),
}

/// What a worker left behind that did not stop in order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Legacy {
    pub(crate) worker: String,
    pub(crate) ends: Vec<WorkerEnd>,
}

/// An open journal; no other worker has it.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    worker: String,
    waiting: BTreeMap<WorkerHolding, Line>,
    lines: usize,
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
        let legacy = read(&std::fs::read(path)?);
        let journal = Self {
            path: path.to_owned(),
            file,
            worker: String::new(),
            waiting: BTreeMap::new(),
            lines: 0,
            _lock: lock,
        };
        Ok((journal, legacy))
    }

    /// Begins anew, under an id.
    pub(crate) fn begin(&mut self, worker: &str) -> io::Result<()> {
        worker.clone_into(&mut self.worker);
        self.waiting.clear();
        self.rewrite()
    }

    /// Keeps ends of workers, on disk when this returns. One of an id that is over is not kept: nobody is to report it.
    pub(crate) fn keep<'a>(&mut self, ends: impl IntoIterator<Item = (&'a str, &'a WorkerEnd)>) -> io::Result<()> {
        let mut lines = Vec::new();
        for (_, end) in ends.into_iter().filter(|(worker, _)| *worker == self.worker) {
            let line = Line::End(end.clone());
            lines.extend(text(&line));
            self.waiting.insert(holding_of(end), line);
            self.lines += 1;
        }
        self.file.write_all(&lines)?;
        self.file.sync_data()
    }

    /// These were answered.
    pub(crate) fn drop_ends<'a>(&mut self, ends: impl IntoIterator<Item = &'a WorkerEnd>) -> io::Result<()> {
        let answered: Vec<_> =
            ends.into_iter().map(holding_of).filter(|end| self.waiting.remove(end).is_some()).collect();
        if !answered.is_empty() {
            self.file.write_all(&text(&Line::Answered(answered)))?;
        }
        let old = self.lines.saturating_sub(self.waiting.len());
        if old > OLD_MAX.max(self.waiting.len()) { self.rewrite() } else { Ok(()) }
    }

    /// Whether an end is kept that was not answered.
    #[cfg(test)]
    fn holds(&self, run: &str) -> bool {
        self.waiting.keys().any(|holding| holding.run == run)
    }

    /// Forgets everything: the worker has left, and nobody is to speak for it.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        self.worker.clear();
        self.waiting.clear();
        self.rewrite()
    }

    /// Writes what still counts into a new file, which takes the place of the old one at once.
    fn rewrite(&mut self) -> io::Result<()> {
        let mut content = Vec::new();
        if !self.worker.is_empty() {
            content.extend(text(&Line::Worker(self.worker.clone())));
        }
        self.waiting.values().for_each(|line| content.extend(text(line)));
        let fresh = self.path.with_added_extension("new");
        std::fs::write(&fresh, content)?;
        let file = OpenOptions::new().append(true).open(&fresh)?;
        file.sync_data()?;
        std::fs::rename(&fresh, &self.path)?;
        // The name is kept by the folder.
        if let Some(folder) = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            File::open(folder)?.sync_all()?;
        }
        (self.file, self.lines) = (file, self.waiting.len());
        Ok(())
    }
}

fn holding_of(end: &WorkerEnd) -> WorkerHolding {
    WorkerHolding { run: end.run.clone(), attempt: end.attempt }
}

fn text(line: &Line) -> Vec<u8> {
    let mut text = serde_json::to_vec(line).expect("such a line has text keys only");
    text.push(b'\n');
    text
}

/// Reads what counts. A line that a crash cut off was never sent, and one that cannot be read is of no use.
fn read(content: &[u8]) -> Option<Legacy> {
    let mut legacy: Option<Legacy> = None;
    for text in content.split(|byte| *byte == b'\n').filter(|text| !text.is_empty()) {
        match (serde_json::from_slice(text), &mut legacy) {
            (Ok(Line::Worker(worker)), _) => legacy = Some(Legacy { worker, ends: Vec::new() }),
            (Ok(Line::End(end)), Some(legacy)) => legacy.ends.push(end),
            (Ok(Line::Answered(answered)), Some(legacy)) => {
                let answered: BTreeSet<WorkerHolding> = answered.into_iter().collect();
                legacy.ends.retain(|end| !answered.contains(&holding_of(end)));
            }
            (Ok(Line::End(_) | Line::Answered(_)), None) => {
                tracing::warn!("an end in the journal belongs to no worker; passed over")
            }
            (Err(error), _) => tracing::warn!(%error, "a line of the journal cannot be read; passed over"),
        }
    }
    legacy
}

#[cfg(test)]
mod tests {
    use mainspring_api::{AttemptState, Timestamp};

    use super::*;

    fn end(run: &str) -> WorkerEnd {
        WorkerEnd {
            run: run.to_owned(),
            attempt: 1,
            outcome: AttemptState::Succeeded,
            started_at: Some(Timestamp::from_millis(1)),
            ended_at: Timestamp::from_millis(2),
            exit_code: Some(0),
            signal: None,
            error_code: None,
            error: None,
            output: Some(serde_json::json!({ "text": "a\nb" })),
            data: None,
        }
    }

    fn legacy(ends: &[&str]) -> Option<Legacy> {
        Some(Legacy { worker: "w1".to_owned(), ends: ends.iter().map(|run| end(run)).collect() })
    }

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
        assert!(!journal.holds("c") && journal.holds("d"));
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
        assert!(!journal.holds("late") && !journal.holds("later"));
        drop(journal);
        assert_eq!(Journal::open(&path).unwrap().1, legacy(&["mine"]));
    }

    #[test]
    fn a_line_that_a_crash_cut_off_hides_no_other() {
        let mut content = text(&Line::Worker("w1".to_owned()));
        content.extend(text(&Line::End(end("a"))));
        content.extend(&text(&Line::End(end("b")))[..20]);
        assert_eq!(read(&content), legacy(&["a"]));
        assert_eq!(read(b"\0\0\0"), None);
        assert_eq!(read(&text(&Line::End(end("a")))), None);
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
        let ends: Vec<WorkerEnd> = (0..=OLD_MAX).map(|run| end(&run.to_string())).collect();
        journal.keep(ends.iter().map(|end| ("w1", end))).unwrap();
        journal.drop_ends(&ends).unwrap();
        assert_eq!(size(&path), small);
        drop(journal);
        assert_eq!(Journal::open(&path).unwrap().1, legacy(&["first"]));
    }
}
