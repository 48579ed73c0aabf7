//! HTTP calls: one request, its redirects, and the verdict on the answer.
//!
//! Connections are made afresh for each request: a kept one may be closed by the server just when
//! the next fire uses it, and a job that runs once a minute gains nothing from it. Proxies from the
//! environment are not used, because behind one the outbound policy could not see addresses.

pub(crate) mod error;
mod guard;
pub(crate) mod request;
mod resolver;
mod tls;

use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::LOCATION;
use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};
use tokio::sync::OnceCell;
use tokio::time::timeout;

use self::error::Denied;
use self::request::{Request, shown};
use self::tls::Trust;
use crate::attempt::Attempt;
use crate::ended::{Ended, Outcome, TaskError};
use crate::log::capture::{LineCutter, Recorder};
use crate::log::line::Stream;
use crate::policy::OutboundPolicy;
use crate::settings::{Settings, SettingsError};
use crate::task::HttpCall;

const USER_AGENT: &str = concat!("mainspring/", env!("CARGO_PKG_VERSION"));

/// Makes HTTP calls under one outbound policy.
#[derive(Debug)]
pub(crate) struct Caller {
    policy: Arc<OutboundPolicy>,
    trust: Trust,
    verifying: OnceCell<Client>,
    trusting: OnceCell<Client>,
}

/// The state of a call so far.
struct Progress<'a> {
    recorder: &'a mut Recorder,
    status: Option<u16>,
    /// What is kept of the answer's body, and how much of it may be.
    kept: Vec<u8>,
    keep_max: usize,
}

impl Caller {
    /// Checks the settings. The clients are made when first needed, because reading the system's
    /// root certificates takes a while.
    pub(crate) fn new(settings: &Settings) -> Result<Self, SettingsError> {
        Ok(Self {
            policy: Arc::new(settings.outbound.clone()),
            trust: Trust::new(settings.tls_roots.as_deref())?,
            verifying: OnceCell::new(),
            trusting: OnceCell::new(),
        })
    }

    /// Returns why the policy keeps a call from this address, as far as the address itself tells.
    pub(crate) fn denies(&self, url: &str) -> Option<String> {
        let url = Url::parse(url).ok()?;
        let (host, port) = (url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or_default());
        let loopback = [IpAddr::from(Ipv4Addr::LOCALHOST), Ipv6Addr::LOCALHOST.into()];
        let reaches = |ip: IpAddr| self.policy.permits(SocketAddr::new(ip, port));
        // RFC 6761: such names are this machine, whatever a resolver says.
        if is_localhost(host) && !self.policy.permits_host(host) && !loopback.into_iter().any(reaches) {
            return Some(Denied { host: host.to_owned(), ip: loopback[0] }.to_string());
        }
        self.policy.check(&url).err().map(|denied| denied.to_string())
    }

    /// Makes one call, its answer's body going into the log.
    pub(crate) async fn perform(
        &self,
        call: &HttpCall,
        attempt: &Attempt,
        recorder: &mut Recorder,
        stop: impl Future<Output = Outcome>,
    ) -> Ended {
        let mut progress = Progress { recorder, status: None, kept: Vec::new(), keep_max: call.keep_max };
        let ended = {
            let mut exchange = pin!(timeout(call.timeout(), self.exchange(call, attempt, &mut progress)));
            tokio::select! {
                result = &mut exchange => match result {
                    Ok(Ok(())) => Ended::succeeded(),
                    Ok(Err(error)) => Ended::failed(error),
                    Err(_) => timed_out(call.timeout()),
                },
                outcome = stop => match outcome {
                    Outcome::TimedOut => timed_out(attempt.timeout.unwrap_or_default()),
                    _ => Ended::cancelled(),
                },
            }
        };
        let body = (call.keep_max > 0).then_some(progress.kept);
        Ended { http_status: progress.status, body, ..ended }
    }

