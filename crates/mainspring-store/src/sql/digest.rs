//! Jobs in brief. Two statements a job find their rows by keys; one look at the unfinished runs does for all jobs.

use mainspring_core::JobId;
use mainspring_core::run::{Origin, RunState};
use rustc_hash::FxHashMap;

use super::db::{Db, Row, Step, ToSql, instant, maybe_instant, read, read_known, read_one, run_id, sql, word};
use crate::digest::{DIGEST_LIVE_MAX, JobDigest, RunDigest};

/// See [`crate::Store::job_digests`].
pub(crate) fn of_jobs(db: &dyn Db, jobs: &[JobId], recent: u32) -> Step<Vec<JobDigest>> {
    if jobs.is_empty() {
        return Ok(Vec::new());
    }
    let mut found: Vec<JobDigest> = jobs.iter().copied().map(JobDigest::new).collect();
    let places: FxHashMap<JobId, usize> = jobs.iter().copied().zip(0..).collect();
    let live = read_known(db, sql!("digest_live"), &[(":limit", &DIGEST_LIVE_MAX)], live)?;
    for (job, run) in live {
        if let Some(place) = places.get(&job) {
            found[*place].add_live(run);
        }
    }
    for digest in &mut found {
        let job = digest.job.0;
        let next = read_one(db, sql!("digest_next"), &[(":job", &job)], |row| maybe_instant(row, 0))?;
        digest.next_fire_at = next.flatten();
        if recent > 0 {
            let values: [(&str, &dyn ToSql); 2] = [(":job", &job), (":limit", &recent)];
            digest.recent.extend(read(db, sql!("digest_final"), &values, ended)?);
        }
        digest.settle(recent);
    }
    Ok(found)
}

fn live(row: &Row<'_>) -> Step<(JobId, RunDigest)> {
    let state = word(row, 2, RunState::from_word)?;
    let claimed_at = maybe_instant(row, 5)?;
    let run = RunDigest {
        id: run_id(row, 0)?,
        state,
        origin: word(row, 3, Origin::from_word)?,
        fire_time: instant(row, 4)?,
        started_at: claimed_at.filter(|_| state == RunState::Running),
        ended_at: None,
    };
    Ok((JobId(row.get(1)?), run))
}

fn ended(row: &Row<'_>) -> Step<RunDigest> {
    Ok(RunDigest {
        id: run_id(row, 0)?,
        state: word(row, 1, RunState::from_word)?,
        origin: word(row, 2, Origin::from_word)?,
        fire_time: instant(row, 3)?,
        started_at: maybe_instant(row, 4)?,
        ended_at: maybe_instant(row, 5)?,
    })
}

/// See [`crate::Store::longest_running`].
pub(crate) fn longest(db: &dyn Db, limit: u32) -> Step<Vec<(JobId, RunDigest)>> {
    let looked_at = DIGEST_LIVE_MAX;
    read_known(db, sql!("digest_longest"), &[(":looked_at", &looked_at), (":limit", &limit)], live)
}
