//! What a server over a file remembers.

use std::sync::Arc;
use std::time::Duration;

use mainspring_api::client::{Client, Precondition};
use mainspring_api::{ApplyOptions, EventFilter, RunFilter, RunNow, WriteOptions};
use mainspring_engine::Engine;
use mainspring_server::{Server, Settings};
use serde_json::json;

use crate::kit::{plain_client, spec};

struct Started {
    server: Server,
    engine: Arc<Engine>,
}

impl Started {
    async fn over(folder: &std::path::Path) -> Self {
        let address = format!("sqlite:{}", folder.join("mainspring.db").display());
        let store = mainspring_store::open(&address).await.unwrap();
        let engine = Arc::new(Engine::start(store, mainspring_engine::Settings::default()).await.unwrap());
        let settings = Settings {
            listen: "127.0.0.1:0".parse().unwrap(),
            data_dir: Some(folder.to_owned()),
            ..Settings::default()
        };
        let server = Server::start(Arc::clone(&engine), settings).await.unwrap();
        Self { server, engine }
    }

    fn client(&self, folder: &std::path::Path) -> Client {
        let token = std::fs::read_to_string(folder.join("token")).unwrap();
        Client::builder(format!("http://{}", self.server.address())).token(token).build().unwrap()
    }

    async fn stop(self) {
        self.server.stop(Duration::from_secs(5)).await;
        let engine = Arc::into_inner(self.engine).expect("the server lets go of the engine");
        engine.stop(Duration::from_secs(5)).await.unwrap();
    }
}

#[tokio::test]
async fn token_jobs_history_events_and_keys_outlive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    plain_client();
    let first = Started::over(folder.path()).await;
    assert!(first.server.first_token().is_some());
    let client = first.client(folder.path());
    client
        .put_job("default", &spec(json!({"name": "a", "noop": true})), Precondition::None, WriteOptions::default())
        .await
        .unwrap();
    let keyed = client.with_idempotency_key("once");
    let run = keyed.run_job("default", "a", &RunNow::default()).await.unwrap();
    client.wait_for_run(&run.id).await.unwrap();
    first.stop().await;

    let second = Started::over(folder.path()).await;
    assert_eq!(second.server.first_token(), None, "the token is shown once");
    let client = second.client(folder.path());
    let again = client.with_idempotency_key("once").run_job("default", "a", &RunNow::default()).await.unwrap();
    assert_eq!(again.id, run.id);
    let history = client.job_history("default", "a", &RunFilter::default()).await.unwrap();
    assert_eq!(history.items.iter().map(|it| &it.id).collect::<Vec<_>>(), [&run.id]);
    let filter = EventFilter { run: Some(run.id.clone()), ..EventFilter::default() };
    let mut events = client.events(&filter, Some("0")).await.unwrap();
    let mut kinds = Vec::new();
    while kinds.last().is_none_or(|kind| kind != "run.succeeded") {
        let next = tokio::time::timeout(Duration::from_secs(20), events.next()).await.expect("an event comes");
        kinds.push(next.unwrap().unwrap().kind);
    }
    let bundle = client.export("default").await.unwrap();
    let result = client.apply(&bundle, ApplyOptions::default()).await.unwrap();
    assert_eq!(result.totals.unchanged, 1);
    second.stop().await;
}

#[tokio::test]
async fn a_lost_token_file_opens_nothing_until_the_token_is_reset() {
    let folder = tempfile::tempdir().unwrap();
    plain_client();
    Started::over(folder.path()).await.stop().await;
    std::fs::remove_file(folder.path().join("token")).unwrap();
    let started = Started::over(folder.path()).await;
    assert_eq!((started.server.first_token(), started.server.token_file()), (None, None));
    started.stop().await;
}
