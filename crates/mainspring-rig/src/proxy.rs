//! A wire, as between a node and its database, that can be cut, slowed and broken while it is in use.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout_at};

/// Pieces that are under way in one direction of a connection: what a slow wire holds, before its sender has to wait.
const PIECES: usize = 256;
const PIECE_BYTES: usize = 16_384;

/// The treatment of bytes in one direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Flow {
    /// They arrive.
    #[default]
    Pass,
    /// They arrive so much later.
    Delay(Duration),
    /// They wait until the wire is whole again, as packets do that are sent again. Nobody is told.
    Hold,
    /// They are taken and never arrive: a half-open connection. Who has lost bytes so finds the connection reset when the
    /// wire is whole again, never something that goes on in the middle.
    Swallow,
}

/// The target of the wire, both directions, and the connections to reset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct State {
    target: SocketAddr,
    to_server: Flow,
    to_client: Flow,
    /// Connections with a lower number are reset.
    reset_below: u64,
    refuse: bool,
}

impl State {
    const fn to(target: SocketAddr) -> Self {
        Self { target, to_server: Flow::Pass, to_client: Flow::Pass, reset_below: 0, refuse: false }
    }
}

/// The effects of a wire, as counts.
#[derive(Debug, Default)]
struct Counts {
    /// Connections that are open.
    open: AtomicU64,
    /// Pieces that were held up or lost, connections that were held up, reset or turned away.
    harm: AtomicU64,
}

impl Counts {
    fn harmed(&self) {
        self.harm.fetch_add(1, Ordering::Relaxed);
    }
}

/// The wire. Ends with all of its connections when dropped.
pub struct Proxy {
    listens: SocketAddr,
    state: watch::Sender<State>,
    opened: watch::Receiver<u64>,
    counts: Arc<Counts>,
    runtime: Option<Runtime>,
}

impl Proxy {
    /// Lays a wire to a port of this machine.
    ///
    /// # Errors
    /// The system gives no thread or port.
    pub fn to(port: u16) -> Result<Self> {
        Self::at(Ipv4Addr::LOCALHOST, port)
    }

    /// Creates a proxy that listens on an address of this machine.
    ///
    /// # Errors
    /// The address is not this machine's, or the system gives no thread or port.
    pub fn at(address: Ipv4Addr, port: u16) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let listener = std::net::TcpListener::bind((address, 0))?;
        listener.set_nonblocking(true)?;
        let listens = listener.local_addr()?;
        let (state, receiver) = watch::channel(State::to(local(port)));
        let (count, opened) = watch::channel(0);
        let entered = runtime.enter();
        let listener = TcpListener::from_std(listener)?;
        drop(entered);
        let counts = Arc::<Counts>::default();
        runtime.spawn(listen(listener, receiver, count, Arc::clone(&counts)));
        Ok(Self { listens, state, opened, counts, runtime: Some(runtime) })
    }

    /// Returns an address on this machine, by way of the wire.
    ///
    /// # Errors
    /// The address names no port.
    pub fn address(&self, address: &str) -> Result<String> {
        let (_, rest) = address.rsplit_once("127.0.0.1:").context("an address on 127.0.0.1 with a port")?;
        let port: String = rest.chars().take_while(char::is_ascii_digit).collect();
        Ok(address.replace(&format!("127.0.0.1:{port}"), &self.listens.to_string()))
    }

    /// Returns the address on which it listens.
    #[must_use]
    pub const fn listens(&self) -> SocketAddr {
        self.listens
    }

    /// Leads to another port of this machine from now on, as an address that moves to another machine: what is open is reset.
    pub fn point_to(&self, port: u16) {
        self.lead_to(local(port));
    }

    /// Leads to an address anywhere, like [`Proxy::point_to`].
    pub fn lead_to(&self, target: SocketAddr) {
        self.state.send_modify(|state| state.target = target);
        self.reset();
    }

    /// Sets both directions.
    pub fn set(&self, flow: Flow) {
        self.set_each(flow, flow);
    }

    /// Sets each direction.
    pub fn set_each(&self, to_server: Flow, to_client: Flow) {
        self.state.send_modify(|state| (state.to_server, state.to_client) = (to_server, to_client));
    }

    /// Turns new connections away, or lets them in again.
    pub fn refuse(&self, refuse: bool) {
        self.state.send_modify(|state| state.refuse = refuse);
    }

    /// Resets every connection that is open.
    pub fn reset(&self) {
        let opened = *self.opened.borrow();
        self.state.send_modify(|state| state.reset_below = opened);
    }

    /// Returns the number of connections so far.
    #[must_use]
    pub fn opened(&self) -> u64 {
        *self.opened.borrow()
    }

    /// Returns the number of open connections.
    #[must_use]
    pub fn open(&self) -> u64 {
        self.counts.open.load(Ordering::Relaxed)
    }

    /// Returns how often the wire did harm: held up or lost something, refused or reset a connection.
    #[must_use]
    pub fn harm(&self) -> u64 {
        self.counts.harm.load(Ordering::Relaxed)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // Tests may be async, where waiting for a runtime is not allowed.
        self.runtime.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

const fn local(port: u16) -> SocketAddr {
    SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, port))
}

