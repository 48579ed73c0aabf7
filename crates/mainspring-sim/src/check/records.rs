//! Fires, gaps and requests: I1–I6, I11, I13–I15.

use std::collections::BTreeMap;

use mainspring_core::batch::{GapOutcome, GapReason};
use mainspring_core::{Incarnation, RunId, TriggerId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::lateness::CALM_MS;
use super::timeline::{Timeline, Timelines};
use super::{Findings, Lateness, Violation};
use crate::history::{Correction, Fire, GapRow, History, Schedule, State, Time, Waiting, Witness};

/// How late something may be that is still on its way.
pub(crate) const ON_ITS_WAY_MS: i64 = 3_000;

/// How long a node may not know that a failover has been: until the server is back, and it has renewed.
const UNAWARE_MS: Time = 20_000;
/// How long what a failover has taken back may not be known: until the node is aware, and has checked its window.
const FOUND_MS: Time = UNAWARE_MS + 40_000;
/// How long a change may take until all nodes go by it, with no fault: it is looked for every 250 ms.
const HEARD_MS: i64 = 1_000;

/// What is recorded about the instants of each trigger, in order: what fired, with the time of its record, and what did not.
struct Records<'a>(BTreeMap<TriggerId, About<'a>>);

type About<'a> = (Vec<(Time, Time)>, Vec<&'a GapRow>);

impl<'a> Records<'a> {
    fn of(history: &'a History) -> Self {
        let mut records: BTreeMap<TriggerId, About<'_>> = BTreeMap::new();
        for fire in &history.fires {
            records.entry(fire.trigger).or_default().0.push((fire.instant, fire.at));
        }
        for gap in &history.gaps {
            records.entry(gap.trigger).or_default().1.push(gap);
        }
        records.values_mut().for_each(|(fires, _)| fires.sort_unstable());
        Self(records)
    }

    /// The last instant that there was a row about at a time.
    fn last(&self, trigger: TriggerId, by: Time) -> Option<Time> {
        let (fires, gaps) = self.0.get(&trigger)?;
        let fired = fires.iter().rev().find(|(_, at)| *at <= by).map(|(instant, _)| *instant);
        fired.max(gaps.iter().filter(|row| row.at <= by).map(|row| row.gap.last.as_millis()).max())
    }

    /// How many rows there are about an instant.
    fn about(&self, trigger: TriggerId, instant: Time) -> usize {
        let Some((fires, gaps)) = self.0.get(&trigger) else { return 0 };
        let first = fires.partition_point(|fire| fire.0 < instant);
        let fired = fires[first..].iter().take_while(|fire| fire.0 == instant).count();
        fired + gaps.iter().filter(|row| covers(row, instant)).count()
    }
}

fn covers(row: &GapRow, instant: Time) -> bool {
    (row.gap.first.as_millis()..=row.gap.last.as_millis()).contains(&instant)
}

/// The triggers of each job, in their order there.
fn triggers(history: &History) -> BTreeMap<(u32, usize), TriggerId> {
    history.triggers.iter().map(|(id, place)| (*place, *id)).collect()
}

/// The schedules with which a job certainly fired, each with its trigger's place, and from when to when.
fn certain<'a>(history: &'a History, timeline: Timeline<'a>) -> Vec<(usize, Schedule, Time, Time)> {
    let mut found = Vec::new();
    for span in timeline.certain(history.remains.at) {
        let State::Active(schedules) = span.state else { continue };
        for (place, schedule) in schedules.iter().enumerate() {
            if let Some(schedule) = schedule {
                found.push((place, *schedule, span.counts_from, span.to));
            }
        }
    }
    found
}

