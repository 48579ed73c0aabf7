//! A node: the shell around the planner and the keeper of the lease, as thin as that of the engine.
//!
//! It decides nothing. What it is told becomes an event, what it is asked becomes a message, and between any two of these it may die.

mod clocks;
pub(crate) mod desk;
pub(crate) mod lease;
mod rules;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mainspring_core::batch::{FireBatch, FireOutcome, LiveRun, Placed, Queues, TriggerRow};
use mainspring_core::cluster::{self, Held, Keeper, Lease, Order, Reading, Renewed, Shard, ShardSet};
use mainspring_core::compile::{self, Defaults};
use mainspring_core::executing::Executing;
use mainspring_core::job::DEFAULT_QUEUE;
use mainspring_core::planner::{AttemptEnd, Command, Event, Part, Planner, Read};
use mainspring_core::rule::{Loaded, Rule, Start};
use mainspring_core::run::AttemptOutcome;
use mainspring_core::{BatchId, Incarnation, RunId, Timestamp};
use mainspring_store::Store;
use rustc_hash::FxHashMap;

use self::desk::{Desk, DeskCall};
use crate::faults::{Kind, Planted};
use crate::history::Correction;
use crate::store::{Sender, ready};
use crate::verbs::{Answer, Failure, Reply, Verb};
use crate::world::{BASE_MS, DEADLINE_MS, RECOVERY_MS, What, World};

/// What every node runs.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// How late a lease's thread may notice that time has passed.
const LOOK_MS: u64 = 250;
/// What the pool gives a run to end after it was told to, at most.
pub(crate) const KILL_GRACE_MS: u64 = 1_500;

/// What a request was for.
#[derive(Debug)]
enum For {
    Keeper(Order, Reading),
    Fire(Arc<FireBatch>),
    Complete(Arc<mainspring_core::batch::CompletionBatch>),
    Read(Read),
    Adopt(Incarnation),
    Client(usize, u64),
    Desk(DeskCall),
    Leave,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) up: bool,
    /// Which start of the process this is.
    pub(crate) life: u32,
    /// Which start of the process, whatever its incarnation.
    process: u32,
    pub(crate) paused_until: u64,
    pub(crate) stalled_until: u64,
    pub(crate) cut_out: bool,
    pub(crate) cut_in: bool,
    /// How much of the time the machine slept.
    pub(crate) slept_ms: u64,
    offset_ms: i64,
    rate_ppm: i64,
    boot_base_ms: u64,
    /// Whether the clock of leases stops while the machine sleeps.
    sleeping_clock: bool,
    pub(crate) incarnation: Incarnation,
    pub(crate) planner: Planner,
    keeper: Keeper,
    part: Option<Part>,
    held: Held,
    ticked_ms: u64,
    fenced: bool,
    calls: BTreeMap<u64, For>,
    calls_made: u64,
    drive_at: u64,
    keep_at: u64,
    adopting: BTreeSet<Incarnation>,
    /// Counts what is taken over.
    adoptions: u64,
    pub(crate) executing: Executing,
    /// The work that goes on. After a failover a run may be begun again beside its first work.
    pub(crate) works: BTreeMap<u64, RunId>,
    /// What the last view said of shards, for a bug.
    pub(crate) leases: BTreeMap<Shard, Lease>,
    drained: bool,
    /// What waits until the node goes on.
    pub(crate) deferred: Vec<What>,
    pub(crate) desk: Desk,
    /// Runs that a bug has started already.
    started: FxHashMap<RunId, ()>,
}

impl Node {
    /// Whether the node can do something now; if not, when.
    fn stands_until(&self, now: u64) -> Option<u64> {
        (self.paused_until > now).then_some(self.paused_until)
    }

    /// Whether the node takes a shard for its own, and trusts itself.
    pub(crate) fn holds(&self, shard: Shard) -> bool {
        self.part.is_some_and(|part| part.trusted && part.owned.contains(shard))
    }

    /// Whether the node claims runs, as far as it knows.
    pub(crate) fn takes_work(&self) -> bool {
        self.up && self.part.is_some_and(|part| part.takes_work())
    }

    fn call(&mut self, why: For) -> u64 {
        self.calls_made += 1;
        self.calls.insert(self.calls_made, why);
        self.calls_made
    }
}

