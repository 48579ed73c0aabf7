//! The policy for processes that a program leaves running when it ends by itself. On timeout, cancellation and the worker's death, the
//! whole tree is ended whatever this says.

use std::fs;
use std::time::Duration;

pub use mainspring_model::Leftovers;
use rustix::process::Pid;

use crate::log::capture::Recorder;

/// The time that leftovers of a finished program have to end by themselves before they are let go: most end a little
/// later.
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
    // One that has ended since it was counted is no leftover.
    let named = left.iter().map(|pid| pid.as_raw_nonzero().get());
    let named: Vec<_> = named.filter_map(|pid| Some((pid, command(pid)?))).collect();
    for (pid, command) in named.iter().take(NAMED_MAX) {
        recorder.remark(format!("process {pid} was left running in the background: {command}"));
    }
    if named.len() > NAMED_MAX {
        recorder.remark(format!("and {} more processes", named.len() - NAMED_MAX));
    }
    if !named.is_empty() {
        recorder.remark("what they print is not kept; `leftovers: kill` ends such processes, `leftovers: keep` is silent about them");
    }
}

/// Returns the command of a process in one line, or nothing if the process has ended.
fn command(pid: i32) -> Option<String> {
    let read = |file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let mut bytes = read("cmdline");
    if bytes.is_empty() {
        bytes = read("comm");
    }
    let text = String::from_utf8_lossy(&bytes).replace('\0', " ");
    let shown: String = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).take(COMMAND_MAX).collect();
    (!shown.is_empty()).then_some(shown)
}
