//! Webhooks: addresses that are told of events, and what they were told.

use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::{Extension, Json};
use mainspring_api::{
    self as api, EVENT_TYPES, ErrorCode, Page, PageFilter, Problem, Webhook, WebhookDelivery, WebhookRotation,
    WebhookSpec, did_you_mean, event_type_matches, is_valid_name, routes,
};
use mainspring_store::{Delivery, DeliveryState, Error as StoreError, WebhookRow};
use utoipa_axum::routes;

use super::Route;
use crate::access::{Caller, Permission};
use crate::app::App;
use crate::extract::{Body, PathOf, QueryOf};
use crate::layers::DONE;
use crate::pages;
use crate::refusal::{Answer, Refusal};
use crate::show::instant;
use crate::webhooks::{new_secret, test_message};

/// Webhooks of a cluster. Each reads all events.
const WEBHOOKS_MAX: usize = 100;
/// How long a secret stays valid that was replaced, in milliseconds.
const PREVIOUS_MS: i64 = 24 * 3_600_000;
const URL_MAX: usize = 2_048;
const EVENTS_MAX: usize = 50;
/// How often a test is tried again that events overtake.
const TRIES: usize = 20;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::view(routes!(list)),
        Route::edit(routes!(create)),
        Route::view(routes!(get)),
        Route::edit(routes!(delete)),
        Route::edit(routes!(rotate)),
        Route::edit(routes!(resume)),
        Route::edit(routes!(test)),
        Route::view(routes!(deliveries)),
    ]
}

/// Lists the webhooks, by name. Their addresses are cut to scheme and host: what follows may be a secret.
#[utoipa::path(get, path = routes::WEBHOOKS, tag = "webhooks", responses((status = 200, body = Vec<Webhook>)))]
async fn list(State(app): State<App>) -> Answer<Json<Vec<Webhook>>> {
    let rows = app.control().store().webhooks().await?;
    Ok(Json(rows.into_iter().map(|row| without_path(shown(row))).collect()))
}

/// Makes a webhook: it is told of what happens from now on. The answer is the only place where its secret can be read.
#[utoipa::path(post, path = routes::WEBHOOKS, tag = "webhooks", request_body = WebhookSpec,
    responses((status = 201, body = Webhook)))]
async fn create(State(app): State<App>, Body(spec): Body<WebhookSpec>) -> Answer<(StatusCode, Json<Webhook>)> {
    check(&spec)?;
    if !app.engine.makes_calls() {
        return Err(Refusal::new(ErrorCode::WebhookDisabled, "this node executes no HTTP tasks, nor calls webhooks"));
    }
    if let Some(why) = app.engine.denies_call(&spec.url) {
        let problem = Problem::new(ErrorCode::FieldValue, why).at("/url");
        return Err(Refusal::invalid(vec![problem.hint("start the servers with --allow-outbound for this address")]));
    }
    let store = app.control().store();
    if store.webhooks().await?.len() >= WEBHOOKS_MAX {
        return Err(Refusal::new(ErrorCode::WebhookLimit, format!("there are {WEBHOOKS_MAX} webhooks already")));
    }
    let events = match spec.events.is_empty() {
        true => WebhookSpec::DEFAULT_EVENTS.map(str::to_owned).to_vec(),
        false => spec.events,
    };
    let secret = new_secret();
    let webhook = mainspring_store::Webhook {
        name: spec.name,
        url: spec.url,
        events,
        namespace: spec.namespace,
        job: spec.job,
        secret: secret.clone(),
        previous_secret: None,
        noted_through: store.last_event().await?,
        created_at: app.now(),
    };
    let row = WebhookRow { id: 0, webhook: webhook.clone(), next_at: None, failing_since: None, disabled: None };
    match store.add_webhook(webhook.clone()).await {
        Err(StoreError::Conflict { .. }) => {
            let why = format!("there is a webhook called {:?}", webhook.name);
            Err(Refusal::new(ErrorCode::ResourceExists, why).hint("delete it first, or take another name"))
        }
        done => {
            done?;
            app.webhooks.notify_one();
            Ok((StatusCode::CREATED, Json(Webhook { secret: Some(secret), ..shown(row) })))
        }
    }
}