pub(super) fn no_loss(history: &History) -> Vec<Violation> {
    let mut findings = Findings::of("I1");
    let (records, lateness, triggers) = (Records::of(history), Lateness::of(history), triggers(history));
    let timelines = Timelines::of(history);
    for (job, timeline) in timelines.all(history) {
        for (place, schedule, from, to) in certain(history, timeline) {
            let Some(trigger) = triggers.get(&(job, place)) else { continue };
            // Where a node's clock was ahead, more is recorded than has passed, and no change takes that back.
            let from = records.last(*trigger, from).map_or(from, |last| last.max(from));
            let waits = history.jobs.get(&job).is_some_and(|facts| facts.waits);
            // What waits for a run is judged when that ends: what comes after the last record may still be.
            let to = if waits { records.last(*trigger, to).unwrap_or(Time::MIN).min(to) } else { to };
            for instant in schedule.instants(from + 1, to) {
                if !waits && lateness.deadline(instant, HEARD_MS) > to {
                    break;
                }
                let count = records.about(*trigger, instant);
                findings.add_if(count != 1, instant, || {
                    format!("instant {instant} of trigger {trigger} of job {job} has {count} records; it was active from {from} to {to}")
                });
            }
        }
    }
    findings.found
}

pub(super) fn no_duplicate(history: &History) -> Vec<Violation> {
    let (mut duplicates, mut findings) = (Duplicates::default(), Findings::of("I2"));
    let timelines = Timelines::of(history);
    for fire in &history.fires {
        duplicates.fired(history, &timelines, fire, &mut findings);
    }
    findings.found
}

/// I2, fire by fire.
#[derive(Debug, Default)]
pub(super) struct Duplicates(FxHashSet<(TriggerId, Time)>);

impl Duplicates {
    pub(super) fn fired(&mut self, history: &History, timelines: &Timelines, fire: &Fire, findings: &mut Findings) {
        findings.add_if(!self.0.insert((fire.trigger, fire.instant)), fire.at, || {
            format!("instant {} of trigger {} fired twice", fire.instant, fire.trigger)
        });
        let Some((job, place)) = history.triggers.get(&fire.trigger) else {
            return findings.add(fire.at, || format!("trigger {} fired, and nobody made it", fire.trigger));
        };
        let is_due = |state: &State| match state {
            State::Active(schedules) => match schedules.get(*place) {
                Some(Some(schedule)) => schedule.has(fire.instant),
                Some(None) => true,
                None => false,
            },
            State::Paused | State::Absent => false,
        };
        let lawful = !history.jobs.contains_key(job) || timelines.get(history, *job).may_be(fire.at, is_due);
        findings.add_if(!lawful, fire.at, || {
            format!("trigger {} fired for {}, which no schedule of its has then", fire.trigger, fire.instant)
        });
    }
}

pub(super) fn lawful_misses(history: &History) -> Vec<Violation> {
    let mut findings = Findings::of("I3");
    history.gaps.iter().for_each(|row| missed(history, row, &mut findings));
    findings.found
}

/// I3, row by row.
pub(super) fn missed(history: &History, row: &GapRow, findings: &mut Findings) {
    let Some(facts) = history.triggers.get(&row.trigger).and_then(|(job, _)| history.jobs.get(job)) else { return };
    let first = row.gap.first.as_millis();
    // A fire that stands for what was missed takes the first instant, and leaves the others.
    let waited = row.decided - row.first_beside.map_or(first, |beside| beside.min(first));
    let lawful = match (row.gap.outcome, row.gap.reason) {
        (GapOutcome::Missed, GapReason::Misfire) => facts.misses && waited > history.misfire_threshold_ms,
        (GapOutcome::Missed, GapReason::CatchUpCap) => row.fires_beside >= history.catch_up_max,
        (GapOutcome::Missed, GapReason::Paused | GapReason::Changed | GapReason::Deleted) => row.fires_beside == 0,
        (GapOutcome::Suppressed, GapReason::Overlap) => facts.suppresses,
        _ => false,
    };
    findings.add_if(!lawful, row.at, || {
        format!("trigger {} has {:?}, decided {waited} ms after its first instant", row.trigger, row.gap)
    });
}

