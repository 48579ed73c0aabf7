//! Quartz's own rules for calendars: the edges of its daily ranges, and its search for the next
//! included instant, which may go back in time, skip, or never end.

use super::{Budget, Calendar, Rule};
use crate::civil::{DAY_MS, SECOND_MS};
use crate::{Civil, Cron, Semantics, Timestamp, Zone};

/// Computes `getNextIncludedTime`; `None` for its 0 and where it does not return.
pub(super) fn next_included(calendar: &Calendar, t: Timestamp, default_zone: &Zone) -> Option<Timestamp> {
    let mut search = Search { default_zone, budget: Budget::default() };
    let next = search.next(calendar, t)?;
    (next != NOTHING).then_some(next)
}

/// Returns whether a daily range includes `t`: Quartz excludes both ends of every day as well.
pub(super) fn daily_includes(rule: &Rule, t: Timestamp, zone: &Zone) -> bool {
    let Some(day) = DailyEdges::of(rule, t, zone) else {
        return true;
    };
    if day.invert {
        return day.from <= t && t <= day.to;
    }
    (day.start < t && t < day.from) || (day.to < t && t < day.end)
}

/// Returns the first instant from `t` on that a daily range includes.
pub(super) fn daily_first_included(rule: &Rule, t: Timestamp, zone: &Zone) -> Option<Timestamp> {
    daily_first(rule, t, zone, true)
}

/// Returns the first instant from `t` on that a daily range excludes.
pub(super) fn daily_first_excluded(rule: &Rule, t: Timestamp, zone: &Zone) -> Option<Timestamp> {
    daily_first(rule, t, zone, false)
}

/// Returns the last instant up to `t` that a daily range includes.
pub(super) fn daily_last_included(rule: &Rule, t: Timestamp, zone: &Zone) -> Option<Timestamp> {
    let mut candidate = t;
    for _ in 0..EDGES_MAX {
        if daily_includes(rule, candidate, zone) {
            return Some(candidate);
        }
        let day = DailyEdges::of(rule, candidate, zone)?;
        let change = Timestamp::from_millis(zone.window(candidate).from_ms);
        let passed = Timestamp::MIN..=candidate;
        let last_edge = day.edges().into_iter().chain([change]).filter(|edge| passed.contains(edge)).max()?;
        candidate = last_edge - 1;
    }
    None
}

fn daily_first(rule: &Rule, t: Timestamp, zone: &Zone, included: bool) -> Option<Timestamp> {
    let mut candidate = t;
    for _ in 0..EDGES_MAX {
        if daily_includes(rule, candidate, zone) == included {
            return Some(candidate);
        }
        candidate = daily_next_edge(rule, candidate, zone);
    }
    None
}

/// A day has seven edges, and no range goes on for longer than two days unless it is everything.
const EDGES_MAX: u32 = 32;

/// Quartz's answer for "nothing is ever included".
const NOTHING: Timestamp = Timestamp::UNIX_EPOCH;

/// Returns the next instant after `t` at which a daily range may begin or end.
fn daily_next_edge(rule: &Rule, t: Timestamp, zone: &Zone) -> Timestamp {
    let Some(day) = DailyEdges::of(rule, t, zone) else {
        return t + 1;
    };
    let change = zone.next_change(t);
    day.edges().into_iter().chain(change).filter(|&edge| edge > t).min().unwrap_or(t + 1)
}

/// The instants that matter on one local day, each set as Java's lenient calendar sets it.
struct DailyEdges {
    start: Timestamp,
    from: Timestamp,
    to: Timestamp,
    end: Timestamp,
    invert: bool,
}

impl DailyEdges {
    /// Returns the instants at which the range, or the day, may begin or end.
    fn edges(&self) -> [Timestamp; 6] {
        [self.start, self.start + 1, self.from, self.to + 1, self.end, self.end + 1]
    }

    fn of(rule: &Rule, t: Timestamp, zone: &Zone) -> Option<Self> {
        let Rule::Daily { from_ms, to_ms, invert } = *rule else {
            return None;
        };
        let midnight = zone.to_local(t).day_number() * DAY_MS;
        let at = |of_day: i64| zone.lenient(Civil::from_millis(midnight + of_day));
        Some(Self { start: at(0), from: at(from_ms), to: at(to_ms), end: at(DAY_MS - 1), invert })
    }
}

/// One question to a chain of calendars, with a bound for questions that Quartz never answers.
struct Search<'a> {
    default_zone: &'a Zone,
    budget: Budget,
}

