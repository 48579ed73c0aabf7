//! Flows and the items in their queues.

mod inbox;
mod parts;

use async_trait::async_trait;
use mainspring_core::Timestamp;

use super::Batches;
use super::backend::{Backend, Lane, ReadLane};
use super::db::{Db, Row, Step, ToSql, execute, instant, maybe_instant, millis, read, read_one, read_page, sql};
use super::session::Session;
use crate::error::{Error, Result};
use crate::flow::{FlowMinute, FlowRow, FlowStore, FlowWrite, ItemContent, ItemRow, ItemWrite, check_payloads};

#[async_trait]
impl<B: Backend> FlowStore for B {
    async fn save_flow(&self, flow: FlowWrite) -> Result<FlowRow> {
        self.deed("save a flow", move |s| save(s, &flow)).await
    }

    async fn flow(&self, namespace: &str, name: &str) -> Result<Option<FlowRow>> {
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        self.read(ReadLane::Requests, "read a flow", move |db| get(db, &namespace, &name)).await
    }

    async fn flows(&self) -> Result<Vec<FlowRow>> {
        self.read(ReadLane::Engine, "list flows", |db| read(db, sql!("flows"), &[], row)).await
    }

    async fn set_flow_states(&self, id: i64, version: i64, states: &str) -> Result<i64> {
        let states = states.to_owned();
        self.write(Lane::Api, "set states of a flow", move |s| set_states(s, id, version, &states)).await
    }

    async fn delete_flow(&self, id: i64, version: i64) -> Result<bool> {
        self.write(Lane::Api, "delete a flow", move |s| {
            let values: [(&str, &dyn ToSql); 2] = [(":id", &id), (":version", &version)];
            if execute(&s.connection, sql!("flow_remove"), &values)? == 0 {
                return Ok(false);
            }
            execute(&s.connection, sql!("flow_items_remove"), &[(":id", &id)])?;
            parts::remove_all(&s.connection, id)?;
            execute(&s.connection, sql!("flow_minutes_remove"), &[(":id", &id)])?;
            execute(&s.connection, sql!("flow_inboxes_remove"), &[(":id", &id)])?;
            Ok(true)
        })
        .await
    }

    async fn take_flow(&self, id: i64) -> Result<Option<i64>> {
        self.write(Lane::Claim, "take a flow", move |s| {
            let flow: [(&str, &dyn ToSql); 1] = [(":id", &id)];
            if execute(&s.connection, sql!("flow_take"), &flow)? == 0 {
                return Ok(None);
            }
            read_one(&s.connection, sql!("flow_epoch"), &flow, |row| row.get(0))
        })
        .await
    }

    async fn items(&self, flow: i64, after: i64, limit: u32) -> Result<Vec<ItemRow>> {
        self.read(ReadLane::Engine, "read items of a flow", move |db| {
            read_page(db, sql!("flow_items"), &[(":flow", &flow), (":after", &after)], limit, item)
        })
        .await
    }

    async fn item_content(&self, flow: i64, id: i64) -> Result<Option<ItemContent>> {
        self.read(ReadLane::Engine, "read an item", move |db| parts::content(db, flow, id)).await
    }

    async fn item_begin(&self, flow: i64, id: i64) -> Result<Option<ItemContent>> {
        self.read(ReadLane::Requests, "read the begin of an item", move |db| parts::begin(db, flow, id)).await
    }

    async fn write_items(&self, flow: i64, epoch: i64, writes: Vec<ItemWrite>) -> Result<bool> {
        check_payloads(&writes)?;
        self.write(Lane::Complete, "write items of a flow", move |s| {
            // There is room again where these were.
            s.stirs = writes.iter().any(|write| matches!(write, ItemWrite::Adopt(..)));
            write(s, flow, epoch, &writes)
        })
        .await
    }

    async fn put_flow_minute(&self, flow: i64, minute: FlowMinute, forget_before: Timestamp) -> Result<bool> {
        self.write(Lane::Complete, "keep figures of a flow", move |s| put_minute(s, flow, &minute, forget_before)).await
    }

