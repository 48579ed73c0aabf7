//! The last lines of a log that has reached its cap.

use std::collections::VecDeque;

use super::line::LogLine;

/// The most that is kept of the end, in bytes: it waits in memory until the work is over.
const BYTES_MAX: u64 = 1024 * 1024;

/// Keeps the last lines within a bound, and counts those that it drops.
#[derive(Debug)]
pub(crate) struct Tail {
    lines: VecDeque<LogLine>,
    bytes: u64,
    bytes_max: u64,
    dropped: Dropped,
}

/// The lines that are not kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Dropped {
    pub(crate) lines: u64,
    pub(crate) bytes: u64,
}

impl Tail {
    /// Creates the tail of a log of so many bytes: a quarter of it, 1 MiB at most.
    pub(crate) fn of(log_bytes_max: u64) -> Self {
        let bytes_max = (log_bytes_max / 4).min(BYTES_MAX);
        Self { lines: VecDeque::new(), bytes: 0, bytes_max, dropped: Dropped::default() }
    }

    pub(crate) const fn bytes_max(&self) -> u64 {
        self.bytes_max
    }

    /// Makes room for what the head has left over.
    pub(crate) const fn widen(&mut self, bytes: u64) {
        self.bytes_max += bytes;
    }

    pub(crate) const fn dropped(&self) -> Dropped {
        self.dropped
    }

    /// Adds a line, and drops the oldest ones for which there is no room then. A line that alone is too long loses its beginning.
    pub(crate) fn push(&mut self, mut line: LogLine) {
        let surplus = bytes_of(&line).saturating_sub(self.bytes_max.max(1));
        if surplus > 0 {
            let at = line.text.ceil_char_boundary(usize::try_from(surplus).unwrap_or(usize::MAX).min(line.text.len()));
            line.text.drain(..at);
            self.dropped.bytes += at as u64;
        }
        self.bytes += bytes_of(&line);
        self.lines.push_back(line);
        while self.bytes > self.bytes_max
            && self.lines.len() > 1
            && let Some(oldest) = self.lines.pop_front()
        {
            self.bytes -= bytes_of(&oldest);
            self.dropped.lines += 1;
            self.dropped.bytes += bytes_of(&oldest);
        }
    }

    /// Returns whether nothing came after the head.
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Takes the kept lines, first to last.
    pub(crate) fn take(&mut self) -> VecDeque<LogLine> {
        self.bytes = 0;
        std::mem::take(&mut self.lines)
    }
}

/// Returns the size of a line with its end, in bytes.
fn bytes_of(line: &LogLine) -> u64 {
    line.text.len() as u64 + 1
}
