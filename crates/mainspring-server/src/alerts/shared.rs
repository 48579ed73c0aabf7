//! State that the parts of a server share about alerts.

use std::path::PathBuf;

use tokio::sync::Notify;

/// Wakes of the two tasks, and where secrets are.
#[derive(Debug, Default)]
pub(crate) struct Alerts {
    /// Is woken when rules change, so that they hold at once.
    pub(crate) changed: Notify,
    /// Is woken when there is a message to send.
    pub(crate) outbox: Notify,
    /// The folder of secrets.
    pub(super) secrets: Option<PathBuf>,
}

impl Alerts {
    /// Begins with the folder where secrets are, if there is one.
    pub(crate) fn new(secrets: Option<PathBuf>) -> Self {
        Self { changed: Notify::new(), outbox: Notify::new(), secrets }
    }
}
