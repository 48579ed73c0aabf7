//! How many round trips a step of a workflow takes.

use std::sync::Arc;

use mainspring_core::batch::{Completion, CompletionBatch};
use mainspring_core::job::{Job, JobKey, Task};
use mainspring_core::run::Verdict;
use mainspring_core::workflow::TaskState;
use tokio::runtime::Runtime;

use super::Wire;
use crate::conformance::kit::{Draft, Kit, at};
use crate::store::Store;
use crate::workflow::{Stepped, TaskStart, TaskWrite, WorkflowStep};

/// A step that starts, ends or cancels thousands of tasks takes a few round trips more than one with a single task, and so do their ends.
pub(crate) fn step_of_a_workflow_takes_few_round_trips(store: Arc<dyn Store>, wire: &Wire) {
    Runtime::new().unwrap().block_on(async {
        let kit = Kit::new(store).await;
        let task = Task::Workflow(Box::default());
        let job = kit.save(Draft::of(Job::new(JobKey::new("default", "graph"), task))).await;
        let mut took = Vec::new();
        // The first ones tell the server the statements.
        for (number, count) in [(1, 2), (2, 2), (3, 2), (4, 3_000)] {
            let (run, _) = kit.ask(&job, number, at(1_000)).await;
            assert!(kit.store.begin_workflow(run, at(1_000)).await.unwrap());
            let step = async |tasks: Vec<TaskWrite>, cancel| {
                let row = kit.store.workflow(run, u32::MAX).await.unwrap().unwrap();
                let heard = row.inbox.iter().map(|message| message.id).collect();
                let (stop, paused, more, end) = (None, false, false, None);
                let step = WorkflowStep {
                    run,
                    turn: row.turn,
                    heard,
                    tasks,
                    cancel,
                    stop,
                    paused,
                    more,
                    end,
                    output: None,
                    limit: None,
                    awaits: Vec::new(),
                    settled: Vec::new(),
                    over: Vec::new(),
                    at: at(1_000),
                };
                let mut written = None;
                let work = async {
                    written = Some(kit.store.step_workflow(step).await?);
                    crate::Result::Ok(())
                };
                let trips = wire.round_trips(work).await;
                let Some(Stepped::Written(runs)) = written else { panic!("{written:?}") };
                (runs, trips)
            };
            let start = |item: u32| TaskStart {
                name: format!("a[{item}]"),
                line: "default".into(),
                priority: 5,
                input: Some("{}".into()),
                expires_at: None,
            };
            let write = |item: u32, state, start| TaskWrite {
                task: 0,
                item: Some(item),
                state,
                generation: 0,
                reason: None,
                start,
                call: None,
            };
            let starts = (0..count).map(|item| write(item, TaskState::Running, Some(start(item)))).collect();
            let (runs, started) = step(starts, Vec::new()).await;
            let claimed = kit.claim(count / 2, at(1_000)).await;
            let cancels = runs.iter().map(|run| (*run, "no".to_owned())).collect();
            let (_, cancelled) = step(Vec::new(), cancels).await;
            let ends = claimed.iter().map(|claimed| Completion {
                job_version: claimed.job_version,
                ..job.verdict(claimed.run, Verdict::Cancelled, at(1_000))
            });
            let batch = CompletionBatch { id: kit.batch_id(), at: at(1_000), entries: ends.collect() };
            let ended = wire.round_trips(kit.store.complete(Arc::new(batch))).await;
            let ends = (0..count).map(|item| write(item, TaskState::Cancelled, None)).collect();
            let (_, written) = step(ends, Vec::new()).await;
            took.push([started, cancelled, ended, written]);
        }
        let most = took[3].iter().zip(&took[2]).map(|(many, few)| many.saturating_sub(*few)).max();
        assert!(most < Some(12), "{took:?}");
        assert!(took[2].iter().all(|trips| *trips < 8), "{took:?}");
    });
}
