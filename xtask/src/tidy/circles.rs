//! Files of a crate that import each other in a circle: none of them is understood, or moved, without all the others.
//!
//! Two files may be halves of one thing. A larger circle is opened, or is in [`KNOWN`], which may only become shorter.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use mainspring_core::strong::parts;

use super::{Finding, Source};
use imports::{Import, Imports};

mod imports;

/// Files that may import each other.
const FILES_MAX: usize = 2;

/// Circles that are still to be opened: the crate, a file that is in it, and how many files it has.
const KNOWN: &[(&str, &str, usize)] = &[
    // A job may be a workflow, whose tasks have what jobs have.
    ("mainspring-core", "workflow/definition.rs", 11),
    ("mainspring-core", "cluster.rs", 3),
    // One state machine each, in several files.
    ("mainspring-core", "flow/machine.rs", 5),
    ("mainspring-core", "planner.rs", 9),
    ("mainspring-engine", "workflows.rs", 7),
    ("mainspring-engine", "flow/works.rs", 6),
    ("mainspring-sim", "world.rs", 19),
    // A trait says how a database does what requests are made of, and does most of it by calling the requests.
    ("mainspring-store", "sql.rs", 30),
    ("mainspring-store", "memory/model.rs", 17),
    ("mainspring-store", "postgres/connection.rs", 5),
    ("mainspring-torture", "lib.rs", 14),
    ("mainspring-xxl", "fields.rs", 3),
];

/// The path of a module from the root of its crate.
type Module = Vec<String>;

pub fn check(sources: &[Source]) -> anyhow::Result<Vec<Finding>> {
    let mut crates: BTreeMap<&str, BTreeMap<Module, File>> = BTreeMap::new();
    for source in sources {
        let Some((name, path)) = source.path.strip_prefix("crates/").and_then(|path| path.split_once("/src/")) else {
            continue;
        };
        let Some(module) = module_of(path) else { continue };
        let imports = Imports::read(&source.text).with_context(|| format!("reading {}", source.path))?;
        crates.entry(name).or_default().insert(module, File { path, imports });
    }
    let mut findings = Vec::new();
    let mut known: BTreeSet<_> = KNOWN.iter().collect();
    for (name, files) in &crates {
        for circle in circles(files) {
            let place = |path: &str| format!("crates/{name}/src/{path}");
            let of_list = KNOWN.iter().find(|(of, path, _)| of == name && circle.contains(path));
            let count = circle.len();
            match of_list {
                Some(entry) if entry.2 == count => drop(known.remove(entry)),
                Some(entry) => {
                    known.remove(entry);
                    let problem = format!("is in a circle of {count} files, and the list says {}", entry.2);
                    findings.push(Finding::new(place(entry.1), problem));
                }
                None => {
                    let all = circle.join(", ");
                    let problem = format!("{count} files import each other in a circle: {all}");
                    findings.push(Finding::new(place(circle[0]), problem));
                }
            }
        }
    }
    findings.extend(known.into_iter().map(|(name, path, _)| {
        Finding::new(format!("crates/{name}/src/{path}"), "is in no circle: take it off the list in circles.rs")
    }));
    Ok(findings)
}

/// A file that is part of a crate.
struct File<'a> {
    /// From the folder of the crate's sources.
    path: &'a str,
    imports: Imports,
}

/// The module that a file is. Nothing: it holds tests, or is a program beside the crate.
fn module_of(path: &str) -> Option<Module> {
    let path = path.strip_suffix(".rs")?;
    let is_test = |part: &str| part == "tests";
    if path.split('/').any(is_test) || path.starts_with("bin/") {
        return None;
    }
    match path {
        "lib" | "main" => Some(Module::new()),
        _ => Some(path.split('/').filter(|part| *part != "mod").map(str::to_owned).collect()),
    }
}

/// The circles of more files than may be, by their paths.
fn circles<'a>(files: &BTreeMap<Module, File<'a>>) -> Vec<Vec<&'a str>> {
    let numbers: BTreeMap<&Module, u32> = files.keys().zip(0..).collect();
    let edges: Vec<Vec<u32>> = files
        .iter()
        .map(|(module, file)| {
            let targets = file.imports.all.iter().filter_map(|import| target(files, module, import));
            targets.map(|target| numbers[target]).collect()
        })
        .collect();
    let paths: Vec<&str> = files.values().map(|file| file.path).collect();
    parts(files.len(), |node| &edges[node as usize], &[])
        .into_iter()
        .filter(|part| part.len() > FILES_MAX)
        .map(|part| part.into_iter().map(|node| paths[node as usize]).collect())
        .collect()
}

/// The other module that an import takes something from. A module that hands on what is in a folder of its own takes nothing.
fn target<'a>(files: &'a BTreeMap<Module, File<'_>>, module: &Module, import: &Import) -> Option<&'a Module> {
    let found = resolved(files, &absolute(files, module, import)?, DEPTH_MAX)?;
    let hands_on = import.is_public && found.starts_with(module);
    (found != module && !hands_on).then_some(found)
}

