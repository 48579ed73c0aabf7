//! The lease: this node's membership, on a thread and a runtime of its own, so that nothing the engine does delays a renewal.
//!
//! The thread drives [`cluster::Keeper`] with the machine's clocks and the store's [`Cluster`] verbs. It
//! publishes what the node owns and until when it may trust itself; the driver reads that before each step, ticks, and says
//! when released shards are clear.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use mainspring_core::Incarnation;
use mainspring_core::cluster::{
    self, Change, EngineTimes, Event, Held, Order, Reading, Renewal, Renewed, Settings, Status, UnsafeTimes,
    takeover_ms,
};
use mainspring_core::planner::Answered;
use mainspring_store::{Cluster, NodeInfo, Result, Store, causes};
use tokio::sync::{mpsc, oneshot, watch};

use crate::clock::{Clock, boot_ms, pause, reading};
use crate::metrics::Metrics;
use crate::pool::Pool;

/// What this node runs.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// How often a node that ends tries to bury itself; others do it otherwise.
const BURY_TRIES: u32 = 3;
/// How often a loop that stood still is looked at, and how late the thread may notice anything else.
const LOOK_MS: u64 = 100;
/// What a renewal is called in messages.
const RENEW: &str = "renew the lease";

/// How often the planner looks for what other nodes have made.
pub(crate) const POLL_EVERY_MS: i64 = 250;
/// How often the window in memory is compared with the database, unless the settings say so.
pub(crate) const CHECK_EVERY_MS: i64 = 30_000;
/// How often the runs that the database gives to this node are compared with those that it executes. Longer than any answer takes.
pub(crate) const HELD_EVERY_MS: i64 = 30_000;
/// How long the window of a cluster's shards may take to load.
const LOAD_MS: u64 = 500;

/// When a node without a lease ends runs that others may be given.
pub(crate) fn give_up_ms(settings: &Settings, kill_grace: Duration) -> u64 {
    cluster::give_up_ms(settings, whole_ms(kill_grace))
}

/// How long a node may be frozen before what it executes and others may be given is ended without it.
pub(crate) fn frozen(settings: &Settings, kill_grace: Duration) -> Duration {
    Duration::from_millis(cluster::frozen_ms(settings, whole_ms(kill_grace)))
}

fn whole_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Refuses times that would lose fires, bury healthy nodes or run work twice.
pub(crate) fn check(settings: &crate::settings::Settings) -> std::result::Result<(), UnsafeTimes> {
    let cluster = &settings.cluster;
    cluster.check()?;
    let times = EngineTimes {
        window_ms: settings.planner.window_ms.unsigned_abs(),
        scan_every_ms: POLL_EVERY_MS.unsigned_abs(),
        load_ms: LOAD_MS,
        misfire_threshold_ms: settings.defaults.misfire_threshold_ms.unsigned_abs(),
        worker_ttl_ms: takeover_ms(cluster),
        worker_self_kill_ms: give_up_ms(cluster, settings.kill_grace),
        kill_grace_ms: u64::try_from(settings.kill_grace.as_millis()).unwrap_or(u64::MAX / 2),
    };
    cluster.check_engine(&times)
}

/// What the driver says to the thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Word {
    drain: bool,
    /// The last release whose shards are clear.
    cleared: u64,
    /// The incarnation is over: bury it.
    leave: bool,
    /// What the store has answered so far.
    answered: Answered,
}

/// The driver's end. Dropping it ends the thread without a goodbye, as if the process had died.
pub(crate) struct Lease {
    held: watch::Receiver<Held>,
    orphans: mpsc::UnboundedReceiver<Incarnation>,
    word: watch::Sender<Word>,
    ticked: Arc<AtomicU64>,
    over: oneshot::Receiver<()>,
    clock_warn_ms: u64,
}

/// What a lease is taken with.
#[derive(Clone)]
pub(crate) struct Terms {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) about: NodeInfo,
    pub(crate) settings: Settings,
    /// When runs that others may be given are ended without a renewal.
    pub(crate) give_up_ms: u64,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) status: watch::Sender<Option<Arc<Status>>>,
}

