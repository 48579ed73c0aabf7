//! Webhooks: messages are made of events, and sent until they are received or given up.
//!
//! Every node does this for every webhook. Which events have become messages is a place among the events that moves in the
//! transaction that keeps them, by compare-and-set; so each event becomes one message, whichever node makes it, and none is
//! passed over. Whoever sends a message puts off when it is due next, in the same way; should the node die, it is due again
//! then. So a message is sent at least once, and by one node at a time unless that one is cut off.
//!
//! One task looks for all webhooks together, and is the only one to ask the store: a look costs two reads, however many webhooks
//! there are, and writes where there is something to write. It has one request of the store under way at a time, on the lane of
//! requests; so however much is to be delivered, the requests of people find sessions. Messages are sent beside it, a bounded
//! number to each webhook, so a slow receiver holds up no other.

mod message;
mod send;
mod sign;

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use mainspring_engine::Notice;
use mainspring_schedule::Timestamp;
use mainspring_store::{DeliveryState, Disabled, Error, EventRow, NewDelivery, Result, Sent, WebhookRow, causes};
use tokio::sync::broadcast;
use tokio::task::JoinSet;
use tokio::time::{Interval, MissedTickBehavior, timeout};

use crate::app::App;
use crate::closing::closed;
use crate::routes::events::{self, Wanted};

pub(crate) use message::test_message;
pub(crate) use send::without_path;
pub(crate) use sign::{new_secret, seconds, signature};

/// A look follows another after this time, which doubles from the one to the other while there is nothing to do.
const LOOK_AGAIN: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(5));
/// And not earlier than this, however much happens.
const PAUSE: Duration = Duration::from_millis(100);
/// Messages under way to one webhook.
const AT_ONCE: usize = 8;
/// Rows of events that one look reads, and messages that it makes before it keeps them.
const ROWS_MAX: u32 = 200;
const MESSAGES_MAX: usize = 500;
/// From taking a message to the next time that it is due: longer than sending it can take.
const LEASE_MS: i64 = 60_000;
/// Messages that wait for one webhook: what happens beyond that stays in the events until there is room.
const PENDING_MAX: u32 = 10_000;
/// How far the place of a webhook that nothing concerns may stay behind, in rows of events.
const BEHIND_MAX: i64 = 1_000;
/// How long a message is worth being sent, and how long a webhook may fail until it rests: 3 days.
const WORTH_MS: i64 = 3 * 24 * 3_600_000;
/// How often messages are looked for that are too old, and how many are given up at a time.
const EXPIRE_EVERY_MS: i64 = 60_000;
const EXPIRE_STEP: u32 = 1_000;
/// How long messages under way have when the server closes.
const CLOSE_MAX: Duration = Duration::from_secs(5);

/// Serves all webhooks until the server closes.
pub(crate) async fn serve(app: App) {
    let mut desk = Desk::new(app);
    let mut closing = desk.app.closing.clone();
    let mut pause = LOOK_AGAIN.0;
    while !*closing.borrow() {
        let now = desk.app.now();
        let most = match desk.look(now).await {
            Ok(Seen::More) => Duration::ZERO,
            Ok(Seen::Something { next_at }) => {
                pause = LOOK_AGAIN.0;
                until(now, next_at, pause)
            }
            Ok(Seen::Nothing { next_at }) => {
                pause = (pause * 2).min(LOOK_AGAIN.1);
                until(now, next_at, pause)
            }
            Err(Error::Closed) => break,
            Err(error) => {
                tracing::warn!(error = %causes(&error), "the webhooks could not be served; trying again");
                LOOK_AGAIN.0
            }
        };
        tokio::select! {
            () = desk.wait(most) => {}
            () = closed(&mut closing) => {}
        }
    }
    desk.close().await;
}

fn until(now: Timestamp, next_at: Option<Timestamp>, most: Duration) -> Duration {
    let next = next_at.map(|at| Duration::from_millis(at.since(now).max(0).unsigned_abs()));
    next.map_or(most, |next| next.min(most))
}

