//! How many fires come together.

use std::sync::Arc;

use mainspring_core::job::Job;
use mainspring_core::{JobId, Timestamp};
use rustc_hash::FxHashMap;

use super::{Control, Result};

/// Triggers whose fires are computed before others have their turn: about half a millisecond.
const AT_ONCE: usize = 10;
/// Jobs that are read at once.
const JOBS_AT_ONCE: usize = 500;

/// Fires to come.
#[derive(Clone, Debug, Default)]
pub struct Herd {
    /// Each with its job, in the order of the triggers.
    pub fires: Vec<(Timestamp, Arc<Job>)>,
    /// False: there are more triggers or fires than were looked at.
    pub complete: bool,
}

impl Control {
    /// Computes the fires of all triggers up to `until`: of the next due triggers, and of their fires, up to a number each.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn herd(&self, until: Timestamp, triggers_max: u32, fires_max: usize) -> Result<Herd> {
        let rows = self.store.due_soon(until, triggers_max).await?;
        let mut herd = Herd { fires: Vec::new(), complete: rows.len() < triggers_max as usize };
        for part in rows.chunks(JOBS_AT_ONCE) {
            let mut ids: Vec<JobId> = part.iter().map(|row| row.job).collect();
            ids.dedup();
            let jobs = self.store.jobs_by_id(ids).await?.into_iter().map(|row| (row.id, row.definition));
            let jobs: FxHashMap<JobId, Arc<Job>> = jobs.collect();
            for (index, row) in part.iter().enumerate() {
                if index % AT_ONCE == 0 {
                    tokio::task::yield_now().await;
                }
                let Some(job) = jobs.get(&row.job).filter(|job| job.triggers.len() > row.index as usize) else {
                    continue;
                };
                let calendars = self.calendars_of(job).await?;
                // One that cannot be evaluated is put aside by the engine, and does not fire.
                let Ok(rule) = self.rule(job, row.index as usize, &calendars, row.progress.start_at) else { continue };
                let room = fires_max - herd.fires.len();
                let fires = rule.fires_from(&row.progress, until).take(room + 1);
                herd.fires.extend(fires.map(|at| (at, Arc::clone(job))));
                if herd.fires.len() > fires_max {
                    herd.fires.truncate(fires_max);
                    herd.complete = false;
                    return Ok(herd);
                }
            }
        }
        Ok(herd)
    }
}
