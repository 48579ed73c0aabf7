//! XXL-JOB's words, and ours for the same.

use mainspring_api::{Misfire, Overlap, Routing, XxlLanguage};
use mainspring_model::words;

words!(
    /// Which executor of an app is given a run.
    RouteStrategy {
        /// The first.
        First = "FIRST",
        /// The last.
        Last = "LAST",
        /// One after the other.
        Round = "ROUND",
        /// Any.
        Random = "RANDOM",
        /// Always the same for a job.
        ConsistentHash = "CONSISTENT_HASH",
        /// The one that was given the fewest runs.
        LeastFrequentlyUsed = "LEAST_FREQUENTLY_USED",
        /// The one whose last run is the longest ago.
        LeastRecentlyUsed = "LEAST_RECENTLY_USED",
        /// The first that answers.
        Failover = "FAILOVER",
        /// The first that does not execute the job.
        BusyOver = "BUSYOVER",
        /// Each executes a shard.
        ShardingBroadcast = "SHARDING_BROADCAST",
    }
);

impl RouteStrategy {
    /// Returns the routing that gives the same answers.
    ///
    /// ```
    /// use mainspring_api::Routing;
    /// use mainspring_xxl::words::RouteStrategy;
    /// assert_eq!(RouteStrategy::from_word("BUSYOVER").map(RouteStrategy::ours), Some(Routing::BusyOver));
    /// ```
    #[must_use]
    pub const fn ours(self) -> Routing {
        match self {
            Self::First => Routing::First,
            Self::Last => Routing::Last,
            Self::Round => Routing::Round,
            Self::Random => Routing::Random,
            Self::ConsistentHash => Routing::ConsistentHash,
            Self::LeastFrequentlyUsed => Routing::LeastFrequentlyUsed,
            Self::LeastRecentlyUsed => Routing::LeastRecentlyUsed,
            Self::Failover => Routing::Failover,
            Self::BusyOver => Routing::BusyOver,
            Self::ShardingBroadcast => Routing::ShardingBroadcast,
        }
    }
}

words!(
    /// What an executor does with a run of a job that it executes already.
    BlockStrategy {
        /// It waits. Executors take any word that they do not know for this one.
        Serial = "SERIAL_EXECUTION",
        /// It is refused.
        DiscardLater = "DISCARD_LATER",
        /// It takes the place of the one before, and of all that wait.
        CoverEarly = "COVER_EARLY",
    }
);

impl BlockStrategy {
    /// Returns the overlap policy that does the same for the whole job, with one run at a time.
    #[must_use]
    pub const fn ours(self) -> Overlap {
        match self {
            Self::Serial => Overlap::QueueAll,
            Self::DiscardLater => Overlap::Skip,
            Self::CoverEarly => Overlap::CancelRunning,
        }
    }
}

words!(
    /// What becomes of fire times that were missed by more than five seconds.
    MisfireStrategy {
        /// Nothing.
        DoNothing = "DO_NOTHING",
        /// One run, now.
        FireOnceNow = "FIRE_ONCE_NOW",
    }
);

impl MisfireStrategy {
    /// How late a fire time must be before it is missed, in milliseconds.
    pub const THRESHOLD_MS: i64 = 5_000;

    /// Returns the misfire policy that does the same for a trigger by cron.
    #[must_use]
    pub const fn of_cron(self) -> Misfire {
        match self {
            Self::DoNothing => Misfire::DoNothing,
            Self::FireOnceNow => Misfire::FireOnceNow,
        }
    }

    /// Returns the misfire policy that does the same for a trigger at an interval.
    #[must_use]
    pub const fn of_interval(self) -> Misfire {
        match self {
            Self::DoNothing => Misfire::NextWithExistingCount,
            Self::FireOnceNow => Misfire::FireNow,
        }
    }
}

words!(
    /// When a job runs.
    ScheduleType {
        /// Only when asked.
        None = "NONE",
        /// By a Quartz expression.
        Cron = "CRON",
        /// Every so many seconds.
        FixRate = "FIX_RATE",
        /// So many seconds after the end of the run before. Listed as a feature, and commented out since 2.3.
        FixDelay = "FIX_DELAY",
    }
);

words!(
    /// What kind of work a job is.
    GlueType {
        /// A handler of the executor's program.
        Bean = "BEAN",
        /// Java or Groovy source, compiled in the executor.
        Groovy = "GLUE_GROOVY",
        /// A shell script.
        Shell = "GLUE_SHELL",
        /// A Python script: `python` before 3.2, and `python3` from then on.
        Python = "GLUE_PYTHON",
        /// A script for `python`, from 3.2 on.
        Python2 = "GLUE_PYTHON2",
        /// A Node script.
        Node = "GLUE_NODEJS",
        /// A PHP script.
        Php = "GLUE_PHP",
        /// A `PowerShell` script.
        PowerShell = "GLUE_POWERSHELL",
    }
);

impl GlueType {
    /// Returns what a script is written in; nothing for a handler.
    #[must_use]
    pub const fn ours(self) -> Option<XxlLanguage> {
        Some(match self {
            Self::Bean => return None,
            Self::Groovy => XxlLanguage::Groovy,
            Self::Shell => XxlLanguage::Shell,
            Self::Python => XxlLanguage::Python,
            Self::Python2 => XxlLanguage::Python2,
            Self::Node => XxlLanguage::Node,
            Self::Php => XxlLanguage::Php,
            Self::PowerShell => XxlLanguage::Powershell,
        })
    }

    /// Returns the type of scripts in a language, by its word in job files.
    ///
    /// ```
    /// use mainspring_xxl::words::GlueType;
    /// assert_eq!(GlueType::of_word("shell"), Some(GlueType::Shell));
    /// ```
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        let language = XxlLanguage::parse(word)?;
        Self::ALL.iter().copied().find(|glue| glue.ours() == Some(language))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read_back_and_no_other() {
        for word in RouteStrategy::ALL {
            assert_eq!(RouteStrategy::from_word(word.as_str()), Some(*word));
            let spelled = serde_json::to_string(&word.ours()).unwrap();
            let ours = spelled.trim_matches('"').replace('_', "");
            assert_eq!(ours, word.as_str().to_lowercase().replace('_', ""), "one name, two spellings");
        }
        assert_eq!(RouteStrategy::from_word("first"), None);
        assert_eq!(BlockStrategy::from_word("CONCURRENT_EXECUTION"), None);
        assert_eq!(GlueType::from_word("bean"), None);
        assert_eq!(ScheduleType::from_word(""), None);
        for language in XxlLanguage::ALL {
            assert_eq!(GlueType::of_word(language.as_str()).and_then(GlueType::ours), Some(language));
        }
    }

    #[test]
    fn misfire_policies_fit_the_triggers_they_are_for() {
        use mainspring_api::TriggerKind;
        for strategy in MisfireStrategy::ALL {
            assert!(strategy.of_cron().fits(TriggerKind::Cron), "{strategy}");
            assert!(strategy.of_interval().fits(TriggerKind::Every), "{strategy}");
        }
    }
}
