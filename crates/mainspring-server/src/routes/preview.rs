//! What a schedule will do, before it does it.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use mainspring_api::{self as api, ErrorCode, Preview, PreviewFire, PreviewNote, PreviewRequest, Problem, routes};
use mainspring_core::compile;
use mainspring_core::job::TriggerDefinition;
use mainspring_schedule::{CalendarUnit, Lang, Schedule, Timestamp, Trigger, Zone};
use utoipa_axum::routes;

use super::{Route, calendars, jobs};
use crate::app::App;
use crate::convert::{self, Known, Surroundings};
use crate::extract::{Body, off_thread};
use crate::idempotency;
use crate::pages;
use crate::refusal::{Answer, Refusal};
use crate::show::{from_wire, instant};
use crate::words::{self, Reads};

const COUNT: u32 = 10;
const COUNT_MAX: u32 = 1_000;
/// Name of the job that a trigger is tried out with.
const TRIAL: &str = "preview";

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(preview))]
}

/// Explains a schedule and lists its next fire times; nothing is stored.
#[utoipa::path(post, path = routes::PREVIEW, tag = "schedules", request_body = PreviewRequest, responses((status = 200, body = Preview)))]
async fn preview(
    State(app): State<App>,
    headers: HeaderMap,
    Reads(language): Reads,
    Body(request): Body<PreviewRequest>,
) -> Answer<Json<Preview>> {
    // Checked like elsewhere, and not kept: there is nothing that a repetition could do twice.
    idempotency::key_of(&headers)?;
    let count = pages::bounded("count", request.count, COUNT, COUNT_MAX)?;
    let namespace = request.namespace.clone().unwrap_or_else(|| jobs::DEFAULT_NAMESPACE.to_owned());
    let bundle = trial(&request, &namespace);
    let known = calendars::known(&app, convert::calendars_of(&bundle, &namespace)).await?;
    let timezone = app.default_timezone.clone();
    let after = request.after.map_or(app.now(), from_wire);
    // As if it were saved when the preview begins, if that is earlier: nothing fires before it is saved.
    let saved_at = after.min(app.now());
    off_thread(move || {
        let find = |namespace: &str, name: &str| known.find(namespace, name);
        let around = Surroundings { namespace: &namespace, timezone: &timezone, now: saved_at, calendars: &find };
        let (definition, trigger) = compiled(&bundle, &around)?;
        let until = request.until.map_or(Timestamp::MAX, from_wire);
        let fires = fires(&definition, &trigger, after, until, count);
        let kind = request
            .trigger
            .kind()
            .ok_or_else(|| Refusal::new(ErrorCode::TriggerNoKind, "the trigger does not say when"))?;
        Ok(Preview {
            kind,
            explanation: words::explain(&definition, language),
            timezone: definition.timezone.clone(),
            warnings: warnings(&trigger, language),
            fires,
        })
    })
    .await
    .map(Json)
}

/// The trigger as that of a job, beside the calendars that came with it.
fn trial(request: &PreviewRequest, namespace: &str) -> api::Bundle {
    let mut trigger = request.trigger.clone();
    trigger.name.get_or_insert_with(|| TRIAL.to_owned());
    let job = api::JobSpec { name: TRIAL.to_owned(), noop: true, triggers: vec![trigger], ..api::JobSpec::default() };
    api::Bundle { namespace: Some(namespace.to_owned()), calendars: request.calendars.clone(), jobs: vec![job] }
}

fn compiled(bundle: &api::Bundle, around: &Surroundings<'_>) -> Answer<(TriggerDefinition, Trigger)> {
    let placed = |problem: Problem| {
        let pointer = problem.pointer.replacen("/jobs/0/triggers/0", "/trigger", 1);
        problem.at(pointer)
    };
    let read = convert::bundle(bundle, around)
        .map_err(|problems| Refusal::invalid(problems.into_iter().map(placed).collect()))?;
    let definition = read.jobs[0].triggers[0].clone();
    // Compiled once more without its calendar, whose work is shown and not hidden; then with it.
    let alone = TriggerDefinition { calendar: None, ..definition.clone() };
    let refused = |error: compile::FieldError| {
        Refusal::invalid(vec![Problem::new(convert::code_of(error.code), error.message).at("/trigger")])
    };
    let mut trigger = compile::trigger(&alone, around.now, &|_| None).map_err(refused)?;
    if let Some(name) = &definition.calendar {
        trigger.calendar = calendar(&read, name, around);
    }
    Ok((definition, trigger))
}

