//! The steps from an empty database to the newest schema.
//!
//! The server commits after every statement that changes the schema, so a step may end half way: each of its statements
//! may be repeated. Nodes that start together take turns: the one whose second session holds the row of
//! `migration_lease` works, the others wait for it.

use super::connection::Connection;
use crate::sql::db::{Db, Fault, Lock, Sql, Step, read_one};
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
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/mysql/", $name, ".sql")),
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
    migration!(16, "0016_queued"),
    migration!(17, "0017_fence_kept"),
    migration!(18, "0018_far"),
    migration!(19, "0019_rollup"),
    migration!(20, "0020_document"),
    migration!(21, "0021_workflow"),
    migration!(22, "0022_document_expiring"),
    migration!(23, "0023_flow"),
    migration!(24, "0024_backfill"),
    migration!(25, "0025_rerun"),
    migration!(26, "0026_after"),
    migration!(27, "0027_deadline"),
    migration!(28, "0028_cause"),
    migration!(29, "0029_call"),
    migration!(30, "0030_workflow_expiring"),
    migration!(31, "0031_saved_by"),
    migration!(32, "0032_await"),
    migration!(33, "0033_flow_minute"),
    migration!(34, "0034_flow_item_part"),
    migration!(35, "0035_cascade"),
    migration!(36, "0036_worker_place"),
    migration!(37, "0037_call_date"),
    migration!(38, "0038_flow_inbox"),
    migration!(39, "0039_queue_rollup"),
    migration!(40, "0040_worker_drain"),
    migration!(41, "0041_executor"),
];

/// Number of the newest migration.
pub(super) const NEWEST: u32 = MIGRATIONS[MIGRATIONS.len() - 1].number;

/// Brings the schema up to date. The inner error is a verdict on the database.
pub(super) fn run(db: &Connection, lease: &Connection) -> Step<Result<(), String>> {
    // The row of the lease is locked for as long as another node sets up.
    patiently(db, pause, || prepare_ledger(db))?;
    // Others may work for long, and this session idles while it holds the lease.
    lease.run_text(
        "SET /*M! SESSION idle_transaction_timeout = 0, */ \
         SESSION innodb_lock_wait_timeout = 60, SESSION wait_timeout = 600",
    )?;
    let turn = Sql::new("SELECT one FROM migration_lease");
    patiently(lease, pause, || lease.lock(turn, Lock::Write, &[]))?;
    let done = newest_done(db)?;
    if done > NEWEST {
        return Ok(Err(format!(
            "it was set up by a newer mainspring (schema {done}, this program knows {NEWEST}). \
             Nothing was changed: use that version"
        )));
    }
    for step in MIGRATIONS.iter().filter(|step| step.number > done) {
        apply(db, step)?;
    }
    lease.roll_back()?;
    Ok(Ok(()))
}

fn prepare_ledger(db: &Connection) -> Step<()> {
    db.run_text(
        "CREATE TABLE IF NOT EXISTS migration (
             number BIGINT NOT NULL PRIMARY KEY, name VARCHAR(255) NOT NULL,
             done_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP) ENGINE = InnoDB",
    )?;
    db.run_text("CREATE TABLE IF NOT EXISTS migration_lease (one TINYINT NOT NULL PRIMARY KEY) ENGINE = InnoDB")?;
    db.execute(Sql::new("INSERT IGNORE INTO migration_lease (one) VALUES (1)"), &[])?;
    db.commit()
}

fn newest_done(db: &Connection) -> Step<u32> {
    let newest = read_one(db, Sql::new("SELECT MAX(number) FROM migration"), &[], |row| row.get::<Option<i64>>(0))?;
    db.commit()?;
    Ok(u32::try_from(newest.flatten().unwrap_or(0)).unwrap_or(u32::MAX))
}

fn apply(db: &Connection, step: &Migration) -> Step<()> {
    for statement in statements(step.text) {
        patiently(db, pause, || match db.run_text(&statement) {
            Err(fault) if is_done(&fault) => Ok(()),
            answer => answer,
        })?;
        db.run_text("COMMIT")?;
    }
    let number = i64::from(step.number);
    let record = Sql::new("INSERT IGNORE INTO migration (number, name) VALUES (:number, :name)");
    db.execute(record, &[(":number", &number), (":name", &step.name)])?;
    db.commit()
}

/// Whether a change of a table has been made before: a column or key is there already, or gone already.
fn is_done(fault: &Fault) -> bool {
    matches!(fault, Fault::Mysql(mysql_async::Error::Server(error)) if matches!(error.code, 1060 | 1061 | 1091))
}

fn pause(db: &Connection) -> Step<()> {
    db.run_text("DO SLEEP(0.5)")
}
