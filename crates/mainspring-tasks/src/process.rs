//! Processes: started clean, read to the end, and ended as a whole tree.

mod bare;
mod data;
mod environment;
mod launch;
mod leashed;
mod output;
mod pump;
mod script;
pub(crate) mod tree;
mod workdir;

use std::ffi::OsString;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use self::bare::Bare;
use self::environment::Environment;
use self::launch::{Exit, Launch, LeashProgram};
use self::leashed::Leashed;
use self::pump::Pipes;
use self::workdir::{AttemptFolder, WorkRoot};
use crate::attempt::Attempt;
use crate::ended::{Ended, Outcome, TaskError};
use crate::leftovers::{self, Leftovers};
use crate::log::capture::Recorder;
use crate::settings::{Settings, SettingsError};
use crate::task::Script;

/// Linux takes 128 KiB per argument; longer scripts go through a file.
const SCRIPT_ARGUMENT_BYTES_MAX: usize = 100 * 1024;

/// The settings with which processes are started.
#[derive(Debug)]
pub(crate) struct Host {
    folders: WorkRoot,
    inherited: Environment,
    leash: Option<LeashProgram>,
    output_bytes_max: u64,
}

/// The program to start.
pub(crate) enum Program<'a> {
    Script { script: &'a str, shell: &'a str },
    Argv(&'a [String]),
    File(&'a Script),
}

impl Host {
    /// Checks the settings and makes the runner's folder. Blocks.
    pub(crate) fn new(settings: &Settings) -> Result<Self, SettingsError> {
        let folders = WorkRoot::open(&settings.work_root)
            .map_err(|source| SettingsError::WorkRoot { path: settings.work_root.clone(), source })?;
        let leash = settings.leash.as_deref().map(|path| leash_program(path, &settings.leash_args));
        Ok(Self {
            folders,
            inherited: environment::inherited(&settings.inherited_env),
            leash: leash.transpose()?,
            output_bytes_max: settings.output_bytes_max,
        })
    }

    /// Performs one attempt; returns when its whole tree is gone, or let go, and its folder removed.
    pub(crate) async fn perform(
        &self,
        program: Program<'_>,
        attempt: &Attempt,
        recorder: &mut Recorder,
        stop: impl Future<Output = Outcome>,
    ) -> Ended {
        let folder = match self.folders.attempt() {
            Ok(folder) => folder,
            Err(error) => {
                return Ended::failed(TaskError::new(
                    "process.folder",
                    format!("could not make a working folder: {error}"),
                ));
            }
        };
        let mut ended = match self.run(&program, attempt, &folder, recorder, stop).await {
            Ok(exit) => judge(&exit, attempt),
            Err(error) => Ended::failed(error),
        };
        self.collect(folder, attempt.data.clone(), &mut ended, recorder).await;
        ended
    }

    async fn run(
        &self,
        program: &Program<'_>,
        attempt: &Attempt,
        folder: &AttemptFolder,
        recorder: &mut Recorder,
        stop: impl Future<Output = Outcome>,
    ) -> Result<Exit, TaskError> {
        let (mut pipes, launch) = self.launch(program, attempt, folder)?;
        let exit = if launch.leash.is_some() {
            let tree = Leashed::start(launch)?;
            capture(&mut pipes, recorder, tree.run(stop)).await
        } else {
            let tree = Bare::start(launch)?;
            capture(&mut pipes, recorder, tree.run(stop)).await
        }?;
        remark_on(&exit, attempt, recorder);
        if !exit.background.is_empty() {
            tokio::spawn(pipes.discard());
        }
        Ok(exit)
    }

    fn launch(
        &self,
        program: &Program<'_>,
        attempt: &Attempt,
        folder: &AttemptFolder,
    ) -> Result<(Pipes, Launch), TaskError> {
        let output = folder.output();
        let environment = environment::environment(&self.inherited, attempt, &output, &folder.data())?;
        if let Some(data) = &attempt.data {
            folder.write_data(&data.to_string()).map_err(|error| {
                TaskError::new("process.folder", format!("could not write the data of the job to a file: {error}"))
            })?;
        }
        let argv = argv(program, folder, &environment)?;
        let (pipes, stdout, stderr) = Pipes::open().map_err(|error| {
            TaskError::new("process.spawn", format!("could not make a pipe for the output: {error}"))
        })?;
        let marker = format!("{}={}", environment::OUTPUT, output.display()).into_bytes();
        let folder = working_folder(attempt, folder)?;
        let (kill_grace, silence) = (attempt.kill_grace.min(Attempt::KILL_GRACE_MAX), attempt.silence);
        let (leash, lets_go) = (self.leash.clone(), attempt.leftovers != Leftovers::Kill);
        Ok((pipes, Launch { argv, environment, folder, stdout, stderr, marker, kill_grace, lets_go, silence, leash }))
    }

    /// Reads the output and the job's data, and removes the folder.
    async fn collect(&self, folder: AttemptFolder, given: Option<Value>, ended: &mut Ended, recorder: &mut Recorder) {
        let bytes_max = self.output_bytes_max;
        let collected = spawn_blocking(move || {
            let data = given.map_or(Ok(None), |given| data::read(&folder.data(), &given));
            (output::read(&folder.output(), bytes_max), data, folder.remove())
        });
        let Ok((output, data, removed)) = collected.await else {
            return;
        };
        if let Err(error) = removed {
            recorder.remark(format!("could not remove the private working folder: {error}"));
        }
        ended.output = understood(output, ended);
        // What an attempt leaves that has not succeeded counts for nothing.
        ended.data = understood(data, ended).filter(|_| ended.outcome == Outcome::Succeeded);
    }
}

/// Makes the path absolute, because it is used from other folders, and follows no link: what
/// `/proc/self/exe` leads to is there also when its file has been replaced.
fn leash_program(path: &Path, args: &[String]) -> Result<LeashProgram, SettingsError> {
    match std::path::absolute(path) {
        Ok(program) if program.is_file() => Ok(LeashProgram { program, args: args.to_vec() }),
        _ => Err(SettingsError::Leash { path: path.to_owned() }),
    }
}

fn argv(program: &Program<'_>, folder: &AttemptFolder, environment: &Environment) -> Result<Vec<OsString>, TaskError> {
    match program {
        Program::Argv([]) => Err(TaskError::new("process.no_program", "argv is empty; its first item is the program")),
        Program::Argv(argv) => Ok(argv.iter().map(OsString::from).collect()),
        Program::Script { script, shell } if script.len() <= SCRIPT_ARGUMENT_BYTES_MAX => {
            Ok([shell, "-c", script].map(OsString::from).to_vec())
        }
        Program::Script { script, shell } => {
            let path = script::written(folder, "script", script)?;
            Ok(vec![shell.into(), path.into()])
        }
        Program::File(script) => script::argv(script, folder, environment),
    }
}

/// Checks the folder first, because a spawn tells a missing folder and a missing program alike.
fn working_folder(attempt: &Attempt, private: &AttemptFolder) -> Result<PathBuf, TaskError> {
    let Some(path) = &attempt.working_dir else {
        return Ok(private.work());
    };
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => Ok(path.clone()),
        Ok(_) => Err(bad_folder(path, "it is no folder")),
        Err(error) => Err(bad_folder(path, &error.to_string())),
    }
}