/// A calendar of the request, else of the namespace.
fn calendar(
    read: &convert::Compiled,
    name: &str,
    around: &Surroundings<'_>,
) -> Option<std::sync::Arc<mainspring_schedule::Calendar>> {
    let own = read.calendars.iter().find(|named| named.name == name && named.namespace == around.namespace);
    match own {
        Some(own) => {
            let base = own.definition.base.as_deref().and_then(|base| calendar(read, base, around));
            compile::calendar(&own.definition, &|_| base.clone()).ok().map(std::sync::Arc::new)
        }
        None => match (around.calendars)(around.namespace, name) {
            Known::Calendar(calendar) => Some(calendar),
            Known::Missing | Known::Unknown => None,
        },
    }
}

/// Fire times after an instant, those that the calendar removes among them.
fn fires(
    definition: &TriggerDefinition,
    trigger: &Trigger,
    after: Timestamp,
    until: Timestamp,
    count: usize,
) -> Vec<PreviewFire> {
    let free = Trigger { calendar: None, ..trigger.clone() };
    let show = |at: Timestamp| PreviewFire {
        at: instant(at),
        local: local(at, &trigger.zone),
        note: note(trigger, at),
        excluded_by: definition.calendar.clone().filter(|_| {
            trigger
                .calendar
                .as_ref()
                .is_some_and(|calendar| !calendar.is_included(at, trigger.semantics, &trigger.zone))
        }),
    };
    free.fires_between(after + 1, until + 1).take(count).map(show).collect()
}

/// An instant in a zone, with its offset.
fn local(at: Timestamp, zone: &Zone) -> String {
    let offset_s = zone.offset_ms(at) / 1_000;
    let (sign, size) = if offset_s < 0 { ('-', -offset_s) } else { ('+', offset_s) };
    format!("{}{sign}{:02}:{:02}", zone.to_local(at), size / 3_600, size / 60 % 60)
}

/// What a change of the clock does to a fire.
fn note(trigger: &Trigger, at: Timestamp) -> Option<PreviewNote> {
    let zone = &trigger.zone;
    let shown = zone.to_local(at);
    if matches!(zone.resolve(shown), mainspring_schedule::Resolved::Twice { .. }) {
        return Some(PreviewNote::Fold);
    }
    // Only right after a gap can a fire have been moved there.
    let jumped = zone.offset_ms(at) > zone.offset_ms(at - HOURS_3_MS);
    (jumped && !asked_for(trigger, at)).then_some(PreviewNote::Gap)
}

const HOURS_3_MS: i64 = 3 * 3_600_000;

/// Whether the schedule names the local time that a fire shows, so that no change of the clock has moved it.
fn asked_for(trigger: &Trigger, at: Timestamp) -> bool {
    let shown = trigger.zone.to_local(at);
    match &trigger.schedule {
        // On a clock that never jumps, what it shows is what UTC shows.
        Schedule::Cron(cron) => cron.matches(&Zone::utc(), Timestamp::from_millis(shown.as_millis())),
        Schedule::CalendarInterval { unit, .. }
            if !matches!(unit, CalendarUnit::Second | CalendarUnit::Minute | CalendarUnit::Hour) =>
        {
            trigger.zone.to_local(trigger.start_at).millis_of_day() == shown.millis_of_day()
        }
        _ => true,
    }
}

/// What is worth a thought and not wrong.
fn warnings(trigger: &Trigger, language: Lang) -> Vec<Problem> {
    let Schedule::Cron(cron) = &trigger.schedule else { return Vec::new() };
    let lints = mainspring_schedule::lint(cron, &trigger.zone).into_iter();
    let warning = |lint: mainspring_schedule::Lint| Problem {
        code: lint.code.to_owned(),
        message: lint.message_in(language).to_owned(),
        pointer: "/trigger/cron".to_owned(),
        position: None,
        hint: None,
    };
    lints.map(warning).collect()
}
