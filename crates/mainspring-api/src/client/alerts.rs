//! Alerts.

use super::{Client, ClientError, Precondition};
use crate::{
    AlertChannel, AlertChannelSpec, AlertDelivery, AlertDeliveryFilter, AlertFilter, AlertRule, AlertRuleSpec,
    AlertSilence, AlertSilenceSpec, OpenAlert, Page, routes,
};

impl Client {
    /// Lists what is wrong now.
    pub async fn alerts(&self, filter: &AlertFilter) -> Result<Vec<OpenAlert>, ClientError> {
        self.get(routes::ALERTS, filter).await
    }

    /// Lists the channels.
    pub async fn alert_channels(&self) -> Result<Vec<AlertChannel>, ClientError> {
        self.get(routes::ALERT_CHANNELS, &()).await
    }

    /// Returns a channel.
    pub async fn alert_channel(&self, name: &str) -> Result<AlertChannel, ClientError> {
        self.get(&routes::path(routes::ALERT_CHANNEL, &[name]), &()).await
    }

    /// Saves a channel.
    pub async fn put_alert_channel(&self, spec: &AlertChannelSpec) -> Result<AlertChannel, ClientError> {
        self.put(&routes::path(routes::ALERT_CHANNEL, &[&spec.name]), spec, Precondition::None, &()).await
    }

    /// Deletes a channel that no rule names.
    pub async fn delete_alert_channel(&self, name: &str) -> Result<(), ClientError> {
        self.delete(&routes::path(routes::ALERT_CHANNEL, &[name]), Precondition::None, &()).await
    }

    /// Sends a channel a message now, and returns what came of it.
    pub async fn test_alert_channel(&self, name: &str) -> Result<AlertDelivery, ClientError> {
        self.post(&routes::path(routes::ALERT_CHANNEL_TEST, &[name]), &(), &()).await
    }

    /// Lists the rules.
    pub async fn alert_rules(&self) -> Result<Vec<AlertRule>, ClientError> {
        self.get(routes::ALERT_RULES, &()).await
    }

    /// Returns a rule.
    pub async fn alert_rule(&self, name: &str) -> Result<AlertRule, ClientError> {
        self.get(&routes::path(routes::ALERT_RULE, &[name]), &()).await
    }

    /// Saves a rule.
    pub async fn put_alert_rule(&self, spec: &AlertRuleSpec) -> Result<AlertRule, ClientError> {
        self.put(&routes::path(routes::ALERT_RULE, &[&spec.name]), spec, Precondition::None, &()).await
    }

    /// Deletes a rule.
    pub async fn delete_alert_rule(&self, name: &str) -> Result<(), ClientError> {
        self.delete(&routes::path(routes::ALERT_RULE, &[name]), Precondition::None, &()).await
    }

    /// Lists the silences that hold.
    pub async fn alert_silences(&self) -> Result<Vec<AlertSilence>, ClientError> {
        self.get(routes::ALERT_SILENCES, &()).await
    }

    /// Silences alerts until an instant.
    pub async fn silence_alerts(&self, spec: &AlertSilenceSpec) -> Result<AlertSilence, ClientError> {
        self.post(routes::ALERT_SILENCES, spec, &()).await
    }

    /// Ends a silence.
    pub async fn end_alert_silence(&self, id: &str) -> Result<(), ClientError> {
        self.delete(&routes::path(routes::ALERT_SILENCE, &[id]), Precondition::None, &()).await
    }

    /// Lists what was sent or is to be sent, newest first.
    pub async fn alert_deliveries(&self, filter: &AlertDeliveryFilter) -> Result<Page<AlertDelivery>, ClientError> {
        self.get(routes::ALERT_DELIVERIES, filter).await
    }

    /// Sends a message again that was delivered or given up.
    pub async fn redeliver_alert(&self, id: &str) -> Result<AlertDelivery, ClientError> {
        self.post(&routes::path(routes::ALERT_REDELIVERY, &[id]), &(), &()).await
    }
}