impl Lease {
    /// Starts the thread of an incarnation that first renews at `start_ms`, and executes its runs in a pool.
    pub(crate) fn start(terms: Terms, me: Incarnation, pool: Arc<Pool>, start_ms: u64) -> std::io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        let (held_sender, held) = watch::channel(Held::default());
        let (word, word_receiver) = watch::channel(Word::default());
        let (orphans_sender, orphans) = mpsc::unbounded_channel();
        let (done, over) = oneshot::channel();
        let clock_warn_ms = terms.settings.clock_warn_ms;
        let ticked = Arc::new(AtomicU64::new(start_ms));
        let keeper = Keeper {
            decides: cluster::Keeper::new(terms.settings, me, VERSION, start_ms),
            me,
            terms,
            pool,
            under_way: FuturesUnordered::new(),
            held: held_sender,
            word: word_receiver,
            ticked: Arc::clone(&ticked),
            drained: false,
            orphaned: orphans_sender,
        };
        let work = move || {
            runtime.block_on(keeper.run());
            // Whoever waited for it may be gone.
            let _heard = done.send(());
        };
        std::thread::Builder::new().name("mainspring-lease".into()).spawn(work)?;
        Ok(Self { held, orphans, word, ticked, over, clock_warn_ms })
    }

    /// Whether the node may act on what it holds.
    pub(crate) fn trusts(&self, held: &Held, now: Reading) -> bool {
        held.is_trusted(now, self.clock_warn_ms)
    }

    /// What the node holds now; nothing if the thread has ended without a reason. Says that the loop is alive.
    pub(crate) fn look(&mut self, now_ms: u64) -> Option<Held> {
        self.ticked.store(now_ms, Ordering::Relaxed);
        let held = *self.held.borrow_and_update();
        (held.abandoned.is_some() || self.held.has_changed().is_ok()).then_some(held)
    }

    /// Waits until there is something to look at, or runs are there to be taken over from a dead node.
    pub(crate) async fn changed(&mut self) -> Option<Incarnation> {
        tokio::select! {
            Some(dead) = self.orphans.recv() => Some(dead),
            _ = self.held.changed() => None,
        }
    }

    /// Says that the outcome of every batch with a fire of a release's shards is known.
    pub(crate) fn clear(&self, number: u64) {
        self.word.send_if_modified(|word| std::mem::replace(&mut word.cleared, number) != number);
    }

    /// Says what the store has answered so far: to be held against what it knows of it when the incarnation ends.
    pub(crate) fn tell(&self, answered: Answered) {
        self.word.send_if_modified(|word| {
            word.answered = answered;
            // Nobody has to wake up for it.
            false
        });
    }

    /// Gives all shards up, and takes none any more.
    pub(crate) fn drain(&self) {
        self.word.send_modify(|word| word.drain = true);
    }

    /// Ends the incarnation. The answer comes when others need not find that out any more, or cannot be told.
    pub(crate) fn leave(self) -> oneshot::Receiver<()> {
        self.word.send_modify(|word| word.leave = true);
        self.over
    }
}

/// What the thread hears.
enum Heard {
    Event(Event),
    /// A renewal has had its time. Its answer may still come.
    Overdue(BoxFuture<'static, Option<Heard>>),
    Orphaned(Vec<Incarnation>),
    Word,
    Gone,
}

struct Keeper {
    terms: Terms,
    me: Incarnation,
    pool: Arc<Pool>,
    decides: cluster::Keeper,
    under_way: FuturesUnordered<BoxFuture<'static, Option<Heard>>>,
    held: watch::Sender<Held>,
    word: watch::Receiver<Word>,
    ticked: Arc<AtomicU64>,
    /// Whether the driver's wish to drain has been heard.
    drained: bool,
    orphaned: mpsc::UnboundedSender<Incarnation>,
}

impl Keeper {
    async fn run(mut self) {
        let mut leave = false;
        while !leave && self.held.borrow().abandoned.is_none() {
            match self.next().await {
                Heard::Event(event) => self.take_in(event),
                Heard::Overdue(answer) => {
                    self.under_way.push(answer);
                    self.take_in(Event::Overdue);
                }
                Heard::Orphaned(found) => self.orphaned(&found),
                Heard::Word => leave = self.hear(),
                Heard::Gone => return,
            }
            self.publish();
        }
        self.bury_itself().await;
    }

