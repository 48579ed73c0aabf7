//! Lines on stderr for people.

use std::fmt;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether `--quiet` was given.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Leaves out what [`warning`] says, or says it.
pub fn set_quiet(is_quiet: bool) {
    QUIET.store(is_quiet, Ordering::Relaxed);
}

/// Prints a line on stderr. A stderr that cannot be written leaves nobody to tell.
pub fn note(text: impl fmt::Display) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Says on stderr what a person should know, unless `--quiet`, where no [`Output`] is at hand.
pub fn warning(code: &str, text: impl fmt::Display) {
    if !QUIET.load(Ordering::Relaxed) {
        note(format_args!("\x1b[1;33mwarning[{code}]\x1b[0m: {text}"));
    }
}
