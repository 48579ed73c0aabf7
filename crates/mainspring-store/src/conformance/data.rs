//! What jobs keep between their runs.
#![expect(missing_docs, reason = "the names of histories are sentences")]

use std::sync::Arc;

use mainspring_core::batch::{AttemptDetail, Completion};
use mainspring_core::retry::AfterAttempt;
use mainspring_core::run::{AttemptOutcome, Verdict};
use mainspring_core::{Incarnation, RunId, Timestamp};

use super::kit::{Draft, Kept, Kit, NONE, at};
use crate::{Error, Expect, Store};

/// Claims the runs that wait.
async fn claimed(kit: &Kit, job: &Kept, runs: u64) -> Vec<RunId> {
    let mut ids = Vec::new();
    for number in 0..runs {
        ids.push(kit.ask(job, number + 1, at(1_000)).await.0);
    }
    assert_eq!(kit.claim(10, at(1_000)).await.len(), ids.len());
    ids
}

fn leaving(job: &Kept, run: RunId, data: &str, ended_at: Timestamp) -> Completion {
    let detail = AttemptDetail { data: Some(data.into()), ..AttemptDetail::default() };
    Completion { detail: Some(Box::new(detail)), ..job.verdict(run, Verdict::Succeeded, ended_at) }
}

pub async fn data_is_what_the_last_success_has_left(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let (job, other) = (kit.save(Draft::new("a")).await, kit.save(Draft::new("b")).await);
    let runs = claimed(&kit, &job, 4).await;
    assert_eq!(kit.store.job_data(job.id()).await.expect("job_data"), None);

    kit.complete(at(1_100), vec![leaving(&job, runs[0], r#"{"n":1}"#, at(1_100))]).await;
    let kept = kit.store.job_data(job.id()).await.expect("job_data").expect("it is kept");
    assert_eq!((kept.data.as_str(), kept.revision, kept.run), (r#"{"n":1}"#, 1, Some(runs[0])));
    assert_eq!(kept.changed_at, at(1_100));

    let silent = job.verdict(runs[1], Verdict::Succeeded, at(1_200));
    let mut failed = leaving(&job, runs[2], r#"{"n":-1}"#, at(1_200));
    (failed.outcome, failed.then) = (AttemptOutcome::Failed, AfterAttempt::Final(Verdict::Failed));
    assert_eq!(kit.complete(at(1_200), vec![silent, failed]).await.refused, NONE);
    assert_eq!(kit.store.job_data(job.id()).await.expect("job_data"), Some(kept), "neither left anything");

    kit.complete(at(1_300), vec![leaving(&job, runs[3], r#"{"n":2}"#, at(1_300))]).await;
    let kept = kit.store.job_data(job.id()).await.expect("job_data").expect("it is kept");
    assert_eq!((kept.data.as_str(), kept.revision, kept.run), (r#"{"n":2}"#, 2, Some(runs[3])));
    assert_eq!(kit.store.job_data(other.id()).await.expect("job_data"), None);
    let job = kit.save(Draft::new("a").trigger("t", at(9_000))).await;
    assert_eq!(kit.store.job_data(job.id()).await.expect("job_data"), Some(kept), "of every version");
}

pub async fn data_of_an_end_that_is_refused_is_not_kept(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let runs = claimed(&kit, &job, 1).await;
    let foreign = Completion { held_by: Some(Incarnation(77)), ..leaving(&job, runs[0], r#"{"n":0}"#, at(1_100)) };
    let good = leaving(&job, runs[0], r#"{"n":1}"#, at(1_100));
    let again = leaving(&job, runs[0], r#"{"n":2}"#, at(1_200));
    assert_eq!(kit.complete(at(1_100), vec![foreign]).await.refused, [0]);
    assert_eq!(kit.store.job_data(job.id()).await.expect("job_data"), None);
    assert_eq!(kit.complete(at(1_200), vec![good, again]).await.refused, [1]);
    let kept = kit.store.job_data(job.id()).await.expect("job_data").expect("it is kept");
    assert_eq!((kept.data.as_str(), kept.revision), (r#"{"n":1}"#, 1));
}

pub async fn data_is_set_at_the_revision_that_was_seen(store: Arc<dyn Store>) {
    let kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let set = |data, expect| kit.store.set_job_data(job.id(), data, expect, at(2_000));
    let kept = set("{}", Some(0)).await.expect("nothing was kept");
    assert_eq!((kept.revision, kept.run, kept.changed_at), (1, None, at(2_000)));
    for late in [0, 2] {
        let error = set(r#"{"x":0}"#, Some(late)).await.expect_err("another revision");
        assert!(matches!(error, Error::Conflict { what: "job data", .. }), "{error}");
    }
    assert_eq!(kit.store.job_data(job.id()).await.expect("job_data"), Some(kept), "a refused change leaves no trace");
    assert_eq!(set(r#"{"x":1}"#, Some(1)).await.expect("as it was seen").revision, 2);
    assert_eq!(set(r#"{"x":2}"#, None).await.expect("whatever it is").revision, 3);
}

pub async fn data_goes_with_its_job(store: Arc<dyn Store>) {
    let mut kit = Kit::new(store).await;
    let job = kit.save(Draft::new("a")).await;
    let runs = claimed(&kit, &job, 2).await;
    kit.complete(at(1_100), vec![leaving(&job, runs[0], r#"{"n":1}"#, at(1_100))]).await;
    kit.store.delete_job(&job.job.definition.key, Expect::Anything, Vec::new(), at(1_200)).await.expect("delete_job");
    assert_eq!(kit.store.job_data(job.id()).await.expect("job_data"), None);
    let late = leaving(&job, runs[1], r#"{"n":2}"#, at(1_300));
    assert_eq!(kit.complete(at(1_300), vec![late]).await.refused, NONE, "the run has ended");
    assert_eq!(kit.store.job_data(job.id()).await.expect("job_data"), None);
    let error = kit.store.set_job_data(job.id(), "{}", None, at(1_400)).await.expect_err("it is gone");
    assert!(matches!(error, Error::NotFound { what: "job", .. }), "{error}");
    let again = kit.save(Draft::new("a")).await;
    assert_eq!(kit.store.job_data(again.id()).await.expect("job_data"), None);
}
