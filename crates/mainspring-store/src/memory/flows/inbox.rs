//! Inboxes of flows.

use std::collections::BTreeMap;

use async_trait::async_trait;
use mainspring_core::flow::inbox_ids;

use super::Kept;
use crate::error::Result;
use crate::flow::inbox::{InboxRow, InboxStore, before, last_of};
use crate::flow::{ItemRow, ItemWrite, check_payloads};
use crate::memory::MemoryStore;
use crate::memory::model::Model;

/// Inboxes of a flow by number, each with the last id that was put into it.
#[derive(Clone, Debug, Default)]
pub(super) struct Inboxes {
    last: i64,
    inboxes: BTreeMap<i64, (InboxRow, i64)>,
}

impl Inboxes {
    /// Closes those that are meant.
    pub(super) fn close(&mut self, is_meant: impl Fn(&InboxRow) -> bool) {
        for (row, _) in self.inboxes.values_mut().filter(|(row, _)| is_meant(row)) {
            row.is_open = false;
        }
    }
}

impl Kept {
    fn waiting(&self, number: i64) -> impl Iterator<Item = &ItemRow> {
        self.items.range(inbox_ids(number)).map(|(_, (row, _))| row)
    }
}

fn kept(model: &mut Model, flow: i64) -> Option<&mut Kept> {
    model.flows.flows.get_mut(&flow)
}

#[async_trait]
impl InboxStore for MemoryStore {
    async fn open_inbox(&self, flow: i64, version: i64, node: &str, component: &str) -> Result<Option<i64>> {
        let mut model = self.model()?;
        let Some(kept) = kept(&mut model, flow).filter(|kept| kept.row.version == version) else { return Ok(None) };
        kept.inboxes.last += 1;
        let number = kept.inboxes.last;
        let (node, component) = (node.to_owned(), component.to_owned());
        let row = InboxRow { number, node, component, is_open: true, report: String::new() };
        kept.inboxes.inboxes.insert(number, (row, before(number)));
        Ok(Some(number))
    }

    async fn write_inbox(&self, flow: i64, number: i64, writes: Vec<ItemWrite>) -> Result<bool> {
        check_payloads(&writes)?;
        let Some(new) = last_of(&writes) else { return Ok(true) };
        let mut model = self.model()?;
        let Some(kept) = kept(&mut model, flow) else { return Ok(false) };
        match kept.inboxes.inboxes.get_mut(&number) {
            None => Ok(false),
            Some((_, last)) if *last >= new => Ok(true),
            Some((row, _)) if !row.is_open => Ok(false),
            Some((_, last)) => {
                *last = new;
                kept.apply(writes);
                self.stirred.send_modify(|count| *count += 1);
                Ok(true)
            }
        }
    }

    async fn waiting_items(&self, flow: i64, number: i64) -> Result<Option<Vec<i64>>> {
        let mut model = self.model()?;
        let Some(kept) = kept(&mut model, flow) else { return Ok(None) };
        let is_open = kept.inboxes.inboxes.get(&number).is_some_and(|(row, _)| row.is_open);
        Ok(is_open.then(|| kept.waiting(number).map(|row| row.id).collect()))
    }

    async fn report_inbox(&self, flow: i64, number: i64, report: &str) -> Result<()> {
        let mut model = self.model()?;
        if let Some((row, _)) = kept(&mut model, flow).and_then(|kept| kept.inboxes.inboxes.get_mut(&number)) {
            report.clone_into(&mut row.report);
        }
        Ok(())
    }

    async fn inboxes(&self, flow: i64, limit: u32) -> Result<Vec<(InboxRow, Vec<ItemRow>)>> {
        let mut model = self.model()?;
        let Some(kept) = kept(&mut model, flow) else { return Ok(Vec::new()) };
        let first = |number: i64| kept.waiting(number).take(limit as usize).cloned().collect();
        Ok(kept.inboxes.inboxes.values().map(|(row, _)| (row.clone(), first(row.number))).collect())
    }

    async fn close_inboxes(&self, flow: i64, components: Vec<String>) -> Result<()> {
        let mut model = self.model()?;
        if let Some(kept) = kept(&mut model, flow) {
            kept.inboxes.close(|row| components.contains(&row.component));
        }
        Ok(())
    }

    async fn end_inbox(&self, flow: i64, number: i64) -> Result<bool> {
        let mut model = self.model()?;
        let Some(kept) = kept(&mut model, flow) else { return Ok(true) };
        kept.inboxes.close(|row| row.number == number);
        let is_empty = kept.waiting(number).next().is_none();
        if is_empty {
            kept.inboxes.inboxes.remove(&number);
        }
        Ok(is_empty)
    }
}
