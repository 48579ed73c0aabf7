//! What the owner of a flow and nodes that run components of it know of each other.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::flow::{ComponentState, Header, Machine, Now, Pools};
use mainspring_store::{InboxRow, ItemRow};
use serde::{Deserialize, Serialize};

/// How often an owner looks into inboxes, and who fills one at what is left of it, where nothing tells them to.
pub(crate) const LOOK_EVERY_MS: i64 = 250;
/// After how long without a word of a node in the cluster its inboxes are over. A node that has just come may be known late.
pub(super) const GONE_AFTER_MS: i64 = 60_000;
/// Items of each inbox that one look reads.
pub(super) const LOOK_ITEMS: u32 = 1_000;

/// A component at work on a node: what that says of it, as JSON in its inbox.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AtNode {
    /// The process start.
    pub node: String,
    /// Bodies that run there.
    pub active: u32,
    /// Items that wait there for the owner of the flow.
    pub waiting: u64,
    /// Why it does not run there, as one word.
    pub blocked: Option<String>,
    /// Bodies that ended there in the last five minutes.
    pub tasks: u64,
    /// How long these ran together, in ms.
    pub task_ms: u64,
}

impl AtNode {
    /// What a machine knows of a component.
    pub(super) fn of(node: &str, machine: &Machine, component: usize, pools: &Pools, now: Now) -> Self {
        let (why, counters) = (machine.why(component, pools, now), machine.counters(component, now));
        let blocked = match why.state {
            ComponentState::WaitingValid => Some(why.state.as_str()),
            ComponentState::Running if why.active == 0 => why.blocked.map(|blocked| blocked.reason.as_str()),
            _ => None,
        };
        Self {
            node: node.to_owned(),
            active: why.active,
            waiting: 0,
            blocked: blocked.map(str::to_owned),
            tasks: counters.tasks,
            task_ms: counters.task_ms,
        }
    }
}

/// What a flow at work has to do with inboxes.
#[derive(Debug)]
pub(super) enum Inboxes {
    /// Nothing: all of its components run here.
    None,
    /// It is the owner, and takes out what others put in.
    Owner(Owner),
    /// It is a branch, and fills one.
    Branch(Branch),
}

/// See [`Inboxes`].
#[derive(Debug, Default)]
pub(super) struct Owner {
    pub(super) is_looking: bool,
    pub(super) look_at: i64,
    /// Whether something was put in while it looked.
    pub(super) looks_again: bool,
    /// Connections that had no room for all that was there, and what they held.
    pub(super) full: Vec<(usize, usize)>,
    /// Batches of items that are being taken out. There is no look meanwhile, as it would find them again.
    pub(super) adoptions: usize,
    /// Components and what other nodes say of them.
    pub(super) nodes: Vec<(String, AtNode)>,
    /// Inboxes of nodes that are not in the cluster, and since when.
    strangers: BTreeMap<i64, i64>,
}

impl Owner {
    /// Inboxes of nodes that have not been in the cluster for long.
    pub(super) fn gone(&mut self, rows: &[InboxRow], is_there: impl Fn(&str) -> bool, now_ms: i64) -> BTreeSet<i64> {
        let strange: BTreeSet<i64> = rows.iter().filter(|row| !is_there(&row.node)).map(|row| row.number).collect();
        self.strangers.retain(|number, _| strange.contains(number));
        strange.iter().for_each(|number| _ = self.strangers.entry(*number).or_insert(now_ms));
        self.strangers
            .iter()
            .filter(|(_, since)| now_ms - **since >= GONE_AFTER_MS)
            .map(|(number, _)| *number)
            .collect()
    }
}

/// See [`Inboxes`].
#[derive(Debug)]
pub(super) struct Branch {
    pub(super) number: i64,
    pub(super) node: String,
    /// What it is, as JSON: another definition of the flow in which that is the same leaves it as it is.
    pub(super) text: String,
    pub(super) is_looking: bool,
    pub(super) look_at: i64,
    /// Whether something was taken out while it looked.
    pub(super) looks_again: bool,
    pub(super) reported: AtNode,
}

/// Which inboxes are over: closed, of a node that is gone or owns the flow itself, or followed by another one of the same node.
pub(super) fn are_over(rows: &[InboxRow], me: &str, gone: &BTreeSet<i64>) -> Vec<i64> {
    let has_newer = |row: &InboxRow| {
        rows.iter().any(|it| (&it.node, &it.component) == (&row.node, &row.component) && it.number > row.number)
    };
    let is_over = |row: &&InboxRow| !row.is_open || row.node == me || gone.contains(&row.number) || has_newer(row);
    rows.iter().filter(is_over).map(|row| row.number).collect()
}

/// Items of several inboxes in the order in which they are taken: the first of each, then the second, and so on.
pub(super) fn in_turn(inboxes: Vec<Vec<ItemRow>>) -> Vec<ItemRow> {
    let mut left: Vec<_> = inboxes.into_iter().map(Vec::into_iter).collect();
    let mut taken = Vec::new();
    loop {
        let before = taken.len();
        taken.extend(left.iter_mut().filter_map(Iterator::next));
        if taken.len() == before {
            return taken;
        }
    }
}

/// Items that are in the queues of a machine.
pub(super) fn waiting(machine: &Machine) -> Vec<i64> {
    let queues = (0..machine.flow().connections().len()).map(|connection| machine.queue(connection));
    queues.flat_map(|queue| queue.iter().map(|item: &Header| item.id.0)).collect()
}

#[cfg(test)]
mod tests {
    use mainspring_core::Timestamp;

    use super::*;

    fn inbox(number: i64, node: &str, component: &str, is_open: bool) -> InboxRow {
        InboxRow { number, node: node.into(), component: component.into(), is_open, report: String::new() }
    }

    #[test]
    fn an_inbox_is_over_when_nobody_is_to_fill_it_any_more() {
        let rows = [
            inbox(1, "a", "tick", true),
            inbox(2, "b", "tick", true),
            inbox(3, "c", "tick", false),
            inbox(4, "gone", "tick", true),
            inbox(5, "me", "tick", true),
            inbox(6, "b", "tick", true),
            inbox(7, "b", "tock", true),
        ];
        let mut owner = Owner::default();
        let mut over = |now_ms| are_over(&rows, "me", &owner.gone(&rows, |node| node != "gone", now_ms));
        assert_eq!(over(1_000), [2, 3, 5], "it may have come just now");
        assert_eq!(over(1_000 + GONE_AFTER_MS), [2, 3, 4, 5]);
    }

    #[test]
    fn inboxes_are_emptied_in_turn() {
        let at = Timestamp::from_millis(0);
        let item = |id: i64| ItemRow {
            id,
            connection: 1,
            position: id,
            entered_at: at,
            lineage_at: at,
            penalty_until: None,
            retries: 0,
            bytes: 0,
            priority: None,
        };
        let inboxes = [vec![1, 2, 3], vec![], vec![11, 12]];
        let inboxes = inboxes.map(|ids| ids.into_iter().map(item).collect());
        let ids: Vec<i64> = in_turn(inboxes.into()).iter().map(|item| item.id).collect();
        assert_eq!(ids, [1, 11, 2, 12, 3]);
    }
}
