//! Webhooks, and what is to be delivered to them.

use std::collections::BTreeMap;

use mainspring_core::Timestamp;

use super::Batches;
use super::db::{
    Db, Fault, Lock, Row, Step, ToSql, execute, instant, maybe_instant, millis, read, read_one, read_page, sql, word,
};
use super::session::Session;
use crate::error::Error;
use crate::webhook::{
    Delivery, DeliveryAnswer, DeliveryState, Disabled, NewDelivery, Sent, Taken, Webhook, WebhookRow,
};

/// See [`crate::Store::add_webhook`].
pub(crate) fn add(session: &Session<impl Batches>, webhook: &Webhook) -> Step<()> {
    let events = serde_json::to_string(&webhook.events).expect("texts are JSON");
    let values: [(&str, &dyn ToSql); 8] = [
        (":name", &webhook.name),
        (":url", &webhook.url),
        (":events", &events),
        (":namespace", &webhook.namespace),
        (":job", &webhook.job),
        (":secret", &webhook.secret),
        (":noted_through", &webhook.noted_through),
        (":created_at", &webhook.created_at.as_millis()),
    ];
    if execute(&session.connection, sql!("webhook_add", mysql), &values)? == 0 {
        let why = "exists already".into();
        return Err(Error::Conflict { what: "webhook", key: webhook.name.clone(), why }.into());
    }
    Ok(())
}

/// See [`crate::Store::webhooks`].
pub(crate) fn list(db: &dyn Db) -> Step<Vec<WebhookRow>> {
    read(db, sql!("webhooks"), &[], |row| {
        let disabled = maybe_instant(row, 12)?.zip(row.get(13)?).map(|(at, reason)| Disabled { at, reason });
        let events: String = row.get(3)?;
        let events = serde_json::from_str(&events)
            .map_err(|_| Fault::Unreadable(format!("the events of a webhook are no JSON: {events}")))?;
        let webhook = Webhook {
            name: row.get(1)?,
            url: row.get(2)?,
            events,
            namespace: row.get(4)?,
            job: row.get(5)?,
            secret: row.get(6)?,
            previous_secret: row.get::<Option<String>>(7)?.zip(maybe_instant(row, 8)?),
            noted_through: row.get(9)?,
            created_at: instant(row, 10)?,
        };
        let (failing_since, next_at) = (maybe_instant(row, 11)?, maybe_instant(row, 14)?);
        Ok(WebhookRow { id: row.get(0)?, webhook, next_at, failing_since, disabled })
    })
}

/// See [`crate::Store::remove_webhook`]. Waits for whoever notes deliveries to it: there are none more afterwards.
pub(crate) fn remove(session: &Session<impl Batches>, name: &str) -> Step<bool> {
    Ok(execute(&session.connection, sql!("webhook_remove"), &[(":name", &name)])? == 1)
}

/// See [`crate::Store::rotate_webhook`].
pub(crate) fn rotate(
    session: &Session<impl Batches>,
    name: &str,
    replaced: &str,
    secret: &str,
    until: Timestamp,
) -> Step<bool> {
    let values: [(&str, &dyn ToSql); 4] =
        [(":until", &until.as_millis()), (":secret", &secret), (":name", &name), (":replaced", &replaced)];
    Ok(execute(&session.connection, sql!("webhook_rotate"), &values)? == 1)
}

/// See [`crate::Store::disable_webhook`].
pub(crate) fn disable(
    session: &Session<impl Batches>,
    webhook: i64,
    since: Timestamp,
    disabled: &Disabled,
) -> Step<bool> {
    let values: [(&str, &dyn ToSql); 4] = [
        (":at", &disabled.at.as_millis()),
        (":reason", &disabled.reason),
        (":id", &webhook),
        (":since", &since.as_millis()),
    ];
    Ok(execute(&session.connection, sql!("webhook_disable"), &values)? == 1)
}

/// See [`crate::Store::resume_webhook`].
pub(crate) fn resume(session: &Session<impl Batches>, name: &str, through: i64) -> Step<bool> {
    let values: [(&str, &dyn ToSql); 2] = [(":through", &through), (":name", &name)];
    Ok(execute(&session.connection, sql!("webhook_resume"), &values)? == 1)
}

/// See [`crate::Store::note_deliveries`].
pub(crate) fn note(
    session: &Session<impl Batches>,
    webhook: i64,
    (from, through): (i64, i64),
    deliveries: &[NewDelivery],
    at: Timestamp,
) -> Step<bool> {
    let db = &session.connection;
    let this: [(&str, &dyn ToSql); 1] = [(":id", &webhook)];
    db.lock(sql!("webhook_place"), Lock::Write, &this)?;
    if read_one(db, sql!("webhook_place"), &this, |row| row.get::<i64>(0))? != Some(from) {
        return Ok(false);
    }
    for delivery in deliveries {
        let values: [(&str, &dyn ToSql); 6] = [
            (":webhook", &webhook),
            (":message", &delivery.message),
            (":kind", &delivery.kind),
            (":body", &delivery.body),
            (":next_at", &at.as_millis()),
            (":created_at", &at.as_millis()),
        ];
        db.post(sql!("webhook_note"), &values, None)?;
    }
    execute(db, sql!("webhook_move"), &[(":through", &through), (":id", &webhook)])?;
    Ok(true)
}

