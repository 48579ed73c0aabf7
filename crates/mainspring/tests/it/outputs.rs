//! What handlers leave: whole up to a bound, in the row of the run or apart.

use mainspring::prelude::*;
use mainspring_core::output::OutputRef;
use serde_json::json;

#[tokio::test]
async fn large_output_of_a_handler_is_kept_apart_and_a_larger_one_is_refused() {
    let scheduler = Scheduler::builder()
        .handler("small", async |_: RunContext| json!("x".repeat(65_000)))
        .handler("large", async |_: RunContext| json!("x".repeat(300_000)))
        .handler("huge", async |_: RunContext| json!("x".repeat(17 << 20)))
        .start("memory:")
        .await
        .expect("starts");
    let mut left = Vec::new();
    for name in ["small", "large", "huge"] {
        scheduler.add(job(name).handler(name)).await.expect("a good job");
        let run = scheduler.run_now(name).await.expect("it is there");
        let over = scheduler.wait(run.id).await.expect("it is there");
        assert_eq!(over.state, RunState::Succeeded, "{name}: the verdict stands");
        left.push(over);
    }
    assert_eq!(left[0].output.as_ref().map(String::len), Some(65_002));
    let text = json!("x".repeat(300_000)).to_string();
    let apart = left[1].output.as_deref().and_then(OutputRef::from_text).expect("a reference");
    assert_eq!(apart, OutputRef::of(&text));
    let store = scheduler.engine().store();
    let mut whole = Vec::new();
    for part in 0..u32::try_from(apart.parts()).expect("few") {
        whole.extend(store.output(left[1].id, 1, part).await.expect("readable").expect("kept"));
    }
    assert!(whole == text.as_bytes());
    assert_eq!((&left[2].output, left[2].error.is_some()), (&None, true));
    let attempts = store.attempts(left[2].id).await.expect("readable");
    assert_eq!(attempts[0].error_code.as_deref(), Some("output.too_large"));
    scheduler.shutdown(std::time::Duration::from_secs(10)).await.expect("stops");
}
