//! The loop of all flows of a node.

mod branches;
mod draining;
mod editing;
mod inboxes;
mod queues;
mod reading;
mod validity;

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_core::cluster::{Shard, Status};
use mainspring_core::flow::body::Body;
use mainspring_core::flow::{Definition, Event, Flow, MINUTE_MS, Now, Pools, Refused, Start, Ticket};
use mainspring_core::shard_of;
use mainspring_store::{FlowRow, InboxRow, ItemRow, Store, causes};
use tokio::sync::{mpsc, watch};

use super::body::{Claims, Run, Told, Tools};
use super::changes::Changes;
use super::history::Due;
use super::meter::Meter;
use super::running::{Ended, Loaded, Pending, Running};
use super::validity::Lacks;
use super::writes::{Keeper, Outcome, keep, together};
use super::{Action, FlowError, Name, Reply, Request, WaitingItem};
use crate::clock::{Clock, boot_ms};
use crate::tasks::Tasks;
use reading::{list, read};

/// How often flows that others have changed are looked for, where nodes share the store.
const LOOK_EVERY_MS: i64 = 1_000;
/// How often the net below the wakes is drawn through, and after how long a failed write is tried again.
const NET_EVERY_MS: i64 = 5_000;
const RETRY_AFTER_MS: u64 = 500;

/// What happens to the loop.
enum Inbox {
    /// Which flows there are.
    Listed(Result<(Vec<FlowRow>, BTreeMap<String, u32>), mainspring_store::Error>),
    ListAgain,
    Loaded(i64, Result<Option<Box<Loaded>>, Unread>),
    /// A flow that is at work, as it is to be from now on.
    Compiled(Box<FlowRow>, Result<Box<(Definition, Flow, Lacks)>, Unread>),
    /// What components lack that are to start.
    Asked(Box<validity::Asked>, Vec<String>, Lacks),
    /// What components lack that wait for it.
    Judged(validity::Judged),
    Ended(i64, u64, Box<Ended>),
    /// What became of what was to be written; nothing where it does not count, as it never will again.
    Written(i64, u64, Option<Outcome>),
    /// What an owner has seen in the inboxes of its flow.
    Looked(i64, u64, mainspring_store::Result<Vec<(InboxRow, Vec<ItemRow>)>>),
    /// An inbox for a component on a node, or nothing where the flow has changed.
    Opened(Box<branches::Opening>, mainspring_store::Result<Option<i64>>),
    /// What the owner has taken out of an inbox; nothing where it is closed.
    Left(i64, u64, mainspring_store::Result<Option<Vec<i64>>>),
}

/// Why a flow is not at work.
enum Unread {
    /// Nobody can run it as it is kept.
    Broken(String),
    /// The store did not answer, and may the next time.
    Store(mainspring_store::Error),
}

/// See [module](self).
pub(crate) struct Works {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    tools: Tools,
    status: watch::Receiver<Option<Arc<Status>>>,
    requests: mpsc::UnboundedReceiver<Request>,
    inbox: (mpsc::UnboundedSender<Inbox>, mpsc::UnboundedReceiver<Inbox>),
    tasks: Tasks,
    pools: Pools,
    /// Flows of this node by number; below zero, branches of flows that others own.
    flows: BTreeMap<i64, Running>,
    branches: branches::Branches,
    /// Flows that are being read, and those that cannot be run, with their versions.
    loading: BTreeMap<i64, i64>,
    broken: BTreeMap<i64, i64>,
    is_listing: bool,
    /// Whether to list again once a list is there.
    lists_again: bool,
    /// Whether it will be listed again soon.
    is_retrying: bool,
    /// Who waits for a list, and for a flow.
    waiting: Vec<(Option<Name>, Reply<()>)>,
    generations: u64,
    /// Whether the flows that were there at the start are at work. Until then, what is asked waits.
    is_ready: bool,
    postponed: Vec<Request>,
    look_at: i64,
    net_at: i64,
    changes: Changes,
    meter: Meter,
    draining: draining::Draining,
    validity: validity::Validity,
}

