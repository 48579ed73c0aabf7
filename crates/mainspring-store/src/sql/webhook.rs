//! Webhooks, and what is to be delivered to them.

use mainspring_core::Timestamp;

use super::Batches;
use super::db::{
    Db, Fault, Lock, Row, Step, ToSql, execute, instant, maybe_instant, millis, read, read_one, read_page, sql, word,
};
use super::session::Session;
use crate::error::Error;
use crate::webhook::{Delivery, DeliveryAnswer, DeliveryState, NewDelivery, Sent, Webhook, WebhookRow};

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
        Ok(WebhookRow { id: row.get(0)?, webhook })
    })
}

/// See [`crate::Store::remove_webhook`].
pub(crate) fn remove(session: &Session<impl Batches>, name: &str) -> Step<bool> {
    let db = &session.connection;
    // The webhook before its deliveries, as whoever notes some does.
    db.lock(sql!("webhook_of_name"), Lock::Write, &[(":name", &name)])?;
    let Some(id) = read_one(db, sql!("webhook_of_name"), &[(":name", &name)], |row| row.get::<i64>(0))? else {
        return Ok(false);
    };
    execute(db, sql!("webhook_remove"), &[(":id", &id)])?;
    execute(db, sql!("webhook_remove_deliveries"), &[(":id", &id)])?;
    Ok(true)
}

/// See [`crate::Store::rotate_webhook`].
pub(crate) fn rotate(session: &Session<impl Batches>, name: &str, secret: &str, until: Timestamp) -> Step<bool> {
    let values: [(&str, &dyn ToSql); 3] = [(":until", &until.as_millis()), (":secret", &secret), (":name", &name)];
    Ok(execute(&session.connection, sql!("webhook_rotate"), &values)? == 1)
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
) -> Step<Vec<Delivery>> {
    let db = &session.connection;
    let values: [(&str, &dyn ToSql); 2] = [(":webhook", &webhook), (":at", &at.as_millis())];
    let mut taken = Vec::new();
    for delivery in read_page(db, sql!("webhook_due"), &values, limit, row)? {
        let values: [(&str, &dyn ToSql); 3] =
            [(":until", &until.as_millis()), (":id", &delivery.id), (":attempts", &delivery.attempts)];
        if execute(db, sql!("webhook_take"), &values)? == 1 {
            taken.push(Delivery { attempts: delivery.attempts + 1, next_at: until, ..delivery });
        }
    }
    Ok(taken)
}

/// See [`crate::Store::settle_delivery`].
pub(crate) fn settle(session: &Session<impl Batches>, sent: &Sent) -> Step<bool> {
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
    Ok(execute(&session.connection, sql!("webhook_settle"), &values)? == 1)
}

/// See [`crate::Store::deliveries`].
pub(crate) fn deliveries(db: &dyn Db, webhook: i64, before: Option<i64>, limit: u32) -> Step<Vec<Delivery>> {
    let values: [(&str, &dyn ToSql); 2] = [(":webhook", &webhook), (":before", &before.unwrap_or(i64::MAX))];
    read_page(db, sql!("webhook_deliveries"), &values, limit, row)
}

/// Up to which event every webhook has made its deliveries, if there are any.
pub(crate) fn noted_through(db: &dyn Db) -> Step<Option<i64>> {
    Ok(read_one(db, sql!("webhook_least_place"), &[], |row| row.get::<Option<i64>>(0))?.flatten())
}

fn row(row: &Row<'_>) -> Step<Delivery> {
    Ok(Delivery {
        id: row.get(0)?,
        new: NewDelivery { message: row.get(1)?, kind: row.get(2)?, body: row.get(3)? },
        state: word(row, 4, DeliveryState::from_word)?,
        attempts: row.get(5)?,
        next_at: instant(row, 6)?,
        answer: DeliveryAnswer { status: row.get(7)?, error: row.get(8)? },
        created_at: instant(row, 9)?,
        ended_at: maybe_instant(row, 10)?,
    })
}
