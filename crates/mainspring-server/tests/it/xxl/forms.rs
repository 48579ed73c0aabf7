//! The API of 3.5 and the forms of XXL-JOB's console, as scripts call them; and scripts that executors are sent.

use mainspring_api::{RunState, XxlAppChange, XxlAppSpec};
use mainspring_server::Settings;
use serde_json::{Value, json};

use super::{Executor, ended, make_app, put, start};
use crate::kit::Running;

pub async fn ask(running: &Running, app: &str, token: &str, name: &str, body: Value) -> Value {
    let request = running.http.post(format!("{}/api/{name}", running.url)).body(body.to_string());
    let request = request.header("XXL-JOB-ACCESS-TOKEN", token).header("XXL-JOB-APPNAME", app);
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    response.json().await.unwrap()
}

pub fn new_job() -> Value {
    json!({
        "name": "send mail", "author": "Li", "alarmEmail": "", "scheduleType": "CRON", "scheduleConf": "0 0 2 * * ?",
        "misfireStrategy": "DO_NOTHING", "executorRouteStrategy": "FIRST", "executorHandler": "send", "executorParam": "a=1",
        "executorBlockStrategy": "SERIAL_EXECUTION", "executorTimeout": 0, "executorFailRetryCount": 0, "glueType": "BEAN",
        "glueSource": "", "glueRemark": ""
    })
}

#[tokio::test]
async fn a_token_opens_the_jobs_of_its_app_and_of_no_other() {
    let running = Running::start().await;
    let token = make_app(&running.client, Vec::new()).await;
    let other = XxlAppSpec { name: "other".to_owned(), ..XxlAppSpec::default() };
    let other = running.client.create_xxl_app(&other).await.unwrap().token.unwrap();
    let made = ask(&running, "mail", &token, "addJob", new_job()).await;
    assert_eq!((&made["code"], &made["data"]), (&json!(200), &json!("1")), "{made}");
    let job = running.client.job("default", "send-1").await.unwrap();
    assert_eq!((job.paused, job.spec.labels["xxl-author"].as_str()), (true, "Li"));

    let id = json!({"id": 1});
    for (app, token, name) in [
        ("other", &other, "removeJob"),
        ("mail", &other, "startJob"),
        ("other", &token, "stopJob"),
        ("", &token, "triggerJob"),
    ] {
        let refused = ask(&running, app, token, name, id.clone()).await;
        assert_eq!(refused["code"], 500, "{app} {name}");
    }
    let second = ask(&running, "other", &other, "addJob", new_job()).await;
    assert_eq!(second["data"], "2", "numbers are of all apps");

    assert_eq!(ask(&running, "mail", &token, "startJob", id.clone()).await["code"], 200);
    assert!(!running.client.job("default", "send-1").await.unwrap().paused);
    let change = json!({"id": 1, "executorParam": "b=2", "scheduleConf": "0 0 3 * * ?"});
    let changed = ask(&running, "mail", &token, "updateJob", change).await;
    assert_eq!(changed["code"], 200, "{changed}");
    let job = running.client.job("default", "send-1").await.unwrap();
    assert_eq!(job.spec.xxl.unwrap().params.as_deref(), Some("b=2"));
    let refused = ask(&running, "mail", &token, "updateJob", json!({"id": 1, "scheduleConf": "0 0 3 30 2 ?"})).await;
    assert!(refused["code"] == 500 && refused["msg"].as_str().unwrap().contains("schedule.never"), "{refused}");
    assert_eq!(ask(&running, "mail", &token, "stopJob", id.clone()).await["code"], 200);

    let executor = Executor::start(&running.url, &token).await;
    executor.register().await;
    let elsewhere = json!({"id": 1, "addressList": "http://10.0.0.1:9999"});
    let refused = ask(&running, "mail", &token, "triggerJob", elsewhere).await;
    assert!(refused["msg"].as_str().unwrap().contains("none of these addresses"), "{refused}");
    let here = json!({"id": 1, "executorParam": "c=3", "addressList": format!("http://10.0.0.1:9999, {}", executor.address())});
    assert_eq!(ask(&running, "mail", &token, "triggerJob", here).await["code"], 200);
    let order = executor.next("/run").await.body;
    assert_eq!((&order["executorParams"], &order["jobId"]), (&json!("c=3"), &json!(1)));
    executor.call_back(order["logId"].as_i64().unwrap(), 200, "").await;

    assert_eq!(ask(&running, "mail", &token, "removeJob", id.clone()).await["code"], 200);
    let gone = ask(&running, "mail", &token, "removeJob", id).await;
    assert_eq!(gone["msg"], "there is no job 1");
    running.stop().await;
}

