//! The times of a cluster, and what must hold between them.

/// The times that membership goes by. All are milliseconds of the node's own `CLOCK_BOOTTIME`, but for the two of clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// How often a node renews, and so looks at the others.
    pub renew_every_ms: u64,
    /// How long a node must be silent before others bury it.
    pub lease_ms: u64,
    /// How much earlier than that it stops trusting itself: room for clocks that run at different rates.
    pub trust_margin_ms: u64,
    /// When the shell gives up on a statement, and the database on a session that idles inside a transaction.
    pub deadline_ms: u64,
    /// How long the nodes must have been the same ones before shards move for the sake of balance. More than half a lease: a node
    /// that is gone is a suspect by then, and is given nothing.
    pub dwell_ms: u64,
    /// How long ago the engine's loop may have ticked for a renewal to be sent.
    pub loop_stall_ms: u64,
    /// The clock error that is warned of.
    pub clock_warn_ms: u64,
    /// The clock error at which a node gives its shards up.
    pub clock_leave_ms: u64,
    /// How long a node waits for answers that is far from the database: where another is nearer, it gives its shards up.
    pub far_ms: u64,
    /// Whether the store admits one process only (the lock file of SQLite): every other incarnation is then dead.
    pub exclusive: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            renew_every_ms: 1_000,
            lease_ms: 5_000,
            trust_margin_ms: 1_000,
            deadline_ms: 2_000,
            dwell_ms: 3_000,
            loop_stall_ms: 2_000,
            clock_warn_ms: 500,
            clock_leave_ms: 5_000,
            far_ms: 500,
            exclusive: false,
        }
    }
}

/// Times of other parts that must fit the lease.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EngineTimes {
    /// How far ahead triggers are in memory.
    pub window_ms: u64,
    /// How often the window is brought up to date.
    pub scan_every_ms: u64,
    /// How long loading a window takes, at the 99th percentile.
    pub load_ms: u64,
    /// How late a fire may be before the misfire policy judges it.
    pub misfire_threshold_ms: u64,
    /// When a silent worker's attempts are given up.
    pub worker_ttl_ms: u64,
    /// When a worker that cannot reach the server starts to end its own processes.
    pub worker_self_kill_ms: u64,
    /// How long these have to end.
    pub kill_grace_ms: u64,
}

/// Times that would lose fires, bury healthy nodes or run work twice. The server does not start with them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UnsafeTimes {
    /// A time that must not be zero.
    #[error("{name} is 0 ms: give it a positive value")]
    Zero {
        /// The setting.
        name: &'static str,
    },
    /// A time that must be shorter than another.
    #[error("{name} ({value_ms} ms) must be below {limit} ({limit_ms} ms): {reason}")]
    TooLong {
        /// The setting.
        name: &'static str,
        /// Its value.
        value_ms: u64,
        /// What bounds it.
        limit: &'static str,
        /// The value of that.
        limit_ms: u64,
        /// Why.
        reason: &'static str,
    },
    /// A time that must be at least as long as another.
    #[error("{name} ({value_ms} ms) must be at least {limit} ({limit_ms} ms): {reason}")]
    TooShort {
        /// The setting.
        name: &'static str,
        /// Its value.
        value_ms: u64,
        /// What bounds it.
        limit: &'static str,
        /// The value of that.
        limit_ms: u64,
        /// Why.
        reason: &'static str,
    },
}

impl UnsafeTimes {
    /// The stable code of the error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Zero { .. } => "cluster.time_zero",
            Self::TooLong { .. } => "cluster.time_too_long",
            Self::TooShort { .. } => "cluster.time_too_short",
        }
    }
}

