//! What an edit, a pause or a resume does to triggers.

use mainspring_schedule::{Timestamp, TriggerState};

use crate::batch::{Gap, GapOutcome, GapReason, Progress, TriggerStatus};
use crate::id::TriggerId;
use crate::job::TriggerDefinition;
use crate::rule::Rule;

/// Where a new trigger stands, or one made again under a key that left a tombstone.
///
/// Its first fire is not before now: past instants come back only by backfill.
#[must_use]
pub fn begin(rule: &Rule, id: TriggerId, fired_through: Option<Timestamp>, now: Timestamp) -> Progress {
    rule.begin(id, fired_through.map_or(now - 1, |through| through.max(now - 1)))
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
    let mut fresh = rule.begin(id, progress.fired_through.map_or(now, |through| through.max(now)));
    fresh.previous_fire_at = progress.previous_fire_at;
    if let (Some(run), Some(_)) = (progress.awaiting_run, rule.delay_ms) {
        fresh.awaiting_run = Some(run);
        rule.set_next(id, &mut fresh, None);
    }
    fresh
}

/// Where a trigger stands after a pause, or after it was put aside, and the instants that passed meanwhile, as one range.
///
/// The next fire lies after max(now, `fired_through`).
#[must_use]
pub fn resume(rule: &Rule, id: TriggerId, progress: &Progress, now: Timestamp) -> (Progress, Option<Gap>) {
    if progress.status == TriggerStatus::Error {
        return restart(rule, id, progress, now);
    }
    let Some(next) = progress.next_fire_at.filter(|next| *next <= now) else { return (*progress, None) };
    let mut resumed = *progress;
    if rule.delay_ms.is_some() {
        // The instant that waited is due now, or as soon as the calendar includes one.
        rule.set_next(id, &mut resumed, rule.next_after(&crate::rule::state_of(progress), now - 1));
        return (resumed, None);
    }
    let state = crate::rule::state_of(progress);
    let gap = gap(rule, &state, next, now, GapReason::Paused);
    rule.set_next(id, &mut resumed, rule.next_after(&state, now));
    resumed.fired_through = progress.fired_through.max(Some(gap.last));
    (resumed, Some(gap))
}

/// A trigger that was put aside begins anew. What passed since its last instant was missed, as far as that is known.
fn restart(rule: &Rule, id: TriggerId, progress: &Progress, now: Timestamp) -> (Progress, Option<Gap>) {
    let state = crate::rule::state_of(progress);
    let first = progress.fired_through.filter(|_| rule.delay_ms.is_none());
    let first = first.and_then(|through| rule.next_after(&state, through)).filter(|first| *first <= now);
    let gap = first.map(|first| gap(rule, &state, first, now, GapReason::Misfire));
    let through = progress.fired_through.max(gap.as_ref().map(|gap| gap.last));
    let mut fresh = rule.begin(id, through.map_or(now, |through| through.max(now)));
    fresh.previous_fire_at = progress.previous_fire_at;
    fresh.times_triggered = progress.times_triggered;
    (fresh, gap)
}

/// The instants from `first` up to now, missed.
fn gap(rule: &Rule, state: &TriggerState, first: Timestamp, now: Timestamp, reason: GapReason) -> Gap {
    let last = rule.trigger.previous_before(state, now + 1).unwrap_or(first).max(first);
    let count = rule.trigger.count_between(state, first, now + 1).max(1);
    Gap { first, last, count, outcome: GapOutcome::Missed, reason, policy: "resume".into() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mainspring_schedule::{Calendar, TimeOfDay};

    use super::*;
    use crate::compile::{self, Defaults};
    use crate::id::{RunId, RunSource};
    use crate::job::{Job, JobKey, ScheduleDefinition, Task};

    const ID: TriggerId = TriggerId(7);

    /// Milliseconds since midnight.
    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(1_767_225_600_000) + ms
    }

    /// A delay that starts at midnight, ends ten seconds later, and rests in the third second of the day.
    fn delay(delay_ms: i64) -> TriggerDefinition {
        let mut definition = TriggerDefinition::new("d", ScheduleDefinition::Delay { delay_ms });
        definition.end_at = Some(at(10_000));
        definition.calendar = Some("c".into());
        definition
    }

    fn rule(definition: &TriggerDefinition, start: Timestamp) -> Rule {
        let job = Arc::new(Job::new(JobKey::new("default", "job"), Task::Noop));
        let time = |text: &str| text.parse::<TimeOfDay>().expect("a time");
        let rests = Calendar::daily(time("00:00:02"), time("00:00:03"), false).expect("a range");
        let rests = Arc::new(rests);
        compile::rule(&job, definition, start, Defaults::default(), &|_| Some(Arc::clone(&rests))).expect("a rule")
    }

    #[test]
    fn delay_goes_on_within_its_calendar_until_its_end() {
        let rule = rule(&delay(1_000), at(0));
        for (fired, ended, next) in [
            (0, 500, Some(1_500)),
            (5_000, 4_000, Some(6_000)),
            (0, 9_000, Some(10_000)),
            (0, 9_001, None),
            (0, 99_000, None),
        ] {
            let rearm = rule.rearm(ID, at(fired), at(ended)).expect("it is a delay");
            assert_eq!((rearm.trigger, rearm.next_fire_at, rearm.due_at), (ID, next.map(at), next.map(at)));
        }
        let rearm = rule.rearm(ID, at(0), at(1_500)).expect("it is a delay");
        assert!(rearm.next_fire_at > Some(at(3_000)), "the calendar excludes 2.5 s: {rearm:?}");
        assert_eq!(rearm.next_fire_at.map(|next| next.since(at(3_000)) <= 1_000), Some(true));
    }

    #[test]
    fn changed_delay_starts_anew_and_awaits_its_run() {
        let (before, after) = (delay(1_000), delay(2_000));
        let waits = begin(&rule(&before, at(0)), ID, None, at(0));
        let rule = rule(&after, at(500));
        let changed = change(&before, &waits, &after, &rule, ID, at(500));
        assert_eq!((changed.status, changed.next_fire_at), (TriggerStatus::Active, Some(at(501))));

        let run = RunId::new(at(0), RunSource::Fire(ID));
        let awaits = Progress { next_fire_at: None, due_at: None, awaiting_run: Some(run), ..waits };
        let changed = change(&before, &awaits, &after, &rule, ID, at(500));
        assert_eq!((changed.status, changed.next_fire_at), (TriggerStatus::Active, None));
        assert_eq!(changed.awaiting_run, Some(run));
    }

    #[test]
    fn resumed_delay_is_due_now_within_its_calendar_until_its_end() {
        let definition = delay(1_000);
        let rule = rule(&definition, at(0));
        let waits =
            Progress { next_fire_at: Some(at(1_000)), due_at: Some(at(1_000)), ..begin(&rule, ID, None, at(0)) };
        let (resumed, gap) = resume(&rule, ID, &waits, at(5_000));
        assert_eq!((resumed.status, resumed.next_fire_at, gap), (TriggerStatus::Active, Some(at(5_000)), None));
        assert!(resume(&rule, ID, &waits, at(2_500)).0.next_fire_at > Some(at(3_000)));
        let (over, _) = resume(&rule, ID, &waits, at(10_001));
        assert_eq!((over.status, over.next_fire_at, over.due_at), (TriggerStatus::Complete, None, None));
    }
}
