//! Which nodes are silent, and for how long? Measured on this node's clock alone.

use std::collections::BTreeMap;

use super::{Reading, Settings};
use crate::id::Incarnation;

/// What is known of another incarnation.
#[derive(Clone, Copy, Debug)]
struct Watch {
    counter: u64,
    silent_ms: u64,
    /// Up to when its silence is counted.
    counted_to_ms: u64,
}

/// The other incarnations in the last view.
#[derive(Clone, Debug, Default)]
pub(super) struct Silence(BTreeMap<Incarnation, Watch>);

impl Silence {
    /// Takes in the counters of a view. `steady` says that no renewal failed since the view before.
    ///
    /// A counter is known to have stood still from the receipt of the first view that showed it to the sending for the
    /// last, no longer: what the database did while an answer was on its way is unknown. Of a gap between two
    /// renewals only two periods count, since a node that slept cannot tell whether the database did too.
    pub(super) fn observe(
        &mut self,
        settings: &Settings,
        counters: impl Iterator<Item = (Incarnation, u64)>,
        (sent, received): (Reading, Reading),
        steady: bool,
    ) {
        let before = std::mem::take(&mut self.0);
        let fresh = |counter| Watch { counter, silent_ms: 0, counted_to_ms: received.boot_ms };
        self.0 = counters
            .map(|(incarnation, counter)| match before.get(&incarnation) {
                Some(watch) if watch.counter == counter => {
                    let gap = sent.boot_ms.saturating_sub(watch.counted_to_ms).min(2 * settings.renew_every_ms);
                    let silent_ms = watch.silent_ms + if steady { gap } else { 0 };
                    let counted_to_ms = watch.counted_to_ms.max(sent.boot_ms);
                    (incarnation, Watch { counter, silent_ms, counted_to_ms })
                }
                _ => (incarnation, fresh(counter)),
            })
            .collect();
    }

    pub(super) fn of(&self, incarnation: Incarnation) -> u64 {
        self.0.get(&incarnation).map_or(0, |watch| watch.silent_ms)
    }

    /// A node silent for half a lease inherits nothing until it is heard again.
    pub(super) fn is_suspect(&self, settings: &Settings, incarnation: Incarnation) -> bool {
        2 * self.of(incarnation) >= settings.lease_ms
    }

    /// The incarnations that are dead, each with the counter at which it stopped.
    pub(super) fn dead(&self, settings: &Settings) -> impl Iterator<Item = (Incarnation, u64)> {
        let limit = if settings.exclusive { 0 } else { settings.lease_ms };
        self.0.iter().filter(move |(_, watch)| watch.silent_ms >= limit).map(|(id, watch)| (*id, watch.counter))
    }

    /// When a renewal, sent then, can find the first suspect dead.
    pub(super) fn next_death(&self, settings: &Settings) -> Option<u64> {
        let suspects = self.0.iter().filter(|(id, _)| self.is_suspect(settings, **id));
        suspects.map(|(_, watch)| watch.counted_to_ms + settings.lease_ms.saturating_sub(watch.silent_ms)).min()
    }
}