type Named = (&'static str, u64);

impl Settings {
    /// How long after sending a renewal that succeeded a node trusts itself.
    #[must_use]
    pub const fn trust_ms(&self) -> u64 {
        self.lease_ms.saturating_sub(self.trust_margin_ms)
    }

    /// Checks the times against each other.
    ///
    /// ```
    /// use mainspring_core::cluster::Settings;
    /// assert_eq!(Settings::default().check(), Ok(()));
    /// let hasty = Settings { lease_ms: 3_000, ..Settings::default() };
    /// let error = hasty.check().unwrap_err();
    /// assert_eq!(error.code(), "cluster.time_too_short");
    /// assert!(error.to_string().starts_with("lease_ms (3000 ms) must be at least 5 * renew_every_ms (5000 ms): "));
    /// ```
    ///
    /// # Errors
    /// The first pair that does not fit.
    pub fn check(&self) -> Result<(), UnsafeTimes> {
        let (lease, renew) = (("lease_ms", self.lease_ms), ("renew_every_ms", self.renew_every_ms));
        let (warn, margin) = (("clock_warn_ms", self.clock_warn_ms), ("trust_margin_ms", self.trust_margin_ms));
        let (deadline, far) = (("deadline_ms", self.deadline_ms), ("far_ms", self.far_ms));
        for (name, value) in [lease, renew, warn, margin, deadline, far] {
            if value == 0 {
                return Err(UnsafeTimes::Zero { name });
            }
        }
        let five = ("5 * renew_every_ms", 5 * self.renew_every_ms);
        at_least(lease, five, "a node that misses a few renewals must not look dead")?;
        let drift = ("lease_ms / 50", self.lease_ms.div_ceil(50));
        at_least(margin, drift, "clocks of two nodes run at rates that differ")?;
        below(margin, lease, "a node could never trust itself")?;
        let trust = ("lease_ms - trust_margin_ms", self.trust_ms());
        below(deadline, trust, "a statement must end while the node that sent it still trusts itself")?;
        below(("loop_stall_ms", self.loop_stall_ms), trust, "a node whose engine hangs must not renew its lease")?;
        below(far, deadline, "a node must hear in time that it is far")?;
        at_least(("dwell_ms", self.dwell_ms), renew, "every node must have seen a change before shards move for it")?;
        below(warn, ("clock_leave_ms", self.clock_leave_ms), "a wrong clock is warned of before it costs the shards")
    }

    /// Checks the times of other parts against the lease.
    ///
    /// # Errors
    /// The first pair that does not fit.
    pub fn check_engine(&self, times: &EngineTimes) -> Result<(), UnsafeTimes> {
        let window = ("window_ms", times.window_ms);
        let scan = ("scan_every_ms + load_ms", times.scan_every_ms + times.load_ms);
        below(scan, window, "triggers must be in memory before they are due")?;
        let scans = ("4 * scan_every_ms", 4 * times.scan_every_ms);
        at_least(window, scans, "a scan that is lost must not make a fire late")?;
        let takeover = self.lease_ms + self.renew_every_ms + times.scan_every_ms + times.load_ms;
        let takeovers = ("3 * (lease_ms + renew_every_ms + scan_every_ms + load_ms)", 3 * takeover);
        let misfire = ("misfire_threshold_ms", times.misfire_threshold_ms);
        at_least(misfire, takeovers, "the loss of a node must not count as a misfire")?;
        let killed = ("worker_self_kill_ms + kill_grace_ms", times.worker_self_kill_ms + times.kill_grace_ms);
        below(
            killed,
            ("worker_ttl_ms", times.worker_ttl_ms),
            "a lost worker's processes end before its work is given away",
        )
    }
}

fn below((name, value_ms): Named, (limit, limit_ms): Named, reason: &'static str) -> Result<(), UnsafeTimes> {
    if value_ms < limit_ms { Ok(()) } else { Err(UnsafeTimes::TooLong { name, value_ms, limit, limit_ms, reason }) }
}

fn at_least((name, value_ms): Named, (limit, limit_ms): Named, reason: &'static str) -> Result<(), UnsafeTimes> {
    if value_ms >= limit_ms { Ok(()) } else { Err(UnsafeTimes::TooShort { name, value_ms, limit, limit_ms, reason }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: EngineTimes = EngineTimes {
        window_ms: 5_000,
        scan_every_ms: 500,
        load_ms: 500,
        misfire_threshold_ms: 60_000,
        worker_ttl_ms: 15_000,
        worker_self_kill_ms: 10_000,
        kill_grace_ms: 4_000,
    };

    #[test]
    fn every_inequality_refuses_what_breaks_it() {
        let fine = Settings::default();
        let cases = [
            (Settings { renew_every_ms: 0, ..fine }, "renew_every_ms is 0"),
            (Settings { trust_margin_ms: 0, ..fine }, "trust_margin_ms is 0"),
            (Settings { lease_ms: 4_999, ..fine }, "lease_ms (4999 ms) must be at least 5 * renew_every_ms"),
            (Settings { trust_margin_ms: 99, ..fine }, "trust_margin_ms (99 ms) must be at least lease_ms / 50"),
            (Settings { trust_margin_ms: 5_000, ..fine }, "trust_margin_ms (5000 ms) must be below lease_ms"),
            (Settings { deadline_ms: 4_000, ..fine }, "deadline_ms (4000 ms) must be below lease_ms - trust"),
            (Settings { loop_stall_ms: 4_000, ..fine }, "loop_stall_ms (4000 ms) must be below lease_ms - trust"),
            (Settings { far_ms: 2_000, ..fine }, "far_ms (2000 ms) must be below deadline_ms"),
            (Settings { dwell_ms: 999, ..fine }, "dwell_ms (999 ms) must be at least renew_every_ms"),
            (Settings { clock_warn_ms: 5_000, ..fine }, "clock_warn_ms (5000 ms) must be below clock_leave_ms"),
        ];
        assert_eq!(fine.check(), Ok(()));
        for (settings, text) in cases {
            let error = settings.check().expect_err(text).to_string();
            assert!(error.starts_with(text), "{error}");
        }
    }

    #[test]
    fn times_of_the_engine_fit_the_lease() {
        let cases = [
            (EngineTimes { load_ms: 4_500, ..TIMES }, "scan_every_ms + load_ms (5000 ms) must be below window_ms"),
            (EngineTimes { scan_every_ms: 1_251, ..TIMES }, "window_ms (5000 ms) must be at least 4 * scan_every_ms"),
            (EngineTimes { misfire_threshold_ms: 20_999, ..TIMES }, "misfire_threshold_ms (20999 ms) must be at least"),
            (EngineTimes { kill_grace_ms: 5_000, ..TIMES }, "worker_self_kill_ms + kill_grace_ms (15000 ms) must be"),
        ];
        assert_eq!(Settings::default().check_engine(&TIMES), Ok(()));
        for (times, text) in cases {
            let error = Settings::default().check_engine(&times).expect_err(text).to_string();
            assert!(error.starts_with(text), "{error}");
        }
    }
}
