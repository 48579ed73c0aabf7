//! Who could execute the next run of a job, and what keeps the others from it. Pure: what is known comes in.

use mainspring_api::{Fit, MatchCode, MatchReason, NodeState, Taker, TakerKind};
use mainspring_core::batch::Queues;
use mainspring_core::job::Job;
use mainspring_core::router::HEARD_MS;
use mainspring_schedule::Timestamp;
use mainspring_store::WorkerRow;

/// What is known of the slots of the node that answers.
#[derive(Clone, Debug)]
pub(crate) struct Here {
    pub(crate) queues: Queues,
    pub(crate) slots: u32,
    pub(crate) used: u32,
    pub(crate) draining: bool,
    /// How many of its slots runs of the job may take, if not all.
    pub(crate) slow_max: Option<u32>,
}

/// Says whether a server could execute a run. Of the others, the node that answers knows little.
pub(crate) fn node(job: &Job, node: &mainspring_api::Node, here: &Here) -> Taker {
    let mut found = Reasons::default();
    if !job.routing.is_none() {
        found.no(MatchCode::WorkersOnly, "the job is routed: its runs go to workers alone".to_owned());
    } else if !node.answering {
        let message = "its queues and slots are known to itself alone: ask it".to_owned();
        found.add(Fit::Unknown, MatchCode::AskIt, message);
    } else {
        if !here.queues.serves(&job.queue) {
            let message = format!("it does not take runs from the queue {}", job.queue);
            found.no(MatchCode::OtherQueue, message);
        }
        if here.draining || node.state == NodeState::Draining && here.slots == 0 {
            found.later(MatchCode::Draining, "it is shutting down, and starts no runs".to_owned());
        }
        found.slots(here.used, here.slots, here.slow_max);
    }
    let (slots, running) = if node.answering { (Some(here.slots), Some(here.used)) } else { (None, None) };
    found.taker(TakerKind::Node, &node.id, &node.name, (slots, running), Some(node.version.clone()))
}

/// Says whether a worker could execute a run. `slow_max`: how many of its slots runs of the job may take, if not all.
pub(crate) fn worker(job: &Job, row: &WorkerRow, slow_max: Option<u32>, now: Timestamp) -> Taker {
    let mut found = Reasons::default();
    let info = &row.info;
    if !Queues::named(info.queues.iter().map(String::as_str)).serves(&job.queue) {
        let served = info.queues.join(", ");
        found.no(MatchCode::OtherQueue, format!("it takes runs from {served}, and not from {}", job.queue));
    }
    if !job.routing.fits(&info.labels) {
        let missing = job.routing.workers.iter().filter(|(name, value)| info.labels.get(*name) != Some(value));
        let asked: Vec<String> = missing.map(|(name, value)| format!("{name}={value}")).collect();
        found.no(MatchCode::LabelsMissing, format!("the job asks for {}, which it has not", asked.join(", ")));
    }
    let silent_ms = now.since(row.heard_at);
    if silent_ms > HEARD_MS {
        found.later(MatchCode::Silent, format!("it was heard {} s ago, and not since", silent_ms / 1_000));
    }
    if row.draining {
        found.later(MatchCode::Draining, "it drains: it is given nothing new".to_owned());
    }
    found.slots(row.running, info.slots, slow_max);
    let slots = (Some(info.slots), Some(row.running));
    found.taker(TakerKind::Worker, &info.id.to_string(), &info.name, slots, info.version.clone())
}

#[derive(Default)]
struct Reasons(Vec<(Fit, MatchReason)>);

impl Reasons {
    fn add(&mut self, fit: Fit, code: MatchCode, message: String) {
        self.0.push((fit, MatchReason { code, message }));
    }

    fn no(&mut self, code: MatchCode, message: String) {
        self.add(Fit::No, code, message);
    }

    fn later(&mut self, code: MatchCode, message: String) {
        self.add(Fit::Later, code, message);
    }

    /// Whether a slot is free for a run of the job.
    fn slots(&mut self, used: u32, slots: u32, slow_max: Option<u32>) {
        if used >= slots {
            self.later(MatchCode::Full, format!("{used} of {slots} slots are taken"));
        } else if slow_max.is_some_and(|max| used >= max) {
            let message = format!(
                "{used} of {slots} slots are taken, and the others are kept for jobs that are known to be short"
            );
            self.later(MatchCode::SlowShare, message);
        }
    }

