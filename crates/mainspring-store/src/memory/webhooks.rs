//! Webhooks, and what is to be delivered to them.

use std::collections::BTreeMap;

use mainspring_core::Timestamp;

use crate::error::{Error, Result};
use crate::webhook::{Delivery, DeliveryAnswer, DeliveryState, NewDelivery, Sent, Webhook, WebhookRow};

/// Numbers count up, and none comes back.
#[derive(Clone, Debug, Default)]
pub(super) struct Webhooks {
    rows: BTreeMap<String, WebhookRow>,
    deliveries: BTreeMap<(i64, i64), Delivery>,
    last: i64,
}

impl Webhooks {
    fn next(&mut self) -> i64 {
        self.last += 1;
        self.last
    }

    pub(super) fn add(&mut self, webhook: Webhook) -> Result<()> {
        if self.rows.contains_key(&webhook.name) {
            let why = "exists already".into();
            return Err(Error::Conflict { what: "webhook", key: webhook.name, why });
        }
        let id = self.next();
        self.rows.insert(webhook.name.clone(), WebhookRow { id, webhook });
        Ok(())
    }

    pub(super) fn list(&self) -> Vec<WebhookRow> {
        self.rows.values().cloned().collect()
    }

    pub(super) fn remove(&mut self, name: &str) -> bool {
        let Some(WebhookRow { id, .. }) = self.rows.remove(name) else { return false };
        self.deliveries.retain(|(webhook, _), _| *webhook != id);
        true
    }

    pub(super) fn rotate(&mut self, name: &str, secret: &str, until: Timestamp) -> bool {
        let Some(WebhookRow { webhook, .. }) = self.rows.get_mut(name) else { return false };
        let previous = std::mem::replace(&mut webhook.secret, secret.to_owned());
        webhook.previous_secret = Some((previous, until));
        true
    }

    pub(super) fn note(
        &mut self,
        webhook: i64,
        (from, through): (i64, i64),
        deliveries: Vec<NewDelivery>,
        at: Timestamp,
    ) -> bool {
        let Some(row) = self.rows.values_mut().find(|row| row.id == webhook) else { return false };
        if row.webhook.noted_through != from {
            return false;
        }
        row.webhook.noted_through = through;
        for new in deliveries {
            let id = self.next();
            let delivery = Delivery {
                id,
                new,
                state: DeliveryState::Pending,
                attempts: 0,
                next_at: at,
                answer: DeliveryAnswer::default(),
                created_at: at,
                ended_at: None,
            };
            self.deliveries.insert((webhook, id), delivery);
        }
        true
    }

    pub(super) fn take(&mut self, webhook: i64, at: Timestamp, until: Timestamp, limit: u32) -> Vec<Delivery> {
        let all = self.deliveries.range_mut((webhook, i64::MIN)..=(webhook, i64::MAX)).map(|(_, delivery)| delivery);
        let mut due: Vec<_> = all.filter(|it| it.state == DeliveryState::Pending && it.next_at <= at).collect();
        due.sort_by_key(|delivery| (delivery.next_at, delivery.id));
        due.truncate(limit as usize);
        let taken = due.into_iter().map(|delivery| {
            delivery.attempts += 1;
            delivery.next_at = until;
            delivery.clone()
        });
        taken.collect()
    }

    pub(super) fn settle(&mut self, sent: Sent) -> bool {
        let mut found = self.deliveries.values_mut().filter(|delivery| delivery.id == sent.id);
        let is_so = |it: &&mut Delivery| it.attempts == sent.attempt && it.state == DeliveryState::Pending;
        let Some(delivery) = found.next().filter(is_so) else { return false };
        (delivery.state, delivery.next_at, delivery.answer) = (sent.state, sent.next_at, sent.answer);
        delivery.ended_at = (sent.state != DeliveryState::Pending).then_some(sent.at);
        true
    }

    pub(super) fn deliveries(&self, webhook: i64, before: Option<i64>, limit: u32) -> Vec<Delivery> {
        let older = self.deliveries.range((webhook, i64::MIN)..(webhook, before.unwrap_or(i64::MAX))).rev();
        older.map(|(_, delivery)| delivery).take(limit as usize).cloned().collect()
    }

    /// Up to which event every webhook has made its deliveries.
    pub(super) fn noted_through(&self) -> i64 {
        self.rows.values().map(|row| row.webhook.noted_through).min().unwrap_or(i64::MAX)
    }

    /// Forgets deliveries of a state that ended before an instant, up to `limit`.
    pub(super) fn purge(&mut self, state: DeliveryState, before: Timestamp, limit: usize) -> usize {
        let old = |it: &Delivery| it.state == state && it.ended_at.is_some_and(|ended_at| ended_at < before);
        let mut found: Vec<_> =
            self.deliveries.iter().filter(|(_, it)| old(it)).map(|(key, it)| (it.ended_at, *key)).collect();
        found.sort_unstable();
        found.truncate(limit);
        found.iter().for_each(|(_, key)| _ = self.deliveries.remove(key));
        found.len()
    }
}
