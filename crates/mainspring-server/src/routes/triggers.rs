//! Triggers.

use axum::extract::State;
use axum::{Extension, Json};
use mainspring_api::{ErrorCode, Gap, GapFilter, Page, Reason, Trigger, TriggerFilter, did_you_mean, routes};
use mainspring_core::job::{JobKey, Overlap};
use mainspring_core::{JobId, TriggerId};
use mainspring_schedule::Lang;
use mainspring_store::{JobRow, NamedTrigger, TriggerInfo, TriggerQuery};
use rustc_hash::FxHashMap;
use utoipa_axum::routes;

use super::{Route, jobs, misfires, named_namespace, namespaces};
use crate::access::Caller;
use crate::app::App;
use crate::extract::{OptionalBody, PathOf, QueryOf};
use crate::pages;
use crate::pauses::{self, Pause, Paused};
use crate::refusal::{Answer, Refusal};
use crate::show::{self, JobView};
use crate::words::Reads;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::view(routes!(list)),
        Route::view(routes!(get)),
        Route::view(routes!(gaps)),
        Route::operate(routes!(pause)).repeatable(),
        Route::operate(routes!(resume)).repeatable(),
    ]
}

type Key = (String, String, String);

/// Lists triggers of a namespace, or with `-` of all, by job and name.
#[utoipa::path(get, path = routes::TRIGGERS, tag = "triggers", params(("namespace" = String, Path), TriggerFilter),
    responses((status = 200, body = Page<Trigger>)))]
async fn list(
    State(app): State<App>,
    PathOf(namespace): PathOf<String>,
    QueryOf(filter): QueryOf<TriggerFilter>,
    Reads(language): Reads,
) -> Answer<Json<Page<Trigger>>> {
    let limit = pages::limit(filter.limit)?;
    let after = pages::names::<3>("triggers", filter.cursor.as_deref())?;
    if let Some(job) = filter.job.as_ref().filter(|_| named_namespace(&namespace).is_some()) {
        jobs::find(&app, &JobKey::new(&namespace, job)).await?;
    }
    let fetch = u32::try_from(limit + 1).unwrap_or(u32::MAX);
    let mut query = TriggerQuery {
        namespace: named_namespace(&namespace).map(str::to_owned),
        job: filter.job.clone(),
        after: after.map(|[namespace, job, name]| (JobKey::new(namespace, job), name)),
        limit: fetch,
    };
    let mut shown = Show { app: &app, language, active: FxHashMap::default() };
    let mut found: Vec<Trigger> = Vec::new();
    loop {
        let rows = app.control().store().triggers(query.clone()).await?;
        let is_last = rows.len() < fetch as usize;
        query.after = rows.last().map(|last| (last.job.definition.key.clone(), last.trigger.name.clone()));
        for TriggerInfo { job, trigger } in rows {
            found.extend(shown.show(&job, &trigger).await?.filter(|trigger| matches(&filter, trigger)));
        }
        if is_last || found.len() > limit {
            break;
        }
    }
    if found.is_empty() && filter.cursor.is_none() && named_namespace(&namespace).is_some() {
        namespaces::must_exist(&app, &namespace).await?;
    }
    Ok(Json(pages::page(found, limit, |trigger: &Trigger| {
        pages::cursor("triggers", &[&trigger.namespace, &trigger.job, &trigger.name])
    })))
}

/// Returns a trigger.
#[utoipa::path(get, path = routes::TRIGGER, tag = "triggers", params(("namespace" = String, Path), ("job" = String, Path), ("trigger" = String, Path)),
    responses((status = 200, body = Trigger)))]
async fn get(State(app): State<App>, PathOf(key): PathOf<Key>, Reads(language): Reads) -> Answer<Json<Trigger>> {
    find(&app, key, language).await.map(Json)
}

/// Lists the instants of a trigger that did not fire, newest first. A page may have fewer than `limit`, or none, and a `next_cursor`: the
/// search goes on there.
#[utoipa::path(get, path = routes::TRIGGER_GAPS, tag = "triggers",
    params(("namespace" = String, Path), ("job" = String, Path), ("trigger" = String, Path), GapFilter),
    responses((status = 200, body = Page<Gap>)))]
async fn gaps(
    State(app): State<App>,
    PathOf(key): PathOf<Key>,
    QueryOf(filter): QueryOf<GapFilter>,
    Reads(language): Reads,
) -> Answer<Json<Page<Gap>>> {
    let limit = pages::limit(filter.limit)?;
    let before = match filter.cursor.as_deref() {
        Some(cursor) => cursor.parse().map_err(|_| pages::bad_cursor(cursor))?,
        None => i64::MAX,
    };
    let trigger = find(&app, key, language).await?;
    let wanted = misfires::Wanted::of_trigger(id_of(&trigger), &filter);
    let (found, rest) = misfires::walk(&app, &wanted, before, limit).await?;
    let items = found.into_iter().map(|(row, _)| Gap {
        id: row.seq.to_string(),
        trigger: trigger.key.clone(),
        first: show::instant(row.gap.first),
        last: show::instant(row.gap.last),
        count: row.gap.count,
        outcome: row.gap.outcome.to_string(),
        reason: row.gap.reason.to_string(),
        policy: row.gap.policy,
        recorded_at: show::instant(row.at),
        backfill: row.backfill.map(|id| id.to_string()),
        backfilled: row.backfilled,
    });
    Ok(Json(Page { items: items.collect(), next_cursor: rest.map(|seq| seq.to_string()) }))
}

