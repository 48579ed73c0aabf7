//! An executor that does as a test tells it.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::kit::plain_client;

/// What it was asked.
#[derive(Clone, Debug)]
pub struct Asked {
    pub path: String,
    pub token: Option<String>,
    pub app: Option<String>,
    pub body: Value,
}

/// How it answers, in place of success.
#[derive(Clone, Debug)]
pub enum Answer {
    Json(Value),
    /// It reports the end with this code before it answers.
    CallBackFirst(i64),
    /// It does not answer for as long as anybody waits.
    Never,
}

#[derive(Default)]
struct Told {
    answers: HashMap<String, VecDeque<Answer>>,
    log: String,
    is_3_5: bool,
    admin: String,
}

struct Shared {
    asked: watch::Sender<Vec<Asked>>,
    told: Mutex<Told>,
    token: String,
    http: reqwest::Client,
}

pub struct Executor {
    shared: Arc<Shared>,
    port: u16,
    /// How many of each were seen by the test.
    seen: Mutex<HashMap<String, usize>>,
}

impl Executor {
    pub async fn start(admin: &str, token: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let told = Told { admin: admin.to_owned(), ..Told::default() };
        let shared = Arc::new(Shared {
            asked: watch::Sender::new(Vec::new()),
            told: Mutex::new(told),
            token: token.to_owned(),
            http: plain_client(),
        });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { shared, port, seen: Mutex::default() }
    }

    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    pub async fn register(&self) {
        self.register_as(&self.address()).await;
    }

    pub async fn register_as(&self, address: &str) {
        let body = json!({"registryGroup": "EXECUTOR", "registryKey": "mail", "registryValue": address});
        assert_eq!(self.shared.say("registry", &self.shared.token, body).await["code"], 200);
    }

    pub async fn leave_as(&self, address: &str) {
        let body = json!({"registryGroup": "EXECUTOR", "registryKey": "mail", "registryValue": address});
        assert_eq!(self.shared.say("registryRemove", &self.shared.token, body).await["code"], 200);
    }

    pub async fn call_back(&self, log_id: i64, code: i64, message: &str) {
        self.call_back_as(&self.shared.token, log_id, code, message).await;
    }

    pub async fn call_back_as(&self, token: &str, log_id: i64, code: i64, message: &str) {
        self.shared.call_back(token, log_id, code, message).await;
    }

    /// How to answer the next request to a path.
    pub fn then(&self, path: &str, answer: Answer) {
        self.shared.told.lock().unwrap().answers.entry(path.to_owned()).or_default().push_back(answer);
    }

    /// What its logs hold.
    pub fn log(&self, text: &str) {
        self.shared.told.lock().unwrap().log = text.to_owned();
    }

    pub fn speak_3_5(&self) {
        self.shared.told.lock().unwrap().is_3_5 = true;
    }

    pub fn turn_to(&self, admin: &str) {
        self.shared.told.lock().unwrap().admin = admin.to_owned();
    }

    /// The next request to a path that the test has not seen.
    pub async fn next(&self, path: &str) -> Asked {
        let mut asked = self.shared.asked.subscribe();
        let place = {
            let mut seen = self.seen.lock().unwrap();
            let seen = seen.entry(path.to_owned()).or_default();
            *seen += 1;
            *seen - 1
        };
        let nth = |all: &Vec<Asked>| all.iter().filter(|one| one.path == path).nth(place).cloned();
        let found = tokio::time::timeout(Duration::from_secs(60), asked.wait_for(|all| nth(all).is_some()));
        nth(&found.await.unwrap_or_else(|_| panic!("nobody asks {path}")).unwrap()).unwrap()
    }

    pub fn count(&self, path: &str) -> usize {
        self.shared.asked.borrow().iter().filter(|one| one.path == path).count()
    }
}

impl Shared {
    async fn say(&self, method: &str, token: &str, body: Value) -> Value {
        let admin = self.told.lock().unwrap().admin.clone();
        let request = self.http.post(format!("{admin}/xxl-job-admin/api/{method}"));
        let request = request.header("XXL-JOB-ACCESS-TOKEN", token).body(body.to_string());
        request.send().await.unwrap().json().await.unwrap()
    }

    async fn call_back(&self, token: &str, log_id: i64, code: i64, message: &str) {
        let body = json!([{"logId": log_id, "logDateTim": 1, "handleCode": code, "handleMsg": message}]);
        let said = self.say("callback", token, body).await;
        assert_eq!(said["code"], 200, "{said}");
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let header = |name: &str| head.headers.get(name).map(|value| value.to_str().unwrap().to_owned());
    let (token, app) = (header("xxl-job-access-token"), header("xxl-job-appname"));
    let path = head.uri.path().to_owned();
    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let asked = Asked { path: path.clone(), token, app: app.clone(), body: body.clone() };
    shared.asked.send_modify(|all| all.push(asked));
    let (answer, log, is_3_5) = {
        let mut told = shared.told.lock().unwrap();
        (told.answers.get_mut(&path).and_then(VecDeque::pop_front), told.log.clone(), told.is_3_5)
    };
    let said = match answer {
        Some(Answer::Json(said)) => said,
        Some(Answer::CallBackFirst(code)) => {
            shared.call_back(&shared.token, body["logId"].as_i64().unwrap(), code, "").await;
            json!({"code": 200})
        }
        Some(Answer::Never) => std::future::pending().await,
        None if is_3_5 && app.is_none() => {
            json!({"code": 500, "msg": "invalid request, accessToken or appname invalid."})
        }
        None if path == "/log" => {
            let from = usize::try_from(body["fromLineNum"].as_i64().unwrap()).unwrap();
            let lines: Vec<&str> = log.split_inclusive('\n').collect();
            let text = lines.iter().skip(from - 1).copied().collect::<String>();
            json!({"code": 200, "content": {"fromLineNum": from, "toLineNum": lines.len(), "logContent": text, "isEnd": false}})
        }
        None => json!({"code": 200}),
    };
    ([(header::CONTENT_TYPE, "text/html;charset=UTF-8")], said.to_string()).into_response()
}
