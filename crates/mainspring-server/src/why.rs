//! "Why is this not running?", answered from what the store and this node know. Pure: what is read comes in, reasons go out.

use mainspring_api::{self as api, WhyCode, WhyReason};
use mainspring_core::RunId;
use mainspring_core::job::{GateRule, Overlap};
use mainspring_core::lane::Lane;
use mainspring_core::queue::{QueueRule, place};
use mainspring_core::routing::{Routing, Strategy};
use mainspring_core::run::{Origin, RunState};
use mainspring_schedule::Timestamp;
use mainspring_store::RunInfo;

use crate::pauses::Pause;
use crate::show::{instant, reason};

/// Runs that are named at most.
const NAMED_MAX: usize = 100;

/// What the answering node knows of its pool, and of workers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pool {
    pub(crate) slots: u32,
    pub(crate) used: u32,
    pub(crate) draining: bool,
    /// Whether it takes runs from the queue in question.
    pub(crate) serves: bool,
    /// Workers of other machines that do.
    pub(crate) workers: u32,
    /// How many of these have a free slot.
    pub(crate) free_workers: u32,
    /// Workers that would, but drain.
    pub(crate) draining_workers: u32,
    /// What is known of the job, if all slots that are free are kept for short ones: nothing, or that it is slow.
    pub(crate) kept_from: Option<Option<Lane>>,
}

/// What is set for a queue, and what of it is executed.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueueUse {
    pub(crate) rule: QueueRule,
    /// How many of its runs are executed, where that is limited.
    pub(crate) running: u64,
    /// Some of these.
    pub(crate) holders: Vec<RunId>,
}

/// A label of which as many runs are executed as may be.
#[derive(Clone, Debug)]
pub(crate) struct FullLabel {
    pub(crate) label: String,
    pub(crate) max_running: u32,
    /// Some of the runs.
    pub(crate) holders: Vec<RunId>,
}

/// What stands between a run and its start.
pub(crate) struct RunFacts<'a> {
    pub(crate) run: &'a RunInfo,
    /// The limit that the job has now.
    pub(crate) limit: Option<GateRule>,
    /// Unfinished runs of the job, this one included.
    pub(crate) unfinished: &'a [RunInfo],
    /// Queued runs of the same queue, in any order.
    pub(crate) queued: &'a [RunInfo],
    pub(crate) pool: Pool,
    pub(crate) queue: QueueUse,
    /// Who has paused it, and why.
    pub(crate) queue_pause: Option<Pause>,
    /// The labels of its job that are full.
    pub(crate) labels: &'a [FullLabel],
    /// Which workers may have it.
    pub(crate) routing: &'a Routing,
    pub(crate) now: Timestamp,
}

/// What started a run that comes after another one.
pub(crate) fn cause(run: &RunInfo, cause: Option<&RunInfo>) -> Option<WhyReason> {
    let id = run.cause?;
    let message = match cause {
        Some(cause) => format!("it was started by the end of run {id} of {}, which {}", cause.key.name, cause.state),
        None => format!("it was started by the end of run {id}, which is not kept any more"),
    };
    Some(WhyReason { runs: vec![id.to_string()], ..WhyReason::new(WhyCode::Cause, message) })
}

/// What started a run that a task of a workflow waits for.
pub(crate) fn caller(run: &RunInfo) -> Option<WhyReason> {
    let caller = run.caller.as_ref()?;
    let message = format!("it was started by task {} of run {}", caller.task, caller.run);
    Some(WhyReason { runs: vec![caller.run.to_string()], ..WhyReason::new(WhyCode::Cause, message) })
}

/// Why a run is where it is.
pub(crate) fn run(facts: &RunFacts<'_>) -> Vec<WhyReason> {
    let mut reasons = where_it_is(facts);
    if let (Some(at), Some(last)) = (facts.run.expires_at, reasons.last_mut())
        && facts.run.state != RunState::Running
    {
        last.message.push_str(&format!("; it ends by itself if it has not started by {at}"));
    }
    reasons
}

fn where_it_is(facts: &RunFacts<'_>) -> Vec<WhyReason> {
    let run = facts.run;
    match run.state {
        RunState::Running => running(run),
        RunState::Scheduled => vec![not_before(run)],
        RunState::Held => vec![held(facts)],
        RunState::Queued => queued(facts),
        RunState::Waiting => vec![waiting(facts)],
        state => vec![WhyReason::new(WhyCode::Final, ended(state, run))],
    }
}

