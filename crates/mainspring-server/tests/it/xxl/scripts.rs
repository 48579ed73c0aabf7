//! What XXL-JOB's endpoints cannot do to scripts, and who may change those that executors are sent.

use mainspring_api::{ErrorCode, JobFilter, XxlGlueChange};
use mainspring_server::Settings;
use serde_json::json;

use super::forms::{ask, form, new_job, posted};
use super::make_app;
use crate::kit::{Running, code, plain_client};

/// The token for scripts.
const FOR_SCRIPTS: &str = "for-scripts-and-for-all-else-----";

#[tokio::test]
async fn no_endpoint_of_xxl_job_changes_what_our_workers_execute() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scripts");
    std::fs::write(&file, FOR_SCRIPTS).unwrap();
    let settings = Settings { script_token_file: Some(file), xxl_forms: true, ..Settings::default() };
    let running = Running::start_with(settings).await;
    let token = make_app(&running.client, Vec::new()).await;
    // A script of an old job as the importer makes it: it keeps its old number.
    let script = json!({
        "name": "ours", "labels": {"xxl-id": "7"}, "queue": "mail",
        "script": {"language": "shell", "source": "date", "xxl_args": true},
    });
    let place = format!("{}/api/v1/namespaces/default/jobs/ours", running.url);
    let put = plain_client().put(&place).bearer_auth(FOR_SCRIPTS).json(&script).send().await.unwrap();
    assert!(put.status().is_success(), "{}", put.text().await.unwrap());
    let before = running.client.job("default", "ours").await.unwrap().spec;

    let mut change = new_job();
    change["id"] = json!(7);
    change["glueType"] = json!("GLUE_SHELL");
    change["glueSource"] = json!("id");
    let refused = ask(&running, "mail", &token, "updateJob", change.clone()).await;
    assert!(refused["code"] != 200 && refused.to_string().contains("there is no job 7"), "{refused}");
    let login = posted(&running, "login", &[("userName", "admin"), ("password", &running.token)]).send().await.unwrap();
    let cookie = login.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    for path in ["jobinfo/update", "jobinfo/trigger", "jobinfo/start", "jobinfo/stop", "jobinfo/remove"] {
        let fields =
            [("id", "7"), ("jobGroup", "1"), ("glueType", "GLUE_SHELL"), ("glueSource", "id"), ("executorParam", "x")];
        let refused = form(&running, &cookie, path, &fields).await;
        assert_ne!(refused["code"], 200, "{path}: {refused}");
    }
    let glue = XxlGlueChange { source: "id".to_owned(), ..XxlGlueChange::default() };
    assert_eq!(code(running.client.set_xxl_glue("default", "ours", &glue).await), ErrorCode::XxlNoScript);
    assert_eq!(running.client.job("default", "ours").await.unwrap().spec, before);

    // Nor do they make scripts for executors: they have no token for scripts.
    change.as_object_mut().unwrap().remove("id");
    let refused = ask(&running, "mail", &token, "addJob", change.clone()).await;
    assert!(refused["code"] != 200 && refused.to_string().contains("add and change scripts"), "{refused}");
    let jobs = running.client.jobs("default", &JobFilter::default()).await.unwrap().items;
    assert_eq!(jobs.len(), 1, "{jobs:?}");
    running.stop().await;
}

#[tokio::test]
async fn scripts_that_executors_are_sent_are_changed_by_the_token_for_scripts_where_there_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scripts");
    std::fs::write(&file, FOR_SCRIPTS).unwrap();
    let settings = Settings { script_token_file: Some(file), ..Settings::default() };
    let running = Running::start_with(settings).await;
    make_app(&running.client, Vec::new()).await;
    let job = |source: &str, remark: &str| {
        let glue = json!({"language": "shell", "source": source, "remark": remark});
        json!({"name": "a", "xxl": {"app": "mail", "glue": glue, "params": remark}})
    };
    let put = async |token: &str, job: serde_json::Value| {
        let place = format!("{}/api/v1/namespaces/default/jobs/a", running.url);
        plain_client().put(&place).bearer_auth(token).json(&job).send().await.unwrap().status().as_u16()
    };
    let ordinary = &running.token;
    assert_eq!(put(ordinary, job("date", "first")).await, 403);
    assert_eq!(put(FOR_SCRIPTS, job("date", "first")).await, 201);
    assert_eq!(put(ordinary, job("date", "another remark")).await, 200, "the same script is no change");
    assert_eq!(put(ordinary, job("id", "first")).await, 403);
    let glue = XxlGlueChange { source: "id".to_owned(), ..XxlGlueChange::default() };
    assert_eq!(code(running.client.set_xxl_glue("default", "a", &glue).await), ErrorCode::AuthForbidden);
    let kept = running.client.job("default", "a").await.unwrap().spec.xxl.unwrap().glue.unwrap();
    assert_eq!((kept.source.as_str(), kept.remark.as_deref()), ("date", Some("another remark")));
    running.stop().await;
}

#[tokio::test]
async fn what_the_endpoints_of_xxl_job_make_is_for_executors_whatever_it_is_written_in() {
    let running = Running::start().await;
    let token = make_app(&running.client, Vec::new()).await;
    let mut new = new_job();
    new["glueType"] = json!("GLUE_SHELL");
    new["glueSource"] = json!("id");
    let made = ask(&running, "mail", &token, "addJob", new).await;
    assert_eq!(made["code"], 200, "{made}");
    let jobs = running.client.jobs("default", &JobFilter::default()).await.unwrap().items;
    assert!(jobs.len() == 1 && jobs[0].spec.script.is_none() && jobs[0].spec.xxl.is_some(), "{jobs:?}");
    running.stop().await;
}
