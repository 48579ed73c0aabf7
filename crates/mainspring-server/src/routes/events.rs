//! Everything that happens, as it happens: the event table, read by a cursor that misses nothing.

use std::collections::VecDeque;
use std::convert::Infallible;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::response::sse;
use futures_util::stream;
use mainspring_api::{ErrorCode, Event, EventFilter, routes};
use mainspring_core::job::JobKey;
use mainspring_core::{JobId, RunId};
use mainspring_engine::Notice;
use mainspring_store::EventRow;
use serde_json::{Value, json};
use tokio::sync::broadcast;
use utoipa_axum::routes;

use super::Route;
use crate::app::{App, Inner};
use crate::extract::QueryOf;
use crate::refusal::{Answer, Refusal};
use crate::show::instant;
use crate::streams::{self, Place};

/// Rows that one look reads.
const ROWS_MAX: u32 = 200;
const LAST_EVENT_ID: &str = "last-event-id";

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(events))]
}

/// Everything that happens, as it happens: an event stream of [`Event`]s that resumes after `Last-Event-ID`.
#[utoipa::path(get, path = routes::EVENTS, tag = "events", params(EventFilter, ("Last-Event-ID" = Option<String>, Header)),
    responses((status = 200, body = Event, content_type = "text/event-stream")))]
async fn events(State(app): State<App>, QueryOf(filter): QueryOf<EventFilter>, headers: HeaderMap) -> Answer<Response> {
    let place = Place::take(&app)?;
    // Before the position is read, so that nothing that follows it goes unheard.
    let notices = app.engine.subscribe();
    let cursor = match headers.get(LAST_EVENT_ID) {
        Some(value) => Cursor::parse(value.to_str().unwrap_or_default())?,
        None => Cursor { row: app.control().store().last_event().await?, within: None },
    };
    let reader = Reader { app, filter, place, notices, cursor, ready: VecDeque::new() };
    Ok(streams::answer(stream::unfold(reader, |mut reader| async {
        let event = reader.next().await?;
        Some((Ok::<_, Infallible>(event), reader))
    })))
}

/// The last event that was sent: a row of the table, and for a batch of runs the place within it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Cursor {
    row: i64,
    within: Option<usize>,
}

impl Cursor {
    fn parse(text: &str) -> Answer<Self> {
        let (row, within) = match text.split_once('.') {
            Some((row, within)) => (row, Some(within)),
            None => (text, None),
        };
        let within = within.map(str::parse).transpose().ok();
        match (row.parse(), within) {
            (Ok(row), Some(within)) if row >= 0 => Ok(Self { row, within }),
            _ => Err(Refusal::new(ErrorCode::RequestHeader, "Last-Event-ID takes the id of an event of this stream")),
        }
    }

    /// Where to read on: within a batch, the batch again.
    const fn after(self) -> i64 {
        if self.within.is_some() { self.row - 1 } else { self.row }
    }
}

struct Reader {
    app: App,
    filter: EventFilter,
    place: Place,
    notices: broadcast::Receiver<Notice>,
    cursor: Cursor,
    ready: VecDeque<Event>,
}

impl Reader {
    /// The next event. `None` at the end: the server closes, or the store fails, and the client asks again.
    async fn next(&mut self) -> Option<sse::Event> {
        while !self.place.is_closing() {
            if let Some(event) = self.ready.pop_front() {
                return sse::Event::default().id(&event.id).json_data(&event).ok();
            }
            if self.read().await? == 0 {
                let Self { place, notices, .. } = self;
                let heard = async { drop(notices.recv().await) };
                place.wait(heard).await;
            }
        }
        None
    }

    /// Reads rows after the cursor, and says how many there were.
    async fn read(&mut self) -> Option<usize> {
        let rows = match self.app.control().store().events(self.cursor.after(), ROWS_MAX).await {
            Ok(rows) => rows,
            Err(error) => {
                tracing::warn!(%error, "an event stream ends, because the store could not be read");
                return None;
            }
        };
        let skip = self.cursor;
        let mut count = 0;
        for row in rows {
            count += 1;
            let seen = skip.within.filter(|_| row.seq == skip.row);
            self.expand(&row, seen).await;
            self.cursor = Cursor { row: row.seq, within: None };
        }
        if skip.within.is_some() {
            // The batch is done with, also if it is not there any more.
            self.cursor.within = None;
        }
        Some(count)
    }

