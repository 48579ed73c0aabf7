//! Children and alarms as XXL-JOB's scripts say them.

use mainspring_api::client::Precondition;
use mainspring_api::{AlertChannelSpec, AlertEmail, WriteOptions, XxlAppSpec};
use mainspring_core::job::JobKey;
use mainspring_schedule::Timestamp;
use mainspring_server::Settings;
use mainspring_store::{Document, DocumentExpect};
use serde_json::{Value, json};

use super::forms::{ask, form, new_job, posted};
use super::{Executor, make_app, put};
use crate::kit::{Running, spec};

async fn signed_in(running: &Running) -> String {
    let login = posted(running, "login", &[("userName", "admin"), ("password", &running.token)]).send().await.unwrap();
    login.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned()
}

/// Adds a job of the only group. Answers what was said.
async fn add(running: &Running, cookie: &str, handler: &str, more: &[(&str, &str)]) -> Value {
    let fields = [
        ("jobGroup", "1"),
        ("jobDesc", "x"),
        ("author", "Li"),
        ("scheduleType", "CRON"),
        ("scheduleConf", "0 0 2 * * ?"),
        ("misfireStrategy", "DO_NOTHING"),
        ("executorRouteStrategy", "FIRST"),
        ("executorBlockStrategy", "SERIAL_EXECUTION"),
        ("glueType", "BEAN"),
        ("executorHandler", handler),
    ];
    form(running, cookie, "jobinfo/add", &[&fields[..], more].concat()).await
}

/// The row of a job in the list.
async fn row(running: &Running, cookie: &str, id: i64) -> Value {
    let list = form(running, cookie, "jobinfo/pageList", &[("length", "100")]).await;
    list["data"].as_array().unwrap().iter().find(|row| row["id"] == id).cloned().unwrap()
}

#[tokio::test]
async fn children_of_forms_start_after_their_parent_and_are_given_back() {
    let running = Running::start_with(Settings { xxl_forms: true, ..Settings::default() }).await;
    let token = make_app(&running.client, Vec::new()).await;
    let executor = Executor::start(&running.url, &token).await;
    executor.register().await;
    let cookie = signed_in(&running).await;
    assert_eq!(form(&running, &cookie, "jobgroup/pageList", &[]).await["data"][0]["id"], 1);
    assert_eq!(add(&running, &cookie, "cron", &[]).await["content"], "1");
    assert_eq!(add(&running, &cookie, "none", &[("scheduleType", "NONE")]).await["content"], "2");
    for (children, why) in [("9", "there is no job 9"), ("2,x", "\"x\", which is no number")] {
        let refused = add(&running, &cookie, "parent", &[("childJobId", children)]).await;
        assert!(refused["code"] == 500 && refused["msg"].as_str().unwrap().contains(why), "{refused}");
    }
    let made = add(&running, &cookie, "parent", &[("childJobId", "2, 1"), ("scheduleType", "NONE")]).await;
    let id = made["content"].as_str().unwrap().to_owned();
    assert_eq!((&made["code"], &made["msg"]), (&json!(200), &Value::Null), "{made}");
    assert_eq!(row(&running, &cookie, id.parse().unwrap()).await["childJobId"], "1,2");

    // Children that were stopped start after their parent, and their own schedules rest.
    let child = running.client.job("default", "cron-1").await.unwrap();
    let rests = child.spec.triggers_in_order().iter().any(|(_, trigger)| trigger.paused == Some(true));
    assert!(!child.paused && rests, "{child:?}");
    assert_eq!(row(&running, &cookie, 1).await["triggerStatus"], 0);
    assert_eq!(form(&running, &cookie, "jobinfo/start", &[("id", "1")]).await["code"], 200);
    assert_eq!(row(&running, &cookie, 1).await["triggerStatus"], 1);
    assert_eq!(form(&running, &cookie, "jobinfo/stop", &[("id", "1")]).await["code"], 200);
    assert_eq!(form(&running, &cookie, "jobinfo/start", &[("id", "2")]).await["code"], 500, "it has no schedule");
    let started = form(&running, &cookie, "jobinfo/pageList", &[("triggerStatus", "1")]).await;
    assert_eq!(started["recordsTotal"], 0, "{started}");

    assert_eq!(form(&running, &cookie, "jobinfo/trigger", &[("id", &id)]).await["code"], 200);
    let order = executor.next("/run").await.body;
    assert_eq!(order["executorHandler"], "parent");
    executor.call_back(order["logId"].as_i64().unwrap(), 200, "").await;
    let mut handlers = Vec::new();
    for _ in 0..2 {
        let order = executor.next("/run").await.body;
        handlers.push(order["executorHandler"].as_str().unwrap().to_owned());
        executor.call_back(order["logId"].as_i64().unwrap(), 200, "").await;
    }
    handlers.sort();
    assert_eq!(handlers, ["cron", "none"]);

    for (id, children, why) in [(id.as_str(), id.as_str(), "its own child"), ("2", id.as_str(), "schedule.circle")] {
        let refused = form(&running, &cookie, "jobinfo/update", &[("id", id), ("childJobId", children)]).await;
        assert!(refused["msg"].as_str().unwrap().contains(why), "{refused}");
    }
    let changed = form(&running, &cookie, "jobinfo/update", &[("id", &id), ("childJobId", "1")]).await;
    assert_eq!(changed["code"], 200, "{changed}");
    assert_eq!(row(&running, &cookie, id.parse().unwrap()).await["childJobId"], "1");
    // What does not name children leaves them, and a child keeps its parents.
    for (id, field) in [(id.as_str(), ("author", "Wu")), ("1", ("scheduleConf", "0 0 3 * * ?"))] {
        let changed = form(&running, &cookie, "jobinfo/update", &[("id", id), field]).await;
        assert_eq!(changed["code"], 200, "{changed}");
    }
    assert_eq!(row(&running, &cookie, id.parse().unwrap()).await["childJobId"], "1");
    assert_eq!(row(&running, &cookie, 1).await["triggerStatus"], 0, "its schedule rests still");
    running.stop().await;
}

