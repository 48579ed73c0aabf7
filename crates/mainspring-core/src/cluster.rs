//! Membership: which nodes are alive, and which of the 256 shards are this node's?
//!
//! A state machine without effects, like the planner: it decides, the shell performs. It knows no clock; times are
//! milliseconds of the node's own `CLOCK_BOOTTIME`, which also runs while the machine sleeps. No timestamp decides a lease, and
//! no clock of one node is compared with that of another:
//!
//! - A node **renews** a counter in its own row every second and gets a [view](ClusterView) of the cluster back. It *trusts*
//!   itself for lease − margin from the sending of the last renewal that succeeded, and fires nothing beyond.
//! - Who has seen another's counter stand still for a whole lease **buries** it. Only time in which its own renewals succeeded
//!   counts, so an outage of the database makes nobody look dead, and all owners go on afterwards.
//! - Free shards are dealt to the nodes with the fewest; see `balance.rs`.
//! - Trust keeps a slow node from trying. What keeps it from *succeeding* is the fence row, which burial removes.
//! - A node that hears every answer too late would hold its shards and never trust itself, and nobody would bury it, as its
//!   counter goes on. After two leases of nothing but late answers it takes leave.
//! - One that hears them in time, and much later than another node does, gives its shards to nearer ones; see `distance.rs`.
//!
//! # What the store promises
//!
//! Each verb is one transaction that first locks the row of the node it acts for or upon.
//!
//! | verb | does |
//! |---|---|
//! | renew | with `join`: inserts node (counter 1) and fence rows. Otherwise: steps the counter if the row is there, and never inserts. Answers with the view, in which a buried node does not find itself |
//! | bury | if the counter is still the one seen (0: there is no row, but shards that name it): removes the fence rows (waiting for batches that hold them), removes the node row, frees its shards. Otherwise nothing: the node has spoken, or somebody was faster |
//! | acquire, release | only if the node's row is there and [`Change::number`] is above the last one applied, which it becomes. Acquire takes what is free, under a new random lease id and epoch + 1; release frees what is the node's |
//!
//! So a statement that arrives late, when its sender has given up on it, does no harm: the counter has moved or a change with a
//! higher number was made. A join is never sent twice: if nobody knows whether it succeeded, the node comes back
//! as another incarnation, and the ghost is buried.
//!
//! ```
//! use mainspring_core::Incarnation;
//! use mainspring_core::cluster::*;
//!
//! let me = Incarnation(7);
//! let mut node = Membership::new(Settings::default(), me, 0);
//! assert!(matches!(node.handle(0, Event::Woke)[..], [Command::Renew(Renewal { join: true, .. })]));
//!
//! // The shell sent it at 0 and had the answer at 4: we are alone, and every shard is free.
//! let mine = NodeRow { incarnation: me, name: "a".into(), address: String::new(), drain_asked: false, version: "1".into(), counter: 1,
//!     standing: Standing::Eligible, clock_offset_ms: None, answer_ms: None };
//! let view = ClusterView { database: "db".into(), database_clock_ms: 2, nodes: vec![mine], shards: Default::default(),
//!     least_version: None };
//! let (sent, received) = (Reading { boot_ms: 0, wall_ms: 0 }, Reading { boot_ms: 4, wall_ms: 4 });
//! let commands = node.handle(4, Event::Renewed(Renewed { sent, received, view }));
//! let Some(Command::Acquire(change)) = commands.last() else { panic!("{commands:?}") };
//! assert_eq!(change.shards, ShardSet::ALL);
//!
//! node.handle(6, Event::Acquired(ShardSet::ALL));
//! assert_eq!(*node.owned(), ShardSet::ALL);
//! assert!(node.trusts(3_999) && !node.trusts(4_000));
//! ```

mod balance;
mod clock;
mod distance;
mod keeper;
mod orphans;
mod settings;
mod shard;
mod silence;
#[cfg(test)]
mod simulation;
mod tended;
#[cfg(test)]
mod tests;
mod view;

use std::collections::BTreeSet;

use crate::id::Incarnation;

use self::balance::{is_even, plan, spread};
use self::clock::{ClockWatch, Peer};
use self::distance::Distance;
use self::silence::Silence;
use self::tended::Tended;

pub use self::clock::{ClockOffset, DatabaseClock, Reading};
pub use self::keeper::{Held, Keeper, Order, frozen_ms, give_up_ms, takeover_ms};
pub use self::settings::{EngineTimes, Settings, UnsafeTimes};
pub use self::shard::{Shard, ShardSet};
pub use self::view::{ClusterView, Lease, NodeRow, NodeStatus, Standing, Status, is_older};

