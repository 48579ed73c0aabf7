//! What builders say arrives, and what goes wrong can be told apart.

use std::time::Duration;

use mainspring::prelude::*;
use mainspring::{Error, Leftovers, Strategy};

#[tokio::test]
async fn settings_of_builders_reach_the_definition() {
    let scheduler = Scheduler::builder().start("memory:").await.expect("starts");
    let written = job("all")
        .shell("true")
        .env("A", "1")
        .working_dir("/tmp")
        .leftovers(Leftovers::Kill)
        .param("region", json!({"type": "string", "default": "eu"}))
        .queue("build")
        .routing(Strategy::ConsistentHash)
        .on_workers("zone", "eu")
        .routing_key("customer")
        .trigger(
            daily_window("09:00:00".parse().unwrap(), "17:00:00".parse().unwrap(), Duration::from_secs(60))
                .days(["monday", "friday"])
                .to_end_of_day()
                .priority(9)
                .input(json!({"x": 1})),
        )
        .trigger(
            calendar_interval(1, mainspring::CalendarUnit::Day).preserve_hour(false).name("plain").skip_day(false),
        );
    let kept = scheduler.add(written).await.expect("a good job").definition;
    let job = serde_json::to_value(&*kept).expect("plain data");
    for (pointer, expected) in [
        ("/env/A", json!("1")),
        ("/working_dir", json!("/tmp")),
        ("/leftovers", json!("kill")),
        ("/params/region/default", json!("eu")),
        ("/queue", json!("build")),
        ("/routing/strategy", json!("consistent_hash")),
        ("/routing/workers/zone", json!("eu")),
        ("/routing/key", json!("customer")),
        ("/triggers/0/schedule/days", json!(["monday", "friday"])),
        ("/triggers/0/priority", json!(9)),
        ("/triggers/0/input/x", json!(1)),
    ] {
        assert_eq!(job.pointer(pointer), Some(&expected), "{pointer}: {job}");
    }
    assert!(
        job.pointer("/triggers/0/schedule/to").is_none() && job.pointer("/triggers/1/schedule/preserve_hour").is_none()
    );
    scheduler.shutdown(Duration::ZERO).await.expect("stops");
}

#[cfg(feature = "http-tasks")]
#[tokio::test]
async fn calls_are_built_whole() {
    let scheduler = Scheduler::builder().start("memory:").await.expect("starts");
    let call = mainspring::http("https://example.com/hook")
        .method("POST")
        .header("X-A", "b")
        .json(&json!({"n": 1}))
        .expect(204, 204)
        .timeout(Duration::from_secs(5))
        .max_redirects(0);
    let kept = scheduler.add(job("call").http(call)).await.expect("a good job").definition;
    let task = serde_json::to_value(&kept.task).expect("plain data").to_string();
    for part in ["POST", "X-A", "application/json", r#"{\"n\":1}"#, "[204,204]", "5000", "\"max_redirects\":0"] {
        assert!(task.contains(part), "{part}: {task}");
    }
    scheduler.shutdown(Duration::ZERO).await.expect("stops");
}

#[tokio::test]
async fn nothing_fires_on_the_days_of_a_calendar() {
    let now = "2026-12-24T00:00:00Z".parse().expect("an instant");
    let mut engine =
        ManualEngine::start(Scheduler::builder().handler("a", async |_: RunContext| {}), now).await.expect("starts");
    let scheduler = engine.scheduler();
    scheduler.add_calendar(holidays("feasts", ["2026-12-25"]).timezone("UTC")).await.expect("a good calendar");
    scheduler.add(job("a").trigger(cron("0 0 6 * * ?").calendar("feasts"))).await.expect("a good job");
    let used = scheduler.remove_calendar("feasts").await.expect_err("a trigger uses it");
    assert!(matches!(used, Error::Conflict { what: "calendar", .. }), "{used:?}");
    engine.advance(Duration::from_secs(3 * 86_400)).await;
    let fired: Vec<_> = engine.scheduler().runs("a", 10).await.expect("runs");
    let mut days: Vec<_> = fired.iter().map(|run| run.fire_time.to_string()[..10].to_owned()).collect();
    days.sort();
    assert_eq!(days, ["2026-12-24", "2026-12-26"]);
    assert!(matches!(
        engine.scheduler().add_calendar(holidays("bad", ["soon"])).await,
        Err(Error::Invalid { .. } | Error::Refused(_))
    ));
}

#[tokio::test]
async fn errors_tell_what_can_be_done() {
    let scheduler = Scheduler::builder().handler("a", async |_: RunContext| {}).start("memory:").await.expect("starts");
    let missing = scheduler.run_now("nothing").await.expect_err("it is not there");
    assert!(matches!(&missing, Error::NotFound { what: "job", key } if key == "default/nothing"), "{missing:?}");
    let bad =
        scheduler.add(job("b").trigger(cron("@daily").timezone("Europe/Berlim"))).await.expect_err("no such zone");
    assert!(matches!(&bad, Error::Invalid { field: "timezone", code: "zone.unknown", .. }), "{bad:?}");
    scheduler.add(job("a")).await.expect("a good job");
    let run = scheduler.run_now("a").await.expect("it runs").id;
    scheduler.wait(run).await.expect("it ends");
    let over = scheduler.cancel(run).await.expect_err("it is over");
    assert!(matches!(&over, Error::Conflict { .. } | Error::Refused(_)), "{over:?}");
    let input = scheduler.run_with("a", json!(7)).await.expect("it runs").id;
    assert_eq!(scheduler.wait(input).await.expect("it ends").state, RunState::Succeeded);
    assert_eq!(scheduler.log(input).await.expect("it can be read"), Vec::<String>::new());
    scheduler.shutdown(Duration::ZERO).await.expect("stops");
}