#[tokio::test]
async fn children_that_job_files_have_made_are_stopped_and_woken_as_others() {
    let running = Running::start_with(Settings { xxl_forms: true, ..Settings::default() }).await;
    make_app(&running.client, Vec::new()).await;
    let cookie = signed_in(&running).await;
    form(&running, &cookie, "jobgroup/pageList", &[]).await;
    let job = |name: &str, id: i64| json!({"name": name, "schedule": "0 2 * * *", "xxl": {"app": "mail", "handler": "h", "id": id}});
    put(&running.client, job("n", 7)).await;
    put(&running.client, job("m", 8)).await;
    let mut mends = job("mends", 9);
    mends.as_object_mut().unwrap().remove("schedule");
    mends["triggers"] =
        json!([{"name": "cron", "cron": "0 2 * * *"}, {"name": "parents", "after": ["n"], "on": "failed"}]);
    put(&running.client, mends).await;
    let said =
        async |action: &str, id: &str| form(&running, &cookie, &format!("jobinfo/{action}"), &[("id", id)]).await;
    for id in ["8", "9"] {
        assert_eq!(said("stop", id).await["code"], 200);
    }
    // What XXL-JOB has no word for is stopped as a whole.
    assert!(running.client.job("default", "mends").await.unwrap().paused);

    let store = running.engine.control().store();
    let key = JobKey::new("default", "m");
    let before = store.job(&key).await.unwrap().unwrap();
    let mut parents = Vec::new();
    for children in ["7,8", "8"] {
        let made = add(&running, &cookie, "parent", &[("childJobId", children)]).await;
        parents.push(made["content"].as_str().unwrap().to_owned());
        let child = store.job(&key).await.unwrap().unwrap();
        let changes = i64::try_from(parents.len()).unwrap();
        assert_eq!((child.paused, child.change), (false, before.change + changes), "it wakes with the save");
    }
    let child = running.client.job("default", "m").await.unwrap().spec;
    let after: Vec<_> = child.triggers.iter().filter_map(|trigger| trigger.after.clone()).collect();
    assert_eq!((after.len(), after[0].as_slice().len()), (1, 2), "{after:?}");
    assert_eq!(row(&running, &cookie, 8).await["triggerStatus"], 0);

    assert_eq!(row(&running, &cookie, 7).await["triggerStatus"], 1);
    assert_eq!(said("stop", "7").await["code"], 200);
    let conf = [("id", "7"), ("scheduleConf", "0 0 3 * * ?")];
    assert_eq!(form(&running, &cookie, "jobinfo/update", &conf).await["code"], 200);
    assert_eq!(row(&running, &cookie, 7).await["triggerStatus"], 0, "another schedule does not start it");
    let freed = [("id", parents[0].as_str()), ("childJobId", "8")];
    assert_eq!(form(&running, &cookie, "jobinfo/update", &freed).await["code"], 200);
    assert_eq!(row(&running, &cookie, 7).await["triggerStatus"], 0, "a child no more, it rests still");
    assert_eq!(said("start", "7").await["code"], 200);
    assert_eq!(row(&running, &cookie, 7).await["triggerStatus"], 1);
    running.stop().await;
}

