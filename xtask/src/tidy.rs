//! Checks that the compiler cannot make: `cargo run -p xtask -- tidy`.
//!
//! Every check returns its findings and none stops the others, so that one run tells everything.

use std::fmt;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, bail};

mod borders;
mod circles;
mod claims;
mod holes;
mod licences;
mod links;
mod packages;
mod sources;
mod summaries;

/// One thing that is wrong, and where.
#[derive(Debug, PartialEq, Eq)]
pub struct Finding {
    /// A path from the root, with `:line` when there is one, or the name of a crate.
    pub place: String,
    /// What is wrong, and the rule behind it.
    pub problem: String,
}

impl Finding {
    fn new(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { place: place.into(), problem: problem.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

/// A tracked text file: its path from the root, with `/`, and its content.
pub struct Source {
    path: String,
    text: String,
}

/// Runs all checks on the checkout at `root`, prints what they find, and fails when that is not nothing.
///
/// # Errors
/// Fails when a check cannot be made.
#[expect(clippy::print_stdout, reason = "the findings are the output")]
pub fn run(root: &Path) -> anyhow::Result<ExitCode> {
    let findings = findings(root)?;
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => println!("tidy: nothing to mend"),
        count => println!("tidy: {count} findings"),
    }
    Ok(if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn findings(root: &Path) -> anyhow::Result<Vec<Finding>> {
    let metadata = cargo_metadata::MetadataCommand::new()
        .current_dir(root)
        .other_options(vec!["--locked".to_owned()])
        .exec()
        .context("reading cargo metadata")?;
    let sources = tracked(root)?;
    let mut findings = borders::check(&metadata);
    findings.extend(packages::check(&metadata));
    findings.extend(licences::check(&metadata, root)?);
    findings.extend(sources::check(&sources, root));
    findings.extend(links::check(&sources, root));
    findings.extend(circles::check(&sources)?);
    findings.extend(claims::check(&sources));
    findings.extend(holes::check(root));
    findings.extend(summaries::check(&sources));
    Ok(findings)
}

/// Reads every file that git tracks or would track, and that is text.
fn tracked(root: &Path) -> anyhow::Result<Vec<Source>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .context("starting git")?;
    if !output.status.success() {
        bail!("git ls-files: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let paths = String::from_utf8(output.stdout).context("a tracked path is not UTF-8")?;
    let sources = paths
        .split_terminator('\0')
        .filter_map(|path| {
            let text = std::fs::read_to_string(root.join(path)).ok()?;
            Some(Source { path: path.to_owned(), text })
        })
        .collect();
    Ok(sources)
}

#[cfg(test)]
mod tests {
    #[test]
    fn this_checkout_is_tidy() {
        let findings = super::findings(&crate::root()).unwrap();
        let list: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert!(list.is_empty(), "\n{}", list.join("\n"));
    }
}