/// What serves all webhooks.
struct Desk {
    app: App,
    lines: BTreeMap<i64, Line>,
    /// What is under way: to which webhook, and what came of it, if anything did.
    sending: JoinSet<(i64, Option<Sent>)>,
    /// What has come of messages, until that is kept.
    ended: Vec<Sent>,
    notices: broadcast::Receiver<Notice>,
    pace: Interval,
    expired_at: Option<Timestamp>,
}

/// What this node knows of a webhook.
#[derive(Default)]
struct Line {
    /// Messages under way.
    under_way: usize,
    /// Up to which event nothing concerned it that is not kept.
    seen_through: i64,
    /// It had no room for more messages then.
    full: Option<Instant>,
}

/// What a look has shown.
enum Seen {
    /// There may be more to do.
    More,
    /// There was something to do.
    Something {
        /// When a message is due next.
        next_at: Option<Timestamp>,
    },
    /// There was nothing to do.
    Nothing {
        /// When a message is due next.
        next_at: Option<Timestamp>,
    },
}

impl Desk {
    fn new(app: App) -> Self {
        let mut pace = tokio::time::interval(PAUSE);
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let notices = app.engine.subscribe();
        let (lines, sending) = (BTreeMap::new(), JoinSet::new());
        Self { app, lines, sending, ended: Vec::new(), notices, pace, expired_at: None }
    }

    async fn look(&mut self, now: Timestamp) -> Result<Seen> {
        let failed = self.settle().await?;
        let mut rows = self.app.control().store().webhooks().await?;
        self.lines.retain(|id, line| line.under_way > 0 || rows.iter().any(|row| row.id == *id));
        let resting = rows.iter().filter(|row| row.disabled.is_some()).count();
        self.app.figures.webhooks_resting.set(i64::try_from(resting).unwrap_or(i64::MAX));
        if rows.is_empty() {
            return Ok(Seen::Nothing { next_at: None });
        }
        self.expire(now).await?;
        self.disable(&mut rows, failed, now).await?;
        rows.retain(|row| row.disabled.is_none());
        let (noted, more) = self.note(&mut rows, now).await?;
        let taken = self.take(&rows, now).await?;
        let is_free = |row: &&WebhookRow| self.lines.get(&row.id).is_none_or(|line| line.under_way < AT_ONCE);
        let next_at = rows.iter().filter(is_free).filter_map(|row| row.next_at).filter(|at| *at > now).min();
        Ok(match more {
            true => Seen::More,
            false if noted || taken => Seen::Something { next_at },
            false => Seen::Nothing { next_at },
        })
    }

    /// Keeps what has come of messages. Answers the webhooks for which that was nothing good, with what was answered last.
    async fn settle(&mut self) -> Result<BTreeMap<i64, String>> {
        while let Some(over) = self.sending.try_join_next() {
            self.take_in(over);
        }
        if self.ended.is_empty() {
            return Ok(BTreeMap::new());
        }
        // Kept until it is settled: should that fail, the next look does it.
        let store = self.app.control().store();
        match store.settle_deliveries(self.ended.clone()).await {
            Err(error @ (Error::Closed | Error::Unavailable { .. })) => return Err(error),
            Err(error) => {
                tracing::warn!(error = %causes(&error), "what came of messages to webhooks could not be kept together; each is kept alone");
                for sent in self.ended.clone() {
                    if let Err(error) = store.settle_deliveries(vec![sent]).await {
                        tracing::warn!(error = %causes(&error), "what came of a message to a webhook could not be kept; it is sent again");
                    }
                }
            }
            Ok(_) => {}
        }
        let failed = self.ended.drain(..).filter(|sent| sent.state != DeliveryState::Delivered);
        Ok(failed.map(|sent| (sent.webhook, what_failed(&sent))).collect())
    }

    fn take_in(&mut self, over: std::result::Result<(i64, Option<Sent>), tokio::task::JoinError>) {
        let Ok((webhook, sent)) = over else { return };
        if let Some(line) = self.lines.get_mut(&webhook) {
            line.under_way = line.under_way.saturating_sub(1);
        }
        if let Some(sent) = sent {
            self.app.figures.delivered(sent.state);
            self.ended.push(sent);
        }
    }

