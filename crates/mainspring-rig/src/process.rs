//! The program `mainspring` as people start it: commands, and nodes and workers in processes of their own.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::host::Host;
use crate::watchdog::within;
use anyhow::{Context, Result, bail};
use mainspring_api::client::Client;
use rustix::process::{Pid, Signal, kill_process};

/// The longest wait on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The program with an empty home, no settings from outside, and no terminal.
pub struct Program {
    binary: PathBuf,
    home: tempfile::TempDir,
}

/// The end of a command.
#[derive(Debug)]
pub struct Ended {
    /// Its exit code; -1 after a signal.
    pub code: i32,
    /// The text on stdout.
    pub stdout: String,
    /// The text on stderr.
    pub stderr: String,
}

impl Program {
    /// Gives a binary a home of its own, which goes with the value.
    ///
    /// # Errors
    /// There is no place for temporary files.
    pub fn new(binary: impl Into<PathBuf>) -> Result<Self> {
        Ok(Self { binary: binary.into(), home: tempfile::tempdir()? })
    }

    /// Puts another binary in its place, for what starts from now on.
    pub fn upgrade(&mut self, binary: impl Into<PathBuf>) {
        self.binary = binary.into();
    }

    /// Returns the folder in which it runs.
    #[must_use]
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Runs a command to its end.
    ///
    /// # Errors
    /// It cannot be run, or does not speak UTF-8.
    pub fn run(&self, arguments: &[&str], input: &str) -> Result<Ended> {
        let mut child = self.command(arguments).spawn()?;
        // A program that ends before it has read everything is none of our business.
        let _ended = child.stdin.take().context("stdin is piped")?.write_all(input.as_bytes());
        child.wait_with_output()?.try_into()
    }

    /// Returns the command, ready to be changed or started.
    #[must_use]
    pub fn command(&self, arguments: &[&str]) -> Command {
        self.prepared(Command::new(&self.binary), arguments)
    }

    /// Returns the command on a host of its own.
    #[must_use]
    pub fn command_on(&self, host: &Host, arguments: &[&str]) -> Command {
        self.prepared(host.command(&self.binary), arguments)
    }

    fn prepared(&self, mut command: Command, arguments: &[&str]) -> Command {
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("TZ", "UTC")
            .current_dir(self.home())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

impl TryFrom<Output> for Ended {
    type Error = anyhow::Error;

    fn try_from(output: Output) -> Result<Self> {
        Ok(Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout)?,
            stderr: String::from_utf8(output.stderr)?,
        })
    }
}

/// A running server. Killed when dropped.
pub struct Node {
    child: Child,
    said: Arc<Said>,
    listener: Option<JoinHandle<()>>,
    _stdout: BufReader<ChildStdout>,
    /// Base of its API.
    pub url: String,
    /// The text that it printed at its start.
    pub welcome: String,
    data: PathBuf,
}

/// The output of a process. It is read as it comes, so that the process never waits for a reader.
#[derive(Default)]
struct Said {
    heard: Mutex<Heard>,
    more: Condvar,
}

#[derive(Default)]
struct Heard {
    text: String,
    /// Whether the other end is closed, so that nothing more comes.
    is_over: bool,
}

impl Node {
    /// Starts a server with a command of [`Program::command`], and waits until it welcomes people.
    ///
    /// # Errors
    /// It ends before that; says what it said.
    pub fn start(mut command: Command) -> Result<Self> {
        let mut child = command.spawn()?;
        let mut stdout = BufReader::new(child.stdout.take().context("stdout is piped")?);
        let stderr = child.stderr.take().context("stderr is piped")?;
        let (said, listener) = Said::listen(stderr);
        let mut welcome = String::new();
        let welcomed = within(PATIENCE, child.id(), || {
            while !welcome.contains("token file:") {
                if stdout.read_line(&mut welcome)? == 0 {
                    return Ok::<bool, std::io::Error>(false);
                }
            }
            Ok(true)
        })?;
        if !welcomed {
            let _ended = (child.wait(), listener.join());
            bail!("the server did not start: {welcome}{}", said.so_far());
        }
        let url = welcome.split_whitespace().find(|word| word.starts_with("http://")).context("an address")?.to_owned();
        let token_file = welcome.lines().find_map(|line| line.strip_prefix("token file:")).context("a token file")?;
        let token_file = command.get_current_dir().unwrap_or(Path::new("")).join(token_file.trim());
        let data = token_file.parent().context("a file in a folder")?.to_owned();
        Ok(Self { child, said, listener: Some(listener), _stdout: stdout, url, welcome, data })
    }

    /// Returns a client with the node's token.
    ///
    /// # Errors
    /// The token cannot be read.
    pub fn client(&self) -> Result<Client> {
        // A host of its own is on this machine, too.
        let token = std::fs::read_to_string(self.data.join("token"))?;
        Ok(Client::builder(&self.url).token(token.trim()).allow_plain_http().build()?)
    }

