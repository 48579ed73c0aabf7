//! `cron`: the instants of an expression between start and end. Quartz's CronTrigger.

use super::{Trigger, TriggerState, bounded};
use crate::civil::SECOND_MS;
use crate::{Civil, Cron, Semantics, Timestamp, Zone};

/// The first instant after `t`. Both bounds are inclusive.
pub(super) fn after(
    trigger: &Trigger,
    state: &TriggerState,
    cron: &Cron,
    t: Timestamp,
) -> Option<Timestamp> {
    let t = match trigger.semantics {
        Semantics::Standard => t.max(state.start_at - 1),
        Semantics::Quartz => match quartz_start(state.start_at, &trigger.zone) {
            start if start > t => start - SECOND_MS,
            _ => t,
        },
    };
    if trigger.end_at.is_some_and(|end| t >= end) {
        return None;
    }
    let fire = cron.next_after(&trigger.zone, t)?;
    trigger.end_at.is_none_or(|end| fire <= end).then_some(fire)
}

/// Quartz's start: whole seconds, and in the second of two equal hours.
pub(super) fn quartz_start(start: Timestamp, zone: &Zone) -> Timestamp {
    let local = zone.to_local(start).as_millis();
    zone.lenient(Civil::from_millis(local - local.rem_euclid(SECOND_MS)))
}

/// Quartz's `getFinalFireTime`: goes back from a second after the end, in steps that may be too
/// long, until the next fire lies before the end.
pub(super) fn final_fire(trigger: &Trigger, cron: &Cron) -> Option<Timestamp> {
    let target = bounded(trigger.end_at?) + SECOND_MS;
    let start = quartz_start(bounded(trigger.start_at), &trigger.zone);
    let step_ms = cron.quartz_step_ms();
    // Down to the last fire all steps lead to the target or beyond.
    let last = cron.previous_before(&trigger.zone, target)?;
    let mut checked = target - target.since(last) / step_ms * step_ms;
    for _ in 0..STEPS_BACK_MAX {
        checked = checked - step_ms;
        let fire = cron.next_after(&trigger.zone, checked)?;
        if fire < target {
            return (fire >= start).then_some(fire);
        }
        if checked < start {
            return None;
        }
    }
    None
}

/// Steps further back than the last fire: none but around `W`.
const STEPS_BACK_MAX: usize = 10_000;
