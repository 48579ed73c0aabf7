//! Messages over HTTP: chat robots in their own forms, and signed JSON for everybody else. Pure: a call comes out, and what an
//! answer means.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hmac::{Hmac, KeyInit, Mac};
use mainspring_api::ErrorCode;
use mainspring_schedule::Timestamp;
use mainspring_tasks::HttpCall;
use serde_json::{Value, json};
use sha2::Sha256;

use super::Failure;
use super::message::Message;
use crate::webhooks;

/// How long a receiver may take to answer.
const ANSWER_MS: u64 = 15_000;
/// Bytes of a text that robots take: `WeCom` has the least, 4,096.
const WECOM_BYTES_MAX: usize = 4_000;
const TEXT_BYTES_MAX: usize = 15_000;

/// A channel with its secrets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Hook {
    /// `slack`, `wecom`, `dingtalk`, `feishu` or `webhook`.
    pub(super) kind: &'static str,
    pub(super) url: String,
    pub(super) secret: Option<String>,
}

/// The call that sends a message.
pub(super) fn call(hook: &Hook, id: &str, message: &Message, now: Timestamp) -> HttpCall {
    let secret = hook.secret.as_deref();
    let mut url = hook.url.clone();
    let body = match hook.kind {
        "slack" => json!({ "text": slack(message) }),
        "wecom" => json!({ "msgtype": "markdown", "markdown": { "content": markdown(message, WECOM_BYTES_MAX) } }),
        "dingtalk" => {
            if let Some(secret) = secret {
                url = dingtalk_url(&url, secret, now.as_millis());
            }
            json!({ "msgtype": "markdown", "markdown": { "title": message.subject, "text": markdown(message, TEXT_BYTES_MAX) } })
        }
        "feishu" => feishu(message, secret, webhooks::seconds(now)),
        _ => json!({
            "id": id,
            "type": format!("alert.{}", message.kind),
            "timestamp": crate::show::instant(now),
            "data": message,
        }),
    };
    let body = body.to_string();
    let mut headers = vec![("content-type", "application/json; charset=utf-8".to_owned())];
    if hook.kind == "webhook" {
        let seconds = webhooks::seconds(now);
        headers.extend([("webhook-id", id.to_owned()), ("webhook-timestamp", seconds.to_string())]);
        headers.extend(secret.map(|secret| ("webhook-signature", webhooks::signature(secret, id, seconds, &body))));
    }
    HttpCall {
        method: "POST".to_owned(),
        headers: headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        body: Some(body.into_bytes()),
        timeout_ms: ANSWER_MS,
        redirects_max: 0,
        ..HttpCall::get(url)
    }
}

/// What an answer of 2xx means: robots say in its body that they refuse.
pub(super) fn answered(kind: &str, body: &str) -> Result<(), Failure> {
    let (code, words) = match kind {
        "wecom" | "dingtalk" => ("errcode", "errmsg"),
        "feishu" => ("code", "msg"),
        _ => return Ok(()),
    };
    let answer: Value = serde_json::from_str(body).unwrap_or_default();
    match answer[code].as_i64().or_else(|| answer["StatusCode"].as_i64()) {
        Some(0) => Ok(()),
        Some(code) => {
            let words: String = answer[words].as_str().unwrap_or_default().chars().take(300).collect();
            Err(Failure::new(ErrorCode::AlertRefused, format!("the robot answered {code}: {words}")))
        }
        None => {
            let shown: String = body.chars().take(200).collect();
            Err(Failure::new(ErrorCode::AlertRefused, format!("the robot did not answer as such do: {shown}")))
        }
    }
}

fn hmac(key: &str, data: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).expect("a key may have any length");
    mac.update(data.as_bytes());
    BASE64_STANDARD.encode(mac.finalize().into_bytes())
}

/// `DingTalk` signs the time and the secret with the secret, in the address.
fn dingtalk_url(url: &str, secret: &str, ms: i64) -> String {
    let sign = hmac(secret, &format!("{ms}\n{secret}"));
    let sign = sign.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
    let joint = if url.contains('?') { '&' } else { '?' };
    format!("{url}{joint}timestamp={ms}&sign={sign}")
}

/// `Feishu` signs nothing, with the time and the secret as the key.
fn feishu(message: &Message, secret: Option<&str>, seconds: i64) -> Value {
    let colour = match message.kind.as_str() {
        "recovered" => "green",
        "test" => "blue",
        _ => "red",
    };
    let mut body = json!({
        "msg_type": "interactive",
        "card": {
            "header": { "title": { "tag": "plain_text", "content": message.subject }, "template": colour },
            "elements": [{ "tag": "markdown", "content": details(message, TEXT_BYTES_MAX) }],
        },
    });
    if let Some(secret) = secret {
        body["timestamp"] = seconds.to_string().into();
        body["sign"] = hmac(&format!("{seconds}\n{secret}"), "").into();
    }
    body
}

fn mark(message: &Message) -> &'static str {
    match message.kind.as_str() {
        "recovered" => "✅",
        "test" => "🔔",
        _ => "🔴",
    }
}

