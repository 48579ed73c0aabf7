//! What may go wrong, how often, and the bugs that may be planted.

use std::collections::BTreeMap;
use std::fmt;

use crate::Random;

/// A kind of fault. Each is off in some seeds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A process dies between two effects.
    CrashBetween,
    /// A process dies at any time.
    Crash,
    /// A process stands still, and its clocks go on.
    Pause,
    /// A machine sleeps: its process stands still.
    Suspend,
    /// The engine's loop hangs; the lease's thread does not.
    Stall,
    /// A message is lost.
    Loss,
    /// A message takes long, and others overtake it.
    Delay,
    /// A message arrives twice.
    Duplicate,
    /// No messages from a node to the store, or back, or both.
    Cut,
    /// A transaction fails before its commit.
    ErrorBefore,
    /// A transaction is kept, and its sender hears that it failed.
    ErrorAfter,
    /// A transaction is kept, and its sender hears nothing.
    Silent,
    /// A commit takes so long that the node may be taken for dead meanwhile.
    LateCommit,
    /// Transactions wait for each other.
    Deadlock,
    /// A transaction waits for a lock in vain.
    LockTimeout,
    /// The store is slow for a while.
    SlowStore,
    /// A session is ended by the store.
    SessionDeath,
    /// The store is gone for a while, and all sessions with it.
    Outage,
    /// Another server takes the store over, without its last transactions.
    Failover,
    /// A node's wall clock is set.
    ClockStep,
    /// The store's clock is set.
    StoreClock,
    /// A node is asked to drain, and later to take shards again.
    Drain,
    /// A worker of another machine dies, and begins again with what its disk has.
    WorkerCrash,
    /// A worker stands still, and its work with it.
    WorkerPause,
    /// No messages from a worker to nodes, or back, or both.
    WorkerCut,
    /// A message between a worker and a node is lost.
    WorkerLoss,
    /// A message between a worker and a node takes long, and others overtake it.
    WorkerDelay,
    /// A request of a worker arrives twice.
    WorkerDuplicate,
    /// A batch of fires is committed when its sender, of which nobody hears meanwhile, has lost its shards to others.
    Overtaken,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 29] = [
        Self::CrashBetween,
        Self::Crash,
        Self::Pause,
        Self::Suspend,
        Self::Stall,
        Self::Loss,
        Self::Delay,
        Self::Duplicate,
        Self::Cut,
        Self::ErrorBefore,
        Self::ErrorAfter,
        Self::Silent,
        Self::LateCommit,
        Self::Deadlock,
        Self::LockTimeout,
        Self::SlowStore,
        Self::SessionDeath,
        Self::Outage,
        Self::Failover,
        Self::ClockStep,
        Self::StoreClock,
        Self::Drain,
        Self::WorkerCrash,
        Self::WorkerPause,
        Self::WorkerCut,
        Self::WorkerLoss,
        Self::WorkerDelay,
        Self::WorkerDuplicate,
        Self::Overtaken,
    ];

    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::CrashBetween => "crash between effects",
            Self::Crash => "crash",
            Self::Pause => "pause",
            Self::Suspend => "suspend",
            Self::Stall => "stall",
            Self::Loss => "loss",
            Self::Delay => "delay",
            Self::Duplicate => "duplicate",
            Self::Cut => "cut",
            Self::ErrorBefore => "error before commit",
            Self::ErrorAfter => "error after commit",
            Self::Silent => "commit without answer",
            Self::LateCommit => "late commit",
            Self::Deadlock => "deadlock",
            Self::LockTimeout => "lock time-out",
            Self::SlowStore => "slow store",
            Self::SessionDeath => "session death",
            Self::Outage => "outage",
            Self::Failover => "failover",
            Self::ClockStep => "clock step",
            Self::StoreClock => "store clock step",
            Self::Drain => "drain",
            Self::WorkerCrash => "worker crash",
            Self::WorkerPause => "worker pause",
            Self::WorkerCut => "worker cut",
            Self::WorkerLoss => "worker loss",
            Self::WorkerDelay => "worker delay",
            Self::WorkerDuplicate => "worker duplicate",
            Self::Overtaken => "commit past a takeover",
        }
    }

    /// Whether it happens to messages and transactions, so that its rate is a chance for each; the others have one a minute.
    const fn is_small(self) -> bool {
        matches!(
            self,
            Self::CrashBetween
                | Self::Loss
                | Self::Delay
                | Self::Duplicate
                | Self::ErrorBefore
                | Self::ErrorAfter
                | Self::Silent
                | Self::LateCommit
                | Self::SessionDeath
                | Self::WorkerLoss
                | Self::WorkerDelay
                | Self::WorkerDuplicate
        )
    }
}