impl World {
    pub(crate) fn add_node(&mut self, offset_ms: i64, rate_ppm: i64) {
        let node = self.nodes.len();
        let boot_base_ms = self.random.between(1_000_000, 2_000_000);
        let incarnation = self.new_incarnation(node);
        let now = Timestamp::from_millis(BASE_MS + offset_ms);
        let start_ms = boot_base_ms + self.random.below(1_000);
        self.nodes.push(Node {
            up: true,
            life: 1,
            process: 1,
            paused_until: 0,
            stalled_until: 0,
            cut_out: false,
            cut_in: false,
            slept_ms: 0,
            offset_ms,
            rate_ppm,
            boot_base_ms,
            sleeping_clock: self.has(Planted::SleepingClock),
            incarnation,
            planner: Planner::new(self.planner, incarnation, now).serving(own_queues()),
            keeper: Keeper::new(self.cluster, incarnation, VERSION, start_ms),
            part: None,
            held: Held::default(),
            ticked_ms: start_ms,
            fenced: false,
            calls: BTreeMap::new(),
            calls_made: 0,
            drive_at: 0,
            keep_at: 0,
            adopting: BTreeSet::new(),
            adoptions: 0,
            executing: Executing::default(),
            works: BTreeMap::new(),
            leases: BTreeMap::new(),
            drained: false,
            deferred: Vec::new(),
            desk: Desk::default(),
            started: FxHashMap::default(),
        });
        self.open_desk(node);
        self.wake_node(node);
    }

    fn new_incarnation(&mut self, node: usize) -> Incarnation {
        let random = u128::from(self.random.next()) << 64 | u128::from(self.random.next());
        if self.has(Planted::HostName) { Incarnation(node as u128 + 1) } else { Incarnation(random) }
    }

    pub(crate) fn wake_node(&mut self, node: usize) {
        let (now, life) = (self.now, self.nodes[node].life);
        (self.nodes[node].drive_at, self.nodes[node].keep_at) = (now, now);
        self.at(now, What::Drive(node, life));
        self.at(now, What::Keep(node, life));
    }

    /// A process dies.
    pub(crate) fn crash(&mut self, node: usize, kind: Kind) {
        let most = *self.random.pick(&[500, 5_000, 40_000]);
        let ms = self.random.between(100, most);
        self.fault(kind, Some(node), ms, RECOVERY_MS);
        self.nodes[node].up = false;
        self.nodes[node].life += 1;
        self.nodes[node].process += 1;
        self.nodes[node].calls.clear();
        self.nodes[node].deferred.clear();
        self.cut_work_off(node);
        self.close_desk(node);
        self.after(ms * 1_000, What::Restart(node));
    }

    /// A process begins with an empty memory.
    pub(crate) fn restart(&mut self, node: usize) {
        if self.nodes[node].up {
            return;
        }
        self.nodes[node].up = true;
        self.nodes[node].drained = false;
        let start_ms = self.nodes[node].boot_ms(self.now);
        self.open_desk(node);
        self.begin(node, start_ms);
    }

    /// A process start, or the next incarnation of a process.
    fn begin(&mut self, node: usize, start_ms: u64) {
        let incarnation = self.new_incarnation(node);
        let (planner, cluster, now) = (self.planner, self.cluster, self.now);
        let state = &mut self.nodes[node];
        let start_ms = start_ms.max(state.boot_ms(now));
        state.incarnation = incarnation;
        state.planner = Planner::new(planner, incarnation, state.wall(now)).serving(own_queues());
        state.keeper = Keeper::new(cluster, incarnation, VERSION, start_ms);
        (state.part, state.held, state.fenced) = (None, Held::default(), false);
        state.ticked_ms = start_ms;
        state.calls.retain(|_, why| matches!(why, For::Client(..) | For::Desk(_)));
        state.adopting.clear();
        state.started.clear();
        // It will read everything anew.
        self.unheard.retain(|(of, _), _| *of != node);
        let state = &mut self.nodes[node];
        state.executing = Executing::default();
        state.leases.clear();
        let drained = state.drained;
        self.trace.line(now, || format!("node {node} begins as {incarnation}"));
        if drained {
            let orders = self.nodes[node].keeper.drain(start_ms, start_ms, true);
            self.obey(node, orders);
        }
        self.wake_node(node);
    }

