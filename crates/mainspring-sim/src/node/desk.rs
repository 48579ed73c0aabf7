//! What a node does for workers of other machines: the shell around their sessions, as thin as that of the engine.

use std::collections::BTreeSet;

use mainspring_api::{WorkerEnd, WorkerOrders, WorkerPoll};
use mainspring_core::batch::CompletionBatch;
use mainspring_core::job::Job;
use mainspring_core::workers::{
    BEAT_MS, CHECK_ALL_MS, Count, HOLD_MS, Held, Lines, Reception, Refusal, Session, Watch, hold_ms, is_fresh,
};
use mainspring_store::WorkerInfo;

mod report;
mod words;

pub(crate) use self::words::{holding, outcome_of};
use self::words::{key_of, named, offered};
use super::*;
use crate::worker::{Ask, Request, Response, SLOTS, Trouble};

/// The queue of the jobs that workers execute.
pub(crate) const REMOTE: &str = "remote";
/// How long a report waits until its ends are recorded; then the worker reports again.
const PATIENCE_MS: u64 = 20_000;
/// How long to wait before a claim is repeated whose answer is not known.
const RETRY_AFTER_MS: u64 = 250;

/// The workers that talk to a node, for as long as its process lives.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    sessions: BTreeMap<Incarnation, Talk>,
    lines: Lines<Incarnation>,
    watch: Watch,
    /// When the last count was sent that succeeded.
    counted_ms: u64,
    /// Requests under way, by number.
    requests: BTreeMap<u64, Open>,
    numbers: u64,
    /// Which requests wait until the end of an attempt is recorded.
    waiting: BTreeMap<(RunId, u32), Vec<u64>>,
    /// For the loop: ends to record, and workers whose runs are to be taken over.
    pub(super) ends: Vec<AttemptEnd>,
    pub(super) dead: Vec<Incarnation>,
}

/// A session, and what is in it.
#[derive(Debug)]
struct Talk {
    session: Session,
    runs: BTreeMap<RunId, Given>,
    /// Tells it from another one of the same worker.
    number: u64,
}

#[derive(Clone, Debug)]
struct Given {
    start: Start,
    definition: Arc<Job>,
    claimed_at: Timestamp,
}

#[derive(Debug)]
struct Open {
    request: Request,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    /// Something is asked of the store.
    Asking,
    /// A session has to end its claim before another takes its place.
    Retiring,
    /// A poll that is held, since then by the node's boot clock.
    Held(u64),
    /// A report waits until these are recorded.
    Recording(BTreeSet<(RunId, u32)>),
}

/// What of the store a request needs, and what the desk itself does.
#[derive(Clone, Debug)]
pub(crate) enum DeskCall {
    Join(u64, Incarnation),
    Info(u64),
    Hear(u64),
    Held(u64),
    Leave(u64, Incarnation),
    ReportInfo(u64),
    ReportHeld(u64),
    Claim {
        worker: Incarnation,
        talk: u64,
        id: BatchId,
        /// When it was asked for first.
        at: Timestamp,
        free: u32,
        offers: u64,
    },
    /// With the sessions that were heard.
    Beat {
        asked_ms: u64,
        heard: Vec<(Incarnation, u64)>,
    },
    Bury(Incarnation),
    Check {
        asked_ms: u64,
    },
}

/// What the desk has to do at a time.
#[derive(Clone, Debug)]
pub(crate) enum DeskTick {
    /// Counts workers up.
    Beat,
    /// Compares what is here with what the store says.
    Check,
    /// A worker's polls are to be looked at.
    Look(Incarnation),
    /// A request has waited long enough.
    Over(u64),
    /// A claim is repeated.
    ClaimAgain(Box<DeskCall>),
}

impl World {
    /// A process begins, and nobody talks to it.
    pub(super) fn open_desk(&mut self, node: usize) {
        let counted_ms = self.nodes[node].boot_ms(self.now);
        self.nodes[node].desk = Desk { counted_ms, ..Desk::default() };
        self.tick_desk(node, BEAT_MS, DeskTick::Beat);
        self.tick_desk(node, CHECK_ALL_MS, DeskTick::Check);
    }

    /// A process dies: whoever waits for it hears that.
    pub(super) fn close_desk(&mut self, node: usize) {
        let open = std::mem::take(&mut self.nodes[node].desk.requests);
        open.into_values().for_each(|open| self.respond(open.request, Err(Trouble::Passing)));
    }

