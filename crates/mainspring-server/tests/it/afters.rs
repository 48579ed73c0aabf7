//! Jobs that start when runs of others end: written, refused, warned of, and shown.

use mainspring_api::client::Precondition;
use mainspring_api::{ApplyOptions, Bundle, ErrorCode, Origin, RunFilter, RunNow, TriggerState, WhyCode, WriteOptions};
use mainspring_core::Timestamp;
use mainspring_server::convert::{self, Known, Surroundings};
use serde_json::{Value, json};

use crate::kit::{Running, code, spec};

const COMMIT: WriteOptions = WriteOptions { dry_run: false };

fn bundle(jobs: Value) -> Bundle {
    serde_json::from_value(json!({ "jobs": jobs })).unwrap()
}

/// What `check` says of jobs without a server: code, place and message.
fn problems(jobs: Value) -> Vec<(String, String, String)> {
    let now = Timestamp::from_millis(1_767_225_600_000);
    let (namespace, timezone, line) = ("default", "UTC", convert::NO_LINES);
    let around = Surroundings { namespace, timezone, now, calendars: &|_, _| Known::Unknown, line };
    let found = convert::bundle(&bundle(jobs), &around).err().unwrap_or_default();
    found.into_iter().map(|problem| (problem.code, problem.pointer, problem.message)).collect()
}

#[test]
fn what_is_wrong_with_a_job_that_follows_is_said_with_its_place() {
    let one = |schedule: Value| json!([{"name": "b", "noop": true, "schedule": schedule}]);
    let cases = [
        (one(json!({"after": "a", "on": "any"})), None),
        (one(json!({"after": ["a", "c"]})), None),
        (one(json!({"after": []})), Some(("field.value", "/jobs/0/schedule/after"))),
        (one(json!({"after": ["a", "a"]})), Some(("name.duplicate", "/jobs/0/schedule/after/1"))),
        (one(json!({"after": "x/a"})), Some(("name.invalid", "/jobs/0/schedule/after"))),
        (one(json!({"after": "a", "jitter": "5s"})), Some(("field.value", "/jobs/0/schedule/jitter"))),
        (one(json!({"every": "5s", "on": "any"})), Some(("field.value", "/jobs/0/schedule/on"))),
        (one(json!({"after": "a", "every": "5s"})), Some(("trigger.two_kinds", "/jobs/0/schedule/after"))),
        (one(json!({"after": "b"})), Some(("schedule.circle", "/jobs/0/schedule/after"))),
    ];
    for (jobs, expected) in cases {
        let found = problems(jobs.clone());
        let shown: Vec<_> = found.iter().map(|(code, place, _)| (code.as_str(), place.as_str())).collect();
        assert_eq!(shown, Vec::from_iter(expected), "{jobs}");
    }
    let zone = json!([{"name": "b", "noop": true, "timezone": "Asia/Tokyo", "misfire": "do_nothing",
        "schedule": [{"after": "a"}, "@daily"]}]);
    assert_eq!(problems(zone), [], "what holds for the other triggers");
}

#[test]
fn check_names_the_whole_circle() {
    let follows = |name: &str, of: &str| json!({"name": name, "noop": true, "triggers": [{"name": "t", "after": of}]});
    let found = problems(json!([follows("a", "c"), follows("b", "a"), follows("c", "b"), follows("d", "a")]));
    let message = "jobs start each other in a circle: a → b → c → a";
    assert_eq!(found, [("schedule.circle".into(), "/jobs/0/triggers/0/after".into(), message.into())]);
}

#[tokio::test]
async fn a_job_follows_another_one() {
    let running = Running::start().await;
    let client = &running.client;
    let follows = spec(json!({"name": "load", "noop": true, "schedule": {"after": "extract"}}));
    let early = client.put_job("default", &follows, Precondition::None, COMMIT).await.unwrap();
    let warned: Vec<_> = early.warnings.iter().map(|it| (it.code.as_str(), it.pointer.as_str())).collect();
    assert_eq!(warned, [("schedule.upstream", "/schedule/after")]);
    assert_eq!(early.spec.schedule, follows.schedule, "it is shown as it was written");
    assert_eq!(early.explanations, ["when a run of extract succeeds"]);

    let plain = spec(json!({"name": "extract", "noop": true}));
    client.put_job("default", &plain, Precondition::None, COMMIT).await.unwrap();
    let again = client.put_job("default", &follows, Precondition::None, COMMIT).await.unwrap();
    assert_eq!(again.warnings, []);
    assert_eq!(client.job("default", "extract").await.unwrap().followed_by, ["load"]);
    let trigger = client.trigger("default", "load", "after").await.unwrap();
    assert_eq!((trigger.state, trigger.next_fire_at), (TriggerState::Active, None));
    let why = client.why_job("default", "load").await.unwrap();
    assert_eq!(why.reasons[0].code, WhyCode::AwaitsJob);
    assert_eq!(why.reasons[0].message, "it fires when a run of extract succeeds");

    let cause = client.run_job("default", "extract", &RunNow::default()).await.unwrap();
    let filter = RunFilter { job: Some("load".into()), ..RunFilter::default() };
    let run = loop {
        let found = client.runs("default", &filter).await.unwrap().items;
        match found.into_iter().next() {
            Some(run) if run.state.is_final() => break run,
            _ => tokio::task::yield_now().await,
        }
    };
    assert_eq!((run.origin, run.cause.as_ref(), run.rerun_of), (Origin::After, Some(&cause.id), None));
    assert_eq!(run.trigger.as_deref(), Some("after"));
    let why = client.why_run(&run.id).await.unwrap();
    let told = why.reasons.iter().find(|reason| reason.code == WhyCode::Cause).unwrap();
    assert_eq!(told.message, format!("it was started by the end of run {} of extract, which succeeded", cause.id));

    let round = spec(json!({"name": "extract", "noop": true, "schedule": {"after": "load", "on": "any"}}));
    let refused = client.put_job("default", &round, Precondition::None, COMMIT).await;
    assert_eq!(code(refused), ErrorCode::ScheduleCircle);
    let bundle = bundle(json!([{"name": "extract", "noop": true, "schedule": {"after": "load"}}]));
    let refused = client.apply(&bundle, ApplyOptions { dry_run: true, prune: false }).await;
    assert_eq!(code(refused), ErrorCode::ScheduleCircle, "with what is stored");
    // With pruning the other one is gone, which is worth a warning.
    let plan = client.apply(&bundle, ApplyOptions { dry_run: true, prune: true }).await.unwrap();
    assert_eq!(plan.warnings[0].code, "schedule.upstream");
    running.stop().await;
}
