//! What bodies do: those of processes are data for the shell, the others are done here.

mod file_in;
mod file_out;
mod http;
mod merge;
mod split;
mod wait;

use std::collections::BTreeMap;

use mainspring_schedule::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::definition::{Component, Connection, Flow};
use super::machine::{Disposal, Output, Verdict};
use super::problem::FlowProblem;
use super::queue::{Header, Priority};
use crate::job::ScriptTask;
use crate::workflow::expression;

pub use file_in::FileIn;
pub use file_out::{FileOut, OnConflict};
pub use http::HttpBody;
pub use merge::Merge;
pub use split::Split;
pub use wait::Wait;

/// A flow as it is kept: components with their bodies, and connections.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Definition {
    /// The components, in order.
    pub parts: Vec<Part>,
    /// The connections, which name components by their place.
    pub connections: Vec<Connection>,
}

/// A component with its body.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Part {
    /// When it runs.
    pub component: Component,
    /// What it does.
    pub body: Body,
}

impl Definition {
    /// Returns a number for each connection, which stays the same as long as its ends and relationships do: items are kept under
    /// it. Connections alike in all of these get one and the same.
    #[must_use]
    pub fn connection_numbers(&self) -> Vec<i64> {
        let number = |it: &Connection| {
            let mut relationships = it.relationships.clone();
            relationships.sort_unstable();
            let name = |component: usize| self.parts[component].component.name.as_str();
            let mut hash = Sha256::new();
            for text in [name(it.from), name(it.to)].into_iter().chain(relationships.iter().map(String::as_str)) {
                hash.update(text.as_bytes());
                hash.update([0]);
            }
            i64::from_be_bytes(hash.finalize()[..8].try_into().expect("a hash has more than 8 bytes"))
        };
        self.connections.iter().map(number).collect()
    }

    /// Joins components and connections.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub fn compile(&self) -> Result<Flow, Vec<FlowProblem>> {
        Flow::new(self.parts.iter().map(|part| part.component.clone()).collect(), self.connections.clone())
    }
}

/// What a component does.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// Starts a process for each item.
    Process(Process),
    /// Makes items.
    Generate {
        /// What each holds.
        content: Content,
        /// How many one body makes.
        count: u32,
    },
    /// Writes a line for each item.
    Log {
        /// The line with expressions; attributes and size when absent.
        message: Option<String>,
    },
    /// Passes each item on under the first relationship whose condition holds.
    Route {
        /// Relationships and their conditions.
        routes: Vec<(String, String)>,
    },
    /// Passes items on as they are.
    Funnel,
    /// Makes several items of each.
    Split(Split),
    /// Makes one item of several.
    Merge(Merge),
    /// Holds each item for a while.
    Wait(Wait),
    /// Calls a web server for each item.
    Http(HttpBody),
    /// Makes an item of each file of a folder.
    FileIn(FileIn),
    /// Writes each item into a file.
    FileOut(FileOut),
    /// Starts a job for each item, and waits for it.
    RunJob {
        /// `NAMESPACE/JOB`; the namespace is that of the flow when absent.
        job: String,
    },
    /// Calls a function of the program around the engine.
    Handler {
        /// Its name.
        name: String,
    },
    /// Has no body: requests put its items.
    HttpIn {
        /// The most bytes of a payload.
        max_bytes: u64,
    },
}

/// A process that works on an item.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Process {
    /// What is started.
    pub program: Program,
    /// Variables of its environment.
    pub env: BTreeMap<String, String>,
    /// Where it starts.
    pub working_dir: Option<String>,
    /// How long it may take, in ms.
    pub timeout_ms: Option<i64>,
}

/// What a process executes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Program {
    /// A line for the shell.
    Shell(String),
    /// A program and its arguments.
    Argv(Vec<String>),
    /// A text that an interpreter reads from a file.
    Script(ScriptTask),
}

/// What an item holds.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Content {
    /// Its attributes.
    pub attributes: BTreeMap<String, String>,
    /// Its payload.
    #[serde(with = "payload")]
    pub payload: Vec<u8>,
}