fn waiting(facts: &RunFacts<'_>) -> WhyReason {
    let shards: Vec<&RunInfo> = facts.unfinished.iter().filter(|run| run.parent == Some(facts.run.id)).collect();
    let message = match shards.len() {
        0 => "what it waits for is unfinished".to_owned(),
        1 => "it ends with its shards, of which one is unfinished".to_owned(),
        count => format!("it ends with its shards, of which {count} are unfinished"),
    };
    WhyReason { runs: named(shards), ..WhyReason::new(WhyCode::AwaitsRun, message) }
}

fn running(run: &RunInfo) -> Vec<WhyReason> {
    let since = run.claimed_at.map_or_else(String::new, |at| format!(" since {at}"));
    let running = WhyReason::new(WhyCode::Running, format!("attempt {} runs{since}", run.attempt));
    let asked = run.cancel_requested_at.map(|at| asked_to_end(run, at));
    [Some(running), asked].into_iter().flatten().collect()
}

pub(crate) fn asked_to_end(run: &RunInfo, at: Timestamp) -> WhyReason {
    let why = run.reason.as_ref().map_or_else(String::new, |why| format!(", because: {why}"));
    let message = format!("its end was asked for at {at}{why}; it is final when its processes are gone");
    WhyReason::new(WhyCode::CancelRequested, message)
}

/// What the run of a task waits for that does nothing but wait.
pub(crate) fn hold(run: &RunInfo) -> WhyReason {
    match run.expires_at {
        Some(until) => {
            let reason = WhyReason::new(WhyCode::NotBefore, format!("it waits for {until}"));
            WhyReason { until: Some(instant(until)), ..reason }
        }
        None => WhyReason::new(WhyCode::AwaitsApproval, "it waits for an approval"),
    }
}

/// How far a workflow run is that has left the limit of its job behind, and which runs repeat each other.
pub(crate) fn workflow(run: &RunInfo, counts: &api::TaskCounts, rerun_as: Option<RunId>) -> WhyReason {
    let mut reason = how_far(run, counts);
    if let Some(of) = run.rerun_of {
        reason.message.push_str(&format!("; it is a rerun of run {of}"));
    }
    if let Some(again) = rerun_as {
        reason.message.push_str(&format!("; it was rerun as run {again}"));
    }
    reason
}

fn how_far(run: &RunInfo, counts: &api::TaskCounts) -> WhyReason {
    if run.state == RunState::Queued {
        return WhyReason::new(WhyCode::AboutToStart, "it begins once the node that owns its job looks at it");
    }
    if run.state.is_final() {
        return WhyReason::new(WhyCode::Final, ended(run.state, run));
    }
    WhyReason::new(WhyCode::Running, format!("it has {counts}"))
}

fn not_before(run: &RunInfo) -> WhyReason {
    let until = run.not_before.unwrap_or(run.due_at);
    let why = match run.attempt {
        0 => format!("it does not start before {until}"),
        attempt => format!("attempt {attempt} failed; the next one does not start before {until}"),
    };
    WhyReason { until: Some(instant(until)), ..WhyReason::new(WhyCode::NotBefore, why) }
}

/// Whether a run counts in the limit of its job. Backfills have limits of their own.
fn counts(run: &RunInfo) -> bool {
    run.origin != Origin::Backfill
}

fn held(facts: &RunFacts<'_>) -> WhyReason {
    let holders: Vec<&RunInfo> = facts
        .unfinished
        .iter()
        .filter(|run| run.state != RunState::Held && counts(run) && run.parent.is_none())
        .collect();
    let before =
        facts.unfinished.iter().filter(|run| run.state == RunState::Held && goes_first(run, facts.run)).count();
    let limit = facts.limit.map_or_else(String::new, |rule| {
        format!("overlap {} allows {} unfinished at a time, and ", rule.overlap, runs(rule.max_active as usize))
    });
    let mut message = format!("{limit}{} unfinished", are(holders.len()));
    if before > 0 {
        message.push_str(&format!("; {} held, to start before it", are(before)));
    }
    let ending = holders.iter().filter(|run| run.cancel_requested_at.is_some()).count();
    if ending > 0 {
        message.push_str(&format!("; the end of {} was asked for", runs(ending)));
    }
    WhyReason { runs: named(holders), ..WhyReason::new(WhyCode::JobLimit, message) }
}

