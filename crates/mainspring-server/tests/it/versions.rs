//! Versions of jobs, job files, and job files that are checked.

use mainspring_api::client::{Client, Precondition};
use mainspring_api::routes::BY_HEADER;
use mainspring_api::{ApplyAction, CheckResult, JobVersion, Page, PageFilter, RunNow, SavedFrom, WriteOptions};
use serde_json::{Value, json};

use crate::kit::{Running, spec};

const COMMIT: WriteOptions = WriteOptions { dry_run: false };
const JOB: &str = "/api/v1/namespaces/default/jobs/a";

async fn text(running: &Running, path: &str) -> (u16, String) {
    let answer = running.request("GET", path).send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

#[tokio::test]
async fn versions_are_listed_shown_and_restored() {
    let running = Running::start().await;
    let client = &running.client;
    let first = spec(json!({"name": "a", "noop": true, "description": "first"}));
    client.put_job("default", &first, Precondition::None, COMMIT).await.unwrap();
    // A run of the first version keeps it.
    let run = client.run_job("default", "a", &RunNow::default()).await.unwrap();
    client.wait_for_run(&run.id).await.unwrap();
    let second = spec(json!({"name": "a", "noop": true, "description": "second"}));
    client.put_job("default", &second, Precondition::None, COMMIT).await.unwrap();

    let list = async |query: &str| -> Page<JobVersion> {
        serde_json::from_str(&text(&running, &format!("{JOB}/versions{query}")).await.1).unwrap()
    };
    let page = list("").await;
    let shown: Vec<_> = page.items.iter().map(|it| (it.version, it.current, it.spec.description.as_deref())).collect();
    assert_eq!(shown, [(2, true, Some("second")), (1, false, Some("first"))]);
    let newest = list("?limit=1").await;
    let rest = list(&format!("?limit=1&cursor={}", newest.next_cursor.unwrap())).await;
    assert_eq!((rest.items[0].version, rest.next_cursor), (1, None));

    let (_, body) = text(&running, &format!("{JOB}/versions/1")).await;
    let one: JobVersion = serde_json::from_str(&body).unwrap();
    assert!(one.file.unwrap().contains("description: first"));
    let restored = client.put_job("default", &one.spec, Precondition::None, COMMIT).await.unwrap();
    assert_eq!((restored.version, restored.spec.description.as_deref()), (3, Some("first")));
    for missing in ["9", "x", "-1"] {
        let (status, body) = text(&running, &format!("{JOB}/versions/{missing}")).await;
        assert_eq!((status, body.contains("version.not_found")), (404, true), "{missing}");
    }
    running.stop().await;
}

#[tokio::test]
async fn versions_say_who_saved_them_and_from_where() {
    let running = Running::start().await;
    let newest = async || {
        let page: Page<JobVersion> =
            running.client.job_versions("default", "a", &PageFilter { limit: Some(1), cursor: None }).await.unwrap();
        let version = page.items.into_iter().next().unwrap();
        (version.version, version.saved_by.unwrap(), version.saved_from.unwrap())
    };
    let by = |version: u64, by: &str, from: SavedFrom| (version, by.to_owned(), from);
    let job = |description: &str| json!({"name": "a", "noop": true, "description": description});

    running.client.put_job("default", &spec(job("client")), Precondition::None, COMMIT).await.unwrap();
    assert_eq!(newest().await, by(1, "the access token", SavedFrom::Api), "our client in a program is a program");

    let patch = |said: String| {
        let request = running.request("PATCH", JOB).header("content-type", "application/merge-patch+json");
        request.header(BY_HEADER, said).json(&json!({"description": "patched"})).send()
    };
    assert_eq!(patch("安娜@north".to_owned()).await.unwrap().status(), 200);
    assert_eq!(newest().await, by(2, "安娜@north, with the access token", SavedFrom::Api));
    assert_eq!(patch("x".repeat(129)).await.unwrap().status(), 422);
    // Who saves what is there already makes no version, and is not noted.
    assert_eq!(patch("bob".to_owned()).await.unwrap().status(), 200);
    assert_eq!(newest().await.0, 2);

    let bundle = json!({"jobs": [job("applied")]});
    let applied = running.request("POST", "/api/v1/apply").header(BY_HEADER, "ci").json(&bundle).send().await.unwrap();
    assert_eq!(applied.status(), 200);
    assert_eq!(newest().await, by(3, "ci, with the access token", SavedFrom::Api));

    let cookie = signed_in(&running).await;
    let url = format!("{}{JOB}", running.url);
    let people = Client::builder(&running.url).program("mainspring/0.1.0").token(&running.token).build().unwrap();
    people.put_job("default", &spec(job("by hand")), Precondition::None, COMMIT).await.unwrap();
    assert_eq!(newest().await, by(4, "the access token", SavedFrom::Cli));

    let browser = running.http.put(url).header("cookie", &cookie).header("sec-fetch-site", "same-origin");
    assert_eq!(browser.json(&job("console")).send().await.unwrap().status(), 200);
    assert_eq!(newest().await, by(5, "a session of the console", SavedFrom::Console));
    running.stop().await;
}

/// The cookie of a browser.
async fn signed_in(running: &Running) -> String {
    let session = format!("{}/api/v1/session", running.url);
    let link: Value = running.request("POST", "/api/v1/session/link").send().await.unwrap().json().await.unwrap();
    let code = link["url"].as_str().unwrap().split_once('#').unwrap().1.to_owned();
    let answer = running.http.post(session).json(&json!({"code": code})).send().await.unwrap();
    answer.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned()
}

#[tokio::test]
async fn job_is_written_as_a_file_in_three_formats() {
    let running = Running::start().await;
    running
        .client
        .put_job("default", &spec(json!({"name": "a", "run": "date", "retries": 2})), Precondition::None, COMMIT)
        .await
        .unwrap();
    for (query, expected) in [("", "retries: 2"), ("?format=toml", "retries = 2"), ("?format=json", "\"retries\": 2")] {
        let (status, body) = text(&running, &format!("{JOB}/file{query}")).await;
        assert!(status == 200 && body.contains(expected), "{query}: {body}");
    }
    let (status, body) = text(&running, &format!("{JOB}/file?format=yml")).await;
    assert_eq!((status, body.contains("did you mean \\\"yaml\\\"?")), (400, true), "{body}");
    running.stop().await;
}

#[tokio::test]
async fn job_file_is_checked_line_by_line_and_compared() {
    let running = Running::start().await;
    running
        .client
        .put_job("default", &spec(json!({"name": "a", "run": "date", "retries": 2})), Precondition::None, COMMIT)
        .await
        .unwrap();
    let check = async |body: Value| -> CheckResult {
        let answer = running.request("POST", "/api/v1/namespaces/default/check").json(&body).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        answer.json().await.unwrap()
    };
    let wrong = check(json!({"text": "name: a\nrnu: date\nnoop: true\nschedule:\n  - cron: 0 25 * * *\n"})).await;
    let shown: Vec<_> =
        wrong.errors.iter().map(|it| (it.code.as_str(), it.position.as_ref().map(|at| (at.line, at.column)))).collect();
    assert_eq!(shown, [("field.unknown", Some((2, 1))), ("schedule.cron", Some((5, 11)))], "{:?}", wrong.errors);
    assert_eq!((wrong.valid, wrong.items.len(), wrong.jobs.len()), (false, 0, 1));
    assert_eq!(wrong.errors[0].hint.as_deref(), Some("did you mean \"run\"?"));

    let changed = check(json!({"text": "name: a\nrun: date\nretries: 3\n---\nname: b\nnoop: true\n"})).await;
    assert!(changed.valid && changed.errors.is_empty(), "{changed:?}");
    let items: Vec<_> = changed.items.iter().map(|it| (it.name.as_str(), it.action)).collect();
    assert_eq!(items, [("a", ApplyAction::Updated), ("b", ApplyAction::Created)]);
    let change = &changed.items[0].changes[0];
    assert_eq!(
        (change.pointer.as_str(), &change.before, &change.after),
        ("/retries", &Some(json!(2)), &Some(json!(3)))
    );
    let same = check(json!({"text": "{\"name\": \"a\", \"run\": \"date\", \"retries\": 2}", "format": "json"})).await;
    assert_eq!(same.items[0].action, ApplyAction::Unchanged);
    let broken = check(json!({"text": "name: [a"})).await;
    assert!(!broken.valid && broken.errors[0].position.is_some(), "{broken:?}");
    assert!(running.client.job("default", "b").await.is_err(), "nothing was saved");
    running.stop().await;
}
