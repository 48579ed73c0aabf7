//! A program names whatever the crate hands to it, and needs no other crate of ours: this file uses the crate as a stranger would.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mainspring::crates::{core, engine, store};
use mainspring::prelude::*;
use mainspring::{
    Caller, EndedRun, GapOutcome, GapReason, Handler, HandlerError, HandlerFuture, JobId, JobVersion, MissedDeadline,
    MissedFires, NamedTrigger, Routing, Shard, Task, TaskContext, TriggerDefinition,
};

/// What listeners are told has names, so that a program can hear of it.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Listener for Heard {
    async fn deadline_missed(&self, missed: &MissedDeadline) {
        self.0.lock().expect("no test panics here").push(format!("late: {}", missed.job.key));
    }

    async fn run_ended(&self, ended: &EndedRun) {
        self.0.lock().expect("no test panics here").push(format!("ended: {}", ended.job.key));
    }

    async fn trigger_missed(&self, missed: &MissedFires) {
        let reason: GapReason = missed.reason;
        self.0.lock().expect("no test panics here").push(format!("missed: {}", reason.as_str()));
    }
}

/// A handler that is a type of its own.
struct Doubling;

impl Handler<RunContext> for Doubling {
    fn call(&self, run: RunContext) -> HandlerFuture {
        Box::pin(async move {
            let number: i64 = run.input_as().map_err(|error| HandlerError(error.to_string()))?;
            Ok(json!(number * 2))
        })
    }
}

/// Fields of what is read have names.
#[allow(clippy::type_complexity)]
fn parts(
    job: &mainspring::JobRow,
    run: &mainspring::RunInfo,
) -> (JobId, JobVersion, Vec<TriggerDefinition>, Task, Routing, Option<Shard>, Option<Caller>) {
    let definition = &job.definition;
    (
        job.id,
        run.job_version,
        definition.triggers.clone(),
        definition.task.clone(),
        definition.routing.clone(),
        run.shard,
        run.caller.clone(),
    )
}

/// Whatever else the engine and its control name is in the crates behind them.
type Deeper = (
    engine::Metrics,
    engine::control::JobPlan,
    store::JobData,
    core::Incarnation,
    NamedTrigger,
    GapOutcome,
    TaskContext,
    Arc<dyn store::Store>,
);

#[tokio::test]
async fn program_names_all_that_it_is_handed() {
    assert!(std::mem::size_of::<Option<Deeper>>() > 0);
    let heard = Heard::default();
    let builder = Scheduler::builder().handler("double", Doubling).listener(Scope::all(), heard.clone()).state(7_u32);
    let scheduler = builder.start("memory:").await.expect("starts");
    let long_after = Timestamp::now() + 86_400_000;
    let kept = scheduler.add(job("double").input(json!(21)).trigger(at(long_after))).await.expect("a good job");
    let run = scheduler.run_now("double").await.expect("it is there");
    let run = scheduler.wait(run.id).await.expect("it ends");
    assert_eq!(run.output.as_deref(), Some("42"));
    let (id, _, triggers, task, routing, shard, caller) = parts(&kept, &run);
    assert_eq!((id, triggers.len()), (kept.id, 1));
    assert!(matches!(task, Task::Handler { .. }), "{task:?}");
    assert!(routing == Routing::default() && shard.is_none() && caller.is_none());
    scheduler.shutdown(Duration::from_secs(60)).await.expect("closes");
    assert!(heard.0.lock().expect("no test panics here").contains(&"ended: default/double".to_owned()));
}
