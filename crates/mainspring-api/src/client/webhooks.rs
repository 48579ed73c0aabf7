//! Webhooks.

use super::{Client, ClientError, Precondition};
use crate::{Page, PageFilter, Webhook, WebhookDelivery, WebhookRotation, WebhookSpec, routes};

impl Client {
    /// Lists the webhooks.
    pub async fn webhooks(&self) -> Result<Vec<Webhook>, ClientError> {
        self.get(routes::WEBHOOKS, &()).await
    }

    /// Makes a webhook. The answer is the only place where its secret can be read.
    pub async fn create_webhook(&self, spec: &WebhookSpec) -> Result<Webhook, ClientError> {
        self.post(routes::WEBHOOKS, spec, &()).await
    }

    /// Returns a webhook.
    pub async fn webhook(&self, name: &str) -> Result<Webhook, ClientError> {
        self.get(&routes::path(routes::WEBHOOK, &[name]), &()).await
    }

    /// Deletes a webhook with its deliveries.
    pub async fn delete_webhook(&self, name: &str) -> Result<(), ClientError> {
        self.delete(&routes::path(routes::WEBHOOK, &[name]), Precondition::None, &()).await
    }

    /// Gives a webhook another secret. The answer is the only place where it can be read.
    pub async fn rotate_webhook(&self, name: &str, rotation: WebhookRotation) -> Result<Webhook, ClientError> {
        self.post(&routes::path(routes::WEBHOOK_SECRET, &[name]), &(), &rotation).await
    }

    /// Lets a webhook go on that rests.
    pub async fn resume_webhook(&self, name: &str) -> Result<Webhook, ClientError> {
        self.post(&routes::path(routes::WEBHOOK_RESUME, &[name]), &(), &()).await
    }

    /// Sends a webhook a message of the type `webhook.test`.
    pub async fn test_webhook(&self, name: &str) -> Result<WebhookDelivery, ClientError> {
        self.post(&routes::path(routes::WEBHOOK_TEST, &[name]), &(), &()).await
    }

    /// Lists deliveries to a webhook, newest first.
    pub async fn webhook_deliveries(
        &self,
        name: &str,
        filter: &PageFilter,
    ) -> Result<Page<WebhookDelivery>, ClientError> {
        self.get(&routes::path(routes::WEBHOOK_DELIVERIES, &[name]), filter).await
    }
}
