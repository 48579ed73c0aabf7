//! Rules: which conditions of which jobs are told to whom.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Condition, Target, Want, Wants};
use crate::job::Job;

/// Conditions, and who is told of them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Rule {
    /// What is told.
    pub on: Vec<Condition>,
    /// Names of channels.
    pub channels: Vec<String>,
    /// Addresses of e-mail, in place of those of the channels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<String>,
    /// After how many milliseconds it is told again, while it lasts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat_ms: Option<i64>,
    /// Nobody is told when it is over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub silent_recovery: bool,
}

/// Which jobs are meant: all conditions hold.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Scope {
    /// Only those of a namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Only one job of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Only those with all of these labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

impl Scope {
    /// Whether a job is meant.
    #[must_use]
    pub fn covers(&self, job: &Job) -> bool {
        self.namespace.as_ref().is_none_or(|namespace| *namespace == job.key.namespace)
            && self.job.as_ref().is_none_or(|name| *name == job.key.name)
            && self.labels.iter().all(|(key, value)| job.labels.get(key) == Some(value))
    }
}

/// Joins the rules that hold for a job. Conditions that several rules name are told to the targets of all, repeated as often as
/// the one that repeats most.
#[must_use]
pub fn wants<'a>(rules: impl IntoIterator<Item = &'a Rule>) -> Wants {
    let mut wants = Wants::new();
    for rule in rules {
        for condition in &rule.on {
            let new = || Want { targets: BTreeSet::new(), repeat_ms: None, recovered: false };
            let want = wants.entry(*condition).or_insert_with(new);
            let target = |channel: &String| Target { channel: channel.clone(), to: rule.to.clone() };
            want.targets.extend(rule.channels.iter().map(target));
            want.repeat_ms = [want.repeat_ms, rule.repeat_ms].into_iter().flatten().min();
            want.recovered |= !rule.silent_recovery;
        }
    }
    wants
}
