//! Building HTTP calls.

use std::time::Duration;

use mainspring_core::job::HttpTask;
use serde::Serialize;

use crate::trigger::millis;

/// Begins an HTTP call, a GET unless [`HttpBuilder::method`] says otherwise. It succeeds with a status from 200 to 299.
pub fn http(url: impl Into<String>) -> HttpBuilder {
    HttpBuilder {
        task: HttpTask {
            method: "GET".to_owned(),
            url: url.into(),
            headers: Vec::new(),
            body: None,
            expect: Vec::new(),
            timeout_ms: None,
            verify_tls: true,
            max_redirects: None,
        },
    }
}

/// An HTTP call in the making, for [`JobBuilder::http`](crate::JobBuilder::http).
#[derive(Clone, Debug)]
#[must_use]
pub struct HttpBuilder {
    task: HttpTask,
}

impl HttpBuilder {
    /// Sets the method.
    pub fn method(mut self, method: impl Into<String>) -> Self {
        self.task.method = method.into();
        self
    }

    /// Adds a header.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.task.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the body, which is sent as it is.
    pub fn body(mut self, body: impl Into<String>) -> Self {
        self.task.body = Some(body.into());
        self
    }

    /// Sets the body to a value as JSON, and says so in a header.
    ///
    /// # Panics
    /// The value has no JSON, as a map whose keys are no texts.
    pub fn json(self, body: &impl Serialize) -> Self {
        let text = serde_json::to_string(body).expect("the value has a JSON text");
        self.header("Content-Type", "application/json").body(text)
    }

    /// Adds a range of statuses that mean success, in place of 200 to 299.
    pub fn expect(mut self, first: u16, last: u16) -> Self {
        self.task.expect.push((first, last));
        self
    }

    /// Limits the call; 30 s if not set.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.task.timeout_ms = Some(millis(limit));
        self
    }

    /// Limits the redirects that are followed, 0 to 3; 3 if not set.
    pub fn max_redirects(mut self, most: u8) -> Self {
        self.task.max_redirects = Some(most);
        self
    }

    /// Accepts any certificate. For servers of a test.
    pub fn without_tls_verification(mut self) -> Self {
        self.task.verify_tls = false;
        self
    }

    pub(crate) fn build(self) -> HttpTask {
        self.task
    }
}
