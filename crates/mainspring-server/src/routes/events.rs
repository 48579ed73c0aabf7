//! Everything that happens, as it happens: the event table, read by a cursor that misses nothing.

use std::collections::VecDeque;
use std::convert::Infallible;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::response::sse;
use futures_util::stream;
use mainspring_api::{ErrorCode, Event, EventFilter, event_type_matches, routes};
use mainspring_core::job::JobKey;
use mainspring_core::{JobId, RunId, Timestamp, TriggerId};
use mainspring_engine::Notice;
use mainspring_store::{EventRow, causes};
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
                tracing::warn!(error = %causes(&error), "an event stream ends, because the store could not be read");
                return None;
            }
        };
        let skip = self.cursor;
        let mut count = 0;
        for row in rows {
            count += 1;
            let seen = skip.within.filter(|_| row.seq == skip.row);
            match of_row(&self.app, &row, seen, &Wanted::of_filter(&self.filter)).await {
                Ok(events) => self.ready.extend(events),
                Err(error) => {
                    tracing::warn!(error = %causes(&error), "an event stream ends, because the store could not be read");
                    return None;
                }
            }
            self.cursor = Cursor { row: row.seq, within: None };
        }
        if skip.within.is_some() {
            // The batch is done with, also if it is not there any more.
            self.cursor.within = None;
        }
        Some(count)
    }
}

/// Which events somebody wants; conditions add up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    /// Types, with or without a star; all if there are none.
    pub(crate) kinds: &'a [String],
    pub(crate) namespace: Option<&'a str>,
    pub(crate) job: Option<&'a str>,
    pub(crate) run: Option<&'a str>,
}

impl<'a> Wanted<'a> {
    fn of_filter(filter: &'a EventFilter) -> Self {
        Self {
            kinds: filter.kind.as_slice(),
            namespace: filter.namespace.as_deref(),
            job: filter.job.as_deref(),
            run: filter.run.as_deref(),
        }
    }

    fn has_kind(&self, kind: &str) -> bool {
        self.kinds.is_empty() || self.kinds.iter().any(|wanted| event_type_matches(wanted, kind))
    }

    fn admits(&self, event: &Event) -> bool {
        let is = |wanted: Option<&str>, found: &Option<String>| wanted.is_none() || wanted == found.as_deref();
        self.has_kind(&event.kind)
            && is(self.namespace, &event.namespace)
            && is(self.job, &event.job)
            && is(self.run, &event.run)
    }
}

/// What the store knows, or that it could not say: an event that is passed over for that would be lost.
type Found<T> = Result<T, mainspring_store::Error>;

/// Makes events of a row, passing over the first ones of a batch that were `seen` before.
///
/// # Errors
/// The store could not say what an event is about.
pub(crate) async fn of_row(app: &Inner, row: &EventRow, seen: Option<usize>, wanted: &Wanted<'_>) -> Found<Vec<Event>> {
    let Ok(payload) = serde_json::from_str::<Value>(&row.payload) else {
        tracing::error!(event = row.seq, "a stored event cannot be read");
        return Ok(Vec::new());
    };
    let mut events = Vec::new();
    match row.kind.as_str() {
        "runs" => {
            let changes = payload.as_array().map(Vec::as_slice).unwrap_or_default();
            let first = seen.map_or(0, |seen| seen + 1);
            for (index, change) in changes.iter().enumerate().skip(first) {
                events.extend(of_run(app, row, index, change, wanted).await?);
            }
        }
        "missed" if !wanted.has_kind("fire.missed") => {}
        "missed" => events.extend(of_missed(app, row, &payload).await?),
        _ => events.push(of_thing(row, &payload)),
    }
    events.retain(|event| wanted.admits(event));
    Ok(events)
}

