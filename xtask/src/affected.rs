//! `affected`: names the parts of `make proof` that a change asks for, from the paths of the files that it touches.

use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, bail};

use crate::proof::parts::{self, Part};

/// What a change is compared with unless something else is named.
const BASE: &str = "main";

/// Prints the names of the parts, a line for each, for what differs from `base`, committed or not.
///
/// # Errors
/// Fails when git does not know `base`.
pub fn run(root: &Path, base: Option<&str>) -> anyhow::Result<ExitCode> {
    let base = base.unwrap_or(BASE);
    let forked = git(root, &["merge-base", base, "HEAD"])?;
    let mut changed = git(root, &["diff", "--name-only", forked.trim()])?;
    changed.push_str(&git(root, &["ls-files", "--others", "--exclude-standard"])?);
    let changed: Vec<&str> = changed.lines().collect();
    let mut output = std::io::stdout();
    for part in affected(&parts::all()?, &changed) {
        writeln!(output, "{}", part.name)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the parts whose paths are among the files, in their order.
fn affected<'a>(parts: &'a [Part], files: &[&str]) -> Vec<&'a Part> {
    let asks = |part: &&Part| files.iter().any(|file| part.paths.iter().any(|path| file.starts_with(path.as_str())));
    parts.iter().filter(asks).collect()
}

fn git(root: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let output = Command::new("git").args(arguments).current_dir(root).output().context("running git")?;
    if !output.status.success() {
        bail!("git {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    String::from_utf8(output.stdout).context("paths are text")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_ask_for_the_parts_that_look_at_them() {
        let parts = parts::all().unwrap();
        let cases: [(&[&str], &[&str]); 6] = [
            (&["docs/guide/cluster.md", "README.md"], &[]),
            (&["console/src/main.tsx"], &["console"]),
            (&["crates/mainspring-schedule/src/cron.rs"], &["random"]),
            (&["crates/mainspring-rig/src/host.rs"], &["torture", "processes"]),
            (
                &["crates/mainspring-store/src/sql/fire.rs", "docs/concepts/guarantees.md"],
                &["torture", "processes", "kills", "bounds", "plans", "random", "benchmarks"],
            ),
            (
                &["crates/mainspring-core/src/planner.rs"],
                &["sim", "planted", "torture", "bounds", "random", "benchmarks"],
            ),
        ];
        for (files, expected) in cases {
            let names: Vec<&str> = affected(&parts, files).into_iter().map(|part| part.name.as_str()).collect();
            assert_eq!(names, expected, "{files:?}");
        }
    }
}