impl Works {
    pub(super) fn new(
        store: Arc<dyn Store>,
        tools: Tools,
        status: watch::Receiver<Option<Arc<Status>>>,
        requests: mpsc::UnboundedReceiver<Request>,
        changes: Changes,
    ) -> Self {
        Self {
            store,
            clock: Arc::clone(&tools.clock),
            meter: Meter::new(Arc::clone(&tools.metrics)),
            tools,
            status,
            requests,
            inbox: mpsc::unbounded_channel(),
            tasks: Tasks::default(),
            pools: Pools::default(),
            flows: BTreeMap::new(),
            branches: branches::Branches::default(),
            loading: BTreeMap::new(),
            broken: BTreeMap::new(),
            is_listing: false,
            lists_again: false,
            is_retrying: false,
            waiting: Vec::new(),
            generations: 0,
            is_ready: false,
            postponed: Vec::new(),
            look_at: 0,
            net_at: 0,
            changes,
            draining: draining::Draining::default(),
            validity: validity::Validity::default(),
        }
    }

    /// Runs until nobody asks any more.
    pub(crate) async fn run(mut self) {
        let mut alarm = self.clock.alarm();
        let mut stirs = self.store.cluster().map(|cluster| cluster.stirs());
        self.list();
        loop {
            let now = self.now();
            let at = now.wall + (self.next_wakeup_ms() - now.mono_ms).max(0);
            tokio::select! {
                request = self.requests.recv() => match request {
                    Some(request) => self.answer(request),
                    None => return,
                },
                Some(news) = self.inbox.1.recv() => self.hear(news),
                () = stirred(&mut stirs) => self.stirred(),
                () = alarm.wait_until(at) => {}
            }
            // What has come meanwhile is heard together, so that it is kept together.
            while let Ok(news) = self.inbox.1.try_recv() {
                self.hear(news);
            }
            self.step();
        }
    }

    fn now(&self) -> Now {
        Now { mono_ms: i64::try_from(boot_ms()).unwrap_or(i64::MAX), wall: self.clock.now() }
    }

    fn next_wakeup_ms(&self) -> i64 {
        let flows = self.flows.values().filter_map(|running| running.machine.next_wakeup_ms());
        let net = (!self.flows.is_empty() || self.meter.shows_some()).then_some(self.net_at);
        // The end of the present minute.
        let minute = self.now();
        let minute = minute.mono_ms + MINUTE_MS - minute.wall.as_millis().rem_euclid(MINUTE_MS);
        let minute = (!self.flows.is_empty()).then_some(minute);
        let look = (self.store.cluster().is_some()).then_some(self.look_at);
        let inboxes = self.flows.values().filter_map(Running::looks_at).filter(|_| look.is_some());
        let validity = self.looks_for_validity_at();
        flows.chain(inboxes).chain(net).chain(minute).chain(look).chain(validity).min().unwrap_or(i64::MAX / 2)
    }

    /// Does what is due.
    fn step(&mut self) {
        let now = self.now();
        if self.store.cluster().is_some() && now.mono_ms >= self.look_at {
            self.list();
        }
        let draws_net = now.mono_ms >= self.net_at;
        for running in self.flows.values_mut() {
            if running.machine.next_wakeup_ms().is_some_and(|at| at <= now.mono_ms) {
                running.machine.handle(Event::Woke, &mut self.pools, now);
            }
            if draws_net {
                let rescued = running.machine.rescue(&mut self.pools, now);
                if rescued > 0 {
                    tracing::error!(flow = running.row.name, rescued, "a component missed its wake; this is a bug");
                }
            }
            running.note_expired();
            if let Some(due) = running.roll(now) {
                let store = Arc::clone(&self.store);
                self.tasks.start(async move { due.keep(store.flow_store()).await });
            }
        }
        if draws_net {
            self.net_at = now.mono_ms + NET_EVERY_MS;
            self.meter.look_at_all(self.flows.iter().map(|(key, it)| (*key, it.at_work())), &self.pools);
        }
        self.look_into_inboxes(now);
        self.look_after_branches(now);
        self.look_whether_valid(now);
        while let Some(ticket) = self.next_ticket() {
            self.start(ticket);
        }
        let due: Vec<i64> =
            self.flows.iter().filter(|(_, it)| !it.is_writing && !it.pending.is_empty()).map(|(id, _)| *id).collect();
        due.into_iter().for_each(|id| self.write(id));
        self.look_whether_drained();
    }

