//! Clients: they change jobs, ask for runs and look at them, through any node, and try again when they hear nothing.

use std::sync::Arc;

use mainspring_core::batch::{Progress, TriggerRow};
use mainspring_core::compile::{self, Defaults};
use mainspring_core::edit::{self, Before};
use mainspring_core::job::Job;
use mainspring_core::rule::Rule;
use mainspring_core::run::Origin;
use mainspring_core::{RunId, RunSource, Timestamp, TriggerId};
use mainspring_store::{
    AskedRun, Expect, JobPrior, JobUpdate, JobWrite, NamedTrigger, TriggerEnd, TriggerUpdate, TriggerWrite,
};

use crate::history::{self, Operation, Outcome, State};
use crate::load;
use crate::verbs::{Answer, Failure, Reply, Verb};
use crate::world::{What, World};

/// How long a client waits for an answer.
const PATIENCE_MS: u64 = 6_000;
/// How often it tries while there are faults.
const TRIES: u32 = 6;

/// What a client wants.
#[derive(Clone, Debug)]
enum Want {
    Nothing,
    Save(u32, Arc<Job>),
    Pause(u32),
    Resume(u32),
    Delete(u32),
    /// A run of a job, under a key: the place in the history.
    Run(u32, usize),
    Look(RunId),
    Cancel(RunId),
}

#[derive(Debug)]
pub(crate) struct Client {
    /// The jobs that it alone changes.
    jobs: Vec<u32>,
    want: Want,
    /// The request in the history, if it changes a job.
    operation: Option<usize>,
    /// Tells what it waits for from what it has given up.
    step: u64,
    tries: u32,
    node: usize,
    job: Option<mainspring_store::JobRow>,
}

impl Client {
    pub(crate) const fn new(jobs: Vec<u32>) -> Self {
        Self { jobs, want: Want::Nothing, operation: None, step: 0, tries: 0, node: 0, job: None }
    }

    /// The change that it waits for, by its place in the history.
    pub(crate) const fn operation(&self) -> Option<usize> {
        self.operation
    }
}

impl World {
    /// A client has something to do, or has waited long enough.
    pub(crate) fn client_woke(&mut self, client: usize, step: u64) {
        if self.clients[client].step != step {
            return;
        }
        if matches!(self.clients[client].want, Want::Nothing) {
            if self.healed {
                return;
            }
            self.choose(client);
        }
        self.try_client(client);
    }

    /// What to do next.
    fn choose(&mut self, client: usize) {
        let chosen = self.random.below(10);
        let recent = self.history.fires.len().min(100);
        if recent > 0 && chosen < 4 {
            let back = self.random.index(recent);
            let run = self.history.fires[self.history.fires.len() - 1 - back].run;
            self.clients[client].want = if chosen == 0 { Want::Cancel(run) } else { Want::Look(run) };
        } else if chosen < 6 {
            self.choose_run(client);
        } else {
            self.choose_change(client);
        }
        self.clients[client].tries = 0;
        let now = self.now;
        self.trace.line(now, || {
            let Client { want, operation, .. } = &self.clients[client];
            let mut want = format!("{want:?}");
            want.truncate(60);
            let brings = operation.map(|index| &self.history.operations[index].brings);
            format!("client {client} wants {want}: {brings:?}")
        });
    }

    fn choose_run(&mut self, client: usize) {
        let fixed = self.first_fixed();
        let job = fixed + u32::try_from(self.random.below(self.drafts.len() as u64 - u64::from(fixed))).expect("small");
        self.works += 1;
        let key = self.works;
        self.history.asked.push(history::AskedRun { key, acknowledged: None, made: Vec::new(), taken_back: false });
        self.clients[client].want = Want::Run(job, self.history.asked.len() - 1);
    }

    /// Jobs from here on are changed by nobody.
    fn first_fixed(&self) -> u32 {
        self.clients.iter().flat_map(|client| &client.jobs).max().map_or(0, |last| last + 1)
    }

