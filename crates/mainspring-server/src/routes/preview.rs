//! What a schedule will do, before it does it.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use mainspring_api::{self as api, ErrorCode, Preview, PreviewFire, PreviewNote, PreviewRequest, Problem, routes};
use mainspring_core::compile;
use mainspring_core::job::TriggerDefinition;
use mainspring_schedule::{CalendarUnit, Lang, Schedule, Timestamp, Trigger, Zone};
use utoipa_axum::routes;

use super::{DEFAULT_NAMESPACE, Route, calendars};
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
const PAST_MAX: u32 = 100;
/// How far back a schedule without a start is followed, in milliseconds: ten years.
const PAST_MS: i64 = 3_653 * 86_400_000;
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
    of(&app, request, language).await.map(Json)
}

/// Explains a schedule and lists its next fire times.
pub(crate) async fn of(app: &App, request: PreviewRequest, language: Lang) -> Answer<Preview> {
    let count = pages::bounded("count", request.count, COUNT, COUNT_MAX)?;
    let past = match request.past.unwrap_or(0) {
        past @ ..=PAST_MAX => past as usize,
        other => {
            let detail = format!("\"past\" takes 0 to {PAST_MAX}, not {other}");
            return Err(Refusal::invalid(vec![Problem::new(ErrorCode::FieldValue, detail).at("/past")]));
        }
    };
    let namespace = request.namespace.clone().unwrap_or_else(|| DEFAULT_NAMESPACE.to_owned());
    let bundle = trial(&request, &namespace);
    let known = calendars::known(app, convert::calendars_of(&bundle, &namespace)).await?;
    let timezone = app.default_timezone.clone();
    let after = request.after.map_or(app.now(), from_wire);
    // As if it were saved when the preview begins, if that is earlier: nothing fires before it is saved.
    let saved_at = after.min(app.now());
    off_thread(move || {
        let find = |namespace: &str, name: &str| known.find(namespace, name);
        let around = Surroundings {
            namespace: &namespace,
            timezone: &timezone,
            now: saved_at,
            calendars: &find,
            line: convert::NO_LINES,
        };
        let (definition, trigger) = compiled(&bundle, &around)?;
        let until = request.until.map_or(Timestamp::MAX, from_wire);
        let shown = Shown { definition: &definition, trigger: &trigger };
        let mut fires = shown.fires(after, until, count);
        if let Some(took_ms) = request.took_ms {
            mark_overlaps(&mut fires, took_ms);
        }
        let past = shown.past(after, past);
        let kind = request
            .trigger
            .kind()
            .ok_or_else(|| Refusal::new(ErrorCode::TriggerNoKind, "the trigger does not say when"))?;
        Ok(Preview {
            kind,
            explanation: words::explain(&definition, language),
            timezone: definition.timezone.clone(),
            dialect: dialect(&trigger),
            warnings: warnings(&trigger, language),
            fires,
            past,
        })
    })
    .await
}

/// The trigger as that of a job, beside the calendars that came with it.
fn trial(request: &PreviewRequest, namespace: &str) -> api::Bundle {
    let mut trigger = request.trigger.clone();
    trigger.name.get_or_insert_with(|| TRIAL.to_owned());
    let job = api::JobSpec { name: TRIAL.to_owned(), noop: true, triggers: vec![trigger], ..api::JobSpec::default() };
    api::Bundle {
        namespace: Some(namespace.to_owned()),
        calendars: request.calendars.clone(),
        jobs: vec![job],
        ..api::Bundle::default()
    }
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

/// A trigger whose fires are shown.
struct Shown<'a> {
    definition: &'a TriggerDefinition,
    trigger: &'a Trigger,
}

impl Shown<'_> {
    /// Fire times after an instant, those that the calendar removes among them.
    fn fires(&self, after: Timestamp, until: Timestamp, count: usize) -> Vec<PreviewFire> {
        let free = Trigger { calendar: None, ..self.trigger.clone() };
        free.fires_between(after + 1, until + 1).take(count).map(|at| self.fire(at)).collect()
    }

    /// Fire times up to an instant, the newest first, as if the trigger had been there before. What counts from a start begins there.
    fn past(&self, until: Timestamp, count: usize) -> Vec<PreviewFire> {
        let trigger = self.trigger;
        let counts = !matches!(trigger.schedule, Schedule::Cron(_) | Schedule::DailyWindow { .. });
        let start_at = if counts || self.definition.start_at.is_some() { trigger.start_at } else { until + -PAST_MS };
        let free = Trigger { calendar: None, start_at, ..trigger.clone() };
        let state = free.first_fire();
        let mut before = until + 1;
        let next = || {
            before = free.previous_before(&state, before)?;
            Some(self.fire(before))
        };
        std::iter::from_fn(next).take(count).collect()
    }

    fn fire(&self, at: Timestamp) -> PreviewFire {
        let trigger = self.trigger;
        let is_removed = |_: &String| {
            let included = |calendar: &std::sync::Arc<mainspring_schedule::Calendar>| {
                calendar.is_included(at, trigger.semantics, &trigger.zone)
            };
            trigger.calendar.as_ref().is_some_and(|calendar| !included(calendar))
        };
        PreviewFire {
            at: instant(at),
            local: local(at, &trigger.zone),
            note: note(trigger, at),
            excluded_by: self.definition.calendar.clone().filter(is_removed),
            overlaps: false,
        }
    }
}

/// Marks fires that come before a run of the one before would be over. Those that a calendar removes make no run.
fn mark_overlaps(fires: &mut [PreviewFire], took_ms: u64) {
    let took_ms = i64::try_from(took_ms).unwrap_or(i64::MAX);
    let mut before: Option<i64> = None;
    for fire in fires.iter_mut().filter(|fire| fire.excluded_by.is_none()) {
        let at = fire.at.as_millis();
        fire.overlaps = before.is_some_and(|before| at - before < took_ms);
        before = Some(at);
    }
}

fn dialect(trigger: &Trigger) -> Option<String> {
    match &trigger.schedule {
        Schedule::Cron(cron) => Some(cron.dialect().as_str().to_owned()),
        _ => None,
    }
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