    /// Gives messages up that are too old, now and then.
    async fn expire(&mut self, now: Timestamp) -> Result<()> {
        if self.expired_at.is_some_and(|at| now.since(at) < EXPIRE_EVERY_MS) {
            return Ok(());
        }
        let why = "webhook.expired: it could not be delivered within 3 days";
        let store = self.app.control().store();
        while store.expire_deliveries(now - WORTH_MS, why, now, EXPIRE_STEP).await? == u64::from(EXPIRE_STEP) {}
        self.expired_at = Some(now);
        Ok(())
    }

    /// Lets webhooks rest to which a message has failed now, and which have failed for too long.
    async fn disable(&self, rows: &mut [WebhookRow], failed: BTreeMap<i64, String>, now: Timestamp) -> Result<()> {
        for (id, why) in failed {
            let Some(row) = rows.iter_mut().find(|row| row.id == id && row.disabled.is_none()) else { continue };
            let Some(since) = row.failing_since.filter(|since| now.since(*since) >= WORTH_MS) else { continue };
            let reason = format!("every message has failed since {since}; the last one: {why}");
            let disabled = Disabled { at: now, reason };
            if self.app.control().store().disable_webhook(id, since, disabled.clone()).await? {
                tracing::warn!(webhook = row.webhook.name, reason = disabled.reason, "a webhook rests");
                row.disabled = Some(disabled);
            }
        }
        Ok(())
    }

    /// Makes messages of what has happened since the last time. Whether there were any, and whether there may be more.
    async fn note(&mut self, rows: &mut [WebhookRow], now: Timestamp) -> Result<(bool, bool)> {
        let (mut noted, mut more) = (false, false);
        // Most of them stand at the same place.
        let mut read: BTreeMap<i64, Arc<[EventRow]>> = BTreeMap::new();
        for row in rows {
            let line = self.lines.entry(row.id).or_default();
            if line.full.is_some_and(|at| at.elapsed() < LOOK_AGAIN.0) {
                continue;
            }
            let place = line.seen_through.max(row.webhook.noted_through);
            let events = match read.get(&place) {
                Some(events) => Arc::clone(events),
                None => {
                    let events = self.app.control().store().events(place, ROWS_MAX).await?.into();
                    Arc::clone(read.entry(place).or_insert(events))
                }
            };
            match note_of(&self.app, row, line, &events, now).await {
                Ok(done) => {
                    noted |= done.as_ref().is_some_and(|done| done.noted);
                    more |= done.is_some_and(|done| done.more);
                }
                Err(error) => passes(error, &row.webhook)?,
            }
        }
        Ok((noted, more))
    }

    /// Takes what is due, and sends it.
    async fn take(&mut self, rows: &[WebhookRow], now: Timestamp) -> Result<bool> {
        let mut taken = false;
        for row in rows.iter().filter(|row| row.next_at.is_some_and(|at| at <= now)) {
            let line = self.lines.entry(row.id).or_default();
            let free = u32::try_from(AT_ONCE - line.under_way.min(AT_ONCE)).unwrap_or(0);
            if free == 0 {
                continue;
            }
            let store = self.app.control().store();
            let webhook = Arc::new(row.webhook.clone());
            // Making messages may have taken its time.
            let now = self.app.now();
            let due = match store.take_deliveries(row.id, now, now + LEASE_MS, free).await {
                Err(error) => {
                    passes(error, &row.webhook)?;
                    continue;
                }
                Ok(due) => due,
            };
            for due in due {
                let (app, webhook, id) = (Arc::clone(&self.app), Arc::clone(&webhook), row.id);
                let sending = AssertUnwindSafe(send::send(app, webhook, id, due)).catch_unwind();
                self.sending.spawn(async move { (id, sending.await.ok().flatten()) });
                line.under_way += 1;
                taken = true;
            }
        }
        Ok(taken)
    }

