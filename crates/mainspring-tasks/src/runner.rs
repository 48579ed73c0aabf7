//! Performs tasks.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use tokio::time::sleep;

use crate::attempt::Attempt;
use crate::ended::{Ended, Outcome, TaskError};
#[cfg(feature = "http")]
use crate::http::Caller;
use crate::log::capture::Recorder;
use crate::log::channel::LogWriter;
use crate::process::{Host, Program};
use crate::room::Room;
use crate::settings::{LogLimits, Settings, SettingsError};
use crate::task::Task;

const DEFAULT_SHELL: &str = "sh";
/// The smallest line limit: room for any character.
const LINE_BYTES_MIN: usize = 16;

const WITHOUT_SCRIPTS: &str =
    "this process executes no scripts; start it with --scripts, or send the job to a queue of a worker that has it";
#[cfg(not(feature = "http"))]
const WITHOUT_HTTP: &str = "this program was built without HTTP tasks; add the crate's feature http-tasks";

/// Performs tasks under common settings. One per worker; shared by reference among its slots.
#[derive(Debug)]
pub struct TaskRunner {
    processes: Host,
    #[cfg(feature = "http")]
    http: Caller,
    scripts: bool,
    room: Room,
    log: LogLimits,
}

impl TaskRunner {
    /// Checks the settings, makes the runner's own folder under the work root, and removes what
    /// runners that were killed left there. Blocks for file work.
    ///
    /// # Errors
    /// [`SettingsError`] when a folder cannot be made, the leash is missing or a limit is too small.
    pub fn new(settings: Settings) -> Result<Self, SettingsError> {
        if settings.log.line_bytes_max < LINE_BYTES_MIN {
            return Err(SettingsError::TooSmall { field: "log.line_bytes_max", min: LINE_BYTES_MIN as u64 });
        }
        Ok(Self {
            processes: Host::new(&settings)?,
            #[cfg(feature = "http")]
            http: Caller::new(&settings)?,
            scripts: settings.scripts,
            room: Room::new(settings.files),
            log: settings.log,
        })
    }

    /// Returns why the outbound policy keeps HTTP calls from an address, as far as the address itself tells: names are looked up
    /// when a call is made.
    #[cfg(feature = "http")]
    pub fn denies(&self, url: &str) -> Option<String> {
        self.http.denies(url)
    }

    /// Finds the addresses of a host that HTTP calls may reach.
    ///
    /// # Errors
    /// `http.dns`: there is none. `http.denied_address`: none that may be reached.
    pub async fn addresses(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, TaskError> {
        #[cfg(feature = "http")]
        return self.http.addresses(host, port).await;
        #[cfg(not(feature = "http"))]
        {
            let _unused = (host, port);
            Err(TaskError::new("task.not_enabled", WITHOUT_HTTP))
        }
    }

    /// Performs `task` and returns how it ended; nothing of it runs or is stored any more then.
    ///
    /// When `cancel` completes, or the attempt's timeout passes, before the main process has ended,
    /// the whole process tree gets TERM and after the grace KILL. What the main process leaves
    /// running is ended likewise. The log ends (its reader gets `None`) before this returns.
    /// Dropping the future ends the tree at once with KILL, without waiting for it. A task that would open more files than the
    /// process may waits before it starts; its timeout begins then.
    ///
    /// Needs a Tokio runtime with I/O and time.
    pub async fn perform(
        &self,
        task: &Task,
        attempt: &Attempt,
        log: LogWriter,
        cancel: impl Future<Output = ()>,
    ) -> Ended {
        let mut recorder = Recorder::new(log, self.log);
        let mut cancel = pin!(cancel);
        let room = match self.room.try_take(task) {
            Some(room) => Some(room),
            None => {
                recorder.remark(self.room.remark());
                tokio::select! {
                    room = self.room.take(task) => Some(room),
                    () = &mut cancel => None,
                }
            }
        };
        let mut ended = match room {
            Some(_room) => self.dispatch(task, attempt, &mut recorder, stop(cancel, attempt.timeout)).await,
            None => Ended::cancelled(),
        };
        (ended.log_lines, ended.log_truncated) = recorder.close().await;
        ended
    }

    async fn dispatch(
        &self,
        task: &Task,
        attempt: &Attempt,
        recorder: &mut Recorder,
        stop: impl Future<Output = Outcome>,
    ) -> Ended {
        let program = match task {
            Task::Noop => return Ended::succeeded(),
            Task::Run { script, shell } => Program::Script { script, shell: shell.as_deref().unwrap_or(DEFAULT_SHELL) },
            Task::Exec { argv } => Program::Argv(argv),
            Task::Script(_) if !self.scripts => return Ended::failed(TaskError::new("script.off", WITHOUT_SCRIPTS)),
            Task::Script(script) => Program::File(script),
            #[cfg(feature = "http")]
            Task::Http(call) => return self.http.perform(call, attempt, recorder, stop).await,
            #[cfg(not(feature = "http"))]
            Task::Http(_) => {
                return Ended::failed(TaskError::new("task.not_enabled", WITHOUT_HTTP));
            }
        };
        self.processes.perform(program, attempt, recorder, stop).await
    }
}

/// Waits for the first reason to end an attempt.
async fn stop(cancel: impl Future<Output = ()>, limit: Option<Duration>) -> Outcome {
    let timed_out = async {
        match limit {
            Some(limit) => sleep(limit).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = cancel => Outcome::Cancelled,
        () = timed_out => Outcome::TimedOut,
    }
}
