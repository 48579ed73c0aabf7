//! The outbox of a worker: logs and ends that wait to be reported, in order and within bounds.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, PoisonError};

use mainspring_api::{LogStream, Timestamp, WorkerEnd, WorkerHolding, WorkerLine, WorkerLog, WorkerReport};
use mainspring_tasks::LogReader;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinHandle;

use crate::book::Life;
use crate::clock;

/// Log chunks of all attempts that wait; whoever writes more waits for room.
const LOGS_MAX: usize = 64;
/// Bytes in one report, roughly; its JSON must stay within what a server reads, also when every byte is escaped.
pub(crate) const REPORT_BYTES: usize = 96 * 1024;
/// The cost of a line beside its text, in bytes.
const LINE_BYTES: usize = 80;
/// The cost of an end beside its output, in bytes.
const END_BYTES: usize = 400;
/// Bytes of one line that a server takes.
const TEXT_BYTES_MAX: usize = 16 * 1024;

/// One thing to report.
#[derive(Debug)]
struct Item {
    life: Life,
    what: What,
    /// Its place among the log chunks that wait.
    _place: Option<OwnedSemaphorePermit>,
}

/// The sending end. Logs wait for room; ends do not, of which there are no more than slots.
#[derive(Clone, Debug)]
pub(crate) struct Sender {
    items: mpsc::UnboundedSender<Item>,
    room: Arc<Semaphore>,
}

impl Sender {
    /// Puts in the end of an attempt, after what its log has put in.
    pub(crate) fn end(&self, life: Life, end: WorkerEnd) {
        // Nobody takes anything out any more: the worker is being dropped.
        let _closed = self.items.send(Item { life, what: What::End(end), _place: None });
    }

    /// Puts in a part of a log once there is room. False: nobody takes anything out any more.
    async fn log(&self, life: Life, log: WorkerLog) -> bool {
        let Ok(place) = Arc::clone(&self.room).acquire_owned().await else { return false };
        self.items.send(Item { life, what: What::Log(log), _place: Some(place) }).is_ok()
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum What {
    Log(WorkerLog),
    End(WorkerEnd),
}

impl What {
    fn bytes(&self) -> usize {
        match self {
            Self::Log(log) => log.lines.iter().map(|line| LINE_BYTES + line.text.len()).sum(),
            Self::End(end) => end_bytes(end),
        }
    }
}

/// Returns about how much of a report an end takes, in bytes.
pub(crate) fn end_bytes(end: &WorkerEnd) -> usize {
    let texts = end.error.as_ref().map_or(0, String::len);
    let values = end.output.iter().chain(&end.data).map(|value| value.to_string().len());
    END_BYTES + texts + values.sum::<usize>()
}

/// Things of one life that go together.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) life: Life,
    pub(crate) items: Vec<What>,
}

impl Batch {
    pub(crate) fn report(&self) -> WorkerReport {
        let mut report = WorkerReport { now: clock::now(), logs: Vec::new(), ends: Vec::new() };
        for item in self.items.iter().cloned() {
            match item {
                What::Log(log) => report.logs.push(log),
                What::End(end) => report.ends.push(end),
            }
        }
        report
    }

    pub(crate) fn ends(&self) -> impl Iterator<Item = &WorkerEnd> {
        self.items.iter().filter_map(|item| match item {
            What::Log(_) => None,
            What::End(end) => Some(end),
        })
    }
}

/// The receiving end.
pub(crate) struct Outbox {
    items: mpsc::UnboundedReceiver<Item>,
    /// Taken out, and not put into a batch yet.
    next: VecDeque<Item>,
}

impl Outbox {
    pub(crate) fn new() -> (Sender, Self) {
        let (sender, items) = mpsc::unbounded_channel();
        let sender = Sender { items: sender, room: Arc::new(Semaphore::new(LOGS_MAX)) };
        (sender, Self { items, next: VecDeque::new() })
    }

    /// Waits for something, and takes what is there already along; none once nobody can put anything in.
    pub(crate) async fn batch(&mut self) -> Option<Batch> {
        let first = match self.next.pop_front() {
            Some(item) => item,
            None => self.items.recv().await?,
        };
        let mut bytes = first.what.bytes();
        let mut batch = Batch { life: first.life, items: vec![first.what] };
        while let Ok(item) = self.items.try_recv() {
            bytes += item.what.bytes();
            if item.life != batch.life || bytes > REPORT_BYTES {
                self.next.push_back(item);
                break;
            }
            batch.items.push(item.what);
        }
        Some(batch)
    }
}

/// The log of an attempt.
#[derive(Clone)]
pub(crate) struct Log {
    writer: Arc<Mutex<Writer>>,
    /// The task that forwards the output of a task.
    forwarding: Arc<std::sync::Mutex<Option<JoinHandle<()>>>>,
}

struct Writer {
    life: Life,
    holding: WorkerHolding,
    items: Sender,
    next_line: u64,
    closed: bool,
}

impl Log {
    pub(crate) fn new(life: Life, holding: WorkerHolding, items: Sender) -> Self {
        let writer = Writer { life, holding, items, next_line: 0, closed: false };
        Self { writer: Arc::new(Mutex::new(writer)), forwarding: Arc::default() }
    }

    /// Writes text of now, one line for each of its lines.
    pub(crate) async fn write(&self, stream: LogStream, text: &str) {
        let at = clock::now();
        let lines = text.lines().map(|text| WorkerLine { at, stream, text: text.to_owned(), partial: false });
        self.lines(lines.collect()).await;
    }