    /// Waits until it is worth looking again.
    async fn wait(&mut self, most: Duration) {
        self.pace.tick().await;
        let Self { sending, notices, app, lines, .. } = self;
        let heard = async {
            tokio::select! {
                // Nobody wants to hear of it while there are no webhooks.
                _ = notices.recv(), if !lines.is_empty() => None,
                Some(over) = sending.join_next() => Some(over),
                () = app.webhooks.notified() => None,
            }
        };
        if let Ok(Some(over)) = timeout(most, heard).await {
            self.take_in(over);
        }
    }

    /// Lets what is under way come to its end. What does not is due again when its time is over.
    async fn close(mut self) {
        let sent = async {
            while let Some(over) = self.sending.join_next().await {
                self.take_in(over);
            }
        };
        let _ = timeout(CLOSE_MAX, sent).await;
        self.sending.shutdown().await;
        if let Err(error) = self.settle().await {
            tracing::warn!(error = %causes(&error), "what came of messages to webhooks could not be kept; they are sent again");
        }
    }
}

/// What stops one webhook stops no other: it is said, unless nothing can be done for any of them.
fn passes(error: Error, webhook: &mainspring_store::Webhook) -> Result<()> {
    if matches!(error, Error::Closed | Error::Unavailable { .. }) {
        return Err(error);
    }
    tracing::warn!(error = %causes(&error), webhook = webhook.name, "a webhook could not be served; trying again");
    Ok(())
}

/// What came of making messages for one webhook.
struct Noted {
    noted: bool,
    more: bool,
}

/// Makes messages for a webhook of the events at its place. Nothing: another node was faster, or it has no room.
async fn note_of(
    app: &App,
    row: &mut WebhookRow,
    line: &mut Line,
    events: &[EventRow],
    now: Timestamp,
) -> Result<Option<Noted>> {
    let Some(last) = events.last().map(|event| event.seq) else { return Ok(None) };
    let store = app.control().store();
    let was_full = line.full.take().is_some();
    if row.next_at.is_some() && store.pending_deliveries(row.id, PENDING_MAX).await? >= PENDING_MAX {
        if !was_full {
            tracing::warn!(
                webhook = row.webhook.name,
                most = PENDING_MAX,
                "so many messages wait that no more are made"
            );
        }
        line.full = Some(Instant::now());
        return Ok(None);
    }
    let (messages, through) = messages(app, row, events, now).await?;
    let more = through < last || events.len() >= ROWS_MAX as usize;
    let noted = !messages.is_empty();
    if noted || through - row.webhook.noted_through >= BEHIND_MAX {
        let places = (row.webhook.noted_through, through);
        if !store.note_deliveries(row.id, places, messages, now).await? {
            return Ok(None);
        }
        row.webhook.noted_through = through;
    }
    line.seen_through = through;
    if noted {
        row.next_at = Some(row.next_at.map_or(now, |at| at.min(now)));
    }
    Ok(Some(Noted { noted, more }))
}

/// Messages to a webhook, and up to which event they go.
async fn messages(app: &App, row: &WebhookRow, events: &[EventRow], now: Timestamp) -> Result<(Vec<NewDelivery>, i64)> {
    let webhook = &row.webhook;
    let wanted = Wanted {
        kinds: &webhook.events,
        namespace: webhook.namespace.as_deref(),
        job: webhook.job.as_deref(),
        run: None,
    };
    let (mut messages, mut through) = (Vec::new(), webhook.noted_through);
    for event in events {
        // What is too old is not worth a message any more.
        if now.since(event.at) < WORTH_MS {
            for event in events::of_row(app, event, None, &wanted).await? {
                messages.push(message::of_event(app, event).await?);
            }
        }
        through = event.seq;
        if messages.len() >= MESSAGES_MAX {
            break;
        }
    }
    Ok((messages, through))
}

fn what_failed(sent: &Sent) -> String {
    match (&sent.answer.error, sent.answer.status) {
        (Some(error), _) => error.clone(),
        (None, Some(status)) => format!("it answered {status}"),
        (None, None) => "nothing was answered".to_owned(),
    }
}