/// A form as browsers send it.
pub fn posted(running: &Running, path: &str, fields: &[(&str, &str)]) -> reqwest::RequestBuilder {
    let body = reqwest::Url::parse_with_params("http://h/", fields).unwrap().query().unwrap_or_default().to_owned();
    let request = running.http.post(format!("{}/xxl-job-admin/{path}", running.url)).body(body);
    request.header("Content-Type", "application/x-www-form-urlencoded")
}

/// What a form is answered, with a cookie.
pub async fn form(running: &Running, cookie: &str, path: &str, fields: &[(&str, &str)]) -> Value {
    let response = posted(running, path, fields).header("Cookie", cookie).send().await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    response.json().await.unwrap()
}

#[tokio::test]
async fn there_are_no_forms_unless_they_are_wanted() {
    let running = Running::start().await;
    for path in ["/xxl-job-admin/jobinfo/pageList", "/jobinfo/add", "/xxl-job-admin/login"] {
        let status = running.http.post(format!("{}{path}", running.url)).send().await.unwrap().status();
        assert!(status.is_client_error(), "{path}: {status}");
    }
    running.stop().await;
}

#[tokio::test]
async fn a_script_signs_in_makes_a_job_runs_it_and_reads_its_log() {
    let running = Running::start_with(Settings { xxl_forms: true, ..Settings::default() }).await;
    let token = make_app(&running.client, Vec::new()).await;
    let executor = Executor::start(&running.url, &token).await;
    executor.log("first\nsecond\n");
    executor.register().await;

    let refused = form(&running, "", "jobinfo/pageList", &[]).await;
    assert_eq!(refused["code"], 501, "{refused}");
    let wrong = form(&running, "", "login", &[("userName", "admin"), ("password", "123456")]).await;
    assert_eq!(wrong["code"], 500);
    let login = posted(&running, "login", &[("userName", "admin"), ("password", &running.token)]).send().await.unwrap();
    let cookie = login.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    assert!(cookie.starts_with("XXL_JOB_LOGIN_IDENTITY="), "{cookie}");

    let groups = form(&running, &cookie, "jobgroup/pageList", &[("start", "0"), ("length", "10")]).await;
    assert_eq!((&groups["recordsTotal"], &groups["data"][0]["appname"]), (&json!(1), &json!("mail")), "{groups}");
    let group = groups["data"][0]["id"].as_i64().unwrap().to_string();
    let job = [
        ("jobGroup", group.as_str()),
        ("jobDesc", "send mail"),
        ("author", "Li"),
        ("scheduleType", "CRON"),
        ("scheduleConf", "0 0 2 * * ?"),
        ("misfireStrategy", "FIRE_ONCE_NOW"),
        ("executorRouteStrategy", "ROUND"),
        ("executorHandler", "send"),
        ("executorBlockStrategy", "DISCARD_LATER"),
        ("executorTimeout", "30"),
        ("executorFailRetryCount", "1"),
        ("glueType", "BEAN"),
    ];
    let made = form(&running, &cookie, "jobinfo/add", &job).await;
    assert_eq!((&made["code"], &made["content"]), (&json!(200), &json!("1")), "{made}");
    let refused = form(&running, &cookie, "jobinfo/add", &job[..4]).await;
    assert_eq!(refused["code"], 500);

    assert_eq!(form(&running, &cookie, "jobinfo/start", &[("id", "1")]).await["code"], 200);
    let listed = form(
        &running,
        &cookie,
        "jobinfo/pageList",
        &[("jobGroup", &group), ("triggerStatus", "1"), ("executorHandler", "sen")],
    )
    .await;
    let row = &listed["data"][0];
    assert_eq!(
        (&listed["recordsFiltered"], &row["id"], &row["triggerStatus"]),
        (&json!(1), &json!(1), &json!(1)),
        "{listed}"
    );
    for (name, value) in
        job.iter().filter(|(name, _)| !matches!(*name, "jobGroup" | "executorTimeout" | "executorFailRetryCount"))
    {
        assert_eq!(row[name], *value, "{name}");
    }
    assert!(row["executorTimeout"] == 30 && row["triggerNextTime"].as_i64().unwrap() > 0, "{row}");
    let other =
        form(&running, &cookie, "jobinfo/pageList", &[("triggerStatus", "0"), ("pagesize", "10"), ("offset", "0")])
            .await;
    assert_eq!(other["data"]["total"], 0, "later releases ask and are answered otherwise: {other}");
    let next = form(
        &running,
        &cookie,
        "jobinfo/nextTriggerTime",
        &[("scheduleType", "CRON"), ("scheduleConf", "0 30 2 * * ?")],
    )
    .await;
    let times = next["content"].as_array().unwrap();
    assert!(times.len() == 5 && times[0].as_str().unwrap().ends_with(" 02:30:00"), "{next}");

    assert_eq!(
        form(&running, &cookie, "jobinfo/trigger", &[("id", "1"), ("executorParam", "x=1"), ("addressList", "")]).await
            ["code"],
        200
    );
    let order = executor.next("/run").await.body;
    assert_eq!((&order["executorParams"], &order["executorBlockStrategy"]), (&json!("x=1"), &json!("DISCARD_LATER")));
    let log_id = order["logId"].as_i64().unwrap();
    let at_work =
        form(&running, &cookie, "joblog/pageList", &[("jobGroup", "0"), ("jobId", "1"), ("logStatus", "3")]).await;
    assert_eq!(
        (&at_work["data"][0]["id"], &at_work["data"][0]["handleCode"]),
        (&json!(log_id), &json!(0)),
        "{at_work}"
    );
    executor.next("/log").await;
    let killed = form(&running, &cookie, "joblog/logKill", &[("id", &log_id.to_string())]).await;
    assert_eq!(killed["code"], 200, "{killed}");
    executor.next("/kill").await;
    executor.call_back(log_id, 500, "killed").await;
    let detail = async {
        loop {
            let part =
                form(&running, &cookie, "joblog/logDetailCat", &[("logId", &log_id.to_string()), ("fromLineNum", "1")])
                    .await;
            let part = part["content"].clone();
            if part["toLineNum"] == 2 {
                return part;
            }
        }
    };
    let part = tokio::time::timeout(super::PATIENCE, detail).await.unwrap();
    assert_eq!(part["logContent"], "first\nsecond\n");

    assert_eq!(form(&running, &cookie, "jobinfo/stop", &[("id", "1")]).await["code"], 200);
    assert_eq!(form(&running, &cookie, "jobgroup/remove", &[("id", &group)]).await["code"], 500, "it has a job");
    assert_eq!(form(&running, &cookie, "jobinfo/remove", &[("id", "1")]).await["code"], 200);
    let saved =
        form(&running, &cookie, "jobgroup/save", &[("appname", "new"), ("title", "New"), ("addressType", "0")]).await;
    assert!(saved["code"] == 200 && saved["msg"].as_str().unwrap().contains("rotate-token new"), "{saved}");
    // A page of another site sends the cookie of a browser in vain.
    let foreign = running.http.post(format!("{}/jobinfo/pageList", running.url)).header("Cookie", &cookie);
    let foreign = foreign.header("Origin", "http://evil.example").send().await.unwrap();
    assert_eq!(foreign.json::<Value>().await.unwrap()["code"], 501);
    running.stop().await;
}