/// When the first attempt of each run began.
fn first_starts(history: &History) -> FxHashMap<RunId, Time> {
    let mut starts = FxHashMap::default();
    for witness in history.witnesses.iter().filter(|witness| witness.attempt == 1) {
        let start = starts.entry(witness.run).or_insert(witness.start);
        *start = witness.start.min(*start);
    }
    starts
}

pub(super) fn never_early(history: &History) -> Vec<Violation> {
    let (mut early, mut findings) = (Early::default(), Findings::of("I4"));
    history.fires.iter().for_each(|fire| early.fired(fire, &mut findings));
    history.witnesses.iter().for_each(|witness| early.began(history, witness, &mut findings));
    findings.found
}

/// I4, row by row: the instant of each run.
#[derive(Debug, Default)]
pub(super) struct Early(FxHashMap<RunId, Time>);

impl Early {
    pub(super) fn fired(&mut self, fire: &Fire, findings: &mut Findings) {
        self.0.insert(fire.run, fire.instant);
        findings.add_if(fire.decided < fire.due, fire.at, || {
            let early = fire.due - fire.decided;
            format!("trigger {} fired {early} ms early by the clock of its node", fire.trigger)
        });
    }

    pub(super) fn began(&self, history: &History, witness: &Witness, findings: &mut Findings) {
        let early = self.0.get(&witness.run).map_or(0, |instant| instant - witness.start);
        // Clocks of nodes are read to the millisecond.
        findings.add_if(early > history.clock_error_ms + 2, witness.start, || {
            format!("run {} began {early} ms before its instant", witness.run)
        });
    }
}

pub(super) fn in_time(history: &History) -> Vec<Violation> {
    let (mut findings, lateness) = (Findings::of("I5"), Lateness::of(history));
    for (fire, start) in undisturbed(history) {
        let deadline = lateness.deadline(fire.instant, CALM_MS);
        findings.add_if(start > deadline, start, || {
            let (late, more) = (start - fire.instant, start - deadline);
            format!("run {} of trigger {} began {late} ms late, {more} more than is explained", fire.run, fire.trigger)
        });
    }
    findings.found
}

/// The worst lateness of what no fault came near, in milliseconds.
pub fn worst_in_calm(history: &History) -> i64 {
    let lateness = Lateness::of(history);
    let in_calm = |instant| lateness.deadline(instant, CALM_MS) == instant + CALM_MS + history.clock_error_ms;
    let late = undisturbed(history).filter(|(fire, _)| in_calm(fire.instant)).map(|(fire, start)| start - fire.instant);
    late.max().unwrap_or(0)
}

/// Fires of jobs without a limit that nobody changed around them, and when their runs began.
fn undisturbed(history: &History) -> impl Iterator<Item = (&Fire, Time)> {
    let starts = first_starts(history);
    let mut changed: BTreeMap<u32, Vec<(Time, Time)>> = BTreeMap::new();
    for operation in &history.operations {
        let until = match operation.outcome {
            // What is taken back has held until then, and what it kept from happening is due from then on.
            crate::history::Outcome::Ok(at) if operation.taken_back => {
                let taken_back = history.failovers.iter().filter(|failover| **failover >= operation.invoked).min();
                taken_back.map_or(at, |failover| at.max(*failover)).max(operation.counts_from) + HEARD_MS
            }
            crate::history::Outcome::Ok(at) => at.max(operation.counts_from) + HEARD_MS,
            _ => history.remains.at,
        };
        changed.entry(operation.job).or_default().push((operation.invoked, until));
    }
    history.fires.iter().filter_map(move |fire| {
        let (job, _) = history.triggers.get(&fire.trigger)?;
        history.jobs.get(job).filter(|facts| facts.unlimited)?;
        let start = *starts.get(&fire.run)?;
        let around = |(from, to): &(Time, Time)| *from <= start && fire.instant <= *to;
        let moves = changed.get(job).is_some_and(|times| times.iter().any(around));
        (!moves).then_some((fire, start))
    })
}

