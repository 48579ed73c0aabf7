//! The table of holes that a scheduler on a shared database can have: each row names the tests that show it closed, a decision
//! that answers it, or says that it is open. What a row cites is there.

use std::collections::HashSet;
use std::path::Path;

use super::Finding;

const TABLE: &str = "docs/reference/holes.md";

/// How many holes there are: H1 to this one.
const HOLES: usize = 34;

/// Cells of a row: number, hole, what closes it, evidence.
const CELLS: usize = 4;

pub fn check(root: &Path) -> Vec<Finding> {
    match std::fs::read_to_string(root.join(TABLE)) {
        Ok(text) => judge(&text, |path| std::fs::read_to_string(root.join(path)).ok()),
        Err(error) => vec![Finding::new(TABLE, format!("cannot be read: {error}"))],
    }
}

/// Judges the table. `read` answers the content of a file from the root.
fn judge(text: &str, read: impl Fn(&str) -> Option<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut expected = 1..=HOLES;
    for (number, line) in text.lines().enumerate().filter(|(_, line)| line.starts_with("| H")) {
        let mut finding = |problem| findings.push(Finding::new(format!("{TABLE}:{}", number + 1), problem));
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        match expected.next() {
            Some(hole) if cells[0] == format!("H{hole}") => {}
            Some(hole) => finding(format!("is the row of {}, not of H{hole}; each has one row, in order", cells[0])),
            None => finding(format!("is the row of {}, after the last one, H{HOLES}", cells[0])),
        }
        if cells.len() != CELLS || cells.contains(&"") {
            finding(format!("has not {CELLS} cells with text: number, hole, what closes it, evidence"));
            continue;
        }
        evidence(cells[CELLS - 1], &read).into_iter().for_each(finding);
    }
    if let Some(hole) = expected.next() {
        findings.push(Finding::new(TABLE, format!("ends before the row of H{hole}")));
    }
    findings
}

/// Says what is wrong with a cell of evidence: names of tests in code type, each group followed by a link to its file, links
/// to decisions, and what is open.
fn evidence(cell: &str, read: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut problems = Vec::new();
    let mut names = Vec::new();
    let mut cited = cell.contains("**Open:**");
    let mut rest = cell;
    while let Some(start) = rest.find(['`', '[']) {
        let is_name = rest[start..].starts_with('`');
        rest = &rest[start + 1..];
        let (inside, after) = rest.split_once(if is_name { '`' } else { ')' }).unwrap_or((rest, ""));
        rest = after;
        if is_name {
            names.push(inside);
            continue;
        }
        let target = inside.rsplit_once("](").map_or(inside, |(_, target)| target);
        problems.extend(citation(target, &std::mem::take(&mut names), &read));
        cited = true;
    }
    problems.extend(names.iter().map(|name| format!("cites {name} without a link to its file")));
    if !cited {
        problems.push("cites no test and no decision, and does not say what is **Open:**".to_owned());
    }
    problems
}

/// Says what is wrong with a link to a file of tests, or to a decision.
fn citation(target: &str, names: &[&str], read: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let decision = target.strip_prefix("../decisions/").map(|name| format!("docs/decisions/{name}"));
    let source = target.strip_prefix("../../").filter(|path| path.ends_with(".rs")).map(str::to_owned);
    let is_decision = decision.is_some();
    let Some(path) = decision.or(source) else {
        return vec![format!("cites {target}, which is neither a decision nor a file of tests")];
    };
    let Some(text) = read(&path) else {
        return vec![format!("cites {path}, which is not there")];
    };
    match (is_decision, names) {
        (true, []) => Vec::new(),
        (true, _) => vec![format!("cites {} without a link to its file", names.join(", "))],
        (false, []) => vec![format!("cites {path} without the name of a test")],
        (false, _) => {
            let there = functions(&text);
            let gone = names.iter().filter(|name| !there.contains(*name));
            gone.map(|name| format!("cites the test {name}, which is not in {path}")).collect()
        }
    }
}

