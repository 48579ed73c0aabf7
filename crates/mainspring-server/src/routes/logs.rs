//! Logs: in parts, as they grow, or whole; what is found in them.

use std::collections::VecDeque;
use std::convert::Infallible;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response, sse};
use futures_util::stream;
use mainspring_api::{
    ErrorCode, LogError, LogErrorFilter, LogFilter, LogFind, LogFound, LogLine, LogPage, LogStream, LogTextFilter,
    routes,
};
use mainspring_core::run::AttemptOutcome;
use mainspring_engine::Control;
use utoipa_axum::routes;

use super::{Route, runs};
use crate::app::App;
use crate::extract::{PathOf, QueryOf};
use crate::log::{self, Find, Log, Part};
use crate::pages;
use crate::refusal::{Answer, Refusal};
use crate::show::Runs;
use crate::streams::{self, Place};

const LIMIT: u32 = 1_000;
const LIMIT_MAX: u32 = 10_000;
/// A page ends early when it has this much text.
const PAGE_BYTES: usize = 4 << 20;
/// Matches of a search that are listed.
const FOUND: u32 = 100;
const FOUND_MAX: u32 = 1_000;
/// The remark under which the log's capture throws away what follows.
const TRUNCATED: &str = "log truncated:";

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::view(routes!(read)),
        Route::view(routes!(find)),
        Route::view(routes!(errors)),
        Route::view(routes!(text)),
    ]
}

/// Returns a part of the log of a run, or with `follow=true` an event stream that ends when the run is final.
#[utoipa::path(get, path = routes::RUN_LOG, tag = "runs", params(("run" = String, Path), LogFilter, ("Last-Event-ID" = Option<String>, Header)),
    responses((status = 200, content((LogPage = "application/json"), (LogLine = "text/event-stream")))))]
async fn read(
    State(app): State<App>,
    PathOf(run): PathOf<String>,
    QueryOf(filter): QueryOf<LogFilter>,
    headers: HeaderMap,
) -> Answer<Response> {
    let id = runs::id(&run)?;
    let limit = pages::bounded("limit", filter.limit, LIMIT, LIMIT_MAX)?;
    let (mut log, part) = Log::open(&app, id, &filter).await?;
    if !filter.follow {
        return page(&app, log, part, limit).await;
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

/// Looks for a text in the log of a run, for two seconds at most: lists the first lines that match, and counts all.
#[utoipa::path(get, path = routes::RUN_LOG_FIND, tag = "runs", params(("run" = String, Path), LogFind),
    responses((status = 200, body = LogFound)))]
async fn find(
    State(app): State<App>,
    PathOf(run): PathOf<String>,
    QueryOf(asked): QueryOf<LogFind>,
) -> Answer<Json<LogFound>> {
    let limit = pages::bounded("limit", asked.limit, FOUND, FOUND_MAX)?;
    let find = Find::new(&asked)?;
    let filter = LogFilter { from_line: asked.from_line, attempt: asked.attempt, ..LogFilter::default() };
    let (log, part) = Log::open(&app, runs::id(&run)?, &filter).await?;
    log::find(&app, log, part, find, limit, log::PATIENCE).await.map(Json)
}

/// Returns the line at which to begin to read an attempt that failed: its first error.
#[utoipa::path(get, path = routes::RUN_LOG_ERRORS, tag = "runs", params(("run" = String, Path), LogErrorFilter),
    responses((status = 200, body = LogError)))]
async fn errors(
    State(app): State<App>,
    PathOf(run): PathOf<String>,
    QueryOf(asked): QueryOf<LogErrorFilter>,
) -> Answer<Json<LogError>> {
    let id = runs::id(&run)?;
    let ended = app.control().store().attempts(id).await?;
    let has_failed =
        |outcome| matches!(outcome, Some(AttemptOutcome::Failed | AttemptOutcome::TimedOut | AttemptOutcome::Lost));
    let failed = ended.iter().rev().find(|attempt| has_failed(attempt.outcome)).map(|attempt| attempt.attempt);
    let last = app.control().run(id).await?.attempt;
    let attempt = asked.attempt.or(failed).unwrap_or(last);
    if attempt == 0 && asked.attempt.is_none() {
        return Ok(Json(LogError { attempt, first: None, count: 0, done: true }));
    }
    let (place, _) = Log::open(&app, id, &LogFilter { attempt: Some(attempt), ..LogFilter::default() }).await?;
    let is_failed = ended.iter().any(|ended| ended.attempt == attempt && has_failed(ended.outcome));
    log::first_error(&app, place, attempt, is_failed, log::PATIENCE).await.map(Json)
}

/// Sends the log of a run as plain text, as it is kept: with escape sequences, without times.
#[utoipa::path(get, path = routes::RUN_LOG_TEXT, tag = "runs", params(("run" = String, Path), LogTextFilter),
    responses((status = 200, content_type = "text/plain", body = String)))]
async fn text(
    State(app): State<App>,
    PathOf(run): PathOf<String>,
    QueryOf(asked): QueryOf<LogTextFilter>,
) -> Answer<Response> {
    let id = runs::id(&run)?;
    let filter = LogFilter { attempt: asked.attempt, ..LogFilter::default() };
    let (place, _) = Log::open(&app, id, &filter).await?;
    let name = asked.attempt.map_or(format!("{id}.log"), |attempt| format!("{id}-{attempt}.log"));
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    Ok((headers, log::download(app, place)).into_response())
}

async fn page(app: &App, mut log: Log, part: Part, limit: usize) -> Answer<Response> {
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
    let last = lines.last().map_or(0, |line| line.line);
    let Part { first_line, last_line } = part;
    let total_lines = last_line.max(last);
    let complete = is_final && at_end;
    Ok(Json(LogPage { lines, next_line, first_line, total_lines, complete, truncated }).into_response())
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
        let shown = Runs::new(self.app.control()).show(run).await?;
        Ok(sse::Event::default().event("end").json_data(&shown).ok())
    }
}

fn is_truncation(line: &LogLine) -> bool {
    line.stream == LogStream::System && line.text.starts_with(TRUNCATED)
}
