//! A web server small enough to misbehave on purpose.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

/// What a server does with a request.
#[derive(Clone)]
pub enum Answer {
    /// Sends these bytes and closes the connection.
    Bytes(Vec<u8>),
    /// Sends these bytes and then the last one for ever.
    Endless(Vec<u8>),
    /// Sends these bytes and then nothing, keeping the connection.
    Silence(Vec<u8>),
}

/// A server on a free port of 127.0.0.1, which ends with the test's runtime.
pub struct Server {
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts a server that gives every request `answer(request)`.
    pub async fn start(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        Self::serve(None, answer).await
    }

    /// The same, with TLS.
    pub async fn start_tls(identity: &Identity, answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        Self::serve(Some(identity.acceptor()), answer).await
    }

    async fn serve(tls: Option<TlsAcceptor>, answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, answer) = (Arc::clone(&requests), Arc::new(answer));
        tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                let (tls, seen, answer) = (tls.clone(), Arc::clone(&seen), Arc::clone(&answer));
                tokio::spawn(async move {
                    match tls {
                        None => converse(socket, &seen, &*answer).await,
                        Some(tls) => {
                            if let Ok(socket) = tls.accept(socket).await {
                                converse(socket, &seen, &*answer).await;
                            }
                        }
                    }
                });
            }
        });
        Self { address, requests }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests so far, as text with their bodies.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// An answer with this status and body.
pub fn answer(status: u16, body: &str) -> Answer {
    let length = body.len();
    Answer::Bytes(format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\n\r\n{body}").into_bytes())
}

/// A redirect to `location`.
pub fn redirect(status: u16, location: &str) -> Answer {
    let head = format!("HTTP/1.1 {status} X\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
    Answer::Bytes(head.into_bytes())
}

async fn converse(
    mut socket: impl AsyncRead + AsyncWrite + Unpin,
    seen: &Mutex<Vec<String>>,
    answer: &(dyn Fn(&str) -> Answer + Send + Sync),
) {
    let request = read_request(&mut socket).await;
    seen.lock().unwrap().push(request.clone());
    match answer(&request) {
        Answer::Bytes(bytes) => {
            let _ = socket.write_all(&bytes).await;
            let _ = socket.shutdown().await;
        }
        Answer::Endless(bytes) => {
            let filler = vec![*bytes.last().unwrap(); 16 * 1024];
            let _ = socket.write_all(&bytes).await;
            while socket.write_all(&filler).await.is_ok() {}
        }
        Answer::Silence(bytes) => {
            let _ = socket.write_all(&bytes).await;
            let _ = socket.flush().await;
            let _ = socket.read(&mut [0]).await;
        }
    }
}

/// Reads head and, by its content length, body.
async fn read_request(socket: &mut (impl AsyncRead + Unpin)) -> String {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .to_ascii_lowercase()
                .lines()
                .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok())
                .unwrap_or(0);
            if body.len() >= length {
                return text;
            }
        }
        if socket.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            return text;
        }
    }
}

/// A certificate authority made for one test.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pub pem: String,
}

/// A server's certificate and key.
pub struct Identity {
    certificate: rcgen::Certificate,
    key: KeyPair,
}

impl Authority {
    pub fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    /// Issues a certificate for `name`, valid to the end of `last_year`.
    pub fn issue(&self, name: &str, last_year: i32) -> Identity {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(last_year, 12, 31);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Identity { certificate, key }
    }
}

impl Identity {
    fn acceptor(&self) -> TlsAcceptor {
        let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
        let key = PrivatePkcs8KeyDer::from(self.key.serialize_der());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![self.certificate.der().clone()], key.into())
            .unwrap();
        TlsAcceptor::from(Arc::new(config))
    }
}
