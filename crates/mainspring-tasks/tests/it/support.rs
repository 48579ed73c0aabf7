//! What the tests share: a runner in a temporary folder, and waiting for a state.

use std::fs;
use std::future::{Future, pending};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mainspring_tasks::{Attempt, Ended, Leftovers, LogLine, LogReader, LogWriter, Settings, Stream, Task, TaskRunner};
use tempfile::TempDir;

/// Whether processes of a test are held by a leash. Most tests run both ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    Leash,
    Bare,
}

pub const BOTH: [Hold; 2] = [Hold::Leash, Hold::Bare];

/// A runner and its folder.
pub struct Bench {
    pub runner: TaskRunner,
    pub folder: TempDir,
}

impl Bench {
    pub fn new(hold: Hold) -> Self {
        Self::with(hold, |_| {})
    }

    pub fn with(hold: Hold, change: impl FnOnce(&mut Settings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = settings(hold, &folder.path().join("work"));
        change(&mut settings);
        Self { runner: TaskRunner::new(settings).unwrap(), folder }
    }

    /// A path in the test's folder, for files that a script and the test share.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Performs a task to its end and returns the verdict and the whole log.
    pub async fn perform(&self, task: &Task, attempt: &Attempt) -> (Ended, Vec<LogLine>) {
        self.perform_until(task, attempt, pending()).await
    }

    pub async fn perform_until(
        &self,
        task: &Task,
        attempt: &Attempt,
        cancel: impl Future<Output = ()>,
    ) -> (Ended, Vec<LogLine>) {
        let (writer, reader) = LogWriter::channel(4, now_ms);
        tokio::join!(self.runner.perform(task, attempt, writer, cancel), read_all(reader))
    }

    pub async fn run(&self, script: &str) -> (Ended, Vec<LogLine>) {
        self.perform(&sh(script), &attempt()).await
    }

    /// Names left in the runner's own folder, which should be its lock alone.
    pub fn leftovers(&self) -> Vec<String> {
        let worker = fs::read_dir(self.path("work")).unwrap().map(|entry| entry.unwrap().path());
        let worker = worker.into_iter().find(|path| path.is_dir()).unwrap();
        fs::read_dir(worker)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "lock")
            .collect()
    }
}

pub fn settings(hold: Hold, work_root: &Path) -> Settings {
    let mut settings = Settings::new(work_root);
    if hold == Hold::Leash {
        settings.leash = Some(env!("CARGO_BIN_EXE_mainspring-leash").into());
        settings.leash_args = vec![];
    }
    settings
}

pub fn sh(script: &str) -> Task {
    Task::Run { script: script.to_owned(), shell: None }
}

pub fn attempt() -> Attempt {
    Attempt {
        run_id: "0199-run".to_owned(),
        job: "default/test".to_owned(),
        kill_grace: Duration::from_secs(20),
        leftovers: Leftovers::Kill,
        ..Attempt::default()
    }
}

pub fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis().try_into().unwrap()
}

/// Reads a log to its end, checking that its chunks are numbered without a gap.
pub async fn read_all(mut reader: LogReader) -> Vec<LogLine> {
    let mut lines = Vec::new();
    while let Some(chunk) = reader.next().await {
        assert_eq!(chunk.first_line, lines.len() as u64);
        lines.extend(chunk.lines);
    }
    lines
}

pub fn texts(lines: &[LogLine], stream: Stream) -> Vec<&str> {
    lines.iter().filter(|line| line.stream == stream).map(|line| line.text.as_str()).collect()
}

/// Waits, up to 20 seconds, for `ready` to return something.
pub async fn wait_for<T>(what: &str, mut ready: impl FnMut() -> Option<T>) -> T {
    let limit = tokio::time::Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(found) = ready() {
            return found;
        }
        assert!(tokio::time::Instant::now() < limit, "waited 20 s for {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Waits for a script to have written a process id to `path`.
pub async fn pid_in(path: &Path) -> u32 {
    wait_for(&format!("a process id in {}", path.display()), || {
        fs::read_to_string(path).ok()?.strip_suffix('\n')?.trim().parse().ok()
    })
    .await
}

/// Tells whether a process exists and is no zombie.
pub fn is_alive(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap().trim_start().starts_with('Z'))
}
