//! Which crate may know which: the table of DESIGN section 2, and the purity of the three pure crates.

use std::collections::{HashMap, HashSet};

use cargo_metadata::{DependencyKind, Metadata, PackageId, TargetKind};

use super::Finding;

/// Our crates, and those of ours that each may depend on.
const BORDERS: &[(&str, &[&str])] = &[
    ("mainspring-model", &[]),
    ("mainspring-schedule", &["model"]),
    ("mainspring-core", &["model", "schedule"]),
    ("mainspring-store", &["core", "schedule"]),
    ("mainspring-tasks", &["model"]),
    ("mainspring-engine", &["store", "core", "schedule", "tasks"]),
    ("mainspring-api", &["model"]),
    ("mainspring-console", &[]),
    ("mainspring-server", &["model", "api", "xxl", "console", "engine", "store", "core", "schedule", "tasks"]),
    ("mainspring-worker", &["api", "tasks"]),
    ("mainspring-xxl", &["api", "model"]),
    ("mainspring", &["engine", "store", "core", "schedule", "tasks"]),
    ("mainspring-cli", &["server", "worker", "xxl", "api", "engine", "store", "core", "schedule", "tasks"]),
    ("mainspring-rig", &["api", "store", "core", "schedule"]),
    ("mainspring-sim", &["api", "worker", "xxl", "core", "store", "schedule"]),
    ("mainspring-torture", &["rig", "sim", "api", "store", "core"]),
];

/// The crates that take time as an argument and do nothing.
const PURE: &[&str] = &["mainspring-model", "mainspring-schedule", "mainspring-core"];

/// Crates that a pure crate must not reach, at any depth: clocks, randomness, threads, I/O.
const IMPURE: &[&str] = &[
    "async-std",
    "axum",
    "chrono",
    "crossbeam-channel",
    "fastrand",
    "getrandom",
    "hyper",
    "libsqlite3-sys",
    "mio",
    "mysql_async",
    "rand",
    "rand_core",
    "rayon",
    "reqwest",
    "rusqlite",
    "smol",
    "sqlx-core",
    "time",
    "tokio",
    "tokio-postgres",
    "ureq",
];

pub fn check(metadata: &Metadata) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in metadata.workspace_packages() {
        let name = package.name.as_str();
        if name == "xtask" {
            continue;
        }
        let ours = package
            .dependencies
            .iter()
            .filter(|dependency| dependency.kind == DependencyKind::Normal)
            .map(|dependency| dependency.name.as_str())
            .filter(|dependency| dependency.starts_with("mainspring"));
        findings.extend(crossings(name, ours));
        let binaries = package.targets.iter().filter(|target| target.kind.contains(&TargetKind::Test)).count();
        if binaries > 1 {
            findings.push(Finding::new(
                name,
                format!("has {binaries} integration test binaries; keep one, tests/it/main.rs"),
            ));
        }
    }
    for pure in PURE {
        findings.extend(reach(metadata, pure));
    }
    findings
}

/// Names the dependencies of `name` on crates of ours that the table does not allow.
fn crossings<'a>(name: &str, dependencies: impl Iterator<Item = &'a str>) -> Vec<Finding> {
    let Some((_, allowed)) = BORDERS.iter().find(|(known, _)| *known == name) else {
        return vec![Finding::new(name, "is not in the table of crate borders (xtask/src/tidy/borders.rs)")];
    };
    dependencies
        .filter(|dependency| {
            let short = dependency.strip_prefix("mainspring-").unwrap_or_default();
            !allowed.contains(&short)
        })
        .map(|dependency| Finding::new(name, format!("must not know {dependency} (DESIGN 2)")))
        .collect()
}

/// Finds each impure crate that `pure` reaches by normal dependencies, with the path to it.
fn reach(metadata: &Metadata, pure: &str) -> Vec<Finding> {
    let names: HashMap<&PackageId, &str> =
        metadata.packages.iter().map(|package| (&package.id, package.name.as_str())).collect();
    let edges = normal_edges(metadata);
    let Some(start) = names.iter().find(|(_, name)| **name == pure) else {
        return vec![Finding::new(pure, "is missing from the workspace")];
    };
    let mut findings = Vec::new();
    let mut seen = HashSet::new();
    let mut open = vec![(*start.0, pure.to_owned())];
    while let Some((id, path)) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        if IMPURE.contains(&names[id]) {
            findings.push(Finding::new(pure, format!("is pure but reaches {path}")));
        }
        for next in edges.get(id).into_iter().flatten() {
            open.push((next, format!("{path} -> {}", names[next])));
        }
    }
    findings
}

/// Maps each package to those that its library is built from, build scripts and tests left out.
fn normal_edges(metadata: &Metadata) -> HashMap<&PackageId, Vec<&PackageId>> {
    let nodes = metadata.resolve.as_ref().map(|resolve| resolve.nodes.as_slice()).unwrap_or_default();
    nodes
        .iter()
        .map(|node| {
            let normal = node
                .deps
                .iter()
                .filter(|dependency| dependency.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal))
                .map(|dependency| &dependency.pkg)
                .collect();
            (&node.id, normal)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forbidden_border_is_named() {
        let cases = [
            ("mainspring-core", "mainspring-store", 1),
            ("mainspring-core", "mainspring-schedule", 0),
            ("mainspring-server", "mainspring-engine", 0),
            ("mainspring-engine", "mainspring-server", 1),
            ("mainspring-store", "mainspring", 1),
        ];
        for (name, dependency, expected) in cases {
            let found = crossings(name, std::iter::once(dependency));
            assert_eq!(found.len(), expected, "{name} -> {dependency}");
        }
        assert_eq!(crossings("mainspring-new", std::iter::empty()).len(), 1);
    }

    #[test]
    fn an_impure_crate_is_found_at_depth() {
        let metadata = cargo_metadata::MetadataCommand::new().current_dir(crate::root()).exec().unwrap();
        assert_eq!(reach(&metadata, "mainspring-schedule"), []);
        // Nothing says that xtask be pure: it starts servers.
        let path = "is pure but reaches xtask -> tokio -> mio";
        assert!(reach(&metadata, "xtask").iter().any(|found| found.problem == path));
        assert_eq!(reach(&metadata, "no-such-crate").len(), 1);
        let edges = normal_edges(&metadata);
        assert!(edges.values().any(|next| !next.is_empty()));
    }
}