/// Everything that is wrong with what is asked for.
fn check(spec: &WebhookSpec) -> Answer<()> {
    let mut problems = Vec::new();
    let mut wrong = |code, pointer: String, message: String| problems.push(Problem::new(code, message).at(pointer));
    let names = [("/name", Some(&spec.name)), ("/namespace", spec.namespace.as_ref()), ("/job", spec.job.as_ref())];
    for (pointer, name) in names.iter().filter_map(|(pointer, name)| Some((pointer, (*name)?))) {
        if !is_valid_name(name) {
            wrong(ErrorCode::NameInvalid, (*pointer).to_owned(), format!("{name:?} cannot be a name"));
        }
    }
    if let Err(why) = check_url(&spec.url) {
        wrong(ErrorCode::FieldValue, "/url".into(), why.into());
    }
    if spec.events.len() > EVENTS_MAX {
        wrong(ErrorCode::FieldValue, "/events".into(), format!("at most {EVENTS_MAX} types of events"));
    }
    for (index, wanted) in spec.events.iter().enumerate() {
        if !EVENT_TYPES.iter().any(|kind| event_type_matches(wanted, kind)) {
            let hint = did_you_mean(wanted, EVENT_TYPES.iter().copied());
            let hint = hint.unwrap_or_else(|| format!("there are: {}", EVENT_TYPES.join(", ")));
            let message = format!("{wanted:?} is no type of event; {hint}");
            wrong(ErrorCode::FieldValue, format!("/events/{index}"), message);
        }
    }
    if spec.job.is_some() && spec.namespace.is_none() {
        wrong(ErrorCode::FieldValue, "/job".into(), "a job is named with its namespace".into());
    }
    if problems.is_empty() { Ok(()) } else { Err(Refusal::invalid(problems)) }
}

fn check_url(url: &str) -> Result<(), &'static str> {
    if url.len() > URL_MAX {
        return Err("the address has more than 2048 bytes");
    }
    let uri: Uri =
        url.parse().map_err(|_| "the address is not understood: give one such as https://example.com/hook")?;
    match uri.scheme_str() {
        Some("http" | "https") => {}
        _ => return Err("the address begins with https:// or http://"),
    }
    match uri.authority() {
        Some(authority) if authority.as_str().contains('@') => {
            Err("the address holds a user name or password; receivers tell messages by their signature")
        }
        Some(authority) if !authority.host().is_empty() => Ok(()),
        _ => Err("the address names no host"),
    }
}

/// Returns a webhook. Whoever may not change it sees scheme and host of its address.
#[utoipa::path(get, path = routes::WEBHOOK, tag = "webhooks", params(("webhook" = String, Path)), responses((status = 200, body = Webhook)))]
async fn get(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathOf(name): PathOf<String>,
) -> Answer<Json<Webhook>> {
    let webhook = shown(find(&app, &name).await?);
    Ok(Json(if caller.may(Permission::Edit) { webhook } else { without_path(webhook) }))
}

/// Deletes a webhook. Its deliveries are not sent any more, and retention deletes them.
#[utoipa::path(delete, path = routes::WEBHOOK, tag = "webhooks", params(("webhook" = String, Path)), responses((status = 204)))]
async fn delete(State(app): State<App>, PathOf(name): PathOf<String>) -> Answer<StatusCode> {
    if app.control().store().remove_webhook(&name).await? { Ok(DONE) } else { Err(not_found(&name)) }
}

/// Gives a webhook another secret. For a day, messages are signed with the one before as well; a further one is refused until then,
/// unless it is forced, because receivers may know neither of the two that would be valid.
#[utoipa::path(post, path = routes::WEBHOOK_SECRET, tag = "webhooks", params(("webhook" = String, Path), WebhookRotation),
    responses((status = 200, body = Webhook)))]
