//! Turns byte streams into numbered lines within bounds.

use std::time::Duration;

use tokio::sync::mpsc::error::TrySendError;
use tokio::time::{Instant, timeout};

use super::channel::LogWriter;
use super::line::{LogChunk, LogLine, Stream};
use super::tail::{Dropped, Tail};
use crate::settings::LogLimits;

/// The longest time that a line waits for others before its chunk is sent.
const CHUNK_DELAY: Duration = Duration::from_millis(25);
/// The size at which a chunk is sent.
const CHUNK_BYTES: usize = 32 * 1024;
/// The cost of a line beside its text, in bytes.
const LINE_OVERHEAD: usize = 32;

/// Collects the lines of one attempt into chunks and keeps the cap on its log.
pub(crate) struct Recorder {
    writer: LogWriter,
    limits: LogLimits,
    pending: Vec<LogLine>,
    pending_bytes: usize,
    pending_since: Option<Instant>,
    text_bytes: u64,
    next_line: u64,
    /// The lines after the head of a full log.
    tail: Tail,
    /// Whether the head is full.
    head_full: bool,
    /// Remarks that follow the tail.
    late: Vec<LogLine>,
    truncated: bool,
    reader_gone: bool,
    /// The time that lines may wait to be taken after the work has ended.
    pub(crate) patience: Duration,
}

impl Recorder {
    pub(crate) fn new(writer: LogWriter, limits: LogLimits) -> Self {
        Self {
            writer,
            tail: Tail::of(limits.run_bytes_max),
            head_full: false,
            late: Vec::new(),
            limits,
            pending: Vec::new(),
            pending_bytes: 0,
            pending_since: None,
            text_bytes: 0,
            next_line: 0,
            truncated: false,
            reader_gone: false,
            patience: Duration::from_millis(limits.flush_ms_max),
        }
    }

    /// Sends what is left, as long as the patience lasts; returns the number of lines that were sent, and whether any
    /// output was thrown away.
    pub(crate) async fn close(mut self) -> (u64, bool) {
        let _ = timeout(self.patience, self.flush_all()).await;
        let unsent = self.pending.len() as u64;
        (self.next_line - unsent, self.truncated || unsent > 0)
    }

    /// Takes `bytes` of a stream; its complete lines become part of the log.
    pub(crate) fn take(&mut self, lines: &mut LineCutter, bytes: &[u8]) {
        if self.reader_gone {
            self.truncated = true;
            return;
        }
        let stream = lines.stream;
        lines.cut(bytes, self.limits.line_bytes_max, |text, partial| {
            self.record(stream, text, partial);
        });
    }

    /// Takes what is left of a stream at its end.
    pub(crate) fn finish(&mut self, lines: &mut LineCutter) {
        if let Some(text) = lines.rest() {
            self.record(lines.stream, &text, false);
        }
    }

    /// Adds a remark of the worker itself, whatever the cap.
    pub(crate) fn remark(&mut self, text: impl Into<String>) {
        let line = self.line(Stream::System, text.into(), false);
        if self.tail.is_empty() { self.push(line) } else { self.late.push(line) }
    }

    /// Returns whether each further line replaces another or is dropped.
    pub(crate) fn is_closed(&self) -> bool {
        self.reader_gone || self.truncated
    }

    /// Returns the latest time to send the pending lines.
    pub(crate) fn flush_at(&self) -> Option<Instant> {
        self.pending_since.map(|since| since + CHUNK_DELAY)
    }

    /// Sends pending lines that are due: waits for room only when they have become many.
    pub(crate) async fn flush_due(&mut self) {
        if self.pending_bytes >= CHUNK_BYTES {
            return self.flush().await;
        }
        if self.flush_at().is_some_and(|at| at <= Instant::now()) {
            match self.writer.chunks.clone().try_reserve_owned() {
                Ok(place) => {
                    place.send(self.take_pending());
                }
                Err(TrySendError::Closed(_)) => self.lose_reader(),
                Err(TrySendError::Full(_)) => self.pending_since = Some(Instant::now()),
            }
        }
    }

