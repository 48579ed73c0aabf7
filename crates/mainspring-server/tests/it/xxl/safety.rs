//! What executors may not do: be too many, and name addresses where no executor is.

use mainspring_api::{ErrorCode, XxlAppChange, XxlAppSpec};
use mainspring_server::Settings;
use mainspring_tasks::{Allow, OutboundPolicy};
use serde_json::json;

use super::{make_app, put, say, start};
use crate::kit::{Running, code};

fn beat(address: &str) -> String {
    json!({"registryGroup": "EXECUTOR", "registryKey": "mail", "registryValue": address}).to_string()
}

fn within(exceptions: &[&str]) -> Settings {
    let allow = |policy: OutboundPolicy, text: &&str| policy.allow(text.parse::<Allow>().unwrap());
    Settings { executors: Some(exceptions.iter().fold(OutboundPolicy::default(), allow)), ..Settings::default() }
}

#[tokio::test]
async fn no_more_executors_register_than_the_app_may_have() {
    let running = Running::start().await;
    let token = make_app(&running.client, Vec::new()).await;
    assert_eq!(running.client.xxl_app("mail").await.unwrap().instances_max, 1_000);
    let change = XxlAppChange { instances_max: Some(2), ..XxlAppChange::default() };
    assert_eq!(running.client.change_xxl_app("mail", &change).await.unwrap().instances_max, 2);
    let register = async |port: u16| {
        let body = beat(&format!("http://10.0.0.1:{port}/"));
        say(&running, "/api/registry", Some(&token), &body).await.2
    };
    for port in [1, 2, 1] {
        assert_eq!(register(port).await["code"], 200, "{port}");
    }
    let refused = register(3).await;
    assert_eq!(refused["code"], 500);
    let said = "Illegal Argument: there are 2 executors of the app already, and no more may register";
    assert_eq!(refused["msg"], said);
    assert_eq!(running.client.xxl_app("mail").await.unwrap().instances.len(), 2);
    say(&running, "/api/registryRemove", Some(&token), &beat("http://10.0.0.1:1/")).await;
    assert_eq!(register(3).await["code"], 200, "one that goes makes room");
    let none = XxlAppChange { instances_max: Some(0), ..XxlAppChange::default() };
    assert_eq!(code(running.client.change_xxl_app("mail", &none).await), ErrorCode::FieldValue);
    running.stop().await;
}

#[tokio::test]
async fn executors_register_from_private_networks_and_never_from_where_none_is() {
    let running = Running::start().await;
    let token = make_app(&running.client, Vec::new()).await;
    let answers =
        async |running: &Running, address: &str| say(running, "/api/registry", Some(&token), &beat(address)).await.2;
    for address in
        ["http://10.1.2.3:9999/", "http://172.16.0.1:9999", "http://192.168.7.7:9999", "http://[fd00::7]:9999"]
    {
        assert_eq!(answers(&running, address).await["code"], 200, "{address}");
    }
    // The server of the test listens on this machine only.
    assert_eq!(answers(&running, "http://127.0.0.1:9999/").await["code"], 200);
    for address in [
        "http://169.254.169.254/",
        "http://[fe80::1]:80/",
        "http://0.0.0.0:80/",
        "http://[::ffff:169.254.169.254]/",
        "http://2852039166/",
    ] {
        let refused = answers(&running, address).await;
        assert_eq!(refused["code"], 500, "{address}");
        assert!(refused["msg"].as_str().unwrap().contains("--allow-executors"), "{refused}");
    }
    let entered = XxlAppSpec {
        name: "other".to_owned(),
        addresses: vec!["http://169.254.169.254/latest".to_owned()],
        ..XxlAppSpec::default()
    };
    let refused = running.client.create_xxl_app(&entered).await.unwrap_err();
    assert_eq!(refused.problem().unwrap().errors[0].pointer, "/addresses/0");
    running.stop().await;
}

#[tokio::test]
async fn a_name_that_stands_for_this_machine_is_not_called_unless_that_is_allowed() {
    let running = Running::start_with(within(&["10.0.0.0/8"])).await;
    let token = make_app(&running.client, Vec::new()).await;
    let register = async |address: &str| say(&running, "/api/registry", Some(&token), &beat(address)).await.2;
    assert_eq!(register("http://127.0.0.1:1/").await["code"], 500);
    assert_eq!(
        register("http://192.168.0.1:1/").await["code"],
        500,
        "what is named stands in the place of all private networks"
    );
    assert_eq!(register("http://10.0.0.1:1/").await["code"], 200);
    say(&running, "/api/registryRemove", Some(&token), &beat("http://10.0.0.1:1/")).await;
    // A name passes, and is looked at when it is called.
    assert_eq!(register("http://localhost:1/").await["code"], 200);
    put(&running.client, json!({"name": "a", "xxl": {"app": "mail", "handler": "h"}})).await;
    let run = start(&running.client, "a").await;
    let over = super::ended(&running.client, &run).await;
    let attempts = running.client.attempts(&over.id).await.unwrap();
    let reason = attempts[0].reason.as_deref().unwrap();
    assert!(reason.contains("xxl.unreached") && reason.contains("where nothing may be sent"), "{reason}");
    running.stop().await;
}
