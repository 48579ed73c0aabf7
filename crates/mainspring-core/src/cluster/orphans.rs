//! How long runs have been without a node: for as long as nobody has seen it, they may still be reported.

use std::collections::BTreeMap;

use crate::id::Incarnation;

/// Counts only time in which this node's own renewals succeeded: an outage of the database makes nobody look dead.
#[derive(Debug, Default)]
pub(super) struct Orphans {
    counted_ms: u64,
    renewed_ms: Option<u64>,
    /// What the count was when an incarnation was first seen.
    seen: BTreeMap<Incarnation, u64>,
}

impl Orphans {
    pub(super) const fn renewed(&mut self, now_ms: u64) {
        if let Some(before) = self.renewed_ms {
            self.counted_ms += now_ms - before;
        }
        self.renewed_ms = Some(now_ms);
    }

    pub(super) const fn renewal_failed(&mut self) {
        self.renewed_ms = None;
    }

    /// Takes in which incarnations without a node hold runs, and says whose time is over.
    pub(super) fn look(&mut self, found: &[Incarnation], patience_ms: u64) -> Vec<Incarnation> {
        self.seen.retain(|incarnation, _| found.contains(incarnation));
        let over = |incarnation: &&Incarnation| {
            let since = *self.seen.entry(**incarnation).or_insert(self.counted_ms);
            self.counted_ms - since >= patience_ms
        };
        found.iter().filter(over).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEAD: Incarnation = Incarnation(7);

    #[test]
    fn runs_are_waited_for_while_the_own_renewals_succeed() {
        let mut orphans = Orphans::default();
        orphans.renewed(1_000);
        assert_eq!(orphans.look(&[DEAD], 3_000), []);
        orphans.renewed(3_000);
        assert_eq!(orphans.look(&[DEAD], 3_000), []);
        orphans.renewal_failed();
        orphans.renewed(60_000);
        assert_eq!(orphans.look(&[DEAD], 3_000), [], "an outage does not count");
        orphans.renewed(61_000);
        assert_eq!(orphans.look(&[DEAD], 3_000), [DEAD]);
        assert_eq!(orphans.look(&[], 3_000), []);
        assert_eq!(orphans.look(&[DEAD], 3_000), [], "it is counted anew");
    }
}
