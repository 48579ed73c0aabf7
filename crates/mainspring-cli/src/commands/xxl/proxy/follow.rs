//! Follows runs to their ends, and reports these to the old admin until it takes them.

use std::sync::Arc;
use std::time::Duration;

use mainspring_api::client::{Client, ClientError};
use mainspring_api::{Reason, Run, RunNow, RunState};
use mainspring_xxl::{Passed, PassedId};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{interval, timeout};

use super::Proxy;

/// Pause before the server or the old admin is asked again.
const AGAIN: Duration = Duration::from_secs(2);
/// Pauses between two looks at a run: the first one, and the longest, to which they grow.
const LOOKS: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(3));

/// Follows each run that comes.
pub async fn all(proxy: Arc<Proxy>, mut begun: mpsc::UnboundedReceiver<PassedId>) {
    let mut runs = JoinSet::new();
    while let Some(id) = begun.recv().await {
        while runs.try_join_next().is_some() {}
        if let Some(passed) = proxy.state.read(|passing| passing.find(id).cloned()) {
            runs.spawn(follow(Arc::clone(&proxy), passed));
        }
    }
}

async fn follow(proxy: Arc<Proxy>, passed: Passed) {
    let mut again = interval(AGAIN);
    let mut said = Said::default();
    let (code, message) = loop {
        again.tick().await;
        match end(&proxy, &passed).await {
            Ok(end) => break end,
            Err(error) if is_final(&error) => break (500, error.to_string()),
            // The server cannot be asked, or is busy: its run goes on.
            Err(error) => said.once(&format!("log {} of {}", passed.log_id, proxy.app), &error.to_string()),
        }
    };
    let report = passed.report(code, &message);
    while let Err(why) = proxy.admin.call_back(&report).await {
        said.once(&format!("the end of log {}", passed.log_id), &why);
        again.tick().await;
    }
    // It is taken, and not said again because a disk is full.
    while let Err(error) = proxy.state.change(|passing| passing.end(passed.id())) {
        said.once(&format!("the note that log {} is over", passed.log_id), &error.to_string());
        again.tick().await;
    }
}

/// Tells a person of a trouble when it begins or becomes another one.
#[derive(Default)]
struct Said(String);

impl Said {
    fn once(&mut self, what: &str, why: &str) {
        if self.0 != why {
            crate::notes::note(format_args!("{what} waits: {why}"));
            why.clone_into(&mut self.0);
        }
    }
}

/// Waits for the end of a run, and asks for it if the old admin kills it.
async fn end(proxy: &Proxy, passed: &Passed) -> Result<(i64, String), ClientError> {
    let run = match proxy.state.read(|passing| passing.find(passed.id()).and_then(|passed| passed.run.clone())) {
        Some(run) => run,
        None => start(proxy, passed).await?,
    };
    let (mut pause, longest) = LOOKS;
    let mut is_cancelled = false;
    // A stream of its log for each run would use up what a server has of them, and ends before the run where a node closes.
    loop {
        if let Some(end) = told(&proxy.client.run(&run).await?) {
            return Ok(end);
        }
        if is_cancelled {
            crate::follow::pause().await;
        } else if timeout(pause, killed(proxy, passed.id())).await.is_ok() {
            cancel(&proxy.client, &run).await?;
            is_cancelled = true;
        }
        pause = (pause * 3 / 2).min(longest);
    }
}

/// Waits until the end of a run is asked for.
async fn killed(proxy: &Proxy, id: PassedId) {
    let mut news = proxy.killed.subscribe();
    let is_killed = |_: &()| proxy.state.read(|passing| passing.find(id).is_some_and(|passed| passed.killed));
    if news.wait_for(is_killed).await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Starts a run, once however often this is done: its key is of this run alone.
pub async fn start(proxy: &Proxy, passed: &Passed) -> Result<String, ClientError> {
    let now = RunNow {
        input: Some(Value::from(passed.params.clone())),
        reason: Some(format!("log {} of an old XXL-JOB", passed.log_id)),
        ..RunNow::default()
    };
    let (namespace, job) = &passed.job;
    let client = proxy.client.with_idempotency_key(passed.key(&proxy.app));
    let run = client.run_job(namespace, job, &now).await?;
    if let Err(error) = proxy.state.change(|passing| passing.begun(passed.id(), &run.id)) {
        // The key finds it again.
        crate::notes::note(format_args!("the state cannot be written: {error}"));
    }
    Ok(run.id)
}

/// Asks for the end of a run. One that is over is not asked for.
async fn cancel(client: &Client, run: &str) -> Result<(), ClientError> {
    let reason = Reason { reason: Some("killed by an old XXL-JOB".to_owned()), ..Reason::default() };
    match client.cancel_run(run, &reason).await {
        // Another refusal than of access or of haste: it has ended meanwhile.
        Err(error) if is_final(&error) || error.problem().is_some_and(|problem| problem.status == 409) => Ok(()),
        done => done.map(drop),
    }
}

/// Whether asking again cannot help: the server has answered, and refused.
pub fn is_final(error: &ClientError) -> bool {
    let status = error.problem().map(|problem| problem.status);
    status.is_some_and(|status| (400..500).contains(&status) && !matches!(status, 401 | 403 | 408 | 409 | 429))
}

/// What an executor says of the end of a run: its code, and a message. Nothing of a run that goes on.
fn told(run: &Run) -> Option<(i64, String)> {
    let output = match &run.output {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(value) => value.to_string(),
    };
    let why = run.reason.clone().unwrap_or_else(|| run.state.as_str().to_owned());
    let code = run.exit_code.map(i64::from).filter(|code| *code > 0 && *code != 200);
    match run.state {
        RunState::Succeeded => Some((200, output)),
        RunState::Failed if why.contains("timed_out") => Some((502, why)),
        RunState::Failed => Some((code.unwrap_or(500), why)),
        state if state.is_final() => Some((500, why)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_told_in_codes_of_executors() {
        let run = |state: &str, more: Value| {
            let mut run = serde_json::json!({"id": "r", "namespace": "default", "job": "a", "job_version": 1, "origin": "api",
                "state": state, "created_at": "2026-01-01T00:00:00Z", "attempt": 1, "attempts_max": 1, "queue": "q", "priority": 5});
            run.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            told(&serde_json::from_value(run).unwrap())
        };
        for (state, more, code, message) in [
            ("succeeded", serde_json::json!({"output": "done"}), 200, "done"),
            ("succeeded", serde_json::json!({"output": {"a": 1}}), 200, "{\"a\":1}"),
            ("failed", serde_json::json!({"exit_code": 3}), 3, "failed"),
            ("failed", serde_json::json!({"reason": "lost"}), 500, "lost"),
            ("failed", serde_json::json!({"reason": "task.timed_out", "exit_code": 143}), 502, "task.timed_out"),
            ("cancelled", serde_json::json!({"exit_code": 3}), 500, "cancelled"),
        ] {
            assert_eq!(run(state, more.clone()), Some((code, message.to_owned())), "{state} {more}");
        }
        for state in ["waiting", "held", "scheduled", "queued", "running", "of_a_later_release"] {
            assert_eq!(run(state, serde_json::json!({"exit_code": 3})), None, "{state} is no end");
        }
    }
}
