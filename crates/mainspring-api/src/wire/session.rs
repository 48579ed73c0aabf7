//! Signing in with a browser.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::words;
use crate::Timestamp;

/// What a session is begun with: one of the two.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignIn {
    /// The code of a login link: what follows its `#`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The access token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// With what a request was let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionKind {
    /// The cookie of a browser that is signed in.
    Session,
    /// The access token.
    Token,
    /// Something that this client does not know.
    #[serde(other)]
    Unknown,
}
words!(SessionKind: Session = "session", Token = "token", Unknown = "unknown");

/// Who asks, and whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct Session {
    /// With what the request was let in.
    pub kind: SessionKind,
    /// When the session ends unless a request renews it: 12 hours after the last one. Absent for a token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Name of the node that answers.
    pub node: String,
    /// Its version.
    pub version: String,
}

/// A link that signs one browser in, once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct LoginLink {
    /// To be opened in a browser. The code is behind the `#`, which no browser sends with a request.
    pub url: String,
    /// When it opens nothing any more, if it has not been used before.
    pub expires_at: Timestamp,
}