fn queued(facts: &RunFacts<'_>) -> Vec<WhyReason> {
    let before: Vec<&RunInfo> = facts.queued.iter().filter(|run| leaves_first(run, facts.run)).collect();
    let mut reasons = Vec::new();
    if facts.pool.draining {
        reasons.push(WhyReason::new(WhyCode::Draining, "the server that answers is shutting down, and starts no runs"));
    }
    reasons.extend(at_limit(&facts.queue, facts.queue_pause.as_ref(), &facts.run.queue));
    reasons.extend(full(facts.labels));
    if facts.routing.is_none() {
        reasons.extend(no_slot(facts.pool, &facts.run.queue));
        reasons.extend(slow_share(facts.pool));
    } else {
        reasons.extend(no_fitting_worker(facts));
    }
    if !before.is_empty() {
        let message = format!(
            "{} queued in {}, to start before it: of higher priority, or due before",
            are(before.len()),
            facts.run.queue
        );
        reasons.push(WhyReason { runs: named(before), ..WhyReason::new(WhyCode::QueueOrder, message) });
    }
    if reasons.is_empty() {
        let waited = facts.now.since(facts.run.not_before.unwrap_or(facts.run.created_at)).max(0);
        let message = format!("nothing is in its way; it has waited for {waited} ms");
        reasons.push(WhyReason::new(WhyCode::AboutToStart, message));
    }
    reasons
}

/// Labels that keep the runs of a job back.
pub(crate) fn full(labels: &[FullLabel]) -> impl Iterator<Item = WhyReason> {
    labels.iter().map(|FullLabel { label, max_running, holders }| {
        let message = format!(
            "{} of jobs and tasks with the label {label} are executed, and no more may be at a time",
            runs(*max_running as usize)
        );
        let reason = WhyReason { runs: ids(holders), ..WhyReason::new(WhyCode::LabelLimit, message) };
        reason.hint(format!("mainspring label set {label} --max-running N"))
    })
}

/// What is set for a queue that keeps its runs back.
pub(crate) fn at_limit(of: &QueueUse, pause: Option<&Pause>, queue: &str) -> Option<WhyReason> {
    let QueueUse { rule, running, holders } = of;
    if rule.paused {
        let hint = format!("mainspring queue resume {queue}");
        let message = format!("the queue {queue} is paused{}", pause.map_or_else(String::new, Pause::told));
        return Some(WhyReason::new(WhyCode::QueuePaused, message).hint(hint));
    }
    let full = rule.max_running.filter(|max| *running >= u64::from(*max));
    let holders = full.map_or_else(Vec::new, |_| ids(holders));
    let full = full.map(|max| format!("{max} runs of the queue {queue} are executed, and no more may be at a time"));
    let slow = rule.rate.map(|rate| format!("{} runs may leave the queue {queue} in {} ms", rate.count, rate.per_ms));
    let message = full.or(slow)?;
    Some(
        WhyReason { runs: holders, ..WhyReason::new(WhyCode::QueueLimit, message) }
            .hint(format!("mainspring queue set {queue} --max-running N --rate N/DURATION")),
    )
}

/// Why nobody has a slot for a run of a queue.
fn no_slot(pool: Pool, queue: &str) -> Option<WhyReason> {
    let Pool { slots, used, serves, workers, free_workers, draining_workers, .. } = pool;
    if free_workers > 0 || (serves && used < slots) {
        return None;
    }
    if workers == 0 && (!serves || slots == 0) && draining_workers > 0 {
        return Some(only_draining(queue, ""));
    }
    if workers == 0 && (!serves || slots == 0) {
        let message = format!("nobody takes runs from the queue {queue}: neither the node that answers nor a worker");
        let hint = format!("start a worker: mainspring worker --queues {queue}, or a server with --queues {queue}");
        return Some(WhyReason::new(WhyCode::NoWorker, message).hint(hint));
    }
    let whose = match (serves, workers) {
        (true, 0) => format!("all {slots} slots of the node that answers are taken"),
        (true, _) => format!("all slots of the node that answers and of {workers} workers are taken"),
        (false, 1) => format!("all slots of the worker of the queue {queue} are taken"),
        (false, _) => format!("all slots of the {workers} workers of the queue {queue} are taken"),
    };
    let hint = "more slots for a server or worker: --slots; what runs: mainspring run list --state running";
    Some(WhyReason::new(WhyCode::NoSlot, whose).hint(hint))
}

