//! Where alerts are sent.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use mainspring_api::{
    AlertChannel, AlertChannelSpec, AlertDelivery, AlertSecret, ErrorCode, Problem, check_alert_channel, routes,
};
use mainspring_store::Document;
use utoipa_axum::routes;

use super::{Route, needs_calls, number, written};
use crate::alerts::{self, Book, CHANNEL};
use crate::app::App;
use crate::extract::{Body, Condition, PathOf, etag, made};
use crate::layers::DONE;
use crate::refusal::{Answer, Refusal};
use crate::show::instant;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::view(routes!(channels)),
        Route::view(routes!(channel)),
        Route::edit(routes!(put_channel, delete_channel)),
        Route::operate(routes!(test_channel)),
    ]
}

/// Lists the channels, by name, without their secrets.
#[utoipa::path(get, path = routes::ALERT_CHANNELS, tag = "alerts", responses((status = 200, body = Vec<AlertChannel>)))]
async fn channels(State(app): State<App>) -> Answer<Json<Vec<AlertChannel>>> {
    let found = app.control().store().documents(CHANNEL, None, app.now(), super::DOCUMENTS_MAX).await?;
    let sent = alerts::newest(&app).await?;
    let shown = found.iter().filter_map(shown).map(|channel| {
        let last_delivery = sent.iter().find(|it| it.channel == channel.name).cloned();
        AlertChannel { last_delivery, ..channel }
    });
    Ok(Json(shown.collect()))
}

/// Returns a channel, without its secrets.
#[utoipa::path(get, path = routes::ALERT_CHANNEL, tag = "alerts", params(("channel" = String, Path)), responses((status = 200, body = AlertChannel)))]
async fn channel(State(app): State<App>, PathOf(name): PathOf<String>) -> Answer<impl IntoResponse> {
    let document = find(&app, &name).await?;
    let sent = alerts::newest(&app).await?;
    let last_delivery = sent.into_iter().find(|it| it.channel == name);
    let channel = shown(&document).ok_or_else(|| missing(&name))?;
    Ok((etag(channel.version), Json(AlertChannel { last_delivery, ..channel })))
}

/// Saves a channel. A secret that is given as `***` stays as it is.
#[utoipa::path(put, path = routes::ALERT_CHANNEL, tag = "alerts", params(("channel" = String, Path)), request_body = AlertChannelSpec,
    responses((status = 200, body = AlertChannel), (status = 201, body = AlertChannel)))]
async fn put_channel(
    State(app): State<App>,
    PathOf(name): PathOf<String>,
    condition: Condition,
    Body(spec): Body<AlertChannelSpec>,
) -> Answer<impl IntoResponse> {
    needs_calls(&app)?;
    let mut problems = check_alert_channel(&spec);
    if spec.name != name {
        problems.push(Problem::new(ErrorCode::NameInvalid, format!("the path names \"{name}\"")).at("/name"));
    }
    let before = app.control().store().document(CHANNEL, &name, app.now()).await?;
    condition.check(&what(&name), before.as_ref().map(|it| number(it.version)), || missing(&name))?;
    let spec = with_secrets(spec, before.as_ref(), &mut problems);
    if !problems.is_empty() {
        return Err(Refusal::invalid(problems));
    }
    let body = serde_json::to_string(&spec).expect("plain data has a text");
    let version = before.as_ref().map(|it| it.version);
    let kept = written(&app, CHANNEL, name.clone(), body, version).await?;
    tracing::info!(channel = name, kind = spec.kinds().first(), "a channel of alerts was saved");
    let channel = shown(&kept).ok_or_else(|| missing(&name))?;
    let channel = AlertChannel { warnings: unfound(&app, spec), ..channel };
    Ok((made(before.is_none()), etag(channel.version), Json(channel)))
}

/// Deletes a channel that no rule names. Messages that are still to be sent to it are given up.
#[utoipa::path(delete, path = routes::ALERT_CHANNEL, tag = "alerts", params(("channel" = String, Path)), responses((status = 204)))]
async fn delete_channel(
    State(app): State<App>,
    PathOf(name): PathOf<String>,
    condition: Condition,
) -> Answer<StatusCode> {
    let there = app.control().store().document(CHANNEL, &name, app.now()).await?;
    condition.check(&what(&name), there.map(|it| number(it.version)), || missing(&name))?;
    let book = Book::read(&app).await?;
    let users: Vec<_> = book.users_of(&name).collect();
    if !users.is_empty() {
        let why = format!("{} is named by the rules {}", what(&name), users.join(", "));
        return Err(Refusal::new(ErrorCode::AlertChannelUsed, why));
    }
    if !app.control().store().remove_document(CHANNEL, &name).await? {
        return Err(missing(&name));
    }
    tracing::info!(channel = name, "a channel of alerts was deleted");
    Ok(DONE)
}