/// Names that are handed on more often than this are of a circle of names.
const DEPTH_MAX: u32 = 8;

/// The path of what an import names, from the root. Nothing: it is in another crate.
fn absolute(files: &BTreeMap<Module, File<'_>>, module: &Module, import: &Import) -> Option<Module> {
    let mut base: Module = module.iter().chain(&import.inside).cloned().collect();
    let mut rest = import.path.as_slice();
    match rest.first()?.as_str() {
        "crate" => return Some(rest[1..].to_vec()),
        "self" => rest = &rest[1..],
        "super" => {
            while let Some((_, after)) = rest.split_first().filter(|(first, _)| *first == "super") {
                base.pop()?;
                rest = after;
            }
        }
        first => {
            let child: Module = base.iter().cloned().chain([first.to_owned()]).collect();
            if !files.contains_key(&child) {
                return None;
            }
        }
    }
    base.extend_from_slice(rest);
    Some(base)
}

/// The module in which something is defined that may have been handed on.
fn resolved<'a>(files: &'a BTreeMap<Module, File<'_>>, path: &[String], depth: u32) -> Option<&'a Module> {
    let (module, file, rest) = (0..=path.len()).rev().find_map(|length| {
        let (module, file) = files.get_key_value(&path[..length])?;
        Some((module, file, &path[length..]))
    })?;
    let Some(name) = rest.first() else { return Some(module) };
    if depth == 0 || file.imports.defined.contains(name) {
        return Some(module);
    }
    let own = file.imports.all.iter().filter(|import| import.is_use && import.inside.is_empty());
    for import in own {
        let names_it = import.name.as_deref() == Some(name.as_str());
        if !names_it && import.name.is_some() {
            continue;
        }
        let Some(mut from) = absolute(files, module, import) else {
            if names_it {
                return None;
            }
            continue;
        };
        if !names_it {
            from.push(name.clone());
        }
        let found = resolved(files, &from, depth - 1);
        let is_there = |found: &&Module| names_it || files[*found].imports.defined.contains(name);
        if let Some(found) = found.filter(is_there) {
            return Some(found);
        }
    }
    Some(module)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let source = |(path, text): &(&str, &str)| Source {
            path: format!("crates/mainspring-x/src/{path}"),
            text: (*text).to_owned(),
        };
        let sources: Vec<Source> = files.iter().map(source).collect();
        check(&sources).unwrap().into_iter().filter(|it| it.place.contains("-x/")).map(|it| it.problem).collect()
    }

    #[test]
    fn a_circle_of_three_files_is_found_and_a_pair_is_none() {
        let [a, b, c] = [
            ("a.rs", "use crate::b::B; pub struct A;"),
            ("b.rs", "pub struct B; fn b() { crate::c::c(); }"),
            ("c.rs", "use super::a; pub fn c() {}"),
        ];
        let expected = ["3 files import each other in a circle: a.rs, b.rs, c.rs"];
        assert_eq!(found(&[a, b, c]), expected);
        assert_eq!(found(&[a, b, ("c.rs", "pub fn c() {}")]), [""; 0]);
        assert_eq!(found(&[a, ("b.rs", "use crate::a::A; pub struct B;"), c]), [""; 0], "a pair, and one below");
        assert_eq!(found(&[a, b, ("c.rs", "pub fn c() {} #[cfg(test)] mod tests { use crate::a::A; }")]), [""; 0]);
        let inner = ("c.rs", "pub fn c() {} mod inner { use super::super::a::A; }");
        assert_eq!(found(&[a, b, inner]), expected, "an inner module is of the file");
        let inner = ("c.rs", "pub fn c() {} pub struct D; mod inner { use super::D; pub(in crate::a) struct E; }");
        assert_eq!(found(&[a, b, inner]), [""; 0]);
    }

    #[test]
    fn a_name_that_is_handed_on_is_of_the_file_that_defines_it() {
        let lib = ("lib.rs", "mod a; mod b; mod c; pub use a::A;");
        let a = ("a.rs", "mod part; pub use part::*; use crate::b::B; pub struct A;");
        let b = ("b.rs", "use crate::c::C; pub struct B;");
        assert_eq!(
            found(&[lib, a, b, ("a/part.rs", "pub struct P;"), ("c.rs", "use crate::A; pub struct C;")]).len(),
            1
        );
        assert_eq!(
            found(&[lib, a, b, ("a/part.rs", "pub struct P;"), ("c.rs", "use crate::a::P; pub struct C;")]),
            [""; 0]
        );
        let renamed = ("c.rs", "use crate::a::{self as other, part}; pub struct C;");
        assert_eq!(found(&[lib, a, b, ("a/part.rs", "pub struct P;"), renamed]).len(), 1);
    }
}
