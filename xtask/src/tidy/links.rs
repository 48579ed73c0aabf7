//! Links between Markdown files: the file exists, and the heading too.

use std::path::{Component, Path, PathBuf};

use super::{Finding, Source};

pub fn check(sources: &[Source], root: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| source.path.ends_with(".md")) {
        for (line, target) in links(&source.text) {
            if let Some(problem) = broken(source, &target, root) {
                findings.push(Finding::new(format!("{}:{line}", source.path), problem));
            }
        }
    }
    findings
}

/// Says what is wrong with `target`, a link in `source`; links to the web are left alone.
fn broken(source: &Source, target: &str, root: &Path) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    if path.is_empty() {
        return missing_heading(&source.text, anchor, target);
    }
    let folder = Path::new(&source.path).parent().unwrap_or(Path::new(""));
    let Some(path) = flatten(&folder.join(path)) else {
        return Some(format!("link {target} leaves the repository"));
    };
    let file = root.join(&path);
    if !file.exists() {
        return Some(format!("link {target} leads nowhere"));
    }
    if anchor.is_empty() || path.extension().is_none_or(|extension| extension != "md") {
        return None;
    }
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    missing_heading(&text, anchor, target)
}

fn missing_heading(text: &str, anchor: &str, target: &str) -> Option<String> {
    let found = prose(text).any(|(_, line)| line.starts_with('#') && slug(line) == anchor);
    (!found).then(|| format!("link {target} names a heading that is not there"))
}

/// Resolves `.` and `..` without the file system; `None` above the root.
fn flatten(path: &Path) -> Option<PathBuf> {
    let mut flat = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => flat.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !flat.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(flat)
}

/// Spells the anchor of a heading as the usual Markdown viewers do.
fn slug(heading: &str) -> String {
    heading
        .trim_start_matches('#')
        .trim()
        .to_lowercase()
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            '-' | '_' => Some(c),
            _ if c.is_alphanumeric() => Some(c),
            _ => None,
        })
        .collect()
}

/// Yields every inline link target with its line number.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut links = Vec::new();
    for (number, line) in prose(text) {
        let mut rest = line;
        while let Some(start) = rest.find("](") {
            rest = &rest[start + 2..];
            let Some(end) = rest.find(')') else { break };
            let target = rest[..end].split_whitespace().next().unwrap_or_default();
            links.push((number, target.to_owned()));
        }
    }
    links
}

/// Yields the lines outside fenced code blocks, with inline code left as it is.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            return None;
        }
        (!fenced).then_some((index + 1, line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_links_are_found_and_good_ones_are_not() {
        let text = "# A Heading, here\n[a](#a-heading-here) [b](#nope)\n```\n[c](no-such-file)\n```\n[d](no-such-file.md) [e](https://example.org/x) [f](Cargo.toml \"title\") [g](../../up)\n";
        let source = Source { path: "a.md".to_owned(), text: text.to_owned() };
        let found = check(&[source], &crate::root());
        let places: Vec<&str> = found.iter().map(|f| f.problem.as_str()).collect();
        assert_eq!(
            places,
            [
                "link #nope names a heading that is not there",
                "link no-such-file.md leads nowhere",
                "link ../../up leaves the repository",
            ]
        );
        assert_eq!(found[1].place, "a.md:6");
    }
}
