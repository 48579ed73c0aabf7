//! pyxxl, a real executor that nobody here has written, installed into the target folder.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

const VERSION: &str = "0.4.8";

/// A Python that has pyxxl, if there is one or one can be made.
#[expect(clippy::print_stderr, reason = "a test that does nothing says so")]
pub fn python() -> Option<&'static Path> {
    static FOUND: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    match FOUND.get_or_init(install) {
        Ok(python) => Some(python),
        Err(reason) => {
            eprintln!("skipped, because pyxxl {VERSION} is not at hand: {reason}");
            None
        }
    }
}

fn install() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("pyxxl-{VERSION}"));
    let python = folder.join("bin/python");
    let run = |program: &Path, arguments: &[&str]| {
        let ended = Command::new(program).args(arguments).stdin(Stdio::null()).output();
        let ended = ended.map_err(|error| format!("{} cannot be started: {error}", program.display()))?;
        let said = String::from_utf8_lossy(&ended.stderr).trim().to_owned();
        if ended.status.success() { Ok(()) } else { Err(said) }
    };
    if run(&python, &["-c", "import pyxxl"]).is_ok() {
        return Ok(python);
    }
    run(Path::new("python3"), &["-m", "venv", &folder.to_string_lossy()])?;
    run(&python, &["-m", "pip", "install", "--quiet", &format!("pyxxl=={VERSION}")])?;
    Ok(python)
}
