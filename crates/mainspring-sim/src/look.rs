//! The beginning of a world, and the look at what is left of it.

use mainspring_core::cluster::{Shard, ShardSet};
use mainspring_core::run::RunState;
use mainspring_core::{RunId, Timestamp};
use mainspring_store::{RunInfo, RunQuery, Store, TriggerQuery};

use crate::check::ON_ITS_WAY_MS;
use crate::client::Client;
use crate::faults::{Kind, Planted};
use crate::history::{Fault, Operation, Outcome, Remains, Seen, State, Tally, Waiting};
use crate::load;
use crate::node::desk::REMOTE;
use crate::store::ready;
use crate::world::{BASE_MS, RECOVERY_MS, What, World};

/// Jobs that clients change, of all.
const CHANGED: u32 = 16;
/// Jobs of nodes.
const OWN: u32 = 116;
/// Jobs of workers.
const REMOTE_JOBS: u32 = 16;
const JOBS: u32 = OWN + REMOTE_JOBS;
/// Newest runs of a job that are looked at.
const LOOKED_AT: u32 = 200;

impl World {
    pub(crate) fn set_up(&mut self) {
        self.store.memory.set_identity("database-1", BASE_MS).expect("the memory store is open");
        let poison = self.random.chance(300_000) || self.has(Planted::PoisonBlocks);
        for number in 0..JOBS {
            let mut draft = load::draft(&mut self.random, number, poison && number < OWN);
            if number >= OWN {
                draft.goes_out(&mut self.random);
            }
            self.add_job(number, draft);
        }
        let skews = self.rates.of(Kind::ClockStep) > 0;
        for _ in 0..self.random.between(3, 6) {
            let most = if skews { *self.random.pick(&[0, 300, 2_000]) } else { 0 };
            let (offset, rate) = if skews { (self.random.within(most), self.random.within(1_000)) } else { (0, 0) };
            if skews {
                let error = offset.abs() + 500;
                self.history.clock_error_ms = self.history.clock_error_ms.max(error);
            }
            self.add_node(offset, rate);
        }
        for _ in 0..self.random.between(3, 6) {
            self.add_worker();
        }
        for client in 0..4_usize {
            let jobs = (0..CHANGED).filter(|job| *job as usize % 4 == client).collect();
            self.clients.push(Client::new(jobs));
            let micros = self.random.between(2_000, 8_000) * 1_000;
            self.after(micros, What::Client(client, 0));
        }
        // Nobody owns anything yet.
        let start = Fault { kind: "start", node: None, from: BASE_MS, to: BASE_MS + 4_000, recovery_ms: RECOVERY_MS };
        self.history.faults.push(start);
        self.after(3_000_000, What::Disturb);
        self.at(self.setting.faulty_ms * 1_000, What::Heal);
    }

    fn add_job(&mut self, number: u32, draft: load::Draft) {
        let definition = std::sync::Arc::clone(&draft.definition);
        let mut facts = draft.facts;
        facts.unlimited &= !draft.poisoned;
        self.history.jobs.insert(number, facts);
        let brings = match load::active(&definition) {
            State::Active(schedules) if draft.poisoned => State::Active(schedules.iter().map(|_| None).collect()),
            state => state,
        };
        self.drafts.push(draft);
        let write = self.first_write(&definition, Timestamp::from_millis(BASE_MS));
        ready(self.store.memory.save_jobs(vec![write])).expect("the first jobs are good");
        self.register(&definition.key);
        self.history.operations.push(Operation {
            job: number,
            brings,
            invoked: BASE_MS - 1,
            outcome: Outcome::Ok(BASE_MS - 1),
            counts_from: BASE_MS - 1,
            taken_back: false,
        });
        self.operation_orders.push(0);
    }

    /// Looks at what is left when all has been quiet.
    pub(crate) fn look_back(&mut self) {
        if let Some(from) = self.full_since {
            let fault = Fault { kind: "full", node: None, from, to: self.time(), recovery_ms: 0 };
            self.history.faults.push(fault);
        }
        if let Some(from) = self.no_room_since {
            self.history.no_room.push((from, self.time()));
        }
        let at = self.time();
        let remains = Remains {
            at,
            overdue: self.overdue(),
            queued: self.queued(),
            abandoned: self.abandoned(),
            unjoined: self.workers.iter().filter(|worker| !worker.up || worker.id.is_none()).count(),
            ownerless: self.ownerless(),
            broken: Vec::new(),
            leftovers: self.store.leftovers(self.now.saturating_sub(5_000_000)),
            jobs: self.job_states(),
            tallies: self.tallies(),
        };
        self.history.remains = remains;
        for (run, state) in self.store.memory.states().expect("the memory store is open") {
            let state = self.rewritten.get(&run).copied().unwrap_or(state);
            self.history.seen.push(Seen { at, run, state, taken_back: false });
        }
    }

