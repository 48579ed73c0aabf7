//! The fires of the next hour.

use std::sync::Arc;

use mainspring_api::{FirePeak, FirePeakJob};
use mainspring_core::Timestamp;
use mainspring_core::job::Job;
use mainspring_engine::Control;

use crate::refusal::Answer;
use crate::show::instant;

const PART_MS: i64 = 5 * 60_000;
const PARTS: usize = 12;
/// Triggers and fires that are looked at.
const TRIGGERS_MAX: u32 = 2_000;
const FIRES_MAX: usize = 20_000;
/// Jobs that each part names.
const TOP: usize = 3;

/// The fires of the next hour, in parts of five minutes.
#[derive(Clone, Debug)]
pub(super) struct Peaks {
    pub(super) parts: Vec<FirePeak>,
    pub(super) complete: bool,
}

impl Peaks {
    pub(super) async fn look(control: &Control, namespace: Option<&str>, now: Timestamp) -> Answer<Self> {
        let begin = begin(now);
        let until = begin + PART_MS * PARTS as i64 + -1;
        let mut herd = control.herd(until, TRIGGERS_MAX, FIRES_MAX).await?;
        herd.fires.retain(|(_, job)| namespace.is_none_or(|namespace| job.key.namespace == namespace));
        Ok(Self { parts: parts(begin, herd.fires), complete: herd.complete })
    }
}

/// Where the first part begins: at a full five minutes.
fn begin(now: Timestamp) -> Timestamp {
    Timestamp::from_millis(now.as_millis().div_euclid(PART_MS) * PART_MS)
}

fn parts(begin: Timestamp, mut fires: Vec<(Timestamp, Arc<Job>)>) -> Vec<FirePeak> {
    fires.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.key.cmp(&b.1.key)));
    let part = |index: i64| FirePeak { at: instant(begin + index * PART_MS), fires: 0, top: Vec::new() };
    let mut parts: Vec<FirePeak> = (0..PARTS as i64).map(part).collect();
    for (at, job) in fires {
        let place = usize::try_from(at.since(begin).div_euclid(PART_MS)).ok();
        let Some(part) = place.and_then(|place| parts.get_mut(place)) else { continue };
        part.fires += 1;
        let is_named = part.top.iter().any(|named| named.job == job.key.name && named.namespace == job.key.namespace);
        if part.top.len() < TOP && !is_named {
            let (namespace, job) = (job.key.namespace.clone(), job.key.name.clone());
            part.top.push(FirePeakJob { namespace, job, at: instant(at) });
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use mainspring_core::job::{JobKey, Task};

    use super::*;

    #[test]
    fn fires_are_counted_in_parts_that_name_their_first_jobs() {
        let begin = begin(Timestamp::from_millis(1_767_225_600_000 + 299_999));
        assert_eq!(begin.as_millis(), 1_767_225_600_000);
        let job = |name: &str| Arc::new(Job::new(JobKey::new("n", name), Task::Noop));
        let fire = |ms: i64, name: &str| (begin + ms, job(name));
        let fires = vec![
            fire(2, "b"),
            fire(1, "a"),
            fire(3, "a"),
            fire(PART_MS, "c"),
            fire(4, "d"),
            fire(5, "e"),
            fire(PART_MS * 12, "beyond"),
        ];
        let parts = parts(begin, fires);
        let top: Vec<_> = parts[0].top.iter().map(|named| named.job.as_str()).collect();
        assert_eq!((parts.len(), parts[0].fires, top), (12, 5, vec!["a", "b", "d"]));
        assert_eq!((parts[1].fires, parts[11].fires), (1, 0));
    }
}
