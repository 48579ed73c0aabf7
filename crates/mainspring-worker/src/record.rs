//! What is in a journal, and what is to be written into it: no disk.
//!
//! A journal has JSON lines: the worker's id first, then ends, and which of them were answered. The latter need not be on disk: an
//! end that is reported again is refused, and no harm is done.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_api::{WorkerEnd, WorkerHolding};
use serde::{Deserialize, Serialize};

use crate::book::holding_of;

/// Answered lines after which the journal is written anew, if they are also the greater part of it.
pub const OLD_MAX: usize = 1_000;

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
pub struct Legacy {
    /// Its id.
    pub worker: String,
    /// Ends that were not answered, as far as is known.
    pub ends: Vec<WorkerEnd>,
}

/// What is to be done with the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    /// Nothing.
    Nothing,
    /// These bytes follow those that are there.
    Append {
        /// What follows.
        bytes: Vec<u8>,
        /// Whether they are on disk before anybody hears of them.
        synced: bool,
    },
    /// These bytes take the place of all that is there, at once, on disk before anybody hears of them.
    Replace(Vec<u8>),
}

/// What counts of a journal.
#[derive(Debug, Default)]
pub struct Record {
    worker: String,
    waiting: BTreeMap<WorkerHolding, Line>,
    lines: usize,
}

impl Record {
    /// Begins anew, under an id.
    pub fn begin(&mut self, worker: &str) -> Write {
        worker.clone_into(&mut self.worker);
        self.waiting.clear();
        self.whole()
    }

    /// Keeps ends of workers. One of an id that is over is not kept: nobody is to report it.
    pub fn keep<'a>(&mut self, ends: impl IntoIterator<Item = (&'a str, &'a WorkerEnd)>) -> Write {
        let mut bytes = Vec::new();
        for (_, end) in ends.into_iter().filter(|(worker, _)| *worker == self.worker) {
            let line = Line::End(end.clone());
            bytes.extend(text(&line));
            self.waiting.insert(holding_of(end), line);
            self.lines += 1;
        }
        if bytes.is_empty() { Write::Nothing } else { Write::Append { bytes, synced: true } }
    }

    /// These were answered.
    pub fn drop_ends<'a>(&mut self, ends: impl IntoIterator<Item = &'a WorkerEnd>) -> Write {
        let answered: Vec<_> =
            ends.into_iter().map(holding_of).filter(|end| self.waiting.remove(end).is_some()).collect();
        let old = self.lines.saturating_sub(self.waiting.len());
        if old > OLD_MAX.max(self.waiting.len()) {
            return self.whole();
        }
        if answered.is_empty() {
            return Write::Nothing;
        }
        Write::Append { bytes: text(&Line::Answered(answered)), synced: false }
    }

    /// Forgets everything: the worker has left, and nobody is to speak for it.
    pub fn clear(&mut self) -> Write {
        self.worker.clear();
        self.waiting.clear();
        self.whole()
    }

    /// What still counts.
    fn whole(&mut self) -> Write {
        let mut content = Vec::new();
        if !self.worker.is_empty() {
            content.extend(text(&Line::Worker(self.worker.clone())));
        }
        self.waiting.values().for_each(|line| content.extend(text(line)));
        self.lines = self.waiting.len();
        Write::Replace(content)
    }

    /// Whether an end is kept that was not answered.
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

    pub(crate) fn legacy(ends: &[&str]) -> Option<Legacy> {
        Some(Legacy { worker: "w1".to_owned(), ends: ends.iter().map(|run| end(run)).collect() })
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