/// Pauses a trigger.
#[utoipa::path(post, path = routes::TRIGGER_PAUSE, tag = "triggers", params(("namespace" = String, Path), ("job" = String, Path), ("trigger" = String, Path)),
    request_body = Reason, responses((status = 200, body = Trigger)))]
async fn pause(
    state: State<App>,
    key: PathOf<Key>,
    language: Reads,
    caller: Extension<Caller>,
    reason: OptionalBody<Reason>,
) -> Answer<Json<Trigger>> {
    set_paused((state, key, language), caller, reason, true).await
}

/// Ends the pause of a trigger, or lets it fire again after it was put aside.
#[utoipa::path(post, path = routes::TRIGGER_RESUME, tag = "triggers", params(("namespace" = String, Path), ("job" = String, Path), ("trigger" = String, Path)),
    request_body = Reason, responses((status = 200, body = Trigger)))]
async fn resume(
    state: State<App>,
    key: PathOf<Key>,
    language: Reads,
    caller: Extension<Caller>,
    reason: OptionalBody<Reason>,
) -> Answer<Json<Trigger>> {
    set_paused((state, key, language), caller, reason, false).await
}

async fn set_paused(
    (State(app), PathOf(key), Reads(language)): (State<App>, PathOf<Key>, Reads),
    Extension(caller): Extension<Caller>,
    OptionalBody(asked): OptionalBody<Reason>,
    paused: bool,
) -> Answer<Json<Trigger>> {
    let before = find(&app, key.clone(), language).await?;
    let by = pauses::by(&caller, &asked)?;
    let (job, what) = (JobKey::new(&key.0, &key.1), Paused::Trigger(id_of(&before)));
    tracing::info!(trigger = before.key, paused, by, reason = asked.reason, "the pause of a trigger changes");
    if paused {
        app.control().pause_trigger(&job, &key.2).await?;
        pauses::note(&app, what, by, asked.reason, before.paused).await?;
    } else {
        app.control().resume_trigger(&job, &key.2).await?;
        pauses::forget(&app, what).await?;
    }
    find(&app, key, language).await.map(Json)
}

fn id_of(trigger: &Trigger) -> TriggerId {
    TriggerId(trigger.id.parse().expect("ids are shown as numbers"))
}

pub(super) async fn find(app: &App, (namespace, job, name): Key, language: Lang) -> Answer<Trigger> {
    let key = JobKey::new(namespace, job);
    let row = jobs::find(app, &key).await?;
    let prior = app.control().store().prior(&key).await?;
    let row = prior.job.unwrap_or(row);
    let mut shown = Show { app, language, active: FxHashMap::default() };
    if let Some(trigger) = prior.triggers.iter().find(|trigger| trigger.name == name)
        && let Some(trigger) = shown.show(&row, trigger).await?
    {
        return Ok(trigger);
    }
    let missing =
        Refusal::new(ErrorCode::TriggerNotFound, format!("job \"{key}\" has no trigger \"{}\"", name.escape_debug()));
    let names = || prior.triggers.iter().map(|trigger| trigger.name.as_str());
    let all = names().collect::<Vec<_>>().join(", ");
    Err(match did_you_mean(&name, names()) {
        Some(hint) => missing.hint(hint),
        None if all.is_empty() => missing.hint("it has no triggers"),
        None => missing.hint(format!("its triggers are {all}")),
    })
}

/// Shows triggers, and counts the runs of each job once.
pub(super) struct Show<'a> {
    pub(super) app: &'a App,
    pub(super) language: Lang,
    pub(super) active: FxHashMap<JobId, u32>,
}

impl Show<'_> {
    pub(super) async fn show(&mut self, job: &JobRow, trigger: &NamedTrigger) -> Answer<Option<Trigger>> {
        // Only with `hold` does it matter.
        let active = match (job.definition.overlap, self.active.get(&job.id)) {
            (Overlap::Hold, None) => {
                let active = JobView::active_runs(&**self.app.control().store(), job).await?;
                self.active.insert(job.id, active);
                active
            }
            (_, known) => known.copied().unwrap_or(0),
        };
        let pause = match trigger.own_pause {
            true => pauses::find(self.app, Paused::Trigger(trigger.row.id)).await?,
            false => None,
        };
        Ok(show::trigger(job, trigger, active, self.app.now(), self.language).map(|shown| {
            let Pause { at, by, reason } = pause.unwrap_or_default();
            Trigger { pause_reason: reason, paused_at: at, paused_by: by, ..shown }
        }))
    }
}

fn matches(filter: &TriggerFilter, trigger: &Trigger) -> bool {
    filter.state.is_none_or(|state| state == trigger.state)
        && filter.paused.is_none_or(|paused| paused == trigger.paused)
}
