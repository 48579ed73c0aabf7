//! Rules of alerts beyond their shape.

use super::name::name_problem;
use crate::{
    AlertChannelSpec, AlertRuleSpec, AlertSecret, AlertSecurity, AlertSpec, ErrorCode, Problem, is_valid_name,
};

/// Returns everything that is wrong with a rule beyond its shape; pointers begin at the rule.
pub fn check_alert_rule(spec: &AlertRuleSpec) -> Vec<Problem> {
    let mut problems = Vec::new();
    name_problem("/name", &spec.name, &mut problems);
    for (pointer, name) in [("/namespace", &spec.namespace), ("/job", &spec.job)] {
        if let Some(name) = name {
            name_problem(pointer, name, &mut problems);
        }
    }
    if spec.job.is_some() && spec.namespace.is_none() {
        problems.push(wrong("a job is named with its namespace", "/job".into()));
    }
    if spec.alerts.is_empty() {
        problems.push(wrong("a rule has at least one entry of alerts", "/alerts".into()));
    }
    check_alerts(&spec.alerts, &mut problems);
    problems
}

/// Checks the `alerts` of a job or a rule.
pub(super) fn check_alerts(alerts: &[AlertSpec], problems: &mut Vec<Problem>) {
    for (index, alert) in alerts.iter().enumerate() {
        let place = format!("/alerts/{index}");
        let has_condition = alert.failed
            || alert.misfired
            || alert.deadline_missed
            || alert.failed_in_row.is_some()
            || alert.late.is_some()
            || alert.runs_longer.is_some();
        if !has_condition {
            let message =
                "an alert names at least one of failed, failed_in_row, late, runs_longer, misfired, deadline_missed";
            problems.push(wrong(message, place.clone()));
        }
        if alert.channels.is_empty() {
            problems.push(wrong("an alert names at least one channel", format!("{place}/channels")));
        }
        for (at, channel) in alert.channels.iter().enumerate() {
            name_problem(format!("{place}/channels/{at}"), channel, problems);
        }
        for (at, address) in alert.to.iter().enumerate() {
            address_problem(&format!("{place}/to/{at}"), address, problems);
        }
    }
}

/// Returns everything that is wrong with a channel beyond its shape; pointers begin at the channel.
pub fn check_alert_channel(spec: &AlertChannelSpec) -> Vec<Problem> {
    let mut problems = Vec::new();
    name_problem("/name", &spec.name, &mut problems);
    match spec.kinds().as_slice() {
        [_] => {}
        [] => {
            problems.push(wrong("a channel has one of email, slack, wecom, dingtalk, feishu, webhook", String::new()))
        }
        [_, second, ..] => problems.push(wrong("a channel is of one kind alone", format!("/{second}"))),
    }
    if let Some(email) = &spec.email {
        if email.server.trim().is_empty() || email.server.contains(|odd: char| odd.is_whitespace() || odd == '/') {
            problems
                .push(wrong("the name of an SMTP server is needed, such as smtp.example.org", "/email/server".into()));
        }
        address_problem("/email/from", &email.from, &mut problems);
        for (at, address) in email.to.iter().enumerate() {
            address_problem(&format!("/email/to/{at}"), address, &mut problems);
        }
        if email.username.is_some() != email.password.is_some() {
            problems.push(wrong("username and password are given together", "/email/password".into()));
        }
        if email.username.is_some() && email.security == Some(AlertSecurity::None) {
            problems.push(wrong("nobody signs in over a connection that is not encrypted", "/email/security".into()));
        }
    }
    for (kind, hook) in spec.hooks() {
        if let AlertSecret::Text(url) = &hook.url
            && !hook.url.is_hidden()
            && !(url.starts_with("https://") || url.starts_with("http://"))
        {
            problems.push(wrong("the address begins with https:// or http://", format!("/{kind}/url")));
        }
        if hook.secret.is_some() && !matches!(kind, "dingtalk" | "feishu" | "webhook") {
            problems.push(wrong("messages of this kind are not signed", format!("/{kind}/secret")));
        }
    }
    let mut spec = spec.clone();
    for (pointer, secret) in spec.secrets_mut() {
        match secret {
            AlertSecret::Text(text) if text.is_empty() => problems.push(wrong("the secret is empty", pointer.into())),
            AlertSecret::Text(_) => {}
            AlertSecret::Found(place) => match (&place.file, &place.env) {
                (Some(name), None) if is_valid_name(name) => {}
                (None, Some(name)) if is_variable(name) => {}
                (Some(_), None) => {
                    problems.push(wrong("a file is named without its folder", format!("{pointer}/file")))
                }
                (None, Some(_)) => {
                    let message = "the end of a variable's name has letters, digits and '_' only";
                    problems.push(wrong(message, format!("{pointer}/env")));
                }
                _ => problems.push(wrong("a secret has one of file and env", pointer.into())),
            },
        }
    }
    problems
}

