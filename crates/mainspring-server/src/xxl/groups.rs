//! Numbers of apps: what XXL-JOB calls the id of a group.

use mainspring_store::{Document, DocumentExpect};

use super::apps::{self, AppRow};
use super::told::{Told, said};
use crate::app::App;

/// The kind of the documents that say which app has a number.
const KIND: &str = "xxl_group";
/// How often an app is written again that others change meanwhile.
const TRIES: usize = 20;

/// The number of an app. One is given when it is asked for first, and stays.
pub(super) async fn number(app: &App, row: &AppRow) -> Told<i64> {
    if let Some(number) = row.kept.number {
        return Ok(i64::from(number));
    }
    let (store, now) = (app.control().store(), app.now());
    let name = &row.name;
    for _ in 0..TRIES {
        let found = apps::find(&**store, name, now).await.map_err(said)?;
        let mut row = found.ok_or_else(|| format!("the app {name} is there no more"))?;
        if let Some(number) = row.kept.number {
            return Ok(i64::from(number));
        }
        let number = free(app, name).await?;
        row.kept.number = Some(number);
        if apps::put(&**store, &row, now).await.map_err(said)?.is_some() {
            app.xxl.apps_changed();
            return Ok(i64::from(number));
        }
    }
    Err(format!("the app {name} is changed by others all the time"))
}

/// A number that no other app has or had: numbers of deleted ones are in people's scripts.
async fn free(app: &App, name: &str) -> Told<u32> {
    let (store, now) = (app.control().store(), app.now());
    for number in 1..=10 * apps::APPS_MAX {
        let document = Document {
            kind: KIND.to_owned(),
            name: number.to_string(),
            body: name.to_owned(),
            version: 0,
            at: now,
            expires_at: None,
        };
        if store.put_document(document, DocumentExpect::Absent).await.map_err(said)?.is_some() {
            return Ok(number);
        }
        let there = store.document(KIND, &number.to_string(), now).await.map_err(said)?;
        if there.is_some_and(|document| document.body == name) {
            return Ok(number);
        }
    }
    Err("no number is free for an app".to_owned())
}

/// The app of a number.
pub(super) async fn of_number(app: &App, number: i64) -> Told<AppRow> {
    let (store, now) = (app.control().store(), app.now());
    let rows = apps::all(&**store, now).await.map_err(said)?;
    for row in rows {
        if self::number(app, &row).await? == number {
            return Ok(row);
        }
    }
    Err(format!("there is no executor group {number}"))
}
