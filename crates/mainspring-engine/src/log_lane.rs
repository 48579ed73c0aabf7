//! From running tasks to the store: log chunks of all attempts, appended in bounded batches on a lane of their own.

use std::sync::Arc;

use mainspring_core::RunId;
use mainspring_store::{LogChunk, Store, causes};
use mainspring_tasks::{LogLine, LogWriter, Stream};
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
    /// Whether what is left of the disk is needed for other things.
    short: watch::Receiver<bool>,
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

/// A chunk that says in its first line that the texts of its lines were not kept, and still counts them.
fn withheld(chunk: LogChunk) -> LogChunk {
    let Ok(mut lines) = mainspring_tasks::LogChunk::decode(&chunk.data) else { return chunk };
    for line in &mut lines.lines {
        *line = LogLine { at_ms: line.at_ms, stream: Stream::System, text: String::new(), partial: false };
    }
    if let Some(first) = lines.lines.first_mut() {
        let count = chunk.line_count;
        let what = if count == 1 { "1 line is".to_owned() } else { format!("{count} lines are") };
        first.text = format!("{what} not kept: the disk of the database is nearly full");
    }
    LogChunk { data: lines.encode(), ..chunk }
}

impl LogLane {
    /// Lines that come while the disk is `short` leave a mark in their place.
    pub(crate) fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        time: RightTime,
        short: watch::Receiver<bool>,
    ) -> (Self, LogLaneTask) {
        let (sender, receiver) = mpsc::channel(CHUNKS_WAITING.1);
        let (appended, appended_receiver) = watch::channel(0);
        let task = LogLaneTask { store, messages: receiver, appended, alarm: clock.alarm(), clock, short };
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
                    Message::Chunk(chunk) if *self.short.borrow() => chunks.push(withheld(chunk)),
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
            tracing::error!(error = %causes(&error), chunks = chunks.len(), "log lines could not be stored; trying again");
            self.alarm.wait_until(self.clock.now() + crate::random::wait_of(RETRY_AFTER_MS)).await;
        }
        self.appended.send_modify(|count| *count += 1);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_have_no_room_leave_a_mark_and_are_counted() {
        let line = |text: &str| LogLine { at_ms: 7, stream: Stream::Stdout, text: text.to_owned(), partial: true };
        let lines = mainspring_tasks::LogChunk { first_line: 40, lines: ["a", "b"].map(line).to_vec() };
        let run = RunId::from_bytes([1; 16]);
        let kept = withheld(chunk(run, 1, &lines));
        assert_eq!((kept.first_line, kept.line_count), (40, 2));
        let kept = mainspring_tasks::LogChunk::decode(&kept.data).unwrap();
        assert_eq!((kept.first_line, kept.lines.len()), (40, 2), "what follows goes on at the same line");
        assert!(kept.lines[0].text.starts_with("2 lines are not kept"));
        assert_eq!((kept.lines[1].text.as_str(), kept.lines[1].partial), ("", false));
    }
}
