//! Jobs that start when runs of others end, in an engine over a store in memory and over `SQLite`.

use std::sync::Arc;
use std::time::Duration;

use mainspring_core::RunId;
use mainspring_core::after::AfterOn;
use mainspring_core::job::{Job, JobKey, ScheduleDefinition, Task, TriggerDefinition};
use mainspring_core::run::{Origin, RunState};
use mainspring_core::workflow::{TaskDefinition, Workflow};
use mainspring_engine::control::{Ask, Error, SaveMode};
use mainspring_engine::{Engine, HandlerError, Handlers, RunContext, Settings, SystemClock};
use mainspring_store::{Expect, RunInfo, RunQuery, Store};

use crate::kit::until;
use crate::workflows::{over_both, sqlite};

fn key(name: &str) -> JobKey {
    JobKey::new("default", name)
}

fn job(name: &str, handler: &str) -> Job {
    Job::new(key(name), Task::Handler { name: handler.into() })
}

fn after(job: Job, upstreams: &[&str], on: AfterOn) -> Job {
    let jobs = upstreams.iter().map(|name| (*name).to_owned()).collect();
    let triggers = vec![TriggerDefinition::new("after", ScheduleDefinition::After { jobs, on })];
    Job { triggers, ..job }
}

async fn save(engine: &Engine, jobs: impl IntoIterator<Item = Job>) -> Result<(), Error> {
    let jobs = jobs.into_iter().map(|job| (Arc::new(job), Expect::Anything)).collect();
    engine.control().save(jobs, SaveMode::Commit).await.map(|_| ())
}

async fn run(engine: &Engine, name: &str) -> RunId {
    engine.control().run_now(&key(name), Ask::default()).await.expect("asked for").id
}

/// The run of a job that is over, once there is one and nothing else of it.
async fn ended(engine: &Engine, name: &str) -> RunInfo {
    until("the run that follows is over", async || {
        let job = engine.control().store().job(&key(name)).await.expect("read").expect("it is there");
        let query = RunQuery { job: Some(job.id), limit: 9, ..RunQuery::default() };
        let runs = engine.control().store().runs(query).await.expect("read");
        assert!(runs.len() <= 1, "{name}: {runs:?}");
        runs.into_iter().next().filter(|run| run.state.is_final())
    })
    .await
}

async fn start(store: Arc<dyn Store>) -> Engine {
    let handlers = Arc::<Handlers>::default();
    handlers.register("work", |_: RunContext| async { Ok::<(), HandlerError>(()) });
    handlers.register("fail", |_: RunContext| async { Err::<(), _>(HandlerError("it fails".into())) });
    Engine::start_with(store, Settings::default(), Arc::new(SystemClock), handlers).await.expect("the engine starts")
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_follow_each_other_down_a_chain() {
    over_both(async |store: Arc<dyn Store>| {
        let engine = start(store).await;
        let task = Job::new(key("graph"), Task::Handler { name: "work".into() });
        let workflow = Workflow { tasks: vec![TaskDefinition::new("only", task)], ..Workflow::default() };
        let graph = Job::new(key("graph"), Task::Workflow(Box::new(workflow)));
        let jobs = [
            job("first", "work"),
            after(graph, &["first"], AfterOn::Succeeded),
            after(job("breaks", "fail"), &["graph"], AfterOn::Any),
            after(job("never", "work"), &["breaks"], AfterOn::Succeeded),
            after(job("repair", "work"), &["breaks", "first"], AfterOn::Failed),
        ];
        save(&engine, jobs).await.expect("saved");
        let first = run(&engine, "first").await;
        let (graph, breaks) = (ended(&engine, "graph").await, ended(&engine, "breaks").await);
        let repair = ended(&engine, "repair").await;
        assert_eq!((graph.origin, graph.cause), (Origin::After, Some(first)));
        assert_eq!((breaks.state, breaks.cause), (RunState::Failed, Some(graph.id)));
        assert_eq!((repair.state, repair.cause), (RunState::Succeeded, Some(breaks.id)));
        let first = engine.control().run(first).await.expect("there");
        assert!([&graph, &breaks, &repair].iter().all(|run| run.fire_time == first.fire_time));
        assert_eq!(repair.due_at, breaks.ended_at.expect("it is over"));
        let never = engine.control().store().job(&key("never")).await.expect("read").expect("it is there");
        let query = RunQuery { job: Some(never.id), limit: 9, ..RunQuery::default() };
        assert_eq!(engine.control().store().runs(query).await.expect("read"), []);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_that_start_each_other_in_a_circle_are_refused() {
    over_both(async |store: Arc<dyn Store>| {
        let engine = start(store).await;
        let itself = save(&engine, [after(job("a", "work"), &["a"], AfterOn::Any)]).await;
        let Err(Error::Invalid { path, trigger, error }) = itself else { panic!("{itself:?}") };
        assert_eq!((path.as_str(), trigger, error.code), ("default/a", Some(0), "schedule.circle"));
        let chain = [after(job("b", "work"), &["a"], AfterOn::Any), after(job("c", "work"), &["b"], AfterOn::Failed)];
        save(&engine, chain).await.expect("saved");
        let round = save(&engine, [after(job("a", "work"), &["c"], AfterOn::Any)]).await;
        let Err(Error::Invalid { error, .. }) = round else { panic!("{round:?}") };
        assert_eq!(error.message, "jobs start each other in a circle: a → b → c → a");
        // The circle is open once b follows another job.
        let jobs = [after(job("b", "work"), &["z"], AfterOn::Any), after(job("a", "work"), &["c"], AfterOn::Any)];
        save(&engine, jobs).await.expect("saved");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fires_of_a_job_that_cannot_be_read_hide_no_others() {
    /// More than are made in one transaction.
    const OWED: usize = 300;
    let folder = tempfile::tempdir().expect("a folder");
    let engine = start(sqlite(folder.path())).await;
    let jobs = [
        job("a", "work"),
        job("b", "work"),
        after(job("newer", "work"), &["a"], AfterOn::Any),
        after(job("follows", "work"), &["b"], AfterOn::Any),
    ];
    save(&engine, jobs).await.expect("saved");
    engine.stop(Duration::from_secs(5)).await.expect("it stops");
    // As if a newer program had written it.
    let file = rusqlite::Connection::open(folder.path().join("s.db")).expect("it opens");
    let text =
        "UPDATE job_version SET definition = '{\"newer\": 1}' WHERE job_id = (SELECT id FROM job WHERE name = 'newer')";
    assert_eq!(file.execute(text, []).expect("it is written"), 1);
    drop(file);

    let engine = start(sqlite(folder.path())).await;
    let mut runs = Vec::new();
    for _ in 0..OWED {
        runs.push(run(&engine, "a").await);
    }
    for run in runs {
        engine.control().wait(run).await.expect("it ends");
    }
    run(&engine, "b").await;
    assert_eq!(ended(&engine, "follows").await.state, RunState::Succeeded);
    engine.stop(Duration::from_secs(5)).await.expect("it stops");
}
