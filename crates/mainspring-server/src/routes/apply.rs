//! Making the server hold what a bundle says.
//!
//! The whole bundle is read, compiled and compared with what is there before anything is written. Writes then go in
//! slices of a few hundred jobs, each on condition that nothing has changed since it was looked at.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use mainspring_api::{
    ApplyAction, ApplyItem, ApplyOptions, ApplyResult, ApplyTotals, Bundle, ErrorCode, FieldChange, ItemKind, JobSpec,
    Problem, routes,
};
use mainspring_core::job::{Job, JobKey};
use mainspring_engine::control::{self, JobSave, SaveMode};
use mainspring_store::{CalendarRow, Error as StoreError, Expect, JobRow};
use serde_json::Value;
use utoipa_axum::routes;

use super::{DEFAULT_NAMESPACE, Route, calendars, export};
use crate::afters;
use crate::app::App;
use crate::calls;
use crate::convert::after::Follower;
use crate::convert::calls::Calling;
use crate::convert::{self, Compiled, NamedCalendar, Surroundings};
use crate::extract::{Body, QueryOf, large_json, off_thread};
use crate::refusal::{Answer, Refusal};
use crate::saver::Saver;
use crate::show::count;
use crate::waits;
use crate::xxl::scripts;

/// Jobs that are saved at a time: a transaction of so many holds the only writer of the embedded store for about a
/// millisecond.
const SLICE_JOBS: usize = 25;
/// Items that are looked at before others are let in.
const STRIDE: usize = 64;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::edit(routes!(apply)).large().repeatable()]
}

/// Makes the server hold what a bundle says. Everything is checked before anything is written.
#[utoipa::path(post, path = routes::APPLY, tag = "bundles", params(ApplyOptions), request_body = Bundle, responses((status = 200, body = ApplyResult)))]
async fn apply(
    State(app): State<App>,
    QueryOf(options): QueryOf<ApplyOptions>,
    saver: Saver,
    Body(bundle): Body<Bundle>,
) -> Answer<Response> {
    let namespaces = namespaces_of(&bundle);
    let compiled = compile(&app, bundle).await?;
    let mut plan = plan(&app, compiled).await?;
    if options.prune {
        prune(&app, &mut plan, &namespaces).await?;
    }
    note_afters(&app, &mut plan).await?;
    may_save(&plan, &saver)?;
    if !options.dry_run {
        commit(&app, &mut plan, &saver).await?;
    }
    large_json(plan.result(options.dry_run)).await
}

/// A job that is saved with others.
pub(crate) struct Together {
    pub(crate) spec: JobSpec,
    /// The change that the caller has seen; none: the job must be new.
    pub(crate) seen: Option<i64>,
    /// Whether its pause ends, also one that people have set.
    pub(crate) resume: bool,
}

/// Saves jobs, each on condition that it is as the caller has seen it. Up to 25 are saved together.
pub(crate) async fn save_together(app: &App, jobs: Vec<Together>, saver: &Saver) -> Answer<()> {
    let seen: Vec<_> = jobs.iter().map(|job| (job.seen, job.resume)).collect();
    let jobs = jobs.into_iter().map(|job| job.spec).collect();
    let compiled = compile(app, Bundle { jobs, ..Bundle::default() }).await?;
    let mut plan = plan(app, compiled).await?;
    for (step, (seen, resume)) in plan.jobs.iter_mut().zip(seen) {
        step.resume = resume;
        if step.before.as_ref().map(|row| row.change) != seen {
            let why = format!("job {} was changed by somebody else just now", step.wanted.key);
            return Err(Refusal::new(ErrorCode::ResourceConflict, why));
        }
    }
    note_afters(app, &mut plan).await?;
    may_save(&plan, saver)?;
    commit(app, &mut plan, saver).await
}

/// Refuses scripts of whoever may not change them.
fn may_save(plan: &Plan, saver: &Saver) -> Answer<()> {
    plan.jobs
        .iter()
        .try_for_each(|step| saver.1.check_job(step.before.as_ref().map(|row| &*row.definition), &step.wanted))
}

/// What is to become of every item.
pub(super) struct Plan {
    calendars: Vec<Step<NamedCalendar, CalendarRow>>,
    jobs: Vec<Step<Arc<Job>, JobRow>>,
    warnings: Vec<Problem>,
    /// Where the triggers of each job were written, if one of them comes after a job.
    places: Vec<Vec<String>>,
    doomed_jobs: Vec<JobRow>,
    doomed_calendars: Vec<CalendarRow>,
}

/// What is wanted, what is there, and what is said of it.
struct Step<W, R> {
    wanted: W,
    before: Option<R>,
    item: ApplyItem,
    /// Whether a pause of a job ends with it.
    resume: bool,
}

