//! The keeper of a lease: membership, and what stands between it and the engine's loop.
//!
//! A state machine like [`Membership`], which it holds. It keeps a release back until its shards are clear, gives up on one whose
//! batches nobody learns of, and says which dead nodes' runs are to be taken over. The shell performs its orders.

use super::orphans::Orphans;
use super::{
    Change, Command, DatabaseClock, Event, Membership, Reading, Reason, Renewal, Settings, ShardSet, Standing, Status,
    is_older,
};
use crate::id::Incarnation;

/// How long the outcome of a batch may be unknown before the node gives itself up, so that its shards become free. What it executes is
/// lost then.
const RELEASE_PATIENCE_MS: u64 = 10_000;
/// The same of a node that is far. It gives its shards up because a batch takes many seconds: two that are under way are waited for.
const FAR_RELEASE_PATIENCE_MS: u64 = 30_000;
/// How often runs without a node are looked for.
const ORPHANS_EVERY_MS: u64 = 2_000;
/// From then on until they are taken over.
const ORPHANS_PATIENCE_MS: u64 = 12_000;
/// How long a node goes on with runs that others may be given, if it hears nothing from the database.
const GIVE_UP_MS: u64 = 10_000;

/// When a silent node's attempts are given to others, counted from its last renewal.
#[must_use]
pub const fn takeover_ms(settings: &Settings) -> u64 {
    settings.lease_ms + ORPHANS_PATIENCE_MS
}

/// When a node without a lease ends runs that others may be given, counted from its last renewal: so early that the time they
/// have to end is over before.
#[must_use]
pub fn give_up_ms(settings: &Settings, kill_grace_ms: u64) -> u64 {
    let latest = takeover_ms(settings).saturating_sub(kill_grace_ms).saturating_sub(settings.renew_every_ms);
    latest.min(GIVE_UP_MS).max(settings.trust_ms())
}

/// How long a node's process may do nothing at all, as when it is frozen, before its runs that others may be given are ended
/// without it. It may have heard nothing for as long as it goes on, when that begins.
///
/// ```
/// use mainspring_core::cluster::{Settings, frozen_ms, give_up_ms, takeover_ms};
/// let settings = Settings::default();
/// assert!(give_up_ms(&settings, 5_000) + frozen_ms(&settings, 5_000) < takeover_ms(&settings));
/// ```
#[must_use]
pub fn frozen_ms(settings: &Settings, kill_grace_ms: u64) -> u64 {
    takeover_ms(settings).saturating_sub(give_up_ms(settings, kill_grace_ms) + settings.renew_every_ms)
}

/// What the shell is to do. Each renewal, burial, acquisition, release and look for orphans is answered, also if it failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Order {
    /// See [`Command::Renew`].
    Renew(Renewal),
    /// See [`Command::Bury`].
    Bury(Incarnation, u64),
    /// See [`Command::Acquire`].
    Acquire(Change),
    /// Give shards up, now.
    Release(Change),
    /// See [`Command::Hint`].
    Hint,
    /// See [`Command::WarnClock`].
    WarnClock(i64),
    /// See [`Command::ClearClock`].
    ClearClock,
    /// Tell people that the store is for this version and newer ones only, so that the node drains.
    WarnVersion(String),
    /// Ask which process starts without a node hold runs, and say so by [`Keeper::orphaned`].
    FindOrphans,
}

/// What the engine's loop has to know. It reads that before each step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Held {
    /// The node's shards.
    pub owned: ShardSet,
    /// Whether it has left its shards to others because it is far from the database.
    pub far: bool,
    /// Until when it trusts itself, by its own boot clock.
    pub trusted_until: u64,
    /// When the node last heard that it holds its lease: when it asked.
    pub renewed: u64,
    /// Both clocks when the node last compared its wall clock with the database's.
    pub compared: Option<Reading>,
    /// Shards that are given up as soon as they are clear.
    pub releasing: Option<Change>,
    /// Why the incarnation has ended, and when to come back as another.
    pub abandoned: Option<(Reason, u64)>,
}

