//! Nothing but health answers without the token.

use mainspring_api::routes;
use mainspring_server::{Server, Settings};
use serde_json::{Value, json};

use crate::kit::{Running, plain_client};

/// A path with something in its places.
fn filled(template: &str) -> String {
    let places = template.matches('{').count();
    routes::path(template, &vec!["x"; places])
}

#[tokio::test]
async fn every_route_but_health_wants_the_token() {
    let running = Running::start().await;
    // A connection over which a valid token has come is not slowed down by others.
    running.request("GET", routes::NODES).send().await.unwrap();
    for (template, methods) in routes::ALL {
        for method in *methods {
            let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
            let url = format!("{}{}", running.url, filled(template));
            let plain = running.http.request(method.clone(), &url).send().await.unwrap();
            if routes::is_public(method.as_str(), template) {
                // Health, and signing in without a body.
                assert!([200, 503, 415].contains(&plain.status().as_u16()), "{method} {template}");
                continue;
            }
            assert_eq!(plain.status(), 401, "{method} {template}");
            assert!(plain.headers().contains_key("www-authenticate"));
            assert_eq!(plain.headers()["content-type"], "application/problem+json");
            let problem: Value = plain.json().await.unwrap();
            assert_eq!(problem["code"], "auth.missing");
            let wrong = running.http.request(method.clone(), &url).bearer_auth("ms_0").send().await.unwrap();
            assert_eq!(wrong.status(), 401, "{method} {template}");
            let problem: Value = wrong.json().await.unwrap();
            assert_eq!(problem["code"], "auth.invalid");
        }
    }
    running.stop().await;
}

#[tokio::test]
async fn the_shape_of_a_path_opens_nothing() {
    let running = Running::start().await;
    for path in [
        "/api/v1/nodes/",
        "//api/v1/nodes",
        "/api/v1//nodes",
        "/api/v1/nodes/.",
        "/livez/../api/v1/nodes",
        "/livez/api/v1/nodes",
        "/api/v1/%6eodes",
        "/API/v1/nodes",
        "/api/v1/nodes;livez",
        "/api/v1/nodes%2f",
        "/api/v1/nodes?x=/livez",
    ] {
        let answer = running.http.get(format!("{}{path}", running.url)).send().await.unwrap();
        assert!([401, 404].contains(&answer.status().as_u16()), "{path}: {}", answer.status());
    }
    let overridden = running.http.get(format!("{}/livez", running.url)).header("X-HTTP-Method-Override", "DELETE");
    assert_eq!(overridden.send().await.unwrap().status(), 200);
    running.stop().await;
}

#[tokio::test]
async fn every_documented_route_exists_and_no_other() {
    let document = mainspring_server::openapi();
    let mut found = Vec::new();
    let mut ids = std::collections::BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if !["get", "put", "post", "patch", "delete"].contains(&method.as_str()) {
                continue;
            }
            found.push(format!("{} {path}", method.to_uppercase()));
            let secured = operation.get("security").is_some();
            assert!(ids.insert(operation["operationId"].as_str().unwrap().to_owned()), "{method} {path}");
            assert_eq!(secured, !routes::is_public(&method.to_uppercase(), path), "{method} {path}");
        }
    }
    let mut listed: Vec<_> = routes::ALL
        .iter()
        .flat_map(|(path, methods)| methods.iter().map(move |method| format!("{method} {path}")))
        .collect();
    found.sort();
    listed.sort();
    assert_eq!(found, listed);
}

