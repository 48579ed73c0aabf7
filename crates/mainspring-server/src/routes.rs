//! The table of routes: each says what it wants of who calls it, and everything that is not said to be public wants
//! a token. One file per resource.

mod alerts;
pub(crate) mod apply;
mod approvals;
mod backfills;
mod calendars;
mod cascades;
mod check;
mod cluster;
mod dashboard;
mod data;
mod document;
pub(crate) mod events;
mod export;
mod facets;
mod flow_history;
mod flow_items;
mod flow_pools;
mod flow_save;
mod flows;
mod health;
mod job_list;
pub(crate) mod jobs;
mod labels;
mod logs;
mod matching;
mod misfires;
mod moves;
mod namespaces;
mod next;
mod operations;
mod outputs;
mod past_runs;
pub(crate) mod preview;
mod queue_order;
mod queue_preview;
mod queue_waits;
mod queues;
mod reanchor;
mod reruns;
mod route;
pub(crate) mod runs;
mod session;
mod stream;
mod tasks;
mod triggers;
mod versions;
mod views;
mod webhooks;
mod why;
mod workers;
pub(crate) mod xxl;
pub(crate) mod xxl_glue;

use axum::Router;
use axum::middleware::from_fn_with_state;
use mainspring_api::ProblemDetails;
use route::Route;
pub(crate) use route::{ALL_NAMESPACES, DEFAULT_NAMESPACE, named_namespace};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, InfoBuilder, ObjectBuilder, OpenApi, OpenApiBuilder, Ref, ResponseBuilder, Type,
};
use utoipa::{PartialSchema, ToSchema};
use utoipa_axum::router::OpenApiRouter;

use crate::access::Permission;
use crate::access::session::COOKIE;
use crate::app::App;
use crate::console;
use crate::inspect::{self, Inspect};
use crate::layers;

fn table() -> Vec<Route> {
    [
        health::routes(),
        session::routes(),
        stream::routes(),
        cluster::routes(),
        dashboard::routes(),
        namespaces::routes(),
        job_list::routes(),
        jobs::routes(),
        versions::routes(),
        check::routes(),
        data::routes(),
        triggers::routes(),
        reanchor::routes(),
        matching::routes(),
        misfires::routes(),
        views::routes(),
        why::routes(),
        reruns::routes(),
        cascades::routes(),
        runs::routes(),
        tasks::routes(),
        approvals::routes(),
        logs::routes(),
        outputs::routes(),
        past_runs::routes(),
        facets::routes(),
        backfills::routes(),
        calendars::routes(),
        export::routes(),
        apply::routes(),
        preview::routes(),
        next::routes(),
        operations::routes(),
        events::routes(),
        moves::routes(),
        queues::routes(),
        queue_waits::routes(),
        queue_order::routes(),
        queue_preview::routes(),
        labels::routes(),
        workers::routes(),
        webhooks::routes(),
        alerts::routes(),
        xxl::routes(),
        xxl_glue::routes(),
        flow_history::routes(),
        flow_items::routes(),
        flow_pools::routes(),
        flow_save::routes(),
        flows::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Makes the router of a server.
pub(crate) fn router(app: &App, has_forms: bool, inspect: Option<Inspect>) -> Router {
    let routes = table().into_iter();
    let (router, _) =
        routes.fold(OpenApiRouter::new(), |router, route| router.routes(route.guarded(app))).split_for_parts();
    let router = router
        .merge(crate::xxl::protocol::router())
        .merge(if has_forms { crate::xxl::forms::router() } else { Router::new() })
        .fallback(console::fallback)
        .method_not_allowed_fallback(layers::wrong_method)
        .with_state(App::clone(app))
        .layer(CatchPanicLayer::custom(layers::panicked))
        .layer(from_fn_with_state(App::clone(app), layers::outermost));
    match inspect {
        Some(inspect) => router.layer(from_fn_with_state(inspect, inspect::look)),
        None => router,
    }
}

/// The `OpenAPI` 3.1 description of the API, made from the types and handlers.
#[must_use]
pub fn openapi() -> serde_json::Value {
    let info = InfoBuilder::new()
        .title("mainspring")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some("Jobs, triggers and runs of a mainspring cluster. Every route but health and signing in wants a token or a session."))
        .build();
    let token = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some("The token of the server")).build();
    let session = ApiKey::Cookie(ApiKeyValue::with_description(COOKIE, "The session of a browser that is signed in"));
    let components = ComponentsBuilder::new()
        .security_scheme("token", SecurityScheme::Http(token))
        .security_scheme("session", SecurityScheme::ApiKey(session))
        .schema(ProblemDetails::name(), ProblemDetails::schema())
        .build();
    let mut document = OpenApiBuilder::new().info(info).components(Some(components)).build();
    for route in table() {
        let mut headers = vec![if route.repeatable { IDEMPOTENCY_KEY } else { KEY_WITHOUT_EFFECT }];
        if route.conditional {
            headers.push(IF_MATCH);
        }
        let (_, mut one) = OpenApiRouter::<App>::new().routes(route.handlers).split_for_parts();
        describe_common(&mut one, route.permission, &headers);
        document.merge(one);
    }
    let mut schemas = Vec::new();
    ProblemDetails::schemas(&mut schemas);
    if let Some(components) = &mut document.components {
        components.schemas.extend(schemas);
    }
    document::finished(&document)
}

