//! XXL-JOB's executors against the server: an executor of our own, which does as it is told.

mod families;
mod faults;
mod figures;
mod forms;
mod glue;
mod known;
mod order;
mod recorded;
mod safety;
mod scripts;

use std::sync::Arc;
use std::time::Duration;

use mainspring_api::client::{Client, Precondition};
use mainspring_api::{
    AttemptState, ErrorCode, LogFilter, Reason, Run, RunNow, RunState, WriteOptions, XxlAppChange, XxlAppSpec,
    XxlTokenRotation,
};
use mainspring_engine::Engine;
use mainspring_rig::executor::{Answer, Executor};
use mainspring_server::{Server, Settings};
use serde_json::{Value, json};

use crate::kit::{Running, code, plain_client, spec};

/// Longer than anything here takes on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(60);

async fn make_app(client: &Client, addresses: Vec<String>) -> String {
    let spec = XxlAppSpec { name: "mail".to_owned(), addresses, ..XxlAppSpec::default() };
    client.create_xxl_app(&spec).await.unwrap().token.unwrap()
}

async fn put(client: &Client, job: Value) {
    client.put_job("default", &spec(job), Precondition::None, WriteOptions::default()).await.unwrap();
}

async fn start(client: &Client, job: &str) -> Run {
    client.run_job("default", job, &RunNow::default()).await.unwrap()
}

async fn ended(client: &Client, run: &Run) -> Run {
    tokio::time::timeout(PATIENCE, client.wait_for_run(&run.id)).await.expect("it ends").unwrap()
}

#[tokio::test]
async fn an_app_has_a_token_that_is_shown_when_it_is_made_and_when_it_is_replaced() {
    let running = Running::start().await;
    let client = &running.client;
    let token = make_app(client, vec!["http://127.0.0.1:1/".to_owned()]).await;
    assert!(token.starts_with("ms_") && token.len() > 32);
    let app = client.xxl_app("mail").await.unwrap();
    assert_eq!((app.token, app.queue.as_str(), app.slots), (None, "xxl.mail", 200));
    assert_eq!((app.addresses.as_slice(), app.warnings), (["http://127.0.0.1:1/".to_owned()].as_slice(), vec![]));

    let again = client.create_xxl_app(&XxlAppSpec { name: "mail".to_owned(), ..XxlAppSpec::default() }).await;
    assert_eq!(code(again), ErrorCode::ResourceExists);
    let bad = XxlAppSpec {
        name: "a b".to_owned(),
        token: Some("with space".to_owned()),
        addresses: vec!["http://h:1".to_owned(), "ftp://h".to_owned(), "http://h:1/".to_owned()],
        ..XxlAppSpec::default()
    };
    let refused = client.create_xxl_app(&bad).await.unwrap_err();
    let problems = refused.problem().map(|problem| problem.errors.clone()).unwrap_or_default();
    let places: Vec<&str> = problems.iter().map(|problem| problem.pointer.as_str()).collect();
    assert_eq!(places, ["/addresses/1", "/addresses/2", "/name", "/token"]);

    let change = XxlAppChange { slots: Some(5), addresses: Some(Vec::new()), ..XxlAppChange::default() };
    let changed = client.change_xxl_app("mail", &change).await.unwrap();
    assert_eq!((changed.slots, changed.addresses.len()), (5, 0));
    let rotated = client.rotate_xxl_token("mail", &XxlTokenRotation::default()).await.unwrap();
    assert!(rotated.token.as_ref().is_some_and(|new| *new != token) && rotated.previous_token_until.is_some());
    let early = client.rotate_xxl_token("mail", &XxlTokenRotation::default()).await;
    assert_eq!(code(early), ErrorCode::XxlToken);
    let known = XxlTokenRotation { token: Some("default_token".to_owned()), at_once: true };
    let warned = client.rotate_xxl_token("mail", &known).await.unwrap();
    assert!(warned.warnings[0].contains("everybody knows") && warned.previous_token_until.is_none(), "{warned:?}");
    assert!(!client.xxl_apps().await.unwrap()[0].warnings.is_empty(), "it is warned of for ever");

    client.delete_xxl_app("mail").await.unwrap();
    assert_eq!(code(client.xxl_app("mail").await), ErrorCode::XxlAppNotFound);
    assert_eq!(code(client.delete_xxl_app("mail").await), ErrorCode::XxlAppNotFound);
    running.stop().await;
}

