//! What source files must not contain: clocks in pure crates, machine paths, too many lines.

use std::path::Path;

use super::{Finding, Source};

/// Lines of code above which a file does two things (style guide, section 12).
const CODE_LINES_MAX: usize = 600;

/// Test files are tables of cases, and may be longer.
const TEST_LINES_MAX: usize = 1_500;

/// Reads of the world that a pure crate leaves to its caller.
const IMPURE: &[&str] = &[
    "SystemTime::now",
    "Instant::now",
    "Zoned::now",
    "Timestamp::now",
    "TimeZone::system",
    "std::thread",
    "std::fs",
    "std::net",
    "std::env",
    "std::process",
];

const PURE: &[&str] = &["crates/mainspring-schedule/src/", "crates/mainspring-core/src/"];

pub fn check(sources: &[Source], root: &Path) -> Vec<Finding> {
    let machine = machine_paths(root);
    let mut findings = Vec::new();
    for source in sources {
        findings.extend(machine_path_in(source, &machine));
        if source.path.ends_with(".rs") {
            findings.extend(length(source));
            if PURE.iter().any(|folder| source.path.starts_with(folder)) {
                findings.extend(impurity(source));
            }
        }
    }
    findings
}

fn length(source: &Source) -> Option<Finding> {
    let is_test = source.path.contains("/tests/") || source.path.ends_with("tests.rs");
    let (lines, max) = if is_test {
        (code_lines(&source.text).count(), TEST_LINES_MAX)
    } else {
        (code_lines(without_tests(&source.text)).count(), CODE_LINES_MAX)
    };
    (lines > max).then(|| {
        let problem = format!("{lines} lines of code, more than {max}: which two things is it?");
        Finding::new(&source.path, problem)
    })
}

fn impurity(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in code_lines(without_tests(&source.text)) {
        for word in IMPURE.iter().filter(|word| line.contains(**word)) {
            findings.push(Finding::new(
                format!("{}:{number}", source.path),
                format!("{word} in a pure crate; take it as an argument"),
            ));
        }
    }
    findings
}

/// Paths that name a machine: this checkout, this home, and the homes of usual build machines.
fn machine_paths(root: &Path) -> Vec<String> {
    let mut paths: Vec<String> =
        ["root", "home/runner", "home/ubuntu"].iter().map(|home| format!("/{home}/")).collect();
    paths.push(format!("{}/", root.display()));
    if let Some(home) = std::env::home_dir().filter(|home| home.components().count() > 1) {
        paths.push(format!("{}/", home.display()));
    }
    paths
}

fn machine_path_in(source: &Source, machine: &[String]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in source.text.lines().enumerate() {
        if let Some(path) = machine.iter().find(|path| line.contains(path.as_str())) {
            findings.push(Finding::new(
                format!("{}:{}", source.path, index + 1),
                format!("names a path of one machine, {path}"),
            ));
        }
    }
    findings
}

/// Cuts the test module off, which comes last by the style guide.
fn without_tests(text: &str) -> &str {
    text.find("#[cfg(test)]\nmod ").map_or(text, |start| &text[..start])
}

/// Yields the lines that hold code, with their number: no blank ones and no comments.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with("//"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn a_clock_in_a_pure_crate_is_found_outside_comments_and_tests() {
        let text =
            "//! Never SystemTime::now.\nlet a = SystemTime::now();\n\n#[cfg(test)]\nmod tests {\n use std::fs;\n}\n";
        let found = check(&[source("crates/mainspring-core/src/a.rs", text)], Path::new("/no/such/root"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].place, "crates/mainspring-core/src/a.rs:2");
        let elsewhere = source("crates/mainspring-engine/src/a.rs", text);
        assert_eq!(check(&[elsewhere], Path::new("/no/such/root")), []);
    }

    #[test]
    fn a_long_file_is_found_and_its_tests_do_not_count() {
        let code = "let a = 1;\n".repeat(CODE_LINES_MAX);
        let tests = "#[cfg(test)]\nmod tests {\n".to_owned() + &code + "}\n";
        assert!(length(&source("a/src/a.rs", &(code.clone() + &tests))).is_none());
        assert!(length(&source("a/src/a.rs", &(code.clone() + "let b = 1;\n"))).is_some());
        assert!(length(&source("a/tests/it/a.rs", &(code.clone() + "let b = 1;\n"))).is_none());
        assert!(length(&source("a/tests/it/a.rs", &code.repeat(3))).is_some());
    }

    #[test]
    fn a_machine_path_is_found() {
        let machine = machine_paths(Path::new("/srv/checkout"));
        let line = source("a.md", "fine\nsee /srv/checkout/docs\n");
        let found = machine_path_in(&line, &machine);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].place, "a.md:2");
    }
}
