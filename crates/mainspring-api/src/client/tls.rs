//! TLS with the system's certificates, and without touching the program's default provider.

use std::sync::Arc;

use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};

use super::ClientError;

/// Makes the TLS settings; for plain HTTP without certificates, whose reading takes milliseconds.
pub(super) fn config(scheme: &str) -> Result<ClientConfig, ClientError> {
    let mut roots = RootCertStore::empty();
    if scheme == "https" {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            return Err(ClientError::settings(
                "no root certificates found, so https cannot work; install ca-certificates",
            ));
        }
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| ClientError::settings(format!("could not set up TLS: {error}")))?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}
