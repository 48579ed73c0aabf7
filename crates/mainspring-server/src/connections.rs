//! Taking connections: how many there may be, which one goes when there is no room, and what each request learns of its own.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, Request, Response, header};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustix::net::sockopt;
use rustix::process::{Resource, getrlimit};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;

use crate::closing::closed;
use crate::grouped::Grouped;
use crate::seats::{Asking, Seat, Seats, Source};

/// How long the head of a request may take, and an idle connection stay.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);
/// The buffer of a connection. A head may be a little longer than it; see `layers`.
const BUFFER_BYTES_MAX: usize = 64 * 1024;
/// Connections at a time, where the process may open so many files; more wait in the listener's queue. Each worker has one or two.
const CONNECTIONS_MAX: usize = 16_384;
/// Connections beyond these, over which health is answered when all others are taken.
const SPARE: usize = 16;
/// When a silent connection is asked whether its other end is there, how often again, and for how many times.
const KEEPALIVE: (Duration, Duration, u32) = (Duration::from_secs(5), Duration::from_secs(2), 3);

/// Half of the files that the process may have open: the rest is for the store and for what runs execute.
pub(crate) fn connections_max() -> usize {
    let files = getrlimit(Resource::Nofile).current.and_then(|files| usize::try_from(files).ok());
    (files.unwrap_or(usize::MAX) / 2).clamp(64, CONNECTIONS_MAX)
}

/// Takes connections until the server closes; returns those that are still open.
pub(crate) async fn accept(
    listener: TcpListener,
    router: Router,
    mut closing: watch::Receiver<bool>,
    room: usize,
) -> JoinSet<()> {
    let (mut connections, failed) = (JoinSet::new(), Grouped::default());
    let places = Places::new(room);
    loop {
        let next = async {
            let (stream, peer) = listener.accept().await?;
            Ok::<_, io::Error>((stream, places.find(peer).await))
        };
        let next = tokio::select! {
            next = next => next,
            () = closed(&mut closing) => return connections,
        };
        while connections.try_join_next().is_some() {}
        match next {
            Ok((stream, (permit, seat))) => {
                let (router, closing) = (router.clone(), closing.clone());
                connections.spawn(async move {
                    serve(stream, router, closing, seat).await;
                    drop(permit);
                });
            }
            Err(error) => {
                // Out of descriptors, most likely: a connection that ends gives one back.
                places.seats.make_room();
                if let Some(times) = failed.note(Instant::now(), error.raw_os_error()) {
                    tracing::warn!(%error, times, "connections could not be taken");
                }
                let _ = tokio::time::timeout(Duration::from_millis(100), connections.join_next()).await;
            }
        }
    }
}

/// The room for connections.
struct Places {
    room: usize,
    free: Arc<Semaphore>,
    spare: Arc<Semaphore>,
    seats: Arc<Seats>,
    full: Grouped<Option<Source>>,
}

impl Places {
    fn new(room: usize) -> Self {
        let (free, spare) = (Arc::new(Semaphore::new(room)), Arc::new(Semaphore::new(SPARE)));
        Self { room, free, spare, seats: Seats::new((room / 4).max(1)), full: Grouped::default() }
    }

    /// Finds a place for a connection. A silent one makes room, or the last places are used; if there are none, this waits.
    async fn find(&self, peer: SocketAddr) -> (OwnedSemaphorePermit, Arc<Seat>) {
        let source = Source::of(peer.ip());
        let free = Arc::clone(&self.free);
        let (permit, is_spare) = match Arc::clone(&free).try_acquire_owned() {
            Ok(permit) => (permit, false),
            Err(_) if self.seats.make_room() => {
                self.say(None, "there is no room for more connections: those go that were silent for longest");
                (one_of(free).await, false)
            }
            Err(_) => {
                self.say(None, "there is no room for more connections: all are at work");
                if self.spare.available_permits() == 0 {
                    self.seats.make_spare_room();
                }
                tokio::select! {
                    biased;
                    permit = one_of(free) => (permit, false),
                    permit = one_of(Arc::clone(&self.spare)) => (permit, true),
                }
            }
        };
        let (seat, closes) = self.seats.enter(source, is_spare);
        if closes {
            self.say(Some(source), "a source has as many connections without a token as it may: its oldest go");
        }
        (permit, seat)
    }

    fn say(&self, source: Option<Source>, what: &str) {
        if let Some(times) = self.full.note(Instant::now(), source) {
            let from = source.map(tracing::field::display);
            tracing::warn!(from, room = self.room, times, "{what}");
        }
    }
}

async fn one_of(places: Arc<Semaphore>) -> OwnedSemaphorePermit {
    places.acquire_owned().await.expect("nobody closes the semaphore")
}

/// Finds out in some seconds when the machine at the other end is gone: a poll that is held says nothing by itself.
fn keep_alive(stream: &TcpStream) -> rustix::io::Result<()> {
    let (idle, interval, count) = KEEPALIVE;
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, idle)?;
    sockopt::set_tcp_keepintvl(stream, interval)?;
    sockopt::set_tcp_keepcnt(stream, count)
}

async fn serve(stream: TcpStream, router: Router, mut closing: watch::Receiver<bool>, seat: Arc<Seat>) {
    let _ = stream.set_nodelay(true);
    let _ = keep_alive(&stream);
    let inner = TowerToHyperService::new(router);
    let (asks, is_spare) = (Arc::clone(&seat), seat.is_spare);
    let service = hyper::service::service_fn(move |mut request: Request<Incoming>| {
        let asking = asks.asks();
        request.extensions_mut().insert(Arc::clone(&asks));
        let answer = hyper::service::Service::call(&inner, request);
        async move { Ok::<_, Infallible>(watched(answer.await?, asking, is_spare)) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(BUFFER_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = seat.closed() => return,
        () = closed(&mut closing) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke off");
    }
}

/// An answer whose request lasts until its body has ended. A spare place is for one request.
fn watched(answer: Response<Body>, asking: Asking, is_spare: bool) -> Response<Watched> {
    let mut answer = answer.map(|body| Watched { body, _asking: asking });
    if is_spare {
        answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    answer
}

/// A body that says when it has ended: a stream is at work while it lives.
struct Watched {
    body: Body,
    _asking: Asking,
}

impl hyper::body::Body for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
