//! What a worker executes: it takes its time, fails as its job says, and leaves a witness that knows nothing of any journal.

use mainspring_api::{AttemptState, WorkerRun};
use mainspring_core::{JobId, Timestamp};
use mainspring_worker::machine::GIVE_UP_GRACE;

use super::*;
use crate::history::Witness;
use crate::node::KILL_GRACE_MS;

/// A piece of work.
#[derive(Debug)]
pub(crate) struct Chore {
    pub(crate) run: RunId,
    pub(super) attempt: u32,
    pub(super) life: Life,
    witness: usize,
    outcome: AttemptState,
    started: Time,
    /// When it ends; absent once it has ended, and its end goes to the disk.
    ends_at: Option<u64>,
    /// What is to be reported once it is on disk.
    end: Option<WorkerEnd>,
}

impl Chore {
    /// Whether its work goes on.
    pub(crate) const fn goes_on(&self) -> bool {
        self.ends_at.is_some()
    }
}

impl Worker {
    /// Whether another run would have a slot. What belongs to an earlier life takes one until it ends.
    pub(crate) fn has_room(&self) -> bool {
        self.chores.len() < SLOTS as usize
    }
}

impl World {
    pub(super) fn begin_chore(&mut self, worker: usize, life: Life, given: &WorkerRun) {
        let run: RunId = given.run.parse().expect("as the node wrote it");
        let job = JobId(given.job.parse().expect("as the node wrote it"));
        let number = self.jobs.get(&job).copied().unwrap_or_default();
        let (micros, fails) = self.drafts[number as usize].work.draw(&mut self.random);
        let (attempt, start) = (given.attempt, self.time());
        let node = machine(worker);
        self.history.witnesses.push(Witness { run, job, attempt, node, start, end: None, whole: false });
        self.trace.mix(u64::from(attempt) << 32 | u64::from(number));
        let now = self.now;
        self.trace.line(now, || format!("worker {worker} begins run {run} attempt {attempt} of job {number}"));
        self.works += 1;
        let chore = Chore {
            run,
            attempt,
            life,
            witness: self.history.witnesses.len() - 1,
            outcome: if fails { AttemptState::Failed } else { AttemptState::Succeeded },
            started: start,
            ends_at: Some(now + micros),
            end: None,
        };
        let number = self.works;
        self.workers[worker].chores.insert(number, chore);
        self.at(now + micros, What::ChoreDone(worker, number));
        self.note_workers_room();
    }

    /// Work is told to end, and does so soon, if it does not end before.
    pub(super) fn tell_chores(&mut self, worker: usize, life: Life, told: &[WorkerHolding], why: Stop) {
        let grace_ms = match why {
            Stop::No => return,
            Stop::Cancel => KILL_GRACE_MS,
            Stop::GiveUp => u64::try_from(GIVE_UP_GRACE.as_millis()).expect("seconds"),
        };
        let is_told = |chore: &Chore| chore.life == life && told.contains(&holding((chore.run, chore.attempt)));
        let chores: Vec<u64> =
            self.workers[worker].chores.iter().filter(|(_, chore)| is_told(chore)).map(|(number, _)| *number).collect();
        for number in chores {
            let most = *self.random.pick(&[10, 500, grace_ms]);
            let at = self.now + self.random.below(most * 1_000);
            let chore = self.workers[worker].chores.get_mut(&number).expect("seen above");
            if chore.ends_at.is_some_and(|ends_at| at < ends_at) {
                (chore.ends_at, chore.outcome) = (Some(at), AttemptState::Cancelled);
                self.at(at, What::ChoreDone(worker, number));
            }
        }
    }

    /// Work is over. Its end goes to the disk, and then on its way.
    pub(crate) fn chore_done(&mut self, worker: usize, number: u64) {
        let at = self.now;
        let time = self.time();
        let state = &mut self.workers[worker];
        let Some(chore) = state.chores.get_mut(&number).filter(|chore| chore.ends_at == Some(at)) else { return };
        chore.ends_at = None;
        let witness = &mut self.history.witnesses[chore.witness];
        (witness.end, witness.whole) = (Some(time), chore.outcome != AttemptState::Cancelled);
        let millis = |at: Time| mainspring_api::Timestamp::from_millis(Timestamp::from_millis(at).as_millis());
        let end = WorkerEnd {
            started_at: Some(millis(chore.started)),
            ..WorkerEnd::new(chore.run.to_string(), chore.attempt, chore.outcome, millis(time))
        };
        let end = state.book.ended(chore.life, end);
        let Some(end) = end else {
            state.chores.remove(&number);
            self.note_workers_room();
            return self.reconsider(worker);
        };
        chore.end = Some(end.clone());
        self.reconsider(worker);
        if self.has(Planted::LostJournal) {
            return self.synced(worker, number);
        }
        let state = &mut self.workers[worker];
        let id = state.id.expect("it has joined").to_string();
        let write = state.record.keep([(id.as_str(), &end)]);
        state.disk.write(write);
        let most = *self.random.pick(&[1, 5, 100]);
        let ms = self.random.between(0, most + 1);
        self.tick_worker(worker, ms, Tick::Synced(number));
    }

    pub(super) fn synced(&mut self, worker: usize, number: u64) {
        let state = &mut self.workers[worker];
        state.disk.sync();
        if let Some(Chore { life, end: Some(end), .. }) = state.chores.remove(&number) {
            state.outbox.push_back((life, end));
            self.note_workers_room();
            self.send_report(worker);
        }
    }

    /// A worker stands still, and its work with it.
    pub(super) fn put_chores_off(&mut self, worker: usize, micros: u64) {
        let now = self.now;
        let mut moved = Vec::new();
        for (number, chore) in &mut self.workers[worker].chores {
            if let Some(ends_at) = chore.ends_at.as_mut().filter(|ends_at| **ends_at >= now) {
                *ends_at += micros;
                moved.push((*ends_at, *number));
            }
        }
        moved.into_iter().for_each(|(at, number)| self.at(at, What::ChoreDone(worker, number)));
    }

    /// A process has died, and its work with it.
    pub(super) fn cut_chores_off(&mut self, worker: usize) {
        let now = self.time();
        for chore in std::mem::take(&mut self.workers[worker].chores).into_values() {
            if chore.goes_on() {
                self.history.witnesses[chore.witness].end = Some(now);
            }
        }
    }
}
