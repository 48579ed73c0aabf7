//! Which of XXL-JOB's dialects an executor speaks.

/// A dialect, by the release that it began with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Dialect {
    /// 2.1: it talks JSON, and listens to a binary protocol only. It cannot be called.
    V2_1,
    /// 2.2: callbacks say `executeResult`.
    V2_2,
    /// 2.3 to 3.2: callbacks say `handleCode`; answers carry `content`.
    V2_3,
    /// 3.3 and 3.4: answers carry `data`.
    V3_3,
    /// 3.5: `/trigger` in place of `/run`, and the name of the app is sent both ways.
    V3_5,
}

impl Dialect {
    /// Returns the name of the method that starts a run.
    #[must_use]
    pub const fn run_method(self) -> &'static str {
        match self {
            Self::V3_5 => "trigger",
            _ => "run",
        }
    }

    /// Returns the releases that speak it, for people.
    #[must_use]
    pub const fn releases(self) -> &'static str {
        match self {
            Self::V2_1 => "2.1",
            Self::V2_2 => "2.2",
            Self::V2_3 => "2.3-3.2",
            Self::V3_3 => "3.3-3.4",
            Self::V3_5 => "3.5",
        }
    }

    /// Tells whether such an executor can be called.
    #[must_use]
    pub const fn is_called(self) -> bool {
        !matches!(self, Self::V2_1)
    }
}

/// What something that an executor said tells of its dialect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// It is this one.
    Is(Dialect),
    /// It is this one or a later one.
    AtLeast(Dialect),
    /// It is this one or an earlier one.
    AtMost(Dialect),
}

/// What is known of an executor's dialect: the range that no evidence has ruled out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Range {
    low: Dialect,
    high: Dialect,
}

impl Default for Range {
    fn default() -> Self {
        Self { low: Dialect::V2_1, high: Dialect::V3_5 }
    }
}

impl Range {
    /// Takes evidence in. What contradicts all that was known starts anew: the executor was replaced by another release.
    pub(crate) fn note(&mut self, evidence: Evidence) {
        let told = match evidence {
            Evidence::Is(dialect) => Self { low: dialect, high: dialect },
            Evidence::AtLeast(dialect) => Self { low: dialect, ..Self::default() },
            Evidence::AtMost(dialect) => Self { high: dialect, ..Self::default() },
        };
        let both = Self { low: self.low.max(told.low), high: self.high.min(told.high) };
        *self = if both.low <= both.high { both } else { told };
    }

    /// The dialect, once only one is left.
    pub(crate) fn known(self) -> Option<Dialect> {
        (self.low == self.high).then_some(self.low)
    }

    /// How to call it as far as is known: 3.5 where that is certain, else as those before, whose requests are all alike. Evidence for
    /// 2.1 alone means that it cannot be called.
    pub(crate) fn to_call(self) -> Dialect {
        match self.known() {
            Some(dialect) => dialect,
            None => self.high.min(Dialect::V3_3).max(Dialect::V2_2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Dialect::{V2_1, V2_2, V2_3, V3_3, V3_5};
    use Evidence::{AtLeast, AtMost, Is};

    #[test]
    fn evidence_narrows_and_contradiction_starts_anew() {
        let cases: [(&[Evidence], Option<Dialect>, Dialect); 9] = [
            (&[], None, V3_3),
            (&[Is(V3_5)], Some(V3_5), V3_5),
            (&[AtMost(V3_3)], None, V3_3),
            (&[AtMost(V3_3), AtMost(V2_2)], None, V2_2),
            (&[AtMost(V3_3), AtLeast(V2_3)], None, V3_3),
            (&[AtMost(V3_3), AtLeast(V2_3), AtMost(V2_3)], Some(V2_3), V2_3),
            (&[AtMost(V3_3), AtLeast(V3_3)], Some(V3_3), V3_3),
            (&[AtMost(V2_2), Is(V3_5)], Some(V3_5), V3_5),
            (&[AtMost(V2_1)], Some(V2_1), V2_1),
        ];
        for (told, known, called) in cases {
            let mut range = Range::default();
            told.iter().for_each(|evidence| range.note(*evidence));
            assert_eq!((range.known(), range.to_call()), (known, called), "{told:?}");
        }
    }
}
