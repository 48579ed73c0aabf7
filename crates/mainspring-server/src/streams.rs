//! Answers that go on: how many there may be, when they look again, and when they end.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::Stream;
use mainspring_api::ErrorCode;
use tokio::sync::{OwnedSemaphorePermit, watch};

use crate::app::{App, LIVE_MAX, STREAMS_MAX};
use crate::closing::closed;
use crate::figures::Streaming;
use crate::refusal::{Answer, Refusal};

/// A stream looks again after this time, whatever it has heard.
const LOOK_AGAIN: Duration = Duration::from_millis(250);
/// Streams do not look more often than this, however much happens.
const PAUSE: Duration = Duration::from_millis(50);
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The place of one stream among those that are allowed.
pub(crate) struct Place {
    closing: watch::Receiver<bool>,
    pace: tokio::time::Interval,
    _permit: OwnedSemaphorePermit,
    _counted: Streaming,
}

impl Place {
    /// Takes a place.
    pub(crate) fn take(app: &App) -> Answer<Self> {
        let permit = std::sync::Arc::clone(&app.streams)
            .try_acquire_owned()
            .map_err(|_| Refusal::new(ErrorCode::ServerBusy, format!("there are {STREAMS_MAX} streams already")))?;
        let mut pace = tokio::time::interval(PAUSE);
        pace.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        Ok(Self { closing: app.closing.clone(), pace, _permit: permit, _counted: app.figures.streaming() })
    }

    /// Whether the server closes, so that the stream has to end.
    pub(crate) fn is_closing(&self) -> bool {
        *self.closing.borrow()
    }

    /// Waits until it is worth looking again, or the server closes.
    pub(crate) async fn wait(&mut self, heard: impl Future<Output = ()>) {
        self.pace.tick().await;
        tokio::select! {
            _ = tokio::time::timeout(LOOK_AGAIN, heard) => {}
            () = closed(&mut self.closing) => {}
        }
    }
}

/// The seat of a browser's stream, which reads nothing from the store: there may be many.
pub(crate) struct Seat {
    _permit: OwnedSemaphorePermit,
    _counted: Streaming,
}

impl Seat {
    /// Takes a seat.
    pub(crate) fn take(app: &App) -> Answer<Self> {
        let permit = std::sync::Arc::clone(&app.live_seats)
            .try_acquire_owned()
            .map_err(|_| Refusal::new(ErrorCode::ServerBusy, format!("there are {LIVE_MAX} streams already")))?;
        Ok(Self { _permit: permit, _counted: app.figures.streaming() })
    }
}

/// Answers with a stream; a comment keeps it open while nothing happens.
pub(crate) fn answer(stream: impl Stream<Item = Result<Event, Infallible>> + Send + 'static) -> Response {
    Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE).text("still here")).into_response()
}
