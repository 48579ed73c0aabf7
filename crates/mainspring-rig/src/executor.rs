//! An executor of XXL-JOB that does as a test tells it: it answers late or never, lies about its logs and its clock, and goes.
//!
//! By itself it accepts every run, says that nothing runs, and calls nothing back.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, DATE};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::history::now;

/// The longest wait on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// The longest body that is read, in bytes.
const BODY_MAX: usize = 4 << 20;
/// Between two reports of an end that the admin does not take. Java's executors wait for 30 s.
const REPORT_AGAIN: Duration = Duration::from_millis(500);
/// The app to which it belongs.
const APP: &str = "mail";

/// A request that it was sent.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Such as `/run`.
    pub path: String,
    /// The access token that came along.
    pub token: Option<String>,
    /// The app that was named.
    pub app: Option<String>,
    /// The body, or null.
    pub body: Value,
}

/// An answer in place of success.
#[derive(Clone, Debug)]
pub enum Answer {
    /// This.
    Json(Value),
    /// It reports the end with this code before it answers.
    CallBackFirst(i64),
    /// None for as long as anybody waits.
    Never,
}

/// The way in which it shows its logs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Logs {
    /// Whether it says with each answer that the log ends there.
    pub is_end: bool,
    /// The last line that it claims to have; the true one if absent.
    pub last: Option<i64>,
    /// The most lines of an answer; all that there are if absent.
    pub lines_max: Option<usize>,
}

#[derive(Default)]
struct Told {
    answers: HashMap<String, VecDeque<Answer>>,
    log: Arc<str>,
    logs: Logs,
    is_3_5: bool,
    /// Code with which it reports the end of each run by itself, again until that is taken.
    ends: Option<i64>,
    clock_ahead_ms: Option<i64>,
    admin: String,
}

struct Shared {
    asked: watch::Sender<Vec<Asked>>,
    told: Mutex<Told>,
    token: String,
}

/// The executor. Nobody listens any more when it is dropped.
pub struct Executor {
    shared: Arc<Shared>,
    port: u16,
    /// How many of each were seen by the test.
    seen: Mutex<HashMap<String, usize>>,
    serving: JoinHandle<()>,
}

impl Drop for Executor {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Executor {
    /// Listens on a free port. It registers when that is asked for, at an admin such as `http://127.0.0.1:7070`.
    ///
    /// # Panics
    /// The system gives no port.
    pub async fn start(admin: &str, token: &str) -> Self {
        Self::start_at(admin, token, 0).await
    }