/// What is to be sent back of a cookie that an answer sets.
fn pair(response: &reqwest::Response) -> String {
    response.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_login_ends_with_its_logout_and_is_none_to_the_console() {
    let running = Running::start_with(Settings { xxl_forms: true, ..Settings::default() }).await;
    let login = posted(&running, "login", &[("userName", "admin"), ("password", &running.token)]).send().await.unwrap();
    let cookie = pair(&login);
    assert_eq!(form(&running, &cookie, "jobgroup/pageList", &[]).await["recordsTotal"], 0);

    let session = format!("{}/api/v1/session", running.url);
    let console = async |cookie: String| {
        running.http.get(&session).header("Cookie", cookie).send().await.unwrap().status().as_u16()
    };
    let body = json!({"token": running.token}).to_string();
    let signed_in = running.http.post(&session).header("Content-Type", "application/json").body(body).send().await;
    let own = pair(&signed_in.unwrap());
    assert_eq!(console(own.clone()).await, 200);
    assert_eq!(console(cookie.replace("XXL_JOB_LOGIN_IDENTITY", "ms_session")).await, 401);
    let own = own.replace("ms_session", "XXL_JOB_LOGIN_IDENTITY");
    assert_eq!(form(&running, &own, "jobgroup/pageList", &[]).await["code"], 501);

    let foreign = posted(&running, "logout", &[]).header("Cookie", &cookie).header("Origin", "http://evil.example");
    assert_eq!(foreign.send().await.unwrap().json::<Value>().await.unwrap()["code"], 501);
    assert_eq!(form(&running, &cookie, "jobgroup/pageList", &[]).await["recordsTotal"], 0);
    assert_eq!(form(&running, &cookie, "logout", &[]).await["code"], 200);
    assert_eq!(form(&running, &cookie, "jobgroup/pageList", &[]).await["code"], 501, "a copy of it opens nothing");
    running.stop().await;
}

#[tokio::test]
async fn whoever_guesses_the_password_of_the_forms_is_slowed_down() {
    let running = Running::start_with(Settings { xxl_forms: true, ..Settings::default() }).await;
    let guess = async |path: &str| {
        let begun = std::time::Instant::now();
        let said = posted(&running, path, &[("password", "guess")]).send().await.unwrap();
        assert_eq!(said.json::<Value>().await.unwrap()["code"], 500);
        begun.elapsed()
    };
    for _ in 0..10 {
        guess("login").await;
    }
    for path in ["login", "auth/doLogin"] {
        assert!(guess(path).await >= std::time::Duration::from_secs(1), "{path}");
    }
    running.stop().await;
}

#[tokio::test]
async fn a_script_goes_to_executors_of_apps_that_allow_scripts() {
    let running = Running::start().await;
    let token = make_app(&running.client, Vec::new()).await;
    let executor = Executor::start(&running.url, &token).await;
    executor.register().await;
    let glue = json!({"language": "shell", "source": "echo $1\r\n", "remark": "first"});
    put(&running.client, json!({"name": "a", "xxl": {"app": "mail", "glue": glue, "params": "p"}})).await;
    let over = ended(&running.client, &start(&running.client, "a").await).await;
    let attempts = running.client.attempts(&over.id).await.unwrap();
    assert!(attempts[0].reason.as_deref().unwrap().contains("xxl.glue_off"), "{attempts:?}");
    assert_eq!((over.state, executor.count("/run")), (RunState::Failed, 0));

    let change = XxlAppChange { glue: Some(true), ..XxlAppChange::default() };
    assert!(running.client.change_xxl_app("mail", &change).await.unwrap().glue);
    let run = start(&running.client, "a").await;
    let first = executor.next("/run").await.body;
    assert_eq!(
        (&first["glueType"], &first["glueSource"], &first["executorHandler"]),
        (&json!("GLUE_SHELL"), &json!("echo $1\n"), &json!(""))
    );
    executor.call_back(first["logId"].as_i64().unwrap(), 200, "").await;
    assert_eq!(ended(&running.client, &run).await.state, RunState::Succeeded);

    // Another change of the job does not tell executors that the script is new.
    let glue = json!({"language": "shell", "source": "echo $1\n"});
    put(&running.client, json!({"name": "a", "retries": 1, "xxl": {"app": "mail", "glue": glue}})).await;
    start(&running.client, "a").await;
    let second = executor.next("/run").await.body;
    assert_eq!((&second["glueUpdatetime"], &second["executorParams"]), (&first["glueUpdatetime"], &json!("")));
    executor.call_back(second["logId"].as_i64().unwrap(), 200, "").await;
    running.stop().await;
}
