//! `/jobinfo/…`: jobs.

use std::collections::BTreeMap;

use mainspring_api::{PreviewRequest, TriggerSpec};
use mainspring_schedule::Lang;
use mainspring_xxl::Fields;
use serde_json::{Value, json};

use super::super::jobs::{self, Numbered};
use super::super::told::{Told, said};
use super::super::{apps, children, groups};
use super::{Content, page, time};
use crate::app::App;
use crate::convert;
use crate::routes::preview;

/// Fire times that are shown.
const NEXT: u32 = 5;

pub(super) async fn serve(app: &App, action: &str, fields: &Fields) -> Told<Content> {
    let store = app.control().store();
    let none = |notes| Content::Value(Value::Null, notes);
    match action {
        "pageList" => return list(app, fields).await,
        "nextTriggerTime" => return next(app, fields).await,
        "add" => {
            let group = fields.number("jobGroup").ok_or_else(|| "jobGroup is missing".to_owned())?;
            let of = groups::of_number(app, group).await?;
            let (id, notes) = jobs::add(app, &of.name, fields, None).await?;
            return Ok(Content::Value(id.to_string().into(), notes));
        }
        _ => {}
    }
    // 3.3 and later name several at a time.
    let id = fields.number("id").or_else(|| fields.number("ids[]")).ok_or_else(|| "id is missing".to_owned())?;
    let job = jobs::find(&**store, id, None).await?;
    match action {
        "update" => return jobs::update(app, &job, fields, None).await.map(none),
        "remove" => jobs::remove(app, &job).await?,
        "start" => children::start(app, &job.row).await?,
        "stop" => children::stop(app, &job.row).await?,
        _ => jobs::trigger(app, &job, fields).await?,
    }
    Ok(none(Vec::new()))
}

async fn list(app: &App, fields: &Fields) -> Told<Content> {
    let (store, now) = (app.control().store(), app.now());
    let mut numbers = BTreeMap::new();
    for row in apps::all(&**store, now).await.map_err(said)? {
        numbers.insert(row.name.clone(), groups::number(app, &row).await?);
    }
    let group = fields.number("jobGroup").filter(|group| *group > 0);
    let started = fields.number("triggerStatus").filter(|status| *status >= 0).map(|status| status != 0);
    let has = |name: &str, told: &Fields| {
        let part = fields.text(name).unwrap_or_default();
        told.get(name).is_some_and(|text| text.contains(part)) || part.is_empty()
    };
    let mut found: Vec<(Numbered, Fields)> = Vec::new();
    let all = jobs::all(&**store, None).await?;
    let family = all.iter().map(|job| (job.row.definition.key.clone(), job.id, children::parents(&job.row.definition)));
    let family: Vec<_> = family.filter(|(.., parents)| !parents.is_empty()).collect();
    for job in all {
        let told = Fields::of_job(&convert::job_spec(&job.row.definition));
        let is_asked = group.is_none_or(|group| numbers.get(&job.app) == Some(&group))
            && ["jobDesc", "executorHandler", "author"].iter().all(|name| has(name, &told));
        if !is_asked {
            continue;
        }
        // Whether it is started takes a question to the store: of those that are shown only, unless it decides which these are.
        let is_wanted = match started {
            Some(started) => children::is_started(&**store, &job.row).await? == started,
            None => true,
        };
        if is_wanted {
            found.push((job, told));
        }
    }
    // Newest first, as there.
    found.sort_by_key(|(job, _)| std::cmp::Reverse(job.id));
    let (page, total) = page(fields, found);
    let mut found = Vec::with_capacity(page.len());
    for (job, told) in page {
        let is_started = children::is_started(&**store, &job.row).await?;
        found.push((job, told, is_started));
    }
    let ids = found.iter().map(|(job, ..)| job.row.id).collect();
    let digests = store.job_digests(ids, 1).await.map_err(said)?;
    let shown = found.into_iter().zip(digests).map(|((job, told, is_started), digest)| {
        let mut shown = told.to_json();
        let last = digest.recent.first().map_or(0, |run| run.fire_time.as_millis());
        let next = digest.next_fire_at.filter(|_| is_started).map_or(0, |at| at.as_millis());
        shown.extend([
            ("id".to_owned(), json!(job.id)),
            ("jobGroup".to_owned(), json!(numbers.get(&job.app).copied().unwrap_or(0))),
            ("childJobId".to_owned(), json!(children::list(&job.row.definition.key, &family))),
            ("triggerStatus".to_owned(), json!(i32::from(is_started))),
            ("triggerLastTime".to_owned(), json!(last)),
            ("triggerNextTime".to_owned(), json!(next)),
            ("addTime".to_owned(), json!(time::shown(job.row.created_at))),
            ("updateTime".to_owned(), json!(time::shown(job.row.updated_at))),
        ]);
        Value::Object(shown)
    });
    Ok(Content::Page(shown.collect(), total))
}

async fn next(app: &App, fields: &Fields) -> Told<Content> {
    let said_of =
        [("jobDesc", "x"), ("executorHandler", "x"), ("glueType", "BEAN"), ("executorRouteStrategy", "FIRST")];
    let (job, _) = Fields::new(said_of).under(fields).job(1, "x", &app.default_timezone)?;
    let Some(trigger) = job.triggers.into_iter().next() else { return Ok(Content::Value(json!([]), Vec::new())) };
    let trigger = TriggerSpec { misfire_threshold: None, ..trigger };
    let request = PreviewRequest { trigger, count: Some(NEXT), ..PreviewRequest::default() };
    let preview = preview::of(app, request, Lang::English).await.map_err(said)?;
    let times = preview.fires.iter().map(|fire| fire.local.get(..19).unwrap_or(&fire.local).replace('T', " "));
    Ok(Content::Value(times.collect::<Vec<_>>().into(), Vec::new()))
}