    /// The incarnation is over: others may be given what it ran.
    fn end_incarnation(&mut self, node: usize, return_ms: u64) {
        let me = self.nodes[node].incarnation;
        self.trace.line(self.now, || format!("node {node} ends as {me}"));
        self.ask_store(node, For::Leave, Verb::Bury(me, None), self.cluster.deadline_ms);
        self.retire_work(node);
        self.nodes[node].life += 1;
        self.begin(node, return_ms);
    }

    /// Has a message or a time wait for a node that stands still. True: it is dealt with.
    fn waits(&mut self, node: usize, what: impl FnOnce() -> What) -> bool {
        let stands = self.nodes[node].stands_until(self.now).is_some();
        if stands {
            self.nodes[node].deferred.push(what());
        }
        stands
    }

    /// A node that stood still goes on: what waited for it happens now, in its order.
    pub(crate) fn wake_up(&mut self, node: usize) {
        for what in std::mem::take(&mut self.nodes[node].deferred) {
            self.after(0, what);
        }
    }

    // The loop.

    pub(crate) fn woke(&mut self, node: usize, life: u32) {
        if self.nodes[node].life != life || !self.nodes[node].up || self.nodes[node].drive_at > self.now {
            return;
        }
        if self.stalls(node) {
            return self.nodes[node].deferred.push(What::Drive(node, life));
        }
        self.drive(node, vec![Event::Woke]);
    }

    /// One step of the engine's loop.
    pub(crate) fn drive(&mut self, node: usize, events: Vec<Event>) {
        let now = self.now;
        let boot_ms = self.nodes[node].boot_ms(now);
        self.nodes[node].ticked_ms = boot_ms;
        let held = self.nodes[node].keeper.held();
        self.nodes[node].held = held;
        if self.nodes[node].fenced {
            return self.end_incarnation(node, boot_ms);
        }
        let reading = self.nodes[node].reading(now);
        let trusted = held.is_trusted(reading, self.cluster.clock_warn_ms);
        let part = Part { owned: held.owned, trusted, far: held.far };
        if self.nodes[node].part.replace(part) != Some(part) && !self.tell(node, Event::Own(part)) {
            return;
        }
        if let Some(at_ms) = held.gives_up_at(cluster::give_up_ms(&self.cluster, KILL_GRACE_MS)) {
            self.give_up_at(node, at_ms, boot_ms);
        }
        let (ends, dead) =
            (std::mem::take(&mut self.nodes[node].desk.ends), std::mem::take(&mut self.nodes[node].desk.dead));
        dead.into_iter().for_each(|dead| self.adopt(node, dead));
        let reported = (!ends.is_empty()).then_some(Event::Lost(ends));
        for event in reported.into_iter().chain(events) {
            if !self.tell(node, event) {
                return;
            }
        }
        if let Some((_, return_ms)) = held.abandoned {
            return self.end_incarnation(node, return_ms);
        }
        if let Some(change) = held.releasing
            && self.nodes[node].planner.is_clear(&change.shards)
            && let Some(order) = self.nodes[node].keeper.cleared(change.number)
        {
            self.obey(node, vec![order]);
        }
        self.set_alarm(node);
    }

    fn set_alarm(&mut self, node: usize) {
        let state = &self.nodes[node];
        let wall = state.wall(self.now);
        let wait_ms = state.planner.next_wakeup().since(wall).clamp(0, 60_000).unsigned_abs();
        let at = (self.now + state.virtual_us(wait_ms)).max(self.now + 50);
        // Timers ring on whole milliseconds of the node's clock; a little later is as good.
        let at = if wait_ms > 0 { at - at % 1_000 + 1_000 } else { at };
        let life = state.life;
        if state.drive_at <= self.now || at < state.drive_at {
            self.nodes[node].drive_at = at;
            self.at(at, What::Drive(node, life));
        }
    }

    /// Tells the planner, and does what it asks. False: the process died of it.
    fn tell(&mut self, node: usize, event: Event) -> bool {
        let wall = self.nodes[node].wall(self.now);
        let before = self.nodes[node].planner.figures().corrections;
        let commands = self.nodes[node].planner.handle(wall, event);
        if self.nodes[node].planner.figures().corrections > before {
            self.note_corrections(node);
        }
        for command in commands {
            self.perform(node, command);
            if self.chance(Kind::CrashBetween) {
                self.crash(node, Kind::CrashBetween);
                return false;
            }
        }
        true
    }

