//! A server may open more files than it was started with; what it executes may not.

use std::process::{Command, Stdio};

use mainspring_rig::Node;

use crate::live::until;
use crate::program::Program;

#[test]
fn a_server_raises_its_limit_of_open_files_and_its_runs_have_the_one_it_was_started_with() {
    let program = Program::new();
    let node = limited(&program, "ulimit -Sn 256");
    // The parent of a program is its leash, and that of the leash the server.
    let run =
        r"ulimit -Sn; server=$(awk '{print $4}' /proc/$PPID/stat); awk '/open files/ {print $4}' /proc/$server/limits";
    let file = program.file("limits.json", serde_json::json!({ "name": "limits", "run": run }).to_string());
    assert_eq!(program.run(&["apply", "-f", &file]).code, 0);
    let id = program.run(&["run", "start", "limits", "-o", "name"]).stdout.trim().to_owned();
    let said = until(&program, &["logs", &id], |ended| ended.stdout.lines().count() == 2).stdout;
    let limits: Vec<u64> = said.lines().map(|line| line.parse().unwrap()).collect();
    assert!(limits[0] == 256 && limits[1] > 256, "{limits:?}");
    node.stop().unwrap();
}

#[test]
fn runs_wait_where_files_are_scarce_in_place_of_failing() {
    let program = Program::new();
    let node = limited(&program, "ulimit -n 64");
    let jobs: Vec<_> =
        (0..12).map(|number| serde_json::json!({ "name": format!("j{number}"), "run": "sleep 0.2" })).collect();
    let file = program.file("jobs.json", serde_json::json!({ "jobs": jobs }).to_string());
    assert_eq!(program.run(&["apply", "-f", &file]).code, 0);
    for number in 0..12 {
        assert_eq!(program.run(&["run", "start", &format!("j{number}")]).code, 0);
    }
    let ended = |state: &str| ["run", "list", "-o", "name", "--state", state].map(str::to_owned);
    let all = until(&program, &ended("succeeded").each_ref().map(String::as_str), |it| it.stdout.lines().count() == 12);
    let failed = program.run(&ended("failed").each_ref().map(String::as_str)).stdout;
    assert_eq!((all.stdout.lines().count(), failed.as_str()), (12, ""), "{}", node.log());
    node.stop().unwrap();
}

/// A server under a limit of the shell.
fn limited(program: &Program, limit: &str) -> Node {
    let server = program.command(&["server", "--data", "data", "--listen", "127.0.0.1:0", "--log", "warn"]);
    let mut limited = Command::new("sh");
    limited.args(["-c", &format!("{limit}; exec \"$0\" \"$@\"")]).arg(server.get_program()).args(server.get_args());
    limited.current_dir(program.home()).env_clear();
    limited.envs(server.get_envs().filter_map(|(name, value)| Some((name, value?))));
    limited.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Node::start(limited).unwrap()
}
