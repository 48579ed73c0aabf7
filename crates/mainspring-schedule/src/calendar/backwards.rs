//! Searches a calendar backwards, for the last included instant.

use super::{Budget, Calendar, Rule, quartz};
use crate::civil::{DAY_MS, SECOND_MS};
use crate::{Civil, Cron, Semantics, Timestamp, Zone};

impl Calendar {
    /// Returns the last instant up to `t` at which [`Calendar::is_included`] holds; `None` when that is before `floor`.
    pub(crate) fn last_included(
        &self,
        t: Timestamp,
        floor: Timestamp,
        semantics: Semantics,
        default_zone: &Zone,
        budget: &mut Budget,
    ) -> Option<Timestamp> {
        let mut candidate = t;
        while candidate >= floor {
            let before = candidate;
            for link in self.chain() {
                candidate = link.rule.last_included(candidate, link.zone_or(default_zone), semantics, budget)?;
            }
            if candidate == before {
                return Some(candidate);
            }
            budget.spend_day()?;
        }
        None
    }
}

impl Rule {
    /// Returns the last instant up to `t` that the rule alone includes.
    fn last_included(&self, t: Timestamp, zone: &Zone, semantics: Semantics, budget: &mut Budget) -> Option<Timestamp> {
        match self {
            Self::Cron(cron) => last_unsatisfied(cron, t, zone, budget),
            Self::Daily { .. } if semantics == Semantics::Quartz => quartz::daily_last_included(self, t, zone),
            _ => self.last_by_local(t, zone),
        }
    }

    /// Searches one stretch of constant offset after the other, so that local time is plain sums.
    fn last_by_local(&self, t: Timestamp, zone: &Zone) -> Option<Timestamp> {
        let mut t = t.as_millis();
        loop {
            let window = zone.window(Timestamp::from_millis(t));
            let local = self.last_local_included(Civil::from_millis(t + window.offset_ms))?;
            let candidate = local.as_millis() - window.offset_ms;
            if candidate >= window.from_ms {
                return Some(Timestamp::from_millis(candidate));
            }
            t = window.from_ms - 1;
        }
    }

    /// Returns the last reading up to `local` that the rule includes, on a clock that never jumps.
    fn last_local_included(&self, local: Civil) -> Option<Civil> {
        if self.includes_local(local) {
            return Some(local);
        }
        let midnight = local.as_millis() - local.millis_of_day();
        if let Self::Daily { from_ms, to_ms, invert } = *self {
            let of_day = match invert {
                false if from_ms == 0 && to_ms == DAY_MS - 1 => return None,
                false => from_ms - 1,
                true if local.millis_of_day() > to_ms => to_ms,
                true => to_ms - DAY_MS,
            };
            return Some(Civil::from_millis(midnight + of_day));
        }
        (0..self.excluded_days_max())
            .map(|days| Civil::from_millis(midnight - days * DAY_MS - 1))
            .find(|&local| self.includes_local(local))
    }
}

/// Returns the last instant up to `t` in a second at which the expression is not true.
fn last_unsatisfied(cron: &Cron, t: Timestamp, zone: &Zone, budget: &mut Budget) -> Option<Timestamp> {
    let mut t = t;
    while cron.matches(zone, t) {
        budget.spend()?;
        let second = t - t.as_millis().rem_euclid(SECOND_MS);
        t = cron.run_start(zone, second) - 1;
    }
    Some(t)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::civil::HOUR_MS;
    use crate::{Date, DaysOfWeek, TimeOfDay};

    fn calendars(semantics: Semantics) -> Vec<Calendar> {
        let time = |text: &str| text.parse::<TimeOfDay>().unwrap();
        let daily = |from, to, invert| Calendar::daily(time(from), time(to), invert).unwrap();
        let cron = |text| Calendar::cron(Arc::new(Cron::parse_auto(text, semantics).unwrap()));
        let weekend = Arc::new(Calendar::weekly(DaysOfWeek::WEEKEND));
        vec![
            daily("01:00", "02:30", false),
            daily("00:00", "23:59:59.999", false),
            daily("00:00", "04:00", false),
            daily("02:10", "20:00", true),
            Calendar::weekly(DaysOfWeek::WEEKEND),
            Calendar::weekly(DaysOfWeek::ALL),
            Calendar::monthly((1..=31).filter(|day| *day != 30)).unwrap(),
            Calendar::annual((1..=28).map(|day| (3, day))).unwrap(),
            Calendar::holiday((-40..40).map(|day| Date::from_day_number(20_000 + day))).unwrap(),
            cron("* * 1-3 * * ?"),
            cron("* * * ? * SUN"),
            cron("0/2 * * * * ?"),
            cron("* 0-58 * * * ?"),
            daily("01:30", "12:00", false).on_base(weekend.clone()).unwrap(),
            cron("* * * ? * FRI").on_base(weekend).unwrap(),
        ]
    }

    #[test]
    fn nothing_is_included_between_the_last_instant_and_the_question() {
        let zones =
            ["UTC", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "America/Sao_Paulo", "Asia/Beirut"];
        for semantics in [Semantics::Standard, Semantics::Quartz] {
            for (index, calendar) in calendars(semantics).iter().enumerate() {
                for name in zones {
                    let zone = Zone::parse(name).unwrap();
                    let middle = Timestamp::from_millis(20_000 * DAY_MS);
                    let changes = std::iter::successors(Some(middle), |t| zone.next_change(*t)).take(5);
                    let shifts = (-30..30_i64).step_by(3).map(|n| n * HOUR_MS + n * n * 701);
                    for t in changes.flat_map(|change| shifts.clone().map(move |shift| change + shift)) {
                        check(calendar, &zone, semantics, t, &format!("calendar {index} in {name}, {semantics}, {t}"));
                    }
                }
            }
        }
    }

    fn check(calendar: &Calendar, zone: &Zone, semantics: Semantics, t: Timestamp, what: &str) {
        let floor = t - 400 * DAY_MS;
        let first = |from| calendar.first_included(from, semantics, zone, &mut Budget::default());
        let Some(last) = calendar.last_included(t, floor, semantics, zone, &mut Budget::default()) else {
            return assert!(first(floor).is_none_or(|first| first > t), "{what}: nothing");
        };
        assert!(last <= t && calendar.is_included(last, semantics, zone), "{what}: {last}");
        assert!(last == t || first(last + 1).is_none_or(|next| next > t), "{what}: {last} is not the last");
    }
}