    /// Sends all pending lines, waiting for room.
    pub(crate) async fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        // The place comes first: should this future be dropped, the lines are still here.
        let Ok(place) = self.writer.chunks.clone().reserve_owned().await else {
            return self.lose_reader();
        };
        place.send(self.take_pending());
    }

    /// Sends what is pending, then what was kept of the end.
    async fn flush_all(&mut self) {
        let dropped = self.tail.dropped();
        if dropped != Dropped::default() {
            let Dropped { lines, bytes } = dropped;
            let mark = format!("{bytes} bytes of output in {lines} lines are left out here; what follows is the end");
            let mark = self.line(Stream::System, mark, false);
            self.push(mark);
        }
        let late = std::mem::take(&mut self.late);
        for line in self.tail.take().into_iter().chain(late) {
            self.push(line);
            if self.pending_bytes >= CHUNK_BYTES {
                self.flush().await;
            }
        }
        self.flush().await;
    }

    fn record(&mut self, stream: Stream, text: &[u8], partial: bool) {
        if self.reader_gone {
            self.truncated = true;
            return;
        }
        let line = self.line(stream, String::from_utf8_lossy(text).into_owned(), partial);
        let (head_max, bytes) = (self.limits.run_bytes_max - self.tail.bytes_max(), text.len() as u64 + 1);
        if !self.head_full && self.text_bytes + bytes > head_max {
            self.head_full = true;
            self.tail.widen(head_max - self.text_bytes);
        }
        if self.head_full {
            self.keep_as_tail(line);
        } else {
            self.text_bytes += bytes;
            self.push(line);
        }
    }

    fn keep_as_tail(&mut self, line: LogLine) {
        self.tail.push(line);
        if !self.truncated && self.tail.dropped() != Dropped::default() {
            self.truncated = true;
            let (max, tail) = (self.limits.run_bytes_max, self.tail.bytes_max());
            let mark = format!(
                "log truncated: it reached its limit of {max} bytes; of further output the last {tail} bytes are kept, and come at the end"
            );
            let mark = self.line(Stream::System, mark, false);
            self.push(mark);
        }
    }

    fn line(&self, stream: Stream, text: String, partial: bool) -> LogLine {
        LogLine { at_ms: (self.writer.clock)(), stream, text, partial }
    }

    fn push(&mut self, line: LogLine) {
        self.pending_bytes += line.text.len() + LINE_OVERHEAD;
        self.pending.push(line);
        self.next_line += 1;
        self.pending_since.get_or_insert_with(Instant::now);
    }

    fn take_pending(&mut self) -> LogChunk {
        let lines = std::mem::take(&mut self.pending);
        self.pending_bytes = 0;
        self.pending_since = None;
        LogChunk { first_line: self.next_line - lines.len() as u64, lines }
    }

    fn lose_reader(&mut self) {
        self.reader_gone = true;
        self.truncated = true;
        self.next_line -= self.pending.len() as u64;
        self.pending.clear();
        self.pending_bytes = 0;
        self.pending_since = None;
    }
}

/// Cuts one byte stream into lines, and those that are too long into parts.
pub(crate) struct LineCutter {
    stream: Stream,
    started: Vec<u8>,
}

