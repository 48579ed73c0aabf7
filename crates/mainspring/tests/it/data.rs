//! What jobs keep between their runs, as handlers see it, over a restart.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mainspring::DataError;
use mainspring::prelude::*;

/// A scheduler whose handler counts its runs in the data of its job, and fails afterwards where it is told to.
async fn counting(address: &str, fails: &Arc<AtomicBool>) -> Scheduler {
    let fails = Arc::clone(fails);
    let builder = Scheduler::builder().handler("count", move |run: RunContext| {
        let seen = run.data()["seen"].as_u64().unwrap_or(0) + 1;
        let set = run.set_data(json!({ "seen": seen }));
        let failed = fails.load(Ordering::Relaxed);
        async move {
            match set {
                Ok(()) if failed => Err("no luck".to_owned()),
                Ok(()) => Ok(json!(seen)),
                Err(DataError::NotKept) => Ok(json!("not kept")),
                Err(error) => Err(error.to_string()),
            }
        }
    });
    builder.start(address).await.expect("starts")
}

/// The output of a run of the job.
async fn output(scheduler: &Scheduler, job: &str) -> Option<Value> {
    let run = scheduler.run_now(job).await.expect("it is there");
    let run = scheduler.wait(run.id).await.expect("it ends");
    run.output.map(|text| serde_json::from_str(&text).expect("JSON"))
}

#[tokio::test]
async fn each_run_goes_on_from_what_the_last_success_has_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let address = format!("sqlite:{}", folder.path().join("jobs.db").display());
    let fails = Arc::new(AtomicBool::new(false));
    let scheduler = counting(&address, &fails).await;
    scheduler.add(job("keeps").handler("count").overlap(Overlap::QueueAll, 1).keep_data()).await.expect("a good job");
    scheduler.add(job("plain").handler("count")).await.expect("a good job");
    assert_eq!(output(&scheduler, "keeps").await, Some(json!(1)));
    assert_eq!(output(&scheduler, "keeps").await, Some(json!(2)));
    fails.store(true, Ordering::Relaxed);
    assert_eq!(output(&scheduler, "keeps").await, None, "it fails");
    fails.store(false, Ordering::Relaxed);
    assert_eq!(output(&scheduler, "plain").await, Some(json!("not kept")));
    scheduler.shutdown(Duration::from_secs(5)).await.expect("closes");

    let scheduler = counting(&address, &fails).await;
    assert_eq!(output(&scheduler, "keeps").await, Some(json!(3)), "what failed has left nothing");
    let id = scheduler.job("keeps").await.expect("readable").expect("it is there").id;
    let kept = scheduler.engine().store().job_data(id).await.expect("readable").expect("it is kept");
    assert_eq!((kept.data.as_str(), kept.revision), (r#"{"seen":3}"#, 3));
}
