//! Webhooks, and what is to be delivered to them.

use std::collections::BTreeMap;

use mainspring_core::Timestamp;

use crate::error::{Error, Result};
use crate::webhook::{
    Delivery, DeliveryAnswer, DeliveryState, Disabled, NewDelivery, Sent, Taken, Webhook, WebhookRow,
};

/// Numbers count up, and none comes back.
#[derive(Clone, Debug, Default)]
pub(super) struct Webhooks {
    rows: BTreeMap<String, WebhookRow>,
    deliveries: BTreeMap<(i64, i64), Taken>,
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
        let row = WebhookRow { id, webhook, next_at: None, failing_since: None, disabled: None };
        self.rows.insert(row.webhook.name.clone(), row);
        Ok(())
    }

    pub(super) fn list(&self) -> Vec<WebhookRow> {
        let next_at = |webhook| self.pending(webhook).map(|it| it.next_at).min();
        self.rows.values().map(|row| WebhookRow { next_at: next_at(row.id), ..row.clone() }).collect()
    }

    fn pending(&self, webhook: i64) -> impl Iterator<Item = &Delivery> {
        let all = self.deliveries.range((webhook, i64::MIN)..=(webhook, i64::MAX)).map(|(_, it)| &it.delivery);
        all.filter(|it| it.state == DeliveryState::Pending)
    }

    pub(super) fn count_pending(&self, webhook: i64, most: u32) -> u32 {
        u32::try_from(self.pending(webhook).take(most as usize).count()).unwrap_or(most)
    }

    pub(super) fn remove(&mut self, name: &str) -> bool {
        self.rows.remove(name).is_some()
    }

    pub(super) fn rotate(&mut self, name: &str, replaced: &str, secret: &str, until: Timestamp) -> bool {
        let found = self.rows.get_mut(name).map(|row| &mut row.webhook).filter(|it| it.secret == replaced);
        let Some(webhook) = found else { return false };
        let previous = std::mem::replace(&mut webhook.secret, secret.to_owned());
        webhook.previous_secret = Some((previous, until));
        true
    }

    fn row(&mut self, webhook: i64) -> Option<&mut WebhookRow> {
        self.rows.values_mut().find(|row| row.id == webhook)
    }

    pub(super) fn disable(&mut self, webhook: i64, since: Timestamp, disabled: Disabled) -> bool {
        let is_so = |row: &&mut WebhookRow| row.failing_since == Some(since) && row.disabled.is_none();
        let Some(row) = self.row(webhook).filter(is_so) else { return false };
        row.disabled = Some(disabled);
        true
    }

    pub(super) fn resume(&mut self, name: &str, through: i64) -> bool {
        let Some(row) = self.rows.get_mut(name).filter(|row| row.disabled.is_some()) else { return false };
        (row.failing_since, row.disabled, row.webhook.noted_through) = (None, None, through);
        true
    }

    pub(super) fn note(
        &mut self,
        webhook: i64,
        (from, through): (i64, i64),
        deliveries: Vec<NewDelivery>,
        at: Timestamp,
    ) -> bool {
        let Some(row) = self.row(webhook) else { return false };
        if row.webhook.noted_through != from {
            return false;
        }
        row.webhook.noted_through = through;
        for new in deliveries {
            let id = self.next();
            let delivery = Delivery {
                id,
                message: new.message,
                kind: new.kind,
                state: DeliveryState::Pending,
                attempts: 0,
                next_at: at,
                answer: DeliveryAnswer::default(),
                created_at: at,
                ended_at: None,
            };
            self.deliveries.insert((webhook, id), Taken { delivery, body: new.body });
        }
        true
    }

    pub(super) fn take(&mut self, webhook: i64, at: Timestamp, until: Timestamp, limit: u32) -> Vec<Taken> {
        let all = self.deliveries.range_mut((webhook, i64::MIN)..=(webhook, i64::MAX)).map(|(_, it)| it);
        let is_due = |it: &Delivery| it.state == DeliveryState::Pending && it.next_at <= at;
        let mut due: Vec<_> = all.filter(|it| is_due(&it.delivery)).collect();
        due.sort_by_key(|it| (it.delivery.next_at, it.delivery.id));
        due.truncate(limit as usize);
        let taken = due.into_iter().map(|it| {
            it.delivery.attempts += 1;
            it.delivery.next_at = until;
            it.clone()
        });
        taken.collect()
    }

    pub(super) fn settle(&mut self, all: Vec<Sent>) -> Vec<bool> {
        for sent in &all {
            let is_through = all.iter().any(|it| it.webhook == sent.webhook && it.state == DeliveryState::Delivered);
            if let Some(row) = self.row(sent.webhook) {
                row.failing_since = if is_through { None } else { row.failing_since.or(Some(sent.at)) };
            }
        }
        all.into_iter().map(|sent| self.settle_one(sent)).collect()
    }

    fn settle_one(&mut self, sent: Sent) -> bool {
        let is_so = |it: &&mut Delivery| it.attempts == sent.attempt && it.state == DeliveryState::Pending;
        let found = self.deliveries.get_mut(&(sent.webhook, sent.id)).map(|it| &mut it.delivery);
        let Some(delivery) = found.filter(is_so) else { return false };
        (delivery.state, delivery.next_at, delivery.answer) = (sent.state, sent.next_at, sent.answer);
        delivery.ended_at = (sent.state != DeliveryState::Pending).then_some(sent.at);
        true
    }

    pub(super) fn expire(&mut self, before: Timestamp, why: &str, at: Timestamp, limit: u32) -> u64 {
        let all = self.deliveries.values_mut().map(|it| &mut it.delivery);
        let mut old: Vec<_> = all.filter(|it| it.state == DeliveryState::Pending && it.created_at < before).collect();
        old.sort_by_key(|it| it.created_at);
        old.truncate(limit as usize);
        for delivery in &mut old {
            (delivery.state, delivery.ended_at) = (DeliveryState::Dead, Some(at));
            delivery.answer.error = Some(why.to_owned());
        }
        old.len() as u64
    }

    pub(super) fn deliveries(&self, webhook: i64, before: Option<i64>, limit: u32) -> Vec<Delivery> {
        let older = self.deliveries.range((webhook, i64::MIN)..(webhook, before.unwrap_or(i64::MAX))).rev();
        older.map(|(_, it)| &it.delivery).take(limit as usize).cloned().collect()
    }

    /// Forgets deliveries to webhooks that are gone, up to `limit`.
    pub(super) fn purge_orphans(&mut self, limit: usize) -> usize {
        let is_there = |webhook| self.rows.values().any(|row| row.id == webhook);
        let gone: Vec<_> = self.deliveries.keys().filter(|key| !is_there(key.0)).take(limit).copied().collect();
        gone.iter().for_each(|key| _ = self.deliveries.remove(key));
        gone.len()
    }

    /// Up to which event every webhook that does not rest has made its deliveries.
    pub(super) fn noted_through(&self) -> i64 {
        self.rows
            .values()
            .filter(|row| row.disabled.is_none())
            .map(|row| row.webhook.noted_through)
            .min()
            .unwrap_or(i64::MAX)
    }

    /// Forgets deliveries of a state that ended before an instant, up to `limit`.
    pub(super) fn purge(&mut self, state: DeliveryState, before: Timestamp, limit: usize) -> usize {
        let old = |it: &Delivery| it.state == state && it.ended_at.is_some_and(|ended_at| ended_at < before);
        let all = self.deliveries.iter().map(|(key, it)| (key, &it.delivery));
        let mut found: Vec<_> = all.filter(|(_, it)| old(it)).map(|(key, it)| (it.ended_at, *key)).collect();
        found.sort_unstable();
        found.truncate(limit);
        found.iter().for_each(|(_, key)| _ = self.deliveries.remove(key));
        found.len()
    }
}