pub(super) fn fencing(history: &History) -> Vec<Violation> {
    let (mut fences, mut findings) = (Fences::default(), Findings::of("I6"));
    history.fires.iter().for_each(|fire| fences.fired(history, fire, &mut findings));
    findings.found
}

/// I6, fire by fire.
#[derive(Debug, Default)]
pub(super) struct Fences {
    counted: FxHashMap<Incarnation, u64>,
    shards: FxHashMap<u8, Leases>,
    failovers: usize,
}

/// The leases under which a shard has fired: the last one with its number, and those before.
#[derive(Debug)]
struct Leases {
    last: u128,
    epoch: i64,
    over: Vec<u128>,
}

impl Fences {
    pub(super) fn fired(&mut self, history: &History, fire: &Fire, findings: &mut Findings) {
        // Until a node sees that another server answers, it goes by what that has lost. What keeps two from firing an instant
        // then is the trigger's row, as ever.
        let unaware = |failover: &Time| (*failover..failover + UNAWARE_MS).contains(&fire.at);
        if history.failovers.iter().any(unaware) {
            return;
        }
        let failovers = history.failovers.iter().filter(|at| **at <= fire.at).count();
        if std::mem::replace(&mut self.failovers, failovers) < failovers {
            self.shards.clear();
        }
        self.count(fire, findings);
        self.lease(fire, findings);
    }

    fn count(&mut self, fire: &Fire, findings: &mut Findings) {
        let by = fire.batch.incarnation;
        let before = self.counted.insert(by, fire.fence).unwrap_or_default();
        findings.add_if(fire.fence < before || fire.fence == 0, fire.at, || {
            format!("the fence of {by} went from {before} to {}", fire.fence)
        });
    }

    fn lease(&mut self, fire: &Fire, findings: &mut Findings) {
        let by = fire.batch.incarnation;
        let Some((owner, epoch, lease)) = fire.lease else {
            return findings.add(fire.at, || format!("{by} fired in shard {}, which has no owner", fire.shard));
        };
        findings.add_if(owner != by, fire.at, || format!("{by} fired in shard {}, which is {owner}'s", fire.shard));
        let leases = self.shards.entry(fire.shard).or_insert_with(|| Leases { last: lease, epoch, over: Vec::new() });
        findings.add_if(epoch < leases.epoch, fire.at, || format!("the epoch of shard {} went back", fire.shard));
        if lease != leases.last {
            findings.add_if(leases.over.contains(&lease), fire.at, || {
                format!("a lease of shard {} fired after another one had begun", fire.shard)
            });
            leases.over.push(std::mem::replace(&mut leases.last, lease));
        }
        leases.epoch = epoch;
    }
}

pub(super) fn progress(history: &History) -> Vec<Violation> {
    let mut findings = Findings::of("I11");
    let remains = &history.remains;
    let at = remains.at;
    for (trigger, due) in &remains.overdue {
        findings.add(at, || format!("trigger {trigger} is due since {} ms", at - due));
    }
    for waiting in &remains.queued {
        findings.add_if(is_overdue(history, waiting), at, || {
            format!("run {} waits since {} ms", waiting.run, at - waiting.since)
        });
    }
    for run in &remains.abandoned {
        findings.add(at, || format!("run {run} is recorded as running, and nobody executes it"));
    }
    for trigger in &remains.broken {
        findings.add(at, || format!("trigger {trigger} cannot be evaluated"));
    }
    findings.add_if(remains.unjoined > 0, at, || format!("{} workers have not joined", remains.unjoined));
    findings.add_if(remains.ownerless > 0, at, || format!("{} shards have no owner that knows", remains.ownerless));
    findings.add_if(remains.leftovers > 0, at, || format!("{} changes, sessions or locks are left", remains.leftovers));
    history.corrections.iter().for_each(|row| passed_over(history, row, &mut findings));
    findings.found.extend(super::runs::stopped(history));
    findings.found
}