    /// Makes events of a row, passing over the first ones of a batch that were sent before.
    async fn expand(&mut self, row: &EventRow, seen: Option<usize>) {
        let Ok(payload) = serde_json::from_str::<Value>(&row.payload) else {
            tracing::error!(event = row.seq, "a stored event cannot be read");
            return;
        };
        if row.kind != "runs" {
            let event = of_thing(row, &payload);
            self.ready.extend(Some(event).filter(|event| matches(&self.filter, event)));
            return;
        }
        let changes = payload.as_array().map(Vec::as_slice).unwrap_or_default();
        let first = seen.map_or(0, |seen| seen + 1);
        for (index, change) in changes.iter().enumerate().skip(first) {
            let event = of_run(&self.app, row, index, change, &self.filter).await;
            self.ready.extend(event.filter(|event| matches(&self.filter, event)));
        }
    }
}

/// The change of a job, trigger, calendar or namespace.
fn of_thing(row: &EventRow, payload: &Value) -> Event {
    let key = payload["key"].as_str().unwrap_or_default();
    let change = payload["change"].as_str().unwrap_or("changed");
    let mut names = key.split('/').map(str::to_owned);
    let (namespace, second, third) = (names.next(), names.next(), names.next());
    let is_calendar = row.kind == "calendar";
    let data = match (&second, is_calendar) {
        (Some(name), true) => json!({ "calendar": name }),
        _ => Value::Null,
    };
    Event {
        id: row.seq.to_string(),
        kind: format!("{}.{change}", row.kind),
        at: instant(row.at),
        namespace,
        job: second.filter(|_| !is_calendar),
        trigger: third,
        run: None,
        data,
    }
}

/// A run's new state: `[run, job, state]` of a batch.
async fn of_run(app: &Inner, row: &EventRow, index: usize, change: &Value, filter: &EventFilter) -> Option<Event> {
    let (run, job, state) = (change[0].as_str()?, JobId(change[1].as_i64()?), change[2].as_str()?);
    if filter.run.as_deref().is_some_and(|wanted| wanted != run) {
        return None;
    }
    let key = key_of(app, run.parse().ok()?, job).await;
    Some(Event {
        id: format!("{}.{index}", row.seq),
        kind: format!("run.{}", if state == "running" { "started" } else { state }),
        at: instant(row.at),
        namespace: key.as_ref().map(|key| key.namespace.clone()),
        job: key.map(|key| key.name),
        trigger: None,
        run: Some(run.to_owned()),
        data: Value::Null,
    })
}

/// The key of a run's job, which is asked for once.
async fn key_of(app: &Inner, run: RunId, job: JobId) -> Option<JobKey> {
    if let Some(key) = app.known_key(job) {
        return Some(key);
    }
    let key = app.control().store().run(run).await.ok()??.key;
    app.remember_key(job, key.clone());
    Some(key)
}

fn matches(filter: &EventFilter, event: &Event) -> bool {
    let is = |wanted: &Option<String>, found: &Option<String>| wanted.is_none() || wanted == found;
    let kind = filter.kind.as_deref().is_none_or(|wanted| match wanted.strip_suffix('*') {
        Some(prefix) => event.kind.starts_with(prefix),
        None => event.kind == wanted,
    });
    kind && is(&filter.namespace, &event.namespace) && is(&filter.job, &event.job) && is(&filter.run, &event.run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_name_a_row_or_a_place_within_it() {
        assert_eq!(Cursor::parse("7").unwrap(), Cursor { row: 7, within: None });
        let within = Cursor::parse("7.2").unwrap();
        assert_eq!((within, within.after()), (Cursor { row: 7, within: Some(2) }, 6));
        for bad in ["", "x", "7.", "7.x", "-1", "7.2.3", "7.-1"] {
            assert!(Cursor::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn things_are_named_by_their_key() {
        let row = |kind: &str| EventRow {
            seq: 3,
            at: mainspring_schedule::Timestamp::UNIX_EPOCH,
            kind: kind.into(),
            payload: String::new(),
        };
        let event = of_thing(&row("trigger"), &json!({"key": "ns/job/t", "change": "paused"}));
        assert_eq!(
            (event.kind.as_str(), event.job.as_deref(), event.trigger.as_deref()),
            ("trigger.paused", Some("job"), Some("t"))
        );
        let event = of_thing(&row("calendar"), &json!({"key": "ns/days", "change": "created"}));
        assert_eq!((event.job, event.data), (None, json!({"calendar": "days"})));
    }
}