    /// Finds the addresses of a host under the outbound policy, for those who speak something else than HTTP there.
    pub(crate) async fn addresses(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, TaskError> {
        let found = tokio::net::lookup_host((host, port)).await.map_err(|source| {
            let unresolved = error::Unresolved { host: host.to_owned(), source };
            TaskError::new("http.dns", format!("{unresolved}: {}", unresolved.source))
        })?;
        let permits = |address: &SocketAddr| self.policy.permits_host(host) || self.policy.permits(*address);
        let (permitted, denied): (Vec<_>, Vec<_>) = found.partition(permits);
        match denied.first() {
            Some(denied) if permitted.is_empty() => Err(Denied { host: host.to_owned(), ip: denied.ip() }.into()),
            _ => Ok(permitted),
        }
    }

    async fn exchange(&self, call: &HttpCall, attempt: &Attempt, progress: &mut Progress<'_>) -> Result<(), TaskError> {
        let client = self.client(call.verify_tls).await?;
        let mut request = Request::first(call, attempt)?;
        let mut redirects_left = call.redirects_max.min(HttpCall::REDIRECTS_MAX);
        loop {
            let response = self.send(client, &request).await?;
            let status = response.status().as_u16();
            progress.status = Some(status);
            progress.recorder.remark(format!("{} {} answered {status}", request.method, shown(&request.url)));
            if call.expects(status) {
                return self.read_body(response, progress).await;
            }
            let Some(target) = redirect_target(&response).filter(|_| call.redirects_max > 0) else {
                // The status is the news, even if the body breaks off.
                let _ = self.read_body(response, progress).await;
                return Err(unexpected(call, &request, status));
            };
            if redirects_left == 0 {
                let message = format!("{} redirects on, after {} redirects", shown(&request.url), call.redirects_max);
                return Err(TaskError::new("http.too_many_redirects", message));
            }
            redirects_left -= 1;
            request = request.redirected(status, &target)?;
        }
    }

    async fn send(&self, client: &Client, request: &Request) -> Result<Response, TaskError> {
        self.policy.check(&request.url)?;
        let mut builder = client.request(request.method.clone(), request.url.clone()).headers(request.headers.clone());
        if let Some(body) = &request.body {
            builder = builder.body(body.clone());
        }
        builder.send().await.map_err(|error| error::explain(&error, &request.url))
    }

    /// Keeps the body, or puts it into the log as it comes; what the log does not keep is not waited for.
    async fn read_body(&self, mut response: Response, progress: &mut Progress<'_>) -> Result<(), TaskError> {
        let url = response.url().clone();
        if progress.keep_max > 0 {
            while let Some(bytes) = response.chunk().await.map_err(|error| error::explain(&error, &url))? {
                if progress.kept.len() + bytes.len() > progress.keep_max {
                    let message = format!("the answer of {} has more than {} bytes", shown(&url), progress.keep_max);
                    return Err(TaskError::new("http.too_large", message));
                }
                progress.kept.extend_from_slice(&bytes);
            }
            return Ok(());
        }
        let recorder = &mut *progress.recorder;
        let mut lines = LineCutter::new(Stream::Stdout);
        while !recorder.is_closed() {
            let Some(bytes) = response.chunk().await.map_err(|error| error::explain(&error, &url))? else {
                break;
            };
            recorder.take(&mut lines, &bytes);
            recorder.flush_due().await;
        }
        recorder.finish(&mut lines);
        Ok(())
    }

    async fn client(&self, verify_tls: bool) -> Result<&Client, TaskError> {
        let cell = if verify_tls { &self.verifying } else { &self.trusting };
        cell.get_or_try_init(|| async {
            let trust = self.trust.clone();
            let tls = tokio::task::spawn_blocking(move || trust.client_config(verify_tls)).await;
            let tls =
                tls.map_err(|error| TaskError::new("http.client", format!("could not set up TLS: {error}")))??;
            Client::builder()
                .user_agent(USER_AGENT)
                .tls_backend_preconfigured(tls)
                .dns_resolver(self.policy.resolver())
                .redirect(Policy::none())
                .referer(false)
                .pool_max_idle_per_host(0)
                .no_proxy()
                // Another crate's features must not change what goes over the wire, nor unpack bombs.
                .http1_only()
                .no_gzip()
                .no_brotli()
                .no_zstd()
                .no_deflate()
                .build()
                .map_err(|error| TaskError::new("http.client", format!("could not set up the HTTP client: {error}")))
        })
        .await
    }
}

fn is_localhost(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    host == "localhost" || host.ends_with(".localhost")
}

fn redirect_target(response: &Response) -> Option<String> {
    let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let location = response.headers().get(LOCATION).filter(|_| is_redirect)?;
    Some(String::from_utf8_lossy(location.as_bytes()).into_owned())
}

fn unexpected(call: &HttpCall, request: &Request, status: u16) -> TaskError {
    let expected: Vec<_> = call.expect.iter().map(ToString::to_string).collect();
    let message = format!("{} answered {status}, expected {}", shown(&request.url), expected.join(", "));
    TaskError::new("http.unexpected_status", message)
}

fn timed_out(limit: Duration) -> Ended {
    let error = TaskError::new("http.timeout", format!("no complete answer within {limit:?}"));
    Ended::with_error(Outcome::TimedOut, error)
}