    fn choose_change(&mut self, client: usize) {
        let count = self.clients[client].jobs.len();
        let place = self.random.index(count);
        let job = self.clients[client].jobs[place];
        let before = self.history.operations.iter().rev().find(|operation| operation.job == job);
        let state = before.filter(|before| matches!(before.outcome, Outcome::Ok(_)) && !before.taken_back);
        let state = state.map(|before| before.brings.clone());
        let now_ms = self.time();
        let (want, brings) = match state {
            // Nobody knows what it is: deleting it makes that certain.
            None => (Want::Delete(job), State::Absent),
            Some(State::Active(_)) => match self.random.below(4) {
                0 => (Want::Delete(job), State::Absent),
                1 => (Want::Pause(job), State::Paused),
                _ => self.saving(job, now_ms),
            },
            Some(State::Paused) => {
                let brings = load::active(&self.drafts[job as usize].definition);
                (Want::Resume(job), brings)
            }
            Some(State::Absent) => self.saving(job, now_ms),
        };
        let invoked = self.time();
        let (outcome, counts_from) = (Outcome::Unknown, invoked);
        self.history.operations.push(Operation { job, brings, invoked, outcome, counts_from, taken_back: false });
        self.operation_orders.push(0);
        let index = self.history.operations.len() - 1;
        self.open.insert(job, index);
        self.clients[client].operation = Some(index);
        self.clients[client].want = want;
    }

    fn saving(&mut self, job: u32, now_ms: i64) -> (Want, State) {
        let definition = load::changed(&mut self.random, &self.drafts[job as usize], now_ms);
        self.drafts[job as usize].definition = Arc::clone(&definition);
        let brings = load::active(&definition);
        (Want::Save(job, definition), brings)
    }

    /// Asks a node that is up; any but the last that gave no answer.
    fn try_client(&mut self, client: usize) {
        let tries = self.clients[client].tries;
        if tries >= TRIES && !self.healed {
            return self.rest(client);
        }
        self.clients[client].tries += 1;
        let node = self.random.index(self.nodes.len());
        self.clients[client].node = node;
        let verb = match &self.clients[client].want {
            Want::Nothing => return self.rest(client),
            Want::Save(job, _) | Want::Pause(job) | Want::Resume(job) | Want::Delete(job) | Want::Run(job, _) => {
                Verb::Prior(load::key(*job))
            }
            Want::Look(run) => Verb::ReadRun(*run),
            Want::Cancel(run) => Verb::CancelRun(*run, self.request_time(node)),
        };
        self.ask_as(client, verb);
    }

    fn ask_as(&mut self, client: usize, verb: Verb) {
        self.clients[client].step += 1;
        let (node, step) = (self.clients[client].node, self.clients[client].step);
        self.after(PATIENCE_MS * 1_000, What::Client(client, step));
        if self.nodes[node].up && !self.stalls(node) {
            self.ask_for_client(node, client, step, verb);
        }
    }

    /// It has what it wanted, or gives up. It will want something else.
    fn rest(&mut self, client: usize) {
        let state = &mut self.clients[client];
        (state.want, state.operation, state.job) = (Want::Nothing, None, None);
        state.step += 1;
        let step = state.step;
        let millis = self.random.between(500, 6_000);
        self.after(millis * 1_000, What::Client(client, step));
    }

    fn try_later(&mut self, client: usize) {
        self.clients[client].step += 1;
        let step = self.clients[client].step;
        let millis = self.random.between(50, 1_000);
        self.after(millis * 1_000, What::Client(client, step));
    }

    pub(crate) fn client_heard(&mut self, client: usize, step: u64, reply: Reply) {
        if self.clients[client].step != step {
            return;
        }
        match reply {
            Ok(Answer::Prior(prior)) => self.decide(client, *prior),
            Ok(Answer::Deed(since)) => self.ask_run_of(client, since),
            Ok(Answer::Asked) => self.keep_answer(client),
            Ok(_) => self.succeed(client),
            Err(Failure::Refused) if matches!(self.clients[client].want, Want::Look(_) | Want::Cancel(_)) => {
                self.rest(client);
            }
            // Overtaken by others, or by an earlier try: read again and decide anew.
            Err(_) => self.try_later(client),
        }
    }

