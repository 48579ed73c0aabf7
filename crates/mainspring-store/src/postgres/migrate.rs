//! The steps from an empty database to the newest schema.
//!
//! Nodes that start together take turns: the one that holds the table `migration_lease` does all there is to do, the others wait
//! for it. The table is let go with the session, so one that dies keeps nobody waiting.
//!
//! Where others may work on the tables, an index is built beside their writes (`CONCURRENTLY`), however long that takes.

use super::connection::Connection;
use crate::sql::db::{Db, Sql, Step};
use crate::sql::lane::Server;
use crate::sql::steps::{patiently, statements};

struct Migration {
    number: u32,
    name: &'static str,
    text: &'static str,
}

macro_rules! migration {
    ($number:literal, $name:literal) => {
        Migration {
            number: $number,
            name: $name,
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/postgres/", $name, ".sql")),
        }
    };
}

/// In order, and never changed once released.
const MIGRATIONS: &[Migration] = &[
    migration!(1, "0001_begin"),
    migration!(2, "0002_keep"),
    migration!(3, "0003_claim"),
    migration!(4, "0004_tzdata"),
    migration!(5, "0005_limits"),
    migration!(6, "0006_worker"),
    migration!(7, "0007_queue"),
    migration!(8, "0008_route"),
    migration!(9, "0009_data"),
    migration!(10, "0010_webhook"),
    migration!(11, "0011_node_count"),
    migration!(12, "0012_hooks"),
    migration!(13, "0013_lines"),
    migration!(14, "0014_lane"),
    migration!(15, "0015_waiting"),
    migration!(16, "0016_far"),
    migration!(17, "0017_events"),
    migration!(18, "0018_rollup"),
    migration!(19, "0019_document"),
    migration!(20, "0020_workflow"),
    migration!(21, "0021_document_expiring"),
    migration!(22, "0022_flow"),
    migration!(23, "0023_backfill"),
    migration!(24, "0024_rerun"),
    migration!(25, "0025_after"),
    migration!(26, "0026_deadline"),
    migration!(27, "0027_cause"),
    migration!(28, "0028_call"),
    migration!(29, "0029_workflow_expiring"),
    migration!(30, "0030_saved_by"),
    migration!(31, "0031_await"),
    migration!(32, "0032_flow_minute"),
    migration!(33, "0033_flow_item_part"),
    migration!(34, "0034_cascade"),
    migration!(35, "0035_worker_place"),
    migration!(36, "0036_call_date"),
    migration!(37, "0037_flow_inbox"),
    migration!(38, "0038_queue_rollup"),
    migration!(39, "0039_worker_drain"),
    migration!(40, "0040_executor"),
];

/// Number of the newest migration.
pub(super) const NEWEST: u32 = MIGRATIONS[MIGRATIONS.len() - 1].number;

/// Brings the schema up to date, by another session from `open` where others may work on its tables. The inner error is a verdict
/// on the database.
pub(super) fn run(db: &Connection, open: &dyn Fn() -> Step<Connection>) -> Step<Result<(), String>> {
    // What makes the tables of the ledger races with other nodes; the lock outlives no session.
    patiently(db, pause, || {
        db.run_text(
            "SELECT pg_advisory_xact_lock(7236838);
             CREATE TABLE IF NOT EXISTS migration (
                 number BIGINT PRIMARY KEY, name TEXT NOT NULL, done_at TIMESTAMPTZ NOT NULL DEFAULT now());
             CREATE TABLE IF NOT EXISTS migration_lease (one SMALLINT PRIMARY KEY CHECK (one = 1))",
        )?;
        db.commit()
    })?;
    let done = take_turn(db)?;
    if done > NEWEST {
        db.roll_back()?;
        return Ok(Err(format!(
            "it was set up by a newer mainspring (schema {done}, this program knows {NEWEST}). \
             Nothing was changed: use that version"
        )));
    }
    if done == 0 {
        // Nobody works on its tables yet.
        for step in MIGRATIONS {
            db.run_text(step.text)?;
            record(db, step)?;
        }
    } else if done < NEWEST {
        let worker = Worker::begin(open()?)?;
        for step in worker.steps()? {
            worker.perform(step)?;
        }
    }
    db.commit()?;
    Ok(Ok(()))
}

/// Waits for this session's turn, which lasts as long as its transaction, and looks how far the schema is.
fn take_turn(db: &Connection) -> Step<u32> {
    for turn in 0..TURNS_MAX {
        match begin(db) {
            Err(fault) if Connection::is_passing(&fault) => {
                if turn == 0 {
                    tracing::info!("another node changes the schema; waiting for it");
                }
                db.roll_back()?;
            }
            done => return done,
        }
    }
    begin(db)
}

