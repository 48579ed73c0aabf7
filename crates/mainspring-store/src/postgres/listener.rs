//! Hears what other nodes notify. Notifications only make things faster: whoever misses one looks by itself soon.

use std::future::poll_fn;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio_postgres::AsyncMessage;

use super::Target;

/// How long to wait at most before a connection is made again. Drawn at random, so that nodes which lost theirs together do not
/// come back together.
const AGAIN: Duration = Duration::from_secs(1);

/// A thread with a session that listens.
pub(super) struct Listener {
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

/// What notifications wake.
#[derive(Clone)]
pub(super) struct Wakes {
    /// Something that the engine has to hear of has changed.
    pub(super) changed: Arc<Notify>,
    /// Another node says that the cluster has changed.
    pub(super) hinted: Arc<Notify>,
    /// Another node has put items into an inbox of a flow, or taken some out.
    pub(super) stirred: watch::Sender<u64>,
}

impl Listener {
    pub(super) fn start(target: Target, wakes: Wakes, from: Arc<str>) -> std::io::Result<Self> {
        let (stop, mut stopped) = watch::channel(false);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = std::thread::Builder::new().name("mainspring-postgres-listener".into()).spawn(move || {
            runtime.block_on(async {
                while !*stopped.borrow() {
                    tokio::select! {
                        ended = listen(&target, &wakes, &from) => tracing::debug!(error = ?ended, "notifications are not heard"),
                        _ = stopped.changed() => {}
                    }
                    // A failure is repeated, but not at once.
                    let _waited = tokio::time::timeout(AGAIN.mul_f64(part()), stopped.wait_for(|stop| *stop)).await;
                }
            });
        })?;
        Ok(Self { stop, thread: Some(thread) })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(thread) = self.thread.take() {
            // There is nothing to hear from it.
            let _ended = thread.join();
        }
    }
}

/// A name that no other process has.
pub(super) fn name() -> String {
    let drawn = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", drawn(), drawn())
}

/// A random part of a whole.
fn part() -> f64 {
    let drawn = RandomState::new().build_hasher().finish() >> 32;
    drawn as f64 / f64::from(u32::MAX)
}

/// Listens until the session ends.
async fn listen(target: &Target, wakes: &Wakes, from: &str) -> Result<(), tokio_postgres::Error> {
    let (client, mut connection) = target.config.connect(target.tls.clone()).await?;
    let subscribe = client.batch_execute("LISTEN mainspring_change; LISTEN mainspring_cluster; LISTEN mainspring_flow");
    let hear = async {
        while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
            if let AsyncMessage::Notification(notification) = message? {
                match notification.channel() {
                    // Whoever changes something here wakes this process itself, and sooner.
                    "mainspring_change" if notification.payload() == from => {}
                    "mainspring_change" => wakes.changed.notify_one(),
                    // Who has changed an inbox knows.
                    "mainspring_flow" if notification.payload() == from => {}
                    "mainspring_flow" => wakes.stirred.send_modify(|count| *count += 1),
                    _ => wakes.hinted.notify_one(),
                }
            }
        }
        Ok(())
    };
    // The subscription is answered while the session is heard; what came before it is looked at now.
    let subscribed = async {
        subscribe.await?;
        wakes.changed.notify_one();
        wakes.hinted.notify_one();
        wakes.stirred.send_modify(|count| *count += 1);
        std::future::pending::<Result<(), tokio_postgres::Error>>().await
    };
    tokio::select! {
        ended = hear => ended,
        failed = subscribed => failed,
    }
}
