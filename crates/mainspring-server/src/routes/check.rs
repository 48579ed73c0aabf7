//! Job files that are checked, and compared with what is stored, before somebody saves them.

use axum::extract::State;
use axum::response::Response;
use mainspring_api::{
    CheckRequest, CheckResult, Format, JobFile, JobFiles, Problem, ProblemDetails, routes, survey_job_files,
};
use utoipa_axum::routes;

use super::{Route, apply, calendars, versions};
use crate::app::App;
use crate::convert::{self, Compiled, Surroundings};
use crate::extract::{Body, PathOf, large_json, off_thread};
use crate::refusal::Answer;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(check)).large()]
}

/// Checks a job file without saving it: says what is wrong, where in the text, and what would change.
#[utoipa::path(post, path = routes::CHECK, tag = "bundles", params(("namespace" = String, Path)), request_body = CheckRequest,
    responses((status = 200, body = CheckResult)))]
async fn check(
    State(app): State<App>,
    PathOf(namespace): PathOf<String>,
    Body(request): Body<CheckRequest>,
) -> Answer<Response> {
    let format = versions::format(request.format.as_deref())?;
    let (files, problems) = survey(request.text, format, namespace.clone()).await?;
    let names = convert::calendars_of(files.bundle(), &namespace);
    let known = calendars::known(&app, names).await?;
    let (now, timezone) = (app.now(), app.default_timezone.clone());
    let (files, read) = off_thread(move || {
        let find = |namespace: &str, name: &str| known.find(namespace, name);
        let around =
            Surroundings { namespace: &namespace, timezone: &timezone, now, calendars: &find, line: convert::NO_LINES };
        let read = match convert::bundle(files.bundle(), &around) {
            Ok(compiled) if problems.is_empty() => Ok(compiled),
            Ok(_) => Err(problems),
            Err(further) => Err(files.with_further(problems, further)),
        };
        Ok((files, read))
    })
    .await?;
    large_json(result(&app, files, read).await?).await
}

async fn survey(text: String, format: Format, namespace: String) -> Answer<(JobFiles, Vec<Problem>)> {
    off_thread(move || {
        let file = JobFile { name: None, format, text: text.as_bytes() };
        Ok(survey_job_files(&[file], Some(&namespace)))
    })
    .await
}

async fn result(app: &App, files: JobFiles, read: Result<Compiled, Vec<Problem>>) -> Answer<CheckResult> {
    let mut result =
        CheckResult { valid: false, errors: Vec::new(), warnings: files.empty(), items: Vec::new(), jobs: Vec::new() };
    match read {
        Ok(compiled) => {
            let mut plan = apply::plan(app, compiled).await?;
            match apply::note_afters(app, &mut plan).await {
                Ok(()) => result.valid = true,
                Err(refusal) if !refusal.0.errors.is_empty() => {
                    result.errors = refusal.0.errors.into_iter().map(|problem| files.locate(problem)).collect();
                }
                Err(refusal) => return Err(refusal),
            }
            let planned = plan.result(true);
            result.warnings.extend(planned.warnings.into_iter().map(|warning| files.locate(warning)));
            result.items = planned.items;
        }
        Err(mut problems) => {
            problems.truncate(ProblemDetails::ERRORS_MAX);
            result.errors = problems;
        }
    }
    result.jobs = files.into_bundle().jobs;
    Ok(result)
}
