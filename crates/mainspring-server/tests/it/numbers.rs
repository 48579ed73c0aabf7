//! What reading would change is refused. Two crates that must not know each other say which numbers are kept exactly; they say the same.

use mainspring_api::WriteOptions;
use mainspring_api::client::Precondition;
use serde_json::json;

use crate::kit::{Running, spec};

#[tokio::test]
async fn key_that_an_object_has_twice_is_refused_in_bodies() {
    let running = Running::start().await;
    let job = spec(json!({"name": "a", "noop": true, "keep_data": true}));
    running.client.put_job("default", &job, Precondition::None, WriteOptions::default()).await.unwrap();
    for (method, path, body) in
        [("PUT", "data", r#"{"n": {"k": 1, "k": 2}}"#), ("POST", "run", r#"{"input": {"n": [{"k": 1, "k": 2}]}}"#)]
    {
        let path = format!("/api/v1/namespaces/default/jobs/a/{path}");
        let answer = running.request(method, &path).header("content-type", "application/json").body(body).send().await;
        let (status, text) = (answer.as_ref().unwrap().status(), answer.unwrap().text().await.unwrap());
        assert_eq!(status, 400, "{path}: {text}");
        assert!(text.contains("document.duplicate_key"), "{path}: {text}");
    }
    running.stop().await;
}

#[test]
fn both_rules_of_exact_numbers_are_one() {
    let numbers = [
        "0",
        "-0",
        "7",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809",
        "1.10",
        "1e3",
        "1E+3",
        "0.1",
        "-0.0",
        "0.000",
        "9007199254740993.0",
        "9007199254740992.0",
        "1e400",
        "1e-400",
        "5e-324",
        "0.1000000000000000055",
        "123456789012345678901234567890",
        "123456789012345678901234567890.0",
        "1e30",
        "196892548847082.12",
        "196892548847082.13",
        "1.5e",
        "-",
    ];
    for number in numbers {
        let (api, tasks) = (mainspring_api::is_exact_number(number), mainspring_tasks::is_exact_number(number));
        assert_eq!(api, tasks, "{number}");
    }
}