    fn start(&mut self, ticket: Ticket) {
        let now = self.now();
        let id = ticket.flow.cast_signed();
        let Some(running) = self.flows.get_mut(&id) else { return };
        let Some(start) = running.machine.run(ticket, &mut self.pools, now) else { return };
        running.touch(&self.changes);
        let body = running.definition.parts[start.component].body.clone();
        let (turn, component) = (start.turn, start.component);
        // Who only passes items on needs not know what they hold, as long as nobody gets a copy.
        let contents = match body {
            Body::Funnel if running.machine.flow().outgoing(component).len() < 2 => {
                start.items.iter().map(|_| Some(Default::default())).collect()
            }
            _ => running.take_contents(&start.items),
        };
        if contents.iter().all(Option::is_some) && body.is_pure() && start.items.len() <= 1 {
            let contents: Vec<_> = contents.into_iter().flatten().collect();
            if let Some(done) = body.perform(&contents, &start.items, now.wall) {
                let ended = Ended { turn, done, contents, claims: Claims::default() };
                running.ended(ended, &mut self.pools, now);
            }
            return;
        }
        self.spawn(id, start, body, contents);
    }

    fn spawn(
        &mut self,
        id: i64,
        start: Start,
        body: Body,
        contents: Vec<Option<mainspring_core::flow::body::Content>>,
    ) {
        let Some(running) = self.flows.get_mut(&id) else { return };
        let (tell, told) = watch::channel(Told::GoOn);
        let (turn, component, generation) = (start.turn, start.component, running.generation);
        running.bodies.insert(turn, tell);
        let run = Run {
            flow: format!("{}/{}", running.row.namespace, running.row.name),
            component: running.definition.parts[component].component.name.clone(),
            body,
            start,
            contents,
            flow_id: running.row.id,
            store: Arc::clone(&self.store),
            epoch: running.row.epoch,
            inbox: running.branch().map(|it| it.number),
            tools: self.tools.clone(),
            told,
        };
        let inbox = self.inbox.0.clone();
        self.tasks.start(async move {
            let (done, contents, claims) = run.run().await;
            let ended = Ended { turn, done, contents, claims };
            let _ = inbox.send(Inbox::Ended(id, generation, Box::new(ended)));
        });
    }

    /// Keeps what bodies came to since the last time.
    fn write(&mut self, id: i64) {
        let Some(running) = self.flows.get_mut(&id) else { return };
        let length = together(&running.pending);
        let batch: Vec<Pending> = running.pending.drain(..length).collect();
        running.is_writing = true;
        let (flow, epoch, generation) = (running.row.id, running.epoch, running.generation);
        let number = running.branch().map(|it| it.number);
        let (store, inbox) = (Arc::clone(&self.store), self.inbox.0.clone());
        self.tasks.start(async move {
            let keeper = match number {
                None => Keeper::Owner { store: store.flow_store(), flow, epoch },
                Some(number) => Keeper::Inbox { store: store.inbox_store(), flow, number },
            };
            match keep(&keeper, batch).await {
                Ok(outcome) => drop(inbox.send(Inbox::Written(id, generation, outcome))),
                Err(_) => tracing::debug!(flow, "the store is closed; what bodies did is not kept"),
            }
        });
    }

    fn hear(&mut self, news: Inbox) {
        let now = self.now();
        match news {
            Inbox::Listed(rows) => self.listed(rows),
            Inbox::ListAgain => {
                self.is_retrying = false;
                self.list();
            }
            Inbox::Loaded(id, loaded) => self.loaded(id, loaded),
            Inbox::Compiled(row, compiled) => self.compiled(*row, compiled),
            Inbox::Ended(id, generation, ended) => {
                if let Some(running) = self.flows.get_mut(&id).filter(|it| it.generation == generation) {
                    running.touch(&self.changes);
                    running.ended(*ended, &mut self.pools, now);
                }
            }
            Inbox::Written(id, generation, Some(outcome)) => {
                if let Some(running) = self.flows.get_mut(&id).filter(|it| it.generation == generation) {
                    running.touch(&self.changes);
                    running.written(outcome, &mut self.pools, now);
                }
            }
            Inbox::Asked(asked, names, found) => self.asked(*asked, &names, &found),
            Inbox::Judged(judged) => self.judged(judged),
            Inbox::Looked(id, generation, seen) => self.looked(id, generation, seen),
            Inbox::Opened(wanted, opened) => self.opened(*wanted, opened),
            Inbox::Left(id, generation, gone) => self.left(id, generation, gone),
            Inbox::Written(id, generation, None) if id < 0 => {
                if self.flows.get(&id).is_some_and(|it| it.generation == generation) {
                    tracing::info!(flow = id, "an inbox is closed: what bodies made for it on this node is not kept");
                    self.end_branch(id);
                    self.list();
                }
            }
            Inbox::Written(id, generation, None) => {
                if self.flows.get(&id).is_some_and(|it| it.generation == generation) {
                    tracing::warn!(flow = id, "another node runs the flow by now; its items are that one's");
                    // Its last minute is refused, too.
                    drop(self.give_up(id));
                    self.list();
                }
            }
        }
    }

