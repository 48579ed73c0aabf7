//! What an edit, a deletion, a pause or a resume does to triggers.
//!
//! Whatever moves a trigger on, or ends it, first accounts for its instants that have passed and have no record: after an
//! outage, behind a backlog, at the limit of the job, or in a pause. They are missed, as one range.

use mainspring_schedule::Timestamp;

use crate::batch::{Gap, GapOutcome, GapReason, Progress, TriggerRow, TriggerStatus};
use crate::id::TriggerId;
use crate::job::TriggerDefinition;
use crate::rule::{Rule, state_of};

/// Where a new trigger stands, or one made again under a key that left a tombstone.
///
/// Its first fire is not before now: past instants come back only by backfill.
#[must_use]
pub fn begin(rule: &Rule, id: TriggerId, fired_through: Option<Timestamp>, now: Timestamp) -> Progress {
    rule.begin(id, fired_through.map_or(now - 1, |through| through.max(now - 1)))
}

/// Why instants are missed, and what allowed it.
type Cause = (GapReason, &'static str);

const EDIT: Cause = (GapReason::Changed, "edit");
const DELETE: Cause = (GapReason::Deleted, "delete");
const RESUME: Cause = (GapReason::Paused, "resume");
const RESTART: Cause = (GapReason::Misfire, "resume");

/// A trigger as an edit or a deletion finds it.
#[derive(Clone, Copy, Debug)]
pub struct Before<'a> {
    /// What it says.
    pub definition: &'a TriggerDefinition,
    /// Where it stands.
    pub row: &'a TriggerRow,
    /// The same, compiled. Absent if that is no longer possible; then only its next instant is known.
    pub rule: Option<&'a Rule>,
}

/// Where a trigger stands whose definition was saved again, and what had passed without a record, as one range. `rests`
/// tells whether it is paused afterwards.
///
/// Unchanged triggers go on as they were, or as after [`resume`] if the save ends their pause, or they were put aside.
/// Changed ones start anew after max(now, `fired_through`); if a `delay` trigger awaits a run, it goes on awaiting it.
#[must_use]
pub fn change(
    before: Before<'_>,
    after: &TriggerDefinition,
    rule: &Rule,
    rests: bool,
    now: Timestamp,
) -> (Progress, Option<Gap>) {
    let (id, progress) = (before.row.id, &before.row.progress);
    if has_same_instants(before.definition, after) {
        let wakes = progress.status == TriggerStatus::Error || before.row.paused && !rests;
        return if wakes { resume(rule, id, progress, now) } else { (*progress, None) };
    }
    // A delay has no instants of its own: what was due is due again.
    let was_delay = before.rule.is_some_and(|rule| rule.delay_ms.is_some());
    let gap = if was_delay && rule.delay_ms.is_some() { None } else { passed(before, now, EDIT) };
    let through = progress.fired_through.max(gap.as_ref().map(|gap| gap.last));
    let mut fresh = rule.begin(id, through.map_or(now, |through| through.max(now)));
    fresh.previous_fire_at = progress.previous_fire_at;
    if let (Some(run), Some(_)) = (progress.awaiting_run, rule.delay_ms) {
        fresh.awaiting_run = Some(run);
        rule.set_next(id, &mut fresh, None);
    }
    (fresh, gap)
}

fn has_same_instants(before: &TriggerDefinition, after: &TriggerDefinition) -> bool {
    before.schedule == after.schedule
        && before.timezone == after.timezone
        && before.start_at == after.start_at
        && before.end_at == after.end_at
        && before.calendar == after.calendar
        && before.semantics == after.semantics
        && before.jitter_ms == after.jitter_ms
}

/// What a trigger that is deleted leaves without a record, as one range. Nothing if all that has passed is recorded.
#[must_use]
pub fn end(before: Before<'_>, now: Timestamp) -> Option<Gap> {
    passed(before, now, DELETE)
}

/// Where a trigger stands after a pause, or after it was put aside, and the instants that passed meanwhile, as one range.
///
/// The next fire lies after max(now, `fired_through`), by whichever release of the tz database it is sought later.
#[must_use]
pub fn resume(rule: &Rule, id: TriggerId, progress: &Progress, now: Timestamp) -> (Progress, Option<Gap>) {
    if progress.status == TriggerStatus::Error {
        return restart(rule, id, progress, now);
    }
    let Some(next) = progress.next_fire_at else { return (*progress, None) };
    let mut resumed = *progress;
    let state = state_of(progress);
    if rule.delay_ms.is_some() {
        if next > now {
            return (resumed, None);
        }
        // The instant that waited is due now, or as soon as the calendar includes one.
        rule.set_next(id, &mut resumed, rule.next_after(&state, now - 1));
        return (resumed, None);
    }
    resumed.fired_through = progress.fired_through.max(Some(now));
    if next > now {
        return (resumed, None);
    }
    let gap = range(rule, progress, next, now, RESUME);
    rule.set_next(id, &mut resumed, rule.next_after(&state, now));
    (resumed, Some(gap))
}

