//! Flows and the items in their queues.

mod inbox;

use std::collections::BTreeMap;
use std::ops::Bound;

use async_trait::async_trait;
use mainspring_core::Timestamp;

use super::MemoryStore;
use crate::error::{Error, Result};
use crate::flow::{
    BEGIN_BYTES, FlowMinute, FlowRow, FlowStore, FlowWrite, ItemContent, ItemRow, ItemWrite, check_payloads,
};

/// Flows by number, with their items by id.
#[derive(Clone, Debug, Default)]
pub(super) struct Flows {
    last: i64,
    flows: BTreeMap<i64, Kept>,
}

#[derive(Clone, Debug)]
struct Kept {
    row: FlowRow,
    items: BTreeMap<i64, (ItemRow, ItemContent)>,
    minutes: BTreeMap<(Timestamp, i64), String>,
    inboxes: inbox::Inboxes,
}

impl Kept {
    /// Carries out writes.
    fn apply(&mut self, writes: Vec<ItemWrite>) {
        for write in writes {
            match write {
                ItemWrite::Insert(row, content) => {
                    self.items.entry(row.id).or_insert((row, content));
                }
                ItemWrite::Update(row, content) => {
                    if let Some(there) = self.items.get_mut(&row.id) {
                        there.0 = row;
                        there.1 = content.unwrap_or_else(|| std::mem::take(&mut there.1));
                    }
                }
                ItemWrite::Adopt(before, row) => {
                    if let Some((there, content)) = self.items.remove(&before) {
                        let there = ItemRow { id: row.id, position: row.position, ..there };
                        self.items.insert(row.id, (there, content));
                    }
                }
                ItemWrite::Remove(id) => drop(self.items.remove(&id)),
            }
        }
    }
}

impl Flows {
    fn find(&self, namespace: &str, name: &str) -> Option<&FlowRow> {
        self.flows.values().map(|kept| &kept.row).find(|row| row.namespace == namespace && row.name == name)
    }

    fn save(&mut self, flow: FlowWrite) -> Result<FlowRow> {
        let found = self.find(&flow.namespace, &flow.name).cloned();
        let there = found.as_ref().map(|row| row.version);
        if there != flow.expect {
            let why = format!("is at version {there:?}, not {:?}", flow.expect);
            return Err(Error::Conflict { what: "flow", key: format!("{}/{}", flow.namespace, flow.name), why });
        }
        let (id, epoch) = found.map_or((self.last + 1, 0), |row| (row.id, row.epoch));
        self.last = self.last.max(id);
        let row = FlowRow {
            id,
            namespace: flow.namespace,
            name: flow.name,
            definition: flow.definition,
            source: flow.source,
            states: flow.states,
            version: there.unwrap_or(0) + 1,
            epoch,
            saved_at: flow.at,
        };
        let kept = self.flows.entry(id).or_insert_with(|| Kept {
            row: row.clone(),
            items: BTreeMap::new(),
            minutes: BTreeMap::new(),
            inboxes: inbox::Inboxes::default(),
        });
        if kept.row.definition != row.definition {
            kept.inboxes.close(|inbox| flow.touched.as_ref().is_none_or(|touched| touched.contains(&inbox.component)));
        }
        kept.row = row.clone();
        Ok(row)
    }
}

#[async_trait]
impl FlowStore for MemoryStore {
    async fn save_flow(&self, flow: FlowWrite) -> Result<FlowRow> {
        self.model()?.flows.save(flow)
    }

    async fn flow(&self, namespace: &str, name: &str) -> Result<Option<FlowRow>> {
        Ok(self.model()?.flows.find(namespace, name).cloned())
    }

    async fn flows(&self) -> Result<Vec<FlowRow>> {
        let mut rows: Vec<FlowRow> = self.model()?.flows.flows.values().map(|kept| kept.row.clone()).collect();
        rows.sort_by(|a, b| (&a.namespace, &a.name).cmp(&(&b.namespace, &b.name)));
        Ok(rows)
    }

    async fn set_flow_states(&self, id: i64, version: i64, states: &str) -> Result<i64> {
        let mut model = self.model()?;
        let Some(kept) = model.flows.flows.get_mut(&id).filter(|kept| kept.row.version == version) else {
            let why = format!("is not at version {version} any more");
            return Err(Error::Conflict { what: "flow", key: id.to_string(), why });
        };
        states.clone_into(&mut kept.row.states);
        kept.row.version += 1;
        Ok(kept.row.version)
    }

    async fn delete_flow(&self, id: i64, version: i64) -> Result<bool> {
        let mut model = self.model()?;
        let is_it = model.flows.flows.get(&id).is_some_and(|kept| kept.row.version == version);
        Ok(is_it && model.flows.flows.remove(&id).is_some())
    }

    async fn take_flow(&self, id: i64) -> Result<Option<i64>> {
        let mut model = self.model()?;
        Ok(model.flows.flows.get_mut(&id).map(|kept| {
            kept.row.epoch += 1;
            kept.row.epoch
        }))
    }

    async fn items(&self, flow: i64, after: i64, limit: u32) -> Result<Vec<ItemRow>> {
        let model = self.model()?;
        let Some(kept) = model.flows.flows.get(&flow) else { return Ok(Vec::new()) };
        let rest = kept.items.range((Bound::Excluded(after), Bound::Unbounded));
        Ok(rest.take(limit as usize).map(|(_, (row, _))| row.clone()).collect())
    }

    async fn item_content(&self, flow: i64, id: i64) -> Result<Option<ItemContent>> {
        let model = self.model()?;
        let found = model.flows.flows.get(&flow).and_then(|kept| kept.items.get(&id));
        Ok(found.map(|(_, content)| content.clone()))
    }

    async fn item_begin(&self, flow: i64, id: i64) -> Result<Option<ItemContent>> {
        let mut found = self.item_content(flow, id).await?;
        if let Some(content) = &mut found {
            content.payload.truncate(BEGIN_BYTES);
        }
        Ok(found)
    }

    async fn write_items(&self, flow: i64, epoch: i64, writes: Vec<ItemWrite>) -> Result<bool> {
        check_payloads(&writes)?;
        let mut model = self.model()?;
        let Some(kept) = model.flows.flows.get_mut(&flow).filter(|kept| kept.row.epoch == epoch) else {
            return Ok(false);
        };
        let adopts = writes.iter().any(|write| matches!(write, ItemWrite::Adopt(..)));
        kept.apply(writes);
        if adopts {
            self.stirred.send_modify(|count| *count += 1);
        }
        Ok(true)
    }

    async fn put_flow_minute(&self, flow: i64, minute: FlowMinute, forget_before: Timestamp) -> Result<bool> {
        let mut model = self.model()?;
        let Some(kept) = model.flows.flows.get_mut(&flow).filter(|kept| kept.row.epoch == minute.epoch) else {
            return Ok(false);
        };
        kept.minutes.insert((minute.at, minute.epoch), minute.figures);
        kept.minutes.retain(|(at, _), _| *at >= forget_before);
        Ok(true)
    }

    async fn flow_minutes(&self, flow: i64, from: Timestamp, until: Timestamp) -> Result<Vec<FlowMinute>> {
        let model = self.model()?;
        let Some(kept) = model.flows.flows.get(&flow) else { return Ok(Vec::new()) };
        let minutes = kept.minutes.iter().filter(|((at, _), _)| (from..until).contains(at));
        let row = |((at, epoch), figures): (&(Timestamp, i64), &String)| FlowMinute {
            at: *at,
            epoch: *epoch,
            figures: figures.clone(),
        };
        Ok(minutes.map(row).collect())
    }
}
