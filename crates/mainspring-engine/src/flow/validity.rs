//! What components need beside items: a job, a folder, a function. One that is started without it waits for it.

use std::collections::BTreeMap;
use std::path::Path;

use mainspring_core::flow::Definition;
use mainspring_core::flow::body::Body;
use mainspring_core::job::JobKey;
use mainspring_store::Store;

use super::Tools;

/// Components that lack something, and what, in words for people.
pub type Lacks = Vec<(String, Vec<String>)>;

/// What a body needs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Need {
    /// Means to start processes and to make calls.
    Processes,
    Job(String, String),
    Handler(String),
    Folder(String),
}

fn needs(namespace: &str, body: &Body) -> Vec<Need> {
    match body {
        Body::Process(process) => {
            // One that is not absolute is within a folder that is made for the body.
            let folder = process.working_dir.as_ref().filter(|it| Path::new(it).is_absolute());
            [Need::Processes].into_iter().chain(folder.cloned().map(Need::Folder)).collect()
        }
        Body::Http(_) => vec![Need::Processes],
        Body::RunJob { job } => {
            let (namespace, name) = job.split_once('/').unwrap_or((namespace, job));
            vec![Need::Job(namespace.to_owned(), name.to_owned())]
        }
        Body::Handler { name } => vec![Need::Handler(name.clone())],
        Body::FileIn(files) => {
            [Some(&files.folder), files.move_to.as_ref()].into_iter().flatten().cloned().map(Need::Folder).collect()
        }
        Body::FileOut(_)
        | Body::Generate { .. }
        | Body::Log { .. }
        | Body::Route { .. }
        | Body::Funnel
        | Body::Split(_)
        | Body::Merge(_)
        | Body::Wait(_)
        | Body::HttpIn { .. } => Vec::new(),
    }
}

/// Whether a body needs something that may be missing.
pub(super) fn has_needs(body: &Body) -> bool {
    !needs("", body).is_empty()
}

/// Bodies by the names of their components, as far as they need something.
pub(super) fn with_needs(definition: &Definition) -> Vec<(String, Body)> {
    let parts = definition.parts.iter().filter(|part| has_needs(&part.body));
    parts.map(|part| (part.component.name.clone(), part.body.clone())).collect()
}

/// Looks what components of a namespace lack on this node now. Each job and folder is looked for once.
pub(super) async fn lacks(tools: &Tools, store: &dyn Store, namespace: &str, of: Vec<(String, Body)>) -> Lacks {
    let mut looked = BTreeMap::<Need, Option<String>>::new();
    let mut found = Vec::new();
    for (name, body) in of {
        let mut missing = Vec::new();
        for need in needs(namespace, &body) {
            let answer = match looked.get(&need) {
                Some(answer) => answer.clone(),
                None => need.missing(tools, store).await,
            };
            looked.insert(need, answer.clone());
            missing.extend(answer);
        }
        if !missing.is_empty() {
            found.push((name, missing));
        }
    }
    found
}

impl Need {
    /// Says that it is missing.
    async fn missing(&self, tools: &Tools, store: &dyn Store) -> Option<String> {
        match self {
            Self::Processes => tools
                .processes
                .is_none()
                .then(|| "this node starts no processes and makes no calls: it has no data folder".to_owned()),
            Self::Handler(name) => tools
                .handlers
                .find(name)
                .is_none()
                .then(|| format!("the program of this node has no handler \"{name}\" for flows")),
            Self::Job(namespace, name) => {
                let key = JobKey { namespace: namespace.as_str().into(), name: name.as_str().into() };
                // Where the store does not answer, a body finds out.
                let is_missing = matches!(store.job(&key).await, Ok(None));
                is_missing.then(|| format!("there is no job \"{namespace}/{name}\""))
            }
            Self::Folder(path) => {
                let kind = tokio::fs::metadata(path).await;
                let is_there = kind.is_ok_and(|it| it.is_dir());
                (!is_there).then(|| format!("there is no folder \"{path}\" on this node"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use mainspring_core::flow::body::{FileIn, Process, Program};
    use mainspring_store::MemoryStore;

    use super::*;

    #[tokio::test]
    async fn what_a_component_lacks_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().display().to_string();
        let files = |folder: &str, move_to: Option<&str>| {
            let move_to = move_to.map(str::to_owned);
            Body::FileIn(FileIn {
                folder: folder.to_owned(),
                name: None,
                settled_ms: 0,
                move_to,
                max_files: 1,
                max_bytes: 1,
            })
        };
        let process = |working_dir: Option<&str>| {
            let working_dir = working_dir.map(str::to_owned);
            Body::Process(Process {
                program: Program::Shell("true".into()),
                env: BTreeMap::new(),
                working_dir,
                timeout_ms: None,
            })
        };
        let tools = Tools::for_test();
        tools.handlers.register("there", |_: super::super::Session| std::future::ready(()));
        let handler = |name: &str| Body::Handler { name: name.into() };
        let bodies = [
            (Body::Funnel, vec![]),
            (files(&here, Some(&here)), vec![]),
            (files(&here, Some("/not/there")), vec!["there is no folder \"/not/there\" on this node"]),
            (handler("there"), vec![]),
            (handler("gone"), vec!["the program of this node has no handler \"gone\" for flows"]),
            (Body::RunJob { job: "a".into() }, vec!["there is no job \"team/a\""]),
            (Body::RunJob { job: "b/a".into() }, vec!["there is no job \"b/a\""]),
            (
                process(Some("/not/there")),
                vec![
                    "this node starts no processes and makes no calls: it has no data folder",
                    "there is no folder \"/not/there\" on this node",
                ],
            ),
            (process(Some("below")), vec!["this node starts no processes and makes no calls: it has no data folder"]),
        ];
        let store = MemoryStore::new();
        for (body, expected) in bodies {
            let found = lacks(&tools, &store, "team", vec![("c".to_owned(), body.clone())]).await;
            let found: Vec<String> = found.into_iter().flat_map(|(_, lacks)| lacks).collect();
            assert_eq!(found, expected, "{body:?}");
        }
    }
}
