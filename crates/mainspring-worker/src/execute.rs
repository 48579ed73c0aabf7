//! One attempt from its start to its end.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use mainspring_api::{AttemptOutcome, AttemptState, WorkerEnd, WorkerRun, WorkerTask};
use mainspring_tasks::{
    Attempt, Ended, HandlerError, HandlerResult, Handlers, HttpCall, JobData, LogWriter, Script, Settings, Silence,
    StatusRange, Task, TaskRunner,
};
use tokio::sync::watch;

use crate::book::Stop;
use crate::clock;
use crate::handler::{RunContext, told};
use crate::outbox::Log;

/// The grace of a run that others may be given soon.
pub const GIVE_UP_GRACE: Duration = Duration::from_secs(2);
/// Chunks of one attempt that wait to be reported.
const CHUNKS_WAITING: usize = 8;

/// Executes attempts.
pub(crate) struct Executor {
    pub(crate) handlers: Handlers<RunContext>,
    pub(crate) runner: Option<TaskRunner>,
    pub(crate) kill_grace: Duration,
}

impl Executor {
    /// Executes an attempt. Its log may still be on its way when this returns.
    pub(crate) async fn execute(
        &self,
        run: Arc<WorkerRun>,
        stop: watch::Receiver<Stop>,
        log: Log,
        silence: Option<Silence>,
    ) -> WorkerEnd {
        let started_at = clock::now();
        let given_up = {
            let stop = stop.clone();
            async move {
                told(&stop, Stop::GiveUp).await;
                clock::pause(GIVE_UP_GRACE).await;
            }
        };
        let work = AssertUnwindSafe(self.perform(&run, stop, log, silence)).catch_unwind();
        let mut end = tokio::select! {
            end = work => end.unwrap_or_else(|panic| failed("handler.panicked", HandlerError::of_panic(&*panic).0)),
            // Dropping the work ends its processes at once.
            () = given_up => ended(AttemptState::Cancelled),
        };
        if let Some(error) = end.error.as_mut().filter(|error| error.contains('\0')) {
            // No database keeps it.
            *error = error.replace('\0', "\u{fffd}");
        }
        refuse_large_output(&mut end);
        WorkerEnd {
            run: run.run.clone(),
            attempt: run.attempt,
            started_at: Some(started_at),
            ended_at: clock::now(),
            ..end
        }
    }

    async fn perform(
        &self,
        run: &Arc<WorkerRun>,
        stop: watch::Receiver<Stop>,
        log: Log,
        silence: Option<Silence>,
    ) -> WorkerEnd {
        let task = match &run.task {
            WorkerTask::Noop => return ended(AttemptState::Succeeded),
            WorkerTask::Handler { name } => {
                let data = run.data.clone().map(JobData::new);
                return self.handle(name, RunContext { run: Arc::clone(run), stop, log, data }).await;
            }
            WorkerTask::Unknown => return failed("task.not_enabled", "this worker is too old for this kind of task"),
            WorkerTask::Run { script, shell } => Task::Run { script: script.clone(), shell: shell.clone() },
            WorkerTask::Exec { argv } => Task::Exec { argv: argv.clone() },
            WorkerTask::Script { language, source, args, xxl_args } => {
                let args = if *xxl_args { Script::xxl_args(&run.input, &run.env) } else { args.clone() };
                Task::Script(Script { language: *language, source: source.clone(), args, stdin: None })
            }
            WorkerTask::Http { .. } => Task::Http(http(&run.task)),
        };
        let Some(runner) = &self.runner else {
            return failed("task.not_enabled", "this worker executes handlers only");
        };
        let (writer, reader) = LogWriter::channel(CHUNKS_WAITING, || clock::now().as_millis());
        log.forward(reader);
        let attempt = Attempt { silence, ..attempt(run, self.kill_grace) };
        of_task(runner.perform(&task, &attempt, writer, told(&stop, Stop::Cancel)).await)
    }

