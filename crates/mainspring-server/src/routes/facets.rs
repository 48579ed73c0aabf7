//! Completion of queries.

use axum::Json;
use axum::extract::State;
use mainspring_api::{FacetFilter, Facets, routes};
use utoipa_axum::routes;

use super::Route;
use crate::app::App;
use crate::extract::QueryOf;
use crate::query::facets as query;
use crate::refusal::Answer;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(facets))]
}

/// Lists what can be written at a place of a query: the fields, or the values of one. With `q`, counts those of the jobs that a query
/// finds.
#[utoipa::path(get, path = routes::FACETS, tag = "search", params(FacetFilter), responses((status = 200, body = Facets)))]
async fn facets(State(app): State<App>, QueryOf(asked): QueryOf<FacetFilter>) -> Answer<Json<Facets>> {
    let namespace = asked.namespace.as_deref().filter(|namespace| *namespace != super::ALL_NAMESPACES);
    let prefix = asked.prefix.as_deref().unwrap_or_default();
    let found = match &asked.q {
        Some(text) => query::counted(&app, namespace, &asked.page, asked.field.as_deref(), prefix, text).await,
        None => query::facets(&app, namespace, &asked.page, asked.field.as_deref(), prefix).await,
    };
    found.map(Json)
}