async fn compile(app: &App, bundle: Bundle) -> Answer<Compiled> {
    let (names, bundle) = off_thread(move || Ok((convert::calendars_of(&bundle, DEFAULT_NAMESPACE), bundle))).await?;
    let known = calendars::known(app, names).await?;
    let (now, timezone) = (app.now(), app.default_timezone.clone());
    off_thread(move || {
        let find = |namespace: &str, name: &str| known.find(namespace, name);
        let around = Surroundings {
            namespace: DEFAULT_NAMESPACE,
            timezone: &timezone,
            now,
            calendars: &find,
            line: convert::NO_LINES,
        };
        convert::bundle(&bundle, &around).map_err(Refusal::invalid)
    })
    .await
}

pub(super) async fn plan(app: &App, compiled: Compiled) -> Answer<Plan> {
    crate::alerts::check_jobs(app, &compiled.jobs, |index| format!("/jobs/{index}")).await?;
    let store = app.control().store();
    let mut calendars = Vec::with_capacity(compiled.calendars.len());
    for wanted in compiled.calendars {
        let before = store.calendar(&wanted.namespace, &wanted.name).await?;
        let item = calendar_item(&wanted, before.as_ref())?;
        calendars.push(Step { wanted, before, item, resume: false });
    }
    let mut jobs = Vec::with_capacity(compiled.jobs.len());
    for (index, wanted) in compiled.jobs.into_iter().enumerate() {
        let before = store.job(&wanted.key).await?;
        let item = job_item(&wanted, before.as_ref());
        jobs.push(Step { wanted, before, item, resume: false });
        if index % STRIDE == STRIDE - 1 {
            tokio::task::yield_now().await;
        }
    }
    let warnings = compiled.warnings.into_iter().filter(|warning| !is_about_unchanged(warning, &jobs)).collect();
    let places = compiled.places;
    Ok(Plan { calendars, jobs, warnings, places, doomed_jobs: Vec::new(), doomed_calendars: Vec::new() })
}

/// Whoever applies the same again has been warned.
fn is_about_unchanged(warning: &Problem, jobs: &[Step<Arc<Job>, JobRow>]) -> bool {
    let index = warning.pointer.strip_prefix("/jobs/").and_then(|rest| rest.split('/').next()?.parse::<usize>().ok());
    index.and_then(|index| jobs.get(index)).is_some_and(|step| step.item.action == ApplyAction::Unchanged)
}

/// Refuses jobs that start each other in a circle, and warns of those that start after a job that does not exist.
pub(super) async fn note_afters(app: &App, plan: &mut Plan) -> Answer<()> {
    let followers = plan.jobs.iter().zip(&plan.places).map(|(step, places)| Follower { job: &step.wanted, places });
    let gone = plan.doomed_jobs.iter().map(|row| &row.definition.key).collect();
    let found = afters::check(app, &followers.collect::<Vec<_>>(), &gone).await?;
    let calling = plan.jobs.iter().enumerate();
    let calling = calling.map(|(index, step)| Calling { job: &step.wanted, place: format!("/jobs/{index}") });
    let calling = calling.collect::<Vec<_>>();
    let calls = calls::check(app, &calling, &gone).await?;
    let needs = waits::check(app, &calling, &gone).await?;
    plan.warnings.extend(found);
    plan.warnings.extend(calls);
    plan.warnings.extend(needs);
    Ok(())
}

/// Adds what the namespaces of the bundle hold and the bundle lacks.
async fn prune(app: &App, plan: &mut Plan, namespaces: &BTreeSet<String>) -> Answer<()> {
    let jobs: BTreeSet<&JobKey> = plan.jobs.iter().map(|step| &step.wanted.key).collect();
    let named = plan.calendars.iter().map(|step| (step.wanted.namespace.as_str(), step.wanted.name.as_str()));
    let calendars: BTreeSet<(&str, &str)> = named.collect();
    for namespace in namespaces {
        let mut after = None;
        loop {
            let rows = export::jobs_after(app, namespace, after, 1_000).await?;
            let Some(last) = rows.last() else { break };
            after = Some(last.definition.key.clone());
            plan.doomed_jobs.extend(rows.into_iter().filter(|row| !jobs.contains(&row.definition.key)));
        }
        let rows = calendars::all(app, namespace).await?.into_iter();
        plan.doomed_calendars
            .extend(rows.filter(|row| !calendars.contains(&(row.namespace.as_str(), row.name.as_str()))));
    }
    plan.doomed_calendars = users_first(std::mem::take(&mut plan.doomed_calendars))?;
    Ok(())
}

