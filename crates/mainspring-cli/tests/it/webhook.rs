//! `mainspring webhook`: what it asks, and what it shows.

use serde_json::{Value, json};

use crate::canned::{Canned, json as answer, problem};
use crate::program::{Ended, Program};

fn asked(program: &Program, server: &Canned, arguments: &[&str]) -> Ended {
    let token = program.file("token", "secret");
    program.run(&[&["webhook"], arguments, &["--server", &server.url(), "--token-file", &token]].concat())
}

fn webhook(secret: Option<&str>) -> Value {
    let mut webhook = json!({"name": "ops", "url": "https://example.org/hook", "events": ["run.*"], "namespace": "shop",
        "job": "nightly", "created_at": "2026-01-01T00:00:00Z", "disabled_at": "2026-02-03T00:00:00Z",
        "disabled_reason": "every message has failed"});
    if let Some(secret) = secret {
        webhook["secret"] = secret.into();
    }
    webhook
}

#[test]
fn a_secret_is_printed_once_and_alone_on_stdout() {
    let program = Program::new();
    let server = Canned::start(|line| match line {
        "POST /api/v1/webhooks" => answer(201, webhook(Some("whsec_new")).to_string()),
        "POST /api/v1/webhooks/ops/secret" => problem(409, "webhook.secret", "the one before is valid until tomorrow"),
        "POST /api/v1/webhooks/ops/secret?force=true" => answer(200, webhook(Some("whsec_newer")).to_string()),
        _ => problem(404, "webhook.not_found", "there is no webhook called \"none\""),
    });
    let create = ["create", "ops", "--url", "https://example.org/hook", "--events", "run.*", "--only", "shop/nightly"];
    let made = asked(&program, &server, &create);
    assert_eq!((made.code, made.stdout.as_str()), (0, "whsec_new\n"), "{made:?}");
    assert!(made.stderr.contains("shown only here"), "{made:?}");
    let sent: Value = serde_json::from_str(&server.asked()[0].body).unwrap();
    let expected = json!({"name": "ops", "url": "https://example.org/hook", "events": ["run.*"], "namespace": "shop", "job": "nightly"});
    assert_eq!(sent, expected);
    asked(&program, &server, &["create", "all", "--url", "https://example.org", "--only", "shop"]);
    let sent: Value = serde_json::from_str(&server.asked()[1].body).unwrap();
    assert_eq!(sent, json!({"name": "all", "url": "https://example.org", "namespace": "shop"}));
    let early = asked(&program, &server, &["rotate", "ops"]);
    assert!(early.code != 0 && early.stderr.contains("error[webhook.secret]"), "{early:?}");
    assert_eq!(asked(&program, &server, &["rotate", "ops", "--force"]).stdout, "whsec_newer\n");
    let missing = asked(&program, &server, &["rotate", "none"]);
    assert_eq!(missing.code, 3, "{missing:?}");
    assert!(missing.stderr.contains("error[webhook.not_found]"), "{missing:?}");
}

#[test]
fn webhooks_and_deliveries_are_shown() {
    let program = Program::new();
    let delivery = json!({"id": "7", "message": "evt_4_0", "type": "run.failed", "state": "pending", "attempts": 2, "status": 503,
        "error": "it answered 503", "created_at": "2026-01-01T00:00:00Z", "next_at": "2026-01-01T00:00:30Z"});
    let server = Canned::start(move |line| match line.split('?').next().unwrap_or_default() {
        "GET /api/v1/webhooks" => answer(200, json!([webhook(None)]).to_string()),
        "GET /api/v1/webhooks/ops" => answer(200, webhook(None).to_string()),
        "GET /api/v1/webhooks/ops/deliveries" => answer(200, json!({"items": [delivery]}).to_string()),
        "POST /api/v1/webhooks/ops/test" => answer(202, delivery.to_string()),
        "POST /api/v1/webhooks/ops/resume" => answer(200, webhook(None).to_string()),
        _ => (204, "text/plain", String::new()),
    });
    for (arguments, parts) in [
        (&["list"][..], &["ops", "https://example.org/hook", "run.*", "shop/nightly"][..]),
        (&["show", "ops"], &["shop/nightly", "2026-02-03", "every message has failed"]),
        (&["deliveries", "ops"], &["evt_4_0", "run.failed", "pending", "503", "it answered 503"]),
        (&["test", "ops"], &["evt_4_0"]),
        (&["resume", "ops"], &["ops", "shop/nightly"]),
        (&["delete", "ops"], &[]),
    ] {
        let ended = asked(&program, &server, arguments);
        assert_eq!(ended.code, 0, "{arguments:?}: {ended:?}");
        assert!(parts.iter().all(|part| ended.stdout.contains(part)), "{arguments:?}: {}", ended.stdout);
    }
    assert_eq!(server.lines().last().unwrap(), "DELETE /api/v1/webhooks/ops");
}
