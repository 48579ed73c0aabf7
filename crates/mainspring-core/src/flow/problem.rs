//! What can be wrong with a flow.

use std::collections::BTreeSet;

use super::definition::{Flow, InputRequirement, Placement, Trigger};

/// Names of relationships that are said to be known.
const KNOWN_MAX: usize = 20;

/// Where in a flow something is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A field of a component, by its key in a flow file.
    Component(usize, &'static str),
    /// A field of a connection.
    Connection(usize, &'static str),
}

/// Something that is wrong with a flow. Messages name the component and say what to do.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FlowProblem {
    /// Nothing ever arrives at it.
    #[error(
        "component \"{name}\" has no input, so it cannot be event-driven; give it a schedule, or a connection that leads to it"
    )]
    EventWithoutInput {
        /// Its place in the list.
        component: usize,
        /// Its name.
        name: String,
    },
    /// It is of a kind that events cannot drive.
    #[error("component \"{name}\" has {key}, so it cannot be event-driven; give it a schedule, or leave {key} out")]
    EventUnsupported {
        /// Its place in the list.
        component: usize,
        /// Its name.
        name: String,
        /// The key that forbids it.
        key: &'static str,
    },
    /// Only events may start as many bodies as the pool takes.
    #[error(
        "component \"{name}\" needs a concurrency of at least 1; 0 (as many as the pool takes) is for event-driven components"
    )]
    NoConcurrency {
        /// Its place in the list.
        component: usize,
        /// Its name.
        name: String,
    },
    /// Serial components run one body at a time.
    #[error("component \"{name}\" is serial, so its concurrency is 1, not {concurrency}")]
    SerialConcurrency {
        /// Its place in the list.
        component: usize,
        /// Its name.
        name: String,
        /// What was asked for.
        concurrency: u32,
    },
    /// It needs a connection that leads to it.
    #[error("component \"{name}\" works on items, so it needs a connection that leads to it")]
    InputMissing {
        /// Its place in the list.
        component: usize,
        /// Its name.
        name: String,
    },
    /// It takes no items.
    #[error("component \"{name}\" makes items and takes none; remove the connection that leads to it")]
    InputForbidden {
        /// Its place in the list.
        component: usize,
        /// Its name.
        name: String,
    },
    /// The leader alone would take items that are elsewhere.
    #[error("component \"{name}\" is placed on the leader, so it must not have an input")]
    LeaderWithInput {
        /// Its place in the list.
        component: usize,
        /// Its name.
        name: String,
    },
    /// It is of a kind that one node alone can run.
    #[error("component \"{name}\" cannot run on every node: {why}")]
    OneNodeOnly {
        /// Its place in the list.
        component: usize,
        /// Its name.
        name: String,
        /// The reason.
        why: &'static str,
    },
    /// Items would have nowhere to go.
    #[error(
        "relationship \"{relationship}\" of component \"{name}\" is neither connected nor ended; connect it, or list it in end"
    )]
    Loose {
        /// Its place in the list.
        component: usize,
        /// Its name.
        name: String,
        /// The relationship.
        relationship: String,
    },
    /// Items cannot end and go on.
    #[error("relationship \"{relationship}\" of component \"{name}\" is connected, so it cannot be listed in end")]
    EndedAndConnected {
        /// Its place in the list.
        component: usize,
        /// Its name.
        name: String,
        /// The relationship.
        relationship: String,
    },
    /// The component has no such relationship.
    #[error("component \"{name}\" has no relationship \"{relationship}\"; it has {}", known.join(", "))]
    NoRelationship {
        /// Where it is named.
        place: Place,
        /// Its name.
        name: String,
        /// The relationship.
        relationship: String,
        /// The first of those that it has.
        known: Vec<String>,
    },
}

impl FlowProblem {
    /// Returns where it is.
    #[must_use]
    pub const fn place(&self) -> Place {
        match self {
            Self::EventWithoutInput { component, .. } | Self::EventUnsupported { component, .. } => {
                Place::Component(*component, "event")
            }
            Self::NoConcurrency { component, .. } | Self::SerialConcurrency { component, .. } => {
                Place::Component(*component, "concurrency")
            }
            Self::LeaderWithInput { component, .. } | Self::OneNodeOnly { component, .. } => {
                Place::Component(*component, "placement")
            }
            Self::EndedAndConnected { component, .. } => Place::Component(*component, "end"),
            Self::InputMissing { component, .. }
            | Self::InputForbidden { component, .. }
            | Self::Loose { component, .. } => Place::Component(*component, ""),
            Self::NoRelationship { place, .. } => *place,
        }
    }
}