    fn tick_desk(&mut self, node: usize, ms: u64, tick: DeskTick) {
        let (process, micros) = (self.nodes[node].process, self.nodes[node].virtual_us(ms));
        self.after(micros, What::Desk(node, process, Box::new(tick)));
    }

    pub(crate) fn desk_ticked(&mut self, node: usize, process: u32, tick: Box<DeskTick>) {
        if self.nodes[node].process != process || !self.nodes[node].up {
            return;
        }
        if self.nodes[node].stands_until(self.now).is_some() {
            return self.nodes[node].deferred.push(What::Desk(node, process, tick));
        }
        match *tick {
            DeskTick::Beat => self.beat(node),
            DeskTick::Check => {
                let asked_ms = self.nodes[node].boot_ms(self.now);
                self.ask_for_desk(node, DeskCall::Check { asked_ms }, Verb::HeldByWorkers);
            }
            DeskTick::Look(worker) => self.look_for(node, worker),
            DeskTick::Over(request) => self.waited(node, request),
            DeskTick::ClaimAgain(call) => self.send_claim(node, *call),
        }
    }

    fn ask_for_desk(&mut self, node: usize, call: DeskCall, verb: Verb) {
        self.ask_store(node, For::Desk(call), verb, DEADLINE_MS);
    }

    // Requests.

    /// A worker's request arrives.
    pub(crate) fn asked(&mut self, request: Request) {
        let node = request.node;
        if !self.nodes[node].up {
            return self.respond(request, Err(Trouble::Passing));
        }
        if self.nodes[node].stands_until(self.now).is_some() {
            return self.nodes[node].deferred.push(What::Ask(Box::new(request)));
        }
        let desk = &mut self.nodes[node].desk;
        desk.numbers += 1;
        let (number, ask) = (desk.numbers, request.ask.clone());
        desk.requests.insert(number, Open { request, stage: Stage::Asking });
        match ask {
            Ask::Join => self.join(node, number),
            Ask::Poll(worker, poll) => self.polled(node, number, worker, &poll),
            Ask::Report(worker, ends) => self.reported(node, number, worker, &ends),
            Ask::Leave(worker) => {
                self.ask_for_desk(node, DeskCall::Leave(number, worker), Verb::BuryWorker(worker, None));
            }
        }
    }

    /// A worker has gone away from a request.
    pub(crate) fn hung_up(&mut self, node: usize, worker: usize, call: u64) {
        let of = |open: &Open| (open.request.worker, open.request.call) == (worker, call);
        let numbers: Vec<u64> =
            self.nodes[node].desk.requests.iter().filter(|(_, open)| of(open)).map(|(number, _)| *number).collect();
        numbers.into_iter().for_each(|number| _ = self.close(node, number));
    }

    /// Takes a request out that is over.
    fn close(&mut self, node: usize, number: u64) -> Option<Request> {
        let now_ms = self.nodes[node].boot_ms(self.now);
        let desk = &mut self.nodes[node].desk;
        let open = desk.requests.remove(&number)?;
        if let (Stage::Held(_), Ask::Poll(worker, _)) = (&open.stage, &open.request.ask)
            && let Some(talk) = desk.sessions.get_mut(worker)
        {
            talk.session.release(now_ms);
        }
        Some(open.request)
    }

    fn finish(&mut self, node: usize, number: u64, answer: Result<Response, Trouble>) {
        if let Some(request) = self.close(node, number) {
            self.respond(request, answer);
        }
    }

    /// A request has waited long enough.
    fn waited(&mut self, node: usize, number: u64) {
        let counted_ms = self.nodes[node].desk.counted_ms;
        let answer = match self.nodes[node].desk.requests.get(&number).map(|open| &open.stage) {
            Some(Stage::Held(since)) => Ok(Response::Orders(WorkerOrders {
                held_ms: Some(counted_ms.saturating_sub(*since)),
                ..WorkerOrders::default()
            })),
            Some(Stage::Retiring | Stage::Recording(_)) => Err(Trouble::Passing),
            Some(Stage::Asking) | None => return,
        };
        self.finish(node, number, answer);
    }

    fn join(&mut self, node: usize, number: u64) {
        let id = Incarnation(u128::from(self.random.next()) << 64 | u128::from(self.random.next()));
        let info = self.info(node, id, self.nodes[node].desk.requests[&number].request.worker);
        self.ask_for_desk(node, DeskCall::Join(number, id), Verb::JoinWorker(Box::new(info)));
    }