/// What the shell saw. Each command but hints and clock warnings is answered by exactly one event, also if it failed; what comes in
/// after the shell has reported a failure is dropped there. A renewal alone is listened for beyond its deadline: after
/// [`Event::Overdue`] follows one more event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// Time has passed.
    Woke,
    /// The engine's loop is alive.
    LoopTicked,
    /// Another node says that the cluster has changed.
    Hinted,
    /// A renewal succeeded. With a row of this node in the view, or without.
    Renewed(Renewed),
    /// A renewal failed, or nobody knows: there will be no answer.
    RenewalFailed,
    /// The deadline of a renewal has passed. It is under way until [`Event::Late`] or [`Event::RenewalFailed`] comes.
    Overdue,
    /// The answer to a renewal that was overdue has come.
    Late,
    /// These shards were acquired: perhaps fewer than asked for. None also if the acquisition failed or nobody knows: the views tell.
    Acquired(ShardSet),
    /// These shards were released. None also if the release failed or nobody knows: it is asked for again.
    Released(ShardSet),
    /// The burial is done, by whomever, or it failed: the views tell.
    Buried(Incarnation),
    /// The engine has stopped trying to learn what became of a batch.
    OutcomeUnknown,
    /// This node is to give up its shards and take no more: before it stops, or for maintenance.
    Drain,
    /// It is to take shards again.
    Undrain,
}

/// A renewal that succeeded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Renewed {
    /// Both clocks before it was sent.
    pub sent: Reading,
    /// Both clocks when the answer was there.
    pub received: Reading,
    /// The cluster within the transaction of the renewal.
    pub view: ClusterView,
}

/// What the shell is to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// Renew, with [`Settings::deadline_ms`].
    Renew(Renewal),
    /// Bury an incarnation, if its counter is still this.
    Bury(Incarnation, u64),
    /// Take free shards.
    Acquire(Change),
    /// Give shards up. They left [`Membership::owned`] with this command: stop their wheel at once, and send the release when the
    /// outcome of every batch with a fire of theirs is known. If it cannot be, say [`Event::OutcomeUnknown`].
    Release(Change),
    /// Tell the other nodes to look now (NOTIFY, or a message); they take it in as [`Event::Hinted`]. It may get lost: they look
    /// within [`Settings::renew_every_ms`] anyway.
    Hint,
    /// The wall clock is off by so many milliseconds.
    WarnClock(i64),
    /// The wall clock is right again.
    ClearClock,
    /// Drop everything: stop firing, end this incarnation by burying it whatever its counter, and come back with a new
    /// [`Membership`] of a new incarnation that first renews at the given time. Nothing more comes from this one.
    Abandon(Reason, u64),
}

/// What a node says of itself in a renewal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Renewal {
    /// Whether the rows are to be made: true in an incarnation's first renewal only.
    pub join: bool,
    /// Whether it takes shards.
    pub standing: Standing,
    /// How far its wall clock is ahead of the database's, once it knows.
    pub clock_offset_ms: Option<i64>,
    /// How long the shortest of its last answers took, once it knows.
    pub answer_ms: Option<u64>,
}

/// An acquisition or a release. One is under way at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// Counts the changes of an incarnation. The store makes none with a number that is not above the last one.
    pub number: u64,
    /// The shards.
    pub shards: ShardSet,
}

/// Why an incarnation ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Its row is gone: others took it for dead.
    Buried,
    /// Another database answers, or the same one has lost commits.
    DatabaseChanged,
    /// A shard of ours has another owner.
    ShardLost,
    /// Nobody knows what became of a batch.
    OutcomeUnknown,
    /// Nobody knows whether the first renewal made the rows.
    JoinFailed,
    /// Its renewals arrive, but their answers come too late for it to trust itself.
    TooSlow,
}

