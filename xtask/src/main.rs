//! Development tasks: `cargo run -p xtask -- TASK`.
//!
//! Each task is one module with `run(&[String]) -> anyhow::Result<()>` and one line in [`TASKS`].
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a development tool talks to the terminal"
)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

mod tidy;
mod vectors;

/// A task: its name, what it does, and the function.
type Task = (
    &'static str,
    &'static str,
    fn(&[String]) -> anyhow::Result<()>,
);

const TASKS: &[Task] = &[
    (
        "tidy",
        "check crate borders, purity, licences, file sizes, paths and links",
        tidy::run,
    ),
    (
        "vectors",
        "replay the answers of Quartz in a folder, and show where ours differ",
        vectors::run,
    ),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.first().map(String::as_str).unwrap_or_default();
    let Some((_, _, run)) = TASKS.iter().find(|(task, ..)| *task == name) else {
        eprintln!("usage: cargo run -p xtask -- TASK\n");
        for (task, about, _) in TASKS {
            eprintln!("  {task:<10} {about}");
        }
        return ExitCode::from(2);
    };
    match run(&arguments[1..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the root of the checkout, the folder above this crate.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent()
        .expect("xtask lies one level below the root")
        .to_owned()
}
