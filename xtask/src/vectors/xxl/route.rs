//! The answers of XXL-JOB's deterministic routes, against those of the router that serves all workers.

use std::collections::BTreeMap;

use anyhow::Context;
use mainspring_core::job::{Job, JobKey, Task};
use mainspring_core::router::{Candidate, Choice, Memory, Router, Unrouted};
use mainspring_core::routing::Strategy;
use mainspring_core::{JobId, RunId, RunSource};
use mainspring_schedule::Timestamp;
use serde_json::Value;

use super::super::Difference;

/// Compares all answers of one line: pairs of job and address, or steps of one job.
pub fn check(line: &Value) -> anyhow::Result<Result<(), Difference>> {
    let route = line["route"].as_str().context("a route is a text")?;
    let (strategy, steps) = match route {
        "CONSISTENT_HASH" => {
            let addresses = texts(&line["addresses"])?;
            let answers = line["answers"].as_array().context("answers are a list")?;
            let step = |answer: &Value| Some((answer[0].as_u64()?, addresses.clone(), answer[1].as_str()?.to_owned()));
            (Strategy::ConsistentHash, answers.iter().map(step).collect::<Option<Vec<_>>>())
        }
        "LEAST_RECENTLY_USED" => {
            let steps = line["steps"].as_array().context("steps are a list")?;
            let step = |step: &Value| Some((1, texts(&step["addresses"]).ok()?, step["answer"].as_str()?.to_owned()));
            (Strategy::LeastRecentlyUsed, steps.iter().map(step).collect())
        }
        other => anyhow::bail!("the answers of route {other} follow no rule"),
    };
    let steps = steps.with_context(|| format!("the answers of {route} cannot be read"))?;
    let (definition, mut memory) = (job(strategy), Memory::default());
    for (number, (job, addresses, theirs)) in steps.into_iter().enumerate() {
        // As they were typed in.
        let mut router = Router::new((0..).zip(&addresses).map(|(place, name)| candidate(place, name)).collect());
        let job = JobId(job.try_into().context("numbers of jobs are small")?);
        let run = RunId::new(Timestamp::from_millis(0), RunSource::Asked(job, number as u64));
        let run = Unrouted { run, job, definition: &definition, input: None, shard: None };
        let ours = match router.route(&run, &mut memory) {
            Choice::One(name) => name,
            other => format!("{other:?}"),
        };
        if ours != theirs {
            let question = format!("{route}: answer {} for {job}, of {} addresses", number + 1, addresses.len());
            return Ok(Err(Difference { question, ours, theirs }));
        }
    }
    Ok(Ok(()))
}

fn texts(value: &Value) -> anyhow::Result<Vec<String>> {
    let list = value.as_array().context("addresses are a list")?;
    list.iter().map(|text| text.as_str().map(str::to_owned).context("an address is a text")).collect()
}

fn job(strategy: Strategy) -> Job {
    let mut job = Job::new(JobKey::new("default", "j"), Task::Noop);
    job.queue = "app".to_owned();
    job.routing.strategy = strategy;
    job
}

fn candidate(place: u32, name: &str) -> Candidate {
    let (name, queues) = (name.to_owned(), vec!["app".to_owned()]);
    Candidate { name, queues, labels: BTreeMap::new(), slots: 1, heard: true, place: Some(place) }
}