    fn info(&self, node: usize, id: Incarnation, worker: usize) -> WorkerInfo {
        WorkerInfo {
            id,
            name: format!("worker-{worker}"),
            queues: vec![REMOTE.into()],
            labels: std::collections::BTreeMap::new(),
            place: None,
            slots: SLOTS,
            version: None,
            token: None,
            node: self.nodes[node].incarnation,
            joined_at: self.record_time(node),
        }
    }

    // Polls.

    fn polled(&mut self, node: usize, number: u64, worker: Incarnation, poll: &WorkerPoll) {
        let now_ms = self.nodes[node].boot_ms(self.now);
        let known = self.nodes[node].desk.sessions.get_mut(&worker);
        let Some(talk) = known else {
            return self.ask_for_desk(node, DeskCall::Info(number), Verb::WorkerInfo(worker));
        };
        match talk.session.receive(now_ms, poll.number, &named(poll)) {
            Reception::Stale => self.finish(node, number, Err(Trouble::Stale)),
            Reception::GoesOn => self.hold(node, number),
            Reception::Anew => {
                talk.session.retire();
                let claims = talk.session.is_claiming();
                self.tick_desk(node, 0, DeskTick::Look(worker));
                if !claims {
                    return self.ask_for_desk(node, DeskCall::Info(number), Verb::WorkerInfo(worker));
                }
                self.stage(node, number, Stage::Retiring);
                self.tick_desk(node, HOLD_MS, DeskTick::Over(number));
            }
        }
    }

    fn stage(&mut self, node: usize, number: u64, stage: Stage) {
        if let Some(open) = self.nodes[node].desk.requests.get_mut(&number) {
            open.stage = stage;
        }
    }

    fn hold(&mut self, node: usize, number: u64) {
        let now_ms = self.nodes[node].boot_ms(self.now);
        let desk = &mut self.nodes[node].desk;
        let Some(open) = desk.requests.get_mut(&number) else { return };
        let Ask::Poll(worker, poll) = &open.request.ask else { return };
        let (worker, wait_ms) = (*worker, hold_ms(poll.wait_ms, poll.runs.is_empty()));
        let Some(talk) = desk.sessions.get_mut(&worker) else { return };
        open.stage = Stage::Held(now_ms);
        talk.session.hold();
        self.tick_desk(node, wait_ms, DeskTick::Over(number));
        self.look_for(node, worker);
    }

    /// Looks at the polls of a worker that are held, and at those that wait for its session to retire.
    fn look_for(&mut self, node: usize, worker: Incarnation) {
        let of = |open: &Open| matches!(open.request.ask, Ask::Poll(of, _) if of == worker);
        let open: Vec<u64> =
            self.nodes[node].desk.requests.iter().filter(|(_, open)| of(open)).map(|(number, _)| *number).collect();
        for number in open {
            match self.nodes[node].desk.requests.get(&number).map(|open| &open.stage) {
                Some(Stage::Held(since)) => {
                    let since = *since;
                    self.look_at(node, worker, number, since);
                }
                Some(Stage::Retiring) => {
                    let claims = |talk: &Talk| talk.session.is_claiming();
                    if !self.nodes[node].desk.sessions.get(&worker).is_some_and(claims) {
                        self.stage(node, number, Stage::Asking);
                        self.ask_for_desk(node, DeskCall::Info(number), Verb::WorkerInfo(worker));
                    }
                }
                _ => {}
            }
        }
    }

    fn look_at(&mut self, node: usize, worker: Incarnation, number: u64, since: u64) {
        let now_ms = self.nodes[node].boot_ms(self.now);
        let desk = &mut self.nodes[node].desk;
        let counted_ms = desk.counted_ms;
        if !is_fresh(now_ms, counted_ms) {
            return self.finish(node, number, Err(Trouble::Passing));
        }
        let Ask::Poll(_, poll) = &desk.requests[&number].request.ask else { return };
        let Some(talk) = desk.sessions.get_mut(&worker) else {
            return self.finish(node, number, Err(Trouble::Stale));
        };
        let (poll_number, free) = (poll.number, poll.free);
        match talk.session.orders(now_ms, poll_number, &named(poll)) {
            Err(Refusal::Gone) => self.finish(node, number, Err(Trouble::Dismissed)),
            Err(Refusal::Stale) => self.finish(node, number, Err(Trouble::Stale)),
            Err(Refusal::Over) => {
                let held_ms = Some(counted_ms.saturating_sub(since));
                self.finish(node, number, Ok(Response::Orders(WorkerOrders { held_ms, ..WorkerOrders::default() })));
            }
            Ok(orders) if orders.is_empty() => self.seek(node, worker, poll_number, free),
            Ok(orders) => {
                let given = orders.give.iter().filter_map(|(run, _)| talk.runs.get(run));
                let runs = given.map(offered).collect();
                let cancel = orders.end.iter().map(RunId::to_string).collect();
                self.finish(
                    node,
                    number,
                    Ok(Response::Orders(WorkerOrders {
                        runs,
                        cancel,
                        held_ms: Some(counted_ms.saturating_sub(since)),
                        draining: false,
                    })),
                );
            }
        }
    }

