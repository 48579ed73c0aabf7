//! Asking and telling listeners, without being held up by them.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use mainspring_core::job::Job;
use mainspring_core::rule::Start;
use mainspring_core::{JobId, JobVersion, TriggerId};
use mainspring_tasks::HandlerError;
use tokio::sync::broadcast::{Receiver, error::RecvError};
use tokio::task::JoinSet;

use super::{
    CompletedTrigger, EndedRun, FiredTrigger, Hears, Listeners, MissedDeadline, MissedFires, News, Scope, StartingRun,
};
use crate::definitions::Definitions;
use crate::notice::Notice;

/// The listeners of an engine.
pub(crate) struct Audience {
    listeners: Listeners,
    definitions: Arc<Definitions>,
    limit: Duration,
}

impl Audience {
    pub(crate) fn new(listeners: Listeners, definitions: Arc<Definitions>, limit: Duration) -> Arc<Self> {
        Arc::new(Self { listeners, definitions, limit })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.listeners.0.is_empty()
    }

    /// Asks whether an attempt may begin, and says that it does. Why not, if somebody vetoes it.
    pub(crate) async fn admit(&self, start: &Start, job: &Arc<Job>) -> Result<(), String> {
        let concerned: Vec<&Arc<dyn Hears>> =
            self.listeners.0.iter().filter(|(scope, _)| scope.admits(job)).map(|(_, listener)| listener).collect();
        if concerned.is_empty() {
            return Ok(());
        }
        let run = self.starting(start, job).await;
        for listener in &concerned {
            if let Some(why) = self.bounded("veto", listener.ask(&run)).await.flatten() {
                return Err(why);
            }
        }
        let news = News::Starting(run);
        for listener in concerned {
            self.bounded("run_starting", listener.tell(&news)).await;
        }
        Ok(())
    }

    async fn starting(&self, start: &Start, job: &Arc<Job>) -> StartingRun {
        let Start { run, trigger, fire_time, due_at, attempt, .. } = *start;
        StartingRun { run, job: Arc::clone(job), trigger: self.name(trigger).await, fire_time, due_at, attempt }
    }

    /// Lets every listener hear what happens from now on, each in a task of its own, up to [`Notice::Stopped`].
    pub(crate) fn listen(self: &Arc<Self>, hear: impl Fn() -> Receiver<Notice>) -> JoinSet<()> {
        let mut tasks = JoinSet::new();
        for (scope, listener) in self.listeners.0.iter().cloned() {
            tasks.spawn(Arc::clone(self).follow(scope, listener, hear()));
        }
        tasks
    }

    async fn follow(self: Arc<Self>, scope: Scope, listener: Arc<dyn Hears>, mut notices: Receiver<Notice>) {
        loop {
            let notice = match notices.recv().await {
                Ok(notice) => notice,
                Err(RecvError::Lagged(missed)) => {
                    tracing::warn!(missed, "a listener is too slow and has missed the oldest of what happened");
                    continue;
                }
                Err(RecvError::Closed) => return,
            };
            let is_last = notice == Notice::Stopped;
            if let Some(news) = self.news(notice).await
                && news.job().is_none_or(|job| scope.admits(job))
            {
                self.bounded("a listener", listener.tell(&news)).await;
            }
            if is_last {
                return;
            }
        }
    }

    /// A call of a listener: nothing if it panics or takes too long.
    async fn bounded<T>(&self, call: &'static str, work: BoxFuture<'_, T>) -> Option<T> {
        match tokio::time::timeout(self.limit, AssertUnwindSafe(work).catch_unwind()).await {
            Ok(Ok(answer)) => Some(answer),
            Ok(Err(panic)) => {
                tracing::error!(call, panic = HandlerError::of_panic(&*panic).0, "a listener panicked");
                None
            }
            Err(_) => {
                let limit_ms = u64::try_from(self.limit.as_millis()).unwrap_or(u64::MAX);
                tracing::error!(call, limit_ms, "a listener took too long and was given up");
                None
            }
        }
    }

    /// A notice with the names that it is about. Nothing if they are gone or cannot be read.
    async fn news(&self, notice: Notice) -> Option<News> {
        Some(match notice {
            Notice::Fired { trigger, job, job_version, run, fire_time, placed } => {
                let (job, trigger) = (self.job(job, job_version).await?, self.name(Some(trigger)).await);
                News::Fired(FiredTrigger { job, trigger, run, fire_time, placed })
            }
            Notice::Missed { trigger, job, job_version, first, last, count, reason } => {
                let (job, trigger) = (self.job(job, job_version).await?, self.name(Some(trigger)).await);
                News::Missed(MissedFires { job, trigger, first, last, count, reason })
            }
            Notice::Completed { trigger, job, job_version } => {
                let (job, trigger) = (self.job(job, job_version).await?, self.name(Some(trigger)).await);
                News::Completed(CompletedTrigger { job, trigger })
            }
            Notice::Ended { run, job, job_version, trigger, attempt, outcome, state, started_at, ended_at, error } => {
                let (job, trigger) = (self.job(job, job_version).await?, self.name(trigger).await);
                News::Ended(EndedRun { run, job, trigger, attempt, outcome, state, started_at, ended_at, error })
            }
            Notice::DeadlineMissed { run, job, job_version } => {
                News::Deadline(MissedDeadline { run, job: self.job(job, job_version).await? })
            }
            Notice::Changed(changed) => News::Changed(changed),
            Notice::Started => News::Started,
            Notice::Draining => News::Draining,
            Notice::Stopped => News::Stopped,
            Notice::Trouble(message) => News::Error(message),
        })
    }

    async fn job(&self, job: JobId, version: JobVersion) -> Option<Arc<Job>> {
        let found = self.definitions.definition(job, version).await;
        found.inspect_err(|error| tracing::debug!(error = %mainspring_store::causes(&error), job.id = job.0, "listeners hear nothing of a job")).ok()
    }

    async fn name(&self, trigger: Option<TriggerId>) -> Option<Arc<str>> {
        let trigger = trigger?;
        let found = self.definitions.trigger_name(trigger).await;
        found.inspect_err(|error| tracing::debug!(error = %mainspring_store::causes(&error), trigger.id = trigger.0, "a trigger has no name")).ok()?
    }
}
