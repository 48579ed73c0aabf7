//! Scripts: a private file with the text, and the interpreter that reads it.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use mainspring_model::ScriptLanguage;

use super::environment::Environment;
use super::workdir::AttemptFolder;
use crate::ended::TaskError;
use crate::task::Script;

/// Writes a text to a file of the attempt's folder, with which it is removed.
pub(super) fn written(folder: &AttemptFolder, name: &str, text: &str) -> Result<PathBuf, TaskError> {
    folder
        .write_script(name, text)
        .map_err(|error| TaskError::new("process.folder", format!("could not write the script to a file: {error}")))
}

/// Finds the interpreter and writes the file: with the arguments of the script, what is to be started.
///
/// # Errors
/// `script.no_interpreter` when `PATH` leads to none, `process.folder` when the file cannot be written.
pub(super) fn argv(
    script: &Script,
    folder: &AttemptFolder,
    environment: &Environment,
) -> Result<Vec<OsString>, TaskError> {
    let path = environment.get(OsStr::new("PATH")).map_or(OsStr::new(""), OsString::as_os_str);
    let interpreter = interpreter(script.language, path).ok_or_else(|| {
        let (programs, path) = (script.language.programs().join(" or "), path.to_string_lossy());
        let message = format!("no {programs} for a {} script in PATH ({path}): install it there", script.language);
        TaskError::new("script.no_interpreter", message)
    })?;
    let file = written(folder, &format!("script.{}", script.language.extension()), &lines(script))?;
    let flag = (script.language == ScriptLanguage::Powershell).then(|| OsString::from("-File"));
    let args = script.args.iter().map(OsString::from);
    // A shell opens the input and becomes the interpreter.
    let opened = script.stdin.iter().flat_map(|input| {
        ["/bin/sh", "-c", "exec \"$@\" <\"$0\""].map(OsString::from).into_iter().chain([input.into()])
    });
    Ok(opened.chain([interpreter.into()]).chain(flag).chain([file.into()]).chain(args).collect())
}

/// The text with the line ends that its interpreter reads: what a browser or a database of another system has saved has others.
fn lines(script: &Script) -> String {
    match script.language {
        ScriptLanguage::Powershell => script.source.clone(),
        _ => script.source.replace("\r\n", "\n"),
    }
}

/// The first program of the language that can be found and executed.
fn interpreter(language: ScriptLanguage, path: &OsStr) -> Option<PathBuf> {
    let find =
        |program: &&str| std::env::split_paths(path).map(|folder| folder.join(program)).find(|it| is_program(it));
    language.programs().iter().find_map(find)
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
