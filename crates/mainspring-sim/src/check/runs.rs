//! Attempts and their work: I7–I10.

use std::collections::{BTreeMap, HashMap, HashSet};

use mainspring_core::run::{AttemptOutcome, RunState};
use mainspring_core::{JobId, RunId};

use super::{Findings, Violation};
use crate::history::{Claim, History, Time, Verdict, Witness};

/// How long a worker that was stopped may go on before it notices that its work was given away.
const LEASH_MS: i64 = 2_000;
/// How long the work goes on whose record a failover took back: its node may have slept meanwhile.
const FAILOVER_MS: i64 = 60_000;
/// How much a failover takes back.
const TAIL_MS: i64 = 6_000;
/// How long an end that is not recorded yet may be on its way when all is looked at.
const TOLD_MS: i64 = 3_000;

pub(super) fn attempts(history: &History) -> Vec<Violation> {
    let mut findings = Findings::of("I7");
    let mut runs: BTreeMap<RunId, (Vec<&Claim>, Vec<&Verdict>)> = BTreeMap::new();
    for claim in &history.claims {
        runs.entry(claim.run).or_default().0.push(claim);
    }
    for verdict in &history.verdicts {
        runs.entry(verdict.run).or_default().1.push(verdict);
    }
    let jobs: HashMap<RunId, u32> = history
        .witnesses
        .iter()
        .filter_map(|witness| Some((witness.run, *history.job_ids.get(&witness.job)?)))
        .collect();
    for (run, (claims, verdicts)) in runs {
        let most = jobs.get(&run).and_then(|job| history.jobs.get(job)).map(|facts| facts.attempts_max);
        for (count, claim) in (1_u32..).zip(&claims) {
            findings.add_if(claim.attempt != count, claim.at, || {
                format!("attempt {} of run {run} was claimed as its number {count}", claim.attempt)
            });
            findings.add_if(most.is_some_and(|most| count > most), claim.at, || {
                format!("run {run} was tried {count} times")
            });
            let over = |verdict: &&&Verdict| verdict.attempt + 1 == claim.attempt && verdict.order < claim.order;
            findings.add_if(claim.attempt > 1 && !verdicts.iter().any(|verdict| over(&verdict)), claim.at, || {
                format!("attempt {} of run {run} was claimed while the one before was open", claim.attempt)
            });
        }
        for (index, verdict) in verdicts.iter().enumerate() {
            let again = verdicts[..index].iter().any(|other| other.attempt == verdict.attempt);
            findings
                .add_if(again, verdict.at, || format!("attempt {} of run {run} got a second verdict", verdict.attempt));
            let opened = |claim: &&&Claim| claim.attempt == verdict.attempt && claim.order < verdict.order;
            findings.add_if(!claims.iter().any(|claim| opened(&claim)), verdict.at, || {
                format!("attempt {} of run {run} got a verdict, and nobody had claimed it", verdict.attempt)
            });
        }
    }
    findings.found
}

/// Whether a failover lies between two times, or so shortly before the first that what it took back still goes on.
fn failed_over(history: &History, from: Time, to: Time) -> bool {
    history.failovers.iter().any(|at| (from - FAILOVER_MS..=to).contains(at))
}

