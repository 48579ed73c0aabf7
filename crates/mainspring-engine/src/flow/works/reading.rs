//! Reading flows: which there are, and what is in those of this node.

use std::collections::BTreeMap;

use mainspring_core::flow::{Definition, Flow};
use mainspring_store::{FlowRow, ItemRow, Store, causes};

use super::super::branch::{Inboxes, Owner};
use super::super::running::Loaded;
use super::super::validity::{lacks, with_needs};
use super::super::{POOLS_SETTING, Tools};
use super::Unread;

/// Items in one read.
const PAGE: u32 = 5_000;

/// Which flows there are, and how large pools are to be.
pub(super) async fn list(store: &dyn Store) -> Result<(Vec<FlowRow>, BTreeMap<String, u32>), mainspring_store::Error> {
    let sizes = store.setting(POOLS_SETTING).await?;
    let sizes = sizes.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    Ok((store.flow_store().flows().await?, sizes))
}

/// Reads what a flow is.
pub(super) fn compile(row: &FlowRow) -> Result<(Definition, Flow), Unread> {
    let definition: Definition = serde_json::from_str(&row.definition)
        .map_err(|error| Unread::Broken(format!("its definition cannot be read: {error}")))?;
    let flow = definition.compile().map_err(|found| {
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        Unread::Broken(found.join("; "))
    })?;
    Ok((definition, flow))
}

/// Takes a flow, and reads its items.
pub(super) async fn read(store: &dyn Store, tools: &Tools, row: FlowRow) -> Result<Option<Box<Loaded>>, Unread> {
    use mainspring_store::Error;

    let failed = |error: Error| match error {
        Error::Unavailable { .. } | Error::TooMuch { .. } => Unread::Store(error),
        error => Unread::Broken(causes(&error)),
    };
    let (definition, flow) = compile(&row)?;
    let Some(epoch) = store.flow_store().take_flow(row.id).await.map_err(failed)? else { return Ok(None) };
    let mut items = Vec::new();
    loop {
        // Below zero are inboxes.
        let after = items.last().map_or(0, |item: &ItemRow| item.id);
        let page = store.flow_store().items(row.id, after, PAGE).await.map_err(failed)?;
        let is_last = page.len() < PAGE as usize;
        items.extend(page);
        if is_last {
            break;
        }
    }
    // Items may wait that were made when components ran elsewhere.
    let is_filled =
        store.cluster().is_some() && !store.inbox_store().inboxes(row.id, 0).await.map_err(failed)?.is_empty();
    let has_others = is_filled || definition.on_every_node().next().is_some();
    let inboxes = if has_others { Inboxes::Owner(Owner::default()) } else { Inboxes::None };
    let lacks = lacks(tools, store, &row.namespace, with_needs(&definition)).await;
    Ok(Some(Box::new(Loaded { row, epoch, inboxes, definition, flow, items, lacks })))
}