    /// Claims runs for a worker if there may be any, or puts it into the line of those that wait.
    fn seek(&mut self, node: usize, worker: Incarnation, poll: u64, asked: u32) {
        let queues = remote();
        let desk = &mut self.nodes[node].desk;
        let offers = desk.lines.offers();
        if !desk.lines.may_claim(&queues, offers) {
            if asked > 0 {
                desk.lines.wait(&queues, worker, |other| *other == worker);
            }
            return;
        }
        let talk = desk.sessions.get_mut(&worker).expect("the caller has seen it");
        let Some(free) = talk.session.begin_claim(poll, asked) else { return self.wake_next(node) };
        let id = BatchId { incarnation: worker, sequence: self.random.next() };
        let (talk, at) = (talk.number, self.record_time(node));
        self.send_claim(node, DeskCall::Claim { worker, talk, id, at, free, offers });
    }

    fn send_claim(&mut self, node: usize, call: DeskCall) {
        let DeskCall::Claim { id, at, free, .. } = &call else { return };
        let verb = Verb::ClaimFor(*id, self.nodes[node].incarnation, *free, *at);
        self.ask_for_desk(node, call, verb);
    }

    fn wake_next(&mut self, node: usize) {
        self.wake_line(node, |lines, wake| lines.wake_next(&remote(), wake));
    }

    /// Runs may have been queued.
    pub(super) fn offer(&mut self, node: usize) {
        self.wake_line(node, |lines, wake| lines.offer(wake));
    }

    fn wake_line(
        &mut self,
        node: usize,
        work: impl FnOnce(&mut Lines<Incarnation>, &mut dyn FnMut(&Incarnation) -> bool),
    ) {
        let mut woken = Vec::new();
        let Desk { sessions, lines, .. } = &mut self.nodes[node].desk;
        work(lines, &mut |worker| {
            let polls = sessions.get(worker).is_some_and(|talk| talk.session.is_polling());
            woken.extend(polls.then_some(*worker));
            polls
        });
        woken.into_iter().for_each(|worker| self.tick_desk(node, 0, DeskTick::Look(worker)));
    }

    /// Asks for the end of a run. False: no worker that talks to this node has it.
    pub(super) fn cancel_remote(&mut self, node: usize, run: RunId) -> bool {
        let mut sessions = self.nodes[node].desk.sessions.iter_mut();
        let here = sessions.find_map(|(worker, talk)| talk.session.end(run).then_some(*worker));
        let Some(worker) = here else { return false };
        self.tick_desk(node, 0, DeskTick::Look(worker));
        true
    }

    // Who is dead.

    fn beat(&mut self, node: usize) {
        let (now_ms, at) = (self.nodes[node].boot_ms(self.now), self.record_time(node));
        let desk = &mut self.nodes[node].desk;
        desk.sessions.retain(|_, talk| talk.session.is_kept(now_ms));
        let counted_ms = desk.counted_ms;
        let heard = desk.sessions.iter().filter(|(_, talk)| talk.session.counts(now_ms, counted_ms));
        let heard: Vec<(Incarnation, u64)> = heard.map(|(worker, talk)| (*worker, talk.number)).collect();
        let workers = heard.iter().map(|(worker, _)| *worker).collect();
        let call = DeskCall::Beat { asked_ms: now_ms, heard };
        self.ask_for_desk(node, call, Verb::BeatWorkers(self.nodes[node].incarnation, workers, at));
    }