    async fn next(&mut self) -> Heard {
        let now = boot_ms();
        let wake = self.decides.next_wakeup(now).unwrap_or(u64::MAX).min(now + LOOK_MS);
        let store = Arc::clone(&self.terms.store);
        loop {
            tokio::select! {
                biased;
                Some(heard) = self.under_way.next() => {
                    if let Some(heard) = heard {
                        return heard;
                    }
                }
                changed = self.word.changed() => return if changed.is_ok() { Heard::Word } else { Heard::Gone },
                () = shared(&*store).hinted().notified() => return Heard::Event(Event::Hinted),
                () = pause(wake.saturating_sub(now)) => return Heard::Event(Event::Woke),
            }
        }
    }

    fn take_in(&mut self, event: Event) {
        if let Event::Acquired(gained) = &event {
            for gap_ms in self.decides.gaps(boot_ms(), *gained) {
                self.terms.metrics.takeover_gap.observe(Duration::from_millis(gap_ms).as_secs_f64());
            }
        }
        let orders = self.decides.handle(boot_ms(), self.ticked.load(Ordering::Relaxed), event);
        self.perform_all(orders);
    }

    /// Hears the driver. True: it wants the incarnation to end.
    fn hear(&mut self) -> bool {
        let word = *self.word.borrow_and_update();
        let release = self.decides.cleared(word.cleared);
        self.perform_all(release);
        if std::mem::replace(&mut self.drained, word.drain) != word.drain {
            let orders = self.decides.drain(boot_ms(), self.ticked.load(Ordering::Relaxed), word.drain);
            self.perform_all(orders);
        }
        word.leave
    }

    fn orphaned(&mut self, found: &[Incarnation]) {
        for dead in self.decides.orphaned(found) {
            // A driver that is gone ends the thread with the next look.
            let _sent = self.orphaned.send(dead);
        }
    }

    fn publish(&self) {
        let held = self.decides.held();
        // Here and not in the loop: one that hangs does not renew, and its runs are given to others.
        if let Some(at_ms) = held.gives_up_at(self.terms.give_up_ms) {
            self.pool.give_up_at(at_ms);
        }
        self.held.send_if_modified(|before| std::mem::replace(before, held) != held);
        let status = self.decides.status(boot_ms());
        let owned = i64::try_from(status.owned.len()).unwrap_or(i64::MAX);
        self.terms.metrics.owned_shards.set(owned);
        self.terms.status.send_replace(Some(Arc::new(status)));
    }

    fn perform_all(&mut self, orders: impl IntoIterator<Item = Order>) {
        orders.into_iter().for_each(|order| self.perform(order));
    }

    fn perform(&mut self, order: Order) {
        match order {
            Order::Renew(renewal) => self.renew(renewal),
            Order::Bury(dead, counter) => {
                tracing::warn!(node.incarnation = %dead, "a node is silent for a whole lease; its shards are taken from it");
                self.ask(
                    "bury a node",
                    move |cluster| Box::pin(cluster.bury(dead, Some(counter))),
                    move |_| Some(Heard::Event(Event::Buried(dead))),
                );
            }
            Order::Acquire(change) => {
                let me = self.me;
                let lease_id = crate::random::random();
                self.ask(
                    "acquire shards",
                    move |cluster| Box::pin(cluster.acquire(me, change, lease_id)),
                    |gained| Some(Heard::Event(Event::Acquired(gained.unwrap_or_default()))),
                );
            }
            Order::Release(change) => self.release(change),
            Order::Hint => self.ask("hint", |cluster| Box::pin(cluster.hint()), |_| None),
            Order::WarnClock(offset_ms) => {
                self.terms.metrics.clock_warnings.inc();
                tracing::warn!(offset_ms, "this machine's clock differs from the database's; check its time service");
            }
            Order::ClearClock => tracing::info!("this machine's clock agrees with the database's again"),
            Order::WarnVersion(least) => {
                tracing::error!(version = VERSION, least, "this node is too old for the store now; it drains");
            }
            Order::FindOrphans => self.ask(
                "look for runs of dead nodes",
                |cluster| Box::pin(cluster.orphaned()),
                |found| found.map(Heard::Orphaned),
            ),
        }
    }

