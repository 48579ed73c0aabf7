//! Log chunks, in the order of their lines.

use std::collections::BTreeMap;

use mainspring_core::RunId;

use crate::row::LogChunk;

#[derive(Clone, Debug, Default)]
pub(super) struct Logs {
    chunks: BTreeMap<(RunId, u32, u64), LogChunk>,
}

impl Logs {
    /// Adds a chunk, unless it is there.
    pub(super) fn append(&mut self, chunk: LogChunk) {
        self.chunks.entry((chunk.run, chunk.attempt, chunk.first_line)).or_insert(chunk);
    }

    /// Chunks from the one that holds `from_line`: as many as fit, but at least one if there is one.
    pub(super) fn read(&self, run: RunId, attempt: u32, from_line: u64, bytes_max: u32) -> Vec<LogChunk> {
        let before = self.chunks.range((run, attempt, 0)..=(run, attempt, from_line)).next_back();
        let holds = before.filter(|(_, chunk)| chunk.first_line + u64::from(chunk.line_count) > from_line);
        let start = holds.map_or(from_line, |(_, chunk)| chunk.first_line);
        let mut bytes = 0;
        let mut chunks = Vec::new();
        for chunk in self.chunks.range((run, attempt, start)..=(run, attempt, u64::MAX)).map(|(_, chunk)| chunk) {
            bytes += chunk.data.len();
            if !chunks.is_empty() && bytes > bytes_max as usize {
                break;
            }
            chunks.push(chunk.clone());
        }
        chunks
    }

    /// How many lines an attempt has.
    pub(super) fn end(&self, run: RunId, attempt: u32) -> u64 {
        let last = self.chunks.range((run, attempt, 0)..=(run, attempt, u64::MAX)).next_back();
        last.map_or(0, |(_, chunk)| chunk.first_line + u64::from(chunk.line_count))
    }

    /// Removes what a run left.
    pub(super) fn remove(&mut self, run: RunId) {
        let keys: Vec<_> = self.chunks.range((run, 0, 0)..=(run, u32::MAX, u64::MAX)).map(|(key, _)| *key).collect();
        for key in keys {
            self.chunks.remove(&key);
        }
    }

    /// Runs below an id that have chunks.
    pub(super) fn runs_below(&self, end: RunId) -> Vec<RunId> {
        let mut runs: Vec<RunId> = self.chunks.range(..(end, 0, 0)).map(|(key, _)| key.0).collect();
        runs.dedup();
        runs
    }
}