/// Payloads are texts in definitions.
mod payload {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&String::from_utf8_lossy(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        String::deserialize(deserializer).map(String::into_bytes)
    }
}

impl Content {
    /// The bytes that count for back-pressure: of payload and attributes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let attributes: usize = self.attributes.iter().map(|(name, value)| name.len() + value.len()).sum();
        (self.payload.len() + attributes) as u64
    }

    /// What its attribute `priority` says.
    #[must_use]
    pub fn priority(&self) -> Priority {
        Priority::of(self.attributes.get("priority").map(String::as_str))
    }

    fn values(&self) -> serde_json::Value {
        let payload = String::from_utf8_lossy(&self.payload);
        json!({ "attributes": self.attributes, "payload": payload, "bytes": self.bytes() })
    }
}

/// What a body that is done here comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Done {
    /// What becomes of the items.
    pub verdict: Verdict,
    /// What the items hold that it made.
    pub made: Vec<Content>,
    /// Lines for the component's log.
    pub lines: Vec<String>,
}

/// What becomes of items that all go on under one relationship as they are.
fn passed(relationship: &str, count: usize) -> Done {
    let pass = Disposal::Transfer { relationship: relationship.to_owned(), changed: None };
    done(vec![pass; count])
}

const fn done(items: Vec<Disposal>) -> Done {
    Done { verdict: Verdict::Done { items, outputs: Vec::new(), yields: None }, made: Vec::new(), lines: Vec::new() }
}

fn rejected(message: String) -> Done {
    Done { verdict: Verdict::Rejected(message), made: Vec::new(), lines: Vec::new() }
}

/// An item that is made under `success`, of the item at a place.
fn output(content: &Content, parent: Option<usize>) -> Output {
    let (bytes, priority) = (content.bytes(), content.priority());
    Output { relationship: "success".to_owned(), bytes, priority, parent }
}

impl Body {
    /// Does the work of a body that needs nothing but its items: what they hold, and their headers in the same order. `None` for
    /// those whose work is the shell's.
    #[must_use]
    pub fn perform(&self, items: &[Content], headers: &[Header], now: Timestamp) -> Option<Done> {
        Some(match self {
            Self::Process(_)
            | Self::Http(_)
            | Self::FileIn(_)
            | Self::FileOut(_)
            | Self::RunJob { .. }
            | Self::Handler { .. }
            | Self::HttpIn { .. } => return None,
            Self::Funnel => passed("success", items.len()),
            Self::Generate { content, count } => {
                let outputs = vec![output(content, None); *count as usize];
                let verdict = Verdict::Done { items: Vec::new(), outputs, yields: None };
                Done { verdict, made: vec![content.clone(); *count as usize], lines: Vec::new() }
            }
            Self::Log { message } => match items.iter().map(|item| line(message.as_deref(), item)).collect() {
                Ok(lines) => Done { lines, ..passed("success", items.len()) },
                Err(message) => rejected(message),
            },
            Self::Route { routes } => {
                let pass = |relationship: String| Disposal::Transfer { relationship, changed: None };
                let found: Result<Vec<Disposal>, String> =
                    items.iter().map(|item| route(routes, item).map(pass)).collect();
                found.map_or_else(rejected, done)
            }
            Self::Split(split) => split.perform(items, headers),
            Self::Merge(merge) => merge.perform(items, headers),
            Self::Wait(wait) => wait.perform(items, headers, now),
        })
    }

    /// Whether it is done here, in no time, so that nobody has to wait for it.
    #[must_use]
    pub const fn is_pure(&self) -> bool {
        matches!(
            self,
            Self::Funnel
                | Self::Generate { .. }
                | Self::Log { .. }
                | Self::Route { .. }
                | Self::Split(_)
                | Self::Merge(_)
                | Self::Wait(_)
        )
    }

