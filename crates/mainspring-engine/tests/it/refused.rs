//! What a database refuses for good, or has no time for: who is put aside, and that nobody else notices.

use std::sync::Arc;
use std::time::Duration;

use mainspring_core::batch::{GapReason, TriggerStatus};
use mainspring_core::job::{Job, JobKey, Task, TriggerDefinition};
use mainspring_core::run::RunState;
use mainspring_core::{RunId, Timestamp};
use mainspring_engine::control::{Ask, SaveMode};
use mainspring_engine::{Clock, Engine, Handlers, RunContext, SystemClock};
use mainspring_store::conformance::kit::postgres;
use mainspring_store::{Expect, JobWrite, NamedTrigger, RunInfo, Store};
use serde_json::json;

use crate::kit::{accounted, assert_exact, latest_ms, node, node_with, open, owns, save_ticking, sql, ticking, until};

const SHARDS: usize = 256;

async fn trigger(store: &dyn Store, key: &JobKey) -> NamedTrigger {
    store.prior(key).await.expect("it is read").triggers.remove(0)
}

/// Waits until the job's trigger is in the state `error`.
async fn put_aside(store: &dyn Store, key: &JobKey) -> NamedTrigger {
    until("it is put aside", || async {
        let trigger = trigger(store, key).await;
        (trigger.row.progress.status == TriggerStatus::Error).then_some(trigger)
    })
    .await
}