fn is_variable(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Roughly: mail servers know better.
pub(crate) fn is_address(address: &str) -> bool {
    let inner = address.rsplit_once('<').map_or(address, |(_, rest)| rest.trim_end_matches('>'));
    let parts = inner.rsplit_once('@');
    parts.is_some_and(|(name, host)| !name.is_empty() && !host.is_empty() && !name.contains('@'))
        && !inner.contains(char::is_whitespace)
        && !address.contains(char::is_control)
        && address.len() <= 320
}

fn address_problem(pointer: &str, address: &str, problems: &mut Vec<Problem>) {
    if !is_address(address) {
        let message = format!("\"{}\" is no address of e-mail", address.escape_debug());
        problems.push(wrong(&message, pointer.to_owned()));
    }
}

fn wrong(message: &str, pointer: String) -> Problem {
    Problem::new(ErrorCode::FieldValue, message).at(pointer)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn places(problems: &[Problem]) -> Vec<&str> {
        problems.iter().map(|problem| problem.pointer.as_str()).collect()
    }

    #[test]
    fn a_channel_is_of_one_kind_and_complete() {
        let email = |more: Value| {
            let mut email = json!({"server": "smtp.example.org", "from": "Jobs <jobs@example.org>"});
            email.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            json!({"name": "a", "email": email})
        };
        let hook = "https://example.org/x";
        for (spec, expected) in [
            (email(json!({})), &[][..]),
            (email(json!({"username": "a", "password": {"file": "smtp"}, "to": ["a@b.c"]})), &[]),
            (email(json!({"username": "a"})), &["/email/password"]),
            (email(json!({"username": "a", "password": "x", "security": "none"})), &["/email/security"]),
            (
                email(json!({"to": ["a", "a@b.c", "a b@c.d"], "from": "x"})),
                &["/email/from", "/email/to/0", "/email/to/2"],
            ),
            (json!({"name": "a"}), &[""]),
            (json!({"name": "a", "slack": {"url": hook}, "feishu": {"url": hook}}), &["/feishu"]),
            (
                json!({"name": "a/b", "slack": {"url": "ftp://x", "secret": "s"}}),
                &["/name", "/slack/url", "/slack/secret"],
            ),
            (json!({"name": "a", "dingtalk": {"url": "***", "secret": {"env": "DING"}}}), &[]),
            (
                json!({"name": "a", "webhook": {"url": {"file": "../x"}, "secret": {}}}),
                &["/webhook/url/file", "/webhook/secret"],
            ),
            (
                json!({"name": "a", "webhook": {"url": {"env": "A B"}, "secret": ""}}),
                &["/webhook/url/env", "/webhook/secret"],
            ),
        ] {
            let read: AlertChannelSpec = serde_json::from_value(spec.clone()).unwrap();
            assert_eq!(places(&check_alert_channel(&read)), expected, "{spec}");
        }
    }

    #[test]
    fn a_rule_says_what_is_told_to_whom() {
        for (spec, expected) in [
            (json!({"name": "a", "alerts": [{"failed": true, "channels": ["ops"]}]}), &[][..]),
            (json!({"name": "a", "alerts": []}), &["/alerts"]),
            (
                json!({"name": "a", "job": "x", "alerts": [{"channels": []}]}),
                &["/job", "/alerts/0", "/alerts/0/channels"],
            ),
            (
                json!({"name": "a", "alerts": [{"late": "1m", "channels": ["a b"], "to": ["x"]}]}),
                &["/alerts/0/channels/0", "/alerts/0/to/0"],
            ),
        ] {
            let read: AlertRuleSpec = serde_json::from_value(spec.clone()).unwrap();
            assert_eq!(places(&check_alert_rule(&read)), expected, "{spec}");
        }
    }
}
