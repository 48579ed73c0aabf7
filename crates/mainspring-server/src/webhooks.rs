//! Webhooks: messages are made of events, and sent until they are received or given up.
//!
//! Every node does this for every webhook. Which events have become messages is a place among the events that moves in the
//! transaction that keeps them, by compare-and-set; so each event becomes one message, whichever node makes it, and none is
//! passed over. Whoever sends a message puts off when it is due next, in the same way; should the node die, it is due again
//! then. So a message is sent at least once, and by one node at a time unless that one is cut off.
//!
//! Each webhook has a task of its own with a bounded number of messages under way, so a slow receiver holds up no other.

mod message;
mod send;
mod sign;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use mainspring_engine::Notice;
use mainspring_store::{Error, NewDelivery, Result, Webhook};
use tokio::sync::{broadcast, watch};
use tokio::task::JoinSet;
use tokio::time::{Interval, MissedTickBehavior, timeout};

use crate::app::App;
use crate::routes::events::{self, Wanted};
use crate::server::closed;

pub(crate) use message::test_message;
pub(crate) use sign::new_secret;

/// A webhook looks again after this time, whatever it has heard.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// It does not look more often than this, however much happens.
const PAUSE: Duration = Duration::from_millis(50);
/// Messages under way to one webhook.
const AT_ONCE: usize = 8;
/// Rows of events that one look reads, and messages that it makes before it keeps them.
const ROWS_MAX: u32 = 200;
const MESSAGES_MAX: usize = 500;
/// From taking a message to the next time that it is due: longer than sending it can take.
const LEASE_MS: i64 = 60_000;
/// How long messages under way have when the server closes.
const CLOSE_MAX: Duration = Duration::from_secs(5);

/// Serves all webhooks until the server closes.
pub(crate) async fn serve(app: App) {
    let mut closing = app.closing.clone();
    let mut served = BTreeMap::new();
    let mut lines = JoinSet::new();
    while !*closing.borrow() {
        match app.control().store().webhooks().await {
            Ok(rows) => {
                for row in rows {
                    served.entry(row.id).or_insert_with(|| lines.spawn(Line::new(&app, row.id).run()).id());
                }
            }
            Err(Error::Closed) => break,
            Err(error) => tracing::warn!(%error, "the webhooks could not be read; trying again"),
        }
        let _ = timeout(LOOK_AGAIN, closed(&mut closing)).await;
        while let Some(over) = lines.try_join_next_with_id() {
            let over = over.map_or_else(|panicked| panicked.id(), |(task, ())| task);
            served.retain(|_, task| *task != over);
        }
    }
    while lines.join_next().await.is_some() {}
}

/// What serves one webhook.
struct Line {
    app: App,
    id: i64,
    sending: JoinSet<()>,
    notices: broadcast::Receiver<Notice>,
    pace: Interval,
}

/// What a look has shown.
enum Seen {
    /// There may be more to do.
    More,
    /// As many messages are under way as may be.
    Busy,
    /// There is nothing to do now.
    Nothing,
    /// The webhook is gone.
    Gone,
}

impl Line {
    fn new(app: &App, id: i64) -> Self {
        let mut pace = tokio::time::interval(PAUSE);
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { app: Arc::clone(app), id, sending: JoinSet::new(), notices: app.engine.subscribe(), pace }
    }

    /// Serves the webhook until it is gone or the server closes.
    async fn run(mut self) {
        let mut closing = self.app.closing.clone();
        while !*closing.borrow() {
            match self.look().await {
                Ok(Seen::More) => {}
                Ok(Seen::Busy) => {
                    tokio::select! {
                        _ = self.sending.join_next() => {}
                        () = closed(&mut closing) => {}
                    }
                }
                Ok(Seen::Nothing) => self.wait(&mut closing).await,
                Ok(Seen::Gone) | Err(Error::Closed) => break,
                Err(error) => {
                    tracing::warn!(%error, "a webhook could not be served; trying again");
                    self.wait(&mut closing).await;
                }
            }
        }
        let sent = async { while self.sending.join_next().await.is_some() {} };
        if timeout(CLOSE_MAX, sent).await.is_err() {
            // They are due again when their time is over.
            self.sending.shutdown().await;
        }
    }

    async fn look(&mut self) -> Result<Seen> {
        while self.sending.try_join_next().is_some() {}
        let store = self.app.control().store();
        let mut rows = store.webhooks().await?;
        rows.retain(|row| row.id == self.id);
        let Some(row) = rows.pop() else { return Ok(Seen::Gone) };
        let more = self.note(&row.webhook).await?;
        let now = self.app.now();
        let free = u32::try_from(AT_ONCE - self.sending.len()).unwrap_or(u32::MAX);
        let webhook = Arc::new(row.webhook);
        for delivery in store.take_deliveries(self.id, now, now + LEASE_MS, free).await? {
            self.sending.spawn(send::send(Arc::clone(&self.app), Arc::clone(&webhook), delivery));
        }
        Ok(match more {
            _ if self.sending.len() == AT_ONCE => Seen::Busy,
            true => Seen::More,
            false => Seen::Nothing,
        })
    }

    /// Makes messages of what has happened since the last time. Whether there may be more of it.
    async fn note(&self, webhook: &Webhook) -> Result<bool> {
        let store = self.app.control().store();
        let rows = store.events(webhook.noted_through, ROWS_MAX).await?;
        let Some(last) = rows.last().map(|row| row.seq) else { return Ok(false) };
        let wanted = Wanted {
            kinds: &webhook.events,
            namespace: webhook.namespace.as_deref(),
            job: webhook.job.as_deref(),
            run: None,
        };
        let mut messages: Vec<NewDelivery> = Vec::new();
        let mut through = webhook.noted_through;
        for row in &rows {
            for event in events::of_row(&self.app, row, None, &wanted).await? {
                messages.push(message::of_event(&self.app, event).await?);
            }
            through = row.seq;
            if messages.len() >= MESSAGES_MAX {
                break;
            }
        }
        let places = (webhook.noted_through, through);
        let kept = store.note_deliveries(self.id, places, messages, self.app.now()).await?;
        Ok(kept && (through < last || rows.len() >= ROWS_MAX as usize))
    }

    /// Waits until it is worth looking again, or the server closes.
    async fn wait(&mut self, closing: &mut watch::Receiver<bool>) {
        self.pace.tick().await;
        let Self { sending, notices, .. } = self;
        let heard = async {
            tokio::select! {
                _ = notices.recv() => {}
                Some(_) = sending.join_next() => {}
            }
        };
        tokio::select! {
            _ = timeout(LOOK_AGAIN, heard) => {}
            () = closed(closing) => {}
        }
    }
}
