//! Saving and deleting calendars.

use mainspring_core::compile::{self, FieldError};
use mainspring_core::job::{CalendarDefinition, check_name};
use mainspring_store::{CalendarRow, Expect};

use super::{Control, Error, Result, SaveMode};
use crate::definitions::read_calendar;

/// Calendars read at a time.
const PAGE: u32 = 200;

impl Control {
    /// Saves a calendar, and sets the next instants of the triggers that use it.
    ///
    /// # Errors
    /// If it cannot be used, its base is missing or stands on it, or `expect` does not hold.
    pub async fn save_calendar(
        &self,
        namespace: &str,
        name: &str,
        definition: &CalendarDefinition,
        expect: Expect,
        mode: SaveMode,
    ) -> Result<Option<CalendarRow>> {
        check_name(namespace)?;
        check_name(name)?;
        self.check_calendar(namespace, name, definition).await?;
        if mode == SaveMode::DryRun {
            return Ok(None);
        }
        let text = serde_json::to_string(definition).expect("plain data has a text");
        let row = self.store.save_calendar(namespace, name, &text, expect, self.clock.now()).await?;
        for dependent in self.dependents(namespace, name).await? {
            self.rederive(namespace, &dependent).await?;
        }
        Ok(Some(row))
    }

    /// Deletes a calendar that no trigger uses.
    ///
    /// # Errors
    /// If there is no such calendar, a trigger uses it, or `expect` does not hold.
    pub async fn delete_calendar(&self, namespace: &str, name: &str, expect: Expect) -> Result<()> {
        let others = self.dependents(namespace, name).await?;
        if let Some(other) = others.iter().find(|other| *other != name) {
            let why = format!("is the base of `{other}`");
            return Err(mainspring_store::Error::Conflict {
                what: "calendar",
                key: format!("{namespace}/{name}"),
                why,
            }
            .into());
        }
        Ok(self.store.delete_calendar(namespace, name, expect).await?)
    }

    /// The calendar itself and those that stand on it.
    async fn dependents(&self, namespace: &str, name: &str) -> Result<Vec<String>> {
        let mut found = vec![name.to_owned()];
        let mut after: Option<String> = None;
        loop {
            let page = self.store.calendars(namespace, after.as_deref(), PAGE).await?;
            let Some(last) = page.last() else { return Ok(found) };
            after = Some(last.name.clone());
            for row in page {
                if row.name != name && self.stands_on(namespace, &row.name, name).await? {
                    found.push(row.name);
                }
            }
        }
    }

    async fn check_calendar(&self, namespace: &str, name: &str, definition: &CalendarDefinition) -> Result<()> {
        let path = format!("{namespace}/{name}");
        let invalid = |error| Error::Invalid { path: path.clone(), trigger: None, error };
        let mut base = None;
        if let Some(base_name) = &definition.base {
            if self.stands_on(namespace, base_name, name).await? {
                let message = format!("`{base_name}` stands on `{name}` itself");
                return Err(invalid(FieldError { field: "base", code: "calendar.cycle", message, hint: None }));
            }
            base = read_calendar(&*self.store, namespace, base_name).await?;
        }
        compile::calendar(definition, &|_| base.clone()).map_err(invalid)?;
        Ok(())
    }

    /// Whether a calendar is `other`, or has it among its bases.
    async fn stands_on(&self, namespace: &str, name: &str, other: &str) -> Result<bool> {
        let mut next = Some(name.to_owned());
        for _ in 0..=mainspring_schedule::Calendar::CHAIN_MAX {
            let Some(name) = next else { return Ok(false) };
            if name == other {
                return Ok(true);
            }
            let row = self.store.calendar(namespace, &name).await?;
            let definition = row.and_then(|row| serde_json::from_str::<CalendarDefinition>(&row.definition).ok());
            next = definition.and_then(|definition| definition.base);
        }
        Ok(false)
    }
}