pub(super) fn witness(history: &History) -> Vec<Violation> {
    let mut findings = Findings::of("I8");
    let claims: HashMap<(RunId, u32), &Claim> =
        history.claims.iter().map(|claim| ((claim.run, claim.attempt), claim)).collect();
    let verdicts: HashMap<(RunId, u32), &Verdict> =
        history.verdicts.iter().map(|verdict| ((verdict.run, verdict.attempt), verdict)).collect();
    let mut begun: HashMap<(RunId, u32), &Witness> = HashMap::new();
    for witness in &history.witnesses {
        let (run, attempt, start) = (witness.run, witness.attempt, witness.start);
        let key = (run, attempt);
        if let Some(before) = begun.insert(key, witness) {
            findings.add_if(!failed_over(history, before.start, start), start, || {
                format!("attempt {attempt} of run {run} began twice")
            });
        }
        let claimed = claims.get(&key).is_some_and(|claim| claim.at <= start);
        // A run whose record a failover took back is made again, and may be claimed anew.
        let taken_back = history.failovers.last().is_some_and(|last| start <= last + FAILOVER_MS);
        findings.add_if(!claimed && !taken_back, start, || {
            format!("attempt {attempt} of run {run} began, and nobody had claimed it")
        });
        let told = verdicts.contains_key(&key) || witness.end.is_none_or(|end| end + TOLD_MS > history.remains.at);
        findings
            .add_if(!told && !taken_back, start, || format!("attempt {attempt} of run {run} ended, and nobody knows"));
    }
    let whole: HashSet<(RunId, u32)> = history
        .witnesses
        .iter()
        .filter(|witness| witness.whole)
        .map(|witness| (witness.run, witness.attempt))
        .collect();
    for verdict in history.verdicts.iter().filter(|verdict| verdict.outcome == AttemptOutcome::Succeeded) {
        let done = whole.contains(&(verdict.run, verdict.attempt));
        findings.add_if(!done, verdict.at, || format!("run {} succeeded, and its work was not done", verdict.run));
    }
    findings.found
}

pub(super) fn no_overlap(history: &History) -> Vec<Violation> {
    let mut findings = Findings::of("I9");
    // A job that is deleted and made again is another one: the runs of the first go on.
    let mut jobs: BTreeMap<JobId, Vec<&Witness>> = BTreeMap::new();
    for witness in &history.witnesses {
        let Some(job) = history.job_ids.get(&witness.job) else { continue };
        if history.jobs.get(job).is_some_and(|facts| facts.exclusive) {
            jobs.entry(witness.job).or_default().push(witness);
        }
    }
    let end_of = |witness: &Witness| witness.end.unwrap_or(history.remains.at);
    for (job, mut work) in jobs {
        work.sort_by_key(|witness| (witness.start, witness.run));
        let mut going: Vec<&Witness> = Vec::new();
        for witness in work {
            going.retain(|before| end_of(before) > witness.start);
            for before in &going {
                let (from, to) = (witness.start, end_of(before).min(end_of(witness)));
                let both = to - from - excused(history, [before, witness], from, to);
                findings.add_if(both > 0, witness.start, || {
                    format!("runs {} and {} of job {job} went on together for {both} ms", before.run, witness.run)
                });
            }
            going.push(witness);
        }
    }
    findings.found
}

/// How much of a time one of two pieces of work stood still, or had just been woken, or was orphaned by a failover.
fn excused(history: &History, work: [&Witness; 2], from: Time, to: Time) -> i64 {
    let stopped = history.faults.iter().filter(|fault| {
        matches!(fault.kind, "pause" | "suspend" | "stall")
            && work.iter().any(|witness| fault.node == Some(witness.node))
    });
    let pauses = stopped.map(|fault| (fault.from, fault.to + LEASH_MS));
    // Ids that were given out shortly before may be given out again.
    let failovers = history.failovers.iter().map(|at| (at - TAIL_MS, at + FAILOVER_MS));
    let mut excuses: Vec<(Time, Time)> = pauses.chain(failovers).collect();
    excuses.sort_unstable();
    let (mut sum, mut until) = (0, from);
    for (start, end) in excuses {
        let (start, end) = (start.max(until), end.min(to));
        if end > start {
            sum += end - start;
            until = end;
        }
    }
    sum
}

pub(super) fn finality(history: &History) -> Vec<Violation> {
    let mut findings = Findings::of("I10");
    let mut last: HashMap<RunId, RunState> = HashMap::new();
    for seen in history.seen.iter().filter(|seen| !seen.taken_back) {
        if let Some(before) = last.insert(seen.run, seen.state) {
            findings.add_if(before.is_final() && before != seen.state, seen.at, || {
                format!("run {} was {before}, and is {}", seen.run, seen.state)
            });
        }
    }
    findings.found
}
