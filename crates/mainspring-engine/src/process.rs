//! Tasks that leave the process: shell lines, programs and HTTP calls, by way of `mainspring-tasks`.

use std::future::Future;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use futures_util::future::BoxFuture;
use mainspring_core::batch::AttemptDetail;
use mainspring_core::job::{HttpTask, Task};
use mainspring_tasks::{
    Attempt, Ended, HttpCall, JobData, LogWriter, Script, Silence, StatusRange, Stream, TaskError, TaskRunner,
};

use crate::done::Done;
use crate::handler::RunContext;
use crate::log_lane::LogLane;

/// How long a verdict waits for the last log lines to be stored.
const LOG_PATIENCE: Duration = Duration::from_secs(10);

/// Chunks of an answer that wait to be read, and bytes of it that are.
const ANSWER_CHUNKS: usize = 16;
const ANSWER_BYTES_MAX: usize = 64 * 1024;

pub(crate) struct Processes {
    runner: TaskRunner,
    /// How long this process may be frozen before processes end that others may be given, if there are others.
    silence_max: Option<Duration>,
}

impl Processes {
    pub(crate) const fn new(runner: TaskRunner, silence_max: Option<Duration>) -> Self {
        Self { runner, silence_max }
    }

    /// Performs a process of a flow.
    pub(crate) async fn perform_body(
        &self,
        task: &mainspring_tasks::Task,
        attempt: &Attempt,
        log: LogWriter,
        cancel: impl Future<Output = ()>,
    ) -> Ended {
        self.runner.perform(task, attempt, log, cancel).await
    }

    /// Returns why no call to this address is made.
    #[cfg(feature = "http")]
    pub(crate) fn denies(&self, url: &str) -> Option<String> {
        self.runner.denies(url)
    }

    /// Makes an HTTP call of a flow.
    pub(crate) async fn call_body(&self, call: HttpCall, log: LogWriter, cancel: impl Future<Output = ()>) -> Ended {
        self.runner.perform(&mainspring_tasks::Task::Http(call), &Attempt::default(), log, cancel).await
    }

    /// Makes one HTTP call, of whose answer only the status counts.
    pub(crate) async fn call(&self, call: HttpCall) -> Ended {
        let (log, _) = LogWriter::channel(1, || 0);
        let task = mainspring_tasks::Task::Http(call);
        self.runner.perform(&task, &Attempt::default(), log, std::future::pending()).await
    }

    /// Makes one HTTP call, and returns the beginning of the answer's body with it.
    pub(crate) async fn exchange(&self, call: HttpCall) -> (Ended, String) {
        let (log, mut reader) = LogWriter::channel(ANSWER_CHUNKS, || 0);
        let task = mainspring_tasks::Task::Http(call);
        let attempt = Attempt::default();
        let read = async {
            let mut body = String::new();
            while let Some(chunk) = reader.next().await {
                let lines = chunk.lines.iter().filter(|line| line.stream == Stream::Stdout);
                for line in lines {
                    if body.len() < ANSWER_BYTES_MAX {
                        body.push_str(&line.text);
                    }
                }
            }
            body
        };
        tokio::join!(self.runner.perform(&task, &attempt, log, std::future::pending()), read)
    }

    /// Finds the addresses of a host that HTTP calls may reach.
    pub(crate) async fn addresses(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, TaskError> {
        self.runner.addresses(host, port).await
    }

    pub(crate) fn perform<'a>(
        &'a self,
        context: RunContext,
        logs: &'a LogLane,
        grace: Duration,
    ) -> BoxFuture<'a, Done> {
        Box::pin(async move {
            let Some(task) = external(&context) else {
                return Done::failed("task.not_external", "this kind of task has no process");
            };
            let longest = self.silence_max.filter(|_| context.definition.may_be_given_away());
            let silence = longest.map(|longest| Silence { longest, since_ms: context.begun_ms });
            let attempt = Attempt { silence, ..attempt(&context, grace) };
            let (log, stored) = logs.writer(context.run_id(), context.attempt());
            let ended = self.runner.perform(&task, &attempt, log, context.cancelled()).await;
            // Who sees the verdict is to see the whole log; a store that takes none must not keep the verdict back.
            let _ = tokio::time::timeout(LOG_PATIENCE, stored).await;
            done(ended)
        })
    }
}

fn external(context: &RunContext) -> Option<mainspring_tasks::Task> {
    Some(match &context.definition.task {
        Task::Run { script, shell } => mainspring_tasks::Task::Run { script: script.clone(), shell: shell.clone() },
        Task::Exec { argv } => mainspring_tasks::Task::Exec { argv: argv.clone() },
        Task::Script(script) => {
            let (input, env) = (context.input(), &context.definition.env);
            let args = if script.xxl_args { Script::xxl_args(&input, env) } else { script.args.clone() };
            mainspring_tasks::Task::Script(Script {
                language: script.language,
                source: script.source.clone(),
                args,
                stdin: None,
            })
        }
        Task::Http(call) => mainspring_tasks::Task::Http(http(call)),
        Task::Handler { .. } | Task::Xxl(_) | Task::Noop | Task::Workflow(_) => return None,
    })
}

pub(crate) fn http(call: &HttpTask) -> HttpCall {
    let range = |(first, last): &(u16, u16)| StatusRange { first: *first, last: *last };
    HttpCall {
        method: call.method.clone(),
        headers: call.headers.iter().cloned().collect(),
        body: call.body.clone().map(String::into_bytes),
        expect: if call.expect.is_empty() {
            vec![StatusRange::SUCCESS]
        } else {
            call.expect.iter().map(range).collect()
        },
        timeout_ms: call.timeout_ms.map_or(HttpCall::TIMEOUT_MS, i64::unsigned_abs),
        verify_tls: call.verify_tls,
        redirects_max: call.max_redirects.unwrap_or(HttpCall::REDIRECTS_MAX),
        ..HttpCall::get(call.url.clone())
    }
}

fn attempt(context: &RunContext, kill_grace: Duration) -> Attempt {
    let job = &context.definition;
    Attempt {
        run_id: context.run_id().to_string(),
        job: job.key.to_string(),
        fire_time: Some(context.fire_time().to_string()),
        attempt: context.attempt(),
        params: Attempt::params_of(&context.input()),
        data: context.data.as_ref().map(JobData::get),
        traceparent: Attempt::traceparent_of(&context.run_id().to_string(), context.attempt()),
        env: job.env.clone(),
        timeout: context.limit,
        kill_grace,
        leftovers: job.leftovers,
        silence: None,
        working_dir: job.working_dir.as_ref().map(PathBuf::from),
    }
}

fn done(ended: Ended) -> Done {
    let outcome = ended.outcome.into();
    let (error_code, error) = ended.error.map(|error| (error.code.to_owned(), error.message)).unzip();
    let detail = AttemptDetail {
        exit_code: ended.exit_code.or_else(|| ended.http_status.map(i32::from)),
        signal: ended.signal,
        error_code,
        error,
        output: ended.output.map(|output| output.to_string()),
        data: ended.data.map(|data| data.to_string()),
    };
    Done { outcome, detail: Some(Box::new(detail)) }
}