async fn rotate(
    State(app): State<App>,
    PathOf(name): PathOf<String>,
    QueryOf(rotation): QueryOf<WebhookRotation>,
) -> Answer<Json<Webhook>> {
    let (row, secret, now) = (find(&app, &name).await?, new_secret(), app.now());
    let previous = row.webhook.previous_secret.as_ref().map(|(_, until)| *until).filter(|until| *until > now);
    if let Some(until) = previous.filter(|_| !rotation.force) {
        let why = format!("the secret of {name:?} was replaced lately, and the one before is valid until {until}");
        return Err(Refusal::new(ErrorCode::WebhookSecret, why));
    }
    let store = app.control().store();
    if !store.rotate_webhook(&name, &row.webhook.secret, &secret, now + PREVIOUS_MS).await? {
        let why = format!("somebody else has changed {name:?} at the same time");
        return Err(Refusal::new(ErrorCode::ResourceConflict, why));
    }
    Ok(Json(Webhook { secret: Some(secret), ..shown(find(&app, &name).await?) }))
}

/// Lets a webhook go on that rests: with what happens from now on, and with what is pending.
#[utoipa::path(post, path = routes::WEBHOOK_RESUME, tag = "webhooks", params(("webhook" = String, Path)), responses((status = 200, body = Webhook)))]
async fn resume(State(app): State<App>, PathOf(name): PathOf<String>) -> Answer<Json<Webhook>> {
    let store = app.control().store();
    store.resume_webhook(&name, store.last_event().await?).await?;
    app.webhooks.notify_one();
    Ok(Json(shown(find(&app, &name).await?)))
}

/// Sends a webhook a message of the type `webhook.test`, signed and repeated like any other.
#[utoipa::path(post, path = routes::WEBHOOK_TEST, tag = "webhooks", params(("webhook" = String, Path)),
    responses((status = 202, body = WebhookDelivery)))]
async fn test(State(app): State<App>, PathOf(name): PathOf<String>) -> Answer<(StatusCode, Json<WebhookDelivery>)> {
    let message = test_message(&app, &name);
    let store = app.control().store();
    for _ in 0..TRIES {
        let row = find(&app, &name).await?;
        if row.disabled.is_some() {
            let why = format!("{name:?} rests; nothing is sent to it");
            return Err(Refusal::new(ErrorCode::WebhookResting, why));
        }
        let places = (row.webhook.noted_through, row.webhook.noted_through);
        if store.note_deliveries(row.id, places, vec![message.clone()], app.now()).await? {
            app.webhooks.notify_one();
            let made = store.deliveries(row.id, None, 1_000).await?;
            let made = made.into_iter().find(|delivery| delivery.message == message.message);
            return made.map(|it| (StatusCode::ACCEPTED, Json(delivery(it)))).ok_or_else(|| not_found(&name));
        }
    }
    Err(Refusal::new(ErrorCode::ResourceConflict, "events overtook the test all the time; try again"))
}

/// Lists what was sent to a webhook, newest first.
#[utoipa::path(get, path = routes::WEBHOOK_DELIVERIES, tag = "webhooks", params(("webhook" = String, Path), PageFilter),
    responses((status = 200, body = Page<WebhookDelivery>)))]
async fn deliveries(
    State(app): State<App>,
    PathOf(name): PathOf<String>,
    QueryOf(filter): QueryOf<PageFilter>,
) -> Answer<Json<Page<WebhookDelivery>>> {
    let limit = pages::limit(filter.limit)?;
    let before = filter.cursor.as_deref().map(|cursor| cursor.parse().map_err(|_| pages::bad_cursor(cursor)));
    let row = find(&app, &name).await?;
    let fetch = u32::try_from(limit + 1).unwrap_or(u32::MAX);
    let found = app.control().store().deliveries(row.id, before.transpose()?, fetch).await?;
    let items = found.into_iter().map(delivery).collect();
    Ok(Json(pages::page(items, limit, |it: &WebhookDelivery| it.id.clone())))
}

async fn find(app: &App, name: &str) -> Answer<WebhookRow> {
    let rows = app.control().store().webhooks().await?;
    rows.into_iter().find(|row| row.webhook.name == name).ok_or_else(|| not_found(name))
}