/// How often each kind happens in a seed: in a million messages, transactions or effects, or in a thousand minutes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rates(BTreeMap<Kind, u64>);

impl Rates {
    /// Most seeds have a few kinds, some have many, and few have one.
    pub(crate) fn drawn(random: &mut Random) -> Self {
        let share = *random.pick(&[150_000, 350_000, 350_000, 600_000]);
        let mut rates = BTreeMap::new();
        // The last one has a stream of its own: seeds in which it does not happen go on as they did before it was there.
        for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Overtaken) {
            // A seed without a fault would show nothing that a calm one does not.
            let on = random.chance(share) || kind == Kind::ErrorBefore;
            let most = if kind.is_small() { 8_000 } else { 1_500 };
            let rate = random.between(most / 8, most);
            if on {
                rates.insert(kind, if kind == Kind::CrashBetween { rate / 10 } else { rate });
            }
        }
        Self(rates)
    }

    /// Adds what comes from a stream of its own: in one seed out of eight, a few batches of each node.
    pub(crate) fn with_overtaken(mut self, random: &mut Random) -> Self {
        if random.chance(125_000) {
            self.0.insert(Kind::Overtaken, random.between(200, 2_000));
        }
        self
    }

    pub(crate) fn of(&self, kind: Kind) -> u64 {
        self.0.get(&kind).copied().unwrap_or_default()
    }

    pub(crate) fn none() -> Self {
        Self::default()
    }
}

/// How often each kind had an effect.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts(BTreeMap<Kind, u64>);

impl Counts {
    /// Counts one.
    pub fn add(&mut self, kind: Kind) {
        *self.0.entry(kind).or_default() += 1;
    }

    /// Adds others.
    pub fn merge(&mut self, others: &Self) {
        for (kind, count) in &others.0 {
            *self.0.entry(*kind).or_default() += count;
        }
    }

    /// All together.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// How many of a kind.
    #[must_use]
    pub fn of(&self, kind: Kind) -> u64 {
        self.0.get(&kind).copied().unwrap_or_default()
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for kind in Kind::ALL {
            writeln!(f, "{:>12}  {}", self.of(kind), kind.word())?;
        }
        Ok(())
    }
}