/// See [`crate::Store::take_deliveries`].
pub(crate) fn take(
    session: &Session<impl Batches>,
    webhook: i64,
    at: Timestamp,
    until: Timestamp,
    limit: u32,
) -> Step<Vec<Taken>> {
    let db = &session.connection;
    let values: [(&str, &dyn ToSql); 2] = [(":webhook", &webhook), (":at", &at.as_millis())];
    let mut taken = Vec::new();
    let due = read_page(db, sql!("webhook_due"), &values, limit, |it| Ok((row(it)?, it.get::<String>(10)?)))?;
    for (delivery, body) in due {
        let values: [(&str, &dyn ToSql); 3] =
            [(":until", &until.as_millis()), (":id", &delivery.id), (":attempts", &delivery.attempts)];
        if execute(db, sql!("webhook_take"), &values)? == 1 {
            let delivery = Delivery { attempts: delivery.attempts + 1, next_at: until, ..delivery };
            taken.push(Taken { delivery, body });
        }
    }
    Ok(taken)
}

/// See [`crate::Store::settle_deliveries`].
pub(crate) fn settle(session: &Session<impl Batches>, all: &[Sent]) -> Step<Vec<bool>> {
    let db = &session.connection;
    // The webhooks before the deliveries, and in order, as whoever notes some does.
    let mut webhooks: BTreeMap<i64, Option<Timestamp>> = BTreeMap::new();
    for sent in all {
        let fails = (sent.state != DeliveryState::Delivered).then_some(sent.at);
        // Since the first of them, unless one has got through.
        let since = webhooks.entry(sent.webhook).or_insert(fails);
        *since = since.filter(|_| fails.is_some());
    }
    for (webhook, fails) in webhooks {
        match fails {
            Some(at) => execute(db, sql!("webhook_fails"), &[(":at", &at.as_millis()), (":id", &webhook)])?,
            None => execute(db, sql!("webhook_works"), &[(":id", &webhook)])?,
        };
    }
    all.iter().map(|sent| settle_one(db, sent)).collect()
}

fn settle_one(db: &dyn Db, sent: &Sent) -> Step<bool> {
    let ended_at = (sent.state != DeliveryState::Pending).then_some(sent.at);
    let values: [(&str, &dyn ToSql); 7] = [
        (":state", &sent.state.as_str()),
        (":next_at", &sent.next_at.as_millis()),
        (":status", &sent.answer.status),
        (":error", &sent.answer.error),
        (":ended_at", &millis(ended_at)),
        (":id", &sent.id),
        (":attempts", &sent.attempt),
    ];
    Ok(execute(db, sql!("webhook_settle"), &values)? == 1)
}

/// See [`crate::Store::expire_deliveries`].
pub(crate) fn expire(
    session: &Session<impl Batches>,
    before: Timestamp,
    why: &str,
    at: Timestamp,
    limit: u32,
) -> Step<u64> {
    let values: [(&str, &dyn ToSql); 4] =
        [(":error", &why), (":at", &at.as_millis()), (":before", &before.as_millis()), (":limit", &limit)];
    execute(&session.connection, sql!("webhook_expire", mysql), &values)
}

/// See [`crate::Store::pending_deliveries`].
pub(crate) fn pending(db: &dyn Db, webhook: i64, most: u32) -> Step<u32> {
    let values: [(&str, &dyn ToSql); 2] = [(":webhook", &webhook), (":most", &most)];
    Ok(read_one(db, sql!("webhook_waiting"), &values, |row| row.get(0))?.unwrap_or(0))
}

/// Deletes deliveries to webhooks that are gone, up to `limit`.
pub(crate) fn purge_orphans(db: &dyn Db, limit: u64) -> Step<u64> {
    let there: Vec<i64> = list(db)?.into_iter().map(|row| row.id).collect();
    let (mut after, mut count) = (0_i64, 0);
    while count < limit {
        let next = read_one(db, sql!("purge_orphan_deliveries_next"), &[(":after", &after)], |row| row.get(0))?;
        let Some(webhook) = next.flatten() else { break };
        if !there.contains(&webhook) {
            let rest = (limit - count).min(u64::from(u32::MAX)).cast_signed();
            let values: [(&str, &dyn ToSql); 2] = [(":webhook", &webhook), (":limit", &rest)];
            count += execute(db, sql!("purge_orphan_deliveries", mysql), &values)?;
        }
        after = webhook;
    }
    Ok(count)
}

/// See [`crate::Store::deliveries`].
pub(crate) fn deliveries(db: &dyn Db, webhook: i64, before: Option<i64>, limit: u32) -> Step<Vec<Delivery>> {
    let values: [(&str, &dyn ToSql); 2] = [(":webhook", &webhook), (":before", &before.unwrap_or(i64::MAX))];
    read_page(db, sql!("webhook_deliveries"), &values, limit, row)
}

/// Up to which event every webhook that does not rest has made its deliveries, if there are any.
pub(crate) fn noted_through(db: &dyn Db) -> Step<Option<i64>> {
    Ok(read_one(db, sql!("webhook_least_place"), &[], |row| row.get::<Option<i64>>(0))?.flatten())
}

fn row(row: &Row<'_>) -> Step<Delivery> {
    Ok(Delivery {
        id: row.get(0)?,
        message: row.get(1)?,
        kind: row.get(2)?,
        state: word(row, 3, DeliveryState::from_word)?,
        attempts: row.get(4)?,
        next_at: instant(row, 5)?,
        answer: DeliveryAnswer { status: row.get(6)?, error: row.get(7)? },
        created_at: instant(row, 8)?,
        ended_at: maybe_instant(row, 9)?,
    })
}