    /// Reads which flows there are.
    fn list(&mut self) {
        self.look_at = self.now().mono_ms + LOOK_EVERY_MS;
        if std::mem::replace(&mut self.is_listing, true) {
            self.lists_again = true;
            return;
        }
        let (store, inbox) = (Arc::clone(&self.store), self.inbox.0.clone());
        self.tasks.start(async move {
            let _ = inbox.send(Inbox::Listed(list(&*store).await));
        });
    }

    fn listed(&mut self, rows: Result<(Vec<FlowRow>, BTreeMap<String, u32>), mainspring_store::Error>) {
        self.is_listing = false;
        let rows = match rows {
            Ok((rows, pools)) => {
                // Before the flows whose components take permits of them.
                self.resize(&pools);
                rows
            }
            Err(error) => {
                tracing::warn!(error = %causes(&error), "flows could not be read");
                self.waiting.drain(..).for_each(|(_, reply)| {
                    let (operation, source) = ("list flows", causes(&error).into());
                    let error = mainspring_store::Error::Unavailable { operation, source };
                    let _ = reply.send(Err(FlowError::Store(error)));
                });
                self.retry_list();
                return;
            }
        };
        let (owned, others): (Vec<FlowRow>, Vec<FlowRow>) = rows.into_iter().partition(|row| self.owns(row));
        let owned: BTreeMap<i64, FlowRow> = owned.into_iter().map(|row| (row.id, row)).collect();
        let gone: Vec<i64> = self.flows.range(0..).map(|(id, _)| *id).filter(|id| !owned.contains_key(id)).collect();
        for due in gone.into_iter().filter_map(|id| self.give_up(id)).collect::<Vec<_>>() {
            let store = Arc::clone(&self.store);
            self.tasks.start(async move { due.keep(store.flow_store()).await });
        }
        self.broken.retain(|id, version| owned.get(id).is_some_and(|row| row.version == *version));
        for (id, row) in owned {
            // A list from before the flow was taken has an older epoch; one with a newer has been taken by another since.
            let ours = self.flows.get_mut(&id).filter(|it| row.epoch <= it.epoch);
            let is_free = !self.loading.contains_key(&id) && !self.broken.contains_key(&id);
            match ours {
                Some(running) if running.row.definition == row.definition => {
                    running.row = FlowRow { epoch: running.epoch, ..row };
                }
                Some(_) if is_free => self.compile(row),
                None if is_free => {
                    let due = self.give_up(id);
                    self.load(row, due);
                }
                Some(_) | None => {}
            }
        }
        self.follow(others);
        self.tell();
        if std::mem::take(&mut self.lists_again) {
            self.list();
        }
    }

    /// Lists again soon, as there is nobody else who would ask.
    fn retry_list(&mut self) {
        if std::mem::replace(&mut self.is_retrying, true) {
            return;
        }
        let inbox = self.inbox.0.clone();
        self.tasks.start(async move {
            crate::clock::pause(RETRY_AFTER_MS).await;
            let _ = inbox.send(Inbox::ListAgain);
        });
    }

    /// Whether the flow's shard is this node's.
    fn owns(&self, row: &FlowRow) -> bool {
        if self.store.cluster().is_none() {
            return true;
        }
        let shard = Shard(shard_of(&row.namespace, &row.name));
        self.status.borrow().as_ref().is_some_and(|status| status.may_act_on(shard))
    }

    /// Takes a flow and reads its items, once the last minute of who had it before is kept.
    fn load(&mut self, row: FlowRow, due: Option<Due>) {
        let id = row.id;
        self.loading.insert(id, row.version);
        let (store, tools, inbox) = (Arc::clone(&self.store), self.tools.clone(), self.inbox.0.clone());
        self.tasks.start(async move {
            if let Some(due) = due {
                due.keep(store.flow_store()).await;
            }
            let _ = inbox.send(Inbox::Loaded(id, read(&*store, &tools, row).await));
        });
    }