    fn renew(&mut self, renewal: Renewal) {
        let (store, about, me) = (Arc::clone(&self.terms.store), self.terms.about.clone(), self.me);
        let (clock, deadline_ms) = (Arc::clone(&self.terms.clock), self.terms.settings.deadline_ms);
        let mut answer = Box::pin(async move {
            let sent = reading(&*clock);
            let view = shared(&*store).renew(me, &about, renewal).await;
            told(view, RENEW).map(|view| Renewed { sent, received: reading(&*clock), view })
        });
        self.under_way.push(Box::pin(async move {
            Some(match tokio::time::timeout(Duration::from_millis(deadline_ms), &mut answer).await {
                Ok(renewed) => Heard::Event(renewed.map_or(Event::RenewalFailed, Event::Renewed)),
                Err(_) => {
                    warn_of_silence(RENEW, deadline_ms);
                    let late = |renewed: Option<Renewed>| renewed.map_or(Event::RenewalFailed, |_| Event::Late);
                    Heard::Overdue(Box::pin(answer.map(move |renewed| Some(Heard::Event(late(renewed))))))
                }
            })
        }));
    }

    fn release(&mut self, change: Change) {
        let me = self.me;
        self.ask(
            "release shards",
            move |cluster| Box::pin(cluster.release(me, change)),
            |released| Some(Heard::Event(Event::Released(released.unwrap_or_default()))),
        );
    }

    /// Asks the store; no answer within the deadline is as good as a failure.
    fn ask<T: 'static>(
        &mut self,
        what: &'static str,
        verb: impl for<'a> FnOnce(&'a dyn Cluster) -> BoxFuture<'a, Result<T>> + Send + 'static,
        then: impl FnOnce(Option<T>) -> Option<Heard> + Send + 'static,
    ) {
        let store = Arc::clone(&self.terms.store);
        let deadline_ms = self.terms.settings.deadline_ms;
        self.under_way.push(Box::pin(async move { then(within(deadline_ms, what, verb(shared(&*store))).await) }));
    }

    /// Takes leave: the next takes over at once what nobody would have touched for a whole lease.
    async fn bury_itself(&self) {
        let (cluster, told) = (shared(&*self.terms.store), self.word.borrow().answered);
        for _ in 0..BURY_TRIES {
            match within(self.terms.settings.deadline_ms, "take leave", cluster.leave(self.me, told)).await {
                None => {}
                Some(false) => return,
                Some(true) => {
                    tracing::error!(
                        "the database has failed over and lost what it had acknowledged to this node; runs that are made again are marked `recovered`"
                    );
                    return;
                }
            }
        }
    }
}

fn shared(store: &dyn Store) -> &dyn Cluster {
    store.cluster().expect("leases are taken where nodes share a store")
}

async fn within<T>(deadline_ms: u64, what: &'static str, work: impl Future<Output = Result<T>>) -> Option<T> {
    match tokio::time::timeout(Duration::from_millis(deadline_ms), work).await {
        Ok(answer) => told(answer, what),
        Err(_) => {
            warn_of_silence(what, deadline_ms);
            None
        }
    }
}

/// What the store answered, if it could.
fn told<T>(answer: Result<T>, what: &'static str) -> Option<T> {
    match answer {
        Ok(value) => return Some(value),
        Err(mainspring_store::Error::Closed) => {}
        Err(error) => tracing::warn!(error = %causes(&error), "this node could not {what}"),
    }
    None
}

fn warn_of_silence(what: &'static str, deadline_ms: u64) {
    tracing::warn!(deadline_ms, "this node could not {what} in time");
}