    fn note_corrections(&mut self, node: usize) {
        let (at, now) = (self.time(), self.now);
        for trigger in self.nodes[node].planner.corrected() {
            let unheard = self.unheard.values().any(|named| named.contains(trigger));
            self.history.corrections.push(Correction { trigger: *trigger, at, unheard });
            self.trace.line(now, || format!("node {node} had passed over trigger {trigger}"));
        }
    }

    fn perform(&mut self, node: usize, command: Command) {
        match command {
            Command::Start(starts) => {
                for start in starts {
                    if self.nodes[node].started.remove(&start.run).is_none() {
                        self.begin_work(node, start);
                    }
                }
            }
            Command::Offer => self.offer(node),
            Command::Cancel(run) => {
                if !self.cancel_remote(node, run) && self.nodes[node].executing.cancel(run) {
                    self.tell_to_end(node, run);
                }
            }
            Command::Fire(batch) => self.send_fires(node, batch),
            Command::Complete(batch) => {
                self.ask_store(node, For::Complete(Arc::clone(&batch)), Verb::Complete(batch), DEADLINE_MS);
            }
            Command::Read(read) => self.send_read(node, read),
        }
    }

    fn send_fires(&mut self, node: usize, batch: Arc<FireBatch>) {
        if self.has(Planted::DispatchBeforeCommit) {
            self.start_at_once(node, &batch);
        }
        if self.has(Planted::EpochOnly) {
            let epochs = self.nodes[node].leases.iter().map(|(shard, lease)| (*shard, lease.epoch)).collect();
            self.bugs.epochs.insert(batch.id, epochs);
        }
        self.ask_store(node, For::Fire(Arc::clone(&batch)), Verb::Fire(batch), DEADLINE_MS);
    }

    /// The bug of starting what is not recorded yet.
    fn start_at_once(&mut self, node: usize, batch: &FireBatch) {
        for entry in &batch.entries {
            for run in entry.runs.iter().filter(|run| run.claim) {
                let start = Start {
                    run: run.id,
                    job: entry.job,
                    job_version: entry.job_version,
                    trigger: Some(entry.trigger),
                    fire_time: run.fire_time,
                    due_at: run.due_at,
                    attempt: 1,
                    input: None,
                    deadline: None,
                    awaited_by: None,
                    definition: None,
                };
                if self.nodes[node].started.insert(run.id, ()).is_none() {
                    self.begin_work(node, start);
                    self.keep_quiet();
                }
            }
        }
    }

    fn send_read(&mut self, node: usize, read: Read) {
        let now = self.record_time(node);
        let verb = match &read {
            Read::Window(shards, until, after) => Verb::Window(*shards, *until, *after),
            Read::Triggers(ids) => Verb::Triggers(ids.clone()),
            Read::Changes(shards, heard) => Verb::Changes(*shards, heard.clone()),
            Read::Claim(id, limit, _) => Verb::Claim(*id, *limit, now),
            Read::Release => Verb::ReleaseDue(now),
            Read::Held => Verb::Held,
            // Nothing is refused by this store, and no rule of the load panics.
            Read::PutAside { trigger, .. } => {
                _ = self.tell(node, Event::PutAside(*trigger));
                return;
            }
            Read::Ahead(..) => unreachable!("there is one release of the tz database here"),
            Read::Lost(runs) => {
                // Definitions are in memory, as everywhere here.
                let ends = runs.iter().map(|live| self.lost_end(live.clone(), now)).collect();
                _ = self.tell(node, Event::LostRead(ends));
                return;
            }
        };
        self.ask_store(node, For::Read(read), verb, DEADLINE_MS);
    }

    fn ask_store(&mut self, node: usize, why: For, verb: Verb, deadline_ms: u64) {
        let state = &mut self.nodes[node];
        let call = state.call(why);
        let sender = Sender { node, life: state.life, incarnation: state.incarnation, call };
        let at = self.now;
        self.trace.line(at, || format!("node {node} asks {call}: {}", verb.word()));
        self.send(sender, verb, deadline_ms);
    }

    /// Asks for a client. The answer goes to it.
    pub(crate) fn ask_for_client(&mut self, node: usize, client: usize, step: u64, verb: Verb) {
        self.ask_store(node, For::Client(client, step), verb, DEADLINE_MS);
    }