    fn succeed(&mut self, client: usize) {
        let now = self.time();
        if let Some(index) = self.clients[client].operation {
            self.history.operations[index].outcome = Outcome::Ok(now);
            let at = self.now;
            self.trace.line(at, || format!("client {client} has it: {}", self.history.operations[index].job));
        }
        if let Want::Run(_, index) = self.clients[client].want {
            self.history.asked[index].acknowledged = Some(now);
        }
        self.rest(client);
    }

    fn decide(&mut self, client: usize, prior: JobPrior) {
        let now = self.request_time(self.clients[client].node);
        if let Some(index) = self.clients[client].operation {
            let counts_from = &mut self.history.operations[index].counts_from;
            *counts_from = now.as_millis().max(*counts_from);
        }
        let paused = prior.job.as_ref().map(|job| job.paused);
        let verb = match (self.clients[client].want.clone(), paused) {
            (Want::Save(_, definition), _) => Verb::Save(Box::new(self.write(&definition, &prior, now))),
            (Want::Pause(_), Some(true)) | (Want::Resume(_), Some(false)) | (Want::Delete(_), None) => {
                return self.succeed(client);
            }
            (Want::Pause(_), Some(false)) => self.update(prior, Some(true), now),
            (Want::Resume(_), Some(true)) => self.update(prior, Some(false), now),
            (Want::Delete(job), Some(_)) => {
                let ends = self.ends(&prior, |_| true, now);
                Verb::Delete(load::key(job), Expect::Anything, ends, now)
            }
            (Want::Run(_, index), Some(_)) => {
                self.clients[client].job = prior.job;
                Verb::Key(self.history.asked[index].key, now)
            }
            // The job is not there: an earlier request was taken back.
            _ => return self.rest(client),
        };
        self.ask_as(client, verb);
    }

    fn ask_run_of(&mut self, client: usize, at: Timestamp) {
        let (Want::Run(_, index), Some(job)) = (self.clients[client].want.clone(), self.clients[client].job.clone())
        else {
            return self.rest(client);
        };
        let id = RunId::new(at, RunSource::Asked(job.id, self.history.asked[index].key));
        self.asked.insert(id, index);
        let asked = AskedRun {
            id,
            job: job.id,
            job_version: job.version,
            origin: Origin::Api,
            input: None,
            queue: job.definition.queue.clone(),
            priority: job.definition.priority,
            rerun_of: None,
            repeat: None,
            caller: None,
            fire_time: at,
            at,
        };
        self.ask_as(client, Verb::Ask(Box::new(asked)));
    }

    /// The run is there; so far only this client's node knows that it was the deed of the key.
    fn keep_answer(&mut self, client: usize) {
        let Want::Run(_, index) = self.clients[client].want else { return self.rest(client) };
        let now = self.request_time(self.clients[client].node);
        self.ask_as(client, Verb::Keep(self.history.asked[index].key, now));
    }

    // The glue between the store's rows and the decisions of `mainspring_core::edit`, as in the engine's requests.

