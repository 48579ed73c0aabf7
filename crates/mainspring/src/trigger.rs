//! Building triggers.

use std::time::Duration;

use mainspring_core::Timestamp;
use mainspring_core::after::AfterOn;
use mainspring_core::job::{ScheduleDefinition, TriggerDefinition};
use mainspring_schedule::{CalendarUnit, MisfirePolicy, Semantics, TimeOfDay};

/// Fires at the times of a cron expression: 6 or 7 fields in Quartz's dialect, 5 in the Unix dialect, or `@daily` and its like.
pub fn cron(expression: impl Into<String>) -> TriggerBuilder {
    TriggerBuilder::new(ScheduleDefinition::Cron { expression: expression.into() })
}

/// Fires at equal steps: at once, unless a start is set, and then every `interval`.
pub fn every(interval: Duration) -> TriggerBuilder {
    TriggerBuilder::new(ScheduleDefinition::Every { interval_ms: millis(interval), repeat_count: None })
}

/// Fires once.
pub fn at(instant: Timestamp) -> TriggerBuilder {
    TriggerBuilder::new(ScheduleDefinition::At { at: instant })
}

/// Fires at once, and then a fixed delay after the end of each run.
pub fn delay(delay: Duration) -> TriggerBuilder {
    TriggerBuilder::new(ScheduleDefinition::Delay { delay_ms: millis(delay) })
}

/// Fires when a run of the job `name`, in the same namespace, ends as `on` says.
pub fn after(name: impl Into<String>, on: AfterOn) -> TriggerBuilder {
    TriggerBuilder::new(ScheduleDefinition::After { jobs: vec![name.into()], on })
}

/// Fires every `interval` units of the civil calendar, keeping the local time of day.
pub fn calendar_interval(interval: u32, unit: CalendarUnit) -> TriggerBuilder {
    TriggerBuilder::new(ScheduleDefinition::CalendarInterval {
        unit: unit.as_str().into(),
        interval,
        preserve_hour: true,
        skip_day: false,
    })
}

/// Fires every `interval` between two times of day.
pub fn daily_window(from: TimeOfDay, to: TimeOfDay, interval: Duration) -> TriggerBuilder {
    TriggerBuilder::new(ScheduleDefinition::DailyWindow {
        from: from.to_string(),
        to: Some(to.to_string()),
        days: Vec::new(),
        interval_ms: millis(interval),
        repeat_count: None,
    })
}

/// A trigger in the making. What is wrong with it is said when its job is added.
#[derive(Clone, Debug)]
#[must_use]
pub struct TriggerBuilder {
    name: Option<String>,
    definition: TriggerDefinition,
}

impl TriggerBuilder {
    fn new(schedule: ScheduleDefinition) -> Self {
        Self { name: None, definition: TriggerDefinition::new("", schedule) }
    }

    /// A name of its own within the job; `trigger-1`, `trigger-2` … if not set.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The IANA zone in which the schedule is read; UTC if not set.
    pub fn timezone(mut self, zone: impl Into<String>) -> Self {
        self.definition.timezone = zone.into();
        self
    }

    /// Nothing fires before. Intervals count from here.
    pub fn starting(mut self, start: Timestamp) -> Self {
        self.definition.start_at = Some(start);
        self
    }

    /// Nothing fires after.
    pub fn until(mut self, end: Timestamp) -> Self {
        self.definition.end_at = Some(end);
        self
    }

    /// Fires after the first, for [`every`] and [`daily_window`].
    pub fn repeat(mut self, count: u32) -> Self {
        if let ScheduleDefinition::Every { repeat_count, .. } | ScheduleDefinition::DailyWindow { repeat_count, .. } =
            &mut self.definition.schedule
        {
            *repeat_count = Some(count);
        }
        self
    }

    /// Days of the week on which it fires, for [`daily_window`], by their English names; all if not set.
    pub fn days(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        if let ScheduleDefinition::DailyWindow { days, .. } = &mut self.definition.schedule {
            *days = names.into_iter().map(Into::into).collect();
        }
        self
    }

    /// Lets a [`daily_window`] last to the end of the day.
    pub fn to_end_of_day(mut self) -> Self {
        if let ScheduleDefinition::DailyWindow { to, .. } = &mut self.definition.schedule {
            *to = None;
        }
        self
    }

    /// Whether a [`calendar_interval`] keeps the local time of day where clocks change, which it does if not set.
    pub fn preserve_hour(mut self, preserves: bool) -> Self {
        if let ScheduleDefinition::CalendarInterval { preserve_hour, .. } = &mut self.definition.schedule {
            *preserve_hour = preserves;
        }
        self
    }

    /// Whether a [`calendar_interval`] leaves out days on which its time of day does not exist.
    pub fn skip_day(mut self, skips: bool) -> Self {
        if let ScheduleDefinition::CalendarInterval { skip_day, .. } = &mut self.definition.schedule {
            *skip_day = skips;
        }
        self
    }

    /// Input of its runs, over that of the job.
    pub fn input(mut self, input: serde_json::Value) -> Self {
        self.definition.input = input;
        self
    }

    /// Priority of its runs in place of the job's; higher goes first.
    pub fn priority(mut self, priority: i32) -> Self {
        self.definition.priority = Some(priority);
        self
    }

    /// A calendar of the job's namespace whose days are passed over.
    pub fn calendar(mut self, name: impl Into<String>) -> Self {
        self.definition.calendar = Some(name.into());
        self
    }

    /// What becomes of fire times that passed the threshold.
    pub fn misfire(mut self, policy: MisfirePolicy) -> Self {
        self.definition.misfire = policy.to_string();
        self
    }

    /// When a fire time counts as missed; a minute if not set.
    pub fn misfire_threshold(mut self, threshold: Duration) -> Self {
        self.definition.misfire_threshold_ms = Some(millis(threshold));
        self
    }

    /// Spreads fires by up to this much, always the same for a trigger and fire time.
    pub fn jitter(mut self, jitter: Duration) -> Self {
        self.definition.jitter_ms = millis(jitter);
        self
    }

    /// Repaired rules, or Quartz's bit for bit.
    pub fn semantics(mut self, semantics: Semantics) -> Self {
        self.definition.semantics = semantics.to_string();
        self
    }

    pub(crate) fn build(self, index: usize) -> TriggerDefinition {
        let name = self.name.unwrap_or_else(|| format!("trigger-{}", index + 1));
        TriggerDefinition { name, ..self.definition }
    }
}

/// Whole milliseconds, at least one for anything longer than nothing.
pub(crate) fn millis(duration: Duration) -> i64 {
    let millis = duration.as_nanos().div_ceil(1_000_000);
    i64::try_from(millis).unwrap_or(i64::MAX)
}
