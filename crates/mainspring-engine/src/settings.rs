//! Settings of an engine.

use std::path::PathBuf;
use std::time::Duration;

use mainspring_core::batch::Queues;
use mainspring_core::cluster;
use mainspring_core::compile::Defaults;
use mainspring_core::flow::IdleCheck;
use mainspring_core::planner;

use crate::listener::Listeners;
use crate::retention::RetentionRule;
use crate::state::SharedState;

/// How an engine is to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Bounds of the planner.
    pub planner: planner::Settings,
    /// What holds where a trigger says nothing.
    pub defaults: Defaults,
    /// How processes and HTTP calls are done; without it, tasks of those kinds fail.
    pub tasks: Option<mainspring_tasks::Settings>,
    /// From asking a run to end until it is ended. Where nodes share the store, the grace period of a node that is cut off has
    /// to be over before others may take its runs over: below 13 s with a lease of 5 s.
    pub kill_grace: Duration,
    /// What is deleted when.
    pub retention: RetentionRule,
    /// Keep every handler entered, for a benchmark.
    pub keep_entries: bool,
    /// What the other nodes are told of this one, where nodes share the store.
    pub node: NodeName,
    /// The times that such nodes go by.
    pub cluster: cluster::Settings,
    /// Which queues this node's own slots take runs from. What waits in others is for workers.
    pub queues: Queues,
    /// Who hears what happens, and may veto runs.
    pub listeners: Listeners,
    /// How long one call of a listener may take.
    pub listener_limit: Duration,
    /// What handlers of this process are given by [`RunContext::state`](crate::RunContext::state).
    pub state: SharedState,
    /// How components of flows find out that they may run; polling is for comparison.
    pub flow_idle_check: IdleCheck,
}

/// How a node of a cluster is shown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NodeName {
    /// What people call it.
    pub name: String,
    /// Where its API answers, if anywhere.
    pub address: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            planner: planner::Settings::default(),
            defaults: Defaults::default(),
            tasks: None,
            kill_grace: Duration::from_secs(10),
            retention: RetentionRule::default(),
            keep_entries: false,
            node: NodeName::default(),
            cluster: cluster::Settings::default(),
            queues: Queues::All,
            listeners: Listeners::default(),
            listener_limit: Duration::from_secs(5),
            state: SharedState::default(),
            flow_idle_check: IdleCheck::Wake,
        }
    }
}

impl Settings {
    /// Lets the engine execute shell lines, programs and HTTP calls, with private folders under `work_root`.
    #[must_use]
    pub fn with_tasks(mut self, work_root: impl Into<PathBuf>) -> Self {
        self.tasks = Some(mainspring_tasks::Settings::new(work_root));
        self
    }
}
