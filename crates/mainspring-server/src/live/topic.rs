//! Topics: what a stream is for, and what it says of a batch of changes.

use mainspring_api::{ErrorCode, LiveChange, LiveItem, is_valid_name};
use mainspring_core::RunId;

use super::ring::{Batch, Change, Kind};
use crate::refusal::{Answer, Refusal};

/// Topics of one stream.
const TOPICS_MAX: usize = 100;
/// Things that one message names.
const ITEMS_MAX: usize = 50;

/// What a stream is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Topic {
    Runs,
    Jobs,
    Queues,
    Workers,
    Cluster,
    Stats,
    Flows,
    Run(String),
    /// `NAMESPACE/NAME`
    Job(String),
    /// `NAMESPACE/NAME`
    Flow(String),
}

/// Reads the topics of a stream.
///
/// # Errors
/// `request.query`, with the one that is none.
pub(crate) fn parse(text: &str) -> Answer<Vec<Topic>> {
    let mut topics = Vec::new();
    for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let topic = Topic::parse(name).ok_or_else(|| {
            let shown: String = name.chars().take(64).collect();
            Refusal::new(ErrorCode::RequestQuery, format!("\"{}\" is no topic", shown.escape_debug()))
                .hint("topics are runs, jobs, queues, workers, cluster, stats, flows, run:ID, job:NAMESPACE/NAME and flow:NAMESPACE/NAME")
        })?;
        if !topics.contains(&topic) {
            topics.push(topic);
        }
    }
    match topics.len() {
        0 => Err(Refusal::new(ErrorCode::RequestQuery, "query parameter \"topics\" names no topic")),
        count if count > TOPICS_MAX => {
            Err(Refusal::new(ErrorCode::RequestQuery, format!("a stream has at most {TOPICS_MAX} topics, not {count}")))
        }
        _ => Ok(topics),
    }
}

impl Topic {
    fn parse(name: &str) -> Option<Self> {
        Some(match name.split_once(':') {
            None => match name {
                "runs" => Self::Runs,
                "jobs" => Self::Jobs,
                "queues" => Self::Queues,
                "workers" => Self::Workers,
                "cluster" => Self::Cluster,
                "stats" => Self::Stats,
                "flows" => Self::Flows,
                _ => return None,
            },
            Some(("run", id)) if is_valid_name(id) => Self::Run(id.to_owned()),
            Some((kind @ ("job" | "flow"), key)) => {
                let (namespace, name) = key.split_once('/')?;
                let topic = if kind == "job" { Self::Job } else { Self::Flow };
                (is_valid_name(namespace) && is_valid_name(name)).then(|| topic(key.to_owned()))?
            }
            Some(_) => return None,
        })
    }

    /// The topic as it is asked for.
    fn name(&self) -> String {
        match self {
            Self::Runs => "runs".to_owned(),
            Self::Jobs => "jobs".to_owned(),
            Self::Queues => "queues".to_owned(),
            Self::Workers => "workers".to_owned(),
            Self::Cluster => "cluster".to_owned(),
            Self::Stats => "stats".to_owned(),
            Self::Flows => "flows".to_owned(),
            Self::Run(id) => format!("run:{id}"),
            Self::Job(key) => format!("job:{key}"),
            Self::Flow(key) => format!("flow:{key}"),
        }
    }

    /// Whether a change belongs to it.
    fn admits(&self, change: &Change) -> bool {
        match self {
            Self::Runs => change.kind == Kind::Run,
            Self::Jobs => change.kind == Kind::Job,
            // Whatever happens to a run, its queue is another one then.
            Self::Queues => matches!(change.kind, Kind::Queue | Kind::Run),
            Self::Workers => change.kind == Kind::Worker,
            Self::Cluster => change.kind == Kind::Cluster,
            Self::Stats => false,
            Self::Flows => change.kind == Kind::Flow,
            Self::Flow(key) => change.kind == Kind::Flow && change.id.as_ref() == Some(key),
            Self::Run(id) => change.kind == Kind::Run && (change.id.as_ref() == Some(id) || is_part(change, id)),
            Self::Job(key) => matches!(change.kind, Kind::Job | Kind::Run) && change.job.as_ref() == Some(key),
        }
    }

    /// Whether it may have changed where nobody can say what has.
    const fn is_touched_by_all(&self) -> bool {
        !matches!(self, Self::Workers | Self::Cluster | Self::Stats)
    }

    fn message(&self, batch: &Batch) -> Option<LiveChange> {
        let found: Vec<&Change> = batch.changes.iter().filter(|change| self.admits(change)).collect();
        if found.is_empty() && !(batch.is_partial && self.is_touched_by_all()) {
            return None;
        }
        let names_things = matches!(self, Self::Runs | Self::Jobs | Self::Run(_) | Self::Flows);
        // What happens to a task is no news of the run itself: who listens looks at its tasks.
        let own = |change: &&Change| !matches!(self, Self::Run(id) if change.id.as_ref() != Some(id));
        let is_whole = names_things && !batch.is_partial && found.len() <= ITEMS_MAX && found.iter().all(own);
        let items = found.iter().filter(|_| is_whole).filter_map(|change| item(change));
        let items: Vec<LiveItem> = items.collect();
        let count = u32::try_from(found.len()).ok().filter(|_| !batch.is_partial);
        Some(match <[LiveItem; 1]>::try_from(items) {
            Ok([LiveItem { id, patch }]) => {
                LiveChange { seq: batch.seq, topic: self.name(), id: Some(id), patch, count, items: Vec::new() }
            }
            Err(items) => LiveChange { seq: batch.seq, topic: self.name(), id: self.id(), patch: None, count, items },
        })
    }

