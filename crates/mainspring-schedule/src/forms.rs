//! Serialized forms of expressions, schedules, triggers and calendars, validated when read.

pub(crate) mod arcs;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use crate::{Calendar, Cron, Date, Dialect, Schedule, Semantics, Trigger};

/// An expression as text, with what decides its meaning.
#[derive(serde::Serialize, serde::Deserialize)]
struct CronForm<'a> {
    #[serde(borrow)]
    expression: std::borrow::Cow<'a, str>,
    dialect: Dialect,
    semantics: Semantics,
}

impl Serialize for Cron {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let form = CronForm { expression: self.as_str().into(), dialect: self.dialect(), semantics: self.semantics() };
        form.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Cron {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let form = CronForm::deserialize(deserializer)?;
        Self::parse(&form.expression, form.dialect, form.semantics).map_err(D::Error::custom)
    }
}

impl Serialize for Schedule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Schedule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let schedule = Self::deserialize(deserializer)?;
        schedule.validate().map_err(D::Error::custom)?;
        Ok(schedule)
    }
}

impl Serialize for Trigger {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Trigger {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let trigger = Self::deserialize(deserializer)?;
        trigger.validate().map_err(D::Error::custom)?;
        Ok(trigger)
    }
}

impl Serialize for Calendar {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.form().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Calendar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::calendar::CalendarForm::deserialize(deserializer)?.read().map_err(D::Error::custom)
    }
}

/// Writes the date as `YYYY-MM-DD`.
impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        let wrong = || D::Error::custom(format_args!("`{text}` is not a date such as 2026-05-01"));
        // From behind, since a year may have a sign.
        let mut parts = text.rsplitn(3, '-');
        let (day, month, year) = (parts.next(), parts.next(), parts.next());
        let part = |part: Option<&str>| part.filter(|part| part.len() == 2).and_then(|part| part.parse().ok());
        let year = year.filter(|year| year.len() >= 4).and_then(|year| year.parse().ok());
        let date = Self::new(year.ok_or_else(wrong)?, part(month).ok_or_else(wrong)?, part(day).ok_or_else(wrong)?);
        if date.is_valid() { Ok(date) } else { Err(wrong()) }
    }
}
