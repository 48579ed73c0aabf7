//! Rows by ascending integer ids.

/// Rows by ids that the table gives out: 1, 2, 3 …, none of them twice.
///
/// Batches are in order of ids, so neighbours in a batch are neighbours here. A removed row leaves one word.
#[derive(Clone, Debug)]
pub(super) struct Table<T> {
    rows: Vec<Option<Box<T>>>,
    len: usize,
}

impl<T> Table<T> {
    pub(super) const fn new() -> Self {
        Self { rows: Vec::new(), len: 0 }
    }

    /// The id that the next row gets.
    pub(super) fn next_id(&self) -> i64 {
        i64::try_from(self.rows.len()).expect("fewer rows than memory has bytes") + 1
    }

    /// Keeps a row under the next id.
    pub(super) fn push(&mut self, row: T) {
        self.rows.push(Some(Box::new(row)));
        self.len += 1;
    }

    /// Keeps a row under an id that was given out before and is free.
    pub(super) fn restore(&mut self, id: i64, row: T) {
        let place = &mut self.rows[position(id).expect("ids begin with 1")];
        assert!(place.is_none(), "the id {id} is taken");
        *place = Some(Box::new(row));
        self.len += 1;
    }

    pub(super) fn get(&self, id: i64) -> Option<&T> {
        self.rows.get(position(id)?)?.as_deref()
    }

    pub(super) fn get_mut(&mut self, id: i64) -> Option<&mut T> {
        self.rows.get_mut(position(id)?)?.as_deref_mut()
    }

    pub(super) fn remove(&mut self, id: i64) -> Option<Box<T>> {
        let row = self.rows.get_mut(position(id)?)?.take();
        self.len -= usize::from(row.is_some());
        row
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// All rows, in order of ids.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.rows.iter().filter_map(Option::as_deref)
    }
}

fn position(id: i64) -> Option<usize> {
    usize::try_from(id).ok()?.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_given_once_and_rows_come_back_under_theirs() {
        let mut table = Table::new();
        for word in ["a", "b", "c"] {
            table.push(word);
        }
        assert_eq!((table.get(2), table.get(0), table.get(4), table.get(i64::MIN)), (Some(&"b"), None, None, None));
        assert_eq!(table.remove(2).as_deref(), Some(&"b"));
        assert_eq!((table.remove(2), table.len(), table.next_id()), (None, 2, 4));
        table.restore(2, "again");
        assert_eq!(table.iter().copied().collect::<Vec<_>>(), ["a", "again", "c"]);
    }
}