/// Sends a channel a message now, and answers what came of it: `delivered`, or `dead` with the error.
#[utoipa::path(post, path = routes::ALERT_CHANNEL_TEST, tag = "alerts", params(("channel" = String, Path)),
    responses((status = 200, body = AlertDelivery)))]
async fn test_channel(State(app): State<App>, PathOf(name): PathOf<String>) -> Answer<Json<AlertDelivery>> {
    needs_calls(&app)?;
    find(&app, &name).await?;
    alerts::send_test(&app, &name).await.map(Json)
}

/// Puts the secrets that are kept in the place of those that are not said anew.
fn with_secrets(
    mut spec: AlertChannelSpec,
    before: Option<&Document>,
    problems: &mut Vec<Problem>,
) -> AlertChannelSpec {
    let mut kept = before.and_then(|it| serde_json::from_str::<AlertChannelSpec>(&it.body).ok()).unwrap_or_default();
    let kept: Vec<(&str, AlertSecret)> =
        kept.secrets_mut().into_iter().map(|(place, secret)| (place, secret.clone())).collect();
    for (place, secret) in spec.secrets_mut().into_iter().filter(|(_, secret)| secret.is_hidden()) {
        match kept.iter().find(|(kept, _)| *kept == place) {
            Some((_, there)) => *secret = there.clone(),
            None => {
                let message = "*** stands for a secret that is kept, and there is none";
                problems.push(Problem::new(ErrorCode::AlertSecret, message).at(place));
            }
        }
    }
    spec
}

/// Warns of secrets that this server does not find.
fn unfound(app: &App, mut spec: AlertChannelSpec) -> Vec<Problem> {
    let found = spec.secrets_mut().into_iter().filter_map(|(place, secret)| {
        let why = alerts::find_secret(app, secret).err()?;
        Some(Problem::new(ErrorCode::AlertSecret, why).at(place))
    });
    found.collect()
}

async fn find(app: &App, name: &str) -> Answer<Document> {
    let found = app.control().store().document(CHANNEL, name, app.now()).await?;
    found.ok_or_else(|| missing(name))
}

fn shown(document: &Document) -> Option<AlertChannel> {
    let mut spec: AlertChannelSpec = serde_json::from_str(&document.body).ok()?;
    let texts = spec.secrets_mut().into_iter().filter(|(_, secret)| matches!(secret, AlertSecret::Text(_)));
    texts.for_each(|(_, secret)| *secret = AlertSecret::Text(AlertSecret::HIDDEN.to_owned()));
    Some(AlertChannel {
        name: document.name.clone(),
        kind: spec.kinds().first().copied().unwrap_or_default().to_owned(),
        version: number(document.version),
        updated_at: instant(document.at),
        spec,
        last_delivery: None,
        warnings: Vec::new(),
    })
}

fn what(name: &str) -> String {
    format!("channel \"{}\"", name.escape_debug())
}

fn missing(name: &str) -> Refusal {
    Refusal::new(ErrorCode::AlertChannelNotFound, format!("there is no {}", what(name)))
}

#[cfg(test)]
mod tests {
    use mainspring_schedule::Timestamp;
    use serde_json::json;

    use super::*;

    fn kept(spec: &serde_json::Value) -> Document {
        let (kind, name) = (CHANNEL.to_owned(), "a".to_owned());
        Document { kind, name, body: spec.to_string(), version: 1, at: Timestamp::UNIX_EPOCH, expires_at: None }
    }

    #[test]
    fn secrets_are_never_shown_and_stay_where_they_are_not_said_anew() {
        let document = kept(&json!({"name": "a", "dingtalk": {"url": "https://h/?token=T", "secret": "S"}}));
        let channel = shown(&document).unwrap();
        let text = serde_json::to_string(&channel).unwrap();
        assert!(!text.contains("token=T") && !text.contains("\"S\"") && text.contains("***"), "{text}");
        let mut problems = Vec::new();
        let again = with_secrets(channel.spec.clone(), Some(&document), &mut problems);
        assert_eq!((again.dingtalk.unwrap().secret, problems.len()), (Some(AlertSecret::Text("S".into())), 0));
        with_secrets(channel.spec, None, &mut problems);
        let places: Vec<_> = problems.iter().map(|it| (it.code.as_str(), it.pointer.as_str())).collect();
        assert_eq!(places, [("alert.secret", "/dingtalk/url"), ("alert.secret", "/dingtalk/secret")]);
    }

    #[test]
    fn places_of_secrets_are_shown() {
        let document = kept(&json!({"name": "a", "slack": {"url": {"file": "slack"}}}));
        let spec = shown(&document).unwrap().spec;
        assert_eq!(serde_json::to_value(spec).unwrap(), json!({"name": "a", "slack": {"url": {"file": "slack"}}}));
    }
}
