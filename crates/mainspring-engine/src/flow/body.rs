//! Bodies: what a component does with the items of one turn.

mod file_in;
mod file_out;
mod http;
mod run_job;
pub(super) mod session;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mainspring_core::flow::body::{Body, Content, Done, Process, Program};
use mainspring_core::flow::{Disposal, IdleCheck, Output, Start, Verdict};
use mainspring_store::{Store, causes};
use mainspring_tasks::{Attempt, LogReader, LogWriter, Outcome, Script, Task};
use serde::Deserialize;
use tokio::sync::watch;

use super::content::content_of;
use crate::clock::Clock;
use crate::control::Control;
use crate::metrics::Metrics;
use crate::process::Processes;
pub(super) use file_in::Claims;
use session::FlowHandlers;

/// Bytes of the answer of a process that are read at most.
const ANSWER_BYTES_MAX: u64 = 16 << 20;
/// Items that a process answers with at most.
const ANSWERS_MAX: usize = 10_000;

/// What bodies work with.
#[derive(Clone)]
pub(crate) struct Tools {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) processes: Option<Arc<Processes>>,
    pub(crate) control: Option<Control>,
    pub(crate) handlers: Arc<FlowHandlers>,
    pub(crate) idle_check: IdleCheck,
    pub(crate) metrics: Arc<Metrics>,
    /// From asking a body to end until it is ended.
    pub(crate) kill_grace: Duration,
    /// How often inboxes are looked into where nothing tells to.
    pub(crate) inbox_look_ms: i64,
}

#[cfg(test)]
impl Tools {
    /// Neither processes nor jobs.
    pub(super) fn for_test() -> Self {
        let clock = Arc::new(crate::clock::SystemClock);
        let metrics = Arc::new(Metrics::new(false));
        Self {
            clock,
            processes: None,
            control: None,
            handlers: Arc::default(),
            idle_check: IdleCheck::Wake,
            metrics,
            kill_grace: Duration::ZERO,
            inbox_look_ms: super::branch::LOOK_EVERY_MS,
        }
    }
}

/// What a body came to, what its items hold then, and files that it has claimed.
pub(super) type Came = (Done, Vec<Content>, Claims);

/// What a body is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Told {
    /// To go on.
    GoOn,
    /// The flow has another owner or another definition by now, who does the same again.
    GivenUp,
    /// Somebody wants an end of what it does.
    Terminated,
}

impl Told {
    /// Tells a body to end; what it was told before stays.
    pub(super) fn end(self, body: &watch::Sender<Self>) {
        body.send_if_modified(|told| *told == Self::GoOn && std::mem::replace(told, self) != self);
    }
}

/// A body that is to run.
pub(super) struct Run {
    pub(super) flow: String,
    pub(super) component: String,
    pub(super) body: Body,
    pub(super) start: Start,
    /// What its items hold, as far as that is in memory.
    pub(super) contents: Vec<Option<Content>>,
    pub(super) flow_id: i64,
    pub(super) epoch: i64,
    /// The inbox that keeps what it makes, where another node owns the flow.
    pub(super) inbox: Option<i64>,
    pub(super) store: Arc<dyn Store>,
    pub(super) tools: Tools,
    pub(super) told: watch::Receiver<Told>,
}

/// An item that a process answers with, as it is written.
const ANSWER: &str = r#"{"to": RELATIONSHIP, "attributes": {NAME: VALUE}, "payload": TEXT}"#;

/// An item that a process answers with.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    /// The relationship.
    #[serde(default)]
    to: Option<String>,
    #[serde(default)]
    attributes: BTreeMap<String, String>,
    #[serde(default)]
    payload: String,
}

impl Run {
    /// Does the work of the body.
    pub(super) async fn run(mut self) -> Came {
        let mut contents = match self.read().await {
            Ok(contents) => contents,
            Err(message) => return (failed(message), Vec::new(), Claims::default()),
        };
        let mut claims = Claims::default();
        let body = self.body.clone();
        let done = match &body {
            Body::Process(process) => self.process(process, &contents).await,
            Body::Http(call) => self.http(call, &mut contents).await,
            Body::FileOut(out) => self.file_out(out, &contents).await,
            Body::RunJob { job } => self.run_job(job, &mut contents).await,
            Body::Handler { name } => self.handler(name, &mut contents).await,
            Body::FileIn(files) => {
                let (done, claimed) = self.file_in(files).await;
                claims = claimed;
                done
            }
            Body::Generate { .. }
            | Body::Log { .. }
            | Body::Route { .. }
            | Body::Funnel
            | Body::Split(_)
            | Body::Merge(_)
            | Body::Wait(_)
            | Body::HttpIn { .. } => body
                .perform(&contents, &self.start.items, self.tools.clock.now())
                .unwrap_or_else(|| failed("it has no body".to_owned())),
        };
        (done, contents, claims)
    }

