//! Requests are answered on threads of their own: what keeps these busy keeps no run from being started.

use std::sync::mpsc;

use mainspring_core::job::{Job, JobKey, Task};
use mainspring_core::run::{Origin, RunState};
use mainspring_engine::control::{Ask, SaveMode};
use mainspring_server::Settings;
use mainspring_store::Expect;
use std::sync::Arc;

use crate::kit::Running;

#[tokio::test(flavor = "multi_thread")]
async fn runs_go_on_while_every_thread_for_requests_is_busy() {
    let requests = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let settings = Settings { requests: Some(requests.handle().clone()), ..Settings::default() };
    let running = Running::start_with(settings).await;
    let (begun, has_begun) = mpsc::channel();
    let (go_on, may_go_on) = mpsc::channel::<()>();
    requests.spawn(async move {
        begun.send(()).unwrap();
        let _ = may_go_on.recv();
    });
    tokio::task::spawn_blocking(move || has_begun.recv().unwrap()).await.unwrap();

    let asked = tokio::spawn(running.request("GET", "/livez").send());
    let control = running.engine.control();
    let key = JobKey::new("default", "a");
    let job = Arc::new(Job::new(key.clone(), Task::Noop));
    control.save(vec![(job, Expect::Absent)], SaveMode::Commit).await.unwrap();
    let ask = Ask { input: None, priority: None, origin: Origin::Manual, worker: None, asking: None };
    let run = control.run_now(&key, ask).await.unwrap();
    while control.store().run(run.id).await.unwrap().is_none_or(|run| run.state != RunState::Succeeded) {
        tokio::task::yield_now().await;
    }
    assert!(!asked.is_finished(), "the request was answered on a thread of the engine");
    drop(go_on);
    assert_eq!(asked.await.unwrap().unwrap().status(), 200);
    running.stop().await;
    requests.shutdown_background();
}
