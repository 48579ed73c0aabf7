//! The work of runs: it takes its time, fails as its job says, and leaves a witness that knows nothing of the store.

use mainspring_core::job::Task;
use mainspring_core::planner::{AttemptEnd, Event};
use mainspring_core::rule::Start;
use mainspring_core::run::AttemptOutcome::{self, Cancelled, Failed, Succeeded};
use mainspring_core::{RunId, Timestamp};
use std::sync::Arc;

use crate::history::Witness;
use crate::node::KILL_GRACE_MS;
use crate::world::{What, World};

/// Work that goes on.
#[derive(Debug)]
pub(crate) struct Going {
    node: usize,
    start: Start,
    definition: Arc<mainspring_core::job::Job>,
    /// None: it never began, as it was given up while its node was frozen.
    begun: Option<Begun>,
    outcome: AttemptOutcome,
    /// 0: it has ended, and its process has not noticed.
    ends_at: u64,
    /// Whether its process start is over, so that nobody hears of its end.
    retired: bool,
}

/// What is known of work that has begun.
#[derive(Clone, Copy, Debug)]
struct Begun {
    witness: usize,
    /// As its node has it.
    at: Timestamp,
}

impl World {
    pub(crate) fn begin_work(&mut self, node: usize, mut start: Start) {
        let definition = self.definition(&start);
        let job = self.jobs.get(&start.job).copied().unwrap_or_default();
        let draw = self.drafts[job as usize].work.draw(&mut self.random);
        let is_noop = definition.task == Task::Noop;
        let (micros, fails) = if is_noop { (0, false) } else { draw };
        if start.awaited_by.is_none() {
            start.awaited_by = self.awaiting(&start);
        }
        let run = start.run;
        self.nodes[node].executing.enter(run, Some(&definition));
        let boot_ms = self.nodes[node].boot_ms(self.now);
        let begins = is_noop || self.nodes[node].executing.may_begin(run, boot_ms);
        let now = self.now;
        let (begun, outcome) = match begins {
            true => (Some(self.witness(node, &start, job)), if fails { Failed } else { Succeeded }),
            false => {
                self.trace.line(now, || format!("node {node} does not begin run {run}"));
                (None, Cancelled)
            }
        };
        self.works += 1;
        let work = self.works;
        let ends_at = if begins { now + micros } else { now };
        let going = Going { node, definition, begun, outcome, ends_at, retired: false, start };
        self.work.insert(work, going);
        self.nodes[node].works.insert(work, run);
        self.at(ends_at, What::Done(node, work));
        self.note_room();
    }

    /// Notes that work begins.
    fn witness(&mut self, node: usize, start: &Start, job: u32) -> Begun {
        let Start { run, attempt, .. } = *start;
        let witness = Witness { run, job: start.job, attempt, node, start: self.time(), end: None, whole: false };
        self.history.witnesses.push(witness);
        self.trace.mix(u64::from(attempt) << 32 | u64::from(job));
        let now = self.now;
        self.trace.line(now, || format!("node {node} begins run {run} attempt {attempt} of job {job}"));
        Begun { witness: self.history.witnesses.len() - 1, at: self.record_time(node) }
    }

    /// Nobody is to hear of the end of the work that was begun last.
    pub(crate) fn keep_quiet(&mut self) {
        if let Some(going) = self.work.get_mut(&self.works) {
            going.retired = true;
        }
    }

    /// Says when what others may be given has to end, and ends it if that is now.
    pub(crate) fn give_up_at(&mut self, node: usize, at_ms: u64, boot_ms: u64) {
        let told = self.nodes[node].executing.give_up_at(at_ms, boot_ms);
        told.into_iter().for_each(|run| self.tell_to_end(node, run));
    }

    /// Work is told to end, and does so soon, if it does not end before.
    pub(crate) fn tell_to_end(&mut self, node: usize, run: RunId) {
        let of_run = self.nodes[node].works.iter().filter(|(_, of)| **of == run);
        let works: Vec<u64> = of_run.map(|(work, _)| *work).collect();
        works.into_iter().for_each(|work| self.end_soon(work));
    }

    fn end_soon(&mut self, work: u64) {
        let most = *self.random.pick(&[10, 500, KILL_GRACE_MS]);
        let at = self.now + self.random.below(most * 1_000);
        let Some(going) = self.work.get_mut(&work) else { return };
        if at < going.ends_at && going.outcome != Cancelled {
            (going.ends_at, going.outcome) = (at, Cancelled);
            let node = going.node;
            self.at(at, What::Done(node, work));
        }
    }

    pub(crate) fn done(&mut self, node: usize, work: u64) {
        if self.work.get(&work).is_none_or(|going| going.ends_at != self.now && going.ends_at != 0) {
            return;
        }
        if self.stalls(node) {
            self.work.get_mut(&work).expect("seen above").ends_at = 0;
            return self.nodes[node].deferred.push(What::Done(node, work));
        }
        let going = self.work.remove(&work).expect("seen above");
        let now = self.time();
        if let Some(begun) = going.begun {
            let witness = &mut self.history.witnesses[begun.witness];
            (witness.end, witness.whole) = (Some(now), going.outcome != Cancelled);
        }
        let run = going.start.run;
        if going.retired {
            return;
        }
        let ended_at = self.record_time(node);
        let state = &mut self.nodes[node];
        state.works.remove(&work);
        let outcome = state.executing.leave(run, going.outcome);
        let end = AttemptEnd {
            held_by: None,
            start: going.start,
            definition: going.definition,
            outcome,
            vetoed: false,
            started_at: going.begun.map(|begun| begun.at),
            ended_at,
            detail: None,
        };
        self.drive(node, vec![Event::Ended(vec![end])]);
        self.note_room();
    }

    /// A machine sleeps, and its work with it.
    pub(crate) fn put_work_off(&mut self, node: usize, micros: u64) {
        let going = |(_, going): &(&u64, &Going)| going.node == node && going.ends_at > self.now;
        let mut works: Vec<u64> = self.work.iter().filter(going).map(|(work, _)| *work).collect();
        works.sort_unstable();
        for work in works {
            let going = self.work.get_mut(&work).expect("seen above");
            going.ends_at += micros;
            let ends_at = going.ends_at;
            self.at(ends_at, What::Done(node, work));
        }
    }

    /// A process has died, and its work with it.
    pub(crate) fn cut_work_off(&mut self, node: usize) {
        let now = self.time();
        self.nodes[node].works.clear();
        let mut over: Vec<u64> =
            self.work.iter().filter(|(_, going)| going.node == node).map(|(work, _)| *work).collect();
        over.sort_unstable();
        for work in over {
            let going = self.work.remove(&work).expect("seen above");
            if let Some(begun) = going.begun {
                self.history.witnesses[begun.witness].end = Some(now);
            }
        }
    }

    /// A process start is over: its work is told to end, and nobody hears of it.
    pub(crate) fn retire_work(&mut self, node: usize) {
        for work in std::mem::take(&mut self.nodes[node].works).into_keys() {
            if let Some(going) = self.work.get_mut(&work) {
                going.retired = true;
            }
            self.end_soon(work);
        }
    }
}
