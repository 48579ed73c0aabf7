//! Rules and silences as they are kept, and what they mean for a job.

use mainspring_api::AlertSilence;
use mainspring_core::alert::{Rule, Scope, Wants, wants};
use mainspring_core::job::Job;
use mainspring_schedule::Timestamp;
use mainspring_store::{Document, Result};
use serde::{Deserialize, Serialize};

use super::all;
use crate::app::App;
use crate::show::instant;

/// Kinds of documents: channels and rules by their names, silences by their ids.
pub(crate) const CHANNEL: &str = "alert_channel";
pub(crate) const RULE: &str = "alert_rule";
pub(crate) const SILENCE: &str = "alert_silence";

/// A rule as it is kept.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct KeptRule {
    /// Its name.
    pub(crate) name: String,
    /// Which jobs are meant.
    pub(crate) scope: Scope,
    /// What is told to whom.
    pub(crate) alerts: Vec<Rule>,
}

/// A silence as it is kept. It expires with its document.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Silence {
    /// Which jobs are meant.
    pub(crate) scope: Scope,
    /// Until when.
    pub(crate) until: Timestamp,
    /// Why.
    pub(crate) reason: String,
    /// Who asked for it.
    pub(crate) by: String,
}

impl Silence {
    /// As the API shows it.
    pub(crate) fn shown(&self, document: &Document) -> AlertSilence {
        AlertSilence {
            id: document.name.clone(),
            namespace: self.scope.namespace.clone(),
            job: self.scope.job.clone(),
            label: self.scope.labels.iter().next().map(|(key, value)| format!("{key}={value}")),
            until: instant(self.until),
            reason: self.reason.clone(),
            by: self.by.clone(),
            created_at: instant(document.at),
        }
    }
}

/// All rules and silences.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Book {
    pub(crate) rules: Vec<KeptRule>,
    silences: Vec<(Document, Silence)>,
}

impl Book {
    /// Reads them.
    pub(crate) async fn read(app: &App) -> Result<Self> {
        let rules =
            all(app, RULE).await?.iter().filter_map(|document| serde_json::from_str(&document.body).ok()).collect();
        let silences = all(app, SILENCE).await?.into_iter();
        let silences = silences.filter_map(|document| {
            let silence = serde_json::from_str(&document.body).ok()?;
            Some((document, silence))
        });
        Ok(Self { rules, silences: silences.collect() })
    }

    /// What is wanted of a job: by its own rules, and by those that cover it.
    pub(crate) fn wants(&self, job: &Job) -> Wants {
        let covering = self.rules.iter().filter(|rule| rule.scope.covers(job)).flat_map(|rule| &rule.alerts);
        wants(job.alerts.iter().chain(covering))
    }

    /// The rules that name a channel.
    pub(crate) fn users_of<'a>(&'a self, channel: &'a str) -> impl Iterator<Item = &'a str> {
        let names = move |rule: &&KeptRule| rule.alerts.iter().any(|it| it.channels.iter().any(|it| it == channel));
        self.rules.iter().filter(names).map(|rule| rule.name.as_str())
    }

    /// The silence that holds for a job, the longest if there are several.
    pub(crate) fn silence(&self, job: &Job, at: Timestamp) -> Option<(&Document, &Silence)> {
        let hold = self.silences.iter().filter(|(_, silence)| silence.until > at && silence.scope.covers(job));
        hold.max_by_key(|(_, silence)| silence.until).map(|(document, silence)| (document, silence))
    }
}
