//! What an old admin asks of the proxy, as it asks executors.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use mainspring_api::{JobFilter, LogFilter, LogPage};
use mainspring_xxl::words::BlockStrategy;
use mainspring_xxl::{Admitted, Asked, CONTENT_TYPE, Credentials, Newest, Passed, Sent, answer, refusal};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::time::timeout;

use super::{Proxy, follow};

/// Longest body that executors take, in bytes.
const BODY_MAX: usize = 5 << 20;
/// How long the server is waited for, twice for a run: old admins wait for three seconds.
const PATIENCE: Duration = Duration::from_millis(1_200);
/// Lines of a log that one answer has.
const LINES_MAX: u32 = 1_000;

/// Answers for ever.
pub async fn serve(proxy: Arc<Proxy>, listener: TcpListener) {
    let router = Router::new().fallback(hear).with_state(proxy);
    if let Err(error) = axum::serve(listener, router).await {
        crate::notes::note(format_args!("the proxy listens no more: {error}"));
    }
}

/// Answers with HTTP status 200 whatever comes of it, as executors do.
async fn hear(State(proxy): State<Arc<Proxy>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let path = head.uri.path_and_query().map_or("", |path| path.as_str());
    let said = if head.method != Method::POST {
        refusal("invalid request, HttpMethod not support.")
    } else if !may_ask(&proxy, &head.headers) {
        refusal("The access token is wrong.")
    } else {
        act(&proxy, path, body).await.unwrap_or_else(|why| refusal(&why))
    };
    (StatusCode::OK, [(header::CONTENT_TYPE, CONTENT_TYPE)], said).into_response()
}

fn may_ask(proxy: &Proxy, headers: &HeaderMap) -> bool {
    proxy.tokens.as_ref().is_none_or(|tokens| tokens.accept(&Credentials::of(headers)))
}

async fn act(proxy: &Arc<Proxy>, path: &str, body: Body) -> Result<String, String> {
    let body = to_bytes(body, BODY_MAX).await.map_err(|error| format!("the body cannot be read: {error}"))?;
    match Asked::read(path, &body)? {
        Asked::Beat => Ok(answer()),
        Asked::IdleBeat(job_id) => {
            let is_idle = proxy.state.read(|passing| passing.of_job(job_id).next().is_none());
            if is_idle { Ok(answer()) } else { Err("job thread is running or has trigger queue.".to_owned()) }
        }
        Asked::Run(sent) => {
            // An old admin that hangs up ends what answers it: a run that has begun by then would be followed by nobody.
            let proxy = Arc::clone(proxy);
            let passed_on = tokio::spawn(async move { run(&proxy, &sent).await });
            passed_on.await.unwrap_or_else(|error| Err(format!("the run is not passed on: {error}")))
        }
        Asked::Kill(job_id) => {
            proxy.state.change(|passing| passing.kill(job_id)).map_err(|error| unwritten(&error))?;
            proxy.killed.send_replace(());
            Ok(answer())
        }
        Asked::Log { log_id, from_line } => log(proxy, log_id, from_line).await,
    }
}

/// Passes a run on: it is written down first, so that it is started and reported whatever happens next.
async fn run(proxy: &Proxy, sent: &Sent) -> Result<String, String> {
    if proxy.state.read(|passing| passing.knows(sent.id())) {
        return Ok(answer());
    }
    let found = timeout(PATIENCE, find(proxy, sent.job_id)).await;
    let job = found.map_err(|_| "the server of mainspring does not answer".to_owned())??;
    let admitted = proxy.state.change(|passing| passing.admit(sent, job)).map_err(|error| unwritten(&error))?;
    // What it covers is to end.
    if sent.block == BlockStrategy::CoverEarly {
        proxy.killed.send_replace(());
    }
    match admitted {
        Admitted::Known => Ok(answer()),
        Admitted::Refused(why) => Err(why),
        Admitted::New(passed) => begin(proxy, &passed).await,
    }
}

/// Starts a run. Without an answer it is asked for again under its key, and its end is reported.
async fn begin(proxy: &Proxy, passed: &Passed) -> Result<String, String> {
    match timeout(PATIENCE, follow::start(proxy, passed)).await {
        Ok(Err(error)) if follow::is_final(&error) => {
            proxy.state.change(|passing| passing.end(passed.id())).map_err(|error| unwritten(&error))?;
            return Err(error.to_string());
        }
        _ => proxy.follow(passed.id()),
    }
    Ok(answer())
}

fn unwritten(error: &std::io::Error) -> String {
    format!("the state of the proxy cannot be written: {error}")
}

/// The job with the number that the old admin has for it.
async fn find(proxy: &Proxy, job_id: i32) -> Result<(String, String), String> {
    let filter = JobFilter { label: Some(format!("xxl-id={job_id}")), limit: Some(2), ..JobFilter::default() };
    let found = proxy.client.jobs(&proxy.namespace, &filter).await.map_err(|error| error.to_string())?;
    match found.items.as_slice() {
        // The token of an app opens no job of another one.
        [job] if job.spec.xxl.as_ref().is_some_and(|xxl| xxl.app != proxy.app) => {
            Err(format!("{}, which has the label xxl-id={job_id}, is for another app than {}", job.name, proxy.app))
        }
        [job] => Ok((job.namespace.clone(), job.name.clone())),
        [] => Err(format!("no job of {} has the label xxl-id={job_id}: import it first", proxy.namespace)),
        _ => Err(format!("several jobs of {} have the label xxl-id={job_id}", proxy.namespace)),
    }
}

async fn log(proxy: &Proxy, log_id: i64, from: i64) -> Result<String, String> {
    let (to, text, is_end) = match proxy.state.read(|passing| passing.newest(log_id)) {
        Newest::Unknown => (0, "readLog fail, logFile not exists".to_owned(), true),
        Newest::Waiting => (from - 1, String::new(), false),
        Newest::Begun(run) => {
            let from_line = u64::try_from(from).ok();
            let filter = LogFilter { from_line, limit: Some(LINES_MAX), ..LogFilter::default() };
            let page = timeout(2 * PATIENCE, proxy.client.log(&run, &filter)).await;
            let page = page.map_err(|_| "the server of mainspring does not answer".to_owned())?;
            lines(&page.map_err(|error| error.to_string())?, from)
        }
    };
    let part = json!({"fromLineNum": from, "toLineNum": to, "logContent": text, "isEnd": is_end});
    // Admins read one name or the other.
    Ok(json!({"code": 200, "msg": null, "content": part, "data": part}).to_string())
}

/// The number of the last line, the text, and whether that is all.
fn lines(page: &LogPage, from: i64) -> (i64, String, bool) {
    let last = page.lines.last().map_or(from - 1, |line| i64::try_from(line.line).unwrap_or(i64::MAX));
    (last, page.lines.iter().map(|line| format!("{}\n", line.text)).collect(), page.complete)
}