/// Whether a run waits though somebody has had room for it since the faults were over. Moments in which workers ask for more are
/// none.
fn is_overdue(history: &History, waiting: &Waiting) -> bool {
    let mut until = waiting.since.max(history.calm_from) + ON_ITS_WAY_MS;
    for (from, to) in history.no_room.iter().filter(|_| waiting.goes_out) {
        if *from <= until {
            until = until.max(to + ON_ITS_WAY_MS);
        }
    }
    until < history.remains.at
}

/// I11, correction by correction: what changes is named to the node that fires it, and only what was named in an answer that nobody
/// has heard is left to the check of the window.
pub(super) fn passed_over(history: &History, row: &Correction, findings: &mut Findings) {
    // What a failover takes back is found so.
    let taken_back = |failover: &Time| (*failover..failover + FOUND_MS).contains(&row.at);
    let lawful = row.unheard || history.failovers.iter().any(taken_back);
    findings.add_if(!lawful, row.at, || format!("trigger {} was passed over, though no answer was lost", row.trigger));
}

pub(super) fn acknowledged(history: &History) -> Vec<Violation> {
    let mut findings = Findings::of("I13");
    let at = history.remains.at;
    let timelines = Timelines::of(history);
    for (job, timeline) in timelines.all(history) {
        let Some(state) = history.remains.jobs.get(&job) else { continue };
        findings.add_if(!timeline.may_be(at, |possible| possible == state), at, || {
            format!("job {job} is {state:?}, which no acknowledged request has made it")
        });
    }
    for asked in &history.asked {
        findings.add_if(asked.made.len() > 1 && !asked.taken_back, at, || {
            format!("the key {} made {} runs", asked.key, asked.made.len())
        });
        let lost = asked.acknowledged.is_some() && asked.made.is_empty() && !asked.taken_back;
        findings.add_if(lost, at, || format!("the run for key {} was acknowledged, and never made", asked.key));
    }
    findings.found
}

pub(super) fn pause(history: &History) -> Vec<Violation> {
    let (timelines, mut findings) = (Timelines::of(history), Findings::of("I14"));
    history.fires.iter().for_each(|fire| rested(history, &timelines, fire, &mut findings));
    findings.found
}

/// I14, fire by fire.
pub(super) fn rested(history: &History, timelines: &Timelines, fire: &Fire, findings: &mut Findings) {
    findings.add_if(!fire.lawful, fire.at, || {
        format!("trigger {} fired for {} under a version that was not active", fire.trigger, fire.instant)
    });
    let Some((job, _)) = history.triggers.get(&fire.trigger) else { return };
    let rests = history.jobs.contains_key(job) && timelines.get(history, *job).rests(fire.at);
    findings
        .add_if(rests, fire.at, || format!("trigger {} fired for {} while its job rested", fire.trigger, fire.instant));
}

pub(super) fn conservation(history: &History) -> Vec<Violation> {
    let mut findings = Findings::of("I15");
    let triggers = triggers(history);
    let timelines = Timelines::of(history);
    for (job, timeline) in timelines.all(history).filter(|(_, timeline)| timeline.len() == 1) {
        for (place, schedule, ..) in certain(history, timeline) {
            let tally = triggers.get(&(job, place)).and_then(|id| history.remains.tallies.get(id));
            let Some(tally) = tally else { continue };
            let (there, expected) =
                (tally.fired + tally.missed + tally.suppressed, schedule.count(tally.first, tally.last));
            findings.add_if(there != expected, history.remains.at, || {
                format!("trigger {place} of job {job} has {expected} instants, and {tally:?}")
            });
        }
    }
    findings.found
}