const IF_MATCH: (&str, &str) = ("If-Match", "The version in quotes that must be there, or *");
const IF_NONE_MATCH: (&str, &str) = ("If-None-Match", "*: nothing must be there");
const IDEMPOTENCY_KEY: (&str, &str) = (
    "Idempotency-Key",
    "1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again",
);
/// Clients send a key with each request that changes something; not every route needs it.
const KEY_WITHOUT_EFFECT: (&str, &str) =
    ("Idempotency-Key", "1 to 128 visible ASCII characters; without effect here: a repetition is done as well");

fn header((name, description): &(&str, &str)) -> Parameter {
    let text = ObjectBuilder::new().schema_type(Type::String);
    ParameterBuilder::new()
        .name(*name)
        .parameter_in(ParameterIn::Header)
        .description(Some(*description))
        .schema(Some(text))
        .build()
}

/// Adds what all operations have in common: the token, headers, the form of errors, and an id that no other one has.
fn describe_common(document: &mut OpenApi, permission: Permission, post: &[(&str, &str)]) {
    let problem = ContentBuilder::new().schema(Some(Ref::from_schema_name(ProblemDetails::name()))).build();
    let refused = ResponseBuilder::new().description("Refused").content(ProblemDetails::MEDIA_TYPE, problem).build();
    for item in document.paths.paths.values_mut() {
        let operations: [(_, &[(&str, &str)]); 5] = [
            (&mut item.get, &[]),
            (&mut item.put, &[IF_MATCH, IF_NONE_MATCH]),
            (&mut item.patch, &[IF_MATCH]),
            (&mut item.delete, &[IF_MATCH]),
            (&mut item.post, post),
        ];
        for (operation, headers) in operations {
            let Some(operation) = operation else { continue };
            let parameters = operation.parameters.take().into_iter().flatten();
            let all: Vec<_> = parameters.chain(headers.iter().map(|named| header(named).into())).collect();
            operation.parameters = (!all.is_empty()).then_some(all);
            if permission != Permission::Public {
                let by = |scheme| SecurityRequirement::new(scheme, Vec::<String>::new());
                // Workers have tokens, and no browser is one.
                let schemes: &[_] = if permission == Permission::Work { &["token"] } else { &["token", "session"] };
                operation.security = Some(schemes.iter().copied().map(by).collect());
            }
            operation.responses.responses.insert("default".to_owned(), refused.clone().into());
            let tag = operation.tags.iter().flatten().next().map_or("", String::as_str);
            operation.operation_id = operation.operation_id.take().map(|id| format!("{tag}_{id}"));
        }
    }
}
