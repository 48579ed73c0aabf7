//! `/jobgroup/…`: apps.

use mainspring_api::{XxlAppChange, XxlAppSpec};
use mainspring_xxl::Fields;
use serde_json::{Value, json};

use super::super::apps::{self, AppRow};
use super::super::groups;
use super::super::jobs;
use super::super::told::{Told, said};
use super::{Content, page, time};
use crate::app::App;
use crate::routes::xxl;

pub(super) async fn serve(app: &App, action: &str, fields: &Fields) -> Told<Content> {
    let none = Content::Value(Value::Null, Vec::new());
    match action {
        "pageList" => return list(app, fields).await,
        "save" => {
            let name = fields.text("appname").unwrap_or_default().to_owned();
            let token = fields.text("accessToken").map(str::to_owned);
            let is_made = token.is_none();
            let (title, addresses) = (title(fields), addresses(fields).unwrap_or_default());
            let spec = XxlAppSpec { name: name.clone(), title, token, addresses, ..XxlAppSpec::default() };
            xxl::make(app, spec).await.map_err(said)?;
            let note = format!("its token is random: mainspring xxl app rotate-token {name} makes one that is shown");
            return Ok(Content::Value(Value::Null, is_made.then_some(note).into_iter().collect()));
        }
        _ => {}
    }
    let id = fields.number("id").or_else(|| fields.number("ids[]")).ok_or_else(|| "id is missing".to_owned())?;
    let row = groups::of_number(app, id).await?;
    match action {
        "loadById" => Ok(Content::Value(shown(app, row).await?, Vec::new())),
        "update" => {
            let change = XxlAppChange { title: title(fields), addresses: addresses(fields), ..XxlAppChange::default() };
            xxl::alter(app, &row.name, change).await.map_err(said)?;
            Ok(none)
        }
        _ => {
            if !jobs::all(&**app.control().store(), Some(&row.name)).await?.is_empty() {
                return Err("it has jobs: delete these first".to_owned());
            }
            xxl::forget(app, &row.name).await.map_err(said)?;
            Ok(none)
        }
    }
}

fn title(fields: &Fields) -> Option<String> {
    fields.text("title").or_else(|| fields.text("name")).map(str::to_owned)
}

/// Addresses that are entered by hand: type 1. Those of type 0 register.
fn addresses(fields: &Fields) -> Option<Vec<String>> {
    let list = || fields.text("addressList").unwrap_or_default();
    let typed = || list().split(',').map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned).collect();
    match fields.number("addressType") {
        Some(0) => Some(Vec::new()),
        Some(_) => Some(typed()),
        None => None,
    }
}

async fn list(app: &App, fields: &Fields) -> Told<Content> {
    let mut rows = apps::all(&**app.control().store(), app.now()).await.map_err(said)?;
    let part = |name: &str| fields.text(name).unwrap_or_default().to_owned();
    let (name, title) = (part("appname"), part("title"));
    rows.retain(|row| row.name.contains(&name) && row.kept.title.as_deref().unwrap_or_default().contains(&title));
    let (rows, total) = page(fields, rows);
    let mut shown_all = Vec::new();
    for row in rows {
        shown_all.push(shown(app, row).await?);
    }
    Ok(Content::Page(shown_all, total))
}

async fn shown(app: &App, row: AppRow) -> Told<Value> {
    let id = groups::number(app, &row).await?;
    let is_manual = !row.kept.addresses.is_empty();
    let there = app.xxl.show(Some(&row.name), app.now());
    let list: Vec<String> = match is_manual {
        true => row.kept.addresses.clone(),
        false => there.into_iter().filter(|one| one.alive).map(|one| one.address).collect(),
    };
    Ok(json!({
        "id": id,
        "appname": row.name,
        "title": row.kept.title.clone().unwrap_or_else(|| row.name.clone()),
        "addressType": i32::from(is_manual),
        "addressList": list.join(","),
        "registryList": list,
        "updateTime": time::shown(row.kept.created_at),
    }))
}