async fn commit(app: &App, plan: &mut Plan, saver: &Saver) -> Answer<()> {
    for step in plan.calendars.iter_mut().filter(|step| step.item.action != ApplyAction::Unchanged) {
        let expect = step.before.as_ref().map_or(Expect::Absent, |row| Expect::Change(row.change));
        let NamedCalendar { namespace, name, definition, .. } = &step.wanted;
        let saved = app.control().save_calendar(namespace, name, definition, expect, SaveMode::Commit).await;
        step.item.version = saved.map_err(overtaken)?.map(|row| count(row.change));
    }
    let mut changed: Vec<_> = plan.jobs.iter_mut().filter(|step| step.item.action != ApplyAction::Unchanged).collect();
    for slice in changed.chunks_mut(SLICE_JOBS) {
        let expect =
            |step: &Step<_, JobRow>| step.before.as_ref().map_or(Expect::Absent, |row| Expect::Change(row.change));
        let mut wanted = Vec::with_capacity(slice.len());
        for step in slice.iter() {
            let documents = scripts::changes(app, step.before.as_ref(), &step.wanted, &saver.0.by).await?;
            let (job, expect, saved_by) = (Arc::clone(&step.wanted), expect(step), Some(saver.0.clone()));
            wanted.push(JobSave { job, expect, documents, resume: step.resume, saved_by });
        }
        let saved = app.control().save_planned(wanted, SaveMode::Commit).await.map_err(overtaken)?;
        for (step, saved) in slice.iter_mut().zip(saved) {
            step.item.version = saved.saved.map(|row| count(row.version.0));
        }
        tokio::task::yield_now().await;
    }
    // What is deleted stays so: whoever is cut off applies again, and goes on where this ended.
    let has_scripts = !plan.doomed_jobs.is_empty() && scripts::are_kept(app).await?;
    for slice in plan.doomed_jobs.chunks(SLICE_JOBS) {
        let doomed: Vec<_> = slice.iter().map(|row| (row.definition.key.clone(), Expect::Change(row.change))).collect();
        let mut removals = Vec::new();
        for (key, _) in doomed.iter().filter(|_| has_scripts) {
            removals.push(scripts::removal(app, key).await?);
        }
        app.control().delete_jobs(&doomed).await.map_err(overtaken)?;
        for ((key, _), removal) in doomed.iter().zip(removals) {
            scripts::forget(app, key, removal).await;
        }
        tokio::task::yield_now().await;
    }
    for row in &plan.doomed_calendars {
        let deleted = app.control().delete_calendar(&row.namespace, &row.name, Expect::Change(row.change)).await;
        deleted.map_err(overtaken)?;
    }
    Ok(())
}

impl Plan {
    /// Says what is to become of every item, or has.
    pub(super) fn result(self, dry_run: bool) -> ApplyResult {
        let (mut calendars, warnings) = (self.calendars, self.warnings);
        calendars.sort_by_key(|step| step.wanted.index);
        let deleted = |kind, namespace: String, name: String| ApplyItem {
            kind,
            namespace,
            name,
            action: ApplyAction::Deleted,
            version: None,
            changes: Vec::new(),
        };
        let mut items: Vec<ApplyItem> = calendars.into_iter().map(|step| step.item).collect();
        items.extend(self.jobs.into_iter().map(|step| step.item));
        items.extend(self.doomed_jobs.into_iter().map(|row| {
            let key = &row.definition.key;
            deleted(ItemKind::Job, key.namespace.clone(), key.name.clone())
        }));
        items.extend(self.doomed_calendars.into_iter().map(|row| deleted(ItemKind::Calendar, row.namespace, row.name)));
        let mut totals = ApplyTotals::default();
        for item in &items {
            *match item.action {
                ApplyAction::Created => &mut totals.created,
                ApplyAction::Updated => &mut totals.updated,
                ApplyAction::Unchanged => &mut totals.unchanged,
                ApplyAction::Deleted => &mut totals.deleted,
            } += 1;
        }
        ApplyResult { dry_run, totals, items, warnings }
    }
}

fn calendar_item(wanted: &NamedCalendar, before: Option<&CalendarRow>) -> Answer<ApplyItem> {
    let spec = |definition| convert::calendar_spec(&wanted.namespace, &wanted.name, definition);
    let (action, changes) = match before.map(calendars::definition).transpose()? {
        None => (ApplyAction::Created, Vec::new()),
        Some(before) if before == wanted.definition => (ApplyAction::Unchanged, Vec::new()),
        Some(before) => (ApplyAction::Updated, changes(&spec(&before), &spec(&wanted.definition))),
    };
    Ok(ApplyItem {
        kind: ItemKind::Calendar,
        namespace: wanted.namespace.clone(),
        name: wanted.name.clone(),
        action,
        version: before.map(|row| count(row.change)),
        changes,
    })
}

