//! From running tasks to the store: log chunks of all attempts, appended in bounded batches on a lane of their own.

use std::sync::Arc;

use mainspring_core::RunId;
use mainspring_store::{LogChunk, Store};
use mainspring_tasks::LogWriter;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

use crate::clock::{Alarm, Clock, RightTime};

/// Chunks of one attempt that wait to be taken, and of all attempts that wait to be stored.
const CHUNKS_WAITING: (usize, usize) = (8, 256);
/// Chunks in one append.
const BATCH: usize = 128;
const RETRY_AFTER_MS: i64 = 500;

enum Message {
    Chunk(LogChunk),
    /// Everything sent before is stored once this is answered.
    Flush(oneshot::Sender<()>),
}

#[derive(Clone)]
pub(crate) struct LogLane {
    time: RightTime,
    messages: mpsc::Sender<Message>,
    /// Counts appends, so that followers know when to look again.
    pub(crate) appended: watch::Receiver<u64>,
}

pub(crate) struct LogLaneTask {
    store: Arc<dyn Store>,
    messages: mpsc::Receiver<Message>,
    appended: watch::Sender<u64>,
    alarm: Box<dyn Alarm>,
    clock: Arc<dyn Clock>,
}

impl LogLane {
    pub(crate) fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, time: RightTime) -> (Self, LogLaneTask) {
        let (sender, receiver) = mpsc::channel(CHUNKS_WAITING.1);
        let (appended, appended_receiver) = watch::channel(0);
        let task = LogLaneTask { store, messages: receiver, appended, alarm: clock.alarm(), clock };
        (Self { time, messages: sender, appended: appended_receiver }, task)
    }

    /// Stores chunks that somebody else has cut. An error: the lane has ended.
    pub(crate) async fn append(&self, chunks: Vec<LogChunk>) -> Result<(), ()> {
        for chunk in chunks {
            self.messages.send(Message::Chunk(chunk)).await.map_err(drop)?;
        }
        let (flush, flushed) = oneshot::channel();
        self.messages.send(Message::Flush(flush)).await.map_err(drop)?;
        flushed.await.map_err(drop)
    }

    /// Where an attempt writes its log, and what waits until all of it is stored.
    pub(crate) fn writer(&self, run: RunId, attempt: u32) -> (LogWriter, JoinHandle<()>) {
        let time = self.time.clone();
        let (writer, mut reader) = LogWriter::channel(CHUNKS_WAITING.0, move || time.now().as_millis());
        let messages = self.messages.clone();
        let stored = tokio::spawn(async move {
            while let Some(chunk) = reader.next().await {
                let chunk = LogChunk {
                    run,
                    attempt,
                    first_line: chunk.first_line,
                    line_count: u32::try_from(chunk.lines.len()).unwrap_or(u32::MAX),
                    data: chunk.encode(),
                };
                if messages.send(Message::Chunk(chunk)).await.is_err() {
                    return;
                }
            }
            let (flush, flushed) = oneshot::channel();
            if messages.send(Message::Flush(flush)).await.is_ok() {
                let _ = flushed.await;
            }
        });
        (writer, stored)
    }
}

impl LogLaneTask {
    /// Stores chunks until every writer and the lane are gone.
    pub(crate) async fn run(mut self) {
        let mut messages = Vec::new();
        while self.messages.recv_many(&mut messages, BATCH).await > 0 {
            let (mut chunks, mut flushes) = (Vec::new(), Vec::new());
            for message in messages.drain(..) {
                match message {
                    Message::Chunk(chunk) => chunks.push(chunk),
                    Message::Flush(flush) => flushes.push(flush),
                }
            }
            if !chunks.is_empty() && !self.append(chunks).await {
                return;
            }
            for flush in flushes {
                let _ = flush.send(());
            }
        }
    }

    /// Stores chunks, however often it takes; false once the store is closed.
    async fn append(&mut self, chunks: Vec<LogChunk>) -> bool {
        while let Err(error) = self.store.append_log(chunks.clone()).await {
            if matches!(error, mainspring_store::Error::Closed) {
                return false;
            }
            tracing::error!(%error, chunks = chunks.len(), "log lines could not be stored; trying again");
            self.alarm.wait_until(self.clock.now() + crate::engine::wait_of(RETRY_AFTER_MS)).await;
        }
        self.appended.send_modify(|count| *count += 1);
        true
    }
}
