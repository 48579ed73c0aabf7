//! Inboxes of flows.

use async_trait::async_trait;
use mainspring_core::flow::inbox_ids;

use super::{apply, item};
use crate::error::Result;
use crate::flow::inbox::{InboxRow, InboxStore, before, last_of};
use crate::flow::{ItemRow, ItemWrite, check_payloads};
use crate::sql::Batches;
use crate::sql::backend::{Backend, Lane, ReadLane};
use crate::sql::db::{Db, Step, ToSql, execute, exists, read, read_one, read_page, sql};
use crate::sql::session::Session;

#[async_trait]
impl<B: Backend> InboxStore for B {
    async fn open_inbox(&self, flow: i64, version: i64, node: &str, component: &str) -> Result<Option<i64>> {
        let (node, component) = (node.to_owned(), component.to_owned());
        self.write(Lane::Claim, "open an inbox of a flow", move |s| open(s, flow, version, &node, &component)).await
    }

    async fn write_inbox(&self, flow: i64, number: i64, writes: Vec<ItemWrite>) -> Result<bool> {
        check_payloads(&writes)?;
        self.write(Lane::Complete, "write items into an inbox", move |s| {
            s.stirs = true;
            write(s, flow, number, &writes)
        })
        .await
    }

    async fn waiting_items(&self, flow: i64, number: i64) -> Result<Option<Vec<i64>>> {
        self.read(ReadLane::Engine, "read ids of an inbox", move |db| {
            if !exists(db, sql!("flow_inbox_is_open"), &[(":flow", &flow), (":number", &number)])? {
                return Ok(None);
            }
            let mut ids: Vec<i64> =
                read(db, sql!("flow_inbox_waiting"), &range(&flow, &inbox_ids(number)), |row| row.get(0))?;
            ids.sort_unstable();
            Ok(Some(ids))
        })
        .await
    }

    async fn report_inbox(&self, flow: i64, number: i64, report: &str) -> Result<()> {
        let report = report.to_owned();
        self.write(Lane::Complete, "report on an inbox", move |s| {
            let values: [(&str, &dyn ToSql); 3] = [(":report", &report), (":flow", &flow), (":number", &number)];
            execute(&s.connection, sql!("flow_inbox_report"), &values)?;
            Ok(())
        })
        .await
    }

    async fn inboxes(&self, flow: i64, limit: u32) -> Result<Vec<(InboxRow, Vec<ItemRow>)>> {
        self.read(ReadLane::Engine, "read inboxes of a flow", move |db| {
            let rows = read(db, sql!("flow_inboxes"), &[(":flow", &flow)], |row| {
                Ok(InboxRow {
                    number: row.get(0)?,
                    node: row.get(1)?,
                    component: row.get(2)?,
                    is_open: row.get(3)?,
                    report: row.get(4)?,
                })
            })?;
            rows.into_iter().map(|row| first_items(db, flow, row.number, limit).map(|items| (row, items))).collect()
        })
        .await
    }

    async fn close_inboxes(&self, flow: i64, components: Vec<String>) -> Result<()> {
        self.deed("close inboxes of a flow", move |s| close(&s.connection, flow, &components)).await
    }

    async fn end_inbox(&self, flow: i64, number: i64) -> Result<bool> {
        self.write(Lane::Complete, "end an inbox of a flow", move |s| {
            let db = &s.connection;
            let this: [(&str, &dyn ToSql); 2] = [(":flow", &flow), (":number", &number)];
            // First, so that what is being written into it is seen.
            execute(db, sql!("flow_inbox_close"), &this)?;
            if exists(db, sql!("flow_inbox_waiting"), &range(&flow, &inbox_ids(number)))? {
                return Ok(false);
            }
            execute(db, sql!("flow_inbox_remove"), &this)?;
            Ok(true)
        })
        .await
    }
}

/// Closes all inboxes of some components.
pub(super) fn close(db: &dyn Db, flow: i64, components: &[String]) -> Step<()> {
    for component in components {
        let values: [(&str, &dyn ToSql); 2] = [(":flow", &flow), (":component", component)];
        execute(db, sql!("flow_inbox_close_of"), &values)?;
    }
    Ok(())
}

fn range<'a>(flow: &'a i64, ids: &'a std::ops::Range<i64>) -> [(&'static str, &'a dyn ToSql); 3] {
    [(":flow", flow), (":from", &ids.start), (":until", &ids.end)]
}

fn open(session: &Session<impl Batches>, flow: i64, version: i64, node: &str, component: &str) -> Step<Option<i64>> {
    let db = &session.connection;
    if execute(db, sql!("flow_inbox_number"), &[(":id", &flow), (":version", &version)])? == 0 {
        return Ok(None);
    }
    let Some(number) = read_one(db, sql!("flow_inbox_numbered"), &[(":id", &flow)], |row| row.get::<i64>(0))? else {
        return Ok(None);
    };
    let last = before(number);
    let values: [(&str, &dyn ToSql); 5] =
        [(":flow", &flow), (":number", &number), (":node", &node), (":component", &component), (":last", &last)];
    execute(db, sql!("flow_inbox_open"), &values)?;
    Ok(Some(number))
}

fn write(session: &Session<impl Batches>, flow: i64, number: i64, writes: &[ItemWrite]) -> Step<bool> {
    let db = &session.connection;
    let Some(last) = last_of(writes) else { return Ok(true) };
    let values: [(&str, &dyn ToSql); 3] = [(":last", &last), (":flow", &flow), (":number", &number)];
    if execute(db, sql!("flow_inbox_fence"), &values)? == 0 {
        // It was kept before if the answer was lost.
        return exists(db, sql!("flow_inbox_had"), &values);
    }
    apply(db, flow, writes)?;
    Ok(true)
}

fn first_items(db: &dyn Db, flow: i64, number: i64, limit: u32) -> Step<Vec<ItemRow>> {
    let ids = inbox_ids(number);
    let after = before(number);
    let mut items = read_page(db, sql!("flow_items"), &[(":flow", &flow), (":after", &after)], limit, item)?;
    items.retain(|item| ids.contains(&item.id));
    Ok(items)
}
