//! How many files this process may open. The usual limit of 1,024 is for programs that use `select`; a server with many workers needs more.
//!
//! Programs that runs execute get the limit that this process was started with, from their leash.

use std::sync::OnceLock;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Files that a server asks to be allowed to open.
const FILES_MAX: u64 = 65_536;

/// The limit that the process was started with, once it has raised it.
static STARTED_WITH: OnceLock<u64> = OnceLock::new();

/// Raises the limit as far as the system lets it.
pub fn raise() {
    let limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.unwrap_or(FILES_MAX).min(FILES_MAX);
    let Some(current) = limit.current.filter(|current| *current < most) else { return };
    match setrlimit(Resource::Nofile, Rlimit { current: Some(most), ..limit }) {
        Ok(()) => _ = STARTED_WITH.set(current),
        Err(error) => tracing::warn!(%error, files = current, "the limit of open files cannot be raised"),
    }
}

/// The argument by which a leash hears of the limit that programs are to have.
pub fn argument() -> Option<String> {
    STARTED_WITH.get().map(|files| format!("{PREFIX}{files}"))
}

/// Takes the limit from the first argument of a leash, if it is there.
pub fn lower(argument: &str) -> bool {
    let Some(files) = argument.strip_prefix(PREFIX).and_then(|files| files.parse().ok()) else { return false };
    // A limit that cannot be lowered is no reason to run nothing.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(files), ..getrlimit(Resource::Nofile) });
    true
}

const PREFIX: &str = "files=";
