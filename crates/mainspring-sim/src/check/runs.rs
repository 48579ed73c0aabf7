//! Attempts and their work: I7–I10.

use mainspring_core::run::{AttemptOutcome, RunState};
use mainspring_core::{JobId, RunId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::lateness::Lateness;
use super::{Findings, Violation};
use crate::history::{Claim, History, Seen, Time, Told, Verdict, Witness};

/// How long a worker that was stopped may go on before it notices that its work was given away.
const LEASH_MS: i64 = 2_000;
/// How long the work goes on whose record a failover took back: its node may have slept meanwhile.
const FAILOVER_MS: i64 = 60_000;
/// How much a failover takes back.
const TAIL_MS: i64 = 6_000;
/// How long an end that is not recorded yet may be on its way when all is looked at.
const TOLD_MS: i64 = 3_000;

/// How long a worker is silent at least that gives up: a little is left for what is on its way.
const GIVE_UP_MS: i64 = 6_000;
/// How long it takes in calm until work has ended whose end was asked for: until a node hears of it, and then the worker, and its grace.
const STOP_MS: i64 = 6_000;

type Attempt = (RunId, u32);

pub(super) fn attempts(history: &History) -> Vec<Violation> {
    let (mut attempts, mut findings) = (Attempts::default(), Findings::of("I7"));
    history.witnesses.iter().for_each(|witness| attempts.began(history, witness));
    let (mut claims, mut verdicts): (Vec<&Claim>, Vec<&Verdict>) =
        (history.claims.iter().collect(), history.verdicts.iter().collect());
    claims.sort_by_key(|claim| claim.order);
    verdicts.sort_by_key(|verdict| verdict.order);
    let mut claims = claims.into_iter().peekable();
    for verdict in verdicts {
        while let Some(claim) = claims.next_if(|claim| claim.order < verdict.order) {
            attempts.claimed(history, claim, &mut findings);
        }
        attempts.ended(verdict, &mut findings);
    }
    claims.for_each(|claim| attempts.claimed(history, claim, &mut findings));
    findings.found
}

/// I7, row by row, in the order of transactions.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    tried: FxHashMap<RunId, Tried>,
    jobs: FxHashMap<RunId, u32>,
}

/// What was claimed and what ended of a run, each by its attempt.
#[derive(Debug, Default)]
struct Tried {
    claims: u32,
    opened: Vec<u32>,
    ended: Vec<u32>,
}

impl Attempts {
    /// Learns whose the run is.
    pub(super) fn began(&mut self, history: &History, witness: &Witness) {
        if let Some(job) = history.job_ids.get(&witness.job) {
            self.jobs.insert(witness.run, *job);
        }
    }

    pub(super) fn claimed(&mut self, history: &History, claim: &Claim, findings: &mut Findings) {
        let Claim { run, attempt, at, .. } = *claim;
        let tried = self.tried.entry(run).or_default();
        tried.claims += 1;
        let count = tried.claims;
        findings.add_if(attempt != count, at, || {
            format!("attempt {attempt} of run {run} was claimed as its number {count}")
        });
        let facts = self.jobs.get(&run).and_then(|job| history.jobs.get(job));
        findings.add_if(facts.is_some_and(|facts| count > facts.attempts_max), at, || {
            format!("run {run} was tried {count} times")
        });
        findings.add_if(attempt > 1 && !tried.ended.contains(&(attempt - 1)), at, || {
            format!("attempt {attempt} of run {run} was claimed while the one before was open")
        });
        tried.opened.push(attempt);
    }

    pub(super) fn ended(&mut self, verdict: &Verdict, findings: &mut Findings) {
        let Verdict { run, attempt, at, .. } = *verdict;
        let tried = self.tried.entry(run).or_default();
        findings.add_if(tried.ended.contains(&attempt), at, || {
            format!("attempt {attempt} of run {run} got a second verdict")
        });
        findings.add_if(!tried.opened.contains(&attempt), at, || {
            format!("attempt {attempt} of run {run} got a verdict, and nobody had claimed it")
        });
        tried.ended.push(attempt);
    }
}