    async fn flow_minutes(&self, flow: i64, from: Timestamp, until: Timestamp) -> Result<Vec<FlowMinute>> {
        self.read(ReadLane::Requests, "read figures of a flow", move |db| {
            let (from, until) = (from.as_millis(), until.as_millis());
            read(db, sql!("flow_minutes"), &[(":flow", &flow), (":after", &from), (":before", &until)], |row| {
                Ok(FlowMinute { at: instant(row, 0)?, epoch: row.get(1)?, figures: row.get(2)? })
            })
        })
        .await
    }
}

fn put_minute(session: &Session<impl Batches>, flow: i64, minute: &FlowMinute, forget_before: Timestamp) -> Step<bool> {
    let db = &session.connection;
    let FlowMinute { at, epoch, figures } = minute;
    if execute(db, sql!("flow_fence"), &[(":id", &flow), (":epoch", epoch)])? == 0 {
        return Ok(false);
    }
    let (at, before) = (at.as_millis(), forget_before.as_millis());
    let values: [(&str, &dyn ToSql); 4] = [(":flow", &flow), (":at", &at), (":epoch", epoch), (":figures", figures)];
    execute(db, sql!("flow_minute_put", mysql), &values)?;
    execute(db, sql!("flow_minute_forget"), &[(":flow", &flow), (":before", &before)])?;
    Ok(true)
}

fn save(session: &Session<impl Batches>, flow: &FlowWrite) -> Step<FlowRow> {
    let db = &session.connection;
    let found = get(db, &flow.namespace, &flow.name)?;
    let there = found.as_ref().map(|found| found.version);
    let changed = found.filter(|found| found.definition != flow.definition);
    if there != flow.expect {
        return Err(conflict(&flow.namespace, &flow.name, there, flow.expect).into());
    }
    let at = flow.at.as_millis();
    let version = there.unwrap_or(0) + 1;
    let values: [(&str, &dyn ToSql); 7] = [
        (":definition", &flow.definition),
        (":source", &flow.source),
        (":states", &flow.states),
        (":version", &version),
        (":at", &at),
        (":namespace", &flow.namespace),
        (":name", &flow.name),
    ];
    let count = match there {
        None => execute(db, sql!("flow_add", mysql), &values)?,
        Some(before) => execute(db, sql!("flow_set"), &[&values[..], &[(":before", &before)]].concat())?,
    };
    if count == 0 {
        return Err(conflict(&flow.namespace, &flow.name, None, flow.expect).into());
    }
    match (changed, &flow.touched) {
        (None, _) => {}
        (Some(changed), None) => {
            execute(db, sql!("flow_inboxes_close"), &[(":flow", &changed.id)])?;
        }
        (Some(changed), Some(touched)) => inbox::close(db, changed.id, touched)?,
    }
    get(db, &flow.namespace, &flow.name)?.ok_or_else(|| conflict(&flow.namespace, &flow.name, None, None).into())
}

fn conflict(namespace: &str, name: &str, there: Option<i64>, expected: Option<i64>) -> Error {
    let why = match (there, expected) {
        (None, Some(_)) => "is not there any more".to_owned(),
        (Some(there), Some(expected)) => format!("is at version {there}, not {expected}"),
        (_, None) => "is there already".to_owned(),
    };
    Error::Conflict { what: "flow", key: format!("{namespace}/{name}"), why }
}

fn get(db: &dyn Db, namespace: &str, name: &str) -> Step<Option<FlowRow>> {
    read_one(db, sql!("flow"), &[(":namespace", &namespace), (":name", &name)], row)
}

fn set_states(session: &Session<impl Batches>, id: i64, version: i64, states: &str) -> Step<i64> {
    let next = version + 1;
    let values: [(&str, &dyn ToSql); 4] =
        [(":states", &states), (":version", &next), (":id", &id), (":before", &version)];
    if execute(&session.connection, sql!("flow_states"), &values)? == 0 {
        let why = format!("is not at version {version} any more");
        return Err(Error::Conflict { what: "flow", key: id.to_string(), why }.into());
    }
    Ok(next)
}