/// What a request of an executor is answered: the status, the type, and the body.
async fn say(running: &Running, path: &str, token: Option<&str>, body: &str) -> (u16, String, Value) {
    let request = running.http.post(format!("{}{path}", running.url)).body(body.to_owned());
    let request = token.iter().fold(request, |request, token| request.header("XXL-JOB-ACCESS-TOKEN", *token));
    let response = request.send().await.unwrap();
    let kind = response.headers()["content-type"].to_str().unwrap().to_owned();
    (response.status().as_u16(), kind, response.json().await.unwrap())
}

#[tokio::test]
async fn executors_register_under_both_paths_and_bad_requests_are_answered_in_their_form() {
    let running = Running::start().await;
    let token = make_app(&running.client, Vec::new()).await;
    let other = XxlAppSpec { name: "other".to_owned(), ..XxlAppSpec::default() };
    let other = running.client.create_xxl_app(&other).await.unwrap().token.unwrap();
    let beat = |app: &str, port: u16| {
        json!({"registryGroup": "EXECUTOR", "registryKey": app, "registryValue": format!("http://127.0.0.1:{port}/")})
            .to_string()
    };
    let good = json!({"code": 200, "msg": null, "content": null, "data": null});
    for (path, port) in [("/api/registry", 1), ("/xxl-job-admin/api/registry", 2), ("/api/Registry", 3)] {
        let (status, kind, body) = say(&running, path, Some(&token), &beat("mail", port)).await;
        assert_eq!((status, kind.as_str(), &body), (200, "application/json;charset=UTF-8", &good), "{path}");
    }
    let shown = running.client.xxl_instances().await.unwrap();
    let addresses: Vec<&str> = shown.iter().map(|one| one.address.as_str()).collect();
    assert_eq!(addresses, ["http://127.0.0.1:1/", "http://127.0.0.1:2/", "http://127.0.0.1:3/"]);
    assert!(shown.iter().all(|one| one.alive && one.beat_at.is_some() && one.dialect.is_none()));

    say(&running, "/api/registryRemove", Some(&token), &beat("mail", 1)).await;
    let app = running.client.xxl_app("mail").await.unwrap();
    let gone: Vec<bool> = app.instances.iter().map(|one| one.left && !one.alive).collect();
    assert_eq!(gone, [true, false, false]);

    let long = beat(&"x".repeat(65), 1);
    let deep = format!("http://h:1/{}", "x".repeat(200));
    let far = json!({"registryGroup": "EXECUTOR", "registryKey": "mail", "registryValue": deep}).to_string();
    for (token, body, said) in [
        (None, beat("mail", 4), "The access token is wrong."),
        (Some("wrong"), beat("mail", 4), "The access token is wrong."),
        (Some(other.as_str()), beat("mail", 4), "The access token is wrong."),
        (Some(&*token), beat("nobody", 4), "The access token is wrong."),
        (Some(&*token), "{".to_owned(), "the body is no JSON"),
        (Some(&*token), beat("mail", 4).replace("EXECUTOR", " "), "Illegal Argument"),
        (Some(&*token), long, "at most 64"),
        (Some(&*token), far, "more than 180 bytes"),
    ] {
        let (status, kind, answer) = say(&running, "/api/registry", token, &body).await;
        assert_eq!((status, kind.as_str(), &answer["code"]), (200, "application/json;charset=UTF-8", &json!(500)));
        assert!(answer["msg"].as_str().unwrap().contains(said), "{body}: {answer}");
    }
    let got = running.http.get(format!("{}/api/registry", running.url)).send().await.unwrap();
    assert_eq!(got.status(), 200);
    assert_eq!(got.json::<Value>().await.unwrap()["code"], 500);
    let unknown = json!([{"logId": 1, "handleCode": 200}, {"logId": "x"}]).to_string();
    assert_eq!(say(&running, "/api/callback", Some(&token), &unknown).await.2, good, "nobody knows these runs");
    assert_eq!(say(&running, "/api/callback", None, &unknown).await.2["code"], 500);
    running.stop().await;
}

