//! Checks the summary lines of modules and `pub` items, in the crates that keep the rule: no summary begins with a question
//! word or "of", and that of a function begins with a verb in the third person.

use super::{Finding, Source};

/// The crates that keep the rule. Add one once its summaries follow it.
const CRATES: [&str; 5] =
    ["mainspring-rig", "mainspring-schedule", "mainspring-tasks", "mainspring-torture", "mainspring-worker"];

/// Words with which a summary must not begin.
const BANNED: [&str; 9] = ["What", "Who", "Whoever", "Of", "Where", "Why", "How", "As", "Which"];

pub fn check(sources: &[Source]) -> Vec<Finding> {
    let kept = |source: &&Source| {
        CRATES.iter().any(|name| source.path.starts_with(&format!("crates/{name}/src/")))
            && source.path.ends_with(".rs")
    };
    sources.iter().filter(kept).flat_map(judge).collect()
}

fn judge(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut finding = |number: usize, problem: &str| {
        findings.push(Finding::new(format!("{}:{}", source.path, number + 1), problem.to_owned()));
    };
    let lines: Vec<&str> = source.text.lines().map(str::trim).collect();
    if let Some(first) = lines.first().and_then(|line| line.strip_prefix("//! ")).and_then(first_word)
        && BANNED.contains(&first)
    {
        finding(0, &format!("the module's summary begins with {first}: name the mechanism"));
    }
    for (number, line) in lines.iter().enumerate() {
        let is_first = number == 0 || !lines[number - 1].starts_with("///");
        let Some(word) = line.strip_prefix("/// ").filter(|_| is_first).and_then(first_word) else {
            continue;
        };
        let item = item_after(&lines[number..]);
        if !item.starts_with("pub") {
            continue;
        }
        if BANNED.contains(&word) {
            finding(number, &format!("a summary begins with {word}: name the thing, or begin with a verb"));
        } else if is_function(item) && !word.ends_with('s') {
            finding(number, &format!("a function's summary begins with {word}: begin with a verb, or with Returns"));
        }
    }
    findings
}

fn first_word(text: &str) -> Option<&str> {
    text.split([' ', '.', ',', ':', ';']).next().filter(|word| !word.is_empty())
}

/// Returns the line of the item that a comment, at the beginning of `lines`, describes.
fn item_after<'a>(lines: &[&'a str]) -> &'a str {
    let mut lines = lines.iter().skip_while(|line| line.starts_with("//"));
    while let Some(line) = lines.next() {
        if !line.starts_with("#[") {
            return line;
        }
        let mut end = line;
        while !end.ends_with(']') {
            let Some(next) = lines.next() else { return "" };
            end = next;
        }
    }
    ""
}

fn is_function(item: &str) -> bool {
    let words = item.split(' ').skip(1);
    words.take_while(|word| ["const", "async", "unsafe", "fn"].contains(word)).any(|word| word == "fn")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(path: &str, text: &str) -> Vec<String> {
        let source = Source { path: path.to_owned(), text: text.to_owned() };
        check(&[source]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn summaries_begin_with_a_noun_or_a_verb() {
        let path = "crates/mainspring-worker/src/a.rs";
        let cases = [
            ("//! Polls servers.\n", None),
            ("//! What a worker holds.\n", Some("a.rs:1: the module's summary begins with What")),
            ("/// The poll.\npub struct Poll;\n", None),
            (
                "/// Why it ended.\n#[derive(\n    Debug,\n)]\npub struct Why;\n",
                Some("a.rs:1: a summary begins with Why"),
            ),
            ("/// Why it ended.\nstruct Why;\n", None),
            ("    /// Returns the poll.\n    ///\n    /// What else.\n    pub fn poll() {}\n", None),
            (
                "/// The poll.\n#[must_use]\npub const fn poll() {}\n",
                Some("a.rs:1: a function's summary begins with The"),
            ),
            ("/// The poll.\npub(crate) async fn poll() {}\n", Some("a.rs:1: a function's summary begins with The")),
            ("/// Of one poll.\npub(crate) poll: u8,\n", Some("a.rs:1: a summary begins with Of")),
        ];
        for (text, expected) in cases {
            let found = problems(path, text);
            match expected {
                None => assert_eq!(found, [""; 0], "{text}"),
                Some(words) => assert!(found.len() == 1 && found[0].contains(words), "{text}: {found:?}"),
            }
        }
        assert_eq!(problems("crates/mainspring-core/src/a.rs", "//! What is due.\n"), [""; 0]);
    }
}
