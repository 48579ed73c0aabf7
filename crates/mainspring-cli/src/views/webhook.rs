//! Webhooks and their deliveries in tables.

use mainspring_api::{Webhook, WebhookDelivery};

use super::{optional, text};
use crate::output::{Column, View};

/// Columns of webhooks.
pub const WEBHOOK: View<Webhook> = View {
    columns: &[
        Column::usual("NAME", |it, _| text(&it.name)),
        Column::usual("URL", |it, _| text(&it.url)),
        Column::usual("EVENTS", |it, _| text(it.events.join(", "))),
        Column::usual("ONLY", |it, _| optional(only(it))),
        Column::usual("RESTS SINCE", |it, style| text(style.at(it.disabled_at))),
        Column::usual("CREATED", |it, style| text(style.at(Some(it.created_at)))),
        Column::extra("FAILS SINCE", |it, style| text(style.at(it.failing_since))),
        Column::extra("WHY IT RESTS", |it, _| optional(it.disabled_reason.as_ref())),
        Column::extra("OLD SECRET UNTIL", |it, style| text(style.at(it.previous_secret_until))),
    ],
    name: |it| it.name.clone(),
    empty: "no webhooks",
};

/// Columns of deliveries.
pub const WEBHOOK_DELIVERY: View<WebhookDelivery> = View {
    columns: &[
        Column::usual("MESSAGE", |it, _| text(&it.message)),
        Column::usual("TYPE", |it, _| text(&it.kind)),
        Column::usual("STATE", |it, _| text(it.state)),
        Column::usual("ATTEMPTS", |it, _| text(it.attempts)),
        Column::usual("STATUS", |it, _| optional(it.status)),
        Column::usual("CREATED", |it, style| text(style.at(Some(it.created_at)))),
        Column::usual("NEXT", |it, style| text(style.at(it.next_at))),
        Column::usual("ERROR", |it, _| optional(it.error.as_ref())),
        Column::extra("ENDED", |it, style| text(style.at(it.ended_at))),
        Column::extra("ID", |it, _| text(&it.id)),
    ],
    name: |it| it.message.clone(),
    empty: "no deliveries",
};

fn only(webhook: &Webhook) -> Option<String> {
    let namespace = webhook.namespace.as_ref()?;
    Some(webhook.job.as_ref().map_or_else(|| namespace.clone(), |job| format!("{namespace}/{job}")))
}
