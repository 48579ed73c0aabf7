//! What the sessions of a store know together of its queues, while the server keeps many rows of runs that wait no more.
//!
//! [`Floors`] decides when somebody looks at everything, and where claims begin in between. This looks.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mainspring_core::queue::floors::Floors;

use super::batches::own;
use super::connection::Connection;
use crate::sql::db::{Lock, Row, Step, read, read_one};
use crate::sql::queues::Glance;

pub(super) struct Known {
    floors: Mutex<Floors>,
    began: Instant,
}

impl Default for Known {
    fn default() -> Self {
        Self { floors: Mutex::default(), began: Instant::now() }
    }
}

impl Known {
    fn with<T>(&self, work: impl FnOnce(&mut Floors, Duration) -> T) -> T {
        work(&mut self.floors.lock().unwrap_or_else(PoisonError::into_inner), self.began.elapsed())
    }

    /// Whether it is time to look at the queues.
    pub(super) fn begin(self: &Arc<Self>) -> Option<Looking> {
        self.with(Floors::begin).then(|| Looking(Arc::clone(self)))
    }

    /// See [`crate::sql::Batches::glance`].
    pub(super) fn glance(&self, db: &Connection) -> Step<Option<Glance>> {
        let Some(known) = self.with(Floors::known) else { return Ok(None) };
        let (lines, floors): (Vec<String>, Vec<i64>) = known.into_iter().unzip();
        let mut glance = Glance { set: Vec::new(), heads: BTreeMap::new() };
        db.query(own!("claim_look_from"), Lock::None, &[&lines, &floors], &mut |row| {
            let row = Row(row);
            match row.get::<Option<i64>>(1)? {
                Some(_) => _ = glance.heads.insert(row.get(0)?, row.get(2)?),
                None => glance.set.push(row.get(0)?),
            }
            Ok(true)
        })?;
        self.with(|floors, now| {
            for (line, head) in &glance.heads {
                if let Some(head) = head {
                    floors.saw(line, *head, now);
                }
            }
        });
        Ok(Some(glance))
    }

    /// Whether claims begin at floors now.
    #[cfg(test)]
    pub(super) fn has_floors(&self) -> bool {
        self.with(Floors::known).is_some()
    }
}

/// A look at everything. It ends when this is dropped.
pub(super) struct Looking(Arc<Known>);

impl Looking {
    pub(super) fn look(&self, db: &Connection) -> Step<()> {
        let Self(known) = self;
        if known.with(|floors, now| floors.is_count_due(now)) {
            let dead = read_one(db, own!("queue_dead"), &[], |row| row.get::<Option<i64>>(0))?.flatten();
            known.with(|floors, now| floors.counted(dead.unwrap_or(0).unsigned_abs(), now));
        }
        if known.with(|floors, _| floors.is_needed()) {
            let begun = Instant::now();
            let found = read(db, own!("queue_look"), &[], |row| Ok((row.get(0)?, row.get(1)?)))?;
            known.with(|floors, now| floors.found(found.into_iter().collect(), begun.elapsed(), now));
        }
        Ok(())
    }
}

impl Drop for Looking {
    fn drop(&mut self) {
        self.0.with(Floors::end);
    }
}