async fn final_run(engine: &Engine, run: RunId) -> RunInfo {
    until("the run is over", || async {
        let info = engine.store().run(run).await.expect("it is read").expect("it is kept");
        info.state.is_final().then_some(info)
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn trigger_whose_fires_are_refused_is_put_aside_and_goes_on_when_it_is_resumed() {
    put_aside_and_resumed().await;
}

/// Real time: a test of `make proof`.
#[tokio::test(flavor = "multi_thread")]
async fn triggers_beside_one_that_is_put_aside_stay_on_time() {
    let late_ms = put_aside_and_resumed().await;
    assert!(late_ms < 1_000, "{late_ms} ms");
}

/// Returns how late the latest fire was of those beside the trigger.
async fn put_aside_and_resumed() -> i64 {
    const TRIGGERS: usize = 50;
    let address = postgres().await;
    let a = node(&address, "a").await;
    owns(&a, SHARDS).await;
    let first = save_ticking(&**a.store(), TRIGGERS).await;
    accounted(&**a.store(), TRIGGERS, first).await;
    let key = JobKey::new("default", "job-7");
    let id = trigger(&**a.store(), &key).await.row.id;
    sql(&address, &format!("ALTER TABLE run ADD CONSTRAINT spoilt CHECK (trigger_id <> {id}) NOT VALID")).await;
    let aside = put_aside(&**a.store(), &key).await;
    let reason = aside.error.expect("it says why");
    assert!(reason.starts_with("the store refuses its fires: ") && reason.contains("spoilt"), "{reason}");
    let events = a.store().events(0, 10_000).await.expect("events are read");
    let told = |kind: &str, payload: &str| kind == "trigger" && payload.contains("job-7") && payload.contains("error");
    assert_eq!(events.iter().filter(|event| told(&event.kind, &event.payload)).count(), 1);
    let through = SystemClock.now() + 2_000;
    let others = until("the others go on", || async {
        let mut tally = a.store().tally().await.expect("it is counted");
        tally.retain(|tally| tally.trigger != id);
        tally.iter().all(|tally| tally.last >= Some(through)).then_some(tally)
    });
    assert_exact(&others.await, first);
    let late_ms = latest_ms(&**a.store()).await;
    assert_eq!((a.metrics().put_aside.get(), a.store_trouble()), (1, None));

    sql(&address, "ALTER TABLE run DROP CONSTRAINT spoilt").await;
    a.control().resume_trigger(&key, &aside.name).await.expect("it is resumed");
    let now = SystemClock.now();
    let tally = until("it fires again", || async {
        let mut tally = a.store().tally().await.expect("it is counted");
        tally.retain(|tally| tally.trigger == id && tally.last > Some(now + 1_000));
        tally.pop()
    });
    let tally = tally.await;
    let instants = tally.last.expect("it fired").since(first).unsigned_abs() / 1_000 + 1;
    assert_eq!((tally.fired + tally.missed, tally.duplicated), (instants, 0), "{tally:?}");
    let gaps = a.store().gaps(Some(id), 0, 9).await.expect("gaps are read");
    assert_eq!(gaps.iter().map(|gap| gap.gap.reason).collect::<Vec<_>>(), [GapReason::Misfire]);
    assert_eq!(trigger(&**a.store(), &key).await.error, None);
    a.stop(Duration::from_secs(5)).await.expect("the node stops");
    late_ms
}

#[tokio::test(flavor = "multi_thread")]
async fn end_whose_output_is_refused_keeps_its_verdict() {
    let address = postgres().await;
    let handlers = Handlers::default();
    handlers.register("say", |run: RunContext| async move { run.input() });
    let a = node_with(&address, "a", Arc::new(handlers)).await;
    owns(&a, SHARDS).await;
    sql(&address, r#"ALTER TABLE history ADD CONSTRAINT spoilt CHECK (output <> '"spoilt"')"#).await;
    let key = JobKey::new("default", "say");
    let job = Job::new(key.clone(), Task::Handler { name: "say".to_owned() });
    a.control().save(vec![(Arc::new(job), Expect::Anything)], SaveMode::Commit).await.expect("it is saved");
    let mut runs = Vec::new();
    for number in 0..40 {
        let input = if number == 17 { json!("spoilt") } else { json!(number) };
        let ask = Ask { input: Some(input), ..Ask::default() };
        runs.push(a.control().run_now(&key, ask).await.expect("it is queued").id);
    }
    for (number, run) in runs.into_iter().enumerate() {
        let info = final_run(&a, run).await;
        assert_eq!((info.state, info.attempt), (RunState::Succeeded, 1));
        let (output, code) = (info.output, info.error_code);
        if number == 17 {
            assert_eq!((output, code.as_deref()), (None, Some("attempt.detail_refused")), "{:?}", info.error);
            assert!(info.error.is_some_and(|why| why.contains("spoilt")));
        } else {
            assert_eq!((output, code), (Some(number.to_string()), None));
        }
    }
    a.stop(Duration::from_secs(5)).await.unwrap();
}

/// Three jobs: one whose zone nobody knows any more, one that cannot be read at all, and one that is as it was.
#[tokio::test(flavor = "multi_thread")]
async fn jobs_that_cannot_be_read_or_compiled_keep_no_other_from_firing() {
    let address = postgres().await;
    let store = open(&address).await;
    let first = save_ticking(&*store, 3).await;
    sql(&address, r#"UPDATE job_version SET definition = replace(definition, '"UTC"', '"Mars/Olympus"') WHERE job_id = (SELECT id FROM job WHERE name = 'job-0')"#).await;
    sql(&address, "UPDATE job_version SET definition = '{' WHERE job_id = (SELECT id FROM job WHERE name = 'job-1')")
        .await;
    let a = node(&address, "a").await;
    let aside = put_aside(a.store().as_ref(), &JobKey::new("default", "job-0")).await;
    let reason = aside.error.expect("it says why");
    assert!(reason.starts_with("it cannot be compiled: ") && reason.contains("Mars/Olympus"), "{reason}");
    let tally = accounted(&**a.store(), 1, first + 3_000).await;
    assert_eq!((tally[0].duplicated, tally[0].missed), (0, 0));
    a.stop(Duration::from_secs(5)).await.unwrap();
}

/// Twice as many runs as the database takes: it needs some milliseconds for each.
#[tokio::test(flavor = "multi_thread")]
async fn twice_the_load_that_the_database_takes_costs_no_lease_and_passes() {
    const CONTINUING: usize = 100;
    const PASSING: usize = 500;
    const PASSING_INSTANTS: u32 = 3;
    let address = postgres().await;
    let (a, b) = tokio::join!(node(&address, "a"), node(&address, "b"));
    owns(&a, SHARDS / 2).await;
    owns(&b, SHARDS / 2).await;
    // 150 runs a second on each of two nodes.
    sql(
        &address,
        "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS \
         'BEGIN PERFORM pg_sleep(0.0066); RETURN new; END'; \
         CREATE TRIGGER slow BEFORE INSERT ON run FOR EACH ROW EXECUTE FUNCTION slow()",
    )
    .await;
    let lost = [watch_leases(&a), watch_leases(&b)];
    let first = Timestamp::from_millis((SystemClock.now().as_millis() / 1_000 + 3) * 1_000);
    let writes: Vec<JobWrite> = (0..CONTINUING + PASSING)
        .map(|number| {
            let job = Job::new(JobKey::new("default", format!("job-{number}")), Task::Noop);
            if number < CONTINUING { ticking(job, first).0 } else { passing(job, first, PASSING_INSTANTS) }
        })
        .collect();
    for writes in writes.chunks(200) {
        a.store().save_jobs(writes.to_vec()).await.expect("jobs are saved");
    }
    // What passes has left a backlog behind, which the rest of the capacity drains.
    let passed = first + i64::from(PASSING_INSTANTS) * 1_000;
    let all = CONTINUING + PASSING;
    let tally = until("every instant has a record, and the latest are on time", || async {
        let tally = b.store().tally().await.expect("it is counted");
        let done = |tally: &&mainspring_store::Tally| tally.fired >= u64::from(PASSING_INSTANTS);
        let on_time = SystemClock.now() - 1_500;
        let latest = tally.iter().filter(|tally| tally.last >= Some(on_time)).count();
        (tally.iter().filter(done).count() == all && latest >= CONTINUING).then_some(tally)
    });
    for tally in tally.await {
        let instants = tally.last.expect("it fired").since(first).unsigned_abs() / 1_000 + 1;
        assert_eq!((tally.fired, tally.duplicated, tally.missed), (instants, 0, 0), "{tally:?}");
    }
    let recovered = SystemClock.now();
    let due_from = recovered + 1_000;
    let later = until("it goes on", || async {
        let runs = mainspring_store::RunQuery { limit: 1_000, ..mainspring_store::RunQuery::default() };
        let runs = b.store().runs(runs).await.expect("runs are listed");
        let newest = runs.iter().map(|run| run.due_at).max();
        (newest >= Some(due_from + 3_000)).then_some(runs)
    });
    let late =
        later.await.iter().filter(|run| run.due_at >= due_from).map(|run| run.created_at.since(run.due_at)).max();
    assert!(late < Some(1_500), "lateness is back: {late:?} ms");
    assert!(recovered.since(passed) > 0);
    for lost in lost {
        assert!(!lost.is_finished(), "a lease or its trust was lost: {:?}", lost.await);
        lost.abort();
    }
    assert_eq!(a.metrics().lease_lost.get() + b.metrics().lease_lost.get(), 0);
    assert_eq!(a.metrics().put_aside.get() + b.metrics().put_aside.get(), 0);
    a.stop(Duration::from_secs(5)).await.unwrap();
    b.stop(Duration::from_secs(5)).await.unwrap();
}

/// Ends as soon as a node does not own its half of the shards, or does not trust itself.
fn watch_leases(engine: &Engine) -> tokio::task::JoinHandle<String> {
    let mut status = engine.watch_cluster();
    tokio::spawn(async move {
        let lost = status.wait_for(|status| {
            status.as_ref().is_some_and(|status| !status.trusted || status.owned.len() != SHARDS / 2)
        });
        lost.await.map_or_else(|_| "the engine stopped".to_owned(), |status| format!("{status:?}"))
    })
}

/// A job whose trigger fires so many times, once a second.
fn passing(job: Job, first: Timestamp, instants: u32) -> JobWrite {
    let mut write = ticking(job, first).0;
    let mut definition = (*write.definition).clone();
    let repeats = |trigger: &mut TriggerDefinition| {
        if let mainspring_core::job::ScheduleDefinition::Every { repeat_count, .. } = &mut trigger.schedule {
            *repeat_count = Some(instants - 1);
        }
    };
    definition.triggers.iter_mut().for_each(repeats);
    write.definition = Arc::new(definition);
    write.triggers[0].progress.repeat_count = Some(instants - 1);
    write
}
