//! Accounts for everything: what clients were told, what the store says, what the work said, and which faults there were.
//!
//! Most of it is asked by the checkers of the rig and of the simulator. Here is what they need to know of real processes, how
//! late things may be after which fault, and the blind pass.

pub(crate) mod blind;
pub(crate) mod excuse;
pub(crate) mod fenced;
pub(crate) mod promise;
pub(crate) mod takeover;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::Timestamp;
use mainspring_core::run::{AttemptOutcome, RunState};
use mainspring_rig::{Bounds, Kind, Mark, Moment, Run};
use mainspring_sim::check::INVARIANTS;

use crate::audit::Saw;
use crate::load::{self, Draft};
use crate::read::Story;
use blind::Blind;
use excuse::Excuses;

/// The invariants that are asked by the simulator's checker. The others ask for what only the simulator sees, or are the rig's.
const SHARED: [&str; 5] = ["I10", "I11", "I13", "I14", "I15"];
/// The time until work that died with its node begins again, beyond the lateness of its fire.
const LOST_MS: i64 = 22_000;

/// Something that must not be.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Finding {
    /// The name of the invariant.
    pub(crate) invariant: &'static str,
    pub(crate) what: String,
}

/// The result of the accounting.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Account {
    pub(crate) findings: Vec<Finding>,
    pub(crate) instants: u64,
    pub(crate) fired: u64,
    pub(crate) missed: u64,
    pub(crate) suppressed: u64,
    pub(crate) starts: u64,
    pub(crate) lost_attempts: u64,
    /// Changes of owners of shards, and advances of triggers, as the database saw them.
    pub(crate) owners: u64,
    pub(crate) advances: u64,
    /// Runs that workers have done.
    pub(crate) by_workers: u64,
    /// Verdicts that were looked at while faults went on, and again in the end.
    pub(crate) looked: u64,
    /// The lateness of the latest run of each class of fault, and their number.
    pub(crate) lateness: BTreeMap<String, Late>,
    /// The times from the loss of a node to the first fire of its triggers, in order.
    pub(crate) takeovers_ms: Vec<i64>,
    /// The times from the return of the database to the first fire, in order.
    pub(crate) recoveries_ms: Vec<i64>,
    /// The result of the blind pass.
    pub(crate) blind: Blind,
}

/// The lateness of runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Late {
    pub(crate) runs: u64,
    pub(crate) worst_ms: i64,
}

/// Judges a story.
pub(crate) fn check(story: &Story) -> Account {
    let bounds = Bounds {
        early_ms: 2 + story.allowed.clock_error_ms,
        patience_ms: story.patience_ms + story.allowed.calm_ms,
        overlap_ms: 0,
    };
    let report = mainspring_rig::check(&story.rig, bounds);
    let of =
        |problem: &mainspring_rig::Problem| Finding { invariant: invariant(problem.kind), what: problem.to_string() };
    let mut account = Account {
        findings: report.problems.iter().map(of).collect(),
        instants: report.instants,
        fired: report.fired,
        missed: report.missed,
        suppressed: report.suppressed,
        starts: report.starts,
        lost_attempts: report.lost_attempts,
        owners: story.saw.iter().filter(|saw| matches!(saw, Saw::Owner { .. })).count() as u64,
        advances: story.saw.iter().filter(|saw| matches!(saw, Saw::Fire { .. })).count() as u64,
        looked: story.sim.seen.len() as u64 / 2,
        ..Account::default()
    };
    for (_, _, ask) in INVARIANTS.iter().filter(|(name, ..)| SHARED.contains(name)) {
        let found = ask(&story.sim).into_iter();
        account.findings.extend(found.map(|found| Finding { invariant: found.invariant, what: found.to_string() }));
    }
    let excuses = Excuses::of(&story.faults, story.alone, story.allowed);
    let runs = by_job(&story.rig.runs);
    let remote = story.drafts.iter().filter(|draft| draft.kind.is_remote()).flat_map(|draft| of_job(&runs, draft));
    account.by_workers = remote.filter(|run| run.state == RunState::Succeeded).count() as u64;
    account.findings.extend(story.drafts.iter().flat_map(|draft| attempts(draft, of_job(&runs, draft))));
    late(story, &excuses, &runs, &mut account);
    blindly(story, &excuses, &runs, &mut account);
    account.takeovers_ms = takeover::takeovers(&story.faults, &story.rig.runs);
    account.recoveries_ms = takeover::recoveries(&story.faults, &story.rig.runs);
    account.findings.extend(takeover::too_late(&story.faults, &story.rig.runs, story.allowed.calm_ms));
    account.findings.extend(fenced::fenced(&story.saw));
    account.findings.extend(panics(&story.logs));
    account
}

const fn invariant(kind: Kind) -> &'static str {
    match kind {
        Kind::Lost => "I1",
        Kind::Duplicate | Kind::Phantom => "I2",
        Kind::Unlawful => "I3",
        Kind::Early => "I4",
        Kind::Attempts => "I7",
        Kind::StartWithoutRecord | Kind::StartedTwice | Kind::VerdictWithoutWork | Kind::WorkWithoutVerdict => "I8",
        Kind::Overlap => "I9",
        Kind::Unfinished => "I11",
    }
}

type ByJob<'a> = BTreeMap<&'a str, Vec<&'a Run>>;

