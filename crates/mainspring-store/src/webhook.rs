//! Webhooks, and what is to be delivered to them.

use mainspring_core::{JobId, Timestamp, TriggerId, batch::Gap};

/// An address that is told of events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Webhook {
    /// What people call it.
    pub name: String,
    /// Where messages go.
    pub url: String,
    /// Kinds of events, such as `run.failed` or `run.*`.
    pub events: Vec<String>,
    /// Only those of one namespace.
    pub namespace: Option<String>,
    /// Only those of one job of it.
    pub job: Option<String>,
    /// What messages are signed with.
    pub secret: String,
    /// What they are signed with as well, up to an instant.
    pub previous_secret: Option<(String, Timestamp)>,
    /// The event up to which deliveries were made.
    pub noted_through: i64,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A webhook as it is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WebhookRow {
    /// Its number. One that is made again under the same name has another.
    pub id: i64,
    /// What it says.
    pub webhook: Webhook,
    /// When the first of its pending deliveries is due.
    pub next_at: Option<Timestamp>,
    /// Since when every message has failed.
    pub failing_since: Option<Timestamp>,
    /// Whether it rests: nothing is sent to it, and no deliveries are made.
    pub disabled: Option<Disabled>,
}

/// Why a webhook rests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disabled {
    /// Since when.
    pub at: Timestamp,
    /// Why.
    pub reason: String,
}

/// A message that is to be delivered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewDelivery {
    /// Its id: the same however often it is sent.
    pub message: String,
    /// The kind of the event.
    pub kind: String,
    /// JSON.
    pub body: String,
}

/// Where a delivery stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeliveryState {
    /// It is sent at `next_at`, or somebody is sending it until then.
    Pending,
    /// The receiver has it.
    Delivered,
    /// It is not tried any more.
    Dead,
}

impl DeliveryState {
    /// The word in tables and the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Dead => "dead",
        }
    }

    /// The state that a word stands for.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Pending, Self::Delivered, Self::Dead].into_iter().find(|state| state.as_str() == word)
    }
}

/// A message, and what became of it so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Delivery {
    /// Position, for reading on.
    pub id: i64,
    /// The message's id.
    pub message: String,
    /// The kind of the event.
    pub kind: String,
    /// Where it stands.
    pub state: DeliveryState,
    /// How often it was sent, the time under way included.
    pub attempts: u32,
    /// When it is sent next, while it is pending.
    pub next_at: Timestamp,
    /// What came of the last time.
    pub answer: DeliveryAnswer,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was delivered, or given up.
    pub ended_at: Option<Timestamp>,
}

/// A delivery that is to be sent now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Taken {
    /// Which.
    pub delivery: Delivery,
    /// What is sent.
    pub body: String,
}

/// What a receiver answered.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DeliveryAnswer {
    /// The HTTP status, if it came to that.
    pub status: Option<u16>,
    /// What went wrong.
    pub error: Option<String>,
}

/// What becomes of a delivery that was sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sent {
    /// To which webhook.
    pub webhook: i64,
    /// Which.
    pub id: i64,
    /// Which time this was, counted from 1. Nothing is kept of it if another one has begun.
    pub attempt: u32,
    /// Where it stands now.
    pub state: DeliveryState,
    /// When it is sent again, if it is pending.
    pub next_at: Timestamp,
    /// What came of it.
    pub answer: DeliveryAnswer,
    /// The present instant.
    pub at: Timestamp,
}

/// The kind of the event that a fire leaves which found instants missed.
pub(crate) const MISSED: &str = "missed";

/// Its payload, as events are read.
pub(crate) fn missed(job: JobId, trigger: TriggerId, gap: &Gap) -> String {
    serde_json::json!({
        "job": job,
        "trigger": trigger,
        "first": gap.first.as_millis(),
        "last": gap.last.as_millis(),
        "count": gap.count,
        "reason": gap.reason.as_str(),
        "policy": gap.policy,
    })
    .to_string()
}