#[tokio::test]
async fn whoever_guesses_tokens_of_executors_is_slowed_down() {
    let running = Running::start().await;
    let token = make_app(&running.client, Vec::new()).await;
    let guess = || say(&running, "/api/callback", Some("guess"), "[]");
    for _ in 0..10 {
        assert_eq!(guess().await.2["code"], 500);
    }
    let begun = std::time::Instant::now();
    assert_eq!(guess().await.2["code"], 500);
    assert!(begun.elapsed() >= Duration::from_secs(1), "{:?}", begun.elapsed());
    assert_eq!(say(&running, "/api/callback", Some(&token), "[]").await.2["code"], 200, "it waits, and is heard");
    running.stop().await;
}

#[tokio::test]
async fn a_run_is_sent_once_and_ends_as_the_executor_says() {
    let running = Running::start().await;
    let token = make_app(&running.client, Vec::new()).await;
    let executor = Executor::start(&running.url, &token).await;
    executor.register().await;
    let xxl = json!({"app": "mail", "handler": " sendMail ", "params": "a=1", "id": 7});
    put(&running.client, json!({"name": "a", "xxl": xxl, "timeout": "90s"})).await;

    let run = start(&running.client, "a").await;
    let order = executor.next("/run").await;
    let log_id = order.body["logId"].as_i64().unwrap();
    let date = order.body["logDateTime"].as_i64().unwrap();
    assert!((1..1 << 53).contains(&log_id) && date > 1_700_000_000_000);
    let expected = json!({
        "jobId": 7, "executorHandler": "sendMail", "executorParams": "a=1", "executorBlockStrategy": "SERIAL_EXECUTION",
        "executorTimeout": 90, "logId": log_id, "logDateTime": date, "glueType": "BEAN", "glueSource": "",
        "glueUpdatetime": 0, "broadcastIndex": 0, "broadcastTotal": 1
    });
    assert_eq!((order.body, order.token.as_deref(), order.app.as_deref()), (expected, Some(&*token), Some("mail")));
    executor.call_back(log_id, 200, "12 letters").await;
    let over = ended(&running.client, &run).await;
    assert_eq!(over.state, RunState::Succeeded);
    assert_eq!(running.client.run_output(&run.id).await.unwrap(), b"\"12 letters\"");

    // The second word of an executor changes nothing, and is no error.
    executor.call_back(log_id, 500, "a lie").await;
    assert_eq!(running.client.run(&run.id).await.unwrap().state, RunState::Succeeded);

    let run = running.client.run_job("default", "a", &RunNow { input: Some(json!("b=2")), ..RunNow::default() }).await;
    let order = executor.next("/run").await;
    assert_eq!(order.body["executorParams"], "b=2");
    executor.call_back(order.body["logId"].as_i64().unwrap(), 500, "no luck").await;
    let over = ended(&running.client, &run.unwrap()).await;
    let attempts = running.client.attempts(&over.id).await.unwrap();
    assert_eq!((over.state, attempts[0].exit_code), (RunState::Failed, Some(500)));
    assert_eq!(executor.count("/run"), 2);
    running.stop().await;
}