/// Slack reads its own markup, in which three characters are escaped.
fn slack(message: &Message) -> String {
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut lines = vec![format!("{} *{}*", mark(message), escaped(&message.subject))];
    lines.extend(message.facts.iter().map(|(name, value)| format!("{name}: {}", escaped(value))));
    if !message.log.is_empty() {
        lines.push(format!("```{}```", escaped(&message.log.join("\n").replace("```", "'''"))));
    }
    lines.extend(message.link.as_ref().map(|link| format!("<{}>", escaped(link))));
    lines.extend(message.commands.iter().map(|command| format!("`{}`", escaped(command))));
    cut(lines.join("\n"), TEXT_BYTES_MAX)
}

/// The Markdown of robots: few marks, and lines apart.
fn markdown(message: &Message, max: usize) -> String {
    cut(format!("**{} {}**\n\n{}", mark(message), message.subject, details(message, max)), max)
}

fn details(message: &Message, max: usize) -> String {
    let mut lines: Vec<String> = message.facts.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    lines.extend(message.link.as_ref().map(|link| format!("[{link}]({link})")));
    lines.extend(message.commands.iter().map(|command| format!("`{command}`")));
    lines.extend(message.log.iter().map(|line| format!("> {line}")));
    cut(lines.join("\n\n"), max)
}

fn cut(mut text: String, max: usize) -> String {
    if text.len() > max {
        text.truncate(text.floor_char_boundary(max));
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> Message {
        Message {
            kind: "opened".into(),
            subject: "pay/roll: run failed".into(),
            facts: vec![("Exit".into(), "3 <&>".into())],
            log: vec!["no ```space``` left".into()],
            link: Some("https://jobs.example/runs/1".into()),
            commands: vec!["mainspring run why 1".into()],
            ..Message::default()
        }
    }

    fn sent(kind: &'static str, secret: Option<&str>) -> (String, Value) {
        let hook = Hook { kind, url: "https://robot.example/send?key=1".into(), secret: secret.map(str::to_owned) };
        let call = call(&hook, "7", &message(), Timestamp::from_millis(1_700_000_000_000));
        (call.url, serde_json::from_slice(&call.body.unwrap()).unwrap())
    }

    #[test]
    fn slack_gets_text_in_its_markup() {
        let (_, body) = sent("slack", None);
        let expected = "🔴 *pay/roll: run failed*\nExit: 3 &lt;&amp;&gt;\n```no '''space''' left```\n<https://jobs.example/runs/1>\n`mainspring run why 1`";
        assert_eq!(body, json!({ "text": expected }));
    }

    #[test]
    fn wecom_gets_markdown_within_its_limit() {
        let (_, body) = sent("wecom", None);
        assert_eq!(body["msgtype"], "markdown");
        let text = body["markdown"]["content"].as_str().unwrap();
        assert!(text.starts_with("**🔴 pay/roll: run failed**\n\nExit: 3"), "{text}");
        let long = Message { log: vec!["ü".repeat(400); 20], ..message() };
        assert!(markdown(&long, WECOM_BYTES_MAX).len() <= 4_096);
    }

    #[test]
    fn dingtalk_is_signed_in_the_address() {
        // Computed with Python's hmac, base64 and urllib for the same time and secret.
        let (url, body) = sent("dingtalk", Some("SECabc"));
        let sign = "jcUpW0QmtKduN03n4JqQ0PBosVjqnM8gU7fIIvsDmCM%3D";
        assert_eq!(url, format!("https://robot.example/send?key=1&timestamp=1700000000000&sign={sign}"));
        assert_eq!(
            (&body["msgtype"], &body["markdown"]["title"]),
            (&json!("markdown"), &json!("pay/roll: run failed"))
        );
        assert_eq!(sent("dingtalk", None).0, "https://robot.example/send?key=1");
    }

    #[test]
    fn feishu_is_signed_in_the_body() {
        let (url, body) = sent("feishu", Some("abc"));
        assert_eq!(url, "https://robot.example/send?key=1");
        assert_eq!(body["timestamp"], "1700000000");
        assert_eq!(body["sign"], "VIS10b0EBvzzSdFnuk4tznEmK5wHaruvf/WnViv2yR4=");
        assert_eq!(body["card"]["header"]["template"], "red");
        assert!(sent("feishu", None).1.get("sign").is_none());
    }

    #[test]
    fn robots_refuse_in_the_body_of_their_answer() {
        for (kind, body, is_good) in [
            ("wecom", r#"{"errcode":0,"errmsg":"ok"}"#, true),
            ("dingtalk", r#"{"errcode":310000,"errmsg":"keywords not in content"}"#, false),
            ("feishu", r#"{"code":0,"msg":"success"}"#, true),
            ("feishu", r#"{"StatusCode":0,"StatusMessage":"success"}"#, true),
            ("feishu", r#"{"code":19021,"msg":"sign match fail"}"#, false),
            ("wecom", "<html>", false),
            ("slack", "ok", true),
            ("webhook", "", true),
        ] {
            assert_eq!(answered(kind, body).is_ok(), is_good, "{kind} {body}");
        }
        let refused = answered("dingtalk", r#"{"errcode":310000,"errmsg":"keywords"}"#).unwrap_err().to_string();
        assert_eq!(refused, "alert.refused: the robot answered 310000: keywords");
    }
}