/// Whether a failover lies between two times, or so shortly before the first that what it took back still goes on.
fn failed_over(history: &History, from: Time, to: Time) -> bool {
    history.failovers.iter().any(|at| (from - FAILOVER_MS..=to).contains(at))
}

pub(super) fn witness(history: &History) -> Vec<Violation> {
    let (mut work, mut findings) = (Work::default(), Findings::of("I8"));
    history.claims.iter().for_each(|claim| work.claimed(claim));
    (0..history.witnesses.len()).for_each(|index| work.began(history, index, &mut findings));
    history.verdicts.iter().for_each(|verdict| work.ended(history, verdict, &mut findings));
    findings.found.extend(untold(history));
    findings.found.extend(silent(history));
    findings.found
}

/// I8, row by row.
#[derive(Debug, Default)]
pub(super) struct Work {
    claimed: FxHashMap<Attempt, Time>,
    /// The last witness of each attempt.
    begun: FxHashMap<Attempt, usize>,
}

impl Work {
    pub(super) fn claimed(&mut self, claim: &Claim) {
        self.claimed.insert((claim.run, claim.attempt), claim.at);
    }

    pub(super) fn began(&mut self, history: &History, index: usize, findings: &mut Findings) {
        let Witness { run, attempt, start, .. } = history.witnesses[index];
        if let Some(before) = self.begun.insert((run, attempt), index) {
            let before = history.witnesses[before].start;
            findings.add_if(!failed_over(history, before, start), start, || {
                format!("attempt {attempt} of run {run} began twice")
            });
        }
        let claimed = self.claimed.get(&(run, attempt)).is_some_and(|at| *at <= start);
        findings.add_if(!claimed && !unclaimed(history, (run, attempt), start), start, || {
            format!("attempt {attempt} of run {run} began, and nobody had claimed it")
        });
    }

    pub(super) fn ended(&self, history: &History, verdict: &Verdict, findings: &mut Findings) {
        let Verdict { run, attempt, outcome, at, .. } = *verdict;
        let last = self.begun.get(&(run, attempt)).is_some_and(|index| history.witnesses[*index].whole);
        // After a failover there may be several.
        let is_done = |witness: &Witness| (witness.run, witness.attempt, witness.whole) == (run, attempt, true);
        let done = || last || history.witnesses.iter().any(is_done);
        findings.add_if(outcome == AttemptOutcome::Succeeded && !done(), at, || {
            format!("run {run} succeeded, and its work was not done")
        });
    }
}

/// Whether a failover may have taken the claim of work back that began then: its run is made again, and may be claimed anew.
fn taken_back(history: &History, start: Time) -> bool {
    history.failovers.last().is_some_and(|last| start <= last + FAILOVER_MS)
}

/// Whether an attempt that began then may be one whose claim a failover took back. Its node may have slept for long before.
fn unclaimed(history: &History, attempt: Attempt, start: Time) -> bool {
    taken_back(history, start) || history.lost_claims.contains(&attempt)
}

/// The rest of I8, when all is over: what ended is known. What was claimed anew after a failover gets a verdict, too.
pub(super) fn untold(history: &History) -> Vec<Violation> {
    let mut findings = Findings::of("I8");
    let told: FxHashSet<Attempt> = history.verdicts.iter().map(|verdict| (verdict.run, verdict.attempt)).collect();
    let claimed: FxHashSet<Attempt> = history.claims.iter().map(|claim| (claim.run, claim.attempt)).collect();
    let lost = |attempt: &Attempt| history.lost_claims.contains(attempt) && !claimed.contains(attempt);
    for witness in &history.witnesses {
        let Witness { run, attempt, start, end, .. } = *witness;
        let known = told.contains(&(run, attempt)) || end.is_none_or(|end| end + TOLD_MS > history.remains.at);
        findings.add_if(!known && !taken_back(history, start) && !lost(&(run, attempt)), start, || {
            format!("attempt {attempt} of run {run} ended, and nobody knows")
        });
    }
    findings.found
}

