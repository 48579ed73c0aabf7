//! A server for a test.

use std::sync::Arc;
use std::time::Duration;

use mainspring_api::client::{Client, ClientError};
use mainspring_api::{ErrorCode, JobSpec};
use mainspring_engine::Engine;
use mainspring_server::{Server, Settings};
use mainspring_store::MemoryStore;
use serde_json::Value;

use crate::answers::Answers;

/// A running server with its engine, over a store in memory.
pub struct Running {
    pub server: Server,
    pub engine: Arc<Engine>,
    pub client: Client,
    pub token: String,
    pub url: String,
    pub http: reqwest::Client,
    answers: Answers,
}

impl Running {
    pub async fn start() -> Self {
        Self::start_with(Settings::default()).await
    }

    pub async fn start_with(settings: Settings) -> Self {
        let store = Arc::new(MemoryStore::new());
        let engine = Engine::start(store, mainspring_engine::Settings::default()).await.unwrap();
        Self::over(Arc::new(engine), settings).await
    }

    pub async fn over(engine: Arc<Engine>, settings: Settings) -> Self {
        let answers = Answers::default();
        let inspect = Some(answers.inspect());
        let settings = Settings { listen: "127.0.0.1:0".parse().unwrap(), inspect, ..settings };
        let server = Server::start(Arc::clone(&engine), settings).await.unwrap();
        let token = server.first_token().expect("a new store has no token").to_owned();
        let url = format!("http://{}", server.address());
        let client = Client::builder(&url).token(&token).build().unwrap();
        let http = plain_client();
        Self { server, engine, client, token, url, http, answers }
    }

    /// A request with the token, as a program without our client would send it.
    pub fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        self.http.request(method, format!("{}{path}", self.url)).bearer_auth(&self.token)
    }

    pub async fn stop(self) {
        self.server.stop(Duration::from_secs(5)).await;
        let engine = Arc::into_inner(self.engine).expect("the server lets go of the engine");
        engine.stop(Duration::from_secs(5)).await.unwrap();
        drop(self.answers);
    }
}

/// A client without proxies.
pub fn plain_client() -> reqwest::Client {
    // No TLS is spoken, but a client wants to know how it would be. Whoever comes second finds it done.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().build().unwrap()
}

/// A job from JSON.
pub fn spec(json: Value) -> JobSpec {
    serde_json::from_value(json).unwrap()
}

/// The code of a refusal.
pub fn code<T: std::fmt::Debug>(result: Result<T, ClientError>) -> ErrorCode {
    let error = result.unwrap_err();
    error.code().unwrap_or_else(|| panic!("{error:?}"))
}
