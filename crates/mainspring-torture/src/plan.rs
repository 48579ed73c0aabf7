//! The plan of faults: it follows from the seed, one or two faults at a time.

use std::fmt;

use anyhow::{Context, Result};
use mainspring_sim::Random;

use crate::Store;
use crate::cluster::WORKERS;

/// A clock may differ by so much from the database's before it costs the node its shards; the plan stays well below or above.
pub(crate) const CLOCK_NEAR_MS: i64 = 1_000;
/// The error of clocks that costs a node its shards, in milliseconds.
const CLOCK_FAR_MS: (u64, u64) = (10_000, 3_600_000);
/// The number of sessions that the nodes have together when others have taken the rest: a single node needs more.
const SESSIONS_LEFT: (u64, u64) = (1, 7);
/// The number of times out of a million that two faults come together.
const PAIRS: u64 = 300_000;

/// The kind of a fault.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    Kill,
    Stop,
    Unplugged,
    Cut,
    CutOneWay,
    Slow,
    HalfOpen,
    Reset,
    DatabaseRestart,
    DatabaseCrash,
    SessionKilled,
    SessionsEnded,
    SessionsExhausted,
    LeaseLocked,
    SnapshotHeld,
    ClockNear,
    ClockFar,
    RollingRestart,
    Promotion,
    WorkerKilled,
    WorkerStopped,
    WorkerCut,
}

/// The faults of nodes over a database server.
const ALL: [Kind; 22] = [
    Kind::Kill,
    Kind::Stop,
    Kind::Unplugged,
    Kind::Cut,
    Kind::CutOneWay,
    Kind::Slow,
    Kind::HalfOpen,
    Kind::Reset,
    Kind::DatabaseRestart,
    Kind::DatabaseCrash,
    Kind::SessionKilled,
    Kind::SessionsEnded,
    Kind::SessionsExhausted,
    Kind::LeaseLocked,
    Kind::SnapshotHeld,
    Kind::ClockNear,
    Kind::ClockFar,
    Kind::RollingRestart,
    Kind::Promotion,
    Kind::WorkerKilled,
    Kind::WorkerStopped,
    Kind::WorkerCut,
];

/// The faults of a node whose store is a file. No other node compares its clock, so it is never far off.
const ALONE: [Kind; 7] = [
    Kind::Kill,
    Kind::Stop,
    Kind::ClockNear,
    Kind::RollingRestart,
    Kind::WorkerKilled,
    Kind::WorkerStopped,
    Kind::WorkerCut,
];

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kill => "node killed",
            Self::Stop => "node stopped",
            Self::Unplugged => "host unplugged",
            Self::Cut => "wire cut",
            Self::CutOneWay => "wire cut one way",
            Self::Slow => "wire slow",
            Self::HalfOpen => "wire half-open",
            Self::Reset => "connections reset",
            Self::DatabaseRestart => "database restarted",
            Self::DatabaseCrash => "database crashed",
            Self::SessionKilled => "session killed",
            Self::SessionsEnded => "sessions ended",
            Self::SessionsExhausted => "sessions exhausted",
            Self::LeaseLocked => "lease locked",
            Self::SnapshotHeld => "snapshot held",
            Self::ClockNear => "clock off",
            Self::ClockFar => "clock far off",
            Self::RollingRestart => "rolling restart",
            Self::Promotion => "standby promoted",
            Self::WorkerKilled => "worker killed",
            Self::WorkerStopped => "worker stopped",
            Self::WorkerCut => "worker cut off",
        })
    }
}

impl Kind {
    /// Returns the kind of this [word](Self::word).
    pub(crate) fn named(name: &str) -> Result<Self> {
        ALL.into_iter()
            .find(|kind| kind.word() == name)
            .with_context(|| format!("there is no fault `{name}`; say one of {}", ALL.map(Self::word).join(", ")))
    }

    /// Its name as an option takes it, with hyphens for the spaces.
    pub(crate) fn word(self) -> String {
        self.to_string().replace(' ', "-")
    }

    const fn hits(self) -> Hits {
        match self {
            Self::DatabaseRestart
            | Self::DatabaseCrash
            | Self::SessionKilled
            | Self::SessionsEnded
            | Self::SessionsExhausted
            | Self::SnapshotHeld
            | Self::RollingRestart
            | Self::Promotion => Hits::All,
            Self::WorkerKilled | Self::WorkerStopped | Self::WorkerCut => Hits::Worker,
            _ => Hits::Node,
        }
    }

    /// Returns whether the database is away while it lasts, for some of those who ask at least.
    const fn takes_the_database(self) -> bool {
        matches!(self, Self::DatabaseRestart | Self::DatabaseCrash | Self::SessionsExhausted)
    }

