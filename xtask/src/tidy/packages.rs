//! Which crates can be published: those that are not for the project alone, each with what a registry asks for.
//!
//! That they build from what would be uploaded is shown by the part `packages` of `make proof`.

use std::collections::HashMap;

use cargo_metadata::{Dependency, DependencyKind, Metadata, Package};

use super::Finding;

pub fn check(metadata: &Metadata) -> Vec<Finding> {
    let members: HashMap<&str, &Package> =
        metadata.workspace_packages().into_iter().map(|package| (package.name.as_str(), package)).collect();
    let is_public = |name: &str| members.get(name).is_none_or(|package| package.publish.is_none());
    let mut findings = Vec::new();
    for package in members.values().filter(|package| package.publish.is_none()) {
        let name = package.name.as_str();
        if package.description.is_none() || package.license.is_none() {
            findings.push(Finding::new(name, "can be published and needs a description and a license"));
        }
        let ours = package.dependencies.iter().filter(|dependency| members.contains_key(dependency.name.as_str()));
        findings.extend(
            ours.filter_map(|dependency| fault(dependency, is_public(&dependency.name)))
                .map(|fault| Finding::new(name, fault)),
        );
    }
    findings
}

/// Why a registry refuses a package with a dependency of ours.
fn fault(dependency: &Dependency, is_public: bool) -> Option<String> {
    let (name, has_version) = (&dependency.name, dependency.req.to_string() != "*");
    let is_built = dependency.kind != DependencyKind::Development;
    match (is_public, has_version) {
        (false, _) if is_built => Some(format!("can be published and must not need {name}, which is for us alone")),
        (false, true) => Some(format!("needs {name} for its tests: by path alone, or nobody can publish it")),
        (true, false) if is_built => Some(format!("can be published and needs a version of {name} beside its path")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dependency(kind: &str, req: &str) -> Dependency {
        let text = format!(
            r#"{{"name": "mainspring-x", "source": null, "req": "{req}", "kind": {kind}, "rename": null, "optional": false,
                "uses_default_features": true, "features": [], "target": null, "registry": null, "path": null}}"#
        );
        serde_json::from_str(&text).expect("as cargo writes it")
    }

    #[test]
    fn what_a_registry_would_refuse_is_found() {
        for (kind, req, is_public, is_right) in [
            ("null", "^0.1.0", true, true),
            ("null", "*", true, false),
            ("null", "^0.1.0", false, false),
            ("\"dev\"", "*", false, true),
            ("\"dev\"", "^0.1.0", false, false),
            ("\"build\"", "*", true, false),
        ] {
            let found = fault(&dependency(kind, req), is_public);
            assert_eq!(found.is_none(), is_right, "{kind} {req} {is_public}: {found:?}");
        }
    }
}
