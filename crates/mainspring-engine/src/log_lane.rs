//! From running tasks to the store: log chunks of all attempts, appended in bounded batches on a lane of their own.

use std::sync::Arc;

use mainspring_core::RunId;
use mainspring_store::{LogChunk, Store};
use mainspring_tasks::LogWriter;
use tokio::sync::{mpsc, watch};

use crate::clock::{Alarm, Clock};

/// Chunks of one attempt that wait to be taken, and of all attempts that wait to be stored.
const CHUNKS_WAITING: (usize, usize) = (8, 256);
/// Chunks in one append.
const BATCH: usize = 128;
const RETRY_AFTER_MS: i64 = 500;

#[derive(Clone)]
pub(crate) struct LogLane {
    clock: Arc<dyn Clock>,
    chunks: mpsc::Sender<LogChunk>,
    /// Counts appends, so that followers know when to look again.
    pub(crate) appended: watch::Receiver<u64>,
}

pub(crate) struct LogLaneTask {
    store: Arc<dyn Store>,
    chunks: mpsc::Receiver<LogChunk>,
    appended: watch::Sender<u64>,
    alarm: Box<dyn Alarm>,
    clock: Arc<dyn Clock>,
}

impl LogLane {
    pub(crate) fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> (Self, LogLaneTask) {
        let (sender, receiver) = mpsc::channel(CHUNKS_WAITING.1);
        let (appended, appended_receiver) = watch::channel(0);
        let task =
            LogLaneTask { store, chunks: receiver, appended, alarm: clock.alarm(), clock: Arc::clone(&clock) };
        (Self { clock, chunks: sender, appended: appended_receiver }, task)
    }

    /// Where an attempt writes its log. What is written is stored soon, and in order.
    pub(crate) fn writer(&self, run: RunId, attempt: u32) -> LogWriter {
        let clock = Arc::clone(&self.clock);
        let (writer, mut reader) = LogWriter::channel(CHUNKS_WAITING.0, move || clock.now().as_millis());
        let chunks = self.chunks.clone();
        tokio::spawn(async move {
            while let Some(chunk) = reader.next().await {
                let chunk = LogChunk {
                    run,
                    attempt,
                    first_line: chunk.first_line,
                    line_count: u32::try_from(chunk.lines.len()).unwrap_or(u32::MAX),
                    data: chunk.encode(),
                };
                if chunks.send(chunk).await.is_err() {
                    break;
                }
            }
        });
        writer
    }
}

impl LogLaneTask {
    /// Stores chunks until every writer and the lane are gone.
    pub(crate) async fn run(mut self) {
        let mut batch = Vec::new();
        while self.chunks.recv_many(&mut batch, BATCH).await > 0 {
            while let Err(error) = self.store.append_log(batch.clone()).await {
                if matches!(error, mainspring_store::Error::Closed) {
                    return;
                }
                tracing::error!(%error, chunks = batch.len(), "log lines could not be stored; trying again");
                self.alarm.wait_until(self.clock.now() + RETRY_AFTER_MS).await;
            }
            batch.clear();
            self.appended.send_modify(|count| *count += 1);
        }
    }
}