/// The change of a job, trigger, calendar or namespace.
fn of_thing(row: &EventRow, payload: &Value) -> Event {
    let key = payload["key"].as_str().unwrap_or_default();
    let change = payload["change"].as_str().unwrap_or("changed");
    let mut names = key.split('/').map(str::to_owned);
    let (namespace, second, third) = (names.next(), names.next(), names.next());
    let is_calendar = row.kind == "calendar";
    let (trigger, run) = if row.kind == "run" { (None, third) } else { (third, None) };
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
        trigger,
        run,
        data,
    }
}

/// Instants that a fire found missed.
async fn of_missed(app: &Inner, row: &EventRow, payload: &Value) -> Found<Option<Event>> {
    let Some(trigger) = payload["trigger"].as_i64().map(TriggerId) else { return Ok(None) };
    let store = app.control().store();
    // Records of a job name it for as long as there are any, also when the job is gone.
    let Some(key) = store.gaps(Some(trigger), 0, 1).await?.pop().map(|gap| gap.job) else { return Ok(None) };
    let millis = |name: &str| payload[name].as_i64().map(|at| instant(Timestamp::from_millis(at)));
    Ok(Some(Event {
        id: row.seq.to_string(),
        kind: "fire.missed".to_owned(),
        at: instant(row.at),
        namespace: Some(key.namespace),
        job: Some(key.name),
        trigger: trigger_name(app, trigger).await?,
        run: None,
        data: json!({
            "first": millis("first"),
            "last": millis("last"),
            "count": payload["count"],
            "reason": payload["reason"],
            "policy": payload["policy"],
        }),
    }))
}

/// The name of a trigger that is there.
async fn trigger_name(app: &Inner, trigger: TriggerId) -> Found<Option<String>> {
    let store = app.control().store();
    let Some(row) = store.trigger_rows(&[trigger]).await?.pop() else { return Ok(None) };
    let job = match store.definition(row.job, row.job_version).await {
        Err(mainspring_store::Error::NotFound { .. }) => return Ok(None),
        found => found?,
    };
    Ok(job.triggers.get(row.index as usize).map(|trigger| trigger.name.clone()))
}

/// A run's new state: `[run, job, state]` of a batch. Nothing if it is not wanted.
async fn of_run(
    app: &Inner,
    row: &EventRow,
    index: usize,
    change: &Value,
    wanted: &Wanted<'_>,
) -> Found<Option<Event>> {
    let (Some(run), Some(job), Some(state)) = (change[0].as_str(), change[1].as_i64(), change[2].as_str()) else {
        return Ok(None);
    };
    let kind = format!("run.{}", if state == "running" { "started" } else { state });
    if !wanted.has_kind(&kind) || wanted.run.is_some_and(|wanted| wanted != run) {
        return Ok(None);
    }
    let Ok(id) = run.parse() else { return Ok(None) };
    let key = key_of(app, id, JobId(job)).await?;
    Ok(Some(Event {
        id: format!("{}.{index}", row.seq),
        kind,
        at: instant(row.at),
        namespace: key.as_ref().map(|key| key.namespace.clone()),
        job: key.map(|key| key.name),
        trigger: None,
        run: Some(run.to_owned()),
        data: Value::Null,
    }))
}

/// The key of a run's job, which is asked for once.
async fn key_of(app: &Inner, run: RunId, job: JobId) -> Found<Option<JobKey>> {
    if let Some(key) = app.known_key(job) {
        return Ok(Some(key));
    }
    let Some(key) = app.control().store().run(run).await?.map(|run| run.key) else { return Ok(None) };
    app.remember_key(job, key.clone());
    Ok(Some(key))
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
        let event = of_thing(&row("run"), &json!({"key": "ns/job/id", "change": "deadline_missed"}));
        assert_eq!(
            (event.kind.as_str(), event.run.as_deref(), event.trigger),
            ("run.deadline_missed", Some("id"), None)
        );
        let event = of_thing(&row("calendar"), &json!({"key": "ns/days", "change": "created"}));
        assert_eq!((event.job, event.data), (None, json!({"calendar": "days"})));
    }
}