    pub(crate) fn too_late(&mut self, sender: Sender) {
        if self.nodes[sender.node].calls.contains_key(&sender.call) {
            self.hear(sender, Err(Failure::Unavailable));
        }
    }

    pub(crate) fn hear(&mut self, sender: Sender, reply: Reply) {
        let node = sender.node;
        let state = &self.nodes[node];
        if !state.up {
            return;
        }
        let Some(why) = state.calls.get(&sender.call) else { return };
        let is_loops = matches!(why, For::Fire(_) | For::Complete(_) | For::Read(_) | For::Adopt(_));
        let stalled = is_loops && state.stalled_until > self.now;
        if stalled || state.stands_until(self.now).is_some() {
            return self.nodes[node].deferred.push(What::Reply(sender, Box::new(reply)));
        }
        let why = self.nodes[node].calls.remove(&sender.call).expect("seen above");
        if reply.is_ok() {
            self.unheard.remove(&(node, sender.call));
        }
        let at = self.now;
        self.trace.line(at, || format!("node {node} hears {}: {}", sender.call, shown(&reply)));
        match why {
            For::Keeper(order, sent) => self.hear_lease(node, order, sent, reply),
            For::Client(client, step) => self.client_heard(client, step, reply),
            For::Leave => {}
            For::Desk(call) => self.hear_desk(node, call, reply),
            For::Adopt(dead) => self.hear_adopted(node, dead, reply),
            For::Fire(batch) => self.hear_fired(node, batch, reply),
            For::Complete(batch) => {
                let event = match reply {
                    Ok(Answer::Completed(outcome)) => {
                        self.recorded(node, &batch);
                        Event::Completed(batch, outcome)
                    }
                    _ => Event::CompleteFailed(batch),
                };
                self.drive(node, vec![event]);
            }
            For::Read(read) => self.hear_read(node, read, reply),
        }
    }

    fn hear_fired(&mut self, node: usize, batch: Arc<FireBatch>, reply: Reply) {
        let event = match reply {
            Ok(Answer::Fired(outcome)) => Event::Fired(batch, outcome),
            Err(Failure::Fenced) => return self.fenced(node),
            _ if self.has(Planted::RetryBySelect) => {
                let outcome = self.guessed(&batch);
                Event::Fired(batch, outcome)
            }
            _ => Event::FireFailed(batch),
        };
        self.drive(node, vec![event]);
    }

    /// The bug of concluding from a look what became of a batch.
    fn guessed(&self, batch: &FireBatch) -> FireOutcome {
        let mut outcome = FireOutcome::default();
        for (index, entry) in (0_u32..).zip(&batch.entries) {
            let rows = ready(self.store.memory.trigger_rows(&[entry.trigger])).expect("the memory store is open");
            match rows.first().is_some_and(|row| row.progress.next_fire_at == entry.progress.next_fire_at) {
                true => outcome.placed.extend(entry.runs.iter().map(|_| Placed::Queued)),
                false => outcome.stale.push(index),
            }
        }
        outcome
    }

    fn fenced(&mut self, node: usize) {
        self.nodes[node].fenced = true;
        self.drive(node, Vec::new());
    }

    fn hear_read(&mut self, node: usize, read: Read, reply: Reply) {
        let event = match reply {
            Ok(Answer::Window(rows, more)) => match self.load(&rows) {
                Some(loaded) => Event::WindowRead(loaded, more),
                None => Event::ReadFailed(read),
            },
            Ok(Answer::Triggers(mut rows)) => {
                rows.retain(|row| !row.paused);
                self.load(&rows).map_or(Event::ReadFailed(read), Event::TriggersRead)
            }
            Ok(Answer::Changes(changes)) => Event::ChangesRead(changes),
            Ok(Answer::Claimed(runs)) => Event::Claimed(runs.into_iter().map(Start::from).collect()),
            Ok(Answer::Released(released)) => Event::Released(released),
            Ok(Answer::Adopted(runs)) => Event::HeldRead(runs),
            Err(Failure::Fenced) => return self.fenced(node),
            _ => Event::ReadFailed(read),
        };
        self.drive(node, vec![event]);
    }

