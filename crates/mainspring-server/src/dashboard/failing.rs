//! Jobs whose newest run has failed, known from the events: each look reads on where the one before ended.

use std::collections::BTreeMap;

use mainspring_api::{Attention, AttentionKind};
use mainspring_core::JobId;
use mainspring_core::run::RunState;
use mainspring_store::{EventRow, Store};
use rustc_hash::FxHashMap;

use super::attention::item;
use super::jobs::{is_of, jobs};
use crate::refusal::Answer;
use crate::show::instant;

/// Newest events that a look reads, at most: older failures are left to the list of jobs, also after a time in which nobody looked.
const NEWEST_EVENTS: i64 = 2_000;
/// Events that a look reads at once, and how often at most: a later look goes on.
const EVENTS_AT_ONCE: u32 = 500;
const READS_MAX: usize = 10;
/// Jobs that are remembered; of more, those that failed first are forgotten.
const JOBS_MAX: usize = 5_000;
/// Jobs that are shown.
const SHOWN_MAX: usize = 50;
/// Jobs that are read at once to find those of a namespace.
const JOBS_AT_ONCE: usize = 500;
/// Failures in a row that are counted.
const STREAK_MAX: u32 = 10;

/// Which jobs have failed last, and through which event that is known.
#[derive(Debug, Default)]
pub(super) struct Failing {
    through: Option<i64>,
    /// By job, the event of its failure.
    jobs: BTreeMap<JobId, i64>,
}

impl Failing {
    /// Reads on, and shows what fails: the newest first.
    pub(super) async fn look(&mut self, store: &dyn Store, namespace: Option<&str>) -> Answer<Vec<Attention>> {
        let mut through = begin(self.through, store.last_event().await?);
        for _ in 0..READS_MAX {
            let events = store.events(through, EVENTS_AT_ONCE).await?;
            let Some(last) = events.last() else { break };
            through = last.seq;
            events.iter().for_each(|event| self.hear(event));
            if events.len() < EVENTS_AT_ONCE as usize {
                break;
            }
        }
        self.through = Some(through);
        self.show(store, namespace).await
    }

    fn hear(&mut self, event: &EventRow) {
        if event.kind != "runs" {
            return;
        }
        let changes: Vec<(String, i64, String)> = serde_json::from_str(&event.payload).unwrap_or_default();
        for (_, job, state) in changes {
            match RunState::from_word(&state) {
                Some(RunState::Failed) => _ = self.jobs.insert(JobId(job), event.seq),
                Some(RunState::Succeeded) => _ = self.jobs.remove(&JobId(job)),
                _ => {}
            }
        }
        while self.jobs.len() > JOBS_MAX {
            let oldest = self.jobs.iter().min_by_key(|(_, seq)| **seq).map(|(job, _)| *job);
            oldest.map(|job| self.jobs.remove(&job));
        }
    }

    async fn show(&self, store: &dyn Store, namespace: Option<&str>) -> Answer<Vec<Attention>> {
        let mut newest: Vec<(i64, JobId)> = self.jobs.iter().map(|(job, seq)| (*seq, *job)).collect();
        newest.sort_unstable_by(|a, b| b.cmp(a));
        let mut definitions = FxHashMap::default();
        let mut ids: Vec<JobId> = Vec::new();
        for part in newest.chunks(namespace.map_or(SHOWN_MAX, |_| JOBS_AT_ONCE)) {
            let part: Vec<JobId> = part.iter().map(|(_, job)| *job).collect();
            definitions.extend(jobs(store, part.clone()).await?);
            ids.extend(part.into_iter().filter(|id| is_of(namespace, definitions.get(id))));
            if ids.len() >= SHOWN_MAX {
                break;
            }
        }
        ids.truncate(SHOWN_MAX);
        let mut shown = Vec::new();
        for digest in store.job_digests(ids, STREAK_MAX).await? {
            let Some(job) = definitions.get(&digest.job) else { continue };
            let ended = digest.recent.iter().filter(|run| run.state.is_final());
            let streak: Vec<_> = ended.take_while(|run| run.state == RunState::Failed).collect();
            let (Some(newest), Some(first)) = (streak.first(), streak.last()) else { continue };
            let detail = match streak.len() {
                1 => "its last run has failed".to_owned(),
                count => format!("its last {count} runs have failed"),
            };
            let since = first.ended_at.unwrap_or(first.fire_time);
            shown.push(Attention {
                namespace: Some(job.key.namespace.clone()),
                job: Some(job.key.name.clone()),
                last_run: Some(newest.id.to_string()),
                ..item(AttentionKind::Failing, streak.len() as u64, instant(since), detail)
            });
        }
        Ok(shown)
    }
}

/// After which event a look begins.
fn begin(through: Option<i64>, newest: i64) -> i64 {
    newest.saturating_sub(NEWEST_EVENTS).max(through.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use mainspring_schedule::Timestamp;

    use super::*;

    #[test]
    fn job_fails_until_it_succeeds() {
        let mut failing = Failing::default();
        let mut hear = |seq, kind: &str, payload: &str| {
            let at = Timestamp::from_millis(0);
            failing.hear(&EventRow { seq, at, kind: kind.to_owned(), payload: payload.to_owned() });
            failing.jobs.keys().map(|job| job.0).collect::<Vec<_>>()
        };
        assert_eq!(hear(1, "runs", r#"[["r", 1, "failed"], ["s", 2, "running"]]"#), [1]);
        assert_eq!(hear(2, "job", r#"{"key": "a/b", "change": "updated"}"#), [1]);
        assert_eq!(hear(3, "runs", r#"[["t", 2, "failed"], ["u", 1, "cancelled"]]"#), [1, 2]);
        assert_eq!(hear(4, "runs", r#"[["v", 1, "succeeded"]]"#), [2]);
    }

    #[test]
    fn look_begins_near_the_newest_event() {
        assert_eq!((begin(None, 10), begin(None, 5_000)), (0, 3_000));
        assert_eq!((begin(Some(4_900), 5_000), begin(Some(10), 100_000)), (4_900, 98_000));
    }

    #[test]
    fn jobs_that_failed_first_are_forgotten() {
        let mut failing = Failing::default();
        for job in 0..=i64::try_from(JOBS_MAX).unwrap() {
            let payload = format!(r#"[["r", {job}, "failed"]]"#);
            let at = Timestamp::from_millis(0);
            failing.hear(&EventRow { seq: 10_000 - job, at, kind: "runs".into(), payload });
        }
        assert_eq!(failing.jobs.len(), JOBS_MAX);
        assert!(failing.jobs.contains_key(&JobId(0)), "it failed last");
    }
}
