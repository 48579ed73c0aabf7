//! The log of work that is no process: lines that a function writes.

use super::capture::{LineCutter, Recorder};
use super::channel::LogWriter;
use super::line::Stream;
use crate::settings::LogLimits;

/// Writes lines into an attempt's log, within the same bounds as the output of a process.
pub struct TextLog(Recorder);

impl TextLog {
    /// Makes a log that ends in `writer`.
    pub fn new(writer: LogWriter, limits: LogLimits) -> Self {
        Self(Recorder::new(writer, limits))
    }

    /// Writes text, one line of the log for each of its lines. Waits while the lines before are on their way.
    ///
    /// Dropping the future may leave lines for the next call; none is lost or repeated.
    pub async fn write(&mut self, text: &str) {
        let mut lines = LineCutter::new(Stream::Stdout);
        self.0.take(&mut lines, text.as_bytes());
        self.0.finish(&mut lines);
        self.0.flush().await;
    }

    /// Sends what is left, as long as [`LogLimits::flush_ms_max`] says.
    pub async fn close(self) {
        let _counted = self.0.close().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn text_becomes_lines() {
        let (writer, mut reader) = LogWriter::channel(4, || 5);
        let mut log = TextLog::new(writer, LogLimits::default());
        log.write("one\ntwo").await;
        log.write("three\n").await;
        log.close().await;
        let mut lines = Vec::new();
        while let Some(chunk) = reader.next().await {
            lines.extend(chunk.lines.into_iter().map(|line| line.text));
        }
        assert_eq!(lines, ["one", "two", "three"]);
    }
}
