//! The typed client: every route of [`crate::routes`] as a method.
//!
//! ```no_run
//! use mainspring_api::client::Client;
//! use mainspring_api::{RunNow, RunState};
//!
//! # async fn example() -> Result<(), mainspring_api::client::ClientError> {
//! let client = Client::builder("http://127.0.0.1:7070").token("ms_…").build()?;
//! let run = client.run_job("default", "backup", &RunNow::default()).await?;
//! let run = client.wait_for_run(&run.id).await?;
//! assert_eq!(run.state, RunState::Succeeded);
//! # Ok(())
//! # }
//! ```
//!
//! A request is sent once. After [`ClientError::Unreachable`] it is unknown whether the server acted; a POST
//! is repeated safely under the same key ([`Client::with_idempotency_key`]).

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH};
use reqwest::{Method, RequestBuilder, Url};
use serde::Serialize;
use serde::de::DeserializeOwned;

mod alerts;
mod answer;
mod approvals;
mod backfills;
mod cluster;
mod error;
mod flows;
mod jobs;
mod operations;
mod queues;
mod runs;
mod sse;
mod stream;
mod tasks;
mod tls;
mod webhooks;
mod workers;
mod xxl;

pub use error::ClientError;
pub use stream::{EventStream, LogItem, LogStreamReader};

use crate::routes;

/// Header under which a POST may be repeated.
pub const IDEMPOTENCY_KEY: &str = "Idempotency-Key";

const DEFAULT_PROGRAM: &str = concat!("mainspring-client/", env!("CARGO_PKG_VERSION"));
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// When a silent connection is asked whether the server is there, how often again, and for how many times.
const KEEPALIVE: Duration = Duration::from_secs(5);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(2);
const KEEPALIVE_RETRIES: u32 = 3;
/// The server writes a comment every 15 s, so a stream that is silent for longer is broken.
const STREAM_TIMEOUT: Duration = Duration::from_secs(45);

/// A connection to a server; cheap to clone.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    base: Url,
    token: Option<HeaderValue>,
    idempotency_key: Option<String>,
    timeout: Duration,
}

/// Settings of a [`Client`].
#[derive(Clone)]
pub struct ClientBuilder {
    address: String,
    token: Option<String>,
    timeout: Duration,
    plain_http: PlainHttp,
    by: Option<String>,
    program: String,
}

#[derive(Clone, Copy, PartialEq)]
enum PlainHttp {
    LoopbackOnly,
    Anywhere,
}

/// What must hold for a write to happen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Precondition {
    /// Nothing: the last write wins.
    #[default]
    None,
    /// The resource does not exist.
    Absent,
    /// The resource has this version.
    Version(u64),
}

impl Client {
    /// Begins a client of the server at `address`, such as `http://127.0.0.1:7070` or `https://ms.example.org/base`.
    pub fn builder(address: impl Into<String>) -> ClientBuilder {
        ClientBuilder {
            address: address.into(),
            token: None,
            timeout: REQUEST_TIMEOUT,
            plain_http: PlainHttp::LoopbackOnly,
            by: None,
            program: DEFAULT_PROGRAM.to_owned(),
        }
    }

    /// Returns the address it was built with.
    pub fn address(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    /// Returns a client whose POSTs carry this key, so that repeating one has no further effect.
    ///
    /// Without it each POST carries a random key of its own. Use a client made so for one request only.
    #[must_use]
    pub fn with_idempotency_key(&self, key: impl Into<String>) -> Self {
        Self { idempotency_key: Some(key.into()), ..self.clone() }
    }

    async fn get<T: DeserializeOwned>(&self, path: &str, query: &impl Serialize) -> Result<T, ClientError> {
        self.send(self.request(Method::GET, path).query(query)).await
    }

    async fn put<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
        precondition: Precondition,
        query: &impl Serialize,
    ) -> Result<T, ClientError> {
        self.send(precondition.apply(self.request(Method::PUT, path).query(query).json(body))).await
    }

    /// However much it is: as long as something comes.
    async fn bytes(&self, path: &str) -> Result<Vec<u8>, ClientError> {
        let response = self.response(self.request(Method::GET, path)).await?;
        answer::body(answer::accepted(response).await?).await
    }

    async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
        query: &impl Serialize,
    ) -> Result<T, ClientError> {
        self.post_if(path, body, Precondition::None, query).await
    }

    async fn post_if<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
        precondition: Precondition,
        query: &impl Serialize,
    ) -> Result<T, ClientError> {
        let key = self.idempotency_key.clone().unwrap_or_else(random_key);
        let request = self.request(Method::POST, path).header(IDEMPOTENCY_KEY, key).query(query).json(body);
        self.send(precondition.apply(request)).await
    }

    async fn delete(&self, path: &str, precondition: Precondition, query: &impl Serialize) -> Result<(), ClientError> {
        let request = precondition.apply(self.request(Method::DELETE, path).query(query));
        let response = self.response(request.timeout(self.timeout)).await?;
        answer::accepted(response).await.map(drop)
    }

    async fn send<T: DeserializeOwned>(&self, request: RequestBuilder) -> Result<T, ClientError> {
        let response = self.response(request.timeout(self.timeout)).await?;
        answer::json(answer::accepted(response).await?).await
    }

    async fn response(&self, request: RequestBuilder) -> Result<reqwest::Response, ClientError> {
        request.send().await.map_err(|source| ClientError::unreachable(self.address(), source))
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.address());
        let is_public = routes::is_public(method.as_str(), path);
        let request = self.http.request(method, url);
        match &self.token {
            // Health routes are public, and no secret travels without need.
            Some(token) if !is_public => request.header(AUTHORIZATION, token.clone()),
            _ => request,
        }
    }
}

