//! What executors answer to us.

mod cut;

use serde_json::Value;

use crate::dialect::{Dialect, Evidence};
use crate::lenient;

/// An answer, with whatever could be read of it. Codes and shapes decide; texts are for people.
#[derive(Clone, PartialEq, Debug)]
pub struct Reply {
    /// The code; nothing for an answer that is no envelope: another HTTP status, text, HTML, or the array with which Go
    /// refuses a run.
    pub code: Option<i64>,
    /// A text for people: the message, or the beginning of what came in its place.
    pub message: Option<String>,
    /// What came along.
    pub payload: Payload,
    /// What its clock said when it answered, to the second, in milliseconds since 1970 UTC. Java's executors do not tell.
    pub date_ms: Option<i64>,
    /// Whether it is the beginning of a longer answer, of which the rest was not taken: that of a log.
    pub is_cut: bool,
}

/// What an envelope carries, and under which name.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Payload {
    /// Nothing.
    #[default]
    None,
    /// In `content`, as up to 3.2.
    Content(Value),
    /// In `data`, as from 3.3.
    Data(Value),
    /// In both, as pyxxl does.
    Both(Value),
}

/// How much of an answer that is no envelope is kept, in characters.
const TEXT_MAX: usize = 500;

impl Reply {
    /// Reads an answer. It never fails: what cannot be read is a failure with its text kept.
    #[must_use]
    pub fn parse(status: u16, body: &[u8]) -> Self {
        let json = serde_json::from_slice(body).unwrap_or_default();
        match (status, &json) {
            (200, Value::Object(fields)) if fields.get("code").is_some_and(|code| lenient::integer(code).is_some()) => {
                let code = fields.get("code").and_then(lenient::integer);
                Self {
                    code,
                    message: fields.get("msg").and_then(lenient::text),
                    payload: Payload::of(&json),
                    date_ms: None,
                    is_cut: false,
                }
            }
            (status, json) => {
                let message = Some(said(status, json, body));
                Self { code: None, message, payload: Payload::None, date_ms: None, is_cut: false }
            }
        }
    }

    /// Tells whether the executor did what it was asked.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.code == Some(200)
    }

    /// What the shape tells of the dialect.
    #[must_use]
    pub fn evidence(&self) -> Option<Evidence> {
        match self.payload {
            _ if self.code.is_none() => None,
            Payload::Content(_) => Some(Evidence::AtMost(Dialect::V2_3)),
            Payload::Data(_) => Some(Evidence::AtLeast(Dialect::V3_3)),
            Payload::None | Payload::Both(_) => Some(Evidence::AtLeast(Dialect::V2_2)),
        }
    }
}

impl Payload {
    fn of(envelope: &Value) -> Self {
        let part = |name: &str| envelope.get(name).filter(|value| !value.is_null()).cloned();
        match (part("content"), part("data")) {
            (None, None) => Self::None,
            (Some(content), None) => Self::Content(content),
            (None, Some(data)) => Self::Data(data),
            (Some(_), Some(data)) => Self::Both(data),
        }
    }

    /// The value, under whichever name it came.
    #[must_use]
    pub const fn value(&self) -> Option<&Value> {
        match self {
            Self::None => None,
            Self::Content(value) | Self::Data(value) | Self::Both(value) => Some(value),
        }
    }
}

/// Says what came in place of an envelope. Go refuses with a callback, whose message says why.
fn said(status: u16, json: &Value, body: &[u8]) -> String {
    let of_callback = json.get(0).and_then(|item| item.get("handleMsg")).and_then(lenient::text);
    if let Some(message) = of_callback {
        return message;
    }
    let text = String::from_utf8_lossy(body);
    let text: String = text.trim().chars().take(TEXT_MAX).collect();
    match (status, text.as_str()) {
        (200, "") => "an empty answer".to_owned(),
        (200, text) => format!("an answer that is no envelope: {text}"),
        (status, "") => format!("HTTP status {status}"),
        (status, text) => format!("HTTP status {status}: {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_envelope_is_a_failure_with_its_text() {
        for (status, body, message) in [
            (404, "404 page not found\n", "HTTP status 404: 404 page not found"),
            (413, "", "HTTP status 413"),
            (500, r#"{"code":200}"#, r#"HTTP status 500: {"code":200}"#),
            (201, r#"{"code":200}"#, r#"HTTP status 201: {"code":200}"#),
            (200, "", "an empty answer"),
            (200, "null", "an answer that is no envelope: null"),
            (200, r#"{"msg":"x"}"#, r#"an answer that is no envelope: {"msg":"x"}"#),
            (200, r#"[{"logId":1,"handleCode":500,"handleMsg":"Task not registered"}]"#, "Task not registered"),
        ] {
            let reply = Reply::parse(status, body.as_bytes());
            assert_eq!((reply.code, reply.message.as_deref()), (None, Some(message)), "{body}");
            assert!(!reply.is_success() && reply.evidence().is_none());
        }
        let long = Reply::parse(500, "ü".repeat(9_000).as_bytes()).message.unwrap();
        assert_eq!(long.chars().count(), TEXT_MAX + "HTTP status 500: ".len());
    }

    #[test]
    fn the_payload_is_found_under_either_name() {
        for (body, value, evidence) in [
            (r#"{"code":200}"#, None, Evidence::AtLeast(Dialect::V2_2)),
            (r#"{"code":"200","content":"a","msg":null}"#, Some("a"), Evidence::AtMost(Dialect::V2_3)),
            (r#"{"code":200,"data":"a","content":null}"#, Some("a"), Evidence::AtLeast(Dialect::V3_3)),
            (r#"{"code":200.0,"data":"a","content":"a"}"#, Some("a"), Evidence::AtLeast(Dialect::V2_2)),
        ] {
            let reply = Reply::parse(200, body.as_bytes());
            assert!(reply.is_success(), "{body}");
            assert_eq!(reply.payload.value().and_then(Value::as_str), value, "{body}");
            assert_eq!(reply.evidence(), Some(evidence), "{body}");
        }
    }
}