#[cfg(unix)]
#[tokio::test]
async fn the_first_start_keeps_the_token_in_a_private_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { data_dir: Some(folder.path().to_owned()), ..Settings::default() };
    let running = Running::start_with(settings.clone()).await;
    let file = folder.path().join("token");
    assert_eq!(running.server.token_file(), Some(&file));
    assert_eq!(std::fs::read_to_string(&file).unwrap().trim(), running.token);
    assert_eq!(running.token.len(), 3 + 64);
    for name in ["token", "server.json"] {
        let mode = std::fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    let kept = running.engine.store().setting("token_hash").await.unwrap().unwrap();
    assert!(!kept.contains(&running.token[3..]), "only the hash is kept");

    // A second server over the same store knows the token, and makes none.
    let again = Settings { listen: "127.0.0.1:0".parse().unwrap(), ..settings };
    let second = Server::start(running.engine.clone(), again.clone()).await.unwrap();
    assert_eq!(second.first_token(), None);
    second.stop(std::time::Duration::from_secs(5)).await;

    // A reset makes a new one, and the old one is worth nothing.
    let reset = Server::start(running.engine.clone(), Settings { reset_token: true, ..again }).await.unwrap();
    let new = reset.first_token().unwrap().to_owned();
    let ask =
        |token: String| running.http.get(format!("http://{}/api/v1/nodes", reset.address())).bearer_auth(token).send();
    assert_eq!(ask(new.clone()).await.unwrap().status(), 200);
    assert_eq!(ask(running.token.clone()).await.unwrap().status(), 401);
    assert_eq!(std::fs::read_to_string(&file).unwrap().trim(), new);
    reset.stop(std::time::Duration::from_secs(5)).await;
    assert!(!folder.path().join("server.json").exists());
    running.stop().await;
}

#[tokio::test]
async fn nodes_are_given_the_token_they_share() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let shared = "s".repeat(32);
    let good = file("good", &format!("{shared}\n"));
    let engine = mainspring_engine::Engine::start(
        std::sync::Arc::new(mainspring_store::MemoryStore::new()),
        mainspring_engine::Settings::default(),
    );
    let engine = std::sync::Arc::new(engine.await.unwrap());
    let settings = |token_file: &std::path::Path, reset_token| Settings {
        listen: "127.0.0.1:0".parse().unwrap(),
        data_dir: Some(folder.path().to_owned()),
        token_file: Some(token_file.to_owned()),
        reset_token,
        ..Settings::default()
    };
    let start = async |file: &std::path::Path, reset| Server::start(engine.clone(), settings(file, reset)).await;
    let asked = async |server: &Server, token: &str| {
        let url = format!("http://{}/api/v1/nodes", server.address());
        crate::kit::plain_client().get(url).bearer_auth(token).send().await.unwrap().status().as_u16()
    };

    // The first start takes it, and neither makes nor writes one; the second finds it to be the same.
    for _ in 0..2 {
        let server = start(&good, false).await.unwrap();
        assert_eq!((server.first_token(), server.token_file()), (None, Some(&good)));
        assert_eq!((asked(&server, &shared).await, asked(&server, "s").await), (200, 401));
        assert!(!folder.path().join("token").exists());
    }
    let other = file("other", &"o".repeat(32));
    let cases = [
        (other.clone(), "holds another access token"),
        (file("short", "s"), "at least 32"),
        (file("odd", &"ä".repeat(32)), "visible ASCII"),
        (folder.path().join("none"), "No such file"),
    ];
    for (path, expected) in cases {
        let error = start(&path, false).await.unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains(path.to_str().unwrap()), "{error}");
        assert!(!error.contains("sssss") && !error.contains("ooooo"), "{error}");
    }
    let server = start(&other, true).await.unwrap();
    assert_eq!((asked(&server, &"o".repeat(32)).await, asked(&server, &shared).await), (200, 401));
}

/// The token for scripts.
const FOR_SCRIPTS: &str = "for-scripts-and-for-all-else-----";