    fn id(&self) -> Option<String> {
        match self {
            Self::Run(id) | Self::Job(id) | Self::Flow(id) => Some(id.clone()),
            _ => None,
        }
    }
}

/// Letters of a run's id that say its time.
const TIME_LETTERS: usize = 13;

/// Whether a change is of a task or shard of a run. Runs that were asked for in the same millisecond may pass for one.
fn is_part(change: &Change, run: &str) -> bool {
    let (Some(id), Some(job)) = (&change.id, change.job_id) else { return false };
    if id.get(..TIME_LETTERS) != run.get(..TIME_LETTERS) {
        return false;
    }
    let (Ok(id), Ok(run)) = (id.parse::<RunId>(), run.parse::<RunId>()) else { return false };
    let (least, greatest) = run.shard_bounds(job);
    (least..=greatest).contains(&id)
}

fn item(change: &Change) -> Option<LiveItem> {
    let id = change.id.clone()?;
    let patch = change.state.as_ref().map(|state| {
        let (namespace, job) = change.job.as_deref().and_then(|job| job.split_once('/')).unzip();
        serde_json::json!({"state": state, "namespace": namespace, "job": job})
    });
    Some(LiveItem { id, patch })
}

/// What a stream says of a batch: one message for each topic at most.
pub(crate) fn messages(topics: &[Topic], batch: &Batch) -> Vec<LiveChange> {
    topics.iter().filter_map(|topic| topic.message(batch)).collect()
}

#[cfg(test)]
mod tests {
    use mainspring_core::{JobId, RunSource, Timestamp};
    use serde_json::json;

    use super::*;

    fn change(kind: Kind, id: &str, job: &str) -> Change {
        let state = (kind == Kind::Run).then(|| "running".to_owned());
        Change { kind, id: Some(id.into()), job: Some(job.into()), job_id: Some(JobId(7)), state }
    }

    fn said(topics: &str, batch: &Batch) -> serde_json::Value {
        serde_json::to_value(messages(&parse(topics).unwrap(), batch)).unwrap()
    }

    #[test]
    fn topics_are_what_they_say() {
        let names = "runs,jobs,queues,workers,cluster,stats,flows,run:0198,job:a/b.c,flow:a/b";
        let read: Vec<_> = parse(names).unwrap().iter().map(Topic::name).collect();
        assert_eq!(read.join(","), names);
        assert_eq!(parse("runs, runs,").unwrap(), [Topic::Runs]);
        let many = (0..101).map(|n| format!("run:{n}")).collect::<Vec<_>>().join(",");
        for bad in ["", ",", "run", "run:", "job:a", "job:a/b/c", "everything", "run:a/b", &many] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn one_change_is_told_whole_and_many_as_one_message() {
        let one = Batch { seq: 7, changes: vec![change(Kind::Run, "r1", "ns/a")], is_partial: false };
        let patch = json!({"state": "running", "namespace": "ns", "job": "a"});
        assert_eq!(
            said("runs,run:r1,run:r2,job:ns/a,job:ns/b,jobs,queues", &one),
            json!([
                {"seq": 7, "topic": "runs", "id": "r1", "patch": patch, "count": 1},
                {"seq": 7, "topic": "run:r1", "id": "r1", "patch": patch, "count": 1},
                {"seq": 7, "topic": "job:ns/a", "id": "ns/a", "count": 1},
                {"seq": 7, "topic": "queues", "count": 1},
            ])
        );
        let runs = |count: usize| (0..count).map(|n| change(Kind::Run, &n.to_string(), "ns/a")).collect();
        let two = said("runs", &Batch { seq: 8, changes: runs(2), is_partial: false });
        assert_eq!((two[0]["items"].as_array().unwrap().len(), two.as_array().unwrap().len()), (2, 1));
        let many = Batch { seq: 9, changes: runs(ITEMS_MAX + 1), is_partial: false };
        assert_eq!(said("runs", &many), json!([{"seq": 9, "topic": "runs", "count": ITEMS_MAX + 1}]));
    }

    #[test]
    fn a_run_is_told_that_its_tasks_have_changed() {
        let at = Timestamp::from_millis(1_767_225_600_000);
        let run = RunId::new(at, RunSource::Asked(JobId(7), 1));
        let other = RunId::new(at + 1, RunSource::Asked(JobId(7), 1)).shard(JobId(7), 0);
        let task = |id: RunId| change(Kind::Run, &id.to_string(), "ns/a");
        let changes = vec![task(run.shard(JobId(7), 0)), task(run.shard(JobId(7), 9)), task(other)];
        let told = said(&format!("run:{run}"), &Batch { seq: 3, changes, is_partial: false });
        assert_eq!(told, json!([{"seq": 3, "topic": format!("run:{run}"), "id": run.to_string(), "count": 2}]));
    }

    #[test]
    fn a_flow_is_told_to_its_own_topic_and_to_that_of_all() {
        let flow = Change { kind: Kind::Flow, id: Some("ns/a".into()), job: None, job_id: None, state: None };
        let batch = Batch { seq: 2, changes: vec![flow], is_partial: false };
        assert_eq!(
            said("flows,flow:ns/a,flow:ns/b,jobs,job:ns/a", &batch),
            json!([
                {"seq": 2, "topic": "flows", "id": "ns/a", "count": 1},
                {"seq": 2, "topic": "flow:ns/a", "id": "ns/a", "count": 1},
            ])
        );
    }

    #[test]
    fn too_much_is_told_to_all_that_it_may_concern() {
        let partial = Batch { seq: 1, changes: vec![], is_partial: true };
        assert_eq!(
            said("runs,run:r,workers", &partial),
            json!([{"seq": 1, "topic": "runs"}, {"seq": 1, "topic": "run:r", "id": "r"}])
        );
    }
}
