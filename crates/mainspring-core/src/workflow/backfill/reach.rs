//! Fire times from before a trigger was saved.

use mainspring_schedule::{Schedule, Timestamp, Trigger};

use crate::job::TriggerDefinition;

/// Returns the trigger as if it had been saved at `from`, if that is earlier than it was.
///
/// A trigger without a `start_at` of its own fires from the moment on at which it was saved, which says nothing about its dates: those
/// before can be backfilled, too. An interval keeps its phase. What starts at an instant of its own, counts its fires, or counts months
/// and the like from its start, stays as it is.
#[must_use]
pub fn reaching(trigger: &Trigger, definition: &TriggerDefinition, from: Timestamp) -> Trigger {
    let mut trigger = trigger.clone();
    let early_ms = trigger.start_at.since(from);
    if definition.start_at.is_some() || early_ms <= 0 {
        return trigger;
    }
    match &trigger.schedule {
        Schedule::Cron(_) | Schedule::DailyWindow { repeat_count: None, .. } => trigger.start_at = from,
        Schedule::Every { interval_ms, repeat_count: None } => {
            let interval_ms = (*interval_ms).max(1);
            let steps = early_ms / interval_ms + i64::from(early_ms % interval_ms != 0);
            trigger.start_at = trigger.start_at.saturating_add(-steps.saturating_mul(interval_ms));
        }
        _ => {}
    }
    trigger
}

#[cfg(test)]
mod tests {
    use mainspring_schedule::{Cron, Dialect, Semantics, Zone};

    use super::*;
    use crate::job::ScheduleDefinition;

    #[test]
    fn dates_before_the_trigger_was_saved_keep_their_phase() {
        let at = |text: &str| text.parse::<Timestamp>().expect("an instant");
        let saved = at("2026-07-10T12:34:00Z");
        let cron = Schedule::Cron(
            Cron::parse("0 6 * * *", Dialect::Unix, Semantics::Standard).expect("a cron expression").into(),
        );
        let every = |repeat_count| Schedule::Every { interval_ms: 3_600_000, repeat_count };
        for (schedule, start_at, first) in [
            (cron.clone(), None, "2026-07-01T06:00:00Z"),
            (every(None), None, "2026-07-01T00:34:00Z"),
            (every(Some(3)), None, "2026-07-10T12:34:00Z"),
            (cron, Some(saved), "2026-07-11T06:00:00Z"),
        ] {
            let mut definition = TriggerDefinition::new("t", ScheduleDefinition::At { at: saved });
            definition.start_at = start_at;
            let trigger = Trigger::new(schedule, Zone::utc(), saved);
            let reaching = reaching(&trigger, &definition, at("2026-07-01T00:00:00Z"));
            let found = reaching.fires_between(at("2026-07-01T00:00:00Z"), at("2026-08-01T00:00:00Z")).next();
            assert_eq!(found, Some(at(first)));
        }
    }
}
