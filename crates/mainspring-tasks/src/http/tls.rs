//! Whom HTTPS calls trust.
//!
//! The cryptography provider is the client's own: nothing is installed for the whole process, so a
//! program that embeds the scheduler keeps its choice.

use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use crate::ended::TaskError;
use crate::settings::SettingsError;

/// Root certificates beside the system's.
#[derive(Clone, Debug)]
pub(super) struct Trust {
    further_roots: Vec<CertificateDer<'static>>,
}

impl Trust {
    /// Reads the file of further roots.
    pub(super) fn new(roots: Option<&Path>) -> Result<Self, SettingsError> {
        let further_roots = match roots {
            Some(path) => {
                read_roots(path).map_err(|problem| SettingsError::TlsRoots { path: path.to_owned(), problem })?
            }
            None => Vec::new(),
        };
        Ok(Self { further_roots })
    }

    /// Makes a client configuration. Reads the system's roots, so it blocks.
    pub(super) fn client_config(&self, verify: bool) -> Result<ClientConfig, TaskError> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| setup_error(&error))?;
        if !verify {
            let verifier = Arc::new(AcceptAny { provider });
            return Ok(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth());
        }
        let mut roots = RootCertStore::empty();
        // What the system has in another format than X.509 is of no use to anyone.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        roots.add_parsable_certificates(self.further_roots.iter().cloned());
        if roots.is_empty() {
            tracing::warn!("no root certificates found, so HTTPS calls will fail; install ca-certificates");
            return Ok(builder.with_root_certificates(roots).with_no_client_auth());
        }
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider)
            .build()
            .map_err(|error| setup_error(&error))?;
        Ok(builder.with_webpki_verifier(verifier).with_no_client_auth())
    }
}

fn read_roots(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
    let found = found.map_err(|error| error.to_string())?;
    let (usable, _) = RootCertStore::empty().add_parsable_certificates(found.iter().cloned());
    if usable != found.len() || found.is_empty() {
        return Err(format!("{usable} of its {} entries are certificates", found.len()));
    }
    Ok(found)
}

fn setup_error(error: &dyn std::error::Error) -> TaskError {
    TaskError::new("http.client", format!("could not set up TLS: {error}"))
}

/// Takes any certificate, for calls that say `verify_tls: false`. The handshake's signature is
/// checked all the same.
#[derive(Debug)]
struct AcceptAny {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AcceptAny {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
