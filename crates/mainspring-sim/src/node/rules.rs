//! Definitions and the rules of triggers: read once per version, as they never change.

use super::*;

impl World {
    /// The rule of the `delay` trigger that awaits a run.
    pub(crate) fn awaiting(&mut self, start: &Start) -> Option<Arc<Rule>> {
        let rows = ready(self.store.memory.trigger_rows(&[start.trigger?])).expect("the memory store is open");
        let row = rows.first().filter(|row| row.progress.awaiting_run == Some(start.run))?;
        self.rule(row).filter(|rule| rule.delay_ms.is_some())
    }

    pub(crate) fn definition(&self, start: &Start) -> Arc<mainspring_core::job::Job> {
        match &start.definition {
            Some(definition) => Arc::clone(definition),
            None => {
                let definition = ready(self.store.memory.definition(start.job, start.job_version));
                definition.unwrap_or_else(|_| Arc::clone(&self.drafts[0].definition))
            }
        }
    }

    /// Compiles rows. One that cannot be compiled is left out.
    pub(super) fn load(&mut self, rows: &[TriggerRow]) -> Option<Vec<Loaded>> {
        if self.has(Planted::PoisonBlocks) && rows.iter().any(|row| self.poisoned.contains(&row.id)) {
            return None;
        }
        Some(rows.iter().filter_map(|row| Some(Loaded { row: row.clone(), rule: self.rule(row)? })).collect())
    }

    fn rule(&mut self, row: &TriggerRow) -> Option<Arc<Rule>> {
        if let Some(rule) = self.rules.get(&(row.id, row.version)).filter(|rule| self.fits(rule, row)) {
            return Some(Arc::clone(rule));
        }
        if self.poisoned.contains(&row.id) {
            return None;
        }
        let job = ready(self.store.memory.definition(row.job, row.job_version)).ok()?;
        let defaults = Defaults { misfire_threshold_ms: self.misfire_threshold_ms };
        let trigger = job.triggers.get(row.index as usize)?;
        let rule = Arc::new(compile::rule(&job, trigger, row.progress.start_at, defaults, &|_| None).ok()?);
        self.rules.insert((row.id, row.version), Arc::clone(&rule));
        Some(rule)
    }

    fn fits(&self, rule: &Rule, row: &TriggerRow) -> bool {
        // Misfire policies may move the start without a new version; only schedules that name none are compiled from it.
        let _ = self;
        rule.definition
            .triggers
            .get(row.index as usize)
            .is_some_and(|trigger| trigger.start_at.is_some() || rule.trigger.start_at == row.progress.start_at)
    }
}