fn job_item(wanted: &Job, before: Option<&JobRow>) -> ApplyItem {
    let (action, changes) = match before {
        None => (ApplyAction::Created, Vec::new()),
        Some(row) if *row.definition == *wanted => (ApplyAction::Unchanged, Vec::new()),
        Some(row) => (ApplyAction::Updated, changes(&convert::job_spec(&row.definition), &convert::job_spec(wanted))),
    };
    ApplyItem {
        kind: ItemKind::Job,
        namespace: wanted.key.namespace.clone(),
        name: wanted.key.name.clone(),
        action,
        version: before.map(|row| count(row.version.0)),
        changes,
    }
}

/// Every field in which two specs differ, by pointer.
fn changes<T: serde::Serialize>(before: &T, after: &T) -> Vec<FieldChange> {
    let value = |spec: &T| serde_json::to_value(spec).expect("a spec is plain JSON");
    let mut changes = Vec::new();
    differences(String::new(), Some(value(before)), Some(value(after)), &mut changes);
    changes
}

fn differences(pointer: String, before: Option<Value>, after: Option<Value>, changes: &mut Vec<FieldChange>) {
    match (before, after) {
        (Some(Value::Object(mut before)), Some(Value::Object(mut after))) => {
            let keys: BTreeSet<String> = before.keys().chain(after.keys()).cloned().collect();
            for key in keys {
                let inner = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
                differences(inner, before.remove(&key), after.remove(&key), changes);
            }
        }
        (before, after) if before == after => {}
        (before, after) => changes.push(FieldChange { pointer, before, after }),
    }
}

/// Puts calendars before those that they stand on, so that each can be deleted.
fn users_first(rows: Vec<CalendarRow>) -> Answer<Vec<CalendarRow>> {
    let mut waiting = Vec::with_capacity(rows.len());
    for row in rows {
        let base = calendars::definition(&row)?.base.map(|base| (row.namespace.clone(), base));
        waiting.push((row, base));
    }
    let mut order = Vec::with_capacity(waiting.len());
    while !waiting.is_empty() {
        let bases: BTreeSet<_> = waiting.iter().filter_map(|(_, base)| base.clone()).collect();
        let (later, now): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|(row, _)| bases.contains(&(row.namespace.clone(), row.name.clone())));
        if now.is_empty() {
            // They stand on each other, which no save allows; the store will say so.
            order.extend(later.into_iter().map(|(row, _)| row));
            break;
        }
        order.extend(now.into_iter().map(|(row, _)| row));
        waiting = later;
    }
    Ok(order)
}

/// The namespaces that a bundle names.
fn namespaces_of(bundle: &Bundle) -> BTreeSet<String> {
    let jobs = bundle.jobs.iter().map(|job| &job.namespace);
    let calendars = bundle.calendars.iter().map(|calendar| &calendar.namespace);
    let usual = bundle.namespace.as_deref().unwrap_or(DEFAULT_NAMESPACE);
    let items = jobs.chain(calendars).map(|namespace| namespace.as_deref().unwrap_or(usual).to_owned());
    bundle.namespace.iter().chain(&bundle.namespaces).cloned().chain(items).collect()
}

fn overtaken(error: control::Error) -> Refusal {
    match error {
        control::Error::Store(StoreError::Conflict { what, key, why }) => {
            let code = if what == "calendar" && why.contains("use") {
                ErrorCode::CalendarInUse
            } else {
                ErrorCode::ResourceConflict
            };
            Refusal::new(code, format!("{what} `{key}` {why}"))
                .hint("what was applied before stays; apply the bundle again")
        }
        error => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn differences_are_the_smallest_fields() {
        let before = json!({"name": "a", "env": {"A": "1", "b/c": "2"}, "run": "x", "list": [1, 2]});
        let after = json!({"name": "a", "env": {"A": "3"}, "retries": 2, "list": [1, 3], "run": "x"});
        let found = changes(&before, &after);
        let shown: Vec<_> = found.iter().map(|it| (it.pointer.as_str(), it.before.clone(), it.after.clone())).collect();
        assert_eq!(
            shown,
            [
                ("/env/A", Some(json!("1")), Some(json!("3"))),
                ("/env/b~1c", Some(json!("2")), None),
                ("/list", Some(json!([1, 2])), Some(json!([1, 3]))),
                ("/retries", None, Some(json!(2))),
            ]
        );
    }
}