/// That each worker that could have a run drains.
fn only_draining(queue: &str, with: &str) -> WhyReason {
    let message = format!("all workers of the queue {queue}{with} drain: they are given nothing new");
    let hint = "which: mainspring worker list; to let one take runs again: mainspring worker undrain WORKER";
    WhyReason::new(WhyCode::NoWorker, message).hint(hint)
}

/// Why free slots are not for a run.
fn slow_share(pool: Pool) -> Option<WhyReason> {
    let job = match pool.kept_from? {
        Some(lane) => format!("its job is known to be {lane}"),
        None => "it is not known yet how long runs of its job take".to_owned(),
    };
    let message = format!("the slots that are free are kept for jobs that are known to be short, and {job}");
    let hint = "what keeps the others: mainspring run list --state running; a queue of its own for long runs, with workers of its own";
    Some(WhyReason::new(WhyCode::SlowShare, message).hint(hint))
}

/// Why no worker takes a run that is routed.
fn no_fitting_worker(facts: &RunFacts<'_>) -> Option<WhyReason> {
    let RunFacts { run, routing, pool, .. } = facts;
    let queue = &run.queue;
    let labels: String = routing.workers.iter().map(|(name, value)| format!(" --label {name}={value}")).collect();
    if pool.workers == 0 {
        let with = if labels.is_empty() { String::new() } else { " with the labels that the job names".to_owned() };
        if pool.draining_workers > 0 {
            return Some(only_draining(queue, &with));
        }
        let message = format!("its job is routed to workers, and no worker of the queue {queue}{with} is there");
        let hint = format!("start one: mainspring worker --queues {queue}{labels}");
        return Some(WhyReason::new(WhyCode::NoWorker, message).hint(hint));
    }
    let hint = "what runs: mainspring run list --state running; who is there: mainspring worker list";
    let slots = |message: String| Some(WhyReason::new(WhyCode::NoSlot, message).hint(hint));
    match (&run.worker, routing.strategy()) {
        (Some(worker), _) if pool.free_workers == 0 => slots(format!(
            "routing {} has picked the worker {worker}, all of whose slots are taken",
            routing.strategy()
        )),
        (None, Strategy::BusyOver) => {
            slots(format!("each of the {} workers that fit has a run of the job, or no free slot", pool.workers))
        }
        (None, Strategy::Any) if pool.free_workers == 0 => {
            slots(format!("all slots of the {} workers that fit are taken", pool.workers))
        }
        _ => None,
    }
}

/// The order in which held runs get a slot of their job.
fn goes_first(run: &RunInfo, than: &RunInfo) -> bool {
    let rank = |run: &RunInfo| (std::cmp::Reverse(run.priority), run.due_at, run.id);
    rank(run) < rank(than)
}

/// The order in which runs leave their queue.
fn leaves_first(run: &RunInfo, than: &RunInfo) -> bool {
    let rank = |run: &RunInfo| (place(run.priority, run.due_at), run.due_at, run.id);
    rank(run) < rank(than)
}

fn ended(state: RunState, run: &RunInfo) -> String {
    let at = run.ended_at.map_or_else(String::new, |at| format!(" at {at}"));
    let why = reason(run.reason.clone(), run.error.clone()).map_or_else(String::new, |why| format!(": {why}"));
    format!("it is over, {state}{at}{why}")
}

fn named<'a>(runs: impl IntoIterator<Item = &'a RunInfo>) -> Vec<String> {
    runs.into_iter().take(NAMED_MAX).map(|run| run.id.to_string()).collect()
}

fn ids(runs: &[RunId]) -> Vec<String> {
    runs.iter().take(NAMED_MAX).map(RunId::to_string).collect()
}

fn runs(count: usize) -> String {
    format!("{count} run{}", if count == 1 { "" } else { "s" })
}