async fn listen(listener: TcpListener, state: watch::Receiver<State>, count: watch::Sender<u64>, counts: Arc<Counts>) {
    while let Ok((client, _)) = listener.accept().await {
        let number = *count.borrow();
        count.send_replace(number + 1);
        if state.borrow().refuse {
            counts.harmed();
            reset(&client);
            continue;
        }
        let (state, counts) = (state.clone(), Arc::clone(&counts));
        tokio::spawn(async move {
            // The server is not there: the client is told so. A wire that is cut does not get so far.
            let mut open = state.clone();
            if !is_whole(open.borrow().to_server) {
                counts.harmed();
            }
            whole(&mut open, |state| state.to_server).await;
            let target = open.borrow().target;
            match TcpStream::connect(target).await {
                Ok(server) => {
                    counts.open.fetch_add(1, Ordering::Relaxed);
                    join(client, server, number, state, &counts).await;
                    counts.open.fetch_sub(1, Ordering::Relaxed);
                }
                Err(_) => reset(&client),
            }
        });
    }
}

/// Carries bytes both ways until both sides have ended, or the connection breaks.
async fn join(
    mut client: TcpStream,
    mut server: TcpStream,
    number: u64,
    state: watch::Receiver<State>,
    counts: &Counts,
) {
    for socket in [&client, &server] {
        // A delay is ours to make, not the system's.
        let _set = socket.set_nodelay(true);
    }
    let ((from_client, to_client), (from_server, to_server)) = (client.split(), server.split());
    let mut resets = state.clone();
    let carried = async {
        let there = carry(from_client, to_server, (state.clone(), counts), |state| state.to_server);
        let back = carry(from_server, to_client, (state.clone(), counts), |state| state.to_client);
        tokio::try_join!(there, back).is_ok()
    };
    let whole = tokio::select! {
        whole = carried => whole,
        _ = resets.wait_for(|state| number < state.reset_below) => {
            counts.harmed();
            false
        }
    };
    if !whole {
        reset(&client);
        reset(&server);
    }
}

/// A read and its time: bytes, none at the end, or that the connection broke.
type Piece = (Instant, io::Result<Vec<u8>>);

/// Carries one direction until its end; fails if it breaks.
async fn carry(
    from: ReadHalf<'_>,
    to: WriteHalf<'_>,
    state: (watch::Receiver<State>, &Counts),
    flow: fn(&State) -> Flow,
) -> io::Result<()> {
    let (sender, receiver) = mpsc::channel(PIECES);
    tokio::try_join!(take(from, sender), deliver(receiver, to, state, flow)).map(drop)
}

async fn take(mut from: ReadHalf<'_>, pieces: mpsc::Sender<Piece>) -> io::Result<()> {
    loop {
        let mut bytes = vec![0; PIECE_BYTES];
        let read = from.read(&mut bytes).await.map(|count| {
            bytes.truncate(count);
            bytes
        });
        let goes_on = read.as_ref().is_ok_and(|bytes| !bytes.is_empty());
        if pieces.send((Instant::now(), read)).await.is_err() || !goes_on {
            return Ok(());
        }
    }
}

async fn deliver(
    mut pieces: mpsc::Receiver<Piece>,
    mut to: WriteHalf<'_>,
    (mut state, counts): (watch::Receiver<State>, &Counts),
    flow: fn(&State) -> Flow,
) -> io::Result<()> {
    let mut lost = false;
    loop {
        let (read_at, piece) = tokio::select! {
            Some(piece) = pieces.recv() => piece,
            _ = whole(&mut state, flow), if lost => return Err(io::ErrorKind::ConnectionReset.into()),
            else => return Ok(()),
        };
        if flow(&state.borrow()) != Flow::Pass {
            counts.harmed();
        }
        let arrives = arrival(read_at, &mut state, flow).await;
        if lost && arrives {
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        match piece? {
            _ if !arrives => lost = true,
            bytes if bytes.is_empty() => return to.shutdown().await,
            bytes => to.write_all(&bytes).await?,
        }
    }
}

/// Waits until a piece that was read at an instant arrives. False: it never does.
async fn arrival(read_at: Instant, state: &mut watch::Receiver<State>, flow: fn(&State) -> Flow) -> bool {
    loop {
        let now = flow(&state.borrow_and_update());
        let changed = match now {
            Flow::Pass => return true,
            Flow::Swallow => return false,
            Flow::Hold => state.changed().await,
            Flow::Delay(delay) => match timeout_at(read_at + delay, state.changed()).await {
                Ok(changed) => changed,
                Err(_) => return true,
            },
        };
        if changed.is_err() {
            return false;
        }
    }
}

/// Waits until bytes get through again.
async fn whole(state: &mut watch::Receiver<State>, flow: fn(&State) -> Flow) {
    let _gone = state.wait_for(|state| is_whole(flow(state))).await;
}

/// Returns whether bytes get through, however late.
const fn is_whole(flow: Flow) -> bool {
    matches!(flow, Flow::Pass | Flow::Delay(_))
}

/// Has the socket reset when it is closed, which comes next. Otherwise it would end in order.
fn reset(socket: &TcpStream) {
    let _set = socket.set_zero_linger();
}
