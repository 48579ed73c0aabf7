//! I6, as the database saw it: nobody fires in a shard that is not his, and no lease comes back.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use crate::audit::Saw;

/// Findings that are kept: one is enough to fail, a few help to understand.
const KEPT: usize = 20;

/// The records of one shard.
#[derive(Default)]
struct Shard {
    owner: Option<i64>,
    epoch: i64,
    lease: u128,
    over: BTreeSet<u128>,
}

/// Returns the violations of fencing. Rows are in the order in which they were seen.
pub(crate) fn fenced(saw: &[Saw]) -> Vec<Finding> {
    let mut shards = BTreeMap::<i64, Shard>::new();
    let wrong = |saw: &Saw| match *saw {
        Saw::Owner { shard, owner, epoch, lease } => shards.entry(shard).or_default().passes(owner, epoch, lease),
        Saw::Fire { shard, by, .. } => {
            let owner = shards.entry(shard).or_default().owner;
            (owner != Some(by)).then(|| match owner {
                Some(owner) => format!("while {owner} held its lease"),
                None => "that nobody held".to_owned(),
            })
        }
    };
    let tell = |(saw, what): (&Saw, String)| match saw {
        Saw::Fire { shard, trigger, by } => format!("node start {by} fired trigger {trigger} of shard {shard} {what}"),
        Saw::Owner { shard, .. } => format!("the lease of shard {shard} {what}"),
    };
    let found: Vec<(&Saw, Option<String>)> = saw.iter().zip(saw.iter().map(wrong)).collect();
    let found = found.into_iter().filter_map(|(saw, what)| Some(tell((saw, what?)))).take(KEPT);
    found.map(|what| Finding { invariant: "I6", what }).collect()
}

impl Shard {
    /// Takes a change of owner in; says what is wrong with it.
    fn passes(&mut self, owner: Option<i64>, epoch: i64, lease: u128) -> Option<String> {
        let went_back = (epoch < self.epoch).then(|| format!("went from epoch {} back to {epoch}", self.epoch));
        let seized = self.owner.is_some() && owner.is_some() && owner != self.owner;
        let seized = seized.then(|| format!("passed from {:?} to {owner:?} without being given up", self.owner));
        let again = self.over.contains(&lease).then(|| format!("{lease:x} came back"));
        if lease != self.lease && self.lease != 0 {
            self.over.insert(self.lease);
        }
        (self.owner, self.epoch, self.lease) = (owner, epoch, lease);
        went_back.or(seized).or(again)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(owner: Option<i64>, epoch: i64, lease: u128) -> Saw {
        Saw::Owner { shard: 1, owner, epoch, lease }
    }

    const fn fire(by: i64) -> Saw {
        Saw::Fire { shard: 1, trigger: 9, by }
    }

    #[test]
    fn good_stories_are_accepted_and_bad_ones_are_not() {
        let begun = [owner(Some(2), 1, 20), fire(2)];
        let passed = [owner(None, 1, 0), owner(Some(3), 2, 30)];
        let cases: [(&str, &[Saw], usize); 8] = [
            ("it passes in order", &[fire(3), owner(None, 2, 0), owner(Some(2), 3, 21), fire(2)], 0),
            ("another shard", &[Saw::Fire { shard: 2, trigger: 9, by: 3 }], 1),
            ("fired after it was taken over", &[fire(3), fire(2)], 1),
            ("fired after it was given up", &[owner(None, 2, 0), fire(3)], 1),
            ("taken from a holder", &[owner(Some(2), 3, 21)], 1),
            ("the epoch went back", &[owner(None, 1, 0)], 1),
            ("an old lease came back", &[owner(None, 2, 0), owner(Some(2), 3, 20)], 1),
            ("all at once", &[fire(2), fire(2), owner(Some(2), 1, 20)], 3),
        ];
        for (what, then, expected) in cases {
            let story = [&begun[..], &passed, then].concat();
            assert_eq!(fenced(&story).len(), expected, "{what}: {:?}", fenced(&story));
        }
        assert_eq!(fenced(&vec![fire(2); 50]).len(), KEPT);
    }
}