    fn loaded(&mut self, id: i64, loaded: Result<Option<Box<Loaded>>, Unread>) {
        let version = self.loading.remove(&id);
        let now = self.now();
        match loaded {
            Ok(Some(loaded)) => {
                self.generations += 1;
                let idle = self.tools.idle_check;
                let running = Running::new(id, *loaded, idle, self.generations, &mut self.pools, now);
                running.touch(&self.changes);
                self.flows.insert(id, running);
            }
            Ok(None) => {}
            Err(Unread::Broken(why)) => {
                tracing::error!(flow = id, why, "a flow cannot be run");
                self.broken.extend(version.map(|version| (id, version)));
            }
            Err(Unread::Store(error)) => {
                tracing::warn!(flow = id, error = %causes(&error), "a flow could not be read; trying again");
                self.retry_list();
                // Who waits hears when it is there.
                if !self.waiting.is_empty() {
                    return;
                }
            }
        }
        self.settled();
    }

    /// A flow is read: it may have been changed meanwhile.
    fn settled(&mut self) {
        if self.waiting.is_empty() {
            self.tell();
        } else {
            self.list();
        }
    }

    /// Answers those whose flow is as it is kept.
    fn tell(&mut self) {
        if self.lists_again {
            return;
        }
        let (done, waiting) = std::mem::take(&mut self.waiting).into_iter().partition(|_| self.loading.is_empty());
        self.waiting = waiting;
        let done: Vec<(Option<Name>, Reply<()>)> = done;
        done.into_iter().for_each(|(_, reply)| {
            let _ = reply.send(Ok(()));
        });
        if self.loading.is_empty() && !std::mem::replace(&mut self.is_ready, true) {
            std::mem::take(&mut self.postponed).into_iter().for_each(|request| self.answer(request));
        }
    }

    /// Ends the bodies of a flow; their items stay in the store. Returns what of its history is still to be kept.
    fn give_up(&mut self, id: i64) -> Option<Due> {
        let mut running = self.flows.remove(&id)?;
        running.touch(&self.changes);
        self.meter.look(id, &running.at_work());
        let due = running.cut();
        running.machine.give_up(&mut self.pools);
        running.bodies.values().for_each(|body| Told::GivenUp.end(body));
        due
    }

    fn find(&mut self, name: &Name) -> Result<&mut Running, FlowError> {
        named(&mut self.flows, name)
    }

    fn answer(&mut self, request: Request) {
        if !self.is_ready && !matches!(request, Request::Reload(..)) && !request.is_of_the_end() {
            self.postponed.push(request);
            return;
        }
        let now = self.now();
        match request {
            Request::View(name, reply) => {
                let me = self.status.borrow().as_ref().map(|status| status.incarnation.to_string());
                let found = named(&mut self.flows, &name);
                let _ = reply.send(found.map(|running| running.view(&self.pools, now, me.as_deref())));
            }
            Request::Change(name, components, action, reply) => {
                self.change_when_judged(validity::Asked { name, components, action, reply });
            }
            Request::Lacks(namespace, definition, reply) => self.say_what_lacks(namespace, &definition, reply),
            Request::States(name, reply) => {
                let _ = reply.send(self.find(&name).map(|running| running.states()));
            }
            Request::Queue(name, connection, limit, reply) => {
                let found = self.find(&name).and_then(|running| {
                    let connection = running.connection(&connection)?;
                    let waiting = running.machine.queue(connection).iter().take(limit);
                    Ok(waiting
                        .map(|item| WaitingItem { item: item.clone(), penalty_until: item.penalty_until(now) })
                        .collect())
                });
                let _ = reply.send(found);
            }
            Request::Find(name, id, reply) => {
                let _ = reply.send(self.find(&name).map(|running| running.find(id, now)));
            }
            Request::Replay(name, replay, reply) => match self.replay(&name, &replay, now) {
                Ok((flow, writes)) => {
                    let pending = Pending::of(writes, Some(reply));
                    self.flows.get_mut(&flow).expect("it was found").pending.push(pending);
                }
                Err(error) => drop(reply.send(Err(error))),
            },
            Request::Accept(name, component, items, reply) => {
                let found = named(&mut self.flows, &name);
                match found.and_then(|running| running.component(&component).map(|place| (running, place))) {
                    Ok((running, place)) => {
                        running.touch(&self.changes);
                        running.accept(place, &items, reply, now);
                    }
                    Err(error) => drop(reply.send(Err(error))),
                }
            }
            Request::Pools(reply) => {
                let pools = self.pools.iter().map(|(name, size, active)| (name.to_owned(), size, active));
                let _ = reply.send(Ok(pools.collect()));
            }
            Request::Resize(sizes, reply) => {
                self.resize(&sizes);
                let _ = reply.send(Ok(()));
            }
            Request::Drop(name, connection, only, reply) => self.drop_items(&name, &connection, only.as_deref(), reply),
            Request::Log(name, component, reply) => {
                let lines = self.find(&name).and_then(|it| it.component(&component).map(|place| it.lines(place)));
                let _ = reply.send(lines);
            }
            Request::Reload(name, reply) => {
                self.waiting.push((name, reply));
                self.list();
            }
            Request::Drain => self.draining.begin(),
            Request::Drained(reply) => self.draining.wait(reply),
            Request::EndBodies => self.end_bodies(),
        }
    }

