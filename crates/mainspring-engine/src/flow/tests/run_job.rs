//! Runs of jobs for items, while their flow changes hands and while they are terminated.

use mainspring_core::job::{Job, JobKey, Task};
use mainspring_core::run::RunState;
use mainspring_store::conformance::kit::Draft;
use mainspring_store::{RunInfo, RunQuery};
use tokio::sync::{Semaphore, mpsc};

use super::*;
use crate::{Engine, Handlers, RunContext, Settings, SystemClock};

/// A flow whose items each start a run of the job `hold`. What succeeds waits in front of `end`, what fails in front of `lost`.
fn definition(payload: &str) -> Definition {
    let relationships = vec!["success".into(), "failure".into()];
    let event = Component { trigger: Trigger::Event, relationships, ..Component::new("work") };
    let work = Part { component: event, body: Body::RunJob { job: "hold".into() } };
    let failures = Connection { relationships: vec!["failure".into()], ..Connection::new(1, 3) };
    Definition {
        parts: vec![source("make", payload, 1), work, sink("end"), sink("lost")],
        connections: vec![Connection::new(0, 1), Connection::new(1, 2), failures],
    }
}

async fn runs(store: &MemoryStore) -> Vec<(RunState, Option<String>)> {
    let runs = store.runs(RunQuery { limit: 10, ..RunQuery::default() }).await.expect("runs");
    let mut runs: Vec<RunInfo> = runs.into_iter().collect();
    runs.sort_by_key(|run| run.id);
    runs.into_iter().map(|run| (run.state, run.output)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_outlives_its_flow_changing_hands_and_one_that_was_terminated_is_started_anew() {
    let store = Arc::new(MemoryStore::new());
    let (begun, mut begins) = mpsc::unbounded_channel();
    let open = Arc::new(Semaphore::new(0));
    let handlers = Arc::new(Handlers::default());
    let gate = Arc::clone(&open);
    handlers.register("hold", move |_: RunContext| {
        let (begun, gate) = (begun.clone(), Arc::clone(&gate));
        async move {
            begun.send(()).map_err(|_| "the test is over")?;
            gate.acquire().await.map_err(|_| "the test is over")?.forget();
            Ok::<_, &str>(serde_json::json!("held"))
        }
    });
    let job = Job::new(JobKey::new("default", "hold"), Task::Handler { name: "hold".into() });
    store.save_jobs(vec![Draft::of(job).0]).await.expect("save_jobs");
    let before = store.flow_store().save_flow(saved(&definition("one"))).await.expect("save_flow");
    let settings = Settings { kill_grace: Duration::from_millis(100), ..Settings::default() };
    let engine = Engine::start_with(Arc::clone(&store) as Arc<dyn Store>, settings, Arc::new(SystemClock), handlers);
    let engine = engine.await.expect("it starts");
    let flows = engine.flows();
    flows.reload(None).await.expect("it is read");
    let does = |name: &str, action| flows.change("default", "f", Some(vec![name.to_owned()]), action);
    let places = async |count: usize| {
        loop {
            let items = store.items(before.id, i64::MIN, 10).await.expect("items");
            let places: Vec<i64> = items.iter().map(|item| item.connection).collect();
            if places.len() == count && places.iter().all(|place| *place != numbers()[0]) {
                return places;
            }
            pause(5).await;
        }
    };

    // The flow changes hands while the run is under way: who runs it then waits for the same run.
    does("make", Action::RunOnce).await.expect("it runs");
    does("work", Action::Start).await.expect("it runs");
    begins.recv().await.expect("it begins");
    store.take_flow(before.id).await.expect("take_flow").expect("it is there");
    flows.reload(None).await.expect("it is read");
    does("work", Action::Start).await.expect("it runs");
    while flows.view("default", "f").await.expect("it is there").connections[0].in_flight == 0 {
        pause(5).await;
    }
    open.add_permits(1);
    assert_eq!(places(1).await, [numbers()[1]], "it succeeded");
    assert_eq!(runs(&store).await, [(RunState::Succeeded, Some("\"held\"".to_owned()))]);

    // Terminated, the run ends; started, the component starts another.
    does("make", Action::RunOnce).await.expect("it runs");
    begins.recv().await.expect("it begins");
    does("work", Action::Stop).await.expect("it stops");
    does("work", Action::Terminate).await.expect("it ends");
    does("work", Action::Start).await.expect("it runs");
    begins.recv().await.expect("another begins");
    open.add_permits(1);
    assert_eq!(places(2).await, [numbers()[1]; 2], "both succeeded");
    let states: Vec<RunState> = runs(&store).await.into_iter().map(|(state, _)| state).collect();
    assert_eq!(states.iter().filter(|state| **state == RunState::Succeeded).count(), 2, "{states:?}");
    assert_eq!(states.iter().filter(|state| **state == RunState::Cancelled).count(), 1, "{states:?}");
    engine.stop(Duration::ZERO).await.expect("it stops");
}

fn numbers() -> Vec<i64> {
    definition("").connection_numbers()
}
