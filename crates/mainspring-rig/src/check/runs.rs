//! Runs, their attempts, and what the work itself said: I4, I7, I8, I9, I11.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use mainspring_core::run::AttemptOutcome;
use mainspring_core::{RunId, Timestamp};

use super::{Judge, Kind};
use crate::history::{Attempt, History, Run};
use crate::witness::{Mark, Moment};

/// The marks of an attempt's work.
#[derive(Default)]
struct Work<'a> {
    starts: Vec<&'a Mark>,
    end: Option<&'a Mark>,
}

/// The marks of attempts, by run and number.
type Works<'a> = BTreeMap<(RunId, u32), Work<'a>>;

impl Judge {
    pub(super) fn runs(&mut self, history: &History) {
        for run in &history.runs {
            self.attempts(run);
            if !run.state.is_final() && history.read_at.since(run.due_at) > self.bounds.patience_ms {
                self.wrong(Kind::Unfinished, &run.job, run.fire_time, format!("{} is {}", run.id, run.state));
            }
        }
    }

    fn attempts(&mut self, run: &Run) {
        let numbers: Vec<u32> = run.attempts.iter().map(|attempt| attempt.number).collect();
        if !numbers.iter().copied().eq((1_u32..).take(numbers.len())) {
            self.wrong(Kind::Attempts, &run.job, run.fire_time, format!("{} has the attempts {numbers:?}", run.id));
        }
        for pair in run.attempts.windows(2) {
            let times = pair[0].ended_at.zip(pair[1].claimed_at);
            let overlap = times.is_some_and(|(ended, claimed)| ended.since(claimed) > self.bounds.early_ms);
            if pair[0].outcome.is_none() || overlap {
                let detail = format!("attempt {} of {} began before the one before had ended", pair[1].number, run.id);
                self.wrong(Kind::Attempts, &run.job, run.fire_time, detail);
            }
        }
        if let Some(started) = run.attempts.first().and_then(|first| first.started_at)
            && run.due_at.since(started) > self.bounds.early_ms
        {
            self.wrong(Kind::Early, &run.job, run.fire_time, format!("{} started at {started} by its record", run.id));
        }
        let lost = run.attempts.iter().filter(|attempt| attempt.outcome == Some(AttemptOutcome::Lost)).count();
        self.report.lost_attempts += lost as u64;
    }

    pub(super) fn witness(&mut self, history: &History) {
        let mut works = Works::new();
        for mark in &history.marks {
            let work = works.entry((mark.run, mark.attempt)).or_default();
            match mark.moment {
                Moment::Start => work.starts.push(mark),
                Moment::End => work.end = Some(mark),
            }
        }
        let runs: HashMap<RunId, &Run> = history.runs.iter().map(|run| (run.id, run)).collect();
        for ((run, attempt), work) in &works {
            self.work(runs.get(run).copied(), *attempt, work, history.read_at);
        }
        let witnessed: BTreeSet<&str> = history.marks.iter().map(|mark| mark.job.as_str()).collect();
        for run in history.runs.iter().filter(|run| witnessed.contains(run.job.as_str())) {
            self.verdicts(run, &works);
        }
        for job in &history.alone {
            self.alone(job, &runs, &works);
        }
    }

    /// Compares the marks of one attempt's work with its records.
    fn work(&mut self, run: Option<&Run>, number: u32, work: &Work<'_>, read_at: Timestamp) {
        self.report.starts += work.starts.len() as u64;
        let Some(mark) = work.starts.first().copied().or(work.end).filter(|mark| mark.at <= read_at) else { return };
        if work.starts.len() > 1 {
            let pids: Vec<u32> = work.starts.iter().map(|start| start.pid).collect();
            let detail = format!("attempt {number} of {} in the processes {pids:?}", mark.run);
            self.wrong(Kind::StartedTwice, &mark.job, mark.fire_time, detail);
        }
        let fits = |run: &&Run| run.fire_time == mark.fire_time && run.job == mark.job;
        let claimed = run.filter(fits).and_then(|run| Some((run, attempt(run, number)?)));
        let Some((run, attempt)) = claimed else {
            let detail = format!("attempt {number} of {} at {} has no such record", mark.run, mark.at);
            return self.wrong(Kind::StartWithoutRecord, &mark.job, mark.fire_time, detail);
        };
        if work.starts.iter().any(|start| run.due_at.since(start.at) > self.bounds.early_ms) {
            self.wrong(Kind::Early, &run.job, run.fire_time, format!("{} started at {}", run.id, mark.at));
        }
        let done = work.end.is_some_and(|end| read_at.since(end.at) > self.bounds.patience_ms);
        if done && attempt.outcome.is_none() {
            let detail = format!("attempt {number} of {} is done", run.id);
            self.wrong(Kind::WorkWithoutVerdict, &run.job, run.fire_time, detail);
        }
    }

    /// Checks that what is recorded as succeeded was done.
    fn verdicts(&mut self, run: &Run, works: &Works<'_>) {
        let succeeded = |attempt: &&Attempt| attempt.outcome == Some(AttemptOutcome::Succeeded);
        for attempt in run.attempts.iter().filter(succeeded) {
            let work = works.get(&(run.id, attempt.number));
            if work.is_none_or(|work| work.starts.is_empty() || work.end.is_none()) {
                let detail = format!("attempt {} of {}", attempt.number, run.id);
                self.wrong(Kind::VerdictWithoutWork, &run.job, run.fire_time, detail);
            }
        }
    }

    /// Checks that no two pieces of a job's work overlap. Work that never recorded its end was over when its attempt
    /// was, at the latest.
    fn alone(&mut self, job: &str, runs: &HashMap<RunId, &Run>, works: &Works<'_>) {
        let mut spans: Vec<(Timestamp, Timestamp, RunId)> = Vec::new();
        for ((run, number), work) in works {
            let recorded = || runs.get(run).and_then(|run| attempt(run, *number)?.ended_at);
            for start in work.starts.iter().filter(|start| start.job == job) {
                let end = work.end.map(|end| end.at).or_else(recorded).unwrap_or(start.at);
                spans.push((start.at, end, *run));
            }
        }
        spans.sort_unstable();
        let mut latest: Option<(Timestamp, Timestamp, RunId)> = None;
        for span in spans {
            if let Some(before) = latest.filter(|before| before.1.since(span.0) > self.bounds.overlap_ms) {
                let detail = format!("{} began while {} was at work until {}", span.2, before.2, before.1);
                self.wrong(Kind::Overlap, job, span.0, detail);
            }
            latest = latest.into_iter().chain([span]).max_by_key(|span| span.1);
        }
    }
}

fn attempt(run: &Run, number: u32) -> Option<&Attempt> {
    run.attempts.iter().find(|attempt| attempt.number == number)
}