impl LineCutter {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, started: Vec::new() }
    }

    /// Hands each line that `bytes` complete to `line`, as text without its end and whether it
    /// goes on. Keeps at most `line_bytes_max` bytes.
    fn cut(&mut self, mut bytes: &[u8], line_bytes_max: usize, mut line: impl FnMut(&[u8], bool)) {
        while !bytes.is_empty() {
            let room = line_bytes_max - self.started.len();
            // One byte more, because a line end does not count.
            let window = &bytes[..bytes.len().min(room + 1)];
            if let Some(end) = window.iter().position(|byte| *byte == b'\n') {
                self.started.extend_from_slice(&window[..end]);
                line(without_return(&self.started), false);
                self.started.clear();
                bytes = &bytes[end + 1..];
            } else if window.len() > room {
                self.started.extend_from_slice(&window[..room]);
                let keep = whole_characters(&self.started);
                line(&self.started[..keep], true);
                self.started.drain(..keep);
                bytes = &bytes[room..];
            } else {
                self.started.extend_from_slice(window);
                bytes = &[];
            }
        }
    }

    fn rest(&mut self) -> Option<Vec<u8>> {
        let rest = std::mem::take(&mut self.started);
        (!rest.is_empty()).then(|| without_return(&rest).to_vec())
    }
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Returns how many bytes to keep so that no UTF-8 character is cut in two.
fn whole_characters(bytes: &[u8]) -> usize {
    let tail = bytes.len().saturating_sub(3);
    let start = (tail..bytes.len()).rev().find(|at| bytes[*at] & 0b1100_0000 != 0b1000_0000);
    match start {
        Some(at) if at > 0 && character_bytes(bytes[at]) > bytes.len() - at => at,
        _ => bytes.len(),
    }
}