impl Held {
    /// Whether the node may act on what it owns. Not if its wall clock was set since it was compared with the database's:
    /// nothing is due by such a clock until the next renewal has compared them again.
    #[must_use]
    pub fn is_trusted(&self, now: Reading, clock_warn_ms: u64) -> bool {
        let was_set = self.compared.is_some_and(|compared| now.is_set_since(compared, clock_warn_ms));
        now.boot_ms < self.trusted_until && !was_set
    }

    /// When runs that others may be given have to end, by the node's own boot clock.
    #[must_use]
    pub const fn gives_up_at(&self, give_up_ms: u64) -> Option<u64> {
        if self.renewed > 0 { Some(self.renewed + give_up_ms) } else { None }
    }
}

/// The keeper of a lease: membership, and what stands between it and the engine's loop.
#[derive(Debug)]
pub struct Keeper {
    settings: Settings,
    me: Incarnation,
    /// What this node runs.
    version: &'static str,
    membership: Membership,
    tick_heard: u64,
    /// Whether this process is to drain.
    drain: bool,
    /// Whether the node's row asks it to.
    drain_asked: bool,
    /// Whether the store is for newer versions only.
    too_old: bool,
    draining: bool,
    /// The release that waits until its shards are clear, and since when.
    releasing: Option<(Change, u64)>,
    orphans: Orphans,
    orphans_at: u64,
    abandoned: Option<(Reason, u64)>,
}

impl Keeper {
    /// Keeps the lease of an incarnation of a node of some version that first renews at `start_ms`.
    #[must_use]
    pub fn new(settings: Settings, me: Incarnation, version: &'static str, start_ms: u64) -> Self {
        Self {
            settings,
            me,
            version,
            membership: Membership::new(settings, me, start_ms),
            tick_heard: start_ms,
            drain: false,
            drain_asked: false,
            too_old: false,
            draining: false,
            releasing: None,
            orphans: Orphans::default(),
            orphans_at: start_ms,
            abandoned: None,
        }
    }

    /// What the loop has to know now.
    #[must_use]
    pub fn held(&self) -> Held {
        let trusted_until = self.membership.trusted_until();
        Held {
            owned: *self.membership.owned(),
            far: self.membership.standing() == Standing::Far,
            trusted_until,
            renewed: trusted_until.saturating_sub(self.settings.trust_ms()),
            compared: self.membership.compared(),
            releasing: self.releasing.map(|(change, _)| change),
            abandoned: self.abandoned,
        }
    }

    /// When to say [`Event::Woke`], if nothing else happens before.
    #[must_use]
    pub fn next_wakeup(&self, now_ms: u64) -> Option<u64> {
        self.membership.next_wakeup(now_ms)
    }

    /// What to show people.
    #[must_use]
    pub fn status(&self, now_ms: u64) -> Status {
        self.membership.status(now_ms)
    }

    /// See [`Membership::database_clock`].
    #[must_use]
    pub fn database_clock(&self) -> Option<DatabaseClock> {
        self.membership.database_clock()
    }

    /// See [`Membership::gaps`].
    #[must_use]
    pub fn gaps(&self, now_ms: u64, gained: ShardSet) -> Vec<u64> {
        self.membership.gaps(now_ms, gained)
    }

    /// Takes in an event of the membership. `ticked_ms` is when the engine's loop last looked.
    pub fn handle(&mut self, now_ms: u64, ticked_ms: u64, event: Event) -> Vec<Order> {
        let mut orders = Vec::new();
        self.note(&event, &mut orders);
        if ticked_ms > self.tick_heard {
            self.tick_heard = ticked_ms;
            self.tell(ticked_ms, Event::LoopTicked, &mut orders);
        }
        self.tell(now_ms, event, &mut orders);
        let drain = self.drain || self.drain_asked || self.too_old;
        if std::mem::replace(&mut self.draining, drain) != drain {
            self.tell(now_ms, if drain { Event::Drain } else { Event::Undrain }, &mut orders);
        }
        self.look_around(now_ms, &mut orders);
        orders
    }

