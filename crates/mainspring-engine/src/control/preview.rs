//! What will fire when.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use mainspring_core::Timestamp;
use mainspring_core::job::JobKey;
use mainspring_core::rule::Rule;
use mainspring_store::{JobRow, NamedTrigger, TriggerInfo, TriggerQuery};

use super::{Control, Result};

/// Triggers that one page of the search reads.
const PAGE: u32 = 500;
/// Fires that one trigger shows at most.
const FIRES_PER_TRIGGER: usize = 1_000;

/// A coming fire.
#[derive(Clone, PartialEq, Debug)]
pub struct Upcoming {
    /// The instant of the schedule.
    pub fire_time: Timestamp,
    /// The same plus jitter.
    pub due_at: Timestamp,
    /// The job.
    pub job: JobRow,
    /// The trigger.
    pub trigger: NamedTrigger,
}

impl Control {
    /// The coming fires of all triggers (of a namespace, of a job) up to `until`, earliest first, at most `limit`.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn upcoming(
        &self,
        namespace: Option<&str>,
        job: Option<&JobKey>,
        until: Timestamp,
        limit: usize,
    ) -> Result<Vec<Upcoming>> {
        let mut query = TriggerQuery {
            namespace: job.map(|key| key.namespace.clone()).or_else(|| namespace.map(str::to_owned)),
            job: job.map(|key| key.name.clone()),
            after: None,
            limit: PAGE,
        };
        let mut found: BinaryHeap<(Timestamp, i64, usize)> = BinaryHeap::new();
        let mut triggers: Vec<(JobRow, NamedTrigger, Rule)> = Vec::new();
        loop {
            let page = self.store.triggers(query.clone()).await?;
            let Some(last) = page.last() else { break };
            query.after = Some((last.job.definition.key.clone(), last.trigger.name.clone()));
            for TriggerInfo { job, trigger } in page {
                let Some(next) = trigger.row.progress.next_fire_at.filter(|_| !trigger.row.paused) else { continue };
                let full = found.len() >= limit;
                if next > until || full && found.peek().is_some_and(|(worst, ..)| next >= *worst) {
                    continue;
                }
                let calendars = self.calendars_of(&job.definition).await?;
                let anchor = trigger.row.progress.start_at;
                let rule = self.rule(&job.definition, trigger.row.index as usize, &calendars, anchor)?;
                let place = triggers.len();
                for fire_time in rule.fires_from(&trigger.row.progress, until).take(FIRES_PER_TRIGGER.min(limit)) {
                    found.push((fire_time, trigger.row.id.0, place));
                    if found.len() > limit {
                        found.pop();
                    }
                }
                triggers.push((job, trigger, rule));
            }
        }
        let mut sorted = found.into_vec();
        sorted.sort_by_key(|(at, id, _)| (*at, Reverse(*id)));
        let show = |(fire_time, _, place): (Timestamp, i64, usize)| {
            let (job, trigger, rule): &(JobRow, NamedTrigger, Rule) = &triggers[place];
            let due_at = rule.due_at(trigger.row.id, fire_time);
            Upcoming { fire_time, due_at, job: job.clone(), trigger: trigger.clone() }
        };
        Ok(sorted.into_iter().map(show).collect())
    }
}