    /// Sends a signal: `STOP` and `CONT` freeze and thaw it.
    ///
    /// # Errors
    /// It has ended.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        send(&self.child, signal)
    }

    /// Returns its exit status, if it has ended by itself.
    ///
    /// # Errors
    /// There is no process to ask about.
    pub fn has_ended(&mut self) -> Result<Option<ExitStatus>> {
        Ok(self.child.try_wait()?)
    }

    /// Ends it as a power failure would.
    ///
    /// # Errors
    /// It has ended.
    pub fn kill(mut self) -> Result<()> {
        kill(&mut self.child)
    }

    /// Asks it to stop, and returns how it ended with what it said.
    ///
    /// # Errors
    /// It has ended.
    pub fn stop(self) -> Result<(ExitStatus, String)> {
        self.signal(Signal::TERM)?;
        self.ended()
    }

    /// Waits until it has said something on stderr.
    ///
    /// # Errors
    /// It has not for a long time.
    pub fn said(&self, words: &str) -> Result<()> {
        self.said.find(|text| text.contains(words).then_some(())).with_context(|| format!("nothing of {words:?}"))
    }

    /// Returns its log so far: the text on stderr.
    #[must_use]
    pub fn log(&self) -> String {
        self.said.so_far()
    }

    /// Waits for its end, and makes one if that takes long.
    ///
    /// # Errors
    /// There is no process to wait for.
    pub fn ended(mut self) -> Result<(ExitStatus, String)> {
        let status = within(PATIENCE, self.child.id(), || self.child.wait())?;
        if let Some(listener) = self.listener.take() {
            let _heard = listener.join();
        }
        Ok((status, self.said.so_far()))
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // For whoever asks why the test has failed; there is nobody to tell that this failed too.
            let _ = write!(std::io::stderr(), "--- {} has said:\n{}", self.url, self.log());
        }
        let _ended = kill(&mut self.child);
    }
}

/// A running worker. Killed when dropped.
pub struct Worker {
    child: Child,
    /// On stdout, and on stderr.
    told: Arc<Said>,
    said: Arc<Said>,
}

impl Worker {
    /// Starts one with a command that has no input, and does not wait until it has joined.
    ///
    /// # Errors
    /// It cannot be run.
    pub fn start(command: &mut Command) -> Result<Self> {
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (told, _) = Said::listen(child.stdout.take().context("stdout is piped")?);
        let (said, _) = Said::listen(child.stderr.take().context("stderr is piped")?);
        Ok(Self { child, told, said })
    }

    /// Waits until it tells under which id it has joined.
    ///
    /// # Errors
    /// It has not for a long time.
    pub fn joined(&self) -> Result<String> {
        let id = |text: &str| {
            let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
            words.find(|word| word.len() == ID_LEN).map(str::to_owned)
        };
        self.told.find(id).with_context(|| format!("the worker has not joined: {}", self.log()))
    }

    /// Sends a signal: `STOP` and `CONT` freeze and thaw it.
    ///
    /// # Errors
    /// It has ended.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        send(&self.child, signal)
    }

    /// Ends it as a power failure would.
    ///
    /// # Errors
    /// It has ended.
    pub fn kill(mut self) -> Result<()> {
        kill(&mut self.child)
    }

    /// Asks it to stop, and returns how it ended.
    ///
    /// # Errors
    /// It has ended.
    pub fn stop(mut self) -> Result<ExitStatus> {
        self.signal(Signal::TERM)?;
        Ok(within(PATIENCE, self.child.id(), || self.child.wait())?)
    }

    /// Returns its exit status, if it has ended by itself.
    ///
    /// # Errors
    /// There is no process to ask about.
    pub fn has_ended(&mut self) -> Result<Option<ExitStatus>> {
        Ok(self.child.try_wait()?)
    }

    /// Returns its log so far: the text on stderr.
    #[must_use]
    pub fn log(&self) -> String {
        self.said.so_far()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // For whoever asks why the test has failed; there is nobody to tell that this failed too.
            let _ = write!(std::io::stderr(), "--- a worker has said:\n{}", self.log());
        }
        let _ended = kill(&mut self.child);
    }
}

/// Digits of a worker's id.
const ID_LEN: usize = 32;

fn send(child: &Child, signal: Signal) -> Result<()> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).context("a process id")?;
    Ok(kill_process(pid, signal)?)
}

fn kill(child: &mut Child) -> Result<()> {
    child.kill()?;
    child.wait()?;
    Ok(())
}

impl Said {
    /// Listens until the other end is closed.
    fn listen(to: impl Read + Send + 'static) -> (Arc<Self>, JoinHandle<()>) {
        let said = Arc::<Self>::default();
        let heard = Arc::clone(&said);
        let listener = std::thread::spawn(move || {
            let mut to = BufReader::new(to);
            let mut line = Vec::new();
            while matches!(to.read_until(b'\n', &mut line), Ok(1..)) {
                heard.locked().text.push_str(&String::from_utf8_lossy(&line));
                line.clear();
                heard.more.notify_all();
            }
            heard.locked().is_over = true;
            heard.more.notify_all();
        });
        (said, listener)
    }

    /// Waits until something can be found in it, or nothing more comes.
    fn find<T>(&self, mut look: impl FnMut(&str) -> Option<T>) -> Result<T> {
        let mut found = None;
        let waited = self.more.wait_timeout_while(self.locked(), PATIENCE, |heard| {
            found = look(&heard.text);
            found.is_none() && !heard.is_over
        });
        let (heard, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let how = if heard.is_over { "it has ended without a word of it" } else { "it has not said so" };
        found.with_context(|| format!("{how}: {}", heard.text))
    }

    fn so_far(&self) -> String {
        self.locked().text.clone()
    }

    fn locked(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_before_the_end_is_found_and_nothing_is_waited_for_after_it() {
        let (said, listener) = Said::listen(&b"first\nlast"[..]);
        assert_eq!(said.find(|text| text.contains("last").then_some(1)).unwrap(), 1);
        let never = said.find(|_| None::<()>).unwrap_err().to_string();
        assert_eq!(never, "it has ended without a word of it: first\nlast");
        listener.join().unwrap();
    }
}