impl Search<'_> {
    fn next(&mut self, calendar: &Calendar, t: Timestamp) -> Option<Timestamp> {
        match &calendar.rule {
            Rule::Annual(_) | Rule::Holiday(_) => self.next_by_date_and_base(calendar, t),
            Rule::Monthly(_) | Rule::Weekly(_) => self.next_by_day(calendar, t),
            Rule::Daily { .. } => self.next_daily(calendar, t),
            Rule::Cron(cron) => self.next_cron(calendar, cron, t),
        }
    }

    fn includes(&self, calendar: &Calendar, t: Timestamp) -> bool {
        calendar.is_included(t, Semantics::Quartz, self.default_zone)
    }

    /// Returns the start of a search by days: `t`, or the base's answer if that is later.
    fn start(&mut self, calendar: &Calendar, t: Timestamp) -> Option<Timestamp> {
        match &calendar.base {
            Some(base) => Some(self.next(base, t)?.max(t)),
            None => Some(t),
        }
    }

    /// Moves annual and holiday calendars on by midnights until the whole chain includes one.
    fn next_by_date_and_base(&mut self, calendar: &Calendar, t: Timestamp) -> Option<Timestamp> {
        let zone = calendar.zone_or(self.default_zone);
        let start = self.start(calendar, t)?;
        let mut day = midnight(zone, start);
        if matches!(calendar.rule, Rule::Annual(_)) && self.includes(calendar, day) {
            return Some(start);
        }
        while !self.includes(calendar, day) {
            self.budget.spend_day()?;
            day = zone.lenient_add_days(day, 1);
        }
        Some(day)
    }

    /// Moves monthly and weekly calendars on by days; they do not look at the base again afterwards.
    fn next_by_day(&mut self, calendar: &Calendar, t: Timestamp) -> Option<Timestamp> {
        let excludes_everything = match &calendar.rule {
            Rule::Monthly(days) => *days == 0xFFFF_FFFE,
            Rule::Weekly(days) => days.count() == 7,
            _ => false,
        };
        if excludes_everything {
            return Some(NOTHING);
        }
        let zone = calendar.zone_or(self.default_zone);
        let start = self.start(calendar, t)?;
        let mut day = midnight(zone, start);
        if calendar.rule.includes_local(zone.to_local(day)) {
            return Some(start);
        }
        while !calendar.rule.includes_local(zone.to_local(day)) {
            self.budget.spend_day()?;
            day = zone.lenient_add_days(day, 1);
        }
        Some(day)
    }

    fn next_daily(&mut self, calendar: &Calendar, t: Timestamp) -> Option<Timestamp> {
        let zone = calendar.zone_or(self.default_zone);
        let mut next = t + 1;
        while !self.includes(calendar, next) {
            self.budget.spend_day()?;
            let edges = DailyEdges::of(&calendar.rule, next, zone)?;
            next = match edges.excluded_until(next) {
                Some(end) => end,
                None => match self.next_of_base(calendar, next)? {
                    Some(by_base) => by_base,
                    // Quartz adds single milliseconds here; nothing changes before the next edge.
                    None => daily_next_edge(&calendar.rule, next, zone),
                },
            };
        }
        Some(next)
    }

    fn next_cron(&mut self, calendar: &Calendar, cron: &Cron, t: Timestamp) -> Option<Timestamp> {
        let zone = calendar.zone_or(self.default_zone);
        let mut next = t + 1;
        while !self.includes(calendar, next) {
            self.budget.spend_day()?;
            next = if cron.matches(zone, next) {
                first_invalid(cron, next, zone, &mut self.budget)?
            } else {
                self.next_of_base(calendar, next)?.unwrap_or(next + 1)
            };
        }
        Some(next)
    }

    /// Returns the base's answer if the base excludes `t`. The outer `None` means that Quartz gives no answer.
    #[expect(clippy::option_option, reason = "no answer at all differs from no base to ask")]
    fn next_of_base(&mut self, calendar: &Calendar, t: Timestamp) -> Option<Option<Timestamp>> {
        let Some(base) = calendar.base.as_deref().filter(|base| !self.includes(base, t)) else {
            return Some(None);
        };
        match self.next(base, t)? {
            // Quartz throws when it is asked about instant 0 next.
            NOTHING => None,
            next => Some(Some(next)),
        }
    }
}

impl DailyEdges {
    /// Returns the instant from which Quartz continues when the range excludes `t`.
    fn excluded_until(&self, t: Timestamp) -> Option<Timestamp> {
        if !self.invert {
            return (self.from <= t && t <= self.to).then_some(self.to + 1);
        }
        if t < self.from {
            Some(self.from)
        } else if t > self.to {
            Some(self.end + 1)
        } else {
            None
        }
    }
}

fn midnight(zone: &Zone, t: Timestamp) -> Timestamp {
    let local = zone.to_local(t);
    zone.lenient(Civil::from_millis(local.as_millis() - local.millis_of_day()))
}

/// Computes `getNextInvalidTimeAfter`: the second after the last of consecutive seconds.
fn first_invalid(cron: &Cron, t: Timestamp, zone: &Zone, budget: &mut Budget) -> Option<Timestamp> {
    let local = zone.to_local(t).as_millis();
    let mut last = zone.lenient(Civil::from_millis(local - local.rem_euclid(SECOND_MS)));
    loop {
        budget.spend()?;
        last = cron.run_end(zone, last);
        match cron.next_after(zone, last) {
            Some(next) if next == last + SECOND_MS => last = next,
            _ => return Some(last + SECOND_MS),
        }
    }
}
