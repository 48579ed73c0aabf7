//! Calls executors.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use reqwest::Url;
use reqwest::dns::Resolve;
use reqwest::header::{CONTENT_TYPE, DATE, HeaderMap, HeaderValue};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use serde::Serialize;

use crate::address::Address;
use crate::dialect::{Dialect, Evidence};
use crate::order::{Kill, LogQuestion, Order};
use crate::reply::Reply;
use crate::token;

/// Limits of a [`Client`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClientLimits {
    /// Time to make a connection, in milliseconds.
    pub connect_ms: u64,
    /// Time from the beginning of a call to the end of its answer, in milliseconds.
    pub answer_ms: u64,
    /// Largest answer that is taken, in bytes, unless it has a log.
    pub answer_max: usize,
    /// Most that is taken of an answer with a log, in bytes. A log comes whole from the line asked for on, however long it is: the rest is
    /// asked for with the next question.
    pub log_max: usize,
}

impl Default for ClientLimits {
    fn default() -> Self {
        Self { connect_ms: 3_000, answer_ms: 3_000, answer_max: 16 << 20, log_max: 4 << 20 }
    }
}

/// Executors end connections that are idle for 90 s; ours end before.
const IDLE: Duration = Duration::from_secs(60);

/// The question for a log.
const LOG: &str = "log";

/// Calls executors, each in its dialect.
///
/// Redirects are not followed, no proxy is used, and certificates are verified, so that the token goes nowhere but to the
/// address. No call is ever repeated.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    limits: ClientLimits,
    reach: Option<Reach>,
}

/// Says why a URL is not called.
pub type Check = Arc<dyn Fn(&Url) -> Result<(), String> + Send + Sync>;

/// Which addresses a [`Client`] calls. Executors name their own addresses, so that without a rule each of them could have any machine
/// called that the server reaches.
#[derive(Clone)]
pub struct Reach {
    /// Checks a URL whose host is an address; says why it is not called.
    pub check: Check,
    /// Finds the addresses of host names: those that may be called.
    pub resolver: Arc<dyn Resolve>,
}

impl fmt::Debug for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reach").finish_non_exhaustive()
    }
}

/// A client that cannot be made.
#[derive(Debug, thiserror::Error)]
#[error("could not set up the client that calls executors: {0}")]
pub struct SettingsError(String);

/// A call without an answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CallFailed {
    /// No connection was made, so nothing was sent.
    #[error("{address} cannot be reached: {reason}")]
    Unreached {
        /// Who was called.
        address: Address,
        /// Why.
        reason: String,
    },
    /// Something was sent and not answered: perhaps it was heard.
    #[error("{address} has not answered: {reason}")]
    Unanswered {
        /// Who was called.
        address: Address,
        /// Why.
        reason: String,
    },
}

/// What came of sending a run.
#[derive(Clone, PartialEq, Debug)]
pub enum RunAnswer {
    /// The executor has it. It may be over already.
    Accepted(Reply),
    /// The executor said no.
    Refused(Reply),
    /// Nothing was sent.
    Unreached(String),
    /// Perhaps it runs: it must not be sent again.
    Unknown(String),
}

/// What a probe of an executor found.
#[derive(Clone, PartialEq, Debug)]
pub struct Probe {
    /// The answer to a beat with everything that an executor may want.
    pub beat: Reply,
    /// What is known of the dialect now.
    pub evidence: Option<Evidence>,
}

impl Client {
    /// Makes a client that calls every address.
    ///
    /// # Errors
    /// When the system's TLS cannot be set up.
    pub fn new(limits: ClientLimits) -> Result<Self, SettingsError> {
        Self::make(limits, None)
    }

    /// Makes a client that calls only what a rule allows.
    ///
    /// # Errors
    /// When the system's TLS cannot be set up.
    pub fn within(limits: ClientLimits, reach: Reach) -> Result<Self, SettingsError> {
        Self::make(limits, Some(reach))
    }

