//! Reading and following logs.

use mainspring_core::RunId;
use mainspring_tasks::{LogChunk, LogLine};

use super::{Control, Result};

/// Bytes of chunks that one read looks at.
const READ_BYTES: u32 = 256 * 1024;

impl Control {
    /// Lines of an attempt's log from `from_line` on, with their numbers; empty where there are none yet.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn log_lines(
        &self,
        run: RunId,
        attempt: u32,
        from_line: u64,
        limit: usize,
    ) -> Result<Vec<(u64, LogLine)>> {
        let mut lines = Vec::new();
        for chunk in self.store.log(run, attempt, from_line, READ_BYTES).await? {
            match LogChunk::decode(&chunk.data) {
                Ok(decoded) => lines.extend((decoded.first_line..).zip(decoded.lines)),
                Err(error) => tracing::error!(%error, run.id = %run, attempt, "a stored log chunk cannot be read"),
            }
        }
        lines.retain(|(number, _)| *number >= from_line);
        lines.truncate(limit);
        Ok(lines)
    }

    /// Waits until log lines of some run have been stored since the last call with this receiver.
    ///
    /// Get one with [`Control::log_watch`].
    pub async fn log_appended(watch: &mut tokio::sync::watch::Receiver<u64>) {
        if watch.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Hears of appended log lines.
    #[must_use]
    pub fn log_watch(&self) -> tokio::sync::watch::Receiver<u64> {
        self.log_appended.clone()
    }
}
