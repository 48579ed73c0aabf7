//! Saving and deleting calendars.

use std::sync::Arc;

use mainspring_core::Timestamp;
use mainspring_core::batch::TriggerStatus;
use mainspring_core::compile::{self, Defaults, FieldError};
use mainspring_core::job::{CalendarDefinition, check_name};
use mainspring_schedule::Calendar;
use mainspring_store::{CalendarRow, CalendarWrite, Expect, Rederive};
use rustc_hash::FxHashMap;

use super::{Control, Error, Result, SaveMode};
use crate::definitions::{read_calendar, read_calendar_with};

/// Calendars read at a time.
const PAGE: u32 = 200;

impl Control {
    /// Saves a calendar, and with it the next instants of the triggers that use it or one that stands on it.
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
        let _one_at_a_time = self.calendars.lock().await;
        self.check_calendar(namespace, name, definition).await?;
        if mode == SaveMode::DryRun {
            return Ok(None);
        }
        let text = serde_json::to_string(definition).expect("plain data has a text");
        let now = self.now();
        let dependents = self.dependents(namespace, name).await?;
        let mut calendars = FxHashMap::default();
        for dependent in std::iter::once(&name.to_owned()).chain(&dependents) {
            let compiled = read_calendar_with(&*self.store, namespace, dependent, Some((name, definition))).await?;
            calendars.extend(compiled.map(|calendar| (dependent.clone(), calendar)));
        }
        let rederive = rederive(calendars, self.defaults(), now);
        let write = CalendarWrite { dependents, rederive, ..CalendarWrite::new(namespace, name, &text, expect, now) };
        Ok(Some(self.store.save_calendar(write).await?))
    }

    /// Deletes a calendar that no trigger uses.
    ///
    /// # Errors
    /// If there is no such calendar, a trigger uses it, or `expect` does not hold.
    pub async fn delete_calendar(&self, namespace: &str, name: &str, expect: Expect) -> Result<()> {
        let _one_at_a_time = self.calendars.lock().await;
        if let Some(other) = self.dependents(namespace, name).await?.first() {
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

    /// The calendars that stand on a calendar.
    async fn dependents(&self, namespace: &str, name: &str) -> Result<Vec<String>> {
        let mut found = Vec::new();
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

/// Moves a trigger by Quartz's rule to where its new calendar puts it.
fn rederive(calendars: FxHashMap<String, Arc<Calendar>>, defaults: Defaults, now: Timestamp) -> Rederive {
    Box::new(move |job, row| {
        let aside = row.progress.status == TriggerStatus::Error;
        if row.progress.next_fire_at.is_none() && !aside {
            return None;
        }
        let (definition, find) = (job.triggers.get(row.index as usize)?, |name: &str| calendars.get(name).cloned());
        // What cannot be compiled does not fire either, and is reported where it is read.
        let rule = compile::rule(job, definition, row.progress.start_at, defaults, &find).ok()?;
        Some(match aside {
            // The calendar may have been what was wrong with it: it goes on as if it had been saved again.
            true => mainspring_core::edit::resume(&rule, row.id, &row.progress, now),
            false => (rule.after_calendar_change(row.id, &row.progress, now, rule.misfire_threshold_ms), None),
        })
    })
}
