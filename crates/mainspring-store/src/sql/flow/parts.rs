//! Payloads that are too large for the row of their item: in parts beside it, written and removed in the transactions of the row.
//!
//! A row that a move, a penalty or a retry changes is small then, and so is what a node reads of a flow that it takes.

use mainspring_core::output::{INLINE_MAX, PART_BYTES};

use crate::flow::{ItemContent, ItemRow};
use crate::sql::db::{Db, Step, ToSql, execute, read, read_one, sql};

static NOTHING: Vec<u8> = Vec::new();

/// What stands in the row of an item: its payload, or nothing where that is kept in parts.
pub(super) fn in_row(content: &ItemContent) -> &Vec<u8> {
    if content.payload.len() > INLINE_MAX { &NOTHING } else { &content.payload }
}

/// Adds the parts of an item, if its payload does not stand in the row.
pub(super) fn put(db: &dyn Db, flow: i64, item: i64, content: &ItemContent) -> Step<()> {
    if content.payload.len() <= INLINE_MAX {
        return Ok(());
    }
    for (part, bytes) in (0_i64..).zip(content.payload.chunks(PART_BYTES)) {
        let bytes = bytes.to_vec();
        let values: [(&str, &dyn ToSql); 4] =
            [(":flow", &flow), (":item", &item), (":part", &part), (":bytes", &bytes)];
        db.post(sql!("flow_item_part_put", mysql), &values, None)?;
    }
    Ok(())
}

/// Puts other parts in the place of those of an item.
pub(super) fn replace(db: &dyn Db, flow: i64, item: i64, content: &ItemContent) -> Step<()> {
    db.post(sql!("flow_item_parts_remove"), &[(":flow", &flow), (":item", &item)], None)?;
    put(db, flow, item, content)
}

/// Lets the parts of an item follow it to another id, if it is so large that it may have some.
pub(super) fn adopt(db: &dyn Db, flow: i64, before: i64, row: &ItemRow) -> Step<()> {
    if row.bytes > INLINE_MAX as i64 {
        let values: [(&str, &dyn ToSql); 3] = [(":id", &row.id), (":flow", &flow), (":before", &before)];
        db.post(sql!("flow_item_parts_adopt"), &values, None)?;
    }
    Ok(())
}

/// Removes all parts of a flow.
pub(super) fn remove_all(db: &dyn Db, flow: i64) -> Step<()> {
    execute(db, sql!("flow_parts_remove"), &[(":id", &flow)])?;
    Ok(())
}

/// What an item holds, from its row and its parts as one statement sees them.
pub(super) fn content(db: &dyn Db, flow: i64, item: i64) -> Step<Option<ItemContent>> {
    let mut found = None;
    read(db, sql!("flow_item_content"), &[(":flow", &flow), (":id", &item)], |row| {
        if found.is_none() {
            found = Some(ItemContent { attributes: row.get(0)?, payload: row.get(1)? });
        }
        let part: Option<Vec<u8>> = row.get(2)?;
        if let Some((content, part)) = found.as_mut().zip(part) {
            content.payload.extend(part);
        }
        Ok(())
    })?;
    Ok(found)
}

/// What an item holds, with the first bytes of its payload.
pub(super) fn begin(db: &dyn Db, flow: i64, item: i64) -> Step<Option<ItemContent>> {
    read_one(db, sql!("flow_item_begin"), &[(":flow", &flow), (":id", &item)], |row| {
        // SQLite has no part of nothing.
        let (inline, part): (Option<Vec<u8>>, Option<Vec<u8>>) = (row.get(1)?, row.get(2)?);
        Ok(ItemContent { attributes: row.get(0)?, payload: part.or(inline).unwrap_or_default() })
    })
}
