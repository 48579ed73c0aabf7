//! Expressions as data: written as text for the parser, evaluated by plain comparison for the oracle.

use std::fmt;

use jiff::civil::{DateTime, Weekday};
use proptest::prelude::*;

/// One item of a list.
#[derive(Debug, Clone)]
pub enum Item {
    Every,
    EveryNth(i8),
    One(i8),
    From(i8, i8),
    Range(i8, i8, i8),
}

#[derive(Debug, Clone)]
pub enum DayItem {
    Plain(Item),
    FromEnd(i8),
    Nearest(i8),
    NearestFromEnd(i8),
}

#[derive(Debug, Clone)]
pub enum Days {
    OfMonth(Vec<DayItem>),
    OfWeek(Vec<Item>),
    LastOfWeek(i8),
    NthOfWeek(i8, i8),
    /// Unix: both fields.
    Unix(Item, Item),
}

#[derive(Debug, Clone)]
pub struct Expression {
    pub seconds: Vec<Item>,
    pub minutes: Vec<Item>,
    pub hours: Vec<Item>,
    pub months: Vec<Item>,
    pub days: Days,
    pub years: Option<(i16, i16)>,
}

impl Item {
    /// Whether the value belongs to the item, in a field of `low..=high`.
    fn contains(&self, value: i8, low: i8, high: i8) -> bool {
        let size = i16::from(high - low) + 1;
        let after = |first: i8| (i16::from(value) - i16::from(first)).rem_euclid(size);
        match *self {
            Self::Every => true,
            Self::EveryNth(step) => (value - low) % step == 0,
            Self::One(one) => value == one,
            Self::From(first, step) => value >= first && (value - first) % step == 0,
            Self::Range(first, last, step) => {
                let length = (i16::from(last) - i16::from(first)).rem_euclid(size);
                after(first) <= length && after(first) % i16::from(step) == 0
            }
        }
    }

    /// Whether the item, of the hour field, stands for several hours.
    fn steps(&self) -> bool {
        (0..24).filter(|hour| self.contains(*hour, 0, 23)).count() > 1
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Every => f.write_str("*"),
            Self::EveryNth(step) => write!(f, "*/{step}"),
            Self::One(one) => write!(f, "{one}"),
            Self::From(first, step) => write!(f, "{first}/{step}"),
            Self::Range(first, last, 1) => write!(f, "{first}-{last}"),
            Self::Range(first, last, step) => write!(f, "{first}-{last}/{step}"),
        }
    }
}

impl fmt::Display for DayItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(item) => item.fmt(f),
            Self::FromEnd(0) => f.write_str("L"),
            Self::FromEnd(days) => write!(f, "L-{days}"),
            Self::Nearest(day) => write!(f, "{day}W"),
            Self::NearestFromEnd(0) => f.write_str("LW"),
            Self::NearestFromEnd(days) => write!(f, "L-{days}W"),
        }
    }
}

fn list<T: fmt::Display>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (minutes, hours, months) = (list(&self.minutes), list(&self.hours), list(&self.months));
        let (day, weekday) = match &self.days {
            Days::Unix(day, weekday) => {
                return write!(f, "{minutes} {hours} {day} {months} {weekday}");
            }
            Days::OfMonth(days) => (list(days), "?".to_owned()),
            Days::OfWeek(weekdays) => ("?".to_owned(), list(weekdays)),
            Days::LastOfWeek(weekday) => ("?".to_owned(), format!("{weekday}L")),
            Days::NthOfWeek(weekday, nth) => ("?".to_owned(), format!("{weekday}#{nth}")),
        };
        write!(f, "{} {minutes} {hours} {day} {months} {weekday}", list(&self.seconds))?;
        self.years.map_or(Ok(()), |(first, last)| write!(f, " {first}-{last}"))
    }
}

fn any_of(items: &[Item], value: i8, low: i8, high: i8) -> bool {
    items.iter().any(|item| item.contains(value, low, high))
}

impl Expression {
    pub fn fits(&self, t: DateTime) -> bool {
        any_of(&self.seconds, t.second(), 0, 59)
            && any_of(&self.minutes, t.minute(), 0, 59)
            && self.has_hour(t.hour())
            && any_of(&self.months, t.month(), 1, 12)
            && self.years.is_none_or(|(first, last)| (first..=last).contains(&t.year()))
            && self.fits_day(t)
    }

    pub fn has_hour(&self, hour: i8) -> bool {
        any_of(&self.hours, hour, 0, 23)
    }

    pub fn only_whole_minutes(&self) -> bool {
        matches!(self.seconds[..], [Item::One(0)])
    }

    pub fn steps_through(&self, hour: i8) -> bool {
        let all = (0..24).all(|hour| self.has_hour(hour));
        all || self.hours.iter().any(|item| item.steps() && item.contains(hour, 0, 23))
    }