    /// Returns whether another fault may come at the same time. A node whose clock is far off needs peers that are
    /// right, or it is the last eligible one and keeps its shards; a rolling restart goes round all nodes, and a
    /// standby is another server.
    const fn goes_with_others(self) -> bool {
        !matches!(self, Self::ClockFar | Self::RollingRestart | Self::Promotion)
    }
}

/// The kind of target of a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Hits {
    Node,
    Worker,
    All,
}

/// The target of a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    Node(usize),
    Worker(usize),
    /// The database, or all nodes.
    All,
}

impl Target {
    pub(crate) const fn node(self) -> Option<usize> {
        if let Self::Node(node) = self { Some(node) } else { None }
    }
}

/// A fault to come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Planned {
    pub(crate) kind: Kind,
    pub(crate) target: Target,
    /// When, since the beginning.
    pub(crate) begins_ms: u64,
    /// The duration, if it has one.
    pub(crate) lasts_ms: u64,
    /// A further parameter: a delay or an offset in milliseconds, a direction, or the number of sessions left.
    pub(crate) amount: i64,
}

impl Planned {
    const fn ends_ms(&self) -> u64 {
        self.begins_ms + self.lasts_ms
    }

    /// Extends a node's fault beyond that of its database: a killed node can start only when its database is back.
    fn outlasts(&mut self, other: &Self) {
        if self.kind == Kind::Kill && other.kind.takes_the_database() {
            self.lasts_ms = self.lasts_ms.max((other.ends_ms() + 1).saturating_sub(self.begins_ms));
        }
    }
}

/// The duration of faults, and the quiet time between them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    lasts_ms: (u64, u64),
    worker_ms: (u64, u64),
    outage_ms: (u64, u64),
    quiet_ms: (u64, u64),
}

impl Pace {
    /// The pace for a minute. A worker gives its runs up when it has heard nothing for 6.5 s, and is declared dead
    /// after 13 s.
    pub(crate) const FAST: Self =
        Self { lasts_ms: (1_500, 6_500), worker_ms: (4_000, 20_000), outage_ms: (200, 2_000), quiet_ms: (800, 2_500) };
    /// The pace for half an hour.
    pub(crate) const SLOW: Self = Self {
        lasts_ms: (5_000, 45_000),
        worker_ms: (5_000, 45_000),
        outage_ms: (500, 20_000),
        quiet_ms: (10_000, 30_000),
    };
}

/// Returns the possible faults of nodes over a store: standbys need PostgreSQL here, and unplugging needs hosts with a
/// link.
pub(crate) fn menu(store: Store, has_links: bool) -> Vec<Kind> {
    let possible = |kind: &Kind| match kind {
        Kind::Promotion => store == Store::Postgres,
        Kind::Unplugged => has_links,
        _ => true,
    };
    match store {
        Store::Sqlite => ALONE.to_vec(),
        Store::Postgres | Store::Mariadb => ALL.into_iter().filter(possible).collect(),
    }
}

/// Returns the faults of a seed in so many milliseconds, in the order of their beginnings. All are over by then.
pub(crate) fn plan(random: &mut Random, menu: &[Kind], nodes: usize, pace: Pace, for_ms: u64) -> Vec<Planned> {
    let mut dealer = Dealer { menu, deck: Vec::new() };
    let (mut planned, mut now) = (Vec::<Planned>::new(), 0);
    loop {
        now += random.between(pace.quiet_ms.0, pace.quiet_ms.1);
        let kind = dealer.deal(random, |_| true);
        let mut first = draw(random, kind, nodes, None, pace, now);
        // One of them at most is about the database, and one about workers.
        let fits =
            |kind: Kind| kind.goes_with_others() && (kind.hits() == Hits::Node || kind.hits() != first.kind.hits());
        let is_pair = nodes > 1 && first.kind.goes_with_others() && random.chance(PAIRS);
        let mut second = (is_pair && menu.iter().any(|kind| fits(*kind))).then(|| {
            let begins = now + random.below(first.lasts_ms / 2 + 1);
            let kind = dealer.deal(random, fits);
            draw(random, kind, nodes, first.target.node(), pace, begins)
        });
        if let Some(second) = &mut second {
            first.outlasts(second);
            second.outlasts(&first);
        }
        let ends = second.map_or(first.ends_ms(), |second| first.ends_ms().max(second.ends_ms()));
        if ends > for_ms {
            return planned;
        }
        planned.push(first);
        planned.extend(second);
        now = ends;
    }
}

/// Deals each kind once before any comes again.
struct Dealer<'a> {
    menu: &'a [Kind],
    deck: Vec<Kind>,
}

impl Dealer<'_> {
    fn deal(&mut self, random: &mut Random, fits: impl Fn(Kind) -> bool) -> Kind {
        if !self.deck.iter().any(|kind| fits(*kind)) {
            let mut fresh = self.menu.to_vec();
            for last in (1..fresh.len()).rev() {
                fresh.swap(last, random.index(last + 1));
            }
            self.deck.splice(0..0, fresh);
        }
        let place = self.deck.iter().rposition(|kind| fits(*kind)).expect("some kind always fits");
        self.deck.remove(place)
    }
}

