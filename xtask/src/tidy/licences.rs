//! Licences of everything we build from, against the list in `deny.toml`.
//!
//! `cargo deny` reads the same list and does more; this check needs no installation.

use std::collections::HashSet;
use std::path::Path;

use anyhow::Context;
use cargo_metadata::Metadata;

use super::Finding;

pub fn check(metadata: &Metadata, root: &Path) -> anyhow::Result<Vec<Finding>> {
    let allowed = allowed(&std::fs::read_to_string(root.join("deny.toml"))?)?;
    let findings = metadata
        .packages
        .iter()
        .filter_map(|package| {
            let place = format!("{} {}", package.name, package.version);
            match &package.license {
                None => Some(Finding::new(place, "states no licence")),
                Some(licence) if !is_allowed(licence, &allowed) => {
                    Some(Finding::new(place, format!("licence {licence:?} is not in the list of deny.toml")))
                }
                Some(_) => None,
            }
        })
        .collect();
    Ok(findings)
}

fn allowed(deny: &str) -> anyhow::Result<HashSet<String>> {
    let deny: toml::Table = deny.parse().context("deny.toml")?;
    let list = deny
        .get("licenses")
        .and_then(|section| section.get("allow"))
        .and_then(toml::Value::as_array)
        .context("deny.toml has no list licenses.allow")?;
    Ok(list.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect())
}

/// Decides an SPDX expression: `AND` and `OR` with brackets, the old `/` for `OR`.
///
/// A licence `WITH` an exception grants more than the licence, so the exception is passed over.
fn is_allowed(expression: &str, allowed: &HashSet<String>) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words: Vec<&str> = spaced.split_whitespace().rev().collect();
    let verdict = any_of(&mut words, allowed);
    verdict && words.is_empty()
}

fn any_of(words: &mut Vec<&str>, allowed: &HashSet<String>) -> bool {
    let mut verdict = all_of(words, allowed);
    while words.pop_if(|word| *word == "OR").is_some() {
        // Evaluated first: a verdict must not leave words unread.
        let right = all_of(words, allowed);
        verdict |= right;
    }
    verdict
}

fn all_of(words: &mut Vec<&str>, allowed: &HashSet<String>) -> bool {
    let mut verdict = one(words, allowed);
    while words.pop_if(|word| *word == "AND").is_some() {
        let right = one(words, allowed);
        verdict &= right;
    }
    verdict
}

fn one(words: &mut Vec<&str>, allowed: &HashSet<String>) -> bool {
    let Some(word) = words.pop() else {
        return false;
    };
    if word == "(" {
        let verdict = any_of(words, allowed);
        return words.pop() == Some(")") && verdict;
    }
    if words.pop_if(|word| *word == "WITH").is_some() {
        words.pop();
    }
    allowed.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licence_expressions_are_decided() {
        let allowed: HashSet<String> = ["MIT", "Apache-2.0", "Unicode-3.0"].map(str::to_owned).into();
        let cases = [
            ("MIT", true),
            ("MIT OR Apache-2.0", true),
            ("GPL-3.0 OR MIT", true),
            ("GPL-3.0/MIT", true),
            ("MIT AND GPL-3.0", false),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
            ("(MIT OR Apache-2.0) AND GPL-3.0", false),
            ("Apache-2.0 WITH LLVM-exception OR GPL-2.0", true),
            ("GPL-2.0 WITH Classpath-exception-2.0", false),
            ("MIT GPL-3.0", false),
            ("(MIT", false),
            ("", false),
        ];
        for (expression, expected) in cases {
            assert_eq!(is_allowed(expression, &allowed), expected, "{expression:?}");
        }
    }

    #[test]
    fn deny_toml_without_a_list_is_refused() {
        assert!(allowed("[licenses]\n").is_err());
        assert_eq!(allowed("[licenses]\nallow = ['MIT']").unwrap().len(), 1);
    }
}