/// A trigger that was put aside begins anew. What passed since its last instant was missed, as far as that is known.
fn restart(rule: &Rule, id: TriggerId, progress: &Progress, now: Timestamp) -> (Progress, Option<Gap>) {
    let first = next_unrecorded(rule, progress).filter(|first| *first <= now);
    let gap = first.map(|first| range(rule, progress, first, now, RESTART));
    let through = progress.fired_through.max(gap.as_ref().map(|gap| gap.last));
    let mut fresh = rule.begin(id, through.map_or(now, |through| through.max(now)));
    fresh.previous_fire_at = progress.previous_fire_at;
    fresh.times_triggered = progress.times_triggered;
    (fresh, gap)
}

/// Where a trigger stands that has records in the future, because the clock was ahead. Nothing if it has none.
///
/// It goes on after now, as a new one would. Runs of the future stay: an instant that has one does not get another.
#[must_use]
pub fn reanchor(rule: &Rule, id: TriggerId, progress: &Progress, now: Timestamp) -> Option<Progress> {
    let is_ahead = |at: Option<Timestamp>| at.is_some_and(|at| at > now);
    if !is_ahead(progress.fired_through) && !is_ahead(progress.previous_fire_at) {
        return None;
    }
    let mut fresh = rule.begin(id, now);
    fresh.previous_fire_at = progress.previous_fire_at.filter(|at| *at <= now);
    fresh.times_triggered = progress.times_triggered;
    if let (Some(run), Some(_)) = (progress.awaiting_run, rule.delay_ms) {
        fresh.awaiting_run = Some(run);
        rule.set_next(id, &mut fresh, None);
    }
    Some(fresh)
}

/// What stays of a gap that reaches beyond now: its instants up to now, or nothing.
#[must_use]
pub fn cut(rule: &Rule, progress: &Progress, gap: &Gap, now: Timestamp) -> Option<Gap> {
    if gap.first > now {
        return None;
    }
    let state = state_of(progress);
    let last = rule.trigger.previous_before(&state, now + 1).unwrap_or(gap.first).max(gap.first);
    let count = rule.trigger.count_between(&state, gap.first, now + 1).clamp(1, gap.count);
    Some(Gap { last, count, ..gap.clone() })
}

/// The instants up to now that have no record, missed. What passed in a pause, or while the trigger was aside, is missed
/// for that.
fn passed(before: Before<'_>, now: Timestamp, cause: Cause) -> Option<Gap> {
    let progress = &before.row.progress;
    let reason = match progress.status {
        TriggerStatus::Error => GapReason::Misfire,
        _ if before.row.paused => GapReason::Paused,
        _ => cause.0,
    };
    let cause = (reason, cause.1);
    let first = before.rule.map_or(progress.next_fire_at, |rule| next_unrecorded(rule, progress));
    let first = first.filter(|first| *first <= now)?;
    Some(before.rule.map_or_else(|| missed(first, first, 1, cause), |rule| range(rule, progress, first, now, cause)))
}

/// The first instant without a record. One that was put aside has lost its place: it is sought after the last record.
fn next_unrecorded(rule: &Rule, progress: &Progress) -> Option<Timestamp> {
    if progress.status != TriggerStatus::Error {
        return progress.next_fire_at;
    }
    let through = progress.fired_through.filter(|_| rule.delay_ms.is_none())?;
    rule.next_after(&state_of(progress), through)
}

/// The instants from `first` up to now, missed. A delay has just the one.
fn range(rule: &Rule, progress: &Progress, first: Timestamp, now: Timestamp, cause: Cause) -> Gap {
    if rule.delay_ms.is_some() {
        return missed(first, first, 1, cause);
    }
    let state = state_of(progress);
    let last = rule.trigger.previous_before(&state, now + 1).unwrap_or(first).max(first);
    missed(first, last, rule.trigger.count_between(&state, first, now + 1).max(1), cause)
}

