//! The input of starting a process, and the result of its end.

use std::ffi::{OsStr, OsString};
use std::io::{self, PipeWriter};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::Duration;

use rustix::process::Pid;
use tokio::process::Command;

use super::environment::Environment;
use crate::ended::{Outcome, TaskError};

/// A process about to be started.
pub(crate) struct Launch {
    /// The program and its arguments, never empty.
    pub(crate) argv: Vec<OsString>,
    pub(crate) environment: Environment,
    pub(crate) folder: PathBuf,
    pub(crate) stdout: PipeWriter,
    pub(crate) stderr: PipeWriter,
    /// A `NAME=value` of the environment that no other process has.
    pub(crate) marker: Vec<u8>,
    pub(crate) kill_grace: Duration,
    /// Whether leftovers of a finished program continue.
    pub(crate) lets_go: bool,
    pub(crate) silence: Option<crate::Silence>,
    pub(crate) leash: Option<LeashProgram>,
}

/// The program that starts a leash.
#[derive(Clone, Debug)]
pub(crate) struct LeashProgram {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
}

impl Launch {
    /// Gives `command` the folder, environment and pipes. The command must go before the pipes
    /// can end.
    pub(crate) fn dress(&self, command: &mut Command) -> io::Result<()> {
        command.env_clear().envs(&self.environment).current_dir(&self.folder);
        command.stdout(OwnedFd::from(self.stdout.try_clone()?));
        command.stderr(OwnedFd::from(self.stderr.try_clone()?));
        Ok(())
    }

    /// Returns the program's name for messages.
    pub(crate) fn program(&self) -> String {
        self.argv.first().map(OsString::as_os_str).unwrap_or(OsStr::new("")).to_string_lossy().into_owned()
    }
}

/// The end of a process tree.
#[derive(Debug, Default)]
pub(crate) struct Exit {
    /// The main process's exit code and the signal that ended it, once it has ended.
    status: Option<(Option<i32>, Option<i32>)>,
    /// The reason why the worker ended it, if it did.
    pub(crate) stopped: Option<Outcome>,
    /// The number of processes that could not be ended.
    pub(crate) left: usize,
    /// Processes that go on.
    pub(crate) background: Vec<Pid>,
}

impl Exit {
    pub(crate) fn end(&mut self, code: Option<i32>, signal: Option<i32>) {
        self.status = Some((code, signal));
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.status.is_some()
    }

    pub(crate) fn code(&self) -> Option<i32> {
        self.status.and_then(|(code, _)| code)
    }

    pub(crate) fn signal(&self) -> Option<i32> {
        self.status.and_then(|(_, signal)| signal)
    }
}

/// Says why `program` could not be started, and what to do.
pub(crate) fn spawn_error(program: &str, error: &io::Error) -> TaskError {
    let program = program.escape_debug();
    let (code, message) = match error.kind() {
        io::ErrorKind::NotFound => {
            ("process.not_found", format!("no program `{program}`: give its path, or install it where PATH leads"))
        }
        io::ErrorKind::PermissionDenied => {
            ("process.not_executable", format!("`{program}` may not be executed: check its mode and the folders above"))
        }
        io::ErrorKind::ArgumentListTooLong => (
            "process.too_large",
            format!("the arguments and environment of `{program}` are larger than the system takes"),
        ),
        io::ErrorKind::InvalidInput => {
            ("process.nul_byte", format!("an argument of `{program}` holds a NUL byte, which no argument can"))
        }
        _ => ("process.spawn", format!("could not start `{program}`: {error}")),
    };
    TaskError::new(code, message)
}