/// A bug that is made on purpose, to see that an invariant catches it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Planted {
    /// Work starts when its fire is sent, not when it is recorded.
    DispatchBeforeCommit,
    /// The trigger's advance is kept where the insertion of its run fails.
    AdvanceWithoutInsert,
    /// The fence is looked at, and not locked.
    FenceByExists,
    /// A fire compares the due instant alone: neither version nor pause.
    NoVersion,
    /// A batch is accepted by the number of its lease, whoever holds it.
    EpochOnly,
    /// Wall clocks decide who is dead.
    TimestampLease,
    /// Whether a batch was kept is decided by a look at its triggers.
    RetryBySelect,
    /// A verdict ends whatever attempt is open.
    NoAttemptCheck,
    /// A fire counts as missed before a takeover is over.
    HastyMisfire,
    /// What is counted of the upstreams of tasks is kept where the step that counted it is not.
    CountersKept,
    /// A step of a workflow run is written whatever turn it was decided on.
    JoinWithoutTurn,
    /// An end leaves no message where the step is stale that was to hear it.
    EndsSwallowed,
    /// A run that the row of a task names is asked for by nobody but who wrote that.
    CallsForgotten,
    /// Nobody looks at what a task awaits once that is noted: only what ends later is told.
    NeedsNotLooked,
    /// Changes are read on from a number.
    CursorPolling,
    /// A worker reports ends that are not in its journal, and reads none when it begins.
    LostJournal,
    /// What a worker measures its silence with is not set anew after an outage.
    StaleTimers,
    /// The limit is asked before the transaction.
    OverlapOutside,
    /// The clock of leases stops while the machine sleeps.
    SleepingClock,
    /// A process start is known by its host's name.
    HostName,
    /// What a transaction has done is kept when one of its statements fails.
    HalfCommit,
    /// A trigger that cannot be evaluated stops the reading of all.
    PoisonBlocks,
    /// A verdict overwrites an earlier one.
    Rewritten,
    /// Items are written whoever owns their flow by now.
    UnfencedItems,
    /// The machine of a flow hears that a turn is kept when that is sent, not when it is.
    SettledEarly,
    /// What a terminated body did is kept.
    TerminatedKept,
}

impl Planted {
    /// Whether it is a bug of flows.
    pub(crate) const fn is_of_flows(self) -> bool {
        matches!(self, Self::UnfencedItems | Self::SettledEarly | Self::TerminatedKept)
    }

    /// Whether it is one of workflows.
    pub(crate) const fn is_of_workflows(self) -> bool {
        matches!(
            self,
            Self::CountersKept
                | Self::JoinWithoutTurn
                | Self::EndsSwallowed
                | Self::CallsForgotten
                | Self::NeedsNotLooked
        )
    }

    /// All of them, with their numbers in the list of bugs, and what each is.
    pub const ALL: [(u32, Self, &'static str); 26] = [
        (1, Self::DispatchBeforeCommit, "dispatch before commit"),
        (2, Self::AdvanceWithoutInsert, "advance without insert"),
        (3, Self::FenceByExists, "fence by EXISTS"),
        (4, Self::NoVersion, "no version in the compare-and-set"),
        (5, Self::EpochOnly, "epoch-only token"),
        (6, Self::TimestampLease, "timestamp lease"),
        (7, Self::RetryBySelect, "retry decided by SELECT"),
        (8, Self::NoAttemptCheck, "recovery without attempt check"),
        (9, Self::HastyMisfire, "misfire threshold below takeover"),
        (10, Self::CountersKept, "counters of a workflow run kept without their step"),
        (11, Self::JoinWithoutTurn, "join without the turn of its run"),
        (12, Self::CursorPolling, "cursor polling"),
        (13, Self::LostJournal, "lost verdict journal"),
        (14, Self::StaleTimers, "worker timers not reset after outage"),
        (15, Self::OverlapOutside, "overlap check outside the transaction"),
        (16, Self::SleepingClock, "lease clock that stops in suspend"),
        (17, Self::HostName, "host-name identity"),
        (18, Self::HalfCommit, "commit after partial failure"),
        (19, Self::PoisonBlocks, "poison row blocks the others"),
        (20, Self::Rewritten, "terminal state rewritten"),
        (21, Self::UnfencedItems, "items written without the epoch of their flow"),
        (22, Self::SettledEarly, "items passed on before that is kept"),
        (23, Self::TerminatedKept, "late end of a terminated body kept"),
        (24, Self::EndsSwallowed, "end lost with the stale step that was to hear it"),
        (25, Self::CallsForgotten, "called run asked for by nobody after a crash"),
        (26, Self::NeedsNotLooked, "needed task not looked at once it is awaited"),
    ];
}
