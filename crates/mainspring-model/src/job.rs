//! Policies of jobs.

use crate::words;

words!(
    /// What a fire does when `max_active` runs of the job are unfinished.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema, utoipa::ToSchema))]
    Overlap {
        /// Starts all the same.
        #[default]
        Allow = "allow",
        /// Is recorded as suppressed.
        Skip = "skip",
        /// Waits with all triggers of the job until a run ends; then the misfire policy judges what has passed.
        Hold = "hold",
        /// Waits for a slot, one fire at most; further ones are recorded as suppressed.
        QueueOne = "queue_one",
        /// Waits for a slot, however many wait already: the runs follow one another.
        QueueAll = "queue_all",
        /// Takes the place of an older run, whose end is asked for: the newest run wins.
        CancelRunning = "cancel_running",
    }
);

words!(
    /// How the pause before a further attempt grows.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema, utoipa::ToSchema))]
    Backoff {
        /// Not at all.
        #[default]
        Fixed = "fixed",
        /// It doubles with each attempt.
        Exponential = "exponential",
    }
);

words!(
    /// What becomes of a run whose worker died.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema, utoipa::ToSchema))]
    OnLost {
        /// Fails: it ran at most once.
        #[default]
        Fail = "fail",
        /// Is tried again: it runs at least once.
        Retry = "retry",
    }
);

words!(
    /// What becomes of processes that a program leaves running when it ends by itself.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema, utoipa::ToSchema))]
    Leftovers {
        /// They are ended: TERM and, half a second later, KILL.
        Kill = "kill",
        /// They go on, and the run's log names them.
        #[default]
        Warn = "warn",
        /// They go on.
        Keep = "keep",
    }
);

words!(
    /// How a worker is picked from those of the queue that have the labels of `workers`. Workers are in the order of their names.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema, utoipa::ToSchema))]
    #[cfg_attr(feature = "schema", schemars(rename = "Routing"), schema(as = Routing))]
    Strategy {
        /// Whoever has a free slot.
        #[default]
        Any = "any",
        /// The first.
        First = "first",
        /// The last.
        Last = "last",
        /// One after the other.
        Round = "round",
        /// Each as likely as the others.
        Random = "random",
        /// Always the same for the same job, or for the same `routing_key`, while it lives.
        ConsistentHash = "consistent_hash",
        /// The one that was given the fewest runs of the job.
        LeastFrequentlyUsed = "least_frequently_used",
        /// The one whose last run of the job is the longest ago.
        LeastRecentlyUsed = "least_recently_used",
        /// The first that was heard lately.
        Failover = "failover",
        /// The first with a free slot and no run of the job; until there is one, the run waits.
        BusyOver = "busy_over",
        /// Each of them: a run of its own for each, a shard, and the run ends when all of these have.
        ShardingBroadcast = "sharding_broadcast",
    }
);

impl Strategy {
    /// Tells whether it asks what workers have to do.
    #[must_use]
    pub const fn reads_load(self) -> bool {
        matches!(self, Self::Any | Self::BusyOver)
    }

    /// Tells whether it remembers which workers it has picked.
    #[must_use]
    pub const fn remembers(self) -> bool {
        matches!(self, Self::Round | Self::LeastFrequentlyUsed | Self::LeastRecentlyUsed)
    }
}
