//! `torture`: builds the program with the profile of this task, unless one is given, and has it tortured.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, bail};
use mainspring_torture::Options;

/// Tortures the program of this checkout.
pub fn run(root: &Path, options: &[&str]) -> anyhow::Result<ExitCode> {
    let mut options = Options::parse(options)?;
    // Nodes run in folders of their own.
    options.before = options.before.map(std::path::absolute).transpose()?;
    let binary = match &options.binary {
        Some(binary) => std::path::absolute(binary)?,
        None => build(root)?,
    };
    mainspring_torture::run(&options, binary, &root.join("target/torture"))
}

fn build(root: &Path) -> anyhow::Result<PathBuf> {
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "--quiet", "--locked", "-p", "mainspring-cli"]).current_dir(root);
    if !cfg!(debug_assertions) {
        build.arg("--release");
    }
    if !build.status()?.success() {
        bail!("the program could not be built");
    }
    let task = std::env::current_exe()?;
    Ok(task.parent().context("a program lies in a folder")?.join("mainspring"))
}
