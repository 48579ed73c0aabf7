//! Asking before something is lost.

use std::io::{BufRead, IsTerminal, Write};

use crate::error::{Error, Report, Result};
use crate::exit::Exit;

/// Returns when `--yes` was given or the user agrees on the terminal.
///
/// # Errors
/// `cli.confirm` without a terminal to ask on; `cli.refused` when the answer is not yes.
pub fn confirm(question: &str, yes: bool) -> Result {
    if yes {
        return Ok(());
    }
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        let report = Report::new("cli.confirm", format!("{question} There is nobody to ask"));
        return Err(Error::new(Exit::Usage, report).hint("say --yes"));
    }
    let mut stderr = anstream::stderr();
    let _ = write!(stderr, "{question} [y/N] ");
    let _ = stderr.flush();
    let mut answer = String::new();
    let read = stdin.lock().read_line(&mut answer);
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" if read.is_ok() => Ok(()),
        _ => Err(Error::new(Exit::Failure, Report::new("cli.refused", "nothing was changed"))),
    }
}