/// See the [module](self).
#[derive(Debug)]
pub struct Membership {
    settings: Settings,
    me: Incarnation,
    /// The last view; none until the node has joined.
    view: Option<ClusterView>,
    trusted_until_ms: u64,
    renewing: bool,
    renewal_asked_ms: u64,
    renewal_due_ms: u64,
    /// Whether the next renewal is wanted soon.
    hurried: bool,
    /// Whether no renewal has failed since the last one that succeeded.
    steady: bool,
    /// When the first and the last of the answers to renewals came that have all been late. Whether there were answers counts: in
    /// an outage there are none.
    late_ms: Option<(u64, u64)>,
    loop_ticked_ms: u64,
    owned: ShardSet,
    /// No longer owned, not yet known to be free.
    releasing: ShardSet,
    changes: u64,
    changing: bool,
    /// When the outcome of the last change came in. Views asked for until then may not show it.
    changed_ms: Option<u64>,
    burying: BTreeSet<Incarnation>,
    silence: Silence,
    tended: Tended,
    clock: ClockWatch,
    distance: Distance,
    compared: Option<Reading>,
    draining: bool,
    heirs: Vec<Incarnation>,
    heirs_since_ms: u64,
    abandoned: Option<Reason>,
}

impl Membership {
    /// A node that has not joined yet and first renews at `start_ms`.
    #[must_use]
    pub fn new(settings: Settings, me: Incarnation, start_ms: u64) -> Self {
        Self {
            settings,
            me,
            view: None,
            trusted_until_ms: 0,
            renewing: false,
            renewal_asked_ms: start_ms,
            renewal_due_ms: start_ms,
            hurried: false,
            steady: true,
            late_ms: None,
            loop_ticked_ms: start_ms,
            owned: ShardSet::EMPTY,
            releasing: ShardSet::EMPTY,
            changes: 0,
            changing: false,
            changed_ms: None,
            burying: BTreeSet::new(),
            silence: Silence::default(),
            tended: Tended::default(),
            clock: ClockWatch::default(),
            distance: Distance::default(),
            compared: None,
            draining: false,
            heirs: Vec::new(),
            heirs_since_ms: start_ms,
            abandoned: None,
        }
    }

    /// Takes in one event and says what to do.
    pub fn handle(&mut self, now_ms: u64, event: Event) -> Vec<Command> {
        let mut commands = Vec::new();
        if self.abandoned.is_some() {
            return commands;
        }
        match event {
            Event::Woke => {}
            Event::LoopTicked => self.loop_ticked_ms = now_ms,
            Event::Hinted => self.hurry(),
            Event::Renewed(renewed) => self.renewed(renewed, &mut commands),
            Event::RenewalFailed => self.renewal_failed(&mut commands),
            Event::Overdue => self.overdue(&mut commands),
            Event::Late => self.late(now_ms, &mut commands),
            Event::Acquired(gained) => self.acquired(now_ms, gained),
            Event::Released(released) => self.released(now_ms, released, &mut commands),
            Event::Buried(dead) => self.buried(dead, &mut commands),
            Event::OutcomeUnknown => self.abandon(Reason::OutcomeUnknown, now_ms, &mut commands),
            Event::Drain | Event::Undrain => {
                self.draining = event == Event::Drain;
                self.hurry();
            }
        }
        if self.abandoned.is_none() {
            self.shed(&mut commands);
            self.renew(now_ms, &mut commands);
        }
        commands
    }

    /// When to send [`Event::Woke`], if nothing else happens before. `None`: an event has to come first.
    #[must_use]
    pub fn next_wakeup(&self, now_ms: u64) -> Option<u64> {
        let waits = self.abandoned.is_some() || self.renewing || self.is_stalled(now_ms.max(self.renewal_due_ms));
        (!waits).then_some(self.renewal_due_ms)
    }

    /// Whether the node may act on what it owns. To be asked with a fresh reading before each batch is sent.
    #[must_use]
    pub fn trusts(&self, now_ms: u64) -> bool {
        now_ms < self.trusted_until()
    }

    /// Until when it does, for those who ask later.
    #[must_use]
    pub fn trusted_until(&self) -> u64 {
        if self.abandoned.is_some() { 0 } else { self.trusted_until_ms }
    }

    /// Both clocks when the wall clock was last compared with the database's. Who finds that it
    /// [was set](Reading::is_set_since) since then fires nothing until it has been compared again.
    #[must_use]
    pub const fn compared(&self) -> Option<Reading> {
        self.compared
    }

    /// The database's clock, if most clocks agree with it. Alone, or where the others are as far from the database, a node's own clock
    /// is the one that fires what it is asked for.
    #[must_use]
    pub fn database_clock(&self) -> Option<DatabaseClock> {
        let (compared, offset) = self.compared.zip(self.clock.offset)?;
        self.clock.confirmed.then_some(DatabaseClock { compared, offset })
    }

