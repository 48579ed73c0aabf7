//! A node under load: an engine that is asked how far it has come.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use mainspring_core::planner;
use mainspring_store::Store;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt};

use super::{Pace, Result};
use crate::engine::Engine;
use crate::metrics::{Ending, Entry};
use crate::settings::{NodeName, Settings};

/// More than any benchmark has triggers due at a time: a run that finds no slot is recorded twice.
const SLOTS: u32 = 1_000_000;
/// How long runs that do nothing may take to end.
const GRACE: Duration = Duration::from_secs(5);

/// What a node is asked.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub(super) enum Ask {
    /// To open a store and start, under a name. Answered when the engine takes part.
    Start { store: String, name: String },
    /// How far it has come.
    Look,
    /// To start nothing new. Answered when nothing runs.
    Rest,
    /// Every handler that was entered.
    Entries,
    /// To stop and let go of the store.
    Leave,
}

/// What a node answers.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub(super) enum Answer {
    Ready,
    Seen(Look),
    Rested,
    Entries(Vec<Entry>),
    Left,
    Failed(String),
}

/// How far a node has come.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, Debug)]
pub(super) struct Look {
    /// Handlers entered.
    pub(super) entered: u64,
    /// Workflow runs that it has ended.
    pub(super) workflows: u64,
    /// Shards that it owns, where nodes share the store.
    pub(super) shards: Vec<u8>,
    /// Nodes that it sees.
    pub(super) nodes: usize,
}

/// A started node.
pub(super) struct Node {
    engine: Engine,
}

impl Node {
    /// Starts over a store, and waits until the engine takes part.
    pub(super) async fn start(store: Arc<dyn Store>, name: String) -> Result<Self> {
        let settings = Settings {
            planner: planner::Settings { slots: SLOTS, group_ms: planner::GROUP_MS, ..planner::Settings::default() },
            node: NodeName { name, address: String::new() },
            keep_entries: true,
            ..Settings::default()
        };
        let engine = Engine::start(store, settings).await?;
        let mut pace = Pace::new();
        while !engine.is_ready() || engine.ticked_at().is_none() {
            pace.next_look().await;
        }
        Ok(Self { engine })
    }

    /// Answers. Starting and leaving is for who has the node.
    pub(super) async fn answer(&self, ask: &Ask) -> Answer {
        match ask {
            Ask::Start { .. } => Answer::Ready,
            Ask::Look => Answer::Seen(self.look()),
            Ask::Rest => {
                self.engine.drain();
                self.engine.idle().await;
                Answer::Rested
            }
            Ask::Entries => Answer::Entries(self.entries()),
            Ask::Leave => Answer::Left,
        }
    }

    fn look(&self) -> Look {
        let entered = self.engine.metrics().entered.load(Ordering::Relaxed);
        let ends = ["succeeded", "failed", "cancelled"].map(|result| Ending { result, trigger: "workflow" });
        let workflows = ends.iter().filter_map(|end| Some(self.engine.metrics().runs.get(end)?.get())).sum();
        let Some(status) = self.engine.cluster_status() else { return Look { entered, workflows, ..Look::default() } };
        let shards = mainspring_core::cluster::Shard::all().filter(|shard| status.owned.contains(*shard));
        Look { entered, workflows, shards: shards.map(|shard| shard.0).collect(), nodes: status.nodes.len() }
    }

    fn entries(&self) -> Vec<Entry> {
        let Some(entries) = &self.engine.metrics().entries else { return Vec::new() };
        std::mem::take(&mut *entries.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    async fn leave(self) -> Result {
        Ok(self.engine.stop(GRACE).await.map(drop)?)
    }
}

/// A node in a process of its own: questions come in and answers go out as lines of JSON. Ends when nobody asks any more.
///
/// # Errors
/// When nobody can be answered.
pub async fn serve(questions: impl AsyncBufRead + Unpin, mut answers: impl AsyncWrite + Unpin) -> std::io::Result<()> {
    let mut lines = questions.lines();
    let mut node = None;
    while let Some(line) = lines.next_line().await? {
        let answer = match serde_json::from_str(&line) {
            Ok(ask) => hear(&mut node, ask).await,
            Err(error) => Answer::Failed(format!("a question was not understood: {error}")),
        };
        let mut line = serde_json::to_vec(&answer)?;
        line.push(b'\n');
        answers.write_all(&line).await?;
        answers.flush().await?;
    }
    Ok(())
}

async fn hear(node: &mut Option<Node>, ask: Ask) -> Answer {
    let done = match &ask {
        Ask::Start { store, name } => begin(store, name).await.map(|started| *node = Some(started)),
        Ask::Leave => match node.take() {
            Some(node) => node.leave().await,
            None => Ok(()),
        },
        _ => Ok(()),
    };
    match (done, node, ask) {
        (Err(error), ..) => Answer::Failed(error.to_string()),
        (Ok(()), _, Ask::Leave) => Answer::Left,
        (Ok(()), Some(node), ask) => node.answer(&ask).await,
        (Ok(()), None, _) => Answer::Failed("it has not been started".to_owned()),
    }
}

async fn begin(address: &str, name: &str) -> Result<Node> {
    let store = mainspring_store::open(address).await?;
    Node::start(store, name.to_owned()).await
}