/// Also I8: a worker gives up only what it had reason to give up.
pub(super) fn silent(history: &History) -> Vec<Violation> {
    let mut findings = Findings::of("I8");
    for gave_up in &history.gave_up {
        let silent_ms = gave_up.at - gave_up.heard;
        findings.add_if(silent_ms < GIVE_UP_MS, gave_up.at, || {
            format!("machine {} gave its runs up, and was answered {silent_ms} ms before", gave_up.machine)
        });
    }
    findings.found
}

pub(super) fn no_overlap(history: &History) -> Vec<Violation> {
    let (mut overlaps, mut findings) = (Overlaps::default(), Findings::of("I9"));
    let mut order: Vec<usize> = (0..history.witnesses.len()).collect();
    order.sort_by_key(|index| (history.witnesses[*index].start, history.witnesses[*index].run));
    for index in order {
        overlaps.began(history, index);
        overlaps.look(history, history.remains.at, &mut findings);
    }
    findings.found
}

/// I9: the work of each job that is to run alone, and of each run, and pairs of it that go on together.
#[derive(Debug, Default)]
pub(super) struct Overlaps {
    // A job that is deleted and made again is another one: the runs of the first go on.
    going: FxHashMap<Alone, Vec<usize>>,
    together: Vec<Together>,
}

/// What is to go on once at a time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Alone {
    Job(JobId),
    /// One attempt of a run follows another.
    Run(RunId),
}

/// Two pieces of work that go on together, and until when that is excused.
#[derive(Debug)]
struct Together {
    work: [usize; 2],
    excused: Time,
}

impl Overlaps {
    pub(super) fn began(&mut self, history: &History, index: usize) {
        let witness = &history.witnesses[index];
        let facts = history.job_ids.get(&witness.job).and_then(|job| history.jobs.get(job));
        let is_exclusive = facts.is_some_and(|facts| facts.exclusive);
        let alone = if is_exclusive { Alone::Job(witness.job) } else { Alone::Run(witness.run) };
        let going = self.going.entry(alone).or_default();
        going.retain(|before| history.witnesses[*before].end.is_none_or(|end| end > witness.start));
        self.together.extend(going.iter().map(|before| Together { work: [*before, index], excused: Time::MIN }));
        going.push(index);
    }

    /// Whether nothing goes on together.
    pub(super) const fn is_empty(&self) -> bool {
        self.together.is_empty()
    }

    /// Looks at what goes on together, up to `now`.
    pub(super) fn look(&mut self, history: &History, now: Time, findings: &mut Findings) {
        self.together.retain_mut(|pair| {
            let work = pair.work.map(|index| &history.witnesses[index]);
            let [first, second] = work;
            let goes_on = first.end.is_none() && second.end.is_none();
            if goes_on && now <= pair.excused {
                return true;
            }
            let end_of = |witness: &Witness| witness.end.unwrap_or(now);
            let (from, to) = (second.start, end_of(first).min(end_of(second)));
            let (excused_ms, until) = excused(history, work, from, to);
            let both = to - from - excused_ms;
            findings.add_if(both > 0, from, || {
                format!("runs {} and {} of job {} went on together for {both} ms", first.run, second.run, second.job)
            });
            pair.excused = until;
            both <= 0 && goes_on
        });
    }
}