fn character_bytes(first: u8) -> usize {
    match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(max: usize, pieces: &[&[u8]]) -> Vec<(String, bool)> {
        let mut cutter = LineCutter::new(Stream::Stdout);
        let mut lines = Vec::new();
        for piece in pieces {
            cutter.cut(piece, max, |text, partial| {
                lines.push((String::from_utf8_lossy(text).into_owned(), partial));
            });
        }
        lines.extend(cutter.rest().map(|text| (String::from_utf8_lossy(&text).into_owned(), false)));
        lines
    }

    #[test]
    fn bytes_become_lines() {
        type Case = (&'static str, &'static [&'static [u8]], &'static [(&'static str, bool)]);
        let cases: [Case; 10] = [
            ("two lines", &[b"a\nb\n"], &[("a", false), ("b", false)]),
            ("no newline at the end", &[b"a\nb"], &[("a", false), ("b", false)]),
            ("a line in pieces", &[b"a", b"b\nc", b"\n"], &[("ab", false), ("c", false)]),
            ("carriage returns", &[b"a\r\n\r\nb\rc\r\n"], &[("a", false), ("", false), ("b\rc", false)]),
            ("a return and its newline apart", &[b"a\r", b"\nb"], &[("a", false), ("b", false)]),
            ("as long as allowed", &[b"12345678\n9"], &[("12345678", false), ("9", false)]),
            ("too long", &[b"1234567890\n"], &[("12345678", true), ("90", false)]),
            ("a character across the cut", &[b"1234567\xc3\xa98\n"], &[("1234567", true), ("é8", false)]),
            ("binary", &[b"\xff\xfe\0\n"], &[("\u{fffd}\u{fffd}\0", false)]),
            ("nothing", &[b""], &[]),
        ];
        for (name, pieces, expected) in cases {
            let expected: Vec<_> = expected.iter().map(|(text, p)| ((*text).to_owned(), *p)).collect();
            assert_eq!(cut(8, pieces), expected, "{name}");
        }
    }

    proptest! {
        #[test]
        fn lines_do_not_depend_on_how_the_bytes_arrive(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'\n'), Just(b'\r')], 0..300),
            at in any::<prop::sample::Index>(),
            max in 8usize..40,
        ) {
            let (left, right) = bytes.split_at(at.index(bytes.len() + 1));
            prop_assert_eq!(cut(max, &[&bytes]), cut(max, &[left, right]));
        }

        #[test]
        fn text_is_kept_whole_and_in_bounds(text in "[a-zé\u{1F600}\n]{0,200}", max in 8usize..40) {
            let lines = cut(max, &[text.as_bytes()]);
            let joined: String = lines.iter().map(|(t, partial)| format!("{t}{}", if *partial { "" } else { "\n" })).collect();
            prop_assert_eq!(joined.trim_end_matches('\n'), text.trim_end_matches('\n'));
            prop_assert!(lines.iter().all(|(text, _)| text.len() <= max));
        }
    }

    fn recorder(chunks_max: usize, run_bytes_max: u64) -> (Recorder, crate::LogReader) {
        let (writer, reader) = LogWriter::channel(chunks_max, || 5);
        (Recorder::new(writer, LogLimits { run_bytes_max, line_bytes_max: 64, flush_ms_max: 1_000 }), reader)
    }

    #[tokio::test]
    async fn the_cap_keeps_head_and_tail_with_a_mark_between() {
        let (mut recorder, mut reader) = recorder(4, 40);
        let mut out = LineCutter::new(Stream::Stdout);
        for number in 0..1_000 {
            recorder.take(&mut out, format!("n{number}\n").as_bytes());
        }
        recorder.take(&mut out, b"why");
        recorder.finish(&mut out);
        recorder.remark("it failed");
        assert_eq!(recorder.close().await, (15, true));
        let chunk = reader.next().await.unwrap();
        let texts: Vec<_> = chunk.lines.iter().map(|line| (line.stream, line.text.as_str())).collect();
        let head: Vec<String> = (0..10).map(|number| format!("n{number}")).collect();
        assert_eq!(texts[..10].iter().map(|it| it.1).collect::<Vec<_>>(), head);
        assert!(
            texts[10].0 == Stream::System && texts[10].1.starts_with("log truncated: it reached its limit of 40 bytes")
        );
        assert_eq!(
            texts[11],
            (Stream::System, "4855 bytes of output in 989 lines are left out here; what follows is the end")
        );
        assert_eq!(texts[12..], [(Stream::Stdout, "n999"), (Stream::Stdout, "why"), (Stream::System, "it failed")]);
    }

    #[tokio::test]
    async fn a_log_that_fits_is_whole_and_has_no_mark() {
        let (mut recorder, mut reader) = recorder(4, 40);
        let mut out = LineCutter::new(Stream::Stdout);
        let text = "abcdefg\n".repeat(5);
        recorder.take(&mut out, text.as_bytes());
        assert_eq!(recorder.close().await, (5, false));
        assert_eq!(reader.next().await.unwrap().lines.len(), 5);
    }

    #[tokio::test]
    async fn a_line_that_is_longer_than_the_tail_keeps_its_end() {
        let (mut recorder, mut reader) = recorder(4, 40);
        let mut out = LineCutter::new(Stream::Stdout);
        recorder.take(&mut out, format!("{}é-end\n", "x".repeat(50)).as_bytes());
        recorder.close().await;
        let chunk = reader.next().await.unwrap();
        assert_eq!(chunk.lines.last().unwrap().text, format!("{}é-end", "x".repeat(33)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_channel_keeps_lines_until_there_is_room() {
        let (mut recorder, mut reader) = recorder(1, 1000);
        let mut out = LineCutter::new(Stream::Stdout);
        for text in [b"a\n", b"b\n"] {
            recorder.take(&mut out, text);
            tokio::time::advance(CHUNK_DELAY).await;
            recorder.flush_due().await;
        }
        assert_eq!(reader.next().await.unwrap().lines[0].text, "a");
        recorder.flush().await;
        let second = reader.next().await.unwrap();
        assert_eq!((second.first_line, second.lines[0].text.as_str()), (1, "b"));
        assert_eq!(recorder.close().await, (2, false));
    }

    #[tokio::test(start_paused = true)]
    async fn lines_that_nobody_takes_are_given_up_and_counted() {
        let (mut recorder, _reader) = recorder(1, 1000);
        recorder.remark("taken by the channel");
        recorder.flush().await;
        recorder.remark("too much");
        assert_eq!(recorder.close().await, (1, true));
    }

    #[tokio::test]
    async fn a_dropped_reader_closes_the_log() {
        let (mut recorder, reader) = recorder(1, 1000);
        drop(reader);
        recorder.remark("for nobody");
        recorder.flush().await;
        assert!(recorder.is_closed());
        assert_eq!(recorder.close().await, (0, true));
    }
}
