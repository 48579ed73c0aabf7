//! The stream of the console: one connection for everything that a browser shows.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::response::sse::Event;
use futures_util::stream;
use mainspring_api::{ErrorCode, LiveChange, LiveStats, StreamFilter, routes};
use tokio::sync::watch;
use tokio::time::MissedTickBehavior;
use utoipa_axum::routes;

use super::Route;
use crate::access::Caller;
use crate::app::App;
use crate::closing::closed;
use crate::extract::QueryOf;
use crate::live::{Listener, Topic, messages, parse};
use crate::refusal::{Answer, Refusal};
use crate::streams::{self, Seat};

/// How often a stream asks whether its caller may still listen.
const CHECK: Duration = Duration::from_secs(1);
/// When a browser comes back that has lost its stream.
const RETRY: Duration = Duration::from_secs(1);

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(stream))]
}

/// Says what changes, in one stream for all that a browser shows.
///
/// `event: change` carries a [`LiveChange`], `event: stats` a [`LiveStats`] each second where the topic `stats` is asked for, and `event: resync` says
/// that events may have been missed: look at everything again. A stream resumes after `Last-Event-ID` for about a minute, on the
/// same node. A comment comes every 15 s. The stream ends when the session or the token of its caller does.
#[utoipa::path(get, path = routes::STREAM, tag = "stream", params(StreamFilter, ("Last-Event-ID" = Option<String>, Header)),
    responses((status = 200, body = LiveChange, content_type = "text/event-stream")))]
async fn stream(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    QueryOf(filter): QueryOf<StreamFilter>,
    headers: HeaderMap,
) -> Answer<Response> {
    let topics = parse(&filter.topics)?;
    let seat = Seat::take(&app)?;
    let given = headers.get("last-event-id").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let listener = app
        .live
        .listen()
        .await
        .ok_or_else(|| Refusal::new(ErrorCode::StoreUnavailable, "the database does not say what changes"))?;
    let reader = Reader::new(app, caller, topics, (seat, listener), given.or(filter.last_event_id));
    Ok(streams::answer(stream::unfold(reader, |mut reader| async {
        let event = reader.next().await?;
        Some((Ok::<_, Infallible>(event), reader))
    })))
}

struct Reader {
    topics: Vec<Topic>,
    caller: Caller,
    /// Position up to which all was told.
    told: u64,
    newest: watch::Receiver<u64>,
    stats: watch::Receiver<Option<Arc<LiveStats>>>,
    closing: watch::Receiver<bool>,
    check: tokio::time::Interval,
    ready: VecDeque<Event>,
    _counted: (Seat, Listener),
    /// Which token was valid when it began.
    generation: u64,
    app: App,
}

impl Reader {
    fn new(app: App, caller: Caller, topics: Vec<Topic>, counted: (Seat, Listener), last: Option<String>) -> Self {
        let newest = app.live.newest.subscribe();
        let mut stats = app.live.stats.subscribe();
        // Those of a time when somebody else listened are told no more.
        stats.mark_unchanged();
        let mut check = tokio::time::interval(CHECK);
        check.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let now = app.live.ring().newest();
        let position = last.as_deref().map(|last| position(last, &app.live.epoch));
        // Without a position nothing was missed; one that means nothing here is one that is gone.
        let told = position.unwrap_or(Some(now)).unwrap_or(u64::MAX);
        let mut ready = VecDeque::new();
        if position.is_none() {
            // Browsers remember the id, and tell no script of an event without data.
            ready.push_back(Event::default().id(format!("{}-{now}", app.live.epoch)).retry(RETRY));
        }
        let (closing, generation) = (app.closing.clone(), app.access.generation());
        Self { topics, caller, told, newest, stats, closing, check, ready, _counted: counted, generation, app }
    }

    /// The next event. `None` at the end: the server closes, or the caller may not listen any more.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if *self.closing.borrow() {
                return None;
            }
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            self.newest.mark_unchanged();
            if self.read() {
                continue;
            }
            tokio::select! {
                changed = self.newest.changed() => changed.ok()?,
                changed = self.stats.changed() => {
                    changed.ok()?;
                    self.figures();
                }
                _ = self.check.tick() => {
                    if !self.app.access.still(&self.caller, self.generation, self.app.now()) {
                        return None;
                    }
                }
                () = closed(&mut self.closing) => return None,
            }
        }
    }

    /// Makes events of what was not told yet. Tells whether there are any.
    fn read(&mut self) -> bool {
        let (batches, newest) = {
            let ring = self.app.live.ring();
            (ring.after(self.told), ring.newest())
        };
        let Some(batches) = batches else {
            self.told = newest;
            self.ready.push_back(Event::default().event("resync").id(self.id(newest)).data("{}"));
            return true;
        };
        // One at a time: what a slow browser has not taken is in nobody's memory but the ring's.
        for batch in batches {
            if !self.ready.is_empty() {
                break;
            }
            self.told = batch.seq;
            let mut told = messages(&self.topics, &batch).into_iter().filter_map(|message| change(&message)).peekable();
            while let Some(event) = told.next() {
                // Only the last one moves the position: a stream that breaks off in between is told all of them again.
                let is_last = told.peek().is_none();
                self.ready.push_back(if is_last {
                    event.id(format!("{}-{}", self.app.live.epoch, batch.seq))
                } else {
                    event
                });
            }
        }
        !self.ready.is_empty()
    }

    fn figures(&mut self) {
        if !self.topics.contains(&Topic::Stats) {
            return;
        }
        let stats = self.stats.borrow_and_update().clone();
        let event = stats.and_then(|stats| Event::default().event("stats").json_data(&*stats).ok());
        self.ready.extend(event);
    }

    fn id(&self, seq: u64) -> String {
        format!("{}-{seq}", self.app.live.epoch)
    }
}

fn change(message: &LiveChange) -> Option<Event> {
    Event::default().event("change").json_data(message).ok()
}

/// The position that an id of this start of the process stands for.
fn position(id: &str, epoch: &str) -> Option<u64> {
    id.strip_prefix(epoch)?.strip_prefix('-')?.parse().ok()
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::app::Inner;
    use crate::live::{Batch, Change, Kind};

    /// A stream that reads nothing while more happens than is kept: it is told to look again, and goes on.
    #[tokio::test]
    async fn a_slow_browser_is_told_to_look_again() {
        let (_open, closing) = watch::channel(false);
        let app = Inner::in_memory(closing).await;
        app.live.begin_for_test();
        let counted = (Seat::take(&app).unwrap(), app.live.listen().await.unwrap());
        let mut reader = Reader::new(App::clone(&app), Caller::Token, parse("runs").unwrap(), counted, None);
        let text = async |reader: &mut Reader| format!("{:?}", reader.next().await.unwrap());
        assert!(text(&mut reader).await.contains(&app.live.epoch), "the position comes first");
        let happens = |id: &str| {
            let change = Change { kind: Kind::Run, id: Some(id.into()), job: None, job_id: None, state: None };
            app.live.publish(Batch { changes: vec![change], ..Batch::default() });
        };
        for _ in 0..300 {
            happens("early");
        }
        happens("late");
        assert!(text(&mut reader).await.contains("resync"));
        happens("next");
        let next = text(&mut reader).await;
        assert!(next.contains("next") && !next.contains("early"), "{next}");
    }

    #[test]
    fn ids_are_of_one_start_of_the_process() {
        assert_eq!(position("ab-7", "ab"), Some(7));
        for other in ["", "7", "ac-7", "ab-", "ab-x", "ab-7-8", "ab--7"] {
            assert_eq!(position(other, "ab"), None, "{other}");
        }
    }
}
