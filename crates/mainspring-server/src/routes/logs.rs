//! Logs: in parts, or as they grow.
//!
//! Lines are numbered through all attempts of a run, from 1.

use std::collections::VecDeque;
use std::convert::Infallible;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response, sse};
use futures_util::stream;
use mainspring_api::{ErrorCode, LogFilter, LogLine, LogPage, LogStream, routes};
use mainspring_core::RunId;
use mainspring_engine::Control;
use mainspring_schedule::Timestamp;
use mainspring_tasks::Stream;
use utoipa_axum::routes;

use super::{Route, runs};
use crate::app::App;
use crate::extract::{PathOf, QueryOf};
use crate::pages;
use crate::refusal::{Answer, Refusal};
use crate::show::{Runs, instant};
use crate::streams::{self, Place};

const LIMIT: u32 = 1_000;
const LIMIT_MAX: u32 = 10_000;
/// A page ends early when it has this much text.
const PAGE_BYTES: usize = 4 << 20;
/// Bytes of chunks that are read at once to count lines.
const COUNT_BYTES: u32 = 1 << 20;
/// The remark under which the log's capture throws away what follows.
const TRUNCATED: &str = "log truncated:";

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(log))]
}

/// Returns a part of the log of a run, or with `follow=true` an event stream that ends when the run is final.
#[utoipa::path(get, path = routes::RUN_LOG, tag = "runs", params(("run" = String, Path), LogFilter, ("Last-Event-ID" = Option<String>, Header)),
    responses((status = 200, content((LogPage = "application/json"), (LogLine = "text/event-stream")))))]
async fn log(
    State(app): State<App>,
    PathOf(run): PathOf<String>,
    QueryOf(filter): QueryOf<LogFilter>,
    headers: HeaderMap,
) -> Answer<Response> {
    let id = runs::id(&run)?;
    let limit = pages::bounded("limit", filter.limit, LIMIT, LIMIT_MAX)?;
    let mut log = Log::open(&app, id, &filter).await?;
    if !filter.follow {
        return page(&app, log, limit).await;
    }
    let place = Place::take(&app)?;
    if let Some(last) = headers.get("last-event-id") {
        let last = last.to_str().ok().and_then(|text| text.parse::<u64>().ok());
        let refused = || Refusal::new(ErrorCode::RequestHeader, "Last-Event-ID takes the number of a line");
        log.from_line = log.from_line.max(last.ok_or_else(refused)?.saturating_add(1));
    }
    let watch = app.control().log_watch();
    let reader = Follower { app, log, place, watch, ready: VecDeque::new(), ended: false };
    Ok(streams::answer(stream::unfold(reader, |mut reader| async {
        let event = reader.next().await?;
        Some((Ok::<_, Infallible>(event), reader))
    })))
}

async fn page(app: &App, mut log: Log, limit: usize) -> Answer<Response> {
    // Asked before the lines are read: then a final run has no further ones.
    let is_final = app.control().run(log.run).await?.state.is_final();
    let mut lines: Vec<LogLine> = Vec::new();
    let mut at_end = false;
    let mut bytes = 0;
    while lines.len() < limit && bytes < PAGE_BYTES && !at_end {
        let more = log.read(app.control(), limit - lines.len()).await?;
        at_end = more.is_empty();
        bytes += more.iter().map(|line| line.text.len()).sum::<usize>();
        lines.extend(more);
    }
    if !at_end {
        at_end = log.clone().read(app.control(), 1).await?.is_empty();
    }
    let truncated = lines.iter().any(is_truncation);
    let next_line = log.from_line;
    Ok(Json(LogPage { lines, next_line, complete: is_final && at_end, truncated }).into_response())
}

/// A place in the log of a run.
#[derive(Clone)]
struct Log {
    run: RunId,
    /// Only this attempt.
    only: Option<u32>,
    /// The attempt that is read.
    attempt: u32,
    /// Lines of the attempts before.
    offset: u64,
    /// The next line, numbered through all attempts, from 1.
    from_line: u64,
}