    fn fits_day(&self, t: DateTime) -> bool {
        let (day, last) = (t.day(), t.days_in_month());
        let quartz = t.weekday().to_sunday_one_offset();
        match &self.days {
            Days::OfMonth(items) => items.iter().any(|item| match *item {
                DayItem::Plain(ref item) => item.contains(day, 1, 31),
                DayItem::FromEnd(days) => day == last - days,
                DayItem::Nearest(named) => named <= last && day == nearest_weekday(t, named),
                DayItem::NearestFromEnd(days) => days < last && day == nearest_weekday(t, last - days),
            }),
            Days::OfWeek(items) => any_of(items, quartz, 1, 7),
            Days::LastOfWeek(weekday) => quartz == *weekday && day + 7 > last,
            Days::NthOfWeek(weekday, nth) => quartz == *weekday && (day + 6) / 7 == *nth,
            Days::Unix(days, weekdays) => {
                let unix = quartz - 1;
                let fits_weekday = weekdays.contains(unix, 0, 7) || unix == 0 && weekdays.contains(7, 0, 7);
                let starred = |item: &Item| matches!(item, Item::Every | Item::EveryNth(_));
                match starred(days) || starred(weekdays) {
                    true => days.contains(day, 1, 31) && fits_weekday,
                    false => days.contains(day, 1, 31) || fits_weekday,
                }
            }
        }
    }
}

/// The Monday to Friday of the month with the smallest distance to the day; a tie does not occur.
fn nearest_weekday(month: DateTime, day: i8) -> i8 {
    let works = |day: &i8| {
        !matches!(month.date().with().day(*day).build().unwrap().weekday(), Weekday::Saturday | Weekday::Sunday)
    };
    (1..=month.days_in_month()).filter(works).min_by_key(|other| (other - day).abs()).unwrap()
}

fn item(low: i8, high: i8, wraps: bool) -> impl Strategy<Value = Item> + Clone {
    let value = low..=high;
    let size = high - low;
    prop_oneof![
        2 => Just(Item::Every),
        2 => (1..=size).prop_map(Item::EveryNth),
        6 => value.clone().prop_map(Item::One),
        2 => (value.clone(), 1..=size).prop_map(|(first, step)| Item::From(first, step)),
        3 => (value.clone(), value, prop_oneof![3 => Just(1), 1 => 1..=size]).prop_map(move |(a, b, step)| {
            if wraps { Item::Range(a, b, step) } else { Item::Range(a.min(b), a.max(b), step) }
        }),
    ]
}

fn items(low: i8, high: i8, wraps: bool) -> impl Strategy<Value = Vec<Item>> {
    prop::collection::vec(item(low, high, wraps), 1..=3)
}

fn every() -> Vec<Item> {
    vec![Item::Every]
}

/// Expressions that differ in their times of day and fire on most days.
pub fn any_times(with_seconds: bool) -> impl Strategy<Value = Expression> {
    let seconds = if with_seconds { items(0, 59, true).boxed() } else { Just(vec![Item::One(0)]).boxed() };
    let hours = prop_oneof![items(0, 23, true), items(0, 3, false)];
    let days = prop_oneof![
        3 => Just(Days::OfMonth(vec![DayItem::Plain(Item::Every)])),
        1 => Just(Days::OfWeek(vec![Item::Range(6, 2, 1)])),
    ];
    (seconds, items(0, 59, true), hours, days).prop_map(|(seconds, minutes, hours, days)| Expression {
        seconds,
        minutes,
        hours,
        months: every(),
        days,
        years: None,
    })
}

/// Expressions that fire at midnight and differ in their days.
pub fn any_days() -> impl Strategy<Value = Expression> {
    let day = prop_oneof![
        5 => item(1, 31, true).prop_map(DayItem::Plain),
        2 => (0..=30_i8).prop_map(DayItem::FromEnd),
        2 => (1..=31_i8).prop_map(DayItem::Nearest),
        1 => (0..=30_i8).prop_map(DayItem::NearestFromEnd),
    ];
    let days = prop_oneof![
        4 => prop::collection::vec(day, 1..=3).prop_map(Days::OfMonth),
        2 => items(1, 7, true).prop_map(Days::OfWeek),
        1 => (1..=7_i8).prop_map(Days::LastOfWeek),
        1 => (1..=7_i8, 1..=5_i8).prop_map(|(weekday, nth)| Days::NthOfWeek(weekday, nth)),
        2 => (item(1, 31, false), item(0, 7, false)).prop_map(|(day, weekday)| Days::Unix(day, weekday)),
    ];
    let years =
        prop::option::of((1970..=2060_i16, 0..=40_i16).prop_map(|(first, more)| (first, (first + more).min(2099))));
    (prop_oneof![Just(every()), items(1, 12, false)], days, years).prop_map(|(months, days, years)| {
        let unix = matches!(days, Days::Unix(..));
        let zero = vec![Item::One(0)];
        let years = years.filter(|_| !unix);
        Expression { seconds: zero.clone(), minutes: zero.clone(), hours: zero, months, days, years }
    })
}

/// A few expressions of each kind of hour field, for tests that take one after the other.
pub fn rotation() -> Vec<Expression> {
    let hours = [
        every(),
        vec![Item::One(0)],
        vec![Item::One(2)],
        vec![Item::One(1), Item::One(3)],
        vec![Item::EveryNth(2)],
        vec![Item::EveryNth(3)],
        vec![Item::Range(0, 5, 1)],
        vec![Item::Range(22, 2, 1)],
        vec![Item::One(23), Item::Range(1, 2, 1)],
    ];
    let minutes = [
        vec![Item::One(30)],
        vec![Item::One(0)],
        vec![Item::EveryNth(15)],
        every(),
        vec![Item::One(15), Item::One(59)],
    ];
    hours
        .iter()
        .flat_map(|hours| minutes.iter().map(move |minutes| (hours.clone(), minutes.clone())))
        .map(|(hours, minutes)| Expression {
            seconds: vec![Item::One(0)],
            minutes,
            hours,
            months: every(),
            days: Days::OfMonth(vec![DayItem::Plain(Item::Every)]),
            years: None,
        })
        .collect()
}