/// How much of a time one of two pieces of work stood still, or had just been woken, or was orphaned by a failover; and until
/// when the last of that lasts.
fn excused(history: &History, work: [&Witness; 2], from: Time, to: Time) -> (i64, Time) {
    let stopped = history.faults.iter().filter(|fault| {
        matches!(fault.kind, "pause" | "suspend" | "stall" | "worker pause")
            && work.iter().any(|witness| fault.node == Some(witness.node))
    });
    let pauses = stopped.map(|fault| (fault.from, fault.to + LEASH_MS));
    // Ids that were given out shortly before may be given out again.
    let failovers = history.failovers.iter().map(|at| (at - TAIL_MS, at + FAILOVER_MS));
    let mut excuses: Vec<(Time, Time)> = pauses.chain(failovers).collect();
    excuses.sort_unstable();
    let (mut sum, mut until, mut last) = (0, from, from);
    for (start, end) in excuses {
        if start <= to {
            last = last.max(end);
        }
        let (start, end) = (start.max(until), end.min(to));
        if end > start {
            sum += end - start;
            until = end;
        }
    }
    (sum, last)
}

pub(super) fn finality(history: &History) -> Vec<Violation> {
    let (mut last, mut findings) = (Finality::default(), Findings::of("I10"));
    history.seen.iter().for_each(|seen| last.seen(seen, &mut findings));
    findings.found.extend(kept_word(history));
    findings.found
}

/// The rest of I10, when all is over: what a worker has said of an attempt is its verdict. The exceptions are a worker that was taken
/// for dead before anybody heard that (whatever it has said and its disk remembers, it says again before it joins anew), and one whose
/// claim a failover took back: another worker may have been given the same attempt.
pub(super) fn kept_word(history: &History) -> Vec<Violation> {
    let mut findings = Findings::of("I10");
    let verdicts: FxHashMap<Attempt, &Verdict> =
        history.verdicts.iter().map(|verdict| ((verdict.run, verdict.attempt), verdict)).collect();
    let burials: FxHashMap<_, Time> = history.burials.iter().map(|burial| (burial.worker, burial.at)).collect();
    for told in &history.told {
        let Told { run, attempt, outcome, worker, machine, at } = *told;
        let Some(verdict) = verdicts.get(&(run, attempt)) else { continue };
        let joins = history.joined.iter().filter(|joined| joined.machine == machine && joined.at > at);
        let joins_at = joins.map(|joined| joined.at).min().unwrap_or(Time::MAX);
        let was_dead = burials.get(&worker).is_some_and(|buried| *buried <= verdict.at.min(joins_at));
        let holds = !was_dead && !unclaimed(history, (run, attempt), at);
        findings.add_if(verdict.outcome != outcome && holds, verdict.at, || {
            let recorded = verdict.outcome;
            format!(
                "attempt {attempt} of run {run} {outcome}, as its worker said at {at}, and is recorded as {recorded}"
            )
        });
    }
    findings.found
}

/// The part of I11 that asks about work: what is to end does.
pub(super) fn stopped(history: &History) -> Vec<Violation> {
    let mut findings = Findings::of("I11");
    let lateness = Lateness::of_all(history);
    let asked: FxHashMap<RunId, Time> = history.stopped.iter().rev().map(|stopped| (stopped.run, stopped.at)).collect();
    for witness in &history.witnesses {
        let Some(at) = asked.get(&witness.run) else { continue };
        let from = witness.start.max(*at);
        let until = witness.end.unwrap_or(history.remains.at);
        findings.add_if(until > lateness.deadline(from, STOP_MS) && !taken_back(history, from), from, || {
            format!("run {} was to end at {at}, and went on until {until}", witness.run)
        });
    }
    findings.found
}

/// I10, read by read: the last state of each run.
#[derive(Debug, Default)]
pub(super) struct Finality(FxHashMap<RunId, RunState>);

impl Finality {
    pub(super) fn seen(&mut self, seen: &Seen, findings: &mut Findings) {
        if seen.taken_back {
            return;
        }
        if let Some(before) = self.0.insert(seen.run, seen.state) {
            findings.add_if(before.is_final() && before != seen.state, seen.at, || {
                format!("run {} was {before}, and is {}", seen.run, seen.state)
            });
        }
    }
}