fn begin(db: &Connection) -> Step<u32> {
    // Who waits for a row has a snapshot meanwhile, and whoever builds an index waits for that. Who waits for a table has at most the
    // catalog's, and that one only until its first time-out.
    db.run_text("LOCK TABLE migration_lease IN EXCLUSIVE MODE")?;
    let done = newest_done(db)?;
    // The worker may take long. And the answer of a query keeps its snapshot until the next one is asked.
    db.run_text("SET LOCAL idle_in_transaction_session_timeout = 0")?;
    Ok(done)
}

/// How often a node asks whether it is its turn: two seconds each.
const TURNS_MAX: u32 = 6 * 3_600 / 2;

/// The session that changes tables on which others may work, while another has the turn: what runs concurrently has no transaction
/// that could hold it.
///
/// It begins and ends within the turn: who has the turn may wait for a worker that is left, so no worker may be left by who waits for
/// the turn.
struct Worker(Connection);

impl Worker {
    /// Waits until the session of a node that died has done what it was about: the server may not notice before.
    fn begin(session: Connection) -> Step<Self> {
        // Not known before PostgreSQL 14, nor everywhere since.
        let _refused = session.run_alone("SET client_connection_check_interval = '5s'");
        let alone = "SELECT pg_try_advisory_lock(7236839, hashtext(current_schema()))";
        while session.run_simple(alone)? != ["t"] {
            session.run_alone("SELECT pg_sleep(0.5)")?;
        }
        Ok(Self(session))
    }

    /// The steps that are to be done. A worker that was waited for may have done some since the turn began.
    fn steps(&self) -> Step<impl Iterator<Item = &'static Migration> + use<>> {
        let done = newest_done(&self.0)?;
        self.0.commit()?;
        Ok(MIGRATIONS.iter().filter(move |step| step.number > done))
    }

    /// Each statement has a transaction of its own, so that it holds no lock while it waits for another, and may be repeated.
    fn perform(&self, step: &Migration) -> Step<()> {
        let Self(session) = self;
        for statement in statements(step.text) {
            patiently(session, pause, || match Index::of(&statement) {
                Some(index) => index.build(session),
                None => session.run_text(&statement).and_then(|()| session.commit()),
            })?;
        }
        record(session, step)?;
        session.commit()
    }
}

/// A statement that makes an index, in a table that is no partitioned one.
struct Index<'a> {
    name: &'a str,
    /// What comes after `IF NOT EXISTS`.
    text: &'a str,
}

impl<'a> Index<'a> {
    fn of(statement: &'a str) -> Option<Self> {
        let text = statement.strip_prefix("CREATE INDEX IF NOT EXISTS ")?;
        Some(Self { name: text.split(' ').next()?, text })
    }

    /// Builds it beside the writes of others.
    fn build(&self, session: &Connection) -> Step<()> {
        // Its locks stand in the way of other changes of the schema alone, so it may wait for whoever writes now.
        session.run_alone("SET lock_timeout = 0")?;
        // One whose building was cut short is there, and nothing finds a row by it.
        let broken =
            format!("SELECT 1 FROM pg_index WHERE indexrelid = to_regclass('{}') AND NOT indisvalid", self.name);
        if !session.run_simple(&broken)?.is_empty() {
            session.run_alone(&format!("DROP INDEX CONCURRENTLY IF EXISTS {}", self.name))?;
        }
        session.run_alone(&format!("CREATE INDEX CONCURRENTLY IF NOT EXISTS {}", self.text))?;
        session.run_alone("SET lock_timeout = '2s'")
    }
}

fn record(db: &Connection, step: &Migration) -> Step<()> {
    let record = Sql::new("INSERT INTO migration (number, name) VALUES (:number, :name)");
    db.execute(record, &[(":number", &i64::from(step.number)), (":name", &step.name)])?;
    Ok(())
}

fn pause(db: &Connection) -> Step<()> {
    db.run_text("SELECT pg_sleep(0.5)")
}

fn newest_done(db: &Connection) -> Step<u32> {
    let mut newest = 0;
    db.each(Sql::new("SELECT COALESCE(MAX(number), 0) FROM migration"), &[], &mut |row| {
        newest = row.get::<i64>(0)?;
        Ok(true)
    })?;
    Ok(u32::try_from(newest).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_of_a_later_step_is_built_beside_writes() {
        let later = MIGRATIONS[1..].iter().flat_map(|step| statements(step.text));
        let makes_index = |text: &String| text.starts_with("CREATE") && text.contains("INDEX ");
        let indexes: Vec<String> = later.filter(makes_index).collect();
        assert!(indexes.len() > 5 && indexes.iter().all(|text| Index::of(text).is_some()), "{indexes:?}");
    }
}