    fn beaten(&mut self, node: usize, asked_ms: u64, heard: &[(Incarnation, u64)], counts: &[Count]) {
        let now_ms = self.nodes[node].boot_ms(self.now);
        let desk = &mut self.nodes[node].desk;
        desk.counted_ms = asked_ms;
        let dead = desk.watch.observe(asked_ms, now_ms, counts);
        let sessions = &desk.sessions;
        desk.lines.tidy(|worker| sessions.contains_key(worker));
        for &(worker, number) in heard {
            let count = counts.iter().find(|count| count.worker == worker).copied();
            let talk = self.nodes[node].desk.sessions.get_mut(&worker).filter(|talk| talk.number == number);
            if talk.is_some_and(|talk| talk.session.counted(count)) {
                self.look_for(node, worker);
            }
            if count.is_none() {
                self.nodes[node].desk.sessions.remove(&worker);
            }
        }
        for (worker, counter) in dead {
            self.ask_for_desk(node, DeskCall::Bury(worker), Verb::BuryWorker(worker, Some(counter)));
        }
    }

    /// Ends a session: its worker hears that it is gone.
    fn forget(&mut self, node: usize, worker: Incarnation) {
        if let Some(talk) = self.nodes[node].desk.sessions.get_mut(&worker) {
            talk.session.bury();
            self.look_for(node, worker);
            self.nodes[node].desk.sessions.remove(&worker);
        }
    }

    fn buried(&mut self, node: usize, worker: Incarnation) {
        self.forget(node, worker);
        self.nodes[node].desk.dead.push(worker);
        self.rouse(node);
    }

    /// Has the loop look soon.
    fn rouse(&mut self, node: usize) {
        let (now, life) = (self.now, self.nodes[node].life);
        self.nodes[node].drive_at = now;
        self.at(now, What::Drive(node, life));
    }

    // Answers of the store.

    pub(super) fn hear_desk(&mut self, node: usize, call: DeskCall, reply: Reply) {
        match (call, reply) {
            (DeskCall::Join(number, id), Ok(_)) => {
                self.begin_talk(node, id, SLOTS);
                self.finish(node, number, Ok(Response::Joined(id)));
            }
            (DeskCall::Info(number), Ok(Answer::Worker(Some(_)))) => {
                let (at, me) = (self.record_time(node), self.nodes[node].incarnation);
                if let Some(worker) = self.poller(node, number) {
                    self.ask_for_desk(node, DeskCall::Hear(number), Verb::HearWorker(worker, me, at));
                }
            }
            (DeskCall::Hear(number), Ok(Answer::WasThere(true))) => {
                if let Some(worker) = self.poller(node, number) {
                    self.ask_for_desk(node, DeskCall::Held(number), Verb::HeldBy(worker));
                }
            }
            (DeskCall::Held(number), Ok(Answer::Adopted(held))) => self.talk_anew(node, number, &held),
            (DeskCall::ReportInfo(number), Ok(Answer::Worker(Some(_)))) => {
                let worker = self.nodes[node].desk.requests.get(&number).map(|open| open.request.ask.worker());
                if let Some(worker) = worker.flatten() {
                    self.ask_for_desk(node, DeskCall::ReportHeld(number), Verb::HeldBy(worker));
                }
            }
            (DeskCall::ReportHeld(number), Ok(Answer::Adopted(held))) => self.record_ends(node, number, &held),
            (DeskCall::Info(number) | DeskCall::ReportInfo(number), Ok(Answer::Worker(None)))
            | (DeskCall::Hear(number) | DeskCall::Leave(number, _), Ok(Answer::WasThere(false))) => {
                self.finish(node, number, Err(Trouble::Dismissed));
            }
            (DeskCall::Leave(number, worker), Ok(Answer::WasThere(true))) => {
                self.buried(node, worker);
                self.finish(node, number, Ok(Response::Left));
            }
            (claim @ DeskCall::Claim { .. }, reply) => self.hear_claim(node, claim, reply),
            (DeskCall::Beat { asked_ms, heard }, reply) => {
                if let Ok(Answer::Counts(counts)) = reply {
                    self.beaten(node, asked_ms, &heard, &counts);
                }
                self.tick_desk(node, BEAT_MS, DeskTick::Beat);
            }
            (DeskCall::Check { asked_ms }, reply) => {
                if let Ok(Answer::Hold(held)) = reply {
                    self.compare(node, asked_ms, &held);
                }
                self.tick_desk(node, CHECK_ALL_MS, DeskTick::Check);
            }
            (DeskCall::Bury(worker), Ok(Answer::WasThere(true))) => self.buried(node, worker),
            (DeskCall::Bury(_), _) => {}
            (
                DeskCall::Join(number, _)
                | DeskCall::Info(number)
                | DeskCall::Hear(number)
                | DeskCall::Held(number)
                | DeskCall::Leave(number, _)
                | DeskCall::ReportInfo(number)
                | DeskCall::ReportHeld(number),
                _,
            ) => self.finish(node, number, Err(Trouble::Passing)),
        }
    }