    /// Listens on a port, as an executor that is started again.
    ///
    /// # Panics
    /// The port is taken.
    pub async fn start_at(admin: &str, token: &str, port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("the port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let told = Told { admin: admin.to_owned(), ..Told::default() };
        let (asked, token) = (watch::Sender::new(Vec::new()), token.to_owned());
        let shared = Arc::new(Shared { asked, told: Mutex::new(told), token });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        let serving = tokio::spawn(async move {
            // It ends with the executor.
            let _ended = axum::serve(listener, router).await;
        });
        Self { shared, port, seen: Mutex::default(), serving }
    }

    /// Returns the port on which it listens.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Returns its address as it registers it.
    #[must_use]
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Registers.
    ///
    /// # Panics
    /// It is refused.
    pub async fn register(&self) {
        self.register_as(&self.address()).await;
    }

    /// Registers an address that is not its own.
    ///
    /// # Panics
    /// It is refused.
    pub async fn register_as(&self, address: &str) {
        self.register_with(&self.shared.token, address).await;
    }

    /// Registers an address with a token that is not its own.
    ///
    /// # Panics
    /// It is refused.
    pub async fn register_with(&self, token: &str, address: &str) {
        self.says("registry", token, address).await;
    }

    /// Says that an address goes.
    ///
    /// # Panics
    /// It is refused.
    pub async fn leave_as(&self, address: &str) {
        self.says("registryRemove", &self.shared.token, address).await;
    }

    async fn says(&self, method: &str, token: &str, address: &str) {
        let body = json!({"registryGroup": "EXECUTOR", "registryKey": APP, "registryValue": address});
        let said = self.shared.say(method, token, &body).await.expect("the admin answers");
        assert_eq!(said["code"], 200, "{said}");
    }

    /// Reports the end of a run.
    ///
    /// # Panics
    /// It is refused.
    pub async fn call_back(&self, log_id: i64, code: i64, message: &str) {
        self.call_back_as(&self.shared.token, log_id, code, message).await;
    }

    /// Reports the end of a run with a token that is not its own.
    ///
    /// # Panics
    /// It is refused.
    pub async fn call_back_as(&self, token: &str, log_id: i64, code: i64, message: &str) {
        self.shared.call_back(token, log_id, code, message).await.expect("the admin takes the end");
    }

    /// Reports the end of a run once.
    ///
    /// # Errors
    /// The admin does not answer, or refuses it.
    pub async fn try_call_back(&self, log_id: i64, code: i64) -> Result<()> {
        self.shared.call_back(&self.shared.token, log_id, code, "").await
    }

    /// Sets the answer to the next request to a path.
    pub fn then(&self, path: &str, answer: Answer) {
        self.shared.told().answers.entry(path.to_owned()).or_default().push_back(answer);
    }

    /// Sets what each of its logs holds.
    pub fn log(&self, text: &str) {
        self.shared.told().log = text.into();
    }

    /// Sets how it shows them.
    pub fn show_logs(&self, logs: Logs) {
        self.shared.told().logs = logs;
    }

    /// Speaks the dialect of 3.5 from now on.
    pub fn speak_3_5(&self) {
        self.shared.told().is_3_5 = true;
    }

    /// Reports the end of each run by itself from now on, and again until that is taken.
    pub fn end_all(&self, code: i64) {
        self.shared.told().ends = Some(code);
    }

    /// Tells its time from now on, by a clock that is so far ahead.
    pub fn set_clock(&self, ahead_ms: i64) {
        self.shared.told().clock_ahead_ms = Some(ahead_ms);
    }

    /// Speaks to another admin from now on.
    pub fn turn_to(&self, admin: &str) {
        admin.clone_into(&mut self.shared.told().admin);
    }

    /// Returns the next request to a path that the test has not seen.
    ///
    /// # Panics
    /// None comes.
    pub async fn next(&self, path: &str) -> Asked {
        let mut asked = self.shared.asked.subscribe();
        let place = {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            let seen = seen.entry(path.to_owned()).or_default();
            *seen += 1;
            *seen - 1
        };
        let nth = |all: &Vec<Asked>| all.iter().filter(|one| one.path == path).nth(place).cloned();
        let found = tokio::time::timeout(PATIENCE, asked.wait_for(|all| nth(all).is_some()));
        let found = found.await.unwrap_or_else(|_| panic!("nobody asks {path}"));
        nth(&found.expect("the executor is there")).expect("that was waited for")
    }

    /// Returns how often a path was asked.
    #[must_use]
    pub fn count(&self, path: &str) -> usize {
        self.shared.asked.borrow().iter().filter(|one| one.path == path).count()
    }

    /// Returns what a path was asked, in order.
    #[must_use]
    pub fn asked(&self, path: &str) -> Vec<Asked> {
        self.shared.asked.borrow().iter().filter(|one| one.path == path).cloned().collect()
    }
}

impl Shared {
    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn say(&self, method: &str, token: &str, body: &Value) -> Result<Value> {
        let admin = self.told().admin.clone();
        let host = admin.trim_start_matches("http://");
        let body = body.to_string();
        let head = format!(
            "POST /xxl-job-admin/api/{method} HTTP/1.1\r\nHost: {host}\r\nXXL-JOB-ACCESS-TOKEN: {token}\r\n\
             Content-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let mut stream = TcpStream::connect(host).await?;
        stream.write_all((head + &body).as_bytes()).await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        let (_, body) = answer.split_once("\r\n\r\n").context("an answer has a head and a body")?;
        Ok(serde_json::from_str(body)?)
    }

    async fn call_back(&self, token: &str, log_id: i64, code: i64, message: &str) -> Result<()> {
        // Its own time, as pyxxl and Node say it.
        let date = now()?.as_millis() + self.told().clock_ahead_ms.unwrap_or(0);
        let body = json!([{"logId": log_id, "logDateTim": date, "handleCode": code, "handleMsg": message}]);
        let said = self.say("callback", token, &body).await?;
        ensure!(said["code"] == 200, "the admin says {said}");
        Ok(())
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let header = |name: &str| Some(head.headers.get(name)?.to_str().ok()?.to_owned());
    let (token, app) = (header("xxl-job-access-token"), header("xxl-job-appname"));
    let path = head.uri.path().to_owned();
    let body = axum::body::to_bytes(body, BODY_MAX).await.unwrap_or_default();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let asked = Asked { path: path.clone(), token, app: app.clone(), body: body.clone() };
    shared.asked.send_modify(|all| all.push(asked));
    let (answer, log, logs, is_3_5, ends, ahead_ms) = {
        let mut told = shared.told();
        let answer = told.answers.get_mut(&path).and_then(VecDeque::pop_front);
        (answer, Arc::clone(&told.log), told.logs, told.is_3_5, told.ends, told.clock_ahead_ms)
    };
    let is_run = path == "/run" || path == "/trigger";
    let said = match answer {
        Some(Answer::Json(said)) => said,
        Some(Answer::CallBackFirst(code)) => ended(&shared, &body, code).await,
        Some(Answer::Never) => std::future::pending().await,
        None if is_3_5 && app.is_none() => {
            json!({"code": 500, "msg": "invalid request, accessToken or appname invalid."})
        }
        None if path == "/log" => shown(&log, logs, &body),
        None => {
            if let (Some(code), true) = (ends, is_run) {
                tokio::spawn(report(Arc::clone(&shared), body, code));
            }
            json!({"code": 200})
        }
    };
    let kind = [(CONTENT_TYPE, "text/html;charset=UTF-8")];
    match ahead_ms.zip(now().ok()) {
        Some((ahead_ms, now)) => (kind, [(DATE, date(now.as_millis() + ahead_ms))], said.to_string()).into_response(),
        None => (kind, said.to_string()).into_response(),
    }
}

/// Reports the end of a run, and accepts it.
async fn ended(shared: &Shared, order: &Value, code: i64) -> Value {
    let log_id = order["logId"].as_i64().unwrap_or_default();
    match shared.call_back(&shared.token, log_id, code, "").await {
        Ok(()) => json!({"code": 200}),
        Err(error) => json!({"code": 500, "msg": error.to_string()}),
    }
}

/// Reports the end of a run until that is taken.
async fn report(shared: Arc<Shared>, order: Value, code: i64) {
    let log_id = order["logId"].as_i64().unwrap_or_default();
    let mut again = tokio::time::interval(REPORT_AGAIN);
    loop {
        again.tick().await;
        if shared.call_back(&shared.token, log_id, code, "").await.is_ok() {
            return;
        }
    }
}

/// What it shows of its log from a line on.
fn shown(log: &str, logs: Logs, question: &Value) -> Value {
    let from = question["fromLineNum"].as_u64().and_then(|from| usize::try_from(from).ok()).unwrap_or(1).max(1);
    let lines = log.split_inclusive('\n').skip(from - 1).take(logs.lines_max.unwrap_or(usize::MAX));
    let text: String = lines.collect();
    let last = logs.last.unwrap_or_else(|| i64::try_from(log.split_inclusive('\n').count()).unwrap_or(i64::MAX));
    json!({"code": 200, "content": {"fromLineNum": from, "toLineNum": last, "logContent": text, "isEnd": logs.is_end}})
}

/// An instant as headers say it.
fn date(at_ms: i64) -> String {
    let at = UNIX_EPOCH + Duration::from_millis(at_ms.unsigned_abs());
    httpdate::fmt_http_date(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_shown_from_a_line_on_as_they_are_or_as_told() {
        let ask = |from: i64, logs| shown("a\nb\nc", logs, &json!({"fromLineNum": from}))["content"].clone();
        let all = ask(0, Logs::default());
        assert_eq!(
            (&all["logContent"], &all["toLineNum"], &all["isEnd"]),
            (&json!("a\nb\nc"), &json!(3), &json!(false))
        );
        let lies = ask(2, Logs { is_end: true, last: Some(0), lines_max: Some(1) });
        assert_eq!((&lies["logContent"], &lies["toLineNum"], &lies["isEnd"]), (&json!("b\n"), &json!(0), &json!(true)));
        assert_eq!(ask(4, Logs::default())["logContent"], "");
    }

    #[test]
    fn a_date_is_told_as_headers_say_it() {
        assert_eq!(date(784_111_777_999), "Sun, 06 Nov 1994 08:49:37 GMT");
    }
}
