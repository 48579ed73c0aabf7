//! Listeners of an embedding program: what they are asked before a run starts, and what they hear.
//!
//! A listener is code of somebody else, so it is kept apart from the engine: each hears from a task of its own, in order, after
//! what it hears of is recorded; a call that panics is caught, and one that takes longer than
//! [`Settings::listener_limit`](crate::Settings::listener_limit) is dropped. Only [`Listener::veto`] and
//! [`Listener::run_starting`] are waited for, by the run concerned and for no longer than that.

mod deliver;
mod scope;

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use mainspring_core::batch::{GapReason, Placed};
use mainspring_core::job::Job;
use mainspring_core::run::{AttemptOutcome, RunState};
use mainspring_core::{RunId, Timestamp};

pub(crate) use deliver::Audience;
pub use scope::Scope;

/// Hears what happens on one node, and may veto runs before they start. Every method does nothing unless it is written.
///
/// Runs and triggers of other nodes, and changes made through them, are heard there. What remote workers execute is asked about and
/// heard of on the node that gives it to them, and its end on the node that records it.
/// A method must not block its thread: what waits is to be awaited.
pub trait Listener: Send + Sync + 'static {
    /// Whether a run that is recorded as running is not to start, and why. Asked before each attempt, also before one that
    /// follows a lost or failed one; the run is then `skipped` with the reason `vetoed`, and no retry follows. An attempt that a
    /// worker has not heard of when its node dies is asked about again. A call that panics or takes too long vetoes nothing.
    fn veto(&self, _run: &StartingRun) -> impl Future<Output = Option<String>> + Send {
        async { None }
    }

    /// An attempt is about to be executed here or given to a worker, and nobody has vetoed it. It waits for this.
    fn run_starting(&self, _run: &StartingRun) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// A run was vetoed.
    fn run_vetoed(&self, _run: &EndedRun) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// An attempt has ended and is recorded; [`EndedRun::state`] says whether the run is over.
    fn run_ended(&self, _run: &EndedRun) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// A run was unfinished at the deadline of its job. It goes on. Heard on the node that has noticed it.
    fn deadline_missed(&self, _missed: &MissedDeadline) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// A trigger has fired.
    fn trigger_fired(&self, _fire: &FiredTrigger) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// Instants of a trigger were missed.
    fn trigger_missed(&self, _missed: &MissedFires) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// A trigger will not fire again: its schedule has come to its end.
    fn trigger_completed(&self, _trigger: &CompletedTrigger) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// A job or one of its triggers was changed through this node.
    fn job_changed(&self, _change: &ChangedJob) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// The engine has started.
    fn scheduler_started(&self) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// The engine starts nothing new.
    fn scheduler_draining(&self) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// The engine has stopped; the last that is heard.
    fn scheduler_stopped(&self) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// The store has begun to refuse or fail what the engine asks of it. It goes on trying.
    fn scheduler_error(&self, _message: &str) -> impl Future<Output = ()> + Send {
        async {}
    }
}

/// A run that was unfinished at its deadline.
#[derive(Clone, Debug)]
pub struct MissedDeadline {
    /// The run.
    pub run: RunId,
    /// Its job, as of the version that it runs.
    pub job: Arc<Job>,
}

/// A run that is about to be executed on this node, or by a worker that it talks to.
#[derive(Clone, Debug)]
pub struct StartingRun {
    /// The run.
    pub run: RunId,
    /// Its job, as of the version that it runs.
    pub job: Arc<Job>,
    /// The name of the trigger that fired it, if one did and is there.
    pub trigger: Option<Arc<str>>,
    /// The instant it stands for; for a run that was asked for, the time of asking.
    pub fire_time: Timestamp,
    /// When it was due.
    pub due_at: Timestamp,
    /// Which attempt this is, counted from 1.
    pub attempt: u32,
}

/// An attempt that has ended.
#[derive(Clone, Debug)]
pub struct EndedRun {
    /// The run.
    pub run: RunId,
    /// Its job, as of the version that it ran.
    pub job: Arc<Job>,
    /// The name of the trigger that fired it, if one did and is there.
    pub trigger: Option<Arc<str>>,
    /// Which attempt this was, counted from 1.
    pub attempt: u32,
    /// How it ended.
    pub outcome: AttemptOutcome,
    /// The run's final state, unless another attempt follows.
    pub state: Option<RunState>,
    /// When its work began; absent if it never did.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Timestamp,
    /// What went wrong, or who vetoed it.
    pub error: Option<Arc<str>>,
}

impl EndedRun {
    /// How long the attempt worked, in milliseconds: nothing if it never began.
    #[must_use]
    pub fn duration_ms(&self) -> i64 {
        self.started_at.map_or(0, |started_at| self.ended_at.since(started_at).max(0))
    }
}

