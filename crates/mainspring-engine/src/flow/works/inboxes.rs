//! Components that run on every node: an owner takes out what others have put into inboxes.

use std::collections::BTreeMap;

use mainspring_core::flow::{ComponentState, ItemId, Now, Write};
use mainspring_store::{InboxRow, ItemRow, ItemWrite, causes};

use super::super::branch::{self, AtNode, Inboxes, LOOK_EVERY_MS, LOOK_ITEMS};
use super::super::running::{Pending, Running};
use super::super::{FlowError, Name, Reply};
use super::{Inbox, Works, named};

/// Items that are taken out in one batch.
const TOGETHER: usize = 100;

type Seen = Vec<(InboxRow, Vec<ItemRow>)>;
type States = BTreeMap<String, ComponentState>;

impl Works {
    /// Looks into the inboxes of flows whose time has come.
    pub(super) fn look_into_inboxes(&mut self, now: Now) {
        if self.store.cluster().is_none() {
            return;
        }
        for (id, running) in self.flows.range_mut(0..) {
            let Inboxes::Owner(owner) = &mut running.inboxes else { continue };
            // Who was left behind a full queue has room now.
            let held = |connection: usize| running.machine.queue(connection).len();
            let count = running.definition.connections.len();
            if owner.full.iter().any(|(connection, before)| *connection >= count || held(*connection) < *before) {
                owner.look_at = now.mono_ms;
            }
            if owner.is_looking || owner.adoptions > 0 || now.mono_ms < owner.look_at {
                continue;
            }
            owner.is_looking = true;
            owner.full.clear();
            owner.look_at = now.mono_ms + self.tools.inbox_look_ms;
            let (id, generation) = (*id, running.generation);
            let (store, inbox) = (std::sync::Arc::clone(&self.store), self.inbox.0.clone());
            self.tasks.start(async move {
                let seen = store.inbox_store().inboxes(id, LOOK_ITEMS).await;
                let _ = inbox.send(Inbox::Looked(id, generation, seen));
            });
        }
    }

    /// Hears that something was put into an inbox somewhere, or taken out: whom it may concern looks now.
    pub(super) fn stirred(&mut self) {
        let now_ms = self.now().mono_ms;
        for running in self.flows.values_mut() {
            match &mut running.inboxes {
                Inboxes::None => {}
                Inboxes::Owner(it) if it.is_looking || it.adoptions > 0 => it.looks_again = true,
                Inboxes::Owner(it) => it.look_at = it.look_at.min(now_ms),
                Inboxes::Branch(_) if running.machine.is_empty() => {}
                Inboxes::Branch(it) if it.is_looking => it.looks_again = true,
                Inboxes::Branch(it) => it.look_at = it.look_at.min(now_ms),
            }
        }
    }

    /// Takes what was seen into the queues, as far as there is room.
    pub(super) fn looked(&mut self, id: i64, generation: u64, seen: mainspring_store::Result<Seen>) {
        let now = self.now();
        let status = self.status.borrow().clone();
        let Some(running) = self.flows.get_mut(&id).filter(|it| it.generation == generation) else { return };
        let Inboxes::Owner(owner) = &mut running.inboxes else { return };
        owner.is_looking = false;
        if std::mem::take(&mut owner.looks_again) {
            owner.look_at = now.mono_ms;
        }
        let seen = match seen {
            Ok(seen) => seen,
            Err(error) => {
                tracing::warn!(flow = id, error = %causes(&error), "inboxes of a flow could not be read; trying again");
                return;
            }
        };
        let Some(status) = status else { return };
        let is_there = |node: &str| status.nodes.iter().any(|it| it.row.incarnation.to_string() == node);
        let rows: Vec<InboxRow> = seen.iter().map(|(row, _)| row.clone()).collect();
        let gone = owner.gone(&rows, is_there, now.mono_ms);
        let over = branch::are_over(&rows, &status.incarnation.to_string(), &gone);
        let is_at_work = |row: &InboxRow| !over.contains(&row.number) && is_there(&row.node);
        let shown = seen.iter().filter(|(row, items)| is_at_work(row) || !items.is_empty());
        let said = |(row, items): &(InboxRow, Vec<ItemRow>)| (row.component.clone(), said(row, items, is_at_work(row)));
        let nodes: Vec<(String, AtNode)> = shown.map(said).collect();
        let is_done = seen.is_empty() && running.definition.on_every_node().next().is_none();
        if owner.nodes != nodes {
            owner.nodes = nodes;
            running.touch(&self.changes);
        }
        if is_done {
            running.inboxes = Inboxes::None;
            return;
        }
        let is_to_end =
            |(row, items): &&(InboxRow, Vec<ItemRow>)| over.contains(&row.number) && (row.is_open || items.is_empty());
        let ends: Vec<i64> = seen.iter().filter(is_to_end).map(|(row, _)| row.number).collect();
        running.adopt(branch::in_turn(seen.into_iter().map(|(_, items)| items).collect()), now);
        ends.into_iter().for_each(|number| self.end_inbox(id, number));
    }