fn missed(first: Timestamp, last: Timestamp, count: u64, (reason, policy): Cause) -> Gap {
    Gap { first, last, count, outcome: GapOutcome::Missed, reason, policy: policy.into() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mainspring_schedule::{Calendar, TimeOfDay};

    use super::*;
    use crate::cluster::Shard;
    use crate::compile::{self, Defaults};
    use crate::id::{JobId, JobVersion, RunId, RunSource};
    use crate::job::{Job, JobKey, ScheduleDefinition, Task};

    const ID: TriggerId = TriggerId(7);

    fn row(progress: Progress) -> TriggerRow {
        let (job, job_version) = (JobId(1), JobVersion(1));
        TriggerRow { id: ID, job, shard: Shard(0), job_version, index: 0, version: 1, paused: false, progress }
    }

    fn every(interval_ms: i64) -> TriggerDefinition {
        TriggerDefinition::new("e", ScheduleDefinition::Every { interval_ms, repeat_count: None })
    }

    /// A trigger that fires every second from midnight, and has fired up to the given second.
    fn fired_through(second: i64) -> (Rule, TriggerRow) {
        let rule = rule(&every(1_000), at(0));
        let fresh = begin(&rule, ID, None, at(0));
        let (through, next) = (Some(at(second * 1_000)), Some(at(second * 1_000 + 1_000)));
        let row = row(Progress { next_fire_at: next, due_at: next, fired_through: through, ..fresh });
        (rule, row)
    }

    /// The seconds of a range, how many, and why.
    fn shown(gap: Option<Gap>) -> Option<(i64, i64, u64, GapReason, String)> {
        let second = |instant: Timestamp| instant.since(at(0)) / 1_000;
        gap.map(|gap| (second(gap.first), second(gap.last), gap.count, gap.reason, gap.policy))
    }

    #[test]
    fn what_passed_before_an_edit_or_a_deletion_is_one_range() {
        let definition = every(1_000);
        let (old, row) = fired_through(3);
        let paused = TriggerRow { paused: true, ..row.clone() };
        let mut aside = row.clone();
        let progress = &mut aside.progress;
        (progress.status, progress.next_fire_at, progress.due_at) = (TriggerStatus::Error, None, None);
        let new = rule(&every(7_000), at(9_500));
        for (row, reason, end_reason) in [
            (&row, GapReason::Changed, GapReason::Deleted),
            (&paused, GapReason::Paused, GapReason::Paused),
            (&aside, GapReason::Misfire, GapReason::Misfire),
        ] {
            let before = Before { definition: &definition, row, rule: Some(&old) };
            let (changed, gap) = change(before, &every(7_000), &new, row.paused, at(9_500));
            assert_eq!(shown(gap), Some((4, 9, 6, reason, "edit".into())));
            assert_eq!((changed.fired_through, changed.next_fire_at), (Some(at(9_500)), Some(at(16_500))));
            assert_eq!(changed.status, TriggerStatus::Active);
            assert_eq!(shown(end(before, at(9_500))), Some((4, 9, 6, end_reason, "delete".into())));
        }
    }

    #[test]
    fn nothing_is_missed_by_an_edit_while_all_that_passed_is_recorded() {
        let definition = every(1_000);
        let (old, row) = fired_through(3);
        let before = Before { definition: &definition, row: &row, rule: Some(&old) };
        let new = rule(&every(7_000), at(3_999));
        let (changed, gap) = change(before, &every(7_000), &new, false, at(3_999));
        assert_eq!((changed.fired_through, gap), (Some(at(3_999)), None), "nothing before now ever fires");
        assert_eq!(end(before, at(3_999)), None);
        assert_eq!(shown(end(before, at(4_000))).map(|gap| (gap.0, gap.1, gap.2)), Some((4, 4, 1)));
    }

    #[test]
    fn save_that_changes_no_instants_moves_a_trigger_only_out_of_its_pause() {
        let definition = every(1_000);
        let (old, row) = fired_through(3);
        for (was_paused, rests, moved) in
            [(false, false, false), (false, true, false), (true, true, false), (true, false, true)]
        {
            let row = TriggerRow { paused: was_paused, ..row.clone() };
            let before = Before { definition: &definition, row: &row, rule: Some(&old) };
            let (saved, gap) = change(before, &definition, &old, rests, at(9_500));
            if moved {
                assert_eq!(saved.next_fire_at, Some(at(10_000)));
                assert_eq!(shown(gap), Some((4, 9, 6, GapReason::Paused, "resume".into())));
            } else {
                assert_eq!((saved, gap), (row.progress, None), "{was_paused} {rests}");
            }
        }
    }

    #[test]
    fn trigger_that_was_put_aside_and_is_saved_again_says_what_it_missed() {
        let definition = every(1_000);
        let (old, mut row) = fired_through(3);
        (row.progress.status, row.progress.next_fire_at) = (TriggerStatus::Error, None);
        let before = Before { definition: &definition, row: &row, rule: None };
        let (saved, gap) = change(before, &definition, &old, false, at(9_500));
        assert_eq!((saved.status, saved.next_fire_at), (TriggerStatus::Active, Some(at(10_000))));
        assert_eq!(shown(gap), Some((4, 9, 6, GapReason::Misfire, "resume".into())));
    }

    /// Newer zone data may know of an instant in the pause that the older did not.
    #[test]
    fn all_up_to_a_resume_is_settled_whatever_had_passed() {
        let (rule, row) = fired_through(3);
        for (now, gap) in [(3_500, None), (4_500, Some(4)), (9_999, Some(9))] {
            let (resumed, missed) = resume(&rule, ID, &row.progress, at(now));
            assert_eq!(resumed.fired_through, Some(at(now)));
            assert_eq!(resumed.next_fire_at, Some(at(now / 1_000 * 1_000 + 1_000)));
            assert_eq!(shown(missed).map(|(_, last, ..)| last), gap);
        }
    }

    #[test]
    fn of_a_trigger_that_cannot_be_read_the_next_instant_is_known() {
        let definition = every(1_000);
        let (_, row) = fired_through(3);
        let before = Before { definition: &definition, row: &row, rule: None };
        assert_eq!(shown(end(before, at(9_500))), Some((4, 4, 1, GapReason::Deleted, "delete".into())));
        assert_eq!(end(before, at(3_999)), None);
    }

    #[test]
    fn records_of_the_future_are_taken_back_and_those_of_the_past_stay() {
        let (rule, row) = fired_through(1_000);
        let ahead = Progress { previous_fire_at: Some(at(1_000_000)), times_triggered: 9, ..row.progress };
        let back = reanchor(&rule, ID, &ahead, at(9_500)).unwrap();
        assert_eq!((back.fired_through, back.next_fire_at), (Some(at(9_500)), Some(at(10_000))));
        assert_eq!((back.previous_fire_at, back.times_triggered, back.status), (None, 9, TriggerStatus::Active));
        assert_eq!(reanchor(&rule, ID, &back, at(9_600)), None, "there is nothing left to take back");

        let gap = |first, last, count| missed(at(first), at(last), count, RESTART);
        assert_eq!(cut(&rule, &ahead, &gap(4_000, 1_000_000, 997), at(9_500)), Some(gap(4_000, 9_000, 6)));
        assert_eq!(cut(&rule, &ahead, &gap(10_000, 1_000_000, 991), at(9_500)), None);
    }

    #[test]
    fn delay_that_ends_or_becomes_another_kind_misses_the_instant_that_was_due() {
        let definition = delay(1_000);
        let old = rule(&definition, at(0));
        let waits = Progress { next_fire_at: Some(at(4_000)), due_at: Some(at(4_000)), ..begin(&old, ID, None, at(0)) };
        let row = row(waits);
        let before = Before { definition: &definition, row: &row, rule: Some(&old) };
        assert_eq!(shown(end(before, at(9_500))), Some((4, 4, 1, GapReason::Deleted, "delete".into())));
        let new = rule(&every(1_000), at(9_500));
        let (_, gap) = change(before, &every(1_000), &new, false, at(9_500));
        assert_eq!(shown(gap), Some((4, 4, 1, GapReason::Changed, "edit".into())));
    }

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
        let old = self::rule(&before, at(0));
        let change = |progress| {
            let row = row(progress);
            let before = Before { definition: &before, row: &row, rule: Some(&old) };
            super::change(before, &after, &rule, false, at(500))
        };
        let (changed, gap) = change(Progress { next_fire_at: Some(at(400)), due_at: Some(at(400)), ..waits });
        assert_eq!((changed.status, changed.next_fire_at, gap), (TriggerStatus::Active, Some(at(501)), None));

        let run = RunId::new(at(0), RunSource::Fire(ID));
        let awaits = Progress { next_fire_at: None, due_at: None, awaiting_run: Some(run), ..waits };
        let (changed, gap) = change(awaits);
        assert_eq!((changed.status, changed.next_fire_at, gap), (TriggerStatus::Active, None, None));
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

    #[test]
    fn triggers_that_are_resumed_together_keep_their_jitter() {
        let now = at(7_300);
        let spread = |definition: &TriggerDefinition| -> std::collections::BTreeSet<i64> {
            let rule = Rule { jitter_ms: 2_000, ..rule(definition, at(0)) };
            let due = |id| {
                let waits = Progress { next_fire_at: Some(at(1_000)), ..begin(&rule, TriggerId(id), None, at(0)) };
                let (resumed, _) = resume(&rule, TriggerId(id), &waits, now);
                let (next, due) = (resumed.next_fire_at.unwrap(), resumed.due_at.unwrap());
                assert!(next >= now && (0..=2_000).contains(&due.since(next)), "{resumed:?}");
                due.as_millis()
            };
            (1..=100).map(due).collect()
        };
        // Those with instants of their own fire next at one of them, delays at once: both with their jitter.
        let every =
            TriggerDefinition::new("every", ScheduleDefinition::Every { interval_ms: 60_000, repeat_count: None });
        for definition in [delay(1_000), every] {
            let due = spread(&definition);
            assert!(due.len() > 90, "they are due at {} different times", due.len());
        }
    }
}
