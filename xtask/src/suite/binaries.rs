//! Builds the test binaries of the workspace as cargo would, and lists their tests.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context, bail};
use cargo_metadata::Message;

use super::job::Job;

/// What `make test` builds, too: benchmarks and examples have no tests, and clippy compiles them.
const BUILD: [&str; 8] = [
    "test",
    "--locked",
    "--workspace",
    "--lib",
    "--bins",
    "--tests",
    "--no-run",
    "--message-format=json-render-diagnostics",
];

/// A program that holds tests.
#[derive(Debug)]
pub struct Binary {
    pub package: String,
    pub executable: PathBuf,
    /// The folder of its package, where cargo would run it.
    pub folder: PathBuf,
}

/// Returns all tests in the order of their packages. Builds them, unless `built` is a file with what cargo said when it did.
pub fn jobs(root: &Path, built: Option<&str>) -> anyhow::Result<Vec<Job>> {
    let messages = match built {
        Some(file) => std::fs::read(file).with_context(|| format!("reading {file}"))?,
        None => build(root)?,
    };
    let mut jobs = Vec::new();
    for message in Message::parse_stream(messages.as_slice()) {
        let Message::CompilerArtifact(artifact) = message? else { continue };
        // Programs that tests start are no tests.
        let Some(executable) = artifact.executable.filter(|_| artifact.profile.test) else { continue };
        let folder = artifact.manifest_path.parent().context("a manifest lies in a folder")?;
        let package = folder.file_name().context("the folder of a package has a name")?.to_owned();
        jobs.extend(list(Binary { package, executable: executable.into(), folder: folder.into() })?);
    }
    Ok(jobs)
}

/// Builds all tests. Returns cargo's messages.
fn build(root: &Path) -> anyhow::Result<Vec<u8>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(BUILD).current_dir(root).stderr(Stdio::inherit());
    let output = build.output().context("running cargo")?;
    if !output.status.success() {
        bail!("the tests could not be built");
    }
    Ok(output.stdout)
}

fn list(binary: Binary) -> anyhow::Result<Vec<Job>> {
    let mut command = Command::new(&binary.executable);
    let output = command.args(["--list", "--format", "terse"]).current_dir(&binary.folder).output()?;
    if !output.status.success() {
        bail!("{} does not list its tests", binary.executable.display());
    }
    let binary = Arc::new(binary);
    let text = String::from_utf8(output.stdout).context("names of tests are text")?;
    let tests = text.lines().filter_map(|line| line.strip_suffix(": test"));
    Ok(tests.map(|path| Job::new(Arc::clone(&binary), path)).collect())
}