    /// The shards whose triggers belong into this node's wheel. May change with every event.
    #[must_use]
    pub const fn owned(&self) -> &ShardSet {
        &self.owned
    }

    /// Whether the node holds nothing and takes nothing, so that it can stop without anybody noticing.
    #[must_use]
    pub fn is_drained(&self) -> bool {
        self.draining && !self.changing && self.owned.union(self.releasing).is_empty()
    }

    /// What the node takes itself to be.
    #[must_use]
    pub const fn standing(&self) -> Standing {
        match (self.draining, self.clock.left, self.distance.left) {
            (true, ..) => Standing::Draining,
            (false, true, _) => Standing::ClockOff,
            (false, false, true) => Standing::Far,
            (false, false, false) => Standing::Eligible,
        }
    }

    /// How long nobody was known to fire the triggers of shards that this node takes now: for each that had an owner before,
    /// milliseconds since that was last seen alive.
    #[must_use]
    pub fn gaps(&self, now_ms: u64, gained: ShardSet) -> Vec<u64> {
        self.tended.gaps(now_ms, gained)
    }

    /// What to show people.
    #[must_use]
    pub fn status(&self, now_ms: u64) -> Status {
        let rows = self.view.iter().flat_map(|view| &view.nodes);
        let node = |row: &NodeRow| NodeStatus {
            row: row.clone(),
            silent_ms: self.silence.of(row.incarnation),
            shards: self.view.as_ref().map_or(0, |view| view.owned_by(row.incarnation).len()),
        };
        Status {
            incarnation: self.me,
            standing: self.standing(),
            trusted: self.trusts(now_ms),
            owned: self.owned,
            releasing: self.releasing,
            clock: self.clock.offset,
            clock_warned: self.clock.warned,
            database_clock: self.database_clock(),
            nodes: rows.map(node).collect(),
            shards: self.view.as_ref().map(|view| view.shards.clone()).unwrap_or_default(),
            abandoned: self.abandoned,
            least_version: self.view.as_ref().and_then(|view| view.least_version.clone()),
        }
    }

    fn renewed(&mut self, renewed: Renewed, commands: &mut Vec<Command>) {
        let Renewed { sent, received, view } = renewed;
        (self.renewing, self.late_ms) = (false, None);
        if let Some(reason) = self.refuses(&view) {
            return self.abandon(reason, received.boot_ms, commands);
        }
        self.trusted_until_ms = sent.boot_ms + self.settings.trust_ms();
        self.silence.observe(&self.settings, view.others(self.me), (sent, received), self.steady);
        self.note_tended(received.boot_ms, &view);
        self.steady = true;
        self.judge_clock((sent, received), &view, commands);
        self.judge_distance(received.boot_ms.saturating_sub(sent.boot_ms), &view);
        self.bury_dead(commands);
        self.announce(&view, commands);
        self.note_heirs(received.boot_ms, &view);
        if self.changed_ms.is_none_or(|changed_ms| sent.boot_ms > changed_ms) {
            self.take_stock(received.boot_ms, &view, commands);
            self.rebalance(received.boot_ms, &view, commands);
        }
        self.plan_renewal();
        // Others count with a node from its second renewal on, and deal its shards when they know its standing.
        if self.view.is_none() || view.node(self.me).is_some_and(|row| row.standing != self.standing()) {
            self.hurry();
        }
        self.view = Some(view);
    }

    fn note_tended(&mut self, now_ms: u64, view: &ClusterView) {
        let (me, silence) = (self.me, &self.silence);
        let is_alive = |owner| owner == me || view.node(owner).is_some() && silence.of(owner) == 0;
        self.tended.observe(now_ms, view, is_alive);
    }

    fn refuses(&self, view: &ClusterView) -> Option<Reason> {
        let Some(row) = view.node(self.me) else { return Some(Reason::Buried) };
        let before = self.view.as_ref()?;
        let known = before.node(self.me).map_or(0, |row| row.counter);
        (before.database != view.database || row.counter <= known).then_some(Reason::DatabaseChanged)
    }

    fn renewal_failed(&mut self, commands: &mut Vec<Command>) {
        (self.renewing, self.steady) = (false, false);
        self.plan_renewal();
        if self.view.is_none() {
            self.abandon(Reason::JoinFailed, self.renewal_due_ms, commands);
        }
    }

    /// No other renewal is sent before this one has come to an end: it would wait behind it, and be late for that alone.
    fn overdue(&mut self, commands: &mut Vec<Command>) {
        self.steady = false;
        if self.view.is_none() {
            self.plan_renewal();
            self.abandon(Reason::JoinFailed, self.renewal_due_ms, commands);
        }
    }