    /// The relationships under which it passes items on.
    #[must_use]
    pub fn relationships(&self) -> Vec<String> {
        let names: &[&str] = match self {
            Self::Route { routes } => {
                let mut names: Vec<String> = Vec::new();
                for (name, _) in routes {
                    if !names.contains(name) {
                        names.push(name.clone());
                    }
                }
                names.push("unmatched".to_owned());
                return names;
            }
            Self::Generate { .. }
            | Self::Log { .. }
            | Self::Funnel
            | Self::Merge(_)
            | Self::Wait(_)
            | Self::FileIn(_)
            | Self::HttpIn { .. } => &["success"],
            Self::Process(_)
            | Self::Split(_)
            | Self::Http(_)
            | Self::FileOut(_)
            | Self::RunJob { .. }
            | Self::Handler { .. } => &["success", "failure"],
        };
        names.iter().map(|&name| name.to_owned()).collect()
    }
}

fn line(message: Option<&str>, item: &Content) -> Result<String, String> {
    let Some(message) = message else {
        return Ok(format!("{} ({} bytes)", json!(item.attributes), item.payload.len()));
    };
    expression::render(message, &item.values()).map_err(|error| format!("the message cannot be made: {error}"))
}

fn route(routes: &[(String, String)], item: &Content) -> Result<String, String> {
    for (relationship, condition) in routes {
        let holds = expression::condition(condition, &item.values());
        if holds.map_err(|error| format!("the condition of \"{relationship}\" cannot be evaluated: {error}"))? {
            return Ok(relationship.clone());
        }
    }
    Ok("unmatched".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) const NOW: Timestamp = Timestamp::from_millis(1_000);

    pub(super) fn item(attributes: &[(&str, &str)], payload: &str) -> Content {
        let attributes = attributes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Content { attributes, payload: payload.into() }
    }

    fn relationships(done: &Done) -> Vec<&str> {
        let Verdict::Done { items, .. } = &done.verdict else { panic!("{:?}", done.verdict) };
        let name = |disposal: &Disposal| match disposal {
            Disposal::Transfer { relationship, .. } => relationship.clone(),
            other => format!("{other:?}"),
        };
        items.iter().map(name).map(|name| &*name.leak()).collect()
    }

    #[test]
    fn items_go_the_first_way_whose_condition_holds() {
        let routes = vec![
            ("large".to_owned(), "${{ bytes > 100 }}".to_owned()),
            ("paid".to_owned(), "${{ attributes.state is defined and attributes.state == 'paid' }}".to_owned()),
        ];
        let body = Body::Route { routes };
        let items = [item(&[("state", "paid")], &"x".repeat(200)), item(&[("state", "paid")], ""), item(&[], "")];
        assert_eq!(relationships(&body.perform(&items, &[], NOW).unwrap()), ["large", "paid", "unmatched"]);
        assert_eq!(body.relationships(), ["large", "paid", "unmatched"]);
    }

    #[test]
    fn a_condition_that_has_no_value_rejects_the_item_and_says_which() {
        let body = Body::Route { routes: vec![("paid".to_owned(), "${{ attributes.state == 'paid' }}".to_owned())] };
        let Verdict::Rejected(message) = body.perform(&[item(&[], "")], &[], NOW).unwrap().verdict else { panic!() };
        assert!(message.starts_with("the condition of \"paid\" cannot be evaluated"), "{message}");
    }

    #[test]
    fn a_log_has_a_line_for_each_item() {
        let body = Body::Log { message: Some("${{ attributes.id }}: ${{ payload }}".to_owned()) };
        let done = body.perform(&[item(&[("id", "7")], "seven"), item(&[("id", "8")], "eight")], &[], NOW).unwrap();
        assert_eq!(done.lines, ["7: seven", "8: eight"]);
        let done = Body::Log { message: None }.perform(&[item(&[("id", "7")], "seven")], &[], NOW).unwrap();
        assert_eq!(done.lines, ["{\"id\":\"7\"} (5 bytes)"]);
    }

    #[test]
    fn a_generator_makes_as_many_as_it_is_told() {
        let content = item(&[("priority", "3")], "hi");
        let done = Body::Generate { content: content.clone(), count: 2 }.perform(&[], &[], NOW).unwrap();
        let Verdict::Done { outputs, .. } = done.verdict else { panic!() };
        assert_eq!((outputs.len(), outputs[0].bytes, &outputs[0].priority), (2, 11, &Priority::Number(3)));
        assert_eq!(done.made, [content.clone(), content]);
    }
}
