//! Tokens that other nodes replaced, and sessions that they ended.

use std::time::Duration;

use crate::app::App;
use crate::closing::closed;

/// How often another node is asked what it has changed: a token that it replaced, and sessions that it ended, open for that long.
const FOLLOW_EVERY: Duration = Duration::from_secs(1);

/// Reads what other nodes have changed, until the server closes. A store of one process has none.
pub(crate) async fn follow(app: App) {
    if app.control().store().cluster().is_none() {
        return;
    }
    let (mut closing, mut pace) = (app.closing.clone(), tokio::time::interval(FOLLOW_EVERY));
    pace.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = pace.tick() => {}
            () = closed(&mut closing) => return,
        }
        if let Err(error) = app.access.follow(&**app.control().store(), app.now()).await {
            tracing::debug!(%error, "whether the access token was replaced could not be read");
        }
    }
}