fn bad_folder(path: &Path, problem: &str) -> TaskError {
    TaskError::new("process.working_dir", format!("cannot work in {}: {problem}", path.display()))
}

/// Runs `tree` to its end while its output goes into the log, and gives the log some time after it.
async fn capture(
    pipes: &mut Pipes,
    recorder: &mut Recorder,
    tree: impl Future<Output = Result<Exit, TaskError>>,
) -> Result<Exit, TaskError> {
    let (running, gone) = oneshot::channel::<()>();
    let mut tree = pin!(async {
        let exit = tree.await;
        drop(running);
        exit
    });
    let patience = recorder.patience;
    let (exit, is_stalled) = {
        let mut pump = pin!(pipes.pump(recorder, async {
            let _ = gone.await;
        }));
        tokio::select! {
            exit = &mut tree => (exit, timeout(patience, pump).await.is_err()),
            () = &mut pump => (tree.await, false),
        }
    };
    if is_stalled {
        recorder.patience = Duration::ZERO;
    }
    exit
}

fn remark_on(exit: &Exit, attempt: &Attempt, recorder: &mut Recorder) {
    match exit.stopped {
        Some(Outcome::TimedOut) => {
            recorder.remark(format!(
                "timed out after {:?}; the process tree was ended",
                attempt.timeout.unwrap_or_default()
            ));
        }
        Some(_) => recorder.remark("cancelled; the process tree was ended"),
        None => {}
    }
    leftovers::remark_on(&exit.background, attempt.leftovers, recorder);
    if exit.left > 0 {
        recorder.remark(format!("{} processes could not be ended and may still run", exit.left));
    }
}

fn judge(exit: &Exit, attempt: &Attempt) -> Ended {
    let ended = match (exit.stopped, exit.code(), exit.signal()) {
        (Some(Outcome::TimedOut), ..) => {
            let limit = attempt.timeout.unwrap_or_default();
            Ended::with_error(
                Outcome::TimedOut,
                TaskError::new("process.timeout", format!("it took longer than {limit:?}")),
            )
        }
        (Some(_), ..) => Ended::cancelled(),
        (None, Some(0), _) => Ended::succeeded(),
        (None, Some(code), _) => {
            Ended::failed(TaskError::new("process.exit", format!("the process exited with code {code}")))
        }
        (None, None, signal) => {
            let signal = signal.unwrap_or_default();
            Ended::failed(TaskError::new(
                "process.signal",
                format!("the process was ended by signal {signal}{}", signal_name(signal)),
            ))
        }
    };
    Ended { exit_code: exit.code(), signal: exit.signal(), ..ended }
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        1 => " (HUP)",
        2 => " (INT)",
        3 => " (QUIT)",
        4 => " (ILL)",
        6 => " (ABRT)",
        8 => " (FPE)",
        9 => " (KILL, sent by someone or by the system when memory ran out)",
        11 => " (SEGV)",
        13 => " (PIPE)",
        15 => " (TERM)",
        _ => "",
    }
}

/// Fails a successful attempt whose output cannot be read, because a reader would miss it. An output that is too large
/// is left out with an error code: the work stands.
fn understood(left: Result<Option<Value>, TaskError>, ended: &mut Ended) -> Option<Value> {
    left.unwrap_or_else(|error| {
        if error.code == "output.too_large" {
            ended.error.get_or_insert(error);
        } else if ended.outcome == Outcome::Succeeded {
            ended.outcome = Outcome::Failed;
            ended.error = Some(error);
        }
        None
    })
}
