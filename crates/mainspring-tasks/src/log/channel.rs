//! The way of lines from a running task to whoever keeps them: a bounded channel of chunks.

use std::fmt;
use std::sync::Arc;

use tokio::sync::mpsc;

use super::line::LogChunk;

/// The sending end of an attempt's log, given to [`TaskRunner::perform`](crate::TaskRunner::perform).
///
/// The channel is bounded: while it is full, the process's pipes fill up and its writes wait. That
/// never keeps the attempt from being ended, nor its verdict from being reported: once the process
/// tree is gone, the remaining lines have
/// [`LogLimits::flush_ms_max`](crate::LogLimits::flush_ms_max) to be taken. A dropped reader means that
/// further lines are read and thrown away.
pub struct LogWriter {
    pub(super) chunks: mpsc::Sender<LogChunk>,
    pub(super) clock: Arc<dyn Fn() -> i64 + Send + Sync>,
}

/// The receiving end of an attempt's log.
#[derive(Debug)]
pub struct LogReader {
    chunks: mpsc::Receiver<LogChunk>,
}

impl LogWriter {
    /// Makes a channel for `chunks_max` chunks (at least one) of about 32 KiB each. `clock` stamps
    /// lines, in milliseconds since 1970 UTC.
    pub fn channel(chunks_max: usize, clock: impl Fn() -> i64 + Send + Sync + 'static) -> (Self, LogReader) {
        let (sender, receiver) = mpsc::channel(chunks_max.max(1));
        (Self { chunks: sender, clock: Arc::new(clock) }, LogReader { chunks: receiver })
    }
}

impl LogReader {
    /// Waits for the next chunk; `None` once the attempt has ended and all is read.
    ///
    /// Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<LogChunk> {
        self.chunks.recv().await
    }

    /// Returns the next chunk if one is there already.
    pub fn try_next(&mut self) -> Option<LogChunk> {
        self.chunks.try_recv().ok()
    }
}

impl fmt::Debug for LogWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogWriter").field("capacity", &self.chunks.capacity()).finish()
    }
}
