//! The apps, for whoever cannot do without.

use std::time::Duration;

use mainspring_store::causes;

use super::Apps;
use crate::app::App;
use crate::closing::rest;

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
