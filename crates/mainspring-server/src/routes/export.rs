//! Jobs and calendars of a namespace as one bundle.

use axum::extract::State;
use axum::response::Response;
use mainspring_api::{Bundle, CalendarSpec, JobSpec, routes};
use mainspring_store::{JobQuery, JobRow};
use utoipa_axum::routes;

use super::{Route, calendars, namespaces};
use crate::app::App;
use crate::convert;
use crate::extract::{PathOf, large_json};
use crate::refusal::Answer;

const READ_MAX: u32 = 500;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(export))]
}

/// Returns jobs and calendars of a namespace as a bundle that `apply` takes back.
#[utoipa::path(get, path = routes::EXPORT, tag = "bundles", params(("namespace" = String, Path)), responses((status = 200, body = Bundle)))]
async fn export(State(app): State<App>, PathOf(namespace): PathOf<String>) -> Answer<Response> {
    let mut bundle = Bundle { namespace: Some(namespace.clone()), ..Bundle::default() };
    for row in calendars::all(&app, &namespace).await? {
        let spec = convert::calendar_spec(&namespace, &row.name, &calendars::definition(&row)?);
        bundle.calendars.push(CalendarSpec { namespace: None, ..spec });
    }
    let mut after = None;
    loop {
        let rows = jobs_after(&app, &namespace, after, READ_MAX).await?;
        let specs = rows.iter().map(|row| JobSpec { namespace: None, ..convert::job_spec(&row.definition) });
        bundle.jobs.extend(specs);
        if rows.len() < READ_MAX as usize {
            break;
        }
        after = rows.last().map(|row| row.definition.key.clone());
        // Conversion of a page takes about a millisecond: let others in.
        tokio::task::yield_now().await;
    }
    if bundle.jobs.is_empty() && bundle.calendars.is_empty() {
        namespaces::must_exist(&app, &namespace).await?;
    }
    large_json(bundle).await
}

/// A page of a namespace's jobs.
pub(super) async fn jobs_after(
    app: &App,
    namespace: &str,
    after: Option<mainspring_core::job::JobKey>,
    limit: u32,
) -> Answer<Vec<JobRow>> {
    let query = JobQuery { namespace: Some(namespace.to_owned()), after, limit, ..JobQuery::default() };
    Ok(app.control().store().jobs(query).await?)
}