    fn hear_lease(&mut self, node: usize, order: Order, sent: Reading, reply: Reply) {
        let event = match (order, reply) {
            (Order::Renew(_), Ok(Answer::View(view))) => {
                if self.has(Planted::EpochOnly) {
                    let me = self.nodes[node].incarnation;
                    let mine = view.shards.iter().filter(|(_, lease)| lease.owner == me);
                    self.nodes[node].leases = mine.map(|(shard, lease)| (*shard, *lease)).collect();
                }
                if self.has(Planted::TimestampLease) {
                    self.bury_by_timestamp(node, &view);
                }
                let received = self.nodes[node].reading(self.now);
                cluster::Event::Renewed(Renewed { sent, received, view })
            }
            (Order::Renew(_), _) => cluster::Event::RenewalFailed,
            (Order::Bury(dead, _), _) => cluster::Event::Buried(dead),
            (Order::Acquire(_), Ok(Answer::Shards(gained))) => cluster::Event::Acquired(gained),
            (Order::Acquire(_), _) => cluster::Event::Acquired(ShardSet::EMPTY),
            (Order::Release(_), Ok(Answer::Shards(released))) => cluster::Event::Released(released),
            (Order::Release(_), _) => cluster::Event::Released(ShardSet::EMPTY),
            (Order::FindOrphans, Ok(Answer::Incarnations(found))) => {
                for dead in self.nodes[node].keeper.orphaned(&found) {
                    self.adopt(node, dead);
                }
                return;
            }
            (Order::FindOrphans | Order::Hint | Order::WarnClock(_) | Order::ClearClock | Order::WarnVersion(_), _) => {
                return;
            }
        };
        self.keep(node, event);
    }

    /// The bug of burying whoever's last renewal is long ago by one's own wall clock.
    fn bury_by_timestamp(&mut self, node: usize, view: &cluster::ClusterView) {
        let (me, wall_ms) = (self.nodes[node].incarnation, self.nodes[node].reading(self.now).wall_ms);
        let lease_ms = self.cluster.lease_ms.cast_signed();
        for row in view.nodes.iter().filter(|row| row.incarnation != me) {
            let renewed = self.bugs.renewals.get(&row.incarnation).copied().unwrap_or(wall_ms);
            if wall_ms - renewed > lease_ms {
                let verb = Verb::Bury(row.incarnation, None);
                self.ask_store(node, For::Leave, verb, self.cluster.deadline_ms);
            }
        }
    }

    fn adopt(&mut self, node: usize, dead: Incarnation) {
        if self.nodes[node].adopting.insert(dead) {
            let state = &mut self.nodes[node];
            state.adoptions += 1;
            let id = BatchId { incarnation: state.incarnation, sequence: state.adoptions };
            self.ask_store(node, For::Adopt(dead), Verb::AdoptFrom(dead, id), DEADLINE_MS);
        }
    }

    fn hear_adopted(&mut self, node: usize, dead: Incarnation, reply: Reply) {
        self.nodes[node].adopting.remove(&dead);
        let Ok(Answer::Adopted(runs)) = reply else { return };
        if runs.is_empty() {
            return;
        }
        let now = self.record_time(node);
        let ends = runs.into_iter().map(|live| self.lost_end(live, now)).collect();
        self.adopt(node, dead);
        self.drive(node, vec![Event::Lost(ends)]);
    }

    fn lost_end(&mut self, live: LiveRun, now: Timestamp) -> AttemptEnd {
        let started_at = live.began_at();
        let mut start = Start::from(live.claimed);
        start.awaited_by = self.awaiting(&start);
        let definition = self.definition(&start);
        AttemptEnd {
            held_by: None,
            start,
            definition,
            outcome: AttemptOutcome::Lost,
            vetoed: false,
            started_at,
            ended_at: now,
            detail: None,
        }
    }

    /// Whether the loop of a node does nothing now.
    pub(crate) fn stalls(&self, node: usize) -> bool {
        self.nodes[node].stalled_until.max(self.nodes[node].paused_until) > self.now
    }
}

/// What a node's own pool takes runs from.
fn own_queues() -> Queues {
    Queues::named([DEFAULT_QUEUE])
}

fn shown(reply: &Reply) -> String {
    match reply {
        Ok(Answer::View(view)) => format!("view of {} nodes", view.nodes.len()),
        Ok(Answer::Window(rows, _)) => format!("{} rows", rows.len()),
        other => {
            let mut text = format!("{other:?}");
            text.truncate(700);
            text
        }
    }
}
