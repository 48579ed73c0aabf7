//! Who could execute the next run of a job.

use axum::Json;
use axum::extract::State;
use mainspring_api::{JobMatch, routes};
use mainspring_core::batch::Queues;
use mainspring_core::job::JobKey;
use mainspring_core::lane::Lane;
use utoipa_axum::routes;

use super::{Route, jobs, labels, why};
use crate::app::App;
use crate::extract::PathOf;
use crate::matching::{self, Here};
use crate::pauses::{self, Paused};
use crate::refusal::Answer;
use crate::show;
use crate::why as reasons;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(match_job))]
}

/// Says which servers and workers could execute the next run of a job if it came now, and why each of the others could not. What keeps its runs
/// back whoever executes them is told apart: a pause or a limit of its queue, and limits of its labels.
#[utoipa::path(get, path = routes::JOB_MATCH, tag = "jobs", params(("namespace" = String, Path), ("job" = String, Path)), responses((status = 200, body = JobMatch)))]
async fn match_job(
    State(app): State<App>,
    PathOf((namespace, name)): PathOf<(String, String)>,
) -> Answer<Json<JobMatch>> {
    let row = jobs::find(&app, &JobKey::new(&namespace, &name)).await?;
    let job = &*row.definition;
    // Of what is not routed, slots may be kept for short jobs.
    let is_short = !job.routing.is_none() || app.engine.lane(row.id) == Some(Lane::Short);
    let slow_max = |queues: &Queues, slots| (!is_short).then(|| app.engine.slow_max(queues, slots));
    let here = Here {
        queues: app.engine.queues().clone(),
        slots: app.slots,
        used: u32::try_from(app.engine.metrics().busy_slots()).unwrap_or(0),
        draining: app.engine.is_draining(),
        slow_max: slow_max(app.engine.queues(), app.slots),
    };
    let mut takers: Vec<_> = show::nodes(&app).iter().map(|node| matching::node(job, node, &here)).collect();
    let now = app.now();
    for worker in app.control().store().workers().await? {
        let queues = Queues::named(worker.info.queues.iter().map(String::as_str));
        takers.push(matching::worker(job, &worker, slow_max(&queues, worker.info.slots), now));
    }
    takers.sort_by(|a, b| (a.fit, a.kind, &a.name, &a.id).cmp(&(b.fit, b.kind, &b.name, &b.id)));
    let pause = pauses::find(&app, Paused::Queue(&job.queue)).await?;
    let mut held_by: Vec<_> =
        reasons::at_limit(&why::queue(&app, &job.queue).await?, pause.as_ref(), &job.queue).into_iter().collect();
    held_by.extend(reasons::full(&labels::full(&app, &job.labels).await?));
    let (queue, labels) = (job.queue.clone(), job.routing.workers.clone());
    Ok(Json(JobMatch { namespace, job: name, queue, labels, held_by, takers }))
}
