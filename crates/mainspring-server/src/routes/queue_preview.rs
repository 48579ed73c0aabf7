//! What other limits of a queue would do, before they are set.

use axum::Json;
use axum::extract::State;
use mainspring_api::{QueueEffect, QueuePreview, QueueSettings, routes};
use mainspring_core::Timestamp;
use mainspring_core::line::Line;
use mainspring_core::run::RunState;
use utoipa_axum::routes;

use super::{Route, queues};
use crate::app::App;
use crate::extract::{Body, PathOf};
use crate::refusal::Answer;

/// Runs that are counted.
const COUNTED_MAX: u32 = 100_000;

pub(super) fn routes() -> Vec<Route> {
    vec![Route::view(routes!(preview))]
}

/// Says what other limits of a queue would do to the runs that are there now, beside what the present ones do. Nothing is changed.
#[utoipa::path(post, path = routes::QUEUE_PREVIEW, tag = "queues", params(("queue" = String, Path)), request_body = QueueSettings,
    responses((status = 200, body = QueuePreview)))]
async fn preview(
    State(app): State<App>,
    PathOf(name): PathOf<String>,
    Body(after): Body<QueueSettings>,
) -> Answer<Json<QueuePreview>> {
    queues::must_be_name(&name)?;
    queues::check(&after)?;
    let store = app.control().store();
    let before = store.queues().await?.into_iter().find(|row| row.name == name).map(|row| row.rule);
    let before = queues::settings(before.unwrap_or_default());
    let waiting = store.waiting(&name, COUNTED_MAX).await?;
    let is_it = |queue: &str| Line::parse(queue).queue() == name;
    let counts = store.figures().await?.runs.into_iter();
    let running =
        counts.filter(|count| count.state == RunState::Running && is_it(&count.queue)).map(|it| it.count).sum();
    let (is_least, waiting, now) = (waiting >= COUNTED_MAX, u64::from(waiting), app.now());
    let effect = |settings| effect(settings, waiting, running, now);
    let (before, after) = (effect(before), effect(after));
    Ok(Json(QueuePreview { waiting, is_least, running, before, after }))
}

/// What limits do where so many runs wait and so many are executed. Of a rate, nothing is taken up yet.
fn effect(settings: QueueSettings, waiting: u64, running: u64, now: Timestamp) -> QueueEffect {
    let room = queues::rule(settings).room(u32::try_from(running).unwrap_or(u32::MAX), 0, now);
    let leave = u64::from(room).min(waiting);
    let rate = settings.rate.filter(|_| !settings.paused);
    QueueEffect {
        settings,
        leave,
        wait: waiting - leave,
        over: settings.max_running.map_or(0, |max| running.saturating_sub(max.into())),
        drain_ms: rate.map(|rate| waiting * u64::from(rate.per_ms) / u64::from(rate.count.max(1))),
        refuses: settings.max_waiting.is_some_and(|max| waiting >= max.into()),
    }
}

#[cfg(test)]
mod tests {
    use mainspring_api::QueueRate;

    use super::*;

    #[test]
    fn effect_of_limits_on_what_waits_and_runs() {
        let none = QueueSettings::default();
        let rate = |count, per_ms| Some(QueueRate { count, per_ms });
        for (settings, expected) in [
            (none, (40, 0, 0, None, false)),
            (QueueSettings { max_running: Some(8), ..none }, (5, 35, 0, None, false)),
            (QueueSettings { max_running: Some(2), ..none }, (0, 40, 1, None, false)),
            (QueueSettings { paused: true, rate: rate(5, 1_000), ..none }, (0, 40, 0, None, false)),
            (QueueSettings { rate: rate(5, 1_000), ..none }, (5, 35, 0, Some(8_000), false)),
            (QueueSettings { rate: rate(1, 60_000), max_waiting: Some(40), ..none }, (1, 39, 0, Some(2_400_000), true)),
        ] {
            let QueueEffect { leave, wait, over, drain_ms, refuses, .. } =
                effect(settings, 40, 3, Timestamp::from_millis(1_767_225_600_000));
            assert_eq!((leave, wait, over, drain_ms, refuses), expected, "{settings:?}");
        }
    }
}
