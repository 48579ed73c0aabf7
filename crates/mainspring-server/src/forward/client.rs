//! What calls other nodes.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Client;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use tokio::sync::OnceCell;

const CONNECT_MAX: Duration = Duration::from_secs(3);
/// A server ends a connection that is silent for 30 s; the client's end is first.
const IDLE_MAX: Duration = Duration::from_secs(15);

/// A client that is made for the first request that is passed on.
#[derive(Debug, Default)]
pub(crate) struct Forwarder(OnceCell<Client>);

impl Forwarder {
    /// Returns the client.
    ///
    /// # Errors
    /// Why none can be made.
    pub(super) async fn client(&self) -> Result<&Client, String> {
        // Reading the certificates of the system takes a while.
        let make = async || tokio::task::spawn_blocking(make).await.map_err(|error| error.to_string())?;
        self.0.get_or_try_init(make).await
    }
}

/// No proxy, no redirect, no repetition: the token goes to the address alone, and once.
fn make() -> Result<Client, String> {
    let failed = |error: &dyn std::fmt::Display| format!("no client for other nodes could be made: {error}");
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(&error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Client::builder()
        .tls_backend_preconfigured(tls)
        .http1_only()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .connect_timeout(CONNECT_MAX)
        .pool_idle_timeout(IDLE_MAX)
        .build()
        .map_err(|error| failed(&error))
}
