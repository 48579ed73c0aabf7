//! The commands that README, guides, concepts and examples show are commands of this version: each is read by the parser.

use std::path::{Path, PathBuf};

/// Every command that begins with `mainspring` in the code blocks of a page, or in the comments of an example.
fn commands(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let is_page = path.extension().is_some_and(|ending| ending == "md");
    let mut inside = !is_page;
    let mut found: Vec<String> = Vec::new();
    for line in text.lines() {
        if is_page && line.trim_start().starts_with("```") {
            inside = !inside;
            continue;
        }
        let line = line.trim_start_matches(['#', '$', ' ']);
        if inside && line.starts_with("mainspring ") && !line.starts_with("mainspring 0.") {
            found.push(line.to_owned());
        }
    }
    found
}

/// Words as a shell reads them, up to what belongs to the shell.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, '\\') => words.last_mut().unwrap().extend(letters.next()),
            (None, '|' | '>' | '<' | ';' | '&') => break,
            (None, '#') if words.last().unwrap().is_empty() => break,
            (None, ' ') if words.last().unwrap().is_empty() => {}
            // Two blanks and more come before what a help says of the command.
            (None, ' ') if letters.peek() == Some(&' ') && line.contains("    ") => break,
            (None, ' ') => words.push(String::new()),
            _ => words.last_mut().unwrap().push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = vec![root.join("README.md")];
    for folder in ["docs/guide", "docs/concepts", "examples"] {
        let entries = std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        let wanted = |path: &PathBuf| {
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            ["md", "yaml", "toml", "py"].contains(&ending)
        };
        pages.extend(entries.filter(wanted));
    }
    pages
}

#[test]
fn every_command_that_is_shown_can_be_given() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for page in pages() {
        for line in commands(&page) {
            let words = words(&line);
            if words.iter().any(|word| word.contains('…') || word.starts_with('[')) {
                continue;
            }
            count += 1;
            if let Err(error) = crate::cli::command().try_get_matches_from(&words)
                && error.use_stderr()
            {
                wrong.push(format!("{}: {line}\n{error}", page.display()));
            }
        }
    }
    assert!(count > 60, "only {count} commands were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_number_of_examples_in_the_readme_is_right() {
    let readme = include_str!("../../../README.md");
    let now = jiff::Zoned::now();
    let count = crate::examples::bundle(7070, &now).unwrap().jobs.len();
    assert!(readme.contains(&format!("{count} jobs are at work in a temporary store")), "there are {count}");
}
