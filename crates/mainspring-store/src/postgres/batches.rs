//! What most batches are made of, in one statement each.

use mainspring_core::batch::ClaimedRun;
use mainspring_core::{Timestamp, TriggerId};

use super::connection::Connection;
use crate::sql::Batches;
use crate::sql::db::{Lock, Row, Sql, Step, ToSql, read};
use crate::sql::queue::claimed_run;

macro_rules! own {
    ($name:literal) => {
        Sql::new(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/queries/postgres/", $name, ".sql")))
    };
}

impl Batches for Connection {
    fn claim(&self, owner: i64, limit: u32, at: Timestamp) -> Step<Vec<ClaimedRun>> {
        let values: [(&str, &dyn ToSql); 3] = [(":at", &at.as_millis()), (":owner", &owner), (":limit", &limit)];
        let mut claimed = read(self, own!("claim"), &values, |row| Ok((row.get::<i64>(8)?, claimed_run(row)?)))?;
        claimed.sort_by_key(|(priority, run)| (-priority, run.due_at, run.run));
        Ok(claimed.into_iter().map(|(_, run)| run).collect())
    }

    fn take_triggers(&self, limit: u32) -> Step<Vec<TriggerId>> {
        let mut taken: Vec<(i64, TriggerId)> = Vec::new();
        let shards: Vec<i16> = (0..256).collect();
        self.query(own!("take_triggers"), Lock::None, &[&shards, &i64::from(limit)], &mut |row| {
            let row = Row(row);
            taken.push((row.get(0)?, TriggerId(row.get(1)?)));
            Ok(true)
        })?;
        taken.sort_unstable();
        Ok(taken.into_iter().map(|(_, trigger)| trigger).collect())
    }

    fn note_queued(&self) -> Step<()> {
        // Queued runs are found by their state.
        Ok(())
    }

    fn take_queued(&self) -> Step<bool> {
        crate::sql::db::exists(self, own!("take_queued"), &[])
    }
}
