//! Flows that are changed while they are at work.

use std::sync::Arc;

use mainspring_core::flow::{Definition, Flow};
use mainspring_store::FlowRow;

use super::super::validity::{Lacks, lacks, with_needs};
use super::reading::compile;
use super::{Inbox, Unread, Works};

impl Works {
    /// Reads what a flow that is at work is to be.
    pub(super) fn compile(&mut self, row: FlowRow) {
        self.loading.insert(row.id, row.version);
        let (tools, store, inbox) = (self.tools.clone(), Arc::clone(&self.store), self.inbox.0.clone());
        self.tasks.start(async move {
            let compiled = match compile(&row) {
                Ok((definition, flow)) => {
                    let lacks = lacks(&tools, &*store, &row.namespace, with_needs(&definition)).await;
                    Ok(Box::new((definition, flow, lacks)))
                }
                Err(unread) => Err(unread),
            };
            let _ = inbox.send(Inbox::Compiled(Box::new(row), compiled));
        });
    }

    /// Changes a flow: what the edit does not touch goes on. Where something that it touches is at work, the flow is read anew; bodies
    /// are ended then, and their items delivered again. People are told before that they have to stop it.
    pub(super) fn compiled(&mut self, row: FlowRow, compiled: Result<Box<(Definition, Flow, Lacks)>, Unread>) {
        let (id, now) = (row.id, self.now());
        self.loading.remove(&id);
        let ours = self.flows.get_mut(&id).filter(|it| row.epoch <= it.epoch);
        // Where it is not this node's any more, the next list says whose it is.
        let Some(running) = ours else { return self.settled() };
        match compiled {
            Ok(to) => {
                // What goes is counted to its end.
                self.meter.look(id, &running.at_work());
                if running.edit(&row, *to, &mut self.pools, now) {
                    running.touch(&self.changes);
                    return self.settled();
                }
                let due = self.give_up(id);
                self.load(row, due);
            }
            Err(unread) => {
                if let Some(due) = self.give_up(id) {
                    let store = Arc::clone(&self.store);
                    self.tasks.start(async move { due.keep(store.flow_store()).await });
                }
                self.loading.insert(id, row.version);
                self.loaded(id, Err(unread));
            }
        }
    }
}
