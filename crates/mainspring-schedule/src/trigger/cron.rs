//! `cron`: the instants of an expression between start and end. Quartz's CronTrigger.

use super::{Trigger, TriggerState, bounded};
use crate::civil::SECOND_MS;
use crate::{Civil, Cron, Semantics, Timestamp, Zone};

/// Returns the first instant after `t`. Both bounds are inclusive.
pub(super) fn after(trigger: &Trigger, state: &TriggerState, cron: &Cron, t: Timestamp) -> Option<Timestamp> {
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

/// Returns the last instant before `t`.
pub(super) fn before(trigger: &Trigger, state: &TriggerState, cron: &Cron, t: Timestamp) -> Option<Timestamp> {
    let start = match trigger.semantics {
        Semantics::Standard => state.start_at,
        Semantics::Quartz => quartz_start(state.start_at, &trigger.zone),
    };
    let t = trigger.end_at.map_or(t, |end| t.min(end + 1));
    cron.previous_between(&trigger.zone, start, t)
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
    let fire_after = |steps: i64| {
        let fire = cron.next_after(&trigger.zone, target - steps * step_ms);
        fire.filter(|fire| *fire < target)
    };
    // Quartz takes single steps; growing ones, and then halving, lead to the same one.
    let (mut too_few, mut enough) = (0, 1);
    while fire_after(enough).is_none() {
        if target - enough * step_ms < start - step_ms {
            return None;
        }
        (too_few, enough) = (enough, enough * 2);
    }
    while enough - too_few > 1 {
        let middle = too_few + (enough - too_few) / 2;
        match fire_after(middle) {
            Some(_) => enough = middle,
            None => too_few = middle,
        }
    }
    fire_after(enough).filter(|fire| *fire >= start)
}
