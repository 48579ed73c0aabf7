//! What becomes of processes that a program leaves running when it ends by itself.

use std::fs;
use std::time::Duration;

use rustix::process::Pid;

use crate::log::capture::Recorder;

/// What becomes of processes that a program leaves running when it ends by itself. On time-out, cancellation and the worker's death,
/// the whole tree is ended whatever this says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Leftovers {
    /// They get TERM and, half a second later, KILL.
    Kill,
    /// They go on, and the log names them.
    #[default]
    Warn,
    /// They go on.
    Keep,
}

/// How long what a finished program left running may take to end by itself before it is let go: most of it just ends a little later.
pub(crate) const LET_GO_AFTER: Duration = Duration::from_millis(100);
/// Processes that a log names.
const NAMED_MAX: usize = 10;
/// Characters of a command that a log shows.
const COMMAND_MAX: usize = 120;

/// Says in a log which processes go on.
pub(crate) fn remark_on(left: &[Pid], leftovers: Leftovers, recorder: &mut Recorder) {
    if leftovers != Leftovers::Warn {
        return;
    }
    for pid in left.iter().take(NAMED_MAX) {
        let pid = pid.as_raw_nonzero();
        recorder.remark(format!("process {pid} was left running in the background: {}", command(pid.get())));
    }
    if left.len() > NAMED_MAX {
        recorder.remark(format!("and {} more processes", left.len() - NAMED_MAX));
    }
    if !left.is_empty() {
        recorder.remark("what they print is not kept; `leftovers: kill` ends such processes, `leftovers: keep` is silent about them");
    }
}

/// The command of a process, as far as it can be read, in one line.
fn command(pid: i32) -> String {
    let read = |file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let mut bytes = read("cmdline");
    if bytes.is_empty() {
        bytes = read("comm");
    }
    let text = String::from_utf8_lossy(&bytes).replace('\0', " ");
    let shown: String = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).take(COMMAND_MAX).collect();
    if shown.is_empty() { "(it has ended)".to_owned() } else { shown }
}
