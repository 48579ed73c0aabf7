//! A second signal ends the process, whatever it is doing: a thread that does nothing else sees to that.

use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level;

use crate::error::{Error, Report, Result};
use crate::exit::Exit;

/// What remains after the second signal for an orderly end, which tells runs and other nodes.
const ORDERLY: Duration = Duration::from_secs(2);

/// Watches for signals from now on.
///
/// # Errors
/// `cli.signal` when the system refuses.
pub fn watch() -> Result {
    let refused = |error: std::io::Error| {
        Error::new(Exit::Failure, Report::new("cli.signal", format!("cannot listen to signals: {error}")))
    };
    let signals = Signals::new([SIGTERM, SIGINT]).map_err(refused)?;
    let watching = thread::Builder::new().name("signals".to_owned()).spawn(move || end_at_the_second(signals));
    watching.map(drop).map_err(refused)
}

/// The first signal asks for an orderly end, and the second for one at once. Others hear of both. Should they be stuck, what
/// ends the process is this, without asking anybody.
fn end_at_the_second(mut signals: Signals) {
    if let Some(signal) = signals.forever().nth(1) {
        #[expect(clippy::disallowed_methods, reason = "a thread of its own that only waits to end the process")]
        thread::sleep(ORDERLY);
        let exit = if signal == SIGINT { Exit::Interrupted } else { Exit::Failure };
        low_level::exit(exit as i32);
    }
}