    fn late(&mut self, now_ms: u64, commands: &mut Vec<Command>) {
        self.renewing = false;
        self.plan_renewal();
        // An answer that comes too late says nothing that is trusted.
        self.distance.lost();
        let patience_ms = 2 * self.settings.lease_ms;
        // One that failed among them is no good one; where all have failed for that long, there was an outage.
        let before = self.late_ms.filter(|(_, last_ms)| now_ms < last_ms + patience_ms);
        let since_ms = before.map_or(now_ms, |(since_ms, _)| since_ms);
        self.late_ms = Some((since_ms, now_ms));
        if now_ms >= since_ms + patience_ms {
            self.abandon(Reason::TooSlow, now_ms + self.settings.lease_ms, commands);
        }
    }

    fn judge_clock(&mut self, (sent, received): (Reading, Reading), view: &ClusterView, commands: &mut Vec<Command>) {
        let Some(offset) = ClockOffset::measure(sent, received, view.database_clock_ms) else { return };
        self.compared = Some(received);
        let live = view.nodes.iter().filter(|row| row.incarnation != self.me && !self.is_suspect(row.incarnation));
        let peer = |row: &NodeRow| {
            let (incarnation, eligible) = (row.incarnation, row.standing == Standing::Eligible);
            row.clock_offset_ms.map(|offset_ms| Peer { incarnation, offset_ms, eligible })
        };
        let peers: Vec<Peer> = live.filter_map(peer).collect();
        let before = self.clock;
        self.clock.judge(&self.settings, self.me, offset, &peers);
        match (before.warned, self.clock.warned) {
            (false, true) => commands.push(Command::WarnClock(offset.ms)),
            (true, false) => commands.push(Command::ClearClock),
            _ => {}
        }
    }

    fn judge_distance(&mut self, took_ms: u64, view: &ClusterView) {
        // Whose clock is off may be about to give its own shards up.
        let has_time =
            |row: &&NodeRow| row.clock_offset_ms.is_some_and(|ms| ms.unsigned_abs() <= self.settings.clock_warn_ms);
        let heirs = view.nodes.iter().filter(|row| row.incarnation != self.me && self.is_heir(row)).filter(has_time);
        let nearest_ms = heirs.filter_map(|row| row.answer_ms).min();
        self.distance.judge(&self.settings, took_ms, nearest_ms);
    }

    fn bury_dead(&mut self, commands: &mut Vec<Command>) {
        for (dead, counter) in self.silence.dead(&self.settings) {
            if self.burying.insert(dead) {
                commands.push(Command::Bury(dead, counter));
            }
        }
    }

    /// Lets the others know at once when this node has come or its standing has changed, and that is committed.
    fn announce(&mut self, view: &ClusterView, commands: &mut Vec<Command>) {
        let said = |view: &ClusterView| view.node(self.me).map(|row| (row.standing, row.counter > 1));
        if self.view.as_ref().and_then(said) != said(view) {
            commands.push(Command::Hint);
        }
    }

    fn is_suspect(&self, incarnation: Incarnation) -> bool {
        self.silence.is_suspect(&self.settings, incarnation)
    }

    /// Whether another node takes shards.
    fn is_heir(&self, row: &NodeRow) -> bool {
        // One renewal may be the ghost of a join that its sender has given up on.
        row.standing == Standing::Eligible && row.counter > 1 && !self.is_suspect(row.incarnation)
    }

    fn note_heirs(&mut self, now_ms: u64, view: &ClusterView) {
        let eligible = |row: &&NodeRow| match row.incarnation == self.me {
            true => self.standing() == Standing::Eligible,
            false => self.is_heir(row),
        };
        let mut heirs: Vec<Incarnation> = view.nodes.iter().filter(eligible).map(|row| row.incarnation).collect();
        heirs.sort_unstable();
        if heirs != self.heirs {
            (self.heirs, self.heirs_since_ms) = (heirs, now_ms);
        }
    }

    /// Learns from the view what is ours: also what came of changes whose outcome was unknown.
    fn take_stock(&mut self, now_ms: u64, view: &ClusterView, commands: &mut Vec<Command>) {
        let mine = view.owned_by(self.me);
        if !self.owned.difference(mine).is_empty() {
            return self.abandon(Reason::ShardLost, now_ms, commands);
        }
        // A release that may still be on its way takes effect whenever it arrives: such a shard is not ours again before
        // a release of it has been answered.
        self.owned = mine.difference(self.releasing);
        if !self.changing {
            self.releasing = self.releasing.intersection(mine);
        }
    }

