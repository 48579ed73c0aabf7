//! Components that run on every node: this one's part of flows that others own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mainspring_core::cluster::{Shard, Standing};
use mainspring_core::flow::{Definition, Now, Pools};
use mainspring_core::shard_of;
use mainspring_store::{FlowRow, Result, causes};

use super::super::branch::{self, AtNode, Branch, Inboxes};
use super::super::running::{Loaded, Running};
use super::super::validity::{Lacks, lacks, with_needs};
use super::inboxes::ids;
use super::{Inbox, LOOK_EVERY_MS as LIST_EVERY_MS, Works};

/// A component that is to run here, of a flow that another node owns.
type Wanted = (i64, String);

/// A branch for which an inbox is being opened.
pub(super) struct Opening {
    row: FlowRow,
    component: String,
    me: String,
    /// What the component lacks on this node.
    lacks: Lacks,
}

/// Branches that there are to be.
#[derive(Default)]
pub(super) struct Branches {
    /// Components that run on every node with their branches as texts, of flows with such in this definition.
    read: BTreeMap<i64, (String, Vec<(String, String)>)>,
    /// Those whose inbox is being opened.
    opening: BTreeSet<Wanted>,
    /// Counts branches, for their keys.
    count: i64,
}

impl Branches {
    /// Components of a flow that run on every node, and what their branches are.
    fn of(&mut self, row: &FlowRow) -> &[(String, String)] {
        let is_same = self.read.get(&row.id).is_some_and(|(definition, _)| *definition == row.definition);
        if !is_same {
            let read = serde_json::from_str::<Definition>(&row.definition);
            let branch = |it: &Definition, name: &str| Some((name.to_owned(), text(&it.branch(name)?)));
            let branches = read.map(|it| it.on_every_node().filter_map(|name| branch(&it, name)).collect());
            self.read.insert(row.id, (row.definition.clone(), branches.unwrap_or_default()));
        }
        &self.read[&row.id].1
    }
}

impl Works {
    /// Runs the components of flows of other nodes that are to run on every node, as these flows are now.
    pub(super) fn follow(&mut self, mut others: Vec<FlowRow>) {
        let status = self.status.borrow().clone();
        let Some(status) = status.filter(|status| status.abandoned.is_none()) else { return };
        let (me, drains, now) = (status.incarnation.to_string(), status.standing == Standing::Draining, self.now());
        // Flows of its own that it may not act on now are no others'.
        others.retain(|row| !status.owned.contains(Shard(shard_of(&row.namespace, &row.name))));
        self.branches.read.retain(|id, _| others.iter().any(|row| row.id == *id));
        let mut kept = Vec::new();
        for row in others {
            let wanted = self.branches.of(&row).to_vec();
            for (component, branch) in wanted {
                let there = self.flows.range_mut(..0).find(|(_, it)| it.is_branch(row.id, &branch, &me));
                if let Some((key, running)) = there {
                    kept.push(*key);
                    running.row = row.clone();
                    running.obey(drains, &mut self.pools, now);
                } else if !drains && is_to_run(&row, &component) {
                    self.open(row.clone(), component, me.clone());
                }
            }
        }
        let over: Vec<i64> = self.flows.range(..0).map(|(key, _)| *key).filter(|key| !kept.contains(key)).collect();
        over.into_iter().for_each(|key| self.end_branch(key));
    }

    fn open(&mut self, row: FlowRow, component: String, me: String) {
        if !self.branches.opening.insert((row.id, component.clone())) {
            return;
        }
        let (tools, store, inbox) = (self.tools.clone(), Arc::clone(&self.store), self.inbox.0.clone());
        self.tasks.start(async move {
            let opened = store.inbox_store().open_inbox(row.id, row.version, &me, &component).await;
            let whole = serde_json::from_str::<Definition>(&row.definition).ok();
            let bodies = whole.and_then(|it| it.branch(&component)).map(|it| with_needs(&it)).unwrap_or_default();
            let lacks = lacks(&tools, &*store, &row.namespace, bodies).await;
            let _ = inbox.send(Inbox::Opened(Box::new(Opening { row, component, me, lacks }), opened));
        });
    }

    /// Hears that an inbox is open. One for which there is no use any more is ended by the next list.
    pub(super) fn opened(&mut self, opening: Opening, opened: Result<Option<i64>>) {
        let Opening { row, component, me, lacks } = opening;
        self.branches.opening.remove(&(row.id, component.clone()));
        let number = match opened {
            // The flow has come to this node meanwhile.
            Ok(Some(number)) if self.flows.contains_key(&row.id) => return self.end_inbox(row.id, number),
            Ok(Some(number)) => number,
            // The flow has changed: the next list knows how.
            Ok(None) => return,
            Err(error) => {
                tracing::warn!(flow = row.name, error = %causes(&error), "an inbox could not be opened; trying again");
                return;
            }
        };
        let read = serde_json::from_str::<Definition>(&row.definition).ok();
        let Some(definition) = read.and_then(|it| it.branch(&component)) else { return };
        let Ok(flow) = definition.compile() else { return };
        let (epoch, now) = (row.epoch, self.now());
        self.branches.count += 1;
        self.generations += 1;
        let key = -self.branches.count;
        let reported = AtNode::default();
        let text = text(&definition);
        let look_at = now.mono_ms;
        let branch = Branch { number, node: me, text, is_looking: false, look_at, looks_again: false, reported };
        let inboxes = Inboxes::Branch(branch);
        let loaded = Loaded { row, epoch, inboxes, definition, flow, items: Vec::new(), lacks };
        let idle = self.tools.idle_check;
        self.flows.insert(key, Running::new(key, loaded, idle, self.generations, &mut self.pools, now));
    }

