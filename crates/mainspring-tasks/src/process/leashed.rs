//! A process tree held by a leash, seen from the worker. See [`crate::leash`].

use std::future::Future;
use std::io;
use std::os::fd::OwnedFd;
use std::pin::pin;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::Pid;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep_until};

use super::bare;
use super::launch::{Exit, Launch, spawn_error};
use super::tree::Tree;
use crate::attempt::Silence;
use crate::ended::{Outcome, TaskError};
use crate::leash::report::Report;
use crate::leash::{self, STUCK_AFTER};

/// The time that the leash may take beyond its own limits.
const PATIENCE: Duration = Duration::from_secs(5);

/// The leash and the connection to it. Dropping it ends the whole tree with KILL.
pub(crate) struct Leashed {
    leash: Child,
    reports: Lines<BufReader<OwnedReadHalf>>,
    orders: OwnedWriteHalf,
    program: String,
    marker: Vec<u8>,
    kill_grace: Duration,
    silence: Option<Silence>,
}

/// The number of heartbeats that the worker sends to the leash within the longest silence.
const SIGNS_OF_LIFE: u32 = 5;

impl Leashed {
    /// Starts the leash, which starts the program.
    pub(crate) fn start(launch: Launch) -> Result<Self, TaskError> {
        let (ours, theirs) = control_socket().map_err(|error| spawn_error("the leash", &error))?;
        let Some(holder) = &launch.leash else {
            return Err(TaskError::new("process.leash", "no leash program is configured"));
        };
        let mut command = Command::new(&holder.program);
        let grace = launch.kill_grace.as_millis();
        let silence = launch.silence.map(|silence| format!(":{}:{}", silence.longest.as_millis(), silence.since_ms));
        let silence = silence.unwrap_or_default();
        let lets_go = if launch.lets_go { leash::LETS_GO } else { "" };
        command.args(&holder.args).arg(format!("{lets_go}{grace}{silence}")).args(&launch.argv);
        command.stdin(theirs);
        let spawned = launch.dress(&mut command).and_then(|()| command.spawn());
        let leash = spawned.map_err(|error| leash_error(&launch, &error))?;
        let (reports, orders) = ours.into_split();
        Ok(Self {
            leash,
            reports: BufReader::new(reports).lines(),
            orders,
            program: launch.program(),
            marker: launch.marker,
            kill_grace: launch.kill_grace,
            silence: launch.silence,
        })
    }

    /// Waits until the whole tree is gone or let go, having it ended when `stop` says so.
    pub(crate) async fn run(mut self, stop: impl Future<Output = Outcome>) -> Result<Exit, TaskError> {
        let mut stop = pin!(stop);
        let mut exit = Exit::default();
        let mut main = None;
        let mut deadline: Option<Instant> = None;
        let sign_every = self.silence.map(|silence| silence.longest / SIGNS_OF_LIFE);
        let mut sign_at = Instant::now();
        let has_closed = loop {
            tokio::select! {
                line = self.reports.next_line() => match line.ok().flatten().as_deref().and_then(Report::parse) {
                    Some(Report::Started(pid)) => main = Some(pid),
                    Some(Report::Refused(errno)) => return Err(self.refused(errno)),
                    Some(Report::Ended { code, signal }) => {
                        exit.end(code, signal);
                        deadline = deadline.or_else(|| self.patience());
                    }
                    Some(Report::Lapsed(_)) => exit.stopped = exit.stopped.or(Some(Outcome::Cancelled)),
                    Some(Report::Left(count)) => exit.left = count,
                    Some(Report::Background(pid)) => exit.background.push(pid),
                    None => break true,
                },
                outcome = &mut stop, if exit.stopped.is_none() && !exit.has_ended() => {
                    exit.stopped = Some(outcome);
                    deadline = self.patience();
                    // A leash that has just gone does not listen; its reports say how it went.
                    let _ = self.orders.write_all(b"T").await;
                }
                () = sleep_until(sign_at), if sign_every.is_some() => {
                    sign_at = Instant::now() + sign_every.unwrap_or_default();
                    let _ = self.orders.write_all(b"A").await;
                }
                () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => break false,
            }
        };
        let is_done = has_closed && exit.has_ended();
        self.finish(exit, main.filter(|_| !is_done)).await
    }

    /// Ends the leash, and the tree too where the leash has not seen to it.
    async fn finish(mut self, mut exit: Exit, held: Option<Pid>) -> Result<Exit, TaskError> {
        let _ = self.leash.start_kill();
        let _ = self.leash.wait().await;
        if let Some(main) = held {
            let marker = self.marker;
            exit.left = bare::kill(&Tree { main, marker }).await;
        }
        if !exit.has_ended() && exit.stopped.is_none() {
            let message =
                "the leash of the process was killed, so its end is not known; the rest of its tree was ended";
            return Err(TaskError::new("process.leash_lost", message));
        }
        Ok(exit)
    }

    fn refused(&self, errno: i32) -> TaskError {
        spawn_error(&self.program, &io::Error::from_raw_os_error(errno))
    }

    fn patience(&self) -> Option<Instant> {
        Some(Instant::now() + self.kill_grace + STUCK_AFTER + PATIENCE)
    }
}

/// Returns a socket whose other end can be a process's standard input.
fn control_socket() -> io::Result<(tokio::net::UnixStream, Stdio)> {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    Ok((tokio::net::UnixStream::from_std(ours)?, OwnedFd::from(theirs).into()))
}

/// Returns the error of a start. The leash gets the program's arguments, so their faults show when it starts.
fn leash_error(launch: &Launch, error: &io::Error) -> TaskError {
    match error.kind() {
        io::ErrorKind::ArgumentListTooLong | io::ErrorKind::InvalidInput => spawn_error(&launch.program(), error),
        _ => TaskError::new("process.leash", format!("could not start the leash: {error}")),
    }
}