    /// Returns once the body is given up.
    async fn given_up(&self) {
        let mut told = self.told.clone();
        if told.wait_for(|told| *told != Told::GoOn).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Reads what is not in memory.
    async fn read(&mut self) -> Result<Vec<Content>, String> {
        let mut contents = Vec::with_capacity(self.contents.len());
        for (item, content) in self.start.items.iter().zip(std::mem::take(&mut self.contents)) {
            if let Some(content) = content {
                contents.push(content);
                continue;
            }
            match self.store.flow_store().item_content(self.flow_id, item.id.0).await {
                Ok(Some(kept)) => contents.push(content_of(kept)),
                Ok(None) => return Err(format!("item {} is not there any more", item.id.0)),
                Err(error) => return Err(format!("item {} could not be read: {}", item.id.0, causes(&error))),
            }
        }
        Ok(contents)
    }

    async fn process(&self, process: &Process, contents: &[Content]) -> Done {
        let Some(processes) = self.tools.processes.clone() else {
            return failed("this node executes no processes: start the server with a data folder".to_owned());
        };
        let folder = match Folder::make(contents.first().map(|content| content.payload.as_slice())).await {
            Ok(folder) => folder,
            Err(error) => return failed(format!("could not make a folder for the items: {error}")),
        };
        let attempt = self.attempt(process, &folder, contents.first());
        let (log, reader) = LogWriter::channel(64, || 0);
        let task = task(&process.program, &folder);
        let performed = processes.perform_body(&task, &attempt, log, self.given_up());
        let (ended, mut lines) = tokio::join!(performed, lines(reader));
        let message =
            ended.error.as_ref().map_or_else(|| "it did not succeed".to_owned(), |error| error.message.clone());
        let is_judged = ended.exit_code.is_some_and(|code| code != 0) && ended.outcome == Outcome::Failed;
        let done = match (ended.outcome, contents) {
            (Outcome::Succeeded, _) => folder.answers(contents, &self.body.relationships()).await,
            // What a process says by its code is about its item; what keeps it from saying so is not.
            (_, [_]) if is_judged => {
                lines.push(message);
                goes("failure", 1)
            }
            _ => failed(message),
        };
        Done { lines: lines.into_iter().chain(done.lines).collect(), ..done }
    }

    pub(super) fn attempt(&self, process: &Process, folder: &Folder, content: Option<&Content>) -> Attempt {
        let attributes = content.map(|content| &content.attributes).cloned().unwrap_or_default();
        let mut env = process.env.clone();
        let told = [
            ("MS_FLOW", self.flow.clone()),
            ("MS_COMPONENT", self.component.clone()),
            ("MS_ATTRIBUTES", serde_json::to_string(&attributes).expect("texts are JSON")),
            ("MS_PAYLOAD", folder.payload().display().to_string()),
            ("MS_ITEMS", folder.items().display().to_string()),
        ];
        env.extend(told.map(|(name, value)| (name.to_owned(), value)));
        Attempt {
            job: format!("{}/{}", self.flow, self.component),
            fire_time: self.start.fire_time.map(|at| at.to_string()),
            env,
            timeout: process.timeout_ms.map(|ms| Duration::from_millis(ms.unsigned_abs())),
            kill_grace: self.tools.kill_grace,
            working_dir: process.working_dir.as_ref().map(PathBuf::from),
            ..Attempt::default()
        }
    }
}

/// Reads what a body writes to its log, until it ends.
async fn lines(mut reader: LogReader) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(chunk) = reader.next().await {
        lines.extend(chunk.lines.into_iter().map(|line| line.text));
    }
    lines
}

/// The process with the payload as its standard input: a shell opens that and becomes the process.
fn task(program: &Program, folder: &Folder) -> Task {
    let with_payload = |argv: Vec<String>| {
        let shell = ["/bin/sh", "-c", "exec \"$@\" <\"$MS_PAYLOAD\"", "sh"].map(str::to_owned);
        Task::Exec { argv: shell.into_iter().chain(argv).collect() }
    };
    match program {
        Program::Shell(script) => Task::Run { script: format!("exec <\"$MS_PAYLOAD\"\n{script}"), shell: None },
        Program::Argv(argv) => with_payload(argv.clone()),
        Program::Script(script) => Task::Script(Script {
            language: script.language,
            source: script.source.clone(),
            args: script.args.clone(),
            stdin: Some(folder.payload()),
        }),
    }
}

/// The folder in which a process finds the payload and leaves its answers. It goes with the body, also where that is given up.
pub(super) struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // Two small files: this takes no time.
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, folder = %self.0.display(), "the folder of a body could not be removed");
        }
    }
}