impl Log {
    async fn open(app: &App, run: RunId, filter: &LogFilter) -> Answer<Self> {
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
            log.offset += line_count(control, run, attempt).await?;
            log.attempt = attempt + 1;
        }
        log.from_line = match (filter.tail, filter.from_line) {
            (Some(tail), _) => {
                let mut end = log.offset;
                for attempt in log.attempt..=filter.attempt.unwrap_or(attempts) {
                    end += line_count(control, run, attempt).await?;
                }
                (end + 1).saturating_sub(u64::from(tail)).max(log.offset + 1)
            }
            (None, from_line) => from_line.unwrap_or(1).max(log.offset + 1),
        };
        Ok(log)
    }

    /// Reads the next lines, at most `limit`. None at the end, for now.
    async fn read(&mut self, control: &Control, limit: usize) -> Answer<Vec<LogLine>> {
        let mut looked_again = false;
        loop {
            let first = self.from_line - self.offset - 1;
            let lines = control.log_lines(self.run, self.attempt, first, limit).await?;
            if let Some((last, _)) = lines.last() {
                self.from_line = self.offset + last + 2;
                let (attempt, offset) = (self.attempt, self.offset);
                return Ok(lines.into_iter().map(|(index, line)| show(offset + index + 1, attempt, line)).collect());
            }
            // An attempt has all its lines once there is a later one.
            let attempts = control.run(self.run).await?.attempt;
            if self.only.is_some() || self.attempt >= attempts {
                return Ok(Vec::new());
            }
            let count = line_count(control, self.run, self.attempt).await?;
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
}

/// How many lines an attempt has.
async fn line_count(control: &Control, run: RunId, attempt: u32) -> Answer<u64> {
    let mut count = 0;
    loop {
        let chunks = control.store().log(run, attempt, count, COUNT_BYTES).await?;
        let end = chunks.last().map_or(count, |chunk| chunk.first_line + u64::from(chunk.line_count));
        if end <= count {
            return Ok(count);
        }
        count = end;
    }
}

struct Follower {
    app: App,
    log: Log,
    place: Place,
    watch: tokio::sync::watch::Receiver<u64>,
    ready: VecDeque<LogLine>,
    ended: bool,
}

impl Follower {
    async fn next(&mut self) -> Option<sse::Event> {
        while !self.place.is_closing() {
            if let Some(line) = self.ready.pop_front() {
                return sse::Event::default().event("line").id(line.line.to_string()).json_data(&line).ok();
            }
            if self.ended {
                return None;
            }
            match self.look().await {
                Ok(Some(event)) => {
                    self.ended = true;
                    return Some(event);
                }
                Ok(None) => {}
                Err(refusal) => {
                    tracing::warn!(error = refusal.0.detail, run.id = %self.log.run, "a followed log ends");
                    return None;
                }
            }
            if self.ready.is_empty() {
                self.place.wait(Control::log_appended(&mut self.watch)).await;
            }
        }
        None
    }

    /// Reads lines, or else finds the run final.
    async fn look(&mut self) -> Answer<Option<sse::Event>> {
        // Asked before the lines are read: then a final run has no further ones.
        let run = self.app.control().run(self.log.run).await?;
        self.ready.extend(self.log.read(self.app.control(), LIMIT as usize).await?);
        if !self.ready.is_empty() || !run.state.is_final() {
            return Ok(None);
        }
        let shown = Runs::new(&**self.app.control().store()).show(run).await?;
        Ok(sse::Event::default().event("end").json_data(&shown).ok())
    }
}

fn show(number: u64, attempt: u32, line: mainspring_tasks::LogLine) -> LogLine {
    LogLine {
        line: number,
        attempt,
        at: instant(Timestamp::from_millis(line.at_ms)),
        stream: match line.stream {
            Stream::Stdout => LogStream::Stdout,
            Stream::Stderr => LogStream::Stderr,
            Stream::System => LogStream::System,
        },
        text: line.text,
        // A line that is too long goes on in the next one; nothing of it is dropped.
        truncated: false,
    }
}

fn is_truncation(line: &LogLine) -> bool {
    line.stream == LogStream::System && line.text.starts_with(TRUNCATED)
}
