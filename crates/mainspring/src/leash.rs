//! The leash of processes: a second start of the program itself that ends with it.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// The first argument of a start that is a leash.
pub(crate) const ARGUMENT: &str = "__mainspring-leash";

static OFFERED: AtomicBool = AtomicBool::new(false);

/// Lets this program keep the processes of its jobs on a leash: they end when the program is killed, in place of running on.
///
/// Call it first in `main`. A process of a job is started by the program itself, under another argument; such a start ends here, with
/// the code that is returned. Without it, [`Builder::processes`](crate::Builder::processes) starts processes that outlive a killed program.
///
/// ```no_run
/// use std::process::ExitCode;
///
/// fn main() -> ExitCode {
///     if let Some(code) = mainspring::leash() {
///         return code;
///     }
///     // The program.
///     ExitCode::SUCCESS
/// }
/// ```
#[must_use = "a start that is a leash has to end with this code"]
pub fn leash() -> Option<ExitCode> {
    OFFERED.store(true, Ordering::Relaxed);
    let mut arguments = std::env::args_os().skip(1);
    (arguments.next().is_some_and(|first| first == ARGUMENT)).then(|| mainspring_tasks::leash::main(arguments))
}

/// Whether the program has said that it can be a leash.
pub(crate) fn is_offered() -> bool {
    OFFERED.load(Ordering::Relaxed)
}
