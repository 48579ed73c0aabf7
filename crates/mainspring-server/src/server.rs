//! Starting and stopping: the socket, its connections, and what a start leaves in the data folder.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mainspring_core::compile;
use mainspring_engine::{Engine, Workers};
use mainspring_tasks::{Allow, OutboundPolicy};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, watch};
use tokio::task::{JoinHandle, JoinSet};

use crate::access::{self, Access};
use crate::app::{App, DEEDS_MAX, Inner};
use crate::connections::{accept, connections_max};
use crate::files::Presence;
use crate::layers;
use crate::live;
use crate::routes;
use crate::settings::{Settings, StartError};
use crate::shards;
use crate::{alerts, webhooks, xxl};

/// A running server. Dropping it closes all connections at once.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    first_token: Option<String>,
    token_file: Option<PathBuf>,
    closing: watch::Sender<bool>,
    workers: Workers,
    accepting: JoinHandle<JoinSet<()>>,
    deeds: Arc<Semaphore>,
    presence: Option<Presence>,
    /// The state of the routes, until the server stops.
    app: App,
    /// What sends messages to webhooks, where HTTP calls are made.
    webhooks: Option<JoinHandle<()>>,
    /// What evaluates and sends alerts, where calls are made.
    alerts: Option<JoinHandle<()>>,
    /// What serves XXL-JOB's executors.
    executors: Option<JoinHandle<()>>,
    /// What looks for changes: of jobs and runs for the console, of shards, and of who may come in. Ends when the server closes.
    watching: Vec<JoinHandle<()>>,
}