/// Why a trigger does not fire now. `unfinished` are the unfinished runs of its job, `limit` the limit that it has.
pub(crate) fn trigger(
    it: &api::Trigger,
    job_pause: Option<&Pause>,
    limit: Option<GateRule>,
    unfinished: &[RunInfo],
    now: Timestamp,
) -> Vec<WhyReason> {
    let mut reasons = Vec::new();
    let unfinished: Vec<&RunInfo> = unfinished.iter().filter(|run| counts(run)).collect();
    let at_limit = |rule: GateRule| rule.overlap != Overlap::Allow && unfinished.len() >= rule.max_active as usize;
    if it.job_paused {
        reasons.push(job_paused(&it.job, job_pause));
    }
    if it.paused {
        let hint = format!("mainspring trigger resume {}/{}", it.job, it.name);
        let pause = Pause { at: it.paused_at, by: it.paused_by.clone(), reason: it.pause_reason.clone() };
        reasons
            .push(WhyReason::new(WhyCode::TriggerPaused, format!("the trigger is paused{}", pause.told())).hint(hint));
    }
    match it.state {
        api::TriggerState::Complete => {
            reasons.push(WhyReason::new(WhyCode::TriggerComplete, "its schedule has no further instant"));
        }
        api::TriggerState::Error => {
            let why = it.state_reason.clone().unwrap_or_else(|| "it cannot be evaluated".to_owned());
            let hint = "mend the job and apply it again";
            reasons.push(WhyReason::new(WhyCode::TriggerError, format!("it was put aside: {why}")).hint(hint));
        }
        _ => reasons.extend(waits(it, now)),
    }
    if let Some(rule) = limit.filter(|rule| at_limit(*rule)) {
        let message = format!(
            "the job has {} unfinished, and allows {}; its next fire follows overlap {}",
            runs(unfinished.len()),
            rule.max_active,
            rule.overlap
        );
        reasons.push(WhyReason { runs: named(unfinished), ..WhyReason::new(WhyCode::JobLimit, message) });
    }
    for reason in &mut reasons {
        reason.trigger = Some(it.name.clone()).filter(|_| reason.code != WhyCode::JobPaused);
    }
    reasons
}

fn waits(it: &api::Trigger, now: Timestamp) -> Option<WhyReason> {
    if let Some(run) = &it.awaiting_run {
        let message = "it fires again some time after the end of the run that it has started";
        return Some(WhyReason { runs: vec![run.clone()], ..WhyReason::new(WhyCode::AwaitsRun, message) });
    }
    if it.kind == api::TriggerKind::After {
        return Some(WhyReason::new(WhyCode::AwaitsJob, format!("it fires {}", it.explanation)));
    }
    let due = it.due_at?;
    let mut message = format!("its next instant is {due}");
    if let Some(last) = it.previous_fire_at.filter(|last| *last > instant(now)) {
        message.push_str(&format!(
            "; it has fired for {last} already, which is still to come: the clock was ahead then, or was set back since, and no instant fires twice"
        ));
    }
    let reason = WhyReason::new(WhyCode::NotDue, message);
    let reason = WhyReason { until: Some(due), ..reason };
    let is_ahead = it.previous_fire_at.is_some_and(|last| last > instant(now));
    Some(if is_ahead { reason.hint(format!("mainspring trigger reanchor {}/{}", it.job, it.name)) } else { reason })
}

/// Why a job does not run now.
pub(crate) fn job(
    it: &api::Job,
    triggers: &[api::Trigger],
    limit: Option<GateRule>,
    (unfinished, labels): (&[RunInfo], &[FullLabel]),
    now: Timestamp,
) -> Vec<WhyReason> {
    let started: Vec<&RunInfo> = unfinished.iter().filter(|run| run.state == RunState::Running).collect();
    let mut reasons = Vec::new();
    if !started.is_empty() {
        let message = format!("{} at work", are(started.len()));
        reasons.push(WhyReason { runs: named(started), ..WhyReason::new(WhyCode::Running, message) });
    }
    if it.paused {
        let pause = Pause { at: it.paused_at, by: it.paused_by.clone(), reason: it.pause_reason.clone() };
        reasons.push(job_paused(&it.name, Some(&pause)));
    }
    reasons.extend(full(labels));
    if triggers.is_empty() {
        let hint = format!("mainspring job run {}", it.name);
        reasons.push(WhyReason::new(WhyCode::NoTrigger, "it has no triggers, and runs when it is asked to").hint(hint));
    }
    let of_triggers = triggers.iter().flat_map(|it| trigger(it, None, limit, unfinished, now));
    reasons.extend(of_triggers.filter(|reason| reason.code != WhyCode::JobPaused));
    reasons
}

fn are(count: usize) -> String {
    format!("{} {}", runs(count), if count == 1 { "is" } else { "are" })
}

fn job_paused(job: &str, pause: Option<&Pause>) -> WhyReason {
    let told = pause.map_or_else(String::new, Pause::told);
    WhyReason::new(WhyCode::JobPaused, format!("the job is paused, and none of its triggers fires{told}"))
        .hint(format!("mainspring job resume {job}"))
}