    async fn handle(&self, name: &str, context: RunContext) -> WorkerEnd {
        let Some(handler) = self.handlers.find(name) else {
            return failed("handler.not_found", format!("no handler `{name}` is registered in this worker"));
        };
        let limit = context.run.timeout_ms.map(|ms| Duration::from_millis(ms.unsigned_abs()));
        let cancelled = async {
            context.cancelled().await;
            clock::pause(self.kill_grace).await;
        };
        let timed_out = async {
            match limit {
                Some(limit) => clock::pause(limit).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            result = handler.call(context.clone()) => match context.is_cancelled() {
                true => ended(AttemptState::Cancelled),
                false => of_handler(result, context.data.as_ref()),
            },
            () = cancelled => ended(AttemptState::Cancelled),
            () = timed_out => {
                let error = format!("the handler did not end within {} ms", limit.unwrap_or_default().as_millis());
                WorkerEnd { outcome: AttemptState::TimedOut, ..failed("task.timed_out", error) }
            }
        }
    }
}

fn attempt(run: &WorkerRun, kill_grace: Duration) -> Attempt {
    Attempt {
        run_id: run.run.clone(),
        job: format!("{}/{}", run.namespace, run.job),
        fire_time: Some(run.fire_at.to_string()),
        attempt: run.attempt,
        params: Attempt::params_of(&run.input),
        data: run.data.clone(),
        traceparent: Attempt::traceparent_of(&run.run, run.attempt),
        env: run.env.clone(),
        timeout: run.timeout_ms.map(|ms| Duration::from_millis(ms.unsigned_abs())),
        kill_grace,
        leftovers: run.leftovers,
        silence: None,
        working_dir: run.working_dir.as_ref().map(PathBuf::from),
    }
}

fn http(task: &WorkerTask) -> HttpCall {
    let WorkerTask::Http { method, url, headers, body, expect, timeout_ms, verify_tls, max_redirects } = task else {
        unreachable!("asked about HTTP calls only");
    };
    let range = |(first, last): &(u16, u16)| StatusRange { first: *first, last: *last };
    HttpCall {
        method: method.clone(),
        headers: headers.iter().cloned().collect::<BTreeMap<_, _>>(),
        body: body.clone().map(String::into_bytes),
        expect: if expect.is_empty() { vec![StatusRange::SUCCESS] } else { expect.iter().map(range).collect() },
        timeout_ms: timeout_ms.map_or(HttpCall::TIMEOUT_MS, i64::unsigned_abs),
        verify_tls: *verify_tls,
        redirects_max: max_redirects.unwrap_or(HttpCall::REDIRECTS_MAX),
        ..HttpCall::get(url.clone())
    }
}

fn of_task(task: Ended) -> WorkerEnd {
    let outcome = AttemptOutcome::from(task.outcome).into();
    let (error_code, error) = task.error.map(|error| (error.code.to_owned(), error.message)).unzip();
    WorkerEnd {
        exit_code: task.exit_code.or_else(|| task.http_status.map(i32::from)),
        signal: task.signal,
        error_code,
        error,
        output: task.output,
        data: task.data,
        ..ended(outcome)
    }
}

fn of_handler(result: HandlerResult, data: Option<&JobData>) -> WorkerEnd {
    match result {
        Ok(output) => WorkerEnd {
            output: (!output.is_null()).then_some(output),
            data: data.and_then(JobData::left),
            ..ended(AttemptState::Succeeded)
        },
        Err(error) => failed("handler.failed", error.0),
    }
}

fn refuse_large_output(end: &mut WorkerEnd) {
    let bytes = end.output.as_ref().map_or(0, |output| output.to_string().len());
    let most = Settings::OUTPUT_BYTES_MAX;
    if bytes > most {
        end.output = None;
        if end.error_code.is_none() && end.error.is_none() {
            end.error_code = Some("output.too_large".to_owned());
            end.error = Some(format!("the output has {bytes} bytes, and {most} are kept"));
        }
    }
}

/// Returns an end with only an outcome.
fn ended(outcome: AttemptState) -> WorkerEnd {
    WorkerEnd::new("", 0, outcome, clock::now())
}

fn failed(code: &str, error: impl Into<String>) -> WorkerEnd {
    WorkerEnd { error_code: Some(code.to_owned()), error: Some(error.into()), ..ended(AttemptState::Failed) }
}