/// A trigger that has fired.
#[derive(Clone, Debug)]
pub struct FiredTrigger {
    /// Its job, as of the version that fired.
    pub job: Arc<Job>,
    /// Its name, if it is there.
    pub trigger: Option<Arc<str>>,
    /// The run; there is none if the fire was suppressed.
    pub run: RunId,
    /// The instant that fired.
    pub fire_time: Timestamp,
    /// What became of it.
    pub placed: Placed,
}

/// Instants of a trigger that were missed: one, or a range.
#[derive(Clone, Debug)]
pub struct MissedFires {
    /// Its job, as of the version that missed them.
    pub job: Arc<Job>,
    /// Its name, if it is there.
    pub trigger: Option<Arc<str>>,
    /// The first of them.
    pub first: Timestamp,
    /// The last of them.
    pub last: Timestamp,
    /// How many.
    pub count: u64,
    /// Why.
    pub reason: GapReason,
}

/// A trigger that will not fire again.
#[derive(Clone, Debug)]
pub struct CompletedTrigger {
    /// Its job.
    pub job: Arc<Job>,
    /// Its name, if it is there.
    pub trigger: Option<Arc<str>>,
}

/// A job that was changed, or one of its triggers.
#[derive(Clone, PartialEq, Debug)]
pub struct ChangedJob {
    /// The job as it is now; a deleted one as it was.
    pub job: Arc<Job>,
    /// The trigger, if it is only one that was paused or resumed.
    pub trigger: Option<Arc<str>>,
    /// What was done.
    pub change: JobChange,
}

/// What was done to a job.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum JobChange {
    /// It is new.
    Added,
    /// It says something else.
    Changed,
    /// It is gone.
    Deleted,
    /// It, or a trigger of it, rests.
    Paused,
    /// It, or a trigger of it, may fire again.
    Resumed,
}

/// Listeners, and whom each listens to.
#[derive(Clone, Default)]
pub struct Listeners(Vec<(Scope, Arc<dyn Hears>)>);

impl Listeners {
    /// Adds a listener. Its scope limits what it hears of jobs, runs and triggers, and what it is asked; the rest it hears in full.
    pub fn add(&mut self, scope: Scope, listener: impl Listener) {
        self.0.push((scope, Arc::new(listener)));
    }
}

impl std::fmt::Debug for Listeners {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(scope, _)| scope)).finish()
    }
}

/// What a listener may hear.
#[derive(Clone, Debug)]
enum News {
    Starting(StartingRun),
    Ended(EndedRun),
    Fired(FiredTrigger),
    Missed(MissedFires),
    Completed(CompletedTrigger),
    Deadline(MissedDeadline),
    Changed(ChangedJob),
    Started,
    Draining,
    Stopped,
    Error(Arc<str>),
}

impl News {
    /// The job that it is about, if it is about one.
    fn job(&self) -> Option<&Job> {
        match self {
            Self::Starting(it) => Some(&it.job),
            Self::Ended(it) => Some(&it.job),
            Self::Fired(it) => Some(&it.job),
            Self::Missed(it) => Some(&it.job),
            Self::Completed(it) => Some(&it.job),
            Self::Deadline(it) => Some(&it.job),
            Self::Changed(it) => Some(&it.job),
            Self::Started | Self::Draining | Self::Stopped | Self::Error(_) => None,
        }
    }
}

/// A listener of whatever type.
trait Hears: Send + Sync {
    fn ask<'a>(&'a self, run: &'a StartingRun) -> BoxFuture<'a, Option<String>>;
    fn tell<'a>(&'a self, news: &'a News) -> BoxFuture<'a, ()>;
}

impl<L: Listener> Hears for L {
    fn ask<'a>(&'a self, run: &'a StartingRun) -> BoxFuture<'a, Option<String>> {
        // Called within the future, so that a panic outside of what is awaited is caught as well.
        async move { self.veto(run).await }.boxed()
    }

    fn tell<'a>(&'a self, news: &'a News) -> BoxFuture<'a, ()> {
        async move {
            match news {
                News::Starting(run) => self.run_starting(run).await,
                News::Ended(run) if run.state == Some(RunState::Skipped) => self.run_vetoed(run).await,
                News::Ended(run) => self.run_ended(run).await,
                News::Fired(fire) => self.trigger_fired(fire).await,
                News::Missed(missed) => self.trigger_missed(missed).await,
                News::Completed(trigger) => self.trigger_completed(trigger).await,
                News::Deadline(missed) => self.deadline_missed(missed).await,
                News::Changed(change) => self.job_changed(change).await,
                News::Started => self.scheduler_started().await,
                News::Draining => self.scheduler_draining().await,
                News::Stopped => self.scheduler_stopped().await,
                News::Error(message) => self.scheduler_error(message).await,
            }
        }
        .boxed()
    }
}
