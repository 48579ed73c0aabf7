//! A process tree without a leash: group, ancestry and environment tell who belongs to it.

use std::future::Future;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tokio::process::{Child, Command};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep, timeout};

use super::launch::{Exit, Launch, spawn_error};
use super::tree::{self, Tree};
use crate::ended::{Outcome, TaskError};
use crate::leash::STRAY_GRACE;
use crate::leftovers::LET_GO_AFTER;

/// The time after KILL before the worker gives up.
const STUCK_AFTER: Duration = Duration::from_secs(10);
const ROUND: Duration = Duration::from_millis(10);

/// The main process, in a group of its own. Dropping it kills the group.
pub(crate) struct Bare {
    child: Child,
    tree: Tree,
    kill_grace: Duration,
    lets_go: bool,
    ended: bool,
}

impl Bare {
    /// Starts the program.
    pub(crate) fn start(launch: Launch) -> Result<Self, TaskError> {
        let mut command = Command::new(&launch.argv[0]);
        command.args(&launch.argv[1..]);
        command.stdin(Stdio::null()).process_group(0);
        let spawned = launch.dress(&mut command).and_then(|()| command.spawn());
        let child = spawned.map_err(|error| spawn_error(&launch.program(), &error))?;
        let main = child.id().expect("a child that was not waited for has an id");
        let tree = Tree { main: tree::pid_of(main), marker: launch.marker };
        Ok(Self { child, tree, kill_grace: launch.kill_grace, lets_go: launch.lets_go, ended: false })
    }

    /// Waits until the whole tree is gone or let go, ending it when `stop` says so.
    pub(crate) async fn run(mut self, stop: impl Future<Output = Outcome>) -> Result<Exit, TaskError> {
        let mut exit = Exit::default();
        let status = tokio::select! {
            status = self.child.wait() => {
                if self.lets_go {
                    let _ = timeout(LET_GO_AFTER, wait_until_gone(&self.tree)).await;
                    exit.background = members(&self.tree).await;
                } else {
                    exit.left = end_rest(&self.tree, STRAY_GRACE.min(self.kill_grace)).await;
                }
                Some(status)
            }
            outcome = stop => {
                exit.stopped = Some(outcome);
                self.stop(&mut exit).await
            }
        };
        if let Some(status) = status.transpose().map_err(|error| lost(&error))? {
            exit.end(status.code(), status.signal());
        }
        self.ended = true;
        Ok(exit)
    }

    /// Sends TERM to all, and KILL to those that still run when the grace has passed.
    async fn stop(&mut self, exit: &mut Exit) -> Option<io::Result<ExitStatus>> {
        terminate(&self.tree).await;
        let all_gone = async {
            let status = self.child.wait().await;
            wait_until_gone(&self.tree).await;
            status
        };
        if let Ok(status) = timeout(self.kill_grace, all_gone).await {
            return Some(status);
        }
        exit.left = kill(&self.tree).await;
        // What KILL does not end may be the main process, and then nobody knows for how long.
        match exit.left {
            0 => Some(self.child.wait().await),
            _ => None,
        }
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        if !self.ended {
            // Should the leader be reaped already: a freed number comes round again last of all.
            let _ = rustix::process::kill_process_group(self.tree.main, Signal::KILL);
        }
    }
}

/// Ends what a finished main process left, and returns how many could not be ended.
async fn end_rest(tree: &Tree, grace: Duration) -> usize {
    if terminate(tree).await == 0 || timeout(grace, wait_until_gone(tree)).await.is_ok() {
        return 0;
    }
    kill(tree).await
}

/// Sends KILL until nothing is left, and returns how many could not be ended.
pub(crate) async fn kill(tree: &Tree) -> usize {
    let give_up_at = Instant::now() + STUCK_AFTER;
    loop {
        let left = signal(tree, Signal::KILL).await;
        if left == 0 || Instant::now() >= give_up_at {
            return left;
        }
        sleep(ROUND).await;
    }
}

async fn terminate(tree: &Tree) -> usize {
    let count = signal(tree, Signal::TERM).await;
    if count > 0 {
        signal(tree, Signal::CONT).await;
    }
    count
}

async fn wait_until_gone(tree: &Tree) {
    while !members(tree).await.is_empty() {
        sleep(ROUND).await;
    }
}

async fn signal(tree: &Tree, signal: Signal) -> usize {
    let tree = tree.clone();
    spawn_blocking(move || tree.signal(signal)).await.unwrap_or(0)
}

async fn members(tree: &Tree) -> Vec<Pid> {
    let tree = tree.clone();
    let members = move || tree.members().iter().map(|member| member.pid).collect();
    spawn_blocking(members).await.unwrap_or_default()
}

fn lost(error: &io::Error) -> TaskError {
    TaskError::new("process.lost", format!("could not wait for the process: {error}"))
}
