//! The parts of `make proof`, as `xtask/proof.toml` lists them.

use std::collections::BTreeMap;

use anyhow::{Context, bail};
use serde::Deserialize;

const TEXT: &str = include_str!("../../proof.toml");

/// Something that is shown apart from `make test`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    pub name: String,
    pub about: String,
    /// Files whose change asks for this part: the beginnings of their paths.
    pub paths: Vec<String>,
    /// The tests that `make test` leaves out, each as package and path.
    #[serde(default)]
    pub tests: Vec<String>,
    /// Tests that `make test` runs too: the beginnings of their names.
    #[serde(default)]
    pub again: Vec<String>,
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    #[serde(default)]
    pub commands: Vec<Vec<String>>,
    #[serde(default)]
    pub bench: Vec<Bench>,
}

/// A benchmark, and the bounds of what it measures.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bench {
    pub name: String,
    /// What follows `mainspring bench`.
    pub run: Vec<String>,
    /// Figures of its report, with dots between the levels, and the least that each may be.
    #[serde(default)]
    pub at_least: BTreeMap<String, f64>,
    #[serde(default)]
    pub at_most: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    part: Vec<Part>,
}

impl Part {
    /// Returns whether the part runs a test, named by package and path.
    pub fn runs(&self, test: &str) -> bool {
        self.leaves_out(test) || self.again.iter().any(|beginning| test.starts_with(beginning.as_str()))
    }

    /// Returns whether a test belongs to this part and not to `make test`.
    pub fn leaves_out(&self, test: &str) -> bool {
        self.tests.iter().any(|name| name == test)
    }
}

/// Returns all parts in the order in which they run.
pub fn all() -> anyhow::Result<Vec<Part>> {
    Ok(toml::from_str::<File>(TEXT).context("reading xtask/proof.toml")?.part)
}

/// Returns the parts of these names, or all if there are none.
pub fn named(names: &[&str]) -> anyhow::Result<Vec<Part>> {
    let parts = all()?;
    if let Some(unknown) = names.iter().find(|name| !parts.iter().any(|part| part.name == **name)) {
        let known: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
        bail!("there is no part `{unknown}`; there are {}", known.join(", "));
    }
    Ok(parts.into_iter().filter(|part| names.is_empty() || names.contains(&part.name.as_str())).collect())
}

/// Puts the number of this run in place of `{fresh}`, and the one 2,000 later in place of `{fresh+2000}`.
pub fn with_fresh(text: &str, fresh: u64) -> String {
    text.replace("{fresh}", &fresh.to_string()).replace("{fresh+2000}", &(fresh + 2_000).to_string())
}

/// Returns the number that makes this run differ from others: the one of the environment, or the present second.
pub fn fresh() -> anyhow::Result<u64> {
    if let Ok(text) = std::env::var(FRESH) {
        return text.parse().with_context(|| format!("{FRESH} is no number: {text}"));
    }
    let folder = tempfile::NamedTempFile::new()?;
    let now = folder.as_file().metadata()?.modified()?;
    Ok(now.duration_since(std::time::UNIX_EPOCH)?.as_secs())
}

/// Repeats a run with the random numbers of an earlier one.
pub const FRESH: &str = "MAINSPRING_PROOF_FRESH";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_names_of_their_own_and_something_to_do() {
        let parts = all().unwrap();
        for (number, part) in parts.iter().enumerate() {
            assert!(!parts[..number].iter().any(|other| other.name == part.name), "{} twice", part.name);
            let does = part.tests.len() + part.again.len() + part.commands.len() + part.bench.len();
            assert!(does > 0 && !part.paths.is_empty(), "{}", part.name);
        }
    }

    #[test]
    fn no_test_belongs_to_two_parts() {
        let parts = all().unwrap();
        let mut tests: Vec<&String> = parts.iter().flat_map(|part| &part.tests).collect();
        tests.sort();
        assert!(tests.windows(2).all(|pair| pair[0] != pair[1]), "{tests:?}");
    }

    #[test]
    fn paths_of_all_parts_are_there() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for part in all().unwrap() {
            for path in &part.paths {
                let whole = root.join(path);
                let (folder, beginning) = (whole.parent().unwrap(), whole.file_name().unwrap().to_str().unwrap());
                let mut files = std::fs::read_dir(folder).into_iter().flatten().flatten();
                let is_there =
                    files.any(|file| file.file_name().to_str().is_some_and(|name| name.starts_with(beginning)));
                assert!(is_there, "{}: {path}", part.name);
            }
        }
    }

    #[test]
    fn parts_that_do_not_exist_are_refused_with_those_that_do() {
        let error = named(&["torture", "tortoise"]).unwrap_err().to_string();
        assert!(error.starts_with("there is no part `tortoise`; there are sim, "), "{error}");
        let names: Vec<String> = named(&["torture", "sim"]).unwrap().into_iter().map(|part| part.name).collect();
        assert_eq!(names, ["sim", "torture"]);
    }

    #[test]
    fn fresh_numbers_are_put_into_commands() {
        assert_eq!(with_fresh("{fresh}..{fresh+2000}", 7), "7..2007");
    }
}