    fn overdue(&self) -> Vec<(mainspring_core::TriggerId, i64)> {
        let limit = Timestamp::from_millis(self.time() - ON_ITS_WAY_MS);
        let window = ready(self.store.memory.window(ShardSet::ALL, limit, None, u32::MAX));
        let (rows, _) = window.expect("the memory store is open");
        let overdue = rows.into_iter().filter(|row| {
            // A job that holds its triggers has one rest while a run of it goes on, or has ended a moment ago.
            let busy = || {
                let query = RunQuery { job: Some(row.job), limit: LOOKED_AT, ..RunQuery::default() };
                let runs = ready(self.store.memory.runs(query)).expect("the memory store is open");
                runs.iter().any(|run| !run.state.is_final() || run.ended_at.is_some_and(|ended| ended >= limit))
            };
            !self.poisoned.contains(&row.id) && row.progress.due_at.is_some_and(|due| due < limit) && !busy()
        });
        overdue.map(|row| (row.id, row.progress.due_at.map_or(0, Timestamp::as_millis))).collect()
    }

    fn queued(&self) -> Vec<Waiting> {
        let query =
            RunQuery { states: vec![RunState::Queued, RunState::Scheduled], limit: u32::MAX, ..RunQuery::default() };
        let runs = ready(self.store.memory.runs(query)).expect("the memory store is open");
        let of = |info: RunInfo| {
            let facts = &self.drafts[self.jobs[&info.job] as usize].facts;
            let since = info.not_before.unwrap_or(info.created_at).as_millis();
            let goes_out = info.state == RunState::Queued && info.queue == REMOTE;
            // A held run may have been promoted a moment ago.
            (!facts.exclusive).then_some(Waiting { run: info.id, since, goes_out })
        };
        runs.into_iter().filter_map(of).collect()
    }

    fn abandoned(&self) -> Vec<RunId> {
        let limit = self.time() - ON_ITS_WAY_MS;
        let running = self.store.memory.running().expect("the memory store is open");
        let ended = |run: &RunId| {
            let last = self.history.witnesses.iter().rev().find(|witness| witness.run == *run);
            last.is_some_and(|witness| witness.end.is_some_and(|end| end >= limit))
        };
        let executed = |run: &RunId, holder| {
            let here = |node: &crate::node::Node| node.incarnation == holder && node.works.values().any(|of| of == run);
            let there = |worker: &crate::worker::Worker| {
                worker.id == Some(holder) && worker.chores.values().any(|chore| chore.run == *run)
            };
            self.nodes.iter().any(here) || self.workers.iter().any(there)
        };
        let lost = running.into_iter().filter(|(run, holder)| !executed(run, *holder) && !ended(run));
        lost.filter(|(run, _)| {
            let claim = self.history.claims.iter().rev().find(|claim| claim.run == *run);
            claim.is_none_or(|claim| claim.at < limit)
        })
        .map(|(run, _)| run)
        .collect()
    }

    fn ownerless(&self) -> usize {
        let knows = |shard: Shard| {
            let lease = self.store.memory.lease(shard).expect("the memory store is open");
            lease
                .is_some_and(|lease| self.nodes.iter().any(|node| node.incarnation == lease.owner && node.holds(shard)))
        };
        Shard::all().filter(|shard| !knows(*shard)).count()
    }

    fn job_states(&self) -> std::collections::BTreeMap<u32, State> {
        let state = |number: u32| {
            let prior = ready(self.store.memory.prior(&load::key(number))).expect("the memory store is open");
            match prior.job {
                None => State::Absent,
                Some(job) if job.paused => State::Paused,
                Some(job) => load::active(&job.definition),
            }
        };
        let sound = (0..JOBS).filter(|number| !self.drafts[*number as usize].poisoned);
        sound.map(|number| (number, state(number))).collect()
    }

    fn tallies(&self) -> std::collections::BTreeMap<mainspring_core::TriggerId, Tally> {
        let there = ready(self.store.memory.triggers(TriggerQuery { limit: u32::MAX, ..TriggerQuery::default() }));
        let there: Vec<_> =
            there.expect("the memory store is open").into_iter().map(|info| info.trigger.row.id).collect();
        let tallies = ready(self.store.memory.tally()).expect("the memory store is open");
        let of = |tally: mainspring_store::Tally| {
            let millis = |at: Option<Timestamp>| at.map_or(0, Timestamp::as_millis);
            let (first, last) = (millis(tally.first), millis(tally.last));
            let counts = (tally.fired, tally.missed, tally.suppressed);
            (tally.trigger, Tally { fired: counts.0, missed: counts.1, suppressed: counts.2, first, last })
        };
        tallies.into_iter().filter(|tally| there.contains(&tally.trigger)).map(of).collect()
    }
}
