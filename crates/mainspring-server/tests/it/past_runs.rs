//! Runs that another scheduler has executed, as requests bring and see them.

use mainspring_api::client::{ClientError, Precondition};
use mainspring_api::{
    AttemptState, ErrorCode, Origin, PastAttempt, PastRun, PastRuns, PastRunsAdded, RunFilter, RunState, Timestamp,
    WriteOptions,
};
use serde_json::json;

use crate::kit::{Running, code, spec};

const COMMIT: WriteOptions = WriteOptions { dry_run: false };
const DUE: i64 = 1_767_225_600_000;

fn attempt(outcome: AttemptState, at: i64) -> PastAttempt {
    let (started_at, ended_at) = (Timestamp::from_millis(at), Timestamp::from_millis(at + 500));
    let error = (outcome != AttemptState::Succeeded).then(|| "disk full".to_owned());
    PastAttempt { outcome, started_at, ended_at, exit_code: Some(7), error_code: None, error }
}

fn past(key: &str) -> PastRun {
    PastRun {
        key: key.to_owned(),
        due_at: Timestamp::from_millis(DUE),
        attempts: vec![attempt(AttemptState::Failed, DUE), attempt(AttemptState::Succeeded, DUE + 1_000)],
        worker: Some("http://10.0.0.7:9999/".to_owned()),
        note: Some(format!("log {key}")),
        input: Some(json!("a=1")),
        output: Some(json!({"rows": 3})),
    }
}

fn brought(runs: Vec<PastRun>) -> PastRuns {
    PastRuns { source: "XXL-JOB".to_owned(), runs }
}

async fn start() -> Running {
    let running = Running::start().await;
    let job = spec(json!({"name": "nightly", "run": "true"}));
    running.client.put_job("default", &job, Precondition::None, COMMIT).await.unwrap();
    running
}

#[tokio::test]
async fn past_runs_are_added_once_and_shown_as_imported() {
    let running = start().await;
    let client = &running.client;
    let add = async |runs| client.add_past_runs("default", "nightly", &brought(runs)).await.unwrap();
    assert_eq!(add(vec![past("1"), past("2"), past("1")]).await, PastRunsAdded { added: 2, known: 0 });
    assert_eq!(add(vec![past("1"), past("2"), past("3")]).await, PastRunsAdded { added: 1, known: 2 });
    let listed = client.runs("default", &RunFilter::default()).await.unwrap().items;
    assert_eq!(listed.len(), 3);
    let run = listed.iter().find(|run| run.reason.as_deref() == Some("XXL-JOB: log 1")).unwrap();
    assert_eq!((run.origin, run.state, run.attempt), (Origin::Imported, RunState::Succeeded, 2));
    assert_eq!((run.due_at, run.fire_at), (None, None), "no trigger has fired it");
    assert_eq!(run.started_at, Some(Timestamp::from_millis(DUE)));
    assert_eq!(run.ended_at, Some(Timestamp::from_millis(DUE + 1_500)));
    assert_eq!((run.worker.as_deref(), &run.output), (Some("http://10.0.0.7:9999/"), &Some(json!({"rows": 3}))));
    let attempts = client.attempts(&run.id).await.unwrap();
    let told: Vec<_> = attempts.iter().map(|one| (one.state, one.reason.as_deref())).collect();
    assert_eq!(told, [(AttemptState::Failed, Some("disk full")), (AttemptState::Succeeded, None)]);
    let found =
        client.runs("default", &RunFilter { q: Some("origin:imported".to_owned()), ..RunFilter::default() }).await;
    assert_eq!(found.unwrap().items.len(), 3);
    running.stop().await;
}

#[tokio::test]
async fn past_runs_that_cannot_be_kept_are_refused_whole_with_the_place() {
    let running = start().await;
    let client = &running.client;
    let far = Timestamp::from_millis(Timestamp::from_millis(DUE).as_millis() + 100 * 365 * 86_400_000);
    let cases: [(PastRun, &str); 8] = [
        (PastRun { key: String::new(), ..past("") }, "/runs/1/key"),
        (PastRun { attempts: Vec::new(), ..past("x") }, "/runs/1/attempts"),
        (PastRun { attempts: vec![attempt(AttemptState::Running, DUE)], ..past("x") }, "/runs/1/attempts/0/outcome"),
        (
            PastRun { attempts: vec![attempt(AttemptState::Failed, far.as_millis())], ..past("x") },
            "/runs/1/attempts/0/ended_at",
        ),
        (
            PastRun { attempts: vec![attempt(AttemptState::Failed, DUE); 2], ..past("x") },
            "/runs/1/attempts/1/started_at",
        ),
        (PastRun { due_at: Timestamp::from_millis(-1), ..past("x") }, "/runs/1/due_at"),
        (PastRun { output: Some(json!("x".repeat(70_000))), ..past("x") }, "/runs/1/output"),
        (PastRun { worker: Some("w".repeat(121)), ..past("x") }, "/runs/1/worker"),
    ];
    for (run, place) in cases {
        let refused = client.add_past_runs("default", "nightly", &brought(vec![past("1"), run])).await;
        let Err(ClientError::Refused(details)) = refused else { panic!("{place}: {refused:?}") };
        let places: Vec<&str> = details.errors.iter().map(|problem| problem.pointer.as_str()).collect();
        assert_eq!(places, [place]);
    }
    let many = brought(vec![past("1"); PastRuns::MAX + 1]);
    let refused = client.add_past_runs("default", "nightly", &many).await;
    assert!(
        matches!(refused, Err(ClientError::Refused(ref details)) if details.errors[0].code == "field.too_many"),
        "{refused:?}"
    );
    let refused = client.add_past_runs("default", "missing", &brought(vec![past("1")])).await;
    assert_eq!(code(refused), ErrorCode::JobNotFound);
    assert!(client.runs("default", &RunFilter::default()).await.unwrap().items.is_empty());
    running.stop().await;
}