    /// Gives a branch up. What its bodies have made waits for the owner.
    pub(super) fn end_branch(&mut self, key: i64) {
        let Some(running) = self.flows.get(&key) else { return };
        let (flow, number) = (running.row.id, running.branch().map(|it| it.number));
        drop(self.give_up(key));
        number.into_iter().for_each(|number| self.end_inbox(flow, number));
    }

    /// Looks what is left in inboxes that are filled here, and says how their components are.
    pub(super) fn look_after_branches(&mut self, now: Now) {
        for (key, running) in self.flows.range_mut(..0) {
            let Inboxes::Branch(it) = &mut running.inboxes else { continue };
            if it.is_looking || now.mono_ms < it.look_at {
                continue;
            }
            it.is_looking = true;
            let waiting = branch::waiting(&running.machine);
            it.look_at = now.mono_ms + if waiting.is_empty() { LIST_EVERY_MS } else { self.tools.inbox_look_ms };
            let said = AtNode::of(&it.node, &running.machine, 0, &self.pools, now);
            let said = AtNode { waiting: waiting.len() as u64, ..said };
            let is_news = said != it.reported;
            it.reported.clone_from(&said);
            let (key, generation, flow, number) = (*key, running.generation, running.row.id, it.number);
            let (store, inbox) = (Arc::clone(&self.store), self.inbox.0.clone());
            self.tasks.start(async move {
                let store = store.inbox_store();
                let left = store.waiting_items(flow, number).await;
                if is_news && matches!(left, Ok(Some(_))) {
                    let report = serde_json::to_string(&said).expect("plain data has a text");
                    if let Err(error) = store.report_inbox(flow, number, &report).await {
                        tracing::debug!(flow, error = %causes(&error), "a node could not say how a component is");
                    }
                }
                // What was put in meanwhile is not missed.
                let gone = |left: Vec<i64>| waiting.into_iter().filter(|id| left.binary_search(id).is_err()).collect();
                let _ = inbox.send(Inbox::Left(key, generation, left.map(|left| left.map(gone))));
            });
        }
    }

    /// Hears which items the owner has taken: there is room in their place. `None`: the inbox is closed.
    pub(super) fn left(&mut self, key: i64, generation: u64, gone: Result<Option<Vec<i64>>>) {
        let now = self.now();
        let Some(running) = self.flows.get_mut(&key).filter(|it| it.generation == generation) else { return };
        let Inboxes::Branch(it) = &mut running.inboxes else { return };
        it.is_looking = false;
        if std::mem::take(&mut it.looks_again) {
            it.look_at = now.mono_ms;
        }
        match gone {
            Ok(Some(gone)) if gone.is_empty() => {}
            Ok(Some(gone)) => {
                let gone = ids(&gone);
                for connection in 0..running.definition.connections.len() {
                    running.machine.drop_items(connection, Some(&gone), &mut self.pools, now);
                }
            }
            Ok(None) => {
                self.end_branch(key);
                self.list();
            }
            Err(error) => tracing::debug!(error = %causes(&error), "an inbox could not be read; trying again"),
        }
    }
}

fn text(branch: &Definition) -> String {
    serde_json::to_string(branch).expect("a definition is plain data")
}

/// Whether a component is meant to run.
fn is_to_run(row: &FlowRow, component: &str) -> bool {
    let states: BTreeMap<String, String> = serde_json::from_str(&row.states).unwrap_or_default();
    states.get(component).is_some_and(|state| state == "running")
}

impl Running {
    pub(in crate::flow) const fn branch(&self) -> Option<&Branch> {
        match &self.inboxes {
            Inboxes::Branch(branch) => Some(branch),
            Inboxes::None | Inboxes::Owner(_) => None,
        }
    }

    /// Whether it is this branch of a flow, at a node. What else has changed in the flow is none of its business.
    fn is_branch(&self, flow: i64, text: &str, node: &str) -> bool {
        self.row.id == flow && self.branch().is_some_and(|it| it.text == text && it.node == node)
    }

    /// Starts or stops the component of a branch, as the flow says by now.
    fn obey(&mut self, drains: bool, pools: &mut Pools, now: Now) {
        let is_to_run = !drains && is_to_run(&self.row, &self.definition.parts[0].component.name);
        match (is_to_run, self.machine.state(0).is_started()) {
            (true, false) => {
                // Where bodies have not ended, the next list tries again.
                let _ = self.machine.start(0, pools, now);
            }
            (false, true) => self.machine.stop(0, pools),
            _ => {}
        }
    }
}
