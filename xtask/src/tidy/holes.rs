//! Checks the list of failure modes that a scheduler on a shared database can have. Each is a section that says what closes it
//! and cites, in its list, tests or decisions; or it says that it is open. What it cites must exist.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::Finding;

const PAGE: &str = "docs/reference/holes.md";

/// How many holes there are: H1 to this one.
const HOLES: usize = 34;

pub fn check(root: &Path) -> Vec<Finding> {
    match std::fs::read_to_string(root.join(PAGE)) {
        Ok(text) => judge(&text, |path| std::fs::read_to_string(root.join(path)).ok()),
        Err(error) => vec![Finding::new(PAGE, format!("cannot be read: {error}"))],
    }
}

/// Judges the page. `read` returns the content of a file from the root.
fn judge(text: &str, read: impl Fn(&str) -> Option<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut expected = 1..=HOLES;
    let definitions = definitions(text);
    for section in sections(text) {
        let mut finding = |problem| findings.push(Finding::new(format!("{PAGE}:{}", section.line), problem));
        match expected.next() {
            Some(hole) if section.name == format!("H{hole}") => {}
            Some(hole) => {
                finding(format!("is the section of {}, not of H{hole}; each has one, in order", section.name))
            }
            None => finding(format!("is the section of {}, after the last one, H{HOLES}", section.name)),
        }
        if section.title.is_empty() || section.prose.is_empty() {
            finding(format!("needs a title after {}: and a paragraph that says what closes it", section.name));
        }
        evidence(&section, &definitions, &read).into_iter().for_each(finding);
    }
    if let Some(hole) = expected.next() {
        findings.push(Finding::new(PAGE, format!("ends before the section of H{hole}")));
    }
    findings
}

/// A section `## H1: title`: its paragraphs, and the items of the list after `Shown by:`.
struct Section<'a> {
    line: usize,
    name: &'a str,
    title: &'a str,
    prose: Vec<&'a str>,
    items: Vec<String>,
}

fn sections(text: &str) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    let mut in_list = false;
    for (number, line) in text.lines().enumerate() {
        if let Some(heading) = line.strip_prefix("## ") {
            let (name, title) = heading.split_once(':').unwrap_or((heading, ""));
            sections.push(Section {
                line: number + 1,
                name,
                title: title.trim(),
                prose: Vec::new(),
                items: Vec::new(),
            });
            in_list = false;
        } else if let Some(section) = sections.last_mut() {
            match (line.strip_prefix("- "), section.items.last_mut()) {
                _ if line == "Shown by:" => in_list = true,
                (Some(item), _) if in_list => section.items.push(item.to_owned()),
                (None, Some(item)) if line.starts_with("  ") => item.push_str(&line[1..]),
                _ if !line.is_empty() => section.prose.push(line),
                _ => {}
            }
        }
    }
    sections
}

/// Returns the targets of links such as `[planner]: ../planner.rs`, by name.
fn definitions(text: &str) -> HashMap<&str, &str> {
    text.lines().filter_map(|line| line.strip_prefix('[')?.split_once("]: ")).collect()
}

