//! A real server in a process of its own, on a free port, over a folder of the test.

use std::process::ExitStatus;

use mainspring_api::client::Client;
use mainspring_rig::Node;
use rustix::process::Signal;

use crate::program::{Ended, Program};
use crate::wait;

/// A running server. Killed when dropped.
pub struct Live {
    node: Node,
    /// Base of its API.
    pub url: String,
    /// What it printed at its start.
    pub welcome: String,
}

impl Live {
    /// Starts `mainspring server` over the folder `data` in the program's home.
    pub fn start(program: &Program) -> Self {
        Self::start_with(program, &["server", "--data", "data"])
    }

    /// Starts it as told, on a free port.
    pub fn start_with(program: &Program, arguments: &[&str]) -> Self {
        Self::start_on(program, "127.0.0.1:0", arguments)
    }

    /// Starts it as told, where another was before it.
    pub fn start_on(program: &Program, address: &str, arguments: &[&str]) -> Self {
        let mut all = arguments.to_vec();
        all.extend(["--listen", address, "--log", "warn"]);
        let node = Node::start(program.command(&all)).unwrap();
        Self { url: node.url.clone(), welcome: node.welcome.clone(), node }
    }

    /// Its address without the scheme, for the next one that is started there.
    pub fn address(&self) -> String {
        self.url.trim_start_matches("http://").to_owned()
    }

    /// A client that is let in.
    pub fn client(&self) -> Client {
        self.node.client().unwrap()
    }

    pub fn signal(&self, signal: Signal) {
        self.node.signal(signal).unwrap();
    }

    /// Ends it as a power failure would.
    pub fn kill(self) {
        self.node.kill().unwrap();
    }

    /// Asks it to stop, and returns how it ended with what it said.
    pub fn stop(self) -> (ExitStatus, String) {
        self.node.stop().unwrap()
    }

    /// Waits until it has said something on stderr.
    pub fn said(&self, words: &str) {
        self.node.said(words).unwrap();
    }

    /// Waits for its end.
    pub fn ended(self) -> (ExitStatus, String) {
        self.node.ended().unwrap()
    }
}

/// Runs a command until its output is as wanted.
pub fn until(program: &Program, arguments: &[&str], wanted: impl Fn(&Ended) -> bool) -> Ended {
    wait::blocking(&format!("{arguments:?}"), || {
        let ended = program.run(arguments);
        if wanted(&ended) { Ok(ended) } else { Err(ended) }
    })
}
