//! Inboxes of flows: what components make on nodes that do not own the flow.

use async_trait::async_trait;
use mainspring_core::flow::inbox_ids;

use super::{ItemRow, ItemWrite};
use crate::error::Result;

/// Where nodes leave what components of a flow have made that another node owns. Like [`crate::Store`], of which it is a part: every
/// method that changes something is one transaction.
///
/// An inbox belongs to one process start and one component. It is filled by that process start alone, and emptied by the owner of
/// the flow, with [`ItemWrite::Adopt`]. What it holds is under ids below zero ([`inbox_ids`]), which [`FlowStore::items`] answers
/// only to those who ask for them. Closing it is final: what is to be written into it afterwards is refused.
///
/// [`FlowStore::items`]: super::FlowStore::items
#[async_trait]
pub trait InboxStore: Send + Sync {
    /// Opens an inbox for a component on a node, and answers its number, which no other one of the flow has had. `None`: the flow has
    /// another version than this by now, or is gone.
    async fn open_inbox(&self, flow: i64, version: i64, node: &str, component: &str) -> Result<Option<i64>>;

    /// Puts new items into an inbox, all or none; ids have to rise from one write to the next. False: it is closed or gone. What is
    /// repeated changes nothing more, also where the owner has taken the items out meanwhile. Payloads are bounded as in
    /// [`FlowStore::write_items`](super::FlowStore::write_items).
    async fn write_inbox(&self, flow: i64, number: i64, writes: Vec<ItemWrite>) -> Result<bool>;

    /// Ids of the items that wait in an inbox, in order. `None`: it is closed or gone.
    async fn waiting_items(&self, flow: i64, number: i64) -> Result<Option<Vec<i64>>>;

    /// Keeps what the node of an inbox says of itself.
    async fn report_inbox(&self, flow: i64, number: i64, report: &str) -> Result<()>;

    /// All inboxes of a flow by number, each with the first items that wait in it.
    async fn inboxes(&self, flow: i64, limit: u32) -> Result<Vec<(InboxRow, Vec<ItemRow>)>>;

    /// Closes all inboxes of some components of a flow.
    async fn close_inboxes(&self, flow: i64, components: Vec<String>) -> Result<()>;

    /// Closes an inbox, and removes it if nothing waits in it. Answers whether it is gone.
    async fn end_inbox(&self, flow: i64, number: i64) -> Result<bool>;
}

/// An inbox.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InboxRow {
    /// Its number, unique within its flow.
    pub number: i64,
    /// The process start that fills it.
    pub node: String,
    /// The component whose bodies do.
    pub component: String,
    /// Whether they still may.
    pub is_open: bool,
    /// What the node has said last; nothing before that.
    pub report: String,
}

/// The id before the first one of an inbox.
pub(crate) const fn before(number: i64) -> i64 {
    inbox_ids(number).start - 1
}

/// The last id that writes put into an inbox.
pub(crate) fn last_of(writes: &[ItemWrite]) -> Option<i64> {
    let of = |write: &ItemWrite| match write {
        ItemWrite::Insert(row, _) => Some(row.id),
        ItemWrite::Update(..) | ItemWrite::Adopt(..) | ItemWrite::Remove(_) => None,
    };
    writes.iter().filter_map(of).max()
}