/// Returns what is wrong with the evidence of a section: names of tests in code type, followed by a link to their file, links
/// to decisions, or a paragraph that says what is open.
fn evidence(
    section: &Section<'_>,
    definitions: &HashMap<&str, &str>,
    read: impl Fn(&str) -> Option<String>,
) -> Vec<String> {
    let mut problems = Vec::new();
    let mut cited = section.prose.iter().any(|line| line.contains("**Open:**"));
    for item in &section.items {
        let mut names = Vec::new();
        let mut rest = item.as_str();
        while let Some(start) = rest.find(['`', '[']) {
            let is_name = rest[start..].starts_with('`');
            let (inside, after) = rest[start + 1..].split_once(if is_name { '`' } else { ']' }).unwrap_or_default();
            rest = after;
            if is_name {
                names.push(inside);
                continue;
            }
            let inline = after.strip_prefix('(').and_then(|after| after.split_once(')'));
            if let Some((_, after)) = inline {
                rest = after;
            }
            match inline.map(|(target, _)| target).or_else(|| definitions.get(inside).copied()) {
                Some(target) => problems.extend(citation(target, &std::mem::take(&mut names), &read)),
                None => problems.push(format!("cites [{inside}], which is not defined at the end of the page")),
            }
            cited = true;
        }
        problems.extend(names.iter().map(|name| format!("cites {name} without a link to its file")));
    }
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

    /// A page whose first section has this evidence, and whose others are open.
    fn page(first: &str) -> String {
        let open = (2..=HOLES).map(|hole| format!("## H{hole}: a hole\n\n**Open:** all of it\n\n"));
        let open: String = open.collect();
        let files = "[a]: ../../crates/a/src/a.rs\n[a file]: ../../crates/a/src/a.rs\n";
        let first = format!("## H1: a hole\n\nA `lock` closes it.\n\nShown by:\n\n- {first}\n\n");
        format!("# Holes\n\nIntroduction.\n\n{first}{open}{files}")
    }

    fn problems(page: &str) -> Vec<String> {
        let read = |path: &str| match path {
            "crates/a/src/a.rs" => Some(TESTS.to_owned()),
            "docs/decisions/why.md" => Some("# Why\n".to_owned()),
            _ => None,
        };
        judge(page, read).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn cited_tests_and_decisions_are_there() {
        let cases = [
            ("`it_holds`, `it_holds_twice` in [a.rs](../../crates/a/src/a.rs); [why](../decisions/why.md)", ""),
            ("[why](../decisions/why.md). **Open:** a test", ""),
            ("`it_holds` in [a]", ""),
            ("`it_holds` in [a\n  file]", ""),
            ("`it_is_renamed` in [a]", "cites the test it_is_renamed, which is not in crates/a/src/a.rs"),
            ("`it_holds` in [b]", "cites [b], which is not defined at the end of the page"),
            ("`it_holds`,\n  `it_holds_twice` in [a.rs](../../crates/a/src/a.rs)", ""),
            ("`it_holds`,\n  `gone` in [a.rs](../../crates/a/src/a.rs)", "cites the test gone, which is not in"),
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
            let found = problems(&page(evidence)).join("\n");
            let expected = if expected.is_empty() { String::new() } else { format!("{PAGE}:5: {expected}") };
            assert!(found.starts_with(&expected) && found.is_empty() == expected.is_empty(), "{evidence}: {found}");
        }
    }

    #[test]
    fn each_hole_has_one_section_in_order() {
        let whole = page("[why](../decisions/why.md)");
        assert_eq!(problems(&whole), [""; 0]);
        let cases = [
            (whole.replace("## H34:", "### H34:"), "ends before the section of H34"),
            (whole.replace("## H9:", "## H10:"), "is the section of H10, not of H9"),
            (format!("{whole}## H34: a hole\n\n**Open:** it\n"), "is the section of H34, after the last one"),
            (whole.replace("## H5: a hole", "## H5"), "needs a title after H5:"),
            (whole.replace("A `lock` closes it.", ""), "needs a title after H1: and a paragraph"),
            (whole.replacen("**Open:** all of it", "Nothing.", 1), "cites no test and no decision"),
            (whole.replace("Shown by:", "Tests:"), "cites no test and no decision"),
        ];
        for (text, expected) in cases {
            let found = problems(&text);
            assert!(found.len() == 1 && found[0].contains(expected), "{expected}: {found:?}");
        }
    }

    /// Finds a renamed test, on the page and the sources of this checkout.
    #[test]
    fn renamed_test_is_found() {
        let root = crate::root();
        let text = std::fs::read_to_string(root.join(PAGE)).unwrap();
        let (test, renamed) = ("fn final_states_have_no_way_out(", "fn final_states_are_final(");
        let read = |path: &str| std::fs::read_to_string(root.join(path)).ok().map(|text| text.replace(test, renamed));
        let found = judge(&text, read);
        assert!(!found.is_empty() && found.iter().all(|found| found.problem.contains("final_states_have_no_way_out")));
    }
}