fn write(session: &Session<impl Batches>, flow: i64, epoch: i64, writes: &[ItemWrite]) -> Step<bool> {
    let db = &session.connection;
    if execute(db, sql!("flow_fence"), &[(":id", &flow), (":epoch", &epoch)])? == 0 {
        return Ok(false);
    }
    apply(db, flow, writes)?;
    Ok(true)
}

/// Carries out writes within a transaction that may.
fn apply(db: &dyn Db, flow: i64, writes: &[ItemWrite]) -> Step<()> {
    for write in writes {
        match write {
            ItemWrite::Insert(row, content) => {
                let columns = values(&flow, row);
                let all = [&columns.each()[..], &content_of(content)].concat();
                db.post(sql!("flow_item_add", mysql), &all, None)?;
                parts::put(db, flow, row.id, content)?;
            }
            ItemWrite::Update(row, content) => {
                db.post(sql!("flow_item_set"), &values(&flow, row).each(), None)?;
                if let Some(content) = content {
                    let this: [(&str, &dyn ToSql); 2] = [(":flow", &flow), (":id", &row.id)];
                    db.post(sql!("flow_item_fill"), &[&content_of(content)[..], &this].concat(), None)?;
                    parts::replace(db, flow, row.id, content)?;
                }
            }
            ItemWrite::Adopt(before, row) => adopt(db, flow, *before, row)?,
            ItemWrite::Remove(id) => {
                db.post(sql!("flow_item_remove", postgres, mysql), &[(":flow", &flow), (":id", id)], None)?;
            }
        }
    }
    Ok(())
}

fn adopt(db: &dyn Db, flow: i64, before: i64, row: &ItemRow) -> Step<()> {
    let values: [(&str, &dyn ToSql); 4] =
        [(":id", &row.id), (":position", &row.position), (":flow", &flow), (":before", &before)];
    db.post(sql!("flow_item_adopt"), &values, None)?;
    parts::adopt(db, flow, before, row)
}

/// Values of an item's columns.
struct Columns<'a> {
    flow: &'a i64,
    row: &'a ItemRow,
    entered_at: i64,
    lineage_at: i64,
    penalty_until: Option<i64>,
}

fn values<'a>(flow: &'a i64, row: &'a ItemRow) -> Columns<'a> {
    let (entered_at, lineage_at) = (row.entered_at.as_millis(), row.lineage_at.as_millis());
    Columns { flow, row, entered_at, lineage_at, penalty_until: millis(row.penalty_until) }
}

impl Columns<'_> {
    fn each(&self) -> [(&str, &dyn ToSql); 10] {
        [
            (":connection_id", &self.row.connection),
            (":position", &self.row.position),
            (":entered_at", &self.entered_at),
            (":lineage_at", &self.lineage_at),
            (":penalty_until", &self.penalty_until),
            (":retries", &self.row.retries),
            (":bytes", &self.row.bytes),
            (":priority", &self.row.priority),
            (":flow", self.flow),
            (":id", &self.row.id),
        ]
    }
}

fn content_of(content: &ItemContent) -> [(&str, &dyn ToSql); 2] {
    [(":attributes", &content.attributes), (":payload", parts::in_row(content))]
}

fn row(row: &Row<'_>) -> Step<FlowRow> {
    Ok(FlowRow {
        id: row.get(0)?,
        namespace: row.get(1)?,
        name: row.get(2)?,
        definition: row.get(3)?,
        source: row.get(4)?,
        states: row.get(5)?,
        version: row.get(6)?,
        epoch: row.get(7)?,
        saved_at: instant(row, 8)?,
    })
}

fn item(row: &Row<'_>) -> Step<ItemRow> {
    Ok(ItemRow {
        id: row.get(0)?,
        connection: row.get(1)?,
        position: row.get(2)?,
        entered_at: instant(row, 3)?,
        lineage_at: instant(row, 4)?,
        penalty_until: maybe_instant(row, 5)?,
        retries: row.get(6)?,
        bytes: row.get(7)?,
        priority: row.get(8)?,
    })
}
