//! An HTTP request as a task.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::OneOrMany;

/// An HTTP request; the run succeeds when the status is an expected one.
///
/// Loopback, private and link-local addresses are refused unless the server's settings allow them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HttpTask {
    /// `http://` or `https://` address.
    pub url: String,
    /// Method; `GET` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Request headers, at most 250.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 250))]
    pub headers: BTreeMap<String, String>,
    /// Request body: text is sent as it is, anything else as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    /// Expected status: a code (`204`), a class (`"2xx"`), or a list of these, of at most 500; `"2xx"` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maxItems" = 500))]
    pub expect: Option<OneOrMany<Status>>,
    /// Time the exchange may take, as a duration; 30 s when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<String>,
    /// Whether the server's certificate is checked; `true` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify_tls: Option<bool>,
    /// Redirects that are followed, 0 to 3; 3 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 3))]
    #[schema(maximum = 3)]
    pub max_redirects: Option<u32>,
}

/// An expected status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(untagged)]
pub enum Status {
    /// One code, 100 to 599.
    Code(u16),
    /// A class: `1xx` to `5xx`.
    Class(String),
}

impl Status {
    /// Tells whether `code` is expected. A class that is no class expects nothing.
    pub fn matches(&self, code: u16) -> bool {
        match self {
            Self::Code(expected) => *expected == code,
            Self::Class(class) => Self::class_digit(class).is_some_and(|digit| code / 100 == digit),
        }
    }

    /// Returns the leading digit of a class such as `2xx`.
    pub(crate) fn class_digit(class: &str) -> Option<u16> {
        match class.as_bytes() {
            [digit @ b'1'..=b'5', b'x', b'x'] => Some(u16::from(digit - b'0')),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_matches_its_code_or_its_class() {
        let cases = [
            (Status::Code(204), 204, true),
            (Status::Code(204), 200, false),
            (Status::Class("2xx".into()), 299, true),
            (Status::Class("2xx".into()), 300, false),
            (Status::Class("xx".into()), 200, false),
            (Status::Class("+2xx".into()), 200, false),
        ];
        for (status, code, expected) in cases {
            assert_eq!(status.matches(code), expected, "{status:?} {code}");
        }
    }
}