    fn make(limits: ClientLimits, reach: Option<Reach>) -> Result<Self, SettingsError> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| SettingsError(error.to_string()))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let mut builder = reqwest::Client::builder();
        if let Some(reach) = &reach {
            builder = builder.dns_resolver(Arc::clone(&reach.resolver));
        }
        let http = builder
            .tls_backend_preconfigured(tls)
            .http1_only()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .connect_timeout(Duration::from_millis(limits.connect_ms))
            .timeout(Duration::from_millis(limits.answer_ms))
            .pool_idle_timeout(IDLE)
            .build()
            .map_err(|error| SettingsError(error.to_string()))?;
        Ok(Self { http, limits, reach })
    }

    /// Sends a run. Whatever comes of it, the same order must not be sent again.
    pub async fn run(&self, to: &Target<'_>, order: &Order) -> RunAnswer {
        match self.call(to, to.dialect.run_method(), &body(order)).await {
            Ok(reply) if reply.is_success() => RunAnswer::Accepted(reply),
            Ok(reply) => RunAnswer::Refused(reply),
            Err(CallFailed::Unreached { reason, .. }) => RunAnswer::Unreached(reason),
            Err(CallFailed::Unanswered { reason, .. }) => RunAnswer::Unknown(reason),
        }
    }

    /// Asks whether the executor is there.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn beat(&self, to: &Target<'_>) -> Result<Reply, CallFailed> {
        self.call(to, "beat", "").await
    }

    /// Asks whether no run of a job waits or runs there. A handler that ignores its end may still run all the same.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn idle_beat(&self, to: &Target<'_>, job_id: i32) -> Result<Reply, CallFailed> {
        self.call(to, "idleBeat", &body(&Kill { job_id })).await
    }

    /// Ends all runs of a job there. pyxxl answers once its callback was delivered, so callbacks must be served meanwhile.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn kill(&self, to: &Target<'_>, job_id: i32) -> Result<Reply, CallFailed> {
        self.call(to, "kill", &body(&Kill { job_id })).await
    }

    /// Asks for the log of a run. Of a long one, the beginning is taken.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn log(&self, to: &Target<'_>, question: &LogQuestion) -> Result<Reply, CallFailed> {
        self.call(to, LOG, &body(question)).await
    }

    /// Finds out whether an executor that has not registered is there, and whether it speaks 3.5: that refuses a beat that names no
    /// app, which all others answer. Codes tell, not texts, and nothing runs.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn probe(&self, to: &Target<'_>) -> Result<Probe, CallFailed> {
        let beat = self.beat(to).await?;
        if !beat.is_success() {
            return Ok(Probe { beat, evidence: None });
        }
        let nameless = self.send(to, "beat", "", to.headers(false)).await?;
        let evidence = match nameless.code {
            Some(200) => Evidence::AtMost(Dialect::V3_3),
            _ => Evidence::Is(Dialect::V3_5),
        };
        Ok(Probe { beat, evidence: Some(evidence) })
    }

    pub(crate) async fn call(&self, to: &Target<'_>, method: &str, body: &str) -> Result<Reply, CallFailed> {
        self.send(to, method, body, to.headers(true)).await
    }

    async fn send(&self, to: &Target<'_>, method: &str, body: &str, headers: HeaderMap) -> Result<Reply, CallFailed> {
        let failed = |error: &reqwest::Error| {
            let (address, reason) = (to.address.clone(), chain(error));
            match error.is_connect() || error.is_builder() {
                true => CallFailed::Unreached { address, reason },
                false => CallFailed::Unanswered { address, reason },
            }
        };
        let url = to.address.join(method);
        if let Some(Err(reason)) = self.reach.as_ref().map(|reach| reach.allows(&url)) {
            return Err(CallFailed::Unreached { address: to.address.clone(), reason });
        }
        let request = self.http.post(url).headers(headers).body(body.to_owned());
        let mut response = request.send().await.map_err(|error| failed(&error))?;
        let date_ms = response.headers().get(DATE).and_then(date_ms);
        let status = response.status().as_u16();
        let max = if method == LOG { self.limits.log_max } else { self.limits.answer_max };
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| failed(&error))? {
            let room = max - bytes.len();
            bytes.extend_from_slice(&chunk[..room.min(chunk.len())]);
            if chunk.len() > room {
                let cut = (method == LOG && status == 200).then(|| Reply::of_cut_log(&bytes)).flatten();
                let reason = format!("its answer has more than {max} bytes");
                let failed = || CallFailed::Unanswered { address: to.address.clone(), reason };
                return cut.map(|reply| Reply { date_ms, ..reply }).ok_or_else(failed);
            }
        }
        Ok(Reply { date_ms, ..Reply::parse(status, &bytes) })
    }
}

/// Whom to call, and as whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target<'a> {
    /// Where.
    pub address: &'a Address,
    /// How.
    pub dialect: Dialect,
    /// The app, which 3.5 wants to be told.
    pub app: &'a str,
    /// Its token, if it has one.
    pub token: Option<&'a str>,
}

impl Target<'_> {
    /// The headers of a call. The app is named to all, because releases before 3.5 pass it over.
    fn headers(&self, names_app: bool) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json;charset=UTF-8"));
        let mut add = |name: &'static str, text: &str| {
            if let Ok(mut value) = HeaderValue::from_bytes(text.as_bytes()) {
                value.set_sensitive(name == token::TOKEN);
                headers.insert(name, value);
            }
        };
        if let Some(token) = self.token.filter(|token| !token.is_empty()) {
            add(token::TOKEN, token);
        }
        if names_app {
            add(token::APP, self.app);
        }
        headers
    }
}

impl Reach {
    /// Says why a URL is not called, if its host is an address.
    ///
    /// # Errors
    /// It is not called.
    pub fn allows(&self, url: &str) -> Result<(), String> {
        let url = Url::parse(url).map_err(|error| error.to_string())?;
        (self.check)(&url)
    }
}

/// An instant of a header, in milliseconds since 1970 UTC.
fn date_ms(value: &HeaderValue) -> Option<i64> {
    let at = httpdate::parse_http_date(value.to_str().ok()?).ok()?;
    i64::try_from(at.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

/// The JSON of a body.
fn body(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("bodies have no maps and no floats, so they can be written")
}

/// An error with its causes, without the address: that is said beside it.
fn chain(error: &reqwest::Error) -> String {
    let mut causes = Vec::new();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        causes.push(cause.to_string());
        source = cause.source();
    }
    match error.is_timeout() {
        true => "it takes too long".to_owned(),
        false if causes.is_empty() => error.to_string(),
        false => causes.join(": "),
    }
}