    fn resize(&mut self, sizes: &BTreeMap<String, u32>) {
        let there: BTreeMap<String, u32> = self.pools.iter().map(|(name, size, _)| (name.to_owned(), size)).collect();
        let changed: Vec<_> = sizes.iter().filter(|(name, size)| there.get(*name) != Some(size)).collect();
        if changed.is_empty() {
            return;
        }
        changed.into_iter().for_each(|(name, size)| self.pools.resize(name, *size));
        let now = self.now();
        for running in self.flows.values_mut() {
            running.machine.resized(&mut self.pools, now);
            running.touch(&self.changes);
        }
    }

    fn change(
        &mut self,
        name: &Name,
        components: Option<Vec<String>>,
        action: Action,
        now: Now,
    ) -> Result<BTreeMap<String, mainspring_core::flow::ComponentState>, FlowError> {
        let running = named(&mut self.flows, name)?;
        running.touch(&self.changes);
        let is_all = components.is_none();
        let places = match components {
            Some(names) => names.iter().map(|name| running.component(name)).collect::<Result<Vec<_>, _>>()?,
            None => (0..running.definition.parts.len()).collect(),
        };
        for place in places {
            let (machine, pools) = (&mut running.machine, &mut self.pools);
            let done = match action {
                Action::Start => machine.start(place, pools, now),
                Action::Stop => {
                    machine.stop(place, pools);
                    Ok(())
                }
                Action::RunOnce => machine.run_once(place, pools, now),
                Action::Disable => machine.disable(place),
                Action::Enable => {
                    machine.enable(place);
                    Ok(())
                }
                Action::Terminate => machine.terminate(place, pools, now).map(|turns| {
                    let bodies = turns.iter().filter_map(|turn| running.bodies.get(turn));
                    bodies.for_each(|body| Told::Terminated.end(body));
                }),
            };
            match done {
                Ok(()) => {}
                // Of all, those that cannot are passed over: what was asked for holds, or is not for them.
                Err(Refused::Running | Refused::Waiting | Refused::Disabled | Refused::NotStopped) if is_all => {}
                Err(Refused::Invalid) => return Err(running.invalid(place)),
                Err(refused) => {
                    let component = running.definition.parts[place].component.name.clone();
                    return Err(FlowError::Refused { component, refused });
                }
            }
        }
        Ok(running.states())
    }
}

/// Returns when inboxes are to be looked into. Where nobody tells, never.
async fn stirred(stirs: &mut Option<watch::Receiver<u64>>) {
    let is_told = match stirs {
        Some(stirs) => stirs.changed().await.is_ok(),
        None => false,
    };
    if !is_told {
        std::future::pending().await
    }
}

/// A flow of this node.
fn named<'a>(flows: &'a mut BTreeMap<i64, Running>, name: &Name) -> Result<&'a mut Running, FlowError> {
    let mut owned = flows.range_mut(0..).map(|(_, running)| running);
    let found = owned.find(|it| it.row.namespace == name.0 && it.row.name == name.1);
    found.ok_or(FlowError::Elsewhere)
}

#[cfg(test)]
mod tests {
    use mainspring_store::{Error, MemoryStore};

    use super::*;

    #[tokio::test]
    async fn a_flow_that_could_not_be_read_is_read_again() {
        let (_, status) = watch::channel(None);
        let (_, requests) = mpsc::unbounded_channel();
        let store = Arc::new(MemoryStore::new());
        let mut works = Works::new(store, Tools::for_test(), status, requests, Changes::default());
        let failed = || Error::Unavailable { operation: "read items of a flow", source: "the disk is away".into() };
        works.loaded(1, Err(Unread::Store(failed())));
        works.loaded(2, Err(Unread::Store(failed())));
        assert!(matches!(works.inbox.1.recv().await, Some(Inbox::ListAgain)));
        works.hear(Inbox::ListAgain);
        assert!(matches!(works.inbox.1.recv().await, Some(Inbox::Listed(Ok(_)))), "one list for both");
        works.loaded(3, Err(Unread::Broken("why".into())));
        assert!(works.inbox.1.try_recv().is_err());
    }
}
