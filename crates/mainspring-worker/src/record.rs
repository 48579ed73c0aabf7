//! The content of a journal, and the writes to it. No disk.
//!
//! A journal has JSON lines: the worker's id first, then ends, and which of them were answered. The latter need not be on disk: an
//! end that is reported again is refused, and no harm is done.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_api::{WorkerEnd, WorkerHolding};
use serde::{Deserialize, Serialize};

use crate::book::holding_of;

/// Bytes that count no more after which the journal is written anew, if they are also the greater part of it.
pub const OLD_MAX: usize = 1 << 20;

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Worker(String),
    End(WorkerEnd),
    Answered(Vec<WorkerHolding>),
}

/// The unreported ends of a worker that did not stop in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Legacy {
    /// Its id.
    pub worker: String,
    /// Ends that were not answered, as far as is known.
    pub ends: Vec<WorkerEnd>,
}

/// A write to the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    /// Nothing.
    Nothing,
    /// These bytes follow those that are there.
    Append {
        /// The bytes to append.
        bytes: Vec<u8>,
        /// Whether they must be on disk before anything depends on them.
        synced: bool,
    },
    /// These bytes take the place of all that is there, at once, on disk before anybody hears of them.
    Replace(Vec<u8>),
}

/// The valid entries of a journal.
#[derive(Debug, Default)]
pub struct Record {
    worker: String,
    /// The lines of what was not answered.
    waiting: BTreeMap<WorkerHolding, Vec<u8>>,
    /// The size of those entries, in bytes.
    counting: usize,
    /// The size of the file, in bytes.
    written: usize,
    /// Whether the file may end within a line: the next write replaces it.
    torn: bool,
}

impl Record {
    /// Begins anew, under an id.
    pub fn begin(&mut self, worker: &str) -> Write {
        worker.clone_into(&mut self.worker);
        self.forget();
        self.whole()
    }

    /// Keeps ends of workers. One of an id that is over is not kept: nobody is to report it.
    pub fn keep<'a>(&mut self, ends: impl IntoIterator<Item = (&'a str, &'a WorkerEnd)>) -> Write {
        let mut bytes = Vec::new();
        for (_, end) in ends.into_iter().filter(|(worker, _)| *worker == self.worker) {
            let line = text(&Line::End(end.clone()));
            bytes.extend_from_slice(&line);
            self.counting += line.len();
            let before = self.waiting.insert(holding_of(end), line);
            self.counting -= before.map_or(0, |line| line.len());
        }
        self.append(bytes, true)
    }

    /// Removes ends that were answered.
    pub fn drop_ends<'a>(&mut self, ends: impl IntoIterator<Item = &'a WorkerEnd>) -> Write {
        let mut answered = Vec::new();
        for end in ends.into_iter().map(holding_of) {
            if let Some(line) = self.waiting.remove(&end) {
                self.counting -= line.len();
                answered.push(end);
            }
        }
        if self.written.saturating_sub(self.counting) > OLD_MAX.max(self.counting) {
            return self.whole();
        }
        let bytes = if answered.is_empty() { Vec::new() } else { text(&Line::Answered(answered)) };
        self.append(bytes, false)
    }

    /// Records that the last write has failed: part of it may be in the file.
    pub fn tear(&mut self) {
        self.torn = true;
    }

    fn append(&mut self, bytes: Vec<u8>, synced: bool) -> Write {
        if bytes.is_empty() {
            return Write::Nothing;
        }
        if self.torn {
            return self.whole();
        }
        self.written += bytes.len();
        Write::Append { bytes, synced }
    }

    fn forget(&mut self) {
        self.waiting.clear();
        self.counting = 0;
    }

    /// Forgets everything: the worker has left, and nobody is to speak for it.
    pub fn clear(&mut self) -> Write {
        self.worker.clear();
        self.forget();
        self.whole()
    }

    /// Returns a write that replaces the file by its valid entries.
    fn whole(&mut self) -> Write {
        let mut content = Vec::new();
        if !self.worker.is_empty() {
            content.extend(text(&Line::Worker(self.worker.clone())));
        }
        self.waiting.values().for_each(|line| content.extend_from_slice(line));
        (self.written, self.torn) = (content.len(), false);
        Write::Replace(content)
    }

    /// Returns whether an unanswered end is kept.
    #[cfg(test)]
    pub(crate) fn holds(&self, run: &str) -> bool {
        self.waiting.keys().any(|holding| holding.run == run)
    }
}

fn text(line: &Line) -> Vec<u8> {
    let mut text = serde_json::to_vec(line).expect("such a line has text keys only");
    text.push(b'\n');
    text
}

/// Reads what counts. A line that a crash cut off was never sent, and one that cannot be read is of no use.
pub fn read(content: &[u8]) -> Option<Legacy> {
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
pub(crate) mod tests {
    use mainspring_api::{AttemptState, Timestamp};

    use super::*;

    pub(crate) fn end(run: &str) -> WorkerEnd {
        WorkerEnd {
            started_at: Some(Timestamp::from_millis(1)),
            exit_code: Some(0),
            output: Some(serde_json::json!({ "text": "a\nb" })),
            ..WorkerEnd::new(run, 1, AttemptState::Succeeded, Timestamp::from_millis(2))
        }
    }

    pub(crate) fn legacy(ends: &[&str]) -> Option<Legacy> {
        Some(Legacy { worker: "w1".to_owned(), ends: ends.iter().map(|run| end(run)).collect() })
    }

    #[test]
    fn a_line_that_was_written_in_part_spoils_none_that_follows() {
        let mut record = Record::default();
        let Write::Replace(mut file) = record.begin("w1") else { panic!("a new journal") };
        let Write::Append { bytes, .. } = record.keep([("w1", &end("a"))]) else { panic!("a line more") };
        file.extend(&bytes[..20]);
        record.tear();
        assert_eq!(record.drop_ends([&end("b")]), Write::Nothing, "it is not there");
        let Write::Replace(file) = record.keep([("w1", &end("b"))]) else { panic!("{file:?} goes") };
        assert_eq!(read(&file), legacy(&["a", "b"]));
        assert!(matches!(record.keep([("w1", &end("c"))]), Write::Append { .. }), "the file is whole again");
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
}