fn not_found(name: &str) -> Refusal {
    Refusal::new(ErrorCode::WebhookNotFound, format!("there is no webhook called {name:?}"))
}

fn shown(row: WebhookRow) -> Webhook {
    let (webhook, disabled) = (row.webhook, row.disabled);
    Webhook {
        name: webhook.name,
        url: webhook.url,
        events: webhook.events,
        namespace: webhook.namespace,
        job: webhook.job,
        created_at: instant(webhook.created_at),
        previous_secret_until: webhook.previous_secret.map(|(_, until)| instant(until)),
        failing_since: row.failing_since.map(instant),
        disabled_at: disabled.as_ref().map(|disabled| instant(disabled.at)),
        disabled_reason: disabled.map(|disabled| disabled.reason),
        secret: None,
    }
}

/// The same with no more of its address than scheme and host.
fn without_path(webhook: Webhook) -> Webhook {
    let uri: Option<Uri> = webhook.url.parse().ok();
    let cut = uri.and_then(|uri| {
        let whole = uri.path() == "/" && uri.query().is_none();
        Some(format!("{}://{}{}", uri.scheme_str()?, uri.authority()?, if whole { "/" } else { "/…" }))
    });
    Webhook { url: cut.unwrap_or_default(), ..webhook }
}

fn delivery(it: Delivery) -> WebhookDelivery {
    WebhookDelivery {
        id: it.id.to_string(),
        message: it.message,
        kind: it.kind,
        state: match it.state {
            DeliveryState::Pending => api::DeliveryState::Pending,
            DeliveryState::Delivered => api::DeliveryState::Delivered,
            DeliveryState::Dead => api::DeliveryState::Dead,
        },
        attempts: it.attempts,
        status: it.answer.status,
        error: it.answer.error,
        created_at: instant(it.created_at),
        next_at: Some(instant(it.next_at)).filter(|_| it.state == DeliveryState::Pending),
        ended_at: it.ended_at.map(instant),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_wrong_with_a_webhook_is_said() {
        let spec = WebhookSpec {
            name: "a b".into(),
            url: "ftp://example.com".into(),
            events: vec!["run.failed".into(), "run.faild".into(), "job.*".into()],
            namespace: None,
            job: Some("nightly".into()),
        };
        let refusal = check(&spec).unwrap_err();
        let places: Vec<_> = refusal.0.errors.iter().map(|problem| problem.pointer.as_str()).collect();
        assert_eq!(places, ["/name", "/url", "/events/1", "/job"]);
        assert!(refusal.0.errors[2].message.contains("run.failed"), "{:?}", refusal.0.errors[2]);
    }

    #[test]
    fn addresses_are_cut_to_scheme_and_host() {
        for (url, cut) in [
            ("https://hooks.example.com/services/T0/B0/secret", "https://hooks.example.com/…"),
            ("http://127.0.0.1:9/?token=secret", "http://127.0.0.1:9/…"),
            ("https://example.com", "https://example.com/"),
        ] {
            let webhook = Webhook {
                name: "a".into(),
                url: url.into(),
                events: Vec::new(),
                namespace: None,
                job: None,
                created_at: instant(mainspring_schedule::Timestamp::UNIX_EPOCH),
                previous_secret_until: None,
                failing_since: None,
                disabled_at: None,
                disabled_reason: None,
                secret: None,
            };
            assert_eq!(without_path(webhook).url, cut);
        }
    }

    #[test]
    fn addresses_are_checked() {
        for good in ["https://example.com", "http://127.0.0.1:9/hook?a=b", "https://[::1]/x"] {
            assert_eq!(check_url(good), Ok(()), "{good}");
        }
        for bad in
            ["", "example.com", "/hook", "https://", "https://u:p@example.com/", "file:///etc/passwd", "https://a b/"]
        {
            assert!(check_url(bad).is_err(), "{bad}");
        }
        assert!(check_url(&format!("https://example.com/{}", "a".repeat(URL_MAX))).is_err());
    }
}
