//! What may be kept of a flow: a model of its items, fed with each transaction in the order in which the store kept them.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_store::{ItemRow, ItemWrite};

/// Where an item waits: its connection, and its place in the order of arrival.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    /// The number of the connection.
    pub connection: i64,
    /// The place in the order of arrival.
    pub position: i64,
}

impl From<&ItemRow> for Spot {
    fn from(row: &ItemRow) -> Self {
        Self { connection: row.connection, position: row.position }
    }
}

/// Writes that were kept together for one reason.
#[derive(Clone, Debug, Default)]
pub struct Deed {
    /// Whether its body was terminated before it ended.
    pub is_terminated: bool,
    /// The items that its body had, and where they were when it took them.
    pub had: BTreeMap<i64, Spot>,
    /// What was written.
    pub writes: Vec<ItemWrite>,
}

/// The items of a flow as they are kept, and all that ever were.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    epoch: i64,
    spots: BTreeMap<i64, Spot>,
    ever: BTreeSet<i64>,
    batches: BTreeSet<u64>,
    commits: u64,
}

/// What breaks an invariant: which, and why.
pub type Broken = (&'static str, String);

impl Ledger {
    /// A node has taken the flow.
    pub const fn taken(&mut self, epoch: i64) {
        self.epoch = epoch;
    }

    /// The epoch of the owner.
    #[must_use]
    pub const fn epoch(&self) -> i64 {
        self.epoch
    }

    /// How many transactions were kept.
    #[must_use]
    pub const fn commits(&self) -> u64 {
        self.commits
    }

    /// Items that are kept, and where.
    pub fn spots(&self) -> impl Iterator<Item = (i64, Spot)> {
        self.spots.iter().map(|(id, spot)| (*id, *spot))
    }

    /// Whether an item was ever kept.
    #[must_use]
    pub fn knows(&self, id: i64) -> bool {
        self.ever.contains(&id)
    }

    /// Hears of a transaction that was kept, and answers what is wrong with it. A batch that comes again changes nothing.
    pub fn kept(&mut self, batch: u64, epoch: i64, deeds: &[Deed]) -> Vec<Broken> {
        let mut broken = Vec::new();
        self.commits += 1;
        if epoch != self.epoch {
            let why = format!("the owner of epoch {epoch} has written, and that of {} has the flow", self.epoch);
            broken.push(("I19", why));
        }
        if !self.batches.insert(batch) {
            return broken;
        }
        for deed in deeds {
            self.moved_twice(deed, &mut broken);
            for write in &deed.writes {
                self.write(write, &mut broken);
            }
        }
        broken
    }

    /// A body takes its items from where they are, or what it does with them was done by another one before.
    fn moved_twice(&self, deed: &Deed, broken: &mut Vec<Broken>) {
        if deed.is_terminated {
            broken.push(("I19", format!("a body that was terminated has kept {} writes", deed.writes.len())));
        }
        for (id, had) in &deed.had {
            let there = self.spots.get(id);
            if there != Some(had) {
                broken.push(("I18", format!("a body had item {id} of {had:?}, and it is kept as {there:?}")));
            }
        }
    }

    fn write(&mut self, write: &ItemWrite, broken: &mut Vec<Broken>) {
        match write {
            ItemWrite::Insert(row, _) => {
                if !self.ever.insert(row.id) {
                    broken.push(("I17", format!("item {} is made, and was there before", row.id)));
                }
                self.spots.insert(row.id, row.into());
            }
            ItemWrite::Update(row, _) => match self.spots.get_mut(&row.id) {
                Some(spot) => *spot = row.into(),
                None => broken.push(("I17", format!("item {} is moved, and is not there", row.id))),
            },
            ItemWrite::Adopt(id, _) => broken.push(("I17", format!("item {id} is in an inbox, and there is none"))),
            ItemWrite::Remove(id) => {
                if self.spots.remove(id).is_none() {
                    broken.push(("I17", format!("item {id} ends, and is not there")));
                }
            }
        }
    }

    /// What is wrong with a body that begins with these items: it may have only what is kept.
    #[must_use]
    pub fn begun(&self, had: &BTreeMap<i64, Spot>) -> Vec<String> {
        let wrong = had.iter().filter(|(id, spot)| self.spots.get(id) != Some(spot));
        wrong
            .map(|(id, spot)| format!("a body has item {id} of {spot:?}, which is kept as {:?}", self.spots.get(id)))
            .collect()
    }

    /// What is wrong with rows of the store: they are the items that are kept, each once.
    #[must_use]
    pub fn differs(&self, rows: &[ItemRow]) -> Vec<String> {
        let stored: BTreeMap<i64, Spot> = rows.iter().map(|row| (row.id, row.into())).collect();
        if stored == self.spots {
            return Vec::new();
        }
        vec![format!("the store has {stored:?}, and {:?} were kept", self.spots)]
    }

    /// What is wrong with a queue that only requests fill, and that takes so many items.
    #[must_use]
    pub fn overfull(&self, connection: i64, max_items: u64) -> Vec<String> {
        let count = self.spots.values().filter(|spot| spot.connection == connection).count() as u64;
        if count <= max_items {
            return Vec::new();
        }
        vec![format!("{count} items are in connection {connection}, which takes {max_items}")]
    }

    /// Items that are left when all should have ended.
    #[must_use]
    pub fn left(&self) -> Vec<String> {
        self.spots.iter().map(|(id, spot)| format!("item {id} is left in {spot:?} when all is well")).collect()
    }
}

#[cfg(test)]
mod tests {
    use mainspring_core::Timestamp;
    use mainspring_store::ItemContent;

    use super::*;

    fn row(id: i64, connection: i64) -> ItemRow {
        ItemRow {
            id,
            connection,
            position: id,
            entered_at: Timestamp::from_millis(0),
            lineage_at: Timestamp::from_millis(0),
            penalty_until: None,
            retries: 0,
            bytes: 1,
            priority: None,
        }
    }

    fn put(id: i64) -> Deed {
        Deed { writes: vec![ItemWrite::Insert(row(id, 1), ItemContent::default())], ..Deed::default() }
    }

    fn passed(id: i64) -> Deed {
        let had = BTreeMap::from([(id, Spot { connection: 1, position: id })]);
        Deed { had, writes: vec![ItemWrite::Update(row(id, 2), None)], is_terminated: false }
    }

    fn ended(id: i64) -> Deed {
        Deed { writes: vec![ItemWrite::Remove(id)], ..Deed::default() }
    }

    #[test]
    fn good_and_bad_histories_are_told_apart() {
        let terminated = Deed { is_terminated: true, ..passed(1) };
        for (name, deeds, broken) in [
            ("each once", vec![(1, put(1)), (1, passed(1)), (1, ended(1))], None),
            ("made twice", vec![(1, put(1)), (1, put(1))], Some("I17")),
            ("ended twice", vec![(1, put(1)), (1, ended(1)), (1, ended(1))], Some("I17")),
            ("moved after its end", vec![(1, put(1)), (1, ended(1)), (1, passed(1))], Some("I18")),
            ("passed on twice", vec![(1, put(1)), (1, passed(1)), (1, passed(1))], Some("I18")),
            ("by an earlier owner", vec![(1, put(1)), (0, passed(1))], Some("I19")),
            ("by a terminated body", vec![(1, put(1)), (1, terminated)], Some("I19")),
        ] {
            let mut ledger = Ledger::default();
            ledger.taken(1);
            let found = deeds
                .iter()
                .zip(1..)
                .flat_map(|((epoch, deed), batch)| ledger.kept(batch, *epoch, std::slice::from_ref(deed)));
            assert_eq!(found.map(|(invariant, _)| invariant).next(), broken, "{name}");
        }
    }

    #[test]
    fn a_batch_that_comes_again_changes_nothing() {
        let mut ledger = Ledger::default();
        ledger.taken(1);
        assert_eq!(ledger.kept(7, 1, &[put(1)]), []);
        assert_eq!(ledger.kept(7, 1, &[put(1)]), []);
        assert_eq!(ledger.differs(&[row(1, 1)]), Vec::<String>::new());
        assert_eq!(ledger.differs(&[]).len(), 1);
        assert_eq!(ledger.left().len(), 1);
        assert_eq!((ledger.overfull(1, 1).len(), ledger.overfull(1, 0).len()), (0, 1));
        assert_eq!(ledger.begun(&passed(1).had), Vec::<String>::new());
        assert_eq!(ledger.begun(&passed(2).had).len(), 1);
    }
}
