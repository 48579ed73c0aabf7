//! Flows and the items in their queues.

pub(crate) mod inbox;

use async_trait::async_trait;
use mainspring_core::Timestamp;
use mainspring_core::flow::{Header, ItemId, Now, Priority};

use crate::error::{Error, Result};

pub use inbox::{InboxRow, InboxStore};

/// Where flows are kept. Like [`crate::Store`], of which it is a part: every method that changes something is one transaction.
///
/// The node that runs a flow is its *owner*. Taking a flow raises its epoch, and what an owner of an earlier epoch wants to
/// write is refused, so that nothing of a process start counts that was taken for dead.
#[async_trait]
pub trait FlowStore: Send + Sync {
    /// Saves a flow and answers it. A new one has version 1 and epoch 0; one that is there keeps its items and its epoch. Another
    /// definition closes the [inboxes](InboxStore) of the components that it touches.
    ///
    /// # Errors
    /// Conflict: it has another version than `expect`, or is there although none is expected.
    async fn save_flow(&self, flow: FlowWrite) -> Result<FlowRow>;

    /// A flow by namespace and name.
    async fn flow(&self, namespace: &str, name: &str) -> Result<Option<FlowRow>>;

    /// All flows, by namespace and name.
    async fn flows(&self) -> Result<Vec<FlowRow>>;

    /// Sets what the components of a flow are meant to do, if it has this version still, and answers the new version.
    ///
    /// # Errors
    /// Conflict: it has another version.
    async fn set_flow_states(&self, id: i64, version: i64, states: &str) -> Result<i64>;

    /// Deletes a flow with all of its items and inboxes, if it has this version still. False: it has another version, or is gone.
    async fn delete_flow(&self, id: i64, version: i64) -> Result<bool>;

    /// Makes the caller the owner of a flow, and answers the new epoch; nothing if the flow is gone.
    async fn take_flow(&self, id: i64) -> Result<Option<i64>>;

    /// Items of a flow in order of id, after an id, without their contents.
    async fn items(&self, flow: i64, after: i64, limit: u32) -> Result<Vec<ItemRow>>;

    /// What an item holds.
    async fn item_content(&self, flow: i64, id: i64) -> Result<Option<ItemContent>>;

    /// The same with the first [`BEGIN_BYTES`] bytes of its payload, and no more of it read.
    async fn item_begin(&self, flow: i64, id: i64) -> Result<Option<ItemContent>>;

    /// Carries out writes of the owner at an epoch, all or none. False: the flow has another owner, or is gone. What is repeated
    /// changes nothing more. A payload of more than [`PAYLOAD_MAX`] bytes is refused ([`Error::Rejected`](crate::Error::Rejected)).
    async fn write_items(&self, flow: i64, epoch: i64, writes: Vec<ItemWrite>) -> Result<bool>;

    /// Keeps what the owner at an epoch has counted in a minute, and forgets minutes of the flow before another instant. False: the
    /// flow has another owner, or is gone. What is repeated changes nothing more.
    async fn put_flow_minute(&self, flow: i64, minute: FlowMinute, forget_before: Timestamp) -> Result<bool>;

    /// Minutes of a flow from an instant up to another one, by time and then by epoch.
    async fn flow_minutes(&self, flow: i64, from: Timestamp, until: Timestamp) -> Result<Vec<FlowMinute>>;
}

/// A flow that is to be saved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FlowWrite {
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// What runs: JSON of [`mainspring_core::flow::Definition`].
    pub definition: String,
    /// What the user wrote, as JSON.
    pub source: String,
    /// What the components are meant to do, as JSON by name.
    pub states: String,
    /// The version that it must have; nothing where it must not be there.
    pub expect: Option<i64>,
    /// Components whose inboxes another definition closes; nothing where it closes all.
    pub touched: Option<Vec<String>>,
    /// When it is saved.
    pub at: Timestamp,
}

