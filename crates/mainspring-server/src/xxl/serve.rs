//! Looks after all executors: which of them this node serves, which addresses are to be tried, and who is forgotten.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use mainspring_core::Incarnation;
use mainspring_core::cluster::Status;
use mainspring_store::{Error, causes};
use mainspring_xxl::{Address, BEAT_MS, Credentials};
use tokio::task::JoinSet;

use super::apps;
use super::executors::Key;
use super::hands::{self, Hand, Stand};
use super::sync::{lock, until};
use crate::app::App;
use crate::closing::{closed, rest};

/// How often executors are looked at, at least.
const LOOK: Duration = Duration::from_secs(2);

/// Serves executors until the server closes.
pub(crate) async fn serve(app: App) {
    if !remember(&app).await {
        return;
    }
    let (mut tasks, mut probes) = (JoinSet::new(), JoinSet::new());
    let mut closing = app.closing.clone();
    let (mut nodes, mut cluster) = (Nodes::default(), app.engine.watch_cluster());
    let mut sweep_ms = 0;
    while !*closing.borrow() {
        while tasks.try_join_next().is_some() {}
        while probes.try_join_next().is_some() {}
        nodes.look(&app).await;
        let now_ms = app.xxl.now_ms();
        match apps::lately(&app).await {
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
            let stays = |hand: &Hand| {
                let executors = app.xxl.executors();
                executors.is_alive(&hand.key, now_ms) && hand.is_placed(&executors)
            };
            hands.values().filter(|hand| !stays(hand)).for_each(|hand| hand.note_change());
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
            () = until(&mut cluster, |status| nodes.differ_from(status.as_deref())) => {}
            _ = tokio::time::timeout(LOOK, closed(&mut closing)) => {}
        }
    }
    probes.shutdown().await;
    // Each sees the server close.
    while tasks.join_next().await.is_some() {}
}

/// Takes the executors that had runs when the server ended for present. False: the server closes.
async fn remember(app: &App) -> bool {
    loop {
        match take_over(app, |_| true).await {
            Ok(()) => return true,
            Err(error) => {
                tracing::warn!(error = %causes(&error), "the executors of the last start could not be read; trying again");
                if !rest(&app.closing, LOOK).await {
                    return false;
                }
            }
        }
    }
}

/// Takes the executors of some workers for present, whoever has heard them: their beats come within 30 s.
async fn take_over(app: &App, is_meant: impl Fn(&Stand) -> bool) -> Result<(), Error> {
    let stands = hands::stands(app).await?;
    let now = app.xxl.moment(app.now());
    let mut executors = app.xxl.executors();
    for stand in stands.into_iter().filter(is_meant) {
        let Ok(address) = Address::parse(&stand.address) else { continue };
        let named = stand.names_app.then(|| stand.app.clone());
        let key = (stand.app, address);
        executors.note_elsewhere(&key, 0);
        if !executors.is_alive(&key, now.ms) {
            let credentials = Credentials { app: named, ..Credentials::default() };
            executors.beat(&key, &stand.address, &credentials, now);
        }
    }
    Ok(())
}

/// The process starts that were at work at the last look.
#[derive(Default)]
struct Nodes {
    alive: BTreeSet<Incarnation>,
    /// Whether one of them has ended and what it served is not taken over.
    is_due: bool,
}

impl Nodes {
    /// Whether others are at work now. Where nobody says, nothing has changed.
    fn differ_from(&self, status: Option<&Status>) -> bool {
        status.is_some_and(|status| hands::nodes(status) != self.alive)
    }

    /// Takes over what a node has served that has ended. An executor beats where it is answered, so that others may not have heard of
    /// it; and its worker is dead soon where nobody plays it.
    async fn look(&mut self, app: &App) {
        let Some(alive) = app.engine.cluster_status().map(|status| hands::nodes(&status)) else { return };
        self.is_due |= !self.alive.is_subset(&alive);
        self.alive = alive;
        if !self.is_due {
            return;
        }
        match take_over(app, |stand| !self.alive.contains(&stand.node)).await {
            Ok(()) => self.is_due = false,
            Err(error) => {
                tracing::warn!(error = %causes(&error), "the executors of a node that has ended could not be read; trying again")
            }
        }
    }
}

/// Tries an address that a person has entered.
async fn probe(app: App, key: Key) {
    let now = app.now();
    let Ok(apps) = apps::lately(&app).await else { return };
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

#[cfg(test)]
mod tests {
    use mainspring_store::{Document, DocumentExpect};
    use tokio::sync::watch;

    use super::*;
    use crate::app::Inner;

    #[tokio::test]
    async fn executors_of_a_node_that_has_ended_are_taken_over_though_they_were_never_heard_here() {
        let app = Inner::in_memory(watch::channel(false).1).await;
        for (port, node) in [(1, 7), (2, 8)] {
            let body =
                format!(r#"{{"app":"mail","address":"http://127.0.0.1:{port}/","worker":"{port}","node":"{node}"}}"#);
            let (kind, name) = (hands::KIND.to_owned(), port.to_string());
            let stand = Document { kind, name, body, version: 0, at: app.now(), expires_at: None };
            app.control().store().put_document(stand, DocumentExpect::Absent).await.unwrap().unwrap();
        }
        let known = || {
            let executors = app.xxl.executors();
            [1, 2].map(|port| {
                let address = Address::parse(&format!("http://127.0.0.1:{port}")).unwrap();
                executors.is_alive(&("mail".to_owned(), address), app.xxl.now_ms())
            })
        };
        assert_eq!(known(), [false, false]);
        take_over(&app, |stand| stand.node == Incarnation(7)).await.unwrap();
        assert_eq!(known(), [true, false], "the other node is there");
        take_over(&app, |_| true).await.unwrap();
        assert_eq!(known(), [true, true]);
    }
}