#[tokio::test]
async fn a_callback_may_come_before_the_answer_and_a_refusal_ends_the_attempt() {
    let running = Running::start().await;
    let token = make_app(&running.client, Vec::new()).await;
    let executor = Executor::start(&running.url, &token).await;
    executor.register().await;
    put(&running.client, json!({"name": "a", "xxl": {"app": "mail", "handler": "h"}})).await;
    executor.then("/run", Answer::CallBackFirst(200));
    let run = start(&running.client, "a").await;
    assert_eq!(ended(&running.client, &run).await.state, RunState::Succeeded);

    executor.then("/run", Answer::Json(json!({"code": 500, "msg": "job handler [h] not found."})));
    let run = start(&running.client, "a").await;
    let over = ended(&running.client, &run).await;
    let attempts = running.client.attempts(&over.id).await.unwrap();
    let reason = attempts[0].reason.as_deref().unwrap();
    assert!(reason.contains("xxl.refused") && reason.contains("job handler [h] not found."), "{reason}");
    assert_eq!(over.state, RunState::Failed);
    running.stop().await;
}

#[tokio::test]
async fn a_run_whose_sending_is_not_answered_is_not_sent_again() {
    let running = Running::start().await;
    let token = make_app(&running.client, Vec::new()).await;
    let executor = Executor::start(&running.url, &token).await;
    executor.register().await;
    put(&running.client, json!({"name": "a", "retries": 5, "xxl": {"app": "mail", "handler": "h"}})).await;
    executor.then("/run", Answer::Never);
    let run = start(&running.client, "a").await;
    let order = executor.next("/run").await;
    // It is followed from then on: its log is asked for, however its sending ended.
    executor.next("/log").await;
    executor.call_back(order.body["logId"].as_i64().unwrap(), 200, "late").await;
    assert_eq!(ended(&running.client, &run).await.state, RunState::Succeeded);
    assert_eq!(executor.count("/run"), 1);
    running.stop().await;
}

#[tokio::test]
async fn a_run_goes_to_another_executor_where_nobody_listens() {
    let running = Running::start().await;
    let token = make_app(&running.client, Vec::new()).await;
    let executor = Executor::start(&running.url, &token).await;
    // Nobody listens there, and its address is the first.
    executor.register_as("http://127.0.0.1:1/").await;
    put(&running.client, json!({"name": "a", "routing": "first", "xxl": {"app": "mail", "handler": "h"}})).await;
    let run = start(&running.client, "a").await;
    let over = ended(&running.client, &run).await;
    let attempts = running.client.attempts(&over.id).await.unwrap();
    assert!(attempts[0].reason.as_deref().unwrap().contains("xxl.unreached"), "{attempts:?}");
    assert_eq!(over.state, RunState::Failed);
    executor.register().await;
    let run = start(&running.client, "a").await;
    let order = executor.next("/run").await;
    executor.call_back(order.body["logId"].as_i64().unwrap(), 200, "").await;
    let over = ended(&running.client, &run).await;
    assert_eq!((over.state, running.client.attempts(&over.id).await.unwrap().len()), (RunState::Succeeded, 1));
    running.stop().await;
}

#[tokio::test]
async fn a_run_that_another_executor_has_outlives_the_one_that_it_was_for() {
    let running = Running::start().await;
    let token = make_app(&running.client, Vec::new()).await;
    let executor = Executor::start(&running.url, &token).await;
    executor.register_as("http://127.0.0.1:1/").await;
    executor.register().await;
    put(&running.client, json!({"name": "a", "routing": "first", "xxl": {"app": "mail", "handler": "h"}})).await;
    // More than open the breaker of the one where nobody listens: the answers of the other one do not close it, nor does it hold them up.
    for _ in 0..4 {
        let run = start(&running.client, "a").await;
        let order = executor.next("/run").await;
        executor.leave_as("http://127.0.0.1:1/").await;
        executor.call_back(order.body["logId"].as_i64().unwrap(), 200, "").await;
        let over = ended(&running.client, &run).await;
        assert_eq!((over.state, running.client.attempts(&over.id).await.unwrap().len()), (RunState::Succeeded, 1));
        executor.register_as("http://127.0.0.1:1/").await;
    }
    assert_eq!(executor.count("/run"), 4);
    running.stop().await;
}