fn by_job(runs: &[Run]) -> ByJob<'_> {
    let mut jobs = ByJob::new();
    runs.iter().for_each(|run| jobs.entry(run.job.trim_start_matches("default/")).or_default().push(run));
    jobs
}

fn of_job<'a>(runs: &'a ByJob<'a>, draft: &Draft) -> &'a [&'a Run] {
    runs.get(draft.name.as_str()).map_or(&[], Vec::as_slice)
}

/// Checks I7: no run is tried more often than its job allows, and what fails twice is tried a third time.
pub(crate) fn attempts(draft: &Draft, runs: &[&Run]) -> Vec<Finding> {
    let most = draft.facts().attempts_max as usize;
    let wrong = |run: &&&Run| {
        let lost = run.attempts.iter().any(|attempt| attempt.outcome == Some(AttemptOutcome::Lost));
        let too_few = draft.kind == load::Kind::Retrying && run.state.is_final() && !lost && run.attempts.len() != 3;
        run.attempts.len() > most || too_few
    };
    let tell = |run: &&Run| Finding {
        invariant: "I7",
        what: format!("{} of {} was tried {} times and is {}", run.id, run.job, run.attempts.len(), run.state),
    };
    runs.iter().filter(wrong).map(tell).collect()
}

/// Checks I5: no run of a job that nobody changes is later than the faults around it explain.
fn late(story: &Story, excuses: &Excuses, runs: &ByJob<'_>, account: &mut Account) {
    for draft in story.drafts.iter().filter(|draft| is_steady(draft)) {
        for run in of_job(runs, draft).iter().filter(|run| run.trigger.is_some()) {
            let (due, began) = (run.due_at.as_millis(), began(run));
            let class = account.lateness.entry(excuses.class(due, began)).or_default();
            class.runs += 1;
            class.worst_ms = class.worst_ms.max(began - due);
            let deadline = excuses.deadline(due);
            if due > story.saved_at.as_millis() + story.allowed.calm_ms && began > deadline {
                let (late, more) = (began - due, began - deadline);
                let what = format!(
                    "{} of {} at {} began {late} ms late, {more} ms more than is explained",
                    run.id, run.job, run.due_at
                );
                account.findings.push(Finding { invariant: "I5", what });
            }
        }
    }
}

/// Returns whether each of its instants is to start a run at once, whoever asks for what. A run that a worker was given
/// who is gone waits until that is known.
const fn is_steady(draft: &Draft) -> bool {
    !matches!(draft.kind, load::Kind::Changed | load::Kind::Asked | load::Kind::Alone) && !draft.kind.is_remote()
}

fn began(run: &Run) -> i64 {
    run.attempts.first().and_then(|first| first.started_at).unwrap_or(run.created_at).as_millis()
}

/// Returns the lateness of the latest run of a job that nobody changes.
pub(crate) fn latest_ms(drafts: &[Draft], runs: &[Run]) -> i64 {
    let runs = by_job(runs);
    let steady = drafts.iter().filter(|draft| is_steady(draft)).flat_map(|draft| of_job(&runs, draft));
    let late = steady.filter(|run| run.trigger.is_some()).map(|run| began(run) - run.due_at.as_millis());
    late.max().unwrap_or_default().max(0)
}

/// Runs the blind pass over the jobs that record each instant at once.
fn blindly(story: &Story, excuses: &Excuses, runs: &ByJob<'_>, account: &mut Account) {
    let patient = excuses.clone().with_work_lost(LOST_MS);
    let mut starts: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    let told = |mark: &&Mark| mark.moment == Moment::Start && mark.at <= story.rig.read_at;
    for mark in story.rig.marks.iter().filter(told) {
        starts.entry(mark.job.trim_start_matches("default/")).or_default().push(mark.at.as_millis());
    }
    let blind = |draft: &&Draft| draft.kind.is_witnessed() && is_steady(draft);
    for draft in story.drafts.iter().filter(blind) {
        let Some(promise) = story.rig.promises.iter().find(|promise| promise.name == draft.name) else { continue };
        let within =
            |ranges: &[(Timestamp, Timestamp)], at: &Timestamp| ranges.iter().any(|(a, b)| (a..=b).contains(&at));
        let windows = promise.instants.iter().filter(|at| within(&promise.must, at)).map(|at| {
            let at = at.as_millis();
            (at - 2 - story.allowed.clock_error_ms, patient.deadline(at))
        });
        let windows = windows.filter(|(_, to)| *to <= story.rig.read_at.as_millis()).collect::<Vec<_>>();
        let starts = starts.remove(draft.name.as_str()).unwrap_or_default();
        let matched = blind::matched(&windows, &starts);
        let allowed = promise.instants.iter().filter(|at| within(&promise.must, at) || within(&promise.may, at));
        let (tried_again, not_judged) = (draft.facts().attempts_max > 1, allowed.count() - windows.len());
        let declared = blind::Declared::of(of_job(runs, draft), &story.rig.marks, tried_again, not_judged);
        account.findings.extend(blind::judge(&draft.name, matched, windows.len(), starts.len(), declared));
        account.blind.targets += windows.len() as u64;
        account.blind.matched += matched as u64;
        account.blind.starts += starts.len() as u64;
    }
}

/// Checks I16, as far as visible: no process has panicked.
fn panics(logs: &[String]) -> BTreeSet<Finding> {
    let lines = logs.iter().flat_map(|log| log.lines()).filter(|line| line.contains("panicked at"));
    lines.map(|line| Finding { invariant: "I16", what: line.to_owned() }).collect()
}