    fn compare(&mut self, node: usize, asked_ms: u64, held: &[Held]) {
        for (worker, talk) in &mut self.nodes[node].desk.sessions {
            let of_it: Vec<Held> = held.iter().filter(|held| held.worker == *worker).copied().collect();
            talk.session.check(asked_ms, &of_it);
        }
    }

    fn poller(&self, node: usize, number: u64) -> Option<Incarnation> {
        self.nodes[node].desk.requests.get(&number)?.request.ask.worker()
    }

    fn begin_talk(&mut self, node: usize, worker: Incarnation, slots: u32) {
        let now_ms = self.nodes[node].boot_ms(self.now);
        let desk = &mut self.nodes[node].desk;
        desk.numbers += 1;
        let talk = Talk { session: Session::new(slots, now_ms), runs: BTreeMap::new(), number: desk.numbers };
        desk.sessions.insert(worker, talk);
    }

    /// A session from what the store says the worker has.
    fn talk_anew(&mut self, node: usize, number: u64, held: &[LiveRun]) {
        let Some(open) = self.nodes[node].desk.requests.get(&number) else { return };
        let Ask::Poll(worker, poll) = open.request.ask.clone() else { return };
        // An older one ends, and its polls.
        if let Some(talk) = self.nodes[node].desk.sessions.get_mut(&worker) {
            talk.session.retire();
            self.look_for(node, worker);
        }
        let before = self.nodes[node].desk.sessions.remove(&worker);
        self.begin_talk(node, worker, SLOTS);
        let now_ms = self.nodes[node].boot_ms(self.now);
        for live in held {
            let given = self.prepared(live);
            self.put(node, worker, given, live.ends);
        }
        let talk = self.nodes[node].desk.sessions.get_mut(&worker).expect("begun above");
        before.into_iter().for_each(|mut before| talk.session.replace(&mut before.session));
        talk.session.receive(now_ms, poll.number, &named(&poll));
        self.hold(node, number);
    }

    fn put(&mut self, node: usize, worker: Incarnation, given: Given, ends: bool) {
        let Some(talk) = self.nodes[node].desk.sessions.get_mut(&worker) else { return };
        talk.session.give(given.start.run, given.start.attempt, ends);
        talk.runs.insert(given.start.run, given);
    }

    fn hear_claim(&mut self, node: usize, call: DeskCall, reply: Reply) {
        let DeskCall::Claim { worker, talk, at, free, offers, .. } = call else { return };
        let is_same = |there: &Talk| there.number == talk;
        let is_here = self.nodes[node].desk.sessions.get(&worker).is_some_and(is_same);
        let claimed = match reply {
            Ok(Answer::Claimed(runs)) => Some(runs),
            Err(Failure::Fenced) => None,
            _ => return self.tick_desk(node, RETRY_AFTER_MS, DeskTick::ClaimAgain(Box::new(call))),
        };
        let count = claimed.as_ref().map(Vec::len);
        for claimed in claimed.unwrap_or_default().into_iter().filter(|_| is_here) {
            let mut start = Start::from(claimed);
            start.awaited_by = self.awaiting(&start);
            let definition = self.definition(&start);
            self.put(node, worker, Given { start, definition, claimed_at: at }, false);
        }
        if is_here {
            self.nodes[node].desk.sessions.get_mut(&worker).expect("seen above").session.end_claim();
        }
        match count {
            Some(count) if count < free as usize => self.nodes[node].desk.lines.exhausted(&remote(), offers),
            _ => self.wake_next(node),
        }
        if is_here && count.is_none() {
            // The worker may be heard elsewhere: its next poll here begins another session.
            self.nodes[node].desk.sessions.get_mut(&worker).expect("seen above").session.retire();
        }
        self.tick_desk(node, 0, DeskTick::Look(worker));
    }
}

pub(crate) fn remote() -> mainspring_core::batch::Queues {
    mainspring_core::batch::Queues::named([REMOTE])
}