    /// Lets bodies of terminated components count for nothing on other nodes, too, before that is answered.
    pub(super) fn end_elsewhere(
        &mut self,
        name: &Name,
        components: Option<Vec<String>>,
        changed: Result<States, FlowError>,
        reply: Reply<States>,
    ) {
        let Ok(running) = named(&mut self.flows, name) else { return drop(reply.send(changed)) };
        let mut ends: Vec<String> = running.definition.on_every_node().map(str::to_owned).collect();
        ends.retain(|it| components.as_ref().is_none_or(|components| components.contains(it)));
        ends.retain(|it| running.component(it).is_ok_and(|place| !is_running(running, place)));
        let (flow, store) = (running.row.id, std::sync::Arc::clone(&self.store));
        self.tasks.start(async move {
            let closed = match ends.is_empty() {
                true => Ok(()),
                false => store.inbox_store().close_inboxes(flow, ends).await.map_err(FlowError::Store),
            };
            let _ = reply.send(closed.and(changed));
        });
    }

    /// Closes an inbox that nobody fills any more, and removes it once it is empty.
    pub(super) fn end_inbox(&self, flow: i64, number: i64) {
        let store = std::sync::Arc::clone(&self.store);
        self.tasks.start(async move {
            if let Err(error) = store.inbox_store().end_inbox(flow, number).await {
                tracing::debug!(flow, number, error = %causes(&error), "an inbox could not be ended; its owner will");
            }
        });
    }
}

/// Whether a component is to run, so that terminating all passes it over.
fn is_running(running: &Running, component: usize) -> bool {
    running.machine.state(component).is_started()
}

/// What a node says of a component. Of one that is at work no more, what it has put in is left.
fn said(row: &InboxRow, items: &[ItemRow], is_at_work: bool) -> AtNode {
    let (node, there) = (row.node.clone(), items.len() as u64);
    if !is_at_work {
        return AtNode { node, waiting: there, ..AtNode::default() };
    }
    let said: AtNode = serde_json::from_str(&row.report).unwrap_or_default();
    AtNode { node, waiting: said.waiting.max(there), ..said }
}

impl Running {
    /// Takes items that wait in inboxes into their queues, in order, until there is no room in them.
    fn adopt(&mut self, items: Vec<ItemRow>, now: Now) {
        let mut full = vec![false; self.definition.connections.len()];
        let mut batches: Vec<(usize, Vec<Write>, Vec<ItemWrite>)> = Vec::new();
        for row in items {
            let Some(connection) = self.numbered(row.connection) else {
                tracing::debug!(
                    flow = self.row.name,
                    item = row.id,
                    "an item in an inbox is for no connection of its flow"
                );
                continue;
            };
            if full[connection] {
                continue;
            }
            let Some(write) = self.machine.adopt(connection, row.header(now)) else {
                full[connection] = true;
                continue;
            };
            let Write::Insert { item, .. } = &write else { continue };
            let kept = ItemWrite::Adopt(row.id, ItemRow { id: item.id.0, position: item.order, ..row });
            let from = self.definition.connections[connection].from;
            match batches.iter_mut().find(|(it, writes, _)| *it == from && writes.len() < TOGETHER) {
                Some((_, writes, all)) => {
                    writes.push(write);
                    all.push(kept);
                }
                None => batches.push((from, vec![write], vec![kept])),
            }
        }
        if let Inboxes::Owner(owner) = &mut self.inboxes {
            owner.adoptions += batches.len();
            let is_full = |connection: &usize| full[*connection];
            let held = |connection: usize| (connection, self.machine.queue(connection).len());
            owner.full = (0..full.len()).filter(is_full).map(held).collect();
        }
        for (component, writes, kept) in batches {
            let accepted = Some((component, writes));
            self.pending.push(Pending { accepted, is_adopted: true, ..Pending::of(kept, None) });
        }
    }

    /// An item was taken out of an inbox, or could not be: the next look is due where none are left.
    pub(in crate::flow) fn adopted_some(&mut self, now: Now) {
        if let Inboxes::Owner(owner) = &mut self.inboxes {
            owner.adoptions = owner.adoptions.saturating_sub(1);
            if std::mem::take(&mut owner.looks_again) {
                owner.look_at = now.mono_ms;
            }
            // Those that were full of it may have more.
            owner.look_at = owner.look_at.min(now.mono_ms + LOOK_EVERY_MS / 10);
        }
    }

    /// When it is to look after inboxes next.
    pub(super) fn looks_at(&self) -> Option<i64> {
        match &self.inboxes {
            Inboxes::Owner(it) if !it.is_looking && it.adoptions == 0 => Some(it.look_at),
            Inboxes::Branch(it) if !it.is_looking => Some(it.look_at),
            Inboxes::None | Inboxes::Owner(_) | Inboxes::Branch(_) => None,
        }
    }

    /// Whether other nodes run a component, too.
    pub(in crate::flow) fn is_elsewhere(&self, component: &str) -> bool {
        matches!(self.inboxes, Inboxes::Owner(_)) && self.definition.on_every_node().any(|it| it == component)
    }

    /// What other nodes say of a component.
    pub(in crate::flow) fn elsewhere(&self, component: &str) -> Vec<AtNode> {
        let Inboxes::Owner(owner) = &self.inboxes else { return Vec::new() };
        owner.nodes.iter().filter(|(name, _)| name == component).map(|(_, it)| it.clone()).collect()
    }
}

/// Ids of what waits, for those who compare.
pub(super) fn ids(all: &[i64]) -> Vec<ItemId> {
    all.iter().map(|id| ItemId(*id)).collect()
}