/// Returns what is wrong with a flow, component by component and then connection by connection.
pub(super) fn problems(flow: &Flow) -> Vec<FlowProblem> {
    let mut found = Vec::new();
    let has: Vec<Names<'_>> = flow.components().iter().map(|it| it.relationships.iter().collect()).collect();
    for (component, has) in has.iter().enumerate() {
        trigger(flow, component, &mut found);
        inputs(flow, component, &mut found);
        relationships(flow, component, has, &mut found);
    }
    for (index, connection) in flow.connections().iter().enumerate() {
        let place = Place::Connection(index, "relationships");
        unknown(flow, (connection.from, &has[connection.from]), place, &connection.relationships, &mut found);
    }
    found
}

type Names<'a> = BTreeSet<&'a String>;

fn trigger(flow: &Flow, component: usize, found: &mut Vec<FlowProblem>) {
    let it = &flow.components()[component];
    let name = || it.name.clone();
    let is_event = matches!(it.trigger, Trigger::Event);
    if is_event && flow.has_no_inputs(component) {
        found.push(FlowProblem::EventWithoutInput { component, name: name() });
    }
    for (key, is_set) in [("serial", it.serial), ("trigger_when_empty", it.trigger_when_empty)] {
        if is_event && is_set {
            found.push(FlowProblem::EventUnsupported { component, name: name(), key });
        }
    }
    if it.concurrency == 0 && !is_event {
        found.push(FlowProblem::NoConcurrency { component, name: name() });
    }
    if it.serial && it.concurrency > 1 {
        found.push(FlowProblem::SerialConcurrency { component, name: name(), concurrency: it.concurrency });
    }
}

fn inputs(flow: &Flow, component: usize, found: &mut Vec<FlowProblem>) {
    let it = &flow.components()[component];
    let name = || it.name.clone();
    let is_fed = !flow.has_no_inputs(component);
    match it.input {
        InputRequirement::Required if !is_fed => found.push(FlowProblem::InputMissing { component, name: name() }),
        InputRequirement::Forbidden if is_fed => found.push(FlowProblem::InputForbidden { component, name: name() }),
        _ => {}
    }
    if it.placement == Placement::Leader && is_fed {
        found.push(FlowProblem::LeaderWithInput { component, name: name() });
    }
    if let Some(why) = one_node_only(flow, component) {
        found.push(FlowProblem::OneNodeOnly { component, name: name(), why });
    }
}

/// Why a component that is to run on every node cannot.
fn one_node_only(flow: &Flow, component: usize) -> Option<&'static str> {
    let it = &flow.components()[component];
    if it.placement != Placement::EveryNode {
        None
    } else if it.is_passive {
        Some("requests put its items, on the node that owns the flow")
    } else if !flow.incoming(component).is_empty() {
        Some("a connection leads to it, whose items are with the node that owns the flow")
    } else if it.serial {
        Some("it is serial, and bodies on two nodes would overlap")
    } else {
        None
    }
}

fn relationships(flow: &Flow, component: usize, has: &Names<'_>, found: &mut Vec<FlowProblem>) {
    let it = &flow.components()[component];
    let outgoing = flow.outgoing(component).iter().map(|connection| &flow.connections()[*connection]);
    let connected: Names<'_> = outgoing.flat_map(|connection| &connection.relationships).collect();
    for relationship in &it.relationships {
        let (name, relationship) = (it.name.clone(), relationship.clone());
        match (connected.contains(&relationship), it.ended.contains(&relationship)) {
            (false, false) => found.push(FlowProblem::Loose { component, name, relationship }),
            (true, true) => found.push(FlowProblem::EndedAndConnected { component, name, relationship }),
            _ => {}
        }
    }
    unknown(flow, (component, has), Place::Component(component, "end"), &it.ended, found);
    unknown(flow, (component, has), Place::Component(component, "retry"), &it.retry.relationships, found);
}

/// Finds names of relationships that a component does not have.
fn unknown<'a>(
    flow: &Flow,
    (component, has): (usize, &Names<'_>),
    place: Place,
    named: impl IntoIterator<Item = &'a String>,
    found: &mut Vec<FlowProblem>,
) {
    let it = &flow.components()[component];
    for relationship in named.into_iter().filter(|name| !has.contains(name)) {
        let known = it.relationships.iter().take(KNOWN_MAX).cloned().collect();
        let (name, relationship) = (it.name.clone(), relationship.clone());
        found.push(FlowProblem::NoRelationship { place, name, relationship, known });
    }
}