impl Server {
    /// Listens, and answers requests with an engine.
    ///
    /// The first start over a store makes a random token, keeps its hash in the store, and writes it to `token` in
    /// the data folder, readable by its owner alone.
    ///
    /// # Errors
    /// If the port is in use, the zone unknown, or the data folder cannot be written. Nothing runs then.
    pub async fn start(engine: Arc<Engine>, settings: Settings) -> Result<Self, StartError> {
        let zone = compile::zone(&settings.default_timezone).map_err(|error| StartError::Zone(error.message))?;
        // First of all, so that a second server on the port changes nothing.
        let requests = settings.requests.clone().unwrap_or_else(Handle::current);
        let listener = {
            let address = settings.listen;
            requests.spawn(listen(address)).await.map_err(|error| refused(address, io::Error::other(error)))??
        };
        let address = listener.local_addr().map_err(|source| refused(settings.listen, source))?;
        let opened = Access::open(&**engine.store(), &settings).await?;
        let presence = settings.data_dir.as_deref().map(|folder| Presence::announce(folder, address)).transpose();
        let presence = presence.map_err(|(path, source)| StartError::File { path, source })?;
        let (closing, closed) = watch::channel(false);
        let node_name = settings.node_name.unwrap_or_else(host_name);
        let room = settings.connections.unwrap_or_else(connections_max);
        let here = (zone.name().to_owned(), node_name, settings.slots);
        let executors = settings.executors.unwrap_or_else(|| near(address));
        let secrets = settings.data_dir.as_deref().map(|folder| folder.join("secrets"));
        let inner = Inner::new(engine, opened.access, closed.clone(), here);
        let app = Arc::new(Inner { xxl: xxl::Xxl::new(executors), alerts: alerts::Alerts::new(secrets), ..inner });
        let (deeds, workers) = (Arc::clone(&app.deeds), app.engine.workers().clone());
        let webhooks = app.engine.makes_calls().then(|| tokio::spawn(webhooks::serve(Arc::clone(&app))));
        let alerts = app.engine.makes_calls().then(|| tokio::spawn(alerts::serve(Arc::clone(&app))));
        let router = layers::under(&app, routes::router(&app, settings.xxl_forms, settings.inspect));
        let accepting = requests.spawn(accept(listener, router, closed, room));
        let executors = Some(requests.spawn(xxl::serve(Arc::clone(&app))));
        let watching = vec![
            requests.spawn(live::serve(Arc::clone(&app))),
            requests.spawn(shards::follow(Arc::clone(&app))),
            requests.spawn(access::follow(Arc::clone(&app))),
        ];
        tracing::info!(%address, "listening");
        if !address.ip().is_loopback() {
            tracing::warn!(%address, "the API speaks plain HTTP to other machines: put a proxy with TLS before it");
        }
        Ok(Self {
            address,
            first_token: opened.first_token,
            token_file: opened.file,
            closing,
            workers,
            accepting,
            deeds,
            presence,
            app,
            webhooks,
            alerts,
            executors,
            watching,
        })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The token, if this start made it: to be shown once.
    #[must_use]
    pub fn first_token(&self) -> Option<&str> {
        self.first_token.as_deref()
    }

    /// The file that holds the token, if there is one.
    #[must_use]
    pub const fn token_file(&self) -> Option<&PathBuf> {
        self.token_file.as_ref()
    }

    /// Where the console is, with its base path.
    #[must_use]
    pub fn console_url(&self) -> String {
        let site = &self.app.access.site;
        format!("{}{}", site.origin_or(self.address), site.base_path())
    }

    /// Makes a link that signs a browser in, once, within ten minutes.
    #[must_use]
    pub fn login_link(&self) -> String {
        let (code, _) = self.app.access.make_code(self.app.now());
        format!("{}/login#{code}", self.console_url())
    }

    /// Stops: takes no new connections, ends streams, and lets requests finish within `grace`.
    ///
    /// Afterwards the server holds no reference to the engine any more.
    pub async fn stop(mut self, grace: Duration) {
        self.workers.close();
        self.closing.send_replace(true);
        if let Ok(mut connections) = (&mut self.accepting).await {
            let ended = async { while connections.join_next().await.is_some() {} };
            if tokio::time::timeout(grace, ended).await.is_err() {
                tracing::warn!(connections = connections.len(), "requests were cut off at the end of the grace period");
                connections.shutdown().await;
            }
        }
        // What was begun under an idempotency key is finished, also for a caller that has gone.
        if tokio::time::timeout(grace, self.deeds.acquire_many(DEEDS_MAX)).await.is_err() {
            tracing::warn!("requests under idempotency keys outlive the grace period");
        }
        if let Some(webhooks) = self.webhooks.take() {
            // It sees the server close, and takes no longer than messages under way may.
            let _ = webhooks.await;
        }
        if let Some(alerts) = self.alerts.take() {
            // The same.
            let _ = alerts.await;
        }
        if let Some(executors) = self.executors.take() {
            // The same.
            let _ = executors.await;
        }
        for watching in std::mem::take(&mut self.watching) {
            // What it waits for in the store is of no use any more.
            watching.abort();
            let _ = watching.await;
        }
        drop(self.presence.take());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The set of connections goes with its task, and ends them.
        self.accepting.abort();
        self.webhooks
            .iter()
            .chain(&self.alerts)
            .chain(&self.executors)
            .chain(&self.watching)
            .for_each(JoinHandle::abort);
    }
}

/// Where executors may be that reach a server at this address: whoever listens on this machine only is reached from it only.
fn near(address: SocketAddr) -> OutboundPolicy {
    let policy = OutboundPolicy::default().allow(Allow::Private);
    if address.ip().is_loopback() { policy.allow(Allow::Loopback) } else { policy }
}

async fn listen(address: SocketAddr) -> Result<TcpListener, StartError> {
    TcpListener::bind(address).await.map_err(|source| refused(address, source))
}

fn refused(address: SocketAddr, source: io::Error) -> StartError {
    let why = match source.kind() {
        io::ErrorKind::AddrInUse => "another program listens there; stop it, or choose another port".to_owned(),
        io::ErrorKind::PermissionDenied => "ports below 1024 need privileges; choose a higher one".to_owned(),
        io::ErrorKind::AddrNotAvailable => "this machine has no such address".to_owned(),
        _ => source.to_string(),
    };
    StartError::Listen { address, why, source }
}

fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executors_are_in_private_networks_and_on_this_machine_only_if_it_alone_is_listened_to() {
        for (listen, loopback) in
            [("127.0.0.1:7070", true), ("[::1]:7070", true), ("0.0.0.0:7070", false), ("10.0.0.1:1", false)]
        {
            let policy = near(listen.parse().unwrap());
            let permits = |address: &str| policy.permits(address.parse().unwrap());
            assert_eq!((permits("127.0.0.1:9999"), permits("[::1]:9999")), (loopback, loopback), "{listen}");
            for address in [
                "10.1.2.3:9999",
                "172.16.0.1:9999",
                "192.168.1.1:9999",
                "100.64.0.1:9999",
                "[fd00::7]:9999",
                "1.1.1.1:80",
            ] {
                assert!(permits(address), "{listen}: {address}");
            }
            for address in ["169.254.169.254:80", "[fe80::1]:80", "0.0.0.0:80", "168.63.129.16:80", "224.0.0.1:80"] {
                assert!(!permits(address), "{listen}: {address}");
            }
        }
    }
}
