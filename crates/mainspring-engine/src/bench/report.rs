//! Figures that several benchmarks have.

use serde::Serialize;

/// Points of a distribution of milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Lateness {
    /// Half are not later.
    pub p50: u32,
    /// 99 % are not later.
    pub p99: u32,
    /// 99.9 % are not later.
    pub p999: u32,
    /// The latest.
    pub max: u32,
}

impl Lateness {
    pub(super) fn of(values: impl IntoIterator<Item = u32>) -> Self {
        let mut sorted: Vec<u32> = values.into_iter().collect();
        sorted.sort_unstable();
        let point = |permille: usize| sorted.get((sorted.len() * permille / 1_000).min(sorted.len().saturating_sub(1)));
        let at = |permille| point(permille).copied().unwrap_or_default();
        Self { p50: at(500), p99: at(990), p999: at(999), max: at(1_000) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_a_distribution() {
        assert_eq!(Lateness::of([]), Lateness::default());
        let thousand = Lateness::of((0..1_000).rev());
        assert_eq!(thousand, Lateness { p50: 500, p99: 990, p999: 999, max: 999 });
    }
}
