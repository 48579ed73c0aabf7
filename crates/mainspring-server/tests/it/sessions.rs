//! Browsers that are signed in.

use mainspring_server::Settings;
use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};

use crate::kit::Running;

const SESSION: &str = "/api/v1/session";
const LINK: &str = "/api/v1/session/link";
const NAMESPACE: &str = "/api/v1/namespaces/shop";

/// A request without the token.
fn plain(running: &Running, method: &str, path: &str) -> RequestBuilder {
    running.http.request(method.parse().unwrap(), format!("{}{path}", running.url))
}

async fn sign_in(running: &Running, with: Value) -> Response {
    plain(running, "POST", SESSION).json(&with).send().await.unwrap()
}

/// `name=value` of the cookie that an answer sets.
fn cookie(answer: &Response) -> String {
    let text = answer.headers()["set-cookie"].to_str().unwrap();
    text.split(';').next().unwrap().to_owned()
}

async fn code_of(answer: Response) -> (u16, String) {
    let status = answer.status().as_u16();
    let problem: Value = answer.json().await.unwrap();
    (status, problem["code"].as_str().unwrap().to_owned())
}

async fn link(running: &Running) -> String {
    let link: Value = running.request("POST", LINK).send().await.unwrap().json().await.unwrap();
    assert!(link["expires_at"].is_string(), "{link}");
    link["url"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_link_signs_one_browser_in_and_out_again() {
    let running = Running::start().await;
    let url = link(&running).await;
    let code = url.strip_prefix(&format!("{}/login#", running.url)).expect("the code is behind the #").to_owned();
    let answer = sign_in(&running, json!({"code": code})).await;
    assert_eq!(answer.status(), 204);
    let set = answer.headers()["set-cookie"].to_str().unwrap().to_owned();
    assert!(set.ends_with("; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict"), "{set}");
    let mine = cookie(&answer);

    // The code is used up.
    assert_eq!(code_of(sign_in(&running, json!({"code": code})).await).await, (401, "auth.code".into()));

    let ask = |method: &str, path: &str| plain(&running, method, path).header("cookie", &mine);
    let session: Value = ask("GET", SESSION).send().await.unwrap().json().await.unwrap();
    assert_eq!((&session["kind"], session["expires_at"].is_string()), (&json!("session"), true));
    let write = |site: &str| ask("PUT", NAMESPACE).header("sec-fetch-site", site).json(&json!({}));
    assert_eq!(write("same-origin").send().await.unwrap().status(), 201);

    // A page of another server writes nothing, on another port neither.
    for site in ["cross-site", "same-site"] {
        assert_eq!(code_of(write(site).send().await.unwrap()).await, (403, "auth.cross_site".into()));
    }
    let silent = ask("DELETE", NAMESPACE).send().await.unwrap();
    assert_eq!(code_of(silent).await, (403, "auth.cross_site".into()));
    let foreign = ask("DELETE", NAMESPACE).header("origin", "http://127.0.0.1:1").send().await.unwrap();
    assert_eq!(code_of(foreign).await, (403, "auth.cross_site".into()));
    let own = ask("DELETE", NAMESPACE).header("origin", &running.url).send().await.unwrap();
    assert_eq!(own.status(), 204);

    // Signed out is signed out, also for a copy of the cookie.
    let out = ask("DELETE", SESSION).header("origin", &running.url).send().await.unwrap();
    assert_eq!((out.status().as_u16(), cookie(&out).as_str()), (204, "ms_session="));
    assert_eq!(code_of(ask("GET", SESSION).send().await.unwrap()).await, (401, "auth.session_invalid".into()));
    running.stop().await;
}

#[tokio::test]
async fn the_token_signs_in_and_says_what_it_is() {
    let running = Running::start().await;
    let answer = sign_in(&running, json!({"token": running.token})).await;
    assert_eq!(answer.status(), 204);
    let mine = cookie(&answer);
    assert_eq!(plain(&running, "GET", "/api/v1/nodes").header("cookie", mine).send().await.unwrap().status(), 200);
    let session: Value = running.request("GET", SESSION).send().await.unwrap().json().await.unwrap();
    assert_eq!((&session["kind"], session.get("expires_at")), (&json!("token"), None));
    let cases = [
        (json!({"token": "ms_0"}), (401, "auth.invalid")),
        (json!({"code": "x"}), (401, "auth.code")),
        (json!({}), (422, "field.missing")),
        (json!({"code": "x", "token": running.token}), (422, "field.missing")),
        (json!({"password": "x"}), (422, "field.unknown")),
    ];
    for (with, (status, code)) in cases {
        let answer = sign_in(&running, with.clone()).await;
        assert!(!answer.headers().contains_key("set-cookie"), "{with}");
        assert_eq!(code_of(answer).await, (status, code.to_owned()), "{with}");
    }
    running.stop().await;
}

#[tokio::test]
async fn the_cookie_of_another_server_is_refused_and_taken_away() {
    let (here, there) = (Running::start().await, Running::start().await);
    let other = cookie(&sign_in(&there, json!({"token": there.token})).await);
    let mine = cookie(&sign_in(&here, json!({"token": here.token})).await);
    let tampered = mine.replace("ms_session=1.1", "ms_session=1.2");
    assert_ne!(tampered, mine);
    for bad in [other, tampered, "ms_session=x".to_owned()] {
        let answer = plain(&here, "GET", "/api/v1/nodes").header("cookie", &bad).send().await.unwrap();
        assert_eq!(cookie(&answer), "ms_session=", "{bad}");
        assert_eq!(code_of(answer).await, (401, "auth.session_invalid".into()), "{bad}");
    }
    // A token opens beside it.
    let both = here.request("GET", "/api/v1/nodes").header("cookie", "ms_session=x").send().await.unwrap();
    assert_eq!(both.status(), 200);
    here.stop().await;
    there.stop().await;
}

/// Nodes that share a store read each other's cookies; a reset of the token ends them.
#[tokio::test]
async fn sessions_hold_on_every_node_until_the_token_is_replaced() {
    let first = Running::start().await;
    let mine = cookie(&sign_in(&first, json!({"token": first.token})).await);
    let status = async |server: &mainspring_server::Server| {
        let url = format!("http://{}/api/v1/nodes", server.address());
        first.http.get(url).header("cookie", &mine).send().await.unwrap().status().as_u16()
    };
    let settings =
        |reset_token| Settings { listen: "127.0.0.1:0".parse().unwrap(), reset_token, ..Settings::default() };
    let start = async |reset| mainspring_server::Server::start(first.engine.clone(), settings(reset)).await.unwrap();
    let second = start(false).await;
    assert_eq!(status(&second).await, 200);
    let third = start(true).await;
    assert_eq!(status(&third).await, 401);
    for server in [second, third] {
        server.stop(std::time::Duration::from_secs(5)).await;
    }
    first.stop().await;
}

#[tokio::test]
async fn behind_a_proxy_links_and_cookies_are_those_of_the_public_address() {
    let settings = Settings { public_url: Some("https://jobs.example/ms/".to_owned()), ..Settings::default() };
    let running = Running::start_with(settings).await;
    assert!(running.server.login_link().starts_with("https://jobs.example/ms/login#"));
    let url = link(&running).await;
    let code = url.strip_prefix("https://jobs.example/ms/login#").unwrap();
    // The proxy passes the path on as it is; another one would take the prefix off.
    let answer = plain(&running, "POST", "/ms/api/v1/session").json(&json!({"code": code})).send().await.unwrap();
    let set = answer.headers()["set-cookie"].to_str().unwrap().to_owned();
    assert!(set.contains("; Path=/ms; ") && set.ends_with("; Secure"), "{set}");
    let mine = cookie(&answer);
    for path in ["/ms/api/v1/nodes", "/api/v1/nodes"] {
        assert_eq!(plain(&running, "GET", path).header("cookie", &mine).send().await.unwrap().status(), 200, "{path}");
    }
    let write = |origin: &str| {
        plain(&running, "PUT", "/ms/api/v1/namespaces/shop")
            .header("cookie", &mine)
            .header("origin", origin)
            .json(&json!({}))
    };
    assert_eq!(write("https://jobs.example").send().await.unwrap().status(), 201);
    assert_eq!(write(&running.url).send().await.unwrap().status(), 403);
    running.stop().await;

    let proxied = Running::start().await;
    let with = json!({"token": proxied.token});
    let answer = plain(&proxied, "POST", SESSION).header("x-forwarded-proto", "https").json(&with).send().await;
    assert!(answer.unwrap().headers()["set-cookie"].to_str().unwrap().ends_with("; Secure"));
    proxied.stop().await;

    for (base_path, public_url) in [("/a b", None), ("", Some("jobs.example"))] {
        let engine = mainspring_engine::Engine::start(
            std::sync::Arc::new(mainspring_store::MemoryStore::new()),
            mainspring_engine::Settings::default(),
        );
        let settings = Settings {
            listen: "127.0.0.1:0".parse().unwrap(),
            base_path: base_path.to_owned(),
            public_url: public_url.map(str::to_owned),
            ..Settings::default()
        };
        let engine = std::sync::Arc::new(engine.await.unwrap());
        let error = mainspring_server::Server::start(engine, settings).await.unwrap_err();
        assert!(matches!(error, mainspring_server::StartError::Site(_)), "{error}");
    }
}
