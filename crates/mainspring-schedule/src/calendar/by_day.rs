//! Days and times of day that a calendar includes, for days without an offset change.

use super::{Calendar, Rule};
use crate::civil::{DAY_MS, Date, days_in_month, on_weekdays};
use crate::{Semantics, Zone};

/// A calendar of whole days and of ranges of every day, all read in one zone.
pub(crate) struct ByDay<'a> {
    calendar: &'a Calendar,
    /// The times of day that are included, in milliseconds: from, and before.
    times: Vec<(i64, i64)>,
}

impl<'a> ByDay<'a> {
    /// Returns the calendar by day; `None` if a part of it is read in another zone, or is a cron expression.
    pub(crate) fn of(calendar: &'a Calendar, semantics: Semantics, zone: &Zone) -> Option<Self> {
        let fits = |link: &Calendar| !matches!(link.rule, Rule::Cron(_)) && link.zone_or(zone) == zone;
        let times = calendar.chain().fold(vec![(0, DAY_MS)], |times, link| narrowed(times, &link.rule, semantics));
        calendar.chain().all(fits).then_some(Self { calendar, times })
    }

    pub(crate) fn times(&self) -> &[(i64, i64)] {
        &self.times
    }

    /// Returns the days of a month that are included at some time, as bits from 1 on.
    pub(crate) fn days_of(&self, year: i32, month: u8) -> u32 {
        let first = Date::new(year, month, 1).day_number();
        let excluded = self.calendar.chain().fold(0, |days, link| days | excluded_days(&link.rule, first, month));
        let existing = u32::MAX >> (31 - days_in_month(year, month)) & !1;
        existing & !excluded
    }
}

/// Returns the days of the month that begins with the day `first` that the rule excludes.
fn excluded_days(rule: &Rule, first: i64, month: u8) -> u32 {
    match rule {
        Rule::Annual(months) => months[usize::from(month) - 1],
        Rule::Monthly(days) => *days,
        Rule::Weekly(days) => on_weekdays(days.bits(), crate::civil::weekday(first)),
        Rule::Holiday(days) => {
            let from = days.partition_point(|day| *day < first);
            let of_month = days[from..].iter().take_while(|day| **day < first + 31);
            of_month.fold(0, |bits, day| bits | 2 << (day - first))
        }
        Rule::Cron(_) | Rule::Daily { .. } => 0,
    }
}

/// Returns the times of day that a rule leaves. Quartz also excludes both ends of every day.
fn narrowed(times: Vec<(i64, i64)>, rule: &Rule, semantics: Semantics) -> Vec<(i64, i64)> {
    let Rule::Daily { from_ms, to_ms, invert } = *rule else {
        return times;
    };
    let kept = match (invert, semantics) {
        (true, _) => vec![(from_ms, to_ms + 1)],
        (false, Semantics::Standard) => vec![(0, from_ms), (to_ms + 1, DAY_MS)],
        (false, Semantics::Quartz) => vec![(1, from_ms), (to_ms + 1, DAY_MS - 1)],
    };
    let pairs = times.iter().flat_map(|a| kept.iter().map(move |b| (a.0.max(b.0), a.1.min(b.1))));
    pairs.filter(|(from, to)| from < to).collect()
}
