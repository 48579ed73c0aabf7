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

/// The lane has ended.
#[derive(Debug)]
pub(crate) struct Over;

/// Lines of an attempt, as the store keeps them.
pub(crate) fn chunk(run: RunId, attempt: u32, lines: &mainspring_tasks::LogChunk) -> LogChunk {
    LogChunk {
        run,
        attempt,
        first_line: lines.first_line,
        line_count: u32::try_from(lines.lines.len()).unwrap_or(u32::MAX),
        data: lines.encode(),
    }
}

impl LogLane {
    pub(crate) fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, time: RightTime) -> (Self, LogLaneTask) {
        let (sender, receiver) = mpsc::channel(CHUNKS_WAITING.1);
        let (appended, appended_receiver) = watch::channel(0);
        let task = LogLaneTask { store, messages: receiver, appended, alarm: clock.alarm(), clock };
        (Self { time, messages: sender, appended: appended_receiver }, task)
    }

    /// Stores chunks. An error: the lane has ended.
    pub(crate) async fn append(&self, chunks: Vec<LogChunk>) -> Result<(), Over> {
        for chunk in chunks {
            self.send(Message::Chunk(chunk)).await?;
        }
        self.flush().await
    }

    /// Waits until all that was sent before is stored.
    async fn flush(&self) -> Result<(), Over> {
        let (flush, flushed) = oneshot::channel();
        self.send(Message::Flush(flush)).await?;
        flushed.await.map_err(|_| Over)
    }

    async fn send(&self, message: Message) -> Result<(), Over> {
        self.messages.send(message).await.map_err(|_| Over)
    }

    /// Where an attempt writes its log, and what waits until all of it is stored.
    pub(crate) fn writer(&self, run: RunId, attempt: u32) -> (LogWriter, JoinHandle<()>) {
        let time = self.time.clone();
        let (writer, mut reader) = LogWriter::channel(CHUNKS_WAITING.0, move || time.now().as_millis());
        let lane = self.clone();
        let stored = tokio::spawn(async move {
            while let Some(lines) = reader.next().await {
                if lane.send(Message::Chunk(chunk(run, attempt, &lines))).await.is_err() {
                    return;
                }
            }
            let _over = lane.flush().await;
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
