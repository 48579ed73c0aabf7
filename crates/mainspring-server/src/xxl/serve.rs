//! Looks after all executors: which of them this node serves, which addresses are to be tried, and who is forgotten.

use std::sync::Arc;
use std::time::Duration;

use mainspring_store::causes;
use mainspring_xxl::{Address, BEAT_MS, Credentials};
use tokio::task::JoinSet;

use super::executors::Key;
use super::hands::{self, Hand};
use super::{lock, rest};
use crate::app::App;
use crate::server::closed;

/// How often executors are looked at, at least.
const LOOK: Duration = Duration::from_secs(2);

/// Serves executors until the server closes.
pub(crate) async fn serve(app: App) {
    if !remember(&app).await {
        return;
    }
    let (mut tasks, mut probes) = (JoinSet::new(), JoinSet::new());
    let mut closing = app.closing.clone();
    let mut sweep_ms = 0;
    while !*closing.borrow() {
        while tasks.try_join_next().is_some() {}
        while probes.try_join_next().is_some() {}
        let now_ms = app.xxl.now_ms();
        match app.xxl.apps.read(&**app.control().store(), app.now()).await {
            Ok(apps) => app.xxl.executors().enter(&apps),
            Err(error) => {
                tracing::warn!(error = %causes(&error), "the apps of executors could not be read; trying again")
            }
        }
        if now_ms >= sweep_ms {
            app.xxl.executors().sweep(now_ms);
            sweep_ms = mainspring_xxl::Instances::sweep_at(now_ms);
        }
        let to_probe = app.xxl.executors().due_for_probe(now_ms, now_ms + BEAT_MS);
        for key in to_probe {
            probes.spawn(probe(App::clone(&app), key));
        }
        let to_serve = app.xxl.executors().to_serve(now_ms);
        {
            let mut hands = lock(&app.xxl.hands);
            // What is known of an executor may have changed since its poll began.
            let is_alive = |hand: &Hand| app.xxl.executors().is_alive(&hand.key, now_ms);
            hands.values().filter(|hand| !is_alive(hand)).for_each(|hand| hand.note_change());
            for key in to_serve {
                hands.entry(key.clone()).or_insert_with(|| {
                    let hand = Arc::new(Hand::new(key));
                    tasks.spawn(hands::play(App::clone(&app), Arc::clone(&hand)));
                    hand
                });
            }
        }
        tokio::select! {
            () = app.xxl.changed.notified() => {}
            _ = tokio::time::timeout(LOOK, closed(&mut closing)) => {}
        }
    }
    probes.shutdown().await;
    // Each sees the server close.
    while tasks.join_next().await.is_some() {}
}

/// Takes the executors that had runs when the server ended for present: their beats come within 30 s. False: the server closes.
async fn remember(app: &App) -> bool {
    loop {
        match hands::stands(app).await {
            Ok(stands) => {
                let now = app.xxl.moment(app.now());
                let mut executors = app.xxl.executors();
                for stand in stands {
                    let Ok(address) = Address::parse(&stand.address) else { continue };
                    let named = stand.names_app.then(|| stand.app.clone());
                    let credentials = Credentials { app: named, ..Credentials::default() };
                    executors.beat(&(stand.app, address), &stand.address, &credentials, now);
                }
                return true;
            }
            Err(error) => {
                tracing::warn!(error = %causes(&error), "the executors of the last start could not be read; trying again");
                if !rest(app, LOOK).await {
                    return false;
                }
            }
        }
    }
}

/// Tries an address that a person has entered.
async fn probe(app: App, key: Key) {
    let now = app.now();
    let Ok(apps) = app.xxl.apps.read(&**app.control().store(), now).await else { return };
    let callee = apps.get(&key.0).and_then(|row| app.xxl.executors().callee(&key, row, now));
    let Some(callee) = callee else { return };
    match app.xxl.client.probe(&callee.target()).await {
        Ok(probe) if probe.beat.is_success() => {
            let was_alive = app.xxl.executors().is_alive(&key, app.xxl.now_ms());
            let moment = app.xxl.moment(app.now());
            {
                let mut executors = app.xxl.executors();
                executors.answered(&key, &probe.beat, moment);
                executors.probed(&key, probe.evidence, moment);
            }
            if !was_alive {
                tracing::info!(app = key.0, address = %key.1, "an executor answers");
                app.xxl.changed.notify_one();
            }
        }
        Ok(probe) => app.xxl.note_refused(&format!(
            "{} refuses our beat: {}",
            key.1,
            probe.beat.message.unwrap_or_else(|| "no reason is given".to_owned())
        )),
        Err(error) => tracing::debug!(%error, "an address that was entered does not answer"),
    }
}