    /// Gives all shards up and takes none any more, or takes them again.
    pub fn drain(&mut self, now_ms: u64, ticked_ms: u64, drain: bool) -> Vec<Order> {
        self.drain = drain;
        self.handle(now_ms, ticked_ms, Event::Woke)
    }

    /// The outcome of every batch with a fire of the shards of a release, or an earlier one, is known.
    pub fn cleared(&mut self, number: u64) -> Option<Order> {
        let (change, _) = self.releasing.take_if(|(change, _)| change.number <= number)?;
        Some(Order::Release(change))
    }

    /// Takes in which process starts without a node hold runs, and says whose are to be taken over.
    pub fn orphaned(&mut self, found: &[Incarnation]) -> Vec<Incarnation> {
        self.orphans.look(found, ORPHANS_PATIENCE_MS)
    }

    fn note(&mut self, event: &Event, orders: &mut Vec<Order>) {
        match event {
            Event::Renewed(renewed) => {
                self.orphans.renewed(renewed.received.boot_ms);
                self.drain_asked = renewed.view.node(self.me).is_some_and(|row| row.drain_asked);
                let least = renewed.view.least_version.as_ref().filter(|least| is_older(self.version, least));
                if !std::mem::replace(&mut self.too_old, least.is_some()) {
                    orders.extend(least.cloned().map(Order::WarnVersion));
                }
            }
            Event::RenewalFailed | Event::Overdue => self.orphans.renewal_failed(),
            _ => {}
        }
    }

    fn look_around(&mut self, now_ms: u64, orders: &mut Vec<Order>) {
        if !self.membership.trusts(now_ms) {
            return;
        }
        let patience_ms =
            if self.membership.standing() == Standing::Far { FAR_RELEASE_PATIENCE_MS } else { RELEASE_PATIENCE_MS };
        if self.releasing.take_if(|(_, since)| now_ms >= *since + patience_ms).is_some() {
            self.tell(now_ms, Event::OutcomeUnknown, orders);
        }
        if now_ms >= self.orphans_at {
            self.orphans_at = now_ms + ORPHANS_EVERY_MS;
            orders.push(Order::FindOrphans);
        }
    }

    fn tell(&mut self, now_ms: u64, event: Event, orders: &mut Vec<Order>) {
        for command in self.membership.handle(now_ms, event) {
            orders.push(match command {
                Command::Renew(renewal) => Order::Renew(renewal),
                Command::Bury(dead, counter) => Order::Bury(dead, counter),
                Command::Acquire(change) => Order::Acquire(change),
                Command::Hint => Order::Hint,
                Command::WarnClock(offset_ms) => Order::WarnClock(offset_ms),
                Command::ClearClock => Order::ClearClock,
                Command::Release(change) => {
                    self.releasing = Some((change, now_ms));
                    continue;
                }
                Command::Abandon(reason, return_ms) => {
                    self.abandoned = Some((reason, return_ms));
                    continue;
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_given_up_before_others_may_be_given_them() {
        let settings = Settings::default();
        for (grace_ms, expected) in [(0, 10_000), (4_000, 10_000), (10_000, 6_000), (12_000, 4_000), (60_000, 4_000)] {
            assert_eq!(give_up_ms(&settings, grace_ms), expected, "{grace_ms}");
            let frozen_ms = frozen_ms(&settings, grace_ms);
            assert!(frozen_ms >= 1_000 && expected + frozen_ms < takeover_ms(&settings), "{grace_ms}: {frozen_ms}");
        }
    }

    #[test]
    fn a_node_gives_up_only_what_it_once_held() {
        let never = Held::default();
        assert_eq!(never.gives_up_at(10_000), None);
        let held = Held { renewed: 5_000, ..never };
        assert_eq!(held.gives_up_at(10_000), Some(15_000));
    }
}