impl Folder {
    pub(super) async fn make(payload: Option<&[u8]>) -> std::io::Result<Self> {
        let name = format!("mainspring-flow-{:032x}", crate::random::random());
        let folder = Self(std::env::temp_dir().join(name));
        let mut builder = tokio::fs::DirBuilder::new();
        builder.mode(0o700);
        builder.create(&folder.0).await?;
        tokio::fs::write(folder.payload(), payload.unwrap_or_default()).await?;
        tokio::fs::write(folder.items(), b"").await?;
        Ok(folder)
    }

    fn payload(&self) -> PathBuf {
        self.0.join("payload")
    }

    fn items(&self) -> PathBuf {
        self.0.join("items")
    }

    /// Reads what a process answered: items in the place of its own, or nothing, so that its own goes on.
    async fn answers(&self, contents: &[Content], relationships: &[String]) -> Done {
        match self.read(contents.first(), relationships).await {
            Ok((outputs, _)) if outputs.is_empty() => {
                let pass = Disposal::Transfer { relationship: "success".to_owned(), changed: None };
                let items = vec![pass; contents.len()];
                Done { verdict: Verdict::Done { items, outputs, yields: None }, made: Vec::new(), lines: Vec::new() }
            }
            Ok((outputs, made)) => {
                let items = vec![Disposal::Remove; contents.len()];
                Done { verdict: Verdict::Done { items, outputs, yields: None }, made, lines: Vec::new() }
            }
            Err(message) if contents.is_empty() => failed(message),
            Err(message) => Done { verdict: Verdict::Rejected(message), made: Vec::new(), lines: Vec::new() },
        }
    }

    async fn read(
        &self,
        had: Option<&Content>,
        relationships: &[String],
    ) -> Result<(Vec<Output>, Vec<Content>), String> {
        let unreadable = |error: std::io::Error| format!("the answer in $MS_ITEMS could not be read: {error}");
        let size = tokio::fs::metadata(self.items()).await.map_err(unreadable)?.len();
        if size > ANSWER_BYTES_MAX {
            return Err(format!("the answer in $MS_ITEMS has {size} bytes, more than {ANSWER_BYTES_MAX}"));
        }
        let bytes = tokio::fs::read(self.items()).await.map_err(unreadable)?;
        let text = std::str::from_utf8(&bytes).map_err(|_| "the answer in $MS_ITEMS is not UTF-8".to_owned())?;
        let (mut outputs, mut made) = (Vec::new(), Vec::new());
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = |why: String| format!("line {number} of $MS_ITEMS {why}");
            let no_item = |error: serde_json::Error| {
                wrong(format!("is no item (column {}): it is {ANSWER}, all of them texts", error.column()))
            };
            let answer: Answer = serde_json::from_str(line).map_err(no_item)?;
            let relationship = answer.to.unwrap_or_else(|| "success".to_owned());
            if !relationships.contains(&relationship) {
                return Err(wrong(format!("names \"{relationship}\", not one of {}", relationships.join(", "))));
            }
            // What was said of the item before holds on, where the answer says nothing else.
            let mut attributes = had.map(|content| content.attributes.clone()).unwrap_or_default();
            attributes.extend(answer.attributes);
            let content = Content { attributes, payload: answer.payload.into_bytes() };
            let parent = had.map(|_| 0);
            outputs.push(Output { relationship, bytes: content.bytes(), priority: content.priority(), parent });
            made.push(content);
        }
        if outputs.len() > ANSWERS_MAX {
            return Err(format!("$MS_ITEMS has {} items, more than {ANSWERS_MAX}", outputs.len()));
        }
        Ok((outputs, made))
    }
}

/// Items that go on under a relationship, as they are now.
fn goes(relationship: &str, count: usize) -> Done {
    let pass = Disposal::Transfer { relationship: relationship.to_owned(), changed: None };
    let verdict = Verdict::Done { items: vec![pass; count], outputs: Vec::new(), yields: None };
    Done { verdict, made: Vec::new(), lines: Vec::new() }
}

/// An item that goes on under a relationship with another content.
fn goes_changed(relationship: &str, content: &Content) -> Done {
    let changed = Some((content.bytes(), content.priority()));
    let pass = Disposal::Transfer { relationship: relationship.to_owned(), changed };
    let verdict = Verdict::Done { items: vec![pass], outputs: Vec::new(), yields: None };
    Done { verdict, made: Vec::new(), lines: Vec::new() }
}

/// An item that a source has made.
fn made(relationship: &str, content: Content) -> Done {
    let (bytes, priority) = (content.bytes(), content.priority());
    let output = Output { relationship: relationship.to_owned(), bytes, priority, parent: None };
    let verdict = Verdict::Done { items: Vec::new(), outputs: vec![output], yields: None };
    Done { verdict, made: vec![content], lines: Vec::new() }
}

fn failed(message: String) -> Done {
    Done { verdict: Verdict::Failed(message), made: Vec::new(), lines: Vec::new() }
}
