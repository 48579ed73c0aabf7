//! What XXL-JOB's endpoints cannot do to scripts that servers and workers of ours execute.

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

    // What they make is for executors, whatever it is written in.
    change.as_object_mut().unwrap().remove("id");
    let made = ask(&running, "mail", &token, "addJob", change).await;
    assert_eq!(made["code"], 200, "{made}");
    let jobs = running.client.jobs("default", &JobFilter::default()).await.unwrap().items;
    let others: Vec<_> = jobs.iter().filter(|job| job.spec.name != "ours").collect();
    assert!(others.len() == 1 && others[0].spec.script.is_none() && others[0].spec.xxl.is_some(), "{others:?}");
    running.stop().await;
}
