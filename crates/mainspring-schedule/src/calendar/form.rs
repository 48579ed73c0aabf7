//! A calendar as it is written with `serde`.

use std::sync::Arc;

use super::{Calendar, CalendarError, Rule};
use crate::cron::Cron;
use crate::forms::arcs::{shared, shared_option};
use crate::{Date, DaysOfWeek, TimeOfDay, Zone};

#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct CalendarForm {
    #[serde(flatten)]
    rule: RuleForm,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    zone: Option<Zone>,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "shared_option")]
    base: Option<Arc<Calendar>>,
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum RuleForm {
    /// Months and days.
    Annual {
        days: Vec<(u8, u8)>,
    },
    Cron(#[serde(with = "shared")] Arc<Cron>),
    Daily {
        from: TimeOfDay,
        to: TimeOfDay,
        #[serde(default)]
        invert: bool,
    },
    Holiday {
        dates: Vec<Date>,
    },
    Monthly {
        days: Vec<u8>,
    },
    Weekly {
        days: DaysOfWeek,
    },
}

impl CalendarForm {
    pub(crate) fn read(self) -> Result<Calendar, CalendarError> {
        let rule = match self.rule {
            RuleForm::Annual { days } => Calendar::annual(days)?,
            RuleForm::Cron(cron) => Calendar::cron(cron),
            RuleForm::Daily { from, to, invert } => Calendar::daily(from, to, invert)?,
            RuleForm::Holiday { dates } => Calendar::holiday(dates)?,
            RuleForm::Monthly { days } => Calendar::monthly(days)?,
            RuleForm::Weekly { days } => Calendar::weekly(days),
        };
        let calendar = Calendar { zone: self.zone, ..rule };
        match self.base {
            Some(base) => calendar.on_base(base),
            None => Ok(calendar),
        }
    }
}

impl Calendar {
    pub(crate) fn form(&self) -> CalendarForm {
        let days = |bits: u32| (1..=31_u8).filter(move |day| bits >> day & 1 == 1);
        let time = |ms: i64| {
            u32::try_from(ms).ok().and_then(TimeOfDay::from_millis).expect("a calendar keeps what was a time of day")
        };
        let rule = match &self.rule {
            Rule::Annual(months) => {
                let of_month = |(month, bits): (u8, &u32)| days(*bits).map(move |day| (month, day));
                RuleForm::Annual { days: (1..).zip(months).flat_map(of_month).collect() }
            }
            Rule::Cron(cron) => RuleForm::Cron(cron.clone()),
            Rule::Daily { from_ms, to_ms, invert } => {
                RuleForm::Daily { from: time(*from_ms), to: time(*to_ms), invert: *invert }
            }
            Rule::Holiday(dates) => {
                RuleForm::Holiday { dates: dates.iter().map(|day| Date::from_day_number(*day)).collect() }
            }
            Rule::Monthly(bits) => RuleForm::Monthly { days: days(*bits).collect() },
            Rule::Weekly(days) => RuleForm::Weekly { days: *days },
        };
        CalendarForm { rule, zone: self.zone.clone(), base: self.base.clone() }
    }
}