/// Settles what is open about a fault. It does not hit the node that another one has.
fn draw(random: &mut Random, kind: Kind, nodes: usize, taken: Option<usize>, pace: Pace, begins_ms: u64) -> Planned {
    let target = match (kind.hits(), taken) {
        (Hits::Node, Some(taken)) => Target::Node((taken + 1 + random.index(nodes - 1)) % nodes),
        (Hits::Node, None) => Target::Node(random.index(nodes)),
        (Hits::Worker, _) => Target::Worker(random.index(WORKERS)),
        (Hits::All, _) => Target::All,
    };
    let (low, high) = match kind {
        _ if kind.takes_the_database() => pace.outage_ms,
        _ if kind.hits() == Hits::Worker => pace.worker_ms,
        _ => pace.lasts_ms,
    };
    let lasts_ms = match kind {
        Kind::Reset | Kind::SessionKilled | Kind::SessionsEnded | Kind::RollingRestart | Kind::Promotion => 0,
        _ => random.between(low, high),
    };
    let sign = if random.chance(500_000) { 1 } else { -1 };
    let amount = match kind {
        Kind::Slow => random.between(100, 3_000).cast_signed(),
        Kind::ClockNear => sign * random.between(100, CLOCK_NEAR_MS.unsigned_abs() + 1).cast_signed(),
        Kind::ClockFar => sign * random.between(CLOCK_FAR_MS.0, CLOCK_FAR_MS.1).cast_signed(),
        Kind::SessionsExhausted => random.between(SESSIONS_LEFT.0, SESSIONS_LEFT.1).cast_signed(),
        _ => sign,
    };
    Planned { kind, target, begins_ms, lasts_ms, amount }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const HALF_AN_HOUR: u64 = 1_800_000;

    fn of(seed: u64, store: Store, nodes: usize) -> Vec<Planned> {
        plan(&mut Random::new(seed), &menu(store, true), nodes, Pace::SLOW, HALF_AN_HOUR)
    }

    #[test]
    fn plan_follows_from_its_seed_and_has_every_kind() {
        assert_eq!(of(7, Store::Postgres, 3), of(7, Store::Postgres, 3));
        assert_ne!(of(7, Store::Postgres, 3), of(8, Store::Postgres, 3));
        for seed in 0..50 {
            let kinds: BTreeSet<Kind> = of(seed, Store::Postgres, 3).iter().map(|planned| planned.kind).collect();
            assert_eq!(kinds, ALL.into(), "seed {seed}");
            assert!(of(seed, Store::Mariadb, 3).iter().all(|planned| planned.kind != Kind::Promotion), "seed {seed}");
            let alone: BTreeSet<Kind> = of(seed, Store::Sqlite, 1).iter().map(|planned| planned.kind).collect();
            assert_eq!(alone, ALONE.into(), "seed {seed}");
            let unplugged = menu(Store::Postgres, false).contains(&Kind::Unplugged);
            assert!(!unplugged, "without hosts of their own");
        }
    }

    #[test]
    fn any_kind_may_be_the_only_one() {
        for kind in ALL {
            let alone = plan(&mut Random::new(1), &[kind], 3, Pace::SLOW, HALF_AN_HOUR);
            assert!(alone.len() > 10 && alone.iter().all(|planned| planned.kind == kind), "{kind}");
            assert_eq!(Kind::named(&kind.to_string().replace(' ', "-")).unwrap(), kind);
        }
    }

    #[test]
    fn two_faults_at_most_come_at_a_time_and_never_both_to_one_node() {
        for seed in 0..50 {
            let planned = of(seed, Store::Mariadb, 3);
            for (index, one) in planned.iter().enumerate() {
                let others = planned.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, other)| other);
                let beside: Vec<&Planned> = others
                    .filter(|other| other.begins_ms <= one.ends_ms() && other.ends_ms() >= one.begins_ms)
                    .collect();
                assert!(beside.len() <= 1, "seed {seed}: {one:?} and {beside:?}");
                for other in beside {
                    assert!(one.kind.goes_with_others() && other.kind.goes_with_others(), "{one:?} {other:?}");
                    assert_ne!(one.target, other.target, "{one:?} {other:?}");
                    let (hits, beside) = (one.kind.hits(), other.kind.hits());
                    assert!(hits == Hits::Node || hits != beside, "{one:?} {other:?}");
                    let waits = one.kind != Kind::Kill || !other.kind.takes_the_database();
                    assert!(waits || one.ends_ms() > other.ends_ms(), "seed {seed}: {one:?} {other:?}");
                }
                assert!(one.ends_ms() <= HALF_AN_HOUR, "{one:?}");
                assert!(matches!(one.target, Target::Node(0..3) | Target::Worker(0..3) | Target::All), "{one:?}");
            }
        }
    }
}
