//! Versions of scripts.

use std::sync::Arc;

use mainspring_api::client::Precondition;
use mainspring_api::{
    Bundle, ErrorCode, Timestamp, WriteOptions, XxlGlueChange, XxlGlueHistory, XxlGlueOld, XxlGlueRollback, XxlLanguage,
};
use mainspring_core::job::{Job, JobKey};
use mainspring_engine::control::{Error, JobSave, SaveMode};
use mainspring_server::Settings;
use mainspring_store::{DocumentChange, Error as StoreError, Expect};
use serde_json::{Value, json};

use super::forms::{form, posted};
use super::{Executor, XxlAppChange, make_app, put, start};
use crate::kit::{Running, code};

fn job(source: &str, remark: &str) -> Value {
    let glue = json!({"language": "shell", "source": source, "remark": remark});
    json!({"name": "a", "xxl": {"app": "mail", "glue": glue, "id": 7}})
}

/// The versions of the job, newest first: number, remark, and whether it is the current one.
async fn versions(running: &Running) -> Vec<(u32, String, bool)> {
    let list = running.client.xxl_glue("default", "a").await.unwrap();
    assert!(list.iter().all(|it| it.source.is_none() && it.bytes > 0 && it.by.is_some() | it.xxl_id.is_some()));
    list.into_iter().map(|it| (it.version, it.remark.unwrap_or_default(), it.current)).collect()
}

fn told(all: &[(u32, &str, bool)]) -> Vec<(u32, String, bool)> {
    all.iter().map(|(number, remark, current)| (*number, (*remark).to_owned(), *current)).collect()
}

#[tokio::test]
async fn whatever_saves_a_script_makes_a_version_and_executors_get_the_current_one() {
    let running = Running::start_with(Settings { xxl_forms: true, ..Settings::default() }).await;
    let client = &running.client;
    let token = make_app(client, Vec::new()).await;
    client.change_xxl_app("mail", &XxlAppChange { glue: Some(true), ..XxlAppChange::default() }).await.unwrap();
    let executor = Executor::start(&running.url, &token).await;
    executor.register().await;

    put(client, job("date", "first")).await;
    put(client, job("date", "first")).await;
    let mut other = job("date", "first");
    other["retries"] = json!(2);
    put(client, other).await;
    assert_eq!(versions(&running).await, told(&[(1, "first", true)]), "nothing else makes a version");

    let mut bundle = Bundle::default();
    bundle.jobs.push(crate::kit::spec(job("date -u", "in UTC")));
    client.apply(&bundle, Default::default()).await.unwrap();
    let change = XxlGlueChange { source: "date -R\r\n".into(), by: Some("ann".into()), ..XxlGlueChange::default() };
    let made = client.set_xxl_glue("default", "a", &change).await.unwrap();
    assert_eq!((made.version, made.current, made.remark.as_deref()), (3, true, None));
    assert_eq!(made.by.as_deref(), Some("ann, with the access token"));
    let again = client.set_xxl_glue("default", "a", &change).await.unwrap();
    assert_eq!(again.version, 3, "it is the same script");

    let login = posted(&running, "login", &[("password", &running.token)]).send().await.unwrap();
    let cookie = login.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let saved = form(&running, &cookie, "jobcode/save", &[("id", "7"), ("glueSource", "uptime"), ("glueRemark", "r4")]);
    assert_eq!(saved.await["code"], 200);

    let run = start(client, "a").await;
    let order = executor.next("/run").await.body;
    let current = client.xxl_glue_version("default", "a", 4).await.unwrap();
    assert_eq!((&order["glueSource"], &order["glueUpdatetime"]), (&json!("uptime"), &json!(current.glue_updatetime)));
    executor.call_back(order["logId"].as_i64().unwrap(), 200, "").await;
    super::ended(client, &run).await;

    let back =
        client.roll_back_xxl_glue("default", "a", 2, &XxlGlueRollback::default(), Precondition::None).await.unwrap();
    assert_eq!((back.version, back.remark.as_deref()), (5, Some("back to version 2")));
    let first = client.xxl_glue_version("default", "a", 2).await.unwrap();
    assert_eq!((first.source.as_deref(), first.glue_updatetime), (Some("date -u"), back.glue_updatetime));
    start(client, "a").await;
    assert_eq!(executor.next("/run").await.body["glueSource"], "date -u");
    let all = [(5, "back to version 2", true), (4, "r4", false), (3, "", false), (2, "in UTC", false)];
    assert_eq!(versions(&running).await, told(&[&all[..], &[(1, "first", false)]].concat()));
    running.stop().await;
}