    fn write(&self, job: &Arc<Job>, prior: &JobPrior, now: Timestamp) -> JobWrite {
        let old = prior.job.as_ref();
        let triggers = job.triggers.iter().enumerate().map(|(index, definition)| {
            let known = prior.triggers.iter().find(|trigger| trigger.name == definition.name);
            let before =
                known.and_then(|known| old.and_then(|row| row.definition.triggers.get(known.row.index as usize)));
            let same = before == Some(definition);
            let anchor = known.filter(|_| same).map_or(now, |known| known.row.progress.start_at);
            let rule = self.compiled(job, index, anchor);
            let tombstone = prior.tombstones.iter().find(|tombstone| tombstone.name == definition.name);
            let (progress, gap, fired_through) = match (known, before, old) {
                (Some(known), Some(before), Some(old)) => {
                    let row = &known.row;
                    let old_rule = self.compiled(&old.definition, row.index as usize, row.progress.start_at);
                    let before = Before { definition: before, row, rule: Some(&old_rule) };
                    let (progress, gap) = edit::change(before, definition, &rule, row.paused, now);
                    (progress, gap, row.progress.fired_through)
                }
                _ => {
                    let fired_through = tombstone.and_then(|tombstone| tombstone.fired_through);
                    (edit::begin(&rule, TriggerId(0), fired_through, now), None, fired_through)
                }
            };
            TriggerWrite {
                name: definition.name.clone(),
                paused: known.is_some_and(|known| known.own_pause),
                progress,
                jitter_ms: definition.jitter_ms,
                expected_fired_through: fired_through,
                gap,
            }
        });
        let gone = |trigger: &NamedTrigger| job.triggers.iter().all(|definition| definition.name != trigger.name);
        JobWrite {
            triggers: triggers.collect(),
            definition: Arc::clone(job),
            expect: old.map_or(Expect::Absent, |row| Expect::Change(row.change)),
            paused: old.is_some_and(|row| row.paused),
            ends: self.ends(prior, gone, now),
            documents: Vec::new(),
            saved_by: None,
            at: now,
        }
    }

    /// What the triggers that go leave without a record.
    fn ends(&self, prior: &JobPrior, goes: impl Fn(&NamedTrigger) -> bool, now: Timestamp) -> Vec<TriggerEnd> {
        let Some(job) = &prior.job else { return Vec::new() };
        let end = |trigger: &NamedTrigger| {
            let row = &trigger.row;
            let definition = job.definition.triggers.get(row.index as usize)?;
            let rule = self.compiled(&job.definition, row.index as usize, row.progress.start_at);
            let gap = edit::end(Before { definition, row, rule: Some(&rule) }, now)?;
            Some(TriggerEnd { id: row.id, expected_fired_through: row.progress.fired_through, gap })
        };
        prior.triggers.iter().filter(|trigger| goes(trigger)).filter_map(end).collect()
    }

    /// What brings a job into the store at the beginning.
    pub(crate) fn first_write(&self, job: &Arc<Job>, now: Timestamp) -> JobWrite {
        self.write(job, &JobPrior { job: None, triggers: Vec::new(), tombstones: Vec::new() }, now)
    }

    fn update(&self, prior: JobPrior, paused: Option<bool>, now: Timestamp) -> Verb {
        let job = prior.job.expect("the caller has looked");
        let ids = prior.triggers.iter().map(|trigger| trigger.row.id).collect();
        let wakes = paused == Some(false);
        let resumed = |trigger: &NamedTrigger| {
            let rule = self.compiled(&job.definition, trigger.row.index as usize, trigger.row.progress.start_at);
            resumed(&trigger.row, &rule, now)
        };
        let triggers = prior.triggers.iter().filter(|_| wakes).map(resumed).collect();
        Verb::Update(Box::new(JobUpdate { job: job.id, expected_change: job.change, paused, triggers, at: now }), ids)
    }

    fn compiled(&self, job: &Arc<Job>, index: usize, anchor: Timestamp) -> Rule {
        let defaults = Defaults { misfire_threshold_ms: self.misfire_threshold_ms };
        compile::rule(job, &job.triggers[index], anchor, defaults, &|_| None).expect("the test draws good ones")
    }
}

fn resumed(row: &TriggerRow, rule: &Rule, now: Timestamp) -> TriggerUpdate {
    let (progress, gap) = edit::resume(rule, row.id, &row.progress, now);
    let progress: Option<Progress> = (progress != row.progress).then_some(progress);
    TriggerUpdate { id: row.id, expected_next: row.progress.next_fire_at, paused: None, progress, gap, reanchor: None }
}