#[tokio::test]
async fn a_run_that_is_cancelled_is_killed_and_its_log_is_kept() {
    let running = Running::start().await;
    let token = make_app(&running.client, Vec::new()).await;
    let executor = Executor::start(&running.url, &token).await;
    executor.register().await;
    put(&running.client, json!({"name": "a", "retries": 3, "xxl": {"app": "mail", "handler": "h"}})).await;
    executor.log("first\nsecond\nhalf");
    let run = start(&running.client, "a").await;
    let order = executor.next("/run").await;
    executor.next("/log").await;
    running.client.cancel_run(&run.id, &Reason::default()).await.unwrap();
    let kill = executor.next("/kill").await;
    assert_eq!(kill.body["jobId"], order.body["jobId"]);
    executor.log("first\nsecond\nhalf a line\n");
    // Go, Node and Rust report a success after a kill.
    executor.call_back(order.body["logId"].as_i64().unwrap(), 200, "").await;
    let over = ended(&running.client, &run).await;
    assert_eq!((over.state, running.client.attempts(&run.id).await.unwrap().len()), (RunState::Cancelled, 1));
    let lines = tokio::time::timeout(PATIENCE, async {
        loop {
            let page = running.client.log(&run.id, &LogFilter::default()).await.unwrap();
            if page.lines.len() == 3 {
                return page.lines.into_iter().map(|line| line.text).collect::<Vec<_>>();
            }
            executor.next("/log").await;
        }
    });
    assert_eq!(lines.await.unwrap(), ["first", "second", "half a line"]);
    running.stop().await;
}

#[tokio::test]
async fn an_executor_whose_address_was_entered_is_asked_what_it_speaks() {
    let running = Running::start().await;
    // Its token is known before its address is entered.
    let executor = Executor::start(&running.url, "").await;
    executor.speak_3_5();
    make_app(&running.client, vec![executor.address()]).await;
    put(&running.client, json!({"name": "a", "xxl": {"app": "mail", "handler": "h"}})).await;
    let run = start(&running.client, "a").await;
    let order = executor.next("/trigger").await;
    let app = running.client.xxl_app("mail").await.unwrap();
    assert_eq!((app.instances[0].dialect.as_deref(), app.instances[0].manual), (Some("3.5"), true));
    let token = order.token.clone().unwrap();
    executor.call_back_as(&token, order.body["logId"].as_i64().unwrap(), 502, "too slow").await;
    let over = ended(&running.client, &run).await;
    let attempts = running.client.attempts(&over.id).await.unwrap();
    assert_eq!((over.state, attempts[0].state), (RunState::Failed, AttemptState::TimedOut));
    running.stop().await;
}

#[tokio::test]
async fn a_broadcast_goes_to_each_executor_with_its_shard() {
    let running = Running::start().await;
    let token = make_app(&running.client, Vec::new()).await;
    let (one, two) = (Executor::start(&running.url, &token).await, Executor::start(&running.url, &token).await);
    one.register().await;
    two.register().await;
    let job = json!({"name": "a", "routing": "sharding_broadcast", "xxl": {"app": "mail", "handler": "h"}});
    put(&running.client, job).await;
    let run = start(&running.client, "a").await;
    let mut shards = Vec::new();
    for executor in [&one, &two] {
        let order = executor.next("/run").await.body;
        shards.push((order["broadcastIndex"].as_i64().unwrap(), order["broadcastTotal"].as_i64().unwrap()));
        executor.call_back(order["logId"].as_i64().unwrap(), 200, "").await;
    }
    shards.sort_unstable();
    assert_eq!(shards, [(0, 2), (1, 2)]);
    assert_eq!(ended(&running.client, &run).await.state, RunState::Succeeded);
    running.stop().await;
}