/// The names of the functions of a source.
fn functions(text: &str) -> HashSet<&str> {
    let lines = text.lines().filter_map(|line| {
        let words = ["pub ", "const ", "async ", "fn "];
        let line = line.trim_start();
        let name = words.iter().fold(line, |rest, word| rest.strip_prefix(word).unwrap_or(rest));
        (name.len() < line.len() && line.contains("fn ")).then_some(name)
    });
    lines.filter_map(|line| line.split_once(['(', '<'])).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TESTS: &str = "#[test]\nfn it_holds() {}\n    async fn it_holds_twice<T>(a: T) {}\n// fn it_is_gone()\n";

    /// A table whose first row has this evidence, and whose others are open.
    fn table(first: &str) -> String {
        let open = (2..=HOLES).map(|hole| format!("| H{hole} | a hole | nothing | **Open:** all of it |\n"));
        let open: String = open.collect();
        format!(
            "# Holes\n\n| # | Hole | Closed by | Shown by |\n|---|---|---|---|\n| H1 | a hole | a lock | {first} |\n{open}"
        )
    }

    fn problems(table: &str) -> Vec<String> {
        let read = |path: &str| match path {
            "crates/a/src/a.rs" => Some(TESTS.to_owned()),
            "docs/decisions/why.md" => Some("# Why\n".to_owned()),
            _ => None,
        };
        judge(table, read).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn cited_tests_and_decisions_are_there() {
        let cases = [
            ("`it_holds`, `it_holds_twice` in [a.rs](../../crates/a/src/a.rs); [why](../decisions/why.md)", ""),
            ("[why](../decisions/why.md). **Open:** a test", ""),
            (
                "`it_is_renamed` in [a.rs](../../crates/a/src/a.rs)",
                "cites the test it_is_renamed, which is not in crates/a/src/a.rs",
            ),
            (
                "`it_is_gone` in [a.rs](../../crates/a/src/a.rs)",
                "cites the test it_is_gone, which is not in crates/a/src/a.rs",
            ),
            ("`it_holds` in [b.rs](../../crates/a/src/b.rs)", "cites crates/a/src/b.rs, which is not there"),
            ("`it_holds`", "cites it_holds without a link to its file"),
            ("`it_holds` and [why](../decisions/why.md)", "cites it_holds without a link to its file"),
            ("[a.rs](../../crates/a/src/a.rs)", "cites crates/a/src/a.rs without the name of a test"),
            ("[why](../decisions/why-not.md)", "cites docs/decisions/why-not.md, which is not there"),
            ("[a](https://example.org)", "cites https://example.org, which is neither a decision nor a file of tests"),
            ("it is fine", "cites no test and no decision, and does not say what is **Open:**"),
        ];
        for (evidence, expected) in cases {
            let found = problems(&table(evidence)).join("\n");
            let expected = if expected.is_empty() { String::new() } else { format!("{TABLE}:5: {expected}") };
            assert!(found.starts_with(&expected) && found.is_empty() == expected.is_empty(), "{evidence}: {found}");
        }
    }

    #[test]
    fn each_hole_has_one_row_in_order() {
        let whole = table("**Open:** all of it");
        assert_eq!(problems(&whole), [""; 0]);
        let cases = [
            (whole.replace("| H34 |", "| G34 |"), "ends before the row of H34"),
            (whole.replace("| H9 |", "| H10 |"), "is the row of H10, not of H9"),
            (format!("{whole}| H34 | a hole | nothing | **Open:** it |\n"), "is the row of H34, after the last one"),
            (whole.replace("| H5 | a hole |", "| H5 |"), "has not 4 cells with text"),
            (whole.replace("| H5 | a hole |", "| H5 | |"), "has not 4 cells with text"),
        ];
        for (text, expected) in cases {
            let found = problems(&text);
            assert!(found.len() == 1 && found[0].contains(expected), "{expected}: {found:?}");
        }
    }

    /// What a rename of a test comes to, on the table and the sources of this checkout.
    #[test]
    fn renamed_test_is_found() {
        let root = crate::root();
        let text = std::fs::read_to_string(root.join(TABLE)).unwrap();
        let (test, renamed) = ("fn final_states_have_no_way_out(", "fn final_states_are_final(");
        let read = |path: &str| std::fs::read_to_string(root.join(path)).ok().map(|text| text.replace(test, renamed));
        let found = judge(&text, read);
        assert!(!found.is_empty() && found.iter().all(|found| found.problem.contains("final_states_have_no_way_out")));
    }
}