    /// Writes what a task prints. The task need not wait for all of it to be on its way.
    pub(crate) fn forward(&self, mut reader: LogReader) {
        let log = self.clone();
        let forwarding = tokio::spawn(async move {
            while let Some(chunk) = reader.next().await {
                log.lines(chunk.lines.into_iter().map(line).collect()).await;
            }
        });
        *self.forwarding.lock().unwrap_or_else(PoisonError::into_inner) = Some(forwarding);
    }

    /// Waits for what was printed, and takes nothing from then on: the end of the attempt follows.
    pub(crate) async fn close(&self) {
        let forwarding = self.forwarding.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(forwarding) = forwarding {
            let _panicked = forwarding.await;
        }
        self.writer.lock().await.closed = true;
    }

    async fn lines(&self, lines: Vec<WorkerLine>) {
        // One writer at a time, also while it waits for room: lines are numbered as they leave.
        let mut writer = self.writer.lock().await;
        let mut pieces = lines.into_iter().flat_map(within_bounds).peekable();
        while pieces.peek().is_some() && !writer.closed {
            let mut room = REPORT_BYTES;
            let mut lines = Vec::new();
            while let Some(line) = pieces.next_if(|line| lines.is_empty() || line.text.len() + LINE_BYTES <= room) {
                room = room.saturating_sub(line.text.len() + LINE_BYTES);
                lines.push(line);
            }
            let (first_line, count) = (writer.next_line, lines.len() as u64);
            let WorkerHolding { run, attempt } = writer.holding.clone();
            if !writer.items.log(writer.life, WorkerLog { run, attempt, first_line, lines }).await {
                return;
            }
            writer.next_line += count;
        }
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Log")
    }
}

fn line(line: mainspring_tasks::LogLine) -> WorkerLine {
    WorkerLine {
        at: Timestamp::from_millis(line.at_ms),
        stream: line.stream.into(),
        text: line.text,
        partial: line.partial,
    }
}

/// Cuts a line that is too long for a server. Bytes that were not UTF-8 have tripled by now.
fn within_bounds(line: WorkerLine) -> Vec<WorkerLine> {
    let mut pieces = Vec::new();
    let mut rest = line.text.as_str();
    while rest.len() > TEXT_BYTES_MAX {
        let (piece, left) = rest.split_at(rest.floor_char_boundary(TEXT_BYTES_MAX));
        pieces.push(WorkerLine { text: piece.to_owned(), partial: true, ..line.clone() });
        rest = left;
    }
    pieces.push(WorkerLine { text: rest.to_owned(), ..line });
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holding() -> WorkerHolding {
        WorkerHolding { run: "a".to_owned(), attempt: 1 }
    }

    fn lines(batch: &Batch) -> Vec<(u64, Vec<(usize, bool)>)> {
        let logs = batch.report().logs;
        logs.iter()
            .map(|log| (log.first_line, log.lines.iter().map(|line| (line.text.len(), line.partial)).collect()))
            .collect()
    }

    #[tokio::test]
    async fn lines_are_numbered_and_cut_to_what_a_server_takes() {
        let (items, mut outbox) = Outbox::new();
        let log = Log::new(1, holding(), items);
        log.write(LogStream::Stdout, "one\ntwo").await;
        log.write(LogStream::Stdout, &format!("{}\nend", "é".repeat(TEXT_BYTES_MAX - 1))).await;
        log.close().await;
        log.write(LogStream::Stdout, "too late").await;
        drop(log);
        let batch = outbox.batch().await.unwrap();
        let cut = vec![(TEXT_BYTES_MAX, true), (TEXT_BYTES_MAX - 2, false), (3, false)];
        assert_eq!(lines(&batch), [(0, vec![(3, false), (3, false)]), (2, cut)]);
        assert!(outbox.batch().await.is_none());
    }

    #[tokio::test]
    async fn a_report_holds_what_a_server_reads_at_once() {
        let (items, mut outbox) = Outbox::new();
        let log = Log::new(1, holding(), items);
        log.write(LogStream::Stdout, &format!("{}\n", "x".repeat(TEXT_BYTES_MAX)).repeat(20)).await;
        log.write(LogStream::Stdout, &"\n".repeat(5_000)).await;
        drop(log);
        let mut next = 0;
        while let Some(batch) = outbox.batch().await {
            assert!(batch.items.iter().map(What::bytes).sum::<usize>() <= REPORT_BYTES);
            for (first, lines) in lines(&batch) {
                assert_eq!(first, next);
                next += lines.len() as u64;
            }
        }
        assert_eq!(next, 5_020);
    }

    #[tokio::test]
    async fn a_batch_is_of_one_life() {
        let (items, mut outbox) = Outbox::new();
        for life in [1, 1, 2] {
            Log::new(life, holding(), items.clone()).write(LogStream::Stdout, "line").await;
        }
        let mut batch = async || outbox.batch().await.map(|batch| (batch.life, batch.items.len())).unwrap();
        assert_eq!((batch().await, batch().await), ((1, 2), (2, 1)));
    }

    #[tokio::test]
    async fn a_writer_waits_for_room() {
        let (items, mut outbox) = Outbox::new();
        let log = Log::new(1, holding(), items);
        for _ in 0..LOGS_MAX {
            log.write(LogStream::Stdout, "line").await;
        }
        let more = tokio::spawn(async move { log.write(LogStream::Stdout, "line").await });
        tokio::task::yield_now().await;
        assert!(!more.is_finished());
        assert_eq!(outbox.batch().await.unwrap().items.len(), LOGS_MAX);
        more.await.unwrap();
    }
}
