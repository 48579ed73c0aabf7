//! The tasks as people run them.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

const XTASK: &str = env!("CARGO_BIN_EXE_xtask");

/// The port in the address of a server on this machine.
fn port(address: &str) -> u16 {
    let rest = address.split("127.0.0.1:").nth(1).unwrap_or_else(|| panic!("an address: {address}"));
    rest.split('/').next().expect("an address").trim().parse().expect("a port")
}

/// Runs a task that prints the address of its server first, and sends it a signal then. Answers whether it ended well, and
/// whether the server did too.
fn ended(task: &[&str], signal: Signal) -> (bool, bool) {
    let mut child = Command::new(XTASK).args(task).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut address = String::new();
    output.read_line(&mut address).expect("it prints its address");
    let port = port(&address);
    assert!(TcpStream::connect(("127.0.0.1", port)).is_ok(), "the server is there");
    let child_id = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(child_id, signal).expect("it is there");
    output.read_to_string(&mut String::new()).expect("it can be read");
    let status = child.wait().expect("it ends");
    (status.success(), TcpStream::connect(("127.0.0.1", port)).is_err())
}

#[test]
fn servers_end_with_the_task_that_keeps_them() {
    for signal in [Signal::INT, Signal::TERM] {
        assert_eq!(ended(&["db", "postgres"], signal), (true, true), "{signal:?}");
    }
}

#[test]
fn servers_end_with_the_task_that_runs_a_command_with_them() {
    let command = ["with-databases", "sh", "-c", "echo $MAINSPRING_TEST_MYSQL; exec sleep 600"];
    assert_eq!(ended(&command, Signal::TERM), (false, true));
}