#[tokio::test]
async fn a_token_makes_children_of_jobs_of_its_own_app_only() {
    let running = Running::start().await;
    let token = make_app(&running.client, Vec::new()).await;
    let other = XxlAppSpec { name: "other".to_owned(), ..XxlAppSpec::default() };
    let other = running.client.create_xxl_app(&other).await.unwrap().token.unwrap();
    assert_eq!(ask(&running, "mail", &token, "addJob", new_job()).await["data"], "1");
    let with = |children: &str| {
        let mut job = new_job();
        job["childJobId"] = children.into();
        job
    };
    let refused = ask(&running, "other", &other, "addJob", with("1")).await;
    assert!(refused["msg"].as_str().unwrap().contains("there is no job 1"), "{refused}");
    let made = ask(&running, "mail", &token, "addJob", with("1")).await;
    assert_eq!(made["code"], 200, "{made}");
    running.stop().await;
}

#[tokio::test]
async fn addresses_of_alarms_become_an_alert_and_are_given_back() {
    let running = Running::start_with(Settings { xxl_forms: true, ..Settings::default() }).await;
    make_app(&running.client, Vec::new()).await;
    let cookie = signed_in(&running).await;
    form(&running, &cookie, "jobgroup/pageList", &[]).await;
    let made = add(&running, &cookie, "send", &[("alarmEmail", "a@example.org")]).await;
    assert!(made["msg"].as_str().unwrap().contains("nobody is told of failures"), "{made}");
    assert_eq!(row(&running, &cookie, 1).await["alarmEmail"], "a@example.org");

    let email = AlertEmail { server: "127.0.0.1".into(), from: "jobs@example.org".into(), ..AlertEmail::default() };
    let channel = AlertChannelSpec { name: "post".into(), email: Some(email), ..AlertChannelSpec::default() };
    // This server sends nothing, so it would not take the channel.
    let (kind, name, body) = ("alert_channel".into(), "post".into(), serde_json::to_string(&channel).unwrap());
    let document = Document { kind, name, body, version: 0, at: Timestamp::UNIX_EPOCH, expires_at: None };
    let store = running.engine.control().store();
    store.put_document(document, DocumentExpect::Absent).await.unwrap().unwrap();
    let mails = "a@example.org,b@example.org";
    let changed = form(&running, &cookie, "jobinfo/update", &[("id", "1"), ("alarmEmail", mails)]).await;
    assert_eq!((&changed["code"], &changed["msg"]), (&json!(200), &Value::Null), "{changed}");
    let alerts = running.client.job("default", "send-1").await.unwrap().spec.alerts;
    assert_eq!(
        (alerts[0].failed, alerts[0].channels.concat(), alerts[0].to.join(",")),
        (true, "post".into(), mails.into())
    );
    assert_eq!(row(&running, &cookie, 1).await["alarmEmail"], mails);
    form(&running, &cookie, "jobinfo/update", &[("id", "1"), ("alarmEmail", "")]).await;
    assert_eq!(running.client.job("default", "send-1").await.unwrap().spec.alerts, []);

    // A rule of a job file is given back as well.
    let alert = json!({"failed": true, "channels": ["post"], "to": ["c@example.org"]});
    let job = json!({"name": "x", "alerts": [alert], "xxl": {"app": "mail", "handler": "h", "id": 5}});
    running.client.put_job("default", &spec(job), Precondition::None, WriteOptions::default()).await.unwrap();
    assert_eq!(row(&running, &cookie, 5).await["alarmEmail"], "c@example.org");
    running.stop().await;
}
