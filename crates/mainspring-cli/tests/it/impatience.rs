//! A second signal ends the process, whatever it is doing.

use std::io::Write;
use std::os::fd::OwnedFd;
use std::process::Stdio;

use rustix::pipe::fcntl_setpipe_size;
use rustix::process::{Pid, Signal, kill_process};

use crate::program::Program;
use crate::wait;

/// Nobody reads what the server says on stderr, and there is no room for more of it: its threads wait for ever.
#[test]
fn a_server_whose_threads_are_stuck_ends_at_the_second_signal() {
    let program = Program::new();
    let (unread, mut full) = std::io::pipe().unwrap();
    let room = fcntl_setpipe_size(&full, 4096).unwrap();
    full.write_all(&vec![b'x'; room]).unwrap();
    let arguments = ["server", "--data", "data", "--listen", "127.0.0.1:0", "--log", "debug"];
    let mut server = program.command(&arguments);
    server.stdout(Stdio::null()).stderr(Stdio::from(OwnedFd::from(full)));
    let mut server = server.spawn().unwrap();
    let pid = Pid::from_child(&server);
    wait::blocking("the server listens to signals", || if catches_term(pid) { Ok(()) } else { Err("not yet") });

    // Two of the same might count as one, if they came at once.
    kill_process(pid, Signal::TERM).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    let status = wait::blocking("the end of the server", || server.try_wait().unwrap().ok_or("it runs on"));
    assert!(matches!(status.code(), Some(1 | 130)), "{status}");
    drop(unread);
}

fn catches_term(pid: Pid) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    u64::from_str_radix(caught.trim(), 16).unwrap() & (1 << (Signal::TERM.as_raw() - 1)) != 0
}