/// A flow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FlowRow {
    /// Its number.
    pub id: i64,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// See [`FlowWrite::definition`].
    pub definition: String,
    /// See [`FlowWrite::source`].
    pub source: String,
    /// See [`FlowWrite::states`].
    pub states: String,
    /// Counts its changes, those of states included.
    pub version: i64,
    /// Counts its owners.
    pub epoch: i64,
    /// When it was saved last.
    pub saved_at: Timestamp,
}

/// An item without its content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ItemRow {
    /// Its id, unique within its flow.
    pub id: i64,
    /// The number of its connection.
    pub connection: i64,
    /// Its place in the order of arrival.
    pub position: i64,
    /// When it entered the flow.
    pub entered_at: Timestamp,
    /// When the oldest item that it was made of entered the flow.
    pub lineage_at: Timestamp,
    /// Until when it is passed over.
    pub penalty_until: Option<Timestamp>,
    /// How often it was tried again.
    pub retries: u32,
    /// Its size.
    pub bytes: i64,
    /// Its attribute `priority`.
    pub priority: Option<String>,
}

impl ItemRow {
    /// The row of an item in the connection of this number. Its penalty is kept by the wall clock.
    #[must_use]
    pub fn of(connection: i64, item: &Header, now: Now) -> Self {
        Self {
            id: item.id.0,
            connection,
            position: item.order,
            entered_at: item.entered_at,
            lineage_at: item.lineage_at,
            penalty_until: item.penalty_until(now),
            retries: item.retries,
            bytes: i64::try_from(item.bytes).unwrap_or(i64::MAX),
            priority: match &item.priority {
                Priority::Number(number) => Some(number.to_string()),
                Priority::Text(text) => Some(text.to_string()),
                Priority::Absent => None,
            },
        }
    }

    /// The item, with its penalty by the clock that nobody sets.
    #[must_use]
    pub fn header(&self, now: Now) -> Header {
        Header {
            id: ItemId(self.id),
            order: self.position,
            entered_at: self.entered_at,
            lineage_at: self.lineage_at,
            priority: Priority::of(self.priority.as_deref()),
            bytes: self.bytes.unsigned_abs(),
            penalty_until_ms: self.penalty_until.map(|until| now.mono_ms + until.since(now.wall)),
            retries: self.retries,
        }
    }
}

/// The most bytes of an item's payload. They are in memory while a body works with them.
pub const PAYLOAD_MAX: usize = 64 << 20;

/// Bytes of the begin of a payload.
pub const BEGIN_BYTES: usize = 1_024;

/// Refuses writes of a payload that is too large.
pub(crate) fn check_payloads(writes: &[ItemWrite]) -> Result<()> {
    let too_large = writes.iter().find_map(|write| match write {
        ItemWrite::Insert(row, content) | ItemWrite::Update(row, Some(content)) => {
            (content.payload.len() > PAYLOAD_MAX).then_some((row.id, content.payload.len()))
        }
        ItemWrite::Update(_, None) | ItemWrite::Adopt(..) | ItemWrite::Remove(_) => None,
    });
    let Some((id, bytes)) = too_large else { return Ok(()) };
    let why = format!(
        "item {id} has a payload of {bytes} bytes, and {PAYLOAD_MAX} are kept at most: split it, or keep it elsewhere and pass on where"
    );
    Err(Error::Rejected { operation: "write items of a flow", source: why.into() })
}

/// What an item holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ItemContent {
    /// Its attributes, as a JSON object of texts.
    pub attributes: String,
    /// Its payload.
    pub payload: Vec<u8>,
}

/// What an owner of a flow has counted in a minute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FlowMinute {
    /// When the minute began.
    pub at: Timestamp,
    /// The owner's epoch.
    pub epoch: i64,
    /// JSON of [`mainspring_core::flow::Minute`].
    pub figures: String,
}

/// A change of an item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ItemWrite {
    /// It is made.
    Insert(ItemRow, ItemContent),
    /// It is somewhere else, or has another penalty or count; with another content where there is one.
    Update(ItemRow, Option<ItemContent>),
    /// It leaves the inbox in which it was under this id, and has the id and the position of the row from now on.
    Adopt(i64, ItemRow),
    /// It is gone.
    Remove(i64),
}
