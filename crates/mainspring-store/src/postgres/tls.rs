//! Encryption on the way to the server.

use std::sync::Arc;

use rustls::RootCertStore;
use rustls::crypto::ring;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Makes sessions that are encrypted where `sslmode` asks for it, and that trust the machine's certificates.
pub(super) type Tls = MakeRustlsConnect;

pub(super) fn connector() -> Result<Tls, String> {
    let mut roots = RootCertStore::empty();
    // What cannot be read is no certificate; a server that needs it is refused later, by name.
    for certificate in rustls_native_certs::load_native_certs().certs {
        let _usable = roots.add(certificate);
    }
    let provider = Arc::new(ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = builder.map_err(|error| format!("TLS cannot be set up: {error}"))?;
    Ok(MakeRustlsConnect::new(config.with_root_certificates(roots).with_no_client_auth()))
}
