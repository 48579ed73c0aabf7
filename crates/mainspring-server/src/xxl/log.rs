//! Pulls the log of an attempt from its executor, and keeps it with ours: it is there after the executor is gone.

use mainspring_engine::{LogPiece, Report};
use mainspring_store::causes;
use mainspring_tasks::{LogLine, Stream};
use mainspring_xxl::{Ability, LogReader};

use super::ends::{chunk, cut};
use super::executors::Callee;
use super::ledger::Sent;
use crate::app::App;

/// Longest line that is kept whole, in bytes.
const LINE_MAX: usize = 16 * 1024;
/// Most that is kept of one log, in bytes.
const LOG_MAX: usize = 64 << 20;
/// Questions at the end of an attempt: each is answered with 1,000 lines at least, or with all there is.
const QUESTIONS_MAX: usize = 1_000;

/// How far a log is read.
pub(super) struct LogPull {
    reader: LogReader,
    /// Lines that are kept.
    lines: u64,
    /// Their length.
    bytes: usize,
    /// Whether the executor has no logs.
    is_without: bool,
}

impl LogPull {
    /// Begins the log of an attempt that was sent just now: nothing of it is kept.
    pub(super) fn new(sent: &Sent) -> Self {
        Self::from_line(sent, 0)
    }

    fn from_line(sent: &Sent, lines: u64) -> Self {
        let next = i64::try_from(lines).unwrap_or(i64::MAX - 1) + 1;
        Self { reader: LogReader::new(sent.log_id, sent.date).from_line(next), lines, bytes: 0, is_without: false }
    }

    /// Goes on where the log that is kept ends.
    pub(super) async fn begin(app: &App, sent: &Sent) -> Self {
        let lines = app.control().store().log_end(sent.run, sent.attempt).await.unwrap_or_else(|error| {
            tracing::warn!(error = %causes(&error), run.id = %sent.run, "the log of an attempt could not be read; it is pulled from its beginning");
            0
        });
        Self::from_line(sent, lines)
    }

    /// Pulls what is new. True: there was something. When the attempt is over, all of the rest.
    pub(super) async fn pull(&mut self, app: &App, sent: &Sent, callee: &Callee, is_over: bool) -> bool {
        let mut any = false;
        // Whoever has no logs is asked once more at the end.
        if self.is_without && !is_over {
            return false;
        }
        for _ in 0..if is_over { QUESTIONS_MAX } else { 1 } {
            let Some(question) = self.reader.question().filter(|_| self.bytes < LOG_MAX) else { break };
            let Ok(reply) = app.xxl.client.log(&callee.target(), &question).await else { break };
            let key = (callee.app.clone(), callee.address.clone());
            {
                let mut executors = app.xxl.executors();
                executors.answered(&key, &reply, app.xxl.moment(app.now()));
                executors.note_ability(&key, Ability::Log, reply.is_success());
            }
            self.is_without = !reply.is_success();
            let piece = self.reader.take(&reply, is_over);
            if piece.lines.is_empty() {
                break;
            }
            any = true;
            if !self.keep(app, sent, piece.lines, is_over).await {
                break;
            }
        }
        any
    }

    /// Keeps lines. False: they could not be kept, and are pulled again.
    async fn keep(&mut self, app: &App, sent: &Sent, lines: Vec<String>, is_over: bool) -> bool {
        let at_ms = app.now().as_millis();
        let count = u64::try_from(lines.len()).unwrap_or(u64::MAX);
        self.bytes += lines.iter().map(String::len).sum::<usize>();
        let mut kept: Vec<LogLine> = lines.into_iter().map(|text| line(text, at_ms)).collect();
        if self.bytes >= LOG_MAX
            && let Some(last) = kept.last_mut()
        {
            *last = LogLine { at_ms, stream: Stream::System, text: CUT.to_owned(), partial: false };
        }
        let piece = LogPiece { run: sent.run, attempt: sent.attempt, first_line: self.lines, lines: kept };
        match keep_piece(app, sent, piece, is_over).await {
            Ok(()) => self.lines += count,
            Err(error) => {
                tracing::warn!(error, run.id = %sent.run, "lines of a log could not be kept; they are pulled again");
                let next = i64::try_from(self.lines).unwrap_or(i64::MAX - 1) + 1;
                self.reader = self.reader.clone().from_line(next);
                return false;
            }
        }
        true
    }
}

/// Keeps lines of a log, and returns once they are there.
async fn keep_piece(app: &App, sent: &Sent, piece: LogPiece, is_over: bool) -> Result<(), String> {
    let (first_line, lines) = (piece.first_line, piece.lines.clone());
    let store = app.control().store();
    let told = |error: &dyn std::error::Error| causes(error).to_string();
    if !is_over {
        let end = first_line + u64::try_from(lines.len()).unwrap_or(u64::MAX);
        let report = Report { offset_ms: 0, logs: vec![piece], ends: Vec::new() };
        app.engine.workers().report(sent.worker, report).await.map_err(|error| told(&error))?;
        if store.log_end(sent.run, sent.attempt).await.map_err(|error| told(&error))? >= end {
            return Ok(());
        }
    }
    // A report passes over lines of an attempt that its worker has no more. It may have ended just now, and they would be lost.
    store.append_log(vec![chunk(sent, first_line, lines)]).await.map_err(|error| told(&error))
}

/// What stands at the end of a log that is too long.
const CUT: &str = "the log goes on at the executor: more than 64 MiB are not kept";

fn line(text: String, at_ms: i64) -> LogLine {
    let text = text.replace('\0', "\u{fffd}");
    let partial = false;
    LogLine { at_ms, stream: Stream::Stdout, text: cut(text, LINE_MAX), partial }
}