#[tokio::test]
async fn thirty_versions_are_kept_and_go_with_the_job() {
    let running = Running::start().await;
    let client = &running.client;
    make_app(client, Vec::new()).await;
    for number in 1..=32 {
        put(client, job(&format!("echo {number}"), &format!("r{number}"))).await;
    }
    let there = versions(&running).await;
    assert_eq!((there.len(), there[0].0, there[29].0), (30, 32, 3));
    assert_eq!(code(client.xxl_glue_version("default", "a", 2).await), ErrorCode::VersionNotFound);
    client.delete_job("default", "a", Precondition::None, WriteOptions::default()).await.unwrap();
    put(client, job("echo", "new")).await;
    assert_eq!(versions(&running).await, told(&[(1, "new", true)]));
    put(client, json!({"name": "b", "xxl": {"app": "mail", "handler": "h"}})).await;
    let change = XxlGlueChange { source: "date".into(), ..XxlGlueChange::default() };
    assert_eq!(code(client.set_xxl_glue("default", "b", &change).await), ErrorCode::XxlNoScript);
    assert_eq!(client.xxl_glue("default", "b").await.unwrap(), []);
    running.stop().await;
}

#[tokio::test]
async fn what_stayed_of_a_deleted_job_is_nobodys_history() {
    let running = Running::start().await;
    let client = &running.client;
    make_app(client, Vec::new()).await;
    put(client, job("date", "old")).await;
    // As a server leaves it that dies after it has deleted the job.
    let control = running.engine.control();
    control.delete_job(&JobKey::new("default", "a"), Expect::Anything).await.unwrap();
    put(client, json!({"name": "a", "xxl": {"app": "mail", "handler": "h", "id": 7}})).await;
    assert_eq!(client.xxl_glue("default", "a").await.unwrap(), []);

    // Who saves a job with documents of before is told so, and reads them again.
    let before = control.store().job(&JobKey::new("default", "a")).await.unwrap().unwrap();
    let stale = DocumentChange::Remove { kind: "xxl_script".into(), name: "none".into(), version: 1 };
    let job = Arc::new(Job { timeout_ms: Some(60_000), ..Job::clone(&before.definition) });
    let save = JobSave { documents: vec![stale], ..JobSave::from((job, Expect::Change(before.change))) };
    let refused = control.save(vec![save], SaveMode::Commit).await.unwrap_err();
    let is_told = matches!(refused, Error::Store(StoreError::Conflict { what: "document", .. }));
    assert!(is_told, "{refused}");
    running.stop().await;
}

#[tokio::test]
async fn versions_of_xxl_job_come_before_those_that_are_there() {
    let running = Running::start().await;
    let client = &running.client;
    make_app(client, Vec::new()).await;
    put(client, job("date", "init")).await;
    let old = |id: i64, source: &str| XxlGlueOld {
        xxl_id: id,
        language: XxlLanguage::Shell,
        source: source.to_owned(),
        remark: Some(format!("old {id}")),
        saved_at: Timestamp::from_millis(id * 1_000),
    };
    let history = XxlGlueHistory { versions: vec![old(12, "date"), old(11, "uptime")] };
    for _ in 0..2 {
        let list = client.add_xxl_glue_history("default", "a", &history).await.unwrap();
        let told: Vec<_> = list.iter().map(|it| (it.version, it.xxl_id, it.current)).collect();
        assert_eq!(told, [(2, Some(12), true), (1, Some(11), false)]);
    }
    put(client, job("date -u", "ours")).await;
    let expected = told(&[(3, "ours", true), (2, "old 12", false), (1, "old 11", false)]);
    assert_eq!(versions(&running).await, expected);
    let seen = |stamp| XxlGlueRollback { glue_updatetime: Some(stamp), ..XxlGlueRollback::default() };
    let stamp = client.xxl_glue_version("default", "a", 2).await.unwrap().glue_updatetime;
    let refused = client.roll_back_xxl_glue("default", "a", 1, &seen(stamp), Precondition::None).await;
    assert_eq!(code(refused), ErrorCode::ResourceStale, "1 was another version when it was seen");
    let back = client.roll_back_xxl_glue("default", "a", 2, &seen(stamp), Precondition::None).await.unwrap();
    assert_eq!(back.glue_updatetime, stamp);
    let long = XxlGlueHistory { versions: vec![XxlGlueOld { source: "x".repeat(300_000), ..old(13, "") }] };
    assert_eq!(code(client.add_xxl_glue_history("default", "a", &long).await), ErrorCode::FieldValue);
    running.stop().await;
}
