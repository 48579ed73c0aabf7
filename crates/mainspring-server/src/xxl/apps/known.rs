//! The apps, for whoever cannot do without.

use std::time::Duration;

use mainspring_store::{Error, causes};

use super::Apps;
use crate::app::App;
use crate::closing::rest;

/// How long the store is waited for where the apps of before do as well.
const SOON: Duration = Duration::from_millis(500);
/// Pause before the store is asked again.
const AGAIN: Duration = Duration::from_millis(500);

/// The apps as they were a moment ago, however often it takes to read them. Nothing: the server closes.
pub(in crate::xxl) async fn known(app: &App) -> Option<Apps> {
    loop {
        match app.xxl.apps.read(&**app.control().store(), app.now()).await {
            Ok(apps) => return Some(apps),
            Err(error) => {
                tracing::warn!(error = %causes(&error), "the apps of executors could not be read; trying again");
                if !rest(&app.closing, AGAIN).await {
                    return None;
                }
            }
        }
    }
}

/// The apps as they were a moment ago, or where the store does not say so soon, as they were read last. An executor that is there is
/// heard so while the database is away: it is not taken for gone afterwards, with all that it has.
///
/// # Errors
/// The store could not say, and they were not read since they were changed here last.
pub(in crate::xxl) async fn lately(app: &App) -> Result<Apps, Error> {
    let last = app.xxl.apps.last();
    let read = app.xxl.apps.read(&**app.control().store(), app.now());
    match last {
        Some(last) => Ok(tokio::time::timeout(SOON, read).await.ok().and_then(Result::ok).unwrap_or(last)),
        None => read.await,
    }
}
