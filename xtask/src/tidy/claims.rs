//! The claims of `docs/reference/flows.md`: each names a test that is there.

use std::collections::BTreeSet;

use super::{Finding, Source};

const PAGE: &str = "docs/reference/flows.md";

/// Finds claims whose test is not there, numbers that are left out, and tests of claims that the page does not name.
pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let Some(page) = sources.iter().find(|source| source.path == PAGE) else { return Vec::new() };
    let tests: BTreeSet<&str> = sources
        .iter()
        .filter(|source| source.path.ends_with(".rs"))
        .flat_map(|source| functions(&source.text))
        .collect();
    let rows: Vec<Row<'_>> =
        page.text.lines().enumerate().filter_map(|(index, line)| Row::read(index + 1, line)).collect();
    let mut findings = Vec::new();
    for row in &rows {
        if row.tests.is_empty() {
            findings.push(Finding::new(format!("{PAGE}:{}", row.line), format!("claim {} names no test", row.id)));
        }
        for test in row.tests.iter().filter(|test| !tests.contains(*test)) {
            let problem = format!("claim {} names the test `{test}`, which is not there", row.id);
            findings.push(Finding::new(format!("{PAGE}:{}", row.line), problem));
        }
    }
    let expected = (1..=38).map(|number| format!("C{number:02}")).chain((1..=19).map(|number| format!("B{number:02}")));
    for id in expected.filter(|id| !rows.iter().any(|row| row.id == id)) {
        findings.push(Finding::new(PAGE, format!("claim {id} is missing")));
    }
    findings
}

/// A row of the table of claims.
struct Row<'a> {
    line: usize,
    id: &'a str,
    tests: Vec<&'a str>,
}

impl<'a> Row<'a> {
    fn read(line: usize, text: &'a str) -> Option<Self> {
        let cells: Vec<&str> = text.trim().strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim).collect();
        let [id, _, tests] = cells.as_slice() else { return None };
        let is_claim = id.len() == 3 && id.starts_with(['C', 'B']) && id[1..].bytes().all(|it| it.is_ascii_digit());
        let names = tests.split('`').skip(1).step_by(2);
        is_claim.then(|| Row { line, id, tests: names.collect() })
    }
}

fn functions(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let line = line.trim_start();
        let line = line.strip_prefix("pub ").unwrap_or(line);
        let rest = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ")?;
        rest.split(['(', '<']).next()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(rows: &str) -> Vec<String> {
        let source = |path: &str, text: &str| Source { path: path.into(), text: text.into() };
        let sources =
            [source(PAGE, rows), source("crates/a/src/a.rs", "    fn c01_it_holds() {}\nasync fn b01_too() {}")];
        check(&sources).iter().map(ToString::to_string).filter(|it| !it.ends_with("is missing")).collect()
    }

    #[test]
    fn a_claim_names_tests_that_are_there() {
        assert_eq!(
            page("| C01 | it holds | `c01_it_holds` |\n| B01 | that, too | `b01_too` (on a cluster) |"),
            [""; 0]
        );
        assert_eq!(
            page("| C01 | it holds | `c01_it_held`, `c01_it_holds` |\n| C02 | and | not tested |"),
            [
                "docs/reference/flows.md:1: claim C01 names the test `c01_it_held`, which is not there",
                "docs/reference/flows.md:2: claim C02 names no test",
            ]
        );
    }

    #[test]
    fn no_number_is_left_out() {
        let source = Source { path: PAGE.into(), text: String::new() };
        assert_eq!(check(&[source]).len(), 57);
    }
}