    fn rebalance(&mut self, now_ms: u64, view: &ClusterView, commands: &mut Vec<Command>) {
        if self.abandoned.is_some() || self.changing {
            return;
        }
        if !self.releasing.is_empty() {
            return self.release(ShardSet::EMPTY, commands);
        }
        if self.standing() != Standing::Eligible {
            return;
        }
        if is_even(&self.heirs, view.shards.values().map(|lease| lease.owner)) {
            return;
        }
        let owners = view.shards.iter().map(|(shard, lease)| (*shard, lease.owner)).collect();
        let plan = plan(self.me, &self.heirs, &owners);
        if !plan.take.is_empty() {
            commands.push(Command::Acquire(self.change(plan.take)));
        } else if !plan.give.is_empty() && now_ms >= self.heirs_since_ms + self.settings.dwell_ms {
            self.release(plan.give, commands);
        }
    }

    /// A node that is not eligible gives everything up.
    fn shed(&mut self, commands: &mut Vec<Command>) {
        if self.standing() != Standing::Eligible && !self.changing && !self.owned.is_empty() {
            self.release(self.owned, commands);
        }
    }

    fn release(&mut self, shards: ShardSet, commands: &mut Vec<Command>) {
        self.owned = self.owned.difference(shards);
        self.releasing = self.releasing.union(shards);
        commands.push(Command::Release(self.change(self.releasing)));
    }

    const fn change(&mut self, shards: ShardSet) -> Change {
        self.changing = true;
        self.changes += 1;
        Change { number: self.changes, shards }
    }

    fn acquired(&mut self, now_ms: u64, gained: ShardSet) {
        (self.changing, self.changed_ms) = (false, Some(now_ms));
        self.owned = self.owned.union(gained);
    }

    fn released(&mut self, now_ms: u64, released: ShardSet, commands: &mut Vec<Command>) {
        (self.changing, self.changed_ms) = (false, Some(now_ms));
        self.releasing = self.releasing.difference(released);
        if !released.is_empty() {
            commands.push(Command::Hint);
        }
    }

    fn buried(&mut self, dead: Incarnation, commands: &mut Vec<Command>) {
        self.burying.remove(&dead);
        self.hurry();
        commands.push(Command::Hint);
    }

    fn abandon(&mut self, reason: Reason, return_ms: u64, commands: &mut Vec<Command>) {
        self.abandoned = Some(reason);
        (self.owned, self.releasing) = (ShardSet::EMPTY, ShardSet::EMPTY);
        commands.clear();
        commands.push(Command::Abandon(reason, return_ms));
    }

    fn renew(&mut self, now_ms: u64, commands: &mut Vec<Command>) {
        if self.renewing || now_ms < self.renewal_due_ms || self.is_stalled(now_ms) {
            return;
        }
        (self.renewing, self.hurried, self.renewal_asked_ms) = (true, false, now_ms);
        let (join, standing, clock_offset_ms) = (self.view.is_none(), self.standing(), self.clock.published_ms);
        let answer_ms = self.distance.least_ms();
        commands.push(Command::Renew(Renewal { join, standing, clock_offset_ms, answer_ms }));
    }

    const fn is_stalled(&self, now_ms: u64) -> bool {
        now_ms > self.loop_ticked_ms + self.settings.loop_stall_ms
    }

    /// One period after the last, less up to a tenth, so that nodes that started together do not stay in step; earlier if a
    /// suspect can be found dead then.
    fn plan_renewal(&mut self) {
        let jitter = spread(self.me, self.renewal_asked_ms) % (self.settings.renew_every_ms / 10).max(1);
        let due = self.renewal_asked_ms + self.settings.renew_every_ms - jitter;
        let death = self.silence.next_death(&self.settings).unwrap_or(due);
        let wanted = if self.hurried { self.soonest() } else { due.min(death) };
        self.renewal_due_ms = wanted.max(self.soonest());
    }

    /// Renews soon: something has changed.
    fn hurry(&mut self) {
        self.hurried = true;
        self.renewal_due_ms = self.renewal_due_ms.min(self.soonest());
    }

    /// A flood of hints makes ten renewals a period, no more.
    const fn soonest(&self) -> u64 {
        self.renewal_asked_ms + self.settings.renew_every_ms / 10
    }
}