#[tokio::test]
async fn scripts_are_changed_by_their_own_token_where_they_have_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scripts");
    std::fs::write(&file, FOR_SCRIPTS).unwrap();
    let running = Running::start_with(Settings { script_token_file: Some(file), ..Settings::default() }).await;
    let (url, ordinary) = (format!("http://{}/api/v1", running.server.address()), running.token.clone());
    let send = async |method: &str, path: &str, token: &str, body: serde_json::Value| {
        let request = crate::kit::plain_client().request(method.parse().unwrap(), format!("{url}/{path}"));
        let answer = request.bearer_auth(token).json(&body).send().await.unwrap();
        let status = answer.status().as_u16();
        (status, answer.text().await.unwrap())
    };
    let job = |source: &str| json!({"name": "a", "script": {"language": "shell", "source": source}});
    let workflow = |source: &str| json!({"jobs": [{"name": "w", "tasks": {"t": {"script": {"language": "shell", "source": source}}}}]});
    let flow = |source: &str| {
        json!({"flow": "f", "components": {
            "make": {"generate": {}, "schedule": "10 sec"},
            "do": {"script": {"language": "shell", "source": source}, "event": true, "end": ["success", "failure"]}},
            "connections": [{"from": "make", "to": "do"}]})
    };
    let (jobs, flows) = ("namespaces/default/jobs/a", "namespaces/default/flows/f");
    for (method, path, body) in
        [("PUT", jobs, job("one")), ("POST", "apply", workflow("one")), ("PUT", flows, flow("one"))]
    {
        let (status, text) = send(method, path, &ordinary, body.clone()).await;
        assert_eq!(status, 403, "{path}: {text}");
        assert!(text.contains("auth.forbidden") && text.contains("add and change scripts"), "{text}");
        let (status, text) = send(method, path, FOR_SCRIPTS, body.clone()).await;
        assert!(status < 300, "{path}: {text}");
        let (status, text) = send(method, path, &ordinary, body).await;
        assert!(status < 300, "the same script is no change: {path}: {text}");
    }
    let (status, text) = send("PATCH", jobs, &ordinary, json!({"description": "x"})).await;
    assert_eq!(status, 200, "{text}");
    let (status, _) = send("PATCH", jobs, &ordinary, json!({"script": {"source": "two"}})).await;
    assert_eq!(status, 403);
    let (status, text) = send("PATCH", jobs, FOR_SCRIPTS, json!({"script": {"source": "two"}})).await;
    assert_eq!(status, 200, "{text}");
    let (status, text) = send("GET", "namespaces/default/jobs/a/versions", &ordinary, json!(null)).await;
    assert!(status == 200 && text.contains("the token for scripts"), "every edit is kept with who made it: {text}");
    running.stop().await;
}

#[tokio::test]
async fn a_port_in_use_is_said() {
    let running = Running::start().await;
    let settings = Settings { listen: running.server.address(), ..Settings::default() };
    let error = Server::start(running.engine.clone(), settings).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("cannot listen on 127.0.0.1:") && text.contains("another program listens there"), "{text}");
    running.stop().await;
}

#[tokio::test]
async fn silent_connections_lock_nobody_out() {
    let running = Running::start_with(Settings { connections: Some(8), ..Settings::default() }).await;
    let address = running.server.address();
    let mut silent = Vec::new();
    for _ in 0..40 {
        silent.push(tokio::net::TcpStream::connect(address).await.unwrap());
        // Half a head is no word either.
        tokio::io::AsyncWriteExt::write_all(silent.last_mut().unwrap(), b"GET / HTTP/1.1\r\n").await.unwrap();
    }
    let limit = std::time::Duration::from_secs(10);
    for _ in 0..20 {
        let answer = plain_client().get(format!("{}/livez", running.url)).timeout(limit).send().await.unwrap();
        assert_eq!(answer.status(), 200);
    }
    drop(silent);
    running.stop().await;
}

#[tokio::test]
async fn health_is_answered_when_all_connections_are_at_work() {
    let running = Running::start_with(Settings { connections: Some(2), ..Settings::default() }).await;
    let follow = || running.request("GET", "/api/v1/events").header("accept", "text/event-stream").send();
    let streams = [follow().await.unwrap(), follow().await.unwrap()];
    assert!(streams.iter().all(|stream| stream.status() == 200));
    let get = |path: &str| plain_client().get(format!("{}{path}", running.url)).bearer_auth(&running.token).send();
    assert_eq!(get("/livez").await.unwrap().status(), 200);
    let busy = get("/api/v1/namespaces/-/jobs").await.unwrap();
    assert_eq!((busy.status().as_u16(), busy.headers()["retry-after"].to_str().unwrap()), (503, "1"));
    drop(streams);
    running.stop().await;
}

#[tokio::test]
async fn refused_tokens_are_counted_and_slowed_down() {
    let running = Running::start().await;
    let url = format!("{}/api/v1/namespaces/-/jobs", running.url);
    let guess = async || running.http.get(&url).bearer_auth("guess").send().await.unwrap().status().as_u16();
    for _ in 0..10 {
        assert_eq!(guess().await, 401);
    }
    let begun = std::time::Instant::now();
    assert_eq!(guess().await, 401);
    assert!(begun.elapsed() >= std::time::Duration::from_secs(1), "the eleventh waits");
    let text = running.request("GET", "/metrics").send().await.unwrap().text().await.unwrap();
    assert!(text.contains("mainspring_http_refused_total{result=\"invalid\"} 11\n"), "{text}");
    running.stop().await;
}
