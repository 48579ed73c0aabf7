//! A place in the log of a run, through all its attempts.

use mainspring_api::{ErrorCode, LogFilter, LogLine};
use mainspring_core::RunId;
use mainspring_engine::Control;
use mainspring_schedule::Timestamp;

use super::level::level;
use crate::app::App;
use crate::extract::off_thread;
use crate::refusal::{Answer, Refusal};
use crate::show::instant;

/// Lines whose levels are guessed where they are: each takes some microseconds.
const AT_ONCE: usize = 100;

/// A place in the log of a run.
#[derive(Clone)]
pub(crate) struct Log {
    pub(crate) run: RunId,
    /// Only this attempt.
    only: Option<u32>,
    /// The attempt that is read.
    attempt: u32,
    /// Lines of the attempts before.
    offset: u64,
    /// The next line, numbered through all attempts, from 1.
    pub(crate) from_line: u64,
}

/// The lines that a query can show, so far.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    /// The first one.
    pub(crate) first_line: u64,
    /// The last one; one less than the first if there is none.
    pub(crate) last_line: u64,
}

impl Log {
    /// Goes to where a filter begins, and measures what it can show.
    pub(crate) async fn open(app: &App, run: RunId, filter: &LogFilter) -> Answer<(Self, Part)> {
        let control = app.control();
        let attempts = control.run(run).await?.attempt;
        if let Some(attempt) = filter.attempt.filter(|attempt| !(1..=attempts).contains(attempt)) {
            let detail = format!("run {run} has had {attempts} attempts; there is no attempt {attempt}");
            return Err(Refusal::new(ErrorCode::AttemptNotFound, detail));
        }
        if filter.tail.is_some() && filter.from_line.is_some() {
            return Err(Refusal::new(ErrorCode::RequestQuery, "tail and from_line exclude each other"));
        }
        let mut log = Self { run, only: filter.attempt, attempt: 1, offset: 0, from_line: 1 };
        for attempt in 1..filter.attempt.unwrap_or(1) {
            log.offset += log.end_of(control, attempt).await?;
            log.attempt = attempt + 1;
        }
        let mut last_line = log.offset;
        for attempt in log.attempt..=filter.attempt.unwrap_or(attempts) {
            last_line += log.end_of(control, attempt).await?;
        }
        let part = Part { first_line: log.offset + 1, last_line };
        log.from_line = match (filter.tail, filter.from_line) {
            (Some(tail), _) => (last_line + 1).saturating_sub(u64::from(tail)).max(part.first_line),
            (None, from_line) => from_line.unwrap_or(1).max(part.first_line),
        };
        Ok((log, part))
    }

    /// Reads the next lines, at most `limit`. None at the end, for now.
    pub(crate) async fn read(&mut self, control: &Control, limit: usize) -> Answer<Vec<LogLine>> {
        let (attempt, offset, lines) = self.read_raw(control, limit).await?;
        let is_short = lines.len() <= AT_ONCE;
        let shown =
            move || Ok(lines.into_iter().map(|(index, line)| show(offset + index + 1, attempt, line)).collect());
        if is_short { shown() } else { off_thread(shown).await }
    }

    /// The same as they are kept: with the attempt, the number of lines before it, and their index within it.
    pub(crate) async fn read_raw(
        &mut self,
        control: &Control,
        limit: usize,
    ) -> Answer<(u32, u64, Vec<(u64, mainspring_tasks::LogLine)>)> {
        let mut looked_again = false;
        loop {
            let first = self.from_line - self.offset - 1;
            let lines = control.log_lines(self.run, self.attempt, first, limit).await?;
            if let Some((last, _)) = lines.last() {
                self.from_line = self.offset + last + 2;
                return Ok((self.attempt, self.offset, lines));
            }
            // An attempt has all its lines once there is a later one.
            let attempts = control.run(self.run).await?.attempt;
            if self.only.is_some() || self.attempt >= attempts {
                return Ok((self.attempt, self.offset, Vec::new()));
            }
            let count = self.end_of(control, self.attempt).await?;
            if first < count && !looked_again {
                // They have come in between.
                looked_again = true;
                continue;
            }
            // Lines that still do not show cannot be read, which the log of the server says.
            looked_again = false;
            self.offset += count;
            self.attempt += 1;
            self.from_line = self.from_line.max(self.offset + 1);
        }
    }

    /// How many lines an attempt has.
    async fn end_of(&self, control: &Control, attempt: u32) -> Answer<u64> {
        Ok(control.store().log_end(self.run, attempt).await?)
    }
}

fn show(number: u64, attempt: u32, line: mainspring_tasks::LogLine) -> LogLine {
    LogLine {
        line: number,
        attempt,
        at: instant(Timestamp::from_millis(line.at_ms)),
        stream: line.stream.into(),
        level: level(&line.text),
        text: line.text,
        // A line that is too long goes on in the next one; nothing of it is dropped.
        truncated: false,
    }
}
