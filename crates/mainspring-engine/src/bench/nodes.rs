//! The nodes of a benchmark, as the parent sees them.

use std::process::Stdio;

use futures_util::future::try_join_all;
use mainspring_core::Timestamp;
use mainspring_core::cluster::Shard;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};

use super::node::{Answer, Ask, Look, Node};
use super::place::Place;
use super::usage::{self, Cpu, Usage};
use super::{Error, Pace, Result, Site};
use crate::clock::{Clock, SystemClock};
use crate::metrics::Entry;

/// All nodes.
pub(super) struct Nodes {
    links: Vec<Link>,
    usage: Usage,
    /// Before they started.
    before: Cpu,
}

enum Link {
    Here(Box<Node>),
    Process(Box<Process>),
}

struct Process {
    child: Child,
    questions: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Nodes {
    /// Starts the nodes of a site, and waits until each takes part.
    pub(super) async fn start(place: &Place, site: &Site<'_>) -> Result<Self> {
        let mut nodes = Self::none(place, site);
        for _ in 0..site.nodes {
            nodes.links.push(Link::open(place, site).await?);
        }
        let started = nodes.links.iter_mut().enumerate().map(async |(index, link)| {
            link.ask(&Ask::Start { store: site.store.to_owned(), name: format!("bench-{}", index + 1) }).await
        });
        try_join_all(started).await?;
        Ok(nodes)
    }

    fn none(place: &Place, site: &Site<'_>) -> Self {
        let usage = Usage::beside(site.store);
        let here = match place {
            Place::Memory(_) => vec![std::process::id()],
            Place::Address(_) => Vec::new(),
        };
        let before = usage.cpu(&here);
        Self { links: Vec::new(), usage, before }
    }

    /// Waits until the nodes have all shards between them, in even parts. They must have before the load begins.
    pub(super) async fn share(&mut self, begin: Timestamp) -> Result {
        let count = self.links.len();
        let fair = Shard::COUNT / count..=Shard::COUNT.div_ceil(count);
        let mut pace = Pace::new();
        loop {
            let looks = self.look().await?;
            let shared = looks.iter().all(|look| look.nodes == count && fair.contains(&look.shards.len()));
            if shared || matches!(self.links[..], [Link::Here(_)]) || looks.iter().all(|look| look.nodes == 0) {
                return Ok(());
            }
            if SystemClock.now() > begin {
                return Err(strangers(&looks, count));
            }
            pace.next_look().await;
        }
    }

    pub(super) async fn look(&mut self) -> Result<Vec<Look>> {
        let looks = self.links.iter_mut().map(async |link| match link.ask(&Ask::Look).await? {
            Answer::Seen(look) => Ok(look),
            other => Err(unexpected(&other)),
        });
        try_join_all(looks).await
    }

    /// Handlers entered on all nodes.
    pub(super) async fn entered(&mut self) -> Result<u64> {
        Ok(self.look().await?.iter().map(|look| look.entered).sum())
    }

    /// Lets nothing new start, and waits until nothing runs.
    pub(super) async fn rest(&mut self) -> Result {
        try_join_all(self.links.iter_mut().map(|link| link.ask(&Ask::Rest))).await.map(drop)
    }

    /// Every handler that was entered, but for those of nodes that were killed.
    pub(super) async fn entries(&mut self) -> Result<Vec<Entry>> {
        let mut all = Vec::new();
        for link in &mut self.links {
            match link.ask(&Ask::Entries).await? {
                Answer::Entries(entries) => all.extend(entries),
                other => return Err(unexpected(&other)),
            }
        }
        Ok(all)
    }

    /// Stops the nodes. A store in memory stays as it is.
    pub(super) async fn leave(&mut self) -> Result {
        try_join_all(self.links.iter_mut().map(|link| link.ask(&Ask::Leave))).await.map(drop)
    }

    /// Kills the last node with KILL, and forgets it.
    pub(super) async fn kill_last(&mut self) -> Result {
        match self.links.pop() {
            Some(Link::Process(mut process)) => process.child.kill().await.map_err(broken),
            _ => Err(Error::Node("it is no process of its own".to_owned())),
        }
    }

    /// Processor time since before they started.
    pub(super) fn used(&self) -> Cpu {
        self.cpu().since(self.before)
    }

    pub(super) fn cpu(&self) -> Cpu {
        self.usage.cpu(&self.processes())
    }

    pub(super) fn rss_mb(&self) -> f64 {
        usage::rss_mb(&self.processes())
    }

    fn processes(&self) -> Vec<u32> {
        self.links
            .iter()
            .filter_map(|link| match link {
                Link::Here(_) => Some(std::process::id()),
                Link::Process(process) => process.child.id(),
            })
            .collect()
    }
}

impl Link {
    async fn open(place: &Place, site: &Site<'_>) -> Result<Self> {
        let store = match place {
            Place::Memory(store) => std::sync::Arc::clone(store),
            Place::Address(_) => return Ok(Self::Process(Box::new(Process::spawn(site)?))),
        };
        Ok(Self::Here(Box::new(Node::start(store, String::new()).await?)))
    }

    async fn ask(&mut self, ask: &Ask) -> Result<Answer> {
        let answer = match self {
            Self::Here(node) => node.answer(ask).await,
            Self::Process(process) => process.ask(ask).await?,
        };
        match answer {
            Answer::Failed(why) => Err(Error::Node(why)),
            answer => Ok(answer),
        }
    }
}

impl Process {
    fn spawn(site: &Site<'_>) -> Result<Self> {
        let mut command = (site.process)();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().map_err(broken)?;
        let questions = child.stdin.take().expect("it is piped");
        let answers = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        Ok(Self { child, questions, answers })
    }

    async fn ask(&mut self, ask: &Ask) -> Result<Answer> {
        let mut line = serde_json::to_vec(ask).expect("a question has no maps with strange keys");
        line.push(b'\n');
        self.questions.write_all(&line).await.map_err(broken)?;
        let line = self.answers.next_line().await.map_err(broken)?;
        let line = line.ok_or_else(|| Error::Node("its process has ended".to_owned()))?;
        serde_json::from_str(&line).map_err(broken)
    }
}

fn broken(error: impl std::fmt::Display) -> Error {
    Error::Node(error.to_string())
}

fn unexpected(answer: &Answer) -> Error {
    Error::Node(format!("an unexpected answer: {answer:?}"))
}

fn strangers(looks: &[Look], count: usize) -> Error {
    match looks.iter().map(|look| look.nodes).max() {
        Some(nodes) if nodes > count => {
            Error::Node(format!("{nodes} nodes are over the store, and {count} are the benchmark's; stop the others"))
        }
        _ => Error::Late { what: "sharing the work among the nodes" },
    }
}