impl ClientBuilder {
    /// Sends this token with every request that wants one.
    #[must_use]
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// Says with every request who asks, such as `ann@laptop`: the server notes it with what is saved, and cannot check it. What no
    /// header can carry is left out.
    #[must_use]
    pub fn by(mut self, who: impl Into<String>) -> Self {
        self.by = Some(who.into());
        self
    }

    /// Names the program that asks, as `User-Agent` does: `stock-sync/2.1`. `mainspring-client` and the version of this crate unless set.
    ///
    /// Names that begin with `mainspring/` are those of the command line: the server shows what they save as saved by it, and the
    /// runs that they ask for as asked for by hand.
    #[must_use]
    pub fn program(mut self, name: impl Into<String>) -> Self {
        self.program = name.into();
        self
    }

    /// Gives up on an answer after this time; 30 s unless set. Streams go on as long as they are alive.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Allows `http://` to other machines, where anyone on the way reads the token.
    #[must_use]
    pub fn allow_plain_http(mut self) -> Self {
        self.plain_http = PlainHttp::Anywhere;
        self
    }

    /// What every request carries.
    fn headers(&self) -> HeaderMap {
        let mut headers =
            HeaderMap::from_iter([(reqwest::header::ACCEPT, HeaderValue::from_static("application/json"))]);
        let by = self.by.as_deref().and_then(|by| HeaderValue::from_bytes(by.as_bytes()).ok());
        headers.extend(by.map(|by| (HeaderName::from_static(routes::BY_HEADER), by)));
        headers
    }

    /// Makes the client. For `https://` it reads the system's certificates, which blocks shortly.
    ///
    /// # Errors
    /// [`ClientError::Settings`] when the address is not one, is plain HTTP to another machine, or the token or the name of the
    /// program has characters that no header can carry.
    pub fn build(self) -> Result<Client, ClientError> {
        let base = Url::parse(&self.address)
            .map_err(|error| ClientError::settings(format!("\"{}\" is not an address: {error}", self.address)))?;
        check_address(&base, self.plain_http)?;
        let program = HeaderValue::from_str(&self.program).map_err(|_| {
            ClientError::settings(format!("{:?} cannot be sent as the name of a program", self.program))
        })?;
        let mut http = reqwest::Client::builder()
            .user_agent(program)
            .default_headers(self.headers())
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_keepalive(KEEPALIVE)
            .tcp_keepalive_interval(KEEPALIVE_INTERVAL)
            .tcp_keepalive_retries(KEEPALIVE_RETRIES)
            .read_timeout(STREAM_TIMEOUT)
            .tls_backend_preconfigured(tls::config(base.scheme())?);
        if is_loopback(&base) {
            http = http.no_proxy();
        }
        let http = http.build().map_err(|error| ClientError::settings(format!("could not make a client: {error}")))?;
        Ok(Client {
            http,
            base,
            token: self.token.as_deref().map(bearer).transpose()?,
            idempotency_key: None,
            timeout: self.timeout,
        })
    }
}

/// Keeps the token out of logs.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("address", &self.address()).finish_non_exhaustive()
    }
}

/// Keeps the token out of logs.
impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Precondition {
    fn apply(self, request: RequestBuilder) -> RequestBuilder {
        match self {
            Self::None => request,
            Self::Absent => request.header(IF_NONE_MATCH, "*"),
            Self::Version(version) => request.header(IF_MATCH, format!("\"{version}\"")),
        }
    }
}

fn check_address(base: &Url, plain_http: PlainHttp) -> Result<(), ClientError> {
    let wrong = |what: &str| Err(ClientError::settings(format!("address {base} {what}")));
    match base.scheme() {
        "https" => {}
        "http" if is_loopback(base) || plain_http == PlainHttp::Anywhere => {}
        "http" => return wrong("would send the token in the clear; use https"),
        _ => return wrong("is neither http:// nor https://"),
    }
    if !base.username().is_empty() || base.password().is_some() || base.query().is_some() || base.fragment().is_some() {
        return wrong("has parts that an address does not have");
    }
    Ok(())
}

fn is_loopback(base: &Url) -> bool {
    let host = base.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

fn bearer(token: &str) -> Result<HeaderValue, ClientError> {
    let mut value = HeaderValue::try_from(format!("Bearer {}", token.trim()))
        .map_err(|_| ClientError::settings("the token has characters that no token has".to_owned()))?;
    value.set_sensitive(true);
    Ok(value)
}

fn random_key() -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the operating system has random bytes");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_goes_in_the_clear_to_this_machine_only() {
        let cases = [
            ("http://127.0.0.1:7070", true),
            ("http://[::1]:7070/", true),
            ("http://localhost", true),
            ("https://ms.example.org/base", true),
            ("http://ms.example.org", false),
            ("http://localhost.example.org", false),
            ("http://user@localhost", false),
            ("http://localhost/?x", false),
            ("ftp://localhost", false),
            ("localhost:7070", false),
            ("", false),
        ];
        for (address, fits) in cases {
            assert_eq!(Client::builder(address).build().is_ok(), fits, "{address}");
        }
        assert!(Client::builder("http://ms.example.org").allow_plain_http().build().is_ok());
    }

    #[test]
    fn a_token_does_not_show() {
        let builder = Client::builder("http://localhost").token("secret");
        let shown = format!("{builder:?} {:?}", builder.clone().build().unwrap());
        assert!(!shown.contains("secret"), "{shown}");
        let error = Client::builder("http://localhost").token("sec\nret").build().unwrap_err();
        assert_eq!(error.to_string(), "the token has characters that no token has");
    }
}
