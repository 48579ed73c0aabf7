//! The API that 3.5 has for programs: `addJob`, `updateJob`, `removeJob`, `startJob`, `stopJob`, `triggerJob`.
//!
//! A token opens its own app only: its jobs, and its executors.

use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::Method;
use mainspring_xxl::{Credentials, Fields};
use serde_json::{Value, json};

use super::jobs;
use super::told::{Told, WRONG_TOKEN};
use super::{children, groups, protocol};
use crate::app::App;
use crate::layers::strangers;

/// Longest body, in bytes: scripts have 256 KiB.
const BODY_MAX: usize = 1 << 20;

/// What may be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Asked {
    Add,
    Update,
    Remove,
    Start,
    Stop,
    Trigger,
}

impl Asked {
    /// What a name stands for.
    pub(super) fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "addJob" => Self::Add,
            "updateJob" => Self::Update,
            "removeJob" => Self::Remove,
            "startJob" => Self::Start,
            "stopJob" => Self::Stop,
            "triggerJob" => Self::Trigger,
            _ => return None,
        })
    }
}

/// Does what a program asks, and says what came of it.
pub(super) async fn serve(app: &App, asked: Asked, request: Request) -> String {
    let told = hear(app, asked, request).await;
    match told {
        Ok((data, notes)) => {
            let message = if notes.is_empty() { Value::Null } else { notes.join("; ").into() };
            json!({"code": 200, "msg": message, "content": data, "data": data}).to_string()
        }
        Err(why) => mainspring_xxl::refusal(&why),
    }
}

async fn hear(app: &App, asked: Asked, request: Request) -> Told<(Value, Vec<String>)> {
    if request.method() != Method::POST {
        return Err("invalid request, HttpMethod not support.".to_owned());
    }
    let (credentials, now) = (Credentials::of(request.headers()), app.now());
    let apps = protocol::apps_of(app, std::time::Instant::now()).await?;
    let of = credentials.app.clone().unwrap_or_default();
    let Some(row) = apps.get(&of).filter(|row| row.tokens(now).accept(&credentials)) else {
        app.xxl.note_refused("a token opens no app whose jobs it asks for");
        protocol::note_guess(app, &credentials, &request);
        return Err(WRONG_TOKEN.to_owned());
    };
    if let Some(seat) = strangers::seat(&request) {
        seat.is_admitted();
    }
    let body = to_bytes(request.into_body(), BODY_MAX).await;
    let body = body.map_err(|_| format!("the body could not be read, or has more than {BODY_MAX} bytes"))?;
    let fields = Fields::of_json(&body).ok_or_else(|| "the body is no JSON object".to_owned())?;
    if let Some(group) = fields.number("jobGroup")
        && groups::number(app, row).await? != group
    {
        return Err(format!("the group {group} is not that of the app {of}"));
    }
    let store = app.control().store();
    let id = || fields.number("id").ok_or_else(|| "the request names no id".to_owned());
    if asked == Asked::Add {
        let (id, notes) = jobs::add(app, &of, &fields, Some(&of)).await?;
        return Ok((id.to_string().into(), notes));
    }
    let job = jobs::find(&**store, id()?, Some(&of)).await?;
    let notes = match asked {
        Asked::Add => Vec::new(),
        Asked::Update => jobs::update(app, &job, &fields, Some(&of)).await?,
        Asked::Remove => jobs::remove(app, &job).await.map(|()| Vec::new())?,
        Asked::Start => children::start(app, &job.row).await.map(|()| Vec::new())?,
        Asked::Stop => children::stop(app, &job.row).await.map(|()| Vec::new())?,
        Asked::Trigger => jobs::trigger(app, &job, &fields).await.map(|()| Vec::new())?,
    };
    Ok((Value::Null, notes))
}
