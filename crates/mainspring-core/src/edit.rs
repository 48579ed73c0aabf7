//! What an edit, a pause or a resume does to triggers.

use mainspring_schedule::Timestamp;

use crate::batch::{Gap, GapOutcome, GapReason, Progress, TriggerStatus};
use crate::id::TriggerId;
use crate::job::TriggerDefinition;
use crate::rule::Rule;

/// Where a new trigger stands, or one made again under a key that left a tombstone.
///
/// Its first fire is not before now: past instants come back only by backfill.
#[must_use]
pub fn begin(rule: &Rule, id: TriggerId, fired_through: Option<Timestamp>, now: Timestamp) -> Progress {
    rule.begin(id, fired_through.map_or(now - 1, |through| through.max(now - 1)), fired_through)
}

/// Where a trigger stands whose definition was saved again.
///
/// Unchanged triggers go on as they were. Changed ones start anew after max(now, `fired_through`); if a `delay` trigger awaits
/// a run, it goes on awaiting it.
#[must_use]
pub fn change(
    before: &TriggerDefinition,
    progress: &Progress,
    after: &TriggerDefinition,
    rule: &Rule,
    id: TriggerId,
    now: Timestamp,
) -> Progress {
    let same_instants = before.schedule == after.schedule
        && before.timezone == after.timezone
        && before.start_at == after.start_at
        && before.end_at == after.end_at
        && before.calendar == after.calendar
        && before.semantics == after.semantics
        && before.jitter_ms == after.jitter_ms;
    if same_instants && progress.status != TriggerStatus::Error {
        return *progress;
    }
    let mut fresh =
        rule.begin(id, progress.fired_through.map_or(now, |through| through.max(now)), progress.fired_through);
    fresh.previous_fire_at = progress.previous_fire_at;
    if let (Some(run), Some(_)) = (progress.awaiting_run, rule.delay_ms) {
        (fresh.next_fire_at, fresh.due_at, fresh.awaiting_run) = (None, None, Some(run));
    }
    fresh
}

/// Where a trigger stands after a pause, and the instants that passed meanwhile, as one range.
///
/// The next fire lies after max(now, `fired_through`).
#[must_use]
pub fn resume(rule: &Rule, id: TriggerId, progress: &Progress, now: Timestamp) -> (Progress, Option<Gap>) {
    let Some(next) = progress.next_fire_at.filter(|next| *next <= now) else { return (*progress, None) };
    let mut resumed = *progress;
    if rule.delay_ms.is_some() {
        // A delay has no further instants of its own: the one that waited is due now.
        (resumed.next_fire_at, resumed.due_at) = (Some(now), Some(now));
        return (resumed, None);
    }
    let state = crate::rule::state_of(progress);
    let last = rule.trigger.previous_before(&state, now + 1).unwrap_or(next).max(next);
    let count = rule.trigger.count_between(&state, next, now + 1);
    resumed.next_fire_at = rule.trigger.next_after(&state, now);
    resumed.due_at = resumed.next_fire_at.map(|at| rule.due_at(id, at));
    resumed.fired_through = progress.fired_through.max(Some(last));
    if resumed.next_fire_at.is_none() && resumed.awaiting_run.is_none() {
        resumed.status = TriggerStatus::Complete;
    }
    let gap = Gap {
        first: next,
        last,
        count: count.max(1),
        outcome: GapOutcome::Missed,
        reason: GapReason::Paused,
        policy: "resume".into(),
    };
    (resumed, Some(gap))
}
