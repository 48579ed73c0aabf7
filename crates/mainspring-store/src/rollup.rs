//! Figures of a span of time, kept so that nobody has to count what is long past.

use mainspring_core::Timestamp;

/// How long the spans of rollups are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RollupSpan {
    /// One minute.
    Minute,
    /// Fifteen minutes.
    Quarter,
    /// Three hours.
    Watch,
}

impl RollupSpan {
    /// All of them, the shortest first.
    pub const ALL: [Self; 3] = [Self::Minute, Self::Quarter, Self::Watch];

    /// Its length.
    #[must_use]
    pub const fn ms(self) -> i64 {
        match self {
            Self::Minute => 60_000,
            Self::Quarter => 15 * 60_000,
            Self::Watch => 3 * 3_600_000,
        }
    }

    /// How long its rows are kept: 8 hours, 8 days, 100 days.
    #[must_use]
    pub const fn kept_ms(self) -> i64 {
        match self {
            Self::Minute => 8 * 3_600_000,
            Self::Quarter => 8 * 86_400_000,
            Self::Watch => 100 * 86_400_000,
        }
    }

    /// How long its rows of queues are kept: 2 days, 8 days, 100 days. People look at a queue more closely than at the whole.
    #[must_use]
    pub const fn queue_kept_ms(self) -> i64 {
        match self {
            Self::Minute => 2 * 86_400_000,
            Self::Quarter | Self::Watch => self.kept_ms(),
        }
    }

    /// The beginning of the span that holds an instant. Spans are counted from 1970 UTC.
    ///
    /// ```
    /// use mainspring_store::RollupSpan;
    /// use mainspring_core::Timestamp;
    /// let at = Timestamp::from_millis(61_500);
    /// assert_eq!(RollupSpan::Minute.start(at), Timestamp::from_millis(60_000));
    /// ```
    #[must_use]
    pub fn start(self, at: Timestamp) -> Timestamp {
        Timestamp::from_millis(at.as_millis().div_euclid(self.ms()) * self.ms())
    }

    /// The length in seconds, as it is kept.
    pub(crate) const fn seconds(self) -> i64 {
        self.ms() / 1_000
    }
}

/// What one process start counted within a span.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RollupRow {
    /// How long the span is.
    pub span: RollupSpan,
    /// When it begins.
    pub at: Timestamp,
    /// The queue that was counted; nothing for the whole.
    pub queue: Option<String>,
    /// Who counted, as text: of each process start there is one row a span, and one a span and queue.
    pub node: String,
    /// JSON of the figures; a store does not look into it.
    pub figures: String,
}
