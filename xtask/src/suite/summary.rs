//! What a run of the tests says at its end.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use super::job::Done;

/// How many of the slowest tests are told.
const SLOWEST: usize = 20;
/// How many of the last lines of a test that failed are shown.
const LINES: usize = 60;

/// Returns the output of tests that failed, the time of each package, the slowest tests, and the counts.
///
/// Its last two lines are the counts in cargo's form and in plain words.
pub fn text(done: &[Done], skipped: usize, took: Duration) -> String {
    let mut text = String::new();
    for failed in done.iter().filter(|done| !done.passed) {
        let _written = write!(text, "\n---- {} ----\n{}", failed.name, tail(failed));
    }
    packages(&mut text, done);
    slowest(&mut text, done);
    if skipped > 0 {
        let _written = writeln!(text, "\nskipped: {skipped} tests that `make proof` runs; see xtask/proof.toml");
    }
    let ignored = done.iter().filter(|done| done.ignored).count();
    let failed = done.iter().filter(|done| !done.passed).count();
    let passed = done.len() - failed - ignored;
    let verdict = if failed == 0 { "ok" } else { "FAILED" };
    let seconds = took.as_secs_f64();
    let _written = write!(
        text,
        "\ntest result: {verdict}. {passed} passed; {failed} failed; {ignored} ignored; 0 measured; {skipped} filtered out; \
         finished in {seconds:.2}s\n{passed} passed, {failed} failed, {} skipped\n",
        skipped + ignored
    );
    text
}

fn tail(failed: &Done) -> String {
    let said = std::fs::read(&failed.log).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    // The counts at the end are those of all tests, and the only ones.
    let lines: Vec<&str> = said.lines().filter(|line| !line.starts_with("test result:")).collect();
    let shown = lines[lines.len().saturating_sub(LINES)..].join("\n");
    format!("{shown}\n(all of it: {})\n", failed.log.display())
}

/// Sums the time of the tests of each package: several run at a time.
fn packages(text: &mut String, done: &[Done]) {
    let mut packages = BTreeMap::<&str, (usize, f64)>::new();
    for done in done {
        let package = packages.entry(&done.package).or_default();
        package.0 += 1;
        package.1 += done.took.as_secs_f64();
    }
    let _written = writeln!(text, "\n{:<24} {:>6} {:>9}", "PACKAGE", "TESTS", "SECONDS");
    for (name, (count, seconds)) in packages {
        let _written = writeln!(text, "{name:<24} {count:>6} {seconds:>9.1}");
    }
}

fn slowest(text: &mut String, done: &[Done]) {
    let mut slowest: Vec<&Done> = done.iter().collect();
    slowest.sort_by_key(|done| std::cmp::Reverse(done.took));
    let _written = writeln!(text, "\nthe slowest {}:", slowest.len().min(SLOWEST));
    for done in slowest.iter().take(SLOWEST) {
        let _written = writeln!(text, "{:>7.1} s  {}", done.took.as_secs_f64(), done.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(name: &str, seconds: u64, passed: bool) -> Done {
        let log = std::path::PathBuf::from("/nowhere");
        let name = format!("a {name}");
        Done { name, package: "a".into(), passed, ignored: false, took: Duration::from_secs(seconds), log }
    }

    #[test]
    fn counts_come_last_and_the_slowest_test_first() {
        let ran = [done("quick", 1, true), done("slow", 9, true), done("wrong", 2, false)];
        let text = text(&ran, 1, Duration::from_secs(10));
        assert!(text.contains("---- a wrong ----"), "{text}");
        assert!(text.contains("the slowest 3:\n    9.0 s  a slow\n"), "{text}");
        assert!(text.contains("skipped: 1 tests that `make proof` runs"), "{text}");
        let last = "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 1 filtered out; finished in 10.00s\n\
                    2 passed, 1 failed, 1 skipped\n";
        assert!(text.ends_with(last), "{text}");
    }
}
