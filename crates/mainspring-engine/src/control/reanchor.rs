//! Taking back what was recorded for the future by a clock that was ahead.

use mainspring_core::edit;
use mainspring_core::job::JobKey;
use mainspring_core::{Timestamp, TriggerId};
use mainspring_store::{Error as StoreError, GapCut, JobUpdate, TriggerUpdate};

use super::jobs::overtaken_always;
use super::{Control, Result, TRIES, no_job, overtaken};

/// Gaps that are read at once.
const GAPS_AT_ONCE: u32 = 1_000;

impl Control {
    /// Lets a trigger fire after now again that has records in the future, because the clock was ahead. Missed and suppressed
    /// instants of the future are taken back; runs stay, and an instant that has one does not fire again. Returns whether there was
    /// anything to take back.
    ///
    /// # Errors
    /// If there is no such job or trigger.
    pub async fn reanchor_trigger(&self, key: &JobKey, name: &str) -> Result<bool> {
        for _ in 0..TRIES {
            let prior = self.store.prior(key).await?;
            let Some(job) = prior.job else { return Err(no_job(key)) };
            let Some(trigger) = prior.triggers.iter().find(|trigger| trigger.name == name) else {
                let key = format!("{key}/{name}");
                return Err(StoreError::NotFound { what: "trigger", key }.into());
            };
            let (row, now) = (&trigger.row, self.now());
            let calendars = self.calendars_of(&job.definition).await?;
            let rule = self.rule(&job.definition, row.index as usize, &calendars, row.progress.start_at)?;
            let progress = edit::reanchor(&rule, row.id, &row.progress, now);
            let ahead = self.gaps_ahead(row.id, now).await?;
            if progress.is_none() && ahead.is_empty() {
                return Ok(false);
            }
            let cuts = ahead
                .into_iter()
                .map(|row_of| GapCut { seq: row_of.seq, rest: edit::cut(&rule, &row.progress, &row_of.gap, now) });
            let change = TriggerUpdate {
                id: row.id,
                expected_next: row.progress.next_fire_at,
                paused: None,
                progress,
                gap: None,
                reanchor: Some(cuts.collect()),
            };
            let update =
                JobUpdate { job: job.id, expected_change: job.change, paused: None, triggers: vec![change], at: now };
            match self.store.update_job(update).await {
                Err(error) if overtaken(&error) => {}
                done => return Ok(done.map(|_| true)?),
            }
        }
        Err(overtaken_always(key))
    }

    /// The gaps of a trigger that reach beyond now.
    async fn gaps_ahead(&self, trigger: TriggerId, now: Timestamp) -> Result<Vec<mainspring_store::GapRow>> {
        let (mut after, mut ahead) = (0, Vec::new());
        loop {
            let page = self.store.gaps(Some(trigger), after, GAPS_AT_ONCE).await?;
            let is_last = page.len() < GAPS_AT_ONCE as usize;
            after = page.last().map_or(after, |row| row.seq);
            ahead.extend(page.into_iter().filter(|row| row.gap.last > now));
            if is_last {
                return Ok(ahead);
            }
        }
    }
}
