//! One test, and how it ended.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mainspring_rig::within;

use super::binaries::Binary;

/// A test that takes longer hangs, and is killed.
const PATIENCE: Duration = Duration::from_secs(1_200);

/// Decides the random cases of properties.
const RANDOM: &str = "PROPTEST_RNG_SEED";

/// A test that is to be run.
#[derive(Debug)]
pub struct Job {
    binary: Arc<Binary>,
    /// The path of the test in its binary.
    path: String,
}

/// A test that was run.
pub struct Done {
    pub name: String,
    pub package: String,
    pub passed: bool,
    pub ignored: bool,
    pub took: Duration,
    /// Where its output is, if it failed.
    pub log: PathBuf,
}

impl Job {
    pub fn new(binary: Arc<Binary>, path: &str) -> Self {
        Self { binary, path: path.to_owned() }
    }

    #[cfg(test)]
    pub fn named(package: &str, path: &str) -> Self {
        let binary = Binary { package: package.to_owned(), executable: PathBuf::new(), folder: PathBuf::new() };
        Self::new(Arc::new(binary), path)
    }

    /// Returns the package and the path of the test.
    pub fn name(&self) -> String {
        format!("{} {}", self.binary.package, self.path)
    }

    /// Runs the test to its end, and keeps its output if it fails.
    pub fn run(&self, logs: &Path) -> Done {
        let log = logs.join(format!("{}-{}.log", self.binary.package, self.path.replace("::", "-")));
        let begun = Instant::now();
        let ended = self.execute(&log);
        let took = begun.elapsed();
        let said = std::fs::read(&log).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        // One that was renamed since it was listed is no test that passed.
        let ignored = said.contains("; 1 ignored;");
        let passed = ended.as_ref().is_ok_and(|ended| *ended) && (ignored || said.contains("ok. 1 passed;"));
        if passed {
            // What is left is in the way of nothing.
            let _removed = std::fs::remove_file(&log);
        } else if let Err(error) = ended {
            let _told = std::fs::write(&log, format!("the test could not be run: {error}\n"));
        }
        Done { name: self.name(), package: self.binary.package.clone(), passed, ignored, took, log }
    }

    fn execute(&self, log: &Path) -> std::io::Result<bool> {
        let output = File::create(log)?;
        let mut command = Command::new(&self.binary.executable);
        command.args(["--exact", &self.path, "--nocapture"]).current_dir(&self.binary.folder);
        command.env("CARGO_MANIFEST_DIR", &self.binary.folder);
        if std::env::var_os(RANDOM).is_none() {
            command.env(RANDOM, "1");
        }
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
        let mut child = command.spawn()?;
        Ok(within(PATIENCE, child.id(), || child.wait())?.success())
    }
}