    fn taker(
        self,
        kind: TakerKind,
        id: &str,
        name: &str,
        (slots, running): (Option<u32>, Option<u32>),
        version: Option<String>,
    ) -> Taker {
        let fits = self.0.iter().map(|(fit, _)| *fit);
        let fit = if self.0.iter().any(|(fit, _)| *fit == Fit::No) { Fit::No } else { fits.max().unwrap_or(Fit::Now) };
        let reasons = self.0.into_iter().map(|(_, reason)| reason).collect();
        Taker { kind, id: id.to_owned(), name: name.to_owned(), fit, reasons, slots, running, version }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use mainspring_core::Incarnation;
    use mainspring_core::job::{JobKey, Task};
    use mainspring_core::routing::Strategy;
    use mainspring_store::WorkerInfo;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_767_225_600_000);

    fn job(labels: &[(&str, &str)]) -> Job {
        let mut job = Job::new(JobKey::new("default", "a"), Task::Noop);
        job.queue = "mail".to_owned();
        job.routing.workers = labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        job
    }

    fn row(queues: &[&str], running: u32) -> WorkerRow {
        let info = WorkerInfo {
            id: Incarnation(7),
            name: "w".to_owned(),
            queues: queues.iter().map(|queue| (*queue).to_owned()).collect(),
            labels: BTreeMap::from([("zone".to_owned(), "north".to_owned())]),
            place: None,
            slots: 4,
            version: None,
            token: None,
            node: Incarnation(1),
            joined_at: NOW,
        };
        WorkerRow { info, heard_at: NOW, running, draining: false, clock_offset_ms: None }
    }

    fn told(taker: &Taker) -> (Fit, Vec<MatchCode>) {
        (taker.fit, taker.reasons.iter().map(|reason| reason.code).collect())
    }

    #[test]
    fn worker_is_told_every_reason_and_the_worst_one_counts() {
        let plain = job(&[]);
        let south = job(&[("zone", "south"), ("gpu", "yes")]);
        let (mail, other) = (row(&["bulk", "mail"], 0), row(&["bulk"], 4));
        assert_eq!(told(&worker(&plain, &mail, None, NOW)), (Fit::Now, vec![]));
        assert_eq!(told(&worker(&job(&[("zone", "north")]), &mail, None, NOW)), (Fit::Now, vec![]));
        let both = worker(&plain, &other, None, NOW);
        assert_eq!(told(&both), (Fit::No, vec![MatchCode::OtherQueue, MatchCode::Full]));
        assert_eq!(both.reasons[0].message, "it takes runs from bulk, and not from mail");
        let labels = worker(&south, &mail, None, NOW);
        assert_eq!(told(&labels), (Fit::No, vec![MatchCode::LabelsMissing]));
        assert_eq!(labels.reasons[0].message, "the job asks for gpu=yes, zone=south, which it has not");
        assert_eq!(told(&worker(&plain, &mail, None, NOW + HEARD_MS + 1)), (Fit::Later, vec![MatchCode::Silent]));
        assert_eq!(told(&worker(&plain, &row(&["mail"], 3), Some(3), NOW)), (Fit::Later, vec![MatchCode::SlowShare]));
        let draining = WorkerRow { draining: true, ..mail };
        assert_eq!(told(&worker(&plain, &draining, None, NOW)), (Fit::Later, vec![MatchCode::Draining]));
    }

    #[test]
    fn servers_take_what_is_not_routed_and_only_this_one_is_known() {
        let of = |answering| mainspring_api::Node {
            id: "1".to_owned(),
            name: "n1".to_owned(),
            address: None,
            version: "0.1.0".to_owned(),
            state: NodeState::Active,
            drain_asked: false,
            answering,
            shards: 0,
            silent_ms: 0,
            clock_offset_ms: None,
            answer_ms: None,
            claim_us: None,
            started_at: None,
            renewed_at: None,
            slots: None,
            slots_used: None,
            tzdata: None,
        };
        let here = Here { queues: Queues::All, slots: 8, used: 2, draining: false, slow_max: Some(6) };
        let plain = job(&[]);
        assert_eq!(told(&node(&plain, &of(true), &here)), (Fit::Now, vec![]));
        assert_eq!(told(&node(&plain, &of(false), &here)), (Fit::Unknown, vec![MatchCode::AskIt]));
        let elsewhere = Here { queues: Queues::named(["bulk"]), used: 8, draining: true, ..here.clone() };
        let reasons = vec![MatchCode::OtherQueue, MatchCode::Draining, MatchCode::Full];
        assert_eq!(told(&node(&plain, &of(true), &elsewhere)), (Fit::No, reasons));
        let mut routed = plain;
        routed.routing.strategy = Strategy::Round;
        for answering in [true, false] {
            assert_eq!(told(&node(&routed, &of(answering), &here)), (Fit::No, vec![MatchCode::WorkersOnly]));
        }
    }
}
