//! Building calendars: days and times on which nothing fires.

use mainspring_core::job::{CalendarDefinition, CalendarRule};

use crate::job::NAMESPACE;

/// A calendar in the making, for [`Scheduler::add_calendar`](crate::Scheduler::add_calendar). Triggers name it with
/// [`TriggerBuilder::calendar`](crate::TriggerBuilder::calendar). What is wrong with it is said when it is added.
#[derive(Clone, Debug)]
#[must_use]
pub struct CalendarBuilder {
    namespace: String,
    name: String,
    definition: CalendarDefinition,
}

/// Begins a calendar that removes these dates, as `2026-12-25`.
pub fn holidays(name: impl Into<String>, dates: impl IntoIterator<Item = impl Into<String>>) -> CalendarBuilder {
    CalendarBuilder::new(name, CalendarRule::Holiday { dates: dates.into_iter().map(Into::into).collect() })
}

impl CalendarBuilder {
    /// Begins a calendar of any rule.
    pub fn new(name: impl Into<String>, rule: CalendarRule) -> Self {
        let definition = CalendarDefinition { rule, timezone: None, base: None, description: String::new() };
        Self { namespace: NAMESPACE.to_owned(), name: name.into(), definition }
    }

    /// Sets the namespace, which is that of the jobs whose triggers use it; `default` if not set.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = namespace.into();
        self
    }

    /// Sets the zone in which days are read; each trigger's own if not set.
    pub fn timezone(mut self, zone: impl Into<String>) -> Self {
        self.definition.timezone = Some(zone.into());
        self
    }

    /// Removes what another calendar of the namespace removes as well.
    pub fn base(mut self, calendar: impl Into<String>) -> Self {
        self.definition.base = Some(calendar.into());
        self
    }

    /// Describes it for people.
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.definition.description = text.into();
        self
    }

    pub(crate) fn build(self) -> (String, String, CalendarDefinition) {
        (self.namespace, self.name, self.definition)
    }
}
