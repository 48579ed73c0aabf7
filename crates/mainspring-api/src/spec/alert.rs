//! Who is told when a job goes wrong: rules of jobs, and rules, channels and silences of their own.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::is_false;

/// Conditions of a job, and the channels that are told of each. At least one condition and one channel.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertSpec {
    /// A run has failed, with no attempts left.
    #[serde(default, skip_serializing_if = "is_false")]
    pub failed: bool,
    /// So many runs have failed, one after another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    #[schema(minimum = 1, maximum = 1000)]
    pub failed_in_row: Option<u32>,
    /// A run was not started this long after it was due, as a duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<String>,
    /// A run takes longer than this, over all attempts, as a duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_longer: Option<String>,
    /// Fire times were missed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub misfired: bool,
    /// A run has not ended by its deadline.
    #[serde(default, skip_serializing_if = "is_false")]
    pub deadline_missed: bool,
    /// Names of the channels, at most 20.
    #[schemars(extend("maxItems" = 20))]
    pub channels: Vec<String>,
    /// Addresses of e-mail, in place of those of the channels; at most 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("maxItems" = 100))]
    pub to: Vec<String>,
    /// After how long they are told again while it lasts, as a duration of a minute or more; once when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<String>,
    /// Whether they are told when it is over; they are when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovered: Option<bool>,
}

impl AlertSpec {
    /// Whether a text may be an address of e-mail: `a@example.org`, or `A <a@example.org>`.
    ///
    /// ```
    /// use mainspring_api::AlertSpec;
    /// assert!(AlertSpec::is_address("Ops <ops@example.org>") && !AlertSpec::is_address("ops"));
    /// ```
    #[must_use]
    pub fn is_address(text: &str) -> bool {
        crate::check::alert::is_address(text)
    }
}

/// Alerts for many jobs. A job is meant if all of `namespace`, `job` and `labels` fit that are given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertRuleSpec {
    /// Name of the rule.
    pub name: String,
    /// Only jobs of this namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Only this job of the namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Only jobs with all of these labels; at most 20.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 20))]
    pub labels: BTreeMap<String, String>,
    /// What is told to whom; at most 50.
    #[schemars(extend("maxItems" = 50))]
    pub alerts: Vec<AlertSpec>,
}

/// Where alerts are sent. Exactly one of `email`, `slack`, `wecom`, `dingtalk`, `feishu` and `webhook`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertChannelSpec {
    /// Name of the channel.
    pub name: String,
    /// E-mail over SMTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<AlertEmail>,
    /// An incoming webhook of Slack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slack: Option<AlertHook>,
    /// A group robot of WeCom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wecom: Option<AlertHook>,
    /// A group robot of DingTalk, whose `secret` signs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dingtalk: Option<AlertHook>,
    /// A group robot of Feishu or Lark, whose `secret` signs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feishu: Option<AlertHook>,
    /// Any address: JSON is posted there, signed with `secret` as Standard Webhooks are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<AlertHook>,
}

/// E-mail over SMTP.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertEmail {
    /// Name of the SMTP server.
    pub server: String,
    /// Its port; 587 for `starttls`, 465 for `tls` and 25 for `none` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// How the connection is secured; `starttls` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security: Option<AlertSecurity>,
    /// Name to sign in with; nobody signs in when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// Password to sign in with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<AlertSecret>,
    /// The sender: `jobs@example.org`, or `Jobs <jobs@example.org>`.
    pub from: String,
    /// Whom it is sent to where a rule does not say; at most 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("maxItems" = 100))]
    pub to: Vec<String>,
}

/// How a connection to an SMTP server is secured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlertSecurity {
    /// It begins in clear, and nothing is sent before it is encrypted.
    #[default]
    Starttls,
    /// It is encrypted from the start.
    Tls,
    /// Not at all: for servers of the same machine or a trusted network. Nobody can sign in.
    None,
}

/// An address that messages are posted to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertHook {
    /// The address, which often is a secret itself.
    pub url: AlertSecret,
    /// What messages are signed with; not signed when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<AlertSecret>,
}

/// A secret: the text, or where servers find it. Texts are never shown again: `***` stands in their place, and leaves what is
/// there when it is applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(untagged)]
pub enum AlertSecret {
    /// The text.
    Text(String),
    /// Where it is.
    Found(AlertSecretPlace),
}

/// Where servers find a secret: one of both.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertSecretPlace {
    /// Name of a file in the folder `secrets` of each server's data folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The end of the name of an environment variable of each server: `SMTP` for `MAINSPRING_SECRET_SMTP`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<String>,
}

impl AlertSecret {
    /// Stands for a text that is not shown.
    pub const HIDDEN: &str = "***";

    /// Whether it stands for the text that is there.
    #[must_use]
    pub fn is_hidden(&self) -> bool {
        matches!(self, Self::Text(text) if text == Self::HIDDEN)
    }
}

impl Default for AlertSecret {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl AlertChannelSpec {
    /// The hooks that it names, with their kind.
    pub fn hooks(&self) -> impl Iterator<Item = (&'static str, &AlertHook)> {
        let all = [
            ("slack", &self.slack),
            ("wecom", &self.wecom),
            ("dingtalk", &self.dingtalk),
            ("feishu", &self.feishu),
            ("webhook", &self.webhook),
        ];
        all.into_iter().filter_map(|(kind, hook)| Some((kind, hook.as_ref()?)))
    }

    /// The kinds that it names: one, if it is right.
    #[must_use]
    pub fn kinds(&self) -> Vec<&'static str> {
        let email = self.email.is_some().then_some("email");
        email.into_iter().chain(self.hooks().map(|(kind, _)| kind)).collect()
    }

    /// Its secrets, with the members where they are.
    pub fn secrets_mut(&mut self) -> Vec<(&'static str, &mut AlertSecret)> {
        let mut found = Vec::new();
        if let Some(email) = &mut self.email {
            found.extend(email.password.as_mut().map(|secret| ("/email/password", secret)));
        }
        let hooks = [
            ("/slack/url", "/slack/secret", &mut self.slack),
            ("/wecom/url", "/wecom/secret", &mut self.wecom),
            ("/dingtalk/url", "/dingtalk/secret", &mut self.dingtalk),
            ("/feishu/url", "/feishu/secret", &mut self.feishu),
            ("/webhook/url", "/webhook/secret", &mut self.webhook),
        ];
        for (url, secret, hook) in hooks {
            let Some(hook) = hook else { continue };
            found.push((url, &mut hook.url));
            found.extend(hook.secret.as_mut().map(|it| (secret, it)));
        }
        found
    }
}