/// A server over the database of a folder.
async fn over(folder: &tempfile::TempDir, reset_token: bool) -> (Server, Arc<Engine>, Client, String) {
    let address = format!("sqlite:{}", folder.path().join("mainspring.db").display());
    let store = mainspring_store::open(&address).await.unwrap();
    let engine = Arc::new(Engine::start(store, mainspring_engine::Settings::default()).await.unwrap());
    let settings = Settings { listen: "127.0.0.1:0".parse().unwrap(), reset_token, ..Settings::default() };
    let server = Server::start(Arc::clone(&engine), settings).await.unwrap();
    let url = format!("http://{}", server.address());
    let client = Client::builder(&url).token(server.first_token().unwrap()).build().unwrap();
    (server, engine, client, url)
}

#[tokio::test]
async fn a_run_that_waits_to_be_sent_when_the_server_ends_is_sent_by_the_next_one() {
    plain_client();
    let folder = tempfile::tempdir().unwrap();
    let (server, engine, client, url) = over(&folder, false).await;
    let token = make_app(&client, Vec::new()).await;
    let executor = Executor::start(&url, &token).await;
    put(&client, json!({"name": "a", "max_active": 100, "xxl": {"app": "mail", "handler": "h"}})).await;
    // As many requests as go at a time, and one run more.
    let (mut runs, mut orders) = (Vec::new(), Vec::new());
    (0..64).for_each(|_| executor.then("/run", Answer::Never));
    for _ in 0..65 {
        runs.push(start(&client, "a").await);
    }
    executor.register().await;
    for _ in 0..64 {
        orders.push(executor.next("/run").await);
    }
    let has_all = async { while client.xxl_app("mail").await.unwrap().instances[0].running != Some(65) {} };
    tokio::time::timeout(PATIENCE, has_all).await.expect("it is given all of them");
    server.stop(Duration::from_secs(5)).await;
    Arc::into_inner(engine).expect("the server lets go of the engine").stop(Duration::from_secs(5)).await.unwrap();

    let (server, engine, client, url) = over(&folder, true).await;
    executor.turn_to(&url);
    orders.push(executor.next("/run").await);
    for order in &orders {
        executor.call_back(order.body["logId"].as_i64().unwrap(), 200, "").await;
    }
    for run in &runs {
        assert_eq!(ended(&client, run).await.state, RunState::Succeeded);
    }
    assert_eq!(executor.count("/run"), 65);
    server.stop(Duration::from_secs(5)).await;
    Arc::into_inner(engine).unwrap().stop(Duration::from_secs(5)).await.unwrap();
}

#[tokio::test]
async fn a_run_outlives_a_restart_of_the_server_and_is_not_sent_again() {
    plain_client();
    let folder = tempfile::tempdir().unwrap();
    let (server, engine, client, url) = over(&folder, false).await;
    let token = make_app(&client, Vec::new()).await;
    let executor = Executor::start(&url, &token).await;
    executor.register().await;
    put(&client, json!({"name": "a", "retries": 3, "xxl": {"app": "mail", "handler": "h"}})).await;
    let run = start(&client, "a").await;
    let order = executor.next("/run").await;
    server.stop(Duration::from_secs(5)).await;
    Arc::into_inner(engine).expect("the server lets go of the engine").stop(Duration::from_secs(5)).await.unwrap();

    let (server, engine, client, url) = over(&folder, true).await;
    executor.turn_to(&url);
    // Before the executor has registered again.
    executor.call_back(order.body["logId"].as_i64().unwrap(), 200, "done").await;
    assert_eq!(ended(&client, &run).await.state, RunState::Succeeded);
    assert_eq!(executor.count("/run"), 1);
    // It takes further runs without having registered.
    let run = start(&client, "a").await;
    let order = executor.next("/run").await;
    executor.call_back(order.body["logId"].as_i64().unwrap(), 200, "").await;
    assert_eq!(ended(&client, &run).await.state, RunState::Succeeded);
    server.stop(Duration::from_secs(5)).await;
    Arc::into_inner(engine).unwrap().stop(Duration::from_secs(5)).await.unwrap();
}
