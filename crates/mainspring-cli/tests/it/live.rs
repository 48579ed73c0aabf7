//! A real server in a process of its own, on a free port, over a folder of the test.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdout, ExitStatus};
use std::time::{Duration, Instant};

use mainspring_api::client::Client;
use rustix::process::{Pid, Signal, kill_process};

use crate::program::{Ended, Program};

/// How long a state may be waited for on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server. Killed when dropped.
pub struct Live {
    child: Child,
    stderr: BufReader<ChildStderr>,
    _stdout: BufReader<ChildStdout>,
    /// Base of its API.
    pub url: String,
    /// What it printed at its start.
    pub welcome: String,
    data: PathBuf,
}

impl Live {
    /// Starts `mainspring server` over the folder `data` in the program's home.
    pub fn start(program: &Program) -> Self {
        Self::start_with(program, &["server", "--data", "data"])
    }

    /// Starts it as told, on a free port.
    pub fn start_with(program: &Program, arguments: &[&str]) -> Self {
        let mut all = arguments.to_vec();
        all.extend(["--listen", "127.0.0.1:0", "--log", "warn"]);
        let mut child = program.command(&all).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut welcome = String::new();
        while !welcome.contains("token file:") {
            if stdout.read_line(&mut welcome).unwrap() == 0 {
                let mut said = String::new();
                stderr.read_to_string(&mut said).unwrap();
                panic!("the server did not start: {welcome}{said}");
            }
        }
        let url = welcome.split_whitespace().find(|word| word.starts_with("http://")).unwrap().to_owned();
        let token_file = welcome.lines().find_map(|line| line.strip_prefix("token file:")).unwrap().trim().to_owned();
        let data = program.home().join(token_file).parent().unwrap().to_owned();
        Self { child, stderr, _stdout: stdout, url, welcome, data }
    }

    /// A client that is let in.
    pub fn client(&self) -> Client {
        let token = std::fs::read_to_string(self.data.join("token")).unwrap();
        Client::builder(&self.url).token(token.trim()).build().unwrap()
    }

    pub fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// Ends it as a power failure would.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to stop, and returns how it ended with what it said.
    pub fn stop(self) -> (ExitStatus, String) {
        self.signal(Signal::TERM);
        self.ended()
    }

    /// Waits until it has said something on stderr.
    pub fn said(&mut self, words: &str) {
        let mut line = String::new();
        while !line.contains(words) {
            line.clear();
            assert_ne!(self.stderr.read_line(&mut line).unwrap(), 0, "the server ended without saying {words:?}");
        }
    }

    /// Waits for its end.
    pub fn ended(mut self) -> (ExitStatus, String) {
        let mut said = String::new();
        self.stderr.read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap(), said)
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a command until its output is as wanted.
pub fn until(program: &Program, arguments: &[&str], wanted: impl Fn(&Ended) -> bool) -> Ended {
    let begun = Instant::now();
    loop {
        let ended = program.run(arguments);
        if wanted(&ended) {
            return ended;
        }
        assert!(begun.elapsed() < PATIENCE, "{arguments:?} never came to it: {ended:?}");
    }
}
