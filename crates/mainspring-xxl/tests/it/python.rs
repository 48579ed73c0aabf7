//! Real peers that nobody here has written, installed into the target folder: pyxxl, an executor, and others.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

const VERSION: &str = "0.4.8";

/// A Python that has pyxxl, if there is one or one can be made.
#[expect(clippy::print_stderr, reason = "a test that does nothing says so")]
pub fn python() -> Option<&'static Path> {
    static FOUND: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    match FOUND.get_or_init(|| installed("pyxxl", VERSION)) {
        Ok(python) => Some(python),
        Err(reason) => {
            eprintln!("skipped, because pyxxl {VERSION} is not at hand: {reason}");
            None
        }
    }
}

/// A Python that has a package of this version: installed into the target folder, once.
pub fn installed(package: &str, version: &str) -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{package}-{version}"));
    let python = folder.join("bin/python");
    let run = |program: &Path, arguments: &[&str]| {
        let ended = Command::new(program).args(arguments).stdin(Stdio::null()).output();
        let ended = ended.map_err(|error| format!("{} cannot be started: {error}", program.display()))?;
        let said = String::from_utf8_lossy(&ended.stderr).trim().to_owned();
        if ended.status.success() { Ok(()) } else { Err(said) }
    };
    if run(&python, &["-c", &format!("import {package}")]).is_ok() {
        return Ok(python);
    }
    run(Path::new("python3"), &["-m", "venv", &folder.to_string_lossy()])?;
    run(&python, &["-m", "pip", "install", "--quiet", &format!("{package}=={version}")])?;
    Ok(python)
}
